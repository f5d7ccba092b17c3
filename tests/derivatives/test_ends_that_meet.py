"""A force along the line between two points reverses where they meet: derivatives go across where the ends meet on
one line, and end by name where a parameter moves them sideways."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import mbs_dae as mbs


def guided(element=mbs.Spring, angle=0.0, **values):
    """A body of 1 kg at 1 m, on a guide through the other end of its spring."""
    m = mbs.PlanarModel("through")
    b = m.body("b", mass=1.0, inertia=1.0, position=(np.cos(angle), np.sin(angle)), angle=angle)
    m.add(mbs.Translational("guide", m.ground.at(0, 0, angle), b))
    m.add(element("s", m.ground, b, **(values or {"stiffness": 50.0, "length": 0.3})))
    return m


def through(t, x=1.0, v=0.0, k=50.0, l=0.3):
    """Place and velocity at t of ẍ = -k (x - l sign x): an arc of a harmonic motion about ±l on each side."""
    w = np.sqrt(k)
    while True:
        side = np.sign(x) or np.sign(v)
        size, phase = np.hypot(x - side * l, v / w), np.arctan2(-v / w, x - side * l)  # x = ± l + size cos(ωt + phase)
        turns = np.mod(np.array([1.0, -1.0]) * np.arccos(-side * l / size) - phase, 2 * np.pi)
        meet = turns[(turns > 1e-9) & (turns < 2 * np.pi - 1e-9)].min() / w  # the next zero, not the one it begins at
        if meet >= t:
            return np.array([side * l + size * np.cos(w * t + phase), -w * size * np.sin(w * t + phase)])
        x, v, t = 0.0, -w * size * np.sin(w * meet + phase), t - meet


def slopes(of, h=1e-4):
    """The derivative of `of` at 0, by differences of fourth order."""
    return (8 * (of(h) - of(-h)) - (of(2 * h) - of(-2 * h))) / (12 * h)


@pytest.mark.parametrize(("angle", "rtol", "close"), [(0.0, 1e-11, 1e-6), (0.7, 1e-11, 1e-6), (0.0, 1e-8, 1e-4)])
def test_derivatives_go_across_where_ends_meet_on_a_line(angle, rtol, close):
    """Two passages in 1 s, against closed forms of the arcs between them."""
    times, model = [0, 0.2, 0.5, 1.0], guided(angle=angle)
    start, names = {"guide.displacement": 1.0, "guide.velocity": 0.0}, ["guide.displacement", "s.length", "s.stiffness"]
    run = mbs.simulate(model, times, start, rtol=rtol, derivatives=names)
    assert "derivatives" not in run.stats
    for name, change in zip(names, ("x", "l", "k"), strict=True):
        base = {"x": 1.0, "l": 0.3, "k": 50.0}[change]

        def reached(h, change=change, base=base):
            return np.array([through(t, **{change: base * (1 + h)}) for t in times])

        expected = slopes(reached) / base
        for k, reading in enumerate(("guide.displacement", "guide.velocity")):
            scale = np.abs(expected[:, k]).max()
            assert run.d(reading, name) == pytest.approx(expected[:, k], abs=close * scale), (reading, name)


def test_a_gradient_goes_across():
    """Of what is read behind two passages: the numbers are those of `result.d`."""
    model, start = guided(), {"b.x": 1.0, "b.vx": 0.0}
    found = mbs.gradient(mbs.at_end("b.x"), model, [0, 1.0], ["s.length", "s.stiffness"], initial=start, rtol=1e-11)
    expected = {"s.length": slopes(lambda h: through(1.0, l=0.3 + h)[0]),
                "s.stiffness": slopes(lambda h: through(1.0, k=50.0 + 100 * h)[0]) / 100}  # fmt: skip
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, rel=1e-5)


@pytest.mark.parametrize(("coordinates", "method"), [("cartesian", "DP5"), ("natural", "DP5"), ("cartesian", "Radau5")])
def test_a_parameter_that_moves_the_ends_sideways_has_no_derivative_behind(coordinates, method):
    """A free body on the line through the other end: by its start along the line there is a derivative, by its
    velocity across there is none, for the motion behind changes with ρ log ρ."""
    m = mbs.PlanarModel("free")
    b = m.body("b", mass=1.0, inertia=1.0, position=(1, 0))
    m.add(mbs.Spring("s", m.ground, b, stiffness=50.0, length=0.3))
    start = {"b.x": 1.0, "b.y": 0.0, "b.angle": 0.0, "b.vx": 0.0, "b.vy": 0.0, "b.omega": 0.0}
    how = {"method": method, "rtol": 1e-10, "derivatives": ["b.x", "b.vy"]}
    run = mbs.simulate(m.compile(coordinates), [0, 0.2, 0.5], start, **how)
    expected = slopes(lambda h: np.array([through(t, x=1 + h)[0] for t in (0.2, 0.5)]))
    assert run.d("b.x", "b.x")[1:] == pytest.approx(expected, rel=1e-5)
    assert np.isnan(run.d("b.y", "b.vy")[2])
    assert "the ends of Spring 's' meet" in run.stats["derivatives"]
    assert "by b.vy" in run.stats["derivatives"]


EVERYWHERE = [("joint", "DP5"), ("natural", "DP8"), ("cartesian", "Radau5"), ("joint", "Radau5"), ("cartesian", "GA")]


def beside_the_axis(offset=0.2):
    """The same motion, with a spring that has a lever arm, so that the guide carries a moment."""
    m = mbs.PlanarModel("beside the axis")
    b = m.body("b", mass=1.0, inertia=1.0, position=(1.0, 0))
    m.add(mbs.Translational("guide", m.ground, b))
    m.add(mbs.Spring("s", m.ground.at(0, offset), b.at(0, offset), stiffness=50.0, length=0.3))
    return m


@pytest.mark.parametrize(("coordinates", "method"), EVERYWHERE)
@pytest.mark.parametrize("rtol", [1e-5, 1e-10])
def test_derivatives_go_across_in_all_coordinates_and_methods(coordinates, method, rtol):
    """Places, velocities, accelerations and the moment in the guide, far from two passages and next to the first one,
    where neighbours have passed it before the run does, or have not yet."""
    next_to, close = (1e-4, 1e-5) if rtol == 1e-10 else (5e-3, 5e-3)
    if method == "GA":  # of second order
        rtol, close = min(max(rtol, 1e-8), 1e-6), 50 * close  # steps at 1e-5 are too long
    first = np.arccos(-0.3 / 0.7) / np.sqrt(50.0)
    times, offset = [0, 0.2, first - next_to, first + next_to, 0.5, 1.0], 0.2
    start, names = {"b.x": 1.0, "b.vx": 0.0}, ["b.x", "s.length", "s.stiffness"]
    how = {"method": method, "rtol": rtol, "derivatives": names}
    run = mbs.simulate(beside_the_axis(offset).compile(coordinates), times, start, **how)
    assert "derivatives" not in run.stats
    for name, change, base in zip(names, ("x", "l", "k"), (1.0, 0.3, 50.0), strict=True):

        def reached(h, change=change, base=base):
            values = {"x": 1.0, "l": 0.3, "k": 50.0} | {change: base * (1 + h)}
            found = np.array([through(t, **values) for t in times])
            pull = -values["k"] * (found[:, 0] - values["l"] * np.sign(run["b.x"]))  # on the run's side
            return np.column_stack([found, pull, pull * offset])

        expected = slopes(reached, 1e-6) / base  # neighbours as near as the times
        for k, reading in enumerate(("b.x", "b.vx", "b.ax", "guide.M")):
            scale = np.abs(expected[:, k]).max()
            assert run.d(reading, name) == pytest.approx(expected[:, k], abs=close * scale), (reading, name)


def arcs(t, x, l, mu, wall=-0.4, e=0.9):
    """The motion of 1 kg on 50 N/m free at l, which slides with friction of μ · 10 N, and meets a wall at -0.4 m."""

    def rate(t, y, side, way):
        return [y[1], -50.0 * (y[0] - side * l) - way * 10.0 * mu]

    y, now, side, way = np.array([x, 0.0]), 0.0, 1.0, -1.0
    while True:
        watch = [lambda t, y, *_: y[0], lambda t, y, *_: y[0] - wall, lambda t, y, *_: y[1]]
        for one, kind in zip(watch, (-side, -1.0, -way), strict=True):
            one.terminal, one.direction = True, kind
        found = solve_ivp(rate, (now, t), y, "DOP853", events=watch, args=(side, way), rtol=1e-13, atol=1e-13)
        if found.status == 0:
            return found.y[:, -1]
        now, y = found.t[-1], found.y[:, -1].copy()
        if found.t_events[0].size:
            y[0], side = 0.0, -side
        elif found.t_events[1].size:
            y, way = np.array([wall, -e * y[1]]), 1.0
        else:
            y[1], way = 0.0, -way


@pytest.mark.parametrize("coordinates", ["cartesian", "joint", "natural"])
def test_ends_meet_between_impacts_and_slips(coordinates):
    """An impact on a wall between two passages, friction that turns: against an integration arc by arc."""
    m = mbs.PlanarModel("wall", gravity=(0, -10))
    b = m.body("b", mass=1.0, inertia=1.0, position=(1.0, 0))
    guide = m.add(mbs.Translational("guide", m.ground, b))
    m.add(mbs.Spring("s", m.ground, b, stiffness=50.0, length=0.3), mbs.Friction("rub", guide, mu=0.2))
    m.add(mbs.Stop("wall", mbs.displacement(guide), lower=-0.4, restitution=0.9))
    times, names = [0.2, 0.32, 0.5, 0.8], ["b.x", "s.length", "rub.mu"]
    start, how = {"b.x": 1.0, "b.vx": 0.0}, {"rtol": 1e-10, "derivatives": names}
    run = mbs.simulate(m.compile(coordinates), [0, *times], start, **how)
    assert "derivatives" not in run.stats
    assert len(run.impacts) >= 1 and (np.diff(np.sign(run["b.x"])) != 0).sum() >= 2
    for name, change in zip(names, ("x", "l", "mu"), strict=True):
        values = {"x": 1.0, "l": 0.3, "mu": 0.2}

        def reached(h, change=change, values=values):
            return np.array([arcs(t, **values | {change: values[change] + h}) for t in times])

        expected = slopes(reached)
        for k, reading in enumerate(("b.x", "b.vx")):
            assert run.d(reading, name)[1:] == pytest.approx(expected[:, k], rel=1e-5, abs=1e-5), (reading, name)


@pytest.mark.parametrize("coordinates", ["cartesian", "joint"])
def test_a_time_at_which_ends_meet_has_none_and_says_so(coordinates):
    model, meet = guided().compile(coordinates), np.arccos(-0.3 / 0.7) / np.sqrt(50.0)
    run = mbs.simulate(model, [0, meet, 0.5], {"b.x": 1.0, "b.vx": 0.0}, step=1e-3, derivatives=["s.length"])
    assert np.isnan(run.d("b.x", "s.length")).tolist() == [False, True, False]
    assert f"none at t = {meet:.9g} itself" in run.stats["derivatives"]
    assert "Spring 's' meet" in run.stats["derivatives"]


def test_a_law_of_the_distance_is_no_other():
    """A user's force of 15 N towards the ground, whose direction is written with a distance: x = x₀ - 15/2 t² up to
    T = √(2 x₀/15), then -15 T (t - T) + 15/2 (t - T)²."""
    m = guided(mbs.Damper, damping=0.0)
    m.add(mbs.Force("pull", m.bodies["b"], (-15 * m["b.x"] / m["s.distance"], 0)))
    run = mbs.simulate(m, [0, 0.2, 0.5], {"b.x": 1.0, "b.vx": 0.0}, derivatives=["b.x"], rtol=1e-11)

    def behind(x):
        T = np.sqrt(2 * x / 15)
        return -15 * T * (0.5 - T) + 7.5 * (0.5 - T) ** 2

    assert run["b.x"][2] == pytest.approx(behind(1.0), abs=1e-8)
    assert run.d("b.x", "b.x") == pytest.approx([1.0, 1.0, slopes(lambda h: behind(1 + h))], abs=1e-5)


@pytest.mark.parametrize(
    ("element", "values"),
    [
        (mbs.Spring, {"stiffness": 50.0, "length": 0}),
        (mbs.SpringDamper, {"stiffness": 50.0, "damping": 0.5, "length": 0}),
    ],
)
def test_a_spring_that_is_free_at_no_length_passes(element, values):
    """k d + c ḋ is smooth where d is 0: x = x₀ φ(t), with φ that of a damped oscillator."""
    model, times = guided(element=element, **values), [0, 0.5, 1.0]
    run = mbs.simulate(model, times, {"b.x": 1.0, "b.vx": 0.0}, derivatives=["b.x"])
    assert "derivatives" not in run.stats
    assert run.d("b.x", "b.x") == pytest.approx(run["b.x"], abs=1e-6)


def test_a_passage_that_steps_resolve_has_derivatives():
    """A millimetre beside the other end, at 5 m/s with the spin 0.005 m²/s: against differences of fourth order."""
    m = mbs.PlanarModel("beside")
    b = m.body("b", mass=1.0, inertia=1.0, position=(1, 0))
    m.add(mbs.Spring("s", m.ground, b, stiffness=50.0, length=0.3))
    times, start = [0, 0.2, 0.35], {"b.x": 1.0, "b.y": 0.0, "b.vx": 0.0, "b.angle": 0.0, "b.omega": 0.0}

    def run(vy, **more):
        return mbs.simulate(m, times, start | {"b.vy": vy}, rtol=1e-11, **more)

    found, h = run(5e-3, derivatives=["b.vy"]), 1e-4
    assert found["b.x"][2] < 0.0
    assert "derivatives" not in found.stats
    for name in ("b.x", "b.y"):
        one, two = (run(5e-3 + k * h)[name] - run(5e-3 - k * h)[name] for k in (1, 2))
        assert found.d(name, "b.vy") == pytest.approx((8 * one - two) / (12 * h), rel=1e-4, abs=1e-5)


def test_a_spring_about_a_crank_is_told_nothing():
    """The direction of a spring turns all round, and its length with it."""
    m = mbs.PlanarModel("crank")
    crank = m.link("crank", (0, 0), (1, 0), mass=1.0)
    m.add(mbs.Revolute("pin", m.ground, crank.tail))
    m.add(mbs.Spring("s", m.ground.at(0.3, 0), crank.head, stiffness=0.1, length=0.5))
    run = mbs.simulate(m, [0, 3.0], {"crank.omega": 20.0}, rtol=1e-5, derivatives=["s.length"])
    assert "derivatives" not in run.stats
    assert np.isfinite(run.d("crank.angle", "s.length")).all()
