"""Energy and momentum: what holds for every model, whatever it is made of.

One model has a force and a driver of every kind at once; the ledger of its energy closes to the tolerance of the
integration. Random chains, with springs and loops and no ground under them, keep energy and momentum. And a motion is
the same wherever the frames of the bodies are put, and however the world is turned.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import atan2, cos, hypot, pi, sin
from typing import Any

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import mbs_dae as mbs

FINE: dict[str, Any] = {"method": "DP8", "rtol": 1e-11, "stabilization": mbs.Projection()}


class Swell(mbs.ForceElement):
    """A potential of the user's own, between a point and an axis."""

    strength = mbs.scalar("N")

    @staticmethod
    def potential(i, j, strength):
        return strength * i.x_axis.dot(j.point - i.point) ** 2 / (1 + (j.point - i.point).dot(j.point - i.point))


def breeze(t, i):
    """A force and a moment by a Python function."""
    vx, vy = i.velocity
    return [(0.4 * sp.sin(2 * t) - 0.1 * vx, -0.1 * vy, 0.05 * sp.cos(i.angle))]


def everything() -> mbs.PlanarModel:
    """A cart that is shaken in y, a driven arm and a free pendulum on it, a free plate tied to them by springs; with
    every force and both kinds of driver."""
    model = mbs.PlanarModel("everything", gravity=(0.3, -9.81))
    ground = model.ground
    cart = model.body("cart", mass=2.0, inertia=0.3, com=(0.1, -0.05))
    arm = model.link("arm", (0, 0), (0.8, 0.3), mass=0.8)
    bob = model.link("bob", (0.8, 0.3), (1.5, -0.2), mass=0.6)
    plate = model.body("plate", mass=1.2, inertia=0.2, com=(0.0, 0.2), position=(-1.0, 0.8), angle=0.4)
    plate.marker("rim", 0.3, 0.1)
    bob.marker("tip", 0.35, 0.05)
    pin = mbs.Revolute("pin", arm.head, bob.tail)
    model.add(
        mbs.Revolute("A", cart, arm.tail),
        pin,
        mbs.CoordinateFix("upright", cart, "angle"),
        mbs.Driver("shake", mbs.y(cart), 0.2 * sp.sin(3 * mbs.t)),
        mbs.Driver("turn", mbs.angle(cart, arm), atan2(0.3, 0.8) + 0.5 * sp.sin(2 * mbs.t)),
        mbs.Spring("anchor", ground.at(-0.5, 0.2), cart.at(0.2, 0), stiffness=40.0, length=0.5),
        mbs.Spring("band", arm.head, plate.rim, law=3 * sp.tanh(mbs.length) + mbs.length**3 / 5),
        mbs.Spring(
            "cord", plate.at(-0.2, 0), bob.tip, law=mbs.Table(np.linspace(0, 6, 9), np.linspace(0, 6, 9) ** 1.5)
        ),
        mbs.Spring("muscle", plate, ground.at(-1, 2), law=(1 + sp.sin(mbs.t)) * mbs.length + model["bob.vx"] / 5),
        mbs.Damper("shock", ground.at(0, -2), bob.head, law=mbs.rate + mbs.rate**3 / 4),
        mbs.SpringDamper("strut", ground.at(-2, 1), plate.at(0.1, -0.1), stiffness=15.0, damping=0.4),
        mbs.TorsionSpring("coil", pin, stiffness=2.0, damping=0.05),
        mbs.TorsionSpring("twist", cart, plate, law=sp.sin(mbs.theta) + mbs.rate / 10),
        mbs.Motor("motor", pin, torque=0.8 * (1 - mbs.speed / 6)),
        mbs.Torque("sway", plate, sp.cos(3 * mbs.t) - model["plate.omega"] * model["bob.tip.y"] / 10),
        mbs.Force("jet", plate.rim, (1 + model["bob.vx"] / 10, sp.sin(mbs.t)), axes="body"),
        mbs.ViscousFriction("oil", pin, coefficient=0.06),
        mbs.ViscousFriction("grease", mbs.displacement(ground, cart), coefficient=0.3),
        mbs.Drag("air", bob.tip, coefficient=0.1),
        mbs.Actuator("ram", arm.head, bob.tip, sp.cos(2 * mbs.t) / 2),
        mbs.Wrench("gust", plate.rim, (sp.cos(mbs.t), 0.5), moment=sp.sin(2 * mbs.t)),
        mbs.Bushing("mount", plate, ground.at(0.4, 0.2), stiffness=(3, 2, 1), damping=(0.1, 0.2, 0.05)),
        mbs.PythonForce("breeze", plate.at(0, 0.3), function=breeze),
        Swell("swell", plate, bob.tip, strength=1.5),
    )
    return model


MIXED_START = {"cart.x": 0.1, "cart.vx": 0.4, "bob.omega": 2.0, "plate.vx": 0.5, "plate.omega": -1.0}


def largest(res: mbs.Result) -> float:
    return float(np.abs(res.energy.error).max())


def test_the_ledger_closes_with_every_force_and_driver_at_once():
    model = everything()
    missing = {c.__name__ for c in mbs.registered_forces() if c.__module__.startswith("mbs_dae")}
    assert {e.kind for e in model.forces} >= {*missing, "PythonForce", "Swell"}
    res = mbs.simulate(model, np.linspace(0, 1.5, 16), MIXED_START, **FINE)
    assert largest(res) < 1e-8
    for part in ("kinetic", "potential", "dissipated", "supplied"):
        assert np.ptp(getattr(res.energy, part)) > 0.5, part
    assert res.energy.dissipated.min() == 0.0 and (np.diff(res.energy.dissipated) > 0).all()


@pytest.mark.parametrize(("method", "order"), [("RK4", 4), ("DP5", 5), ("DP8", 8)])
def test_the_error_of_the_ledger_shrinks_with_the_order_of_the_method(method, order):
    model = everything().without("breeze", "cord")  # a function in Python is slow; a table is C² only
    coarse = {"RK4": 0.02, "DP5": 0.02, "DP8": 0.025}[method]

    def error(step: float) -> float:
        res = mbs.simulate(model, [0, 0.5, 1.0], MIXED_START, method=method, step=step, stabilization=mbs.Projection())
        return abs(float(res.energy.error[-1]))

    assert np.log2(error(coarse) / error(coarse / 2)) > order - (1 if method == "DP8" else 0.5)


def test_efforts_and_powers_add_up_to_what_was_supplied():
    """The powers of the elements over time, summed up, are what the ledger says."""
    model = everything().without("breeze", "strut", "coil", "twist", "mount")  # these both store and take out
    res = mbs.simulate(model, np.linspace(0, 1, 801), MIXED_START, **FINE)
    given = sum(res.power(name) for name in ("shake", "turn", "motor", "sway", "ram"))
    given += power_at(res, "jet", "plate.rim") + power_at(res, "gust", "plate.rim")
    given += res.reaction("gust")[:, 2] * res["plate.omega"]
    taken = -sum(res.power(name) for name in ("shock", "oil", "grease")) - power_at(res, "air", "bob.tip")
    for power, work in ((given, res.energy.supplied), (taken, res.energy.dissipated)):
        simpson = (res.t[2] - res.t[0]) / 6 * (power[:-2:2] + 4 * power[1:-1:2] + power[2::2])
        assert np.ptp(work) > 0.1
        assert np.cumsum(simpson) == pytest.approx(work[2::2], abs=1e-6)


def power_at(res: mbs.Result, force: str, marker: str) -> np.ndarray:
    """Force times velocity of the marker where it acts."""
    fx, fy, _ = res.reaction(force).T
    return fx * res[f"{marker}.vx"] + fy * res[f"{marker}.vy"]


# --- random mechanisms ------------------------------------------------------------------------------------------

random_chains = settings(max_examples=15, deadline=None, derandomize=True)


@dataclass
class Plan:
    """A chain of uniform bars, free in the plane; springs and rods that close loops; how it moves at first."""

    lengths: list[float]
    angles: list[float]
    masses: list[float]
    speeds: list[float]
    springs: list[tuple[int, int, float]] = field(default_factory=list)
    """Between the heads of two bars, with a stiffness."""
    closed: bool = False
    """Whether a rod holds the two ends of the chain together."""
    shift: list[tuple[float, float, float]] = field(default_factory=list)
    """Where the frame of each bar is put: aside and turned, in the axes of the bar."""

    def build(self, turn: float = 0.0, origin: tuple[float, float] = (0.0, 0.0), gravity: Any = (0, 0)) -> Any:
        model = mbs.PlanarModel("chain", gravity=rotated(turn, gravity))
        bars, (x, y) = [], (0.0, 0.0)
        ends = [(0.0, 0.0)]
        for k, (length, angle, mass) in enumerate(zip(self.lengths, self.angles, self.masses, strict=True)):
            sx, sy, alpha = self.shift[k] if self.shift else (0.0, 0.0, 0.0)
            dx, dy = length * cos(angle), length * sin(angle)
            middle = np.add((x + dx / 2, y + dy / 2), rotated(angle, (sx, sy)))
            place = np.add(rotated(turn, middle), origin)
            # the bar's middle, seen from its frame
            centre = rotated(-alpha, (-sx, -sy))
            body = model.body(
                f"bar{k}",
                mass=mass,
                inertia=mass * length**2 / 12,
                com=centre,
                position=tuple(place),
                angle=angle + alpha + turn,
            )
            half = rotated(-alpha, (length / 2, 0))
            body.marker("tail", *np.subtract(centre, half))
            body.marker("head", *np.add(centre, half))
            body.marker("middle", *centre)
            bars.append(body)
            x, y = x + dx, y + dy
            ends.append((x, y))
        for k in range(len(bars) - 1):
            model.add(mbs.Revolute(f"pin{k}", bars[k].head, bars[k + 1].tail))
        for n, (i, j, stiffness) in enumerate(self.springs):
            free = 0.8 * hypot(*np.subtract(ends[i + 1], ends[j + 1])) + 0.1
            model.add(mbs.Spring(f"spring{n}", bars[i].head, bars[j].head, stiffness=stiffness, length=free))
        if self.closed:
            model.add(mbs.Distance("rod", bars[0].tail, bars[-1].head))
        return model

    def start(self, model: mbs.PlanarModel) -> dict[str, float]:
        """Angular velocities; the bars of a closed chain get them at both ends only."""
        count = len(self.lengths)
        turning = [0] if self.closed and count < 4 else range(count - 1 if self.closed else count)
        return {f"bar{k}.omega": self.speeds[k] for k in turning}


def rotated(angle: float, vector: Any) -> tuple[float, float]:
    x, y = vector
    return cos(angle) * x - sin(angle) * y, sin(angle) * x + cos(angle) * y


@st.composite
def plans(draw, shifted: bool = False) -> Plan:
    count = draw(st.integers(2, 5))
    real = st.floats

    def several(low: float, high: float) -> list[float]:
        return [draw(real(low, high)) for _ in range(count)]

    bends = [draw(real(0.4, 1.0)) * draw(st.sampled_from([-1, 1])) for _ in range(count)]
    plan = Plan(several(0.3, 1.5), list(np.cumsum(bends)), several(0.2, 3.0), several(-2.0, 2.0))
    pairs = [(i, j) for i in range(count) for j in range(i + 2, count)]
    plan.springs = [(i, j, draw(real(1.0, 50.0))) for i, j in pairs if draw(st.booleans())]
    plan.closed = draw(st.booleans()) and count > 2
    if shifted:
        plan.shift = [(draw(real(-1, 1)), draw(real(-1, 1)), draw(real(-pi, pi))) for _ in range(count)]
    return plan


def momentum(res: mbs.Result, plan: Plan) -> np.ndarray:
    """Linear momentum and the angular one about the origin, over time: (3, times)."""
    total = np.zeros((3, len(res)))
    for k, (mass, length) in enumerate(zip(plan.masses, plan.lengths, strict=True)):
        x, y, vx, vy = (res[f"bar{k}.middle.{name}"] for name in ("x", "y", "vx", "vy"))
        spin = mass * length**2 / 12 * res[f"bar{k}.omega"]
        total += mass * np.stack([vx, vy, x * vy - y * vx]) + np.stack([0 * spin, 0 * spin, spin])
    return total


def scale_of(res: mbs.Result) -> float:
    """The energy that goes to and fro."""
    return float(np.abs(res.energy.kinetic).max() + np.ptp(res.energy.potential)) or 1.0


@random_chains
@given(plans())
def test_a_free_chain_keeps_energy_and_momentum(plan):
    model = plan.build()
    res = mbs.simulate(model, np.linspace(0, 1, 6), plan.start(model), **FINE)
    assert np.abs(res.energy.error).max() < 1e-8 * scale_of(res)
    change = momentum(res, plan)
    size = np.sqrt(2 * scale_of(res) * sum(plan.masses))
    assert np.abs(change - change[:, :1]).max() < 1e-8 * max(size, 1.0)


@random_chains
@given(plans(shifted=True), st.sampled_from(["DP8"]))
def test_a_motion_does_not_depend_on_where_the_frames_of_bodies_are(plan, method):
    """Offset centres of mass fill M, and bring centripetal forces; the points of the bars go the same way."""
    plain = Plan(**{**vars(plan), "shift": []})
    runs = []
    for one in (plan, plain):
        model = one.build(gravity=(1.0, -9.81))
        runs.append(mbs.simulate(model, np.linspace(0, 0.5, 4), plan.start(model), **FINE))
    assert_same_motion(*runs, plan, 0.0, (0.0, 0.0))


@random_chains
@given(plans(), st.floats(-pi, pi), st.tuples(st.floats(-5, 5), st.floats(-5, 5)))
def test_a_motion_turns_and_shifts_with_its_world(plan, turn, origin):
    gravity = (1.0, -9.81)
    model, other = plan.build(gravity=gravity), plan.build(turn, origin, gravity)
    times = np.linspace(0, 0.5, 4)
    first = mbs.simulate(model, times, plan.start(model), **FINE)
    second = mbs.simulate(other, times, plan.start(other), **FINE)
    assert_same_motion(second, first, plan, turn, origin)


def assert_same_motion(one: mbs.Result, other: mbs.Result, plan: Plan, turn: float, origin: Any) -> None:
    """`one` is `other`, turned and shifted: points, velocities, accelerations, forces in the pins."""
    for k in range(len(plan.lengths)):
        for end in ("tail", "head"):
            for x, y, at in (("x", "y", origin), ("vx", "vy", (0, 0)), ("ax", "ay", (0, 0))):
                found = np.stack([one[f"bar{k}.{end}.{name}"] for name in (x, y)])
                expected = np.stack([other[f"bar{k}.{end}.{name}"] for name in (x, y)])
                expected = np.stack(rotated(turn, expected)) + np.reshape(at, (2, 1))
                size = max(1.0, np.abs(expected).max())
                assert np.abs(found - expected).max() < 1e-9 * size, (k, end, x)
    for k in range(len(plan.lengths) - 1):
        found, expected = one.reaction(f"pin{k}").T[:2], other.reaction(f"pin{k}").T[:2]
        size = max(1.0, np.abs(expected).max())
        assert np.abs(found - np.stack(rotated(turn, expected))).max() < 1e-8 * size
    assert one.energy.kinetic == pytest.approx(other.energy.kinetic, rel=1e-8, abs=1e-8)
