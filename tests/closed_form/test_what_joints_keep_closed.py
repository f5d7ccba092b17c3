"""Contacts that joints alone keep closed: the motion is that without them, they carry no force, and it is told. What
joints press together is refused; a dead point is none of both."""

from __future__ import annotations

import numpy as np
import pytest
from covering import covering
from refusals import refused
from what_joints_keep import MODELS, G, dead_point, guided, wheels

import mbs_dae as mbs
from mbs_dae.compiled import contacts as rows_of_contacts
from mbs_dae.errors import IntegrationError

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
    model = guided()
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
    with refused("bodies-squeezed", IntegrationError, joints=["Contact 'bed'"], mentions="press") as it:
        mbs.simulate(model.compile(coordinates), TIMES, **options)
    assert it.value.time == pytest.approx(0.4, abs=2e-6 + options.get("step", 0.0))


def test_a_dead_point_is_left():
    """A slider at the end of its way touches a stop there: at this moment no force along it moves anything. It falls
    away from it, and comes back to a stop that is as good as ever."""
    model = dead_point()
    free = mbs.simulate(model.without("stop"), TIMES / 10)
    run = mbs.simulate(model, TIMES / 10)
    assert run["crank.angle"] == pytest.approx(free["crank.angle"], abs=1e-6) and run["stop.gap"][-1] > 1e-2
    assert "'stop'" in run.message and not np.abs(run["stop.force"]).max()
