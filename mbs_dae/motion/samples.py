"""Sampling times, at which digital controllers set states.

A sampling time is the end of a step, and the step after it begins with the states that were set: for a run it is a
break, at which it returns to Python for a moment. The last time of a run is not sampled: a run that goes on from there
does that first, so that a motion in two parts is the motion in one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..compiled import System
from ..compiled.python_kernel import told
from ..compiled.reading import Trajectory
from ..compiled.signals import Assignment, AssignmentBuilder, assign
from ..compiled.structure import Structure
from ..errors import ModelError
from ..model.checks import set_twice
from ..model.parameters import Evaluator, Signal, finite_number
from ..model.signals import Sampled, state_of
from ..readings.motion import ComputedQuantities
from ..tolerances import DIFFERENCE_AGREEMENT, SAME_TIME, SIGNAL_STEP
from .derivative import derivative
from .record import IntegratorState, put_back, remember

PLACES, WEIGHTS = np.array([-2, -1, 1, 2]), np.array([1.0, -8.0, 8.0, -1.0]) / 12.0
"""The places and weights of five-point differences of functions in Python."""
SHORTER, TRIES = 8.0, 5
"""Where differences of a reading over one place and over two differ by more than `DIFFERENCE_AGREEMENT` of the slope,
they are made shorter by the factor `SHORTER`, at most `TRIES` times in all."""
MOST = 1_000_000
"""The largest number of samples in a run."""


class Update(NamedTuple):
    """The states that one controller set in a sample, and their dependence on its readings."""

    controller: str
    targets: list[int]
    """The places in q of the states that it set."""
    reads: tuple[str, ...]
    """The names of the quantities that its function in Python read."""
    slopes: np.ndarray | None
    """The slopes of the states by the quantities that the function read, (targets, reads); None for expressions."""


class Sample(NamedTuple):
    """A sample, as noted for derivatives."""

    step: int
    """The number of the step that begins at the sample; -1 at the beginning of the run."""
    now: float
    y: np.ndarray
    """The state before the sample."""
    rates: np.ndarray
    """The accelerations before it."""
    updates: list[Update]


@dataclass(frozen=True, eq=False)
class Sampling:
    """The controllers of a system over the times of a run."""

    system: System
    times: np.ndarray
    """All sampling times, the first time of the run included where it is one, the last one not."""
    due: Mapping[Sampled, frozenset[float]]
    """The sampling times of each controller."""

    def begins(self, t: float) -> bool:
        return self.times.size > 0 and bool(self.times[0] == t)

    def sample(
        self, march: IntegratorState, t: float, now: float, notes: list[Sample] | None = None, step: int = -1
    ) -> None:
        """Let the controllers that are due at t set states of the run; `now` is the moment inside the next span. All
        read the values from before the sample. The sample is appended to `notes`, if given, with the number of the step
        that begins there."""
        state, y = march.mechanism.state, march.stages.y0
        q, v = y[: state.q_end], y[state.v_at : state.v_end]
        remember(march)
        derivative(march.mechanism, now, y, march.stages.k[0])
        put_back(march)
        motion = q, v, np.nan_to_num(march.stages.k[0, state.v_at : state.v_end])
        by: dict[Signal, Sampled] = {}
        fresh, updates = q.copy(), list[Update]()
        for controller, times in self.due.items():
            values = self._values(controller, t, now, motion) if t in times else {}
            for state in {*values} & {*by}:
                raise ModelError(
                    f"{set_twice(by[state].who, controller.who, state.name)} (t = {t:g})",
                    code="set-twice", controllers=(by[state].name, controller.name), state=state.name, time=t,
                )  # fmt: skip
            by |= dict.fromkeys(values, controller)
            set_states(self.system, fresh, values)
            if notes is not None and t in times:
                updates.append(self._noted(controller, t, now, motion, values))
        if notes is not None:
            notes.append(Sample(step, now, y.copy(), motion[2].copy(), updates))
        q[:] = fresh

    def _noted(
        self, controller: Sampled, t: float, now: float, motion: Sequence[np.ndarray], values: Mapping[Signal, float]
    ) -> Update:  # fmt: skip
        """Return the states set by a controller, with the slopes of its function by the quantities that it reads."""
        targets = [self.system.layout.signals[signal] for signal in values]
        if controller.function is None:
            return Update(controller.name, targets, (), None)
        reader, known = self._reader(now, motion), dict[str, float]()

        def read(name: str) -> float:
            if name not in known:
                known[name] = reader(name)
            return known[name]

        def called(reads: Callable[[str], float]) -> np.ndarray:
            found = called_at(controller, t, reads, self.system)
            if found.keys() != values.keys():
                what = f"{controller.who} sets other states beside what it reads at t = {t:g}, or if it is called again"
                raise ModelError(
                    f"derivatives of simulate: {what}; let it set the same ones",
                    code="sets-other-states", controller=controller.name, time=t,
                )  # fmt: skip
            return np.array([found[signal] for signal in values])

        if not np.array_equal(called(read), [*values.values()]):
            what = f"the function of {controller.who} returns something else if it is called again at t = {t:g}"
            raise ModelError(
                f"derivatives of simulate: {what}; keep what it remembers in states of the model",
                code="not-repeatable", controller=controller.name, time=t,
            )  # fmt: skip
        names = tuple(known)
        slopes = np.zeros((len(targets), len(names)))
        for k, name in enumerate(names):

            def beside(value: float, name: str = name) -> np.ndarray:
                return called(lambda other: value if other == name else read(other))

            slopes[:, k] = slope_at(beside, known[name], max(abs(known[name]), self._size(name)))
        return Update(controller.name, targets, names, slopes)

    def _size(self, name: str) -> float:
        """Return the size of a quantity, to which its changes are compared: a length, the scale of a state, or 1."""
        found = self.system.model.quantity_or_none(name)
        if found is None:
            states = {one.name: one.scale for one in self.system.model.states}
            return float(self.system.evaluator(states[name])) if name in states else 1.0
        return float(self.system.cartesian.length) if found[0].units[found[1]].startswith("m") else 1.0

    def _values(self, controller: Sampled, t: float, now: float, motion: Sequence[np.ndarray]) -> dict[Signal, float]:
        system, (q, v, _) = self.system, motion
        if controller.function is None:
            values, (own, moving) = q.copy(), kernel_state(system, q, v)
            assign(system.once(_updates)[controller.name], now, own, moving, values)
            found = {s: float(values[system.layout.signals[s]]) for s in _targets(system.structure, controller)}
            _check_finite(controller, found, t)
            return found
        return called_at(controller, t, self._reader(now, motion), system)

    def _reader(self, now: float, motion: Sequence[np.ndarray]) -> Callable[[str], float]:
        q, v, a = motion
        bodies = Trajectory(np.array([now]), *self.system.to_bodies((q[None], v[None], a[None])))
        quantities = ComputedQuantities(self.system.cartesian, bodies, integrated=True)
        return lambda name: float(quantities[name][0])


def slope_at(function: Callable[[float], np.ndarray], at: float, size: float) -> np.ndarray:
    """Return the slopes of the values of a function, by differences of fourth order; nan where it has a kink: there the
    differences over one place and over two, of first and of second order, do not come closer as they get shorter."""
    here, found, before = function(at), np.array(np.nan), np.array(0.0)
    for k in range(TRIES):
        h = SIGNAL_STEP * size / SHORTER**k
        values = np.array([function(at + place * h) for place in PLACES])
        (far_below, below, above, far_above), slope = values, WEIGHTS @ values / h
        near, far = (above - below) / (2.0 * h), (far_above - far_below) / (4.0 * h)
        bends = (above - 2.0 * here + below) / h, (far_above - 2.0 * here + far_below) / (4.0 * h)
        apart = np.maximum(np.abs(near - far), np.abs(bends[0] - bends[1]))
        roundoff = 64.0 * np.finfo(float).eps * np.abs(values).max(axis=0) / h
        smooth = (apart <= DIFFERENCE_AGREEMENT * np.abs(near) + roundoff) | (apart <= before / SHORTER**1.5)
        found, before = np.where(smooth & np.isnan(found), slope, found), apart
        if np.isfinite(found).all():
            break
    return found


def set_states(system: System, q: np.ndarray, values: Mapping[Signal, float]) -> None:
    """Put values of states at their places in q, at the end of a step or before the first."""
    for signal, value in values.items():
        q[system.layout.signals[signal]] = value


def kernel_state(system: System, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a state in the coordinates that kernels are derived in."""
    if system.coordinates.kernels is system.coordinates:
        return q, v
    own, moving, _ = system.to_bodies((q[None], v[None], np.zeros_like(v)[None]))
    return own[0], moving[0]


def _updates(system: System) -> dict[str, Assignment]:
    return {name: builder.fill(system.evaluator) for name, builder in updates_of(system).items()}


def updates_of(system: System) -> Mapping[str, AssignmentBuilder]:
    """Return the builders for the expressions of each controller, by its name."""
    return system.structure.once(_builders)


def _builders(structure: Structure) -> dict[str, AssignmentBuilder]:
    kernels, places = structure.coordinates.kernels, structure.layout.signals
    return {
        one.name: AssignmentBuilder([one], [[places[s] for s in _targets(structure, one)]], kernels, structure.batch)
        for one in structure.model.controllers
        if one.function is None
    }


def _targets(structure: Structure, controller: Sampled) -> list[Signal]:
    return [state_of(structure.model, target, f"{controller.who} sets").symbol for target in controller.targets]


def called_at(controller: Sampled, t: float, read: Callable[[str], float], system: System) -> dict[Signal, float]:
    """Return the states that a controller in Python sets, with their values; raise an error if they are not valid."""
    who = f"the function of {controller.who}, called at t = {t:g},"
    assert controller.function is not None
    try:
        values = controller.function(t, read)
    except ModelError as exc:
        raise ModelError(
            f"{who} reads what is not there: {exc}",
            code="unknown-name", argument="update", controller=controller.name, name=exc.facts.get("name"), time=t,
        ) from exc  # fmt: skip
    except Exception as exc:
        raise ModelError(
            f"{who} raised {told(exc)}; call it by hand with this t to see where",
            code="function-raises", argument="update", controller=controller.name, exception=type(exc).__name__, time=t,
        ) from exc  # fmt: skip
    if not isinstance(values, Mapping):
        raise ModelError(
            f"{who} must return a dict of states and values, not {values!r}",
            code="not-a-dict", argument="update", value=values, controller=controller.name, time=t,
        )  # fmt: skip
    found = {state_of(system.model, name, f"{who} sets").symbol: (name, value) for name, value in values.items()}
    return {symbol: finite_number(value, f"'{name}' from {who}") for symbol, (name, value) in found.items()}


def _check_finite(controller: Sampled, values: Mapping[Signal, float], t: float) -> None:
    for signal, value in values.items():
        if not np.isfinite(value):
            raise ModelError(
                f"{controller.who} sets {signal.name!r} to {value} at t = {t:g}; correct its expression",
                code="not-finite", argument="update", controller=controller.name, state=signal.name, value=value,
                time=t,
            )  # fmt: skip


def sampling_of(system: System, times: np.ndarray) -> Sampling:
    """Return the sampling times within a run, at multiples of the periods; those that differ by roundoff are one."""
    if not system.model.controllers:
        return Sampling(system, np.zeros(0), {})
    near = SAME_TIME * float(np.abs(times[[0, -1]]).max())
    own = {one: _multiples(one, system.evaluator, times, near) for one in system.model.controllers}
    every = np.unique(np.concatenate([*own.values()]))
    every = every[np.diff(every, prepend=-np.inf) > near]
    due = {one: frozenset(every[np.searchsorted(every, grid - near)].tolist()) for one, grid in own.items()}
    return Sampling(system, every, due)


def _multiples(controller: Sampled, number: Evaluator, times: np.ndarray, near: float) -> np.ndarray:
    (first, last), period = times[[0, -1]], number(controller.every)
    if (last - first) / period > MOST:
        raise ModelError(
            f"{controller.who} samples every {period:g} s, {(last - first) / period:.3g} times from {first:g} to "
            f"{last:g}, and {MOST} is the most; give a longer every=, shorten the times, or say it as a rate",
            code="too-many-samples", controller=controller.name, period=float(period),
            count=float((last - first) / period), most=MOST,
        )  # fmt: skip
    grid = period * np.arange(np.floor(first / period), np.ceil(last / period) + 1)
    grid[np.abs(grid - first) <= near] = first
    return grid[(grid >= first) & (grid < last - near)]


def on_samples(times: np.ndarray, samples: np.ndarray) -> np.ndarray:
    """Return the requested times; one that equals a sampling time within roundoff is replaced by it."""
    if not samples.size:
        return times
    near = SAME_TIME * np.abs(times[[0, -1]]).max()
    nearest = _nearest(samples, times)
    return np.where(np.abs(nearest - times) <= near, nearest, times)


def with_samples(breaks: np.ndarray, samples: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Return the breaks of a run: those of laws, except where they equal sampling times within roundoff, and the
    sampling times."""
    if not samples.size:
        return breaks
    near = SAME_TIME * np.abs(times[[0, -1]]).max()
    return np.union1d(breaks[np.abs(_nearest(samples, breaks) - breaks) > near], samples)


def _nearest(samples: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Return the nearest sampling time for each of these times."""
    at = np.clip(np.searchsorted(samples, times), 1, max(samples.size - 1, 1))
    before, behind = samples[at - 1], samples[np.minimum(at, samples.size - 1)]
    return np.where(times - before < behind - times, before, behind)
