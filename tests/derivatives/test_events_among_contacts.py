"""Derivatives of events, of states that they set, and of samples in runs whose bodies meet, rub and rest: they come
from the steps of the run, ahead and back, and agree with closed forms in 40 digits."""

from collections.abc import Callable, Iterator
from typing import Any

import mpmath as mp
import numpy as np
import pytest
import sympy as sp
from test_contacts_ahead_and_back import G, ball, check_back, check_closed_form
from test_events_from_steps import ahead_and_back, from_steps

import mbs_dae as mbs

CLOSE = 1e-9


def slopes(function: Callable[..., Any], values: dict[str, float]) -> np.ndarray:
    """Return the slopes of a function by each of these values, computed in 40 digits."""
    own = list(values.values())
    with mp.workdps(40):

        def along(x: Any, at: int) -> Any:
            return function(*(x if k == at else mp.mpf(value) for k, value in enumerate(own)))

        rows = [mp.diff(lambda x, at=at: along(x, at), mp.mpf(own[at]), h=mp.mpf("1e-12")) for at in range(len(own))]
        return np.array([float(row) for row in rows])


# --- a ball that bounces ---------------------------------------------------------------------------------------------


def flights(R, e, mu, m, J, height, vx, omega) -> Iterator[list[Any]]:
    """Yield t, x, y, vx, vy, ω at the beginning of each flight, and its duration; the impulse of friction at an impact
    ends the slip, or is μ P_n."""
    t, x, y, vy = mp.mpf(0), mp.mpf(0), height, mp.mpf(0)
    while True:
        lasts = (vy + mp.sqrt(vy**2 + 2 * G * (y - R))) / G
        yield [t, x, y, vx, vy, omega, lasts]
        t, x, y, speed = t + lasts, x + vx * lasts, R, G * lasts - vy
        vy, slip, most = e * speed, vx + R * omega, mu * (1 + e) * m * speed
        ends = slip / (1 / m + R**2 / J)
        impulse = ends if abs(ends) <= most else most * mp.sign(slip)
        vx, omega = vx - impulse / m, omega - impulse * R / J


def top(k: int) -> Callable[..., list[Any]]:
    """Return a function that gives the time and height of the top behind impact k, and the speed along x there."""

    def motion(*values: Any) -> list[Any]:
        flight = flights(*values)
        for _ in range(k):
            next(flight)
        t, _, y, vx, vy, *_ = next(flight)
        return [t + vy / G, y + vy**2 / (2 * G), vx]

    return motion


def line(d, *values: Any) -> list[Any]:
    """Return the time at which the ball is at x = d, its height and its speed along y."""
    for t, x, y, vx, vy, _, lasts in flights(*values):
        after = (d - x) / vx
        if after <= lasts:
            return [t + after, y + vy * after - G * after**2 / 2, vy - G * after]
    raise AssertionError


@pytest.mark.parametrize("mu", [0.04, 0.4], ids=["slips", "rolls"])
@pytest.mark.parametrize("method", ["DP5", "RK4", "Radau5"])
def test_tops_of_a_ball_that_bounces_to_a_line(mu, method, monkeypatch):
    values = {"R": 0.1, "e": 0.85, "mu": mu, "m": 1.3, "J": 0.006, "ball.y": 1.0, "ball.vx": 2.0, "ball.omega": -20.0}
    model = ball(0.85, mu)
    d = model.parameter("d", 2.5)
    model.add(
        mbs.Event("top", when=model["ball.vy"], direction=-1),
        mbs.Event("line", when=model["ball.x"] - d, action="stop"),
    )
    start = {name: value for name, value in values.items() if "." in name}
    start |= {"ball.x": 0.0, "ball.vy": 0.0, "ball.angle": 0.0}
    how: dict[str, Any] = {"step": 0.01} if method == "RK4" else {"rtol": 1e-12, "max_step": 0.05}
    run = mbs.simulate(model, [0.0, 0.3, 9.0], start, method=method, derivatives=["d", *values], **how)
    assert from_steps(run) and len(run.impacts) >= 2
    tops, last = [event for event in run.events if event.name == "top"][-1], run.events[-1]
    count = len([one for one in run.impacts if one.t < tops.t])
    read = {tops: (top(count), ["ball.y", "ball.vx"]), last: (None, ["ball.y", "ball.vy"])}
    for event, (motion, names) in read.items():
        for level, name in enumerate(["t", *names]):
            found = [event.d(name, by) for by in (["d"] if motion is None else []) + [*values]]
            if motion is None:
                wanted = slopes(lambda *x, level=level: line(*x)[level], {"d": 2.5} | values)
            else:
                wanted = slopes(lambda *x, level=level, motion=motion: motion(*x)[level], values)
            np.testing.assert_allclose(found, wanted, rtol=CLOSE, atol=CLOSE, err_msg=name)
    for objective, level in ((mbs.at_end(mbs.t), 0), (mbs.at_end("ball.y"), 1), (mbs.at_end("ball.vy"), 2)):
        wanted = slopes(lambda *x, level=level: line(*x)[level], {"d": 2.5} | values)
        own = [0.0, 0.3, 9.0], ["d", *values], start
        for found in ahead_and_back(objective, model, *own, monkeypatch, method=method, **how):
            np.testing.assert_allclose(found, wanted, rtol=CLOSE, atol=CLOSE)


# --- a force of contact where the run ends ---------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["DP5", "Radau5"])
def test_the_normal_force_where_a_block_is_stopped(method, monkeypatch):
    """A block slides on a floor; a force k x lifts it: N = m g - k x, m ẍ = F - μ N, and the run ends at x = d."""
    values = {"m": 2.0, "k": 3.0, "mu": 0.3, "F": 9.0, "d": 1.5}
    model = mbs.PlanarModel("lifted", gravity=(0, -G))
    m, k, mu, F, d = (model.parameter(name, value) for name, value in values.items())
    block = model.body("block", mass=m, inertia=1.0)
    model.add(
        mbs.Contact("floor", mbs.Line(model.ground), mbs.Point(block), friction=mu),
        mbs.Force("push", block, (F, k * model["block.x"])),
        mbs.Event("far", when=model["block.x"] - d, action="stop"),
    )
    start = {"block.x": 0.0, "block.y": 0.0, "block.angle": 0.0, "block.vx": 0.0, "block.vy": 0.0, "block.omega": 0.0}

    def ends(m, k, mu, F, d):
        """ẍ = A + B x with x = (A/B)(cosh(√B t) - 1)."""
        A, B = F / m - mu * G, mu * k / m
        t = mp.acosh(1 + d * B / A) / mp.sqrt(B)
        return [t, A / mp.sqrt(B) * mp.sinh(mp.sqrt(B) * t), m * G - k * d]

    times, how = [0.0, 0.2, 5.0], {"rtol": 1e-12, "method": method}
    for objective, level in ((mbs.at_end(mbs.t), 0), (mbs.at_end("block.vx"), 1), (mbs.at_end("floor.force"), 2)):
        wanted = slopes(lambda *x, level=level: ends(*x)[level], values)
        for found in ahead_and_back(objective, model, times, [*values], start, monkeypatch, **how):
            np.testing.assert_allclose(found, wanted, rtol=CLOSE, atol=CLOSE)


# --- a controller in a run with impacts ------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["DP5", "Radau5"])
def test_a_sampled_controller_drives_a_cart_against_a_wall(method):
    """m ẍ = u with u = -k (x - 1.2 w) - c ẋ sampled each 0.1 s; at the wall, x = w, ẋ becomes -e ẋ."""
    values = {"m": 2.0, "k": 30.0, "c": 2.0, "w": 0.5, "e": 0.7, "cart.x": 0.1, "cart.vx": 0.3}
    model = mbs.PlanarModel("cart")
    m, k, c, w, e = (model.parameter(name, values[name]) for name in ("m", "k", "c", "w", "e"))
    cart, held = model.body("cart", mass=m, inertia=1.0), model.state("held", initial=0.0)
    guide = mbs.Translational("guide", model.ground, cart)
    law = -k * (model["cart.x"] - 1.2 * w) - c * model["cart.vx"]
    model.add(
        guide,
        mbs.Stop("wall", mbs.displacement(guide), upper=w, restitution=e),
        mbs.Force("drive", cart, (held, 0)),
        mbs.Sampled("controller", every=0.1, update={held: law}),
    )

    def motion(t, m, k, c, w, e, x, v):
        begins = mp.mpf(0)
        while True:
            a, left = (-k * (x - mp.mpf("1.2") * w) - c * v) / m, min(mp.mpf(0.1), t - begins)
            while left > 0:
                # the first positive time at which x + v s + a s²/2 = w
                under = v**2 - 2 * a * (x - w)
                roots = [(-v + sign * mp.sqrt(under)) / a for sign in (-1, 1)] if under >= 0 else []
                hits = [s for s in roots if mp.mpf("1e-9") < s < left and v + a * s > 0]
                if not hits:
                    x, v = x + v * left + a * left**2 / 2, v + a * left
                    break
                s = min(hits)
                x, v, left = w, -e * (v + a * s), left - s
            begins += mp.mpf(0.1)
            if begins >= t:
                return [x, v, a]

    times = [0.0, 0.33, 0.62, 0.97, 1.73]
    start = {"cart.x": 0.1, "cart.vx": 0.3}
    how = {"rtol": 1e-12, "method": method}
    result = mbs.simulate(model, times, start, derivatives=[*values], **how)
    assert from_steps(result) and len(result.impacts) >= 2
    check_closed_form(result, motion, ["cart.x", "cart.vx", "cart.ax"], values)
    check_back(result, ["cart.x", "cart.vx", "cart.ax", "held"])


# --- events that wait for a change of a contact ----------------------------------------------------------------------


@pytest.mark.parametrize("method", ["DP5", "Radau5"])
def test_a_ball_touches_a_floor_three_times(method):
    """Impact k is at t_k = (1 + 2 e + ... + 2 e^(k-1)) √(2 h/g), and the speed behind it is e^k √(2 h g)."""
    values = {"e": 0.5, "ball.y": 1.0, "gravity.y": -10.0}
    model = mbs.PlanarModel("bounces", gravity=(0, -10.0))
    ball, e = model.body("ball", mass=1.0, inertia=0.1), model.parameter("e", 0.5)
    floor = model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Point(ball), restitution=e))
    model.add(mbs.Event("hits", floor.touches))
    start = {"ball.x": 0.0, "ball.y": 1.0, "ball.angle": 0.0, "ball.vx": 0.0, "ball.vy": 0.0, "ball.omega": 0.0}
    run = mbs.simulate(model, [0, 1, 1.2], start, derivatives=[*values], method=method, rtol=1e-12)
    assert from_steps(run) and len(run.events) == 3
    for k, hit in enumerate(run.events):

        def motion(e, h, g, k=k):
            lands = mp.sqrt(-2 * h / g)
            return [lands * (1 + 2 * sum(e**j for j in range(1, k + 1))), e ** (k + 1) * -g * lands, mp.mpf(0), g]

        for level, name in enumerate(["t", "ball.vy", "ball.y", "ball.ay"]):
            wanted = slopes(lambda *x, level=level, motion=motion: motion(*x)[level], values)
            np.testing.assert_allclose([hit.d(name, by) for by in values], wanted, rtol=CLOSE, atol=CLOSE, err_msg=name)


@pytest.mark.parametrize("method", ["DP5", "Radau5"])
def test_a_block_sets_out_and_comes_to_rest(method):
    """A force c t, up to t = T, acts on a block with the coefficients s where it sticks and μ where it slips: it sets
    out at s m g/c with ẍ = (s - μ) g, and rests when v = ∫(c t/m - μ g) dt - μ g (t - T) is 0 again."""
    values = {"m": 2.0, "c": 8.0, "s": 0.5, "mu": 0.3, "T": 1.9}
    g = 10.0
    model = mbs.PlanarModel("block", gravity=(0, -g))
    m, c, s, mu, T = (model.parameter(name, value) for name, value in values.items())
    block = model.body("block", mass=m, inertia=1.0)
    rub = model.add(mbs.Contact("rub", mbs.Line(model.ground), mbs.Point(block), friction=mu, static_friction=s))
    push = mbs.Force("push", block, (sp.Piecewise((c * mbs.t, mbs.t < T), (0, True)), 0))
    model.add(push, mbs.Event("sets out", rub.slips), mbs.Event("rests", rub.sticks))
    start = {"block.x": 0.0, "block.y": 0.0, "block.angle": 0.0, "block.vx": 0.0, "block.vy": 0.0, "block.omega": 0.0}
    run = mbs.simulate(model, [0, 1, 6], start, derivatives=[*values], method=method, rtol=1e-12)
    assert from_steps(run) and [event.name for event in run.events] == ["sets out", "rests"]

    def sets_out(m, c, s, mu, T):
        return [s * m * g / c, mp.mpf(0), (s - mu) * g]

    def rests(m, c, s, mu, T):
        begins, a = s * m * g / c, mu * g
        v = c * (T**2 - begins**2) / (2 * m) - a * (T - begins)
        x = c * (T**3 - begins**3) / (6 * m) - c * begins**2 * (T - begins) / (2 * m) - a * (T - begins) ** 2 / 2
        return [T + v / a, x + v**2 / (2 * a), mp.mpf(0)]

    for event, motion in zip(run.events, (sets_out, rests), strict=True):
        for level, name in enumerate(["t", "block.x", "block.ax"]):
            wanted = slopes(lambda *x, level=level, motion=motion: motion(*x)[level], values)
            found = [event.d(name, by) for by in values]
            np.testing.assert_allclose(found, wanted, rtol=CLOSE, atol=CLOSE, err_msg=f"{event.name}: {name}")


# --- changes of contacts that stop the run ---------------------------------------------------------------------------

HOW = pytest.mark.parametrize("how", [{"method": "DP5"}, {"method": "Radau5"}, {"coordinates": "natural"}], ids=str)


def options(how: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The coordinates and the options of a run."""
    return how.get("coordinates", "cartesian"), {"rtol": 1e-12, "method": how.get("method", "DP5")}


@HOW
@pytest.mark.parametrize("mu", [0.04, 0.4], ids=["slips", "rolls"])
def test_a_ball_that_bounces_until_it_meets_a_wall(mu, how, monkeypatch):
    """The ball of radius R bounces on a floor with friction; it meets a smooth wall at x = d - R, and leaves it with
    -b vx. The run ends there, behind the impact."""
    values = {"R": 0.1, "e": 0.85, "m": 1.3, "J": 0.006, "ball.y": 1.0, "ball.vx": 2.0, "d": 2.7, "b": 0.6}
    model, (coordinates, steps) = ball(0.85, mu), options(how)
    d, b = model.parameter("d", values["d"]), model.parameter("b", values["b"])
    sides = mbs.Line(model.ground.at(d, 0, np.pi / 2)), mbs.Disk(model.bodies["ball"], model.parameters["R"].symbol)
    wall = model.add(mbs.Contact("wall", *sides, restitution=b))
    model.add(mbs.Event("hits", wall.touches, action="stop"))
    start = {name: value for name, value in values.items() if "." in name}
    start |= {"ball.x": 0.0, "ball.vy": 0.0, "ball.angle": 0.0, "ball.omega": -20.0}

    def ends(R, e, m, J, height, speed, d, b):
        for t, x, y, vx, vy, omega, lasts in flights(R, e, mp.mpf(mu), m, J, height, speed, mp.mpf(-20)):
            after = (d - R - x) / vx
            if after <= lasts:
                return [t + after, y + vy * after - G * after**2 / 2, vy - G * after, -b * vx, omega]
        raise AssertionError

    compiled, times = model.compile(coordinates), [0.0, 0.3, 9.0]
    run = mbs.simulate(compiled, times, start, derivatives=[*values], **steps)
    assert from_steps(run) and len(run.impacts) >= 3 and run.message.startswith("stopped by 'hits'")
    names = ["t", "ball.y", "ball.vy", "ball.vx", "ball.omega"]
    (hits,), sizes = run.events, np.array([*values.values()])
    for level, name in enumerate(names):
        wanted = slopes(lambda *x, level=level: ends(*x)[level], values)
        found = np.array([hits.d(name, by) for by in values])
        np.testing.assert_allclose(sizes * found, sizes * wanted, rtol=CLOSE, atol=CLOSE, err_msg=name)
        objective = mbs.at_end(mbs.t if name == "t" else name)
        if coordinates == "cartesian":
            for found in ahead_and_back(objective, model, times, [*values], start, monkeypatch, **steps):
                np.testing.assert_allclose(found, wanted, rtol=CLOSE, atol=CLOSE, err_msg=name)
    check_back(run, ["ball.y", "ball.vx", "energy.kinetic"])


@pytest.mark.parametrize("method", ["DP5", "Radau5"])
def test_a_run_that_ends_where_a_block_sets_out_or_rests(method, monkeypatch):
    """A block on a spring k, stretched by x, slips to rest where it is slow, or a force c t sets it out: at the end its
    time, its acceleration and the force of friction f on it are those behind the change."""
    values, times, steps = {"m": 2.0, "k": 30.0, "mu": 0.3, "s": 0.5, "c": 8.0}, [0.0, 0.1, 9.0], {"rtol": 1e-12}
    model = mbs.PlanarModel("block", gravity=(0, -10.0))
    m, k, mu, s, c = (model.parameter(name, value) for name, value in values.items())
    block = model.body("block", mass=m, inertia=1.0)
    rub = model.add(mbs.Contact("rub", mbs.Line(model.ground), mbs.Point(block), friction=mu, static_friction=s))
    start = {"block.x": 0.0, "block.y": 0.0, "block.angle": 0.0, "block.vx": 0.0, "block.vy": 0.0, "block.omega": 0.0}
    pushed = model.plus(mbs.Force("push", block, (c * mbs.t, 0)), mbs.Event("out", rub.slips, action="stop"))
    spring = mbs.Force("spring", block, (-k * model["block.x"], 0))
    pulled = model.plus(spring, mbs.Event("rests", rub.sticks, action="stop"))

    def sets_out(m, k, mu, s, c):
        return [s * m * 10 / c, (s - mu) * 10, mu * m * 10, mp.mpf(0)]

    def rests(m, k, mu, s, c):
        """From x = 0.5 the block moves along a half of a swing about x = μ m g/k."""
        x = 2 * mu * m * 10 / k - mp.mpf(0.5)
        return [mp.pi * mp.sqrt(m / k), mp.mpf(0), k * x, x]

    objectives = mbs.t, "block.ax", "rub.friction", "block.x"
    for one, motion, begun in ((pushed, sets_out, start), (pulled, rests, start | {"block.x": 0.5})):
        run = mbs.simulate(one, times, begun, derivatives=[*values], method=method, **steps)
        assert from_steps(run) and len(run.events) == 1
        sense = np.sign(run["rub.friction"][-1]) * np.sign(float(motion(*map(mp.mpf, values.values()))[2]))
        for level, read in enumerate(objectives):
            wanted = slopes(lambda *x, level=level, motion=motion: motion(*x)[level], values)
            wanted = wanted * (sense if read == "rub.friction" else 1.0)
            own = one, times, [*values], begun, monkeypatch
            for found in ahead_and_back(mbs.at_end(read), *own, method=method, **steps):
                np.testing.assert_allclose(found, wanted, rtol=CLOSE, atol=CLOSE, err_msg=str(read))


def test_a_run_that_ends_at_a_time_that_is_asked_for():
    """The force c t sets the block out at s m g/c = 1.25 s, where the run ends: its last state is that which slips."""
    values = {"c": 8.0, "s": 0.5, "mu": 0.3}
    model = mbs.PlanarModel("block", gravity=(0, -10.0))
    c, s, mu = (model.parameter(name, value) for name, value in values.items())
    block = model.body("block", mass=2.0, inertia=1.0)
    rub = model.add(mbs.Contact("rub", mbs.Line(model.ground), mbs.Point(block), friction=mu, static_friction=s))
    model.add(mbs.Force("push", block, (c * mbs.t, 0)), mbs.Event("out", rub.slips, action="stop"))
    start = {"block.x": 0.0, "block.y": 0.0, "block.angle": 0.0, "block.vx": 0.0, "block.vy": 0.0, "block.omega": 0.0}
    ends = float(mbs.simulate(model, [0, 1.0, 3.0], start, rtol=1e-12).t[-1])
    run = mbs.simulate(model, [0, 1.0, ends, 3.0], start, derivatives=[*values], rtol=1e-12)
    assert from_steps(run) and run.t[-1] == ends == pytest.approx(1.25, abs=1e-9) and run.t.size == 3
    assert run["block.ax"][-1] == pytest.approx(2.0, abs=1e-9)  # c t/m - mu g at the time that is held
    assert [run.d("block.ax", by)[-1] for by in values] == pytest.approx([0.625, 0.0, -10.0], abs=1e-9)
    check_back(run, ["block.ax", "rub.friction"])


# --- states that are set where contacts change, or among contacts ----------------------------------------------------


@HOW
def test_a_ball_that_is_thrown_up_wherever_it_lands(how):
    """Each time the ball touches the floor its velocity behind the impact, e v, becomes e v + u + a t."""
    values = {"e": 0.6, "u": 1.1, "a": 0.3, "ball.y": 1.0, "gravity.y": -10.0}
    model, (coordinates, steps) = mbs.PlanarModel("thrown", gravity=(0, -10.0)), options(how)
    body, (e, u, a) = model.body("ball", 1.2, 0.1), (model.parameter(name, values[name]) for name in "eua")
    floor = model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Point(body), restitution=e))
    up = mbs.Reset({"ball.vy": model["ball.vy"] + u + a * mbs.t})
    model.add(mbs.Event("throw", floor.touches, action=up), mbs.Event("lands", floor.touches))
    start = {"ball.x": 0.0, "ball.y": 1.0, "ball.angle": 0.0, "ball.vx": 0.4, "ball.vy": 0.0, "ball.omega": 0.0}

    def motion(t, e, u, a, y, g):
        now, vy = mp.mpf(0), mp.mpf(0)
        while True:
            lasts = (vy + mp.sqrt(vy**2 - 2 * g * y)) / -g
            if now + lasts > t:
                after = t - now
                return [y + vy * after + g * after**2 / 2, vy + g * after]
            now, y, vy = now + lasts, mp.mpf(0), -e * (vy + g * lasts)
            vy = vy + u + a * now

    times = [0.0, 0.3, 0.7, 1.2, 2.5]
    run = mbs.simulate(model.compile(coordinates), times, start, derivatives=[*values], **steps)
    assert from_steps(run) and len(run.impacts) == 3 and len(run.events) == 2 * len(run.impacts)
    check_closed_form(run, motion, ["ball.y", "ball.vy"], values)
    check_back(run, ["ball.y", "ball.vy", "energy.supplied", "energy.dissipated"])
    first, fall = run.events[0], lambda e, u, a, y, g: mp.sqrt(-2 * y / g)
    np.testing.assert_allclose([first.d("t", by) for by in values], slopes(fall, values), rtol=CLOSE, atol=CLOSE)


@pytest.mark.parametrize("method", ["DP5", "Radau5"])
def test_a_block_that_is_kicked_where_it_rests_and_where_it_passes(method):
    """A block slides with μ: at x = d its velocity is multiplied by -k, and where it rests it becomes w."""
    values = {"mu": 0.3, "d": 0.4, "k": 0.8, "w": 1.5, "block.vx": 2.5}
    model, g = mbs.PlanarModel("block", gravity=(0, -10.0)), 10
    mu, d, k, w = (model.parameter(name, value) for name, value in values.items() if "." not in name)
    block = model.body("block", mass=2.0, inertia=1.0)
    rub = model.add(mbs.Contact("rub", mbs.Line(model.ground), mbs.Point(block), friction=mu))
    model.add(
        mbs.Event("back", model["block.x"] - d, direction=1, action=mbs.Reset({"block.vx": -k * model["block.vx"]})),
        mbs.Event("kick", rub.sticks, action=mbs.Reset({"block.vx": w})),
    )
    start = {"block.x": 0.0, "block.y": 0.0, "block.angle": 0.0, "block.vx": 2.5, "block.vy": 0.0, "block.omega": 0.0}

    def motion(t, mu, d, k, w, v):
        now, x = mp.mpf(0), mp.mpf(0)
        while True:
            a = -mp.sign(v) * mu * g
            lasts = -v / a
            if v > 0 and x < d and v**2 > 2 * mu * g * (d - x):  # the block passes the line
                lasts = (v - mp.sqrt(v**2 - 2 * mu * g * (d - x))) / (mu * g)
            if now + lasts > t:
                return [x + v * (t - now) + a * (t - now) ** 2 / 2, v + a * (t - now)]
            now, x, passes = now + lasts, x + v * lasts + a * lasts**2 / 2, v > 0 and x < d
            v = -k * (v + a * lasts) if passes and abs(x - d) < mp.mpf("1e-20") else w

    times = [0.0, 0.1, 0.4, 0.9, 1.5, 2.0]
    run = mbs.simulate(model, times, start, derivatives=[*values], method=method, rtol=1e-12)
    assert from_steps(run) and {event.name for event in run.events} == {"back", "kick"} and len(run.events) >= 4
    check_closed_form(run, motion, ["block.x", "block.vx"], values)
    check_back(run, ["block.x", "block.vx", "rub.friction", "energy.dissipated"])


@pytest.mark.parametrize("method", ["DP5", "Radau5"])
def test_a_block_that_is_set_to_rest_sticks_in_neighbouring_runs_too(method):
    """At x = d its velocity becomes w = 0. A neighbour with w ≠ 0 slips by w²/2μg only: it has the same derivatives."""
    model = mbs.PlanarModel("block", gravity=(0, -10.0))
    mu, d, w, c = (model.parameter(name, value) for name, value in (("mu", 0.3), ("d", 0.4), ("w", 0.0), ("c", 8.0)))
    block = model.body("block", mass=2.0, inertia=1.0)
    rests = mbs.Event("rests", model["block.x"] - d, action=mbs.Reset({"block.vx": w}))
    rub = mbs.Contact("rub", mbs.Line(model.ground), mbs.Point(block), friction=mu)
    model.add(rub, rests, mbs.Force("push", block, (c * mbs.t, 0)))
    start = {"block.x": 0.0, "block.y": 0.0, "block.angle": 0.0, "block.vx": 2.5, "block.vy": 0.0, "block.omega": 0.0}

    def motion(t, mu, d, w, c, v):
        def place(t):
            return v * t - mu * 10 * t**2 / 2 + c * t**3 / 12

        begins = mu * 20 / c  # the force sets the block out again
        if t <= 0.1:
            return [place(t), v - mu * 10 * t + c * t**2 / 4]
        after = max(t - begins, 0)
        return [d + c * after**3 / 12, c * after**2 / 4]

    values = {"mu": 0.3, "d": 0.4, "w": 0.0, "c": 8.0, "block.vx": 2.5}
    run = mbs.simulate(model, [0.0, 0.1, 0.6, 0.9, 1.4], start, derivatives=[*values], method=method, rtol=1e-12)
    assert from_steps(run) and [round(event.t, 2) for event in run.events] == [0.18]
    check_closed_form(run, motion, ["block.x", "block.vx"], values)
    check_back(run, ["block.x", "block.vx"])
