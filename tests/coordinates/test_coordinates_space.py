"""Spatial coordinates: markers, inertia, small motions, and turns that are counted."""

from __future__ import annotations

from collections.abc import Callable

import mpmath as mp
import numpy as np
import pytest
import sympy as sp
from helpers import evaluated_loads
from scipy.spatial.transform import Rotation
from stage import (
    DIGITS,
    H,
    Motion,
    Reference,
    cross,
    curvature,
    floats,
    motions,
    rotation,
    slope,
    stage,
    turned_at_random,
)

import mbs_dae as mbs
from mbs_dae.coordinates.cartesian import SpatialCartesian

TENSOR = np.array([[0.7, 0.1, -0.05], [0.1, 0.9, 0.08], [-0.05, 0.08, 0.6]])


# --- markers ----------------------------------------------------------------------------------------------------


def marker_map_in_numbers(numbers: list[float], q: np.ndarray, v: np.ndarray) -> dict[str, np.ndarray]:
    """The symbolic map with numbers put in."""
    own = SpatialCartesian.marker_map("i")
    values = dict(zip((*own.q, *own.v, *own.slots), map(sp.Float, (*q, *v, *numbers)), strict=True))
    for symbol, value in own.steps:
        values[symbol] = sp.sympify(value).xreplace(values)
    return {
        name: np.array(sp.Matrix(getattr(own, name)).xreplace(values)).astype(float) for name in ("values", "P", "bias")
    }


@pytest.mark.parametrize("seed", range(3))
def test_a_marker_moves_as_its_map_says(seed):
    """m(q), the rates r = P v and their change P v̇ + bias, against differences of where the marker is."""
    s = stage(f"marker {seed}", dimension=3)
    marker = s.marker(s.moving[0])
    reference = Reference(s, (marker,))
    motion = motions(s, 1)[0]
    q_places, v_places = (list(x[s.moving[0]]) for x in (motion.layout.q, motion.layout.v))
    numbers = [float(n) for n in (*marker.point, *np.array(marker.axes, dtype=float).T.ravel())]
    found = marker_map_in_numbers(numbers, motion.q0[q_places], motion.v0[v_places])

    with mp.workdps(DIGITS):
        t0 = mp.mpf(motion.t0)

        def where(h) -> np.ndarray:
            return np.array(reference.placed(motion.q(t0 + h), motion.v(t0 + h))[0].m, dtype=object)

        here = floats(where(mp.mpf(0)))
        rate = floats(slope(where))
        second = floats(curvature(where)[:3])
        spinning = floats(slope(lambda h: np.array(reference.placed(motion.q(t0 + h), motion.v(t0 + h))[0].rates[3:])))
    assert found["values"][:, 0] == pytest.approx(here, abs=1e-13)
    rates = found["P"] @ motion.v0[v_places]
    assert rates[:3] == pytest.approx(rate[:3], abs=1e-13)
    for k in (3, 6, 9):
        assert np.cross(rates[3:], here[k : k + 3]) == pytest.approx(rate[k : k + 3], abs=1e-13)
    assert here[9:12] @ rates[3:] == pytest.approx(rate[12], abs=1e-13)
    change = found["P"] @ motion.a0[v_places] + found["bias"][:, 0]
    assert change == pytest.approx([*second, *spinning], abs=1e-13)


def test_a_quaternion_of_any_length_is_the_same_attitude():
    """Between two steps it may be not quite of unit length."""
    random = np.random.default_rng(3)
    numbers, e = random.normal(size=12), turned_at_random(random)
    q, v = random.normal(size=10), random.normal(size=6)
    one, other = (marker_map_in_numbers(numbers, np.array([*q[:3], *(f * e), *q[7:]]), v) for f in (1.0, 1.7))
    for name in one:
        np.testing.assert_allclose(one[name], other[name], atol=1e-13)


# --- inertia ----------------------------------------------------------------------------------------------------


def one_body(gravity=(0.8, -0.5, -9.81), **inertia) -> mbs.SpatialModel:
    model = mbs.SpatialModel("body", gravity=gravity)
    model.body("b", **inertia)
    return model


BODIES = {
    "principal": {"mass": 1.7, "inertia": (0.7, 0.9, 0.6)},
    "centred": {"mass": 1.7, "inertia": TENSOR},
    "offset": {"mass": 1.7, "inertia": TENSOR, "com": (0.3, -0.7, 0.2)},
}


def energies(mass: float, inertia, com=(0, 0, 0), gravity=(0.8, -0.5, -9.81)) -> tuple[Callable, Callable]:
    """T and U by the velocity of the centre of mass, in world axes and many digits."""
    I = mp.matrix(np.diag(inertia).tolist() if np.ndim(inertia) == 1 else np.array(inertia).tolist())
    c, g = mp.matrix([*com]), mp.matrix([*gravity])

    def attitude(q) -> mp.matrix:
        return mp.matrix(rotation(q[3:7]))

    def kinetic(q, v):
        omega = mp.matrix(v[3:])
        u = mp.matrix(cross(omega, c))
        velocity = mp.matrix(v[:3]) + attitude(q) * u
        return mass * (velocity.T * velocity)[0] / 2 + (omega.T * I * omega)[0] / 2

    def potential(q):
        place = mp.matrix(q[:3]) + attitude(q) * c
        return -mass * (g.T * place)[0]

    return kinetic, potential


@pytest.mark.parametrize("form", BODIES)
def test_inertia_follows_from_the_energies(form):
    """M is the Hessian of T, and M v̇ - Q is what Boltzmann and Hamel say of T(q, v) with turns for velocities:

        d/dt ∂T/∂v - δT/δs + (0, ω × ∂T/∂ω) + δU/δs

    with δ/δs the change along small motions.
    """
    model = one_body(**BODIES[form])
    system = model.compile()
    assert SpatialCartesian.inertia_form(model.bodies["b"]) == form
    kinetic, potential = energies(**BODIES[form])
    random = np.random.default_rng(8)
    for _ in range(3):
        q = np.array([*random.normal(size=3), *turned_at_random(random), 0, 0, 0])
        q0 = system.placement.copy()
        q0[list(system.layout.q[model.bodies["b"]])] = q
        v0, a0 = np.zeros((2, len(system.still)))
        v0[:6], a0[:6] = random.normal(size=(2, 6))
        loads = evaluated_loads(system, 0.0, q0, v0)
        motion = Motion(system.layout, 0.0, q0, v0, a0)
        with mp.workdps(DIGITS):

            def momentum(h, motion=motion):
                """∂T/∂v at a time: T is quadratic, so central differences are exact."""
                there, fast = motion.q(h)[:7], motion.v(h)[:6]
                return np.array([
                    (kinetic(there, bumped(fast, k, 1)) - kinetic(there, bumped(fast, k, -1))) / 2 for k in range(6)
                ])  # fmt: skip

            def along(k, motion=motion):
                def value(h):
                    there = motion.moved(motion.q(mp.mpf(0)), motion.unit(k, h))[:7]
                    return potential(there) - kinetic(there, motion.v(mp.mpf(0))[:6])

                return (value(H) - value(-H)) / (2 * H)

            now = momentum(mp.mpf(0))
            gyroscopic = np.cross(floats(motion.v(mp.mpf(0))[3:6]), floats(now[3:]))
            expected = floats(slope(momentum)) + floats([along(k) for k in range(6)]) + [0, 0, 0, *gyroscopic]
            here = motion.q(mp.mpf(0))[:7]
            hessian = np.array([
                floats([(kinetic(here, bumped(bumped([mp.mpf(0)] * 6, i, 1), k, 1))
                         - kinetic(here, bumped([mp.mpf(0)] * 6, i, 1)) - kinetic(here, bumped([mp.mpf(0)] * 6, k, 1)))
                        for k in range(6)])
                for i in range(6)
            ])  # fmt: skip
            T, U = float(kinetic(here, motion.v(mp.mpf(0))[:6])), float(potential(here))
        np.testing.assert_allclose(loads.mass, hessian, atol=1e-13)
        np.testing.assert_allclose(loads.mass @ a0[:6] - loads.forces, expected, atol=1e-12)
        assert (loads.kinetic, loads.potential) == pytest.approx((T, U), rel=1e-13)


def bumped(x: list, k: int, h: float) -> list:
    return [e + h if i == k else e for i, e in enumerate(x)]


def test_the_forms_of_inertia_agree_where_they_meet():
    """A tensor that happens to be diagonal, and a centre of mass that happens to be the origin, as parameters."""
    plain = one_body(mass=1.7, inertia=(0.7, 0.9, 0.6))
    model = mbs.SpatialModel("parameters", gravity=(0.8, -0.5, -9.81))
    zero = model.parameter("zero", 0.0)
    model.body("b", mass=1.7, inertia=[[0.7, zero, 0], [zero, 0.9, 0], [0, 0, 0.6]], com=(zero, 0, 0))
    assert [SpatialCartesian.inertia_form(m.bodies["b"]) for m in (plain, model)] == ["principal", "offset"]
    random = np.random.default_rng(2)
    q = plain.compile().moved(plain.compile().placement, np.append(random.normal(size=6), np.zeros(6)))
    v = np.append(random.normal(size=6), np.zeros(6))
    one, other = (evaluated_loads(m.compile(), 0.0, q, v) for m in (plain, model))
    np.testing.assert_allclose(one.mass, other.mass, atol=1e-15)
    np.testing.assert_allclose(one.forces, other.forces, atol=1e-14)
    assert one[2:] == pytest.approx(other[2:])


# --- small motions ----------------------------------------------------------------------------------------------


def some_pose(seed: int) -> tuple:
    s = stage(f"pose {seed}", dimension=3)
    system = s.model.compile()
    return system, motions(s, 1)[0].q0, np.random.default_rng(seed)


@pytest.mark.parametrize("size", [1e-12, 1e-6, 1e-3, 1.0, 3.0])
def test_moving_and_the_motion_between_are_inverse(size):
    """A turn below half a turn comes back as it was; and coordinates lead from one pose to the other."""
    for seed in range(4):
        system, q, random = some_pose(seed)
        step = random.normal(size=system.nv).reshape(-1, 3)
        step *= size / np.linalg.norm(step, axis=1, keepdims=True)
        moved = system.moved(q, np.append(step.ravel(), np.zeros(6)))
        np.testing.assert_allclose(system.between(q, moved), step.ravel(), atol=1e-14 * max(1, size) + 4e-16)
        np.testing.assert_allclose(system.between(moved, q), -step.ravel(), atol=1e-14 * max(1, size) + 4e-16)


def test_a_motion_is_made_of_two_halves_about_the_same_axis():
    system, q, random = some_pose(7)
    step = np.append(random.normal(size=system.nv), np.zeros(6))
    halves = system.moved(system.moved(q, step / 2), step / 2)
    np.testing.assert_allclose(halves, system.moved(q, step), atol=1e-14)


def test_opposite_quaternions_are_the_same_attitude():
    system, q, random = some_pose(11)
    step = np.append(random.normal(size=system.nv) / 2, np.zeros(6))
    moved = system.moved(q, step)
    for body in system.bodies:
        moved[list(system.layout.q[body][3:7])] *= -1
    np.testing.assert_allclose(system.between(q, moved), step[: system.nv], atol=1e-14)


def test_small_motions_turn_as_scipy_does():
    system, q, random = some_pose(5)
    step = np.append(random.normal(size=system.nv), np.zeros(6))
    moved = system.moved(q, step)
    for body in system.bodies:
        e0, e1 = (Rotation.from_quat(x[list(system.layout.q[body][3:7])][[1, 2, 3, 0]]) for x in (q, moved))
        turn = step[list(system.layout.v[body][3:])]
        assert (e0 * Rotation.from_rotvec(turn) * e1.inv()).magnitude() < 1e-14
        np.testing.assert_allclose(moved[list(system.layout.q[body][7:])] - q[list(system.layout.q[body][7:])], turn)


# --- turns are counted ------------------------------------------------------------------------------------------

TURNS = 50


def wheel(driven: bool = True, **inertia) -> mbs.SpatialModel:
    """A wheel that stands askew, on an axle that stands askew."""
    model = mbs.SpatialModel("wheel")
    attitude = mbs.rotations.bryant(0.3, -0.7, 1.1)
    body = model.body("wheel", **(inertia or {"mass": 1.0, "inertia": 0.5}), rotation=attitude)
    axle = mbs.Revolute("axle", model.ground, body, at=(0.1, 0.2, 0.3), axis=(1, -2, 2))
    model.add(axle)
    if driven:
        model.add(mbs.Driver("motor", mbs.angle(axle), 2 * mbs.t))
    return model


@pytest.mark.parametrize("count", [TURNS * 6 + 1, 41, 2], ids=["fine", "coarse", "one step"])
def test_kinematics_counts_fifty_turns(count):
    """However few moments are asked for: at 41 and at 2 there are many turns between two of them."""
    times = np.linspace(0, TURNS * np.pi, count)
    res = mbs.kinematics(wheel(), times)
    np.testing.assert_allclose(res["axle.angle"], 2 * times, atol=1e-9)
    np.testing.assert_allclose(res["axle.omega"], 2, rtol=1e-12)


@pytest.mark.parametrize("method", ["DP5", "DP8", "RK4"])
def test_a_run_counts_fifty_turns(method):
    """Steps are much shorter than a turn, the times asked for are not."""
    model = wheel(False, mass=1.0, inertia=TENSOR, com=(0.1, 0.2, 0.3))
    times = np.array([0.0, 1.0, 33.3, TURNS * np.pi])
    step = {"step": 0.02} if method == "RK4" else {}
    res = mbs.simulate(model, times, {"axle.omega": 2.0}, method=method, **step)
    np.testing.assert_allclose(res["axle.angle"], 2 * times, atol=1e-3)


def test_a_free_body_counts_its_turns_about_a_fixed_axis():
    model = mbs.SpatialModel("top")
    body = model.body("b", mass=1.0, inertia=(0.3, 0.4, 0.5))
    times = np.linspace(0, 20, 5)
    res = mbs.simulate(model.plus(mbs.Torque("none", body, 0.0)), times, {"b.wz": 2 * np.pi})
    np.testing.assert_allclose(res["none.angle"], 2 * np.pi * times, atol=1e-6)


def test_a_torsion_spring_is_wound_up_by_several_turns():
    """A wheel that starts with 30 rad/s against a spring of 1 s⁻² frequency turns by 30 rad, and comes back:
    θ = 30 sin t, with the effort -k θ."""
    model = wheel(False, mass=0.0, inertia=0.5)
    axle = model.elements["axle"]
    model.add(mbs.TorsionSpring("spring", axle, stiffness=0.5))
    times = np.linspace(0, 2 * np.pi, 25)
    res = mbs.simulate(model, times, {"axle.omega": 30.0}, rtol=1e-10)
    np.testing.assert_allclose(res["axle.angle"], 30 * np.sin(times), atol=1e-6)
    np.testing.assert_allclose(res.effort("spring"), -15 * np.sin(times), atol=1e-6)
    np.testing.assert_allclose(res.energy.potential, 225 * np.sin(times) ** 2, atol=1e-4)
    assert np.abs(res.energy.error).max() < 1e-6


def test_a_spring_starts_wound_up():
    """The angle told as an initial value counts turns, too."""
    model = wheel(False, mass=0.0, inertia=0.5)
    model.add(mbs.TorsionSpring("spring", model.elements["axle"], stiffness=0.5))
    start = 7.25 * 2 * np.pi
    res = mbs.simulate(model, np.linspace(0, np.pi, 9), {"axle.angle": start, "axle.omega": 0.0}, rtol=1e-10)
    np.testing.assert_allclose(res["axle.angle"], start * np.cos(res.t), atol=1e-6)


def test_a_gear_in_space_keeps_its_ratio_over_many_turns():
    """Bevel gears: the axes meet at a right angle."""
    model = mbs.SpatialModel("bevel gears")
    a, b = (model.body(name, mass=1.0, inertia=0.1) for name in "ab")
    A = mbs.Revolute("A", model.ground, a, at=(0, 0, 0), axis=(0, 0, 1))
    B = mbs.Revolute("B", model.ground, b, at=(0, 0, 0), axis=(1, 0, 0))
    model.add(A, B, mbs.Gear("mesh", A, B, ratio=2.5), mbs.Driver("motor", mbs.angle(A), 5 * mbs.t))
    res = mbs.kinematics(model, np.linspace(0, 40, 161))
    np.testing.assert_allclose(res["A.angle"], -2.5 * res["B.angle"], atol=1e-9)
    np.testing.assert_allclose(res["B.angle"], -2 * res.t, atol=1e-9)
    free = mbs.simulate(model.without("motor"), np.linspace(0, 40, 9), {"A.omega": 5.0})
    np.testing.assert_allclose(free["B.angle"], -2 * free.t, atol=1e-5)
