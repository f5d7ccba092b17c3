"""A misspelt name or keyword is refused with the name that is meant."""

from copy import copy, deepcopy

import numpy as np
import pytest
from refusals import refused

import mbs_dae as mbs


@pytest.fixture
def model():
    """Return a slider-crank in its plane, with a spring on the slider."""
    model = mbs.PlanarModel("slider crank", gravity=(0, -9.81))
    crank = model.link("crank", (0, 0), (0.1, 0), mass=1.0, length=model.parameter("r", 0.1, "m"))
    rod = model.link("rod", (0.1, 0), (0.4, 0), mass=1.0)
    slider = model.body("slider", mass=1.0, inertia=0.1, position=(0.4, 0))
    model.add(
        mbs.Revolute("A", model.ground, crank.tail),
        mbs.Revolute("B", crank.head, rod.tail),
        mbs.Revolute("C", rod.head, slider),
        mbs.Translational("slide", model.ground, slider),
        mbs.Spring("s", model.ground.at(1, 0), slider, stiffness=10.0, length=0.5),
    )
    return model


@pytest.fixture
def ball():
    model = mbs.PlanarModel("ball", gravity=(0, -10))
    return model, model.body("ball", mass=1.0, inertia=0.1, position=(0, 2))


def test_numbers_of_an_optimum_and_a_fit_are_read_by_name(model, interpreted_kernels):
    driven = model.plus(mbs.Driver("motor", mbs.angle(model.bodies["crank"]), 10 * mbs.t))
    times = np.linspace(0, 0.3, 7)
    found = mbs.optimize(-mbs.maximum("slider.x"), driven, times, over={"r": (0.05, 0.2)}, verb="kinematics")
    assert found["r"] == found.values["r"] == pytest.approx(0.2)
    with refused("unknown-name", owner="the optimum", kind="number", name="R"):
        found["R"]
    measured = {"t": times, "slider.x": mbs.kinematics(driven.with_parameters(r=0.12), times)["slider.x"]}
    fit = mbs.fit(driven, measured, over=["r"], verb="kinematics")
    assert fit["r"] == fit.values["r"] == pytest.approx(0.12)
    with refused("unknown-name", owner="the fit", kind="number", name="rr", near=["r"]):
        fit["rr"]


@pytest.mark.parametrize("kind", [mbs.PlanarModel, mbs.SpatialModel])
def test_keywords_of_bodies_and_links(kind):
    model, (P, Q) = kind("bench"), np.eye(3)[:2, : 2 if kind is mbs.PlanarModel else 3].tolist()
    with refused("unknown-name", owner="body()", kind="option", name="mas", near=["mass"]):
        model.body("stone", mas=1)
    with refused("unknown-name", owner="link()", kind="option", name="lenght", near=["length"]):
        model.link("rod", P, Q, lenght=1)
    assert not model.bodies


def test_keywords_of_pictures(model):
    with refused("unknown-name", name="fix"):
        model.draw(fix={"crank.angle": 1.0})
    with refused("unknown-name", owner="draw()", kind="option", name="unit", near=["units"]):
        model.draw(unit="mm")
    pose = mbs.assemble(model).result
    with refused("unknown-name", owner="plot()", kind="option", name="degres", near=["degrees"]):
        pose.plot("crank.angle", degres=True)
    with refused("unknown-name", owner="plot_energy()", kind="option", name="degrees"):
        pose.plot_energy(degrees=True)
    with refused("unknown-name", owner="plot_reaction()", kind="option", name="beside"):
        pose.plot_reaction("A", beside=pose)
    with refused("unknown-name", owner="to_dataframe()", kind="option", name="unit", near=["units"]):
        pose.to_dataframe("crank.angle", unit="deg")


def test_words_for_velocities_lead_to_their_letters(model):
    pose = mbs.assemble(model).result
    with refused("unknown-name", kind="quantity", name="rod.velocity", near=["rod.v", "rod.omega"]):
        pose["rod.velocity"]
    with refused("unknown-name", kind="quantity", name="A.speed", near=["A.omega"]):
        pose["A.speed"]
    with refused("unknown-name", kind="quantity", name="rod.acceleration", near=["rod.a", "rod.alpha"]):
        pose["rod.acceleration"]


def test_contacts_tell_their_changes(ball):
    model, body = ball
    smooth = mbs.Contact("floor", mbs.Line(model.ground), mbs.Disk(body, 0.1))
    rough = mbs.Contact("rough", mbs.Line(model.ground), mbs.Disk(body, 0.1), friction=0.3)
    soft = mbs.CompliantContact("soft", mbs.Line(model.ground), mbs.Disk(body, 0.1), stiffness=1e4)
    with pytest.raises(AttributeError, match=r"Contact 'floor' has no 'closes'; its changes.* touches, parts;.*gap"):
        _ = smooth.closes
    with pytest.raises(AttributeError, match="are: touches, parts, sticks, slips;"):
        _ = rough.closes
    with pytest.raises(AttributeError, match="has no 'closes'; it is a force, without states;.*soft.gap"):
        _ = soft.closes
    assert not hasattr(rough, "closes") and rough.touches.change == "touches"
    assert copy(rough).sticks == deepcopy(rough).sticks == rough.sticks


def test_what_is_read_before_it_is_added(ball):
    model, body = ball
    floor = mbs.Contact("floor", mbs.Line(model.ground), mbs.Disk(body, 0.1))
    with refused("not-added-yet", name="floor.gap", mentions=["floor", "ball", "model.add"]):
        model.add(floor, mbs.Event("e", when=model["floor.gap"]))
    model.add(floor)
    model.add(mbs.Event("e", when=model["floor.gap"]))
    with refused("unknown-name", owner="rig"):
        model["rig.gap"]
    with refused("unknown-name", near=["ball.omega", "ball.y", "ball.x"]):
        model["bal.omega"]


def test_loads_are_among_the_names_that_are_compared(model):
    with refused("unknown-name", kind="quantity", name="s.efort", near=["s.effort"]):
        model["s.efort"]
    with refused("unknown-name", kind="quantity", name="A.Fxx", near=["A.Fx"]):
        model["A.Fxx"]
    with refused("unknown-name", kind="quantity", name="s.Fyy") as told:  # a spring has no reaction to read
        model["s.Fyy"]
    assert "'s.Fy'" not in str(told.value)


def test_functions_of_readings_are_among_the_names_that_are_compared(model):
    pose = mbs.assemble(model).result
    for name in ("transmision_angle(A, B, C)", "transmission_angel(A, B, C)"):
        with refused("unknown-name", near=["transmission_angle(A, B, C)"]):
            pose[name]
    with refused("unknown-name", near=["transmission_angle(B, C, D)"]):
        pose["transmision_angle"]


def test_a_name_is_suggested_once(model):
    told = str(mbs.errors.unknown_name("quantity", "slidr.x", ["slider.x", "slider.x", "slider.vx"]))
    assert told.count("'slider.x'") == 1
