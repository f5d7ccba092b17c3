"""States of the model in small motions: what they do to forces, and what makes their rates.

    M ẏ + D y + K η + F_z δz = 0,        δż = r_ζ δ(η, y) + r_z δz

Rates may read efforts, which follow from all forces; so they are taken from the motion itself, by differences along the
small motions that constraints allow. They, and those of forces along states, are of the fourth order after
extrapolation (exact where laws are of the third degree at most).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from ..compiled import System
from ..compiled.status import DONE
from ..errors import ModelError
from ..explain.explanation import no_force
from ..motion.derivative import derivative
from ..motion.mechanism import mechanism
from ..poses import newton
from .balance import Balance, balance_at
from .frames import later
from .seeking import LONGEST
from .small import SmallMotion

NEAR = (1e-3, 1e-5, 1e-7)
"""How far differences go, in units of the state, of lengths or rad: the farthest that will do."""
ALIKE = 1e-4
"""Differences will do if those over half the way differ by less than this part."""
TIGHT, ITERATIONS = 1e-10, 50
"""What may be left of forces and rates at rest; how many steps Newton is given to get there."""
STEADY = 1e-6
"""A rate of less than this part of what makes it, per second, is none."""


@dataclass(frozen=True, eq=False)
class StateMotion:
    """The parts of A that states add to those of (η, y)."""

    names: tuple[str, ...]
    on_motion: np.ndarray
    """(η, y)˙ by z."""
    by_motion: np.ndarray
    """ż by (η, y)."""
    own: np.ndarray
    """ż by z."""
    forces: np.ndarray
    """All forces by z."""

    def whole(self, A: np.ndarray) -> np.ndarray:
        return np.block([[A, self.on_motion], [self.by_motion, self.own]])


def state_places(system: System) -> dict[str, int]:
    """Where the states that are not held stand in q."""
    return {one.name: system.layout.signals[one.symbol] for one in system.model.states if not one.is_held}


def state_motion(small: SmallMotion) -> StateMotion:
    balance = small.balance
    system = balance.system
    names, places = [*state_places(system)], [*state_places(system).values()]
    units = [float(system.evaluator(one.scale)) for one in system.model.states if not one.is_held]
    P, n = small.frame.P, len(small.names)
    on_motion = np.zeros((n + small.freedoms, len(names)))
    own, by_motion = np.zeros((len(names), len(names))), np.zeros((len(names), n + small.freedoms))
    added = np.zeros((system.nv, len(names)))
    _check_steady(balance, small.frame.turning, names, places, units)
    for k, (place, unit) in enumerate(zip(places, units, strict=True)):

        def aside(far: float, place: int = place) -> np.ndarray:
            q = balance.q.copy()
            q[place] += far
            forces = balance_at(system, balance.t, q, balance.v).forces
            return np.append(forces, rates_at(system, balance.t, q, balance.v)[places])

        added[:, k], own[:, k] = np.split(difference(aside, unit), [system.nv])
    on_motion[n:] = np.linalg.solve(small.M, small.S.T @ P @ added)
    for k in range(n + small.freedoms if names else 0):
        way, speed = P.T @ small.positions[:, k], P.T @ small.velocities[:, k]
        size = float(np.abs(np.sqrt(system.weight) * np.stack([way, speed])).max())

        def along(far: float, way: np.ndarray = way, speed: np.ndarray = speed) -> np.ndarray:
            v = balance.v.copy()
            v[: speed.size] += far * speed
            return rates_at(system, balance.t, system.moved(balance.q, far * way), v)[places]

        by_motion[:, k] = difference(along, system.length / size)
    found = StateMotion(tuple(names), on_motion, by_motion, own, added)
    if not np.isfinite(found.whole(small.A)).all():
        raise ModelError(
            f"the rates of {', '.join(names)}, or what forces do with them, have no slope at this state of "
            f"{system.model.name!r}: a law jumps or has a corner there, or is too sharp; linearize about another "
            "state, or round it off, such as sp.tanh(x / width)"
        )
    return found


def rest_with_states(start: Balance) -> Balance | None:
    """The pose near by in which forces balance and states stand still, by Newton's method in both; None where it does
    not come to one. The states of the start are the first guess."""
    system, here = start.system, start
    places = [*state_places(system).values()]
    units = np.array([float(system.evaluator(one.scale)) for one in system.model.states if not one.is_held])
    for _ in range(ITERATIONS):
        free, t, q = here.free_velocities * here.motion_scale, here.t, here.q
        rates = rates_at(system, t, q, system.still)[places]
        if here.is_balanced(TIGHT) and (np.abs(rates) <= TIGHT * np.maximum(units, np.abs(q[places]))).all():
            return here

        def left(far: np.ndarray, here: Balance = here, free: np.ndarray = free) -> np.ndarray:
            q = system.moved(here.q, free @ far[: free.shape[1]])
            q[places] += far[free.shape[1] :] * units
            forces = balance_at(system, here.t, q).forces
            return np.append(free.T @ forces, rates_at(system, here.t, q, system.still)[places] / units)

        J = _jacobian(left, free.shape[1] + len(places))
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


def _jacobian(f: Callable[[np.ndarray], np.ndarray], count: int) -> np.ndarray:
    def along(unit: np.ndarray, far: float) -> np.ndarray:
        return f(far * unit)

    return np.stack([difference(partial(along, unit), 1.0) for unit in np.eye(count)], axis=1)


def difference(f: Callable[[float], np.ndarray], unit: float) -> np.ndarray:
    """f'(0) for arguments of this unit; nan where there is none: at a jump, at a corner (there what differences to both
    sides differ by does not shrink with the way), or of a law that is too sharp."""
    here = f(0.0)
    for far in (near * unit for near in NEAR):
        (wide, bend), (narrow, less) = (_differences(f, here, way) for way in (far, far / 2))
        size = np.abs(narrow).max(initial=0.0)
        noise = 1e-12 * (np.abs(here).max(initial=0.0) + far * size) / far
        smooth = less <= 0.75 * bend or less <= ALIKE * size + noise
        if smooth and np.abs(wide - narrow).max(initial=0.0) <= ALIKE * size + noise:
            return (4.0 * narrow - wide) / 3.0
    return np.full_like(here, np.nan)


def _differences(f: Callable[[float], np.ndarray], here: np.ndarray, far: float) -> tuple[np.ndarray, float]:
    """The central one, and what those to both sides differ by."""
    ahead, behind = f(far), f(-far)
    return (ahead - behind) / (2.0 * far), float(np.abs(ahead - 2.0 * here + behind).max(initial=0.0)) / far


def rates_at(system: System, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """q̇ with ż at the places of states, of the motion that begins here."""
    run = mechanism(system, refinements=2)
    y, dy = np.zeros(run.state.size), np.zeros(run.state.size)
    y[: q.size], y[run.state.v_at : run.state.v_end] = q, v
    if derivative(run, t, y, dy) != DONE:
        raise ModelError(no_force(system, t, q, v), time=t)
    return dy[: q.size]


def _check_steady(
    balance: Balance, turning: np.ndarray, names: list[str], places: list[int], units: list[float]
) -> None:
    """States stand still, as exactly as a simulation leaves them; also a while on, where bodies are in motion."""
    system, root = balance.system, np.sqrt(balance.system.weight)
    if not names:
        return
    moments = [(one.t, one.q, one.v) for one in (balance, *(() if balance.v.any() else balance.soon))]
    if balance.v.any():
        tau = 0.3 * system.length / float(np.abs(root * balance.v[: system.nv]).max())
        moments.append((balance.t + tau, *later(balance, turning, tau)[:2]))
    rates = np.max([np.abs(rates_at(system, *moment)[places]) for moment in moments], axis=0)
    for name, rate, size in zip(names, rates, np.maximum(units, np.abs(balance.q[places])), strict=True):
        if rate > STEADY * size:
            raise ModelError(
                f"state {name!r} of {system.model.name!r} changes by {rate:.3g} a second, so this is neither "
                "rest nor a steady motion; let it settle (mbs.simulate) and linearize about result.state()"
            )
