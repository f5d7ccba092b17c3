"""The index maps of a velocity transformation (`transformation`), from the tree and the layout of the rows."""

from collections.abc import Iterator, Mapping, Sequence, Sized
from functools import cache
from typing import NamedTuple

import numpy as np

from ...coordinates import JointCoordinates
from ...coordinates.joint.tree import Tree, no_tree
from ...kernels.blocks import block
from ...kernels.functions import addresses
from ...kernels.passes import laid_out
from ...linear.tree.articulated import NO_PASS, Limbs, TreeShape, Visit, groups_of, packed, visits, way_of
from ...linear.tree.kernels import UNDER_WAY, KernelKind
from ...model.parameters import Evaluator
from ..dynamics import DynamicsBuilder
from .body_kernels import NUMBERS, Solid, pass_of
from .row_kernels import CARRYING, Term, terms_pass
from .transformation import ENTRIES, RowTerms, Transformation

NONE = np.zeros(0, dtype=np.int64)
TRANSFORMED = ("links", "visits", "rows", "packed")
"""The lengths that are 0 if nothing is transformed."""


class Entries(NamedTuple):
    """The structure of Φ_x and of M_x below its diagonal."""

    jac_row: np.ndarray
    jac_column: np.ndarray
    block_row: np.ndarray
    block_column: np.ndarray


def structure_of(coordinates: JointCoordinates, program: Mapping[str, np.ndarray], formed: bool) -> Entries:
    """Return the structure of Φ_x and M_x; M has entries only if it is `formed`."""
    ways = coordinates.ways
    rows, columns = [NONE], [NONE]
    for term in _terms(coordinates, program):
        rows.append(np.full(ways[term.edge].size, term.row))
        columns.append(ways[term.edge])
    pairs = np.unique(np.stack([np.concatenate(rows), np.concatenate(columns)]), axis=1)
    coupled = coordinates.coupled if formed else []
    beside = np.array([(c, d) for c, d in coupled if d < c], dtype=np.int64).reshape(-1, 2)
    return Entries(pairs[0].copy(), pairs[1].copy(), beside[:, 0].copy(), beside[:, 1].copy())


def transformation_of(
    coordinates: JointCoordinates, tree: Tree, program: Mapping[str, np.ndarray], entries: Entries,
    dynamics: DynamicsBuilder | None, length: float, number: Evaluator,
) -> Transformation:  # fmt: skip
    """Return the record of the velocity transformation. `program` is the layout of the rows over the velocities of
    bodies. `dynamics` is None if only positions and motions are wanted."""
    layout, velocities = coordinates.kernels.layout, tree.v_step.size
    turned = [place for body in coordinates.layout.turned for place in layout.v[body][3:]]
    places = Transformation(
        tree,
        edges=len(coordinates.topology.edges),
        deep=int(coordinates.deep),
        addresses=addresses(ENTRIES),
        omega_at=np.array(turned, dtype=np.int64),
        qc=coordinates.resting_bodies(),
    )
    sizes = {"joints": velocities, "bodies": layout.v_size}
    if coordinates.deep:
        return block(places, **sizes, **dict.fromkeys(TRANSFORMED, 0))
    shape = shape_of(coordinates)
    terms = [*_terms(coordinates, program)]
    frames = [int(behind) - 1 for behind in tree.edge_at[1:]]
    body_v = [int(tree.frame_v[k]) for k in frames]
    ends: dict[int, set[int]] = {}
    for term in terms:
        ends.setdefault(term.row, set()).add(term.edge)
    on_way = visits(shape, groups_of(entries.jac_row, entries.jac_column, ends), ends)
    slot = {(row, v.edge): v.slot + k for v in on_way for k, row in enumerate(v.group.rows)}
    terms = [term for term in terms if (term.row, term.edge) in slot]  # others belong to what stands still
    solids = solids_of(coordinates, dynamics, number) if dynamics is not None else []
    maps = places._replace(
        component=np.array([0, 1, 5] if tree.dimension == 2 else range(6), dtype=np.int64),
        parent=np.array(shape.parents, dtype=np.int64),
        said=terms_pass(tree.dimension, terms, [slot[term.row, term.edge] for term in terms], body_v, frames),
        carried=laid_out([_carried(shape, visit) for visit in on_way], CARRYING.kernel),
        unit=np.array([1.0] * 3 + [length**-2] * 3),
        joint_unit=1.0 / coordinates.weights(length),
        solid=np.array([solid.numbers for solid in solids]).reshape(-1, NUMBERS[tree.dimension]),
        bodies=pass_of(shape, solids, body_v, frames) if solids else NO_PASS,
        beside_to=_beside(coordinates, entries),
    )
    sizes |= {"links": len(shape.parents), "visits": len(slot), "rows": program["nu_from"].size}
    return block(maps, **sizes, packed=packed(tree.dimension))


def _carried(shape: TreeShape, visit: Visit) -> tuple[int, KernelKind, tuple[int, ...]]:
    level, kind, places = way_of(shape, visit)
    return level, kind, (*places[: len(UNDER_WAY)], visit.group.rows[0], *visit.entries)


def limbs_of(tr: Transformation) -> Limbs:
    """Return the arrays that the factor of M reads after `transform_dynamics`."""
    return Limbs(tr.tree.twist, tr.tree.arm, tr.inertia, np.zeros(tr.inertia.shape))


def shape_of(coordinates: JointCoordinates) -> TreeShape:
    topology = coordinates.topology
    parents = [parent - 1 for parent in topology.parents]
    return TreeShape(topology.ground.dimension, parents, [edge.velocities for edge in topology.edges])


def _beside(coordinates: JointCoordinates, entries: Entries) -> np.ndarray:
    """Return the place of each entry of M_x below its diagonal, in the order of `transformation.form_masses`."""
    if not entries.block_row.size:
        return NONE
    below = zip(entries.block_row.tolist(), entries.block_column.tolist(), strict=True)
    place = {pair: k for k, pair in enumerate(below)}
    ways = zip(coordinates.ways, coordinates.own, strict=True)
    return np.array([place[c, d] for way, own in ways for c in own.tolist() for d in way.tolist() if d < c])


@cache
def no_transformation() -> Transformation:
    return block(Transformation(no_tree(), edges=0, deep=0), **dict.fromkeys(("joints", "bodies", *TRANSFORMED), 0))


def _terms(coordinates: JointCoordinates, program: Mapping[str, np.ndarray]) -> Iterator[Term]:
    """Yield the terms of Φ_u: the entries of one row for one body."""
    row, column = program["jac_row"][program["jac_to"]], program["jac_column"][program["jac_to"]]
    found: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for r, c, source in zip(row.tolist(), column.tolist(), program["jac_from"].tolist(), strict=True):
        edge, local = coordinates.edge_and_component[c]
        found.setdefault((r, edge), []).append((local, source))
    for (r, edge), items in sorted(found.items()):
        components, outputs = zip(*items, strict=True)
        yield Term(r, edge, components, outputs)


def row_terms(coordinates: JointCoordinates, program: Mapping[str, np.ndarray]) -> RowTerms:
    """Return the terms of rows over the velocities of bodies, as arrays."""
    terms = [*_terms(coordinates, program)]
    return RowTerms(
        row=np.array([term.row for term in terms], dtype=np.int64),
        edge=np.array([term.edge for term in terms], dtype=np.int64),
        at=_borders([term.outputs for term in terms]),
        component=np.array([c for term in terms for c in term.components], dtype=np.int64),
        source=np.array([k for term in terms for k in term.outputs], dtype=np.int64),
    )


def solids_of(coordinates: JointCoordinates, dynamics: DynamicsBuilder, number: Evaluator) -> list[Solid]:
    """Return the bodies of all edges."""
    instance_of = {one.owners[0]: one for one in dynamics.batch.instances if one.meaning.startswith("inertia ")}
    layout = coordinates.kernels.layout
    found = list[Solid]()
    for edge in coordinates.topology.edges:
        body = edge.child
        numbers = tuple(number(value) for value in instance_of[body].slots.values())
        pushed = not dynamics.pushed.isdisjoint(layout.v[body])
        found.append(Solid(coordinates.kernels.inertia_form(body), pushed, numbers, layout.q[body][0]))
    return found


def _borders(parts: Sequence[Sized]) -> np.ndarray:
    return np.cumsum([0, *map(len, parts)])
