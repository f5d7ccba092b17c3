"""The contract of every force, at random states.

What the compiled kernels say of Q, of energies and of powers is held against a computation that shares nothing with
them: markers are placed by the arithmetic of `test_joint_contract`, what the class says is evaluated there in 40
digits, and virtual work is done by numerical differentiation:

    Q = -∂U/∂q + ∂(f · ṁ)/∂v,        along a coordinate s:  Q = F ∂s/∂q.

A force class is covered by being registered. Its arguments are made up from the fields that it declares. What the
package's own classes say is held against the formulas of a textbook besides.
"""

from __future__ import annotations

import itertools
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from math import pi
from typing import Any

import mpmath as mp
import numpy as np
import pytest
import sympy as sp
from helpers import Loads, evaluated_loads
from hypothesis import given, settings
from hypothesis import strategies as st
from test_joint_contract import (
    CENTRAL,
    DIGITS,
    MEASURES,
    Motion,
    Reference,
    Stage,
    floats,
    motions,
    number,
    periodic_spline,
    placements,
    slope,
    stage,
)

import mbs_dae as mbs
from mbs_dae import model as model_room
from mbs_dae.model.fields import Choice, Expression, Function, Scalar
from mbs_dae.symbolic.markers import PlanarMarker

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
        return -strength * (i.x_axis.dot(d) + sp.cos(j.angle)) / (reach**2 + d.dot(d))


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
        v = i.velocity
        return [(-lift * i.omega * v[1], lift * i.omega * v[0], -brake * i.omega)]


class Tether(mbs.ForceElement):
    """A winch on the first body, a pull of three bodies on each other; the third feels no moment."""

    pull = mbs.expression("N")
    share = mbs.choice(1, 2)

    @staticmethod
    def force(i, j, k, pull, share):
        return [(pull, sp.sin(mbs.t), pull * i.omega), (-pull / share, 0, 0), (0, -sp.sin(mbs.t))]


class Bumper(mbs.EffortElement):
    """A hardening slide, with friction that grows with the way: of coordinates of every kind."""

    coordinates = ("displacement", "distance", "angle", "x", "y")
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
        return mbs.Table(x, y, periodic=True), lambda u, *_: periodic_spline(x, y)(u)
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
    place = s.random.uniform(-1, 1, 2)
    tip = s.moving[2].marker(f"tip{len(s.moving[2].markers)}", *place)
    name = tip.label
    given = a * s.model[f"{name}.vx"] - b * s.model["a.omega"] * s.model[f"{name}.y"] + sp.cos(s.model["b.angle"])

    def value(q, v, t):
        marker = Reference(s, ()).place(tip, q, v)
        slow = s.exact(b) * number(v[2]) * number(marker.m[1])
        return s.exact(a) * number(marker.rates[0]) - slow + mp.cos(q[5])

    return given, value


def variants(cls: type[mbs.ForceElement]) -> Iterator[tuple[str, dict[str, Any], str, str]]:
    """Every combination of choices and of forms of functions and expressions: a name, choices, both forms."""
    names = [n for n, f in cls.fields.items() if isinstance(f, Choice)]
    kinds = {type(f) for f in cls.fields.values()}
    if strange := kinds - {Choice, Expression, Function, Scalar}:
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


def moved(x: list, k: int, h: Any) -> list:
    return [number(e) + h if i == k else number(e) for i, e in enumerate(x)]


def at(motion: Motion) -> tuple[list, list, mp.mpf]:
    t = mp.mpf(motion.t0)
    return motion.q(t), motion.v(t), t


def force_case(cls: Any, name: str, chosen: dict, of: str, telling: str, where: str) -> Case:
    """A class with `potential` or `force`."""
    s = stage(name + where, parameters="all moving" in where)
    count = len(cls.marker_names)
    markers = tuple(s.marker(body) for body in dict(placements(count, s.moving, s.ground))[where])
    given, exact = made_up(s, cls, of, telling)
    element = s.model.add(cls("load", *markers, **chosen, **given))
    reference = Reference(s, markers)

    def placed(q: list, v: list) -> list[PlanarMarker]:
        return [reference.place(m, q, v) for m in markers]

    def expected(motion: Motion) -> Expected:
        q, v, t = at(motion)
        now = {mbs.t: sp.Float(t, DIGITS), **{symbol: s.exact(symbol) for symbol in s.values}}
        constants = {**chosen, **{n: sp.sympify(f(q, v, t)) for n, f in exact.items()}}

        def energy(q: list, t: Any = t) -> mp.mpf:
            say = getattr(cls, "potential", None)
            then = {**now, mbs.t: sp.Float(t, DIGITS)}
            return number(sp.sympify(say(*placed(q, v), **constants)).xreplace(then)) if say else mp.mpf(0)

        wrenches: list[list] = []
        if say := getattr(cls, "force", None):
            acts = say(*placed(q, v), **constants)
            wrenches = [[number(sp.sympify(e).xreplace(now)) for e in (*w, 0)[:3]] for w in acts]

        def power(v: list) -> mp.mpf:
            rates = [[number(r) for r in (*m.rates[:2], m.rates[4])] for m in placed(q, v)]
            total = sum((f * r for w, rate in zip(wrenches, rates, strict=False) for f, r in zip(w, rate, strict=True)))
            return mp.mpf(total)

        still = [mp.mpf(0)] * len(v)
        forces = [
            power(moved(still, k, mp.mpf(1))) - slope(lambda h, k=k: energy(moved(q, k, h)))
            for k in range(s.model.compile().nv)
        ]
        powers = {cls.work: float(power(v))} if wrenches else {}
        if growth := slope(lambda h: energy(q, t + h)):
            powers["supplied"] = powers.get("supplied", 0.0) + float(growth)
        return Expected(floats(forces), float(energy(q)), powers)

    return Case(s, element, expected)


def effort_case(cls: Any, name: str, chosen: dict, of: str, telling: str, on: str, where: str) -> Case:
    """A class with `effort`, on a coordinate given in one of several ways."""
    s = stage(name + on + where, parameters="all moving" in where)
    kind, by = on.split(" by ")
    one = by in ("one marker", "measure of one")
    _, count, value = MEASURES["angle of one" if kind == "angle" and one else kind]
    markers = tuple(s.marker(body) for body in dict(placements(count, s.moving, s.ground))[where])
    given, exact = made_up(s, cls, of, telling)
    if by.startswith("measure"):
        things: tuple = (getattr(mbs, kind)(*markers),)
    elif by == "joint":
        things = (s.model.add(JOINTS_OF[kind]("joint", *markers)),)
    else:
        things = markers
    element = s.model.add(cls("load", *things, **chosen, **given))
    reference = Reference(s, markers)

    def coordinate(q: list) -> mp.mpf:
        return number(value(*(reference.place(m, q, [mp.mpf(0)] * len(q)) for m in markers)))

    def expected(motion: Motion) -> Expected:
        q, v, t = at(motion)
        now = {mbs.t: sp.Float(t, DIGITS), **{symbol: s.exact(symbol) for symbol in s.values}}
        constants = {**chosen, **{n: f(q, v, t) for n, f in exact.items()}}
        rate = slope(lambda h: coordinate([x + h * number(y) for x, y in zip(q, v, strict=True)]))

        def effort(rate: Any) -> mp.mpf:
            said = cls.effort(sp.Float(coordinate(q), DIGITS), sp.Float(rate, DIGITS), **constants)
            return number(sp.sympify(said).xreplace(now))

        total, elastic = effort(rate), effort(mp.mpf(0))
        slopes = [slope(lambda h, k=k: coordinate(moved(q, k, h))) for k in range(s.model.compile().nv)]
        if cls.work == "dissipated":
            powers = {"dissipated": float((total - elastic) * rate)}
        else:
            powers = {cls.work: float(total * rate)}
        return Expected(floats([total * x for x in slopes]), None, powers)

    return Case(s, element, expected)


def force_classes() -> list[Any]:
    """The package's own classes and those of this file: other files may register theirs."""
    return [c for c in mbs.registered_forces() if c.__module__.partition(".")[0] in ("mbs_dae", __name__)]


def cases() -> Iterator[Any]:
    for cls in force_classes():
        for n, variant in enumerate(variants(cls)):
            if not issubclass(cls, mbs.EffortElement):
                for where, _ in placements(len(cls.marker_names), ["a", "b", "c"], "ground"):
                    yield pytest.param(force_case, (cls, *variant, where), id=f"{variant[0]}, {where}")
                continue
            for on in ways(cls):
                count = 1 if "one" in on or on[0] in "xy" else 2
                for where, _ in itertools.islice(placements(count, ["a", "b", "c"], "ground"), 1 if n else None):
                    yield pytest.param(effort_case, (cls, *variant, on, where), id=f"{variant[0]}, {on}, {where}")


def ways(cls: type[mbs.EffortElement]) -> Iterator[str]:
    """How the coordinate of an effort can be told."""
    yield f"{cls.coordinates[0]} by markers"
    if cls.fewest == 1:
        yield f"{cls.coordinates[0]} by one marker"
    for kind in cls.coordinates:
        yield f"{kind} by measure"
        if kind in JOINTS_OF:
            yield f"{kind} by joint"
        if kind == "angle":
            yield f"{kind} by measure of one"


CASES = list(cases())


@pytest.mark.parametrize(("build", "arguments"), CASES)
def test_a_registered_force_is_what_its_class_says(build, arguments):
    case = build(*arguments)
    system = case.stage.model.compile()
    for motion in motions(case.stage)[:2]:
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
        check_wrenches(system, case, motion, found)


def check_power(system: Any, motion: Motion, found: Loads, scale: float) -> None:
    """Nothing is lost: what the forces do is what leaves the potential, and the three kinds of work."""
    fine = 1e-3

    def energy(h: float) -> float:
        q = motion.q0 + h * motion.v0
        return evaluated_loads(system, motion.t0 + h, q, motion.v0).potential

    loss = -sum(c * (energy(k * fine) - energy(-k * fine)) for k, c in CENTRAL.items()) / fine
    done = float(found.forces @ motion.v0[: system.nv])
    # the work done on bodies = what the potential loses + what is let in; `dissipated` counts force times velocity
    given = loss + found.stored + found.dissipated + found.supplied
    assert done == pytest.approx(given, abs=1e-8 * scale)


def check_wrenches(system: Any, case: Case, motion: Motion, found: Loads) -> None:
    """Forces and moments on markers, as reactions report them, make the same Q."""
    element = case.element
    load, slots = element.form()
    state = (np.array([motion.t0]), motion.q0[None], motion.v0[None])
    wrenches = system.read_values(load.wrenches, slots, element.markers, *state)[0].reshape(-1, 3)
    forces = np.zeros(motion.q0.size)
    for marker, (fx, fy, moment) in zip(element.markers, wrenches, strict=True):
        first = system.start[marker.body]
        phi = motion.q0[first + 2]
        sx, sy = (float(case.stage.exact(e)) for e in (marker.x, marker.y))
        x, y = np.cos(phi) * sx - np.sin(phi) * sy, np.sin(phi) * sx + np.cos(phi) * sy
        forces[first : first + 3] += [fx, fy, moment + x * fy - y * fx]
    scale = max(1.0, np.abs(forces).max())
    np.testing.assert_allclose(found.forces, forces[: system.nv], rtol=0, atol=EXACT * scale)


BETWEEN_TWO = [c for c in CASES if c.values[0] is effort_case and "all moving" in c.id and " one" not in c.id]


@pytest.mark.parametrize(
    ("build", "arguments"), [c for c in BETWEEN_TWO if not c.values[1][-2].startswith(("x ", "y "))]
)
def test_an_effort_between_two_bodies_keeps_the_third_law(build, arguments):
    """Their forces cancel, and so do their moments about the world's origin; no third body feels anything."""
    case = build(*arguments)
    system = case.stage.model.compile()
    for motion in motions(case.stage):
        forces = evaluated_loads(system, motion.t0, motion.q0, motion.v0).forces.reshape(-1, 3)
        scale = max(1.0, np.abs(forces).max())
        x, y = motion.q0[: system.nv].reshape(-1, 3)[:, :2].T
        moments = forces[:, 2] + x * forces[:, 1] - y * forces[:, 0]
        assert [*forces[:, :2].sum(axis=0), moments.sum()] == pytest.approx([0, 0, 0], abs=1e-13 * scale)
        assert not forces[2].any()
        assert np.abs(forces[:2]).max() > 0


def test_every_force_of_the_package_is_registered():
    before = set(mbs.registered_forces())
    for module in pkgutil.walk_packages(model_room.__path__, model_room.__name__ + "."):
        import_module(module.name)
    assert set(mbs.registered_forces()) == before
    own = {c.__name__ for c in force_classes()}
    assert own >= {"Force", "Torque", "Motor", "ViscousFriction", "Drag", "Spring", "Damper", "SpringDamper"}
    assert own >= {"TorsionSpring", "Compass", "Tide", "Magnus", "Tether", "Bumper", "Pump", "Breathing"}


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
}


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


@pytest.mark.parametrize("cls", [mbs.Spring, mbs.SpringDamper, mbs.TorsionSpring], ids=lambda c: c.__name__)
def test_a_spring_is_free_in_the_reference_placement(cls):
    s = stage(f"free {cls.__name__}", parameters=True)
    s.model.add(cls("spring", s.marker(s.moving[0]), s.marker(s.moving[1]), stiffness=100.0))
    system = s.model.compile()
    at_rest = np.zeros(system.size)
    found = evaluated_loads(system, 0.0, system.placement, at_rest)
    assert np.abs(found.forces).max() < 1e-12 and abs(found.potential) < 1e-12
    bent = system.placement + np.linspace(0.1, 0.5, system.size)
    assert np.abs(evaluated_loads(system, 0.0, bent, at_rest).forces).max() > 1


def test_friction_in_a_sliding_joint_brakes_the_slide():
    s = stage("slide")
    guide = s.model.add(mbs.Translational("guide", s.ground.at(0, 0, 0.3), s.moving[0]))
    s.model.add(mbs.ViscousFriction("friction", guide, coefficient=2.0))
    system = s.model.compile()
    v = np.zeros(system.size)
    v[:2] = np.cos(0.3), np.sin(0.3)
    forces = evaluated_loads(system, 0.0, system.placement, v).forces
    assert forces[:3] == pytest.approx([-2 * np.cos(0.3), -2 * np.sin(0.3), 0.0], abs=1e-14)


# --- quantities that are read, and nothing more ----------------------------------------------------------------

READING = {
    "the law of a spring": lambda m, a, b: mbs.Spring("f", a, b, law=m["c.y"] * mbs.length),
    "the law of a torsion spring": lambda m, a, b: mbs.TorsionSpring("f", a, b, law=m["c.angle"] * mbs.theta),
    "an effort of one's own": lambda m, a, b: Breathing("f", a, b, stiffness=1 + m["c.x"] ** 2),
    "a torque": lambda m, a, b: mbs.Torque("f", a, b, m["c.x"] * m["c.omega"]),
    "a force": lambda m, a, b: mbs.Force("f", a, (m["c.x"], m["c.vy"])),
}


@pytest.mark.parametrize("kind", READING)
def test_a_body_whose_quantities_are_read_feels_nothing(kind):
    s = stage(kind)
    a, b, _ = s.moving
    s.model.add(READING[kind](s.model, a.at(0.1, 0.2), b))
    system = s.model.compile()
    motion = motions(s)[0]
    forces = evaluated_loads(system, motion.t0, motion.q0, motion.v0).forces.reshape(-1, 3)
    assert np.abs(forces[:2]).max() > 0
    assert not forces[2].any()


# --- inertia ----------------------------------------------------------------------------------------------------


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
        q0, v0, a0 = random.uniform(-3, 3, (3, system.size))
        motion = Motion(0.0, q0, v0, a0)
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
    with pytest.raises(mbs.ModelError, match="all"):
        one.reaction("nobody")


def spring_energy(res: mbs.Result) -> np.ndarray:
    """What the spring has stored since the start."""
    bars = {name: np.stack([res[f"{name}.x"], res[f"{name}.y"]]) for name in ("lower.tip", "upper.head")}
    length = np.linalg.norm(bars["lower.tip"] - bars["upper.head"], axis=0)
    stored = 5 * (length - 0.4) ** 2 / 2
    return stored - stored[0]


# --- random laws ------------------------------------------------------------------------------------------------

numbers = st.floats(-3, 3).map(lambda x: round(x, 3))


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
