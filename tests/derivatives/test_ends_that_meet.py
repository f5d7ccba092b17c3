"""A force along the line between two points has no direction where they meet: derivatives end there, and say so."""

import numpy as np
import pytest

import mbs_dae as mbs


def guided(element=mbs.Spring, **values):
    """A body of 1 kg at 1 m, on a guide through the other end of its spring."""
    m = mbs.PlanarModel("through")
    b = m.body("b", mass=1.0, inertia=1.0, position=(1, 0))
    m.add(mbs.Translational("guide", m.ground, b))
    m.add(element("s", m.ground, b, **(values or {"stiffness": 50.0, "length": 0.3})))
    return m


@pytest.mark.parametrize(
    ("coordinates", "method"), [("cartesian", "DP5"), ("joint", "DP5"), ("natural", "DP5"), ("cartesian", "Radau5")]
)
def test_derivatives_end_where_the_ends_of_a_spring_meet(coordinates, method):
    """x = l + (x₀ - l) cos ωt up to the passage: ∂x/∂x₀ = cos ωt, ∂x/∂l = 1 - cos ωt."""
    model, times = guided().compile(coordinates), [0, 0.2, 0.5, 1.0]
    how = {"method": method, "rtol": 1e-10, "derivatives": ["b.x", "s.length"]}
    run = mbs.simulate(model, times, {"b.x": 1.0, "b.vx": 0.0}, **how)
    meet = np.arccos(-0.3 / 0.7) / np.sqrt(50.0)
    cosine = np.cos(np.sqrt(50.0) * 0.2)
    assert 0.2 < meet < 0.5
    assert run.d("b.x", "b.x")[:2] == pytest.approx([1.0, cosine], abs=1e-6)
    assert run.d("b.x", "s.length")[:2] == pytest.approx([0.0, 1.0 - cosine], abs=1e-6)
    assert np.isnan(run.d("b.x", "b.x")[2:]).all()
    assert np.isnan(run.d("b.x", "s.length")[2:]).all()
    assert f"at t = {meet:.4g}"[:12] in run.stats["derivatives"]
    assert "the ends of Spring 's' meet" in run.stats["derivatives"]


def test_a_law_of_the_distance_is_no_other():
    """A user's force of 15 N towards the ground, whose direction is written with a distance."""
    m = guided(mbs.Damper, damping=0.0)
    m.add(mbs.Force("pull", m.bodies["b"], (-15 * m["b.x"] / m["s.distance"], 0)))
    run = mbs.simulate(m, [0, 0.2, 0.5], {"b.x": 1.0, "b.vx": 0.0}, derivatives=["b.x"])
    assert run.d("b.x", "b.x")[1] == pytest.approx(1.0, abs=1e-6)  # x = x₀ - 15/2 t²
    assert np.isnan(run.d("b.x", "b.x")[2])
    assert "Force 'pull'" in run.stats["derivatives"]


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


def test_a_gradient_across_is_refused_by_name():
    """Of what is read behind the passage."""
    model, start = guided(), {"b.x": 1.0, "b.vx": 0.0}
    with pytest.raises(mbs.MbsError, match="the ends of Spring 's' meet"):
        mbs.gradient(mbs.at_end("b.x"), model, [0, 0.5], ["s.length"], initial=start)


def test_a_spring_about_a_crank_is_told_nothing():
    """The direction of a spring turns all round, and its length with it."""
    m = mbs.PlanarModel("crank")
    crank = m.link("crank", (0, 0), (1, 0), mass=1.0)
    m.add(mbs.Revolute("pin", m.ground, crank.tail))
    m.add(mbs.Spring("s", m.ground.at(0.3, 0), crank.head, stiffness=0.1, length=0.5))
    run = mbs.simulate(m, [0, 3.0], {"crank.omega": 20.0}, rtol=1e-5, derivatives=["s.length"])
    assert "derivatives" not in run.stats
    assert np.isfinite(run.d("crank.angle", "s.length")).all()
