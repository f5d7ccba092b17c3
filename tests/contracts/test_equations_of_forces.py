"""The printed equations are those that run: every force and every joint, in numbers, against the compiled kernels.

A force class is covered by being registered: its cases are those of the contract of forces.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp
from helpers import evaluated_loads, four_bar
from refusals import refused
from stage import PLACES, motions, stage
from test_force_contract import CASES, force_classes

import mbs_dae as mbs

EXACT = 1e-12


def parts(system: Any, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The coordinates of the moving bodies, and their turns, of all that the system has."""
    layout = system.layout
    turns = [q[at + k] for at, _ in layout.turns for k in range(3)]
    return q[: layout.nq], np.array(turns)


def check_dynamics(model: Any, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """M and Q of the equations are those of the kernels, and Q is more than the inertia of bodies."""
    system = model.compile()
    places, turns = parts(system, q)
    M, Q = mbs.equations(model).lambdify("M", "Q")(t, places, v[: system.nv], turns)
    found = evaluated_loads(system, t, q, v)
    np.testing.assert_allclose(M, found.mass, rtol=EXACT, atol=EXACT * np.abs(found.mass).max())
    np.testing.assert_allclose(Q, found.forces, rtol=EXACT, atol=EXACT * max(1.0, np.abs(found.forces).max()))
    return Q


def one_of_each() -> list[Any]:
    """A case of every force class: in the plane with tables, quantities and whatever it can be told; in space, where
    equations are long, the plainest one, and on one moving body if it joins two."""
    chosen: dict[tuple[str, str], Any] = {}
    for case in CASES:
        words = case.id.partition(",")[0].split()
        if words[-1] == "plane":
            chosen[words[0], words[-1]] = case
        else:
            plainest = chosen.setdefault((words[0], words[-1]), case)
            if "all moving" in plainest.id and "ground" in case.id:
                chosen[words[0], words[-1]] = case
    return [on_the_ground(case) if "Bushing" in case.id and "space" in case.id else case for case in chosen.values()]


def on_the_ground(case: Any) -> Any:
    build, (*arguments, _) = case.values
    where = PLACES[2][1]
    return pytest.param(build, (*arguments, where), id=case.id.replace("all moving", where))


@pytest.mark.parametrize(("build", "arguments"), one_of_each())
def test_applied_forces_in_q_are_those_that_run(build, arguments):
    case = build(*arguments)
    for motion in motions(case.stage, 1):
        Q = check_dynamics(case.stage.model, motion.t0, motion.q0, motion.v0)
        assert np.abs(Q).max() > 0


def test_every_force_class_is_among_them():
    covered = [case.id.split()[0] for case in one_of_each()]
    assert sorted(covered) == sorted(c.__name__ for c in force_classes() for _ in c.dimensions)


def push(t, i, j):
    """A wind on one marker, and a spring without damping between two: numbers for whatever dimension."""
    pull = 3 * (np.array(i.point) - np.array(j.point))
    wind = np.sin(t) * np.array(i.velocity)
    return [(*(wind - pull), *np.ravel(np.multiply(0.3, i.omega))), tuple(pull)]


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_force_of_python_is_a_function_with_a_name(dimension):
    s = stage("python", True, dimension)
    a, b, _ = s.moving
    markers = s.marker(a), s.marker(b)
    s.model.add(mbs.PythonForce("the wind", *markers, function=push))
    eq = mbs.equations(s.model)
    axes = "xyz"[:dimension]
    moments = ["M_the_wind_i"] if dimension == 2 else [f"M_the_wind_i_{k}" for k in axes]
    assert [*eq.functions][: len(axes) + len(moments)] == [*(f"F_the_wind_i_{k}" for k in axes), *moments]
    Fx = next(f for f in eq.Q.atoms(sp.Function) if str(f.func) == "F_the_wind_i_x")
    assert Fx.args[-1] == mbs.t and {*eq.q[: len(eq.q) // 3], *eq.v[: len(eq.v) // 3]} <= {*Fx.args}
    assert "F_{the wind i x}" in eq.latex()
    for motion in motions(s, 2):
        check_dynamics(s.model, motion.t0, motion.q0, motion.v0)


def test_two_forces_of_python_have_two_names():
    model = mbs.PlanarModel()
    body = model.body("a")
    for name in ("a wind", "a_wind"):
        model.add(mbs.PythonForce(name, body, function=lambda t, i: [(1, 0)]))
    with refused("name-taken", kind="function", name="F_a_wind_x", element="a_wind"):
        mbs.equations(model)


def test_compare_finds_a_force_that_was_forgotten():
    model = mbs.PlanarModel(gravity=(0, -9.81))
    body = model.body("b", mass=2.0, inertia=0.3)
    model.add(
        mbs.Force("push", body, (3, 4)),
        mbs.Torque("twist", body, sp.sin(mbs.t)),
        mbs.PythonForce("wind", body, function=lambda t, i: [(i.velocity[1], 0)]),
    )
    eq = mbs.equations(model)
    fx, fy, m = (f(*eq.q, *eq.v, mbs.t) for f in map(sp.Function, ("F_wind_x", "F_wind_y", "M_wind")))
    assert eq.compare(Q=[3 + fx, fy + 4 - 19.62, sp.sin(mbs.t) + m])
    assert [d.row for d in eq.compare(Q=[fx, fy - 19.62, sp.sin(mbs.t) + m]).differences] == [0, 1]
    assert [d.row for d in eq.compare(Q=[3 + fx, fy + 4 - 19.62, m]).differences] == [2]
    assert [d.row for d in eq.compare(Q=[3 + fy, fx + 4 - 19.62, sp.sin(mbs.t) + m]).differences] == [0, 1]
    with refused("unknown-name", names=["F_rain_x()"]):
        eq.compare(Q=[3 + sp.Function("F_rain_x")(mbs.t), 0, 0])


def test_accelerations_from_the_equations_are_those_of_a_run():
    """M v̇ + Φ_qᵀ λ = Q, Φ_q v̇ = γ, solved for numbers; with another crank as well."""
    model = four_bar(motor=False)
    crank, rocker = model.bodies["crank"], model.bodies["rocker"]
    model.add(
        mbs.SpringDamper("spring", crank.at(0.3, 0), rocker.at(0, 0.2), stiffness=30.0, damping=2.0, length=1.0),
        mbs.Torque("torque", crank, 5 * sp.sin(3 * mbs.t)),
        mbs.Drag("drag", rocker.at(0.1, 0.1), coefficient=0.4),
    )
    evaluate = mbs.equations(model).lambdify("Phi_q", "gamma", "M", "Q")
    for changed in ({}, {"crank": 1.9}):
        varied, times = model.with_parameters(**changed), [0.0, 0.2, 0.5]
        run = mbs.simulate(varied, times, {"crank.omega": 3.0}, stabilization=mbs.Projection())
        for t, q, v, a in zip(run.t, run.q, run.v, run.a, strict=True):
            Phi_q, gamma, M, Q = evaluate(t, q, v, parameters=changed)
            zero = np.zeros((len(gamma), len(gamma)))
            solved = np.linalg.solve(np.block([[M, Phi_q.T], [Phi_q, zero]]), np.concatenate([Q, gamma]))
            np.testing.assert_allclose(solved[: len(q)], a, rtol=1e-9, atol=1e-9 * np.abs(a).max())


def mechanism_in_space() -> mbs.SpatialModel:
    """Parameters, a driver of an angle that has gone round, and a table."""
    model = mbs.SpatialModel("arm", gravity=(0, 0, -9.81))
    r = model.parameter("r", 0.3)
    arm = model.body("arm", mass=2.0, inertia=0.2)
    hand = model.body("hand", mass=1.0, inertia=0.1, position=(0.5, 0, 0))
    table = mbs.Table([0.0, 0.5, 1.0, 2.0], [0.0, 0.2, 0.1, 0.4])
    pin = mbs.Revolute("pin", model.ground.at(0, 0, r), arm.at(0, r, 0.1))
    model.add(
        pin,
        mbs.Spherical("ball", arm.at(r, 0, 0), hand.at(-0.2, 0, 0)),
        mbs.Driver("turn", mbs.angle(pin), 3 * mbs.t),
        mbs.Driver("lift", mbs.z(hand), table),
        mbs.TorsionSpring("coil", pin, stiffness=2.0),
    )
    return model


@pytest.mark.slow
def test_constraints_in_space_are_those_that_run():
    model = mechanism_in_space()
    system, eq = model.compile(), mbs.equations(model)
    dice = np.random.default_rng(3)
    q, (v, a) = system.placement.copy(), dice.normal(size=(2, len(system.still)))
    system_q = system.moved(q, dice.normal(scale=0.4, size=len(v)))
    for at, _ in system.layout.turns[:1]:
        system_q[at + 2] += 4 * np.pi
    v[system.nv :] = a[system.nv :] = 0.0
    places, turns = parts(system, system_q)
    t = 0.7
    Phi, Phi_q, nu, gamma = eq.lambdify("Phi", "Phi_q", "nu", "gamma")(t, places, v[: system.nv], turns)
    rows = system.read_constraints(np.array([t]), system_q[None], v[None], a[None])
    for shown, found in zip((Phi, Phi_q @ v[: system.nv] - nu, Phi_q @ a[: system.nv] - gamma), rows, strict=True):
        np.testing.assert_allclose(shown, found[0], rtol=1e-11, atol=1e-11)
    assert abs(Phi[8]) > 2 * np.pi, "the angle counts whole turns"
    check_dynamics(model, t, system_q, v)


@pytest.mark.slow
def test_numbers_for_the_equations_are_checked():
    eq = mbs.equations(mechanism_in_space())
    q, v = [eq.values[s] for s in eq.q], np.zeros(12)
    M, Phi_q = eq.lambdify("M", "Phi_q")(0.0, q, v)
    assert M.shape == (12, 12) and Phi_q.shape == (10, 12)
    with refused("missing-argument", argument="turns", names=["tau3_2"]):
        eq.lambdify("Q")(0.0, q, v)
    with refused("wrong-shape", argument="q", shape=[12], wanted=[14]):
        eq.lambdify("M")(0.0, v, v)
    with refused("unknown-name", kind="parameter", name="R"):
        eq.lambdify("Phi_q")(0.0, q, v, parameters={"R": 1.0})
    with refused("unknown-name", kind="matrix", name="K"):
        eq.lambdify("K")
