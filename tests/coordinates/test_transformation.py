"""What the compiled core makes of rows, masses and forces in joint coordinates, against matrices: Φ_u R, γ - Φ_u β,
Rᵀ M R and Rᵀ (Q - M β), with R and β = Ṙ ẋ by differences of the recursion. For every model of the gallery."""

from functools import cache

import numpy as np
import pytest
from gallery import NAMES, load

import mbs_dae as mbs
from mbs_dae.compiled.machine import observe
from mbs_dae.compiled.masses import mass_matrix
from mbs_dae.motion.derivative import evaluate
from mbs_dae.motion.mechanism import mechanism


@cache
def systems(name):
    model = load(name).build()
    return model.compile("joint"), model.compile()


def somewhere(joint, seed):
    """A pose near the placement (loops may be open) and any velocities."""
    random = np.random.default_rng(seed)
    size = 0.2 / np.sqrt(joint.weight)
    step, x = size * random.standard_normal((2, joint.nv))
    return joint.moved(joint.placement, step), x


def velocities(joint, q, x):
    """Of bodies, where those of joints are x."""
    return joint.to_bodies((q[None], x[None], 0.0 * x[None]))[1][0]


def transformation(joint, q, x):
    """R, and β by recursion."""
    R = np.stack([velocities(joint, q, e) for e in np.eye(joint.nv)], axis=1)
    return R, joint.to_bodies((q[None], x[None], 0.0 * x[None]))[2][0]


def close(found, expected, tolerance=1e-10):
    assert np.abs(found - expected).max(initial=0.0) <= tolerance * max(np.abs(expected).max(initial=0.0), 1.0)


@pytest.mark.parametrize("name", NAMES)
def test_rows(name):
    joint, bodies = systems(name)
    kept = [k for k, row in enumerate(bodies.rows) if row in joint.rows]
    assert [bodies.rows[k] for k in kept] == list(joint.rows)
    for seed in range(2):
        q, x = somewhere(joint, seed)
        R, bias = transformation(joint, q, x)
        qc, u, _ = (part[0] for part in joint.to_bodies((q[None], x[None], 0.0 * x[None])))
        machine, plain = joint.machine(), bodies.machine()
        observe(machine, 0.3, q, x)
        observe(plain, 0.3, qc, u)
        jacobian = np.zeros((len(joint.rows), joint.nv))
        jacobian[joint.pattern.jac_row, joint.pattern.jac_column] = machine.factor.jacobian
        rows = bodies.jacobian(0.3, qc).toarray()[kept]
        n = bodies.nv
        close(jacobian, rows @ R[:n])
        close(machine.phi, plain.phi[kept])
        close(machine.nu, plain.nu[kept])
        close(machine.gamma, plain.gamma[kept] - rows @ bias[:n])


@pytest.mark.parametrize("name", NAMES)
def test_masses_and_forces(name):
    joint, bodies = systems(name)
    q, x = somewhere(joint, 5)
    R, bias = transformation(joint, q, x)
    qc, u, _ = (part[0] for part in joint.to_bodies((q[None], x[None], 0.0 * x[None])))
    here, there = mechanism(joint), mechanism(bodies)
    evaluate(here, 0.3, q, x)
    evaluate(there, 0.3, qc, u)
    M, n = mass_matrix(bodies, there.machine).toarray(), bodies.nv
    close(mass_matrix(joint, here.machine).toarray(), R[:n].T @ M @ R[:n])
    close(here.machine.f, R[:n].T @ (there.machine.f - M @ bias[:n]))


@pytest.mark.parametrize("name", NAMES)
def test_bias_is_the_rate_of_R(name):
    """β = Ṙ ẋ, from poses a little before and after."""
    joint, _ = systems(name)
    q, x = somewhere(joint, 7)
    h, bias = 1e-5, transformation(joint, q, x)[1]
    before, after = (velocities(joint, joint.moved(q, sign * h * x), x) for sign in (-1, 1))
    close((after - before) / (2 * h), bias, 1e-6)


def pendulum(place, first, second):
    """Two uniform bars of 1 kg, one hanging at the other."""
    model = mbs.PlanarModel(gravity=(0, -9.81))
    x, y = place
    corner = (x + first * np.cos(0.4), y + first * np.sin(0.4))
    for name, at, length, angle in (("a", (x, y), first, 0.4), ("b", corner, second, -0.7)):
        model.body(name, mass=1.0, inertia=length**2 / 12, position=at, angle=angle, com=(length / 2, 0))
    a, b = model.bodies.values()
    model.add(mbs.Revolute("A", model.ground.at(x, y), a.at(0, 0)), mbs.Revolute("B", a.at(first, 0), b.at(0, 0)))
    return model


def accelerations(model, coordinates):
    start = mbs.simulate(model.compile(coordinates), [0.0, 1e-9], {"a.omega": 0.3, "b.omega": 0.2})
    return np.array([start["a.alpha"][0], start["b.alpha"][0]])


def by_hand(l1, l2):
    """α of both bars from the equations of the double pendulum in absolute angles."""
    c, s = np.cos(1.1), np.sin(1.1)
    M = np.array([[l1**2 * 4 / 3, l1 * l2 * c / 2], [l1 * l2 * c / 2, l2**2 / 3]])
    f1 = -1.5 * 9.81 * l1 * np.cos(0.4) - l1 * l2 * s / 2 * 0.2**2
    f2 = -0.5 * 9.81 * l2 * np.cos(0.7) + l1 * l2 * s / 2 * 0.3**2
    return np.linalg.solve(M, [f1, f2])


@pytest.mark.parametrize("lengths", [(1.0, 1.0), (1e3, 1e-3), (1e6, 1e-6)])
def test_a_small_body_on_a_large_one_is_not_lost(lengths):
    np.testing.assert_allclose(accelerations(pendulum((0, 0), *lengths), "joint"), by_hand(*lengths), rtol=1e-9)


@pytest.mark.parametrize("far", [1e3, 1e6])
def test_a_mechanism_far_from_the_origin_is_the_same(far):
    """Roundoff of places is relative to the distance: it comes in once, not by its square."""
    near = by_hand(1.0, 0.5)
    found = accelerations(pendulum((far, -2 * far), 1.0, 0.5), "joint")
    np.testing.assert_allclose(found, near, rtol=1e-14 * far)
