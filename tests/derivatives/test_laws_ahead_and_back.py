"""Derivatives of runs whose laws switch, exact in every step: ahead and back through the same switches."""

from typing import Any

import mpmath as mp
import numpy as np
import pytest
import sympy as sp

import mbs_dae as mbs
from mbs_dae.derivatives.runs.gradients import adjoints, goes_back

CLOSE = 1e-12
TIMES = np.linspace(0, 1, 9)


def with_bumpers(random: np.random.Generator, dimension: int) -> tuple[Any, dict[str, float], list[str]]:
    """A chain of one to three rods with bumpers at their pins, with and without a step in their moments, and with
    friction that bends with speed; and a moment that sets in at a time. Returned with its first speeds and the names of
    its parameters."""
    count = int(random.integers(1, 4))
    model: Any = (mbs.PlanarModel if dimension == 2 else mbs.SpatialModel)("bumpers", gravity=(0, -9.81, 0)[:dimension])
    end, start = model.ground.at(*(0.0,) * dimension), dict[str, float]()
    for k in range(count):
        m, stiff, place = (
            model.parameter(f"{name}{k}", random.uniform(*span))
            for name, span in (("m", (0.3, 0.8)), ("k", (5, 60)), ("a", (0.1, 0.6)))
        )
        at = (0.3 * k + 0.15, 0.0, 0.0)[:dimension]
        inertia = 0.01 * m if dimension == 2 else (0.01 * m, 0.012 * m, 0.008 * m)
        rod = model.body(f"rod{k}", m, inertia, position=at)
        pin = model.add(mbs.Revolute(f"pin{k}", end, rod.at(*(-0.15, 0.0, 0.0)[:dimension])))
        end, start[f"pin{k}.omega"] = rod.at(*(0.15, 0.0, 0.0)[:dimension]), random.uniform(-4, 2)
        angle, turns = model[f"pin{k}.angle"], model[f"pin{k}.omega"]
        law = sp.Piecewise((-stiff * (angle + place) + random.uniform(-1.5, 1.5), angle < -place), (0, True))
        model.add(mbs.Torque(f"bumper{k}", pin, law - sp.Max(0, turns) / 50 - turns / 100))
    late, moment = model.parameter("late", random.uniform(0.1, 0.5)), model.parameter("moment", 0.3)
    model.add(mbs.Torque("push", pin, sp.Piecewise((0, mbs.t < late), (moment, True))))
    return model, start, [*model.parameters]


@pytest.mark.parametrize("method", ["DP5", "DP8", "RK4", "Radau5", "GA"])
@pytest.mark.parametrize(("seed", "dimension"), [(0, 2), (1, 2), (2, 2), (3, 3), (4, 3)])
def test_adjoint_and_forward_derivatives_through_random_bumpers_agree(seed, dimension, method):
    random = np.random.default_rng(seed)
    model, start, names = with_bumpers(random, dimension)
    steps: dict[str, Any] = {"step": 2e-3} if method in ("RK4", "GA") else {"rtol": 1e-7}
    by = [*names, *start]
    result = mbs.simulate(model, TIMES, start, method=method, derivatives=by, **steps)
    assert result.stats["switches"] > 0 and goes_back(result) and "derivatives" not in result.stats
    weights = {name: random.normal(size=(2, *result[name].shape)) for name in ("pin0.omega", "rod0.x", "pin0.Fx")}
    back = adjoints(result, weights)
    for k, name in enumerate(by):
        ahead, size = np.zeros(2), np.zeros(2)
        for array, own in weights.items():
            terms = (own * result.d(array, name)).reshape(2, -1)
            ahead, size = ahead + terms.sum(axis=1), size + np.abs(terms).sum(axis=1)
        assert (np.abs(back[:, k] - ahead) <= CLOSE * size).all(), name


@pytest.mark.parametrize("seed", range(6))
def test_random_bumpers_against_differences_of_runs(seed):
    random = np.random.default_rng(seed)
    model, start, names = with_bumpers(random, 2)
    how: dict[str, Any] = {"method": "DP8", "rtol": 1e-12}
    result = mbs.simulate(model, TIMES, start, derivatives=names, **how)
    for name in names:
        value = model.parameters[name].value
        h = 2e-5 * value
        beside = {c: model.with_parameters(**{name: value + c * h}) for c in (-2, -1, 1, 2)}
        found = {c: mbs.simulate(one, TIMES, start, **how) for c, one in beside.items()}
        for array in ("pin0.omega", "rod0.x"):
            x = {c: one[array] for c, one in found.items()}
            near, far = x[1] - x[-1], x[2] - x[-2]
            wanted, unsure = (8 * near - far) / (12 * h), np.abs(far - 2 * near) / h
            assert (np.abs(result.d(array, name) - wanted) <= 1e-6 * np.abs(wanted).max() + unsure).all(), (name, array)


@pytest.mark.parametrize("jump", [0.0, 3.0], ids=["continuous", "with a step"])
def test_a_spring_behind_a_gap_against_its_closed_form(jump):
    """A block of 2 kg meets a spring (and a constant force) behind the gap d and comes back: by d, k and its first
    speed, differentiated in 40 digits."""
    mp.mp.dps = 40
    model = mbs.PlanarModel("buffer")
    gap, stiffness = model.parameter("d", 0.3), model.parameter("k", 50.0)
    block = model.body("block", mass=2.0, inertia=0.1)
    model.add(mbs.Translational("guide", model.ground, block))
    x = model["block.x"]
    model.add(mbs.Force("spring", block, (sp.Piecewise((-stiffness * (x - gap) - jump, x > gap), (0, True)), 0)))

    def place(t, d, k, v):
        w, rest, s = mp.sqrt(k / 2), d - jump / k, t - d / v
        a, b = d - rest, v / w
        out = 2 * mp.atan2(b, a) / w
        return v * t if s < 0 else rest + a * mp.cos(w * s) + b * mp.sin(w * s) if s < out else d - v * (s - out)

    values = {"d": 0.3, "k": 50.0, "block.vx": 2.0}
    times, start = np.array([0.0, 0.1, 0.3, 0.45, 0.8]), {"block.x": 0.0, "block.vx": 2.0}
    result = mbs.simulate(model, times, start, method="DP8", rtol=1e-13, derivatives=[*values])
    back = adjoints(result, {"block.x": np.eye(times.size)})
    for at, by in enumerate(values):
        for k, t in enumerate(times):
            own = [*map(mp.mpf, values.values())]
            order = tuple(int(n == at) for n in range(3))
            slope = float(mp.diff(lambda *p, t=t: place(mp.mpf(float(t)), *p), own, order))
            assert abs(result.d("block.x", by)[k] - slope) < 1e-9 * max(1.0, abs(slope)), (by, t)
            assert abs(back[k, at] - slope) < 1e-9 * max(1.0, abs(slope)), (by, t)


def test_a_law_that_holds_the_motion_has_differences_of_runs():
    """sign() of a speed sticks to its surface there: against differences of runs."""
    model = mbs.PlanarModel("belt")
    force = model.parameter("F", 4.0)
    block = model.body("block", mass=2.0, inertia=0.1)
    model.add(mbs.Translational("guide", model.ground, block))
    x, v = model["block.x"], model["block.vx"]
    model.add(mbs.Force("forces", block, (-80 * x - force * sp.sign(v - sp.Rational(1, 5)) - 2 * v, 0)))
    times, start = [0.0, 0.3, 0.6, 1.5], {"block.x": 0.1, "block.vx": 0.0}
    result = mbs.simulate(model, times, start, derivatives=["F"], rtol=1e-10)
    assert not goes_back(result)
    h = 1e-4
    beside = (mbs.simulate(model.with_parameters(F=4 + c * h), times, start, rtol=1e-12) for c in (1, -1))
    one, other = (run["block.x"] for run in beside)
    np.testing.assert_allclose(result.d("block.x", "F"), (one - other) / (2 * h), atol=1e-7)


@pytest.mark.parametrize("depth", [1e-10, 1e-8, 1e-4])
def test_a_force_that_is_met_for_a_moment(depth):
    """A block on a spring, x = sin(2t)/2, meets a force of -3 N behind d = 1/2 - depth, and leaves it again: by d,
    against the closed form, which changes with 1/√depth."""
    mp.mp.dps = 40
    model = mbs.PlanarModel("turns")
    place = model.parameter("d", 0.5 - depth)
    block = model.body("block", mass=1.0, inertia=0.1)
    model.add(mbs.Translational("guide", model.ground, block))
    x = model["block.x"]
    model.add(mbs.Force("forces", block, (sp.Piecewise((-3, x > place), (0, True)) - 4 * x, 0)))
    how: dict[str, Any] = {"method": "DP8", "rtol": 1e-13, "max_step": 0.05}
    result = mbs.simulate(model, [0.0, 0.5, 1.2], {"block.x": 0.0, "block.vx": 1.0}, derivatives=["d"], **how)

    def place_at_end(d):
        v, inside = mp.sqrt(1 - 4 * d * d), mp.atan2(mp.sqrt(1 - 4 * d * d) / 2, d + mp.mpf(3) / 4)
        s = mp.mpf("1.2") - mp.asin(2 * d) / 2 - inside
        return d * mp.cos(2 * s) - v / 2 * mp.sin(2 * s)

    wanted = float(mp.diff(place_at_end, mp.mpf(0.5 - depth), h=mp.mpf("1e-18")))
    assert result.stats["switches"] == 2
    assert result.d("block.x", "d")[1] == 0.0
    assert result.d("block.x", "d")[2] == pytest.approx(wanted, rel=1e-13 / depth + 1e-9)


def test_what_touches_a_step_of_force_has_no_derivative():
    """A ball is thrown 1e-12 m above a height at which a force sets in: it does not come to slightly larger heights."""
    model = mbs.PlanarModel("thrown", gravity=(0, -10.0))
    height = model.parameter("h", 1.25 - 1e-12)
    ball = model.body("ball", mass=1.0, inertia=0.1)
    model.add(mbs.Force("lift", ball, (0, sp.Piecewise((2, model["ball.y"] > height), (0, True)))))
    start = {"ball.x": 0.0, "ball.y": 0.0, "ball.angle": 0.0, "ball.vx": 0.0, "ball.vy": 5.0, "ball.omega": 0.0}
    result = mbs.simulate(model, [0.0, 0.2, 0.8], start, derivatives=["h"], max_step=0.05)
    slope = result.d("ball.y", "h")
    assert result.stats["switches"] > 0
    assert slope[1] == 0.0 and np.isnan(slope[-1])
    assert "touches where it switches, and does not pass" in result.stats["derivatives"]


def test_laws_of_time_and_of_the_motion_that_switch_at_once_are_told():
    """A block at x = t comes to x = 1 at the time T = 1 at which the law itself changes."""
    model = mbs.PlanarModel("at once")
    T = model.parameter("T", 1.0)
    block = model.body("block", mass=1.0, inertia=0.1)
    model.add(mbs.Translational("guide", model.ground, block))
    x = model["block.x"]
    law = sp.Piecewise((sp.Piecewise((0, x < 1), (2, True)), mbs.t < T), (sp.Piecewise((1, x < 1), (5, True)), True))
    model.add(mbs.Force("force", block, (law, 0)))
    result = mbs.simulate(model, [0.0, 0.5, 2.0], {"block.x": 0.0, "block.vx": 1.0}, derivatives=["T"])
    assert np.isnan(result.d("block.x", "T")[-1])
    assert "laws of time and of the motion switch at once" in result.stats["derivatives"]


def test_a_law_of_many_teeth_far_from_zero():
    """A floor of place whose number is 10⁴: how far a place is from the end of its tooth counts, and not its number."""
    model = mbs.PlanarModel("teeth")
    tooth = model.parameter("p", 1e-4)
    block = model.body("block", mass=1.0, inertia=0.1)
    model.add(mbs.Translational("guide", model.ground, block))
    model.add(mbs.Force("push", block, (-sp.floor(model["block.x"] / tooth) / 100000, 0)))
    start, times = {"block.x": 1.00003, "block.vx": 0.2}, [0.0, 0.001, 0.002]

    def end(p: float) -> np.ndarray:
        run = mbs.simulate(model.with_parameters(p=p), times, start, rtol=1e-12)
        return np.array([run["block.x"], run["block.vx"]])

    result = mbs.simulate(model, times, start, rtol=1e-10, derivatives=["p"])
    assert result.stats["switches"] == 4 and "derivatives" not in result.stats
    h = 1e-11
    wanted = (end(1e-4 + h) - end(1e-4 - h)) / (2 * h)
    found = np.array([result.d("block.x", "p"), result.d("block.vx", "p")])
    assert found == pytest.approx(wanted, rel=1e-4, abs=1e-4 * np.abs(wanted).max())


def test_a_switch_at_the_end_of_a_step_is_read_once():
    """A block with the velocity 1 comes to d within 1e-14 s behind a requested time on which a step of RK4 ends."""
    model = mbs.PlanarModel("on the grid")
    place, force = model.parameter("d", 0.25), model.parameter("F", 3.0)
    block = model.body("block", mass=1.0, inertia=0.1)
    model.add(mbs.Translational("guide", model.ground, block))
    model.add(mbs.Force("push", block, (sp.Piecewise((force, model["block.x"] > place), (0, True)), 0)))
    times, start = np.array([0.0, 0.125, 0.25, 0.375, 0.5]), {"block.x": 0.0, "block.vx": 1.0}
    for d in (0.25, 0.25 + 3e-15, 0.25 - 3e-15, 0.25 + 1e-12):
        own = model.with_parameters(d=d)
        result = mbs.simulate(own, times, start, method="RK4", step=0.125, derivatives=["d", "F", "block.vx"])
        back = adjoints(result, {"block.x": np.eye(times.size), "block.vx": np.eye(times.size)})
        ahead = [result.d("block.x", by) + result.d("block.vx", by) for by in ("d", "F", "block.vx")]
        np.testing.assert_allclose(back.T, ahead, rtol=1e-12, atol=1e-12)
