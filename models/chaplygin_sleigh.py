"""The Chaplygin sleigh: a body on ice with a knife edge under it, its centre of mass ahead of the edge by a.

The edge C glides along itself and never across: an equation between velocities, which no equation between places can
replace. So the sleigh may go anywhere (three coordinates), but at each moment in two directions only: two degrees of
freedom. On level ice, with v the speed of C, ω the turning rate and J = I + m a²,

    v̇ = a ω²,    J ω̇ = -m a v ω:    v = V tanh(k t + c),    ω = V √(m/J) / cosh(k t + c),    k = m a V / J:

whatever its start, it ends up gliding straight on, the centre of mass ahead. The ice pushes with N = m v ω I/J.

On a slope (y points up, x across) it turns until it goes down, the centre of mass ahead. With a = 0 it never gets down:
it turns evenly and walks across the slope on a cycloid.
"""

import numpy as np
import sympy as sp

import mbs_dae as mbs

TIMES = np.linspace(0, 5, 501)  # s
INITIAL = {"sleigh.vx": 1.0, "sleigh.omega": 2.0}


def build(
    m=2.0,  # kg
    I=0.5,  # kg m², about the centre of mass
    a=0.3,  # m: the centre of mass ahead of the edge
    slope=0.1,  # rad: of the ice
) -> mbs.PlanarModel:
    model = mbs.PlanarModel("Chaplygin sleigh")
    m, I, a, weight = declared(model, m, I, a, slope)
    sleigh = model.body("sleigh", mass=m, inertia=I, com=(a, 0))  # its frame stands in C, x along the edge
    model.add(
        mbs.KnifeEdge("knife", model.ground, sleigh),
        mbs.Force("weight", sleigh.at(a, 0), (0, -weight)),
    )
    return model


def build_in_space(m=2.0, I=0.5, a=0.3, slope=0.1) -> mbs.SpatialModel:
    """The same sleigh in space: the ice holds it from below."""
    model = mbs.SpatialModel("Chaplygin sleigh in space")
    m, I, a, weight = declared(model, m, I, a, slope)
    sleigh = model.body("sleigh", mass=m, inertia=(I / 2, I / 2, I), com=(a, 0, 0))
    model.add(
        mbs.Planar("ice", model.ground, sleigh),
        mbs.KnifeEdge("knife", model.ground, sleigh),
        mbs.Force("weight", sleigh.at(a, 0, 0), (0, -weight, 0)),
    )
    return model


def declared(model, m, I, a, slope):
    """The parameters, and the weight along the slope."""
    m = model.parameter("m", m, unit="kg")
    I = model.parameter("I", I, unit="kg m²")
    a = model.parameter("a", a, unit="m")
    return m, I, a, m * 9.81 * sp.sin(model.parameter("slope", slope, unit="rad"))


if __name__ == "__main__":
    from _show import show_motion

    show_motion(build(), TIMES, "sleigh.x", "sleigh.y", "sleigh.angle", initial=INITIAL, paths=("sleigh",))
