"""What is drawn of an ensemble: which arrays, in which units; `view.charts.studies` draws them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from ...errors import ModelError, counted
from ...units import checked_unit
from ...view.charts import studies
from .members import (
    Members,
    Reduce,
    check_done,
    check_numbers,
    is_one_number,
    over_time,
    per_member,
    told_of_members,
    words_of,
)
from .statistics import checked_levels, percentiles
from .tables import axes_of

DEGREE = 180.0 / np.pi


def plot_band(ensemble: Members, name: str, levels: Sequence[float], degrees: bool, deviation: bool) -> Figure:
    if is_one_number(ensemble, name) and not deviation:
        return plot_histogram(ensemble, name, "last", levels, degrees)
    if not over_time(ensemble, name):
        what = f"{name!r} does not go over time, as a band and a deviation from the median do"
        raise ModelError(f"{what}; draw plot_histogram({name!r})")
    found = percentiles(ensemble, name, (*levels, 50.0) if deviation else levels)
    check_angles(degrees, name, found.unit)
    own, called = (found.values - found[50.0], f"{found.name} - median") if deviation else (found.values, found.name)
    values, quantity = drawn(own, called, found.unit, degrees)
    return studies.plot_band(found.t, ensemble.axis, found.levels, values, quantity, told_of_members(ensemble))


def plot_histogram(
    ensemble: Members, name: str, reduce: Reduce, levels: Sequence[float], degrees: bool,
    label: str | None = None, unit: str | None = None,
) -> Figure:  # fmt: skip
    own, called, own_unit = _numbers(ensemble, name, reduce, label, unit)
    check_angles(degrees, name, own_unit)
    values, quantity = drawn(own[np.asarray(ensemble.done)], called, own_unit, degrees)
    check_numbers(values, name)
    real = np.isfinite(values)
    without = f"; {counted(int((~real).sum()), 'member')} without a number, left out" * (not real.all())
    return studies.plot_histogram(values[real], quantity, checked_levels(levels), told_of_members(ensemble) + without)


def plot_map(
    ensemble: Members, name: str, reduce: Reduce, degrees: bool, label: str | None = None, unit: str | None = None
) -> Figure:
    axes = [axis for axis in axes_of(ensemble) if len(axis.values) > 1]
    if len(axes) != 2:
        over = ", ".join(axis.name for axis in axes)
        what = f"this ensemble is a grid over {over}" if axes else "this ensemble is no grid"
        raise ModelError(f'a map is of a grid over two names, and {what}; e.g. over={{"r": [...], "l": [...], "m": 1}}')
    own, called, own_unit = _numbers(ensemble, name, reduce, label, unit)
    check_angles(degrees, name, own_unit, *(axis.unit for axis in axes))
    (x, below), (y, beside) = (drawn(axis.values, axis.name, axis.unit, degrees) for axis in axes)
    values, quantity = drawn(own.reshape(len(x), len(y)), called, own_unit, degrees)
    across, up = np.argsort(x), np.argsort(y)  # those of a grid stand as they were given
    note = told_of_members(ensemble).replace(", left out", " (white)")
    return studies.plot_map(x[across], y[up], values[np.ix_(across, up)], (below, beside), quantity, note)


def _numbers(
    ensemble: Members, name: str, reduce: Reduce, label: str | None, unit: str | None
) -> tuple[np.ndarray, str, str]:
    """One for each member, what they are called, and their unit."""
    check_done(ensemble)
    values, (called, own) = per_member(ensemble, name, reduce), words_of(ensemble, name, reduce)
    if unit is not None:
        own = checked_unit(unit, f"what is drawn of {name!r}")
    return values, called if label is None else label, own


def drawn(values: np.ndarray, called: str, unit: str, degrees: bool) -> tuple[np.ndarray, tuple[str, str]]:
    """Angles in degrees where they are wanted so; and what stands at their axis."""
    if degrees and unit.startswith("rad"):
        return DEGREE * values, (called, unit.replace("rad", "°", 1))
    return values, (called, unit)


def check_angles(degrees: bool, name: str, *units: str) -> None:
    """Whoever wants degrees has an angle."""
    if degrees and not any(unit.startswith("rad") for unit in units):
        what = f"degrees=True is for angles and their rates, and {name!r} is in {units[0] or 'no unit'}"
        raise ModelError(f"{what}; leave it out, or say unit='rad' of a function that gives an angle")
