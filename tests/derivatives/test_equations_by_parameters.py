"""`equations(model).d(by)`: against hand-written equations differentiated by sympy, and motions that vary."""

from __future__ import annotations

import numpy as np
import sympy as sp
from gallery import load
from refusals import refused

import mbs_dae as mbs

R, L, K, REST = 0.1, 0.3, 40, sp.Rational(1, 5)


def pendulum() -> mbs.PlanarModel:
    model = mbs.PlanarModel("pendulum", gravity=(0, -10))
    r, c = model.parameter("r", 0.5), model.parameter("c", 0.2)
    model.parameter("idle", 1.0)
    rod = model.body("rod", mass=3 * r, inertia=r**3 / 4, com=(c, 0))
    model.add(mbs.Revolute("A", model.ground, rod.at(-r / 2, c * r)))
    return model


def slider_crank() -> mbs.PlanarModel:
    model = mbs.PlanarModel("slider-crank", gravity=(0, -10))
    r, l, w = (model.parameter(*given) for given in (("r", R), ("l", L), ("w", 7)))
    crank = model.body("crank", mass=1, inertia=r**2 / 12, position=(r / 2, 0))
    rod = model.body("rod", mass=2, inertia=l**2 / 6, position=(r + l / 2, 0))
    slider = model.body("slider", mass=2, position=(r + l, 0))
    model.add(
        mbs.Revolute("A", model.ground, crank.at(-r / 2, 0)),
        mbs.Revolute("B", crank.at(r / 2, 0), rod.at(-l / 2, 0)),
        mbs.Revolute("C", rod.at(l / 2, 0), slider),
        mbs.Translational("D", model.ground, slider),
        mbs.Driver("motor", mbs.angle(model.ground, crank), sp.sin(w * mbs.t)),
        mbs.SpringDamper("spring", model.ground.at(1, 0), slider, stiffness=K * r, length=REST),
    )
    return model


def test_a_pendulum_by_hand():
    """Pin at (-r/2, c r) of the rod, centre of mass at (c, 0): Φ = s + A u, M of Koenig about the frame's origin."""
    eq = mbs.equations(pendulum())
    r, c, x, y, phi, omega = sp.symbols("r c x_2 y_2 phi_2 phidot_2", real=True)
    turn = sp.Matrix([[sp.cos(phi), -sp.sin(phi)], [sp.sin(phi), sp.cos(phi)]])
    m, lever = 3 * r, turn * sp.Matrix([c, 0])
    across = sp.Matrix([-lever[1], lever[0]])
    Phi = -sp.Matrix([x, y]) - turn * sp.Matrix([-r / 2, c * r])
    Phi_q = Phi.jacobian([x, y, phi])
    M = sp.diag(m, m, r**3 / 4 + m * c**2)
    M[2, :2], M[:2, 2] = m * across.T, m * across
    weight = sp.Matrix([0, -10])
    Q = sp.Matrix([*(m * weight + m * omega**2 * lever), m * across.dot(weight)])
    hand = {"Phi": Phi, "Phi_q": Phi_q, "gamma": -Phi.diff(phi, 2) * omega**2, "M": M, "Q": Q}
    assert eq.compare(**hand)
    for by in (r, c):
        assert eq.d(by).compare(**{name: matrix.diff(by) for name, matrix in hand.items()})
        assert eq.d(by).d("r").compare(**{name: matrix.diff(by, r) for name, matrix in hand.items()})
    assert not eq.d("r").compare(Q=Q.diff(c)) and eq.d("r").by == (eq.symbols["r"],)


def test_a_slider_crank_by_hand():
    """Every row in sums of cosines and sines; γ = -(Φ_q q̇)_q q̇ - Φ_tt, the spring from its length."""
    eq = mbs.equations(slider_crank())
    q, v = sp.Matrix(eq.q), sp.Matrix(eq.v)
    x2, y2, f2, x3, y3, f3, x4, y4, f4 = q
    r, l, w, t = *sp.symbols("r l w", real=True), mbs.t
    C2, S2, C3, S3 = (e / 2 for e in (r * sp.cos(f2), r * sp.sin(f2), l * sp.cos(f3), l * sp.sin(f3)))
    Phi = sp.Matrix(
        [
            C2 - x2,
            S2 - y2,
            x2 + C2 - x3 + C3,
            y2 + S2 - y3 + S3,
            x3 + C3 - x4,
            y3 + S3 - y4,
            -y4,
            -f4,
            f2 - sp.sin(w * t),
        ]
    )
    Phi_q = Phi.jacobian(q)
    gamma = -(Phi_q * v).jacobian(q) * v - Phi.diff(t, 2)
    length = sp.sqrt((x4 - 1) ** 2 + y4**2)
    pull = -K * r * (length - REST) / length
    Q = sp.Matrix([0, -10, 0, 0, -20, 0, pull * (x4 - 1), pull * y4 - 20, 0])
    M = sp.diag(1, 1, r**2 / 12, 2, 2, l**2 / 6, 2, 2, 0)
    hand = {"Phi": Phi, "Phi_q": Phi_q, "nu": -Phi.diff(t), "gamma": gamma, "M": M, "Q": Q}
    assert eq.compare(**hand)
    for by in (r, l, w):
        assert eq.d(str(by)).compare(**{name: matrix.diff(by) for name, matrix in hand.items()})
    # constants by name: K r is stiff, and REST is long; the numbers stand again in what they are multiplied with
    stiff, long = eq.d("spring.stiffness"), eq.d("spring.length")
    assert stiff.compare(Phi=sp.zeros(9, 1), Q=Q.diff(r) / K) and stiff.parameters == eq.parameters
    assert long.compare(M=sp.zeros(9), Q=sp.Matrix([*[0] * 6, K * r * (x4 - 1) / length, K * r * y4 / length, 0]))
    assert long.d("r").compare(Q=eq.d("r").d("spring.length").Q)
    assert stiff.d("spring.stiffness").are_zero


def test_motions_vary_as_these_equations_say():
    """d/dp of Φ = 0, Φ_q v = ν and Φ_q a = γ along the motion: what the equations say by p, what sympy says of them by
    places and velocities, and δq, δv, δa of kinematics cancel."""
    model, by, time = load("slider_crank").build(), "r", 0.21
    eq = mbs.equations(model)
    motion = mbs.kinematics(model, [time], derivatives=[by])
    a = sp.symbols(f"a:{len(eq.v)}", real=True)
    rows = sp.Matrix([*eq.Phi, *(eq.Phi_q * eq.v - eq.nu), *(eq.Phi_q * sp.Matrix(a) - eq.gamma)])
    own = eq.d(by)
    partial = sp.Matrix([*own.Phi, *(own.Phi_q * eq.v - own.nu), *(own.Phi_q * sp.Matrix(a) - own.gamma)])
    state = [*eq.q, *eq.v, *a]
    names = [f"{b}.{n}" for part in (("x", "y", "angle"), ("vx", "vy", "omega"), ("ax", "ay", "alpha"))
             for b in ("crank", "rod", "slider") for n in part]  # fmt: skip
    point = eq.parameters | {mbs.t: time} | {s: motion[n][0] for s, n in zip(state, names, strict=True)}
    moved = np.array([motion.d(n, by)[0] for n in names])
    by_state, by_p = (np.array(m.xreplace(point).evalf(), dtype=float) for m in (rows.jacobian(state), partial))
    np.testing.assert_allclose(by_state @ moved + by_p[:, 0], 0, atol=1e-12 * np.abs(by_p).max())


def test_in_space_against_differences():
    """Turns about three axes, masses and inertias that parameters make, in numbers."""
    model = mbs.SpatialModel("top", gravity=(0, 0, -10))
    r, s = model.parameter("r", 0.4), model.parameter("s", 0.3)
    top = model.body("top", mass=2 * s, inertia=(r**2, 2 * r**2, s), com=(0, r / 3, s))
    model.add(
        mbs.Universal("pin", model.ground.at(0, s, 0), top.at(r, 0, s)),
        mbs.SpringDamper("spring", model.ground, top.at(0, 0, r), stiffness=30, length=s**2),
    )
    eq, q, v = mbs.equations(model), [0.1, 0.2, 0.3, 0.5, -0.5, 0.1, 0.7], [0.3, -0.2, 0.5, 0.7, 1.1, -0.4]
    names = ["Phi", "Phi_q", "nu", "gamma", "M", "Q"]
    numbers = eq.lambdify(*names)
    for by, at in eq.parameters.items():
        h = 1e-3 * at
        slopes = [
            [(b - a) / (2 * k * h) for a, b in zip(*(numbers(0, q, v, parameters={by.name: at + sign * k * h})
                                                      for sign in (-1, 1)), strict=True)] for k in (1, 2)
        ]  # fmt: skip
        for name, near, far, found in zip(names, *slopes, eq.d(by).lambdify(*names)(0, q, v), strict=True):
            np.testing.assert_allclose(found, (4 * near - far) / 3, rtol=0, atol=1e-8, err_msg=name)


def test_what_nothing_depends_on_is_told():
    idle = mbs.equations(pendulum()).d("idle")
    assert idle.are_zero and idle.Phi.shape == (2, 1) and idle.M.is_zero_matrix
    assert "nothing depends on idle: all derivatives are zero" in str(idle)
    assert not mbs.equations(pendulum()).d("c").are_zero


def test_printed_and_written(tmp_path):
    """As text, LaTeX, a paper and code."""
    by_r = mbs.equations(pendulum()).d("r")
    assert "Phi_r\n  [0] A: " in str(by_r) and "\n  [1] rod: 3*c*phidot_2**2*sin(phi_2) - 30" in str(by_r)
    assert repr(by_r) == "<equations of 'pendulum' by r: 2 rows, 3 coordinates>"
    assert r"\frac{\partial}{\partial r} \boldsymbol{\Phi} &= \left[" in by_r.latex()
    assert "differentiated by r" in by_r.save(tmp_path / "by_r.md").read_text(encoding="utf-8")
    module: dict = {}
    exec(by_r.save(tmp_path / "by_r.py").read_text(encoding="utf-8"), module)
    q, v = [0.1, 0.2, 0.3], [0.4, 0.5, 0.6]
    (Q,) = by_r.lambdify("Q")(0, q, v)
    np.testing.assert_allclose(module["Q_r"](0, q, v), Q, rtol=1e-14)
    assert "pendulum_Q_r(" in by_r.to_code("C", "Q") and "function M_r(" in by_r.to_code("JavaScript", "M")


def test_functions_kept_whole_and_functions_without_a_formula():
    """A cam's profile that depends on r itself, and a Python force at a marker that does."""
    model = mbs.PlanarModel("cam")
    r = model.parameter("r", 0.3)
    cam, follower = model.body("cam"), model.body("follower", mass=1, position=(0.5, 0))
    model.add(
        mbs.CamFollower("contact", cam, follower, profile=1 + r * sp.sin(mbs.theta), follower="flat"),
        mbs.PythonForce("wind", follower.at(r, 0), function=lambda t, i: (i.velocity[0], 0.0)),
    )
    eq = mbs.equations(model)
    by_r = eq.d("r")
    assert by_r.compare(Phi=eq.Phi.diff(eq.symbols["r"])) and not by_r.Phi.is_zero_matrix
    assert by_r.Q.has(sp.Derivative) and by_r.lambdify("Phi")
    with refused("no-formula", matrices=["Q"]):
        by_r.lambdify("Q")


def test_unknown_names():
    eq = mbs.equations(pendulum())
    with refused("unknown-name", kind="parameter or constant", name="R"):
        eq.d("R")
