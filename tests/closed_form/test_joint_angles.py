"""The angles by which universal joints and balls turn: against rotations that are written here, in all sets."""

import numpy as np
import pytest
from refusals import refused

import mbs_dae as mbs

SETS = ["cartesian", "natural", "joint"]
EXACT = {"rtol": 1e-11, "atol": 1e-13}


def turned(axis, angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array({
        "x": [[1, 0, 0], [0, c, -s], [0, s, c]], "y": [[c, 0, s], [0, 1, 0], [-s, 0, c]],
        "z": [[c, -s, 0], [s, c, 0], [0, 0, 1]],
    }[axis])  # fmt: skip


def hanging(joint):
    """A body on a joint in the origin, whose frame is turned in the world."""
    frame = turned("z", 0.7) @ turned("x", -0.4)
    model = mbs.SpatialModel("hanging", gravity=(0, 0, -9.81))
    body = model.body("body", mass=2.0, inertia=(0.2, 0.3, 0.1), position=(0.3, 0.2, -0.5))
    at = {"at": (0, 0, 0), "axis": tuple(frame[:, 2]), "x_axis": tuple(frame[:, 0])}
    return model, model.add(joint("J", model.ground, body, **at)), frame


@pytest.mark.parametrize(("joint", "axes"), [(mbs.Universal, "xy"), (mbs.Spherical, "xyz")])
def test_angles_are_turns_about_one_axis_after_the_other(joint, axes):
    model, _, frame = hanging(joint)
    values = dict(zip(axes, (0.5, -0.8, 2.5), strict=False))
    start = {f"J.angle_{k}": value for k, value in enumerate(values.values(), 1)}
    rates = {f"J.angle_{k}_rate": rate for k, rate in zip(range(1, 1 + len(axes)), (1.5, -0.7, 2.0), strict=False)}
    runs = [mbs.simulate(model.compile(s), np.linspace(0, 1, 401), initial={**start, **rates}, **EXACT) for s in SETS]
    for run in runs:
        for name, value in {**start, **rates}.items():
            assert np.isclose(run[name][0], value, atol=1e-11)
        for k in (0, 200, 400):
            R = np.eye(3)
            for axis, number in zip(axes, range(1, 4), strict=False):
                R = R @ turned(axis, run[f"J.angle_{number}"][k])
            assert np.allclose(run.rotation("body")[k], frame @ R @ frame.T, atol=1e-9)
        for number in range(1, 1 + len(axes)):
            value, rate, acceleration = (run[f"J.angle_{number}{word}"] for word in ("", "_rate", "_acceleration"))
            inner = slice(2, -2)
            assert np.allclose(np.gradient(np.unwrap(value), run.t)[inner], rate[inner], rtol=1e-2, atol=1e-2)
            assert np.allclose(np.gradient(rate, run.t)[inner], acceleration[inner], rtol=1e-2, atol=5e-2)
            assert np.allclose(value, runs[0][f"J.angle_{number}"], atol=1e-8)


def test_named_angles_are_driven_sprung_and_stopped():
    """A cross without gravity: its body obeys the equation of a hinge about each pin, one being driven or held."""
    model = mbs.SpatialModel("cross")
    body = model.body("body", mass=0.0, inertia=(0.3, 0.3, 0.3))
    cross = model.add(mbs.Universal("cross", model.ground, body, at=(0, 0, 0)))
    held = mbs.Driver("held", mbs.angle(cross, 2), 0.0)
    spring = mbs.TorsionSpring("spring", mbs.angle(cross, 1), stiffness=2.7, angle=0.1)
    times = np.linspace(0, 2, 9)
    for coordinates in SETS:
        run = mbs.simulate(
            model.plus(held, spring).compile(coordinates), times, initial={"cross.angle_1": 0.5}, **EXACT
        )
        assert np.allclose(run["cross.angle_1"], 0.1 + 0.4 * np.cos(3 * times), atol=1e-8)
        assert np.allclose(run["cross.angle_2"], 0.0, atol=1e-10)
    push = mbs.Wrench("push", body, mx=0.3)
    stop = mbs.Stop("stop", mbs.angle(cross, 1), upper=0.5)
    run = mbs.simulate(model.plus(held, push, stop), [0.0, 0.6, 2.0], **EXACT)
    assert np.allclose(run["cross.angle_1"], [0.0, 0.18, 0.5], atol=1e-8)  # t²/2 up to the stop
    damped = model.plus(mbs.Wrench("drag", body, mx=-1.2 * model["cross.angle_1_rate"]), held)
    run = mbs.simulate(damped, [0.0, 1.0], initial={"cross.angle_1_rate": 2.0}, **EXACT)
    assert np.isclose(run["cross.angle_1_rate"][-1], 2.0 * np.exp(-4.0))


def test_a_pole_of_a_ball_is_told():
    """A body that is driven by a right angle about the second axis: the first and the third are one line there."""
    model = mbs.SpatialModel("ball")
    body = model.body("body")
    ball = model.add(mbs.Spherical("ball", model.ground, body, at=(0, 0, 0)))
    hinge = mbs.Constraint(
        "upright", model.ground, body, phi=lambda i, j: [i.y_axis.dot(j.z_axis), i.y_axis.dot(j.x_axis)]
    )
    turn = mbs.Driver(
        "turn", mbs.angle(model.ground.at(0, 0, 0, axis=(0, 1, 0)), body.at(0, 0, 0, axis=(0, 1, 0))), mbs.t
    )
    moved = mbs.kinematics(model.plus(hinge, turn), [0.0, 1.0, np.pi / 2, 2.0])
    assert np.allclose(moved["ball.angle_2"], [0.0, 1.0, np.pi / 2, np.pi - 2.0])
    for name in ("ball.angle_1", "ball.angle_3_rate"):
        with refused("angle-without-value", mentions=[f"{name[5:12]}", "ball", "t = 1.5708", "angle_2"]):
            moved[name]
    known = mbs.kinematics(model.plus(hinge, turn), [0.0, 1.0, 2.0])
    assert np.allclose(known["ball.angle_1"] % (2 * np.pi), [0.0, 0.0, np.pi])
    with refused("no-such-measure", word="angle", thing="Spherical 'ball'", kind="angle"):
        mbs.angle(ball)
    with refused("no-such-measure", thing="Spherical 'ball'", kind="angle_4"):
        mbs.angle(ball, 4)
