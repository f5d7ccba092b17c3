"""Prescribed motions with friction that locks a guide: friction μ N grows faster than the load that presses the guide,
and no N > 0 balances the other forces. Limits are known in closed form; all solutions follow from trying each
combination of the sides on which guides press."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import sympy as sp
from refusals import refused

import mbs_dae as mbs

G, MASS = 9.81, 3.0


def wedge(slope: float, mu: float, law=None) -> mbs.PlanarModel:
    """Return a wedge that a driver pushes along the floor under a follower of 3 kg in an upright guide. The follower
    rises on a surface of this slope, with friction; the law of the driver is the parameter p by default."""
    model = mbs.PlanarModel("wedge", gravity=(0, -G))
    p = model.parameter("p", 0.0, unit="m")
    block, follower = model.body("block", 1.0, 0.1), model.body("follower", MASS, 0.1)
    floor = mbs.Translational("floor", model.ground, block)
    model.add(
        floor,
        surface := mbs.Translational("surface", block.at(0, 0, angle=-slope), follower.at(0, 0, angle=-slope)),
        mbs.PinInSlot("upright", model.ground.at(0, 0, angle=np.pi / 2), follower),
        mbs.Driver("push", mbs.displacement(floor), p if law is None else law),
        mbs.Friction("rub", surface, mu=mu),
    )
    return model


def effort(model, way, swept):
    """Return the effort of the driver in a slow motion, in N, by `sweep` or by `inverse_dynamics`."""
    if swept:
        return mbs.sweep(model(None), "p", [0.0, 0.1 * way], forces=True).effort("push")
    return mbs.inverse_dynamics(model(0.1 * way * mbs.t), [0.0, 1.0]).effort("push")


@pytest.mark.parametrize("swept", [False, True], ids=["inverse_dynamics", "sweep"])
@pytest.mark.parametrize("slope", [0.6, 0.9, 1.2])
@pytest.mark.parametrize("part", [0.5, 0.99, 1.0001, 1.1, 3.0])
def test_a_wedge_locks_where_its_slope_and_the_angle_of_friction_make_a_right_angle(slope, part, swept):
    """To be pushed in, the wedge needs the force W tan(α + φ) with tan φ = μ; it locks from α + φ = π/2 on, at
    μ = cot α. To be pulled out, it needs the force W tan(α - φ), whatever the friction."""
    mu = part / np.tan(slope)
    model = lambda law: wedge(slope, mu, law)  # noqa: E731
    out = MASS * G * np.tan(slope - np.arctan(mu))
    np.testing.assert_allclose(effort(model, -1, swept), out, rtol=1e-10)
    if part < 1.0:
        into = MASS * G * np.tan(slope + np.arctan(mu))
        np.testing.assert_allclose(effort(model, 1, swept), into, rtol=1e-9)
        return
    motion = "sweep of 'wedge' at p = 0" if swept else "motion of 'wedge' at t = 0"
    with refused("loads-without-value", mentions=motion):
        effort(model, 1, swept)


@pytest.mark.parametrize("swept", [False, True], ids=["inverse_dynamics", "sweep"])
def test_a_force_without_a_value_is_no_jam(swept):
    """The root of 0.02 m - y has no value where the follower has risen by more than 2 cm: after 2 cm / tan α."""

    def model(law):
        made = wedge(0.5, 0.2, law)
        made.add(mbs.Force("odd", made.bodies["follower"], (0, 100 * sp.sqrt(0.02 - made["follower.y"]))))
        return made

    with refused("loads-without-value", mbs.MbsError, model="wedge", mentions="odd") as error:
        effort(model, 1, swept)
    assert "jams" not in str(error.value)


# --- a block on two guides, the frictions of which depend on one another ----------------------------------------------


def press(angles, mus, speeds, force, swept) -> mbs.PlanarModel:
    """Return a block on guides at these angles, each with friction, on two carriages that are driven along the floor at
    these speeds; a force acts on the block."""
    model = mbs.PlanarModel("press")
    p = model.parameter("p", 0.0)
    block = model.body("block", 1.0, 0.1)
    model.add(mbs.Force("load", block, tuple(force)))
    for name, angle, mu, speed in zip("AB", angles, mus, speeds, strict=True):
        carriage = model.body(name, 1.0, 0.1)
        floor = mbs.Translational(f"floor {name}", model.ground, carriage)
        guide = mbs.Translational(f"guide {name}", carriage.at(0, 0, angle=angle), block.at(0, 0, angle=angle))
        drive = mbs.Driver(f"drive {name}", mbs.displacement(floor), speed * (p if swept else mbs.t))
        model.add(floor, guide, drive, mbs.Friction(f"rub {name}", guide, mu=mu))
    return model


def presses(angles, mus, speeds, force) -> list[np.ndarray]:
    """Return the normal forces of both guides, in N, of all solutions: one for each choice of sides that fits."""
    along = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    across = np.stack([-np.sin(angles), np.cos(angles)], axis=1)
    slips = np.linalg.solve(np.stack([along[0], -along[1]], axis=1), [speeds[1] - speeds[0], 0.0])
    found = []
    for sides in product((1.0, -1.0), repeat=2):
        columns = (across - (mus * sides * np.sign(slips))[:, None] * along).T
        normal = np.linalg.solve(columns, -force)
        found += [normal] if (normal * sides > 0.0).all() else []
    return found


@pytest.mark.parametrize("swept", [False, True], ids=["inverse_dynamics", "sweep"])
def test_two_guides_jam_where_no_choice_of_sides_balances_the_load(swept):
    random, jams, one, several = np.random.default_rng(0), 0, 0, 0
    for _ in range(60):
        angles, mus = random.uniform(-1.5, 1.5, 2), random.uniform(0, 2.5, 2)
        speeds, force = random.normal(size=2), 10 * random.normal(size=2)
        known, model = presses(angles, mus, speeds, force), press(angles, mus, speeds, force, swept)
        try:
            if swept:
                found = mbs.sweep(model, "p", [0.0, 1e-3], forces=True)
            else:
                found = mbs.inverse_dynamics(model, [0.0, 1e-3])
        except mbs.ModelError as error:
            assert "it jams" in str(error) and not known
            jams += 1
            continue
        pressed = np.array([abs(found[f"rub {name}.friction"][0]) for name in "AB"]) / mus
        assert any(np.allclose(pressed, np.abs(normal), rtol=1e-8) for normal in known)
        assert [bool(found.is_unique(f"{what} {name}")[0, :2].all()) for what in ("guide", "rub") for name in "AB"] == [
            len(known) == 1
        ] * 4, known
        assert ("the forces are not unique" in found.message + found.stats.get("note", "")) == (len(known) > 1)
        one, several = one + (len(known) == 1), several + (len(known) > 1)
    assert jams > 10 and one > 10 and several > 10


# --- a lever on one pin: its driver pushes inside or outside the friction circle --------------------------------


def lever(arm: float, size: float, force, moment: float, law=None) -> mbs.PlanarModel:
    """Return a body on a pin with friction in a circle of friction of this size, in m. A driver moves a point at this
    arm, across it; a force and a moment act on the body. The law of the driver is the parameter p by default."""
    model = mbs.PlanarModel("lever")
    p, body = model.parameter("p", 0.0, unit="m"), model.body("body", 1.0, 1.0)
    model.add(
        pin := mbs.Revolute("pin", model.ground, body),
        mbs.Driver("push", mbs.y(body.at(arm, 0)), p if law is None else law),
        mbs.Friction("rub", pin, mu=size / 0.1, radius=0.1),
        mbs.Force("load", body, tuple(force)),
        mbs.Torque("moment", body, moment),
    )
    return model


def pushes(arm, size, force, moment, way) -> list[float]:
    """Return all forces P of the driver, in N: P arm + M = ± size |F + P e_y|, against the motion."""
    square = arm**2 - size**2, 2 * (arm * moment - size**2 * force[1]), moment**2 - size**2 * np.dot(force, force)
    return [P.real for P in np.roots(square) if abs(P.imag) < 1e-12 * abs(P) and way * (P.real * arm + moment) > 0]


@pytest.mark.parametrize("coordinates", ["cartesian", "natural", "joint"])
def test_a_push_within_the_circle_of_friction_has_two_forces_or_none(coordinates):
    """An arm of 5 cm and a circle of 10 cm: a moment of 1 N m goes with -20/3 N and with 20 N."""
    model = lever(0.05, 0.1, (0.0, 0.0), 1.0, 0.1 * mbs.t)
    found = mbs.inverse_dynamics(model.compile(coordinates), [0.0])
    assert min(abs(found.effort("push")[0] - known) for known in (-20 / 3, 20)) < 1e-9
    assert not found.is_unique("push")[0].all() and not found.is_unique("pin")[0, 1] and found.is_unique("pin")[0, 0]
    assert "the forces are not unique at t = 0: friction in a joint grows faster" in found.message
    run = mbs.simulate(model.compile(coordinates), [0.0, 1e-3])
    assert not run.is_unique("push").all(axis=1).any()


@pytest.mark.parametrize("swept", [False, True], ids=["inverse_dynamics", "sweep"])
def test_random_levers_have_as_many_forces_as_closed_forms(swept):
    random, counts = np.random.default_rng(1), [0, 0, 0]
    for _ in range(60):
        arm, size, way = random.uniform(0.02, 0.2), 0.1 * random.uniform(0.2, 2), random.choice([-1, 1])
        force, moment = 10 * random.normal(size=2), float(random.normal())
        known = pushes(arm, size, force, moment, way)
        counts[len(known)] += 1
        try:
            if swept:
                found = mbs.sweep(lever(arm, size, force, moment), "p", [0.0, 1e-6 * way], forces=True)
            else:
                found = mbs.inverse_dynamics(lever(arm, size, force, moment, 0.1 * way * mbs.t), [0.0, 1e-6])
        except mbs.ModelError as error:
            assert "it jams" in str(error) and not known
            continue
        assert min(abs(found.effort("push")[0] - P) / abs(P) for P in known) < 1e-4  # inertia at 0.1 m/s
        assert bool(found.is_unique("push")[0].all()) == (len(known) == 1)
    assert min(counts) > 5


@pytest.mark.parametrize(
    ("rod", "angle", "mus", "force", "moment", "effort"),
    [
        (
            0.2622813272527654, -2.4477045130656254,
            (2.213453032946392, 2.188136815651738, 2.495753992716099, 2.150432432925714),
            (6.146303415205839, 15.490567715704987), 0.9459452117295705, 80.7154,
        ),
        (
            0.419752895642202, 2.9928521380277675,
            (2.6764228654282745, 1.5071122385604698, 2.784996734374462, 1.7883206749139928),
            (-12.073365462851335, -14.398039365175567), 0.7000480886242628, None,
        ),
    ],
)  # fmt: skip
def test_slider_cranks_with_several_starts_of_newton(rod, angle, mus, force, moment, effort):
    """Three pins and a guide rub so much that Newton's method alternates from one start. Forces exist: with the
    friction forces found given as loads on a model without friction, the normal forces are the same."""
    r, radius, speed = 0.2, 0.15, 0.01
    model = mbs.PlanarModel("crank")
    pin = r * np.array([np.cos(angle), np.sin(angle)])
    end = pin[0] + np.sqrt(rod**2 - pin[1] ** 2)
    crank, link = model.link("crank", (0, 0), tuple(pin), mass=1e-9), model.link("rod", tuple(pin), (end, 0), mass=1e-9)
    slider = model.body("slider", 1e-9, 1e-9, position=(end, 0))
    pins = [
        mbs.Revolute(name, *ends)
        for name, *ends in (
            ("O", model.ground, crank.tail), ("A", crank.head, link.tail), ("B", link.head, slider)
        )
    ]  # fmt: skip
    guide = mbs.Translational("guide", model.ground, slider)
    load = (0.0, 0.0) if effort else (8.979316652478078, -10.55612452023631)
    model.add(*pins, guide, mbs.Force("on rod", link, load), mbs.Force("on slider", slider, force))
    model.add(mbs.Torque("moment", crank, moment), mbs.Driver("drive", mbs.angle(pins[0]), angle + speed * mbs.t))
    for joint, mu in zip(pins, mus[:3], strict=True):
        model.add(mbs.Friction(f"rub {joint.name}", joint, mu=mu, radius=radius))
    model.add(mbs.Friction("rub guide", guide, mu=mus[3]))
    free, numbers = model.without(*(f"rub {name}" for name in ("O", "A", "B", "guide"))), ("T_O", "T_A", "T_B", "F")
    T_O, T_A, T_B, F = (free.parameter(name, 0.0) for name in numbers)
    on = free.bodies
    free.add(mbs.Torque("in O", on["crank"], T_O), mbs.Torque("in A", on["crank"], on["rod"], T_A))
    free.add(mbs.Torque("in B", on["rod"], on["slider"], T_B), mbs.Force("in guide", on["slider"], (F, 0)))
    found = mbs.inverse_dynamics(model, [0.0])
    if effort:
        np.testing.assert_allclose(found.effort("drive"), effort, rtol=1e-5)
    turns = [float(found[f"{name}.omega"][0]) for name in ("crank", "rod")]
    slips = np.array([turns[0], turns[1] - turns[0], -turns[1], float(found["slider.vx"][0])])

    def pressed(result):
        return np.array([*(np.hypot(*result.reaction(name)[0, :2]) for name in "OAB"), abs(result["guide.Fy"][0])])

    normal = pressed(found)
    rubs = -np.sign(slips) * np.array([*(mu * radius for mu in mus[:3]), mus[3]]) * normal
    again = mbs.inverse_dynamics(free.with_parameters(**dict(zip(numbers, rubs, strict=True))), [0.0])
    np.testing.assert_allclose(pressed(again), normal, rtol=1e-6)
    np.testing.assert_allclose(again.effort("drive"), found.effort("drive"), rtol=1e-6)
    run = mbs.simulate(model, [0.0, 1e-4])
    np.testing.assert_allclose(run.effort("drive")[0], found.effort("drive")[0], rtol=1e-6)


# --- motions that begin and end at rest -------------------------------------------------------------------------------


@pytest.mark.parametrize("law", ["cycloidal", "3-4-5", "modified sine", "4-5-6-7", "harmonic"])
@pytest.mark.parametrize("coordinates", ["cartesian", "natural", "joint"])
def test_a_motor_that_starts_from_rest_needs_no_more_than_friction_and_inertia(law, coordinates):
    """At rest the driver and the friction of 2 N share the load: the effort is at most m |a| + 2 N, also where the
    first acceleration of the law is roundoff. In motion it is m a + 2 N."""
    model = mbs.PlanarModel("block")
    block = model.body("block", 2.0, 1.0)
    guide = model.add(mbs.Translational("guide", model.ground, block))
    rise = mbs.Motion().rise(1.0, over=1.0, law=law).dwell(0.5).rise(0.5, over=0.5, law=law)
    model.add(mbs.Driver("drive", mbs.displacement(guide), rise))
    model.add(mbs.DryFriction("rub", mbs.displacement(guide), force=2.0))
    found = mbs.inverse_dynamics(model.compile(coordinates), np.linspace(0, 2, 41))
    effort, needed = found.effort("drive"), 2.0 * found["block.ax"]
    assert (np.abs(effort - needed) <= 2.0 + 1e-9).all()
    moves = np.abs(found["block.vx"]) > 1e-6
    np.testing.assert_allclose(effort[moves], needed[moves] + 2.0, rtol=1e-9)
    assert moves.sum() > 25 and not found.is_unique("drive")[~moves & (np.abs(needed) < 1e-9)].all(axis=1).any()
