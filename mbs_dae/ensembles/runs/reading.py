"""Read members of a study: reconstruct their results, and evaluate named quantities of many members at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

from ...arguments import system_of
from ...compiled import System
from ...compiled.reading import Reader, Trajectory
from ...motion.methods.stepping import stepping
from ...motion.outcome import dynamic_result
from ...motion.past.origin import Run, StateOrigin, without_past
from ...motion.stabilise import stabilization_of
from ...readings.motion import reader_of, result_of
from ...results.result import Result
from .columns import Columns
from .recipe import Recipe

LARGEST = 20_000_000
"""The largest number of values of motions that are read at a time."""


def result_of_member(recipe: Recipe, row: np.ndarray, kept: Mapping[str, np.ndarray], facts: Any) -> Result:
    """Return the result of a member from its stored arrays and facts, equal to that of the verb to the last bit."""
    thing, t = recipe.variation(row), recipe.times
    system = system_of(thing)
    arrays = {name: np.array(array) for name, array in kept.items()}
    fields: dict[str, Any] = {"success": True, "message": "", "stats": dict(facts)}
    if recipe.verb == "kinematics":
        return result_of(system, Trajectory(t, arrays["q"], arrays["v"], arrays["a"]), t=t.copy(), **fields)
    options = dict(recipe.options or {})
    how = options.pop("stabilization", None)
    by, none = stepping(**options), np.zeros(0)
    initial = without_past(recipe.initial_of(row))
    run = Run(system, by, stabilization_of(how, by.method.projects), float(t[0]), initial, None)
    record: Any = SimpleNamespace(**arrays, contacts=np.zeros((t.size, 0)), modes=np.zeros((t.size, 0)))
    fields |= {"past": StateOrigin(run, float(t[-1]), none, none, None)}
    return dynamic_result(system, record, t, t.size, t=t.copy(), **fields)


def is_measure(recipe: Recipe, name: str) -> bool:
    """Return whether a quantity follows from the positions, velocities and accelerations of bodies in all members."""
    return recipe.verb != "sweep" and bool(recipe.bare.quantity_or_none(name))


def read_measure(
    system: System, columns: Columns, rows: np.ndarray, name: str, t: np.ndarray, kept: Mapping[str, np.ndarray]
) -> np.ndarray:
    """Return a quantity of these members from their stored q, v and a, shape (members, times)."""
    measure, level = system.model.quantity(name)
    builder = system.structure.once(reader_of, name.rpartition(".")[0], measure.levels)
    numbers, batch = builder.batch.numbers_of(columns)[rows], builder.fill(system.evaluator)
    width = sum(kept[part].shape[2] for part in "qva")
    out, step = np.empty((len(rows), t.size)), max(1, LARGEST // (t.size * width))
    for first in range(0, len(rows), step):
        some = slice(first, first + step)
        count = len(rows[some])
        reader = Reader(batch, system.nv, system.layout.v_size, numbers[some])
        motion = (kept[part][some].reshape(count * t.size, -1) for part in "qva")
        out[some] = reader(np.tile(t, count), *motion)[level, :, 0].reshape(count, t.size)
    return out


def read_kept(
    recipe: Recipe, columns: Columns, designs: np.ndarray, kept: Mapping[str, np.ndarray], facts: Callable[[int], Any],
    rows: list[int],
) -> Iterator[tuple[int, dict[str, np.ndarray] | Exception | None]]:  # fmt: skip
    """Yield the numbers of these members that a recipe stores: its outputs, or the values of its function, or the error
    of these. Yield None if the verb is to run the member."""
    outputs, system, some = recipe.outputs or (), recipe.system.cartesian, np.array(rows, dtype=int)
    motion = {part: kept[part][some] for part in "qva"}
    quick = {n: read_measure(system, columns, some, n, recipe.times, motion) for n in outputs if is_measure(recipe, n)}
    for place, k in enumerate(rows):
        values: dict[str, np.ndarray] = {name: array[place] for name, array in quick.items()}
        if recipe.function is None and len(values) == len(outputs):
            yield k, values
        elif (member_facts := facts(k)) is None:
            yield k, None
        else:
            result = result_of_member(
                recipe, designs[k], {name: array[k] for name, array in kept.items()}, member_facts
            )
            yield k, _outputs_of(recipe, result, values)


def _outputs_of(recipe: Recipe, result: Result, values: Mapping[str, np.ndarray]) -> dict[str, np.ndarray] | Exception:
    try:
        if recipe.function is not None:
            return recipe.values(result)
        return {name: values[name] if name in values else np.asarray(result[name]) for name in recipe.outputs or ()}
    except Exception as error:  # an error in a user's function concerns this member alone
        return error
