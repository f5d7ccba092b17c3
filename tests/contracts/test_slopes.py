"""The slopes of all kernels are the derivatives of what kernels compute.

Every registered joint, driver and force, in the plane and in space, in Cartesian and in natural coordinates, at random
states: the source of a kernel is run in 40 digits on both sides along a random direction, of places, velocities and
time, or of the numbers in slots, and the difference must be what the kernel of the slopes says.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Any

import many_digits
import mpmath
import numpy as np
import pytest
import sympy as sp
from covering import covering, kind_of, parts_of_a_contract
from helpers import evaluated_loads
from stage import motions
from test_contact_contract import CASES as CONTACTS
from test_contact_contract import MADE, bodies
from test_force_contract import CASES
from test_joint_contract import (
    CONSTRAINTS,
    DRIVERS,
    JOINTS,
    POSES,
    constraint_case,
    driver_case,
    joint_case,
    parts_of_a_driver,
    pose_case,
)

import mbs_dae as mbs
from mbs_dae.compiled.batch import VALUE, Batch, BatchBuilder, evaluate
from mbs_dae.compiled.derivatives import derivative_matrix
from mbs_dae.compiled.machine import observe
from mbs_dae.compiled.slopes import SlopesBuilder, entries_of, slopes_in
from mbs_dae.model.tables import TableSymbol

CLOSE, EXACT = 1e-8, 1e-10
"""How well derivatives agree with extrapolated differences, and with those in 40 digits, relative to the largest."""


def differences(f: Callable[[float], np.ndarray], h: float = 3e-4) -> np.ndarray:
    """f'(0) by central differences over h, h/2 and h/4, extrapolated."""
    coarse, middle, fine = ((f(s) - f(-s)) / (2 * s) for s in (h, h / 2, h / 4))
    first, second = (4 * middle - coarse) / 3, (4 * fine - middle) / 3
    return (16 * second - first) / 15


def outputs(batch: Batch, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    out = np.zeros(batch.out_size + 1)
    evaluate(batch, VALUE, t, q, v, out)
    return out[:-1]


def check(system: Any, builder: BatchBuilder, values: Batch, t: float, q: np.ndarray, v: np.ndarray) -> int:
    """How many outputs depend on the state."""
    random = np.random.default_rng(len(builder.instances))
    move, change = (np.where(np.arange(v.size) < system.nv, random.uniform(-1, 1, v.size), 0.0) for _ in range(2))
    other = np.where(numbers_of(builder), random.uniform(-0.1, 0.1, values.parameters.size), 0.0)
    slopes = slopes_in(system.structure, builder, True)
    read, nothing = outputs(slopes.fill(values), t, q, v), np.zeros(2 * v.size + 1)
    tangent = np.concatenate([move, change, [1.0], 0 * other])
    counted = 0
    for way in (tangent, np.concatenate([nothing, other])):
        found, expected = along(slopes, read, way), in_40_digits(system, values, t, q, v, way)
        expected[values.slope_at] = 0.0  # outputs that are slopes of switching functions: no one reads their slopes
        scale = np.maximum(1.0, np.abs(expected).max(initial=0.0))
        np.testing.assert_allclose(found / scale, expected / scale, rtol=0, atol=EXACT)
        counted += np.count_nonzero(np.abs(expected) > 1e-6 * scale)
    return counted


def in_40_digits(system: Any, values: Batch, t: float, q: np.ndarray, v: np.ndarray, way: np.ndarray) -> np.ndarray:
    """The derivatives of all outputs along a direction of (x | v | t | numbers)."""
    move, change, (rate,), other = np.split(way, [v.size, 2 * v.size, 2 * v.size + 1])
    turned = differences(lambda s: system.moved(q, s * move[: system.nv]), h=1e-2)

    def at(s: Any) -> list[Any]:
        time = mpmath.mpf(t) + s * float(rate)
        return many_digits.outputs(
            values,
            time,
            many_digits.moved(q, turned, s),
            many_digits.moved(v, change, s),
            many_digits.moved(values.parameters, other, s),
        )

    return many_digits.derivatives(at)


def numbers_of(builder: BatchBuilder) -> np.ndarray:
    """Which slots hold numbers; others say where a table begins, or which branch is held."""
    given = [
        builder.instances[member].slots.get(name)
        for group in builder.groups
        for member in group.members
        for name in group.kernel.layout["slots"]
    ]
    return np.array([*(one is not None and not isinstance(one, TableSymbol) for one in given), False])


def along(slopes: SlopesBuilder, read: np.ndarray, way: np.ndarray) -> np.ndarray:
    """The derivatives of all outputs of a batch along a direction of (x | v | t | numbers)."""
    found = np.zeros(slopes.values.out_size)
    for _, entries in entries_of(slopes):
        for e in entries:
            found[e.output] += read[e.source] * way[e.by]
    return found


def check_element(case: Any, coordinates: str, dynamic: bool) -> None:
    system = case.stage.model.compile(coordinates)
    (motion,) = motions(case.stage, 1)
    q, v, _ = (x[0] for x in system.from_bodies((motion.q0[None], motion.v0[None], motion.a0[None])))
    own = system.structure
    assert check(system, own.program.batch, system.program.batch, motion.t0, q, v) or dynamic
    if dynamic:
        assert check(system, own.dynamics.batch, system.dynamics.batch, motion.t0, q, v)


def moving(cases: list[Any]) -> list[Any]:
    """Between bodies that all move: what stands still has derivatives, too, that nobody asks for."""
    return covering(in_both([case for case in cases if "all moving" in case.id]), parts_with_coordinates)


def in_both(cases: list[Any]) -> list[Any]:
    return [
        pytest.param(*case.values, coordinates, id=f"{case.id}, {coordinates}")
        for case in cases
        for coordinates in ("cartesian", "natural")
    ]


def parts_with_coordinates(case: Any) -> Iterator[Hashable]:
    """Tangents follow from the definitions of a kernel, one by one. In natural coordinates those of markers are others,
    and those of a class are the same: each kind of measure is shown in the plane and in space."""
    if case.values[-1] == "cartesian":
        yield from parts_of_a_contract(case)
    else:
        what, place, *_ = case.id.split(", ")
        yield "natural", what.split()[-1], kind_of(place)


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize(
    ("cls", "dimension", "name", "count", "chosen", "form", "where", "coordinates"), moving(JOINTS)
)
def test_slopes_of_a_joint(cls, dimension, name, count, chosen, form, where, coordinates):
    check_element(joint_case(cls, dimension, name, count, chosen, form, where), coordinates, dynamic=False)


def measured_by(case: Any) -> Iterator[Hashable]:
    """In natural coordinates each measure, and each form of a function."""
    *given, coordinates = case.values
    if coordinates == "cartesian":
        yield from parts_of_a_driver(pytest.param(*given))
    else:
        kind, _, form, _ = given
        yield from (("natural", kind), ("natural", form))


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize(("kind", "dimension", "form", "where", "coordinates"), covering(in_both(DRIVERS), measured_by))
def test_slopes_of_a_driver(kind, dimension, form, where, coordinates):
    check_element(driver_case(kind, dimension, form, where), coordinates, dynamic=False)


def poses() -> list[Any]:
    """Rotations in space take ten seconds and more each: of the six cases one stands for all."""
    turning = [case for case in in_both(POSES) if case.values[0] == 3 and "rotation" in case.values[1]]
    late = {case.id for case in turning if case.id != "position and rotation in space, parameters, cartesian"}
    return [
        pytest.param(*case.values, id=case.id, marks=[pytest.mark.soak] if case.id in late else [])
        for case in in_both(POSES)
    ]


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize(("dimension", "parts", "where", "coordinates"), poses())
def test_slopes_of_a_driver_of_a_pose(dimension, parts, where, coordinates):
    check_element(pose_case(dimension, parts, where), coordinates, dynamic=False)


@pytest.mark.parametrize("cases", [JOINTS, CASES], ids=["joints", "forces"])
def test_nothing_that_is_registered_is_left_out(cases):
    classes = {case.id.split(" ")[0] for case in cases}
    assert classes == {case.id.split(" ")[0] for case in moving(cases)}


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("coordinates", ["cartesian", pytest.param("natural", marks=pytest.mark.slow)])
@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("of", CONSTRAINTS, ids=lambda f: f.__name__)
def test_slopes_of_a_constraint(of, dimension, coordinates):
    check_element(constraint_case(of, False, dimension), coordinates, dynamic=False)


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize(("build", "arguments", "coordinates"), moving(CASES))
def test_slopes_of_a_force(build, arguments, coordinates):
    check_element(build(*arguments), coordinates, dynamic=True)


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize(("name", "dimension"), CONTACTS)
def test_slopes_of_a_contact(name, dimension):
    """Gaps, their rates and slips."""
    model, (a, b) = bodies(dimension)
    model.add(MADE[name](a, b.at(*(0.2, -0.1, 0.3)[:dimension])))
    system = model.compile()
    random = np.random.default_rng(dimension)
    q = system.moved(system.placement, random.uniform(-0.3, 0.3, system.nv) + np.repeat([0.0, 0.8], system.nv // 2))
    v = np.where(np.arange(system.layout.v_size) < system.nv, random.uniform(-1, 1, system.layout.v_size), 0.0)
    builder = system.structure.contacts.program.batch
    assert check(system, builder, builder.fill(system.evaluator), 0.4, q, v)


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("coordinates", ["cartesian", "natural"])
def test_slopes_of_the_rate_of_a_state(coordinates):
    model = mbs.PlanarModel("arm")
    rod = model.body("rod", mass=1.0, inertia=0.01)
    pin, k = model.add(mbs.Revolute("A", model.ground, rod.at(0.1, 0.2))), model.parameter("k", 2.0)
    y = model.state("y", rate=lambda y: k * (sp.sin(model["A.angle"] + 0.3) - y) * model["A.omega"] ** 2, initial=k / 4)
    model.add(mbs.Torque("turn", pin, y**2 * sp.cos(k * mbs.t)))
    system = model.compile(coordinates)
    v = np.where(np.arange(system.layout.v_size) < system.nv, 0.7, 0.0)
    assert check(system, system.structure.dynamics.batch, system.dynamics.batch, 0.4, system.placement, v)


def test_slopes_of_a_force_in_python_are_those_of_the_same_force_in_sympy():
    def pull(t, i, j):
        (x, y), (vx, vy) = (np.subtract(j.point, i.point), np.subtract(j.velocity, i.velocity))
        length = np.hypot(x, y)
        tension = 5 * (length - 0.4) + 0.3 * (x * vx + y * vy) / length
        fx, fy = tension / length * x, tension / length * y + np.sin(3 * t)
        return [(fx, fy), (-fx, -fy, 0.1 * np.cos(j.angle))]

    model = mbs.PlanarModel("two")
    a, b = (model.body(name, position=(x, 0.3), mass=1.0, inertia=1.0) for name, x in (("a", 0.0), ("b", 1.0)))
    one = model.plus(mbs.PythonForce("all", a.at(0.1, 0.2), b.at(0.3, -0.4), function=pull))
    other = model.plus(
        mbs.SpringDamper("spring", a.at(0.1, 0.2), b.at(0.3, -0.4), stiffness=5, damping=0.3, length=0.4),
        mbs.Force("up", a.at(0.1, 0.2), (0, sp.sin(3 * mbs.t))),
        mbs.Force("down", b.at(0.3, -0.4), (0, -sp.sin(3 * mbs.t))),
        mbs.Torque("twist", b, sp.cos(model["b.angle"]) / 10),
    )
    v = np.array([0.3, -0.5, 0.7, 0.2, 0.4, -0.6, 0.0, 0.0, 0.0])
    state = 0.3, np.array([0.1, 0.2, 0.3, 1.2, 0.4, -0.5, 0.0, 0.0, 0.0]), v, 0 * v, np.zeros(0)
    found, expected = (derivative_matrix(own.compile(), *state).toarray() for own in (one, other))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8 * np.abs(expected).max())


# --- the matrix by all coordinates -----------------------------------------------------------------------------------


def chain(dimension: int) -> Any:
    """Two bodies on a rolling, driven and sprung chain: rows of every kind, forces between bodies."""
    if dimension == 2:
        model: Any = mbs.PlanarModel("chain", gravity=(0.3, -9.81))
        a = model.body("a", position=(0.2, 0.1), angle=0.3, mass=1.2, inertia=0.4, com=(0.1, 0.3))
        b = model.body("b", position=(1.0, 0.7), angle=-0.4, mass=0.7, inertia=0.2)
    else:
        model = mbs.SpatialModel("chain", gravity=(0.3, -0.2, -9.81))
        turned = mbs.rotations.bryant(0.3, -0.2, 0.5)
        a = model.body(
            "a", position=(0.2, 0.1, 0.3), rotation=turned, mass=1.2, inertia=(0.4, 0.5, 0.3), com=(0.1, 0.3, 0)
        )
        b = model.body("b", position=(1.0, 0.7, -0.1), mass=0.7, inertia=(0.2, 0.1, 0.15))
    place = (0.4, -0.3, 0.2)[:dimension]
    model.add(
        mbs.Revolute("pin", a.at(*place), b.at(*place[::-1])),
        mbs.Constraint("blade", a, psi=lambda i: [i.y_axis.dot(i.velocity) - sp.sin(mbs.t)]),
        mbs.Constraint("rope", model.ground, b.at(*place), phi=lambda i, j: [j.point.dot(j.point) - 1 - mbs.t**2]),
        mbs.SpringDamper("spring", model.ground, b.at(*place[::-1]), stiffness=30.0, damping=2.0, length=0.4),
        mbs.TorsionSpring("torsion", a, b, stiffness=3.0, damping=0.4),
    )
    return model


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("coordinates", ["cartesian", "natural"])
def test_the_matrix_of_derivatives(dimension, coordinates):
    """F = M a + Φ_vᵀ λ - Q, Φ_v v - ν and Φ_v a - γ, differentiated by all coordinates, velocities and time,
    the factors a, λ and v held."""
    system = chain(dimension).compile(coordinates)
    random = np.random.default_rng(7)
    n, m = system.nv, len(system.rows)
    v, a = (
        np.where(np.arange(system.layout.v_size) < n, random.uniform(-1, 1, system.layout.v_size), 0.0) for _ in "va"
    )
    multipliers = random.uniform(-1, 1, m)
    t, q = 0.4, system.moved(system.placement, 0.3 * random.uniform(-1, 1, n))

    def equations(t: float, q: np.ndarray, changed: np.ndarray) -> np.ndarray:
        machine = system.machine(dynamic=True)
        observe(machine, t, q, changed)
        J, loads = system.jacobian(t, q).toarray(), evaluated_loads(system, t, q, changed)
        force = loads.mass @ a[:n] + J.T @ multipliers - loads.forces
        return np.concatenate([force, J @ v[:n] - machine.nu, J @ a[:n] - machine.gamma])

    found = derivative_matrix(system, t, q, v, a, multipliers).toarray()
    assert found.shape == (n + 2 * m, 2 * n + 1)
    for k, column in enumerate(found.T):
        unit = np.eye(2 * n + 1)[k]

        def moved(s: float, unit: np.ndarray = unit) -> np.ndarray:
            changed = v.copy()
            changed[:n] += s * unit[n:-1]
            return equations(t + s * unit[-1], system.moved(q, s * unit[:n]), changed)

        np.testing.assert_allclose(column, differences(moved), rtol=0, atol=CLOSE * np.abs(found).max())
