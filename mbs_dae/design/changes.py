"""Evaluate numbers made of a run, and their derivatives by the numbers of its design.

There are two ways. Forward, a run has a column for each number of the design, from which the derivatives of all results
follow. Backward (adjoint), a run has a row for each result, from which the slopes by all numbers of the design follow
(`derivatives.runs.gradients`). Both repeat the steps of the run once, at the cost of three or four runs, and a column
costs as much as a row, a third of a run. Hence the adjoint is used if there are fewer rows than columns: for an
objective and a few limits by any number of variables. Residuals, which are many, go forward, and so do runs without an
adjoint (`goes_back`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from ..derivatives.runs.gradients import adjoints, goes_back
from ..results.result import Result
from .analysis import Analysis
from .objectives.objective import SMOOTH, NotSmooth, ObjectiveFunction, array_of, as_number
from .objectives.readings import DualReadings, SeededReadings
from .objectives.weights import weights


@dataclass(frozen=True, eq=False)
class DesignOutputs:
    """The numbers made of a design that was run. Slopes are computed at their first use: a search does not need the
    slopes of designs from which it steps back."""

    analysis: Analysis
    row: np.ndarray
    result: Result
    measured: tuple[ObjectiveFunction, ...]

    @cached_property
    def _plain(self) -> SeededReadings:
        return SeededReadings(self.result, self.analysis.values(self.row), "", range(1))

    @property
    def read(self) -> tuple[str, ...]:
        """The names of the quantities from which all numbers are made."""
        return self._values_and_names[1]

    @property
    def values(self) -> tuple[np.ndarray, ...]:
        """The value of each objective: a number or an array."""
        return self._values_and_names[0]

    @cached_property
    def _values_and_names(self) -> tuple[tuple[np.ndarray, ...], tuple[str, ...]]:
        """The values of all objectives, and the names of the quantities that they have read."""
        values = tuple(array_of(one, self._plain).value for one in self.measured)
        return values, tuple(self._plain.read)

    @property
    def names(self) -> tuple[str, ...]:
        return self.analysis.names

    @cached_property
    def slopes(self) -> np.ndarray:
        """The derivatives of all values, one after the other, shape (names, values)."""
        if goes_back(self.result) and sum(one.size for one in self.values) < len(self.names):
            try:
                return self._backward()
            except NotSmooth:  # two equally large values may have the same slope, which the forward way finds
                pass
        return self._forward()

    def differentiate(self) -> np.ndarray:
        """Compute the slopes now, and return them; a `NotSmooth` says where there are none."""
        return self.slopes

    def _forward(self) -> np.ndarray:
        readings = DualReadings(self.result, self.names, self.analysis.values(self.row))
        try:
            return np.concatenate([array_of(one, readings).ravel().slope for one in self.measured], axis=1)
        except NotSmooth as wrong:
            note = self.result.stats.get("derivatives")
            raise NotSmooth(
                f"{wrong}. Derivatives of the run: {note}" if note else str(wrong),
                code="no-derivative", reason=str(wrong),
            ) from wrong  # fmt: skip

    def _backward(self) -> np.ndarray:
        parts = [weights(one, self.result, self.analysis.values(self.row)) for one in self.measured]
        ends = np.cumsum([0, *(one.size for one in parts)])
        by_arrays: dict[str, np.ndarray] = {}
        slopes = np.zeros((len(self.names), ends[-1]))
        for one, measured, (begin, end) in zip(parts, self.measured, pairwise(ends), strict=True):
            for name, by_values in one.by_arrays.items():
                check_unique(self.result, measured, name, by_values)
                by_arrays.setdefault(name, np.zeros((ends[-1], *by_values.shape[1:])))[begin:end] = by_values
            for name, slope in one.by_parameters.items():
                if name in self.names:
                    slopes[self.names.index(name), begin:end] = slope
        by_end = np.concatenate([one.by_end for one in parts]) if all(one.by_end is not None for one in parts) else None
        slopes += adjoints(self.result, by_arrays, by_end).T if by_arrays or by_end is not None else 0.0
        if not np.isfinite(slopes).all():
            k, j = np.argwhere(~np.isfinite(slopes))[0]
            label = self.measured[int(np.searchsorted(ends, j, side="right")) - 1].label
            raise NotSmooth(
                f"{label} has no derivative by {self.names[k]}: it has a kink there; {SMOOTH}",
                code="kink", label=label,
            )  # fmt: skip
        return slopes

    def parts(self) -> list[SlopedValues]:
        """Return the values of each objective with their slopes."""
        ends = np.cumsum([0, *(one.size for one in self.values)])
        return [
            SlopedValues(value, self, slice(*span)) for value, span in zip(self.values, pairwise(ends), strict=True)
        ]


def check_unique(result: Result, measured: ObjectiveFunction, name: str, by: np.ndarray) -> None:
    """Raise `NotSmooth` if an objective depends on a load that is not unique, which has no derivative."""
    if result.reactions is not None and by[:, ~result.is_unique(name)].any():
        raise NotSmooth(
            f"{measured.label} reads {name!r}, which is not unique, and has no derivative",
            code="not-unique", subject=measured.label, name=name,
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class SlopedValues:
    """Values with slopes: one number, or several as an array."""

    value: np.ndarray
    outputs: DesignOutputs
    span: slice

    @property
    def size(self) -> int:
        return self.value.size

    @property
    def slope(self) -> np.ndarray:
        """The derivatives by all names, shape (names, *shape)."""
        return self.outputs.slopes[:, self.span].reshape(len(self.outputs.names), *self.value.shape)


def single(numbers: SlopedValues) -> SlopedValues:
    """Return the values as one number; raise a `ModelError` if there are several."""
    return replace(numbers, value=as_number(numbers.outputs.measured[0], numbers.value))


def concatenate(parts: Sequence[SlopedValues]) -> SlopedValues:
    """Return consecutive values as one list."""
    value = np.concatenate([one.value.ravel() for one in parts])
    return SlopedValues(value, parts[0].outputs, slice(parts[0].span.start, parts[-1].span.stop))
