"""A law of many pieces: its code is no longer than its pieces are many, and is what the law is."""

from math import nan, sqrt

import numpy as np
import pytest
import sympy as sp

import mbs_dae as mbs
from mbs_dae.symbolic.branches import branched
from mbs_dae.symbolic.codegen import source_lines


def code(law: sp.Expr, x: sp.Symbol) -> list[str]:
    program = branched([], [law], [x])
    return source_lines(program.definitions, program.outputs)[0]


def test_code_grows_with_the_pieces_and_not_with_their_power():
    x = sp.Symbol("x", real=True)

    def length(pieces: int) -> int:
        law = sp.Piecewise(*((sp.sin(k * x) / k, x < k) for k in range(1, pieces)), (x**2, True))
        return sum(map(len, code(law, x)))

    assert length(40) < 20 * length(10)


@pytest.mark.parametrize("at", [-1.0, 0.3, 1.2, 2.5, 7.0])
def test_pieces_are_not_evaluated_where_another_one_holds(at):
    """A square root of a negative number raises in Python: what holds for x < 0 stands before the roots."""
    x = sp.Symbol("x", real=True)
    law = sp.Piecewise((-x, x < 0), (sp.sqrt(x), x < 1), (sp.sqrt(x + 1), x < 2), (sp.sqrt(x + 2), x < 3), (x, True))
    modes = {f"mode_{k}": nan for k in range(4)}
    found: dict = {"out": [0.0], "at": 0, "x": at, "sqrt": sqrt, **modes}
    exec("\n".join(code(law, x)), found)
    assert found["out"][0] == pytest.approx(float(law.subs(x, at)), rel=1e-14)


def test_a_cam_of_a_law_of_many_pieces_that_turns_freely_lifts_by_its_law():
    lift = mbs.Motion(0.03)
    for _ in range(2):
        lift = lift.rise(0.02, over=0.8, law="modified trapezoid").return_(over=0.7, law="modified trapezoid")
    lift = lift.dwell(2 * np.pi - 3.0).repeat()
    model = mbs.PlanarModel("cam")
    cam = model.body("cam", mass=1.0, inertia=0.01)
    valve = model.body("valve", mass=1e-3, inertia=1e-3, position=(0, 0.03))
    upright = {"angle": np.pi / 2}
    guide = mbs.Translational("guide", model.ground.at(0, 0, **upright), valve.at(0, 0, **upright))
    model.add(mbs.Revolute("axle", model.ground, cam), guide, mbs.CamFollower("lift", cam, valve, profile=lift))
    run = mbs.simulate(model, np.linspace(0, 3, 31), {"cam.angle": 0.1, "cam.omega": -4.0})
    height = [float(lift(np.pi / 2 - angle)) for angle in run["cam.angle"]]
    assert run["valve.y"] == pytest.approx(height, abs=1e-7) and np.ptp(run["valve.y"]) > 0.015
    assert run["cam.angle"][-1] < -9.0
