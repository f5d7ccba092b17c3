"""The gradient of a number that depends on a run, by any number of parameters: one way back through its steps.

What the number depends on is told by weights: ∂J/∂(named array) at the requested times. Slopes of the readings, by
places, velocities, accelerations, multipliers and works at the same time, make weights of these of them; then the steps
give them back to the first state and to the numbers in the equations (`back`), whose slopes by parameters are sympy's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...duals import Dual
from ...errors import ModelError
from ...kernels.blocks import block
from ...model.parameters import Parameter
from ...motion.derivative import WORK
from ...motion.past.tape import ALPHA, BETA, FRESH, HEAD, T0, WENT_ON, entry_size
from ...results.result import Result
from ..across.runs import FollowedRun
from ..along import Variation
from ..parameters import Asked
from .back import Way, Weights, back_begin, back_stretch
from .making import make_stretch, put_entry
from .replayed import Taken, VariedRun, check_same, check_status, moved_state, new_march_of, stretches
from .steps import Changes, basis_of


def adjoint(result: Result, weights: Mapping[str, np.ndarray]) -> dict[str, float]:
    """Σ weights · d(named array)/dp for each parameter p that `derivatives=` of the run has named. Weights have the
    shape of what they are of: a number for each requested time, or a row of components."""
    varied = result.varied
    if isinstance(varied, FollowedRun):  # steps across switches are known ahead only
        slopes = {by: [np.sum(w * result.d(name, by)) for name, w in weights.items()] for by in varied.asked.names}
        return {by: float(sum(some)) for by, some in slopes.items()}
    if not isinstance(varied, VariedRun) or varied.taken is None:
        raise ModelError('gradients need a run with derivatives: simulate(model, times, derivatives=["r"])')
    of_state, direct = _of_states(varied, weights)
    way, from_numbers = _gone_back(varied, varied.taken, of_state)
    start = moved_state(varied, varied.taken, way.march)
    total = direct + from_numbers + start @ way.y0[0]
    return dict(zip(varied.asked.names, total.tolist(), strict=True))


# --- weights of states ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class SeededRun(VariedRun):
    """A run whose states themselves vary, each number by itself: what is read of it has the slopes of the reading. The
    parameters that are asked for come first, and move no state."""

    parameters: int = 0

    @cached_property
    def changes(self) -> Changes:
        system, count = self.system, len(self.asked.names)
        sizes = system.nv, system.nv, system.nv, len(system.rows), WORK
        begins = np.cumsum([self.parameters, *sizes])
        rows = []
        for size, begin in zip(sizes, begins, strict=False):
            one = np.zeros((self.motion.t.size, count, size))
            one[:, begin : begin + size] = np.eye(size)
            rows.append(one.reshape(-1, size))
        return Changes(*rows)

    @property
    def works_changed(self) -> np.ndarray:
        return np.array(self.changes.works)

    @cached_property
    def moved(self) -> Variation:
        if self.result.stats["redundant_equations"]:
            what = "where equations are redundant there is no way back through what joints carry"
            raise ModelError(f"{what}; leave a redundant joint out (mbs.diagnose), or read result.d(name, by)")
        return super().moved


def _of_states(varied: VariedRun, weights: Mapping[str, np.ndarray]) -> tuple[Weights, np.ndarray]:
    """The weights of states, and what parameters do to the readings directly."""
    system, times, own = varied.system, varied.motion.t.size, varied.asked
    sizes = system.nv, system.nv, system.nv, len(system.rows), WORK
    seeds = [f"seed {k}" for k in range(sum(sizes))]
    asked = Asked(own.model, (*own.names, *seeds), (*own.symbols, *map(Parameter, seeds)), told="")
    run = SeededRun(varied.result, asked, taken=varied.taken, parameters=len(own.names))
    total = np.zeros((len(asked.names), times))
    for name, weight in weights.items():
        value = run[name]
        given = np.asarray(weight, dtype=float)
        if not isinstance(value, Dual):
            raise ModelError(f"{name!r} is no function of the motion, and has no derivative")
        if given.shape != value.shape:
            raise ModelError(f"weights of {name!r} have the shape {given.shape}, and it has {value.shape}")
        total += (value.slope * given).reshape(*total.shape, -1).sum(axis=2)
    first = len(own.names)
    parts = np.split(total[first:].T, np.cumsum(sizes)[:-1], axis=1)
    return Weights(*(np.ascontiguousarray(part) for part in parts)), total[:first].sum(axis=1)


# --- back -------------------------------------------------------------------------------------------------------------


def _gone_back(varied: VariedRun, taken: Taken, weights: Weights) -> tuple[Way, np.ndarray]:
    """A run gone through backwards, and what parameters do through the numbers in the equations."""
    system, steps, head = varied.system, taken.steps, taken.steps.head
    works = bool(weights.works.any())
    march, own, numbers = new_march_of(system, varied.asked, taken, len(weights.x), False, works)
    factor, basis = march.mechanism.machine.factor, basis_of(march.stages)
    shelf = sum(x.size for x in (factor.numbers, factor.weight, factor.beside, factor.jacobian, own.to.values))
    sizes = {"shelf": shelf + len(system.rows), "shelves": basis.k.shape[0] + 1, "width": march.stages.y0.size}
    sizes |= {"rows": len(system.rows), "basis": basis.y0.size, "quaternions": len(system.layout.quaternions)}
    way = block(Way(march, own, basis, block(weights)), **sizes)
    times, first = march.record.times, np.array(march.mechanism.gains)
    begun = np.searchsorted(times, head[:, T0], side="right")
    before = np.where(head[:, FRESH] == WENT_ON, begun, np.searchsorted(times, head[:, T0]))
    recorded = np.stack([before, begun], axis=1).astype(np.int64)
    gains = np.concatenate([first[None], head[:-1, [ALPHA, BETA]]]) if len(head) else np.zeros((0, 2))
    _end(way, taken.last, gains, head, first)
    for begin, end in stretches(steps)[::-1]:
        entries = _entries(way, head[begin:end], [steps.states[k] for k in range(begin, end) if k in steps.states])
        told = np.ascontiguousarray(recorded[begin:end]).ravel(), np.ascontiguousarray(gains[begin:end])
        check_status(march, back_stretch(way, entries, *told))
    return way, numbers @ own.gradient


def _end(way: Way, last: np.ndarray, gains: np.ndarray, head: np.ndarray, first: np.ndarray) -> None:
    """What is recorded behind a break with which the run ends, or of a run without steps."""
    way.gains[:] = head[-1, [ALPHA, BETA]] if len(head) else first
    before = int(np.searchsorted(way.march.record.times, last[T0]))
    check_status(way.march, back_begin(way, last[:HEAD].copy(), last, before))


def _entries(way: Way, heads: np.ndarray, kept: list[np.ndarray]) -> np.ndarray:
    """Those of some steps, of which all are kept, or the first alone: then the others are made again from it."""
    march, first = way.march, kept[0]
    if len(heads) == len(kept):
        return np.array(kept)
    size = entry_size(march.stages.y0.size, march.record.kept.size, march.mechanism.switches.mode.size)
    entries = np.zeros((len(heads), size))
    entries[:, :HEAD] = heads
    put_entry(march, first)
    check_status(march, make_stretch(march, np.ascontiguousarray(heads), entries, way.lengths[0]))
    check_same(entries[0, HEAD:], first[HEAD:])
    return entries
