"""Screws: power, axes and motions in closed form; rates of joints; what joints can carry; the one-step recursion."""

import numpy as np
import pytest
import sympy as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from refusals import refused
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from mbs_dae import rotations, screws

random_screws = settings(max_examples=50, deadline=None, derandomize=True, database=None)
pi = np.pi
X, Y, Z = np.eye(3)
numbers = st.floats(-3.0, 3.0, allow_subnormal=False)
vectors = st.tuples(numbers, numbers, numbers).map(np.array)
sixes = st.tuples(*[numbers] * 6).map(np.array)
axes = vectors.filter(lambda a: np.linalg.norm(a) > 1e-2)


def close(a, b, within=1e-12):
    assert np.shape(a) == np.shape(b)
    np.testing.assert_allclose(a, b, rtol=0, atol=within)


def skew(w):
    return np.cross(w, np.eye(3)).T


def angles_between(A, B):
    """The largest angle between the spaces that the rows of A and of B span."""
    A, B = (np.linalg.qr(np.atleast_2d(M).T)[0] for M in (A, B))
    return np.arcsin(min(1.0, np.linalg.norm(B - A @ (A.T @ B), 2)))


# One screw.


def test_unit_screws_in_closed_form():
    close(screws.unit_screw((0, 0, 2)), [0, 0, 1, 0, 0, 0])
    close(screws.unit_screw(Z, (1, 0, 0)), [0, 0, 1, 0, -1, 0])
    close(screws.unit_screw(Z, (1, 0, 0), pitch=0.25), [0, 0, 1, 0, -1, 0.25])
    close(screws.unit_screw((0, 3, 4), (1, 2, 3), pitch=np.inf), [0, 0, 0, 0, 0.6, 0.8])
    many = screws.unit_screw(Z, (1, 0, 0), pitch=[0, 1, np.inf])
    close(many, [[0, 0, 1, 0, -1, 0], [0, 0, 1, 0, -1, 1], [0, 0, 0, 0, 0, 1]])


@random_screws
@given(axis=axes, point=vectors, pitch=numbers, way=numbers)
def test_pitch_and_axis_come_back(axis, point, pitch, way):
    e = axis / np.linalg.norm(axis)
    S = screws.unit_screw(axis, point, pitch)
    close(screws.pitch(3.0 * S), pitch)
    direction, nearest = screws.axis_of(3.0 * S)
    close(direction, e)
    close(nearest, point - (point @ e) * e)
    close(screws.unit_screw(axis, point + way * e, pitch), S, within=1e-11)  # any point of the axis will do
    close(screws.velocity_of_point(S, point), pitch * e)  # those on the axis only slide


def test_translations_have_an_infinite_pitch():
    S = 2.0 * screws.unit_screw((0, 3, 4), pitch=np.inf)
    assert screws.pitch(S) == np.inf
    direction, point = screws.axis_of(S)
    close(direction, [0, 0.6, 0.8])
    close(point, np.zeros(3), within=0)
    close(screws.pitch([S, screws.unit_screw(X, pitch=0.5)]), [np.inf, 0.5])


@random_screws
@given(omega=vectors, velocity=vectors, point=vectors, other=vectors)
def test_twists_give_the_velocity_of_every_point(omega, velocity, point, other):
    V = screws.twist(omega, velocity, point)
    close(V[:3], omega)
    close(screws.velocity_of_point(V, point), velocity)
    close(screws.velocity_of_point(V, other), velocity + np.cross(omega, other - point), within=1e-11)
    close(screws.velocity_of_point(V, np.zeros(3)), V[3:])


@random_screws
@given(force=vectors, moment=vectors, at=vectors, omega=vectors, velocity=vectors, point=vectors)
def test_power_is_force_times_velocity_and_moment_times_omega(force, moment, at, omega, velocity, point):
    V, W = screws.twist(omega, velocity, point), screws.wrench(force, moment, at)
    close(V @ W, force @ screws.velocity_of_point(V, at) + moment @ omega, within=1e-10)


def test_a_force_acts_along_its_line():
    force, at = np.array([0.0, 0.0, 5.0]), np.array([1.0, 2.0, 7.0])
    W = screws.wrench(force, point=at)
    close(W, [10, -5, 0, 0, 0, 5])
    direction, point = screws.axis_of(screws.interchange(W))
    close(direction, Z)
    close(point, [1, 2, 0])
    close(screws.pitch(screws.interchange(W)), 0.0)
    wrung = screws.interchange(W + screws.wrench((0, 0, 0), 3.0 * Z))  # a moment along the force: a wrench proper
    close(screws.pitch(wrung), 0.6)
    close(screws.axis_of(wrung)[1], [1, 2, 0])


# Frames and motions.


@random_screws
@given(turn=vectors, p=vectors, V=sixes, W=sixes)
def test_power_does_not_depend_on_the_frame(turn, p, V, W):
    R = rotations.from_rotation_vector(turn)
    A, B = screws.adjoint(R, p), screws.coadjoint(R, p)
    close((A @ V) @ (B @ W), V @ W, within=1e-9)
    close(A.T @ B, np.eye(6), within=1e-11)


@random_screws
@given(turn=vectors, p=vectors, omega=vectors, velocity=vectors, point=vectors)
def test_adjoints_move_twists_and_wrenches_with_their_points(turn, p, omega, velocity, point):
    R = rotations.from_rotation_vector(turn)
    moved = R @ point + p
    V = screws.adjoint(R, p) @ screws.twist(omega, velocity, point)
    close(V, screws.twist(R @ omega, R @ velocity, moved), within=1e-10)
    W = screws.coadjoint(R, p) @ screws.wrench(velocity, omega, point)
    close(W, screws.wrench(R @ velocity, R @ omega, moved), within=1e-10)


@random_screws
@given(V=sixes)
def test_the_exponential_is_that_of_the_matrix(V):
    M = np.zeros((4, 4))
    M[:3, :3], M[:3, 3] = skew(V[:3]), V[3:]
    close(screws.exponential(V, 0.5), expm(0.5 * M), within=1e-11)


@random_screws
@given(axis=axes, point=vectors, pitch=numbers, angle=numbers, start=vectors)
def test_a_steady_twist_is_a_screw_motion(axis, point, pitch, angle, start):
    e = axis / np.linalg.norm(axis)
    end = screws.move(start, screws.unit_screw(axis, point, pitch), angle)
    want = point + Rotation.from_rotvec(angle * e).apply(start - point) + pitch * angle * e
    close(end, want, within=1e-11)


@random_screws
@given(V=sixes)
def test_motions_add_up_and_go_back(V):
    close(screws.exponential(V, 0.3) @ screws.exponential(V, 0.4), screws.exponential(V, 0.7), within=1e-11)
    close(screws.exponential(V, 0.3) @ screws.exponential(V, -0.3), np.eye(4), within=1e-11)


def test_translations_and_small_turns_move_rightly():
    T = screws.exponential([0, 0, 0, 1, 2, 3], 2.0)
    close(T[:3, 3], [2, 4, 6], within=0)
    close(T[:3, :3], np.eye(3), within=0)
    for size in (1e-12, 9.99e-4, 1.001e-3):
        close(screws.move((0, 0, 0), screws.unit_screw(Z, X), size), [1 - np.cos(size), -np.sin(size), 0], within=1e-16)


# The rates of joints.


def planar_arm(turns, lengths=(1.0, 0.8, 0.5)):
    """The unit screws of a planar 3R arm, and its tip: (..., 3, 6) and (..., 3)."""
    absolute = np.cumsum(turns, axis=-1)
    way = np.asarray(lengths)[:, None] * np.stack([np.cos(absolute), np.sin(absolute), 0 * absolute], axis=-1)
    pins = np.cumsum(way, axis=-2)
    points = np.concatenate([np.zeros_like(pins[..., :1, :]), pins[..., :-1, :]], axis=-2)
    return screws.unit_screw(Z, points), pins[..., -1, :]


TURNS = np.array([0.3, 0.9, -0.5])
RATES = np.array([1.2, -0.7, 2.0])


def test_a_planar_arm_forward_and_back():
    S, tip = planar_arm(TURNS)
    V = RATES @ S
    step = 1e-6
    ahead, behind = planar_arm(TURNS + step * RATES)[1], planar_arm(TURNS - step * RATES)[1]
    close(screws.velocity_of_point(V, tip), (ahead - behind) / (2 * step), within=1e-9)
    close(V[:3], RATES.sum() * Z)
    answer = screws.joint_rates(S, V)
    close(answer.rates, RATES)
    assert answer.rank == 3 and answer.unique
    assert answer.residual < 1e-13


def six_axis_arm(turns):
    """The unit screws of a 6R arm with a spherical wrist, moved from its rest pose by exponentials, and its tip."""
    rest = [
        screws.unit_screw(Z),
        screws.unit_screw(Y, (0, 0, 0.4)),
        screws.unit_screw(Y, (0.5, 0, 0.4)),
        screws.unit_screw(X, (0.9, 0, 0.4)),
        screws.unit_screw(Y, (0.9, 0, 0.4)),
        screws.unit_screw(X, (0.9, 0, 0.4)),
    ]
    pose, found = np.eye(4), []
    for S, turn in zip(rest, turns, strict=True):
        found.append(screws.adjoint(pose[:3, :3], pose[:3, 3]) @ S)
        pose = pose @ screws.exponential(S, turn)
    return np.array(found), pose @ [1.1, 0, 0.4, 1.0], pose


POSE = np.array([0.4, -0.7, 1.2, 0.3, 0.8, -0.5])


def test_a_spatial_arm_forward_and_back():
    S, tip, pose = six_axis_arm(POSE)
    speed = np.array([0.5, -1.0, 0.8, 2.0, -0.4, 1.1])
    V = speed @ S
    step = 1e-6
    (_, ahead, front), (_, behind, back) = six_axis_arm(POSE + step * speed), six_axis_arm(POSE - step * speed)
    close(screws.velocity_of_point(V, tip[:3]), (ahead - behind)[:3] / (2 * step), within=1e-8)
    close(skew(V[:3]), (front - back)[:3, :3] / (2 * step) @ pose[:3, :3].T, within=1e-8)
    answer = screws.joint_rates(S, V)
    close(answer.rates, speed, within=1e-11)
    assert answer.rank == 6 and answer.unique and answer.residual < 1e-12


def test_a_spatial_arm_in_a_singular_pose():
    stretched_wrist = POSE * [1, 1, 1, 1, 0, 1]  # the fourth axis and the sixth are one line
    S, _, _ = six_axis_arm(stretched_wrist)
    answer = screws.joint_rates(S, S.sum(axis=0))
    assert answer.rank == 5 and not answer.unique and answer.residual < 1e-12
    close(answer.rates, np.ones(6))  # the least ones: the two share their turn
    lost = screws.reciprocal(S)
    assert lost.shape == (1, 6)
    missing = screws.joint_rates(S, lost[0])
    assert missing.residual > 0.1


def test_a_stretched_planar_arm_loses_a_direction():
    S, tip = planar_arm(np.array([0.4, 0.0, 0.0]))
    radial = screws.twist((0, 0, 0), tip / np.linalg.norm(tip), tip)
    answer = screws.joint_rates(S, radial)
    assert answer.rank == 2 and not answer.unique
    close(answer.residual * answer.length, 1.0)  # nothing of the speed can be met


def test_near_a_singular_pose_the_normal_equations_fail_and_the_singular_values_do_not():
    """det(SᵀS) of this arm goes with the square of the distance: at 1e-9 from the pose it is roundoff."""
    S, _ = planar_arm(np.array([0.4, 1e-9, -1e-9]))
    V = RATES @ S
    answer = screws.joint_rates(S, V)
    assert answer.rank == 3 and answer.unique
    close(answer.rates, RATES, within=1e-5)
    normal = S @ S.T
    with np.errstate(all="ignore"):
        try:
            theirs = np.linalg.solve(normal, S @ V)
        except np.linalg.LinAlgError:
            theirs = np.full(3, np.inf)
    assert np.abs(theirs - RATES).max() > 1e-2


def in_unit(S, factor):
    return S * np.repeat([1.0, factor], 3)


@pytest.mark.parametrize("unit", [1e-6, 1e-3, 1.0, 1e3, 1e6])
def test_ranks_and_rates_do_not_depend_on_the_unit_of_length(unit):
    """A turn, a slide and a helix; and four turns of which three are independent."""
    slide = screws.unit_screw((1, 1, 0), pitch=np.inf)
    mixed = np.array([screws.unit_screw(Z, (0.2, 0, 0)), slide, screws.unit_screw(X, (0, 0.3, 0), pitch=0.1)])
    V = RATES @ mixed
    expressed = in_unit(mixed, unit)
    expressed[1] = slide  # its rate is what has the unit
    answer = screws.joint_rates(expressed, in_unit(V, unit), tolerance=1e-2)
    assert answer.rank == 3 and answer.unique
    np.testing.assert_allclose(answer.rates, RATES * [1, unit, 1], rtol=1e-11)

    pins, _ = planar_arm(TURNS)
    four = np.concatenate([pins, [screws.unit_screw(Z, (0.4, 0.1, 0))]])
    assert screws.joint_rates(in_unit(four, unit), in_unit(pins[0], unit)).rank == 3
    assert len(screws.reciprocal(in_unit(four, unit))) == 3
    assert len(screws.reciprocal(expressed)) == 3
    stretched, _ = planar_arm(np.zeros(3))
    assert screws.joint_rates(in_unit(stretched, unit), in_unit(pins[0], unit)).rank == 2


def test_roundoff_is_no_length():
    """Four axes through one point span three directions, also where the point is the origin up to roundoff."""
    noise = 1e-17 * np.random.default_rng(0).standard_normal((4, 3))
    ball = screws.unit_screw([X, Y, Z, (1, 1, 1)], noise)
    answer = screws.joint_rates(ball, screws.twist((1, 2, 3), (0, 0, 0)))
    assert answer.rank == 3 and not answer.unique and answer.length == 1.0


def test_a_translation_turned_by_roundoff_does_no_harm():
    slide = screws.unit_screw(X, pitch=np.inf) + [0, 1e-17, 0, 0, 0, 0]
    S = np.array([screws.unit_screw(Z, (0.2, 0, 0)), screws.unit_screw(Z, (0, 0.3, 0)), slide])
    answer = screws.joint_rates(S, RATES @ S)
    assert answer.rank == 3 and answer.length < 1.0
    close(answer.rates, RATES)


def test_length_decides_only_what_cannot_be_met():
    S, _ = planar_arm(TURNS)
    reachable = RATES @ S
    for length in (1e-3, 0.7, 1e3):
        close(screws.joint_rates(S, reachable, length=length).rates, RATES, within=1e-9)
    one = [screws.unit_screw(Z, X)]
    impossible = [0, 0, 1, 0, 0, 0]  # a turn about another axis, one metre away
    for length in (0.1, 1.0, 10.0):  # min of (1 - w)² + (w/length)²
        answer = screws.joint_rates(one, impossible, length=length)
        close(answer.rates, [1 / (1 + length**-2)])
        close(answer.residual, 1 / np.sqrt(1 + length**2))
        assert answer.rank == 1 and answer.unique and answer.length == length


def test_rates_over_time_are_those_of_the_moments():
    turns = TURNS + np.linspace(0, 1, 11)[:, None] * [1.0, -0.8, 0.4]
    turns[9] = [0.2, 0, 0]
    S, _ = planar_arm(turns)
    V = np.einsum("j,tjk->tk", RATES, S)
    answer = screws.joint_rates(S, V)
    assert answer.rates.shape == (11, 3) and answer.rank.shape == answer.residual.shape == answer.unique.shape == (11,)
    good = answer.unique
    assert good.tolist() == [True] * 9 + [False] + [True]
    close(answer.rates[good], np.tile(RATES, (10, 1)), within=1e-10)
    alone = screws.joint_rates(S[4], V[4], length=answer.length)
    close(alone.rates, answer.rates[4])
    fixed = screws.joint_rates(S[0], V)  # the same screws for all twists
    assert fixed.rates.shape == (11, 3)
    with pytest.raises(ValueError, match="read-only"):
        answer.rates[0] = 0.0


# What joints can carry.


def test_a_hinge_carries_forces_through_its_axis_and_moments_across_it():
    point = np.array([0.3, -0.2, 0.7])
    carried = screws.reciprocal([screws.unit_screw(Z, point)])
    close(carried @ carried.T, np.eye(5))
    forces = [screws.wrench(f, point=point) for f in (X, Y, Z)]
    moments = [screws.wrench((0, 0, 0), m) for m in (X, Y)]
    assert angles_between(carried, np.array(forces + moments)) < 1e-12
    close(carried @ screws.unit_screw(Z, point), np.zeros(5))


KNOWN = {
    "prismatic": ([screws.unit_screw(X, pitch=np.inf)], [("f", Y), ("f", Z), ("m", X), ("m", Y), ("m", Z)]),
    "cylindrical": (
        [screws.unit_screw(X), screws.unit_screw(X, pitch=np.inf)],
        [("f", Y), ("f", Z), ("m", Y), ("m", Z)],
    ),
    "spherical": ([screws.unit_screw(a) for a in (X, Y, Z)], [("f", X), ("f", Y), ("f", Z)]),
    "universal": ([screws.unit_screw(X), screws.unit_screw(Y)], [("f", X), ("f", Y), ("f", Z), ("m", Z)]),
    "planar": (
        [screws.unit_screw(Z), screws.unit_screw(X, pitch=np.inf), screws.unit_screw(Y, pitch=np.inf)],
        [("f", Z), ("m", X), ("m", Y)],
    ),
}


@pytest.mark.parametrize("joint", KNOWN)
def test_known_joints_carry_what_they_carry(joint):
    motions, loads = KNOWN[joint]
    want = np.array([screws.wrench(x) if kind == "f" else screws.wrench((0, 0, 0), x) for kind, x in loads])
    carried = screws.reciprocal(motions)
    assert len(carried) == len(want) == 6 - len(motions)
    assert angles_between(carried, want) < 1e-12


def test_a_screw_joint_carries_force_and_moment_together():
    carried = screws.reciprocal([screws.unit_screw(Z, pitch=0.2)])
    nut = screws.wrench(Z, -0.2 * Z)  # the moment that holds an axial force
    close(carried.T @ (carried @ nut), nut)
    assert abs(screws.wrench(Z) @ screws.unit_screw(Z, pitch=0.2) - 0.2) < 1e-15


def test_all_motions_carry_nothing_and_no_motion_carries_all():
    assert screws.reciprocal(np.eye(6)).shape == (0, 6)
    close(np.abs(np.linalg.det(screws.reciprocal([]))), 1.0)


@random_screws
@given(chosen=st.lists(sixes, min_size=1, max_size=5), length=st.sampled_from([0.01, 1.0, 50.0]))
def test_reciprocal_wrenches_do_no_work_and_are_all(chosen, length):
    chosen = np.array(chosen)
    sigma = np.linalg.svd(chosen, compute_uv=False)
    assume(np.linalg.norm(chosen, axis=1).min() > 0.1 and sigma[-1] > 1e-3)
    W = screws.reciprocal(np.concatenate([chosen, chosen[:1] * 2.0]), length=length)
    assert W.shape == (6 - len(chosen), 6)
    measured = W / np.repeat([length, 1.0], 3)
    close(measured @ measured.T, np.eye(len(W)))
    close(W @ chosen.T, np.zeros((len(W), len(chosen))), within=1e-11 * max(1.0, length))


# The one-step recursion.


def first_order(errors):
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert ((orders > 0.95) & (orders < 1.05)).all(), orders


def test_one_step_by_hand():
    V = np.array([[1.0, 0, 0, 0, 2, 0], [3, 0, 0, 0, 0, 0], [7, 0, 0, 0, 0, 1]])
    made = screws.one_step([0, 0, 0, 0, 0, 5], V, 0.5)
    close(made.displacement, [[0, 0, 0, 0, 0, 5], [0.5, 0, 0, 0, 1, 5], [2, 0, 0, 0, 1, 5]])
    close(made.acceleration, [[4, 0, 0, 0, -4, 0], [8, 0, 0, 0, 0, 2]])
    both = screws.one_step(np.zeros(6), np.stack([V, 2 * V]), 0.5)
    close(both.displacement[1], 2 * both.displacement[0])


def test_one_step_is_of_first_order_about_an_axis_that_stays():
    """θ = sin t about a fixed axis with pitch 0.2: V = S cos t, D = S sin t, A = -S sin t."""
    S = screws.unit_screw((1, 2, -1), (0.3, 0.1, 0.2), pitch=0.2)
    displacement, acceleration, exact = [], [], []
    for n in (50, 100, 200, 400):
        time = np.linspace(0.0, 1.5, n + 1)
        V = np.cos(time)[:, None] * S
        made = screws.one_step(np.zeros(6), V, time[1])
        displacement.append(np.abs(made.displacement - np.sin(time)[:, None] * S).max())
        acceleration.append(np.abs(made.acceleration + np.sin(time[1:])[:, None] * S).max())
        # Read as a rotation vector, D does tell the orientation, for the axis stays.
        R = rotations.from_rotation_vector(made.displacement[-1, :3])
        exact.append(np.abs(R - rotations.from_rotation_vector(np.sin(1.5) * S[:3])).max())
    for errors in (displacement, acceleration, exact):
        first_order(errors)


def test_one_step_gives_no_orientation_where_the_axis_turns():
    """R = Rz(t) Rx(2t): ω = z + 2 Rz(t) x. ∫ω dt is (2 sin t, 2 - 2 cos t, t), which is the rotation vector of another
    attitude; halving dt leads there, and not to R. Steps by the exponential lead to R."""
    end = 1.5
    R = rotations.about_z(end) @ rotations.about_x(2 * end)
    sums = np.array([2 * np.sin(end), 2 - 2 * np.cos(end), end])
    wrong, summed, right = [], [], []
    for n in (50, 100, 200, 400):
        time = np.linspace(0.0, end, n + 1)
        omega = np.stack([2 * np.cos(time), 2 * np.sin(time), np.ones(n + 1)], axis=-1)
        V = screws.twist(omega, np.zeros(3))
        D = screws.one_step(np.zeros(6), V, time[1]).displacement[-1, :3]
        summed.append(np.abs(D - sums).max())
        wrong.append(np.abs(rotations.from_rotation_vector(D) - R).max())
        pose = np.eye(4)
        for T in screws.exponential(V[:-1], time[1]):
            pose = T @ pose
        right.append(np.abs(pose[:3, :3] - R).max())
    first_order(summed)
    first_order(right)
    limit = np.abs(rotations.from_rotation_vector(sums) - R).max()
    assert limit > 0.5
    assert abs(wrong[-1] - limit) < 0.02


def test_the_linear_part_of_a_twist_is_the_path_of_no_point():
    """A disk turns about z and its centre moves along x. The centre's acceleration is zero, that of V's linear part is
    not: v belongs to another point at each moment."""
    t = sp.Symbol("t", real=True)
    omega, centre = sp.Matrix([0, 0, 2]), sp.Matrix([3 * t, 1, 0])
    v = sp.Matrix([3, 0, 0]) + centre.cross(omega)
    assert v.diff(t) != sp.zeros(3, 1)
    acceleration = v.diff(t) + omega.diff(t).cross(centre) + omega.cross(v + omega.cross(centre))
    assert sp.simplify(acceleration) == sp.zeros(3, 1)
    V = screws.twist((0, 0, 2), (3, 0, 0), (3 * 0.4, 1, 0))
    close(V[3:], np.array(v.subs(t, 0.4), dtype=float).ravel())


# Arrays over time, and what is refused.


def test_arrays_over_time_are_their_moments_one_by_one():
    rng = np.random.default_rng(5)
    a, b, c = rng.uniform(-1, 1, (3, 4, 5, 3))
    V, h = rng.uniform(-1, 1, (4, 5, 6)), rng.uniform(0.1, 1, (4, 5))
    R = rotations.from_rotation_vector(a)
    for function, arguments in (
        (screws.unit_screw, (a, b, h)),
        (screws.twist, (a, b, c)),
        (screws.wrench, (a, b, c)),
        (screws.velocity_of_point, (V, a)),
        (screws.pitch, (V,)),
        (screws.interchange, (V,)),
        (screws.adjoint, (R, b)),
        (screws.coadjoint, (R, b)),
        (screws.exponential, (V, h)),
        (screws.move, (a, V, h)),
        (lambda x: np.stack(screws.axis_of(x), axis=-1), (V,)),
    ):
        whole = function(*arguments)
        close(whole[2, 3], function(*(x[2, 3] for x in arguments)), within=1e-14)
        assert whole.shape[:2] == (4, 5)
    close(screws.adjoint(np.eye(3), b)[1, 1], screws.adjoint(np.eye(3), b[1, 1]))


PIN = screws.unit_screw(Z)
WRONG = {
    "zero axis": (lambda: screws.unit_screw((0, 0, 0)), ("zero-vector", "axis")),
    "two coordinates": (lambda: screws.unit_screw((0, 1)), ("wrong-shape", "2")),
    "nowhere": (lambda: screws.unit_screw(Z, (0, np.nan, 0)), ("not-finite",)),
    "minus infinity": (lambda: screws.unit_screw(Z, pitch=-np.inf), ("not-finite",)),
    "pitch in words": (lambda: screws.unit_screw(Z, pitch="steep"), ("not-a-number",)),
    "symbols": (lambda: screws.twist((0, 0, sp.Symbol("w")), (0, 0, 0)), ("not-a-number", "omega")),
    "times that differ": (lambda: screws.twist(np.ones((2, 3)), np.ones((3, 3))), ("shapes-do-not-fit",)),
    "pitch of rest": (lambda: screws.pitch(np.zeros(6)), ("zero-screw",)),
    "axis of rest": (lambda: screws.axis_of([PIN, 0 * PIN]), ("zero-screw",)),
    "three for six": (lambda: screws.pitch((0, 0, 1)), ("wrong-shape", "6")),
    "frame that is none": (lambda: screws.adjoint(np.ones((3, 3))), ("not-orthonormal",)),
    "mirrored frame": (lambda: screws.coadjoint(-np.eye(3)), ("left-handed",)),
    "columns": (lambda: screws.joint_rates(np.ones((6, 3)), PIN), ("screws-in-columns",)),
    "one screw": (lambda: screws.joint_rates(PIN, PIN), ("not-a-list",)),
    "no screw": (lambda: screws.joint_rates([], PIN), ("empty", "screws")),
    "ragged": (lambda: screws.joint_rates([PIN, PIN[:5]], PIN), ("unequal-shapes",)),
    "zero screw": (lambda: screws.joint_rates([PIN, 0 * PIN], PIN), ("zero-screw", "screws")),
    "no length": (lambda: screws.joint_rates([PIN], PIN, length=0.0), ("not-positive", "0.0", "length")),
    "moments of reciprocity": (lambda: screws.reciprocal(np.ones((2, 3, 6))), ("wrong-shape",)),
    "still": (lambda: screws.one_step(np.zeros(6), np.zeros((4, 6)), 0.0), ("not-positive", "0.0", "dt")),
    "one twist": (lambda: screws.one_step(np.zeros(6), PIN, 0.1), ("not-a-list",)),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_input_is_told(case):
    ask, message = WRONG[case]
    with refused(message[0], mentions=message[1:]):
        ask()
