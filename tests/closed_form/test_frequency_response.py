"""Harmonic excitation: the response of linear systems against closed forms and long driven runs; forces as outputs."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from refusals import refused

import mbs_dae as mbs

SETS = ["cartesian", "natural", "joint"]
M, K, C = 2.0, 50.0, 1.5


def oscillator() -> mbs.PlanarModel:
    """A mass on a spring and a damper, pushed by u."""
    model = mbs.PlanarModel("oscillator")
    u = model.input("u", 0.0, unit="N")
    mass = model.body("mass", mass=M, inertia=1.0, position=(1, 0))
    model.add(
        mbs.Translational("guide", model.ground, mass),
        mbs.SpringDamper("spring", model.ground, mass, stiffness=K, damping=C, length=1.0),
        mbs.Force("push", mass, (u, 0)),
    )
    return model


def two_masses(damping: float = 0.0) -> mbs.PlanarModel:
    """Wall, spring, mass, spring, mass; the first one is pushed."""
    model = mbs.PlanarModel("two masses")
    u = model.input("u", 0.0, unit="N")
    one, two = (model.body(name, mass=M, inertia=1.0, position=(x, 0)) for name, x in (("one", 1), ("two", 2)))
    model.add(
        mbs.Translational("guide 1", model.ground, one),
        mbs.Translational("guide 2", model.ground, two),
        mbs.SpringDamper("first", model.ground, one, stiffness=K, damping=damping, length=1.0),
        mbs.SpringDamper("second", one, two, stiffness=K, damping=damping, length=1.0),
        mbs.Force("push", one, (u, 0)),
    )
    return model


@pytest.mark.parametrize("coordinates", SETS)
def test_one_mass(coordinates):
    """x/u = 1/(k - m w² + i c w); the spring pulls back by (k + i c w) x, along its line and in world axes."""
    outputs = ["mass.x", "mass.vx", "mass.ax", "spring.effort", "spring.Fx", "push.Fx"]
    law = mbs.linearize(oscillator().compile(coordinates), inputs=["u"], outputs=outputs)
    w = np.array([0.0, 1.0, 5.0, 30.0])
    G = law.frequency_response(w)
    assert G.shape == (4, 6, 1)
    x = 1 / (K - M * w**2 + 1j * C * w)
    force = -(K + 1j * C * w) * x
    expected = [x, 1j * w * x, -(w**2) * x, force, force, np.ones(4)]
    np.testing.assert_allclose(G[:, :, 0].T, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("coordinates", SETS)
def test_two_masses(coordinates):
    """(K - w² M) x = (u, 0); where k/m = w² the first mass stands still: an absorber."""
    law = mbs.linearize(two_masses().compile(coordinates), inputs=["u"], outputs=["one.x", "two.x", "second.effort"])
    w = np.array([0.0, 2.0, np.sqrt(K / M), 11.0])
    G = law.frequency_response(w)[:, :, 0]
    for own, found in zip(w, G, strict=True):
        x = np.linalg.solve([[2 * K - own**2 * M, -K], [-K, K - own**2 * M]], [1.0, 0.0])
        np.testing.assert_allclose(found, [*x, -K * (x[1] - x[0])], rtol=1e-9, atol=1e-13)
    assert abs(G[2, 0]) < 1e-12


def test_undamped_resonance_is_refused():
    law = mbs.linearize(two_masses(), inputs=["u"], outputs=["one.x"])
    with refused("resonance", argument="frequencies", model="two masses"):
        law.frequency_response([1.0, law.frequencies[0]])
    with refused("missing-argument", argument="inputs", method="frequency_response"):
        mbs.linearize(two_masses()).frequency_response([1.0])


@pytest.mark.parametrize("w", [3.0, 7.0])
def test_amplitude_and_phase_of_a_long_run(w):
    """A pendulum with a damper and a torque, swung by 1e-4 N m: after the start has died away the run has the
    amplitude and the phase of the law, in place and in the moment of the damper."""
    model = mbs.PlanarModel("pendulum", gravity=(0, -9.81))
    u = model.input("u", 0.0, unit="N m")
    rod = model.link("rod", (0, 0), (0, -0.5), mass=1.0)
    pin = mbs.Revolute("pin", model.ground, rod.tail)
    model.add(pin, mbs.Torque("motor", rod, u))
    model.add(mbs.TorsionSpring("hold", pin, stiffness=1.0, damping=0.4, angle=-np.pi / 2))
    outputs = ["rod.angle", "hold.effort", "pin.angle"]
    law = mbs.linearize(model, inputs=["u"], outputs=outputs)
    G = law.frequency_response(w)[0, :, 0]
    small, period = 1e-4, 2 * np.pi / w
    times = np.linspace(20 * period, 22 * period, 401)
    driven = model.with_inputs(u=small * sp.cos(w * mbs.t))
    run = mbs.simulate(driven, [0.0, *times], initial={"rod.angle": -np.pi / 2}, rtol=1e-10, atol=1e-13)
    base = np.stack([np.cos(w * times), -np.sin(w * times), np.ones(times.size)], axis=1)
    for name, expected in zip(outputs, G, strict=True):
        real, imaginary, _ = np.linalg.lstsq(base, run[name][1:], rcond=None)[0]
        assert abs((real + 1j * imaginary) / small - expected) < 1e-6 * abs(expected)


def bent() -> mbs.PlanarModel:
    """A mass in a guide, with an actuator whose effort is 2 u - u x / 10 + 5 z + z², and z' = x - z."""
    model = mbs.PlanarModel("bent")
    u = model.input("u", 0.0, unit="N")
    mass = model.body("mass", mass=1.0, inertia=1.0, position=(1, 0))
    z = model.state("z", rate=lambda z: model["mass.x"] - 1 - z)
    model.add(
        mbs.Translational("guide", model.ground, mass),
        mbs.Spring("spring", model.ground, mass, stiffness=40.0, length=1.0),
        mbs.Actuator("pull", model.ground, mass, 2 * u - u * model["mass.x"] / 10 + 5 * z + z**2),
    )
    return model


@pytest.mark.parametrize("coordinates", SETS)
def test_forces_follow_states_and_inputs(coordinates):
    """By (x, x', z, u) at x = 1, z = u = 0: (0, 0, 5, 1.9). Reading by an input leaves the state as it was."""
    model = bent().compile(coordinates)
    law = mbs.linearize(model, inputs=["u"], outputs=["pull.effort", "spring.effort"], coordinates=["mass.x"])
    found = np.hstack([law.C, law.feedthrough])
    np.testing.assert_allclose(found, [[0, 0, 5, 1.9], [-40, 0, 0, 0]], rtol=0, atol=1e-9)


def test_bode_tells_units():
    law = mbs.linearize(oscillator(), inputs=["u"], outputs=["mass.x", "spring.effort"])
    with mbs.units("mm", "Hz"):
        figure = law.bode()
    assert [ax.get_ylabel() for ax in figure.axes] == ["amplitude [mm/N]", "amplitude [N/N]", "phase [deg]"]
    assert figure.axes[-1].get_xlabel() == "frequency [Hz]"
    w, size = figure.axes[0].lines[0].get_data()
    np.testing.assert_allclose(size, 1e3 * abs(law.frequency_response(2 * np.pi * np.asarray(w))[:, 0, 0]), rtol=1e-9)


@pytest.mark.parametrize(
    "units, word, size",
    [
        (None, "deg", np.pi / 180),
        (("Hz", "mm"), "deg", np.pi / 180),
        ("deg", "deg", np.pi / 180),
        (("Hz", "°"), "°", np.pi / 180),
        ("rad", "rad", 1.0),
        ("rev", "rev", 2 * np.pi),
        (mbs.units("rad", "bar"), "rad", 1.0),
    ],
    ids=str,
)
def test_the_phase_of_a_bode_plot_is_in_degrees_unless_a_unit_of_angles_is_chosen(units, word, size):
    law = mbs.linearize(oscillator(), inputs=["u"], outputs=["mass.x"])
    w = np.geomspace(0.1, 100.0, 41)
    expected = np.unwrap(np.angle(law.frequency_response(w)[:, 0, 0]))
    assert np.ptp(expected) > 3.0  # from 0 to nearly -π
    figures = [law.bode(w, units=units)]
    if units is not None:
        with mbs.units(units):
            figures.append(law.bode(w))
    for figure in figures:
        assert figure.axes[-1].get_ylabel() == f"phase [{word}]"
        np.testing.assert_allclose(size * figure.axes[-1].lines[0].get_ydata(), expected, rtol=0, atol=1e-12)
