"""What every joint in space leaves free, as in the textbook; and joints that are chains of simpler ones."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import closed_pose
from stage import turned_at_random

import mbs_dae as mbs

LEFT = {
    "Revolute": 1,
    "Translational": 1,
    "Cylindrical": 2,
    "Screw": 1,
    "Universal": 2,
    "ConstantVelocity": 2,
    "Spherical": 3,
    "Planar": 3,
    "Fixed": 0,
    "PinInSlot": 4,
    "PointInPlane": 5,
    "Distance": 5,
    "RevoluteSpherical": 4,
    "RackAndPinion": 5,
    "CamFollower": 5,
    "CoordinateFix": 5,
}
"""How many of the six freedoms of a body a joint leaves."""
ROLLS = {"RollingDisk": (5, 3), "KnifeEdge": (6, 5)}
"""What is left of position and of velocity."""
MORE = {
    "Screw": {"pitch": 0.2},
    "RackAndPinion": {"radius": 0.3},
    "RollingDisk": {"radius": 0.4},
    "CamFollower": {"profile": 1 + mbs.theta / 10},
    "CoordinateFix": {"coordinate": "z"},
}


def two_bodies(name: str, seed: int) -> mbs.SpatialModel:
    """One joint between two bodies at random places."""
    random = np.random.default_rng(seed)
    model = mbs.SpatialModel(name)
    cls = getattr(mbs, name)
    markers = []
    for body in "ab"[: len(cls.marker_names)]:
        x, y, z = random.uniform(-1, 1, 3)
        moving = model.body(body, 1.0, 1.0, position=random.uniform(-1, 1, 3), rotation=turned_at_random(random))
        markers.append(moving.at(x, y, z, axis=random.normal(size=3), x_axis=random.normal(size=3)))
    model.add(cls("joint", *markers, **MORE.get(name, {})))
    return model


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", [*LEFT, *ROLLS])
def test_a_joint_leaves_what_the_textbook_says(name, seed):
    """By the rank of Φ_v where the joint holds, and by the diagnosis, which finds the pose itself."""
    model = two_bodies(name, seed)
    system = model.compile()
    moving = 6 * len(model.bodies)
    position, velocity = ROLLS.get(name) or (LEFT[name],) * 2
    equations = 6 - velocity
    pose = closed_pose(system)
    rows = system.jacobian(0.0, pose).toarray()
    singular = np.linalg.svd(rows, compute_uv=False)
    assert rows.shape == (equations, moving)
    assert singular[-1] > 1e-3 * singular[0]
    found = mbs.diagnose(model)
    assert (found.coordinates, found.equations, found.rank) == (moving, equations, equations)
    assert found.degrees_of_freedom == moving - equations
    assert not found.redundant
    assert position - velocity == len([r for r in system.rows if r.unit == "m/s"])


def test_every_joint_of_the_package_has_its_freedom_told():
    there = {c.__name__ for c in mbs.registered_joints() if c.__module__.startswith("mbs_dae.") and 3 in c.dimensions}
    assert there == {*LEFT, *ROLLS, "Gear"}


def test_other_names_are_the_same_joints():
    assert mbs.Prismatic is mbs.Translational
    assert mbs.SphericalSpherical is mbs.Distance
    assert mbs.PointOnLine is mbs.PinInSlot


def test_a_gear_takes_one_freedom_of_two_axles():
    model = mbs.SpatialModel("gears")
    a, b = (model.body(name, 1.0, 1.0) for name in "ab")
    A = mbs.Revolute("A", model.ground, a, at=(0, 0, 0), axis=(1, 2, 3))
    B = mbs.Revolute("B", model.ground, b, at=(1, 0, 0), axis=(-1, 1, 0))
    model.add(A, B)
    assert mbs.diagnose(model).degrees_of_freedom == 2
    assert mbs.diagnose(model.plus(mbs.Gear("mesh", A, B, ratio=2.0))).degrees_of_freedom == 1


# --- joints as chains of revolutes and prismatics ---------------------------------------------------------------

AT, X, Y, Z = (0.2, 0.1, -0.3), (1, 0, 0), (0, 1, 0), (0, 0, 1)
CHAINS = {
    "Revolute": (mbs.Revolute, [(mbs.Revolute, Z)]),
    "Prismatic": (mbs.Prismatic, [(mbs.Prismatic, Z)]),
    "Cylindrical": (mbs.Cylindrical, [(mbs.Prismatic, Z), (mbs.Revolute, Z)]),
    "Universal": (mbs.Universal, [(mbs.Revolute, X), (mbs.Revolute, Y)]),
    "Planar": (mbs.Planar, [(mbs.Prismatic, X), (mbs.Prismatic, Y), (mbs.Revolute, Z)]),
    "Spherical": (mbs.Spherical, [(mbs.Revolute, X), (mbs.Revolute, Y), (mbs.Revolute, Z)]),
}
"""The joints of a lecture on the positions of multibody systems, each with the simple ones that it consists of."""
FREEDOM = dict(zip(CHAINS, (1, 1, 2, 2, 3, 3), strict=True))
TILT = mbs.rotations.bryant(0.4, -0.3, 0.6)
"""How the axes of the joint stand in the world."""


def hung(joint: str, chain: bool) -> mbs.SpatialModel:
    """A body that hangs on the ground by a joint, or by the chain of joints with bodies without mass between; a second
    body swings on a ball joint below."""
    model = mbs.SpatialModel(f"{joint} {'chain' if chain else ''}", gravity=(0.5, 0.3, -2.0))
    inertia = [[0.3, 0.02, 0.01], [0.02, 0.4, 0.03], [0.01, 0.03, 0.5]]
    body = model.body("body", mass=1.3, inertia=inertia, com=(0.3, 0.2, -0.4), position=(0.1, 0, 0))
    bob = model.body("bob", mass=0.4, inertia=(0.02, 0.03, 0.04), position=(0.4, 0.5, -0.9))
    model.add(mbs.Spherical("below", body, bob, at=(0.4, 0.4, -0.6)))
    cls, parts = CHAINS[joint]
    if not chain:
        model.add(cls("joint", model.ground, body, at=AT, axis=TILT @ Z, x_axis=TILT @ X))
        return model
    links = [model.body(f"link{k}", position=AT) for k in range(len(parts) - 1)]
    for k, ((kind, axis), before, after) in enumerate(zip(parts, [model.ground, *links], [*links, body], strict=True)):
        model.add(kind(f"part{k}", before, after, at=AT, axis=TILT @ np.array(axis)))
    return model


@pytest.mark.parametrize("joint", CHAINS)
def test_a_joint_has_the_freedom_of_its_chain(joint):
    """Beside the three of the ball joint below."""
    for chain in (False, True):
        assert mbs.diagnose(hung(joint, chain)).degrees_of_freedom == FREEDOM[joint] + 3


@pytest.mark.parametrize("joint", [j for j in CHAINS if len(CHAINS[j][1]) > 1])
def test_a_body_moves_on_a_joint_as_on_its_chain(joint):
    """The same body, started alike, once on the joint and once on revolutes and prismatics with bodies without mass."""
    times = np.linspace(0, 0.8, 9)
    one = mbs.simulate(hung(joint, False), times, start(joint, False), rtol=1e-11)
    other = mbs.simulate(hung(joint, True), times, start(joint, True), rtol=1e-11)
    assert np.abs(one["body.wx"]).max() + np.abs(one["body.vx"]).max() > 0.3
    for body in ("body", "bob"):
        np.testing.assert_allclose(other.rotation(body), one.rotation(body), atol=1e-8)
        for name in ("x", "y", "z", "vx", "vy", "vz", "wx", "wy", "wz"):
            np.testing.assert_allclose(other[f"{body}.{name}"], one[f"{body}.{name}"], atol=1e-8)
        for name in ("ax", "ay", "az", "alphax", "alphay", "alphaz"):
            np.testing.assert_allclose(other[f"{body}.{name}"], one[f"{body}.{name}"], atol=1e-6)
    np.testing.assert_allclose(other.energy.kinetic, one.energy.kinetic, atol=1e-8)
    np.testing.assert_allclose(other.reaction("below"), one.reaction("below"), atol=1e-6)


RATES = {"Revolute": ("omega", 0.9), "Translational": ("velocity", 0.6)}


def start(joint: str, chain: bool) -> dict[str, float]:
    """All parts of the joint move at first, at rates that are told to the chain and to the joint in its own words."""
    ball = {"bob.wx": 0.3, "bob.wy": -0.2, "bob.wz": 0.5}
    _, parts = CHAINS[joint]
    rates = [(RATES[kind.__name__][1], RATES[kind.__name__][0], TILT @ np.array(axis)) for kind, axis in parts]
    if chain:
        return ball | {f"part{k}.{word}": rate for k, (rate, word, _) in enumerate(rates)}
    spin = sum((rate * axis for rate, word, axis in rates if word == "omega"), np.zeros(3))
    slide = sum((rate * axis for rate, word, axis in rates if word == "velocity"), np.zeros(3))
    origin = slide + np.cross(spin, np.array([0.1, 0, 0]) - AT)
    told = {
        "Cylindrical": {"joint.omega": RATES["Revolute"][1], "joint.velocity": RATES["Translational"][1]},
        "Planar": {"joint.omega": RATES["Revolute"][1], "body.vx": origin[0], "body.vy": origin[1]},
        "Universal": {"body.wx": spin[0], "body.wy": spin[1]},
        "Spherical": {f"body.w{axis}": w for axis, w in zip("xyz", spin, strict=True)},
    }
    return ball | told[joint]


def test_a_screw_is_a_sleeve_whose_way_follows_its_angle():
    """The same as a cylindrical joint with a constraint between its two coordinates."""
    pitch = 0.3
    start = {"joint.omega": 2.0, "bob.wx": 0.3, "bob.wy": -0.2, "bob.wz": 0.5}
    times = np.linspace(0, 0.8, 9)
    screw = hung("Cylindrical", False).without("joint")
    ground, body = screw.ground, screw.bodies["body"]
    axes = {"at": AT, "axis": TILT @ Z, "x_axis": TILT @ X}
    sleeve = screw.plus(mbs.Cylindrical("joint", ground, body, **axes))
    screw = screw.plus(mbs.Screw("joint", ground, body, pitch=pitch, **axes))
    assert mbs.diagnose(screw).degrees_of_freedom == 4
    i, j = sleeve.elements["joint"].markers
    the = mbs.primitives
    tie = mbs.Constraint("thread", i, j, phi=lambda i, j: the.displacement(i, j) - pitch * the.turn(i, j) / (2 * np.pi))
    one = mbs.simulate(screw, times, start, rtol=1e-11)
    other = mbs.simulate(sleeve.plus(tie), times, start, rtol=1e-11)
    np.testing.assert_allclose(one["joint.displacement"], pitch / (2 * np.pi) * one["joint.angle"], atol=1e-9)
    np.testing.assert_allclose(one["joint.angle"], other["joint.angle"], atol=1e-8)
    np.testing.assert_allclose(one["bob.x"], other["bob.x"], atol=1e-8)
    both = other.reaction("joint") + other.reaction("thread")
    np.testing.assert_allclose(one.reaction("joint"), both, atol=1e-6)
