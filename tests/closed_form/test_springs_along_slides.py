"""Springs and dampers along slides: on the displacement with its sign, in every coordinate set."""

import numpy as np
import pytest
from refusals import refused

import mbs_dae as mbs

SETS = ("cartesian", "natural", "joint")
TIMES = np.linspace(0, 2, 9)


def damped(t, x0, k, c, m):
    """x'' + c/m x' + k/m x = 0 from rest at x0."""
    d, w = c / (2 * m), np.sqrt(k / m - (c / (2 * m)) ** 2)
    return x0 * np.exp(-d * t) * (np.cos(w * t) + d / w * np.sin(w * t))


@pytest.mark.parametrize("coordinates", SETS)
def test_a_cart_swings_through_the_middle_of_its_spring(coordinates):
    """Both points of the guide coincide at s = 0, where a distance has no direction."""
    model = mbs.PlanarModel("cart")
    k, c = model.parameter("k", 18.0), model.parameter("c", 0.8)
    cart = model.body("cart", mass=2.0, inertia=1.0)
    guide = model.add(mbs.Translational("guide", model.ground, cart, at=(0, 0), axis=(1, 1)))
    model.add(mbs.SpringDamper("strut", guide, stiffness=k, damping=c, length=-0.1))
    run = mbs.simulate(model.compile(coordinates), TIMES, initial={"guide.displacement": 0.3}, rtol=1e-11)
    expected = -0.1 + damped(TIMES, 0.4, 18.0, 0.8, 2.0)
    np.testing.assert_allclose(run["guide.displacement"], expected, atol=1e-9)
    pull = -18.0 * (expected + 0.1) - 0.8 * run["guide.velocity"]
    np.testing.assert_allclose(run["strut.effort"], pull, atol=1e-8)
    assert np.abs(run.energy.error).max() < 1e-9
    rest = mbs.equilibrium(model.compile(coordinates))
    assert rest["guide.displacement"] == pytest.approx(-0.1, abs=1e-12)


@pytest.mark.parametrize("coordinates", SETS)
def test_two_bodies_that_move_are_joined_along_their_slide(coordinates):
    """A telescope that falls: the reduced mass swings, and the two forces are opposite."""
    model = mbs.SpatialModel("telescope", gravity=(0, 0, -9.81))
    one = model.body("one", mass=1.0, inertia=(0.1, 0.1, 0.1))
    two = model.body("two", mass=3.0, inertia=(0.1, 0.1, 0.1))
    slide = model.add(mbs.Translational("slide", one, two, at=(0, 0, 0), axis=(1, 2, 2)))
    model.add(mbs.Spring("spring", slide, stiffness=12.0), mbs.Damper("oil", slide, damping=0.3))
    start = {"slide.displacement": 0.2}
    run = mbs.simulate(model.compile(coordinates), TIMES, initial=start, rtol=1e-11)
    np.testing.assert_allclose(run["slide.displacement"], damped(TIMES, 0.2, 12.0, 0.3, 0.75), atol=1e-9)


def test_a_slide_of_a_pair_of_markers_takes_a_spring_as_well():
    model = mbs.PlanarModel("bead")
    bead = model.body("bead", mass=1.0, inertia=1.0, position=(0.5, 0))
    model.add(mbs.PinInSlot("wire", bead, model.ground.at(0, 0, angle=0)), mbs.CoordinateFix("turn", bead, "angle"))
    measure = mbs.displacement(model.ground.at(0, 0), bead)
    model.add(mbs.SpringDamper("spring", measure, stiffness=4.0, length=0.0))
    run = mbs.simulate(model, [0, np.pi / 2], rtol=1e-11)
    assert run["bead.x"][-1] == pytest.approx(-0.5, abs=1e-9)


def test_the_free_length_is_the_displacement_as_placed():
    model = mbs.PlanarModel("cart", gravity=(-10, 0))
    cart = model.body("cart", mass=2.0, inertia=1.0, position=(-0.3, 0))
    guide = model.add(mbs.Translational("guide", model.ground, cart))
    model.add(mbs.Spring("spring", guide, stiffness=100.0))
    rest = mbs.equilibrium(model)
    assert rest["guide.displacement"] == pytest.approx(-0.5, abs=1e-10)
    with refused("negative", argument="length of Spring 'other'", value=-0.1):
        mbs.Spring("other", model.ground, cart, stiffness=1.0, length=-0.1)


@pytest.mark.parametrize("kind", ["Spring", "SpringDamper", "Damper", "Actuator"])
@pytest.mark.parametrize("coordinates", SETS)
def test_ends_at_one_point_are_refused_with_the_way_along_the_slide(kind, coordinates):
    model = mbs.PlanarModel("cart")
    cart = model.body("cart", mass=2.0, inertia=1.0)
    guide = model.add(mbs.Translational("guide", model.ground, cart))
    constants = {"Damper": {"damping": 1.0}, "Actuator": {"force": 1.0}}.get(kind, {"stiffness": 1.0, "length": 0.1})
    element = getattr(mbs, kind)
    points = model.plus(element("strut", model.ground, cart, **constants))
    ends = [f"{kind} 'strut'", "one point", f"{kind}('strut', joint"]
    with refused("law-without-value", time=0.0, mentions=ends):
        mbs.simulate(points.compile(coordinates), [0, 0.1])
    mbs.simulate(model.plus(element("strut", guide, **constants)).compile(coordinates), [0, 0.1])
