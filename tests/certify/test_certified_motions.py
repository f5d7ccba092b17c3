"""Motions that are proven: true poses lie in the tubes, branches that meet and jumps are gaps, kinks are crossed."""

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
from exact_poses import distance, true_pose
from gallery import load

import mbs_dae as mbs
from mbs_dae.certify import tubes
from mbs_dae.certify.equations import equations_of
from mbs_dae.certify.motion import certified_motion
from mbs_dae.certify.tubes import TubeSearch, paths_of
from mbs_dae.compiled.reading import Trajectory


@pytest.fixture(autouse=True)
def _sources(interpreted_kernels):
    """Nothing here is compiled."""


def path_of(result):
    """The motion of a result, with what stands still."""
    states = [result.state(k) for k in range(len(result))]
    return Trajectory(result.t, *(np.stack([getattr(s, f"full_{n}") for s in states]) for n in "qva"))


def shown(system, path):
    """The tubes of a motion that is proven."""
    search = TubeSearch(equations_of(system), system.machine())
    search.run(path)
    assert not sum(len(proof.pieces) for proof in search.open_)
    return search.shown


def lift(height):
    """A crank of 1 m whose end is held at a height: poses left and right of the top."""
    model = mbs.PlanarModel("crank")
    crank = model.body("crank", angle=0.3)
    model.add(mbs.Revolute("pin", model.ground, crank), mbs.Driver("lift", mbs.y(crank.at(1, 0)), height))
    return model


def turned(law):
    """A four-bar whose crank follows a law."""
    points = {"A": (0, 0), "B": (0.2, 0), "C": (0.484, 0.411), "D": (0.5, 0)}
    model = mbs.PlanarModel.from_points(points, rods={"a": "AB", "b": "BC", "c": "CD"}, fixed="AD")
    model.add(mbs.Driver("motor", mbs.angle(model.elements["A"]), law))
    return model


TURNS = {"four_bar": 25, "slider_crank": 25, "six_bar": 25, "quick_return": 25, "cam_follower": 25, "gear_train": 9}
SPATIAL = {"rssr": 61, "spatial_slider_crank": 61, "universal_joints": 61, "stewart_platform": 61, "delta_robot": 61}


@pytest.mark.parametrize("name", [*TURNS, *(pytest.param(name, marks=pytest.mark.slow) for name in SPATIAL)])
def test_models_of_the_gallery_along_a_turn(name):
    module, poses = load(name), (TURNS | SPATIAL)[name]
    model = module.build()
    times = np.linspace(module.TIMES[0], module.TIMES[-1], poses)
    result = mbs.kinematics(model, times, certify=True)
    found = result.certificate
    assert found.proven and bool(found) and len(found.radii) >= poses - 1, found
    assert found.intervals[0, 0] == times[0] and (found.intervals[1:, 0] == found.intervals[:-1, 1]).all()
    path, system = path_of(result), model.compile()
    for k in (1, poses // 2) if name in TURNS else ():
        exact = true_pose(system, path.t[k], path.q[k])
        assert distance(system, path.q[k], exact) <= found.errors[k] < 1e-12 * max(1.0, system.length)


@pytest.mark.parametrize("name", ["slider_crank", "rssr"])
def test_true_poses_lie_in_the_tubes(name):
    model = load(name).build()
    system = model.compile()
    result = mbs.kinematics(model, np.linspace(0.0, 0.2, 12))
    for proof in shown(system, path_of(result)):
        middle, _ = paths_of(equations_of(system), proof.pieces).middle()
        for k in range(0, len(proof.pieces), 5):
            t = 0.5 * (proof.pieces.begin.t[k] + proof.pieces.end.t[k])
            axis = 0.5 * (middle.lower + middle.upper)[:, k]
            assert distance(system, axis, true_pose(system, t, axis)) < proof.radius[k] + 1e-12


def test_a_change_point_is_a_gap_and_nothing_else_is():
    points = {"A": (0, 0), "B": (1, 1), "C": (3, 1), "D": (2, 0)}
    model = mbs.PlanarModel.from_points(points, rods={"a": "AB", "b": "BC", "c": "CD"}, fixed="AD")
    model.add(mbs.Driver("motor", mbs.angle(model.elements["A"]), np.pi / 4 + mbs.t))
    found = mbs.kinematics(model, np.linspace(0, 4, 41), certify=True).certificate
    (gap,) = found.gaps
    assert gap.begin < 0.75 * np.pi < gap.end and gap.end - gap.begin < 1e-4 and "change point" in gap.why
    assert not found.proven and "proven but for 1 gap" in str(found)
    begins, ends = found.intervals.T
    assert begins[0] == 0.0 and ends[-1] == 4.0 and ends[begins < gap.begin][-1] == gap.begin


def test_a_path_that_jumps_to_the_other_branch_is_never_proven():
    """Poses of one way to assemble a four-bar, then of the other: each is closed to roundoff."""
    times = np.linspace(0.0, 3.0, 31)
    model = turned(0.7 + mbs.t)
    one = mbs.kinematics(model, times)
    other = mbs.kinematics(model, times, start=mirrored(mbs.assemble(model)))
    both = zip(path_of(one)[1:], path_of(other)[1:], strict=True)
    jumped = Trajectory(times, *(np.where(times[:, None] < 1.55, a, b) for a, b in both))
    assert one.state(15)["c.C.y"] * other.state(15)["c.C.y"] < 0
    found = certified_motion(model.compile(), times, jumped)
    (gap,) = found.gaps
    assert 1.5 <= gap.begin < gap.end <= 1.6
    for path in (one, other):
        assert certified_motion(model.compile(), times, path_of(path)).proven


def mirrored(state):
    """The other way to assemble the four-bar: C on the other side of BD."""
    b, c = (np.array([state[f"b.{n}.x"], state[f"b.{n}.y"]]) for n in "BC")
    d, q = np.array([0.5, 0.0]), state.full_q.copy()
    along = (d - b) / np.linalg.norm(d - b)
    c = 2 * (b + ((c - b) @ along) * along) - c
    ends = {"b": (b, c), "c": (c, d)}
    for name, places in ((body.name, places) for body, places in state.system.layout.q.items() if body.name in ends):
        first, second = ends[name]
        q[list(places)] = [*0.5 * (first + second), np.arctan2(*(second - first)[::-1])]
    return mbs.assemble(state.system.model, start=replace(state, full_q=q))


@pytest.mark.parametrize("gap", [1e-2, 1e-4, 1e-7, 1e-13])
def test_a_motion_up_to_a_dead_point_and_back_stays_on_its_side_or_is_not_proven(gap):
    """The end of a crank rises to within a gap of the top and sinks again, y = (1 - gap) sin t: the crank turns
    back."""
    times = np.linspace(0.3, np.pi - 0.3, 40)
    try:
        result = mbs.kinematics(lift((1 - gap) * sp.sin(mbs.t)), times, certify=True)
    except mbs.SingularConfigurationError:
        assert gap < 1e-6
        return
    found = result.certificate
    if found.proven:
        assert (result["crank.angle"] < np.pi / 2).all()
    assert found.proven or gap < 1e-3
    assert not found.proven or gap > 1e-12


REPEATED = mbs.Motion().rise(0.5, over=0.23, law="cycloidal").return_(over=0.31, law="3-4-5").repeat()
LAWS = {
    "a corner": sp.Abs(mbs.t - 0.513) + 0.4,
    "two corners": sp.Max(0.2, mbs.t) + sp.Min(mbs.t, 0.777),
    "pieces": sp.Piecewise((mbs.t, mbs.t < 0.501), (1.002 - mbs.t, True)),
    "a table": mbs.Table([0, 0.3, 0.7, 1.1], [0, 0.5, 0.4, 0.9])(mbs.t),
    "a polygon": mbs.Table([0, 0.3, 0.7, 1.1], [0, 0.5, 0.4, 0.9], kind="linear")(mbs.t),
    "a parabola's two halves": (mbs.t - 0.513) * sp.Abs(mbs.t - 0.513) + 0.4,
    "a motion that repeats": REPEATED(mbs.t),
}  # fmt: skip


@pytest.mark.parametrize("law", LAWS)
def test_corners_of_drivers_are_crossed(law):
    """None of the times falls on a corner. `kinematics` refuses some of these laws, whose velocity jumps; tubes do
    not mind."""
    model, times = turned(LAWS[law]), np.linspace(0.0, 1.05, 13)
    states = [mbs.assemble(model, times[0])]
    for t in times[1:]:
        states.append(mbs.assemble(model, t, start=states[-1]))
    path = Trajectory(times, *(np.stack([getattr(s, f"full_{n}") for s in states]) for n in "qva"))
    found = certified_motion(model.compile(), times, path)
    assert found.proven, found
    for proof in shown(model.compile(), path):  # and the true poses are in them, beside the corners, too
        middle, _ = paths_of(equations_of(model.compile()), proof.pieces).middle()
        for k in np.argsort(proof.pieces.end.t - proof.pieces.begin.t)[:4]:
            t = 0.5 * (proof.pieces.begin.t[k] + proof.pieces.end.t[k])
            axis = 0.5 * (middle.lower + middle.upper)[:, k]
            assert distance(model.compile(), axis, true_pose(model.compile(), t, axis)) < proof.radius[k] + 1e-12


def test_few_times_are_enough_and_more_are_tried():
    model = turned(mbs.t)
    few = mbs.kinematics(model, np.linspace(0, 6, 7), certify=True)
    assert few.certificate.proven and few.certificate.tried > len(few.certificate.radii) > 6
    assert mbs.kinematics(model, [0, 1]).certificate is None


@pytest.mark.parametrize("coordinates", ["natural", "joint"])
def test_motions_in_other_coordinates(coordinates):
    system = load("slider_crank").build().compile(coordinates)
    found = mbs.kinematics(system, np.linspace(0, 0.3, 8), certify=True).certificate
    assert found.proven and found.errors.max() < 1e-12


def test_laws_of_time_that_jump_are_gaps():
    """An angle that is told between -π and π: at the cut the law jumps by a turn, and its slope does not show it."""
    model = turned(0.5 + 0.1 * sp.atan2(sp.sin(mbs.t), sp.cos(mbs.t)))
    times = np.linspace(2.9, 3.4, 8)
    states = [mbs.assemble(model, times[0])]
    for t in times[1:]:
        states.append(mbs.assemble(model, t, start=states[-1]))
    path = Trajectory(times, *(np.stack([getattr(s, f"full_{n}") for s in states]) for n in "qva"))
    (gap,) = certified_motion(model.compile(), times, path).gaps
    assert gap.begin < np.pi < gap.end


@pytest.mark.parametrize("near", [1e-1, 1e-2, 1e-4, 1e-6])
def test_branches_that_almost_meet_are_not_mixed_up(near):
    """A rhomboid whose base is a little shorter than its links: twice in a turn its branches are as near as the root of
    that, and a step to the next of eight poses could end on either. C stays on one side of BD, if it is proven."""
    base = 1.0 - near
    b = np.array([np.cos(1.2), np.sin(1.2)])
    way = np.array([base, 0.0]) - b
    height = np.sqrt(1 - 0.25 * way @ way)
    c = b + 0.5 * way + height * np.array([-way[1], way[0]]) / np.hypot(*way)
    points = {"A": (0, 0), "B": b, "C": c, "D": (base, 0)}
    model = mbs.PlanarModel.from_points(points, rods={"a": "AB", "b": "BC", "c": "CD"}, fixed="AD")
    model.add(mbs.Driver("motor", mbs.angle(model.elements["A"]), 1.2 + mbs.t))
    motion = mbs.kinematics(model, np.linspace(0, 2 * np.pi, 9), certify=True)
    b, c = (np.array([motion[f"b.{n}.x"], motion[f"b.{n}.y"]]) for n in "BC")
    side = (base - b[0]) * (c[1] - b[1]) + b[1] * (c[0] - b[0])
    assert motion.certificate.proven or near < 1e-3
    assert not motion.certificate.proven or (side > 0).all()


def test_what_is_given_up_early_says_so(monkeypatch):
    monkeypatch.setattr(tubes, "PIECES", 1)
    monkeypatch.setattr(tubes, "LEAST_MORE", 0)
    monkeypatch.setattr(tubes, "MOST_MORE", 0)
    found = mbs.kinematics(turned(mbs.t), np.linspace(0, 6, 4), certify=True).certificate
    assert not found.proven and all("ask for more times" in gap.why for gap in found.gaps)
