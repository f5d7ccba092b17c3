"""Inputs and the rates of states: values of expressions, and their places in q. Compiled.

All signals stand at the end of q, in the same order in all coordinates.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ..coordinates import KernelCoordinates, Layout
from ..kernels.abi import compiled, compiled_apart
from ..kernels.blocks import Integers, Vector, Work, block, zeros
from ..model.joints.base import Condition
from ..model.parameters import Evaluator, Reaction, Signal
from ..model.signals import EFFORT, Input, SignalElement, StateVariable
from ..results.names import COMPONENTS
from ..symbolic.loads import joint_wrenches
from ..symbolic.markers import t
from .batch import VALUE, Batch, BatchBuilder, Instance, evaluate, instance_of


class Assignment(NamedTuple):
    """Expressions, and the place of the value of each."""

    batch: Batch
    source: Integers
    target: Integers
    out: Work[Vector] = zeros("outputs")


class ReadReactions(NamedTuple):
    """The forces and torques of joints and drivers that rates of states read: sums of coefficients times
    multipliers."""

    batch: Batch
    """The reactions for multipliers of 1."""
    source: Integers
    """The coefficient of each term; the coefficient of an effort, -1, stands before those of the batch."""
    row: Integers
    """The multiplier of each term."""
    target: Integers
    """The place in q to which each term is added."""
    coefficients: Work[Vector] = zeros("outputs")


class Signals(NamedTuple):
    """The values and rates of the signals of a model."""

    inputs: Assignment
    """The values of inputs, with their places in q."""
    drifts: Assignment
    """The rates of inputs that change with time, with their places in q̇."""
    rates: Assignment
    """The rates of states, with their places in q̇, for readings. In a run the forces (`dynamics`) include all of
    these rates but the late ones."""
    late: Assignment
    """The rates of states that read reactions, with their places in q̇."""
    reactions: ReadReactions
    signals: int
    """The number of signals."""


@compiled_apart
def assign(assignment: Assignment, t: float, q: Vector, v: Vector, to: Vector) -> None:
    """Put all values at (t, q, v) into their places in `to`."""
    if assignment.target.size > 0:
        evaluate(assignment.batch, VALUE, t, q, v, assignment.out)
        for k in range(assignment.target.size):
            to[assignment.target[k]] = assignment.out[assignment.source[k]]


@compiled_apart
def read_coefficients(reactions: ReadReactions, t: float, q: Vector, v: Vector) -> None:
    """Evaluate the coefficients of reactions at (t, q, v) of bodies."""
    reactions.coefficients[0] = -1.0
    evaluate(reactions.batch, VALUE, t, q, v, reactions.coefficients[1:])


@compiled_apart
def put_reactions(reactions: ReadReactions, t: float, q: Vector, v: Vector, multipliers: Vector, to: Vector) -> None:
    """Put reactions, for (t, q, v) of bodies and these multipliers, into their places in `to`, q of the run."""
    coefficients = reactions.coefficients
    read_coefficients(reactions, t, q, v)
    for k in range(reactions.target.size):
        to[reactions.target[k]] = 0.0
    for k in range(reactions.target.size):
        to[reactions.target[k]] += coefficients[reactions.source[k]] * multipliers[reactions.row[k]]


@compiled
def take_signals(signals: Signals, of: Vector, to: Vector) -> None:
    """Copy the signals of one q to another, which may be in other coordinates."""
    for k in range(1, signals.signals + 1):
        to[to.size - k] = of[of.size - k]


class AssignmentBuilder:
    """Lay out the index maps of an assignment once; `fill` puts numbers in."""

    def __init__(
        self, elements: Sequence[SignalElement], targets: Sequence[Sequence[int]], coordinates: KernelCoordinates,
        batch: Callable[[Sequence[Instance]], BatchBuilder],
    ):  # fmt: skip
        """`targets` has, for each element, the place of the value of each of its expressions."""
        instances = [instance_of(*e.form(), e.markers, e.who, coordinates) for e in elements]
        self.batch = batch(instances)
        pairs = [(place.out + k, to) for place in self.batch.places() for k, to in enumerate(targets[place.member])]
        self.source, self.target = np.array(pairs, dtype=np.int64).reshape(-1, 2).T.copy()

    def fill(self, number: Evaluator) -> Assignment:
        batch = self.batch.fill(number)
        return block(Assignment(batch, self.source, self.target), outputs=batch.out_size + 1)


class ReactionsBuilder:
    """Lay out the index maps of reactions that signals read once; `fill` puts numbers in."""

    def __init__(
        self, read: Mapping[Reaction, int], batch: Callable[[Sequence[Instance]], BatchBuilder],
        coordinates: KernelCoordinates, conditions: Mapping[str, Condition], rows: Mapping[str, Integers],
    ):  # fmt: skip
        felt = [conditions[name] for name in dict.fromkeys(s.owner for s in read if s.component != EFFORT)]
        self.batch = batch([_wrenches(condition, coordinates) for condition in felt])
        begins = {felt[place.member].name: place.out for place in self.batch.places()}
        terms = []
        for signal, place in read.items():
            own, condition = rows[signal.owner], conditions[signal.owner]
            if signal.component == EFFORT:
                terms.append((0, own[0], place))
                continue
            names = COMPONENTS[condition.dimension]
            width, first = len(names) * len(condition.markers), len(names) * condition.second
            at = 1 + begins[condition.name] + first + names.index(signal.component)
            terms += [(at + width * k, row, place) for k, row in enumerate(own)]
        self.source, self.row, self.target = np.array(terms, dtype=np.int64).reshape(-1, 3).T.copy()

    def fill(self, number: Evaluator) -> ReadReactions:
        batch = self.batch.fill(number)
        return block(ReadReactions(batch, self.source, self.row, self.target), outputs=batch.out_size + 2)


def _wrenches(condition: Condition, coordinates: KernelCoordinates) -> Instance:
    relation, slots = condition.form()
    return instance_of(joint_wrenches(relation), slots, condition.markers, condition.who, coordinates)


class SignalsBuilder:
    """Lay out the index maps of all signals of a model, in some coordinates, once; `fill` puts numbers in."""

    def __init__(
        self, inputs: Sequence[Input], states: Sequence[StateVariable],
        batch: Callable[[Sequence[Instance]], BatchBuilder], coordinates: KernelCoordinates, layout: Layout,
        conditions: Mapping[str, Condition], rows: Mapping[str, Integers],
    ):  # fmt: skip
        """`rows` maps the name of each condition to its rows."""
        moving = [state for state in states if not state.is_held]
        places: Mapping[Signal, int] = layout.signals

        def builder(ones: Sequence[Input] | Sequence[StateVariable]) -> AssignmentBuilder:
            return AssignmentBuilder(ones, [[places[one.symbol]] for one in ones], coordinates, batch)

        self.inputs, self.rates = builder(inputs), builder(moving)
        self.drifts = builder([one.rate for one in inputs if one.law.has(t)])
        self.late = builder([state for state in moving if state.is_late])
        read = {signal: place for signal, place in places.items() if isinstance(signal, Reaction)}
        self.reactions = ReactionsBuilder(read, batch, coordinates, conditions, rows)
        self.count = len(places)

    def numbers(self, number: Evaluator) -> dict[str, np.ndarray]:
        """Return the numbers of a design in the slots of all batches, by the names of their arrays."""
        batches = {name: getattr(self, name).batch for name in ("inputs", "drifts", "rates", "late", "reactions")}
        return {f"{name}.batch.parameters": one.numbers(number) for name, one in batches.items() if one.instances}

    def fill(self, number: Evaluator) -> Signals:
        inputs, drifts, rates, late = (one.fill(number) for one in (self.inputs, self.drifts, self.rates, self.late))
        return block(Signals(inputs, drifts, rates, late, self.reactions.fill(number), self.count))
