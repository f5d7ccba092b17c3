"""Mechanisms whose motion is known in closed form: positions, velocities and accelerations to roundoff.

A closed form is a sympy expression of `mbs.t`; its rates are sympy's derivatives.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import sympy as sp
from gallery import load

import mbs_dae as mbs

LEVELS = {"x": ("x", "vx", "ax"), "y": ("y", "vy", "ay"), "angle": ("angle", "omega", "alpha")}


def agrees(result: mbs.Result, name: str, expression: sp.Expr, tolerance: float = 1e-12) -> None:
    """The quantity, its rate and its acceleration are those of the expression (angles up to full turns)."""
    owner, _, kind = name.rpartition(".")
    for order, level in enumerate(LEVELS[kind]):
        function = sp.lambdify(mbs.t, sp.sympify(expression).diff(mbs.t, order), "numpy")
        expected = np.broadcast_to(function(result.t), result.t.shape)
        error = result[f"{owner}.{level}"] - expected
        if level == "angle":
            error -= 2 * np.pi * np.round(error / (2 * np.pi))
        assert np.abs(error).max() <= tolerance * (np.abs(expected).max() or 1.0), f"{owner}.{level}"


def values(model: mbs.PlanarModel) -> dict[str, float]:
    return {name: parameter.value for name, parameter in model.parameters.items()}


def driver_function(model: mbs.PlanarModel, name: str) -> sp.Expr:
    """What a driver follows, with the parameters' values in it."""
    return model.elements[name].function.subs({p.symbol: p.value for p in model.parameters.values()})


def towards(angle: sp.Expr) -> sp.Matrix:
    return sp.Matrix([sp.cos(angle), sp.sin(angle)])


def left_of(X: np.ndarray, Y: np.ndarray, x: float, y: float) -> np.ndarray:
    """The corner of a triangle that is x from X and y from Y, to the left of the way from X to Y (complex numbers): the
    foot of its height, then the height."""
    f = np.abs(Y - X)
    foot = (f**2 + x**2 - y**2) / (2 * f)
    return X + (foot + 1j * np.sqrt(x**2 - foot**2)) * (Y - X) / f


def vector(result: mbs.Result, bar: str, length: complex) -> list[np.ndarray]:
    """A vector fixed on a bar, with its rate and its acceleration: r e^{iφ}, iω r e^{iφ}, (iα - ω²) r e^{iφ}."""
    angle, omega, alpha = (result[f"{bar}.{level}"] for level in LEVELS["angle"])
    r = length * np.exp(1j * angle)
    return [r, 1j * omega * r, (1j * alpha - omega**2) * r]


def points(result: mbs.Result, bar: str, direction: np.ndarray) -> None:
    """The bar lies in this direction (a complex number). Towards a dead point roundoff grows: hence one digit less."""
    assert np.abs(np.exp(1j * result[f"{bar}.angle"]) - direction / np.abs(direction)).max() <= 1e-11


def closes(result: mbs.Result, bars: dict[str, float], end: complex) -> None:
    """The bars, one after the other, lead to the end, and their rates and accelerations add up to nothing."""
    vectors = zip(*(vector(result, bar, length) for bar, length in bars.items()), strict=True)
    for level, target in zip(vectors, (end, 0, 0), strict=True):
        assert np.abs(sum(level) - target).max() <= 1e-12 * np.abs(level).max()


# --- cranks and rockers -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("r, l, omega", [(0.10, 0.30, 10.0), (0.05, 0.40, -300.0), (0.19, 0.20, 3.0)])
def test_slider_crank(r, l, omega):
    file = load("slider_crank")
    result = mbs.kinematics(file.build(r=r, l=l, omega=omega), np.linspace(0, 2 * np.pi / abs(omega), 361))
    theta = 0.6 + omega * mbs.t
    agrees(result, "slider.x", r * sp.cos(theta) + sp.sqrt(l**2 - r**2 * sp.sin(theta) ** 2))
    agrees(result, "rod.angle", -sp.asin(r / l * sp.sin(theta)))
    assert np.ptp(result["slider.x"]) == pytest.approx(2 * r, rel=1e-3)
    assert np.ptp(result["slider.y"]) <= 1e-15


FOUR_BARS = {
    "crank-rocker": (0.040, 0.120, 0.080, 0.100),
    "double-crank": (0.100, 0.120, 0.080, 0.040),
    "rocker-crank": (0.080, 0.120, 0.040, 0.100),
    "double-rocker": (0.120, 0.040, 0.080, 0.100),
    "triple-rocker": (0.060, 0.130, 0.070, 0.100),
}


@pytest.mark.parametrize("branch", ["open", "crossed"])
@pytest.mark.parametrize("kind", FOUR_BARS)
def test_four_bar(kind, branch):
    file = load("four_bar")
    a, b, c, d = FOUR_BARS[kind]
    assert file.grashof(a, b, c, d) == kind
    model = file.build(a, b, c, d, omega=2.0, branch=branch)
    result = mbs.kinematics(model, np.linspace(0, np.pi, 361))

    agrees(result, "crank.angle", driver_function(model, "motor"))
    A, D = a * np.exp(1j * result["crank.angle"]), d
    B = left_of(A, D, b, c) if branch == "open" else left_of(D, A, c, b)
    points(result, "coupler", B - A)
    points(result, "rocker", B - D)
    closes(result, {"crank": a, "coupler": b, "rocker": -c}, d)
    P = np.add(vector(result, "crank", a), vector(result, "coupler", 0.060 + 0.040j))
    for k in range(3):
        computed = result[f"coupler.P.{LEVELS['x'][k]}"] + 1j * result[f"coupler.P.{LEVELS['y'][k]}"]
        assert np.abs(computed - P[k]).max() <= 1e-12 * np.abs(P[k]).max()


def test_grashof_change_point():
    assert load("four_bar").grashof(0.04, 0.10, 0.04, 0.10) == "change point"


@pytest.mark.parametrize("kind", ["rocker-crank", "double-rocker", "triple-rocker"])
def test_four_bar_reaches_as_far_as_it_says(kind):
    """At the ends of its reach a crank that cannot turn lies where coupler and rocker are in line."""
    a, b, c, d = FOUR_BARS[kind]
    low, high = load("four_bar").reach(a, b, c, d)
    distances = [np.hypot(a * np.cos(end) - d, a * np.sin(end)) for end in (low, high)]
    for distance in distances:
        assert min(abs(distance - (b + c)), abs(distance - abs(b - c))) < 1e-12


@pytest.mark.parametrize("omega", [5.0, -5.0])
def test_quick_return(omega):
    model = load("quick_return").build(omega=omega)
    r, d, L, s, h = (values(model)[name] for name in ("r", "d", "L", "s", "h"))
    result = mbs.kinematics(model, np.linspace(0, 2 * np.pi / 5, 361))
    theta = 0.3 + omega * mbs.t
    phi = sp.atan2(d + r * sp.sin(theta), r * sp.cos(theta))
    agrees(result, "rocker.angle", phi)
    agrees(result, "ram.x", L * sp.cos(phi) + sp.sqrt(s**2 - (h - L * sp.sin(phi)) ** 2))


def test_quick_return_time_ratio():
    """The rocker turns back at θ = -α and π + α, and nowhere else."""
    file = load("quick_return")
    alpha = np.arcsin(0.08 / 0.20)
    back = np.array([-alpha, np.pi + alpha, 2 * np.pi - alpha])
    rates = mbs.kinematics(file.build(theta0=back[0], omega=1.0), back - back[0])["rocker.omega"]
    assert np.abs(rates).max() < 1e-12
    slow, quick = (np.linspace(*ends, 102)[1:-1] for ends in pairwise(back))
    rates = mbs.kinematics(file.build(theta0=slow[0], omega=1.0), np.append(slow, quick) - slow[0])["rocker.omega"]
    assert (rates[:100] > 0).all() and (rates[100:] < 0).all()
    assert np.ptp(back[:2]) / np.ptp(back[1:]) == pytest.approx((np.pi + 2 * alpha) / (np.pi - 2 * alpha))


@pytest.mark.parametrize("cranks", [2, 3, 5])
def test_double_parallel_crank(cranks):
    """Every point of the coupler goes on a circle, also through the poses where all bars lie in one line."""
    result = mbs.kinematics(load("double_parallel_crank").build(cranks=cranks), np.linspace(0, 2 * np.pi, 181))
    phi = 1 + mbs.t
    agrees(result, "coupler.x", sp.cos(phi) + (cranks - 1) / 2, 1e-9)
    agrees(result, "coupler.y", sp.sin(phi), 1e-9)
    for level in ("angle", "omega", "alpha"):
        assert np.abs(result[f"coupler.{level}"]).max() < 1e-9


def test_double_parallel_crank_on_its_change_point():
    """DesignVariables for at the very pose where the equations do not decide, the motion is the smooth one."""
    model = load("double_parallel_crank").build(cranks=2)
    result = mbs.kinematics(model, [0.0, 1.0, np.pi - 1, 3.0])
    assert result.stats["change_points"] == [pytest.approx(np.pi - 1)]
    agrees(result, "coupler.x", sp.cos(1 + mbs.t) + 0.5, 1e-7)
    agrees(result, "coupler.y", sp.sin(1 + mbs.t), 1e-7)


def test_six_bar():
    file = load("six_bar")
    model = file.build()
    a, b, d, R, s, h = (values(model)[name] for name in ("a", "b", "d", "R", "s", "h"))
    result = mbs.kinematics(model, file.TIMES)
    A, D, F = a * np.exp(5j * result.t), d, d + s + 1j * h
    B = left_of(A, D, b, b)
    P = 2 * B - A
    Q = left_of(P, F, R, s)
    for bar, direction in {"crank": A, "coupler": P - A, "rocker": B - D, "strut": Q - P, "lever": Q - F}.items():
        points(result, bar, direction)
    closes(result, {"crank": a, "coupler": b, "rocker": -b}, D)
    closes(result, {"crank": a, "coupler": 2 * b, "strut": R, "lever": -s}, F)


def test_six_bar_rests():
    file = load("six_bar")
    crank = np.linspace(110, 470, 361)
    result = mbs.kinematics(file.build(theta0=np.radians(110), omega=1.0), np.radians(crank - 110))
    lever = np.degrees(result["lever.angle"])
    assert np.ptp(lever[:141]) < 0.05
    assert np.ptp(lever) == pytest.approx(32.7, abs=0.05)


@pytest.mark.parametrize("speeds", [(-1.0, 3.0), (2.0, 0.7)])
def test_arm_4r1p(speeds):
    file = load("arm_4r1p")
    model = file.build(omega1=speeds[0], omega2=speeds[1])
    l1, l2, l3 = (values(model)[name] for name in ("l1", "l2", "l3"))
    result = mbs.kinematics(model, file.TIMES)
    q1, q2 = 0.5 + speeds[0] * mbs.t, 0.8 + speeds[1] * mbs.t
    x, y = l1 * towards(q1) + l2 * towards(q1 + q2)
    agrees(result, "fore.hand.x", x)
    agrees(result, "fore.hand.y", y)
    agrees(result, "slide.x", x + sp.sqrt(l3**2 - y**2))
    agrees(result, "elbow.angle", q2)


def test_arm_4r1p_has_two_degrees_of_freedom():
    diagnosis = mbs.diagnose(load("arm_4r1p").build(driven=False))
    assert (diagnosis.coordinates, diagnosis.equations) == (12, 10)
    assert diagnosis.degrees_of_freedom == diagnosis.gruebler == 2


# --- wheels and cams --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("teeth", [(20, 60, 18, 54), (17, 43, 23, 31)])
def test_gear_train(teeth):
    z1, z2, z3, z4 = teeth
    file = load("gear_train")
    result = mbs.kinematics(file.build(z1=z1, z2=z2, z3=z3, z4=z4, omega=30.0), file.TIMES)
    agrees(result, "input.angle", 30 * mbs.t)
    agrees(result, "lay.angle", -z1 / z2 * 30 * mbs.t)
    agrees(result, "output.angle", z1 / z2 * z3 / z4 * 30 * mbs.t)


@pytest.mark.parametrize("z_sun, z_planet", [(20, 20), (24, 18), (13, 35)])
def test_planetary_gear(z_sun, z_planet):
    z_ring = z_sun + 2 * z_planet
    file = load("planetary_gear")
    result = mbs.kinematics(file.build(z_sun=z_sun, z_planet=z_planet, omega=30.0), file.TIMES)
    carrier = z_sun / (z_sun + z_ring) * 30 * mbs.t
    planet = (1 - z_ring / z_planet) * carrier
    agrees(result, "carrier.angle", carrier)
    agrees(result, "planet.angle", planet)
    willis = (result["sun.omega"] - result["carrier.omega"]) / (0 - result["carrier.omega"])
    np.testing.assert_allclose(willis, -z_ring / z_sun, rtol=1e-12)
    tooth = (z_sun + z_planet) * 0.001 * towards(carrier) + z_planet * 0.001 * towards(planet)  # a hypocycloid
    agrees(result, "planet.tooth.x", tooth[0])
    agrees(result, "planet.tooth.y", tooth[1])


def lift(u: sp.Expr) -> sp.Expr:
    """The law 4-5-6-7, written once more."""
    return 35 * u**4 - 84 * u**5 + 70 * u**6 - 20 * u**7


@pytest.mark.parametrize("follower", ["point", "flat"])
def test_cam_follower(follower):
    """The lift is the motion law: 120° up, 30° above, 120° down, 90° below, and again."""
    file = load("cam_follower")
    result = mbs.kinematics(file.build(follower=follower), np.linspace(0, 2, 721))
    u = 3 * mbs.t  # a third of a turn each second
    u_down = 3 * (mbs.t - sp.Rational(5, 12))
    pieces = [
        (0, 120, lift(u)),
        (120, 150, sp.S.One),
        (150, 270, 1 - lift(u_down)),
        (270, 360, sp.S.Zero),
        (360, 480, lift(u - 3)),
    ]
    for begin, end, s in pieces:
        during = slice(begin, end)  # the samples are one degree apart
        for order, level in enumerate(LEVELS["y"]):
            expression = (0.050 + 0.020 * s).diff(mbs.t, order)
            expected = np.broadcast_to(sp.lambdify(mbs.t, expression, "numpy")(result.t[during]), end - begin)
            size = np.abs(result[f"follower.{level}"]).max()
            np.testing.assert_allclose(result[f"follower.{level}"][during], expected, rtol=0, atol=1e-11 * size)
    assert np.abs(result["follower.x"]).max() < 1e-15


def test_rack_and_pinion():
    file = load("rack_and_pinion")
    result = mbs.kinematics(file.build(r=0.025, swing=7.0), file.TIMES)
    turn = 7 * sp.sin(2 * sp.pi * mbs.t)
    agrees(result, "pinion.angle", turn)
    agrees(result, "rack.x", 0.025 * turn)
