"""Published mechanisms in motion, and mechanisms whose motion was computed without any multibody code.

Provenance of the numbers:

- slider-crank: Newton-Euler equations (inverse) and one equation of Lagrange (forward), in 40 and 18 digits (mpmath).
- A01, A02: benchmark problems of the IFToMM library of computational benchmark problems for multibody dynamics; the
  numbers are those of the exact pendulum equations (they agree with the library's six digits).
- Andrews' squeezer: the test set for initial value problem solvers (Bari/CWI). Its own reference is right to some ten
  digits; the numbers are from an integration in 80-bit arithmetic by extrapolation of order 16, self-convergence 1e-14.
- parallel cranks: one equation of Lagrange; multipliers by a pseudo-inverse of the dense matrix.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from gallery import load

import mbs_dae as mbs

EXACT = {"method": "DP8", "rtol": 1e-12, "stabilization": mbs.Projection()}

# --- slider-crank -----------------------------------------------------------------------------------------------


def slider_crank(force: float = 0.0, omega: float | None = None) -> mbs.PlanarModel:
    """r = 0.2 m, l = 0.5 m; uniform bars of 1 and 2 kg, a slider of 1.5 kg; the crank at 0, and driven if it has a
    speed."""
    model = mbs.PlanarModel("slider-crank", gravity=(0.0, -9.81))
    ground = model.ground
    crank = model.link("crank", (0, 0), (0.2, 0), mass=1.0)
    rod = model.link("rod", (0.2, 0), (0.7, 0), mass=2.0)
    slider = model.body("slider", mass=1.5, inertia=1e-3, position=(0.7, 0))
    model.add(
        mbs.Revolute("O", ground, crank.tail),
        mbs.Revolute("A", crank.head, rod.tail),
        mbs.Revolute("B", rod.head, slider),
        mbs.Translational("guide", ground, slider),
    )
    if force:
        model.add(mbs.Force("load", slider, (force, 0)))
    if omega is not None:
        model.add(mbs.Driver("motor", mbs.angle(ground, crank), omega * mbs.t))
    return model


# crank in degrees: x, vx, ax of the slider; angle, omega, alpha of the rod; torque; force in O on the crank, in A on
# the rod, in B and by the guide on the slider
SLIDER_CRANK = {
    0: (
        (0.7, 0.0, -28.0),
        (0.0, -4.0, 0.0),
        2.943,
        {"O": (-50.0, 19.62), "A": (-40.0, 9.81), "B": (8.0, -9.81), "guide": (0.0, 24.525)},
    ),
    90: (
        (0.458257569495584001, -2.0, 8.72871560943969525),
        (-0.411516846067488019, 0.0, 43.6435780471984763),
        -14.3643578047198476,
        {
            "O": (71.8217890235992381, -33.7890906109008254),
            "A": (71.8217890235992381, -33.5990906109008254),
            "B": (63.0930734141595429, -33.2190906109008254),
            "guide": (0.0, 47.9340906109008254),
        },
    ),
    225: (
        (0.338161796093962449, 0.997184734258945523, 13.7795018601534292),
        (0.286756552211548377, 2.94883912309794267, -26.9241832978507809),
        7.00171134830684204,
        {
            "O": (105.661958085979999, 61.0573823429942707),
            "A": (98.5908902741145234, 44.1763145311287955),
            "B": (70.6692527902301437, 10.414178907397845),
            "guide": (0.0, 4.30082109260215502),
        },
    ),
}


def test_slider_crank_takes_this_torque():
    """A crank at 10 rad/s against 50 N on the slider: the motion, the motor's torque, and every reaction."""
    degrees = np.array([*SLIDER_CRANK])
    result = mbs.inverse_dynamics(slider_crank(force=-50.0, omega=10.0), np.radians(degrees) / 10)
    for k, (slider, rod, torque, forces) in enumerate(SLIDER_CRANK.values()):
        computed = [result[f"slider.{level}"][k] for level in ("x", "vx", "ax")]
        np.testing.assert_allclose(computed, slider, rtol=1e-9, atol=1e-11)
        computed = [result[f"rod.{level}"][k] for level in ("angle", "omega", "alpha")]
        np.testing.assert_allclose(computed, rod, rtol=1e-9, atol=1e-11)
        assert result.effort("motor")[k] == pytest.approx(torque, rel=1e-9)
        for joint, force in forces.items():
            # what is zero in the reference is measured against the forces around it, of 10 N and more
            np.testing.assert_allclose(result.reaction(joint)[k], [*force, 0.0], rtol=1e-9, atol=1e-9, err_msg=joint)
            assert result.is_unique(joint)[k].all()


# t: angle and speed of the crank, place of the slider
RUNNING_DOWN = {
    0.0: (0.0, 20.0, 0.7),
    0.5: (6.3923432527259934, 19.020661102396495, 0.69833468314598079),
    1.0: (12.777007994332964, 17.366585740778895, 0.69382786916373251),
    1.5: (19.152123786940294, 15.668359178033377, 0.68735069109493696),
    2.0: (25.518366758246561, 14.200400354645469, 0.67962105521295824),
    2.5: (31.877192368633128, 13.002059795818925, 0.67111023982850992),
    3.0: (38.23001365440053, 12.036436292621326, 0.66210876392885354),
}


def test_slider_crank_left_to_itself():
    """Started at 20 rad/s it goes on without a torque, through six turns with all their dead points."""
    result = mbs.simulate(slider_crank(), [*RUNNING_DOWN], initial={"crank.omega": 20.0}, **EXACT)
    computed = np.stack([result[name] for name in ("crank.angle", "crank.omega", "slider.x")], axis=1)
    np.testing.assert_allclose(computed, [*RUNNING_DOWN.values()], rtol=0, atol=1e-8)
    assert result.energy.kinetic[0] == pytest.approx(8.0, rel=1e-12)
    assert np.abs(result.energy.error).max() < 1e-9


# --- A01: simple pendulum ---------------------------------------------------------------------------------------

PENDULUM = {
    0.5: (-0.39104879155054638769, -0.92036994878519220376),
    1.0: (0.98629175113187531936, -0.16501085312554116875),
    2.0: (-0.79356619534332174699, -0.60848393044379151463),
    5.0: (-0.9423054350437573355, -0.33475433841400058079),
    10.0: (-0.27508746257611686005, -0.96141920649912506427),
}


@pytest.mark.parametrize(
    "options",
    [
        EXACT,
        {"method": "DP8", "step": 0.01, "stabilization": mbs.Projection()},
        {"method": "RK4", "step": 0.002, "stabilization": mbs.Projection()},
    ],
    ids=["step control", "fixed steps", "RK4"],
)
def test_A01_simple_pendulum(options):
    """A body without inertia: its matrix has a zero on the diagonal."""
    file = load("simple_pendulum")
    result = mbs.simulate(file.build(), [0.0, *PENDULUM], initial=file.INITIAL, **options)
    computed = np.stack([result["bob.x"], result["bob.y"]], axis=1)[1:]
    np.testing.assert_allclose(computed, [*PENDULUM.values()], rtol=0, atol=1e-8)


# --- A02: N four-bars -------------------------------------------------------------------------------------------

# t: x, y, vx, vy of the first crank's tip
FOUR_BARS = {
    1: {
        0.5: (0.70151267891047682477, 0.71265697311388614797, 1.9858981901142900851, -1.9548433705817587794),
        1.0: (-0.26071267518365035635, -0.96541643915907316791, -6.6378094961217514392, 1.7925539703889305577),
        2.0: (0.077085471792867076735, 0.99702448818395182598, 1.0313568726894231923, -0.079739898127167998254),
        5.0: (-0.94490818604295389141, -0.32733548531898346076, -1.8589308912627245614, 5.3661124296700417823),
        10.0: (0.47838505776097055901, 0.87815017879120930116, 1.7272640755471536358, -0.94095217937151564419),
    },
    40: {
        0.5: (0.68792597079077263444, 0.72578086135663086675, 1.929162311274742718, -1.8285420937057935621),
        1.0: (-0.11535688063210989806, -0.99332411130045018569, -6.6699875239417715908, 0.7746000986623433152),
        2.0: (0.034466307300407161856, 0.99940586032956295647, 1.005951172814109384, -0.034692034165161764618),
        5.0: (-0.54019005067552627413, -0.84154305246444305486, -5.436369112578548747, 3.4896283651973379845),
        10.0: (0.1805122266867283901, 0.98357274058231157488, 1.1484412774694141333, -0.21077006677942393178),
    },
}
THROUGH = [
    # step control, positions and velocities put back on the constraints
    ({"method": "DP8", "rtol": 1e-10, "stabilization": mbs.Projection()}, 1e-6),
    # fixed steps: their error is one of fourth order, right through the singular poses
    ({"method": "RK4", "step": 0.01, "stabilization": mbs.Projection()}, 1e-5),
    ({"method": "RK4", "step": 0.005, "stabilization": mbs.Projection()}, 1e-6),
    ({"method": "RK4", "step": 0.0025, "stabilization": mbs.Projection()}, 1e-7),
    # as it comes: DP5 and Baumgarte's method, at the default tolerance and at a tighter one
    ({}, 1e-5),
    ({"rtol": 1e-10}, 1e-6),
]


@cache
def four_bars(n: int) -> mbs.PlanarModel:
    return load("n_four_bar").build(n=n)


@pytest.mark.parametrize("n", FOUR_BARS)
@pytest.mark.parametrize("options, tolerance", THROUGH)
def test_A02_four_bars_pass_their_singular_pose(n, options, tolerance):
    """Ten times in ten seconds all bars lie in one line. Every coupler stays horizontal throughout: the motion
    goes on along the branch on which it came."""
    result = mbs.simulate(four_bars(n), [0.0, *FOUR_BARS[n]], initial=load("n_four_bar").INITIAL, **options)
    assert result.success
    computed = np.stack([result[f"crank0.head.{level}"] for level in ("x", "y", "vx", "vy")], axis=1)[1:]
    np.testing.assert_allclose(computed, [*FOUR_BARS[n].values()], rtol=0, atol=tolerance)
    assert max(np.abs(result[f"coupler{k}.angle"]).max() for k in range(n)) < 1e-9


@pytest.mark.parametrize("n", [1, 5])
def test_A02_four_bars_do_go_through_it(n):
    """Within a turn the tip passes the height of its pivot twice, and on the way there constraints become dependent."""
    model = four_bars(n)
    result = mbs.simulate(model, np.linspace(0, 2, 101), initial=load("n_four_bar").INITIAL, rtol=1e-10)
    height = result["crank0.head.y"]
    crossings = np.flatnonzero(np.diff(np.sign(height)))
    assert crossings.size == 2
    near = np.abs(height[crossings])
    assert near.max() < 0.15
    assert (result.smallest_singular_value[crossings] < 1.5 * near * result.smallest_singular_value[0]).all()
    assert np.abs(result.energy.error).max() < 1e-6 * result.energy.potential[0]


# --- Andrews' squeezer ------------------------------------------------------------------------------------------

# at t = 0.03 s: beta, Theta, gamma, Phi, delta, Omega, epsilon, and their rates
SQUEEZED = (
    (
        1.581077119515370555e01,
        -1.575637105841183683e01,
        4.082224011964628169e-02,
        -5.347301163420786763e-01,
        5.244099658799540320e-01,
        5.347301163420783432e-01,
        1.048080741041938158e00,
    ),
    (
        1.139920302259105938e03,
        -1.424379295177540371e03,
        1.103291191061821230e01,
        1.929337410503138983e01,
        5.735699148294699512e-01,
        -1.929337410503140759e01,
        3.231791492491246087e-01,
    ),
    (
        -2.463176312287313704e04,
        5.185031963646168151e04,
        3.241026007075787638e05,
        5.667494220009956043e05,
        1.674363541834528223e04,
        -5.667494220009956043e05,
        9.826507801544614267e03,
    ),
)
SQUEEZING = (
    1.991753481045387559e02,
    -2.975530997497186192e01,
    2.306654361162212652e01,
    3.145272527577083466e01,
    2.264249478639439417e01,
    1.161739235261173953e01,
)
"""The test set's multipliers there. Its constraints, M q̈ + Gᵀλ = f and g the place of E on K2 less the one on K3, K4,
K6, have the signs of ours: so they are the forces on K3, K4 and K6 in E."""


def multipliers(result: mbs.Result, k: int) -> np.ndarray:
    return np.concatenate([result.reaction(pin)[k, :2] for pin in ("E3", "E4", "E6")])


@pytest.mark.parametrize("stabilization", [mbs.Projection(), mbs.Baumgarte()], ids=["projection", "Baumgarte"])
def test_andrews_squeezer(stabilization):
    file = load("andrews_squeezer")
    options = EXACT | {"stabilization": stabilization}
    result = mbs.simulate(file.build(), [0.0, 0.03], initial=file.INITIAL, **options)
    angle, omega, alpha = SQUEEZED
    np.testing.assert_allclose(file.angles(result)[-1], angle, rtol=0, atol=1e-9)
    np.testing.assert_allclose(file.angles(result, "omega")[-1], omega, rtol=1e-7)
    np.testing.assert_allclose(file.angles(result, "alpha")[-1], alpha, rtol=1e-6)
    np.testing.assert_allclose(multipliers(result, -1), SQUEEZING, rtol=1e-6)


def test_andrews_squeezer_at_its_start():
    """At rest only the motor's crank and the rod on it have an acceleration, and only one pin in E carries a force."""
    file = load("andrews_squeezer")
    start = mbs.simulate(file.build(), [0.0], initial=file.INITIAL)
    alpha = np.array([14222.4439199541387, -10666.8329399655854, 0, 0, 0, 0, 0])
    np.testing.assert_allclose(file.angles(start, "alpha")[0], alpha, rtol=1e-9, atol=1e-9 * alpha.max())
    force = np.array([98.5668703962410896, -6.12268834425566255, 0, 0, 0, 0])
    np.testing.assert_allclose(multipliers(start, 0), force, rtol=1e-9, atol=1e-9 * force.max())


# --- parallel cranks --------------------------------------------------------------------------------------------

# cranks at 1 rad and 2 rad/s: their acceleration, and the least multipliers of the pins A, B of each crank
PARALLEL = {
    2: (-6.360438744679743, [[3.1909154308233765, 7.912556340684857, 1.5954577154116918, 1.503778170342426]] * 2),
    3: (-6.625457025708063, [[2.8449338539603364, 7.291971960290071, 1.137973541584133, 0.9547887841160244]] * 3),
}


@pytest.mark.parametrize("cranks", PARALLEL)
def test_parallel_cranks(cranks):
    """Accelerations are determined even where the pins of a third crank are redundant; their forces are not, and of all
    that fit the least are given. A moment is: no pin has one."""
    alpha, forces = PARALLEL[cranks]
    model = load("double_parallel_crank").build(cranks=cranks, phi=1.0).without("motor")
    start = mbs.simulate(model, [0.0], initial={"crank1.omega": 2.0})
    for k in range(cranks):
        assert start[f"crank{k + 1}.omega"][0] == pytest.approx(2.0, rel=1e-12)
        assert start[f"crank{k + 1}.alpha"][0] == pytest.approx(alpha, rel=1e-11)
    np.testing.assert_allclose(start.multipliers[0], np.ravel(forces), rtol=1e-11)
    for k in range(cranks):
        for pin, expected in zip(("A", "B"), np.reshape(forces[k], (2, 2)), strict=True):
            np.testing.assert_allclose(start.reaction(f"{pin}{k + 1}")[0], [*expected, 0.0], rtol=1e-11, atol=1e-12)
            assert start.is_unique(f"{pin}{k + 1}")[0].tolist() == [cranks == 2, cranks == 2, True]
