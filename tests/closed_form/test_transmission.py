"""Angles of transmission and of pressure, against closed forms; and what has none."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from helpers import four_bar, slider_crank
from refusals import refused

import mbs_dae as mbs

TURN = np.linspace(0, 2 * np.pi, 25)
pytestmark = pytest.mark.usefixtures("interpreted_kernels")


def test_four_bar():
    """cos ∠(coupler, rocker) = (b² + c² - f²) / (2 b c), f the diagonal; extreme where the crank lies on the ground."""
    g, a, b, c = 4.0, 2.0, 5.0, 3.5
    result = mbs.kinematics(four_bar((g, a, b, c), angle=0.0, omega=1.0), TURN)
    cosine = (b**2 + c**2 - g**2 - a**2 + 2 * g * a * np.cos(TURN)) / (2 * b * c)
    mu = result.transmission_angle("B", "C", "D")
    assert mu == pytest.approx(np.arccos(np.abs(cosine)), abs=1e-9)
    assert mu[0] == pytest.approx(np.arccos((b**2 + c**2 - (g - a) ** 2) / (2 * b * c)))
    assert mu.argmin() in (0, 24) and np.allclose(mu + result.pressure_angle("B", "C", "D"), np.pi / 2)


@pytest.mark.parametrize("offset", [0.0, 0.4])
def test_slider_crank(offset, tmp_path):
    """sin α = (r sin θ - e) / l, at dead points, too; and the same out of a file."""
    result = mbs.kinematics(slider_crank(offset=offset, angle=0.0, omega=1.0), TURN)
    alpha = np.arcsin(np.abs(np.sin(TURN) - offset) / 3)
    assert result.pressure_angle("B", "C", "guide") == pytest.approx(alpha, abs=1e-9)
    again = mbs.load(result.save(tmp_path / "run.npz"))
    assert np.array_equal(again.transmission_angle("B", "C", "guide"), result.transmission_angle("B", "C", "guide"))


def test_a_swept_length():
    model = four_bar((4.0, 2.0, 5.0, 3.5), angle=0.8)
    rockers = np.array([3.5, 3.6, 3.7])
    result = mbs.sweep(model, "rocker", rockers)
    f = 16 + 4 - 16 * np.cos(0.8)
    expected = np.arccos(np.abs(25 + rockers**2 - f) / (10 * rockers))
    assert result.transmission_angle("B", "C", "D") == pytest.approx(expected, abs=1e-9)


def test_a_rod_without_a_body_and_the_way_back():
    model = mbs.PlanarModel("slider-crank")
    crank, slider = model.link("crank", (0, 0), (1, 0)), model.body("slider", position=(4, 0))
    shaft = mbs.Revolute("shaft", model.ground, crank.tail)
    model.add(shaft, mbs.Translational("guide", model.ground, slider), mbs.Distance("rod", crank.head, slider))
    model.add(mbs.Driver("motor", mbs.angle(shaft), mbs.t))
    result = mbs.kinematics(model, TURN)
    alpha = np.arcsin(np.abs(np.sin(TURN)) / 3)
    assert result.pressure_angle("rod", "guide") == pytest.approx(alpha, abs=1e-9)
    lever = np.abs(np.sin(TURN + np.arcsin(np.sin(TURN) / 3)))  # the rod drives the crank: sin ∠(rod, crank)
    assert result.transmission_angle("rod", "shaft") == pytest.approx(np.arcsin(lever), abs=1e-7)


@pytest.mark.parametrize("follower", ["point", "flat"])
def test_cams(follower):
    """tan α = r' / r under a point that slides to the centre; under a flat face always 0."""
    model = mbs.PlanarModel("cam")
    cam = model.body("cam")
    stem = model.body("stem", position=(0, 3), angle=0.0)
    shaft = mbs.Revolute("shaft", model.ground, cam)
    model.add(shaft, mbs.Translational("guide", model.ground.at(0, 0, np.pi / 2), stem.at(0, 0, np.pi / 2)))
    model.add(mbs.CamFollower("lift", cam, stem, profile=2 + sp.cos(mbs.theta) / 2, follower=follower))
    model.add(mbs.Driver("motor", mbs.angle(shaft), mbs.t))
    psi = np.pi / 2 - TURN
    slope = 0.0 if follower == "flat" else np.abs(np.sin(psi)) / 2 / (2 + np.cos(psi) / 2)
    alpha = mbs.kinematics(model, TURN).pressure_angle("lift", "guide")
    assert alpha == pytest.approx(np.arctan(slope + 0 * psi), abs=1e-9)


def test_a_flat_face_on_a_lever_pushes_where_it_touches():
    """The face goes through the lever's pivot: the force is at right angles to the arm, wherever the cam touches."""
    model = mbs.PlanarModel("lever")
    cam, lever = model.body("cam"), model.body("lever", position=(-3, 1))
    shaft, pivot = mbs.Revolute("shaft", model.ground, cam), mbs.Revolute("pivot", model.ground.at(-3, 1), lever)
    model.add(shaft, pivot, mbs.CamFollower("lift", cam, lever, profile=1.2 + sp.cos(mbs.theta) / 5, follower="flat"))
    model.add(mbs.Driver("motor", mbs.angle(shaft), mbs.t))
    assert mbs.kinematics(model, TURN).pressure_angle("lift", "pivot") == pytest.approx(0, abs=1e-9)


def test_in_space():
    """RSSR: the way of the ball D is n × arm."""
    model = mbs.SpatialModel("RSSR")
    crank, rocker = model.link("crank", (0, 0, 0), (0.1, 0, 0)), model.link("rocker", (0.1, 0.3, 0), (0.1, 0.3, 0.25))
    rod = model.link("rod", (0.1, 0, 0), (0.1, 0.3, 0.25))
    model.add(mbs.Revolute("A", model.ground, crank, at=(0, 0, 0), axis=(0, 0, 1)))
    model.add(mbs.Universal("B", crank, rod, at=(0.1, 0, 0)), mbs.Spherical("D", rod, rocker, at=(0.1, 0.3, 0.25)))
    model.add(mbs.Revolute("E", model.ground, rocker, at=(0.1, 0.3, 0), axis=(1, 0, 0)))
    at_once = mbs.assemble(model).result
    along = np.array([0, 0.3, 0.25]) / np.hypot(0.3, 0.25)
    assert at_once.pressure_angle("B", "D", "E") == pytest.approx(np.arccos(along @ (0, 1, 0)))


def test_what_has_none():
    result = mbs.kinematics(slider_crank(), [0.0, 0.1])
    for joints, words in {
        ("B", "C"): "'B' is not an element of one equation",
        ("B", "guide"): "'B' acts on crank and rod",
        ("C", "guide"): "'C' is not an element of one equation",
        ("B", "X", "guide"): "the result has no joint 'X'",
        ("B", "C", "gide"): "did you mean 'guide'",
        ("A", "C", "guide"): "the first two must share the coupler",
        ("B", "C", "A"): "the first two must share",
        ("C", "guide", "A"): "'guide' is not a pin or ball",
        ("B", "C", "motor"): "the first two must share",
        ("B",): "takes three joints, or an element and a guide",
    }.items():
        with pytest.raises(mbs.ModelError) as told:
            result.transmission_angle(*joints)
        assert words in str(told.value)


def test_points_that_coincide():
    model = mbs.PlanarModel("three on one")
    crank, rod, rocker = (model.body(name) for name in ("crank", "rod", "rocker"))
    model.add(mbs.Revolute("A", model.ground.at(1, 0), crank.at(1, 0)), mbs.Revolute("B", crank, rod))
    model.add(mbs.Revolute("C", rod, rocker), mbs.Revolute("D", model.ground, rocker))
    result = mbs.assemble(model).result
    with refused("no-direction", mentions=["B", "C"]):
        result.transmission_angle("B", "C", "D")
    model = mbs.PlanarModel("no arm")
    crank, rod, rocker = (model.body(name) for name in ("crank", "rod", "rocker"))
    model.add(mbs.Revolute("A", model.ground.at(2, 0), crank.at(2, 0)), mbs.Revolute("B", crank.at(1, 0), rod.at(1, 0)))
    model.add(mbs.Revolute("C", rod, rocker), mbs.Revolute("D", model.ground, rocker))
    with refused("no-direction", mentions="D"):
        mbs.assemble(model).result.transmission_angle("B", "C", "D")


def test_vectors_in_the_axes_of_bodies_and_markers(tmp_path):
    model = slider_crank()
    model.bodies["rod"].marker("tip", 0.2, 0.3, np.pi / 2)
    run = mbs.inverse_dynamics(model, [0.0, 0.3])
    own = run.vector("rod.tip.a", axes="rod")
    assert own == pytest.approx(np.einsum("tij,ti->tj", run.rotation("rod"), run["rod.tip.a"]))
    assert run.vector("rod.tip.a", axes="rod.tip") == pytest.approx(np.stack([own[:, 1], -own[:, 0]], axis=1))
    assert np.array_equal(run.vector("rod.v"), run["rod.v"])
    assert np.array_equal(run.vector("B.force", axes="second"), run.reaction("B", axes="rod")[:, :2])
    again = mbs.load(run.save(tmp_path / "run.npz"))
    assert np.array_equal(again.vector("rod.tip.a", axes="rod.tip"), run.vector("rod.tip.a", axes="rod.tip"))
    assert run.plot("rod.tip.a", "rod.angle", axes="rod").axes[0].get_title(loc="right") == "in the axes of rod"
    for ask, words in (
        (lambda: run.vector("rod.tip.ax", axes="rod"), ("not-a-vector", "rod.tip.ax", "rod.tip.a", "e.g", "name")),
        (lambda: run.vector("rod.tip.a", axes="rod.tpi"), ("unknown-name", "rod.tpi", "rod.tip", "axes")),
        (lambda: run.vector("rod.tip.a", axes="first"), ("unknown-name", "first", "axes")),
        (lambda: run.plot("rod.vx", axes="rod"), ("not-a-vector", "rod.vx", "rod.v", "e.g")),
    ):
        with refused(words[0], mentions=words[1:]):
            ask()
