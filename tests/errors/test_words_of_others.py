"""Words and values that a new user tries: each message names the word of this package, or what is missing."""

import numpy as np
import pytest
from refusals import refused

import mbs_dae as mbs


def pendulum(gravity=(0, -9.81), **more):
    return mbs.PlanarModel.from_points(
        {"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=2, gravity=gravity, **more
    )


def driven():
    model = pendulum()
    model.add(mbs.Driver("motor", mbs.angle(model.elements["A"]), 2 * mbs.t))
    return model


@pytest.mark.parametrize(
    "word, own",
    [("Pin", "Revolute"), ("Hinge", "Revolute"), ("Ball", "Spherical"), ("Weld", "Fixed"), ("Rod", "Planar")],
)
def test_names_of_others_lead_to_ours(word, own):
    with pytest.raises(AttributeError, match=f"did you mean '{own}"):
        getattr(mbs, word)
    assert not hasattr(mbs, word)


@pytest.mark.parametrize(
    "call, said",
    [
        (lambda: mbs.Motion().rise(0.02, over=1), ("wrong-arguments", "law", "harmonic", "rise()")),
        (lambda: mbs.Motion().rise(over=1, law="3-4-5"), ("wrong-arguments", "height")),
        (lambda: mbs.Motion().dwell(), ("wrong-arguments", "over")),
        (lambda: mbs.Motion().return_(law="3-4-5"), ("wrong-arguments", "over", "return_()")),
        (
            lambda: mbs.kinematics(driven(), [0, 1], tol=1e-9),
            ("unknown-name", "tol", "option", "certify", "derivatives"),
        ),
        (lambda: mbs.sweep(driven(), "motor", [0, 1]), ("not-a-parameter", "motor", "Driver", "driver")),
        (lambda: mbs.sweep(driven(), "motor.angle", [0, 1]), ("not-a-parameter", "driver")),
        (lambda: mbs.sweep(driven(), "rod.x", [0, 1]), ("not-a-parameter", "rod.x", "mbs.follow", "quantity")),
        (lambda: mbs.Table([0, 1, 2], [0, 1, 0], periodic=True), ("too-few-points", "4")),
        (lambda: mbs.inverse_dynamics(driven(), [0.0])["A.moment"], ("unknown-name", "A.M")),
        (lambda: mbs.kinematics(driven(), [0.0])["A.moment"], ("no-forces",)),
        (lambda: pendulum(dimensions=True).with_parameters(**{"rod.length": -1.0}).compile(), ("not-positive",)),
    ],
)  # fmt: skip
def test_a_message_says_what_to_do(call, said):
    with refused(said[0], mentions=said[1:]):
        call()


def test_an_array_is_no_law_and_is_not_printed():
    model = pendulum()
    for give in (
        lambda array: mbs.Driver("motor", mbs.angle(model.elements["A"]), array),
        lambda array: model.parameter("many", array),
        lambda array: model.body("far", position=array),
    ):
        with refused(("not-a-number", "not-an-expression", "wrong-length")) as told:
            give(np.linspace(0, 1, 1000))
        assert len(str(told.value)) < 300


def test_a_closed_triangle_has_three_points():
    triangle = mbs.Table([0, 1, 2], [0, 1, 0], periodic=True, kind="linear")
    np.testing.assert_allclose(triangle.read([0.25, 1.5, 2.25, -0.5]), [0.25, 0.5, 0.25, 0.5])


def test_a_rest_without_forces_is_told():
    assert "no force acts in the model" in mbs.equilibrium(pendulum((0, 0))).message
    assert "no force acts" in repr(mbs.equilibrium(pendulum((0, 0))))
    assert mbs.equilibrium(pendulum()).message == ""
    sprung = pendulum((0, 0))
    sprung.add(mbs.TorsionSpring("back", sprung.elements["A"], stiffness=1.0, angle=0.2))
    assert mbs.equilibrium(sprung).message == ""


def test_a_map_of_one_name_is_led_to_its_pictures():
    study = mbs.ensemble(pendulum(), [0, 0.1], over={"rod.omega": [1, 2, 3]}, outputs=["rod.angle"])
    with refused("no-grid-of-two-names", names=["initial rod.omega"], mentions="rod.angle"):
        study.plot_map("rod.angle")


def test_numbers_of_motions_are_short():
    law = mbs.Motion(0.03).rise(0.02, over=0.5, law="cycloidal").dwell(0.1)
    assert repr(law) == "Motion(0.03, to 0.05 over 0.5 (cycloidal), dwell 0.1)"
    with refused("end-differs-from-start"):
        law.repeat()
    with refused("not-positive", argument="over"):
        law.dwell(-0.1)
    assert repr(law.return_(over=1, law="3-4-5").repeat()).endswith("to 0.03 over 1 (3-4-5), repeated)")


def test_a_constant_that_is_to_be_varied_is_made_a_parameter():
    model = driven()
    for name, unit in (("rod.mass", "kg"), ("rod.inertia", "kg m²")):
        with refused("is-a-constant", mentions=[name, unit]):
            mbs.ensemble(model, [0, 0.1], over={name: [1, 2]}, outputs=["rod.angle"], verb="kinematics")


def test_an_argument_that_is_no_marker_is_named_itself():
    model = mbs.PlanarModel("arm")
    body = model.body("b", mass=1)
    with refused("not-a-marker", mentions="R"):
        mbs.Revolute("R", (0, 0), body)
    with refused("not-a-marker", mentions="arm"):
        mbs.Revolute("R", model, body)
    with refused("not-a-marker", mentions="b"):
        mbs.Revolute("R", body, "b")


def test_an_angle_that_a_joint_has_not_leads_to_those_it_has():
    model = mbs.SpatialModel("shafts")
    one, other = (model.body(name, mass=1, inertia=(1, 1, 1)) for name in ("x", "y"))
    joint = model.add(mbs.Universal("U", one, other, at=(0, 0, 0), pins=((1, 0, 0), (0, 1, 0))))
    with refused("no-such-measure", word="angle", kind="angle_3"):
        mbs.angle(joint, 3)


@pytest.mark.parametrize(
    "word, meant", [("mtr", "m"), ("Newton", "N"), ("KG", "kg"), ("rad/sec", "s"), ("N metre", "m")]
)
def test_units_that_are_misspelt_lead_to_those_of_si(word, meant):
    with refused("unknown-unit", mentions=[word, meant, "r"]):
        mbs.PlanarModel("m").parameter("r", 1.0, unit=word)


@pytest.mark.parametrize("word", ["", "1", "teeth", "%", "mol", "T", "kg m²/s²", "€/year", "N m s/rad"])
def test_labels_that_are_no_misspelt_units_stay(word):
    model = mbs.PlanarModel("m")
    model.parameter("r", 1.0, unit=word)
    assert model.parameters["r"].unit == word


def test_two_drivers_of_one_angle_share_their_effort_and_the_message_says_so():
    model = mbs.PlanarModel("arm", gravity=(0, -9.81))
    crank = model.link("crank", (0, 0), (0.1, 0), mass=1)
    model.add(mbs.Revolute("A", model.ground, crank.tail), mbs.Driver("motor", mbs.angle(crank), 10 * mbs.t))
    assert mbs.inverse_dynamics(model, [0, 0.01]).message == ""
    twice = model.plus(mbs.Driver("motor2", mbs.angle(crank), 10 * mbs.t))
    found = mbs.inverse_dynamics(twice, [0, 0.01])
    assert found.success and "the effort of motor and of motor2 is not unique" in found.message
    alone = mbs.inverse_dynamics(model, [0, 0.01]).effort("motor")
    assert found.effort("motor") + found.effort("motor2") == pytest.approx(alone)
