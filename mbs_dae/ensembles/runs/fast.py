"""Members of a study without a call of the verb for each: what differs is computed for all at once, and put into
workspaces that stay."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ...arguments import system_of
from ...compiled.status import DONE
from ...errors import MbsError
from ...kernels import work
from ...motion import members
from ...motion.members.starts import States
from ...verbs.simulate import Prepared, prepare
from . import checks
from .kept import Rows
from .motions import Motions
from .numbers import Numbers, columns_of, sound
from .ordinary import is_ordinary, moves_smoothly
from .poses import Walks
from .reading import read_kept
from .recipe import Recipe

SLICE = 128
"""So many members are run before they are looked at together."""


@dataclass(frozen=True, eq=False)
class Kept:
    """What a member leaves: its arrays, and what its result tells besides (None: it is made again to be read)."""

    arrays: dict[str, np.ndarray]
    facts: Any


Outcome = Kept | Exception | None
"""None: the member is to be done by its verb."""


def ordinary_members(recipe: Recipe, designs: np.ndarray, stopped: Callable[[], bool]) -> Iterator[tuple[int, Outcome]]:
    """All members of these designs, in some order."""
    for first in range(0, len(designs), SLICE):
        rows = np.arange(first, min(first + SLICE, len(designs)))
        quick = rows[np.isfinite(designs[rows]).all(axis=1)] if recipe.once(_is_quick) else rows[:0]
        pool = recipe.once(_workspaces)
        workspace, done = _free(recipe, pool, designs[quick]) if quick.size else None, set()
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
    """Whether members are ordinary, as far as this does not depend on their designs."""
    system, given = recipe.system, recipe.initial
    if (recipe.options or {}).get("derivatives"):
        return False  # a member is differentiated as its verb does it
    if recipe.verb == "simulate" and (given is None or isinstance(given, Mapping)):
        return is_ordinary(system) and moves_smoothly(system)
    return recipe.verb == "kinematics" and given is None and not recipe.options and is_ordinary(system)


def _workspaces(recipe: Recipe) -> list[Any]:
    """Those that nobody works at."""
    return []


def _free(recipe: Recipe, pool: list[Any], designs: np.ndarray) -> Motions | Walks | None:
    """Workspaces that nobody works at; other threads look for some, too."""
    try:
        return pool.pop()
    except IndexError:
        return _workspace(recipe, designs)


def _workspace(recipe: Recipe, designs: np.ndarray) -> Motions | Walks | None:
    """Workspaces for the members of a recipe; None where no run begins."""
    work.ask_for(members.__name__)
    if recipe.verb == "kinematics":
        return Walks(recipe.system, recipe.times)
    for row in designs:
        thing, initial = recipe.variation(row), recipe.initial_of(row)
        try:
            workspace = Motions(recipe.system, partial(_prepared, recipe, thing, initial), tuple(initial or ()))
        except MbsError:
            continue
        march = workspace.prepared.march
        light = workspace.moving.has_light_bodies or march.mechanism.machine.factor.compliance.size
        # what solves for light bodies has a pattern of its own, and other roundoff
        if not (light or workspace.prepared.redundant or march.stages.implicit.weight.size or march.tableau.means):
            return workspace
    return None


def _prepared(recipe: Recipe, thing: Any, initial: Any) -> Prepared:
    return prepare(thing, recipe.times, initial, **dict(recipe.options or {}))


def _members(
    recipe: Recipe, workspace: Motions | Walks, designs: np.ndarray, stopped: Callable[[], bool]
) -> Iterator[tuple[int, Outcome]]:
    columns = columns_of(recipe.system, recipe.names, designs, {})
    good = np.flatnonzero(sound(recipe.system, columns, designs))
    if not good.size:
        return
    if isinstance(workspace, Motions):
        found = _motions(recipe, workspace, designs[good], stopped)
    else:
        found = _walks(recipe, workspace, designs[good], stopped)
    yield from ((int(good[k]), outcome) for k, outcome in found)


@dataclass(frozen=True, eq=False)
class Slice:
    """Members that are looked at together."""

    recipe: Recipe
    designs: np.ndarray
    numbers: Numbers
    workspace: Motions | Walks
    rows: Rows

    def outcomes(
        self, states: States, lost: Iterator[tuple[int, Exception | None]], sound: Callable[[np.ndarray], np.ndarray]
    ) -> Iterator[tuple[int, Outcome]]:
        """Of members that start from these states: of those that are lost on the way, and of those that come to their
        end and are sound. Ctrl-C ends it when it has told of these."""
        ended: KeyboardInterrupt | None = None
        try:
            yield from lost
        except KeyboardInterrupt as stop:
            ended = stop
        if (done := np.flatnonzero(states.state == DONE)).size:
            yield from self._told(done[sound(done)])
        if ended is not None:
            raise ended

    def _told(self, done: np.ndarray) -> Iterator[tuple[int, Outcome]]:
        """What is kept of these members."""
        recipe, kept = self.recipe, self.rows.arrays
        fine = [k for k in done.tolist() if not checks.loses_count(self.numbers, k, recipe.times, kept["q"][k])]
        if recipe.outputs is None and recipe.function is None:
            yield from ((k, Kept({name: rows[k] for name, rows in kept.items()}, self.facts(k))) for k in fine)
            return
        for k, values in read_kept(recipe, self.numbers.columns, self.designs, kept, self.facts, fine):
            yield k, Kept(values, None) if isinstance(values, dict) else values

    def facts(self, k: int) -> dict[str, Any] | None:
        """What the result of a member tells besides its arrays."""
        return self.workspace.told(self.numbers, self.rows, k)


def _motions(
    recipe: Recipe, workspace: Motions, designs: np.ndarray, stopped: Callable[[], bool]
) -> Iterator[tuple[int, Outcome]]:
    def columns(system: Any, given: Mapping[str, Any]) -> Any:
        return columns_of(system, recipe.names, designs, given)

    free = Numbers(recipe.system, columns(recipe.system, {}))
    varied = {name: designs[:, k] for k, name in enumerate(recipe.names) if k not in recipe.parameters}
    starts = workspace.starts(free, {**(recipe.initial or {}), **varied}, columns)
    states, rows = workspace.states(starts), workspace.rows(len(designs))

    def refused(march: Any, k: int, status: int) -> MbsError | None:
        row = designs[k]
        try:
            system = system_of(recipe.variation(row))
            workspace.refuse(march, system, recipe.initial_of(row), states.q[k], states.v[k], status)
        except MbsError as error:
            return error
        return None

    def sound(done: np.ndarray) -> np.ndarray:
        return ~_doubtful(recipe.times, free, rows, done, workspace.prepared.march.control)

    lost = workspace.run(free, states, rows, partial(recipe.clock, stopped), refused)
    yield from Slice(recipe, designs, free, workspace, rows).outcomes(states, lost, sound)


def _doubtful(t: np.ndarray, numbers: Numbers, rows: Rows, done: np.ndarray, control: Any) -> np.ndarray:
    """Whether something is strange about a motion that was made."""
    kept = rows.arrays
    doubt = checks.near_singular(kept["independence"][done])
    doubt |= checks.loses_energy(kept["energies"][done], rows.besides["turned"][done, 0], control)
    return doubt | checks.violates(numbers, done, t, kept["q"][done], kept["v"][done], control)


def _walks(
    recipe: Recipe, workspace: Walks, designs: np.ndarray, stopped: Callable[[], bool]
) -> Iterator[tuple[int, Outcome]]:
    numbers = Numbers(recipe.system, columns_of(recipe.system, recipe.names, designs, {}))
    states, rows = workspace.states(numbers), workspace.rows(len(designs))
    lost = workspace.run(numbers, states, rows, partial(recipe.clock, stopped))
    yield from Slice(recipe, designs, numbers, workspace, rows).outcomes(states, lost, lambda done: done >= 0)
