"""What locks itself, and friction of rest in joints, whose normal forces follow from it in turn.

Expected values: closed forms of textbooks on statics, in the comments."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import mbs_dae as mbs


def near(found, expected, tolerance=1e-8):
    found, expected = np.asarray(found, dtype=float), np.asarray(expected, dtype=float)
    ends = np.isinf(expected)
    assert (found[ends] == expected[ends]).all() and np.isfinite(found[~ends]).all(), found
    assert np.allclose(found[~ends], expected[~ends], rtol=tolerance, atol=0.0), found


def clamp(angle, mu, radius, W, F):
    """Two bars of length 1, nearly straight, between the ground and a slider."""
    model = mbs.PlanarModel("toggle clamp")
    F, (x, y) = model.parameter("F", F, unit="N"), (np.cos(angle), np.sin(angle))
    one, two = model.link("one", (0, 0), (x, y), mass=1.0), model.link("two", (x, y), (2 * x, 0), mass=1.0)
    slider = model.body("slider", 1.0, 1.0, position=(2 * x, 0))
    pins = [mbs.Revolute("O", model.ground, one.tail), mbs.Revolute("A", one.head, two.tail)]
    pins.append(mbs.Revolute("B", two.head, slider))
    model.add(*pins, mbs.Translational("guide", model.ground, slider))
    model.add(*(mbs.Friction(f"rub {pin.name}", pin, mu=mu, radius=radius) for pin in pins))
    model.add(mbs.Force("press", one.head, (0, -W)), mbs.Force("work", slider, (-F, 0)))
    return model


def test_a_toggle_clamp_locks_itself_where_it_is_nearly_straight():
    """The force in a bar is turned by δ, sin δ = 2 μ r/l, at most. Where that is more than the angle of the bars, no
    work force opens it, and none that pulls does either."""
    angle, mu, radius, W = 0.015, 0.2, 0.05, 100.0
    turned = np.arcsin(2 * mu * radius)
    held = mbs.holding(clamp(angle, mu, radius, W, 1e4), load="F")
    near(held.between, [W / 2 / np.tan(angle + turned), np.inf])
    needed = np.sin(angle - np.arctan(W / 2 / 1e4))
    near([held.margin], [2 * mu * radius / needed], 1e-6)
    assert held.certain and held.slips == ("rub O", "rub A", "rub B")
    near(mbs.holding(clamp(angle, mu, radius, 0.0, 10.0), load="F").between, [-np.inf, np.inf])


def test_a_screw_that_locks_itself_holds_any_load_to_both_sides():
    for value in (-2000.0, 0.0, 300.0):
        model, r, pitch = mbs.SpatialModel("jack"), 0.02, 0.004
        P = model.parameter("P", value, unit="N")
        screw = model.body("screw", mass=1.0, inertia=(1e-3, 1e-3, 1e-3))
        thread = mbs.Screw("thread", model.ground, screw, pitch=pitch)
        model.add(thread, mbs.Friction("rub", thread, mu=0.1, radius=r), mbs.Force("load", screw, (0, 0, P)))
        assert mbs.holding(model, load="P").between == (-np.inf, np.inf)


def test_a_rope_over_a_pulley_whose_pin_rubs():
    """The resultant of both ropes touches the circle of friction, of radius μ r: at a right angle
    (T - T₀)² R² = μ² r² (T² + T₀²)."""
    mu, r, R, T0 = 0.3, 0.02, 0.1, 50.0
    model = mbs.PlanarModel("pulley")
    T = model.parameter("T", T0, unit="N")
    disk = model.body("disk", 1.0, 1.0)
    pin = mbs.Revolute("O", model.ground, disk)
    model.add(pin, mbs.Friction("rub", pin, mu=mu, radius=r))
    model.add(mbs.Force("one", disk.at(0, R), (-T0, 0)), mbs.Force("other", disk.at(R, 0), (0, -T)))
    k = mu * r / R
    part = k * np.sqrt(2 - k**2)
    near(mbs.holding(model, load="T").between, T0 * np.array([1 - part, 1 + part]) / (1 - k**2))


@pytest.mark.parametrize("steep", [False, True])
def test_a_trammel_is_held_pushed_and_pulled(steep):
    """A rod between guides at a right angle, with the force S along it: W = S sin θ + f, |f| ≤ μ |S| cos θ at the top,
    P + S cos θ + f' = 0, |f'| ≤ μ |S| sin θ at the foot. Where tan θ < μ the rod may carry any S that is large enough,
    as a strut or as a tie; between them there is a gap, in which nothing holds."""
    angle, mu, W = (1.0, 0.3, 100.0) if steep else (0.2, 0.3, 100.0)
    s, c = np.sin(angle), np.cos(angle)
    model = mbs.PlanarModel("trammel")
    P = model.parameter("P", -W * c / s, unit="N")
    foot, top = model.body("foot", 1.0, 1.0, position=(c, 0)), model.body("top", 1.0, 1.0, position=(0, s))
    rod, up = model.link("rod", (0, s), (c, 0), mass=1.0), np.pi / 2
    floor = mbs.Translational("floor", model.ground, foot)
    wall = mbs.Translational("wall", model.ground.at(0, 0, angle=up), top.at(0, 0, angle=up))
    model.add(floor, wall, mbs.Revolute("A", top, rod.tail), mbs.Revolute("B", rod.head, foot))
    model.add(mbs.Friction("rub floor", floor, mu=mu), mbs.Friction("rub wall", wall, mu=mu))
    model.add(mbs.Force("weight", top, (0, -W)), mbs.Force("push", foot, (P, 0)))
    strut = mbs.holding(model, load="P")
    least = -W / (s - mu * c) * (c + mu * s) if steep else -np.inf
    near(strut.between, [least, -W / (s + mu * c) * (c - mu * s)])
    tie = model.with_parameters(P=1200.0)
    if steep:
        assert not mbs.holding(tie).held
    else:
        pulled = mbs.holding(tie, load="P")
        near(pulled.between, [W / (mu * c - s) * (c - mu * s), np.inf])
        assert pulled.held and not mbs.holding(model.with_parameters(P=0.0)).held
        both = model.with_parameters(P=1000.0)  # a little more than the least: it is held, or sets off
        assert mbs.holding(both).held and (mbs.simulate(both, [0, 0.01]).modes["rub wall"] == "slips").all()


@pytest.mark.parametrize("arm", [0.2, 0.4])
def test_a_drawer_jams_that_is_pulled_too_far_aside(arm):
    """Pulled at the arm a, a drawer of length b presses with P a/b at both ends: it jams where 2 μ a ≥ b."""
    mu, b, w = 0.4, 0.25, 0.01
    model = mbs.PlanarModel("drawer")
    P = model.parameter("P", 1.0, unit="N")
    drawer = model.body("drawer", 1.0, 1.0)
    for name, side in (("left", -1), ("right", 1)):
        rail = mbs.Line(model.ground.at(0, side * w, angle=0 if side < 0 else np.pi))
        model.add(mbs.Contact(name, rail, mbs.Point(drawer.at(-side * b / 2, side * w)), friction=mu))
    model.add(mbs.Force("pull", drawer.at(0, arm), (P, 0)))
    held = mbs.holding(model, load="P")
    near([held.margin], [2 * mu * arm / b], 1e-6)
    assert not held.wedged and held.between[1] == (np.inf if 2 * mu * arm >= b else 0.0)
    assert abs(held.between[0]) < 1e-9


@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-9])
def test_a_toggle_clamp_at_its_dead_centre(angle):
    """Bars in line, to roundoff or nearly: a work force moves nothing, and friction alone carries W."""
    mu, radius, W = 0.2, 0.05, 100.0
    turned = np.arcsin(2 * mu * radius)
    held = mbs.holding(clamp(angle, mu, radius, W, 1e4), load="F")
    near(held.between, [W / 2 / np.tan(angle + turned), np.inf])
    near([held.margin], [2 * mu * radius / np.sin(np.arctan(W / 2 / 1e4) - angle)], 1e-6)
    assert held.certain and held.held == (held.margin >= 1.0) and held.slips == ("rub O", "rub A", "rub B")
    near(mbs.holding(clamp(angle, mu, radius, 0.0, 10.0), load="F").between, [-np.inf, np.inf])


WEIGHT = 41.0 * 9.81


def upright_door(mu, rests=None):
    """A door of 40 kg that stands upright, its foot in an upright guide and its top in a level one, both with friction
    μ, and this one at rest."""
    length, rests = 2.0, mu if rests is None else rests
    model = mbs.PlanarModel("door", gravity=(0, -9.81))
    leaf = model.link("leaf", (0, 0), (0, length), mass=40)
    foot, top = model.body("foot", mass=0.5, position=(0, 0)), model.body("top", mass=0.5, position=(0, length))
    model.add(mbs.Revolute("P", leaf.tail, foot), mbs.Revolute("Q", leaf.head, top))
    upright = model.add(mbs.Translational("upright", model.ground, foot, at=(0, 0), axis=(0, 1)))
    level = model.add(mbs.Translational("level", model.ground, top, at=(0, length), axis=(1, 0)))
    model.add(mbs.Friction("below", upright, mu=mu, mu_static=rests))
    model.add(mbs.Friction("above", level, mu=mu, mu_static=rests))
    return model


@pytest.mark.parametrize("lift", [0.0, 1000.0])
@pytest.mark.parametrize("pull", [-50.0, 0.0, 50.0, 100.0])
def test_an_upright_door_is_pulled_out_of_its_dead_centre(pull, lift):
    """A door of length l and weight W stands upright, its foot in an upright guide and its top in a level one, and a
    hand pulls at its middle. The foot's guide bears p/2 and may carry W by as much as μ p/2; so with the lift L the
    guide of the top bears |W - L| + μ p/2, and gives way where μ times that is p/2:  p = 2 μ |W - L|/(1 - μ²)."""
    mu = 0.1
    model = upright_door(mu)
    p, L = model.parameter("p", pull, unit="N"), model.parameter("L", lift, unit="N")
    leaf = model.bodies["leaf"]
    model.add(mbs.Force("hand", leaf.at(0, 0), (p, 0)), mbs.Force("lift", leaf.tail, (0, L)))
    most = 2 * mu * abs(WEIGHT - lift) / (1 - mu**2)
    found = mbs.holding(model, load="p")
    assert found.certain and found.held == (abs(pull) <= most)
    near(found.between, (-most, most))
    if lift:  # a smaller one leaves the guide of the top with too little to rub
        least = WEIGHT + abs(pull) * (1 / mu - mu) / 2 if pull else -np.inf
        near(mbs.holding(model, load="L").between, (least, np.inf))
    for coordinates in ("cartesian", "natural", "joint"):
        speed = abs(mbs.simulate(model.compile(coordinates), [0, 0.1])["top.vx"][-1])
        assert speed < 1e-14 if found.held else speed > 1e-6


@pytest.mark.parametrize("coordinates", ["cartesian", "natural", "joint"])
@pytest.mark.parametrize("mu, rests, side", [(0.1, 0.1, 1), (0.3, 0.3, 1), (0.5, 0.5, -1), (0.2, 0.3, -1)])
def test_an_upright_door_that_is_pulled_more_and_more(mu, rests, side, coordinates):
    """From p = 2 μ W on the guide of the top holds the door by itself no more, and only together with that of the foot,
    at its bound, up to 2 μ W/(1 - μ²): it does not move by a hair, and lets go at that moment."""
    model, most = upright_door(mu, rests), 2 * rests * WEIGHT / (1 - rests**2)
    model.add(mbs.Force("hand", model.bodies["leaf"].at(0, 0), (side * 1.2 * most * mbs.t, 0)))
    alone, moves = 1 / 1.2 * (1 - rests**2), 1 / 1.2
    run = mbs.simulate(model.compile(coordinates), [0, (alone + moves) / 2, 1.0])
    assert abs(run["top.x"][1]) < 1e-14 and run.modes["below"][1] == run.modes["above"][1] == "sticks"
    pressed = 0.6 * most * run.t[1]
    assert abs(run["below.friction"][1]) == pytest.approx(rests * pressed, rel=1e-9)
    assert run["above.friction"][1] == pytest.approx(-side * pressed, rel=1e-9)
    (first, *_) = [change for change in run.transitions if change.contact == "above"]
    assert (first.before, first.after) == ("sticks", "slips") and first.t == pytest.approx(moves, abs=1e-9)
    assert side * run["top.x"][2] > 1e-3 and abs(run.energy.error).max() < 1e-6


@pytest.mark.parametrize("coordinates", ["cartesian", "natural", "joint"])
def test_an_upright_door_is_pushed_to_and_fro_and_stays(coordinates):
    """The push is less than what both guides hold, and more than what one of them does."""
    model, most = upright_door(0.3), 0.6 * WEIGHT / (1 - 0.09)
    model.add(mbs.Force("hand", model.bodies["leaf"].at(0, 0), (0.99 * most * sp.sin(6 * mbs.t), 0)))
    run = mbs.simulate(model.compile(coordinates), np.linspace(0, 3, 31))
    assert abs(run["top.x"]).max() < 1e-14


@pytest.mark.parametrize("tilt", [1e-3, 1e-2])
def test_loads_on_both_sides_of_a_normal_force_of_zero(tilt):
    """A tilted door, its foot in an upright slot without friction, its top in a level guide with μ, is lifted at its
    foot by F. The guide bears Y = W - F, with W all weights, and c is half the weight of the leaf and that of the
    roller. The pose is held where  |Y - c| tan θ <= μ |Y|:  by no F between those of  Y = c tan θ/(μ + tan θ)  and
    Y = -c tan θ/(μ - tan θ)."""
    mu, length, g = 0.1, 2.0, 9.81
    foot, top = (0.0, length - length * np.cos(tilt)), (length * np.sin(tilt), length)
    model = mbs.PlanarModel("door", gravity=(0, -g))
    leaf, roller = model.link("leaf", foot, top, mass=40), model.body("roller", mass=0.5, inertia=1e-3, position=top)
    guide = mbs.Translational("guide", model.ground.at(0, length), roller)
    model.add(mbs.PinInSlot("slot", model.ground.at(0, 0, angle=np.pi / 2), leaf.tail), guide)
    F = model.parameter("F", 0.0, unit="N")
    model.add(
        mbs.Revolute("P", leaf.head, roller), mbs.Friction("rub", guide, mu=mu), mbs.Force("lift", leaf.tail, (0, F))
    )
    c, steep = 20.5 * g, np.tan(tilt)
    ends = 40.5 * g - c * steep / (mu + steep), 40.5 * g + c * steep / (mu - steep)
    for value, held in ((0.0, True), (ends[0] - 0.01, True), (sum(ends) / 2, False), (ends[1] + 0.01, True)):
        found = mbs.holding(model.with_parameters(F=value), load="F")
        assert found.held == held and found.certain
        low, high = found.between
        assert not (low < ends[0] - 1e-6 and high > ends[1] + 1e-6)
        if held:
            near([high], [ends[0]], 1e-7) if value < ends[0] else near([low], [ends[1]], 1e-7)


def rockers(T):
    """Four four-bars in series, each moved by the middle of the rocker before it, with friction in twelve pins."""
    model = mbs.PlanarModel("rockers", gravity=(0, -9.81))
    tip = 0.2 * np.array([np.cos(1.0), np.sin(1.0)])
    crank = model.link("crank", (0, 0), tuple(tip), mass=1.0)
    pins, end = [mbs.Revolute("O", model.ground, crank.tail)], crank.head
    for k in range(4):
        foot = np.array([0.5 * (k + 1), 0.02 * k])
        top = foot + 0.3 * np.array([np.cos(1.2 + 0.05 * k), np.sin(1.2)])
        rod = model.link(f"rod{k}", tuple(tip), tuple(top), mass=1.0)
        rocker = model.link(f"rocker{k}", tuple(foot), tuple(top), mass=1.0)
        pins.append(mbs.Revolute(f"A{k}", end, rod.tail))
        pins.append(mbs.Revolute(f"B{k}", rod.head, rocker.head))
        pins.append(mbs.Revolute(f"C{k}", model.ground.at(*foot), rocker.tail))
        tip = (foot + top) / 2
        end = rocker.at_world(tuple(tip))
    model.add(*pins, mbs.Force("push", rocker.head, (50.0, 0)))
    model.add(*(mbs.Friction(f"rub {pin.name}", pin, mu=0.15, radius=0.01) for pin in pins[:12]))
    model.add(mbs.Torque("drive", crank, model.parameter("T", T, unit="N m")))
    return model


def test_twelve_pins_that_rub_take_few_problems(monkeypatch):
    """At both ends of what is held the margin is 1 and all pins slip; outside it is less. The time goes into
    problems of least distance: their number is what a pose costs."""
    from mbs_dae.equilibria.contact import exact

    solved, count = exact.least_distance, []
    monkeypatch.setattr(exact, "least_distance", lambda A, h: count.append(1) or solved(A, h))
    found = mbs.holding(rockers(0.0), load="T")
    low, high = found.between
    assert found.reach.certain and low < high and len(count) < 600
    count.clear()
    middle = mbs.holding(rockers((low + high) / 2))
    assert middle.held and middle.certain and len(count) < 200
    for end, out in ((low, low - high), (high, high - low)):
        there = mbs.holding(rockers(end))
        near([there.margin], [1.0], 1e-6)
        assert there.certain and len(there.slips) == 12
        assert not mbs.holding(rockers(end + 0.01 * out)).held


@pytest.mark.parametrize("cranks", [2, 3, 5])
def test_parallel_cranks_with_many_rubbing_pins_are_certain(cranks):
    """Equal parallel cranks, leaning by 0.05 m, joined by couplers at their heads: 4, 7 and 13 pins that rub. All links
    turn alike or not at all, so that the friction of every pin takes up μ ρ N of the moment of the weights, each of
    them 0.05 m or 0.025 m aside: forces of pins stay vertical, and the margin is μ ρ/(0.05/2) = 0.16."""
    model = mbs.PlanarModel("cranks", gravity=(0, -9.81))
    before = first = model.link("crank 0", (0, 0), (0.05, 0.2), mass=1)
    pins = [mbs.Revolute("O0", model.ground.at(0, 0), first.tail)]
    for k in range(1, cranks):
        crank = model.link(f"crank {k}", (0.5 * k, 0), (0.5 * k + 0.05, 0.2), mass=1)
        coupler = model.link(f"coupler {k}", (0.5 * k - 0.45, 0.2), (0.5 * k + 0.05, 0.2), mass=1)
        pins += [
            mbs.Revolute(f"O{k}", model.ground.at(0.5 * k, 0), crank.tail),
            mbs.Revolute(f"P{k}", before.head, coupler.tail),
            mbs.Revolute(f"Q{k}", coupler.head, crank.head),
        ]
        before = crank
    model.add(*pins, *(mbs.Friction(f"f{pin.name}", pin, mu=0.2, radius=0.02) for pin in pins))
    found = mbs.holding(model)
    assert found.certain and not found.held and len(found.slips) == len(pins)
    assert np.isclose(found.margin, 0.16, rtol=1e-6)
