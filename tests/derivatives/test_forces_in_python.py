"""A force that is a function in Python is differentiated by differences, in mechanisms of any size: against the same
force as an expression."""

import numpy as np
import pytest
import sympy as sp

import mbs_dae as mbs


def arm(size, in_python):
    """A pendulum, `size` times as large, with gravity so much stronger that it moves alike; a bent spring and a damper
    hold its end."""
    model = mbs.PlanarModel("arm", gravity=(0, -10 * size))
    length = model.parameter("length", 0.3 * size, unit="m")
    body = model.link("arm", (0, 0), (0.3 * size, 0), length=length, mass=2.0)
    model.add(mbs.Revolute("pin", model.ground, body.tail))
    if in_python:

        def force(t, i):
            return [(0.0, -size * (40 * np.sin(3 * i.point[1] / size) + 2 * i.velocity[1] / size))]

        model.add(mbs.PythonForce("hold", body.head, function=force))
    else:
        y, vy = model["arm.head.y"] / size, model["arm.head.vy"] / size
        model.add(mbs.Force("hold", body.head, (0, -size * (40 * sp.sin(3 * y) + 2 * vy))))
    return model


@pytest.mark.parametrize("size", [1.0, 1e-6, 1e3])
def test_small_motions_do_not_depend_on_the_size_of_a_mechanism(size):
    law = mbs.linearize(arm(size, in_python=True), derivatives=["length"])
    known = mbs.linearize(arm(1.0, in_python=False), derivatives=["length"])
    assert law.frequencies == pytest.approx(known.frequencies, rel=1e-8)
    assert law.damping == pytest.approx(known.damping, rel=1e-7)
    assert size * law.d("frequencies", "length") == pytest.approx(known.d("frequencies", "length"), rel=1e-6)


@pytest.mark.parametrize("size", [1.0, 1e-6])
def test_what_the_force_does_has_derivatives(size):
    """Of a run; the force by itself has none as an expression of named quantities, but it follows from the motion."""
    run = mbs.simulate(arm(size, in_python=True), [0, 0.1, 0.3], rtol=1e-10, derivatives=["length"])
    y, vy = run["arm.head.y"] / size, run["arm.head.vy"] / size
    y_, vy_ = run.d("arm.head.y", "length"), run.d("arm.head.vy", "length")
    assert run.d("hold.Fy", "length") == pytest.approx(-120 * np.cos(3 * y) * y_ - 2 * vy_, rel=1e-8)
    assert run["hold.Fy"] == pytest.approx(-size * (40 * np.sin(3 * y) + 2 * vy), rel=1e-12)
    known = mbs.simulate(arm(1.0, in_python=False), [0, 0.1, 0.3], rtol=1e-10, derivatives=["length"])
    assert size * run.d("arm.angle", "length") == pytest.approx(known.d("arm.angle", "length"), rel=1e-6)
