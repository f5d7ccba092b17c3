"""Light bodies at rest on contacts beside heavy ones: closed forms, whatever the heavy bodies weigh and wherever they
are. Forces are compared with their own size."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused

import mbs_dae as mbs

G, M = 9.81, 1e-3
SETS = "cartesian", "natural", "joint"
PLACES = "elsewhere", "on a contact", "turning carrier", "lifting carrier", "welded"
MASSES = 1e3, 1e6, 1e9, 1e12
CASES = [(place, mass, SETS[k % 3]) for k, (place, mass) in enumerate((p, m) for p in PLACES for m in MASSES)]
beside_heavy = pytest.mark.parametrize(("place", "mass", "coordinates"), [("alone", 0.0, "cartesian"), *CASES])


class Carrier:
    """What a light mechanism stands on: the ground, beside a heavy body, or that body, at the origin."""

    def __init__(self, place: str, mass: float, sinks: bool = True):
        self.model = mbs.PlanarModel("light beside heavy", gravity=(0, -G))
        self.base = ground = self.model.ground
        self.turns, self.lifts = place == "turning carrier", place == "lifting carrier"
        if place == "alone":
            return
        at = (0.0, 0.0) if self.turns or self.lifts else (5.0, 0.5 if sinks and place == "on a contact" else 0.0)
        heavy = self.model.body("heavy", mass, mass, position=at)
        if self.turns or place == "elsewhere":
            self.model.add(mbs.Revolute("H", ground.at(*at), heavy))
            self.model.add(mbs.TorsionSpring("hold", self.model.elements["H"], stiffness=10 * mass))
            if sinks:
                self.model.add(mbs.Torque("turn", heavy, 3.0 * mass))
        elif self.lifts:
            up = np.pi / 2
            self.model.add(mbs.Translational("H", ground.at(0, 0, angle=up), heavy.at(0, 0, angle=up)))
            length = 3.0 if sinks else 3.0 - G / 100 * (1 + M / mass)
            self.model.add(mbs.Spring("hold", ground.at(0, 3), heavy, stiffness=100 * mass, length=length))
        elif place == "welded":
            self.model.add(mbs.Fixed("H", ground.at(*at), heavy))
        else:
            fixed = mbs.CoordinateFix("level", heavy, "angle", 0), mbs.CoordinateFix("aside", heavy, "x", 5)
            self.model.add(*fixed, mbs.Contact("foundation", mbs.Line(ground), mbs.Point(heavy)))
        if self.turns or self.lifts:
            self.base = heavy

    def angle(self, rest: mbs.Equilibrium) -> float:
        return float(rest["heavy.angle"]) if self.turns else 0.0

    def height(self, rest: mbs.Equilibrium) -> float:
        return float(rest["heavy.y"]) if self.lifts else 0.0


def near(found: list[float], expected: list[float], size: float = 1.0) -> None:
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-8 * size)


@beside_heavy
def test_a_bob_hangs_on_the_shorter_of_two_ropes(place, mass, coordinates):
    carrier = Carrier(place, mass)
    model, base = carrier.model, carrier.base
    bob = model.body("bob", M, 1e-6, position=(0.6, 0.3))
    model.add(mbs.Rope("long", base.at(1, 1), bob, length=3.0), mbs.Rope("short", base.at(0, 1), bob, length=1.5))
    model.add(mbs.CoordinateFix("upright", bob, "angle", 0))
    rest = mbs.equilibrium(model.compile(coordinates))
    turned = carrier.angle(rest)
    near([rest["bob.x"], rest["bob.y"]], [-np.sin(turned), np.cos(turned) + carrier.height(rest) - 1.5])
    near([rest["short.force"], rest["long.force"]], [M * G, 0.0], M * G)


@beside_heavy
@pytest.mark.parametrize(("stiffness", "length"), [(2.0, 0.7), (100.0, 0.3)])
def test_a_spring_lifts_a_weight_off_its_stop_if_it_can(stiffness, length, place, mass, coordinates):
    """m k (L - s) = m g cos φ, or the stop at s = 0.1 carries what is missing."""
    carrier, up = Carrier(place, mass), np.pi / 2
    model, base = carrier.model, carrier.base
    weight = model.body("weight", M, 1e-6, position=(0, 0.3))
    model.add(mbs.Translational("guide", base.at(0, 0, angle=up), weight.at(0, 0, angle=up)))
    model.add(mbs.Spring("spring", base, weight, stiffness=stiffness * M, length=length))
    model.add(mbs.Stop("stop", mbs.displacement(model.elements["guide"]), lower=0.1, upper=0.5))
    rest = mbs.equilibrium(model.compile(coordinates))
    weighs = G * np.cos(carrier.angle(rest))
    height = max(0.1, length - weighs / stiffness)
    near([rest["stop.gap1"]], [height - 0.1])
    near([rest["stop.force1"], rest["stop.force2"]], [M * (weighs - stiffness * (length - height)), 0.0], M * G)


@beside_heavy
def test_a_smooth_rod_leans_on_the_rim_of_a_bowl(place, mass, coordinates):
    """2 R cos 2θ = l cos θ, and moments about the foot give the force of the rim."""
    R, l, start, carrier = 1.0, 0.9, 0.4, Carrier(place, mass)
    model, base = carrier.model, carrier.base
    if carrier.turns:
        model = model.without("turn")
        base = model.bodies["heavy"]
        model.add(mbs.CoordinateFix("still", base, "angle", 0))
    way = np.array([np.cos(start), np.sin(start)])
    foot = np.array([R, 0.0]) - 2 * R * np.cos(start) * way
    rod = model.link("rod", tuple(foot), tuple(foot + 2 * l * way), mass=3 * M)
    model.add(mbs.Contact("bowl", mbs.Disk(base, R, inside=True), mbs.Point(rod.tail)))
    model.add(mbs.Contact("rim", mbs.Line(rod.at(0, 0, angle=np.pi)), mbs.Point(base.at(R, 0))))
    rest = mbs.equilibrium(model.compile(coordinates))
    angle, force = np.arccos((l + np.sqrt(l**2 + 32 * R**2)) / (8 * R)), 3 * M * G * l / (2 * R)
    near([rest["rod.angle"]], [angle])
    near([rest["rim.force"]], [force], force)


@beside_heavy
@pytest.mark.parametrize("friction", [0.5, 0.2])
def test_a_block_on_a_slope_stays_or_slides_to_the_end(friction, place, mass, coordinates):
    """μ = 0.5 holds it on tan α = 0.3; with 0.2 it slides down to where a wall carries m g sin α."""
    slope, carrier = np.arctan(0.3), Carrier(place, mass, sinks=False)
    model, base = carrier.model, carrier.base
    block = model.body("block", M, 1e-6)
    line = mbs.Line(base.at(0, 0, angle=slope))
    model.add(mbs.CoordinateFix("upright", block, "angle", 0))
    model.add(mbs.Contact("slope", line, mbs.Point(block), friction=friction))
    end = base.at(-0.5 * np.cos(slope), -0.5 * np.sin(slope), angle=slope - np.pi / 2)
    model.add(mbs.Contact("end", mbs.Line(end), mbs.Point(block)))
    if carrier.turns:
        model.add(mbs.CoordinateFix("still", base, "angle", 0))
    rest = mbs.equilibrium(model.compile(coordinates))
    normal, along = M * G * np.cos(slope), M * G * np.sin(slope)
    stays = friction > 0.3
    expected = [normal, along, 0.0] if stays else [normal, 0.0, along]
    near([rest[f"{name}"] for name in ("slope.force", "slope.friction", "end.force")], expected, M * G)
    if stays:
        near([rest.holding.margin], [friction / 0.3])


@pytest.mark.parametrize("masses", [(1e3, M), (M, 1e6), (M, 1e6, 1e-6), (1e6, M, 1e3), (M, 1e9, M, 1e6, M)])
def test_each_layer_of_a_stack_carries_what_lies_on_it(masses):
    """On a slope of tan α = 0.3 with μ = 0.5 between all layers: light ones have heavy loads, too."""
    slope = np.arctan(0.3)
    model = mbs.PlanarModel("stack", gravity=(-G * np.sin(slope), -G * np.cos(slope)))
    below = mbs.Line(model.ground)
    for k, own in enumerate(masses):
        layer = model.body(f"b{k}", own, own, position=(0, 0.1 * k))
        model.add(mbs.CoordinateFix(f"upright{k}", layer, "angle", 0))
        model.add(mbs.Contact(f"c{k}", below, mbs.Point(layer), friction=0.5))
        below = mbs.Line(layer.at(0, 0.1))
    rest = mbs.equilibrium(model)
    near([rest.holding.margin], [0.5 / 0.3])
    for k in range(len(masses)):
        load = sum(masses[k:]) * G
        near([rest[f"c{k}.force"]], [load * np.cos(slope)], load)
        near([abs(rest[f"c{k}.friction"])], [load * np.sin(slope)], load)


# --- what rubbing pins hold -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("carried", [False, True], ids=["beside", "on it"])
@pytest.mark.parametrize(("heavy", "light"), [(1.0, 1.0), (1e3, 1e-3), (1e6, 1e-3), (1e9, 1e-3), (1e-3, 1e6)])
@pytest.mark.parametrize("angle", [0.02, 0.05])
def test_two_pendulums_whose_pins_rub(heavy, light, carried, angle):
    """A pin of radius ρ holds μ ρ N; m g l sin φ wants to turn it. The second one hangs on the ground, or on the bob of
    the first. A torque on it may be within m g l sin φ ± μ ρ N."""
    mu, radius, phi = (0.3, 0.35), 0.1, (angle, 0.03)
    bobs = [np.array([np.sin(one), -np.cos(one)]) for one in phi]
    top = bobs[0] if carried else np.array([3.0, 0.0])
    model = mbs.PlanarModel("pendulums", gravity=(0, -G))
    T = model.parameter("T", 0.0, unit="N m")
    one = model.body("one", heavy, 0.1 * heavy, position=tuple(bobs[0]))
    two = model.body("two", light, 0.1 * light, position=tuple(top + bobs[1]))
    P = mbs.Revolute("P", model.ground, one, at=(0, 0))
    Q = mbs.Revolute("Q", one if carried else model.ground, two, at=tuple(top))
    rubs = [mbs.Friction(f"rub {pin.name}", pin, mu=mu[k], radius=radius) for k, pin in enumerate((P, Q))]
    model.add(P, Q, *rubs)
    model.add(mbs.Torque("turn", two, T))
    loads = np.array([heavy + carried * light, light]) * G
    turning = np.array([loads[0] * np.sin(angle) + carried * light * G * np.sin(0.03), light * G * np.sin(0.03)])
    holds = np.array(mu) * radius * loads
    found = mbs.holding(model, load="T")
    first = int(np.argmin(holds / turning))
    near([found.margin], [holds[first] / turning[first]])
    assert ("rub P", "rub Q")[first] in found.slips and found.certain
    for name, needed in zip(("rub P.friction", "rub Q.friction"), turning / radius, strict=True):
        near([abs(found.forces[name])], [needed], needed)
        if found.held:
            near([abs(mbs.equilibrium(model)[name])], [needed], needed)
    if not carried and found.held:
        near(list(found.between), [turning[1] - holds[1], turning[1] + holds[1]], holds[1])


# --- small motions, derivatives, joints that share loads --------------------------------------------------------------


@pytest.mark.parametrize("carried", [False, True], ids=["beside", "on it"])
@pytest.mark.parametrize("mass", [1.0, 1e6, 1e12])
def test_a_light_pendulum_swings_as_it_does_alone(mass, carried):
    """ω² = m g l/(m l² + J), beside a wheel on a spring, or hung on its axis; and the wheel's is its own k/J."""
    l, J = 0.7, 0.1 * M
    model = mbs.PlanarModel("pendulum", gravity=(0, -G))
    at = (0.0 if carried else 5.0, 0.0)
    wheel = model.body("wheel", mass, mass, position=at)
    model.add(mbs.Revolute("H", model.ground.at(*at), wheel))
    model.add(mbs.TorsionSpring("hold", model.elements["H"], stiffness=30 * mass))
    bob = model.body("bob", M, J, position=(0, -l))
    model.add(mbs.Revolute("P", wheel if carried else model.ground, bob.at(0, l)))
    law = mbs.linearize(model, coordinates=["bob.angle", "wheel.angle"])
    np.testing.assert_allclose(np.diag(law.K), [M * G * l, 30 * mass], rtol=1e-12)
    np.testing.assert_allclose(law.frequencies**2, [M * G * l / (M * l**2 + J), 30.0], rtol=1e-12)
    assert law.stable
    for mode, still in zip(law.modes, ("wheel.angle", "bob.angle"), strict=True):
        assert abs(mode.shape[still]) < 1e-12


@pytest.mark.parametrize("mass", [1.0, 1e6, 1e12])
def test_how_a_light_arm_sinks_with_its_spring_beside_a_heavy_wheel(mass):
    """k θ = -m g l cos θ, so dθ/dk = -θ/(k - m g l sin θ)."""
    model = mbs.PlanarModel("arm", gravity=(0, -G))
    k = model.parameter("k", 2e-3)
    wheel = model.body("wheel", mass, mass, position=(5, 0))
    model.add(mbs.Revolute("H", model.ground.at(5, 0), wheel), mbs.Torque("turn", wheel, 3 * mass))
    model.add(mbs.TorsionSpring("hold", model.elements["H"], stiffness=10 * mass))
    arm = model.body("arm", M, 1e-4, position=(0.5, 0))
    model.add(mbs.Revolute("A", model.ground, arm.at(-0.5, 0)))
    model.add(mbs.TorsionSpring("lift", model.elements["A"], stiffness=k))
    rest = mbs.equilibrium(model, derivatives=["k"])
    angle = rest["arm.angle"]
    assert 2e-3 * angle == pytest.approx(-M * G * 0.5 * np.cos(angle), rel=1e-10)
    assert rest.d("arm.angle", "k") == pytest.approx(-angle / (2e-3 - M * G * 0.5 * np.sin(angle)), rel=1e-9)


@pytest.mark.parametrize("carried", [False, True], ids=["beside", "on it"])
@pytest.mark.parametrize("mass", [1.0, 1e6, 1e12])
def test_a_bar_on_three_pins_has_no_part_in_what_a_light_pendulum_carries(mass, carried):
    """How three pins share the weight of the bar is open, and the least forces are told; those of the pendulum are not
    open."""
    model = mbs.PlanarModel("three pins", gravity=(0, -G))
    bar = model.body("bar", mass, mass, position=(1, 0))
    pins = [("A", (0, 0), (-1, 0)), ("B", (2, 0.3), (1, 0.3)), ("C", (1.5, 0.7), (0.5, 0.7))]
    model.add(*(mbs.Revolute(name, model.ground.at(*at), bar.at(*own)) for name, at, own in pins))
    bob = model.body("bob", M, 1e-4, position=(0.5 if carried else 5, -0.7))
    model.add(mbs.Revolute("P", bar.at(-0.5, 0) if carried else model.ground.at(5, 0), bob.at(0, 0.7)))
    model.add(mbs.Force("push", bob.at(0, 0.7), (3e-3, 0)))
    rest = mbs.equilibrium(model)
    near(list(rest.reaction("P")[0, :2]), [-3e-3, M * G], M * G)
    total = (mass + carried * M) * G
    near([sum(rest.reaction(name)[0, 1] for name in "ABC")], [total], total)


# --- which contacts press ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("masses", [(1e-3, 1.0, 1e3), (1e3, 1.0, 1e-3), (1e-6, 1e6, 1.0), (1e6, 1e6, 1e-6)])
def test_three_balls_in_a_bowl_push_and_never_overlap(masses):
    """Forces of contacts are in balance at each ball, to a part of what it carries; none pulls, and open ones rest."""
    model = mbs.PlanarModel("heap", gravity=(0, -G))
    bowl, places = mbs.Disk(model.ground, 1.0, inside=True), [(-0.4, 0), (0.45, 0.1), (0, 0.6)]
    balls = [model.body(f"b{k}", masses[k], 0.01 * masses[k], position=places[k]) for k in range(3)]
    disks = [mbs.Disk(ball, 0.3) for ball in balls]
    pairs: list[tuple[int, int]] = [(-1, 0), (-1, 1), (-1, 2), (0, 1), (1, 2), (0, 2)]
    for i, k in pairs:
        model.add(mbs.Contact(f"c{i}{k}", bowl if i < 0 else disks[i], disks[k]))
    rest = mbs.equilibrium(model)
    centres = [np.array([rest[f"b{k}.x"], rest[f"b{k}.y"]]) for k in range(3)]
    left, loads = [np.array([0.0, -m * G]) for m in masses], [m * G for m in masses]
    for i, k in pairs:
        force, gap = rest[f"c{i}{k}.force"], rest[f"c{i}{k}.gap"]
        assert gap > -1e-11 and force >= 0.0 and (gap < 1e-9 or force == 0.0)
        way = -centres[k] if i < 0 else centres[k] - centres[i]
        for ball, sign in ((k, 1.0), (i, -1.0)):
            if ball >= 0:
                left[ball] += sign * force * way / np.linalg.norm(way)
                loads[ball] += force
    for ball in range(3):
        near(list(left[ball]), [0.0, 0.0], loads[ball])


@pytest.mark.parametrize("joined", [False, True])
def test_rests_of_bodies_without_mass_are_stable_by_their_potential(joined):
    """A crank without mass on a pin, held by a spring, alone or joined by a spring to a rod: its rests, and their
    stability by the potential, are those of a crank of a microgram; only frequencies need its mass."""

    def rests(mass):
        model = mbs.PlanarModel("crank", gravity=(0, -9.81))
        crank = model.link("crank", (0, 0), (0.1, 0.1), mass=mass)
        model.add(mbs.Revolute("A", model.ground, crank.tail))
        model.add(mbs.Spring("s", model.ground.at(0.2, 0.6), crank.head, stiffness=150, length=0.3))
        if joined:
            rod = model.link("rod", (1, 0), (1.1, 0.1), mass=1.0)
            model.add(mbs.Revolute("B", model.ground.at(1, 0), rod.tail))
            model.add(mbs.Spring("beside", crank.head, rod.head, stiffness=50, length=0.3))
        return mbs.equilibrium(model, all=True)

    without, light = rests(0.0), rests(1e-9)
    assert len(without) == len(light) == (4 if joined else 2)
    for one, other in zip(without, light, strict=True):
        assert np.isclose(one["crank.angle"], other["crank.angle"], rtol=0, atol=1e-8)
        assert one.stable == other.stable and one.coordinates == other.coordinates
        np.testing.assert_allclose(one.stiffness, other.stiffness, rtol=1e-6)
    assert without[0].stable and not without[-1].stable
    with refused("motion-without-mass" if joined else "no-mass"):
        _ = without[0].frequencies
