"""What analyses are called with, checked at the door."""

from typing import Any

import numpy as np
import sympy as sp

from .compiled import System
from .compiled.structure import Structure
from .errors import ModelError
from .model.breaks import law_of_time
from .model.model import Model
from .model.tables import Table
from .results.result import State
from .symbolic.functions import Lookup
from .symbolic.markers import t as time


def model_of(thing: Model | System) -> Model:
    """Analyses take a model or its compiled system."""
    if isinstance(thing, System):
        return thing.model
    if isinstance(thing, Model):
        return thing
    raise ModelError(f"an analysis needs a model as first argument, not {thing!r}; build one: mbs.PlanarModel(name)")


def system_of(thing: Model | System) -> System:
    """The system that a motion is computed in: the one given, in its coordinates, or the model's Cartesian one; this
    one, too, where all bodies stand still and there are no others."""
    return thing if isinstance(thing, System) and thing.nv else model_of(thing).compile()


def check_start(model: Model, start: State | None) -> None:
    """A start must be a pose of this model, or of one with the same bodies."""
    if start is None:
        return
    if not isinstance(start, State):
        raise ModelError(f"start must be a pose of {model.name!r}, not {start!r}; use mbs.assemble(model)")
    if [*start.system.model.bodies] != [*model.bodies]:
        raise ModelError(
            f"start is a pose of {start.system.model.name!r}, which has other bodies than {model.name!r}; "
            "assemble this model for a start"
        )


def checked_times(times: Any) -> np.ndarray:
    """The times as an array that increases."""
    if np.ma.is_masked(times):
        raise ModelError("times are masked in part; leave out what is masked: times.compressed()")
    try:
        kind = np.asarray(times).dtype.kind
        if kind in "mM" or (kind == "O" and any(hasattr(x, "total_seconds") for x in np.ravel(times))):
            raise ModelError("times are seconds from the start, as numbers; write times.total_seconds()")
        if kind in "USb":
            raise TypeError
        t = np.array(times, dtype=float)
    except (TypeError, ValueError) as exc:
        if isinstance(exc, ModelError):
            raise
        raise ModelError(f"times must be numbers, not {times!r}; use e.g. np.linspace(0, 1, 101)") from exc
    if t.ndim != 1 or t.size == 0:
        raise ModelError(f"times must be a non-empty list, got shape {t.shape}; use e.g. np.linspace(0, 1, 101)")
    if not np.isfinite(t).all():
        raise ModelError("times contain a value that is not finite; remove it")
    if not (t[1:] > t[:-1]).all():
        k = int(np.argmax(np.diff(t) <= 0))
        raise ModelError(f"times must increase, but {t[k + 1]:g} follows {t[k]:g}; sort them and remove doubles")
    return t


def check_tables(model: Model, t: np.ndarray) -> None:
    """A table over time says nothing beyond its ends. (One over a length or an angle goes on as its end tangent.)"""
    for who, table, place in model.compile().structure.once(_tables_over_time):
        moments = t[np.unique(np.linspace(0, t.size - 1, 200).astype(int))]
        read = law_of_time(place, {p.symbol: p.value for p in model.parameters.values()})(moments)
        first, last = float(table.x[0]), float(table.x[-1])
        if read.min() < first - 1e-12 * (last - first) or read.max() > last + 1e-12 * (last - first):
            raise ModelError(
                f"{who} has a table from {first:g} to {last:g}, but it is read from {read.min():g} to "
                f"{read.max():g}; shorten the times or extend the table"
            )


def _tables_over_time(structure: Structure) -> list[tuple[str, Table, sp.Expr]]:
    """The tables that end, who has them, and where in them time (and parameters) lead."""
    model = structure.model
    known = {time, *(p.symbol for p in model.parameters.values())}
    return [
        (element.who, table, place)
        for element in (*model.drivers, *model.forces)
        for table, place in element.tables()
        if not (table.periodic or place.has(Lookup)) and place.free_symbols <= known
    ]
