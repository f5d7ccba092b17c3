"""Motions under forces that are known in closed form, or from equations written down without constraints."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from gallery import load
from scipy.integrate import solve_ivp
from scipy.special import ellipj, ellipk

import mbs_dae as mbs

G = 9.81
EXACT = {"method": "DP8", "rtol": 1e-11, "stabilization": mbs.Projection()}

# --- one body ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"method": "DP8"}, {"method": "RK4", "step": 0.1}], ids=["DP5", "DP8", "RK4"])
def test_thrown_body(options):
    """A parabola and an even turn: polynomials of second degree, which every method integrates without an error."""
    model = mbs.PlanarModel("thrown", gravity=(0.0, -G))
    model.body("b", mass=2.0, inertia=0.3, position=(0.5, 1.0), angle=0.2)
    times = np.linspace(0, 2, 21)
    result = mbs.simulate(model, times, initial={"b.vx": 3.0, "b.vy": 4.0, "b.omega": -5.0}, **options)
    np.testing.assert_allclose(result["b.x"], 0.5 + 3 * times, rtol=1e-13)
    np.testing.assert_allclose(result["b.y"], 1 + 4 * times - G / 2 * times**2, rtol=0, atol=1e-13 * 10)
    np.testing.assert_allclose(result["b.angle"], 0.2 - 5 * times, rtol=0, atol=1e-13 * 10)
    np.testing.assert_allclose(result.energy.error, 0, atol=1e-12 * result.energy.kinetic[0])


def test_thrown_body_whose_frame_is_not_at_its_centre():
    """The centre of mass flies as if alone, and the frame goes round it."""
    model = mbs.PlanarModel("thrown", gravity=(0.0, -G))
    body = model.body("b", mass=2.0, inertia=0.3, com=(0.4, -0.1), position=(0, 0), angle=0.0)
    body.marker("c", 0.4, -0.1)
    times = np.linspace(0, 2, 21)
    result = mbs.simulate(model, times, initial={"b.vx": 1.0, "b.vy": 4.0, "b.omega": 3.0}, **EXACT)
    vx, vy = 1.0 + 0.1 * 3, 4.0 + 0.4 * 3
    np.testing.assert_allclose(result["b.c.x"], 0.4 + vx * times, rtol=0, atol=1e-9)
    np.testing.assert_allclose(result["b.c.y"], -0.1 + vy * times - G / 2 * times**2, rtol=0, atol=1e-9)
    np.testing.assert_allclose(result["b.angle"], 3 * times, rtol=0, atol=1e-9)


@pytest.mark.parametrize("damping", [0.0, 0.8, 40.0], ids=["undamped", "weak", "strong"])
def test_mass_on_a_spring(damping):
    """m ẍ + d ẋ + k x = m g along a guide, from the free length: under and over the critical damping of 2√(km)."""
    m, k, free = 1.5, 200.0, 0.4
    model = mbs.PlanarModel("spring-mass-damper", gravity=(G, 0.0))
    mass = model.body("mass", mass=m, inertia=0.1, position=(free, 0))
    model.add(
        mbs.Translational("guide", model.ground, mass),
        mbs.SpringDamper("spring", model.ground, mass, stiffness=k, damping=damping, length=free),
    )
    times = np.linspace(0, 2, 81)
    result = mbs.simulate(model, times, initial={"mass.x": free, "mass.vx": 0.3}, **EXACT)

    rest, (r1, r2) = free + m * G / k, np.roots([m, damping, k]).astype(complex)
    c1 = (0.3 - r2 * (free - rest)) / (r1 - r2)
    x = rest + (c1 * np.exp(r1 * times) + (free - rest - c1) * np.exp(r2 * times)).real
    np.testing.assert_allclose(result["mass.x"], x, rtol=0, atol=1e-9)
    lost = result.energy.dissipated
    assert np.abs(result.energy.error).max() < 1e-8
    assert (lost[-1] > 0.1) == (damping > 0) and (np.diff(lost) >= 0).all()


def test_a_spring_of_no_length_is_harmonic_through_its_ends():
    """The distance vanishes, and has no direction there; the pull, k times the way, vanishes with it."""
    model = mbs.PlanarModel("oscillator")
    block = model.body("block", mass=2.0, inertia=1.0)
    slide = mbs.Translational("slide", model.ground, block)
    model.add(slide, mbs.Spring("spring", model.ground, block, stiffness=10.0, length=0))
    res = mbs.simulate(model, np.linspace(0.0, 3.0, 7), {"slide.velocity": 1.0}, rtol=1e-10)
    omega = np.sqrt(10.0 / 2.0)
    np.testing.assert_allclose(res["slide.displacement"], np.sin(omega * res.t) / omega, atol=1e-9)


@pytest.mark.parametrize("phi", [np.pi, -1.4, 1.5], ids=["horizontal", "small", "nearly upright"])
def test_simple_pendulum(phi):
    """Jacobi's elliptic functions (Landau and Lifshitz, Mechanics, § 11), and the tension of the rod."""
    file = load("simple_pendulum")
    L, m, times = 0.7, 1.3, np.linspace(0, 4, 81)
    options = {"method": "DP8", "step": 0.005, "stabilization": mbs.Projection()}
    result = mbs.simulate(file.build(L=L, m=m, phi=phi), times, initial=file.INITIAL, **options)

    start = (phi + np.pi / 2 + np.pi) % (2 * np.pi) - np.pi  # from the downward vertical
    k, rate = np.sin(start / 2), np.sqrt(G / L)
    sn, cn, dn, _ = ellipj(ellipk(k**2) + rate * times, k**2)
    theta, omega = 2 * np.arcsin(k * sn), 2 * k * rate * cn
    np.testing.assert_allclose(result["bob.x"], L * np.sin(theta), rtol=0, atol=1e-9)
    np.testing.assert_allclose(result["bob.y"], -L * np.cos(theta), rtol=0, atol=1e-9)
    np.testing.assert_allclose(result["bob.omega"], omega, rtol=0, atol=1e-8)
    tension = m * (G * np.cos(theta) + L * omega**2)  # towards the pin, along -(sin θ, -cos θ)
    force = np.stack([-tension * np.sin(theta), tension * np.cos(theta)], axis=1)
    np.testing.assert_allclose(result.reaction("pin")[:, :2], force, rtol=0, atol=1e-7)


# --- against equations of Lagrange ------------------------------------------------------------------------------


def test_double_pendulum():
    """Lagrange's equations, made by sympy from the energies, integrated by scipy."""
    file = load("double_pendulum")
    l1, l2, m1, m2 = 0.5, 0.4, 1.0, 0.8
    a, b, va, vb = sp.symbols("a b va vb")
    upper, lower = (sp.Matrix([sp.cos(x), sp.sin(x)]) for x in (a, b))
    centres = {m1: l1 / 2 * upper, m2: l1 * upper + l2 / 2 * lower}
    q, v = sp.Matrix([a, b]), sp.Matrix([va, vb])
    turning = (m1 * l1**2 * va**2 + m2 * l2**2 * vb**2) / 24
    kinetic = turning + sum(m / 2 * (c.jacobian(q) * v).dot(c.jacobian(q) * v) for m, c in centres.items())
    potential = sum(m * G * c[1] for m, c in centres.items())
    momenta = sp.Matrix([kinetic]).jacobian(v).T
    M = momenta.jacobian(v)
    f = sp.Matrix([kinetic - potential]).jacobian(q).T - momenta.jacobian(q) * v
    numbers = sp.lambdify([a, b, va, vb], [M, f], "numpy")

    def rates(t, y):
        mass, force = numbers(*y)
        return [*y[2:], *np.linalg.solve(mass, np.ravel(force))]

    times = np.linspace(0, 2, 41)
    expected = solve_ivp(rates, (0, 2), [0.0, 0.5, 0.0, 0.0], "DOP853", times, rtol=1e-13, atol=1e-13).y
    result = mbs.simulate(file.build(), times, initial=file.INITIAL, **EXACT)
    computed = [result[name] for name in ("upper.angle", "lower.angle", "upper.omega", "lower.omega")]
    np.testing.assert_allclose(computed, expected, rtol=0, atol=1e-7)  # errors grow by e^6 in these two seconds


def test_four_bar_with_spring():
    """Its energy as the model's docstring writes it, from lengths and angles alone: at every pose it gives the speed of
    the crank."""
    file = load("four_bar_with_spring")
    model = file.build()
    a, b, c, d, bar, k, s0, xs, ys = (
        model.parameters[name].value for name in ("a", "b", "c", "d", "bar", "k", "s0", "xs", "ys")
    )

    def reduced(theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Inertia and potential of all that moves, as functions of the crank's angle."""
        A = a * np.exp(1j * theta)
        f = d - A
        coupler = np.angle(f) + np.arccos((abs(f) ** 2 + b**2 - c**2) / (2 * b * abs(f)))
        rocker = np.angle(A + b * np.exp(1j * coupler) - d)
        turn_b = a / b * np.sin(theta - rocker) / np.sin(rocker - coupler)  # dθ₃/dθ₂ and dθ₄/dθ₂
        turn_c = a / c * np.sin(theta - coupler) / np.sin(rocker - coupler)
        speed = abs(1j * A + 0.5j * b * np.exp(1j * coupler) * turn_b)  # of the coupler's middle
        inertia = bar * (a**3 / 3 + b**3 / 12 * turn_b**2 + b * speed**2 + c**3 / 3 * turn_c**2)
        middles = (A / 2, A + b / 2 * np.exp(1j * coupler), d + c / 2 * np.exp(1j * rocker))
        weight = sum(bar * l * G * z.imag for l, z in zip((a, b, c), middles, strict=True))
        return inertia, weight + k / 2 * (abs(middles[2] - xs - 1j * ys) - s0) ** 2

    result = mbs.simulate(model, file.TIMES, initial=file.INITIAL, **EXACT)
    inertia, potential = reduced(result["crank.angle"])
    kinetic = inertia * result["crank.omega"] ** 2 / 2
    assert kinetic.max() > 0.5
    np.testing.assert_allclose(kinetic, potential[0] - potential, rtol=0, atol=1e-9)
    np.testing.assert_allclose(result.energy.kinetic, kinetic, rtol=0, atol=1e-11)
    np.testing.assert_allclose(result.energy.potential, potential, rtol=0, atol=1e-11)
    assert np.abs(result.energy.error).max() < 1e-9


# --- machines ---------------------------------------------------------------------------------------------------


def test_crank_rocker_motor_runs_up_to_a_balance():
    """At its steady speed a turn repeats the one before it, and the pins take what the motor gives."""
    file = load("crank_rocker_motor")
    model = file.build()
    result = mbs.simulate(model, np.linspace(0, 12, 4801), initial=file.INITIAL, rtol=1e-9)
    energy, t = result.energy, result.t
    assert np.abs(energy.error).max() < 1e-6

    # the moments at which the crank has done whole turns, by inverse interpolation between close samples
    turns = np.arange(2, np.floor((result["crank.angle"][-1] - 1) / (2 * np.pi)) + 1)
    moments = np.interp(1 + 2 * np.pi * turns, result["crank.angle"], t)
    periods = np.diff(moments)
    assert np.ptp(periods[-10:]) < 1e-4 * periods[-1]
    assert (np.diff(periods[:5]) < 0).all()  # running up

    given, taken = (np.diff(np.interp(moments, t, work)) for work in (energy.supplied, energy.dissipated))
    assert given[0] > 1.5 * taken[0]
    np.testing.assert_allclose(given[-10:], taken[-10:], rtol=1e-3)

    # the ledger against the characteristic, and against the friction in each pin
    omega = result["crank.omega"]
    np.testing.assert_allclose(result.effort("motor"), 0.8 * (1 - omega / 30), rtol=0, atol=1e-12)
    np.testing.assert_allclose(result.power("motor"), result.effort("motor") * omega, rtol=1e-12)
    lost = sum(0.004 * result[f"{pin}.omega"] ** 2 for pin in "OABD")
    np.testing.assert_allclose(sum(result.power(f"friction_{pin}") for pin in "OABD"), -lost, rtol=1e-12)
    np.testing.assert_allclose(np.trapezoid(lost, t), energy.dissipated[-1], rtol=1e-4)


def cycles(count: int) -> np.ndarray:
    """Times for so many cycles, of two turns each, at 200 rad/s."""
    return np.linspace(0, count * 4 * np.pi / 200, 720 * count + 1)


def mean(values: np.ndarray) -> float:
    """Over one cycle of samples at even distances: the trapezoidal rule, which is exact for smooth periodic
    functions."""
    return float(np.mean(values[:-1]))


def test_engine_brake_takes_what_the_gas_gives():
    file = load("slider_crank_engine")
    model = file.build()
    result = mbs.inverse_dynamics(model, cycles(1))
    gas = result.reaction("gas")[:, 0] * result["piston.vx"]
    assert mean(gas) > 4000
    assert -mean(result.effort("brake")) * 200 == pytest.approx(mean(gas), rel=1e-9)
    np.testing.assert_allclose(result.power("brake"), 200 * result.effort("brake"), rtol=1e-12)

    # at every moment: power of gas and brake is the growth of the kinetic energy (weights of the rod included)
    energy = result.energy
    stored = energy.kinetic + energy.potential
    power = gas + result.power("brake")
    growth = np.gradient(stored, result.t, edge_order=2)
    np.testing.assert_allclose(power, growth, rtol=0, atol=2e-3 * np.abs(power).max())
    assert np.abs(energy.error).max() < 1e-4 * np.ptp(energy.supplied)

    # a flywheel at even speed takes no torque
    heavier = mbs.inverse_dynamics(model.with_parameters(flywheel=0.5), result.t)
    np.testing.assert_allclose(heavier.effort("brake"), result.effort("brake"), rtol=0, atol=1e-9)


def test_engine_work_of_its_cycle():
    """If the fuel burnt at once and the valves acted at once, in the dead points, the cycle would be Otto's: its work
    is an upper bound, which the area of the computed indicator diagram must come near from below."""
    file = load("slider_crank_engine")
    model = file.build()
    result = mbs.inverse_dynamics(model, cycles(1))
    work = np.trapezoid(result.reaction("gas")[:, 0], result["piston.x"])
    ratio, n, p0, heat = 9.0, 1.3, 1e5, 2.2
    displaced = np.pi * 0.08**2 / 4 * 0.08
    largest = displaced * ratio / (ratio - 1)
    otto = heat * p0 * largest * (ratio ** (n - 1) - 1) / (n - 1)
    assert 0.75 * otto < work < otto


@pytest.mark.parametrize("flywheel", [0.2, 0.4])
def test_engine_flywheel_evens_the_speed(flywheel):
    """Under an even load the speed swings by ΔE / (J ω²), ΔE the swing of the excess work at even speed."""
    file = load("slider_crank_engine")
    model = file.build(flywheel=flywheel)
    held = mbs.inverse_dynamics(model, cycles(1))
    torque = -held.effort("brake")
    load_torque = mean(torque)
    excess = np.cumsum(torque - load_torque) * np.diff(held.t)[0] * 200
    free = model.without("brake").with_parameters(load=load_torque)
    result = mbs.simulate(free, cycles(4), initial={"crank.omega": 200.0}, rtol=1e-8)
    omega = result["crank.omega"][-720:]
    # the load takes what the gas gives at the held speed; without a governor the speed drifts, but slowly
    assert omega.mean() == pytest.approx(200, rel=0.05)
    expected = np.ptp(excess) / (flywheel * omega.mean() ** 2)
    assert np.ptp(omega) / omega.mean() == pytest.approx(expected, rel=0.1)
    assert np.abs(result.energy.error).max() < 1e-6 * result.energy.kinetic[0]


@pytest.mark.parametrize("coordinates", ["cartesian", "natural", "joint"])
@pytest.mark.parametrize("light", [1e-6, 1e-8, 1e-12])
def test_a_light_pendulum_on_a_heavy_one_moves_as_its_own_mass_has_it(light, coordinates):
    """From rest in line; the equations of two thin bars, and at the end the motion that they make."""
    model = mbs.PlanarModel("unlike", gravity=(0, -9.81))
    heavy, last = model.link("heavy", (0, 0), (1, 0), mass=1.0), model.link("light", (1, 0), (2, 0), mass=light)
    model.add(mbs.Revolute("A", model.ground, heavy.tail), mbs.Revolute("B", heavy.head, last.tail))

    def rates(_, y):
        (a, b, u, w), apart = y, y[0] - y[1]
        M = np.array([[1 / 3 + light, light / 2 * np.cos(apart)], [light / 2 * np.cos(apart), light / 3]])
        Q = -9.81 * np.array([(0.5 + light) * np.cos(a), light / 2 * np.cos(b)])
        return [u, w, *np.linalg.solve(M, Q + light / 2 * np.sin(apart) * np.array([-(w**2), u**2]))]

    end = solve_ivp(rates, (0, 0.5), np.zeros(4), rtol=1e-11, atol=1e-11).y[:, -1]
    res = mbs.simulate(model.compile(coordinates), [0, 0.5])
    np.testing.assert_allclose([res["heavy.alpha"][0], res["light.alpha"][0]], rates(0, np.zeros(4))[2:], rtol=1e-9)
    np.testing.assert_allclose([res["heavy.angle"][-1], res["light.angle"][-1]], end[:2], atol=1e-5)


SMALL = [(1e-3, 1e-3, 1e-8), (1e-3, 1e-3, 9e-8), (1e-4, 2e-4, 1e-11), (0.1, 1e-4, 1e-9), (2e-4, 2e-4, 3e-12)]
"""Mass, distance of the centre of mass from the pin, moment of inertia."""


@pytest.mark.parametrize("coordinates", ["cartesian", "natural", "joint"])
@pytest.mark.parametrize(("mass", "distance", "inertia"), SMALL)
def test_a_small_pendulum_beside_a_large_one(mass, distance, inertia, coordinates):
    """Nothing joins them; the small one is as light as what is given to light bodies for the factorisation."""
    model = mbs.PlanarModel(gravity=(0, -9.81))
    bar = model.body("bar", 1.0, 1.0, position=(1, 0))
    small = model.body("small", mass, inertia, position=(distance, 0))
    model.add(mbs.Revolute("A", model.ground, bar.at(-1, 0)), mbs.Revolute("B", model.ground, small.at(-distance, 0)))
    res = mbs.simulate(model.compile(coordinates), [0.0, 1e-6])
    alpha = -mass * 9.81 * distance / (inertia + mass * distance**2)
    assert res["small.alpha"][0] == pytest.approx(alpha, rel=1e-12)
    assert np.abs(res.reaction("B")[0][1]) == pytest.approx(mass * (9.81 + alpha * distance), rel=1e-10)


def test_a_small_weld_on_a_pendulum_does_no_harm():
    """Light columns of which no motion by themselves is left."""
    model = mbs.PlanarModel(gravity=(0, -9.81))
    bar, weld = model.body("bar", 1.0, 1.0, position=(1, 0)), model.body("weld", 1e-9, 1e-12, position=(1, 0))
    model.add(mbs.Revolute("A", model.ground, bar.at(-1, 0)), mbs.Fixed("B", bar, weld))
    model.add(mbs.Driver("C", mbs.angle(model.ground, bar), mbs.t**2))
    assert mbs.simulate(model, [0.0, 1e-6])["weld.alpha"][0] == pytest.approx(2.0, rel=1e-9)


def test_an_equation_that_is_no_number_in_other_poses_does_no_harm_to_light_bodies():
    model = mbs.PlanarModel(gravity=(0, -9.81))
    bar, light = model.body("bar", 1.0, 1.0, position=(1, 0)), model.body("light", 1e-9, 1e-12, position=(1, 2))
    model.add(mbs.Revolute("A", model.ground, bar.at(-1, 0)))
    model.add(mbs.Constraint("C", light, phi=lambda i: [sp.sqrt(1e-4 - (i.x - 1) ** 2) - 1e-2]))
    assert mbs.simulate(model, [0.0, 1e-6])["light.ay"][0] == pytest.approx(-9.81, rel=1e-9)
