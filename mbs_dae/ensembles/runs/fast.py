"""Members of a study without a call of the verb for each: what differs is computed for all at once, and put into
workspaces that stay."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from ...arguments import system_of
from ...compiled.machine import DONE
from ...errors import MbsError
from ...verbs.simulate import Prepared, prepare
from . import checks
from .limits import OutOfTime
from .motions import ABREAST, KEPT, Motions, Start, go_on
from .numbers import Numbers, columns_of, sound
from .ordinary import is_ordinary, moves_smoothly
from .poses import Walks
from .reading import read_kept
from .recipe import Recipe
from .starting import Starts

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
        pool = recipe.once(_benches)
        bench = (pool.pop() if pool else _bench(recipe, designs[quick])) if quick.size else None
        done = set()
        if bench is not None:
            for k, outcome in _members(recipe, bench, designs[quick], stopped):
                done.add(int(quick[k]))
                yield int(quick[k]), outcome
            pool.append(bench)
        if stopped():
            return
        yield from ((int(k), None) for k in rows if int(k) not in done)


def _is_quick(recipe: Recipe) -> bool:
    """Whether members are ordinary, as far as this does not depend on their designs."""
    system, given = recipe.system, recipe.initial
    if recipe.verb == "simulate" and (given is None or isinstance(given, Mapping)):
        return is_ordinary(system) and moves_smoothly(system)
    return recipe.verb == "kinematics" and given is None and not recipe.options and is_ordinary(system)


def _benches(recipe: Recipe) -> list[Any]:
    """Those that nobody works at."""
    return []


def _bench(recipe: Recipe, designs: np.ndarray) -> Motions | Walks | None:
    """Workspaces for the members of a recipe; None where no run begins."""
    if recipe.verb == "kinematics":
        return Walks(recipe.system, recipe.times)
    for row in designs:
        thing, initial = recipe.variation(row), recipe.initial_of(row)
        try:
            bench = Motions(recipe.system, partial(_prepared, recipe, thing, initial), tuple(initial or ()))
        except MbsError:
            continue
        march = bench.prepared.march
        if not (bench.prepared.redundant or march.stages.implicit.weight.size or march.tableau.means):
            return bench
    return None


def _prepared(recipe: Recipe, thing: Any, initial: Any) -> Prepared:
    return prepare(thing, recipe.times, initial, **dict(recipe.options or {}))


def _members(
    recipe: Recipe, bench: Motions | Walks, designs: np.ndarray, stopped: Callable[[], bool]
) -> Iterator[tuple[int, Outcome]]:
    columns = columns_of(recipe.system, recipe.names, designs, {})
    good = np.flatnonzero(sound(recipe.system, columns, designs))
    if not good.size:
        return
    if isinstance(bench, Motions):
        found = _motions(recipe, bench, designs[good], stopped)
    else:
        found = _walks(recipe, bench, designs[good], stopped)
    yield from ((int(good[k]), outcome) for k, outcome in found)


@dataclass(frozen=True, eq=False)
class Slice:
    """Members that are looked at together."""

    recipe: Recipe
    designs: np.ndarray
    numbers: Numbers
    kept: Mapping[str, np.ndarray]
    """Of each member what is recorded of it."""
    facts: dict[int, Any] = field(default_factory=dict)
    """Of those that came to their end what their results tell besides."""

    def told(self, rows: np.ndarray) -> Iterator[tuple[int, Outcome]]:
        """What is kept of these members."""
        recipe, kept, facts = self.recipe, self.kept, self.facts
        fine = [k for k in rows.tolist() if not checks.loses_count(self.numbers, k, recipe.times, kept["q"][k])]
        if recipe.outputs is None and recipe.function is None:
            yield from ((k, Kept({name: rows[k] for name, rows in kept.items()}, facts[k])) for k in fine)
            return
        for k, values in read_kept(recipe, self.numbers.columns, self.designs, kept, facts, fine):
            yield k, Kept(values, None) if isinstance(values, dict) else values


def _motions(
    recipe: Recipe, bench: Motions, designs: np.ndarray, stopped: Callable[[], bool]
) -> Iterator[tuple[int, Outcome]]:
    def columns(system: Any, given: Mapping[str, Any]) -> Any:
        return columns_of(system, recipe.names, designs, given)

    free = Numbers(recipe.system, columns(recipe.system, {}))
    varied = {name: designs[:, k] for k, name in enumerate(recipe.names) if k not in recipe.parameters}
    starts = bench.starts(free, {**(recipe.initial or {}), **varied}, columns)
    record = bench.prepared.march.record
    kept = {name: np.empty((len(designs), *getattr(record, name).shape)) for name in KEPT}
    some, turned = Slice(recipe, designs, free, kept), np.zeros(len(designs))
    ended: KeyboardInterrupt | None = None
    ordinary = np.flatnonzero(starts.ordinary).tolist()
    for first in range(0, len(ordinary), ABREAST):
        if stopped():
            break
        try:
            yield from _run(some, bench, starts, ordinary[first : first + ABREAST], turned, stopped)
        except KeyboardInterrupt as stop:
            ended = stop
            break
    rows = np.array([*some.facts], dtype=int)
    if rows.size:
        yield from some.told(rows[~_doubtful(some, rows, turned[rows], bench.prepared.march.control)])
    if ended is not None:
        raise ended


def _run(
    some: Slice, bench: Motions, starts: Starts, members: list[int], turned: np.ndarray, stopped: Callable[[], bool]
) -> Iterator[tuple[int, Outcome]]:
    """These members side by side, into what is kept; those that do not come to their end are told at once."""
    found = {k: bench.start(starts, k) for k in members}
    yield from ((k, None) for k, start in found.items() if start is None)
    begun = {k: start for k, start in found.items() if start is not None}
    runs = [bench.begin(starts, k, start, place) for place, (k, start) in enumerate(begun.items())]
    ends = go_on(bench, runs, partial(some.recipe.clock, stopped))
    for (k, start), (march, _), end in zip(begun.items(), runs, ends, strict=True):
        if end == DONE:
            for name in KEPT:
                some.kept[name][k] = getattr(march.record, name)
            some.facts[k], turned[k] = bench.told(march), march.turned[0]
            continue
        yield k, end if isinstance(end, MbsError) else _refused(some, bench, march, k, start, end)


def _refused(some: Slice, bench: Motions, march: Any, k: int, start: Start, status: int) -> Outcome:
    """The error of the verb; None where it is to look further."""
    row = some.designs[k]
    try:
        bench.refuse(march, system_of(some.recipe.variation(row)), some.recipe.initial_of(row), start, status)
    except MbsError as error:
        return error
    return None


def _doubtful(some: Slice, rows: np.ndarray, turned: np.ndarray, control: Any) -> np.ndarray:
    """Whether something is strange about a motion that was made."""
    kept, t = some.kept, some.recipe.times
    doubt = checks.near_singular(kept["independence"][rows])
    doubt |= checks.loses_energy(kept["energies"][rows], turned, control)
    return doubt | checks.violates(some.numbers, rows, t, kept["q"][rows], kept["v"][rows], control)


def _walks(
    recipe: Recipe, bench: Walks, designs: np.ndarray, stopped: Callable[[], bool]
) -> Iterator[tuple[int, Outcome]]:
    numbers, layout = Numbers(recipe.system, columns_of(recipe.system, recipe.names, designs, {})), recipe.system.layout
    shape = len(designs), recipe.times.size
    sizes = {"q": layout.q_size, "v": layout.v_size, "a": layout.v_size}
    some = Slice(recipe, designs, numbers, {name: np.empty((*shape, size)) for name, size in sizes.items()})
    ended: KeyboardInterrupt | None = None
    for k in map(int, np.flatnonzero(numbers.finite)):
        if stopped():
            break
        if (first := bench.start(numbers, k)) is None:
            continue
        try:
            stats = bench.walk(numbers, k, first, some.kept, recipe.clock(stopped))
        except OutOfTime as error:
            yield k, error
            continue
        except KeyboardInterrupt as stop:
            ended = stop
            break
        if stats is not None:
            some.facts[k] = stats
    yield from some.told(np.array([*some.facts], dtype=int))
    if ended is not None:
        raise ended
