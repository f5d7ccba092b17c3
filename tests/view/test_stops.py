"""Where stops and ropes are drawn."""

import numpy as np
import pytest

import mbs_dae as mbs
from mbs_dae.view.drawing.stops import BAR, BOX

pytestmark = pytest.mark.usefixtures("interpreted_kernels")
TIMES = np.linspace(0.0, 0.02, 3)


def pendulum(**limits):
    model = mbs.PlanarModel("pendulum", gravity=(0, -9.81))
    rod = model.link("rod", (0, 0), (0.8, 0.6), mass=1.0)
    pin = model.add(mbs.Revolute("pin", model.ground, rod.tail))
    model.add(mbs.Stop("stop", mbs.angle(pin), **limits))
    return mbs.simulate(model, TIMES)


def bar_and_strokes(scene, name):
    (piece,) = scene.forces.get(name) or scene.joints[name]
    points = piece.path[0]
    return points[:2], points[np.isfinite(points).all(axis=1)][2:]


def test_an_arm_meets_its_stop_along_its_side():
    result = pendulum(lower=-0.4, upper=1.2)
    scene = result.animate(fps=100).scene
    lower, upper = (piece.path[0] for piece in scene.joints["stop"])
    for bar, limit, side in ((lower, -0.4, -1.0), (upper, 1.2, 1.0)):
        along, across = np.array([np.cos(limit), np.sin(limit)]), np.array([-np.sin(limit), np.cos(limit)])
        np.testing.assert_allclose(bar[:2] @ across, side * BAR * scene.stage.symbol, atol=1e-9)  # by the rod's side
        assert ((bar[:2] @ along > 0) & (bar[:2] @ along < 1)).all()
        rest = bar[np.isfinite(bar).all(axis=1)]
        assert (side * (rest @ across) >= BAR * scene.stage.symbol - 1e-9).all()  # strokes where nothing comes


@pytest.mark.parametrize("measure", ["displacement", "x"])
def test_a_box_meets_its_stop_at_its_end(measure):
    model = mbs.PlanarModel("slide")
    box = model.body("box", mass=1.0, inertia=0.1)
    guide = model.add(mbs.Translational("guide", model.ground, box))
    model.add(mbs.Stop("stop", mbs.x(box) if measure == "x" else mbs.displacement(guide), upper=0.4))
    scene = mbs.simulate(model, TIMES, {"box.vx": 1.0}).animate(fps=100).scene
    bar, strokes = bar_and_strokes(scene, "stop")
    np.testing.assert_allclose(bar[:, 0], 0.4 + BOX * scene.stage.symbol)
    np.testing.assert_allclose(bar[:, 1].mean(), 0.0, atol=1e-12)
    assert (strokes[:, 0] >= bar[0, 0] - 1e-12).all()


def test_stops_without_one_place_are_not_drawn():
    model = mbs.PlanarModel("free", gravity=(0, -9.81))
    ball = model.body("ball", mass=1.0, inertia=0.1)
    model.add(mbs.Stop("far", mbs.distance(model.ground, ball.at(0.1, 0)), upper=3.0))
    model.add(mbs.Stop("low", mbs.y(ball), lower=-3.0))
    scene = mbs.simulate(model, TIMES, {"ball.vx": 1.0}).animate(fps=100).scene
    assert scene.joints["far"] == scene.joints["low"] == []


@pytest.mark.parametrize("space", [False, True])
def test_a_rope_has_its_length_and_hangs_where_it_is_slack(space):
    model = mbs.SpatialModel("swing", gravity=(0, 0, -9.81)) if space else mbs.PlanarModel("swing", gravity=(0, -9.81))
    at = (lambda x, y: (x, 0.0, y)) if space else (lambda x, y: (x, y))
    bob = model.body("bob", mass=1.0, inertia=0.01, position=at(0.5, 0.0))
    other = model.body("other", mass=1.0, inertia=0.01, position=at(0.0, -1.0))
    model.add(
        mbs.Rope("slack", model.ground.at(*at(0.0, 0.3)), bob, length=0.9),
        mbs.Rope("taut", model.ground, other, length=1.0),
    )
    scene = mbs.simulate(model, TIMES).animate(fps=100).scene
    slack, taut = (next(p.path[0] for p in scene.joints[name] if p.path.shape[1] > 20) for name in ("slack", "taut"))
    lengths = [np.linalg.norm(np.diff(path, axis=0), axis=1).sum() for path in (slack, taut)]
    np.testing.assert_allclose(lengths, [0.9, 1.0], atol=1e-6)
    np.testing.assert_allclose(slack[[0, -1]], [at(0.0, 0.3), at(0.5, 0.0)], atol=1e-9)
    assert slack[:, -1].min() < -0.05
    np.testing.assert_allclose(taut[:, 0], 0.0, atol=1e-6)


def test_stops_and_ropes_are_in_files_and_pages(tmp_path):
    result = pendulum(upper=1.2)
    loaded = mbs.load(result.save(tmp_path / "run.npz"))
    assert loaded.sketch == result.sketch
    assert result.animate(tmp_path / "run.html").read_text().count("stop") > 0


def test_few_arrows_have_their_names_beside_them():
    model = mbs.PlanarModel("pushed")
    box = model.body("box", mass=1.0, inertia=0.1)
    model.add(mbs.Translational("guide", model.ground, box), mbs.Force("push", box, (2.0, 1.0)))
    model.add(mbs.Force("nothing", box, (0.0, 0.0)))
    scene = mbs.simulate(model, TIMES).animate(fps=100).scene
    assert {*scene.labels} == {"box", "push"}
    shaft, middle = scene.forces["push"][0].path[0], scene.labels["push"].path[0, 0]
    part = np.clip((middle - shaft[0]) @ (shaft[1] - shaft[0]) / np.sum((shaft[1] - shaft[0]) ** 2), 0, 1)
    assert np.linalg.norm(middle - shaft[0] - part * (shaft[1] - shaft[0])) < 0.6 * scene.inch
    model.add(*(mbs.Force(f"more{k}", box, (1.0, k)) for k in range(3)))
    assert {*mbs.simulate(model, TIMES).animate(fps=100).scene.labels} == {"box"}
