"""Some members of a study, run one after the other: the unit of work that threads, processes and clusters are given.

A chunk depends on the recipe and on its own designs alone, so that it can be run again wherever it was lost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...errors import ModelError
from ...public_class import PublicClass
from ...readings.motion import computed
from ...results.result import Result
from .fast import Kept, ordinary_members
from .recipe import Recipe

UNDONE, DONE, FAILED = range(3)


@dataclass(frozen=True)
class Failure(metaclass=PublicClass):
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
        """The arrays of member k; the first one says their names and shapes."""
        if not self.arrays:
            self.arrays = {name: np.full((self.state.size, *value.shape), np.nan) for name, value in values.items()}
        check_alike({n: value.shape for n, value in values.items()}, {n: x.shape[1:] for n, x in self.arrays.items()})
        for name, value in values.items():
            self.arrays[name][k] = value
        self.state[k] = DONE

    def refuse(self, designs: Sequence[dict[str, float]], message: str) -> None:
        """What is done of it cannot be kept with the rest of the study."""
        for k in np.flatnonzero(self.state == DONE).tolist():
            self.failures.append(Failure(self.first + k, designs[k], message, ModelError.__name__))
        self.state[self.state == DONE] = FAILED
        self.arrays, self.facts = {}, [None] * self.state.size


Shapes = Mapping[str, tuple[int, ...]]


def check_alike(shapes: Shapes, known: Shapes) -> None:
    """Members have the same names, with arrays of the same shapes."""
    if shapes == known:
        return
    if shapes.keys() != known.keys():
        what = f"some members have {min(shapes.keys() ^ known.keys())!r}, and others have not"
        raise ModelError(f"{what}; give the same names, with nan where there is none")
    name = next(name for name in shapes if shapes[name] != known[name])
    what = f"{name!r} has the shape {shapes[name]} in this member, and {known[name]} in others"
    raise ModelError(f"{what}; give one shape (a run that an event stops has fewer times)")


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
                _keep(chunk, recipe, designs, k, kept)
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


def _keep(chunk: Chunk, recipe: Recipe, designs: np.ndarray, k: int, kept: Kept) -> None:
    try:
        chunk.put(k, kept.arrays)
        chunk.facts[k] = kept.facts
    except ModelError as error:
        _fail(chunk, recipe, designs, k, error)


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
    return {name: at_times(recipe.times, result.t, x) for name, x in named.items()}


def at_times(times: np.ndarray, t: np.ndarray, values: np.ndarray) -> np.ndarray:
    """What goes over t, at the times of the study; nan behind the end. A run that an event stops has its last pose at
    the time of that event, which is none of them."""
    count = len(t) if len(t) == 0 or t[-1] == times[len(t) - 1] else len(t) - 1
    return np.concatenate([values[:count], np.full((times.size - count, *values.shape[1:]), np.nan)])


def _fail(chunk: Chunk, recipe: Recipe, designs: np.ndarray, k: int, error: Exception) -> None:
    design = dict(zip(recipe.names, designs[k].tolist(), strict=True))
    chunk.failures.append(Failure(chunk.first + k, design, str(error) or repr(error), type(error).__name__))
    chunk.state[k] = FAILED
