"""Derivatives across resets, events that give a run another state, ahead and back.

The event g(t, y, p) = 0 comes at a time t_e, and the state behind it is R(t, y, p): the nearest one with the values
that are asked for. With S at a held time, y' = f₋ before and f₊ behind,

    t_e' = -(g_y S₋ + g_p)/ġ,        S₊ = R_y (S₋ + f₋ t_e') + R_p + R_t t_e' - f₊ t_e',

    w = R_yᵀ λ,   c = w · f₋ + λ · R_t - λ · f₊,        λ₋ = w - (c/ġ) g_yᵀ,        p̄ += R_pᵀ λ - (c/ġ) g_p.

R is a beginning (`derivatives.start`): how it varies with the state before, with time and with the values follows from
its equations. They are those of bodies; in other coordinates the states before and behind are those of their bodies
(`coordinates`). Where a change of contacts sets the state, t_e' is that of the change, and S₋ and f₋ are those behind
it; going back, c is the weight of its time. Several resets at one instant have one t_e', of the functions that pass
zero in the state before all of them. Where a run begins or ends with a reset, there is a derivative if t_e' = 0.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
import scipy.sparse as sps

from ...compiled import System
from ...compiled.dynamics import KINETIC, POTENTIAL, SCALARS
from ...compiled.reading import Trajectory
from ...compiled.slopes import small_motions
from ...duals import Dual
from ...model.events import Event, Reset
from ...model.measures import Quantity
from ...model.model import Model
from ...model.parameters import Evaluator, Parameter, Signal
from ...motion.events import function_of, values_at
from ...motion.mechanism_record import state_layout
from ...motion.past.tape import ALPHA, BETA, FRESH, HEAD, SWITCHED, T0
from ...readings.motion import ComputedQuantities
from ...results.result import State
from ...symbolic.expressions import slope_between_jumps
from ...symbolic.loads import SUPPLIED
from ...symbolic.markers import t as time
from ...tolerances import SAME_INSTANT
from ..parameters import DesignVariables, StartChange, corner_of
from ..start import VariedStart
from .coordinates import coordinate_changes, ground_places, ground_slopes
from .event_times import APART, changes_here, rates_at, sizes_of
from .jumps import grazes, instant_moved
from .repetition import put_entry
from .saltation import surfaces_back
from .samples import body_seeds, seeded


class ResetEntry(NamedTuple):
    """A reset of a run, noted for derivatives."""

    step: int
    """The number of the step that begins behind the reset."""
    name: str
    entry: np.ndarray
    """The state before the reset, as the entry of a step of no length: behind the change of contacts for which the
    event waits."""
    width: int
    """The length of y."""
    beside_break: bool = False
    """Whether laws of other elements have a break in time there."""

    @property
    def t(self) -> float:
        return float(self.entry[T0])

    @property
    def follows_change(self) -> bool:
        """Whether contacts change, or laws of other elements break in time, before the state is set."""
        return bool(self.entry[FRESH] == SWITCHED or self.beside_break)

    @property
    def y(self) -> np.ndarray:
        return self.entry[HEAD:][: self.width]


def stand_before(rerun: Any, taken: ResetEntry) -> None:
    """Put a run into the state before a reset."""
    put_entry(rerun.march, taken.entry)
    rerun.march.mechanism.gains[:] = taken.entry[[ALPHA, BETA]]


class ResetSlopes(NamedTuple):
    """R_y, R_p and R_t of a reset."""

    by_state: np.ndarray
    by_parameters: np.ndarray
    by_time: np.ndarray
    why: str = ""
    """The reason why the state behind the reset has no derivative; empty where it has one."""


class BodyVariation(NamedTuple):
    """A state of bodies whose places and velocities vary: by the parameters, by time, and by each number of q and of v
    in the coordinates of a run."""

    state: State
    q: Dual
    v: Dual


def _body_variation(system: System, variables: DesignVariables, t: float, y: np.ndarray) -> BodyVariation:
    """Return the bodies of a run in the state y at the time t."""
    layout = state_layout(system.layout)
    q, v = y[None, : layout.q_end].copy(), y[None, layout.v_at : layout.v_end].copy()
    of_q, of_v = seeded(variables, q, v, others=1)
    still, at = Dual(0.0 * v, 0.0 * of_v.slope, of_v.by), Trajectory(np.array([t]), q, v, 0.0 * v)
    *varied, _, bodies = body_seeds(system, of_q, of_v, still, at)
    state = State(system.cartesian, t, bodies.q[0].copy(), bodies.v[0].copy(), system.cartesian.still)
    return BodyVariation(state, *varied)


def _readings(bodies: System, count: int, at: BodyVariation) -> tuple[ComputedQuantities, np.ndarray]:
    """Return the quantities of a state, with derivatives, and the slopes of its kinetic and potential energy together;
    time varies behind the first `count` parameters."""
    of_t = np.zeros((len(at.q.slope), 1))
    of_t[count] = 1.0
    still: Any = Dual(0.0 * at.v.value, 0.0 * at.v.slope, at.q.by)
    path = Trajectory(cast(Any, Dual(np.array([at.state.t]), of_t, at.q.by)), cast(Any, at.q), cast(Any, at.v), still)
    dynamics = bodies.structure.dynamics.batch
    of = np.repeat(np.arange(SCALARS), np.diff(bodies.dynamics.scalar_at))
    add = sps.csr_matrix((np.ones(of.size), (bodies.dynamics.scalar_from, of)), (dynamics.out_size, SCALARS))
    scalars: Any = bodies.outputs_of(dynamics, path.t, path.q, path.v, add)
    energy = scalars.slope[:, 0, [KINETIC, POTENTIAL]].sum(axis=1)
    return ComputedQuantities(bodies, path, integrated=True), energy


def kink_of(model: Model, event: Event, before: State, names: Collection[str]) -> str:
    """Return a message about the first value of a reset that jumps, or has a kink, where values or slopes differ on
    both sides of a state, of time or of a parameter in `names`; empty where all are smooth."""
    assert isinstance(event.action, Reset)
    for name, e in event.action.values.items():
        known = values_at(model, e, before)
        for one in (one for one in known if not isinstance(one, Parameter) or str(one) in names):
            if what := corner_of(e, one, known):
                return f"at t = {before.t:.6g} {event.who} sets {name}, whose expression {what} there"
    return ""


def _values(
    variables: DesignVariables, action: Reset, before: State, read: ComputedQuantities
) -> tuple[dict[str, float], np.ndarray]:  # fmt: skip
    """Return the values that a reset asks for, by name, and their slopes, (rows of `_readings`, values)."""
    count, wanted, slopes = len(variables.names), dict[str, float](), list[np.ndarray]()
    own: Any = read
    for name, e in action.values.items():
        number, slope = Evaluator(values_at(variables.model, e, before)), np.zeros(own.motion.q.slope.shape[0])
        for one in e.atoms(Quantity, Signal):
            slope += number(slope_between_jumps(e, one)) * own[str(one)].slope[:, 0]
        slope[: count + 1] += [number(slope_between_jumps(e, symbol)) for symbol in (*variables.symbols, time)]
        wanted[name] = number(e)
        slopes.append(slope)
    return wanted, np.array(slopes).T


def _carried(bodies: System, at: BodyVariation) -> list[StartChange]:
    """Return how the state of bodies that a reset starts from changes with each number that varies."""
    motions = small_motions(bodies.structure, at.q)[:, 0, : bodies.nv]
    signals = at.q.slope[:, 0].copy()
    signals[:, : bodies.layout.q_size - len(bodies.layout.signals)] = 0.0
    return [StartChange(*one) for one in zip(motions, signals, at.v.slope[:, 0], strict=True)]


def reset_slopes(system: System, variables: DesignVariables, taken: ResetEntry, behind: np.ndarray) -> ResetSlopes:
    """Return R_y, R_p and R_t of a reset; `behind` is y behind it."""
    layout, count, width, bodies = state_layout(system.layout), len(variables.names), taken.y.size, system.cartesian
    before, after = (_body_variation(system, variables, taken.t, y) for y in (taken.y, behind))
    event = system.model.elements[taken.name]
    assert isinstance(event, Event) and isinstance(event.action, Reset)
    read, energy_before = _readings(bodies, count, before)
    _, energy_behind = _readings(bodies, count, after)
    if why := kink_of(system.model, event, before.state, variables.names):
        none = np.full((width, width + count + 1), np.nan)
        return ResetSlopes(none[:, :width], none[:, width:-1], none[:, -1], why)
    wanted, of_wanted = _values(variables, event.action, before.state, read)
    carried = {f"number {k}": one for k, one in enumerate(_carried(bodies, before))}
    # a value of the start of the run may have the name of a value that is set here, and is another one
    names = *(f"asked {k}" for k in range(count)), "time", *wanted, *carried
    symbols = *variables.symbols, cast(Parameter, time), *map(Parameter, (*wanted, *carried))
    begin = VariedStart(
        DesignVariables(variables.model, names, symbols, told=""), after.state, wanted, before.state, carried
    )
    moved = list[np.ndarray]()
    for rows in (begin.q, begin.x, begin.energetic_velocity):
        own, of_values, of_state = np.split(rows, [count + 1, count + 1 + len(wanted)])
        moved.append(of_wanted @ of_values + of_state)  # by parameters, by time, by numbers of q and v
        moved[-1][: count + 1] += own
    by = *variables.symbols, *before.q.by[count:]
    q, v = coordinate_changes(system, by, after.state, behind[: layout.q_end], *moved)
    along = np.zeros((len(by), width))
    along[:, : layout.q_end], along[:, layout.v_at : layout.v_at + v.shape[1]] = q, v
    gained = along[:, : layout.v_end] @ energy_behind[count + 1 :] - energy_before
    gained[: count + 1] += energy_behind[: count + 1]
    along[:, layout.works_at + SUPPLIED] += gained
    by_state, by_parameters, still = np.eye(width), along[:count].T.copy(), ground_places(system)
    by_state[:, : layout.v_end] = along[count + 1 :].T
    by_parameters += by_state[:, still] @ ground_slopes(system, variables.symbols).T
    by_state[:, still] = 0.0
    return ResetSlopes(by_state, by_parameters, along[count].copy())


class ResetDerivative(NamedTuple):
    """A reset of a run, with its slopes."""

    taken: ResetEntry
    slopes: ResetSlopes
    behind: np.ndarray
    """The state behind it: the entry of the next step, or of the next reset."""


def reset_derivatives(
    system: System, variables: DesignVariables, resets: Sequence[ResetEntry], states: Mapping[int, np.ndarray]
) -> dict[int, list[ResetDerivative]]:  # fmt: skip
    """Return the resets of a run, with their slopes, in their order, by the numbers of the steps that begin behind
    them; `states` are the entries of these steps."""
    found = dict[int, list[ResetDerivative]]()
    for one, after in zip(resets, [*resets, None][1:], strict=True):
        behind = after.entry if after and after.step == one.step else states[one.step]
        slopes = reset_slopes(system, variables, one, behind[HEAD:][: one.width])
        found.setdefault(one.step, []).append(ResetDerivative(one, slopes, behind))
    return found


class ResetPassage:
    """The passage of a run through resets at one instant."""

    def __init__(self, rerun: Any, held: Any, resets: Sequence[ResetDerivative], length: float, sizes: np.ndarray):
        """The step before has this `length`; `sizes` are those of switching functions at its beginning."""
        self.rerun, self.held, self.resets, self.length, self.sizes = rerun, held, resets, length, sizes
        self.why = next((one.slopes.why for one in resets if one.slopes.why), "")
        self.t, march, elements = resets[0].taken.t, rerun.march, rerun.system.model.elements
        self.by_time, self.functions = list[np.ndarray](), list[int]()
        """The change of the state behind each reset with its time, (y,); the functions that pass zero in the state
        before all of them, none if the first one waits for a change of contacts."""
        for one in resets:
            stand_before(rerun, one.taken)
            rates, y = rates_at(march, rerun.along, self.t, one.taken.y.copy()), one.taken.y
            behind = one.behind[HEAD + y.size :][: y.size]
            self.by_time.append(one.slopes.by_state @ rates.y + one.slopes.by_time - behind)
            if one is resets[0]:
                self.rates, near = rates.functions, sizes_of(march, self.t)
        events = [elements[one.taken.name] for one in resets]
        for event in events if not events[0].change else []:
            k = -1 if event.change else function_of(rerun.system, march, event)
            passes = k >= 0 and near[k] <= SAME_INSTANT * max(abs(self.t), 1.0) * abs(self.rates[k])
            if event is events[0] or (passes and k not in self.functions):
                self.functions.append(k)
        stand_before(rerun, resets[0].taken)

    def time_moved(self, S: np.ndarray) -> np.ndarray:
        """Return how the time at which functions pass zero moves with each parameter, (parameters,), from S before all
        resets; nan where there is no derivative."""
        if self._touches:
            self.why = f"at t = {self.t:.6g} the motion touches where it switches, and does not pass"
            return np.full(len(S), np.nan)
        known = self.rerun.march, self.rerun.own, self.rerun.tree, self.held, self.t
        *_, functions = changes_here(*known, self.resets[0].taken.y.copy(), S.copy())
        moved = instant_moved(functions[:, self.functions], self.rates[self.functions])
        if (np.isfinite(S).all(axis=1) & np.isnan(moved)).any():
            self.why = f"at t = {self.t:.6g} {APART}"
        return moved

    @property
    def _touches(self) -> bool:
        return bool(self.functions) and grazes(self.rates[self.functions], self.length, self.sizes[self.functions])

    def ahead(self, n: int, S: np.ndarray, moved: np.ndarray, mixed: np.ndarray | None = None) -> np.ndarray:
        """Return S behind reset n, (parameters, y), from S before it; nan where there is no derivative. `moved` is how
        the time of all resets moves, (parameters,)."""
        slopes = self.resets[n].slopes
        direct = slopes.by_parameters.T
        own = direct if mixed is None else mixed @ direct
        return np.asarray(S @ slopes.by_state.T + own + np.outer(moved, self.by_time[n]))

    def back(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the weights of y before the resets, (numbers, y), what they add to those of the parameters, and the
        weights of the time of the change of contacts for which the first event waits, (numbers,). Where several
        functions pass zero they are nan: only derivatives ahead show whether these also pass at one instant in
        neighbouring runs."""
        found, none = weights, np.zeros(len(weights))
        direct, of_time = np.zeros((len(weights), self.resets[0].slopes.by_parameters.shape[1])), none.copy()
        for one, by_time in zip(self.resets[::-1], self.by_time[::-1], strict=True):
            of_time += found @ by_time
            direct += found @ one.slopes.by_parameters
            found = found @ one.slopes.by_state
        if not self.functions:
            return found, direct, of_time
        if self._touches or len(self.functions) > 1:
            return np.full_like(weights, np.nan), np.full_like(direct, np.nan), none
        of_functions = np.zeros((len(weights), self.rates.size))
        of_functions[:, self.functions[0]] = -of_time / self.rates[self.functions[0]]
        mechanism, y = self.rerun.march.mechanism, self.resets[0].taken.y.copy()
        surfaces_back(self.rerun.own, self.rerun.tree, mechanism, y, of_functions, found)
        return found, direct, none
