"""Laws that switch at certain times: steps end there, the motion is that of the closed form, and what cannot be
followed is refused."""

from __future__ import annotations

from math import cos, pi, sin, sqrt

import numpy as np
import pytest
import sympy as sp
from refusals import refused
from scipy.integrate import quad

import mbs_dae as mbs
from mbs_dae.model.breaks import breaks_of

t = mbs.t
PULSE = sp.Piecewise((100, (t > 5) & (t < 5.1)), (0, True))


def line(*forces) -> mbs.PlanarModel:
    """A block of 1 kg on a guide along x, at rest."""
    model = mbs.PlanarModel("line")
    block = model.body("block", mass=1.0, inertia=1.0)
    model.add(mbs.Translational("guide", model.ground, block), *(make(model, block) for make in forces))
    return model


def force(law):
    return lambda m, b: mbs.Force("F", b, (law(m) if callable(law) else law, 0))


def turned(law) -> mbs.PlanarModel:
    model = mbs.PlanarModel("turned")
    body = model.body("arm", mass=1.0, inertia=1.0)
    model.add(mbs.Revolute("pin", model.ground, body), mbs.Driver("motor", mbs.angle(model.ground, body), law))
    return model


def breaks(law, last=10.0, **parameters):
    model = line()
    values = {name: model.parameter(name, value) for name, value in parameters.items()}
    model.add(mbs.Force("F", model.bodies["block"], (law(**values) if values else law, 0)))
    return breaks_of(model.forces, model.evaluator(), 0.0, last)


LINEAR = mbs.Motion().dwell(1).rise(1.0, over=0.1, law="cycloidal").dwell(0.5).return_(over=0.2, law="3-4-5")
KNOTS = ([0.0, 1.0, 2.5, 4.0, 10.0], [0.0, 1.0, 0.0, 2.0, 0.0])
FOUND = {
    "a pulse": (PULSE, [5, 5.1]),
    "a corner": (sp.Abs(t - 0.5), [0.5]),
    "corners in corners": (sp.Abs(sp.Abs(t - 3) - 1), [2, 3, 4]),
    "the largest": (sp.Max(0, t - 3), [3]),
    "the corners of a vibration": (sp.Abs(sp.sin(t - 1)), [1, 1 + pi, 1 + 2 * pi]),
    "a narrow window of a vibration": (
        sp.Piecewise((1, sp.cos(t - 2) > 0.999), (0, True)),
        [2 + k * 2 * pi + s * np.arccos(0.999) for k in (0, 1) for s in (-1, 1)],
    ),
    "a motion": (LINEAR(t), [1, 1.1, 1.6, 1.8]),
    "a motion of another function": (LINEAR(t**2), np.sqrt([1, 1.1, 1.6, 1.8])),
    "a table": (mbs.Table(*KNOTS, kind="cubic")(t), [1, 2.5, 4]),  # beyond its ends it is not read
    "a periodic table": (mbs.Table([0, 1, 2, 3, 4], [0, 1, 0, -1, 0], periodic=True, kind="cubic")(t), range(11)),
    "nothing of the motion": (sp.sin(t) + t**2, []),
}


@pytest.mark.parametrize("kind", FOUND)
def test_breaks_are_found(kind):
    law, expected = FOUND[kind]
    np.testing.assert_allclose(breaks(law), sorted(expected), rtol=1e-14, atol=1e-15)


def test_breaks_follow_parameters():
    found = breaks(lambda a, b: sp.Piecewise((1, a * t < b), (0, True)), a=3.0, b=2.0)
    np.testing.assert_allclose(found, [2 / 3], rtol=1e-15)


def test_a_periodic_motion_has_its_breaks_in_every_period():
    law = mbs.Motion().rise(1.0, over=0.3, law="harmonic").return_(over=0.7, law="harmonic").repeat()
    found = breaks(law(t + 0.25), last=1000.0)
    whole = np.arange(1001)
    expected = np.sort(np.concatenate([whole + 0.05, whole[1:] - 0.25]))
    np.testing.assert_allclose(found, expected[expected <= 1000], rtol=1e-14)


def test_too_many_breaks_are_refused():
    with refused("too-many-jumps", subject="Force 'F'"):
        mbs.simulate(line(force(sp.Abs(sp.sin(1e8 * t)))), [0.0, 10.0])


@pytest.mark.parametrize("times", [[0, 10], np.linspace(0, 10, 101)], ids=["two times", "many times"])
@pytest.mark.parametrize("how", [{"method": "DP5"}, {"method": "DP8"}, {"method": "RK4", "step": 0.3},
                                 {"method": "Radau5"}, {"method": "GA"}], ids=str)  # fmt: skip
def test_a_pulse_after_a_rest_gives_its_impulse(how, times):
    result = mbs.simulate(line(force(PULSE)), times, **how)
    assert result["block.vx"][-1] == pytest.approx(10, rel=1e-13)
    assert result["block.x"][-1] == pytest.approx(10 * 4.95, rel=1e-13)
    assert result.stats["breaks"] == 2 and result.stats["switches"] == 0


@pytest.mark.parametrize("coordinates", ["cartesian", "natural", "joint"])
@pytest.mark.parametrize("method", ["DP5", "DP8", "Radau5", "GA"])
def test_a_pulse_of_a_thousandth_of_a_second(method, coordinates):
    """1000 N for 5 <= t < 5.001: 1 m/s from then on, x = 5 - 1/2000."""
    model = line(force(sp.Piecewise((1000, (t >= 5) & (t < 5.001)), (0, True))))
    result = mbs.simulate(model.compile(coordinates), [0, 10], method=method)
    assert result["block.x"][-1] == pytest.approx(4.9995, rel=1e-12)
    assert result["block.vx"][-1] == pytest.approx(1.0, rel=1e-12)


def test_a_smooth_pulse_after_a_rest_is_met():
    """It has no break; the law itself says how far a step may go."""
    result = mbs.simulate(line(force(100 * sp.exp(-(((t - 5) / 0.02) ** 2)))), [0, 10])
    assert result["block.vx"][-1] == pytest.approx(100 * 0.02 * sqrt(pi), rel=1e-6)


def test_a_rectangular_pulse_on_a_damped_oscillator():
    """Values from the convolution with the impulse response, in 18 digits: m = 2, c = 0.5, k = 50, 20 N for
    0.3 <= t < 0.45."""
    model = mbs.PlanarModel("oscillator")
    block = model.body("block", mass=2.0, inertia=1.0)
    law = sp.Piecewise((20, (t >= 0.3) & (t < 0.45)), (0, True)) - 50 * model["block.x"] - 0.5 * model["block.vx"]
    model.add(mbs.Translational("guide", model.ground, block), mbs.Force("F", block, (law, 0)))
    result = mbs.simulate(model, [0, 0.375, 0.45, 1, 2], method="DP8", rtol=1e-12)
    x = [0.027624438932680566427, 0.1060080950289495327, 0.0050831840776346564679, 0.23074062546841998856]
    v = [0.72572027138183135103, 1.3380357183613208871, -1.3554244778029397449, -0.34468484853236128955]
    np.testing.assert_allclose(result["block.x"][1:], x, atol=1e-11)
    np.testing.assert_allclose(result["block.vx"][1:], v, atol=1e-10)


STIFFNESS, PUSHED = 9.0, 0.337
ROUGH = {
    "jumps": (sp.Piecewise((0, t < PUSHED), (1, True)), lambda s: (1 - cos(3 * s)) / 9),
    "bends": (sp.Max(t - PUSHED, 0), lambda s: s / 9 - sin(3 * s) / 27),
}


@pytest.mark.parametrize(
    ("method", "order", "count"),
    [("RK4", 4, 40), ("DP5", 5, 20), ("DP8", 8, 6), ("Radau5", 5, 20), ("GA", 2, 100)],
)
@pytest.mark.parametrize("kind", ROUGH)
def test_the_order_of_a_method_is_kept_across_a_force_that(kind, method, order, count):
    """x'' + 9 x = F: the spring swings from x = 1 / 2, what the force adds is known."""
    law, added = ROUGH[kind]
    model = line(force(lambda m: law - STIFFNESS * m["block.x"]))
    exact = 0.5 * cos(6) + added(2 - PUSHED)
    errors = []
    for n in (count, 2 * count):
        run = mbs.simulate(model, [0, 2], {"block.x": 0.5, "block.vx": 0.0}, method=method, step=2 / n)
        errors.append(abs(run["block.x"][-1] - exact))
    assert np.log2(errors[0] / errors[1]) > order - 0.6


def test_at_a_jump_the_later_value_is_recorded():
    result = mbs.simulate(line(force(sp.Piecewise((0, t <= 0.5), (3, True)))), [0, 0.25, 0.5, 0.75])
    np.testing.assert_allclose(result["block.ax"], [0, 0, 3, 3], atol=1e-14)


def test_a_break_at_zero_is_zero():
    model = line(force(sp.Max(t, 0)))
    assert breaks_of(model.forces, model.evaluator(), -0.3, 0.1).tolist() == [0.0]


def driven(law) -> mbs.PlanarModel:
    model = line()
    return model.plus(mbs.Driver("motor", mbs.displacement(model.elements["guide"]), law))


BENT = {
    "a corner": sp.Max(0, t - 0.3) ** 2,
    "a condition with the earlier value there": sp.Piecewise((0, t <= 0.3), ((t - 0.3) ** 2, True)),
    "a condition that roundoff moves": sp.Piecewise((0, t - 0.1 < 0.2), ((t - 0.3) ** 2, True)),
}


@pytest.mark.parametrize("when", [0.3, 0.1 + 0.2])
@pytest.mark.parametrize("verb", [mbs.simulate, mbs.kinematics, mbs.inverse_dynamics], ids=lambda verb: verb.__name__)
@pytest.mark.parametrize("kind", BENT)
def test_at_a_switch_all_verbs_read_the_later_value(kind, verb, when):
    times = [0.0, when, 0.5]
    result = verb(driven(BENT[kind]), times)
    np.testing.assert_allclose(result["block.ax"], [0, 2, 2], atol=1e-9)
    assert result.t.tolist() == times and result.state(1).t == when
    if verb is not mbs.kinematics:
        np.testing.assert_allclose(result.effort("motor"), [0, 2, 2], atol=1e-9)


def test_the_later_value_is_read_at_time_zero_of_a_run_that_begins_before():
    law = mbs.Motion().rise(0.5, over=0.4, law="harmonic")
    for verb in (mbs.simulate, mbs.kinematics):
        result = verb(driven(law), [-0.3, 0.0, 0.1])
        assert result["block.ax"][1] == pytest.approx(0.25 * (pi / 0.4) ** 2, rel=1e-9)


def test_forces_at_a_switch_are_those_of_the_recorded_acceleration():
    result = mbs.simulate(line(force(sp.Piecewise((3, t <= 0.5), (0, True)))), [0, 0.5, 0.75])
    np.testing.assert_allclose(result.reaction("F")[:, 0], result["block.ax"], atol=1e-14)
    np.testing.assert_allclose(result["block.ax"], [3, 0, 0], atol=1e-14)


def test_at_the_end_of_a_table_its_last_value_is_read():
    law = mbs.Table([0, 1, 2, 3], [0.0, 1.0, 0.0, 2.0], kind="cubic")(t)
    runs = [verb(driven(law), [0, 1.5, 3]) for verb in (mbs.simulate, mbs.kinematics)]
    assert abs(runs[1]["block.ax"][-1]) > 1
    np.testing.assert_allclose(runs[0]["block.ax"], runs[1]["block.ax"], atol=1e-6)


def test_a_dwell_and_a_rise_are_followed():
    """Between two recorded times the arm rises and returns."""
    law = mbs.Motion().dwell(1).rise(1.0, over=0.1, law="cycloidal").dwell(0.5).return_(over=0.1, law="cycloidal")
    result = mbs.simulate(turned(law), [0, 1.3, 3], stabilization=mbs.Projection())
    np.testing.assert_allclose(result["arm.angle"], [0, 1, 0], atol=1e-12)
    assert np.abs(result.energy.error).max() < 1e-6 * 200  # the energy of the arm on its way, at 20 rad/s


VERBS = [mbs.simulate, mbs.kinematics, mbs.inverse_dynamics]
RAMP = sp.Piecewise((0, t < 0.3), (10 * (t - 0.3), True))
JUMPS = {
    "a ramp": (RAMP, "velocity", 0.3),
    "a corner": (sp.Abs(t - 0.5), "velocity", 0.5),
    "constant velocity": (mbs.Motion().rise(1, over=0.7, law="constant velocity"), "velocity", 0.7),
    "a step": (sp.Piecewise((0.6, t < 0.3), (1.0, True)), "position", 0.3),
}


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.__name__)
@pytest.mark.parametrize("kind", JUMPS)
def test_prescribed_motion_that_jumps_is_refused(kind, verb):
    law, what, when = JUMPS[kind]
    with refused("jump", mentions=[what, f"t = {when}", "motor"]) as told:
        verb(turned(law), [0, 1])  # whatever the times
    assert told.value.time == pytest.approx(when) and not told.value.result.success


def test_a_driven_trajectory_that_jumps_is_refused():
    model = mbs.PlanarModel("plate")
    plate = model.body("plate", mass=1.0, inertia=1.0)
    model.add(mbs.PoseDriver("path", plate, position=(sp.Abs(t - 0.25), 0), rotation=0))
    with refused("jump", time=0.25, joints=["path"]):
        mbs.kinematics(model, [0, 1])


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.__name__)
def test_where_prescribed_acceleration_jumps_is_told(verb):
    bent = sp.Piecewise((0, t < 0.3), (10 * (t - 0.3) ** 2, True))
    assert verb(turned(bent), [0, 0.5, 1]).stats["kinks"] == {"motor": [0.3]}
    assert "kinks" not in verb(turned(LINEAR), [0, 0.5, 1.7]).stats


def test_steps_are_no_longer_than_asked_for():
    result = mbs.simulate(line(force(1.0)), [0, 1], max_step=0.01)
    assert result.stats["accepted"] >= 100


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"max_step": 0}, ("not-positive", "max_step", "0")),
        ({"max_step": 0.1, "step": 0.1}, ("contradictory-arguments",)),
        ({"max_steps": 0}, ("not-positive", "max_steps", "0")),
        ({"max_steps": 1.5}, ("not-an-integer", "max_steps", "1.5")),
    ],
)
def test_bounds_of_steps_are_checked(more, words):
    with refused(words[0], mentions=words[1:]):
        mbs.simulate(line(), [0, 1], **more)


def test_a_force_that_chatters_ends_the_run_and_is_named():
    def rubs(t, i):  # it does not say where it switches
        return [(-10.0 if i.velocity[0] > 0 else 10.0, 0.0)]

    model = line(lambda m, b: mbs.PythonForce("F", b, function=rubs))
    with refused("too-many-steps", mbs.IntegrationError, joints=["guide"], mentions="F") as told:
        mbs.simulate(model, [0, 0.05, 0.5], {"block.vx": 1.0}, max_steps=2000)
    assert told.value.time == pytest.approx(0.1, abs=0.01) and len(told.value.result) == 2


def test_a_force_beyond_all_bounds_ends_the_run_at_once_and_is_named():
    model = line(lambda m, b: mbs.Spring("s", m.ground, b.at(1, 0), law=1e308))
    with refused("steps-too-short", mbs.IntegrationError, joints=["guide"], mentions="s"):
        mbs.simulate(model, [0, 1], max_steps=2000)


def test_fixed_steps_end_after_so_many_as_are_allowed():
    model = mbs.PlanarModel()
    model.add(mbs.Force("F", model.body("b", 1.0, 1.0), (mbs.t, 0)))
    with refused("too-many-steps", mbs.IntegrationError, time=0.005):
        mbs.simulate(model, [0, 1], step=1e-3, max_steps=5)


FUNCTIONS = [sp.erf(mbs.t), sp.gamma(mbs.t + 1), sp.loggamma(mbs.t + 1), sp.Min(0.5, sp.erfc(mbs.t))]


@pytest.mark.parametrize("law", [*FUNCTIONS, sp.Abs(sp.erf(mbs.t - 0.5))])
def test_laws_of_time_may_have_any_function_that_kernels_have(law):
    model = mbs.PlanarModel()
    model.add(mbs.Force("F", model.body("b", 1.0, 1.0), (law, 0)))
    moved = mbs.simulate(model, [0.0, 1.0], rtol=1e-10)["b.vx"][-1]
    exact = quad(sp.lambdify(mbs.t, law, ["scipy", "numpy"]), 0, 1, points=[0.47693627620447, 0.5], epsabs=1e-13)[0]
    assert moved == pytest.approx(exact, rel=1e-8)


def test_a_condition_may_be_chosen_by_another():
    model = mbs.PlanarModel()
    law = sp.Piecewise((1, sp.ITE(mbs.t > 0.2, mbs.t > 0.4, mbs.t < 0.1)), (0, True))
    model.add(mbs.Force("F", model.body("b", 1.0, 1.0), (law, 0)))
    assert mbs.simulate(model, [0.0, 1.0])["b.vx"][-1] == pytest.approx(0.7, abs=1e-9)
