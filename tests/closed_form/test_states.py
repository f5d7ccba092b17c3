"""States, inputs and controllers against closed forms and against exact difference equations.

Reference values of the motors and of the sampled pendulum: the equations in one coordinate, integrated with
extrapolation of order 16 in long double, checked by a Runge-Kutta method of order 8 (15 digits).
"""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from gallery import load
from scipy.linalg import expm

import mbs_dae as mbs

SETS = ("cartesian", "natural", "joint")
TIGHT = {"method": "DP8", "rtol": 1e-12}


def block(mass: float = 2.0) -> tuple[mbs.PlanarModel, mbs.Body]:
    model = mbs.PlanarModel("block")
    body = model.body("body", mass=mass, inertia=1.0)
    model.add(mbs.Translational("guide", model.ground, body))
    return model, body


def pendulum(mass: float, length: float, rotor: float = 0.0) -> tuple[mbs.PlanarModel, mbs.Revolute]:
    """A point mass on a rod, and a rotor that turns with it; angles count from hanging."""
    model = mbs.PlanarModel("pendulum", gravity=(0.0, -9.81))
    rod = model.body("rod", mass=mass, inertia=rotor, com=(0.0, -length))
    return model, model.add(mbs.Revolute("A", model.ground, rod.origin))


@pytest.mark.parametrize("coordinates", SETS)
def test_first_order_lag(coordinates):
    """ẋ = (1 - x)/T is x = 1 - exp(-t/T); as a force it gives the velocity (t - T x)/m."""
    model, body = block(mass=2.0)
    T = model.parameter("T", 0.3, unit="s")
    lag = model.state("lag", rate=lambda x: (1.0 - x) / T, unit="N")
    model.add(mbs.Force("push", body, (lag, 0)))
    run = mbs.simulate(model.compile(coordinates), np.linspace(0, 2, 21), **TIGHT)
    exact = 1.0 - np.exp(-run.t / 0.3)
    assert np.abs(run["lag"] - exact).max() < 1e-11
    assert np.abs(run["lag.rate"] - (1.0 - exact) / 0.3).max() < 1e-10
    assert np.abs(run["body.vx"] - (run.t - 0.3 * exact) / 2.0).max() < 1e-11
    assert run.unit("lag") == "N" and run.unit("lag.rate") == "N/s"
    supplied = 2.0 * run["body.vx"] ** 2 / 2.0
    assert np.abs(run.energy.supplied - supplied).max() < 1e-11


def test_states_read_each_other():
    """A rotation in the plane of two states; the second is named in the first rate before it has one itself."""
    model, _ = block()
    y = model.state("y", initial=1.0)
    x = model.state("x", rate=3.0 * y)
    model.rate(y, -3.0 * x)
    run = mbs.simulate(model, np.linspace(0, 4, 9), **TIGHT)
    assert np.abs(run["x"] - np.sin(3 * run.t)).max() < 1e-10 > np.abs(run["y"] - np.cos(3 * run.t)).max()


@pytest.mark.parametrize("method, order", [("RK4", 4), ("DP5", 5), ("DP8", 8)])
def test_order_of_methods_with_states(method, order):
    """A spring whose force lags: eigenvalues of three coupled linear equations, by the exponential of their matrix."""
    model, body = block(mass=1.0)
    x = model["body.x"]
    lag = model.state("lag", rate=lambda f: (-40.0 * x - f) / 0.2, unit="N")
    model.add(mbs.Force("spring", body, (lag, 0)))
    A = np.array([[0, 1, 0], [0, 0, 1], [-200, 0, -5]])
    exact = expm(A) @ [0.1, 0, 0]

    def error(steps: int) -> float:
        run = mbs.simulate(model, [0, 1], {"body.x": 0.1}, method=method, step=1 / steps)
        return float(np.abs(np.array([run[name][-1] for name in ("body.x", "body.vx", "lag")]) - exact).max())

    coarse = 24 if order == 8 else 60
    assert np.log2(error(coarse) / error(2 * coarse)) > order - 0.35


MOTOR = {  # t: theta, omega, i, s
    0.1: [0.40183620852499391, 5.5102362538360623, 1.08627208356025506, 0.198163791475006096],
    1.0: [5.80222864612894185, 6.24635842698968524, -2.3424223069238499, 0.197771353871058098],
    5.0: [29.6723707312619638, 6.91932387536725635, -3.76432687470707972, 0.327629268738035884],
}


@pytest.mark.parametrize("coordinates", SETS)
def test_motor_with_speed_controller_on_a_pendulum(coordinates):
    model, pin = pendulum(1.0, 0.2, rotor=0.02)
    error = 6.0 - model["A.omega"]
    s = model.state("s", rate=error, unit="rad")
    u = 4.0 * error + 10.0 * s
    i = model.state("i", rate=lambda i: (u - i - 0.5 * model["A.omega"]) / 0.01, unit="A")
    model.add(mbs.Torque("motor", pin, 0.5 * i), mbs.ViscousFriction("bearing", pin, 0.01))
    run = mbs.simulate(model.compile(coordinates), [0.0, *MOTOR], **TIGHT)
    found = np.stack([run[name] for name in ("A.angle", "A.omega", "i", "s")], axis=1)
    assert np.abs(found[1:] - [*MOTOR.values()]).max() < 1e-9
    assert abs(run.energy.error).max() < 1e-10


CRANK_ROCKER = {  # t: theta, omega, i, s, and the angle of the rocker
    0.1: [1.01917322170851676, 6.58498223004229111, 3.72624482324084783, 0.280826778291483281, 1.74921412517672858],
    1.0: [7.68946058142641409, 7.44988002209205114, 3.63543533997722612, 0.810539418573585579, 1.85101677755346272],
    5.0: [39.4908302752241767, 8.17808639701314988, 1.28654877166711512, 1.009169724775828, 1.99058628557122308],
}


@pytest.mark.parametrize("coordinates", SETS)
def test_motor_with_speed_controller_on_a_crank_rocker(coordinates):
    model = load("dc_motor_crank").build()
    run = mbs.simulate(model.compile(coordinates), [0.0, *CRANK_ROCKER], **TIGHT)
    found = np.stack([run[name] for name in ("crank.angle", "crank.omega", "i", "s", "rocker.angle")], axis=1)
    assert np.abs(found[1:] - [*CRANK_ROCKER.values()]).max() < 2e-9


SAMPLED = {  # t: theta, omega, and what has been held up to there
    0.1: [0.198680687518651422, 3.46061608592449721, 6.10892324127908015],
    0.5: [0.94387520249586887, -1.18077045976492756, 1.85396620454736838],
    2.0: [0.732425834810954468, 0.0200234939953934689, 3.18490283927429907],
}


def sampled_pendulum(update) -> mbs.PlanarModel:
    model, pin = pendulum(1.0, 0.5)
    u = model.state("u", unit="N m")
    model.add(mbs.Torque("motor", pin, u), mbs.ViscousFriction("air", pin, 0.05))
    model.add(mbs.Sampled("controller", every=0.01, update=update(model)))
    return model


def in_sympy(model):
    return {model["u"]: 12.0 * (1.0 - model["A.angle"]) - 1.2 * model["A.omega"]}


def in_python(model):
    return lambda t, read: {"u": 12.0 * (1.0 - read("A.angle")) - 1.2 * read("A.omega")}


@pytest.mark.parametrize("update", [in_sympy, in_python])
@pytest.mark.parametrize("coordinates", SETS)
def test_sampled_controller(coordinates, update):
    model = sampled_pendulum(update)
    times = np.sort([0.0, *SAMPLED, *(t - 5e-3 for t in SAMPLED)])
    run = mbs.simulate(model.compile(coordinates), times, **TIGHT)
    found = np.stack([run["A.angle"][2::2], run["A.omega"][2::2], run["u"][1::2]], axis=1)
    assert np.abs(found - [*SAMPLED.values()]).max() < 1e-12


def test_hold_is_an_exact_difference_equation():
    """A block under a force that is held: x and v of each sample follow from the last by the exact step of a constant
    force; and what is recorded at a sampling time is what holds from there on."""
    model, body = block(mass=1.0)
    x, v = model["body.x"], model["body.vx"]
    u, total = model.state("u", unit="N"), model.state("total")
    model.add(mbs.Force("push", body, (u, 0)))
    model.add(mbs.Sampled("pid", every=0.1, update={u: -6.0 * x - 2.0 * v - total, "total": total + 0.1 * x}))
    times = np.linspace(0, 3, 31)
    run = mbs.simulate(model, times, {"body.x": 1.0}, **TIGHT)
    assert (run.t == times).all()
    place, speed, held, added = 1.0, 0.0, 0.0, 0.0
    for k in range(30):
        held, added = -6.0 * place - 2.0 * speed - added, added + 0.1 * place
        found = [run[name][k] for name in ("body.x", "body.vx", "u", "total")]
        assert np.abs(np.array(found) - [place, speed, held, added]).max() < 1e-11
        place, speed = place + 0.1 * speed + 0.005 * held, speed + 0.1 * held
    assert run["u"][-1] == run["u"][-2]  # the last time is not sampled: the run that goes on does it


def test_a_run_in_two_parts_is_the_run_in_one():
    model = sampled_pendulum(in_sympy)
    times = np.linspace(0, 1, 11)
    whole = mbs.simulate(model, times)
    first = mbs.simulate(model, times[:6])
    second = mbs.simulate(model, times[5:], first.state())
    for name in ("A.angle", "A.omega", "u"):
        assert (second[name] == whole[name][5:]).all()


def test_controllers_of_several_periods():
    """Multiples of 0.1 and of 0.3 that are the same time but for roundoff are one: both read before any sets."""
    model, _ = block()
    fast, slow = model.state("fast"), model.state("slow")
    model.add(mbs.Sampled("one", every=0.1, update={fast: fast + 1}))
    model.add(mbs.Sampled("other", every=0.3, update={slow: fast}))
    run = mbs.simulate(model, np.linspace(0, 1.2, 13))
    assert run["fast"].tolist() == [*range(1, 13), 12]
    assert run["slow"].tolist() == [0, 0, 0, 3, 3, 3, 6, 6, 6, 9, 9, 9, 9]


def test_a_sample_resets_a_state_that_has_a_rate():
    model, _ = block()
    saw = model.state("saw", rate=1)
    model.add(mbs.Sampled("reset", every=0.5, update={saw: 0}))
    run = mbs.simulate(model, np.linspace(0, 1.9, 20))
    assert np.abs(run["saw"] - np.mod(run.t + 1e-12, 0.5)).max() < 1e-10


TABLE = mbs.Table([0, 0.3, 0.6, 2], [0, 1, 0, 2], kind="linear")


@pytest.mark.parametrize("coordinates", SETS)
@pytest.mark.parametrize(
    "law, velocity",
    [
        (3.0, lambda t: 3.0 * t),
        (sp.sin(2 * mbs.t), lambda t: (1 - np.cos(2 * t)) / 2),
        (sp.Piecewise((5, mbs.t < sp.Rational(1, 3)), (0, True)), lambda t: 5 * np.minimum(t, 1 / 3)),
        (TABLE, lambda t: np.array([np.trapezoid(TABLE.curve(x := np.linspace(0, end, 60001)), x) for end in t])),
    ],
    ids=["number", "sine", "pulse", "table"],
)
def test_inputs(coordinates, law, velocity):
    """An input stands for its law: breaks of it are ends of steps."""
    model, body = block(mass=1.0)
    push = model.input("push", 0.0, unit="N")
    model.add(mbs.Force("force", body, (push, 0)))
    run = mbs.simulate(model.with_inputs(push=law).compile(coordinates), np.linspace(0, 2, 9), **TIGHT)
    assert np.abs(run["body.vx"] - velocity(run.t)).max() < 1e-9
    assert run.unit("push") == "N" and run["push"].shape == run.t.shape
    assert not mbs.simulate(model, [0, 1])["body.vx"].any()


@pytest.mark.parametrize("coordinates", SETS)
def test_efforts_in_rates(coordinates):
    """The heat of a drive: a rate that reads the driver's effort, which is known when all is solved for. The driven
    pendulum takes M = m l² θ̈ + m g l sin θ."""
    model, pin = pendulum(1.0, 0.5)
    model.add(mbs.Driver("motor", mbs.angle(pin), sp.sin(3 * mbs.t)))
    model.state("heat", rate=0.1 * model["motor.effort"] ** 2, unit="J")
    run = mbs.simulate(model.compile(coordinates), np.linspace(0, 2, 201), **TIGHT)
    angle = np.sin(3 * run.t)
    effort = -0.25 * 9 * angle + 0.5 * 9.81 * np.sin(angle)
    assert np.abs(run["heat.rate"] - 0.1 * effort**2).max() < 1e-9
    fine = np.linspace(0, 2, 200001)
    exact = np.trapezoid(0.1 * (-2.25 * np.sin(3 * fine) + 4.905 * np.sin(np.sin(3 * fine))) ** 2, fine)
    assert abs(run["heat"][-1] - exact) < 1e-8
    assert np.abs(run["motor.effort"] - run.effort("motor")).max() < 1e-9 and run.unit("motor.effort") == "N m"


def four_bar():
    """Three moving links; the second body of B is the coupler, that of C the rocker."""
    model = mbs.PlanarModel("four-bar", gravity=(0, -9.81))
    crank = model.body("crank", mass=1.0, inertia=0.02, com=(0.1, 0), position=(0, 0), angle=1.0)
    rod = model.body("rod", mass=2.0, inertia=0.1, com=(0.3, 0.05), position=(0.108, 0.168), angle=0.2)
    rocker = model.body("rocker", mass=1.5, inertia=0.06, com=(0.2, 0), position=(0.7, 0.3), angle=-1.5)
    model.add(
        mbs.Revolute("A", model.ground, crank),
        mbs.Revolute("B", crank.at(0.2, 0), rod),
        mbs.Revolute("C", rod.at(0.6, 0), rocker),
        mbs.Revolute("D", model.ground.at(0.7, 0), rocker.at(0.4, 0)),
    )
    rod.marker("centre", 0.3, 0.05)
    return model


@pytest.mark.parametrize("method", ["DP5", "Radau5"])
@pytest.mark.parametrize("coordinates", SETS)
def test_reactions_in_rates_add_up_to_momentum(coordinates, method):
    """Of the coupler of a four-bar: m v changes by the impulses of both pins, and of weight. The pins keep their
    equations in joint and natural coordinates, too."""
    model = four_bar()
    for axis in "xy":
        model.state(f"p{axis}", rate=model[f"B.F{axis}"] - model[f"C.F{axis}"], unit="N s")
    rtol = 1e-10 if method == "DP5" else 1e-8
    start = {"crank.omega": 5.0}
    run = mbs.simulate(model.compile(coordinates), np.linspace(0, 1, 21), start, rtol=rtol, method=method)
    for axis, weight in (("x", 0.0), ("y", -2.0 * 9.81)):
        momentum = 2.0 * (run[f"rod.centre.v{axis}"] - run[f"rod.centre.v{axis}"][0])
        assert np.abs(run[f"p{axis}"] + weight * run.t - momentum).max() < 100 * rtol
        component = "xy".index(axis)
        assert np.abs(run[f"B.F{axis}"] - run.reaction("B")[:, component]).max() < 1e-5 and run.unit("B.Fx") == "N"


@pytest.mark.parametrize("coordinates", SETS)
def test_moments_of_bearings_in_space(coordinates):
    """A rotor out of balance, driven: its bearing turns the angular momentum I_xz ω that lies across its axis."""
    model = mbs.SpatialModel("rotor")
    rotor = model.body("rotor", mass=1.0, inertia=((0.1, 0, 0.03), (0, 0.2, 0), (0.03, 0, 0.25)))
    pin = model.add(mbs.Revolute("A", model.ground.at(0, 0, 0), rotor.at(0, 0, 0)))
    model.add(mbs.Driver("motor", mbs.angle(pin), 7 * mbs.t))
    for axis in "xyz":
        model.state(f"L{axis}", rate=model[f"A.M{axis}"])
    run = mbs.simulate(model.compile(coordinates), np.linspace(0, 1, 11), rtol=1e-10)
    assert np.abs(run["Lx"] - 7 * 0.03 * (np.cos(7 * run.t) - 1)).max() < 1e-8 and run.unit("A.Mx") == "N m"
    assert np.abs(run["Ly"] - 7 * 0.03 * np.sin(7 * run.t)).max() < 1e-8 and np.abs(run["Lz"]).max() < 1e-8


def test_the_effort_of_a_force_is_its_expression():
    """Any rate, and any force, may read it: the work of a spring-damper, added up."""
    model, body = block(mass=1.0)
    model.add(mbs.SpringDamper("spring", model.ground.at(-1, 0), body, stiffness=40.0, damping=0.5, length=1.0))
    model.state("work", rate=model["spring.effort"] * model["spring.distance_rate"], unit="J")
    run = mbs.simulate(model, np.linspace(0, 2, 21), {"body.x": 0.1}, **TIGHT)
    kinetic = run.energy.kinetic - run.energy.kinetic[0]
    assert np.abs(np.abs(run["work"]) - np.abs(kinetic)).max() < 1e-9


def test_states_in_space():
    """A motor with inductance on a rotor in space against its two linear equations."""
    model = mbs.SpatialModel("rotor")
    rotor = model.body("rotor", mass=1.0, inertia=(0.1, 0.1, 0.2))
    pin = model.add(mbs.Revolute("A", model.ground.at(0, 0, 0), rotor.origin))
    i = model.state("i", rate=lambda i: (12.0 - 2.0 * i - 0.4 * model["A.omega"]) / 0.05, unit="A")
    model.add(mbs.Torque("motor", pin, 0.4 * i))
    A = np.array([[0, 0.4 / 0.2, 0], [-0.4 / 0.05, -2.0 / 0.05, 12.0 / 0.05], [0, 0, 0]])
    exact = expm(A) @ [0, 0, 1]
    for coordinates in SETS:
        run = mbs.simulate(model.compile(coordinates), [0, 1], rtol=1e-11)
        assert abs(run["A.omega"][-1] - exact[0]) < 1e-10 > abs(run["i"][-1] - exact[1])
