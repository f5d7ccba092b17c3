"""All linkages that were found, the best one first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

from ..errors import ModelError, counted
from . import pictures
from .candidates import Candidate

MOST = 12
"""So many are told in a table."""
EQUAL = 1e-9
"""Errors below this part of the linkage's size are none."""
GOOD = np.pi / 4
"""Of the angle of transmission: above it, more is not better."""


@dataclass(frozen=True, eq=False)
class Synthesis:
    """The linkages that a synthesis found, ranked: those without defects first, then those that are exact or nearest,
    then those that transmit forces best. ``print(found)`` shows them as a table.

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
    candidates: tuple[Candidate, ...]
    curves: tuple[np.ndarray, np.ndarray] | None = None
    """Of four poses: points of the centre-point curve, and those of the circle-point curve that belong to them."""

    @property
    def best(self) -> Candidate:
        """The first one."""
        return self[0]

    def __len__(self) -> int:
        return len(self.candidates)

    def __iter__(self) -> Iterator[Candidate]:
        return iter(self.candidates)

    def __getitem__(self, place: int) -> Candidate:
        if not self.candidates:
            raise ModelError(f"{self.what}: no linkage was found; move what is asked for, or ask for less")
        return self.candidates[place]

    def __repr__(self) -> str:
        return f"<Synthesis: {self.what}, {counted(len(self), 'linkage')}>"

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        clean = sum(not one.defects for one in self.candidates)
        yield f"{self.what}: {counted(len(self), 'linkage')}, {clean} without defects"
        if not self.candidates:
            return
        names = [*self[0].lengths]
        unit = f" [{self[0].task.unit}]" if self[0].task.unit else ""
        head = "".join(f"{name:>10}" for name in names)
        yield f"  #  {'type':<15}{head}{'error' + unit:>13}  transmission  defects"
        for k, one in enumerate(self.candidates[:MOST]):
            lengths = "".join(f"{value:>10.4g}" for value in one.lengths.values())
            least = np.degrees(weakest(one))
            told = ", ".join(one.defects) or "none"
            yield f"{k:3d}  {one.type:<15}{lengths}{_shown(one):>13}  {least:>12.0f}  {told}"
        if len(self) > MOST:
            yield f"     ... and {len(self) - MOST} more"

    def plot(self, count: int = 6) -> Figure:
        """The best of them side by side; of four poses their centre-point and circle-point curves, too."""
        return pictures.plot_found(self, count)


def size_of(candidate: Candidate) -> float:
    """Of what its errors are compared with: one radian, or its longest length."""
    return 1.0 if candidate.task.unit == "rad" else max(abs(one) for one in candidate.lengths.values())


def largest(candidate: Candidate) -> float:
    """Its largest error; none if it is roundoff."""
    error = float(np.max(np.abs(candidate.error), initial=0.0))
    return 0.0 if error < EQUAL * size_of(candidate) else error


def weakest(candidate: Candidate) -> float:
    """Its least angle of transmission, where it closes; none if that is nowhere on the motion."""
    known = candidate.transmission[np.isfinite(candidate.transmission)]
    return float(known.min()) if known.size else 0.0


def _shown(candidate: Candidate) -> str:
    return f"{largest(candidate):.3g}"


def ranked(what: str, candidates: Sequence[Candidate], curves: tuple | None = None) -> Synthesis:
    def key(one: Candidate) -> tuple[int, float, float]:
        return len(one.defects), float(f"{largest(one):.2g}"), -min(weakest(one), GOOD)

    return Synthesis(what, tuple(sorted(candidates, key=key)), curves)
