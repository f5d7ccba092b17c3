"""Compute statistics of an ensemble: percentiles over time, and the member with an extreme value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from ...errors import ModelError
from ...model.checks import unit_of
from ...model.parameters import check_choice, finite_number
from ...results.quantities import frozen
from ...unit_system import shown_unit, told
from .members import Members, abscissa, check_done, check_numbers, label_of, scalars

BLOCK = 2**22
"""The largest number of values that are processed at a time, so that large ensembles fit into memory."""


@dataclass(frozen=True, eq=False)
class Percentiles:
    """Percentiles of a quantity over time, among the members that are done: 95 % of the members do not exceed
    ``found[95]``. After an event has stopped some members, the percentiles are those of the members that still run."""

    name: str
    unit: str
    t: np.ndarray
    levels: tuple[float, ...]
    values: np.ndarray
    """Shape (levels, times); (levels,) for a quantity with one number for each member."""
    members: int
    """The number of members that are done and counted."""
    left_out: int
    """The number of members that failed or were not run."""
    axis: tuple[str, str] = ("t", "s")

    def __getitem__(self, level: float) -> np.ndarray:
        if level not in self.levels:
            levels = ", ".join(f"{x:g}" for x in self.levels)
            raise ModelError(
                f"there is no percentile {level!r} of {self.name!r}, but {levels}; ask for it first",
                code="unknown-choice", argument="level", value=level, choices=self.levels, name=self.name,
            )  # fmt: skip
        return self.values[self.levels.index(level)]

    def __repr__(self) -> str:
        levels = ", ".join(f"{level:g} %" for level in self.levels)
        left_out = f"; {self.left_out} left out" if self.left_out else ""
        return f"<Percentiles of {self.name!r}: {levels}, of {self.members} members{left_out}>"


@dataclass(frozen=True)
class Worst:
    """The member with an extreme value of a quantity, from `Ensemble.worst`."""

    name: str
    unit: str
    by: str
    member: int
    design: dict[str, float]
    value: float
    t: float
    """The time of the extreme value [s], or the swept value; nan for a quantity with one number for each member."""
    axis: tuple[str, str] = ("t", "s")
    units: Mapping[str, str] = field(default_factory=dict)
    """The units of the design."""

    def __str__(self) -> str:
        what = f"{self.by} of {self.name}: {told(self.value, self.unit, self.name.strip('|'))}"
        when = "" if np.isnan(self.t) else f" at {self.axis[0]} = {told(self.t, self.axis[1], self.axis[0])}"
        design = []
        for name, value in self.design.items():  # the unit follows if it differs from the SI unit
            unit = self.units.get(name, "")
            number = f"{value:.6g}" if shown_unit(unit, name) == unit else told(value, unit, name)
            design.append(f"{name} = {number}")
        return f"{what}{when}, member {self.member}: {', '.join(design)}"


def percentiles(ensemble: Members, name: str, levels: Sequence[float]) -> Percentiles:
    array, levels = scalars(ensemble, name), checked_levels(levels)
    check_done(ensemble)
    done = np.asarray(ensemble.done)
    columns = array.reshape(len(array), -1)
    values = np.empty((len(levels), columns.shape[1]))
    for part in _blocks(*columns.shape):
        block = columns[:, part][done]
        missing = np.isnan(block)
        values[:, part] = np.percentile(block, levels, axis=0)
        for k in np.flatnonzero(missing.any(axis=0) & ~missing.all(axis=0)):  # among the values that are not nan
            values[:, part.start + k] = np.percentile(block[~missing[:, k], k], levels)
    shape = (len(levels), *array.shape[1:])
    counted = int(done.sum())
    t, axis = abscissa(ensemble, name)
    return Percentiles(
        label_of(ensemble, name), ensemble.unit(name), t, levels, frozen(values.reshape(shape)), counted,
        len(ensemble) - counted, axis,
    )  # fmt: skip


def checked_levels(levels: Sequence[float]) -> tuple[float, ...]:
    """Return the levels in ascending order without repetition; raise a `ModelError` unless all are in [0, 100]."""
    numbers = np.atleast_1d(np.asarray(levels, dtype=object))
    ascending = sorted({finite_number(level, "a percentile") for level in numbers.ravel()})
    if not ascending or ascending[0] < 0.0 or ascending[-1] > 100.0:
        raise ModelError(
            f"percentiles are numbers from 0 to 100, e.g. (5, 50, 95), not {levels!r}",
            code="out-of-bounds", argument="levels", value=levels, least=0, most=100,
        )  # fmt: skip
    return tuple(ascending)


def _blocks(members: int, times: int) -> Iterator[slice]:
    """Yield slices of the times, each so short that its values fit into memory."""
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
    for part in _blocks(*columns.shape[::-1]):  # blocks of whole members
        members = rows[part]
        if not members.size:
            break
        sizes = np.abs(columns[members]) if by == "abs" else sign[by] * columns[members]
        sizes = np.where(np.isnan(sizes), -np.inf, sizes)
        row, column = np.unravel_index(int(sizes.argmax()), sizes.shape)
        if best is None or sizes[row, column] > best[0]:
            best = float(sizes[row, column]), int(members[row]), int(column)
    assert best is not None
    _, member, time = best
    t, axis = abscissa(ensemble, name)
    when = float(t[time]) if array.ndim == 2 else np.nan
    value = float(columns[member, time])
    words = {"max": "largest", "min": "smallest", "abs": "largest size"}[by]
    design = ensemble.designs.row(member)
    units = {name: unit_of(ensemble.model, name) for name in design}
    return Worst(label_of(ensemble, name), ensemble.unit(name), words, member, design, value, when, axis, units)
