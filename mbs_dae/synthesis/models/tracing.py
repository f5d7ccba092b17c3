"""Find where a search in a model begins: walk many designs through the range of their driver, and find the places along
these walks that are nearest to the targets.

Targets with an order are met in this order: with D(k, i) the squared distance of target k from place i, the least sum
over places i₁ ≤ i₂ ≤ ... follows target after target,

    S(k, i) = D(k, i) + min over j ≤ i of S(k-1, j).

A walk of one full turn closes, and may begin anywhere: some of its places are tried. Both directions are tried."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

CUTS = 12
"""The number of places of a closed walk that are tried as its first."""


class Meeting(NamedTuple):
    """The sum of squared distances between a walk and the targets, and the values of the driver there."""

    cost: float
    driver: np.ndarray


NONE = Meeting(np.inf, np.zeros(0))


def meet_in_order(places: np.ndarray, values: np.ndarray, targets: np.ndarray, closes: bool) -> Meeting:
    """Return the nearest meeting with the targets in their order, in either direction, along a walk. (Values and
    targets are rows; a closed walk contains its first place once.)"""
    off = _squares(values, targets)
    count, best = len(places), NONE
    for cut in np.unique(np.arange(CUTS) * count // CUTS) if closes else [0]:
        along = np.arange(cut, cut + count)
        turned = places[along % count] + (2 * np.pi) * (along >= count)
        for direction in (1, -1):
            cost, indices = _monotone(off[::direction, along % count])
            if cost < best.cost:
                best = Meeting(cost, turned[indices][::direction].copy())
    return best


def _monotone(off: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the least sum over one place for each target, with indices that do not decrease, and these indices."""
    sums, froms = off[0], []
    for row in off[1:]:
        least = np.minimum.accumulate(sums)
        new = np.concatenate([[True], least[1:] < least[:-1]])
        froms.append(np.maximum.accumulate(np.where(new, np.arange(len(sums)), 0)))
        sums = row + least
    indices = [int(np.argmin(sums))]
    cost = float(sums[indices[0]])
    for origin in froms[::-1]:
        indices.append(int(origin[indices[-1]]))
    return cost, np.array(indices[::-1])


def meet_anywhere(places: np.ndarray, values: np.ndarray, targets: np.ndarray) -> Meeting:
    """Return the nearest meeting with the targets in any order."""
    off = _squares(values, targets)
    return Meeting(float(off.min(axis=1).sum()), places[off.argmin(axis=1)])


def meet_at(
    places: np.ndarray, values: np.ndarray, targets: np.ndarray, timing: np.ndarray, closes: bool
) -> Meeting:  # fmt: skip
    """Return the nearest meeting with the targets at given differences between the driver's values."""
    best = NONE
    period = 2 * np.pi if closes else None
    for first in places:
        driver = first + timing - timing[0]
        if not closes and (driver.min() < places.min() or driver.max() > places.max()):
            continue
        there = np.stack([np.interp(driver, places, part, period=period) for part in values.T], axis=1)
        cost = float(((there - targets) ** 2).sum())
        if cost < best.cost:
            best = Meeting(cost, driver)
    return best


def _squares(values: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Return the squared distances, shape (targets, places)."""
    squares: np.ndarray = ((targets[:, None] - values[None]) ** 2).sum(axis=2)
    return squares
