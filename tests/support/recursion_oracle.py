"""What the recursion along a tree is compared with. Nothing here is shared with the package but the words of joints.

1. `Chain`: a tree of bodies on single pins, in *explicit* form: every angular velocity, every place, every acceleration
   as one sum over the joints on the way from the root. The equations are those of "Kinematics of MBS" (Concurrent
   Dynamics International, June 2017), in its notation: C attitudes, g pin axes, η joints, r̄ centres of mass, d from
   joint to joint, s from joint to centre, α ≤ i the joints on the way to body i.
2. `poses`: a tree of any joints as a product of 4 x 4 matrices, analytic in its coordinates: a complex step gives
   derivatives without differences.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mbs_dae.graph.topology import Topology
from mbs_dae.model.joints.motions import Ball, Helix, Slide

# --- sums along a tree of pins ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Chain:
    """Body i (1, 2, ...; no body before its parent) turns about g[i], in its own axes, against body parent[i]; 0 is the
    ground. C0[i] is its attitude against the parent at angle 0; d[i], in the parent's axes, leads from the parent's
    joint to its own (from the origin, on the ground), s[i], in its own axes, from its joint to its centre of mass."""

    parent: list[int]
    C0: list[np.ndarray]
    g: list[np.ndarray]
    d: list[np.ndarray]
    s: list[np.ndarray]

    def way(self, i: int) -> list[int]:
        """α ≤ i."""
        return [*self.way(self.parent[i]), i] if i else []

    def motion(self, theta, rate, acceleration) -> Motion:
        """Eqs. 1, 2, 5, 6, 9, 12, 13, 16, 19, 20.

        Three things about reading the printed sums:
        - Where ω₁, η̇₁, ω̇₁ stand before a sum, the root's own joint is in them: the sum begins behind it. Here the
          ground is the root, which does not move, and all sums begin with the first pin.
        - The last term of eq. 16 is printed as ω_ip × g_i θ̇_i under a sum over α. It belongs to joint α, as in eq. 19:
          ω_αp × g_α θ̇_α; only so does the sum equal the recursion, eq. 15.
        - d_i is fixed in the parent, s_i in body i.
        """
        n = len(self.parent)
        C: list = [np.eye(3)] * n
        for i in range(1, n):
            axis = self.g[i]
            turned = (1 - np.cos(theta[i])) * np.outer(axis, axis) + np.cos(theta[i]) * np.eye(3)
            C[i] = C[self.parent[i]] @ self.C0[i] @ (turned + np.sin(theta[i]) * skew(axis))
        g = [C[i] @ self.g[i] for i in range(n)]
        d = [C[self.parent[i]] @ self.d[i] for i in range(n)]
        s = [C[i] @ self.s[i] for i in range(n)]
        zero = np.zeros(3)
        ways = [self.way(i) for i in range(n)]
        eta = [sum((d[a] for a in way), zero) for way in ways]
        r = [eta[i] + s[i] for i in range(n)]
        spin = [g[a] * rate[a] for a in range(n)]
        omega = [sum((spin[a] for a in way), zero) for way in ways]
        deta = [sum((np.cross(spin[a], eta[i] - eta[a]) for a in way[:-1]), zero) for i, way in enumerate(ways)]
        dr = [sum((np.cross(spin[a], r[i] - eta[a]) for a in way), zero) for i, way in enumerate(ways)]
        change = [g[a] * acceleration[a] + np.cross(omega[self.parent[a]], spin[a]) for a in range(n)]
        domega = [sum((change[a] for a in way), zero) for way in ways]

        def second(a, place, velocity):
            return np.cross(change[a], place - eta[a]) + np.cross(spin[a], velocity - deta[a])

        ddeta = [sum((second(a, eta[i], deta[i]) for a in way[:-1]), zero) for i, way in enumerate(ways)]
        ddr = [sum((second(a, r[i], dr[i]) for a in way), zero) for i, way in enumerate(ways)]
        return Motion(C, eta, r, omega, deta, dr, domega, ddeta, ddr)

    def turning_as_printed(self, motion: Motion, theta, rate, acceleration, i: int) -> np.ndarray:
        """ω̇_i by eq. 16 to the letter, its last term with the index i."""
        g = [motion.C[a] @ self.g[a] for a in range(len(self.parent))]
        own = np.cross(motion.omega[self.parent[i]], g[i] * rate[i])
        return sum((g[a] * acceleration[a] + own for a in self.way(i)), np.zeros(3))


@dataclass(frozen=True)
class Motion:
    C: list
    eta: list
    r: list
    omega: list
    deta: list
    dr: list
    domega: list
    ddeta: list
    ddr: list

    def point(self, i: int, p: np.ndarray) -> tuple[np.ndarray, ...]:
        """Place, velocity, acceleration of a point p on body i, from its joint in its own axes: eqs. 21-24."""
        arm = self.C[i] @ p
        w = self.omega[i]
        return (
            self.eta[i] + arm,
            self.deta[i] + np.cross(w, arm),
            self.ddeta[i] + np.cross(self.domega[i], arm) + np.cross(w, np.cross(w, arm)),
        )

    def direction(self, i: int, u: np.ndarray) -> tuple[np.ndarray, ...]:
        """A unit vector on body i, its first and its second derivative: eqs. 25-27."""
        u, w = self.C[i] @ u, self.omega[i]
        return u, np.cross(w, u), np.cross(self.domega[i], u) + np.cross(w, np.cross(w, u))


def skew(a: np.ndarray) -> np.ndarray:
    return np.array([[0 * a[0], -a[2], a[1]], [a[2], 0 * a[0], -a[0]], [-a[1], a[0], 0 * a[0]]])


# --- products of matrices along any tree -------------------------------------------------------------------------


def poses(topology: Topology, number, q: np.ndarray) -> dict[str, np.ndarray]:
    """The 4 x 4 matrix of each body, by name, at these coordinates: T_j = T_i μ₁ μ₂ ... along every joint."""
    found = {topology.ground.name: np.eye(4, dtype=complex)}
    at = 0
    for edge in topology.edges:
        moved = np.eye(4, dtype=complex)
        for motion in edge.motions:
            size = 4 if isinstance(motion, Ball) else 1
            moved = moved @ _elementary(motion, q[at : at + size], edge.joint, number)
            at += size
        first, second = (
            (np.eye(4), np.eye(4)) if edge.joint is None else (_marker(m, number) for m in edge.joint.markers)
        )
        over = first @ moved @ np.linalg.inv(second)
        found[edge.child.name] = found[edge.parent.name] @ (np.linalg.inv(over) if edge.reversed else over)
    return found


def shifted(topology: Topology, q: np.ndarray, step: np.ndarray) -> np.ndarray:
    """The coordinates after a small motion, given like a velocity; to second order in it."""
    q, at, of = q.astype(complex), 0, 0
    for motion in (m for edge in topology.edges for m in edge.motions):
        if isinstance(motion, Ball):
            x, y, z = step[of : of + 3] / 2
            turn = np.array([[1, -x, -y, -z], [x, 1, z, -y], [y, -z, 1, x], [z, y, -x, 1]])  # from the right
            e = turn @ q[at : at + 4]
            q[at : at + 4] = e / np.sqrt(np.sum(e**2))
            at, of = at + 4, of + 3
        else:
            q[at] += step[of]
            at, of = at + 1, of + 1
    return q


def _elementary(motion, x, joint, number) -> np.ndarray:
    T = np.eye(4, dtype=complex)
    if isinstance(motion, Ball):
        w, n = x[0], skew(x[1:])
        T[:3, :3] += 2 * (w * n + n @ n) / np.sum(x**2)
        return T
    axis = np.eye(3)[motion.axis]
    if isinstance(motion, Slide):
        T[:3, 3] = axis * x[0]
        return T
    T[:3, :3] += np.sin(x[0]) * skew(axis) + (1 - np.cos(x[0])) * skew(axis) @ skew(axis)
    if isinstance(motion, Helix):
        T[:3, 3] = axis * (number(joint.values["phase"]) + number(joint.values["pitch"]) * x[0] / (2 * np.pi))
    return T


def _marker(marker, number) -> np.ndarray:
    T = np.eye(4)
    T[: marker.body.dimension, 3] = [number(n) for n in marker.point]
    if marker.body.dimension == 3:
        T[:3, :3] = [[number(n) for n in row] for row in marker.axes]
    else:
        c, s = np.cos(number(marker.angle)), np.sin(number(marker.angle))
        T[:2, :2] = [[c, -s], [s, c]]
    return T
