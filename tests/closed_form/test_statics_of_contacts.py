"""Rest on contacts, and what friction holds. Expected values: closed forms of textbooks on statics, in the comments."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import mbs_dae as mbs

G = 9.81
sets = pytest.mark.parametrize("coordinates", ["cartesian", "natural", "joint"])


def near(found, expected, tolerance=1e-9):
    found, expected = np.asarray(found, dtype=float), np.asarray(expected, dtype=float)
    assert found.shape == expected.shape
    assert np.abs(found - expected).max(initial=0.0) <= tolerance * max(1.0, np.abs(expected).max(initial=0.0)), found


# --- what presses, and what opens -----------------------------------------------------------------------------------


@sets
def test_a_rope_carries_what_another_leaves(coordinates):
    model = mbs.PlanarModel("two ropes", gravity=(0, -G))
    bob = model.body("bob", mass=2.0, inertia=0.01, position=(0.6, 0.3))
    model.add(mbs.Rope("long", model.ground.at(1, 1), bob, length=3.0))
    model.add(mbs.Rope("short", model.ground.at(0, 1), bob, length=1.5))
    rest = mbs.equilibrium(model.compile(coordinates))
    near([rest["bob.x"], rest["bob.y"]], [0, -0.5])
    near([rest["short.force"], rest["long.force"]], [2 * G, 0])
    assert rest.result.modes["short"] == ["closed"] and rest.result.modes["long"] == ["open"]
    near(rest.frequencies, [np.sqrt(G / 1.5)])  # of the pendulum; how the bob is turned, nothing holds
    assert not rest.stable


def test_a_stop_carries_what_is_beyond_it():
    model = mbs.PlanarModel("bar on a stop", gravity=(0, -G))
    bar = model.link("bar", (0, 0), (1, 0), mass=3.0)
    model.add(mbs.Revolute("O", model.ground, bar.tail))
    model.add(mbs.Stop("stop", mbs.angle(model.ground, bar), lower=-0.5, upper=2.0))
    rest = mbs.equilibrium(model)
    near([rest["bar.angle"], rest["stop.force1"], rest["stop.force2"]], [-0.5, 1.5 * G * np.cos(0.5), 0])
    near(rest.reaction("O"), [[0, 3 * G, 0]])
    assert rest.stable and not rest.frequencies.size
    beyond = mbs.equilibrium(model, {"bar.angle": 1.9})  # beyond the top it comes down to the other side
    near([beyond["bar.angle"], beyond["stop.force2"]], [2.0, -1.5 * G * np.cos(2.0)])


def test_a_smooth_rod_leans_on_the_rim_of_a_bowl():
    """Of length 2 l in a bowl of radius R: 2 R cos 2θ = l cos θ. The rim and the bowl push along lines that meet above
    the middle; m (|dG/dθ|² + l²/3) ω² = m g d²y/dθ², G = (-R cos 2θ + l cos θ, -R sin 2θ + l sin θ)."""
    R, l, start = 1.0, 0.9, 0.4
    model = mbs.PlanarModel("rod in a bowl", gravity=(0, -G))
    ways = np.array([np.cos(start), np.sin(start)])
    foot = np.array([R, 0.0]) - 2 * R * np.cos(start) * ways
    rod = model.link("rod", tuple(foot), tuple(foot + 2 * l * ways), mass=3.0)
    model.add(mbs.Contact("bowl", mbs.Disk(model.ground, R, inside=True), mbs.Point(rod.tail)))
    under = mbs.Line(rod.at(0, 0, angle=np.pi))
    model.add(mbs.Contact("rim", under, mbs.Point(model.ground.at(R, 0))))
    rest = mbs.equilibrium(model)
    angle = np.arccos((l + np.sqrt(l**2 + 32 * R**2)) / (8 * R))
    near(rest["rod.angle"], angle)
    near(rest["rim.force"], 3 * G * l * np.cos(angle) / (2 * R * np.cos(angle)))  # moments about the foot
    way = 2 * R * np.sin(2 * angle) - l * np.sin(angle)
    near(rest.frequencies, [np.sqrt(G * np.sin(angle) * (8 * R * np.cos(angle) - l) / (way**2 + l**2 / 3))])
    assert rest.stable


def test_a_table_on_four_legs_shares_its_load_by_least_forces():
    model = mbs.SpatialModel("table", gravity=(0, 0, -G))
    top = model.body("top", mass=10.0, inertia=(1, 1, 1), position=(0, 0, 0.9))
    for k, (x, y) in enumerate([(1, 1), (-1, 1), (-1, -1), (1, -1)]):
        model.add(mbs.Contact(f"leg{k}", mbs.Plane(model.ground), mbs.Point(top.at(x, y, -0.5))))
    weight = mbs.Force("cup", top.at(0.5, 0.0, 0.1), (0, 0, -20.0))
    model.add(weight)
    rest = mbs.equilibrium(model)
    near(rest["top.z"], 0.5)
    # the mean, and a quarter of the moment over the arm
    near([rest[f"leg{k}.force"] for k in range(4)], (10 * G + 20) / 4 + 2.5 * np.array([1, -1, -1, 1]))
    assert not rest.result.is_unique("leg0")[0, 2]
    assert not rest.frequencies.size and not rest.stable  # it may slide and turn on the floor
    shifted = model.without("cup")
    shifted.add(mbs.Force("cup", top.at(3.0, 3.0, 0.1), (0, 0, -20.0)))  # two legs would have to pull
    rest = mbs.equilibrium(shifted)
    forces = np.array([rest[f"leg{k}.force"] for k in range(4)])
    assert (forces >= 0).all()
    near(forces.sum(), 10 * G + 20)
    near([forces @ [1, -1, -1, 1], forces @ [1, 1, -1, -1]], [60, 60])


def test_a_disk_rolls_in_a_rough_bowl_and_slides_in_a_smooth_one():
    """ω² = g/((R - r)(1 + J/(m r²))), and without friction ω² = g/(R - r)."""
    model = mbs.PlanarModel("bowl", gravity=(0, -G))
    mu, disk = model.parameter("mu", 0.4), model.body("disk", mass=2.0, inertia=0.008, position=(0.3, 0.2))
    bowl = mbs.Disk(model.ground, 1.0, inside=True)
    model.add(mbs.Contact("bowl", bowl, mbs.Disk(disk, 0.1), friction=mu))
    rolls, slides = mbs.equilibrium(model), mbs.equilibrium(model.with_parameters(mu=0.0))
    near([rolls["disk.x"], rolls["disk.y"], rolls["bowl.force"]], [0, -0.9, 2 * G])
    near([*rolls.frequencies, *slides.frequencies], np.sqrt(G / 0.9 / np.array([1.4, 1.0])))
    assert rolls.stable and not slides.stable  # which may turn
    assert rolls.holding.margin == np.inf and not rolls.holding.slips


def heap(order):
    """Three balls in a bowl, two of them beside each other, one on top."""
    model = mbs.PlanarModel("heap", gravity=(0, -G))
    bowl = mbs.Disk(model.ground, 1.0, inside=True)
    balls = [model.body(f"b{k}", 1.0 + k, 0.01, position=p) for k, p in enumerate([(-0.4, 0), (0.45, 0.1), (0, 0.6)])]
    disks = [mbs.Disk(ball, 0.3) for ball in balls]
    pairs = [(bowl, one) for one in disks] + [(disks[0], disks[1]), (disks[1], disks[2]), (disks[0], disks[2])]
    for k in order:
        model.add(mbs.Contact(f"c{k}", *pairs[k]))
    return model


def test_which_of_many_contacts_close_is_found_in_any_order():
    first, second = (mbs.equilibrium(heap(order)) for order in ([0, 1, 2, 3, 4, 5], [4, 2, 5, 0, 3, 1]))
    names = [f"b{k}.{part}" for k in range(3) for part in "xy"] + [f"c{k}.force" for k in range(6)]
    near([first[name] for name in names], [second[name] for name in names], 1e-8)
    gaps, forces = (np.array([first[f"c{k}.{what}"] for k in range(6)]) for what in ("gap", "force"))
    assert gaps.min() > -1e-11 and forces.min() >= 0 and np.abs(gaps * forces).max() < 1e-10
    total = sum(first.reaction(f"c{k}")[0] for k in range(3))
    near(total[:2], [0, 6 * G])
    total_moment = sum((k + 1) * first[f"b{k}.x"] for k in range(3))
    near(total_moment, 0.0)  # the bowl pushes towards its middle: no moment about it, so the weights have none


# --- what friction holds ----------------------------------------------------------------------------------------------


@cache
def block(angle=0.3, mu=0.4, mu_rest=0.5):
    model = mbs.PlanarModel("block", gravity=(0, -G))
    P = model.parameter("P", 0.0, unit="N")
    body = model.body("block", mass=2.0, inertia=1.0)
    model.add(mbs.CoordinateFix("upright", body, "angle", 0))
    slope = mbs.Line(model.ground.at(0, 0, angle=angle))
    model.add(mbs.Contact("slope", slope, mbs.Point(body), friction=mu, static_friction=mu_rest))
    model.add(mbs.Force("push", body, (P * np.cos(angle), P * np.sin(angle))))
    return model


def test_a_block_on_a_slope():
    held, N, T = mbs.holding(block(), load="P"), 2 * G * np.cos(0.3), 2 * G * np.sin(0.3)
    near(held.margin, 0.5 / np.tan(0.3))
    assert held.held and held.slips == ("slope",) and not held.wedged
    near([held.forces["slope.force"], held.forces["slope.friction"]], [N, T], 1e-7)
    near(held.between, [T - 0.5 * N, T + 0.5 * N])
    steep = mbs.holding(block(0.5))
    near(steep.margin, 0.5 / np.tan(0.5))
    assert not steep.held


@sets
def test_what_friction_holds_is_the_rest_and_stays_there(coordinates):
    model = block(0.3, np.tan(0.3) / 1.001, np.tan(0.3) * 1.001)
    rest = mbs.equilibrium(model.compile(coordinates), {"slope.gap": 0.0, "block.x": 0.7})
    near([rest[f"slope.{load}"] for load in ("force", "friction")], 2 * G * np.array([np.cos(0.3), np.sin(0.3)]))
    near(rest["block.x"], 0.7)
    near(rest.holding.margin, 1.001)
    assert rest.stable
    if coordinates == "cartesian":
        run = mbs.simulate(model, [0, 0.5], rest.state)
        assert (run.modes["slope"] == "sticks").all() and abs(run["block.x"][-1] - 0.7) < 1e-12
        less = model.with_parameters(P=-2 * G * np.sin(0.3) * 0.003)
        assert not mbs.holding(less).held
        assert abs(mbs.simulate(less, [0, 0.5])["block.x"][-1]) > 1e-3


def test_a_ladder_against_a_wall():
    """tan θ = (1 - μ₁ μ₂)/(2 μ₁) at the limit, both μ alike smaller."""
    angle, floor, wall = 1.1, 0.3, 0.2
    model = mbs.PlanarModel("ladder", gravity=(0, -G))
    top = (-2 * np.cos(angle), 2 * np.sin(angle))
    ladder = model.link("ladder", (0, 0), top, mass=10.0)
    model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Point(ladder.tail), friction=floor))
    side = mbs.Line(model.ground.at(top[0], 0, angle=-np.pi / 2))
    model.add(mbs.Contact("wall", side, mbs.Point(ladder.head), friction=wall))
    held, b = mbs.holding(model), 2 * floor * np.tan(angle)
    near(held.margin, 2 * floor * wall / (np.sqrt(b**2 + 4 * floor * wall) - b))
    assert held.slips == ("floor", "wall")
    N = 10 * G / (1 + floor * wall / held.margin**2)
    near([held.forces["floor.force"], held.forces["wall.force"]], [N, floor / held.margin * N], 1e-7)


@pytest.mark.parametrize("angle", [0.1, 0.35])
def test_a_wedge_locks_itself_where_it_is_flat(angle):
    """Raised by W (tan(α+φ) + tan φ), it comes back by itself unless it is held by W (tan(α-φ) - tan φ): α > 2φ."""
    mu, W = 0.15, 1000.0
    phi = np.arctan(mu)
    held = mbs.holding(wedge(angle, mu, W), load="P")
    near(held.between, [-W * (np.tan(angle + phi) + np.tan(phi)), W * (np.tan(phi - angle) + np.tan(phi))])
    near(held.margin, mu / np.tan(angle / 2))
    assert held.held == (angle < 2 * phi)


def wedge(angle, mu, W):
    """Pushed to the left under a weight in a smooth guide."""
    model = mbs.PlanarModel("wedge")
    P, a = model.parameter("P", 0.0, unit="N"), model.parameter("a", angle)
    body, load = model.body("wedge", 1.0, 1.0), model.body("load", 1.0, 1.0, position=(0, 1))
    guide = mbs.Translational("guide", model.ground.at(0, 0, angle=np.pi / 2), load.at(0, 0, angle=np.pi / 2))
    floor = mbs.Translational("floor", model.ground, body)
    model.add(guide, floor, mbs.Friction("sole", floor, mu=mu))
    model.add(mbs.Contact("face", mbs.Line(body.at(0, 1, angle=a)), mbs.Point(load), friction=mu))
    model.add(mbs.Force("weight", load, (0, -W)), mbs.Force("push", body, (P, 0)))
    return model


def test_a_screw_jack_locks_itself_where_its_lead_is_small():
    """μ/tan α, tan α = pitch/2πr. Forces around and along the axis are bounded together, and only part of them acts
    along the thread; so it is known but to the square of α."""
    model, r, pitch = mbs.SpatialModel("jack"), 0.02, 0.004
    screw = model.body("screw", mass=1.0, inertia=(1e-3, 1e-3, 1e-3))
    thread = mbs.Screw("thread", model.ground, screw, pitch=pitch)
    model.add(thread, mbs.Friction("rub", thread, mu=0.1, radius=r), mbs.Force("load", screw, (0, 0, -2000)))
    near(mbs.holding(model).margin, 0.1 * r / (pitch / (2 * np.pi)), 1e-3)


def test_a_toggle_with_rubbing_pins():
    """The force in a bar touches the circles of friction about its pins, of radius μ r: it is turned by δ, with
    sin δ = 2 μ r/l."""
    angle, mu, r, W = 0.2, 0.2, 0.05, 100.0
    model = mbs.PlanarModel("toggle")
    F, (x, y) = model.parameter("F", 0.0, unit="N"), (np.cos(angle), np.sin(angle))
    one, two = model.link("one", (0, 0), (x, y), mass=1.0), model.link("two", (x, y), (2 * x, 0), mass=1.0)
    slider = model.body("slider", 1.0, 1.0, position=(2 * x, 0))
    pins = [mbs.Revolute("O", model.ground, one.tail), mbs.Revolute("A", one.head, two.tail)]
    pins.append(mbs.Revolute("B", two.head, slider))
    model.add(*pins, mbs.Translational("guide", model.ground, slider))
    model.add(*(mbs.Friction(f"rub {pin.name}", pin, mu=mu, radius=r) for pin in pins))
    model.add(mbs.Force("press", one.head, (0, -W)), mbs.Force("work", slider, (-F, 0)))
    turned = np.arcsin(2 * mu * r)
    near(mbs.holding(model, load="F").between, [W / 2 / np.tan(angle + turned), W / 2 / np.tan(angle - turned)])


def test_a_pendulum_whose_pin_rubs_and_a_brake():
    """m g l sin φ = μ r m g at the limit; a moment F."""
    model = mbs.PlanarModel("pendulum", gravity=(0, -G))
    mu, F = model.parameter("mu", 0.3), model.parameter("F", 20.0, unit="N m")
    bar = model.link("bar", (0, 0), (0, -1), mass=3.0)
    pin = mbs.Revolute("O", model.ground, bar.tail)
    model.add(pin, mbs.Friction("rub", pin, mu=mu, radius=0.1))
    near(mbs.holding(model, {"bar.angle": 0.03 - np.pi / 2}).margin, 0.06 / np.sin(0.03))
    held, far = (mbs.equilibrium(model, {"bar.angle": start - np.pi / 2}) for start in (0.03, 1.0))
    near([held["bar.angle"], held["rub.friction"]], [0.03 - np.pi / 2, 1.5 * G * np.sin(0.03) / 0.1])
    near([far["bar.angle"], far["rub.friction"]], [-np.pi / 2, 0.0])
    assert far.holding.margin == np.inf and not far.holding.slips
    model = model.without("rub")
    model.add(mbs.DryFriction("brake", mbs.angle(model.ground, bar), force=F))
    braked = mbs.holding(model, {"bar.angle": 0.0}, load="F")
    near([braked.margin, braked.between[0]], [20 / (1.5 * G), 1.5 * G])
    assert braked.between[1] == np.inf


def tripod(gravity):
    model = mbs.SpatialModel("tripod", gravity=gravity)
    P = model.parameter("P", 0.0, unit="N")
    body = model.body("block", mass=2.0, inertia=(1, 1, 1))
    for k in range(3):
        place = body.at(np.cos(2 * np.pi * k / 3), np.sin(2 * np.pi * k / 3), 0)
        model.add(mbs.Contact(f"foot{k}", mbs.Plane(model.ground), mbs.Point(place), friction=0.5))
    model.add(mbs.Force("push", body, (0, P, 0)))
    return model


def test_a_block_pushed_across_a_slope_is_held_by_a_cone():
    """(W sin α)² + P² = (μ W cos α)², and no pyramid."""
    angle, W = 0.3, 2 * G
    held = mbs.holding(tripod((G * np.sin(angle), 0, -G * np.cos(angle))), load="P")
    far = np.sqrt((0.5 * W * np.cos(angle)) ** 2 - (W * np.sin(angle)) ** 2)
    near(held.margin, 0.5 / np.tan(angle))
    near(held.between, [-far, far], 1e-8)
    assert held.slips == ("foot0", "foot1", "foot2")


def test_a_body_between_two_walls_is_held_if_it_was_pressed_in():
    model = mbs.PlanarModel("walls", gravity=(0, -G))
    P = model.parameter("P", 100.0, unit="N")
    body = model.body("body", mass=2.0, inertia=1.0)
    model.add(mbs.CoordinateFix("upright", body, "angle", 0))
    for name, x, turn in (("left", -0.1, -np.pi / 2), ("right", 0.1, np.pi / 2)):
        wall = mbs.Line(model.ground.at(x, 0, angle=turn))
        model.add(mbs.Contact(name, wall, mbs.Point(body.at(x, 0)), friction=0.3))
    model.add(mbs.Force("press", body, (-P, 0)))
    held = mbs.holding(model)
    assert held.wedged and held.margin == np.inf and "wedged" in repr(held)
    held = mbs.holding(model.without("right"), load="P")
    near([held.margin, held.between[0]], [30 / (2 * G), 2 * G / 0.3])
    assert not held.wedged and held.between[1] == np.inf
