"""States in small motions: motors and controllers, by their textbook matrices."""

import numpy as np
import pytest
import sympy as sp
from refusals import refused

import mbs_dae as mbs
from mbs_dae.coordinates import SETS

J, C, R, L, K, KP, KI = 0.1, 0.02, 1.5, 0.05, 0.4, 3.0, 7.0


def motor(target=0.0):
    """J ω' = K i - C ω,  L i' = u - R i - K ω,  u = KP e + KI s,  s' = e = target - ω."""
    model = mbs.PlanarModel("motor")
    rotor = model.body("rotor", mass=1.0, inertia=J)
    shaft = model.add(mbs.Revolute("shaft", model.ground, rotor))
    model.add(mbs.ViscousFriction("bearing", shaft, coefficient=C))
    omega = model["rotor.omega"]
    error = model.input("target", target) - omega
    s = model.state("s", rate=error)
    i = model.state("i", rate=lambda i: (KP * error + KI * s - R * i - K * omega) / L, unit="A")
    model.add(mbs.Torque("torque", shaft, K * i))
    return model


BOOK = np.array([[0, 1, 0, 0], [0, -C / J, 0, K / J], [0, -1, 0, 0], [0, -(KP + K) / L, KI / L, -R / L]])


@pytest.mark.parametrize("coordinates", SETS)
def test_a_motor_with_a_controller_at_rest(coordinates):
    start = {"rotor.angle": 0.0, "rotor.omega": 0.0}
    state = mbs.simulate(motor(), [0, 1e-6], start).state(0)
    small = mbs.linearize(motor().compile(coordinates), state, inputs=["target"], outputs=["rotor.omega", "i"])
    assert small.states == ("s", "i")
    np.testing.assert_allclose(small.A, BOOK, atol=1e-9 * np.abs(BOOK).max())
    np.testing.assert_allclose(small.B[:, 0], [0, 0, 1, KP / L], atol=1e-8)
    np.testing.assert_allclose(small.C, [[0, 1, 0, 0], [0, 0, 0, 1]], atol=1e-12)
    np.testing.assert_allclose(np.sort_complex(small.eigenvalues), np.sort_complex(np.linalg.eigvals(BOOK)), atol=1e-8)


def test_about_a_steady_turn_and_not_before():
    model = motor(target=5.0)
    result = mbs.simulate(model, [0, 1, 40], {"rotor.angle": 0.0, "rotor.omega": 0.0}, method="DP8", rtol=1e-11)
    small = mbs.linearize(model, result.state())
    np.testing.assert_allclose(small.A, BOOK, atol=1e-8 * np.abs(BOOK).max())
    with refused("not-steady", name="s"):
        mbs.linearize(model, result.state(0))


def test_a_rate_that_reads_an_effort():
    """A filtered drive torque: x' = (effort - x)/T; the driven pendulum stands at 0.3 rad."""
    model = mbs.PlanarModel("measured", gravity=(0, -9.81))
    bar = model.link("bar", (0, 0), (np.sin(0.3), -np.cos(0.3)), mass=2.0)
    tip = model.link("tip", (np.sin(0.3), -np.cos(0.3)), (np.sin(0.3), -np.cos(0.3) - 1.0), mass=1.0)
    model.add(mbs.Revolute("pin", model.ground, bar.tail), mbs.Revolute("joint", bar.head, tip.tail))
    model.add(mbs.Driver("drive", mbs.angle(model.ground, bar), 0.3 - np.pi / 2))
    model.state("x", rate=lambda x: (model["drive.effort"] - x) / 0.2, unit="N m")
    still = {"tip.angle": -np.pi / 2, "tip.omega": 0.0}
    still["x"] = mbs.simulate(model, [0, 1e-9], still).effort("drive")[0]
    small = mbs.linearize(model, still, outputs=["x"], coordinates=["tip.angle"])
    near = 1e-4  # the torque of the drive for the tip aside, at rest
    efforts = []
    for far in (near, -near):
        aside = mbs.simulate(model, [0, 1e-9], {"tip.angle": -np.pi / 2 + far, "tip.omega": 0.0})
        efforts.append(aside.effort("drive")[0])
    slope = (efforts[0] - efforts[1]) / (2 * near)
    np.testing.assert_allclose(small.A[2], [slope / 0.2, 0.0, -5.0], atol=1e-5)


def test_sampled_controllers_are_refused():
    model = motor()
    held = model.state("held")
    model.add(mbs.Sampled("controller", every=0.01, update={held: model["rotor.omega"]}))
    with refused("has-sampled-controllers", controllers=["controller"], model="motor"):
        mbs.linearize(model, {"rotor.angle": 0.0, "rotor.omega": 0.0})


def held_arm(k_i=6.0):
    """An arm of 2 kg, 0.5 m out, held level by a PID controller: its integral carries the weight, m g l / k_i."""
    model = mbs.PlanarModel("arm", gravity=(0, -9.81))
    arm = model.body("arm", mass=2.0, inertia=0.1, com=(0.5, 0))
    pin = model.add(mbs.Revolute("pin", model.ground, arm))
    s = model.state("s", rate=-model["arm.angle"])
    model.add(mbs.Torque("motor", pin, -40.0 * model["arm.angle"] - 8.0 * model["arm.omega"] + k_i * s))
    return model


@pytest.mark.parametrize(("k_i", "stable"), [(6.0, True), (6000.0, False)])
def test_a_controller_comes_to_rest_with_its_mechanism(k_i, stable):
    """Without the controller the arm would hang down; with it it is level. Routh: J ω³ + 8 ω² + 40 ω + k_i is stable
    for k_i < 8 · 40 / J, where J is that about the pin."""
    rest = mbs.equilibrium(held_arm(k_i), {"arm.angle": 0.3})
    assert rest["arm.angle"] == pytest.approx(0.0, abs=1e-9)
    assert rest.state["s"] == pytest.approx(2.0 * 9.81 * 0.5 / k_i, rel=1e-9)
    assert rest.stable is stable
    A = mbs.linearize(held_arm(k_i), rest.state).A
    np.testing.assert_allclose(np.poly(np.linalg.eigvals(A)), [1, 8 / 0.6, 40 / 0.6, k_i / 0.6], rtol=1e-7)


def test_rests_of_all_kinds_are_not_looked_for_with_states():
    with refused("not-supported", states=["s"], model="arm"):
        mbs.equilibrium(held_arm(), all=True)


@pytest.mark.parametrize("width", [1.0, 1e-3, 1e-4])
def test_sharp_laws_have_their_slopes(width):
    model = mbs.PlanarModel("sharp")
    model.add(mbs.Translational("guide", model.ground, model.body("b", mass=1.0, inertia=1.0)))
    model.state("z", rate=lambda z: sp.tanh(model["b.vx"] / width) - 2 * z)
    A = mbs.linearize(model, {"b.x": 0.0, "b.vx": 0.0}).A
    np.testing.assert_allclose(A[2], [0, 1 / width, -2], rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("law", [sp.sign, lambda v: sp.Max(v, 0), lambda v: sp.tanh(v / 1e-9)])
def test_laws_without_a_slope_are_refused(law):
    model = mbs.PlanarModel("corner")
    model.add(mbs.Translational("guide", model.ground, model.body("b", mass=1.0, inertia=1.0)))
    model.state("z", rate=lambda z: law(model["b.vx"]) - 2 * z)
    with refused("no-derivative", names=["z"], model="corner"):
        mbs.linearize(model, {"b.x": 0.0, "b.vx": 0.0})


def test_a_rate_that_is_zero_by_chance_is_not_steady():
    model = mbs.PlanarModel("spin")
    model.add(mbs.Revolute("pin", model.ground, model.body("a", mass=1.0, inertia=1.0)))
    model.state("z", rate=sp.sin(model["a.angle"]))
    with refused("not-steady", name="z"):
        mbs.linearize(model, {"a.angle": 0.0, "a.omega": 2.0})


def test_a_state_that_drives_nothing_has_a_mode_of_its_own():
    """z' = -5 z beside a rod that swings: one mode moves no body, and the other one changes no state."""
    model = mbs.PlanarModel.from_points(
        {"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=2, gravity=(0, -9.81)
    )
    model.state("z", rate=lambda z: -5 * z)
    law = mbs.linearize(model)
    alone, swings = law.modes
    assert (alone.eigenvalue, {*alone.shape.values()}, alone.states) == (-5, {0}, {"z": 1})
    assert swings.shape["rod.angle"] == 1 and swings.states == {"z": 0}
    assert str(law).splitlines()[1].split()[-1] == "z"
