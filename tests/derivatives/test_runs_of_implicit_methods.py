"""Derivatives of implicit runs: against the same methods written down once more and differentiated by complex steps,
against closed forms, and against extrapolated differences of runs with steps of one length."""

import numpy as np
import pytest
from helpers import four_bar
from refusals import refused
from test_contacts_ahead_and_back import check_back
from test_events_from_steps import from_steps

import mbs_dae as mbs
from mbs_dae.coordinates import SETS
from mbs_dae.derivatives.runs.gradients import adjoint

METHODS = ["Radau5", "GA"]
SOME = pytest.mark.parametrize(
    ("method", "coordinates"), [("Radau5", "cartesian"), ("Radau5", "joint"), ("GA", "natural"), ("GA", "cartesian")]
)
EACH = pytest.mark.parametrize(("method", "coordinates"), [(m, c) for m in METHODS for c in SETS])


# --- a stiff pendulum, by complex steps -------------------------------------------------------------------------------

H, STEPS = 0.01, 40
ROOT = np.sqrt(6.0)
A = np.array([
    [(88 - 7 * ROOT) / 360, (296 - 169 * ROOT) / 1800, (-2 + 3 * ROOT) / 225],
    [(296 + 169 * ROOT) / 1800, (88 + 7 * ROOT) / 360, (-2 - 3 * ROOT) / 225],
    [(16 - ROOT) / 36, (16 + ROOT) / 36, 1 / 9],
])  # fmt: skip


def acceleration(x, v, p):
    """Of a mass m on a spring k of length L with a damper of 20 N s/m, and its slopes by x and v."""
    r = np.sqrt(x @ x)
    n, pull = x / r, (p["k"] * (r - p["L"]) + 20.0 * (v @ x) / r) / p["m"]
    across = np.eye(2) - np.outer(n, n)
    by_x = -np.outer(n, p["k"] * n + 20.0 * (across @ v) / r) / p["m"] - pull * across / r
    return np.array([0.0, -9.81]) - pull * n, by_x, -20.0 * np.outer(n, n) / p["m"]


def radau(x, v, p):
    """kᵢ = v̇ at the stages, by Newton's method: v = v₀ + h A k, x = x₀ + h c v₀ + h² A² k."""
    for _ in range(STEPS):
        k = np.tile(acceleration(x, v, p)[0], (3, 1))
        for _ in range(12):
            at, moving = x + H * np.outer(A.sum(axis=1), v) + H**2 * A @ A @ k, v + H * A @ k
            found = [acceleration(*one, p) for one in zip(at, moving, strict=True)]
            matrix = np.eye(6, dtype=complex).reshape(3, 2, 3, 2)
            for i, (_, by_x, by_v) in enumerate(found):
                matrix[i] -= np.einsum("ab,j->ajb", by_x, H**2 * (A @ A)[i]) + np.einsum("ab,j->ajb", by_v, H * A[i])
            off = np.concatenate([one[0] for one in found]) - k.ravel()
            k = k + np.linalg.solve(matrix.reshape(6, 6), off).reshape(3, 2)
        x, v = x + H * v + H**2 * (A @ A)[2] @ k, v + H * A[2] @ k
    return [*x, *v]


def generalised_alpha(x, v, p, rho=0.8):
    """With the accelerations b beside v̇, which begin as these."""
    alpha_m, alpha_f = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
    gamma = 0.5 - alpha_m + alpha_f
    beta, share = 0.25 * (gamma + 0.5) ** 2, (1 - alpha_f) / (1 - alpha_m)
    b = a = acceleration(x, v, p)[0]
    for _ in range(STEPS):
        last = a
        for _ in range(12):
            new = ((1 - alpha_f) * last + alpha_f * a - alpha_m * b) / (1 - alpha_m)
            at = x + H * v + H**2 * ((0.5 - beta) * b + beta * new)
            found, by_x, by_v = acceleration(at, v + H * ((1 - gamma) * b + gamma * new), p)
            last = last + np.linalg.solve(np.eye(2) - share * (H**2 * beta * by_x + H * gamma * by_v), found - last)
        new = ((1 - alpha_f) * last + alpha_f * a - alpha_m * b) / (1 - alpha_m)
        x, v = x + H * v + H**2 * ((0.5 - beta) * b + beta * new), v + H * ((1 - gamma) * b + gamma * new)
        b, a = new, last
    return [*x, *v]


def stiff_pendulum() -> mbs.PlanarModel:
    """h ω = 1; its spring turns with it."""
    model = mbs.PlanarModel("stiff pendulum", gravity=(0.0, -9.81))
    k, length, mass = model.parameter("k", 1e4), model.parameter("L", 1.0), model.parameter("m", 1.0)
    bob = model.body("bob", mass=mass, inertia=0.1, position=(1.0, 0))
    model.add(mbs.SpringDamper("rod", model.ground, bob, stiffness=k, damping=20.0, length=length))
    return model


LET_GO = {"bob.x": 1.0, "bob.y": 0.0, "bob.angle": 0.0, "bob.vx": 0.0, "bob.vy": 0.0, "bob.omega": 0.0}


@EACH
def test_a_stiff_pendulum_by_complex_steps(method, coordinates):
    values, oracle = {"k": 1e4, "L": 1.0, "m": 1.0}, {"Radau5": radau, "GA": generalised_alpha}[method]
    by = [*values, "bob.vy"]
    run = mbs.simulate(
        stiff_pendulum().compile(coordinates), [0, STEPS * H], LET_GO, method=method, step=H, rtol=1e-13, derivatives=by
    )
    names = ("bob.x", "bob.y", "bob.vx", "bob.vy")
    for one in by:
        small = 1e-30j
        p = values | {one: values[one] + small} if one in values else values
        v = np.array([0.0, small if one == "bob.vy" else 0.0])
        exact = oracle(np.array([1.0, 0.0]), v, p)
        for name, end in zip(names, exact, strict=True):
            assert abs(run[name][-1] - end.real) < 1e-9, name
            assert abs(run.d(name, one)[-1] - end.imag / 1e-30) * values.get(one, 1.0) < 2e-10, (one, name)


# --- closed forms -----------------------------------------------------------------------------------------------------


def damped() -> mbs.PlanarModel:
    """A rod on a pin with a spring and a damper: m l²/3 θ'' = -k θ - c θ'."""
    model = mbs.PlanarModel("damped")
    length, damping = model.parameter("l", 0.6), model.parameter("c", 0.5)
    rod = model.link("rod", (0, 0), (0.6, 0), length=length, mass=2.0)
    pin = model.add(mbs.Revolute("A", model.ground, rod.tail))
    model.add(mbs.TorsionSpring("spring", pin, stiffness=8.0, damping=damping))
    return model


def damped_angle(t, l, c, begin):
    inertia = 2.0 * l**2 / 3.0
    dies, w = c / (2 * inertia), np.sqrt(8.0 / inertia - (c / (2 * inertia)) ** 2 + 0j)
    return begin / w * np.exp(-dies * t) * np.sin(w * t)


DAMPED = {"l": 0.6, "c": 0.5, "rod.omega": 1.0}


def off_closed_form(coordinates, **how) -> float:
    """The largest error of a derivative of the angle."""
    times = np.linspace(0.0, 0.9, 4)
    start = {"rod.angle": 0.0, "rod.omega": 1.0}
    run = mbs.simulate(damped().compile(coordinates), times, start, derivatives=[*DAMPED], **how)
    worst = 0.0
    for one in DAMPED:
        values = DAMPED | {one: DAMPED[one] + 1e-30j}
        exact = damped_angle(times, *values.values()).imag / 1e-30
        worst = max(worst, np.abs(run.d("rod.angle", one) - exact).max())
    return worst


@pytest.mark.parametrize("coordinates", SETS)
def test_a_damped_rod_within_the_error_of_the_method(coordinates):
    """Steps that are controlled, and the reading between them; of GA, b is shifted where their length changes."""
    assert off_closed_form(coordinates, method="Radau5", rtol=1e-11) < 2e-9
    assert off_closed_form(coordinates, method="GA", rtol=1e-8) < 2e-5
    errors = [off_closed_form(coordinates, method="GA", step=step) for step in (0.01, 0.005)]
    assert 3.8 < errors[0] / errors[1] < 4.2


# --- against runs -----------------------------------------------------------------------------------------------------


def check_against_runs(model, coordinates, start, by, names, times, tolerance=1e-9, **how) -> mbs.Result:
    """Differences of fourth order of whole runs, extrapolated."""
    result = mbs.simulate(model.compile(coordinates), times, start, derivatives=by, **how)
    for one in by:
        known = one in model.parameters
        value = model.parameters[one].value if known else start[one]

        def run(p, one=one, known=known):
            other = model.with_parameters(**{one: p}) if known else model
            made = mbs.simulate(other.compile(coordinates), times, start if known else start | {one: p}, **how)
            return np.concatenate([np.ravel(made[name]) for name in names])

        def difference(h, value=value, run=run):
            return (8 * (run(value + h) - run(value - h)) - run(value + 2 * h) + run(value - 2 * h)) / (12 * h)

        h = 2e-3 * (abs(value) or 1.0)
        expected = (16 * difference(h / 2) - difference(h)) / 15
        found = np.concatenate([np.ravel(result.d(name, one)) for name in names])
        assert np.abs(found - expected).max() < tolerance * max(1.0, np.abs(expected).max()), one
    assert from_steps(result)
    if coordinates == "cartesian":
        check_back(result, names)
    return result


def bushed_four_bar() -> mbs.PlanarModel:
    """A four-bar of which one pin is stiff springs, with dampers."""
    model = mbs.PlanarModel("bushed", gravity=(0, -9.81))
    m, k = model.parameter("m", 0.7), model.parameter("k", 1e5)
    crank = model.link("crank", (0, 0), (0, 0.3), mass=1.0)
    coupler = model.link("coupler", (0, 0.3), (0.8, 0.6), mass=m)
    rocker = model.link("rocker", (0.7, 0), (0.8, 0.6), mass=0.5)
    model.add(
        mbs.Revolute("A", model.ground, crank.tail),
        mbs.Revolute("B", crank.head, coupler.tail),
        mbs.Revolute("D", model.ground.at(0.7, 0), rocker.tail),
    )
    ahead, aside = (model[f"coupler.head.{axis}"] - model[f"rocker.head.{axis}"] for axis in "xy")
    rates = [model[f"coupler.head.v{axis}"] - model[f"rocker.head.v{axis}"] for axis in "xy"]
    force = [-k * gap - 300.0 * rate for gap, rate in zip((ahead, aside), rates, strict=True)]
    model.add(mbs.Force("bushing", coupler.head, force), mbs.Force("back", rocker.head, [-one for one in force]))
    return model


@SOME
def test_a_stiff_four_bar(method, coordinates):
    names = ["coupler.x", "rocker.omega", "energy.kinetic"]
    start = {"crank.omega": 0.0, "coupler.omega": 0.0, "rocker.omega": 0.0}
    how = {"method": method, "step": 0.005, "rtol": 1e-9}
    check_against_runs(bushed_four_bar(), coordinates, start, ["k", "m"], names, [0.0, 0.1, 0.2], **how)


@EACH
def test_attitudes_in_space(method, coordinates):
    model = mbs.SpatialModel("chain", gravity=(0, 0, -9.81))
    length = model.parameter("l", 0.3)
    one = model.body("one", position=(0.15, 0, 0), mass=2.0, inertia=(0.01, 0.02, 0.03))
    two = model.body("two", position=(0.5, 0, 0.1), mass=1.0, inertia=(0.01, 0.02, 0.015))
    model.add(
        mbs.Spherical("S", model.ground, one.at(-length / 2, 0, 0)),
        mbs.Spherical("T", one.at(length / 2, 0, 0), two.at(-0.2, 0, -0.1)),
    )
    names, start = ["one.x", "two.z", "two.wx", "T.force"], {"one.wz": 3.0, "two.wx": 9.0}
    how = {"method": method, "step": 0.01, "rtol": 1e-13}
    check_against_runs(model, coordinates, start, ["l", "two.wx"], names, [0.0, 0.05, 0.104], **how)


@pytest.mark.parametrize(("method", "step"), [("GA", 0.006), ("RK4", 0.024)])
def test_long_ways_of_projections(method, step):
    """The direction of a projection is that of the pose before it; its slopes are, too."""
    names, start = ["coupler.x", "crank.omega", "crank.alpha", "A.force"], {"crank.omega": 10.0}
    how = {"method": method, "step": step, "rtol": 1e-13, "stabilization": mbs.Projection()}
    by, times = ["crank.omega", "coupler"], [0.0, 0.044, 0.096]
    check_against_runs(four_bar(motor=False), "cartesian", start, by, names, times, 2e-10, **how)


def test_velocities_satisfy_their_equations_behind_long_projections():
    how = {"method": "GA", "step": 0.012, "stabilization": mbs.Projection()}
    run = mbs.simulate(four_bar(motor=False), np.linspace(0.0, 0.096, 9), {"crank.omega": 10.0}, **how)
    assert run.violation.velocity.max() < 1e-10 * np.abs(run["coupler.v"]).max()


@SOME
def test_a_motor_whose_current_is_a_state(method, coordinates):
    model = four_bar(motor=False)
    slow = model.parameter("T", 0.01)
    i = model.state("i", rate=lambda i: (5.0 - 2.0 * i - 0.3 * model["crank.omega"]) / slow, unit="A", initial=0.2)
    model.add(mbs.Torque("drive", model.bodies["crank"], 0.3 * i))
    how = {"method": method, "step": 0.01, "rtol": 1e-13}
    start = {"crank.omega": 3.0, "i": 0.2}
    check_against_runs(model, coordinates, start, ["T", "i"], ["i", "crank.omega"], [0.0, 0.1], **how)


@SOME
def test_a_pendulum_strikes_a_stop(method, coordinates):
    """Behind an impact steps begin anew, and nothing is remembered."""
    model = damped()
    e = model.parameter("e", 0.6)
    model.add(mbs.Stop("stop", mbs.angle(model.elements["A"]), upper=0.1, restitution=e))
    start, times, by = {"rod.angle": 0.0, "rod.omega": 1.0}, [0.0, 0.05, 0.3], ["l", "e", "rod.omega"]
    found = mbs.simulate(model.compile(coordinates), times, start, method=method, rtol=1e-9, derivatives=by)
    exact = mbs.simulate(model, times, start, method="DP8", rtol=1e-11, derivatives=by)
    assert len(found.impacts) == 1
    for one in by:
        for name in ("rod.angle", "rod.omega"):
            off, size = np.abs(found.d(name, one) - exact.d(name, one)).max(), np.abs(exact.d(name, one)).max()
            assert off < (1e-7 if method == "Radau5" else 1e-4) * max(1.0, size), (one, name)


# --- the run itself, and what follows from derivatives ----------------------------------------------------------------


@SOME
def test_the_run_is_the_same_to_the_last_bit(method, coordinates):
    start, times = {"rod.angle": 0.2, "rod.omega": 1.0}, np.linspace(0, 1, 7)
    plain, asked = (
        mbs.simulate(damped().compile(coordinates), times, start, method=method, rtol=1e-6, derivatives=by)
        for by in ((), ("l", "c"))
    )
    for name in ("rod.angle", "rod.omega", "rod.alpha", "A.force"):
        assert np.array_equal(plain[name], asked[name]), name
    assert plain.stats == asked.stats


def test_gradients_are_sums_of_derivatives():
    run = mbs.simulate(damped(), [0, 0.2, 0.4], {"rod.omega": 1.0}, method="Radau5", derivatives=["l", "c"])
    weights = np.array([0.0, 1.0, -2.0])
    for by, slope in adjoint(run, {"rod.angle": weights}).items():
        assert slope == pytest.approx(float(weights @ run.d("rod.angle", by)), rel=1e-13)


@pytest.mark.parametrize("method", ["Moreau", "HalfExplicit"])
def test_time_stepping_is_refused(method):
    with refused("no-derivative", mentions=method):
        mbs.simulate(damped(), [0, 0.1], {"rod.omega": 1.0}, method=method, step=0.01, derivatives=["l"])


def test_a_step_too_long_for_designs_beside_has_no_derivative():
    """Of a rod of 1e8 N/m that another free length makes swing along itself, which steps for the motion do not see."""

    def by_length(damping: float, rtol: float) -> tuple[float, str]:
        model = mbs.PlanarModel("rod", gravity=(0, -9.81))
        bob = model.body("bob", mass=1.0, inertia=0.1, position=(1, 0))
        model.add(mbs.SpringDamper("rod", model.ground, bob, stiffness=1e8, damping=damping, length=1.0))
        start = dict.fromkeys(["bob.y", "bob.angle", "bob.vx", "bob.vy", "bob.omega"], 0.0) | {"bob.x": 1.0}
        run = mbs.simulate(model, [0, 0.3], start, method="Radau5", rtol=rtol, derivatives=["rod.length"])
        return float(run.d("bob.y", "rod.length")[-1]), run.stats.get("derivatives", "")

    found, told = by_length(0.0, 1e-6)
    assert np.isnan(found) and "too long for those beside it" in told
    coarse, fine = by_length(2e4, 1e-6), by_length(2e4, 1e-9)
    assert np.isclose(coarse[0], fine[0], rtol=5e-3) and not coarse[1] and not fine[1]


# --- ahead and back ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("method", "step"), [("Radau5", 0.02), ("GA", 0.005)])
def test_a_top_is_read_between_long_steps(method, step):
    """A state that is read between steps of 46 or 11 degrees is put onto the constraints: weights go back as changes
    go."""
    model = mbs.SpatialModel("top", gravity=(0, 0, -9.81))
    inertia = model.parameter("J", 0.02)
    body = model.body("b", 1.0, (inertia, 0.03, 0.045), position=(0.2, 0, 0.1))
    model.add(mbs.Spherical("A", model.ground, body.at(-0.2, 0, -0.1)))
    start = {"b.wx": 3.0, "b.wy": 40.0, "b.wz": 5.0}
    run = mbs.simulate(model, [0, 0.307, 0.6], start, derivatives=["J"], method=method, step=step, rtol=1e-12)
    for name in ("b.x", "b.vx", "A.Fz", "energy.potential"):
        back = adjoint(run, {name: np.array([0.0, 1.0, 0.0])})["J"]
        assert back == pytest.approx(run.d(name, "J")[1], rel=1e-12)


@pytest.mark.parametrize("how", [{}, {"step": 0.01}])
def test_a_driven_crank_does_not_depend_on_its_mass(how):
    """A motion that a driver determines changes with its speed, x = a cos w t, and not with the mass."""
    model = mbs.PlanarModel("crank", gravity=(0, -9.81))
    w, mass = model.parameter("w", 5.0), model.parameter("m", 0.7)
    crank = model.body("crank", mass, 0.01, position=(0.05, 0))
    model.add(
        mbs.Revolute("A", model.ground, crank.at(-0.05, 0)), mbs.Driver("d", mbs.angle(model.ground, crank), w * mbs.t)
    )
    run = mbs.simulate(model, [0, 0.5], method="Radau5", derivatives=["m", "w"], **how)
    assert abs(run.d("crank.x", "m")[-1]) < 1e-12
    assert run.d("crank.x", "w")[-1] == pytest.approx(-0.05 * 0.5 * np.sin(2.5), rel=1e-6)
    assert run.d("A.Fx", "m")[-1] == pytest.approx(-0.05 * 25.0 * np.cos(2.5), rel=1e-6)


def test_long_steps_of_two_blocks_on_a_stiff_spring():
    """With K h²/m = 1e5 the changes of accelerations are right to fewer digits. The blocks, m and 1 kg, move as one on
    a soft spring: x = 0.2 (1 - cos w t) + 0.4 sin(w t)/w, with w² = k/(m + 1)."""
    model = mbs.PlanarModel("blocks")
    stiff, mass = model.parameter("K", 1e8), model.parameter("m", 2.0)
    one, other = model.body("a", mass, 1.0), model.body("b", 1.0, 1.0, position=(1, 0))
    model.add(mbs.Translational("ga", model.ground, one), mbs.Translational("gb", model.ground, other))
    model.add(mbs.SpringDamper("s", one, other, stiffness=stiff, damping=1e5, length=1.0))
    model.add(mbs.Spring("t", model.ground.at(-1, 0), one, stiffness=40.0, length=1.2))
    start = {"a.x": 0.0, "b.x": 1.0, "a.vx": 0.4, "b.vx": 0.4}
    run = mbs.simulate(model, [0, 0.5, 1.0], start, method="Radau5", step=0.05, derivatives=["m", "K"])

    def place(m):
        w = np.sqrt(40.0 / (m + 1.0))
        return 0.2 * (1.0 - np.cos(w)) + 0.4 * np.sin(w) / w

    assert run.d("a.x", "m")[-1] == pytest.approx(place(2.0 + 1e-30j).imag / 1e-30, rel=1e-4)
    back = adjoint(run, {"a.x": np.array([0.0, 0.0, 1.0])})
    assert back["m"] == pytest.approx(run.d("a.x", "m")[-1], rel=1e-8) and abs(back["K"]) < 1e-12
