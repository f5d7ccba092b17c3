"""Motions with jumps and events, to all digits: drivers that dwell, dry friction, pendulums and cranks that pass an
angle.

Values by convolution (drivers), elliptic integrals (pendulum), quadrature of the energy (dry hinge, four-bar) and in
closed form (pulled block), with 40 digits.
"""

import numpy as np
import pytest
import sympy as sp
from helpers import FourBar

import mbs_dae as mbs
from mbs_dae.coordinates import SETS

G = 9.81


def on_a_line(force, x=0.0, v=0.0):
    model = mbs.PlanarModel("line")
    block = model.body("block", mass=1.0, inertia=1.0)
    model.add(mbs.Translational("guide", model.ground, block))
    model.add(mbs.Force("force", block, (force(model["block.x"], model["block.vx"]), 0)))
    return model, {"block.x": x, "block.vx": v}


def hanging(moment=None):
    model = mbs.PlanarModel("pendulum", gravity=(0, -G))
    bob = model.body("bob", mass=1.0, inertia=1e-30, position=(0, -1))
    model.add(mbs.Revolute("pin", model.ground, bob.at(0, 1)))
    if moment:
        model.add(mbs.Torque("rub", bob, -moment * sp.sign(model["bob.omega"])))
    return model


u = (mbs.t - 0.2) / 0.3
RISES = {
    "cycloidal": (
        u - sp.sin(2 * sp.pi * u) / (2 * sp.pi),
        {
            0.35: (0.012612171465408552483, 0.32207048205156653794, 4.9776571164001125977),
            0.5: (0.072790109175090884071, 0.051848868419297294543, -9.2197414068749482174),
            1.0: (0.037099374579725965927, 0.12191150661716741324, 4.9164271548752788029),
        },
    ),
    "parabolic": (
        sp.Piecewise((2 * u**2, u < sp.Rational(1, 2)), (1 - 2 * (1 - u) ** 2, True)),
        {
            0.35: (0.014747822873670342054, 0.3194649194452569531, 4.128607678308015939),
            0.5: (0.068832734642637722355, 0.051358416444445210893, -7.6358106899439793636),
            1.0: (0.039201596902599711493, 0.096512999836848488285, 4.1263352392864184262),
        },
    ),
}


@pytest.mark.parametrize("coordinates", SETS)
@pytest.mark.parametrize("law", RISES)
def test_a_base_that_dwells_and_rises(law, coordinates):
    """1 kg on a spring of 400 N/m and a damper of 2 N s/m behind it."""
    rise, exact = RISES[law]
    y = sp.Piecewise((0, mbs.t < 0.2), (0.05 * rise, mbs.t < 0.5), (0.05, True))
    model = mbs.PlanarModel("rise")
    base, block = (model.body(name, mass=1.0, inertia=1.0) for name in ("base", "block"))
    model.add(mbs.Translational("rail", model.ground, base), mbs.Translational("guide", model.ground, block))
    model.add(mbs.Driver("lift", mbs.x(base), y))
    pull = 400 * (model["base.x"] - model["block.x"]) + 2 * (model["base.vx"] - model["block.vx"])
    model.add(mbs.Force("on block", block, (pull, 0)), mbs.Force("on base", base, (-pull, 0)))
    start = {"block.x": 0.0, "block.vx": 0.0}
    run = mbs.simulate(model.compile(coordinates), [0, *exact], start, rtol=1e-11, method="DP8")
    found = np.column_stack([run["block.x"], run["block.vx"]])[1:]
    np.testing.assert_allclose(found, [values[:2] for values in exact.values()], atol=1e-10)
    spring = 400 * (run["base.x"] - run["block.x"]) + 2 * (run["base.vx"] - run["block.vx"])
    np.testing.assert_allclose(run["base.x"][1:], [0.025, 0.05, 0.05], atol=1e-13)
    np.testing.assert_allclose(run["base.vx"][1:], [1 / 3, 0, 0], atol=1e-11)
    effort = run.effort("lift") - run["base.ax"]
    np.testing.assert_allclose(effort, spring, atol=1e-9)
    np.testing.assert_allclose(spring[1:], [values[2] for values in exact.values()], atol=1e-9)


@pytest.mark.parametrize("method", ["DP5", "DP8", "Radau5"])
def test_when_a_pendulum_passes(method):
    model = hanging()
    angle = model["bob.angle"]
    model.add(mbs.Event("bottom", angle), mbs.Event("half", angle - 0.5, direction=-1))
    run = mbs.simulate(model, [0, 4], {"bob.angle": 1.0, "bob.omega": 0.0}, method=method, rtol=1e-11)
    bottom = [e for e in run.events if e.name == "bottom"]
    exact = [0.5347844001396722112, 1.6043532004190166336, 2.673922000698361056, 3.7434908009777054784]
    np.testing.assert_allclose([e.t for e in bottom], exact, atol=1e-10)
    assert bottom[2].t - bottom[0].t == pytest.approx(2.1391376005586888448, rel=1e-10)  # the period
    np.testing.assert_allclose([abs(e.state["bob.omega"]) for e in bottom], 3.0032097427364440982, rtol=1e-10)
    assert next(e.t for e in run.events if e.name == "half") == pytest.approx(0.35977366780314645322, abs=1e-10)


PASSES = {  # crank angle: when, its speed, the rocker's angle
    1.0: (0.23162203839737972193, 2.2697206762492891236, 1.7456700684472598087),
    np.pi / 2: (0.40224101664473945583, 4.8407636232735769618, 1.9074426101339088026),
    3.0: (0.57243164261991462581, 15.584681993814167574, 2.4276880675584890022),
    6.5: (0.75186765771115920176, 20.181477296257037453, 1.7792916072405999369),
}


@pytest.mark.parametrize("coordinates", SETS)
@pytest.mark.parametrize("method", ["DP8", "Radau5"])
def test_when_the_crank_of_a_four_bar_passes(method, coordinates):
    """A torque of 2 N m drives uniform bars against gravity, from 3 rad/s on."""
    a, b, c, d, theta = 0.2, 0.6, 0.5, 0.7, 0.5
    gamma = FourBar(d, a, b, c).angles(theta)[1]
    A = a * np.cos(theta), a * np.sin(theta)
    B = d + c * np.cos(gamma), c * np.sin(gamma)
    model = mbs.PlanarModel("four-bar", gravity=(0, -G))
    crank, coupler = model.link("crank", (0, 0), A, mass=1.0), model.link("coupler", A, B, mass=2.0)
    rocker = model.link("rocker", (d, 0), B, mass=1.5)
    model.add(mbs.Revolute("A0", model.ground, crank.tail), mbs.Revolute("A", crank.head, coupler.tail))
    model.add(mbs.Revolute("B", coupler.head, rocker.head), mbs.Revolute("B0", model.ground.at(d, 0), rocker.tail))
    model.add(mbs.Torque("motor", crank, 2.0))
    model.add(*(mbs.Event(f"pass {k}", model["crank.angle"] - angle) for k, angle in enumerate(PASSES)))
    run = mbs.simulate(model.compile(coordinates), [0, 0.8], {"crank.omega": 3.0}, method=method, rtol=1e-12)
    found = [(e.t, e.state["crank.omega"], e.state["rocker.angle"]) for e in run.events]
    np.testing.assert_allclose(found, [*PASSES.values()], rtol=2e-11)


@pytest.mark.parametrize("coordinates", SETS)
def test_a_hinge_that_rubs_and_holds(coordinates):
    """A moment of 0.8 N m against the motion: it turns back eight times, then stays where it is."""
    model = hanging(0.8)
    model.add(mbs.Event("turn", model["bob.omega"]))
    start = {"bob.angle": 1.5, "bob.omega": 0.0}
    run = mbs.simulate(model.compile(coordinates), [0, 8.5, 12], start, rtol=1e-11, method="DP8")
    turns = [e for e in run.events if e.t > 1e-3][:7]
    times = [1.1429994483016077029, 2.2419222301813284469, 3.3095260127196448198, 4.3543435129171862213]
    times += [5.3826255441710667866, 6.3992927050021408177, 7.4084685991691911785]
    angles = [-1.2696640212564112008, 1.0623966070967076104, -0.87054452888141447055, 0.68940688970658133836]
    angles += [-0.51578443515531386464, 0.34731177267301850926, -0.18210465858842601302]
    np.testing.assert_allclose([e.t for e in turns], times, atol=1e-10)
    np.testing.assert_allclose([e.state["bob.angle"] for e in turns], angles, atol=2e-10)
    np.testing.assert_allclose(run["bob.angle"][1:], 0.018549608847694647251, atol=1e-10)


@pytest.mark.parametrize("coordinates", SETS)
def test_when_a_hinge_that_rubs_comes_to_rest(coordinates):
    """By the speed just before: there it is slowed down by 0.8 + g sin θ, about θ like a small swing."""
    rest, place, early = 8.4138160239551685847, 0.018549608847694647251, 1e-3
    start = {"bob.angle": 1.5, "bob.omega": 0.0}
    run = mbs.simulate(hanging(0.8).compile(coordinates), [0, rest - early, rest], start, rtol=1e-12, method="DP8")
    pace = np.sqrt(G * np.cos(place))
    expected = (0.8 + G * np.sin(place)) * np.sin(pace * early) / pace
    np.testing.assert_allclose(run["bob.omega"][1:], [expected, 0], atol=2e-11)


def pulled():
    """A block that rubs on the ground, and a spring whose end goes on at 0.1 m/s."""
    return on_a_line(lambda x, v: 50 * (0.1 * mbs.t - x) - 0.3 * G * sp.sign(v))


@pytest.mark.parametrize("method", ["DP5", "DP8", "Radau5"])
def test_a_pulled_block_whose_velocity_touches_zero(method):
    """A spring pulls at 0.1 m/s; friction that holds no more than it rubs: at the end of each slip the velocity is zero
    and the force that of friction, and it goes on."""
    model, start = pulled()
    run = mbs.simulate(model, [0, 0.5, 0.7, 1, 2], start, method=method, rtol=1e-12)
    x = [0, 0, 0.0011168389962786147029, 0.037880734968334860908, 0.14859603535448053059]
    v = [0, 0, 0.029453475105615970521, 0.19730806530122897266, 0.1849728005872280252]
    np.testing.assert_allclose(run["block.x"], x, atol=2e-12)
    np.testing.assert_allclose(run["block.vx"], v, atol=5e-11)


@pytest.mark.parametrize("coordinates", SETS)
@pytest.mark.parametrize("method", ["DP5", "DP8", "Radau5"])
def test_a_pulled_block_between_its_slips(method, coordinates):
    """It comes loose at t = 0.3 g/5 and is slowest at the end of each slip, which takes 2 π/√50 s."""
    model, start = pulled()
    times = [0, 0.5886, 1.4771765876316732494, 2.3657531752633464988, 3.2543297628950197482]
    run = mbs.simulate(model.compile(coordinates), times, start, method=method, rtol=1e-12)
    x = [0, 0, 0.08885765876316732494, 0.17771531752633464988, 0.26657297628950197482]
    np.testing.assert_allclose(run["block.x"], x, atol=2e-12)
    np.testing.assert_allclose(run["block.vx"], 0, atol=1e-10)
    soon = mbs.simulate(model.compile(coordinates), [0, 0.5887], start, method=method, rtol=1e-12)
    loose = np.sqrt(50) * 1e-4  # v = 0.1 (1 - cos), and x in this phase
    assert soon["block.vx"][-1] == pytest.approx(0.1 * (1 - np.cos(loose)), rel=1e-5)
