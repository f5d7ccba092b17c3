"""Compute the scatter of results due to tolerances of dimensions, from derivatives to first order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..compiled import System
from ..ensembles.ensemble import Ensemble
from ..ensembles.samples import Tolerance, samples
from ..ensembles.study import ensemble
from ..errors import MbsError, ModelError
from ..model.checks import warn_of_angles
from ..model.model import Model
from ..model.parameters import finite_number, positive_number
from ..tolerances import CHANGE_NOISE
from .analysis import Analysis, analysis_of
from .bands import Band, Bands
from .objectives.readings import DualReadings

LIMITS = 3.0
"""The distance of the limits of a tolerance given by its standard deviation, in standard deviations."""
CURVED = 0.1
"""The largest error of the linear change at a limit, as a part of the widest band, that first order may have."""


class Spread(NamedTuple):
    """The scatter of one number: its standard deviation and its limits."""

    nominal: float
    sigma: float
    limit: float
    drawn: Tolerance


def tolerance(
    model: Model | System, times: Sequence[float] | np.ndarray = (), sigma: Any = None, of: Sequence[str] = (),
    verb: str | None = None, initial: Any = None, check: bool = True, samples: int = 0, seed: int = 0, **how: Any,
) -> Bands:  # fmt: skip
    """Compute the scatter of quantities due to tolerances of dimensions, from derivatives: one run.

    `sigma` gives the standard deviation of each number, ``{"r": 1e-5}``, whose limits are three standard deviations
    away; or an `mbs.Tolerance` with its own nominal value. `of` names the quantities. `verb` names the analysis:
    without it `simulate`, or `kinematics` for a driven model of which no body has a mass. The standard deviation of a
    quantity is the root of the sum of squares (∂y/∂p σ_p)²; the worst case has all numbers at their limits and is the
    sum of the sizes of ∂y/∂p times the limits.

    First order is checked: each number is moved to its limit, one run each. If the change differs from the linear one
    by more than a tenth of the worst case, a `ModelError` is raised; ``check=False`` accepts the difference. With
    ``samples=1000`` that many members are also drawn and run, compared, plotted beside the bands and returned as
    ``ensemble``.

    >>> model = mbs.PlanarModel("crank")
    >>> r = model.parameter("r", 0.1, unit="m")
    >>> crank = model.link("crank", (0, 0), (0.1, 0), length=r)
    >>> model.add(mbs.Revolute("A", model.ground, crank.tail), mbs.Driver("motor", mbs.angle(crank), mbs.t))
    (<Revolute A>, <Driver motor>)
    >>> found = mbs.tolerance(model, [0, 1], {"r": mbs.Tolerance(0.1, plus_minus=3e-4)}, ["crank.head.x"], "kinematics")
    >>> band = found["crank.head.x"]
    >>> band.sigma, band.worst  # 1e-4 and 3e-4, times the cosine
    (array([1.00000000e-04, 5.40302306e-05]), array([0.0003    , 0.00016209]))
    """
    if not isinstance(sigma, Mapping) or not sigma:
        what = f'sigma= must be a dict of standard deviations or mbs.Tolerance, e.g. {{"r": 1e-5}}, not {sigma!r}'
        raise ModelError(what, code="not-a-dict", argument="sigma", value=sigma)
    spreads = {str(getattr(name, "symbol", name)): one for name, one in sigma.items()}
    if isinstance(of, str) or not isinstance(of, Sequence) or not of:
        raise ModelError(
            f'of must be a list of quantities, e.g. of=["slider.x"], not {of!r}',
            code="not-a-list", argument="of", value=of,
        )  # fmt: skip
    if isinstance(samples, bool) or not isinstance(samples, int | np.integer) or samples < 0 or samples == 1:
        what = f"samples must be a whole number, 2 or larger, or 0 for none, not {samples!r}"
        raise ModelError(
            f"{what}; e.g. samples=1000", code="not-an-integer", argument="samples", value=samples, least=2
        )
    analysis = analysis_of(model, times, tuple(spreads), verb, initial, how)
    nominals = {name: one.nominal for name, one in spreads.items() if isinstance(one, Tolerance)}
    warn_of_angles(analysis.model, nominals, "sigma")
    model_row = analysis.model_row
    full = {name: _with_nominal(one, model_row[k]) for k, (name, one) in enumerate(spreads.items())}
    row = np.array([one.nominal for one in full.values()], dtype=float)
    readings = analysis.readings(row)
    names = [part for name in of for part in readings.result.components(name)]
    bands = {name: _band(readings, name, full) for name in names}
    for name, band in bands.items():
        if not (np.isfinite(band.sigma)).all():
            time = float(readings.result.t[~np.isfinite(band.sigma)][0])
            raise ModelError(
                f"{name!r} has no derivative at t = {time:g}; leave it out",
                code="no-derivative", argument="of", name=name, time=time,
            )  # fmt: skip
    curved = _curvature(analysis, row, full, bands) if check else {}
    drawn = _members(analysis, full, names, samples, seed)
    result = Bands(
        bands, {n: one.drawn for n, one in full.items()}, readings.result, drawn, 1 + len(full) * bool(check), curved
    )
    if check:
        _refuse(result)
    return result


def _with_nominal(scatter: Any, nominal: float) -> Spread:
    """Return the scatter of a number: a tolerance has its own nominal value, a standard deviation the model's."""
    if isinstance(scatter, Tolerance):
        uniform = scatter.distribution == "uniform"
        sigma = scatter.plus_minus / (np.sqrt(3.0) if uniform else scatter.sigmas)
        return Spread(scatter.nominal, float(sigma), scatter.plus_minus, scatter)
    sigma = positive_number(scatter, "a standard deviation in sigma=", "number")
    return Spread(nominal, sigma, LIMITS * sigma, Tolerance(finite_number(nominal, "a nominal value"), LIMITS * sigma))


def _band(readings: DualReadings, name: str, spreads: Mapping[str, Spread]) -> Band:
    values = readings[name]
    sigma, limit = (np.array([getattr(one, which) for one in spreads.values()]) for which in ("sigma", "limit"))
    parts = dict(zip(spreads, values.slope * sigma[:, None], strict=True))
    worst = (np.abs(values.slope) * limit[:, None]).sum(axis=0)
    slopes = dict(zip(spreads, values.slope, strict=True))
    return Band(name, readings.result.unit(name), readings.t, values.value, parts, worst, slopes)


def _curvature(
    analysis: Analysis, row: np.ndarray, spreads: Mapping[str, Spread], bands: Mapping[str, Band]
) -> dict[str, tuple[float, str]]:
    """Return for each quantity the error of the linear change at a limit, in parts of the widest band, and the name of
    the number."""
    largest = dict.fromkeys(bands, (0.0, ""))
    for k, (name, one) in enumerate(spreads.items()):
        limit_row = row.copy()
        limit_row[k] += one.limit
        try:
            there = analysis.result(limit_row)
        except MbsError as error:
            what = f"with {name!r} at its limit, {limit_row[k]:.6g}, there is no motion: {error}"
            raise ModelError(
                f"{what}; make its tolerance smaller",
                code="no-motion-at-limit", name=name, value=float(limit_row[k]), exception=type(error).__name__,
                cause=getattr(error, "code", None),
            ) from error  # fmt: skip
        for quantity, band in bands.items():
            bend = np.abs(there[quantity] - band.nominal - band.slopes[name] * one.limit).max()
            bend = 0.0 if bend <= CHANGE_NOISE * np.abs(band.nominal).max() else bend
            widest = float(band.worst.max())
            share = float(bend / widest) if widest > 0.0 else float(np.inf if bend > 0.0 else 0.0)
            if share > largest[quantity][0]:
                largest[quantity] = share, name
    return largest


def _members(
    analysis: Analysis, spreads: Mapping[str, Spread], names: Sequence[str], count: int, seed: int
) -> Ensemble | None:
    if not count:
        return None
    recipe = analysis.recipe
    options = {name: one for name, one in (recipe.options or {}).items() if name != "derivatives"}
    over = samples({name: one.drawn for name, one in spreads.items()}, count, seed=seed)
    return ensemble(recipe.model, recipe.times, over, recipe.verb, recipe.initial, names, **options)


def _refuse(bands: Bands) -> None:
    for name, (share, number) in bands.curvature.items():
        if share > CURVED:
            what = f"first order is doubtful for {name!r}: with {number!r} at its limit the derivative is off by "
            what += f"{100 * share:.3g} % of the worst case" if np.isfinite(share) else "all of the change"
            raise ModelError(
                f"{what}; make the tolerances smaller, use mbs.ensemble, or let it pass: check=False",
                code="first-order-doubtful", name=name, number=number, share=float(share),
            )  # fmt: skip
    for name, share in bands.difference.items():
        if share > CURVED + bands.chance:
            what = (
                f"first order is doubtful for {name!r}: the members that were drawn have another standard deviation, "
            )
            raise ModelError(
                f"{what}by {100 * share:.3g} % of the largest; use the ensemble, or let it pass: check=False",
                code="first-order-doubtful", name=name, chance=float(bands.chance), share=float(share),
            )  # fmt: skip
