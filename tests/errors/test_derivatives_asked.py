"""What is asked of derivatives by mistake is told: with what is meant, or why there is none."""

from __future__ import annotations

import pytest
import sympy as sp

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
