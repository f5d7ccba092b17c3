"""Rests under constant forces and torques: they are stable by energies written here, in angles alone."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from refusals import refused

import mbs_dae as mbs

G = 9.81
SETS = ["cartesian", "natural", "joint"]


def pendulum(*loads):
    """A rod of 1 kg and 1 m on a pin, held at its lower end; its angle counts from the horizontal."""
    model = mbs.PlanarModel("pendulum", gravity=(0, -G))
    rod = model.link("rod", (0, 0), (0, 1), mass=1.0)
    model.add(mbs.Revolute("pin", model.ground, rod.tail))
    model.add(*(load(model, rod) for load in loads))
    return model


def force(x, y, axes="world"):
    return lambda model, rod: mbs.Force("push", rod.head, (x, y), axes=axes)


def torque(value):
    return lambda model, rod: mbs.Torque("moment", model.elements["pin"], value)


def far_floor(model, rod):
    return mbs.Contact("floor", mbs.Line(model.ground.at(0, -5)), mbs.Point(rod.head), friction=0.2)


STARTS = [-3.0, -1.5, 0.0, 1.3, 1.36, 1.37, 1.4, 1.5, 1.57, 1.6, 1.7, 2.2, 2.5, 3.0]


@pytest.mark.parametrize("beside", [(), (far_floor,)])
@pytest.mark.parametrize("start", STARTS)
def test_a_pendulum_comes_to_its_stable_rest(start, beside):
    pushed = mbs.equilibrium(pendulum(force(3.0, 0.0), *beside), {"rod.angle": start})
    down = np.arctan2(-G / 2, 3.0)  # the direction of weight at the middle and force at the head
    assert pushed.stable and abs(np.remainder(pushed["rod.angle"] - down + 1, 2 * np.pi) - 1) < 1e-12
    top = np.arccos(2 / G)  # T = m g L/2 · cos φ
    turned = mbs.equilibrium(pendulum(torque(1.0), *beside), {"rod.angle": start})
    assert turned.stable and abs(turned["rod.angle"] - (-top if start < top else 2 * np.pi - top)) < 1e-12


@pytest.mark.parametrize("beside", [(), (far_floor,)])
def test_a_torque_that_no_weight_balances_has_no_rest(beside):
    strongest = G / 2
    near = mbs.equilibrium(pendulum(torque(0.999 * strongest), *beside), {"rod.angle": 2.0})
    assert near.stable and abs(np.cos(near["rod.angle"]) - 0.999) < 1e-9 and np.sin(near["rod.angle"]) < 0
    with refused("no-equilibrium", mbs.EquilibriumError, model="pendulum"):
        mbs.equilibrium(pendulum(torque(1.001 * strongest), *beside), {"rod.angle": 2.0})


def test_a_start_right_on_an_unstable_rest_stays():
    top = np.arccos(2 / G)
    rest = mbs.equilibrium(pendulum(torque(1.0)), {"rod.angle": top})
    assert abs(rest["rod.angle"] - top) < 1e-12 and not rest.stable


def test_a_descent_that_meets_a_saddle_leaves_it():
    """A rod stands on its pin, and no force moves it while a ring beside it comes to rest on a spring."""
    model = mbs.PlanarModel("standing", gravity=(0, -G))
    rod = model.link("rod", (0, 0), (0, 1), mass=1.0)
    ring = model.body("ring", mass=0.5, inertia=0.01, position=(0.3, 1.4))
    model.add(
        mbs.Revolute("pin", model.ground, rod.tail),
        mbs.Spring("spring", model.ground.at(0, 2), ring, stiffness=100, length=0),
        mbs.TorsionSpring("level", model.ground, ring, stiffness=1.0),
    )
    rest = mbs.equilibrium(model)
    assert rest.stable and abs(rest["rod.angle"] % (2 * np.pi) - 1.5 * np.pi) < 1e-9
    np.testing.assert_allclose([rest["ring.x"], rest["ring.y"]], [0, 2 - 0.5 * G / 100], atol=1e-12)


def slopes(energy, closure, x):
    """The gradient and the Hessian of an energy along closure(x) = 0, by differences in coordinates of its tangent."""
    h = 1e-4

    def jacobian(x):
        units = 1e-6 * np.eye(x.size)
        return np.array([(closure(x + u) - closure(x - u)) / 2e-6 for u in units]).T.reshape(-1, x.size)

    J = jacobian(x)
    free = np.linalg.svd(J)[2][np.linalg.matrix_rank(J) :].T if J.size else np.eye(x.size)

    def at(y):
        there = x + free @ y
        for _ in range(6 if J.size else 0):
            there = there - np.linalg.lstsq(jacobian(there), closure(there), rcond=None)[0]
        return energy(there)

    n = free.shape[1]
    units = h * np.eye(n)
    gradient = np.array([(at(u) - at(-u)) / (2 * h) for u in units])
    hessian = np.array([[(at(u + w) - at(u - w) - at(w - u) + at(-u - w)) / (4 * h * h) for w in units] for u in units])
    return gradient, hessian


def chain(random):
    """Two rods on each other, with a force at the end and torques on both."""
    a, b = random.uniform(0.2, 1.0, 2)
    m1, m2 = random.uniform(0.2, 2.0, 2)
    F, T1, T2 = random.normal(size=2) * 8, random.normal() * 2, random.normal() * 0.5
    model = mbs.PlanarModel("chain", gravity=(0, -G))
    one, two = model.link("one", (0, 0), (a, 0), mass=m1), model.link("two", (a, 0), (a + b, 0), mass=m2)
    model.add(
        mbs.Revolute("A", model.ground, one.tail), mbs.Revolute("B", one.head, two.tail),
        mbs.Force("F", two.head, tuple(F)), mbs.Torque("T1", one, T1), mbs.Torque("T2", one, two, T2),
    )  # fmt: skip

    def energy(x):
        e, f = np.exp(1j * x)
        ends = a * e + b * f
        weights = m1 * G * a * e.imag / 2 + m2 * G * (a * e + b * f / 2).imag
        return weights - F[0] * ends.real - F[1] * ends.imag - T1 * x[0] - T2 * (x[1] - x[0])

    start = {"one.angle": random.uniform(-3, 3), "two.angle": random.uniform(-3, 3)}
    return model, ("one", "two"), energy, lambda x: np.zeros(0), start


def four_bar(random):
    """With a force on the coupler and torques on crank and rocker."""
    while True:
        a, b, c, d = random.uniform(0.2, 1.0, 4)
        sides = np.sort([a, b, c, d])
        if sides[3] < 0.95 * sides[:3].sum() and abs(sides[0] + sides[3] - sides[1] - sides[2]) > 0.03:
            break
    m1, m2, m3 = random.uniform(0.2, 2.0, 3)
    F, T1, T3 = random.normal(size=2) * 10, random.normal(), random.normal()
    while True:  # a pose by the law of cosines
        phi = random.uniform(-np.pi, np.pi)
        A = a * np.exp(1j * phi)
        far = abs(d - A)
        if abs(b - c) < far < b + c:
            break
    turn = random.choice([-1, 1]) * np.arccos((b * b + far * far - c * c) / (2 * b * far))
    B = A + b * np.exp(1j * (np.angle(d - A) + turn))
    points = {"O": (0, 0), "A": (A.real, A.imag), "B": (B.real, B.imag), "D": (d, 0)}
    model = mbs.PlanarModel("four-bar", gravity=(0, -G))
    one = model.link("one", points["O"], points["A"], mass=m1)
    two = model.link("two", points["A"], points["B"], mass=m2)
    three = model.link("three", points["D"], points["B"], mass=m3)
    model.add(
        mbs.Revolute("O", model.ground, one.tail), mbs.Revolute("A", one.head, two.tail),
        mbs.Revolute("B", two.head, three.head), mbs.Revolute("D", model.ground.at(d, 0), three.tail),
        mbs.Force("F", two, tuple(F)), mbs.Torque("T1", model.ground, one, T1), mbs.Torque("T3", three, T3),
    )  # fmt: skip

    def energy(x):
        e, f, g = np.exp(1j * x)
        middle = a * e + b * f / 2
        weights = G * (m1 * a * e.imag / 2 + m2 * middle.imag + m3 * c * g.imag / 2)
        return weights - F[0] * middle.real - F[1] * middle.imag - T1 * x[0] - T3 * x[2]

    def closure(x):
        gap = a * np.exp(1j * x[0]) + b * np.exp(1j * x[1]) - c * np.exp(1j * x[2]) - d
        return np.array([gap.real, gap.imag])

    return model, ("one", "two", "three"), energy, closure, None


def slider_crank(random):
    """With a force and a cylinder on the slider, and a torque on the crank."""
    a = random.uniform(0.1, 0.5)
    b = a * random.uniform(1.2, 3.0)
    m1, m2, m3 = random.uniform(0.2, 2.0, 3)
    F, P, T = random.normal() * 20, random.normal() * 20, random.normal() * 0.3
    phi = random.uniform(-np.pi, np.pi)
    A = a * np.exp(1j * phi)
    B = A.real + np.sqrt(b * b - A.imag**2)
    model = mbs.PlanarModel("slider-crank", gravity=(0, -G))
    one = model.link("one", (0, 0), (A.real, A.imag), mass=m1)
    two = model.link("two", (A.real, A.imag), (B, 0), mass=m2)
    slider = model.body("slider", mass=m3, inertia=0.01, position=(B, 0))
    pin, guide = mbs.Revolute("O", model.ground, one.tail), mbs.Translational("guide", model.ground, slider)
    model.add(
        pin, mbs.Revolute("A", one.head, two.tail), mbs.Revolute("B", two.head, slider), guide,
        mbs.Force("F", slider, (F, 0)), mbs.Torque("T", pin, T), mbs.Actuator("P", guide, P),
    )  # fmt: skip

    def energy(x):
        e, f = np.exp(1j * x)
        weights = G * (m1 * a * e.imag / 2 + m2 * (a * e + b * f / 2).imag)
        return weights - (F + P) * (a * e + b * f).real - T * x[0]

    def closure(x):
        return np.array([a * np.sin(x[0]) + b * np.sin(x[1])])

    return model, ("one", "two"), energy, closure, None


def check_at_random(seed):
    """Whether a mechanism at random comes to a rest, which is stable then."""
    random = np.random.default_rng(seed)
    model, links, energy, closure, start = (chain, four_bar, slider_crank)[seed % 3](random)
    try:
        rest = mbs.equilibrium(model, start)
    except mbs.EquilibriumError as error:
        assert "nothing may hold it" in str(error)
        return None
    x = np.array([rest[f"{link}.angle"] for link in links])
    gradient, hessian = slopes(energy, closure, x)
    size = np.abs(hessian).max()
    np.testing.assert_allclose(gradient, 0, atol=1e-6 * size)
    assert np.linalg.eigvalsh(hessian).min() > 0 and rest.stable
    assert abs(rest.potential - energy(x)) < 1e-9 * (1 + abs(energy(x)))
    return rest


@pytest.mark.parametrize("seed", range(12))
def test_rests_at_random_are_stable(seed):
    rest = check_at_random(seed)
    for coordinates in SETS if rest else ():
        assert mbs.linearize(rest.state.system.model.compile(coordinates), rest.state).stable


def test_rests_of_a_lap_alternate_and_stand_in_the_order_of_all_work():
    """A force of 3 N across: V = m g L/2 sin φ - 3 N · L cos φ; work over a lap is none."""
    rests = mbs.equilibrium(pendulum(force(3.0, 0.0)), all=True)
    size = np.hypot(G / 2, 3.0)
    assert rests.complete and [one.stable for one in rests] == [True, False]
    np.testing.assert_allclose([one.potential for one in rests], [-size, size], rtol=1e-12)


def test_a_force_may_turn_the_order_of_rests():
    """A stiff spring from above holds the rod left or right: with the work of a push the well on its side is lower."""

    def prop(model, rod):
        return mbs.Spring("prop", model.ground.at(0, 2), rod.head, stiffness=500, length=1.6)

    for push in (-2.0, 2.0):
        rests = mbs.equilibrium(pendulum(prop, force(push, 0.0)), all=True)
        assert [one.stable for one in rests] == [True, True, False, False]
        assert rests[0]["rod.head.x"] * push > 0 > rests[1]["rod.head.x"] * push
        for one in rests:
            x, y = one["rod.head.x"], one["rod.head.y"]
            assert abs(one.potential - (G * y / 2 + 250 * (np.hypot(x, y - 2) - 1.6) ** 2 - push * x)) < 1e-9


def test_a_torque_has_no_order_over_turns():
    rests = mbs.equilibrium(pendulum(torque(1.0)), all=True)
    assert rests.complete and [one.stable for one in rests] == [True, False]
    assert "do work on every turn (moment)" in rests.message
    for one in rests:
        assert abs(one.potential - (G / 2 * np.sin(one["rod.angle"]) - one["pin.angle"])) < 1e-12


def test_a_force_that_follows_has_no_potential():
    model = pendulum(force(1.0, 2.0, axes="body"))
    rest = mbs.equilibrium(model)
    assert rest.stable and abs(G / 2 * np.cos(rest["rod.angle"]) - 2.0) < 1e-12
    with refused("no-potential", loads=["push"]):
        rest.potential  # noqa: B018
    assert "no potential" in repr(rest)
    rests = mbs.equilibrium(model, all=True)
    assert rests.complete and [one.stable for one in rests] == [True, False]
    assert "have no potential (push)" in rests.message


def test_potentials_of_laws():
    """A pull by e^d, a torque by -3 φ, a cylinder of 5 N, a spring whose law is a table, an input of 2 N upwards."""
    model = pendulum()
    rod, pin, wall = model.bodies["rod"], model.elements["pin"], model.ground.at(2, 0)
    lift, head = model.input("lift", 2.0), rod.at(0.5, 0)
    table = mbs.Table([0, 1, 2, 3, 4], [0, 0.5, 1, 1.5, 2])
    model.add(
        mbs.Spring("stiffening", wall, head, law=sp.exp(mbs.length)),
        mbs.Torque("turn", pin, -3 * model["pin.angle"] - model["pin.omega"]),
        mbs.Actuator("cylinder", wall, head, 5.0), mbs.Spring("rubber", wall, head, law=table),
        mbs.Force("lifts", head, (0, lift)),
    )  # fmt: skip
    rest = mbs.equilibrium(model)
    d = np.hypot(rest["rod.x"] * 2 - 2, rest["rod.y"] * 2)
    placed = np.hypot(2.0, 1.0)
    expected = G * rest["rod.y"] + np.exp(d) - np.exp(placed) + 1.5 * rest["pin.angle"] ** 2 - 5 * d
    expected += (d * d - placed * placed) / 4 - 2 * 2 * rest["rod.y"]
    assert rest.stable and abs(rest.potential - expected) < 1e-9


def test_rests_in_space():
    """A rod on a ball joint turns to the sum of its weight at the middle and a force at its end. A door on a hinge
    rests under a constant moment in world axes, which has no potential in space."""
    model = mbs.SpatialModel("rods", gravity=(0, 0, -G))
    rod = model.body("rod", mass=1.0, inertia=(0.01, 0.08, 0.08), position=(0.5, 0, 0))
    model.add(mbs.Spherical("ball", model.ground, rod.at(-0.5, 0, 0)))
    model.add(mbs.Force("pull", rod.at(0.5, 0, 0), (0, 3.0, 1.0)))
    rest = mbs.equilibrium(model)
    sum_of_all = np.array([0, 3.0, 1.0 - G / 2])
    place = np.array([rest["rod.x"], rest["rod.y"], rest["rod.z"]])
    np.testing.assert_allclose(place, sum_of_all / np.linalg.norm(sum_of_all) / 2, atol=1e-9)
    assert abs(rest.potential + np.linalg.norm(sum_of_all)) < 1e-9

    model = mbs.SpatialModel("door", gravity=(0, 0, -G))
    rod = model.body("rod", mass=1.0, inertia=(0.01, 0.08, 0.08), position=(0.5, 0, 0))
    along = {"axis": (0, 1, 0), "x_axis": (1, 0, 0)}
    model.add(mbs.Revolute("hinge", model.ground.at(0, 0, 0, **along), rod.at(-0.5, 0, 0, **along)))
    model.add(mbs.Wrench("moment", rod, moment=(0, 2.0, 0)))
    rest = mbs.equilibrium(model)
    assert rest.stable and rest["rod.z"] < 0 and abs(G * rest["rod.x"] + 2.0) < 1e-9
    assert "no potential" in repr(rest)


@pytest.mark.soak
def test_most_of_many_at_random_rest():
    found = [check_at_random(seed) for seed in range(12, 120)]
    assert sum(one is not None for one in found) > 60
