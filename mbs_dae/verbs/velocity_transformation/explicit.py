"""R of bodies as expressions of θ.

The poses are those of the tree at θ. T is the frame of a body (a rotation and a position), N and F are the frames of
the markers on the parent and on the child, and μ are the motions of the joint, one after the other:

    T_child = T_parent N μ F⁻¹;        if the child has the first marker, μ⁻¹ replaces μ.

Along the way, angular velocities in the axes of the present frame follow by ω = A₂ᵀ ω₁ + ω₂, velocities of points by
differentiation, ṙ = ∂r/∂θ θ̇ (for a ball, whose θ is a unit quaternion e, the rates are ė = ½ e ∘ (0, ω)). Then

    R = ∂(ṙ, ω)/∂θ̇,        Ṙ = Σ ∂R/∂θ_k θ̇_k.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import tau
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from ...graph.topology import Topology
from ...graph.tree import Edge
from ...model.bodies.body import Body
from ...model.joints.motions import Ball, Elementary, Helix, Slide
from ...rotations import about_x, about_y, about_z, from_quaternion, quaternion_rates
from ...symbolic.expressions import exact, tidy
from .matrices import VelocityTransformation, body_names, column_names
from .pose import on_body

LONG = 300  # expressions with more operations are not simplified
ZERO, ONE = np.zeros(3, dtype=int), np.eye(3, dtype=int)


class _Freedom(NamedTuple):
    """A motion of a joint, with its coordinates and velocities."""

    motion: Elementary
    theta: tuple[sp.Symbol, ...]
    rates: tuple[sp.Symbol, ...]

    @property
    def slopes(self) -> tuple[sp.Expr, ...]:
        """The derivatives of θ by time."""
        ball = isinstance(self.motion, Ball)
        return tuple(quaternion_rates(*map(sp.Matrix, (self.theta, self.rates)))) if ball else self.rates


class _Displacement(NamedTuple):
    """The displacement from one frame to another: a shift in the axes of the first frame, a rotation, and the angular
    velocity in the axes of the second. In the plane it includes the angle, since sums of angles stay short; in space
    the angle is nan."""

    r: np.ndarray
    A: np.ndarray
    angle: sp.Expr
    omega: np.ndarray

    def then(self, other: _Displacement) -> _Displacement:
        angle = self.angle + other.angle
        A = self.A @ other.A if angle is sp.nan else np.array(about_z(angle))
        return _Displacement(self.r + self.A @ other.r, A, angle, other.A.T @ self.omega + other.omega)

    def inverse(self) -> _Displacement:
        return _Displacement(-self.A.T @ self.r, self.A.T, -self.angle, -self.A @ self.omega)


def in_theta(topology: Topology) -> VelocityTransformation:
    """Return R and Ṙ as expressions. θ_1 is the coordinate of edge 1; an edge with several coordinates has θ_1^1,
    θ_1^2, ..."""
    freedoms = {edge: [*_freedoms(edge, number)] for number, edge in enumerate(topology.edges, start=1)}
    moving = [freedom for of_edge in freedoms.values() for freedom in of_edge]
    theta, rates, slopes = ([x for f in moving for x in getattr(f, part)] for part in ("theta", "rates", "slopes"))
    units = {sum(e**2 for e in f.theta): sp.S.One for f in moving if isinstance(f.motion, Ball)}

    def short(e: sp.Expr) -> sp.Expr:
        """Return the expression simplified, if it is short enough to simplify quickly."""
        e = exact(e)
        return tidy(e).subs(units) if sp.count_ops(e) < LONG else e

    poses, dimension = _poses(topology, freedoms), topology.ground.dimension
    velocities: list[sp.Expr] = []
    for body in topology.bodies:
        r, omega = poses[body].r[:dimension], poses[body].omega
        velocities += sp.Matrix(r).jacobian(theta) * sp.Matrix(slopes)
        velocities += [*omega] if dimension == 3 else [omega[2]]
    R = sp.Matrix(velocities).jacobian(rates).applyfunc(short)
    dR = sp.zeros(*R.shape)
    for symbol, slope in zip(theta, slopes, strict=True):
        dR += R.diff(symbol) * slope
    return VelocityTransformation(
        R=R.as_immutable(),
        Rdot=dR.applyfunc(short).as_immutable(),
        rows=tuple(name for body in topology.bodies for name in body_names(body)),
        columns=column_names(topology),
        topology=topology,
        theta=tuple(theta),
        rates=tuple(rates),
    )


def _freedoms(edge: Edge, number: int) -> Iterator[_Freedom]:
    for k, motion in enumerate(edge.motions, start=1):
        if isinstance(motion, Ball):
            yield _Freedom(motion, *(sp.symbols(f"{name}_{number}", real=True) for name in ("e0:4", "omega1:4")))
        else:
            label = f"{number}__{k}" if len(edge.motions) > 1 else f"{number}"
            yield _Freedom(motion, *((sp.Symbol(f"{name}_{label}", real=True),) for name in ("theta", "thetadot")))


def _poses(topology: Topology, freedoms: Mapping[Edge, Iterable[_Freedom]]) -> dict[Body, _Displacement]:
    plane = topology.ground.dimension == 2
    start = _Displacement(ZERO, ONE, sp.S.Zero if plane else sp.nan, ZERO)
    poses = {topology.ground: start}
    for edge in topology.edges:
        moved = start
        for freedom in freedoms[edge]:
            moved = moved.then(_motion(freedom, edge, start))
        near, far = (start, start) if edge.floating else (_marker(marker, plane) for marker in edge.joint.markers)
        if edge.reversed:
            near, moved, far = far, moved.inverse(), near
        poses[edge.child] = poses[edge.parent].then(near).then(moved).then(far.inverse())
    return poses


def _motion(freedom: _Freedom, edge: Edge, start: _Displacement) -> _Displacement:
    motion, x, axis = freedom.motion, freedom.theta[0], getattr(freedom.motion, "axis", 0)
    if isinstance(motion, Ball):
        turned = sp.Matrix(from_quaternion(freedom.theta)).applyfunc(sp.together)
        turned = turned.subs(sum(x**2 for x in freedom.theta), 1)  # the quaternion has length one
        return start._replace(A=np.array(turned), omega=np.array(freedom.rates))
    if isinstance(motion, Slide):
        return start._replace(r=x * ONE[axis])
    shift = sp.S.Zero
    if isinstance(motion, Helix):
        pitch, phase = (exact(edge.joint.values[name]) for name in (motion.pitch, motion.phase))
        shift = phase + pitch * x / tau
    turned = np.array((about_x, about_y, about_z)[axis](x))
    return _Displacement(shift * ONE[axis], turned, start.angle + x, freedom.rates[0] * ONE[axis])


def _marker(marker: Any, plane: bool) -> _Displacement:
    return _Displacement(*on_body(marker, exact), exact(marker.angle) if plane else sp.nan, ZERO)
