"""A run that a program advances step by step, and whose inputs it sets in between.

    run = mbs.start(model, initial)
    while run.t < 1.0:
        run.set(push=-k * run["cart.x"])
        run.step(0.01)

The run equals the one of `simulate`, with the same steps and digits: a step that a requested time shortens is repeated
with its full length when the run goes on. The integration begins anew only where a value is set.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, overload

import numpy as np

from ..arguments import as_state, check_tables, system_of, whole_number
from ..compiled import System
from ..compiled.status import DONE, Status
from ..compiled.structure import Structure
from ..errors import MbsError, ModelError, checked_options, shortened, unknown_name
from ..explain.accuracy import note_on_faint_motion
from ..explain.contacts import check_apart, note_on_kept_contacts
from ..explain.failures import failure
from ..explain.prescribed import first_jump
from ..kernels.blocks import WORD, address_of
from ..kernels.images import places_written
from ..model.breaks import bends, reads_time
from ..model.checks import warn_of_angles
from ..model.model import Model
from ..model.parameters import finite_number, initial_number
from ..motion import run as marching
from ..motion.contact.reports import impacts_of, transitions_of
from ..motion.course import SPAN, WAITING, with_span_before
from ..motion.events import state_with
from ..motion.lanes.engine import Engine, engine
from ..motion.methods import Method
from ..motion.methods.stepping import stepping
from ..motion.outcome import counts_of, dynamic_result
from ..motion.past.memory import RECORD, memory_of
from ..motion.past.origin import Run, without_past
from ..motion.record import ACCEPTED, MARK, REJECTED, Record, new_march, put_back, remember
from ..motion.samples import set_states
from ..motion.stabilise import Stabilization, stabilization_of
from ..poses.trajectories import check_trajectories
from ..public_class import PublicClass
from ..results.names import components
from ..results.result import Result, State
from ..symbolic.markers import t as time
from ..tolerances import SAME_INSTANT
from ..unit_system import told
from .simulate import Ended, Prepared, advance, answer_events, check_result, prepared_run

WINDOW = 1.0
"""Breaks of laws are computed this many seconds ahead at the start; the time doubles whenever the run reaches its
end."""
ROWS = "q", "v", "a", "multipliers", "contacts", "energies", "modes", "independence"
"""The arrays of the record that a run stores for each time at which it stops."""
ROUNDS = 1000
"""Number of rounds of steps in lanes between two checks of Ctrl-C: some hundredths of a second."""


@overload
def start(
    model: Model | System, initial: Mapping[str, float] | State | None = None, t: float | None = None,
    inputs: Mapping[str, float] | None = None, method: str | Method = "DP5",
    stabilization: Stabilization | None = None, rtol: float = 1e-8, atol: float | None = None,
    step: float | None = None, max_step: float | None = None, max_steps: int | None = None,
    impacts: Literal["together", "in turn"] = "together", count: None = None,
) -> Simulation: ...  # fmt: skip
@overload
def start(
    model: Model | System, initial: Mapping[str, Any] | State | None = None, t: float | None = None,
    inputs: Mapping[str, float] | None = None, method: str | Method = "DP5",
    stabilization: Stabilization | None = None, rtol: float = 1e-8, atol: float | None = None,
    step: float | None = None, max_step: float | None = None, max_steps: int | None = None,
    impacts: Literal["together", "in turn"] = "together", *, count: int,
) -> Simulations: ...  # fmt: skip
@checked_options
def start(
    model: Model | System, initial: Mapping[str, Any] | State | None = None, t: float | None = None,
    inputs: Mapping[str, float] | None = None, method: str | Method = "DP5",
    stabilization: Stabilization | None = None, rtol: float = 1e-8, atol: float | None = None,
    step: float | None = None, max_step: float | None = None, max_steps: int | None = None,
    impacts: Literal["together", "in turn"] = "together", count: int | None = None,
) -> Simulation | Simulations:  # fmt: skip
    """Begin a run that the caller advances, and return it as a `Simulation` at the time `t`, in s; by default the time
    of `initial`, if that is a `State` or an equilibrium, else 0.

    `initial` and the options are those of `simulate`. Inputs whose law is a number keep their value until
    ``run.set(name=value)``; `inputs` gives first values by name, also for inputs with a law of time, which are then
    held as well. `max_steps` limits the steps of one call of `step` or `until`. With `count`, this many runs begin
    together as `Simulations`; initial values are then numbers, or one for each run.

    A cart of 2 kg is pushed by 4 N for a second and pulled by 4 N for another one:

    >>> model = mbs.PlanarModel("cart")
    >>> cart = model.body("cart", mass=2.0, inertia=1.0)
    >>> push = model.input("push", 0.0, unit="N")
    >>> force = model.add(mbs.Force("pusher", cart, (push, 0)))
    >>> run = mbs.start(model, mbs.at_rest(model))
    >>> run.set(push=4.0).step(1.0)
    <Simulation of 'cart' at 1 s>
    >>> round(run["cart.vx"], 6), round(run.set(push=-4.0).step(1.0)["cart.x"], 6)
    (2.0, 2.0)
    """
    steps: dict[str, Any] = {"method": method, "rtol": rtol, "atol": atol, "step": step, "impacts": impacts}
    by = stepping(**steps, max_step=max_step, max_steps=max_steps)
    if by.method.steps_over:
        what = f"start() holds runs of methods that stop at any time, and {by.method.name} makes steps of one length"
        raise ModelError(
            f'{what}; use simulate, or take method="DP5"', code="not-supported", argument="method", value=by.method.name
        )
    plain = system_of(model)
    held_model = plain.model.with_held_inputs(**(inputs or {}))
    system = held_model.compile(plain.coordinates.set, **plain.structure.tree).run_system
    stabiliser = stabilization_of(stabilization, by.method.projects)

    def begin_run(initial: Any) -> Simulation:
        first_values = as_state(initial)
        first = without_past(_with_inputs(system, first_values))
        run = Simulation(Run(system, by, stabiliser, _first_time(t, first_values), first, None))
        warn_of_angles(system.model, first_values, "initial")
        return run

    if count is None:
        return begin_run(initial)
    many = whole_number(count, "count is how many runs begin", least=1)
    members = list[Simulation]()
    for k, one in enumerate(_initials(initial, many)):
        with _member(k):
            members.append(begin_run(one))
    return Simulations(members)


@dataclass(slots=True, eq=False)
class StopRecord:
    """The record of a run at a time at which it stopped: the time, the moment at which laws are read, and recorded
    numbers."""

    t: float
    moment: float
    numbers: np.ndarray
    place: int  # the number of the recorded row, 0 or 1
    places: dict[str, tuple[int, int]]

    def __getitem__(self, name: str) -> np.ndarray:
        begin, size = self.places[name]
        return self.numbers[begin + self.place * size : begin + (self.place + 1) * size]


class InteractiveRun(Prepared):
    """A run that can return to the state before a shortened step, and that waits for set values before controllers
    sample."""

    __setattr__ = object.__setattr__  # unlike `Prepared`, this class is mutable
    is_cut = False
    """Whether the last step was shortened, so that the run returns to the state before it when it goes on."""

    @cached_property
    def words(self) -> list[np.ndarray]:
        """All numbers that steps write, except the record."""
        return [words for words, _ in places_written(self.march, RECORD)]

    @cached_property
    def before_cut(self) -> list[np.ndarray]:
        """Copies of the words of the march before the step that was shortened."""
        return [words.copy() for words in self.words]

    @cached_property
    def recorded(self) -> np.ndarray:
        """The part of the record that is stored for each time at which the run stops: two rows of each of its
        arrays."""
        record: Any = self.march.record
        first = address_of(record.words)
        arrays = [getattr(record, name) for name in ROWS]
        begins = [(address_of(array) - first) // WORD for array in arrays if array.size]
        end = max(begin + array.size for begin, array in zip(begins, filter(np.size, arrays), strict=True))
        return record.words[min(begins) : end].view(float)

    @cached_property
    def places(self) -> dict[str, tuple[int, int]]:
        """The place in this part at which the first row of each array begins, and the length of a row, by the array's
        name."""
        arrays, first = {name: getattr(self.march.record, name) for name in ROWS}, address_of(self.recorded)
        return {name: ((address_of(x) - first) // WORD if x.size else 0, x.size // 2) for name, x in arrays.items()}

    @property
    def notes(self) -> tuple[list[Any], ...]:
        return self.impacts, self.changes, self.events

    @property
    def waits(self) -> bool:
        """Whether controllers are to sample at the present time."""
        return bool(self.march.course.at[WAITING])

    def begin(self) -> int:
        """Begin with one empty span in front, two if controllers sample at the first time; return a status."""
        status, course, fresh = super().begin(), self.march.course, self.samples_first
        course.ends[: 1 + fresh], course.last[: 1 + fresh] = course.start, course.first[1 + fresh]
        course.at[SPAN], course.at[WAITING] = 1, fresh
        self.reported[0] = -np.inf  # no event has been reported yet
        self.take_notes()
        return status

    @property
    def samples_first(self) -> bool:
        return self.run.memory is None and self.sampling.begins(self.run.t)

    def sample_first(self, t: float) -> int:
        return DONE

    def sample(self) -> int:
        march = self.march
        if march.time[0] < march.record.times[-1]:
            return super().sample()
        remember(march)
        marching.record_now(march)
        put_back(march)
        return DONE

    def note_cut(self) -> None:
        self.take_notes()
        self.is_cut, self.resets_before, self.noted_before = True, dict(self.reset_at), [len(x) for x in self.notes]
        for words, copy in zip(self.words, self.before_cut, strict=True):
            np.copyto(copy, words)

    def take_back(self) -> None:
        """Return to the state before the shortened step, if there was one, and remove everything that was noted in
        it."""
        if not self.is_cut:
            return
        self.is_cut = False
        self.reset_at.clear()
        self.reset_at.update(self.resets_before)
        for notes, count in zip(self.notes, self.noted_before, strict=True):
            del notes[count:]
        counts = sum(map(len, self.changes)), sum(map(len, self.impacts))
        self.examined[:] = map(min, self.examined, counts)
        for words, copy in zip(self.words, self.before_cut, strict=True):
            np.copyto(words, copy)

    def forget_instant(self) -> None:
        """Prevent events that have happened at the present time from happening there once more."""
        t, events, deciding = float(self.march.time[0]), self.march.events, self.system.structure.deciding
        since = t - SAME_INSTANT * max(abs(t), 1.0)
        happened = {one.name for one in self.events if one.state.t >= since}
        resets = [event.who for event in self.system.model.events if event.name in happened]
        events.passed[:] = [deciding[k] in resets for k in events.function]


class Simulation(metaclass=PublicClass):
    """A run at a present time, from `start`: `step` and `until` advance it, names read quantities, `set` changes
    inputs.

    >>> rod = mbs.PlanarModel.from_points(
    ...     {"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=2, gravity=(0, -9.81))
    >>> run = mbs.start(rod, mbs.at_rest(rod))
    >>> isinstance(run, mbs.Simulation), run.until(0.2).t, run["rod.angle"] < 0
    (True, 0.2, True)
    >>> run.step(0.1).result()["rod.angle"].shape  # at 0, 0.2 and 0.3 s
    (3,)
    """

    def __init__(self, run: Run):
        self._run = run
        self._rows: list[StopRecord] = []
        self._message = ""
        self._failure: BaseException | None = None
        self._jump: MbsError | None = None  # the first known jump of a prescribed motion
        self._jumps_end = run.t  # no other jump lies before this time
        self._kinks: dict[str, list[float]] = {}  # times of jumps in drivers' accelerations, up to this time
        self._steps = np.zeros(2, dtype=np.int64)  # accepted and rejected steps before the last call
        self._inner = _interactive_run(run, run.t + WINDOW)
        self._answer(self._inner.begin())
        self._store_row(0, run.t)

    def _answer(self, status: int) -> None:
        """Execute the actions of events at the present time, or raise the error of a failed status."""
        inner = self._inner
        if status == Status.EVENT:
            status, self._message = answer_events(inner)
        if status not in (DONE, Status.EVENT):
            raise failure(inner.system, inner.march, status, self._whole())

    @contextmanager
    def _change(self) -> Iterator[None]:
        """Let an error or Ctrl-C during a change of the run end the run, which is then between two states."""
        try:
            yield
        except BaseException as error:
            self._fail(error)
            raise

    def _fail(self, error: BaseException) -> None:
        """Mark the run as ended by this error."""
        self._failure = self._failure or error

    def _check_alive(self) -> None:
        if self._failure is not None:
            why = str(self._failure) or "it was interrupted"
            what = f"this run of {self._inner.system.model.name!r} has ended behind t = {self.t:g}: {why}"
            raise ModelError(
                f"{what}; begin again: run.reset()",
                code="run-has-ended", model=self._inner.system.model.name, time=float(self.t), reason=why,
                cause=getattr(self._failure, "code", None),
            )  # fmt: skip

    # --- advancing the run --------------------------------------------------------------------------------------

    @property
    def t(self) -> float:
        """The present time of the run, in s."""
        return self._rows[-1].t

    @property
    def message(self) -> str:
        """The reason why an event has stopped the run before the requested time; empty if none has."""
        return self._message

    def step(self, dt: float) -> Simulation:
        """Advance the run by `dt`, in s, and return the run."""
        return self.until(self.t + finite_number(dt, "dt"))

    def until(self, t: float) -> Simulation:
        """Advance the run to the time `t`, in s, or to an event that stops it before (see `message`); return the
        run."""
        t = finite_number(t, "t")
        self._check_ahead(t)
        with self._change():
            if self._leave(t):
                self._arrive(advance(self._inner, _ignore, begins=False))
        return self

    def _check_ahead(self, t: float) -> None:
        self._check_alive()
        if t < self.t:
            what = f"the run stands at t = {self.t:g} and does not go back to t = {t:g}"
            raise ModelError(
                f"{what}; begin again, run.reset(), or start another one",
                code="back-in-time", argument="t", value=t, time=float(self.t),
            )  # fmt: skip
        model, end = self._inner.system.model, np.array([t])
        check_tables(model, end)
        check_trajectories(model, end)
        if t >= self._jumps_end and self._jump is None and self._inner.system.structure.switching:
            self._jumps_end = t + max(t - self._run.t, WINDOW)
            self._jump, kinks = first_jump(self.state, self._jumps_end)
            for name, times in kinks.items():
                self._kinks[name] = sorted({*self._kinks.get(name, ()), *times})
        if self._jump is not None and self._jump.facts["time"] < t:
            raise self._jump

    def _leave(self, t: float) -> bool:
        """Prepare the run to go on to t. Return whether it has to go on."""
        self._message = ""
        if t == self.t:
            return False
        self._inner.take_back()
        counts = self._inner.march.counts
        self._steps += counts[[ACCEPTED, REJECTED]]
        counts[[ACCEPTED, REJECTED, MARK]] = 0  # max_steps, and the search for a stall, count one call
        if self._inner.waits:
            self._sample(t)
            if self._message:
                return False
        if t >= self._inner.march.course.ends[-1]:
            self._look_ahead(t)
        march, course = self._inner.march, self._inner.march.course
        span = int(course.at[SPAN] + course.ends[course.at[SPAN] :].searchsorted(t))
        end, last = course.ends[span], course.last[span]
        self._cut = span, end, last
        if t < end:
            course.ends[span] = course.last[span] = t
        march.record.times[0], march.record.times[1] = self.t, t
        march.counts[marching.NEXT], march.noted[0] = 1, 0
        return True

    def _arrive(self, ended: Ended) -> None:
        """Record the state that the run has reached, or raise the error that ended it."""
        inner, march, course, (span, end, last) = self._inner, self._inner.march, self._inner.march.course, self._cut
        if course.ends[span] < end:
            course.ends[span], course.last[span] = end, last
        elif inner.waits or int(course.at[SPAN]) > span:  # a step ends there without the cut, too
            inner.is_cut = False
        if ended.error or ended.status == Status.PAUSED:
            raise ended.error or KeyboardInterrupt(ended.message)
        self._answer(DONE if ended.status == Status.EVENT else ended.status)
        if ended.message:
            self._message, inner.is_cut = ended.message, False
        if march.counts[marching.NEXT] > 1:
            self._store_row(1, float(march.time[0]))

    def _sample(self, t: float) -> None:
        """Let controllers sample the set values before the run goes on to t; results show their outputs."""
        inner, march = self._inner, self._inner.march
        march.record.times[:], march.counts[marching.NEXT] = (self.t, t), 0
        status = inner.sample()
        inner.take_notes()
        self._answer(status)
        self._store_row(0, self.t)

    def _look_ahead(self, t: float) -> None:
        """Find the breaks of laws up to a time beyond t, and continue with them."""
        old, begin = self._inner, self._run.t
        system, course, end = old.system, old.march.course, t + (t - begin)
        if not system.structure.once(_reads_time):  # no law breaks
            course.ends[-1] = course.first[-1] = course.last[-2:] = end
            search: Any = old.march.search
            search.put("whole", end - self.t)
            return
        memory = memory_of(old.march)
        run = replace(self._run, t=self.t, initial=self.state, memory=memory)
        self._inner = inner = _interactive_run(run, end)
        counts = old.march.counts.copy(), old.march.mechanism.machine.counts.copy()
        self._answer(inner.begin())
        inner.march.counts[:], inner.march.mechanism.machine.counts[:] = counts
        for notes, old_notes in zip((*inner.notes, inner.examined), (*old.notes, old.examined), strict=True):
            notes[:] = old_notes
        inner.reset_at.update(old.reset_at)

    def _store_row(self, row: int, t: float) -> None:
        """Store a row of the record as the state of the run at t, in place of an earlier row at the same time."""
        inner, course = self._inner, self._inner.march.course
        span = int(course.at[SPAN])
        if self._rows and self._rows[-1].t == t:
            self._rows.pop()
        moment = min(max(t, course.first[span]), course.last[span])
        self._rows.append(StopRecord(t, moment, inner.recorded.copy(), row, inner.places))
        self._present: Result | None = None
        self._state: State | None = None

    # --- readings of the run ------------------------------------------------------------------------------------

    @property
    def state(self) -> State:
        """The present state of the run; other runs may start from it."""
        if self._state is None:
            system, row = self._inner.system, self._rows[-1]
            (q,), (v,), (a,) = system.to_bodies((row["q"][None].copy(), row["v"][None].copy(), row["a"][None].copy()))
            self._state = State(system.cartesian, row.t, q, v, a)
        return self._state

    def __getitem__(self, name: str) -> Any:
        """Return the present value of a quantity by the name that results use; a vector is returned as an array."""
        if name in self.state.result:
            return self.state[name]
        value = self._now[name][-1]
        return value if np.ndim(value) else float(value)

    @property
    def _now(self) -> Result:
        """The result over the first time, from which energy is counted, and the present one."""
        if self._present is None:
            self._present = self._result([self._rows[0], self._rows[-1]])
        return self._present

    def result(self) -> Result:
        """Return the motion so far: a `Result` over the times at which the run stopped, with events, impacts and
        energy."""
        inner = self._inner
        motion = self._whole()
        check_result(inner.system, inner.march, motion)
        return motion

    def _whole(self) -> Result:
        inner, system = self._inner, self._inner.system
        hidden = filter(None, (note_on_faint_motion(inner.march), note_on_kept_contacts(inner.march, system.cartesian)))
        return self._result(
            self._rows,
            message=self._message or "; ".join(hidden),
            **inner.logs(inner.events, impacts_of(system, inner.impacts), transitions_of(system, inner.changes)),
        )

    def _result(self, rows: list[StopRecord], **more: Any) -> Result:
        inner, march_record = self._inner, self._inner.march.record
        stacked = {name: np.empty((len(rows), *getattr(march_record, name).shape[1:])) for name in ROWS}
        for name, array in stacked.items() if rows else ():  # a run that cannot begin has no rows
            array.reshape(len(rows), -1)[:] = [row[name] for row in rows]
        times, moments = np.array([row.t for row in rows]), np.array([row.moment for row in rows])
        stats = {**inner.facts, **counts_of(inner.march)}
        stats["accepted"] += int(self._steps[0])
        stats["rejected"] += int(self._steps[1])
        kinks = {name: [t for t in at if rows and t < rows[-1].t] for name, at in self._kinks.items()}
        stats |= {"kinks": some} if (some := {name: at for name, at in kinks.items() if at}) else {}
        record = Record(times, **stacked)
        more |= {"stats": stats, "table_ends": inner.table_ends.values()}
        return dynamic_result(inner.system, record, moments, len(rows), t=times, **more)

    def __repr__(self) -> str:
        note = f"; {self._message}" * bool(self._message)
        return f"<Simulation of {self._inner.system.model.name!r} at {told(self.t, 's')}{note}>"

    # --- changes of the run -------------------------------------------------------------------------------------

    def set(self, values: Mapping[str, float] | None = None, /, **inputs: float) -> Simulation:
        """Change values of inputs and states of the model from now on, by their names, and return the run. A dict may
        also name positions and velocities, ``run.set({"crank.omega": 3})``: the other coordinates then take the nearest
        values that constraints allow."""
        self._check_alive()
        inner, march, t = self._inner, self._inner.march, self.t
        if not isinstance(values, Mapping | None):
            what = f"set() takes names and values, not {shortened(values)}"
            raise ModelError(
                f'{what}; e.g. run.set(push=2.0), or run.set({{"crank.omega": 3.0}})',
                code="not-a-dict", argument="values", value=values,
            )  # fmt: skip
        both = {**(values or {}), **inputs}
        numbers = {str(name): initial_number(value, f"set({name})") for name, value in both.items()}
        model = inner.system.model
        states = {one.name: one.symbol for one in model.states}
        signals = {states[name]: value for name, value in numbers.items() if name in states}
        for name in numbers.keys() - states.keys():
            self._check_is_set(name)
        q = march.stages.y0[: march.mechanism.state.q_end]
        if len(signals) == len(numbers) and all(q[inner.system.layout.signals[s]] == x for s, x in signals.items()):
            return self
        moved = None if len(signals) == len(numbers) else state_with(inner.system, numbers, self.state, "set() gives")
        if moved is not None:
            q_new, v_new = (x[None].copy() for x in moved)
            (pose,), (rates,), _ = inner.system.to_bodies((q_new, v_new, np.zeros_like(v_new)))
            after = State(inner.system.cartesian, t, pose, rates, inner.system.cartesian.still)
            check_apart(after, "is set", "set ")
        with self._change():
            inner.is_cut, waits = False, inner.waits
            inner.forget_instant()
            march.record.times[:] = t
            if moved is not None:
                march.counts[marching.NEXT] = 2
                status = marching.restart(march, *moved)
            else:
                set_states(inner.system, q, signals)
                course, span = march.course, int(march.course.at[SPAN])
                if course.first[span] <= t:  # no law switches here: the span is cut in two
                    course.ends[span - 1] = course.last[span - 1] = course.first[span] = t
                course.at[SPAN], course.at[WAITING], march.counts[marching.NEXT] = span - 1, 1, 1
                status = marching.resume(march)
                course.at[WAITING] = waits
            inner.take_notes()
            self._answer(status)
            self._store_row(1, t)
        return self

    def _check_is_set(self, name: str) -> None:
        """Refuse a name that is neither a state, nor a position or a velocity."""
        model = self._inner.system.model
        quantity = model.quantity_or_none(name)
        if quantity and quantity[1] < 2:
            return
        takes = "set() takes inputs, states, positions and velocities"
        if name in {one.name for one in model.inputs}:
            what = f"the input {name!r} is given by a law, so it is not set"
            raise ModelError(
                f"{what}; hold it from the start: mbs.start(..., inputs={{{name!r}: value}})",
                code="given-by-law", argument="values", name=name,
            )  # fmt: skip
        names = [one.name for one in model.states] + model.quantity_names(2)
        if parts := components(name, names):
            raise ModelError(
                f"{takes}, and {name!r} is a vector; set {' and '.join(map(repr, parts))}",
                code="is-a-vector", argument="values", components=parts, name=name,
            )  # fmt: skip
        if quantity or name in self._now:
            raise ModelError(
                f"{takes}, and {name!r} follows from these; it is read, not set",
                code="read-only", argument="values", name=name,
            )  # fmt: skip
        raise unknown_name("input, state, position or velocity", name, names, f"model {model.name!r}")

    def reset(self, initial: Mapping[str, float] | State | None = None, t: float | None = None) -> Simulation:
        """Begin again and return the run, without memory of the motion so far: from `initial` (values by name or a
        `State`) at the time `t`, in s; by default the first state and time. A `State` begins at its own time, unless
        `t` is given. A refused state leaves the run unchanged."""
        vars(self).update(vars(self._new_run(initial, t)))
        return self

    def _new_run(self, initial: Mapping[str, float] | State | None, t: float | None) -> Simulation:
        """Return a run of this model that begins at the given state and time, by default those of this run."""
        run, first_values = self._run, as_state(initial)
        if first_values is not None:
            run = replace(run, initial=without_past(_with_inputs(run.system, first_values)))
        if t is not None or isinstance(first_values, State):
            run = replace(run, t=_first_time(t, first_values))
        new_run = Simulation(run)
        warn_of_angles(run.system.model, first_values, "initial")
        return new_run


class Simulations(metaclass=PublicClass):
    """Runs of one model that advance together, from ``start(..., count=n)``, with the methods of `Simulation`.
    Values that are read have a row for each member; values that are set may have one. ``runs[k]`` is member k, a
    `Simulation`.

    >>> rod = mbs.PlanarModel.from_points(
    ...     {"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=2, gravity=(0, -9.81))
    >>> runs = mbs.start(rod, {"rod.angle": np.array([0.0, 0.1, 0.2]), "rod.omega": 0.0}, count=3)
    >>> isinstance(runs, mbs.Simulations), runs.step(0.1)["rod.omega"].shape
    (True, (3,))
    >>> print(runs.reset(members=[1]).t)
    [0.1 0.  0.1]
    """

    def __init__(self, members: Sequence[Simulation]):
        self._members = tuple(members)

    @cached_property
    def _lanes(self) -> Engine | None:
        return engine([one._inner.march for one in self._members])

    def __len__(self) -> int:
        return len(self._members)

    @property
    def t(self) -> np.ndarray:
        """The present time of each member, in s, shape (count,)."""
        return np.array([one.t for one in self._members])

    @property
    def messages(self) -> tuple[str, ...]:
        """The reason why an event has stopped each member before the requested time; empty if none has."""
        return tuple(one.message for one in self._members)

    @property
    def state(self) -> tuple[State, ...]:
        """The present state of each member."""
        return tuple(one.state for one in self._members)

    @overload
    def __getitem__(self, name: int) -> Simulation: ...
    @overload
    def __getitem__(self, name: str) -> np.ndarray: ...
    def __getitem__(self, name: int | str) -> Any:
        """Return a member by its number; or the values of a quantity by its name, shape (count,), for vectors (count,
        components)."""
        if isinstance(name, int | np.integer):
            return self._members[name]
        first = self._members[0]
        if str(name).startswith("energy."):  # energy counts from the beginning of each run
            return np.array([one[name] for one in self._members])
        return np.array(first._result([one._rows[-1] for one in self._members])[name])

    def step(self, dt: Any) -> Simulations:
        """Advance all members by `dt`, in s, a number or one for each member, and return the runs."""
        return self.until(self.t + self._of_members(dt, "dt"))

    def until(self, t: Any) -> Simulations:
        """Advance all members to the time `t`, in s, a number or one for each member, or to an event that stops a
        member before; return the runs. If a member fails, the others reach their times before its error is raised."""
        times = self._of_members(t, "t").tolist()
        for k, (one, to) in enumerate(zip(self._members, times, strict=True)):
            with _member(k):
                one._check_ahead(to)
        errors, going, under_way = list[tuple[int, MbsError]](), list[int](), set[int]()
        try:
            for k, (one, to) in enumerate(zip(self._members, times, strict=True)):
                under_way.add(k)
                try:
                    with one._change():
                        goes = one._leave(to)
                except MbsError as error:
                    errors.append((k, error))
                    goes = False
                if goes:
                    going.append(k)
                else:
                    under_way.remove(k)
            statuses = self._run_lanes(going)
            for k in going:
                one, inner = self._members[k], self._members[k]._inner
                try:
                    with one._change():
                        if statuses is not None and statuses[k] == DONE:
                            inner.take_notes()
                            one._arrive(Ended(DONE, ""))
                        else:
                            done = None if statuses is None else int(statuses[k])
                            one._arrive(advance(inner, _ignore, begins=False, made=done))
                except MbsError as error:
                    errors.append((k, error))
                under_way.remove(k)
        except BaseException as error:  # Ctrl-C, or what a function of the caller raised
            for k in under_way:
                self._members[k]._fail(error)
            raise
        if errors:
            member, first = errors[0]
            with _member(member):
                raise first
        return self

    def _run_lanes(self, going: Sequence[int]) -> np.ndarray | None:
        """Make steps of these members in lanes, to their times or to an action that each member does alone. Return the
        status of each member; None if members do not run in lanes."""
        lanes = self._lanes
        if lanes is None:
            return None
        for k in going:
            lanes.give(k, self._members[k]._inner.march)
        lanes.clear()
        waiting: Sequence[int] = going
        while waiting:
            for k in waiting:
                lanes.resume(k)
            while lanes.go_on(ROUNDS):
                if self._members[0]._inner.system.interrupted():
                    raise KeyboardInterrupt
            waiting = [k for k in waiting if lanes.status[k] in (Status.CUT_SHORT, Status.PAUSED)]
            for k in waiting:
                if lanes.status[k] == Status.CUT_SHORT:
                    self._members[k]._inner.note_cut()
                else:
                    self._members[k]._inner.take_notes()
        return lanes.status.copy()

    def set(self, values: Mapping[str, Any] | None = None, /, **inputs: Any) -> Simulations:
        """Change inputs, states, positions and velocities as `Simulation.set` does, to numbers or one for each member;
        return the runs."""
        if not isinstance(values, Mapping | None):
            raise ModelError(
                f"set() takes names and values, not {shortened(values)}; e.g. runs.set(push=2.0)",
                code="not-a-dict", argument="values", value=values,
            )  # fmt: skip
        settings = {**(values or {}), **inputs}
        rows = {name: self._of_members(value, f"set({name})").tolist() for name, value in settings.items()}
        for k, one in enumerate(self._members):
            with _member(k):
                one.set({name: row[k] for name, row in rows.items()})
        return self

    def reset(
        self, initial: Mapping[str, Any] | State | None = None, t: Any = None, members: Any = None
    ) -> Simulations:
        """Begin all members again, or those of `members` (numbers, or a mask of True and False), and return the runs.
        `initial` values and times `t`, in s, are numbers, or one for each member that begins again."""
        numbers = np.arange(len(self)) if members is None else np.asarray(members)
        if numbers.dtype == bool and numbers.shape == (len(self),):
            numbers = np.flatnonzero(numbers)
        good = numbers.size == 0 or (numbers.ndim == 1 and np.issubdtype(numbers.dtype, np.integer))
        if not good or (numbers.size and not (numbers.min() >= 0 and numbers.max() < len(self))):
            what = f"members are numbers from 0 to {len(self) - 1}, or a mask of {len(self)} values True and False"
            raise ModelError(
                f"{what}, not {shortened(members)}",
                code="out-of-bounds", argument="members", value=members, count=len(self),
            )  # fmt: skip
        fresh = list[tuple[int, Simulation]]()
        times = [None] * numbers.size if t is None else _of_members(t, "t", numbers.size).tolist()
        for row, (k, first) in enumerate(zip(numbers.tolist(), _initials(initial, numbers.size), strict=True)):
            with _member(k):
                fresh.append((k, self._members[k]._new_run(first, times[row])))
        for k, one in fresh:  # no error is raised from here on
            vars(self._members[k]).update(vars(one))
        return self

    def result(self) -> tuple[Result, ...]:
        """Return the motion so far of each member: a `Result` over the times at which it stopped."""
        return tuple(one.result() for one in self._members)

    def _of_members(self, values: Any, what: str) -> np.ndarray:
        return _of_members(values, what, len(self))

    def __repr__(self) -> str:
        times = self.t
        name, span = self._members[0]._inner.system.model.name, sorted({times.min(), times.max()})
        return f"<Simulations of {name!r}: {len(self)} runs at {' to '.join(told(float(t), 's') for t in span)}>"


@contextmanager
def _member(k: int) -> Iterator[None]:
    """Add the number of the member to errors."""
    try:
        yield
    except MbsError as error:
        raise type(error)(f"member {k}: {error}", error.code, **error.facts) from error


def _of_members(values: Any, what: str, count: int) -> np.ndarray:
    """Return the numbers of members, shape (count,): one for all, or one for each."""
    if np.ndim(values) == 0:
        return np.full(count, finite_number(values, what))
    numbers = np.asarray(values)
    if numbers.shape != (count,) or numbers.dtype.kind not in "fiu":
        raise ModelError(
            f"{what} is a number, or {count} numbers, not {shortened(values)}",
            code="wrong-length", argument=what, value=values, length=count,
        )  # fmt: skip
    if not np.isfinite(numbers).all():
        bad = int(np.flatnonzero(~np.isfinite(numbers))[0])
        raise ModelError(
            f"{what} is {numbers[bad]} for member {bad}; give finite numbers",
            code="not-finite", argument=what, value=float(numbers[bad]), member=bad,
        )  # fmt: skip
    return numbers.astype(float)


def _initials(initial: Any, count: int) -> Sequence[Any]:
    """Return the initial values of each member; values in a dict may be one for each member."""
    if not isinstance(initial, Mapping):
        return [initial] * count
    several = {name: _of_members(x, f"initial[{name!r}]", count) for name, x in initial.items() if np.ndim(x)}
    return [{**initial, **{name: row[k] for name, row in several.items()}} for k in range(count)]


def _first_time(t: float | None, initial: Any) -> float:
    """Return the time at which a run begins: t, or the time of its first state, or 0."""
    return finite_number(initial.t if t is None and isinstance(initial, State) else t or 0.0, "t")


def _reads_time(structure: Structure) -> bool:
    """Return whether a part of a model depends on time, or switches at times of its own."""
    model, elements = structure.model, structure.model.elements.values()
    laws = [one.law for one in model.inputs] + [one.rate for one in model.states]
    switch = bool(structure.with_breaks or model.controllers) or any(map(bends, elements))
    return switch or any(map(reads_time, elements)) or any(law.has(time) for law in laws)


def _interactive_run(run: Run, end: float) -> InteractiveRun:
    """Return a run up to a time, with a record of two rows: the last and the next time at which it stops."""
    prepared = prepared_run(run, np.array([run.t, end]), looks_ahead=True)
    course, times = with_span_before(prepared.march.course), prepared.march.record.times.copy()
    inner = InteractiveRun(**{**vars(prepared), "times": times, "moments": times.copy()})
    if inner.samples_first:
        course = with_span_before(course)
    return replace(inner, march=new_march(run.system, run.by, run.how, course, times, inner.reads_tables))


def _with_inputs(system: System, initial: Mapping[str, float] | State | None) -> Mapping[str, float] | State:
    """Return initial values together with the values of held inputs."""
    number, states = system.evaluator, {one.name: one for one in system.model.states}
    if not isinstance(initial, State):
        inputs_held = {one.name: number(one.initial) for one in states.values() if one.is_held}
        return {**inputs_held, **(initial or {})}
    bodies, signals = system.cartesian, initial.system.layout.signals
    places_of_initial = {str(symbol): place for symbol, place in signals.items()}
    q, v = bodies.placement.copy(), bodies.still.copy()
    q[: bodies.nq], v[: bodies.nv] = initial.q, initial.v
    for symbol, place in bodies.layout.signals.items():
        if str(symbol) in states and str(symbol) in places_of_initial:
            q[place] = initial.full_q[places_of_initial[str(symbol)]]
    return State(bodies, initial.t, q, v, bodies.still)


def _ignore(done: int, total: int) -> None:
    """Show no progress: the caller advances the run."""
