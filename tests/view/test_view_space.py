"""Pictures of mechanisms in space: what is drawn stands where the result says, and all of it is seen."""

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from mpl_toolkits.mplot3d import Axes3D
from mpl_toolkits.mplot3d.art3d import Line3D, Poly3DCollection
from PIL import Image
from refusals import refused

import mbs_dae as mbs
from mbs_dae.view import animation as films
from mbs_dae.view.camera import Camera
from mbs_dae.view.drawing import spatial as solids
from mbs_dae.view.drawing.bodies import hull, skeleton
from mbs_dae.view.drawing.motion import frames_of, poses_of
from mbs_dae.view.space.surroundings import SHADOW

PNG = b"\x89PNG\r\n\x1a\n"
WHOLE_TURN = 2 * sp.pi * mbs.t


@pytest.fixture(scope="module")
def shafts():
    """Two shafts in a Cardan joint, 35° apart; the second one runs in a sleeve."""
    model = mbs.SpatialModel("shafts")
    along = np.array([np.cos(np.radians(35)), 0.0, np.sin(np.radians(35))])
    first = model.link("first", (-0.3, 0, 0), (0, 0, 0))
    second = model.link("second", (0, 0, 0), tuple(0.3 * along))
    second.marker("flag", 0.0, 0.0, 0.1)
    bearing = mbs.Revolute("A", model.ground, first, at=(-0.2, 0, 0), axis=(1, 0, 0))
    model.add(
        bearing,
        mbs.Universal(
            "U",
            first.at(0.15, 0, 0, axis=(1, 0, 0), x_axis=(0, 1, 0)),
            second.at(-0.15, 0, 0, axis=(1, 0, 0), x_axis=(0, 1, 0)),
        ),
        mbs.Cylindrical("B", model.ground, second, at=tuple(0.2 * along), axis=tuple(along)),
        mbs.Driver("motor", mbs.angle(bearing), WHOLE_TURN),
    )
    return mbs.kinematics(model, np.linspace(0, 1, 41))


@pytest.fixture(scope="module")
def pendulum():
    """A rod on a pin whose axis is y, pushed across, with a spring and a damper that hold it."""
    model = mbs.SpatialModel("pendulum", gravity=(0, 0, -9.81))
    rod = model.link("rod", (0, 0, 0), (0.5, 0, 0), mass=2.0, radius=0.02)
    model.add(
        mbs.Revolute("O", model.ground, rod, at=(0, 0, 0), axis=(0, 1, 0)),
        mbs.Spring("s", model.ground.at(0.5, 0, 0.4), rod.head, stiffness=200),
        mbs.Damper("d", model.ground.at(0.3, 0, -0.5), rod.at(0, 0, 0), damping=4),
        mbs.Force("push", rod.head, (3.0, 1.0, 4.0 * mbs.t)),
    )
    return mbs.simulate(model, np.linspace(0, 1, 51))


@pytest.fixture(scope="module")
def brick():
    """Thrown, and turning about its middle axis."""
    model = mbs.SpatialModel("brick")
    model.body("brick", mass=1.0, inertia=(1.0, 2.0, 2.5))
    start = {"brick.vx": 0.1, "brick.vz": 0.05, "brick.wx": 0.05, "brick.wy": 3.0}
    return mbs.simulate(model, np.linspace(0, 4, 201), initial=start)


@pytest.fixture(scope="module")
def rolling():
    model = mbs.SpatialModel("rolling")
    disk = model.body(
        "disk",
        mass=1.0,
        inertia=(0.01, 0.01, 0.02),
        position=(0, 0, 0.2),
        rotation=mbs.rotations.bryant(sp.pi / 2, 0, 0),
    )
    model.add(mbs.RollingDisk("roll", model.ground, disk, radius=0.2))
    return mbs.simulate(model, np.linspace(0, 1, 51), initial={"disk.wy": 3.0})


def scene_of(result, **options):
    return result.animate(**options).scene


def points_at(result, name, index):
    return np.array([result[f"{name}.{axis}"][index] for axis in "xyz"])


# --- where things are -------------------------------------------------------------------------------------------


def test_rods_and_joints_stand_where_the_result_says(shafts):
    scene = scene_of(shafts, fps=40)
    assert isinstance(scene.ax, Axes3D)
    for pose in (0, 13, 27):
        scene.show(pose)
        (rod,) = scene.bodies["first"]
        assert isinstance(rod.artist, Line3D)
        ends = [points_at(shafts, f"first.{end}", pose) for end in ("tail", "head")]
        np.testing.assert_allclose(np.transpose(rod.artist.get_data_3d()), ends, atol=1e-9)
        pin = scene.joints["A"][-1]
        np.testing.assert_allclose(pin.path[pose].mean(axis=0), [-0.2, 0, 0], atol=1e-9)
        centre = scene.joints["U"][-1]
        np.testing.assert_allclose(np.ravel(centre.artist.get_data_3d()), [0, 0, 0], atol=1e-9)
        assert scene.ax.get_title() == f"t = {pose / 40:.2f} s"


def test_the_cylinder_of_a_pin_lies_along_its_axis_and_turns(shafts):
    scene = scene_of(shafts, fps=40)
    corners = scene.joints["A"][-1].path
    along = corners[:, solids.SIDES] - corners[:, 0]
    np.testing.assert_allclose(along / np.linalg.norm(along[0]), np.tile([1, 0, 0], (len(scene), 1)), atol=1e-9)
    arm = corners[:, 0] - corners[:, : solids.SIDES].mean(axis=1)
    turned = np.unwrap(np.arctan2(arm[:, 2], arm[:, 1]))
    np.testing.assert_allclose(turned - turned[0], shafts["A.angle"], atol=1e-9)


def test_the_pins_of_a_cross_stay_at_right_angles(shafts):
    first, _, second, _, _ = (piece.path for piece in scene_of(shafts, fps=40).joints["U"])
    one, other = first[:, 1] - first[:, 0], second[:, 1] - second[:, 0]
    np.testing.assert_allclose(np.einsum("ki,ki->k", one, other) / np.dot(one[0], one[0]), 0, atol=1e-9)
    np.testing.assert_allclose(one[:, 0], 0, atol=1e-9)  # across the first shaft, which lies along x
    assert np.linalg.norm(one - one[0], axis=1).max() > np.linalg.norm(one[0])


def test_a_plate_through_three_points(shafts):
    scene = scene_of(shafts, fps=40)
    plate, edge = scene.bodies["second"]
    assert isinstance(plate.artist, Poly3DCollection)
    scene.show(9)
    corners = plate.path[9]
    for name in ("tail", "head", "flag"):
        assert np.isclose(corners, points_at(shafts, f"second.{name}", 9), atol=1e-9).all(axis=1).any()
    assert len(edge.path[9]) == 4
    np.testing.assert_array_equal(edge.path[:, 0], edge.path[:, -1])


def test_a_free_body_is_a_block_with_axes(brick):
    scene = scene_of(brick, fps=50)
    block, *axes = scene.bodies["brick"]
    assert len(axes) == 3
    rotation = brick.rotation("brick")
    for pose in (0, 77, 150):
        centre = points_at(brick, "brick", pose)
        np.testing.assert_allclose(block.path[pose].mean(axis=0), centre, atol=1e-7)
        for k, axis in enumerate(axes):
            way = axis.path[pose, 1] - axis.path[pose, 0]
            np.testing.assert_allclose(way / np.linalg.norm(way), rotation[pose][:, k], atol=1e-6)


def test_a_rod_on_one_ball_shows_its_spin():
    model = mbs.SpatialModel("spinning", gravity=(0, 0, -9.81))
    rod = model.link("rod", (0, 0, 0), (0, 0, 0.4), mass=1.0, radius=0.05)
    model.add(mbs.Spherical("O", model.ground, rod.tail))
    result = mbs.simulate(model, np.linspace(0, 0.2, 21), initial={"rod.wx": 1.0, "rod.wz": 20.0})
    line, block = scene_of(result, fps=100).bodies["rod"]
    np.testing.assert_allclose(line.path[20, 1], points_at(result, "rod.head", 20), atol=1e-7)
    edge = block.path[:, 3] - block.path[:, 0]
    np.testing.assert_allclose(edge / np.linalg.norm(edge[0]), result.rotation("rod")[:, :, 1], atol=1e-6)


def test_the_rail_of_a_leg_begins_at_the_leg():
    """A cylinder on a pin, from which a piston comes out: the rail shows the cylinder."""
    model = mbs.SpatialModel("leg")
    leg, piston = model.body("leg"), model.body("piston", position=(0.5, 0, 0))
    pin = mbs.Revolute("A", model.ground, leg, at=(0, 0, 0), axis=(0, 1, 0))
    slide = mbs.Prismatic("P", leg.at(0, 0, 0, axis=(1, 0, 0)), piston.at(0, 0, 0, axis=(1, 0, 0)))
    model.add(
        pin,
        slide,
        mbs.Driver("turn", mbs.angle(pin), mbs.t),
        mbs.Driver("out", mbs.displacement(slide), 0.5 + 0.1 * mbs.t),
    )
    rail, _ = scene_of(mbs.kinematics(model, np.linspace(0, 1, 11)), fps=10).joints["P"]
    np.testing.assert_allclose(rail.path[:, 0], 0, atol=1e-12)
    assert (np.linalg.norm(rail.path[:, 1], axis=1) > 0.6).all()


def test_a_body_on_one_ball_hangs_by_its_centre_of_mass():
    model = mbs.SpatialModel("top", gravity=(0, 0, -9.81))
    top = model.body("top", mass=1.0, inertia=(0.003, 0.003, 0.002), com=(0, 0, 0.2))
    model.add(mbs.Spherical("O", model.ground, top))
    result = mbs.simulate(model, np.linspace(0, 0.2, 11), initial={"top.wx": 2.0, "top.wz": 80.0})
    rod, block = scene_of(result, fps=50).bodies["top"]
    axis = result.rotation("top")[10][:, 2]
    np.testing.assert_allclose(rod.path[10], [[0, 0, 0], 0.2 * axis], atol=1e-7)
    np.testing.assert_allclose(block.path[10].mean(axis=0), 0.2 * axis, atol=1e-7)


def test_a_disk_rolls_on_its_plane_and_its_spoke_turns(rolling):
    floor, face, spoke, rim = (piece.path for piece in scene_of(rolling, fps=50).joints["roll"])
    np.testing.assert_allclose(floor[..., 2], 0, atol=1e-12)
    between_two_points = 0.2 * (1 - np.cos(np.pi / 72))
    np.testing.assert_allclose(rim[..., 2].min(axis=1), 0, atol=between_two_points)
    np.testing.assert_allclose(rim[..., 2].max(axis=1), 0.4, atol=between_two_points)
    way = spoke[:, 1] - spoke[:, 0]
    np.testing.assert_allclose(np.linalg.norm(way, axis=1), 0.2)
    turned = np.unwrap(np.arctan2(-way[:, 2], way[:, 0]))
    np.testing.assert_allclose(0.2 * (turned - turned[0]), spoke[:, 0, 0] - spoke[0, 0, 0], atol=1e-6)  # no slip
    assert np.ptp(turned) == pytest.approx(3.0, abs=1e-4)
    assert face.shape == (len(way), 72, 3)


def test_a_box_slides_on_a_rail_as_long_as_its_way():
    model = mbs.SpatialModel("slope")
    block = model.body("block", position=(0.1, 0, 0.1))
    guide = mbs.Prismatic("guide", model.ground, block, at=(0.1, 0, 0.1), axis=(1, 0, 1))
    model.add(guide, mbs.Driver("push", mbs.displacement(guide), 0.3 * mbs.t))
    scene = scene_of(mbs.kinematics(model, np.linspace(0, 1, 11)), fps=10)
    rail, box = scene.joints["guide"]
    assert scene.bodies["block"] == []
    along = np.array([1, 0, 1]) / np.sqrt(2)
    start = np.array([0.1, 0, 0.1])
    np.testing.assert_allclose(box.path[10].mean(axis=0), start + 0.3 * along, atol=1e-9)
    assert np.ptp(rail.path, axis=0).max() == 0
    ends = (rail.path[0] - start) @ along
    assert ends[0] < 0 and ends[1] > 0.3
    np.testing.assert_allclose(rail.path[0] - start - ends[:, None] * along, 0, atol=1e-12)


def test_a_screw_has_its_thread():
    model = mbs.SpatialModel("screw")
    nut = model.body("nut")
    screw = mbs.Screw("S", model.ground, nut, at=(0, 0, 0), axis=(0, 0, 1), pitch=0.05)
    model.add(screw, mbs.Driver("turn", mbs.angle(screw), 2 * WHOLE_TURN))
    scene = scene_of(mbs.kinematics(model, np.linspace(0, 1, 41)))
    rail, thread, sleeve = scene.joints["S"]
    points = thread.path[0]
    angle = np.unwrap(np.arctan2(points[:, 1], points[:, 0]))
    np.testing.assert_allclose(np.diff(points[:, 2]) / np.diff(angle), 0.05 / (2 * np.pi), rtol=1e-6)
    assert np.ptp(sleeve.path[:, :, 2].mean(axis=1)) == pytest.approx(0.1, abs=1e-3)
    assert np.ptp(points[:, 2]) > 0.1


def test_links_balls_slots_and_faces():
    model = mbs.SpatialModel("links")
    crank = model.link("crank", (0, 0, 0), (0.1, 0, 0))
    pearl, sled = model.body("pearl", position=(0.25, 0.3, 0)), model.body("sled", position=(0, 0, 0.4))
    pin = mbs.Revolute("A", model.ground, crank, at=(0, 0, 0), axis=(0, 1, 0))
    model.add(
        pin,
        mbs.Distance("rod", crank.head, pearl),
        mbs.PointOnLine("slot", model.ground.at(0, 0.3, 0, axis=(1, 0, 0)), pearl),
        mbs.Planar("table", model.ground, sled, at=(0, 0, 0.4), axis=(0, 0, 1)),
        mbs.Driver("motor", mbs.angle(pin), mbs.t),
        mbs.Driver("x", mbs.x(sled), 0.1 * mbs.t),
        mbs.Driver("y", mbs.y(sled), -0.1 * mbs.t),
        mbs.Driver("turn", mbs.wz(sled), 0),
        *(mbs.Driver(f"still_{name}", of(pearl), 0) for name, of in (("x", mbs.wx), ("y", mbs.wy), ("z", mbs.wz))),
    )
    result = mbs.kinematics(model, np.linspace(0, 1, 11))
    scene = scene_of(result, fps=10)
    bar, *balls = scene.joints["rod"]
    ends = [points_at(result, "crank.head", 10), points_at(result, "pearl", 10)]
    np.testing.assert_allclose(bar.path[10], ends, atol=1e-9)
    np.testing.assert_allclose([ball.path[10, 0] for ball in balls], ends, atol=1e-9)
    groove = scene.joints["slot"][0].path[0]
    np.testing.assert_allclose(groove[:, 1:], [[0.3, 0]] * 2, atol=1e-12)
    assert groove[:, 0].min() < result["pearl.x"].min() and groove[:, 0].max() > result["pearl.x"].max()
    patch, foot = scene.joints["table"]
    np.testing.assert_allclose(patch.path[..., 2], 0.4, atol=1e-12)
    assert (patch.path[0].min(axis=0)[:2] < foot.path[:, 0, :2].min(axis=0)).all()
    assert (patch.path[0].max(axis=0)[:2] > foot.path[:, 0, :2].max(axis=0)).all()


def test_wheels_in_mesh_meet():
    model = mbs.SpatialModel("gears")
    wheel, pinion = model.body("wheel"), model.body("pinion", position=(0.3, 0, 0))
    A = mbs.Revolute("A", model.ground, wheel, at=(0, 0, 0), axis=(0, 1, 0))
    B = mbs.Revolute("B", model.ground, pinion, at=(0.3, 0, 0), axis=(0, 1, 0))
    model.add(A, B, mbs.Gear("mesh", A, B, ratio=0.5), mbs.Driver("motor", mbs.angle(A), mbs.t))
    scene = scene_of(mbs.kinematics(model, np.linspace(0, 1, 11)), fps=10)
    spokes = [piece.path for piece in scene.joints["mesh"] if piece.path.shape[1] == 2]
    lengths = [np.linalg.norm(path[0, 1] - path[0, 0]) for path in spokes]
    np.testing.assert_allclose(lengths, [0.2, 0.1])
    ways = [path[:, 1] - path[:, 0] for path in spokes]
    turned = [np.unwrap(np.arctan2(-way[:, 2], way[:, 0]))[-1] for way in ways]
    np.testing.assert_allclose(turned, [1.0, -2.0], atol=1e-6)


def test_a_flat_follower_touches_its_cam():
    model = mbs.SpatialModel("cam")
    cam, lifter = model.body("cam"), model.body("lifter", position=(0, 0, 0.05))
    shaft = mbs.Revolute("C", model.ground, cam, at=(0, 0, 0), axis=(0, -1, 0))
    frame = {"axis": (0, -1, 0), "x_axis": (1, 0, 0)}
    model.add(
        shaft,
        mbs.Prismatic("guide", model.ground, lifter, at=(0, 0, 0.07), axis=(0, 0, 1)),
        mbs.CamFollower(
            "touch",
            cam.at(0, 0, 0, **frame),
            lifter.at(0, 0, 0, **frame),
            profile=0.03 + 0.006 * sp.cos(mbs.theta),
            follower="flat",
        ),
        mbs.Driver("motor", mbs.angle(shaft), 5 * mbs.t),
    )
    result = mbs.kinematics(model, np.linspace(0, 1, 21))
    scene = scene_of(result, fps=20)
    _, curve, face, dot = (piece.path for piece in scene.joints["touch"])
    np.testing.assert_allclose(curve[..., 2].max(axis=1), result["lifter.z"], atol=2e-5)
    np.testing.assert_allclose(dot[:, 0, 2], result["lifter.z"], atol=2e-5)
    np.testing.assert_allclose(face[..., 2], result["lifter.z"][:, None] * [1, 1], atol=1e-9)


# --- forces -----------------------------------------------------------------------------------------------------


def test_springs_coil_and_dampers_slide_between_their_ends(pendulum):
    scene = scene_of(pendulum, fps=50)
    coil = scene.forces["s"][0].path
    for pose in (0, 20):
        ends = [[0.5, 0, 0.4], points_at(pendulum, "rod.head", pose)]
        np.testing.assert_allclose(coil[pose][[0, -1]], ends, atol=1e-6)
    lead, cylinder, _, piston, rod = (piece.path for piece in scene.forces["d"][:5])
    way = rod[:, 1] - lead[:, 0]
    along = way / np.linalg.norm(way, axis=1, keepdims=True)
    at = [
        np.einsum("ki,ki->k", path - lead[:, 0], along)
        for path in (cylinder[:, 0], piston.mean(axis=1), cylinder[:, 1])
    ]
    assert (at[0] < at[1]).all() and (at[1] < at[2]).all()
    assert np.ptp(at[1] - at[0]) > 0.5 * (at[2] - at[0])[0]


def test_an_arrow_has_the_direction_of_its_force_and_its_size(pendulum):
    scene = scene_of(pendulum, fps=50)
    shaft, head = scene.forces["push"]
    way = head.path[:, 0] - shaft.path[:, 0]
    force = np.stack([3.0 + 0 * pendulum.t, 1.0 + 0 * pendulum.t, 4 * pendulum.t], axis=-1)
    largest = np.linalg.norm(force, axis=1).max()
    np.testing.assert_allclose(way / np.linalg.norm(way, axis=1).max(), force / largest, atol=1e-9)
    np.testing.assert_allclose(shaft.path[20, 0], points_at(pendulum, "rod.head", 20), atol=1e-6)


def test_kinematics_shows_constant_forces_in_turning_axes():
    model = mbs.SpatialModel("turning")
    rod = model.link("rod", (0, 0, 0), (0.3, 0, 0))
    pin = mbs.Revolute("A", model.ground, rod, at=(0, 0, 0), axis=(0, 0, 1))
    model.add(
        pin,
        mbs.Force("follow", rod.head, (0, 5, 0), axes="body"),
        mbs.Force("wind", rod.head, (0, sp.sin(mbs.t), 0)),
        mbs.Driver("motor", mbs.angle(pin), mbs.t),
    )
    scene = scene_of(mbs.kinematics(model, np.linspace(0, 1, 11)), fps=10)
    assert scene.forces["wind"] == []
    shaft, head = scene.forces["follow"]
    way = (head.path[:, 0] - shaft.path[:, 0])[10]
    np.testing.assert_allclose(way / np.linalg.norm(way), [-np.sin(1.0), np.cos(1.0), 0.0], atol=1e-9)


def test_ends_that_meet_do_no_harm():
    model = mbs.SpatialModel("touching")
    ball = model.body("ball", mass=1.0, inertia=1.0)
    model.add(
        mbs.Spring("s", model.ground.at(0.1, 0, 0), ball, stiffness=100, length=0.1), mbs.Force("f", ball, (0, 0, 0))
    )
    result = mbs.simulate(model, [0.0, 0.1])
    spring, force = result.sketch.elements
    met = replace(spring, markers=(spring.markers[1],) * 2)
    met_result = replace(result, sketch=replace(result.sketch, elements=(met, force)))
    for piece in (p for pieces in scene_of(met_result, fps=50).forces.values() for p in pieces):
        assert np.isfinite(piece.path).all()
    assert met_result.draw()._repr_png_().startswith(PNG)


# --- the picture ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["shafts", "pendulum", "brick", "rolling"])
def test_limits_hold_the_motion_in_one_scale(name, request):
    scene = scene_of(request.getfixturevalue(name))
    limits = np.array([scene.ax.get_xlim(), scene.ax.get_ylim(), scene.ax.get_zlim()])
    for group in (scene.bodies, scene.joints, scene.forces):
        for piece in (p for pieces in group.values() for p in pieces):
            points = piece.path.reshape(-1, 3)
            points = points[np.isfinite(points).all(axis=1)]
            assert (points >= limits[:, 0] - 1e-9).all() and (points <= limits[:, 1] + 1e-9).all()
    sides, box = np.ptp(limits, axis=1), scene.ax.get_box_aspect()
    np.testing.assert_allclose(box / sides, box[0] / sides[0])
    assert sides.min() >= 0.29 * sides.max()


def test_lengths_on_the_paper_are_to_scale(shafts):
    """Whatever its depth, a metre across the view has one length; and along it, none."""
    scene = scene_of(shafts)
    scene.figure.draw_without_rendering()
    camera = Camera.of(scene.ax)
    points = np.array([[0, 0, 0], camera.right, camera.up, 0.1 * camera.toward]) * 0.1
    seen = scene.ax.get_proj() @ np.vstack([points.T, np.ones(4)])
    x, right, up, toward = scene.ax.transData.transform(seen[:2].T)
    assert np.linalg.norm(right - x) == pytest.approx(np.linalg.norm(up - x), rel=1e-9)
    np.testing.assert_allclose([(right - x)[1], (up - x)[0], *(toward - x)], 0, atol=1e-6)


def test_limits_stay_from_frame_to_frame(shafts):
    scene = scene_of(shafts)
    limits = scene.ax.get_xlim(), scene.ax.get_ylim(), scene.ax.get_zlim()
    artists = [*scene.ax.get_children()]
    for pose in range(len(scene)):
        scene.show(pose)
    assert (scene.ax.get_xlim(), scene.ax.get_ylim(), scene.ax.get_zlim()) == limits
    assert scene.ax.get_children() == artists  # moved, not made anew


@pytest.fixture(scope="module")
def arm():
    """Two links, much wider on the paper than they are high."""
    model = mbs.SpatialModel("arm", gravity=(0, 0, -9.81))
    upper = model.link("upper", (0, 0, 0), (0.4, 0.1, 0.2), mass=1, radius=0.02)
    fore = model.link("fore", (0.4, 0.1, 0.2), (0.6, 0.5, 0.1), mass=1, radius=0.02)
    model.add(mbs.Revolute("U", model.ground, upper, at=(0, 0, 0), axis=(0, 0, 1)))
    model.add(mbs.Revolute("S", upper, fore, at=(0.4, 0.1, 0.2), axis=(0, 1, 0)))
    return mbs.simulate(model, [0, 0.1])


@pytest.mark.parametrize("name", ["shafts", "pendulum", "brick", "arm"])
@pytest.mark.parametrize("size", [(6.4, 4.8), (4.0, 3.0)])
def test_nothing_leaves_the_paper_and_words_touch_nothing(name, size, request):
    scene = scene_of(request.getfixturevalue(name), size=size)
    canvas = FigureCanvasAgg(scene.figure)
    canvas.draw()
    renderer = canvas.get_renderer()
    corner = [artist for artist in scene.corner.triad if isinstance(artist, Text)]
    words = [scene.ax.title, *corner, scene.corner.note]
    boxes = [word.get_window_extent(renderer) for word in words]
    boxes += [box_of_name(scene, label) for label in scene.labels.values()]
    drawn = pixels(scene.ax, *(piece.path for piece in scene.mechanism))
    for k, box in enumerate(boxes):
        assert not box.count_overlaps(boxes[:k])
        assert box.x0 >= 0 and box.y0 >= 0 and box.x1 <= scene.figure.bbox.x1 and box.y1 <= scene.figure.bbox.y1
        assert k >= len(words) or not box.count_contains(drawn)
    seen = np.concatenate([drawn, pixels(scene.ax, scene.floor.grid)])
    low, high = seen.min(axis=0), seen.max(axis=0)
    assert (low >= 0).all() and (high <= scene.figure.bbox.p1).all()
    assert ((high - low) / scene.figure.bbox.size).max() > 0.7  # and the paper is well used


def box_of_name(scene, label, pose=0):
    """Where matplotlib draws it: of words in space it tells the size alone."""
    (middle,), size = pixels(scene.ax, label.path[pose, :1]), label.artist.get_window_extent().size
    return Bbox([middle - size / 2, middle + size / 2])


def pixels(ax, *paths):
    points = np.concatenate([path.reshape(-1, 3) for path in paths])
    points = points[np.isfinite(points).all(axis=1)]
    seen = ax.get_proj() @ np.vstack([points.T, np.ones(len(points))])
    return ax.transData.transform((seen[:2] / seen[3]).T)


@pytest.mark.parametrize("name", ["shafts", "pendulum", "brick", "rolling"])
def test_a_floor_of_round_squares_lies_under_all_of_it(name, request):
    scene = scene_of(request.getfixturevalue(name))
    floor = scene.floor
    assert scene.corner.note.get_text() == f"one square: {floor.step:g} m"
    assert float(f"{floor.step:.0e}"[0]) in (1, 2, 5)
    lines = np.concatenate([floor.low, floor.high]) / floor.step
    np.testing.assert_allclose(lines, np.round(lines), atol=1e-9)
    for piece in scene.mechanism:
        points = piece.path.reshape(-1, 3)
        points = points[np.isfinite(points).all(axis=1)]
        assert (points[:, 2] >= floor.level - 1e-9).all()
        assert (points[:, :2] >= floor.low - 1e-9).all() and (points[:, :2] <= floor.high + 1e-9).all()


def test_shadows_fall_straight_down(shafts):
    scene = scene_of(shafts, fps=40)
    (rod,) = scene.bodies["first"]
    fallen = [p for p in scene.moving if p.track.over(scene.motion).shape == rod.path.shape and p is not rod]
    shadow = next(p.artist for p in fallen if p.artist.get_color() == SHADOW)
    for pose in (0, 13):
        scene.show(pose)
        x, y, z = shadow.get_data_3d()
        np.testing.assert_allclose(np.transpose([x, y]), rod.path[pose, :, :2])
        np.testing.assert_allclose(z, scene.floor.level)
    scene = scene_of(shafts, view=(-20, -58))  # from below none is seen
    assert len(scene.moving) == len(scene.mechanism) + len(scene.labels)


def test_a_picture_on_its_head_has_its_floor_where_z_ends(shafts):
    scene = scene_of(shafts, view=(-24, -58, 180))
    assert scene.floor.level == pytest.approx(scene.corners[1][2])
    assert len(scene.moving) > len(scene.mechanism) + len(scene.labels)


def test_names_stand_beside_their_bodies_on_the_paper(shafts):
    scene = scene_of(shafts)
    FigureCanvasAgg(scene.figure).draw()
    for name, label in scene.labels.items():
        box = box_of_name(scene, label)
        start, end = skeleton(scene.stage, next(b for b in shafts.sketch.bodies if b.name == name))[0][:2]
        seen = scene.ax.get_proj() @ np.vstack([np.transpose([start, end]), np.ones(2)])
        start, end = scene.ax.transData.transform(seen[:2].T)
        assert label.artist.get_text() == name
        assert not box.count_contains(start + np.linspace(0, 1, 200)[:, None] * (end - start))
        assert np.hypot(*(np.mean(box.get_points(), axis=0) - (start + end) / 2)) < np.hypot(*(end - start))


def test_nearer_things_cover_those_behind_them():
    """Two blocks that circle each other: each is in front for half of the time."""
    model = mbs.SpatialModel("circling")
    for name, sign in (("one", 1), ("two", -1)):
        body = model.body(name, position=(sign, 0, 0))
        pin = mbs.Revolute(f"pin_{name}", model.ground, body, at=(0, 0, 0), axis=(0, 0, 1))
        model.add(pin, mbs.Driver(f"turn_{name}", mbs.angle(pin), WHOLE_TURN))
    scene = scene_of(mbs.kinematics(model, np.linspace(0, 1, 41)), view=(20, -90), fps=8)
    for pose in (1, 2, 3, 5, 6, 7):
        scene.show(pose)
        one, two = (scene.bodies[name][0] for name in ("one", "two"))
        in_front = one.path[pose, :, 1].mean() < two.path[pose, :, 1].mean()  # seen from -y
        assert (one.artist.get_zorder() > two.artist.get_zorder()) == in_front


def test_a_joint_is_never_hidden_by_the_bodies_that_it_joins(shafts):
    scene = scene_of(shafts)
    for pose in range(0, len(scene), 5):
        scene.show(pose)
        bodies = [piece.artist.get_zorder() for name in ("first", "second") for piece in scene.bodies[name][:1]]
        assert all(piece.artist.get_zorder() > max(bodies) for piece in scene.joints["U"])


def test_where_it_is_seen_from(shafts):
    (ax,) = shafts.draw(view=(10, 30)).axes
    assert (ax.elev, ax.azim) == (10, 30)
    (usual,) = shafts.draw().axes
    assert (usual.elev, usual.azim) == (24, -58)
    for view in ("top", (1,), (1, 2, 3, 4), (120, 0), (np.nan, 0), (10, 30, np.nan)):
        with refused("not-a-view", argument="view"):
            shafts.draw(view=view)


def test_a_third_angle_rolls_the_picture(shafts):
    """The camera that labels and orders go by sees what matplotlib draws."""
    (ax,) = shafts.draw(view=(20, -50, 35)).axes
    camera, corner = Camera.of(ax), np.array([ax.get_xlim()[0], ax.get_ylim()[0], ax.get_zlim()[0]])
    for direction in np.eye(3):
        (x0, y0), (x1, y1) = (ax.transData.transform(_projected(ax, p)) for p in (corner, corner + 0.1 * direction))
        drawn, seen = np.array([x1 - x0, y1 - y0]), camera.on_paper(direction)
        assert drawn @ [seen[1], -seen[0]] == pytest.approx(0.0, abs=1e-6 * np.linalg.norm(drawn)) and drawn @ seen > 0


def _projected(ax, point):
    x, y, _, w = ax.get_proj() @ [*point, 1.0]
    return x / w, y / w


def test_an_axis_that_is_seen_end_on_has_no_name(shafts):
    scene = scene_of(shafts, view=(0, -90))
    assert [artist.get_text() for artist in scene.corner.triad if isinstance(artist, Text)] == ["x", "z"]


def test_a_view_is_for_space_alone():
    model = mbs.PlanarModel("flat")
    rod = model.link("rod", (0, 0), (1, 0))
    model.add(mbs.Revolute("O", model.ground, rod.tail), mbs.Driver("motor", mbs.angle(model.ground, rod), mbs.t))
    with refused("not-spatial", argument="view", mentions="flat"):
        mbs.kinematics(model, [0.0, 1.0]).draw(view=(30, 30))


def test_draw_into_given_axes(shafts):
    figure = Figure()
    left, right = figure.add_subplot(121, projection="3d"), figure.add_subplot(122)
    left.view_init(elev=5, azim=7)
    assert shafts.draw(4, left, trace="second.flag") is figure
    assert left.get_title() == "t = 0.10 s" and (left.elev, left.azim) == (5, 7)
    assert left.get_legend() is not None
    with refused("not-spatial", argument="ax"):
        shafts.draw(3, right)


def test_a_state_draws_itself():
    model = mbs.SpatialModel("still")
    rod = model.link("rod", (0, 0, 0), (0, 0, 1))
    model.add(mbs.Revolute("O", model.ground, rod, at=(0, 0, 0), axis=(1, 0, 0)))
    figure = mbs.assemble(model).draw()
    assert isinstance(figure.axes[0], Axes3D) and figure._repr_png_().startswith(PNG)


# --- time -------------------------------------------------------------------------------------------------------


def test_frames_between_poses_are_rotations(brick):
    coarse = mbs.simulate(
        _brick_model(),
        np.linspace(0, 4, 41),
        initial={"brick.vx": 0.1, "brick.vz": 0.05, "brick.wx": 0.05, "brick.wy": 3.0},
    )
    motion = frames_of(coarse, 50, 1.0)
    frame = motion.frames["brick"]
    np.testing.assert_allclose(np.linalg.norm(frame[:, 3:], axis=1), 1, atol=1e-12)
    fine = brick.rotation("brick")
    ends = motion.places("brick", np.eye(3)) - motion.places("brick", np.zeros((1, 3)))
    np.testing.assert_allclose(ends.transpose(0, 2, 1), fine, atol=2e-5)


def _brick_model():
    model = mbs.SpatialModel("brick")
    model.body("brick", mass=1.0, inertia=(1.0, 2.0, 2.5))
    return model


def test_both_signs_of_a_quaternion_are_one_attitude(shafts):
    q = shafts.q.copy()
    q[20:, 3:7] *= -1.0
    flipped = replace(shafts, q=q)
    same, other = (poses_of(result, 33) for result in (shafts, flipped))
    for body in ("first", "second"):
        np.testing.assert_allclose(same.frames[body], other.frames[body], atol=1e-12)


def test_a_sweep_shows_each_value_with_its_own_dimensions():
    model = mbs.SpatialModel("reach")
    r = model.parameter("r", 0.2, unit="m")
    arm = model.link("arm", (0, 0, 0), (0, 0.2, 0), length=r)
    pin = mbs.Revolute("A", model.ground.at(0, 0, 0, axis=(1, 0, 0)), arm.at(-r / 2, 0, 0, axis=(0, -1, 0)))
    model.add(pin, mbs.Driver("held", mbs.angle(pin), 0.5))
    radii = np.linspace(0.1, 0.3, 5)
    result = mbs.sweep(model, "r", radii)
    scene = result.animate().scene
    assert len(scene) == 5
    scene.show(4)
    assert scene.ax.get_title() == "r = 0.3 m"
    (rod,) = scene.bodies["arm"]
    np.testing.assert_allclose(np.linalg.norm(rod.path[:, 1] - rod.path[:, 0], axis=1), radii, atol=1e-9)


def test_a_trace_is_the_path_with_a_dot_on_it(shafts):
    scene = scene_of(shafts, trace="second.flag", fps=40)
    path = np.stack([shafts[f"second.flag.{axis}"] for axis in "xyz"])
    np.testing.assert_array_equal(scene.traces["second.flag"].artist.get_data_3d(), path)
    scene.show(5)
    np.testing.assert_allclose(np.ravel(scene.riders["second.flag"].artist.get_data_3d()), path[:, 5], atol=1e-9)
    (legend,) = scene.figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["path of second.flag"]
    FigureCanvasAgg(scene.figure).draw()
    assert legend.get_window_extent().y1 <= scene.corner.note.get_window_extent().y0
    assert legend.get_window_extent().y1 <= pixels(scene.ax, scene.floor.grid)[:, 1].min()


# --- files ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_gif_and_png(shafts, tmp_path):
    path = shafts.animate(tmp_path / "motion.gif", fps=10, trace="second.flag", size=(4, 3))
    with Image.open(path) as film:
        assert (film.n_frames, film.size) == (11, (400, 300))
        film.seek(3)
        later = np.asarray(film.convert("RGB"))
        film.seek(0)
        assert (later != np.asarray(film.convert("RGB"))).any()
    assert shafts.animate(tmp_path / "still.png", size=(4, 3)).read_bytes().startswith(PNG)
    film = shafts.animate(size=(4, 3))
    assert film._still().axes[0].get_title() == "t = 0.00 s … 1.00 s"


def test_frames_are_what_a_full_drawing_shows(pendulum):
    """Only what moves is drawn anew for each frame; that must not be seen."""
    scene = scene_of(pendulum, size=(4, 3))
    *_, last = films.pictures(scene, [9])
    canvas = FigureCanvasAgg(scene.figure)
    scene.show(9)
    canvas.draw()
    full = np.asarray(canvas.buffer_rgba())[..., :3]
    assert (np.abs(last.astype(int) - full) > 40).mean() < 0.002


@pytest.mark.skipif(not films.FFMpegWriter.isAvailable(), reason="ffmpeg is not installed")
def test_mp4_is_written(shafts, tmp_path):
    path = shafts.animate(tmp_path / "film.mp4", fps=10, size=(3, 2))
    assert path.read_bytes()[4:8] == b"ftyp"


def test_film_plays_in_a_notebook(shafts):
    film = shafts.animate(fps=4, size=(3, 2))
    assert film._repr_html_().count("<iframe") == 1 and len(film) == 5


def test_a_loaded_result_draws_the_same(pendulum, tmp_path):
    loaded = mbs.load(pendulum.save(tmp_path / "pendulum.npz"))
    assert loaded.sketch == pendulum.sketch and loaded.sketch.dimension == 3
    drawn, again = scene_of(pendulum), scene_of(loaded)
    for groups, same in ((drawn.bodies, again.bodies), (drawn.joints, again.joints), (drawn.forces, again.forces)):
        for name, pieces in groups.items():
            for piece, other in zip(pieces, same[name], strict=True):
                np.testing.assert_array_equal(piece.path, other.path)


def test_a_run_that_stopped_says_so(shafts):
    stopped = replace(shafts, success=False, message="dead point at t = 0.61")
    figure = stopped.animate().figure
    assert figure.get_suptitle() == "stopped early: dead point at t = 0.61"
    FigureCanvasAgg(figure).draw()
    assert not figure._suptitle.get_window_extent().overlaps(figure.axes[0].title.get_window_extent())


# --- curves -----------------------------------------------------------------------------------------------------


def test_a_path_in_space(shafts):
    figure = shafts.plot_path("second.flag", "first.head")
    (ax,) = figure.axes
    flag = np.stack([shafts[f"second.flag.{axis}"] for axis in "xyz"])
    path = next(line for line in ax.get_lines() if line.get_label() == "second.flag")
    np.testing.assert_array_equal(path.get_data_3d(), flag)
    starts = [line.get_data_3d() for line in ax.get_lines() if line.get_markerfacecolor() == "white"]
    assert any(np.array_equal(start, flag[:, :1]) for start in starts)
    seen = pixels(ax, flag.T)
    assert (seen > 0).all() and (seen < figure.bbox.p1).all()
    assert [t.get_text() for t in figure.legends[0].get_texts()] == ["second.flag", "first.head", "start"]


def test_reactions_have_a_panel_of_forces_and_one_of_moments(pendulum):
    figure = pendulum.plot_reaction("O", "s")
    labels = ["O: force on rod\n[N]", "O: moment on rod\n[N m]", "s: force on rod\n[N]"]
    assert [ax.get_ylabel() for ax in figure.axes] == labels  # a spring has no moment
    wrench = pendulum.reaction("O")
    drawn = {line.get_label(): line.get_ydata() for line in figure.axes[0].get_lines()}
    assert [*drawn] == ["$F_x$", "$F_y$", "$F_z$", "$|F|$"]
    for k, label in enumerate(("$F_x$", "$F_y$", "$F_z$")):
        np.testing.assert_array_equal(drawn[label], wrench[:, k])
    np.testing.assert_allclose(drawn["$|F|$"], np.linalg.norm(wrench[:, :3], axis=1))
    moments = figure.axes[1].get_lines()
    np.testing.assert_array_equal(moments[0].get_ydata(), wrench[:, 3])
    np.testing.assert_array_equal(moments[2].get_ydata(), wrench[:, 5])
    assert [t.get_text() for t in figure.axes[1].get_legend().get_texts()] == ["$M_x$", "$M_y$", "$M_z$", "$|M|$"]
    turned = pendulum.plot_reaction("O", axes="second")
    assert turned.axes[0].get_title(loc="right") == "in the axes of the second body"
    np.testing.assert_array_equal(turned.axes[0].get_lines()[0].get_ydata(), pendulum.reaction("O", "second")[:, 0])


def test_polar_diagrams_are_for_the_plane(pendulum):
    with refused("not-planar", argument="polar"):
        pendulum.plot_reaction("O", polar=True)


def test_what_is_not_unique_is_dashed_and_said():
    model = mbs.SpatialModel("door", gravity=(0, 0, -9.81))
    door = model.body("door", mass=20.0, inertia=(2.0, 1.0, 1.0), com=(0.4, 0, 0))
    model.add(
        mbs.Revolute("low", model.ground, door, at=(0, 0, -0.5), axis=(0, 0, 1)),
        mbs.Revolute("high", model.ground, door, at=(0, 0, 0.5), axis=(0, 0, 1)),
    )
    held = mbs.simulate(model, [0.0, 0.5, 1.0])
    unique = held.is_unique("low")
    assert not unique.all()
    figure = held.plot_reaction("low")
    for ax, columns in zip(figure.axes, (slice(0, 3), slice(3, 6)), strict=True):
        styles = [line.get_linestyle() for line in ax.get_lines()]
        expected = ["-" if known else "--" for known in unique[0, columns]]
        assert styles == [*expected, "-" if unique[0, columns].all() else "--"]
    assert "$F_z$ (not unique)" in [t.get_text() for t in figure.axes[0].get_legend().get_texts()]


def test_the_other_curves_know_space(pendulum):
    assert [ax.get_ylabel() for ax in pendulum.plot("rod.x", "rod.wy", "O.angle").axes] == [
        "length [m]",
        "angular velocity [rad/s]",
        "angle [rad]",
    ]
    assert len(pendulum.plot_violation().axes) == 3 and len(pendulum.plot_energy().axes) == 2


# --- shapes -----------------------------------------------------------------------------------------------------

CUBE = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]


@pytest.mark.parametrize(
    ("points", "faces", "edges"),
    [
        ([(0, 0, 0)], [], 0),
        ([(0, 0, 0), (0.1, 0.2, 0), (0, 0.2, 0)], [3], 3),
        ([(0, 0, 0), (1, 1, 1), (0.5, 0.5, 0.5)], [], 1),
        ([(0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1), (0.5, 0.5, 1)], [4], 4),
        ([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [3] * 4, 6),
        (CUBE, [4] * 6, 12),
    ],
)
def test_hull_of_points(points, faces, edges):
    found, between = hull(tuple(map(tuple, points)))
    assert [len(face) for face in found] == faces and len(between) == edges


@pytest.mark.parametrize(
    "shape",
    [solids.cuboid(1, 2, 3), solids.cylinder(1, 2), solids.pyramid(1, 2), (np.array(CUBE), hull(tuple(CUBE))[0])],
)
def test_faces_look_outward(shape):
    corners, faces = shape
    for face in faces:
        first, second, third = corners[list(face)][:3]
        normal = np.cross(second - first, third - second)
        assert normal @ (corners[list(face)].mean(axis=0) - corners.mean(axis=0)) > 0
