"""What has no rest, and what has no law of small motions, is told by name with a remedy."""

from __future__ import annotations

import sys

import numpy as np
import pytest
import sympy as sp
from refusals import refused

import mbs_dae as mbs


def pendulum() -> mbs.PlanarModel:
    model = mbs.PlanarModel("pendulum", gravity=(0, -9.81))
    rod = model.link("rod", (0, 0), (0.6, -0.8), mass=1.0)
    model.add(mbs.Revolute("pin", model.ground, rod.tail))
    return model


def test_a_body_that_falls_has_no_rest():
    model = mbs.PlanarModel("stone", gravity=(0, -9.81))
    model.body("stone", 1.0, 1.0)
    with refused("no-equilibrium", mbs.EquilibriumError, model="stone"):
        mbs.equilibrium(model)
    with refused("no-equilibrium", mbs.EquilibriumError, model="stone"):
        mbs.equilibrium(model, all=True)


@pytest.mark.parametrize("law", [0.3 * mbs.t, 0.3 + mbs.t**2])
def test_a_driver_that_moves_is_no_rest(law):
    model = pendulum()
    model.add(mbs.Driver("motor", mbs.angle(model.ground, model.bodies["rod"]), law))
    with refused("not-at-rest", name="motor"):
        mbs.equilibrium(model)


def test_a_driver_that_holds_has_an_effort():
    model = pendulum()
    model.add(mbs.Driver("motor", mbs.angle(model.ground, model.bodies["rod"]), 0.0))
    found = mbs.equilibrium(model)
    assert found.coordinates == () and found.stable
    assert found.result.effort("motor")[0] == pytest.approx(9.81 * 0.5)


def test_a_pose_aside_of_the_equilibrium():
    with refused("not-in-equilibrium", model="pendulum"):
        mbs.linearize(pendulum(), {"rod.angle": -1.0})


def test_a_motion_that_is_not_steady():
    for angle in (-1.0, -np.pi / 2):  # at the bottom of its swing it goes on as in a circle, for a moment
        with refused("not-steady", name="pendulum"):
            mbs.linearize(pendulum(), {"rod.angle": angle, "rod.omega": 2.0})


def test_a_body_that_tumbles_is_not_steady():
    model = mbs.SpatialModel("body")
    model.body("body", 1.0, (1.0, 2.0, 3.0))
    with refused("not-steady", name="body"):
        mbs.linearize(model, {"body.wx": 1.0, "body.wy": 1.0, "body.wz": 0.0})
    values = mbs.linearize(model, {"body.wx": 0.0, "body.wy": 1.0, "body.wz": 0.0}).eigenvalues
    assert values.real.max() == pytest.approx(np.sqrt(1 / 3), rel=1e-9)  # about a middle axis: √((2-1)(3-2)/(1·3))


def test_a_singular_pose():
    model = mbs.PlanarModel("cranks", gravity=(0, -9.81))
    bars = [model.link(f"crank{k}", (k, 0), (k - 1, 0), mass=1.0) for k in (0, 1)]
    coupler = model.link("coupler", (-1, 0), (0, 0), mass=1.0)
    for k, (bar, end) in enumerate(zip(bars, (coupler.tail, coupler.head), strict=True)):
        model.add(mbs.Revolute(f"A{k}", model.ground.at(k, 0), bar.tail), mbs.Revolute(f"B{k}", bar.head, end))
    with refused("singular-start", mbs.SingularConfigurationError, model="cranks"):
        mbs.linearize(model, mbs.assemble(model))


def test_names_that_do_not_go():
    model = pendulum()
    length = model.parameter("length", 0.3)
    model.add(mbs.Distance("string", model.ground.at(-1, -1), model.bodies["rod"].head, length=length + 1.0))
    rest = mbs.equilibrium(model.without("string")).state
    free = model.without("string")
    with refused("is-a-rate", name="rod.omega"):
        mbs.linearize(free, rest, coordinates=["rod.omega"])
    with refused("too-many-coordinates", queue=["rod.x"]):
        mbs.linearize(free, rest, coordinates=["rod.angle", "rod.x"])
    with refused("coordinate-depends-on-others", others="nothing"):
        mbs.linearize(free, rest, coordinates=["rod.y"])
    with refused("unknown-name", kind="input or parameter", name="mass"):
        mbs.linearize(free, rest, inputs=["mass"])
    with refused("changes-more-than-forces", argument="inputs", name="length"):
        mbs.linearize(model, inputs=["length"])


def test_what_python_control_is_not_given(monkeypatch):
    law = mbs.linearize(pendulum())
    monkeypatch.setitem(sys.modules, "control", None)
    with refused("package-missing", package="control", extra="control"):
        law.to_control()
    monkeypatch.setitem(sys.modules, "control", sys)
    with refused("missing-argument", argument="inputs", method="to_control"):
        law.to_control()


def test_states_that_find_no_rest():
    """An integral that always grows has none."""
    model = pendulum()
    model.state("integral", rate=1 + model["rod.angle"] ** 2)
    with refused("no-equilibrium", mbs.EquilibriumError, model="pendulum"):
        mbs.equilibrium(model)
    with refused("not-steady", name="integral"):
        mbs.linearize(model, {"rod.angle": -np.pi / 2, "rod.omega": 0.0})


def test_an_equilibrium_stands_for_its_state_and_names_are_lists():
    model = mbs.PlanarModel("block")
    block = model.body("b", mass=1.0, inertia=1.0)
    model.add(mbs.Translational("guide", model.ground, block), mbs.Force("F", block, (1 - 4 * model["b.x"], 0)))
    rest = mbs.equilibrium(model)
    assert mbs.linearize(model, rest).frequencies == pytest.approx([2.0])
    assert mbs.simulate(model, [0, 1], rest)["b.x"] == pytest.approx([0.25, 0.25])
    with refused("not-a-list", argument="outputs", value="b.x"):
        mbs.linearize(model, rest, outputs="b.x")


@pytest.mark.parametrize("coordinates", ["cartesian", "natural", "joint"])
@pytest.mark.parametrize("kind", ["contact", "joint", "given", "smooth", "force"])
def test_a_rest_in_a_window_where_a_law_has_no_value_names_the_law(kind, coordinates):
    """A spring draws a cart to x = 0.27, and a law has a root that is imaginary between 0.25 and 0.3."""
    model = mbs.PlanarModel("cart", gravity=(0, -10))
    cart = model.body("cart", mass=1.0, inertia=1.0)
    law = 0.2 + 0.1 * sp.sqrt((model["cart.x"] - 0.25) * (model["cart.x"] - 0.3))
    model.add(mbs.Force("pull", cart, (-100 * (model["cart.x"] - 0.27), 0)))
    if kind == "contact":
        model.add(mbs.Contact("rub", mbs.Line(model.ground), mbs.Point(cart), friction=law))
    else:
        guide = model.add(mbs.Translational("guide", model.ground, cart))
        rub = {
            "joint": lambda: mbs.Friction("rub", guide, mu=law),
            "given": lambda: mbs.DryFriction("rub", mbs.x(cart), force=law),
            "smooth": lambda: mbs.Friction("rub", guide, mu=law, smooth=0.01),
            "force": lambda: mbs.Force("rub", cart, (1e-3 * law, 0)),
        }
        model.add(rub[kind]())
    with refused("law-without-value", mbs.EquilibriumError, model="cart", mentions="rub"):
        mbs.equilibrium(model.compile(coordinates), {"cart.x": 0.0})


def test_all_rests_of_a_law_without_a_value_name_the_law():
    model = mbs.PlanarModel("cart")
    cart = model.body("cart", mass=1.0, inertia=1.0)
    model.add(mbs.Translational("guide", model.ground, cart))
    law = 0.1 * sp.sqrt((model["cart.x"] - 0.25) * (model["cart.x"] - 0.3))
    model.add(mbs.Force("pull", cart, (-100 * (model["cart.x"] - 0.27), 0)), mbs.Force("rub", cart, (law, 0)))
    with refused("law-without-value", model="cart", mentions="rub"):
        mbs.equilibrium(model, all=True)
