"""Derivatives of runs in natural and joint coordinates, from their steps: against the equation of a pendulum in 22
digits, against those of the same motion in Cartesian coordinates, against runs beside the run, ahead against back."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import mpmath as mp
import numpy as np
import pytest
import sympy as sp
from test_contacts_ahead_and_back import ball as bouncing_ball
from test_contacts_ahead_and_back import check_back
from test_events_from_steps import ahead_and_back, from_steps
from test_signals_from_steps import check_beside
from test_ways_back import hinged_four_bar

import mbs_dae as mbs

TIMES = np.linspace(0.0, 0.5, 4)
BOTH = pytest.mark.parametrize("coordinates", ["joint", "natural"])


def pendulum() -> mbs.PlanarModel:
    """A rod of length l with a damper c in its pin: m l²/3 ω' = -m g l/2 cos θ - c ω."""
    model = mbs.PlanarModel("pendulum", gravity=(0, -9.81))
    length, damping = model.parameter("l", 0.3), model.parameter("c", 0.05)
    rod = model.link("rod", (0, 0), (0.3, 0), length=length, mass=2.0)
    pin = model.add(mbs.Revolute("A", model.ground, rod.tail))
    model.add(mbs.TorsionSpring("damper", pin, stiffness=0, damping=damping))
    return model


@cache
def swing(t, length, damping, begin):
    """θ and ω of the pendulum."""

    def rates(_, y):
        return [y[1], -mp.mpf("14.715") / length * mp.cos(y[0]) - 3 * damping / (2 * length**2) * y[1]]

    return mp.odefun(rates, 0, [mp.mpf(0), begin], tol=mp.mpf("1e-18"))(t) if t else [mp.mpf(0), begin]


@BOTH
def test_a_pendulum_by_its_own_equation(coordinates):
    mp.mp.dps = 22
    values = {"l": 0.3, "c": 0.05, "rod.omega": 2.0}
    result = mbs.simulate(
        pendulum().compile(coordinates), [0.0, 0.3], {"rod.angle": 0.0, "rod.omega": 2.0}, rtol=1e-12,
        derivatives=[*values],
    )  # fmt: skip
    size = mp.mpf("1e-4")
    for at, by in enumerate(values):

        def moved(c, at=at):
            own = [mp.mpf(repr(x)) for x in values.values()]
            own[at] += c * size
            return swing(mp.mpf("0.3"), *own)

        ahead, behind, far, back = (moved(c) for c in (1, -1, 2, -2))
        for level, name in enumerate(("rod.angle", "rod.omega")):
            exact = (8 * (ahead[level] - behind[level]) - (far[level] - back[level])) / (12 * size)
            assert abs(result.d(name, by)[-1] - float(exact)) < 1e-9 * max(1.0, abs(float(exact))), (by, name)
    assert from_steps(result)
    check_back(result, ["rod.angle", "rod.omega", "A.force"])


def check_against_bodies(
    model, coordinates, start, by, names, tolerance, times=TIMES, rtol=1e-11, steps=True, back=1e-12, **how
) -> mbs.Result:  # fmt: skip
    """A run in these coordinates has the motion and the derivatives of the run of bodies. Derivatives come from its
    steps, ahead and back, or, where the test says so, from runs beside it."""
    how = {"method": "DP8", "rtol": rtol, "derivatives": by} | how
    found, expected = (mbs.simulate(one, times, start, **how) for one in (model.compile(coordinates), model))
    assert from_steps(found) == steps
    if steps:
        check_back(found, names, back)
    for name in names:
        for one in by:
            own = expected.d(name, one)
            off = np.abs(found.d(name, one) - own).max() / max(1.0, np.abs(own).max())
            assert off < tolerance, (name, one, off)
    return found


@BOTH
def test_a_four_bar_and_what_its_joints_carry(coordinates):
    model = mbs.PlanarModel("four-bar", gravity=(0, -9.81))
    r, m = model.parameter("r", 0.3), model.parameter("m", 0.7)
    crank = model.link("crank", (0, 0), (0, 0.3), length=r, mass=1.0)
    coupler = model.link("coupler", (0, 0.3), (0.8, 0.6), mass=m)
    rocker = model.link("rocker", (0.7, 0), (0.8, 0.6), mass=0.5)
    model.add(
        mbs.Revolute("A", model.ground, crank.tail),
        mbs.Revolute("B", crank.head, coupler.tail),
        mbs.Revolute("C", coupler.head, rocker.head),
        mbs.Revolute("D", model.ground.at(0.7, 0), rocker.tail),
        mbs.SpringDamper("spring", model.ground.at(0, 1), coupler.head, stiffness=40, damping=1, length=0.5),
    )
    names = ["coupler.x", "coupler.ax", "rocker.omega", "B.force", "D.force", "spring.effort", "energy.kinetic"]
    by = ["r", "m", "spring.stiffness", "rocker.mass", "crank.omega"]
    check_against_bodies(model, coordinates, {"crank.omega": 5.0}, by, names, 1e-8)


@BOTH
def test_in_space(coordinates):
    """Attitudes are quaternions in some coordinates, and vectors in others."""
    model = mbs.SpatialModel("chain", gravity=(0, 0, -9.81))
    length = model.parameter("l", 0.3)
    one = model.body("one", position=(length / 2, 0, 0), mass=2.0, inertia=(0.01, 0.02, 0.03))
    two = model.body("two", position=(0.5, 0, 0.1), mass=1.0, inertia=(0.01, 0.02, 0.015))
    model.add(
        mbs.Spherical("S", model.ground, one.at(-length / 2, 0, 0)),
        mbs.Spherical("T", one.at(length / 2, 0, 0), two.at(-0.2, 0, -0.1)),
    )
    names = ["one.x", "two.z", "two.vx", "two.alphay", "T.force", "energy.kinetic"]
    start, times = {"one.wz": 3.0, "two.wx": 9.0}, np.array([0.0, 0.1, 0.25])
    check_against_bodies(model, coordinates, start, ["l", "two.mass", "two.wx"], names, 1e-8, times)


@BOTH
def test_across_an_impact(coordinates):
    """A pendulum strikes a stop."""
    model = pendulum()
    model.add(mbs.Stop("stop", mbs.angle(model.elements["A"]), lower=-0.6, restitution=model.parameter("e", 0.6)))
    start = {"rod.angle": 0.0, "rod.omega": 0.0}
    names = ["rod.angle", "rod.omega", "A.force"]
    check_against_bodies(model, coordinates, start, ["l", "e", "c"], names, 1e-7)


def four_bar_that_strikes() -> mbs.SpatialModel:
    """A four-bar in space, with hinges of which some would not be needed, whose crank strikes a stop."""
    model = hinged_four_bar()
    stop = mbs.angle(model.elements["A"])
    model.add(mbs.Stop("stop", stop, lower=-0.4, upper=0.5, restitution=model.parameter("e", 0.6)))
    return model


@pytest.mark.parametrize("coordinates", ["cartesian", "natural", "joint"])
def test_hinges_beside_a_stop(coordinates, monkeypatch):
    """Redundant equations share forces in the least way, beside the force of a stop: what they leave unique has the
    derivatives of runs of neighbouring designs, in the motion, and where an event stops it."""
    model, start, by = four_bar_that_strikes(), {"crank.wz": 5.0}, ["r", "m", "e", "crank.wz"]
    names = ["coupler.x", "rocker.wz", "A.Fx", "D.Fy"]
    own = model.compile(coordinates)
    run = check_beside(own, np.linspace(0, 0.6, 7), start, by, names, monkeypatch, method="DP8", rtol=1e-11)
    assert run.stats["redundant_equations"] > 0 and run.impacts and run.is_unique("A.Fx").all()
    model.add(mbs.Event("far", when=model["coupler.vx"], action="stop", direction=1))
    objective = mbs.at_end("A.Fx") + mbs.at_end(mbs.t)
    rest, how = ([0, 2.0], by, start, monkeypatch), {"method": "DP8", "rtol": 1e-11}
    ahead, back = ahead_and_back(objective, model.compile(coordinates), *rest, **how)
    np.testing.assert_allclose(back, ahead, rtol=0, atol=1e-12 * np.abs(ahead).max())


MEETING = [(method, "natural") for method in ("DP5", "RK4", "Radau5", "GA")]
MEETING += [(method, "joint") for method in ("DP5", "RK4", "Radau5")]


@pytest.mark.parametrize(("method", "coordinates"), MEETING)
def test_other_coordinates_where_bodies_meet(method, coordinates):
    """A ball bounces and rolls, a pendulum hits a stop, rests on it and leaves it; ahead against back, and against the
    run of bodies by DP8 within the errors of the method."""
    for model, start, by, names, times in meetings():
        how = {"step": 1e-3} if method == "RK4" else {"rtol": 1e-7 if method == "GA" else 1e-10}
        run = mbs.simulate(model.compile(coordinates), times, start, method=method, derivatives=by, **how)
        like = mbs.simulate(model, times, start, method="DP8", rtol=1e-11, derivatives=by)
        assert from_steps(run) and len(run.impacts) == len(like.impacts) > 0
        check_back(run, names)
        for name in names:
            for one in by:
                own = like.d(name, one)
                off = np.abs(run.d(name, one) - own).max() / max(1.0, np.abs(own).max())
                assert off < (2e-2 if method == "GA" else 1e-4 if method == "RK4" else 1e-7), (name, one, off)


def meetings() -> Iterator[tuple[Any, dict[str, float], list[str], list[str], np.ndarray]]:
    """Yield models whose bodies meet, with their starts, parameters, quantities and times."""
    ball = bouncing_ball(0.8, 0.04)
    start = {"ball.y": 1.0, "ball.vx": 2.0, "ball.omega": -20.0}
    yield ball, start, ["R", "e", "mu", "m"], ["ball.x", "ball.omega", "ball.y"], np.linspace(0, 1.3, 6)
    model, rod = pendulum(), "rod"
    stop = mbs.Stop("stop", mbs.angle(model.elements["A"]), lower=-0.6, restitution=0.0)
    push = model.parameter("M", 6.0)
    model.add(stop, mbs.Torque("push", model.bodies[rod], push * mbs.t))
    yield model, {"rod.angle": 0.0, "rod.omega": 0.0}, ["l", "M", "c"], ["rod.angle", "A.Fx"], np.linspace(0, 2.0, 9)


@BOTH
def test_states_and_a_law_that_sets_in_at_a_time(coordinates):
    """A requested time next to a break that moves is read in designs of one side."""
    model = pendulum()
    begin, slow = model.parameter("begin", 0.2), model.parameter("T", 0.4)
    rod = model.bodies["rod"]
    z = model.state("z", rate=lambda z: (model["rod.angle"] - z) / slow, initial=0.1)
    model.add(mbs.Torque("push", rod, sp.Piecewise((0, mbs.t < begin), (3 * z + 1, True))))
    start, times = {"rod.angle": 0.0, "rod.omega": 1.0, "z": 0.1}, np.array([0.0, 0.1, 0.1999, 0.2, 0.2001, 0.4])
    check_against_bodies(
        model, coordinates, start, ["begin", "T", "z"], ["rod.angle", "rod.alpha", "z", "A.force"], 1e-7, times
    )


@BOTH
def test_loads_have_none_where_the_motion_has_none(coordinates):
    """Two laws switch at once where y = 1, which they do one after the other beside it."""
    model = mbs.PlanarModel("pushed")
    ball = model.body("ball", mass=1.0, inertia=0.1)
    model.add(mbs.Translational("guide", model.ground, ball, at=(0, 0), axis=(0, 1)))
    y, v = model["ball.y"], model["ball.vy"]
    first, other = (sp.Piecewise((0, what < 1), (1, True)) for what in (y, 2 * y - v / 5))
    model.add(mbs.Force("push", ball, (3 * y, -first - other)))
    start = {"ball.y": 0.0, "ball.vy": 5.0}
    result = mbs.simulate(model.compile(coordinates), [0.0, 0.1, 0.3, 0.4], start, derivatives=["ball.vy"])
    for name, before in (("ball.y", 0.1), ("guide.Fx", -0.3)):
        found = result.d(name, "ball.vy")
        assert abs(found[1] - before) < 1e-9 and np.isnan(found[2:]).all(), name


# --- trees, loops, motors, states, events -----------------------------------------------------------------------------

PLANAR = [mbs.Revolute, mbs.Translational, mbs.Revolute]
SPATIAL = [mbs.Revolute, mbs.Spherical, mbs.Cylindrical, mbs.Translational]


def random_tree(seed: int, dimension: int, closed: bool) -> tuple[Any, list[str]]:
    """Bodies that hang on each other, in either sense of their joints; if `closed`, a rod holds the last one."""
    random = np.random.default_rng(seed)
    make, kinds = (mbs.PlanarModel, PLANAR) if dimension == 2 else (mbs.SpatialModel, SPATIAL)
    model = make("random tree", gravity=(0, -9.81, 1.0)[:dimension])
    length, m, k = (model.parameter(name, value) for name, value in (("l", 0.3), ("m", 0.5), ("k", 20.0)))
    inertia, bodies = (0.02 if dimension == 2 else (0.02, 0.03, 0.025)), [(model.ground, np.zeros(dimension))]
    for n in range(4):
        place, point = random.uniform(-0.3, 0.3, (2, dimension))
        body = model.body(f"body{n}", position=tuple(place), mass=m if n == 1 else 0.3 + 0.2 * n, inertia=inertia)
        parent, origin = bodies[random.integers(len(bodies))]
        far = [*(point - place)]
        far[0] = far[0] + length - 0.3 if n == 1 else far[0]
        markers = parent.at(*(point - origin)), body.at(*far)
        model.add(random.choice(kinds)(f"joint{n}", *markers[:: 1 - 2 * int(random.integers(2))]))
        bodies.append((body, place))
    model.add(
        mbs.SpringDamper("spring", model.ground.at(*[1] * dimension), body, stiffness=k, damping=0.4, length=length)
    )
    if closed:
        model.add(mbs.Distance("rod", model.ground.at(*(place + 0.5)), body.at(*[0.1] * dimension)))
    return model, ["l", "m", "k", "body3.mass", "gravity.y"]


@BOTH
@pytest.mark.parametrize("closed", [False, True], ids=["tree", "loop"])
@pytest.mark.parametrize(("seed", "dimension"), [(0, 2), (1, 2), (0, 3), (1, 3)])
def test_random_trees(seed, dimension, closed, coordinates):
    model, by = random_tree(seed, dimension, closed)
    names = ["body3.x", "body2.vy", "body3.ax", "energy.kinetic", "spring.effort"]
    names += ["rod.force"] if closed else ["joint0.force"]
    times, how = np.array([0.0, 0.1, 0.25]), {"stabilization": mbs.Projection()} if seed else {}
    check_against_bodies(model, coordinates, {}, by, names, 1e-8, times, **how)


@BOTH
def test_all_joints_that_stand_in_a_tree(coordinates):
    """A body that floats carries a universal joint, a cylinder, a ball and a screw, some of them turned round."""
    model = mbs.SpatialModel("tree", gravity=(0, 0, -9.81))
    length, k = model.parameter("l", 0.3), model.parameter("k", 0.1)
    base = model.body("base", position=(0, 0, 0), mass=3.0, inertia=(0.2, 0.3, 0.25))
    a = model.body("a", position=(0.3, 0, 0), mass=1.0, inertia=(0.01, 0.02, 0.015))
    b = model.body("b", position=(0.3, 0.3, 0), mass=0.8, inertia=(0.012, 0.01, 0.02))
    c = model.body("c", position=(0.3, 0.3, 0.4), mass=0.5, inertia=(0.01, 0.01, 0.012))
    d = model.body("d", position=(-0.3, 0, 0), mass=0.7, inertia=(0.01, 0.02, 0.012))
    model.add(
        mbs.Universal("U", a, base, at=(length / 2, 0, 0), pins=((0, 1, 0), (0, 0, 1))),
        mbs.Cylindrical("C", a.at(k, 0.15, 0), b.at(0, -0.15, 0)),
        mbs.Spherical("S", c.at(0, 0, -0.2), b.at(0, 0, 0.2)),
        mbs.Screw("R", base.at(-0.1, k, 0), d.at(0.2, k, 0), pitch=k),
        mbs.SpringDamper("s1", model.ground.at(0, 0, 1), c, stiffness=20, damping=0.5, length=0.4),
        mbs.SpringDamper("s2", model.ground.at(0, 1, 1), d, stiffness=15, damping=0.3, length=0.4),
    )
    start, by = {"c.wx": 1.0, "a.wz": 0.5, "d.wz": 2.0}, ["l", "k", "c.mass", "s1.stiffness", "d.wz"]
    names = ["base.x", "c.z", "d.vx", "b.alphay", "C.force", "energy.dissipated"]
    check_against_bodies(model, coordinates, start, by, names, 1e-8, np.array([0.0, 0.1, 0.3]))


@BOTH
@pytest.mark.parametrize("stabilization", [mbs.Baumgarte(), mbs.Projection()], ids=["feedback", "projected"])
def test_hinges_of_which_one_would_not_be_needed(coordinates, stabilization):
    start, by = {"crank.wz": 5.0}, ["r", "m", "k", "crank.wz"]
    names = ["coupler.x", "rocker.wz", "coupler.ay", "A.Fx", "energy.kinetic"]
    run = check_against_bodies(hinged_four_bar(), coordinates, start, by, names, 1e-8, stabilization=stabilization)
    assert run.stats["redundant_equations"] > 0


def motor() -> tuple[mbs.PlanarModel, dict[str, float], list[str]]:
    """A driven slider crank carries a pendulum: with a state, an input, a sampled controller, a law that switches."""
    model = mbs.PlanarModel("driven", gravity=(0, -9.81))
    w, T, r = model.parameter("w", 3.0), model.parameter("T", 0.2), model.parameter("r", 0.3)
    crank, rod = (
        model.link("crank", (0, 0), (0.3, 0), length=r, mass=1.0),
        model.link("rod", (0.3, 0), (0.9, 0), mass=0.7),
    )
    slider = model.body("slider", position=(0.9, 0), mass=0.5, inertia=0.01)
    arm = model.link("arm", (0.9, 0), (0.9, -0.4), mass=0.3)
    u, held = model.input("u", sp.sin(5 * mbs.t)), model.state("held")
    z = model.state("z", rate=lambda z: (model["slider.vx"] + u - z) / T, initial=0.1)
    angle = model["arm.angle"]
    bumper = sp.Piecewise((0, angle < -1.4), (-2 * (angle + 1.4) - 1, True))
    model.add(
        mbs.Revolute("A", model.ground, crank.tail),
        mbs.Revolute("B", crank.head, rod.tail),
        mbs.Revolute("C", slider, rod.head),
        mbs.Translational("G", model.ground, slider),
        mbs.Revolute("P", slider, arm.tail),
        mbs.Driver("motor", mbs.angle(model.ground, crank), w * mbs.t),
        mbs.Torque("push", arm, z + bumper + held),
        mbs.Sampled("controller", every=0.07, update={held: -(angle + 1.5) * T - 0.1 * model["arm.omega"]}),
        mbs.Event("left", model["arm.head.x"] - 0.93),
    )
    start = {"arm.angle": -1.8, "arm.omega": 2.5, "z": 0.1}
    return model, start, ["w", "T", "r", "arm.mass", "arm.omega", "z"]


@BOTH
def test_a_motor_with_states_a_controller_and_laws_that_switch(coordinates):
    model, start, by = motor()
    names = ["arm.x", "slider.ax", "z", "A.force", "motor.effort", "energy.supplied"]
    times = np.array([0.0, 0.1, 0.25, 0.6])
    run = check_against_bodies(model, coordinates, start, by, names, 1e-7, times)
    like = mbs.simulate(model, times, start, method="DP8", rtol=1e-11, derivatives=by)
    assert run.stats["switches"] > 0 and len(run.events) == len(like.events) > 0
    for found, expected in zip(run.events, like.events, strict=True):
        for name in ("t", "arm.x", "arm.omega", "slider.ax", "z"):
            own = [expected.d(name, one) for one in by]
            np.testing.assert_allclose([found.d(name, one) for one in by], own, rtol=0, atol=1e-7 * np.abs(own).max())


@BOTH
def test_a_motion_that_an_event_stops(coordinates, monkeypatch):
    model, start, by = motor()
    model.add(mbs.Event("end", model["arm.angle"] + 1.2, action="stop"))
    objective = mbs.at_end("slider.ax") + mbs.at_end("A.Fx") * mbs.at_end(mbs.t) + mbs.at_end("arm.x")
    rest, how = ([0, 0.1, 2.0], by, start, monkeypatch), {"method": "DP8", "rtol": 1e-11}
    ahead, back = ahead_and_back(objective, model.compile(coordinates), *rest, **how)
    np.testing.assert_allclose(back, ahead, rtol=0, atol=1e-12 * np.abs(ahead).max())
    bodies, _ = ahead_and_back(objective, model, *rest, **how)
    np.testing.assert_allclose(ahead, bodies, rtol=0, atol=1e-8 * np.abs(bodies).max())


@BOTH
@pytest.mark.parametrize("how", [{"method": "RK4", "step": 2e-3}, {"method": "DP5", "rtol": 1e-9}], ids=["RK4", "DP5"])
def test_runs_beside_have_the_same(coordinates, how, monkeypatch):
    """Derivatives of whole runs, within the errors of the steps."""
    model, by = random_tree(0, 3, closed=True)
    check_beside(
        model.compile(coordinates), [0, 0.1, 0.21], {}, by, ["body3.x", "body2.ay", "rod.force"], monkeypatch, **how
    )


@BOTH
def test_a_run_that_goes_on(coordinates):
    (model, by), start = random_tree(0, 2, closed=True), dict[str, float]()
    system = model.compile(coordinates)
    first = mbs.simulate(system, [0, 0.3], start)
    on = mbs.simulate(system, [0.3, 0.6], first.state(), derivatives=by)
    whole = mbs.simulate(system, [0, 0.3, 0.6], start, derivatives=by)
    assert from_steps(on) and all((on.d("body3.x", one) == whole.d("body3.x", one)[1:]).all() for one in by)


@BOTH
def test_what_moves_a_point_on_the_ground(coordinates):
    """In natural coordinates such a point stands still, whatever the parameters, and counts as numbers."""
    model = pendulum()
    place = model.parameter("place", 0.1)
    rod = model.link("other", (0.1, 0), (0.3, -0.1), mass=1.0)
    model.add(mbs.Revolute("B", model.ground.at(place, 0), rod.tail))
    model.add(mbs.SpringDamper("spring", model.bodies["rod"].head, rod.head, stiffness=30, damping=0.2, length=0.1))
    by, names = ["place", "l", "other.mass"], ["other.x", "other.vy", "rod.angle", "B.force"]
    start = {"rod.angle": 0.0, "rod.omega": 1.0}
    check_against_bodies(model, coordinates, start, by, names, 1e-7)
