"""The initial state of a motion: from named values to a consistent position and velocity.

Positions: the given ones are met, everything else is as near to the placement as it can be (`assemble`). Velocities:
the given ones are met, and of all that then satisfy Φ_v v = ν the one of least kinetic energy is taken,

    [M Jᵀ; J 0] [v; μ] = [0; ν],

with J the rows of Φ_v and of the given values.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from ..arguments import check_start
from ..compiled import System
from ..compiled.contacts import GIVEN
from ..compiled.reading import read_outputs
from ..compiled.status import DONE
from ..compiled.structure import Structure
from ..errors import ModelError, SingularConfigurationError
from ..model.checks import name_of
from ..model.element import Element
from ..model.model import Model
from ..model.parameters import initial_number
from ..model.signals import Reaction
from ..poses import newton
from ..poses.assembly import check_level, posed
from ..poses.dependence import PoseRank, elements_of, joints_at_fault
from ..readings.ranks import null_vectors
from ..readings.teeth import coupled, open_rows
from ..results.result import State
from ..tolerances import ACCELERATION_RESIDUAL, REACTION_UNIQUENESS
from .derivative import evaluate, take_nearest_velocity
from .mechanism import mechanism


def initial_state(model: Model, t: float, initial: Mapping[str, float] | State | None) -> tuple[State, list[int], str]:
    """Return the state at the beginning, the rows that others determine there, and a note of what was not given."""
    system = model.compile()
    if isinstance(initial, State):
        check_start(model, initial)
        q, *_ = posed(model, t, {}, initial)
        state = nearest_velocity(system, system, t, q, initial.full_v)
        return state, check_regular(system, t, q, state.full_v), ""
    if initial is not None and not isinstance(initial, Mapping):
        raise ModelError(
            f'initial must be a dict of names and values, not {initial!r}; e.g. {{"crank.omega": 10}}',
            code="not-a-dict", argument="initial", value=initial,
        )  # fmt: skip
    given = {name_of(model, name, "initial"): value for name, value in (initial or {}).items()}
    numbers = {name: initial_number(value, f"initial[{name!r}]") for name, value in given.items()}
    state, dependent, note = system.latest(_start, t, numbers)
    q, v = state.full_q.copy(), state.full_v.copy()
    return State(system, t, q, v, state.full_a.copy()), [*dependent], note


def _start(system: System, t: float, numbers: dict[str, float]) -> tuple[State, list[int], str]:
    """Return the initial state from named values: a run is often made again from the same ones."""
    model, given = system.model, dict(numbers)
    states = {one.symbol: given.pop(one.name) for one in model.states if one.name in given}
    levels = [system.structure.once(_level, name) for name in given]
    for name, level in zip(given, levels, strict=True):
        if level > 1:
            raise ModelError(
                f"initial[{name!r}] is an acceleration, which follows from forces; give values and rates",
                code="acceleration-given", argument="initial", name=name,
            )  # fmt: skip
    q, _, held = posed(model, t, given, None)
    for symbol, value in states.items():
        q[system.layout.signals[symbol]] = value
    state = nearest_velocity(system, held, t, q, None)
    dependent = check_regular(system, t, q, state.full_v)
    return state, dependent, _note(system.nv - len(system.rows) + len(dependent), levels)


def _level(structure: Structure, name: str) -> int:
    """Return whether a name is a value (0), a rate (1) or an acceleration (2)."""
    if name in structure.model.signal_units:
        what = f"initial[{name!r}] is not a value of a state, but an input, or a rate that follows from its expression"
        raise ModelError(
            f"{what}; give initial values of states, and inputs by model.with_inputs(...)",
            code="not-a-state", argument="initial", name=name,
        )  # fmt: skip
    return structure.model.quantity(name, told=2)[1]


def in_own_coordinates(system: System, t: float, q: bytes, v: bytes) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Return a state of bodies in the coordinates of the system, and the rows that others determine there."""
    motion = np.frombuffer(q)[None], np.frombuffer(v)[None], system.cartesian.still[None]
    (own,), (rates,), _ = system.from_bodies(motion)
    return own, rates, PoseRank(system, t, own).dependent(range(len(system.rows)))


def nearest_velocity(system: System, held: System, t: float, q: np.ndarray, v: np.ndarray | None) -> State:
    """Return the velocity of least kinetic energy (or the nearest to v) that satisfies all equations."""
    v = system.still if v is None else v.copy()
    run = mechanism(held)
    take_nearest_velocity(run, t, q, v)
    check_level(held, run.machine, t, q, v, system.still, 1)
    return State(system, t, q, v, system.still)


def check_regular(system: System, t: float, q: np.ndarray, v: np.ndarray) -> list[int]:
    """Return the rows that others determine in this pose. A motion cannot start where they do in this pose only: a
    little way on they are independent."""
    here = PoseRank(system, t, q)
    rows = range(len(system.rows))
    dependent = here.dependent(rows)
    if not dependent:
        return dependent
    nearby = _nearby(system, t, q, here)
    if nearby is None or len(PoseRank(system, t, nearby).dependent(rows)) >= len(dependent):
        return dependent
    names = joints_at_fault(system, t, q) or elements_of(system, dependent)
    where = f"{system.model.name!r} starts on a singular pose, where {', '.join(names)}"
    if _passes(system, t, q, v):
        why = "do not decide how it goes on"
    else:
        why = "branch, with velocities that no motion through it has: no acceleration satisfies Φ_v v̇ = γ"
    raise SingularConfigurationError(
        f"{where} {why}; start slightly aside of it, e.g. with another initial angle",
        code="singular-start", model=system.model.name, reason=why, time=t, joints=names,
        pose=State(system, t, q, v, system.still),
    )  # fmt: skip


def _passes(system: System, t: float, q: np.ndarray, v: np.ndarray) -> bool:
    """Return whether there are accelerations for these velocities: at a singular pose Φ_v v = ν is not sufficient."""
    machine, a = system.machine(), system.still
    newton.evaluate_and_factorise(machine, t, q, v, False)
    newton.complete(machine, t, q, v.copy(), a)
    off = system.read_constraints(np.array([t]), q[None], v[None], a[None])[2][0]
    asked = system.read_constraints(np.array([t]), q[None], v[None], 0.0 * a[None])[2][0]
    return bool(
        np.abs(off).max(initial=0.0) <= ACCELERATION_RESIDUAL * np.abs(asked).max(initial=0.0) + 1e-12 * system.length
    )


def _nearby(system: System, t: float, q: np.ndarray, here: PoseRank) -> np.ndarray | None:
    """Return a closed pose a little way along a motion that the constraints allow; always the same one."""
    random = np.random.default_rng(5)
    here.restrict(range(len(system.rows)))
    for _ in range(4):
        step = here.tangent(random.standard_normal(system.nv) / np.sqrt(system.weight))
        size = float(np.sqrt(system.weight @ step**2))
        if size == 0.0:
            return None
        nearby = system.moved(q, 1e-2 * system.length / size * step)
        if newton.close(system.machine(), t, nearby, system.still, 20) == DONE:
            return nearby
    return None


def _note(freedom: int, levels: Sequence[int]) -> str:
    """Return a note on the positions left to the placement and the velocities left to least energy, for given values of
    these levels."""
    parts = []
    if (missing := freedom - levels.count(0)) > 0:
        parts.append(f"{missing} of {freedom} positions not given: nearest to the placement")
    if (missing := freedom - levels.count(1)) > 0:
        parts.append(f"{missing} of {freedom} velocities not given: those of least kinetic energy")
    return "; ".join(parts)


def check_reactions(system: System, t: float, q: np.ndarray, redundant: int) -> None:
    """Raise an error if rates or frictions read a reaction that redundant joints leave undetermined."""
    if not redundant or not (system.structure.signals.reactions.target.size or system.model.frictions):
        return
    null = null_vectors(system, t, q, redundant)
    for element in moved_frictions(system, t, q, null):
        raise ModelError(
            f"{element.who} is bounded by what its joint carries, which is not unique: redundant joints share "
            "its load; leave out what is redundant (mbs.diagnose), or take mbs.DryFriction with a given force",
            code="not-unique", element=element.name,
        )  # fmt: skip
    for signal in moved_signals(system, t, q, null):
        raise ModelError(
            f"a rate reads {signal.name!r}, which is not unique: {system.model.elements[signal.owner].who} and "
            "redundant joints share its load; leave out what is redundant (mbs.diagnose)",
            code="not-unique", element=signal.owner, reaction=signal.name,
        )  # fmt: skip


def note_on_ratios(system: System, t: float, q: np.ndarray) -> str:
    """Return a note on frictions and rates that depend on the reaction of a bearing of a gear with a ratio, whose tooth
    force is not known; empty if there are none."""
    if not system.model.felt:
        return ""
    told = []
    for gear in coupled(system):
        null = null_vectors(system, t, q, 0, bearings=open_rows(system, t, q, [gear]))[: len(system.rows)]
        who = [element.who for element in moved_frictions(system, t, q, null)]
        who += [f"the reading {signal.name!r}" for signal in moved_signals(system, t, q, null)]
        if who:
            many = len(who) > 1
            does = "are reckoned" if many else "is reckoned"
            told.append(
                f"{', '.join(who)} {does} without the tooth force of {gear.who}, which a ratio does not tell; give "
                "radii= if its wheels press on their bearings"
            )
    return "; ".join(told)


def moved_frictions(system: System, t: float, q: np.ndarray, null: np.ndarray) -> list[Element]:
    """Return the frictions in joints whose normal force changes with some of these multipliers (rows, vectors)."""
    if not system.model.frictions:
        return []
    run, found = mechanism(system, asks=GIVEN), list[Element]()
    evaluate(run, t, q, system.still)
    contacts = run.contacts
    normals = contacts.normals
    for c, (element, _) in enumerate(system.structure.contacts.points):
        rows, first = int(normals.row_count[c]), int(normals.output[c])
        for d in range(int(normals.components[c]) if rows else 0):
            factors = normals.factors[first + d * rows :][:rows]
            moved = np.abs(factors @ null[normals.first_row[c] :][:rows]).max(initial=0.0)
            if moved > REACTION_UNIQUENESS * np.abs(factors).sum() and element not in found:
                found.append(element)
    return found


def moved_signals(system: System, t: float, q: np.ndarray, null: np.ndarray) -> list[Reaction]:
    """Return the reactions read by rates that change with some of these multipliers (rows, vectors)."""
    if not system.structure.signals.reactions.target.size:
        return []
    read, own, found = system.signals.reactions, system.coordinates.kernels, list[Reaction]()
    motion = q[None], system.still[None], system.still[None]
    qc, vc, _ = motion if own is system.coordinates else system.to_bodies(motion)
    coefficients = np.append(-1.0, read_outputs(read.batch, np.array([t]), qc, vc)[0])[read.source]
    for signal, place in system.layout.signals.items():
        terms = read.target == place
        moved = np.abs(coefficients[terms] @ null[read.row[terms]]).max(initial=0.0)
        if isinstance(signal, Reaction) and moved > REACTION_UNIQUENESS * np.abs(coefficients[terms]).sum():
            found.append(signal)
    return found
