"""R and Ṙ with the names of their rows and columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...graph.topology import Topology


@dataclass(frozen=True, eq=False, repr=False)
class VelocityTransformation:
    """v = R θ̇ and v̇ = R θ̈ + Ṙ θ̇, at one pose. The bodies hang on the joints of `topology`."""

    R: Any
    """An array, one row for each velocity of the system, one column for each joint velocity; a matrix of expressions
    where these were asked for."""
    Rdot: Any
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    topology: Topology
    theta: Any
    """The joint coordinates, edge by edge: angles, ways, the quaternion of a ball. Of angles in space those nearest
    to 0."""
    rates: Any
    """θ̇, in the order of `columns`."""
    q: Any = None
    """The system's coordinates, with what stands still behind them; None beside expressions. What did not quite
    satisfy the joints of the tree does here."""
    v: Any = None

    @property
    def remaining(self) -> tuple[str, ...]:
        """The joints that are cut and the couplings: what R knows nothing of, and must be said besides."""
        return tuple(closure.name for closure in (*self.topology.cuts, *self.topology.couplings))

    def __repr__(self) -> str:
        return f"<velocity transformation of {self.topology.title!r}: {len(self.rows)} x {len(self.columns)}>"

    def __str__(self) -> str:
        """R with the names of its rows and columns; zeros are left out."""
        cells = [["", *self.columns]]
        for name, row in zip(self.rows, np.array(self.R), strict=True):
            cells.append([name, *(_shown(entry) for entry in row)])
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        return "\n".join("  ".join(f"{c:>{w}}" for c, w in zip(row, widths, strict=True)).rstrip() for row in cells)


def _shown(entry: Any) -> str:
    if not isinstance(entry, float):
        return "" if entry == 0 else str(entry)
    return "" if abs(entry) < 5e-13 else f"{entry:.4g}"
