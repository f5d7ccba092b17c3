"""Rotating and rolling bodies in space against closed forms, and against equations written down without constraints."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from gallery import load
from refusals import refused
from scipy.integrate import cumulative_simpson, solve_ivp
from scipy.spatial.transform import Rotation
from spatial_oracles import arm_6r, chaplygin_sleigh, free_body, gimbal, governor, heavy_top, rolling_disk

import mbs_dae as mbs

EXACT = {"method": "DP8", "rtol": 1e-12, "stabilization": mbs.Projection()}


def integrated(rhs, start, times):
    """A reference integration to the last digits that DOP853 gives."""
    return solve_ivp(lambda _, y: rhs(y), (0, times[-1]), start, "DOP853", times, rtol=1e-13, atol=1e-14).y.T


def spinning(body, omega, velocity=(0.0, 0.0, 0.0)):
    """Initial values of one body, its angular velocity in world axes."""
    names = ("vx", "vy", "vz", "wx", "wy", "wz")
    return {f"{body}.{n}": float(x) for n, x in zip(names, (*velocity, *omega), strict=True)}


# --- one free body ----------------------------------------------------------------------------------------------

MOMENTS = np.array([1.0, 2.0, 3.0])
STARTS = {"tennis racket": (0.01, 1, 0.02), "about major": (0.3, 0.2, 1.5), "about minor": (1.5, 0.2, 0.3)}


def free(omega, duration=10.0, **options):
    model = mbs.SpatialModel("free body")
    model.body("b", mass=1.0, inertia=tuple(MOMENTS))
    times = np.linspace(0, duration, 101)
    return mbs.simulate(model, times, initial=spinning("b", omega), **{**EXACT, **options})


@pytest.mark.parametrize("omega", STARTS.values(), ids=STARTS)
def test_free_body_turns_as_elliptic_functions_say(omega):
    """The body's own rates (v holds them), its attitude by the momentum, which stands still in the world."""
    result = free(omega)
    expected = free_body.omega(free_body.solve(MOMENTS, omega), result.t)
    np.testing.assert_allclose(result.v[:, 3:], expected, rtol=0, atol=1e-9)
    world = np.column_stack([result[f"b.w{axis}"] for axis in "xyz"])
    R = result.rotation("b")
    np.testing.assert_allclose(np.einsum("tji,tj->ti", R, world), expected, rtol=0, atol=1e-9)
    momentum = np.einsum("tij,tj->ti", R, MOMENTS * expected)
    np.testing.assert_allclose(momentum, np.tile(MOMENTS * omega, (len(result), 1)), rtol=0, atol=1e-9)


@pytest.mark.parametrize("stabilization", [mbs.Baumgarte, mbs.Projection, mbs.Unstabilized])
def test_quaternion_stays_a_unit_over_a_long_run(stabilization):
    """Some 160 turns: the length of the quaternion is not integrated, so it cannot drift."""
    result = free((0.3, 0.2, 1.5), duration=1000.0, rtol=1e-10, stabilization=stabilization)
    np.testing.assert_allclose(np.linalg.norm(result.quaternion("b"), axis=1), 1.0, rtol=0, atol=4e-16)
    np.testing.assert_allclose(result.energy.kinetic, result.energy.kinetic[0], rtol=1e-7)
    momentum = np.einsum("tij,tj->ti", result.rotation("b"), MOMENTS * result.v[:, 3:])
    np.testing.assert_allclose(momentum, np.tile(momentum[0], (len(result), 1)), rtol=0, atol=1e-6)


def test_body_frame_may_stand_anywhere():
    """The same body said in a frame off its centre of mass and off its principal axes, thrown in gravity."""
    askew, com = mbs.rotations.bryant(0.4, -0.7, 1.1), np.array([0.3, -0.2, 0.5])  # own axes of the frame, seen from
    omega, velocity = np.array(STARTS["tennis racket"], float), np.array([1.0, 2.0, 3.0])  # the principal ones
    model = mbs.SpatialModel("thrown", gravity=(0.0, 0.0, -9.81))
    tensor = askew.T @ np.diag(MOMENTS) @ askew
    body = model.body("b", 2.0, tensor, com=tuple(com), position=tuple(-askew @ com), rotation=askew)
    body.marker("centre", *com)
    start = spinning("b", omega, velocity - np.cross(omega, askew @ com))
    result = mbs.simulate(model, np.linspace(0, 10, 41), initial=start, **EXACT)
    t = result.t[:, None]
    place = np.column_stack([result[f"b.centre.{axis}"] for axis in "xyz"])
    np.testing.assert_allclose(place, velocity * t - [0, 0, 9.81] * t**2 / 2, rtol=0, atol=1e-8)
    expected = free_body.omega(free_body.solve(MOMENTS, omega), result.t)
    np.testing.assert_allclose(result.v[:, 3:] @ askew.T, expected, rtol=0, atol=1e-8)
    momentum = np.einsum("tij,jk,tk->ti", result.rotation("b"), tensor, result.v[:, 3:])
    np.testing.assert_allclose(momentum, np.tile(MOMENTS * omega, (len(result), 1)), rtol=0, atol=1e-8)


def test_thrown_book_turns_over_and_comes_back():
    """The model of the gallery: about its middle axis it flips with the period of the elliptic functions."""
    file = load("free_body")
    model = file.build()
    result = mbs.simulate(model, file.TIMES, initial=file.INITIAL, **EXACT)
    sides = {n: model.parameters[n].value for n in "abc"}
    squares = np.array([sides[i] ** 2 + sides[j] ** 2 for i, j in ("bc", "ca", "ab")])
    start = [file.INITIAL[f"book.w{axis}"] for axis in "xyz"]
    expected = free_body.omega(free_body.solve(model.parameters["m"].value / 12 * squares, start), result.t)
    np.testing.assert_allclose(result.v[:, 3:], expected, rtol=0, atol=1e-9 * 15)
    assert expected[:, 1].min() < -14.9 and abs(result["book.z"][-1]) < 1e-12


# --- the Chaplygin sleigh ---------------------------------------------------------------------------------------

SLEIGHS = [(1.0, 2.0, 0.3), (-1.0, 0.7, 0.4), (0.3, -2.0, 0.2), (0.0, 3.0, -0.25)]


def sleigh(space, v0, omega0, a, slope=0.0, **options):
    file = load("chaplygin_sleigh")
    build = file.build_in_space if space else file.build
    start = {"sleigh.vx": v0, "sleigh.wz" if space else "sleigh.omega": omega0}
    model = build(m=2.0, I=0.5, a=a, slope=slope)
    return mbs.simulate(model, np.linspace(0, 5, 51), initial=start, **{**EXACT, **options})


@pytest.mark.parametrize("space", [False, True], ids=["plane", "space"])
@pytest.mark.parametrize("v0, omega0, a", SLEIGHS)
def test_sleigh(space, v0, omega0, a):
    """tanh and 1/cosh, the path of the edge, and the force of the ice on the knife."""
    result = sleigh(space, v0, omega0, a)
    data = dict(m=2.0, I_G=0.5, a=a, v0=v0, omega0=omega0)
    v, omega, theta = chaplygin_sleigh.state(result.t, **data)
    exact = {"rtol": 0, "atol": 1e-9}
    np.testing.assert_allclose(result["ice.angle" if space else "sleigh.angle"], theta, **exact)
    np.testing.assert_allclose(result["sleigh.wz" if space else "sleigh.omega"], omega, **exact)
    np.testing.assert_allclose(result["sleigh.vx"], v * np.cos(theta), **exact)
    np.testing.assert_allclose(result["sleigh.vy"], v * np.sin(theta), **exact)
    place = [chaplygin_sleigh.contact_point(t, **data) for t in result.t]
    np.testing.assert_allclose(np.column_stack([result["sleigh.x"], result["sleigh.y"]]), place, **exact)
    push = chaplygin_sleigh.knife_force(result.t, **data)
    force = result.reaction("knife", axes="second")[:, :2]
    np.testing.assert_allclose(force, np.column_stack([0 * push, push]), **exact)
    np.testing.assert_allclose(result.energy.kinetic, result.energy.kinetic[0], rtol=1e-11)


@pytest.mark.parametrize("space", [False, True], ids=["plane", "space"])
@pytest.mark.parametrize("stabilization", [mbs.Baumgarte, mbs.Projection, mbs.Unstabilized])
@pytest.mark.parametrize("method", ["DP5", "DP8"])
def test_steps_are_as_long_as_the_knife_allows(method, stabilization, space):
    """A projection puts positions right without the rows that restrict velocities; nothing else may think that these
    are dependent."""
    options = {"method": method, "rtol": 1e-8, "stabilization": stabilization()}
    result = sleigh(space, *SLEIGHS[0], **options)
    v, omega, theta = chaplygin_sleigh.state(result.t, m=2.0, I_G=0.5, a=0.3, v0=1.0, omega0=2.0)
    np.testing.assert_allclose(result["ice.angle" if space else "sleigh.angle"], theta, rtol=0, atol=1e-6)
    np.testing.assert_allclose(result["sleigh.vx"], v * np.cos(theta), rtol=0, atol=1e-6)
    assert result.violation.velocity.max() < 1e-6 and result.stats["redundant_equations"] == 0


def test_sleigh_is_the_same_in_space_as_in_the_plane():
    """On a slope, where there is no closed form: motion and knife force; and the ice carries nothing."""
    plane, space = (sleigh(kind, *SLEIGHS[0], slope=0.1) for kind in (False, True))
    for ours, theirs in (("x", "x"), ("vy", "vy"), ("omega", "wz"), ("alpha", "alphaz"), ("ax", "ax")):
        np.testing.assert_allclose(space[f"sleigh.{theirs}"], plane[f"sleigh.{ours}"], rtol=0, atol=1e-9)
    np.testing.assert_allclose(space.reaction("knife")[:, :2], plane.reaction("knife")[:, :2], rtol=0, atol=1e-9)
    assert np.abs(plane.reaction("knife")[:, :2]).max() > 1
    np.testing.assert_allclose(space.reaction("ice"), 0, atol=1e-9)
    np.testing.assert_allclose(space["sleigh.z"], 0, atol=1e-12)


@pytest.mark.parametrize("space", [False, True], ids=["plane", "space"])
def test_balanced_sleigh_walks_across_a_slope(space):
    """With its centre of mass over the edge it turns evenly, θ = ωt, and v̇ = -g' sin θ (g' down the slope):
    v = (cos ωt - 1) g'/ω along the edge, a cycloid."""
    result = sleigh(space, 0.0, 2.0, 0.0, slope=0.1)
    t, omega, pull = result.t, 2.0, 9.81 * np.sin(0.1)
    v = pull / omega * (np.cos(omega * t) - 1)
    np.testing.assert_allclose(result["sleigh.vx"], v * np.cos(omega * t), rtol=0, atol=1e-9)
    np.testing.assert_allclose(result["sleigh.vy"], v * np.sin(omega * t), rtol=0, atol=1e-9)
    path = pull / omega**2 * (omega * t / 2 + np.sin(2 * omega * t) / 4 - np.sin(omega * t))
    np.testing.assert_allclose(result["sleigh.x"], path, rtol=0, atol=1e-9)
    force = result.reaction("knife", axes="second")[:, 1]
    np.testing.assert_allclose(force, 2.0 * (v * omega + pull * np.cos(omega * t)), rtol=0, atol=1e-9)


def test_sleigh_keeps_what_an_equation_between_places_would_not():
    """It is counted with two degrees of freedom, though it reaches every place in every attitude."""
    file = load("chaplygin_sleigh")
    for model in (file.build(), file.build_in_space()):
        diagnosis = mbs.diagnose(model)
        assert diagnosis.degrees_of_freedom == 2 and not diagnosis.redundant
    result = sleigh(False, *SLEIGHS[0])
    assert min(np.ptp(result[f"sleigh.{c}"]) for c in ("x", "y", "angle")) > 0.5


# --- the heavy top ----------------------------------------------------------------------------------------------

TOP = heavy_top.Top(I1=0.012, I3=0.004, moment=0.5)
LENGTH = 0.1
MASS = TOP.moment / (9.81 * LENGTH)
TOPS = {
    "let go at rest": (0.6, 0.0, 0.0, 90.0),
    "loops": (0.6, 0.0, -1.0, 60.0),
    "pushed": (1.0, -2.0, 1.0, 50.0),
    "hanging": (2.0, 1.5, -3.0, -40.0),
    "without spin": (0.4, 0.0, 0.5, 0.0),
}


def top(theta, theta_rate, precession, omega3, duration=1.5, **options):
    """The top of the gallery with the inertias of TOP, from a state of the oracle."""
    model = load("heavy_top").build(m=MASS, l=LENGTH, across=TOP.I1 - MASS * LENGTH**2, along=TOP.I3, theta=theta)
    s, c = np.sin(theta), np.cos(theta)
    e, level, across = np.array([s, 0, c]), np.array([c, 0, -s]), np.array([0.0, 1, 0])
    omega = theta_rate * across - precession * s * level + omega3 * e  # z = c e - s level
    start = {f"top.w{axis}": float(x) for axis, x in zip("xyz", omega, strict=True)}
    return mbs.simulate(model, np.linspace(0, duration, 61), initial=start, **{**EXACT, **options})


def axis_of(result):
    """The axis of the top over time, in world axes."""
    return result.rotation("top")[:, :, 2]


@pytest.mark.parametrize("state", TOPS.values(), ids=TOPS)
def test_top_nods_and_goes_round(state):
    """cos θ an elliptic function, φ by integrals of the third kind, and three quantities kept."""
    result = top(*state)
    motion = heavy_top.nutation(TOP, *state)
    e = axis_of(result)
    np.testing.assert_allclose(e[:, 2], heavy_top.cos_theta(motion, result.t), rtol=0, atol=1e-8)
    turned = np.array([heavy_top.precession_angle(motion, t) for t in result.t])
    np.testing.assert_allclose(np.exp(1j * np.arctan2(e[:, 1], e[:, 0])), np.exp(1j * turned), rtol=0, atol=1e-8)
    energy, Lz, L3 = heavy_top.invariants(TOP, *state)
    momentum = np.einsum("tij,j,tj->ti", result.rotation("top"), [TOP.I1, TOP.I1, TOP.I3], result.v[:, 3:])
    np.testing.assert_allclose(momentum[:, 2], Lz, rtol=0, atol=1e-10)
    np.testing.assert_allclose(np.sum(momentum * e, axis=1), L3, rtol=0, atol=1e-10)
    np.testing.assert_allclose(result.energy.kinetic + TOP.moment * e[:, 2], energy, rtol=0, atol=1e-9)
    assert np.ptp(e[:, 2]) > 1e-3


def test_tip_carries_weight_and_inertia():
    """Newton's law of the centre of mass: F = m (a_c + g z)."""
    result = top(*TOPS["pushed"])
    a = np.column_stack([result[f"top.centre.a{axis}"] for axis in "xyz"])
    np.testing.assert_allclose(result.reaction("tip")[:, :3], MASS * (a + [0, 0, 9.81]), rtol=0, atol=1e-9)
    np.testing.assert_array_equal(result.reaction("tip")[:, 3:], 0)


@pytest.mark.parametrize("which", [0, 1], ids=["slow", "fast"])
def test_top_precesses_steadily(which):
    rate = heavy_top.steady_precessions(TOP, 0.7, 60.0)[which]
    result = top(0.7, 0.0, rate, 60.0, duration=0.5)
    e = axis_of(result)
    np.testing.assert_allclose(e[:, 2], np.cos(0.7), rtol=0, atol=1e-9)
    np.testing.assert_allclose(np.unwrap(np.arctan2(e[:, 1], e[:, 0])), rate * result.t, rtol=0, atol=1e-8)


@pytest.mark.parametrize("factor, falls", [(1.05, False), (0.95, True)])
def test_upright_top_sleeps_if_it_is_fast(factor, falls):
    result = top(1e-4, 0.0, 0.0, factor * heavy_top.sleeping_limit(TOP), duration=6.0, rtol=1e-10)
    assert (np.arccos(np.clip(axis_of(result)[:, 2], -1, 1)).max() > 0.1) == falls


def test_fast_top_over_two_seconds():
    """150 rad/s, the benchmark of the gallery: place to 1e-7 m, against half the tolerance, against the equations in
    vectors, and its height as an elliptic function. (It passes so near to the lowest point, where there is no φ, that
    the integrals for φ lose their digits.)"""
    file = load("heavy_top")
    model = file.build()
    result, finer = (
        mbs.simulate(model, file.TIMES, initial=file.INITIAL, **{**EXACT, "rtol": rtol}) for rtol in (1e-12, 5e-13)
    )
    place, other = (np.column_stack([r[f"top.centre.{axis}"] for axis in "xyz"]) for r in (result, finer))
    np.testing.assert_allclose(place, other, rtol=0, atol=1e-7)

    m, l, across, along = (model.parameters[n].value for n in ("m", "l", "across", "along"))
    large = heavy_top.Top(I1=across + m * l**2, I3=along, moment=m * 9.81 * l)
    state = (large, np.pi / 2, file.INITIAL["top.wy"], file.INITIAL["top.wz"], file.INITIAL["top.wx"])
    path = integrated(lambda y: heavy_top.vector_rates(large, y), heavy_top.vector_state(*state), file.TIMES)
    np.testing.assert_allclose(place, l * path[:, :3], rtol=0, atol=1e-7)
    height = l * heavy_top.cos_theta(heavy_top.nutation(*state), file.TIMES)
    np.testing.assert_allclose(place[:, 2], height, rtol=0, atol=1e-7)
    momentum = np.einsum("tij,j,tj->ti", result.rotation("top"), [large.I1, large.I1, large.I3], result.v[:, 3:])
    kept = heavy_top.invariants(*state)
    np.testing.assert_allclose(momentum[:, 2], kept.Lz, rtol=0, atol=1e-9 * kept.L3)
    np.testing.assert_allclose(np.sum(momentum * axis_of(result), axis=1), kept.L3, rtol=1e-9)
    assert np.abs(result.energy.error).max() < 1e-9 * result.energy.kinetic[0]


# --- the rolling disk -------------------------------------------------------------------------------------------

DISK = rolling_disk.thin_disk(m=1.3, R=0.5)


def disk(theta, theta_rate, precession, omega3, times, **options):
    """The disk of the gallery with the numbers of DISK, from a state of the oracle."""
    model = load("rolling_disk").build(m=DISK.m, R=DISK.R, theta=float(theta))
    omega = rolling_disk.world_state(DISK, theta, theta_rate, precession, omega3)[9:]
    start = {f"disk.w{axis}": float(x) for axis, x in zip("xyz", omega, strict=True)}
    return mbs.simulate(model, times, initial=start, **{**EXACT, **options})


def world_of(result, body="disk"):
    """Place, velocity, axis and angular velocity of a body, as the oracle's state has them."""
    names = [f"{body}.{n}" for n in ("x", "y", "z", "vx", "vy", "vz", "wx", "wy", "wz")]
    numbers = np.column_stack([result[n] for n in names])
    return np.column_stack([numbers[:, :6], result.rotation(body)[:, :, 2], numbers[:, 6:]])


def test_disk_rolls_steadily_on_a_circle():
    theta, precession = np.radians(65), 2.2
    spin = rolling_disk.steady_spin(DISK, theta, precession)
    result = disk(theta, 0.0, precession, spin, np.linspace(0, 4, 41))
    now = world_of(result)
    np.testing.assert_allclose(now[:, 2], DISK.R * np.sin(theta), rtol=0, atol=1e-9)
    np.testing.assert_allclose(now[:, 8], np.cos(theta), rtol=0, atol=1e-9)
    radius = rolling_disk.circle_radius(DISK, precession, spin)
    middle = now[0, :2] + np.cross([0, 0, 1 / precession], now[0, 3:6])[:2]
    np.testing.assert_allclose(np.linalg.norm(now[:, :2] - middle, axis=1), radius, rtol=0, atol=1e-9)
    force = result.reaction("contact")[:, :3]  # carries the weight, and holds the centre on its circle
    np.testing.assert_allclose(force[:, 2], DISK.m * DISK.g, rtol=1e-9)
    inward = (middle - now[:, :2]) / radius
    np.testing.assert_allclose(force[:, :2], DISK.m * precession**2 * radius * inward, rtol=0, atol=1e-8)


@pytest.mark.parametrize("state", [(1.2, 0.4, 0.9, 5.0), (1.0, -0.5, -2.0, 4.0), (0.5, 0.2, 7.0, 1.0)])
def test_disk_rolls_as_newton_and_euler_say(state):
    """Any motion, against equations in world axes whose unknown is the contact force; no slip, and energy."""
    times = np.linspace(0, 2, 21)
    result = disk(*state, times)
    now = world_of(result)
    expected = integrated(lambda y: rolling_disk.world_rates(DISK, y), rolling_disk.world_state(DISK, *state), times)
    np.testing.assert_allclose(now, expected, rtol=0, atol=2e-9)
    e3, v, omega = now[:, 6:9], now[:, 3:6], now[:, 9:]
    up = np.array([0, 0, 1]) - e3[:, 2:] * e3
    arm = -DISK.R * up / np.linalg.norm(up, axis=1)[:, None]  # to the contact point
    np.testing.assert_allclose(v + np.cross(omega, arm), 0, atol=1e-10)
    np.testing.assert_allclose(now[:, 2] + arm[:, 2], 0, atol=1e-12)
    total = result.energy.kinetic + DISK.m * DISK.g * now[:, 2]
    np.testing.assert_allclose(total, rolling_disk.energy(DISK, *state), rtol=1e-10)
    accelerations = np.array([rolling_disk.world_rates(DISK, y)[3:6] for y in now])
    contact = DISK.m * (accelerations + [0, 0, DISK.g])
    np.testing.assert_allclose(result.reaction("contact")[:, :3], contact, rtol=0, atol=1e-8)


def test_upright_disk_wobbles_above_the_limit_and_falls_below():
    limit, small = rolling_disk.upright_limit(DISK), 1e-5
    fast = 1.5 * limit
    half = np.pi / rolling_disk.upright_wobble(DISK, fast)
    precession = DISK.Ia * fast * small / DISK.It
    end = world_of(disk(np.pi / 2 + small, 0.0, precession, fast, np.array([0, half / 2, half])))
    lean = np.arccos(end[:, 8]) - np.pi / 2
    np.testing.assert_allclose(lean, [small, 0, -small], rtol=0, atol=1e-9)
    for factor, falls in ((1.05, False), (0.95, True)):
        result = disk(np.pi / 2 + small, 0.0, 0.0, factor * limit, np.linspace(0, 8, 81), rtol=1e-10)
        assert (np.abs(world_of(result)[:, 8]).max() > 0.01) == falls


def test_disk_rolls_down_a_slope():
    """Straight down, upright: a = g sin α/(1 + I_a/m R²), and the contact gives m (g sin α - a) uphill."""
    slope, m, R = 0.3, 1.3, 0.5
    model = mbs.SpatialModel("slope", gravity=(0.0, 0.0, -9.81))
    down, normal = (np.cos(slope), 0.0, -np.sin(slope)), (np.sin(slope), 0.0, np.cos(slope))
    across = m * R**2 / 4
    level = mbs.rotations.about_x(-np.pi / 2)  # the axis of the disk along y
    body = model.body("disk", m, (across, across, 2 * across), position=tuple(R * np.array(normal)), rotation=level)
    model.add(mbs.RollingDisk("contact", model.ground.at(0, 0, 0, axis=normal), body, radius=R))
    result = mbs.simulate(model, np.linspace(0, 1, 11), **EXACT)
    a = 9.81 * np.sin(slope) / 1.5
    way = np.column_stack([result[f"disk.{axis}"] for axis in "xyz"]) - R * np.array(normal)
    np.testing.assert_allclose(way, np.outer(a * result.t**2 / 2, down), rtol=0, atol=1e-9)
    np.testing.assert_allclose(result["disk.wy"], a * result.t / R, rtol=0, atol=1e-9)
    push = m * (a - 9.81 * np.sin(slope)) * np.array(down) + m * 9.81 * np.cos(slope) * np.array(normal)
    np.testing.assert_allclose(result.reaction("contact")[:, :3], np.tile(push, (11, 1)), rtol=0, atol=1e-8)


@pytest.mark.parametrize("driven", [False, True], ids=["free", "driven"])
def test_disk_on_a_turntable(driven):
    """What rolls on a body that moves pushes it back: energy, and the momentum about the axle, which only the motor
    gives."""
    theta, inertia = 1.2, np.array([0.08, 0.08, 0.16])
    model = mbs.SpatialModel("turntable", gravity=(0.0, 0.0, -9.81))
    table = model.body("table", mass=1.0, inertia=0.2)
    place, tilted = (1.0, 0.0, 0.5 * np.sin(theta)), mbs.rotations.about_x(theta)
    body = model.body("disk", 1.0, tuple(inertia), position=place, rotation=tilted)
    axle = mbs.Revolute("axle", model.ground, table)
    model.add(axle, mbs.RollingDisk("contact", table, body, radius=0.5))
    if driven:
        model.add(mbs.Driver("motor", mbs.angle(axle), sp.sin(3 * mbs.t)))
    result = mbs.simulate(model, np.linspace(0, 1, 401), initial={"disk.wy": -6.0, "disk.wz": -1.0}, **EXACT)
    assert np.abs(result.energy.error).max() < 1e-8 and np.abs(result["axle.omega"]).max() > 0.5
    spin = np.einsum("tij,j,tj->ti", result.rotation("disk"), inertia, result.v[:, 9:])[:, 2]
    orbit = result["disk.x"] * result["disk.vy"] - result["disk.y"] * result["disk.vx"]
    momentum = spin + orbit + 0.2 * result["axle.omega"]
    given = cumulative_simpson(result.effort("motor"), x=result.t, initial=0) if driven else 0.0
    np.testing.assert_allclose(momentum - momentum[0], given, rtol=0, atol=1e-6 if driven else 1e-9)


def test_disk_may_not_lie_flat():
    """There the rim touches all round, and no point of it is lowest."""
    model = load("rolling_disk").build(theta=0.0)
    with refused("not-finite", time=0.0, joints=["contact"]):
        mbs.simulate(model, [0, 1], initial={"disk.wx": 0.1})


# --- the gyroscope ----------------------------------------------------------------------------------------------


def gyroscope(theta, H, times, weight=1.0, l=0.3, tilt_rate=0.0, turn=0.0, **options):
    """The gyroscope of the gallery and the oracle's numbers for it, from the momentum H of the rotor."""
    model = load("gyroscope").build(theta=theta, weight=weight, l=l)
    p = {name: value.value for name, value in model.parameters.items()}
    own = weight * l**2  # the weight belongs to the inner gimbal, about the common centre
    numbers = gimbal.Gimbals(
        p["outer_z"], (p["inner_x"] + own, p["inner_y"] + own, p["inner_z"]), p["across"], p["along"], weight * 9.81 * l
    )
    spin = H / p["along"] - turn * np.cos(theta)
    start = {"azimuth.omega": turn, "tilt.omega": tilt_rate, "spin.omega": spin}
    return mbs.simulate(model, times, initial=start, **{**EXACT, **options}), numbers


@pytest.mark.parametrize(
    "theta, H, l, tilt_rate, turn", [(1.2, 2.0, 0.3, 0.0, 0.0), (0.7, -1.5, 0.2, 1.0, 2.0), (2.0, 3.0, 0.0, -0.5, 1.0)]
)
def test_gyroscope(theta, H, l, tilt_rate, turn):
    """Azimuth and tilt as the two equations of Lagrange say; H, energy and the momentum about the vertical are kept."""
    times = np.linspace(0, 1, 41)
    result, g = gyroscope(theta, H, times, l=l, tilt_rate=tilt_rate, turn=turn)
    expected = integrated(lambda y: gimbal.rates(g, y, H), [theta, tilt_rate, 0.0, turn], times)
    found = np.column_stack(
        [result["tilt.angle"], result["tilt.omega"], result["azimuth.angle"], result["azimuth.omega"]]
    )
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8)
    momentum = g.along * (result["spin.omega"] + result["azimuth.omega"] * np.cos(found[:, 0]))
    np.testing.assert_allclose(momentum, H, rtol=1e-10)
    energy, Lz = np.array([gimbal.kept(g, y, H) for y in found]).T
    np.testing.assert_allclose(energy, energy[0], rtol=0, atol=1e-8)
    np.testing.assert_allclose(Lz, Lz[0], rtol=0, atol=1e-9)
    assert np.abs(result.energy.error).max() < 1e-9 * result.energy.kinetic[0]


def test_level_gyroscope_precesses_at_moment_over_momentum():
    """ψ̇ = μ/H exactly, and the other steady rate at another tilt."""
    times = np.linspace(0, 1, 21)
    result, g = gyroscope(np.pi / 2, 2.5, times, turn=9.81 * 0.3 / 2.5)
    np.testing.assert_allclose(result["azimuth.angle"], g.moment / 2.5 * times, rtol=0, atol=1e-9)
    np.testing.assert_allclose(result["tilt.angle"], np.pi / 2, rtol=0, atol=1e-9)
    for rate in gimbal.steady_precessions(g, 1.0, 2.5):
        result, _ = gyroscope(1.0, 2.5, times[:6], turn=rate)
        np.testing.assert_allclose(result["azimuth.angle"], rate * times[:6], rtol=0, atol=1e-7)


def test_gyroscope_nutates():
    """A small push to the balanced gyroscope: half a period later it is on the other side."""
    theta, H, small = 1.1, 2.0, 1e-5
    _, g = gyroscope(theta, H, [0, 1e-3], l=0.0)
    half = np.pi / gimbal.nutation_frequency(g, theta, H)
    turn = H * (np.cos(theta) - np.cos(theta + small)) / gimbal.outer_inertia(g, theta)[0]
    result, _ = gyroscope(theta + small, H, [0, half / 2, half], l=0.0, turn=turn)
    np.testing.assert_allclose(result["tilt.angle"] - theta, [small, 0, -small], rtol=0, atol=1e-9)


def test_gimbals_show_the_euler_angles_of_the_rotor():
    """Rot_z ψ Rot_x θ Rot_z spin; the spin counts its turns."""
    result, _ = gyroscope(1.2, 2.0, np.linspace(0, 1, 9))
    angles = result["azimuth.angle"], result["tilt.angle"], result["spin.angle"]
    expected = Rotation.from_euler("ZXZ", np.column_stack(angles)).as_matrix()
    np.testing.assert_allclose(result.rotation("rotor"), expected, rtol=0, atol=1e-10)
    assert result["spin.angle"][-1] > 100


# --- gimbal lock ------------------------------------------------------------------------------------------------


def locked(theta, push=mbs.t):
    """The inner platform in gimbals is prescribed, and gimbals must follow: turned about the world's y axis, across the
    tilt axis, by `push`."""
    model = load("gyroscope").build(theta=theta)
    rotor = model.bodies["rotor"]
    rates = (("wx", mbs.wx, 0), ("wy", mbs.wy, sp.diff(push, mbs.t)), ("wz", mbs.wz, 0))
    return model.plus(*(mbs.Driver(f"hold {name}", measure(rotor), rate) for name, measure, rate in rates))


def test_gimbal_lock_is_diagnosed():
    """With the axes of outer gimbal and rotor in line, one way of turning is lost and another is idle."""
    aside = mbs.diagnose(locked(1.2))
    assert aside.degrees_of_freedom == 0 and not aside.redundant
    lock = mbs.diagnose(locked(0.0))
    assert lock.degrees_of_freedom == 1
    assert [group.kind for group in lock.redundant] == ["momentary"]
    assert lock.generic_degrees_of_freedom == 0


def test_gimbal_lock_stops_the_motion():
    """Across the tilt axis there is no way out of it, and the message names what is in the way."""
    with refused("dead-point", mbs.SingularConfigurationError, joints=["azimuth", "tilt", "spin", "hold wy"]):
        mbs.kinematics(locked(0.0), np.linspace(0, 1, 11))


def test_too_near_to_gimbal_lock_there_is_no_telling():
    with refused("dead-point", mbs.SingularConfigurationError) as error:
        mbs.kinematics(locked(1e-5), np.linspace(0, 1, 11))
    assert error.value.facts["time"] == 0.0


def test_gimbal_lock_is_passed_straight_through():
    """Along the tilt axis nothing is asked of the way that is lost; the tilt goes on to the other side."""
    held = locked(0.5, sp.Integer(0)).without("hold wx")
    held.add(mbs.Driver("hold wx", mbs.wx(held.bodies["rotor"]), -1))
    result = mbs.kinematics(held, np.linspace(0, 1, 11))
    np.testing.assert_allclose(result["tilt.angle"], 0.5 - result.t, rtol=0, atol=1e-9)
    np.testing.assert_allclose(result["azimuth.angle"], 0, atol=1e-9)


def test_gimbals_near_their_lock_turn_fast():
    """Tilted by θ₀ about x and then turned about y by β, e₃ = (sin β cos θ₀, -sin θ₀, cos β cos θ₀): the outer gimbal
    turns to atan2 of it, half around within a few θ₀."""
    small, times = 1e-3, np.linspace(0, 0.5, 51)
    result = mbs.kinematics(locked(small, mbs.t), times)
    e = np.array([np.sin(times) * np.cos(small), np.full(51, -np.sin(small)), np.cos(times) * np.cos(small)])
    np.testing.assert_allclose(np.cos(result["tilt.angle"]), e[2], rtol=0, atol=1e-9)
    np.testing.assert_allclose(result["azimuth.angle"], np.arctan2(e[0], -e[1]), rtol=0, atol=1e-6)
    assert result["azimuth.omega"].max() > 900


# --- the serial arm ---------------------------------------------------------------------------------------------


def oracle_arm(file, inertias):
    tensors = np.array([np.diag(i) if np.ndim(i) == 1 else i for i in inertias])
    numbers = (np.array(x, float) for x in (file.AXES, file.JOINTS, file.MASSES, file.CENTRES))
    return arm_6r.Arm(*numbers, tensors, np.array(file.TOOL, float), np.array([0, 0, -9.81]))


def arm_motion(result):
    """Angles, rates and accelerations of the joints."""
    return (np.column_stack([result[f"axis{k}.{level}"] for k in range(1, 7)]) for level in ("angle", "omega", "alpha"))


@pytest.fixture(scope="module", params=["boxes", "askew"])
def arm(request):
    """The arm of the gallery; and with inertias that have all their products."""
    file = load("arm_6r")
    inertias = file.INERTIAS if request.param == "boxes" else arm_6r.example().inertias
    return file, file.build(inertias=inertias), oracle_arm(file, inertias)


def test_arm_stands_where_its_joints_say(arm):
    file, model, oracle = arm
    result = mbs.kinematics(model, file.TIMES[::10])
    way = 0.5 * (1 - np.cos(np.pi * result.t))
    for k, (q, R) in enumerate(zip(np.outer(way, file.REACH), result.rotation("link6"), strict=True)):
        rotations, joints, tool = arm_6r.forward(oracle, q)
        np.testing.assert_allclose(R, rotations[5], rtol=0, atol=1e-12)
        np.testing.assert_allclose([result[f"link4.{c}"][k] for c in "xyz"], joints[3], rtol=0, atol=1e-12)
        np.testing.assert_allclose([result[f"link6.tool.{c}"][k] for c in "xyz"], tool, rtol=0, atol=1e-12)


def test_motors_of_the_arm_give_the_torques_of_newton_and_euler(arm):
    file, model, oracle = arm
    result = mbs.inverse_dynamics(model.with_parameters(cycle=0.7), np.linspace(0, 0.7, 29))
    expected = np.array([arm_6r.inverse_dynamics(oracle, *motion) for motion in zip(*arm_motion(result), strict=True)])
    for name, torque in zip(file.MOTORS, expected.T, strict=True):
        np.testing.assert_allclose(result.effort(name), torque, rtol=0, atol=1e-12 * np.abs(torque).max())


def test_arm_falls_as_its_mass_matrix_says(arm):
    """Without motors, from a bent pose on the way: torques vanish in the inverse dynamics of the motion found."""
    file, model, oracle = arm
    start = mbs.kinematics(model, [0.6, 0.7]).state(0)
    falling = model.without(*file.MOTORS)
    initial = {f"axis{k}.{level}": start[f"axis{k}.{level}"] for k in range(1, 7) for level in ("angle", "omega")}
    result = mbs.simulate(falling, np.linspace(0, 1, 21), initial=initial, **EXACT)
    q, qd, qdd = arm_motion(result)
    np.testing.assert_allclose(q[0], [start[f"axis{k}.angle"] for k in range(1, 7)], rtol=0, atol=1e-10)
    energies = [arm_6r.energy(oracle, *motion) for motion in zip(q, qd, strict=True)]
    np.testing.assert_allclose(energies, energies[0], rtol=0, atol=1e-9 * np.ptp(result.energy.kinetic))
    torques = [arm_6r.inverse_dynamics(oracle, *motion) for motion in zip(q, qd, qdd, strict=True)]
    np.testing.assert_allclose(torques, 0, atol=1e-8)
    assert np.abs(result.energy.error).max() < 1e-9 * np.ptp(result.energy.kinetic) and np.ptp(q, axis=0).min() > 0.1


# --- the flyball governor ---------------------------------------------------------------------------------------

GOVERNOR = governor.Governor()


def flying(alpha, omega, times, held=False, **options):
    model = load("flyball_governor").build(alpha=alpha)
    if held:
        shaft = model.bodies["shaft"]
        model.add(mbs.Driver("drive", mbs.angle(model.ground, shaft), omega * mbs.t))
    start = {"hinge1.omega": 0.0} | ({} if held else {"bearing.omega": omega})
    return mbs.simulate(model, times, initial=start, **{**EXACT, **options})


@pytest.mark.parametrize("held", [True, False], ids=["held", "free"])
def test_governor_stands_at_its_steady_speed(held):
    for alpha in (0.5, 0.9):
        result = flying(alpha, governor.steady_speed(GOVERNOR, alpha), np.linspace(0, 2, 11), held)
        np.testing.assert_allclose(result["hinge1.angle"], 0, atol=1e-9)
        np.testing.assert_allclose(result["sleeve.z"], -2 * GOVERNOR.a * np.cos(alpha), rtol=0, atol=1e-9)


@pytest.mark.parametrize("held", [True, False], ids=["held", "free"])
def test_governor_oscillates_about_it(held):
    """Half a period after it was let go a little aside, it stands as much on the other side; a free shaft starts with
    the momentum of the steady state."""
    alpha, small = 0.8, 1e-5
    omega = governor.steady_speed(GOVERNOR, alpha)
    if not held:
        omega *= governor.inertia(GOVERNOR, alpha)[0] / governor.inertia(GOVERNOR, alpha + small)[0]
    half = np.pi / governor.small_oscillation(GOVERNOR, alpha, held)
    result = flying(alpha + small, omega, [0, half / 2, half], held)
    np.testing.assert_allclose(result["hinge1.angle"], [0, -small, -2 * small], rtol=0, atol=1e-9)


@pytest.mark.parametrize("held", [True, False], ids=["held", "free"])
def test_governor_moves_as_lagrange_says(held):
    """Far from the steady state; and the two arms alike."""
    alpha, omega, times = 0.8, 5.5, np.linspace(0, 2, 21)
    result = flying(alpha, omega, times, held)
    expected = integrated(lambda y: governor.rates(GOVERNOR, y, held), [alpha, 0.0, omega], times)
    found = np.column_stack([alpha + result["hinge1.angle"], result["hinge1.omega"], result["bearing.omega"]])
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8)
    np.testing.assert_allclose(result["hinge2.angle"], result["hinge1.angle"], rtol=0, atol=1e-10)
    assert np.ptp(expected[:, 0]) > 0.1


def test_governor_with_hinged_rods_is_redundant():
    """Rods between hinges: two plane loops more, with three equations too many each; the motion is the same."""
    file, alpha = load("flyball_governor"), 0.8
    model = file.build()
    assert not mbs.diagnose(model).redundant
    e, a = (model.parameters[n].value for n in "ea")
    hinged, sleeve = model.without("rod1", "rod2"), model.bodies["sleeve"]
    for k, side in ((1, 1), (2, -1)):
        arm = model.bodies[f"arm{k}"]
        grip = (side * (e + a * np.sin(alpha)), 0, -a * np.cos(alpha))
        foot = (side * e, 0, -2 * a * np.cos(alpha))
        rod = hinged.link(f"bar{k}", grip, foot, z_axis=(0, 1, 0))
        hinged.add(
            mbs.Revolute(f"upper{k}", arm, rod, at=grip, axis=(0, 1, 0)),
            mbs.Revolute(f"lower{k}", rod, sleeve, at=foot, axis=(0, 1, 0)),
        )
    diagnosis = mbs.diagnose(hinged)
    assert diagnosis.degrees_of_freedom == 2
    assert diagnosis.equations - diagnosis.rank == 6
    assert {group.kind for group in diagnosis.redundant} == {"generic"}
    named = {name for group in diagnosis.redundant for name in group.joints}
    assert named <= {*hinged.elements} - {"bearing", "weld1", "weld2"}
    options = {"initial": file.INITIAL, **EXACT, "rtol": 1e-10}
    times = np.linspace(0, 1, 6)
    with_bars, with_rods = (mbs.simulate(m, times, **options) for m in (hinged, model))
    for name in ("sleeve.z", "bearing.angle", "ball1.x"):
        np.testing.assert_allclose(with_bars[name], with_rods[name], rtol=0, atol=1e-8)


@pytest.mark.parametrize("number", [float, None])
def test_pins_of_a_cross(number, interpreted_kernels):
    """tan β = tan α / cos δ or tan α cos δ, by which shaft has its pin across the plane of both; δ a parameter, too."""
    turn = np.linspace(0.1, 1.4, 5)
    for across in (False, True):
        model = mbs.SpatialModel("bent shafts")
        delta = 0.6 if number else model.parameter("delta", 0.6)
        c, s = sp.cos(delta), sp.sin(delta)
        pins = ((0, 1, 0), (0, 0, 1)) if not across else ((0, 0, 1), (-s, c, 0))
        first, second = model.body("first"), model.body("second")
        A = mbs.Revolute("A", model.ground, first, at=(-1, 0, 0), axis=(1, 0, 0))
        model.add(A, mbs.Universal("U", first, second, at=(0, 0, 0), pins=pins))
        model.add(mbs.Cylindrical("B", model.ground, second, at=(c, s, 0), axis=(c, s, 0)))
        model.add(mbs.Driver("motor", mbs.angle(A), mbs.t))
        ratio = 1 / np.cos(0.6) if not across else np.cos(0.6)
        result = mbs.kinematics(model, turn)
        assert np.tan(result["B.angle"]) == pytest.approx(ratio * np.tan(turn))
