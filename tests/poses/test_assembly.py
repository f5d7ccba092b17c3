"""Assembly from rough guesses, fixed values, least change; and the branch that a motion stays on."""

from __future__ import annotations

from collections.abc import Callable
from math import cos, pi, sin

import numpy as np
import pytest
import sympy as sp
from helpers import (
    OMEGA,
    FourBar,
    apart,
    four_bar,
    jacobian,
    parallelogram,
    six_bar,
    six_bar_point,
    slider_crank,
    slider_position,
)
from refusals import refused

import mbs_dae as mbs

TRIES = 30
ANGLE = 0.8
BAR = FourBar(4.0, 2.0, 5.0, 3.5)


def displaced(model: mbs.PlanarModel, random: np.random.Generator, size: float) -> mbs.State:
    """The placement with every coordinate wrong by 30 to 50 %: positions of `size`, angles of a right angle."""
    system = model.compile()
    wrong = random.uniform(0.3, 0.5, system.nv) * random.choice([-1, 1], system.nv)
    q = system.placement.copy()
    q[: system.nv] += wrong * np.tile([size, size, pi / 2], system.nv // 3)
    return mbs.State(system, 0.0, q, np.zeros_like(q), np.zeros_like(q))


# --- rough guesses ----------------------------------------------------------------------------------------------


def slider_crank_is_closed(state: mbs.State) -> bool:
    """The slider is where the law of the slider-crank says, on either side of the crank's head."""
    head = cos(ANGLE)
    reach = slider_position(1.0, 3.0, 0.0, ANGLE) - head
    return min(abs(state["slider.x"] - head - reach), abs(state["slider.x"] - head + reach)) < 1e-12


def four_bar_is_closed(state: mbs.State) -> bool:
    """Coupler and rocker are as the closed form says, in one of the two ways to assemble them."""
    found = state["coupler.angle"], state["rocker.angle"]
    poses = [BAR.angles(ANGLE, branch) for branch in (1, -1)]
    return min(max(map(apart, found, pose)) for pose in poses) < 1e-12


def six_bar_is_closed(state: mbs.State) -> bool:
    """The four-bar closes, and the slider is a rod's length away from its coupler's point."""
    branch = min((1, -1), key=lambda b: apart(state["coupler.angle"], BAR.angles(ANGLE, b)[0]))
    x, y = six_bar_point(ANGLE, branch)
    return four_bar_is_closed(state) and abs(np.hypot(state["slider.x"] - x, y) - 6.0) < 1e-12


MECHANISMS: dict[str, tuple[Callable[[], mbs.PlanarModel], float, Callable[[mbs.State], bool]]] = {
    "slider-crank": (lambda: slider_crank(angle=ANGLE), 3.0, slider_crank_is_closed),
    "four-bar": (lambda: four_bar(BAR, angle=ANGLE), 5.0, four_bar_is_closed),
    "six-bar": (lambda: six_bar(angle=ANGLE), 6.0, six_bar_is_closed),
}


@pytest.mark.parametrize("name", MECHANISMS)
def test_a_guess_that_is_half_wrong_assembles_every_time(name):
    build, size, is_closed = MECHANISMS[name]
    model, random = build(), np.random.default_rng(11)
    failed = []
    for k in range(TRIES):
        start = displaced(model, random, size)
        try:
            state = mbs.assemble(model, start=start)
        except mbs.AssemblyError as error:
            failed.append((k, str(error)))
            continue
        assert apart(state["crank.angle"], ANGLE) < 1e-12
        if not is_closed(state):
            failed.append((k, "not a pose of the mechanism"))
    assert failed == []


# --- fixed values and least change ------------------------------------------------------------------------------

FIXED = {
    "an angle": {"crank.angle": 1.1},
    "a slider": {"slider.x": 3.1},
    "a joint's own coordinate": {"guide.displacement": 3.1},
    "an angle and its rate": {"crank.angle": -0.4, "crank.omega": 7.0},
    "a slider and its rate": {"slider.x": 2.9, "slider.vx": -1.5},
    "the angle of a pin": {"B.angle": -1.4, "B.omega": 0.3},
}


@pytest.mark.parametrize("name", FIXED)
def test_fixed_values_are_met_exactly(name):
    state = mbs.assemble(slider_crank(motor=False), fix=FIXED[name])
    for quantity, value in FIXED[name].items():
        assert state[quantity] == pytest.approx(value, rel=1e-14, abs=1e-14)
    x, y, phi = (state[f"slider.{n}"] for n in ("x", "y", "angle"))
    assert x == pytest.approx(slider_position(1.0, 3.0, 0.0, state["crank.angle"]), abs=1e-13)
    assert (y, phi) == pytest.approx((0, 0), abs=1e-14)


@pytest.mark.parametrize("coordinates", ["cartesian", "natural", "joint"])
@pytest.mark.parametrize("away", [1e2, 1e4, 1e7])
def test_bodies_go_to_places_far_away(away, coordinates):
    """A rod of one metre is put at a height of ten thousand kilometres in one step: the way there is straight."""
    model = mbs.PlanarModel("two rods")
    first, second = model.link("first", (0, 0), (1, 0)), model.link("second", (1, 0), (2, 0))
    model.add(mbs.Revolute("pin", first.head, second.tail))
    fixed = {"first.x": -3.0, "first.y": away, "first.angle": 2.0, "second.angle": 3.0}
    found = mbs.assemble(model.compile(coordinates), fix=fixed)
    assert found["second.x"] == pytest.approx(-3 + np.cos(2) / 2 + np.cos(3) / 2, abs=1e-15 * away + 1e-12)
    assert found["second.y"] - away == pytest.approx(np.sin(2) / 2 + np.sin(3) / 2, abs=1e-15 * away + 1e-12)


def test_velocities_and_accelerations_follow_from_a_fixed_speed():
    """Of a slider-crank with the speed ω of its crank; its acceleration is the least one, so it need not be zero."""
    r, l, phi, omega = 1.0, 3.0, 0.7, 5.0
    state = mbs.assemble(slider_crank(r, l, motor=False), fix={"crank.angle": phi, "crank.omega": omega})
    tilt = np.arcsin(r / l * sin(phi))
    rod = -omega * r / l * cos(phi) / cos(tilt)
    assert state["rod.angle"] == pytest.approx(-tilt, abs=1e-14)
    assert state["rod.omega"] == pytest.approx(rod, abs=1e-12)
    assert state["slider.vx"] == pytest.approx(-omega * r * (sin(phi) + cos(phi) * np.tan(tilt)), abs=1e-12)
    alpha = state["crank.alpha"]
    beta = (r * omega**2 * sin(phi) - r * alpha * cos(phi) - l * rod**2 * sin(tilt)) / (l * cos(tilt))
    assert state["rod.alpha"] == pytest.approx(beta, abs=1e-11)
    assert state.result.violation.velocity.max() < 1e-13
    assert state.result.violation.acceleration.max() < 1e-12


def free_directions(state: mbs.State) -> np.ndarray:
    """The motions that the joints allow at a pose, as columns."""
    system = state.system
    _, values, directions = np.linalg.svd(jacobian(system, state.t, state.full_q))
    rank = int((values > 1e-9 * values[0]).sum())
    return directions[rank:].T


@pytest.mark.parametrize("name", MECHANISMS)
def test_the_assembled_pose_is_the_nearest_one(name):
    """The change (q - q₀), in the norm W, is perpendicular to every motion that the joints allow: no closed pose
    nearby is nearer to the placement."""
    build, size, _ = MECHANISMS[name]
    model, random = build().without("motor"), np.random.default_rng(5)
    for _ in range(10):
        start = displaced(model, random, 0.3 * size)
        state = mbs.assemble(model, start=start)
        free = free_directions(state)
        assert free.shape[1] == 1
        weight = state.system.weight
        change = weight * (state.q - start.q)
        length = np.sqrt(weight @ (state.q - start.q) ** 2)
        assert np.abs(change @ free).max() < 1e-7 * length * np.sqrt((weight[:, None] * free**2).sum())
        distance = [
            np.sqrt(weight @ (mbs.assemble(model, start=near, fix=fixed).q - start.q) ** 2)
            for near, fixed in ((state, {"crank.angle": state["crank.angle"] + d}) for d in (-0.01, 0.01))
        ]
        assert length < min(distance)


def test_a_placement_that_is_already_closed_stays():
    state = mbs.assemble(model := slider_crank(motor=False))
    assert state.q == pytest.approx(model.compile().placement[:9], abs=1e-14)
    assert not state.v.any()


def test_the_least_velocity_is_taken_where_freedom_is_left():
    """Among all velocities with the slider's speed, W-least: here of a double pendulum, pulled at its end."""
    model = mbs.PlanarModel("double pendulum")
    upper = model.body("upper", position=(0.5, 0), angle=0.2)
    lower = model.body("lower", position=(1.5, 0.3), angle=0.9)
    lower.marker("tip", 0.5, 0)
    model.add(
        mbs.Revolute("hook", model.ground, upper.at(-0.5, 0)),
        mbs.Revolute("knee", upper.at(0.5, 0), lower.at(-0.5, 0)),
    )
    state = mbs.assemble(model, fix={"lower.tip.vx": 1.0})
    assert state["lower.tip.vx"] == pytest.approx(1.0, abs=1e-14)
    free, weight = free_directions(state), state.system.weight
    still = mbs.assemble(model, start=state, fix={"lower.tip.vx": 0.0, "upper.omega": 1.0})
    assert still["lower.tip.vx"] == pytest.approx(0.0, abs=1e-14)
    assert free.shape[1] == 2
    assert abs((weight * state.v) @ still.v) < 1e-12


def test_start_chooses_the_branch():
    """The same crank angle, the rocker on either side: a state hands its branch on."""
    for branch in (1, -1):
        start = mbs.assemble(four_bar(BAR, angle=0.5, branch=branch))
        res = mbs.kinematics(four_bar(BAR, angle=0.5), np.linspace(0, 3, 31), start=start)
        coupler, rocker = BAR.angles(0.5 + OMEGA * res.t, branch)
        assert np.max(np.abs(np.sin((res["coupler.angle"] - coupler) / 2))) < 1e-12
        assert np.max(np.abs(np.sin((res["rocker.angle"] - rocker) / 2))) < 1e-12


# --- branches along a motion ------------------------------------------------------------------------------------


@pytest.mark.parametrize("poses", [5, 8, 13, 50])
@pytest.mark.parametrize("margin", [1e-2, 1e-3, 1e-4, 1e-5, 1e-6])
def test_a_coarse_time_grid_does_not_jump_to_the_other_branch(margin, poses):
    """A four-bar that is almost a parallelogram: near φ = 0 and φ = π both branches come close to each other, though
    they do not touch. A turn in few steps keeps the branch that the closed form, and a fine grid, have."""
    bar = FourBar(2.0, 1.0, 2.0, 1.0 + margin)
    model = four_bar(bar, angle=0.5, omega=1.0)
    times = np.linspace(0, 2 * pi, poses)
    coarse = mbs.kinematics(model, times)
    coupler, rocker = bar.angles(0.5 + times)
    assert np.max(np.abs(np.sin((coarse["rocker.angle"] - rocker) / 2))) < 1e-8
    assert np.max(np.abs(np.sin((coarse["coupler.angle"] - coupler) / 2))) < 1e-8
    fine = mbs.kinematics(model, np.linspace(0, 2 * pi, 40 * (poses - 1) + 1))
    assert coarse.q == pytest.approx(fine.q[::40], abs=1e-7)
    assert coarse.violation.position.max() < 1e-12


@pytest.mark.parametrize("poses", [3, 5, 9])
def test_a_coarse_time_grid_counts_whole_turns(poses):
    """Angles count past 2π, also where a step is most of a turn."""
    res = mbs.kinematics(slider_crank(angle=0.3, omega=1.0), np.linspace(0, 4 * pi, poses))
    assert res["crank.angle"] == pytest.approx(0.3 + res.t, abs=1e-12)
    assert res["slider.x"] == pytest.approx(slider_position(1.0, 3.0, 0.0, 0.3 + res.t), abs=1e-12)


@pytest.mark.parametrize("poses", [5, 12, 101])
@pytest.mark.parametrize("margin", [1e-2, 1e-4, 1e-6])
def test_a_slider_that_comes_close_to_its_dead_point_returns_on_its_own_side(margin, poses):
    """Pulled out to x = r + l - margin and back again, twice: the crank stays above the line of the guide."""
    r, l, far = 1.0, 3.0, 4.0 - margin
    model = slider_crank(r, l, angle=0.9, motor=False)
    model.add(mbs.Driver("pull", mbs.x(model.bodies["slider"]), far - 0.3 * (1 + sp.cos(mbs.t))))
    res = mbs.kinematics(model, np.linspace(0, 4 * pi, poses))
    x = far - 0.3 * (1 + np.cos(res.t))
    crank = np.arccos((x**2 + r**2 - l**2) / (2 * r * x))
    assert res["crank.angle"] == pytest.approx(crank, abs=1e-9)
    assert res["slider.vx"] == pytest.approx(0.3 * np.sin(res.t), abs=1e-12)


def is_parallelogram(res: mbs.Result, k: int, start: float, v: float = 1e-7, a: float = 1e-6) -> None:
    """All cranks turn alike, all couplers keep their direction; velocities to within `v`, accelerations to `a`."""
    one, zero = np.ones(len(res)), np.zeros(len(res))
    for n in range(k + 1):
        assert res[f"crank{n}.angle"] == pytest.approx(start + res.t, abs=1e-8)
        assert res[f"crank{n}.omega"] == pytest.approx(one, abs=v)
        assert res[f"crank{n}.alpha"] == pytest.approx(zero, abs=a)
    for n in range(k):
        assert res[f"coupler{n}.angle"] == pytest.approx(zero, abs=1e-8)
        assert res[f"coupler{n}.vx"] == pytest.approx(-np.sin(start + res.t), abs=v)
        assert res[f"coupler{n}.ay"] == pytest.approx(-np.sin(start + res.t), abs=a)


@pytest.mark.parametrize("k", [1, 2, 4])
def test_a_change_point_on_a_sample_is_passed_on_the_smooth_branch_and_noted(k):
    start = 0.5
    times = np.sort(np.append(np.linspace(0, 5, 24), pi - start))
    res = mbs.kinematics(parallelogram(k, start), times)
    assert res.success
    assert res.stats["change_points"] == pytest.approx([pi - start], abs=1e-12)
    is_parallelogram(res, k, start)
    assert res.violation.position.max() < 1e-12


def test_two_change_points_in_one_run_are_both_noted():
    start = -0.7
    times = np.sort(np.append(np.linspace(0, 5, 33), [0.7, 0.7 + pi]))
    res = mbs.kinematics(parallelogram(1, start), times)
    assert res.stats["change_points"] == pytest.approx([0.7, 0.7 + pi], abs=1e-12)
    is_parallelogram(res, 1, start)


def test_a_change_point_as_the_last_sample_is_passed_too():
    start = 0.5
    times = np.linspace(0, pi - start, 9)
    res = mbs.kinematics(parallelogram(1, start), times)
    assert len(res) == len(times)
    is_parallelogram(res, 1, start)


@pytest.mark.parametrize("k", [1, 4])
@pytest.mark.parametrize("off", [1e-12, -1e-9, 1e-6, -1e-5, 1e-5, -1e-4, 1e-3])
def test_a_sample_close_to_a_change_point_is_no_worse_than_one_on_it(off, k):
    """There the equations still determine the motion, but ever less well: a velocity loses twice as many digits as
    the sample is close, an acceleration three times as many. What is returned must be right all the same."""
    times = np.sort(np.append(np.linspace(0, 5, 24), pi - 0.5 + off))
    is_parallelogram(mbs.kinematics(parallelogram(k, 0.5), times), k, 0.5, v=1e-5, a=1e-2)


@pytest.mark.parametrize("poses", [7, 30, 301])
def test_change_points_between_samples_are_passed_on_the_smooth_branch(poses):
    res = mbs.kinematics(parallelogram(2, 0.5), np.linspace(0, 10, poses))
    is_parallelogram(res, 2, 0.5)


@pytest.mark.parametrize("poses", [5, 100])
def test_a_skate_goes_where_its_blade_points(poses):
    """A knife edge restricts velocities only, so the place is their integral. Turned at a constant rate, with
    x = sin t, it goes round a unit circle: ẏ = ẋ tan t = sin t."""
    model = mbs.PlanarModel("skate")
    skate = model.body("skate")
    model.add(
        mbs.Constraint("blade", skate, psi=lambda i: i.y_axis.dot(i.velocity)),
        mbs.Driver("turn", mbs.angle(skate), mbs.t),
        mbs.Driver("go", mbs.x(skate), sp.sin(mbs.t)),
    )
    res = mbs.kinematics(model, np.linspace(0, 1.2, poses))
    assert res["skate.y"] == pytest.approx(1 - np.cos(res.t), abs=1e-8)
    assert res["skate.vy"] == pytest.approx(np.sin(res.t), abs=1e-12)
    assert res["skate.ay"] == pytest.approx(np.cos(res.t), abs=1e-12)


# --- sweeps over a parameter ------------------------------------------------------------------------------------


def test_a_sweep_over_a_length_follows_the_closed_form():
    model = slider_crank(angle=0.6)
    lengths = np.linspace(3.0, 1.2, 19)
    res = mbs.sweep(model, "l", lengths)
    assert res.axis == ("l", "")
    assert np.array_equal(res.t, lengths)
    assert res["slider.x"] == pytest.approx(slider_position(1.0, lengths, 0.0, 0.6), abs=1e-12)
    speed = -OMEGA * (sin(0.6) + sin(0.6) * cos(0.6) / np.sqrt(lengths**2 - sin(0.6) ** 2))
    assert res["slider.vx"] == pytest.approx(speed, abs=1e-11)
    assert res.violation.position.max() < 1e-12


def test_a_sweep_keeps_the_branch_and_agrees_with_assembly_at_each_value():
    model = four_bar(BAR, angle=0.8, branch=-1)
    grounds = np.linspace(4.0, 5.5, 7)
    res = mbs.sweep(model, "ground", grounds)
    for k, ground in enumerate(grounds):
        coupler, rocker = FourBar(ground, *BAR[1:]).angles(0.8, -1)
        assert apart(res["coupler.angle"][k], coupler) < 1e-12
        assert apart(res["rocker.angle"][k], rocker) < 1e-12
        own = mbs.assemble(four_bar((ground, *BAR[1:]), angle=0.8, branch=-1))
        assert own["rocker.omega"] == pytest.approx(res["rocker.omega"][k], abs=1e-11)


def test_a_sweep_over_time_is_at_that_time():
    res = mbs.sweep(slider_crank(angle=0.6, omega=2.0), "r", [1.0, 1.1, 1.2], t=0.5)
    assert res["crank.angle"] == pytest.approx([1.6] * 3, abs=1e-13)
    assert res["slider.x"] == pytest.approx(slider_position(np.array([1.0, 1.1, 1.2]), 3.0, 0.0, 1.6), abs=1e-12)


def test_a_sweep_up_to_the_limit_of_a_length_says_where_it_is_and_keeps_the_rest():
    """The rod must reach from the crank's head down to the guide: l >= r sin φ = sin 0.6."""
    lengths = np.linspace(3.0, 0.3, 28)
    limit = sin(0.6)
    with refused("limit-reached", mbs.SingularConfigurationError, name="l") as told:
        mbs.sweep(slider_crank(angle=0.6), "l", lengths)
    error = told.value
    assert error.parameter == pytest.approx(limit, abs=1e-4)
    assert error.parameter >= limit
    assert set(error.joints) <= {"A", "B", "C", "guide", "motor"}
    assert {"B", "C"} <= set(error.joints)
    kept = error.result
    assert not kept.success
    assert np.array_equal(kept.t, lengths[lengths > limit])
    assert kept["slider.x"] == pytest.approx(slider_position(1.0, kept.t, 0.0, 0.6), abs=1e-12)
    for array in (kept.q, kept.v, kept.a, kept.violation.rows, error.pose.full_q, error.pose.full_v):
        assert np.isfinite(array).all()
