"""Certificates of poses against true poses in 50 digits, closed forms, and poses that are none."""

import mpmath
import numpy as np
import pytest
from exact_poses import distance, true_pose
from gallery import load
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from refusals import refused

import mbs_dae as mbs
from mbs_dae.certify.certificate import certified


@pytest.fixture(autouse=True)
def _sources(interpreted_kernels):
    """Nothing here is compiled."""


def checked(system, t, q):
    """A certificate, and that it is right: the true pose lies where it says."""
    found = certified(system, t, q)
    if found.proven:
        exact = true_pose(system.cartesian, t, found.q)
        assert exact is not None
        assert distance(system.cartesian, found.q, exact) <= found.error <= found.radius
    else:
        assert found.why and found.radius == 0.0 and found.error == np.inf
    return found


def four_bar(crank=0.2, coupler=0.5, rocker=0.4, ground=0.5, side=1, angle=0.7):
    """From a crank at an angle, driven from there; and the distance of both ways to assemble it."""
    b = crank * np.array([np.cos(angle), np.sin(angle)])
    way = np.array([ground, 0.0]) - b
    d = np.linalg.norm(way)
    along = (d**2 + coupler**2 - rocker**2) / (2 * d)
    height = np.sqrt(max(coupler**2 - along**2, 0.0))
    across = np.array([-way[1], way[0]]) / d
    c = b + along * way / d + side * height * across
    points = {"A": (0, 0), "B": b, "C": c, "D": (ground, 0)}
    model = mbs.PlanarModel.from_points(points, rods={"a": "AB", "b": "BC", "c": "CD"}, fixed="AD")
    model.add(mbs.Driver("motor", mbs.angle(model.elements["A"]), angle + mbs.t))
    return model, 2 * height


@given(angle=st.floats(-3.0, 3.0), coupler=st.floats(0.3, 0.6), rocker=st.floats(0.3, 0.6))
@settings(max_examples=20, deadline=None)
def test_both_poses_of_a_four_bar_are_proven_and_proven_to_differ(angle, coupler, rocker):
    try:
        (model, apart), (other, _) = (four_bar(coupler=coupler, rocker=rocker, angle=angle, side=s) for s in (1, -1))
    except mbs.ModelError:
        assume(False)
    assume(apart > 0.02)
    states = [mbs.assemble(one) for one in (model, other)]
    up, down = (checked(s.system, s.t, s.full_q) for s in states)
    assert up.proven and down.proven and up.differs(down) and down.differs(up) and not up.agrees(down)
    assert up.error < 1e-13 and up.radius > 1e-4
    # the other pose is a pose of this model, too, with the crank where it is: no box contains both
    assert up.radius < distance(states[0].system, up.q, [mpmath.mpf(float(x)) for x in down.q])
    assert up.agrees(up)


MODELS = "slider_crank", "six_bar", "quick_return", "planetary_gear", "rack_and_pinion", "rssr"


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("t", [0.05, 0.31])
def test_models_of_the_gallery(name, t):
    state = mbs.assemble(load(name).build(), t)
    found = checked(state.system, t, state.full_q)
    assert found.proven, found


def test_the_output_of_an_rssr_linkage_by_its_closed_form():
    """The coupler as one equation; ψ in 50 digits from Freudenstein's equation in space, of the double numbers of its
    lengths."""
    model = load("rssr").build(coupler="distance")
    state = mbs.assemble(model, 0.1)
    found = checked(state.system, 0.1, state.full_q)
    with mpmath.workdps(50):
        r1, r2, l, ox, oy, oz = (mpmath.mpf(x) for x in (0.1, 0.25, 0.4, 0.15, 0.3, 0.05))
        angle = mpmath.mpf(5.0) * mpmath.mpf(0.1)
        w = [r1 * mpmath.cos(angle) - ox, r1 * mpmath.sin(angle) - oy, -oz]
        p, q, k = 2 * r2 * w[1], 2 * r2 * w[2], sum(x * x for x in w) + r2**2 - l**2
        psi = mpmath.atan2(q, p) + mpmath.acos(k / mpmath.sqrt(p * p + q * q))
        off = abs(mpmath.cos(psi) * r2 - (mpmath.mpf(state["rocker.head.y"]) - oy))
    assert found.proven and off < 2 * found.error + 1e-15


@pytest.mark.parametrize("off", [1e-3, 1e-6, 1e-7])
@pytest.mark.parametrize("name", ["four_bar", "rssr"])
def test_a_pose_that_is_none_is_not_certified(name, off):
    state = mbs.assemble(load(name).build(), 0.1)
    for k in range(0, state.system.nq, 4):
        q = state.full_q.copy()
        q[k] += off
        found = certified(state.system, 0.1, q)
        assert not found.proven and "not a pose" in found.why or "almost lose rank" in found.why


@pytest.mark.parametrize("separation", 10.0 ** -np.arange(2, 10))
def test_roots_that_almost_meet_are_told_apart_or_not_at_all(separation):
    """A crank of 1 m whose end is held at a height: two poses, half the separation beside the top. No box has both in
    it."""
    model = mbs.PlanarModel("crank")
    crank = model.body("crank")
    model.add(
        mbs.Revolute("pin", model.ground, crank),
        mbs.Driver("lift", mbs.y(crank.at(1, 0)), float(np.cos(separation / 2))),
    )
    system = model.compile()
    q = np.tile(system.placement, (2, 1))
    q[:, 2] = np.pi / 2 + 0.5 * separation * np.array([-1.0, 1.0])
    found = [certified(system, 0.0, one) for one in q]
    for one in found:
        assert not one.proven or (one.radius < separation and one.error < 0.5 * separation)
    if separation >= 1e-4:
        assert all(found) and found[0].differs(found[1])
    if separation <= 1e-8:
        assert not any(found)


def test_a_change_point_is_not_certified_and_beside_it_it_is():
    points = {"A": (0, 0), "B": (1, 1), "C": (3, 1), "D": (2, 0)}
    model = mbs.PlanarModel.from_points(points, rods={"a": "AB", "b": "BC", "c": "CD"}, fixed="AD")
    model.add(mbs.Driver("motor", mbs.angle(model.elements["A"]), np.pi / 4 - mbs.t))
    flat = np.pi / 4
    system, motion = model.compile(), mbs.kinematics(model, np.linspace(0, flat, 40))
    assert not certified(system, flat, motion.state(-1).full_q).proven
    motion = mbs.kinematics(model, np.linspace(0, flat - 1e-3, 40))
    assert checked(system, flat - 1e-3, motion.state(-1).full_q).proven


def test_rows_too_many_are_left_out_and_held_against_the_pose():
    state = mbs.assemble(load("double_parallel_crank").build(), 0.1)
    found = certified(state.system, 0.1, state.full_q)
    assert found.proven and len(found.redundant) == 1 and "1 equation of the others implied" in str(found)


def test_redundant_rows_that_contradict_the_others_are_named():
    """A rod held by two distances from the ground besides its pin: right ones, and one that is a micrometre too
    long."""
    for length, right in ((np.sqrt(0.5), True), (np.sqrt(0.5) + 1e-6, False)):
        rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.5, 0.5)}, rods={"rod": "AB"}, fixed="A")
        rod.add(mbs.Driver("motor", mbs.angle(rod.elements["A"]), np.pi / 4))
        rod.add(mbs.Distance("tie", rod.ground.at(1, 0), rod.bodies["rod"].markers["B"], length=length))
        found = certified(rod.compile(), 0.0, rod.compile().placement)
        assert found.proven is right, found
        if not right:
            assert "more equations than freedoms" in found.why


def test_freedom_left_is_refused_in_words():
    rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (1, 0)}, rods={"rod": "AB"}, fixed="A")
    with refused("undriven-freedom", freedoms=1):
        mbs.certificate(mbs.assemble(rod))
    disk = load("rolling_disk").build()
    with refused("undriven-freedom", model="rolling disk", freedoms=5):
        certified(disk.compile(), 0.0, disk.compile().placement)
    with refused("not-a-pose"):
        mbs.certificate(rod)


@pytest.mark.parametrize("coordinates", ["natural", "joint"])
def test_poses_in_other_coordinates_are_those_of_bodies(coordinates):
    model = load("slider_crank").build()
    state, system = mbs.assemble(model, 0.1), model.compile(coordinates)
    q = system.from_bodies(state.motion)[0][0]
    assert certified(system, 0.1, q).agrees(mbs.certificate(state))


def test_attitudes_with_either_sign_are_one_pose():
    state = mbs.assemble(load("rssr").build(), 0.1)
    q = state.full_q.copy()
    for first in state.system.layout.quaternions[:, 0]:
        q[first : first + 4] *= -1
    one, other = mbs.certificate(state), certified(state.system, 0.1, q)
    assert one.proven and other.proven and one.agrees(other) and not one.differs(other)


@pytest.mark.parametrize("name", ["slider_crank", "rssr"])
def test_candidates_off_by_any_little_are_told_how_far_or_refused(name):
    """The distance to the true pose, in 50 digits, is never more than the certificate says; none off by more than a
    hundred-millionth of the length is one."""
    state = mbs.assemble(load(name).build(), 0.2)
    system, random = state.system, np.random.default_rng(4)
    for off in 10.0 ** -np.arange(3.0, 15.0):
        q = state.full_q.copy()
        q[: system.nq] += off * random.uniform(-1, 1, system.nq)
        found = checked(system, 0.2, q)
        if off > 1e-7:
            assert not found.proven
        if off < 1e-10:
            assert found.proven


def test_only_certificates_of_the_same_bodies_are_compared():
    proof = mbs.certificate(mbs.assemble(load("four_bar").build()))
    for other in ("x", None, mbs.assemble(load("four_bar").build())):
        with refused("not-a-certificate"):
            proof.agrees(other)
    with refused("unequal-bodies", model="four-bar"):
        proof.differs(mbs.certificate(mbs.assemble(load("slider_crank").build())))


@pytest.mark.parametrize("word", ["no", None, 1])
def test_certify_is_true_or_false(word):
    with refused("not-true-or-false"):
        mbs.kinematics(load("four_bar").build(), [0.0, 0.1], certify=word)
