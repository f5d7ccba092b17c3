"""What is asked of derivatives by mistake is told: with what is meant, or why there is none."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from refusals import refused

import mbs_dae as mbs


def model():
    made = mbs.PlanarModel("machine", gravity=(0, -10))
    made.parameter("idle", 1.0)
    crank = made.link("crank", (0, 0), (0.2, 0), length=0.2, mass=1.0)
    wheel = made.body("wheel", position=(0.5, 0), mass=1.0, inertia=0.1)
    A = made.add(mbs.Revolute("A", made.ground, crank.tail))
    B = made.add(mbs.Revolute("B", made.ground.at(0.5, 0), wheel))
    made.add(
        mbs.Gear("mesh", crank.tail, wheel, ratio=2.0),
        mbs.Driver("motor", mbs.angle(A), 3 * mbs.t),
        mbs.Torque("brake", B, -sp.sin(mbs.t)),
        mbs.CompliantContact("mat", mbs.Line(made.ground.at(0, -9)), mbs.Disk(wheel, 0.1), stiffness=1e4),
    )
    return made


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("idel", "no parameter or constant 'idel'; did you mean 'idle'"),
        ("mesh.ration", "did you mean 'mesh.ratio'"),
        ("crank.mas", "did you mean 'crank.mass'"),
        ("mat.stifness", "did you mean 'mat.stiffness'"),
        ("mesh.mesh", "mesh of Gear 'mesh' is one of 'external', 'internal', a matter of structure"),
        ("mat.exponent", "exponent of CompliantContact 'mat' is a part of the form of its equations"),
        ("brake.torque", "torque of Torque 'brake' is a law and no number; make the number in it a parameter"),
        ("motor.function", "function of Driver 'motor' is a law and no number"),
        ("crank.length", "the length of link 'crank' is in its markers, its centre and its inertia; give it as"),
        ("mesh", "'mesh' is a Gear, and not a number; ask for one of its constants: mesh.ratio, mesh.phase"),
        ("crank.omega", "'crank.omega' follows from the motion: it is read, and nothing depends on it"),
    ],
)
def test_names_that_are_none(name, told):
    with pytest.raises(mbs.ModelError) as error:
        mbs.inverse_dynamics(model(), [0, 1], derivatives=[name])
    assert told in str(error.value)


def test_nothing_depends_on_it():
    """Which is told, and is 0: in every analysis."""
    told = "nothing in the model depends on idle: derivatives by it are 0"
    needed = mbs.inverse_dynamics(model(), [0, 1], derivatives=["idle", "mesh.ratio"])
    assert needed.stats["derivatives"] == told and not needed.d("motor.effort", "idle").any()
    free = model().without("motor")
    run = mbs.simulate(free, [0, 0.1], derivatives=["idle"])
    assert run.stats["derivatives"] == told and abs(run.d("crank.angle", "idle")).max() < 1e-12
    assert told in mbs.assemble(free, derivatives=["idle"]).message
    smooth = mbs.simulate(free.without("mat"), [0, 0.1], derivatives=["idle"])
    assert smooth.stats["derivatives"] == told and not smooth.d("crank.angle", "idle").any()


@pytest.mark.parametrize(
    ("number", "value", "what"),
    [
        (lambda p: 5 + sp.Abs(p - 0.5), 0.5, "has a kink"),
        (lambda p: 5 + sp.Max(p, 1.0), 1.0, "has a kink"),
        (lambda p: sp.Piecewise((5, p < 0.3), (6 * p, True)), 0.3, "jumps"),
    ],
)
def test_a_number_with_a_corner_has_no_derivative(number, value, what):
    """A little beside the corner it has one, by each verb; so have |p|³ and other smooth expressions at any value."""

    def pan(value, number=number):
        model = mbs.PlanarModel("scale", gravity=(0, -9.81))
        p = model.parameter("p", value)
        body = model.body("pan", mass=2.0, inertia=1.0, position=(0, -1))
        up = np.pi / 2
        model.add(
            mbs.Translational("guide", model.ground.at(0, 0, up), body.at(0, 0, up)),
            mbs.Spring("spring", model.ground, body, stiffness=100 * number(p), length=1),
        )
        return model

    calls = [
        lambda model: mbs.equilibrium(model, derivatives=["p"]).d("pan.y", "p"),
        lambda model: mbs.simulate(model, [0, 0.1], derivatives=["p"]).d("pan.y", "p")[-1],
    ]
    for call in calls:
        with refused("kink", mentions=[what, f"p = {value:g}"]):
            call(pan(value))
        assert np.isfinite(call(pan(value + 1e-3)))
        assert np.isfinite(call(pan(0.0, lambda p: 5 + p + sp.Abs(p) ** 3)))


def test_a_step_of_a_parameter_has_the_slope_between_its_jumps():
    """k = 100 (floor p + p/2), y = -1 - m g/k: ∂y/∂p = m g · 50/k²."""
    model = mbs.PlanarModel("scale", gravity=(0, -9.81))
    p = model.parameter("p", 2.4)
    body = model.body("pan", mass=2.0, inertia=1.0, position=(0, -1))
    up = np.pi / 2
    model.add(
        mbs.Translational("guide", model.ground.at(0, 0, up), body.at(0, 0, up)),
        mbs.Spring("spring", model.ground, body, stiffness=100 * (sp.floor(p) + p / 2), length=1),
    )
    rest = mbs.equilibrium(model, derivatives=["p"])
    assert rest.d("pan.y", "p") == pytest.approx(2 * 9.81 * 50 / 320**2, rel=1e-9)
