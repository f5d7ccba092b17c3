"""Count the ways to assemble a mechanism with given values, by following curves.

A line through the point keeps one of the two values. From a known pose it is followed through all its turning points;
each time it passes the point there is a pose, from which the line that keeps the other value is followed, until no pose
is new. So all poses connected by such motions are found. Further poses, such as those of another circuit, are sought
from random placements of the bodies, the same in every call.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ...tolerances import DRIVE_TOLERANCE, SAME_POSE, TRACE_STEP
from .equations import PlaneEquations, PosePoint, without_turns
from .problems import close_pose, close_poses, line, throw_poses
from .search import ALONG, CurveSearch, Region
from .tracing import Trace, TracePlace, one_curve, tangent_at, trace_curve

LEAST, MOST, AGAIN = 24, 150, 5
"""Least and greatest number of random placements where poses are counted by these alone, and the number of times that
each pose must be reached."""
MOST_IN_SPACE = 1500
"""Greatest number in space: each of the 36 poses of the platform of a delta robot has 1% of the placements and more,
so that some 600 placements reach each `AGAIN` times."""
LONGEST, LANES = 200, 500
"""Greatest number of steps of a drive; and number of poses that are driven side by side, so that their matrices need
little memory."""
PAIRS = 20_000
"""Greatest number of pairs of poses that are compared at once."""
NEAREST = 2
"""Number of known poses nearest to the point that are tried."""


def poses_at(
    equations: PlaneEquations, region: Region, values: np.ndarray, poses: Sequence[PosePoint], step: float
) -> list[PosePoint]:
    """Return the poses with these values that are reached from known ones and from random placements."""
    found: list[PosePoint] = []
    places = np.array([point.p for point in poses])
    off = np.linalg.norm(without_turns(places - values, region.turns) / equations.scale, axis=1)
    for k in np.argsort(off, kind="stable")[:NEAREST]:
        direction = without_turns(values - poses[k].p, region.turns) / equations.scale
        if found:
            break
        if np.linalg.norm(direction) < 1e-9:
            add_poses(equations, region, found, [poses[k]])
            continue
        add_poses(equations, region, found, _poses_on_traced_line(equations, region, poses[k], direction, values, step))
    if poses:
        for ends in throw_poses(equations, poses[0], values):
            add_poses(equations, region, found, (z for z in ends if z is not None))
    done = 0
    width = region.width / equations.scale
    while done < len(found):
        for direction in ((1.0, 0.0), (0.0, 1.0)):
            passed = _poses_on_traced_line(equations, region, found[done], np.array(direction) * width, values, step)
            add_poses(equations, region, found, passed)
        done += 1
    return found


def add_poses(equations: PlaneEquations, region: Region, poses: list[PosePoint], new: Iterable[PosePoint]) -> list[int]:
    """Append to `poses` each new pose that differs from all poses in it; return the numbers of these in `new`."""
    new, added = [*new], list[int]()
    old, new_pairs = equal_poses(equations, region, new, poses).any(axis=1), equal_poses(equations, region, new, new)
    for k in np.flatnonzero(~old).tolist():
        if not new_pairs[k, added].any():
            added.append(k)
    poses += [new[k] for k in added]
    return added


def equal_poses(
    equations: PlaneEquations, region: Region, some: Sequence[PosePoint], others: Sequence[PosePoint]
) -> np.ndarray:
    """Return which poses equal which others up to whole turns, (some, others). Their bodies are in equal places."""
    same = np.zeros((len(some), len(others)), dtype=bool)
    if not some or not others:
        return same
    if len(some) > 1 and len(some) * len(others) > PAIRS:
        parts = some[: len(some) // 2], some[len(some) // 2 :]
        return np.concatenate([equal_poses(equations, region, part, others) for part in parts])
    (q0, p0), (q, p) = ([np.array([z[k] for z in poses]) for k in (0, 1)] for poses in (some, others))
    columns, units = equations.places_of_bodies
    off = np.abs(q0[:, None, columns] - q[None, :, columns]) / units
    i, j = np.nonzero(off.max(axis=2, initial=0.0) < SAME_POSE)
    if i.size:
        steps = equations.steps_between(q0[i], p0[i], q[j], p[j], region.turns)
        same[i, j] = np.linalg.norm(steps, axis=1) < SAME_POSE
    return same


def _poses_on_traced_line(
    equations: PlaneEquations, region: Region, start: PosePoint, direction: np.ndarray, values: np.ndarray, step: float
) -> list[PosePoint]:
    """Return the poses with these values on the line through a pose."""
    section = line(equations, region.turns, start, direction)
    reach = 1.1 * region.width

    def near(before: PosePoint, after: PosePoint) -> bool:
        """Return whether a line goes on: lines that revolve are not followed without end."""
        return bool((np.abs(after.p - start.p) <= reach).all()) and region.within(before, after)

    trace = trace_curve(section, TracePlace(start, *tangent_at(section.value(start)[1], None)), step, ALONG, near)
    return _poses_on_line(equations, region, trace, direction, values, step)


def drive(
    equations: PlaneEquations, starts: Sequence[PosePoint], targets: np.ndarray, step: float
) -> list[PosePoint | None]:
    """Drive the values of each pose on a straight line to a target, (poses, 2); return the poses there, None where the
    drive does not arrive: at a singular pose, where Newton's method fails, or after `LONGEST` steps.

    All poses are driven side by side, as `trace_forward` follows one curve: a step h goes along h t + ½ h² t', where t
    is the tangent with J t_x + P t_p = 0 and t_p along the line, and t' its change in the step before. Newton's method
    corrects it at right angles to t, and a step whose ends do not belong to one smooth curve is halved. A drive ends
    where the values reach the target, or turn back."""
    if not len(starts):
        return []
    n, count, scale = equations.system.nv, len(starts), equations.scale
    if count > LANES:
        some = [slice(k, k + LANES) for k in range(0, count, LANES)]
        return [z for part in some for z in drive(equations, starts[part], targets[part], step)]
    q, base = (np.array([z[k] for z in starts]) for k in (0, 1))
    directions = (targets - base) / scale
    far = np.linalg.norm(directions, axis=1)
    units = directions / np.maximum(far, 1e-300)[:, None]
    p, done, h = base.copy(), np.zeros(count), np.full(count, 0.25 * min(step, 1.0))
    t = np.concatenate([np.zeros((count, n)), units], axis=1)
    arrived, going, places = far < 1e-12, far >= 1e-12, np.ones(count, dtype=int)
    q, p, t, going = _onto_lines(equations, base, units, q, p, t, going)
    before, bends = [q.copy(), p.copy(), done.copy()], np.zeros_like(t)
    while going.any():
        k = np.flatnonzero(going)
        moves = h[k, None] * (t[k] + 0.5 * h[k, None] * bends[k])
        ahead = equations.moved_poses(q[k], moves[:, :n]), p[k] + moves[:, n:] * scale, t[k]
        new_q, new_p, new_t, converged = _onto_lines(equations, base[k], units[k], *ahead, np.ones(len(k), dtype=bool))
        chord = np.hstack([equations.between_poses(q[k], new_q), (new_p - p[k]) / scale])
        smooth = converged & one_curve(t[k], new_t, chord)
        h[k[~smooth]] *= 0.5
        going[k] = h[k] >= TRACE_STEP
        k, new_q, new_p, new_t = k[smooth], new_q[smooth], new_p[smooth], new_t[smooth]
        for old, here in zip(before, (q, p, done), strict=True):
            old[k] = here[k]
        bends[k] = (new_t - t[k]) / np.linalg.norm(chord[smooth], axis=1, keepdims=True)
        q[k], p[k], t[k] = new_q, new_p, new_t
        done[k] = ((p[k] - base[k]) / scale * units[k]).sum(axis=1)
        places[k] += 1
        forth = (t[k, n:] * units[k]).sum(axis=1) > 0.0
        arrived[k] = (done[k] >= far[k]) & forth
        going[k] = (done[k] < far[k]) & (done[k] > before[2][k]) & (places[k] < LONGEST)
        h[k] = np.minimum(min(step, 1.0), 1.6 * h[k])
    k = np.flatnonzero(arrived & (far >= 1e-12))
    part = (far[k] - before[2][k]) / (done[k] - before[2][k])
    near = equations.moved_poses(before[0][k], equations.between_poses(before[0][k], q[k]) * part[:, None])
    found = [z if there else None for z, there in zip(starts, arrived, strict=True)]
    ends = [PosePoint(one, targets[i].astype(float), starts[i].u) for i, one in zip(k.tolist(), near, strict=True)]
    for i, there in zip(k.tolist(), close_poses(equations, ends), strict=True):
        found[i] = there
    return found


def _onto_lines(
    equations: PlaneEquations, base: np.ndarray, units: np.ndarray, q: np.ndarray, p: np.ndarray, t: np.ndarray,
    open_: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:  # fmt: skip
    """Bring poses onto the lines through `base`, by Newton's method with steps at right angles to t. Return the poses,
    their values, tangents of length 1, and a mask of the open ones that converged."""
    n, scale = equations.system.nv, equations.scale
    q, p, t, converged = q.copy(), p.copy(), t.copy(), np.zeros(len(q), dtype=bool)
    across, start = np.stack([-units[:, 1], units[:, 0]], axis=1), t.copy()
    left = np.flatnonzero(open_)
    for _ in range(12):
        if not left.size:
            break
        phi, J, P = equations.linear(q[left], p[left])
        m = phi.shape[1]
        matrix, right = np.zeros((len(left), m + 2, n + 2)), np.zeros((len(left), m + 2, 2))
        matrix[:, :m, :n], matrix[:, :m, n:] = J, P
        matrix[:, m, n:], matrix[:, m + 1] = across[left], start[left]
        right[:, :m, 0] = -phi
        right[:, m, 0] = -(across[left] * (p[left] - base[left]) / scale).sum(axis=1)
        right[:, m + 1, 1] = 1.0
        size = np.abs(right[:, :, 0]).max(axis=1)
        there = size < DRIVE_TOLERANCE
        both = solve_each(matrix, right)
        steps, tangents = both[:, :, 0], both[:, :, 1]
        regular = np.isfinite(both).all(axis=(1, 2))
        lengths = np.linalg.norm(tangents, axis=1, keepdims=True)
        arrived = there & regular
        t[left[arrived]] = (tangents / lengths)[arrived]
        converged[left[arrived]] = True
        goes = ~there & regular & (np.abs(steps).max(axis=1) < 0.5)
        left, steps = left[goes], steps[goes]
        q[left], p[left] = equations.moved_poses(q[left], steps[:, :n]), p[left] + steps[:, n:] * scale
    return q, p, t, converged


def solve_each(matrices: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return the solutions of linear equations side by side; NaN where a matrix is singular."""
    try:
        return np.asarray(np.linalg.solve(matrices, right))
    except np.linalg.LinAlgError:
        if len(matrices) == 1:
            return np.full_like(right, np.nan)
        return np.concatenate([solve_each(matrices[k : k + 1], right[k : k + 1]) for k in range(len(matrices))])


def drive_or_trace(search: CurveSearch, starts: Sequence[PosePoint], values: np.ndarray) -> list[PosePoint]:
    """Return the poses with these values to which others are driven on straight lines; where a singular pose stops one,
    return all poses on its line, and follow curves through singular poses near the line."""
    equations, region, found = search.equations, search.region, list[PosePoint]()
    directions = np.array([without_turns(values - z.p, region.turns) / equations.scale for z in starts]).reshape(-1, 2)
    targets = np.array([z.p for z in starts]).reshape(-1, 2) + directions * equations.scale
    for z, direction, there in zip(starts, directions, drive(equations, starts, targets, search.step), strict=True):
        if there is not None:
            found.append(there)
            continue
        trace = search.walk(line(equations, region.turns, z, direction))
        found += [] if trace is None else _poses_on_line(equations, region, trace, direction, values, search.step)
    return found


def _poses_on_line(
    equations: PlaneEquations, region: Region, trace: Trace, direction: np.ndarray, values: np.ndarray, step: float
) -> list[PosePoint]:
    """Return the poses with these values on a line that was followed."""
    unit = direction / np.linalg.norm(direction)

    def distance(place: TracePlace) -> float:
        return float(without_turns(place.z.p - values, region.turns) / equations.scale @ unit)

    offs = np.array([distance(place) for place in trace.places])
    found = []
    for k in range(len(trace.steps)):
        if abs(offs[k]) + abs(offs[k + 1]) < 4.0 * step and offs[k] * offs[k + 1] <= 0.0:
            try:
                z = trace.zero(k, offs[k], offs[k + 1], distance)[1].z
            except ArithmeticError:  # the line turns within this step: Newton's method starts at the nearer end
                z = trace.places[k + int(abs(offs[k + 1]) < abs(offs[k]))].z
            off = without_turns(z.p - values, region.turns) / equations.scale
            if np.abs(off - (off @ unit) * unit).max() > 1e-9:  # the line passes whole turns of the other value away
                continue
            whole = values + (z.p - values - without_turns(z.p - values, region.turns))
            there = close_pose(equations, z._replace(p=whole))
            if there is not None:
                found.append(there)
    return found


def random_poses(
    equations: PlaneEquations,
    region: Region,
    near: PosePoint,
    values: np.ndarray,
    most: int | None = None,
    limit: int | None = None,
) -> list[PosePoint]:
    """Return the poses with these values to which Newton's method converges from random placements of the bodies. The
    trials end, after a block of placements, when each pose was found `AGAIN` times, so that further poses are unlikely,
    when the first `LEAST` of them found none, or when `limit` poses are found."""
    found: list[PosePoint] = []
    times, count = np.zeros(0, dtype=int), 0
    most = most or (MOST_IN_SPACE if equations.system.model.dimension == 3 else MOST)
    for ends in throw_poses(equations, near, values, most):
        count += len(ends)
        closed = [z for z in ends if z is not None]
        old, same = (equal_poses(equations, region, closed, poses) for poses in (found, closed))
        new = np.flatnonzero(~old.any(axis=1) & ~np.tril(same, -1).any(axis=1))
        found += [closed[k] for k in new]
        times = np.append(times + old.sum(axis=0), same[new].sum(axis=1))
        if (limit and len(found) >= limit) or (count >= LEAST and times.min(initial=AGAIN) >= AGAIN):
            break
    return found[:limit]
