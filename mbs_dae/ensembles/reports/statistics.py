"""What members have in common and which one stands out: percentiles over time, and the worst member."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from ...errors import ModelError
from ...model.parameters import check_choice, finite_number
from ...results.quantities import frozen
from ...unit_system import shown_unit, told
from ..designs import unit_of
from .members import Members, abscissa, check_done, check_numbers, said, scalars

BLOCK = 2**22
"""So many numbers are in memory at a time, of ensembles that are larger than it."""


@dataclass(frozen=True, eq=False)
class Percentiles:
    """Of a quantity over time, among the members that are done: ``found[95]`` is what 95 % of them do not exceed. At a
    time to which an event has let some of them come, it is among these."""

    name: str
    unit: str
    t: np.ndarray
    levels: tuple[float, ...]
    values: np.ndarray
    """(levels, times); of a quantity that is one number per member (levels,)."""
    members: int
    """So many are done, and counted."""
    left_out: int
    """So many failed, or were not run."""
    axis: tuple[str, str] = ("t", "s")

    def __getitem__(self, level: float) -> np.ndarray:
        if level not in self.levels:
            known = ", ".join(f"{one:g}" for one in self.levels)
            raise ModelError(f"there is no percentile {level!r} of {self.name!r}, but {known}; ask for it first")
        return self.values[self.levels.index(level)]

    def __repr__(self) -> str:
        levels = ", ".join(f"{level:g} %" for level in self.levels)
        left_out = f"; {self.left_out} left out" if self.left_out else ""
        return f"<Percentiles of {self.name!r}: {levels}, of {self.members} members{left_out}>"


@dataclass(frozen=True)
class Worst:
    """A member that stands out, and where: from `Ensemble.worst`."""

    name: str
    unit: str
    by: str
    member: int
    design: dict[str, float]
    value: float
    t: float
    """When; nan of a quantity that is one number per member."""
    axis: tuple[str, str] = ("t", "s")
    units: Mapping[str, str] = field(default_factory=dict)
    """Units of the design."""

    def __str__(self) -> str:
        what = f"{self.by} of {self.name}: {told(self.value, self.unit, self.name.strip('|'))}"
        when = "" if np.isnan(self.t) else f" at {self.axis[0]} = {told(self.t, self.axis[1], self.axis[0])}"
        design = ", ".join(f"{name} = {self._told(name, value)}" for name, value in self.design.items())
        return f"{what}{when}, member {self.member}: {design}"

    def _told(self, name: str, value: float) -> str:
        """A value of the design; its unit stands beside it where it is none of SI."""
        unit = self.units.get(name, "")
        return f"{value:.6g}" if shown_unit(unit, name) == unit else told(value, unit, name)


def percentiles(ensemble: Members, name: str, levels: Sequence[float]) -> Percentiles:
    array, asked = scalars(ensemble, name), checked_levels(levels)
    check_done(ensemble)
    done = np.asarray(ensemble.done)
    columns = array.reshape(len(array), -1)
    values = np.empty((len(asked), columns.shape[1]))
    for part in _blocks(*columns.shape):
        values[:, part] = _percentiles(columns[:, part][done], asked)
    shape = (len(asked), *array.shape[1:])
    counted = int(done.sum())
    t, axis = abscissa(ensemble, name)
    return Percentiles(
        said(ensemble, name), ensemble.unit(name), t, asked, frozen(values.reshape(shape)), counted,
        len(ensemble) - counted, axis,
    )  # fmt: skip


def _percentiles(columns: np.ndarray, levels: Sequence[float]) -> np.ndarray:
    """Of each column, among what is a number."""
    found, missing = np.percentile(columns, levels, axis=0), np.isnan(columns)
    for k in np.flatnonzero(missing.any(axis=0) & ~missing.all(axis=0)):
        found[:, k] = np.percentile(columns[~missing[:, k], k], levels)
    return found


def checked_levels(levels: Sequence[float]) -> tuple[float, ...]:
    """In their order, each once."""
    given = np.atleast_1d(np.asarray(levels, dtype=object))
    asked = sorted({finite_number(level, "a percentile") for level in given.ravel()})
    if not asked or asked[0] < 0.0 or asked[-1] > 100.0:
        raise ModelError(f"percentiles are numbers from 0 to 100, e.g. (5, 50, 95), not {levels!r}")
    return tuple(asked)


def _blocks(members: int, times: int) -> Iterator[slice]:
    """Times that fit into memory together."""
    size = max(1, BLOCK // max(1, members))
    return (slice(start, start + size) for start in range(0, times, size))


def worst(ensemble: Members, name: str, by: Literal["max", "min", "abs"]) -> Worst:
    check_choice(by, ("max", "min", "abs"), "by")
    array = scalars(ensemble, name)
    check_done(ensemble)
    columns = array.reshape(len(array), -1)
    rows = np.flatnonzero(ensemble.done)
    check_numbers(columns[rows], name)
    sign = {"max": 1.0, "min": -1.0}
    best: tuple[float, int, int] | None = None
    for part in _blocks(*columns.shape[::-1]):  # whole members at a time
        own = rows[part]
        if not own.size:
            break
        sizes = np.abs(columns[own]) if by == "abs" else sign[by] * columns[own]
        sizes = np.where(np.isnan(sizes), -np.inf, sizes)
        row, column = np.unravel_index(int(sizes.argmax()), sizes.shape)
        if best is None or sizes[row, column] > best[0]:
            best = float(sizes[row, column]), int(own[row]), int(column)
    assert best is not None
    _, member, time = best
    t, axis = abscissa(ensemble, name)
    when = float(t[time]) if array.ndim == 2 else np.nan
    value = float(columns[member, time])
    words = {"max": "largest", "min": "smallest", "abs": "largest size"}[by]
    design = ensemble.designs.row(member)
    units = {one: unit_of(ensemble.model, one) for one in design}
    return Worst(said(ensemble, name), ensemble.unit(name), words, member, design, value, when, axis, units)
