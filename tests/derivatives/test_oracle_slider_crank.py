"""Derivatives of motions and loads of a slider-crank against a minimal model of its own: Newton and Euler by hand, with
complex steps, in which no two numbers are subtracted."""

import numpy as np
import pytest
import sympy as sp

import mbs_dae as mbs

DESIGN = {
    "r": 0.11, "l": 0.37, "e": 0.03, "c": 0.14, "m1": 1.3, "m2": 0.7, "m3": 2.1, "i1": 0.02, "i2": 0.013, "w": 21.0,
    "F": 85.0, "g": 9.81,
}  # fmt: skip
TIMES = np.linspace(0.01, 0.3, 13)
TINY = 1e-30
LOADS = ("A.Fx", "A.Fy", "B.Fx", "B.Fy", "C.Fx", "C.Fy", "guide.Fy", "motor.effort")
MOTION = ("slider.x", "slider.vx", "slider.ax", "rod.angle", "rod.omega", "rod.alpha")
CLOSE = 1e-9


def model():
    made = mbs.PlanarModel("slider-crank")
    p = {name: made.parameter(name, value) for name, value in DESIGN.items()}
    made.gravity = (0, -p["g"])
    crank = made.body("crank", mass=p["m1"], inertia=p["i1"], com=(p["e"], 0))
    rod = made.body("rod", mass=p["m2"], inertia=p["i2"], com=(p["c"], 0), position=(p["r"], 0))
    slider = made.body("slider", mass=p["m3"], inertia=0.01, position=(p["r"] + p["l"], 0))
    made.add(
        mbs.Revolute("A", made.ground, crank),
        mbs.Revolute("B", crank.at(p["r"], 0), rod),
        mbs.Revolute("C", rod.at(p["l"], 0), slider),
        mbs.Translational("guide", made.ground, slider),
        mbs.Driver("motor", mbs.angle(crank), p["w"] * mbs.t),
        mbs.Force("gas", slider, (-p["F"] * sp.cos(3 * mbs.t), 0)),
    )
    return made


def _written():
    """Places of the centres of mass, angles and slider, with both rates, as functions of t and the design."""
    t, *design = symbols = sp.symbols(["t", *DESIGN])
    r, l, e, c, *_, w, _, _ = design
    theta, phi = w * t, -sp.asin(r * sp.sin(w * t) / l)
    B = sp.Matrix([r * sp.cos(theta), r * sp.sin(theta)])
    x = B[0] + l * sp.cos(phi)
    own = [e * sp.cos(theta), e * sp.sin(theta), B[0] + c * sp.cos(phi), B[1] + c * sp.sin(phi), x, phi]
    return sp.lambdify(symbols, [own, [sp.diff(o, t) for o in own], [sp.diff(o, t, 2) for o in own]], "numpy")


WRITTEN = _written()


def minimal(t, design):
    """All of LOADS and MOTION at one time; the numbers of a design may be complex."""
    d = dict(zip(DESIGN, design, strict=True))
    place, rate, second = (np.array(x, dtype=complex) for x in WRITTEN(t, *design))
    theta, phi, (x, vx, ax) = d["w"] * t, place[5], (place[4], rate[4], second[4])
    A, B, C = np.zeros(2), d["r"] * np.array([np.cos(theta), np.sin(theta)]), np.array([x, 0.0])
    g = np.array([0.0, -d["g"]])
    rows, right = np.zeros((9, 8), dtype=complex), np.zeros(9, dtype=complex)

    def push(body, load, point, centre, sense):  # a force with the columns load, load + 1 on a body
        rows[3 * body, load] = rows[3 * body + 1, load + 1] = sense
        rows[3 * body + 2, load], rows[3 * body + 2, load + 1] = (
            -sense * (point - centre)[1],
            sense * (point - centre)[0],
        )

    first, other = place[:2], place[2:4]
    push(0, 0, A, first, 1.0)
    push(0, 2, B, first, -1.0)
    push(1, 2, B, other, 1.0)
    push(1, 4, C, other, -1.0)
    push(2, 4, C, C, 1.0)
    rows[7, 6] = 1.0  # the guide, upwards; its moment on the slider is none
    rows[2, 7] = 1.0  # the motor
    right[:2], right[3:5] = d["m1"] * (second[:2] - g), d["m2"] * (second[2:4] - g)
    right[5] = d["i2"] * second[5]
    right[6:8] = d["m3"] * (np.array([ax, 0.0]) - g) + np.array([d["F"] * np.cos(3 * t), 0.0])
    loads = np.linalg.solve(rows[:8], right[:8])  # the last row says that the guide needs no moment
    return np.concatenate([loads, [x, vx, ax, phi, rate[5], second[5]]])


def expected(names):
    """Values, and derivatives by each of the names: (times, quantities)."""
    base = np.array([*DESIGN.values()], dtype=complex)
    values = np.array([minimal(t, base).real for t in TIMES])
    slopes = {}
    for name in names:
        stepped = base + 1j * TINY * (np.array([*DESIGN]) == name)
        slopes[name] = np.array([minimal(t, stepped).imag / TINY for t in TIMES])
    return values, slopes


@pytest.mark.parametrize("coordinates", ["cartesian", "natural", "joint"])
def test_motions_and_loads_are_differentiated_as_a_minimal_model_is(coordinates):
    result = mbs.inverse_dynamics(model().compile(coordinates), TIMES, derivatives=[*DESIGN])
    values, slopes = expected(DESIGN)
    for k, name in enumerate((*LOADS, *MOTION)):
        size = np.abs(values[:, k]).max()
        np.testing.assert_allclose(result[name], values[:, k], rtol=0, atol=CLOSE * size)
        for parameter, value in DESIGN.items():
            found = result.d(name, parameter)
            scale = max(np.abs(slopes[parameter][:, k]).max(), size / value)
            np.testing.assert_allclose(
                found, slopes[parameter][:, k], rtol=0, atol=CLOSE * scale, err_msg=name + parameter
            )
