"""Find the best design within bounds: a thin layer over scipy, with exact derivatives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from ..compiled import System
from ..errors import AssemblyError, ModelError, counted
from ..model.model import Model
from ..model.parameters import check_choice
from .analysis import Analysis, analysis_of, bounds_of
from .limits import largest_of, limits_of
from .objectives.objective import Formula, Measured, NotSmooth, objective_of
from .optimum import Bound, Kept, Optimum, Start
from .runs import Evaluation, Runs
from .search import BESIDE_NONE, Box, Sides, Trial, box_of, search, sides_of, wanted_value
from .sensitivity import Holding, holding
from .starts import starts_of

KINDS = ("min", "minimax", "least_squares")
BROKEN = 1e-6
"""The excess beyond a limit, as a part of the limit's size, above which the limit is violated."""
FLAT = 1e-4
"""The largest slope left at an optimum, as a part of the slope at the start."""


def optimize(
    objective: Any, model: Model | System, times: Sequence[float] | np.ndarray = (), over: Any = None,
    subject_to: Sequence[Any] = (), kind: Literal["min", "minimax", "least_squares"] = "min",
    starts: int | Sequence = 1, verb: str | None = None, initial: Any = None, seed: int = 0, max_iterations: int = 200,
    **how: Any,
) -> Optimum:  # fmt: skip
    """Return the design within bounds that minimises an objective; its negative is minimised where it is to be large.

    `over` gives the free numbers and their bounds: ``{"r": (0.05, 0.2), "spring.stiffness": (10, 1e3)}``. `objective`
    is one that `mbs.gradient` takes; ``kind="minimax"`` minimises the largest entry of an array, "least_squares" the
    sum of squares. `subject_to` lists limits, ``mbs.maximum("motor.effort") <= 50``, ``mbs.at_end("slider.x") >= 0.3``,
    or `mbs.Limit` of a function. `verb` names the analysis, with the options `how`: without it `simulate`, or
    `kinematics` for a driven model of which no body has a mass.

    The search begins with the model as it stands, and finds a local optimum. ``starts=20`` begins at 19 designs more,
    spread over the bounds (`seed`), or at those of a list of dicts, and keeps the best end. The search steps back from
    a design without a motion, which does not assemble or stops at a dead point.

    Raise a `ModelError` if no end keeps the limits, an `AssemblyError` if no start has a motion.

    A driven crank shall pass three points as closely as possible:

    >>> model = mbs.PlanarModel("crank")
    >>> r = model.parameter("r", 0.1, unit="m")
    >>> crank = model.link("crank", (0, 0), (0.1, 0), length=r)
    >>> model.add(mbs.Revolute("A", model.ground, crank.tail), mbs.Driver("motor", mbs.angle(crank), mbs.t))
    (<Revolute A>, <Driver motor>)
    >>> def off(result):
    ...     return result["crank.head.x"] - np.array([0.2, 0.15, 0.1])
    >>> found = mbs.optimize(off, model, [0, 0.7, 1], {"r": (0.05, 0.5)}, kind="least_squares", verb="kinematics")
    >>> c = np.cos([0, 0.7, 1])
    >>> np.isclose(found.values["r"], c @ [0.2, 0.15, 0.1] / (c @ c))
    np.True_
    """
    check_choice(kind, KINDS, "kind of optimize")
    names, low, high = bounds_of(over)
    if not np.isfinite(low).all():
        raise ModelError('over= needs bounds: they tell how far a number may go, e.g. over={"r": (0.05, 0.2)}')
    begin = starts_of(starts, seed, max_iterations)
    analysis = analysis_of(model, times, names, verb, initial, how)
    wanted = largest_of(objective) if kind == "minimax" else [objective_of(objective)]
    limits = limits_of(subject_to)
    runs, box = Runs(analysis, wanted, limits, kind == "min", True), box_of(low, high, analysis.own)
    try:
        trials = [search(runs, box, kind, row, begin.max_iterations) for row in begin.rows(analysis, box)]
        return _report(runs, box, kind, trials, _label(objective, wanted))
    except NotSmooth as wrong:
        where = "" if runs.tried is None else f"; it was found at {_told(analysis, runs.tried)}"
        raise NotSmooth(f"{wrong}{where}") from wrong


# --- report ----------------------------------------------------------------------------------------------------------


def _report(runs: Runs, box: Box, kind: str, trials: Sequence[Trial], label: str) -> Optimum:
    ended = [one for one in trials if one.end is not None]
    if not ended:
        failed = runs.failures[0]
        what = f"of {counted(len(trials), 'start')} within the bounds none has a motion"
        advice = "begin elsewhere, or at more places: starts=20"
        where = _told(runs.analysis, failed.row)
        raise AssemblyError(f"{what}; {where}: {failed.error}; {advice}") from failed.error
    best = min(ended, key=lambda one: _rank(runs, box, one, kind))
    end = best.end
    assert end is not None
    sides = sides_of(runs, box, end)
    held = holding(runs, sides, box, end, kind)
    first = runs.at(ended[0].start)
    assert isinstance(first, Evaluation)
    if (beyond := _broken(runs, box, end)) > BROKEN:
        raise _unkept(runs, sides, end, beyond)
    slope_at_start = holding(runs, sides, box, first, kind).steepest
    fall = wanted_value(first, kind) - wanted_value(end, kind)  # scale of slopes for a search that began at a maximum
    steepest = max(slope_at_start, held.steepest, 0.0 if slope_at_start > FLAT * abs(fall) else fall)
    success = held.left <= FLAT * steepest or held.left <= 1e-9 * abs(wanted_value(end, kind))
    notes = _notes(runs, first, end, success, best.message)
    return Optimum(
        label, kind, wanted_value(end, kind), wanted_value(first, kind), _bounds(runs, box, first, end, held),
        _kept(runs, end, held), success, "; ".join(notes), runs.count, best.iterations,
        tuple(_start(runs, box, one, kind) for one in trials), runs.analysis.design(end.row), end.result,
        first.result, end.changing.read,
    )  # fmt: skip


def _rank(runs: Runs, box: Box, trial: Trial, kind: str) -> tuple[float, float]:
    """Return the sorting key of a trial: first the excess beyond its limits, 0 if all are kept, then its value."""
    assert trial.end is not None
    broken = _broken(runs, box, trial.end)
    return broken if broken > BROKEN else 0.0, wanted_value(trial.end, kind)


def _broken(runs: Runs, box: Box, end: Evaluation | None) -> float:
    """Return the largest excess beyond limits, as a part of their size."""
    if end is None or not runs.limits:
        return 0.0
    sides = sides_of(runs, box, end)
    margins = sides.margins(end)
    return float(np.where(sides.equation, np.abs(margins), -margins).max(initial=0.0))


def _unkept(runs: Runs, sides: Sides, end: Evaluation, beyond: float) -> ModelError:
    margins = sides.margins(end)
    worst = int(np.argmax(np.where(sides.equation, np.abs(margins), -margins)))
    limit, found = runs.limits[sides.limit[worst]], end.limited[sides.limit[worst]].value[sides.entry[worst]]
    what = (
        f"no design within the bounds was found that keeps all limits: {limit} is {found:.6g} where it is nearest, at "
    )
    what += _told(runs.analysis, end.row)
    return ModelError(f"{what}; widen the bounds or the limit, or begin at more places: starts=20", excess=beyond)


def _told(analysis: Analysis, row: np.ndarray) -> str:
    return ", ".join(f"{name} = {x:.6g}" for name, x in zip(analysis.names, row, strict=True))


def _notes(runs: Runs, first: Evaluation, end: Evaluation, success: bool, message: str) -> list[str]:
    notes = []
    for k, name in enumerate(runs.analysis.names):
        slopes = [one.slope[k] for found in (first, end) for one in (found.wanted, *found.limited)]
        if end.row[k] == first.row[k] and not any(slope.any() for slope in slopes):
            notes.append(f"nothing that was asked for depends on {name!r}; leave it out of over=")
    if not success and message == BESIDE_NONE:
        notes.append(
            f"the search ended where the objective still falls, and {message}; move the bounds away from there"
        )
    elif not success:
        why = f" ({message})" if message else ""
        notes.append(f"the search ended where the objective still falls{why}: it may have a kink; try kind='minimax'")
    if runs.failures:
        designs = counted(len(runs.failures), "design")
        notes.append(f"the search stepped back from {designs} that have no motion, or no derivatives of it")
    return notes


def _bounds(runs: Runs, box: Box, first: Evaluation, end: Evaluation, held: Holding) -> tuple[Bound, ...]:
    found = []
    for k, name in enumerate(runs.analysis.names):
        at_low, at_high = box.u(end.row)[k] <= BROKEN, box.u(end.row)[k] >= 1 - BROKEN
        active = "lower" if at_low else "upper" if at_high else ""
        slope = float(held.by_lower[k] if at_low else held.by_upper[k])
        own = (name, float(end.row[k]), float(first.row[k]), float(box.low[k]), float(box.high[k]))
        found.append(Bound(*own, runs.analysis.unit(name), active, slope))
    return tuple(found)


def _kept(runs: Runs, end: Evaluation, held: Holding) -> tuple[Kept, ...]:
    found = []
    for k, (limit, one) in enumerate(zip(runs.limits, end.limited, strict=True)):
        nearest = np.minimum(limit.upper - one.value, one.value - limit.lower).argmin()
        slope = float(held.by_limit_lower[k] + held.by_limit_upper[k])
        found.append(Kept(limit, float(one.value[nearest]), bool(held.active[k]), slope))
    return tuple(found)


def _start(runs: Runs, box: Box, trial: Trial, kind: str) -> Start:
    values = dict(zip(runs.analysis.names, trial.start.tolist(), strict=True))
    reached = trial.end is not None and _broken(runs, box, trial.end) <= BROKEN
    return Start(values, wanted_value(trial.end, kind) if reached and trial.end else None, trial.message)


def _label(given: Any, wanted: Sequence[Measured]) -> str:
    if len(wanted) == 1 or not isinstance(wanted[0], Formula):
        return wanted[0].label
    return str(given) if not isinstance(given, list | tuple) else ", ".join(map(str, given))
