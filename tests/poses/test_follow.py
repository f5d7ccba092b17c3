"""One-dimensional motions by arc length: limits, laps, branch points, ends, and what is refused."""

import contextlib
import copy
import pickle

import numpy as np
import pytest
from gallery import load
from refusals import refused

import mbs_dae as mbs


def four_bar(a, b, c, f, angle, sign=1, P=None):
    """Crank a, coupler b, rocker c, ground f; with the crank at an angle, in one of its two modes."""
    model = mbs.PlanarModel("four-bar")
    B, D = a * np.array([np.cos(angle), np.sin(angle)]), np.array([f, 0.0])
    d = np.hypot(*(D - B))
    along, across = (D - B) / d, np.array([B[1], f - B[0]]) / d
    x = (b * b - c * c + d * d) / (2 * d)
    C = B + x * along + sign * np.sqrt(b * b - x * x) * across
    crank, coupler = model.link("crank", (0, 0), tuple(B)), model.link("coupler", tuple(B), tuple(C))
    rocker = model.link("rocker", (f, 0), tuple(C))
    if P is not None:
        coupler.marker("P", *P)
    model.add(
        mbs.Revolute("O", model.ground, crank.tail),
        mbs.Revolute("B", crank.head, coupler.tail),
        mbs.Revolute("C", coupler.head, rocker.head),
        mbs.Revolute("D", model.ground.at(f, 0), rocker.tail),
    )
    return model


def crank_limit(a, c, f, reach):
    """The angle at O of the triangle with the sides a, f, and `reach` across."""
    return np.arccos((f * f + a * a - reach * reach) / (2 * f * a))


def test_a_triple_rocker_has_one_circuit_and_the_limits_of_its_triangles():
    a, b, c, f = 0.6, 0.7, 0.8, 1.0
    curve = mbs.follow(four_bar(a, b, c, f, 0.6), "crank.angle")
    assert curve.closed and curve.ends == ()
    top = crank_limit(a, c, f, b + c)
    assert np.allclose(curve.limits("crank.angle"), (-top, top), rtol=0, atol=1e-12)
    rocker = crank_limit(c, a, f, a + b)
    assert np.allclose(np.pi - np.array(curve.limits("rocker.angle")), (rocker, -rocker), rtol=0, atol=1e-12)
    assert [point.is_maximum for point in curve.dead_points] == [True, False]
    for point in curve.dead_points:
        assert abs(point.state["crank.angle"] - point.value) < 1e-12
        folded = np.sin(point.state["coupler.angle"] - point.state["rocker.angle"])
        assert abs(folded) < 1e-12  # coupler and rocker are in line


def test_limits_are_those_of_a_computation_in_twenty_digits():
    curve = mbs.follow(four_bar(0.6, 0.7, 0.8, 1.0, 0.6), "crank.angle")
    assert abs(curve.limits("crank.angle")[1] - 2.4063479955556630656) < 1e-12
    assert abs(np.pi - curve.limits("rocker.angle")[0] - 1.6020514152943917739) < 1e-12  # seen from D, from the ground
    low, high = mbs.follow(four_bar(0.2, 0.5, 0.4, 0.5, 0.6), "crank.angle").limits("rocker.angle")
    assert abs(np.pi - low - 1.7721542475852274107) < 1e-12 and abs(np.pi - high - 0.6435011087932843868) < 1e-12


@pytest.mark.parametrize("sign", [1, -1])
def test_a_crank_rocker_has_two_circuits_in_each_of_which_the_crank_goes_round(sign):
    a, b, c, f = 0.2, 0.5, 0.4, 0.5
    curve = mbs.follow(four_bar(a, b, c, f, 0.6, sign), "crank.angle")
    assert curve.closed and curve.dead_points == () and curve.limits("crank.angle") == (-np.inf, np.inf)
    assert abs(curve["crank.angle"][-1] - curve["crank.angle"][0] - 2 * np.pi) < 1e-12
    near, far = (np.pi - crank_limit(c, a, f, reach) for reach in (b + a, b - a))
    low, high = sorted(sign * np.array(curve.limits("rocker.angle")))
    assert np.allclose((low, high), (near, far), rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    "lengths, expected",
    [((0.2, 0.5, 0.4, 0.5), 2), ((0.5, 0.2, 0.4, 0.5), 2), ((0.5, 0.4, 0.5, 0.2), 2), ((0.7, 0.6, 0.9, 0.5), 1)],
)
def test_how_many_circuits_there_are_follows_from_grashofs_rule(lengths, expected):
    """From all four poses at two crank angles; where the coupler is the shortest, both modes are on one circuit."""
    shortest, one, other, longest = sorted(lengths)
    assert (2 if shortest + longest < one + other else 1) == expected
    found = []
    for angle, sign in [(1.2, 1), (1.2, -1), (-1.2, 1), (-1.2, -1)]:
        curve = mbs.follow(four_bar(*lengths, angle, sign), "crank.angle", step=0.01)
        assert curve.closed
        turns = np.exp(1j * np.stack([curve["crank.angle"], curve["coupler.angle"], curve["rocker.angle"]]))
        if all(np.abs(turns[:, :1] - there).max(axis=0).min() > 0.03 for there in found):
            found.append(turns)
    assert len(found) == expected


def test_a_lap_ends_in_the_pose_where_it_began():
    curve = mbs.follow(four_bar(0.6, 0.7, 0.8, 1.0, 0.6), "crank.angle")
    assert np.abs(curve.q[-1] - curve.q[0]).max() < 1e-12
    assert np.abs(curve.v[-1] - curve.v[0]).max() < 1e-11
    assert np.array(curve.violation.position).max() < 1e-14


@pytest.mark.parametrize(
    "way", [copy.deepcopy, lambda curve: pickle.loads(pickle.dumps(curve))], ids=["copy", "pickle"]
)
def test_a_copy_of_a_curve_tells_the_same(way):
    curve = mbs.follow(four_bar(0.6, 0.7, 0.8, 1.0, 0.6), "crank.angle")
    again = way(curve)
    assert again.closed and again.limits("rocker.angle") == curve.limits("rocker.angle")
    assert [point.s for point in again.dead_points] == [point.s for point in curve.dead_points]


def test_a_lap_that_begins_in_a_dead_point_tells_it_once():
    """There the rate of the crank is roundoff, of any sign, at the beginning and at the end."""
    top = crank_limit(0.6, 0.8, 1.0, 1.5)
    for angle in (top, top - 1e-13, -top):
        model = four_bar(0.6, 0.7, 0.8, 1.0, angle)
        for name in ("crank.angle", "coupler.angle", "rocker.angle"):
            curve = mbs.follow(model, name)
            assert curve.closed and len(curve.turning_points("crank.angle")) == 2
            assert np.allclose(curve.limits("crank.angle"), (-top, top), rtol=0, atol=1e-12)


def test_a_quantity_that_turns_back_in_a_branch_point_does_so_there():
    """The head of a parallelogram's bar is farthest out where the bars are in line."""
    curve = mbs.follow(four_bar(0.5, 1.0, 0.5, 1.0, 0.6), "crank.angle", step=0.25)
    turned = curve.turning_points("crank.head.x")
    assert np.allclose([point.value for point in turned], [-0.5, 0.5], rtol=0, atol=1e-12)
    assert max(abs(np.sin(point.state["crank.angle"])) for point in turned) < 1e-9


def test_all_poses_at_a_value_of_the_crank_are_those_of_both_modes():
    """Of a triple rocker they are on one circuit: the triangle of coupler and rocker on both sides of its base."""
    a, b, c, f = 0.6, 0.7, 0.8, 1.0
    curve = mbs.follow(four_bar(a, b, c, f, 0.6), "crank.angle")
    for angle in (0.6, 0.0, -1.3, 2.0 + 2 * np.pi):
        found = sorted(state["rocker.angle"] % (2 * np.pi) for state in curve.states_where("crank.angle", angle))
        modes = [mbs.assemble(four_bar(a, b, c, f, angle, sign))["rocker.angle"] % (2 * np.pi) for sign in (1, -1)]
        assert np.allclose(found, sorted(modes), rtol=0, atol=1e-12)
    assert len(curve.states_where("crank.angle", curve.limits("crank.angle")[1])) == 1  # there both modes are one
    assert curve.states_where("crank.angle", 2.5) == ()
    lap = mbs.follow(four_bar(0.2, 0.5, 0.4, 0.5, 0.6), "crank.angle")
    assert [len(lap.states_where("crank.angle", angle)) for angle in (0.6, 0.6 + 4 * np.pi, -1.0)] == [1, 1, 1]
    assert len(lap.states_where("rocker.angle", sum(lap.limits("rocker.angle")) / 2)) == 2
    again = mbs.follow(four_bar(a, b, c, f, 0.6), "crank.angle", start=curve.states_where("crank.angle", -1.3)[1])
    assert np.isclose(again.length, curve.length, rtol=1e-6)


def test_length_and_area_of_a_coupler_curve_converge_with_the_fourth_order():
    model = four_bar(0.6, 0.7, 0.8, 1.0, 0.6, P=(0.1, 0.3))

    def sizes(step):
        curve = mbs.follow(model, "crank.angle", step=step)
        x, y, vx, vy = (curve[f"coupler.P.{name}"] for name in ("x", "y", "vx", "vy"))
        ax, ay, h = curve["coupler.P.ax"], curve["coupler.P.ay"], np.diff(curve.t)
        swept, rate = 0.5 * (x * vy - y * vx), 0.5 * (x * ay - y * ax)
        area = (h * (swept[1:] + swept[:-1]) / 2 + h**2 * (rate[:-1] - rate[1:]) / 12).sum()
        return np.array([curve.length, area])

    coarse, fine, finest = (sizes(step) for step in (0.04, 0.02, 0.005))
    order = np.log2(np.abs(coarse - finest) / np.abs(fine - finest))
    assert (order > 3.7).all() and (np.abs(fine - finest) < 1e-6 * np.abs(finest)).all()


def test_the_arc_is_measured_by_the_norm_of_the_model():
    """A crank of length 2 that goes round: its middle goes round 2π, its angle counts with the model's length."""
    model = mbs.PlanarModel.from_points({"A": (0, 0), "B": (2, 0)}, rods={"crank": "AB"}, fixed="A")
    curve = mbs.follow(model, "crank.angle")
    radius = np.hypot(curve["crank.x"], curve["crank.y"])
    length = model.compile().length
    assert np.isclose(curve.length, 2 * np.pi * np.hypot(radius[0], length), rtol=1e-6)
    assert np.allclose((curve.v**2) @ model.compile().weight, 1.0, rtol=0, atol=1e-14)


# --- branch points ----------------------------------------------------------------------------------------------------


def test_a_parallelogram_changes_to_its_other_branch_on_request():
    model = four_bar(0.5, 1.0, 0.5, 1.0, 0.6)
    curve = mbs.follow(model, "crank.angle")
    assert curve.closed and np.abs(np.array(curve.limits("coupler.angle"))).max() < 1e-9
    assert len(curve.branch_points) == 2
    for point in curve.branch_points:
        assert len(point.tangents) == 2
        assert abs(np.sin(point.state["crank.angle"])) < 1e-9
    crossed = mbs.follow(model, "crank.angle", start=curve.branch_points[0])
    top = np.pi - np.arccos(
        -0.5
    )  # the coupler of the antiparallelogram is at most as steep as at a crank at right angles
    assert crossed.closed and np.allclose(crossed.limits("coupler.angle"), (-top, top), rtol=0, atol=1e-9)
    assert len(crossed.branch_points) == 2
    same = mbs.follow(model, "crank.angle", start=curve.branch_points[0], branch=curve.branch_points[0].along)
    assert np.isclose(same.length, curve.length, rtol=1e-6)


def test_a_rhombus_has_three_curves_through_three_branch_points():
    """On the others the crank lies on the ground, or the coupler on the crank: there one of two angles is constant."""
    model = four_bar(1.0, 1.0, 1.0, 1.0, 0.9)
    curve = mbs.follow(model, "crank.angle")
    assert curve.closed and len(curve.branch_points) == 2
    still = []
    for point in curve.branch_points:
        for name, other in (("crank.angle", "rocker.angle"), ("rocker.angle", "crank.angle")):
            with contextlib.suppress(mbs.ModelError):
                one = mbs.follow(model, name, start=point)
                assert one.closed and len(one.branch_points) == 2 and np.ptp(one[other]) < 1e-9
                with refused("constant-along-curve", mentions=other):
                    mbs.follow(model, other, start=point)
                still.append(other)
    assert sorted(still) == ["crank.angle", "rocker.angle"]


def test_a_singular_placement_asks_for_a_branch():
    model = four_bar(0.5, 1.0, 0.5, 1.0, 0.0 + 1e-15)
    with refused("branch-not-chosen", branches=2):
        mbs.follow(model, "crank.angle")
    lengths = sorted(mbs.follow(model, "crank.angle", branch=k).length for k in (0, 1))
    assert lengths[1] - lengths[0] > 0.1


# --- drivers, ends, space ---------------------------------------------------------------------------------------------


def test_the_only_driver_is_let_go_and_others_are_held():
    model = four_bar(0.6, 0.7, 0.8, 1.0, 0.6)
    motor = mbs.Driver("motor", mbs.angle(model.ground, model.bodies["crank"]), 0.6 + mbs.t)
    curve = mbs.follow(model.plus(motor), "crank.angle", t=0.2)
    assert np.isclose(curve["crank.angle"][0], 0.8)
    assert np.isclose(curve.length, mbs.follow(model, "crank.angle").length, rtol=1e-6)


def two_arms(*drivers):
    model = mbs.PlanarModel("arms")
    upper, lower = model.link("upper", (0, 0), (1, 0)), model.link("lower", (1, 0), (1, 1))
    A = mbs.Revolute("A", model.ground, upper.tail)
    B = mbs.Revolute("B", upper.head, lower.tail)
    model.add(A, B)
    laws = {"shoulder": (mbs.angle(A), 0.3 + mbs.t), "elbow": (mbs.angle(B), np.pi / 2 + mbs.t**2)}
    model.add(*(mbs.Driver(name, *laws[name]) for name in drivers))
    return model


def test_two_freedoms_are_refused_unless_one_is_held():
    with refused("too-many-freedoms", freedoms=2):
        mbs.follow(two_arms(), "upper.angle")
    curve = mbs.follow(two_arms(), "upper.angle", fix={"B.angle": 1.0})
    assert curve.closed and np.ptp(curve["B.angle"]) < 1e-12
    moving = mbs.follow(two_arms("shoulder", "elbow"), "A.angle", t=0.5)
    assert moving.closed and np.allclose(moving["B.angle"], np.pi / 2 + 0.25)
    assert np.allclose((moving.v**2) @ moving.track.system.weight, 1.0)  # time is held: the elbow's law moves nothing
    with refused("driver-not-chosen", argument="release", mentions="shoulder"):
        mbs.follow(two_arms("shoulder", "elbow"), "lower.angle")
    let_go = mbs.follow(two_arms("shoulder", "elbow"), "lower.angle", release="elbow")
    assert np.ptp(let_go["A.angle"]) < 1e-12


def test_a_stop_opens_a_curve_which_is_followed_both_ways():
    model = four_bar(0.2, 0.5, 0.4, 0.5, 0.6)
    model.add(mbs.Stop("buffer", mbs.angle(model.elements["O"]), lower=-0.5, upper=1.5))
    curve = mbs.follow(model, "crank.angle")
    assert not curve.closed and all("buffer" in end for end in curve.ends)
    assert np.allclose(curve.limits("crank.angle"), (-0.5, 1.5), rtol=0, atol=1e-12)
    assert np.isclose(curve["crank.angle"][curve.beginning], 0.6)
    forth = mbs.follow(model, "crank.angle", both=False)
    assert np.allclose(forth.limits("crank.angle"), (0.6, 1.5), rtol=0, atol=1e-12)


def test_what_cannot_be_followed_is_told():
    model = four_bar(0.6, 0.7, 0.8, 1.0, 0.6)
    crank, rod = model.bodies["crank"], np.hypot(0.6 * np.cos(0.6) - 0.3, 0.6 * np.sin(0.6))
    with refused("unknown-name", owner="model 'four-bar'", kind="quantity"):
        mbs.follow(model, "crank.angel")
    with refused("is-a-rate", argument="name", name="crank.omega"):
        mbs.follow(model, "crank.omega")
    with refused("no-freedom", model="four-bar"):
        mbs.follow(model.plus(mbs.Distance("rod", model.ground.at(0.3, 0), crank.head, length=rod)), "crank.angle")
    with refused("out-of-bounds", argument="step"):
        mbs.follow(model, "crank.angle", step=0.0)
    with refused("unknown-name", kind="driver"):
        mbs.follow(model, "crank.angle", release="motor")
    with refused("not-a-branch-point", argument="branch"):
        mbs.follow(model, "crank.angle", branch=0)
    few = mbs.follow(model, "crank.angle", poses=20)
    assert not few.success and not few.closed and "not closed" in few.message


def told(model, name, **how):
    with pytest.raises(mbs.ModelError) as error:
        mbs.follow(model, name, **how)
    return str(error.value)


def test_which_drivers_are_let_go_follows_from_the_freedom_that_is_left():
    free = four_bar(0.6, 0.7, 0.8, 1.0, 0.6)
    one = mbs.Driver("one", mbs.angle(free.ground, free.bodies["crank"]), 0.6)
    two = mbs.Driver("two", mbs.angle(free.elements["O"]), 0.6)
    assert mbs.follow(free, "crank.angle").release == ()
    assert mbs.follow(free.plus(one), "rocker.angle").release == ("one",)
    both = free.plus(one, two)
    assert "one and two drive crank.angle; say which one is let go: release='one'" in told(both, "crank.angle")
    assert "two drives crank.angle, and holds it" in told(both, "crank.angle", release="one")
    assert "two hold it still" in told(both, "rocker.angle", release="one")
    assert mbs.follow(both, "crank.angle", release=("one", "two")).closed
    # an arm whose shoulder is driven has one motion left: nothing is let go
    assert mbs.follow(two_arms("shoulder"), "lower.angle").release == ()
    assert "shoulder drives A.angle, and holds it" in told(two_arms("shoulder"), "A.angle")
    # in a dead point of its driver there seems to be one, too; there is none beside
    top = crank_limit(0.6, 0.8, 1.0, 1.5)
    dead = four_bar(0.6, 0.7, 0.8, 1.0, top - 1e-13)
    curve = mbs.follow(dead.plus(mbs.Driver("motor", mbs.angle(dead.elements["O"]), top)), "crank.angle")
    assert curve.release == ("motor",) and len(curve.dead_points) == 2


def test_a_start_holds_other_drivers_as_they_are_at_its_time():
    model = two_arms("shoulder", "elbow")
    state = mbs.kinematics(model, [0.0, 0.5]).state(1)
    curve = mbs.follow(model, "A.angle", start=state)
    assert curve.closed and np.allclose(curve["B.angle"], np.pi / 2 + 0.25, rtol=0, atol=1e-12)
    (found,) = curve.states_where("A.angle", state["A.angle"])
    assert np.abs(found.full_q - state.full_q).max() < 1e-12
    moved = mbs.follow(model, "A.angle", start=state, t=1.0)
    assert np.allclose(moved["B.angle"], np.pi / 2 + 1.0, rtol=0, atol=1e-12)


def test_what_is_held_is_counted_by_rank_and_cannot_be_followed():
    model = two_arms()
    assert mbs.follow(model, "B.angle", fix={"A.angle": 0.2, "upper.angle": 0.2}).closed  # both hold the same
    assert "is held by fix=" in told(model, "A.angle", fix={"A.angle": 0.2})
    assert "upper.angle is the same all along this curve; follow B.angle" in told(
        model, "upper.angle", fix={"A.angle": 0.2}
    )
    assert "fix= holds A.angle, B.angle: leave one out" in told(model, "upper.x", fix={"A.angle": 0.2, "B.angle": 1.0})
    assert 'hold 1 by drivers, or by fix={"B.angle": 1.5708}' in told(model, "upper.angle")


def test_wrong_arguments_are_told_in_words():
    model = four_bar(0.6, 0.7, 0.8, 1.0, 0.6)
    curve = mbs.follow(model, "crank.angle")
    assert "True or False, not 'no'" in told(model, "crank.angle", both="no")
    assert "step must be a number" in told(model, "crank.angle", step="long")
    assert "not 3" in told(model, "crank.angle", release=3) and "not 3" in told(model, "crank.angle", start=3)
    for call in (curve.limits, curve.turning_points):
        with refused("wrong-type", argument="name", value=["crank.angle"]):
            call(["crank.angle"])
        with refused("is-a-vector", name="coupler", components=["coupler.x", "coupler.y"]):
            call("coupler")
    with refused("not-a-number", argument="the value of 'crank.angle'", value="0.3"):
        curve.states_where("crank.angle", "0.3")
    with refused("not-a-curve", argument="beside", value=3):
        curve.plot("rocker.angle", beside=3)


def test_an_rssr_linkage_goes_round_and_comes_back():
    curve = mbs.follow(load("rssr").build(), "input.angle")
    assert curve.closed and curve.limits("input.angle") == (-np.inf, np.inf)
    places = curve["output.angle"]
    assert abs(places[-1] - places[0]) < 1e-12
    for name in ("rod.x", "rod.y", "rod.z"):
        assert abs(curve[name][-1] - curve[name][0]) < 1e-12


def test_bricards_linkage_has_a_lap_though_one_equation_follows_from_the_others():
    model = load("bricard").build()
    name = next(name for name in model.quantity_names() if name.endswith(".angle"))
    curve = mbs.follow(model, name)
    assert curve.closed and curve.stats["redundant_equations"] == 1
    assert np.array(curve.violation.position).max() < 1e-12


def test_a_lap_finds_the_pose_again_from_which_it_began():
    """Its value is found a bit above or below what was asked for, at the beginning and at the end."""
    points = {"A": (0, 0), "B": (0.6, 0), "C": (0.825, 0.662), "D": (1, 0)}
    model = mbs.PlanarModel.from_points(points, rods=["AB", "BC", "CD"], fixed="AD")
    start = mbs.assembly_modes(model, fix={"CD.angle": 1.0})[0]
    lap = mbs.follow(model, "CD.angle", start=start)
    assert lap.closed
    for bits in range(-6, 7):
        value = 1.0 + bits * np.spacing(1.0)
        found = [np.abs(state.q - start.q).max() < 1e-12 for state in lap.states_where("CD.angle", value)]
        assert sorted(found) == [False, True]


def test_what_a_driver_that_is_let_go_drove_is_followed_by_its_own_name():
    """The leg of a platform: no other quantity changes as its length does."""
    model = load("three_rpr").build()
    curve = mbs.follow(model, "leg1.distance")
    assert curve.closed and len(curve.dead_points) >= 2
    assert np.ptp(curve["leg1.distance"]) > 0.1 and np.ptp(curve["leg2.distance"]) < 1e-12
    low, high = curve.limits("leg1.distance")
    assert low - 1e-12 <= curve["leg1.distance"].min() and curve["leg1.distance"].max() <= high + 1e-12
    assert len(curve.states_where("leg1.distance", curve["leg1.distance"][0])) >= 2


def test_a_curve_that_begins_just_before_a_dead_point_comes_back_to_its_first_value():
    """Within one step: once in the pose itself, once behind the dead point."""
    a, b, c, f = 0.6, 0.7, 0.8, 1.0
    limit = np.arccos((a**2 + f**2 - (b + c) ** 2) / (2 * a * f))
    phi = limit - 5e-5
    B = a * np.exp(1j * phi)
    d = f - B
    x = (b**2 - c**2 + abs(d) ** 2) / (2 * abs(d))
    C = B + (x + 1j * np.sqrt(b**2 - x**2)) * d / abs(d)
    points = {"A": (0, 0), "B": (B.real, B.imag), "C": (C.real, C.imag), "D": (f, 0)}
    curve = mbs.follow(mbs.PlanarModel.from_points(points, rods=["AB", "BC", "CD"], fixed="AD"), "AB.angle")
    states = curve.states_where("AB.angle", float(curve["AB.angle"][curve.beginning]))
    found = [complex(state["CD.C.x"], state["CD.C.y"]) for state in states]
    known = [B + (x + 1j * s * np.sqrt(b**2 - x**2)) * d / abs(d) for s in (1, -1)]
    assert len(found) == 2
    assert max(min(abs(z - w) for w in found) for z in known) < 1e-11
