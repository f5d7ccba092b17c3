"""Fit numbers of a model to a measurement by weighted least squares, with their confidence."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import stats

from ...compiled import System
from ...errors import AssemblyError, ModelError, counted
from ...model.model import Model
from ...model.parameters import finite_number
from ...tolerances import NOISE_CHANGE, NOISE_FLOOR, PARAMETER_FLOOR, RANK_TOLERANCE, SIGNIFICANCE
from ...unit_system import is_same
from ..analysis import Analysis, analysis_of, bounds_of
from ..objectives.objective import OfResult
from ..runs import DesignRuns, Evaluation
from ..search import ScaledBox, Trial, box_of, objective_value, search
from ..starts import starts_of
from .indistinct import directions, sentence
from .measurements import Measurements, measured_of, noise_of
from .result import Estimate, Fit

ROUNDS = 20
"""The largest number of fits after each of which the noise of several columns is estimated again."""


def fit(
    model: Model | System, measured: Any, over: Any = None, noise: float | Mapping[str, float] | None = None,
    starts: int | Sequence = 1, verb: str | None = None, initial: Any = None, seed: int = 0, confidence: float = 0.95,
    max_iterations: int = 200, **how: Any,
) -> Fit:  # fmt: skip
    """Fit numbers of a model to a measurement by weighted least squares; return the fit with its confidence.

    `measured` is a DataFrame (or a dict): a column for each quantity, by its name, and times as the index or as column
    "t"; nan where nothing was measured. `over` names the numbers to fit: names, or names with bounds,
    ``{"r": (0.05, 0.2)}``. `noise` is the standard deviation of the measurement, one number or one for each column;
    without `noise` the standard deviation is estimated from the residuals. Squares are weighted by this noise. `verb`
    names the analysis, with the options `how`: without it `simulate`, or `kinematics` for a driven model of which no
    body has a mass.

    The fit has intervals that contain the true numbers with the probability `confidence` if the noise is normal and
    independent (Student's t, to first order), correlations, and the names of numbers that the measurement cannot
    distinguish. The search begins with the model as it stands; ``starts=20`` begins at 19 other designs within the
    bounds, too.

    >>> model = mbs.PlanarModel("crank")
    >>> r = model.parameter("r", 0.1, unit="m")
    >>> crank = model.link("crank", (0, 0), (0.1, 0), length=r)
    >>> model.add(mbs.Revolute("A", model.ground, crank.tail), mbs.Driver("motor", mbs.angle(crank), mbs.t))
    (<Revolute A>, <Driver motor>)
    >>> t = np.linspace(0, 6, 30)
    >>> noise = np.random.default_rng(1).normal(0, 1e-3, (2, 30))
    >>> measured = {"t": t, "crank.head.x": 0.12 * np.cos(t) + noise[0], "crank.head.y": 0.12 * np.sin(t) + noise[1]}
    >>> found = mbs.fit(model, measured, over=["r"], verb="kinematics")
    >>> low, high = found.interval("r")
    >>> low < 0.12 < high, round(found.noise["crank.head.x"], 4)
    (True, 0.0008)
    """
    share = finite_number(confidence, "confidence")
    if not 0.0 < share < 1.0:
        raise ModelError(
            f"confidence is {share:g}; it must be between 0 and 1, e.g. 0.95",
            code="out-of-bounds", argument="confidence", share=share,
        )  # fmt: skip
    data, begin = measured_of(measured), starts_of(starts, seed, max_iterations)
    names, low, high = bounds_of(model, over)
    analysis = analysis_of(model, data.t, names, verb, initial, how)
    content: Any = getattr(model, "model", model)

    def unit_of(name: str) -> str | None:
        """Return the unit of a quantity of the motion; units of loads are known after the first run."""
        quantity = content.quantity_or_none(name)
        return quantity[0].units[quantity[1]] if quantity else None

    _check_units(data, unit_of)
    if data.count < len(names) + (noise is None):
        also = " and the noise; measure more, or give noise=" if noise is None else "; measure more"
        counts = f"{counted(data.count, 'value')} for {counted(len(names), 'number')}"
        raise ModelError(
            f"measured has {counts} sought{also}",
            code="too-few-values", argument="measured", count=data.count, least=len(names) + (noise is None),
        )  # fmt: skip
    given_noise, box = noise_of(noise, data), box_of(low, high, analysis.model_row)
    sizes: Mapping[str, float] = given_noise or {name: _size(data, name) for name in data.columns}
    most = begin.max_iterations
    trials = [_search(analysis, data, sizes, box, row, most) for row in begin.rows(analysis, box)]
    best = min((one for one in trials if one[1].end is not None), key=lambda one: _squares(one[1]), default=None)
    if best is None:
        first = trials[0][0].failures[0].error
        raise AssemblyError(
            f"no start of the fit has a motion: {first}; begin elsewhere, or at more places",
            code="no-start-with-motion", first=first,
        ) from first  # fmt: skip
    count = sum(runs.count for runs, _ in trials)
    runs, trial = best
    if given_noise is None and len(data.columns) > 1:
        runs, trial, sizes, more = _search_with_noise(analysis, data, sizes, box, trial, most)
        count += more
    return _report(runs, trial, data, sizes, box, share, given_noise is not None, count)


def _check_units(data: Measurements, unit_of: Callable[[str], str | None]) -> None:
    """Raise a `ModelError` if the unit of a column does not have the dimension of its quantity."""
    for name, unit in data.units.items():
        si_unit = unit_of(name)
        if si_unit is not None and not is_same(unit, si_unit):
            raise ModelError(
                f"measured has {name!r} in {unit}, and it is in {si_unit or 'no unit'}; correct its heading",
                code="unit-does-not-fit", name=name, unit=unit,
            )  # fmt: skip


def _search(
    analysis: Analysis, data: Measurements, sizes: Mapping[str, float], box: ScaledBox, start: np.ndarray, most: int
) -> tuple[DesignRuns, Trial]:
    filled = {name: np.nan_to_num(values) for name, values in data.columns.items()}

    def residuals(result: Any) -> Any:
        return np.concatenate([(result[n] - one)[data.is_measured(n)] / sizes[n] for n, one in filled.items()])

    runs = DesignRuns(analysis, [OfResult(residuals)], (), False)
    return runs, search(runs, box, "least_squares", start, most)


def _search_with_noise(
    analysis: Analysis, data: Measurements, sizes: Mapping[str, float], box: ScaledBox, trial: Trial, most: int
) -> tuple[DesignRuns, Trial, Mapping[str, float], int]:
    """Repeat the fit with columns weighted by the noise that the fit before has left, until the weights settle; return
    runs, trial, noise and the number of runs."""
    count = 0
    for _ in range(ROUNDS):
        old, sizes = sizes, _noise_left(data, sizes, trial.end, len(analysis.names))
        runs, trial = _search(analysis, data, sizes, box, _end(trial).row, most)
        count += runs.count
        if all(abs(sizes[name] - old[name]) <= NOISE_CHANGE * old[name] for name in old):
            break
    return runs, trial, sizes, count


def _end(trial: Trial) -> Evaluation:
    assert trial.end is not None
    return trial.end


def _squares(trial: Trial) -> float:
    return objective_value(_end(trial), "least_squares")


def _size(data: Measurements, name: str) -> float:
    """Return a first guess of a column's noise, its standard deviation, as a common scale."""
    values = data.columns[name][data.is_measured(name)]
    return float(np.std(values) or np.abs(values).max() or 1.0)


def _parts(data: Measurements, values: np.ndarray) -> dict[str, np.ndarray]:
    """Return the values of each column from the list of all residuals."""
    ends = np.cumsum([data.is_measured(name).sum() for name in data.columns])[:-1]
    return dict(zip(data.columns, np.split(values, ends), strict=True))


def _noise_left(data: Measurements, sizes: Mapping[str, float], end: Evaluation | None, names: int) -> dict[str, float]:
    """Return the standard deviation of each column's residuals; the fitted numbers reduce the degrees of freedom of all
    columns in proportion to their sizes."""
    assert end is not None
    share = 1.0 - names / data.count
    return {
        name: max(
            sizes[name] * float(np.sqrt((part @ part) / (part.size * share))) if share > 0 else 0.0,
            NOISE_FLOOR * _size(data, name),
        )
        for name, part in _parts(data, end.objective.value).items()
    }


# --- how sure the numbers are --------------------------------------------------------------------------------------


def _report(
    runs: DesignRuns,
    trial: Trial,
    data: Measurements,
    sizes: Mapping[str, float],
    box: ScaledBox,
    share: float,
    has_noise: bool,
    count: int,
) -> Fit:
    analysis, end, n = runs.analysis, _end(trial), len(runs.analysis.names)
    _check_units(data, end.result.unit)
    scale = np.where(np.abs(end.row) > PARAMETER_FLOOR * box.width, np.abs(end.row), box.width)
    _, s, V = np.linalg.svd((end.objective.slope * scale[:, None]).T, full_matrices=True)
    determined = np.zeros(n, dtype=bool)
    determined[: s.size] = s > RANK_TOLERANCE * s.max(initial=0.0)
    free = data.count - int(determined.sum())
    variance = 1.0 if has_noise else _squares(trial) / max(free, 1)
    covariance = (V[determined].T / s[: determined.sum()] ** 2) @ V[determined] * variance
    factor = float(stats.norm.ppf(0.5 + 0.5 * share) if has_noise else stats.t.ppf(0.5 + 0.5 * share, max(free, 1)))
    errors = np.sqrt(np.diag(covariance)) * scale
    unknown = np.abs(V[~determined]).max(axis=0, initial=0.0) > 1e-4
    errors[unknown] = np.inf
    deviation = np.sqrt(np.diag(covariance))
    deviation[deviation == 0.0] = 1.0
    correlation = np.where(unknown[:, None] | unknown[None, :], np.nan, covariance / np.outer(deviation, deviation))
    relative = V[~determined] * scale
    # sparse directions in which nothing changes, eliminated relative to the numbers' sizes, in SI units
    free_directions = directions(relative / scale) * scale if len(relative) else relative
    indistinct = tuple(sentence(analysis.names, end.row, one) for one in free_directions)
    first = runs.at(trial.start)
    assert isinstance(first, Evaluation)
    model_row = analysis.model_row
    near = 1e-6 * box.width
    at_low, at_high = end.row <= box.low + near, end.row >= box.high - near
    estimates = tuple(
        Estimate(name, float(end.row[k]), float(model_row[k]), analysis.unit(name), float(errors[k]),
                 float(end.row[k] - factor * errors[k]), float(end.row[k] + factor * errors[k]),
                 "lower" if at_low[k] else "upper" if at_high[k] else "")
        for k, name in enumerate(analysis.names)
    )  # fmt: skip
    final = dict(sizes) if has_noise else _noise_left(data, sizes, end, int(determined.sum()))
    residuals = {name: part * sizes[name] for name, part in _parts(data, end.objective.value).items()}
    return Fit(
        estimates, correlation, final, residuals, share, has_noise, free, indistinct,
        not trial.message, _message(trial, has_noise, free), count, trial.iterations, analysis.design(end.row),
        end.result, data,
    )  # fmt: skip


def _message(trial: Trial, has_noise: bool, free: int) -> str:
    notes = [trial.message] * bool(trial.message)
    if has_noise and free > 0 and (chance := float(stats.chi2.sf(_squares(trial), free))) < SIGNIFICANCE:
        size = np.sqrt(_squares(trial) / free)
        what = f"residuals are {size:.3g} times what the noise explains (by chance in {chance:.1g} of all cases)"
        notes.append(f"{what}: the model leaves something out, or noise= is too small")
    return "; ".join(notes)
