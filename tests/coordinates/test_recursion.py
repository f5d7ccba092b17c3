"""Recursion along a tree of joints: bodies from joint coordinates, R and its rate, and the way back."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from helpers import four_bar, slider_crank
from interpreted import Core
from recursion_oracle import Chain, poses, shifted
from stage import turned_at_random

import mbs_dae as mbs
from mbs_dae.coordinates import body_coordinates
from mbs_dae.coordinates.joint.recursion import (
    fold,
    fold_acceleration,
    fold_velocity,
    unfold,
    unfold_acceleration,
    unfold_bodies,
)
from mbs_dae.coordinates.joint.tree import no_tree, tree_of
from mbs_dae.coordinates.joint.tree_steps import freedoms
from mbs_dae.model.joints.motions import Ball, Helix, Slide, Turn

KINDS = {
    2: [mbs.Revolute, mbs.Translational, mbs.Fixed, mbs.PinInSlot, None],
    3: [
        *(mbs.Revolute, mbs.Translational, mbs.Fixed, mbs.Cylindrical, mbs.Screw, mbs.Universal, mbs.Spherical),
        *(mbs.Planar, mbs.PointOnLine, mbs.PointInPlane, None),
    ],
}
"""Every joint that can stand in a tree; None: the body floats."""
CASES = [(dimension, seed) for dimension in (2, 3) for seed in range(6)]


def random_tree(dimension: int, seed: int) -> mbs.PlanarModel | mbs.SpatialModel:
    """Twice every kind of joint, in any order, with either body first, each from a new body to the ground or to any
    body that is there already. Bodies are said in another order than they hang."""
    random = np.random.default_rng([dimension, seed])
    model = (mbs.PlanarModel if dimension == 2 else mbs.SpatialModel)(f"tree {seed}")
    kinds = [kind for k in random.permutation(2 * len(KINDS[dimension])) for kind in [(2 * KINDS[dimension])[k]]]
    bodies = {}
    for k in random.permutation(len(kinds)):
        turned = {"angle": random.uniform(-3, 3)} if dimension == 2 else {"rotation": turned_at_random(random)}
        bodies[k] = model.body(f"b{k}", mass=1, inertia=1, position=random.uniform(-1, 1, dimension), **turned)

    def marker(body):
        turned = {"angle": random.uniform(-3, 3)} if dimension == 2 else {"rotation": turned_at_random(random)}
        return body.at(*random.uniform(-1, 1, dimension), **turned)

    for k, kind in enumerate(kinds):
        if kind is not None:
            pair = [
                marker(bodies[k]),
                marker(bodies[random.integers(k)] if k and random.random() < 0.9 else model.ground),
            ]
            more = {"pitch": random.uniform(0.1, 0.5)} if kind is mbs.Screw else {}
            model.add(kind(f"J{k}", *(pair[:: random.choice([-1, 1])]), **more))
    return model


class Moving:
    """A tree in a random pose, moving and accelerating at random; `unfolded`."""

    def __init__(self, model, seed: int = 0):
        random = np.random.default_rng([7, seed])
        self.model, self.number = model, model.evaluator()
        self.topology = mbs.topology(model)
        self.dimension = model.dimension
        self.coordinates = body_coordinates(self.dimension)
        self.layout = self.coordinates(model).layout
        self.tree = tree_of(self.topology, self.number, self.layout)
        self.freedoms = freedoms(self.topology)
        self.nq, self.nv = self.freedoms[-1].q_end, self.freedoms[-1].v_end
        self.q = np.zeros(self.nq + 3 * len(self.tree.turns))
        self.q[: self.nq] = random.uniform(-3, 3, self.nq)
        for freedom in self.freedoms:
            own = slice(freedom.q, freedom.q_end)
            if isinstance(freedom.motion, Ball):
                self.q[own] /= np.linalg.norm(self.q[own])
            elif isinstance(freedom.motion, Helix):
                self.q[own] = reference_angle(freedom.edge.joint, self.number) + random.uniform(-2, 2)
        self.v, self.a = random.uniform(-2, 2, (2, self.nv))
        self.unfold()

    def unfold(self):
        self.qc, self.vc, self.ac = np.zeros(self.layout.q_size), *np.zeros((2, self.layout.v_size))
        self.qc[list(self.layout.q[self.model.ground])] = self.coordinates.at_rest
        unfold(self.tree, self.q, self.v, self.qc, self.vc)
        unfold_acceleration(self.tree, self.a, self.ac)

    def poses(self, q=None) -> dict[str, np.ndarray]:
        return poses(self.topology, self.number, self.q if q is None else q)

    def at(self, t: float) -> np.ndarray:
        """The coordinates a little later."""
        step = self.v * t + self.a * t**2 / 2
        return np.append(shifted(self.topology, self.q[: self.nq], step).real, self.q[self.nq :])

    def body_velocities(self, q, v) -> np.ndarray:
        """Those of all bodies, by a complex step along v."""
        h = 1e-20
        moved, found = self.poses(shifted(self.topology, q[: self.nq], 1j * h * v)), np.zeros(self.layout.v_size)
        for name, body in self.model.bodies.items():
            H = moved[name]
            W = H.real[:3, :3].T @ H.imag[:3, :3] / h
            linear, turning = H.imag[:3, 3] / h, np.array([W[2, 1], W[0, 2], W[1, 0]])
            own = [*linear, *turning] if self.dimension == 3 else [*linear[:2], turning[2]]
            found[list(self.layout.v[body])] = own
        return found

    @property
    def R(self) -> np.ndarray:
        """What a unit of each velocity gives all bodies."""
        qc, columns = self.qc.copy(), np.zeros((self.nv, self.layout.v_size))
        for unit, column in zip(np.eye(self.nv), columns, strict=True):
            unfold(self.tree, self.q, unit, qc, column)
        unfold(self.tree, self.q, self.v, qc, np.zeros(self.layout.v_size))
        return columns.T

    @property
    def R_rate(self) -> np.ndarray:
        """By differences."""
        h, sides = 1e-5, []
        for t in (-h, h):
            later = Moving.__new__(Moving)
            later.__dict__.update(self.__dict__, q=self.at(t), v=self.v + self.a * t)
            sides.append(later.R)
        return (sides[1] - sides[0]) / (2 * h)


def reference_angle(joint, number) -> float:
    """The angle from the x axis of the first marker to that of the second, in the reference placement."""

    def axes(marker) -> np.ndarray:
        on_body, in_world = ([[number(n) for n in row] for row in R] for R in (marker.axes, marker.body.rotation))
        return (np.array(in_world) @ on_body).T

    (xi, yi, _), (xj, _, _) = map(axes, joint.markers)
    return np.arctan2(yi @ xj, xi @ xj)


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0]}D {case[1]}")
def moving(request) -> Moving:
    return Moving(random_tree(*request.param), request.param[1])


# --- from joints to bodies --------------------------------------------------------------------------------------


def test_bodies_are_where_the_joints_put_them(moving):
    for name, H in moving.poses().items():
        if name == "ground":
            continue
        own = moving.qc[list(moving.layout.q[moving.model.bodies[name]])]
        if moving.dimension == 2:
            A, r = np.array([[np.cos(own[2]), -np.sin(own[2])], [np.sin(own[2]), np.cos(own[2])]]), own[:2]
        else:
            assert np.linalg.norm(own[3:7]) == pytest.approx(1, abs=1e-15)
            A, r = mbs.rotations.from_quaternion(own[3:7]), own[:3]
        size = len(r)
        np.testing.assert_allclose(A, H.real[:size, :size], atol=1e-12)
        np.testing.assert_allclose(r, H.real[:size, 3], atol=1e-12)


def test_bodies_move_as_the_joints_do(moving):
    np.testing.assert_allclose(moving.vc, moving.body_velocities(moving.q, moving.v), atol=1e-11)


def test_bodies_accelerate_as_the_joints_do(moving):
    h = 1e-5
    before, after = (moving.body_velocities(moving.at(t), moving.v + moving.a * t) for t in (-h, h))
    np.testing.assert_allclose(moving.ac, (after - before) / (2 * h), atol=1e-8 * np.abs(moving.ac).max())


def test_the_columns_of_R_are_what_each_velocity_does(moving):
    R = moving.R
    for c, unit in enumerate(np.eye(moving.nv)):
        np.testing.assert_allclose(R[:, c], moving.body_velocities(moving.q, unit), atol=1e-12)
    np.testing.assert_allclose(R @ moving.v, moving.vc, atol=1e-13 * np.abs(moving.vc).max())


def test_without_acceleration_the_rate_of_R_is_left(moving):
    bias, rate = np.zeros_like(moving.ac), moving.R_rate
    unfold(moving.tree, moving.q, moving.v, moving.qc, moving.vc)
    unfold_acceleration(moving.tree, np.zeros(moving.nv), bias)
    np.testing.assert_allclose(bias, moving.ac - moving.R @ moving.a, atol=1e-12 * np.abs(moving.ac).max())
    np.testing.assert_allclose(bias, rate @ moving.v, atol=1e-8 * max(np.abs(bias).max(), np.abs(rate).max()))


@pytest.mark.parametrize("dimension", [2, 3])
def test_the_joints_hold_in_every_pose(dimension):
    """Φ, Φ_v R, and γ, of every kind of joint, as its own equations see them."""
    moving = Moving(random_tree(dimension, 0))
    moving.q[moving.nq :] = 0.0  # a screw counts from the placement
    moving.unfold()
    system = moving.model.compile()
    motion = (x[None] for x in (moving.qc, moving.vc, moving.ac))
    for level in system.read_constraints(np.zeros(1), *motion):
        assert np.abs(level).max() < 1e-11
    product = system.jacobian(0.0, moving.qc) @ moving.R[: system.nv]
    assert np.abs(product).max() < 1e-12


# --- explicit sums ----------------------------------------------------------------------------------------------


def chain_and_model(dimension: int, seed: int):
    """A tree of pins twice: as numbers for the explicit sums, and as a model whose bodies have their frames in their
    centres of mass. With the sign of each pin's angle: -1 where the child is said first."""
    random = np.random.default_rng([3, dimension, seed])
    model = (mbs.PlanarModel if dimension == 2 else mbs.SpatialModel)("pins")
    chain, bodies, signs = Chain([0], [np.eye(3)], [np.zeros(3)], [np.zeros(3)], [np.zeros(3)]), [model.ground], [0]
    for i in range(1, 9):
        parent = int(random.integers(i))
        d, s = random.uniform(-1, 1, (2, 3))
        if dimension == 2:
            d[2] = s[2] = 0.0
            turns = random.uniform(-3, 3, 2)
            M, N = (mbs.rotations.about_z(turn) for turn in turns)
            frames = [{"angle": turn} for turn in turns]
        else:
            M, N = (mbs.rotations.from_quaternion(turned_at_random(random)) for _ in "ij")
            frames = [{"rotation": M}, {"rotation": N}]
        body = model.body(f"b{i}", mass=1, inertia=1)
        body.marker("p", *np.linspace(0.2, 0.5, dimension))
        body.marker("pin", *(-s)[:dimension])
        pair = [
            bodies[parent].at(*(d - chain.s[parent])[:dimension], **frames[0]),
            body.at(*(-s)[:dimension], **frames[1]),
        ]
        signs.append(int(random.choice([-1, 1])))
        model.add(mbs.Revolute(f"P{i}", *pair[:: signs[-1]]))
        bodies.append(body)
        for values, value in zip(
            (chain.parent, chain.C0, chain.g, chain.d, chain.s), (parent, M @ N.T, N[:, 2], d, s), strict=True
        ):
            values.append(value)
    return chain, model, np.array(signs), random.uniform(-3, 3, (3, 9))


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_recursion_equals_the_explicit_sums(dimension, seed):
    """Recursive and explicit forms are the same numbers: eqs. 1-20 for bodies, 21-27 for markers and directions.

    The sums are read with the index α throughout. Eq. 16 is printed with the index i in its last term,
    Σ (g_α θ̈_α + ω_ip × g_i θ̇_i); with three pins on different axes that is another number than that of the recursion,
    eq. 15 (below). Eqs. 19 and 20 are printed as they must be. Where a sum follows a term of the root, it begins behind
    the root's own pin.
    """
    chain, model, signs, (theta, rate, acceleration) = chain_and_model(dimension, seed)
    explicit = chain.motion(theta, rate, acceleration)
    levels = [
        {f"P{i}.{w}": signs[i] * x[i] for i in range(1, 9)}
        for w, x in zip(("angle", "omega", "alpha"), (theta, rate, acceleration), strict=True)
    ]
    found = mbs.recursive_kinematics(model, *levels)
    size = 3 if dimension == 3 else 2

    def close(a, b):
        np.testing.assert_allclose(a, b, atol=1e-12 * max(1.0, np.abs(b).max()))

    for i in range(1, 9):
        name = f"b{i}"
        close(found.attitude[name], explicit.C[i][:size, :size])
        turning = (slice(None),) if dimension == 3 else (2,)
        close(found.angular_velocity[name], explicit.omega[i][turning])
        close(found.angular_acceleration[name], explicit.domega[i][turning])
        placed = (found.position, found.velocity, found.acceleration)
        for values, value in zip(placed, (explicit.r[i], explicit.dr[i], explicit.ddr[i]), strict=True):
            close(values[name], value[:size])
        p = np.append(np.linspace(0.2, 0.5, dimension), np.zeros(3 - dimension))
        for values, value in zip(placed, explicit.point(i, chain.s[i] + p), strict=True):
            close(values[f"{name}.p"], value[:size])
        pin = (explicit.eta[i], explicit.deta[i], explicit.ddeta[i])
        for values, value in zip(placed, pin, strict=True):
            close(values[f"{name}.pin"], value[:size])
        if dimension == 3:
            u, du, ddu = explicit.direction(i, np.array([1.0, 0.0, 0.0]))
            w, dw = found.angular_velocity[name], found.angular_acceleration[name]
            axis = found.attitude[name][:, 0]
            close(axis, u)
            close(np.cross(w, axis), du)
            close(np.cross(dw, axis) + np.cross(w, np.cross(w, axis)), ddu)
    if dimension == 3:
        deep = max(range(1, 9), key=lambda i: len(chain.way(i)))
        printed = chain.turning_as_printed(explicit, theta, rate, acceleration, deep)
        assert len(chain.way(deep)) > 2
        assert np.abs(printed - explicit.domega[deep]).max() > 0.1


# --- from bodies to joints --------------------------------------------------------------------------------------


def test_the_way_back(moving):
    """Coordinates from poses: angles next to those on entry, signs of quaternions too, hidden turns as they are."""
    moving.q[moving.nq :] = np.linspace(0, 50, moving.q.size - moving.nq)
    start = np.zeros_like(moving.q)
    for freedom in moving.freedoms:
        own = slice(freedom.q, freedom.q_end)
        if isinstance(freedom.motion, Turn | Helix):
            moving.q[own] += 20 * np.pi
            start[own] = moving.q[own] + 3.0
        elif isinstance(freedom.motion, Ball):
            start[own] = moving.q[own] + 0.2
    moving.unfold()
    fold(moving.tree, moving.qc, start)
    np.testing.assert_allclose(start, moving.q, atol=1e-12)
    v, a = np.zeros((2, moving.nv))
    fold_velocity(moving.tree, moving.vc, v)
    fold_acceleration(moving.tree, moving.ac, a)
    np.testing.assert_allclose(v, moving.v, atol=1e-12 * np.abs(moving.vc).max())
    np.testing.assert_allclose(a, moving.a, atol=1e-12 * np.abs(moving.ac).max())


def test_a_ball_keeps_its_side():
    model = mbs.SpatialModel("ball")
    body = model.body("b", mass=1, inertia=1)
    model.add(mbs.Spherical("S", model.ground.at(0, 0, 0), body.at(0, 0, 1)))
    moving = Moving(model)
    for side in (1, -1):
        q = side * moving.q
        fold(moving.tree, moving.qc, q)
        np.testing.assert_allclose(q, side * moving.q, atol=1e-15)


def test_angles_in_the_plane_count_exactly():
    """φ is a sum, without digits lost to whole turns, whatever angle the search begins at."""
    model = mbs.PlanarModel("pins")
    last = model.ground
    for k in range(4):
        body = model.body(f"b{k}", mass=1, inertia=1)
        pair = [last.at(1, 0), body.at(-1, 0)]
        model.add(mbs.Revolute(f"P{k}", *(pair[:: (-1) ** k])))
        last = body
    moving = Moving(model)
    moving.q[:] = [1000.0, 1.0, 2000.0, 3.0]
    moving.unfold()
    assert [moving.qc[3 * k + 2] for k in range(4)] == [1000.0, 999.0, 2999.0, 2996.0]
    q = np.zeros(4)
    fold(moving.tree, moving.qc, q)
    assert [*q] == [1000.0, 1.0, 2000.0, 3.0]


@pytest.mark.parametrize("build", [slider_crank, four_bar], ids=lambda build: build.__name__)
def test_an_assembled_loop_folds_into_its_tree(build):
    """Of a mechanism with loops the tree alone is asked; its bodies stand and move as the joints of the tree say."""
    moving = Moving(build())
    state = mbs.assemble(moving.model)
    q, v, a = moving.q.copy(), np.zeros(moving.nv), np.zeros(moving.nv)
    fold(moving.tree, state.full_q, q)
    unfold(moving.tree, q, moving.v, moving.qc, moving.vc)  # the pose, for what follows
    fold_velocity(moving.tree, state.full_v, v)
    unfold(moving.tree, q, v, moving.qc, moving.vc)
    fold_acceleration(moving.tree, state.full_a, a)
    unfold_acceleration(moving.tree, a, moving.ac)
    for found, wanted in zip(
        (moving.qc, moving.vc, moving.ac), (state.full_q, state.full_v, state.full_a), strict=True
    ):
        np.testing.assert_allclose(found, wanted, atol=1e-10)


# --- the arrays -------------------------------------------------------------------------------------------------


def test_no_tree_has_no_body():
    tree = no_tree()
    nothing = np.zeros(0)
    unfold(tree, nothing, nothing, nothing, nothing)
    unfold_acceleration(tree, nothing, nothing)
    fold(tree, nothing, nothing)
    assert tree.body_frame.size == 0


@pytest.mark.parametrize(
    "motions",
    [
        (Slide(2), Turn(2), Slide(0)),
        (Turn(0), Slide(2), Turn(1)),
        (Slide(0), Slide(0)),
        (Turn(0), Turn(0)),
        (Turn(0), Turn(1), Turn(2)),
        (Turn(0), Ball()),
    ],
)
def test_motions_that_cannot_be_told_apart_are_refused(motions, monkeypatch):
    model = mbs.SpatialModel("odd")
    model.add(mbs.Spherical("S", model.ground.at(0, 0, 0), model.body("b", mass=1, inertia=1).at(0, 0, 1)))
    monkeypatch.setattr(mbs.Spherical, "motions", {3: motions})
    with pytest.raises(mbs.ModelError) as raised:
        freedoms(mbs.topology(model))
    assert str(raised.value) == (
        "Spherical 'S' declares motions that a tree cannot tell apart; let slides along different axes be neighbours, "
        "and turns about two different axes at most, or one ball; or declare no motions"
    )


def test_work_grows_with_the_number_of_bodies_alone(monkeypatch):
    """Each body takes as many lines of the code as the one before it. The core is run by Python, which counts them; but
    for kernels, which are run once for each body."""
    Core(monkeypatch)

    def chain(count: int) -> Moving:
        model = mbs.SpatialModel("chain")
        last = model.ground
        for k in range(count):
            body = model.body(f"b{k}", mass=1, inertia=1)
            model.add(mbs.Revolute(f"P{k}", last.at(0.5, 0.1, 0), body.at(-0.5, 0, 0, axis=(0, 0.6, 0.8))))
            last = body
        return Moving(model)

    def once(m: Moving):
        assert m.tree.steps.counts.sum() == len(m.model.bodies)
        unfold_acceleration(m.tree, m.a, m.ac)
        fold(m.tree, m.qc, m.q)
        fold_velocity(m.tree, m.vc, m.v)
        fold_acceleration(m.tree, m.ac, m.a)

    def lines(m: Moving) -> int:
        seen = 0

        def trace(frame, event, argument):
            nonlocal seen
            seen += event == "line"
            return trace

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            once(m)
        finally:
            sys.settrace(before)
        return seen

    few, some, many = (lines(chain(count)) for count in (10, 20, 40))
    assert few > 1000
    assert many - some == 2 * (some - few)


@pytest.mark.parametrize(("dimension", "seed"), CASES)
def test_bodies_alone_are_those_of_all_frames(dimension, seed):
    """One kernel for all steps of an edge leaves what kernels of single steps leave."""
    one = Moving(random_tree(dimension, seed), seed)
    fields = ("bias", "twist", "arm")
    whole = {name: getattr(one.tree, name).copy() for name in fields} | {"qc": one.qc.copy(), "vc": one.vc.copy()}
    frames = one.tree.A[one.tree.body_frame].copy()
    alone = Moving.__new__(Moving)
    alone.__dict__.update(one.__dict__, tree=tree_of(one.topology, one.number, one.layout))
    alone.qc, alone.vc = np.zeros_like(one.qc), np.zeros_like(one.vc)
    alone.qc[list(one.layout.q[one.model.ground])] = one.coordinates.at_rest
    unfold_bodies(alone.tree, alone.q, alone.v, alone.qc, alone.vc)
    found = {name: getattr(alone.tree, name) for name in fields} | {"qc": alone.qc, "vc": alone.vc}
    for name, values in whole.items():
        assert np.allclose(found[name], values, rtol=1e-11, atol=1e-11 * np.abs(values).max()), name
    assert np.allclose(alone.tree.A[alone.tree.body_frame], frames, atol=1e-13)
