"""Work space for the stages of eight runs of one structure, side by side, and how it is filled. Compiled."""

from typing import Any, NamedTuple

import numpy as np

from ...compiled.batch import Batch, WideBatch, in_lanes
from ...compiled.dynamics import SCALARS
from ...compiled.machine import EVALUATIONS, FACTORISATIONS
from ...kernels.abi import compiled
from ...kernels.blocks import Integers, Vector, block
from ...kernels.lanes import Lanes, get, lanes, put
from ...kernels.llvm import LANES
from ...linear.vectors import copy
from ..course import SPAN
from ..derivative import copy_forces
from ..mechanism_record import Mechanism
from ..methods.method import END, LONGEST, H, Stages, T, Tableau
from ..record import NEXT, IntegratorState
from .elimination import WideFactor, wide_factor


class LaneStep(NamedTuple):
    """The step of each lane, and measures of the step."""

    now: Lanes
    """The time at which laws are evaluated."""
    begin: Lanes
    """The time at which the step begins."""
    h: Lanes
    """The length of the step."""
    end: Lanes
    """The time at which the step ends."""
    span: Lanes
    """The first and the last moment of the span of smooth laws in which the step lies."""
    gains: Lanes
    nearness: Lanes
    doubt: Lanes
    """Not 0 if a stage met a condition that its run has to decide alone."""
    norm: Lanes
    full_unit: Lanes
    square: Lanes


class LaneStates(NamedTuple):
    """The states of a step, side by side."""

    y0: Lanes
    y1: Lanes
    between: Lanes
    k: Lanes
    """y' at the nodes, one node after the other."""
    estimate: Lanes
    """The estimates of the error, one row after the other."""
    sines: Lanes
    weights: Lanes
    """The step times the weights of a stage."""


class LaneEquations(NamedTuple):
    """The equations of motion at a stage, side by side."""

    phi: Lanes
    nu: Lanes
    gamma: Lanes
    f: Lanes
    g: Lanes
    x: Lanes
    multipliers: Lanes
    scalars: Lanes


class LaneRun(NamedTuple):
    """The work space and the parameters of eight runs that make their steps side by side.

    Index maps are those of `mechanism`, the first of the runs; none of its numbers is read."""

    mechanism: Mechanism
    tableau: Tableau
    constraints: WideBatch
    forces: WideBatch
    inputs: WideBatch
    turning: WideBatch
    factor: WideFactor
    active: Integers
    """1 for each lane that makes a step now."""
    step: LaneStep
    states: LaneStates
    equations: LaneEquations


def abreast(march: IntegratorState) -> LaneRun | None:
    """Return lanes for runs of the structure of this one; None where lanes do not support it: coordinates follow from
    those of joints, forces are functions in Python, rates read reactions, or the method is not explicit."""
    mechanism, tableau, state = march.mechanism, march.tableau, march.mechanism.state
    machine, signals = mechanism.machine, mechanism.signals
    special = machine.transformation.edges > 0 or signals.late.target.size or signals.reactions.target.size
    if special or tableau.means or march.stages.implicit.weight.size:
        return None
    batches = machine.program.batch, mechanism.dynamics.batch, signals.inputs.batch, machine.manifold.turning
    wide = [made for batch in batches if (made := in_lanes(batch)) is not None]
    if len(wide) < len(batches):
        return None
    m, nodes, width = machine.pattern.m, march.stages.k.shape[0], state.size
    sizes = {"now": 1, "begin": 1, "h": 1, "end": 1, "span": 2, "gains": 2, "nearness": 4, "doubt": 1}
    sizes |= {"norm": machine.norm.size, "full_unit": machine.full_unit.size, "square": machine.square.size}
    sizes |= {"y0": width, "y1": width, "between": width, "k": nodes * width, "estimate": 2 * width}
    sizes |= {"sines": nodes, "weights": nodes, "f": machine.pattern.n, "x": machine.x.size, "scalars": SCALARS}
    sizes |= dict.fromkeys(("phi", "nu", "gamma", "g", "multipliers"), m)
    arrays = dict(zip(sizes, lanes(*sizes.values()), strict=True))
    arrays["h"][:] = arrays["nearness"][:] = 1.0
    own: Any = [kind(**{name: arrays[name] for name in kind._fields}) for kind in (LaneStep, LaneStates, LaneEquations)]
    constraints, forces, inputs, turning = wide
    factor, active = wide_factor(machine.pattern), np.zeros(LANES, dtype=np.int64)
    return block(LaneRun(mechanism, tableau, constraints, forces, inputs, turning, factor, active, *own))


@compiled
def give(x: Vector, lane: int, wide: Vector) -> None:
    """Put x into a lane."""
    for k in range(x.size):
        put(wide, k, lane, x[k])


@compiled
def take(wide: Vector, lane: int, x: Vector) -> None:
    """Take x out of a lane."""
    for k in range(x.size):
        x[k] = get(wide, k, lane)


@compiled
def enter(abreast: LaneRun, march: IntegratorState, lane: int) -> None:
    """Give a lane to another run: put the numbers that are constant in all its steps."""
    mechanism, machine = march.mechanism, march.mechanism.machine
    give(machine.program.batch.parameters, lane, abreast.constraints.parameters)
    give(mechanism.dynamics.batch.parameters, lane, abreast.forces.parameters)
    give(mechanism.signals.inputs.batch.parameters, lane, abreast.inputs.parameters)
    give(machine.manifold.turning.parameters, lane, abreast.turning.parameters)
    give(machine.factor.soft, lane, abreast.factor.soft)
    give(machine.factor.compliance, lane, abreast.factor.compliance)
    give(machine.norm, lane, abreast.step.norm)
    give(machine.full_unit, lane, abreast.step.full_unit)


@compiled
def load(abreast: LaneRun, march: IntegratorState, lane: int) -> None:
    """Put the step that the run has proposed, and the branches of laws that it holds, into its lane."""
    step = abreast.step
    mechanism, course, stages = march.mechanism, march.course, march.stages
    span, y = course.at[SPAN], stages.y0
    put(step.begin, 0, lane, stages.now[T])
    put(step.h, 0, lane, stages.now[H])
    put(step.end, 0, lane, march.stages.now[END])
    put(step.span, 0, lane, course.first[span])
    put(step.span, 1, lane, course.last[span])
    give(mechanism.gains, lane, step.gains)
    give(mechanism.nearness, lane, step.nearness)
    give(mechanism.machine.factor.kept, lane, abreast.factor.kept)
    give(y, lane, abreast.states.y0)
    give(stages.k[0], lane, abreast.states.k)
    _hold(mechanism.machine.program.batch, abreast.constraints, lane)
    _hold(mechanism.dynamics.batch, abreast.forces, lane)


@compiled
def _hold(batch: Batch, wide: WideBatch, lane: int) -> None:
    for k in range(batch.mode_at.size):
        put(wide.parameters, batch.mode_at[k], lane, batch.parameters[batch.mode_at[k]])


@compiled
def unload(abreast: LaneRun, march: IntegratorState, lane: int) -> None:
    """Take the stages of the step out of a lane, and leave the mechanism as if the run had made them alone. The stages
    inside are taken only if the step is read between its ends."""
    states = abreast.states
    mechanism, stages, end = march.mechanism, march.stages, march.tableau.stages
    factor, counts = mechanism.machine.factor, mechanism.machine.counts
    is_read = march.search.calls.search_step != 0 or march.record.times[march.counts[NEXT]] < march.stages.now[END]
    take(states.y1, lane, stages.y1)
    take(states.between, lane, stages.between)
    take_inner(abreast, march, lane, 1 if is_read else end - 1)
    _take_estimate(abreast, stages, lane)
    take(states.sines[1:], lane, stages.sines[1:end])
    stages.sines[end] = stages.sines[end - 1]
    stages.now[LONGEST] = np.inf
    take(abreast.step.nearness, lane, mechanism.nearness)
    take(abreast.factor.weight, lane, factor.weight)
    take(abreast.factor.beside, lane, factor.beside)
    counts[EVALUATIONS] += end - 1
    counts[FACTORISATIONS] += end - 1


@compiled
def take_inner(abreast: LaneRun, march: IntegratorState, lane: int, first: int) -> None:
    """Take y' at the nodes of the step, from node `first` on, out of a lane."""
    stages = march.stages
    for s in range(first, march.tableau.stages):
        take(abreast.states.k[s * stages.y0.size :], lane, stages.k[s])


@compiled
def _take_estimate(abreast: LaneRun, stages: Stages, lane: int) -> None:
    width = stages.y0.size
    for row in range(stages.tableau.error.shape[0]):
        take(abreast.states.estimate[row * width :], lane, stages.estimate[row])


@compiled
def load_end(abreast: LaneRun, march: IntegratorState, lane: int) -> None:
    """Put the end of the step, after stabilisation, into a lane."""
    give(march.stages.y1, lane, abreast.states.y1)


@compiled
def unload_end(abreast: LaneRun, march: IntegratorState, lane: int) -> None:
    """Take y' at the end of the step out of a lane, and leave the mechanism as if the run had evaluated it alone."""
    equations = abreast.equations
    mechanism, record, stages = march.mechanism, march.record, march.stages
    machine, factor, end = mechanism.machine, mechanism.machine.factor, march.tableau.stages
    take(abreast.states.y1, lane, stages.y1)
    take(abreast.states.k[end * stages.y0.size :], lane, stages.k[end])
    if march.tableau.end_in_error:
        _take_estimate(abreast, stages, lane)
    pairs = (
        (equations.phi, machine.phi), (equations.nu, machine.nu), (equations.gamma, machine.gamma),
        (abreast.step.square, machine.square), (equations.multipliers, machine.multipliers),
        (equations.scalars, mechanism.scalars), (abreast.step.nearness, mechanism.nearness),
        (abreast.factor.jacobian, factor.jacobian), (abreast.factor.row_square, factor.row_square),
        (abreast.factor.independence, factor.independence), (abreast.factor.share, factor.share),
        (abreast.factor.weight, factor.weight), (abreast.factor.beside, factor.beside),
    )  # fmt: skip
    for wide, own in pairs:
        take(wide, lane, own)
    copy(machine.multipliers, record.end_multipliers)
    copy_forces(mechanism.contacts, record.end_contacts)
    copy(mechanism.scalars, record.end_scalars)
    machine.counts[EVALUATIONS] += 1
    machine.counts[FACTORISATIONS] += 1
