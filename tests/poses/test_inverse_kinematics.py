"""Forward and inverse geometric models against closed forms: two links, a wrist, redundancy, loops, limits."""

from functools import cache

import numpy as np
import pytest
import wrist_oracle as by_hand
from gallery import load
from refusals import refused

import mbs_dae as mbs

two_link, wrist, arm_4r1p, arm_6r, stewart = map(
    load, ("arm_two_link", "arm_wrist", "arm_4r1p", "arm_6r", "stewart_platform")
)
L1, L2 = 0.40, 0.30
JOINTS = [f"joint{k}.angle" for k in range(1, 7)]


@cache
def arm():
    return two_link.build(driven=False)


@cache
def wrist_arm():
    return wrist.build(driven=False)


@cache
def chain(lengths=(0.4, 0.3, 0.2)):
    """Planar links one behind the other, stretched along x; "e" is the end."""
    model = mbs.PlanarModel("chain")
    before, x, last = model.ground, 0.0, 0.0
    for k, length in enumerate(lengths):
        link = model.body(f"link{k + 1}", 1.0, 0.01, position=(x, 0))
        model.add(mbs.Revolute(f"q{k + 1}", before.at(last, 0), link))
        before, x, last = link, x + length, length
    before.marker("e", last, 0)
    return model


def angles(solution, names=JOINTS):
    return np.array([solution[name] for name in names])


def hand(q1, q2):
    return np.array([L1 * np.cos(q1) + L2 * np.cos(q1 + q2), L1 * np.sin(q1) + L2 * np.sin(q1 + q2)])


# --- forward ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("q", [(0.3, 1.1), (-2.0, 0.4), (3.0, -2.9), (7.0, 0.0)])
def test_forward_of_two_links(q):
    fk = mbs.forward_kinematics(arm(), {"joint1.angle": q[0], "joint2.angle": q[1]})
    c, s = np.cos(sum(q)), np.sin(sum(q))
    expected = np.array([[c, -s, hand(*q)[0]], [s, c, hand(*q)[1]], [0, 0, 1]])
    np.testing.assert_allclose(fk["link2.e"], expected, atol=1e-15)
    np.testing.assert_allclose(fk.point("link2.e"), hand(*q), atol=1e-15)
    assert fk.state["joint1.angle"] == pytest.approx(q[0], abs=1e-14)
    assert fk.joints == {"joint1.angle": q[0], "joint2.angle": q[1]}


def test_forward_is_a_product_of_link_transforms():
    q = np.random.default_rng(3).uniform(-np.pi, np.pi, 6)
    fk = mbs.forward_kinematics(wrist_arm(), dict(zip(JOINTS, q, strict=True)))
    product = np.eye(4)
    before = "ground"
    for k, row in enumerate(wrist.TABLE):
        own = by_hand.transform(q[k], *row)
        np.testing.assert_allclose(fk.transform(f"link{k + 1}", relative_to=before), own, atol=2e-15)
        product, before = product @ own, f"link{k + 1}"
    np.testing.assert_allclose(fk["link6.flange"], product, atol=3e-15)
    np.testing.assert_allclose(fk.rotation("link6"), product[:3, :3], atol=3e-15)


def test_forward_agrees_with_the_recursion_and_counts_turns():
    values = {"axis1.angle": 7.0, "axis2.angle": -0.4, "axis4.angle": -8.0, "axis5.angle": 1.0}
    model = arm_6r.build()
    fk, recursion = mbs.forward_kinematics(model, values), mbs.recursive_kinematics(model, values)
    for name in ("link3", "link6.tool"):
        np.testing.assert_allclose(fk.point(name), recursion.position[name], atol=1e-15)
        np.testing.assert_allclose(fk.rotation(name), recursion.attitude[name], atol=1e-15)
    assert fk.state["axis1.angle"] == pytest.approx(7.0) and fk.state["axis4.angle"] == pytest.approx(-8.0)
    assert "motor1" in fk.message and "left aside" in fk.message


def test_forward_with_loops_gives_the_rest():
    fk = mbs.forward_kinematics(arm_4r1p.build(), {"shoulder.angle": 0.4, "elbow.angle": 0.9})
    x, y = 0.40 * np.cos(0.4) + 0.25 * np.cos(1.3), 0.40 * np.sin(0.4) + 0.25 * np.sin(1.3)
    np.testing.assert_allclose(fk.point("fore.hand"), (x, y), atol=1e-12)
    np.testing.assert_allclose(fk.point("slide"), (x + np.sqrt(0.8**2 - y**2), 0), atol=1e-12)


def test_forward_of_any_marker_and_of_a_start():
    model = arm()
    first = mbs.forward_kinematics(model, {"joint1.angle": 0.2, "joint2.angle": 0.7})
    then = mbs.forward_kinematics(model, {"joint2.angle": -0.5}, start=first.state)
    assert then.joints == pytest.approx({"joint1.angle": 0.2, "joint2.angle": -0.5})
    middle = model.bodies["link1"].at(L1 / 2, 0, angle=0.1)
    np.testing.assert_allclose(then.point(middle), [0.2 * np.cos(0.2), 0.2 * np.sin(0.2)], atol=1e-15)
    np.testing.assert_allclose(then.rotation(middle)[0, 0], np.cos(0.3))
    with pytest.raises(ValueError):
        then["link1"][0, 0] = 2.0


# --- inverse: closed forms ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("point", [(0.4, 0.3), (-0.2, 0.5), (0.1, -0.15), (0.0, 0.69)])
def test_two_links_have_elbow_up_and_elbow_down(point):
    found = mbs.inverse_kinematics(arm(), {"link2.e": point})
    x, y = point
    cosine = (x**2 + y**2 - L1**2 - L2**2) / (2 * L1 * L2)
    expected = []
    for q2 in (np.arccos(cosine), -np.arccos(cosine)):
        q1 = np.arctan2(y, x) - np.arctan2(L2 * np.sin(q2), L1 + L2 * np.cos(q2))
        expected.append((q1, q2))
    got = [angles(s, JOINTS[:2]) for s in found]
    assert found.reachable and len(found) == 2 and by_hand.matched(got, expected, 1e-12) == 2
    assert all(s.residual <= 1e-12 * L2 for s in found)
    assert found[0].distance <= found[1].distance
    np.testing.assert_allclose([found[0].state[f"link2.e.{c}"] for c in "xy"], point, atol=1e-14)


@pytest.mark.parametrize("point", [(0.7, 0.0), (0.0, -0.7), (0.1, 0.0)])
def test_at_the_end_of_the_reach_two_solutions_are_one(point):
    found = mbs.inverse_kinematics(arm(), {"link2.e": point})
    assert len(found) == 1 and found[0].residual <= 1e-12 * L2
    assert abs(np.sin(found[0]["joint2.angle"])) < 1e-6


OUT_OF_REACH = [(1.0, 1.0), (-0.3, -2.0), (0.700001, 0.0), (0.05, 0.02), (0.0, 0.0), (0.0, -0.0999)]


@pytest.mark.parametrize("point", OUT_OF_REACH)
def test_out_of_reach_of_two_links(point):
    """Outside the annulus the arm is stretched towards the point, inside folded: the gap is known."""
    found = mbs.inverse_kinematics(arm(), {"link2.e": point})
    r = np.hypot(*point)
    gap = r - (L1 + L2) if r > L1 else (L1 - L2) - r
    assert not found.reachable and len(found) == 0 and "not reachable" in found.message
    assert found.nearest.gap == pytest.approx(gap, rel=1e-8)
    reached = found.nearest.point("link2.e")
    assert np.hypot(*(reached - point)) == pytest.approx(gap, rel=1e-8)
    if r:
        rim = L1 + L2 if r > L1 else L1 - L2
        np.testing.assert_allclose(reached, rim * np.array(point) / r, atol=1e-7)
    with refused("no-solution"):
        found[0]


def random_poses(count, seed):
    random = np.random.default_rng(seed)
    return [by_hand.forward(wrist.TABLE, q) for q in random.uniform(-np.pi, np.pi, (count, 6))]


def solved_and_complete(poses):
    """How many are solved, how many have eight solutions not too near to each other, of how many all are found; and the
    largest residual."""
    model = wrist_arm()
    solved = eight = complete = 0
    residual = 0.0
    for T in poses:
        found = mbs.inverse_kinematics(model, {"link6.flange": T})
        expected = by_hand.inverse(wrist.TABLE, T)
        got = [angles(s) for s in found]
        assert by_hand.matched(expected, got, 1e-4) == len(got), "a solution that analysis does not know"
        residual = max([residual, *(s.residual for s in found)])
        solved += found.reachable
        if len(expected) == 8 and by_hand.separation(expected) > 1e-4:
            eight += 1
            complete += len(found) == 8 and by_hand.matched(got, expected, 1e-6) == 8
    return solved, eight, complete, residual


def test_the_eight_by_hand_are_solutions():
    """Of the oracle itself: by the product of the table's matrices."""
    for T in random_poses(20, 5):
        found = by_hand.inverse(wrist.TABLE, T)
        assert len(found) == 8 and by_hand.separation(found) > 0
        for q in found:
            np.testing.assert_allclose(by_hand.forward(wrist.TABLE, q), T, atol=1e-12)


@pytest.mark.slow
def test_all_eight_of_a_wrist():
    solved, eight, complete, residual = solved_and_complete(random_poses(60, 11))
    assert solved == 60 and complete == eight >= 55
    assert residual <= 1e-12 * 0.4


@pytest.mark.soak
def test_all_eight_of_a_thousand():
    solved, eight, complete, residual = solved_and_complete(random_poses(1000, 12))
    assert solved >= 999 and eight >= 980
    assert complete >= 0.99 * eight
    assert residual <= 1e-12 * 0.4


def test_an_arm_without_a_spherical_wrist():
    values = dict(zip([f"axis{k}.angle" for k in range(1, 7)], (0.3, 0.4, -0.8, 0.5, 1.0, 0.2), strict=True))
    model = arm_6r.build().without(*arm_6r.MOTORS)
    T = mbs.forward_kinematics(model, values)["link6.tool"]
    found = mbs.inverse_kinematics(model, {"link6.tool": T})
    assert any(np.allclose(angles(s, values), [*values.values()], atol=1e-9) for s in found)
    for s in found:
        np.testing.assert_allclose(mbs.forward_kinematics(model, s.joints)["link6.tool"], T, atol=1e-13)


def test_a_wrist_that_is_straight_takes_the_least_turn():
    """With q5 = 0 only q4 + q6 counts: each takes half of the way."""
    q = (0.3, 0.4, -0.8, 0.5, 0.0, 0.2)
    found = mbs.inverse_kinematics(wrist_arm(), {"link6.flange": by_hand.forward(wrist.TABLE, q)})
    np.testing.assert_allclose(angles(found[0]), (0.3, 0.4, -0.8, 0.35, 0.0, 0.35), atol=1e-7)


def test_a_straight_elbow_merges_pairs():
    """At the end of the reach elbow up and elbow down are one: four solutions, two shoulders with two wrists each."""
    straight = -np.arctan2(wrist.TABLE[3][2], wrist.TABLE[2][0])
    T = by_hand.forward(wrist.TABLE, (0.3, 0.5, straight, 0.7, 0.8, -0.4))
    found = mbs.inverse_kinematics(wrist_arm(), {"link6.flange": T})
    assert len(found) == 4
    for s in found:
        assert s["joint3.angle"] == pytest.approx(straight, abs=1e-5) and s.residual <= 1e-12 * 0.4
        np.testing.assert_allclose(mbs.forward_kinematics(wrist_arm(), s.joints)["link6.flange"], T, atol=1e-12)


# --- redundancy, several targets, loops ---------------------------------------------------------------------------


START = {"q1.angle": 0.3, "q2.angle": 0.5, "q3.angle": 0.2}


def test_three_links_to_a_point_change_least():
    """The first-order condition: what was changed has no part along the free motion; and no neighbour is nearer."""
    model, target = chain(), np.array([0.3, 0.5])
    found = mbs.inverse_kinematics(model, {"link3.e": target}, start=START)
    assert found.reachable
    for s in found:
        change = angles(s, START) - [*START.values()]
        J = mbs.task_jacobian(s.state, "link3.e").linear
        free = np.linalg.svd(J)[2][2]
        assert abs(free @ change) < 1e-9
        assert s.distance == pytest.approx(np.linalg.norm(change))
        for step in (1e-3, -1e-3):
            beside = {n: x + step * d for n, x, d in zip(START, angles(s, START), free, strict=True)}
            near = mbs.inverse_kinematics(model, {"link3.e": target}, start=beside, all=False)[0]
            assert np.linalg.norm(angles(near, START) - [*START.values()]) > s.distance
    grid = np.linspace(-np.pi, np.pi, 2001)  # every pose there is: q1 + q2 + q3 = a, the rest two links
    assert found[0].distance == pytest.approx(least_by_grid(grid, target), rel=1e-5)


def least_by_grid(grid, target):
    l1, l2, l3 = 0.4, 0.3, 0.2
    least = np.inf
    for a in grid:
        x, y = target - l3 * np.array([np.cos(a), np.sin(a)])
        cosine = (x**2 + y**2 - l1**2 - l2**2) / (2 * l1 * l2)
        if abs(cosine) <= 1:
            for q2 in (np.arccos(cosine), -np.arccos(cosine)):
                q1 = np.arctan2(y, x) - np.arctan2(l2 * np.sin(q2), l1 + l2 * np.cos(q2))
                way = np.array([q1, q2, a - q1 - q2]) - [*START.values()]
                least = min(least, np.linalg.norm(np.pi - (np.pi - way) % (2 * np.pi)))
    return least


def test_the_least_change_keeps_limits():
    """With a limit in the way, the joint stops there and the others do the rest."""
    free = mbs.inverse_kinematics(chain(), {"link3.e": (0.3, 0.5)}, start=START)[0]
    low = free["q1.angle"] + 0.1
    found = mbs.inverse_kinematics(chain(), {"link3.e": (0.3, 0.5)}, {"q1.angle": (low, 1.0)}, START)
    assert found.reachable and all(low <= s["q1.angle"] <= 1.0 for s in found)
    assert found[0]["q1.angle"] == low
    assert found[0].distance > free.distance


def test_two_hands():
    """One shoulder, two arms: both hands at once."""
    model = mbs.PlanarModel("two hands")
    body = model.body("body", 1.0, 0.1)
    model.add(mbs.Revolute("hip", model.ground, body))
    for side, y in (("left", 0.2), ("right", -0.2)):
        upper = model.body(f"{side}1", 1.0, 0.1, position=(0, y))
        fore = model.body(f"{side}2", 1.0, 0.1, position=(0.4, y))
        model.add(mbs.Revolute(f"{side} shoulder", body.at(0, y), upper))
        model.add(mbs.Revolute(f"{side} elbow", upper.at(0.4, 0), fore))
        fore.marker("hand", 0.3, 0)
    targets = {"left2.hand": (0.4, 0.4), "right2.hand": ((0.5, -0.1), 0.3)}
    found = mbs.inverse_kinematics(model, targets)
    assert found.reachable
    for s in found:
        np.testing.assert_allclose(s.point("left2.hand"), (0.4, 0.4), atol=1e-13)
        np.testing.assert_allclose(s.point("right2.hand"), (0.5, -0.1), atol=1e-13)
        assert np.exp(1j * s["right2.angle"]) == pytest.approx(np.exp(0.3j), abs=1e-12)
        assert set(s.misses) == set(targets)


def test_a_closed_loop_goes_where_its_hand_has_to_go():
    """The arm in the loop has its two elbows, and the slide stands on either side."""
    model = arm_4r1p.build(driven=False)
    found = mbs.inverse_kinematics(model, {"fore.hand": (0.3, 0.4)})
    slides = sorted(round(s["slide.x"], 9) for s in found)
    way = np.sqrt(0.8**2 - 0.4**2)
    np.testing.assert_allclose(slides, np.repeat([0.3 - way, 0.3 + way], 2), atol=1e-9)
    assert found[0]["slide.x"] > 0.3  # as it is placed
    for s in found:
        assert s.state.result.violation.position.max() < 1e-13
    far = mbs.inverse_kinematics(model, {"fore.hand": (0.3, 0.9)})
    assert far.nearest.gap == pytest.approx(np.hypot(0.3, 0.9) - 0.65, rel=1e-10)
    assert far.nearest.state.result.violation.position.max() < 1e-12


def test_loops_in_space():
    """A platform on six legs: with legs that point upwards there is one solution, whose lengths follow at once."""
    model = stewart.build()
    model = model.without(*(d.name for d in model.drivers))
    rest = mbs.assemble(model)
    place = np.array([rest[f"platform.{c}"] for c in "xyz"]) + [0.02, 0.03, -0.01]
    attitude = mbs.rotations.about_x(0.1) @ rest.result.rotation("platform")[0]
    now = mbs.forward_kinematics(model, start=rest).joints
    limits = {name: (0.1, None) for name in now if "displacement" in name}
    limits |= {name: (now[name] - 1.5, now[name] + 1.5) for name in now if "angle1" in name}
    assert len(limits) == 12
    found = mbs.inverse_kinematics(model, {"platform": (place, attitude)}, limits, tries=24)
    assert len(found) == 1 and found[0].distance < 0.5
    np.testing.assert_allclose(found[0].state.result.rotation("platform")[0], attitude, atol=1e-13)
    assert found[0].state.result.violation.position.max() < 1e-12


# --- targets, limits ----------------------------------------------------------------------------------------------


def test_what_a_target_may_be():
    model = wrist_arm()
    T = random_poses(1, 21)[0]
    R, p = T[:3, :3], T[:3, 3]
    flange = model.bodies["link6"].flange
    poses = [mbs.inverse_kinematics(model, targets) for targets in ({"link6.flange": T}, {flange: (p, R)})]
    assert [angles(s).tolist() for s in poses[0]] == [angles(s).tolist() for s in poses[1]]
    turned = mbs.inverse_kinematics(model, {flange: (None, R)}, all=False)[0]
    np.testing.assert_allclose(turned.state.result.rotation("link6")[0], R, atol=1e-12)
    point = mbs.inverse_kinematics(model, {flange: p}, all=False)[0]
    np.testing.assert_allclose(point.point(flange), p, atol=1e-13)
    assert point.distance < turned.distance + poses[0][0].distance


def test_every_solution_keeps_the_limits():
    T = by_hand.forward(wrist.TABLE, (0.5, -0.6, 0.4, 0.9, 0.8, -0.3))
    everyone = mbs.inverse_kinematics(wrist_arm(), {"link6.flange": T})
    limits = {"joint1.angle": (-1.0, 1.0), "joint5.angle": (0.0, 3.0), "joint4.angle": (-4.0, 4.0)}
    found = mbs.inverse_kinematics(wrist_arm(), {"link6.flange": T}, limits)
    kept = [s for s in everyone if abs(s["joint1.angle"]) <= 1 and 0 <= s["joint5.angle"] <= 3]
    assert 1 <= len(kept) == len(found) < len(everyone)
    assert by_hand.matched([angles(s) for s in found], [angles(s) for s in kept], 1e-9) == len(kept)
    for s in found:
        for name, (low, high) in limits.items():
            assert low <= s[name] <= high
    either = mbs.inverse_kinematics(wrist_arm(), {"link6.flange": T}, {"joint5.angle": (0.0, None)})
    assert len(either) == len(everyone) and all(s["joint5.angle"] >= 0 for s in either)


def test_a_full_turn_is_the_same_solution_and_the_copy_is_that_within_the_limits():
    found = mbs.inverse_kinematics(arm(), {"link2.e": (0.4, 0.3)}, {"joint1.angle": (6.0, 12.0)})
    assert len(found) == 2 and all(6.0 <= s["joint1.angle"] <= 12.0 for s in found)
    found = mbs.inverse_kinematics(arm(), {"link2.e": (0.4, 0.3)}, start={"joint1.angle": 20.0})
    assert len(found) == 2 and all(abs(s["joint1.angle"] - 20.0) <= np.pi for s in found)
    assert found[0].state["joint1.angle"] == pytest.approx(found[0]["joint1.angle"])


def test_limits_that_exclude_every_solution_are_named():
    found = mbs.inverse_kinematics(arm(), {"link2.e": (0.4, 0.3)}, {"joint2.angle": (0.1, 1.0)})
    assert not found.reachable and found.excluded_by == ("joint2.angle",)
    assert "joint2.angle would be 1.5708, limits 0.1 to 1" in found.message
    q2 = 1.0  # the nearest pose has the elbow at its limit; the hand then moves on a circle
    assert found.nearest["joint2.angle"] == q2
    assert found.nearest.gap == pytest.approx(np.hypot(*hand(0.0, q2)) - 0.5, rel=1e-9)
    out = mbs.inverse_kinematics(arm(), {"link2.e": (2.0, 0.0)}, {"joint2.angle": (0.1, 1.0)})
    assert out.excluded_by == () and out.nearest["joint2.angle"] == pytest.approx(0.1)


def test_what_is_missed_is_told_in_metres_and_radians():
    """A link turns about the origin, its end 2 m away: off is the point, the angle, or both."""
    model = mbs.PlanarModel("one link")
    link = model.body("link", 1.0, 0.01)
    model.add(mbs.Revolute("pin", model.ground, link), mbs.Fixed("weld", link, model.body("far", 1.0, 1.0).at(-2, 0)))
    limits = {"pin.angle": (-0.5, 0.5)}

    def missed(target):
        found = mbs.inverse_kinematics(model, {"far": target}, limits)
        return found.message, found.nearest.misses["far"], found.nearest.gap

    message, misses, gap = missed((5, 0))
    assert message == "not reachable: the nearest pose misses far by 3 m"
    assert misses == pytest.approx((3, 0)) and gap == pytest.approx(3)
    message, misses, gap = missed((None, 0.7))
    assert message == (
        "not reachable within the limits of pin.angle; without limits there is 1 solution: pin.angle would be 0.7, "
        "limits -0.5 to 0.5"
    )
    assert misses == pytest.approx((0, 0.2)) and gap == pytest.approx(0.2 * model.compile().length)
    assert missed(((5, 0), 0.0))[0] == "not reachable: the nearest pose misses far by 3 m"
    message, misses, gap = missed(((5, 0), 1.0))
    assert message == f"not reachable: the nearest pose misses far by {misses[0]:.6g} m and {misses[1]:.6g} rad"
    assert gap == pytest.approx(np.hypot(misses[0], misses[1] * model.compile().length)) and min(misses) > 0.1
    still = mbs.PlanarModel("a slide")
    slide = still.body("slide", 1.0, 0.01)
    still.add(mbs.Translational("guide", still.ground, slide))
    found = mbs.inverse_kinematics(still, {"slide": (None, 0.25)})
    assert found.message == "not reachable: the nearest pose misses slide by 0.25 rad"


def test_solutions_are_numbered():
    found = mbs.inverse_kinematics(arm(), {"link2.e": (0.4, 0.3)})
    assert found[-1] is found[1] and len(found[:5]) == 2
    with refused("wrong-type", value="joint1.angle"):
        found["joint1.angle"]
    with refused("out-of-bounds", value=5, count=2):
        found[5]


def test_one_solution_is_that_next_to_the_start():
    q = (0.5, -0.6, 0.4, 0.9, 0.8, -0.3)
    near = {name: x + 0.05 for name, x in zip(JOINTS, q, strict=True)}
    T = by_hand.forward(wrist.TABLE, q)
    found = mbs.inverse_kinematics(wrist_arm(), {"link6.flange": T}, start=near, all=False)
    assert found.tries == 1 and len(found) == 1
    np.testing.assert_allclose(angles(found[0]), q, atol=1e-10)


def test_the_same_seed_gives_the_same_and_another_one_finds_the_same():
    T = random_poses(1, 33)[0]
    first, again, other = (mbs.inverse_kinematics(wrist_arm(), {"link6.flange": T}, seed=k) for k in (1, 1, 2))
    assert [angles(s).tolist() for s in first] == [angles(s).tolist() for s in again]
    assert by_hand.matched([angles(s) for s in first], [angles(s) for s in other], 1e-9) == len(other) == len(first)


def test_drivers_are_left_aside_and_told():
    found = mbs.inverse_kinematics(two_link.build(), {"link2.e": (0.4, 0.3)})
    assert len(found) == 2 and "motor1, motor2 left aside" in found.message
    result = mbs.simulate(two_link.build(driven=False), [0, 0.1], found[0].state)
    assert result["link2.e.x"][0] == pytest.approx(0.4) and result["link2.e.y"][0] == pytest.approx(0.3)


NO_ROTATION = np.diag([1.0, 1.0, -1.0])
WRONG = {
    "no dict": ((0.1, 0.2, 0.3), {}, "targets must be a dict"),
    "no target": ({}, {}, "targets must be a dict"),
    "no marker": ({"link6.flang": (0, 0, 0)}, {}, "did you mean 'link6.flange'"),
    "the ground": ({"ground": (0, 0, 0)}, {}, "the ground does not move"),
    "a short point": ({"link6": (0.1, 0.2, 0.3, 0.4)}, {}, "shape (4,)"),
    "a small matrix": ({"link6": np.eye(3)}, {}, "shape (3, 3)"),
    "a bad last row": ({"link6": np.ones((4, 4))}, {}, "last row"),
    "no numbers": ({"link6": ("a", "b", "c")}, {}, "must be numbers"),
    "not finite": ({"link6": (0, 0, np.nan)}, {}, "not finite"),
    "left-handed": ({"link6": ((0, 0, 0), NO_ROTATION)}, {}, "right-handed"),
    "stretched": ({"link6": ((0, 0, 0), 1.1 * np.eye(3))}, {}, "unit vectors"),
    "neither": ({"link6": (None, None)}, {}, "neither point nor rotation"),
    "two numbers": ({"link6": (1, 2)}, {}, "is (1, 2), and two things are read as (point, rotation)"),
    "half a point": ({"link6": (0.0, None)}, {}, "a point needs all its 3 numbers"),
    "two thirds of a point": ({"link6": (0.0, None, 0.1)}, {}, "a point needs all its 3 numbers; None stands for"),
    "a bad point of a pair": ({"link6": ((0, 0), np.eye(3))}, {}, "give 3 numbers"),
    "upside down": ({"link6": (0, 0, 1)}, {"limits": {"joint1.angle": (1.0, -1.0)}}, "upside down"),
    "a limit of no joint": ({"link6": (0, 0, 1)}, {"limits": {"joint9.angle": (0, 1)}}, "no joint coordinate"),
    "a limit of a driver": ({"link6": (0, 0, 1)}, {"limits": {"motor1.angle": (0, 1)}}, "no joint coordinate"),
    "half a limit": ({"link6": (0, 0, 1)}, {"limits": {"joint1.angle": 1.0}}, "pair (low, high)"),
    "a limit that is no number": ({"link6": (0, 0, 1)}, {"limits": {"joint1.angle": (np.nan, 1)}}, "finite"),
    "a limit that is a word": ({"link6": (0, 0, 1)}, {"limits": {"joint1.angle": ("a", 2)}}, "number, not 'a'"),
    "a limit out of the world": ({"link6": (0, 0, 1)}, {"limits": {"joint1.angle": (np.inf, None)}}, "finite"),
    "limits as a list": ({"link6": (0, 0, 1)}, {"limits": [(0, 1)]}, "limits must be a dict"),
    "a start that is a word": ({"link6": (0, 0, 1)}, {"start": {"joint1.angle": "x"}}, "start['joint1.angle'] must be"),
    "a start of no joint": ({"link6": (0, 0, 1)}, {"start": {"joint9.angle": 0.0}}, "no joint coordinate"),
    "no start": ({"link6": (0, 0, 1)}, {"start": 3.0}, "start must be a pose"),
    "no tries": ({"link6": (0, 0, 1)}, {"tries": 0}, "tries"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_questions_are_told(case):
    targets, options, message = WRONG[case]
    with pytest.raises(mbs.ModelError) as error:
        mbs.inverse_kinematics(wrist_arm(), targets, **options)
    assert message in str(error.value)


def test_wrong_joints_are_told():
    with refused("unknown-name", kind="joint coordinate", name="joint9.angle"):
        mbs.forward_kinematics(arm(), {"joint9.angle": 1.0})
    with refused("not-finite", argument="joints['joint1.angle']"):
        mbs.forward_kinematics(arm(), {"joint1.angle": np.inf})
    for model, name in ((arm(), "joint1.angle"), (arm_4r1p.build(driven=False), "shoulder.angle")):
        with refused("not-a-number", mentions=[name, "x"]):
            mbs.forward_kinematics(model, {name: "x"})
    with refused("incomplete-point", dimension=2):
        mbs.inverse_kinematics(arm(), {"link2.e": (0.0, None)})
    with refused("not-of-this-model", argument="marker", marker="link1(0, 0)"):
        mbs.inverse_kinematics(arm(), {chain().bodies["link1"]: (0.1, 0.2)})
    with refused("given-twice", argument="targets"):
        mbs.inverse_kinematics(arm(), {"link2.e": (0.4, 0.3), arm().bodies["link2"].e: (0.4, 0.3)})


# --- the Jacobian -------------------------------------------------------------------------------------------------


def test_jacobian_of_two_links():
    q1, q2 = 0.5, 0.8
    J = mbs.task_jacobian(arm(), "link2.e")
    c1, s1, c12, s12 = np.cos(q1), np.sin(q1), np.cos(q1 + q2), np.sin(q1 + q2)
    expected = [[-L1 * s1 - L2 * s12, -L2 * s12], [L1 * c1 + L2 * c12, L2 * c12], [1, 1]]
    np.testing.assert_allclose(J, expected, atol=1e-15)
    assert J.names == ("joint1.angle", "joint2.angle") and J.rows == ("vx", "vy", "omega")
    for bend in (0.8, 0.1, np.pi / 2, np.pi, 0.0):
        state = mbs.forward_kinematics(arm(), {"joint2.angle": bend}).state
        w = mbs.manipulability(state, "link2.e")
        assert float(w) == pytest.approx(L1 * L2 * abs(np.sin(bend)), abs=1e-15)
        np.testing.assert_allclose(w.singular_values.prod(), w.value)
        ellipsoid = w.jacobian @ w.jacobian.T
        np.testing.assert_allclose(ellipsoid @ w.directions, w.directions * w.singular_values**2, atol=1e-12)


def test_jacobian_in_space_is_the_velocity():
    """Against the velocities of the recursion, joint by joint."""
    model = arm_6r.build().without(*arm_6r.MOTORS)
    values = dict(zip([f"axis{k}.angle" for k in range(1, 7)], (0.3, 0.4, -0.8, 0.5, 1.0, 0.2), strict=True))
    J = mbs.task_jacobian(mbs.forward_kinematics(model, values).state, "link6.tool")
    for k, name in enumerate(J.names):
        moved = mbs.recursive_kinematics(model, values, {name.replace("angle", "omega"): 1.0})
        np.testing.assert_allclose(J.linear[:, k], moved.velocity["link6.tool"], atol=1e-14)
        np.testing.assert_allclose(J.angular[:, k], moved.angular_velocity["link6.tool"], atol=1e-14)


def test_jacobian_in_a_loop_is_that_of_the_free_arm():
    model = arm_4r1p.build(driven=False)
    J = mbs.task_jacobian(model, "fore.hand", joints=["shoulder.angle", "elbow.angle"])
    a, b = 0.5, 1.3
    dx = np.array([-0.4 * np.sin(a) - 0.25 * np.sin(b), -0.25 * np.sin(b)])
    dy = np.array([0.4 * np.cos(a) + 0.25 * np.cos(b), 0.25 * np.cos(b)])
    np.testing.assert_allclose(J.linear, [dx, dy], atol=1e-13)
    slide = mbs.task_jacobian(model, "slide", joints=["shoulder.angle", "elbow.angle"])
    y = 0.4 * np.sin(a) + 0.25 * np.sin(b)
    np.testing.assert_allclose(slide.linear[0], dx - y / np.sqrt(0.64 - y**2) * dy, atol=1e-13)
    with refused("missing-argument", argument="joints", model="4R1P arm"):
        mbs.task_jacobian(model, "fore.hand")
    with refused("wrong-length", length=2):
        mbs.task_jacobian(model, "fore.hand", joints=["shoulder.angle"])
    with refused("unknown-choice", argument="of"):
        mbs.manipulability(model, "fore.hand", of="hand")


def test_a_system_in_joint_coordinates_keeps_its_tree():
    """The loop cut at another joint: other coordinates, the same poses."""
    model = arm_4r1p.build(driven=False)
    system = model.compile("joint", cut=["elbow"])
    found = mbs.inverse_kinematics(system, {"fore.hand": (0.3, 0.4)})
    assert "wrist.angle" in found[0].joints and "elbow.angle" not in found[0].joints
    slides = sorted(round(s["slide.x"], 9) for s in found)
    assert slides == sorted(round(s["slide.x"], 9) for s in mbs.inverse_kinematics(model, {"fore.hand": (0.3, 0.4)}))
