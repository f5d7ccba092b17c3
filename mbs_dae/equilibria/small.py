"""Small motions about an equilibrium or a steady motion, in independent coordinates.

In the axes of `frames` the small motion ζ and its rate keep to the constraints,

    Φ_p Pᵀ ζ = 0  (position rows):                       ζ = R η
    Φ_v Pᵀ (ζ̇ + G ζ) + ∂(Φ_v v - ν)/∂x Pᵀ ζ = 0:         ζ̇ = S y + H η

R is a basis of what position rows allow, S of what all rows allow. η are the small motions of some coordinates, y the
rates of the first of them, one for each freedom: where no row restricts velocities alone S = R, H = 0, y = η̇. (A
rolling wheel may be anywhere, but must not slip: more η than y. H gives its velocities from its place.) With P δv = S y
+ (H + G R) η, forces projected by Sᵀ, and K_x, D_x the derivatives of F = M a + Φ_vᵀ λ - Q at held a and λ,

    Sᵀ P [M δa + D_x δv + K_x δx] = 0       is       M ẏ + D y + K η = 0.

Changes of multipliers drop out, but K_x contains ∂(Φ_vᵀ λ)/∂x.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import ModelError
from ..tolerances import RANK
from .balance import Balance, balance_at, unit_rows
from .frames import Frame, frame_of

MUCH, ALIKE = 0.1, 0.999999
"""Parts of a coordinate's row, by weight: above MUCH, one of the first candidates is preferred; rows above ALIKE times
the longest are equally good."""
NOTHING = 1e-14
"""A stiffness is roundoff, and no force holds that motion, if it is less than this part of its terms, and of forces
over the model's length."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """A coordinate that may be chosen: its name, and its row by small motions ζ."""

    name: str
    row: np.ndarray


@dataclass(frozen=True, eq=False)
class SmallMotion:
    balance: Balance
    frame: Frame
    names: tuple[str, ...]
    """The coordinates of η; those of y come first."""
    R: np.ndarray
    S: np.ndarray
    H: np.ndarray
    chosen: np.ndarray
    """The rows that give η from ζ."""
    M: np.ndarray
    D: np.ndarray
    K: np.ndarray

    @property
    def freedoms(self) -> int:
        return self.S.shape[1]

    @property
    def positions(self) -> np.ndarray:
        """The matrix that gives ζ from (η, y)."""
        return np.hstack([self.R, np.zeros_like(self.S)])

    @property
    def rates(self) -> np.ndarray:
        """The matrix that gives ζ̇ from (η, y)."""
        return np.hstack([self.H, self.S])

    @property
    def velocities(self) -> np.ndarray:
        """The matrix that gives P δv from (η, y)."""
        return self.rates + self.frame.G @ self.positions

    @property
    def A(self) -> np.ndarray:
        """The matrix of the law (η, y)˙ = A (η, y)."""
        return np.vstack([self.chosen @ self.rates, np.linalg.solve(self.M, -np.hstack([self.K, self.D]))])


def small_motion(
    balance: Balance, frame: Frame, a: np.ndarray, multipliers: np.ndarray, candidates: Sequence[Candidate],
    wanted: Sequence[str] = (), own: int = 0,
) -> SmallMotion:  # fmt: skip
    """Return the small motion in coordinates chosen from the candidates: the wanted ones, then the first `own` ones
    before the others."""
    P, G, weight = frame.P, frame.G, balance.system.weight
    K_x, D_x, rates_x, *_ = balance.derivatives(a, multipliers)
    J, W = balance.jacobian @ P.T, _weighted(P, weight)
    free, able = P @ balance.free, P @ balance.free_velocities
    names = _chosen(candidates, able, wanted, W, own)
    names = _chosen(candidates, free, names, W, own)
    rows = {c.name: c.row for c in candidates}
    chosen = np.array([rows[name] for name in names]).reshape(len(names), len(P))
    R = _without_roundoff(free @ np.linalg.inv(chosen @ free), W)
    count = able.shape[1]
    S = _without_roundoff(able @ np.linalg.inv(chosen[:count] @ able), W)
    H = _particular(J, -(rates_x @ P.T + J @ G) @ R, W)
    H -= S @ (chosen[:count] @ H)
    mass = P @ balance.mass @ P.T
    damping = P @ D_x @ P.T + mass @ (G - frame.B)
    lean = H + G @ R
    D = S.T @ (mass @ lean @ (chosen @ S) + damping @ S)
    stiff = P @ K_x @ P.T
    K = S.T @ (mass @ lean @ (chosen @ H) + damping @ lean + stiff @ R)
    parts = np.abs(S.T) @ (
        np.abs(mass @ lean) @ np.abs(chosen @ H) + np.abs(damping @ lean) + np.abs(stiff) @ np.abs(R)
    )
    felt = _weighted(P, weight * balance.efforts[balance.levels])[:, None]
    parts += np.outer(*(np.linalg.norm(felt * X, axis=0) for X in (S, R))) / balance.system.length
    K[np.abs(K) <= NOTHING * parts] = 0.0
    return SmallMotion(balance, frame, tuple(names), R, S, H, chosen, S.T @ mass @ S, D, K)


def in_bodies(small: SmallMotion) -> np.ndarray:
    """Return the matrix that maps ζ to the small motions of all bodies, with small rotations in world axes."""
    balance, system = small.balance, small.balance.system
    cartesian = system.cartesian
    if cartesian is system:
        return np.eye(system.nv)
    still = np.tile(system.still, (system.nv, 1))
    units = still.copy()
    units[:, : system.nv] = small.frame.P.T
    q, moved, _ = system.to_bodies((np.tile(balance.q, (system.nv, 1)), units, still))
    P = frame_of(balance_at(cartesian, balance.t, q[0]), np.zeros(3)).P
    return P @ moved[:, : cartesian.nv].T


def _weighted(P: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return the square roots of the weights of ζ, which are equal along all axes of a body."""
    return np.sqrt(np.abs(P) ** 2 @ weight)


def _without_roundoff(ways: np.ndarray, root: np.ndarray) -> np.ndarray:
    """Return the motions, as columns, without components that are roundoff of the fastest: such bodies may be so heavy
    that their forces would matter."""
    size = root[:, None] * np.abs(ways)
    return np.where(size <= NOTHING * size.max(axis=0, initial=0.0), 0.0, ways)


def _particular(J: np.ndarray, right: np.ndarray, root: np.ndarray) -> np.ndarray:
    """Return the least X with J X = right."""
    scaled, lengths = unit_rows(J / root)
    return np.linalg.lstsq(scaled, right / lengths[:, None], rcond=RANK)[0] / root[:, None]


def _chosen(
    candidates: Sequence[Candidate], free: np.ndarray, wanted: Sequence[str], root: np.ndarray, own: int
) -> list[str]:
    """Return the names of coordinates that determine all free motions: the wanted ones, then always the one with the
    largest undetermined part, of equal ones the first. The first `own` candidates precede the others while their part
    is large."""
    told = {c.name: (c.row @ free) / (np.linalg.norm(c.row / root) or 1.0) for c in candidates}
    preferred = {c.name for c in candidates[:own]}
    names: list[str] = []
    waiting, basis = list(wanted), np.zeros((0, free.shape[1]))
    while len(names) < free.shape[1]:
        rest = {name: row - basis.T @ (basis @ row) for name, row in told.items() if name not in names}
        lengths = {name: float(np.linalg.norm(row)) for name, row in rest.items()}
        first = {name: x for name, x in lengths.items() if name in preferred}
        asked = first if max(first.values(), default=0.0) > MUCH else lengths
        best = waiting.pop(0) if waiting else next(n for n, x in asked.items() if x >= ALIKE * max(asked.values()))
        if lengths[best] < 1e-6:
            known = ", ".join(names) or "nothing"
            raise ModelError(
                f"{best} does not move by itself: {known} tells its small motion; choose another coordinate"
            )
        names.append(best)
        basis = np.vstack([basis, rest[best] / lengths[best]])
    if waiting:
        raise ModelError(
            f"{len(names)} coordinates tell all small motions, and {', '.join(waiting)} are too many; leave them out"
        )
    return names
