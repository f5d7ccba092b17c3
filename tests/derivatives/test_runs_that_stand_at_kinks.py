"""Derivatives of runs that stand where the slope of a law jumps, or where the state of a contact ends."""

import numpy as np
import pytest
import sympy as sp
from refusals import refused
from test_events_from_steps import difference_whole_runs, from_steps

import mbs_dae as mbs

TIMES, REST = [0, 0.3, 1.0], {"b.x": 0.0, "b.vx": 0.0}


def body_on_guide(law, coordinates: str = "cartesian"):
    """A body of 1 kg at x = 0 on a guide, pushed along by a law of x, v and a parameter p = 0."""
    model = mbs.PlanarModel("law")
    body, p = model.body("b", mass=1.0, inertia=0.2, position=(0, 0)), model.parameter("p", 0.0)
    stiffness = model.parameter("k", 50.0)
    model.add(mbs.Translational("guide", model.ground, body))
    x, v = model["guide.displacement"], model["guide.velocity"]
    model.add(mbs.Force("push", body, (law(x, v, p, stiffness), 0)))
    return model.compile(coordinates=coordinates)


KINKS = {
    "friction of a size": (lambda x, v, p, k: -sp.Abs(v) + p, "p"),
    "a spring that touches": (lambda x, v, p, k: k * sp.Max(0, -x), "b.x"),
    "the gap of a spring": (lambda x, v, p, k: k * sp.Max(0, p - x), "p"),
    "a load that sets in": (lambda x, v, p, k: -sp.Abs(v) + p * sp.Max(0, mbs.t - 0.5), "p"),
}


@pytest.mark.parametrize("method", ["DP5", "Radau5"])
@pytest.mark.parametrize("coordinates", ["cartesian", "joint"])
@pytest.mark.parametrize("case", KINKS)
def test_there_is_no_derivative_where_the_slope_jumps(case, coordinates, method):
    """Neighbours on both sides move by other laws: v' = -v on one side and v' = v on the other."""
    law, by = KINKS[case]
    system = body_on_guide(law, coordinates)
    run = mbs.simulate(system, TIMES, REST, derivatives=[by], method=method)
    assert np.isnan(run.d("b.vx", by)[-1]) and "neighbours leave to both sides" in run.stats["derivatives"]
    with refused("no-derivative", mbs.MbsError):
        mbs.gradient(mbs.at_end("b.vx"), system, TIMES, [by], initial=REST)[by]


def test_numbers_that_leave_the_motion_on_the_kink_have_derivatives():
    """By its stiffness, a spring that does not press changes nothing."""
    system = body_on_guide(lambda x, v, p, k: k * sp.Max(0, -x))
    run = mbs.simulate(system, TIMES, REST, derivatives=["k", "b.vx"])
    assert run.d("b.x", "k").tolist() == [0, 0, 0]
    assert np.isnan(run.d("b.x", "b.vx")[-1])


def test_a_small_kink_beside_a_large_change_is_found(monkeypatch):
    """A second body has 2,000 times the change with p of the body on the kink."""
    difference_whole_runs(monkeypatch)
    model = mbs.PlanarModel("two bodies")
    p = model.parameter("p", 0.0)
    for name, mass, y in (("b", 1.0, 0), ("light", 5e-4, 1)):
        body = model.body(name, mass=mass, inertia=0.2 * mass, position=(0, y))
        model.add(mbs.Translational(f"guide {name}", model.ground.at(0, y), body))
        drag = sp.Abs(model[f"{name}.vx"]) if name == "b" else 0
        model.add(mbs.Force(f"push {name}", body, (p - drag, 0)))
    run = mbs.simulate(model, TIMES, {"b.x": 0.0, "light.x": 0.0}, derivatives=["p"])
    assert run.d("light.vx", "p") == pytest.approx([0, 600, 2000], rel=1e-8)
    assert np.isnan(run.d("b.vx", "p")[1:]).all() and "by p" in run.stats["derivatives"]


def test_a_load_before_the_kink_has_derivatives_up_to_it():
    """An event sets v = 0 where -|v| has its kink: x = 0.4 there."""
    model = mbs.PlanarModel("law")
    body, p = model.body("b", mass=1.0, inertia=0.2, position=(0, 0)), model.parameter("p", 0.0)
    model.add(mbs.Translational("guide", model.ground, body))
    model.add(mbs.Force("push", body, (p - sp.Abs(model["guide.velocity"]), 0)))
    model.add(mbs.Event("catch", model["guide.displacement"] - 0.4, action=mbs.Reset({"guide.velocity": 0.0})))
    run = mbs.simulate(model, [0, 0.3, 2.0], {"b.x": 0.0, "b.vx": 1.0}, derivatives=["p", "b.vx"])
    assert run.d("b.vx", "p")[1] == pytest.approx(1 - np.exp(-0.3), abs=1e-8)
    assert run.d("b.x", "b.vx") == pytest.approx([0, 1 - np.exp(-0.3), 0], abs=1e-8)
    assert np.isnan(run.d("b.vx", "p")[-1]) and "neighbours" in run.stats["derivatives"]


@pytest.mark.parametrize(("load", "slope"), [(0.0, np.nan), (1.0, 0.0)])
def test_a_disk_that_touches_without_load_has_no_derivative_by_the_load(load, slope):
    """A load downwards changes nothing, and one upwards lifts the disk by 1/2 m for each N."""
    model = mbs.PlanarModel("disk")
    p = model.parameter("p", load)
    disk = model.body("disk", mass=1.0, inertia=0.004)
    model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Disk(disk, 0.1), restitution=0.0))
    model.add(mbs.Force("load", disk, (0, -p)))
    still = dict.fromkeys(["disk.x", "disk.angle", "disk.vx", "disk.vy", "disk.omega"], 0.0)
    run = mbs.simulate(model, TIMES, {"disk.y": 0.1} | still, derivatives=["p"])
    assert run.d("disk.y", "p")[-1] == pytest.approx(slope, abs=1e-12, nan_ok=True)
    assert from_steps(run) and ("derivatives" in run.stats) == (load == 0.0)


@pytest.mark.parametrize(("part", "slope"), [(1.0, np.nan), (1.5, 0.0)])
def test_friction_that_is_used_up_has_no_derivative_by_its_size(part, slope):
    """On an incline the weight of a block along it is G sin α, and friction holds up to μ G cos α."""
    tilt = 0.3
    model = mbs.PlanarModel("incline", gravity=(0, -10.0))
    mu = model.parameter("mu", part * np.tan(tilt))
    block = model.body("block", mass=1.0, inertia=0.1, angle=tilt)
    guide = model.add(mbs.Translational("guide", model.ground.at(0, 0, angle=tilt), block))
    model.add(mbs.DryFriction("rub", mbs.displacement(guide), force=mu * 10 * np.cos(tilt)))
    run = mbs.simulate(model, TIMES, {"block.x": 0.0, "block.vx": 0.0}, derivatives=["mu"])
    assert run.d("block.x", "mu")[-1] == pytest.approx(slope, abs=1e-12, nan_ok=True)
    assert from_steps(run) and ("derivatives" in run.stats) == (part == 1.0)


SMOOTH = {
    "drag of the square of speed": (lambda x, v, p, k: p - sp.Abs(v) * v, {"p": 1.0, "b.vx": 1.0}),
    "Hertz' law": (lambda x, v, p, k: 1e5 * sp.Max(0, -x) ** 1.5, {"b.x": 0.0, "b.vx": 1.0}),
    "a kink that is passed": (lambda x, v, p, k: p + 2 - sp.Abs(v), {"p": 1 - np.exp(-1), "b.vx": np.exp(-1)}),
}


@pytest.mark.parametrize("coordinates", ["cartesian", "joint"])
@pytest.mark.parametrize("case", SMOOTH)
def test_steps_give_derivatives_where_slopes_do_not_jump(case, coordinates):
    """At rest on a surface without a kink, or on its way through it at once, the run has derivatives from its steps."""
    law, expected = SMOOTH[case]
    system = body_on_guide(law, coordinates)
    run = mbs.simulate(system, TIMES, REST, derivatives=[*expected])
    assert from_steps(run)
    for by, slope in expected.items():
        assert run.d("b.vx", by)[-1] == pytest.approx(slope, abs=1e-7)


@pytest.mark.parametrize(("last", "told"), [(0.5, True), (0.49, False)])
def test_a_requested_time_at_which_a_law_switches_has_the_derivative_of_one_side(last, told):
    """A force of 3 N sets in at t = p = 0.5 s: v = v0 + 3 (t - p) behind it, and v0 before it."""
    system = body_on_guide(lambda x, v, p, k: sp.Piecewise((0, mbs.t < p + 0.5), (3, True)))
    run = mbs.simulate(system, [0, last, 1.0], {"b.x": 0.0, "b.vx": 1.0}, derivatives=["p"])
    assert run.d("b.vx", "p") == pytest.approx([0, -3 * told, -3], abs=1e-9)
    assert ("at t = 0.5, where the motion switches" in run.stats.get("derivatives", "")) == told


@pytest.mark.parametrize("method", ["DP5", "Radau5"])
def test_a_slip_that_begins_from_rest_has_no_derivative_by_the_first_velocity(method):
    """1 N pulls against a friction of 1/2 N: a first velocity v forwards stays, and of one backwards v/3 is left."""
    model = mbs.PlanarModel("block")
    pull, size = model.parameter("F", 1.0), model.parameter("D", 0.5)
    block = model.body("b", mass=1.0, inertia=0.1, position=(0, 0))
    guide = model.add(mbs.Translational("guide", model.ground, block))
    model.add(mbs.DryFriction("rubs", mbs.displacement(guide), force=size), mbs.Force("pull", block, (pull, 0)))
    run = mbs.simulate(model, TIMES, REST, derivatives=["F", "D", "b.vx"], method=method)
    assert run.d("b.vx", "F") == pytest.approx(TIMES, abs=1e-9)
    assert run.d("b.vx", "D") == pytest.approx([-t for t in TIMES], abs=1e-9)
    assert np.isnan(run.d("b.vx", "b.vx")[1:]).all() and "neighbours leave" in run.stats["derivatives"]
