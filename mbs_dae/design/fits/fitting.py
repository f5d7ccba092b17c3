"""Numbers of a model from a measurement: weighted least squares, and how sure the numbers are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import stats

from ...compiled import System
from ...errors import AssemblyError, ModelError, counted
from ...model.model import Model
from ...model.parameters import finite_number
from ...unit_system import is_same
from ..analysis import Analysis, analysis_of, bounds_of
from ..objectives.objective import OfResult
from ..runs import Evaluation, Runs
from ..search import Box, Trial, box_of, search, wanted_value
from ..starts import starts_of
from .fitted import Estimate, Fit
from .indistinct import directions, told
from .measurements import Measured, measured_of, noise_of

ROUNDS, SETTLED = 20, 1e-4
"""Noise of several columns is estimated again with each fit, so often at most, until it changes by less."""
NONE = 1e-9
"""A singular value below this part of the largest is none: nothing changes in its direction."""
EXACT = 1e-13
"""Noise is not estimated below this part of what is measured: that is roundoff."""
NEAR_ZERO = 1e-6
"""A number that is smaller than this part of its bounds has no size of its own."""
DOUBT = 1e-3
"""Residuals larger than the noise by chance, with less than this probability, are none of chance."""


def fit(
    model: Model | System, measured: Any, over: Any = None, noise: float | Mapping[str, float] | None = None,
    starts: int | Sequence = 1, verb: str | None = None, initial: Any = None, seed: int = 0, confidence: float = 0.95,
    max_iterations: int = 200, **how: Any,
) -> Fit:  # fmt: skip
    """The numbers of a model with which a measurement is met best, and how sure they are.

    `measured` is a DataFrame (or a dict): a column for each quantity, by its name, and times as the index or as column
    "t"; nan where nothing was measured. `over` says what is sought: names, or names with bounds,
    ``{"r": (0.05, 0.2)}``. `noise` is the standard deviation of the measurement, one number or one for each column; if
    it is not given it is estimated from what the model leaves over. Squares are weighted by it. `verb` says what is
    run, with the options `how`: without it `simulate`, or `kinematics` for a driven model of which no body has a mass.

    What comes back has intervals that contain the true numbers with the probability `confidence` if the noise is normal
    and independent (Student's t, to first order), correlations, and tells which numbers the measurement cannot tell
    apart. The search begins with the model as it stands; ``starts=20`` begins at 19 other designs within the bounds,
    too.

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
        raise ModelError(f"confidence is {share:g}; it must be between 0 and 1, e.g. 0.95")
    data, begin = measured_of(measured), starts_of(starts, seed, max_iterations)
    names, low, high = bounds_of(over)
    analysis = analysis_of(model, data.t, names, verb, initial, how)
    said: Any = getattr(model, "model", model)

    def unit_of(name: str) -> str | None:
        """The unit of a quantity of the motion; the units of loads are known behind the first run."""
        found = said.found_quantity(name)
        return found[0].units[found[1]] if found else None

    _check_units(data, unit_of)
    if data.count < len(names) + (noise is None):
        also = " and the noise; measure more, or give noise=" if noise is None else "; measure more"
        counts = f"{counted(data.count, 'value')} for {counted(len(names), 'number')}"
        raise ModelError(f"measured has {counts} sought{also}")
    given, box = noise_of(noise, data), box_of(low, high, analysis.own)
    sizes: Mapping[str, float] = given or {name: _size(data, name) for name in data.columns}
    most = begin.max_iterations
    trials = [_fitted(analysis, data, sizes, box, row, most) for row in begin.rows(analysis, box)]
    best = min((one for one in trials if one[1].end is not None), key=lambda one: _squares(one[1]), default=None)
    if best is None:
        first = trials[0][0].failures[0].error
        raise AssemblyError(f"no start of the fit has a motion: {first}; begin elsewhere, or at more places") from first
    count = sum(runs.count for runs, _ in trials)
    runs, trial = best
    if given is None and len(data.columns) > 1:
        runs, trial, sizes, more = _with_noise(analysis, data, sizes, box, trial, most)
        count += more
    return _report(runs, trial, data, sizes, box, share, given is not None, count)


def _check_units(data: Measured, unit_of: Callable[[str], str | None]) -> None:
    """Columns that say their unit must be of the dimension of their quantity."""
    for name, unit in data.units.items():
        own = unit_of(name)
        if own is not None and not is_same(unit, own):
            raise ModelError(f"measured has {name!r} in {unit}, and it is in {own or 'no unit'}; mend its heading")


def _fitted(
    analysis: Analysis, data: Measured, sizes: Mapping[str, float], box: Box, start: np.ndarray, most: int
) -> tuple[Runs, Trial]:
    filled = {name: np.nan_to_num(values) for name, values in data.columns.items()}

    def residuals(result: Any) -> Any:
        return np.concatenate([(result[n] - one)[data.known(n)] / sizes[n] for n, one in filled.items()])

    runs = Runs(analysis, [OfResult(residuals)], (), False)
    return runs, search(runs, box, "least_squares", start, most)


def _with_noise(
    analysis: Analysis, data: Measured, sizes: Mapping[str, float], box: Box, trial: Trial, most: int
) -> tuple[Runs, Trial, Mapping[str, float], int]:
    """Columns weighted by the noise that each fit leaves, until that is what weights it; and how many runs it took."""
    count = 0
    for _ in range(ROUNDS):
        old, sizes = sizes, _estimated(data, sizes, trial.end, len(analysis.names))
        runs, trial = _fitted(analysis, data, sizes, box, _end(trial).row, most)
        count += runs.count
        if all(abs(sizes[name] - old[name]) <= SETTLED * old[name] for name in old):
            break
    return runs, trial, sizes, count


def _end(trial: Trial) -> Evaluation:
    assert trial.end is not None
    return trial.end


def _squares(trial: Trial) -> float:
    return wanted_value(_end(trial), "least_squares")


def _size(data: Measured, name: str) -> float:
    """A first guess of what a column is worth."""
    values = data.columns[name][data.known(name)]
    return float(np.std(values) or np.abs(values).max() or 1.0)


def _parts(data: Measured, values: np.ndarray) -> dict[str, np.ndarray]:
    """Return the values of each column, out of a list of all."""
    ends = np.cumsum([data.known(name).sum() for name in data.columns])[:-1]
    return dict(zip(data.columns, np.split(values, ends), strict=True))


def _estimated(data: Measured, sizes: Mapping[str, float], end: Evaluation | None, names: int) -> dict[str, float]:
    """The standard deviation of each column: each has paid its part of what the numbers took."""
    assert end is not None
    share = 1.0 - names / data.count
    return {
        name: max(
            sizes[name] * float(np.sqrt((part @ part) / (part.size * share))) if share > 0 else 0.0,
            EXACT * _size(data, name),
        )
        for name, part in _parts(data, end.wanted.value).items()
    }


# --- how sure the numbers are --------------------------------------------------------------------------------------


def _report(
    runs: Runs,
    trial: Trial,
    data: Measured,
    sizes: Mapping[str, float],
    box: Box,
    share: float,
    given: bool,
    count: int,
) -> Fit:
    analysis, end, n = runs.analysis, _end(trial), len(runs.analysis.names)
    _check_units(data, end.result.unit)
    scale = np.where(np.abs(end.row) > NEAR_ZERO * box.width, np.abs(end.row), box.width)
    _, s, V = np.linalg.svd((end.wanted.slope * scale[:, None]).T, full_matrices=True)
    known = np.zeros(n, dtype=bool)
    known[: s.size] = s > NONE * s.max(initial=0.0)
    free = data.count - int(known.sum())
    variance = 1.0 if given else _squares(trial) / max(free, 1)
    covariance = (V[known].T / s[: known.sum()] ** 2) @ V[known] * variance
    factor = float(stats.norm.ppf(0.5 + 0.5 * share) if given else stats.t.ppf(0.5 + 0.5 * share, max(free, 1)))
    errors = np.sqrt(np.diag(covariance)) * scale
    lost = np.abs(V[~known]).max(axis=0, initial=0.0) > 1e-4
    errors[lost] = np.inf
    deviation = np.sqrt(np.diag(covariance))
    deviation[deviation == 0.0] = 1.0
    correlation = np.where(lost[:, None] | lost[None, :], np.nan, covariance / np.outer(deviation, deviation))
    relative = V[~known] * scale
    apart = tuple(told(analysis.names, end.row, one) for one in _sparse(relative, scale))
    first = runs.at(trial.start)
    assert isinstance(first, Evaluation)
    own = analysis.own
    estimates = tuple(
        Estimate(name, float(end.row[k]), float(own[k]), analysis.unit(name), float(errors[k]),
                 float(end.row[k] - factor * errors[k]), float(end.row[k] + factor * errors[k]),
                 _at_bound(box, end.row, k))
        for k, name in enumerate(analysis.names)
    )  # fmt: skip
    final = dict(sizes) if given else _estimated(data, sizes, end, int(known.sum()))
    residuals = {name: part * sizes[name] for name, part in _parts(data, end.wanted.value).items()}
    return Fit(
        estimates, correlation, final, residuals, share, given, free, apart,
        not trial.message, _message(trial, given, free), count, trial.iterations, analysis.design(end.row),
        end.result, data,
    )  # fmt: skip


def _sparse(changes: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Directions in which nothing changes: eliminated in parts of the numbers' sizes, told in their units."""
    return directions(changes / scale) * scale if len(changes) else changes


def _at_bound(box: Box, row: np.ndarray, k: int) -> str:
    near = 1e-6 * box.width[k]
    return "lower" if row[k] <= box.low[k] + near else "upper" if row[k] >= box.high[k] - near else ""


def _message(trial: Trial, given: bool, free: int) -> str:
    notes = [trial.message] * bool(trial.message)
    if given and free > 0 and (chance := float(stats.chi2.sf(_squares(trial), free))) < DOUBT:
        size = np.sqrt(_squares(trial) / free)
        what = f"residuals are {size:.3g} times what the noise explains (by chance in {chance:.1g} of all cases)"
        notes.append(f"{what}: the model leaves something out, or noise= is too small")
    return "; ".join(notes)
