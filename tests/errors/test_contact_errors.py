"""What contacts cannot do is told: by name, with what to do about it; nothing ignores them in silence."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused

import mbs_dae as mbs
from mbs_dae.errors import IntegrationError, ModelError

TIMES = np.linspace(0, 1, 11)
TAN = np.arctan(2.0)


def ball(y=1.0, radius=0.1, **laws):
    model = mbs.PlanarModel("yard", gravity=(0, -9.81))
    body = model.body("ball", mass=1.0, inertia=0.004, position=(0, y))
    model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Disk(body, radius), **laws))
    return model


# --- bodies that overlap ------------------------------------------------------------------------------------------


def test_bodies_that_overlap_at_the_start_are_told_how_deep_and_what_to_do():
    with pytest.raises(ModelError) as told:
        mbs.simulate(ball(y=0.088), TIMES)
    for words in ("'floor'", "12 mm", "place 'ball' 0.012 m farther along (0, 1)", "initial={'floor.gap': 0.0}"):
        assert words in str(told.value)
    assert told.value.contacts == ("floor",)


def test_both_remedies_work():
    lifted = mbs.simulate(ball(y=0.088 + 0.012), TIMES)
    started = mbs.simulate(ball(y=0.088), TIMES, {"floor.gap": 0.0})
    for result in (lifted, started):
        assert (result.modes["floor"] == "closed").all() and np.abs(result["ball.y"] - 0.1).max() < 1e-12


def test_what_overlaps_by_roundoff_touches():
    assert (mbs.simulate(ball(y=0.1 - 1e-11), TIMES).modes["floor"] == "closed").all()


def test_an_inclined_plane_says_its_own_direction_and_a_stop_its_unit():
    model = mbs.PlanarModel("slope", gravity=(0, -9.81))
    body = model.body("ball", mass=1.0, inertia=0.004, position=(0, 0))
    model.add(mbs.Contact("slope", mbs.Line(model.ground.at(0, 0, angle=-np.pi / 6)), mbs.Disk(body, 0.25)))
    with refused("contact-overlaps", model="slope", mentions="0.25 m"):
        mbs.simulate(model, TIMES)
    door = mbs.PlanarModel("door")
    leaf = door.link("leaf", (0, 0), (1, 0), mass=1.0)
    door.add(mbs.Revolute("hinge", door.ground, leaf.tail))
    door.add(mbs.Stop("buffer", mbs.angle(door.ground, leaf), lower=0.2, upper=1.5))
    with refused("contact-overlaps", contacts=["buffer"], mentions=["buffer.gap1", "0.2 rad"]):
        mbs.simulate(door, TIMES)
    assert mbs.simulate(door, TIMES, {"buffer.gap1": 0.0})["leaf.angle"][0] == pytest.approx(0.2, abs=1e-12)


def test_a_reset_into_an_obstacle_is_refused():
    model = ball()
    model.add(mbs.Event("drop", mbs.t - 0.1, action=mbs.Reset({"ball.y": 0.05})))
    with refused("contact-overlaps", time=0.1) as told:
        mbs.simulate(model, TIMES)
    assert "goes on after the Reset of Event 'drop' at" in str(told.value) and "initial=" not in str(told.value)
    assert "let the Reset place 'ball' 0.05 m farther along (0, 1)" in str(told.value)


def driven_down():
    """A plate that its driver takes through the ground."""
    model = mbs.PlanarModel("press")
    plate = model.body("plate", mass=1.0, inertia=0.1, position=(0, 0.4))
    model.add(mbs.Translational("guide", model.ground.at(0, 0, angle=np.pi / 2), plate.at(0, 0, angle=np.pi / 2)))
    model.add(mbs.Driver("down", mbs.y(plate), 0.4 - mbs.t))
    model.add(mbs.Contact("bed", mbs.Line(model.ground), mbs.Point(plate)))
    return model


def test_motions_without_forces_tell_of_overlaps():
    result = mbs.kinematics(driven_down(), TIMES)
    assert "'bed' from t = 0.5 on, most by 0.6 m at t = 1" in result.stats["overlap"]
    assert result["bed.gap"] == pytest.approx(0.4 - TIMES, abs=1e-12)
    assert "overlap" not in mbs.kinematics(driven_down(), TIMES[:4]).stats
    assert "50 mm" in mbs.assemble(ball(y=0.05)).message and not mbs.assemble(driven_down()).message


def test_sweeps_tell_of_overlaps():
    model = driven_down().without("down")
    height = model.parameter("h", 0.4)
    model.add(mbs.Driver("down", mbs.y(model.bodies["plate"]), height))
    swept = mbs.sweep(model, "h", [0.3, 0.1, -0.1])
    assert "'bed' from h = -0.1 on, most by 0.1 m" in swept.stats["overlap"]
    assert "overlap" not in mbs.sweep(model, "h", [0.3, 0.1]).stats


# --- verbs that know no contacts ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "verb",
    [
        lambda model: mbs.inverse_dynamics(model, TIMES),
        mbs.linearize,
        mbs.equations,
        lambda model: mbs.assemble(model, forces=True),
        lambda model: mbs.compare_coordinates(model, TIMES),
    ],
)
def test_what_knows_no_contacts_says_so(verb):
    with refused(("contact-overlaps", "has-contacts"), mentions="bed"):
        verb(driven_down())


def test_diagnose_counts_joints_and_says_so():
    found = mbs.diagnose(ball())
    assert found.contacts == ("floor",) and found.degrees_of_freedom == 3
    assert "not counted: contacts" in str(found) and "not counted" not in str(mbs.diagnose(ball().without("floor")))


def test_forces_of_contacts_follow_from_runs():
    with refused("no-forces", name="bed.force"):
        mbs.kinematics(driven_down(), TIMES)["bed.force"]


# --- runs that cannot go on -----------------------------------------------------------------------------------------


def test_a_ball_that_is_squeezed_is_told():
    model = driven_down().without("bed")
    disk = model.body("ball", mass=1.0, inertia=0.1, position=(0, 0.1))
    model.add(mbs.Contact("bed", mbs.Line(model.ground), mbs.Disk(disk, 0.1)))
    model.add(mbs.Contact("top", mbs.Line(model.bodies["plate"].at(0, 0, angle=np.pi)), mbs.Disk(disk, 0.1)))
    with refused("bodies-squeezed", IntegrationError, joints=["Contact 'bed'", "Contact 'top'"]) as told:
        mbs.simulate(model, TIMES)
    assert told.value.time == pytest.approx(0.2, abs=1e-9) and len(told.value.result) == 2
    assert all(words in str(told.value) for words in ("'bed'", "'top'", "a Motor or a Spring in place of a Driver"))


def rod(friction):
    """A slender rod that slides on its tip to the left and leans to the right, at tan θ = 2: g̈ = f (1 + 3 cos θ (cos θ
    - μ sin θ)) / m - ..., which falls with the force for μ > 4/3."""
    model = mbs.PlanarModel("Painlevé", gravity=(0, -9.81))
    body = model.body("rod", mass=1.0, inertia=1 / 3, position=(np.cos(TAN), np.sin(TAN)), angle=TAN)
    model.add(mbs.Contact("tip", mbs.Line(model.ground), mbs.Point(body.at(-1, 0)), friction=friction))
    return model


def test_painleves_paradox_is_told():
    slides = mbs.simulate(rod(4 / 3 - 0.01), [0, 1e-4], {"rod.vx": -1.0})
    assert slides.modes["tip"][0] == "slips"
    with refused("painleve-paradox", IntegrationError, joints=["Contact 'tip'"]) as told:
        mbs.simulate(rod(4 / 3 + 0.01), [0, 1e-4], {"rod.vx": -1.0})
    assert told.value.time == 0.0
    assert mbs.simulate(rod(4 / 3 + 0.01), [0, 1e-4], {"rod.vx": 1.0}).modes["tip"][0] == "slips"


# --- shapes ---------------------------------------------------------------------------------------------------------


def test_a_radius_that_is_a_parameter_may_not_vanish_where_it_is_needed():
    model = mbs.PlanarModel("boxes")
    body, r = model.body("box", mass=1.0, inertia=0.1, position=(0, 2.2)), model.parameter("r", 0.1)
    box = mbs.Box(body, (2, 2), radius=r)
    model.add(mbs.Contact("on", mbs.Box(model.ground, (2, 2)), box), mbs.Contact("floor", mbs.Line(model.ground), box))
    model.compile()
    with refused("sharp-on-sharp", subject="Contact 'on'"):
        model.with_parameters(r=0.0).compile()
    model.without("on").with_parameters(r=0.0).compile()


# --- laws -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("laws", "code", "mentions"),
    [
        ({"restitution": 1.2}, "out-of-bounds", ["restitution", "1.2"]),
        ({"restitution": -0.1}, "negative", ["restitution", "-0.1"]),
        ({"friction": -0.1}, "negative", ["friction", "-0.1"]),
        ({"friction": 0.4, "static_friction": 0.3}, "static-below-sliding", ["static_friction", "0.3", "0.4"]),
        ({"friction": float("nan")}, "not-finite", ["friction", "nan"]),
        ({"friction": 0.3, "static_friction": 0.4, "smooth": 0.1}, "contradictory-arguments", ["static_friction="]),
        ({"friction": 0.3, "smooth": 0.0}, "not-positive", ["smooth", "0"]),
        ({"friction": lambda s: 0.3 - s}, "negative", ["friction", "1 m/s", "-0.7"]),
        ({"friction": lambda s: 0.3 + s, "static_friction": 0.2}, "static-below-sliding", ["static_friction", "0.2"]),
    ],
)
def test_laws_that_are_none_are_refused(laws, code, mentions):
    with refused(code, mentions=["Contact 'floor'", *mentions]):
        ball(**laws)


def test_time_stepping_needs_no_smooth_friction_and_says_so():
    with refused("not-supported", argument="smooth", element="floor", method="Moreau"):
        mbs.simulate(ball(friction=0.3, smooth=0.1), TIMES, method="Moreau", step=1e-2)


def test_a_contact_that_is_never_reached_is_no_mistake():
    result = mbs.simulate(ball(y=100.0), TIMES)
    assert (result.modes["floor"] == "open").all() and not result.impacts
    assert result["ball.y"][-1] == pytest.approx(100 - 9.81 / 2, rel=1e-9)


def test_a_gap_that_reads_a_signal_is_refused():
    model = mbs.PlanarModel("yard")
    level, body = model.input("level", 0.1), model.body("ball", mass=1.0, inertia=1.0, position=(0, 1))
    with refused("depends-on-state", signal="level"):
        model.add(mbs.Contact("floor", model.ground, body, gap=lambda i, j: j.y - level))


def test_friction_in_a_joint_that_shares_its_load():
    """A door on two hinges: nothing says what each of them carries."""
    model = mbs.SpatialModel("door", gravity=(0, 0, -9.81))
    door = model.body("door", mass=10.0, inertia=(1.0, 1.0, 1.0), com=(0.5, 0, 0))
    for name, height in (("low", 0.0), ("high", 1.0)):
        model.add(mbs.Revolute(name, model.ground.at(0, 0, height), door.at(0, 0, height)))
    model.add(mbs.Friction("rub", model.elements["low"], mu=0.2, radius=0.01))
    with refused("not-unique", element="rub"):
        mbs.simulate(model, [0, 1], {"low.omega": 1.0})


# --- words that are not known -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda *pair: mbs.Contact("c", *pair, mu=0.3), ("wrong-arguments", "c", "mu", "friction=", "Contact")),
        (lambda *pair: mbs.Contact("c", *pair, e=0.3), ("wrong-arguments", "restitution=")),
        (lambda *pair: mbs.Contact("c", *pair, bounce=0.3), ("wrong-arguments", "bounce")),
        (
            lambda *pair: mbs.CompliantContact("c", *pair, k=0.3),
            ("wrong-arguments", "c", "stiffness=", "CompliantContact"),
        ),
        (lambda _, disk: mbs.Stop("s", mbs.x(disk.marker), min=0.3), ("wrong-arguments", "s", "min", "lower=", "Stop")),
        (
            lambda _, disk: mbs.DryFriction("s", mbs.x(disk.marker), mu=0.3),
            ("wrong-arguments", "s", "mu", "DryFriction"),
        ),
    ],
)
def test_an_unknown_argument_is_told_with_its_own_word(make, words):
    model = ball()
    with refused(words[0], mentions=words[1:]):
        make(mbs.Line(model.ground), mbs.Disk(model.bodies["ball"], 0.1))


def test_an_unknown_contact_or_quantity_of_a_run_is_told_with_what_there_is():
    run = mbs.simulate(ball(friction=0.2), [0.0, 0.1])
    with refused("unknown-name", owner="the run", kind="contact or friction", name="flor", near=["floor"]):
        run.modes["flor"]
    with refused("unknown-name", name="rub.force", near=["floor.force"]):
        run["rub.force"]
    with refused("unknown-name", name="floor.normal"):
        run["floor.normal"]
    with refused("unknown-name", near=["floor.friction"]):
        run["floor.fricton"]
