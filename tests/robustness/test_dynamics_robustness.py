"""Long runs, redundant loops, bodies without mass: what must hold after 10⁵ steps, and after 10⁶ (`soak`)."""

from __future__ import annotations

from math import pi
from typing import Any

import numpy as np
import pytest
from covering import covering
from helpers import parallelogram, three_cranks

import mbs_dae as mbs
from mbs_dae.kernels import store
from mbs_dae.kernels.cache import counts

R, L = 0.2, 0.5
MASSES = 1.0, 2.0, 1.5
SPEED = 20.0
TURN = 0.4945
"""How long one turn takes at this energy, on average, in s."""


def engine() -> mbs.PlanarModel:
    """A slider-crank of uniform bars that keeps its energy, some 8 J: weight slows it down and speeds it up."""
    model = mbs.PlanarModel("engine", gravity=(0, -9.81))
    crank = model.link("crank", (0, 0), (R, 0), mass=MASSES[0])
    rod = model.link("rod", (R, 0), (R + L, 0), mass=MASSES[1])
    slider = model.body("slider", mass=MASSES[2], inertia=1e-2, position=(R + L, 0))
    model.add(
        mbs.Revolute("A", model.ground, crank.tail),
        mbs.Revolute("B", crank.head, rod.tail),
        mbs.Revolute("C", rod.head, slider),
        mbs.Translational("guide", model.ground, slider),
    )
    return model


def run_engine(span: float, **options: Any) -> mbs.Result:
    return mbs.simulate(engine(), np.linspace(0, span, 501), {"crank.omega": SPEED}, **options)


def drift(res: mbs.Result) -> float:
    """The largest error of energy, relative to what goes to and fro."""
    return float(np.abs(res.energy.error).max() / res.energy.kinetic.max())


# --- constraints, over many steps -------------------------------------------------------------------------------

STEP = 1e-4
WIDEST = {
    "projection": (mbs.Projection(), 1e-12 * L, 1e-11 * SPEED * R),
    "Baumgarte, gains chosen": (mbs.Baumgarte(), 1e-10, 1e-8),
    "Baumgarte, gains given": (mbs.Baumgarte(5, 5), 1e-10, 1e-8),
}
"""How far constraints may be off, in position and velocity."""


def check_many_steps(how: Any, position: float, velocity: float, steps: int) -> None:
    res = run_engine(steps * STEP, method="RK4", step=STEP, stabilization=how)
    assert res.stats["accepted"] >= steps and res.stats["rejected"] == 0
    assert res.violation.position.max() <= position
    assert res.violation.velocity.max() <= velocity
    # bounded: not growing, other than a random walk of roundoff
    assert res.violation.position[250:].max() <= 20 * res.violation.position[:250].max()
    assert drift(res) < 1e-8


@pytest.mark.parametrize("kind", WIDEST)
def test_constraints_hold_over_many_steps(kind):
    check_many_steps(*WIDEST[kind], steps=100_000)


@pytest.mark.soak
@pytest.mark.parametrize("kind", WIDEST)
def test_constraints_hold_over_a_million_steps(kind):
    check_many_steps(*WIDEST[kind], steps=1_000_000)


def test_without_stabilization_constraints_drift():
    """The tests above can fail: what they measure is there to be kept."""
    res = run_engine(10.0, method="RK4", step=1e-3, stabilization=mbs.Unstabilized())
    held = run_engine(10.0, method="RK4", step=1e-3, stabilization=mbs.Projection())
    assert res.violation.position[-1] > 1e6 * held.violation.position.max()
    assert res.violation.position[-1] > 50 * res.violation.position[25]


def check_energy(turns: float) -> None:
    def run(how):
        return run_engine(turns * TURN, method="DP8", rtol=1e-12, stabilization=how, max_steps=10_000_000)

    res = run(mbs.Projection())
    assert res["crank.angle"][-1] > 2 * pi * (turns - 2)
    assert drift(res) <= 2e-9 * max(1.0, turns / 700)
    other = run(mbs.Baumgarte())
    assert drift(other) <= 1e-8 * max(1.0, turns / 700)
    # a speed that is off by a drift that grows with time gives a phase that grows with its square
    assert np.abs(res["crank.angle"] - other["crank.angle"]).max() < 1e-5 * max(1.0, turns / 700) ** 2


@pytest.mark.slow
def test_energy_stays_over_700_turns():
    check_energy(700)


@pytest.mark.soak
def test_energy_stays_over_20000_turns():
    check_energy(20_000)


# --- bodies without mass ----------------------------------------------------------------------------------------


def four_bar_with(coupler: str) -> mbs.PlanarModel:
    """Crank and rocker, joined by a rod without mass, or by a constant distance in its place."""
    model = mbs.PlanarModel(coupler, gravity=(0, -9.81))
    crank = model.link("crank", (0, 0), (0.3, 0.4), mass=1.0)
    rocker = model.link("rocker", (1.2, 0), (1.1, 0.9), mass=2.0)
    model.add(mbs.Revolute("A", model.ground, crank.tail), mbs.Revolute("D", model.ground.at(1.2, 0), rocker.tail))
    if coupler == "rod":
        rod = model.link("rod", (0.3, 0.4), (1.1, 0.9))
        model.add(mbs.Revolute("B", crank.head, rod.tail), mbs.Revolute("C", rod.head, rocker.head))
    else:
        model.add(mbs.Distance("rod", crank.head, rocker.head))
    return model


@pytest.mark.parametrize("how", [mbs.Projection(), mbs.Baumgarte()], ids=lambda how: type(how).__name__)
def test_a_coupler_without_mass_is_a_constant_distance(how):
    times = np.linspace(0, 3, 61)
    options: dict[str, Any] = {"method": "DP8", "rtol": 1e-11, "stabilization": how}
    body, distance = (
        mbs.simulate(four_bar_with(kind), times, {"crank.omega": 3.0}, **options) for kind in ("rod", "distance")
    )
    for name in ("crank.angle", "rocker.angle", "crank.omega", "rocker.omega", "crank.alpha", "rocker.alpha"):
        scale = np.abs(distance[name]).max()
        np.testing.assert_allclose(body[name], distance[name], rtol=0, atol=1e-7 * scale)
    for joint in ("A", "D"):
        force = distance.reaction(joint)
        np.testing.assert_allclose(body.reaction(joint), force, rtol=0, atol=1e-7 * np.abs(force).max())
    # a rod without mass pulls along itself, at both ends alike
    pull = body.reaction("C")[:, :2]
    np.testing.assert_allclose(body.reaction("B")[:, :2], pull, atol=1e-7 * np.abs(pull).max())
    along = np.stack([np.cos(body["rod.angle"]), np.sin(body["rod.angle"])], axis=1)
    across = pull[:, 1] * along[:, 0] - pull[:, 0] * along[:, 1]
    np.testing.assert_allclose(across, 0, atol=1e-7 * np.abs(pull).max())
    assert np.abs(body.energy.error).max() < 1e-8 * body.energy.kinetic.max()


# --- redundant constraints --------------------------------------------------------------------------------------


REDUNDANT = [
    pytest.param(how, options, id=f"{how}, {'fixed steps' if 'step' in options else 'step control'}")
    for how in (mbs.Projection(), mbs.Baumgarte(), mbs.Baumgarte(5, 5), mbs.Unstabilized())
    for options in ({"method": "DP8", "rtol": 1e-10}, {"method": "RK4", "step": 1e-3})
]


@pytest.mark.parametrize(("how", "options"), covering(REDUNDANT, lambda case: case.id.rsplit(", ", 1)))
def test_a_parallelogram_of_three_cranks_keeps_its_energy(how, options):
    """One coupler over three cranks: in every pose one equation is redundant, and one degree of freedom is left. It
    swings like a pendulum about the lowest place, clear of the change points: (3 m l²/3 + M l²) φ̈ = -(3 m l/2 + M l) g
    cos φ."""
    model = three_cranks(-pi / 2 + 0.8)
    res = mbs.simulate(model, np.linspace(0, 10, 201), stabilization=how, **options)
    assert res.success and res.stats["redundant_equations"] == 1
    close = 1e-2 if isinstance(how, mbs.Unstabilized) else 1e-6
    assert np.abs(res.energy.error).max() < close * np.ptp(res.energy.potential)
    for k in (1, 2):
        np.testing.assert_allclose(res[f"crank{k}.angle"], res["crank0.angle"], atol=close)
    np.testing.assert_allclose(res["coupler.angle"], 0, atol=close)
    inertia, moment = 3 * 1.0 / 3 + 2.0, (3 * 0.5 + 2.0) * 9.81
    phi, omega = res["crank0.angle"], res["crank0.omega"]
    np.testing.assert_allclose(res["crank0.alpha"], -moment * np.cos(phi) / inertia, atol=10 * close * moment)
    energy = inertia * omega**2 / 2 + moment * np.sin(phi)
    np.testing.assert_allclose(energy, energy[0], atol=close * moment)
    assert not res.is_unique("top0").all()


@pytest.mark.parametrize("loops", [2, 4])
def test_loops_side_by_side_swing_as_one(loops):
    """Couplers in a row: no equation is redundant but at the change points, which the swing stays clear of."""
    model = parallelogram(loops, phi=-pi / 2 + 0.6).without("motor")
    model.gravity = (0, -9.81)
    res = mbs.simulate(model, np.linspace(0, 10, 101), stabilization=mbs.Projection())
    assert np.abs(res.energy.error).max() < 1e-6 * np.ptp(res.energy.potential)
    for k in range(1, loops + 1):
        np.testing.assert_allclose(res[f"crank{k}.angle"], res["crank0.angle"], atol=1e-12)


# --- nothing is compiled twice ----------------------------------------------------------------------------------


def with_forces(scale: float) -> mbs.PlanarModel:
    model = engine()
    crank, rod, slider = (model.bodies[name] for name in ("crank", "rod", "slider"))
    w = model.parameter("w", scale)
    model.add(
        mbs.Spring("spring", model.ground.at(scale, 0.1), rod, stiffness=10 * scale),
        mbs.SpringDamper("strut", model.ground.at(0, 1), slider, stiffness=w, damping=0.1 * w, length=scale),
        mbs.TorsionSpring("coil", model.elements["B"], stiffness=0.1 * scale),
        mbs.Motor("motor", model.elements["A"], torque=scale * (1 - mbs.speed / (30 * scale))),
        mbs.Force("load", slider, (-scale * model["slider.vx"], 0)),
        mbs.Torque("brake", model.ground, crank, -w * model["crank.omega"] / 100),
        mbs.Drag("air", rod.head, coefficient=0.01 * scale),
        mbs.ViscousFriction("oil", model.elements["guide"], coefficient=0.1 * scale),
    )
    return model


def simulated(scale: float) -> mbs.Result:
    model = with_forces(scale)
    model = model.with_parameters(w=1.1 * scale)
    res = mbs.simulate(model, np.linspace(0, 0.1 * scale, 5), {"crank.omega": 10 * scale})
    assert np.isfinite([res.reaction("A"), res.reaction("B")]).all()
    assert np.isfinite([res.effort("motor"), res.power("coil"), res["slider.ax"]]).all()
    return res


def test_a_second_model_of_the_same_elements_compiles_nothing():
    """Neither a kernel nor the core: the numbers are arguments."""
    first = simulated(1.0)
    before, functions = vars(counts).copy(), [*store._here]
    second = simulated(1.3)
    assert vars(counts) == before and [*store._here] == functions
    assert np.abs(first.q[-1] - second.q[-1]).max() > 1e-3


@pytest.mark.parametrize("method", ["RK4", "DP5", "DP8"])
@pytest.mark.parametrize("how", [mbs.Projection(), mbs.Baumgarte(), mbs.Unstabilized()], ids=str)
def test_methods_and_stabilizations_share_one_core(method, how):
    simulated(1.0)
    functions = [*store._here]
    res = run_engine(0.01, method=method, step=1e-3, stabilization=how)
    assert res.success
    assert [*store._here] == functions
