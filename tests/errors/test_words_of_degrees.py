"""Angles that a person has typed in degrees are warned of, with the line that makes them radians; computed ones are
not."""

import warnings

import numpy as np
import pytest

import mbs_dae as mbs


def pendulum(**placed) -> mbs.PlanarModel:
    model = mbs.PlanarModel("pendulum", gravity=(0, -9.81))
    rod = model.body("rod", 1.0, 0.1, **placed)
    model.add(mbs.Revolute("A", model.ground, rod, at=(0, 0)))
    return model


@pytest.fixture
def silent():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.parametrize("degrees", [10, 30, 45.0, 90, -180])
@pytest.mark.parametrize("name", ["rod.angle", "A.angle"])
def test_initial_angles_in_degrees_are_warned_of(name, degrees):
    model = pendulum()
    told = rf"initial\['{name}'\] is {degrees:g} rad, .* turns: angles are in radians; .*np.radians\({degrees:g}\)"
    with pytest.warns(UserWarning, match=told) as found:
        run = mbs.simulate(model, [0, 1e-3], initial={name: degrees})
    assert len(found) == 1 and found[0].filename == __file__  # the line of the person, not one of the package
    assert run[name][0] == pytest.approx(degrees)  # a warning, and no other meaning
    with pytest.warns(UserWarning, match=told.replace("initial", "fix")):
        mbs.assemble(model, fix={name: degrees})
    with pytest.warns(UserWarning, match=told):
        started = mbs.start(model, {name: degrees})
    with pytest.warns(UserWarning, match=told):
        started.reset({name: degrees})


def test_angles_of_bodies_markers_and_elements_in_degrees_are_warned_of():
    with pytest.warns(UserWarning, match=r"the angle of body 'rod' is 90 rad.*np.radians\(90\)"):
        model = pendulum(angle=90)
    with pytest.warns(UserWarning, match=r"the angle of a marker on body 'rod' is 45 rad"):
        model.bodies["rod"].at(0.1, 0, 45)
    with pytest.warns(UserWarning, match=r"angle of TorsionSpring 'hold' is 30 rad"):
        mbs.TorsionSpring("hold", model.elements["A"], stiffness=1.0, angle=30)


def test_radians_rates_and_numbers_of_results_are_not_warned_of(silent):
    """A shaft makes many turns in a second, a result many in a run, and 10 t is a whole number of rad at t = 1 s."""
    model = pendulum(angle=1)
    for value in (6, -6.0, 4 * np.pi, 7.25, np.radians(90), 20.7345):
        mbs.simulate(model, [0, 1e-3], initial={"A.angle": value})
    mbs.simulate(model, [0, 1e-3], initial={"A.omega": 300})
    turned = pendulum()
    driven = turned.plus(mbs.Driver("motor", mbs.angle(turned.elements["A"]), 10 * mbs.t))
    end = mbs.kinematics(driven, [0.0, 1.0])
    mbs.simulate(turned, [1.0, 1.001], initial={"A.angle": end["A.angle"][-1], "A.omega": 10})
    mbs.simulate(turned, [1.0, 1.001], initial=end.state(-1))
