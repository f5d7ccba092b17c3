"""Choose where a search for a path begins: many linkages of all shapes, each turned, stretched and shifted onto the
points.

The shapes are drawn evenly (Sobol's sequence, from a fixed seed), with the crank's angle at the first point, its
direction and its rotation until the last point; between the points, the crank turns in proportion to their distances.
Turn, stretch and shift are w ↦ α w + β of complex numbers, so that the nearest ones follow from linear equations."""

from __future__ import annotations

import numpy as np
from scipy.stats import qmc

from ..linkages import Circle, Kind, Linkage, SliderGuide

SHAPES = 4096
"""The number of shapes, a power of two, as Sobol's sequence requires."""
WIDER = 8
"""The number of candidates, relative to that of the starts, from which starts are taken."""


def starts(
    kind: Kind, targets: np.ndarray, timing: np.ndarray | None, count: int, seed: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:  # fmt: skip
    """Return the best starts, and some worse ones: numbers of linkages, angles of the crank at the points, and
    signs."""
    draws = qmc.Sobol(9, seed=seed).random(SHAPES)
    linkage, sign = _shapes(kind, draws[:, :6]), np.where(draws[:, 6] < 0.5, 1.0, -1.0)
    theta = _angles(targets, timing, draws[:, 7:])
    path = linkage.pose(theta, sign[:, None]).P
    closes = np.isfinite(path).all(axis=1)
    middle = path.mean(axis=1, keepdims=True)
    centred = targets - targets.mean()
    with np.errstate(invalid="ignore", divide="ignore"):
        factor = (np.conj(path - middle) @ centred) / (np.abs(path - middle) ** 2).sum(axis=1)
    off = np.abs(factor[:, None] * (path - middle) - centred) ** 2
    cost = np.where(closes, off.sum(axis=1), np.inf)
    best = np.argsort(cost)[spread(count, int(closes.sum()))]
    numbers = np.empty((len(best), linkage.numbers().shape[-1]))
    for place, k in enumerate(best):
        guide = linkage.guide
        guide_of_start = (
            Circle(guide.D[k, 0], guide.c[k, 0]) if isinstance(guide, Circle) else SliderGuide(guide.h[k, 0], 0.0)
        )
        one = Linkage(0j, 1.0, linkage.b[k, 0], guide_of_start, linkage.p[k, 0])
        numbers[place] = one.moved(targets.mean() - factor[k] * middle[k, 0], factor[k]).numbers()
    return numbers, theta[best] + np.angle(factor[best])[:, None], sign[best]


def spread(count: int, there: int) -> np.ndarray:
    """Return indices in a ranking of starts, denser at its beginning, whose starts may all lead to one valley."""
    reach = min(WIDER * count, there)
    return np.unique((reach * (np.arange(count) / count) ** 2).astype(int))[:reach]


def _shapes(kind: Kind, draws: np.ndarray) -> Linkage:
    """Return linkages with cranks of length 1, the ground along the x axis, and other lengths from half to about
    five."""
    d, b, c, along, across, _ = draws.T[..., None]
    b = 0.5 * 10**b
    p = b * (2.5 * along - 0.75 + 1j * (3 * across - 1.5))
    if kind == "four-bar":
        return Linkage(0j, 1.0, b, Circle(0.5 * 10**d + 0j, 0.5 * 10**c), p)
    return Linkage(0j, 1.0, b, SliderGuide(4 * c - 2, 0.0), p)


def _angles(targets: np.ndarray, timing: np.ndarray | None, draws: np.ndarray) -> np.ndarray:
    first = 2 * np.pi * draws[:, :1]
    if timing is not None:
        return first + timing
    travelled = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(targets)))])
    sweep = 4 * np.pi * (draws[:, 1:] - 0.5)
    return first + sweep * (travelled / (travelled[-1] + abs(targets[0] - targets[-1]) / 2))


def tour(targets: np.ndarray) -> np.ndarray:
    """Return an order in which unordered points may be passed: around their centroid."""
    return np.argsort(np.angle(targets - targets.mean()), kind="stable")
