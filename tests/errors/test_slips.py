"""Slips that used to pass, or to end in a raw traceback: each is told, with what to write instead."""

from datetime import timedelta

import numpy as np
import pytest
import sympy as sp
from refusals import refused

import mbs_dae as mbs


class Bench:
    def __init__(self, model=mbs.PlanarModel):
        self.model = model("bench")
        self.ground = self.model.ground
        self.a, self.b = self.model.body("a", 1), self.model.body("b", 1)
        self.p = self.model.parameter("p", 1.0)


def force(x, e):
    return mbs.Force("F", x.a, (e, 0))


def swing(x, times):
    x.model.add(mbs.Driver("d", mbs.angle(x.a), mbs.t))
    return mbs.kinematics(x.model, times)


SLIPS = {
    "a truth value as an angle": (lambda x: x.model.body("c", angle=True), "angle of body 'c'", "number", "True"),
    "a numpy truth value": (lambda x: x.model.body("c", mass=np.True_), "mass of body 'c'", "number"),
    "a list of one number": (lambda x: x.model.body("c", mass=np.array([1.0])), "mass of body 'c'", "number"),
    "a huge whole number": (lambda x: x.model.body("c", angle=10**400), "angle of body 'c'", "finite"),
    "a huge number in a force": (lambda x: force(x, 10**400 * mbs.t), "x of Force 'F'", "too large"),
    "a truth value as a force": (lambda x: force(x, True), "x of Force 'F'", "number or a sympy expression"),
    "an impulse": (lambda x: force(x, sp.DiracDelta(mbs.t - 1)), "x of Force 'F'", "impulse", "initial="),
    "a function without code": (lambda x: force(x, sp.factorial(mbs.t)), "x of Force 'F'", "factorial", "math module"),
    "an integral": (lambda x: force(x, sp.Integral(sp.exp(-x.p**2), (x.p, 0, mbs.t))), "x of Force 'F'", "Integral"),
    "a sign": (
        lambda x: mbs.Driver("d", mbs.x(x.a), sp.sign(mbs.t - 1)), "the function of Driver 'd' jumps (sign)", "sp.tanh",
    ),
    "a remainder": (
        lambda x: mbs.Driver("d", mbs.x(x.a), sp.Mod(mbs.t, 0.1)), "the function of Driver 'd' jumps (Mod)", "a Table",
    ),
    "points that are one": (lambda x: mbs.Table([0, 1e-300, 1], [0, 1, 2]), "increase, by more than roundoff"),
    "a choice of its own in a comparison": (
        lambda x: mbs.compare_stabilization(x.model, [0, 1], stabilization=mbs.Projection()), "compare_stabilization()",
        "did you mean 'stabilizations'",
    ),
    "a part of a step": (lambda x: mbs.simulate(x.model, [0, 1], max_steps=10.5), "max_steps is 10.5", "whole number"),
    "an equation in words": (lambda x: mbs.Constraint("c", x.a, x.b, phi="abc"), "Constraint 'c'", "phi=lambda i, j"),
    "one numpy number for a bushing": (
        lambda x: mbs.Bushing("B", x.a, x.b, stiffness=np.float64(100)), "stiffness of Bushing 'B'", "each of 3",
    ),
    "a list as coordinates": (lambda x: x.model.compile([1]), "[1]", "cartesian, joint, natural"),
    "a parameter set in place": (
        lambda x: x.model.parameters.__setitem__("p", 0.2), "with_parameters(p=0.2)", "model.parameter('p', 0.2)",
    ),
    "a stiffness of time": (
        lambda x: x.model.add(mbs.Spring("k", x.a, x.b, stiffness=100 * mbs.t)), "Spring 'k'", "depend on time", "law=",
    ),
    "a driver of the state": (
        lambda x: x.model.add(mbs.Driver("d", mbs.angle(x.a), x.model["b.x"])), "Driver 'd'", "b.x", "a Gear",
    ),
    "a state by its time": (lambda x: mbs.sweep(x.model, "p", [1, 2]).state(0.5), "no state 0.5", "it has 2"),
    "a state beyond the last": (lambda x: mbs.sweep(x.model, "p", [1, 2]).state(99), "no state 99", "it has 2"),
    "nothing repeated": (lambda x: mbs.Motion().repeat(), "repeat() of nothing", "rise"),
    "no times": (lambda x: mbs.kinematics(x.model), "times", "np.linspace"),
    "times with a hole": (lambda x: swing(x, np.ma.masked_array([0, 1.0], [False, True])), "masked", "compressed"),
    "times in days": (lambda x: swing(x, np.array([0, 1], "timedelta64[D]")), "seconds", "total_seconds()"),
    "times with units": (lambda x: swing(x, [timedelta(0), timedelta(1)]), "seconds", "total_seconds()"),
    "times in words": (lambda x: swing(x, ["0", "1"]), "times must be numbers"),
    "plates": (
        lambda x: mbs.PlanarModel.from_points({"A": (0, 0)}, rods=["A"], plates=["A"]), "from_points has no plates",
        "three or more points",
    ),
    "an unknown word": (lambda x: mbs.PlanarModel.from_points({}, rods=[], masses=1), "from_points has no masses"),
    "a negative length": (lambda x: x.model.link("c", (0, 0), (1, 0), length=-0.3), "length of link 'c'", "positive"),
    "a length that turns negative": (
        lambda x: (x.model.link("c", (0, 0), (1, 0), length=x.p), x.model.with_parameters(p=-0.3).compile()),
        "length of link 'c'", "positive",
    ),
    "a numpy function of time": (
        lambda x: mbs.Driver("d", mbs.angle(x.a), lambda t: np.sin(2 * t)), "function of Driver 'd'", "not np.sin",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SLIPS)
def test_slips_are_told(name):
    do, *words = SLIPS[name]
    with pytest.raises(mbs.ModelError) as caught:
        do(Bench())
    assert [word for word in words if word not in str(caught.value)] == []


def test_a_parameter_may_be_called_self_and_swept_as_the_model_knows_it():
    x = Bench()
    own = x.model.parameter("self", 1.0)
    assert x.model.with_parameters(self=2.0).value(own) == 2.0
    assert mbs.sweep(x.model, x.model.parameters["p"], [1.0, 2.0]).axis[0] == "p"


def test_numpy_functions_of_time_name_those_of_sympy():
    for expression in (mbs.t, 2 * mbs.t, mbs.theta**2, sp.cos(mbs.t) + 1):
        with pytest.raises(TypeError, match=r"np\.arctan takes numbers, .* write sp\.atan\(") as caught:
            np.arctan(expression)
        assert f"sp.atan({expression})" in str(caught.value)
    assert np.arange(3) @ np.array([1, mbs.t, mbs.t**2]) == mbs.t + 2 * mbs.t**2  # arithmetic is left alone


def pendulum(**values):
    model = mbs.PlanarModel("pendulum", gravity=(0, -9.81))
    size = values.pop("size", 0.3)
    bar = model.body("bar", mass=1.0, inertia=1.0, **values)
    model.add(mbs.Revolute("A", model.ground, bar.at(-size, 0)))
    return model, bar


def test_a_diagnosis_notes_degrees_millimetres_and_what_was_not_added():
    assert mbs.diagnose(pendulum()[0]).notes == ()
    model, bar = pendulum(angle=35, size=300)
    mbs.Revolute("B", model.ground, bar.at(1, 0))
    found = mbs.diagnose(model)
    degrees, millimetres, forgotten = found.notes
    assert "angle of body 'bar' is 35 rad" in degrees and "np.radians(35)" in degrees
    assert "a length of 300 m" in millimetres and "divide them by 1000" in millimetres
    assert "Revolute 'B' was made on bar and not added; write model.add(...)" in forgotten
    assert "note: Revolute 'B'" in " ".join(str(found).split())


def test_what_was_added_anywhere_or_taken_out_again_is_not_noted():
    model, bar = pendulum()
    hold = mbs.Driver("hold", mbs.angle(bar), 0.0)
    model.plus(hold)
    assert mbs.diagnose(model.without("A").plus(mbs.Revolute("A", model.ground, bar.at(-0.3, 0)))).notes == ()
    assert mbs.diagnose(model.without("A")).notes == ()


def crank_and_rocker(angle=0.5, size=1.0):
    """A driven four-bar linkage whose coupler is placed at `angle`, with its last joint, which is not added."""
    model = mbs.PlanarModel("four-bar")
    crank = model.body("crank", position=(0.5 * size, 0))
    coupler = model.body("coupler", position=(2.0 * size, 1.0 * size), angle=angle)
    rocker = model.body("rocker", position=(3.5 * size, 1.5 * size), angle=np.pi / 2)
    model.add(mbs.Revolute("A", model.ground, crank.at(-0.5 * size, 0)))
    model.add(mbs.Revolute("B", crank.at(0.5 * size, 0), coupler.at(-1.5 * size, 0)))
    model.add(mbs.Revolute("D", model.ground.at(3.5 * size, 0), rocker.at(-1.25 * size, 0)))
    model.add(mbs.Driver("motor", mbs.angle(crank), mbs.t))
    return model, mbs.Revolute("C", coupler.at(1.5 * size, 0), rocker.at(1.25 * size, 0))


def test_a_joint_that_was_made_and_not_added_is_told_with_the_freedom_that_it_leaves():
    model, last = crank_and_rocker()
    with refused("undriven-freedom", freedoms=2, mentions="C"):
        mbs.kinematics(model, [0, 0.1])
    model.add(last)
    assert mbs.kinematics(model, [0, 0.1]).success


def test_a_body_without_a_joint_is_named_with_the_freedom_that_it_leaves():
    model, last = crank_and_rocker()
    model.add(last)
    model.body("lid")
    with refused("undriven-freedom", model="four-bar", freedoms=3, mentions="lid"):
        mbs.kinematics(model, [0, 0.1])


def test_a_body_without_its_guide_is_named_with_the_freedom_that_it_leaves():
    """A slider without its guide turns about its pin, and moves with the rod, while the crank stands."""
    model = mbs.PlanarModel("slider-crank", gravity=(0, -9.81))
    crank, rod = model.link("crank", (0, 0), (0.1, 0), mass=1), model.link("rod", (0.1, 0), (0.4, 0), mass=1)
    slider = model.body("slider", mass=1, position=(0.4, 0))
    model.add(mbs.Revolute("A", model.ground, crank.tail), mbs.Revolute("B", crank.head, rod.tail))
    model.add(mbs.Revolute("C", rod.head, slider), mbs.Driver("motor", mbs.angle(crank), 10 * mbs.t))
    loose = "with all drivers at rest, body 'slider' has 2 degrees of freedom, held by C"
    with refused("undriven-freedom", freedoms=2, mentions="slider"):
        mbs.kinematics(model, [0, 1])
    (note,) = mbs.diagnose(model).notes
    assert note.startswith(loose) and "a joint may be missing" in note
    whole = model.plus(mbs.Translational("guide", model.ground, slider))
    assert mbs.diagnose(whole).notes == () and mbs.kinematics(whole, [0, 1]).success


def test_ends_of_links_without_a_joint_are_named_with_the_freedom_that_they_leave():
    model = mbs.PlanarModel("four-bar")
    pins = [(0, 0), (0, 0.2), (0.5, 0.6), (0.7, 0)]
    crank, coupler, rocker = (
        model.link(name, P, Q) for name, P, Q in zip(("crank", "coupler", "rocker"), pins, pins[1:], strict=False)
    )
    model.add(
        mbs.Revolute("A", model.ground, crank.at(-0.1, 0)),  # the tail, by its place
        mbs.Revolute("B", crank.head, coupler.tail),
        mbs.Revolute("D", model.ground.at(0.7, 0), rocker.head),
        mbs.Driver("motor", mbs.angle(crank), np.pi / 2 + mbs.t),
    )
    with refused("undriven-freedom", model="four-bar", freedoms=2):
        mbs.kinematics(model, [0, 0.1])
    model.add(mbs.Revolute("C", coupler.head, rocker.tail))
    assert mbs.kinematics(model, [0, 0.1]).success


def test_degrees_are_told_where_the_assembly_turned_the_body_by_many_turns():
    model, last = crank_and_rocker(angle=30)
    model.add(last)
    turning = model.without("motor").plus(mbs.Driver("turn", mbs.angle(model.bodies["coupler"]), 0.5 + mbs.t))
    for told in (mbs.assemble(turning).message, mbs.kinematics(turning, [0, 0.1]).stats["turned"]):
        assert "assembly turned body 'coupler' by 29.5 rad" in told and "np.radians(30)" in told
    model, last = crank_and_rocker()
    model.add(last)
    assert "turned" not in mbs.kinematics(model, [200, 200.1]).stats  # a motion may begin after many turns


def test_slips_are_told_wherever_a_model_is_placed():
    """An element that is not added, a length in millimetres: by runs as by poses; nothing where all is well."""
    model = mbs.PlanarModel("arm")
    arm = model.link("arm", (0, 0), (1, 0), mass=2.0)
    pin = model.add(mbs.Revolute("A", model.ground, arm.tail))
    driven = model.plus(mbs.Driver("motor", mbs.angle(pin), mbs.t))
    verbs = (
        lambda: mbs.assemble(model).message,
        lambda: mbs.assemble(model, forces=True).message,
        lambda: mbs.simulate(model, [0, 0.1]).stats.get("slips", ""),
        lambda: mbs.kinematics(driven, [0, 0.1]).stats.get("slips", ""),
        lambda: mbs.inverse_dynamics(driven, [0, 0.1]).stats.get("slips", ""),
    )
    assert not any("added" in verb() for verb in verbs)
    left = mbs.Spring("left", model.ground.at(0, 1), arm.head, stiffness=10.0)
    assert all(verb().endswith("Spring 'left' was made on arm and not added; write model.add(...)") for verb in verbs)
    model.add(left)
    assert not any("added" in verb() for verb in verbs)
    model.bodies["arm"].marker("lamp", 900.0, 0)
    model.bodies["arm"].marker("hook", 0.9, 0)
    told = "marker 'arm.lamp' is 900 m from the origin of its body, and half of all markers no more than"
    assert all(told in verb() for verb in verbs)


def test_what_does_not_assemble_tells_of_degrees_too():
    model, last = crank_and_rocker(angle=90)
    model.add(last, mbs.Distance("far", model.ground, model.bodies["rocker"], 50.0))
    with refused(
        "does-not-assemble", mbs.AssemblyError, model="four-bar", kind="cannot reach", mentions=["coupler", "90 rad"]
    ):
        mbs.assemble(model)


def test_a_driver_that_grows_without_bound_is_named_and_a_fast_one_is_not():
    def turned(function):
        model, bar = pendulum()
        model.add(mbs.Driver("spin", mbs.angle(bar), function))
        return mbs.kinematics(model, np.linspace(0, 0.2, 12))

    with refused("unbounded", joints=["spin"]):
        turned(1 / (mbs.t - 0.1) + 10)
    with refused("too-many-steps", joints=["A", "spin"]):
        turned(1e8 * mbs.t)


@pytest.mark.filterwarnings("error")
def test_a_force_that_leaves_all_bounds_is_named_and_not_the_body_that_it_drives():
    model, _ = pendulum()
    model.add(mbs.Force("F", model.body("thrown", mass=1.0, inertia=1.0), (sp.exp(1000 * mbs.t), 0)))
    with refused("law-without-value", mentions="F"):
        mbs.simulate(model, [0, 1])


def test_an_equation_on_a_corner_is_not_said_to_contradict_others():
    model, bar = pendulum(position=(0.3, 0.0))
    model.add(mbs.Constraint("c", model.ground, bar, phi=lambda i, j: abs(j.angle) - mbs.t))
    with refused("no-such-motion", mbs.RedundantConstraintError, joints=["c"]):
        mbs.assemble(model)


def test_a_class_on_a_coordinate_that_is_none_is_told(monkeypatch):
    x = Bench()
    monkeypatch.setattr(mbs.Damper, "coordinates", ("distanc",))
    with refused("unknown-name", kind="measure", name="distanc", near=["distance", "displacement"]):
        mbs.Damper("d", x.a, x.b, damping=1.0)


def test_a_light_body_is_not_called_massless():
    """A bar of no mass at all asks for the check; it is held, and the light one is free."""
    model = mbs.PlanarModel("unlike", gravity=(0, -9.81))
    heavy, light = model.link("heavy", (0, 0), (1, 0), mass=1e6), model.link("light", (1, 0), (2, 0), mass=1e-10)
    model.add(
        mbs.Revolute("A", model.ground, heavy.tail),
        mbs.Revolute("B", heavy.head, light.tail),
        mbs.Fixed("C", heavy, model.link("stay", (0, 0), (1, 0))),
    )
    with refused("motion-without-mass", bodies=["light"], mentions="unlike"):
        mbs.simulate(model, [0, 0.1])


def test_the_angle_of_a_joint_is_that_between_its_markers():
    """From the frame of the first marker to that of the second: with at= both are one frame in the placement."""
    model = mbs.PlanarModel("crank")
    crank = model.body("crank", mass=1.0, inertia=1.0, angle=0.6)
    own = model.add(mbs.Revolute("own", model.ground, crank))
    for joint, start in ((own, 0.6), (mbs.Revolute("common", model.ground, crank, at=(0, 0)), 0.0)):
        turned = model.without("own").plus(joint, mbs.Driver("motor", mbs.angle(joint), start + mbs.t))
        result = mbs.kinematics(turned, [0.0, 1.0])
        assert result[f"{joint.name}.angle"] == pytest.approx([start, start + 1])
        assert result["crank.angle"] == pytest.approx([0.6, 1.6])


def test_degrees_of_a_marker_without_a_name_are_told():
    model = mbs.PlanarModel("guide")
    body = model.body("block", mass=1.0, inertia=0.1)
    model.add(mbs.Translational("guide", model.ground.at(0, 0, angle=90), body.at(0, 0, angle=90)))
    ground, block = mbs.diagnose(model).notes
    assert ground.startswith("angle of a marker of Translational 'guide' on body 'ground' is 90 rad")
    assert "on body 'block'" in block and "np.radians(90)" in block


def press(r=0.08):
    """Return a slider-crank whose crank has the length r, and is placed between points that are 0.08 m apart."""
    model = mbs.PlanarModel("press")
    crank = model.link("crank", (0, 0), (0, 0.08), mass=1.0, length=model.parameter("r", r, "m"))
    rod = model.link("rod", (0, 0.08), (0.24, 0.02), mass=1.0)
    slider = model.body("slider", mass=1.0, inertia=1.0, position=(0.24, 0.02))
    model.add(
        mbs.Revolute("A", model.ground, crank.tail),
        mbs.Revolute("B", crank.head, rod.tail),
        mbs.Revolute("C", rod.head, slider),
        mbs.Translational("guide", model.ground, slider),
    )
    return model


def test_a_link_much_longer_than_where_it_is_placed_is_told():
    assert mbs.diagnose(press()).notes == ()
    (note,) = mbs.diagnose(press(80)).notes
    assert note.startswith("link 'crank' is 80 m long, and placed between points 0.08 m apart: lengths are in metres")
    model = press(80)
    driven = model.plus(mbs.Driver("motor", mbs.angle(model.bodies["crank"]), 1.5 + mbs.t))
    with refused(
        "does-not-assemble", mbs.AssemblyError, model="press", kind="cannot reach", mentions=["crank", "800 m"]
    ):
        mbs.assemble(driven.with_parameters(r=800))
    points = {"A": (0, 0), "B": (0, 0.1), "C": (0.3, 0.1), "D": (0.3, 0)}
    linkage = mbs.PlanarModel.from_points(points, ["AB", "BC", "CD"], fixed="AD", dimensions=True)
    assert mbs.diagnose(linkage).notes == ()
    with refused(
        "does-not-assemble", mbs.AssemblyError, model="mechanism", kind="cannot reach", mentions=["AB", "100 m"]
    ):
        mbs.assemble(linkage.with_parameters(**{"AB.length": 100.0}))


def test_values_of_drivers_and_of_starts_in_millimetres_or_degrees_are_told():
    model = press()
    with refused(
        "does-not-assemble", mbs.AssemblyError, model="press", kind="cannot reach", mentions=["lift", "250 m"]
    ):
        mbs.assemble(model.plus(mbs.Driver("lift", mbs.displacement(model.elements["guide"]), 250 + 10 * mbs.t)))
    with refused("does-not-assemble", mbs.AssemblyError, model="press", kind="cannot reach", mentions="250 m"):
        mbs.simulate(model, [0, 0.1], initial={"slider.x": 250})
    with refused("does-not-assemble", mbs.AssemblyError, model="press", kind="cannot reach", mentions="45 rad"):
        mbs.assemble(model, fix={"rod.angle": 45})
    turned = model.plus(mbs.Driver("motor", mbs.angle(model.bodies["crank"]), 90))
    assert mbs.assemble(turned)["crank.angle"] == pytest.approx(90)  # a note, and no refusal
    (note,) = mbs.diagnose(turned).notes
    assert note.startswith("the first value of Driver 'motor' is 90 rad (5157°)") and "np.radians(90)" in note
    for start in (1.5, 2 * np.pi * 3, 7.25):
        driven = model.plus(mbs.Driver("motor", mbs.angle(model.bodies["crank"]), start + mbs.t))
        assert mbs.diagnose(driven).notes == ()
