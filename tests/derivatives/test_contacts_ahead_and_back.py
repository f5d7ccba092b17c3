"""Derivatives of runs with impacts, stops and friction that sticks and slips, exact in every step: ahead and back
through one list of changes, against closed forms in 40 digits and against runs of neighbouring designs."""

from collections.abc import Callable
from functools import partial
from typing import Any

import mpmath as mp
import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp
from test_runs_that_switch import extrapolated

import mbs_dae as mbs
from mbs_dae.derivatives.runs.gradients import adjoints, goes_back
from mbs_dae.motion.past.tape import Steps

CLOSE, G = 1e-12, 9.81


def check_back(result: mbs.Result, names: list[str], close: float = CLOSE) -> None:
    """The gradients of two numbers, random sums of these arrays, are the same back and ahead."""
    random = np.random.default_rng(0)
    assert goes_back(result)
    weights = {name: random.normal(size=(2, *np.shape(result[name]))) for name in names}
    back = adjoints(result, weights)
    for k, by in enumerate(result.varied.variables.names):
        terms = [(own * result.d(name, by)).reshape(2, -1) for name, own in weights.items()]
        ahead, size = (sum(part) for part in zip(*((x.sum(axis=1), np.abs(x).sum(axis=1)) for x in terms), strict=True))
        scale = sum(np.abs(own * result[name]).reshape(2, -1).sum(axis=1) for name, own in weights.items())
        assert (np.abs(back[:, k] - ahead) <= close * size + 1e-15 * scale).all(), by


def check_closed_form(
    result: mbs.Result, motion: Callable[..., list[Any]], names: list[str], values: dict[str, float],
    close: float = 1e-9,
) -> None:  # fmt: skip
    """All derivatives of these arrays are those of a closed form, a function of t and of the values, to a part `close`
    of their size."""
    own = list(values.values())
    with mp.workdps(40):
        for k, t in enumerate(result.t):
            for at, by in enumerate(values):

                def along(p, level, at=at, t=t):
                    known = [mp.mpf(x) for x in own]
                    known[at] = p
                    return motion(mp.mpf(float(t)), *known)[level]

                for level, name in enumerate(names):
                    slope = float(mp.diff(lambda p, level=level: along(p, level), mp.mpf(own[at]), h=mp.mpf("1e-12")))
                    found = result.d(name, by)[k]
                    assert abs(found - slope) < close * max(1.0, abs(slope)), (t, name, by, found, slope)


# --- impacts ----------------------------------------------------------------------------------------------------------


def ball(e: float, mu: float) -> mbs.PlanarModel:
    """A ball over a floor, with its radius, restitution, friction, mass and inertia as parameters."""
    model = mbs.PlanarModel("ball", gravity=(0, -G))
    radius, back, rubs = model.parameter("R", 0.1), model.parameter("e", e), model.parameter("mu", mu)
    body = model.body("ball", model.parameter("m", 1.3), model.parameter("J", 0.006), position=(0, 1.0))
    model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Disk(body, radius), restitution=back, friction=rubs))
    return model


def bounces(t, R, e, mu, m, J, height, vx, omega):
    """x, y, vx and ω of the ball, which falls from a height; at each impact friction ends its slip, or is μ P_n."""
    x, y, vy = mp.mpf(0), height, mp.mpf(0)
    while True:
        lands = (vy + mp.sqrt(vy**2 + 2 * G * (y - R))) / G
        if t <= lands:
            return [x + vx * t, y + vy * t - G * t**2 / 2, vx, omega]
        t, x, y, speed = t - lands, x + vx * lands, R, G * lands - vy
        vy, slip, most = e * speed, vx + R * omega, mu * (1 + e) * m * speed
        ends = slip / (1 / m + R**2 / J)
        impulse = ends if abs(ends) <= most else most * mp.sign(slip)
        vx, omega = vx - impulse / m, omega - impulse * R / J


@pytest.mark.parametrize("mu", [0.04, 0.4], ids=["slips", "rolls"])
@pytest.mark.parametrize("method", ["DP5", "DP8", "RK4", "Radau5", "GA"])
def test_a_spinning_ball_bounces_twenty_times(mu, method):
    values = {"R": 0.1, "e": 0.85, "mu": mu, "m": 1.3, "J": 0.006, "ball.y": 1.0, "ball.vx": 2.0, "ball.omega": -20.0}
    start = {name: value for name, value in values.items() if "." in name} | {"ball.x": 0.0, "ball.vy": 0.0}
    steps: dict[str, Any] = {"step": 0.01} if method == "RK4" else {"rtol": 1e-12, "max_step": 0.05}
    times, start = [0.0, 0.4, 1.5, 5.07], start | {"ball.angle": 0.0}
    result = mbs.simulate(ball(0.85, mu), times, start, method=method, derivatives=[*values], **steps)
    assert len(result.impacts) >= 20
    names = ["ball.x", "ball.y", "ball.vx", "ball.omega"]
    check_closed_form(result, bounces, names, values)
    check_back(result, [*names, "ball.vy", "energy.kinetic"])


def test_an_impact_has_the_coefficient_of_the_slip_before_it():
    """The coefficient of friction depends on the slip: an impact has μ = k (0.05 + 0.2 exp(-s²/4)) with s before it."""
    model = mbs.PlanarModel("ball", gravity=(0, -G))
    k, body = model.parameter("k", 0.3), model.body("ball", 1.3, 0.006)
    rubs = k * (0.05 + 0.2 * sp.exp(-((model["ball.vx"] + 0.1 * model["ball.omega"]) ** 2) / 4))
    model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Disk(body, 0.1), restitution=0.85, friction=rubs))
    start = {"ball.x": 0.0, "ball.y": 1.0, "ball.angle": 0.0, "ball.vx": 2.0, "ball.vy": 0.0, "ball.omega": 20.0}

    def motion(t, k, vx, omega):
        y, vy = mp.mpf(1), mp.mpf(0)
        x = mp.mpf(0)
        while True:
            lands = (vy + mp.sqrt(vy**2 + 2 * G * (y - mp.mpf(0.1)))) / G
            if t <= lands:
                return [x + vx * t, vx, omega]
            t, x, y, speed = t - lands, x + vx * lands, mp.mpf(0.1), G * lands - vy
            slip = vx + mp.mpf(0.1) * omega
            impulse = k * (0.05 + mp.mpf(0.2) * mp.exp(-(slip**2) / 4)) * (1 + mp.mpf(0.85)) * speed  # over the mass
            vx, omega = vx - impulse, omega - impulse * mp.mpf(0.1) * mp.mpf(1.3) / mp.mpf(0.006)
            vy = mp.mpf(0.85) * speed

    values = {"k": 0.3, "ball.vx": 2.0, "ball.omega": 20.0}
    result = mbs.simulate(model, [0.0, 0.4, 1.5, 2.2], start, derivatives=[*values], rtol=1e-12)
    assert len(result.impacts) == 3
    check_closed_form(result, motion, ["ball.x", "ball.vx", "ball.omega"], values)
    check_back(result, ["ball.x", "ball.vx", "ball.omega", "floor.friction"])


@pytest.mark.parametrize("method", ["DP5", "DP8", "Radau5"])
def test_a_spinning_ball_bounces_in_space(method):
    """Friction in an impact opposes the slip, whose direction depends on velocities and spins; the impulse of friction
    is μ P_n, or less if it stops the slip."""
    values = {"R": 0.1, "e": 0.7, "mu": 0.12, "m": 1.3, "J": 0.006, "ball.vx": 2.0, "ball.wx": 20.0, "ball.z": 1.0}
    model = mbs.SpatialModel("ball", gravity=(0, 0, -G))
    radius, e, mu, mass, inertia = (model.parameter(name, values[name]) for name in ("R", "e", "mu", "m", "J"))
    body = model.body("ball", mass, (inertia,) * 3, position=(0, 0, 1.0))
    model.add(mbs.Contact("floor", mbs.Plane(model.ground), mbs.Sphere(body, radius), restitution=e, friction=mu))

    def motion(t, R, e, mu, m, J, vx, wx, height):
        x, y, z, vy, vz, wy = mp.mpf(0), mp.mpf(0), height, mp.mpf("0.5"), mp.mpf(0), mp.mpf(-5)
        while True:
            lands = (vz + mp.sqrt(vz**2 + 2 * G * (z - R))) / G
            if t <= lands:
                return [x + vx * t, y + vy * t, z + vz * t - G * t**2 / 2, vx, wx]
            t, x, y, z, vz = t - lands, x + vx * lands, y + vy * lands, R, e * (G * lands - vz)
            slip = vx - R * wy, vy + R * wx
            speed = mp.hypot(*slip)
            impulse = min(1 / (1 / m + R**2 / J), mu * (1 + 1 / e) * m * vz / speed) if speed > 1e-30 else 0
            px, py = (-impulse * s for s in slip)
            vx, vy, wx, wy = vx + px / m, vy + py / m, wx + R * py / J, wy - R * px / J

    start = {"ball.vx": 2.0, "ball.vy": 0.5, "ball.vz": 0.0, "ball.wx": 20.0, "ball.wy": -5.0, "ball.wz": 3.0}
    start |= {"ball.x": 0.0, "ball.y": 0.0, "ball.z": 1.0}
    times, fine = [0.0, 0.7, 1.5, 2.4], {"rtol": 1e-12, "max_step": 0.05, "method": method}
    result = mbs.simulate(model, times, start, derivatives=[*values], **fine)
    assert len(result.impacts) > 6
    names = ["ball.x", "ball.y", "ball.z", "ball.vx", "ball.wx"]
    check_closed_form(result, motion, names, values)
    check_back(result, [*names, "energy.kinetic"])


@pytest.mark.parametrize(
    ("method", "earlier"), [("DP5", None), ("DP8", None), ("Radau5", None), ("DP5", 1e-5), ("DP8", 5e-5)]
)
def test_a_ball_slides_in_space_until_it_rolls(method, earlier):
    """The slip s = v - R ω × n of a ball on a plane keeps its direction, and ends after |s|/(μ g (1 + m R²/J)). Steps
    hold the direction of a slow slip, so the change of the slip across it remains; it is removed as the slip stops.
    Another ball that rolls a little `earlier` changes none of this."""
    values = {"mu": 0.12, "m": 1.3, "J": 0.006, "ball.vx": 2.0, "ball.wx": 20.0}
    model = mbs.SpatialModel("ball", gravity=(0, 0, -G))
    mu, mass, inertia = (model.parameter(name, values[name]) for name in ("mu", "m", "J"))
    body = model.body("ball", mass, (inertia,) * 3, position=(0, 0, 0.1))
    floor = mbs.Plane(model.ground)
    model.add(mbs.Contact("floor", floor, mbs.Sphere(body, 0.1), friction=mu))

    def motion(t, mu, m, J, vx, wx):
        R = mp.mpf("0.1")
        slip = vx + R * 5, mp.mpf("0.5") + R * wx
        speed = mp.hypot(*slip)
        slides = min(t, speed / (mu * G * (1 + m * R**2 / J)))
        ax, ay = (-mu * G * s / speed for s in slip)
        vx, vy, x, y = vx + ax * slides, ay * slides + 0.5, vx * t, 0.5 * t
        lost = slides * t - slides**2 / 2
        return [x + ax * lost, y + ay * lost, vx, vy, wx + R * m * ay * slides / J]

    start = {"ball.vx": 2.0, "ball.vy": 0.5, "ball.vz": 0.0, "ball.wx": 20.0, "ball.wy": -5.0, "ball.wz": 3.0}
    if earlier is not None:
        other = model.body("other", mass, (inertia,) * 3, position=(0, 3, 0.1))
        model.add(mbs.Contact("other floor", floor, mbs.Sphere(other, 0.1), friction=mu))
        start |= {name.replace("ball", "other"): (1 - earlier) * value for name, value in start.items()}
    times, fine = [0.0, 0.3, 1.0, 2.4], {"rtol": 1e-12, "max_step": 0.05, "method": method}
    result = mbs.simulate(model, times, start, derivatives=[*values], **fine)
    assert [one.after for one in result.transitions] == ["sticks"] * (1 if earlier is None else 2)
    names, close = ["ball.x", "ball.y", "ball.vx", "ball.vy", "ball.wx"], 1e-9 if earlier is None else 3e-9
    check_closed_form(result, motion, names, values, close)
    check_back(result, ["ball.x", "ball.y", "ball.vx", "floor.force", "energy.kinetic"])


def test_a_ball_comes_to_rest_on_a_slope_and_rolls():
    """Behind the impact with e = 0 the ball rolls, or slips: a = g sin α / (1 + J/(m R²)), or g (sin α - μ cos α)."""
    for mu, rolls in ((0.4, True), (0.05, False)):
        model = mbs.PlanarModel("slope", gravity=(0, -G))
        slope, rubs = model.parameter("slope", 0.3), model.parameter("mu", mu)
        body = model.body("ball", 1.3, 0.006)
        line = mbs.Line(model.ground.at(0, 0, angle=-slope))
        model.add(mbs.Contact("plane", line, mbs.Disk(body, 0.1), friction=rubs))
        start = {"ball.x": 0.0, "ball.y": 0.4, "ball.angle": 0.0, "ball.vx": 0.0, "ball.vy": 0.0, "ball.omega": 0.0}

        def motion(t, a, mu, y, rolls=rolls):
            lands = mp.sqrt(2 * (y - 0.1 / mp.cos(a)) / G)
            if t < lands:
                return [mp.mpf(0), y - G * t**2 / 2, mp.mpf(0)]
            along = G * lands * mp.sin(a)  # the speed along the slope that the impact leaves, but for friction
            impulse = along / (1 + 0.01 * 1.3 / mp.mpf(0.006)) if rolls else mu * G * lands * mp.cos(a)
            rate = G * mp.sin(a) / (1 + mp.mpf(0.006) / (1.3 * 0.01)) if rolls else G * (mp.sin(a) - mu * mp.cos(a))
            s = (along - impulse) * (t - lands) + rate * (t - lands) ** 2 / 2
            low = y - G * lands**2 / 2
            return [s * mp.cos(a), low - s * mp.sin(a), (along - impulse + rate * (t - lands)) * mp.cos(a)]

        values = {"slope": 0.3, "mu": mu, "ball.y": 0.4}
        result = mbs.simulate(model, [0.0, 0.5, 0.9], start, derivatives=[*values], rtol=1e-11, atol=1e-12)
        assert len(result.impacts) == 1
        check_closed_form(result, motion, ["ball.x", "ball.y", "ball.vx"], values)
        check_back(result, ["ball.x", "ball.omega", "plane.force", "plane.friction", "energy.kinetic"])


def test_a_slider_crank_runs_into_a_stop():
    """Its derivatives are those of neighbouring runs, and gradients of positions, reactions and forces agree."""
    model = mbs.PlanarModel("crank", gravity=(0, -G))
    r, rod, e, end, drive = (
        model.parameter(name, value) for name, value in (("r", 0.2), ("l", 0.5), ("e", 0.6), ("end", 0.62), ("M", 0.8))
    )
    crank, link, guided = model.body("crank", 1.0, 0.01), model.body("rod", 1.0, 0.02), model.body("slider", 0.5, 0.01)
    model.add(mbs.Revolute("A", model.ground.at(0, 0), crank.at(-r / 2, 0)))
    model.add(mbs.Revolute("B", crank.at(r / 2, 0), link.at(-rod / 2, 0)))
    model.add(mbs.Revolute("C", link.at(rod / 2, 0), guided.at(0, 0)))
    guide = model.add(mbs.Translational("guide", model.ground.at(0, 0), guided.at(0, 0)))
    model.add(mbs.Torque("drive", crank, drive))
    model.add(mbs.Stop("stop", mbs.displacement(guide), upper=end, restitution=e))
    times, start = np.linspace(0, 1, 6), {"A.angle": 1.0}
    fine: dict[str, Any] = {"rtol": 1e-12, "atol": 1e-14, "method": "DP8"}
    result = mbs.simulate(model, times, start, derivatives=[*model.parameters], **fine)
    assert len(result.impacts) > 5
    for name, parameter in model.parameters.items():

        def run(p, name=name):
            made = mbs.simulate(model.with_parameters(**{name: p}), times, start, **fine)
            return np.concatenate([made["slider.x"], made["crank.omega"]])

        wanted = extrapolated(run, parameter.value, 1e-4 * parameter.value)
        found = np.concatenate([result.d("slider.x", name), result.d("crank.omega", name)])
        assert np.abs(found - wanted).max() < 1e-7 * np.abs(wanted).max(), name
    check_back(result, ["slider.x", "crank.omega", "A.force", "stop.force", "energy.total"])


# --- friction ---------------------------------------------------------------------------------------------------------


def test_a_block_on_a_belt_sticks_and_slips():
    """The end of a spring moves at a speed v; the block sticks up to F_s and slips with F_k. With a = (F_s - F_k)/k a
    slip lasts 2 (π - atan(a ω/v))/ω, and then the block rests for 2 a/v."""
    model = mbs.PlanarModel("belt")
    k, v, slides, rests = (
        model.parameter(name, value) for name, value in (("k", 60.0), ("v", 0.2), ("F_k", 4.0), ("F_s", 7.0))
    )
    block = model.body("block", 1.5, 0.1)
    guide = model.add(mbs.Translational("guide", model.ground, block))
    model.add(mbs.DryFriction("friction", mbs.displacement(guide), slides, static_force=rests))
    model.add(mbs.Force("spring", block, (k * (v * mbs.t - model["guide.displacement"]), 0)))

    def motion(t, k, v, F_k, F_s):
        w, x, a = mp.sqrt(k / mp.mpf("1.5")), mp.mpf(0), (F_s - F_k) / k
        sets_out = F_s / k / v
        while True:  # the block is at x, and rests until the spring's end is at x + F_s/k
            if t <= sets_out:
                return [x, mp.mpf(0)]
            lasts = 2 * (mp.pi - mp.atan(a * w / v)) / w
            s = min(t - sets_out, lasts)
            y, dy = a * mp.cos(w * s) + v / w * mp.sin(w * s), -a * w * mp.sin(w * s) + v * mp.cos(w * s)
            if t - sets_out < lasts:  # the spring is F_k/k + y long
                return [v * t - F_k / k - y, v - dy]
            x = v * (sets_out + lasts) - F_k / k - y
            sets_out += lasts + 2 * a / v

    values = {"k": 60.0, "v": 0.2, "F_k": 4.0, "F_s": 7.0}
    times = [0.0, 0.3, 0.7, 1.3, 2.2, 3.1, 4.0]
    result = mbs.simulate(model, times, {"block.x": 0.0}, derivatives=[*values], rtol=1e-11, atol=1e-12)
    assert sum(one.after == "sticks" for one in result.transitions) >= 3
    check_closed_form(result, motion, ["block.x", "block.vx"], values)
    check_back(result, ["block.x", "block.vx", "friction.force", "energy.kinetic"])
    for other in ({"method": "Radau5"}, {"coordinates": "joint"}):
        own = model.compile(other.pop("coordinates")) if "coordinates" in other else model
        beside = mbs.simulate(own, times, {"block.x": 0.0}, derivatives=[*values], rtol=1e-9, atol=1e-11, **other)
        for by in values:
            np.testing.assert_allclose(beside.d("block.x", by), result.d("block.x", by), rtol=1e-5, atol=1e-9)


def test_friction_of_a_guide_changes_with_what_presses_in_it():
    """The force of the guide changes its sign, and the block stops and turns."""
    model = mbs.PlanarModel("guide", gravity=(0, -G))
    mu, stiff, mass = model.parameter("mu", 0.2), model.parameter("k", 50.0), model.parameter("m", 0.5)
    block = model.body("block", mass, 0.01)
    guide = model.add(mbs.Translational("guide", model.ground, block))
    model.add(mbs.Friction("friction", guide, mu))
    model.add(mbs.Spring("spring", model.ground.at(-0.5, 0.4), block.at(0, 0), stiff, 0.5))
    times, start = np.linspace(0, 2, 9), {"block.x": 0.3, "block.vx": 2.0}
    fine: dict[str, Any] = {"rtol": 1e-12, "atol": 1e-14, "method": "DP8"}
    result = mbs.simulate(model, times, start, derivatives=["mu", "k", "m", "block.vx"], **fine)
    assert result.stats["switches"] > 8
    for name in ("mu", "k", "m"):
        value = model.parameters[name].value
        wanted = extrapolated(
            lambda p, name=name: mbs.simulate(model.with_parameters(**{name: p}), times, start, **fine)["block.x"],
            value, 1e-4 * value,
        )  # fmt: skip
        assert np.abs(result.d("block.x", name) - wanted).max() < 1e-7 * np.abs(wanted).max(), name
    check_back(result, ["block.x", "block.vx", "guide.force", "friction.force"])


def pendulum(t: np.ndarray, mass: float, mu: float, radius: float, omega: float) -> np.ndarray:
    """Return angles and speeds of a rod whose centre is l = 0.5 m away from its pin with friction, by its equation of
    motion J φ'' = -m g l cos φ - μ r |N| sgn φ' with N = m (a - g), solved for φ'' by iteration, as N contains φ''."""
    length, inertia = 0.5, 0.02 + 0.25 * mass

    def bend(angle, speed, sign):
        weight, along = mass * G * np.cos(angle), mass * (G * np.sin(angle) - length * speed**2)
        push = mu * radius * sign

        def across(rate):  # the part of N at right angles to the rod
            return mass * length * rate + weight

        rate = 0.0
        for _ in range(100):
            rate = (-length * weight - push * np.hypot(along, across(rate))) / inertia
        return rate

    out, at, state, sign = np.zeros((t.size, 2)), t[0], np.array([0.0, omega]), np.sign(omega)
    out[0] = state
    while at < t[-1]:
        stops: Any = lambda _, y: y[1]  # noqa: E731
        stops.terminal, stops.direction = True, -sign
        known = {"method": "DOP853", "rtol": 3e-14, "atol": 1e-15, "events": stops, "dense_output": True}
        begin = state if state[1] else state + [0, 1e-300 * sign]
        span = solve_ivp(lambda _, y, s=sign: [y[1], bend(*y, s)], (at, t[-1]), begin, **known)
        inside = (t > at) & (t <= span.t[-1])
        out[inside] = span.sol(t[inside]).T
        at, state, sign = span.t[-1], np.array([span.y[0, -1], 0.0]), -sign
    return out.ravel()


@pytest.mark.parametrize("coordinates", ["cartesian", "natural"])
@pytest.mark.parametrize("method", ["DP8", "Radau5"])
def test_a_pendulum_rubs_in_its_pin(method, coordinates):
    model = mbs.PlanarModel("pendulum", gravity=(0, -G))
    values = {"m": 1.3, "mu": 0.3, "r": 0.05, "rod.omega": 6.0}
    mass, mu, radius = (model.parameter(name, values[name]) for name in ("m", "mu", "r"))
    rod = model.body("rod", mass, 0.02, position=(0.5, 0))
    pin = model.add(mbs.Revolute("pin", model.ground, rod.at(-0.5, 0)))
    model.add(mbs.Friction("rub", pin, mu, radius=radius))
    times = np.linspace(0, 2.4, 7)
    made = model.compile(coordinates)
    result = mbs.simulate(made, times, {"rod.omega": 6.0}, method=method, derivatives=[*values], rtol=1e-12, atol=1e-13)
    assert result.stats["switches"] >= 2
    for by, value in values.items():
        wanted = extrapolated(lambda p, by=by: pendulum(times, *(values | {by: p}).values()), value, 2e-4 * value)
        found = np.stack([result.d("rod.angle", by), result.d("rod.omega", by)], axis=1).ravel()
        assert np.abs(found - wanted).max() < 1e-8 * np.abs(wanted).max(), by
    check_back(result, ["rod.angle", "rod.omega", "rub.force", "pin.force"])


def test_a_hinge_and_a_socket_rub_in_space():
    model = mbs.SpatialModel("arm", gravity=(0, 0, -G))
    values = {"mu": 0.2, "M": 1.3, "r": 0.03, "b.wz": 2.0}
    mu, mass, radius = (model.parameter(name, values[name]) for name in ("mu", "M", "r"))
    a = model.body("a", mass, (0.01, 0.02, 0.02), position=(0.5, 0, 0))
    b = model.body("b", 0.7, (0.01, 0.01, 0.01), position=(1.3, 0, 0))
    hinge = model.add(mbs.Revolute("hinge", model.ground, a, at=(0, 0, 0), axis=(0, 1, 0)))
    socket = model.add(mbs.Spherical("socket", a.at(0.5, 0, 0), b.at(-0.3, 0, 0)))
    model.add(mbs.Friction("rubs", hinge, mu, radius=radius))
    model.add(mbs.Friction("turns", socket, mu, radius=0.02))
    start, names = {"hinge.omega": 2.0, "b.wx": 1.0, "b.wz": 2.0}, ["a.x", "b.x", "b.y", "b.vx"]
    times, fine = np.linspace(0, 1.2, 4), {"rtol": 1e-12, "atol": 1e-13, "method": "DP8"}
    result = mbs.simulate(model, times, start, derivatives=[*values], **fine)
    assert result.stats["switches"] >= 1
    for by, value in values.items():

        def run(p, by=by):
            other = model.with_parameters(**{by: p}) if by in model.parameters else model
            made = mbs.simulate(other, times, start if by in model.parameters else start | {by: p}, **fine)
            return np.concatenate([made[name] for name in names])

        wanted = extrapolated(run, value, 1e-3 * value)
        found = np.concatenate([result.d(name, by) for name in names])
        assert np.abs(found - wanted).max() < 1e-7 * np.abs(wanted).max(), by
    check_back(result, [*names, "hinge.force", "turns.moment"])


def rubbing_crank(friction: float = 0.15) -> mbs.PlanarModel:
    """Return a slider-crank with friction in two pins and in its guide, whose slider strikes a stop."""
    model = mbs.PlanarModel("crank", gravity=(0, -G))
    mu, radius, e = model.parameter("mu", friction), model.parameter("r", 0.01), model.parameter("e", 0.6)
    crank = model.link("crank", (0, 0), (0.02, 0.1), mass=model.parameter("m", 0.8))
    rod, slider = model.link("rod", (0.02, 0.1), (0.3, 0), mass=0.5), model.body("slider", 0.6, 0.01, position=(0.3, 0))
    pins = [model.add(mbs.Revolute("A", model.ground, crank.tail)), model.add(mbs.Revolute("B", crank.head, rod.tail))]
    model.add(mbs.Revolute("C", rod.head, slider))
    guide = model.add(mbs.Translational("guide", model.ground, slider))
    for pin in pins:
        model.add(mbs.Friction(f"rubs {pin.name}", pin, mu, radius=radius))
    model.add(mbs.Friction("rubs", guide, mu))
    model.add(mbs.Stop("stop", mbs.displacement(guide), upper=model.parameter("x", 0.35), restitution=e))
    return model


def test_impacts_load_joints_that_rub():
    """The impulse of the stop loads the pins and the guide, so friction in them has impulses as well. All three slips
    stop at one instant, whatever the parameters are."""
    model, start, times = rubbing_crank(), {"crank.omega": -12.0}, np.linspace(0, 0.5, 5)
    fine: dict[str, Any] = {"rtol": 1e-12, "atol": 1e-13, "method": "DP8"}
    values = {name: one.value for name, one in model.parameters.items()} | start
    result = mbs.simulate(model, times, start, derivatives=[*values], **fine)
    assert len(result.impacts) == 2 and result.stats["switches"] >= 3
    names = ["crank.angle", "slider.vx"]
    for by, value in values.items():

        def run(p, by=by):
            other = model.with_parameters(**{by: p}) if by in model.parameters else model
            made = mbs.simulate(other, times, start if by in model.parameters else {by: p}, **fine)
            return np.concatenate([made[name] for name in names])

        wanted = extrapolated(run, value, 1e-4 * abs(value))
        found = np.concatenate([result.d(name, by) for name in names])
        assert np.abs(found - wanted).max() < 1e-7 * np.abs(wanted).max(), by
    check_back(result, [*names, "guide.force", "rubs A.force"], 1e-10)


def test_frictions_that_share_a_load_hold_still():
    """The crank comes to rest where its three frictions hold it. Its motion has derivatives there; the force of each
    friction has none, and a message says so."""
    model = rubbing_crank(0.7)
    result = mbs.simulate(model, [0.0, 0.1, 2.0, 2.5], {"crank.omega": -4.0}, derivatives=["mu", "m"], rtol=1e-11)
    assert abs(result["crank.omega"][-1]) < 1e-10 and (result.d("crank.angle", "mu")[-2:] != 0.0).all()
    assert result.d("crank.angle", "mu")[2] == pytest.approx(result.d("crank.angle", "mu")[3], rel=1e-9)
    check_back(result, ["crank.angle", "slider.x"])
    assert "contacts or frictions share a load" in result.stats["derivatives"]
    found = result.d("rubs.force", "mu")
    assert np.isnan(found[-1]).all() and np.isfinite(found[1]).all()


@pytest.mark.parametrize("method", ["DP8", "Radau5"])
def test_friction_that_builds_up_over_a_speed(method):
    model = mbs.PlanarModel("ball", gravity=(0, -G))
    mu, speed, J = model.parameter("mu", 0.2), model.parameter("speed", 0.05), model.parameter("J", 0.006)
    body = model.body("ball", 1.3, J)
    model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Disk(body, 0.1), friction=mu, smooth=speed))
    start = {"ball.x": 0.0, "ball.y": 0.1, "ball.vx": 1.0, "ball.omega": -3.0, "ball.vy": 0.0, "ball.angle": 0.0}
    times, fine = [0.0, 0.1, 0.3, 0.6], {"rtol": 1e-12, "atol": 1e-14, "method": method}
    result = mbs.simulate(model, times, start, derivatives=["mu", "speed", "J"], **fine)
    for name, parameter in model.parameters.items():
        wanted = extrapolated(
            lambda p, name=name: mbs.simulate(model.with_parameters(**{name: p}), times, start, **fine)["ball.x"],
            parameter.value, 1e-4 * parameter.value,
        )  # fmt: skip
        np.testing.assert_allclose(result.d("ball.x", name), wanted, rtol=1e-7, atol=1e-11)
    check_back(result, ["ball.x", "ball.omega", "floor.friction"])


def test_a_block_sets_out_from_what_presses_in_its_guide():
    """A force F sin ω t moves a block of mass m from rest where it reaches μ_s m g; then v' = (F sin ω t)/m - μ g."""
    model = mbs.PlanarModel("guide", gravity=(0, -G))
    m, slides, holds = model.parameter("m", 1.3), model.parameter("mu", 0.23), model.parameter("mu_s", 0.39)
    block = model.body("block", m, 0.1)
    guide = model.add(mbs.Translational("guide", model.ground, block))
    model.add(mbs.Friction("friction", guide, mu=slides, mu_static=holds))
    model.add(mbs.Force("push", block, (9 * sp.sin(4 * mbs.t), 0)))

    def motion(t, m, mu, mu_s):
        out = mp.asin(mu_s * m * G / 9) / 4
        if t <= out:
            return [mp.mpf(0), mp.mpf(0)]
        a, s = 9 / m / 4, t - out
        x = a * mp.cos(4 * out) * s - a * (mp.sin(4 * t) - mp.sin(4 * out)) / 4 - mu * G * s**2 / 2
        return [x, a * (mp.cos(4 * out) - mp.cos(4 * t)) - mu * G * s]

    values = {"m": 1.3, "mu": 0.23, "mu_s": 0.39}
    result = mbs.simulate(model, [0, 0.1, 0.3, 0.4], {"block.x": 0.0}, derivatives=[*values], rtol=1e-11, atol=1e-13)
    check_closed_form(result, motion, ["block.x", "block.vx"], values)
    check_back(result, ["block.x", "block.vx", "friction.force", "guide.force"])


@pytest.mark.parametrize("how", ["DP5", "RK4", "Radau5", "GA", "joint"])
def test_a_disk_that_is_pushed_where_it_sticks_rolls_at_once(how):
    """A disk that sticks to the floor rolls with the part 1/(1 + J/(m R²)) of a speed that it is given, from the first
    instant on, however long the first step is."""
    model = mbs.PlanarModel("disk", gravity=(0, -G))
    disk = model.body("disk", 2.0, 0.03)
    model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Disk(disk, 0.1), friction=0.5))
    start = dict.fromkeys(("disk.x", "disk.angle", "disk.vx", "disk.vy", "disk.omega"), 0.0) | {"disk.y": 0.1}
    steps: dict[str, Any] = {} if how == "joint" else {"method": how}
    steps |= {"step": 0.1} if how == "RK4" else {}
    own = model.compile("joint") if how == "joint" else model
    result = mbs.simulate(own, [0, 0.1, 0.5], start, derivatives=["disk.vx"], **steps)
    rolls = 1 / (1 + 0.03 / (2.0 * 0.01))
    np.testing.assert_allclose(result.d("disk.x", "disk.vx"), rolls * result.t, rtol=1e-8, atol=1e-10)
    check_back(result, ["disk.x", "disk.omega"])


def test_redundant_equations_beside_a_stop():
    """Three cranks of one length carry a bar, and the first one has a stop: gradients are those ahead."""
    model = mbs.PlanarModel("bar", gravity=(0, -G))
    length, drive = model.parameter("a", 0.3), model.parameter("M", 3.0)
    cranks = [model.link(f"c{k}", (0.5 * k, 0), (0.5 * k, 0.3), length=length, mass=1.0) for k in range(3)]
    bar = model.body("bar", 2.0, 0.1, position=(0.5, 0.3))
    for k, crank in enumerate(cranks):
        model.add(mbs.Revolute(f"A{k}", model.ground.at(0.5 * k, 0), crank.tail))
        model.add(mbs.Revolute(f"B{k}", crank.head, bar.at(0.5 * k - 0.5, 0)))
    model.add(mbs.Stop("stop", mbs.angle(model.ground, cranks[0]), lower=1.57, restitution=0.5))
    model.add(mbs.Torque("drive", cranks[0], drive * sp.cos(3 * mbs.t)))
    start, times = {"c0.angle": 1.6, "c0.omega": -1.0}, [0, 0.3, 0.9]
    result = mbs.simulate(model, times, start, derivatives=["a", "M"])
    assert result.stats["redundant_equations"] == 1 and result.impacts
    check_back(result, ["c0.angle", "bar.ax"])


def test_gains_of_a_step_that_was_taken_back(monkeypatch):
    """Dry friction acts in the first of four pins. A step that was tried and taken back leaves other gains of
    Baumgarte's method than the step before a switch."""
    model, end = mbs.PlanarModel("chain", gravity=(0, -G)), None
    size = model.parameter("M", 0.05)
    for k in range(4):
        rod = model.link(f"rod{k}", (0.1 * k, 0), (0.1 * k + 0.1, 0), mass=model.parameter(f"m{k}", 0.2))
        pin = model.add(mbs.Revolute(f"pin{k}", end or model.ground, rod.tail))
        if k == 0:
            model.add(mbs.DryFriction("friction", mbs.angle(pin), size))
        else:
            model.add(mbs.Torque(f"damper{k}", pin, -0.004 * model[f"pin{k}.omega"]))
        end = rod.head
    result = mbs.simulate(model, np.linspace(0, 2, 11), derivatives=[*model.parameters])
    assert result.stats["switches"] > 4
    names = ["rod3.head.x", "rod0.omega", "pin0.force", "friction.force"]
    check_back(result, names, 1e-10)
    few = partial(Steps, room=2000)  # other states are made again
    monkeypatch.setattr("mbs_dae.derivatives.runs.recorder.Steps", few)
    short = mbs.simulate(model, np.linspace(0, 2, 11), derivatives=[*model.parameters])
    assert short.varied.taken.steps.every > 1
    check_back(short, names, 1e-10)


# --- random worlds ----------------------------------------------------------------------------------------------------


def world(seed: int, dimension: int = 2) -> tuple[Any, dict[str, float]]:
    """Two or three disks, in space balls without friction between them, that fall on a floor and on each other, and a
    block that rubs on its guide, between a spring and a force that changes in time."""
    random, plane = np.random.default_rng(seed), dimension == 2
    model: Any = (mbs.PlanarModel if plane else mbs.SpatialModel)("world", gravity=(0, -G) if plane else (0, 0, -G))
    e, radius = model.parameter("e", random.uniform(0.3, 0.9)), model.parameter("R", 0.1)
    mu = model.parameter("mu", random.uniform(0.05, 0.5))
    shapes, start = [], dict[str, float]()
    for k in range(int(random.integers(2, 4))):
        x, y = 0.15 * k + random.uniform(0, 0.02), 0.3 + 0.25 * k + random.uniform(0, 0.1)
        mass, at = random.uniform(0.3, 2.0), (x, y) if plane else (x, 0.0, y)
        one = model.body(f"ball{k}", mass, 0.005 * mass if plane else (0.005 * mass,) * 3, position=at)
        shape = mbs.Disk(one, radius) if plane else mbs.Sphere(one, radius)
        laws = {"restitution": e, "friction": mu}
        floor = mbs.Line(model.ground) if plane else mbs.Plane(model.ground)
        model.add(mbs.Contact(f"floor{k}", floor, shape, **laws))
        for j, other in enumerate(shapes):
            model.add(mbs.Contact(f"pair{j}{k}", other, shape, **(laws if plane else {"restitution": e})))
        shapes.append(shape)
        start[f"ball{k}.vx"] = random.uniform(-1, 1)
        if not plane:
            start[f"ball{k}.wx"] = random.uniform(-30, 30)
    stiff = model.parameter("k", random.uniform(30, 80))
    block = model.body("block", 1.0, 0.1 if plane else (0.1,) * 3)
    joint = mbs.Translational if plane else mbs.Prismatic
    guide = model.add(joint("guide", model.ground.at(*(-2.0, 0.0, 0.0)[:dimension]), block.at(*(0.0,) * dimension)))
    model.add(mbs.DryFriction("rubs", mbs.displacement(guide), model.parameter("F", random.uniform(0.5, 2.0))))
    pull = -stiff * model["guide.displacement"] + 5 * sp.sin(4 * mbs.t)
    model.add(mbs.Force("pull", block, (pull, 0.0, 0.0)[:dimension]))
    start["guide.displacement"] = random.uniform(0.1, 0.3)
    return model, start


def check_world(seed: int, dimension: int, method: str, coordinates: str = "cartesian") -> bool:
    """Whether the derivatives of the run could be compared, ahead and back."""
    model, start = world(seed, dimension)
    by, times = [*model.parameters, *start], np.linspace(0, 0.8, 5)
    fine: dict[str, Any] = {"rtol": 1e-11, "atol": 1e-12, "method": method}
    result = mbs.simulate(model.compile(coordinates), times, start, derivatives=by, **fine)
    names = ["ball0.x", "ball1.vx", "block.x"]
    found = {one: np.concatenate([result.d(name, one) for name in names]) for one in by}
    if "derivatives" in result.stats:
        return False
    for one in by:
        known = one in model.parameters
        value = model.parameters[one].value if known else start[one]

        def run(p, one=one, known=known):
            other = model.with_parameters(**{one: p}) if known else model
            made = mbs.simulate(other.compile(coordinates), times, start if known else start | {one: p}, **fine)
            return np.concatenate([made[name] for name in names])

        wanted, wider = (extrapolated(run, value, h * max(abs(value), 0.1)) for h in (1e-5, 1e-4))
        noise = 10 * np.abs(wanted - wider)  # impacts amplify what runs are off by
        if noise.max() > 1e-3 * np.abs(wanted).max() + 1e-6:
            return False  # the motion amplifies roundoff so much that its runs tell nothing
        assert (np.abs(found[one] - wanted) < 1e-5 * max(np.abs(wanted).max(), 1e-3) + noise).all(), (seed, one)
    if goes_back(result):
        check_back(result, [*names, "ball0.vx", "floor0.force", "rubs.force"], 1e-10)  # impacts amplify roundoff
    return goes_back(result)


WORLDS = [(0, 2, "DP5"), (1, 2, "DP8"), (2, 2, "DP5"), (3, 3, "DP5"), (2, 2, "Radau5"), (3, 3, "Radau5")]
OTHERS = [(2, 2, "Radau5"), (0, 2, "DP5"), (3, 3, "DP5")]


@pytest.mark.parametrize(
    ("seed", "dimension", "method", "coordinates"),
    [*((*own, "cartesian") for own in WORLDS), *((*own, other) for own in OTHERS for other in ("natural", "joint"))],
)
def test_random_worlds_ahead_and_back(seed, dimension, method, coordinates):
    assert check_world(seed, dimension, method, coordinates)


@pytest.mark.soak
@pytest.mark.parametrize("coordinates", ["cartesian", "natural", "joint"])
@pytest.mark.parametrize("method", ["DP5", "Radau5"])
def test_a_hundred_random_worlds_ahead_and_back(method, coordinates):
    assert sum(check_world(seed, 2 + seed % 2, method, coordinates) for seed in range(10, 110)) > 60
