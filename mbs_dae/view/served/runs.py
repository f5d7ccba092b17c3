"""Run the motions of a model file: driven, under its forces, or released from its drivers. If the file names no values
with which a motion begins, as many are chosen as there are degrees of freedom."""

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
from ...tolerances import MEASURE_ROUNDOFF, SAME_MEASURE

DRIVEN, FORCES, RELEASED = "driven", "forces", "released"
MUCH = 0.1  # part of the best quantity's row that is enough to choose an earlier one


class Verbs(NamedTuple):
    """The verbs that move a model, handed in because verbs belong to a layer above pictures."""

    kinematics: Callable[..., Result]
    inverse_dynamics: Callable[..., Result]
    simulate: Callable[..., Result]
    assemble: Callable[..., State]


@dataclass(frozen=True)
class MotionRequest:
    """A requested motion."""

    mode: str
    times: np.ndarray
    parameters: Mapping[str, float] = field(default_factory=dict)
    initial: Mapping[str, float] = field(default_factory=dict)
    """The initial values that differ from those of the file or of the pose."""
    at: float | None = None
    """The time of release [s], in the pose at that time; None for the first time."""


@dataclass(frozen=True, eq=False)
class FileContent:
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


def run(
    content: FileContent, request: MotionRequest, watch: Callable[[int, int], Any] | None = None
) -> tuple[Result, dict[str, float]]:
    """Return the motion, and the values with which it begins, by the names under which a reader can change them."""
    model = content.model.with_values(request.parameters)
    if request.mode == DRIVEN:
        # with efforts and reactions if these follow from the motion alone
        verb = content.verbs.kinematics if model.contacts or model.states else content.verbs.inverse_dynamics
        return verb(model, request.times, progress=watch), {}
    if request.mode == FORCES:
        start, values = _start(content, model, float(request.times[0]), request)
        return content.verbs.simulate(model, request.times, start, progress=watch, **content.options), values
    assert content.released is not None
    pose = _pose(content, model, request, watch)
    free = content.released.with_values(request.parameters)
    driven = [element.measure for element in content.model.conditions if isinstance(element, Driver)]
    start, values = _released_state(content, free, pose, request.initial, driven)
    times = request.times - request.times[0] + pose.t  # time continues from the release
    return content.verbs.simulate(free, times, start, progress=watch, **content.options), values


def _start(
    content: FileContent, model: Model, t: float, request: MotionRequest
) -> tuple[Mapping[str, float] | State, dict[str, float]]:
    if content.initial is not None:
        start = {**content.initial, **request.initial}
        return start, start
    return _released_state(content, model, content.verbs.assemble(model, t), request.initial)


def _released_state(
    content: FileContent, model: Model, pose: State, moved: Mapping[str, float], driven: Sequence[Measure] = ()
) -> tuple[State, dict[str, float]]:
    """Return the state that starts from a pose with its velocities except for given values, and the values by name."""
    free = content.verbs.assemble(model, pose.t, start=pose)
    values = {name: pose[name] for name in independent(free, driven)} | dict(moved)
    return content.verbs.assemble(model, pose.t, values, pose), values


def _pose(content: FileContent, model: Model, request: MotionRequest, watch: Callable[[int, int], Any] | None) -> State:
    """Return the state in which the mechanism is released."""
    begin = float(content.times[0])
    at = begin if request.at is None else request.at
    if content.first == DRIVEN:
        times = np.linspace(begin, at, 1 + len(content.times)) if at != begin else np.array([begin])
        return content.verbs.kinematics(model, times, progress=watch).state(-1)
    start, _ = _start(content, model, begin, MotionRequest(FORCES, content.times))
    times = np.array([begin, at]) if at > begin else np.array([begin, begin + 1e-9])
    return content.verbs.simulate(model, times, start, progress=watch, **content.options).state(-1 if at > begin else 0)


# --- values with which a motion begins ---


def independent(state: State, driven: Sequence[Measure] = ()) -> dict[str, float]:
    """Return positions and rates by name with their values in this state: first those that were driven, if they have
    names; then repeatedly the first measure that depends strongly on the motions that are not yet determined."""
    system, free = state.system, free_motions(state.system, state.t, state.full_q)

    def is_parallel(row: np.ndarray, other: np.ndarray) -> bool:
        lengths = float(np.linalg.norm(row) * np.linalg.norm(other))
        return lengths > MEASURE_ROUNDOFF and abs(row @ other) >= (1 - SAME_MEASURE) * lengths

    driven_rows = _rows(state, driven, free)
    measures = _measures(state, free)
    candidates = sorted(measures, key=lambda pair: not any(is_parallel(pair[1], row) for row in driven_rows))
    names: list[str] = []
    while candidates and len(names) < free.shape[1]:
        lengths = [float(np.linalg.norm(row)) for _, row in candidates]
        if max(lengths) <= MEASURE_ROUNDOFF:
            break
        k = next(k for k, length in enumerate(lengths) if length >= MUCH * max(lengths))
        name, row = candidates.pop(k)
        names.append(name)
        direction = row / lengths[k]
        candidates = [(other, rest - (rest @ direction) * direction) for other, rest in candidates]
    values: dict[str, float] = {}
    for name in names:
        owner = name.rpartition(".")[0]
        levels = system.model.quantity(name)[0].levels[:2]
        values |= {f"{owner}.{level}": state[f"{owner}.{level}"] for level in levels if level}
    return values


def _measures(state: State, free: np.ndarray) -> list[tuple[str, np.ndarray]]:
    """Return measures by the names of their rates with their rows: those with values before mere rates, angles before
    lengths, those of bodies before those of joints."""
    model = state.system.model
    pairs = [(owner, measure) for owner in (*model.bodies, *model.elements) for measure in model.measures_of(owner)]
    pairs.sort(key=lambda pair: (not pair[1].levels[0], pair[1].unit != "rad", pair[0] not in model.bodies))
    rates = [(f"{owner}.{measure.levels[1]}", measure) for owner, measure in pairs if measure.levels[1]]
    rows = _rows(state, [measure for _, measure in rates], free)
    return [(name, row) for (name, _), row in zip(rates, rows, strict=True) if row.any()]


def _rows(state: State, measures: Sequence[Measure], free: np.ndarray) -> np.ndarray:
    """Return the effect of free motions on measures, relative to that of any motion, shape (measures, free motions)."""
    system = state.system
    sizes = np.sqrt(system.weight[: system.nv])
    rows = system.reader(measures).jacobian(state.t, state.full_q).toarray()[:, : system.nv] / sizes
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.where(lengths > 0.0, lengths, 1.0)) @ free
