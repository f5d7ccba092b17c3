"""Generate paths: linkages whose coupler point passes given points, or comes nearest to them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ...errors import ModelError, counted
from ...model.model import Model
from ...model.parameters import check_choice
from ...tolerances import SAME_DESIGN
from ...view.drawing.colours import COLOURS, DARK
from ..arguments import check_counts, check_of_linkage, check_of_model, notes_on_degrees, numbers, points_of
from ..bounds import bounds_of
from ..candidates import Candidate
from ..defects import wrap
from ..linkages import Kind
from ..models.candidates import ModelCandidate
from ..models.generation import designs_through, point_names
from ..result import Synthesis, largest, rank
from . import atlas, dyads
from .coupler_curves import CurveFit, PathProblem, cognates, nearest

STARTS = 128
"""The number of starts by default."""
MOST_RETURNED = 20
"""The number of linkages returned."""
ROUGHLY, FURTHER, POLISH = 80, 400, 20
"""Steps from each start, from the best of their ends, and from solutions of Alt's equations."""
FEW_ROUNDS, ROUNDS = 3, 10
"""The rounds of multipliers under bounds: from each start, and from the best ends."""
MOST = 32
"""The number of the best ends that are followed."""


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
        """Draw the points, with their numbers if the order matters."""
        ax.plot(self.points.real, self.points.imag, "o", color=COLOURS[4], markersize=4.5, zorder=6)
        if self.ordered and not small and len(self.points) <= 20:
            for k, point in enumerate(self.points):
                place = {"xy": (point.real, point.imag), "xytext": (4, 3), "textcoords": "offset points"}
                ax.annotate(str(k + 1), **place, fontsize=7, color=DARK, zorder=7)


def synthesize_path(
    points: Sequence[Sequence[float]] | np.ndarray, order: Literal["prescribed", "free"] = "prescribed",
    kind: Kind | Model = "four-bar", timing: Sequence[float] | np.ndarray | None = None, starts: int | None = None,
    seed: int = 0, *, point: str | None = None, over: Mapping[Any, Sequence[float]] | None = None, driver: Any = None,
    within: Sequence[Sequence[float]] | None = None, lengths: Any = None, ratio: float | None = None,
) -> Synthesis[Any]:  # fmt: skip
    """Find four-bars or slider-cranks whose coupler point P passes these points, or comes nearest to them in the sum of
    squared distances. Or find designs of a model whose `point` does.

    The points are passed in their order, forth or back; with ``order="free"`` in any. `timing` are angles of the crank
    at the points, from an arbitrary zero; without `timing`, the angles are free. The search begins at the `starts` best
    of some thousand linkages, and for nine points also at solutions of Alt's equations; the same `seed` gives the same
    linkages. Least squares from many starts find good linkages, and cannot show that there is none better.

    A linkage may have bounds: `within` are two corners of a box for its fixed pivots, `lengths` ranges of its lengths
    by their letters, ``{"a": (0.1, 0.5)}``, or one range for all, and `ratio` is the largest ratio of the longest
    length to the shortest.

    `kind` may be any model that one driver moves: `point` is a name such as "coupler.P", `over` gives the parameters
    that may change, with their ranges. The driver takes any value of a full turn, or of a range, e.g.
    ``driver={"lift": (0, 0.3)}``, and `timing` are its values; see `mbs.ModelCandidate`.

    >>> points = [(0.0, 0.0), (0.3, 0.02), (0.6, 0.03), (0.9, 0.02), (1.2, 0.0)]
    >>> found = mbs.synthesize_path(points)
    >>> found.best.defects, bool(found.best.error.max() < 1e-9)
    ((), True)
    """
    check_choice(order, ("prescribed", "free"), "order")
    check_counts(starts, seed)
    if isinstance(kind, Model):
        check_of_linkage(within=within, lengths=lengths, ratio=ratio)
        return _of_model(kind, points, order, timing, starts, seed, point=point, over=over, driver=driver)
    check_choice(kind, ("four-bar", "slider-crank"), "kind")
    check_of_model(point=point, over=over, driver=driver)
    targets = points_of(points, "points", example="[(0, 0), (1, 0.2), (2, 0)]")
    _check(targets[:, None])
    angles = None if timing is None else _timing(timing, order, len(targets))
    task = PathTask(targets, angles, order == "prescribed")
    bounds = bounds_of(kind, within, lengths, ratio)
    origin, size = complex(targets.mean()), float(np.abs(targets - targets.mean()).max())
    problem = PathProblem(kind, (targets - origin) / size, angles, bounds and bounds.scaled(origin, size))
    candidates, failures = [], Counter[str]()
    for one in _search(problem, task, starts or STARTS, seed, failures):
        linkage = one.linkage.moved(origin, size).plain()
        pose = linkage.pose(one.theta, one.signs)
        if np.isfinite(pose.P).all() and (bounds is None or bounds.allow(linkage)):
            candidates.append(Candidate(linkage, one.theta, one.signs, np.abs(pose.P - targets), task))
    notes = [*notes_on_degrees(angles, "angles in timing=")]
    if not candidates:
        left = ", ".join(f"{count} {why}" for why, count in failures.most_common())
        notes.append(f"of {counted(failures.total(), 'start')} {left or 'none closed at all points'}")
    ranking = rank(task.what, candidates, notes=notes)
    is_alts = len(targets) == dyads.POINTS  # with nine points, solutions are single linkages
    best = [one for k, one in enumerate(ranking) if k < MOST_RETURNED or (is_alts and largest(one) == 0.0)]
    return replace(ranking, candidates=tuple(best))


def _search(problem: PathProblem, task: PathTask, starts: int, seed: int, failures: Counter[str]) -> Iterator[CurveFit]:
    """Yield each linkage found once, for targets about 1 apart, around 0."""
    kind, targets, timing = problem.kind, problem.targets, problem.timing
    tour = np.arange(len(targets)) if task.ordered else atlas.tour(targets)
    numbers, theta, sign = atlas.starts(kind, targets[tour], timing, starts, seed)
    back = np.argsort(tour)
    signs = np.repeat(sign[:, None], len(targets), axis=1)
    roughly = nearest(problem, numbers, theta[:, back], signs, ROUGHLY, FEW_ROUNDS, failures)
    fits = _continue(problem, roughly, FURTHER, MOST, failures)
    if kind == "four-bar" and timing is None and len(targets) == dyads.POINTS:
        exact = [CurveFit(*one, 0.0) for one in dyads.linkages_through(targets, seed)]
        fits += _continue(replace(problem, bounds=None), exact, POLISH, len(exact), failures)
    fits.sort(key=lambda one: one.cost)
    drawn_alike = kind == "four-bar" and timing is None
    others: list[np.ndarray] = []
    for one in (fit_of_curve for first in fits for fit_of_curve in (cognates(first) if drawn_alike else (first,))):
        numbers_of_fit = one.linkage.numbers()
        if not any(
            np.abs(numbers_of_fit - other).max() < SAME_DESIGN * np.abs(numbers_of_fit).max() for other in others
        ):
            others.append(numbers_of_fit)
            yield one


def _continue(
    problem: PathProblem, fits: Sequence[CurveFit], steps: int, most: int, failures: Counter[str]
) -> list[CurveFit]:
    """Return the ends of a longer search from the best linkages found."""
    best = sorted(fits, key=lambda one: one.cost)[:most]
    if not best:
        return []
    numbers = np.array([one.linkage.numbers() for one in best])
    theta, signs = np.array([one.theta for one in best]), np.array([one.signs for one in best])
    return nearest(problem, numbers, theta, signs, steps, ROUNDS, failures)


def _of_model(
    model: Model, points: Any, order: str, timing: Any, starts: int | None, seed: int, *, point: Any, **options: Any
) -> Synthesis[ModelCandidate]:
    targets = numbers(points, "points", example="rows of coordinates", width=model.dimension)
    _check(targets)
    at = None if timing is None else _timing(timing, order, len(targets))
    what = f"path through {len(targets)} points" + (" at given values of the driver" if timing is not None else "")
    quantities = point_names(model, point, "coupler.P")
    more: Any = {"ordered": order == "prescribed", "timing": at, "starts": starts, "seed": seed}
    return designs_through(model, quantities, targets, what, **options, **more)


def _check(targets: np.ndarray) -> None:
    """Raise a `ModelError` unless there are three or more different points, which are rows of coordinates."""
    if len(targets) < 3:
        raise ModelError(
            f"points has {len(targets)}; give three or more",
            code="too-few-points", argument="points", count=len(targets), least=3,
        )  # fmt: skip
    gaps = np.linalg.norm(targets - targets[:, None], axis=2)
    np.fill_diagonal(gaps, np.inf)
    k, m = np.unravel_index(np.argmin(gaps), gaps.shape)
    if gaps[k, m] <= 1e-12 * np.abs(targets - targets.mean(axis=0)).max():
        raise ModelError(
            f"points {min(k, m)} and {max(k, m)} are the same place; leave one out (a closed path closes by itself)",
            code="given-twice", argument="points", points=(int(min(k, m)), int(max(k, m))),
        )  # fmt: skip


def _timing(timing_of_points: Any, order: str, count: int) -> np.ndarray:
    if order == "free":
        raise ModelError(
            "timing= says the order of the points; leave out order='free'",
            code="contradictory-arguments", argument="timing", other="order",
        )  # fmt: skip
    angles = numbers(timing_of_points, "timing", count, "one angle for each point, in rad")
    for k, m in zip(*np.triu_indices(count, 1), strict=True):
        if abs(wrap(angles[k] - angles[m])) < 1e-9:
            raise ModelError(
                f"timing has points {k} and {m} at the same angle of the crank; give different ones",
                code="given-twice", argument="timing", points=(int(k), int(m)),
            )  # fmt: skip
    return angles
