"""Events do not touch the run; those on what contacts hold follow the contacts; changes of contacts are listed."""

from math import atan2, cos, exp, pi, sin, sqrt

import numpy as np
import pytest
import sympy as sp
from refusals import refused

import mbs_dae as mbs

g = 9.81
SETS = ["cartesian", "natural", "joint"]


def bouncing(restitution=0.5):
    model = mbs.PlanarModel("ball", gravity=(0, -g))
    ball = model.body("ball", mass=1.0, inertia=0.01, position=(0, 1.0))
    floor = model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Point(ball), restitution=restitution))
    return model, {"ball.vx": 0.0, "ball.vy": 0.0, "ball.omega": 0.0}, floor


def hinge(force=0.55):
    model = mbs.PlanarModel("dry hinge", gravity=(0, -g))
    rod = model.body("rod", 2.0, 2 * 0.8**2 / 12, com=(0, -0.4), angle=-2.1)
    pin = model.add(mbs.Revolute("pin", model.ground, rod))
    rub = model.add(mbs.DryFriction("rub", mbs.angle(pin), force=force))
    return model, {"rod.omega": 0.0}, rub


def incline(slope=0.45):
    model = mbs.PlanarModel("incline", gravity=(0, -g))
    block = model.body("block", 3.0, 0.01)
    plane = mbs.Line(model.ground.at(0, 0, angle=slope))
    rub = model.add(mbs.Contact("rub", plane, mbs.Point(block), friction=0.35, static_friction=0.55))
    return model, {"block.vx": 4.2 * cos(slope), "block.vy": 4.2 * sin(slope), "block.omega": 0.0}, rub


def alley():
    model = mbs.PlanarModel("disk", gravity=(0, -g))
    disk = model.body("disk", mass=3.0, inertia=3.0 * 0.2**2 / 2, position=(0, 0.2))
    lane = model.add(mbs.Contact("lane", mbs.Line(model.ground), mbs.Disk(disk, 0.2), friction=0.25))
    return model, {"disk.vx": 3.0}, lane


@pytest.mark.parametrize("how", [{}, {"method": "Radau5", "rtol": 1e-6}, {"method": "GA", "rtol": 1e-5}], ids=str)
@pytest.mark.parametrize("coordinates", SETS)
def test_an_event_that_records_changes_no_bit(coordinates, how):
    for make, names in ((bouncing, ["ball.vy", "floor.gap_rate"]), (hinge, ["rod.omega", "rod.angle"])):
        model, start, _ = make()
        told = model.plus(*(mbs.Event(f"event {k}", model[name]) for k, name in enumerate(names)))
        plain, watched = (
            mbs.simulate(one.compile(coordinates), np.linspace(0, 2, 41), start, **how) for one in (model, told)
        )
        assert watched.events
        for name in ("q", "v", "a"):
            assert np.array_equal(getattr(plain, name), getattr(watched, name))
        assert [(i.t, i.rests, i.energy_lost) for i in plain.impacts] == [
            (i.t, i.rests, i.energy_lost) for i in watched.impacts
        ]
        for count in ("accepted", "rejected", "evaluations"):
            assert plain.stats[count] == watched.stats[count]


def test_a_ball_at_rest_has_no_more_tops():
    """A ball from 1 m with e = 1/2 rests after t₀ (1 + e)/(1 - e); every flight before that has a top."""
    model, start, _ = bouncing()
    run = mbs.simulate(model.plus(mbs.Event("top", model["ball.vy"], direction=-1)), [0, 2], start)
    assert run.impacts[-1].rests == pytest.approx(3 * sqrt(2 / g), rel=1e-9)
    tops = [event.t for event in run.events]
    assert len(tops) == len(run.impacts) - 1
    flights = [(a.t + b.t) / 2 for a, b in zip(run.impacts, run.impacts[1:], strict=False)]
    np.testing.assert_allclose(tops, flights, atol=1e-9)


@pytest.mark.parametrize("how", [{}, {"method": "Radau5"}, {"method": "DP8", "rtol": 1e-12}], ids=str)
@pytest.mark.parametrize("action", ["record", "stop"])
def test_a_block_that_stops_on_an_incline(action, how):
    """It slows down by g (sin a + mu cos a), and is held: mu_rest > tan a."""
    model, start, rub = incline()
    stops = 4.2 / (g * (sin(0.45) + 0.35 * cos(0.45)))
    for when in (model["rub.slip"], rub.sticks):
        run = mbs.simulate(model.plus(mbs.Event("stops", when=when, action=action)), [0, 2], start, **how)
        assert [event.t for event in run.events] == [pytest.approx(stops, abs=1e-8)]
        assert run.t[-1] == (2.0 if action == "record" else run.events[0].t)
        (change,) = run.transitions
        assert (change.contact, change.before, change.after) == ("rub", "slips", "sticks")
        assert change.t == run.events[0].t


@pytest.mark.parametrize("coordinates", SETS)
def test_a_ball_on_an_alley_rolls(coordinates):
    """A disk rolls with 2/3 of its speed, v₀/(3 mu g) after it was thrown."""
    model, start, lane = alley()
    told = model.plus(mbs.Event("rolls", model["lane.slip"]), mbs.Event("sticks", lane.sticks))
    run = mbs.simulate(told.compile(coordinates), [0, 2], start)
    assert sorted(event.name for event in run.events) == ["rolls", "sticks"]
    for event in run.events:
        assert event.t == pytest.approx(3.0 / (3 * 0.25 * g), abs=1e-8)
        assert event.state["disk.vx"] == pytest.approx(2.0, abs=1e-8)


@pytest.mark.parametrize("how", [{}, {"method": "Radau5", "rtol": 1e-10}], ids=str)
def test_a_dry_hinge_turns_back_twelve_times(how):
    """The last reversal is into rest; all sets find the same list, as that of the changes of its friction."""
    found = []
    for coordinates in SETS:
        model, start, rub = hinge()
        told = model.plus(mbs.Event("turns", model["rod.omega"]), mbs.Event("rests", rub.sticks))
        run = mbs.simulate(told.compile(coordinates), [0, 12], start, **how)
        turns = [event.t for event in run.events if event.name == "turns"]
        assert len(turns) == 12
        assert [event.t for event in run.events if event.name == "rests"][-1] == turns[-1]
        assert run.modes["rub"][-1] == "sticks" and run.transitions[-1].t == turns[-1]
        found.append(turns)
    for turns in found[1:]:
        np.testing.assert_allclose(turns, found[0], atol=1e-7)


@pytest.mark.parametrize("coordinates", SETS)
def test_a_block_on_a_belt(coordinates):
    """The spring pulls it off at mu_rest m g/k/v; then it swings about mu m g/k until it is caught at the belt's speed:
    x - x_c = d cos wt + (v/w) sin wt comes back to this speed at wt = 2 pi - 2 atan(d w/v), with d = x₀ - x_c."""
    mass, stiffness, belt, mu, rest = 1.0, 100.0, 0.1, 0.3, 0.45
    shop = mbs.PlanarModel("block on a belt", gravity=(0, -g))
    moving, block = shop.body("belt", mass=1.0, inertia=1.0), shop.body("block", mass=mass, inertia=0.01)
    shop.add(mbs.Translational("rollers", shop.ground, moving), mbs.Driver("motor", mbs.x(moving), belt * mbs.t))
    rub = shop.add(mbs.Contact("rub", mbs.Line(moving), mbs.Point(block), friction=mu, static_friction=rest))
    shop.add(mbs.Spring("spring", shop.ground.at(-1, 0), block, stiffness=stiffness, length=1.0))
    shop.add(mbs.Event("slip", shop["rub.slip"]), mbs.Event("away", rub.slips), mbs.Event("caught", rub.sticks))
    run = mbs.simulate(shop.compile(coordinates), [0, 1.1], {"block.vx": belt}, rtol=1e-10)
    w, off = sqrt(stiffness / mass), rest * mass * g / stiffness / belt
    d = (rest - mu) * mass * g / stiffness
    caught = off + (2 * pi - 2 * atan2(d * w, belt)) / w
    assert [(e.name, round(e.t, 7)) for e in run.events if e.name != "slip"] == [
        ("away", round(off, 7)), ("caught", round(caught, 7)),
    ]  # fmt: skip
    assert [round(e.t, 7) for e in run.events if e.name == "slip"] == [round(caught, 7)]
    assert [(c.before, c.after) for c in run.transitions] == [("sticks", "slips"), ("slips", "sticks")]


def test_touching_and_parting():
    """Every bounce touches and parts; at last it only touches."""
    model, start, floor = bouncing()
    told = model.plus(mbs.Event("hits", floor.touches), mbs.Event("leaves", floor.parts))
    run = mbs.simulate(told, [0, 2], start)
    hits, leaves = ([event.t for event in run.events if event.name == name] for name in ("hits", "leaves"))
    assert hits == [impact.t for impact in run.impacts] and leaves == hits[:-1]
    assert [(c.before, c.after) for c in run.transitions] == [("open", "closed")]
    stopped = mbs.simulate(model.plus(mbs.Event("hit", floor.touches, action="stop")), [0, 2], start)
    assert stopped.t[-1] == pytest.approx(sqrt(2 / g), abs=1e-9)


@pytest.mark.parametrize("coordinates", SETS)
def test_a_force_that_steps_up_lifts_a_body_off(coordinates):
    """From 1 s on 20 N act up on 1 kg; the gap is 1e-9 m when (20 N - m g)/m t²/2 is."""
    model, start, floor = bouncing(0.0)
    up = sp.Piecewise((20.0, mbs.t > 1.0), (0, True))
    told = model.plus(
        mbs.Force("up", model.bodies["ball"], (0, up)), mbs.Event("leaves", floor.parts),
        mbs.Event("lifted", model["floor.gap"] - 1e-9, direction=1),
    )  # fmt: skip
    run = mbs.simulate(told.compile(coordinates), [0, 2], start)
    assert [(c.before, c.after) for c in run.transitions] == [("open", "closed"), ("closed", "open")]
    assert [event.name for event in run.events] == ["leaves", "lifted"]
    assert run.events[0].t == run.transitions[-1].t == 1.0
    assert run.events[1].t - 1.0 == pytest.approx(sqrt(2e-9 / (20.0 - g)), rel=1e-6)


@pytest.mark.parametrize("coordinates", SETS)
def test_states_before_and_after_an_impact(coordinates):
    model, start, _ = bouncing()
    impact = mbs.simulate(model.compile(coordinates), [0, 0.6], start).impacts[0]
    assert impact.before["ball.vy"] == pytest.approx(-sqrt(2 * g), rel=1e-8)
    assert impact.after["ball.vy"] == pytest.approx(0.5 * sqrt(2 * g), rel=1e-8)
    assert impact.before["ball.ay"] == pytest.approx(-g) and impact.after["ball.ay"] == pytest.approx(-g)
    again = mbs.simulate(model.compile(coordinates), [impact.t, impact.t + 0.1], impact.after)
    assert again["ball.vy"][-1] == pytest.approx(impact.after["ball.vy"] - g * 0.1, rel=1e-8)


def test_a_reset_at_which_a_block_comes_to_rest():
    """The block goes on with v = 1/s x each time that friction has stopped it: x₂ = x₁ + x₁²/(2 μ g s²)."""
    model = mbs.PlanarModel("block", gravity=(0, -10.0))
    block = model.body("block", mass=1.0, inertia=0.1)
    rub = model.add(mbs.Contact("rub", mbs.Line(model.ground), mbs.Point(block), friction=0.5))
    model.add(mbs.Event("stops", rub.sticks, action=mbs.Reset({"block.vx": model["block.x"]})))
    run = mbs.simulate(model, [0, 0.6], {"block.vx": 2.0, "block.vy": 0.0, "block.omega": 0.0})
    first, second = 0.4, 0.4 + 0.4**2 / 10
    np.testing.assert_allclose([e.state["block.x"] for e in run.events], [0.4, second, second + second**2 / 10])
    np.testing.assert_allclose([e.t for e in run.events], [0.4, 0.4 + first / 5, 0.4 + first / 5 + second / 5])


def test_changes_that_never_happen_are_refused():
    model, _, floor = bouncing()
    with refused("change-never-happens", change="sticks"):
        _ = floor.sticks
    _, _, rub = hinge()
    with refused("change-never-happens", change="touches"):
        _ = rub.touches
    with refused("change-has-no-direction", subject="Event 'e'", when=["floor", "touches"]):
        mbs.Event("e", floor.touches, direction=1)


@pytest.mark.parametrize("rtol", [1e-4, 1e-6, 1e-8])
def test_an_implicit_method_passes_the_break_away(rtol):
    """A rotor that dry friction holds until the torque of a fast coil, i = c (t - (1 - exp(-λt))/λ), is as large: from
    then on J ω' = k i - M."""
    rate, ramp, k, M, J = 6.6e3, 1e3, 1.1616, 0.5, 0.0013
    model = mbs.PlanarModel("rub")
    shaft = model.add(mbs.Revolute("shaft", model.ground, model.body("rotor", 1, J)))
    i = model.state("i", rate=lambda i: rate * (ramp * mbs.t - i))
    model.add(mbs.Torque("T", shaft, k * i), mbs.DryFriction("bearing", mbs.angle(shaft), force=M))
    run = mbs.simulate(model, [0, 0.01], method="Radau5", rtol=rtol)
    away = M / k / ramp + 1 / rate
    for _ in range(50):
        away -= (k * ramp * (away - (1 - exp(-rate * away)) / rate) - M) / (k * ramp * (1 - exp(-rate * away)))

    def turned(t):  # the integral of k i - M
        return k * ramp * (t**2 / 2 - t / rate - exp(-rate * t) / rate**2) - M * t

    assert [change.after for change in run.transitions] == ["slips"]
    assert run["rotor.omega"][-1] == pytest.approx((turned(0.01) - turned(away)) / J, rel=20 * rtol)


@pytest.mark.parametrize("when", [mbs.t - 1.234, mbs.t - 1.0, sp.sin(3 * mbs.t)], ids=str)
def test_an_event_at_a_known_time_that_records_changes_no_digit(when):
    model = mbs.PlanarModel("pendulum", gravity=(0, -9.81))
    body = model.body("body", mass=0.7, inertia=0.01, com=(0.3, 0))
    model.add(mbs.Revolute("A", model.ground, body))
    times = np.linspace(0.0, 2.0, 21)
    plain, told = mbs.simulate(model, times), mbs.simulate(model.plus(mbs.Event("clock", when)), times)
    np.testing.assert_array_equal(told.q, plain.q)
    assert len(told.events) == 1
    assert abs(float(when.subs(mbs.t, told.events[0].t))) < 1e-15
