"""Derivatives of runs across switches, impacts, breaks of laws in time and events, against closed forms of the same
motions differentiated in 30 digits; where there is none, against extrapolated differences of runs."""

from collections.abc import Callable

import mpmath as mp
import numpy as np
import pytest
import sympy as sp
from refusals import refused

import mbs_dae as mbs

G = 9.81


def on_guide(name: str, **parameters: float):
    """A block of 2 kg on the x axis, and parameters."""
    model = mbs.PlanarModel(name)
    symbols = [model.parameter(key, value) for key, value in parameters.items()]
    block = model.body("block", mass=2.0, inertia=0.1)
    guide = model.add(mbs.Translational("guide", model.ground, block))
    return model, block, guide, symbols


def check(result: mbs.Result, motion: Callable, values: dict[str, float], name: str = "block", axis: str = "x") -> None:
    """x and v of a closed form, a function of t and of all that is asked for, at 1e-7 and better."""
    mp.mp.dps = 30
    for k, t in enumerate(result.t):
        exact = motion(mp.mpf(float(t)), *map(mp.mpf, values.values()))
        assert abs(result[f"{name}.{axis}"][k] - float(exact[0])) < 1e-7
        for at, by in enumerate(values):
            for level, quantity in enumerate((f"{name}.{axis}", f"{name}.v{axis}")):

                def along(p, level=level, at=at, t=t):
                    own = [*map(mp.mpf, values.values())]
                    own[at] = p
                    return motion(mp.mpf(float(t)), *own)[level]

                slope = float(mp.diff(along, list(values.values())[at], h=mp.mpf("1e-8")))
                assert abs(result.d(quantity, by)[k] - slope) < 1e-8 * max(1.0, abs(slope)), (t, by, quantity)


def test_a_ball_bounces():
    model = mbs.PlanarModel("ball", gravity=(0, -G))
    e, floor = model.parameter("e", 0.8), model.parameter("floor", 0.05)
    ball = model.body("ball", mass=1.0, inertia=0.1)
    guide = model.add(mbs.Translational("guide", model.ground, ball, at=(0, 0), axis=(0, 1)))
    model.add(mbs.Stop("stop", mbs.displacement(guide), lower=floor, restitution=e))

    def motion(t, e, floor, height):
        fall = mp.sqrt(2 * (height - floor) / G)
        if t < fall:
            return height - G * t * t / 2, -G * t
        t, v = t - fall, e * G * fall
        while t > 2 * v / G:
            t, v = t - 2 * v / G, e * v
        return floor + v * t - G * t * t / 2, v - G * t

    values = {"e": 0.8, "floor": 0.05, "ball.y": 1.0}
    times = np.linspace(0, 1.5, 7)
    result = mbs.simulate(model, times, {"ball.y": 1.0, "ball.vy": 0.0}, rtol=1e-10, derivatives=[*values])
    assert len(result.impacts) == 2
    check(result, motion, values, "ball", "y")


@pytest.mark.parametrize("jump", [0.0, 3.0], ids=["continuous", "with a step"])
def test_a_spring_is_met(jump):
    """Behind the gap d a spring acts, or a spring and a constant force."""
    model, block, _, (gap, stiffness) = on_guide("buffer", d=0.3, k=50.0)
    x = model["block.x"]
    model.add(mbs.Force("spring", block, (sp.Piecewise((-stiffness * (x - gap) - jump, x > gap), (0, True)), 0)))

    def motion(t, d, k, v):
        meets, w, rest = d / v, mp.sqrt(k / 2), d - jump / k
        if t < meets:
            return v * t, v
        a, b = d - rest, v / w  # x = rest + a cos + b sin
        out = 2 * mp.atan2(b, a) / w  # back at the gap
        s = t - meets
        if s < out:
            c, n = mp.cos(w * s), mp.sin(w * s)
            return rest + a * c + b * n, w * (b * c - a * n)
        return d - v * (s - out), -v

    values = {"d": 0.3, "k": 50.0, "block.vx": 2.0}
    times = [0.0, 0.1, 0.3, 0.45, 1.0, 1.4]
    result = mbs.simulate(model, times, {"block.x": 0.0, "block.vx": 2.0}, rtol=1e-11, derivatives=[*values])
    check(result, motion, values)


def test_a_block_on_a_belt_sticks_and_slips():
    """A belt drags a block on a spring: it sticks until the spring takes what friction can hold, slips back, and sticks
    anew. What holds at rest is more than what slides."""
    model, block, _, (slides, rests, stiffness) = on_guide("belt", slides=4.0, rests=6.0, k=80.0)
    belt = model.body("belt", mass=1.0, inertia=1.0)
    rollers = model.add(mbs.Translational("rollers", model.ground, belt))
    model.add(mbs.Driver("drive", mbs.displacement(rollers), 0.2 * mbs.t))
    model.add(mbs.Force("spring", block, (-stiffness * model["block.x"], 0)))
    model.add(mbs.DryFriction("rub", mbs.displacement(belt, block), force=slides, static_force=rests))

    def motion(t, slides, rests, k):
        u, w, x = mp.mpf("0.2"), mp.sqrt(k / 2), mp.mpf(0)
        while True:
            sticks = (rests / k - x) / u
            if t < sticks:
                return x + u * t, u
            t, a, b = t - sticks, rests / k - slides / k, u / w  # x = slides/k + a cos + b sin, until its rate is u
            slips = 2 * (mp.pi - mp.atan2(a, b)) / w
            c, s = mp.cos(w * t), mp.sin(w * t)
            if t < slips:
                return slides / k + a * c + b * s, w * (b * c - a * s)
            c, s = mp.cos(w * slips), mp.sin(w * slips)
            t, x = t - slips, slides / k + a * c + b * s

    values = {"slides": 4.0, "rests": 6.0, "k": 80.0}
    times = [0.0, 0.2, 0.5, 0.8, 1.1, 1.4, 1.7, 2.0]
    result = mbs.simulate(model, times, {"block.x": 0.0, "block.vx": 0.2}, rtol=1e-11, derivatives=[*values])
    assert {*result.modes["rub"]} == {"sticks", "slips"}
    check(result, motion, values)


def test_a_force_sets_in_at_a_time_that_is_asked_for():
    model, block, _, (start, force) = on_guide("push", start=0.4, F=6.0)
    end = start + sp.Rational(1, 2)
    law = sp.Piecewise((0, mbs.t < start), (force * (1 + mbs.t), mbs.t < end), (0, True))
    model.add(mbs.Force("push", block, (law, 0)))

    def motion(t, start, F):
        def ramp(s):  # the integrals of F/2 (1 + t) from the beginning
            return F / 2 * (s + s * s / 2 - start - start**2 / 2)

        def way(s):
            return F / 2 * ((s**2 - start**2) / 2 + (s**3 - start**3) / 6 - (start + start**2 / 2) * (s - start))

        end = start + mp.mpf(1) / 2
        if t < start:
            return mp.mpf(0), mp.mpf(0)
        if t < end:
            return way(t), ramp(t)
        return way(end) + ramp(end) * (t - end), ramp(end)

    values = {"start": 0.4, "F": 6.0}
    times = [0.0, 0.3, 0.5, 0.8, 1.0, 1.5]
    result = mbs.simulate(model, times, {"block.x": 0.0, "block.vx": 0.0}, rtol=1e-11, derivatives=[*values])
    check(result, motion, values)


def test_an_event_sets_another_state():
    """At x = d the block is thrown back with a part of its velocity."""
    model, block, _, (d, back) = on_guide("thrown back", d=0.5, back=0.7)
    model.add(mbs.Force("push", block, (4.0, 0)))
    turned = mbs.Reset({"block.vx": -back * model["block.vx"]})
    model.add(mbs.Event("wall", when=model["block.x"] - d, direction=1, action=turned))

    def motion(t, d, back, v):
        meets = (-v + mp.sqrt(v * v + 4 * d)) / 2
        if t < meets:
            return v * t + t * t, v + 2 * t
        u, s = -back * (v + 2 * meets), t - meets
        return d + u * s + s * s, u + 2 * s

    values = {"d": 0.5, "back": 0.7, "block.vx": 0.5}
    result = mbs.simulate(
        model, [0, 0.3, 0.6, 1.0], {"block.x": 0.0, "block.vx": 0.5}, rtol=1e-11, derivatives=[*values]
    )
    assert len(result.events) == 1
    check(result, motion, values)


def extrapolated(run: Callable[[float], np.ndarray], p: float, h: float) -> np.ndarray:
    """Central differences at h, h/2, h/4, extrapolated."""
    d = [(run(p + s) - run(p - s)) / (2 * s) for s in (h, h / 2, h / 4)]
    once = [(4 * d[k + 1] - d[k]) / 3 for k in range(2)]
    return (16 * once[1] - once[0]) / 15


def check_against_runs(
    model: mbs.PlanarModel, times: list[float], start: dict[str, float], by: list[str], names: list[str]
) -> mbs.Result:  # fmt: skip
    fine = {"rtol": 1e-12, "method": "DP8"}
    result = mbs.simulate(model, times, start, derivatives=by, **fine)
    for one in by:
        value = model.parameters[one].value if one in model.parameters else start[one]

        def run(p, one=one):
            known = one in model.parameters
            other = model.with_parameters(**{one: p}) if known else model
            made = mbs.simulate(other, times, start if known else start | {one: p}, **fine)
            return np.concatenate([np.ravel(made[name]) for name in names])

        found = np.concatenate([np.ravel(result.d(name, one)) for name in names])
        wanted = extrapolated(run, value, 2e-3 * (abs(value) or 1.0))
        assert np.abs(found - wanted).max() < 1e-7 * max(1.0, np.abs(wanted).max()), one
    return result


def test_a_pendulum_strikes_a_wall():
    model = mbs.PlanarModel("pendulum", gravity=(0, -G))
    length, e, wall = model.parameter("l", 0.8), model.parameter("e", 0.6), model.parameter("wall", -0.2)
    rod = model.link("rod", (0, 0), (0.8, 0), length=length, mass=1.5)
    pin = model.add(mbs.Revolute("pin", model.ground, rod.tail))
    model.add(mbs.Stop("stop", mbs.angle(pin), lower=wall - sp.pi / 2, restitution=e))
    start, times = {"rod.angle": 0.0, "rod.omega": 0.0}, [0.0, 0.4, 0.7, 1.3, 1.6]
    result = check_against_runs(model, times, start, ["l", "e", "wall"], ["rod.omega", "rod.head.x", "pin.force"])
    assert len(result.impacts) >= 1


def test_a_disk_bounces_slips_and_rolls():
    model = mbs.PlanarModel("disk", gravity=(0, -G))
    mu, e, radius = model.parameter("mu", 0.1), model.parameter("e", 0.0), model.parameter("R", 0.1)
    disk = model.body("disk", mass=1.0, inertia=0.005)
    model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Disk(disk, radius), restitution=e, friction=mu))
    start = {"disk.x": 0.0, "disk.y": 0.3, "disk.angle": 0.0, "disk.vx": 2.0, "disk.vy": 0.0, "disk.omega": 0.0}
    names = ["disk.x", "disk.vx", "disk.omega", "floor.force"]
    result = check_against_runs(model, [0.0, 0.1, 0.3, 0.6, 1.0], start, ["mu", "R", "disk.vx"], names)
    assert [*result.modes["floor"]] == ["open", "open", "slips", "slips", "sticks"]


def test_a_law_holds_the_motion_where_it_jumps():
    """Dry friction by sign() sticks to the belt: the branch is a mixture there."""
    model, block, _, (friction, stiffness) = on_guide("by sign", F=4.0, k=80.0)
    x, v = model["block.x"], model["block.vx"]
    rubs = friction * sp.sign(v - sp.Rational(1, 5))
    model.add(mbs.Force("forces", block, (-stiffness * x - rubs - 2 * v, 0)))
    start = {"block.x": 0.1, "block.vx": 0.0}
    check_against_runs(model, [0.0, 0.3, 0.6, 1.5], start, ["F", "k", "block.x"], ["block.x", "block.vx", "block.ax"])


def test_states_and_controllers():
    model, block, _, (gain, slow) = on_guide("controlled", K=3.0, T=0.4)
    z = model.state("z", rate=lambda z: (1 - z) / slow, initial=0.2)
    held = model.state("held", initial=0.0)
    model.add(mbs.Sampled("sampler", every=0.1, update={"held": -gain * model["block.x"]}))
    push = model.add(mbs.Force("push", block, (held + z, 0)))
    start = {"block.x": 0.1, "block.vx": 0.0, "z": 0.3}
    names = ["block.x", "block.vx", "z", "held"]
    result = check_against_runs(model, [0.0, 0.25, 1.0], start, ["K", "T", "block.x", "z"], names)
    with refused("no-derivative", owner="Force 'push'"):
        result.d(f"{push.name}.force", "K")
    with refused("no-derivative", name="z.rate"):
        result.d("z.rate", "K")


def test_a_state_that_is_only_held_counts_in_derivatives():
    """The force is -K x of the last sampling time: places, velocities and forces at times T apart follow one by one,
    from the first place."""
    model, block, _, (gain,) = on_guide("sampled", K=3.0)
    held, T, K = model.state("held", initial=0.0), 0.1, sp.Symbol("K")
    model.add(mbs.Sampled("sampler", every=T, update={"held": -gain * model["block.x"]}))
    model.add(mbs.Force("push", block, (held, 0)))
    x, v = sp.Rational(1, 10), sp.Integer(0)
    for _ in range(2):
        force = -K * x / 2  # of a block of 2 kg
        x, v = x + v / 10 + force / 200, v + force / 10
    wanted = [float(e.diff(K).subs(K, 3)) for e in (-x * K, x)]
    result = mbs.simulate(model, [0.0, 0.2, 0.25], {"block.x": 0.1, "block.vx": 0.0}, derivatives=["K"])
    assert abs(result.d("held", "K")[2] - wanted[0]) < 1e-9
    assert abs(result.d("block.x", "K")[1] - wanted[1]) < 1e-9


def test_an_event_at_a_time_that_depends_on_a_parameter():
    """A kick at T: x = x₀ + v₋ T + v₊ (t - T)."""
    model = mbs.PlanarModel("kicked")
    kick = model.parameter("T", 0.313)
    body = model.body("body", mass=2, inertia=1.0)
    model.add(
        mbs.Translational("guide", model.ground, body),
        mbs.Event("kick", mbs.t - kick, action=mbs.Reset({"body.vx": -model["body.vx"] / 2})),
    )
    result = mbs.simulate(model, [0, 0.3, 0.4, 1], {"body.x": -0.5, "body.vx": 2.0}, derivatives=["T"])
    np.testing.assert_allclose(result.d("body.x", "T"), [0, 0, 3, 3], atol=1e-9)


@pytest.mark.parametrize(("depth", "touches"), [(1e-12, True), (1e-6, False)])
def test_what_only_touches_has_no_derivative(depth, touches):
    """Thrown up to just above where an event waits: beside, some do not get there. A little higher all do, and at
    t_e = (v - w)/10, with w² = v² - 20 h, the ball goes on with another velocity."""
    model = mbs.PlanarModel("thrown", gravity=(0, -10.0))
    back, height = model.parameter("back", 0.5), 1.25 - depth
    model.parameter("colour", 1.0)
    model.body("ball", mass=1.0, inertia=0.1)
    lifted = mbs.Reset({"ball.vy": back})
    model.add(mbs.Event("top", when=model["ball.y"] - height, direction=1, action=lifted))
    start = {"ball.x": 0.0, "ball.y": 0.0, "ball.angle": 0.0, "ball.vx": 0.0, "ball.vy": 5.0, "ball.omega": 0.0}
    result = mbs.simulate(model, [0.0, 0.2, 0.8], start, derivatives=["ball.vy", "colour"], max_step=0.05)
    assert len(result.events) == 1
    slope = result.d("ball.y", "ball.vy")
    assert abs(slope[1] - 0.2) < 1e-9
    told = "the motion touches where it switches, and does not pass"
    assert (told in result.stats["derivatives"]) == touches
    assert "nothing in the model depends on colour" in result.stats["derivatives"]
    if touches:
        assert np.isnan(slope[-1])
        return
    rises = np.sqrt(25.0 - 20.0 * height)
    later = (1.0 - 5.0 / rises) / 10.0
    wanted = -later * (0.5 - 10.0 * (0.8 - (5.0 - rises) / 10.0))
    assert abs(slope[-1] - wanted) < 1e-5 * abs(wanted)


def test_events_at_which_contacts_change():
    """A block slides to rest: t = v/(μ g), x = v²/(2 μ g). A force lifts a ball off at T. Another ball bounces:
    t₂ = t₁ (1 + 2 e), and v₂ = e² g t₁."""
    g = 10.0
    model = mbs.PlanarModel("block", gravity=(0, -g))
    block, mu = model.body("block", mass=1.0, inertia=0.1), model.parameter("mu", 0.5)
    rub = model.add(mbs.Contact("rub", mbs.Line(model.ground), mbs.Point(block), friction=mu))
    still = {"block.vx": 2.0, "block.vy": 0.0, "block.omega": 0.0}
    for action in ("record", "stop"):
        told = model.plus(mbs.Event("stops", when=rub.sticks, action=action))
        (event,) = mbs.simulate(told, [0, 1], still, derivatives=["mu", "block.vx"]).events
        found = [event.d(name, by) for name in ("t", "block.x") for by in ("mu", "block.vx")]
        np.testing.assert_allclose(found, [-0.8, 0.2, -0.8, 0.4], rtol=1e-9)

    model = mbs.PlanarModel("lifted", gravity=(0, -g))
    ball, T = model.body("ball", mass=1.0, inertia=0.1), model.parameter("T", 1.0)
    floor = model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Point(ball)))
    model.add(mbs.Force("up", ball, (0, sp.Piecewise((2 * g, mbs.t > T), (0, True)))), mbs.Event("off", floor.parts))
    run = mbs.simulate(model, [0, 2], {"ball.vx": 0.0, "ball.vy": 0.0, "ball.omega": 0.0}, derivatives=["T"])
    assert run.events[0].d("t", "T") == pytest.approx(1.0, rel=1e-9)
    assert run.d("ball.y", "T")[-1] == pytest.approx(-g, rel=1e-9)

    model = mbs.PlanarModel("bounces", gravity=(0, -g))
    ball, e = model.body("ball", mass=1.0, inertia=0.1, position=(0, 1)), model.parameter("e", 0.5)
    floor = model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Point(ball), restitution=e))
    model.add(mbs.Event("hits", floor.touches))
    run = mbs.simulate(model, [0, 1], {"ball.vx": 0.0, "ball.vy": 0.0, "ball.omega": 0.0}, derivatives=["e"])
    first = np.sqrt(2 / g)
    np.testing.assert_allclose([hit.d("t", "e") for hit in run.events], [0, 2 * first], atol=1e-9)
    np.testing.assert_allclose([hit.d("ball.vy", "e") for hit in run.events], [g * first, g * first], rtol=1e-9)
