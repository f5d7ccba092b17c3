"""Stacks of bodies that touch, with masses over twelve decades, against the equations of rest in 40 digits: every force
is right to a part of its own size, or the run is refused and says why."""

from __future__ import annotations

from itertools import product

import mpmath as mp
import numpy as np
import pytest
from refusals import refused

import mbs_dae as mbs

G, DIGITS, ALLOWED = 9.81, 40, 1e-8
STEPS = {"method": "Moreau", "step": 1e-3}


class Stack:
    """Disks (balls in space) on each other in columns beside each other, the lowest of each on a line (a plane) or on a
    carriage that a stop holds. Disks stand a little aside of one another, and guides keep them from rolling off: each
    may move up and down only, and the oblique contacts make its forces."""

    def __init__(self, seed: int, dimension: int = 2):
        random = np.random.default_rng(seed)
        self.dimension, self.columns = dimension, []
        for _ in range(int(random.integers(1, 4))):
            count = int(random.integers(1, 5))
            masses = 10.0 ** random.uniform(-9, 3, count)
            if random.random() < 0.3:  # the two ends of the range beside each other
                masses[random.permutation(count)[:2]] = [1e3, 1e-9][: min(count, 2)]
            aside = random.uniform(-0.5, 0.5, count)
            aside[0] = 0.0
            self.columns.append((masses, aside, bool(dimension == 2 and random.random() < 0.4)))

    def model(self) -> mbs.PlanarModel | mbs.SpatialModel:
        plane = self.dimension == 2
        model = mbs.PlanarModel("stacks", gravity=(0, -G)) if plane else mbs.SpatialModel("stacks", gravity=(0, 0, -G))
        for c, (masses, aside, carried) in enumerate(self.columns):
            x, y, below = 10.0 * c, 0.0, model.ground.at(10.0 * c, 0) if plane else model.ground.at(10.0 * c, 0, 0)
            for k, mass in enumerate(masses.tolist()):
                name, up = f"b{c}{k}", (1.0 if k == 0 else 2.0 * float(np.cos(aside[k])))
                x, y = x + (0.0 if k == 0 else 2.0 * float(np.sin(aside[k]))), y + (0.0 if carried and k == 0 else up)
                if plane:
                    body = model.body(name, mass, mass, position=(x, y))
                    ends = model.ground.at(x, y, angle=np.pi / 2), body.at(0, 0, angle=np.pi / 2)
                    guide = mbs.Translational(f"g{c}{k}", *ends)
                else:
                    body = model.body(name, mass, inertia=(mass, mass, mass), position=(x, 0, y))
                    guide = mbs.Prismatic(f"g{c}{k}", model.ground.at(x, 0, y), body.at(0, 0, 0))
                model.add(guide)
                shape = mbs.Disk(body, 1.0) if plane else mbs.Sphere(body, 1.0)
                if k == 0 and carried:
                    model.add(mbs.Stop(f"p{c}{k}", mbs.displacement(guide), lower=0.0))
                elif k == 0:
                    floor = mbs.Line(below) if plane else mbs.Plane(below)
                    model.add(mbs.Contact(f"p{c}{k}", floor, shape))
                else:
                    model.add(mbs.Contact(f"p{c}{k}", below, shape))
                below = shape
        return model

    def forces(self) -> dict[str, float]:
        """Return the force of each contact: the weight of all bodies above it, over the cosine of its slant, from the
        balance of each body in `DIGITS` digits."""
        found = {}
        with mp.workdps(DIGITS):
            for c, (masses, aside, _) in enumerate(self.columns):
                count = len(masses)
                balance, loads = mp.zeros(count, count), mp.zeros(count, 1)
                for k in range(count):
                    balance[k, k] = mp.cos(mp.mpf(float(aside[k])))
                    if k + 1 < count:
                        balance[k, k + 1] = -mp.cos(mp.mpf(float(aside[k + 1])))
                    loads[k] = mp.mpf(float(masses[k])) * mp.mpf(G)
                solved = mp.lu_solve(balance, loads)
                found |= {f"p{c}{k}": float(solved[k]) for k in range(count)}
        return found


def check(seed: int, dimension: int, coordinates: str = "cartesian") -> bool:
    """Whether the run was made, not refused."""
    stack = Stack(seed, dimension)
    try:
        result = mbs.simulate(stack.model().compile(coordinates), [0, 0.01, 0.1])
    except mbs.MbsError as error:
        assert "lost in roundoff" in str(error), str(error)
        return False
    for name, force in stack.forces().items():
        np.testing.assert_allclose(result[f"{name}.force"], force, rtol=ALLOWED, err_msg=f"{name} of seed {seed}")
    height = "y" if dimension == 2 else "z"
    for c, (masses, *_) in enumerate(stack.columns):
        for k in range(len(masses)):
            np.testing.assert_allclose(np.ptp(result[f"b{c}{k}.{height}"]), 0, atol=1e-9)
    return True


@pytest.mark.parametrize("seed", range(6))
def test_forces_in_a_stack_are_right_to_a_part_of_their_own_size(seed):
    assert check(seed, 2)


@pytest.mark.parametrize("coordinates", ["natural", "joint"])
def test_all_coordinates_carry_a_stack(coordinates):
    assert check(3, 2, coordinates=coordinates)


@pytest.mark.parametrize("method", ["DP8", "Radau5", "GA"])
def test_all_methods_carry_a_heavy_body_with_a_light_one_on_it(method):
    """The floor carries 1e3 kg, on which a body of 1e-9 kg lies."""
    model = mbs.PlanarModel("pair", gravity=(0, -G))
    heavy, light = model.body("a", 1e3, 1e3, position=(0, 0.1)), model.body("b", 1e-9, 1e-9, position=(0, 0.3))
    model.add(mbs.Contact("f", mbs.Line(model.ground), mbs.Disk(heavy, 0.1)))
    model.add(mbs.Contact("t", mbs.Disk(heavy, 0.1), mbs.Disk(light, 0.1)))
    result = mbs.simulate(model, [0, 0.5], method=method)
    np.testing.assert_allclose(result["f.force"], (1e3 + 1e-9) * G, rtol=1e-12)
    np.testing.assert_allclose(result["t.force"], 1e-9 * G, rtol=1e-12)
    np.testing.assert_allclose(result["a.y"], 0.1, atol=1e-12)


def pushed_column(seed: int) -> tuple[Stack, np.ndarray]:
    """A column, and a force upwards on each of its disks, which may lift some of them."""
    stack, random = Stack(seed, 2), np.random.default_rng([seed, 7])
    masses, aside, _ = stack.columns[0]
    stack.columns = [(masses, aside, False)]
    pushes = np.where(random.random(len(masses)) < 0.6, random.uniform(0, 2.5, len(masses)) * masses * G, 0.0)
    if random.random() < 0.3:
        pushes[-1] = random.uniform(0, 3) * masses[0] * G
    return stack, pushes


def forces_and_rates(stack: Stack, pushes: np.ndarray) -> tuple[list[float], list[float]]:
    """The forces f ≥ 0 of a column's contacts and how its gaps accelerate, w = W f + w0 ≥ 0 with f w = 0: of all
    choices of contacts that are closed the one that has both signs right, in `DIGITS` digits."""
    masses, aside, _ = stack.columns[0]
    count = len(masses)
    with mp.workdps(DIGITS):
        slants, rows, inverse, w0 = [mp.cos(float(one)) for one in aside], mp.zeros(count), mp.zeros(count), []
        for k, mass in enumerate(masses.tolist()):
            rows[k, k], inverse[k, k] = slants[k], 1 / mp.mpf(mass)
            rows[k, max(k - 1, 0)] -= slants[k] if k > 0 else 0
            w0.append(mp.mpf(float(pushes[k])) / mp.mpf(mass) - mp.mpf(G))
        start, W = rows * mp.matrix(w0), rows * inverse * rows.T
        for closed in product([False, True], repeat=count):
            own, f = [k for k in range(count) if closed[k]], mp.zeros(count, 1)
            if own:
                part = mp.matrix([[W[i, j] for j in own] for i in own])
                for k, force in zip(own, mp.lu_solve(part, mp.matrix([-start[k] for k in own])), strict=True):
                    f[k] = force
            w = start + W * f
            if all(f[k] >= 0 if closed[k] else w[k] >= 0 for k in range(count)):
                return [float(one) for one in f], [0.0 if closed[k] else float(w[k]) for k in range(count)]
    raise AssertionError("no choice of contacts has all signs right")


def add_disks(model: mbs.PlanarModel, count: int) -> None:
    """So many disks of 1 kg on floors of their own, beside all else."""
    for k in range(count):
        disk = model.body(f"disk{k}", 1.0, 1.0, position=(20.0 + 3.0 * k, 1.0))
        model.add(mbs.Contact(f"floor{k}", mbs.Line(model.ground.at(20.0 + 3.0 * k, 0.0)), mbs.Disk(disk, 1.0)))


def check_pushed(seed: int, method: str, disks: int = 0) -> bool:
    """Whether the run over one step was made, not refused; with more than 40 disks steps use the sparse matrix."""
    stack, pushes = pushed_column(seed)
    model, (_, aside, _), h = stack.model(), stack.columns[0], 1e-3
    for k, push in enumerate(pushes.tolist()):
        if push > 0.0:
            model.add(mbs.Force(f"up{k}", model.bodies[f"b0{k}"], (0, push)))
    add_disks(model, disks)
    try:
        result = mbs.simulate(model, [0, h], method=method, **({"step": h} if method == "Moreau" else {}))
    except mbs.MbsError as error:
        assert "lost in roundoff" in str(error), str(error)
        return False
    speed, below = [float(result[f"b0{k}.vy"][-1]) for k in range(len(aside))], 0.0
    for k, (force, rate) in enumerate(zip(*forces_and_rates(stack, pushes), strict=True)):
        np.testing.assert_allclose(result[f"p0{k}.force"][-1], force, rtol=ALLOWED, err_msg=f"seed {seed}, p0{k}")
        moved = float(np.cos(aside[k])) * (speed[k] - below) / h
        np.testing.assert_allclose(moved, rate, rtol=1e-4, atol=1e-4 * G, err_msg=f"seed {seed}, p0{k}")
        below = speed[k]
    for k in range(disks):
        np.testing.assert_allclose(result[f"floor{k}.force"][-1], G, rtol=1e-6)
    return True


@pytest.mark.parametrize(
    ("seed", "made"), [(520, True), (621, True), (628, True), (59, False), (144, False), (921, False)]
)
def test_a_step_holds_a_pushed_column_or_is_refused(seed, made):
    """Light disks under heavy ones that are nearly lifted: none sinks into another one without a word."""
    assert check_pushed(seed, "Moreau") is made


@pytest.mark.parametrize("seed", [0, 24, 160])
def test_steps_with_many_contacts_keep_the_forces_of_a_column(seed):
    """The residuals of the sparse matrix are a part of the largest force, and more than that of the smallest ones."""
    assert check_pushed(seed, "Moreau", 41)


def test_steps_with_many_contacts_press_a_rotor_of_little_inertia():
    model = rotors(1e-8, 1.0)
    add_disks(model, 41)
    result = mbs.simulate(model, [0, 1e-3], **STEPS)
    np.testing.assert_allclose(result["top.force"][-1], 2500.0, rtol=1e-11)
    np.testing.assert_allclose(result["floor.force"][-1], 2499.0, rtol=1e-11)


def test_steps_refuse_more_light_disks_on_a_heavy_body_than_they_can_solve_for():
    """The table of 1e6 kg stands on a stop."""
    model = mbs.PlanarModel("table", gravity=(0, -G))
    table = model.body("table", 1e6, 1e6, position=(0, 0))
    guide = mbs.Translational("guide", model.ground.at(0, 0, angle=np.pi / 2), table.at(0, 0, angle=np.pi / 2))
    model.add(guide, mbs.Stop("stop", mbs.displacement(guide), lower=0.0))
    for k in range(101):
        disk = model.body(f"disk{k}", 1.0, 1.0, position=(3.0 * k, 1.0))
        model.add(mbs.Contact(f"lies{k}", mbs.Line(table), mbs.Disk(disk, 1.0), friction=0.3))
    with refused("lost-in-roundoff", mbs.IntegrationError, mentions=["stop", "lies0", "table"]):
        mbs.simulate(model, [0, 1e-3], **STEPS)


def test_steps_with_many_contacts_refuse_a_light_disk_that_would_sink():
    """The column of seed 59 beside so many disks on floors that steps use the sparse matrix."""
    stack, pushes = pushed_column(59)
    model = stack.model()
    for k in np.flatnonzero(pushes).tolist():
        model.add(mbs.Force(f"up{k}", model.bodies[f"b0{k}"], (0, float(pushes[k]))))
    add_disks(model, 41)
    with refused(
        "lost-in-roundoff", mbs.IntegrationError,
        joints=["Contact 'p00'", "Contact 'p01'", "Contact 'p02'"],
        mentions="stacks",
    ):
        mbs.simulate(model, [0, 1e-3], method="Moreau", step=1e-3)


@pytest.mark.soak
@pytest.mark.parametrize("method", ["Moreau", "DP8"])
def test_a_thousand_pushed_columns(method):
    assert sum(check_pushed(seed, method) for seed in range(1000)) > 900


@pytest.mark.soak
def test_two_hundred_pushed_columns_beside_many_contacts():
    assert sum(check_pushed(seed, "Moreau", 41) for seed in range(200)) > 180


def pair(above, height=0.3):
    """1 kg on the floor, and this mass above it."""
    model = mbs.PlanarModel("pair", gravity=(0, -G))
    low, high = model.body("low", 1.0, 1.0, position=(0, 0.1)), model.body("high", above, above, position=(0, height))
    model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Disk(low, 0.1)))
    model.add(mbs.Contact("top", mbs.Disk(low, 0.1), mbs.Disk(high, 0.1)))
    return model


@pytest.mark.parametrize("above", [1e3, 1e7, 1e11])
def test_a_light_body_under_a_heavy_one_carries_it(above):
    result = mbs.simulate(pair(above), [0, 0.1])
    np.testing.assert_allclose(result["floor.force"] - result["top.force"], G, rtol=1e-9, atol=4e-16 * above * G)
    np.testing.assert_allclose(result["top.force"], above * G, rtol=1e-9)


def test_what_roundoff_leaves_nothing_of_is_refused():
    """1 kg pressed under 1e14 kg: its share of the equations is less than their roundoff."""
    pressed = ["floor", "top", "pair", "low"]
    with refused("lost-in-roundoff", mbs.IntegrationError, time=0.0, mentions=pressed):
        mbs.simulate(pair(1e14), [0, 0.1])


@pytest.mark.parametrize("seed", range(2))
def test_balls_carry_each_other_in_space(seed):
    assert check(seed, 3)


@pytest.mark.parametrize("method", ["Moreau", "HalfExplicit"])
@pytest.mark.parametrize("above", [1e3, 1e7, 1e11])
def test_time_steps_hold_a_light_body_under_a_heavy_one(method, above):
    result = mbs.simulate(pair(above), [0, 0.1], method=method, step=1e-3)
    np.testing.assert_allclose(result["floor.force"][-1], (1.0 + above) * G, rtol=1e-12)
    np.testing.assert_allclose(result["top.force"][-1], above * G, rtol=1e-12)
    np.testing.assert_allclose(result["low.y"], 0.1, atol=1e-12)


@pytest.mark.parametrize("above", [1e3, 1e7, 1e11])
def test_a_heavy_body_that_falls_on_a_light_one_stops_there(above):
    """One impact: both contacts have the momentum of the fall, and nothing moves behind it."""
    result = mbs.simulate(pair(above, 0.301), [0, 0.1])
    (impact,) = result.impacts
    for name in ("floor", "top"):
        np.testing.assert_allclose(impact.impulses[name][1], above * np.sqrt(2 * G * 1e-3), rtol=1e-10)
    np.testing.assert_allclose([impact.after["low.vy"], impact.after["high.vy"]], 0.0, atol=1e-12)


def test_bodies_that_nothing_light_touches_are_solved_for_as_ever():
    """Dust on the floor beside a table, whose four legs depend on each other."""
    model = mbs.SpatialModel("room", gravity=(0, 0, -G))
    floor, dust = mbs.Plane(model.ground), model.body("dust", 1e-10, inertia=(1e-10,) * 3, position=(5, 0, 0.1))
    table = model.body("table", 20.0, inertia=(3.0, 3.0, 5.0), position=(0, 0, 0.7))
    model.add(mbs.Contact("lies", floor, mbs.Sphere(dust, 0.1)))
    for k, (x, y) in enumerate([(0.5, 0.4), (0.5, -0.4), (-0.5, 0.4), (-0.5, -0.4)]):
        model.add(mbs.Contact(f"leg {k}", floor, mbs.Point(table.at(x, y, -0.7)), friction=0.5))
    result = mbs.simulate(model, [0, 0.2])
    np.testing.assert_allclose(sum(result[f"leg {k}.force"] for k in range(4)), 20.0 * G, rtol=1e-9)
    np.testing.assert_allclose(result["lies.force"], 1e-10 * G, rtol=1e-9)


def rotors(light: float, push: float, load: float = 5e3) -> mbs.PlanarModel:
    """Two rotors of 1 kg on axles: one of so little inertia has a disk on its arm that lies on a line, and is pushed
    upwards by this torque; 1e3 kg·m² press with half of this load on this disk."""
    model = mbs.PlanarModel("rotors", gravity=(0, 0))
    low, high = model.body("low", 1.0, light, position=(0, 1)), model.body("high", 1.0, 1e3, position=(3, 2))
    model.add(mbs.Revolute("A", model.ground.at(0, 1), low.at(0, 0)))
    model.add(mbs.Revolute("B", model.ground.at(3, 2), high.at(0, 0)))
    model.add(mbs.Contact("floor", mbs.Line(model.ground.at(1, 0.5)), mbs.Disk(low.at(1, 0), 0.5)))
    model.add(mbs.Contact("top", mbs.Disk(low.at(1, 0), 0.5), mbs.Disk(high.at(-2, 0), 0.5)))
    model.add(mbs.Torque("T", high, load), mbs.Torque("U", low, push))
    return model


@pytest.mark.parametrize("light", [1e-2, 1e-6, 1e-8])
@pytest.mark.parametrize("options", [{}, STEPS], ids=["DP5", "Moreau"])
@pytest.mark.parametrize("push", [0.0, 1.0])
def test_a_rotor_of_little_inertia_is_pressed_by_one_of_much(push, options, light):
    """Masses alone tell nothing about these: both are 1 kg."""
    result = mbs.simulate(rotors(light, push), [0, 1e-3], **options)
    np.testing.assert_allclose(result["top.force"][-1], 2500.0, rtol=1e-11)
    np.testing.assert_allclose(result["floor.force"][-1], 2500.0 - push, rtol=1e-11)
    np.testing.assert_allclose(result["low.omega"], 0.0, atol=1e-12)


@pytest.mark.parametrize("options", [{}, STEPS], ids=["DP5", "Moreau"])
def test_a_load_on_a_light_rotor_leaves_the_force_of_a_heavy_one_its_digits(options):
    """The light rotor alone would have 6e5 rad/s² by its load; the heavy one has 8e-8 rad/s² by its own."""
    result = mbs.simulate(rotors(4.6e-5, -27.0, 8e-5), [0, 1e-3], **options)
    np.testing.assert_allclose(result["top.force"][-1], 4e-5, rtol=1e-8)
    np.testing.assert_allclose(result["floor.force"][-1], 27.00004, rtol=1e-12)


@pytest.mark.parametrize(("light", "push"), [(1e-10, 0.0), (1e-10, 1.0), (1e-14, 1.0), (1e-17, 1.0), (1e-17, -1.0)])
@pytest.mark.parametrize("options", [{}, STEPS], ids=["DP5", "Moreau"])
def test_a_rotor_whose_forces_are_lost_is_named(options, light, push):
    with refused(
        "lost-in-roundoff", mbs.IntegrationError,
        joints=["Contact 'floor'", "Contact 'top'"],
        mentions=["rotors", "low"],
    ):
        mbs.simulate(rotors(light, push), [0, 1e-3], **options)


def test_a_heavy_rotor_that_would_fall_slowly_through_a_light_one_is_refused():
    """The load is so small that a choice of states with an open gap has an error of its smallest digits only; and so
    has a time step whose closed gap is left without a force."""
    with refused("lost-in-roundoff", mbs.IntegrationError, joints=["Contact 'floor'", "Contact 'top'"]):
        mbs.simulate(rotors(1e-15, -4e-3, 3e-5), [0, 1e-3], method="DP8")
    with refused("lost-in-roundoff", mbs.IntegrationError, joints=["Contact 'floor'", "Contact 'top'"]):
        mbs.simulate(rotors(3.5e-17, -1884.8, 0.3), [0, 1e-3], **STEPS)


@pytest.mark.soak
def test_two_hundred_stacks():
    made = [check(seed, 2 + (seed % 4 == 3)) for seed in range(200)]
    assert sum(made) >= 158
