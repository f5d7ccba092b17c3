"""How efforts and reactions of driven motions with friction change with parameters."""

import numpy as np
import pytest
import sympy as sp
from refusals import refused

import mbs_dae as mbs


def slopes(of, base, h=1e-3):
    """The derivative of `of` at a value, by differences of fourth order."""
    h *= base
    return (8 * (of(base + h) - of(base - h)) - (of(base + 2 * h) - of(base - 2 * h))) / (12 * h)


def pushed(mass=2.0, mu=0.3, size=0.1):
    """A block on a bench, driven along it: x = size sin t."""
    m = mbs.PlanarModel("bench", gravity=(0, -10))
    own = {name: m.parameter(name, value) for name, value in {"mass": mass, "mu": mu, "size": size}.items()}
    block = m.body("block", mass=own["mass"], inertia=0.1)
    guide = m.add(mbs.Translational("guide", m.ground, block))
    m.add(mbs.Friction("rub", guide, mu=own["mu"]))
    m.add(mbs.Driver("push", mbs.displacement(guide), own["size"] * sp.sin(mbs.t)))
    return m


def test_the_effort_of_a_driven_block_that_rubs():
    """F = m a + μ m g sign v, with x = s sin t."""
    times = np.array([0.3, 1.0, 2.0, 2.9])
    run = mbs.inverse_dynamics(pushed(), times, derivatives=["mass", "mu", "size", "gravity.y"])
    m, mu, s, g, way = 2.0, 0.3, 0.1, 10.0, np.sign(np.cos(times))
    assert run.effort("push") == pytest.approx(-s * m * np.sin(times) + mu * m * g * way)
    assert run.d("push.effort", "mass") == pytest.approx(-s * np.sin(times) + mu * g * way, abs=1e-8)
    assert run.d("push.effort", "mu") == pytest.approx(m * g * way, rel=1e-9)
    assert run.d("push.effort", "size") == pytest.approx(-m * np.sin(times), rel=1e-8)
    assert run.d("push.effort", "gravity.y") == pytest.approx(-mu * m * way, rel=1e-9)


def test_a_crank_with_friction_in_its_pins_and_its_guide():
    """Friction grows with the loads that it makes itself: against differences of runs, of efforts, reactions, what
    friction takes, and the ledger."""
    m = mbs.PlanarModel("slider-crank", gravity=(0, -9.81))
    values = {"r": 0.1, "l": 0.35, "mu": 0.2, "load": 5.0}
    own = {name: m.parameter(name, value) for name, value in values.items()}
    crank = m.link("crank", (0, 0), (0.1, 0), length=own["r"], mass=1.0)
    rod = m.link("rod", (0.1, 0), (0.45, 0), length=own["l"], mass=own["load"])
    slider = m.body("slider", position=(0.45, 0), mass=3.0)
    pins = [mbs.Revolute("A", m.ground, crank.tail), mbs.Revolute("B", crank.head, rod.tail)]
    guide = mbs.Translational("guide", m.ground, slider)
    m.add(*pins, mbs.Revolute("C", rod.head, slider), guide, mbs.Driver("motor", mbs.angle(pins[0]), 6 * mbs.t))
    m.add(*(mbs.Friction(f"rub{pin.name}", pin, mu=own["mu"], radius=0.02) for pin in pins))
    m.add(mbs.Friction("slide", guide, mu=own["mu"]))
    times = np.linspace(0.1, 0.9, 9)
    run = mbs.inverse_dynamics(m, times, derivatives=[*values])
    for name, base in values.items():

        def other(value, name=name):
            return mbs.inverse_dynamics(m.with_parameters(**{name: value}), times)

        for reading in ("motor.effort", "A.Fx", "B.Fy", "guide.Fy", "slider.ax"):
            expected = slopes(lambda x, reading=reading, other=other: np.array(other(x)[reading]), base)
            scale = np.abs(expected).max()
            assert run.d(reading, name) == pytest.approx(expected, abs=1e-7 * max(scale, 1e-3)), (reading, name)


def test_a_joint_that_rests_with_friction_has_none():
    """Where a joint stands still, drivers and friction share the load."""
    m = pushed()
    run = mbs.inverse_dynamics(m, [0.3, np.pi / 2], derivatives=["mu"])
    unique = run.is_unique("push.effort")
    assert np.isfinite(run.d("push.effort", "mu")[unique]).all()
    assert np.isnan(run.d("push.effort", "mu")[~unique]).all()


def test_a_law_of_friction_that_is_0_has_a_derivative_to_one_side_alone():
    with refused("no-derivative", verb="inverse_dynamics", subject="Friction 'rub'"):
        mbs.inverse_dynamics(pushed(mu=0.0), [0.3], derivatives=["mu"])
