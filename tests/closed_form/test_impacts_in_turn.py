"""Impacts that are passed on from body to body. Expected values: of pendulums elliptic functions with 20 digits, and
velocities that pass on unchanged; of balls in a row, the impacts of two balls one after the other."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from rows_of_balls import RAISED, cradle, row

import mbs_dae as mbs

SETS = ("cartesian", "natural", "joint")
IMPACTS = [0.50946697878954222202, 1.5284009363686266661, 2.5473348939477111101, 3.5662688515267955542]
STATES = {
    0.4: (-0.16635045205214521963, 0.0, 0.0, 1.4597906058501214861, 0.0, 0.0),
    1.0: (0.0, 0.0, 0.49915718692280888293, 0.0, 0.0, 0.089003712750933898208),
    1.7: (-0.25336339714857687997, 0.0, 0.0, -1.3324632095456151273, 0.0, 0.0),
    2.3: (-0.34635042749017881337, 0.0, 0.0, 1.1120939846629311696, 0.0, 0.0),
}


def swung(coordinates: str, balls: int, raised: int, times) -> mbs.Result:
    start = {f"b{k}.angle": -RAISED * (k < raised) for k in range(balls)}
    start |= {f"b{k}.omega": 0.0 for k in range(balls)}
    return mbs.simulate(cradle(balls).compile(coordinates), times, start, rtol=1e-12, impacts="in turn")


@pytest.mark.parametrize("coordinates", SETS)
def test_the_last_of_three_balls_swings_out(coordinates):
    result = swung(coordinates, 3, 1, [0, *STATES, 3.6])
    assert np.abs([impact.t for impact in result.impacts] - np.array(IMPACTS)).max() < 1e-9
    found = [result[f"b{k}.{name}"][1:-1] for name in ("angle", "omega") for k in range(3)]
    assert np.abs(np.transpose(found) - list(STATES.values())).max() < 1e-9
    assert result.impacts[0].contacts == ("c1", "c2")


def test_as_many_balls_swing_out_as_come():
    result = swung("cartesian", 5, 2, [0, 2 * IMPACTS[0]])
    assert np.abs([result[f"b{k}.angle"][-1] for k in range(5)] - np.array([0, 0, 0, RAISED, RAISED])).max() < 1e-9


def test_all_together_sets_all_going():
    result = mbs.simulate(row([1, 1, 1], 1.0), [0, 0.2], {"b0.vx": 1.0, "b1.vx": 0.0, "b2.vx": 0.0})
    assert np.allclose([result[f"b{k}.vx"][-1] for k in range(3)], [-1 / 3, 2 / 3, 2 / 3], atol=1e-9)


def passed_on(masses, e: float) -> np.ndarray:
    """The velocities behind all impacts of neighbours, one after the other. Those of one instant are not neighbours of
    each other, but for roundoff, so their order does not matter."""
    v = np.array([1.0] + [0.0] * (len(masses) - 1))
    for _ in range(10_000):
        approach = [k for k in range(len(v) - 1) if v[k] - v[k + 1] > 1e-13]
        if not approach:
            return v
        for k in approach:
            p = (1 + e) * (v[k] - v[k + 1]) / (1 / masses[k] + 1 / masses[k + 1])
            v[k : k + 2] += -p / masses[k], p / masses[k + 1]
    raise AssertionError("they go on")


@pytest.mark.parametrize("masses, e", [((1, 1, 1), 0.5), ((1, 3, 0.5, 2), 0.8), ((4, 2, 1), 1.0), ((1, 2, 4), 0.0)])
def test_a_row_of_balls_passes_a_blow_on(masses, e):
    start = {f"b{k}.vx": float(k == 0) for k in range(len(masses))}
    for order in (1, -1):
        result = mbs.simulate(row(masses, e, order), [0, 0.11], start, impacts="in turn")
        v = np.array([result[f"b{k}.vx"][-1] for k in range(len(masses))])
        assert np.abs(v - passed_on(masses, e)).max() < 1e-9
        assert abs(np.dot(masses, v) - masses[0]) < 1e-12
        lost = sum(impact.energy_lost for impact in result.impacts)
        assert abs(0.5 * (masses[0] - np.dot(masses, v * v)) - lost) < 1e-12 and abs(result.energy.error[-1]) < 1e-12


def test_turns_are_known_by_name():
    with refused("unknown-choice", choices=["together", "in turn"]):
        mbs.simulate(row([1, 1], 1.0), [0, 1], impacts="in order")
    with refused("not-supported", argument="impacts"):
        mbs.simulate(row([1, 1], 1.0), [0, 1], method="Moreau", step=1e-3, impacts="in turn")
