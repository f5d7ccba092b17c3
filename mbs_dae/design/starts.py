"""Choose the designs at which searches begin, and limit their iterations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..ensembles.samples import Tolerance, samples
from ..errors import ModelError, shortened
from ..model.checks import warn_of_angles
from ..model.parameters import finite_number
from .analysis import Analysis, check_within
from .search import ScaledBox


@dataclass(frozen=True, eq=False)
class SearchStarts:
    """The starts of searches, and the number of iterations after which each search ends."""

    given: int | Sequence
    """The number of starts, or a list of designs."""
    seed: int
    max_iterations: int

    @property
    def are_spread(self) -> bool:
        """Whether some starts are drawn between bounds."""
        return isinstance(self.given, int) and self.given > 1

    def rows(self, analysis: Analysis, box: ScaledBox) -> list[np.ndarray]:
        """Return the starts: the model's own design and Latin hypercube samples of the box, or the given ones."""
        if not isinstance(self.given, int):
            for one in self.given:
                warn_of_angles(analysis.model, one, "starts")
            return [_row_of(one, analysis.names, box) for one in self.given]
        check_within(analysis, box.low, box.high)
        if not self.are_spread:
            return [analysis.model_row]
        if not np.isfinite(box.high - box.low).all():
            raise ModelError(
                "starts= are spread between bounds; give over= as a dict of these",
                code="no-bounds", argument="over", names=analysis.names,
            )  # fmt: skip
        spread = {
            name: Tolerance(0.5 * (low + high), plus_minus=0.5 * (high - low), distribution="uniform")
            for name, low, high in zip(analysis.names, box.low, box.high, strict=True)
        }
        return [analysis.model_row, *samples(spread, self.given - 1, method="latin", seed=self.seed).values]


def starts_of(starts: Any, seed: Any, max_iterations: Any) -> SearchStarts:
    """Return the starts, checked before any run."""
    most = _whole(max_iterations, "max_iterations must be a whole number, 1 or larger", "max_iterations=200")
    what = "starts must be a whole number, 1 or larger, or a list of designs"
    if not isinstance(starts, list | tuple):
        return SearchStarts(_whole(starts, what, "starts=20"), seed, most)
    if not starts or not all(isinstance(one, dict) for one in starts):
        raise ModelError(
            f'{what}, e.g. [{{"r": 0.1}}, {{"r": 0.2}}], not {shortened(starts)}',
            code="not-a-dict", argument="starts", value=starts,
        )  # fmt: skip
    return SearchStarts(tuple(starts), seed, most)


def _whole(number: Any, what: str, example: str) -> int:
    if isinstance(number, bool) or not isinstance(number, int | np.integer) or number < 1:
        raise ModelError(
            f"{what}, not {shortened(number)}; e.g. {example}",
            code="not-an-integer", argument=what.partition(" ")[0], value=number, least=1,
        )  # fmt: skip
    return int(number)


def _row_of(start: dict[str, Any], names: Sequence[str], box: ScaledBox) -> np.ndarray:
    """Return the numbers of a given start, shape (names,), checked against names and bounds."""
    if {*start} != {*names}:
        raise ModelError(
            f"each of starts= must give {', '.join(names)}, not {', '.join(map(str, start))}",
            code="unequal-names", argument="starts", names=names, value=start,
        )  # fmt: skip
    row = np.array([finite_number(start[name], f"a start of {name!r}") for name in names])
    if (row < box.low).any() or (row > box.high).any():
        raise ModelError(
            f"the start {start} is not within the bounds; move it, or widen them",
            code="out-of-bounds", argument="starts", names=names, value=start, least=box.low, most=box.high,
        )  # fmt: skip
    return row
