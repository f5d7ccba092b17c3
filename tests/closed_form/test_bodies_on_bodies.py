"""Bodies in the plane on one another: they stand, slide off and tip over an edge, roll."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp

import mbs_dae as mbs

G = 9.81


def at_rest(*bodies):
    return {f"{body}.{rate}": 0.0 for body in bodies for rate in ("vx", "vy", "omega")}


@pytest.mark.parametrize(("offset", "width"), [(0.0, 0.4), (0.05, 0.4), (0.0, 0.2)])
def test_a_stack_of_two_boxes_stands(offset, width):
    """Alike, one beyond the other, one smaller: what the lower one carries has the weight, and its moment."""
    model = mbs.PlanarModel("stack", gravity=(0, -G))
    lower = model.body("lower", mass=2.0, inertia=0.1, position=(0, 0.1))
    upper = model.body("upper", mass=1.0, inertia=0.05, position=(offset, 0.3))
    below, above = mbs.Box(lower, (0.4, 0.2), radius=0.005), mbs.Box(upper, (width, 0.2), radius=0.005)
    model.add(mbs.Contact("floor", mbs.Line(model.ground), below, friction=0.5))
    model.add(mbs.Contact("on", below, above, friction=0.5))
    run = mbs.simulate(model, [0, 0.5, 1], at_rest("lower", "upper"))
    assert abs(run["upper.y"] - 0.3).max() < 1e-12 and not run.impacts
    corners = np.array([offset + (width / 2 - 0.005) * np.array([-1, -1, 1, 1]), (-0.195, -0.195, 0.195, 0.195)])
    pushes = np.array([run[f"on.force{k}"][-1] for k in range(1, 9)])
    assert pushes.sum() == pytest.approx(G, rel=1e-9)
    assert pushes @ corners.ravel() == pytest.approx(offset * G, abs=1e-9)
    feet = np.array([run[f"floor.force{k}"][-1] for k in range(1, 5)])
    assert feet @ corners[1] == pytest.approx(offset * G, abs=1e-9) and feet.sum() == pytest.approx(3 * G, rel=1e-9)


@pytest.mark.parametrize("radius", [0.02, 0.0005])
def test_a_box_slides_over_an_edge_and_tips(radius):
    """Without friction nothing holds it up until its middle is over the edge of the table, and then it falls about it,
    with its sole at the distance r from the corner of the core, q: n·(c - q) = h/2 + r."""
    mass, inertia, h, speed = 1.5, 0.03, 0.1, 0.5
    model = mbs.PlanarModel("edge", gravity=(0, -G))
    box = model.body("box", mass=mass, inertia=inertia, position=(-0.3, h / 2))
    table = mbs.Box(model.ground.at(-0.5 + radius, -0.3), (1.0, 0.6), radius=radius)
    model.add(mbs.Contact("on", table, mbs.Box(box, (0.4, h), radius=radius)))
    tips = 0.3 / speed
    times = np.array([0, 0.3, 0.5, tips, 0.7, 0.8])
    run = mbs.simulate(model, times, {"box.vx": speed, "box.vy": 0.0, "box.omega": 0.0}, rtol=1e-10)
    assert abs(run["box.x"][:4] - (-0.3 + speed * times[:4])).max() < 1e-12 and abs(run["box.angle"][:4]).max() < 1e-12

    def rates(_t, state):
        x, y, angle, vx, vy, omega = state
        n, along = np.array([-np.sin(angle), np.cos(angle)]), np.array([np.cos(angle), np.sin(angle)])
        slope = np.array([*n, -along @ (x, y)])
        bend = -2 * omega * along @ (vx, vy) - omega**2 * n @ (x, y)
        free, weights = np.array([0, -G, 0]), 1 / np.array([mass, mass, inertia])
        push = -(slope @ free + bend) / (slope @ (weights * slope))
        return [vx, vy, omega, *(free + push * weights * slope)]

    start = [0, h / 2 + radius, 0, speed, 0, 0]
    expected = solve_ivp(rates, (tips, 0.8), start, "DOP853", times[4:], rtol=1e-12, atol=1e-13).y[:3]
    found = np.array([run["box.x"], run["box.y"] + radius, run["box.angle"]])[:, 4:]
    assert abs(found - expected).max() < 1e-9
    assert abs(run.energy.error).max() < 1e-9 and sum(impact.energy_lost for impact in run.impacts) < 1e-12


def test_a_capsule_rolls_to_and_fro_on_the_end_of_another():
    """A plank of half the thickness h on a round of radius R: E = (I + m h² + m R² θ²) θ̇²/2 + m g y(θ) with
    y = (R + h) cos θ + R θ sin θ."""
    R, h, largest, mass, inertia = 0.3, 0.05, 0.3, 2.0, 0.17
    y = lambda angle: (R + h) * np.cos(angle) + R * angle * np.sin(angle)  # noqa: E731
    model = mbs.PlanarModel("plank", gravity=(0, -G))
    x = -(R + h) * np.sin(largest) + R * largest * np.cos(largest)
    plank = model.body("plank", mass=mass, inertia=inertia, position=(x, y(largest)), angle=largest)
    post = mbs.Capsule(model.ground.at(0, -0.5, angle=np.pi / 2), 1.0, R)
    model.add(mbs.Contact("roll", post, mbs.Capsule(plank, 1.0, h), friction=2.0))

    def time_of(phase):  # θ = largest sin(phase)
        angle = largest * np.sin(phase)
        speed = 2 * mass * G * (y(largest) - y(angle)) / (inertia + mass * (h**2 + R**2 * angle**2))
        return largest * np.cos(phase) / np.sqrt(speed)

    quarter = quad(time_of, 0, np.pi / 2, epsabs=1e-13, epsrel=1e-13)[0]
    run = mbs.simulate(model, quarter * np.array([0, 1, 2, 4]), at_rest("plank"), rtol=1e-11)
    assert run["plank.angle"] == pytest.approx(largest * np.array([1, 0, -1, 1]), abs=1e-9)
    assert (run.modes["roll"] != "open").sum(axis=1).tolist() == [1] * 4
    assert run.energy.error == pytest.approx(np.zeros(4), abs=1e-10)
