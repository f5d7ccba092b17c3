"""Parameters whose value is 0, in mechanisms of any size: designs beside are told apart on the scale of these."""

import numpy as np
import pytest

import mbs_dae as mbs

SIZES = pytest.mark.parametrize("size", [1.0, 1e-3, 1e-6])


@SIZES
def test_an_offset_in_joint_coordinates(size):
    """A pendulum with its pin aside by an offset that is 0: times the size, the same at any size."""
    found = [_swung(size, coordinates) for coordinates in ("cartesian", "joint")]
    assert np.allclose(found, found[0], rtol=1e-7)
    assert np.isclose(found[0], _swung(1.0, "cartesian"), rtol=1e-9)


def _swung(size: float, coordinates: str) -> float:
    model = mbs.PlanarModel("arm", gravity=(0, -10 * size))
    off = model.parameter("off", 0.0)
    arm = model.link("arm", (0, 0), (0.3 * size, 0), mass=2.0)
    model.add(
        mbs.Revolute("pin", model.ground.at(0, off), arm.at(-0.15 * size, off)),
        mbs.Spring("spring", model.ground.at(size, off), arm.head, stiffness=50.0, length=0.2 * size + off),
    )
    run = mbs.simulate(model.compile(coordinates), [0, 0.3], derivatives=["off"], method="DP8", rtol=1e-11)
    return float(size * run.d("arm.angle", "off")[-1])


@SIZES
def test_the_height_of_a_floor(size):
    """A ball that falls from rest at y₀ on a floor of height h: t₁ = √(2 (y₀ - h)/g), and with e it bounces; so behind
    one impact y = h + e g t₁ (t - t₁) - g (t - t₁)²/2 (radius and height counted from the contact)."""
    g, e, fall = 10.0, 0.5, 5.0
    model = mbs.PlanarModel("ball", gravity=(0, -g * size))
    h = model.parameter("h", 0.0)
    ball = model.body("ball", mass=1.0, inertia=0.004 * size**2)
    model.add(mbs.Contact("floor", mbs.Line(model.ground.at(0, h)), mbs.Disk(ball, 0.1 * size), restitution=e))
    start = {"ball.x": 0, "ball.y": (fall + 0.1) * size, "ball.angle": 0, "ball.vx": 0, "ball.vy": 0, "ball.omega": 0}
    run = mbs.simulate(model, [0, 1.3], start, derivatives=["h"])
    t1 = np.sqrt(2 * fall / g)
    by_time = e * g * (1.3 - 2 * t1) + g * (1.3 - t1)
    assert np.isclose(run.d("ball.y", "h")[-1], 1 - by_time / (g * t1), rtol=1e-8)
