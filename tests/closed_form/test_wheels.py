"""Camber, toe, caster and the kingpin's inclination, against turns that are known and loops closed one by one."""

from __future__ import annotations

import numpy as np
import pytest
from gallery import load
from scipy.optimize import brentq

import mbs_dae as mbs

pytestmark = pytest.mark.usefixtures("interpreted_kernels")


def wheel(axis, place=(0, 0.8, 0.3), **options):
    """A wheel that stands still, its axis along `axis`."""
    model = mbs.SpatialModel("wheel", **options)
    upright = model.body("upright", position=place)
    upright.marker("hub", 0, 0, 0, axis=axis)
    spun = model.body("wheel", position=place)
    model.add(
        mbs.Fixed("weld", model.ground, upright, at=place), mbs.Revolute("axle", upright, spun, at=place, axis=axis)
    )
    model.ground.marker("nose", 0, 0, 0, axis=(0, 1, 0), x_axis=(0, 0, 1))  # its x is up, its z to the left
    return mbs.assemble(model).result


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("sense", [1, -1])
def test_signs(side, sense):
    """γ leans the top outward, δ turns the front inward, whichever way the marker's axis points."""
    gamma, delta = 0.03, 0.05
    outward = np.array([np.cos(gamma) * np.sin(delta), side * np.cos(gamma) * np.cos(delta), -np.sin(gamma)])
    result = wheel(tuple(sense * outward), (0.1, 0.8 * side, 0.3))
    for name in ("upright.hub", "axle"):
        assert result.camber(name) == pytest.approx(gamma) and result.toe(name) == pytest.approx(delta)
    own = {"axes": "ground.nose", "forward": (0, 1, 0), "vertical": (1, 0, 0)}  # x, y, z are z, x, y there
    assert result.camber("axle", **own) == pytest.approx(gamma) and result.toe("axle", **own) == pytest.approx(delta)
    other = "right" if side == 1 else "left"
    assert result.camber("axle", side=other) == pytest.approx(-gamma)


def test_the_vertical_is_against_gravity(tmp_path):
    """y is up and x forward, so the right side is that of z; out of a file, too."""
    result = wheel((0, 0.1, 1), (0, 0.3, 0.8), gravity=(0, -9.81, 0))
    again = mbs.load(result.save(tmp_path / "wheel.npz"))
    for each in (result, again):
        assert each.camber("axle") == pytest.approx(-np.arctan(0.1)) and each.toe("axle") == pytest.approx(0)


def test_axes_of_a_chassis():
    """A vehicle that leans as a whole leans its wheel against the road, not against itself."""
    model = mbs.SpatialModel("vehicle")
    chassis, spun = model.body("chassis"), model.body("wheel", position=(1, 0.8, 0))
    roll = mbs.Revolute("roll", model.ground, chassis, at=(0, 0, 0), axis=(1, 0, 0))
    axle = mbs.Revolute("axle", chassis, spun, at=(1, 0.8, 0), axis=(0, 1, 0))
    model.add(roll, axle)
    model.add(mbs.Driver("lean", mbs.angle(roll), 0.1 + mbs.t), mbs.Driver("spin", mbs.angle(axle), 30 * mbs.t))
    result = mbs.kinematics(model, [0.0, 0.2])
    assert result.camber("axle") == pytest.approx([-0.1, -0.3])
    assert result.camber("axle", axes="chassis") == pytest.approx(0, abs=1e-12)


def test_double_wishbone():
    """The gallery's suspension: each loop closed by itself gives the same wheel, and the same force on it."""
    module = load("double_wishbone")
    result = mbs.inverse_dynamics(module.build(), module.TIMES[::8])
    efforts = []
    for k, height in enumerate(result["upright.z"]):
        phi = brentq(lambda p, z=height: module.pose(p)[0][2] - z, -0.5, 0.5, xtol=1e-14)
        (_, _, z), s, L, U = module.pose(phi)
        expected = [np.arctan2(-s[2], np.hypot(s[0], s[1])), np.arctan2(s[0], s[1])]
        assert [result.camber("axle")[k], result.toe("axle")[k]] == pytest.approx(expected, abs=1e-12)
        expected = [np.arctan2(L[0] - U[0], U[2] - L[2]), np.arctan2(L[1] - U[1], U[2] - L[2])]
        assert [result.caster("L", "U")[k], result.kingpin("L", "U")[k]] == pytest.approx(expected, abs=1e-12)
        efforts.append(np.diff([energy(module, phi + h) for h in (-1e-5, 1e-5)])[0])
        efforts[-1] /= np.diff([module.pose(phi + h)[0][2] for h in (-1e-5, 1e-5)])[0]
    assert result["travel.effort"] == pytest.approx(np.array(efforts), rel=1e-6)
    rest = np.argmin(np.abs(result["upright.z"] - module.POINTS["W"][2]))
    assert abs(result.camber("axle")[rest]) < 1e-9
    assert np.tan(result.caster("L", "U")[rest]) == pytest.approx(0.02 / 0.33)


def energy(module, phi):
    """Of the spring, with the lower arm at φ."""
    at = {name: np.array(point) for name, point in module.POINTS.items()}
    foot = module.turned(at["lower front"] - at["lower rear"], phi, at["S"], at["lower rear"])
    return 60e3 / 2 * (np.linalg.norm(at["top"] - foot) - 0.55) ** 2


def test_what_has_none():
    result = wheel((0, 1, 0))
    for ask, words in (
        (lambda: result.camber("weld"), "'weld' is not a joint to spin in"),
        (lambda: result.camber("upright.hup"), "did you mean 'upright.hub'"),
        (lambda: wheel((0, 0, 1)).camber("axle"), "the axis of 'axle' points up at first, not across the vehicle"),
        (lambda: wheel((1, 0.5, 0)).toe("axle"), "points forward at first"),
        (lambda: wheel((0, 1, 0), (1, 0, 1)).toe("axle"), "in the centre plane of the vehicle; give side='left'"),
        (lambda: result.toe("axle", side="outer"), "choose 'left' or 'right'"),
        (lambda: result.toe("axle", forward=(0, 0, 2)), "forward= points along the vertical"),
        (lambda: result.toe("axle", vertical=(0, 0, 0)), "vertical= must be a direction"),
        (lambda: result.toe("axle", axes="chassis"), "the result has no axes 'chassis'"),
        (lambda: result.caster("axle", "ground.nose"), "'ground.nose' is not above 'axle' all the time"),
    ):
        with pytest.raises(mbs.ModelError) as told:
            ask()
        assert words in str(told.value)
