"""What a run tells of its contacts: quantities by name, events on them, files, implicit methods."""

from __future__ import annotations

import numpy as np
import pytest

import mbs_dae as mbs

TIMES = np.linspace(0, 2, 41)
G = 9.81


def ball(**laws):
    model = mbs.PlanarModel("yard", gravity=(0, -G))
    body = model.body("ball", mass=2.0, inertia=0.008, position=(0, 1.1))
    model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Disk(body, 0.1), **laws))
    return model


def block(stiffness, d=2):
    """A block on a spring, on four (in the plane, two) corners."""
    model = (mbs.PlanarModel if d == 2 else mbs.SpatialModel)("bench", gravity=(0, -G) if d == 2 else (0, 0, -G))
    up = (0, 0.1) if d == 2 else (0, 0, 0.1)
    inertia = 0.1 if d == 2 else (0.1, 0.1, 0.1)
    body = model.body("block", mass=1.0, inertia=inertia, position=up)
    surface, size = (mbs.Line, (0.3, 0.2)) if d == 2 else (mbs.Plane, (0.3, 0.3, 0.2))
    laws = {"friction": 0.3, "static_friction": 0.4}
    model.add(mbs.Contact("floor", surface(model.ground), mbs.Box(body, size), **laws))
    model.add(mbs.Spring("spring", model.ground.at(-1, *up[1:]), body, stiffness=stiffness, length=1.0))
    return model


def test_gaps_rates_and_forces_have_names_and_units():
    result = mbs.simulate(ball(restitution=0.5, friction=0.3), TIMES, {"ball.vx": 1.0})
    assert result["floor.gap"] == pytest.approx(result["ball.y"] - 0.1, abs=1e-12)
    assert result["floor.gap_rate"] == pytest.approx(result["ball.vy"], abs=1e-12)
    assert result["floor.slip"] == pytest.approx(result["ball.vx"] + 0.1 * result["ball.omega"], abs=1e-12)
    force = np.column_stack([result["floor.friction"], result["floor.force"]])
    assert force == pytest.approx(result.reaction("floor")[:, :2], abs=1e-9)
    units = {"gap": "m", "gap_rate": "m/s", "gap_acceleration": "m/s²", "slip": "m/s", "slip_rate": "m/s²"}
    for name, unit in {**units, "force": "N", "friction": "N"}.items():
        assert f"floor.{name}" in result.names and result.unit(f"floor.{name}") == unit
    assert result["floor.force"][-1] == pytest.approx(2 * G, rel=1e-9)
    assert result.plot("floor.gap", "floor.force")


def test_points_and_directions_are_told_apart():
    result = mbs.simulate(block(1.0, d=3), [0.0, 0.1])
    names = [name.removeprefix("floor.") for name in result.names if name.startswith("floor.")]
    assert {"gap1", "gap8_rate", "slip1_u", "slip8_v", "force8", "friction3_u"} <= {*names}
    pressed = sum(result[f"floor.force{k}"] for k in range(1, 9))
    assert pressed == pytest.approx(np.full(2, G), rel=1e-9)


def test_events_and_forces_read_gaps():
    model = ball(restitution=0.5)
    model.add(mbs.Event("high", model["floor.gap"] - 0.2))
    heights = [event.state["ball.y"] for event in mbs.simulate(model, TIMES).events]
    assert len(heights) == 3 and heights == pytest.approx([0.3] * 3, abs=1e-9)
    model = ball().without("floor")
    level = model.parameter("level", 0.3)
    model.add(mbs.Contact("floor", model.ground, model.bodies["ball"], gap=lambda i, j: 2 * (j.y - level) - mbs.t / 10))
    pushed = mbs.Force("soft", model.bodies["ball"], force=(0, -50 * (model["floor.gap"] - 1)))
    damped = mbs.Force("damped", model.bodies["ball"], force=(0, -8 * model["floor.gap_rate"]))
    model.add(pushed, damped)
    result = mbs.simulate(model.with_parameters(level=0.2), TIMES)
    gap = 2 * (result["ball.y"] - 0.2) - TIMES / 10
    rate = 2 * result["ball.vy"] - 0.1
    assert result["floor.gap"] == pytest.approx(gap, abs=1e-12)
    assert result["ball.ay"] == pytest.approx(-G - 25 * (gap - 1) - 4 * rate, abs=1e-8)


def test_files_keep_impacts_and_modes(tmp_path):
    model = ball(restitution=0.5, friction=0.2)
    wall, box = mbs.Line(model.ground.at(1, 0, angle=np.pi / 2)), mbs.Box(model.bodies["ball"], (0.1, 0.1))
    model.add(mbs.Contact("wall", wall, box))
    model.add(mbs.Event("high", model["floor.gap"] - 0.2))
    result = mbs.simulate(model, TIMES, {"ball.vx": 2.0})
    again = mbs.load(result.save(tmp_path / "run.npz"))
    assert len(result.impacts) > 5 and len(again.impacts) == len(result.impacts)
    for one, other in zip(result.impacts, again.impacts, strict=True):
        for state, stored in ((one.before, other.before), (one.after, other.after)):
            assert stored.t == one.t
            for name in ("ball.x", "ball.y", "ball.vx", "ball.vy", "ball.omega", "floor.gap", "floor.slip"):
                assert stored[name] == state[name]
        assert one._replace(impulses=0, before=0, after=0) == other._replace(impulses=0, before=0, after=0)
        assert all((one.impulses[name] == other.impulses[name]).all() for name in one.impulses)
    assert [*again.modes] == [*result.modes]
    assert all((again.modes[name] == result.modes[name]).all() for name in result.modes)
    assert result.modes["wall"].shape == (41, 4)
    assert (again["floor.force"] == result["floor.force"]).all()
    assert again.events[0].state["ball.y"] == result.events[0].state["ball.y"]
    assert [change[:5] for change in again.transitions] == [change[:5] for change in result.transitions]
    assert len(result.transitions) > 0
    for change, stored in zip(result.transitions, again.transitions, strict=True):
        assert stored.state.t == change.t and stored.state["ball.vx"] == change.state["ball.vx"]


@pytest.mark.parametrize("saved", [True, False])
def test_files_without_contacts_have_none(tmp_path, saved):
    result = mbs.simulate(ball().without("floor"), TIMES)
    result = mbs.load(result.save(tmp_path / "run.npz")) if saved else result
    assert result.impacts == () and dict(result.modes) == {}


@pytest.mark.parametrize("method", ["DP8", "Radau5", "GA"])
def test_a_bouncing_ball_comes_to_rest_by_every_method(method):
    """The sum of all flights: √(2h/g) (1 + e)/(1 - e)."""
    result = mbs.simulate(ball(restitution=0.5), TIMES, method=method)
    first = np.sqrt(2 * 1.0 / G)
    assert result.impacts[0].t == pytest.approx(first, abs=1e-9)
    assert result.impacts[-1].rests == pytest.approx(3 * first, abs=1e-7)
    assert result.modes["floor"][-1] == "closed"


@pytest.mark.parametrize("method", ["Radau5", "GA"])
def test_a_stiff_block_stops_by_implicit_methods(method):
    """m ẍ = -k x - μ m g from x = 0: at rest where 0 = v² - ω² x² - 2 μ g x, and held there if k x < μ_static m g."""
    k, v, mu = 1e4, 0.3, 0.3
    model = block(k).without("floor")
    foot = mbs.Point(model.bodies["block"])
    floor = mbs.Line(model.ground.at(0, 0.1))
    model.add(mbs.Contact("floor", floor, foot, friction=mu, static_friction=0.4))
    result = mbs.simulate(model, np.linspace(0, 0.2, 21), {"block.vx": v}, method=method)
    reach, stops = np.sqrt((mu * G / k) ** 2 + v**2 / k) - mu * G / k, []
    while k * abs(reach) > 0.4 * G:
        reach = -np.sign(reach) * (abs(reach) - 2 * mu * G / k)
        stops.append(reach)
    assert result["block.x"][-1] == pytest.approx(reach, abs=2e-6) and len(stops) > 2
    assert result.modes["floor"][-1] == "sticks"
    assert np.abs(result.energy.error).max() < 1e-7
