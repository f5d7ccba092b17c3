"""What the models do whose bodies touch, against what their first lines say, and values of `rough` references: closed
forms and elliptic integrals evaluated with 20 digits, or minimal coordinates in extended precision."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from gallery import TOUCHING, load
from scipy.integrate import quad, solve_ivp
from scipy.special import ellipk

import mbs_dae as mbs

G = 9.81
SOON = 1e-7
"""A change is at this time: just before it is not, just after it is."""
built = cache(lambda name: load(name).build())


def run(name, times, start=None, **parameters) -> mbs.Result:
    file = load(name)
    model = built(name).with_parameters(**parameters) if parameters else built(name)
    return mbs.simulate(model, times, file.INITIAL | (start or {}), rtol=1e-11)


def near(found, expected, tolerance=1e-8):
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


def around(*times) -> list[float]:
    return [t + side * SOON for t in times for side in (-1, 1)]


@pytest.mark.parametrize("name", TOUCHING)
def test_is_free_and_says_all_velocities(name):
    diagnosis = mbs.diagnose(built(name))
    assert diagnosis.assembled and not diagnosis.conflicts and diagnosis.contacts or built(name).frictions
    assert diagnosis.degrees_of_freedom == len(load(name).INITIAL)


def test_bouncing_ball():
    v, e = np.sqrt(2 * G), 0.75
    rests = v / G * (1 + e) / (1 - e)
    result = run("bouncing_ball", [0, rests - 1e-3, rests + 1e-3])
    n = np.arange(10)
    near([impact.t for impact in result.impacts[:10]], v / G * (1 + 2 * e * (1 - e**n) / (1 - e)))
    near([impact.energy_lost for impact in result.impacts[:10]], 0.5 * G * e ** (2 * n) * (1 - e**2))
    near(result.impacts[-1].rests, rests)
    near(sum(impact.energy_lost for impact in result.impacts), 0.5 * G)
    assert result.modes["floor"][-1] == "closed"
    near(result.reaction("floor")[-1], [0, 0.5 * G, 0])


@pytest.mark.parametrize(("beta", "spin"), [(0.4, 0.0), (0.5, 0.0), (0.4, -200.0)])
def test_bowling_ball(beta, spin):
    """From 7 m/s it rolls with 5 m/s; a disk with 2/3; with much backspin it comes back."""
    v, R, mu = 7.0, 0.108, 0.12
    rolls = beta / (1 + beta) * (v - R * spin) / (mu * G)
    result = run("bowling_ball", [0, *around(rolls), rolls + 1], {"ball.omega": -spin}, beta=beta)
    assert result.modes["lane"].tolist() == ["slips", "slips", "sticks", "sticks"]
    near(result["ball.vx"][2:], (v + beta * R * spin) / (1 + beta))
    assert (result["ball.vx"][-1] < 0) == (spin < 0)


def test_pendulum_with_a_stop():
    result = run("pendulum_with_stop", [0, 3])
    speed = 3.4812996300825393345
    near([i.t for i in result.impacts[:3]], [0.49392670725983444317, 1.2993435754384540922, 1.911278008641104396])
    near([i.impulses["stop"][2] for i in result.impacts[:3]], 1.5 * speed * 0.5 ** np.arange(3))
    near(result.impacts[-1].rests, 2.7390289402757)
    near(result.reaction("stop")[-1, 2], G * np.sin(0.2))
    behind = run("pendulum_with_stop", [0, 6], phi_s=-0.4).impacts
    near([i.t for i in behind[:3]], [0.66634750589055818274, 2.1131674494000465632, 3.7640538131508806155])


def test_slider_crank_at_its_stop_and_in_its_guide():
    smooth = run("rough_slider_crank", [0, 0.9], mu=0.0, reach=1.0677422060534287228)
    near([i.t for i in smooth.impacts[:2]], [0.65422388674551923285, 0.80182255181949950216], 1e-7)
    near([i.impulses["stop"][0] for i in smooth.impacts[:2]], [-6.4842925523322339975, -1.9452877656996701992], 1e-7)
    rough = run("rough_slider_crank", [0, 0.25, 0.5, 1.0], {"crank.omega": 9.0}, theta=0.5, reach=2.0)
    near(rough["crank.angle"][1:], [1.9577945663966312, 4.5786631932927762, 7.7356400844094111])
    near(rough.reaction("guide")[1:, 1], [24.141536148265438, 28.975937193650296, 26.609474141759826], 1e-7)


def test_cam_that_is_too_fast():
    lift, back = 0.016299218999338854928, 0.043262776319235847897
    result = run("cam_lift_off", [0, *around(lift), 0.03, *around(back)])
    assert result.modes["contact"].tolist() == ["closed", "closed", "open", "open", "open", "closed"]
    near(result.impacts[0].t, back)
    near(result.impacts[0].impulses["contact"][1], 0.5 * 1.4432417367728128673)
    near(result.energy.error, 0)
    slow = 102.54077237860069874
    below = run("cam_lift_off", [0, np.pi / slow], omega=slow)
    assert not below.impacts
    near(below.reaction("contact")[:, 1], [77.47805, 12.33195], 1e-7)


def test_wedge():
    """It goes out beyond the slope that its own weight makes a little more than two angles of friction."""
    mu, load, own = 0.2, 20.0, 0.5
    limit = np.arctan(mu) + np.arctan(mu * (load + own) / load)
    for slope, stays in ((0.25, True), (limit + 1e-6, False)):
        assert (run("wedge", [0, 0.1], alpha=slope).modes["rub"][-1] == "sticks") == stays
    alpha = 0.45
    C, S = np.cos(alpha) + mu * np.sin(alpha), np.sin(alpha) - mu * np.cos(alpha)
    _, a = np.linalg.solve([[C, load * np.tan(alpha)], [S - mu * C, -own]], [load * G, mu * own * G])
    result = run("wedge", [0, 0.5])
    near(result["wedge.x"][-1], -a / 8)
    near(result["load.y"][-1], 0.1 - a / 8 * np.tan(alpha))


@pytest.mark.parametrize("pitch", [0.006, 0.04])
def test_screw_jack(pitch):
    """Tight and steep: it locks itself or does not, and is lifted and lowered by the moments of the book."""
    W, r, mu, J = 5000.0, 0.015, 0.12, 0.02
    lead, rho = np.arctan(pitch / (2 * np.pi * r)), np.arctan(mu)
    for angle, way in ((lead + rho, 1), (lead - rho, -1)):
        moment = W * r * np.tan(angle)
        for change in (way, -way):
            at_end = run("screw_jack", [0, 0.1], M=moment + 1e-6 * change, p=pitch)
            assert (at_end.modes["rub"][-1] == "slips") == (change == way)
            assert (way * at_end["screw.z"][-1] > 1e-13) == (change == way)
    assert (run("screw_jack", [0, 0.1], M=0.0, p=pitch).modes["rub"][-1] == "sticks") == (lead < rho)
    t = np.tan(lead)
    _, turns = np.linalg.solve([[1 - mu * t, -W / G * r * t], [r * (t + mu), J]], [W, 60.0])
    near(run("screw_jack", [0, 0.5], M=60.0, p=pitch)["thread.angle"][-1], turns / 8)


def test_block_on_a_belt():
    m, k, v, mu, rest = 1.0, 100.0, 0.1, 0.3, 0.45
    omega, held, middle = np.sqrt(k / m), rest * m * G / k, mu * m * G / k
    first = held / v
    caught = first + (2 * np.pi - 2 * np.arctan((held - middle) * omega / v)) / omega
    again = caught + 2 * (held - middle) / v
    result = run("block_on_belt", [0, *around(first, caught, again)])
    assert result.modes["rub"].tolist() == ["sticks"] * 2 + ["slips"] * 2 + ["sticks"] * 2 + ["slips"]
    near(result["block.x"][[2, 3, 6]], [held, 2 * middle - held, held], 1e-6)


def test_rocking_block():
    """What each impact leaves, and when the first one is, by the energy: θ = θ₀ - u² takes the root out of it."""
    b, h, m, start = 0.1, 0.5, 10.0, 0.12
    R, alpha = np.hypot(b, h), np.arctan(b / h)
    squared = 3 * G / (2 * R)
    rate = np.sqrt(squared * (np.cos(alpha - start) - np.cos(alpha)))
    first = quad(
        lambda u: 2 * u / np.sqrt(squared * (np.cos(alpha - start) - np.cos(alpha - start + u * u))), 0, np.sqrt(start)
    )[0]
    result = run("rocking_block", [0, 2])
    near(result.impacts[0].t, first, 1e-9)
    left = 1 - 1.5 * np.sin(alpha) ** 2
    n = np.arange(3)
    lost = 2 / 3 * m * R**2 * rate**2 * left ** (2 * n) * (1 - left**2)
    near([impact.energy_lost for impact in result.impacts[:3]], lost)


def test_rimless_wheel():
    """Each step loses and gains as the first lines say, until it walks steadily."""
    l, m, beta, gamma, alpha = 0.5, 2.0, 0.1, 0.15, np.pi / 8
    left = (np.cos(2 * alpha) + beta) / (1 + beta)
    gain = 4 * G * np.sin(alpha) * np.sin(gamma) / ((1 + beta) * l)
    squared = [1 + 2 * G * (np.cos(gamma) - np.cos(alpha + gamma)) / ((1 + beta) * l)]
    result = run("rimless_wheel", [0, 6])
    while len(squared) < len(result.impacts):
        squared.append(left**2 * squared[-1] + gain)
    lost = m * l**2 * (1 + beta) * (1 - left**2) / 2 * np.array(squared)
    near([impact.energy_lost for impact in result.impacts], lost)
    near(squared[-1], gain / (1 - left**2), 1e-3)
    assert len(lost) > 10 and result["wheel.x"][-1] > 10 * 2 * l * np.sin(alpha)


def test_geneva_drive():
    """A quarter for each turn, between the sides of the slot; at rest in between."""
    file = load("geneva_drive")
    result = mbs.simulate(built("geneva_drive"), np.linspace(0, 1, 201), file.INITIAL, **file.OPTIONS)
    theta = 2 * np.pi * result.t - np.pi / 2
    inside = np.abs(theta) < np.pi / 4
    ideal = -np.pi / 4 - np.arctan2(np.sin(theta), np.sqrt(2) - np.cos(theta))
    play = 1e-4 / (0.05 * np.sqrt(3 - 2 * np.sqrt(2) * np.cos(theta)))
    assert (np.abs(result["wheel.angle"] - ideal)[inside] < 1.05 * play[inside]).all()
    rest = result["wheel.angle"][result.t > 0.4]
    assert np.ptp(rest) < 1e-12 and abs(rest[0] + np.pi / 2) < 1e-4 / 0.05 * 1.05
    assert min(result[f"{side}{k}.gap"].min() for side in ("left", "right") for k in range(4)) > -1e-7


def test_geneva_drive_from_event_to_event():
    """The pin leaves round the end of its slot, where the force on it jumps."""
    file = load("geneva_drive")
    result = mbs.simulate(built("geneva_drive"), np.linspace(0, 0.5, 101), file.INITIAL)
    assert abs(result["wheel.angle"][-1] + np.pi / 2) < 1e-4 / 0.05 * 1.05
    assert result.modes["brake"][-1] == "sticks" and result.modes["right2"][-1] == "open"


@pytest.mark.parametrize(("mu", "until", "off"), [(0.0, 0.46, 5e-4), (0.2, 0.7, 2e-3)])
def test_chain_over_an_edge(mu, until, off):
    """It follows the law of a smooth chain up to where the edge would have to pull; from there it goes in a bow."""
    file = load("chain_over_edge")
    times = file.TIMES[until + 1e-9 > file.TIMES]
    result = mbs.simulate(built("chain_over_edge").with_parameters(mu=mu), times, file.INITIAL, **file.OPTIONS)
    n, l, R, E = file.N, 0.01, 0.005 / np.sin(np.pi / 32), np.exp(mu * np.pi / 2)
    ends = [result[f"link{k + 1}.x"] + l / 2 * np.cos(result[f"link{k + 1}.angle"]) for k in range(n)]
    depth = -result[f"link{n}.y"] - l / 2 * np.sin(result[f"link{n}.angle"])

    def pulled(x, v):
        return (G * (x - mu * E * (1 - x)) + (E - 1) * v**2) / (x + E * (1 - x))

    law = solve_ivp(lambda _, y: [y[1], pulled(*y)], times[[0, -1]], [R + 0.3, 0], t_eval=times, rtol=1e-9)
    x, v = law.y
    follows = (1 - x) * (pulled(x, v) + mu * G) > v**2
    assert 0.5 < depth[follows][-1] < 0.75 and follows[0] and not follows[-1]
    np.testing.assert_allclose(depth[follows], x[follows], atol=off)
    out = np.max(ends, axis=0) - R
    assert out[follows].max() < 1e-3 and out[-1] > 1e-2
    assert min(result[f"edge{k + 1}.gap"].min() for k in range(n)) > -1e-5
    assert result.stats["contact_residual"] < 1e-6 and np.abs(result.energy.error).max() < 1e-3
    lost = result.energy.dissipated[-1] / result.energy.kinetic[-1]
    assert lost > 0.1 if mu else abs(lost) < 1e-3


@pytest.mark.parametrize(("mu", "stays"), [(0.3, False), (0.45, True)])
def test_chain_that_its_table_holds(mu, stays):
    """It begins to slide if x > μ exp(μ π/2) (L - x)."""
    file, x = load("chain_over_edge"), 0.3 + 0.005 / np.sin(np.pi / 32)
    assert (x < mu * np.exp(mu * np.pi / 2) * (1 - x)) == stays
    result = mbs.simulate(built("chain_over_edge").with_parameters(mu=mu), [0, 0.1], file.INITIAL, **file.OPTIONS)
    moved = np.ptp(result["link1.x"])
    assert moved < 1e-9 if stays else moved > 1e-4


def test_newtons_cradle():
    """The velocity goes through the row."""
    speed = np.sqrt(2 * G * 0.2 * (1 - np.cos(0.5)))
    quarter = ellipk(np.sin(0.25) ** 2) * np.sqrt(0.2 / G)
    result = run("newtons_cradle", [0, 2 * quarter])
    assert [impact.contacts for impact in result.impacts] == [(f"hit{k}",) for k in range(1, 5)]
    near([np.hypot(*i.impulses[i.contacts[0]][:2]) for i in result.impacts], 0.1 * speed, 1e-5)
    near(result.impacts[0].t, quarter + 1e-5 / speed, 1e-6)
    near([result[f"pin{k}.angle"][-1] for k in range(1, 6)], [0, 0, 0, 0, 0.5], 1e-3)


def test_tippe_top():
    """Jellett's number stays, energy does not, and the top goes over."""
    R, a, A, C = 0.02, 0.003, 3.0e-6, 3.2e-6
    result = run("tippe_top", np.linspace(0, 0.5, 51))
    e = np.array([result[f"top.stem.{x}"] - result[f"top.{x}"] for x in "xyz"]).T / (1.5 * R)
    omega = np.array([result[f"top.w{x}"] for x in "xyz"]).T
    L = A * omega + (C - A) * np.sum(omega * e, axis=1)[:, None] * e
    jellett = -np.sum(L * (a * e - [0, 0, R]), axis=1)
    near(jellett / jellett[0], 1, 1e-7)
    assert set(result.modes["table"]) == {"slips"} and result.energy.dissipated[-1] > 5e-4
    assert e[-1, 2] < e[0, 2] - 0.05
