"""A tippe-top: spun on its round side it turns over, and stands on its stem.

A ball of radius R slides on a table with its lowest point; its centre of mass lies a below its middle. With the axis e
up through the stem, s = -R ẑ + a e leads from the centre of mass to where it touches. No force there has a moment about
that point, and with two equal moments of inertia (A, A, C) the angular momentum L has no part along ė = ω × e. So

    J = -L · s,      Jellett's number,

stays what it is, whatever friction does. Fast and upright (e = ẑ) it is C Ω (R - a); upside down the same number asks
for the spin Ω (R - a)/(R + a), with less energy, although its centre of mass is higher by 2 a. If

    1 - a/R < A/C < 1 + a/R

friction takes it there. (With more friction it does not slide but rolls, and stays upright.)
"""

import numpy as np
import sympy as sp

import mbs_dae as mbs

TIMES = np.linspace(0, 3.2, 641)  # s
INITIAL = {"top.vx": 0.0, "top.vy": 0.0, "top.vz": 0.0, "top.wx": 0.0, "top.wy": 0.0, "top.wz": 150.0}


def build(
    R=0.02,  # m
    a=0.003,  # m: from the middle down to the centre of mass
    m=0.02,  # kg
    A=3.0e-6,  # kg m²: about the centre of mass, across the axis
    C=3.2e-6,  # kg m²: about the axis
    lean=0.1,  # rad: of the axis at first
    mu=0.1,  # friction
) -> mbs.SpatialModel:
    model = mbs.SpatialModel("tippe-top", gravity=(0.0, 0.0, -9.81))
    R = model.parameter("R", R, unit="m")
    a = model.parameter("a", a, unit="m")
    m = model.parameter("m", m, unit="kg")
    A = model.parameter("A", A, unit="kg m²")
    C = model.parameter("C", C, unit="kg m²")
    lean = model.parameter("lean", lean, unit="rad")
    mu = model.parameter("mu", mu)

    s, c = sp.sin(lean), sp.cos(lean)
    attitude = sp.Matrix([[1, 0, 0], [0, c, -s], [0, s, c]])
    top = model.body("top", mass=m, inertia=(A, A, C), com=(0, 0, -a), position=(0, 0, R), rotation=attitude)
    top.marker("stem", 0, 0, 1.5 * R)
    model.add(mbs.Contact("table", mbs.Plane(model.ground), mbs.Sphere(top, R), friction=mu))
    return model


if __name__ == "__main__":
    from _show import show_motion

    show_motion(build(), TIMES, "top.z", initial=INITIAL, paths=("top", "top.stem"))
