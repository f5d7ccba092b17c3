"""Across a change point: the pose where Φ_v loses rank, taken from the smooth motion on both its sides.

The motion q(t) of a mechanism is analytic through a change point as long as it stays on its branch; only the linear
equations at that one pose fail to determine v and a. So poses, velocities and accelerations are computed at six times
around it, where they are regular, and the polynomial through all eighteen is evaluated at the change point. The same
with the four inner times must agree, or the bridge is refused.
"""

import numpy as np
from scipy.interpolate import KroghInterpolator

from ..compiled.machine import DONE, Machine
from ..compiled.manifold import accelerations, rates, restore, velocities
from ..compiled.reading import Trajectory
from ..tolerances import AGREEMENT
from . import continuation

REACH = 0.02
"""How far the nearest of the six poses is from the change point, in model lengths."""

State = tuple[np.ndarray, np.ndarray, np.ndarray]


def bridge(machine: Machine, path: Trajectory, k: int) -> bool:
    """Set state k of the path from both its sides; False if no smooth motion passes it."""
    t, q, v, a = path
    before = (q[k - 1], v[k - 1], a[k - 1])
    weight = machine.norm
    speed = float(np.sqrt(weight @ before[1][: weight.size] ** 2))
    if speed == 0.0:
        return False
    for step in REACH * machine.length / speed * 0.5 ** np.arange(5):
        nodes = _around(machine, t[k - 1], before, t[k], step)
        if nodes is None:
            continue
        inner = {d: nodes[d] for d in (-2, -1, 1, 2)}
        fine, coarse = (_polynomial(machine, t[k], step, n).derivatives(t[k], 3) for n in (nodes, inner))
        scale = machine.length * (speed / machine.length) ** np.arange(3)[:, None]
        if (np.abs(fine - coarse) <= AGREEMENT * scale).all():
            q[k] = fine[0]
            restore(machine.manifold, q[k])
            velocities(machine.manifold, fine[0], fine[1], v[k])
            velocities(machine.manifold, fine[0], fine[2], a[k])
            return True
    return False


def _around(machine: Machine, t0: float, start: State, middle: float, step: float) -> dict[int, State] | None:
    """The states at middle ± 1, 2, 3 steps, walked to smoothly from `start`; None if that fails."""
    nodes: dict[int, State] = {}
    here, now, any_rank = start, t0, machine.pattern.m  # how singular the poses are is no matter
    for d in (-1, -2, -3, -1, 1, 2, 3):
        there = middle + d * step
        if d not in nodes:
            continuation.begin(machine, now, *here)
            if continuation.go_on(machine, there, any_rank, any_rank) != DONE:
                return None
            nodes[d] = machine.here.q.copy(), machine.here.v.copy(), machine.here.a.copy()
        here, now = nodes[d], there
    return nodes


def _polynomial(machine: Machine, middle: float, step: float, nodes: dict[int, State]) -> KroghInterpolator:
    """The polynomial with the value, slope and curvature of every node: of coordinates, as they are numbers."""
    times = np.repeat([middle + d * step for d in sorted(nodes)], 3)
    values = []
    for _, (q, v, a) in sorted(nodes.items()):
        slope, curvature = np.zeros((2, q.size))
        rates(machine.manifold, q, v, slope)
        accelerations(machine.manifold, q, v, a, curvature)
        values += [q, slope, curvature]
    return KroghInterpolator(times, np.stack(values))
