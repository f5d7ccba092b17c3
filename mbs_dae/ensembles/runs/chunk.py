"""Some members of a study, run one after the other: the unit of work that threads, processes and clusters are given.

A chunk depends on the recipe and on its own designs alone, so that it can be run again wherever it was lost.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...errors import ModelError
from ...readings.motion import computed
from ...results.result import Result
from .fast import Kept, ordinary_members
from .recipe import Recipe

UNDONE, DONE, FAILED = range(3)


@dataclass(frozen=True)
class Failure:
    """A member that came to no end: which, its design, and what its verb says.

    A ladder of 5 m does not reach up to 6 m:

    >>> model = mbs.PlanarModel("ladder")
    >>> h = model.parameter("h", 4.0, unit="m")
    >>> ladder = model.link("ladder", (3, 0), (0, 4), length=5)
    >>> floor = model.add(mbs.PinInSlot("floor", model.ground, ladder.tail))
    >>> wall = model.add(mbs.Revolute("wall", model.ground.at(0, h), ladder.head))
    >>> (failed,) = mbs.ensemble(model, [0], over={"h": [3, 4, 6]}, verb="kinematics").failures
    >>> isinstance(failed, mbs.Failure), failed.member, failed.design, failed.kind
    (True, 2, {'h': 6.0}, 'AssemblyError')
    """

    member: int
    design: dict[str, float]
    message: str
    kind: str
    """The name of the error: "AssemblyError", "IntegrationError", "OutOfTime", ..."""


@dataclass(eq=False)
class Chunk:
    """What members have given so far."""

    first: int
    """The number of the first one in the study."""
    state: np.ndarray
    """UNDONE, DONE or FAILED."""
    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    """By name, one row for each member; nan where there is nothing."""
    failures: list[Failure] = field(default_factory=list)
    facts: list[Any] = field(default_factory=list)
    """What the result of a member tells besides its arrays; None where it is made again to be read."""

    @property
    def is_complete(self) -> bool:
        return not (self.state == UNDONE).any()

    def put(self, k: int, values: dict[str, np.ndarray]) -> None:
        """The arrays of member k."""
        for name, value in values.items():
            if name not in self.arrays:
                self.arrays[name] = np.full((self.state.size, *value.shape), np.nan)
            if self.arrays[name].shape[1:] != value.shape:
                raise ModelError(f"{name!r} has the shape {value.shape}, and {self.arrays[name].shape[1:]} in others")
            self.arrays[name][k] = value
        self.state[k] = DONE


def run_chunk(
    recipe: Recipe, first: int, designs: np.ndarray, stopped: Callable[[], bool] = lambda: False,
    tell: Callable[[int], Any] = lambda count: None,
) -> Chunk:  # fmt: skip
    """Run the members of these designs, the first one being number `first` of the study. `stopped` is asked between
    members, `tell` is told of each that is done. This is the one place where members are run."""
    size = len(designs)
    chunk = Chunk(first, np.full(size, UNDONE, dtype=np.int8), facts=[None] * size)
    try:
        for k, kept in ordinary_members(recipe, designs, stopped):
            if isinstance(kept, Kept):
                chunk.put(k, kept.arrays)
                chunk.facts[k] = kept.facts
            elif isinstance(kept, Exception):
                _fail(chunk, recipe, designs, k, kept)
            else:
                _by_verb(chunk, recipe, designs, k, stopped)
            tell(1)
            if stopped():
                break
    except KeyboardInterrupt:
        pass  # what is done is kept; who asked for the chunk sees that it is not complete
    return chunk


def _by_verb(chunk: Chunk, recipe: Recipe, designs: np.ndarray, k: int, stopped: Callable[[], bool]) -> None:
    """Member k by a call of the verb."""
    try:
        result = recipe.result(designs[k], stopped)
        chunk.put(k, recipe.values(result) if recipe.function else kept_of(recipe, result))
    except Exception as error:  # whatever a function of the user raises is the matter of this member alone
        _fail(chunk, recipe, designs, k, error)


def kept_of(recipe: Recipe, result: Result) -> dict[str, np.ndarray]:
    """What is kept of a result."""
    _, q, v, a = computed(result).motion
    named = {"q": q, "v": v, "a": a} if recipe.outputs is None else {n: np.asarray(result[n]) for n in recipe.outputs}
    missing = recipe.times.size - len(result.t)  # of a run that an event has stopped
    return {name: np.concatenate([x, np.full((missing, *x.shape[1:]), np.nan)]) for name, x in named.items()}


def _fail(chunk: Chunk, recipe: Recipe, designs: np.ndarray, k: int, error: Exception) -> None:
    design = dict(zip(recipe.names, designs[k].tolist(), strict=True))
    chunk.failures.append(Failure(chunk.first + k, design, str(error) or repr(error), type(error).__name__))
    chunk.state[k] = FAILED
