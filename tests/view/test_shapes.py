"""Pictures of bodies that touch: shapes stand where they are, in the colours of their bodies, each drawn once."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.colors import to_hex

import mbs_dae as mbs
from mbs_dae.readings.sketch import sketch_of
from mbs_dae.results.sketch import ShapeSketch
from mbs_dae.view.animation import new_axes, new_figure, scene_on
from mbs_dae.view.drawing.colours import COLOURS, GROUND
from mbs_dae.view.drawing.motion import motion_of

pytestmark = pytest.mark.usefixtures("interpreted_kernels")


def scene_of(model):
    """Where bodies are placed."""
    result = mbs.assemble(model).result
    axes = new_axes(result, new_figure((6.4, 4.8)), None)
    return scene_on(axes, result, motion_of(result), ())


def paths_of(scene, name, least=3):
    """Those with so many points at least, in the plane."""
    return [p.path[0][:, :2] for p in scene.joints[name] if p.path.shape[1] >= least]


@pytest.fixture(scope="module")
def yard():
    """On a line on the ground a disk, a rounded box and a capsule, of which two pairs meet each other as well."""
    model = mbs.PlanarModel("yard", gravity=(0, -9.81))
    names = {"ball": (0, 0.25), "box": (2, 0.3), "rod": (4, 0.5)}
    bodies = [model.body(name, mass=1.0, inertia=1.0, position=place, angle=0.1) for name, place in names.items()]
    line = mbs.Line(model.ground)
    disk, box, rod = (
        mbs.Disk(bodies[0], 0.25), mbs.Box(bodies[1], (0.6, 0.4), radius=0.1), mbs.Capsule(bodies[2], 1.0, 0.1),
    )  # fmt: skip
    model.add(*(mbs.Contact(f"c{k}", line, shape) for k, shape in enumerate((disk, box, rod))))
    model.add(mbs.Contact("hit", disk, box), mbs.Contact("push", box, rod))
    return model


def test_shapes_stand_where_they_are(yard):
    scene = scene_of(yard)
    turn = np.array([[np.cos(0.1), -np.sin(0.1)], [np.sin(0.1), np.cos(0.1)]])
    disk, box, rod = (paths_of(scene, f"c{k}", 60)[-1] for k in range(3))
    assert np.allclose(np.hypot(*(disk - [0, 0.25]).T), 0.25)
    own = (box - [2, 0.3]) @ turn
    assert np.allclose(abs(own).max(axis=0), [0.3, 0.2], atol=1e-3)
    away = np.hypot(*(own - np.clip(own, [-0.2, -0.1], [0.2, 0.1])).T)
    assert np.allclose(away, 0.1)
    own = (rod - [4, 0.5]) @ turn
    assert np.allclose(np.hypot(own[:, 0] - np.clip(own[:, 0], -0.5, 0.5), own[:, 1]), 0.1)


def test_each_is_drawn_once_in_the_colour_of_its_body(yard):
    scene = scene_of(yard)
    assert not scene.joints["hit"] and not scene.joints["push"]
    colours = [{to_hex(p.artist.get_color()) for p in scene.joints[f"c{k}"][-1:]} for k in range(3)]
    assert [c.pop().upper() for c in colours] == [*COLOURS[:3]]
    line, hatching = scene.joints["c0"][:2]
    assert to_hex(line.artist.get_color()).upper() == to_hex(hatching.artist.get_color()).upper() == GROUND
    assert len(line.path[0]) == 2 and line.path[0][0, 0] < -0.25 and line.path[0][1, 0] > 4.6
    assert np.nanmax(hatching.path[0][:, 1]) == 0.0 > np.nanmin(hatching.path[0][:, 1])
    assert not [p for name in scene.bodies for p in scene.bodies[name]]  # the shapes are the bodies


def test_everything_is_within_the_axes_and_names_lie_off_bodies(yard):
    scene = scene_of(yard)
    (left, right), (low, high) = scene.ax.get_xlim(), scene.ax.get_ylim()
    for piece in scene.moving:
        points = piece.path.reshape(-1, 2)[np.isfinite(piece.path.reshape(-1, 2)).all(axis=1)]
        assert (points > [left, low]).all() and (points < [right, high]).all()
    middle = scene.labels["ball"].path[0][0]
    assert np.hypot(*(middle - [0, 0.25])) > 0.25


def test_points_rings_polygons_and_profiles():
    model = mbs.PlanarModel("shapes")
    a, b, c = (model.body(name, mass=1.0, inertia=1.0) for name in "abc")
    corners = [(0.4, -0.1), (-0.2, 0.3), (-0.3, -0.25)]
    model.add(mbs.Contact("ring", mbs.Disk(model.ground, 2.0, inside=True), mbs.Polygon(a, corners)))
    model.add(mbs.Contact("cam", mbs.Profile(b, 1 + 0 * mbs.theta), mbs.Point(c.at(1.2, 0))))
    ring, polygon = sketch_of(model).elements[0].shapes
    assert ring == ShapeSketch("hollow", radius=2.0) and polygon == ShapeSketch("outline", tuple(corners))
    scene = scene_of(model)
    circle, fill, outline = (p.path[0] for p in scene.joints["ring"])
    assert np.allclose(np.hypot(*circle.T), 2.0) and np.allclose(fill, corners)
    assert np.allclose(outline, [*corners, corners[0]])
    *_, dot = (p.path[0] for p in scene.joints["cam"])
    assert np.allclose(dot, [[1.2, 0]]) and np.allclose(np.hypot(*paths_of(scene, "cam")[0].T), 1.0)


def test_shapes_in_space():
    """A ball of two shades, a capsule and a box on a plane."""
    model = mbs.SpatialModel("space", gravity=(0, 0, -9.81))
    bodies = [
        model.body(name, mass=1.0, inertia=(1, 1, 1), position=(k, 0, 0.5)) for k, name in enumerate(("a", "b", "c"))
    ]
    shapes = mbs.Sphere(bodies[0], 0.5), mbs.Capsule(bodies[1], 0.6, 0.2), mbs.Box(bodies[2], (0.4, 0.6, 1.0))
    plane = mbs.Plane(model.ground)
    model.add(*(mbs.Contact(f"c{k}", plane, shape) for k, shape in enumerate(shapes)))
    scene = scene_of(model)
    (patch, ball), (capsule,), (box,) = (scene.joints[f"c{k}"] for k in range(3))
    assert patch.path[0].min(axis=0)[0] < -0.5 and patch.path[0].max(axis=0)[0] > 2.5
    assert np.allclose(np.linalg.norm(ball.path[0] - [0, 0, 0.5], axis=1), 0.5)
    assert len({to_hex(c[:3]) for c in ball.artist.get_facecolor()}) > 8  # two shades, lit
    own = capsule.path[0] - [1, 0, 0.5]
    assert np.allclose(np.linalg.norm(own - np.clip(own, [0, 0, -0.3], [0, 0, 0.3]), axis=1), 0.2)
    assert len(box.path[0]) == 8 and np.allclose(np.ptp(box.path[0], axis=0), [0.4, 0.6, 1.0])


def test_files_keep_shapes(yard, tmp_path):
    result = mbs.assemble(yard).result
    again = mbs.load(result.save(tmp_path / "pose.npz"))
    assert again.sketch == result.sketch and again.sketch.elements[0].shapes[0].kind == "flat"
