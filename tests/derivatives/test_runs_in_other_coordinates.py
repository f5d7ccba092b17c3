"""Derivatives of runs in natural and joint coordinates: against the equation of a pendulum in 22 digits, and against
those of the same motion in Cartesian coordinates, which are made in another way."""

from functools import cache

import mpmath as mp
import numpy as np
import pytest
import sympy as sp

import mbs_dae as mbs

TIMES = np.linspace(0.0, 0.5, 4)
BOTH = pytest.mark.parametrize("coordinates", ["joint", "natural"])


def pendulum() -> mbs.PlanarModel:
    """A rod of length l with a damper c in its pin: m l²/3 ω' = -m g l/2 cos θ - c ω."""
    model = mbs.PlanarModel("pendulum", gravity=(0, -9.81))
    length, damping = model.parameter("l", 0.3), model.parameter("c", 0.05)
    rod = model.link("rod", (0, 0), (0.3, 0), length=length, mass=2.0)
    pin = model.add(mbs.Revolute("A", model.ground, rod.tail))
    model.add(mbs.TorsionSpring("damper", pin, stiffness=0, damping=damping))
    return model


@cache
def swing(t, length, damping, begin):
    """θ and ω of the pendulum."""

    def rates(_, y):
        return [y[1], -mp.mpf("14.715") / length * mp.cos(y[0]) - 3 * damping / (2 * length**2) * y[1]]

    return mp.odefun(rates, 0, [mp.mpf(0), begin], tol=mp.mpf("1e-18"))(t) if t else [mp.mpf(0), begin]


@BOTH
def test_a_pendulum_by_its_own_equation(coordinates):
    mp.mp.dps = 22
    values = {"l": 0.3, "c": 0.05, "rod.omega": 2.0}
    result = mbs.simulate(
        pendulum().compile(coordinates), [0.0, 0.3], {"rod.angle": 0.0, "rod.omega": 2.0}, rtol=1e-12,
        derivatives=[*values],
    )  # fmt: skip
    size = mp.mpf("1e-4")
    for at, by in enumerate(values):

        def moved(c, at=at):
            own = [mp.mpf(repr(x)) for x in values.values()]
            own[at] += c * size
            return swing(mp.mpf("0.3"), *own)

        ahead, behind, far, back = (moved(c) for c in (1, -1, 2, -2))
        for level, name in enumerate(("rod.angle", "rod.omega")):
            exact = (8 * (ahead[level] - behind[level]) - (far[level] - back[level])) / (12 * size)
            assert abs(result.d(name, by)[-1] - float(exact)) < 1e-9 * max(1.0, abs(float(exact))), (by, name)


def check_against_bodies(model, coordinates, start, by, names, tolerance, times=TIMES, rtol=1e-11) -> None:
    """The same motion in both, by two ways of differentiating it where nothing switches."""
    found, expected = (
        mbs.simulate(one, times, start, method="DP8", rtol=rtol, derivatives=by)
        for one in (model.compile(coordinates), model)
    )
    for name in names:
        for one in by:
            own = expected.d(name, one)
            off = np.abs(found.d(name, one) - own).max() / max(1.0, np.abs(own).max())
            assert off < tolerance, (name, one, off)


@BOTH
def test_a_four_bar_and_what_its_joints_carry(coordinates):
    model = mbs.PlanarModel("four-bar", gravity=(0, -9.81))
    r, m = model.parameter("r", 0.3), model.parameter("m", 0.7)
    crank = model.link("crank", (0, 0), (0, 0.3), length=r, mass=1.0)
    coupler = model.link("coupler", (0, 0.3), (0.8, 0.6), mass=m)
    rocker = model.link("rocker", (0.7, 0), (0.8, 0.6), mass=0.5)
    model.add(
        mbs.Revolute("A", model.ground, crank.tail),
        mbs.Revolute("B", crank.head, coupler.tail),
        mbs.Revolute("C", coupler.head, rocker.head),
        mbs.Revolute("D", model.ground.at(0.7, 0), rocker.tail),
        mbs.SpringDamper("spring", model.ground.at(0, 1), coupler.head, stiffness=40, damping=1, length=0.5),
    )
    names = ["coupler.x", "coupler.ax", "rocker.omega", "B.force", "D.force", "spring.effort", "energy.kinetic"]
    by = ["r", "m", "spring.stiffness", "rocker.mass", "crank.omega"]
    check_against_bodies(model, coordinates, {"crank.omega": 5.0}, by, names, 1e-8)


@BOTH
def test_in_space(coordinates):
    """Attitudes are quaternions in some coordinates, and vectors in others."""
    model = mbs.SpatialModel("chain", gravity=(0, 0, -9.81))
    length = model.parameter("l", 0.3)
    one = model.body("one", position=(length / 2, 0, 0), mass=2.0, inertia=(0.01, 0.02, 0.03))
    two = model.body("two", position=(0.5, 0, 0.1), mass=1.0, inertia=(0.01, 0.02, 0.015))
    model.add(
        mbs.Spherical("S", model.ground, one.at(-length / 2, 0, 0)),
        mbs.Spherical("T", one.at(length / 2, 0, 0), two.at(-0.2, 0, -0.1)),
    )
    names = ["one.x", "two.z", "two.vx", "two.alphay", "T.force", "energy.kinetic"]
    start, times = {"one.wz": 3.0, "two.wx": 9.0}, np.array([0.0, 0.1, 0.25])
    check_against_bodies(model, coordinates, start, ["l", "two.mass", "two.wx"], names, 1e-8, times)


@BOTH
def test_across_an_impact(coordinates):
    """A pendulum strikes a stop, in the one way of differentiating that both have."""
    model = pendulum()
    model.add(mbs.Stop("stop", mbs.angle(model.elements["A"]), lower=-0.6, restitution=model.parameter("e", 0.6)))
    start = {"rod.angle": 0.0, "rod.omega": 0.0}
    check_against_bodies(model, coordinates, start, ["l", "e", "c"], ["rod.angle", "rod.omega", "A.force"], 1e-7)


@BOTH
def test_states_and_a_law_that_sets_in_at_a_time(coordinates):
    """A requested time next to a break that moves is read in designs of one side."""
    model = pendulum()
    begin, slow = model.parameter("begin", 0.2), model.parameter("T", 0.4)
    rod = model.bodies["rod"]
    z = model.state("z", rate=lambda z: (model["rod.angle"] - z) / slow, initial=0.1)
    model.add(mbs.Torque("push", rod, sp.Piecewise((0, mbs.t < begin), (3 * z + 1, True))))
    start, times = {"rod.angle": 0.0, "rod.omega": 1.0, "z": 0.1}, np.array([0.0, 0.1, 0.1999, 0.2, 0.2001, 0.4])
    check_against_bodies(
        model, coordinates, start, ["begin", "T", "z"], ["rod.angle", "rod.alpha", "z", "A.force"], 1e-7, times
    )


@BOTH
def test_loads_have_none_where_the_motion_has_none(coordinates):
    """Two laws switch at once where y = 1, which they do one after the other beside it."""
    model = mbs.PlanarModel("pushed")
    ball = model.body("ball", mass=1.0, inertia=0.1)
    model.add(mbs.Translational("guide", model.ground, ball, at=(0, 0), axis=(0, 1)))
    y, v = model["ball.y"], model["ball.vy"]
    first, other = (sp.Piecewise((0, what < 1), (1, True)) for what in (y, 2 * y - v / 5))
    model.add(mbs.Force("push", ball, (3 * y, -first - other)))
    start = {"ball.y": 0.0, "ball.vy": 5.0}
    result = mbs.simulate(model.compile(coordinates), [0.0, 0.1, 0.3, 0.4], start, derivatives=["ball.vy"])
    for name, before in (("ball.y", 0.1), ("guide.Fx", -0.3)):
        found = result.d(name, "ball.vy")
        assert abs(found[1] - before) < 1e-9 and np.isnan(found[2:]).all(), name
