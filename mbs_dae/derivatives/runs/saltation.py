"""Derivatives across the places of a run at which laws switch, ahead and back.

A law switches where its switching function g(t, y, p) passes zero (or the next integer), at a time t_e that depends on
the parameters p. The state goes on, and y' jumps from f₋ to f₊. With S = ∂y/∂p at a held time and ġ = g_t + g_y f₋,

    t_e' = -(g_y S₋ + g_p) / ġ,          S₊ = S₋ + (f₋ - f₊) t_e',
    w = λ₊ · (f₋ - f₊),                  λ₋ = λ₊ - (w/ġ) g_yᵀ,          p̄ += -(w/ġ) g_pᵀ,

ahead and, for weights λ, back. A law of time switches at a time whose t_e' is known beforehand. Where y' does not jump,
S does not jump either: a spring begins to press. Where the motion touches g = 0 without passing it (ġ = 0) there is no
derivative behind it. Where it passes two surfaces at one instant, there is none by parameters that let neighbours pass
one after the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from ...compiled.contact_records import CLOSED
from ...compiled.status import DONE
from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Matrix, Vector
from ...linear.vectors import copy
from ...motion.course import moment
from ...motion.mechanism_record import Mechanism
from ...motion.past.tape import (
    BEGAN,
    BROKE,
    FRESH,
    HEAD,
    RESTARTED,
    SPAN_OF,
    SWITCHED,
    T0,
    T1,
    TIMES,
    WENT_ON,
    Steps,
    entry_now,
)
from ...motion.record import IntegratorState, derivative_at_end, put_back, remember
from ...motion.switching.rates import read_rates_here
from ...motion.switching.switches import hold_all, look, read_scales
from ...symbolic.branches import SIDE
from ...tolerances import SAME_INSTANT, START_CHANGE, SURFACE_DISTANCE
from ..kinks import has_kink
from .jumps import carried_over, grazes, instant_moved, is_smooth, start_time_slopes
from .linear import SURFACE, Linear, put_changes, put_right, take_given
from .repetition import put_entry
from .transposed import changes_back, give_back, give_numbers
from .tree import JointTree, add_back, has_joints, linearise_here, to_bodies

APART = "several things happen at once, which come one after the other in neighbouring runs; move one of them"


@compiled_apart
def read_surfaces(march: IntegratorState, t: float, y: Vector, dy: Vector) -> int:
    """Read the switching functions at (t, y) with the branches held, and their rates along y'; put y' into dy, and
    return a status."""
    mechanism, state = march.mechanism, march.mechanism.state
    remember(march)
    status = derivative_at_end(march, t, y, dy)
    look(mechanism)
    q, v, a = y[: state.q_end], y[state.v_at : state.v_end], dy[state.v_at : state.v_end]
    read_rates_here(mechanism, moment(march.course, t), q, v, a)
    put_back(march)
    return status


@compiled_apart
def linearise_surfaces(march: IntegratorState, own: Linear, tree: JointTree, t: float, y: Vector, dy: Vector) -> None:
    """Linearise the equations, switching functions among them, at a state whose y' was evaluated last."""
    linearise_here(own, tree, march.mechanism, moment(march.course, t), y, dy)


@compiled_apart
def vary_surfaces(own: Linear, tree: JointTree, mechanism: Mechanism, y: Vector, dys: Matrix, out: Matrix) -> None:
    """Put g_y δy + g_p of each switching function into a row of `out` for each parameter."""
    if not has_joints(tree):
        _vary_surfaces(own, mechanism, y, dys, out)
        return
    state, b = mechanism.state, tree.mechanism.state
    to_bodies(tree, mechanism, y, dys)
    _vary_surfaces(own, tree.mechanism, tree.y, tree.changes[: dys.shape[0]], out)
    for p in range(dys.shape[0]):  # inputs
        copy(tree.changes[p, b.z_at : b.q_end], dys[p, state.z_at :])


@compiled
def _vary_surfaces(own: Linear, mechanism: Mechanism, y: Vector, dys: Matrix, out: Matrix) -> None:
    take_given(own)
    for p in range(dys.shape[0]):
        put_changes(own, mechanism, y, p, dys[p])
        put_right(own, p, SURFACE)
        for k in range(out.shape[1]):
            out[p, k] = -own.right[own.first[SURFACE] + k]


@compiled_apart
def surfaces_back(own: Linear, tree: JointTree, mechanism: Mechanism, y: Vector, weights: Matrix, outs: Matrix) -> None:
    """Apply the transposed of `vary_surfaces` to rows of weights of the switching functions: add to rows of weights of
    y, in `outs`, and to those of the numbers in the equations."""
    if not has_joints(tree):
        _surfaces_back(own, mechanism, y, weights, outs)
        return
    state, b = mechanism.state, tree.mechanism.state
    for r in range(outs.shape[0]):
        tree.changes[r, :] = 0.0
        copy(outs[r, state.z_at : state.q_end], tree.changes[r, b.z_at :])
        outs[r, state.z_at : state.q_end] = 0.0
    _surfaces_back(own, tree.mechanism, tree.y, weights, tree.changes[: outs.shape[0]])
    for r in range(outs.shape[0]):
        add_back(tree, mechanism, y, r, tree.changes[r], outs[r])


@compiled
def _surfaces_back(own: Linear, mechanism: Mechanism, y: Vector, weights: Matrix, outs: Matrix) -> None:
    for r in range(outs.shape[0]):
        for k in range(weights.shape[1]):
            own.right[own.first[SURFACE] + k] = weights[r, k]
        own.way[:] = 0.0
        give_back(own, SURFACE)
        give_numbers(own, r, SURFACE, SURFACE + 1)
        changes_back(own, mechanism, y, r, outs[r])


@dataclass(frozen=True, eq=False)
class Saltation:
    """A place at which laws switch: behind `step` - 1 and before `step`."""

    step: int
    passed: np.ndarray
    """The numbers of the switching functions that pass."""
    head: np.ndarray
    """The head of the step before it."""
    entry: np.ndarray
    """The entry of the step behind it; of the state before a reset, where an event sets a state there."""
    breaks: bool
    """Whether laws of time switch at this instant."""
    moved: np.ndarray
    """The change of the instant with each parameter, if a law of time switches, (parameters,)."""
    passed_zero: np.ndarray = field(default_factory=lambda: np.zeros(0))
    """1 for each switching function or guard of a contact that has passed zero, (functions,)."""
    changes: bool = False
    """Whether contacts change."""
    straight: np.ndarray = field(default_factory=lambda: np.zeros(0))
    """The time for which the slip of each contact has kept its direction, in s."""
    is_impact: bool = False
    """Whether bodies meet."""

    @property
    def t(self) -> float:
        return float(self.entry[0])

    @property
    def apart(self) -> str:
        """Return the reason why there is no derivative by some parameters."""
        t = f"at t = {self.t:.6g}"
        beside = "by some parameters neighbouring runs begin on the other side; begin a little earlier or later"
        return f"{t} the run begins where laws switch: {beside}" if self.step == 0 else f"{t} {APART}"

    @property
    def is_start(self) -> bool:
        """Return whether laws switch or contacts change behind the first state of a run, at the first instant."""
        return self.step == 0 and bool(self.head[T0] == self.head[T1])

    @property
    def is_composed(self) -> bool:
        """Return whether more than one thing switches or changes here, of which one may be a consequence of another."""
        return bool(self.breaks or self.entry[TIMES] > 1.0 or (self.changes and self.passed.size))


def saltations_of(
    steps: Steps, last: np.ndarray, moves: np.ndarray, laws: int, resets: Mapping[int, np.ndarray],
    impacts: np.ndarray,
) -> list[Saltation]:  # fmt: skip
    """Return the places at which the laws of a run switch, or its contacts change, in their order, without the breaks
    of laws of time that no parameter moves. `last` is the entry of its last state; `moves`, (parameters, spans), is how
    the ends of its spans move; the first `laws` switching functions are those of laws. `resets` are the entries of the
    states before resets, by the number of the step behind each, where contacts change or laws break in time before a
    state is set. `impacts` are the times of impacts."""
    found, total, heads = list[Saltation](), steps.total, steps.head
    fresh = np.append(heads[:, FRESH], last[FRESH])
    fresh[[*resets]] = [entry[FRESH] for entry in resets.values()]
    entries = steps.states | {total: last} | dict(resets)
    for k in np.flatnonzero((fresh == SWITCHED) | (fresh == BROKE)):
        if k == 0 and (not steps.total or fresh[k] == BROKE):
            continue
        head, entry = heads[k - 1] if k else steps.first[:HEAD], entries.get(int(k))
        span = int(head[SPAN_OF])
        moved = moves[:, span] if span < moves.shape[1] else np.zeros(len(moves))
        breaks = (last[SPAN_OF] if k == total else heads[k, SPAN_OF]) != span
        if fresh[k] == BROKE and not moved.any():
            continue
        assert entry is not None
        size = steps.branches
        before = steps.modes_before(int(k))
        behind, zero = entry[entry.size - size :], entry[entry.size - 2 * size : entry.size - size]
        free = np.isnan(before).astype(int) + np.isnan(behind)  # branches of events and of open points follow the state
        differs = ((before != behind) & ((free == 0) | ((free == 1) & (zero == 1.0))))[:laws]
        passed = np.flatnonzero(differs) if fresh[k] == SWITCHED else np.zeros(0, dtype=np.int64)
        is_impact = bool((impacts == entry[T0]).any())
        changes = bool(zero[laws:].any() or (passed.size and is_impact))
        straight = _straight_before(steps, int(k), float(entry[T0])) if changes else np.zeros(0)
        known = bool(breaks), moved, zero.copy(), changes, straight, is_impact
        found.append(Saltation(int(k), passed, head, entry, *known))
    return found


def zeros_at_start(march: Any) -> np.ndarray:
    """Return the numbers of the switching functions of laws that pass zero at the state of a run that begins."""
    switches, count, t = march.mechanism.switches, laws_of(march.mechanism), float(march.time[0])
    if not count or read_surfaces(march, t, march.stages.y0, np.zeros_like(march.stages.y0)) != DONE:
        return np.zeros(0, dtype=np.int64)
    near = np.abs(switches.value) <= SAME_INSTANT * max(abs(t), 1.0) * np.abs(switches.rate)
    found = near & (switches.kinds == SIDE) & (np.abs(switches.mode) == 1.0)
    return np.flatnonzero(found[:count])


def begins_at(march: Any) -> tuple[int, ...]:
    """Return the numbers of the switching functions of laws that pass zero where a run begins and stands, if y' is not
    the same on the other side of them."""
    if not (numbers := zeros_at_start(march)).size:
        return ()
    switches, t, y0 = march.mechanism.switches, float(march.time[0]), march.stages.y0
    here, there = np.zeros_like(y0), np.zeros_like(y0)
    read_surfaces(march, t, y0, here)
    modes = switches.mode.copy()
    switches.mode[numbers] *= -1.0
    hold_all(march.mechanism)
    has_value = read_surfaces(march, t, y0, there) == DONE
    switches.mode[:] = modes
    hold_all(march.mechanism)
    read_surfaces(march, t, y0, here)
    return () if has_value and goes_on_smoothly(march.mechanism.state, here, there) else tuple(numbers.tolist())


def _straight_before(steps: Steps, k: int, t: float) -> np.ndarray:
    """Return the time for which the slip of each contact has kept its direction before step k, which begins at t."""
    before = sorted((n for n in steps.states if n < k), reverse=True)
    found = np.zeros(np.ptp(steps.directions))
    holds = np.ones(found.size, dtype=bool)
    for n in before:
        holds = holds & (steps.states[n][slice(*steps.directions)] != 0.0)
        if not holds.any():
            break
        found[holds] = t - steps.states[n][T0]
    return found


def is_held_on_surface(steps: Steps, last: np.ndarray, kinds: np.ndarray) -> bool:
    """Return whether laws hold a motion on a surface somewhere: derivatives of such runs are differences of runs."""
    modes = np.array([*steps.held.values(), last[last.size - steps.branches :]])
    slides = (np.abs(modes) != 1.0) & ~np.isnan(modes) & (kinds[: modes.shape[1]] == SIDE)
    return steps.slides or bool(slides.any())


@dataclass(frozen=True, eq=False)
class Standing:
    """A span of a run in which the motion stands where the slope of a law jumps, or where the state of a contact ends:
    a one-sided spring or a body touches and does not press, -|v| at v = 0, a body sticks by all the friction there
    is. Neighbours that leave the surface go on in two ways, and there is no derivative by what moves them off it."""

    begin: float
    """The time at which the span begins."""
    places: tuple[Saltation, ...]
    """Places of the span at which changes of its functions are examined, in their order."""

    @property
    def why(self) -> str:
        """Return the reason why there is no derivative by some parameters."""
        what = "the motion stands at the kink of a law, or at the change of a contact; neighbours leave to both sides"
        return f"at t = {self.begin:.6g} {what}"


def standings_of(march: Any, steps: Steps) -> tuple[Standing, ...]:
    """Return the spans in which a run that has ended stood at kinks. In them g = 0 and ġ = 0, up to roundoff of the
    terms of g, in the state with which the span begins, and in all states that are kept up to the next change. A slip
    that begins from rest where a run begins, or where an event has set a state, stands for this instant."""
    here, switches, laws = entry_now(march), march.mechanism.switches, laws_of(march.mechanism)
    states, head, found = steps.states | {steps.total: here}, steps.head, list[Standing]()

    def place(k: int, stands: np.ndarray) -> Saltation:
        """Return the place before step k at which the functions of a mask are zero."""
        return Saltation(
            step=k, passed=np.flatnonzero(stands[:laws]), head=head[k - 1] if k else steps.first[:HEAD],
            entry=states[k], breaks=False, moved=np.zeros(0), passed_zero=stands.astype(float),
            changes=bool(stands[laws:].any()), straight=np.zeros(np.ptp(steps.directions)),
        )  # fmt: skip

    changes = [*np.flatnonzero(head[:, FRESH] != WENT_ON).tolist(), steps.total + 1]
    for begin, end in pairwise(changes) if switches.kinds.size else ():
        known = [k for k in range(begin, end) if k in states]
        if not known:  # a break of a law of time, whose state is not kept
            continue
        t, span = float(states[known[0]][T0]), float(states[known[-1]][T0] - states[known[0]][T0])
        stands = np.full(switches.kinds.size, len(known) > 1)
        for k in known if stands.any() else ():
            put_entry(march, states[k])
            stands &= read_scaled_surfaces(march, float(states[k][T0]), np.zeros_like(march.stages.y0)) == DONE
            zero = np.abs(switches.value) <= SURFACE_DISTANCE * switches.scale
            if k == begin and head[k, FRESH] in (BEGAN, RESTARTED):
                slips = zero & _slip_entries(march.mechanism)  # they begin from rest
                found += [Standing(t, (place(k, slips),))] if slips.any() else []
            stands &= zero & (np.abs(switches.rate) * span <= SURFACE_DISTANCE * switches.scale)
            stands[:laws] &= (switches.kinds[:laws] == SIDE) & (np.abs(switches.mode[:laws]) == 1.0)
        put_entry(march, states[known[0]])
        state, y = march.mechanism.state, march.stages.y0
        for law in np.flatnonzero(stands[:laws]).tolist():
            stands[law] = has_kink(march.mechanism, t, y[: state.q_end], y[state.v_at : state.v_end], law)
        if stands.any():
            later = sorted({known[1], known[min(8, len(known) - 1)], known[-1]})
            found.append(Standing(t, tuple(place(k, stands) for k in later)))
    put_entry(march, here)
    return tuple(found)


def _slip_entries(mechanism: Any) -> np.ndarray:
    """Return a mask of the switching functions that are slips in their direction: of points that slip."""
    contacts, found = mechanism.contacts, np.zeros(mechanism.switches.kinds.size, dtype=bool)
    for c in np.flatnonzero((contacts.slip_count > 0) & (contacts.state == CLOSED)).tolist():
        found[laws_of(mechanism) + int(contacts.points.entry[c]) + int(contacts.gap_row[c] >= 0)] = True
    return found


@compiled_apart
def read_scaled_surfaces(march: IntegratorState, t: float, dy: Vector) -> int:
    """Read the switching functions at the present state with the branches held, and the sizes of their terms; put y'
    into dy, and return a status."""
    state, y = march.mechanism.state, march.stages.y0
    status = read_surfaces(march, t, y, dy)
    read_scales(march.mechanism, y[: state.q_end], y[state.v_at : state.v_end], march.mechanism.length)
    return status


def laws_of(mechanism: Any) -> int:
    """Return the number of switching functions of laws; the guards of contacts stand behind them."""
    return int(mechanism.switches.kinds.size - mechanism.contacts.points.entries)


def slips_in_space_stop(mechanism: Any, place: Saltation, before: np.ndarray) -> bool:
    """Return whether a slip in space stops at a change of contacts although its direction was not held in the step
    before, in which branches and contacts had the modes `before`: changes of the slip across its direction then grow
    without bound. An impact stops slips at any speed."""
    if not place.changes:
        return False
    contacts, behind = mechanism.contacts, place.entry[place.entry.size - mechanism.switches.mode.size :]
    for c, count in enumerate(contacts.slip_count.tolist()):
        gaps = int(contacts.gap_row[c] >= 0)
        first = laws_of(mechanism) + int(contacts.points.entry[c])
        slips = slice(first + gaps, first + gaps + count)
        is_closed = not gaps or behind[first] == before[first] == CLOSED
        stops = is_closed and before[slips].any() and not behind[slips].any()
        stops = stops and (place.passed_zero[first + gaps] != 0.0 or not place.is_impact)
        if count > 1 and stops and place.straight[c] == 0.0:
            return True
    return False


def goes_on_smoothly(state: Any, before: np.ndarray, behind: np.ndarray) -> bool:
    """Return whether y' is the same before and behind a place, in the rates of states and in the accelerations and
    rates of works by themselves."""
    spans = slice(state.z_at, state.q_end), slice(state.v_at, None)
    return all(is_smooth(before[span], behind[span]) for span in spans)


class Passing:
    """The passage of a run through a place at which laws switch: y' on both sides, and the rates of the switching
    functions that pass."""

    def __init__(
        self, march: Any, own: Any, tree: Any, place: Saltation, sizes: np.ndarray, mixed: np.ndarray | None = None,
        ways: Any = None, rates: np.ndarray | None = None,
    ):  # fmt: skip
        """The run stands behind the step before the place, with the branches that were held in it; `sizes` are the
        guards at the beginning of this step. With `mixed`, (1, parameters), all parameters change together in these
        proportions. Going back where several functions pass, `ways` are the equations by parameters, by time and by
        each number of y. `rates` are those of all switching functions, if kernels of values do not know them."""
        self.march, self.own, self.tree, self.place, self.ways = march, own, tree, place, ways
        self.moved = place.moved if mixed is None or not place.moved.size else mixed @ place.moved
        self.y, count = march.stages.y0.copy(), own.first[SURFACE + 1] - own.first[SURFACE]
        self.f_before, self.f_behind = np.zeros_like(self.y), place.entry[HEAD + self.y.size :][: self.y.size].copy()
        status = read_surfaces(march, place.t, self.y, self.f_before)
        switches, state, passed = march.mechanism.switches, march.mechanism.state, place.passed
        rates = switches.rate if rates is None else rates[: switches.rate.size]
        self.status, self.rates, self.count = status, rates[passed].copy(), int(count)
        self.is_smooth = goes_on_smoothly(state, self.f_before, self.f_behind)
        length = place.head[1] - place.head[0]
        self.grazes = grazes(self.rates, length, sizes[passed])
        if passed.size and not place.breaks:
            linearise_surfaces(march, own, tree, place.t, self.y, self.f_before)

    @property
    def why(self) -> str:
        """Return the reason why there is no derivative by any parameter; empty where there is one."""
        if self.is_smooth or (self.place.breaks and not self.place.passed.size):
            return ""
        if self.place.breaks:
            beside = "one comes first in neighbouring runs"
            return f"at t = {self.place.t:.6g} laws of time and of the motion switch at once: {beside}"
        touches = f"at t = {self.place.t:.6g} the motion touches where it switches, and does not pass"
        return touches if self.grazes else ""

    def ahead(self, S: np.ndarray) -> np.ndarray:
        """Return S behind the place, (parameters, y), from S before it; nan where there is no derivative."""
        if self.is_smooth:
            return S
        if self.why:
            return np.full_like(S, np.nan)
        if self.place.breaks:
            return carried_over(S, self.f_before, self.f_behind, self.moved)
        along = np.zeros((len(S), self.count))
        vary_surfaces(self.own, self.tree, self.march.mechanism, self.y, np.ascontiguousarray(S), along)
        self.moved = moved = instant_moved(along[:, self.place.passed], self.rates)
        if self.place.step == 0:  # a start cannot move to the other side
            moved = start_time_slopes(along[:, self.place.passed], S, START_CHANGE)
        return carried_over(S, self.f_before, self.f_behind, moved)

    def moves_off(self, S: np.ndarray) -> np.ndarray:
        """Return a mask of the parameters, (parameters,), by which a run that stands on the surfaces leaves them."""
        along = np.zeros((len(S), self.count))
        vary_surfaces(self.own, self.tree, self.march.mechanism, self.y, np.ascontiguousarray(S), along)
        least = START_CHANGE * np.abs(S).max(axis=1, keepdims=True)
        return np.asarray((np.abs(along[:, self.place.passed]) > least).any(axis=1))

    def back(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the weights of y before the place, from those behind it, (numbers, y), and what they add to those of
        the parameters, (numbers, parameters); nan where several functions pass at times that differ in neighbours."""
        jump = weights @ (self.f_before - self.f_behind)
        direct = np.zeros((len(weights), len(self.moved)))
        if self.is_smooth:
            return weights, direct
        if self.why:
            weights = weights.copy()
            weights[weights.any(axis=1)] = np.nan
            return weights, direct
        if self.place.breaks:
            return weights, np.outer(jump, self.moved)
        if self.ways is not None:
            width, count = self.y.size, len(self.moved)
            dys = np.concatenate([np.zeros((count + 1, width)), np.eye(width)])
            along = np.zeros((len(dys), self.count))
            linearise_surfaces(self.march, self.ways, self.tree, self.place.t, self.y, self.f_before)
            vary_surfaces(self.ways, self.tree, self.march.mechanism, self.y, dys, along)
            moved = instant_moved(along[:, self.place.passed], self.rates)
            return weights + np.outer(jump, moved[count + 1 :]), np.outer(jump, moved[:count])
        weights, of_surfaces = weights.copy(), np.zeros((len(weights), self.count))
        of_surfaces[:, self.place.passed[0]] = -jump / self.rates[0]
        surfaces_back(self.own, self.tree, self.march.mechanism, self.y, of_surfaces, weights)
        return weights, direct


def guards_at(march: Any, t: float) -> np.ndarray:
    """Return how far each switching function is from where its branch ends, in the state at which the run stands,
    (functions,). A step that begins there ends where one of them passes."""
    guards, y0 = march.mechanism.switches.guard, march.stages.y0
    status = read_surfaces(march, t, y0, np.zeros_like(y0))
    return np.abs(guards) if status == DONE else np.zeros(guards.size)
