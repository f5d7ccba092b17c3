"""Boxes of poses about one in their middle, and motions between two poses.

A pose near q̂ has one coordinate u for each velocity: places and angles of the plane are q̂ + u, an attitude in space
is

    e = ê ∘ (1, w/2),        ω = (ẇ - ½ w × ẇ) / (1 + |w|²/4),

where e need not have unit length, since A(e) normalises (`coordinates.cartesian`). The chart reaches each attitude less
than half a turn away exactly once, e and -e alike. So a pose is a zero of as many equations as there are velocities,
with the Jacobian

    Φ_u = Φ_v T(w),          T = (1 - ½ ŵ) / (1 + |w|²/4),

and no equation of unit length is needed. A row j of Φ_ω becomes (j - ½ j × w) / (1 + |w|²/4).

Turns, which are counted in addition to attitudes, keep their values at q̂.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..coordinates import Layout
from .intervals import Bounds, Interval, hull, interval

Three = tuple[Interval, Interval, Interval]


def cross(a: Three, b: Three) -> Three:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def dot(a: Three, b: Three) -> Interval:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def box_about(layout: Layout, q: Interval, radius: Bounds) -> Interval:
    """Enclose all poses with |u| ≤ radius about q: q is (coordinates, lanes), the radius (velocities, lanes)."""
    lower, upper = q.lower.copy(), q.upper.copy()
    places, columns = layout.plain.T
    moved = q[places] + Interval(-radius[columns], radius[columns])
    lower[places], upper[places] = moved.lower, moved.upper
    if layout.quaternions.size:
        first, columns = layout.quaternions.T
        half = [Interval(-radius[columns + k], radius[columns + k]).scaled(0.5) for k in range(3)]
        for k, part in enumerate(product(tuple(q[first + k] for k in range(4)), half)):
            lower[first + k], upper[first + k] = part.lower, part.upper
    return Interval(lower, upper)


def product(e: tuple[Interval, ...], h: list[Interval]) -> list[Interval]:
    """Return the product e ∘ (1, h) of Euler parameters."""
    vector: Three = (e[1], e[2], e[3])
    turned = cross(vector, (h[0], h[1], h[2]))
    return [
        e[0] - dot(vector, (h[0], h[1], h[2])),
        *(a + e[0] * b + c for a, b, c in zip(vector, h, turned, strict=True)),
    ]


def by_small_motions(layout: Layout, jacobian: Interval, radius: Bounds) -> Interval:
    """Return Φ_u over the box |u| ≤ radius from Φ_v: (lanes, rows, columns)."""
    if not layout.quaternions.size or not radius.any():
        return jacobian
    lower, upper = jacobian.lower.copy(), jacobian.upper.copy()
    for column in layout.quaternions[:, 1]:
        bound = radius[column : column + 3].T[:, None, :]  # (lanes, 1, 3)
        w1, w2, w3 = (Interval(-bound[..., k], bound[..., k]) for k in range(3))
        w: Three = w1, w2, w3
        row: Three = jacobian[..., column], jacobian[..., column + 1], jacobian[..., column + 2]
        shrunk = 1 / (1.0 + (w[0] ** 2 + w[1] ** 2 + w[2] ** 2).scaled(0.25))
        for k, part in enumerate(cross(row, w)):
            product = (row[k] - part.scaled(0.5)) * shrunk
            lower[..., column + k], upper[..., column + k] = product.lower, product.upper
    return Interval(lower, upper)


@dataclass(frozen=True, eq=False)
class Paths:
    """Curves of coordinates, cubic in time, each through two poses with their velocities. With x = (t - a)/(b - a), D =
    q_b - q_a, and the numbers A, B

        q̂ = q_a + x D + x (1 - x) S,      S = A (1 - x) + B x,      A ≈ h q̇_a - D,      B ≈ D - h q̇_b,

    so that q̂ is q_a and q_b at both ends exactly, however A and B are rounded.
    """

    layout: Layout
    begin: Bounds
    """Coordinates at the beginning, (coordinates, lanes)."""
    end: Bounds
    a: Bounds
    b: Bounds
    h: Interval

    @property
    def step(self) -> Interval:
        return interval(self.end) - interval(self.begin)

    def middle(self) -> tuple[Interval, Interval]:
        """Return q̂ and its velocity in the middle of the time span."""
        half = (interval(self.begin) + interval(self.end)).scaled(0.5)
        q = half + (interval(self.a) + interval(self.b)).scaled(0.125)
        rate = self.step + (interval(self.b) - interval(self.a)).scaled(0.25)
        return q, self._velocity(q, rate)[0]

    def all(self) -> tuple[Interval, Interval, Interval]:
        """Enclose q̂, its velocities and its accelerations over the whole curve."""
        unit = np.ones_like(self.begin)
        bent, change = hull(interval(self.a), interval(self.b)), interval(self.b) - interval(self.a)
        q = interval(self.begin) + Interval(0.0 * unit, unit) * self.step + Interval(0.0 * unit, 0.25 * unit) * bent
        both = Interval(-unit, unit)
        rate = self.step + both * bent + Interval(0.0 * unit, 0.25 * unit) * change
        second = bent.scaled(-2.0) + both * change.scaled(2.0)
        v, acceleration = self._velocity(q, rate, second)
        return q, v, acceleration

    def _velocity(self, q: Interval, rate: Interval, second: Interval | None = None) -> tuple[Interval, ...]:
        """Return v from q̇ = N v, with ω = 2 vec(ē ∘ ė)/|e|² in body axes; with the second derivative also v̇, where ω̇
        comes from ë less the share of the growth of |e|."""
        count, lanes = int(self.layout.v_size), q.shape[1]
        bounds = [(np.zeros((count, lanes)), np.zeros((count, lanes))) for _ in range(1 if second is None else 2)]
        rates = [rate / self.h] if second is None else [rate / self.h, second / (self.h * self.h)]
        places, columns = self.layout.plain.T
        for (lower, upper), x in zip(bounds, rates, strict=True):
            lower[columns], upper[columns] = x.lower[places], x.upper[places]
        if self.layout.quaternions.size:
            first, columns = self.layout.quaternions.T
            e, de = ([x[first + k] for k in range(4)] for x in (q, rates[0]))
            square = e[0] ** 2 + e[1] ** 2 + e[2] ** 2 + e[3] ** 2
            omega = [x.scaled(2.0) / square for x in vector_of_product(e, de)]
            angular = [omega]
            if second is not None:
                growth = sum((a * b for a, b in zip(e[1:], de[1:], strict=True)), e[0] * de[0]).scaled(2.0) / square
                bend = vector_of_product(e, [rates[1][first + k] for k in range(4)])
                angular.append([x.scaled(2.0) / square - w * growth for x, w in zip(bend, omega, strict=True)])
            for (lower, upper), three in zip(bounds, angular, strict=True):
                for k, x in enumerate(three):
                    lower[columns + k], upper[columns + k] = x.lower, x.upper
        return tuple(Interval(lower, upper) for lower, upper in bounds)


def vector_of_product(e: list[Interval], f: list[Interval]) -> list[Interval]:
    """Return the vector part of ē ∘ f: e₀ f - f₀ e - e × f."""
    turned = cross((e[1], e[2], e[3]), (f[1], f[2], f[3]))
    return [e[0] * f[k + 1] - f[0] * e[k + 1] - turned[k] for k in range(3)]


def paths_between(
    layout: Layout, t: tuple[Bounds, Bounds], q: tuple[Bounds, Bounds], v: tuple[Bounds, Bounds]
) -> Paths:
    """Return the curves from poses q[0] at t[0] with velocities v[0] to q[1], t[1], v[1]; q is (coordinates, lanes)."""
    h = t[1] - t[0]
    begin, end = q[0], q[1].copy()
    rates = [rates_of(layout, *pair) for pair in zip((begin, end), v, strict=True)]
    for first in layout.quaternions[:, 0]:
        quaternion = slice(first, first + 4)  # e and -e are one attitude
        other = np.sign((begin[quaternion] * end[quaternion]).sum(axis=0)) < 0
        end[quaternion] = np.where(other, -end[quaternion], end[quaternion])
        rates[1][quaternion] = np.where(other, -rates[1][quaternion], rates[1][quaternion])
    step = end - begin
    return Paths(layout, begin, end, h * rates[0] - step, step - h * rates[1], interval(t[1]) - interval(t[0]))


def rates_of(layout: Layout, q: Bounds, v: Bounds) -> Bounds:
    """Return q̇ = N v in double numbers."""
    out = np.zeros_like(q)
    for pairs, count in ((layout.plain, 1), (layout.turns, 3)):
        for to, at in pairs:
            out[to : to + count] = v[at : at + count]
    for to, at in layout.quaternions:
        e0, e, w = q[to], q[to + 1 : to + 4], v[at : at + 3]
        out[to] = -0.5 * (e * w).sum(axis=0)
        out[to + 1 : to + 4] = 0.5 * (e0 * w + np.cross(e, w, axis=0))
    return out
