"""A model compiled in a coordinate set: index maps, kernels, scales. The system is frozen; analyses read from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import hypot
from typing import Any

import numpy as np
import scipy.sparse as sps
import sympy as sp

from ..coordinates import Cartesian, CoordinateSet, JointCoordinates, Layout, Motion, body_coordinates
from ..coordinates.joint.tree import Tree, no_tree
from ..duals import Dual
from ..errors import ModelError
from ..kernels.blocks import block
from ..kernels.images import Image
from ..linear import kkt
from ..linear.pattern import Pattern
from ..linear.tree.articulated import NO_LIMBS, local_masses
from ..model.bodies.body import Body, Marker
from ..model.element import Element
from ..model.measures import Measure
from ..model.model import Model
from ..model.parameters import Evaluator, Number
from ..symbolic.derive import Reading, Relation
from ..tolerances import EXTENT_SHARE, LIGHT_MASS, SUM_ROUNDOFF
from .batch import BatchBuilder, PoseSequence, instance_of
from .dynamics import SCALARS, Dynamics
from .machine import Machine, observe
from .manifold import difference, manifold_of, move
from .program import Program, ProgramBuilder
from .python_kernel import PythonKernel, Raised
from .reading import NO_DESIGNS, Reader, Trajectory, read_outputs
from .signals import Signals
from .slopes import read_varied
from .structure import Lengths, Remembering, Row, Structure, structure_in
from .tree.maps import limbs_of, no_transformation, shape_of, transformation_of
from .tree.transformation import Transformation, form_masses, transform_dynamics

Slots = Mapping[sp.Symbol, Number]


@dataclass(frozen=True, eq=False, repr=False)
class System(Remembering):
    """The compiled model. Arrays over the coordinates carry those of the ground behind the others."""

    model: Model
    structure: Structure
    evaluator: Evaluator

    def __repr__(self) -> str:
        return f"<System of {self.model.name!r}: {self.nv} coordinates, {len(self.rows)} equations>"

    def __reduce__(self) -> Any:
        """Pickle the recipe: the model and its coordinates. The other process compiles the system from its cache."""
        return partial(self.model.compile, self.coordinates.set, **self.structure.tree), ()

    @cached_property
    def coordinates(self) -> CoordinateSet:
        return self.structure.coordinates

    @cached_property
    def layout(self) -> Layout:
        return self.structure.layout

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        return self.structure.rows

    @cached_property
    def pattern(self) -> Pattern:
        """The pattern of the matrix with a diagonal W."""
        return self.structure.pattern

    @cached_property
    def mass_pattern(self) -> Pattern:
        return self.structure.mass_pattern

    @cached_property
    def bodies(self) -> tuple[Body, ...]:
        return tuple(self.model.bodies.values())

    @cached_property
    def elements(self) -> tuple[Element, ...]:
        return tuple(self.model.elements.values())

    @cached_property
    def nv(self) -> int:
        return self.layout.nv

    @cached_property
    def nq(self) -> int:
        """The number of coordinates that describe the moving bodies."""
        return self.layout.nq

    @cached_property
    def tree(self) -> Tree:
        """The tree by which bodies follow from joint coordinates; a tree without bodies in other coordinates."""
        chosen = self.coordinates
        return chosen.tree_image(self.evaluator).prototype if isinstance(chosen, JointCoordinates) else no_tree()

    def transformation(self, dynamic: bool, formed: bool) -> Transformation:
        chosen = self.coordinates
        if not isinstance(chosen, JointCoordinates):
            return no_transformation()
        own = self.structure
        dynamics = own.dynamics if dynamic else None
        given = chosen, self.tree, own.program.layout, own.entries(formed), dynamics
        return transformation_of(*given, self.length, self.evaluator)

    @cached_property
    def coordinate_names(self) -> tuple[str, ...]:
        return self.coordinates.coordinate_names

    @cached_property
    def is_cartesian(self) -> bool:
        return self.cartesian is self

    @cached_property
    def cartesian(self) -> System:
        """The model in Cartesian coordinates, for poses of bodies, whatever the coordinates of this system."""
        return self if isinstance(self.coordinates, Cartesian) else self.model.compile()

    def from_bodies(self, motion: Motion) -> Motion:
        """Return a motion of bodies (Cartesian coordinates) in the coordinates of this system."""
        found = self.coordinates.from_bodies(self.cartesian.layout, motion, self.evaluator)
        self.take_signals(motion[0], found[0])
        return found

    def to_bodies(self, motion: Motion) -> Motion:
        found = self.coordinates.to_bodies(self.cartesian.layout, motion, self.evaluator)
        self.take_signals(motion[0], found[0])
        return found

    def take_signals(self, of: np.ndarray, to: np.ndarray) -> None:
        """Copy the signals, which stand at the end of q in all coordinates, from one motion to another."""
        if count := len(self.layout.signals):
            to[:, -count:] = of[:, -count:]

    def of_bodies(self, along: Trajectory) -> Trajectory:
        """Return the trajectory in Cartesian coordinates."""
        return along if self.is_cartesian else Trajectory(along.t, *self.to_bodies(along[1:]))

    @cached_property
    def program(self) -> Program:
        return self.structure.program.fill(self.evaluator)

    @cached_property
    def placement(self) -> np.ndarray:
        """The reference placement as coordinates, with the states at their initial values."""
        if not self.is_cartesian:
            still = self.cartesian.still[None]
            return self.from_bodies((self.cartesian.placement[None], still, still))[0][0]
        q, of_body = np.zeros(self.layout.q_size), body_coordinates(self.model.dimension)
        for state in self.model.states:
            q[self.layout.signals[state.symbol]] = self.evaluator(state.initial)
        for body, places in self.layout.q.items():
            q[list(places)] = of_body.placement(body, self.evaluator)
        if not np.isfinite(q).all():
            body = next(body for body, places in self.layout.q.items() if not np.isfinite(q[list(places)]).all())
            raise ModelError(
                f"the placement of body {body.name!r} is not finite; correct its position or angle",
                code="not-finite", body=body.name,
            )  # fmt: skip
        return q

    @property
    def still(self) -> np.ndarray:
        """Zero velocities (or accelerations), the ground's included."""
        return np.zeros(self.layout.v_size)

    def moved(self, q: np.ndarray, step: np.ndarray) -> np.ndarray:
        """Return the pose reached from q by a small motion, given like a velocity."""
        out = q.copy()
        move(self.machine().manifold, out, np.ascontiguousarray(step, dtype=float))
        return out

    def between(self, q0: np.ndarray, q1: np.ndarray) -> np.ndarray:
        """Return the small motion that leads from one pose to another, shape (nv,)."""
        out = np.zeros(self.nv)
        difference(self.machine().manifold, q0, q1, out)
        return out

    @cached_property
    def length(self) -> float:
        """The model's own length: the largest distance of a marker from its body's origin, or the largest length among
        the constants of its joints; without either, the span of the placement; without a span, the lengths of fixed
        things."""
        longest = self._longest(self.structure.lengths) or float(np.abs(self._places).max(initial=0.0))
        return longest or self._longest(self.structure.lengths_around) or 1.0

    def _longest(self, lengths: Lengths) -> float:
        known, asked = lengths
        return max([known, *(hypot(*map(self.evaluator, parts)) for parts in asked)])

    @cached_property
    def _places(self) -> np.ndarray:
        """The positions of all bodies in the reference placement, shape (bodies, dimension)."""
        own = self.cartesian
        return own.placement[np.array([own.layout.q[b][: self.model.dimension] for b in self.bodies])]

    @cached_property
    def weight(self) -> np.ndarray:
        """The weight of each velocity in a norm: a squared length for a turn, whose arm is the model's own length, else
        1."""
        return self.coordinates.weights(self.length)

    @cached_property
    def dynamics(self) -> Dynamics:
        return self.structure.dynamics.fill(self.evaluator)

    @cached_property
    def signals(self) -> Signals:
        return self.structure.signals.fill(self.evaluator)

    @cached_property
    def column_weight(self) -> np.ndarray:
        """The weights of the columns of Φ_v, which may belong to other velocities than v."""
        own = self.structure
        return (own.transformed or own.coordinates.kernels).weights(self.length)

    @cached_property
    def masses(self) -> np.ndarray:
        """The mass that each column of Φ_v moves while other velocities of its body are free: a mass, or a moment of
        inertia. A joint moves all bodies behind it in the placement, with all other joints at rest."""
        kernels = self.coordinates.kernels
        return self._masses_of_joints[0] if self.structure.transformed else kernels.masses(self.evaluator)

    @cached_property
    def diagonal(self) -> np.ndarray:
        """The mass that each column of Φ_v moves while other velocities are 0: the diagonal of M."""
        kernels = self.coordinates.kernels
        return self._masses_of_joints[0] if self.structure.transformed else kernels.diagonal(self.evaluator)

    @cached_property
    def _masses_of_joints(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return four masses for each velocity of a joint, in the placement: with all other joints at rest; with only
        the next joints behind at rest, and the sizes of the terms of this sum (`local_masses`); and with all joints
        behind free, the pivots of the tree. Joints that share a pin have a pivot of nearly 0, and a rod that turns
        about its own axis moves little of the terms."""
        machine = self.machine(dynamic=True)
        observe(machine, 0.0, self.placement, self.still)
        at = machine.transformation
        transform_dynamics(at, machine.f, np.zeros(SCALARS))
        form_masses(at, machine.factor.weight, machine.factor.beside)
        kkt.factorise(machine.pattern, machine.factor)
        limbs, transformed = machine.factor.limbs, self.structure.transformed
        assert transformed is not None
        return machine.factor.weight.copy(), *local_masses(shape_of(transformed), limbs), 1.0 / np.abs(limbs.inverse)

    @cached_property
    def massless(self) -> np.ndarray:
        return self.masses == 0.0

    @cached_property
    def heaviest(self) -> float:
        """The largest mass, or inertia over squared length."""
        return float((self.diagonal / self.column_weight).max(initial=0.0))

    @cached_property
    def light_columns(self) -> np.ndarray:
        """Whether each column moves next to nothing compared with the bodies that constraints join to its body."""
        return self.structure.groups.are_light(self.masses / self.column_weight, self.diagonal / self.column_weight)

    @cached_property
    def has_light_bodies(self) -> bool:
        """Whether some bodies weigh next to nothing compared with others that constraints join to them, or have a
        motion with such a small mass."""
        if not self.structure.transformed:
            return bool(self.light_columns.any())
        _, masses, terms, pivots = self._masses_of_joints
        relative, certain = masses / self.column_weight, np.minimum(pivots, masses) > LIGHT_MASS * terms
        return bool(not certain.all() or self.structure.groups.are_light(relative, relative).any())

    @property
    def run_system(self) -> System:
        """The system whose equations a run solves, in the same coordinates. The run has another system if joints move
        next to nothing compared with what they carry, like two pins at one point, or a pin in the axis of a thin rod: M
        of joints loses the small mass in its entries, M of bodies does not."""
        own = self.structure
        own.coordinates.kernels.check_moments(self.evaluator)
        if own.transformed is None or "deep" in own.tree or not self.has_light_bodies:
            return self
        return self.once(System._of_bodies)

    def _of_bodies(self) -> System:
        return System(self.model, self.structure.of_bodies, self.evaluator)

    @property
    def light_bodies(self) -> list[Body]:
        light, places = np.flatnonzero(self.light_columns), self.coordinates.kernels.layout.v
        return [body for body in self.bodies if np.isin(places[body], light).any()]

    @cached_property
    def compliance(self) -> np.ndarray:
        """For each column, the reciprocal of a mass (the geometric mean of the extremes of its group) and of the
        column's weight (`kkt`); empty if no body is light."""
        if not self.has_light_bodies:
            return np.zeros(0)
        groups, masses = self.structure.groups, self.diagonal / self.column_weight
        largest = groups.largest(masses)
        light = groups.largest(1.0 / np.where(masses > SUM_ROUNDOFF * largest, masses, np.inf))
        middle = np.where(largest > 0.0, np.sqrt(largest / np.maximum(light, 1e-300)), self.heaviest or 1.0)
        return 1.0 / (middle * self.column_weight)

    @cached_property
    def stiff_rows(self) -> tuple[int, ...]:
        """The rows of Φ_v that the augmented Lagrangian makes stiff (`kkt`): rows with Φ_v z ≠ 0 for a motion z of one
        body that has no mass, or next to none. Other rows cannot restrict such a motion. A product that is 0 in a pose
        off all constraints is 0 in every pose: a ball on the axis of a rod does not feel the spin of the rod."""
        if not self.has_light_bodies or self.structure.transformed:
            return tuple(range(len(self.rows))) if self.has_light_bodies else ()
        step = self.length * np.sin(1.0 + np.arange(self.nv)) / np.sqrt(self.weight)
        machine, q = self.machine(), self.moved(self.placement, step)
        observe(machine, 0.0, q, self.still)
        pattern, motions = machine.pattern, self._massless_motions(q)
        entries = machine.factor.jacobian / np.sqrt(self.column_weight)[pattern.jac_column]
        scaled = sps.csr_matrix((entries, (pattern.jac_row, pattern.jac_column)), (pattern.m, pattern.n))
        lengths = np.sqrt(np.asarray(scaled.multiply(scaled).sum(axis=1)).ravel())
        felt = abs(scaled @ motions).max(axis=1).toarray().ravel()
        return tuple(np.flatnonzero(~(felt <= SUM_ROUNDOFF * lengths)).tolist())

    def _massless_motions(self, q: np.ndarray) -> sps.csc_matrix:
        """Return motions of single bodies without mass, or with next to none compared with their groups, at the pose q:
        one in each column, of unit length in the weights of columns. If M couples the velocities of a body in spatial
        Cartesian coordinates, it is, with m, I about the centre c of mass, and all velocities in body axes,

            [ m 1     -m ĉ             ]
            [ m ĉ      I + m (c·c - c cᵀ) ];

        in other coordinates each velocity of a coupled body counts as such a motion.
        """
        number, kernels = self.evaluator, self.coordinates.kernels
        alone, found = self.light_columns.copy(), list[tuple[np.ndarray, np.ndarray]]()
        *_, block_row, block_column = self.structure.entries(formed=True)
        coupled = np.isin(np.arange(alone.size), (block_row, block_column))
        largest = self.structure.groups.largest(self.diagonal / self.column_weight)
        still, separate = self.still[None], isinstance(kernels, Cartesian) and self.model.dimension == 3
        pose = self.to_bodies((q[None], still, still))[0] if separate else q
        for body in self.bodies:
            places = np.array([k for k in kernels.layout.v[body] if k < alone.size], dtype=np.int64)
            if not coupled[places].any():
                continue
            alone[places] = not separate
            if not separate:
                continue
            scale, mass = np.sqrt(self.column_weight[places]), number(body.mass)
            com, inertia = (np.array([[number(x) for x in row] for row in rows]) for rows in ([body.com], body.inertia))
            arm = np.cross(com, np.eye(3)).T  # arm @ u is com x u
            M = np.block([[mass * np.eye(3), -mass * arm], [mass * arm, inertia - mass * arm @ arm]])
            masses, motions = np.linalg.eigh(M / np.outer(scale, scale))
            motions = motions[:, masses <= LIGHT_MASS * largest[places].max()]
            motions[:3] = self.cartesian.layout.rotation(pose, body)[0] @ motions[:3]
            found += [(places, motion) for motion in motions.T]
        found += [(np.array([k]), np.ones(1)) for k in np.flatnonzero(alone).tolist()]
        ends = np.cumsum([0, *(places.size for places, _ in found)])
        rows, entries = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return sps.csc_matrix((entries, rows, ends), (alone.size, len(found)))

    def machine(self, dynamic: bool = False) -> Machine:
        """Return new work space for the compiled solves: one for each run, because systems can be shared. With
        `dynamic`, W is M."""
        return self.once(_machine_image, dynamic, False).new()

    @cached_property
    def numbers(self) -> dict[str, Any]:
        """The numbers of the design in a machine without transformation, by the names of their arrays."""
        own, number = self.structure, self.evaluator
        return {
            "program.batch.parameters": own.program.batch.numbers(number),
            "manifold.turning.parameters": own.turning.numbers(number),
            "norm": self.weight,
            "factor.weight": self.column_weight,
            "full_unit": self._full_unit(),
            "length": self.length,
            "extent": self._extent,
            "gap_size": self.gap_size,
        }

    def prototype(self, formed: bool) -> Machine:
        """Return the work space that every run with forces copies; with `formed`, M has entries (`Structure`)."""
        return self.once(System._machine, True, formed)

    @cached_property
    def augmented_prototype(self) -> Machine:
        """The work space that runs of models with light bodies copy: it factorises the augmented matrix (`kkt`)."""
        machine = self._machine(True, True, augmented=True)
        machine.factor.compliance[:] = self.compliance
        return machine

    def _machine(self, dynamic: bool, formed: bool, augmented: bool = False) -> Machine:
        columns, rows, layout, own = self.structure.columns, len(self.rows), self.layout, self.structure
        pattern = (own.formed_pattern if formed else own.mass_pattern) if dynamic else own.pattern
        pattern = own.augmented_pattern(self.stiff_rows) if augmented else pattern
        program, transformed = self.program, self.transformation(dynamic, formed)
        limbs = limbs_of(transformed) if pattern.tree.edges else NO_LIMBS
        machine = Machine(
            program=program,
            transformation=transformed,
            manifold=manifold_of(layout, self.structure.turning.fill(self.evaluator), transformed),
            pattern=pattern,
            factor=kkt.new_factor(pattern, self.column_weight, limbs),
            norm=self.weight,
            square=transformed.square if transformed.edges else np.zeros(rows if program.losses.rows.size else 0),
            full_unit=self._full_unit(),
            length=self.length,
            extent=self._extent,
            gap_size=self.gap_size,
        )
        sizes = {"q_size": layout.q_size, "v_size": layout.v_size, "outputs": program.batch.out_size + 1}
        return block(machine, columns=columns, rows=rows, either=max(columns, self.nv), **sizes)

    def _full_unit(self) -> np.ndarray:
        """Return reciprocal squared lengths of velocities, the ground's included; empty if no row loses entries."""
        if not self.structure.program.layout["full_row"].size:
            return np.zeros(0)
        return 1.0 / self.coordinates.kernels.all_weights(self.length)

    @cached_property
    def _extent(self) -> float:
        """The largest distance of the model from the origin; in the plane an angle counts as a length, too."""
        reach = np.abs(self._places).max(initial=0.0)
        if self.model.dimension == 2 and self.is_cartesian:
            reach = max(reach, (np.sqrt(self.weight) * np.abs(self.placement[: self.nv])).max())
        return self.length + float(reach)

    @cached_property
    def gap_size(self) -> float:
        """The length to which gaps that count as closed are relative: the own length l of the bodies that touch, and a
        small part of the extent E for roundoff.

        A gap is a sum of coordinates, each up to E, so an evaluation is off by some ε E, and Newton's method closes
        joints to 10 ε E (`TIGHT`); in a chain of a hundred bodies these errors add up to 1000 ε E = 2e-13 E. With
        `TOUCHES` = 1e-9 and `EXTENT_SHARE` = 1e-3 a gap counts as closed below 1e-9 l + 1e-12 E: at 10⁵ m from the
        origin a body of 1 m touches at 0.1 μm. Where points alone touch, without any length, l is the model's
        length."""
        own = max(self._longest(self.structure.lengths), self._longest(self.structure.lengths_of_shapes))
        return (own or self.length) + EXTENT_SHARE * self._extent

    @cached_property
    def row_units(self) -> np.ndarray:
        """The unit by which a residual of each row is measured: 1 rad, the model's length, or its square."""
        return np.array([self.length**row.power for row in self.rows])

    def rows_of(self, element: str) -> np.ndarray:
        """Return the numbers of the rows that belong to an element."""
        return self.structure.rows_of[element]

    def with_values(self, evaluator: Evaluator, model: Model) -> System:
        """Return the system of the same structure with other parameter values."""
        self.coordinates.check_values(evaluator)
        return replace(self, evaluator=evaluator, model=model)

    def reader(self, measures: Sequence[Measure]) -> Reader:
        """Return a reader of measures along a motion."""
        return self.reader_by(self.structure.builder_of(measures))

    def reader_of(self, relation: Relation, markers: tuple[Marker, ...], slots: Slots | None = None) -> Reader:
        """Return a reader of the rows of a relation between these markers, which need not be satisfied."""
        return self.reader_of_all([(relation, markers, slots or {})])

    def reader_of_all(self, relations: Sequence[tuple[Relation, tuple[Marker, ...], Slots]]) -> Reader:
        """Return a reader of the rows of several relations, each with its markers and slots, one behind the other; the
        relations need not be satisfied."""
        instances = [
            instance_of(relation, slots, markers, " and ".join(m.label for m in markers), self.coordinates.kernels)
            for relation, markers, slots in relations
        ]
        return self.reader_by(ProgramBuilder(self.structure.batch(instances), self.nv))

    def reader_by(self, builder: ProgramBuilder, swept: PoseSequence | None = None) -> Reader:
        """Return a reader of a program: at the present values of parameters, or at each of the swept values."""
        designs = builder.batch.numbers_along(self.evaluator, *swept) if swept else NO_DESIGNS
        varied = partial(read_varied, self.structure, builder.batch, self.evaluator, swept=swept)
        return Reader(builder.fill(self.evaluator), self.nv, self.layout.v_size, designs, varied)

    def read_constraints(self, t: np.ndarray, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        """Return Φ, Φ̇ and Φ̈ of every row at every time, shape (3, times, rows)."""
        if self.coordinates.kernels is not self.coordinates:
            q, v, a = self.to_bodies((q, v, a))
        return Reader(self.program, self.nv, self.layout.v_size, NO_DESIGNS)(t, q, v, a)

    def residuals(self, number: Evaluator, t: float, q: np.ndarray) -> np.ndarray:
        """Return Φ at a pose, with other values of the parameters."""
        machine = self.machine()
        machine.program.batch.parameters[:] = self.structure.program.batch.numbers(number)
        observe(machine, t, q, self.still)
        return machine.phi

    def read_values(
        self, reading: Reading, slots: Slots, markers: tuple[Marker, ...], t: np.ndarray, q: Any, v: Any
    ) -> Any:
        """Return the values of a reading on these markers, one row for each time."""
        who = " and ".join(m.label for m in markers)
        instance = instance_of(reading, slots, markers, who, self.coordinates.kernels)
        builder = self.structure.batch([instance])
        return self.outputs_of(builder, t, q, v)[:, : builder.groups[0].kernel.layout["values"]]

    def outputs_of(
        self, builder: BatchBuilder, t: np.ndarray, q: Any, v: Any, sums: sps.csr_matrix | None = None
    ) -> Any:
        """Return all outputs of a batch, or sums of them, one row for each time; with derivatives if the motion varies
        with parameters."""
        if isinstance(q, Dual):
            return read_varied(self.structure, builder, self.evaluator, t, q, v, sums=sums)
        found = read_outputs(builder.fill(self.evaluator), t, q, v)
        return found if sums is None else found @ sums

    def jacobian(self, t: float, q: np.ndarray) -> sps.csr_matrix:
        """Return Φ_v at a pose."""
        machine, shape = self.machine(), (len(self.rows), self.structure.columns)
        observe(machine, float(t), np.ascontiguousarray(q, dtype=float), self.still)
        return sps.csr_matrix((machine.factor.jacobian.copy(), (self.pattern.jac_row, self.pattern.jac_column)), shape)

    @cached_property
    def raised(self) -> list[Raised]:
        """For each Python force, its last exception, since no exception can pass through compiled code."""
        return [g.kernel.raised for g in self.structure.dynamics.batch.groups if isinstance(g.kernel, PythonKernel)]

    def forget_errors(self) -> None:
        """Clear the exceptions of Python forces before a run: those of another run do not concern it."""
        for raised in self.raised:
            raised.error = None

    def interrupted(self) -> bool:
        """Return whether Ctrl-C came inside a Python force."""
        return any(isinstance(raised.error, KeyboardInterrupt) for raised in self.raised)


def _machine_image(system: System, dynamic: bool, formed: bool) -> Image:
    """Return the image of a machine. Without transformation one image serves all designs of a structure: only the
    numbers are filled in."""
    own = system.structure
    if dynamic or isinstance(own.coordinates, JointCoordinates):
        return Image(system.once(System._machine, dynamic, formed))
    return own.kept(Image, lambda: Image(system._machine(False, False))).filled(system.numbers)


def compile_model(model: Model, coordinates: str, **tree: Any) -> System:
    return System(model, structure_in(model, coordinates, **tree), model.evaluator())
