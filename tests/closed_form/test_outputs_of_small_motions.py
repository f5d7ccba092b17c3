"""What a linearised system reads besides quantities: efforts, rates of states, inputs; and what python-control gets."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from refusals import refused

import mbs_dae as mbs

SETS = ["cartesian", "natural", "joint"]
G, L, M1, M2 = 9.81, 1.0, 2.0, 3.0


def hanging() -> mbs.PlanarModel:
    """A rod that a motor holds, a second one on its end, a torque u + z on that, and z' = 3 angle + 5 u - 2 z."""
    model = mbs.PlanarModel("arm no. 1", gravity=(0, -G))
    upper = model.link("upper", (0, 0), (0, -L), mass=M1)
    lower = model.link("lower", (0, -L), (0, -2 * L), mass=M2)
    u = model.input("u", 0.0)
    z = model.state("z", rate=lambda z: 3 * (model["lower.angle"] + np.pi / 2) + 5 * u - 2 * z)
    model.add(
        mbs.Revolute("pin", model.ground, upper.tail),
        mbs.Revolute("knee", upper.head, lower.tail),
        mbs.Driver("motor", mbs.angle(model.ground, upper), -np.pi / 2),
        mbs.Torque("pull", lower, u + z),
    )
    return model


@pytest.mark.parametrize("coordinates", SETS)
def test_efforts_rates_and_inputs(coordinates):
    """J φ'' = u + z - m g L/2 φ; the motor takes up the force m L/2 φ'' that the lower rod has across, at the arm L."""
    outputs = ["motor.effort", "z.rate", "u", "z", "lower.alpha"]
    model = hanging().compile(coordinates)
    law = mbs.linearize(model, inputs=["u"], outputs=outputs, coordinates=["lower.angle"])
    J, k = M2 * L**2 / 3, M2 * G * L / 2
    turn = np.array([-k, 0, 1, 1]) / J
    expected = [M2 * L**2 / 2 * turn, [3, 0, -2, 5], [0, 0, 0, 1], [0, 0, 1, 0], turn]
    np.testing.assert_allclose(np.hstack([law.C, law.feedthrough]), expected, rtol=0, atol=1e-9)


def test_an_effort_that_is_shared_is_no_output():
    model = hanging()
    model.add(mbs.CoordinateFix("weld", model.bodies["upper"], "angle", -np.pi / 2))
    with refused("not-unique", element="motor"):
        mbs.linearize(model, outputs=["motor.effort"])


def test_an_input_that_is_not_varied_does_not_change():
    law = mbs.linearize(hanging(), inputs=["u"], outputs=["u"])
    assert law.C.tolist() == [[0.0, 0.0, 0.0]] and law.feedthrough.tolist() == [[1.0]]
    law = mbs.linearize(hanging(), outputs=["u"])
    assert law.C.tolist() == [[0.0, 0.0, 0.0]] and law.feedthrough.shape == (1, 0)


def test_what_an_input_does_may_have_a_corner():
    model = hanging()
    model.add(mbs.Torque("one way", model.bodies["lower"], abs(model["u"])))
    with refused("no-derivative", name="u", value=0.0, model="arm no. 1"):
        mbs.linearize(model, {"lower.angle": -np.pi / 2, "lower.omega": 0.0}, inputs=["u"])


def test_what_python_control_is_given(monkeypatch):
    """A stand-in notes it: A, B, C, D in this order, and names without dots."""
    given = {}
    stand_in = SimpleNamespace(ss=lambda *matrices, **names: given.update(names, matrices=matrices) or "system")
    monkeypatch.setitem(sys.modules, "control", stand_in)
    law = mbs.linearize(hanging(), inputs=["u"], outputs=["motor.effort", "lower.head.x"], coordinates=["lower.angle"])
    assert law.to_control() == "system"
    for matrix, own in zip(given.pop("matrices"), (law.A, law.B, law.C, law.feedthrough), strict=True):
        assert matrix is own
    assert given == {
        "name": "arm no_ 1",
        "states": ["lower_angle", "lower_angle_rate", "z"],
        "inputs": ["u"],
        "outputs": ["motor_effort", "lower_head_x"],
    }


WRONG_OUTPUTS = {
    "motor.torque": "did you mean 'motor.effort'",
    "effort": "did you mean 'motor.effort' or 'pull.effort'",
    "pull.efort": "did you mean 'pull.effort'",
    "pull.Mz": "did you mean 'pull.M'",
    "z.velocity": "use one of: z.rate",
    "lower.omga": "did you mean 'lower.omega'",
    "lower.head": "is a vector, and an output of linearize is a number; name its components: 'lower.head.x', ",
    "pull.force": "name its components: 'pull.Fx', 'pull.Fy'",
    "uu": "has no output 'uu'; did you mean 'u'",
    "k": "is a parameter, no quantity",
    "hand.effort": "has no output 'hand.effort'",
}
"""Names that are not outputs, and a part of the error, with the names that it offers instead."""


@pytest.mark.parametrize("name", WRONG_OUTPUTS)
def test_a_wrong_output_is_answered_by_names_that_are_possible(name):
    model = hanging()
    model.parameter("k", 1.0)
    model.add(mbs.PoseDriver("hand", model.body("tray", 1.0, 0.1), position=(0, 0), rotation=0))
    with pytest.raises(mbs.ModelError) as error:
        mbs.linearize(model, inputs=["u"], outputs=[name])
    assert WRONG_OUTPUTS[name] in str(error.value)


def test_each_offered_output_is_one():
    model = hanging()
    with pytest.raises(mbs.ModelError) as error:
        mbs.linearize(model, outputs=["nothing of the kind"])
    names = error.value.facts["known"]
    assert {"motor.effort", "pull.effort", "pull.Fx", "z", "z.rate", "u", "lower.alpha", "lower.head.vx"} <= {*names}
    law = mbs.linearize(model, inputs=["u"], outputs=names)
    assert law.C.shape == (len(names), 3) and np.isfinite(law.C).all()
