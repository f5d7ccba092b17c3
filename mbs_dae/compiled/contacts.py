"""The record of the contacts of a model, laid out from its elements (`contact_rows` evaluates their rows)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import sympy as sp
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from ..coordinates import KernelCoordinates
from ..coordinates.joint.joint import JointCoordinates
from ..coordinates.joint.tree_steps import velocity_paths
from ..kernels.blocks import INDEX, block, nothing
from ..linear.pattern import Pattern
from ..linear.rows import Rows
from ..linear.springs import Laws, Proximal, new_proximal
from ..model.bodies.body import Body, Marker
from ..model.contacts.base import Contact
from ..model.contacts.compliant import CompliantContact
from ..model.contacts.friction import DryFriction, Friction, FrictionElement, Separation, SmoothFriction
from ..model.joints import Gear
from ..model.measures import Measure, Quantity
from ..model.model import Model
from ..model.parameters import Evaluator, Parameter
from ..symbolic.derive import Form
from ..symbolic.loads import joint_wrenches
from .batch import BatchBuilder, Instance, instance_of
from .contact_records import (
    ContactCalls,
    ContactGroups,
    ContactLaws,
    ContactPoints,
    Contacts,
    ContactTree,
    NormalForces,
)
from .program import ProgramBuilder
from .tree.maps import row_terms
from .tree.transformation import NO_TERMS, Transformation

GIVEN, EVENTS, STEPS = range(3)
"""The treatments of contacts in a run: evaluate their rows only; compute forces while states hold, and impacts, with a
dense matrix; or compute forces over steps with a sparse matrix, and for few contacts with the dense matrix as well."""
FEW, SOME = 40, 200
"""The largest numbers of rows. Up to FEW rows elimination is exact and cheaper. If masses may be far apart, steps over
many contacts also form a dense matrix of up to SOME rows, because the sparse one loses forces that are small compared
with others."""


class ContactsBuilder:
    """Lay out the index maps of contacts once; `fill` puts numbers in."""

    def __init__(
        self, model: Model, batch: Callable[[Sequence[Instance]], BatchBuilder], coordinates: KernelCoordinates,
        transformed: JointCoordinates | None, rows_of: Mapping[str, np.ndarray],
    ):  # fmt: skip
        """`rows_of` maps the name of each joint to its rows in the system's matrix."""
        self.coordinates, self.conditions = coordinates, model.conditions
        gears = [e for e in model.conditions if isinstance(e, Gear) and e.pressure_angle != 0]
        rubs = any(isinstance(e, Friction) for e in model.frictions)
        self.separations = tuple(map(Separation, gears)) if rubs else ()
        """The forces that drive wheels apart, if friction depends on these forces."""
        self.elements: tuple[Contact | FrictionElement, ...] = (*model.contacts, *model.frictions, *self.separations)
        instances = [instance_of(*e.form(), e.markers, e.who, coordinates) for e in self.elements]
        self.program = ProgramBuilder(batch(instances), coordinates.layout.nv)
        self.terms = row_terms(transformed, self.program.layout) if transformed else NO_TERMS
        self.ways = transformed.ways if transformed else ()
        self.paths = velocity_paths(transformed.topology) if transformed else None
        """The columns on the path from each body to the ground, where bodies follow from joints."""
        self.points: list[tuple[Contact | FrictionElement, int]] = []
        """The element of each point, and the number of the point within the element."""
        self.rows_of: dict[str, np.ndarray] = {}
        places, self.rows = [], 0
        for e in self.elements:
            gaps, size = (e.points, e.slip_directions) if isinstance(e, Contact) else (0, len(e.form()[0].rows))
            for k in range(gaps or 1):
                self.points.append((e, k))
                places.append((self.rows + k if gaps else -1, self.rows + gaps + size * k, size))
            self.rows_of[e.name] = np.arange(self.rows, self.rows + gaps + (gaps or 1) * size)
            self.rows += self.rows_of[e.name].size
        self.gap, self.slip, self.slips = np.array(places, dtype=np.int64).reshape(-1, 3).T.copy()
        self._put_bounds(model, batch, coordinates, rows_of)
        self._put_drags(model, batch, coordinates)
        components, _, _, bound_rows = self.bound
        presses = np.where(bound_rows > 0, components, 0) if components.size else np.zeros_like(self.gap)
        entries = np.cumsum([0, *((self.gap >= 0) + self.slips + presses)]).astype(np.int64)
        self.entry, self.entries = entries[:-1].copy(), int(entries[-1])
        ends = zip(entries[1:], presses, strict=True)
        self.normal_entries = np.array([k for end, n in ends for k in range(end - n, end)], dtype=np.int64)
        """The entries of the normal forces in joints."""
        many = np.diff(entries).tolist()
        self.switching = [e.who for (e, _), count in zip(self.points, many, strict=True) for _ in range(count)]
        """The owner of each entry."""
        self.decides, self.decided = self._decisions()

    def _decisions(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the branch and the point of each pair (branch, point about which it decides). A branch in a bound of
        friction decides about all points of its element."""
        point, pairs, branch = self._point_of_row(), [], 0
        for place in self.bounds.places():
            own = [c for c, (e, _) in enumerate(self.points) if e is self._bounding[place.member]]
            for _ in place.layout["modes"]:
                pairs += [(branch, c) for c in own]
                branch += 1
        for place in self.program.batch.places():
            first = self.rows_of[self.elements[place.member].name][0]
            for rows in place.layout["decides"]:
                pairs += [(branch, c) for c in sorted({int(point[first + row]) for row in rows})]
                branch += 1
        decides, decided = np.array(pairs, dtype=np.int64).reshape(-1, 2).T.copy()
        return decides, decided

    def _point_of_row(self) -> np.ndarray:
        point = np.zeros(self.rows, dtype=np.int64)
        for c in range(len(self.points)):
            point[self.slip[c] : self.slip[c] + self.slips[c]] = c
            if self.gap[c] >= 0:
                point[self.gap[c]] = c
        return point

    def constant_by(self, e: sp.Expr) -> tuple[list[tuple[int, bool]], sp.Expr]:
        """Return the points that keep an expression constant, each with False (by its gap while the point is closed) or
        True (by its slip while the point sticks), and the constant. Return no points if the expression may vary
        otherwise."""
        found = {q: point for q in e.atoms(Quantity) if (point := self._point_that_keeps(q)) is not None}
        constant = e.xreplace(dict.fromkeys(found, sp.S.Zero))
        known = all(isinstance(s, Parameter) for s in constant.free_symbols)
        return (sorted(found.values()) if known else []), constant

    def gap_in(self, e: sp.Expr) -> sp.Expr | None:
        """Return the factor by which an expression is the gap of a point; None if the expression is anything else."""
        quantities = e.atoms(Quantity)
        points, constant = self.constant_by(e)
        if len(quantities) != 1 or not points or constant != 0:
            return None
        (gap,) = quantities
        factor = e.diff(gap)
        known = gap.level == 0 and all(isinstance(s, Parameter) for s in factor.free_symbols)
        return factor if known else None

    def _point_that_keeps(self, quantity: Quantity) -> tuple[int, bool] | None:
        """Return the point of which a quantity is the gap, the rate of the gap (False) or the slip (True); None if
        there is none."""
        read, rated = quantity.measure, quantity.level == 1
        for c, (e, point) in enumerate(self.points):
            if isinstance(e, DryFriction) and rated and _is_same(read, e.measure):
                return c, True
            if not isinstance(e, Contact):
                continue
            own = e.measures()
            rows, first = [own[name] for name in e.row_names], e.points + e.slip_directions * point
            if _is_same(read, rows[point]):
                return c, False
            if rated and any(_is_same(read, one) for one in rows[first : first + e.slip_directions]):
                return c, True
        return None

    def _put_bounds(self, model: Model, batch: Any, coordinates: KernelCoordinates, rows_of: Any) -> None:
        forms = [(e, *bound_of(model, e)) for e in (*model.frictions, *self.separations)]
        rubbing = [e for e in self.elements if isinstance(e, Contact | Friction) and e.rubbing.is_read]
        curves = [(e, *e.forms()[1], e.markers) for e in rubbing]
        wanted = [*(form[:4] for form in forms), *curves]
        self._bounding = [e for e, *_ in wanted]
        self.bounds = batch([instance_of(form, slots, at, e.who, coordinates) for e, form, slots, at in wanted])
        begins = {place.member: place.out for place in self.bounds.places()}
        begun = {e.name: begins[len(forms) + k] for k, (e, *_) in enumerate(curves)}
        at = [begun[e.name] + 2 * k if e.name in begun else -1 for e, k in self.points]
        self.curve = np.array(at, dtype=np.int64)
        found = {}
        for k, (e, _, _, _, components) in enumerate(forms):
            rows: Any = rows_of[e.joint] if isinstance(e, Friction | Separation) else ()
            found[e.name] = components, begins[k], rows[0] if len(rows) else -1, len(rows)
        told = [found.get(e.name, (0, 0, -1, 0)) for e, _ in self.points] if wanted else []
        self.bound: Any = [*np.array(told, dtype=np.int64).reshape(-1, 4).T.copy()]

    def _put_drags(self, model: Model, batch: Any, coordinates: KernelCoordinates) -> None:
        rubbing = [e for e in model.forces if isinstance(e, CompliantContact | SmoothFriction) and e.size_is_read]
        forms = [(*e.size_reading, e) for e in rubbing]
        self.drag_sizes = batch([instance_of(form, slots, at, e.who, coordinates) for form, slots, at, e in forms])
        sizes = [(forms[p.member][-1], p.layout["values"]) for p in self.drag_sizes.places()]
        self.drags = [e for e, count in sizes for _ in range(count)]
        """The element of each size in `drag_sizes`."""
        self.drag_is_force = np.array([isinstance(e, SmoothFriction) for e in self.drags], dtype=np.int64)

    def fill(
        self, number: Evaluator, transformation: Transformation, calls: ContactCalls, pattern: Pattern, state: int,
        asks: int, length: float, masses: Mapping[Body, tuple[float, float]], of_columns: np.ndarray,
        coupled: np.ndarray, far: bool,
    ) -> Contacts:  # fmt: skip
        """Return the record of contacts with its numbers.

        `pattern` belongs to the system's matrix; `state` is the length of (q, v, a) before and behind an impact; `asks`
        is GIVEN, EVENTS or STEPS; `length` is the model's; `masses` has, for each body, its mass and its largest moment
        of inertia over the squared length; `of_columns` is the mass of each column, `coupled` the group of each column
        by rows of joints and entries of M; `far` says whether some masses may be far apart.
        """
        program, bounds, points = self.program.fill(number), self.bounds.fill(number), len(self.points)
        laws = [[number(n) for n in e.laws] for e, _ in self.points]
        restitution, friction, static, smooth = np.array(laws).reshape(-1, 4).T.copy()
        at, column, place = self._places(transformation, pattern.n)
        rows = block(Rows(at, column), entries=column.size)
        proximal = nothing(Proximal)
        if asks == STEPS and points:
            own = block(Laws(self.gap, self.slip, self.slips, *self.bound))
            proximal = new_proximal(pattern, rows, own, self.rows)
        of_point, of_row, of_column, of_velocity, of_edge = groups = self._groups(at, column, pattern, coupled)
        lightest, heaviest = self.mass_ranges(masses)
        known: Any = {
            "program": program,
            "tree": ContactTree(transformation, self.terms, place),
            "rows": rows,
            "proximal": proximal,
            "calls": calls,
            "gap_row": self.gap,
            "slip_row": self.slip,
            "slip_count": self.slips,
            "points": ContactPoints(self._point_of_row(), self.entry, self.entries, self.decides, self.decided, FEW),
            "laws": ContactLaws(
                self.curve, restitution, friction, static, smooth, self.drag_sizes.fill(number), self.drag_is_force,
            ),
            "normals": NormalForces(bounds, *self.bound),
            "groups": ContactGroups(
                of_point, of_row, of_column, of_velocity, of_edge, coupled.astype(np.int64),
                self.arms(length), lightest, heaviest, of_columns,
            ),
        }  # fmt: skip
        contacts = Contacts(**known)
        many = asks == GIVEN or (asks == STEPS and self.rows > FEW)
        some = min(self.rows, SOME) if asks == STEPS and far else 0
        dense, few = (some, min(some, points)) if many else (self.rows, points)
        sizes = {"lines": self.rows, "dense": dense, "points": points, "columns": pattern.n, "rows": pattern.m}
        sizes |= {"full": 0, "square": 0} if many else {"full": self.rows, "square": dense + few}
        sizes["groups"] = 1 + max((int(one.max()) for one in groups if one.size), default=0)
        sizes |= {"unknowns": dense, "laws": 2 * few, "laws_and_one": 2 * few + 1, "bounds": 3 * few}
        sizes |= {"equations": max(dense + few, self.rows), "components": 3 * points}
        sizes |= {"outputs": program.batch.out_size + 1, "factors": bounds.out_size + 1}
        sizes |= {"drags": self.drag_sizes.out_size + 1}
        return block(contacts, state=state, **sizes)

    def mass_ranges(self, masses: Mapping[Body, tuple[float, float]]) -> np.ndarray:
        """Return the least and the largest mass, for each point, of the bodies that it touches and of those that joints
        connect with them, as an array of shape (2, points); (inf, 0) where no such body has a mass."""
        if not self.points:
            return np.zeros((2, 0))
        groups = [{body} for body in masses]
        for joined in [{marker.body for marker in e.markers} & masses.keys() for e in self.conditions]:
            met = [group for group in groups if group & joined]
            groups = [group for group in groups if not group & joined] + [set[Body]().union(*met)] * bool(met)
        found = np.tile([[np.inf], [0.0]], len(self.points))
        for k, (e, _) in enumerate(self.points):
            touched = {marker.body for marker in e.markers}
            near = [masses[body] for group in groups if group & touched for body in group if masses[body][0] > 0.0]
            if near:
                found[:, k] = min(mass for mass, _ in near), max(map(max, near))
        return found

    def _groups(self, at: np.ndarray, column: np.ndarray, pattern: Pattern, coupled: np.ndarray) -> list[np.ndarray]:
        """Return the groups of points, rows, columns, velocities of bodies and edges: the groups `coupled` of columns,
        joined by rows of contacts and by the normal forces of frictions in joints."""
        if not self.points:
            return [np.zeros(0, dtype=np.int64)] * 5
        row = np.repeat(np.arange(self.rows), np.diff(at))
        point = self._point_of_row()
        ends = [(point[row], coupled[column])]
        for c, (first, many) in enumerate(zip(*self.bound[2:], strict=True)):
            presses = coupled[pattern.jac_column[(pattern.jac_row >= first) & (pattern.jac_row < first + many)]]
            ends.append((np.full(presses.size, c), presses))
        one, other = (np.concatenate(part) for part in zip(*ends, strict=True))
        points, many = len(self.points), int(coupled.max(initial=-1)) + 1
        shape = points + many, points + many
        _, joined = connected_components(csr_matrix((np.ones(one.size), (one, points + other)), shape), directed=False)
        of_points, of_columns = joined[:points].astype(np.int64), joined[points:][coupled].astype(np.int64)
        layout, moving = self.coordinates.layout, np.full(self.coordinates.all_weights(1.0).size, -1)
        if self.paths is None:
            moving[: layout.nv] = of_columns
        else:
            for body, way in self.paths.items():
                if body in layout.v and way.size:
                    moving[list(layout.v[body])] = of_columns[way[-1]]
        edges = [of_columns[way[0]] if way.size else -1 for way in self.ways]
        return [of_points, of_points[point], of_columns, moving.astype(np.int64), np.array(edges, dtype=np.int64)]

    def arms(self, length: float) -> np.ndarray:
        """Return, for each velocity, the speed of a point for a unit of this velocity, shape (v_size,)."""
        return np.sqrt(self.coordinates.all_weights(length))

    def _places(self, tr: Transformation, columns: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the first entry of each row, the column of each entry, and the place of each output (or term along its
        path)."""
        layout = self.program.layout
        row, column = layout["jac_row"][layout["jac_to"]], layout["jac_column"][layout["jac_to"]]
        if tr.edges > 0 and tr.deep == 0:
            ways = [self.ways[e] for e in self.terms.edge]
            row = np.repeat(self.terms.row, [way.size for way in ways])
            column = np.concatenate([np.zeros(0, dtype=np.int64), *ways])
        point = self._point_of_row()
        keys = np.unique(point[row] * columns + column)
        begins = np.searchsorted(keys, np.arange(len(self.points) + 1) * columns)
        at = np.cumsum([0, *np.diff(begins)[point]]).astype(np.int64)
        own = [keys[begins[c] : begins[c + 1]] - c * columns for c in point]
        place = at[row] + np.searchsorted(keys, point[row] * columns + column) - begins[point[row]]
        return at, np.concatenate([keys[:0], *own]).astype(INDEX), place.astype(INDEX)


def _is_same(one: Measure, other: Measure) -> bool:
    """Whether two measures read the same quantity."""
    return (one.kind, one.markers, one.own) == (other.kind, other.markers, other.own)


def bound_of(model: Model, element: FrictionElement) -> tuple[Form, Any, tuple[Marker, ...], int]:
    """Return the reading that bounds a friction: the form, the numbers in its slots, its markers, and the number of
    components of b. For a joint the reading gives, for each direction that presses and each row, the force for a
    multiplier of 1."""
    if isinstance(element, Separation):
        form, slots = element.bound
        return form, slots, element.markers, 1
    if not isinstance(element, Friction):
        form, slots = element.forms()[1]
        return form, slots, element.markers, 1
    joint = next(c for c in model.conditions if c.name == element.joint)
    relation, slots = joint.form()
    wrenches, size = joint_wrenches(relation), joint.dimension
    values = sp.Matrix(relation.size, len(wrenches.values) // relation.size, wrenches.values)
    width = values.cols // len(relation.markers)
    force = values[:, width * joint.second : width * joint.second + size]
    presses = element.normal(*relation.markers[:2])
    found = [sum(n[k] * force[row, k] for k in range(size)) for n in presses for row in range(relation.size)]
    used = {s: n for s, n in element.form()[1].items() if s not in slots and any(e.has(s) for e in found)}
    form = replace(wrenches, values=tuple(map(sp.sympify, found)), slots=(*wrenches.slots, *used))
    return form, {**slots, **used}, joint.markers, len(presses)
