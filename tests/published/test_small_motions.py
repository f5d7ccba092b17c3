"""Small motions whose law is known: the Whipple bicycle, pendulums in a row, tops, rotors, a rolling disk.

The bicycle's numbers are those of Meijaard, Papadopoulos, Ruina and Schwab (2007); its eigenvalues, and the other
frequencies, are roots of the textbook's polynomials, found in 40 digits.
"""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from gallery import load
from numpy.polynomial.laguerre import Laguerre
from refusals import refused
from scipy.linalg import expm

import mbs_dae as mbs

SETS = ["cartesian", "natural", "joint"]

# --- the bicycle ------------------------------------------------------------------------------------------------------

M = np.array([[80.81722, 2.3194133220870913], [2.3194133220870913, 0.29784188199685553]])
C1 = np.array([[0.0, 33.866413914924944], [-0.85035641456978437, 1.6854039739755967]])
K0 = np.array([[-80.95, -2.5995168524987164], [-2.5995168524987164, -0.80329488458617688]])
K2 = np.array([[0.0, 76.597345895732222], [0.0, 2.6543152379460402]])
LEAN_AND_STEER = ("frame.turn_x", "steer.angle")
ROOTS = {
    0.0: [-5.5309437176539346 + 0j, -3.1316432479065557 + 0j, 3.1316432479065557 + 0j, 5.5309437176539346 + 0j],
    1.0: [-7.1100801463744077 + 0j, -3.1342312506657842 + 0j, 3.5269617099006942 + 0.80774027519931005j],
    3.0: [-10.351014672459228 + 0j, -2.6336613725366530 + 0j, 1.7067560566397352 + 2.3158244738432436j],
    5.0: [-14.078389692798247 + 0j, -0.32286642900408708 + 0j, -0.77534188219584193 + 4.4648677137882251j],
    7.0: [-18.157884661252021 + 0j, 0.10268170574766416 + 0j, -2.1387564425836343 + 7.1952591332980426j],
    10.0: [-24.624596350174000 + 0j, 0.16105338653171554 + 0j, -3.7201684043728757 + 10.906811394762882j],
}
"""Of a pair the one with positive imaginary part."""


@pytest.fixture(scope="module")
def bicycle() -> mbs.SpatialModel:
    return load("whipple_bicycle").build()


@pytest.mark.parametrize("v", ROOTS)
def test_the_bicycle_is_that_of_the_benchmark(bicycle, v):
    found = mbs.linearize(bicycle, {"frame.vx": v}, coordinates=LEAN_AND_STEER)
    assert found.coordinates[:2] == found.velocities[:2] == LEAN_AND_STEER
    assert len(found.coordinates) == 7 and len(found.velocities) == 3  # it may get anywhere, but rolls
    np.testing.assert_allclose(found.M[:2, :2], M, rtol=0, atol=1e-10)
    np.testing.assert_allclose(found.D[:2, :2], v * C1, rtol=0, atol=1e-10 * (1 + v))
    np.testing.assert_allclose(found.K[:2, :2], 9.81 * K0 + v**2 * K2, rtol=0, atol=1e-10 * (1 + v**2))
    np.testing.assert_allclose(found.K[:2, 2:], 0.0, atol=1e-9)  # nor does it matter where it is
    own = found.eigenvalues[np.abs(found.eigenvalues) > 1e-6]
    for root in ROOTS[v]:
        assert np.abs(own - root).min() < 1e-10 * abs(root)
    assert len(own) == 4


def test_the_bicycle_rights_itself_between_weaving_and_falling_over(bicycle):
    def grows(v: float) -> float:
        """The largest real part but for the eigenvalues 0 of places and of the speed itself."""
        values = mbs.linearize(bicycle, {"frame.vx": v}).eigenvalues
        return float(np.delete(values, np.argsort(np.abs(values))[:-4]).real.max())

    for speed, near in ((4.2923825363411039587, 1e-9), (6.0242620153883588899, 1e-9)):
        assert abs(grows(speed)) < near
        assert grows(speed - 0.01) * grows(speed + 0.01) < 0


def test_where_the_bicycle_rights_itself_is_shaded(bicycle):
    path = mbs.linearize(bicycle, over=("frame.vx", [3.0, 4.5, 5.0, 5.5, 7.0]))
    assert [law.grows for law in path.systems] == [True, False, False, False, True]
    for ax in path.plot().axes:
        assert [(span.get_x(), span.get_x() + span.get_width()) for span in ax.patches] == [(4.5, 5.0), (5.0, 5.5)]


def test_a_push_to_the_bicycle_goes_as_its_small_motions_do(bicycle):
    """The nonlinear motion against exp(A t), at the order of the push squared."""
    outputs = ("steer.angle", "steer.omega", "frame.wx", "frame.wz", "front.y", "steer.alpha")
    push, times = 1e-5, np.linspace(0, 0.6, 7)
    law = mbs.linearize(bicycle, {"frame.vx": 5.0}, outputs=outputs, coordinates=LEAN_AND_STEER)
    start = {"steer.omega": push, "frame.wx": 0.3 * push, "frame.vx": 5.0}
    result = mbs.simulate(bicycle, times, start, rtol=1e-11, atol=1e-13, stabilization=mbs.Projection())
    z = np.zeros(10)
    z[7 + law.velocities.index("steer.angle")], z[7 + law.velocities.index("frame.turn_x")] = push, 0.3 * push
    found = np.stack([result[name] for name in outputs], axis=1)
    expected = np.stack([law.C @ expm(law.A * t) @ z for t in times])
    np.testing.assert_allclose(found, expected, rtol=0, atol=3e-4 * np.abs(expected).max(axis=0).min())


# --- about a rest -----------------------------------------------------------------------------------------------------


def pendulums(count: int, length: float) -> mbs.PlanarModel:
    """Point masses on rods without mass."""
    model = mbs.PlanarModel("pendulums", gravity=(0.0, -9.81))
    above = model.ground.at(0, 0)
    for k in range(count):
        point = model.body(f"m{k}", position=(0, -length * (k + 1)), mass=1.0)
        model.add(mbs.Revolute(f"J{k}", above, point.at(0, length)))
        above = point.at(0, 0)
    return model


PENDULUMS = {
    (2, 1.0): [2.3971993978640862263, 5.7873512980360940267],
    (5, 0.5): [2.2739950467997780268, 5.2660201309594192875, 8.4001115247250716031, 11.790826617118512818,
               15.748413017338948867],
}  # fmt: skip


@pytest.mark.parametrize("coordinates", SETS)
@pytest.mark.parametrize(("count", "length"), PENDULUMS)
def test_equal_pendulums_swing_with_the_zeros_of_laguerre(count, length, coordinates):
    """ω² = g/l times the zeros of L_n."""
    system = pendulums(count, length).compile(coordinates)
    found = mbs.linearize(system, mbs.assemble(system))
    expected = np.sqrt(9.81 / length * Laguerre([0] * count + [1]).roots())
    np.testing.assert_allclose(found.frequencies, expected, rtol=1e-12)
    np.testing.assert_allclose(found.frequencies, PENDULUMS[count, length], rtol=1e-12)
    assert not found.damping.any() and not found.eigenvalues.real.any()
    assert len(found.coordinates) == count


def test_modes_are_told_as_motions_of_bodies():
    (slow, fast) = mbs.linearize(pendulums(2, 1.0), {}).modes
    for mode, sign in ((slow, 1), (fast, -1)):
        assert max(abs(x) for x in mode.shape.values()) == pytest.approx(1.0)
        ratio = mode.shape["m1.x"] / mode.shape["m0.x"]  # 1 ± √2
        assert ratio == pytest.approx(1 + sign * np.sqrt(2), abs=1e-12)
        assert abs(mode.shape["m0.y"]) < 1e-12


# --- what spins -------------------------------------------------------------------------------------------------------

ACROSS, ALONG, MGL, SPIN = 0.05, 0.02, 1.5, 60.0
ARM = 0.1
"""How far the top's centre of mass is from its tip."""


def top(tilt: float) -> mbs.SpatialModel:
    """Tilted towards x; moments of inertia are about its tip."""
    model, mass = mbs.SpatialModel("top", gravity=(0, 0, -9.81)), MGL / 9.81 / ARM
    place, across = (ARM * np.sin(tilt), 0, ARM * np.cos(tilt)), ACROSS - mass * ARM**2
    body = model.body("top", mass, (across, across, ALONG), position=place, rotation=mbs.rotations.about_y(tilt))
    model.add(mbs.Spherical("tip", model.ground, body.at(0, 0, -ARM)))
    return model


def frequencies(model: mbs.SpatialModel, **rates: float) -> np.ndarray:
    return mbs.linearize(model, {f"top.{name}": rate for name, rate in rates.items()}).frequencies


def test_a_sleeping_top():
    """A s² - C n s + m g l = 0."""
    expected = [1.3229217479686887892, 22.677078252031311211]
    np.testing.assert_allclose(np.sort(np.roots([ACROSS, -ALONG * SPIN, MGL])), expected, rtol=1e-13)
    np.testing.assert_allclose(frequencies(top(0.0), wx=0.0, wy=0.0, wz=SPIN), expected, rtol=1e-10)
    slow = mbs.linearize(top(0.0), {"top.wx": 0.0, "top.wy": 0.0, "top.wz": 27.0}).eigenvalues
    assert slow.real.max() == pytest.approx(np.sqrt(MGL / ACROSS - (ALONG * 27.0 / (2 * ACROSS)) ** 2), rel=1e-10)


def test_from_which_spin_on_a_top_sleeps():
    """C n = 2 √(A m g l): there two frequencies meet, and what grows below goes with the root of the distance."""
    least = 27.386127875258305673
    for spin, grows in ((least * (1 - 1e-9), True), (least * (1 + 1e-9), False)):
        law = mbs.linearize(top(0.0), {"top.wx": 0.0, "top.wy": 0.0, "top.wz": spin})
        assert (law.eigenvalues.real.max() > 1e-5) == grows


def test_a_top_without_weight_nutates():
    """With C n / A."""
    model = mbs.SpatialModel("top")
    across = ACROSS - MGL / 9.81 * ARM
    body = model.body("top", MGL / 9.81 / ARM, (across, across, ALONG), position=(0, 0, ARM))
    model.add(mbs.Spherical("tip", model.ground, body.at(0, 0, -ARM)))
    assert frequencies(model, wx=0.0, wy=0.0, wz=SPIN)[-1] == pytest.approx(24.0, rel=1e-12)


@pytest.mark.parametrize(
    ("precession", "nutation"),
    [(1.3130426417732543542, 21.704524196546053996), (26.034811614015924581, 25.029667696909065018)],
)
def test_a_top_that_precesses_steadily(precession, nutation):
    """In axes that go round with it; the frequencies are those of the effective potential."""
    tilt = 0.5
    omega = mbs.rotations.about_y(tilt) @ [-precession * np.sin(tilt), 0.0, SPIN]
    found = frequencies(top(tilt), **dict(zip(("wx", "wy", "wz"), omega, strict=True)))
    assert found[-1] == pytest.approx(nutation, rel=1e-10)


def rotor(other: float = 0.15) -> mbs.SpatialModel:
    model = mbs.SpatialModel("rotor", gravity=(0, 0, 0))
    body = model.body("rotor", 12.0, (0.15, other, 0.22))
    for name, z in (("a", -0.25), ("b", 0.25)):
        marker = body.marker(name, 0, 0, z)
        model.add(mbs.Force(name, marker, tuple(-4e5 * model[f"rotor.{name}.{c}"] for c in "xy") + (0,)))
    return model


@pytest.mark.parametrize(
    ("speed", "forward", "backward"),
    [
        (0.0, 577.35026918962576451, 577.35026918962576451),
        (100.0, 655.32226029939779259, 508.65559363273112592),
        (300.0, 837.84571968520857702, 397.84571968520857702),
        (600.0, 1165.9017380701973036, 285.90173807019730357),
        (1000.0, 1666.6666666666666667, 200.0),
    ],
)
def test_a_rotor_whirls_forward_and_backward(speed, forward, backward):
    """It s² - Ip Ω s = 2 k a² of the tilt; the two motions to the side do not feel the speed."""
    found = mbs.linearize(rotor(), {"rotor.wz": speed}).frequencies
    sideways = np.sqrt(8e5 / 12.0)
    np.testing.assert_allclose(found, np.sort([sideways, sideways, forward, backward]), rtol=1e-10)


@pytest.fixture(scope="module")
def campbell() -> mbs.LinearPath:
    return mbs.linearize(rotor(), over=("rotor.wz", [0.0, 100.0, 300.0, 600.0, 1000.0]))


def test_a_campbell_diagram(campbell):
    """Lines go on where they cross, at 700 rad/s; and from speed 0 on it is known which way each goes round."""
    sideways, whirls = np.sqrt(8e5 / 12.0), [line for line in campbell.lines if line.eigenvalues.imag.any()]
    speeds, tilt = campbell.values, 2 * 4e5 * 0.25**2
    root = np.sqrt((0.22 * speeds) ** 2 + 4 * 0.15 * tilt)
    expected = {1: (root + 0.22 * speeds) / 0.3, -1: (root - 0.22 * speeds) / 0.3}
    found = sorted((round(line.whirl[0]), *line.damped_frequencies) for line in whirls)
    wanted = [(way, *line) for way in (-1, 1) for line in (np.full(5, sideways), expected[way])]
    np.testing.assert_allclose(found, sorted(wanted), rtol=1e-10)
    for line in whirls:
        np.testing.assert_allclose(np.abs(line.whirl), 1.0, rtol=1e-9)


@pytest.mark.parametrize(("mode", "sense"), [(7, -1), (8, 1)])
def test_a_mode_that_whirls_is_drawn_so(campbell, mode, sense):
    """The ends of the axis go round once in a period, on circles; the spin is left out."""
    motion = campbell.systems[2].motion(mode, amplitude=0.01)
    for end, opposite in (("a", np.pi), ("b", 0.0)):
        x, y = motion[f"rotor.{end}.x"], motion[f"rotor.{end}.y"]
        np.testing.assert_allclose(np.hypot(x, y), np.hypot(x[0], y[0]), rtol=1e-3)
        np.testing.assert_allclose(
            np.diff(np.unwrap(np.arctan2(y, x) - opposite)), sense * 2 * np.pi / (len(motion) - 1), rtol=1e-3
        )
    assert np.abs(motion["rotor.wz"]).max() < 0.02 * np.abs(motion["rotor.wx"]).max()  # of second order


def in_order(critical_speeds):
    """With their senses of whirl; speeds that differ by roundoff are one."""
    found = [(speed, round(whirl)) for speed, whirl in critical_speeds]
    return sorted(found, key=lambda one: (round(one[0], 6), one[1]))


def test_critical_speeds(campbell):
    """s = Ω: forward none of the tilt, for Ip > It; backward at √(2 k a²/(It + Ip))."""
    found = in_order(campbell.critical_speeds())
    expected = [(258.19888974716112568, -1), (258.19888974716112568, 1), (367.60731104690387419, -1)]
    np.testing.assert_allclose(found, expected, rtol=1e-11)
    figure = campbell.plot_campbell(orders=1)
    (ax,) = figure.axes
    dots = next(line for line in ax.get_lines() if line.get_marker() == "o").get_xydata()
    np.testing.assert_allclose(np.sort(dots[:, 0]), [speed for speed, _ in expected], rtol=1e-11)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("rotor.wz [rad/s]", "frequency [rad/s]")
    dashes = {text.get_text().split(", ")[-1] for text in figure.legends[0].get_texts()}
    assert dashes == {"forward", "backward", "critical speed"}
    low, high = campbell.plot().axes[0].get_ylim()
    assert low < -1e-4 and high > 1e-4  # nothing is damped, and roundoff is not drawn as if it were


def test_critical_speeds_in_the_other_sense():
    """Those of the mirrored motion; and what is no order, or goes through 0, is refused."""
    path = mbs.linearize(rotor(), over=("rotor.wz", [-1000.0, -500.0, 0.0]))
    found = in_order(path.critical_speeds())
    expected = [(-367.60731104690387419, -1), (-258.19888974716112568, -1), (-258.19888974716112568, 1)]
    np.testing.assert_allclose(found, expected, rtol=1e-10)
    (ax,) = path.plot_campbell(orders=(1,)).axes
    dots = next(line for line in ax.get_lines() if line.get_marker() == "o").get_xydata()
    np.testing.assert_allclose(dots, [(speed, -speed) for speed, _ in expected], rtol=1e-10)
    for order in ("x", 0, -1):
        with refused(("not-a-number", "not-positive"), argument="an order"):
            path.critical_speeds(order)
    with refused("sense-of-turning-changes", name="rotor.wz"):
        mbs.linearize(rotor(), over=("rotor.wz", [-100.0, 100.0])).critical_speeds()


def test_a_rotor_that_is_not_round_is_told_in_its_own_axes():
    """There sideways motions have √(2 k/m) ± Ω, and orders are not those of an observer at rest."""
    path = mbs.linearize(rotor(0.16), over=("rotor.wz", [50.0, 100.0]))
    assert [law.turning.tolist() for law in path.systems] == [[0, 0, 50.0], [0, 0, 100.0]]
    found, aside = path.systems[1].frequencies, np.sqrt(8e5 / 12.0)
    for expected in (aside - 100.0, aside + 100.0):
        assert np.abs(found - expected).min() < 1e-9 * expected
    for picture in (path.critical_speeds, path.plot_campbell):
        with refused("axes-turn", model="rotor"):
            picture()


def test_a_disk_that_rolls_upright():
    """Stable from ω² = g/(3 R) on: its wobble has ω² (I₃ + m R²) I₃ / (I₁ (I₁ + m R²)) - m g R / (I₁ + m R²)."""
    m, R, g = 1.0, 0.5, 9.81
    I1, I3 = m * R**2 / 4, m * R**2 / 2
    model = load("rolling_disk").build(theta=sp.pi / 2)
    for spin in (1.0, 6.0):
        speed = {"disk.wx": 0.0, "disk.wy": -spin, "disk.wz": 0.0}
        square = (spin**2 * (I3 + m * R**2) * I3 / I1 - m * g * R) / (I1 + m * R**2)
        values = mbs.linearize(model, speed).eigenvalues
        assert np.abs(values**2 + square).min() < 1e-9 * abs(square)
        assert (values.real.max() > 0.1) == (spin**2 < g / (3 * R))


@pytest.mark.parametrize("tilt", [0.7, 0.0])
def test_a_pendulum_on_a_spindle_that_is_driven(tilt):
    """A point mass on an arm that goes round with Ω: it rests at cos θ = g/(l Ω²) and swings with Ω sin θ about it;
    hanging down with √(g/l - Ω²)."""
    g, l, slow = 9.81, 0.4, 3.0
    turning = np.sqrt(g / (l * np.cos(tilt))) if tilt else slow
    model = mbs.SpatialModel("spindle", gravity=(0, 0, -g))
    spindle = model.body("spindle", 1.0, (1.0, 1.0, 1.0))
    bob = model.body("bob", 2.0, (0.0, 0.0, 0.0), position=(l * np.sin(tilt), 0, -l * np.cos(tilt)))
    model.add(
        mbs.Revolute("bearing", model.ground, spindle, at=(0, 0, 0), axis=(0, 0, 1)),
        mbs.Driver("motor", mbs.angle(model.ground, spindle), turning * mbs.t),
        mbs.Revolute("hinge", spindle, bob, at=(0, 0, 0), axis=(0, 1, 0)),
    )
    law = mbs.linearize(model, {"hinge.angle": 0.0, "hinge.omega": 0.0}, coordinates=["hinge.angle"])
    expected = turning * np.sin(tilt) if tilt else np.sqrt(g / l - turning**2)
    assert law.coordinates == ("hinge.angle",)
    assert law.frequencies == pytest.approx([expected], rel=1e-10)
    assert not law.damping.round(12).any()
    swing = law.motion(1, amplitude=0.1)  # the drive stands still in it
    assert np.max(swing.violation) < 1e-12 and np.ptp(swing["hinge.angle"]) == pytest.approx(0.2, rel=1e-2)
