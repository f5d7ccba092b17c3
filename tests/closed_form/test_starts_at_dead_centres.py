"""Starts from rest at a dead centre, where a guide that rubs does not move at first, whatever the mechanism does:
friction is against the way on which the motion takes it, and the run is the limit of those that start beside."""

from __future__ import annotations

import numpy as np
import pytest
from rubbing import G, L, R, rubbing_slider_crank
from scipy.integrate import solve_ivp

import mbs_dae as mbs

SETS = ("cartesian", "natural", "joint")
EXACT = {"rtol": 1e-10, "atol": 1e-12}


def slider_crank(angle: float, torque: float = 2.0) -> mbs.PlanarModel:
    model = rubbing_slider_crank(angle)
    model.add(mbs.Torque("M", model.bodies["crank"], torque))
    return model


def newton_euler(
    angle: float, times: np.ndarray, way: float | None = None, mu: float = 0.1, torque: float = 2.0
) -> np.ndarray:
    """θ and ω over time, from Newton's and Euler's equations of crank, rod and slider (masses of 1 kg), for a slider
    that moves one `way`, or, without it, as a crank moves it which turns as the torque drives it: ẋ has the sign of
    -ω sin θ. Friction is -way μ |N|."""

    def acceleration(y: np.ndarray) -> float:
        th, w = y
        c, s = np.cos(th), np.sin(th)
        slip = -np.sign(torque * s) if way is None else way
        sb = -R * s / L
        cb = np.sqrt(1 - sb**2)
        wb = -R * c * w / (L * cb)
        # unknowns: α, α_b, ẍ, Ax, Ay, Bx, By, Cx, Cy, N (A on the crank, B on the rod, C on the slider)
        for side in (1.0, -1.0):
            M, f = np.zeros((10, 10)), np.zeros(10)
            aB = (np.array([-R * s, R * c]), -(w**2) * R * np.array([c, s]))  # by α, and the rest
            aS = (np.array([-L * sb, L * cb]), -(wb**2) * L * np.array([cb, sb]))  # of the rod, by α_b
            for k in range(2):
                g = -G * k
                M[k, [0, 3 + k, 5 + k]], f[k] = [aB[0][k] / 2, -1, 1], g - aB[1][k] / 2
                M[2 + k, [0, 1, 5 + k, 7 + k]] = [aB[0][k], aS[0][k] / 2, -1, 1]
                f[2 + k] = g - aB[1][k] - aS[1][k] / 2
                M[4 + k, [0, 1]], f[4 + k] = [aB[0][k], aS[0][k]], -aB[1][k] - aS[1][k]
            M[4, 2] = -1.0
            I = R**2 / 12
            M[6, [0, 3, 4, 5, 6]] = [I, -R / 2 * s, R / 2 * c, -R / 2 * s, R / 2 * c]
            f[6] = torque
            J = L**2 / 12
            M[7, [1, 5, 6, 7, 8]] = [J, -L / 2 * sb, L / 2 * cb, -L / 2 * sb, L / 2 * cb]
            M[8, [2, 7, 9]] = [1, -1, slip * mu * side]
            M[9, [8, 9]], f[9] = [1, 1], G
            found = np.linalg.solve(M, f)
            if found[9] * side >= 0:
                return float(found[0])
        raise AssertionError("no side carries")

    run = solve_ivp(lambda t, y: (y[1], acceleration(y)), (0, times[-1]), (angle, 0.0), "DOP853", times, **EXACT)
    return run.y


@pytest.mark.parametrize("coordinates", SETS)
@pytest.mark.parametrize(("angle", "torque"), [(0.0, 2.0), (np.pi, 2.0), (0.0, -2.0), (np.pi, -3.0)])
def test_a_slider_crank_starts_from_rest(angle, torque, coordinates):
    times = np.linspace(0, 0.06, 13)
    way = 1.0 if angle else -1.0  # away from the dead centre
    run = mbs.simulate(slider_crank(angle, torque=torque).compile(coordinates), times, **EXACT)
    expected = newton_euler(angle, times, way, torque=torque)
    assert np.abs(expected[0, -1] - angle) > 0.2 and np.abs(expected[0] - angle).max() < 3.0
    np.testing.assert_allclose(run["crank.angle"] - angle, expected[0] - angle, atol=2e-8)
    np.testing.assert_allclose(run["crank.omega"], expected[1], rtol=0, atol=1e-8 * np.abs(expected[1]).max())
    assert set(run.modes["rub"]) == {"slips"}
    assert (np.sign(run["rub.friction"]) == -way).all()
    assert np.abs(run.energy.error).max() < 1e-8 * run.energy.kinetic.max()


BESIDE = [side * 10.0**power for power in (-12, -11, -10, -8, -6, -5, -3) for side in (1, -1)]


@pytest.mark.parametrize("coordinates", SETS)
@pytest.mark.parametrize(("angle", "torque"), [(0.0, 2.0), (np.pi, 2.0), (0.0, -2.0)])
def test_a_start_beside_a_dead_centre_goes_through_it(angle, torque, coordinates):
    """On one side the motion goes through the dead centre, and the slip turns there; on the other it goes away."""
    times = np.linspace(0, 0.06, 4)
    for beside in BESIDE:
        run = mbs.simulate(slider_crank(angle + beside, torque=torque).compile(coordinates), times, **EXACT)
        th, w = newton_euler(angle + beside, times, torque=torque)
        turned = run["crank.angle"] - run["crank.angle"][0]
        np.testing.assert_allclose(turned, th - th[0], rtol=0, atol=3e-8, err_msg=str(beside))
        np.testing.assert_allclose(run["crank.omega"], w, rtol=0, atol=3e-8 * np.abs(w).max(), err_msg=str(beside))
        assert run.modes["rub"][-1] == "slips" and np.sign(run["rub.friction"][-1]) == np.sign(torque * np.sin(th[-1]))


@pytest.mark.parametrize("beside", [1e-8, 1e-6, 1e-4])
@pytest.mark.parametrize("torque", [2.0, -2.0])
def test_friction_turns_where_a_start_beside_a_dead_centre_goes_through_it(torque, beside):
    """The slip is σ t + β t³/2, with σ the acceleration of the slider at the start, which turns at t² = -2 σ/β."""
    start = -np.sign(torque) * beside
    model = slider_crank(start, torque=torque)
    begin = mbs.simulate(model, [0, 1e-9], **EXACT)
    alpha, bend = begin["crank.alpha"][0], -R * (1 + R / L)  # of the slider's way by turns of the crank
    sigma, beta = bend * start * alpha, bend * alpha**2
    turn = np.sqrt(-2 * sigma / beta)
    run = mbs.simulate(model, [0, 0.98 * turn, 1.02 * turn, 2 * turn], **EXACT)
    assert (np.sign(run["rub.friction"]) == np.sign(torque * np.sin(start)) * np.array([1, 1, -1, -1])).all()


@pytest.mark.parametrize("make", ["pins", "space", "pins in space"])
@pytest.mark.parametrize("coordinates", SETS)
def test_starts_beside_a_dead_centre_converge_to_that_at_it(make, coordinates):
    """The difference falls with the distance of the start, from both sides."""
    makes = {"pins": with_pins, "space": in_space, "pins in space": lambda angle: with_pins(angle, in_space)}
    times, slider_crank_at = np.array([0.0, 0.03]), makes[make]
    for angle in (0.0, np.pi):
        at = mbs.simulate(slider_crank_at(angle).compile(coordinates), times, **EXACT)["slider.x"]
        for beside in BESIDE[1:11:2] + BESIDE[4:6]:
            model = slider_crank_at(angle + beside).compile(coordinates)
            gone = mbs.simulate(model, times, **EXACT)["slider.x"]
            np.testing.assert_allclose(gone, at, rtol=0, atol=3 * abs(beside) * R + 1e-10, err_msg=f"{angle} {beside}")


@pytest.mark.parametrize("angle", [0.0, np.pi])
@pytest.mark.parametrize("pins", [False, True])
def test_a_driver_begins_at_a_dead_centre(angle, pins):
    """Inverse dynamics and the run of the driven model: friction is against the slip from the first moment."""
    model = (with_pins(angle) if pins else slider_crank(angle)).without("M")
    model.add(mbs.Driver("motor", mbs.angle(model.elements["A"]), angle + 5 * mbs.t**2))
    times = np.linspace(0, 0.5, 11)
    needed, run = mbs.inverse_dynamics(model, times), mbs.simulate(model, times, **EXACT)
    for name in ("motor.effort", "rub.friction", "G.Fy"):
        size = np.abs(run[name]).max()
        np.testing.assert_allclose(needed[name], run[name], rtol=0, atol=1e-8 * size, err_msg=name)
    assert set(needed.modes["rub"]) == {"slips"} and (np.sign(needed["rub.friction"]) == (-1 if angle else 1)).all()


@pytest.mark.parametrize("method", ["DP8", "Radau5", "GA"])
def test_every_method_leaves_the_dead_centre(method):
    times = np.array([0.0, 0.03, 0.06])
    run = mbs.simulate(slider_crank(0.0), times, method=method, rtol=1e-8)
    np.testing.assert_allclose(
        run["crank.angle"], newton_euler(0.0, times, -1.0)[0], atol=1e-4 if method == "GA" else 1e-6
    )


def in_space(angle: float) -> mbs.SpatialModel:
    model, alike = mbs.SpatialModel("slider-crank", gravity=(0, -G, 0)), {"mass": 1.0, "inertia": (0.01, 0.01, 0.01)}
    x, y = R * np.cos(angle), R * np.sin(angle)
    end = x + np.sqrt(L**2 - y**2)
    crank = model.body("crank", position=(x / 2, y / 2, 0), **alike)
    rod = model.body("rod", position=((x + end) / 2, y / 2, 0), **alike)
    slider = model.body("slider", position=(end, 0, 0), **alike)
    A = mbs.Revolute("A", model.ground, crank, at=(0, 0, 0), axis=(0, 0, 1))
    B, C = mbs.Spherical("B", crank, rod, at=(x, y, 0)), mbs.Spherical("C", rod, slider, at=(end, 0, 0))
    guide = mbs.Translational("G", model.ground, slider, at=(end, 0, 0), axis=(1, 0, 0))
    model.add(A, B, C, guide, mbs.Wrench("M", crank, mz=2.0), mbs.Friction("rub", guide, mu=0.1))
    return model


def with_pins(angle: float, make=slider_crank):
    model = make(angle)
    model.add(*(mbs.Friction(f"rub{n}", model.elements[n], mu=0.1, radius=0.01) for n in "ABC"))
    return model


def with_a_given_force(angle: float):
    model = slider_crank(angle).without("rub")
    return model.plus(mbs.DryFriction("rub", mbs.displacement(model.elements["G"]), force=3.0))


@pytest.mark.parametrize("coordinates", SETS)
@pytest.mark.parametrize("angle", [0.0, np.pi])
@pytest.mark.parametrize(
    "make", [in_space, with_pins, with_a_given_force, lambda angle: with_pins(angle, in_space)],
    ids=["space", "pins", "given", "pins in space"],
)  # fmt: skip
def test_a_start_at_a_dead_centre_is_the_limit_of_starts_beside_it(make, angle, coordinates):
    times = np.linspace(0, 0.06, 7)
    run = mbs.simulate(make(angle).compile(coordinates), times, **EXACT)
    near, nearer = (mbs.simulate(make(angle + beside), times, **EXACT)["slider.x"] for beside in (2e-6, 1e-6))
    np.testing.assert_allclose(run["slider.x"], 2 * nearer - near, rtol=0, atol=1e-9)
    assert set(run.modes["rub"]) == {"slips"}


@pytest.mark.parametrize("coordinates", SETS)
def test_a_garage_door_that_is_shut_opens(coordinates):
    """It stands upright, its rollers in an upright and in a level guide. The one in the upright guide does not move at
    first: its friction is that of a door which is open by a hair already."""

    def door(tilt: float) -> mbs.PlanarModel:
        model, size = mbs.PlanarModel("door", gravity=(0, -G)), 2.0
        foot, top = (size * np.sin(tilt), 0.0), (0.0, size * np.cos(tilt))
        leaf = model.link("leaf", foot, top, mass=20)
        low, high = model.body("low", mass=1, position=foot), model.body("high", mass=1, position=top)
        level = mbs.Translational("level", model.ground, low, at=foot, axis=(1, 0))
        upright = mbs.Translational("upright", model.ground, high, at=top, axis=(0, 1))
        model.add(level, upright, mbs.Revolute("P", low, leaf.tail), mbs.Revolute("Q", leaf.head, high))
        model.add(mbs.Friction("below", level, mu=0.05), mbs.Friction("above", upright, mu=0.2))
        model.add(mbs.Force("pull", low, (40.0, 0.0)))
        return model

    times = np.linspace(0, 0.8, 9)
    shut = mbs.simulate(door(0.0).compile(coordinates), times, **EXACT)
    # what a tilt changes is in proportion to it: extrapolated to none
    near, nearer = (mbs.simulate(door(tilt), times, **EXACT)["low.vx"] for tilt in (2e-4, 1e-4))
    np.testing.assert_allclose(shut["low.vx"], 2 * nearer - near, atol=2e-6 * np.abs(near).max())
    assert set(shut.modes["below"]) == {"slips"} and set(shut.modes["above"]) == {"slips"}
    assert (shut["above.friction"] > 0).all()  # it sinks


@pytest.mark.parametrize("coordinates", SETS)
def test_what_stays_at_rest_at_a_dead_centre_rests(coordinates):
    """Nothing turns the crank: gravity presses through the dead centre, and the guide has nothing to rub."""
    model = mbs.PlanarModel("upright", gravity=(0, -G))
    crank, rod = model.link("crank", (0, 0), (0, -R), mass=1), model.link("rod", (0, -R), (0, -R - L), mass=1)
    slider = model.body("slider", mass=1, position=(0, -R - L), angle=0)
    guide = mbs.Translational("G", model.ground, slider, at=(0, 0), axis=(0, 1))
    model.add(mbs.Revolute("A", model.ground, crank.tail), mbs.Revolute("B", crank.head, rod.tail))
    model.add(mbs.Revolute("C", rod.head, slider), guide, mbs.Friction("rub", guide, mu=0.1))
    run = mbs.simulate(model.compile(coordinates), [0, 1])
    assert np.abs(run["crank.omega"]).max() < 1e-9 and set(run.modes["rub"]) == {"sticks"}


@pytest.mark.parametrize("coordinates", SETS)
def test_what_friction_holds_at_a_dead_centre_is_held(coordinates):
    """The pins hold the crank; nothing leaves the dead centre, and the guide does not rub."""
    model = with_pins(0.0).without("M")
    model.add(mbs.Torque("M", model.bodies["crank"], moment_of_weight()))
    run = mbs.simulate(model.compile(coordinates), [0, 1])
    assert np.abs(run["crank.omega"]).max() < 1e-9 and set(run.modes["rub"]) == {"sticks"}


def moment_of_weight() -> float:
    """The moment that carries the crank, and half of the rod, at the level dead centre."""
    return G * R / 2 + G / 2 * R
