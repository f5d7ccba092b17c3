"""What a first user of contacts writes amiss is told in that user's own words, with the way out."""

from __future__ import annotations

import copy
import inspect

import numpy as np
import pytest
import sympy as sp
from refusals import refused

import mbs_dae as mbs
from mbs_dae.errors import ModelError


def falling(**laws):
    model = mbs.PlanarModel("yard", gravity=(0, -9.81))
    body = model.body("ball", mass=1.0, inertia=0.01, position=(0, 0.2))
    model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Disk(body, 0.1), **laws))
    return model, body


# --- what is spoken of is there ---------------------------------------------------------------------------------------


def sliding():
    model = mbs.PlanarModel("slide", gravity=(0, -9.81))
    body = model.body("block", mass=1.0, inertia=0.01)
    return model, mbs.Translational("guide", model.ground, body)


@pytest.mark.parametrize(
    "said",
    [
        lambda guide: mbs.Friction("rub", guide, mu=0.2),
        lambda guide: mbs.Stop("rub", mbs.displacement(guide), upper=1.0),
        lambda guide: mbs.DryFriction("rub", mbs.displacement(guide), force=1.0),
        lambda guide: mbs.DryFriction("rub", mbs.displacement(guide), force=1.0, smooth=0.1),
        lambda guide: mbs.Driver("rub", mbs.displacement(guide), mbs.t),
        lambda guide: mbs.ViscousFriction("rub", guide, 1.0),
    ],
)
def test_a_joint_that_is_spoken_of_and_not_there(said, interpreted_kernels):
    model, guide = sliding()
    model.add(said(guide))
    with refused("not-of-this-model", other="Translational 'guide'", mentions="rub"):
        model.compile()
    whole = model.plus(guide)
    copy.deepcopy(whole).compile()
    with refused("not-of-this-model", other="Translational 'guide'"):
        whole.without("guide").compile()
    with refused("not-of-this-model", other="Translational 'guide'"):
        whole.without("guide").plus(mbs.Translational("guide", model.ground, model.bodies["block"])).compile()


def test_a_measure_of_markers_needs_no_joint(interpreted_kernels):
    model, guide = sliding()
    model.add(mbs.Stop("rub", mbs.displacement(*guide.markers), upper=1.0))
    model.compile()


# --- functions of markers ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("gap", ["j.y - 0.1", 0.1])
def test_a_gap_is_a_function_by_its_own_name(gap):
    model, body = falling()
    with refused("not-a-function", name="gap", mentions="ab"):
        mbs.Contact("ab", model.ground, body, gap=gap)


def test_as_many_parameters_as_markers():
    model, body = falling()
    with refused("wrong-arguments", argument="gap of Contact 'ab'", count=2):
        mbs.Contact("ab", model.ground, body, gap=lambda i: i.y)


@pytest.mark.parametrize(
    "word, told", [("vx", "it has: x, y, angle, .*velocity, omega"), ("velocty", "did you mean 'velocity'")]
)
def test_what_a_marker_has(word, told):
    model, body = falling()
    with pytest.raises(ModelError, match=f"a marker in the plane has no '{word}'; {told}"):
        mbs.Contact("ab", model.ground, body, gap=lambda i, j: j.y, slip=lambda i, j: getattr(j, word), friction=0.3)


# --- arguments --------------------------------------------------------------------------------------------------------


def test_arguments_of_shapes_and_of_friction():
    model, body = falling()
    guide = mbs.Translational("guide", model.ground, body)
    with refused("wrong-arguments", mentions="radius"):
        mbs.Disk(body)
    with refused("wrong-arguments", mentions="sides"):
        mbs.Box(body, (1, 1), sides=4)
    with refused("not-a-joint", joint="guide"):
        mbs.Friction("rub", "guide", mu=0.2)
    with refused("wrong-arguments", word="static_friction"):
        mbs.Friction("rub", guide, mu=0.2, static_friction=0.3)
    for cls in (mbs.Contact, mbs.CompliantContact):
        more = {"stiffness": 1e6} if cls is mbs.CompliantContact else {}
        with refused("no-friction", name="friction"):
            cls("ab", mbs.Line(model.ground), mbs.Disk(body, 0.1), smooth=0.01, **more)


def test_what_help_shows():
    assert [*inspect.signature(mbs.Disk).parameters] == ["marker", "radius", "inside"]
    assert {"restitution", "friction"} < {*inspect.signature(mbs.CamContact).parameters}


def test_corners_of_a_box_count_with_the_last_axis_first(interpreted_kernels):
    for model, size, wall in (
        (mbs.PlanarModel("plane"), (2.0, 4.0), mbs.Line),
        (mbs.SpatialModel("space"), (2.0, 4.0, 8.0), mbs.Plane),
    ):
        dimension = model.dimension
        place = (0.0,) * (dimension - 1) + (10.0,)
        body = model.body("box", mass=1.0, inertia=1.0 if dimension == 2 else (1, 1, 1), position=place)
        model.add(mbs.Contact("floor", wall(model.ground), mbs.Box(body, size)))
        gaps = [mbs.assemble(model)[f"floor.gap{k + 1}"] for k in range(2**dimension)]
        assert gaps == pytest.approx([10 - size[-1] / 2, 10 + size[-1] / 2] * 2 ** (dimension - 1))


# --- where bodies begin -----------------------------------------------------------------------------------------------


def test_disks_about_one_centre_have_no_way_out_that_is_shorter():
    model = mbs.PlanarModel("one in the other")
    first, second = (model.body(name, mass=1.0, inertia=0.01) for name in "ab")
    model.add(mbs.Contact("ab", mbs.Disk(first, 0.1), mbs.Disk(second, 0.1)))
    with refused("contact-overlaps", model="one in the other", mentions="0.2 m") as told:
        mbs.simulate(model, [0, 1])
    assert "initial" not in str(told.value)


def test_a_line_upside_down_says_which_side_is_its_own(interpreted_kernels):
    model = mbs.PlanarModel("cellar")
    body = model.body("ball", mass=1.0, inertia=0.01, position=(0, 1))
    model.add(mbs.Contact("floor", mbs.Line(model.ground.at(0, 0, angle=np.pi)), mbs.Disk(body, 0.1)))
    with refused("contact-overlaps", time=0.0, mentions="1.1 m"):
        mbs.simulate(model, [0, 1])


def test_limits_of_an_angle_that_may_be_degrees(interpreted_kernels):
    model = mbs.PlanarModel("door")
    leaf = model.link("leaf", (0, 0), (1, 0), mass=1.0)
    hinge = model.add(mbs.Revolute("hinge", model.ground, leaf.tail))
    model.add(mbs.Stop("buffer", mbs.angle(hinge), lower=-90, upper=-45))
    with refused("contact-overlaps", contacts=["buffer"], mentions="45 rad"):
        mbs.simulate(model, [0, 1])
    assert "upper of Stop 'buffer' is -45 rad" in mbs.diagnose(model).notes[1]


# --- what a run tells -------------------------------------------------------------------------------------------------


def test_names_of_impulses_and_messages_of_results():
    model, _ = falling()
    run = mbs.simulate(model, [0, 0.3])
    with refused("unknown-name", owner="the impact", kind="joint, driver or contact", name="flor", near=["floor"]):
        run.impacts[0].impulses["flor"]
    assert repr(run).endswith("complete>")
    model.add(mbs.CoordinateFix("hold", model.bodies["ball"], "y", 0.1))
    kept = mbs.simulate(model, [0, 0.1])
    assert kept.message and repr(kept).endswith(f"complete: {kept.message}>")


def test_friction_that_builds_up_over_a_small_slip_is_no_case_for_implicit_methods():
    model, _ = falling(friction=0.3, smooth=1e-3)
    model.add(mbs.CoordinateFix("upright", model.bodies["ball"], "angle", 0))
    told = mbs.simulate(model, [0, 1], {"floor.gap": 0.0, "ball.vx": 1.0, "ball.vy": 0.0}).stats["stiff"]
    assert "follow Contact 'floor', whose friction builds up over smooth=" in told and "Radau5" not in told


# --- what holds -------------------------------------------------------------------------------------------------------


def test_a_pose_in_which_nothing_touches_says_so(interpreted_kernels):
    told = repr(mbs.holding(falling(friction=0.3)[0]))
    assert "not held, margin 0 (nothing touches; nearest is floor.gap = 0.1 m)" in told


@pytest.mark.parametrize("push", [0.0, 3.0])
def test_a_table_on_four_legs_shares_its_load_and_says_so(push, interpreted_kernels):
    table = mbs.SpatialModel("table", gravity=(0, 0, -9.81))
    top = table.body("top", mass=10.0, inertia=(1, 1, 1), position=(0, 0, 0.5))
    for k, (x, y) in enumerate([(1, 1), (-1, 1), (-1, -1), (1, -1)]):
        foot = mbs.Point(top.at(x, y, -0.5))
        table.add(mbs.Contact(f"leg {k}", mbs.Plane(table.ground), foot, friction=0.4))
    table.add(mbs.Force("push", top.at(0, 0, -0.5), (push, 0, 0)))
    held = mbs.holding(table)
    for k in range(4):
        assert held.forces[f"leg {k}.force"] == pytest.approx(10 * 9.81 / 4, rel=1e-5)
        assert not held.is_unique(f"leg {k}")[0]
    assert "leg 3 are not unique" in repr(held)
    three = mbs.holding(table.without("leg 3"))
    assert all(three.is_unique(f"leg {k}").all() for k in range(3)) and "unique" not in repr(three)


def test_a_load_that_enters_nothing_and_an_end_at_zero(interpreted_kernels):
    model = mbs.PlanarModel("yard", gravity=(0, -9.81))
    mass, _ = model.parameter("M", 2.0), model.parameter("P", 1.0)
    block = model.body("block", mass=mass, inertia=0.1)
    model.add(mbs.Contact("floor", mbs.Line(model.ground.at(0, 0, angle=0.1)), mbs.Point(block), friction=0.3))
    with refused("load-without-effect", name="P", model="yard"):
        mbs.holding(model, load="P")
    assert mbs.holding(model, load="M").between == (0.0, np.inf)


@pytest.mark.parametrize("kind", ["mu", "force", "contact"])
def test_friction_without_a_value_is_told(kind):
    """A Piecewise that lacks a case is nan there."""
    model = mbs.PlanarModel("bench", gravity=(0, -9.81))
    block = model.body("block", mass=1.0, inertia=0.1)
    law = sp.Piecewise((0.4, model["block.x"] > 0.3))
    if kind == "contact":
        model.add(mbs.Contact("rub", mbs.Line(model.ground), mbs.Point(block), friction=law))
    else:
        guide = model.add(mbs.Translational("guide", model.ground, block))
        given = mbs.Friction("rub", guide, mu=law)
        model.add(given if kind == "mu" else mbs.DryFriction("rub", mbs.displacement(guide), force=law))
    with refused("friction-undefined-or-negative", mbs.IntegrationError, mentions=["rub", "bench"]):
        mbs.simulate(model, [0, 1], {"block.vx": 1.0})


@pytest.mark.parametrize("how", [{}, {"method": "Radau5"}, {"method": "Moreau", "step": 1e-2}])
@pytest.mark.parametrize("kind", ["joint", "contact"])
def test_friction_that_loses_its_value_on_the_way_is_told(kind, how):
    """Pushed with 3 N against a friction of 2 N it comes to x = 1, where μ ends."""
    code = "friction-undefined-or-negative"
    with refused(code, mbs.MbsError, mentions=["rub", "bench", "not a finite number", "a last case"]) as told:
        mbs.simulate(ending(kind), [0, 2], {"block.vx": 1.0}, **how)
    if not how:
        assert told.value.time == pytest.approx((np.sqrt(1 + 2 * (3 - 0.2 * 9.81)) - 1) / (3 - 0.2 * 9.81), abs=1e-6)


def test_friction_without_a_value_is_told_by_other_analyses():
    words = ["rub", "not a finite number", "a last case"]
    driven = ending("joint")
    driven.add(mbs.Driver("motor", mbs.x(driven.bodies["block"]), mbs.t))
    with refused("friction-undefined-or-negative", model="bench", time=1.0, mentions="rub"):
        mbs.inverse_dynamics(driven, np.linspace(0, 2, 5))
    for kind in ("joint", "contact"):
        away = ending(kind, 2.0)
        for verb in (mbs.holding, mbs.equilibrium):
            with refused("friction-undefined-or-negative", model="bench", time=0.0, mentions=words):
                verb(away)


def ending(kind, x=0.0):
    """A block of 1 kg at x that is pushed with 3 N, on a bench with a coefficient of 0.2 that is given for x < 1."""
    model = mbs.PlanarModel("bench", gravity=(0, -9.81))
    block = model.body("block", mass=1.0, inertia=0.1, position=(x, 0))
    law = sp.Piecewise((0.2, model["block.x"] < 1))
    model.add(mbs.Force("push", block, (3.0, 0)))
    if kind == "joint":
        model.add(mbs.Friction("rub", model.add(mbs.Translational("guide", model.ground, block)), mu=law))
        return model
    return model.plus(
        mbs.CoordinateFix("upright", block, "angle"),
        mbs.Contact("rub", mbs.Line(model.ground), mbs.Point(block), friction=law),
    )


def braked_wheel(load: float, coefficient: float = 1.0) -> mbs.PlanarModel:
    """Return a wheel that a drum of 100 N m and a shoe of 100 N, 5 mm from its axle, hold against a torque `load`, in
    N m."""
    model = mbs.PlanarModel("wheel")
    wheel = model.body("wheel", 2.0, 0.1)
    hinge = model.add(mbs.Revolute("hinge", model.ground, wheel))
    model.add(
        mbs.DryFriction("drum", mbs.angle(hinge), force=100.0 * coefficient),
        mbs.DryFriction("shoe", mbs.y(wheel.at(5e-3, 0)), force=100.0),
        mbs.Torque("load", wheel, load),
    )
    return model


def test_frictions_whose_shares_of_a_load_do_not_settle_are_named():
    """The least Σ f²/w² under M + r F = P gives the shoe the part r² w_F²/(r² w_F² + w_M²), 2.5e-5 at equal weights.
    The weight of a drum at 0.9 (1 + δ) of its bound falls by the fraction δ/2 in a round, and in 20,000 rounds to
    exp(-δ · 10⁴): with δ = 4e-4 the shoe has not taken over its share yet, with δ = 0.02 it has."""
    with pytest.raises(mbs.IntegrationError) as error:
        mbs.simulate(braked_wheel(90.0 * (1 + 4e-4)), [0, 0.1])
    assert "DryFriction 'drum' and DryFriction 'shoe' in 'wheel' stick and hold one load together" in str(error.value)
    assert "their shares of it do not settle" in str(error.value)
    assert error.value.facts["time"] == 0.0 and len(error.value.facts["joints"]) == 2


@pytest.mark.parametrize("load, coefficient", [(80.0, 1.0), (90.0 * 1.02, 1.0), (90.0 * (1 + 4e-4), 1.01)])
def test_frictions_beside_those_whose_shares_do_not_settle_hold_the_load(load, coefficient):
    """Other loads, and a coefficient changed a little as the message advises, give M + r F = P within all bounds."""
    run = mbs.simulate(braked_wheel(load, coefficient), [0, 0.1])
    assert np.abs(run["wheel.angle"]).max() < 1e-12 and {*run.modes["drum"], *run.modes["shoe"]} == {"sticks"}
    drum, shoe = run["drum.friction"], run["shoe.friction"]
    np.testing.assert_allclose(np.abs(drum + 5e-3 * shoe), load, rtol=1e-12)
    assert np.abs(drum).max() <= 100.0 * coefficient and np.abs(shoe).max() <= 100.0


def test_a_load_above_all_bounds_turns_the_wheel():
    """Drum and shoe slip above 100 N m + 5 mm · 100 N = 100.5 N m: J ω̇ = P - 100.5 N m while the angle is 0."""
    run = mbs.simulate(braked_wheel(101.5), [0, 1e-4])
    assert run["wheel.alpha"][0] == pytest.approx(1.0 / 0.1, rel=1e-9)
