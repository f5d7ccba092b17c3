"""The contract of every force, at random states, in the plane and in space.

What their kernels say of Q, of energies and of powers is held against a computation that shares nothing with
them: markers are placed by the arithmetic of `stage`, what the class says is evaluated there in 40 digits, and virtual
work is done by numerical differentiation, along small motions of the bodies:

    Q = -∂U + ∂(f · ṁ)/∂v,        along a coordinate s:  Q = F ∂s.

A force class is covered by being registered. Its arguments are made up from the fields that it declares. What the
package's own classes say is held against the formulas of a textbook besides.
"""

from __future__ import annotations

import itertools
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from math import pi
from typing import Any

import mpmath as mp
import numpy as np
import pytest
import sympy as sp
from covering import covering, parts_of_a_contract
from helpers import Loads, evaluated_loads
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refused
from scipy.interpolate import CubicSpline
from scipy.spatial.transform import Rotation
from stage import (
    DIGITS,
    PLACES,
    WORDS,
    H,
    Motion,
    Reference,
    Stage,
    about_the_origin,
    along_velocities,
    motions,
    number,
    placements,
    slope,
    stage,
)
from test_joint_contract import CENTRAL, MEASURES, periodic_spline

import mbs_dae as mbs
from mbs_dae import model as model_room
from mbs_dae.model.fields import Expression, Function, Option, Scalar
from mbs_dae.symbolic.markers import marker_symbols, variables

EXACT = 1e-12
"""How well kernels must agree with 40 digits, relative to the largest number in sight."""
JOINTS_OF = {"angle": mbs.Revolute, "displacement": mbs.Translational, "distance": mbs.Distance}


# --- classes that a user may write ------------------------------------------------------------------------------


class Compass(mbs.ForceElement):
    """A magnet at i turns towards the point j, and i and j attract each other: a potential of points and axes."""

    strength = mbs.scalar("N m")
    reach = mbs.scalar("m", positive=True)

    @staticmethod
    def potential(i, j, strength, reach):
        d = j.point - i.point
        return -strength * (i.x_axis.dot(d) + j.x_axis[0]) / (reach**2 + d.dot(d))


class Tide(mbs.ForceElement):
    """A potential that comes and goes, whatever moves: its energy is supplied from outside."""

    strength = mbs.scalar("N/m")

    @staticmethod
    def potential(i, strength):
        return strength * (i.x - 2 * i.y) ** 2 * (1 + sp.sin(3 * mbs.t) / 2)


class Magnus(mbs.ForceElement):
    """A force square to the velocity, a moment that brakes, and a weight: potential and force in one class."""

    work = "dissipated"
    lift = mbs.scalar("N s²/m")
    brake = mbs.scalar("N m s")
    weight = mbs.scalar("N")

    @staticmethod
    def potential(i, lift, brake, weight):
        return weight * i.y

    @staticmethod
    def force(i, lift, brake, weight):
        v, omega = i.velocity, i.omega
        if i.dimension == 3:
            return [(*(lift * omega.cross(v)), *(-brake * omega))]
        return [(-lift * omega * v[1], lift * omega * v[0], -brake * omega)]


class Tether(mbs.ForceElement):
    """A winch on the first body, a pull of three bodies on each other; the third feels no moment."""

    pull = mbs.expression("N")
    share = mbs.choice(1, 2)

    @staticmethod
    def force(i, j, k, pull, share):
        if i.dimension == 2:
            return [(pull, sp.sin(mbs.t), pull * i.omega), (-pull / share, 0, 0), (0, -sp.sin(mbs.t))]
        return [(pull, sp.sin(mbs.t), 0, *(pull * i.omega)), (0, -pull / share, 0, 0, 0, 0), (0, 0, -sp.sin(mbs.t))]


class Bumper(mbs.EffortElement):
    """A hardening slide, with friction that grows with the way: of coordinates of every kind."""

    coordinates = ("displacement", "distance", "angle", "x", "y", "z")
    hardness = mbs.scalar("N/m³")
    friction = mbs.scalar("N s/m²")

    @staticmethod
    def effort(s, rate, hardness, friction):
        return -hardness * s**3 - friction * s**2 * rate


class Pump(mbs.EffortElement):
    """An effort from outside, in time and in a quantity of the model."""

    work = "supplied"
    gain = mbs.expression("N")

    @staticmethod
    def effort(s, rate, gain):
        return gain * sp.cos(s) + sp.sin(mbs.t) * rate


class Breathing(mbs.EffortElement):
    """A spring whose stiffness is told from outside; a polynomial of its coordinate, and yet no potential."""

    stiffness = mbs.expression("N/m")

    @staticmethod
    def effort(s, rate, stiffness):
        return -stiffness * (s - 1)


# --- made-up constants, and their values by other means ---------------------------------------------------------

Exact = Callable[[list, list, Any], Any]
"""A value at (q, v, t), in all digits."""


def law(s: Stage, variables: tuple[sp.Symbol, ...], form: str) -> tuple[Any, Callable]:
    """A function of one or two variables as it is given, and the same in all digits."""
    if form == "table":
        x, y = np.linspace(-pi, pi, 12), s.random.uniform(0.8, 1.2, 12)
        y[-1] = y[0]
        return mbs.Table(x, y, kind="cubic", periodic=True), lambda u, *_: periodic_spline(x, y)(u)
    a, b, c = (s.number() for _ in range(3))

    def value(a, b, c, *x):
        powers = {"polynomial": a * x[0] + b * x[0] ** 3, "expression": a * sp.cos(b * x[0]) + sp.tanh(x[0])}
        return powers[form] + (c * x[1] * (1 + x[0] ** 2) if len(x) > 1 else 0)

    return value(a, b, c, *variables), lambda *x: value(*map(s.exact, (a, b, c)), *x)


def told(s: Stage, form: str) -> tuple[Any, Exact]:
    """An expression of time and parameters, or of named quantities as well, as it is given and in all digits."""
    a, b = s.number(), s.number()
    if form == "time":
        return a + b * sp.sin(2 * mbs.t), lambda q, v, t: s.exact(a) + s.exact(b) * mp.sin(2 * t)
    own = s.moving[2].markers
    tip = own.get("tip") or s.moving[2].marker("tip", *s.random.uniform(-1, 1, s.dimension))
    turn, angle = ("a.omega", "b.angle") if s.dimension == 2 else ("a.wy", "b.x")
    given = a * s.model[f"{tip.label}.vx"] - b * s.model[turn] * s.model[f"{tip.label}.y"] + sp.cos(s.model[angle])
    read = Reference(s, (tip, s.moving[0].origin, s.moving[1].origin))

    def value(q, v, t):
        there, first, second = read.placed(q, v)
        omega = first.rates[-1 if s.dimension == 2 else 4]
        slow = number(s.exact(b)) * omega * there.m[1]
        return number(s.exact(a)) * there.rates[0] - slow + mp.cos(second.m[-1 if s.dimension == 2 else 0])

    return given, value


def variants(cls: type[mbs.ForceElement]) -> Iterator[tuple[str, dict[str, Any], str, str]]:
    """Every combination of choices and of forms of functions and expressions: a name, choices, both forms."""
    names = [n for n, f in cls.fields.items() if isinstance(f, Option)]
    kinds = {type(f) for f in cls.fields.values()}
    if strange := kinds - {Option, Expression, Function, Scalar}:  # a bushing has a case of its own
        raise NotImplementedError(f"{cls.__name__} has fields of {strange}: teach this test to make examples of them")
    laws = ["polynomial", "expression", "table"] if Function in kinds else [""]
    tellings = ["time", "quantities"] if Expression in kinds else [""]
    choices = itertools.product(*(cls.fields[n].options for n in names))
    for chosen, of, telling in itertools.product(choices, laws, tellings):
        name = " ".join(map(str, (*chosen, of, telling))).strip()
        yield f"{cls.__name__} {name}".strip(), dict(zip(names, chosen, strict=True)), of, telling


def made_up(s: Stage, cls: type[mbs.ForceElement], of: str, telling: str) -> tuple[dict, dict[str, Exact]]:
    """Constants as they are given, and their values."""
    given: dict[str, Any] = {}
    exact: dict[str, Exact] = {}
    for name, field in cls.fields.items():
        if isinstance(field, Scalar):
            given[name] = s.number()
            exact[name] = lambda q, v, t, x=given[name]: s.exact(x)
        elif isinstance(field, Function):
            given[name], value = law(s, field.variables, of)
            exact[name] = lambda q, v, t, value=value: value
        elif isinstance(field, Expression):
            given[name], exact[name] = told(s, telling)
    return given, exact


# --- what a force should do -------------------------------------------------------------------------------------


@dataclass
class Expected:
    """Q, the energy stored in closed form (where the class says it), and powers by what becomes of the work."""

    forces: np.ndarray
    potential: float | None
    powers: dict[str, float]


@dataclass
class Case:
    stage: Stage
    element: mbs.ForceElement
    expected: Callable[[Motion], Expected]
    inner: bool = False
    """Whether it acts between two bodies alone."""


def at(motion: Motion) -> tuple[list, list, mp.mpf]:
    t = mp.mpf(motion.t0)
    return motion.q(t), motion.v(t), t


def along_all(reference: Reference, motion: Motion, change: Callable[[list], Any]) -> np.ndarray:
    """What changes with a small motion along each velocity of the bodies that are joined."""
    out = np.zeros(reference.layout.nv)
    for k in reference.columns:
        out[k] = float(change(motion.unit(k, mp.mpf(1))))
    return out


def force_case(cls: Any, dimension: int, name: str, chosen: dict, of: str, telling: str, where: str) -> Case:
    """A class with `potential` or `force`."""
    s = stage(name + where, "all moving" in where, dimension)
    count = len(cls.marker_names)
    markers = tuple(s.marker(body) for body in dict(placements(count, s.moving, s.ground))[where])
    given, exact = made_up(s, cls, of, telling)
    if dimension == 2:  # where these are refused
        for component in {"z", "mx", "my"} & {*given}:
            del given[component]
            exact[component] = lambda q, v, t: mp.mpf(0)
    element = s.model.add(cls("load", *markers, **chosen, **given))
    reference = Reference(s, markers)
    names = {n: sp.Symbol(f"constant_{n}", real=True) for n in exact}
    symbols = marker_symbols(count, dimension)
    m, rates = variables(symbols)
    said = {word: getattr(cls, word, None) for word in ("potential", "force")}
    energies, acts = (say(*symbols, **chosen, **names) if say else [] for say in said.values())
    width = len(rates) // count
    rows = [sp.sympify(e) for w in acts for e in (*w, *(0,) * (width - len(w)))]
    compiled = [
        sp.lambdify([mbs.t, m, rates, [*names.values()]], e, modules="mpmath", cse=True)
        for e in (sp.sympify(energies or 0), rows)
    ]

    def expected(motion: Motion) -> Expected:
        q, v, t = at(motion)
        constants = [number(f(q, v, t)) for f in exact.values()]

        def evaluated(function: Callable, q: list, v: list, t: Any) -> Any:
            placed = reference.placed(q, v)
            return function(t, [x for p in placed for x in p.m], [x for p in placed for x in p.rates], constants)

        def energy(q: list, t: Any = t) -> mp.mpf:
            return mp.mpf(evaluated(compiled[0], q, v, t))

        wrenches = evaluated(compiled[1], q, v, t)

        def power(v: list) -> mp.mpf:
            moving = [x for p in reference.placed(q, v) for x in p.rates]
            return sum((f * r for f, r in zip(wrenches, moving, strict=bool(wrenches))), start=mp.mpf(0))

        def done(unit: list) -> mp.mpf:
            return power(unit) - slope(lambda h: energy(motion.moved(q, [h * x for x in unit])))

        powers = {cls.work: float(power(v))} if wrenches else {}
        if growth := slope(lambda h: energy(q, t + h)):
            powers["supplied"] = powers.get("supplied", 0.0) + float(growth)
        return Expected(along_all(reference, motion, done), float(energy(q)), powers)

    return Case(s, element, expected)


def effort_case(cls: Any, dimension: int, name: str, chosen: dict, of: str, telling: str, on: str, where: str) -> Case:
    """A class with `effort`, on a coordinate given in one of several ways."""
    s = stage(name + on + where, "all moving" in where, dimension)
    kind, by = on.split(" by ")
    one = by in ("one marker", "measure of one")
    measured = MEASURES["angle of one" if kind == "angle" and one else kind]
    markers = tuple(s.marker(body) for body in dict(placements(measured.count, s.moving, s.ground))[where])
    given, exact = made_up(s, cls, of, telling)
    if by.startswith("measure"):
        things: tuple = (getattr(mbs, kind)(*markers),)
    elif by == "joint":
        things = (s.model.add(JOINTS_OF[kind]("joint", *markers)),)
    else:
        things = markers
    element = s.model.add(cls("load", *things, **chosen, **given))
    reference = measured.reference(s, markers)

    def coordinate(q: list) -> mp.mpf:
        return reference.position(q, mp.mpf(0))[0]

    def expected(motion: Motion) -> Expected:
        q, v, t = at(motion)
        now = {mbs.t: sp.Float(t, DIGITS), **{symbol: s.exact(symbol) for symbol in s.values}}
        constants = {**chosen, **{n: in_sympy(f(q, v, t)) for n, f in exact.items()}}
        rate = slope(lambda h: coordinate(motion.moved(q, [h * x for x in v])))

        def effort(rate: Any) -> mp.mpf:
            said = cls.effort(sp.Float(coordinate(q), DIGITS), sp.Float(rate, DIGITS), **constants)
            return number(sp.sympify(said).xreplace(now).doit())

        total, elastic = effort(rate), effort(mp.mpf(0))

        def done(unit: list) -> mp.mpf:
            return total * slope(lambda h: coordinate(motion.moved(q, [h * x for x in unit])))

        if cls.work == "dissipated":
            powers = {"dissipated": float((total - elastic) * rate)}
        else:
            powers = {cls.work: float(total * rate)}
        return Expected(along_all(reference, motion, done), None, powers)

    return Case(s, element, expected, inner=measured.count == 2)


def in_sympy(value: Any) -> Any:
    return sp.Float(value, DIGITS) if isinstance(value, mp.mpf) else value


BUSHINGS = [("diagonal", "none"), ("none", "diagonal"), ("full", "none")]


def bushing_case(dimension: int, stiffness: str, damping: str, where: str) -> Case:
    """U = ½ ξᵀ K ξ and the power -ξ̇ᵀ D ξ̇, ξ the offset and the turn of the second marker seen from the first."""
    s = stage(f"bushing {stiffness} {damping} {where}", "all moving" in where, dimension)
    markers = tuple(s.marker(body) for body in dict(placements(2, s.moving, s.ground))[where])
    size = {2: 3, 3: 6}[dimension]

    def coupling(form: str) -> tuple[Any, list[list[mp.mpf]]]:
        if form == "none":
            return 0, [[mp.mpf(0)] * size] * size
        if form == "diagonal":
            given = [s.number() for _ in range(size)]
            full: Any = [[given[r] if r == c else 0 for c in range(size)] for r in range(size)]
        else:
            root = [[s.number() for _ in range(size)] for _ in range(size)]
            full = given = [[root[r][c] + root[c][r] + (3 if r == c else 0) for c in range(size)] for r in range(size)]
        return given, [[number(s.exact(n)) for n in row] for row in full]

    (given_k, K), (given_d, D) = coupling(stiffness), coupling(damping)
    element = s.model.add(mbs.Bushing("load", *markers, stiffness=given_k, damping=given_d))
    reference = Reference(s, markers)

    def offsets(q: list) -> list[mp.mpf]:
        i, j = (p.m for p in reference.placed(q, [mp.mpf(0)] * len(q)))
        d = [b - a for a, b in zip(i[:dimension], j[:dimension], strict=True)]
        if dimension == 2:
            ux, uy = i[2:4]
            return [ux * d[0] + uy * d[1], ux * d[1] - uy * d[0], j[4] - i[4]]
        first, second = ([m[3 * k : 3 * k + 3] for k in (1, 2, 3)] for m in (i, j))
        R = [[dot(a, b) for b in second] for a in first]
        angle = mp.acos((R[0][0] + R[1][1] + R[2][2] - 1) / 2)
        axis = [R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1]]
        size = mp.sqrt(dot(axis, axis))
        return [*(dot(a, d) for a in first), *(2 * mp.sin(angle / 2) * x / size for x in axis)]

    def energy(q: list) -> mp.mpf:
        xi = offsets(q)
        return sum((a * b * K[r][c] for r, a in enumerate(xi) for c, b in enumerate(xi)), start=mp.mpf(0)) / 2

    def expected(motion: Motion) -> Expected:
        q, v, _ = at(motion)

        def rates(v: list) -> list[mp.mpf]:
            ahead, behind = (offsets(motion.moved(q, [h * x for x in v])) for h in (H, -H))
            return [(a - b) / (2 * H) for a, b in zip(ahead, behind, strict=True)]

        now = rates(v)
        push = [-sum((D[r][c] * x for c, x in enumerate(now)), start=mp.mpf(0)) for r in range(size)]

        def done(unit: list) -> mp.mpf:
            return dot(push, rates(unit)) - slope(lambda h: energy(motion.moved(q, [h * x for x in unit])))

        powers = {"dissipated": float(dot(push, now))}
        return Expected(along_all(reference, motion, done), float(energy(q)), powers)

    return Case(s, element, expected, inner=True)


def dot(a: Any, b: Any) -> mp.mpf:
    return sum((x * y for x, y in zip(a, b, strict=True)), start=mp.mpf(0))


@cache
def force_classes() -> list[Any]:
    """The package's own classes and those of this file, as they stand when it is read: other files may register theirs,
    and so may a test that has run."""
    return [c for c in mbs.registered_forces() if c.__module__.partition(".")[0] in ("mbs_dae", __name__)]


def cases() -> Iterator[Any]:
    for cls, dimension in itertools.product(force_classes(), (2, 3)):
        if dimension not in cls.dimensions or cls is mbs.Bushing:
            continue
        for n, (name, *variant) in enumerate(variants(cls)):
            title = f"{name} {WORDS[dimension]}"
            if not issubclass(cls, mbs.EffortElement):
                for where in PLACES[len(cls.marker_names)]:
                    yield pytest.param(force_case, (cls, dimension, name, *variant, where), id=f"{title}, {where}")
                continue
            for k, on in enumerate(ways(cls, dimension)):
                if n and k:
                    continue  # how it is told and what its law is have nothing to do with each other
                count = 1 if "one" in on or on[0] in "xyz" else 2
                for where in PLACES[count][: 1 if n or (dimension == 3 and k) else None]:
                    arguments = (cls, dimension, name, *variant, on, where)
                    yield pytest.param(effort_case, arguments, id=f"{title}, {on}, {where}")
    for dimension, (stiffness, damping) in itertools.product((2, 3), BUSHINGS):
        for where in PLACES[2][: None if dimension == 2 else 1]:
            title = f"Bushing {stiffness} {damping} {WORDS[dimension]}"
            yield pytest.param(bushing_case, (dimension, stiffness, damping, where), id=f"{title}, {where}")


def ways(cls: type[mbs.EffortElement], dimension: int) -> Iterator[str]:
    """How the coordinate of an effort can be told."""
    yield f"{cls.coordinates[0]} by markers"
    if cls.fewest == 1:
        yield f"{cls.coordinates[0]} by one marker"
    for kind in cls.coordinates:
        if dimension not in MEASURES[kind].dimensions:
            continue
        yield f"{kind} by measure"
        if kind in JOINTS_OF:
            yield f"{kind} by joint"
        if kind == "angle":
            yield f"{kind} by measure of one"


CASES = list(cases())


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize(("build", "arguments"), covering(CASES, parts_of_a_contract))
def test_a_registered_force_is_what_its_class_says(build, arguments):
    case = build(*arguments)
    system = case.stage.model.compile()
    for motion in motions(case.stage, 1):
        found = evaluated_loads(system, motion.t0, motion.q0, motion.v0)
        with mp.workdps(DIGITS):
            expected = case.expected(motion)
        scale = max(1.0, np.abs(expected.forces).max())
        assert np.abs(expected.forces).max() > 0
        np.testing.assert_allclose(found.forces, expected.forces, rtol=0, atol=EXACT * scale)
        if expected.potential is not None:
            assert found.potential == pytest.approx(expected.potential, rel=EXACT, abs=EXACT)
        fast = max(1.0, float(np.abs(expected.forces) @ np.abs(motion.v0[: system.nv])))
        for work in ("dissipated", "supplied"):
            assert getattr(found, work) == pytest.approx(expected.powers.get(work, 0.0), abs=EXACT * fast), work
        check_power(system, motion, found, fast)
        check_wrenches(case, motion, found)


def check_power(system: Any, motion: Motion, found: Loads, scale: float) -> None:
    """Nothing is lost: what the forces do is what leaves the potential, and the three kinds of work."""
    fine = 1e-3

    def energy(h: float) -> float:
        q = system.moved(motion.q0, h * motion.v0)
        return evaluated_loads(system, motion.t0 + h, q, motion.v0).potential

    loss = -sum(c * (energy(k * fine) - energy(-k * fine)) for k, c in CENTRAL.items()) / fine
    done = float(found.forces @ motion.v0[: system.nv])
    # the work done on bodies = what the potential loses + what is let in; `dissipated` counts force times velocity
    given = loss + found.stored + found.dissipated + found.supplied
    assert done == pytest.approx(given, abs=1e-8 * scale)


def wrenches_of(case: Case, motion: Motion) -> tuple[Reference, np.ndarray]:
    """Forces and moments on all markers, as reactions report them: (markers, components)."""
    load, slots = case.element.form()
    markers = case.element.markers
    state = (np.array([motion.t0]), motion.q0[None], motion.v0[None])
    wrenches = case.stage.model.compile().read_values(load.wrenches, slots, markers, *state)[0]
    return Reference(case.stage, markers), wrenches.reshape(len(markers), -1)


def check_wrenches(case: Case, motion: Motion, found: Loads) -> None:
    """Forces and moments on markers, as reactions report them, make the same Q. Of an effort between two bodies they
    cancel, and so do their moments about the world's origin, and no third body feels anything: the third law."""
    reference, wrenches = wrenches_of(case, motion)
    forces = along_velocities(reference, motion, wrenches)
    scale = max(1.0, np.abs(forces).max())
    np.testing.assert_allclose(found.forces, forces, rtol=0, atol=EXACT * scale)
    if case.inner:
        assert np.abs(about_the_origin(reference, motion, wrenches)).max() < 1e-13 * max(1.0, np.abs(wrenches).max())
        assert not wrenches[2:].any()


def test_every_force_of_the_package_is_registered():
    before = set(mbs.registered_forces())
    for module in pkgutil.walk_packages(model_room.__path__, model_room.__name__ + "."):
        import_module(module.name)
    assert set(mbs.registered_forces()) == before
    own = {c.__name__ for c in force_classes()}
    assert own >= {"Force", "Torque", "Motor", "ViscousFriction", "Drag", "Spring", "Damper", "SpringDamper"}
    assert own >= {"TorsionSpring", "Compass", "Tide", "Magnus", "Tether", "Bumper", "Pump", "Breathing"}
    assert own >= {"Wrench", "Bushing"}


# --- the textbook -----------------------------------------------------------------------------------------------


@dataclass
class Pair:
    """Two bodies at a random place, with a marker on each: where the markers are and how they move."""

    seed: int

    def __post_init__(self):
        random = np.random.default_rng(self.seed)
        self.model = mbs.PlanarModel("pair")
        self.q, self.v = random.uniform(-2, 2, (2, 9)) * ([1] * 6 + [0] * 3)
        self.arms = random.uniform(-1, 1, (2, 2))
        self.a, self.b = (self.model.body(name) for name in "ab")
        self.i, self.j = (body.at(*arm) for body, arm in zip((self.a, self.b), self.arms, strict=True))
        self.points, self.velocities, self.levers = np.zeros((3, 2, 2))
        for k, (x, y, phi, vx, vy, omega) in enumerate(
            np.concatenate([self.q[:6].reshape(2, 3), self.v[:6].reshape(2, 3)], axis=1)
        ):
            c, s = np.cos(phi), np.sin(phi)
            lever = np.array([[c, -s], [s, c]]) @ self.arms[k]
            self.levers[k], self.points[k] = lever, lever + (x, y)
            self.velocities[k] = (vx - omega * lever[1], vy + omega * lever[0])

    @property
    def distance(self) -> float:
        return float(np.linalg.norm(self.points[1] - self.points[0]))

    @property
    def direction(self) -> np.ndarray:
        return (self.points[1] - self.points[0]) / self.distance

    @property
    def opening(self) -> float:
        """The rate of the distance."""
        return float(self.direction @ (self.velocities[1] - self.velocities[0]))

    def pulled(self, tension: float) -> np.ndarray:
        """Q of a rope between both points."""
        return np.concatenate([self.at(0, tension * self.direction), self.at(1, -tension * self.direction)])

    def turned(self, moment: float) -> np.ndarray:
        """Q of a moment on the second body, and against the first."""
        return np.array([0, 0, -moment, 0, 0, moment])

    def at(self, k: int, force: np.ndarray) -> np.ndarray:
        x, y = self.levers[k]
        return np.array([*force, x * force[1] - y * force[0]])

    @property
    def angle(self) -> float:
        return float(self.q[5] - self.q[2])

    @property
    def rate(self) -> float:
        return float(self.v[5] - self.v[2])

    def on_second(self, force: np.ndarray) -> np.ndarray:
        return np.concatenate([np.zeros(3), self.at(1, np.asarray(force))])


def body_axes(pair: Pair, force: tuple[float, float]) -> np.ndarray:
    c, s = np.cos(pair.q[5]), np.sin(pair.q[5])
    return np.array([c * force[0] - s * force[1], s * force[0] + c * force[1]])


TEXTBOOK: dict[str, tuple[Callable[[Pair], mbs.ForceElement], Callable[[Pair], np.ndarray]]] = {
    "Spring": (
        lambda x: mbs.Spring("f", x.i, x.j, stiffness=3, length=0.5),
        lambda x: x.pulled(3 * (x.distance - 0.5)),
    ),
    "Damper": (lambda x: mbs.Damper("f", x.i, x.j, damping=2), lambda x: x.pulled(2 * x.opening)),
    "Damper with a law": (
        lambda x: mbs.Damper("f", x.i, x.j, law=4 * mbs.rate**3),
        lambda x: x.pulled(4 * x.opening**3),
    ),
    "SpringDamper": (
        lambda x: mbs.SpringDamper("f", x.i, x.j, stiffness=3, damping=2, length=0.5),
        lambda x: x.pulled(3 * (x.distance - 0.5) + 2 * x.opening),
    ),
    "SpringDamper with a law": (
        lambda x: mbs.SpringDamper("f", x.i, x.j, law=mbs.length**2 * mbs.rate),
        lambda x: x.pulled(x.distance**2 * x.opening),
    ),
    "TorsionSpring": (
        lambda x: mbs.TorsionSpring("f", x.i, x.j, stiffness=3, damping=2, angle=0.25),
        lambda x: x.turned(-3 * (x.angle - 0.25) - 2 * x.rate),
    ),
    "Motor": (
        lambda x: mbs.Motor("f", x.i, x.j, torque=5 * (1 - mbs.speed / 7)),
        lambda x: x.turned(5 * (1 - x.rate / 7)),
    ),
    "Torque": (lambda x: mbs.Torque("f", x.i, x.j, 4), lambda x: x.turned(4)),
    "Torque on one body": (lambda x: mbs.Torque("f", x.b, 4), lambda x: np.array([0, 0, 0, 0, 0, 4])),
    "ViscousFriction": (lambda x: mbs.ViscousFriction("f", x.i, x.j, coefficient=2), lambda x: x.turned(-2 * x.rate)),
    "Force": (lambda x: mbs.Force("f", x.j, (3, -2)), lambda x: x.on_second([3, -2])),
    "Force in body axes": (
        lambda x: mbs.Force("f", x.j, (3, -2), axes="body"),
        lambda x: x.on_second(body_axes(x, (3, -2))),
    ),
    "Drag": (
        lambda x: mbs.Drag("f", x.j, coefficient=2),
        lambda x: x.on_second(-2 * np.linalg.norm(x.velocities[1]) * x.velocities[1]),
    ),
    "Actuator": (lambda x: mbs.Actuator("f", x.i, x.j, 4), lambda x: x.pulled(-4)),
    "Wrench": (
        lambda x: mbs.Wrench("f", x.j, force=(3, -2), moment=4),
        lambda x: x.on_second([3, -2]) + [0, 0, 0, 0, 0, 4],
    ),
    "Bushing": (
        lambda x: mbs.Bushing("f", x.i, x.j, stiffness=(3, 3, 2)),
        lambda x: x.pulled(3 * x.distance) + x.turned(-2 * x.angle),
    ),
}


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("name", TEXTBOOK)
def test_a_force_is_that_of_the_textbook(name):
    build, formula = TEXTBOOK[name]
    for seed in range(4):
        pair = Pair(seed)
        pair.model.add(build(pair))
        found = evaluated_loads(pair.model.compile(), 0.0, pair.q, pair.v).forces
        assert found == pytest.approx(formula(pair), abs=1e-13)


def test_the_textbook_has_all_forces_of_the_package():
    own = {c.__name__ for c in force_classes() if c.__module__.startswith("mbs_dae")}
    assert own == {name.split()[0] for name in TEXTBOOK}


@dataclass
class SpatialPair:
    """Two bodies in space at a random place, which share the direction of the axes of their markers; the second is
    turned about it by an angle of several turns."""

    seed: int

    def __post_init__(self):
        random = np.random.default_rng(self.seed)
        self.model = mbs.SpatialModel("pair")
        self.a, self.b = (self.model.body(name) for name in "ab")
        first, direction = Rotation.random(random_state=self.seed), random.normal(size=3)
        direction /= np.linalg.norm(direction)
        self.angle = float(random.uniform(-40, 40))
        self.axis = first.apply(direction)
        attitudes = [first, Rotation.from_rotvec(self.angle * self.axis) * first]
        self.arms, places, speeds, self.spins = random.uniform(-1, 1, (4, 2, 3))
        frame = {"axis": direction, "x_axis": random.normal(size=3)}
        self.i, self.j = (body.at(*arm, **frame) for body, arm in zip((self.a, self.b), self.arms, strict=True))
        self.A = np.stack([r.as_matrix() for r in attitudes])
        self.levers = np.einsum("krc,kc->kr", self.A, self.arms)
        self.points = places + self.levers
        self.velocities = speeds + np.cross(np.einsum("krc,kc->kr", self.A, self.spins), self.levers)
        layout = self.model.compile().layout
        self.q, self.v = np.zeros(layout.q_size), np.zeros(layout.v_size)
        self.q[list(layout.q[self.model.ground])[3]] = 1
        counted = self.angle * direction + random.uniform(-0.2, 0.2, 3)  # counting need not be exact to count right
        for k, body in enumerate((self.a, self.b)):
            e = attitudes[k].as_quat()[[3, 0, 1, 2]]
            self.q[list(layout.q[body])] = [*places[k], *e, *(k * counted)]
            self.v[list(layout.v[body])] = [*speeds[k], *self.spins[k]]

    distance, direction, opening = Pair.distance, Pair.direction, Pair.opening

    @property
    def rate(self) -> float:
        first, second = np.einsum("krc,kc->kr", self.A, self.spins)
        return float(self.axis @ (second - first))

    def at(self, k: int, force: Any, moment: Any = (0, 0, 0)) -> np.ndarray:
        return np.array([*force, *(self.A[k].T @ (np.cross(self.levers[k], force) + moment))])

    def pulled(self, tension: float) -> np.ndarray:
        return np.concatenate([self.at(0, tension * self.direction), self.at(1, -tension * self.direction)])

    def turned(self, moment: float) -> np.ndarray:
        return np.concatenate([self.at(k, (0, 0, 0), sign * moment * self.axis) for k, sign in ((0, -1), (1, 1))])

    def on_second(self, force: Any, moment: Any = (0, 0, 0)) -> np.ndarray:
        return np.concatenate([np.zeros(6), self.at(1, force, moment)])


FORCE, MOMENT = np.array([3.0, -2.0, 1.0]), np.array([0.5, 1.5, -2.5])


def frame_of_second(x: SpatialPair) -> np.ndarray:
    """The axes of the second marker, as columns in world axes."""
    return x.A[1] @ np.array(x.j.axes, dtype=float)


IN_SPACE = {
    name: TEXTBOOK[name]
    for name in TEXTBOOK
    if name.split()[0] not in ("Force", "Wrench", "Bushing") and "one body" not in name
} | {
    "Torque about an axis": (
        lambda x: mbs.Torque("f", x.j, 4),
        lambda x: x.on_second((0, 0, 0), 4 * x.axis),
    ),
    "Force": (lambda x: mbs.Force("f", x.j, FORCE), lambda x: x.on_second(FORCE)),
    "Force in body axes": (
        lambda x: mbs.Force("f", x.j, FORCE, axes="body"),
        lambda x: x.on_second(frame_of_second(x) @ FORCE),
    ),
    "Wrench": (
        lambda x: mbs.Wrench("f", x.j, force=FORCE, moment=MOMENT),
        lambda x: x.on_second(FORCE, MOMENT),
    ),
    "Wrench in body axes": (
        lambda x: mbs.Wrench("f", x.j, force=FORCE, moment=MOMENT, axes="body"),
        lambda x: x.on_second(frame_of_second(x) @ FORCE, frame_of_second(x) @ MOMENT),
    ),
    "Bushing": (  # a turn about one axis alone: U = ½ k (2 sin(θ/2))²
        lambda x: mbs.Bushing("f", x.i, x.j, stiffness=(3, 3, 3, 5, 5, 2)),
        lambda x: x.pulled(3 * x.distance) + x.turned(-2 * np.sin(x.angle)),
    ),
}


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("name", IN_SPACE)
def test_a_force_in_space_is_that_of_the_textbook(name):
    """A torsion spring, wound up by several turns, knows them."""
    build, formula = IN_SPACE[name]
    for seed in range(2):
        pair = SpatialPair(seed)
        pair.model.add(build(pair))
        found = evaluated_loads(pair.model.compile(), 0.0, pair.q, pair.v).forces
        assert found == pytest.approx(formula(pair), abs=1e-12 * max(1.0, abs(pair.angle)))


def test_the_textbook_in_space_has_all_forces_of_the_package():
    own = {c.__name__ for c in force_classes() if c.__module__.startswith("mbs_dae")}
    assert own == {name.split()[0] for name in IN_SPACE}


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("dimension", [2, 3], ids=WORDS.get)
@pytest.mark.parametrize("cls", [mbs.Spring, mbs.SpringDamper, mbs.TorsionSpring], ids=lambda c: c.__name__)
def test_a_spring_is_free_in_the_reference_placement(cls, dimension):
    s = stage(f"free {cls.__name__}", True, dimension)
    s.model.add(cls("spring", s.marker(s.moving[0]), s.marker(s.moving[1]), stiffness=100.0))
    system = s.model.compile()
    found = evaluated_loads(system, 0.0, system.placement, system.still)
    assert np.abs(found.forces).max() < 1e-12 and abs(found.potential) < 1e-12
    bent = system.moved(system.placement, np.linspace(0.1, 0.5, len(system.still)))
    assert np.abs(evaluated_loads(system, 0.0, bent, system.still).forces).max() > 1


def test_friction_in_a_sliding_joint_brakes_the_slide():
    s = stage("slide")
    guide = s.model.add(mbs.Translational("guide", s.ground.at(0, 0, 0.3), s.moving[0]))
    s.model.add(mbs.ViscousFriction("friction", guide, coefficient=2.0))
    system = s.model.compile()
    v = system.still
    v[:2] = np.cos(0.3), np.sin(0.3)
    forces = evaluated_loads(system, 0.0, system.placement, v).forces
    assert forces[:3] == pytest.approx([-2 * np.cos(0.3), -2 * np.sin(0.3), 0.0], abs=1e-14)


# --- quantities that are read, and nothing more ----------------------------------------------------------------

READING = {
    "the law of a spring": lambda m, a, b: mbs.Spring("f", a, b, law=m["c.y"] * mbs.length),
    "the law of a torsion spring": lambda m, a, b: mbs.TorsionSpring("f", a, b, law=m["c.x"] * mbs.theta),
    "an effort of one's own": lambda m, a, b: Breathing("f", a, b, stiffness=1 + m["c.x"] ** 2),
    "a torque": lambda m, a, b: mbs.Torque("f", a, b, m["c.x"] * m["c.vy"]),
    "a force": lambda m, a, b: mbs.Force("f", a, (m["c.x"], m["c.vy"], 1)[: m.dimension]),
}


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("dimension", [2, 3], ids=WORDS.get)
@pytest.mark.parametrize("kind", READING)
def test_a_body_whose_quantities_are_read_feels_nothing(kind, dimension):
    s = stage(kind, dimension=dimension)
    a, b, _ = s.moving
    s.model.add(READING[kind](s.model, a.at(*(0.1, 0.2, 0.3)[:dimension]), b))
    system = s.model.compile()
    motion = motions(s, 1)[0]
    forces = evaluated_loads(system, motion.t0, motion.q0, motion.v0).forces.reshape(3, -1)
    assert np.abs(forces[:2]).max() > 0
    assert not forces[2].any()


# --- inertia ----------------------------------------------------------------------------------------------------


def moved(x: list, k: int, h: Any) -> list:
    return [number(e) + h if i == k else number(e) for i, e in enumerate(x)]


def lagrange(kinetic: Callable, potential: Callable, motion: Motion, k: int) -> mp.mpf:
    """d/dt ∂T/∂v - ∂T/∂q + ∂U/∂q, of the first body's coordinate k."""

    def momentum(h):
        now, fast = motion.q(h)[:3], motion.v(h)[:3]
        return slope(lambda e: kinetic(now, moved(fast, k, e)))

    q, v, _ = at(motion)
    q, v = q[:3], v[:3]
    return slope(momentum) - slope(lambda h: kinetic(moved(q, k, h), v) - potential(moved(q, k, h)))


@pytest.mark.parametrize("com", [(0.0, 0.0), (0.3, -0.7)], ids=["centred", "offset"])
def test_inertia_follows_from_the_kinetic_energy(com):
    """M a - Q = d/dt ∂T/∂v - ∂T/∂q + ∂U/∂q along random motions; T and U by the velocity of the centre of mass."""
    mass, inertia, gravity = 1.7, 0.4, (0.8, -9.81)
    model = mbs.PlanarModel("body", gravity=gravity)
    model.body("a", mass=mass, inertia=inertia, com=com)
    model.body("b", mass=2.0, inertia=1.0, com=(1.0, 1.0))
    system = model.compile()
    random = np.random.default_rng(4)

    def kinetic(q, v):
        (_, _, phi), (vx, vy, omega) = q, v
        cx, cy = com
        rx, ry = mp.cos(phi) * cx - mp.sin(phi) * cy, mp.sin(phi) * cx + mp.cos(phi) * cy
        return mass * ((vx - omega * ry) ** 2 + (vy + omega * rx) ** 2) / 2 + inertia * omega**2 / 2

    def potential(q):
        x, y, phi = q
        cx, cy = com
        return -mass * (
            gravity[0] * (x + mp.cos(phi) * cx - mp.sin(phi) * cy)
            + gravity[1] * (y + mp.sin(phi) * cx + mp.cos(phi) * cy)
        )

    for _ in range(5):
        q0, v0, a0 = random.uniform(-3, 3, (3, len(system.still)))
        motion = Motion(system.layout, 0.0, q0, v0, a0)
        loads = evaluated_loads(system, 0.0, q0, v0)
        with mp.workdps(DIGITS):
            q, v, _ = at(motion)
            q, v = q[:3], v[:3]
            expected = [lagrange(kinetic, potential, motion, k) for k in range(3)]
            energy, height = kinetic(q, v), potential(q)
        found = loads.mass @ a0[: system.nv] - loads.forces
        assert found[:3] == pytest.approx([float(e) for e in expected], rel=1e-12, abs=1e-12)
        assert not loads.mass[:3, 3:].any()
        alone = mbs.PlanarModel("one", gravity=gravity)
        alone.body("a", mass=mass, inertia=inertia, com=com)
        own = evaluated_loads(alone.compile(), 0.0, q0[[0, 1, 2, 6, 7, 8]], v0[[0, 1, 2, 6, 7, 8]])
        assert (own.kinetic, own.potential) == pytest.approx((float(energy), float(height)), rel=1e-13)


# --- the same force in Python -----------------------------------------------------------------------------------


def swinging() -> mbs.PlanarModel:
    """A double pendulum; its tips have names."""
    model = mbs.PlanarModel("double pendulum", gravity=(0.0, -9.81))
    upper = model.link("upper", (0, 0), (1, 0.2), mass=1.0)
    lower = model.link("lower", (1, 0.2), (1.5, -0.6), mass=0.7)
    lower.marker("tip", 0.4, 0.1)
    model.add(
        mbs.Revolute("A", model.ground, upper.tail),
        mbs.Revolute("B", upper.head, lower.tail),
    )
    return model


def spring_and_drag(t, i, j):
    """What `SAME` says, in numbers."""
    (x, y), (vx, vy) = (np.subtract(j.point, i.point), np.subtract(j.velocity, i.velocity))
    length = np.hypot(x, y)
    tension = 5 * (length - 0.4) + 0.3 * (x * vx + y * vy) / length
    pull = np.array([x, y]) / length * tension
    wind = np.array([np.sin(3 * t), 0.2 * j.omega])
    moment = 0.1 * np.cos(j.angle) * j.x_axis[0]
    return [(*pull, -moment), (*(wind - pull), moment)]


def said_in_sympy(model: mbs.PlanarModel) -> tuple[mbs.ForceElement, ...]:
    tip, top = model.bodies["lower"].tip, model.bodies["upper"].head
    moment = sp.cos(model["lower.angle"]) ** 2 / 10
    return (
        mbs.SpringDamper("spring", top, tip, stiffness=5, damping=0.3, length=0.4),
        mbs.Force("wind", tip, (sp.sin(3 * mbs.t), model["lower.omega"] / 5)),
        mbs.Torque("twist", model.bodies["upper"], model.bodies["lower"], moment),
    )


def test_a_force_in_python_is_the_same_force_in_sympy():
    model = swinging()
    tip, top = model.bodies["lower"].tip, model.bodies["upper"].head
    times = np.linspace(0, 1, 11)
    options: dict[str, Any] = {"step": 5e-3, "method": "DP5", "stabilization": mbs.Projection()}
    start = {"upper.omega": 1.0, "lower.omega": -2.0}
    python = mbs.PythonForce("all", top, tip, function=spring_and_drag)
    one = mbs.simulate(model.plus(python), times, start, **options)
    other = mbs.simulate(model.plus(*said_in_sympy(model)), times, start, **options)
    none = mbs.simulate(model, times, start, **options)
    for level in ("q", "v", "a", "multipliers"):
        np.testing.assert_allclose(getattr(one, level), getattr(other, level), rtol=0, atol=1e-12 * 50)
    assert np.abs(one.q - none.q).max() > 0.1
    assert np.abs(one.energy.error).max() < 1e-6
    assert one.energy.supplied == pytest.approx(
        other.energy.supplied - other.energy.dissipated - spring_energy(other), abs=1e-6
    )
    with refused("unknown-name", owner="the result", kind="joint, driver or force"):
        one.reaction("nobody")


def spring_energy(res: mbs.Result) -> np.ndarray:
    """What the spring has stored since the start."""
    bars = {name: np.stack([res[f"{name}.x"], res[f"{name}.y"]]) for name in ("lower.tip", "upper.head")}
    length = np.linalg.norm(bars["lower.tip"] - bars["upper.head"], axis=0)
    stored = 5 * (length - 0.4) ** 2 / 2
    return stored - stored[0]


def swinging_in_space() -> mbs.SpatialModel:
    """Two rods on ball joints; both have an inertia about their own axes."""
    model = mbs.SpatialModel("two rods", gravity=(0.0, 0.0, -9.81))
    upper = model.link("upper", (0, 0, 0), (1, 0.2, 0.1), mass=1.0, radius=0.1)
    lower = model.link("lower", (1, 0.2, 0.1), (1.5, -0.6, 0.3), mass=0.7, radius=0.1)
    lower.marker("tip", 0.4, 0.1, 0.05, axis=(1, 0.2, 0))
    model.add(
        mbs.Spherical("A", model.ground, upper.tail),
        mbs.Spherical("B", upper.head, lower.tail),
    )
    return model


def spring_and_twist(t, i, j):
    """What `said_in_space` says, in numbers."""
    d, closing = np.subtract(j.point, i.point), np.subtract(j.velocity, i.velocity)
    length = np.linalg.norm(d)
    pull = d / length * (5 * (length - 0.4) + 0.3 * (d @ closing) / length)
    wind = np.array([np.sin(3 * t), 0.2 * j.omega[2], 0.0])
    twist = 0.1 * j.x_axis[0] * np.array(j.z_axis)
    return [(*pull, *np.zeros(3)), (*(wind - pull), *twist)]


def said_in_space(model: mbs.SpatialModel) -> tuple[mbs.ForceElement, ...]:
    tip, top = model.bodies["lower"].tip, model.bodies["upper"].head

    class Twist(mbs.ForceElement):
        dimensions = (3,)

        @staticmethod
        def force(i):
            return [(0, 0, 0, *(i.x_axis[0] * i.z_axis / 10))]

    return (
        mbs.SpringDamper("spring", top, tip, stiffness=5, damping=0.3, length=0.4),
        mbs.Force("wind", tip, (sp.sin(3 * mbs.t), model["lower.wz"] / 5, 0)),
        Twist("twist", tip),
    )


@pytest.mark.slow
def test_a_force_in_python_is_the_same_force_in_sympy_in_space():
    model = swinging_in_space()
    tip, top = model.bodies["lower"].tip, model.bodies["upper"].head
    times = np.linspace(0, 0.5, 6)
    options: dict[str, Any] = {"step": 5e-3, "method": "DP5", "stabilization": mbs.Projection()}
    start = {"upper.wx": 1.0, "upper.wy": 0.0, "upper.wz": 2.0, "lower.wx": 0.0, "lower.wy": -2.0, "lower.wz": 1.0}
    python = mbs.PythonForce("all", top, tip, function=spring_and_twist)
    one = mbs.simulate(model.plus(python), times, start, **options)
    other = mbs.simulate(model.plus(*said_in_space(model)), times, start, **options)
    none = mbs.simulate(model, times, start, **options)
    for level in ("q", "v", "a", "multipliers"):
        np.testing.assert_allclose(getattr(one, level), getattr(other, level), rtol=0, atol=1e-10)
    assert np.abs(one.q - none.q).max() > 0.1
    assert np.abs(one.energy.error).max() < 1e-6
    both = other.reaction("wind") + other.reaction("twist") + other.reaction("spring")
    np.testing.assert_allclose(one.reaction("all"), both, atol=1e-10)


# --- power in a run ---------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_every_force_keeps_the_ledger_of_energy_in_space():
    """Kinetic + potential = supplied - dissipated, with one force of each kind at work at once."""
    model = mbs.SpatialModel("all forces", gravity=(0.3, 0.2, -9.81))
    a = model.body("a", mass=1.0, inertia=[[0.3, 0.02, 0], [0.02, 0.4, 0.03], [0, 0.03, 0.5]], com=(0.1, 0.2, -0.1))
    b = model.body("b", mass=0.6, inertia=(0.1, 0.2, 0.25), position=(0.8, 0.1, 0.0))
    c = model.body("c", mass=0.8, inertia=0.2, position=(1.5, 0.0, 0.2))
    pin = mbs.Revolute("pin", a, b, at=(0.4, 0, 0), axis=(1, 2, 2))
    guide = mbs.Prismatic("guide", b, c, at=(1, 0, 0), axis=(1, 0, 0.2))
    model.add(mbs.Spherical("ball", model.ground, a, at=(0, 0, 0)), pin, guide)
    model.add(
        mbs.Spring("spring", model.ground.at(1, 1, 1), c.at(0, 0.1, 0), stiffness=20.0),
        mbs.Damper("damper", model.ground.at(-1, 1, 0), b.at(0, 0, 0.1), damping=0.5),
        mbs.SpringDamper("both", a.at(0, 0, 0.3), c, stiffness=4.0, damping=0.2),
        mbs.TorsionSpring("torsion", pin, stiffness=0.6, damping=0.05),
        mbs.Motor("motor", pin, torque=2 * (1 - mbs.speed / 9)),
        mbs.ViscousFriction("friction", guide, coefficient=0.8),
        mbs.ViscousFriction("bearing", pin, coefficient=0.02),
        mbs.Torque("torque", a.at(0, 0, 0, axis=(0, 1, 1)), sp.sin(3 * mbs.t)),
        mbs.Force("force", b, (1, sp.cos(2 * mbs.t), model["c.vx"]), axes="body"),
        mbs.Wrench("wrench", c, force=(0, 1, 0), moment=(0.1, 0, 0.2 * mbs.t), axes="body"),
        mbs.Drag("drag", c.at(0.1, 0, 0), coefficient=0.3),
        mbs.Actuator("actuator", guide, sp.sin(4 * mbs.t)),
        mbs.Bushing("bushing", model.ground.at(1, 0, 0), b, stiffness=(9, 8, 7, 0.3, 0.2, 0.1)),
    )
    names = {type(e).__name__ for e in model.forces}
    assert names == {c.__name__ for c in force_classes() if c.__module__.startswith("mbs_dae")}
    res = mbs.simulate(model, np.linspace(0, 1.5, 61), {"pin.omega": 3.0, "guide.velocity": 0.2}, rtol=1e-10)
    energy = res.energy
    assert np.abs(energy.error).max() < 1e-8
    assert min(np.ptp(energy.kinetic), np.ptp(energy.potential), energy.dissipated[-1], np.ptp(energy.supplied)) > 0.1
    assert (np.diff(energy.dissipated) >= 0).all()
    work = CubicSpline(res.t, res.power("motor")).integrate(0, 1.5)
    assert work == pytest.approx(CubicSpline(res.t, res.effort("motor") * res["pin.omega"]).integrate(0, 1.5))


# --- random laws ------------------------------------------------------------------------------------------------

numbers = st.floats(-3, 3).map(lambda x: round(x, 3))


@pytest.mark.usefixtures("interpreted_kernels")
@settings(max_examples=5, deadline=None, derandomize=True)
@given(st.lists(numbers, min_size=2, max_size=4), st.lists(numbers, min_size=1, max_size=3))
def test_a_law_of_any_polynomial_is_evaluated_as_it_is_written(of_length, of_rate):
    """Tension = Σ aₖ lengthᵏ + Σ bₖ rateᵏ, whatever the coefficients: also zero, equal, and whole ones."""
    tension = sum(c * mbs.length**k for k, c in enumerate(of_length))
    tension += sum(c * mbs.rate ** (k + 1) for k, c in enumerate(of_rate))
    pair = Pair(7)
    pair.model.add(mbs.SpringDamper("f", pair.i, pair.j, law=tension))
    expected = sum(c * pair.distance**k for k, c in enumerate(of_length))
    expected += sum(c * pair.opening ** (k + 1) for k, c in enumerate(of_rate))
    found = evaluated_loads(pair.model.compile(), 0.0, pair.q, pair.v).forces
    assert found == pytest.approx(pair.pulled(expected), abs=1e-10)
