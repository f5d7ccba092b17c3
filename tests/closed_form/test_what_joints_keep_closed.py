"""Contacts that joints alone keep closed: the motion is that without them, they carry no force, and it is told. What
joints press together is refused; a dead point is none of both."""

from __future__ import annotations

import numpy as np
import pytest
from covering import covering

import mbs_dae as mbs
from mbs_dae.compiled import contacts as rows_of_contacts
from mbs_dae.errors import IntegrationError

G = 9.81
TIMES = np.linspace(0, 1, 6)
SETS = ("cartesian", "natural", "joint")
METHODS = ({}, {"method": "Moreau", "step": 1e-2}, {"method": "HalfExplicit", "step": 1e-2})
EVERYWHERE = [(own, options) for own in SETS for options in METHODS]


def shown(own, options):
    """Each set of coordinates, and each method."""
    return own, options.get("method")


def case(*values):
    *names, options = values
    return pytest.param(*values, id=", ".join((*names, options.get("method", "DP5"))))


everywhere = pytest.mark.parametrize(
    ("coordinates", "options"), covering([case(*one) for one in EVERYWHERE], lambda one: shown(*one.values))
)


def wheels():
    """Two wheels turn on pins of a pendulum, and touch."""
    model = mbs.PlanarModel("wheels", gravity=(0, -G))
    arm = model.link("arm", (0, 0), (0.8, 0.6), mass=1.0)
    big = model.body("big", mass=0.5, inertia=0.01, position=(0.8, 0.6))
    small = model.body("small", mass=0.3, inertia=0.01, position=(0.56, 0.42))
    model.add(mbs.Revolute("O", model.ground, arm.tail))
    model.add(mbs.Revolute("A", arm.head, big), mbs.Revolute("B", arm.at(0.2, 0), small))
    model.add(mbs.Contact("touch", mbs.Disk(big, 0.2), mbs.Disk(small, 0.1), friction=0.3))
    return model, {}


def slider():
    """The corners of a slider on a line along its guide; a pendulum hangs on it."""
    model, slope = mbs.PlanarModel("slider", gravity=(0, -G)), -0.4
    along, up = np.array([np.cos(slope), np.sin(slope)]), np.array([-np.sin(slope), np.cos(slope)])
    at = np.array([0.1, 0.2]) + 0.3 * along
    body = model.body("slider", mass=1.0, inertia=0.1, position=tuple(at), angle=slope)
    bob = model.link("bob", tuple(at), (at[0], at[1] - 0.5), mass=0.5)
    model.add(mbs.Translational("guide", model.ground.at(0.1, 0.2, angle=slope), body))
    model.add(mbs.Revolute("pin", body, bob.tail))
    table = mbs.Line(model.ground.at(*(at - 0.05 * up), angle=slope))
    model.add(mbs.Contact("touch", table, mbs.Box(body, (0.2, 0.1)), friction=0.3))
    return model, {}


def wheel():
    """In space; its axle is guided along a floor."""
    model = mbs.SpatialModel("wheel", gravity=(0, 0, -G))
    inertia, at = (0.03, 0.03, 0.03), (0, 0, 0.25)
    frame, ball = (model.body(name, mass=1.0, inertia=inertia, position=at) for name in ("frame", "ball"))
    along = {"axis": (1, 0, 0)}
    model.add(mbs.Translational("guide", model.ground.at(*at, **along), frame.at(0, 0, 0, **along)))
    model.add(mbs.Spherical("axle", frame, ball))
    model.add(mbs.Contact("touch", mbs.Plane(model.ground), mbs.Sphere(ball, 0.25), friction=0.3))
    return model, {"frame.vx": 1.0, "ball.wx": 0.0, "ball.wy": 2.0, "ball.wz": 0.5}


MODELS = {"wheels": wheels, "slider": slider, "wheel": wheel}


def same_motion(kept, free):
    for name in free.names:
        if name.rpartition(".")[2] in ("x", "y", "vx", "vy", "omega", "wy"):
            assert kept[name] == pytest.approx(free[name], abs=1e-12), name


@pytest.mark.parametrize(
    ("name", "coordinates", "options"),
    covering(
        [case(name, *one) for name in MODELS for one in EVERYWHERE],
        lambda one: [(one.values[0], shows) for shows in shown(*one.values[1:])],
    ),
)
def test_the_motion_is_that_without_them(name, coordinates, options):
    model, start = MODELS[name]()
    kept = mbs.simulate(model.compile(coordinates), TIMES, start, **options)
    free = mbs.simulate(model.without("touch").compile(coordinates), TIMES, start, **options)
    same_motion(kept, free)
    assert not np.abs(kept.reaction("touch")).max() and not kept.impacts
    assert {*np.ravel(kept.modes["touch"])} >= {"kept"} and not kept.is_unique("touch").all()
    assert "joints alone keep Contact 'touch' closed" in kept.message and not free.message


def test_beside_one_that_closes(monkeypatch):
    """A stop takes the pendulum, whatever its wheels do; by the sparse matrix as well."""
    for few, options in ((40, METHODS[0]), (0, METHODS[1])):
        monkeypatch.setattr(rows_of_contacts, "FEW", few)
        model, start = wheels()
        model.add(mbs.Stop("stop", mbs.angle(model.ground, model.bodies["arm"]), lower=-2.0, restitution=0.4))
        kept = mbs.simulate(model, TIMES, start, **options)
        same_motion(kept, mbs.simulate(model.without("touch"), TIMES, start, **options))
        assert len(kept.impacts) == 1 and kept.impacts[0].contacts == ("stop",)


@everywhere
def test_a_slip_that_a_guide_does_not_let(coordinates, options):
    """The floor carries the weight; the guide takes all that pushes along it."""
    model = mbs.PlanarModel("guided", gravity=(0, -G))
    body = model.body("b", mass=2.0, inertia=0.1, position=(0, 0.1))
    upright = {"angle": np.pi / 2}
    guide = mbs.Translational("guide", model.ground.at(0, 0, **upright), body.at(0, 0, **upright))
    model.add(guide, mbs.Force("push", body, (3.0, 0)))
    model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Point(body), friction=0.4))
    run = mbs.simulate(model.compile(coordinates), [0, 1], **options)
    assert run.reaction("floor")[-1, :2] == pytest.approx([0, 2 * G], abs=1e-9)
    assert run.reaction("guide")[-1, :2] == pytest.approx([-3, 0], abs=1e-9) and run.modes["floor"][-1] == "sticks"


@everywhere
def test_what_a_driver_presses_is_refused(coordinates, options):
    model = mbs.PlanarModel("press")
    plate = model.body("plate", mass=1.0, inertia=0.1, position=(0, 0.4))
    model.add(mbs.Translational("guide", model.ground.at(0, 0, angle=np.pi / 2), plate.at(0, 0, angle=np.pi / 2)))
    model.add(mbs.Driver("down", mbs.y(plate), 0.4 - mbs.t))
    model.add(mbs.Contact("bed", mbs.Line(model.ground), mbs.Point(plate)))
    with pytest.raises(IntegrationError, match="Contact 'bed' in 'press' keep .* squeezed") as it:
        mbs.simulate(model.compile(coordinates), TIMES, **options)
    assert it.value.time == pytest.approx(0.4, abs=2e-6 + options.get("step", 0.0))


def test_a_dead_point_is_left():
    """A slider at the end of its way touches a stop there: at this moment no force along it moves anything. It falls
    away from it, and comes back to a stop that is as good as ever."""
    r, l = 0.1, 0.3
    model = mbs.PlanarModel("dead point", gravity=(0, -G))
    crank, rod = model.link("crank", (0, 0), (r, 0), mass=0.5), model.link("rod", (r, 0), (r + l, 0), mass=0.5)
    slider = model.body("slider", mass=1.0, inertia=0.01, position=(r + l, 0))
    model.add(mbs.Revolute("O", model.ground, crank.tail), mbs.Revolute("A", crank.head, rod.tail))
    model.add(mbs.Revolute("B", rod.head, slider), mbs.Translational("guide", model.ground, slider))
    free = mbs.simulate(model, TIMES / 10)
    model.add(mbs.Stop("stop", mbs.x(slider), upper=r + l))
    run = mbs.simulate(model, TIMES / 10)
    assert run["crank.angle"] == pytest.approx(free["crank.angle"], abs=1e-6) and run["stop.gap"][-1] > 1e-2
    assert "'stop'" in run.message and not np.abs(run["stop.force"]).max()
