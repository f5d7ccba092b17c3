"""Laws that switch with the state: branches are held within a step, found, and switched; motions slide where a law
jumps and both its branches push towards the surface."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from refusals import refused
from scipy.integrate import solve_ivp

import mbs_dae as mbs
from mbs_dae.errors import IntegrationError, MbsError

t = mbs.t
SETS = ("cartesian", "natural", "joint")


def block(law, stiffness=4.0, damping=0.1) -> mbs.PlanarModel:
    """1 kg on a guide along x, on a spring and a damper, with one more force: a law of x, v and time."""
    model = mbs.PlanarModel("line")
    body = model.body("block", mass=1.0, inertia=1.0)
    model.add(mbs.Translational("guide", model.ground, body))
    x, v = model["block.x"], model["block.vx"]
    model.add(mbs.Force("F", body, (law(x, v) - stiffness * x - damping * v, 0)))
    return model


def by_pieces(surfaces, smooth, times, x, v, stiffness=4.0, damping=0.1):
    """The same motion by an integrator that knows nothing of laws: from switch to switch of the surfaces g(x, v, t),
    with their signs held."""
    y, now, signs, found = [x, v], 0.0, [], []
    for g in surfaces:
        signs.append(np.sign(g(*y, 0.0)) or 1.0)  # it starts with a positive velocity
    for end in times:
        while now < end:
            held = list(signs)
            events = []
            for k, g in enumerate(surfaces):

                def event(s, y, g=g):
                    return g(y[0], y[1], s)

                event.terminal, event.direction = True, -held[k]
                events.append(event)

            def slope(s, y, held=held):
                return [y[1], smooth(y[0], y[1], s, held) - stiffness * y[0] - damping * y[1]]

            run = solve_ivp(slope, (now, end), y, "DOP853", rtol=1e-13, atol=1e-14, events=events)
            now, y = run.t[-1], run.y[:, -1]
            for k, at in enumerate(run.t_events or []):
                signs[k] = -held[k] if at.size else held[k]
        found.append(y)
    return np.array(found)


LAWS = {
    "Abs": (lambda x, v: sp.Abs(x), [lambda x, v, t: x], lambda x, v, t, s: s[0] * x),
    "sign": (lambda x, v: -0.5 * sp.sign(x), [lambda x, v, t: x], lambda x, v, t, s: -0.5 * s[0]),
    "Heaviside": (lambda x, v: sp.Heaviside(x - 0.1), [lambda x, v, t: x - 0.1], lambda x, v, t, s: (1 + s[0]) / 2),
    "Max": (lambda x, v: sp.Max(x, v, 0.2), [lambda x, v, t: x - v, lambda x, v, t: x - 0.2, lambda x, v, t: v - 0.2],
            lambda x, v, t, s: (x if s[0] > 0 and s[1] > 0 else v if s[0] < 0 and s[2] > 0 else 0.2)),
    "Min": (lambda x, v: sp.Min(v, 0.1), [lambda x, v, t: v - 0.1], lambda x, v, t, s: v if s[0] < 0 else 0.1),
    "Piecewise": (lambda x, v: sp.Piecewise((1, (x > 0.2) & (v < 0.3)), (-0.5, x < -0.3), (0, True)),
                  [lambda x, v, t: x - 0.2, lambda x, v, t: v - 0.3, lambda x, v, t: x + 0.3],
                  lambda x, v, t, s: 1 if s[0] > 0 and s[1] < 0 else -0.5 if s[2] < 0 else 0),
    "Or and Not": (lambda x, v: sp.Piecewise((-0.7, sp.Or(x > 0.3, sp.Not(v > -0.2))), (0, True)),
                   [lambda x, v, t: x - 0.3, lambda x, v, t: v + 0.2],
                   lambda x, v, t, s: -0.7 if s[0] > 0 or s[1] < 0 else 0),
    "floor": (lambda x, v: 0.3 * sp.floor(4 * x), [lambda x, v, t, n=n: 4 * x - n for n in range(-3, 4)],
              lambda x, v, t, s: 0.3 * (sum((1 + one) / 2 for one in s) - 4)),
    "Mod": (lambda x, v: sp.Mod(4 * x, 1), [lambda x, v, t, n=n: 4 * x - n for n in range(-3, 4)],
            lambda x, v, t, s: 4 * x - (sum((1 + one) / 2 for one in s) - 4)),
    "of the state and time": (lambda x, v: sp.Piecewise((1, x > 0.2 * sp.sin(3 * t)), (0, True)),
                              [lambda x, v, t: x - 0.2 * np.sin(3 * t)], lambda x, v, t, s: (1 + s[0]) / 2),
    "ceiling": (lambda x, v: 0.3 * sp.ceiling(4 * x), [lambda x, v, t, n=n: 4 * x - n for n in range(-3, 4)],
                lambda x, v, t, s: 0.3 * (sum((1 + one) / 2 for one in s) - 3)),
    "frac": (lambda x, v: sp.frac(4 * x), [lambda x, v, t, n=n: 4 * x - n for n in range(-3, 4)],
             lambda x, v, t, s: 4 * x - (sum((1 + one) / 2 for one in s) - 4)),
    "Xor": (lambda x, v: -sp.Piecewise((1, sp.Xor(x > 0.1, v < 0.2)), (0, True)),
            [lambda x, v, t: x - 0.1, lambda x, v, t: v - 0.2], lambda x, v, t, s: -(1 + s[0] * s[1]) / 2),
    "ITE": (lambda x, v: sp.Piecewise((1, sp.ITE(x > 0.1, v > -0.3, v > 0.2)), (0, True)),
            [lambda x, v, t: x - 0.1, lambda x, v, t: v + 0.3, lambda x, v, t: v - 0.2],
            lambda x, v, t, s: (1 + (s[1] if s[0] > 0 else s[2])) / 2),
    "atan2": (lambda x, v: sp.atan2(x - 0.1, v) / 4, [lambda x, v, t: x - 0.1],
              lambda x, v, t, s: (s[0] * np.pi / 2 - np.arctan(v / (x - 0.1 or 1e-300))) / 4),
    "inside another": (lambda x, v: sp.Abs(sp.Abs(x) - 0.2), [lambda x, v, t: x, lambda x, v, t: abs(x) - 0.2],
                       lambda x, v, t, s: s[1] * (s[0] * x - 0.2)),
}  # fmt: skip
WHEN = [0.0, 0.9, 2.0, 3.1, 5.0]


@pytest.mark.parametrize("method", ["DP5", "DP8", "Radau5"])
@pytest.mark.parametrize("kind", LAWS)
def test_every_switching_operator(kind, method):
    law, surfaces, smooth = LAWS[kind]
    expected = by_pieces(surfaces, smooth, WHEN[1:], 0.5, 0.35)
    run = mbs.simulate(block(law), WHEN, {"block.x": 0.5, "block.vx": 0.35}, method=method, rtol=1e-12)
    found = np.column_stack([run["block.x"], run["block.vx"]])[1:]
    np.testing.assert_allclose(found, expected, atol=3e-10)


def in_an_actuator(law):
    model = mbs.PlanarModel("slide")
    body = model.body("block", mass=1.0, inertia=1.0)
    slide = model.add(mbs.Translational("guide", model.ground, body))
    x, v = model["block.x"], model["block.vx"]
    model.add(mbs.Actuator("push", slide, law(x, v) - 4.0 * x - 0.1 * v))
    return model, ("block.x", "block.vx")


def in_a_torque(law):
    model = mbs.PlanarModel("wheel")
    body = model.body("wheel", mass=1.0, inertia=1.0)
    shaft = model.add(mbs.Revolute("shaft", model.ground, body))
    x, v = model["wheel.angle"], model["wheel.omega"]
    model.add(mbs.Torque("turn", shaft, law(x, v) - 4.0 * x - 0.1 * v))
    return model, ("wheel.angle", "wheel.omega")


def in_a_rate(law):
    model = mbs.PlanarModel("circuit")
    model.add(mbs.Translational("guide", model.ground, model.body("block", mass=1.0, inertia=1.0)))
    x, v = model.state("x"), model.state("v")
    model.rate(x, v)
    model.rate(v, law(x, v) - 4.0 * x - 0.1 * v)
    return model, ("x", "v")


@pytest.mark.parametrize("place", [in_an_actuator, in_a_torque, in_a_rate])
@pytest.mark.parametrize("kind", LAWS)
def test_every_switching_operator_in_every_place(kind, place):
    law, surfaces, smooth = LAWS[kind]
    model, names = place(law)
    expected = by_pieces(surfaces, smooth, [0.9, 2.0], 0.5, 0.35)
    run = mbs.simulate(model, [0, 0.9, 2.0], dict(zip(names, (0.5, 0.35), strict=True)), method="DP8", rtol=1e-12)
    np.testing.assert_allclose(np.column_stack([run[name] for name in names])[1:], expected, atol=3e-10)


@pytest.mark.parametrize("coordinates", SETS)
def test_in_every_coordinate_set(coordinates):
    law, surfaces, smooth = LAWS["Piecewise"]
    expected = by_pieces(surfaces, smooth, WHEN[1:], 0.5, 0.35)
    system = block(law).compile(coordinates)
    run = mbs.simulate(system, WHEN, {"block.x": 0.5, "block.vx": 0.35}, rtol=1e-11)
    np.testing.assert_allclose(np.column_stack([run["block.x"], run["block.vx"]])[1:], expected, atol=1e-9)


@pytest.mark.parametrize(
    ("method", "order", "steps"),
    [
        ("RK4", 4, (0.05, 0.025)),
        ("DP5", 5, (0.1, 0.05)),
        ("DP8", 8, (0.4, 0.2)),
        ("Radau5", 5, (0.1, 0.05)),
        ("GA", 2, (0.05, 0.025)),
    ],
)
@pytest.mark.parametrize("coordinates", SETS)
def test_methods_keep_their_order_across_switches(coordinates, method, order, steps):
    model = block(lambda x, v: sp.Piecewise((3, x > 0.1), (-1, True)) + sp.Abs(v)).compile(coordinates)
    ends = {"block.x": 0.5}
    exact = mbs.simulate(model, [0, 4.0], ends, method="DP8", rtol=1e-13)["block.x"][-1]
    errors = [abs(mbs.simulate(model, [0, 4.0], ends, method=method, step=h)["block.x"][-1] - exact) for h in steps]
    assert np.log2(errors[0] / errors[1]) > order - 0.7


STICKS = {  # closed form: half cycles about ±μ m g / k, each of duration π/ω
    0.5: (0.048782299402602381413, 2.3123499959226921039), 1.0: (-0.15610337491957575588, 0.88490473897264893848),
    1.5: (-0.074140682205035721618, -0.80258525232191363581), 3.0: (-0.01392, 0.0),
}  # fmt: skip


@pytest.mark.parametrize("coordinates", SETS)
@pytest.mark.parametrize("method", ["DP5", "DP8", "Radau5"])
def test_dry_friction_slides_and_sticks(method, coordinates):
    model = block(lambda x, v: -0.2 * 9.81 * sp.sign(v), 100.0, 0.0)
    run = mbs.simulate(model.compile(coordinates), [0, *STICKS], {"block.x": 0.3}, method=method, rtol=1e-12)
    np.testing.assert_allclose(run["block.x"][1:], [x for x, _ in STICKS.values()], atol=1e-10)
    np.testing.assert_allclose(run["block.vx"][1:], [v for _, v in STICKS.values()], atol=1e-9)
    assert abs(run["block.ax"][-1]) < 1e-12 and run.stats["switches"] == 8  # seven turns, and one that sticks


@pytest.mark.parametrize("method", ["DP5", "DP8", "Radau5"])
def test_dry_friction_turns_at_even_times(method):
    """Each half cycle takes π/10 s, and takes 0.03924 m of the amplitude; the last one, about -0.01962 m, ends where it
    sticks, and a moment before it is on its way still."""
    model = block(lambda x, v: -0.2 * 9.81 * sp.sign(v), 100.0, 0.0)
    model.add(mbs.Event("turn", model["block.vx"]))
    when = [
        0.31415926535897932385, 0.62831853071795864769, 0.94247779607693797154, 1.2566370614359172954,
        1.5707963267948966192, 1.8849555921538759431, 2.1991148575128552669,
    ]  # fmt: skip
    where = [-0.26076, 0.22152, -0.18228, 0.14304, -0.1038, 0.06456, -0.02532]
    rest, before = 2.5132741228718345908, 0.01
    run = mbs.simulate(model, [0, rest - before, rest], {"block.x": 0.3}, method=method, rtol=1e-12)
    np.testing.assert_allclose([e.t for e in run.events][:7], when, atol=1e-11)
    np.testing.assert_allclose([e.state["block.x"] for e in run.events][:7], where, atol=1e-11)
    reach = 0.02532 - 0.01962
    np.testing.assert_allclose(run["block.x"][1:], [-0.01962 + reach * np.cos(10 * before), -0.01392], atol=2e-11)
    np.testing.assert_allclose(run["block.vx"][1:], [10 * reach * np.sin(10 * before), 0.0], atol=2e-10)


def test_what_sticks_comes_loose_when_the_force_has_grown():
    """m ẍ = t - μ sign(ẋ): at rest until t = μ, then x = (t - μ)³/6."""
    model = block(lambda x, v: t - 2.0 * sp.sign(v), 0.0, 0.0)
    run = mbs.simulate(model, [0, 1, 2, 2.5, 4], rtol=1e-10)
    np.testing.assert_allclose(run["block.x"], [0, 0, 0, 0.5**3 / 6, 2**3 / 6], atol=1e-11)


def test_two_bodies_that_stick_at_once():
    model = mbs.PlanarModel("train")
    places, loads = ("first", "second"), (3.0, 1.0)
    bodies = [model.body(name, mass=1.0, inertia=1.0, position=(k, 0)) for k, name in enumerate(places)]
    for name, body, load in zip(places, bodies, loads, strict=True):
        model.add(mbs.Translational(f"guide of {name}", model.ground, body))
        model.add(mbs.Force(f"rub {name}", body, (-load * sp.sign(model[f"{name}.vx"]), 0)))
    model.add(mbs.Spring("spring", *bodies, stiffness=50.0))
    run = mbs.simulate(model, [0, 5], {"second.vx": 4.0, "first.vx": 0.0})
    assert abs(run["first.vx"][-1]) < 1e-12 and abs(run["second.vx"][-1]) < 1e-12
    pull = 50.0 * (run["second.x"][-1] - run["first.x"][-1] - 1.0)
    assert abs(pull) < 1.0 + 1e-9
    assert abs(run.energy.error[-1]) < 1e-6


def test_a_relay_without_end_is_told():
    """A relay that switches against the motion with ever shorter intervals: x" = -sign(x) - damping."""
    model = block(lambda x, v: -sp.sign(x), 0.0, 3.0)
    with refused("switching-without-end", MbsError, joints=["guide"]) as told:
        mbs.simulate(model, [0, 100], {"block.x": 1.0})
    assert isinstance(told.value, IntegrationError) and "'F'" in str(told.value) and told.value.time > 1


def test_the_output_grid_does_not_change_the_motion():
    law = LAWS["Piecewise"][0]
    coarse, fine = (
        mbs.simulate(block(law), np.linspace(0, 5, n), {"block.x": 0.5, "block.vx": 0.35}) for n in (2, 401)
    )
    assert coarse["block.x"][-1] == fine["block.x"][-1] and coarse.stats["accepted"] == fine.stats["accepted"]


@pytest.mark.parametrize("coordinates", SETS)
def test_what_holds_a_block_that_sticks_is_in_its_reactions(coordinates):
    """A block held on a slope of 0.5 rad by friction alone: the guide carries m g cos, the friction m g sin, and both
    sets of multipliers agree, those of bodies being found after the run."""
    slope, weight = 0.5, 9.81
    model = mbs.PlanarModel("slope", gravity=(0, -weight))
    body = model.body("block", mass=1.0, inertia=1.0, angle=slope)
    guide = model.add(mbs.Translational("guide", model.ground.at(0, 0, angle=slope), body))
    model.add(mbs.ViscousFriction("oil", guide, coefficient=0.1))
    pull = -6.0 * sp.sign(sp.cos(slope) * model["block.vx"] + sp.sin(slope) * model["block.vy"])
    model.add(mbs.Force("rub", body, (pull * sp.cos(slope), pull * sp.sin(slope))))
    run = mbs.simulate(model.compile(coordinates), [0, 1, 2], {"block.vx": 0.0})
    assert np.abs(run["block.x"]).max() < 1e-12
    expected = weight * np.cos(slope) * np.array([-np.sin(slope), np.cos(slope)])
    np.testing.assert_allclose(run.reaction("guide")[1:, :2], [expected] * 2, atol=1e-9)


def in_a_spring(law):
    """Of x alone: the length of a spring along the guide."""
    model = mbs.PlanarModel("bumper")
    body = model.body("block", mass=1.0, inertia=1.0)
    model.add(mbs.Translational("guide", model.ground, body))
    post = model.ground.at(-10, 0)
    model.add(mbs.SpringDamper("spring", post, body, stiffness=4.0, damping=0.1, length=10.0,
                               law=-law(mbs.length - 10, sp.S.Zero)))  # fmt: skip
    return model


@pytest.mark.parametrize("method", ["DP8", "Radau5"])
@pytest.mark.parametrize("kind", ["Abs", "sign", "Heaviside", "floor"])
def test_laws_of_springs(kind, method):
    law, surfaces, smooth = LAWS[kind]
    expected = by_pieces(surfaces, smooth, [0.9, 2.0], 0.5, 0.35)
    run = mbs.simulate(in_a_spring(law), [0, 0.9, 2.0], {"block.x": 0.5, "block.vx": 0.35}, method=method, rtol=1e-12)
    np.testing.assert_allclose(run["block.x"][1:], expected[:, 0], atol=1e-9)


@pytest.mark.parametrize("relation", [sp.Eq, sp.Ne])
def test_equality_of_what_moves_is_refused(relation):
    with refused("equality-of-moving-quantities", MbsError, element="F"):
        block(lambda x, v: sp.Piecewise((1, relation(x, 0.2)), (0, True)))


def test_equality_with_what_is_held_is_a_choice():
    """A gear that is set between steps."""
    model = block(lambda x, v: sp.S.Zero, 0.0, 0.0)
    gear = model.state("gear")
    model.add(mbs.Force("push", model.bodies["block"], (sp.Piecewise((2, sp.Eq(gear, 2)), (1, True)), 0)))
    model.add(mbs.Sampled("shift", every=1.0, update={gear: 1 + sp.floor(mbs.t + 0.5)}))
    assert mbs.simulate(model, [0, 3])["block.vx"][-1] == pytest.approx(1 + 2 + 1)


@pytest.mark.parametrize("method", ["DP5", "Radau5", "GA"])
def test_a_python_force_says_where_it_switches(method):
    law, surfaces, smooth = LAWS["Heaviside"]
    expected = by_pieces(surfaces, smooth, WHEN[1:], 0.5, 0.35)
    model = block(lambda x, v: 0.0)
    model.add(
        mbs.PythonForce(
            "push",
            model.bodies["block"],
            function=lambda t, i, modes: [((1 + modes[0]) / 2, 0.0)],
            switches=[lambda t, i: i.point[0] - 0.1],
        )
    )
    rtol, atol = {"DP5": (1e-11, 1e-9), "Radau5": (1e-7, 1e-6), "GA": (1e-5, 2e-3)}[method]
    run = mbs.simulate(model, WHEN, {"block.x": 0.5, "block.vx": 0.35}, method=method, rtol=rtol)
    np.testing.assert_allclose(np.column_stack([run["block.x"], run["block.vx"]])[1:], expected, atol=atol)
