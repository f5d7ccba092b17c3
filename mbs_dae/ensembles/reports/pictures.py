"""Choose the arrays and units of an ensemble's pictures; `view.charts.studies` draws them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from ...errors import ModelError, counted
from ...unit_system import checked_unit, shown
from ...view.charts import studies
from .members import (
    Members,
    Reduce,
    check_done,
    check_numbers,
    is_one_number,
    note_of_members,
    over_time,
    per_member,
    words_of,
)
from .statistics import checked_levels, percentiles
from .tables import axes_of


def plot_band(ensemble: Members, name: str, levels: Sequence[float], deviation: bool) -> Figure:
    if is_one_number(ensemble, name) and not deviation:
        return plot_histogram(ensemble, name, "last", levels)
    if not over_time(ensemble, name):
        what = f"{name!r} does not go over time, as a band and a deviation from the median do"
        raise ModelError(f"{what}; draw plot_histogram({name!r})", code="not-over-time", name=name)
    band = percentiles(ensemble, name, (*levels, 50.0) if deviation else levels)
    si, label = (band.values - band[50.0], f"{band.name} - median") if deviation else (band.values, band.name)
    values, unit = shown(si, band.unit, name)
    times, word = shown(band.t, ensemble.axis[1], ensemble.axis[0])
    note = note_of_members(ensemble)
    return studies.plot_band(times, (ensemble.axis[0], word), band.levels, values, (label, unit), note)


def plot_histogram(
    ensemble: Members, name: str, reduce: Reduce, levels: Sequence[float], label: str | None = None,
    unit: str | None = None,
) -> Figure:  # fmt: skip
    numbers, words, si = _numbers(ensemble, name, reduce, label, unit)
    values, word = shown(numbers[np.asarray(ensemble.done)], si, name)
    check_numbers(values, name)
    real = np.isfinite(values)
    without = f"; {counted(int((~real).sum()), 'member')} without a number, left out" * (not real.all())
    note = note_of_members(ensemble) + without
    return studies.plot_histogram(values[real], (words, word), checked_levels(levels), note)


def plot_map(ensemble: Members, name: str, reduce: Reduce, label: str | None = None, unit: str | None = None) -> Figure:
    axes = [axis for axis in axes_of(ensemble) if len(axis.values) > 1]
    if len(axes) != 2:
        over = ", ".join(axis.name for axis in axes)
        what = f"this ensemble is a grid over {over}" if axes else "this ensemble is not a grid"
        remedy = 'e.g. over={"r": [...], "l": [...], "m": 1}'
        if len(axes) == 1:
            remedy = f"for one name plot_band({name!r}) draws the curves, and study.plot_histogram the values"
        raise ModelError(
            f"a map is of a grid over two names, and {what}; {remedy}",
            code="no-grid-of-two-names", names=tuple(axis.name for axis in axes),
        )  # fmt: skip
    numbers, words, si = _numbers(ensemble, name, reduce, label, unit)
    x, y = (axis.values for axis in axes)  # axes in the units in which a person reads them
    values, word = shown(numbers.reshape(len(x), len(y)), si, name)
    across, up = np.argsort(x), np.argsort(y)  # values of a grid stand in the order in which the user wrote them
    note = note_of_members(ensemble).replace(", left out", " (white)")
    names = (axes[0].name, axes[0].unit), (axes[1].name, axes[1].unit)
    return studies.plot_map(x[across], y[up], values[np.ix_(across, up)], names, (words, word), note)


def _numbers(
    ensemble: Members, name: str, reduce: Reduce, label: str | None, unit: str | None
) -> tuple[np.ndarray, str, str]:
    """Return one number for each member, a label for these numbers, and their unit."""
    check_done(ensemble)
    values, (words, si) = per_member(ensemble, name, reduce), words_of(ensemble, name, reduce)
    if unit is not None:
        si = checked_unit(unit, f"what is drawn of {name!r}")
    return values, words if label is None else label, si
