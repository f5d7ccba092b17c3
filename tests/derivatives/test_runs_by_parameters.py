"""Derivatives of runs: differences extrapolated from steps of one length, steps of an independent minimal model by
complex numbers, variational equations, and the way back against the way ahead."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp
from gallery import load
from scipy.integrate import solve_ivp
from test_motions_by_parameters import CLOSE, extrapolated

import mbs_dae as mbs
from mbs_dae.derivatives.runs.gradients import adjoint
from mbs_dae.motion.past.tape import HEAD

TIMES = np.linspace(0.0, 0.4, 6)  # not all on steps
FIXED: dict[str, Any] = {"step": 0.013, "stabilization": mbs.Baumgarte(12.0, 12.0)}


def pendulums() -> mbs.PlanarModel:
    model = mbs.PlanarModel("double pendulum", gravity=(0, -9.81))
    l, m, k, x0 = (model.parameter(n, v) for n, v in (("l", 0.3), ("m", 2.0), ("k", 40.0), ("x0", 0.02)))
    upper = model.link("upper", (x0, 0), (0.5, 0.1), length=l, mass=m)
    lower = model.link("lower", (0.3, 0), (0.3, -0.4), mass=1.0)
    model.add(
        mbs.Revolute("A", model.ground.at(x0, 0), upper.tail),
        mbs.Revolute("B", upper.head, lower.tail),
        mbs.SpringDamper("spring", model.ground.at(1, 0), lower.head, stiffness=k, damping=1.5, length=0.5),
    )
    return model


def four_bar() -> mbs.PlanarModel:
    model = mbs.PlanarModel("four-bar", gravity=(0, -9.81))
    r, m = model.parameter("r", 0.1), model.parameter("m", 0.7)
    crank = model.link("crank", (0, 0), (0, 0.1), length=r, mass=m)
    coupler = model.link("coupler", (0, 0.1), (0.4, 0.3), mass=1.0)
    rocker = model.link("rocker", (0.5, 0), (0.4, 0.3), mass=1.0)
    model.add(
        mbs.Revolute("A", model.ground, crank.tail),
        mbs.Revolute("B", crank.head, coupler.tail),
        mbs.Revolute("C", coupler.head, rocker.head),
        mbs.Revolute("D", model.ground.at(0.5, 0), rocker.tail),
    )
    return model


def driven() -> mbs.PlanarModel:
    model = four_bar()
    omega = model.parameter("omega", 6.0)
    model.add(mbs.Driver("motor", mbs.angle(model.bodies["crank"]), np.pi / 2 + omega * mbs.t + 0.2 * mbs.t**2))
    return model


def chain() -> mbs.SpatialModel:
    model = mbs.SpatialModel("chain", gravity=(0, 0, -9.81))
    l, m, k = (model.parameter(name, value) for name, value in (("l", 0.3), ("m", 2.0), ("k", 30.0)))
    one = model.body("one", position=(l / 2, 0, 0), mass=m, inertia=(0.01, 0.02, 0.03))
    two = model.body("two", position=(0.5, 0, 0.1), mass=1.0, inertia=(0.01, 0.02, 0.015))
    model.add(
        mbs.Spherical("S", model.ground, one.at(-l / 2, 0, 0)),
        mbs.Spherical("T", one.at(l / 2, 0, 0), two.at(-0.2, 0, -0.1)),
        mbs.SpringDamper(
            "spring", model.ground.at(0.2, 1, 0.3), two.at(0.1, 0, 0), stiffness=k, damping=0.7, length=0.5
        ),
    )
    return model


def trailer() -> mbs.PlanarModel:
    """A cart with a trailer, both on edges that restrict velocities alone."""
    model = mbs.PlanarModel("cart")
    l, m = model.parameter("l", 0.5), model.parameter("m", 1.0)
    cart = model.body("cart", position=(0, 0), mass=2.0, inertia=0.1)
    behind = model.body("trailer", position=(-1.0, 0), mass=m, inertia=0.2)
    model.add(mbs.Revolute("pin", cart.at(-l, 0), behind.at(0.5, 0)), mbs.Force("drive", cart, (4.0, 3.0)))
    model.add(mbs.KnifeEdge("front", model.ground, cart), mbs.KnifeEdge("rear", model.ground, behind))
    return model


ROLLS = {"cart.vx": 1.0, "cart.omega": 2.0, "cart.x": 0.0, "cart.y": 0.0, "cart.angle": 0.3, "trailer.angle": 0.1}
MODELS: dict[str, tuple[Any, dict[str, float], tuple[str, ...]]] = {
    "pendulums": (pendulums, {"upper.omega": 1.0, "lower.omega": -2.0}, ("l", "k", "x0", "lower.omega")),
    "four-bar": (four_bar, {"crank.omega": 5.0}, ("r", "m", "crank.omega")),
    "driven": (driven, {}, ("r", "m", "omega")),
    "chain": (chain, {"one.wz": 3.0, "two.wx": 9.0}, ("l", "m", "k", "two.wx")),
    "trailer": (trailer, ROLLS, ("l", "m", "cart.omega")),
}
READ = {"pendulums": ("lower.head.x", "A.force", "lower.ay"), "chain": ("two.x", "S.force", "two.alphay")}
READ["trailer"] = ("trailer.x", "pin.force", "cart.alpha")
READ |= {"driven": ("motor.effort", "coupler.x"), "four-bar": ("coupler.vx", "D.force")}


def run(model: Any, initial: dict[str, float], by: str, by_how_much: float, how: dict[str, Any]) -> mbs.Result:
    if by in initial:
        return mbs.simulate(model, TIMES, initial | {by: initial[by] + by_how_much}, **how)
    value = model.parameters[by].value
    return mbs.simulate(model.with_parameters(**{by: value + by_how_much * abs(value)}), TIMES, initial, **how)


def check_run(found: mbs.Result, by: str, size: float, at: Any) -> None:
    """All that has a name against differences, on the scale of all that have its unit; `at` counts in this size."""
    read = [n for n in found.scalar_names if not n.startswith(("violation.", "energy.error"))]
    expected, scales = extrapolated(at, read), dict[str, float]()
    for n in read:
        most = np.nanmax(np.abs([*expected[n], *found[n]]), initial=1e-6)
        scales[found.unit(n)] = max(scales.get(found.unit(n), 1e-6), most)
    for n in read:
        off = (found.d(n, by) * size - expected[n]) / scales[found.unit(n)]
        assert np.nanmax(np.abs(off), initial=0.0) < CLOSE, (n, by)


@pytest.mark.parametrize("method", ["RK4", "DP5", "DP8", "GA"])
@pytest.mark.parametrize("name", MODELS)
def test_against_differences_of_the_same_steps(name, method):
    make, initial, names = MODELS[name]
    model, how = make(), {"method": method, **FIXED} | ({"rtol": 1e-13} if method == "GA" else {})
    plain = mbs.simulate(model, TIMES, initial, **how)
    found = mbs.simulate(model, TIMES, initial, derivatives=names, **how)
    assert np.array_equal(plain.q, found.q) and np.array_equal(plain.a, found.a) and plain.stats == found.stats
    for by in names if method == "DP5" else names[:1]:
        size = 1.0 if by in initial else abs(model.parameters[by].value)
        check_run(found, by, size, lambda h, by=by: run(model, initial, by, h, how))


@pytest.mark.parametrize("method", ["RK4", "DP5", "DP8"])
@pytest.mark.parametrize("name", MODELS)
def test_the_way_back_agrees_with_the_way_ahead(name, method):
    make, initial, names = MODELS[name]
    found = mbs.simulate(make(), TIMES, initial, method=method, step=0.013, derivatives=names)
    random = np.random.default_rng(4)
    weights = {n: random.standard_normal(found[n].shape) for n in (*READ[name], "energy.dissipated", "energy.kinetic")}
    back = adjoint(found, weights)
    for by in names:
        ahead = [weights[n] * found.d(n, by) for n in weights]
        scale = sum(np.abs(one).sum() for one in ahead)
        assert abs(back[by] - sum(one.sum() for one in ahead)) < 1e-12 * scale, by


@pytest.mark.parametrize("method", ["RK4", "DP8", "Radau5", "GA"])
@pytest.mark.parametrize("name", MODELS)
def test_ways_of_projections_turn_with_the_pose(name, method):
    """The ways of projections have a direction that changes with poses and masses, and they are an error of the steps;
    what is left out is the square of this error."""
    make, initial, names = MODELS[name]
    step = 5e-4 if method == "GA" else 0.006  # the errors of its steps are larger
    model, how = make(), {"method": method, "step": step, "rtol": 1e-13, "stabilization": mbs.Projection()}
    found = mbs.simulate(model, TIMES, initial, derivatives=names, **how)
    for by in names if method != "DP8" else names[:1]:
        size = 1.0 if by in initial else abs(model.parameters[by].value)
        check_run(found, by, size, lambda h, by=by: run(model, initial, by, h, how))
    random = np.random.default_rng(4)
    weights = {n: random.standard_normal(found[n].shape) for n in (*READ[name], "energy.kinetic")}
    back = adjoint(found, weights)
    for by in names:
        ahead = [weights[n] * found.d(n, by) for n in weights]
        scale = sum(np.abs(one).sum() for one in ahead)
        assert abs(back[by] - sum(one.sum() for one in ahead)) < 1e-12 * scale, by


@pytest.mark.parametrize("how", [mbs.Projection(), mbs.Baumgarte()])
def test_steps_that_are_controlled(how):
    """Lengths of steps are held: that counts as little as errors of the steps."""
    make, initial, names = MODELS["four-bar"]
    tight = {"method": "DP8", "rtol": 1e-12, "stabilization": how}
    model = make()
    found = mbs.simulate(model, TIMES, initial, derivatives=names, **tight)
    weights = {"coupler.x": np.ones(TIMES.size), "D.force": np.ones((TIMES.size, 2))}
    back = adjoint(found, weights)
    for by in names:
        size = 1.0 if by in initial else abs(model.parameters[by].value)
        for name in READ["four-bar"]:
            ahead, behind = (run(model, initial, by, h, tight) for h in (1e-5, -1e-5))
            expected = (ahead[name] - behind[name]) / 2e-5
            np.testing.assert_allclose(
                found.d(name, by) * size, expected, rtol=0, atol=2e-6 * np.abs(found[name]).max()
            )
        total = sum((weights[n] * found.d(n, by)).sum() for n in weights)
        scale = sum(np.abs(weights[n] * found.d(n, by)).sum() for n in weights)
        assert abs(back[by] - total) < 1e-12 * scale


def test_the_very_steps_of_rk4_by_complex_numbers():
    """A body on a spring and a damper, which no constraint holds: its steps are those of two equations of one's own."""
    model = mbs.PlanarModel("free", gravity=(0.3, -9.81))
    k, c, m = (model.parameter(name, value) for name, value in (("k", 50.0), ("c", 1.2), ("m", 2.0)))
    body = model.body("body", position=(0.7, 0.1), mass=m, inertia=0.1)
    model.add(mbs.SpringDamper("spring", model.ground, body, stiffness=k, damping=c, length=0.4))
    times, h = np.linspace(0, 0.5, 6), 0.02
    initial = {"body.vx": 0.4, "body.vy": 0.0, "body.omega": 0.0}
    found = mbs.simulate(model, times, initial, method="RK4", step=h, derivatives=["k", "c", "m", "body.vx"])

    def steps(k=50.0, c=1.2, m=2.0, vx=0.4):
        def slope(y):
            x, v = y[:2], y[2:]
            s = np.sqrt(x @ x)
            return np.concatenate([v, (-k * (s - 0.4) - c * (x @ v) / s) * x / s / m + np.array([0.3, -9.81])])

        y = np.array([0.7, 0.1, vx, 0.0], dtype=complex)
        ends = [y]
        for _ in range(25):
            k1 = slope(y)
            k2 = slope(y + h / 2 * k1)
            k3 = slope(y + h / 2 * k2)
            k4 = slope(y + h * k3)
            y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
            ends.append(y)
        return np.array(ends)[::5]

    for by, at in (("k", "k"), ("c", "c"), ("m", "m"), ("body.vx", "vx")):
        base = {"k": 50.0, "c": 1.2, "m": 2.0, "vx": 0.4}[at]
        expected = steps(**{at: base + 1e-30j}).imag / 1e-30
        for column, name in enumerate(("body.x", "body.y", "body.vx", "body.vy")):
            np.testing.assert_allclose(
                found.d(name, by), expected[:, column], rtol=0, atol=1e-12 * np.abs(expected).max()
            )


def test_a_pendulum_by_its_variational_equations():
    """φ̈ = -3g/(2l) sin φ, with how φ changes with l and the first rate, from an integrator of others."""
    model = mbs.PlanarModel("pendulum", gravity=(0, -9.81))
    l = model.parameter("l", 0.3)
    rod = model.link("rod", (0, 0), (0, -0.3), length=l, mass=2.0)
    model.add(mbs.Revolute("A", model.ground, rod.tail))
    times = np.linspace(0, 1, 6)
    found = mbs.simulate(model, times, {"rod.omega": 3.0}, method="DP8", rtol=1e-12, derivatives=["l", "rod.omega"])

    def slope(_, y):
        a = 1.5 * 9.81 / 0.3
        phi, omega, of_l, rate_l, of_start, rate_start = y
        bend = -a * np.cos(phi)
        return [omega, -a * np.sin(phi), rate_l, bend * of_l + a / 0.3 * np.sin(phi), rate_start, bend * of_start]

    own = solve_ivp(slope, (0, 1), [0, 3, 0, 0, 0, 1], t_eval=times, method="DOP853", rtol=1e-13, atol=1e-14).y
    for k, by in ((2, "l"), (4, "rod.omega")):
        np.testing.assert_allclose(found.d("rod.angle", by), own[k], rtol=0, atol=1e-9)
        np.testing.assert_allclose(found.d("rod.omega", by), own[k + 1], rtol=0, atol=1e-8)


def test_many_parameters_go_back_as_they_go_ahead():
    """Twenty constants, and works and energies, of which each spring has a part: what is read of a run is one product
    for all parameters."""
    model, names, before = mbs.PlanarModel("springs", gravity=(0, -9.81)), [], None
    for k in range(2):
        rod = model.link(f"rod{k}", (0.3 * k, 0), (0.3 * k + 0.3, 0), mass=1.0)
        model.add(mbs.Revolute(f"pin{k}", before or model.ground, rod.tail))
        for c in range(10):
            names.append(f"k{k}_{c}")
            stiffness, anchor = model.parameter(names[-1], 5.0 + c), model.ground.at(0.1 * c, -0.5)
            spring = mbs.SpringDamper(f"s{k}_{c}", anchor, rod.head, stiffness=stiffness, damping=0.02, length=0.4)
            model.add(spring)
        before = rod.head
    found = mbs.simulate(model, TIMES, derivatives=names, **FIXED)
    for name in ("rod1.head.x", "energy.potential", "energy.dissipated", "pin1.Fx"):
        back = adjoint(found, {name: np.ones(TIMES.size)})
        ahead = [found.d(name, by).sum() for by in names]
        assert np.allclose([*back.values()], ahead, rtol=1e-12, atol=1e-12 * np.abs(ahead).max()), name


def test_states_are_made_again_from_some_of_them():
    """With room for few states most steps are made twice; not a bit of the gradient changes."""
    make, initial, names = MODELS["pendulums"]
    found = mbs.simulate(make(), np.linspace(0, 2, 9), initial, derivatives=names)
    weights = {"lower.head.x": np.ones(9), "energy.dissipated": np.arange(9.0)}
    first = adjoint(found, weights)
    steps = found.varied.taken.steps
    rows = np.array([steps.states[k] for k in range(steps.total)])
    thin = type(steps)(room=0)
    for part in np.array_split(rows, 7):
        thin.take(part)
    assert len(thin.states) < 3 * np.sqrt(thin.total) < 0.3 * steps.total
    assert np.array_equal(thin.head, rows[:, :HEAD])
    found.varied.taken.__dict__["steps"] = thin
    assert adjoint(found, weights) == first


GALLERY = {
    "four_bar_with_spring": (),
    "heavy_top": ("m", "l", "theta"),
    "rssr": ("r1", "omega"),
    "rolling_disk": ("R", "theta"),
    "snap_through_truss": (),
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.soak] if name == "rolling_disk" else []) for name in GALLERY]
)
def test_models_of_the_gallery(name):
    module = load(name)
    model, initial = module.build(), getattr(module, "INITIAL", {})
    names = GALLERY[name] or [*model.parameters][:3]
    how: dict[str, Any] = {"method": "DP5", "step": 0.005, "stabilization": mbs.Baumgarte(15.0, 15.0)}
    times = np.linspace(0, 0.05, 3)
    found = mbs.simulate(model, times, initial, derivatives=names, **how)
    for by in names:
        value = model.parameters[by].value
        size = 0.1 * abs(value) or 0.1
        check_run(found, by, size, lambda h, by=by, value=value, size=size: mbs.simulate(
            model.with_parameters(**{by: value + h * size}), times, initial, **how))  # fmt: skip


def test_a_state_that_was_given_does_not_follow_parameters():
    model = pendulums()
    first = mbs.simulate(model, [0, 0.1], {"upper.omega": 1.0, "lower.omega": -2.0}).state(1)
    begun = mbs.State(first.system, 0.0, first.full_q, first.full_v, first.full_a)
    found = mbs.simulate(model, TIMES, begun, derivatives=["k", "m"], **FIXED)
    for by in ("k", "m"):
        value = model.parameters[by].value
        expected = extrapolated(
            lambda h, by=by, value=value: mbs.simulate(model.with_parameters(**{by: value + h}), TIMES, begun, **FIXED),
            ["lower.head.x"],
        )["lower.head.x"]
        np.testing.assert_allclose(found.d("lower.head.x", by), expected, rtol=0, atol=1e-9)


def pulsed() -> mbs.PlanarModel:
    model = four_bar()
    begin = model.parameter("begin", 0.2)
    push = sp.Piecewise((3.0, mbs.t > begin), (0.0, True))
    model.add(mbs.Force("push", model.bodies["coupler"], (push, 0)))
    return model


def test_laws_that_switch_at_fixed_times_have_derivatives():
    model = pulsed()
    found = mbs.simulate(model, TIMES, {"crank.omega": 5.0}, derivatives=["m"], **FIXED)
    expected = extrapolated(
        lambda h: mbs.simulate(model.with_parameters(m=0.7 + h), TIMES, {"crank.omega": 5.0}, **FIXED), ["coupler.ax"]
    )["coupler.ax"]
    np.testing.assert_allclose(found.d("coupler.ax", "m"), expected, rtol=0, atol=1e-7)
    back = adjoint(found, {"coupler.ax": np.ones(TIMES.size)})
    assert abs(back["m"] - found.d("coupler.ax", "m").sum()) < 1e-11
