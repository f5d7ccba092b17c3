"""The curves that are followed: singular poses, and poses along a line.

A mechanism is singular with its two values held where some u ≠ 0 has Jᵀ u = 0: the rows depend on each other. So

    Φ(x, p) = 0,      J(x, p)ᵀ u = 0,      ½ (u·u - 1) = 0

are m + n + 1 equations in n + 2 + m unknowns (x, p, u): their solutions are a curve, whatever freedom is left with the
values held, and however many limits are held. On its picture in the plane of the values poses appear or vanish: along
the curve uᵀ (J dx + P dp) = 0, so Pᵀ u is at right angles to the picture.

For poses on a line (or another section), as many linear conditions as there are freedoms are added to Φ = 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...compiled.status import DONE, UNSETTLED
from ...coordinates import body_coordinates
from ...kernels.blocks import block
from ...poses.closing import turned_over_in
from ...poses.corrector import CurveEquations, correct, observe_curve
from ...poses.reach.joint_space import JointSpace
from ...poses.reach.search import search_all
from ...poses.reach.solutions import SolutionSearch
from ...tolerances import (
    BRANCH_DISTANCE,
    CROSSING_RANK,
    CURVE_RESIDUAL,
    CURVE_RESIDUAL_LIMIT,
    FOLD_NORMAL,
    SINGULAR_RESIDUAL,
    SINGULAR_STEP,
    SURFACE_RANK,
    SURFACE_RESIDUAL,
)
from .equations import EquationTerms, PlaneEquations, PosePoint
from .tracing import TracePlace, tangent_at

THROWS, BLOCK = 24, 96
"""Number of random placements of the bodies; and the number that are closed side by side after these."""
JOINT_STEPS = 100
"""Greatest number of steps of a search from joints at random."""
ROUNDS = 12
"""Greatest number of Newton steps back to a curve."""
LONGEST = 0.3
"""Longest step of Newton's method towards a singular pose."""


@dataclass(frozen=True, eq=False)
class PoseCurve:
    """Equations F(z) = 0 of a curve of poses, and motions along it."""

    equations: PlaneEquations
    turns: np.ndarray
    """The period of each value of the workspace, in its unit; 0 for a value that does not repeat."""

    @property
    def section(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the linear conditions A of a section, (conditions, motions and values), and its base q and p."""
        raise NotImplementedError

    @property
    def multipliers(self) -> int:
        """The number of unknowns besides motions and values."""
        return 0

    @cached_property
    def compiled(self) -> CurveEquations:
        A, q0, p0 = self.section
        (n, values), more, m = self.equations.sizes, self.multipliers, len(self.equations.rows)
        count = m + (n + 1 if more else len(A))
        own = CurveEquations(self.equations.compiled, self.turns, A, q0, p0)
        return block(own, equations=count, unknowns=n + values + more)

    def value(self, z: PosePoint) -> tuple[np.ndarray, np.ndarray]:
        """Return F and F' at a point."""
        if not self.equations.is_linear:
            self.equations.put(z.p)
        observe_curve(self.compiled, *z)
        return self.compiled.F.copy(), self.compiled.slope.copy()

    def correction(
        self, z: PosePoint, across: np.ndarray, far: tuple[PosePoint, float] | None = None
    ) -> TracePlace | None:
        """Return the place of the curve that Newton's method reaches from z, with its tangent along `across`: steps are
        at right angles to `across`, or lead to the point that is far[1] ahead of far[0] in this direction (in space
        turns one after the other are not their sum). Return None if Newton's method does not converge."""
        there, record = PosePoint(z.q.copy(), z.p.astype(float), z.u.copy()), self.compiled
        tangent_and_sense, (base, ahead), linear = (
            np.zeros(across.size + 1),
            far or (z, np.nan),
            self.equations.is_linear,
        )
        record.last_residual[0] = np.inf
        for _ in range(1 if linear else ROUNDS):
            if not linear:
                self.equations.put(there.p)
            status = correct(record, *there, across, *base, ahead, ROUNDS if linear else 1, tangent_and_sense)
            if status == DONE:
                tangent = (
                    (tangent_and_sense[:-1], float(tangent_and_sense[-1]))
                    if tangent_and_sense[-1]
                    else tangent_at(record.slope, across)
                )
                return TracePlace(there, *tangent)
            if status != UNSETTLED:
                break
        return None

    def on_surface(self, z: PosePoint) -> bool:
        """Return whether solutions go on from a point in two directions, which sections are not tested for."""
        return False

    def moved(self, z: PosePoint, step: np.ndarray) -> PosePoint:
        return self.equations.moved(z, step)

    def between(self, one: PosePoint, other: PosePoint) -> np.ndarray:
        """Return the step from one point to another in pose and values, without whole turns."""
        return self.equations.between(one, other, self.turns)


@dataclass(frozen=True, eq=False)
class Singular(PoseCurve):
    """Poses in which rows depend on each other."""

    @property
    def section(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return np.zeros((0, sum(self.equations.sizes))), np.zeros(0), np.zeros(0)

    @property
    def multipliers(self) -> int:
        return int(self.equations.ranked.sum())

    def ranked(self, terms: EquationTerms) -> np.ndarray:
        """Return the rows of J whose rank is tested."""
        return terms.J[self.equations.ranked] if self.equations.apart else terms.J

    def normal(self, z: PosePoint) -> np.ndarray:
        """Return Pᵀ u."""
        return self.equations.at(z).P.T @ z.u

    def folds(self, z: PosePoint) -> bool:
        """Return whether poses appear or vanish across the picture of the curve in a singular pose: Pᵀ u is not
        zero."""
        return bool(np.linalg.norm(self.normal(z)) > FOLD_NORMAL)

    def is_border(self, places: Sequence[TracePlace]) -> bool:
        """Return whether a curve with these places is a fold. On a fold Pᵀ u is zero in single poses; on a fragment of
        a surface it is zero everywhere, and by roundoff larger than `FOLD_NORMAL` in a few places."""
        return 2 * sum(self.folds(place.z) for place in places) > len(places)

    def near(self, q: np.ndarray, p: np.ndarray, rank: int = 0, rounds: int = 30) -> PosePoint | None:
        """Return the singular pose that Newton's method reaches from a pose by least steps, with the multipliers of the
        smallest singular value, or of the next ones by `rank`: each has a singular curve of its own. None if it does
        not converge."""
        bare = PosePoint(q, p, np.zeros(0))
        J = self.ranked(self.equations.at(bare))
        m, n = J.shape
        last = min(m - 1, n)
        if rank > last:
            return None
        return self._closest(PosePoint(q, p, np.linalg.svd(J)[0][:, last - rank].copy()), rounds)

    def _closest(
        self, z: PosePoint, rounds: int = 30, lost: float = 1e-12, most: float = SINGULAR_RESIDUAL
    ) -> PosePoint | None:
        """Return the singular pose that Newton's method reaches from a point by least steps; None where it reaches
        none. Singular values of F' less than the part `lost` of the largest are taken for zero, and residuals may be as
        large as `most`."""
        for _ in range(rounds):
            value, jacobian = self.value(z)
            size = float(np.abs(value).max())
            if not np.isfinite(size):
                return None
            if size < most:
                return z
            step = np.linalg.lstsq(jacobian, -value, rcond=lost)[0]
            longest = float(np.abs(step).max())
            z = self.moved(z, step * min(1.0, LONGEST / longest))
        return None

    def on_surface(self, z: PosePoint) -> bool:
        """Return whether singular points (poses, values, multipliers) go on from one of them in two directions: F' has
        two null vectors there, and in the singular points a small step away along each of them, in both senses, too."""

        def null_vectors(there: PosePoint) -> np.ndarray | None:
            _, sizes, right = np.linalg.svd(self.value(there)[1])
            return right[-2:] if sizes[-1] < SURFACE_RANK * sizes[0] < sizes[-2] else None

        if (T := null_vectors(z)) is None:
            return False
        for way in (T[0], T[1], -T[0], -T[1]):
            there = self._closest(self.moved(z, BRANCH_DISTANCE * way), lost=SURFACE_RANK, most=SURFACE_RESIDUAL)
            if there is None or null_vectors(there) is None:
                return False
            if np.linalg.norm(self.between(z, there)) < 0.5 * BRANCH_DISTANCE * np.linalg.norm(way[: -z.u.size]):
                return False
        return True

    def is_isolated(self, z: PosePoint) -> bool:
        """Return whether a singular pose is the only one nearby: its quadratic form (`_crossing`) is definite, so no
        singular curve goes through the pose."""
        crossing = self._crossing(z)
        return crossing is not None and bool(np.prod(crossing[1]) > 0.0)

    def ways(self, z: PosePoint) -> list[np.ndarray]:
        """Return the directions of both singular curves that cross in a singular pose; none for a pose with one curve
        or none. Both directions are zeros of the quadratic form (`_crossing`), a = (√|w₁|, ±√|w₀|) on its axes."""
        if (crossing := self._crossing(z)) is None or np.prod(crossing[1]) >= 0.0:
            return []
        T, w, axes = crossing
        ways = [(axes @ (np.sqrt(np.abs(w[::-1])) * (1.0, side))) @ T for side in (1.0, -1.0)]
        return [way / np.linalg.norm(way) for way in ways]

    def _crossing(self, z: PosePoint) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
        """Return the null vectors T of F' in a singular pose where F' has two, and the eigenvalues and the axes of a
        quadratic form there; None in other poses, and where an eigenvalue is zero.

        F' has one null vector on the left, l. To second order F(z + T a) = 0 requires l · F''(T a, T a) = 0, a
        quadratic form in a; if it is definite, only a = 0 is left."""
        left, sizes, right = np.linalg.svd(self.value(z)[1])
        if sizes[-1] > CROSSING_RANK * sizes[0] or sizes[-2] < CROSSING_RANK * sizes[0]:
            return None
        T, form, whole = right[-2:], np.zeros((2, 2)), 0.0
        for k, way in enumerate(T):
            there, back = (self.value(self.moved(z, sign * SINGULAR_STEP * way))[1] for sign in (1.0, -1.0))
            change = (there - back) / (2.0 * SINGULAR_STEP)
            form[k], whole = left[:, -1] @ change @ T.T, max(whole, float(np.abs(change).max()))
        w, axes = np.linalg.eigh(0.5 * (form + form.T))
        return (T, w, axes) if np.abs(w).min() > CROSSING_RANK * whole else None


@dataclass(frozen=True, eq=False)
class Section(PoseCurve):
    """Poses with A d = 0 for the way d (of bodies and values) from the base."""

    base: PosePoint
    A: np.ndarray

    @property
    def section(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self.A, self.base.q, self.base.p


def line(equations: PlaneEquations, turns: np.ndarray, base: PosePoint, direction: np.ndarray) -> Section:
    """Return the section of poses whose values are on a line through those of a pose, in the plane of the values."""
    n = equations.system.nv
    A = np.zeros((1, n + 2))
    A[0, n:] = np.array([-direction[1], direction[0]]) / np.linalg.norm(direction)
    return Section(equations, turns, base, A)


def close_pose(equations: PlaneEquations, z: PosePoint, rounds: int = 20) -> PosePoint | None:
    """Return the pose near to a point with equal values, by least Newton steps; None if they do not converge."""
    return close_poses(equations, [z], rounds)[0]


def close_poses(equations: PlaneEquations, points: Sequence[PosePoint], rounds: int = 20) -> list[PosePoint | None]:
    """Return for each point the pose near to it with equal values, by least Newton steps, side by side; None where they
    do not converge. The steps end where roundoff stops the convergence."""
    if not points:
        return []
    q, p = (np.array([point[k] for point in points]) for k in (0, 1))
    sizes, before = np.full(len(points), np.inf), np.full(len(points), np.inf)
    left = np.arange(len(points))
    for _ in range(rounds):
        phi, J, _ = equations.linear(q[left], p[left])
        size = sizes[left] = np.abs(phi).max(axis=1, initial=0.0)
        gains = (
            (size >= CURVE_RESIDUAL)
            & ((size >= CURVE_RESIDUAL_LIMIT) | (size <= 0.25 * before[left]))
            & np.isfinite(size)
        )
        before[left] = size
        left, phi, J = left[gains], phi[gains], J[gains]
        if not left.size:
            break
        steps = least(J, -phi)
        longest = np.abs(steps).max(axis=1, initial=1e-300)
        steps *= np.minimum(1.0, LONGEST / longest)[:, None]
        q[left] = equations.moved_poses(q[left], steps)
    ends = zip(q, p, points, sizes, strict=True)
    return [PosePoint(one, other, point.u) if size < CURVE_RESIDUAL_LIMIT else None for one, other, point, size in ends]


def least(J: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return the least solutions of J x = right, side by side; for independent equations, as many as unknowns, the
    unique ones."""
    if J.shape[1] == J.shape[2]:
        with suppress(np.linalg.LinAlgError):
            steps = np.asarray(np.linalg.solve(J, right[:, :, None]))[:, :, 0]
            if np.isfinite(steps).all():
                return steps
        if len(J) > 1:
            return np.concatenate([least(J[k : k + 1], right[k : k + 1]) for k in range(len(J))])
    return np.array([np.linalg.lstsq(*one, rcond=1e-12)[0] for one in zip(J, right, strict=True)])


def throw_poses(
    equations: PlaneEquations, point: PosePoint, values: np.ndarray, most: int = THROWS
) -> Iterator[list[PosePoint | None]]:
    """Yield lists of poses with these values, from `THROWS` placements, then from `BLOCK` at a time; None for a
    placement from which the search does not converge, or which ends turned over. In the plane Newton's method starts
    from bodies turned and moved at random; in space, where loops of many bodies close from few of these, from joints at
    random."""
    system, random = equations.system, np.random.default_rng(20)
    turns = np.tile(body_coordinates(system.model.dimension).turns, len(system.bodies))
    in_space = system.model.dimension == 3
    joints = joint_search(equations, values) if in_space else None
    for done in (0, *range(THROWS, most, BLOCK)):
        count = min(BLOCK if done else THROWS, most - done)
        if joints is not None:
            starts, off = joints.starts(20 + done, count + 1)[1:], np.full(count, np.inf)
            search_all(joints.task, starts, joints.tolerance, JOINT_STEPS, off, count)
            thrown_about = joints.space.bodies([*starts])[0]
        else:
            steps = random.uniform(-1.0, 1.0, (count, system.nv)) * np.where(turns, np.pi, 1.0)
            thrown_about = equations.moved_poses(np.repeat(point.q[None], count, axis=0), steps)
        ends = close_poses(equations, [PosePoint(q, values.astype(float), point.u) for q in thrown_about], 40)
        closed = [z for z in ends if z is not None]
        over = np.zeros(len(closed), dtype=bool)
        for wrong in turned_over_in(system, np.array([z.q for z in closed])).values() if closed else ():
            over |= wrong
        upright = iter(~over)
        yield [z if z is not None and next(upright) else None for z in ends]


def joint_search(equations: PlaneEquations, values: np.ndarray) -> SolutionSearch:
    """Return the search for joints with which loops close with these values. Held values are numbers of its program,
    which are set; parameters of the model change its tree, which is built anew."""
    system, found = equations.system, equations.joints
    if found is None or equations.symbols:
        model = system.model.with_values({n: float(x) for n, x in zip(equations.places, values, strict=True)})
        space = JointSpace(model, model.compile("joint"), "")
        placement, open_ = space.system.placement.copy(), np.full(space.size, np.inf)
        equations.joints = found = SolutionSearch(space, (), placement, -open_, open_)
    own = found.space.system.evaluator
    for name, x in zip(equations.places, values, strict=True):
        own = own.at(system.model.parameters[name].symbol, float(x))
    found.task.machine.program.batch.parameters[:] = found.space.system.structure.program.batch.numbers(own)
    return found


def close_with_values(equations: PlaneEquations, z: PosePoint) -> PosePoint | None:
    """Return the point after the least change, of pose and values, that satisfies all equations; None if the steps do
    not converge."""
    for _ in range(30):
        terms = equations.at(z)
        size = float(np.abs(terms.phi).max(initial=0.0))
        if not np.isfinite(size):
            return None
        if size < 1e-12:
            return z
        step = np.linalg.lstsq(np.hstack([terms.J, terms.P]), -terms.phi, rcond=1e-12)[0]
        z = equations.moved(z, step * min(1.0, LONGEST / float(np.abs(step).max())))
    return None


def smallest(J: np.ndarray) -> float:
    """Return the smallest singular value of the rows, each scaled to length 1."""
    length = np.linalg.norm(J, axis=1, keepdims=True)
    return float(np.linalg.svd(J / np.where(length > 0.0, length, 1.0), compute_uv=False)[-1])
