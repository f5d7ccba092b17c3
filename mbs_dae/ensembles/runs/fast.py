"""Run members of a study without a call of the verb for each: compute the differing numbers of all members at once, and
put them into workspaces that are used again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ...arguments import open_tables, system_of
from ...compiled import System
from ...compiled.reading import farthest_off
from ...compiled.status import DONE
from ...coordinates import Cartesian
from ...errors import MbsError
from ...explain.accuracy import energy_allowed, relative_violations, violation_allowed
from ...explain.axes import doubtful_angles, lost_turns
from ...kernels import work
from ...model.breaks import bends, switches
from ...model.forces.loads import PythonForce
from ...motion import members
from ...motion.control import Control
from ...motion.members.starts import States
from ...motion.outcome import is_singular
from ...poses.trajectories import attitude_drivers
from ...results.quantities import ledger
from ...verbs.simulate import prepare
from .motions import MotionWorkspaces, WalkWorkspaces
from .numbers import MemberNumbers, MemberRows, columns_of, sound
from .reading import read_kept
from .recipe import Recipe

SLICE = 128
"""The number of members that are run before their motions are checked together."""


@dataclass(frozen=True, eq=False)
class MemberRecord:
    """The arrays of a member, and the facts of its result (None if reading the member means running it again)."""

    arrays: dict[str, np.ndarray]
    facts: Any


Outcome = MemberRecord | Exception | None
"""The results of a member, its error, or None if the verb is to run the member."""


def ordinary_members(recipe: Recipe, designs: np.ndarray, stopped: Callable[[], bool]) -> Iterator[tuple[int, Outcome]]:
    """Yield the outcomes of all members of these designs, in any order."""
    for first in range(0, len(designs), SLICE):
        rows = np.arange(first, min(first + SLICE, len(designs)))
        quick = rows[np.isfinite(designs[rows]).all(axis=1)] if recipe.once(_is_quick) else rows[:0]
        pool = recipe.once(_workspaces)
        workspace: MotionWorkspaces | WalkWorkspaces | None = None
        done = set[int]()
        if quick.size:
            try:
                workspace = pool.pop()  # another thread may have emptied the pool
            except IndexError:
                workspace = _workspace(recipe, designs[quick])
        if workspace is not None:
            try:
                for k, outcome in _members(recipe, workspace, designs[quick], stopped):
                    done.add(int(quick[k]))
                    yield int(quick[k]), outcome
            finally:
                pool.append(workspace)
        if stopped():
            return
        yield from ((int(k), None) for k in rows if int(k) not in done)


def _is_quick(recipe: Recipe) -> bool:
    """Return whether members qualify for fast runs, as far as the recipe alone decides."""
    system, initial = recipe.system, recipe.initial
    if (recipe.options or {}).get("derivatives"):
        return False  # the verb differentiates a member
    if recipe.verb == "simulate" and (initial is None or isinstance(initial, Mapping)):
        if not _is_ordinary(system) or any(map(bends, system.model.elements.values())):
            return False  # the verb runs laws of time with kinks, and forces that switch with the motion
        return not system.structure.dynamics.batch.switching
    return recipe.verb == "kinematics" and initial is None and not recipe.options and _is_ordinary(system)


def _is_ordinary(system: System) -> bool:
    """Return whether the model has only bodies, joints, drivers and smooth forces, in Cartesian coordinates. The verbs
    run models with states, inputs, events, contacts, tables, switching laws, driven attitudes or Python forces."""
    model, structure = system.model, system.structure
    if not isinstance(system.coordinates, Cartesian) or system.layout.signals or not system.nv:
        return False
    if model.contacts or model.frictions or model.events or structure.switching or attitude_drivers(model):
        return False
    if structure.once(open_tables) or doubtful_angles(system):
        return False
    if any(isinstance(e, PythonForce) or switches(e) for e in model.elements.values()):
        return False
    return not structure.program.batch.switching


def _workspaces(recipe: Recipe) -> list[Any]:
    """Return the pool of workspaces that no thread uses, empty at first; `recipe.once` keeps the list."""
    return []


def _workspace(recipe: Recipe, designs: np.ndarray) -> MotionWorkspaces | WalkWorkspaces | None:
    """Return a new workspace for the members of a recipe; None if no member can start, or the model needs the verb."""
    work.ask_for(members.__name__)
    if recipe.verb == "kinematics":
        return WalkWorkspaces(recipe.system, recipe.times)
    for row in designs:
        thing, initial = recipe.variation(row), recipe.initial_of(row)
        try:
            new_run = partial(prepare, thing, recipe.times, initial, **dict(recipe.options or {}))
            workspace = MotionWorkspaces(recipe.system, new_run, tuple(initial or ()))
        except MbsError:
            continue
        march = workspace.prepared.march
        light = workspace.moving.has_light_bodies or march.mechanism.machine.factor.compliance.size
        # the solver for light bodies has another sparsity pattern, hence other roundoff
        if not (light or workspace.prepared.redundant or march.stages.implicit.weight.size or march.tableau.means):
            return workspace
    return None


def _members(
    recipe: Recipe, workspace: MotionWorkspaces | WalkWorkspaces, designs: np.ndarray, stopped: Callable[[], bool]
) -> Iterator[tuple[int, Outcome]]:
    columns = columns_of(recipe.system, recipe.names, designs, {})
    good = np.flatnonzero(sound(recipe.system, columns, designs))
    if not good.size:
        return
    if isinstance(workspace, MotionWorkspaces):
        outcomes = _motions(recipe, workspace, designs[good], stopped)
    else:
        outcomes = _walks(recipe, workspace, designs[good], stopped)
    yield from ((int(good[k]), outcome) for k, outcome in outcomes)


@dataclass(frozen=True, eq=False)
class Slice:
    """Members whose motions are checked together."""

    recipe: Recipe
    designs: np.ndarray
    numbers: MemberNumbers
    workspace: MotionWorkspaces | WalkWorkspaces
    rows: MemberRows

    def outcomes(
        self, states: States, lost: Iterator[tuple[int, Exception | None]], sound: Callable[[np.ndarray], np.ndarray]
    ) -> Iterator[tuple[int, Outcome]]:
        """Yield the outcomes of members that start from these states: first of those that fail on the way, then of
        those that come to their end and pass `sound`. After Ctrl-C, yield the outcomes so far and raise the interrupt
        again."""
        ended: KeyboardInterrupt | None = None
        try:
            yield from lost
        except KeyboardInterrupt as stop:
            ended = stop
        if (done := np.flatnonzero(states.state == DONE)).size:
            yield from self._finished(done[sound(done)])
        if ended is not None:
            raise ended

    def _finished(self, done: np.ndarray) -> Iterator[tuple[int, Outcome]]:
        """Yield the stored values of these members, or their errors; skip members whose angles are doubtful."""
        recipe, arrays, numbers = self.recipe, self.rows.arrays, self.numbers
        fine = [
            k for k in done.tolist()
            if not lost_turns(numbers.system, numbers.columns.at(k), recipe.times, arrays["q"][k])
        ]  # fmt: skip
        if recipe.outputs is None and recipe.function is None:
            for k in fine:
                yield k, MemberRecord({name: rows[k] for name, rows in arrays.items()}, self.facts(k))
            return
        for k, values in read_kept(recipe, numbers.columns, self.designs, arrays, self.facts, fine):
            yield k, MemberRecord(values, None) if isinstance(values, dict) else values

    def facts(self, k: int) -> dict[str, Any] | None:
        """Return facts of a member's result besides its arrays; None if the verb reports more."""
        return self.workspace.facts(self.numbers, self.rows, k)


def _motions(
    recipe: Recipe, workspace: MotionWorkspaces, designs: np.ndarray, stopped: Callable[[], bool]
) -> Iterator[tuple[int, Outcome]]:
    def columns(system: Any, more: Mapping[str, Any]) -> Any:
        return columns_of(system, recipe.names, designs, more)

    free = MemberNumbers(recipe.system, columns(recipe.system, {}))
    varied = {name: designs[:, k] for k, name in enumerate(recipe.names) if k not in recipe.parameters}
    starts = workspace.starts(free, {**(recipe.initial or {}), **varied}, columns)
    states, rows = workspace.states(starts), workspace.rows(len(designs))

    def error_of(march: Any, k: int, status: int) -> MbsError | None:
        row = designs[k]
        try:
            system = system_of(recipe.variation(row))
            workspace.refuse(march, system, recipe.initial_of(row), states.q[k], states.v[k], status)
        except MbsError as error:
            return error
        return None

    def sound(done: np.ndarray) -> np.ndarray:
        # A motion is doubtful if it is nearly singular, loses energy or violates constraints. The verb runs its member
        # again and reports what is wrong, if anything is.
        arrays, control = rows.arrays, workspace.prepared.march.control
        doubtful = np.asarray(is_singular(arrays["independence"][done]).any(axis=1))
        error = np.abs(ledger(arrays["energies"][done]).error).max(axis=0)  # of the energy balance, whatever its scale
        doubtful |= ~(error <= energy_allowed(control) * rows.counters["turned"][done, 0])
        doubtful |= _violates(free, done, recipe.times, arrays["q"][done], arrays["v"][done], control)
        return ~doubtful

    lost = workspace.run(free, states, rows, partial(recipe.clock, stopped), error_of)
    yield from Slice(recipe, designs, free, workspace, rows).outcomes(states, lost, sound)


def _violates(
    numbers: MemberNumbers, rows: np.ndarray, t: np.ndarray, q: np.ndarray, v: np.ndarray, control: Control
) -> np.ndarray:  # fmt: skip
    """Return whether each member violates its constraints by more than its tolerances allow, shape (members,);
    `rows` are the numbers of the members."""
    system, count, flat = numbers.system, len(rows), (q.shape[0] * q.shape[1], -1)
    program, lengths = system.structure.program.fill(system.evaluator), np.array(numbers.lengths)[rows]
    gaps, rates = np.zeros((2, count, program.rows))
    work = np.zeros(program.batch.out_size + 1), np.zeros(program.rows)
    farthest_off(program, numbers.program[rows], t, q.reshape(flat), v.reshape(flat), *work, gaps, rates)
    units = lengths[:, None] ** [row.power for row in system.rows]
    fastest = (numbers.weights[rows] * (v[:, :, : system.nv] ** 2).max(axis=1)).max(axis=1, initial=0.0)
    pace = np.sqrt(fastest) / lengths
    worst = (off.max(axis=1, initial=0.0) for off in relative_violations(gaps, rates, units, pace[:, None]))
    return ~(np.maximum(*worst) <= violation_allowed(control))


def _walks(
    recipe: Recipe, workspace: WalkWorkspaces, designs: np.ndarray, stopped: Callable[[], bool]
) -> Iterator[tuple[int, Outcome]]:
    numbers = MemberNumbers(recipe.system, columns_of(recipe.system, recipe.names, designs, {}))
    states, rows = workspace.states(numbers), workspace.rows(len(designs))
    lost = workspace.run(numbers, states, rows, partial(recipe.clock, stopped))
    yield from Slice(recipe, designs, numbers, workspace, rows).outcomes(states, lost, lambda done: done >= 0)
