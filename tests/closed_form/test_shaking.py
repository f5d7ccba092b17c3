"""What the frame feels: against the momentum of all bodies, and with forces that stay inside."""

import numpy as np
import pytest
from refusals import refused

import mbs_dae as mbs

TIMES = np.linspace(0, 0.2, 21)
BODIES = {"crank": (1.3, 0.02, (0.06, 0.02)), "rod": (0.7, 0.03, (0.25, 0.01)), "slider": (2.1, 0.01, (0.02, 0.03))}


def slider_crank(gravity=(0.0, -9.81)):
    model = mbs.PlanarModel("slider-crank", gravity=gravity)
    for name, (mass, inertia, com) in BODIES.items():
        model.body(
            name, mass=mass, inertia=inertia, com=com, position={"rod": (0.1, 0), "slider": (0.5, 0)}.get(name, (0, 0))
        )
    crank, rod, slider = model.bodies["crank"], model.bodies["rod"], model.bodies["slider"]
    pin = model.add(mbs.Revolute("A", model.ground, crank))
    model.add(
        mbs.Revolute("B", crank.at(0.1, 0), rod),
        mbs.Revolute("C", rod.at(0.4, 0), slider),
        mbs.Translational("guide", model.ground, slider),
        mbs.Driver("motor", mbs.angle(pin), 0.3 + 30 * mbs.t + 40 * mbs.t**2),
        mbs.Spring("spring", model.ground.at(0.9, 0.2), slider, stiffness=900.0, length=0.3),
        mbs.Damper("damper", crank.at(0, 0.1), slider.at(0, 0.05), damping=25.0),
        mbs.TorsionSpring("coil", mbs.angle(crank), stiffness=5.0),
    )
    return model


def centre(result, name):
    """Where the centre of mass of a body is, and its acceleration."""
    _, _, (cx, cy) = BODIES[name]
    phi, omega, alpha = result[f"{name}.angle"], result[f"{name}.omega"], result[f"{name}.alpha"]
    arm = np.stack([cx * np.cos(phi) - cy * np.sin(phi), cx * np.sin(phi) + cy * np.cos(phi)], axis=1)
    across = np.stack([-arm[:, 1], arm[:, 0]], axis=1)
    place = np.stack([result[f"{name}.x"], result[f"{name}.y"]], axis=1) + arm
    bias = alpha[:, None] * across - omega[:, None] ** 2 * arm
    return place, np.stack([result[f"{name}.ax"], result[f"{name}.ay"]], axis=1) + bias


def moment(place, force):
    return place[:, 0] * force[:, 1] - place[:, 1] * force[:, 0]


@pytest.fixture(scope="module")
def result():
    return mbs.inverse_dynamics(slider_crank(), TIMES)


@pytest.mark.parametrize("name", BODIES)
def test_the_frame_feels_the_inertia_of_each_body_as_it_is(result, name):
    """Force -m a, and about the origin -(c × m a + I α)."""
    mass, inertia, _ = BODIES[name]
    place, a = centre(result, name)
    expected = np.column_stack([-mass * a, -moment(place, mass * a) - inertia * result[f"{name}.alpha"]])
    share = result.shaking()[f"inertia of {name}"]
    assert np.abs(share - expected).max() < 1e-12 * np.abs(result.shaking().total).max()


@pytest.mark.parametrize("name", BODIES)
def test_the_frame_carries_the_weight_of_each_body(result, name):
    weight = np.array([[0.0, -9.81 * BODIES[name][0]]])
    place, _ = centre(result, name)
    expected = np.column_stack([np.tile(weight, (len(place), 1)), moment(place, np.tile(weight, (len(place), 1)))])
    share = result.shaking()[f"weight of {name}"]
    assert np.abs(share - expected).max() < 1e-12 * np.abs(result.shaking().total).max()


@pytest.mark.parametrize("name", ["spring", "damper", "coil"])
def test_what_acts_between_bodies_and_frame_does_not_shake_it(result, name):
    """A spring from the frame pulls at the frame by itself, and back through the joints."""
    assert np.abs(result.reaction(name)).max() > 1.0
    assert np.abs(result.shaking()[name]).max() < 1e-11


def test_the_sum_is_that_of_all_that_touches_the_frame(result):
    """A, the guide, the motor and two springs; and moments about another point by the arm of the force."""
    shaking = result.shaking()
    assert np.abs(sum(shaking.parts.values()) - shaking.total).max() < 1e-12 * np.abs(shaking.total).max()
    forces = -sum(result.reaction(name)[:, :2] for name in ("A", "guide", "spring", "coil"))
    assert np.abs(shaking.total[:, :2] - forces).max() < 1e-11
    there = result.shaking(about=(0.4, -0.2)).total
    assert np.array_equal(there[:, :2], shaking.total[:, :2])
    arm = np.tile([[0.4, -0.2]], (len(result), 1))
    assert there[:, 2] == pytest.approx(shaking.total[:, 2] - moment(arm, shaking.total), abs=1e-9)
    model = slider_crank()
    marked = mbs.inverse_dynamics(model, TIMES).shaking(about=model.ground.at(0.4, -0.2)).total
    assert np.abs(marked - there).max() < 1e-9


def test_a_force_from_outside_goes_through_to_the_frame():
    model = slider_crank(gravity=(0, 0))
    model.add(mbs.Force("gas", model.bodies["slider"].at(0, 0.1), (-60.0, 7.0)))
    result = mbs.inverse_dynamics(model, TIMES)
    place = np.stack([result["slider.x"], result["slider.y"] + 0.1], axis=1)
    expected = np.column_stack([np.full(21, -60.0), np.full(21, 7.0), moment(place, np.tile([[-60.0, 7.0]], (21, 1)))])
    assert np.abs(result.shaking()["gas"] - expected).max() < 1e-10


def test_in_space_a_spinning_rotor_shakes_by_its_products_of_inertia():
    """Spun about z at ω, its centre on the axis: the moment is -ω × I ω, of the size ω² |(I_xz, I_yz)|."""
    model = mbs.SpatialModel("rotor")
    tensor = ((0.03, 0.0, 0.004), (0.0, 0.03, 0.003), (0.004, 0.003, 0.04))
    rotor = model.body("rotor", mass=2.0, inertia=tensor)
    pin = model.add(mbs.Revolute("A", model.ground, rotor))
    model.add(mbs.Driver("motor", mbs.angle(pin), 100 * mbs.t))
    total = mbs.inverse_dynamics(model, np.linspace(0, 0.05, 5)).shaking().total
    assert np.abs(total[:, :3]).max() < 1e-12
    assert np.linalg.norm(total[:, 3:], axis=1) == pytest.approx(100.0**2 * 0.005, rel=1e-12)
    assert total[0, 3:] == pytest.approx([30.0, -40.0, 0.0], abs=1e-10)


def test_a_mechanism_in_free_fall_does_not_shake_what_it_does_not_touch():
    """Two bodies on a spring, thrown: nothing touches the frame but the mass that hangs on it."""
    model = mbs.PlanarModel("thrown", gravity=(0, -9.81))
    a, b = model.body("a", mass=1, inertia=0.1), model.body("b", mass=2, inertia=0.1, position=(1, 0))
    hung = model.body("hung", mass=3, inertia=0.1)
    model.add(mbs.Spring("between", a, b, stiffness=40.0, length=0.5), mbs.Fixed("hold", model.ground, hung))
    shaking = mbs.simulate(model, np.linspace(0, 0.4, 5)).shaking()
    assert shaking.total[:, :2] == pytest.approx(np.tile([0, -3 * 9.81], (5, 1)), abs=1e-9)
    assert np.abs(shaking["weight of b"]).max() < 1e-12 and np.abs(shaking["between"]).max() < 1e-12


def test_moments_are_about_a_point_of_the_frame(result):
    model = slider_crank()
    with refused("marker-moves", argument="about", marker="rod(0, 0)"):
        mbs.inverse_dynamics(model, TIMES).shaking(about=model.bodies["rod"].at(0, 0))
    with refused("not-a-point", dimension=2):
        result.shaking(about=(1, 2, 3))
