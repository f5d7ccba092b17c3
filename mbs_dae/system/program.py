"""Relations between markers, gathered by type, ready to be evaluated all at once.

A `Program` is arrays only: the addresses of the kernels, where each instance finds its coordinates and constants,
and where each of its outputs belongs in Φ, Φ_v, ν and γ. Coordinates of the ground stand behind those that move
(`columns` and up) and have no column.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from ..coordinates import PlanarCartesian
from ..errors import ModelError
from ..kernels import cache
from ..kernels.blocks import block
from ..model.body import Body, Marker
from ..model.parameters import Evaluator, Number
from ..model.tables import TableSymbol
from ..symbolic.codegen import kernel_module
from ..symbolic.derive import Relation, compose
from ..symbolic.markers import LABELS


class Program(NamedTuple):
    """What the compiled core reads."""

    address: np.ndarray
    instances: np.ndarray
    gather: np.ndarray
    """Per kernel and instance, where its local q and v stand."""
    gather_at: np.ndarray
    parameters: np.ndarray
    parameters_at: np.ndarray
    tables: np.ndarray
    out_at: np.ndarray
    out_size: int
    phi_from: np.ndarray
    """Per row, where its Φ stands in the outputs; -1 for a row that restricts velocities only."""
    nu_from: np.ndarray
    gamma_from: np.ndarray
    jac_row: np.ndarray
    jac_column: np.ndarray
    jac_from: np.ndarray
    rows: int
    velocity_rows: int
    """How many rows restrict velocities only."""
    columns: int


@dataclass(frozen=True)
class Instance:
    """One relation on actual markers, with what stands in its slots."""

    relation: Relation
    slots: Mapping[sp.Symbol, Number]
    markers: tuple[Marker, ...]
    who: str


@dataclass(frozen=True)
class _Group:
    """All instances of one kernel."""

    kernel: cache.Kernel
    members: list[int]


class ProgramBuilder:
    """Derives (or fetches) the kernels and lays out the index maps, once; `fill` puts numbers in, again and again."""

    def __init__(
        self, instances: Sequence[Instance], coordinates: PlanarCartesian, start: Mapping[Body, int], columns: int
    ):
        self.instances = list(instances)
        self.coordinates = coordinates
        self.start = start
        self.columns = columns
        self.first_row = np.concatenate([[0], np.cumsum([i.relation.size for i in instances], dtype=np.int64)])
        self.groups = self._grouped()
        self.layout = self._laid_out()

    def fill(self, evaluate: Evaluator) -> Program:
        """The program with the values of the parameters put in."""
        parameters: list[float] = []
        tables: list[np.ndarray] = []
        table_at: dict[TableSymbol, int] = {}

        def number(value: Number) -> float:
            if isinstance(value, TableSymbol):
                if value not in table_at:
                    table_at[value] = sum(map(len, tables))
                    tables.append(value.table.data)
                return float(table_at[value])
            return evaluate(value)

        parameters_at = []
        for group in self.groups:
            parameters_at.append(len(parameters))
            names = group.kernel.layout["slots"]
            for member in group.members:
                values = self._slot_values(self.instances[member])
                numbers = [number(values[name]) for name in names]
                if not np.isfinite(numbers).all():
                    raise ModelError(
                        f"a number in {self.instances[member].who} is not a finite real number for these parameters; "
                        "mend its expression or the parameters"
                    )
                parameters += numbers
        return block(
            Program(
                **self.layout,
                parameters=np.array([*parameters, 0.0]),
                parameters_at=np.array(parameters_at, dtype=np.int64),
                tables=np.concatenate([*tables, [0.0]]),
            )
        )

    def _grouped(self) -> list[_Group]:
        groups: dict[str, _Group] = {}
        meanings: dict[Relation, str] = {}
        for k, instance in enumerate(self.instances):
            relation = instance.relation
            if relation not in meanings:
                meanings[relation] = _meaning(relation, self.coordinates)
            meaning = meanings[relation]
            if meaning not in groups:
                groups[meaning] = _Group(self._kernel(meaning, relation), [])
            groups[meaning].members.append(k)
        return list(groups.values())

    def _kernel(self, meaning: str, relation: Relation) -> cache.Kernel:
        def write() -> str:
            maps = [self.coordinates.marker_map(LABELS[k]) for k in range(len(relation.markers))]
            return kernel_module(compose(relation, maps), "Equations between markers")

        return cache.kernel(meaning, write)

    def _slot_values(self, instance: Instance) -> dict[str, Number]:
        values = {str(s): n for s, n in instance.slots.items()}
        for k, marker in enumerate(instance.markers):
            symbols = self.coordinates.marker_map(LABELS[k]).slots
            values |= {str(s): n for s, n in zip(symbols, self.coordinates.marker_slots(marker), strict=True)}
        return values

    def _laid_out(self) -> dict[str, Any]:
        rows = int(self.first_row[-1])
        gather: list[int] = []
        gather_at, out_at = [], []
        out_size = 0
        phi_from = np.full(rows, -1, dtype=np.int64)
        nu_from, gamma_from = np.zeros(rows, dtype=np.int64), np.zeros(rows, dtype=np.int64)
        jacobian: list[tuple[int, int, int]] = []
        width = len(self.coordinates.q_names)
        for group in self.groups:
            layout = group.kernel.layout
            entries, phi, size = layout["jacobian"], layout["phi"], layout["rows"]
            gather_at.append(len(gather))
            out_at.append(out_size)
            for member in group.members:
                first = int(self.first_row[member])
                where = [self.start[m.body] + c for m in self.instances[member].markers for c in range(width)]
                gather += where + where  # planar: q and v are laid out alike
                phi_from[first : first + phi] = out_size + np.arange(phi)
                at = out_size + phi + len(entries)
                nu_from[first : first + size] = at + np.arange(size)
                gamma_from[first : first + size] = at + size + np.arange(size)
                jacobian += [
                    (first + row, where[column], out_size + phi + k)
                    for k, (row, column) in enumerate(entries)
                    if where[column] < self.columns
                ]
                out_size += layout["outputs"]
        table = np.array(jacobian, dtype=np.int64).reshape(-1, 3)
        return {
            "address": np.array([g.kernel.address for g in self.groups], dtype=np.int64),
            "instances": np.array([len(g.members) for g in self.groups], dtype=np.int64),
            "gather": np.array([*gather, 0], dtype=np.int64),
            "gather_at": np.array(gather_at, dtype=np.int64),
            "out_at": np.array(out_at, dtype=np.int64),
            "out_size": out_size,
            "phi_from": phi_from,
            "nu_from": nu_from,
            "gamma_from": gamma_from,
            "jac_row": table[:, 0].copy(),
            "jac_column": table[:, 1].copy(),
            "jac_from": table[:, 2].copy(),
            "rows": rows,
            "velocity_rows": int((phi_from < 0).sum()),
            "columns": self.columns,
        }


def _meaning(relation: Relation, coordinates: PlanarCartesian) -> str:
    """All that the kernel's code depends on, as text."""
    rows = " ; ".join(sp.srepr(e) for e in (*relation.phi, *relation.psi))
    return f"{coordinates.name} {len(relation.markers)} {len(relation.phi)} {rows}"
