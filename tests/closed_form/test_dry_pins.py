"""Dry friction in all pins of a four-bar, against the equation of its one freedom, integrated piece by piece.

With the crank's angle θ, and β(θ), γ(θ) of coupler and rocker, the pins turn at ρ θ' with ρ = 1, β' - 1, γ' - β', γ'.
What rubs with a moment T in each takes T Σ|ρ| from the crank, so M θ" = -M' θ'²/2 - V' - T Σ|ρ| sign θ'. Σ|ρ| bends
where the rocker, or its angle to the coupler, turns back; the crank stays where its speed is zero and |V'| <= T Σ|ρ|.
"""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from helpers import FourBar, four_bar
from scipy.integrate import solve_ivp

import mbs_dae as mbs

SETS = ("cartesian", "natural", "joint")
BAR = FourBar(4.0, 2.0, 5.0, 3.5)  # the crank goes round: 2 + 5 < 4 + 3.5
MASS, INERTIA = (1.0, 2.0, 1.5), (0.2, 1.0, 0.5)
DEAD = -2.1308716330214788
"""Where crank and coupler lie in line, so that the rocker turns back."""


def turned(theta: float) -> np.ndarray:
    """β, γ, and their first and second derivatives: a e^iθ + b e^iβ = d + c e^iγ, differentiated."""
    _, a, b, c = BAR
    beta, gamma = BAR.angles(theta)
    sine, cosine = np.sin(beta - gamma), np.cos(beta - gamma)
    beta1, gamma1 = -a * np.sin(theta - gamma) / (b * sine), -a * np.sin(theta - beta) / (c * sine)
    beta2 = (c * gamma1**2 - a * np.cos(theta - gamma) - b * beta1**2 * cosine) / (b * sine)
    gamma2 = (a * np.cos(theta - beta) + b * beta1**2 - c * gamma1**2 * cosine) / (c * -sine)
    return np.array([beta, gamma, beta1, gamma1, beta2, gamma2])


def ratios(theta: float) -> np.ndarray:
    """How fast the pins A, B, C, D turn for each rad/s of the crank."""
    _, _, beta1, gamma1, *_ = turned(theta)
    return np.array([1.0, beta1 - 1, gamma1 - beta1, gamma1])


def inertia_and_forces(theta: float, gravity: float) -> tuple[float, float, float]:
    """M, M'/2, V'."""
    _, a, b, c = BAR
    m, J = MASS, INERTIA
    beta, gamma, beta1, gamma1, beta2, gamma2 = turned(theta)
    cosine, sine = np.cos(theta - beta), np.sin(theta - beta)
    M = m[0] * a**2 / 4 + J[0] + m[1] * a**2
    M += (m[1] * b**2 / 4 + J[1]) * beta1**2 + m[1] * a * b * beta1 * cosine
    M += (m[2] * c**2 / 4 + J[2]) * gamma1**2
    half = (m[1] * b**2 / 4 + J[1]) * beta1 * beta2 + (m[2] * c**2 / 4 + J[2]) * gamma1 * gamma2
    half += m[1] * a * b / 2 * (beta2 * cosine - beta1 * sine * (1 - beta1))
    heights = (m[0] / 2 + m[1]) * a * np.cos(theta) + m[1] * b / 2 * beta1 * np.cos(beta)
    return M, half, gravity * (heights + m[2] * c / 2 * gamma1 * np.cos(gamma))


class Crank:
    """The motion in one coordinate: the signs of all ρ and of the speed are held until one passes zero."""

    def __init__(self, start: float, speed: float, moment: float, gravity: float):
        self.moment, self.gravity = moment, gravity
        self.pieces, self.turns, self.bends, self.rest = [], 0, 0, np.inf
        t, y, way = 0.0, np.array([start, speed]), np.sign(speed)
        sides = np.sign(ratios(start + 1e-6 * way))
        while self.rest == np.inf:
            piece = self.piece(t, y, way, sides)
            self.pieces.append(piece)
            t, y = piece.t[-1], piece.y[:, -1]
            if piece.t_events[0].size:
                self.turns += 1
                y[1] = 0.0
                pull = inertia_and_forces(y[0], gravity)[2]
                if abs(pull) <= moment * np.abs(ratios(y[0])).sum():
                    self.rest, self.place = t, y[0]
                way = -np.sign(pull)
            for k, found in enumerate(piece.t_events[1:], start=2):
                self.bends += found.size
                sides[k] *= -1 if found.size else 1

    def piece(self, t, y, way, sides):
        def rates(t, y):
            M, half, pull = inertia_and_forces(y[0], self.gravity)
            rubs = self.moment * (sides @ ratios(y[0])) * way
            return y[1], (-half * y[1] ** 2 - pull - rubs) / M

        events = [lambda t, y: y[1] * way]
        events += [lambda t, y, k=k: ratios(y[0])[k] * sides[k] for k in (2, 3)]
        for event in events:
            event.terminal, event.direction = True, -1
        how = {"rtol": 1e-13, "atol": 1e-14, "events": events, "dense_output": True}
        return solve_ivp(rates, (t, t + 100), y, "DOP853", **how)

    def __call__(self, t: float) -> np.ndarray:
        if t >= self.rest:
            return np.array([self.place, 0.0])
        return next(piece.sol(t) for piece in self.pieces if t <= piece.t[-1])


CASES = {  # first angle and speed of the crank, moment, gravity, and how often the crank turns back before it stays
    "without weight": ((0.8, 6.0, 1.0, 0.0), 0),
    "with weight": ((0.8, 8.0, 2.0, 9.81), 7),
    "from a dead centre": ((DEAD, 6.0, 1.0, 0.0), 0),
    "from a dead centre, with weight": ((DEAD, -6.0, 1.5, 9.81), 9),
}


@pytest.fixture(scope="module", params=CASES)
def case(request):
    (given, turns) = CASES[request.param]
    crank = Crank(*given)
    assert crank.turns == turns + 1 and crank.bends > 8
    return given, crank


def dry(start: float, moment: float, gravity: float) -> mbs.PlanarModel:
    model = four_bar(BAR, angle=start, motor=False)
    model.gravity = (0.0, -gravity)
    for pin in "ABCD":
        rub = -moment * sp.sign(model[f"{pin}.omega"])
        model.add(mbs.Torque(f"rub {pin}", model.elements[pin], rub))
    return model


@pytest.mark.parametrize("coordinates", SETS)
@pytest.mark.parametrize(("method", "rtol"), [("DP8", 1e-12), ("Radau5", 1e-10)])
def test_a_four_bar_whose_pins_all_rub(case, method, rtol, coordinates):
    """It comes to rest, where and when it should, and stays there; what it had is what friction took."""
    (start, speed, moment, gravity), crank = case
    times = np.sort([*np.linspace(0, crank.rest, 9)[:-1], 0.999 * crank.rest, crank.rest + 0.01, crank.rest + 2])
    system = dry(start, moment, gravity).compile(coordinates)
    run = mbs.simulate(system, times, {"crank.omega": speed}, method=method, rtol=rtol)
    expected = np.array([crank(t) for t in times])
    np.testing.assert_allclose(run["crank.angle"], expected[:, 0], rtol=0, atol=1e-8)
    np.testing.assert_allclose(run["crank.omega"], expected[:, 1], rtol=0, atol=1e-8)
    assert max(abs(run[f"{pin}.omega"][-1]) for pin in "ABCD") < 1e-12
    assert abs(run["crank.alpha"][-1]) < 1e-12
    begin = inertia_and_forces(start, gravity)[0] * speed**2 / 2
    assert run.energy.kinetic[0] == pytest.approx(begin, rel=1e-12)
    assert abs(run.energy.error).max() < 1e-8 * begin


def test_the_work_of_all_pins():
    """T times the way of each pin: without weight it is what the crank had."""
    (start, speed, moment, gravity), _ = CASES["without weight"]
    model = dry(start, moment, gravity)
    ways = [model.state(f"way_{pin}", rate=sp.Abs(model[f"{pin}.omega"]), unit="rad") for pin in "ABCD"]
    run = mbs.simulate(model, [0, 20], {"crank.omega": speed}, method="DP8", rtol=1e-12)
    work = moment * sum(run[str(way)][-1] for way in ways)
    assert work == pytest.approx(inertia_and_forces(start, gravity)[0] * speed**2 / 2, rel=1e-9)
    assert -run.energy.supplied[-1] == pytest.approx(work, rel=1e-9)


@pytest.mark.parametrize("coordinates", SETS)
@pytest.mark.parametrize("method", ["DP5", "DP8", "Radau5"])
def test_friction_in_all_pins_that_is_just_enough(method, coordinates):
    """It holds while |V'| <= T Σ|ρ|. With a millionth less the crank goes with M θ" = V' 1e-6."""
    M, _, pull = inertia_and_forces(0.8, 9.81)
    limit = abs(pull) / np.abs(ratios(0.8)).sum()
    for part, moved in ((1e-6, 0.0), (-1e-6, -np.sign(pull) * abs(pull) * 1e-6 / M * 0.01 / 2)):
        system = dry(0.8, limit * (1 + part), 9.81).compile(coordinates)
        run = mbs.simulate(system, [0, 0.1], {"crank.omega": 0.0}, method=method, rtol=1e-10)
        assert run["crank.angle"][-1] - 0.8 == pytest.approx(moved, rel=0.05, abs=1e-12)
