"""Equilibria of a mechanism with one freedom, on whole circuits.

Let v be the unit tangent of the curve of all poses, s its arc length and V the potential. The force along the curve and
its slope are

    r(s) = Q·v = -dV/ds,        r'(s) = -vᵀ K v,        K = ∂(Φ_vᵀ λ - Q)/∂x at rest,

for the curvature of the curve is at right angles to v. The mechanism rests where r = 0. The steps of the curve are
halved until the cubic through r and r' at both ends predicts r in the middle; then each change of sign is located.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ..compiled import System
from ..compiled.reading import Trajectory
from ..errors import MbsError, ModelError
from ..modes.closure import signature
from ..poses.arcs.following import follow_curve
from ..poses.arcs.singular import SingularPlace, singular_places
from ..poses.arcs.start import start_of, track_at
from ..poses.arcs.steps import distance_beyond, size_of
from ..poses.arcs.tracing import CurvePoints
from ..poses.arcs.track import ArcPlace, ArcTrack
from ..poses.arcs.zeros import sign_changes
from ..tolerances import BALANCE_LIMIT, BALANCE_TOLERANCE, CIRCUIT_STEP, PERIODICITY, SAME_POSE
from .balance import Balance, balance_at
from .seeking import balance

STEP, POSES = 0.05, 1000
"""The longest step of a coordinate, in lengths of the model, and the most poses in one direction: laps of linkages have
some hundreds, and a curve that goes on for fifty lengths of the model is open."""
PREDICTION = 0.1
"""Greatest error of the cubic in the middle of a step, relative to the least |r| at both ends and in the middle; in a
step in which r changes its sign, relative to the largest."""
MOST = 24
"""Greatest number of branch points whose other branches are followed, as for the circuits of assembly modes."""


@dataclass(frozen=True, eq=False)
class PoseCircuit:
    """A curve of poses, followed to its ends or through a whole lap."""

    track: ArcTrack
    traced: CurvePoints
    ends: tuple[str, ...]
    """Reasons why the curve ends, if it is open."""

    @cached_property
    def singular(self) -> list[SingularPlace]:
        return singular_places(self.track, self.traced, not self.ends)

    @cached_property
    def signatures(self) -> np.ndarray:
        return signature(self.track.system, self.traced.path.q.T)

    def passes(self, q: np.ndarray) -> bool:
        """Return whether a pose is on the curve, whole turns aside."""
        track, n = self.track, self.track.system.nv
        far = np.abs(self.signatures - signature(track.system, q[:, None])).max(axis=0)
        place: ArcPlace | None = self.traced.place(int(far.argmin()))
        for _ in range(8):  # Newton's method for the foot of q on the curve
            if place is None:
                return False
            beyond = float(distance_beyond(track.machine, q, place.q, place.v, track.angles))
            distance = size_of(track.machine, track.machine.x[:n].copy())
            if distance < SAME_POSE * track.system.length:
                return True
            if (
                not distance < track.step * track.system.length * n
                or abs(beyond) < 0.5 * SAME_POSE * track.system.length
            ):
                return False
            place = track.from_place(place, beyond)
        return False

    def force_at(self, place: ArcPlace) -> tuple[float, float]:
        """Return r and r' at a place."""
        equations = balance_at(self.track.system, self.track.t, place.q)
        v = place.v[: equations.system.nv]
        K = equations.derivatives(np.zeros(equations.system.nv), equations.multipliers)[0]
        return float(equations.forces @ v), -float(v @ K @ v)

    @cached_property
    def forces(self) -> tuple[CurvePoints, np.ndarray, np.ndarray]:
        """Return the curve with steps in which cubics represent r, and r and r' at its points, shape (points,)."""
        shortest, track = CIRCUIT_STEP * self.track.system.length, self.track
        places = [self.traced.place(k) for k in range(self.traced.path.t.size)]
        points = [(place, *self.force_at(place)) for place in places]
        out, stack = [points[0]], points[:0:-1]
        while stack:
            (first, r0, d0), (last, r1, d1) = out[-1], stack[-1]
            h = last.s - first.s
            if h > shortest:
                middle = track.between(first, last)(0.5)
                r, d = self.force_at(middle)
                error = abs(r - (0.5 * (r0 + r1) + h / 8.0 * (d0 - d1)))
                sizes = np.abs([r0, r, r1])
                if error > PREDICTION * (sizes.min() if r0 * r1 > 0.0 else sizes.max()):
                    stack.append((middle, r, d))
                    continue
            out.append(stack.pop())
        path = Trajectory(*(np.array(rows) for rows in zip(*(place for place, _, _ in out), strict=True)))
        return CurvePoints(path, self.traced.ending), np.array([r for _, r, _ in out]), np.array([d for _, _, d in out])

    @property
    def winds_up(self) -> bool:
        """Whether the force along the curve differs after a lap, as the moment of a torsion spring does."""
        _, r, _ = self.forces
        return not self.ends and abs(r[-1] - r[0]) > PERIODICITY * float(np.abs(r).max())

    def rests(self) -> tuple[list[Balance], list[str]]:
        """Return all equilibria in order along the curve, and a note for each change of sign by a jump of the force."""
        points, r, slopes = self.forces
        if (size := float(np.abs(r).max())) == 0.0:
            return [], ["forces balance in every pose of a curve"]
        r = np.where(np.abs(r) <= BALANCE_TOLERANCE * size, 0.0, r)
        closed, track, rests, notes = not self.ends, self.track, list[Balance](), list[str]()
        if closed and not self.winds_up:
            r[-1] = r[0]
        for place in sign_changes(track, points, r, slopes, lambda place: self.force_at(place)[0], closed):
            at_place = balance_at(track.system, track.t, place.q)
            near = balance(track.system, track.t, place.q)
            distance = np.inf if near is None else size_of(track.machine, track.system.between(place.q, near.q))
            if near is not None and distance < SAME_POSE * track.system.length:
                rests.append(near)
            elif at_place.is_balanced(BALANCE_LIMIT):
                rests.append(at_place)
            else:
                notes.append(f"forces change their sign {place.s - points.path.t[0]:.6g} m along a curve by a jump")
        return rests, notes


@dataclass(frozen=True, eq=False)
class Circuits:
    """The circuits of a mechanism that are known."""

    system: System
    t: float
    curves: list[PoseCircuit] = field(default_factory=list)
    gaps: list[str] = field(default_factory=list)
    """Reasons for which the list of circuits may be incomplete."""

    def add(self, q: np.ndarray) -> bool:
        """Follow the curve through a pose, and the curves that branch from it, unless the pose is on a known curve.
        Return whether the curve is new."""
        if any(curve.passes(q) for curve in self.curves):
            return False
        first, branch_points = len(self.curves), 0
        self._follow(q, None)
        for curve in (queue := self.curves[first:]):
            for pose in curve.singular:
                if pose.why:
                    self.gaps.append(f"in a singular pose {pose.why}")
                elif len(pose.tangents) > 1 and branch_points < MOST:
                    branch_points += 1
                    n, count = self.system.nv, len(self.curves)
                    cosines = pose.tangents[:, :n] @ (curve.track.machine.norm * pose.place.v[:n])
                    for branch in range(len(pose.tangents)):
                        if branch != int(np.abs(cosines).argmax()):
                            self._follow(pose.place.q, branch)
                    queue += self.curves[count:]
                elif len(pose.tangents) > 1:
                    self.gaps.append(f"there are more than {MOST} branch points")
        return True

    def _follow(self, q: np.ndarray, branch: int | None) -> None:
        system, name = self.system, next(iter(self.system.model.quantity_names(1)))
        try:
            track, motions = track_at(system, self.t, q, STEP, name, ())
            start = start_of(track, q, motions, name, branch)
            if branch is not None and any(curve.passes(start.q) for curve in self.curves):
                return
            traced, ends, _ = follow_curve(track, start, True, POSES)
        except ModelError as error:
            if (branches := getattr(error, "branches", 0)) and branch is None:
                for k in range(branches):
                    self._follow(q, k)
            else:
                self.gaps.append(str(error))
        except MbsError as error:
            self.gaps.append(str(error))
        else:
            self.curves.append(PoseCircuit(track, traced, ends))
            self.gaps.extend(f"a curve of poses is open: it ends at {end}" for end in ends)
