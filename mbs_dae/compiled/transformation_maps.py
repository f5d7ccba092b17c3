"""The index maps of a velocity transformation (`transformation`), from the tree and the layout of the rows."""

from collections.abc import Iterator, Mapping, Sequence, Sized
from functools import cache
from typing import NamedTuple

import numpy as np

from ..coordinates import JointCoordinates
from ..coordinates.joint.tree import Tree, no_tree
from ..kernels.blocks import block
from .dynamics import DynamicsBuilder
from .transformation import ENTRIES, RowTerms, Transformation

NONE = np.zeros(0, dtype=np.int64)
TRANSFORMED = ("ways", "links", "rows")
"""The lengths that are 0 where nothing is transformed."""


Term = tuple[int, int, np.ndarray, np.ndarray]
"""(row, edge, components, outputs): what a row says of one body."""


class Entries(NamedTuple):
    """The structure of Φ_x and of M_x below its diagonal."""

    jac_row: np.ndarray
    jac_column: np.ndarray
    block_row: np.ndarray
    block_column: np.ndarray


def structure_of(coordinates: JointCoordinates, program: Mapping[str, np.ndarray]) -> Entries:
    paths = coordinates.paths
    rows, columns = [NONE], [NONE]
    for row, e, _, _ in _terms(coordinates, program):
        rows.append(np.full(paths[e].size, row))
        columns.append(paths[e])
    pairs = np.unique(np.stack([np.concatenate(rows), np.concatenate(columns)]), axis=1)
    beside = np.array([(c, d) for c, d in coordinates.coupled if d < c], dtype=np.int64).reshape(-1, 2)
    return Entries(pairs[0].copy(), pairs[1].copy(), beside[:, 0].copy(), beside[:, 1].copy())


def transformation(
    coordinates: JointCoordinates, tree: Tree, program: Mapping[str, np.ndarray], entries: Entries,
    dynamics: DynamicsBuilder | None, length: float,
) -> Transformation:  # fmt: skip
    """`program` is the layout of the rows over the velocities of bodies. `dynamics` is left out where only places and
    motions are asked for."""
    layout, velocities = coordinates.kernels.layout, tree.v_step.size
    turned = [place for body in coordinates.layout.turned for place in layout.v[body][3:]]
    places = Transformation(
        tree,
        edges=len(coordinates.topology.edges),
        deep=int(coordinates.deep),
        addresses=np.array([function.compile().address for function in ENTRIES], dtype=np.int64),
        omega_at=np.array(turned, dtype=np.int64),
        qc=coordinates.resting_bodies(),
    )
    sizes = {"joints": velocities, "bodies": layout.v_size}
    if coordinates.deep:
        return block(places, **sizes, **dict.fromkeys(TRANSFORMED, 0))
    paths = coordinates.paths
    terms = [*_terms(coordinates, program)]
    where = {pair: k for k, pair in enumerate(zip(entries.jac_row.tolist(), entries.jac_column.tolist(), strict=True))}
    below = zip(entries.block_row.tolist(), entries.block_column.tolist(), strict=True)
    beside = {pair: velocities + k for k, pair in enumerate(below)}
    masses = _masses(coordinates, dynamics) if dynamics is not None else [[] for _ in paths]
    flat = np.array([item for items in masses for item in items], dtype=np.int64).reshape(-1, 3).T.copy()
    maps = places._replace(
        row_of=entries.jac_row,
        column_of=entries.jac_column,
        component=np.array([0, 1, 5] if tree.dimension == 2 else range(6), dtype=np.int64),
        parent=np.array(coordinates.topology.parents, dtype=np.int64) - 1,
        path_at=_borders(paths),
        path=np.concatenate([NONE, *paths]),
        terms=_row_terms(terms),
        target_at=_borders([paths[e] for _, e, _, _ in terms]),
        target=np.array([where[row, c] for row, e, _, _ in terms for c in paths[e].tolist()], dtype=np.int64),
        unit=np.array([1.0] * 3 + [length**-2] * 3),
        joint_unit=1.0 / coordinates.weights(length),
        mass_at=_borders(masses),
        mass_row=flat[0],
        mass_column=flat[1],
        mass_from=flat[2],
        weight_to=np.array([c if c == d else beside[c, d] for c, d in coordinates.coupled], dtype=np.int64),
    )
    return block(maps, **sizes, ways=maps.path.size, links=len(paths), rows=program["nu_from"].size)


@cache
def no_transformation() -> Transformation:
    return block(Transformation(no_tree(), edges=0, deep=0), **dict.fromkeys(("joints", "bodies", *TRANSFORMED), 0))


def _terms(
    coordinates: JointCoordinates, program: Mapping[str, np.ndarray]
) -> Iterator[Term]:
    """(row, edge, components, outputs): the entries of Φ_u, body by body."""
    row, column = program["jac_row"][program["jac_to"]], program["jac_column"][program["jac_to"]]
    found: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for r, c, source in zip(row.tolist(), column.tolist(), program["jac_from"].tolist(), strict=True):
        edge, local = coordinates.edge_and_component[c]
        found.setdefault((r, edge), []).append((local, source))
    for (r, edge), items in sorted(found.items()):
        components, sources = np.array(items, dtype=np.int64).T.copy()
        yield r, edge, components, sources


def _row_terms(terms: Sequence[Term]) -> RowTerms:
    return RowTerms(
        row=np.array([row for row, *_ in terms], dtype=np.int64),
        edge=np.array([e for _, e, _, _ in terms], dtype=np.int64),
        at=_borders([items for _, _, items, _ in terms]),
        component=np.concatenate([NONE, *(items for _, _, items, _ in terms)]),
        source=np.concatenate([NONE, *(source for _, _, _, source in terms)]),
    )


def row_terms(coordinates: JointCoordinates, program: Mapping[str, np.ndarray]) -> RowTerms:
    """Those of rows that are laid out like this."""
    return _row_terms([*_terms(coordinates, program)])


def _masses(coordinates: JointCoordinates, dynamics: DynamicsBuilder) -> list[list[tuple[int, int, int]]]:
    """Per edge: row, column, output of each entry of its body's M, of the lower triangle."""
    found: list[list[tuple[int, int, int]]] = [[] for _ in coordinates.paths]
    n = dynamics.columns
    for source, item in zip(dynamics.layout["mass_from"].tolist(), dynamics.layout["mass_item"].tolist(), strict=True):
        row, column = (item, item) if item < n else (dynamics.block_row[item - n], dynamics.block_column[item - n])
        edge, first = coordinates.edge_and_component[int(row)]
        found[edge].append((first, coordinates.edge_and_component[int(column)][1], source))
    return found


def _borders(parts: Sequence[Sized]) -> np.ndarray:
    return np.cumsum([0, *map(len, parts)])
