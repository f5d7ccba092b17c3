"""A linearised system is one of python-control: the same names, poles and answers; and a small push goes as it says."""

from __future__ import annotations

import numpy as np
import pytest

import mbs_dae as mbs

control = pytest.importorskip("control")


@pytest.fixture(scope="module")
def lever() -> mbs.PlanarModel:
    model = mbs.PlanarModel("lever no. 1", gravity=(0, -9.81))
    u = model.input("u", 0.0, unit="N m")
    bar = model.link("bar", (0, 0), (0.5, 0), mass=2.0)
    model.add(
        mbs.Revolute("pin", model.ground, bar.tail),
        mbs.SpringDamper("spring", model.ground.at(0, 0.6), bar.head, stiffness=80.0, damping=2.0, length=0.4),
        mbs.Torque("motor", bar, u),
    )
    return model


@pytest.fixture(scope="module")
def law(lever) -> mbs.LinearSystem:
    outputs = ["bar.angle", "bar.head.y", "bar.alpha"]
    return mbs.linearize(lever, inputs=["u"], outputs=outputs, coordinates=["bar.angle"])


def test_names_and_poles(law):
    system = law.to_control()
    assert system.name == "lever no_ 1"
    assert (system.input_labels, system.state_labels) == (["u"], ["bar_angle", "bar_angle_rate"])
    assert system.output_labels == ["bar_angle", "bar_head_y", "bar_alpha"]
    np.testing.assert_allclose(np.sort_complex(system.poles()), np.sort_complex(law.eigenvalues), rtol=1e-12)


def test_its_answer_to_what_swings(law):
    """C (iω - A)⁻¹ B + D."""
    for omega in (1.0, 9.4, 50.0):
        expected = law.C @ np.linalg.solve(1j * omega * np.eye(2) - law.A, law.B) + law.feedthrough
        np.testing.assert_allclose(law.to_control()(1j * omega), expected, rtol=1e-12)


def test_a_small_torque_moves_the_lever_as_it_says(lever, law):
    """At the order of the torque squared, which turns it by 1e-4 rad."""
    times, torque = np.linspace(0, 1, 51), 1e-3
    answer = control.forced_response(law.to_control(), times, torque * np.ones_like(times))
    result = mbs.simulate(lever.with_inputs(u=torque), times, mbs.equilibrium(lever).state, rtol=1e-11, atol=1e-14)
    for name, said in zip(law.outputs, answer.outputs, strict=True):
        at_rest = law.state[name] if name != "bar.alpha" else 0.0
        np.testing.assert_allclose(result[name] - at_rest, said, rtol=0, atol=1e-4 * np.abs(said).max())


def test_a_loop_is_closed_by_names(law):
    """k_p (r - angle): M s² + D s + K + k_p = 0."""
    gain = control.tf([5.0], [1.0], inputs="error", outputs="u", name="gain")
    compare = control.summing_junction(["r", "-bar_angle"], "error", name="compare")
    parts = [law.to_control(), gain, compare]
    loop = control.interconnect(parts, inplist=["r"], outlist=["bar_angle"], check_unused=False)
    M, D, K = law.M[0, 0], law.D[0, 0], law.K[0, 0]
    np.testing.assert_allclose(np.sort_complex(loop.poles()), np.sort_complex(np.roots([M, D, K + 5.0])), rtol=1e-12)
