"""States of the model in small motions: the forces that they change, and their rates.

    M ẏ + D y + K η + F_z δz = 0,        δż = r_ζ δ(η, y) + r_z δz

Rates may read efforts, which follow from all forces; so r_ζ and r_z are differences of the equations of motion, along
the small motions that constraints allow. Differences of rates, and of forces along states, are of the fourth order
after extrapolation (exact where laws are of the third degree at most).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..compiled import System
from ..compiled.status import DONE
from ..errors import ModelError
from ..explain.explanation import no_force
from ..motion.derivative import derivative
from ..motion.mechanism import mechanism
from ..poses import newton
from ..tolerances import REST_TOLERANCE, STATE_RATE
from .balance import Balance, balance_at
from .differences import difference
from .frames import later
from .seeking import LONGEST
from .small import SmallMotion

ITERATIONS = 50
"""The greatest number of Newton steps to a rest with states."""


@dataclass(frozen=True, eq=False)
class StateMotion:
    """The blocks of A that states add to those of (η, y)."""

    names: tuple[str, ...]
    on_motion: np.ndarray
    """The derivative of (η, y)˙ by z."""
    by_motion: np.ndarray
    """The derivative of ż by (η, y)."""
    own_slopes: np.ndarray
    """The derivative of ż by z."""
    forces: np.ndarray
    """The derivative of all forces by z."""

    def whole(self, A: np.ndarray) -> np.ndarray:
        return np.block([[A, self.on_motion], [self.by_motion, self.own_slopes]])


def state_places(system: System) -> dict[str, int]:
    """Return the places in q of the states that are not held, by name."""
    return {one.name: system.layout.signals[one.symbol] for one in system.model.states if not one.is_held}


def state_motion(small: SmallMotion) -> StateMotion:
    balance = small.balance
    system = balance.system
    names, places = [*state_places(system)], [*state_places(system).values()]
    units = [float(system.evaluator(one.scale)) for one in system.model.states if not one.is_held]
    P, n = small.frame.P, len(small.names)
    on_motion = np.zeros((n + small.freedoms, len(names)))
    own_slopes, by_motion = np.zeros((len(names), len(names))), np.zeros((len(names), n + small.freedoms))
    added = np.zeros((system.nv, len(names)))
    _check_steady(balance, small.frame.turning, names, places, units)
    for k, (place, unit) in enumerate(zip(places, units, strict=True)):

        def aside(far: float, place: int = place) -> np.ndarray:
            q = balance.q.copy()
            q[place] += far
            forces = balance_at(system, balance.t, q, balance.v).forces
            return np.append(forces, rates_at(system, balance.t, q, balance.v)[places])

        added[:, k], own_slopes[:, k] = np.split(difference(aside, unit), [system.nv])
    on_motion[n:] = np.linalg.solve(small.M, small.S.T @ P @ added)
    for k in range(n + small.freedoms if names else 0):
        motion, speed = P.T @ small.positions[:, k], P.T @ small.velocities[:, k]
        size = float(np.abs(np.sqrt(system.weight) * np.stack([motion, speed])).max())

        def along(far: float, motion: np.ndarray = motion, speed: np.ndarray = speed) -> np.ndarray:
            v = balance.v.copy()
            v[: speed.size] += far * speed
            return rates_at(system, balance.t, system.moved(balance.q, far * motion), v)[places]

        by_motion[:, k] = difference(along, system.length / size)
    states = StateMotion(tuple(names), on_motion, by_motion, own_slopes, added)
    if not np.isfinite(states.whole(small.A)).all():
        raise ModelError(
            f"the rates of {', '.join(names)}, or what forces do with them, have no slope at this state of "
            f"{system.model.name!r}: a law jumps or has a corner there, or is too sharp; linearize about another "
            "state, or round it off, such as sp.tanh(x / width)",
            code="no-derivative", names=tuple(names), model=system.model.name,
        )  # fmt: skip
    return states


def rest_with_states(start: Balance) -> Balance | None:
    """Return the pose near by in which forces balance and states are constant, by Newton's method in both, with the
    states of the start as the first guess; None where the method does not converge."""
    system, here = start.system, start
    places = [*state_places(system).values()]
    units = np.array([float(system.evaluator(one.scale)) for one in system.model.states if not one.is_held])
    for _ in range(ITERATIONS):
        free, t, q = here.free_velocities * here.motion_scale, here.t, here.q
        rates = rates_at(system, t, q, system.still)[places]
        if (
            here.is_balanced(REST_TOLERANCE)
            and (np.abs(rates) <= REST_TOLERANCE * np.maximum(units, np.abs(q[places]))).all()
        ):
            return here

        def left(far: np.ndarray, here: Balance = here, free: np.ndarray = free) -> np.ndarray:
            q = system.moved(here.q, free @ far[: free.shape[1]])
            q[places] += far[free.shape[1] :] * units
            forces = balance_at(system, here.t, q).forces
            return np.append(free.T @ forces, rates_at(system, here.t, q, system.still)[places] / units)

        def slope(direction: np.ndarray, left: Callable[[np.ndarray], np.ndarray] = left) -> np.ndarray:
            return difference(lambda h: left(h * direction), 1.0)

        J = np.stack([slope(direction) for direction in np.eye(free.shape[1] + len(places))], axis=1)
        J[: free.shape[1], : free.shape[1]] = -here.stiffness * np.outer(*[here.motion_scale] * 2)  # with λ
        step = np.linalg.lstsq(J, -np.append(here.unbalanced * here.motion_scale, rates / units), rcond=1e-12)[0]
        far = float(np.linalg.norm(here.motion_scale * step[: free.shape[1]]))
        step *= min(1.0, LONGEST * system.length / max(far, 1e-300))
        q = system.moved(q, free @ step[: free.shape[1]])
        q[places] += step[free.shape[1] :] * units
        if newton.close(system.machine(), t, q, system.still, 20) != DONE:
            return None
        here = balance_at(system, t, q)
    return None


def rates_at(system: System, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return q̇, with ż at the places of states, of the motion that begins in this state."""
    run = mechanism(system, refinements=2)
    y, dy = np.zeros(run.state.size), np.zeros(run.state.size)
    y[: q.size], y[run.state.v_at : run.state.v_end] = q, v
    if derivative(run, t, y, dy) != DONE:
        raise ModelError(no_force(system, t, q, v), code="law-without-value", time=t)
    return dy[: q.size]


def _check_steady(
    balance: Balance, turning: np.ndarray, names: list[str], places: list[int], units: list[float]
) -> None:
    """Raise a `ModelError` if states are not as constant as a simulation leaves them, here and a little later; for
    bodies in motion, after a part of the steady motion."""
    system, root = balance.system, np.sqrt(balance.system.weight)
    if not names:
        return
    moments = [(one.t, one.q, one.v) for one in (balance, *(() if balance.v.any() else balance.soon))]
    if balance.v.any():
        tau = 0.3 * system.length / float(np.abs(root * balance.v[: system.nv]).max())
        moments.append((balance.t + tau, *later(balance, turning, tau)[:2]))
    rates = np.max([np.abs(rates_at(system, *moment)[places]) for moment in moments], axis=0)
    for name, rate, size in zip(names, rates, np.maximum(units, np.abs(balance.q[places])), strict=True):
        if rate > STATE_RATE * size:
            raise ModelError(
                f"state {name!r} of {system.model.name!r} changes by {rate:.3g} a second, so this is neither "
                "rest nor a steady motion; let it settle (mbs.simulate) and linearize about result.state()",
                code="not-steady", name=name, model=system.model.name, rate=rate,
            )  # fmt: skip
