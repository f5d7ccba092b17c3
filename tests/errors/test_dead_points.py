"""A guide that rubs at a dead point, where no free motion moves it, is no error: the run starts at rest, beside it, or
with a velocity (tests/closed_form/test_starts_at_dead_centres.py has the motion)."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from rubbing import rubbing_slider_crank

import mbs_dae as mbs


@pytest.mark.parametrize(("angle", "initial"), [(0.0, None), (np.pi, None), (0.01, None), (0.0, {"crank.omega": 5.0})])
def test_a_guide_that_rubs_starts_at_a_dead_point(angle, initial):
    model = rubbing_slider_crank(angle)
    model.add(mbs.Torque("M", model.bodies["crank"], 2.0))
    assert mbs.simulate(model, np.linspace(0, 0.1, 3), initial=initial).success


def toggle():
    """Return two rods of 0.5 m and 0.583 m that a driver stretches with 0.2 m/s, from 0.9 m on."""
    model, up = mbs.PlanarModel("toggle", gravity=(0, -9.81)), np.pi / 2
    arm, strut = model.link("arm", (0, 0), (0.3, 0.4), mass=2.0), model.link("strut", (0.3, 0.4), (0, 0.9), mass=1.5)
    ram = model.body("ram", mass=10.0, inertia=1.0, position=(0, 0.9))
    model.add(
        mbs.Revolute("O", model.ground, arm.tail),
        mbs.Revolute("K", arm.head, strut.tail),
        mbs.Revolute("T", strut.head, ram),
        mbs.Translational("slide", model.ground.at(0, 0, angle=up), ram.at(0, 0, angle=up)),
        mbs.Driver("lift", mbs.y(ram), 0.9 + 0.2 * mbs.t),
    )
    return model


@pytest.mark.parametrize("coordinates", ["cartesian", "natural", "joint"])
def test_a_run_that_is_driven_beyond_full_stretch_is_told_the_dead_point(coordinates):
    system, stretched = toggle().compile(coordinates), (0.5 + np.hypot(0.3, 0.5) - 0.9) / 0.2
    assert mbs.simulate(system, np.linspace(0, 0.9, 3)).success
    with refused("dead-point", mbs.SingularConfigurationError) as e:
        mbs.simulate(system, np.linspace(0, 2, 41))
    assert stretched - 0.01 < e.value.time < stretched + 1e-6 and {"O", "K", "T", "lift"} <= {*e.value.joints}
    assert "drive another coordinate (mbs.follow" in str(e.value) and "Projection" not in str(e.value)
    assert e.value.result.t[-1] == pytest.approx(0.9)


# --- dead points and change points have different messages -----------------------------------------------------------

A, B, C, D = 0.2, 0.5, 0.4, 0.6
"""Lengths of the crank, the coupler, the rocker and the frame of a crank-rocker, in m: A + D < B + C."""


def crank_rocker(law, outer: bool) -> mbs.PlanarModel:
    """Return a crank-rocker near an outer or inner dead point of its rocker, whose angle a driver prescribes: the angle
    at the dead point plus the law. At the dead point crank and coupler are in line, and AC is B + A or B - A."""
    reach = B + A if outer else B - A
    x = (reach**2 - C**2 + D**2) / (2 * D)
    dead = np.arctan2(np.sqrt(reach**2 - x**2), x - D)
    turn = np.arctan2(np.sqrt(reach**2 - x**2), x) + (0.01 if outer else np.pi + 0.01)
    head = A * np.array([np.cos(turn), np.sin(turn)])
    to_pivot = np.array([D, 0.0]) - head
    far = np.hypot(*to_pivot)
    along = (B**2 - C**2 + far**2) / (2 * far)
    across = np.sqrt(B**2 - along**2)
    knee = head + (along * to_pivot + across * np.array([-to_pivot[1], to_pivot[0]])) / far
    points = {"A": (0, 0), "B": tuple(head), "C": tuple(knee), "D": (D, 0)}
    rods = {"crank": "AB", "coupler": "BC", "rocker": "DC"}
    model = mbs.PlanarModel.from_points(points, rods=rods, fixed="AD")
    model.add(mbs.Driver("motor", mbs.angle(model.ground, model.bodies["rocker"]), dead + law))
    return model


def flat_parallelogram(law) -> mbs.PlanarModel:
    """Return a parallelogram with a driven crank at its change point, where it may go on as an antiparallelogram."""
    points = {"A": (0, 0), "B": (0.2, 0), "C": (0.8, 0), "D": (0.6, 0)}
    rods = {"crank": "AB", "coupler": "BC", "rocker": "DC"}
    model = mbs.PlanarModel.from_points(points, rods=rods, fixed="AD")
    model.add(mbs.Driver("motor", mbs.angle(model.ground, model.bodies["crank"]), law))
    return model


def words_at(model) -> str:
    """Return what `assemble` and `kinematics` say of the first pose: a message or an error of each."""
    try:
        told = mbs.assemble(model).message
    except mbs.SingularConfigurationError as error:
        told = str(error)
    with pytest.raises(mbs.SingularConfigurationError) as found:
        mbs.kinematics(model, [0.0, 1e-3])
    return f"{told}\n{found.value}"


@pytest.mark.parametrize("outer", [True, False], ids=["outer", "inner"])
@pytest.mark.parametrize("speed", [-1.0, 0.0, 1.0])
@pytest.mark.parametrize("beside", [0.0, 1e-13, 1e-12, 3e-12, 1e-11])
def test_a_dead_point_within_roundoff_is_no_change_point(beside, speed, outer):
    """The joints of a crank-rocker have one smooth motion, along which the rocker turns back."""
    inward = 1.0 if outer else -1.0
    told = words_at(crank_rocker(inward * beside + speed * mbs.t, outer))
    assert told.count("dead point") == 2 and "change point" not in told
    assert "accelerations free" not in told
    assert "motor lock there" in told and "slightly different time" not in told


@pytest.mark.parametrize("speed", [0.0, 1.0])
@pytest.mark.parametrize("beside", [0.0, 1e-12, 1e-11])
def test_a_change_point_is_no_dead_point(beside, speed):
    """In a flat parallelogram the equations of the joints alone are dependent: two branches of the motion cross."""
    told = words_at(flat_parallelogram(beside + speed * mbs.t))
    assert told.count("change point") == 2 and "dead point" not in told
    assert "start at a slightly different time" in told


@pytest.mark.parametrize("outer", [True, False], ids=["outer", "inner"])
def test_a_crank_rocker_beside_its_dead_point_moves_as_the_parabola_says(outer):
    """Beside the dead point ψ = ψ₀ ± k φ²/2, so φ' = ± ψ'/√(2 k ε) at the distance ε: it grows as 1/√ε."""
    inward = 1.0 if outer else -1.0
    rates = [
        abs(mbs.assemble(crank_rocker(inward * (beside + mbs.t), outer))["crank.omega"]) for beside in (1e-6, 1e-8)
    ]
    assert rates[1] / rates[0] == pytest.approx(10.0, rel=2e-3)


def test_freedom_that_no_driver_takes_is_neither():
    """A crank-rocker that nothing drives has free accelerations, at the dead point of its rocker as well."""
    model = crank_rocker(0.0, True).without("motor")
    told = mbs.assemble(model, fix={"crank.angle": 0.3}).message
    assert "leave accelerations free" in told and "point" not in told


def braked_press(r, l, F, M):
    """A crank r with a brake M, a rod l and a load F on the slider. In a pose turned by φ the load has the moment
    F r (1 + r/l) φ about the axis of the crank, and the margin is M over it."""
    model = mbs.PlanarModel("press")
    crank, rod = model.body("crank"), model.body("rod", position=(r, 0))
    ram = model.body("ram", mass=1.0, inertia=1.0, position=(r + l, 0))
    A = model.add(mbs.Revolute("A", model.ground, crank))
    model.add(mbs.Revolute("B", crank.at(r, 0), rod), mbs.Revolute("C", rod.at(l, 0), ram))
    model.add(mbs.Translational("guide", model.ground, ram))
    model.add(mbs.DryFriction("brake", mbs.angle(A), force=M), mbs.Force("F", ram, (-F, 0)))
    return model


@pytest.mark.parametrize("beside", [1e-2, 1e-3, 1e-6, -1e-9, 1e-11, 0.0])
def test_a_pose_beside_a_dead_point_needs_hardly_any_friction(beside):
    r, l, F, M = 1.0, 2.0, 10.0, 1.0
    held = mbs.holding(braked_press(r, l, F, M), {"A.angle": beside})
    if abs(beside) > 1e-4:
        assert held.margin == pytest.approx(M / (F * r * (1 + r / l) * abs(beside)), rel=1e-4)
    else:
        assert held.margin == np.inf
    assert held.needs_little_friction is (0 < abs(beside) < 1e-4)
    assert ("hardly any friction" in repr(held)) is held.needs_little_friction


@pytest.mark.parametrize("coordinates", ["cartesian", "natural", "joint"])
@pytest.mark.parametrize("margin", [0.667, 0.999, 1.001, 70.0])
@pytest.mark.parametrize("beside", [1e-7, 3e-8, -1e-9, 1e-10, 1e-12])
def test_a_weak_brake_beside_a_dead_point_is_compared_with_the_moment_of_the_load(beside, margin, coordinates):
    """Joints are closed to about 1e-15: φ has as many digits as that leaves."""
    model = braked_press(1.0, 2.0, 10.0, margin * 15.0 * abs(beside))
    held = mbs.holding(model.compile(coordinates), {"A.angle": beside})
    assert held.margin == pytest.approx(margin, rel=1e-6 + 1e-15 / abs(beside)) and held.held is (margin > 1.0)
    assert not held.needs_little_friction and held.slips == ("brake",)
    assert held.certain or abs(beside) < 1e-9


@pytest.mark.parametrize("margin", [0.5, 2.0])
@pytest.mark.parametrize("kind", ["pin", "rod"])
def test_weak_friction_in_any_joint_beside_a_dead_point_is_compared_with_the_load(kind, margin):
    """Friction μ in the pin A of radius ρ carries the force F of the rod; a brake on the angle of the rod against the
    ram turns by r/l of the crank."""
    beside, moment = 1e-9, 10.0 * 1.5e-9
    model = braked_press(1.0, 2.0, 10.0, 0.0).without("brake")
    A, C = model.elements["A"], model.elements["C"]
    pin = mbs.Friction("rub", A, mu=margin * moment / (10.0 * 0.01), radius=0.01)
    model.add(pin if kind == "pin" else mbs.DryFriction("rub", mbs.angle(C), force=margin * moment * 2.0))
    assert mbs.holding(model, {"A.angle": beside}).margin == pytest.approx(margin, rel=1e-5)


def test_a_load_that_is_roundoff_beside_a_dead_point_is_told():
    held = mbs.holding(braked_press(1.0, 2.0, 10.0, 3e-13), {"A.angle": 5e-14})
    assert not held.certain and "roundoff" in repr(held)
    strong = mbs.holding(braked_press(1.0, 2.0, 10.0, 1e-3), {"A.angle": 5e-14})
    assert strong.certain and strong.margin == np.inf and "roundoff" not in repr(strong)


@pytest.mark.parametrize("wall", [False, True])
@pytest.mark.parametrize("space", [False, True])
@pytest.mark.parametrize("margin", [0.5, 2.0, 300.0])
@pytest.mark.parametrize("angle", [1e-5, 1e-9, 1e-11])
def test_a_block_on_an_almost_level_slope_needs_its_tangent_of_friction(angle, margin, space, wall):
    """A wall on the upper side of the block pushes and does not pull."""
    x, z = 10.0 * np.sin(angle), -10.0 * np.cos(angle)
    model = mbs.SpatialModel("slope", gravity=(x, 0, z)) if space else mbs.PlanarModel("slope", gravity=(x, z))
    block = model.body("block", mass=2.0, inertia=(1.0, 1.0, 1.0) if space else 1.0)
    floor = mbs.Plane(model.ground) if space else mbs.Line(model.ground)
    model.add(mbs.Contact("floor", floor, mbs.Point(block), friction=margin * np.tan(angle)))
    if wall:
        model.add(mbs.Stop("wall", mbs.x(block), lower=0.0))
    held = mbs.holding(model)
    assert held.margin == pytest.approx(margin, rel=1e-6 + 1e-13 / angle) and held.held is (margin > 1.0)
    assert (mbs.equilibrium(model)["block.x"] == 0.0) if held.held else True


def test_almost_balanced_weights_are_held_by_a_weak_brake():
    for unequal, margin in ((1e-7, 0.5), (1e-10, 0.5), (1e-10, 2.0), (-1e-11, 1.1)):
        model = mbs.PlanarModel("scales", gravity=(0, -10))
        beam = model.body("beam", mass=1.0, inertia=1.0)
        hinge = model.add(mbs.Revolute("hinge", model.ground, beam))
        model.add(mbs.Force("left", beam.at(-1, 0), (0, -10.0)))
        model.add(mbs.Force("right", beam.at(1, 0), (0, -10.0 * (1.0 + unequal))))
        model.add(mbs.DryFriction("brake", mbs.angle(hinge), force=margin * 10.0 * abs((1.0 + unequal) - 1.0)))
        assert mbs.holding(model).margin == pytest.approx(margin, rel=1e-4)


@pytest.mark.parametrize("coordinates", ["cartesian", "natural", "joint"])
@pytest.mark.parametrize("offset", [1e-3, 1e-9, 1e-10])
def test_a_weak_spring_beside_a_dead_point_moves_the_equilibrium(offset, coordinates):
    """A load F that pulls the ram out has the moment -F r (1 + r/l) φ, and a spring k (φ₀ - φ): φ = φ₀ k/(k + 15)."""
    k = 15.0
    model = braked_press(1.0, 2.0, -10.0, 0.0).without("brake")
    model.add(mbs.TorsionSpring("spring", model.elements["A"], stiffness=k, angle=offset))
    rest = mbs.equilibrium(model.compile(coordinates), {"A.angle": 2.0 * offset})
    assert rest["A.angle"] == pytest.approx(offset / 2.0, rel=1e-5, abs=1e-14)


@pytest.mark.parametrize(("r", "l", "F", "M"), [(1.0, 2.0, 10.0, 1.0), (0.1, 0.3, 1e3, 1.0), (0.03, 0.1, 5e3, 2.0)])
@pytest.mark.parametrize("margin", [10.0, 1e3, 5e3, 9.9e3])
def test_large_margins_beside_a_dead_point_have_all_their_digits(margin, r, l, F, M):
    beside = M / (F * r * (1 + r / l) * margin)
    held = mbs.holding(braked_press(r, l, F, M), {"A.angle": beside})
    sine, cosine = np.sin(beside), np.cos(beside)
    arm = r * sine + r**2 * sine * cosine / np.sqrt(l**2 - r**2 * sine**2)
    assert held.margin == pytest.approx(M / (F * arm), rel=1e-7)


def test_a_block_that_needs_no_friction_is_near_no_dead_point():
    model = mbs.PlanarModel("block", gravity=(0, -10))
    block = model.body("block", mass=1.0, inertia=1.0)
    model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Point(block), friction=0.5))
    assert mbs.holding(model).margin == np.inf and not mbs.holding(model).needs_little_friction
