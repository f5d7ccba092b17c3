"""R of bodies as expressions of θ: the code of `axes` and `table`, run on symbols.

The poses are those of the tree at θ. With T the frame of a body (a rotation and a place), N and F those of the markers
on the parent and on the child, and μ the motions of the joint, one after the other,

    T_child = T_parent N μ F⁻¹;        where the child has the first marker μ⁻¹ stands for μ.

Then Ṙ = Σ ∂R/∂θ_k θ̇_k; of a ball, whose θ is a unit quaternion e, the rates are ė = ½ e ∘ (0, ω).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from ...graph.topology import Topology
from ...graph.tree import Edge
from ...model.bodies.body import Body
from ...model.joints.motions import Ball
from ...rotations import about_z, from_quaternion, quaternion_rates
from ...symbolic.tidy import exact, tidy
from .axes import ORIGIN, Frame, on_body, shares, tree_axes, turn_of
from .matrices import VelocityTransformation
from .names import body_names, column_names
from .table import Rows, assembled, point_block, turning_block

LONG = 300
"""Expressions of more operations are left as they come."""


def in_theta(topology: Topology) -> VelocityTransformation:
    """θ_1 is the coordinate of edge 1; where it has several, θ_1^1, θ_1^2, ..."""
    theta, rates, units = _symbols(topology)
    frames = _poses(topology, theta)
    axes = tree_axes(topology, frames, theta, [sp.S.Zero] * len(rates), exact)
    size = 3 * (topology.ground.dimension - 1)
    shape = size * len(topology.bodies), len(rates)
    R = sp.Matrix(assembled(topology.secondary_path_matrix, axes, _bodies(topology, frames), shape)[0])
    R = R.applyfunc(lambda e: _short(e, units))
    slopes = _slopes(topology, theta, rates)
    dR = sp.zeros(*shape)
    for symbol, slope in zip(theta, slopes, strict=True):
        dR += R.diff(symbol) * slope
    return VelocityTransformation(
        R=R.as_immutable(),
        Rdot=dR.applyfunc(lambda e: _short(e, units)).as_immutable(),
        rows=tuple(name for body in topology.bodies for name in body_names(body)),
        columns=column_names(topology),
        topology=topology,
        theta=theta,
        rates=rates,
    )


def _symbols(topology: Topology) -> tuple[tuple[sp.Symbol, ...], tuple[sp.Symbol, ...], dict[sp.Expr, sp.Expr]]:
    """θ, θ̇, and that quaternions are of unit length."""
    theta: list[sp.Symbol] = []
    rates: list[sp.Symbol] = []
    units: dict[sp.Expr, sp.Expr] = {}
    for j, edge in enumerate(topology.edges, start=1):
        many = len(edge.motions) > 1
        for k, motion in enumerate(edge.motions, start=1):
            if isinstance(motion, Ball):
                e = sp.symbols(f"e0:4_{j}", real=True)
                theta += e
                rates += sp.symbols(f"omega1:4_{j}", real=True)
                units[sum(x**2 for x in e)] = sp.S.One
            else:
                label = f"{j}__{k}" if many else f"{j}"
                theta.append(sp.Symbol(f"theta_{label}", real=True))
                rates.append(sp.Symbol(f"thetadot_{label}", real=True))
    return tuple(theta), tuple(rates), units


def _slopes(topology: Topology, theta: Any, rates: Any) -> Iterator[sp.Expr]:
    """How θ changes."""
    q = v = 0
    for edge in topology.edges:
        for motion in edge.motions:
            if isinstance(motion, Ball):
                yield from quaternion_rates(sp.Matrix(theta[q : q + 4]), sp.Matrix(rates[v : v + 3]))
                q, v = q + 4, v + 3
            else:
                yield rates[v]
                q, v = q + 1, v + 1


class _Way(NamedTuple):
    """From one frame to another; in the plane the angle, too, for angles add up, and their sums stay short."""

    r: np.ndarray
    A: np.ndarray
    angle: sp.Expr

    def then(self, other: _Way) -> _Way:
        angle = self.angle + other.angle
        A = self.A @ other.A if angle is sp.nan else np.array(about_z(angle))
        return _Way(self.r + self.A @ other.r, A, angle)

    def back(self) -> _Way:
        return _Way(-self.A.T @ self.r, self.A.T, -self.angle)


def _poses(topology: Topology, theta: Any) -> dict[Body, Frame]:
    plane, q = topology.ground.dimension == 2, 0
    start = _Way(ORIGIN, np.eye(3, dtype=int), sp.S.Zero if plane else sp.nan)  # in space no angle adds up
    places = {topology.ground: start}
    for edge in topology.edges:
        moved = start
        for motion in edge.motions:
            width = 4 if isinstance(motion, Ball) else 1
            moved = moved.then(_motion(motion, edge, theta[q : q + width], plane))
            q += width
        near, far = (start, start) if edge.floating else (_marker(marker, plane) for marker in edge.joint.markers)
        if edge.reversed:
            near, moved, far = far, moved.back(), near
        places[edge.child] = places[edge.parent].then(near).then(moved).then(far.back())
    return {body: Frame(way.r, way.A, ORIGIN, ORIGIN) for body, way in places.items()}


def _motion(motion: Any, edge: Edge, theta: Any, plane: bool) -> _Way:
    if isinstance(motion, Ball):
        return _Way(ORIGIN, np.array(_rotation(theta)), sp.nan)
    T, S, phase = shares(motion, edge, exact)
    way = (phase + S * theta[0]) * np.eye(3, dtype=int)[motion.axis]
    return _Way(way, turn_of(motion, theta[0]), T * theta[0] if plane else sp.nan)


def _marker(marker: Any, plane: bool) -> _Way:
    return _Way(*on_body(marker, exact), exact(marker.angle) if plane else sp.nan)


def _rotation(e: Any) -> sp.Matrix:
    """Of a quaternion of unit length."""
    return sp.Matrix(from_quaternion(e)).applyfunc(sp.together).subs(sum(x**2 for x in e), 1)


def _bodies(topology: Topology, frames: dict[Body, Frame]) -> Iterator[Rows]:
    dimension = topology.ground.dimension
    entries = range(3) if dimension == 3 else [2]
    for number, body in enumerate(topology.bodies, start=1):
        first = 3 * (dimension - 1) * (number - 1)
        places = range(first, first + 3 * (dimension - 1))
        yield Rows(number, frames[body], point_block, ORIGIN, places[:dimension], range(dimension))
        yield Rows(number, frames[body], turning_block, ORIGIN, places[dimension:], entries)


def _short(e: Any, units: dict[sp.Expr, sp.Expr]) -> sp.Expr:
    """Tidied where that is quick."""
    e = exact(e)
    return tidy(e).subs(units) if sp.count_ops(e) < LONG else e
