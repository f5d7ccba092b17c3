"""Run a part of the members of a study one after the other: the unit of work for threads, processes and clusters.

A chunk depends on the recipe and on its own designs alone, so a lost chunk can be run again anywhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...errors import ModelError
from ...public_class import PublicClass
from ...readings.motion import computed
from ...results.result import Result
from .fast import MemberRecord, ordinary_members
from .recipe import Recipe

UNDONE, DONE, FAILED = range(3)


@dataclass(frozen=True)
class Failure(metaclass=PublicClass):
    """A member that did not come to its end: its number, its design, and the message of its verb.

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
    """The results of the members of a chunk so far."""

    first: int
    """The number of the chunk's first member in the study."""
    state: np.ndarray
    """UNDONE, DONE or FAILED, shape (members,)."""
    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    """The arrays by name, one row for each member; nan for members without a result."""
    failures: list[Failure] = field(default_factory=list)
    facts: list[Any] = field(default_factory=list)
    """Facts of a member's result besides its arrays; None if reading the member means running it again."""

    @property
    def is_complete(self) -> bool:
        return not (self.state == UNDONE).any()

    def put(self, k: int, values: dict[str, np.ndarray]) -> None:
        """Store the arrays of member k and set its state to DONE; the first member fixes names and shapes."""
        if not self.arrays:
            self.arrays = {name: np.full((self.state.size, *value.shape), np.nan) for name, value in values.items()}
        check_alike({n: value.shape for n, value in values.items()}, {n: x.shape[1:] for n, x in self.arrays.items()})
        for name, value in values.items():
            self.arrays[name][k] = value
        self.state[k] = DONE

    def refuse(self, designs: Sequence[dict[str, float]], message: str) -> None:
        """Mark the members that are done as failed with this message, and drop their arrays."""
        for k in np.flatnonzero(self.state == DONE).tolist():
            self.failures.append(Failure(self.first + k, designs[k], message, ModelError.__name__))
        self.state[self.state == DONE] = FAILED
        self.arrays, self.facts = {}, [None] * self.state.size


Shapes = Mapping[str, tuple[int, ...]]


def check_alike(shapes: Shapes, others: Shapes) -> None:
    """Raise a `ModelError` unless the names and the shapes of their arrays agree."""
    if shapes == others:
        return
    if shapes.keys() != others.keys():
        what = f"some members have {min(shapes.keys() ^ others.keys())!r}, and others have not"
        raise ModelError(
            f"{what}; give the same names, with nan where there is none",
            code="unequal-names", name=min(shapes.keys() ^ others.keys()),
        )  # fmt: skip
    name = next(name for name in shapes if shapes[name] != others[name])
    what = f"{name!r} has the shape {shapes[name]} in this member, and {others[name]} in others"
    raise ModelError(
        f"{what}; give one shape (a run that an event stops has fewer times)",
        code="unequal-shapes", name=name, shape=shapes[name], other=others[name],
    )  # fmt: skip


def run_chunk(
    recipe: Recipe, first: int, designs: np.ndarray, stopped: Callable[[], bool] = lambda: False,
    tell: Callable[[int], Any] = lambda count: None,
) -> Chunk:  # fmt: skip
    """Run the members of these designs; the first one is member `first` of the study. Call `stopped` between members,
    and `tell(1)` after each member. All members of studies are run here."""
    size = len(designs)
    chunk = Chunk(first, np.full(size, UNDONE, dtype=np.int8), facts=[None] * size)
    try:
        for k, outcome in ordinary_members(recipe, designs, stopped):
            try:
                if isinstance(outcome, MemberRecord):
                    chunk.put(k, outcome.arrays)
                    chunk.facts[k] = outcome.facts
                elif isinstance(outcome, Exception):
                    raise outcome
                else:  # by a call of the verb
                    result = recipe.result(designs[k], stopped)
                    chunk.put(k, recipe.values(result) if recipe.function else kept_of(recipe, result))
            except Exception as error:  # an error in a user's function concerns this member alone
                if isinstance(outcome, MemberRecord) and not isinstance(error, ModelError):
                    raise  # no function of a user has run here
                design = dict(zip(recipe.names, designs[k].tolist(), strict=True))
                chunk.failures.append(Failure(first + k, design, str(error) or repr(error), type(error).__name__))
                chunk.state[k] = FAILED
            tell(1)
            if stopped():
                break
    except KeyboardInterrupt:
        pass  # keep finished members; the caller sees that the chunk is not complete
    return chunk


def kept_of(recipe: Recipe, result: Result) -> dict[str, np.ndarray]:
    """Return the arrays to be stored for a result: q, v and a, or the named outputs, at the times of the study."""
    _, q, v, a = computed(result).motion
    arrays = {"q": q, "v": v, "a": a} if recipe.outputs is None else {n: np.asarray(result[n]) for n in recipe.outputs}
    return {name: at_times(recipe.times, result.t, x) for name, x in arrays.items()}


def at_times(times: np.ndarray, t: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the values over t at the times of the study, with nan after the end of the run. The last pose of a run
    that an event stopped belongs to the time of the event and is dropped, unless this is a time of the study."""
    count = len(t) if len(t) == 0 or t[-1] == times[len(t) - 1] else len(t) - 1
    return np.concatenate([values[:count], np.full((times.size - count, *values.shape[1:]), np.nan)])
