"""Find a pose in the requested region: the initial pose, or one that continuation reaches from there."""

from __future__ import annotations

import numpy as np

from ..errors import SingularConfigurationError
from ..poses.dependence import elements_of
from ..poses.local import free_motions
from .following.equations import PlaneEquations, PosePoint
from .following.problems import Section, Singular, smallest
from .following.search import Region
from .following.tracing import TracePlace, tangent_at, trace_curve
from .request import InitialPose, ValuePlane, state_at

STEPS = 2000
MARGIN = 0.02
"""Distance inside the region at which a pose is sought, relative to its widths."""


def pose_in_region(
    equations: PlaneEquations, region: Region, base: PosePoint, initial: InitialPose, plane: ValuePlane, step: float
) -> PosePoint:
    """Return the base itself, or the first pose in the region on the lines to its nearest point and to its middle."""
    if region.holds(base.p):
        return _in_general_position(equations, region, base, step)
    nearest = base
    inner = region.low + MARGIN * region.width, region.high - MARGIN * region.width
    for target in (np.clip(region.nearest(base.p), *inner), 0.5 * (region.low + region.high)):
        found, near = _towards(equations, region, base, target, step)
        if found is not None:
            return found
        nearest = min((nearest, near), key=lambda z: float(region.beyond(z.p).max()))
    raise _out_of_reach(equations, region, base, nearest, initial, plane)


def _towards(
    equations: PlaneEquations, region: Region, base: PosePoint, target: np.ndarray, step: float
) -> tuple[PosePoint | None, PosePoint]:
    """Return a pose in the region on the line to a target, or None; and the pose on the line that comes nearest to the
    region."""
    direction = (target - base.p) / equations.scale
    section = section_along(equations, region, base, direction)
    start = TracePlace(base, *tangent_at(section.value(base)[1], None))

    def outside(before: PosePoint, after: PosePoint) -> bool:
        distance = float(np.linalg.norm((after.p - base.p) / equations.scale))
        return not region.holds(after.p) and distance < 3.0 * float(np.linalg.norm(direction))

    trace = trace_curve(section, start, step, STEPS, outside)
    for place in (trace.places[0], trace.places[-1]):
        if region.holds(place.z.p):
            return place.z, place.z
    best = min(trace.places, key=lambda place: float(region.beyond(place.z.p).max()))
    return None, best.z


def section_along(equations: PlaneEquations, region: Region, base: PosePoint, direction: np.ndarray) -> Section:
    """Return the poses on a line in the plane as a section; motions of a remaining freedom are excluded."""
    n = equations.system.nv
    A = np.zeros((1, n + 2))
    A[0, n:] = np.array([-direction[1], direction[0]]) / np.linalg.norm(direction)
    free = free_motions(equations.system, equations.t, base.q)[:, : n - len(equations.rows)]
    return Section(equations, region.turns, base, np.vstack([A, np.hstack([free.T, np.zeros((free.shape[1], 2))])]))


def _in_general_position(equations: PlaneEquations, region: Region, base: PosePoint, step: float) -> PosePoint:
    """Return the base, or if it is a singular pose a regular one near by."""
    if smallest(equations.at(base).J) > 1e-4:
        return base
    for direction in ((1.0, 0.3), (-0.3, 1.0), (-1.0, -0.3), (0.3, -1.0)):
        section = section_along(equations, region, base, np.array(direction))
        start = TracePlace(base, *tangent_at(section.value(base)[1], None))
        trace = trace_curve(section, start, 0.5 * step, 40)
        for place in trace.places:
            if region.holds(place.z.p) and smallest(equations.at(place.z).J) > 1e-2:
                return place.z
    return base


def _out_of_reach(
    equations: PlaneEquations, region: Region, base: PosePoint, near: PosePoint, initial: InitialPose, plane: ValuePlane
) -> SingularConfigurationError:
    """Return the error that names the nearest limit."""
    limit = Singular(equations, region.turns).near(near.q, near.p)
    at = near if limit is None or region.beyond(limit.p).max() > 2.0 * region.beyond(near.p).max() else limit
    names: tuple[str, ...] = ()
    if at.u.size:
        weights = np.abs(at.u)
        rows = [int(row) for row, weight in zip(equations.rows, weights, strict=True) if weight > 0.05 * weights.max()]
        names = tuple(n for n in elements_of(equations.system, rows) if not n.startswith("fix "))
    ranges = " and ".join(
        f"{name} from {low:.6g} to {high:.6g}"
        for name, low, high in zip(plane.names, region.low, region.high, strict=True)
    )
    there = ", ".join(f"{name} = {value:.6g}" for name, value in zip(plane.names, at.p, strict=True))
    why = f", where {', '.join(names)} reach their limit" if names else ""
    message = (
        f"{initial.model.name!r} has no pose with {ranges} that its placement leads to: the nearest limit is at "
        f"{there}{why}; choose ranges on this side of it, or another start="
    )
    pose = state_at(initial, at.q)
    return SingularConfigurationError(
        message,
        code="limit-before-ranges", model=initial.model.name, names=plane.names, place=tuple(map(float, at.p)),
        time=initial.t, joints=names, pose=pose,
    )  # fmt: skip
