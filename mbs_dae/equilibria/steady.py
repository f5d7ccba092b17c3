"""Check that a state is an equilibrium or a steady motion about which small motions have a constant law, and compute
this law."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..compiled import System
from ..compiled.status import DONE
from ..errors import ModelError, SingularConfigurationError
from ..model.breaks import reads_time
from ..motion.initial import check_regular
from ..poses import newton
from ..rotations import from_quaternion
from ..tolerances import FORCE_BALANCE, PRESCRIBED_RATE, SLOW_MOTION, STEADY_CHANGE, STEADY_DIFFERENCE
from .balance import Balance, balance_at
from .corners import check_slopes
from .frames import RotatingFrame, at_rest, frame_of, later, turned_parts, turnings
from .small import CoordinateCandidate, SmallMotion, small_motion

STEP = 0.3
"""Distance to the second state: rad, or lengths of the model."""
HOLD = "give constants in place of functions of time (inputs: model.with_inputs)"


def small_motion_about(balance: Balance, required: Sequence[str] = (), preferred: Sequence[str] = ()) -> SmallMotion:
    """Return the small motions about the state, in the `required` coordinates; the rest are some of `preferred`, or
    else coordinates of bodies."""
    _check_regular(balance)
    check_slopes(balance)
    a, multipliers = balance.accelerations
    if not balance.v.any():
        if not is_at_rest(balance):
            what = f"the state of {balance.system.model.name!r} is not an equilibrium: forces would accelerate it"
            raise ModelError(
                f"{what}; start from mbs.equilibrium(model)", code="not-in-equilibrium", model=balance.system.model.name
            )
        check_lasting(balance)
        _check_constant_slopes(balance)
        return small_motion_at_rest(balance, required, preferred)
    for turning in turnings(balance, a):
        frame = frame_of(balance, turning)
        small = _in_frame(balance, frame, a, multipliers, required, preferred)
        if _is_steady(small, a):
            return small
    name = balance.system.model.name
    raise ModelError(
        f"the state of {name!r} is not a steady motion about which small motions have a constant law: "
        "its velocities, seen in axes that turn evenly, or the law of small motions change with time; linearize about "
        "mbs.equilibrium(model), or about a state that rolls or spins evenly",
        code="not-steady", name=name,
    )  # fmt: skip


def small_motion_at_rest(balance: Balance, required: Sequence[str] = (), preferred: Sequence[str] = ()) -> SmallMotion:
    """Return the small motions about a state that is known to be at rest, and to stay so."""
    a, multipliers = balance.accelerations
    spatial = balance.system.is_cartesian
    frame = frame_of(balance, np.zeros(3)) if spatial else at_rest(balance.system)
    return _in_frame(balance, frame, a, multipliers, required, preferred)


def _in_frame(
    balance: Balance, frame: RotatingFrame, a: np.ndarray, multipliers: np.ndarray, required: Sequence[str],
    preferred: Sequence[str],
) -> SmallMotion:  # fmt: skip
    """Return the small motion in a frame, in which coordinates are read."""
    system = balance.system
    required = [*dict.fromkeys(required)]
    named_candidates = [_candidate(system, balance, frame, name) for name in dict.fromkeys([*required, *preferred])]
    named = {c.name: c for c in [*named_candidates, *of_bodies(system)]}
    return small_motion(balance, frame, a, multipliers, [*named.values()], required, len(named_candidates))


def of_bodies(system: System) -> list[CoordinateCandidate]:
    if not system.is_cartesian:
        return [
            CoordinateCandidate(name, row) for name, row in zip(system.coordinate_names, np.eye(system.nv), strict=True)
        ]
    parts = ("x", "y", "angle") if system.model.dimension == 2 else ("x", "y", "z", "turn_x", "turn_y", "turn_z")
    names = [f"{body.name}.{part}" for body in system.bodies for part in parts]
    return [CoordinateCandidate(name, row) for name, row in zip(names, np.eye(system.nv), strict=True)]


def _candidate(system: System, balance: Balance, frame: RotatingFrame, name: str) -> CoordinateCandidate:
    for candidate in of_bodies(system):
        if candidate.name == name:
            return candidate
    if (turn := _turn_of_a_body(balance, name)) is not None:
        return CoordinateCandidate(name, turn)
    measure, level = system.model.quantity(name)
    if level:
        raise ModelError(
            f"{name!r} is a rate; coordinates of small motions are positions, such as an angle",
            code="is-a-rate", name=name,
        )  # fmt: skip
    return CoordinateCandidate(name, system.reader([measure]).jacobian(balance.t, balance.q).toarray()[0] @ frame.P.T)


def _turn_of_a_body(balance: Balance, name: str) -> np.ndarray | None:
    """Return the row of "body.turn_x", "turn_y" or "turn_z", the small rotation of a body about a world axis, by the
    velocities of a system without body coordinates, shape (velocities,); None for any other name."""
    system, (owner, _, part) = balance.system, name.rpartition(".")
    turns, body = ("turn_x", "turn_y", "turn_z"), system.model.bodies.get(owner)
    if system.is_cartesian or system.model.dimension == 2 or body is None or part not in turns:
        return None
    units = np.zeros((system.nv, system.layout.v_size))
    units[:, : system.nv] = np.eye(system.nv)
    q, v, _ = system.to_bodies((np.tile(balance.q, (system.nv, 1)), units, np.zeros_like(units)))
    layout = system.cartesian.layout
    A = from_quaternion(q[0, list(layout.q[body])[3:7]])
    return A[turns.index(part)] @ v[:, list(layout.v[body])[3:]].T


def _check_regular(balance: Balance) -> None:
    system = balance.system
    try:
        check_regular(system, balance.t, balance.q, balance.v)
    except SingularConfigurationError as error:
        names = ", ".join(error.facts["joints"])
        raise SingularConfigurationError(
            f"{system.model.name!r} is in a singular pose, where {names} do not decide which small motions there are; "
            "linearize about a pose aside of it",
            code="singular-start", **error.facts,
        ) from error  # fmt: skip


def is_at_rest(balance: Balance) -> bool:
    """Return whether velocities and forces are as near to rest as a simulation leaves a mechanism that comes to
    rest."""
    system, root = balance.system, np.sqrt(balance.system.weight)
    speed = float(np.abs(root * balance.v[: system.nv]).max(initial=0.0))
    still = balance_at(system, balance.t, balance.q) if speed > 0.0 else balance
    if _prescribed(balance).size:
        return False
    if not speed > 0.0 and still.is_balanced(FORCE_BALANCE):
        return True
    _check_regular(balance)
    a, multipliers = still.accelerations
    frame = frame_of(still, np.zeros(3)) if system.is_cartesian else at_rest(system)
    rates = np.abs(np.linalg.eigvals(_in_frame(still, frame, a, multipliers, (), ()).A))
    slowest = rates[rates > SLOW_MOTION * rates.max(initial=0.0)].min(initial=np.inf)
    moves = float(np.abs(root * a).max(initial=0.0)) if not still.is_balanced(FORCE_BALANCE) else 0.0
    return bool(slowest < np.inf and max(speed, moves / slowest) <= SLOW_MOTION * slowest * system.length)


def _prescribed(balance: Balance) -> np.ndarray:
    """Return the rows that prescribe a velocity, or an acceleration at rest: moving drivers."""
    scale = PRESCRIBED_RATE * balance.row_units
    return np.flatnonzero((np.abs(balance.nu) > scale) | (np.abs(balance.gamma) > scale))


def check_still(rest: Balance) -> None:
    """Raise a `ModelError` if a driver moves or begins to move, now or before any law of time switches."""
    for one in (rest, *rest.soon):
        if (moving := _prescribed(one)).size:
            name = rest.system.rows[moving[0]].element
            raise ModelError(
                f"{name!r} moves at t = {one.t:g}, so there is no rest; hold it: "
                f"give it a constant, or look for the equilibrium without it: model.without({name!r})",
                code="not-at-rest", name=name,
            )  # fmt: skip


def check_lasting(rest: Balance) -> None:
    """Raise a `ModelError` if drivers move, or unbalanced forces are not the same a little later."""
    check_still(rest)
    for soon in rest.soon:
        if (
            rest.of_levels(soon.unbalanced - rest.unbalanced) > STEADY_CHANGE * np.maximum(rest.efforts, soon.efforts)
        ).any():
            raise ModelError(
                f"forces of {_changing(rest)} change with time, so there is no rest; {HOLD}",
                code="forces-change-with-time",
            )  # fmt: skip


def _check_constant_slopes(rest: Balance) -> None:
    """Raise a `ModelError` if the derivatives of forces change with time (as those of a pendulum on a shaking support
    do)."""
    R, zero = rest.free_velocities, np.zeros(rest.system.nv)

    def slopes(of: Balance) -> np.ndarray:
        K, D, *_ = of.derivatives(zero, of.multipliers)
        return np.stack([R.T @ K @ R, R.T @ D @ R])

    now = slopes(rest)
    for soon in rest.soon:
        later = slopes(soon)
        if np.linalg.norm(later - now) > STEADY_CHANGE * max(np.linalg.norm(now), np.linalg.norm(later)):
            raise ModelError(
                f"what forces of {_changing(rest)} do against small motions changes with time, so these have "
                f"no constant law; {HOLD}",
                code="slopes-change-with-time",
            )  # fmt: skip


def _changing(rest: Balance) -> str:
    """Return the name of the model, and of its laws that depend on time."""
    names = [e.name for e in rest.system.elements if reads_time(e)]
    return f"{rest.system.model.name!r}" + (f" ({', '.join(names)})" if names else "")


def _is_steady(found: SmallMotion, a: np.ndarray) -> bool:
    """Return whether the state a little later is the one turned by Ω, with the same accelerations and small motions."""
    balance, turning, n = found.balance, found.frame.turning, found.balance.system.nv
    system, root = balance.system, np.sqrt(balance.system.weight)
    w = found.frame.P @ balance.v[:n]
    rate = max(float(np.abs(root * w).max()) / system.length, float(np.linalg.norm(turning)))
    tau = STEP / rate
    q, v, turn = later(balance, turning, tau)
    if newton.close(system.machine(), balance.t + tau, q, v, 12) != DONE:
        return False
    after = balance_at(system, balance.t + tau, q, v)
    frame = frame_of(after, turning)
    T = turned_parts(system, turn)
    b, multipliers = after.accelerations
    expected = T @ found.frame.P @ a
    size = np.linalg.norm(root * w) * rate
    if np.linalg.norm(root * (frame.P @ b - expected)) > STEADY_DIFFERENCE * size:
        return False
    rows = [CoordinateCandidate(name, row @ T.T) for name, row in zip(found.names, found.coordinate_rows, strict=True)]
    A, B = found.A, small_motion(after, frame, b, multipliers, rows, found.names[: found.freedoms]).A
    return bool(np.linalg.norm(A - B) <= STEADY_DIFFERENCE * np.linalg.norm(A))
