"""Derivatives of assembled states: closed forms, and differences extrapolated from states of other designs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from gallery import load
from refusals import refused
from test_motions_by_parameters import extrapolated

import mbs_dae as mbs
from mbs_dae.derivatives.parameters import design_variables
from mbs_dae.derivatives.start import VariedStart
from mbs_dae.motion.initial import initial_state

CLOSE = 1e-9


def five_bar() -> mbs.PlanarModel:
    """Two freedoms, a placement that is not closed and moves with x0, and masses that matter."""
    model = mbs.PlanarModel("five-bar", gravity=(0, -9.81))
    r, l, x0, m = (model.parameter(n, v) for n, v in (("r", 1.0), ("l", 1.5), ("x0", 0.3), ("m", 2.0)))
    first = model.link("first", (0, 0), (0.3 + x0, 0.9), length=r, mass=m)
    plate = model.body("plate", position=(0.7, 1.3), angle=0.3, mass=m**2, inertia=0.3, com=(0.5, 0.2))
    third = model.link("third", (1.6, 1.4), (2.1, 1.1), length=1.7, mass=1.0)
    last = model.link("last", (2, 1.1), (2.1, 0.1), length=1, mass=1.0)
    joints = (
        mbs.Revolute("A", model.ground, first.tail), mbs.Revolute("B", first.head, plate),
        mbs.Revolute("C", plate.at(l, 0.1), third.tail), mbs.Revolute("D", third.head, last.tail),
        mbs.Revolute("E", last.head, model.ground.at(2, 0)),
    )  # fmt: skip
    model.add(*joints)
    return model


def chain() -> mbs.SpatialModel:
    """Attitudes, of the placement too."""
    model = mbs.SpatialModel("chain", gravity=(0, 0, -9.81))
    a, b, c = (model.parameter(n, v) for n, v in (("a", 1.0), ("b", 0.7), ("c", 0.4)))
    turn = mbs.rotations.bryant(b - 0.5, 0.2, 0.3 * c)
    arm = model.body(
        "one", position=(0.05, 0.1 * b - 0.07, 0.1), rotation=turn, mass=1.0, inertia=(0.1, 0.2, 0.3), com=(0.1, 0, 0)
    )
    turn = mbs.rotations.bryant(0.3, -0.4, 0.3)
    two = model.body("two", position=(1.2, 0.2, 0.1), rotation=turn, mass=2.0, inertia=(0.3, 0.2, 0.3))
    model.add(
        mbs.Spherical("S", model.ground.at(0, 0, 0.1), arm),
        mbs.Spherical("T", arm.at(a, 0.1, 0), two.at(-0.1, b / 7, 0)),
        mbs.Distance("D", two.at(0.3, 0, 0), model.ground.at(2, 0, 0), length=c + 0.5),
    )
    return model


CASES: dict[str, tuple[Callable[[], Any], dict[str, float]]] = {
    "plane": (five_bar, {"first.omega": 2.0, "last.angle": -1.6}),
    "space": (chain, {"one.wx": 2.0}),
}


def designs(model: Any, given: Mapping[str, float], by: str) -> Callable[[float], tuple[Any, dict[str, float]]]:
    """The model and the values given, with a little more of one of them."""

    def at(h: float) -> tuple[Any, dict[str, float]]:
        if by in given:
            return model, {**given, by: given[by] + h}
        return model.with_parameters(**{by: model.parameters[by].value + h}), dict(given)

    return at


def read(state: mbs.State, names: list[str]) -> dict[str, Any]:
    return {name: state.result[name][0] for name in names}


@pytest.mark.parametrize("forces", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_nearest_poses_least_velocities_and_accelerations(case, forces):
    build, given = CASES[case]
    model = build()
    asked = [*model.parameters, *given]
    state = mbs.assemble(model, fix=given, forces=forces, derivatives=asked)
    names = state.result.names
    for by in asked:
        at = designs(model, given, by)
        expected = extrapolated(lambda h, at=at: _assembled(at(h), forces, names), names)
        scale = max(abs(expected[name]) for name in names)
        for name in names:
            assert state.d(name, by) == pytest.approx(expected[name], abs=CLOSE * scale), (name, by)


def _assembled(design: tuple[Any, dict[str, float]], forces: bool, names: list[str]) -> dict[str, Any]:
    model, given = design
    return read(mbs.assemble(model, fix=given, forces=forces), names)


@pytest.mark.parametrize("case", CASES)
def test_the_velocity_of_least_kinetic_energy(case):
    """Where `simulate` begins."""
    build, given = CASES[case]
    model = build()
    asked = design_variables(model, [*model.parameters, *given], given)
    begin = VariedStart(asked, initial_state(model, 0.0, given)[0], given)
    for k, by in enumerate(asked.names):
        at = designs(model, given, by)
        starts = lambda h, at=at: {"v": initial_state(*(at(h)[0], 0.0, at(h)[1]))[0].v}  # noqa: E731
        expected = extrapolated(starts, ["v"])["v"]
        np.testing.assert_allclose(begin.energetic_velocity[k], expected, rtol=0, atol=CLOSE, err_msg=by)


def test_a_start_is_held():
    """Near to another state, which does not change with the parameter: the nearest in energy, too."""
    model = five_bar()
    start = mbs.assemble(model, fix={"first.angle": 1.2, "last.omega": 1.0, "first.omega": -0.5})
    state = mbs.assemble(model, start=start, derivatives=["l"])
    begin = VariedStart(design_variables(model, ["l"]), initial_state(model, 0.0, start)[0], {}, start)
    at = designs(model, {}, "l")
    names = ["plate.x", "third.angle"]
    expected = extrapolated(lambda h: read(mbs.assemble(at(h)[0], start=start), names), names)
    for name in names:
        assert state.d(name, "l") == pytest.approx(expected[name], abs=CLOSE)
    expected = extrapolated(lambda h: {"v": initial_state(at(h)[0], 0.0, start)[0].v}, ["v"])
    np.testing.assert_allclose(begin.energetic_velocity[0], expected["v"], rtol=0, atol=CLOSE)


def test_a_pose_that_is_determined():
    """A ladder of 5 m whose head is held at h: x = √(25 - h²), and x' = -h h'/x."""
    model = mbs.PlanarModel("ladder")
    ladder = model.link("ladder", (2.5, 0), (0.5, 4.5), length=5)
    model.add(
        mbs.PinInSlot("floor", model.ground, ladder.tail),
        mbs.PinInSlot("wall", model.ground.at(0, 0, np.pi / 2), ladder.head),
    )
    by = ["ladder.head.y", "ladder.head.vy"]
    state = mbs.assemble(model, fix={"ladder.head.y": 4, "ladder.head.vy": -2}, derivatives=by)
    assert state.d("ladder.tail.x", by[0]) == pytest.approx(-4 / 3, abs=1e-13)
    assert state.d("ladder.tail.vx", by[0]) == pytest.approx(2 / 3 * (1 + 16 / 9), abs=1e-13)
    assert state.d("ladder.tail.vx", by[1]) == pytest.approx(-4 / 3, abs=1e-13)


def test_redundant_joints_do_no_harm():
    """A shaft in two bearings, turned by hand."""
    model = mbs.SpatialModel("shaft")
    l = model.parameter("l", 1.0)
    shaft = model.body("shaft", position=(0, 0, 0.1), mass=1.0, inertia=(1, 1, 1))
    model.add(mbs.Revolute("A", model.ground, shaft), mbs.Revolute("B", model.ground.at(0, 0, l), shaft.at(0, 0, l)))
    tip = shaft.marker("tip", l, 0, 0)
    assert tip is shaft.tip
    state = mbs.assemble(model, fix={"A.angle": 0.3, "A.omega": 2.0}, derivatives=["l", "A.angle", "A.omega"])
    assert state.d("shaft.tip.x", "l") == pytest.approx(np.cos(0.3), abs=1e-12)
    assert state.d("shaft.tip.vx", "A.angle") == pytest.approx(-2 * np.cos(0.3), abs=1e-12)
    assert state.d("shaft.tip.vy", "A.omega") == pytest.approx(np.cos(0.3), abs=1e-12)


def test_a_singular_pose_has_no_derivative():
    """A parallelogram, all in line."""
    points = {"A": (0, 0), "B": (1, 0), "C": (3, 0), "D": (2, 0)}
    model = mbs.PlanarModel("parallelogram")
    r = model.parameter("r", 1.0)
    first = model.link("first", points["A"], points["B"], length=r)
    coupler = model.link("coupler", points["B"], points["C"], length=2)
    last = model.link("last", points["D"], points["C"], length=1)
    joints = ((model.ground, first.tail), (first.head, coupler.tail), (coupler.head, last.head))
    model.add(*(mbs.Revolute(name, *pair) for name, pair in zip("ABC", joints, strict=True)))
    model.add(mbs.Revolute("D", model.ground.at(2, 0), last.tail))
    assert np.isnan(mbs.assemble(model, derivatives=["r"]).d("coupler.x", "r"))


def test_initial_values_of_states():
    """A state begins as it is declared; nothing else depends on that."""
    model = five_bar()
    i0 = model.parameter("i0", 2.0)
    model.state("i", rate=lambda i: -i, initial=i0**2)
    state = mbs.assemble(model, derivatives=["i0"])
    assert state.d("i", "i0") == pytest.approx(4.0)
    with refused("no-derivative", name="i.rate"):
        state.d("i.rate", "i0")


def test_what_was_not_asked_for_is_told():
    model = five_bar()
    with refused("result-from-file"):
        mbs.assemble(model).d("plate.x", "r")
    with refused("is-a-reading", mentions="plate.angle"):
        mbs.assemble(model, derivatives=["plate.angle"])


@pytest.mark.parametrize(("name", "by"), [("arm_two_link", "l2"), ("bowling_ball", "R"), ("cam_follower", "base")])
def test_models_of_the_gallery(name, by):
    model = load(name).build()
    state, value = mbs.assemble(model, derivatives=[by]), model.parameters[by].value
    names = state.system.model.quantity_names()[:15]
    at = designs(model, {}, by)
    expected = extrapolated(lambda h: _assembled(at(h * value), False, names), names)
    scale = max(abs(expected[name]) for name in names)
    for name in names:
        assert state.d(name, by) * value == pytest.approx(expected[name], abs=CLOSE * scale), name
