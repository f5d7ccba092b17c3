"""The slopes of kernels of contacts between all pairs of shapes, of friction, and of states and inputs, in 40 digits.

As in `test_slopes`: along random directions of places, velocities and time, and of the numbers in slots.
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import pytest
import sympy as sp
from test_contact_contract import CURVE, bodies
from test_friction_contract import SLIPS, joint_of
from test_slopes import check

import mbs_dae as mbs
from mbs_dae.model.contacts import shapes

SOAK = pytest.mark.soak
CORNERS = {
    2: [(-0.2, -0.25), (0.4, -0.1), (-0.1, 0.3)],
    3: [(0.4, 0, -0.1), (-0.2, 0.3, 0), (-0.3, -0.25, 0.1), (0, 0, 0.5)],
}
SIZE = {2: (0.5, 0.3), 3: (0.5, 0.3, 0.4)}
SHAPES: dict[str, tuple[tuple[int, ...], Any]] = {
    "Point": ((2, 3), lambda m, d: mbs.Point(m)),
    "Disk": ((2,), lambda m, d: mbs.Disk(m, 0.3)),
    "Disk inside": ((2,), lambda m, d: mbs.Disk(m, 2.5, inside=True)),
    "Sphere": ((3,), lambda m, d: mbs.Sphere(m, 0.3)),
    "Sphere inside": ((3,), lambda m, d: mbs.Sphere(m, 2.5, inside=True)),
    "Capsule": ((2, 3), lambda m, d: mbs.Capsule(m, 0.8, 0.2)),
    "Box": ((2, 3), lambda m, d: mbs.Box(m, SIZE[d])),
    "Box rounded": ((2, 3), lambda m, d: mbs.Box(m, SIZE[d], radius=0.05)),
    "Polygon": ((2, 3), lambda m, d: mbs.Polygon(m, CORNERS[d])),
    "Polygon rounded": ((2,), lambda m, d: mbs.Polygon(m, CORNERS[d], radius=0.03)),
    "Line": ((2,), lambda m, d: mbs.Line(m)),
    "Plane": ((3,), lambda m, d: mbs.Plane(m)),
    "Profile": ((2, 3), lambda m, d: mbs.Profile(m, CURVE)),
}


def test_every_shape_of_the_package_is_here():
    own = {cls.__name__ for cls in vars(shapes).values() if isinstance(cls, type) and issubclass(cls, shapes.Shape)}
    assert own - {"Shape", "Round"} == {name.split()[0] for name in SHAPES}


def pairs() -> list[Any]:
    """All that may meet, as `check_pair` says it."""
    found = []
    for d in (2, 3):
        here = [name for name, (dimensions, _) in SHAPES.items() if d in dimensions]
        for first, second in combinations_with_replacement(here, 2):
            _, (a, b) = bodies(d)
            try:
                shapes.check_pair(SHAPES[first][1](a, d), SHAPES[second][1](b, d), "it")
            except mbs.ModelError:
                continue
            found.append(pytest.param(first, second, d, id=f"{first}, {second}, {d}"))
    return found


QUICK = {
    ("Point", "Line", 2), ("Disk inside", "Capsule", 2), ("Box", "Line", 2), ("Point", "Profile", 2),
    ("Box", "Plane", 3),
}  # fmt: skip
"""Pairs without branches: what decides between those (of polygons, of tangents in space) is an output, too, which has
no slopes."""


def of_all_pairs() -> list[Any]:
    found = pairs()
    assert {case.values for case in found} > QUICK
    return [case for case in found if case.values in QUICK]


def check_contacts(model: Any, d: int, apart: float = 0.8) -> None:
    system = model.compile()
    random = np.random.default_rng(d)
    way = random.uniform(-0.3, 0.3, system.nv) + np.repeat([0.0, apart], system.nv // 2)
    q, v = system.moved(system.placement, way), system.still
    v[: system.nv] = random.uniform(-1, 1, system.nv)
    builder, contacts = system.structure.contacts.program.batch, system.structure.contacts
    assert check(system, builder, builder.fill(system.evaluator), 0.4, q, v)
    if contacts.bounds.instances:
        check(system, contacts.bounds, contacts.bounds.fill(system.evaluator), 0.4, q, v)


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize(("first", "second", "d"), of_all_pairs())
def test_slopes_of_a_pair_of_shapes(first, second, d):
    model, (a, b) = bodies(d)
    pair = SHAPES[first][1](a.at(*(0.1, 0.05, -0.1)[:d]), d), SHAPES[second][1](b.at(*(0.2, -0.1, 0.3)[:d]), d)
    model.add(mbs.Contact("c", *pair, friction=0.2))
    check_contacts(model, d)


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize(("name", "d"), [case if case[1] == 2 else pytest.param(*case, marks=SOAK) for case in SLIPS])
def test_slopes_of_friction_in_a_joint(name, d):
    """What slips, and a coefficient that depends on it."""
    model, joint = joint_of(name, d)
    radius = {} if name == "Translational" else {"radius": 0.2}
    model.add(mbs.Friction("rub", joint, mu=lambda s: 0.3 / (1 + s**2), **radius))
    check_contacts(model, d)


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("d", [2, pytest.param(3, marks=SOAK)])
def test_slopes_of_dry_friction(d):
    """A bound of a parameter, the speed, time and other quantities."""
    model, (a, b) = bodies(d)
    F = model.parameter("F", 4.0)
    bound = F * (1 + sp.exp(-(model["b.vx"] ** 2))) * (2 + sp.cos(mbs.t)) / (1 + mbs.speed)
    model.add(mbs.DryFriction("rub", mbs.distance(a, b), force=bound))
    check_contacts(model, d)


@pytest.mark.usefixtures("interpreted_kernels")
def test_slopes_of_a_stop():
    """Its gaps are a measure, whose slopes drivers show, and a number."""
    model, (a, b) = bodies(2)
    model.add(mbs.Stop("stop", mbs.distance(a, b), lower=0.1, upper=9.0))
    check_contacts(model, 2)


# --- states, inputs, what is read of reactions ------------------------------------------------------------------------


def arm(d: int) -> Any:
    model: Any = mbs.PlanarModel("arm") if d == 2 else mbs.SpatialModel("arm")
    rod = model.body("rod", mass=1.0, inertia=0.01 if d == 2 else (0.01, 0.02, 0.03))
    pin = model.add(mbs.Revolute("A", model.ground, rod.at(*(0.1, 0.2, 0.1)[:d])))
    tip = mbs.x(rod.at(*(0.5, 0.2, 0.1)[:d]))
    k, table = model.parameter("k", 2.0), mbs.Table([0, 0.3, 0.7, 1], [0, 1, -0.5, 2], kind="cubic")
    model.add(mbs.Driver("motor", tip, 0.1 * mbs.t))
    u = model.input("u", k * sp.sin(3 * k * mbs.t) + table(mbs.t))
    y = model.state("y", rate=lambda y: k * (sp.sin(model["A.angle"] + 0.3) - y) * model["A.omega"] ** 2 + u)
    model.state("lagged", rate=lambda x: k * (model["motor.effort"] + model["A.Fx"] ** 2 - x * y))
    model.add(mbs.Torque("turn", pin, y**2 * sp.cos(k * mbs.t) + u))
    return model


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize(
    ("coordinates", "d"), [("cartesian", 2), ("natural", 2), ("cartesian", 3), pytest.param("natural", 3, marks=SOAK)]
)
def test_slopes_of_states_and_inputs(d, coordinates):
    """Of their rates, of laws of time and what these change by, and of what is read of reactions."""
    system = arm(d).compile(coordinates)
    random = np.random.default_rng(d)
    q = system.moved(system.placement, random.uniform(-0.2, 0.2, system.nv))
    q[list(system.layout.signals.values())] = random.uniform(0.5, 1, len(system.layout.signals))
    v = np.where(np.arange(system.layout.v_size) < system.nv, random.uniform(-1, 1, system.layout.v_size), 0.0)
    signals, number = system.structure.signals, system.evaluator
    for part in (signals.inputs, signals.drifts, signals.rates, signals.late, signals.reactions):
        assert part.batch.instances
        check(system, part.batch, part.batch.fill(number), 0.4, q, v)
    assert check(system, signals.inputs.batch, signals.inputs.batch.fill(number), 0.4, q, v)
    dynamics = system.structure.dynamics.batch
    assert check(system, dynamics, system.dynamics.batch, 0.4, q, v)
