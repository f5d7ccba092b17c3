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


# --- every verb that takes angles -----------------------------------------------------------------------------------


def arm(*elements) -> mbs.PlanarModel:
    """Return an arm of two rods with springs at its pins, a plate at the angle `alpha` and a spring at rest at `beta`;
    both parameters are in rad."""
    model = mbs.PlanarModel("arm", gravity=(0, -9.81))
    alpha, beta = model.parameter("alpha", 0.3, unit="rad"), model.parameter("beta", 0.2, unit="rad")
    one = model.link("one", (0, 0), (1, 0), mass=1.0)
    two = model.link("two", (1, 0), (1.6, 0), mass=1.0)
    A, B = model.add(mbs.Revolute("A", model.ground, one.tail), mbs.Revolute("B", one.head, two.tail))
    model.add(mbs.TorsionSpring("s", A, stiffness=50.0, angle=beta), mbs.TorsionSpring("k", B, stiffness=50.0, angle=0))
    plate = model.body("plate", 1.0, 0.1)
    model.add(mbs.Fixed("weld", model.ground.at(0, 2, alpha), plate))
    model.add(*elements)
    return model


def crank() -> mbs.PlanarModel:
    """Return a driven crank whose angle is t plus the parameter `alpha`, in rad."""
    model = mbs.PlanarModel("crank")
    alpha = model.parameter("alpha", 0.3, unit="rad")
    rod = model.link("rod", (0, 0), (1, 0))
    pin = model.add(mbs.Revolute("A", model.ground, rod.tail))
    model.add(mbs.Driver("motor", mbs.angle(pin), mbs.t + alpha))
    return model


def wheel() -> mbs.PlanarModel:
    """Return a wheel on a pin, without weight: each angle is an equilibrium."""
    model = mbs.PlanarModel("wheel")
    model.add(mbs.Revolute("A", model.ground, model.body("disk", 1.0, 0.1)))
    return model


POINTS = {"A": (0, 0), "B": (0.6, 0), "C": (0.825, 0.662), "D": (1, 0)}
TIMES = np.linspace(0.0, 0.1, 4)


def four_bar() -> mbs.PlanarModel:
    rods = {"crank": "AB", "coupler": "BC", "rocker": "CD"}
    return mbs.PlanarModel.from_points(POINTS, rods=rods, fixed="AD")


def plain_arm() -> mbs.PlanarModel:
    points = {"A": (0, 0), "B": (1, 0), "C": (1.5, 0.1)}
    return mbs.PlanarModel.from_points(points, rods=["AB", "BC"], fixed="A")


def reset(x) -> mbs.Event:
    return mbs.Event("again", when=mbs.t - 0.05, action=mbs.Reset({"A.angle": x}))


def reset_of_a_later_pin(x):
    """Simulate a pendulum to which the event was added before the pin whose angle the event sets."""
    model = mbs.PlanarModel("pendulum")
    rod = model.link("rod", (0, 0), (1, 0), mass=1.0)
    model.add(reset(x))
    model.add(mbs.Revolute("A", model.ground, rod.tail))
    mbs.simulate(model, TIMES)


def measured(model: mbs.PlanarModel) -> dict[str, np.ndarray]:
    run = mbs.kinematics(model, TIMES)
    return {"t": TIMES, "rod.head.x": run["rod.head.x"], "rod.head.y": run["rod.head.y"]}


def best(x, **how):
    over = {"alpha": (-0.5, x)}
    mbs.optimize(lambda r: r["rod.head.x"] - 0.9, crank(), TIMES, over, kind="least_squares", verb="kinematics", **how)


VERBS = {
    "assemble": ("fix['A.angle']", lambda x: mbs.assemble(arm(), fix={"A.angle": x})),
    "follow": ("fix['A.angle']", lambda x: mbs.follow(plain_arm(), "B.angle", fix={"A.angle": x})),
    "assembly_modes": ("fix['crank.angle']", lambda x: mbs.assembly_modes(four_bar(), fix={"crank.angle": x})),
    "workspace over=": (
        "over['alpha']", lambda x: mbs.workspace(arm(), over={"alpha": (0.1, x), "beta": (0.1, 0.4)}, fix={
            "A.angle": 0.1, "B.angle": 0.1})),
    "workspace fix=": (
        "fix['A.angle']", lambda x: mbs.workspace(arm(), over={"alpha": (0.1, 0.4), "beta": (0.1, 0.4)}, fix={
            "A.angle": x, "B.angle": 0.1})),
    "reachable_workspace limits=": (
        "limits['B.angle']", lambda x: mbs.reachable_workspace(plain_arm(), "BC.C", limits={"B.angle": (-0.5, x)})),
    "inverse_kinematics limits=": (
        "limits['B.angle']",
        lambda x: mbs.inverse_kinematics(plain_arm(), {"BC.C": (1, 1)}, {"B.angle": (-2.0, x)}, tries=3)),
    "inverse_kinematics start=": (
        "start['B.angle']",
        lambda x: mbs.inverse_kinematics(plain_arm(), {"BC.C": (1, 1)}, start={"B.angle": x}, tries=3)),
    "forward_kinematics": ("joints['A.angle']", lambda x: mbs.forward_kinematics(plain_arm(), {"A.angle": x})),
    "recursive_kinematics": ("values['A.angle']", lambda x: mbs.recursive_kinematics(plain_arm(), {"A.angle": x})),
    "equilibrium start=": ("start['A.angle']", lambda x: mbs.equilibrium(pendulum(), start={"A.angle": x})),
    "equilibrium over=": ("over['alpha']", lambda x: mbs.equilibrium(arm(), over=("alpha", [0.3, x]))),
    "holding": ("pose['A.angle']", lambda x: mbs.holding(arm(), {"A.angle": x})),
    "linearize state=": ("state['A.angle']", lambda x: mbs.linearize(wheel(), {"A.angle": x})),
    "linearize over= parameter": ("over['alpha']", lambda x: mbs.linearize(arm(), over=("alpha", [0.3, x]))),
    "linearize over= quantity": (
        "over['A.angle']", lambda x: mbs.linearize(wheel(), {"A.omega": 0.0}, over=("A.angle", [0.3, x]))),
    "simulate": ("initial['A.angle']", lambda x: mbs.simulate(arm(), TIMES, initial={"A.angle": x})),
    "start": ("initial['A.angle']", lambda x: mbs.start(arm(), {"A.angle": x})),
    "reset of a run": ("initial['A.angle']", lambda x: mbs.start(arm()).reset({"A.angle": x})),
    "Reset": ("Reset['A.angle']", lambda x: arm(reset(x))),
    "Reset of a later element": ("Reset['A.angle']", reset_of_a_later_pin),
    "parameter": ("parameter 'alpha'", lambda x: mbs.PlanarModel("one").parameter("alpha", x, unit="rad")),
    "with_parameters": ("with_parameters['alpha']", lambda x: arm().with_parameters(alpha=x)),
    "sweep": ("values['alpha']", lambda x: mbs.sweep(crank(), "alpha", [x - 0.5, x])),
    "ensemble of a grid": (
        "over['alpha']", lambda x: mbs.ensemble(crank(), TIMES, {"alpha": [0.3, x]}, verb="kinematics")),
    "ensemble of rows": (
        "over['alpha']", lambda x: mbs.ensemble(crank(), TIMES, [{"alpha": 0.3}, {"alpha": x}], verb="kinematics")),
    "ensemble of distributions": (
        "over['alpha']",
        lambda x: mbs.ensemble(crank(), TIMES, {"alpha": mbs.Tolerance(x, 0.01)}, verb="kinematics", count=2)),
    "ensemble of initial values": (
        "over['A.angle']", lambda x: mbs.ensemble(arm(), TIMES, {"A.angle": [0.3, x]})),
    "ensemble initial=": (
        "initial['A.angle']", lambda x: mbs.ensemble(arm(), TIMES, {"beta": [0.2, 0.3]}, initial={"A.angle": x})),
    "optimize": ("over['alpha']", best),
    "optimize starts=": ("starts['alpha']", lambda x: best(np.float64(100.0), starts=[{"alpha": x}])),
    "fit": (
        "over['alpha']", lambda x: mbs.fit(crank(), measured(crank()), {"alpha": (-1.0, x)}, verb="kinematics")),
    "tolerance": (
        "sigma['alpha']",
        lambda x: mbs.tolerance(crank(), TIMES, {"alpha": mbs.Tolerance(x, 1e-4)}, ["rod.head.x"], "kinematics")),
    "gradient": (
        "initial['A.angle']",
        lambda x: mbs.gradient(mbs.at_end("A.angle"), arm(), TIMES, ["beta"], initial={"A.angle": x})),
}  # fmt: skip
"""The name of the angle in the warning of each verb, and a call of the verb with an angle."""


@pytest.mark.parametrize("verb", VERBS)
def test_each_verb_warns_once_of_angles_that_are_typed_in_degrees(verb):
    what, call = VERBS[verb]
    with pytest.warns(UserWarning, match="angles are in radians") as found:
        call(90)
    told = [str(one.message) for one in found if "angles are in radians" in str(one.message)]
    assert len(told) == 1 and told[0].startswith(f"{what} is 90 rad"), told
    assert "np.radians(90)" in told[0]
    assert all(one.filename == __file__ for one in found)


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("angle", [1, 0.9, np.float64(90.0), np.radians(90)], ids=str)
def test_no_verb_warns_of_small_angles_and_computed_ones(verb, angle, recwarn):
    _, call = VERBS[verb]
    call(angle)
    assert not [one for one in recwarn if "radians" in str(one.message)]


def test_values_on_the_way_of_a_verb_are_not_warned_of(silent):
    """Whole numbers of rad in NumPy arrays are taken for computed ones by a sweep, a study, a run and a path."""
    mbs.sweep(crank(), "alpha", np.arange(0.0, 40.5, 0.5))
    mbs.ensemble(crank(), TIMES, {"alpha": np.arange(0.0, 40.0, 10.0)}, verb="kinematics")
    mbs.ensemble(arm(), TIMES, {"A.angle": np.arange(0.0, 40.0, 10.0)})
    runs = mbs.start(arm(), {"A.angle": np.arange(0.0, 40.0, 10.0)}, count=4)
    runs.reset({"A.angle": np.arange(10.0, 50.0, 10.0)})
    mbs.linearize(wheel(), {"A.omega": 0.0}, over=("A.angle", np.arange(0.0, 40.0, 10.0)))
    four = four_bar()
    mbs.assembly_modes(four, fix={"crank.angle": np.float64(-7.0)}).circuits  # noqa: B018


def test_rotations_by_degrees_are_warned_of():
    rotations = mbs.rotations
    for turn in (
        lambda: rotations.bryant(90, 0, 0),
        lambda: rotations.euler(0, 30, 0),
        lambda: rotations.about((0, 0, 1), 45),
        lambda: rotations.about_x([0, 180]),
    ):
        with pytest.warns(UserWarning, match=r"angle.* is \d+ rad.*angles are in radians.*np\.radians\(\d+\)"):
            turn()


def test_rotations_by_radians_are_not_warned_of(silent):
    rotations = mbs.rotations
    rotations.bryant(np.radians(90), 0, np.radians(720))
    rotations.euler(np.arange(9), 0, 1)
    rotations.about((0, 0, 1), -6)
