"""Cartesian coordinates: every body owns its own coordinates, and so does the ground, whose coordinates never move.

In the plane q = (x, y, φ) of the body's frame, v = q̇. A marker at (s_x, s_y) in body axes, its frame turned by α, is

    p = r + A(φ) s,     u = A(φ) (cos α, sin α),     θ = φ + α.

In space q = (r, e) of the body's frame, e a unit quaternion, and three turns that count whole rotations; v = (ṙ, ω), ω
in body axes. With A(e) the rotation from body axes to those of the world, a marker at s in body axes, with axes a, is

    p = r + ρ,   ρ = A s;     the axes A a;     τ = a_z · (turns of the body)
    ṗ = ṙ + ω_w × ρ,          ω_w = A ω
    p̈ = r̈ - ρ × A ω̇ + ω_w × (ω_w × ρ),         ω̇_w = A ω̇        since A (ω × ω) = 0.

A is divided by |e|², so that it is a rotation even if e, between two steps, is not quite of unit length.
"""

from collections.abc import Sequence
from functools import cache, cached_property
from math import tau
from typing import Any, ClassVar

import numpy as np
import sympy as sp

from ..model.bodies.planar_body import PlanarBody, PlanarPlace
from ..model.bodies.spatial_body import SpatialBody, SpatialPlace
from ..model.model import Model
from ..model.parameters import Evaluator, Number
from ..rotations import quaternion
from ..symbolic.derive import Definition, Inertia, MarkerMap
from ..tolerances import SUM_ROUNDOFF
from .base import KernelCoordinates, Layout, Motion, cartesian_layout


class Cartesian(KernelCoordinates):
    """Cartesian coordinates of a model. The static methods of `PlanarCartesian` and `SpatialCartesian` describe one
    body and need no model."""

    set = "cartesian"
    sharing = False
    q_names: ClassVar[tuple[str, ...]]
    """The names of the coordinates of a body, except turns."""
    v_names: ClassVar[tuple[str, ...]]
    """The names of the velocities of a body."""
    symbols: ClassVar[tuple[tuple[str, ...], tuple[str, ...]]]
    """The symbols of all coordinates of a body, and of its velocities, in printed equations."""
    at_rest: ClassVar[tuple[int, ...]]
    """The coordinates of the ground."""
    turns: ClassVar[tuple[bool, ...]]
    """Whether each velocity is a turn."""
    ones: ClassVar[Any]
    """(label): expressions that are always 1 in `marker_map`, for printing."""
    placement: ClassVar[Any]
    """(body, number): the reference placement of a body as coordinates."""
    whole_turn: ClassVar[Any]
    """(marker, number): the change of the coordinates of a marker's body by a turn of 2π about the marker."""
    masses_of: ClassVar[Any]
    """(body, number): the mass that each velocity of a body moves, while its other turns are free."""
    diagonal_of: ClassVar[Any]
    """(body, number): the mass that each velocity of a body moves, while its other turns are 0."""

    def __init__(self, model: Model):
        self.model = model

    @cached_property
    def layout(self) -> Layout:
        return cartesian_layout([*self.model.bodies.values()], self.model.ground).with_signals(self.model.signals)

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        return tuple(f"{name}.{n}" for name in self.model.bodies for n in self.q_names)

    def all_weights(self, length: float) -> np.ndarray:
        return self.weights_by(length**2)

    def weights_by(self, square: Any) -> np.ndarray:
        """Return the weights of all velocities for a squared length, or for a column of many squared lengths."""
        return np.tile(np.where(self.turns, square, 1.0), len(self.model.bodies) + 1)

    def masses(self, number: Evaluator) -> np.ndarray:
        return np.concatenate([self.masses_of(body, number) for body in self.model.bodies.values()])

    def diagonal(self, number: Evaluator) -> np.ndarray:
        return np.concatenate([self.diagonal_of(body, number) for body in self.model.bodies.values()])

    def from_bodies(self, cartesian: Layout, motion: Motion, number: Evaluator) -> Motion:
        return motion

    to_bodies = from_bodies


class PlanarCartesian(Cartesian):
    name = "planar cartesian"
    q_names = ("x", "y", "phi")
    v_names = ("vx", "vy", "omega")
    symbols = q_names, ("xdot", "ydot", "phidot")
    at_rest = (0, 0, 0)
    turns = (False, False, True)

    @staticmethod
    @cache
    def marker_map(label: str) -> MarkerMap:
        x, y, phi = q = real("x", "y", "phi", end=f"_{label}")
        sx, sy, ca, sa, alpha = slots = real("sx", "sy", "ca", "sa", "alpha", end=f"_{label}")
        c, s = sp.cos(phi), sp.sin(phi)
        values = (x + sx * c - sy * s, y + sx * s + sy * c, ca * c - sa * s, ca * s + sa * c, phi + alpha)
        v = real("vx", "vy", "omega", end=f"_{label}")
        P = sp.Matrix([values[0], values[1], values[4]]).jacobian(q)
        bias = (P * sp.Matrix(v)).jacobian(q) * sp.Matrix(v)
        return MarkerMap(q, v, slots, values, P, bias)

    @staticmethod
    def ones(label: str) -> dict[sp.Expr, sp.Expr]:
        return {}

    @staticmethod
    def marker_slots(marker: PlanarPlace) -> tuple[Number, ...]:
        (cosine, _), (sine, _) = marker.frame
        return marker.x, marker.y, cosine, sine, marker.angle

    @staticmethod
    def placement(body: PlanarBody, number: Evaluator) -> list[float]:
        return [number(n) for n in (*body.position, body.angle)]

    @staticmethod
    def whole_turn(marker: PlanarPlace, number: Evaluator) -> list[float]:
        return [0.0, 0.0, tau]

    @staticmethod
    def masses_of(body: PlanarBody, number: Evaluator) -> tuple[float, ...]:
        mass = number(body.mass)
        return mass, mass, number(body.inertia)

    diagonal_of = masses_of

    @staticmethod
    @cache
    def inertia(form: str) -> Inertia:
        """Return the inertia of a body of mass m, with inertia I about its centre of mass at s = A(φ) c from the
        origin:

            T = ½ m |ṙ + φ̇ s⊥|² + ½ I φ̇²,      U = -m g · (r + s),      s⊥ = (-s_y, s_x).

        M = ∂²T/∂v² is written below. The term m φ̇² s (centripetal), moved to the right, leaves Q = weight + m φ̇² s.
        With the origin in the centre of mass ("centred") M is constant and diagonal.
        """
        own = PlanarCartesian.marker_map("i")
        (x, y, phi), (vx, vy, omega) = own.q, own.v
        m, inertia, cx, cy, gx, gy = slots = real("mass", "inertia", "cx", "cy", "gx", "gy")
        if form == "centred":
            cx = cy = sp.S.Zero
        c, s = sp.cos(phi), sp.sin(phi)
        sx, sy = cx * c - cy * s, cx * s + cy * c
        mass = ((0, 0, m), (1, 1, m), (2, 0, -m * sy), (2, 1, m * sx), (2, 2, inertia + m * (cx**2 + cy**2)))
        forces = (m * (gx + sx * omega**2), m * (gy + sy * omega**2), m * (sx * gy - sy * gx))
        potential = -m * (gx * (x + sx) + gy * (y + sy))
        kinetic = m * ((vx - omega * sy) ** 2 + (vy + omega * sx) ** 2) / 2 + inertia * omega**2 / 2
        entries = tuple(entry for entry in mass if entry[2] != 0)
        return Inertia(own.q, own.v, slots, (), entries, _not_zero(forces), potential, kinetic)

    @staticmethod
    def inertia_form(body: PlanarBody) -> str:
        return "centred" if body.centred else "offset"

    @staticmethod
    def inertia_slots(body: PlanarBody, gravity: tuple[Number, ...]) -> tuple[Number, ...]:
        return (body.mass, body.inertia, *body.com, *gravity)


class SpatialCartesian(Cartesian):
    name = "spatial cartesian"
    q_names = ("x", "y", "z", "e0", "e1", "e2", "e3")
    v_names = ("vx", "vy", "vz", "wx", "wy", "wz")
    symbols = (*q_names, "tau1", "tau2", "tau3"), ("xdot", "ydot", "zdot", "omega1", "omega2", "omega3")
    at_rest = (0, 0, 0, 1, 0, 0, 0, 0, 0, 0)
    turns = (False, False, False, True, True, True)

    @staticmethod
    @cache
    def marker_map(label: str) -> MarkerMap:
        steps: list[Definition] = []

        def step(name: str, value: sp.MatrixBase) -> sp.Matrix:
            """Name subexpressions of the following formulas."""
            columns = "xyz" if value.shape[1] == 3 else ("",)
            named = sp.Matrix(
                value.rows, value.cols, lambda r, c: sp.Symbol(f"{name}{'xyz'[r]}{columns[c]}_{label}", real=True)
            )
            steps.extend(zip(named, value, strict=True))
            return named

        e = sp.Matrix(real("e0", "e1", "e2", "e3", end=f"_{label}"))
        r, turns, v, omega, s = (_vector(name, f"_{label}") for name in ("r", "t", "v", "o", "s"))
        axes = [_vector(name, f"_{label}") for name in ("lx", "ly", "lz")]
        A = step("A", rotation(e))
        rho = step("rho", A * s)
        omega_w = step("ow", A * omega)
        lever = step("L", -cross(rho) * A)
        P = sp.Matrix(sp.BlockMatrix([[sp.eye(3), lever], [sp.zeros(3), A]]))
        bias = sp.Matrix([*omega_w.cross(omega_w.cross(rho)), 0, 0, 0])
        slots = (*s, *axes[0], *axes[1], *axes[2])
        values = (*(r + rho), *(A * axes[0]), *(A * axes[1]), *(A * axes[2]), axes[2].dot(turns))
        rates = (*v, *half_turned(e, omega), *omega)
        return MarkerMap((*r, *e, *turns), (*v, *omega), slots, values, P, bias, tuple(steps), rates)

    @staticmethod
    def ones(label: str) -> dict[sp.Expr, sp.Expr]:
        e = sp.Matrix(SpatialCartesian.marker_map(label).q[3:7])
        return {e.dot(e): sp.S.One}

    @staticmethod
    def marker_slots(marker: SpatialPlace) -> tuple[Number, ...]:
        axes = marker.axes
        return (*marker.point, *(axes[row][column] for column in range(3) for row in range(3)))

    @staticmethod
    def placement(body: SpatialBody, number: Evaluator) -> list[float]:
        attitude = [[number(n) for n in row] for row in body.rotation]
        return [*(number(n) for n in body.position), *map(float, quaternion(attitude)), 0.0, 0.0, 0.0]

    @staticmethod
    def whole_turn(marker: SpatialPlace, number: Evaluator) -> list[float]:
        return [*[0.0] * 7, *(tau * number(marker.axes[row][2]) for row in range(3))]

    @staticmethod
    def diagonal_of(body: SpatialBody, number: Evaluator) -> tuple[float, ...]:
        return (number(body.mass),) * 3 + tuple(number(body.inertia[k][k]) for k in range(3))

    @staticmethod
    def masses_of(body: SpatialBody, number: Evaluator) -> tuple[float, ...]:
        """Return the mass three times and 1 / (I⁻¹)_kk = 1 / Σ u_k² / J over the principal moments J about the centre
        of mass and their axes u: the moment of inertia about an axis of the body that is free to turn about the others.
        The moment is 0 if u_k is not 0 for a J that is 0. (If `number` gives an array, the results are arrays.)"""
        plain = SpatialCartesian.diagonal_of(body, number)
        if body.principal:
            return plain
        tensor = np.moveaxis(np.array([[number(n) for n in row] for row in body.inertia]), (0, 1), (-2, -1))
        finite = np.isfinite(tensor).all(axis=(-2, -1))[..., None]
        moments, axes = np.linalg.eigh(np.where(finite[..., None], tensor, 0.0))
        lost = moments <= SUM_ROUNDOFF * np.abs(moments).max(axis=-1, keepdims=True)
        idle = (lost[..., None, :] & (np.abs(axes) > SUM_ROUNDOFF)).any(axis=-1)
        compliance = (axes**2 / np.where(lost, np.inf, moments)[..., None, :]).sum(axis=-1)
        found = np.where(finite, np.where(idle, 0.0, 1.0 / np.where(idle, 1.0, compliance)), np.nan)
        return plain[:3] + tuple(np.moveaxis(found, -1, 0))

    @staticmethod
    @cache
    def inertia(form: str) -> Inertia:
        """Return the inertia of a body of mass m with centre of mass c and inertia I about c, in body axes; ρ = A c:

            T = ½ m |ṙ + A (ω × c)|² + ½ ω·I ω,         U = -m g · (r + ρ).

        Newton and Euler about the frame's origin, with I₀ = I + m (c·c - c cᵀ) and u = ω × c:

            m (r̈ + A (ω̇ × c))        = m g - m A (ω × u)
            m c × Aᵀ r̈ + I₀ ω̇        = m c × Aᵀ g - ω × I₀ ω

        "centred": c = 0, M is constant. "principal": and I is diagonal, and so is M.
        """

        own = SpatialCartesian.marker_map("i")
        r, e = sp.Matrix(own.q[:3]), sp.Matrix(own.q[3:7])
        v, omega = sp.Matrix(own.v[:3]), sp.Matrix(own.v[3:])
        m = sp.Symbol("mass", real=True)
        c, g = _vector("c"), _vector("g")
        moments = sp.symbols("Ixx Iyy Izz Ixy Ixz Iyz", real=True)
        (xx, yy, zz, xy, xz, yz), com = moments, c
        if form != "offset":
            com = sp.zeros(3, 1)
        if form == "principal":
            xy = xz = yz = sp.S.Zero
        own_inertia = sp.Matrix([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        about_origin = own_inertia + m * (com.dot(com) * sp.eye(3) - com * com.T)
        A = sp.Matrix(3, 3, sp.symbols("A:3:3", real=True)) if form == "offset" else sp.eye(3)
        steps = tuple(zip(A, rotation(e), strict=True)) if form == "offset" else ()
        coupling = -m * A * cross(com)
        M = sp.Matrix(sp.BlockMatrix([[m * sp.eye(3), coupling], [coupling.T, about_origin]]))
        push = omega.cross(com)
        force = m * (g - A * omega.cross(push))
        moment = m * com.cross(A.T * g) - omega.cross(about_origin * omega)
        motion = v + A * push
        entries = tuple((i, k, M[i, k]) for i in range(6) for k in range(i + 1) if M[i, k] != 0)
        slots, forces = (m, *moments, *c, *g), _not_zero([*force, *moment])
        kinetic = m * motion.dot(motion) / 2 + omega.dot(own_inertia * omega) / 2
        potential = -m * g.dot(r + A * com)
        return Inertia(own.q, own.v, slots, steps, entries, forces, potential, kinetic, rates=own.rates)

    @staticmethod
    def inertia_form(body: SpatialBody) -> str:
        return ("principal" if body.principal else "centred") if body.centred else "offset"

    @staticmethod
    def inertia_slots(body: SpatialBody, gravity: tuple[Number, ...]) -> tuple[Number, ...]:
        J = body.inertia
        return (body.mass, J[0][0], J[1][1], J[2][2], J[0][1], J[0][2], J[1][2], *body.com, *gravity)


def rotation(e: sp.MatrixBase) -> sp.Matrix:
    """Return A(e) = 1 + 2/|e|² (e₀ ê + ê ê), ê the cross product with (e₁, e₂, e₃)."""
    hat = cross(e[1:, 0])
    return sp.eye(3) + 2 / e.dot(e) * (e[0] * hat + hat * hat)


def half_turned(e: sp.MatrixBase, omega: sp.MatrixBase) -> sp.Matrix:
    """Return ė = ½ e ∘ (0, ω), ω in body axes."""
    vector = e[1:, 0]
    return sp.Matrix([-vector.dot(omega), *(e[0] * omega + vector.cross(omega))]) / 2


def _not_zero(forces: Sequence[sp.Expr]) -> tuple[tuple[int, sp.Expr], ...]:
    return tuple((k, e) for k, e in enumerate(forces) if e != 0)


def _vector(name: str, end: str = "") -> sp.Matrix:
    return sp.Matrix(real(f"{name}x", f"{name}y", f"{name}z", end=end))


def cross(a: sp.MatrixBase) -> sp.Matrix:
    """Return the matrix of the cross product with a."""
    return sp.Matrix([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def real(*names: str, end: str = "") -> tuple[sp.Symbol, ...]:
    return tuple(sp.Symbol(name + end, real=True) for name in names)
