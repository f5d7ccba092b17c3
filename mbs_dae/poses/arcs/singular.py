"""The singular poses on a curve, and the branches through them.

Along a curve the matrix [Φ_v; vᵀW] has full rank, with the tangent v as one more row. Its determinant changes its sign
where the curve passes a crossing, however many directions are weak there; it touches zero where branches touch, or
where an even number of directions is lost. Its zero on the curve through two places is a guess, from which Newton's
method goes to the singular pose itself (`Local.step`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq, minimize_scalar

from ...tolerances import BRANCH_DISTANCE, BRANCH_GAP, NEWTON_STEP, SAME_SINGULAR_POSE, SINGULAR_RANK
from ..local import Local, rows_at
from .branching import beyond, tangents_of
from .tracing import CurvePoints
from .track import ArcPlace, ArcTrack

AT_ONCE = 1000
"""Number of poses that are evaluated together."""
WEAK = 0.1
"""A minimum of the determinant less than this, relative to its largest value along the curve, may have touched zero."""
STEPS = 12
"""The greatest number of steps of Newton's method to a singular pose of a curve."""
FAR = 0.05
"""Greatest length of all steps of Newton's method, in lengths of the model."""
OVER = 1.5
"""A crossing ends this factor farther from the branch point than a branch is started: a lap ends where it began."""
MOST = 4
"""Greatest number of lost directions that is tried."""


class SingularPlace(NamedTuple):
    """A singular pose of a curve, with the tangents of all branches, a row each, or the reason why they are unknown.
    With redundant equations there may be one branch alone, because further equations forbid the others."""

    place: ArcPlace
    tangents: np.ndarray
    why: str


def singular_places(track: ArcTrack, points: CurvePoints, closed: bool) -> list[SingularPlace]:
    """Return the singular poses of a curve, in their order."""
    if len(points.path.t) < 2:
        return []
    sign_changes, size = _determinants(track, points)
    poses = []
    for k in np.flatnonzero(sign_changes):
        place_at, determinant = _between(track, points.place(k), points.place(k + 1))
        if determinant(1.0) < 0.0:
            poses.append(_singular_place(track, place_at(brentq(determinant, 0.0, 1.0, xtol=1e-12))))
    for place in _touches(track, points, _low(size, sign_changes, closed)):
        pose = _singular_place(track, place)
        if all(abs(pose.place.s - other.place.s) > SAME_SINGULAR_POSE * track.system.length for other in poses):
            poses.append(pose)
    return sorted(poses, key=lambda pose: pose.place.s)


def _determinants(track: ArcTrack, points: CurvePoints) -> tuple[np.ndarray, np.ndarray]:
    """Return for each step whether the determinant changes its sign, and for each place the logarithm of its size."""
    signs, sizes, count = [], [], len(points.path.t)
    for start in range(0, count - 1, AT_ONCE):
        chunk = slice(start, start + AT_ONCE + 1)
        rows, v = rows_at(track.system, track.t, points.path.q[chunk])[0], points.path.v[chunk]
        parts = _independent(track, rows[:-1])
        first, size = _determinant(track, parts, rows[:-1], v[:-1])
        second, last = _determinant(track, parts, rows[1:], v[1:])
        signs.append(first * second < 0.0)
        sizes.append(size)
    return np.concatenate(signs), np.append(np.concatenate(sizes), last[-1])


def _independent(track: ArcTrack, rows: np.ndarray) -> np.ndarray | None:
    """Return the independent combinations of the rows, in each pose, if there are too many rows; None if the number is
    right."""
    independent = track.system.nv - 1
    if rows.shape[1] == independent:
        return None
    return np.swapaxes(np.linalg.svd(rows, full_matrices=False)[0][:, :, :independent], 1, 2)


def _determinant(
    track: ArcTrack, parts: np.ndarray | None, rows: np.ndarray, v: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the signs and the logarithms of the determinants of these rows with tangents v."""
    rows = rows if parts is None else parts @ rows
    tangents = np.sqrt(track.machine.norm) * v[:, None, : track.system.nv]
    return np.linalg.slogdet(np.concatenate([rows, tangents], axis=1))


def _between(
    track: ArcTrack, first: ArcPlace, last: ArcPlace
) -> tuple[Callable[[float], ArcPlace], Callable[[float], float]]:
    """Return two functions of x from 0 to 1: the place between two places, and the determinant there, positive at the
    first."""
    place_at, rows = track.between(first, last), rows_at(track.system, track.t, first.q[None])[0]
    parts = _independent(track, rows)
    sign = _determinant(track, parts, rows, first.v[None])[0][0]

    def determinant(x: float) -> float:
        place = place_at(x)
        signs, size = _determinant(track, parts, rows_at(track.system, track.t, place.q[None])[0], place.v[None])
        return float(signs[0] * sign * np.exp(size[0]))

    return place_at, determinant


def _low(size: np.ndarray, sign_changes: np.ndarray, closed: bool) -> np.ndarray:
    """Return the places with a local minimum of the determinant, and no change of its sign next to them."""
    inside = np.arange(1, len(size) - 1)
    least = inside[(size[inside] <= size[inside - 1]) & (size[inside] <= size[inside + 1])]
    if closed and size[0] <= min(size[1], size[-2]):
        least = np.append(0, least)
    near = sign_changes[least - 1] | sign_changes[least]  # (place 0 follows the last step of a lap)
    return least[(size[least] < size.max() + np.log(WEAK)) & ~near]


def _touches(track: ArcTrack, points: CurvePoints, low: np.ndarray) -> Iterator[ArcPlace]:
    """Yield the places where the determinant is zero without a change of its sign from place to place: it touches zero,
    or has two zeros in a step."""
    for k in low:
        for step in (k - 1, k):
            first = step % (len(points.path.t) - 1)
            place_at, determinant = _between(track, points.place(first), points.place(first + 1))
            least = minimize_scalar(determinant, bounds=(0.0, 1.0), method="bounded", options={"xatol": 1e-9})
            if least.fun < 0.0 < determinant(1.0):
                for ends in ((0.0, least.x), (least.x, 1.0)):
                    yield place_at(brentq(determinant, *ends, xtol=1e-12))
            elif Local(track.system, track.t, place_at(least.x).q).weakest < SINGULAR_RANK:
                yield place_at(least.x)


# --- the singular pose itself -----------------------------------------------------------------------------------------


def _singular_place(track: ArcTrack, guess: ArcPlace) -> SingularPlace:
    """Return the singular pose next to a place, with the fewest lost directions for which there is one."""
    n, none = track.system.nv, np.zeros((0, track.system.still.size))
    for lost in range(1, min(MOST, n - 1) + 1):
        if (place := _refined(track, guess, n - 1 - lost)) is None:
            continue
        here = Local(track.system, track.t, place.q)
        if here.rank != n - 1 - lost:
            continue
        tangents = tangents_of(here)
        if len(tangents) and np.abs(_cosines(track, tangents, place.v)).max() > 1.0 - 1e-4:
            return SingularPlace(place, tangents, "")
        why = f"{lost + 1} motions are left in it, and equations of second order do not tell branches apart"
        return SingularPlace(place, none, why)
    why = "it is not located: branches touch, or come so near to each other that the curve may have changed from one to"
    return SingularPlace(guess, none, f"{why} the other; a smaller step= tells")


def across(track: ArcTrack, last: ArcPlace) -> ArcPlace | None:
    """Return the place beyond a singular pose that ends the steps of a curve, if the curve is smooth there; else None.
    Where more than one direction is lost, tangents near the pose are roundoff, and no step can pass."""
    pose = _singular_place(track, last)
    if pose.why:
        return None
    cosines = _cosines(track, pose.tangents, last.v)
    branch = int(np.abs(cosines).argmax())
    place = beyond(track, pose.place, np.sign(cosines[branch]) * pose.tangents[branch], OVER * BRANCH_DISTANCE)
    return None if place is None or pose.place.s < last.s else track.with_turns(last, place)


def _cosines(track: ArcTrack, tangents: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return the cosine (in the norm W) of a direction with each of some tangents."""
    return np.asarray(tangents[:, : track.system.nv] @ (track.machine.norm * v[: track.system.nv]))


def _refined(track: ArcTrack, guess: ArcPlace, rank: int) -> ArcPlace | None:
    """Return the pose next to a place in which the rows have this rank, by Newton's method; None if there is none."""
    system, norm = track.system, track.machine.norm
    q, distance = guess.q, 0.0
    for _ in range(STEPS):
        step, gap = Local(track.system, track.t, q).step(rank)
        size = float(np.sqrt(norm @ step**2))
        distance += size
        if not distance < FAR * system.length:
            return None
        q = track.moved(q, step)
        if size < NEWTON_STEP * system.length:
            ds = float(norm @ (guess.v[: system.nv] * system.between(guess.q, q)))
            return guess._replace(s=guess.s + ds, q=q) if gap < BRANCH_GAP * system.length else None
    return None
