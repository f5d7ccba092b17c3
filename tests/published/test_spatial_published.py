"""Parallel mechanisms and linkages in space against published numbers and against closed forms that share nothing with
the package (`spatial_oracles`)."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import sympy as sp
from gallery import load
from spatial_oracles import bricard, delta, rssr, spatial_slider_crank, stewart, universal_joint, zhao
from test_spatial_oracles import TSAI

import mbs_dae as mbs
from mbs_dae import screws

LEGS = range(1, 7)
GRAVITY = np.array([0, 0, -9.80665])


def close(ours, theirs, tolerance, **more):
    """Equal, to a tolerance relative to the largest of the numbers."""
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=tolerance * np.abs(theirs).max(), **more)


def columns(result, *names):
    """Quantities side by side, (times, names)."""
    return np.stack([result[name] for name in names], axis=1)


def vector(result, body, kind):
    """`kind` is "", "v", "a", "w" or "alpha"."""
    return columns(result, *(f"{body}.{kind}{x}" for x in "xyz"))


def efforts(result, prefix="leg", count=6):
    return np.stack([result.effort(f"{prefix}{k}") for k in range(1, count + 1)], axis=1)


# --- Gough-Stewart platform ---------------------------------------------------------------------------------------


def wild(t):
    """A motion with everything in it."""
    place = -1.5 + 0.1 * sp.sin(t), 0.1 * sp.cos(t), 1.0 + 0.05 * sp.sin(3 * t)
    return place, mbs.rotations.bryant(0.3 * sp.sin(t), 0.2 * sp.cos(2 * t), 0.25 * sp.sin(t))


@cache
def levels_of(motion):
    """Place and rotation of a motion of expressions, with their first and second derivatives, as functions of time."""
    t = sp.Symbol("t", real=True)
    place, turn = (sp.Matrix(part) for part in motion(t))
    return [sp.lambdify(t, (place.diff(t, n), turn.diff(t, n))) for n in range(3)]


def pose_of(motion):
    """A motion of expressions as one of numbers: [ω] = Ṙ Rᵀ, and its derivative is [α] = R̈ Rᵀ + Ṙ Ṙᵀ."""

    def axial(matrix):
        return np.array([matrix[2, 1], matrix[0, 2], matrix[1, 0]])

    def pose(at):
        (r, R), (v, R1), (a, R2) = ([np.array(part, dtype=float) for part in level(at)] for level in levels_of(motion))
        r, v, a = (x.ravel() for x in (r, v, a))
        return stewart.Pose(r, R, v, axial(R1 @ R.T), a, axial(R2 @ R.T + R1 @ R1.T))

    return pose


PLATFORM = load("stewart_platform")
MOTIONS = {
    "diagonal": (PLATFORM.diagonal, stewart.tsai_translation),
    "yaw": (PLATFORM.yaw, stewart.tsai_yaw),
    "wild": (wild, pose_of(wild)),
}
MOMENTS = np.array([*TSAI])


@pytest.fixture(scope="module", params=MOTIONS)
def motion(request):
    """How the model is to be moved, and the same for the oracle."""
    return MOTIONS[request.param]


@pytest.fixture(scope="module")
def driven(motion):
    return mbs.inverse_dynamics(PLATFORM.build(motion=motion[0]), MOMENTS)


def test_platform_has_the_lengths_rates_accelerations_and_forces_of_the_reference():
    """Data of Tsai 2000; numbers of a computation in 30 digits (his paper shows curves)."""
    model = PLATFORM.build()
    result = mbs.inverse_dynamics(model, MOMENTS)
    assert len(model.bodies) == 13
    for column, kind in enumerate(("displacement", "velocity", "acceleration")):
        reference = [TSAI[t][column] for t in MOMENTS]
        found = columns(result, *(f"slide{k}.{kind}" for k in LEGS))
        np.testing.assert_allclose(found, reference, rtol=0, atol=1e-13, err_msg=kind)
    np.testing.assert_allclose(efforts(result), [TSAI[t][3] for t in MOMENTS], rtol=1e-12)


def test_platform_counts():
    for drive, free in (("legs", 0), ("pose", 0), (None, 6)):
        diagnosis = mbs.diagnose(PLATFORM.build(drive=drive))
        assert (diagnosis.coordinates, diagnosis.degrees_of_freedom) == (78, free)
        assert not diagnosis.redundant


def test_platform_agrees_with_vectors_in_any_motion(motion, driven):
    platform = stewart.tsai_2000()
    poses = [motion[1](t) for t in MOMENTS]
    legs = [stewart.legs(platform, pose) for pose in poses]
    for name, kind in (("length", "displacement"), ("rate", "velocity"), ("acceleration", "acceleration")):
        found = columns(driven, *(f"slide{k}.{kind}" for k in LEGS))
        np.testing.assert_allclose(found, [getattr(leg, name) for leg in legs], rtol=0, atol=1e-12, err_msg=name)
    np.testing.assert_allclose(driven.rotation("platform"), [pose.R for pose in poses], rtol=0, atol=1e-13)
    close(efforts(driven), [stewart.forces_newton_euler(platform, pose) for pose in poses], 1e-12)


# --- the same by screws ------------------------------------------------------------------------------------------


def needed(result, model, body):
    """The wrench that a body's motion takes: rate of change of momentum, without its weight. (times, 6)"""
    said = model.bodies[body]
    mass = model.value(said.mass)
    com = np.array([model.value(x) for x in said.com], dtype=float)
    inertia = np.array([[model.value(x) for x in row] for row in said.inertia], dtype=float)
    R = result.rotation(body)
    arm, tensor = R @ com, R @ inertia @ R.transpose(0, 2, 1)
    w, dw = vector(result, body, "w"), vector(result, body, "alpha")
    acceleration = vector(result, body, "a") + np.cross(dw, arm) + np.cross(w, np.cross(w, arm))
    spin = np.einsum("tij,tj->ti", tensor, w)
    moment = np.einsum("tij,tj->ti", tensor, dw) + np.cross(w, spin)
    return screws.wrench(mass * (acceleration - GRAVITY), moment, vector(result, body, "") + arm)


def leg_screws(result, k):
    """The unit screws of one leg from base to platform: two of the universal joint, the slide, three of the ball."""
    lower, upper = (result.rotation(f"{part}{k}") for part in ("lower", "upper"))
    low, ball = vector(result, f"lower{k}", ""), vector(result, f"upper{k}", "")
    x = np.broadcast_to([1.0, 0, 0], low.shape)
    turns = [screws.unit_screw(x, low), screws.unit_screw(lower[:, :, 1], low)]
    balls = [screws.unit_screw(upper[:, :, axis], ball) for axis in range(3)]
    return np.stack([*turns, result.screw(f"slide{k}"), *balls], axis=1)


def test_leg_rates_follow_from_the_twist_of_the_platform(driven):
    V = driven.twist("platform")
    for k in LEGS:
        S = leg_screws(driven, k)
        found = screws.joint_rates(S, V)
        assert found.unique.all() and found.residual.max() < 1e-13
        np.testing.assert_allclose(found.rates[:, 2], driven[f"slide{k}.velocity"], rtol=0, atol=1e-13)
        # ... and the twists of the parts are the sums of the screws before them.
        for part, count in (("lower", 2), ("upper", 3)):
            twist = np.einsum("tn,tnc->tc", found.rates[:, :count], S[:, :count])
            np.testing.assert_allclose(driven.twist(f"{part}{k}"), twist, rtol=0, atol=1e-13)


def test_wrenches_of_the_legs_carry_the_platform(motion, driven):
    """The sum of what the balls do to the platform is what its motion and its weight take; and with what the upper part
    takes besides, it gives the actuator's force on the screw of the slide, along which nothing else works."""
    model = PLATFORM.build(motion=motion[0])
    balls = np.array([driven.wrench(f"S{k}") for k in LEGS])
    close(balls.sum(axis=0), needed(driven, model, "platform"), 1e-12)
    for k in LEGS:
        carried = balls[k - 1] + needed(driven, model, f"upper{k}")
        along = np.sum(driven.screw(f"slide{k}") * carried, axis=1)
        np.testing.assert_allclose(along, driven.effort(f"leg{k}"), rtol=0, atol=1e-12)


def test_actuator_forces_by_screws_alone(motion, driven):
    """Virtual power: for each of six twists of the platform the joint rates of the legs say how all bodies move, so
    Σ f dl = Σ (needed wrench) · (twist) gives the forces of the actuators. No reaction appears."""
    model = PLATFORM.build(motion=motion[0])
    units = np.eye(6)[:, None, :]  # (six twists of the platform, times, 6)
    work = np.einsum("tc,utc->tu", needed(driven, model, "platform"), np.broadcast_to(units, (6, len(MOMENTS), 6)))
    ways = []
    for k in LEGS:
        S = leg_screws(driven, k)
        rates = screws.joint_rates(S, np.broadcast_to(units, (6, len(MOMENTS), 6))).rates
        ways.append(rates[..., 2].T)
        for part, count in (("lower", 2), ("upper", 3)):
            twists = np.einsum("utn,tnc->utc", rates[..., :count], S[:, :count])
            work += np.einsum("tc,utc->tu", needed(driven, model, f"{part}{k}"), twists)
    forces = np.linalg.solve(np.stack(ways, axis=2), work[..., None])[..., 0]
    close(forces, efforts(driven), 1e-12)


def test_a_leg_transmits_a_force_along_itself_and_nothing_else(driven):
    """Reciprocal to all joints of a leg but its slide is one wrench, the force along the leg."""
    for k in LEGS:
        S = leg_screws(driven, k)[2]
        (wrench,) = screws.reciprocal(np.delete(S, 2, axis=0))
        line = screws.wrench(S[2, 3:], point=vector(driven, f"lower{k}", "")[2])
        np.testing.assert_allclose(np.outer(wrench, line), np.outer(line, wrench), rtol=0, atol=1e-12)


def test_leading_the_platform_by_hand_takes_what_the_actuators_give(motion, driven):
    """The pose driven, the legs idle: force and moment of the driver are those of the six forces along the legs."""
    led = mbs.inverse_dynamics(PLATFORM.build(drive="pose", motion=motion[0]), MOMENTS)
    np.testing.assert_allclose(led.q, driven.q, rtol=0, atol=1e-12)
    lines = [screws.wrench(led.screw(f"slide{k}")[:, 3:], point=vector(led, f"lower{k}", "")) for k in LEGS]
    wrench = led.wrench("pose")
    close(np.einsum("kt,ktc->tc", efforts(driven).T, np.array(lines)), wrench, 1e-12)
    forces = np.linalg.solve(np.array(lines).transpose(1, 2, 0), wrench[..., None])[..., 0]
    close(forces, efforts(driven), 1e-12)


# --- the platform the other way round --------------------------------------------------------------------------


@pytest.mark.slow
def test_the_forces_fed_back_give_the_motion(motion):
    """Leg forces of inverse dynamics as tables of time, in place of the drivers. (Nothing holds the platform on its
    path then: what the splines miss, 1e-12 N, and the steps of the integration add up.)"""
    fine, times = np.linspace(0, 1, 2001), np.linspace(0, 1, 21)
    model = PLATFORM.build(motion=motion[0])
    driven, expected = mbs.inverse_dynamics(model, fine), mbs.kinematics(model, times)
    free = PLATFORM.build(drive=None, motion=motion[0])
    for k in LEGS:
        force = mbs.Table(fine, driven.effort(f"leg{k}"))(mbs.t)
        free.add(mbs.Actuator(f"leg{k}", free.elements[f"slide{k}"], force))
    initial = {f"platform.{kind}{x}": expected[f"platform.{kind}{x}"][0] for kind in "vw" for x in "xyz"}
    options = {"method": "DP8", "stabilization": mbs.Projection(), "step": 0.004}
    moved = mbs.simulate(free, times, initial=initial, **options)
    assert moved.success
    assert np.ptp(columns(moved, *(f"slide{k}.displacement" for k in LEGS)), axis=0).min() > 0.02
    np.testing.assert_allclose(vector(moved, "platform", ""), vector(expected, "platform", ""), rtol=0, atol=1e-10)
    np.testing.assert_allclose(moved.rotation("platform"), expected.rotation("platform"), rtol=0, atol=1e-10)
    np.testing.assert_allclose(vector(moved, "platform", "v"), vector(expected, "platform", "v"), rtol=0, atol=1e-9)


@pytest.mark.parametrize("t", [0.4, 1.0, 1.7])
def test_direct_kinematics_from_a_rough_guess(t):
    """Six lengths, and the pose at rest in the middle as a guess, 5 cm and 10° away or more: the pose comes back."""
    pose = pose_of(wild)(t)
    model = PLATFORM.build(drive=None, motion=lambda _: (PLATFORM.HOME, sp.eye(3)))
    lengths = stewart.legs(stewart.tsai_2000(), pose).length
    slides = [model.elements[f"slide{k}"] for k in LEGS]
    held = [mbs.Driver(f"leg{k}", mbs.displacement(s), l) for k, s, l in zip(LEGS, slides, lengths, strict=True)]
    state = mbs.assemble(model.plus(*held))
    assert np.linalg.norm(pose.r - PLATFORM.HOME) > 0.05 and np.arccos((np.trace(pose.R) - 1) / 2) > 0.18
    np.testing.assert_allclose([state[f"platform.{x}"] for x in "xyz"], pose.r, rtol=0, atol=1e-10)
    np.testing.assert_allclose(state.result.rotation("platform")[0], pose.R, rtol=0, atol=1e-10)


# --- the platform of Zhao, Wei and Sun --------------------------------------------------------------------------

ZHAO = load("stewart_zhao")


@pytest.fixture(scope="module")
def spiral():
    return mbs.inverse_dynamics(ZHAO.build(), ZHAO.TIMES)


def test_zhao_lengths_and_forces(spiral):
    platform = zhao.platform()
    legs = [stewart.legs(platform, zhao.trajectory(t)) for t in spiral.t]
    lengths = columns(spiral, *(f"slide{k}.displacement" for k in LEGS))
    np.testing.assert_allclose(lengths, [leg.length for leg in legs], rtol=0, atol=1e-13)
    assert (spiral.t[0], spiral.t[-1]) == (0, 10)
    forces = zhao.driving_forces(spiral.t)
    close(efforts(spiral), forces, 1e-12)
    close(ZHAO.forces_by_vectors(ZHAO.build(), spiral), forces, 1e-12)


def test_zhao_led_by_hand_takes_the_same_forces(spiral):
    led = mbs.inverse_dynamics(ZHAO.build(drive="pose"), ZHAO.TIMES)
    lines = [screws.wrench(led.screw(f"slide{k}")[:, 3:], point=vector(led, f"lower{k}", "")) for k in LEGS]
    close(np.einsum("kt,ktc->tc", efforts(spiral).T, np.array(lines)), led.wrench("pose"), 1e-12)


@pytest.mark.slow
def test_zhao_one_step_integration_of_screws_is_of_first_order():
    model, errors = ZHAO.build(), []
    for steps in (200, 400, 800):
        exact = mbs.kinematics(model, np.linspace(0, 10, steps + 1))
        lengths = ZHAO.legs_by_screws(model, exact.twist("platform"), 10 / steps)
        errors.append(np.abs(lengths - columns(exact, *(f"slide{k}.displacement" for k in LEGS))).max())
    assert 3e-3 < errors[0] < 5e-3
    np.testing.assert_allclose([errors[0] / errors[1], errors[1] / errors[2]], 2.0, atol=0.02)


def test_zhao_figure_shows_both_methods(spiral):
    figure = ZHAO.draw_forces(spiral, ZHAO.forces_by_vectors(ZHAO.build(), spiral))
    assert len(figure.axes) == 6
    for k, ax in enumerate(figure.axes, start=1):
        (full, vectors) = ax.lines
        np.testing.assert_array_equal(full.get_ydata(), spiral.effort(f"leg{k}"))
        np.testing.assert_allclose(vectors.get_ydata(), full.get_ydata()[::8], rtol=0, atol=1e-11)


# --- linkages in space -------------------------------------------------------------------------------------------


def test_spatial_slider_crank():
    module = load("spatial_slider_crank")
    result = mbs.kinematics(module.build(), module.TIMES)
    where = [spatial_slider_crank.solve(spatial_slider_crank.example(), 10 * t) for t in result.t]
    for power, (kind, name) in enumerate((("displacement", "s"), ("velocity", "s1"), ("acceleration", "s2"))):
        close(result[f"guide.{kind}"], [10**power * getattr(p, name) for p in where], 1e-13, err_msg=kind)
    pin = np.array([0.0, 0.0, 1.0])
    close(vector(result, "rod", "w"), [10 * spatial_slider_crank.rod_omega(p, pin) for p in where], 1e-13)
    frames = [spatial_slider_crank.rod_frame(p, pin) for p in where]
    np.testing.assert_allclose(result.rotation("rod"), frames, rtol=0, atol=1e-13)


@pytest.mark.parametrize("coupler", ["body", "distance"])
def test_rssr(coupler):
    module = load("rssr")
    result = mbs.kinematics(module.build(coupler=coupler), module.TIMES)
    where = [rssr.solve(rssr.example(), 5 * t) for t in result.t]
    angles = np.unwrap([p.psi for p in where])
    turns = np.round((angles[0] - result["output.angle"][0]) / (2 * np.pi))
    close(result["output.angle"], angles - 2 * np.pi * turns, 1e-13)
    close(result["output.omega"], [5 * p.psi1 for p in where], 1e-13)
    close(result["output.alpha"], [25 * p.psi2 for p in where], 1e-13)


def test_rssr_coupler_with_two_balls_spins_and_with_a_universal_joint_does_not():
    model = load("rssr").build()
    balls = model.without("B").plus(mbs.Spherical("ball", model.bodies["crank"].head, model.bodies["rod"].tail))
    assert (mbs.diagnose(model).degrees_of_freedom, mbs.diagnose(balls).degrees_of_freedom) == (0, 1)


@pytest.fixture(scope="module")
def falling():
    module = load("bricard")
    times = np.linspace(0, 2 * bricard.period(width=0.1), 101)
    options = {"method": "DP8", "stabilization": mbs.Projection(), "rtol": 1e-11}
    return mbs.simulate(module.build(), times, initial=module.INITIAL, **options)


def test_bricard_has_one_redundant_equation_among_all_hinges():
    diagnosis = mbs.diagnose(load("bricard").build())
    (group,) = diagnosis.redundant
    assert (diagnosis.rank, diagnosis.degrees_of_freedom, diagnosis.gruebler) == (29, 1, 0)
    assert (group.kind, group.equations) == ("generic", 1)
    assert sorted(group.joints) == [f"hinge{k}" for k in LEGS]


@pytest.mark.slow
def test_bricard_falls_and_comes_back(falling):
    """Against one coordinate on a closed form, over a swing to the mirror image and back, twice."""
    assert falling.success
    opening = bricard.opening(bricard.simulate(falling.t, width=0.1)[0])
    for k in range(6):
        turned = opening[k % 2] - np.pi / 2
        np.testing.assert_allclose(falling[f"hinge{k + 1}.angle"], bricard.SIGNS[k] * turned, rtol=0, atol=1e-8)
    assert np.ptp(falling["hinge1.angle"]) > 1.5
    np.testing.assert_allclose(falling.q[[50, 100]], falling.q[[0, 0]], rtol=0, atol=1e-8)
    assert np.abs(falling.energy.error).max() < 1e-8


def test_bricard_closes_and_keeps_its_one_freedom(falling):
    signs = bricard.SIGNS * np.array([falling[f"hinge{k}.angle"] for k in LEGS]).T
    opening = signs + np.pi / 2
    np.testing.assert_allclose(np.prod(1 + np.cos(opening[:, :2]), axis=1), 1.0, rtol=0, atol=1e-9)
    for k in (0, 13, 25):
        S = [falling.screw(f"hinge{n}")[k] for n in LEGS]
        assert screws.joint_rates(S, np.zeros(6)).rank == 5


DRIVE = load("universal_joints")
TURNS = np.linspace(0, 3 * 2 * np.pi / 10, 301)
INERTIA = 0.001  # of each shaft about itself


@pytest.mark.parametrize("bend", [0.2, 0.5, -0.9])
def test_one_universal_joint(bend):
    result = mbs.inverse_dynamics(DRIVE.build(bend1=bend, joints=1), TURNS)
    a = 10 * TURNS
    ratio, second = (f(a, bend) for f in (universal_joint.ratio, universal_joint.second_derivative))
    np.testing.assert_allclose(result["load.angle"], universal_joint.output(a, bend), rtol=0, atol=1e-13 * a[-1])
    np.testing.assert_allclose(result["load.omega"] / 10, ratio, rtol=0, atol=1e-12)
    np.testing.assert_allclose(result["load.alpha"] / 100, second, rtol=0, atol=1e-12)
    assert ratio.min() == pytest.approx(np.cos(bend)) and ratio.max() == pytest.approx(1 / np.cos(bend), rel=1e-3)
    # The motor carries the load, and the kinetic energy that the output takes and gives.
    close(result.effort("motor"), 20 * ratio + INERTIA * 100 * ratio * second, 1e-12)


@pytest.mark.parametrize(
    "bend1, bend2, phase",
    [(0.5, -0.5, 0.0), (0.5, 0.5, 0.0), (0.5, 0.3, 0.0), (0.5, -0.5, np.pi / 2), (0.4, 0.6, 0.7), (0.4, -0.6, -1.1)],
)
def test_two_universal_joints(bend1, bend2, phase):
    result = mbs.inverse_dynamics(DRIVE.build(bend1=bend1, bend2=bend2, phase=phase), TURNS)
    a = 10 * TURNS
    output, ratio, second = universal_joint.two_joints(a, bend1, bend2, phase)
    np.testing.assert_allclose(result["load.angle"], output, rtol=0, atol=1e-13 * a[-1])
    np.testing.assert_allclose(result["load.omega"] / 10, ratio, rtol=0, atol=1e-12)
    np.testing.assert_allclose(result["load.alpha"] / 100, second, rtol=0, atol=1e-12)
    middle = universal_joint.ratio(a, bend1), universal_joint.second_derivative(a, bend1)
    close(result.effort("motor"), 20 * ratio + INERTIA * 100 * (ratio * second + middle[0] * middle[1]), 1e-12)
    if phase == 0 and abs(bend1) == abs(bend2):
        np.testing.assert_allclose(result["load.angle"], a, rtol=0, atol=1e-13 * a[-1])
        assert np.ptp(result["input.wx"]) < 1e-12 < 1 < np.ptp(np.linalg.norm(vector(result, "shaft", "w"), axis=1))


# --- the Delta robot ---------------------------------------------------------------------------------------------

DELTA = load("delta_robot")


@pytest.fixture(scope="module")
def robot():
    return mbs.inverse_dynamics(DELTA.build(), DELTA.TIMES)


def test_delta_inverse_kinematics(robot):
    """The platform led by hand: the motors turn as the closed form says; and the motors bring the platform back."""
    path = sp.lambdify(mbs.t, DELTA.circle(mbs.t))
    places = np.array([path(t) for t in DELTA.TIMES])
    led = mbs.kinematics(DELTA.build(drive="platform"), DELTA.TIMES)
    angles = np.array([delta.inverse(delta.Delta(), p) for p in places])
    motors = [f"motor{k}" for k in (1, 2, 3)]
    rates = [delta.motor_rates(delta.Delta(), *pv) for pv in zip(places, vector(led, "platform", "v"), strict=True)]
    for result in (led, robot):
        np.testing.assert_allclose(columns(result, *(f"{m}.angle" for m in motors)), angles, rtol=0, atol=1e-13)
        np.testing.assert_allclose(columns(result, *(f"{m}.omega" for m in motors)), rates, rtol=0, atol=1e-12)
        np.testing.assert_allclose(vector(result, "platform", ""), places, rtol=0, atol=1e-13)
        unturned = np.broadcast_to(np.eye(3), (len(places), 3, 3))
        np.testing.assert_allclose(result.rotation("platform"), unturned, rtol=0, atol=1e-13)
    assert np.ptp(angles, axis=0).min() > 0.3


def test_delta_counts():
    diagnosis = mbs.diagnose(DELTA.build(drive=None))
    assert (diagnosis.coordinates, diagnosis.rank, diagnosis.degrees_of_freedom) == (60, 57, 3)
    assert not diagnosis.redundant


def test_delta_motor_torques_by_virtual_work(robot):
    """Rods are slender, so their inertia works on both ends: m/6 (2 ä + b̈) on the one, m/6 (ä + 2 b̈) on the other."""
    shape, (arm, rod, payload), g = delta.Delta(), (0.4, 0.05, 1.0), np.array([0, 0, -9.81])
    arm_inertia = arm * (shape.a**2 / 3 + 0.01**2 / 4)
    for k in range(0, len(robot), 10):
        theta, rate, second = (
            np.array([robot[f"motor{m}.{kind}"][k] for m in (1, 2, 3)]) for kind in ("angle", "omega", "alpha")
        )
        p, platform = (vector(robot, "platform", kind)[k] for kind in ("", "a"))
        elbow, slope = delta.elbows(shape, theta)
        rods = delta.wrists(shape, p) - elbow
        motion = rods / np.sum(rods * slope, axis=1)[:, None]  # dθ/dp
        centre = np.array([turn @ [shape.R, 0, 0] for turn in delta.ARMS])
        swing = slope * second[:, None] - (elbow - centre) * rate[:, None] ** 2  # accelerations of the elbows
        own = arm_inertia * second - arm * slope @ g / 2
        own += 2 * rod * np.sum(slope * ((2 * swing + platform) / 6 - g / 2), axis=1)
        ends = 2 * rod * np.sum((swing + 2 * platform) / 6 - g / 2, axis=0) + payload * (platform - g)
        torques = own + np.linalg.solve(motion.T, ends)
        np.testing.assert_allclose([robot.effort(f"drive{m}")[k] for m in (1, 2, 3)], torques, rtol=0, atol=1e-11)
