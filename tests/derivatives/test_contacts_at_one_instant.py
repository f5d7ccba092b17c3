"""Derivatives of runs in which contacts change where the run begins, together with laws, or several at one instant; and
in which contacts share a load where they change: from the steps of the run, ahead and back."""

import mpmath as mp
import numpy as np
import pytest
import sympy as sp
from test_contacts_ahead_and_back import check_back, check_closed_form
from test_events_from_steps import from_steps
from test_surfaces_with_branches import FINE, check_against_neighbours

import mbs_dae as mbs
from mbs_dae.derivatives.runs.forward import VariedRun
from mbs_dae.derivatives.runs.gradients import goes_back

G = 9.81


def ball(drag: bool = False) -> mbs.PlanarModel:
    """A ball over a floor, perhaps in air that brakes it by the square of its velocity."""
    model = mbs.PlanarModel("ball", gravity=(0, -G))
    radius, back, rubs = model.parameter("R", 0.1), model.parameter("e", 0.7), model.parameter("mu", 0.1)
    body = model.body("ball", model.parameter("m", 1.3), model.parameter("J", 0.006), position=(0, 0.1))
    model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Disk(body, radius), restitution=back, friction=rubs))
    if drag:
        c, v = model.parameter("c", 0.4), (model["ball.vx"], model["ball.vy"])
        model.add(mbs.Force("drag", body, (-c * v[0] * sp.Abs(v[0]), -c * v[1] * sp.Abs(v[1]) - sp.sign(v[1]))))
    return model


def bounces(t, e, mu, m, J, vx, vy, omega):
    """x, y, vx and ω of the ball, which stands on the floor with the velocity vy < 0 at first."""
    radius, x, y = mp.mpf(0.1), mp.mpf(0), mp.mpf(0.1)
    while True:
        lands = (vy + mp.sqrt(vy**2 + 2 * G * (y - radius))) / G
        if t < lands:
            return [x + vx * t, y + vy * t - G * t**2 / 2, vx, omega]
        t, x, y, speed = t - lands, x + vx * lands, radius, G * lands - vy
        vy, slip, most = e * speed, vx + radius * omega, mu * (1 + e) * m * speed
        ends = slip / (1 / m + radius**2 / J)
        impulse = ends if abs(ends) <= most else most * mp.sign(slip)
        vx, omega = vx - impulse / m, omega - impulse * radius / J


@pytest.mark.parametrize("how", ["DP8", "Radau5", "joint"])
def test_a_ball_meets_the_floor_where_the_run_begins(how):
    """The impact comes at the first instant, whatever the velocities and the laws are."""
    values = {"e": 0.7, "mu": 0.1, "m": 1.3, "J": 0.006, "ball.vx": 1.0, "ball.vy": -2.0, "ball.omega": 25.0}
    start = {name: value for name, value in values.items() if "." in name}
    start |= {"ball.x": 0.0, "ball.y": 0.1, "ball.angle": 0.0}
    model = ball().compile("joint") if how == "joint" else ball()
    steps = {"method": "DP8" if how == "joint" else how, "rtol": 1e-12, "max_step": 0.05}
    result = mbs.simulate(model, [0, 0.1, 0.4, 0.6], start, derivatives=[*values], **steps)
    assert isinstance(result.varied, VariedRun) and result.impacts[0].t == 0.0
    names = ["ball.x", "ball.y", "ball.vx", "ball.omega"]
    for name in names:  # at first, before the impact
        for by in values:
            assert result.d(name, by)[0] == pytest.approx(1.0 if name == by else 0.0, abs=1e-15)
    assert not goes_back(result)  # a change of the first place would move the gap
    later = mbs.simulate(model, [0, 0.1, 0.4, 0.6], start, derivatives=[*values], **steps)
    check_closed_form(Later(later), bounces, names, values)


class Later:
    """A result without its first time."""

    def __init__(self, result):
        self.result, self.t = result, result.t[1:]

    def d(self, name, by):
        return self.result.d(name, by)[1:]


def test_a_ball_that_begins_on_the_floor_overlaps_it_with_a_larger_radius():
    start = {"ball.x": 0.0, "ball.y": 0.1, "ball.vx": 1.0, "ball.vy": -2.0, "ball.omega": 25.0}
    result = mbs.simulate(ball(), [0, 0.1, 0.3], start, derivatives=["R", "e"], **FINE)
    assert np.isnan(result.d("ball.y", "R")[1:]).all() and np.isfinite(result.d("ball.y", "e")).all()
    assert "contacts change where the run begins" in result.stats["derivatives"]


@pytest.mark.parametrize("how", ["DP8", "Radau5", "joint"])
def test_laws_of_velocities_switch_in_an_impact(how):
    """The drag has the sign of the velocity, which an impact turns round."""
    model = ball(drag=True)
    start = {"ball.x": 0.0, "ball.y": 1.0, "ball.vx": 1.0, "ball.vy": 0.2, "ball.omega": -30.0}
    own = model.compile("joint") if how == "joint" else model
    steps = {"method": "DP8" if how == "joint" else how, "rtol": 1e-12}
    result = mbs.simulate(own, [0, 0.3, 0.7, 1.1], start, derivatives=["mu", "e", "c", "ball.y"], **steps)
    assert isinstance(result.varied, VariedRun) and len(result.impacts) == 2
    check_against_neighbours(model, result, start, ["ball.x", "ball.y", "ball.vy", "ball.omega"], 1e-8)
    if how != "joint":
        check_back(result, ["ball.x", "ball.vy", "ball.omega", "energy.kinetic"])


def test_a_plank_stops_and_sets_out_on_two_corners():
    """Both corners stop together, share the friction at rest, and set out together when none can hold more."""
    model = mbs.PlanarModel("plank", gravity=(0, -G))
    mass, rubs, force = model.parameter("m", 2.0), model.parameter("mu", 0.3), model.parameter("F", 8.0)
    body = model.body("b", mass, 0.1, position=(0, 0.1))
    floor = mbs.Contact("floor", mbs.Line(model.ground), mbs.Box(body, (0.6, 0.2)), friction=rubs, static_friction=0.32)
    model.add(floor, mbs.Force("push", body, (force * sp.sin(3 * mbs.t), 0)))
    start = {"b.vx": 1.0, "b.vy": 0.0, "b.omega": 0.0}
    result = mbs.simulate(model, [0, 0.3, 0.6, 1.0, 2.0], start, derivatives=["m", "mu", "F", "b.vx"], **FINE)
    assert isinstance(result.varied, VariedRun)
    assert {one.after for one in result.transitions} >= {"sticks", "slips"}
    check_against_neighbours(model, result, start, ["b.x", "b.vx"], 1e-8)
    check_back(result, ["b.x", "b.vx", "energy.kinetic"])


@pytest.mark.parametrize("method", ["DP8", "Radau5"])
def test_a_block_slides_on_four_corners_until_it_stops(method):
    """Corners share the weight in any way. They stop at one instant, in neighbouring runs one after the other."""
    model = mbs.SpatialModel("block", gravity=(0, 0, -G))
    mass, rubs = model.parameter("m", 2.0), model.parameter("mu", 0.3)
    body = model.body("b", mass, (0.1, 0.1, 0.15), position=(0, 0, 0.1))
    model.add(mbs.Contact("floor", mbs.Plane(model.ground), mbs.Box(body, (0.6, 0.4, 0.2)), friction=rubs))

    def motion(t, m, mu, vx, vy):
        speed = mp.hypot(vx, vy)
        t = min(t, speed / (mu * mp.mpf(G)))
        way, left = t - mu * mp.mpf(G) * t**2 / 2 / speed, 1 - mu * mp.mpf(G) * t / speed
        return [vx * way, vy * way, vx * left, vy * left]

    values = {"m": 2.0, "mu": 0.3, "b.vx": 2.0, "b.vy": 0.7}
    start = {f"b.{rate}": 0.0 for rate in ("vz", "wx", "wy", "wz")} | {"b.vx": 2.0, "b.vy": 0.7}
    how = {"method": method, "rtol": 1e-11, "max_step": 0.01}
    result = mbs.simulate(model, [0, 0.2, 0.5, 0.9], start, derivatives=[*values], **how)
    assert isinstance(result.varied, VariedRun) and {one.after for one in result.transitions} == {"sticks"}
    check_closed_form(result, motion, ["b.x", "b.y", "b.vx", "b.vy"], values, close=1e-7)
    check_back(result, ["b.x", "b.vy"], close=1e-11)


def test_friction_beside_redundant_equations():
    """Three cranks of one length carry a bar, and a load on the bar rubs in its pin."""
    model = mbs.PlanarModel("bar", gravity=(0, -G))
    drive, rubs = model.parameter("M", 3.0), model.parameter("mu", 0.2)
    cranks = [model.link(f"c{k}", (0.5 * k, 0), (0.5 * k, 0.3), mass=1.0) for k in range(3)]
    bar = model.body("bar", 2.0, 0.1, position=(0.5, 0.3))
    for k, crank in enumerate(cranks):
        model.add(mbs.Revolute(f"A{k}", model.ground.at(0.5 * k, 0), crank.tail))
        model.add(mbs.Revolute(f"B{k}", crank.head, bar.at(0.5 * k - 0.5, 0)))
    load = model.body("load", 0.7, 0.05, position=(0.5, 0.1))
    pin = model.add(mbs.Revolute("pin", bar.at(0, 0), load.at(0, 0.2)))
    model.add(mbs.Friction("rubs", pin, mu=rubs, radius=0.05))
    model.add(mbs.Torque("drive", cranks[0], drive * sp.cos(3 * mbs.t)))
    start = {"c0.angle": 1.6, "c0.omega": -1.0, "load.omega": 2.0}
    result = mbs.simulate(model, [0, 0.3, 0.7], start, derivatives=["M", "mu", "c0.omega"], **FINE)
    assert isinstance(result.varied, VariedRun) and result.stats["redundant_equations"] == 1
    check_against_neighbours(model, result, start, ["c0.angle", "load.omega", "load.angle"], 1e-7, part=1e-3)
    check_back(result, ["c0.angle", "load.omega", "pin.Fx"])


def test_a_push_that_sets_in_lets_a_block_slide_and_a_mass_lift_off():
    """Contacts change where a law of time switches, at a time that is asked for."""
    model = mbs.PlanarModel("pushed", gravity=(0, -G))
    begins, force, rubs = model.parameter("T", 0.3), model.parameter("F", 12.0), model.parameter("mu", 0.3)
    block, mass = model.body("block", 2.0, 0.1), model.body("mass", 1.0, 0.1, position=(2, 0))
    model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Point(block), friction=rubs))
    model.add(mbs.Contact("table", mbs.Line(model.ground), mbs.Point(mass), friction=rubs))
    sets_in = sp.Piecewise((force, mbs.t > begins), (0, True))
    model.add(mbs.Force("push", block, (sets_in, 0)), mbs.Force("lift", mass, (0, sets_in)))
    start = {f"{name}.{rate}": 0.0 for name in ("block", "mass") for rate in ("vx", "vy", "omega")}
    result = mbs.simulate(model, [0, 0.25, 0.5, 0.8], start, derivatives=["T", "F", "mu"], **FINE)
    assert isinstance(result.varied, VariedRun)
    assert {one.after for one in result.transitions} == {"slips", "open"}
    check_against_neighbours(model, result, start, ["block.x", "block.vx", "mass.y", "mass.vy"], 1e-8)
    check_back(result, ["block.x", "mass.vy", "floor.force"])


@pytest.mark.parametrize("method", ["DP5", "DP8", "Radau5"])
def test_a_mass_is_put_on_a_conveyor(method):
    """Its slip s₀ = (-u, v_y) ends after |s₀|/(μ g). Until then friction gives it the momentum -m s₀: the motor
    supplies m u², whatever μ is, and m |s₀|²/2 is dissipated."""
    values = {"m": 2.0, "mu": 0.3, "u": 1.5, "b.vy": 1.0}
    model = mbs.SpatialModel("conveyor", gravity=(0, 0, -G))
    mass, rubs, speed = (model.parameter(name, values[name]) for name in ("m", "mu", "u"))
    belt, body = model.body("belt", 5.0, (1, 1, 1)), model.body("b", mass, (1, 1, 1))
    guide = model.add(mbs.Translational("guide", model.ground, belt, at=(0, 0, 0), axis=(1, 0, 0)))
    model.add(mbs.Driver("motor", mbs.displacement(guide), speed * mbs.t))
    model.add(mbs.Contact("floor", mbs.Plane(belt), mbs.Point(body), friction=rubs))
    start = {"b.vx": 0.0, "b.vy": values["b.vy"]}
    run = mbs.simulate(model, [0, 0.2, 1.2], start, derivatives=[*values], method=method, rtol=1e-11, max_step=0.02)

    def at_rest(m, mu, u, vy):
        slip = mp.sqrt(u**2 + vy**2)
        slides = slip / (2 * mu * G)
        return u * 1.2 - u * slides, vy * slides, m * u**2, m * slip**2 / 2

    for k, name in enumerate(["b.x", "b.y", "energy.supplied", "energy.dissipated"]):
        for n, by in enumerate(values):
            order = tuple(int(j == n) for j in range(len(values)))
            expected = float(mp.diff(lambda *x, k=k: at_rest(*x)[k], tuple(map(mp.mpf, values.values())), order))
            assert run.d(name, by)[-1] == pytest.approx(expected, abs=1e-8), (name, by)


def test_a_load_that_sets_out_when_one_of_two_carriages_stops():
    """Both carriages stop after 1 m/s / 4.5 m/s². The load on the first one is pulled back, and sets out when this one
    stops, whether the other one still moves or not: derivatives end by what moves the two instants apart."""
    model = mbs.PlanarModel("carriages")
    F, R, Q = (model.parameter(*one) for one in (("F", 4.0), ("R", 5.0), ("Q", 4.5)))
    first, other, load = (model.body(name, mass=1.0, inertia=1.0) for name in ("first", "other", "load"))
    pairs = ("rails", model.ground, first, R), ("track", model.ground, other, Q), ("deck", first, load, 1.0)
    for name, below, above, force in pairs:
        slide = model.add(mbs.Translational(f"{name}'", below, above))
        model.add(mbs.DryFriction(name, mbs.displacement(slide), force))
    model.add(mbs.Force("pull", load, (-F, 0)))
    start = {f"{name}.{one}": value for name in ("first", "other", "load") for one, value in (("x", 0.0), ("vx", 1.0))}
    run = mbs.simulate(model, [0, 0.2, 0.3], start, derivatives=["F", "R", "Q"], rtol=1e-11)
    changes = {(one.contact, one.after) for one in run.transitions}
    assert changes == {("rails", "sticks"), ("track", "sticks"), ("deck", "slips")}
    assert from_steps(run)
    for by in ("F", "R", "Q"):
        assert np.isfinite(run.d("load.vx", by)[:2]).all() and np.isnan(run.d("load.vx", by)[2])
    assert "several things happen at once" in run.stats["derivatives"]
