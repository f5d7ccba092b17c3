"""A force along the line between two points reverses where they meet: derivatives go across where the ends meet on
one line, and end by name where a parameter moves them sideways."""

import numpy as np
import pytest

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


def test_a_parameter_that_moves_the_ends_sideways_has_no_derivative_behind():
    """A free body on the line through the other end: by its start along the line there is a derivative, by its
    velocity across there is none, for the motion behind changes with ρ log ρ."""
    m = mbs.PlanarModel("free")
    b = m.body("b", mass=1.0, inertia=1.0, position=(1, 0))
    m.add(mbs.Spring("s", m.ground, b, stiffness=50.0, length=0.3))
    start = {"b.x": 1.0, "b.y": 0.0, "b.angle": 0.0, "b.vx": 0.0, "b.vy": 0.0, "b.omega": 0.0}
    run = mbs.simulate(m, [0, 0.2, 0.5], start, rtol=1e-10, derivatives=["b.x", "b.vy"])
    expected = slopes(lambda h: np.array([through(t, x=1 + h)[0] for t in (0.2, 0.5)]))
    assert run.d("b.x", "b.x")[1:] == pytest.approx(expected, rel=1e-5)
    assert np.isnan(run.d("b.y", "b.vy")[2])
    assert "the ends of Spring 's' meet" in run.stats["derivatives"]
    assert "none by b.vy" in run.stats["derivatives"]


@pytest.mark.parametrize(("coordinates", "method"), [("joint", "DP5"), ("natural", "DP5"), ("cartesian", "Radau5")])
@pytest.mark.parametrize("rtol", [1e-5, 1e-10])
def test_runs_that_are_followed_step_by_step_end_their_derivatives_by_name(coordinates, method, rtol):
    model, how = guided().compile(coordinates), {"method": method, "rtol": rtol, "derivatives": ["s.length"]}
    run = mbs.simulate(model, [0, 0.2, 0.5, 1.0], {"b.x": 1.0, "b.vx": 0.0}, **how)
    assert run.d("b.x", "s.length")[1] == pytest.approx(1.0 - np.cos(np.sqrt(50.0) * 0.2), abs=1e-3)
    assert np.isnan(run.d("b.x", "s.length")[2:]).all()
    assert "the ends of Spring 's' meet" in run.stats["derivatives"]


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
