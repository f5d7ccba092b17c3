"""Run the motions of a model file: driven, under its forces, or released from its drivers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...errors import MbsError
from ...model.drivers import Driver, Prescribed
from ...model.measures import Measure
from ...model.model import Model
from ...poses.local import free_motions
from ...results.result import Result, State
from .independent import independent

DRIVEN, FORCES, RELEASED = "driven", "forces", "released"


class Verbs(NamedTuple):
    """The verbs that move a model, handed in because verbs belong to a layer above pictures."""

    kinematics: Callable[..., Result]
    inverse_dynamics: Callable[..., Result]
    simulate: Callable[..., Result]
    assemble: Callable[..., State]


@dataclass(frozen=True)
class Wanted:
    """A requested motion."""

    mode: str
    times: np.ndarray
    parameters: Mapping[str, float] = field(default_factory=dict)
    initial: Mapping[str, float] = field(default_factory=dict)
    """The initial values that differ from those of the file or of the pose."""
    at: float | None = None
    """The time of release [s], in the pose at that time; None for the first time."""


@dataclass(frozen=True, eq=False)
class Said:
    """The content of a model file: the model, its times, its initial values if it has any, and options of runs."""

    model: Model
    times: np.ndarray
    initial: Mapping[str, float] | None
    options: Mapping[str, Any]
    verbs: Verbs

    @cached_property
    def first(self) -> str:
        """The mode of motion if no other is requested."""
        if self.initial is not None:
            return FORCES
        pose = self.verbs.assemble(self.model, float(self.times[0]))
        return FORCES if free_motions(pose.system, pose.t, pose.full_q).shape[1] else DRIVEN

    @cached_property
    def released(self) -> Model | None:
        """The model without its prescribed motions; None if there are none, or if something depends on one of them."""
        drivers = [element.name for element in self.model.conditions if isinstance(element, Prescribed)]
        try:
            return self.model.without(*drivers) if drivers else None
        except MbsError:
            return None

    @cached_property
    def values(self) -> frozenset[str]:
        """The names of all values with which a motion may begin: positions, rates, and states of the model."""
        return frozenset([*self.model.quantity_names(2), *(state.name for state in self.model.states)])

    @property
    def modes(self) -> list[str]:
        return [self.first, RELEASED] if self.released is not None else [self.first]


def run(said: Said, wanted: Wanted, watch: Callable[[int, int], Any] | None = None) -> tuple[Result, dict[str, float]]:
    """Return the motion, and the values with which it begins, by the names under which a reader can change them."""
    model = said.model.with_parameters(**wanted.parameters)
    if wanted.mode == DRIVEN:
        return _driven(said, model)(model, wanted.times, progress=watch), {}
    if wanted.mode == FORCES:
        start, told = _start(said, model, float(wanted.times[0]), wanted)
        return said.verbs.simulate(model, wanted.times, start, progress=watch, **said.options), told
    assert said.released is not None
    pose = _pose(said, model, wanted, watch)
    free = said.released.with_parameters(**wanted.parameters)
    driven = [element.measure for element in said.model.conditions if isinstance(element, Driver)]
    start, told = _let_go(said, free, pose, wanted.initial, driven)
    times = wanted.times - wanted.times[0] + pose.t  # time continues from the release
    return said.verbs.simulate(free, times, start, progress=watch, **said.options), told


def _driven(said: Said, model: Model) -> Callable[..., Result]:
    """Return the verb of a driven motion, with efforts and reactions if these follow from the motion alone."""
    return said.verbs.kinematics if model.contacts or model.states else said.verbs.inverse_dynamics


def _start(said: Said, model: Model, t: float, wanted: Wanted) -> tuple[Mapping[str, float] | State, dict[str, float]]:
    if said.initial is not None:
        start = {**said.initial, **wanted.initial}
        return start, start
    return _let_go(said, model, said.verbs.assemble(model, t), wanted.initial)


def _let_go(
    said: Said, model: Model, pose: State, moved: Mapping[str, float], driven: Sequence[Measure] = ()
) -> tuple[State, dict[str, float]]:
    """Return the state that starts from a pose with its velocities except for given values, and the values by name."""
    own = said.verbs.assemble(model, pose.t, start=pose)
    told = {name: pose[name] for name in independent(own, driven)} | dict(moved)
    return said.verbs.assemble(model, pose.t, told, pose), told


def _pose(said: Said, model: Model, wanted: Wanted, watch: Callable[[int, int], Any] | None) -> State:
    """Return the state in which the mechanism is released."""
    begin = float(said.times[0])
    at = begin if wanted.at is None else wanted.at
    if said.first == DRIVEN:
        times = np.linspace(begin, at, 1 + len(said.times)) if at != begin else np.array([begin])
        return said.verbs.kinematics(model, times, progress=watch).state(-1)
    start, _ = _start(said, model, begin, Wanted(FORCES, said.times))
    times = np.array([begin, at]) if at > begin else np.array([begin, begin + 1e-9])
    return said.verbs.simulate(model, times, start, progress=watch, **said.options).state(-1 if at > begin else 0)
