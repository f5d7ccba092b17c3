"""The contract of every joint, driver, constraint and measure, at random states, in the plane and in space.

What their kernels say of Φ, Φ_v, ν and γ is held against a differentiation that shares nothing with them (see
`stage`): markers are placed by arithmetic in 40 digits, and mpmath differentiates Φ numerically. What multipliers do to
markers must be -Φ_vᵀ λ, and so do no work on any motion that the joint allows.

A joint class is covered by being registered. Its arguments are made up from the fields that it declares.
"""

from __future__ import annotations

import itertools
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from inspect import signature
from math import pi
from typing import Any

import mpmath as mp
import numpy as np
import pytest
import sympy as sp
from covering import covering, parts_of_a_contract
from helpers import FourBar, four_bar, slider_crank
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import CubicSpline
from stage import (
    DIGITS,
    PLACES,
    WORDS,
    Motion,
    Reference,
    Stage,
    about_the_origin,
    along_velocities,
    independent,
    motions,
    number,
    opaque,
    placements,
    stage,
    unwound,
)

import mbs_dae as mbs
from mbs_dae import model as model_room
from mbs_dae.kernels.cache import counts
from mbs_dae.model.fields import Function, Option, Scalar
from mbs_dae.symbolic.loads import joint_wrenches
from mbs_dae.symbolic.markers import reference_turn

VALUE, SLOPE = 1e-12, 1e-10
"""How well Φ, and how well derivatives of Φ, must agree: relative to the largest number of their row."""


class Blade(mbs.Joint):
    """A blade that does not slip sideways: ψ = y axis · velocity."""

    unit = "m/s"

    @staticmethod
    def psi(i):
        return [i.y_axis.dot(i.velocity)]


class DrivenWheel(mbs.Joint):
    """A wheel on a moving plate, rolling along the plate's x axis with a slip that comes and goes; the plate's normal
    is held as well: a joint with rows of both kinds, and with time in them."""

    unit = "m"
    radius = mbs.scalar("m", positive=True)
    slip = mbs.scalar("m/s")

    @staticmethod
    def phi(i, j, radius):
        return [j.y_axis.dot(i.point - j.point) - radius * (1 + sp.sin(mbs.t) / 4)]

    @staticmethod
    def psi(i, j, radius, slip):
        way, turn = j.x_axis.dot(i.velocity - j.velocity), i.omega - j.omega
        roll = turn if i.dimension == 2 else i.axis.dot(turn)
        return [way + radius * roll - slip * sp.cos(3 * mbs.t)]


# --- functions of one variable, and their values by other means -------------------------------------------------


def periodic_spline(x: list[float], y: list[float]) -> Callable:
    """A closed cubic spline evaluated in many digits."""
    return opaque(_spline(CubicSpline(x, y, bc_type="periodic"), x[-1] - x[0]))


def _spline(spline: CubicSpline, period: float | None) -> Callable:
    def value(u):
        u = number(u)
        first = mp.mpf(float(spline.x[0]))
        if period is not None:
            u = first + (u - first) - mp.mpf(period) * mp.floor((u - first) / mp.mpf(period))
        k = int(np.clip(np.searchsorted(spline.x, float(u), side="right") - 1, 0, spline.c.shape[1] - 1))
        s = u - mp.mpf(float(spline.x[k]))
        return mp.polyval([mp.mpf(float(c)) for c in spline.c[:, k]], s)

    return value


def wave(x, mean, first, second, shift):
    return mean + first * sp.cos(x - shift) / 5 + second * sp.sin(2 * x) / 7


def profiles(s: Stage, of: sp.Symbol) -> Iterator[tuple[str, Any, Callable]]:
    """Functions with the period 2π: an expression of parameters, and a table."""
    numbers = [s.number() for _ in range(4)]
    yield "expression", wave(of, *numbers), lambda x: wave(x, *map(s.exact, numbers))
    x = np.linspace(-pi, pi, 12)
    y = s.random.uniform(0.8, 1.2, 12)
    y[-1] = y[0]
    yield "table", mbs.Table(x, y, kind="cubic", periodic=True), periodic_spline(x, y)


def time_functions(s: Stage) -> Iterator[tuple[str, Any, Callable]]:
    """Functions of time: an expression of parameters, a table, a chain of motion laws."""
    start, speed, swing = (s.number() for _ in range(3))
    yield (
        "expression",
        start + speed * mbs.t + swing * sp.sin(3 * mbs.t) / 4,
        lambda t: s.exact(start) + s.exact(speed) * t + s.exact(swing) * sp.sin(3 * t) / 4,
    )
    x, y = np.linspace(-1, 4, 9), s.random.uniform(-1, 1, 9)
    yield "table", mbs.Table(x, y), opaque(_spline(CubicSpline(x, y, bc_type="not-a-knot"), None))
    low, lift = s.number(), s.number()
    over = 0.7
    motion = mbs.Motion(start=low).rise(lift, over=over, law="cycloidal").dwell(over / 2)
    yield (
        "motion",
        motion.return_(over=over, law="3-4-5").repeat(),
        opaque(lambda t: rise_dwell_return(t, *(number(s.exact(x)) for x in (low, lift, over)))),
    )


def rise_dwell_return(t, low, lift, over):
    """The cycloidal rise, dwell and polynomial return of `time_functions`, by their textbook formulas."""
    period = over * 5 / 2
    t = t - period * mp.floor(t / period)
    if t < over:
        u = t / over
        return low + lift * (u - mp.sin(2 * mp.pi * u) / (2 * mp.pi))
    if t < over * 3 / 2:
        return low + lift
    u = (t - over * 3 / 2) / over
    return low + lift * (1 - (10 * u**3 - 15 * u**4 + 6 * u**5))


# --- every registered joint ------------------------------------------------------------------------------------


def joint_classes() -> list[type[mbs.Joint]]:
    """The package's own classes and those of this file: other files may register theirs."""
    return [c for c in mbs.registered_joints() if c.__module__.partition(".")[0] in ("mbs_dae", __name__)]


CLASSES = [(cls, dimension) for cls in joint_classes() for dimension in cls.dimensions]
ELSEWHERE = {("CoordinateFix", 2): {"z"}, ("CoordinateFix", 3): {"angle"}}
"""Choices that there are in the other dimension only."""


def variants(cls: type[mbs.Joint], dimension: int) -> Iterator[tuple[str, int, dict[str, Any], str]]:
    """Every combination of choices, optional markers and forms of functions: a name, how many markers, the choices,
    the form of the functions."""
    names, options = [], []
    forms = [""]
    for name, declared in cls.fields.items():
        if isinstance(declared, Option):
            names.append(name)
            options.append([x for x in declared.options if x not in ELSEWHERE.get((cls.__name__, dimension), ())])
        elif isinstance(declared, Function):
            forms = ["expression", "table"]
        elif not isinstance(declared, Scalar):
            raise NotImplementedError(
                f"{cls.__name__}.{name} is declared as {type(declared).__name__}, of which this test cannot make an "
                "example: teach it in `variants` and `constants`"
            )
    most = len(cls.marker_names)
    least = most - cls.optional_markers
    if cls is mbs.Gear and dimension == 3:  # there it has four, one on either side of both wheels' joints
        least = most
    for count, chosen, form in itertools.product(range(least, most + 1), itertools.product(*options), forms):
        words = [*map(str, chosen), *([form] if form else []), *([f"{count} markers"] if cls.optional_markers else [])]
        yield " ".join([cls.__name__, *words]), count, dict(zip(names, chosen, strict=True)), form


def constants(s: Stage, cls: type[mbs.Joint], form: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """A value for each scalar and function of a class, and the same as `phi` shall see it in all digits."""
    given, exact = {}, {}
    for name, declared in cls.fields.items():
        if isinstance(declared, Scalar):
            given[name] = s.number()
            exact[name] = s.exact(given[name])
        elif isinstance(declared, Function):
            given[name], exact[name] = {n: pair for n, *pair in profiles(s, declared.of)}[form]
    return given, exact


@dataclass
class Case:
    """One element on a stage, and what it should be."""

    stage: Stage
    element: Any
    reference: Reference


def joint_case(
    cls: type[mbs.Joint], dimension: int, name: str, count: int, chosen: dict[str, Any], form: str, where: str
) -> Case:
    s = stage(name + where, "all moving" in where, dimension)
    markers = tuple(s.marker(body) for body in dict(placements(count, s.actors, s.ground))[where])
    given, exact = constants(s, cls, form)
    try:
        element = s.model.add(cls("joint", *markers, **chosen, **given))
    except Exception as exc:
        raise AssertionError(f"{name} has no example: random positive scalars and smooth functions give {exc}") from exc
    known = chosen | exact

    def equation(method: str) -> Callable[..., list]:
        function = getattr(cls, method, None)
        wanted = signature(function).parameters if function else ()
        return lambda t, *m: function(*m, **{n: x for n, x in known.items() if n in wanted}) if function else []

    return Case(s, element, Reference(s, markers, equation("phi"), equation("psi")))


JOINTS = [
    pytest.param(cls, dimension, *variant, where, id=f"{variant[0]} {WORDS[dimension]}, {where}")
    for cls, dimension in CLASSES
    for variant in variants(cls, dimension)
    for where in PLACES[variant[1]]
]


# --- drivers over every measure --------------------------------------------------------------------------------


def length(i, j):
    d = gap(i, j)
    return sp.sqrt(d.dot(d))


def gap(i, j):
    return sp.Matrix(j.m[: j.dimension]) - sp.Matrix(i.m[: i.dimension])


def along(i, j):
    """The way along x in the plane, along z in space."""
    axis = i.m[2:4] if i.dimension == 2 else i.m[9:12]
    return sp.Matrix(axis).dot(gap(i, j))


def turn(i, j):
    """The difference of angles; in space the angle from x axis to x axis about z, with whole turns from turning added
    up."""
    if i.dimension == 2:
        return j.m[4] - i.m[4]
    x, y, other = (sp.Matrix(a) for a in (i.m[3:6], i.m[6:9], j.m[3:6]))
    start = reference_turn(*(str(marker.m[12]).rpartition("_")[2] for marker in (i, j)))
    return unwound(sp.atan2(y.dot(other), x.dot(other)), start + j.m[12] - i.m[12])


@dataclass(frozen=True)
class Measured:
    """How a measure is made of markers, and what it should be."""

    make: Callable
    count: int
    value: Callable
    dimensions: tuple[int, ...] = (2, 3)
    rate: bool = False
    """Whether it is an angular velocity, which is the rate of nothing."""

    def reference(self, s: Stage, markers: tuple, f: Callable = lambda t: 0) -> Reference:
        def rows(t, *m):
            return [self.value(*m) - f(t)]

        return Reference(s, markers, psi=rows) if self.rate else Reference(s, markers, rows)


MEASURES = {
    "angle": Measured(mbs.angle, 2, turn),
    "angle of one": Measured(mbs.angle, 1, lambda i: i.m[-1]),
    "distance": Measured(mbs.distance, 2, length),
    "displacement": Measured(mbs.displacement, 2, along),
    "x": Measured(mbs.x, 1, lambda i: i.m[0]),
    "y": Measured(mbs.y, 1, lambda i: i.m[1]),
    "z": Measured(mbs.z, 1, lambda i: i.m[2], (3,)),
    "wx": Measured(mbs.wx, 1, lambda i: i.rates[3], (3,), rate=True),
    "wy": Measured(mbs.wy, 1, lambda i: i.rates[4], (3,), rate=True),
    "wz": Measured(mbs.wz, 1, lambda i: i.rates[5], (3,), rate=True),
    "angle of a pin": Measured(lambda i, j: mbs.angle(mbs.Revolute("pin", i, j)), 2, turn),
    "angle of a sleeve": Measured(lambda i, j: mbs.angle(mbs.Cylindrical("sleeve", i, j)), 2, turn, (3,)),
    "angle of faces": Measured(lambda i, j: mbs.angle(mbs.Planar("faces", i, j)), 2, turn, (3,)),
    "displacement of a guide": Measured(lambda i, j: mbs.displacement(mbs.Translational("guide", i, j)), 2, along),
    "displacement of a slot": Measured(lambda i, j: mbs.displacement(mbs.PinInSlot("slot", i, j)), 2, along),
    "displacement of a sleeve": Measured(lambda i, j: mbs.displacement(mbs.Cylindrical("s", i, j)), 2, along, (3,)),
    "displacement of a nut": Measured(lambda i, j: mbs.displacement(mbs.Screw("s", i, j, pitch=1)), 2, along, (3,)),
    "distance of a rod": Measured(lambda i, j: mbs.Distance("rod", i, j).measures()["distance"], 2, length),
}
FORMS = ["expression", "table", "motion"]


def driver_case(kind: str, dimension: int, form: str, where: str) -> Case:
    measured = MEASURES[kind]
    s = stage(kind + form + where, "all moving" in where, dimension)
    markers = tuple(s.marker(body) for body in dict(placements(measured.count, s.moving, s.ground))[where])
    function, f = {n: (given, exact) for n, given, exact in time_functions(s)}[form]
    alone = replace(measured.make(*markers), speaks_of=())  # the joint that it may be of has equations of its own
    element = s.model.add(mbs.Driver("motor", alone, function))
    return Case(s, element, measured.reference(s, markers, f))


DRIVERS = [
    pytest.param(kind, dimension, form, where, id=f"{kind} {WORDS[dimension]}, {form}, {where}")
    for kind, measured in MEASURES.items()
    for dimension in measured.dimensions
    for form in FORMS
    for where in (PLACES[measured.count] if form == FORMS[0] else PLACES[measured.count][:1])
]


def parts_of_a_driver(case: Any) -> Iterator[tuple]:
    kind, dimension, form, where = case.values
    return itertools.product((dimension,), (kind, form, where))


def pose_case(dimension: int, parts: tuple[str, ...], where: str) -> Case:
    """A marker that follows a pose."""
    s = stage(f"pose {parts} {where}", where == "parameters", dimension)
    marker = s.marker(s.moving[0])
    functions = [function for _ in range(2) for function in time_functions(s)]
    places, angles = functions[:dimension], functions[dimension : 2 * dimension - 1 + (dimension == 3)]
    given: dict[str, Any] = {}
    if "position" in parts:
        given["position"] = tuple(function for _, function, _ in places)
    if "rotation" in parts:
        whole = [f(mbs.t) if form != "expression" else f for form, f, _ in angles]
        given["rotation"] = mbs.rotations.bryant(*whole) if dimension == 3 else whole[0]

    def phi(t, own):
        rows = [x - f(t) for x, (_, _, f) in zip(own.m, places, strict=False)] if "position" in parts else []
        if "rotation" in parts and dimension == 2:
            rows.append(own.m[4] - angles[0][2](t))
        elif "rotation" in parts:
            (ca, sa), (cb, sb), (cc, sc) = ((sp.cos(f(t)), sp.sin(f(t))) for _, _, f in angles)
            x = sp.Matrix([cb * cc, ca * sc + sa * sb * cc, sa * sc - ca * sb * cc])
            y = sp.Matrix([-cb * sc, ca * cc - sa * sb * sc, sa * cc + ca * sb * sc])
            z = sp.Matrix([sb, -sa * cb, ca * cb])
            R = sp.Matrix.hstack(x, y, z).T * sp.Matrix(3, 3, own.m[3:12]).T
            twice_sine = (R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1])
            rows += [s / sp.sqrt(1 + R.trace()) for s in twice_sine]  # twice the vector part of the quaternion
        return rows

    element = s.model.add(mbs.PoseDriver("pose", marker, **given))
    return Case(s, element, Reference(s, (marker,), phi))


POSES = [
    pytest.param(dimension, parts, where, id=f"{' and '.join(parts)} {WORDS[dimension]}, {where}")
    for dimension in (2, 3)
    for parts, where in [
        (("position", "rotation"), "numbers"),
        (("position", "rotation"), "parameters"),
        (("position",), "numbers"),
        (("rotation",), "numbers"),
    ]
]


# --- constraints written on the spot ---------------------------------------------------------------------------


def rope_that_is_wound_up(s: Stage) -> tuple:
    free, speed = s.number(), s.number()

    def phi(i, j):
        return [(i.point - j.point).norm() - free + speed * mbs.t**2]

    return (s.ground, s.moving[0]), phi, None


def rope_over_a_pulley(s: Stage) -> tuple:
    def phi(i, j, k):
        return [(i.point - j.point).norm() + (j.point - k.point).norm() - 2 * sp.exp(-mbs.t / 3)]

    return s.moving, phi, None


def two_markers_on_one_body(s: Stage) -> tuple:
    gain = s.number()

    def phi(i, j, k):
        return [i.x_axis.dot(k.point - j.point), gain * i.x * k.y - sp.sin(j.turn)]

    return (s.moving[1], s.moving[1], s.moving[0]), phi, None


def skate_on_a_tether(s: Stage) -> tuple:
    drift, tether = s.number(), s.number()

    def phi(i, j):
        return [(i.point - j.point).dot(i.point - j.point) - tether]

    def psi(i, j):
        spin = i.omega if i.dimension == 2 else i.omega[2]
        return [i.y_axis.dot(i.velocity) - drift * spin - sp.cos(2 * mbs.t)]

    return (s.moving[0], s.ground), phi, psi


CONSTRAINTS = [rope_that_is_wound_up, rope_over_a_pulley, two_markers_on_one_body, skate_on_a_tether]


def constraint_case(of: Callable[[Stage], tuple], parameters: bool, dimension: int) -> Case:
    s = stage(of.__name__, parameters, dimension)
    bodies, phi, psi = of(s)
    markers = tuple(s.marker(body) for body in bodies)
    element = s.model.add(mbs.Constraint("relation", *markers, phi=phi, psi=psi))
    return Case(s, element, Reference(s, markers, *(lambda t, *m, f=f: f(*m) if f else [] for f in (phi, psi))))


# --- the comparison --------------------------------------------------------------------------------------------


def compiled_reading(system, motion: Motion, v=None, a=None) -> list[np.ndarray]:
    """Φ, Φ_v v - ν and Φ_v a - γ by the kernels."""
    v, a = (np.zeros_like(motion.v0) if x is None else x for x in (v, a))
    return [x[0] for x in system.read_constraints(np.array([motion.t0]), motion.q0[None], v[None], a[None])]


def check_against_independent_derivatives(case: Case) -> None:
    system = case.stage.model.compile()
    rows = len(system.rows)
    for motion in motions(case.stage):
        with mp.workdps(DIGITS):
            expected = independent(case.reference, motion, system.nv)
        value, rate, acceleration = compiled_reading(system, motion, motion.v0, motion.a0)
        still = compiled_reading(system, motion)
        units = np.eye(system.nv, len(motion.v0))
        by_rate = np.stack([compiled_reading(system, motion, v=e)[1] for e in units], axis=1)
        by_acceleration = np.stack([compiled_reading(system, motion, a=e)[2] for e in units], axis=1)
        nu, jacobian = -still[1], by_rate - still[1][:, None]
        assert rows == len(expected["rate"])
        held = len(expected["value"])
        np.testing.assert_allclose(value[:held], expected["value"], rtol=VALUE, atol=VALUE, err_msg="Φ")
        assert not value[held:].any()
        close_rows(jacobian, expected["jacobian"], "Φ_v")
        close_rows(by_acceleration - still[2][:, None], expected["jacobian"], "Φ_v, as it multiplies accelerations")
        close_rows(system.jacobian(motion.t0, motion.q0).toarray(), expected["jacobian"], "Φ_v as a matrix")
        close_rows(nu, expected["nu"], "ν")
        close_rows(rate, expected["rate"], "Φ_v v - ν along a motion")
        close_rows(acceleration, expected["acceleration"], "Φ_v a - γ along a motion")
        for row, wrenches in zip(expected["jacobian"], unit_wrenches(case, motion), strict=True):
            duals = along_velocities(case.reference, motion, wrenches)
            close_rows(duals[None], -row[None], "what a multiplier does to markers, as a force along velocities")


def unit_wrenches(case: Case, motion: Motion) -> np.ndarray:
    """Forces and moments on the markers for unit multipliers: (rows, markers, components)."""
    relation, slots = case.element.form()
    state = (np.array([motion.t0]), motion.q0[None], motion.v0[None])
    values = case.stage.model.compile().read_values(joint_wrenches(relation), slots, case.element.markers, *state)
    return values.reshape(relation.size, len(case.element.markers), -1)


def close_rows(found: np.ndarray, expected: np.ndarray, what: str) -> None:
    scale = np.maximum(1.0, np.abs(expected).reshape(len(expected), -1).max(axis=1, initial=0.0))
    np.testing.assert_allclose((found.T / scale).T, (expected.T / scale).T, rtol=0, atol=SLOPE, err_msg=what)


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize(
    ("cls", "dimension", "name", "count", "chosen", "form", "where"), covering(JOINTS, parts_of_a_contract)
)
def test_a_registered_joint_is_what_its_phi_says(cls, dimension, name, count, chosen, form, where):
    check_against_independent_derivatives(joint_case(cls, dimension, name, count, chosen, form, where))


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize(("kind", "dimension", "form", "where"), covering(DRIVERS, parts_of_a_driver))
def test_a_driver_is_its_measure_less_its_function(kind, dimension, form, where):
    check_against_independent_derivatives(driver_case(kind, dimension, form, where))


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize(("dimension", "parts", "where"), POSES)
def test_a_driver_of_a_pose_is_the_pose_less_its_functions(dimension, parts, where):
    check_against_independent_derivatives(pose_case(dimension, parts, where))


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("dimension", [2, 3], ids=WORDS.get)
@pytest.mark.parametrize("parameters", [False, True], ids=["numbers", "parameters"])
@pytest.mark.parametrize("of", CONSTRAINTS, ids=lambda f: f.__name__)
def test_a_constraint_is_what_its_function_says(of, parameters, dimension):
    check_against_independent_derivatives(constraint_case(of, parameters, dimension))


BETWEEN_BODIES = [
    p for p in JOINTS
    if p.values[3] > 1 and p.values[0].__module__ != __name__ and "Gear external 2" not in p.id
    and "Gear internal 2" not in p.id and "all moving" in p.id
]  # fmt: skip
"""A gear without a carrier turns against the world, and the classes of this file speak of the world."""


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize(("cls", "dimension", "name", "count", "chosen", "form", "where"), BETWEEN_BODIES)
def test_a_joint_between_bodies_keeps_the_third_law(cls, dimension, name, count, chosen, form, where):
    """Where it holds, its forces cancel, and so do its moments about the world's origin."""
    case = joint_case(cls, dimension, name, count, chosen, form, where)
    for motion in motions(case.stage, 1):
        close(case.stage.model.compile(), motion)
        for wrenches in unit_wrenches(case, motion):
            assert np.abs(wrenches).max() > 1e-3
            total = about_the_origin(case.reference, motion, wrenches)
            assert np.abs(total).max() < 1e-10 * max(1.0, np.abs(wrenches).max())


def close(system, motion: Motion) -> None:
    """Bring the bodies to where the element holds, by Newton's steps of least length, none longer than 1."""
    aside = motion.v0[: system.nv] / max(1.0, np.linalg.norm(motion.v0))
    motion.q0 = system.moved(system.placement, aside)  # not far from where turns are counted from
    for _ in range(100):
        residual = compiled_reading(system, motion)[0]
        if np.abs(residual).max() < 1e-13:
            return
        step = np.linalg.lstsq(system.jacobian(motion.t0, motion.q0).toarray(), -residual, rcond=None)[0]
        motion.q0 = system.moved(motion.q0, np.append(step, motion.v0[system.nv :]) / max(1.0, np.linalg.norm(step)))
    assert np.abs(residual).max() < 1e-11


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("dimension", [2, 3], ids=WORDS.get)
def test_measures_are_read_with_their_rates_and_accelerations(dimension):
    """All at once, over stacked states, by the system's reader."""
    s = stage("measures", True, dimension)
    named = []
    for kind, measured in MEASURES.items():
        if dimension in measured.dimensions:
            for _, bodies in list(placements(measured.count, s.moving, s.ground))[: 3 if dimension == 2 else 1]:
                markers = tuple(s.marker(body) for body in bodies)
                named.append((kind, measured.make(*markers), measured.reference(s, markers)))
    s.model.add(mbs.Revolute("any", s.moving[0], s.moving[1]))
    system = s.model.compile()
    states = motions(s, 2)
    stacked = (np.stack([getattr(m, name) for m in states]) for name in ("t0", "q0", "v0", "a0"))
    found = system.reader([measure for _, measure, _ in named])(*stacked)
    for k, (kind, _, reference) in enumerate(named):
        for n, motion in enumerate(states):
            with mp.workdps(DIGITS):
                expected = independent(reference, motion, system.nv)
            value = float(expected["value"][0]) if len(expected["value"]) else 0.0
            levels = [value, *(float(expected[level][0]) for level in ("rate", "acceleration"))]
            assert [float(level[n, k]) for level in found] == pytest.approx(levels, rel=SLOPE, abs=SLOPE), kind


def test_results_read_the_measures_of_joints_by_name():
    """Value, rate and acceleration of a joint's own coordinate, against those of its bodies."""
    res = mbs.kinematics(slider_crank(offset=0.2), np.linspace(0, 1, 5))
    for joint, body in (("angle", "angle"), ("omega", "omega"), ("alpha", "alpha")):
        np.testing.assert_allclose(res[f"B.{joint}"], res[f"rod.{body}"] - res[f"crank.{body}"], atol=1e-12)
        np.testing.assert_allclose(res[f"motor.{joint}"], res[f"crank.{body}"], atol=1e-12)
    for joint, body in (("displacement", "x"), ("velocity", "vx"), ("acceleration", "ax")):
        np.testing.assert_allclose(res[f"guide.{joint}"], res[f"slider.{body}"], atol=1e-12)


IN_THE_PLANE_ALONE: set[str] = set()
IN_SPACE_ALONE = {"Cylindrical", "Screw", "Spherical", "Planar", "Universal", "ConstantVelocity"}
IN_SPACE_ALONE |= {"RevoluteSpherical", "PointInPlane", "RollingDisk"}


def test_every_joint_of_the_package_is_registered():
    """Nothing escapes the contract: importing every module of the model's room registers no further class."""
    before = set(mbs.registered_joints())
    for module in pkgutil.walk_packages(model_room.__path__, model_room.__name__ + "."):
        import_module(module.name)
    assert set(mbs.registered_joints()) == before
    there = {d: {c.__name__ for c, dimension in CLASSES if d == dimension} for d in (2, 3)}
    assert there[2] & there[3] >= {"Revolute", "Translational", "Fixed", "KnifeEdge", "Distance", "Blade"}
    assert there[2] - there[3] == IN_THE_PLANE_ALONE
    assert there[3] - there[2] == IN_SPACE_ALONE


# --- what a joint takes from the reference placement ------------------------------------------------------------

FROM_PLACEMENT = [(c, d) for c, d in CLASSES if any(callable(f.default) for f in c.fields.values())]


def residual_of(element: mbs.Joint, s: Stage) -> np.ndarray:
    """Φ in the reference placement."""
    system = s.model.plus(element).compile()
    still = system.still[None]
    return system.read_constraints(np.zeros(1), system.placement[None], still, still)[0][0]


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize(("cls", "dimension"), FROM_PLACEMENT, ids=lambda x: WORDS.get(x) or x.__name__)
def test_a_constant_left_out_is_that_of_the_reference_placement(cls, dimension):
    """So the placement satisfies the equation that the constant belongs to: the one that changes with it."""
    for name, count, chosen, form in variants(cls, dimension):
        s = stage(f"default {name}", True, dimension)
        markers = [s.marker(body) for body in s.actors[:count]]
        required = {n: x for n, x in constants(s, cls, form)[0].items() if not callable(cls.fields[n].default)}
        element = cls("joint", *markers, **chosen, **required)
        residual = residual_of(element, s)
        for constant in set(element.values) - {*chosen, *required}:
            other = {**required, constant: s.model.value(element.values[constant]) + 0.5}
            belongs = np.abs(residual_of(cls("joint", *markers, **chosen, **other), s) - residual) > 1e-3
            assert belongs.any()
            assert np.abs(residual[belongs]).max() < 1e-13, name


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize(
    ("cls", "dimension"), [c for c in CLASSES if len(c[0].marker_names) == 2], ids=lambda x: WORDS.get(x) or x.__name__
)
def test_at_and_axis_place_both_markers_on_one_world_point(cls, dimension):
    s = stage(f"at {cls.__name__}", dimension=dimension)
    _, _, chosen, form = next(variants(cls, dimension))
    given, _ = constants(s, cls, form)
    point, axis, x_axis = s.random.uniform(-1, 1, (3, dimension))
    frame = {"axis": axis} if dimension == 2 else {"axis": axis, "x_axis": x_axis}
    element = cls("joint", s.moving[0], s.moving[1], at=point, **frame, **chosen, **given)
    s.model.add(element)
    q = list(map(mp.mpf, s.model.compile().placement))
    axis = axis / np.linalg.norm(axis)
    for placed in Reference(s, element.markers).placed(q, [mp.mpf(0)] * len(q)):
        m = np.array([float(n) for n in placed.m])
        assert m[:dimension] == pytest.approx(point, abs=1e-14)
        if dimension == 2:
            assert m[2:4] == pytest.approx(axis, abs=1e-14)
        else:
            x, y, z = m[3:12].reshape(3, 3)
            assert z == pytest.approx(axis, abs=1e-14)
            assert np.cross(z, x) == pytest.approx(y, abs=1e-14)
            assert y @ x_axis == pytest.approx(0, abs=1e-14) and x @ x_axis > 0


# --- derived once per type ------------------------------------------------------------------------------------


def work_done() -> tuple[int, int, int]:
    return counts.derived, counts.compiled, counts.loaded


def one_of_each(scale: float, names: tuple[str, ...], speed: Any, start: Any) -> mbs.PlanarModel:
    """A model with one element of each kind, all its numbers and the names of its parameters chosen by the caller."""
    s = Stage(int(100 * scale))
    model, (a, b, c), ground = s.model, s.moving, s.ground
    p, w = (model.parameter(name, scale) for name in names)
    model.add(
        mbs.Revolute("1", ground.at(scale, 0), a.at(0, p)),
        mbs.Translational("2", a.at(0, 0, 0.1 * scale), b),
        mbs.Fixed("3", b.at(p, 0), c),
        mbs.Distance("4", a, c.at(1, scale), length=p),
        mbs.PinInSlot("5", a.at(scale, 0), c),
        mbs.Gear("6", a, b, carrier=c, ratio=2 * p),
        mbs.RackAndPinion("7", a, b, radius=scale),
        mbs.CamFollower("8", a, b, profile=wave(mbs.theta, p, scale, 0.3 * scale, 0.1)),
        mbs.CoordinateFix("9", a, "x", scale),
        mbs.Driver("10", mbs.angle(ground, b), start + speed * mbs.t),
        mbs.Driver("11", mbs.x(b), p * sp.cos(w * mbs.t) + w * sp.sin(p * mbs.t)),
        mbs.Driver("12", mbs.y(b), mbs.Table([0, 1, 2, 4], scale * np.arange(4.0))),
        mbs.Constraint("13", a, b, phi=lambda i, j: (i.point - j.point).norm() - p * scale),
    )
    return model


def run_once(model: mbs.PlanarModel) -> float:
    """Compile it, and read every quantity at the placement."""
    system = model.compile()
    q = system.placement[None]
    system.read_constraints(np.zeros(1), q, q, q)
    named = [m for owner in model.owners() for m in model.measures_of(owner)]
    return float(system.reader(named)(np.zeros(1), q, q, q)[0].sum())


OTHER_NUMBERS = {
    "other numbers": (1.3, ("p", "w"), 2.5, 0.7),
    "equal numbers": (1.3, ("p", "w"), 0.7, 0.7),
    "whole numbers": (2.0, ("p", "w"), 3, 2),
    "parameters with other names": (1.1, ("w", "p"), 2.5, 0.7),
}


@pytest.mark.parametrize("other", OTHER_NUMBERS)
def test_a_second_model_with_the_same_kinds_of_elements_makes_no_new_kernel(other):
    run_once(one_of_each(1.0, ("p", "w"), 4.5, 0.2))
    before = work_done()
    assert np.isfinite(run_once(one_of_each(*OTHER_NUMBERS[other])))
    assert work_done() == before


def test_running_and_sweeping_a_second_model_makes_no_new_kernel():
    def run(r: float, l: float, omega: float) -> None:
        model = slider_crank(r, l, omega=omega)
        t = np.linspace(0, 0.3, 4)
        assert mbs.kinematics(model, t)["slider.x"][0] > 0
        assert mbs.kinematics(model.with_parameters(r=1.1 * r), t)["slider.vx"][0] < 0
        assert len(mbs.sweep(model, "l", np.linspace(l, 1.2 * l, 4))) == 4
        assert mbs.assemble(model.without("motor"), fix={"crank.angle": omega / 10})["crank.angle"] > 0

    run(1.0, 3.0, 2.0)
    before = work_done()
    run(0.7, 4.1, 3.3)
    assert work_done() == before


# --- random closed mechanisms ----------------------------------------------------------------------------------

random_mechanisms = settings(max_examples=40, deadline=None, derandomize=True)


@st.composite
def cranks_that_turn(draw) -> mbs.PlanarModel:
    """A four-bar of Grashof: its crank is the shortest link, and with the longest it is shorter than the other two
    together, by a tenth of itself. The remaining links come in any order."""
    crank, a, b = draw(st.floats(0.1, 10.0)), draw(st.floats(1.3, 5.0)), draw(st.floats(1.3, 5.0))
    low, high = abs(a - b) + 1.1, a + b - 1.1
    others = draw(st.permutations([a, b, low + (high - low) * draw(st.floats(0.0, 1.0))]))
    ground, coupler, rocker = (crank * x for x in others)
    branch, angle = draw(st.sampled_from([1, -1])), draw(st.floats(-pi, pi))
    return four_bar(FourBar(ground, crank, coupler, rocker), angle, branch)


@st.composite
def slider_cranks_that_turn(draw) -> mbs.PlanarModel:
    """The rod is longer than the crank and the offset together, by a tenth of the crank."""
    r, offset = draw(st.floats(0.05, 5.0)), draw(st.floats(-1.0, 1.0))
    longer = draw(st.floats(1.1, 6.0))
    return slider_crank(r, r * (longer + abs(offset)), r * offset, angle=draw(st.floats(-pi, pi)))


@st.composite
def chains_of_four_bars(draw) -> mbs.PlanarModel:
    """Up to four loops in a row, each driven by the rocker of the one before; the first link swings."""
    loops = draw(st.integers(1, 4))
    model, x = mbs.PlanarModel(f"chain of {loops}"), 0.0
    heads = []
    for k in range(loops + 1):
        length, angle = draw(st.floats(0.9, 1.1)), pi / 2 + draw(st.floats(-0.2, 0.2))
        dx, dy = length * np.cos(angle), length * np.sin(angle)
        link = model.body(f"link{k}", position=(x + dx / 2, dy / 2), angle=angle)
        model.add(mbs.Revolute(f"foot{k}", model.ground.at(x, 0), link.at(-length / 2, 0)))
        if k == 0:
            model.add(mbs.Driver("motor", mbs.angle(model.ground, link), angle + 0.2 * sp.sin(2 * mbs.t)))
        heads.append((link.at(length / 2, 0), x + dx, dy))
        x += draw(st.floats(1.5, 2.5))
    for k, ((left, lx, ly), (right, rx, ry)) in enumerate(itertools.pairwise(heads)):
        length, angle = np.hypot(rx - lx, ry - ly), np.arctan2(ry - ly, rx - lx)
        coupler = model.body(f"coupler{k}", position=((lx + rx) / 2, (ly + ry) / 2), angle=angle)
        model.add(
            mbs.Revolute(f"left{k}", left, coupler.at(-length / 2, 0)),
            mbs.Revolute(f"right{k}", coupler.at(length / 2, 0), right),
        )
    return model


closed_mechanisms = st.one_of(cranks_that_turn(), slider_cranks_that_turn(), chains_of_four_bars())

CENTRAL = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
"""The weights of the central difference of eighth order."""
FINE = 1e-3


def moments() -> np.ndarray:
    """Seven moments of one turn, each with four neighbours on either side: shape (7, 9)."""
    return np.linspace(0.1, 3.1, 7)[:, None] + FINE * np.arange(-4, 5)


def motion_of(model: mbs.PlanarModel) -> tuple[mbs.Result, list[np.ndarray]]:
    """The result, and q, v and a as arrays of seven moments by nine neighbours by coordinates."""
    res = mbs.kinematics(model, moments().ravel())
    return res, [x.reshape(*moments().shape, -1) for x in (res.q, res.v, res.a)]


@random_mechanisms
@given(closed_mechanisms)
def test_a_closed_mechanism_moves_as_one(model):
    """It closes at every level, and its velocities and accelerations are the derivatives of its positions."""
    res, (q, v, a) = motion_of(model)
    assert res.success
    for violation, level in zip(("position", "velocity", "acceleration"), (q, v, a), strict=True):
        assert getattr(res.violation, violation).max() <= 1e-12 * np.abs(level).max(), violation
    for of, rate in ((q, v), (v, a)):
        difference = sum(c * (of[:, 4 + k] - of[:, 4 - k]) for k, c in CENTRAL.items()) / FINE
        assert np.abs(difference - rate[:, 4]).max() <= 1e-9 * np.abs(rate).max()


def said_again(model: mbs.PlanarModel, order: list[str], turn: float = 0.0, shift: Any = (0.0, 0.0)) -> mbs.PlanarModel:
    """The same mechanism with its elements in another order, its world turned and shifted."""
    new = mbs.PlanarModel(model.name)
    for name, parameter in model.parameters.items():
        new.parameter(name, parameter.value)
    c, s = np.cos(turn), np.sin(turn)

    def there(x, y):
        return c * x - s * y + shift[0], s * x + c * y + shift[1]

    for body in model.bodies.values():
        new.body(body.name, position=there(*body.position), angle=body.angle + turn)

    def marker(m):
        if m.body is model.ground:
            return new.ground.at(*there(m.x, m.y), m.angle + turn)
        return new.bodies[m.body.name].at(m.x, m.y, m.angle)

    for name in order:
        element = model.elements[name]
        markers = map(marker, element.markers)
        if isinstance(element, mbs.Driver):
            new.add(mbs.Driver(name, mbs.angle(*markers), element.function))
        else:
            new.add(type(element)(name, *markers))
    return new


@random_mechanisms
@given(closed_mechanisms, st.data())
def test_a_motion_does_not_depend_on_the_order_of_the_joints(model, data):
    order = data.draw(st.permutations(list(model.elements)))
    _, first = motion_of(model)
    _, second = motion_of(said_again(model, order))
    for x, y in zip(first, second, strict=True):
        assert np.abs(x - y).max() <= 1e-10 * np.abs(x).max()


@random_mechanisms
@given(closed_mechanisms, st.floats(-pi, pi), st.tuples(st.floats(-3, 3), st.floats(-3, 3)))
def test_a_motion_turns_and_shifts_with_its_world(model, turn, shift):
    _, first = motion_of(model)
    _, second = motion_of(said_again(model, list(model.elements), turn, shift))
    c, s = np.cos(turn), np.sin(turn)
    for level, (x, y) in enumerate(zip(first, second, strict=True)):
        turned = np.array(x)
        turned[..., 0::3] = c * x[..., 0::3] - s * x[..., 1::3] + (shift[0] if level == 0 else 0)
        turned[..., 1::3] = s * x[..., 0::3] + c * x[..., 1::3] + (shift[1] if level == 0 else 0)
        turned[..., 2::3] += turn if level == 0 else 0
        assert np.abs(turned - y).max() <= 1e-10 * (np.abs(x).max() + np.hypot(*shift))
