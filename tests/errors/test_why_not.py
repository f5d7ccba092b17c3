"""What is said of poses, velocities and accelerations that cannot be, or that the equations do not determine."""

import warnings

import numpy as np
import pytest
import sympy as sp
from refusals import refused

import mbs_dae as mbs
from mbs_dae.poses import newton


def hinged_bar():
    model = mbs.PlanarModel("bar", gravity=(0, -9.81))
    bar = model.link("bar", (0, 0), (1, 0), mass=2.0)
    model.add(mbs.Revolute("A", model.ground, bar.tail))
    return model


def slider_crank(x):
    """Drawn straight, and pulled to x."""
    model = mbs.PlanarModel("slider-crank")
    crank, rod = model.link("crank", (0, 0), (0.1, 0)), model.link("rod", (0.1, 0), (0.4, 0))
    slider = model.body("slider", position=(0.4, 0))
    model.add(
        mbs.Revolute("A", model.ground, crank.tail),
        mbs.Revolute("B", crank.head, rod.tail),
        mbs.Revolute("C", rod.head, slider),
        mbs.Translational("guide", model.ground, slider),
        mbs.Driver("pull", mbs.x(slider), x + 0 * mbs.t),
    )
    return model


def parallelogram(length=0.7):
    """Flat: a change point. Its rods turn alike, or as those of an antiparallelogram."""
    model = mbs.PlanarModel("flat")
    left = model.link("left", (0, 0), (length, 0), mass=1)
    right = model.link("right", (1, 0), (1 + length, 0), mass=1)
    bar = model.link("bar", (length, 0), (1 + length, 0), mass=1)
    model.add(mbs.Revolute("O", model.ground, left.tail), mbs.Revolute("P", model.ground.at(1, 0), right.tail))
    model.add(mbs.Revolute("B", left.head, bar.tail), mbs.Revolute("C", bar.head, right.head))
    return model


# --- accelerations ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("angle", "omega"), [(0.0, 0.0), (0.7, 3.0)])
def test_forces_make_the_acceleration_of_a_pose_when_asked_to(angle, omega):
    """A bar of length l hinged at its end: α = -3 g cos φ / 2 l; its tip also has ω² l towards the hinge."""
    state = mbs.assemble(hinged_bar(), fix={"bar.angle": angle, "bar.omega": omega}, forces=True)
    alpha = -1.5 * 9.81 * np.cos(angle)
    assert state["bar.alpha"] == pytest.approx(alpha, rel=1e-13)
    assert state["bar.head.ax"] == pytest.approx(-alpha * np.sin(angle) - omega**2 * np.cos(angle), abs=1e-12)
    assert state["bar.omega"] == pytest.approx(omega, abs=1e-14) and state.message == ""


def test_an_acceleration_that_equations_leave_free_is_not_read_in_silence():
    model = hinged_bar()
    state = mbs.assemble(model, fix={"bar.angle": 0.0, "bar.omega": 2.0})
    assert "forces=True" in state.message
    with pytest.warns(UserWarning, match=r"bar.alpha is left free.*forces=True"):
        assert state["bar.alpha"] == pytest.approx(0.0, abs=1e-12)
    driven = model.plus(mbs.Driver("motor", mbs.angle(model.ground, model.bodies["bar"]), mbs.t**2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert state["bar.head.ax"] == pytest.approx(-4.0)  # along the bar: the equations say so
        assert mbs.assemble(driven)["bar.alpha"] == pytest.approx(2.0)


def test_forces_need_masses():
    model = hinged_bar()
    weightless = mbs.PlanarModel("weightless")
    weightless.add(mbs.Revolute("A", weightless.ground, weightless.link("bar", (0, 0), (1, 0)).tail))
    assert mbs.assemble(model, forces=True)["bar.alpha"] < 0
    with refused("no-mass"):
        mbs.assemble(weightless, forces=True)


# --- poses ------------------------------------------------------------------------------------------------------


def test_a_placement_on_a_dead_centre_is_called_that():
    words = ["dead centre", "A, B, C, pull"]
    with refused("does-not-assemble", mbs.AssemblyError, mentions=words) as told:
        mbs.assemble(slider_crank(0.399))
    assert told.value.kind == "bad guess"
    assert mbs.assemble(slider_crank(0.4))["slider.x"] == pytest.approx(0.4)


@pytest.mark.parametrize("radius", [0.2, 2.0])
def test_a_cam_out_of_reach_is_given_up_soon(radius, monkeypatch):
    count, evaluate = [0], newton.evaluate_and_factorise

    def counted(*args):
        count[0] += 1
        return evaluate(*args)

    monkeypatch.setattr(newton, "evaluate_and_factorise", counted)
    model = mbs.PlanarModel("cam")
    cam, lever = model.body("cam"), model.link("lever", (1, 0), (0.7, 0))
    model.add(
        mbs.Revolute("O", model.ground, cam),
        mbs.Revolute("P", model.ground.at(1, 0), lever.tail),
        mbs.CamFollower("follower", cam, lever.head, profile=radius + 0.05 * sp.cos(3 * mbs.theta)),
    )
    with refused("does-not-assemble", mbs.AssemblyError, kind="cannot reach"):
        mbs.assemble(model)
    assert count[0] < 17 * 200


# --- starts on a singular pose ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("left", "right", "words"), [(1.0, 1.0, ("singular-start",)), (1.0, 2.0, ("singular-start",))]
)
def test_a_singular_start_says_whether_its_velocities_are_possible(left, right, words):
    with refused(words[0], mbs.SingularConfigurationError, mentions=words[1:]):
        mbs.simulate(parallelogram(), [0, 0.1], initial={"left.omega": left, "right.omega": right})
