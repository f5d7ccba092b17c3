"""The gradient of a number that depends on a run, by any number of parameters: one way back through its steps.

What the number depends on is told by weights: ∂J/∂(named array) at the requested times. Slopes of the readings, by
places, velocities, accelerations, multipliers and works at the same time, make weights of these of them; then the steps
give them back to the first state and to the numbers in the equations (`back`), whose slopes by parameters are sympy's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...coordinates import JointCoordinates
from ...errors import ModelError
from ...kernels.blocks import block
from ...motion.past.tape import ALPHA, BETA, FRESH, HEAD, SPAN_OF, SWITCHES, T0, T1, WENT_ON, entry_size
from ...results.result import Result
from ..differences import DifferencedRun
from .back import AdjointRun, back_begin, back_stretch
from .checks import check_same, check_status
from .contact_forces import new_held
from .coordinates import equations_of, weights_of_coordinates
from .event_times import Rates, end_back, sizes_of, weights_here
from .forward import FIRST, RecordedRun, Rerun, VariedRun, rerun_of, start_back, stretches
from .implicit_back import back_implicit_stretch
from .implicit_steps import make_implicit_step
from .linear import Weights, size_of_linearised
from .reading_weights import weights_of_states
from .repetition import make_stretch, put_entry
from .resets import ResetDerivative, ResetPassage
from .saltation import Saltation, guards_at
from .samples import SampleSlopes
from .steps import basis_of
from .transposed import forces_back
from .tree import size_of_tree


def goes_back(result: Result) -> bool:
    """Return whether there is a way back through the steps of a run. There is none if

    - derivatives are differences of whole runs, or end in the run;
    - the ends of a force pass each other;
    - laws switch or contacts change where the run begins;
    - two events, or an event and a switch, stop the run at one instant;
    - an event sets a state where the run begins, ends or has a break in time;
    - two laws switch at one instant, in joint coordinates.

    Gradients are summed from derivatives ahead there. So they are where two gaps close at one instant, of which the way
    back makes nan."""
    varied = result.varied
    taken = varied.taken if isinstance(varied, VariedRun) else None
    if taken is None or taken.passages or taken.edges or any(place.step == 0 for place in taken.saltations):
        return False
    if taken.stop and (len(taken.stop.functions) > 1 or (taken.stop.functions and taken.stop.instants)):
        return False
    if any(one.step in (0, taken.steps.total) or one.beside_break for one in taken.resets):
        return False
    in_joints = isinstance(varied.run_system.coordinates, JointCoordinates)
    return not in_joints or all(place.passed.size <= 1 for place in taken.saltations)


def adjoint(result: Result, weights: Mapping[str, np.ndarray]) -> dict[str, float]:
    """Return Σ weights · d(named array)/dp for each parameter p in `derivatives=` of the run. Weights have the shape of
    their array: a number for each requested time, or a row of components."""
    (found,) = adjoints(result, {name: np.asarray(one, dtype=float)[None] for name, one in weights.items()})
    return dict(zip(result.varied.variables.names, found.tolist(), strict=True))


def adjoints(result: Result, weights: Mapping[str, np.ndarray], of_end: np.ndarray | None = None) -> np.ndarray:
    """Return the gradients of several numbers, (numbers, parameters), whose weights stand in rows. All go back
    together, so that steps are made again once. Where an event stopped the run, and there is a way back (`goes_back`),
    its last time moves with the parameters if the weights of this time, (numbers,), are given in `of_end`."""
    varied = result.varied
    if not isinstance(varied, DifferencedRun) and getattr(varied, "taken", None) is None:
        raise ModelError(
            'gradients need a run with derivatives: simulate(model, times, derivatives=["r"])',
            code="run-without-derivatives",
        )  # fmt: skip
    if goes_back(result):
        varied.check_steps()
        found = _adjoints(varied, weights, of_end)
        found[:, varied.leaves_kinks] = np.nan  # the way back does not know them
        if np.isfinite(found).all() or of_end is not None:
            return found
    return np.array([_summed(result, weights, by) for by in varied.variables.names]).T


def _adjoints(varied: VariedRun, weights: Mapping[str, np.ndarray], of_end: np.ndarray | None) -> np.ndarray:
    """Return the gradients of several numbers, (numbers, parameters), by the way back; nan where two things happen
    at one instant."""
    assert varied.taken is not None
    count = len(next(iter(weights.values()))) if of_end is None else len(of_end)
    reading = varied if of_end is None else varied.with_moving_end()
    of_state, direct, of_time = weights_of_states(reading, weights, count)
    of_end = None if of_end is None else of_end + of_time
    way, from_numbers = _gone_back(varied, varied.taken, of_state, count, of_end)
    return direct + from_numbers + start_back(varied, varied.taken, way.march, way.y0)


def _summed(result: Result, weights: Mapping[str, np.ndarray], by: str) -> np.ndarray:
    return np.sum([np.tensordot(w, d := result.d(name, by), d.ndim) for name, w in weights.items()], axis=0)


# --- back -------------------------------------------------------------------------------------------------------------


def _gone_back(
    varied: VariedRun, taken: RecordedRun, weights: Weights, count: int, of_end: np.ndarray | None = None
) -> tuple[AdjointRun, np.ndarray]:
    """Go back through a run; return the way, and the gradients through numbers in equations, (count, parameters)."""
    steps, head = taken.steps, taken.steps.head
    last, loads = Weights(*(own[-count:].copy() for own in weights)), None
    if of_end is not None and varied.loads_apart:
        loads = varied.least_loads_along()
    direct = _loads_back(varied, taken, weights, count) if varied.loads_apart else 0.0
    if taken.own:
        bodies = varied.run_system, varied.variables.symbols, taken.own, varied.motion
        weights, of_numbers = weights_of_coordinates(*bodies, weights, count)
        direct = direct + of_numbers
    way, rerun = _new_way(varied, taken, weights, count)
    times = way.march.record.times
    begun = np.searchsorted(times, head[:, T0], side="right")
    waits = np.ones(len(head), dtype=bool)  # a step records the time at which it begins, not the step before
    waits[1:] = (head[:-1, SWITCHES] == 1.0) | (head[1:, SPAN_OF] != head[:-1, SPAN_OF])
    switching = {one.step: one for one in taken.saltations}
    before = np.where((head[:, FRESH] != WENT_ON) & waits, np.searchsorted(times, head[:, T0]), begun)
    recorded = np.stack([before, begun], axis=1).astype(np.int64)
    direct = direct + np.zeros((count, len(varied.variables.names)))
    samples = varied.sample_slopes
    _end(way, taken.last, head)
    if of_end is not None and not steps.total:
        _stop_back(way, rerun, varied, taken.last, last, loads, of_end)
    for begin, end in stretches(steps)[::-1]:
        entries = _entries(way, head[begin:end], [steps.states[k] for k in range(begin, end) if k in steps.states])
        of_change = np.zeros(count)
        if of_end is not None and end == steps.total:
            of_change = _stop_back(way, rerun, varied, entries[-1], last, loads, of_end)
        if end in varied.resets:
            of_parameters, of_change = _reset_back(way, rerun, varied.resets[end], entries[-1])
            direct += of_parameters
        if end in switching:
            direct += _switch_back(way, rerun, switching[end], entries[-1], of_change)
        if end in samples:
            direct += _sample_back(way, samples[end], steps.states[end])
        put_entry(way.march, entries[-1])
        before = np.ascontiguousarray(recorded[begin:end]).ravel()
        if rerun.is_implicit:
            check_status(way.march, back_implicit_stretch(way, rerun.implicit_step, entries, before))
        else:
            check_status(way.march, back_stretch(way, entries, before))
    if FIRST in samples:
        direct += _sample_back(way, samples[FIRST], steps.states.get(0, taken.last))
    direct += way.own.gradient @ rerun.numbers.T + way.projection.momenta.gradient @ rerun.of_momenta.T
    if taken.own and way.tree.row.size:
        direct += way.tree.to.gradient @ rerun.tree_numbers[:, : way.tree.to.gradient.shape[1]].T
    return way, way.held.gradient @ rerun.laws.T + direct


def _stop_back(
    way: AdjointRun, rerun: Rerun, varied: VariedRun, before: np.ndarray, weights: Weights, loads: np.ndarray | None,
    of_end: np.ndarray,
) -> np.ndarray:  # fmt: skip
    """Add to the weights of the last y those that come of the time at which an event stopped the run; return the
    weights of this time where it is that of a change of contacts, (numbers,), else zeros. `before` is the entry of the
    last step; `weights` are those of what is recorded at its end, and `of_end` those of this time by itself,
    (numbers,). `loads` are the rates of multipliers, where these are not those that steps have."""
    march, state, n, taken = way.march, way.march.mechanism.state, way.own.columns, varied.taken
    assert taken and taken.stop
    put_entry(march, before)
    march.mechanism.gains[:] = taken.last[[ALPHA, BETA]]
    sizes, length = sizes_of(march, float(before[T0])), float(before[T1] - before[T0])
    put_entry(march, taken.last)

    def of_time(rates: Rates) -> np.ndarray:
        """Return the weights of this time with those of all that goes on along the motion."""
        v, a, more = march.stages.y0[state.v_at :][:n], rates.y[state.v_at :][:n], rates.slopes[state.v_at :][:n]
        if taken.own:
            v, a, more = varied.rates_of_bodies(rates.slopes)
        ways = Weights(
            v, a, more, rates.loads if loads is None else loads, rates.y[state.works_at :], rates.contacts,
            rates.y[state.z_at : state.q_end],
        )  # fmt: skip
        return of_end + sum(own @ rate for own, rate in zip(weights, ways, strict=True))

    known = march, way.own, way.tree, rerun.along
    return end_back(*known, taken.stop, sizes, length, way.y0, of_time)


def _switch_back(
    way: AdjointRun, rerun: Rerun, place: Saltation, before: np.ndarray, of_time: np.ndarray
) -> np.ndarray:
    """Take the weights of y behind a place at which laws switch, and of the time of a change of contacts, (numbers,),
    to those of y before it; `before` is the entry of the step that ends there. Return what they add to those of the
    parameters, (numbers, parameters)."""
    march, y0 = way.march, way.march.stages.y0
    put_entry(march, before)
    sizes = guards_at(march, float(before[T0]))
    march.mechanism.gains[:] = before[[ALPHA, BETA]]
    if place.changes:
        _make_step(way, rerun, before)
    else:
        y0[:] = place.entry[HEAD : HEAD + y0.size]
    passing = rerun.passing(place, sizes)
    check_status(march, passing.status)
    way.y0[:], direct = passing.back(way.y0, of_time) if place.changes else passing.back(way.y0)
    return np.asarray(direct)


def _make_step(way: AdjointRun, rerun: Rerun, entry: np.ndarray) -> None:
    """Make the step of an entry again: the run stands at its end then."""
    march = way.march
    if rerun.is_implicit:
        check_status(march, make_implicit_step(march, entry, way.before[0]))
    else:
        check_status(march, make_stretch(march, entry[None, :HEAD].copy(), entry[None].copy(), way.before[0]))


def _sample_back(way: AdjointRun, sample: SampleSlopes, entry: np.ndarray) -> np.ndarray:
    """Take the weights of y behind a sample to those before it; `entry` is that of the step behind it. Return what they
    add to those of the parameters, (numbers, parameters)."""
    march = way.march
    weights, of_rates, direct = sample.back(way.y0)
    if sample.reads_forces:
        put_entry(march, entry)
        march.mechanism.gains[:] = entry[[ALPHA, BETA]]
        moving = slice(march.mechanism.state.v_at, march.mechanism.state.v_end)
        known = march, way.own, way.tree, way.held, float(entry[T0]), sample.y.copy()
        weights = weights_here(*known, moving, of_rates, weights)
    way.y0[:] = weights
    return direct


def _reset_back(
    way: AdjointRun, rerun: Rerun, resets: Sequence[ResetDerivative], before: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Take the weights of y behind the resets of one instant to those before them; `before` is the entry of the step
    that ends there. Return what they add to those of the parameters, (numbers, parameters), and the weights of the time
    of the change of contacts for which the first event waits, (numbers,)."""
    march = way.march
    put_entry(march, before)
    march.mechanism.gains[:] = before[[ALPHA, BETA]]
    sizes, length = sizes_of(march, float(before[T0])), float(before[T1] - before[T0])
    way.y0[:], direct, of_change = ResetPassage(rerun, way.held, resets, length, sizes).back(way.y0)
    return direct, of_change


def _new_way(varied: VariedRun, taken: RecordedRun, weights: Weights, count: int) -> tuple[AdjointRun, Rerun]:
    """Return a way back that is ready for the last step, and the run to be made again."""
    system, works = varied.run_system, bool(weights.works.any())
    rerun = rerun_of(system, varied.variables, taken, len(weights.x) // count, works, count)
    march, own = rerun.march, rerun.own
    equations, tree, basis = equations_of(system), rerun.tree, basis_of(march.stages)
    linearised = march.mechanism if equations is system else tree.mechanism
    sizes = {"shelf": size_of_linearised(own, linearised) + size_of_tree(tree), "shelves": basis.k.shape[0] + 1}
    sizes["width"] = march.stages.y0.size
    sizes |= {"rows": len(equations.rows), "basis": basis.y0.size}
    sizes |= {"weighted": count, "slopes": count * sizes["shelves"], "lines": system.structure.contacts.rows}
    held = new_held(equations, rerun.laws, sizes["shelves"], count)
    return block(AdjointRun(march, own, held, rerun.projection, tree, basis, block(weights)), **sizes), rerun


def _loads_back(varied: VariedRun, taken: RecordedRun, weights: Weights, count: int) -> np.ndarray:
    """Move the weights of multipliers that follow from places and velocities at their own time (`VariedRun.moved`), not
    from steps, to those of places, velocities, signals and forces of contacts, in place. Return the gradients through
    numbers in the equations, (numbers, parameters)."""
    run, own = varied.equations(count)
    forces_back(run, own, block(varied.motion), *varied.branches_and_loads(), block(weights))
    return np.asarray(own.gradient @ varied.numbers_of_bodies[:, : own.gradient.shape[1]].T)


def _end(way: AdjointRun, last: np.ndarray, head: np.ndarray) -> None:
    """Take the weights recorded behind a break with which the run ends, or in a run without steps."""
    waits = not len(head) or head[-1, SWITCHES] == 1.0 or head[-1, SPAN_OF] != last[SPAN_OF]
    before = int(np.searchsorted(way.march.record.times, last[T0], side="left" if waits else "right"))
    check_status(way.march, back_begin(way, last[:HEAD].copy(), last, before))


def _entries(way: AdjointRun, heads: np.ndarray, kept: list[np.ndarray]) -> np.ndarray:
    """Return the entries of some steps: all are kept, or the first alone, from which the others are made again."""
    march, first = way.march, kept[0]
    contacts, switches = march.mechanism.contacts, march.mechanism.switches
    if len(heads) == len(kept):
        return np.array(kept)
    parts = contacts.sliding.holds_direction, contacts.constrained.state, switches.mode
    size = entry_size(march.stages.y0.size, march.record.kept.size, *(part.size for part in parts))
    entries = np.zeros((len(heads), size))
    entries[:, :HEAD] = heads
    put_entry(march, first)
    check_status(march, make_stretch(march, np.ascontiguousarray(heads), entries, way.before[0]))
    check_same(entries[0, HEAD : size - 2 * switches.mode.size], first[HEAD:])
    entries[0] = first
    return entries
