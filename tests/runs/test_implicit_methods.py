"""Implicit methods: orders, what they do with fast motions, states, redundant constraints, and Newton's matrix."""

import numpy as np
import pytest
from helpers import coupled_slider_crank, four_bar, three_cranks
from refusals import refused
from scipy.integrate import solve_ivp

import mbs_dae as mbs
from mbs_dae.compiled.status import DONE
from mbs_dae.coordinates import SETS
from mbs_dae.linear.unsymmetric import eliminate_real, solve_real
from mbs_dae.motion.derivative import derivative
from mbs_dae.motion.implicit.linearised import add_mass_times, linearise, put_real
from mbs_dae.verbs.simulate import prepare

IMPLICIT = ["GA", "Radau5"]


def oscillator(k=1.0):
    """A mass of 1 kg on a guide, with a spring; a cart beside it has by far the most energy."""
    model = mbs.PlanarModel("oscillator")
    block, cart = (model.body(name, mass=mass, inertia=1.0) for name, mass in (("block", 1.0), ("cart", 1e4)))
    model.add(mbs.Translational("guide", model.ground, block), mbs.Translational("rail", model.ground, cart))
    model.add(mbs.Spring("spring", model.ground.at(-1, 0), block, stiffness=k))
    return model


def rod(k, zeta=0.1, theta=1.0):
    """A point of 1 kg on a stiff spring with a damper in place of a rod; it hangs in its quasi-static length."""
    omega0, g, c = 2.0, 9.81, 2 * zeta * np.sqrt(k)
    length = 1.0 + (g * np.cos(theta) + omega0**2) / k
    model = mbs.PlanarModel("rod", gravity=(0.0, -g))
    bob = model.body("bob", mass=1.0, inertia=1.0, position=(length * np.sin(theta), -length * np.cos(theta)))
    model.add(mbs.SpringDamper("rod", model.ground, bob, stiffness=k, damping=c, length=1.0))
    along = np.array([np.cos(theta), np.sin(theta)]) * omega0 * length
    return model, {"bob.vx": along[0], "bob.vy": along[1], "bob.omega": 0.0}


def two_bars_in_space():
    """A spatial double pendulum on ball joints, with a bushing: attitudes, gyroscopic terms, a stiff force."""
    model = mbs.SpatialModel("two bars", gravity=(0, 0, -9.81))
    first = model.body("first", mass=1.0, inertia=(0.1, 0.02, 0.09), position=(0.5, 0, 0))
    second = model.body("second", mass=0.7, inertia=(0.05, 0.02, 0.06), position=(1.0, 0.4, 0))
    model.add(mbs.Spherical("A", model.ground, first.at(-0.5, 0, 0)))
    model.add(mbs.Spherical("B", first.at(0.5, 0, 0), second.at(0, -0.4, 0)))
    model.add(mbs.Spring("s", model.ground.at(0, 1, 0), second, stiffness=200.0))
    speeds = {"first": (1.0, 2.0, -1.0), "second": (0.5, 1.0, 3.0)}
    return model, {f"{body}.w{axis}": w for body, all_w in speeds.items() for axis, w in zip("xyz", all_w, strict=True)}


def motor():
    """A four-bar with a motor whose current is a state."""
    model = four_bar(motor=False)
    i = model.state("i", rate=lambda i: (5.0 - 2.0 * i - 0.3 * model["crank.omega"]) / 0.01, unit="A")
    model.add(mbs.Torque("drive", model.bodies["crank"], 0.3 * i))
    return model, {"crank.omega": 3.0}


# --- orders -----------------------------------------------------------------------------------------------------------

ORDERS = [("GA", 1.8, (400, 800)), ("Radau5", 4.7, (30, 60))]


@pytest.mark.parametrize(("method", "order", "counts"), ORDERS)
@pytest.mark.parametrize("coordinates", SETS)
def test_order_in_space(coordinates, method, order, counts):
    model, start = two_bars_in_space()
    system = model.compile(coordinates)
    exact = mbs.simulate(system, [0, 0.5], start, method="DP8", rtol=1e-12)
    errors = []
    for count in counts:
        run = mbs.simulate(system, [0, 0.5], start, method=method, step=0.5 / count, rtol=1e-11)
        errors.append(max(abs(run[name][-1] - exact[name][-1]) for name in ("second.x", "second.vy", "first.wx")))
    assert np.log2(errors[0] / errors[1]) > order
    assert run.violation.position.max() < 1e-13 and run.violation.velocity.max() < 1e-12


@pytest.mark.parametrize(("method", "order", "counts"), ORDERS)
@pytest.mark.parametrize("coordinates", ["cartesian", "natural"])
def test_order_with_redundant_constraints(coordinates, method, order, counts):
    """A parallelogram with a third parallel crank has a row too many."""
    system = three_cranks(0.5).compile(coordinates)
    start = {"crank0.omega": 4.0}
    exact = mbs.simulate(system, [0, 0.5], start, method="DP8", rtol=1e-12)
    assert exact.stats["redundant_equations"] > 0
    errors = []
    for count in counts:
        run = mbs.simulate(system, [0, 0.5], start, method=method, step=0.5 / count, rtol=1e-11)
        errors.append(abs(run["crank0.omega"][-1] - exact["crank0.omega"][-1]))
        assert run.stats["redundant_equations"] == exact.stats["redundant_equations"]
    assert np.log2(errors[0] / errors[1]) > order


@pytest.mark.parametrize("method", IMPLICIT)
@pytest.mark.parametrize("coordinates", SETS)
def test_states_are_integrated_to_the_same_tolerance(coordinates, method):
    model, start = motor()
    exact = mbs.simulate(model, [0, 0.5], start, method="DP8", rtol=1e-11)
    rtol = 1e-8 if method == "Radau5" else 1e-7
    run = mbs.simulate(model.compile(coordinates), [0, 0.5], start, method=method, rtol=rtol)
    for name in ("i", "crank.omega"):
        assert run[name][-1] == pytest.approx(exact[name][-1], rel=1e-7 if method == "Radau5" else 2e-4)


def test_smaller_tolerances_give_smaller_errors():
    model, start = two_bars_in_space()
    exact = mbs.simulate(model, [0, 1], start, method="DP8", rtol=1e-12)["second.x"][-1]
    for method, tolerances in (("Radau5", (1e-5, 1e-7, 1e-9)), ("GA", (1e-4, 1e-6, 1e-8))):
        runs = [mbs.simulate(model, [0, 1], start, method=method, rtol=rtol) for rtol in tolerances]
        errors = [abs(run["second.x"][-1] - exact) for run in runs]
        assert errors[0] > 5 * errors[1] > 25 * errors[2]


# --- fast motions -----------------------------------------------------------------------------------------------------


def fast_oscillation(times, method):
    """Of 1e6 rad/s, in steps of 0.01 s; it begins with 1e-9 m."""
    start = {"block.x": 1e-9, "cart.vx": 1.0}
    return mbs.simulate(oscillator(1e12), times, start, method=method, step=0.01, rtol=1e-12)


@pytest.mark.parametrize("rho", [0.0, 0.3, 0.8])
def test_the_spectral_radius_is_the_one_that_was_chosen(rho):
    """Of an infinitely fast oscillation (q, v, b) becomes A (q, v, b) with all eigenvalues -ρ: any number of it obeys a
    linear recurrence of order 3 whose last coefficient is ρ³."""
    steps = 0.01 * np.arange(12)
    x = fast_oscillation(steps, mbs.GA(rho))["block.vx"][1:]
    if rho == 0.0:
        assert np.abs(x[4:]).max() < 1e-6 * np.abs(x).max()
        return
    rows = np.stack([x[k : k + 4] for k in range(3)])
    product = np.linalg.solve(rows[:, :3], -rows[:, 3])[0]
    assert np.cbrt(product) == pytest.approx(rho, abs=1e-3)


def test_with_a_radius_of_1_all_is_kept():
    x = fast_oscillation(0.01 * np.arange(200), mbs.GA(1.0))["block.x"]
    np.testing.assert_allclose(np.abs(x), 1e-9, rtol=1e-2)


def test_radau_ends_what_is_infinitely_fast_at_once():
    assert abs(fast_oscillation([0, 0.01], "Radau5")["block.x"][1]) < 1e-15


@pytest.mark.parametrize("coordinates", SETS)
def test_steps_do_not_depend_on_the_stiffness(coordinates):
    counts, ends = [], []
    for k in (1e4, 1e6, 1e8, 1e10):
        model, start = rod(k)
        run = mbs.simulate(model.compile(coordinates), [0, 2], start, method="Radau5", rtol=1e-6)
        counts.append(run.stats["accepted"] + run.stats["rejected"])
        ends.append(run["bob.x"][-1])
    assert max(counts) < 3 * min(counts) and max(counts) < 300
    assert ends[3] == pytest.approx(ends[2], abs=1e-5)


PENDULUM = {0.5: (0.39104915789053107, -0.92037008742312099, 27.086481448565),
            1.0: (-0.98629174104955375, -0.16501120775229192, 4.8562767197798),
            2.0: (0.7935655612832041, -0.60848505169155531, 17.907708974546)}  # fmt: skip
"""x, y and the force of a spring of 1e8 N/m, with a damper of 2000 N s/m, as a rod: in polar coordinates with the
elongation as an unknown, by extrapolation with steps below the fast period."""


@pytest.mark.parametrize("coordinates", SETS)
def test_a_stiff_spring_as_a_rod(coordinates):
    model = mbs.PlanarModel("rod", gravity=(0.0, -9.81))
    bob = model.body("bob", mass=1.0, inertia=0.1, position=(1.0, 0))
    model.add(mbs.SpringDamper("rod", model.ground, bob, stiffness=1e8, damping=2000.0, length=1.0))
    start = {"bob.vx": 0.0, "bob.vy": 0.0, "bob.omega": 0.0}
    run = mbs.simulate(model.compile(coordinates), [0, *PENDULUM], start, method="Radau5", rtol=1e-9)
    expected = np.array([*PENDULUM.values()])
    np.testing.assert_allclose(np.column_stack([run["bob.x"], run["bob.y"]])[1:], expected[:, :2], atol=1e-8)
    np.testing.assert_allclose(-run.effort("rod")[1:], expected[:, 2], rtol=5e-4)


COUPLING = {0.1: (1.3317689434590883, 11.052388395613731, 0.30750766862276596),
            0.5: (8.4390710849652244, 20.528028617389449, 0.23295668654505791),
            1.0: (19.993326702086463, 21.469226776882543, 0.32727546028366961)}  # fmt: skip
"""Angle and speed of the crank, and the slider: crank angle and twist as unknowns, by extrapolation with steps below
the fast period (2e-4 s)."""


@pytest.mark.parametrize("coordinates", SETS)
def test_a_slider_crank_behind_a_stiff_coupling(coordinates):
    model = coupled_slider_crank()
    start = {"crank.omega": 10.0, "motor.omega": 10.0}
    run = mbs.simulate(model.compile(coordinates), [0, *COUPLING], start, method="Radau5", rtol=1e-8)
    found = np.column_stack([run["crank.angle"], run["crank.omega"], run["slider.x"]])[1:]
    np.testing.assert_allclose(found, [*COUPLING.values()], rtol=2e-7)
    assert run.stats["accepted"] < 3000


def in_polar_coordinates(k):
    """Where the bob of `rod` is after 2 s, by its extension and angle: there the stiff direction stands still."""
    c, s0 = 0.2 * np.sqrt(k), (9.81 * np.cos(1.0) + 4.0) / k

    def rates(t, y):
        s, a, v, w = y
        r = 1.0 + s
        return v, w, r * w**2 + 9.81 * np.cos(a) - k * s - c * v, -(2 * v * w + 9.81 * np.sin(a)) / r

    end = solve_ivp(rates, (0, 2), (s0, 1.0, 0.0, 2.0), "Radau", rtol=1e-8, atol=[1e-8 / k, 1e-9, 1e-9, 1e-9]).y[:, -1]
    return (1 + end[0]) * np.sin(end[1]), -(1 + end[0]) * np.cos(end[1])


@pytest.mark.parametrize("k", [1e6, 1e8, 1e10])
def test_a_stiff_force_may_turn_in_a_step(k):
    """Tolerances keep their word, coarse ones, too, and steps do not depend on how stiff it is."""
    x, y = in_polar_coordinates(k)
    model, start = rod(k)
    for rtol, most in ((1e-3, 40), (1e-4, 60), (1e-5, 80), (1e-6, 150)):
        run = mbs.simulate(model, [0, 2], start, method="Radau5", rtol=rtol)
        assert np.hypot(run["bob.x"][-1] - x, run["bob.y"][-1] - y) < 10 * rtol
        assert run.stats["accepted"] < most and run.stats["rejected"] < 0.7 * run.stats["accepted"]
    longest = mbs.simulate(model, [0, 2], start, method="Radau5", step=0.05, rtol=1e-6)  # at 0.1 roundoff may decide
    assert np.hypot(longest["bob.x"][-1] - x, longest["bob.y"][-1] - y) < 5e-3


@pytest.mark.parametrize("method", IMPLICIT)
def test_a_fast_spin_bounds_steps_before_they_fail(method):
    """Steps are made in a chart, which ends at a whole turn."""
    model = mbs.SpatialModel("top")
    model.body("top", 1.0, (1.0, 2.0, 3.0))
    run = mbs.simulate(model, [0, 1], {"top.wz": 1e3}, method=method)
    assert run.stats["accepted"] < 500 and run.stats["rejected"] < 5


def test_a_chain_with_stiffness_over_six_decades():
    """20 masses of 1 kg on a line; the last one is out of place by 1 cm and moves with 1 m/s. Places at
    t = 0.02 by modal analysis, for stiffness 100 ... 1e8 in even ratios."""
    model = mbs.PlanarModel("chain")
    stiffness = np.geomspace(100.0, 1e8, 20)
    before, start = model.ground, {}
    for k, value in enumerate(stiffness):
        mass = model.body(f"m{k}", mass=1.0, inertia=1.0, position=(k + 1.0, 0))
        model.add(mbs.Translational(f"guide {k}", model.ground, mass))
        model.add(mbs.Force(f"s{k}", mass, (-value * (model[f"m{k}.x"] - 1 - (model[f"m{k - 1}.x"] if k else 0)), 0)))
        if k:
            model.add(mbs.Force(f"r{k}", before, (value * (model[f"m{k}.x"] - 1 - model[f"m{k - 1}.x"]), 0)))
        before, start[f"m{k}.vx"] = mass, 1.0 if k == 19 else 0.0
        start[f"m{k}.x"] = k + 1.01 if k == 19 else k + 1.0
    M, K = np.eye(20), np.zeros((20, 20))
    for k, value in enumerate(stiffness):
        K[k, k] += value
        if k:
            K[k - 1, k - 1] += value
            K[k - 1, k] = K[k, k - 1] = -value
    squares, modes = np.linalg.eigh(K)
    x0, v0 = modes.T @ (0.01 * M[19]), modes.T @ M[19]
    omega, t = np.sqrt(squares), 0.02
    exact = modes @ (x0 * np.cos(omega * t) + v0 * np.sin(omega * t) / omega)
    run = mbs.simulate(model, [0, t], start, method="Radau5", rtol=1e-8)
    found = np.array([run[f"m{k}.x"][-1] - k - 1 for k in range(20)])
    np.testing.assert_allclose(found, exact, atol=2e-7)


def test_a_state_may_be_fast():
    """A winding of next to no inductance: the current is (u - k ω)/R, and steps do not depend on L."""
    counts, speeds = [], []
    for L in (1e-3, 1e-6, 1e-9):
        model = mbs.PlanarModel("motor")
        rotor = model.body("rotor", mass=1.0, inertia=0.1)
        model.add(mbs.Revolute("shaft", model.ground, rotor))
        i = model.state("i", rate=lambda i, u=10.0 - 0.5 * model["rotor.omega"], L=L: (u - 2.0 * i) / L, unit="A")
        model.add(mbs.Torque("torque", rotor, 0.5 * i))
        run = mbs.simulate(model, [0, 2], {"rotor.omega": 0.0}, method="Radau5", rtol=1e-7)
        counts.append(run.stats["accepted"])
        speeds.append(run["rotor.omega"][-1])
    assert counts[2] < 2 * counts[0] < 400
    assert speeds[2] == pytest.approx(20.0 * (1 - np.exp(-0.125 / 0.1 * 2)), rel=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("method", IMPLICIT)
def test_no_drift_over_many_steps(method):
    run = mbs.simulate(four_bar(motor=False), [0, 50, 100], {"crank.omega": 4.0}, method=method, step=1e-3, rtol=1e-6)
    assert run.stats["accepted"] == 100_000
    assert run.violation.position.max() < 1e-13 and run.violation.velocity.max() < 1e-12


# --- Newton's matrix --------------------------------------------------------------------------------------------------


def parts(model, coordinates):
    system = model.compile(coordinates)
    march = prepare(system, [0, 1], method="Radau5").march
    mechanism, newton = march.mechanism, march.stages.implicit.newton
    state = mechanism.state
    y = np.zeros(state.size)
    return system, mechanism, newton, state, y


@pytest.mark.parametrize("coordinates", SETS)
@pytest.mark.parametrize("case", ["loop", "space", "state"])
def test_newtons_matrix_is_that_of_the_motion(case, coordinates):
    """(E₀ + c₁ E₁ + c₂ E₂) (δf, δλ) = E₀ (δf - y'(place moved by δf) + y') for any δf, to first order."""
    model, start = {"loop": lambda: (four_bar(motor=False), {"crank.omega": 3.0}), "space": two_bars_in_space,
                    "state": motor}[case]()  # fmt: skip
    system, mechanism, newton, state, y = parts(model, coordinates)
    first = mbs.simulate(system, [0, 0.1], start)
    (y[: state.q_end],), (y[state.v_at : state.v_end],), _ = system.from_bodies(first.state().motion)
    assert linearise(newton, mechanism, 0.1, y, newton.values[0]) == DONE
    c1, c2, eps = 0.02, 3e-4, 1e-6
    random = np.random.default_rng(5)
    change = random.standard_normal(newton.x_count)
    slope, ends = np.zeros(state.size), []
    for sign in (1.0, -1.0):
        at, step = y.copy(), np.zeros(newton.step.size)
        step[: newton.v_count] = sign * eps * c2 * change[: newton.v_count]
        at[: state.q_end] = system.moved(y[: state.q_end], step)
        at[state.v_at :][: newton.v_count] += sign * eps * c1 * change[: newton.v_count]
        at[newton.z_place] += sign * eps * c1 * change[newton.v_count :]
        assert derivative(mechanism, 0.1, at, slope) == DONE
        ends.append(np.concatenate([slope[state.v_at :][: newton.v_count], slope[newton.z_place]]))
    residual = change - (ends[0] - ends[1]) / (2 * eps)
    right = np.zeros(newton.right.size)
    add_mass_times(newton, newton.values[0], residual, right)
    put_real(newton, mechanism, c1, c2)
    eliminate_real(newton.real, mechanism.machine.factor.kept)
    solve_real(newton.real, right)
    np.testing.assert_allclose(right[: newton.x_count], change, rtol=0, atol=2e-5 * np.abs(change).max())


# --- what is told -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["DP5", "DP8"])
def test_an_explicit_run_tells_which_force_is_stiff(method):
    model, start = rod(1e8, zeta=1.0)
    told = mbs.simulate(model, [0, 0.3], start, method=method).stats["stiff"]
    assert "SpringDamper 'rod'" in told and 'method="Radau5"' in told


def test_it_names_a_state_that_is_fast():
    model = mbs.PlanarModel("motor")
    rotor = model.body("rotor", mass=1.0, inertia=0.1)
    model.add(mbs.Revolute("shaft", model.ground, rotor))
    i = model.state("i", rate=lambda i: (10.0 - 2.0 * i - 0.5 * model["rotor.omega"]) / 1e-4, unit="A")
    model.add(mbs.Torque("torque", rotor, 0.5 * i))
    assert "state 'i'" in mbs.simulate(model, [0, 1], {"rotor.omega": 0.0}).stats["stiff"]


def test_an_ordinary_run_is_told_nothing():
    for model, start in ((four_bar(motor=False), {"crank.omega": 4.0}), (oscillator(100.0), {"block.x": 0.1})):
        assert "stiff" not in mbs.simulate(model, [0, 3], start).stats


@pytest.mark.parametrize("rho", [-0.1, 1.5, "0.5", None, True])
def test_a_spectral_radius_is_between_0_and_1(rho):
    with refused("out-of-bounds", argument="spectral_radius"):
        mbs.GA(rho)


def test_counts_are_told():
    stats = mbs.simulate(oscillator(), [0, 1], {"block.x": 0.1}, method="Radau5").stats
    assert stats["matrices"] >= 1 and stats["corrections"] >= stats["accepted"]
    assert stats["stabilization"] == "Projection"


@pytest.mark.parametrize("method", IMPLICIT)
@pytest.mark.parametrize("coordinates", SETS)
def test_what_is_read_between_long_steps_turns_as_bodies_do(coordinates, method):
    """A free sphere turns evenly; steps might be of any length, and readings are right all the same."""
    model = mbs.SpatialModel("sphere")
    model.body("b", mass=1.0, inertia=(1.0, 1.0, 1.0))
    times = np.linspace(0, 10, 41)
    start = {"b.vx": 0.0, "b.vy": 0.0, "b.vz": 0.0, "b.wx": 0.0, "b.wy": 0.0, "b.wz": 1.0}
    run = mbs.simulate(model.compile(coordinates), times, start, method=method, rtol=1e-7)
    along = np.array([np.cos(times), np.sin(times), 0 * times]).T
    np.testing.assert_allclose(run.rotation("b")[:, :, 0], along, atol=5e-4 if method == "GA" else 1e-6)


@pytest.mark.parametrize("method", IMPLICIT)
def test_a_force_in_python_that_switches_has_slopes(method):
    """Its tangents are differences with the branches held: x" = -4 x - x', whatever is switched besides."""
    model = mbs.PlanarModel("python")
    block = model.body("b", mass=1.0, inertia=1.0)
    model.add(mbs.Translational("guide", model.ground, block))

    def spring(t, i, modes):
        return [(-4.0 * i.point[0] - i.velocity[0], 0.0)]

    model.add(mbs.PythonForce("F", block, function=spring, switches=(lambda t, i: i.point[0] - 0.5,)))
    law = mbs.linearize(model, {"b.x": 0.0, "b.vx": 0.0})
    np.testing.assert_allclose(law.A, [[0, 1], [-4, -1]], atol=1e-7)
    run = mbs.simulate(model, [0, 2], {"b.x": 1.0, "b.vx": 0.0}, method=method, rtol=1e-7)
    omega = np.sqrt(3.75)
    exact = np.exp(-1.0) * (np.cos(2 * omega) + np.sin(2 * omega) / (2 * omega))
    assert run["b.x"][-1] == pytest.approx(exact, abs=1e-6 if method == "Radau5" else 1e-4)
