"""Impacts and unilateral motion without friction. Expected values: closed forms evaluated with 20 digits (balls,
walls), elliptic integrals (pendulums), energy quadrature between impacts with a free-body balance of impulses at them
(slider-crank, 40 digits), and minimal coordinates in extended precision with location of events (double pendulum,
cam)."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import mbs_dae as mbs
from mbs_dae.model.contacts import Contact, Line, Point, Stop

G = 9.81
CASES = (("cartesian", "DP5"), ("natural", "DP5"), ("joint", "DP5"), ("cartesian", "DP8"))
cases = pytest.mark.parametrize("coordinates, method", CASES)


def run(model, times, start, coordinates="cartesian", method="DP5", **options) -> mbs.Result:
    return mbs.simulate(model.compile(coordinates), times, start, method=method, **{"rtol": 1e-12, **options})


def near(found, expected, tolerance=1e-9):
    found, expected = np.asarray(found, dtype=float), np.asarray(expected, dtype=float)
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() <= tolerance, (found, expected)


def times_of(result) -> np.ndarray:
    return np.array([impact.t for impact in result.impacts])


# --- balls -----------------------------------------------------------------------------------------------------------


def ball(restitution=0.9, mass=2.0, height=1.0) -> mbs.PlanarModel:
    model = mbs.PlanarModel("ball", gravity=(0, -G))
    body = model.body("ball", mass=mass, inertia=0.01, position=(0, height))
    model.add(Contact("floor", Line(model.ground), Point(body), restitution=restitution))
    return model


BOUNCES = [0.45152364098573090445, 1.2642661947600465325, 1.9957344931569305977, 2.6540559617141262564,
           3.2465452834156023492, 3.7797856729469308327, 4.2597020235251264679, 4.6916267390455025396,
           5.0803589830138410041, 5.4302180025853456221]  # fmt: skip
SPEEDS = 4.4294469180700201727 * 0.9 ** np.arange(10)
"""With which the ball arrives."""
STILL = {"ball.vx": 0.0, "ball.vy": 0.0, "ball.omega": 0.0}


@cases
def test_a_ball_bounces_until_it_rests(coordinates, method):
    result = run(ball(), [0, 1, 5, 8, 8.57, 9], STILL, coordinates, method)
    near(times_of(result)[:10], BOUNCES)
    places = [1, 0.71094914433303832806, 0.12154865483912440781, 0.0011926587227729161182, 1.0095103783493903976e-6, 0]
    near(result["ball.y"], places, 2e-11)
    speeds = [0, -1.3940508556669616719, -1.1184100332989199184, 0.24187778362009209239, -0.001511591097309571885, 0]
    near(result["ball.vy"], speeds)
    pushes = [impact.impulses["floor"][1] for impact in result.impacts[:10]]
    near(pushes, 2.0 * 1.9 * SPEEDS)
    near([impact.energy_lost for impact in result.impacts[:10]], SPEEDS**2 * (1 - 0.81))
    assert [impact.rests is None for impact in result.impacts] == [True] * (len(result.impacts) - 1) + [False]
    near(result.impacts[-1].rests, 8.5789491787288871846)
    near(result.reaction("floor")[-1], [0, 2 * G, 0])
    assert (result.modes["floor"] == ["open"] * 5 + ["closed"]).all()
    assert all(impact.contacts == ("floor",) for impact in result.impacts)
    near(result.energy.error, np.zeros(6), 1e-10)


@cases
def test_a_ball_that_loses_nothing(coordinates, method):
    result = run(ball(1.0), [0, 5, 10, 100], STILL, coordinates, method)
    near(times_of(result)[:3], [0.45152364098573090445, 1.3545709229571927134, 2.2576182049286545223])
    near(result["ball.y"][1:], [0.14181508420121035975, 0.97832197540443798574, 0.72158115444783310655], 5e-9)
    near(result["ball.vy"][1:], [4.1033630168402420719, -0.65216780245955620143, 2.3372158115444783311], 5e-9)
    assert all(abs(impact.energy_lost) < 1e-12 for impact in result.impacts)


def between_walls(restitution) -> mbs.PlanarModel:
    model = mbs.PlanarModel("between two walls")
    body = model.body("ball", mass=1.0, inertia=1.0, position=(0.3, 0))
    guide = model.add(mbs.Translational("guide", model.ground, body))
    model.add(Stop("walls", mbs.displacement(guide), lower=0.0, upper=1.0, restitution=restitution))
    return model


WALLS = {
    0.9: ([0.35, 0.90555555555555555556, 1.5228395061728395062, 2.208710562414266118, 2.97078951379362902,
           3.8175439042151433555, 4.7583821157946037284, 5.8037579064384485871, 6.965286562709387319,
           8.25587395856598591], [0.5, 2, 4], [0.73, 0.3043, 0.1939293], [-1.8, -1.458, 1.062882]),
    1.0: (0.35 + 0.5 * np.arange(12), [0.5, 2, 5.9], [0.7, 0.3, 0.1], [-2, 2, 2]),
}  # fmt: skip


@cases
@pytest.mark.parametrize("restitution", WALLS)
def test_between_two_walls(restitution, coordinates, method):
    bounces, times, places, speeds = WALLS[restitution]
    start = {"guide.displacement": 0.3, "guide.velocity": 2.0}
    result = run(between_walls(restitution), [0, *times, 8.3], start, coordinates, method)
    near(times_of(result)[: len(bounces)], bounces, 1e-10)
    near(result["ball.x"][1:-1], places)
    near(result["ball.vx"][1:-1], speeds)
    n = np.arange(len(bounces))
    near(
        [i.impulses["walls"][0] for i in result.impacts[: n.size]],
        -((-1.0) ** n) * 2 * (1 + restitution) * restitution**n,
    )


@cases
def test_three_balls_on_a_line_hand_on_their_velocity(coordinates, method):
    model = mbs.PlanarModel("line")
    balls = [model.body(f"b{k}", mass=1.0, inertia=1.0, position=(k, 0)) for k in range(3)]
    model.add(*(mbs.Translational(f"guide{k}", model.ground, one) for k, one in enumerate(balls)))
    for k in range(2):
        model.add(Contact(f"c{k}", balls[k], balls[k + 1], gap=lambda i, j: j.x - i.x, restitution=1.0))
    start = {f"b{k}.{n}": v for k in range(3) for n, v in (("x", k), ("vx", float(k == 0)))}
    result = run(model, [0, 0.5, 1.5, 4], start, coordinates, method)
    near(times_of(result), [1, 2], 1e-11)
    assert [impact.contacts for impact in result.impacts] == [("c0",), ("c1",)]
    near([impact.impulses[f"c{k}"][0] for k, impact in enumerate(result.impacts)], [1, 1])
    near([result[f"b{k}.x"][-1] for k in range(3)], [1, 2, 4], 1e-11)
    near(np.array([result[f"b{k}.vx"] for k in range(3)]).T, [[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], 1e-12)


@cases
def test_a_ball_on_a_plate_that_accelerates(coordinates, method):
    """In the axes of the plate, which goes up by t²: a ball in a gravity of g + 2."""
    model = mbs.PlanarModel("plate", gravity=(0, -G))
    body = model.body("ball", mass=1.0, inertia=1.0, position=(0, 1))
    model.add(Contact("plate", model.ground, body, gap=lambda i, j: j.y - i.y - mbs.t**2, restitution=0.7))
    result = run(model, [0, 1, 2, 2.4, 3], STILL, coordinates, method)
    bounces = [0.41151914920314535668, 0.98764595808754885604, 1.3909347243066313056, 1.6732368606599890203,
               1.8708483561073394206, 2.0091764029204847008, 2.1060060356896863969, 2.1737867786281275842]  # fmt: skip
    after = [3.4020288064624026637, 2.3814201645236818646, 1.6669941151665773052, 1.1668958806166041137,
             0.81682711643162287956, 0.57177898150213601569, 0.40024528705149521098,
             0.28017170093604664769]  # fmt: skip
    near(times_of(result)[:8], bounces)
    near([impact.impulses["plate"][1] for impact in result.impacts[:8]], np.array(after) * 1.7 / 0.7)
    near(result.impacts[-1].rests, 2.3319418454844903545, 5e-9)  # the last bounces: 1e-6 m/s at y = 5 m
    near(result["ball.y"][3:], [2.4**2, 9], 1e-11)
    near(result.reaction("plate")[3:, 1], [G + 2, G + 2])
    near(result.energy.error, np.zeros(5), 1e-9)


def test_what_a_driver_gives_at_an_impact():
    """A ball drops on a plate of 3 kg that a motor lifts at 1 m/s: the motor takes the impulse, and works with it."""
    model = mbs.PlanarModel("plate", gravity=(0, -G))
    plate, body = model.body("plate", mass=3.0, inertia=1.0), model.body("ball", mass=2.0, inertia=1.0, position=(0, 2))
    up = np.pi / 2
    model.add(mbs.Translational("guide", model.ground.at(0, 0, angle=up), plate.at(0, 0, angle=up)))
    model.add(mbs.Driver("motor", mbs.y(plate), mbs.t), Contact("hit", Line(plate), Point(body), restitution=0.5))
    result = run(model, [0, 1], STILL)
    (impact,) = result.impacts
    speed = np.sqrt(1 + 4 * G)  # √(1 + 2 g h), of the approach
    near(impact.t, (speed - 1) / G)
    near([impact.impulses[name][1] for name in ("hit", "motor")], [3 * speed, 3 * speed])
    near(impact.energy_lost, 0.75 * speed**2)
    near(result.energy.supplied[-1], 3 * G + 3 * speed)
    near(result.energy.error[-1], 0)


# --- pendulums -------------------------------------------------------------------------------------------------------


def pendulum(stop) -> mbs.PlanarModel:
    """A point mass on a massless rod of 1 m, by its angle from where it hangs."""
    model = mbs.PlanarModel("pendulum", gravity=(0, -G))
    body = model.body("rod", mass=1.0, inertia=0.0, com=(0, -1), angle=1.2)
    pin = model.add(mbs.Revolute("A", model.ground, body))
    model.add(Stop("stop", mbs.angle(pin), lower=stop, restitution=0.5))
    return model


PENDULUMS = {
    0.2: ([0.49392670725983444317, 1.2993435754384540922, 1.911278008641104396, 2.3020407166890321163,
           2.5170015910574374971, 2.6275470979719593462], 3.4812996300825393345),
    -0.4: ([0.66634750589055818274, 2.1131674494000465632, 3.7640538131508806155, 5.5831754200208080972,
            7.5026691246940442212, 9.4750776638043154795], 3.3108545059401613233),
}  # fmt: skip


@cases
@pytest.mark.parametrize("stop", PENDULUMS)
def test_a_pendulum_against_a_stop(stop, coordinates, method):
    bounces, speed = PENDULUMS[stop]
    result = run(pendulum(stop), [0, 1, 9.6], {"A.angle": 1.2, "A.omega": 0}, coordinates, method)
    near(times_of(result)[:6], bounces)
    near([impact.impulses["stop"][2] for impact in result.impacts[:6]], 1.5 * speed * 0.5 ** np.arange(6))
    if stop < 0:
        assert len(result.impacts) == 6
        return
    near(result.impacts[-1].rests, 2.7390289402757, 2e-9)
    near([result["A.angle"][-1], result["A.omega"][-1]], [0.2, 0], 1e-11)
    near(result.reaction("stop")[-1], [0, 0, 1.9489461350995505237])


@cases
def test_a_double_pendulum_against_a_wall(coordinates, method):
    model = mbs.PlanarModel("double pendulum", gravity=(0, -G))
    lengths, masses, angles, foot = (1.0, 0.8), (1.0, 0.7), (-1.2, -0.9), np.zeros(2)
    rods, before = [], model.ground.at(0, 0)
    for k, (length, mass, angle) in enumerate(zip(lengths, masses, angles, strict=True)):
        rod = model.body(
            f"rod{k + 1}", mass=mass, inertia=mass * length**2 / 12, com=(0, -length / 2), position=foot, angle=angle
        )
        model.add(mbs.Revolute(f"pin{k + 1}", before, rod))
        before, foot = rod.at(0, -length), foot + length * np.array([np.sin(angle), -np.cos(angle)])
        rods.append(rod)
    tip = rods[1].marker("tip", 0, -0.8)
    wall = model.ground.at(0.5, 0, angle=np.pi / 2)
    model.add(Contact("wall", Line(wall), Point(tip), restitution=0.6))
    end = 3.6877332747700331
    start = {"rod1.angle": -1.2, "rod2.angle": -0.9, "rod1.omega": 0.0, "rod2.omega": 0.0}
    result = run(model, [0, end], start, coordinates, method, rtol=1e-12)
    expected = [  # time, wall on tip, ground on rod 1, rod 1 on rod 2
        (0.6563242781711468, -3.0977161545970509, 0.46750069089354412, -2.0447125410419185,
         -0.17178513263784378, -2.1232477133320042),
        (1.9857229378351566, -1.0457590532749408, -0.20547779925186568, -0.40700213938637625,
         0.17004845044448982, -0.4770730453980177),
        (3.4877332747700329, -1.0711631467277469, -0.20749939793623245, -0.14450326413777684,
         0.26391757104684282, -0.27155781821877828),
    ]  # fmt: skip
    found = [(i.t, i.impulses["wall"][0], *i.impulses["pin1"][:2], *i.impulses["pin2"][:2]) for i in result.impacts]
    near(found, expected)
    names = ("rod1.angle", "rod2.angle", "rod1.omega", "rod2.omega")
    last = [0.14706796508013326, -0.2510365753240229, 2.8511319720002706, -9.2918611703133429]
    near([result[name][-1] for name in names], last, 1e-8)


@cases
def test_a_slider_crank_against_a_stop(coordinates, method):
    r, l, theta = 0.3, 0.8, 1.3
    tilt = -np.arcsin(r * np.sin(theta) / l)
    pin = r * np.cos(theta), r * np.sin(theta)
    model = mbs.PlanarModel("slider-crank", gravity=(0, -G))
    crank = model.body("crank", mass=1.0, inertia=r * r / 12, com=(r / 2, 0), angle=theta)
    rod = model.body("rod", mass=1.5, inertia=1.5 * l * l / 12, com=(l / 2, 0), position=pin, angle=tilt)
    slider = model.body("slider", mass=2.0, inertia=1.0, position=(pin[0] + l * np.cos(tilt), 0))
    model.add(
        mbs.Revolute("O", model.ground, crank),
        mbs.Revolute("A", crank.at(r, 0), rod),
        mbs.Revolute("B", rod.at(l, 0), slider),
        mbs.Translational("guide", model.ground, slider),
        Stop("stop", mbs.x(slider), upper=1.0677422060534287228, restitution=0.3),
    )
    result = run(model, [0, 1.5], {"crank.angle": theta, "crank.omega": 0.0}, coordinates, method)
    expected = [  # time, stop, guide, O on the crank, A on the rod, B on the slider
        (0.65422388674551923285, 6.4842925523322339975, 1.0032980361087457824, 2.436591010187242861,
         1.4093658114449499525, 2.8446141757234127188, 0.44430027242347165854, 4.2823699135652765487,
         -1.0032980361087457824),
        (0.80182255181950216248, 1.9452877656996701992, 0.30098941083262373473, 0.73097730305617285831,
         0.42280974343348498576, 0.85338425271702381563, 0.13329008172704149756, 1.2847109740695829646,
         -0.30098941083262373473),
        (0.84380247208005028436, 0.58358632970990105977, 0.090296823249787120418, 0.21929319091685185749,
         0.12684292303004549573, 0.25601527581510714469, 0.039987024518112449269, 0.38541329222087488938,
         -0.090296823249787120418),
    ]  # fmt: skip
    found = [
        (i.t, -i.impulses["stop"][0], i.impulses["guide"][1], *(x for n in "OAB" for x in i.impulses[n][:2]))
        for i in result.impacts[:3]
    ]
    near(found, expected)
    assert result.impacts[-1].rests is not None and result.modes["stop"][-1] == "closed"


@cases
def test_a_cam_follower_lifts_off_and_comes_back(coordinates, method):
    """y_cam = e (1 - cos ωt) lifts 0.5 kg against a spring, 1.2 times as fast as it could follow."""
    e, mass, k, delta, omega = 0.01, 0.5, 2000.0, 0.01, 136.721029838

    def cam(speed):
        model = mbs.PlanarModel("cam", gravity=(0, -G))
        body = model.body("follower", mass=mass, inertia=1.0)
        model.add(mbs.CoordinateFix("x", body, "x", 0))
        model.add(mbs.CoordinateFix("upright", body, "angle", 0))
        model.add(mbs.Force("spring", body, (0, -k * (model["follower.y"] + delta))))
        model.add(Contact("cam", model.ground, body, gap=lambda i, j: j.y - i.y - e * (1 - sp.cos(speed * mbs.t))))
        return model

    lift, back = 0.016299218999338854928, 0.043262776319235847897
    times = [0, lift - 1e-8, lift + 1e-8, 0.0299, back - 1e-9, back + 1e-9]
    result = run(cam(omega), times, {"follower.y": 0.0, "follower.vy": 0.0}, coordinates, method)
    assert result.modes["cam"].tolist() == ["closed", "closed", "open", "open", "open", "closed"]
    (impact,) = result.impacts
    near(impact.t, back)
    near(impact.impulses["cam"][1], 0.5 * 1.4432417367728128673)
    near([result["follower.y"][1], result["follower.vy"][1]], [0.016112584259889605649, 1.0820527077174394812], 2e-6)
    near(result["follower.vy"][-1], -0.49217795402609440479, 1e-5)
    slow = run(
        cam(102.54077237860069874),
        np.linspace(0, 2 * np.pi / 102.54077237860069874, 9),
        {"follower.y": 0.0, "follower.vy": 0.0},
        coordinates,
        method,
    )
    assert not slow.impacts and (slow.modes["cam"] == "closed").all()
    near(slow.reaction("cam")[[0, 4], 1], [77.47805, 12.33195], 1e-7)


def struck_at_a_dead_centre(masses: tuple[float, float, float], ball: float, pins: bool) -> mbs.PlanarModel:
    """A slider-crank of these masses whose slider rubs, level at its dead centre, and a ball that touches the middle of
    the crank from above; with `pins` its hinges rub, too."""
    model = mbs.PlanarModel("slider-crank", gravity=(0, -9.81))
    crank, rod = model.link("crank", (0, 0), (0.1, 0), mass=masses[0]), model.link("rod", (0.1, 0), (0.4, 0), masses[1])
    guide = mbs.Translational("G", model.ground, model.body("slider", mass=masses[2], position=(0.4, 0)))
    slider = model.bodies["slider"]
    hinges = mbs.Revolute("A", model.ground, crank.tail), mbs.Revolute("B", crank.head, rod.tail)
    hinges = *hinges, mbs.Revolute("C", rod.head, slider)
    model.add(*hinges, guide, mbs.Friction("rub", guide, mu=0.1))
    model.add(*(mbs.Friction(f"rub{hinge.name}", hinge, mu=0.1, radius=0.01) for hinge in hinges if pins))
    shape = mbs.Disk(model.body("ball", ball, 1e-4 * ball, position=(0.05, 0.02)), 0.02)
    model.add(mbs.Contact("hit", mbs.Line(crank.at(0, 0)), shape, friction=0.3))
    return model


@pytest.mark.parametrize("coordinates", ["cartesian", "joint"])
@pytest.mark.parametrize(
    ("masses", "ball", "omega", "pins", "method"),
    [
        ((1.0, 1e6, 1.0), 1.0, 5.0, False, "DP8"),
        ((1.0, 1e6, 1.0), 1.0, -5.0, False, "DP8"),
        ((1.0, 1e-8, 1.0), 1e-8, 0.0, True, "DP8"),
        ((1.0, 1e-8, 1.0), 1e-8, 0.0, True, "Moreau"),
    ],
)
def test_a_mechanism_of_masses_far_apart_is_struck_at_its_dead_centre(masses, ball, omega, pins, method, coordinates):
    """The slider does not move there, so its friction takes no part: crank and rod turn about their ends."""
    model, approach = struck_at_a_dead_centre(masses, ball, pins), 1.0
    start = {"crank.omega": omega, "ball.vx": 0.2, "ball.vy": 0.05 * omega - approach}
    step = {"step": 1e-3} if method == "Moreau" else {}
    result = mbs.simulate(model.compile(coordinates), [0, 1e-3], start, method=method, **step)
    expected = approach / (1.0 / ball + 0.05**2 / (0.1**2 * (masses[0] + masses[1]) / 3))
    if method == "Moreau":  # with what carries the weight over the step
        assert result["hit.force"][-1] * 1e-3 == pytest.approx(expected, rel=0.02)
    else:
        assert result.impacts[0].impulses["hit"][1] == pytest.approx(expected, rel=1e-7)
