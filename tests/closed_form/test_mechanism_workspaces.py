"""Regions and numbers of modes of random five-bars, platforms and delta robots, against inverse models in closed form."""

from __future__ import annotations

import numpy as np
import pytest

import mbs_dae as mbs


def five_bar(cranks, legs, base) -> mbs.PlanarModel:
    """Cranks about 0 and `base`; the hand is where both legs meet, above."""
    for one in np.linspace(0.1, 3.1, 40):
        for two in np.linspace(3.1, 0.1, 40):
            A, C = cranks[0] * np.exp(1j * one), base + cranks[1] * np.exp(1j * two)
            d = abs(C - A)
            if abs(legs[0] - legs[1]) + 0.05 < d < sum(legs) - 0.05:
                x = (d * d + legs[0] ** 2 - legs[1] ** 2) / (2 * d)
                P = A + (C - A) / d * (x + 1j * np.sqrt(legs[0] ** 2 - x * x))
                points = {"O": 0j, "A": A, "P": P, "C": C, "E": base + 0j}
                rods = {"one": "OA", "leg1": "AP", "leg2": "CP", "two": "EC"}
                return mbs.PlanarModel.from_points({k: (z.real, z.imag) for k, z in points.items()}, rods, fixed="OE")
    raise AssertionError("no such five-bar closes")


def hand_modes(x, y, cranks, legs, base) -> int:
    """Two elbows for each side whose crank and leg reach."""
    reaches = [
        abs(a - b) < np.hypot(x - o, y) < a + b for a, b, o in zip(cranks, legs, (0.0, base), strict=True)
    ]
    return 4 * all(reaches)


def crank_modes(one, two, cranks, legs, base) -> int:
    d = abs(cranks[0] * np.exp(1j * one) - base - cranks[1] * np.exp(1j * two))
    return 2 * (abs(legs[0] - legs[1]) < d < sum(legs))


def ring_overlap(cranks, legs, base) -> float:
    """The area in both rings, |a - b| < ρ < a + b about each pivot: by the areas of lenses of circles."""

    def lens(r, s):
        if r <= 0 or s <= 0 or base >= r + s:
            return 0.0
        if base <= abs(r - s):
            return np.pi * min(r, s) ** 2
        u, v = (base**2 + r**2 - s**2) / (2 * base), (base**2 + s**2 - r**2) / (2 * base)
        return r**2 * np.arccos(u / r) - u * np.sqrt(r * r - u * u) + s**2 * np.arccos(v / s) - v * np.sqrt(s * s - v * v)

    (R1, R2), (r1, r2) = ([a + b for a, b in zip(cranks, legs, strict=True)], [abs(a - b) for a, b in zip(cranks, legs, strict=True)])
    return lens(R1, R2) - lens(r1, R2) - lens(R1, r2) + lens(r1, r2)


def wrong_modes(found: mbs.Workspace, modes, count: int = 300, seed: int = 0) -> list[str]:
    """Points, not next to curves, where the region has not so many modes."""
    curves = [c.values + s for c in found.curves for s in found.region.shifts(c.values)]
    borders, wrong = np.concatenate([*curves, np.full((1, 2), np.inf)]), []
    width = (found.high - found.low).max()
    for x, y in np.random.default_rng(seed).uniform(found.low, found.high, (count, 2)):
        if np.hypot(*(borders - (x, y)).T).min() > 0.02 * width and found.at(x, y).modes != modes(x, y):
            wrong.append(f"({x:.4g}, {y:.4g}): {found.at(x, y).modes} for {modes(x, y)}")
    return wrong


def compare_hand(cranks, legs, base, step: float = 0.1) -> str:
    """Empty if area and modes are right; "note" if notes tell of something open; else what is wrong."""
    far = max(a + b for a, b in zip(cranks, legs, strict=True)) * 1.1
    over = {"leg1.P.x": (-far, base + far), "leg1.P.y": (-far, far)}
    found = mbs.workspace(five_bar(cranks, legs, base), over, inputs=("one.angle", "two.angle"), step=step)
    own, area = ring_overlap(cranks, legs, base), sum(one.area for one in found.regions if one.reachable)
    wrong = [f"area {area:.6g} for {own:.6g}"] * int(abs(area - own) > 1e-4 * own)
    wrong += wrong_modes(found, lambda x, y: hand_modes(x, y, cranks, legs, base))
    return "" if not wrong else "note" if is_open(found) else "; ".join(wrong[:4])


def is_open(found: mbs.Workspace) -> bool:
    told = ("missed", "not found", "not smooth", "longer than", "interpolated")
    return any(word in note for note in found.notes for word in told)


def test_equal_legs():
    """The hand of a five-bar with cranks of 0.4 and legs of 1 is in both rings 0.6 < ρ < 1.4: four elbows each."""
    cranks, legs, base = (0.4, 0.4), (1.0, 1.0), 0.6
    over = {"leg1.P.x": (-1.7, 2.7), "leg1.P.y": (-1.7, 1.7)}
    found = mbs.workspace(five_bar(cranks, legs, base), over, inputs=("one.angle", "two.angle"), step=0.2)
    first = [one for one in found.regions if one.reachable]
    assert [one.modes for one in first] == [4] * len(first)
    assert np.isclose(sum(one.area for one in first), ring_overlap(cranks, legs, base), rtol=1e-9)
    assert not wrong_modes(found, lambda x, y: hand_modes(x, y, cranks, legs, base)) and not is_open(found)


def random_five_bar(seed: int):
    random = np.random.default_rng(seed)
    cranks, legs, base = random.uniform(0.3, 0.8, 2), random.uniform(0.6, 1.2, 2), random.uniform(0.3, 1.2)
    if seed % 3 == 0:  # equal sides: curves lie on each other, and cross in poses that both pass
        cranks[1], legs[1] = cranks[0], legs[0]
    return tuple(cranks), tuple(legs), base


@pytest.mark.parametrize("seed", [pytest.param(seed, marks=pytest.mark.soak) for seed in range(100)])
def test_random_five_bars_over_the_hand(seed):
    assert compare_hand(*random_five_bar(seed)) in ("", "note"), random_five_bar(seed)


@pytest.mark.parametrize("seed", [pytest.param(seed, marks=pytest.mark.soak) for seed in range(50)])
def test_random_five_bars_over_the_cranks(seed):
    own = random_five_bar(seed)
    over = dict.fromkeys(("one.angle", "two.angle"), (-np.pi, np.pi))
    found = mbs.workspace(five_bar(*own), over, outputs=("leg1.P.x", "leg1.P.y"))
    wrong = wrong_modes(found, lambda one, two: crank_modes(one, two, *own))
    assert not wrong or is_open(found), (own, wrong[:4])
