"""Small motions about an equilibrium or a steady motion, in independent coordinates; and the motion in one mode, as
poses that a picture shows.

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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..compiled import System
from ..compiled.reading import Trajectory
from ..compiled.status import DONE
from ..errors import ModelError
from ..model.parameters import positive_number
from ..poses import newton
from ..readings.motion import result_of
from ..results.result import Result, State
from ..tolerances import RANK_TOLERANCE, SUM_ROUNDOFF
from .balance import Balance, balance_at, unit_rows
from .frames import RotatingFrame, frame_of

MUCH, ALIKE = 0.1, 0.999999
"""Parts of a coordinate's row, by weight: above MUCH, one of the first candidates is preferred; rows above ALIKE times
the longest are equally good."""
DISPLACEMENT, ROTATION = 0.25, 0.4
"""Default amplitudes: displacement as a part of the mechanism's extent, and rotation in rad."""
TIME_CONSTANTS = 3.0
"""Number of time constants shown of a mode that does not oscillate."""
POSES = 101


@dataclass(frozen=True, eq=False)
class CoordinateCandidate:
    """A coordinate that may be chosen: its name, and its row by small motions ζ."""

    name: str
    row: np.ndarray


@dataclass(frozen=True, eq=False)
class SmallMotion:
    balance: Balance
    frame: RotatingFrame
    names: tuple[str, ...]
    """The coordinates of η; those of y come first."""
    R: np.ndarray
    S: np.ndarray
    H: np.ndarray
    coordinate_rows: np.ndarray
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
        return np.vstack([self.coordinate_rows @ self.rates, np.linalg.solve(self.M, -np.hstack([self.K, self.D]))])


def small_motion(
    balance: Balance, frame: RotatingFrame, a: np.ndarray, multipliers: np.ndarray,
    candidates: Sequence[CoordinateCandidate], required: Sequence[str] = (), preferred: int = 0,
) -> SmallMotion:  # fmt: skip
    """Return the small motion in coordinates chosen from the candidates: the required ones, then the first `preferred`
    ones before the others."""
    P, G, weight = frame.P, frame.G, balance.system.weight
    K_x, D_x, rates_x, *_ = balance.derivatives(a, multipliers)
    J = balance.jacobian @ P.T
    root = np.sqrt(np.abs(P) ** 2 @ weight)  # of the weights of ζ, which are equal along all axes of a body
    free, able = P @ balance.free, P @ balance.free_velocities
    names = _choose_coordinates(candidates, able, required, root, preferred)
    names = _choose_coordinates(candidates, free, names, root, preferred)
    rows = {c.name: c.row for c in candidates}
    coordinate_rows = np.array([rows[name] for name in names]).reshape(len(names), len(P))
    R = _without_roundoff(free @ np.linalg.inv(coordinate_rows @ free), root)
    count = able.shape[1]
    S = _without_roundoff(able @ np.linalg.inv(coordinate_rows[:count] @ able), root)
    scaled, lengths = unit_rows(J / root)  # H is the least X with J X = -(∂(Φ_v v - ν)/∂x Pᵀ + J G) R, in η and y
    right = -(rates_x @ P.T + J @ G) @ R
    H = np.linalg.lstsq(scaled, right / lengths[:, None], rcond=RANK_TOLERANCE)[0] / root[:, None]
    H -= S @ (coordinate_rows[:count] @ H)
    mass = P @ balance.mass @ P.T
    damping = P @ D_x @ P.T + mass @ (G - frame.B)
    lean = H + G @ R
    D = S.T @ (mass @ lean @ (coordinate_rows @ S) + damping @ S)
    stiff = P @ K_x @ P.T
    K = S.T @ (mass @ lean @ (coordinate_rows @ H) + damping @ lean + stiff @ R)
    parts = np.abs(S.T) @ (
        np.abs(mass @ lean) @ np.abs(coordinate_rows @ H) + np.abs(damping @ lean) + np.abs(stiff) @ np.abs(R)
    )
    loads = np.sqrt(np.abs(P) ** 2 @ (weight * balance.efforts[balance.levels]))[:, None]
    parts += np.outer(*(np.linalg.norm(loads * X, axis=0) for X in (S, R))) / balance.system.length
    K[np.abs(K) <= SUM_ROUNDOFF * parts] = 0.0
    return SmallMotion(balance, frame, tuple(names), R, S, H, coordinate_rows, S.T @ mass @ S, D, K)


def _without_roundoff(motions: np.ndarray, root: np.ndarray) -> np.ndarray:
    """Return the motions, as columns, without components that are roundoff of the fastest: such bodies may be so heavy
    that their forces would matter."""
    size = root[:, None] * np.abs(motions)
    return np.where(size <= SUM_ROUNDOFF * size.max(axis=0, initial=0.0), 0.0, motions)


def in_bodies(small: SmallMotion) -> np.ndarray:
    """Return the matrix that maps ζ to the small motions of all bodies, with small rotations in world axes."""
    balance, system = small.balance, small.balance.system
    cartesian = system.cartesian
    if cartesian is system:
        return np.eye(system.nv)
    still = np.tile(system.still, (system.nv, 1))
    units = still.copy()
    units[:, : system.nv] = small.frame.P.T
    q, motions, _ = system.to_bodies((np.tile(balance.q, (system.nv, 1)), units, still))
    P = frame_of(balance_at(cartesian, balance.t, q[0]), np.zeros(3)).P
    return P @ motions[:, : cartesian.nv].T


def _choose_coordinates(
    candidates: Sequence[CoordinateCandidate],
    free: np.ndarray,
    required: Sequence[str],
    root: np.ndarray,
    preferred: int,
) -> list[str]:
    """Return the names of coordinates that determine all free motions: the required ones, then always the one with the
    largest undetermined part, of equal ones the first. The first `preferred` candidates precede the others while their
    part is large."""
    rows = {c.name: (c.row @ free) / (np.linalg.norm(c.row / root) or 1.0) for c in candidates}
    preferred_names = {c.name for c in candidates[:preferred]}
    names: list[str] = []
    queue, basis = list(required), np.zeros((0, free.shape[1]))
    while len(names) < free.shape[1]:
        parts = {name: row - basis.T @ (basis @ row) for name, row in rows.items() if name not in names}
        lengths = {name: float(np.linalg.norm(row)) for name, row in parts.items()}
        first = {name: x for name, x in lengths.items() if name in preferred_names}
        choice = first if max(first.values(), default=0.0) > MUCH else lengths
        best = queue.pop(0) if queue else next(n for n, x in choice.items() if x >= ALIKE * max(choice.values()))
        if lengths[best] < 1e-6:
            others = ", ".join(names) or "nothing"
            raise ModelError(
                f"{best} does not move by itself: {others} tells its small motion; choose another coordinate",
                code="coordinate-depends-on-others", best=best, others=others,
            )  # fmt: skip
        names.append(best)
        basis = np.vstack([basis, parts[best] / lengths[best]])
    if queue:
        raise ModelError(
            f"{len(names)} coordinates tell all small motions, and {', '.join(queue)} are too many; leave them out",
            code="too-many-coordinates", queue=tuple(queue),
        )  # fmt: skip
    return names


# --- a mode as poses --------------------------------------------------------------------------------------------------
# The pose of the state is moved by Re(c ζ), with ζ the mode's shape and c a number: c = exp(λ t) is the motion itself.
# Small motions bend no rod, yet at the amplitudes of a picture they stretch it by their square; so each pose is closed.
# A steady motion is left out: an observer who moves along sees the small motion alone.


def motion_in_mode(
    state: State, value: complex, shape: Mapping[str, complex], amplitude: float | None = None
) -> Result:
    """Return one period, or three time constants of a mode that does not oscillate; the amplitude is that at the
    beginning or, where the mode grows, at the end."""
    if value == 0.0:  # no force restores the motion: it goes on at constant speed
        times = np.linspace(0.0, 1.0, POSES)
        return motion_of_shape(state, shape, times + 0j, times, np.ones(POSES) + 0j, amplitude)
    times = np.linspace(0.0, 2 * np.pi / value.imag if value.imag else TIME_CONSTANTS / abs(value.real), POSES)
    factors = np.exp(value * times - max(value.real * times[-1], 0.0))
    return motion_of_shape(state, shape, factors, times, value * factors, amplitude)


def motion_of_shape(
    state: State, shape: Mapping[str, complex], factors: np.ndarray, times: np.ndarray, rates: np.ndarray,
    amplitude: float | None,
) -> Result:  # fmt: skip
    """Return the pose of the state moved by Re(c ζ), for all c, with the velocities Re(ċ ζ)."""
    system, t, q, zeta = state.system.cartesian, state.t, state.full_q, np.array([*shape.values()])
    scale = _amplitude(system, q, zeta) if amplitude is None else positive_number(amplitude, "amplitude", "number")
    motion = scale * frame_of(balance_at(system, t, q), np.zeros(3)).P.T @ zeta  # rotations in the axes of bodies again
    poses, v = np.tile(q, (len(times), 1)), np.zeros((len(times), system.still.size))
    for k, (c, rate) in enumerate(zip(factors, rates, strict=True)):
        poses[k] = system.moved(q, (c * motion).real)
        v[k, : system.nv] = (rate * motion).real
        if newton.close(system.machine(), t, poses[k], system.still, 30) != DONE:
            raise ModelError(
                f"{system.model.name!r} cannot be assembled so far from its pose as {scale:.3g} times the shape of the "
                "mode; give a smaller amplitude",
                code="amplitude-too-large", model=system.model.name, scale=scale,
            )  # fmt: skip
    at_rest = np.full(len(times), t)  # the time of the state, so drivers stand still
    return result_of(system, Trajectory(at_rest, poses, v, 0.0 * v), t=times)


def _amplitude(system: System, q: np.ndarray, shape: np.ndarray) -> float:
    """Return an amplitude that shows a mode well."""
    flat = system.model.dimension == 2
    places = np.array([q[list(system.layout.q[body][: 2 if flat else 3])] for body in system.bodies])
    extent = max(float(np.ptp(places, axis=0).max()), system.length)
    motions = np.abs(shape).reshape(-1, 3)  # plane: x, y, angle of each body; space: its place, then its rotation
    shifts, turns = (motions[:, :2], motions[:, 2:]) if flat else (motions[::2], motions[1::2])
    return float(min(DISPLACEMENT * extent / max(shifts.max(), 1e-12), ROTATION / max(turns.max(), 1e-12)))
