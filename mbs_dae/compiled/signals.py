"""Inputs and the rates of states, ready to be evaluated: values of expressions, and where they go. Compiled.

All signals stand at the end of q, in the same order in all coordinates.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ..coordinates import KernelCoordinates, Layout
from ..kernels.abi import compiled, compiled_apart
from ..kernels.blocks import Integers, Vector, Work, block, zeros
from ..model.parameters import Effort, Evaluator, Signal
from ..model.signals import Input, SignalElement, StateVariable
from ..symbolic.markers import t
from .batch import VALUE, Batch, BatchBuilder, Instance, evaluate, instance_of


class Assignment(NamedTuple):
    """Expressions, and where the value of each is put."""

    batch: Batch
    source: Integers
    target: Integers
    out: Work[Vector] = zeros("outputs")


class Signals(NamedTuple):
    """What changes the signals of a model."""

    inputs: Assignment
    """At their places in q."""
    drifts: Assignment
    """The rates of inputs, at their places in q̇: of those that change."""
    rates: Assignment
    """Those of states, at the places of these in q̇, to be read. In a run they come with the forces (`dynamics`),"""
    late: Assignment
    """but for those that read efforts."""
    effort_row: Integers
    """The rows whose multipliers are read, as efforts -λ, and their places in q."""
    effort_to: Integers
    signals: int
    """How many there are."""


@compiled_apart
def assign(assignment: Assignment, t: float, q: Vector, v: Vector, to: Vector):
    """Put all values at (t, q, v) where they belong."""
    if assignment.target.size > 0:
        evaluate(assignment.batch, VALUE, t, q, v, assignment.out)
        for k in range(assignment.target.size):
            to[assignment.target[k]] = assignment.out[assignment.source[k]]


@compiled
def take_signals(signals, of, to):
    """From one q to another, which may be in other coordinates."""
    for k in range(1, signals.signals + 1):
        to[to.size - k] = of[of.size - k]


class AssignmentBuilder:
    """The index maps, laid out once; `fill` puts numbers in."""

    def __init__(
        self, elements: Sequence[SignalElement], targets: Sequence[Sequence[int]], coordinates: KernelCoordinates,
        batch: Callable[[Sequence[Instance]], BatchBuilder],
    ):  # fmt: skip
        """The value of every expression of an element goes to the target in its place."""
        instances = [instance_of(*e.form(), e.markers, e.who, coordinates) for e in elements]
        self.batch = batch(instances)
        pairs = [(place.out + k, to) for place in self.batch.places() for k, to in enumerate(targets[place.member])]
        self.source, self.target = np.array(pairs, dtype=np.int64).reshape(-1, 2).T.copy()

    def fill(self, number: Evaluator) -> Assignment:
        batch = self.batch.fill(number)
        return block(Assignment(batch, self.source, self.target), outputs=batch.out_size + 1)


class SignalsBuilder:
    """The same for all signals of a model in some coordinates."""

    def __init__(
        self, inputs: Sequence[Input], states: Sequence[StateVariable],
        batch: Callable[[Sequence[Instance]], BatchBuilder], coordinates: KernelCoordinates, layout: Layout,
        rows: Mapping[str, int],
    ):  # fmt: skip
        """`rows` are those whose multipliers are efforts, by the names of drivers."""
        moving = [state for state in states if not state.is_held]
        places: Mapping[Signal, int] = layout.signals

        def builder(ones: Sequence[Input] | Sequence[StateVariable]) -> AssignmentBuilder:
            return AssignmentBuilder(ones, [[places[one.symbol]] for one in ones], coordinates, batch)

        self.inputs, self.rates = builder(inputs), builder(moving)
        self.drifts = builder([one.rate for one in inputs if one.law.has(t)])
        self.late = builder([state for state in moving if state.is_late])
        read = [(rows[signal.driver], place) for signal, place in places.items() if isinstance(signal, Effort)]
        self.effort_row, self.effort_to = np.array(read, dtype=np.int64).reshape(-1, 2).T.copy()
        self.count = len(places)

    def fill(self, number: Evaluator) -> Signals:
        inputs, drifts, rates, late = (one.fill(number) for one in (self.inputs, self.drifts, self.rates, self.late))
        return block(Signals(inputs, drifts, rates, late, self.effort_row, self.effort_to, self.count))
