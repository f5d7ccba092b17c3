"""A point that presses goes over the end of a piece of its gap: the tangent goes on there, or it has a corner."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import quad

import mbs_dae as mbs

G, R, M = 9.81, 0.8, 1.5


def slider(profile, **laws):
    """A point on a track y = profile(x), which begins at x = -0.5."""
    model = mbs.PlanarModel("track", gravity=(0, -G))
    body = model.body("body", mass=M, inertia=0.1, position=(-0.5, 0))

    def gap(i, j):
        x, y = j.point - i.point
        return y - profile(x)

    model.add(mbs.Contact("track", model.ground, body, gap=gap, **laws))
    return model


def moving(speed):
    return {"body.vx": speed, "body.vy": 0.0, "body.omega": 0.0}


def bent(side):
    """A straight line, and from x = 0 on an arc, upwards or downwards."""
    return lambda x: sp.Piecewise((0, x < 0), (side * (R - sp.sqrt(R**2 - x**2)), True))


@pytest.mark.parametrize(
    ("coordinates", "method", "steps", "right_to"),
    [
        ("cartesian", "DP8", {"rtol": 1e-12}, 1e-11),
        ("natural", "DP5", {"rtol": 1e-12}, 1e-9),
        ("joint", "Radau5", {"rtol": 1e-11}, 1e-9),
        ("cartesian", "RK4", {"step": 1e-3}, 1e-9),
        ("joint", "GA", {"rtol": 1e-9}, 1e-6),
    ],
)
@pytest.mark.parametrize("side", [1, -1])
def test_from_a_line_to_an_arc(coordinates, method, steps, right_to, side):
    """By energy v² = v₀² - 2 g y; what presses jumps by m v²/R where the arc begins."""
    begin, angle = 1.6, 0.3

    def speed(a):
        return np.sqrt(begin**2 - 2 * G * side * R * (1 - np.cos(a)))

    until = 0.5 / begin + quad(lambda a: R / speed(a), 0, angle, epsabs=1e-14)[0]
    times = [0, 0.5 / begin - 1e-9, 0.5 / begin + 1e-9, until]
    run = mbs.simulate(slider(bent(side)).compile(coordinates), times, moving(begin), method=method, **steps)
    assert run["body.x"][-1] == pytest.approx(R * np.sin(angle), abs=right_to)
    assert np.hypot(run["body.vx"], run["body.vy"])[-1] == pytest.approx(speed(angle), abs=right_to)
    assert run["track.force"][1:3] == pytest.approx([M * G, M * (G + side * begin**2 / R)], rel=1e-6)
    assert run.stats["switches"] == 1 and not run.impacts
    assert run.stats["rejected"] <= 8  # nothing is felt for


def test_what_is_too_fast_for_an_arc_leaves_it_where_it_begins():
    speed = 1.1 * np.sqrt(G * R)
    times = np.array([0.4, 0.49, 0.7, 0.9]) / speed
    run = mbs.simulate(slider(bent(-1)), [0, *times], moving(speed))
    fall = G / 2 * np.maximum(times - 0.5 / speed, 0) ** 2
    assert run["body.y"][1:] == pytest.approx(-fall, abs=1e-10)
    assert [*run.modes["track"]] == ["closed"] * 3 + ["open"] * 2 and not run.impacts


@pytest.mark.parametrize("coordinates", ["cartesian", "natural", "joint"])
@pytest.mark.parametrize(("method", "steps"), [("DP5", {}), ("Radau5", {}), ("GA", {}), ("RK4", {"step": 1e-2})])
def test_over_a_corner(coordinates, method, steps):
    """Upwards a blow takes the velocity across the new piece, e of it comes back; downwards it is left."""
    begin, angle = 3.0, 0.4
    c, s = np.cos(angle), np.sin(angle)
    later = np.array([0.02, 0.05])
    for up, e in ((1, 0.0), (1, 0.5), (-1, 0.0)):
        track = slider(lambda x, up=up: sp.Piecewise((0, x < 0), (up * s / c * x, True)), restitution=e)
        times = [0, *(0.5 / begin + later)]
        run = mbs.simulate(track.compile(coordinates), times, moving(begin), method=method, **steps)
        if up == 1:
            (hit,) = run.impacts
            assert hit.t == pytest.approx(0.5 / begin, abs=1e-10)
            assert hit.energy_lost == pytest.approx((1 - e**2) * M / 2 * (begin * s) ** 2, rel=1e-9)
        v = np.array([begin, 0.0]) if up == -1 else begin * np.array([c * c - e * s * s, c * s + e * s * c])
        pull = G * s * np.array([-c, -s]) if up == 1 and e == 0.0 else np.array([0.0, -G])
        places = v * later[:, None] + pull / 2 * later[:, None] ** 2
        assert np.column_stack([run["body.x"], run["body.y"]])[1:] == pytest.approx(places, abs=1e-8)


def test_a_corner_with_friction():
    """The blow across the new piece rubs along it."""
    begin, angle, mu = 3.0, 0.4, 0.3
    c, s = np.cos(angle), np.sin(angle)

    def slip(i, j):
        x, (vx, vy) = (j.point - i.point)[0], j.velocity - i.velocity
        return sp.Piecewise((vx, x < 0), (c * vx + s * vy, True))

    track = slider(lambda x: sp.Piecewise((0, x < 0), (s / c * x, True)), friction=mu, slip=slip)
    run = mbs.simulate(track, [0, 0.3], moving(begin))
    (hit,) = run.impacts
    before = np.sqrt(begin**2 - 2 * mu * G * 0.5)
    after = before * (c - mu * s)
    assert hit.energy_lost == pytest.approx(M / 2 * (before**2 - after**2), rel=1e-9)


def test_open_gaps_pay_nothing():
    """A flight over a hundred pieces has the steps of one over a line, and no switches."""
    runs = [
        mbs.simulate(slider(profile, restitution=0.0), [0, 0.4], {"body.vx": 4.0, "body.vy": 2.5, "body.omega": 0.0})
        for profile in (lambda x: -1, lambda x: -1 - sp.Add(*(0.001 * abs(x - k / 50) for k in range(100))))
    ]
    assert runs[0].stats["accepted"] == runs[1].stats["accepted"] and runs[1].stats["switches"] == 0
    assert (runs[0].q == runs[1].q).all()
