"""Plane mechanisms said with bodies in space: the same motion, the same efforts, the same forces in the plane.

A mechanism of pins and guides is translated joint by joint. In the plane a pin has two equations and a guide has two;
in space both have five, three of which hold the second body in the plane. A body needs to be held once; so in every
loop one joint with all five has three too many. Ways to say it:

- "tree": joints that reach a body for the first time have five equations; a pin that closes a loop has the two of a
  point on a line. Nothing is redundant.
- "loose": what a designer does: balls and sleeves, by name. Nothing is redundant.
- "stiff": five equations everywhere. Three are redundant for each loop; what the pins do out of the plane is unknown,
  and what they do in it is not.
"""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from gallery import load

import mbs_dae as mbs

EXACT = {"method": "DP8", "rtol": 1e-12, "stabilization": mbs.Projection()}
Z = (0, 0, 1)


# --- the translation --------------------------------------------------------------------------------------------


def in_space(plane, joints="tree", flat=True):
    """The same mechanism in space, in the x-y plane. `joints` is "tree", "stiff", or classes for some of them by name;
    `flat` bodies have half of their inertia about the axes in the plane, others all of it."""
    space = mbs.SpatialModel(f"{plane.name} in space", gravity=(*plane.gravity, 0))
    for name, parameter in plane.parameters.items():
        space.parameter(name, parameter.value, parameter.unit)
    twin = {plane.ground: space.ground}
    for body in plane.bodies.values():
        side = body.inertia / 2 if flat else body.inertia
        twin[body] = space.body(
            body.name,
            body.mass,
            (side, side, body.inertia),
            com=(*body.com, 0),
            position=(*body.position, 0),
            rotation=mbs.rotations.about_z(sp.sympify(body.angle)),
        )
        for name, marker in body.markers.items():
            twin[body].marker(name, *marker.point, 0)

    def at(marker, along_x=False):
        """The marker; its axis leads out of the plane, or lies along its x axis."""
        x = sp.cos(marker.angle), sp.sin(marker.angle), 0
        return twin[marker.body].at(*marker.point, 0, axis=x if along_x else Z, x_axis=Z if along_x else x)

    closing = closing_pins(plane) if joints == "tree" else set()
    classes = {} if isinstance(joints, str) else joints
    for name, element in plane.elements.items():
        if isinstance(element, mbs.Revolute):
            pin = mbs.PointOnLine if name in closing else classes.get(name, mbs.Revolute)
            space.add(pin(name, *map(at, element.markers)))
        elif isinstance(element, mbs.Translational):
            space.add(mbs.Prismatic(name, *(at(marker, along_x=True) for marker in element.markers)))
        elif isinstance(element, mbs.Driver):
            measure = getattr(mbs, element.measure.kind)(*map(at, element.markers))
            space.add(mbs.Driver(name, measure, element.function))
        elif isinstance(element, mbs.Spring | mbs.Torque):
            space.add(type(element)(name, *map(at, element.markers), **element.values))
        else:
            raise NotImplementedError(element)
    return space


def closing_pins(model):
    """The pins that close a loop, in a tree that takes guides first."""
    guides = [e for e in model.elements.values() if isinstance(e, mbs.Translational)]
    pins = [e for e in model.elements.values() if isinstance(e, mbs.Revolute)]
    tree = {body: {body} for body in (model.ground, *model.bodies.values())}
    closing = set()
    for joint in (*guides, *pins):
        first, second = (tree[body] for body in joint.bodies)
        if first is second:
            assert isinstance(joint, mbs.Revolute), "a loop of guides alone"
            closing.add(joint.name)
        else:
            first |= second
            tree |= dict.fromkeys(second, first)
    return closing


# --- the comparison ---------------------------------------------------------------------------------------------


def close(found, expected, tolerance=1e-9):
    """To a tolerance relative to the largest number."""
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * max(1.0, np.abs(expected).max()))


def assert_same_motion(model, plane, space, tolerance=1e-9):
    """All bodies and named points, with rates and accelerations; and nothing leaves the plane."""
    for body in model.bodies.values():
        angle, R = plane[f"{body.name}.angle"], space.rotation(body.name)
        close(R[:, :2, 0], np.column_stack([np.cos(angle), np.sin(angle)]), tolerance)
        close(R[:, 2], np.tile(Z, (len(R), 1)), tolerance)
        largest = np.abs(plane[f"{body.name}.alpha"]).max() + 1
        for place in (body.name, *(marker.label for marker in body.markers.values())):
            same = [(n, n) for n in ("x", "y", "vx", "vy", "ax", "ay")]
            for ours, theirs in (*same, ("omega", "wz"), ("alpha", "alphaz")):
                close(space[f"{place}.{theirs}"], plane[f"{place}.{ours}"], tolerance)
            for quantity in ("z", "vz", "az", "wx", "wy", "alphax", "alphay"):
                np.testing.assert_allclose(space[f"{place}.{quantity}"], 0, atol=tolerance * largest)


def assert_same_forces(model, plane, space, tolerance=1e-9):
    """Fx, Fy and M of all joints at the same markers; out of the plane there is nothing to carry."""
    scale = max(np.abs(plane.reaction(e.name)[:, :2]).max() for e in model.conditions)
    for element in model.conditions:
        expected, found = plane.reaction(element.name), space.reaction(element.name)
        np.testing.assert_allclose(found[:, [0, 1, 5]], expected, rtol=0, atol=tolerance * scale)
        np.testing.assert_allclose(found[:, [2, 3, 4]], 0, atol=tolerance * scale)
        assert space.is_unique(element.name)[..., [0, 1, 5]].all()
    for driver in model.drivers:
        close(space.effort(driver.name), plane.effort(driver.name), tolerance)


# --- which mechanisms, and how ----------------------------------------------------------------------------------

LOOSE = {
    "slider_crank": {"B": mbs.Spherical, "C": mbs.Cylindrical},
    "four_bar": {"A": mbs.Spherical, "B": mbs.Cylindrical},
    "andrews_squeezer": {
        **{"E3": mbs.Cylindrical, "B": mbs.Spherical},
        **{"G": mbs.Spherical, "E4": mbs.Cylindrical},
        **{"H": mbs.Spherical, "E6": mbs.Cylindrical},
    },
}
LOOPS = {"slider_crank": 1, "four_bar": 1, "andrews_squeezer": 3}
WAYS = ("tree", "loose", "stiff")


def both(name, way, flat=True):
    file = load(name)
    plane = file.build()
    return file, plane, in_space(plane, LOOSE[name] if way == "loose" else way, flat)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", LOOPS)
def test_count(name, way):
    """Degrees of freedom as in the plane; three redundant equations a loop where all joints are stiff."""
    _, plane, space = both(name, way)
    ours, theirs = mbs.diagnose(plane), mbs.diagnose(space)
    assert theirs.degrees_of_freedom == ours.degrees_of_freedom
    assert theirs.coordinates == 6 * len(plane.bodies)
    assert theirs.equations - theirs.rank == (3 * LOOPS[name] if way == "stiff" else 0)
    assert theirs.gruebler == ours.gruebler - (3 * LOOPS[name] if way == "stiff" else 0)
    assert {group.kind for group in theirs.redundant} == ({"generic"} if way == "stiff" else set())


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["slider_crank", "four_bar"])
def test_kinematics(name, way):
    file, plane, space = both(name, way)
    times = file.TIMES[::6]
    assert_same_motion(plane, mbs.kinematics(plane, times), mbs.kinematics(space, times), 1e-11)


@pytest.mark.parametrize("name", ["arm_4r1p", "six_bar", "double_parallel_crank"])
def test_kinematics_of_the_gallery(name):
    """Two drivers; two loops; a loop that is redundant in the plane already, and no more so in space (it comes near to
    its flat pose, where digits are lost)."""
    file, plane, space = both(name, "tree")
    times = file.TIMES[1::12]
    assert_same_motion(plane, mbs.kinematics(plane, times), mbs.kinematics(space, times))
    ours, theirs = mbs.diagnose(plane), mbs.diagnose(space)
    assert ours.equations - ours.rank == theirs.equations - theirs.rank == (name == "double_parallel_crank")


@pytest.mark.parametrize("name", ["simple_pendulum", "double_pendulum", "four_bar_with_spring"])
def test_forward_dynamics_of_the_gallery(name):
    """From rest, where they are placed."""
    file, plane, space = both(name, "tree")
    times = np.linspace(0, 1, 21)
    ours = mbs.simulate(plane, times, initial=file.INITIAL, **EXACT)
    initial = {name.replace(".omega", ".wz"): value for name, value in file.INITIAL.items()}
    theirs = mbs.simulate(space, times, initial=initial, **EXACT)
    assert_same_motion(plane, ours, theirs)
    assert_same_forces(plane, ours, theirs)


@pytest.mark.parametrize("flat", [True, False], ids=["flat", "round"])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["slider_crank", "four_bar"])
def test_inverse_dynamics(name, way, flat):
    file, plane, space = both(name, way, flat)
    times = file.TIMES[::6]
    ours, theirs = mbs.inverse_dynamics(plane, times), mbs.inverse_dynamics(space, times)
    assert_same_motion(plane, ours, theirs, 1e-11)
    assert_same_forces(plane, ours, theirs, 1e-10)
    assert np.abs(ours.effort("motor")).max() > 1e-3


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["slider_crank", "four_bar"])
def test_forward_dynamics(name, way):
    """Without the motor, pushed, under gravity."""
    _, plane, space = both(name, way)
    plane, space, times = plane.without("motor"), space.without("motor"), np.linspace(0, 1, 41)
    ours = mbs.simulate(plane, times, initial={"crank.omega": 12.0}, **EXACT)
    theirs = mbs.simulate(space, times, initial={"crank.wz": 12.0}, **EXACT)
    assert_same_motion(plane, ours, theirs)
    assert_same_forces(plane, ours, theirs)
    close(theirs.energy.kinetic, ours.energy.kinetic)


@pytest.mark.parametrize("way", WAYS)
def test_andrews_squeezer(way):
    """Seven bodies, three loops, a spring and a motor, at 1000 rad/s."""
    file, plane, space = both("andrews_squeezer", way)
    times = file.TIMES[::10]
    ours = mbs.simulate(plane, times, initial=file.INITIAL, **EXACT)
    theirs = mbs.simulate(space, times, initial={"K1.wz": 0.0}, **EXACT)
    assert_same_motion(plane, ours, theirs)
    assert_same_forces(plane, ours, theirs)
    close(theirs.effort("spring"), ours.effort("spring"))
    assert np.abs(ours["K1.omega"]).max() > 900


def test_stiff_pins_leave_open_what_acts_out_of_the_plane():
    """In a loop of four pins Fz, Mx and My could be anything; the least is taken, which is none."""
    _, _, space = both("four_bar", "stiff")
    result = mbs.inverse_dynamics(space, np.linspace(0, 1, 5))
    for pin in "OABD":
        assert not result.is_unique(pin)[..., [2, 3, 4]].any()
