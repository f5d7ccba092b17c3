"""The contract of every joint, driver, constraint and measure, at random states.

What the compiled kernels say of Φ, Φ_v, ν and γ is held against a differentiation that shares nothing with them:
markers are placed by the arithmetic below, Φ is evaluated in 40 digits, and mpmath differentiates it numerically.

A joint class is covered by being registered. Its arguments are made up from the fields that it declares.
"""

from __future__ import annotations

import itertools
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from inspect import signature
from math import pi
from typing import Any
from zlib import crc32

import mpmath as mp
import numpy as np
import pytest
import sympy as sp
from helpers import FourBar, four_bar, slider_crank
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import CubicSpline

import mbs_dae as mbs
from mbs_dae import model as model_room
from mbs_dae.kernels.cache import counts
from mbs_dae.model.fields import Choice, Function, Scalar
from mbs_dae.symbolic.markers import PlanarMarker

STATES = 5
DIGITS = 40
VALUE, SLOPE = 1e-12, 1e-10
"""How well Φ, and how well derivatives of Φ, must agree: relative to the largest number of their row."""


class KnifeEdge(mbs.Joint):
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
        way = j.x_axis.dot(i.velocity - j.velocity)
        return [way + radius * (i.omega - j.omega) - slip * sp.cos(3 * mbs.t)]


# --- a stage for one element: bodies, markers, numbers ----------------------------------------------------------


@dataclass
class Stage:
    """The ground and three bodies, with markers and parameters at random but known values."""

    seed: int
    parameters_for_numbers: bool = False
    values: dict[sp.Symbol, float] = field(default_factory=dict)
    """What the parameters are."""
    known: dict[Any, sp.Expr] = field(default_factory=dict)

    def __post_init__(self):
        self.random = np.random.default_rng(self.seed)
        self.model = mbs.PlanarModel("stage")
        places = self.random.uniform(-2, 2, (3, 3))
        self.moving = [
            self.model.body(name, position=(x, y), angle=angle)
            for name, (x, y, angle) in zip("abc", places, strict=True)
        ]
        self.ground = self.model.ground

    def marker(self, body):
        x, y, angle = (self.number(-1.5, 1.5) for _ in range(3))
        return body.at(x, y, angle)

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


def number(expression: Any) -> mp.mpf:
    """A sympy expression without symbols, in all digits."""
    if isinstance(expression, mp.mpf):
        return expression
    value = expression if isinstance(expression, sp.Float) else sp.sympify(expression).evalf(DIGITS)
    return mp.make_mpf(sp.Float(value, DIGITS)._mpf_)


@dataclass
class Motion:
    """q(t) = q0 + v0 (t - t0) + a0 (t - t0)² / 2 of all bodies of a stage, those of the ground (zero) last."""

    t0: float
    q0: np.ndarray
    v0: np.ndarray
    a0: np.ndarray

    def q(self, t) -> list:
        s = t - mp.mpf(self.t0)
        motion = zip(self.q0, self.v0, self.a0, strict=True)
        return [mp.mpf(q) + s * (mp.mpf(v) + s * mp.mpf(a) / 2) for q, v, a in motion]

    def v(self, t) -> list:
        s = t - mp.mpf(self.t0)
        return [mp.mpf(v) + s * mp.mpf(a) for v, a in zip(self.v0, self.a0, strict=True)]


@dataclass
class Reference:
    """Rows of Φ(m, t) and of ψ(m, ṁ, t): what `phi` and `psi` make of time and placed markers, to be differentiated
    numerically."""

    stage: Stage
    markers: tuple
    phi: Callable[..., list] = lambda t, *markers: []
    psi: Callable[..., list] = lambda t, *markers: []

    def place(self, marker, q: list, v: list) -> PlanarMarker:
        """Point, x axis and angle of a marker and their rates, from the coordinates of its body."""
        at = 3 * [*self.stage.moving, self.stage.ground].index(marker.body)
        (x, y, phi), (vx, vy, omega) = q[at : at + 3], v[at : at + 3]
        sx, sy, alpha = (number(self.stage.exact(n)) for n in (marker.x, marker.y, marker.angle))
        c, s, direction = mp.cos(phi), mp.sin(phi), phi + alpha
        rx, ry = c * sx - s * sy, s * sx + c * sy
        ux, uy = mp.cos(direction), mp.sin(direction)
        return PlanarMarker(
            tuple(sp.Float(n, DIGITS) for n in (x + rx, y + ry, ux, uy, direction)),
            tuple(sp.Float(n, DIGITS) for n in (vx - omega * ry, vy + omega * rx, -omega * uy, omega * ux, omega)),
        )

    def rows(self, equation: Callable, q: list, v: list, t) -> np.ndarray:
        now = sp.Float(t, DIGITS)
        out = equation(now, *(self.place(m, q, v) for m in self.markers))
        known = {mbs.t: now, **{s: self.stage.exact(s) for s in self.stage.values}}
        return np.array([number(sp.sympify(e).xreplace(known)) for e in out], dtype=object)

    def position(self, q: list, t) -> np.ndarray:
        return self.rows(self.phi, q, [mp.mpf(0)] * len(q), t)

    def velocity(self, q: list, v: list, t) -> np.ndarray:
        return self.rows(self.psi, q, v, t)


@dataclass
class Case:
    """One element on a stage, and what it should be."""

    stage: Stage
    element: Any
    reference: Reference


def stage(name: str, parameters: bool = False) -> Stage:
    return Stage(crc32(name.encode()), parameters)


def placements(count: int, actors: list, ground: Any) -> Iterator[tuple[str, tuple]]:
    """Which bodies an element may join: the ground in any place among its markers, or in none."""
    yield "all moving", tuple(actors[:count])
    for k in range(count if count > 1 else 0):
        yield f"ground as marker {k + 1}", (*actors[:k], ground, *actors[k : count - 1])


# --- functions of one variable, and their values by other means -------------------------------------------------


def periodic_spline(x: list[float], y: list[float]) -> Callable:
    """A closed cubic spline evaluated in many digits."""
    return _spline(CubicSpline(x, y, bc_type="periodic"), x[-1] - x[0])


def _spline(spline: CubicSpline, period: float | None) -> Callable:
    def value(u):
        u = number(u)
        first = mp.mpf(float(spline.x[0]))
        if period is not None:
            u = first + (u - first) - mp.mpf(period) * mp.floor((u - first) / mp.mpf(period))
        k = int(np.clip(np.searchsorted(spline.x, float(u), side="right") - 1, 0, spline.c.shape[1] - 1))
        s = u - mp.mpf(float(spline.x[k]))
        return sp.sympify(mp.polyval([mp.mpf(float(c)) for c in spline.c[:, k]], s))

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
    yield "table", mbs.Table(x, y, periodic=True), periodic_spline(x, y)


def time_functions(s: Stage) -> Iterator[tuple[str, Any, Callable]]:
    """Functions of time: an expression of parameters, a table, a chain of motion laws."""
    start, speed, swing = (s.number() for _ in range(3))
    yield (
        "expression",
        start + speed * mbs.t + swing * sp.sin(3 * mbs.t) / 4,
        lambda t: s.exact(start) + s.exact(speed) * t + s.exact(swing) * sp.sin(3 * t) / 4,
    )
    x, y = np.linspace(-1, 4, 9), s.random.uniform(-1, 1, 9)
    yield "table", mbs.Table(x, y), _spline(CubicSpline(x, y, bc_type="not-a-knot"), None)
    low, lift = s.number(), s.number()
    over = 0.7
    motion = mbs.Motion(start=low).rise(lift, over=over, law="cycloidal").dwell(over / 2)
    yield (
        "motion",
        motion.return_(over=over, law="3-4-5").repeat(),
        lambda t: rise_dwell_return(t, s.exact(low), s.exact(lift), sp.Float(over, DIGITS)),
    )


def rise_dwell_return(t, low, lift, over):
    """The cycloidal rise, dwell and polynomial return of `time_functions`, by their textbook formulas."""
    period = over * sp.Rational(5, 2)
    t = t - period * sp.floor(t / period)
    if t < over:
        u = t / over
        return low + lift * (u - sp.sin(2 * sp.pi * u) / (2 * sp.pi))
    if t < over * sp.Rational(3, 2):
        return low + lift
    u = (t - over * sp.Rational(3, 2)) / over
    return low + lift * (1 - (10 * u**3 - 15 * u**4 + 6 * u**5))


# --- every registered joint ------------------------------------------------------------------------------------


def joint_classes() -> list[type[mbs.Joint]]:
    """The package's own classes and those of this file: other files may register theirs."""
    return [c for c in mbs.registered_joints() if c.__module__.partition(".")[0] in ("mbs_dae", __name__)]


def variants(cls: type[mbs.Joint]) -> Iterator[tuple[str, int, dict[str, Any], str]]:
    """Every combination of choices, optional markers and forms of functions: a name, how many markers, the choices,
    the form of the functions."""
    names, options = [], []
    forms = [""]
    for name, declared in cls.fields.items():
        if isinstance(declared, Choice):
            names.append(name)
            options.append(declared.options)
        elif isinstance(declared, Function):
            forms = ["expression", "table"]
        elif not isinstance(declared, Scalar):
            raise NotImplementedError(
                f"{cls.__name__}.{name} is declared as {type(declared).__name__}, of which this test cannot make an "
                "example: teach it in `variants` and `constants`"
            )
    most = len(cls.marker_names)
    counts_of_markers = range(most - cls.optional_markers, most + 1)
    for count, chosen, form in itertools.product(counts_of_markers, itertools.product(*options), forms):
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


def joint_case(cls: type[mbs.Joint], name: str, count: int, chosen: dict[str, Any], form: str, where: str) -> Case:
    s = stage(name + where, parameters="all moving" in where)
    markers = tuple(s.marker(body) for body in dict(placements(count, s.moving, s.ground))[where])
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
    pytest.param(cls, *variant, where, id=f"{variant[0]}, {where}")
    for cls in joint_classes()
    for variant in variants(cls)
    for where, _ in placements(variant[1], ["a", "b", "c"], "ground")
]


# --- drivers over every measure --------------------------------------------------------------------------------


def length(i, j):
    dx, dy = j.m[0] - i.m[0], j.m[1] - i.m[1]
    return sp.sqrt(dx * dx + dy * dy)


def along(i, j):
    return i.m[2] * (j.m[0] - i.m[0]) + i.m[3] * (j.m[1] - i.m[1])


MEASURES = {
    "angle": (mbs.angle, 2, lambda i, j: j.m[4] - i.m[4]),
    "angle of one": (mbs.angle, 1, lambda i: i.m[4]),
    "distance": (mbs.distance, 2, length),
    "displacement": (mbs.displacement, 2, along),
    "x": (mbs.x, 1, lambda i: i.m[0]),
    "y": (mbs.y, 1, lambda i: i.m[1]),
    "angle of a joint": (lambda i, j: mbs.angle(mbs.Revolute("pin", i, j)), 2, lambda i, j: j.m[4] - i.m[4]),
    "displacement of a joint": (lambda i, j: mbs.displacement(mbs.Translational("guide", i, j)), 2, along),
    "displacement of a slot": (lambda i, j: mbs.displacement(mbs.PinInSlot("slot", i, j)), 2, along),
    "distance of a rod": (lambda i, j: mbs.Distance("rod", i, j).measures()["distance"], 2, length),
}
FORMS = ["expression", "table", "motion"]


def driver_case(kind: str, form: str, where: str) -> Case:
    measure, count, value = MEASURES[kind]
    s = stage(kind + form + where, parameters="all moving" in where)
    markers = tuple(s.marker(body) for body in dict(placements(count, s.moving, s.ground))[where])
    function, f = {n: (given, exact) for n, given, exact in time_functions(s)}[form]
    element = s.model.add(mbs.Driver("motor", measure(*markers), function))
    return Case(s, element, Reference(s, markers, lambda t, *m: [value(*m) - f(t)]))


DRIVERS = [
    pytest.param(kind, form, where, id=f"{kind}, {form}, {where}")
    for kind, (_, count, _) in MEASURES.items()
    for form in FORMS
    for where, _ in placements(count, ["a", "b", "c"], "ground")
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
        return [i.x_axis.dot(k.point - j.point), gain * i.x * k.y - sp.sin(j.angle)]

    return (s.moving[1], s.moving[1], s.moving[0]), phi, None


def skate_on_a_tether(s: Stage) -> tuple:
    drift, tether = s.number(), s.number()

    def phi(i, j):
        return [(i.point - j.point).dot(i.point - j.point) - tether]

    def psi(i, j):
        return [i.y_axis.dot(i.velocity) - drift * i.omega - sp.cos(2 * mbs.t)]

    return (s.moving[0], s.ground), phi, psi


CONSTRAINTS = [rope_that_is_wound_up, rope_over_a_pulley, two_markers_on_one_body, skate_on_a_tether]


def constraint_case(of: Callable[[Stage], tuple], parameters: bool) -> Case:
    s = stage(of.__name__, parameters)
    bodies, phi, psi = of(s)
    markers = tuple(s.marker(body) for body in bodies)
    element = s.model.add(mbs.Constraint("relation", *markers, phi=phi, psi=psi))
    return Case(s, element, Reference(s, markers, *(lambda t, *m, f=f: f(*m) if f else [] for f in (phi, psi))))


# --- the comparison --------------------------------------------------------------------------------------------


def motions(s: Stage) -> list[Motion]:
    """Random states; the ground stands still."""
    out = []
    for _ in range(STATES):
        numbers = s.random.uniform(-1, 1, (3, 12)) * np.array([2.0, 3.0, 3.0])[:, None]
        numbers[0, 2::3] *= 2
        numbers[:, 9:] = 0
        out.append(Motion(float(s.random.uniform(0.1, 2.9)), *numbers))
    return out


def compiled_reading(system, motion: Motion, v=None, a=None) -> list[np.ndarray]:
    """Φ, Φ_v v - ν and Φ_v a - γ by the kernels."""
    v, a = (np.zeros_like(motion.q0) if x is None else x for x in (v, a))
    return [x[0] for x in system.read_constraints(np.array([motion.t0]), motion.q0[None], v[None], a[None])]


def check_against_independent_derivatives(case: Case) -> None:
    system = case.stage.model.compile()
    rows = len(system.rows)
    for motion in motions(case.stage):
        with mp.workdps(DIGITS):
            expected = independent(case.reference, motion, system.nv)
        value, rate, acceleration = compiled_reading(system, motion, motion.v0, motion.a0)
        still = compiled_reading(system, motion)
        units = np.eye(system.nv, system.size)
        by_rate = np.stack([compiled_reading(system, motion, v=e)[1] for e in units], axis=1)
        by_acceleration = np.stack([compiled_reading(system, motion, a=e)[2] for e in units], axis=1)
        nu, jacobian = -still[1], by_rate - still[1][:, None]
        assert rows == len(expected["rate"])
        held = len(expected["value"])
        np.testing.assert_allclose(value[:held], expected["value"], rtol=VALUE, atol=VALUE, err_msg="Φ")
        assert not value[held:].any()
        close_rows(jacobian, expected["jacobian"], "Φ_v")
        close_rows(by_acceleration - still[2][:, None], expected["jacobian"], "Φ_v, as it multiplies accelerations")
        close_rows(nu, expected["nu"], "ν")
        close_rows(rate, expected["rate"], "Φ_v v - ν along a motion")
        close_rows(acceleration, expected["acceleration"], "Φ_v a - γ along a motion")


def close_rows(found: np.ndarray, expected: np.ndarray, what: str) -> None:
    scale = np.maximum(1.0, np.abs(expected).reshape(len(expected), -1).max(axis=1, initial=0.0))
    np.testing.assert_allclose((found.T / scale).T, (expected.T / scale).T, rtol=0, atol=SLOPE, err_msg=what)


def independent(reference: Reference, motion: Motion, nv: int) -> dict[str, np.ndarray]:
    """Φ, Φ_v, ν and both time derivatives, by mpmath alone; rows of ψ behind those of Φ."""
    t0 = mp.mpf(motion.t0)
    q0, v0 = motion.q(t0), motion.v(t0)
    value = reference.position(q0, t0)
    psi = reference.velocity(q0, v0, t0)

    def moved(q: list, k: int, h) -> list:
        return [x + h if i == k else x for i, x in enumerate(q)]

    still = [mp.mpf(0)] * len(q0)
    jacobian = [
        [*slope(lambda h, k=k: reference.position(moved(q0, k, h), t0)),
         *(reference.velocity(q0, moved(still, k, mp.mpf(1)), t0) - reference.velocity(q0, still, t0))]
        for k in range(nv)
    ]  # fmt: skip
    time_only = slope(lambda h: reference.position(q0, t0 + h))
    rate = slope(lambda h: reference.position(motion.q(t0 + h), t0 + h))
    second = curvature(lambda h: reference.position(motion.q(t0 + h), t0 + h))
    psi_rate = slope(lambda h: reference.velocity(motion.q(t0 + h), motion.v(t0 + h), t0 + h))
    return {
        "value": floats(value),
        "jacobian": np.array([floats(c) for c in jacobian]).T.reshape(-1, nv),
        "nu": floats([*(-x for x in time_only), *(-reference.velocity(q0, still, t0))]),
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


@pytest.mark.parametrize(("cls", "name", "count", "chosen", "form", "where"), JOINTS)
def test_a_registered_joint_is_what_its_phi_says(cls, name, count, chosen, form, where):
    check_against_independent_derivatives(joint_case(cls, name, count, chosen, form, where))


@pytest.mark.parametrize(("kind", "form", "where"), DRIVERS)
def test_a_driver_is_its_measure_less_its_function(kind, form, where):
    check_against_independent_derivatives(driver_case(kind, form, where))


@pytest.mark.parametrize("parameters", [False, True], ids=["numbers", "parameters"])
@pytest.mark.parametrize("of", CONSTRAINTS, ids=lambda f: f.__name__)
def test_a_constraint_is_what_its_function_says(of, parameters):
    check_against_independent_derivatives(constraint_case(of, parameters))


def test_measures_are_read_with_their_rates_and_accelerations():
    """All at once, over stacked states, by the system's reader."""
    s = stage("measures", parameters=True)
    named = []
    for kind, (measure, count, value) in MEASURES.items():
        for _, bodies in placements(count, s.moving, s.ground):
            markers = tuple(s.marker(body) for body in bodies)
            named.append((kind, measure(*markers), Reference(s, markers, lambda t, *m, value=value: [value(*m)])))
    s.model.add(mbs.Revolute("any", s.moving[0], s.moving[1]))
    system = s.model.compile()
    states = motions(s)
    stacked = (np.stack([getattr(m, name) for m in states]) for name in ("t0", "q0", "v0", "a0"))
    found = system.reader([measure for _, measure, _ in named])(*stacked)
    for k, (kind, _, reference) in enumerate(named):
        for n, motion in enumerate(states):
            with mp.workdps(DIGITS):
                expected = independent(reference, motion, system.nv)
            levels = [float(expected[level][0]) for level in ("value", "rate", "acceleration")]
            assert [float(level[n, k]) for level in found] == pytest.approx(levels, rel=SLOPE, abs=SLOPE), kind


def test_results_read_the_measures_of_joints_by_name():
    """Value, rate and acceleration of a joint's own coordinate, against those of its bodies."""
    res = mbs.kinematics(slider_crank(offset=0.2), np.linspace(0, 1, 5))
    for joint, body in (("angle", "angle"), ("omega", "omega"), ("alpha", "alpha")):
        np.testing.assert_allclose(res[f"B.{joint}"], res[f"rod.{body}"] - res[f"crank.{body}"], atol=1e-12)
        np.testing.assert_allclose(res[f"motor.{joint}"], res[f"crank.{body}"], atol=1e-12)
    for joint, body in (("displacement", "x"), ("velocity", "vx"), ("acceleration", "ax")):
        np.testing.assert_allclose(res[f"guide.{joint}"], res[f"slider.{body}"], atol=1e-12)


def test_every_joint_of_the_package_is_registered():
    """Nothing escapes the contract: importing every module of the model's room registers no further class."""
    before = set(mbs.registered_joints())
    for module in pkgutil.walk_packages(model_room.__path__, model_room.__name__ + "."):
        import_module(module.name)
    assert set(mbs.registered_joints()) == before
    assert {c.__name__ for c in joint_classes()} >= {"Revolute", "Translational", "Fixed", "KnifeEdge", "DrivenWheel"}


# --- what a joint takes from the reference placement ------------------------------------------------------------

CONSTANTS_FROM_PLACEMENT = [c for c in joint_classes() if any(callable(f.default) for f in c.fields.values())]


@pytest.mark.parametrize("cls", CONSTANTS_FROM_PLACEMENT, ids=lambda c: c.__name__)
def test_a_constant_left_out_is_that_of_the_reference_placement(cls):
    """So the placement satisfies the equation that the constant belongs to."""
    for name, count, chosen, form in variants(cls):
        s = stage(f"default {name}", parameters=True)
        markers = [s.marker(body) for body in s.moving[:count]]
        required = {n: x for n, x in constants(s, cls, form)[0].items() if not callable(cls.fields[n].default)}
        s.model.add(cls("joint", *markers, **chosen, **required))
        system = s.model.compile()
        q = system.placement[None]
        residual = system.read_constraints(np.zeros(1), q, np.zeros_like(q), np.zeros_like(q))[0]
        assert np.abs(residual).max() < 1e-13, name


@pytest.mark.parametrize("cls", [c for c in joint_classes() if len(c.marker_names) == 2], ids=lambda c: c.__name__)
def test_at_and_axis_place_both_markers_on_one_world_point(cls):
    s = stage(f"at {cls.__name__}")
    _, _, chosen, form = next(variants(cls))
    given, _ = constants(s, cls, form)
    point, axis = s.random.uniform(-1, 1, (2, 2))
    element = cls("joint", s.moving[0], s.moving[1], at=point, axis=axis, **chosen, **given)
    s.model.add(element)
    q = list(map(mp.mpf, s.model.compile().placement))
    reference = Reference(s, element.markers)
    for marker in element.markers:
        x, y, ux, uy, _ = (float(n) for n in reference.place(marker, q, [mp.mpf(0)] * len(q)).m)
        assert (x, y) == pytest.approx(point, abs=1e-14)
        assert (ux, uy) == pytest.approx(axis / np.hypot(*axis), abs=1e-14)


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
