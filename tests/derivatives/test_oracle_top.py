"""Derivatives of a heavy top that is driven by a table, against a minimal model of its own: Euler's equations about the
fixed point, with complex steps.

    I ω' = -ω × I ω + m c × Rᵀ g + M,      R' = R ω×,      I = I_c + m (c·c - c cᵀ)
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline

import mbs_dae as mbs

TIMES = np.array([0.0, 0.25, 0.6, 0.8])
X, Y = [0.0, 0.2, 0.5, 0.9, 1.0], [0.3, 1.0, -0.6, 0.8, 0.2]
VALUES = {
    "top.mass": 1.5, "top.inertia_yy": 0.03, "top.inertia_xy": 0.004, "top.com_z": 0.25, "gravity.z": -9.81, "k": 0.4,
}  # fmt: skip
START = np.array([0.5, -0.7, 4.0])
STEP = 1e-40


def oracle(by: str) -> tuple[np.ndarray, np.ndarray]:
    """ω in body axes and the axis of the top, and how both change."""
    value = {name: number + (1j * STEP if name == by else 0) for name, number in VALUES.items()}
    centre = np.array([0.02, 0.0, value["top.com_z"]])
    xy = value["top.inertia_xy"]
    inertia = np.array([[0.02, xy, 0], [xy, value["top.inertia_yy"], 0], [0, 0, 0.02]])
    inertia = inertia + value["top.mass"] * (centre @ centre * np.eye(3) - np.outer(centre, centre))
    weight, table = value["top.mass"] * value["gravity.z"] * np.array([0, 0, 1]), CubicSpline(X, Y)

    def rates(t, y):
        w, R = y[:3], y[3:].reshape(3, 3)
        drive = value["k"] * table(t) * np.array([0, 0, 1])
        momentum = np.cross(centre, R.T @ weight) + drive - np.cross(w, inertia @ w)
        return np.concatenate([np.linalg.solve(inertia, momentum), np.stack([np.cross(w, -row) for row in R]).ravel()])

    y, found = np.concatenate([START, np.eye(3).ravel()]).astype(complex), []
    for begin, end in zip(TIMES, TIMES[1:], strict=False):
        inner = [begin, *(x for x in X if begin < x < end), end]
        for a, b in zip(inner, inner[1:], strict=False):
            y = solve_ivp(rates, (a, b), y, method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
        found.append(np.concatenate([y[:3], y[3:].reshape(3, 3)[:, 2]]))
    return np.array(found).real, np.array(found).imag / STEP


def top(law: str) -> mbs.SpatialModel:
    model = mbs.SpatialModel("top", gravity=(0, 0, VALUES["gravity.z"]))
    k = model.parameter("k", VALUES["k"])
    inertia = [[0.02, 0.004, 0], [0.004, VALUES["top.inertia_yy"], 0], [0, 0, 0.02]]
    body = model.body("top", mass=VALUES["top.mass"], inertia=inertia, com=(0.02, 0, VALUES["top.com_z"]))
    body.marker("tip", 0, 0, 1)
    model.add(mbs.Spherical("S", model.ground, body))
    drive = k * mbs.Table(X, Y)(mbs.t)
    drive = model.input("u", drive) if law == "input" else drive
    model.add(mbs.Wrench("drive", body, moment=(0, 0, drive), axes="body"))
    return model


@pytest.mark.parametrize("law", ["torque", "input"])
def test_a_heavy_top(law):
    """A table as the law of the moment, or as that of an input: smooth steps, and steps that are differenced."""
    start = dict(zip(("top.wx", "top.wy", "top.wz"), START, strict=True))
    run = mbs.simulate(top(law), TIMES, start, method="DP8", rtol=1e-12, derivatives=[*VALUES])
    read = ["top.tip.x", "top.tip.y", "top.tip.z"]
    for by in VALUES:
        exact, slope = oracle(by)
        np.testing.assert_allclose(np.stack([run[name][1:] for name in read], axis=1), exact[:, 3:], rtol=0, atol=1e-9)
        found = np.stack([run.d(name, by)[1:] for name in read], axis=1)
        np.testing.assert_allclose(found, slope[:, 3:], rtol=0, atol=1e-8 * max(1.0, np.abs(slope).max()), err_msg=by)
