"""Path generation: linkages whose coupler point passes given points, or comes nearest to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ...errors import ModelError
from ...model.parameters import check_choice
from ...view.drawing.colours import COLOURS, DARK
from ..asked import numbers, points_of
from ..candidates import Candidate
from ..defects import wrapped
from ..found import Synthesis, largest, ranked
from ..linkages import Kind
from . import atlas, dyads
from .cognates import drawing_the_same
from .coupler_curves import Found, nearest

KEPT = 20
"""So many linkages are given."""
ROUGHLY, FURTHER, POLISH = 80, 400, 20
"""Steps from each start, from the best ends of them, and from what solves Alt's equations."""
MOST = 32
"""So many of the best ends are followed."""
ALIKE = 1e-3
"""Linkages whose numbers differ by less than this part of their size are one."""


@dataclass(frozen=True, eq=False)
class PathTask:
    """The points that the coupler point is to pass."""

    points: np.ndarray
    timing: np.ndarray | None
    ordered: bool
    unit: str = "m"

    @property
    def what(self) -> str:
        timed = " at given angles of the crank" if self.timing is not None else ""
        return f"path through {len(self.points)} points{timed}"

    def draw(self, candidate: Candidate, ax: Any, small: bool) -> None:
        """The points, with their numbers where the order matters."""
        ax.plot(self.points.real, self.points.imag, "o", color=COLOURS[4], markersize=4.5, zorder=6)
        if self.ordered and not small and len(self.points) <= 20:
            for k, point in enumerate(self.points):
                place = {"xy": (point.real, point.imag), "xytext": (4, 3), "textcoords": "offset points"}
                ax.annotate(str(k + 1), **place, fontsize=7, color=DARK, zorder=7)


def synthesize_path(
    points: Sequence[Sequence[float]] | np.ndarray, order: Literal["prescribed", "free"] = "prescribed",
    kind: Kind = "four-bar", timing: Sequence[float] | np.ndarray | None = None, starts: int = 128, seed: int = 0,
) -> Synthesis:  # fmt: skip
    """Four-bars or slider-cranks whose coupler point P passes these points, or comes nearest to them: the sum of the
    squares of its distances is least.

    The points are passed in their order, forth or back; with ``order="free"`` in any. `timing` are angles of the crank
    at the points, from any zero; without, the crank may stand as it likes. The search begins at the `starts` best of
    some thousand linkages, and with nine points at solutions of Alt's equations, too; the same `seed` gives
    the same linkages. Least squares from many starts find good linkages, and cannot show that there is none better.

    >>> points = [(0.0, 0.0), (0.3, 0.02), (0.6, 0.03), (0.9, 0.02), (1.2, 0.0)]
    >>> found = mbs.synthesize_path(points)
    >>> found.best.defects, bool(found.best.error.max() < 1e-9)
    ((), True)
    """
    targets = points_of(points, "points", example="[(0, 0), (1, 0.2), (2, 0)]")
    check_choice(order, ("prescribed", "free"), "order")
    check_choice(kind, ("four-bar", "slider-crank"), "kind")
    _check(targets, starts, seed)
    angles = None if timing is None else _timing(timing, order, len(targets))
    task = PathTask(targets, angles, order == "prescribed")
    origin, size = targets.mean(), float(np.abs(targets - targets.mean()).max())
    candidates = []
    for one in _search((targets - origin) / size, task, kind, starts, seed):
        linkage = one.linkage.moved(complex(origin), size).plain()
        pose = linkage.pose(one.theta, one.signs)
        if np.isfinite(pose.P).all():
            candidates.append(Candidate(linkage, one.theta, one.signs, np.abs(pose.P - targets), task))
    whole = ranked(task.what, candidates)
    is_alts = len(targets) == dyads.POINTS  # whose solutions are single linkages
    kept = [one for k, one in enumerate(whole) if k < KEPT or (is_alts and largest(one) == 0.0)]
    return Synthesis(task.what, tuple(kept))


def _search(targets: np.ndarray, task: PathTask, kind: Kind, starts: int, seed: int) -> Iterator[Found]:
    """About 1 apart, around 0; each linkage once."""
    tour = np.arange(len(targets)) if task.ordered else atlas.tour(targets)
    numbers, theta, sign = atlas.starts(kind, targets[tour], task.timing, starts, seed)
    back = np.argsort(tour)
    signs = np.repeat(sign[:, None], len(targets), axis=1)
    roughly = nearest(kind, targets, numbers, theta[:, back], signs, task.timing, steps=ROUGHLY)
    found = _followed(kind, targets, roughly, task.timing, FURTHER, MOST)
    if kind == "four-bar" and task.timing is None and len(targets) == dyads.POINTS:
        exact = [Found(*one, 0.0) for one in dyads.linkages_through(targets, seed)]
        found += _followed(kind, targets, exact, None, POLISH, len(exact))
    found.sort(key=lambda one: one.cost)
    drawn_alike = kind == "four-bar" and task.timing is None
    seen: list[np.ndarray] = []
    for one in (way for first in found for way in (drawing_the_same(first) if drawn_alike else (first,))):
        own = one.linkage.numbers()
        if not any(np.abs(own - other).max() < ALIKE * np.abs(own).max() for other in seen):
            seen.append(own)
            yield one


def _followed(
    kind: Kind, targets: np.ndarray, found: Sequence[Found], timing: np.ndarray | None, steps: int, most: int
) -> list[Found]:  # fmt: skip
    """The best of them, and from there on."""
    best = sorted(found, key=lambda one: one.cost)[:most]
    if not best:
        return []
    numbers = np.array([one.linkage.numbers() for one in best])
    theta, signs = np.array([one.theta for one in best]), np.array([one.signs for one in best])
    return nearest(kind, targets, numbers, theta, signs, timing, steps)


def _check(targets: np.ndarray, starts: Any, seed: Any) -> None:
    if len(targets) < 3:
        raise ModelError(f"points has {len(targets)}; give three or more")
    gaps = np.abs(targets - targets[:, None])
    np.fill_diagonal(gaps, np.inf)
    k, m = np.unravel_index(np.argmin(gaps), gaps.shape)
    if gaps[k, m] <= 1e-12 * np.abs(targets - targets.mean()).max():
        raise ModelError(
            f"points {min(k, m)} and {max(k, m)} are the same place; leave one out (a closed path closes by itself)"
        )
    for value, name, least in ((starts, "starts", 1), (seed, "seed", 0)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
            raise ModelError(f"{name} is {value!r}; give a whole number of {least} or more")


def _timing(given: Any, order: str, count: int) -> np.ndarray:
    if order == "free":
        raise ModelError("timing= says the order of the points; leave out order='free'")
    angles = numbers(given, "timing", count, "one angle for each point, in rad")
    for k, m in zip(*np.triu_indices(count, 1), strict=True):
        if abs(wrapped(angles[k] - angles[m])) < 1e-9:
            raise ModelError(f"timing has points {k} and {m} at the same angle of the crank; give different ones")
    return angles
