"""Find the best design within bounds: a thin layer over scipy, with exact derivatives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from ..compiled import System
from ..errors import AssemblyError, ModelError, counted
from ..model.model import Model
from ..model.parameters import check_choice
from ..tolerances import LIMIT_TOLERANCE, OPTIMUM_SLOPE, PARAMETER_EFFECT
from .analysis import Analysis, analysis_of, bounds_of
from .limits import largest_of, limits_of
from .objectives.objective import FormulaObjective, NotSmooth, ObjectiveFunction, objective_of, unit_of
from .optimum import Bound, LimitAtOptimum, Optimum, Start
from .runs import DesignRuns, Evaluation
from .search import NO_MOTION_NEARBY, LimitMargins, ScaledBox, Trial, box_of, objective_value, search, sides_of
from .sensitivity import Multipliers, multipliers_of
from .starts import starts_of

KINDS = ("min", "minimax", "least_squares")


def optimize(
    objective: Any, model: Model | System, times: Sequence[float] | np.ndarray = (), over: Any = None,
    subject_to: Sequence[Any] = (), kind: Literal["min", "minimax", "least_squares"] = "min",
    starts: int | Sequence = 1, verb: str | None = None, initial: Any = None, seed: int = 0, max_iterations: int = 200,
    **how: Any,
) -> Optimum:  # fmt: skip
    """Return the design within bounds that minimises an objective. (To make a quantity large, minimise its negative.)

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
    names, low, high = bounds_of(model, over)
    if not np.isfinite(low).all():
        raise ModelError(
            'over= needs bounds: they tell how far a number may go, e.g. over={"r": (0.05, 0.2)}',
            code="no-bounds", argument="over", names=names,
        )  # fmt: skip
    begin = starts_of(starts, seed, max_iterations)
    analysis = analysis_of(model, times, names, verb, initial, how)
    objectives = largest_of(objective) if kind == "minimax" else [objective_of(objective)]
    limits = limits_of(subject_to)
    runs, box = DesignRuns(analysis, objectives, limits, kind == "min", True), box_of(low, high, analysis.model_row)
    try:
        trials = [search(runs, box, kind, row, begin.max_iterations) for row in begin.rows(analysis, box)]
        label = objectives[0].label
        if len(objectives) > 1 and isinstance(objectives[0], FormulaObjective):
            label = ", ".join(map(str, objective)) if isinstance(objective, list | tuple) else str(objective)
        return _report(runs, box, kind, trials, label)
    except NotSmooth as wrong:
        where = "" if runs.tried is None else f"; it was found at {_design_in_words(analysis, runs.tried)}"
        raise NotSmooth(
            f"{wrong}{where}",
            code="no-derivative", names=analysis.names, values=runs.tried, cause=getattr(wrong, "code", None),
        ) from wrong  # fmt: skip


# --- report ----------------------------------------------------------------------------------------------------------


def _report(runs: DesignRuns, box: ScaledBox, kind: str, trials: Sequence[Trial], label: str) -> Optimum:
    ended = [one for one in trials if one.end is not None]
    if not ended:
        failed = runs.failures[0]
        what = f"of {counted(len(trials), 'start')} within the bounds none has a motion"
        advice = "begin elsewhere, or at more places: starts=20"
        where = _design_in_words(runs.analysis, failed.row)
        raise AssemblyError(
            f"{what}; {where}: {failed.error}; {advice}",
            code="no-start-with-motion",
            starts=len(trials),
            names=runs.analysis.names,
            exception=type(failed.error).__name__,
            cause=getattr(failed.error, "code", None),
        ) from failed.error

    def rank(trial: Trial) -> tuple[float, float]:
        """Return the excess beyond its limits, 0 if all are kept, then its value."""
        assert trial.end is not None
        excess = _excess(runs, box, trial.end)
        return excess if excess > LIMIT_TOLERANCE else 0.0, objective_value(trial.end, kind)

    best = min(ended, key=rank)
    end = best.end
    assert end is not None
    sides = sides_of(runs, box, end)
    multipliers = multipliers_of(runs, sides, box, end, kind)
    first = runs.at(ended[0].start)
    assert isinstance(first, Evaluation)
    if (beyond := _excess(runs, box, end)) > LIMIT_TOLERANCE:
        raise _broken_limit(runs, sides, end, beyond)
    slope_at_start = multipliers_of(runs, sides, box, first, kind).steepest
    # the fall of the objective is the scale of slopes for a search that began at a maximum
    fall = objective_value(first, kind) - objective_value(end, kind)
    steepest = max(slope_at_start, multipliers.steepest, 0.0 if slope_at_start > OPTIMUM_SLOPE * abs(fall) else fall)
    success = multipliers.residual <= OPTIMUM_SLOPE * steepest or multipliers.residual <= 1e-9 * abs(
        objective_value(end, kind)
    )
    notes = _notes(runs, box, first, end, success, best.message)
    starts = tuple(
        Start(
            dict(zip(runs.analysis.names, one.start.tolist(), strict=True)),
            objective_value(one.end, kind)
            if one.end is not None and _excess(runs, box, one.end) <= LIMIT_TOLERANCE
            else None,
            one.message,
        )
        for one in trials
    )
    terms = {_unit(runs, end, one, 2 if kind == "least_squares" else 1) for one in runs.objectives}
    unit = terms.pop() if len(terms) == 1 else None
    return Optimum(
        label, kind, objective_value(end, kind), objective_value(first, kind),
        _bounds(runs, box, first, end, multipliers),
        _limits(runs, end, multipliers), success, "; ".join(notes), runs.count, best.iterations,
        starts, runs.analysis.design(end.row), end.result,
        first.result, end.outputs.read, unit,
    )  # fmt: skip


def _excess(runs: DesignRuns, box: ScaledBox, end: Evaluation | None) -> float:
    """Return the largest excess beyond limits, as a part of their size."""
    if end is None or not runs.limits:
        return 0.0
    sides = sides_of(runs, box, end)
    margins = sides.margins(end)
    return float(np.where(sides.equation, np.abs(margins), -margins).max(initial=0.0))


def _broken_limit(runs: DesignRuns, sides: LimitMargins, end: Evaluation, beyond: float) -> ModelError:
    margins = sides.margins(end)
    worst = int(np.argmax(np.where(sides.equation, np.abs(margins), -margins)))
    limit, value = runs.limits[sides.limit[worst]], end.limited[sides.limit[worst]].value[sides.entry[worst]]
    what = (
        f"no design within the bounds was found that keeps all limits: {limit} is {value:.6g} where it is nearest, at "
    )
    what += _design_in_words(runs.analysis, end.row)
    return ModelError(
        f"{what}; widen the bounds or the limit, or begin at more places: starts=20",
        code="limits-not-kept", limit=str(limit), value=float(value), excess=beyond,
    )  # fmt: skip


def _design_in_words(analysis: Analysis, row: np.ndarray) -> str:
    return ", ".join(f"{name} = {x:.6g}" for name, x in zip(analysis.names, row, strict=True))


def _notes(
    runs: DesignRuns, box: ScaledBox, first: Evaluation, end: Evaluation, success: bool, message: str
) -> list[str]:  # fmt: skip
    notes = []
    for k, name in enumerate(runs.analysis.names):
        width = float(box.high[k] - box.low[k])
        width = width if np.isfinite(width) else max(abs(float(first.row[k])), 1.0)
        asked = [one for evaluation in (first, end) for one in (evaluation.objective, *evaluation.limited)]
        changes = [np.abs(one.slope[k]).max(initial=0.0) * width for one in asked]
        sizes = [np.abs(one.value).max(initial=0.0) for one in asked]
        if all(change <= PARAMETER_EFFECT * size for change, size in zip(changes, sizes, strict=True)):
            notes.append(f"nothing that was asked for depends on {name!r}; leave it out of over=")
    if not success and message == NO_MOTION_NEARBY:
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


def _bounds(
    runs: DesignRuns, box: ScaledBox, first: Evaluation, end: Evaluation, multipliers: Multipliers
) -> tuple[Bound, ...]:
    bounds = []
    for k, name in enumerate(runs.analysis.names):
        at_low, at_high = box.u(end.row)[k] <= LIMIT_TOLERANCE, box.u(end.row)[k] >= 1 - LIMIT_TOLERANCE
        active = "lower" if at_low else "upper" if at_high else ""
        slope = float(multipliers.by_lower[k] if at_low else multipliers.by_upper[k])
        numbers = (name, float(end.row[k]), float(first.row[k]), float(box.low[k]), float(box.high[k]))
        bounds.append(Bound(*numbers, runs.analysis.unit(name), active, slope))
    return tuple(bounds)


def _unit(runs: DesignRuns, end: Evaluation, measured: ObjectiveFunction, power: int = 1) -> str | None:
    """Return the SI unit of a power of an objective or of a limited quantity; None if it is unknown."""
    parameters = runs.analysis.model.parameters

    def unit(name: str) -> str:
        return parameters[name].unit if name in parameters else end.result.unit(name)

    if not isinstance(measured, FormulaObjective):
        return None
    return unit_of(FormulaObjective(measured.expression**power), unit)


def _limits(runs: DesignRuns, end: Evaluation, multipliers: Multipliers) -> tuple[LimitAtOptimum, ...]:
    limits = []
    for k, (limit, one) in enumerate(zip(runs.limits, end.limited, strict=True)):
        nearest = np.minimum(limit.upper - one.value, one.value - limit.lower).argmin()
        slope = float(multipliers.by_limit_lower[k] + multipliers.by_limit_upper[k])
        unit = _unit(runs, end, limit.measured)
        limits.append(LimitAtOptimum(limit, float(one.value[nearest]), bool(multipliers.active[k]), slope, unit))
    return tuple(limits)
