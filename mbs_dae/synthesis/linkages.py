"""Describe planar linkages of one loop by complex numbers: a crank, a coupler, and the guide of the coupler's other
end.

A crank of length a turns about O; the coupler is pinned to it at A, and its point B, at the distance b from A, is
guided: on a circle about D (a rocker of length c: the four-bar), or on a line (a slider: the slider-crank). With θ the
angle of the crank and γ that of the coupler

    A = O + a e^{iθ},     B = A + b e^{iγ},     P = A + p e^{iγ},

where p is the place of the coupler point P in the coupler: along it and, times i, across it. All numbers may be arrays
that broadcast, so that one object holds many linkages.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from ..public_class import PublicClass

Kind = Literal["four-bar", "slider-crank"]


def dot(u: Any, v: Any) -> Any:
    """Return the scalar product of two vectors."""
    return (np.conj(u) * v).real


def turn(angle: Any) -> Any:
    return np.exp(1j * np.asarray(angle))


class CrankRange(NamedTuple):
    """The range of the crank: the angles θ with low ≤ cos(θ - axis) ≤ high."""

    axis: Any
    low: Any
    high: Any


@dataclass(frozen=True)
class Circle:
    """The guide of a four-bar: B stays at the distance c from D, on a rocker."""

    D: Any
    c: Any

    kind: ClassVar[Kind] = "four-bar"
    count: ClassVar[int] = 3

    def close(self, A: Any, b: Any, sign: Any) -> Any:
        """Return the angle of the coupler in the triangle A, B, D; with sign 1, B is left of the line from A to D."""
        f = self.D - A
        side = np.abs(f)
        return np.angle(f) + sign * np.arccos((side**2 + b**2 - self.c**2) / (2 * b * side))

    def normal(self, B: Any) -> Any:
        """Return the unit vector from D to B, at right angles to the motion of B."""
        return (B - self.D) / np.abs(B - self.D)

    def slopes(self, B: Any) -> list[Any]:
        """Return the derivatives of the distance of B from the guide, |B - D| - c, by Dx, Dy and c."""
        normal = self.normal(B)
        return [-normal.real, -normal.imag, -np.ones_like(normal.real)]

    def limits(self, O: Any, a: Any, b: Any) -> CrankRange:
        """Return the range of the crank: the distance from A to D is at least |b - c| and at most b + c."""
        d = np.abs(self.D - O)
        low, high = ((a**2 + d**2 - f**2) / (2 * a * d) for f in (b + self.c, b - self.c))
        return CrankRange(np.angle(self.D - O), low, high)

    def follower(self, B: Any) -> Any:
        """Return the motion of the follower: the angle of the rocker."""
        return np.angle(B - self.D)

    def follower_gradient(self, B: Any) -> Any:
        """Return the gradient of the rocker's angle by B, as a complex number."""
        return 1j * (B - self.D) / np.abs(B - self.D) ** 2

    def moved(self, offset: complex, factor: complex) -> Circle:
        """Return the circle turned and stretched by `factor` about the origin, then shifted by `offset`."""
        return Circle(offset + factor * self.D, np.abs(factor) * self.c)

    def numbers(self) -> list[Any]:
        return [np.real(self.D), np.imag(self.D), self.c]


@dataclass(frozen=True)
class SliderGuide:
    """The guide of a slider-crank: B stays on the line of the direction `angle` at the distance h from the origin,
    which is on the right of the line if h > 0."""

    h: Any
    angle: Any

    kind: ClassVar[Kind] = "slider-crank"
    count: ClassVar[int] = 2

    def close(self, A: Any, b: Any, sign: Any) -> Any:
        """Return the angle of the coupler; with sign 1, B is ahead of A in the direction of the line."""
        lean = np.arcsin((self.h - dot(1j * turn(self.angle), A)) / b)
        return self.angle + np.where(np.asarray(sign) > 0, lean, np.pi - lean)

    def normal(self, B: Any) -> Any:
        return 1j * turn(self.angle) * np.ones_like(B)

    def slopes(self, B: Any) -> list[Any]:
        """Return the derivatives of the distance of B from the guide, n·B - h with n = i e^{i angle}, by h and the
        angle."""
        normal = self.normal(B)
        return [-np.ones_like(normal.real), dot(1j * normal, B)]

    def limits(self, O: Any, a: Any, b: Any) -> CrankRange:
        """Return the range of the crank: the distance of A from the line is at most b."""
        normal = 1j * turn(self.angle)
        low, high = ((self.h - dot(normal, O) + side) / a for side in (-b, b))
        return CrankRange(np.angle(normal), low, high)

    def follower(self, B: Any) -> Any:
        """Return the motion of the follower: the place of the slider along the line."""
        return dot(turn(self.angle), B)

    def follower_gradient(self, B: Any) -> Any:
        return turn(self.angle) * np.ones_like(B)

    def moved(self, offset: complex, factor: complex) -> SliderGuide:
        angle = self.angle + np.angle(factor)
        return SliderGuide(np.abs(factor) * self.h + dot(1j * turn(angle), offset), angle)

    def numbers(self) -> list[Any]:
        return [self.h, self.angle]


class LinkagePose(NamedTuple):
    """The points and angles of a linkage in a pose; nan if the linkage does not close."""

    A: Any
    B: Any
    P: Any
    gamma: Any
    drive: Any
    """The sine of the angle between the coupler and the link it pushes (for a slider, the normal of its line): zero at
    dead points of the crank, with the sign of the pose."""


@dataclass(frozen=True)
class Linkage(metaclass=PublicClass):
    """A four-bar or a slider-crank: its lengths, its pivots and its coupler point, in the letters of the textbook.

    >>> found = mbs.synthesize_motion([(0, 0, 0), (1, 0.2, 0.3), (1.8, 0, 0.6)], fixed=[(0, -1), (1, -1)])
    >>> linkage = found.best.linkage
    >>> isinstance(linkage, mbs.Linkage)
    True
    >>> linkage.kind, linkage.O, linkage.guide.D, round(linkage.a, 6)
    ('four-bar', -1j, (1-1j), 1.592516)
    """

    O: Any
    """The pivot of the crank. Points are complex numbers, x + iy."""
    a: Any
    """The length of the crank."""
    b: Any
    """The length of the coupler, from A to B."""
    guide: Circle | SliderGuide
    """The guide of B: a circle about D with the rocker's length c, or a line."""
    p: Any = 0j
    """The coupler point from A, along the coupler and, times i, across it."""

    @property
    def kind(self) -> Kind:
        """The guide of B: "four-bar" or "slider-crank"."""
        return self.guide.kind

    def pose(self, theta: Any, sign: Any) -> LinkagePose:
        """Return the places of all points with the crank at theta, on the branch of this sign."""
        with np.errstate(invalid="ignore", divide="ignore"):
            A = self.O + self.a * turn(theta)
            gamma = self.guide.close(A, self.b, sign)
            along = turn(gamma)
            B = A + self.b * along
            return LinkagePose(A, B, A + self.p * along, gamma, dot(self.guide.normal(B), 1j * along))

    def limits(self) -> CrankRange:
        """The range of the crank: low ≤ cos(θ - axis) ≤ high."""
        return self.guide.limits(self.O, self.a, self.b)

    def moved(self, offset: complex, factor: complex) -> Linkage:
        """Return the linkage turned and stretched by `factor` about the origin, then shifted."""
        size = np.abs(factor)
        return Linkage(
            offset + factor * self.O, size * self.a, size * self.b, self.guide.moved(offset, factor), size * self.p
        )

    def plain(self) -> Linkage:
        """Return the linkage with plain Python numbers."""
        guide = self.guide
        plain_guide = (
            Circle(complex(guide.D), float(guide.c))
            if isinstance(guide, Circle)
            else SliderGuide(*map(float, guide.numbers()))
        )
        return Linkage(complex(self.O), float(self.a), float(self.b), plain_guide, complex(self.p))

    def numbers(self) -> np.ndarray:
        """Return the unknowns along the last axis: Ox, Oy, a, b, those of the guide, and the coupler point."""
        crank = [np.real(self.O), np.imag(self.O), self.a, self.b]
        point = [np.real(self.p), np.imag(self.p)]
        return np.stack(np.broadcast_arrays(*crank, *self.guide.numbers(), *point), axis=-1).astype(float)


def linkage_of(kind: Kind, numbers: np.ndarray) -> Linkage:
    """Return the linkage of unknowns, which are along the last axis."""
    Ox, Oy, a, b, *rest, px, py = np.moveaxis(numbers, -1, 0)
    guide = Circle(rest[0] + 1j * rest[1], rest[2]) if kind == "four-bar" else SliderGuide(*rest)
    return Linkage(Ox + 1j * Oy, a, b, guide, px + 1j * py)


def size_of(kind: Kind) -> int:
    """Return the number of unknowns of a linkage."""
    return 6 + (Circle.count if kind == "four-bar" else SliderGuide.count)


def slopes(linkage: Linkage, theta: Any, pose: LinkagePose) -> tuple[Any, Any, Any]:
    """Return the derivatives of A, of e^{iγ} and of γ by all numbers of the linkage and, last, by θ.

    B = A + b e^{iγ} stays on its guide, whose distance g(B) has the gradient n (its unit normal):
    n·(dA + db e^{iγ} + i b e^{iγ} dγ) + dg = 0 gives dγ, whose factor b n·(i e^{iγ}) vanishes at dead points only.
    """
    along = turn(pose.gamma)
    zero, spin = np.zeros_like(along), turn(theta) * np.ones_like(along)
    guide = linkage.guide.slopes(pose.B)
    dA = np.stack([zero + 1, zero + 1j, spin, zero, *[zero] * (len(guide) + 2), 1j * linkage.a * spin], axis=-1)
    normal = linkage.guide.normal(pose.B)
    off = dot(normal[..., None], dA)
    off[..., 3] = dot(normal, along)  # derivative by b
    for k, slope in enumerate(guide):
        off[..., 4 + k] = slope
    with np.errstate(divide="ignore", invalid="ignore"):
        dgamma = -off / (linkage.b * pose.drive)[..., None]
    return dA, 1j * along[..., None] * dgamma, dgamma
