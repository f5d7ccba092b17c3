"""Derivatives across resets, events that give a run another state, ahead and back.

The event g(t, y, p) = 0 comes at a time t_e, and the state behind it is R(t, y, p): the nearest one with the values
that are asked for. With S at a held time, y' = f₋ before and f₊ behind,

    t_e' = -(g_y S₋ + g_p)/ġ,        S₊ = R_y (S₋ + f₋ t_e') + R_p + R_t t_e' - f₊ t_e',

    w = R_yᵀ λ,   c = w · f₋ + λ · R_t - λ · f₊,        λ₋ = w - (c/ġ) g_yᵀ,        p̄ += R_pᵀ λ - (c/ġ) g_p.

R is a beginning (`derivatives.start`): how it varies with the state before and with the values follows from its
equations.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sps

from ...compiled import System
from ...compiled.derivatives import SUPPLIED
from ...compiled.dynamics import KINETIC, POTENTIAL, SCALARS
from ...compiled.reading import Trajectory
from ...compiled.slopes import small_motions
from ...duals import Dual
from ...model.events import Event, Reset
from ...model.measures import Quantity
from ...model.model import Model
from ...model.parameters import Evaluator, Parameter, Signal
from ...motion.derivative import state_layout
from ...motion.events import function_of, values_at
from ...motion.past.tape import HEAD
from ...readings.motion import ComputedQuantities
from ...results.result import State
from ...symbolic.markers import t as time
from ...tolerances import REPEAT
from ..across.jumps import grazes, instant_moved
from ..parameters import Asked, Start
from ..start import Beginning
from .checks import check_same
from .moments import changes_here, rates_at
from .saltation import surfaces_back
from .sampled import seeded

KINK, FARTHER = 1e-6, 10.0
"""A slope has a kink where it jumps by more than `KINK` of its size, and hardly more over a way `FARTHER` times as
long."""


class ResetTaken(NamedTuple):
    """A reset of a run, noted for derivatives."""

    step: int
    """The number of the step that begins behind the reset."""
    t: float
    name: str
    y: np.ndarray
    """The state y before the reset."""


def stand_before(rerun: Any, taken: ResetTaken) -> None:
    """Put a run that has made the step before a reset again into the state before the reset. (The repeated ends of
    implicit steps are sharper than those of the run; other steps must agree to the last bit.)"""
    y0 = rerun.march.stages.y0
    if rerun.is_implicit:
        y0[:] = taken.y
    else:
        check_same(y0, taken.y)


class ResetSlopes(NamedTuple):
    """R_y, R_p and R_t of a reset."""

    by_state: np.ndarray
    by_parameters: np.ndarray
    by_time: np.ndarray
    why: str = ""
    """The reason why the state behind the reset has no derivative; empty where it has one."""


def _readings(system: System, asked: Asked, at: State) -> tuple[ComputedQuantities, np.ndarray]:
    """Return the quantities of a state, with derivatives, and the slopes of its kinetic and potential energy together:
    by the parameters, by time, and by each number of q and of v."""
    count, (of_q, of_v) = len(asked.names), seeded(asked, at.full_q[None], at.full_v[None], others=1)
    of_t = np.zeros((len(of_q.slope), 1))
    of_t[count] = 1.0
    own: Any = Dual(np.array([at.t]), of_t, of_q.by), of_q, of_v, Dual(0.0 * of_v.value, 0.0 * of_v.slope, of_q.by)
    path = Trajectory(*own)
    dynamics = system.structure.dynamics.batch
    of = np.repeat(np.arange(SCALARS), np.diff(system.dynamics.scalar_at))
    add = sps.csr_matrix((np.ones(of.size), (system.dynamics.scalar_from, of)), (dynamics.out_size, SCALARS))
    scalars: Any = system.outputs_of(dynamics, path.t, path.q, path.v, add)
    energy = scalars.slope[:, 0, [KINETIC, POTENTIAL]].sum(axis=1)
    return ComputedQuantities(system, path, integrated=True), energy


def kink_of(model: Model, event: Event, before: State, names: Collection[str]) -> str:
    """Return a message about the first value of a reset with a kink, where slopes differ on both sides of a state, of
    time or of a parameter in `names`; empty where all are smooth. (Between two close places a smooth slope changes by
    next to nothing, and in proportion to their distance.)"""
    assert isinstance(event.action, Reset)
    for name, e in event.action.values.items():
        known = values_at(model, e, before)
        for one in (one for one in known if not isinstance(one, Parameter) or str(one) in names):
            slope, size = e.diff(one), REPEAT * max(abs(known[one]), 1.0)
            near, far = (
                [Evaluator(known | {one: known[one] + side * size})(slope) for side in (-reach, reach)]
                for reach in (1.0, FARTHER)
            )
            jump, allowed = abs(near[1] - near[0]), KINK * max(map(abs, near + far))
            if jump > allowed and jump > 0.5 * abs(far[1] - far[0]):
                return f"at t = {before.t:.6g} {event.who} sets {name}, whose expression has a kink there"
    return ""


def _values(
    asked: Asked, action: Reset, before: State, read: ComputedQuantities
) -> tuple[dict[str, float], np.ndarray]:  # fmt: skip
    """Return the values that a reset asks for, by name, and their slopes, (rows of `_readings`, values)."""
    count, wanted, slopes = len(asked.names), dict[str, float](), list[np.ndarray]()
    own: Any = read
    for name, e in action.values.items():
        number, slope = Evaluator(values_at(asked.model, e, before)), np.zeros(own.motion.q.slope.shape[0])
        for one in e.atoms(Quantity, Signal):
            slope += number(e.diff(one)) * own[str(one)].slope[:, 0]
        slope[: count + 1] += [number(e.diff(symbol)) for symbol in (*asked.symbols, time)]
        wanted[name] = number(e)
        slopes.append(slope)
    return wanted, np.array(slopes).T


def _carried(system: System, q: np.ndarray) -> list[Start]:
    """Return how the state that a reset starts from changes with each number of q and of v."""
    layout = system.layout
    nq, nv, signals = layout.q_size, layout.v_size, layout.q_size - len(layout.signals)
    of_q = Dual(q[None], np.eye(nq)[:, None], tuple(Parameter(f"seed {k}") for k in range(nq)))
    motions = small_motions(system.structure, of_q)[:, 0, : system.nv]
    places = [Start(motions[k], np.eye(nq)[k] * (k >= signals), np.zeros(nv)) for k in range(nq)]
    return places + [Start(np.zeros(system.nv), np.zeros(nq), np.eye(nv)[k]) for k in range(nv)]


def reset_slopes(system: System, asked: Asked, taken: ResetTaken, behind: np.ndarray) -> ResetSlopes:
    """Return R_y, R_p and R_t of a reset; `behind` is y behind it."""
    layout, count, width = state_layout(system.layout), len(asked.names), taken.y.size
    before, after = (
        State(system, taken.t, y[: layout.q_end].copy(), y[layout.v_at : layout.v_end].copy(), system.still)
        for y in (taken.y, behind)
    )
    event = system.model.elements[taken.name]
    assert isinstance(event, Event) and isinstance(event.action, Reset)
    read, energy_before = _readings(system, asked, before)
    _, energy_behind = _readings(system, asked, after)
    if why := kink_of(system.model, event, before, asked.names):
        none = np.full((width, width + count + 1), np.nan)
        return ResetSlopes(none[:, :width], none[:, width:-1], none[:, -1], why)
    wanted, of_wanted = _values(asked, event.action, before, read)
    carried = {f"number {k}": one for k, one in enumerate(_carried(system, before.full_q))}
    # a value of the start of the run may have the name of a value that is set here, and is another one
    names = *(f"asked {k}" for k in range(count)), *wanted, *carried
    symbols = *asked.symbols, *map(Parameter, (*wanted, *carried))
    begin = Beginning(Asked(asked.model, names, symbols, told=""), after, wanted, before, carried)
    rows = np.zeros((len(names), width))
    rows[:, : layout.q_end], rows[:, layout.v_at : layout.v_at + system.nv] = begin.q, begin.energetic_velocity
    own, of_values, of_state = np.split(rows, [count, count + len(wanted)])
    along = of_wanted @ of_values  # (parameters, time, numbers of q and v; y)
    along[:count] += own
    along[count + 1 :] += of_state
    gained = along[:, : layout.v_end] @ energy_behind[count + 1 :] - energy_before
    gained[: count + 1] += energy_behind[: count + 1]
    along[:, layout.works_at + SUPPLIED] += gained
    by_state = np.eye(width)
    by_state[:, : layout.v_end] = along[count + 1 :].T
    return ResetSlopes(by_state, along[:count].T.copy(), along[count].copy())


class ResetPassage:
    """The passage of a run, which stands before a reset, through the reset."""

    def __init__(self, rerun: Any, held: Any, taken: ResetTaken, slopes: ResetSlopes, entry: np.ndarray):
        """`entry` is the entry of the step behind the reset."""
        self.rerun, self.held, self.taken, self.slopes = rerun, held, taken, slopes
        march, y = rerun.march, taken.y
        self.function = function_of(rerun.system, march, rerun.system.model.elements[taken.name])
        along, tree = rerun.along
        self.rates = rates_at(march, along, tree, held, taken.t, y.copy())
        self.behind = entry[HEAD + y.size :][: y.size]
        self.why = slopes.why

    def _touches(self, length: float, sizes: np.ndarray) -> bool:
        k = self.function
        return grazes(self.rates.functions[[k]], length, sizes[[k]])

    @property
    def _by_time(self) -> np.ndarray:
        """Return the change of the state behind the reset with the time of the event, (y,)."""
        return self.slopes.by_state @ self.rates.y + self.slopes.by_time - self.behind

    def ahead(self, S: np.ndarray, length: float, sizes: np.ndarray, mixed: np.ndarray | None = None) -> np.ndarray:
        """Return S behind the reset, (parameters, y), from S before it; nan where there is no derivative."""
        if self._touches(length, sizes):
            self.why = f"at t = {self.taken.t:.6g} the motion touches where it switches, and does not pass"
            return np.full_like(S, np.nan)
        y, march = self.taken.y.copy(), self.rerun.march
        *_, functions = changes_here(march, self.rerun.own, self.rerun.tree, self.held, self.taken.t, y, S.copy())
        moved = instant_moved(functions[:, [self.function]], self.rates.functions[[self.function]])
        direct = self.slopes.by_parameters.T
        own = direct if mixed is None else mixed @ direct
        return np.asarray(S @ self.slopes.by_state.T + own + np.outer(moved, self._by_time))

    def back(self, weights: np.ndarray, length: float, sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the weights of y before the reset, (numbers, y), and what they add to those of the parameters."""
        direct = weights @ self.slopes.by_parameters
        if self._touches(length, sizes):
            return np.full_like(weights, np.nan), np.full_like(direct, np.nan)
        found, of_functions = weights @ self.slopes.by_state, np.zeros((len(weights), self.rates.functions.size))
        of_functions[:, self.function] = -(weights @ self._by_time) / self.rates.functions[self.function]
        surfaces_back(self.rerun.own, self.rerun.tree, self.rerun.march.mechanism, self.taken.y, of_functions, found)
        return found, direct
