"""Derivatives of a rest with contacts, or with constant states.

The equations of a rest (`rest`) are extended by closed gaps g = 0, whose multipliers are forces f, and by rates ż = 0:

    [F_x  F_z  Φ_vᵀ  -Gᵀ] [dx]      [F_p]
    [ż_x  ż_z  0      0 ] [dz]      [ż_p]
    [Φ_v  0    0      0 ] [dλ]  = - [Φ_p]
    [G    0    0      0 ] [df]      [g_p]

F_x is exact, with the terms of turning contact forces. Derivatives by z and by p are extrapolated differences, as in
the law of small motions, with the pose, λ and f held.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sps
from scipy.linalg import block_diag

from ...derivatives.equations import solve_bordered
from ...derivatives.parameters import DesignVariables
from ...errors import ModelError
from ...tolerances import MULTIPLIER_UNIQUENESS, RANK_TOLERANCE
from ..balance import Balance, balance_at
from ..contact.rows import rows_at
from ..contact.supported import Supported, pressed, with_rows
from ..differences import FARTHEST, difference, extrapolated
from ..states import rates_at, state_places


class RestSlopes(NamedTuple):
    """The derivatives of a rest: a row for each parameter."""

    x: np.ndarray
    multipliers: np.ndarray
    z: np.ndarray
    """Derivatives of the states that are not held."""
    pushes: np.ndarray
    """Derivatives of the forces along the rows of contacts."""
    holds: bool
    """Whether forces hold all motions."""


def without_friction(here: Balance) -> Balance:
    """Return the balance in which the pressing gaps are the only rows of contacts."""
    if not isinstance(here, Supported):
        return here
    gaps = pressed(here.rows, here.pushes)
    return with_rows(here.rows.balance, here.rows, here.pushes, gaps, here.loads)


def check_contacts(here: Balance) -> None:
    """Raise a `ModelError` for a rest that friction holds, which may be elsewhere as well, and for one with a gap that
    may open without a force."""
    if not isinstance(here, Supported):
        return
    size = np.minimum(here.rows.units, np.abs(here.pushes).max(initial=0.0))
    slips = np.setdiff1d(np.arange(here.pushes.size), here.rows.gaps)
    if (np.abs(here.pushes[slips]) > 1e-9 * size[slips]).any():
        what = f"friction holds {here.system.model.name!r} at rest, which it may do elsewhere as well"
        raise ModelError(
            f"{what}: there is no derivative; leave derivatives= out, or ask for found.holding",
            code="no-derivative", model=here.system.model.name,
        )  # fmt: skip
    alone = without_friction(here)
    assert isinstance(alone, Supported)
    alone.check_two_sided()


def rest_derivatives(here: Balance, variables: DesignVariables) -> RestSlopes:
    """Return the derivatives of a rest by the parameters."""
    balance, n = without_friction(here), here.system.nv
    places, still = [*state_places(balance.system).values()], np.zeros(n)
    units = np.array([balance.system.evaluator(one.scale) for one in balance.system.model.states if not one.is_held])
    K = balance.derivatives(still, balance.multipliers)[0]
    by_z, by_x, own_z = _slopes_of_states(balance, places, units)
    H = np.block([[K, by_z], [by_x, own_z]])
    J = np.hstack([balance.jacobian, np.zeros((len(balance.jacobian), len(places)))])
    right = np.array([_by_parameter(balance, variables, name, places) for name in variables.names]).T
    weight = np.append(balance.weight_by_level, 1.0 / units**2)
    split = n + len(places)
    solution = solve_bordered(sps.csr_matrix(H), sps.csr_matrix(J), -right[:split], -right[split:], weight)
    # multipliers are NaN where dependent rows leave a choice
    scaled = balance.jacobian / np.sqrt(balance.system.weight)
    left, sines, _ = np.linalg.svd(scaled) if scaled.size else (np.eye(len(scaled)), np.zeros(0), None)
    rank = int((sines > RANK_TOLERANCE * sines.max(initial=0.0)).sum())
    choice = np.abs(left[:, rank:]).max(axis=1, initial=0.0) > MULTIPLIER_UNIQUENESS
    multipliers = np.where(choice[:, None], np.nan, solution.multipliers)
    free, rows = block_diag(balance.free_velocities, np.diag(units)), len(balance.system.rows)
    pushes = np.zeros((len(variables.names), here.pushes.size if isinstance(here, Supported) else 0))
    if isinstance(balance, Supported):
        pushes[:, balance.held] = -multipliers[rows:].T
    sines = np.linalg.svd(free.T @ H @ free, compute_uv=False)
    regular = not sines.size or bool(sines.min() > RANK_TOLERANCE * sines.max())
    return RestSlopes(solution.x[:n].T, multipliers[:rows].T, solution.x[n:].T, pushes, regular)


def _slopes_of_states(
    balance: Balance, places: list[int], units: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return F_z, ż_x and ż_z."""
    system, t, still = balance.system, balance.t, balance.system.still
    n, count = system.nv, len(places)
    by_z, by_x, own_z = np.zeros((n, count)), np.zeros((count, n)), np.zeros((count, count))
    for k, (place, unit) in enumerate(zip(places, units, strict=True)):

        def aside(far: float, place: int = place) -> np.ndarray:
            q = balance.q.copy()
            q[place] += far
            return np.append(-balance_at(system, t, q).forces, rates_at(system, t, q, still)[places])

        by_z[:, k], own_z[:, k] = np.split(difference(aside, float(unit)), [n])
    for k, unit_way in enumerate(np.eye(n) if count else ()):

        def along(far: float, unit_motion: np.ndarray = unit_way) -> np.ndarray:
            return rates_at(system, t, system.moved(balance.q, far * unit_motion), still)[places]

        by_x[:, k] = difference(along, 1.0 / float(np.sqrt(system.weight[k])) * system.length)
    return by_z, by_x, own_z


def _by_parameter(balance: Balance, variables: DesignVariables, name: str, places: list[int]) -> np.ndarray:
    """Return F_p, ż_p, Φ_p and g_p of one parameter."""
    value, model, rows = variables.model.parameters[name].value, variables.model, len(balance.system.rows)

    def at(h: float) -> np.ndarray:
        system = model.with_values({name: value + h}).compile()
        varied = balance_at(system, balance.t, balance.q)
        forces, gaps = varied.jacobian.T @ balance.multipliers[:rows] - varied.forces, np.zeros(0)
        if isinstance(balance, Supported):
            touching = rows_at(varied)
            forces, gaps = forces + touching.G[balance.held].T @ balance.multipliers[rows:], touching.phi[balance.held]
        rates = rates_at(system, balance.t, balance.q, system.still)[places] if places else np.zeros(0)
        return np.concatenate([forces, rates, varied.phi, gaps])

    return extrapolated(at, FARTHEST * (abs(value) or 1.0))
