"""Rotations: every way to say one against every other, against scipy, and rates against derivatives of the matrices."""

from functools import cache

import numpy as np
import pytest
import sympy as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from refusals import refused
from scipy.spatial.transform import Rotation

from mbs_dae import rotations
from mbs_dae.errors import ModelError, SingularConfigurationError

random_turns = settings(max_examples=60, deadline=None, derandomize=True, database=None)
t = sp.Symbol("t", real=True)
pi = np.pi


def floats(low, high):
    return st.floats(low, high, allow_subnormal=False)


angles = floats(-7.0, 7.0)
triples = st.tuples(angles, angles, angles)
axes = st.tuples(*[floats(-1.0, 1.0)] * 3).filter(lambda a: np.linalg.norm(a) > 1e-3)
quaternions = st.tuples(*[floats(-1.0, 1.0)] * 4).filter(lambda e: np.linalg.norm(e) > 1e-3)
rates = st.tuples(*[floats(-5.0, 5.0)] * 3)


def close(a, b, within=1e-12):
    assert np.shape(a) == np.shape(b)
    np.testing.assert_allclose(a, b, rtol=0, atol=within)


def is_rotation(R):
    close(np.swapaxes(R, -1, -2) @ R, np.broadcast_to(np.eye(3), R.shape))
    close(np.linalg.det(R), np.ones(R.shape[:-2]))


def scipy_quaternion(e):
    return Rotation.from_quat(np.roll(e, -1, axis=-1))  # theirs ends with the scalar


# Matrices.


def test_a_turn_takes_body_axes_to_world_axes():
    quarter = pi / 2
    close(rotations.about_x(quarter) @ [0, 1, 0], [0, 0, 1])
    close(rotations.about_y(quarter) @ [0, 0, 1], [1, 0, 0])
    close(rotations.about_z(quarter) @ [1, 0, 0], [0, 1, 0])
    close(rotations.about((1, 1, 1), 2 * pi / 3) @ [1, 0, 0], [0, 1, 0])


@random_turns
@given(axis=axes, angle=angles)
def test_axis_and_angle_agree_with_scipy(axis, angle):
    n = np.array(axis) / np.linalg.norm(axis)
    want = Rotation.from_rotvec(n * angle).as_matrix()
    close(rotations.about(axis, angle), want)
    close(rotations.from_rotation_vector(n * angle), want)
    close(rotations.from_quaternion([np.cos(angle / 2), *np.sin(angle / 2) * n]), want)


@random_turns
@given(angles=triples)
def test_angles_agree_with_scipy_and_with_products(angles):
    close(rotations.euler(*angles), Rotation.from_euler("ZXZ", angles).as_matrix())
    close(rotations.bryant(*angles), Rotation.from_euler("XYZ", angles).as_matrix())
    a, b, c = angles
    close(rotations.euler(a, b, c), rotations.about_z(a) @ rotations.about_x(b) @ rotations.about_z(c))
    close(rotations.bryant(a, b, c), rotations.about_x(a) @ rotations.about_y(b) @ rotations.about_z(c))


@random_turns
@given(e=quaternions, f=quaternions)
def test_quaternions_agree_with_scipy(e, f):
    close(rotations.from_quaternion(e), scipy_quaternion(e).as_matrix())
    product = rotations.multiply(e, f)
    close(rotations.from_quaternion(product), rotations.from_quaternion(e) @ rotations.from_quaternion(f))
    close(np.linalg.norm(product), np.linalg.norm(e) * np.linalg.norm(f))


def test_quaternion_units():
    one, i, j, k = np.eye(4)
    close(rotations.multiply(i, j), k)
    close(rotations.multiply(j, i), -k)
    close(rotations.multiply(i, i), -one)
    close(rotations.from_quaternion(one), np.eye(3))
    close(rotations.from_quaternion([1, 0, 0, 1]), [[0, -1, 0], [1, 0, 0], [0, 0, 1]], within=0)


@pytest.mark.parametrize("scale", [1e-200, 1e-9, 3.0, 1e200])
def test_the_length_of_axis_and_quaternion_does_not_count(scale):
    axis, e = np.array([1.0, -2.0, 0.5]), np.array([0.3, 1.0, -2.0, 0.5])
    close(rotations.about(axis * scale, 0.7), rotations.about(axis, 0.7))
    close(rotations.from_quaternion(e * scale), rotations.from_quaternion(e))


@pytest.mark.parametrize("size", [0.0, 1e-150, 1e-12, 1e-8, 9.99e-4, 1.001e-3, 0.1])
def test_a_small_rotation_vector_keeps_all_digits(size):
    v = size * np.array([0.6, 0.0, 0.8])
    R = rotations.from_rotation_vector(v)
    is_rotation(R)
    back = rotations.rotation_vector(R)
    np.testing.assert_allclose(back, v, rtol=4e-15, atol=0)


# From matrices.


def attitudes():
    """Random ones, all half turns about axes of every kind, and their neighbours."""
    random = Rotation.random(300, random_state=1).as_rotvec()
    signs = np.array([(x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1) if (x, y, z) != (0, 0, 0)])
    halves = signs / np.linalg.norm(signs, axis=1, keepdims=True)
    near = [halves * (pi - gap) for gap in (0.0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3)]
    tiny = [halves * size for size in (1e-300, 1e-16, 1e-9, 1e-3)]
    return np.concatenate([random, *near, *tiny, np.zeros((1, 3))])


def test_matrices_survive_every_way_round():
    R = rotations.from_rotation_vector(attitudes())
    is_rotation(R)
    e = rotations.quaternion(R)
    close(np.linalg.norm(e, axis=-1), np.ones(len(R)))
    assert (e[:, 0] >= 0).all()
    close(rotations.from_quaternion(e), R)
    close(rotations.from_rotation_vector(rotations.rotation_vector(R)), R)
    axis, angle = rotations.axis_angle(R)
    close(np.linalg.norm(axis, axis=-1), np.ones(len(R)))
    assert (angle >= 0).all() and (angle <= pi).all()
    close(rotations.about(axis, angle), R)


@random_turns
@given(v=st.tuples(*[floats(-1.8, 1.8)] * 3))
def test_rotation_vectors_shorter_than_half_a_turn_come_back(v):
    close(rotations.rotation_vector(rotations.from_rotation_vector(v)), np.array(v))


@random_turns
@given(e=quaternions)
def test_quaternions_come_back_at_length_one_with_a_positive_scalar(e):
    e = np.array(e) / np.linalg.norm(e)
    assume(abs(e[0]) > 1e-9)
    close(rotations.quaternion(rotations.from_quaternion(e)), e * np.sign(e[0]))


def test_half_turns_choose_the_positive_axis():
    close(rotations.quaternion(np.diag([-1, -1, 1])), [0, 0, 0, 1], within=0)
    axis, angle = rotations.axis_angle(np.diag([1, -1, -1]))
    close(axis, [1, 0, 0], within=0)
    close(angle, pi, within=0)


def test_no_turn_is_about_z_by_zero():
    axis, angle = rotations.axis_angle(np.eye(3))
    close(axis, [0, 0, 1], within=0)
    close(angle, 0.0, within=0)
    close(rotations.rotation_vector(np.eye(3)), np.zeros(3), within=0)


principal = floats(-3.14, 3.14)


@random_turns
@given(first=principal, middle=floats(0.05, 3.09), last=principal)
def test_angles_come_back_within_their_ranges(first, middle, last):
    # A matrix that is right to 1e-16 tells the outer angles to 1e-16 / sin(middle).
    euler = (first, middle, last)
    close(rotations.euler_angles(rotations.euler(*euler)), np.array(euler))
    bryant = (first, middle - pi / 2, last)
    close(rotations.bryant_angles(rotations.bryant(*bryant)), np.array(bryant))


@random_turns
@given(angles=triples)
def test_other_triples_come_back_as_the_same_attitude(angles):
    assume(abs(np.sin(angles[1])) > 1e-3 and abs(np.cos(angles[1])) > 1e-3)
    R = rotations.euler(*angles)
    close(rotations.euler(*rotations.euler_angles(R)), R)
    R = rotations.bryant(*angles)
    close(rotations.bryant(*rotations.bryant_angles(R)), R)


def test_angles_near_a_singular_attitude_are_still_right():
    R = rotations.euler(0.3, 1e-6, 0.5)
    psi, theta, phi = rotations.euler_angles(R)
    assert abs(theta - 1e-6) < 1e-15 and abs(psi - 0.3) < 1e-9 and abs(phi - 0.5) < 1e-9


# Rates, against derivatives of symbolic matrices: exact.

MOTION = (0.3 + 0.7 * t, 1.1 - 0.4 * t**2, sp.sin(t) - 0.2)
TURNING = (sp.cos(t), 0.4 * t, 1 - t / 3, sp.sin(2 * t))
AXIS = (sp.cos(t), 1 + t, sp.sin(t) - 0.5)


def at(expression, moment):
    return np.array(sp.Matrix(expression).subs(t, moment).evalf(20).tolist(), dtype=float).squeeze()


def omega_of(R, axes, moment):
    """By the definition, from the derivative of the matrix."""
    skew = R.T * R.diff(t) if axes == "body" else R.diff(t) * R.T
    W = at(skew, moment)
    close(W, -W.T)
    return np.array([W[2, 1], W[0, 2], W[1, 0]])


KINDS = {
    "euler": (lambda x: rotations.euler(*x), MOTION, rotations.euler_omega, rotations.euler_rates),
    "bryant": (lambda x: rotations.bryant(*x), MOTION, rotations.bryant_omega, rotations.bryant_rates),
    "quaternion": (rotations.from_quaternion, TURNING, rotations.quaternion_omega, None),
    "rotation vector": (
        rotations.from_rotation_vector,
        MOTION,
        rotations.rotation_vector_omega,
        rotations.rotation_vector_rates,
    ),
}


@cache
def matrix_along(kind):
    to_matrix, motion, *_ = KINDS[kind]
    return to_matrix(motion)


@pytest.mark.parametrize("moment", [-0.8, 0.25, 1.3])
@pytest.mark.parametrize("axes", ["body", "world"])
@pytest.mark.parametrize("kind", KINDS)
def test_rates_are_those_of_the_matrix(kind, axes, moment):
    R, (_, motion, to_omega, to_rates) = matrix_along(kind), KINDS[kind]
    values, derivatives = at(motion, moment), at(sp.Matrix(motion).diff(t), moment)
    omega = omega_of(R, axes, moment)
    close(to_omega(values, derivatives, axes=axes), omega)
    if to_rates:
        close(to_rates(values, omega, axes=axes), derivatives)


@pytest.mark.parametrize("axes", ["body", "world"])
def test_rates_of_an_axis_that_moves(axes):
    angle = sp.Rational(1, 2) + t**2
    R, moment = rotations.about(AXIS, angle), 0.7
    omega = omega_of(R, axes, moment)
    n, dn, a, da = (at(x, moment) for x in (AXIS, sp.Matrix(AXIS).diff(t), [angle], [sp.diff(angle, t)]))
    close(rotations.axis_angle_omega(n, a, dn, da, axes=axes), omega)
    unit = sp.Matrix(AXIS) / sp.sqrt(sum(x**2 for x in AXIS))
    rate, spin = rotations.axis_angle_rates(n, a, omega, axes=axes)
    close(rate, at(unit.diff(t), moment))
    close(spin, da)


@random_turns
@given(angles=triples, omega=rates, axes=st.sampled_from(["body", "world"]))
def test_omega_comes_back_from_angles(angles, omega, axes):
    assume(abs(np.sin(angles[1])) > 1e-2 and abs(np.cos(angles[1])) > 1e-2)
    omega = np.array(omega)
    for kind in ("euler", "bryant"):
        to_rates, to_omega = getattr(rotations, f"{kind}_rates"), getattr(rotations, f"{kind}_omega")
        close(to_omega(angles, to_rates(angles, omega, axes), axes), omega, within=1e-11)


@random_turns
@given(e=quaternions, omega=rates, axes=st.sampled_from(["body", "world"]))
def test_omega_comes_back_from_a_quaternion_and_its_length_stays(e, omega, axes):
    rate = rotations.quaternion_rates(e, omega, axes)
    close(rotations.quaternion_omega(e, rate, axes), np.array(omega))
    close(np.dot(e, rate), 0.0)
    stretching = rate + 3.0 * np.array(e)
    close(rotations.quaternion_omega(e, stretching, axes), np.array(omega), within=1e-11)


@random_turns
@given(v=triples, omega=rates, axes=st.sampled_from(["body", "world"]))
def test_omega_comes_back_from_a_rotation_vector(v, omega, axes):
    assume(np.linalg.norm(v) < 1e-3 or abs(np.sin(np.linalg.norm(v) / 2)) > 1e-2)
    rate = rotations.rotation_vector_rates(v, omega, axes)
    close(rotations.rotation_vector_omega(v, rate, axes), np.array(omega), within=1e-11)


@pytest.mark.parametrize("size", [0.0, 1e-9, 9.99e-4, 1.001e-3])
def test_rates_of_a_small_rotation_vector(size):
    """To third order in v: ω = v̇ - v x v̇ / 2! + v x (v x v̇) / 3! - v x (v x (v x v̇)) / 4! in body axes."""
    v, dv = size * np.array([0.6, -0.8, 0.0]), np.array([1.0, 2.0, -3.0])
    once = np.cross(v, dv)
    twice = np.cross(v, once)
    want = dv - once / 2 + twice / 6 - np.cross(v, twice) / 24
    close(rotations.rotation_vector_omega(v, dv), want, within=1e-12)
    close(rotations.rotation_vector_rates(v, want), dv, within=1e-12)


@random_turns
@given(angles=triples, speeds=rates)
def test_world_axes_are_body_axes_turned(angles, speeds):
    e = rotations.quaternion(rotations.euler(*angles))
    for R, of, x in (
        (rotations.euler(*angles), rotations.euler_omega, angles),
        (rotations.bryant(*angles), rotations.bryant_omega, angles),
        (rotations.from_rotation_vector(angles), rotations.rotation_vector_omega, angles),
        (rotations.from_quaternion(e), rotations.quaternion_omega, e),
    ):
        dx = (*speeds, 0.7)[: len(x)]
        close(R @ of(x, dx), of(x, dx, axes="world"), within=1e-11)


# Singular attitudes are reported.


@pytest.mark.parametrize("theta", [0.0, pi, -pi, 1e-12])
def test_euler_angles_are_singular_where_the_node_is_lost(theta):
    for ask in (
        lambda: rotations.euler_angles(rotations.euler(0.3, theta, 0.2)),
        lambda: rotations.euler_rates((0.3, theta, 0.2), (1, 2, 3)),
        lambda: rotations.euler_rates((0.3, theta, 0.2), (1, 2, 3), axes="world"),
    ):
        with refused("singular-angle", SingularConfigurationError, angle="theta") as e:
            ask()
        assert e.value.angle == "theta" and e.value.index == ()


@pytest.mark.parametrize("phi2", [pi / 2, -pi / 2])
def test_bryant_angles_are_singular_at_a_right_angle(phi2):
    for ask in (
        lambda: rotations.bryant_angles(rotations.bryant(0.3, phi2, 0.2)),
        lambda: rotations.bryant_rates((0.3, phi2, 0.2), (1, 2, 3)),
        lambda: rotations.bryant_rates((0.3, phi2, 0.2), (1, 2, 3), axes="world"),
    ):
        with refused("singular-angle", SingularConfigurationError, angle="phi2") as e:
            ask()
        assert e.value.angle == "phi2"


def test_omega_exists_where_rates_do_not():
    close(rotations.euler_omega((0.0, 0.0, 0.0), (1.0, 2.0, 3.0)), [2.0, 0.0, 4.0])
    close(rotations.bryant_omega((0.0, pi / 2, 0.0), (1.0, 2.0, 3.0)), [0.0, 2.0, 4.0])
    close(rotations.rotation_vector_omega((0, 0, 2 * pi), (0, 0, 1.5)), [0, 0, 1.5])


def test_a_full_turn_and_a_lost_axis_are_reported():
    with refused("singular-angle", SingularConfigurationError, angle="length"):
        rotations.rotation_vector_rates((0.0, 2 * pi, 0.0), (1.0, 0.0, 0.0))
    for angle in (0.0, 2 * pi):
        with refused("singular-angle", SingularConfigurationError, angle="angle"):
            rotations.axis_angle_rates((0, 0, 1), angle, (1, 0, 0))


def test_the_moment_of_a_singular_attitude_is_told():
    theta = np.array([1.0, 0.5, 0.0, 0.5])
    with refused("singular-angle", SingularConfigurationError, index=[2]) as e:
        rotations.euler_angles(rotations.euler(0.1, theta, 0.2))
    assert e.value.index == (2,)
    with pytest.raises(SingularConfigurationError):
        rotations.euler_rates((t, sp.pi, 0), (1, 0, 0))


# Arrays over time, and expressions.


def test_arrays_over_time_are_their_moments_one_by_one():
    rng = np.random.default_rng(3)
    a, b = rng.uniform(-1, 1, (2, 4, 5, 3))
    e = rng.uniform(-1, 1, (4, 5, 4))
    angle = rng.uniform(0.5, 1.5, (4, 5))
    cases = [
        (rotations.about, (a, angle)),
        (rotations.about_x, (angle,)),
        (rotations.about_y, (angle,)),
        (rotations.about_z, (angle,)),
        (rotations.from_rotation_vector, (a,)),
        (rotations.from_quaternion, (e,)),
        (rotations.multiply, (e, e[::-1])),
        (rotations.euler, (angle, angle, angle)),
        (rotations.bryant, (angle, angle, angle)),
        (rotations.frame, (a, b)),
        (rotations.frame, (a,)),
        (rotations.euler_rates, (a, b)),
        (rotations.bryant_omega, (a, b)),
        (rotations.quaternion_rates, (e, a)),
        (rotations.rotation_vector_rates, (a, b)),
        (rotations.axis_angle_omega, (a, angle, b, angle)),
    ]
    for R in (rotations.from_rotation_vector(a),):
        back = (rotations.quaternion, rotations.rotation_vector, rotations.euler_angles, rotations.bryant_angles)
        cases += [(f, (R,)) for f in back]
    for function, arguments in cases:
        whole = function(*arguments)
        one = function(*(x[2, 3] for x in arguments))
        close(whole[2, 3], one, within=1e-14)
        assert whole.shape[:2] == (4, 5)


def test_one_axis_serves_many_angles():
    turn = np.linspace(0, 1, 7)
    close(rotations.about((0, 0, 1), turn), rotations.about_z(turn))
    close(rotations.euler(turn, 0.3, 0.0)[4], rotations.euler(turn[4], 0.3, 0.0))


@pytest.mark.parametrize(
    "make",
    [
        lambda x: rotations.about_x(x),
        lambda x: rotations.about_y(x),
        lambda x: rotations.about_z(x),
        lambda x: rotations.about((1, -2.0, 0.5), x),
        lambda x: rotations.from_rotation_vector((x, 2 * x, -x)),
        lambda x: rotations.from_rotation_vector((x, x**2, 1.0)),
        lambda x: rotations.from_quaternion((1, x, 0.0, x**2)),
        lambda x: rotations.euler(x, x**2, 1.0),
        lambda x: rotations.bryant(x, 0.5, x**2),
    ],
)
def test_expressions_give_the_matrix_of_numbers(make):
    symbolic = make(t)
    assert isinstance(symbolic, sp.ImmutableMatrix) and symbolic.free_symbols == {t}
    close(at(symbolic, 0.7), make(0.7))


def test_expressions_stay_exact_and_simple():
    assert rotations.about((0.0, 0, 2), t) == rotations.about_z(t)
    assert rotations.from_rotation_vector((0, 0, t)) == rotations.about_z(t)  # no sqrt(t²), smooth at 0
    assert rotations.about_x(sp.pi / 2) == sp.Matrix([[1, 0, 0], [0, 0, -1], [0, 1, 0]])
    assert rotations.from_rotation_vector((sp.S.Zero, 0, 0)) == sp.eye(3)
    e = (sp.cos(t / 2), 0, 0, sp.sin(t / 2))
    assert sp.simplify(rotations.from_quaternion(e) - rotations.about_z(t)) == sp.zeros(3)
    assert sp.simplify(rotations.quaternion_omega(e, [sp.diff(x, t) for x in e])) == sp.Matrix([0, 0, 1])
    assert rotations.multiply((0, 1, 0, 0), (0, t, 0, 0)) == sp.Matrix([-t, 0, 0, 0])


# What may be given for an orientation.


def test_orientations_are_taken_as_they_come():
    R = rotations.euler(0.3, 0.7, -1.1)
    e = rotations.quaternion(R)
    for given_as in (R, R.tolist(), sp.Matrix(R), e, tuple(-3 * e), Rotation.from_matrix(R)):
        close(rotations.rotation_matrix(given_as), R, within=1e-14)
    close(rotations.rotation_matrix(np.stack([R, R.T])), np.stack([R, R.T]), within=0)
    close(rotations.rotation_matrix(np.stack([e, e, e])), np.stack([R, R, R]), within=1e-14)
    close(rotations.rotation_matrix(rotations.about_z(sp.pi / 2)), rotations.about_z(pi / 2), within=1e-15)


def test_matrices_of_expressions_pass():
    R = rotations.about_z(t)
    rows = [[sp.cos(t), -sp.sin(t), 0], [sp.sin(t), sp.cos(t), 0], [0, 0, 1]]
    for given_as in (R, sp.Matrix(R), rows, np.array(rows)):
        assert rotations.rotation_matrix(given_as) == R
    e = (sp.cos(t), 0, 0, sp.sin(t))
    assert rotations.rotation_matrix(e) == rotations.rotation_matrix(sp.Matrix(e)) == rotations.from_quaternion(e)


REFUSED = {
    "a reflection": (np.diag([1, 1, -1]), "left-handed frame .* turn one of its axes round or swap two of them$"),
    "a swap": (np.eye(3)[[1, 0, 2]], "left-handed frame"),
    "a shear": ([[1, 1e-8, 0], [0, 1, 0], [0, 0, 1]], "not orthonormal, RᵀR is off the identity by 1e-08"),
    "a scaling": (2 * np.eye(3), "not orthonormal"),
    "one bad moment": (np.stack([np.eye(3), 2 * np.eye(3)]), "not orthonormal"),
    "not a number": (np.full((3, 3), np.nan), "not finite"),
    "three angles": ((0.1, 0.2, 0.3), r"the shape \(3,\); give a 3x3 matrix or a quaternion"),
    "a plane rotation": (np.eye(2), r"the shape \(2, 2\)"),
    "zero quaternion": ((0, 0, 0, 0), r"zero quaternion; no rotation is \(1, 0, 0, 0\), scalar first"),
    "an exact reflection": (sp.diag(1, 1, -1), "left-handed"),
    "text": ("xyz", "must be made of real numbers"),
    "an expression": (t, "give a 3x3 matrix"),
    "three expressions": ([t, 0, 0], "give a 3x3 matrix"),
    "complex": (np.eye(3) * 1j, "must be made of real numbers"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_orientation_is_refused(case):
    value, message = REFUSED[case]
    with pytest.raises(ModelError, match=f"^the frame of the arm.*{message}"):
        rotations.rotation_matrix(value, "the frame of the arm")


WRONG = {
    "zero axis": (lambda: rotations.about((0, 0, 0), 1.0), ("zero-vector",)),
    "zero axis, symbolic": (lambda: rotations.about((0, 0, 0), t), ("zero-vector",)),
    "zero at one moment": (lambda: rotations.about([[0, 0, 1], [0, 0, 0]], 1.0), ("zero-vector",)),
    "infinite angle": (lambda: rotations.about_x(np.inf), ("not-finite",)),
    "infinite expression": (lambda: rotations.about_x(sp.oo), ("not-finite",)),
    "two entries": (lambda: rotations.about((0, 1), 1.0), ("wrong-shape", "2", "3")),
    "two expressions": (lambda: rotations.about((t, 1), 1.0), ("wrong-length", "3")),
    "times that differ": (
        lambda: rotations.euler([1, 2], [1, 2, 3], 0),
        ("shapes-do-not-fit", "2", "3", "psi", "theta", "phi"),
    ),
    "array and expression": (lambda: rotations.euler([1, 2], t, 0), ("arrays-with-expressions",)),
    "unknown axes": (
        lambda: rotations.euler_omega((1, 2, 3), (1, 2, 3), axes="local"),
        ("unknown-choice", "body", "world"),
    ),
    "zero quaternion": (lambda: rotations.quaternion_rates((0, 0, 0, 0), (1, 2, 3)), ("zero-vector",)),
    "symbols for numbers": (lambda: rotations.quaternion(rotations.about_x(t)), ("needs-numbers", "t")),
    "vector of symbols": (lambda: rotations.rotation_vector_rates((t, 0, 0), (1, 0, 0)), ("needs-numbers",)),
    "reflection": (lambda: rotations.euler_angles(-np.eye(3)), ("left-handed",)),
    "frame of zero": (lambda: rotations.frame((0, 0, 0)), ("zero-vector",)),
    "frame with parallel x": (lambda: rotations.frame((0, 1, 2), (0, -2, -4)), ("parallel-axes",)),
    "frame with zero x": (lambda: rotations.frame((0, 1, 2), (0, 0, 0)), ("zero-vector",)),
    "frame of symbols": (lambda: rotations.frame((0, t, 1)), ("needs-numbers",)),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_input_is_told(case):
    ask, message = WRONG[case]
    with refused(message[0], mentions=message[1:]):
        ask()


# Frames.


@random_turns
@given(axis=axes, x_axis=axes)
def test_a_frame_has_its_axis_and_the_x_asked_for(axis, x_axis):
    axis, x_axis = np.array(axis), np.array(x_axis)
    normal = np.cross(axis, x_axis)
    assume(np.linalg.norm(normal) > 1e-6)
    R = rotations.frame(axis, x_axis)
    is_rotation(R)
    close(R[:, 2], axis / np.linalg.norm(axis))
    assert R[:, 0] @ x_axis > 0
    close(R[:, 1] @ x_axis, 0.0)


@random_turns
@given(axis=axes)
def test_the_frame_of_an_axis_is_the_shortest_turn(axis):
    axis = np.array(axis) / np.linalg.norm(axis)
    R = rotations.frame(axis)
    is_rotation(R)
    close(R[:, 2], axis)
    _, angle = rotations.axis_angle(R)
    close(np.cos(angle), axis[2])


def test_an_x_that_is_nearly_parallel_still_makes_a_frame():
    axis = np.array([1.0, 2.0, 3.0]) / np.sqrt(14)
    is_rotation(rotations.frame(axis, axis + [1e-8, 0, 0]))


def test_frames_of_the_world_axes_are_exact():
    assert (rotations.frame((0, 0, 5)) == np.eye(3)).all()
    assert (rotations.frame((0, 0, -1)) == np.diag([1, -1, -1])).all()
    assert (rotations.frame((1, 0, 0)) == [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]).all()
    assert (rotations.frame((0, 1, 0)) == [[1, 0, 0], [0, 0, 1], [0, -1, 0]]).all()
    assert (rotations.frame((1, 0, 0), x_axis=(0, 1, 0)) == [[0, 0, 1], [1, 0, 0], [0, 1, 0]]).all()


def test_frames_change_smoothly_and_roundoff_does_not_choose_them():
    around = np.linspace(0, 2 * pi, 2001)
    for tilt in (0.3, pi / 2, 2.9):
        axis = np.stack([np.sin(tilt) * np.cos(around), np.sin(tilt) * np.sin(around), np.cos(tilt) + 0 * around], -1)
        R = rotations.frame(axis)
        assert np.abs(np.diff(R, axis=0)).max() < 3 * (around[1] - around[0])
    down = np.array([[1e-16, 0, -1], [-1e-16, 1e-17, -1], [0, -1e-16, -1]])
    close(rotations.frame(down), np.broadcast_to(np.diag([1.0, -1.0, -1.0]), (3, 3, 3)))
    near = rotations.frame([np.sin(1e-6), 0, -np.cos(1e-6)])
    is_rotation(near)


# What the lecture notes print, entry by entry: Euler angles rightly, three entries of the Bryant angles wrongly.

psi, theta, phi, phi1, phi2, phi3 = sp.symbols("psi theta phi phi1 phi2 phi3", real=True)
c, s = sp.cos, sp.sin

PRINTED_EULER = sp.Matrix(
    [
        [
            c(psi) * c(phi) - s(psi) * c(theta) * s(phi),
            -c(psi) * s(phi) - s(psi) * c(theta) * c(phi),
            s(psi) * s(theta),
        ],
        [
            s(psi) * c(phi) + c(psi) * c(theta) * s(phi),
            -s(psi) * s(phi) + c(psi) * c(theta) * c(phi),
            -c(psi) * s(theta),
        ],
        [s(theta) * s(phi), s(theta) * c(phi), c(theta)],
    ]
)
PRINTED_EULER_OMEGA = sp.Matrix([[s(theta) * s(phi), c(phi), 0], [s(theta) * c(phi), -s(phi), 0], [c(theta), 0, 1]])
PRINTED_BRYANT = sp.Matrix(
    [
        [c(phi2) * c(phi3), -c(phi2) * s(phi3), s(phi2)],
        [
            c(phi1) * s(phi3) + s(phi1) * s(phi2) * c(phi3),
            c(phi1) * c(phi3) + s(phi1) * s(phi2) * s(phi3),
            -s(phi1) * c(phi2),
        ],
        [
            s(phi1) * s(phi3) + c(phi1) * s(phi2) * c(phi3),
            s(phi1) * c(phi3) + c(phi1) * s(phi2) * s(phi3),
            c(phi1) * c(phi2),
        ],
    ]
)
PRINTED_BRYANT_OMEGA = sp.Matrix([[c(phi1) * c(phi3), s(phi3), 0], [-c(phi2) * s(phi3), c(phi3), 0], [s(phi2), 0, 1]])


def derived_omega(R, variables):
    """The matrix that takes the rates to ω in body axes: its columns are the axes of [Rᵀ ∂R/∂angle]."""
    columns = []
    for variable in variables:
        skew = R.T * R.diff(variable)
        columns.append(sp.Matrix([skew[2, 1], skew[0, 2], skew[1, 0]]))
    return sp.simplify(sp.Matrix.hstack(*columns))


def wrong_entries(printed, right):
    return {
        (i + 1, j + 1): sp.simplify(printed[i, j] - right[i, j])
        for i in range(3)
        for j in range(3)
        if sp.simplify(printed[i, j] - right[i, j]) != 0
    }


def test_the_euler_formulas_of_the_notes_are_right():
    right = rotations.about_z(psi) * rotations.about_x(theta) * rotations.about_z(phi)
    assert wrong_entries(PRINTED_EULER, right) == {}
    assert wrong_entries(PRINTED_EULER_OMEGA, derived_omega(right, (psi, theta, phi))) == {}
    assert rotations.euler(psi, theta, phi) == PRINTED_EULER


def test_the_bryant_matrix_of_the_notes_has_two_wrong_signs():
    right = rotations.about_x(phi1) * rotations.about_y(phi2) * rotations.about_z(phi3)
    assert wrong_entries(rotations.bryant(phi1, phi2, phi3), right) == {}
    assert wrong_entries(PRINTED_BRYANT, right) == {
        (2, 2): 2 * s(phi1) * s(phi2) * s(phi3),
        (3, 1): 2 * c(phi1) * s(phi2) * c(phi3),
    }
    printed = np.array(PRINTED_BRYANT.subs({phi1: 0.4, phi2: 0.5, phi3: 0.6}), dtype=float)
    assert np.abs(printed.T @ printed - np.eye(3)).max() > 0.1
    with refused("not-orthonormal", argument="the rotation"):
        rotations.rotation_matrix(printed)


@pytest.mark.slow
def test_the_bryant_rates_of_the_notes_have_a_wrong_entry():
    variables = (phi1, phi2, phi3)
    right = derived_omega(rotations.bryant(*variables), variables)
    assert wrong_entries(PRINTED_BRYANT_OMEGA, right) == {(1, 1): sp.simplify((c(phi1) - c(phi2)) * c(phi3))}
    speeds = sp.symbols("a b c", real=True)
    assert sp.expand(rotations.bryant_omega(variables, speeds) - right * sp.Matrix(speeds)) == sp.zeros(3, 1)
    # In numbers: the printed ω is not the derivative of the attitude.
    values, rate, step = np.array([0.4, 1.0, 0.6]), np.array([1.0, 0.0, 0.0]), 1e-6
    R = rotations.bryant(*values)
    change = (rotations.bryant(*(values + step * rate)) - rotations.bryant(*(values - step * rate))) / (2 * step)
    W = R.T @ change
    omega = np.array([W[2, 1], W[0, 2], W[1, 0]])
    close(rotations.bryant_omega(values, rate), omega, within=1e-9)
    printed = np.array(PRINTED_BRYANT_OMEGA.subs(dict(zip(variables, values, strict=True))), dtype=float) @ rate
    assert np.abs(printed - omega).max() > 0.1
