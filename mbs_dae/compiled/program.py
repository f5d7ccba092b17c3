"""The constraints of a system: the places of outputs of kernels in Φ, Φ_v, ν and γ.

Coordinates of the ground stand behind the moving ones (`columns` and up) and have no column.
"""

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..kernels.abi import compiled
from ..kernels.blocks import INDEX, Indices, Vector, block
from ..linear.sums import Sums, put_sums, sums_of
from ..model.parameters import Evaluator
from .batch import Batch, BatchBuilder


class Losses(NamedTuple):
    """Rows that lose entries, because a marker stands still or because two markers move with the same coordinate."""

    rows: Indices
    """The numbers of these rows."""
    left: Indices
    """The entries that are left of these rows."""
    full_row: Indices
    """The row of each entry of the full rows."""
    full_from: Indices
    """The output that is this entry."""
    full_place: Indices
    """The place of this entry among all velocities."""


class Program(NamedTuple):
    """The kernels of constraints, and the index maps of their outputs, as compiled code reads them."""

    batch: Batch
    phi_from: Indices
    """The output that is Φ of each row; the place behind all outputs for a row that restricts velocities only."""
    nu_from: Indices
    """The output that is ν of each row."""
    gamma_from: Indices
    """The output that is γ of each row."""
    jac_row: Indices
    """The row of each entry of Φ_v."""
    jac_column: Indices
    """The column of each entry of Φ_v."""
    jac_from: Indices
    """Output jac_from[k] belongs to entry jac_to[k]: first one output for each entry, in their order, then all that are
    added, since two markers may move with the same coordinate."""
    jac_to: Indices
    jacobian: Sums
    """The entries of Φ_v as sums of outputs."""
    losses: Losses
    rows: int
    velocity_rows: int
    """The number of rows that restrict velocities only."""


def tells_positions(program: Program) -> np.ndarray:
    """Return, for each row, whether it restricts positions and not velocities only, shape (rows,)."""
    return program.phi_from < program.batch.out_size


@compiled
def read_rows(program: Program, out: Vector, phi: Vector, nu: Vector, gamma: Vector) -> None:
    """Put Φ, ν and γ from the outputs of the last evaluation; Φ of a row that restricts velocities only is the 0 behind
    the outputs."""
    for row in range(program.rows):
        phi[row] = out[program.phi_from[row]]
        nu[row] = out[program.nu_from[row]]
        gamma[row] = out[program.gamma_from[row]]


@compiled
def read_jacobian(program: Program, out: Vector, jacobian: Vector) -> None:
    """Put the entries of Φ_v from the outputs of the last evaluation into `jacobian`."""
    put_sums(program.jacobian, out, jacobian)


class ProgramBuilder:
    """Lay out the index maps of constraints once; `fill` puts numbers in."""

    def __init__(self, batch: BatchBuilder, columns: int, sharing: bool = False):
        """With `sharing`, bodies may share coordinates, with each other and with the ground."""
        self.batch = batch
        self.columns = columns
        self.sharing = sharing
        self.layout = self._laid_out()

    def fill(self, evaluate: Evaluator) -> Program:
        return block(Program(batch=self.batch.fill(evaluate), **self._maps))

    @cached_property
    def _maps(self) -> dict[str, Any]:
        """The layout as compiled code reads it."""
        own, nothing = self.layout, self.batch.out_size
        sums = sums_of(own["jac_row"].size, own["jac_to"], own["jac_from"], nothing)
        rows = np.unique(own["full_row"])
        left = np.flatnonzero(np.isin(own["jac_row"], rows))
        losses = (rows, left, own["full_row"], own["full_from"], own["full_place"])
        losing = block(Losses(*(x.astype(INDEX) for x in losses)))
        maps = {name: x.astype(INDEX) for name, x in own.items() if isinstance(x, np.ndarray) and "full" not in name}
        maps["phi_from"] = np.where(own["phi_from"] < 0, nothing, own["phi_from"]).astype(INDEX)
        counts = {name: own[name] for name in ("rows", "velocity_rows")}
        return {**maps, **counts, "jacobian": sums, "losses": losing}

    def _laid_out(self) -> dict[str, Any]:
        places = sorted(self.batch.places(), key=lambda place: place.member)
        rows: list[tuple[int, int, int]] = []
        said: list[tuple[int, int, int]] = []
        for place in places:
            entries, phi, size = (place.layout[name] for name in ("jacobian", "phi", "rows"))
            first, at = place.out + phi, place.out + phi + len(entries)
            said += [(len(rows) + row, place.columns[column], first + k) for k, (row, column) in enumerate(entries)]
            rows += [(place.out + k if k < phi else -1, at + k, at + size + k) for k in range(size)]
        phi_from, nu_from, gamma_from = np.array(rows, dtype=np.int64).reshape(-1, 3).T.copy()
        everything = np.array(said, dtype=np.int64).reshape(-1, 3)
        row, column, source = everything[everything[:, 1] < self.columns].T
        _, first_of, to = np.unique(row * max(self.columns, 1) + column, return_index=True, return_inverse=True)
        order = np.concatenate([first_of, np.setdiff1d(np.arange(row.size), first_of)]).astype(np.int64)
        losing = [*everything[everything[:, 1] >= self.columns, 0], *row[np.bincount(to, minlength=1)[to] > 1]]
        some = everything[np.isin(everything[:, 0], losing if self.sharing else ())]
        return {
            "phi_from": phi_from,
            "nu_from": nu_from,
            "gamma_from": gamma_from,
            "jac_row": row[first_of],
            "jac_column": column[first_of],
            "jac_from": source[order],
            "jac_to": to[order].astype(np.int64),
            **dict(zip(("full_row", "full_place", "full_from"), some.T.copy(), strict=True)),
            "rows": len(rows),
            "velocity_rows": int((phi_from < 0).sum()),
        }
