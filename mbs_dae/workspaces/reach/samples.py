"""Poses of an arm all over its joint space, the same in every call, from which curves are sought."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from ...poses.reach.joint_space import JointSpace
from ..asked import Begun, Plane, Values
from ..following.equations import Equations, Point
from ..following.problems import closed_free
from .limits import ENDS, Limits


def samples(
    space: JointSpace, begun: Begun, plane: Plane, equations: Equations, held: Mapping[str, float], bounds: Limits,
    count: int, seed: int,
) -> Iterator[Point]:  # fmt: skip
    """Yield points with joints at random within their limits, or held at their values; loops and a section are closed
    from there."""
    random, read = np.random.default_rng(seed), Values(begun.model, begun.t, plane)
    own = space.system.placement
    turning = set(space.angles.tolist())
    length = space.system.length
    for _ in range(count):
        q = own.copy()
        for name, k in ((name, k) for k, name in enumerate(space.names)):
            low, high = bounds.pairs.get(name, ENDS)
            reach = np.pi if k in turning else 2.0 * length
            middle = min(max(own[k], low), high)
            q[k] = held.get(name, random.uniform(max(low, middle - reach), min(high, middle + reach)))
        for k in space.balls:
            q[k : k + 4] = random.standard_normal(4)
            q[k : k + 4] /= np.linalg.norm(q[k : k + 4])
        full = pose_of(begun, space.bodies([space.turned(q)])[0][0])
        found = closed_free(equations, Point(full, read(full), np.zeros(0)))
        if found is not None:
            yield found


def pose_of(begun: Begun, bodies: np.ndarray) -> np.ndarray:
    """Return the coordinates of the followed model, with its hidden turns at the end, from those of bodies."""
    full = begun.q.copy()
    full[: min(bodies.size, full.size)] = bodies[: full.size]
    return full
