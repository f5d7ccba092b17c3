"""The result of a synthesis: the linkages, the best one first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic

import numpy as np
from matplotlib.figure import Figure

from ..errors import ModelError, counted
from ..public_class import PublicClass
from ..tolerances import ERROR_ROUNDOFF
from ..unit_system import UnitsLike, shown_in
from . import pictures
from .candidates import Ranked

MOST = 12
"""The largest number of linkages in a printed table."""
GOOD = np.pi / 4
"""The angle of transmission [rad] above which a larger angle ranks no better."""

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    SomeCandidate = TypeVar("SomeCandidate", bound=Ranked, default=Any)
else:  # checkers alone know defaults before Python 3.13
    from typing import TypeVar

    SomeCandidate = TypeVar("SomeCandidate")


@dataclass(frozen=True, eq=False)
class Synthesis(Generic[SomeCandidate], metaclass=PublicClass):
    """The linkages that a synthesis found, ranked by the number of defects, then by the error, then by the angle of
    transmission, then by size, the smaller first. ``print(found)`` shows them as a table.

    >>> found = mbs.synthesize_motion([(0, 0, 0), (1, 0.2, 0.3), (1.8, 0, 0.6)], fixed=[(0, -1), (1, -1)])
    >>> print(found)
    motion through 3 poses: 2 linkages, 2 without defects
      #  type                    a         b         c         d    error [m]  transmission  defects
      0  double-rocker       1.593    0.6901     1.561         1            0            42  none
      1  double-rocker       1.561    0.6901     1.593         1            0            28  none
    >>> isinstance(found, mbs.Synthesis), len(found), found[1] is found.candidates[1]
    (True, 2, True)
    """

    what: str
    candidates: tuple[SomeCandidate, ...]
    curves: tuple[np.ndarray, np.ndarray] | None = None
    """For four poses, points of the centre-point curve and the corresponding points of the circle-point curve."""
    notes: tuple[str, ...] = ()
    """Notes: why starts led to nothing, and angles that may be in degrees."""
    noun: str = "linkage"
    """The name of the candidates in messages."""

    @property
    def best(self) -> SomeCandidate:
        """The first candidate."""
        return self[0]

    def __len__(self) -> int:
        return len(self.candidates)

    def __iter__(self) -> Iterator[SomeCandidate]:
        return iter(self.candidates)

    def __getitem__(self, place: int) -> SomeCandidate:
        if not self.candidates:
            why = "".join(f"; {note}" for note in self.notes)
            raise ModelError(
                f"{self.what}: no {self.noun} was found{why}; move what is asked for, or ask for less",
                code="no-solution", task=self.what,
            )  # fmt: skip
        return self.candidates[place]

    def __repr__(self) -> str:
        return f"<Synthesis: {self.what}, {counted(len(self), self.noun)}>"

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        clean = sum(not one.defects for one in self.candidates)
        yield f"{self.what}: {counted(len(self), self.noun)}, {clean} without defects"
        for k, one in enumerate(self.candidates[:MOST]):
            cells = one.cells(largest(one))
            if k == 0:
                yield f"  #  {'type':<15}" + "".join(f"{head:>{width}}" for head, _, width in cells) + "  defects"
            defects = ", ".join(one.defects) or "none"
            row = "".join(f"{text:>{width}}" for _, text, width in cells)
            yield f"{k:3d}  {one.type[:14]:<15}{row}  {defects}"
        if len(self) > MOST:
            yield f"     ... and {len(self) - MOST} more"
        yield from (f"  note: {note}" for note in self.notes)

    def plot(self, count: int = 6, units: UnitsLike = None) -> Figure:
        """Draw the best candidates side by side; for four poses also the centre-point and circle-point curves. `units`
        are those of ``Result.plot``."""
        with shown_in(units):
            return pictures.plot_best(self, count)


def largest(candidate: Ranked) -> float:
    """Return the largest absolute error of a candidate; 0 if the error is roundoff."""
    error = float(np.max(np.abs(candidate.error), initial=0.0))
    return 0.0 if error < ERROR_ROUNDOFF * candidate.size else error


def rank(
    what: str,
    candidates: Sequence[SomeCandidate],
    curves: tuple | None = None,
    notes: Sequence[str] = (),
    noun: str = "linkage",
    none: str = "",
) -> Synthesis[SomeCandidate]:
    """Return the candidates, ranked. Cognates draw the same curve and may transmit forces equally well: keys are
    rounded, so that roundoff does not choose between them, and the smaller one is first. `none` is the note for a
    search without candidates and without other notes."""
    if none and not (candidates or notes):
        notes = [none]

    def key(one: SomeCandidate) -> tuple[int, float, float, float]:
        return len(one.defects), float(f"{largest(one):.2g}"), -round(min(one.weakest, GOOD), 6), one.size

    return Synthesis(what, tuple(sorted(candidates, key=key)), curves, tuple(notes), noun)
