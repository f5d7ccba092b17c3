"""Derivatives of a run by central differences of whole runs of its neighbours.

Where the record of a run does not tell how it changes (decision 159), whole runs are made in neighbouring designs, or
from neighbouring starts, at the places p + c h of a stencil (`designs`): then for everything that a run tells

    df/dp = 1/h Σ w_c f(p + c h),        c = ±1, ±2, ±3,

with an error of order h⁶, plus the errors of the runs, divided by h; the runs have small tolerances. Next to a bound of
a parameter all places lie on one side, c = 1, ..., 7. The difference from the formula of fourth order, by the inner
places, bounds the error; and the even part of f,

    f(p + c h) + f(p - c h) = 2 f(p) + |c| h (f'(p+) - f'(p-)) + c² h² f''(p) + ...,

tells whether f has one slope at p (not from places on one side). Of several h each number takes the one with the least
error. In a neighbour an event, an impact or a change of contacts has another time; a number that is read between these
times needs a smaller h.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from ..compiled import System
from ..compiled.reading import Trajectory
from ..compiled.slopes import small_motions
from ..coordinates import JointCoordinates
from ..coordinates.joint.variation import has_coordinates
from ..duals import Dual
from ..errors import IntegrationError, MbsError
from ..model.joints.motions import Ball
from ..motion.methods import method_named
from ..motion.methods.stepping import MOST_STEPS
from ..motion.past.origin import Run
from ..readings.motion import ComputedQuantities, computed
from ..results.result import Result, State
from ..tolerances import CHANGE_FLOOR, DIFFERENCE_ERROR, LOST_DERIVATIVE, PARAMETER_STEPS, REPORTED_ERROR, SLOPE_JUMP
from .designs import CENTRAL, Stencil, systems_beside
from .instants import MomentSlopes, set_moment
from .parameters import DesignVariables
from .results import VariedMotion, set_varied, starts_of, tell
from .runs.parameter_names import given_of
from .variation import Variation

Numbers = dict[tuple[str, str], np.ndarray]
"""Numbers of a run, or their slopes or errors, (items, ...), by what the items are, requested times ("times"), events
("events") or the end ("end"), and by name."""
Make = Callable[[Run, np.ndarray, bool], Result]
"""A function that makes a run at these times, which goes on behind events that stop it where this is True."""
MOTION, FORCES = ("q", "v"), ("a", "multipliers", "contacts", "energies")

EXPLICIT, IMPLICIT = ("DP8", 1e-12), ("Radau5", 1e-11)
"""The method and the tolerances of neighbours, of runs by explicit and by implicit methods. (With steps of one length
derivatives of runs have kinks: behind a switch, whose time moves, their number changes.)"""
INTERRUPTED = "neighbouring runs were interrupted: none by the parameters that were left"
"""The remark in a result whose motion is complete, and whose derivatives are not."""
UNLIKE = 100.0
"""A number has two slopes if they differ by more than `SLOPE_JUMP` of the largest change; or by this part of
its own change, if that is also more than `LOST_DERIVATIVE` of the largest, and more than `UNLIKE` times the error of
the slope, where it cannot be roundoff."""


def has_own_steps(system: System, variables: DesignVariables) -> bool:
    """Return whether the steps of a run in other coordinates than those of bodies give its derivatives. In joint
    coordinates they do if each joint of the tree has coordinates that are functions of the pose (`has_coordinates`) and
    no redundant equations, if no parameter turns a marker of a ball, and if the system of bodies has the switching
    functions of the run."""
    if not isinstance(system.coordinates, JointCoordinates):
        return True
    for edge in system.coordinates.topology.edges:
        markers = () if edge.floating else edge.joint.markers
        if not has_coordinates(edge.motions):
            return False
        if not edge.floating and edge.joint.form()[0].size + edge.velocities != 3 * system.model.dimension - 3:
            return False
        turned = {s for marker in markers for row in marker.frame for x in row for s in getattr(x, "free_symbols", ())}
        if any(isinstance(motion, Ball) for motion in edge.motions) and turned & {*variables.symbols}:
            return False
    return system.structure.deciding == system.cartesian.structure.deciding


def differenced_run(result: Result, variables: DesignVariables, run: Run, last: float | None, make: Make) -> Result:
    """Set the derivatives of the result of a run, and return the result. `run` is the first run of a chain; `last` is
    the last time requested of a run that an event has stopped, else None."""
    times, acting = np.unique([run.t, *result.t]), {e.name for e in variables.model.events if e.action != "record"}
    values, all_slopes, notes = numbers_of(result, result, result, last is not None), list[Numbers](), dict[str, None]()
    for name in variables.names:
        slopes, errors = ({key: np.full(x.shape, one) for key, x in values.items()} for one in (np.nan, np.inf))
        ends, why, worst, neighbour_values = np.inf, "", np.inf, list[Numbers]()
        for part in () if INTERRUPTED in notes else PARAMETER_STEPS:
            try:
                h, stencil, runs = neighbours(variables, name, run, part, result)
                past = [_made(make, one, times, True) for one in runs]
                up_to = np.append(times[:-1], last or 0.0)
                stopped = past if last is None else [_made(make, one, up_to, False) for one in runs]
            except MbsError:
                if part == PARAMETER_STEPS[-1] and not neighbour_values:
                    raise
                continue
            except KeyboardInterrupt:
                notes[INTERRUPTED] = None
                break
            neighbour_values = [numbers_of(*both, result, last is not None) for both in zip(past, stopped, strict=True)]
            ends, why = first_difference([result, *stopped], acting)
            for key, known in slopes.items():
                slope, error = differences(np.array([one[key] for one in neighbour_values]), stencil, h, h / part)
                error[values[key[0], "t"][:, 0] >= ends] = np.inf
                better = error < errors[key]
                known[better], errors[key][better] = slope[better], error[better]
            largest = (error[np.isfinite(values[key])].max(initial=0.0) for key, error in errors.items())
            before, worst = worst, max(largest)
            if worst <= DIFFERENCE_ERROR or before / 2 <= worst <= LOST_DERIVATIVE:
                break
        for key, slope in slopes.items():
            slope[errors[key] > LOST_DERIVATIVE] = np.nan
        all_slopes.append(slopes)
        notes |= {} if INTERRUPTED in notes else dict.fromkeys(remarks(name, result, values, errors, ends, why))
    rows = {key: np.array([one[key] for one in all_slopes]) for key in values}
    at_times, end = ({name: x for (group, name), x in rows.items() if group == one} for one in ("times", "end"))
    set_varied(result, DifferencedRun(result, variables, rows=at_times, end=None if last is None else end))
    for k, event in enumerate(result.events):
        t, *moved = (rows["events", x][:, k : k + 1] for x in "tqva")
        set_moment(event.state, variables, partial(MomentSlopes, t[..., 0], *moved))
    for one in notes:
        tell(result, one)
    return result


def neighbours(
    variables: DesignVariables, name: str, run: Run, part: float, result: Result
) -> tuple[float, Stencil, list[Run]]:  # fmt: skip
    """Return the step h of a quantity, `part` of its size, the stencil, and the neighbours of a run at its places."""
    given, moves = given_of(run), starts_of(run.varied).get(name)
    if name in variables.model.parameters:
        coordinates = run.system.coordinates.set, run.system.structure.tree
        h, stencil, systems = systems_beside(variables, name, *coordinates, part)
    else:
        if name in given:
            size = abs(given[name]) or _size_of_motion(result, name)
        else:  # the state given was found from this value
            assert moves is not None
            size = 1.0 / max(1e-9, *(float(np.abs(own).max(initial=0.0)) for own in moves))
        h, stencil, systems = part * size, CENTRAL, [run.system] * CENTRAL.offsets.size
    aside, initial = h * stencil.offsets, [run.initial] * stencil.offsets.size
    if moves is not None and isinstance(run.initial, State):
        first, places = run.initial, run.initial.system
        by_moves = [(places.moved(first.full_q, c * moves.x) + c * moves.q, first.full_v + c * moves.v) for c in aside]
        initial = [replace(first, full_q=q, full_v=v) for q, v in by_moves]
    elif name in given and name not in variables.model.parameters:
        initial = [{**given, name: given[name] + c} for c in aside]
    method, tolerance = IMPLICIT if run.by.method.is_implicit else EXPLICIT
    by = run.by._replace(method=method_named(method), rtol=tolerance, atol=tolerance, length=0.0, most=MOST_STEPS)
    runs = [Run(system.run_system, by, run.how, run.t, own, None) for system, own in zip(systems, initial, strict=True)]
    return h, stencil, runs


def _size_of_motion(result: Result, name: str) -> float:
    """Return the size of a value at the start that is 0: the largest one in the run; where it stays 0 the model's
    length for a place, and 1 for all others."""
    found = computed(result).system.model.quantity_or_none(name)
    scale = computed(result).system.length if found and found[1] == 0 and found[0].unit == "m" else 1.0
    largest = float(np.abs(result[name]).max())
    return largest if largest > 0.0 else scale


def _made(make: Make, run: Run, times: np.ndarray, passes_stops: bool) -> Result:
    """Return the result of a run, as far as it comes."""
    try:
        return make(run, times, passes_stops)
    except IntegrationError as error:
        if isinstance(result := error.facts.get("result"), Result) and result.t.size:
            return result
        raise


def numbers_of(past: Result, stopped: Result, like: Result, ends: bool) -> Numbers:
    """Return the numbers of a neighbour of the run `like`: those at requested times by a run that goes on behind all
    events, those of events and, if one `ends` the run, of its end, by a run that events stop. They are nan at
    times that the neighbour does not reach. Attitudes have the signs of those in `like`."""
    found, places = Numbers(), computed(like).motion.q
    groups = [("times", past, slice(int(past.t.searchsorted(like.t[0])), None), like.t.size)]
    groups += [("end", stopped, slice(-1, None), 1)] * ends
    for group, run, kept, size in groups:
        motion, energy = computed(run).motion, run.ledger
        assert energy is not None
        balance = energy.kinetic, energy.potential, 0.0 * energy.kinetic, energy.dissipated, energy.supplied
        rows: dict[str, Any] = {"t": run.t[:, None], "q": motion.q, "v": motion.v, "a": motion.a}
        rows |= {"multipliers": run.multipliers, "contacts": computed(run).pushes, "energies": np.stack(balance, 1)}
        for name, values in rows.items():
            own = found[group, name] = np.full((size, values.shape[1]), np.nan)
            own[: len(values[kept])] = values[kept]
        _turn_near(like, found[group, "q"], places[-size:])
    begins = -np.inf if stopped.t[0] == like.t[0] else like.t[0]
    known, beside = dict[tuple[str, int], Any](), dict[tuple[str, int], Any]()
    for run, events in ((like, known), (stopped, beside)):
        for one in run.events:
            if run is like or one.t > begins:
                events[one.name, sum(name == one.name for name, _ in events)] = one
    at = [(beside.get(key), one.state) for key, one in known.items()]
    for name, width in (("t", 1), *((name, found["times", name].shape[1]) for name in "qva")):
        values = [
            np.full(width, np.nan) if one is None else one.t if name == "t" else getattr(one.state, f"full_{name}")
            for one, _ in at
        ]
        found["events", name] = np.array(values, dtype=float).reshape(len(at), width)
    near = np.array([state.full_q for _, state in at]).reshape(len(at), places.shape[1])
    _turn_near(like, found["events", "q"], near)
    return found


def _turn_near(like: Result, q: np.ndarray, near: np.ndarray) -> None:
    """Give attitudes in q, (items, coordinates), the signs of those in `near`, in place."""
    for place, _ in computed(like).system.layout.quaternions:
        attitude = q[:, place : place + 4]
        attitude *= np.copysign(1.0, (attitude * near[:, place : place + 4]).sum(axis=1, keepdims=True))


def differences(values: np.ndarray, stencil: Stencil, h: float, size: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the slopes of numbers by a parameter of this size, and their errors relative to the largest slope, from
    `values` of the numbers in neighbours, (neighbours, items, ...); the error is inf where there are two slopes."""
    slope, inner, jump = (np.tensordot(weights, values, 1) / h for weights in stencil[1:])
    off = np.abs(slope - inner)
    resolved = np.abs(slope)[off <= SLOPE_JUMP * np.abs(slope)].max(initial=0.0)
    largest = max(resolved, CHANGE_FLOOR * np.abs(np.nan_to_num(values)).max(initial=0.0) / size, np.finfo(float).tiny)
    own = np.maximum(SLOPE_JUMP * np.abs(slope), np.maximum(LOST_DERIVATIVE * largest, UNLIKE * off))
    error = np.where(np.abs(jump) > np.minimum(SLOPE_JUMP * largest, own), np.inf, off / largest)
    return slope, np.nan_to_num(error, nan=np.inf)


def first_difference(runs: Sequence[Result], acting: Collection[str]) -> tuple[float, str]:
    """Return the first time at which something happens in some runs and not in others, inf if there is none, and what:
    an impact, a change of a contact, or an event that acts on the motion; or the end of a run that cannot go on. The
    first of the runs may begin later than the others."""
    logs, begins = list[dict[str, list[float]]](), runs[0].t[0] if runs[0].t[0] > runs[-1].t[0] else -np.inf
    for run in runs:
        log: dict[str, list[float]] = {}
        happened = [(one.t, f"event {one.name!r} happens") for one in run.events if one.name in acting]
        happened += [(one.t, f"an impact of {' and '.join(one.contacts)} happens") for one in run.impacts]
        happened += [(x.t, f"{x.contact} ({x.point}) goes from {x.before} to {x.after}") for x in run.transitions]
        happened += [] if run.success else [(float(run.t[-1]), f"the motion ends ({run.message})")]
        for t, what in happened:
            if t > begins:
                log.setdefault(what, []).append(t)
        logs.append(log)
    found = [(np.inf, "")]
    for what in {what: None for log in logs for what in log}:
        counts = [len(log.get(what, ())) for log in logs]
        if len({*counts}) > 1:
            found.append((min(log[what][min(counts)] for log in logs if len(log.get(what, ())) > min(counts)), what))
    return min(found)


def remarks(
    name: str, result: Result, own: Numbers, errors: Numbers, ends: float, why: str
) -> Iterator[str]:  # fmt: skip
    """Yield sentences about derivatives by a quantity that are not known, or not right to `REPORTED_ERROR`."""
    lost = {
        key: ((error > LOST_DERIVATIVE) & np.isfinite(own[key])).max(axis=1, initial=False)
        for key, error in errors.items()
    }
    moved, forces = (np.stack([lost["times", one] for one in names]).max(axis=0) for names in (MOTION, FORCES))
    times = ", ".join(f"{t:.9g}" for t in result.t[moved])
    if np.isfinite(ends) and moved.any():
        what = f"at t = {ends:.6g} {why} in some runs beside it, and not in others"
        yield f"{what}, by {name}: there are none from there on"
    elif moved.sum() > 1 and moved[moved.argmax() :].all():
        what = f"before t = {result.t[moved.argmax()]:.6g} neighbouring runs are no smooth functions of the parameter"
        yield f"{what}, by {name}: there are none from there on"
    elif moved.any():
        yield f"none at t = {times} itself, where the motion jumps or has a corner by {name}"
    elif forces.any():
        yield f"none of some forces and accelerations at t = {result.t[forces.argmax()]:.6g}, by {name}"
    for event, is_lost in zip(result.events, lost["events", "t"].tolist(), strict=True):
        if is_lost:
            yield f"none of the time of event {event.name!r}, by {name}"
    right = [
        error[(error <= LOST_DERIVATIVE) & np.isfinite(own[key])].max(initial=0.0) for key, error in errors.items()
    ]
    if max(right) > REPORTED_ERROR:
        yield f"by {name} they are right to {max(right):.1g} of the largest ones"


@dataclass(frozen=True, eq=False)
class DifferencedRun(VariedMotion):
    """A run with derivatives from whole runs of its neighbours: numbers alone."""

    rows: Mapping[str, np.ndarray] = field(default_factory=dict)
    """The slopes of the numbers at requested times, (parameters, times, ...)."""
    end: Mapping[str, np.ndarray] | None = None
    """The changes of the end, as its time moves, (parameters, 1, ...), if an event has stopped the run."""
    is_moving: bool = False
    """Whether readings at the last time move with this time."""

    @property
    def end_moves(self) -> bool:
        """Return whether an event stopped the run."""
        return self.end is not None

    def with_moving_end(self) -> DifferencedRun:
        """Return a run with a last time that moves with the parameters, as all readings there do."""
        assert self.end is not None
        rows = {name: np.concatenate([own[:, :-1], self.end[name]], axis=1) for name, own in self.rows.items()}
        return replace(self, rows=rows, is_moving=True)

    @cached_property
    def times(self) -> Any:
        """Return the times, the last one with its derivatives, if it moves."""
        return self.dual(self.motion.t, self.rows["t"][..., 0]) if self.is_moving else self.motion.t

    @cached_property
    def moved(self) -> Variation:
        q = Dual(self.motion.q, self.rows["q"], self.variables.symbols)
        rows = [small_motions(self.system.structure, q), *(self.rows[name] for name in ("v", "a", "multipliers"))]
        return Variation(*(np.moveaxis(x, 0, 1).reshape(x.shape[0] * x.shape[1], x.shape[2]) for x in rows))

    @cached_property
    def path(self) -> Any:
        """Return the trajectory with its derivatives; q includes states and inputs, which are no motion of bodies."""
        more: Any = (self.dual(getattr(self.motion, x), self.rows[x].copy()) for x in "qva")
        return Trajectory(self.times, *more)

    @cached_property
    def pushes(self) -> Any:
        """Return the forces of contacts with their derivatives."""
        own: Any = computed(self.result).pushes
        return self.dual(own.copy(), self.rows["contacts"].copy())

    @cached_property
    def quantities(self) -> ComputedQuantities:
        return replace(super().quantities, pushes=self.pushes, _read={})

    def loads(self) -> dict[str, Any]:
        found = super().loads()
        return found | {"reactions": replace(found["reactions"], _contacts=self.pushes)} if found else found

    def _energies(self) -> Any:
        energy: Any = self.result.ledger
        balance = energy.kinetic, energy.potential, 0.0 * energy.kinetic, energy.dissipated, energy.supplied
        return self.dual(np.stack(balance, axis=1), self.rows["energies"].copy())
