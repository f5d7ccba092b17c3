"""What no mechanism in space may depend on, and what it must keep: the world's frame, the axes in which a body is
described, the direction of time; momentum, angular momentum and energy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import mbs_dae as mbs

INERTIA = np.array([[0.30, 0.02, 0.01], [0.02, 0.40, 0.03], [0.01, 0.03, 0.50]])


# --- mechanisms that can be built in any frame -----------------------------------------------------------------


@dataclass
class World:
    """A model whose places and directions are told in axes that stand anywhere in the world."""

    turn: np.ndarray
    shift: np.ndarray
    gravity: tuple = (0.6, -0.4, -4.0)

    def __post_init__(self):
        self.model = mbs.SpatialModel("anywhere", gravity=self.turn @ self.gravity)
        self.ground = self.model.ground

    def body(self, name: str, *position: float, angles=(0.0, 0.0, 0.0), mass=1.0, com=(0.1, -0.05, 0.08)):
        attitude = self.turn @ mbs.rotations.bryant(*angles)
        place = self.turn @ position + self.shift
        return self.model.body(name, mass, mass * INERTIA, com, place, attitude)

    def joint(self, cls: type, name: str, i: Any, j: Any, at, axis=(0, 0, 1), x_axis=(3, 2, 1), **constants: Any):
        frame = {"axis": self.turn @ axis, "x_axis": self.turn @ x_axis}
        return self.model.add(cls(name, i, j, at=self.turn @ at + self.shift, **frame, **constants))

    def point(self, body: Any, *place: float, axis=(0, 0, 1), x_axis=(1, 0, 0)):
        """A marker of a body at a place."""
        return body.at_world(self.turn @ place + self.shift, self.turn @ axis, self.turn @ x_axis)


def arm(w: World) -> dict[str, float]:
    a, b, c, d = (w.body(name, k, 0.1 * k, 0, angles=(0.2 * k, -0.1, 0.3)) for k, name in enumerate("abcd"))
    w.joint(mbs.Universal, "U", w.ground, a, (-0.5, 0, 0), (1, 0, 0.2), (0, 1, 0))
    w.joint(mbs.Prismatic, "P", a, b, (0.5, 0, 0), (1, 0.3, 0))
    w.joint(mbs.Cylindrical, "C", b, c, (1.5, 0, 0), (0, 1, 1))
    w.joint(mbs.Spherical, "S", c, d, (2.5, 0, 0))
    w.model.add(mbs.SpringDamper("pull", w.point(w.ground, 1, 1, 1), w.point(d, 3, 0, 0), stiffness=9, damping=0.3))
    return {"P.velocity": 0.4, "C.omega": 2.0, "C.velocity": -0.3}


def on_a_table(w: World) -> dict[str, float]:
    a, b, c, d = (w.body(name, 0.7 * k, 0, 0.4 * k, angles=(0.1, 0.2 * k, 0)) for k, name in enumerate("abcd"))
    w.joint(mbs.Planar, "table", w.ground, a, (0, 0, 0), (0, 0.2, 1))
    w.joint(mbs.Screw, "thread", a, b, (0.3, 0, 0), (1, 0, 1), pitch=0.5)
    w.joint(mbs.ConstantVelocity, "CV", b, c, (1, 0, 0.5), (1, 0, 0.3))
    w.joint(mbs.Fixed, "weld", c, d, (1.5, 0, 1))
    stiffness = (5, 5, 5, 0.2, 0.2, 0.2)
    w.model.add(mbs.Bushing("rubber", w.point(w.ground, 0, 0, 0), w.point(d, 2, 0, 1), stiffness=stiffness))
    return {"thread.omega": 3.0, "table.omega": 1.0}


def loop(w: World) -> dict[str, float]:
    """A crank that drives a rocker and a body on a cross by rods without mass: balls at both ends, and a pin at one."""
    crank, rocker, other = w.body("crank", 0, 0.3, 0), w.body("rocker", 2, 0.8, 0.5), w.body("other", 0.5, -1, 0.9)
    w.joint(mbs.Revolute, "A", w.ground, crank, (0, 0, 0), (0, 0, 1))
    w.joint(mbs.Revolute, "D", w.ground, rocker, (2, 0, 0.2), (1, 0, 0.4))
    w.joint(mbs.Universal, "E", w.ground, other, (0.6, -1.5, 0.3), (0.3, 1, 0))
    w.model.add(mbs.Distance("rod", w.point(crank, 0.1, 0.6, 0), w.point(rocker, 2, 1.5, 0.8)))
    across = np.cross((0, 1, 1), np.subtract((0.4, -0.7, 1.2), (0, 0.5, 0.1)))
    pinned = w.point(crank, 0, 0.5, 0.1, axis=across)
    w.model.add(mbs.RevoluteSpherical("arm", pinned, w.point(other, 0.4, -0.7, 1.2)))
    return {}


def guided(w: World) -> dict[str, float]:
    """A body with one point on a line and one in a plane, one that cuts, and a disk that rolls."""
    a, b, c = w.body("a", 0, 0, 0), w.body("b", 1, 1, 0.1), w.body("c", -1, 0.2, 0.5, angles=(1.3, 0, 0), com=(0, 0, 0))
    w.joint(mbs.PointOnLine, "slot", w.ground, a, (0.2, 0, 0), (1, 0.2, 0))
    w.joint(mbs.PointInPlane, "face", w.ground, a, (0, 0.4, 0.1), (0, 0.1, 1))
    w.joint(mbs.Planar, "ice", w.ground, b, (1, 1, 0), (0, 0, 1))
    w.joint(mbs.KnifeEdge, "blade", w.ground, b, (1.1, 1, 0), (0, 0, 1), (1, 0.5, 0))
    plane = w.point(w.ground, 0, 0, 0.5 - 0.4 * np.sin(1.3), axis=(0, 0, 1))
    w.model.add(mbs.RollingDisk("disk", plane, c.at(0, 0, 0), radius=0.4))
    return {"ice.omega": 1.5}


def geared(w: World) -> dict[str, float]:
    """Bevel gears, a rack that is driven by one of them, and a cam on the other that lifts a follower."""
    a, b = w.body("a", 0, 0, 0), w.body("b", 1, 0, 0)
    rack, follower = w.body("rack", 0, 0.5, 0), w.body("follower", 1.5, 0, 0)
    A = w.joint(mbs.Revolute, "A", w.ground, a, (0, 0, 0), (0, 0, 1), (1, 0, 0))
    B = w.joint(mbs.Revolute, "B", w.ground, b, (1, 0, 0), (0, 1, 0), (1, 0, 0))
    w.model.add(mbs.Gear("mesh", A, B, ratio=1.7))
    w.joint(mbs.Prismatic, "slide", w.ground, rack, (0, 0.5, 0), (1, 0, 0))
    w.model.add(mbs.RackAndPinion("teeth", w.point(a, 0, 0, 0), w.point(rack, 0, 0.5, 0), radius=0.5, side="below"))
    w.joint(mbs.Prismatic, "lift", w.ground, follower, (1.5, 0, 0), (1, 0, 0))
    profile = sp.Rational(1, 2) + (1 - sp.cos(mbs.theta)) / 10
    w.model.add(mbs.CamFollower("cam", B.markers[1], w.point(follower, 1.5, 0, 0), profile=profile))
    return {"A.omega": 4.0}


MECHANISMS: Mapping[str, Callable[[World], dict[str, float]]] = {
    f.__name__: f for f in (arm, on_a_table, loop, guided, geared)
}
TIMES = np.linspace(0, 0.6, 7)


def built(name: str, turn=None, shift=(0, 0, 0)) -> tuple[Any, dict[str, float]]:
    world = World(np.eye(3) if turn is None else turn, np.array(shift, dtype=float))
    start = MECHANISMS[name](world)
    return world.model, start


@cache
def at_home(name: str) -> mbs.Result:
    model, start = built(name)
    return mbs.simulate(model, TIMES, start, method="DP5", step=5e-3)


def test_every_joint_occurs_in_a_mechanism():
    """But for what holds a world coordinate."""
    there = {type(e).__name__ for name in MECHANISMS for e in built(name)[0].conditions}
    own = {c.__name__ for c in mbs.registered_joints() if c.__module__.startswith("mbs_dae.") and 3 in c.dimensions}
    assert there == own - {"CoordinateFix"}


@pytest.mark.parametrize("name", MECHANISMS)
def test_a_mechanism_moves_and_keeps_its_constraints(name):
    res = at_home(name)
    moved = max(np.ptp(res[f"{body}.{w}"]) for body in res.quantities.system.model.bodies for w in ("vx", "vy", "vz"))
    assert moved > 0.1
    assert res.violation.position.max() < 1e-6
    assert np.abs(res.energy.error).max() < 1e-5
    assert res.stats["redundant_equations"] == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", MECHANISMS)
@settings(max_examples=2, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10**6), shift=st.tuples(*[st.floats(-3, 3)] * 3))
def test_a_motion_turns_and_shifts_with_its_world(name, seed, shift):
    """Places, attitudes, velocities, reactions."""
    turn = Rotation.random(random_state=seed).as_matrix()
    model, start = built(name, turn, shift)
    here, there = at_home(name), mbs.simulate(model, TIMES, start, method="DP5", step=5e-3)
    tolerance = 1e-8 * (1 + np.linalg.norm(shift))

    def vectors(res: mbs.Result, body: str, *names: str) -> np.ndarray:
        return np.stack([res[f"{body}.{n}"] for n in names], axis=1)

    for body in model.bodies:
        placed = vectors(here, body, "x", "y", "z") @ turn.T + shift
        np.testing.assert_allclose(vectors(there, body, "x", "y", "z"), placed, atol=tolerance)
        np.testing.assert_allclose(there.rotation(body), turn @ here.rotation(body), atol=tolerance)
        for names in (("vx", "vy", "vz"), ("wx", "wy", "wz")):
            np.testing.assert_allclose(
                vectors(there, body, *names), vectors(here, body, *names) @ turn.T, atol=10 * tolerance
            )
    for element in model.elements:
        force, moment = (here.reaction(element)[:, k : k + 3] @ turn.T for k in (0, 3))
        expected = np.concatenate([force, moment], axis=1)
        scale = max(1.0, np.abs(expected).max())
        np.testing.assert_allclose(there.reaction(element), expected, atol=100 * tolerance * scale)


@pytest.mark.parametrize("name", MECHANISMS)
def test_reactions_move_the_bodies(name):
    """Newton and Euler about the world's origin, body by body: ṗ = ΣF + m g, L̇ = ΣM + c × m g, with the wrench of
    every joint and force on its second body, and its opposite on the first."""
    res = at_home(name)
    model = res.quantities.system.model
    gravity = np.array([float(g) for g in model.gravity])
    pushed = {body: np.zeros((len(res.t), 6)) for body in [*model.bodies, "ground"]}
    for element in model.elements.values():
        if element.name == "mesh":  # a gear acts on three bodies
            continue
        wrench = res.wrench(element.name)
        pushed[element.markers[1].body.name] += wrench
        pushed[element.markers[0].body.name] -= wrench
    for name, body in model.bodies.items():
        if "mesh" in model.elements and name in "ab":
            continue
        c, change, alpha, omega = centre(res, name)
        A = res.rotation(name)
        inertia = np.einsum("tij,jk,tlk->til", A, np.array(body.inertia, dtype=float), A)
        spin = np.einsum("tij,tj->ti", inertia, alpha) + np.cross(omega, np.einsum("tij,tj->ti", inertia, omega))
        push = body.mass * (change - gravity)
        scale = max(1.0, np.abs(pushed[name]).max())
        np.testing.assert_allclose(pushed[name][:, 3:], push, atol=1e-9 * scale)
        np.testing.assert_allclose(pushed[name][:, :3], spin + np.cross(c, push), atol=1e-9 * scale)


def centre(res: mbs.Result, name: str) -> tuple[np.ndarray, ...]:
    """Place and acceleration of the centre of mass, angular acceleration and velocity, in world axes."""
    place, change, alpha, omega = (
        np.stack([res[f"{name}.{n}"] for n in names], axis=1)
        for names in (("x", "y", "z"), ("ax", "ay", "az"), ("alphax", "alphay", "alphaz"), ("wx", "wy", "wz"))
    )
    com = res.quantities.system.model.bodies[name].com
    lever = res.rotation(name) @ np.array([float(x) for x in com])
    change = change + np.cross(alpha, lever) + np.cross(omega, np.cross(omega, lever))
    return place + lever, change, alpha, omega


# --- what a free chain keeps ------------------------------------------------------------------------------------


def floating() -> mbs.SpatialModel:
    """Four bodies that hold on to each other, and to nothing else."""
    w = World(np.eye(3), np.zeros(3), gravity=(0, 0, 0))
    a, b, c, d = (w.body(n, k, 0.2 * k, 0, angles=(0.3 * k, 0.1, 0), mass=1 + k / 3) for k, n in enumerate("abcd"))
    w.joint(mbs.Spherical, "S", a, b, (0.5, 0, 0))
    w.joint(mbs.Universal, "U", b, c, (1.5, 0, 0), (1, 0, 0), (0, 1, 0))
    w.joint(mbs.Revolute, "R", c, d, (2.5, 0, 0), (1, 2, 2))
    return w.model


FLING = {"R.omega": 3.0, "a.wx": 1.0, "a.wy": -2.0, "a.wz": 0.5, "b.wx": 0.4, "b.wy": 1.0, "b.wz": -1.5, "a.vx": 0.3}


def moments(res: mbs.Result) -> tuple[np.ndarray, np.ndarray]:
    """Momentum, and angular momentum about the common centre of mass, in world axes."""
    parts = []
    for name, body in res.quantities.system.model.bodies.items():
        place, velocity, omega = (
            np.stack([res[f"{name}.{n}"] for n in names], axis=1)
            for names in (("x", "y", "z"), ("vx", "vy", "vz"), ("wx", "wy", "wz"))
        )
        A = res.rotation(name)
        lever = A @ np.array([float(x) for x in body.com])
        spin = np.einsum("tij,jk,tlk,tl->ti", A, np.array(body.inertia, dtype=float), A, omega)
        parts.append((body.mass, place + lever, velocity + np.cross(omega, lever), spin))
    total = sum(m for m, *_ in parts)
    middle = sum(m * c for m, c, _, _ in parts) / total
    momentum = sum(m * v for m, _, v, _ in parts)
    return momentum, sum(m * np.cross(c - middle, v) + spin for m, c, v, spin in parts)


@pytest.mark.parametrize("stabilization", [mbs.Baumgarte(), mbs.Projection(), mbs.Unstabilized()], ids=str)
def test_a_free_chain_keeps_momentum_angular_momentum_and_energy(stabilization):
    res = mbs.simulate(floating(), np.linspace(0, 3, 31), FLING, rtol=1e-10, stabilization=stabilization)
    momentum, angular = moments(res)
    assert np.linalg.norm(momentum[0]) > 0.3 and np.linalg.norm(angular[0]) > 1
    assert np.ptp(res["a.wx"]) > 0.3
    np.testing.assert_allclose(momentum, np.tile(momentum[0], (len(res.t), 1)), atol=1e-8)
    np.testing.assert_allclose(angular, np.tile(angular[0], (len(res.t), 1)), atol=1e-7)
    np.testing.assert_allclose(res.energy.kinetic, res.energy.kinetic[0], rtol=1e-7)


# --- a body in other axes --------------------------------------------------------------------------------------


def swinging(turn: np.ndarray, shift: np.ndarray) -> mbs.SpatialModel:
    """A pendulum of two bodies; the frame of the first is turned and shifted against what it was."""
    model = mbs.SpatialModel("pendulum", gravity=(0, 0, -9.81))
    com, attitude, place = np.array([0.2, -0.1, 0.3]), mbs.rotations.bryant(0.2, 0.5, -0.3), np.array([0.5, 0, 0])
    a = model.body("a", 1.4, turn.T @ INERTIA @ turn, turn.T @ (com - shift), place + attitude @ shift, attitude @ turn)
    b = model.body("b", 0.7, 0.2 * INERTIA, (0, 0.1, 0), position=(1.5, 0, 0))
    model.add(mbs.Spherical("S", model.ground, a, at=(0, 0, 0)), mbs.Revolute("R", a, b, at=(1, 0, 0), axis=(0, 1, 1)))
    return model


@pytest.mark.parametrize("seed", range(3))
def test_a_body_moves_alike_whatever_axes_describe_it(seed):
    turn, shift = Rotation.random(random_state=seed).as_matrix(), np.random.default_rng(seed).uniform(-1, 1, 3)
    start = {"R.omega": 2.0, "a.wx": 0.5, "a.wy": 0.0, "a.wz": 3.0}
    times = np.linspace(0, 1, 11)
    one, other = (
        mbs.simulate(swinging(*frame), times, start, rtol=1e-11) for frame in ((np.eye(3), np.zeros(3)), (turn, shift))
    )
    for x, y in zip(centre(one, "a"), centre(other, "a"), strict=True):
        np.testing.assert_allclose(y, x, atol=1e-7)
    np.testing.assert_allclose(other.rotation("a") @ turn.T, one.rotation("a"), atol=1e-8)
    np.testing.assert_allclose(other.energy.kinetic, one.energy.kinetic, atol=1e-7)
    np.testing.assert_allclose(other.reaction("S"), one.reaction("S"), atol=1e-6)


# --- numbers ----------------------------------------------------------------------------------------------------

METHODS = ["RK4", "DP5", "DP8"]
STABILISATIONS = [mbs.Baumgarte(), mbs.Projection(), mbs.Unstabilized()]


@pytest.mark.parametrize("name", ["loop", "arm"])
def test_a_motion_runs_backwards(name):
    """With all velocities turned round a mechanism without friction goes back to where it came from."""
    model, start = built(name)
    model = model.without(*(e for e in ("pull",) if e in model.elements))
    forth = mbs.simulate(model, TIMES, start, rtol=1e-11)
    end = forth.state()
    back = mbs.simulate(model, end.t + TIMES, replace(end, full_v=-end.full_v), rtol=1e-11)
    for body in model.bodies:
        np.testing.assert_allclose(back.rotation(body), forth.rotation(body)[::-1], atol=1e-7)
        for quantity, sign in (("x", 1), ("y", 1), ("z", 1), ("vx", -1), ("wx", -1), ("wz", -1)):
            np.testing.assert_allclose(back[f"{body}.{quantity}"], sign * forth[f"{body}.{quantity}"][::-1], atol=1e-6)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("stabilization", STABILISATIONS, ids=str)
def test_quaternions_stay_of_unit_length(method, stabilization):
    """Without an equation that says so."""
    step = {"step": 0.01} if method == "RK4" else {}
    res = mbs.simulate(
        floating(), np.linspace(0, 2, 21), FLING, method=method, stabilization=stabilization, rtol=1e-6, **step
    )
    for body in "abcd":
        assert np.abs(np.linalg.norm(res.quaternion(body), axis=1) - 1).max() < 4e-16
        assert np.abs(np.einsum("tij,tik->tjk", *[res.rotation(body)] * 2) - np.eye(3)).max() < 2e-15


def top() -> mbs.SpatialModel:
    """A heavy body on a ball joint, its centre of mass anywhere."""
    model = mbs.SpatialModel("top", gravity=(0, 0, -9.81))
    body = model.body("b", 1.0, (0.1, 0.2, 0.15), com=(0.2, 0.1, 0.3))
    model.add(mbs.Spherical("S", model.ground, body))
    return model


SPIN = {"b.wx": 1.0, "b.wy": -2.0, "b.wz": 6.0}


@cache
def exact_end() -> np.ndarray:
    res = mbs.simulate(top(), [0, 0.5], SPIN, method="DP8", step=5e-4, stabilization=mbs.Projection())
    return np.append(res.rotation("b")[-1], res.v[-1])


@pytest.mark.parametrize(
    ("method", "order", "steps"), [("RK4", 3.9, (16, 64)), ("DP5", 4.8, (16, 64)), ("DP8", 7.5, (3, 6))]
)
def test_methods_have_their_order_in_space(method, order, steps):
    errors = []
    for count in steps:
        res = mbs.simulate(top(), [0, 0.5], SPIN, method=method, step=0.5 / count, stabilization=mbs.Projection())
        errors.append(np.abs(np.append(res.rotation("b")[-1], res.v[-1]) - exact_end()).max())
    assert 1e-12 < errors[1] < errors[0] < 0.1
    assert np.log(errors[0] / errors[1]) / np.log(steps[1] / steps[0]) >= order


@pytest.mark.parametrize("name", MECHANISMS)
def test_projection_does_not_drift(name):
    model, start = built(name)
    res = mbs.simulate(model, np.linspace(0, 1, 6), start, stabilization=mbs.Projection(), rtol=1e-6)
    assert res.violation.position.max() < 1e-12
    assert res.violation.velocity.max() < 1e-11
