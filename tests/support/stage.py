"""A stage for one element, in the plane or in space: bodies, markers, numbers, random motions, and what an equation of
markers is along them.

Nothing here is shared with the package but the equation itself: markers are placed by the arithmetic below, in 40
digits, and mpmath differentiates numerically. Small motions are given like velocities, v = (ẋ, ẏ, φ̇) in the plane and
(ṙ, ω) with ω in body axes in space, and turn a body by the exponential.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple
from zlib import crc32

import mpmath as mp
import numpy as np
import sympy as sp
from sympy.utilities.lambdify import implemented_function

import mbs_dae as mbs
from mbs_dae.symbolic.markers import LABELS, marker_symbols, reference_turn, variables

DIGITS = 40
STATES = {2: 3, 3: 1}
"""How many random motions are tried, in the plane and in space (where each one has more numbers)."""
WORDS = {2: "in the plane", 3: "in space"}


@dataclass
class Stage:
    """The ground and three bodies, with markers and parameters at random but known values."""

    seed: int
    parameters_for_numbers: bool = False
    dimension: int = 2
    values: dict[sp.Symbol, float] = field(default_factory=dict)
    """What the parameters are."""
    known: dict[Any, sp.Expr] = field(default_factory=dict)

    def __post_init__(self):
        self.random = np.random.default_rng(self.seed)
        if self.dimension == 2:
            self.model: Any = mbs.PlanarModel("stage")
            places = self.random.uniform(-2, 2, (3, 3))
            self.moving = [
                self.model.body(name, position=(x, y), angle=angle)
                for name, (x, y, angle) in zip("abc", places, strict=True)
            ]
        else:
            self.model = mbs.SpatialModel("stage")
            self.moving = [
                self.model.body(name, position=self.random.uniform(-2, 2, 3), rotation=turned_at_random(self.random))
                for name in "abc"
            ]
        self.ground = self.model.ground

    @property
    def actors(self) -> list:
        """Whom an element may join: of four markers, two are on one body."""
        return [*self.moving, self.moving[2]]

    def marker(self, body):
        """A marker at a random place of a body, with a random frame."""
        if self.dimension == 2:
            x, y, angle = (self.number(-1.5, 1.5) for _ in range(3))
            return body.at(x, y, angle)
        place, angles = [[self.number(-1.2, 1.2) for _ in range(3)] for _ in range(2)]
        return body.at(*place, rotation=mbs.rotations.bryant(*angles))

    def number(self, low: float = 0.4, high: float = 1.6):
        """A random number; as an expression of a parameter where the stage wants it so."""
        value = float(self.random.uniform(low, high))
        if not self.parameters_for_numbers:
            return value
        symbol = self.model.parameter(f"p{len(self.values)}", value / 2)
        self.values[symbol] = value / 2
        return 2 * symbol

    def exact(self, expression: Any) -> sp.Expr:
        """A number or an expression of parameters, in all digits."""
        if expression not in self.known:
            exact = {s: sp.Float(v, DIGITS) for s, v in self.values.items()}
            self.known[expression] = sp.sympify(expression).xreplace(exact).evalf(DIGITS)
        return self.known[expression]


def stage(name: str, parameters: bool = False, dimension: int = 2) -> Stage:
    return Stage(crc32(name.encode()), parameters, dimension)


def turned_at_random(random: np.random.Generator) -> np.ndarray:
    """A quaternion: all rotations alike."""
    e = random.normal(size=4)
    return e / np.linalg.norm(e)


def placements(count: int, actors: list, ground: Any) -> Iterator[tuple[str, tuple]]:
    """Which bodies an element may join: the ground in any place among its markers, or in none."""
    yield "all moving", tuple(actors[:count])
    for k in range(count if count > 1 else 0):
        yield f"ground as marker {k + 1}", (*actors[:k], ground, *actors[k : count - 1])


PLACES = {count: [where for where, _ in placements(count, [*"abcc"], "ground")] for count in range(1, 5)}
"""The names of the placements of so many markers."""


def number(expression: Any) -> mp.mpf:
    """A sympy expression without symbols, in all digits."""
    if isinstance(expression, mp.mpf):
        return expression
    value = expression if isinstance(expression, sp.Float) else sp.sympify(expression).evalf(DIGITS)
    return mp.make_mpf(sp.Float(value, DIGITS)._mpf_)


# --- small motions, and where markers are ----------------------------------------------------------------------


def cross(a, b) -> list:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def rotation(e: list) -> list[list]:
    """The matrix of a quaternion: rows of (e0² - e·e) 1 + 2 e eᵀ + 2 e0 ê, over |e|²."""
    a, b, c, d = e
    size = a * a + b * b + c * c + d * d
    return [
        [(a * a + b * b - c * c - d * d) / size, 2 * (b * c - a * d) / size, 2 * (b * d + a * c) / size],
        [2 * (b * c + a * d) / size, (a * a - b * b + c * c - d * d) / size, 2 * (c * d - a * b) / size],
        [2 * (b * d - a * c) / size, 2 * (c * d + a * b) / size, (a * a - b * b - c * c + d * d) / size],
    ]


def times(matrix: list[list], vector: list) -> list:
    return [sum((n * x for n, x in zip(row, vector, strict=True)), start=mp.mpf(0)) for row in matrix]


def turned(e: list, by: list) -> list:
    """A quaternion after a turn by a rotation vector in body axes: e ∘ (cos |x|/2, sin |x|/2 x/|x|)."""
    angle = mp.sqrt(sum(x * x for x in by))
    if angle == 0:
        return [*e]
    w = mp.cos(angle / 2)
    u = [mp.sin(angle / 2) * x / angle for x in by]
    return [
        e[0] * w - sum(x * y for x, y in zip(e[1:], u, strict=True)),
        *(e[0] * x + w * y + z for x, y, z in zip(u, e[1:], cross(e[1:], u), strict=True)),
    ]


def body_moved(q: list, step: list) -> list:
    """The coordinates of one body after a small motion: (x, y, φ), or (r, e, turns added up)."""
    if len(q) == 3:
        return [x + h for x, h in zip(q, step, strict=True)]
    places = [x + h for x, h in zip(q[:3], step[:3], strict=True)]
    return [*places, *turned(q[3:7], step[3:]), *(x + h for x, h in zip(q[7:], step[3:], strict=True))]


def marker_placed(numbers: list, q: list, v: list) -> tuple[list, list, list]:
    """m and rates of a marker from the coordinates of its body, and the lever from the body's origin, world axes."""
    if len(q) == 3:
        (sx, sy, alpha), (x, y, phi), (vx, vy, omega) = numbers, q, v
        c, s, direction = mp.cos(phi), mp.sin(phi), phi + alpha
        rx, ry = c * sx - s * sy, s * sx + c * sy
        m = [x + rx, y + ry, mp.cos(direction), mp.sin(direction), direction]
        return m, [vx - omega * ry, vy + omega * rx, omega], [rx, ry]
    A = rotation(q[3:7])
    lever, omega = times(A, numbers[:3]), times(A, v[3:])
    columns = [numbers[3 + k :: 3] for k in range(3)]
    axes = [times(A, column) for column in columns]
    turn = sum(a * b for a, b in zip(columns[2], q[7:], strict=True))
    point = [a + b for a, b in zip(q[:3], lever, strict=True)]
    velocity = [a + b for a, b in zip(v[:3], cross(omega, lever), strict=True)]
    return [*point, *axes[0], *axes[1], *axes[2], turn], [*velocity, *omega], lever


@dataclass
class Motion:
    """q(t) = q0 moved by v0 (t - t0) + a0 (t - t0)² / 2, of all bodies of a stage; the ground stands still.

    In space v(t) = v0 + a0 (t - t0) is not all of the rate of that, but the rest, ω0 × a0 (t - t0)² / 4, is even:
    central differences at t0 do not see it.
    """

    layout: Any
    t0: float
    q0: np.ndarray
    v0: np.ndarray
    a0: np.ndarray

    def q(self, t) -> list:
        s = t - mp.mpf(self.t0)
        step = [s * (mp.mpf(v) + s * mp.mpf(a) / 2) for v, a in zip(self.v0, self.a0, strict=True)]
        return self.moved(list(map(mp.mpf, self.q0)), step)

    def v(self, t) -> list:
        s = t - mp.mpf(self.t0)
        return [mp.mpf(v) + s * mp.mpf(a) for v, a in zip(self.v0, self.a0, strict=True)]

    def moved(self, q: list, step: list) -> list:
        out = [*q]
        for body, columns in self.layout.v.items():
            own = [step[k] for k in columns]
            if any(own):
                places = self.layout.q[body]
                for place, value in zip(places, body_moved([q[k] for k in places], own), strict=True):
                    out[place] = value
        return out

    def unit(self, k: int, h: Any) -> list:
        """A small motion along one velocity."""
        return [h if i == k else mp.mpf(0) for i in range(len(self.v0))]


def motions(s: Stage, count: int | None = None) -> list[Motion]:
    """Random states; the ground stands still."""
    system = s.model.compile()
    layout, out = system.layout, []
    for _ in range(count or STATES[s.dimension]):
        q, v, a = system.placement.copy(), np.zeros(layout.v_size), np.zeros(layout.v_size)
        for body in s.moving:
            v[list(layout.v[body])], a[list(layout.v[body])] = s.random.uniform(-3, 3, (2, len(layout.v[body])))
            if s.dimension == 2:
                q[list(layout.q[body])] = s.random.uniform(-2, 2, 3) * [1, 1, 2]
            else:
                place, turns = s.random.uniform(-2, 2, 3), s.random.uniform(-20, 20, 3)
                q[list(layout.q[body])] = [*place, *turned_at_random(s.random), *turns]
        out.append(Motion(layout, float(s.random.uniform(0.1, 2.9)), q, v, a))
    return out


# --- what an equation of markers is along a motion -------------------------------------------------------------

_opaque = itertools.count()


def opaque(value: Callable) -> Callable:
    """A function of many digits as sympy knows it: by name alone."""
    return implemented_function(f"opaque{next(_opaque)}", lambda *x: number(value(*x)))


def nearest(angle, near):
    """The angle with so many whole turns added that it is nearest to another."""
    return angle + 2 * mp.pi * mp.floor((near - angle) / (2 * mp.pi) + mp.mpf(1) / 2)


unwound = implemented_function("nearest_", nearest)


class Placed(NamedTuple):
    """A marker at one moment, in numbers."""

    m: list
    rates: list
    lever: list


@dataclass
class Reference:
    """Rows of Φ(m, t) and of ψ(m, ṁ, t): what `phi` and `psi` make of time and markers, to be differentiated
    numerically."""

    stage: Stage
    markers: tuple
    phi: Callable[..., list] = lambda t, *markers: []
    psi: Callable[..., list] = lambda t, *markers: []

    @cached_property
    def layout(self):
        return self.stage.model.compile().layout

    @cached_property
    def _numbers(self) -> list[list[mp.mpf]]:
        return [[number(self.stage.exact(n)) for n in marker.numbers] for marker in self.markers]

    @cached_property
    def rows(self) -> dict[str, Callable]:
        """Both as functions of (t, m, rates) in numbers."""
        symbols = marker_symbols(len(self.markers), self.stage.dimension)
        m, rates = variables(symbols)
        known = {s: self.stage.exact(s) for s in self.stage.values} | self._reference_turns
        out = {}
        for name in ("phi", "psi"):
            rows = [sp.sympify(e).xreplace(known) for e in getattr(self, name)(mbs.t, *symbols)]
            out[name] = sp.lambdify([mbs.t, m, rates], rows, modules=[{"Unwound": nearest}, "mpmath"], cse=True)
        return out

    @property
    def _reference_turns(self) -> dict[sp.Symbol, sp.Float]:
        """From x axis to x axis about the first marker's z axis, where the bodies were placed."""
        if self.stage.dimension == 2:
            return {}
        placement = [mp.mpf(float(x)) for x in self.stage.model.compile().placement]
        placed = self.placed(placement, [mp.mpf(0)] * self.layout.v_size)
        turns = {}
        for (a, i), (b, j) in itertools.permutations(zip(LABELS, placed, strict=False), 2):
            x, y, other = i.m[3:6], i.m[6:9], j.m[3:6]
            sine, cosine = (sum(p * q for p, q in zip(axis, other, strict=True)) for axis in (y, x))
            turns[reference_turn(a, b)] = sp.Float(str(mp.atan2(sine, cosine)), 40)
        return turns

    def placed(self, q: list, v: list) -> list[Placed]:
        out = []
        for marker, numbers in zip(self.markers, self._numbers, strict=True):
            own = [q[k] for k in self.layout.q[marker.body]], [v[k] for k in self.layout.v[marker.body]]
            out.append(Placed(*marker_placed(numbers, *own)))
        return out

    def _evaluated(self, name: str, q: list, v: list, t) -> np.ndarray:
        placed = self.placed(q, v)
        m, rates = ([x for marker in placed for x in marker[part]] for part in (0, 1))
        return np.array([mp.mpf(x) for x in self.rows[name](t, m, rates)], dtype=object)

    def position(self, q: list, t) -> np.ndarray:
        return self._evaluated("phi", q, [mp.mpf(0)] * self.layout.v_size, t)

    def velocity(self, q: list, v: list, t) -> np.ndarray:
        return self._evaluated("psi", q, v, t)

    @property
    def columns(self) -> list[int]:
        """The velocities of the bodies that it joins."""
        bodies = dict.fromkeys(m.body for m in self.markers if not m.body.fixed)
        return [k for body in bodies for k in self.layout.v[body]]


def independent(reference: Reference, motion: Motion, nv: int) -> dict[str, np.ndarray]:
    """Φ, Φ_v, ν and both time derivatives, by mpmath alone; rows of ψ behind those of Φ."""
    t0 = mp.mpf(motion.t0)
    q0, v0 = motion.q(t0), motion.v(t0)
    value = reference.position(q0, t0)
    psi = reference.velocity(q0, v0, t0)
    still = [mp.mpf(0)] * len(v0)
    at_rest = reference.velocity(q0, still, t0)

    jacobian = np.zeros((len(value) + len(psi), nv))
    for k in reference.columns:
        jacobian[:, k] = floats(
            [
                *slope(lambda h, k=k: reference.position(motion.moved(q0, motion.unit(k, h)), t0)),
                *(reference.velocity(q0, motion.unit(k, mp.mpf(1)), t0) - at_rest),
            ]
        )
    time_only = slope(lambda h: reference.position(q0, t0 + h))
    rate = slope(lambda h: reference.position(motion.q(t0 + h), t0 + h))
    second = curvature(lambda h: reference.position(motion.q(t0 + h), t0 + h))
    psi_rate = slope(lambda h: reference.velocity(motion.q(t0 + h), motion.v(t0 + h), t0 + h))
    return {
        "value": floats(value),
        "jacobian": jacobian,
        "nu": floats([*(-x for x in time_only), *(-at_rest)]),
        "rate": floats([*rate, *psi]),
        "acceleration": floats([*second, *psi_rate]),
    }


H = mp.mpf("1e-10")
"""The step of numerical differentiation: both its own error, H², and that of forty digits, 1e-40 / H², are 1e-20."""


def slope(f: Callable) -> np.ndarray:
    """f'(0)."""
    return (f(H) - f(-H)) / (2 * H)


def curvature(f: Callable) -> np.ndarray:
    """f''(0)."""
    return (f(H) - 2 * f(mp.mpf(0)) + f(-H)) / H**2


def floats(numbers) -> np.ndarray:
    return np.array([float(x) for x in numbers])


# --- forces and moments on markers, as forces along velocities --------------------------------------------------


def along_velocities(reference: Reference, motion: Motion, wrenches: np.ndarray) -> np.ndarray:
    """Q of forces and moments on markers, one row for each marker, world axes."""
    out = np.zeros(reference.layout.v_size)
    q = list(map(mp.mpf, motion.q0))
    here = reference.placed(q, [0.0] * len(motion.v0))
    for marker, placed, wrench in zip(reference.markers, here, wrenches, strict=True):
        columns, lever = list(reference.layout.v[marker.body]), floats(placed.lever)
        if reference.stage.dimension == 2:
            fx, fy, moment = wrench
            out[columns] += [fx, fy, moment + lever[0] * fy - lever[1] * fx]
        else:
            A = np.array(rotation(motion.q0[list(reference.layout.q[marker.body][3:7])]))
            out[columns] += [*wrench[:3], *(A.T @ (wrench[3:] + np.cross(lever, wrench[:3])))]
    return out[: reference.layout.nv]


def about_the_origin(reference: Reference, motion: Motion, wrenches: np.ndarray) -> np.ndarray:
    """The sum of the forces, and of their moments about the world's origin."""
    total = np.zeros(wrenches.shape[1])
    q = list(map(mp.mpf, motion.q0))
    for placed, wrench in zip(reference.placed(q, [0.0] * len(motion.v0)), wrenches, strict=True):
        if reference.stage.dimension == 2:
            (x, y), (fx, fy, moment) = floats(placed.m[:2]), wrench
            total += [fx, fy, moment + x * fy - y * fx]
        else:
            total += [*wrench[:3], *(wrench[3:] + np.cross(floats(placed.m[:3]), wrench[:3]))]
    return total
