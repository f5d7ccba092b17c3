"""Derivatives across impacts by Poisson's law, which takes the place of Newton's where that would give energy.

A rod flies on its way, without gravity, and strikes a floor with its tip. With w = (w_n, w_t) the velocity of the tip
and W its change by impulses, the compression has w_n' = 0, the expansion has the normal impulse e P_n of the
compression, and friction -μ P_n against the slip behind each part, or as much as ends the slip.
"""

from collections.abc import Sequence
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from test_contacts_ahead_and_back import check_back, check_closed_form
from test_events_from_steps import from_steps
from test_runs_that_switch import extrapolated

import mbs_dae as mbs

NAMES = ["rod.x", "rod.y", "rod.angle", "rod.vx", "rod.vy", "rod.omega"]
RODS = {  # J, a, b, μ, e, vx, and the states of the tip behind both parts
    "sticks twice": (0.055, 0.502, -0.697, 0.649, 0.933, -1.163, "=="),
    "sticks, then slips": (0.063, 0.641, -0.675, 0.714, 0.777, -0.742, "=+"),
    "slips, then sticks": (0.114, 0.461, -0.797, 0.326, 0.946, -1.849, "-="),
    "turns round": (0.042, 0.252, -0.314, 0.126, 0.949, -1.041, "-+"),
}


def impulses(w: Sequence[Any], W: Any, mu: Any, normal: Any) -> tuple[Any, Any, str]:
    """Return P_n and P_t of one part of the impact, and whether the tip sticks (=) or slips to one side (+, -) behind
    it. With `normal` None the approach ends, else this is the normal impulse."""
    (n, c), (_, t) = W
    if normal is None:
        P = (c * w[1] - t * w[0]) / (n * t - c * c)
        Q = -(w[1] + c * P) / t
    else:
        P, Q = normal, -(w[1] + c * normal) / t
    if abs(Q) <= mu * P:
        return P, Q, "="
    for sign, side in ((1, "+"), (-1, "-")):
        P = -w[0] / (n - mu * sign * c) if normal is None else normal
        if P >= 0 and sign * (w[1] + c * P - t * mu * sign * P) >= 0:
            return P, -mu * sign * P, side
    raise ArithmeticError("there is no solution")


def flight(t, J, a, b, mu, e, vx, m, y, vy, omega):
    """x, y, angle, vx, vy, ω of the rod, and the states of the tip behind both parts of the impact."""

    def height(at):
        return y + vy * at + a * mp.sin(omega * at) + b * mp.cos(omega * at)

    strikes = mp.findroot(height, mp.mpf("0.1"))
    before = min(t, strikes)
    place, v = [vx * before, y + vy * before, omega * before], [vx, vy, omega]
    if t <= strikes:
        return [*place, *v], ""
    s, c = mp.sin(place[2]), mp.cos(place[2])
    r = a * c - b * s, a * s + b * c
    W = [[1 / m + r[0] ** 2 / J, -r[0] * r[1] / J], [-r[0] * r[1] / J, 1 / m + r[1] ** 2 / J]]
    normal, states = None, ""
    for _ in range(2):
        w = v[1] + v[2] * r[0], v[0] - v[2] * r[1]
        P, Q, state = impulses(w, W, mu, normal)
        v = [v[0] + Q / m, v[1] + P / m, v[2] + (r[0] * P - r[1] * Q) / J]
        states += state
        normal = e * P
    return [x + u * (t - strikes) for x, u in zip(place, v, strict=True)] + v, states


@pytest.mark.parametrize("coordinates", ["cartesian", "natural", "joint"])
@pytest.mark.parametrize("method", ["DP5", "Radau5"])
@pytest.mark.parametrize("name", RODS)
def test_a_rod_strikes_a_floor_where_newtons_law_would_give_energy(name, method, coordinates):
    *numbers, states = RODS[name]
    values: dict[str, Any] = dict(zip(("J", "a", "b", "mu", "e", "rod.vx"), numbers, strict=True))
    values |= {"m": 1.0, "rod.y": 0.1 - values["b"], "rod.vy": -1.0, "rod.omega": 0.0}
    model = mbs.PlanarModel("rod")
    m, J, a, b, mu, e = (model.parameter(one, values[one]) for one in ("m", "J", "a", "b", "mu", "e"))
    rod = model.body("rod", mass=m, inertia=J)
    tip = rod.marker("tip", a, b)
    laws: dict[str, Any] = {"restitution": e, "friction": mu}
    height, slip = lambda i, j: j.y, lambda i, j: j.velocity[0]
    model.add(mbs.Contact("floor", model.ground, tip, gap=height, slip=slip, **laws))
    start = {"rod.x": 0.0, "rod.angle": 0.0} | {one: x for one, x in values.items() if one.startswith("rod")}
    how: dict[str, Any] = {"method": method, "rtol": 1e-12}
    result = mbs.simulate(model.compile(coordinates), [0.0, 0.05, 0.12, 0.15], start, derivatives=[*values], **how)
    with mp.workdps(40):
        exact = [flight(mp.mpf(t), *map(mp.mpf, values.values())) for t in result.t]
    assert len(result.impacts) == 1 and exact[-1][1] == states
    for place, motion in enumerate(exact):
        for one, x in zip(NAMES, motion[0], strict=True):
            assert abs(result[one][place] - float(x)) < 1e-11, (one, place)
    assert from_steps(result)
    check_closed_form(result, lambda t, *known: flight(t, *known)[0], NAMES, values)
    check_back(result, [*NAMES, "energy.dissipated"])


@pytest.mark.parametrize("coordinates", ["cartesian", "joint"])
def test_a_rod_in_space_strikes_a_floor_where_newtons_law_would_give_energy(coordinates):
    """Its slip turns behind each part of the impact; derivatives are those of neighbouring runs."""
    model = mbs.SpatialModel("rod")
    J, b, mu, e = (model.parameter(*one) for one in (("J", 0.042), ("b", -0.314), ("mu", 0.126), ("e", 0.949)))
    rod = model.body("rod", mass=1.0, inertia=(0.05, J, 0.03))
    tip = rod.marker("tip", 0.252, 0.05, b)
    laws: dict[str, Any] = {"restitution": e, "friction": mu}
    model.add(mbs.Contact("floor", mbs.Plane(model.ground), mbs.Point(tip), **laws))
    start = dict.fromkeys([f"rod.{one}" for one in ("x", "y", "wx", "wy", "wz")], 0.0)
    start |= {"rod.z": 0.414, "rod.vx": -1.041, "rod.vy": 0.2, "rod.vz": -1.0}
    names, by = ["rod.x", "rod.vx", "rod.vy", "rod.vz", "rod.wx", "rod.wy"], ["J", "b", "mu", "e", "rod.vx", "rod.wx"]
    how: dict[str, Any] = {"method": "DP8", "rtol": 1e-12}
    times = [0.0, 0.12, 0.15]
    result = mbs.simulate(model.compile(coordinates), times, start, derivatives=by, **how)
    (impact,) = result.impacts
    before, behind = (impact.before["floor.gap_rate"], impact.after["floor.gap_rate"])
    assert abs(behind + 0.949 * before) > 0.01  # not by Newton's law
    for one in by:
        known = one in model.parameters

        def run(p, one=one, known=known):
            other = model.with_parameters(**{one: p}) if known else model
            made = mbs.simulate(other.compile(coordinates), times, start if known else start | {one: p}, **how)
            return np.concatenate([made[name] for name in names])

        value = model.parameters[one].value if known else start[one]
        wanted = extrapolated(run, value, 1e-4 * max(abs(value), 0.1))
        found = np.concatenate([result.d(name, one) for name in names])
        assert np.abs(found - wanted).max() < 1e-8 * max(1.0, np.abs(wanted).max()), one
    assert from_steps(result)
    check_back(result, names)


@pytest.mark.parametrize("side", [1, -1], ids=["pressed", "lifted"])
@pytest.mark.parametrize(("back", "rubs"), [(0.0, 0.3), (0.5, 0.0), (0.9, 0.3)])
@pytest.mark.parametrize("name", ["sticks twice", "turns round"])
def test_a_rod_whose_other_end_touches_a_wall_that_moves_with_it(name, back, rubs, side):
    """The gap of the wall is closed before the impact, which presses the end against it or lifts it off: a gap that the
    compression presses has its rebound. Derivatives are those of neighbouring runs."""
    J, a, b, mu, e, vx, _ = RODS[name]
    model = mbs.PlanarModel("rod")
    values = {"J": J, "a": a, "b": b, "mu": mu, "e": e}
    inertia, *at, friction, restitution = (model.parameter(*one) for one in values.items())
    rod = model.body("rod", mass=1.0, inertia=inertia)
    tip, end = rod.marker("tip", *at), rod.marker("end", 0.4, 0.6)
    laws: dict[str, Any] = {"restitution": restitution, "friction": friction}
    height, along = lambda i, j: j.y, lambda i, j: j.velocity[0]
    model.add(mbs.Contact("floor", model.ground, tip, gap=height, slip=along, **laws))
    away, up = lambda i, j: side * (0.4 + vx * mbs.t - j.x), lambda i, j: j.velocity[1] + 1.0
    model.add(mbs.Contact("wall", model.ground, end, gap=away, slip=up, restitution=back, friction=rubs))
    start = {"rod.x": 0.0, "rod.angle": 0.0, "rod.y": 0.1 - b, "rod.vx": vx, "rod.vy": -1.0, "rod.omega": 0.0}
    times, how = [0.0, 0.05, 0.12], {"method": "DP8", "rtol": 1e-12}
    result = mbs.simulate(model, times, start, derivatives=[*values], **how)
    assert len(result.impacts) == 1 and from_steps(result)
    for one, value in values.items():

        def run(p, one=one):
            made = mbs.simulate(model.with_parameters(**{one: p}), times, start, **how)
            return np.concatenate([made[name] for name in NAMES])

        wanted = extrapolated(run, value, 1e-4 * abs(value))
        found = np.concatenate([result.d(name, one) for name in NAMES])
        assert np.abs(found - wanted).max() < 1e-7 * max(1.0, np.abs(wanted).max()), one
    check_back(result, NAMES)
