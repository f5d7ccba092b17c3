"""Pictures: what is drawn stands where the result says, every axis has its unit, and files are what they claim."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import matplotlib
import numpy as np
import pytest
import sympy as sp
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Polygon
from PIL import Image
from refusals import refused

import mbs_dae as mbs
from mbs_dae.readings.sketch import sketch_of
from mbs_dae.results.sketch import swept
from mbs_dae.tolerances import LOG_FLOOR
from mbs_dae.view import animation as films
from mbs_dae.view.animation import draw
from mbs_dae.view.drawing.bodies import distinct
from mbs_dae.view.drawing.motion import frames_of, interpolated, poses_of
from mbs_dae.view.plots import plot_stabilization, plot_violation, solid_and_dashed

PNG = b"\x89PNG\r\n\x1a\n"
OMEGA = 10.0


def slider_crank_model():
    model = mbs.PlanarModel("slider-crank")
    r, l = model.parameter("r", 0.10, unit="m"), model.parameter("l", 0.30, unit="m")
    crank = model.body("crank", position=(0.04, 0.03), angle=0.6)
    rod = model.body("rod", position=(0.22, 0.03), angle=-0.2)
    slider = model.body("slider", position=(0.37, 0.0))
    model.add(
        mbs.Revolute("A", model.ground.at(0, 0), crank.at(-r / 2, 0)),
        mbs.Revolute("B", crank.at(r / 2, 0), rod.at(-l / 2, 0)),
        mbs.Revolute("C", rod.at(l / 2, 0), slider.at(0, 0)),
        mbs.Translational("guide", model.ground.at(0, 0), slider.at(0, 0)),
        mbs.Driver("motor", mbs.angle(model.ground, crank), 0.6 + OMEGA * mbs.t),
    )
    return model


@pytest.fixture(scope="module")
def slider_crank():
    return mbs.kinematics(slider_crank_model(), np.linspace(0, 0.6, 121))


def massive_slider_crank():
    model = mbs.PlanarModel("slider-crank", gravity=(0, -9.81))
    crank = model.link("crank", (0, 0), (0.1, 0), mass=1.0)
    rod = model.link("rod", (0.1, 0), (0.4, 0), mass=2.0)
    slider = model.body("slider", mass=0.5, inertia=1e-3, position=(0.4, 0))
    model.add(
        mbs.Revolute("A", model.ground, crank.tail),
        mbs.Revolute("B", crank.head, rod.tail),
        mbs.Revolute("C", rod.head, slider.at(-0.03, 0)),
        mbs.Translational("guide", model.ground, slider),
        mbs.Driver("motor", mbs.angle(model.ground, crank), OMEGA * mbs.t),
    )
    return model


@pytest.fixture(scope="module")
def four_bar():
    model = mbs.PlanarModel("four-bar")
    crank = model.link("crank", (0, 0), (0, 0.1))
    coupler = model.link("coupler", (0, 0.1), (0.3, 0.25))
    rocker = model.link("rocker", (0.3, 0.25), (0.25, 0))
    coupler.marker("tip", 0.0, 0.15)
    model.add(
        mbs.Revolute("A", model.ground.at(0, 0), crank.tail),
        mbs.Revolute("B", crank.head, coupler.tail),
        mbs.Revolute("C", coupler.head, rocker.tail),
        mbs.Revolute("D", rocker.head, model.ground.at(0.25, 0)),
        mbs.Driver("motor", mbs.angle(model.ground, crank), sp.pi / 2 + 2 * sp.pi * mbs.t),
    )
    return mbs.kinematics(model, np.linspace(0, 1, 41))


@pytest.fixture(scope="module")
def wheels():
    """A planet between a sun and a fixed ring, and a pinion on a rack."""
    model = mbs.PlanarModel("wheels")
    sun, arm = model.body("sun"), model.body("arm")
    planet = model.body("planet", position=(0.06, 0))
    pinion, rack = model.body("pinion", position=(0.2, 0.05)), model.body("rack", position=(0.2, 0))
    model.add(
        mbs.Revolute("S", model.ground, sun),
        mbs.Revolute("O", model.ground, arm),
        mbs.Revolute("P", arm.at(0.06, 0), planet),
        mbs.Gear("inner", sun, planet, carrier=arm, ratio=0.5),
        mbs.Gear("outer", planet, model.ground, carrier=arm, ratio=4, mesh="internal"),
        mbs.Revolute("Q", model.ground.at(0.2, 0.05), pinion),
        mbs.Translational("way", model.ground, rack),
        mbs.RackAndPinion("teeth", pinion, rack, radius=0.05),
        mbs.Driver("motor", mbs.angle(model.ground, sun), 6 * mbs.t),
        mbs.Driver("second", mbs.angle(model.ground, pinion), mbs.t),
    )
    return mbs.kinematics(model, np.linspace(0, 1, 11))


def cam_model(profile, follower):
    model = mbs.PlanarModel("cam")
    model.parameter("lift", 0.004, unit="m")
    cam, lifter = model.body("cam"), model.body("lifter", position=(0, 0.035))
    model.add(
        mbs.Revolute("C", model.ground, cam),
        mbs.Translational("guide", model.ground.at(0, 0, angle=sp.pi / 2), lifter.at(0, 0.02, angle=sp.pi / 2)),
        mbs.CamFollower("touch", cam, lifter, profile=profile(model), follower=follower),
        mbs.Driver("motor", mbs.angle(model.ground, cam), 5 * mbs.t),
    )
    return model


@pytest.fixture(scope="module")
def cam():
    return mbs.kinematics(cam_model(smooth_profile, "point"), np.linspace(0, 1.2, 31))


@pytest.fixture(scope="module")
def flat_cam():
    return mbs.kinematics(cam_model(smooth_profile, "flat"), np.linspace(0, 1.2, 31))


def smooth_profile(model):
    lift = model.parameters["lift"].symbol
    return 0.03 + lift * sp.cos(mbs.theta) + 0.001 * sp.cos(2 * mbs.theta)


def scene_of(result, **options):
    return result.animate(**options).scene


def pieces_of(scene, name):
    return [*scene.bodies.get(name, []), *scene.joints.get(name, [])]


def labels_of(figure):
    return [(ax.get_xlabel(), ax.get_ylabel()) for ax in figure.axes]


# --- curves -----------------------------------------------------------------------------------------------------


def test_plot_has_one_panel_for_each_unit(slider_crank):
    figure = slider_crank.plot("slider.x", "slider.vx", "rod.y", "crank.angle")
    assert isinstance(figure, Figure)
    assert labels_of(figure) == [("", "length [m]"), ("", "velocity [m/s]"), ("t [s]", "angle [rad]")]
    assert [[t.get_text() for t in ax.get_legend().get_texts()] for ax in figure.axes] == [
        ["slider.x", "rod.y"],
        ["slider.vx"],
        ["crank.angle"],
    ]
    first, second = figure.axes[0].get_lines()
    np.testing.assert_array_equal(first.get_xydata(), np.c_[slider_crank.t, slider_crank["slider.x"]])
    np.testing.assert_array_equal(second.get_ydata(), slider_crank["rod.y"])
    assert first.get_color() != second.get_color()
    assert all(ax.get_xlim() == figure.axes[0].get_xlim() for ax in figure.axes)


def test_plot_takes_each_name_once_and_a_list_too(slider_crank):
    assert len(slider_crank.plot("slider.x", "slider.x").axes[0].get_lines()) == 1
    assert len(slider_crank.plot(["slider.x", "rod.x"]).axes[0].get_lines()) == 2


def test_plot_over_a_parameter_labels_it():
    model = slider_crank_model()
    result = mbs.sweep(model, "r", np.linspace(0.08, 0.12, 5))
    assert labels_of(result.plot("slider.x")) == [("r [m]", "length [m]")]


def test_plot_of_one_pose_shows_a_dot(slider_crank):
    pose = mbs.kinematics(slider_crank_model(), [0.1])
    assert pose.plot("slider.x").axes[0].get_lines()[0].get_marker() == "o"
    assert slider_crank.plot("slider.x").axes[0].get_lines()[0].get_marker() in ("", "None")


def test_plot_without_names_says_what_to_write(slider_crank):
    with refused("missing-argument", method="plot", kind="quantities", mentions="crank.x"):
        slider_crank.plot()
    with refused("missing-argument", method="plot_path", kind="points", mentions="crank"):
        slider_crank.plot_path()


def test_unknown_names_get_the_nearest_ones(slider_crank):
    with refused("unknown-name", kind="quantity", name="slidr.x", near=["slider.x", "slider.vx", "slider.ax"]):
        slider_crank.plot("slidr.x")
    with refused("unknown-name", kind="point", name="slidr", near=["slider"]):
        slider_crank.plot_path("slidr")
    with refused("unknown-name", kind="point", name="slidr", near=["slider"]):
        slider_crank.animate(trace="slidr")


def test_path_of_a_coupler_point(four_bar):
    figure = four_bar.plot_path("coupler.tip", "rocker")
    (ax,) = figure.axes
    assert labels_of(figure) == [("x [m]", "y [m]")]
    assert ax.get_aspect() == 1.0
    drawn = {line.get_label(): line for line in ax.get_lines()}
    path = drawn["coupler.tip"].get_xydata()
    np.testing.assert_array_equal(path, np.c_[four_bar["coupler.tip.x"], four_bar["coupler.tip.y"]])
    starts = [line for line in ax.get_lines() if np.array_equal(line.get_xydata(), path[:1])]
    (legend,) = figure.legends
    *curves, start = legend.legend_handles
    assert [t.get_text() for t in legend.get_texts()] == ["coupler.tip", "rocker", "start"]
    look = [(one.get_marker(), one.get_markerfacecolor(), one.get_markeredgecolor()) for one in (start, starts[-1])]
    assert look[0] == look[1]
    assert len({line.get_color() for line in curves}) == 2
    FigureCanvasAgg(figure).draw()
    assert legend.get_window_extent().y1 <= ax.get_tightbbox().y0  # so it covers no curve


def test_a_path_shows_the_mechanism_where_it_begins(four_bar):
    path, still = four_bar.plot_path("coupler.tip").axes[0], four_bar.draw(0).axes[0]
    drawn = [line.get_xydata() for line in path.get_lines()]
    for rod in (line for line in still.get_lines() if line.get_linewidth() == 6):
        assert any(np.array_equal(rod.get_xydata(), one) for one in drawn)
    assert max(line.get_alpha() or 1.0 for line in path.get_lines() if line.get_linewidth() == 6) < 0.5


@pytest.mark.parametrize("names", [("crank.x", "rocker.y", "crank.vx"), ("coupler.tip", "crank.angle")])
def test_legends_cover_no_curve(four_bar, names):
    figure = four_bar.plot(*[name for name in names if name in four_bar.all_names])
    FigureCanvasAgg(figure).draw()
    for ax in figure.axes:
        assert ax.get_legend().get_window_extent().x0 >= ax.bbox.x1


def test_violation_has_three_logarithmic_panels(slider_crank):
    figure = slider_crank.plot_violation()
    assert [ax.get_yscale() for ax in figure.axes] == ["log"] * 3
    assert [ax.get_ylabel().split("\n")[1] for ax in figure.axes] == [
        "[m or rad]",
        "[m/s or rad/s]",
        "[m/s² or rad/s²]",
    ]
    assert figure.axes[2].get_xlabel() == "t [s]"
    drawn = figure.axes[1].get_lines()[0].get_ydata()
    np.testing.assert_array_equal(drawn, np.maximum(slider_crank.violation.velocity, LOG_FLOOR))


def test_violation_of_zero_is_drawn_on_a_floor_and_says_so(slider_crank):
    rows = np.zeros_like(slider_crank.violation.rows)
    rows[0, 3:] = 1e-9
    figure = plot_violation(replace(slider_crank, violation=replace(slider_crank.violation, rows=rows)))
    position, velocity, _ = figure.axes
    assert position.get_title(loc="right") == "3 of 121 values are exactly zero, drawn at 1e-18"
    assert velocity.get_title(loc="right") == "all values are exactly zero, drawn at 1e-18"
    assert set(velocity.get_lines()[0].get_ydata()) == {LOG_FLOOR}
    assert velocity.get_ylim()[0] < LOG_FLOOR < velocity.get_ylim()[1]
    assert figure._repr_png_().startswith(PNG)


@pytest.mark.parametrize(
    "picture", [lambda r: r.plot("slider.x"), lambda r: r.plot_violation(), lambda r: r.animate().figure]
)
def test_a_run_that_stopped_says_so_in_its_pictures(slider_crank, picture):
    stopped = replace(slider_crank, success=False, message="dead point at t = 0.61")
    assert picture(stopped).get_suptitle() == "stopped early: dead point at t = 0.61"
    assert picture(slider_crank).get_suptitle() == ""


def test_settings_of_others_stay_as_they_are(slider_crank):
    before = dict(matplotlib.rcParams)
    slider_crank.plot("slider.x")
    slider_crank.plot_violation()
    slider_crank.animate()
    draw(slider_crank)
    assert dict(matplotlib.rcParams) == before


@pytest.mark.slow
def test_pictures_need_no_pyplot():
    program = "import sys, mbs_dae.view.animation, mbs_dae.view.plots; print('matplotlib.pyplot' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "False\n"


# --- the mechanism ----------------------------------------------------------------------------------------------


def test_joints_stand_where_the_result_says(slider_crank):
    scene = scene_of(slider_crank, fps=20)
    for pose, time in ((0, 0.0), (7, 0.35)):
        scene.show(pose)
        k = int(np.flatnonzero(np.isclose(slider_crank.t, time))[0])
        angle = slider_crank["crank.angle"][k]
        B = [0.1 * np.cos(angle), 0.1 * np.sin(angle)]
        C = [slider_crank["slider.x"][k], 0.0]
        for joint, place in (("A", [0, 0]), ("B", B), ("C", C)):
            np.testing.assert_allclose(scene.joints[joint][0].artist.get_xydata(), [place], atol=1e-12)
        np.testing.assert_allclose(scene.bodies["rod"][0].artist.get_xydata(), [B, C], atol=1e-12)
        assert scene.ax.get_title() == f"t = {time:.3f} s"


def test_a_slider_is_a_box_on_a_rail(slider_crank):
    scene = scene_of(slider_crank)
    rail, box = scene.joints["guide"]
    assert scene.bodies["slider"] == []
    scene.show(3)
    place = [np.interp(3 / 25, slider_crank.t, slider_crank["slider.x"]), 0.0]
    np.testing.assert_allclose(box.artist.get_xy()[:4].mean(axis=0), place, atol=1e-5)
    left, right = rail.artist.get_xdata()
    assert left < slider_crank["slider.x"].min() and right > slider_crank["slider.x"].max()
    np.testing.assert_array_equal(rail.artist.get_ydata(), [0, 0])


def test_the_rail_is_on_the_ground_whichever_marker_comes_first():
    model = mbs.PlanarModel("reversed")
    block = model.body("block", position=(0.1, 0))
    model.add(
        mbs.Translational("guide", block, model.ground),
        mbs.Driver("push", mbs.x(block), 0.1 + 0.2 * mbs.t),
    )
    rail, box = scene_of(mbs.kinematics(model, np.linspace(0, 1, 11))).joints["guide"]
    assert np.ptp(rail.path, axis=0).max() == 0
    np.testing.assert_allclose(box.path[-1].mean(axis=0), [0.3, 0], atol=1e-12)


def test_rails_and_boxes_turn_with_their_markers():
    model = mbs.PlanarModel("slope")
    block = model.body("block", position=(0.1, 0.06), angle=0.5)
    slope = model.ground.at(0, 0, angle=0.5)
    model.add(mbs.Translational("guide", slope, block), mbs.Driver("push", mbs.displacement(slope, block), 0.1 * mbs.t))
    rail, box = scene_of(mbs.kinematics(model, np.linspace(0, 1, 11))).joints["guide"]
    along, across = [np.cos(0.5), np.sin(0.5)], [-np.sin(0.5), np.cos(0.5)]
    np.testing.assert_allclose(rail.path @ across, 0, atol=1e-12)
    long_side, short_side = box.path[-1, 1] - box.path[-1, 0], box.path[-1, 2] - box.path[-1, 1]
    np.testing.assert_allclose([long_side @ across, short_side @ along], 0, atol=1e-12)
    np.testing.assert_allclose(box.path[-1].mean(axis=0), 0.1 * np.array(along), atol=1e-9)


def test_slots_links_and_welds():
    """A Scotch yoke that pulls a rope, with a plate welded on."""
    model = mbs.PlanarModel("yoke")
    crank = model.link("crank", (0, 0), (0.1, 0))
    yoke, plate = model.body("yoke", position=(0.1, 0)), model.body("plate", position=(0.3, 0))
    bob = model.link("bob", (0.4, 0), (0.4, -0.1))
    model.add(
        mbs.Revolute("A", model.ground.at(0, 0), crank.tail),
        mbs.PinInSlot("slot", yoke.at(0, 0, angle=sp.pi / 2), crank.head),
        mbs.Translational("guide", model.ground, yoke),
        mbs.Fixed("weld", yoke.at(0.2, 0), plate),
        mbs.Revolute("O", model.ground.at(0.4, 0), bob.tail),
        mbs.Distance("rope", plate, bob.head),
        mbs.Driver("motor", mbs.angle(model.ground, crank), 0.5 * mbs.t),
    )
    result = mbs.kinematics(model, np.linspace(0, 1, 11))
    scene = scene_of(result, fps=10)
    scene.show(10)
    x, head = result["yoke.x"][10], [result["crank.head.x"][10], result["crank.head.y"][10]]
    rim, hole, pin = (piece.artist for piece in scene.joints["slot"])
    np.testing.assert_allclose(pin.get_xydata(), [head], atol=1e-12)
    np.testing.assert_allclose(rim.get_xdata(), x, atol=1e-12)
    assert rim.get_ydata().min() < 0 and rim.get_ydata().max() > result["crank.head.y"].max()
    assert rim.get_linewidth() > hole.get_linewidth()
    assert scene.bodies["crank"][0].artist.get_zorder() > hole.get_zorder() > rim.get_zorder()  # seen through the slot
    np.testing.assert_allclose(scene.joints["weld"][0].artist.get_xydata(), [[x + 0.2, 0]], atol=1e-12)
    rope = [[x + 0.2, 0], [result["bob.head.x"][10], result["bob.head.y"][10]]]
    np.testing.assert_allclose(scene.joints["rope"][0].artist.get_xydata(), rope, atol=1e-12)


def test_a_driven_distance_is_drawn_as_a_link_unless_something_is_drawn_there():
    model = mbs.PlanarModel("flap")
    flap = model.link("flap", (0, 0), (1, 0))
    foot = model.ground.at(0, -1)
    spring = mbs.Spring("spring", foot, flap.head, stiffness=1.0, length=1.0)
    model.add(mbs.Revolute("A", model.ground, flap.tail), spring)
    way = 1.4 + 0.1 * mbs.t
    for measure, drawn in ((mbs.distance(foot, flap.head), True), (mbs.distance(spring), False)):
        result = mbs.kinematics(model.plus(mbs.Driver("jack", measure, way)), np.linspace(0, 1, 11))
        scene = scene_of(result, fps=10)
        scene.show(10)
        lines = [piece.path[10] for piece in scene.joints["jack"] if piece.path.shape[1] == 2]
        ends = [[0, -1], [result["flap.head.x"][10], result["flap.head.y"][10]]]
        assert any(np.allclose(line[:, :2], ends, atol=1e-12) for line in lines) == drawn
        assert drawn or not scene.joints["jack"]


def test_a_knife_edge_is_a_blade_along_its_way():
    model = mbs.PlanarModel("sleigh")
    sleigh = model.body("sleigh", mass=1.0, inertia=0.1)
    model.add(mbs.KnifeEdge("blade", model.ground, sleigh.at(-0.2, 0)))
    result = mbs.simulate(model, np.linspace(0, 1, 11), initial={"sleigh.vx": 1.0, "sleigh.omega": 2.0})
    (blade,) = scene_of(result, fps=10).joints["blade"]
    way = blade.path[:, 1] - blade.path[:, 0]
    np.testing.assert_allclose(np.arctan2(way[:, 1], way[:, 0]), result["sleigh.angle"], atol=1e-9)


def test_ground_pins_have_a_support_and_others_have_none(four_bar):
    scene = scene_of(four_bar)
    assert [len(scene.joints[name]) for name in "ABCD"] == [3, 1, 1, 3]
    triangle = scene.joints["D"][1].artist
    np.testing.assert_allclose(triangle.get_xy()[0], [0.25, 0.0], atol=1e-12)


def test_a_body_with_three_points_is_a_plate(four_bar):
    scene = scene_of(four_bar)
    plate, edge = scene.bodies["coupler"]
    assert isinstance(plate.artist, Polygon)
    tip = [four_bar["coupler.tip.x"][0], four_bar["coupler.tip.y"][0]]
    corners = plate.artist.get_xy()[:-1]
    assert np.isclose(corners, tip).all(axis=1).any() and len(corners) == 3
    np.testing.assert_array_equal(edge.path[:, 0], edge.path[:, -1])


def test_a_body_on_one_pin_hangs_by_its_centre_of_mass():
    model = mbs.PlanarModel("pendulum")
    bob = model.body("bob", com=(0.0, -0.5))
    model.add(mbs.Revolute("O", model.ground, bob), mbs.Driver("swing", mbs.angle(model.ground, bob), mbs.t))
    scene = scene_of(mbs.kinematics(model, np.linspace(0, 1, 3)), fps=2)
    rod, mass = scene.bodies["bob"]
    np.testing.assert_allclose(rod.path[2], [[0, 0], [0.5 * np.sin(1), -0.5 * np.cos(1)]], atol=1e-12)
    np.testing.assert_allclose(mass.path[:, 0], rod.path[:, 1])


def wheels_of(scene, name):
    """(centre, spoke) of each turning wheel at each pose."""
    paths = [piece.path for piece in scene.joints[name]]
    spokes = [path for path, rim in zip(paths, paths[1:], strict=False) if path.shape[1] == 2 < rim.shape[1]]
    return [(path[:, 0], path[:, 1] - path[:, 0]) for path in spokes]


def test_pitch_circles_meet(wheels):
    scene = scene_of(wheels)
    radii = {name: [np.hypot(*spoke[0]) for _, spoke in wheels_of(scene, name)] for name in scene.joints}
    np.testing.assert_allclose(radii["inner"], [0.04, 0.02], rtol=1e-5)
    np.testing.assert_allclose(radii["outer"], [0.02], rtol=1e-5)
    np.testing.assert_allclose(radii["teeth"], [0.05])
    ring = scene.joints["outer"][-1].path
    np.testing.assert_allclose(np.hypot(*ring[0].T), 0.08, rtol=1e-5)


def test_wheels_turn(wheels):
    (_, spoke), _ = wheels_of(scene_of(wheels, fps=10), "inner")
    np.testing.assert_allclose(np.unwrap(np.arctan2(spoke[:, 1], spoke[:, 0])), 6 * wheels.t, atol=1e-9)


def test_gears_without_a_constant_distance_have_no_circles():
    model = mbs.PlanarModel("apart")
    a, b = model.body("a"), model.body("b", position=(1, 0))
    model.add(
        mbs.Revolute("A", model.ground, a),
        mbs.Gear("mesh", a, b, ratio=1),
        mbs.Driver("turn", mbs.angle(model.ground, a), mbs.t),
        mbs.Driver("x", mbs.x(b), 1 + mbs.t),
        mbs.Driver("y", mbs.y(b), 0),
    )
    assert scene_of(mbs.kinematics(model, np.linspace(0, 1, 5))).joints["mesh"] == []


def test_the_cam_passes_through_the_follower(cam):
    scene = scene_of(cam)
    curve, dot = scene.joints["touch"][0].path, scene.joints["touch"][-1].path
    for pose in range(len(scene)):
        gap = np.hypot(*(curve[pose] - dot[pose]).T).min()
        assert gap < 0.035 * np.pi / 180  # half the way between two points of the curve


def test_a_flat_follower_touches_the_envelope(flat_cam):
    scene = scene_of(flat_cam)
    curve, _, face, dot = (piece.path for piece in scene.joints["touch"])
    height = np.interp(scene.motion.values, flat_cam.t, flat_cam["lifter.y"])
    for pose in range(len(scene)):
        assert curve[pose, :, 1].max() == pytest.approx(height[pose], abs=3e-5)  # below the face, and touching it
        np.testing.assert_allclose(dot[pose, 0, 1], height[pose], atol=3e-5)
        assert face[pose, 0, 0] <= dot[pose, 0, 0] <= face[pose, 1, 0]


def cam_outline(profile):
    touch = next(e for e in sketch_of(cam_model(profile, "point")).elements if e.kind == "contact")
    x, y = np.array(touch.outline).T
    return np.arctan2(y, x) % (2 * np.pi), np.hypot(x, y)


def test_outline_of_a_cam_given_by_a_motion():
    rise = mbs.Motion(start=0.03).rise(0.005, over=sp.pi / 2, law="harmonic").dwell(sp.pi / 2)
    angles, radii = cam_outline(lambda model: rise.return_(over=sp.pi, law="harmonic").repeat())
    expected = np.where(
        angles < np.pi / 2,
        0.0325 - 0.0025 * np.cos(2 * angles),
        np.where(angles < np.pi, 0.035, 0.0325 - 0.0025 * np.cos(angles)),
    )
    np.testing.assert_allclose(radii, expected, atol=1e-12)


def test_outline_of_a_cam_given_by_a_table():
    knots = np.linspace(0, 2 * np.pi, 91)
    angles, radii = cam_outline(lambda model: mbs.Table(knots, 0.03 + 0.004 * np.sin(knots), periodic=True))
    np.testing.assert_allclose(radii, 0.03 + 0.004 * np.sin(angles), atol=1e-8)


def test_a_cam_that_is_only_a_segment_is_drawn_as_far_as_it_goes(cam):
    model = cam_model(lambda model: 0.03 + 0.01 * sp.sqrt(sp.sin(mbs.theta) + 0.5), "point")
    scene = scene_of(replace(cam, sketch=sketch_of(model)))
    (curve,) = (p.path for p in scene.joints["touch"] if p.path.shape[1] > 2)
    assert 0.6 < np.isfinite(curve).all(axis=-1).mean() < 0.7
    assert np.isfinite([*scene.ax.get_xlim(), *scene.ax.get_ylim()]).all()


@pytest.mark.parametrize(
    ("points", "count"), [([], 0), ([(1, 2), (1, 2 + 1e-12)], 1), ([(0, 0), (1, 1), (0.5, 0.5), (1, 1)], 3)]
)
def test_points_that_coincide_are_one(points, count):
    assert distinct(points).shape == (count, 3)


def test_everything_is_within_the_axes_all_the_time(four_bar):
    scene = scene_of(four_bar, trace="coupler.tip")
    scene.figure.draw_without_rendering()
    (left, right), (low, high) = scene.ax.get_xlim(), scene.ax.get_ylim()
    for piece in (*scene.moving, *scene.traces.values()):
        points = piece.path.reshape(-1, 2)
        points = points[np.isfinite(points).all(axis=1)]
        assert (points > [left, low]).all() and (points < [right, high]).all()
    assert (scene.ax.get_window_extent().size > 0.75 * scene.figure.bbox.size).all()
    assert (right - left) / (high - low) == pytest.approx(np.divide(*scene.ax.get_window_extent().size), rel=0.01)


def test_labels_do_not_cover_bodies_at_first(four_bar):
    scene = scene_of(four_bar)
    FigureCanvasAgg(scene.figure).draw()
    for label in scene.labels.values():
        box = label.artist.get_window_extent()
        for pieces in scene.bodies.values():
            start, end = scene.ax.transData.transform(pieces[-1].path[0, :2])
            line = start + np.linspace(0, 1, 200)[:, None] * (end - start)
            assert not box.count_contains(line), label.artist.get_text()


def test_many_bodies_have_no_labels():
    model = mbs.PlanarModel("chain")
    last = model.ground.at(0, 0)
    for k in range(9):
        link = model.link(f"link{k}", (k, 0), (k + 1, 0))
        model.add(mbs.Revolute(f"R{k}", last, link.tail), mbs.Driver(f"D{k}", mbs.angle(model.ground, link), mbs.t))
        last = link.head
    chain = mbs.kinematics(model, [0.0, 1.0])
    assert scene_of(chain).labels == {}
    assert len(scene_of(chain).bodies) == 9


# --- forces -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def loaded_pendulum():
    """A rod on a pin between a spring and a damper, pushed by a force that follows its own speed."""
    model = mbs.PlanarModel("loaded", gravity=(0, -9.81))
    rod = model.link("rod", (0, 0), (0.5, 0), mass=2.0)
    model.add(
        mbs.Revolute("O", model.ground.at(0, 0), rod.tail),
        mbs.Spring("s", model.ground.at(0.5, 0.4), rod.head, stiffness=200),
        mbs.Damper("d", model.ground.at(0.3, -0.5), rod.at(0, 0), damping=4),
        mbs.Force("push", rod.head, (3 - model["rod.omega"], 4.0 * mbs.t)),
        mbs.Torque("twist", rod, 0.1),
    )
    return mbs.simulate(model, np.linspace(0, 1, 51))


def test_a_spring_is_a_zigzag_between_its_ends(loaded_pendulum):
    scene = scene_of(loaded_pendulum, fps=10)
    zigzag, first, wall, second = scene.forces["s"]
    scene.show(5)
    head = [np.interp(0.5, loaded_pendulum.t, loaded_pendulum[f"rod.head.{axis}"]) for axis in "xy"]
    points = zigzag.artist.get_xydata()
    np.testing.assert_allclose(points[[0, -1]], [[0.5, 0.4], head], atol=1e-5)
    along = np.array(head) - [0.5, 0.4]
    off = (points - [0.5, 0.4]) @ [-along[1], along[0]] / np.hypot(*along)
    assert (np.sign(off[2:-2]) == [1, -1, 1, -1, 1, -1]).all() and np.ptp(np.abs(off[2:-2])) < 1e-12
    np.testing.assert_allclose([first.path[5, 0], second.path[5, 0]], points[[0, -1]], atol=1e-12)
    np.testing.assert_allclose(np.nanmean(wall.path[0, :2], axis=0), [0.5, 0.4])


def test_the_piston_of_a_damper_goes_from_end_to_end_of_its_cylinder(loaded_pendulum):
    scene = scene_of(loaded_pendulum)
    foot, cylinder, piston, rod, *_ = (piece.path for piece in scene.forces["d"])
    way = rod[:, -1] - foot[:, 0]
    distance = np.hypot(*way.T)
    along = way / distance[:, None]
    bottom, top, plate = (
        np.einsum("tj,tj->t", path - foot[:, 0], along)
        for path in (cylinder[:, 1:3].mean(axis=1), cylinder[:, [0, 3]].mean(axis=1), piston.mean(axis=1))
    )
    assert (bottom < plate).all() and (plate < top).all()
    assert plate[distance.argmax()] - bottom[distance.argmax()] > 0.7 * (top - bottom)[0]
    assert plate[distance.argmin()] - bottom[distance.argmin()] < 0.3 * (top - bottom)[0]
    np.testing.assert_allclose((plate - bottom)[0], np.hypot(*(piston.mean(axis=1) - foot[:, 1])[0]))


def test_an_arrow_has_the_direction_of_its_force_and_its_size(loaded_pendulum):
    scene = scene_of(loaded_pendulum, fps=50)
    shaft, head = scene.forces["push"]
    force = np.stack([3 - loaded_pendulum["rod.omega"], 4 * loaded_pendulum.t], axis=-1)
    way = head.path[:, 0] - shaft.path[:, 0]
    np.testing.assert_allclose(way / np.hypot(*way.T).max(), force / np.hypot(*force.T).max(), atol=1e-9)
    start = np.stack([loaded_pendulum["rod.head.x"], loaded_pendulum["rod.head.y"]], axis=-1)
    np.testing.assert_allclose(shaft.path[:, 0], start, atol=1e-6)
    corners = (scene.ax.get_xlim()[0], scene.ax.get_ylim()[0]), (scene.ax.get_xlim()[1], scene.ax.get_ylim()[1])
    assert (head.path > corners[0]).all() and (head.path < corners[1]).all()


def test_what_a_force_only_reads_is_no_part_of_its_picture(loaded_pendulum):
    """The push reads the speed of the rod's own frame; it acts on the head, and there it is drawn."""
    (push,) = (e for e in loaded_pendulum.sketch.elements if e.name == "push")
    assert [marker[:2] for marker in push.markers] == [("rod", 0.25)]
    (twist,) = (e for e in loaded_pendulum.sketch.elements if e.name == "twist")
    assert twist.kind == "" and scene_of(loaded_pendulum).forces["twist"] == []


def test_kinematics_shows_forces_that_are_constant_and_no_others():
    model = slider_crank_model()
    slider, rod = model.bodies["slider"], model.bodies["rod"]
    model.add(
        mbs.Force("gas", slider, (-model.parameter("F", 50.0, unit="N"), 0)),
        mbs.Force("wind", rod.at(0, 0), (0, sp.sin(mbs.t))),
        mbs.Force("follow", rod.at(0, 0), (0, 50), axes="body"),
    )
    scene = scene_of(mbs.kinematics(model, np.linspace(0, 0.6, 13)), fps=20)
    assert scene.forces["wind"] == []
    gas, follow = (scene.forces[name][1].path[:, 0] - scene.forces[name][0].path[:, 0] for name in ("gas", "follow"))
    np.testing.assert_allclose(gas, [[-np.hypot(*gas[0]), 0]] * len(gas), atol=1e-12)
    angle = scene.motion.frames["rod"][:, 2]
    np.testing.assert_allclose(follow, np.hypot(*gas[0]) * np.stack([-np.sin(angle), np.cos(angle)], -1), atol=1e-9)


def test_a_spring_that_damps_has_a_damper_beside_it():
    model = mbs.PlanarModel("quarter car", gravity=(0, -9.81))
    car = model.body("car", mass=300, inertia=1, position=(0, 0.5))
    up = model.ground.at(0, 0, angle=sp.pi / 2)
    both = {"stiffness": 2e4, "damping": 1500}
    model.add(
        mbs.Translational("guide", up, car.at(0, 0, angle=sp.pi / 2)),
        mbs.SpringDamper("strut", model.ground, car, **both),
    )
    scene = scene_of(mbs.simulate(model, np.linspace(0, 1, 21)))
    assert len(scene.forces["strut"]) == 4 + 1 + 4 + 3  # two forks, a zigzag, a damper, two ends and a wall
    paths = [piece.path[:, :, 0] for piece in scene.forces["strut"][4:9]]
    assert (paths[0] <= 1e-9).all() and all((path >= 0).all() for path in paths[1:])


def test_ends_that_meet_do_no_harm():
    model = mbs.PlanarModel("touching")
    ball = model.body("ball", mass=1, inertia=1)
    model.add(mbs.Spring("s", model.ground.at(0.1, 0), ball, stiffness=100, length=0.1), mbs.Force("f", ball, (0, 0)))
    result = mbs.simulate(model, [0.0, 0.1])
    spring, force = result.sketch.elements
    met = replace(spring, markers=(("ball", 0.0, 0.0, 0.0),) * 2)
    met_result = replace(result, sketch=replace(result.sketch, elements=(met, force)))
    for piece in (p for pieces in scene_of(met_result, fps=50).forces.values() for p in pieces):
        assert np.isfinite(piece.path).all()
    assert draw(met_result)._repr_png_().startswith(PNG)


def test_energy_shows_the_ledger_and_its_error(loaded_pendulum):
    figure = loaded_pendulum.plot_energy()
    above, below = figure.axes
    energy = loaded_pendulum.energy
    drawn = {line.get_label(): line.get_ydata() for line in above.get_lines()}
    assert [*drawn] == ["kinetic", "potential", "dissipated", "supplied", "total"]
    for name, values in drawn.items():
        np.testing.assert_array_equal(values, getattr(energy, name))
    np.testing.assert_array_equal(below.get_lines()[0].get_ydata(), np.maximum(np.abs(energy.error[1:]), LOG_FLOOR))
    assert labels_of(figure) == [("", "energy [J]"), ("t [s]", "|error of total|\n[J]")]
    assert (below.get_yscale(), len(figure.legends)) == ("log", 1)


def test_reactions_have_a_panel_each_and_moments_one_for_all(loaded_pendulum):
    figure = loaded_pendulum.plot_reaction("O", "s")
    assert [ax.get_ylabel() for ax in figure.axes] == ["O: force on rod\n[N]", "s: force on rod\n[N]"]
    fx, fy, size = figure.axes[0].get_lines()
    np.testing.assert_array_equal(fx.get_ydata(), loaded_pendulum.reaction("O")[:, 0])
    np.testing.assert_array_equal(fy.get_ydata(), loaded_pendulum.reaction("O")[:, 1])
    np.testing.assert_allclose(size.get_ydata(), np.hypot(fx.get_ydata(), fy.get_ydata()))
    assert [t.get_text() for t in figure.legends[0].get_texts()] == ["$F_x$", "$F_y$", "$|F|$"]
    inverse = mbs.inverse_dynamics(massive_slider_crank(), np.linspace(0, 0.6, 31))
    figure = inverse.plot_reaction("guide", "motor", axes="second")
    assert [ax.get_ylabel() for ax in figure.axes] == ["guide: force on slider\n[N]", "moment\n[N m]"]
    moment, torque = figure.axes[1].get_lines()
    np.testing.assert_array_equal(moment.get_ydata(), inverse.reaction("guide")[:, 2])
    np.testing.assert_allclose(torque.get_ydata(), inverse.effort("motor"))
    assert figure.axes[0].get_title(loc="right") == "in the axes of the second body"


def test_a_polar_diagram_is_the_path_of_the_force(loaded_pendulum):
    (ax,) = loaded_pendulum.plot_reaction("O", "s", polar=True, axes="second").axes
    path = ax.get_lines()[0]
    np.testing.assert_array_equal(path.get_xydata(), loaded_pendulum.reaction("O", "second")[:, :2])
    assert (ax.get_aspect(), ax.get_xlabel(), ax.get_ylabel()) == (1.0, "$F_x$ [N]", "$F_y$ [N]")
    assert [t.get_text() for t in ax.figure.legends[0].get_texts()] == ["O on rod", "s on rod", "start"]
    circles = [line.get_xydata() for line in ax.get_lines() if line.get_linestyle() == ":"]
    radii = [np.hypot(*circle[0]) for circle in circles]
    assert 1 <= len(radii) <= 4
    for radius, word in zip(radii, ax.texts, strict=True):  # each circle says its force
        assert word.get_text() == f"{radius:g} N" and np.hypot(*word.get_position()) == pytest.approx(radius)
    assert ax.get_title() == "in the axes of the second body"


def test_what_is_not_unique_is_dashed_and_said(loaded_pendulum):
    model = mbs.PlanarModel("beam on three pins", gravity=(0, -9.81))
    beam = model.body("beam", mass=3, inertia=1)
    model.add(
        mbs.Revolute("left", model.ground.at(-1, 0), beam.at(-1, 0)),
        mbs.Revolute("right", model.ground.at(1, 0), beam.at(1, 0)),
    )
    held = mbs.simulate(model, [0.0, 0.5, 1.0])
    np.testing.assert_array_equal(held.is_unique("left"), [[False, True, True]] * 3)
    figure = held.plot_reaction("left")
    fx, fy, size = figure.axes[0].get_lines()
    assert [line.get_linestyle() for line in (fx, fy, size)] == ["--", "-", "--"]
    told = [t.get_text() for t in figure.legends[0].get_texts()]
    assert told == ["$F_x$ (not unique)", "$F_y$", "$|F|$ (not unique)"]
    path = held.plot_reaction("left", polar=True).axes[0].get_lines()[0]
    assert (path.get_linestyle(), path.get_label()) == ("--", "left on beam (not unique)")


def test_one_pose_that_is_not_unique_is_seen():
    unique = np.array([True, True, False, True, True])
    (solid, *_), (dashed, *how) = solid_and_dashed(unique)
    np.testing.assert_array_equal(solid, unique)
    np.testing.assert_array_equal(dashed, [False, True, True, True, False])
    assert how == ["--", " (not unique)"]


def test_forces_of_a_result_that_knows_none(slider_crank, loaded_pendulum):
    for picture in (slider_crank.plot_energy, lambda: slider_crank.plot_reaction("A")):
        with refused("no-forces"):
            picture()
    with refused("missing-argument", method="plot_reaction", kind="joints", mentions="O"):
        loaded_pendulum.plot_reaction()
    with refused("unknown-name", kind="joint, driver or force", name="P"):
        loaded_pendulum.plot_reaction("P")


def test_stabilizations_are_compared_in_three_panels(loaded_pendulum):
    zero = np.zeros_like(loaded_pendulum.violation.rows)
    clean = replace(loaded_pendulum, violation=replace(loaded_pendulum.violation, rows=zero))
    stopped = replace(loaded_pendulum, success=False, message="no step")
    figure = plot_stabilization({"clean": clean, "other": stopped}, "title")
    assert figure.get_suptitle() == "title"
    assert [ax.get_ylabel() for ax in figure.axes] == [
        "position\n" + r"$|\Phi|$ [m or rad]",
        "velocity\n" + r"$|\dot\Phi|$ [m/s or rad/s]",
        "energy error\n" + r"$|\Delta E|$ [J]",
    ]
    assert [ax.get_yscale() for ax in figure.axes] == ["log"] * 3
    (legend,) = figure.legends
    assert [t.get_text() for t in legend.get_texts()] == ["clean", "other (\u00d7 stopped at t = 1 s)"]
    first, other, cross = figure.axes[1].get_lines()
    assert set(first.get_ydata()) == {LOG_FLOOR}
    np.testing.assert_array_equal(other.get_ydata(), np.maximum(loaded_pendulum.violation.velocity, LOG_FLOOR))
    assert cross.get_marker() == "x" and cross.get_color() == other.get_color() != first.get_color()
    np.testing.assert_array_equal(cross.get_xydata(), other.get_xydata()[-1:])
    zeros = 51 + int((loaded_pendulum.violation.velocity < LOG_FLOOR).sum())
    assert figure.axes[1].get_title(loc="right").startswith(f"{zeros} of 102 values are ")
    energy = figure.axes[2].get_lines()[0]
    np.testing.assert_array_equal(energy.get_xdata(), loaded_pendulum.t[1:])


def test_many_runs_are_told_apart(loaded_pendulum):
    figure = plot_stabilization({f"run {k}": loaded_pendulum for k in range(8)}, "many")
    looks = [(line.get_color(), line.get_linestyle()) for line in figure.axes[0].get_lines()]
    assert len(set(looks)) == 8
    with refused("empty", argument="runs"):
        plot_stabilization({}, "none")


# --- time -------------------------------------------------------------------------------------------------------


def test_number_of_frames_follows_from_time_speed_and_fps(slider_crank):
    assert len(slider_crank.animate()) == 16  # 0.6 s at 25 frames a second, and the first
    assert len(slider_crank.animate(fps=50)) == 31
    assert len(slider_crank.animate(speed=0.1)) == 151


def test_frames_are_even_in_time_where_the_poses_are_not(slider_crank):
    model = slider_crank_model()
    uneven = mbs.kinematics(model, 0.6 * np.linspace(0, 1, 60) ** 2)
    motion = frames_of(uneven, 25, 1.0)
    np.testing.assert_allclose(np.diff(motion.values), 0.04)
    np.testing.assert_allclose(motion.frames["crank"][:, 2], 0.6 + OMEGA * motion.values, atol=1e-9)


def test_links_keep_their_length_between_few_poses():
    few = mbs.kinematics(slider_crank_model(), np.linspace(0, 0.6, 16))  # 23 degrees apart
    crank, rod = (frames_of(few, 500, 1.0).frames[name] for name in ("crank", "rod"))
    B = crank[:, :2] + 0.05 * np.c_[np.cos(crank[:, 2]), np.sin(crank[:, 2])]
    other = rod[:, :2] - 0.15 * np.c_[np.cos(rod[:, 2]), np.sin(rod[:, 2])]
    assert np.hypot(*(B - other).T).max() < 2e-4  # straight chords would leave 2e-3


def test_infinite_velocities_do_not_swing_the_frames_out():
    t = np.array([0.0, 0.5, 0.9, 1.0])
    x = -np.sqrt(1 - t)
    rates = np.array([0.5, 0.7, 1.6, 1e9])
    between = interpolated(t, x[:, None], rates[:, None], np.linspace(0, 1, 101))
    assert between.min() == -1 and between.max() < 0.5


def test_a_sweep_shows_each_value_with_its_own_dimensions():
    model = slider_crank_model().without("motor").plus()
    model.add(mbs.Driver("held", mbs.angle(model.ground, model.bodies["crank"]), 0.6))
    radii = np.linspace(0.08, 0.12, 5)
    result = mbs.sweep(model, "r", radii)
    sketches = [mbs.assemble(model.with_parameters(r=r)).result.sketch for r in radii]
    film = replace(result, sketch=swept(sketches)).animate()
    assert len(film) == 5
    film.scene.show(3)
    assert film.scene.ax.get_title() == "r = 0.11 m"
    B = 0.11 * np.array([np.cos(0.6), np.sin(0.6)])
    np.testing.assert_allclose(film.scene.joints["B"][0].artist.get_xydata(), [B], atol=1e-9)
    ends = [B, [result["slider.x"][3], 0]]
    np.testing.assert_allclose(film.scene.bodies["rod"][0].artist.get_xydata(), ends, atol=1e-9)


def test_the_dot_on_a_trace_is_that_of_the_value_shown():
    result = mbs.sweep(slider_crank_model(), "r", np.linspace(0.08, 0.12, 5))
    (ax,) = draw(result, 3, trace="slider").axes
    trace, *_ = (line for line in ax.get_lines() if line.get_label() == "path of slider")
    rider = [line for line in ax.get_lines() if line.get_marker() == "o" and line.get_color() == trace.get_color()][-1]
    np.testing.assert_array_equal(rider.get_xydata(), trace.get_xydata()[[3]])


def test_stills_reach_the_end_of_the_motion(slider_crank):
    np.testing.assert_allclose(poses_of(slider_crank, 4).values, [0, 0.2, 0.4, 0.6])


def test_a_trace_is_the_path_with_a_dot_on_it(four_bar):
    scene = scene_of(four_bar, trace="coupler.tip", fps=10)
    x, y = four_bar["coupler.tip.x"], four_bar["coupler.tip.y"]
    np.testing.assert_array_equal(scene.traces["coupler.tip"].artist.get_xydata(), np.c_[x, y])
    scene.show(5)
    np.testing.assert_allclose(scene.riders["coupler.tip"].artist.get_xydata(), [[x[20], y[20]]], atol=1e-9)
    (legend,) = scene.figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["path of coupler.tip"]


# --- stills and files -------------------------------------------------------------------------------------------


def test_draw_shows_one_pose(slider_crank):
    figure = draw(slider_crank, 60)
    (ax,) = figure.axes
    assert ax.get_title() == "t = 0.300 s"
    assert labels_of(figure) == [("x [m]", "y [m]")]
    assert draw(slider_crank, -1).axes[0].get_title() == "t = 0.600 s"


def test_draw_into_given_axes(slider_crank):
    figure = Figure()
    left, right = figure.subplots(1, 2)
    assert draw(slider_crank, 3, right, trace="rod") is figure
    assert right.get_title() == "t = 0.015 s" and left.get_title() == ""
    assert right.get_legend() is not None and figure.legends == []


def test_draw_beyond_the_end_names_the_poses_there_are(slider_crank):
    with refused("out-of-bounds", argument="index", value=121, count=121):
        draw(slider_crank, 121)


def test_gif_holds_all_frames(slider_crank, tmp_path):
    path = slider_crank.animate(tmp_path / "motion.gif", fps=10, trace="rod", size=(4, 3))
    assert path == tmp_path / "motion.gif"
    assert path.read_bytes()[:6] == b"GIF89a"
    with Image.open(path) as film:
        assert (film.n_frames, film.size, film.info["duration"], film.info["loop"]) == (7, (400, 300), 100, 0)
        colours = film.convert("RGB").getcolors(65536)
        assert max(colours)[1] == (255, 255, 255) and film.convert("RGB").getpixel((2, 2)) == (255, 255, 255)
        film.seek(3)
        later = np.asarray(film.convert("RGB"))
        film.seek(0)
        assert (later != np.asarray(film.convert("RGB"))).any()


def test_frames_are_what_a_full_drawing_shows(slider_crank):
    """Only what moves is drawn anew for each frame; that must not be seen."""
    scene = scene_of(slider_crank, size=(4, 3))
    *_, last = films.pictures(scene, [9])
    canvas = FigureCanvasAgg(scene.figure)
    scene.show(9)
    canvas.draw()
    full = np.asarray(canvas.buffer_rgba())[..., :3]
    assert (np.abs(last.astype(int) - full) > 40).mean() < 0.002


def test_png_is_a_still_with_later_poses(slider_crank, tmp_path):
    film = slider_crank.animate(size=(4, 3))
    path = film.save(tmp_path / "still.png")
    assert path.read_bytes().startswith(PNG)
    assert film._still().axes[0].get_title() == "t = 0.000 s … 0.600 s"
    with Image.open(path) as still, Image.open(_saved(draw(slider_crank, size=(4, 3)), tmp_path)) as first:
        assert np.asarray(still).std() > np.asarray(first).std()
    assert film.scene.ax.get_title() == "t = 0.000 s"


def test_a_still_may_show_a_motion_too_short_for_a_film(slider_crank, tmp_path):
    brief = mbs.kinematics(slider_crank_model(), np.linspace(0, 0.01, 5))
    with refused("too-few-frames", count=1, least=2):
        brief.animate(tmp_path / "brief.gif")
    assert brief.animate(tmp_path / "brief.png").read_bytes().startswith(PNG)


def _saved(figure, folder):
    figure.savefig(folder / "first.png")
    return folder / "first.png"


def test_film_plays_in_a_notebook(slider_crank):
    film = slider_crank.animate(fps=5, size=(3, 2))
    html = film._repr_html_()
    assert html.count("data:image/png;base64") == html.count("<iframe") == 1 and len(film) == 4
    assert repr(film) == "<Film of 'slider-crank': 4 frames, 0.8 s>"


def test_a_loaded_result_animates_too(flat_cam, tmp_path):
    loaded = mbs.load(flat_cam.save(tmp_path / "cam.npz"))
    assert loaded.sketch == flat_cam.sketch
    drawn, again = scene_of(flat_cam), scene_of(loaded)
    for name in ("lifter", "C", "guide", "touch"):
        for piece, same in zip(pieces_of(drawn, name), pieces_of(again, name), strict=True):
            np.testing.assert_array_equal(piece.path, same.path)


@pytest.mark.parametrize(
    ("path", "code", "facts"),
    [
        ("film.avi", "unknown-format", {"format": ".avi", "choices": [".gif", ".mp4", ".html", ".png", ".svg"]}),
        ("film", "unknown-format", {"format": ""}),
        ("no/such/folder/film.gif", "no-such-folder", {"folder": "no/such/folder"}),
    ],
)
def test_files_that_cannot_be_written(slider_crank, path, code, facts):
    with refused(code, file=path, **facts):
        slider_crank.animate(path)


@pytest.mark.parametrize(
    ("name", "kind", "writer"), [("film.gif", Image.Image, "save"), ("still.png", Figure, "savefig")]
)
def test_a_full_disk_leaves_the_old_picture(slider_crank, tmp_path, monkeypatch, name, kind, writer):
    def full(picture, place, *args, **how):
        Path(place).write_bytes(b"half of it")
        raise OSError(28, "No space left on device")

    path = tmp_path / name
    path.write_bytes(b"the old one")
    monkeypatch.setattr(kind, writer, full)
    with refused("cannot-write-file", mentions=name):
        slider_crank.animate(path, fps=10, size=(3, 2))
    assert path.read_bytes() == b"the old one" and [*tmp_path.iterdir()] == [path]


@pytest.mark.parametrize("name", ["film.gif", "still.png"])
def test_a_place_where_nothing_may_be_written(slider_crank, tmp_path, name):
    (tmp_path / name).mkdir()
    with refused("cannot-write-file", mentions=name):
        slider_crank.animate(tmp_path / name, size=(3, 2))


def test_mp4_without_ffmpeg_says_what_to_do(slider_crank, tmp_path, monkeypatch):
    monkeypatch.setattr(films.FFMpegWriter, "isAvailable", lambda: False)
    with refused("program-missing", program="ffmpeg", mentions="film.mp4"):
        slider_crank.animate(tmp_path / "film.mp4")


@pytest.mark.skipif(not films.FFMpegWriter.isAvailable(), reason="ffmpeg is not installed")
def test_mp4_is_written(slider_crank, tmp_path):
    path = slider_crank.animate(tmp_path / "film.mp4", fps=10, size=(3, 2))
    assert path.read_bytes()[4:8] == b"ftyp"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fps": 0}, ("not-positive", "0", "fps")),
        ({"speed": "slow"}, ("not-a-number", "slow", "speed")),
        ({"size": 5}, ("not-a-size", "5", "size")),
        ({"speed": 100}, ("too-few-frames", "e.g", "0.6 s", "100", "0.1")),
        ({"speed": 1e-4}, ("too-many-frames", "150001", "5000")),
    ],
)
def test_options_that_make_no_sense(slider_crank, options, message):
    with refused(message[0], mentions=message[1:]):
        slider_crank.animate(**options)


def test_no_pose_no_picture(slider_crank):
    empty = replace(slider_crank, t=np.zeros(0), message="no start")
    with refused("empty", argument="result"):
        empty.animate()
