"""Describe numbers that a measurement cannot distinguish.

A direction in which all numbers may change without a change of the measured values is a vector of relative changes d_k
= δp_k / p_k. If all d_k are equal, only ratios of the p_k are known; if d_1 = -d_2, only a product; if δp_1 = -δp_2,
only a sum."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from ...tolerances import DIRECTION_ENTRY, LAW_AGREEMENT

POWERS = (1, 2, 3)


def directions(matrix: np.ndarray) -> np.ndarray:
    """Return rows that span the space of the given ones, with as many zeros as elimination gives."""
    rows = np.array(matrix, dtype=float)
    done = 0
    for column in np.argsort(-np.abs(rows).max(axis=0, initial=0.0)):
        if done == len(rows):
            break
        pivot = done + int(np.abs(rows[done:, column]).argmax())
        if abs(rows[pivot, column]) < DIRECTION_ENTRY:
            continue
        rows[[done, pivot]] = rows[[pivot, done]]
        rows[done] /= rows[done, column]
        for k in range(len(rows)):
            if k != done:
                rows[k] -= rows[k, column] * rows[done]
        done += 1
    rows[np.abs(rows) < DIRECTION_ENTRY * np.abs(rows).max(axis=1, keepdims=True, initial=1e-300)] = 0.0
    return rows


def sentence(names: Sequence[str], values: np.ndarray, changes: np.ndarray) -> str:
    """Return a sentence about a direction of absolute changes in which nothing that was measured changes."""
    at = np.flatnonzero(changes)
    if at.size == 1:
        return f"nothing that was measured depends on {names[int(at[0])]}"
    members, deltas, sizes = [names[int(k)] for k in at], changes[at], values[at]
    who = f"{', '.join(members[:-1])} and {members[-1]} cannot be told apart"
    if at.size == 2 and (law := _law_of_two(members, deltas, sizes)):
        return f"{who}: only {law} is known"
    relative = deltas / sizes if sizes.all() else np.zeros_like(deltas)
    if relative.any() and np.ptp(relative) < LAW_AGREEMENT * abs(relative[0]):
        return f"{who}: only their ratios are known"
    together = ", ".join(
        f"{name} by {change:.3g}" for name, change in zip(members, deltas / np.abs(deltas).max(), strict=True)
    )
    return f"{who}: near here nothing changes if all change together, {together}"


def _law_of_two(names: Sequence[str], deltas: np.ndarray, values: np.ndarray) -> str:
    one, other = names
    if abs(deltas[0] + deltas[1]) < LAW_AGREEMENT * abs(deltas[0]):
        return f"their sum {one} + {other}"
    if abs(deltas[0] - deltas[1]) < LAW_AGREEMENT * abs(deltas[0]):
        return f"their difference {one} - {other}"
    if not values.all():
        return ""
    relative = deltas / values
    for a, b in product(POWERS, POWERS):
        first, second = (f"{name}**{power}" if power > 1 else name for name, power in ((one, a), (other, b)))
        if abs(a * relative[0] + b * relative[1]) < LAW_AGREEMENT * abs(relative[0]):
            return f"their product {first} * {second}"
        if abs(a * relative[0] - b * relative[1]) < LAW_AGREEMENT * abs(relative[0]):
            return f"their ratio {first} / {second}"
    return ""
