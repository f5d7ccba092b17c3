"""Singular curves and regions over two values, against closed forms: five-bar, slider-crank, four-bar, 3-RPR."""

from __future__ import annotations

import numpy as np
import pytest
from designs import slider_crank_in_slot
from refusals import refused

import mbs_dae as mbs

CRANK, LEG, BASE = 0.6, 0.9, 1.0
INPUTS, HAND = ("crank1.angle", "crank2.angle"), ("leg1.P.x", "leg1.P.y")
TURN = (-np.pi, np.pi)


def five_bar() -> mbs.PlanarModel:
    """A (0, 0), E (1, 0); both cranks 0.6, both legs 0.9."""
    b, c = CRANK * np.exp(2j), BASE + CRANK * np.exp(1j)
    p = (b + c) / 2 + 1j * (c - b) / abs(c - b) * np.sqrt(LEG**2 - abs(c - b) ** 2 / 4)
    points = {"A": 0, "B": b, "P": p, "C": c, "E": BASE}
    rods = {"crank1": "AB", "leg1": "BP", "leg2": "PC", "crank2": "EC"}
    return mbs.PlanarModel.from_points({k: (z.real, z.imag) for k, z in points.items()}, rods=rods, fixed="AE")


@pytest.fixture(scope="module")
def over_inputs() -> mbs.Workspace:
    return mbs.workspace(five_bar(), dict.fromkeys(INPUTS, TURN), outputs=HAND, step=0.25)


@pytest.fixture(scope="module")
def over_outputs() -> mbs.Workspace:
    return mbs.workspace(five_bar(), {HAND[0]: (-1.5, 2.5), HAND[1]: (-1.8, 1.8)}, inputs=INPUTS, step=0.25)


def elbows(values: np.ndarray) -> np.ndarray:
    """The distance of B and C at two crank angles."""
    return abs(CRANK * np.exp(1j * values[:, 0]) - BASE - CRANK * np.exp(1j * values[:, 1]))


def test_legs_are_in_line_in_parallel_singularities(over_inputs):
    curves = [curve for curve in over_inputs.parallel if not curve.is_point]
    assert len(curves) == 1 and curves[0].closed
    assert np.abs(elbows(curves[0].values) - 2 * LEG).max() < 1e-11


def test_where_legs_lie_on_each_other_the_hand_turns_with_both_cranks_held(over_inputs):
    """Legs of one length: B and C coincide, at 60° or so; two such poses, and the notes tell them."""
    points = sorted(curve.values[0].tolist() for curve in over_inputs.parallel if curve.is_point)
    assert len(points) == 2 and np.abs(elbows(np.array(points))).max() < 1e-11
    assert sum("moves with both values held" in note for note in over_inputs.notes) == 2


def test_a_leg_is_stretched_or_folded_in_serial_singularities(over_inputs):
    seen = set()
    for curve in over_inputs.serial:
        hand = curve[HAND[0]] + 1j * curve[HAND[1]]
        reached = {(pivot, r): np.abs(abs(hand - pivot) - r).max() for pivot in (0, BASE) for r in (1.5, 0.3)}
        which = min(reached, key=lambda k: reached[k])
        seen.add(which)
        assert reached[which] < 1e-10
    assert len(seen) == 4


def test_two_assembly_modes_between_parallel_singularities(over_inputs):
    assert [one.modes for one in over_inputs.regions] == [2, 0, 0]
    assert over_inputs.regions[0].boundaries == {"parallel", "range"}
    assert np.isclose(sum(one.area for one in over_inputs.regions), 4 * np.pi**2, rtol=1e-12)
    inside = over_inputs.regions[0]
    assert over_inputs.at(*inside.inside) is inside
    hands = [complex(*(state[name] for name in HAND)) for state in inside.states]
    b, c = (CRANK * np.exp(1j * a) + x for a, x in zip(inside.inside, (0, BASE), strict=True))
    assert abs(hands[0] - hands[1]) > 0.1 and np.allclose([abs(h - x) for h in hands for x in (b, c)], LEG, atol=1e-12)


def test_both_kinds_at_once_are_told(over_inputs):
    """On the parallel curve a serial singularity stands where crank and leg are in line, too."""
    (curve,) = (curve for curve in over_inputs.parallel if not curve.is_point)
    assert len(curve.both) == 4
    for point in curve.both:
        b, c = (CRANK * np.exp(1j * a) + x for a, x in zip(point.values, (0, BASE), strict=True))
        middle = (b + c) / 2
        sines = [abs(np.imag((middle - x) * np.conj(x - pivot))) for x, pivot in ((b, 0), (c, BASE))]
        assert min(sines) < 1e-9


@pytest.mark.soak  # the page of workspaces shows the same
def test_the_workspace_of_the_hand(over_outputs):
    """The lens of two circles of radius 1.5, less two of radius 0.3; each hand in it with four working modes."""
    R, lens = CRANK + LEG, 0.0
    lens = 2 * R**2 * np.arccos(BASE / 2 / R) - BASE / 2 * np.sqrt(4 * R**2 - BASE**2)
    first = over_outputs.regions[0]
    assert first.modes == 4 and np.isclose(first.area, lens - 2 * np.pi * 0.3**2, rtol=1e-11)
    assert sorted(one.modes for one in over_outputs.regions) == [0, 0, 0, 4]
    corners = {round(float(cusp.values[1]), 9) for curve in over_outputs.serial for cusp in curve.cusps}
    assert corners == {round(sign * float(np.sqrt(R**2 - 0.25)), 9) for sign in (1, -1)}


def test_a_map_of_one_role_has_the_numbers_of_this_role():
    """The five-bar is told its inputs or its outputs alone. Quantities of the other role are not in the map."""
    region = {HAND[0]: (0.2, 0.8), HAND[1]: (0.7, 1.2)}
    reached = mbs.workspace(five_bar(), region, outputs=HAND, step=0.25).map(2)
    assert "serial" in reached.numbers and "parallel" not in reached.numbers
    driven = mbs.workspace(five_bar(), {INPUTS[0]: (1.9, 2.1), INPUTS[1]: (0.9, 1.1)}, inputs=INPUTS, step=0.25).map(2)
    assert "parallel" in driven.numbers and "serial" not in driven.numbers


def test_the_jacobian_of_a_map(over_inputs):
    """In closed form: the hand moves at right angles to both legs, dP·(P - B) = dB·(P - B)."""
    mapped = over_inputs.map(9)
    i, j = next(zip(*np.nonzero(mapped.reached & (mapped["parallel"] > 0.1)), strict=True))
    state, length = mapped.state(i, j), over_inputs.initial.model.compile().length
    hand = np.array([state[name] for name in HAND])
    rows, right = [], []
    for k, (angle, x) in enumerate(zip((mapped.x[i], mapped.y[j]), (0, BASE), strict=True)):
        pin = np.array([x + CRANK * np.cos(angle), CRANK * np.sin(angle)])
        rate = CRANK * np.array([-np.sin(angle), np.cos(angle)])
        rows.append(hand - pin)
        right.append(np.eye(2)[k] * (rate @ (hand - pin)))
    sizes = np.linalg.svd(np.linalg.solve(rows, right) / length, compute_uv=False)
    assert np.isclose(mapped["dexterity"][i, j], sizes[1] / sizes[0], rtol=1e-9)
    assert np.isclose(mapped["manipulability"][i, j], sizes.prod(), rtol=1e-9)
    apart = np.isnan(mapped["distance"])
    assert (apart == ~mapped.reached).all() and np.nanmin(mapped["distance"]) >= 0.0
    curve = np.concatenate([c.values + s for c in over_inputs.curves for s in over_inputs.region.shifts(c.values)])
    nearest = np.abs(curve - [mapped.x[i], mapped.y[j]]).sum(axis=1)
    assert mapped["distance"][i, j] <= nearest.min()


# --- over parameters --------------------------------------------------------------------------------------------------


LENGTHS = {"r": (0.05, 0.4), "l": (0.05, 0.4)}


def test_a_crank_goes_round_up_to_the_length_of_its_rod():
    found = mbs.workspace(slider_crank_in_slot(), LENGTHS, step=0.2)
    assert found.curves and all(np.abs(curve.values @ [1, -1]).max() < 1e-12 for curve in found.curves)
    assert [one.modes for one in found.regions] == [None, None]  # a freedom is left: both can be assembled
    assert np.allclose([one.area for one in found.regions], 0.35**2 / 2, rtol=1e-12)


def test_with_the_crank_held_the_rod_must_reach_the_guide():
    found = mbs.workspace(slider_crank_in_slot(), LENGTHS, fix={"crank.angle": 0.5}, step=0.2)
    assert np.abs(found.curves[0].values @ [np.sin(0.5), -1]).max() < 1e-12
    assert [one.modes for one in found.regions] == [2, 0]
    sine = np.sin(0.5)
    r = 0.05 / sine  # from here on the line is in the rectangle
    below = (0.4 - r) * (sine * (0.4 + r) / 2 - 0.05)
    assert np.allclose([one.area for one in found.regions], [0.35**2 - below, below], rtol=1e-12)


def test_grashof_boundaries_of_a_four_bar():
    """Change points: ± a ± b ± c + d = 0, straight lines in the plane of coupler and rocker."""
    a, d = 0.2, 0.5
    model = mbs.PlanarModel("four-bar")
    b, c = model.parameter("b", 0.45, unit="m"), model.parameter("c", 0.4, unit="m")
    x = (0.45**2 - 0.4**2 + (d - a) ** 2) / (2 * (d - a))
    C = (a + x, float(np.sqrt(0.45**2 - x**2)))
    crank, coupler = model.link("crank", (0, 0), (a, 0)), model.link("coupler", (a, 0), C, length=b)
    rocker = model.link("rocker", (d, 0), C, length=c)
    model.add(mbs.Revolute("A", model.ground, crank.tail), mbs.Revolute("B", crank.head, coupler.tail))
    model.add(mbs.Revolute("C", coupler.head, rocker.head), mbs.Revolute("D", model.ground.at(d, 0), rocker.tail))
    found = mbs.workspace(model, {"b": (0.1, 0.9), "c": (0.1, 0.9)}, step=0.2)
    lines = set()
    for curve in found.curves:
        off = {
            (i, j, k): np.abs(curve.values @ [i, j] + k * a - d).max()
            for i in (1, -1)
            for j in (1, -1)
            for k in (1, -1)
        }
        best = min(off, key=lambda signs: off[signs])
        lines.add(best)
        assert off[best] < 1e-11
    assert lines == {(1, 1, 1), (1, 1, -1), (1, -1, 1), (-1, 1, 1), (1, -1, -1), (-1, 1, -1)}
    lost = [one.area for one in found.regions if not one.reachable]  # |b - c| > a + d, and b + c < d - a
    assert np.allclose(lost, 0.1**2 / 2, rtol=1e-10) and len(lost) == 3


# --- a platform on three legs -----------------------------------------------------------------------------------------

ANCHORS = np.array([[0, 0], [2.0, 0], [1, 1.8]])
CORNERS = np.array([[-0.3, -0.2], [0.35, -0.15], [0.05, 0.3]])
LEGS = ("leg1.distance", "leg2.distance", "leg3.distance")


@pytest.mark.parametrize("size", [1.0, pytest.param(1e-3, marks=pytest.mark.soak), 1e3])
def test_a_platform_is_singular_on_a_conic(size):
    """3-RPR at a fixed attitude: the lines of its legs meet in a point where det (n, R b × n) = 0, n = p + R b - a."""
    model = mbs.PlanarModel("3-RPR")
    platform = model.body("platform", position=(size, 0.6 * size), angle=0.3)
    for k, (a, b) in enumerate(zip(ANCHORS * size, CORNERS * size, strict=True), 1):
        model.add(mbs.Spring(f"leg{k}", model.ground.at(*a), platform.at(*b), stiffness=1.0, length=size))
    pose = ("platform.x", "platform.y", "platform.angle")
    ranges = {pose[0]: (-size, 3 * size), pose[1]: (-size, 3 * size)}
    found = mbs.workspace(model, ranges, outputs=pose, inputs=LEGS, fix={"platform.angle": 0.3}, step=0.2)
    points = np.concatenate([curve.values for curve in found.parallel]) / size
    rb = CORNERS @ np.array([[np.cos(0.3), np.sin(0.3)], [-np.sin(0.3), np.cos(0.3)]])
    n = points[:, None] + rb - ANCHORS
    lines = np.concatenate([n, (rb[:, 0] * n[..., 1] - rb[:, 1] * n[..., 0])[..., None]], axis=2)
    assert len(points) > 60 and np.abs(np.linalg.det(lines)).max() < 1e-11
    x, y = points.T
    sizes = np.linalg.svd(np.column_stack([x * x, x * y, y * y, x, y, np.ones(x.size)]), compute_uv=False)
    assert sizes[-1] < 1e-12 * sizes[0] < 1e-2 * sizes[-2]  # one conic, through all of them
    assert not found.serial and [one.modes for one in found.regions] == [1]


def test_poses_on_a_circuit_of_their_own_are_counted_where_all_are_asked_for():
    """A crank-rocker over the lengths of its crank and its rocker: it closes in two ways, which no motion joins."""
    model = mbs.PlanarModel("crank-rocker")
    a, c = model.parameter("a", 0.2, unit="m"), model.parameter("c", 0.4, unit="m")
    crank = model.link("crank", (0, 0), (0.2, 0), length=a)
    coupler, rocker = model.link("coupler", (0.2, 0), (0.5, 0.4)), model.link("rocker", (0.5, 0), (0.5, 0.4), length=c)
    model.add(
        mbs.Revolute("A", model.ground, crank.tail),
        mbs.Revolute("B", crank.head, coupler.tail),
        mbs.Revolute("C", coupler.head, rocker.head),
        mbs.Revolute("D", model.ground.at(0.5, 0), rocker.tail),
    )
    found = mbs.workspace(model, {"a": (0.1, 0.25), "c": (0.05, 0.6)}, fix={"crank.angle": 0.3}, step=0.2)
    counted = found.with_all_modes()
    values = np.array([region.inside for region in counted.regions])
    across = np.abs(0.5 - values[:, 0] * np.exp(0.3j))
    closes = (np.abs(0.5 - values[:, 1]) < across) & (across < 0.5 + values[:, 1])
    assert [region.modes for region in counted.regions] == [2 if one else 0 for one in closes]
    assert len(closes) > 1 and closes.any() and not closes.all()


def test_surfaces_of_singular_poses_are_named():
    """A ladder stands upright where its length is the height of its head, however a pendulum beside it hangs: over the
    length and the height singular poses are a surface, with the angle of the pendulum."""
    model = mbs.PlanarModel("ladder and pendulum")
    length, height = model.parameter("l", 5.0, unit="m"), model.parameter("h", 4.0, unit="m")
    ladder, pendulum = model.link("ladder", (3, 0), (0, 4), length=length), model.link("pendulum", (6, 0), (7, 1))
    model.add(
        mbs.PinInSlot("floor", model.ground, ladder.tail),
        mbs.Revolute("wall", model.ground.at(0, height), ladder.head),
        mbs.Revolute("pin", model.ground, pendulum.tail),
    )
    found = mbs.workspace(model, over={"h": (2, 6), "l": (3, 5)})
    assert all(np.allclose(curve.values @ [1, -1], 0.0, atol=1e-6) for curve in found.curves)
    (note,) = (note for note in found.notes if "not smooth" in note or "surface" in note)
    assert note.startswith("a surface of singular poses")


def test_progress_is_told_and_an_interrupted_search_keeps_its_curves():
    """Ctrl-C after two thirds of the reports of progress: curves that were followed are those of the whole search."""
    over = {"leg1.P.x": (-1, 2), "leg1.P.y": (-1.6, 1.6)}
    inputs, told = ("crank1.angle", "crank2.angle"), []
    whole = mbs.workspace(five_bar(), over, inputs=inputs, step=0.2, progress=lambda *numbers: told.append(numbers))
    assert told and all(0 <= done <= total for done, total in told)
    count = 2 * len(told) // 3

    def interrupt(done, total):
        nonlocal count
        count -= 1
        if count == 0:
            raise KeyboardInterrupt

    part = mbs.workspace(five_bar(), over, inputs=inputs, step=0.2, progress=interrupt)
    assert part.regions == () and any("interrupted" in note for note in part.notes)
    assert 0 < len(part.curves) <= len(whole.curves)
    for one, other in zip(part.serial, whole.serial, strict=False):
        assert np.allclose(one.values, other.values, rtol=0, atol=1e-12)
    with refused("search-interrupted"):
        part.at(0.5, 0.5)
