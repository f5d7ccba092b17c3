"""Whether a rest is stable, and at which frequencies it shakes: where K alone does not tell."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from refusals import refused

import mbs_dae as mbs


def cart(law) -> mbs.PlanarModel:
    """1 kg on a guide along x."""
    model = mbs.PlanarModel("cart")
    body = model.body("b", mass=1.0, inertia=1.0)
    model.add(mbs.Translational("guide", model.ground, body), mbs.Force("F", body, (law(model), 0)))
    return model


def links(P: float = 0.0) -> mbs.PlanarModel:
    """Two rods on torsion springs, and a load at their end that goes with the second one."""
    model = mbs.PlanarModel("links")
    P = model.parameter("P", P)
    a = model.link("a", (0, 0), (1, 0), mass=2.0)
    b = model.link("b", (1, 0), (2, 0), mass=1.0)
    angle = model["b.angle"]
    model.add(
        mbs.Revolute("A", model.ground, a.tail),
        mbs.Revolute("B", a.head, b.tail),
        mbs.TorsionSpring("ka", model.ground, a, stiffness=1.0),
        mbs.TorsionSpring("kb", a, b, stiffness=1.0),
        mbs.Force("load", b.head, (-P * sp.cos(angle), -P * sp.sin(angle))),
    )
    return model


FLUTTER = 4.0 - np.sqrt(44.0) / 5.0
"""det(K - w M) = 11/36 w² - (10/3 - 5/6 P) w + 1 with absolute angles: two equal roots w."""


@pytest.mark.parametrize("P", [0.0, 2.0, 2.5])
def test_a_load_that_follows_has_no_potential(P):
    rest = mbs.equilibrium(links(P))
    expected = np.sqrt(np.sort(np.roots([11 / 36, -(10 / 3 - 5 / 6 * P), 1.0])))
    np.testing.assert_allclose(rest.frequencies, expected, rtol=1e-10)
    assert rest.stable
    np.testing.assert_allclose(mbs.linearize(links(P), rest.state).frequencies, expected, rtol=1e-10)


def test_a_path_flutters_where_its_equilibria_do():
    path = mbs.equilibrium(links(), over=("P", [0.0, 1.0, 2.6, 2.8, 5.0]))
    np.testing.assert_array_equal(path.stable, path.values < FLUTTER)
    assert [one.stable for one in path.equilibria] == [True, True, True, False, False]


def test_a_spring_behind_a_lag():
    """s' = -50 (s + x), x'' = 100 s - 2 x'."""
    model = cart(lambda m: -2 * m["b.vx"])
    s = model.state("s", rate=lambda s: -50 * (s + model["b.x"]))
    model.add(mbs.Force("u", model.bodies["b"], (100 * s, 0)))
    rest, roots = mbs.equilibrium(model), np.roots([1.0, 52.0, 100.0, 5000.0])
    assert rest.frequencies == pytest.approx([np.abs(roots[roots.imag > 0][0])], rel=1e-9)
    assert rest.stable == (roots.real < 0).all()


@pytest.mark.parametrize(("c", "stable"), [(2.0, False), (0.0, True), (-2.0, True)])
def test_damping_that_gives_energy(c, stable):
    rest = mbs.equilibrium(cart(lambda m: -100 * m["b.x"] + c * m["b.vx"]))
    assert rest.stable is stable
    expected = np.roots([1.0, -c, 100.0])
    np.testing.assert_allclose(np.sort_complex(rest.law.eigenvalues), np.sort_complex(expected), atol=1e-12)


@pytest.mark.parametrize("law", [lambda m: 0 * m["b.x"], lambda m: -3 * m["b.vx"]])
@pytest.mark.parametrize("rate", [None, lambda z: -z])
def test_what_nothing_holds_is_not_stable(law, rate):
    model = cart(law)
    if rate is not None:
        model.state("z", rate=rate)
    assert not mbs.equilibrium(model).stable


def test_a_motion_that_fades_slowly_is_stable():
    """-1e6 v - 1e-3 x: the slow eigenvalue is 1e-15 of the fast one, and K decides."""
    assert mbs.equilibrium(cart(lambda m: -1e6 * m["b.vx"] - 1e-3 * m["b.x"])).stable
    assert not mbs.equilibrium(cart(lambda m: -1e6 * m["b.vx"] + 1e-3 * m["b.x"])).stable


def test_gyroscopic_forces_may_hold_what_falls():
    """x'' = x + g y', y'' = y - g x': stable for g > 2; K = -1."""
    for g, stable in ((1.9, False), (2.1, True)):
        model = mbs.PlanarModel("plane")
        body = model.body("b", mass=1.0, inertia=1.0)
        model.add(
            mbs.CoordinateFix("upright", body, "angle"),
            mbs.Force("F", body, (model["b.x"] + g * model["b.vy"], model["b.y"] - g * model["b.vx"])),
        )
        assert mbs.equilibrium(model).stable is stable


@pytest.mark.parametrize("coordinates", ["cartesian", "natural", "joint"])
def test_two_carts_that_are_free_together(coordinates):
    """Of which a spring and a damper between them see the distance only: (x₂ - x₁)'' = -2 (k s + c s')/m."""
    model = mbs.PlanarModel("carts")
    bodies = [model.body(name, mass=0.7, inertia=1.0, position=(x, 0)) for name, x in (("a", 0.0), ("b", 0.9))]
    for body in bodies:
        model.add(mbs.Translational(f"guide {body.name}", model.ground, body))
    model.add(mbs.SpringDamper("s", *bodies, stiffness=77.0, damping=0.3, length=0.9))
    law = mbs.linearize(model.compile(coordinates), {"a.vx": 0.0, "b.vx": 0.0})
    pair = np.roots([0.7, 0.6, 154.0])
    assert law.frequencies == pytest.approx([np.abs(pair[0])], rel=1e-12)
    np.testing.assert_array_equal(law.eigenvalues[:2], 0.0)  # of a chain, not blurred by roundoff
    assert not law.stable and not law.grows
    assert [abs(mode.shape["a.x"]) for mode in law.modes[:1]] == pytest.approx([1.0])


def test_a_wheel_may_stand_anywhere():
    """A skate along x: a spring holds it along its edge, another one its angle, and nothing moves it across."""
    model = mbs.PlanarModel("skate")
    body = model.body("b", mass=1.0, inertia=0.5)
    model.add(
        mbs.KnifeEdge("edge", model.ground, body),
        mbs.Force("F", body, (-4.0 * model["b.x"], 0)),
        mbs.Torque("T", body, -2.0 * model["b.angle"]),
    )
    rest = mbs.equilibrium(model)
    assert rest.stable and rest.frequencies == pytest.approx([2.0, 2.0])
    assert len(rest.coordinates) == 3 and len(rest.law.velocities) == 2


def settled(law, t: float) -> mbs.State:
    return mbs.simulate(cart(law), [0, t], {"b.x": 0.1}).state()


@pytest.mark.parametrize("c", [20.0, 200.0])
def test_what_has_settled_is_at_rest(c):
    """A simulation leaves a little of the motion."""

    def law(m):
        return -1e4 * m["b.x"] - c * m["b.vx"]

    state = settled(law, 5.0)
    assert state["b.vx"] != 0.0
    np.testing.assert_allclose(mbs.linearize(cart(law), state).A, [[0, 1], [-1e4, -c]], rtol=1e-9)


def test_what_moves_slowly_is_not_at_rest():
    with refused("not-steady", name="cart"):
        mbs.linearize(cart(lambda m: -1e4 * m["b.x"]), {"b.x": 0.0, "b.vx": 1e-3})


def test_a_servo_that_has_settled():
    """PID: e = 0.5 - angle against gravity; (I s³ + d s² + (k - m g c sin 0.5) s + i) of the integral, too."""
    servo = mbs.PlanarModel("servo", gravity=(0, -9.81))
    wheel = servo.body("w", mass=1.0, inertia=0.1, com=(0.1, 0))
    axle = servo.add(mbs.Revolute("axle", servo.ground, wheel))
    error = 0.5 - servo["w.angle"]
    total = servo.state("sum", rate=error)
    servo.add(mbs.Torque("motor", axle, 4 * error + 6 * total - 0.8 * servo["w.omega"]))
    law = mbs.linearize(servo, mbs.simulate(servo, [0, 60]).state())
    expected = np.roots([0.1 + 0.01, 0.8, 4.0 - 0.981 * np.sin(0.5), 6.0])
    np.testing.assert_allclose(np.sort_complex(law.eigenvalues), np.sort_complex(expected), rtol=1e-7)
    assert law.stable
