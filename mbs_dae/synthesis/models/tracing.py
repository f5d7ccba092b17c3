"""Where a search in a model begins: many designs, each walked through the range of its driver, and the places along
these walks that are nearest to what is wanted.

Targets that have an order are met in it: with D(k, i) the squared distance of target k from place i, the least sum over
places i₁ ≤ i₂ ≤ ... follows target after target,

    S(k, i) = D(k, i) + min over j ≤ i of S(k-1, j).

A walk of one full turn closes, and may begin anywhere: some of its places are tried. Forth and back are both tried."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

CUTS = 12
"""Of a closed walk, so many places are tried as its first."""


class Meeting(NamedTuple):
    """How near a walk comes to the targets, and where its driver stands there."""

    cost: float
    driver: np.ndarray


NONE = Meeting(np.inf, np.zeros(0))


def meet_in_order(places: np.ndarray, values: np.ndarray, targets: np.ndarray, closes: bool) -> Meeting:
    """The targets in their order, forth or back, along a walk. (Values and targets: rows; a closed walk has its first
    place once.)"""
    off = _squares(values, targets)
    count, best = len(places), NONE
    for cut in np.unique(np.arange(CUTS) * count // CUTS) if closes else [0]:
        along = np.arange(cut, cut + count)
        turned = places[along % count] + (2 * np.pi) * (along >= count)
        for way in (1, -1):
            cost, chosen = _monotone(off[::way, along % count])
            if cost < best.cost:
                best = Meeting(cost, turned[chosen][::way].copy())
    return best


def _monotone(off: np.ndarray) -> tuple[float, np.ndarray]:
    """The least sum of one place for each target, that go up: its value, and the places."""
    sums, froms = off[0], []
    for row in off[1:]:
        least = np.minimum.accumulate(sums)
        new = np.concatenate([[True], least[1:] < least[:-1]])
        froms.append(np.maximum.accumulate(np.where(new, np.arange(len(sums)), 0)))
        sums = row + least
    chosen = [int(np.argmin(sums))]
    cost = float(sums[chosen[0]])
    for origin in froms[::-1]:
        chosen.append(int(origin[chosen[-1]]))
    return cost, np.array(chosen[::-1])


def meet_anywhere(places: np.ndarray, values: np.ndarray, targets: np.ndarray) -> Meeting:
    """The targets in any order."""
    off = _squares(values, targets)
    return Meeting(float(off.min(axis=1).sum()), places[off.argmin(axis=1)])


def meet_at(
    places: np.ndarray, values: np.ndarray, targets: np.ndarray, timing: np.ndarray, closes: bool
) -> Meeting:  # fmt: skip
    """The targets at given values of the driver, but for the first of them."""
    best = NONE
    period = 2 * np.pi if closes else None
    for first in places:
        wanted = first + timing - timing[0]
        if not closes and (wanted.min() < places.min() or wanted.max() > places.max()):
            continue
        there = np.stack([np.interp(wanted, places, part, period=period) for part in values.T], axis=1)
        cost = float(((there - targets) ** 2).sum())
        if cost < best.cost:
            best = Meeting(cost, wanted)
    return best


def _squares(values: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """(targets, places)"""
    squares: np.ndarray = ((targets[:, None] - values[None]) ** 2).sum(axis=2)
    return squares
