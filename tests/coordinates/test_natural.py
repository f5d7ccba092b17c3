"""Natural coordinates: the physics of points and vectors, what bodies share, and the way to bodies and back.

What markers, masses and forces are in natural coordinates is held against Cartesian coordinates, which the contracts
of joints and forces hold against a differentiation that shares nothing with them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from zlib import crc32

import numpy as np
import pytest
from covering import covering, parts_of_a_contract
from gallery import NAMES, load
from helpers import evaluated_loads, four_bar, slider_crank, three_cranks
from refusals import refused
from stage import WORDS, Motion, motions, turned_at_random
from test_force_contract import cases as force_cases
from test_joint_contract import CONSTRAINTS, DRIVERS, JOINTS, POSES, constraint_case, driver_case, joint_case, pose_case

import mbs_dae as mbs
from mbs_dae.coordinates.natural.skeleton import POINT, VECTOR, Skeleton, Thing

IN_BOTH = pytest.mark.parametrize("dimension", [2, 3], ids=WORDS.get)


def model_in(dimension: int, name: str = "model", **options: Any) -> Any:
    return (mbs.PlanarModel if dimension == 2 else mbs.SpatialModel)(name, **options)


def counted(model: Any) -> tuple[int, int]:
    """Unknowns and equations."""
    system = model.compile("natural")
    return system.nv, len(system.rows)


def freedom(system: Any, q: np.ndarray) -> int:
    jacobian = system.jacobian(0.0, q).toarray()
    return system.nv - (np.linalg.matrix_rank(jacobian, tol=1e-9 * np.abs(jacobian).max()) if jacobian.size else 0)


def gaps(system: Any) -> np.ndarray:
    """Φ at the placement."""
    still = system.still[None]
    return system.read_constraints(np.zeros(1), system.placement[None], still, still)[0][0]


# --- energies: bodies of every layout --------------------------------------------------------------------------

INERTIAS = {
    "a body": (2.0, (0.7, 0.9, 1.1)),
    "a body askew": (2.0, [[0.7, 0.1, -0.05], [0.1, 0.9, 0.02], [-0.05, 0.02, 1.1]]),
    "a rod": (2.0, (0.0, 0.9, 0.9)),
    "a lamina": (2.0, (0.4, 0.5, 0.9)),
    "a point mass": (2.0, (0.0, 0.0, 0.0)),
    "nothing": (0.0, (0.0, 0.0, 0.0)),
}
COMS = {"centred": (0.0, 0.0, 0.0), "offset": (0.3, -0.2, 0.5)}


def carried(dimension: int, points: int, vectors: int, inertia: str, com: str) -> Any:
    """A body that shares so many points and vectors with others, which are welded to nothing."""
    model = model_in(dimension, "carried", gravity=(0.8, -9.81, 0.3)[:dimension])
    random = np.random.default_rng(points)
    mass, moments = INERTIAS[inertia]
    body = {"mass": mass, "com": COMS[com][:dimension]}
    if dimension == 2:
        inertia_of_all = moments[2] if isinstance(moments, tuple) else 1.1
        model.body("body", **body, inertia=inertia_of_all, position=(1, 2), angle=0.4)
        share_point, share_vector = mbs.Revolute, mbs.Translational
    else:
        place = {"position": (1, 2, 3), "rotation": turned_at_random(random)}
        model.body("body", **body, inertia=moments, **place)
        share_point, share_vector = mbs.Spherical, mbs.Planar
    for k in range(points + vectors):
        other = model.body(f"other{k}")
        at, axis = random.uniform(-1, 1, (2, dimension))
        joint = share_point if k < points else share_vector
        model.add(joint(f"joint{k}", model.bodies["body"], other, at=at, axis=axis))
    return model


LAYOUTS = [(2, 0, 0), (2, 1, 0), (2, 2, 0), (2, 3, 0), (2, 1, 1), (2, 0, 2), (3, 0, 0), (3, 1, 2), (3, 1, 4)]
LAYOUTS += [(3, points, 0) for points in (1, 2, 3, 4, 5)] + [(3, 2, 1), (3, 3, 1)]
each_layout = pytest.mark.parametrize("layout", LAYOUTS, ids=lambda x: f"{WORDS[x[0]]} {x[1]} points {x[2]} vectors")


def all_as_one(model: Any, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q, v and a of the bodies when all move from the placement as one rigid body; one row each."""
    system, size = model.compile(), model.dimension
    q, v, a = system.placement[None].copy(), system.still[None].copy(), system.still[None].copy()
    shift, speed, push = random.uniform(-2, 2, (3, size))
    if size == 2:
        angle, omega, alpha = random.uniform(-9, 9), *random.uniform(-3, 3, 2)
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        W, dW = (np.array([[0, -x], [x, 0]]) for x in (omega, alpha))
    else:
        turn, (omega, alpha) = mbs.rotations.from_quaternion(turned_at_random(random)), random.uniform(-3, 3, (2, 3))
        W, dW = (np.cross(np.eye(3), -x) for x in (omega, alpha))
    for body in system.bodies:
        own, rates = list(system.layout.q[body]), list(system.layout.v[body])
        arm = turn @ q[0, own[:size]]
        places = arm + shift, W @ arm + speed, dW @ arm + W @ W @ arm + push
        for array, columns, place in zip((q, v, a), (own, rates, rates), places, strict=True):
            array[0, columns[:size]] = place
        if size == 2:
            q[0, own[2]] += angle
            v[0, rates[2]], a[0, rates[2]] = omega, alpha
        else:
            A = turn @ mbs.rotations.from_quaternion(q[0, own[3:7]])
            q[0, own[3:7]] = mbs.rotations.quaternion(A)
            v[0, rates[3:]], a[0, rates[3:]] = A.T @ omega, A.T @ alpha
    return q, v, a


@pytest.mark.usefixtures("interpreted_kernels")
@each_layout
@pytest.mark.parametrize("com", COMS)
@pytest.mark.parametrize("inertia", INERTIAS)
def test_a_body_has_the_energies_and_momenta_of_cartesian_coordinates(layout, inertia, com):
    dimension, points, vectors = layout
    model = carried(dimension, points, vectors, inertia, com)
    bodies, system = model.compile(), model.compile("natural")
    random = np.random.default_rng(8)
    q, v, a = all_as_one(model, random)
    own = system.from_bodies((q, v, a))
    reference = evaluated_loads(bodies, 0.0, q[0], v[0])
    found = evaluated_loads(system, 0.0, own[0][0], own[1][0])
    assert found.kinetic == pytest.approx(reference.kinetic, rel=1e-12, abs=1e-14)
    assert found.potential == pytest.approx(reference.potential, rel=1e-12, abs=1e-14)
    w = spun(model, q, random)
    along = system.from_bodies((q, w, 0.0 * w))[1]
    momentum, own_momentum = (
        x[:, : s.nv] @ loads.mass @ y[0, : s.nv]
        for x, s, loads, y in ((v, bodies, reference, w), (own[1], system, found, along))
    )
    scale = max(1.0, reference.kinetic)
    assert own_momentum == pytest.approx(momentum, rel=1e-12, abs=1e-12 * scale)
    weight = evaluated_loads(bodies, 0.0, q[0], 0.0 * v[0]).forces @ w[0, : bodies.nv]
    assert found.forces @ along[0, : system.nv] == pytest.approx(weight, rel=1e-12, abs=1e-12)
    assert (reference.kinetic > 0) == (inertia != "nothing")


def spun(model: Any, q: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Velocities of all bodies as those of one, at this pose."""
    system, size = model.compile(), model.dimension
    v = system.still[None].copy()
    speed, omega = random.uniform(-3, 3, size), random.uniform(-3, 3, 3)
    for body in system.bodies:
        own, rates = list(system.layout.q[body]), list(system.layout.v[body])
        arm = np.append(q[0, own[:size]], [0.0] * (3 - size))
        if size == 2:
            v[0, rates] = [*(speed + omega[2] * np.array([-arm[1], arm[0]])), omega[2]]
        else:
            A = mbs.rotations.from_quaternion(q[0, own[3:7]])
            v[0, rates] = [*(speed + np.cross(omega, arm)), *(A.T @ omega)]
    return v


@each_layout
def test_the_mass_matrix_is_constant_and_never_negative(layout):
    """Whatever the numbers q are, even where no body is rigid."""
    for inertia in INERTIAS:
        system = carried(*layout, inertia, "offset").compile("natural")
        random, sizes = np.random.default_rng(1), (system.layout.q_size, system.layout.v_size)
        first, second = (evaluated_loads(system, 0.0, *(random.normal(size=n) for n in sizes)).mass for _ in range(2))
        assert np.array_equal(first, second) and np.array_equal(first, first.T)
        moments = np.linalg.eigvalsh(first)
        assert moments.min() > -1e-12 * max(1.0, moments.max())
        if inertia in ("a rod", "a point mass", "nothing") and layout[0] == 3:
            assert system.massless.any()


# --- unknowns and equations -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_a_model_has_its_degrees_of_freedom_and_no_more_redundancy(name):
    model = load(name).build()
    state, found = mbs.assemble(model), mbs.diagnose(model)
    system = model.compile("natural")
    q = system.from_bodies((state.full_q[None], state.full_v[None], state.full_a[None]))[0]
    own = freedom(system, q[0])
    assert own == found.degrees_of_freedom
    assert len(system.rows) - (system.nv - own) == found.equations - found.rank
    still = system.still[None]
    assert np.abs(system.read_constraints(np.zeros(1), q, still, still)[0]).max(initial=0.0) < 1e-8


COUNTS = {
    "four_bar": (4, 4),  # two moving pins; three lengths and the driver
    "slider_crank": (4, 4),  # two moving pins; two lengths, the guide, the driver
    "n_four_bar": (4, 3),  # no driver
    "six_bar": (8, 8),  # five pins, one of them on the coupler between others: a combination
    "double_pendulum": (4, 2),  # two rods
    "simple_pendulum": (2, 1),  # one
    "andrews_squeezer": (8, 7),  # what seven bodies share
    "free_body": (12, 6),  # a point and three vectors; six inner products
    "heavy_top": (9, 6),  # its point stands still
    "gyroscope": (18, 15),  # three bodies about one point; each pin's axis is a vector of both
}


@pytest.mark.parametrize("name", COUNTS)
def test_counts_of_unknowns_and_equations(name):
    assert counted(load(name).build()) == COUNTS[name]


# --- what joints share ------------------------------------------------------------------------------------------

BODY = {2: (4, 1), 3: (12, 6)}
"""A point and vectors; their inner products."""


@pytest.mark.parametrize(
    ("kind", "dimension", "shared", "kept"),
    [
        ("Revolute", 2, "p", 0),
        ("Translational", 2, "v", 1),  # the point stays on the guide
        ("Fixed", 2, "pv", 0),
        ("PinInSlot", 2, "", 1),
        ("Spherical", 3, "p", 0),
        ("Universal", 3, "p", 1),  # the pins at right angles
        ("ConstantVelocity", 3, "p", 1),
        ("Revolute", 3, "pv", 0),
        ("Cylindrical", 3, "v", 2),  # the point on the line
        ("Screw", 3, "v", 3),  # and as far as it has turned
        ("Planar", 3, "v", 1),  # the point in the plane
        ("Translational", 3, "vv", 2),  # the point on the line
        ("Fixed", 3, "pvv", 0),
    ],
)
def test_what_a_joint_shares(kind, dimension, shared, kept):
    """Points (p) and vectors (v). A vector shared saves its unit length, two of them their angle, too."""
    model = model_in(dimension)
    a, b = model.body("a"), model.body("b")
    model.add(getattr(mbs, kind)("joint", a, b, **({"pitch": 0.01} if kind == "Screw" else {})))
    unknowns, equations = BODY[dimension]
    vectors = shared.count("v")
    saved = vectors * (vectors + 1) // 2
    assert counted(model) == (2 * unknowns - dimension * len(shared), 2 * equations - saved + kept)
    system = model.compile("natural")
    assert freedom(system, system.placement) == mbs.diagnose(model).degrees_of_freedom


def test_several_pins_through_one_point_are_one_point():
    model = mbs.PlanarModel("fan")
    a, *others = (model.body(name) for name in "abcd")
    model.add(*(mbs.Revolute(f"pin {other.name}", a.at(1, 2), other) for other in others))
    assert counted(model) == (2 + 4 * 2, 4)


def test_three_bodies_in_one_guide_share_its_direction():
    model = mbs.SpatialModel("train")
    model.add(*(mbs.Cylindrical(f"sleeve {n}", model.ground, model.body(n)) for n in "abc"))
    assert counted(model) == (3 * 9, 3 * (5 + 2))
    still = [thing for thing in model.compile("natural").coordinates.skeleton.things if thing.fixed]
    assert {"sleeve a z"} < {thing.name for thing in still} and "sleeve b z" not in {thing.name for thing in still}


def test_points_on_the_ground_stand_still():
    model = slider_crank()
    system = model.compile("natural")
    assert len(system.coordinates.moving) == 2
    motion = mbs.kinematics(system, np.linspace(0, 1, 5)).own
    assert motion.q.shape == (5, 4) and motion.names == system.coordinate_names


def test_a_point_between_others_is_a_combination():
    model = mbs.PlanarModel("lever")
    lever = model.body("lever")
    for k in range(3):
        model.add(mbs.Revolute(f"pin{k}", lever.at(k, 0), model.body(f"rod{k}")))
    assert counted(model) == (6 + 3 * 2, 1 + 2 + 3)


def test_a_joint_without_shares_keeps_its_equations():
    model = model_in(2)
    a, b = model.body("a"), model.body("b")
    model.add(mbs.Distance("rod", a, b.at(1, 0)), mbs.PinInSlot("slot", a, b.at(1, 0)))
    assert counted(model) == (8, 2 + 2)


class Gap(mbs.Revolute):
    """A pin with play: a subclass with equations of its own."""

    unit = "m"

    @staticmethod
    def phi(i, j):
        return [i.x - j.x - 0.25, i.y - j.y]


def test_a_subclass_with_other_equations_shares_nothing():
    model = model_in(2)
    model.add(Gap("play", model.ground, model.body("a")))
    assert Gap.shares == {} and counted(model) == (4, 1 + 2)
    assert np.abs(gaps(model.compile("natural"))).max() == 0.25


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_points_that_coincide_for_these_values_only_are_two(value):
    """Both pins of a lever through one point as long as p has this value; the motion with others is right."""
    model = mbs.PlanarModel("crank", gravity=(0, -9.81))
    p = model.parameter("p", value)
    a = model.body("a", mass=1.0, inertia=0.5, com=(0.4, 0))
    b = model.body("b", mass=1.0, inertia=0.5, position=(1.5, 0.2))
    model.add(mbs.Revolute("O", model.ground, a.at(value, 0)), mbs.Revolute("P", a.at(p, 0), b.at(-1, 0)))
    assert counted(model) == (3 * 2, 1 + 2 + 1)  # O stands still, each body has a vector; P is a combination on one
    other = model.with_parameters(p=value + 0.7)
    times = np.linspace(0, 0.5, 6)
    one, two = (mbs.simulate(s, times, rtol=1e-10) for s in (other, other.compile("natural")))
    np.testing.assert_allclose(two["b.angle"], one["b.angle"], atol=1e-7)
    np.testing.assert_allclose(two["b.x"], one["b.x"], atol=1e-7)


def doubled(far: tuple[float, float], length: Any = 1.0) -> Any:
    """Two bodies with two pins between them, at (0, 0) and at these points of each."""
    model = mbs.PlanarModel("doubled")
    a, b = (model.body(name, mass=1.0, inertia=1.0) for name in "ab")
    model.add(mbs.Revolute("A", a, b), mbs.Revolute("B", a.at(*far), b.at(length, 0)))
    return model


def test_two_pins_between_the_same_bodies_hold_them_together():
    model = doubled((1, 0))
    assert counted(model) == (4, 1) and mbs.diagnose(model).degrees_of_freedom == 3


def test_pins_whose_distances_differ_contradict_each_other_still():
    """What is not of the same shape on both bodies is not shared."""
    model = doubled((1, 0), 2.0)
    system = model.compile("natural")
    assert counted(model) == (6, 2 + 2) and np.abs(gaps(system)).max() == 1.0
    with refused("does-not-assemble", mbs.MbsError, joints=["B", "A"]):
        mbs.simulate(system, [0, 1])


def test_distances_that_agree_for_these_values_only_are_not_relied_on():
    model = mbs.PlanarModel("doubled")
    length = model.parameter("length", 1.0)
    a, b = model.body("a"), model.body("b")
    model.add(mbs.Revolute("A", a, b), mbs.Revolute("B", a.at(1, 0), b.at(length, 0)))
    assert counted(model) == (6, 4)
    assert np.abs(gaps(model.with_parameters(length=2.0).compile("natural"))).max() == 1.0


def test_a_mirrored_body_is_another():
    model = mbs.PlanarModel("mirrored")
    a, b = model.body("a"), model.body("b")
    for k, (x, y) in enumerate([(0, 0), (1, 0), (0.3, 0.5)]):
        model.add(mbs.Revolute(f"pin{k}", a.at(x, y), b.at(x, -y)))
    assert np.abs(gaps(model.compile("natural"))).max() == 1.0


@pytest.mark.parametrize("height", [1.0, 2.0])
def test_a_door_on_two_hinges(height):
    model = mbs.SpatialModel("door")
    door = model.body("door", mass=1.0, inertia=(1, 1, 1))
    model.add(mbs.Revolute("low", model.ground, door))
    model.add(mbs.Revolute("high", model.ground.at(0, 0, 1), door.at(0, 0, height)))
    system = model.compile("natural")
    assert freedom(system, system.placement) == 1
    assert np.abs(gaps(system)).max() == height - 1.0


def test_a_joint_said_twice_is_said_once():
    model = three_cranks(0.7)
    once = counted(model)
    model.add(mbs.Revolute("again", model.ground, model.bodies["crank0"].tail))
    assert counted(model) == once


def test_what_is_welded_to_the_ground_leaves_nothing_to_compute():
    model = mbs.PlanarModel("sign", gravity=(0, -9.81))
    model.add(mbs.Fixed("weld", model.ground, model.body("sign", mass=1.0, inertia=1.0, position=(1, 2)), at=(1, 2)))
    system = model.compile("natural")
    assert counted(model) == (0, 0)
    for verb in (mbs.kinematics, mbs.inverse_dynamics, mbs.simulate):
        assert verb(system, [0, 1, 2])["sign.y"] == pytest.approx([2, 2, 2])


def test_directions_that_go_round_in_a_loop_keep_their_length():
    """Three wedges that slide on each other: each direction is a combination on one of its bodies."""
    for dimension in (2, 3):
        model = model_in(dimension)
        a, b, c = (model.body(name) for name in "abc")
        way = np.array([(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (-1.0, 0.4, 0.3)])[:, :dimension]
        for k, pair in enumerate([(a, b), (b, c), (c, a)]):
            model.add(mbs.Translational(f"wedge{k}", *pair, at=(0,) * dimension, axis=way[k]))
        system = model.compile("natural")
        assert freedom(system, system.placement) == mbs.diagnose(model).degrees_of_freedom


def test_two_guides_at_an_angle_need_one_length():
    """Neither body has the direction that they share in its base."""
    model = mbs.PlanarModel("guides")
    a, b, c, d = (model.body(name) for name in "abcd")
    for k, (i, j) in enumerate([(a, c), (b, d), (a, b)]):
        model.add(mbs.Translational(f"guide{k}", i, j, at=(0, 0), axis=(1, k)))
    system = model.compile("natural")
    # four points and three directions; combinations of a and b, one length, three guides
    assert counted(model) == (14, 2 * 2 + 1 + 3)
    assert freedom(system, system.placement) == mbs.diagnose(model).degrees_of_freedom == 6


# --- rigid bodies ----------------------------------------------------------------------------------------------


INDEPENDENT = {2, 3, 5, 8, 10}
"""The seeds that give a tree without loops, in the plane and in space: no equation of its joints depends on others."""


@pytest.mark.parametrize("seed", range(12))
@IN_BOTH
def test_what_keeps_bodies_rigid_is_said_once(dimension, seed):
    """Bodies with random points and vectors, which they share at random, are left as many freedoms as rigid bodies."""
    random = np.random.default_rng(seed)
    model = model_in(dimension)
    bodies = [model.body(name) for name in "abcd"]
    kinds = (mbs.Revolute, mbs.Translational) if dimension == 2 else (mbs.Spherical, mbs.Planar, mbs.Revolute)
    tree = [(model.ground if k == 0 else bodies[random.integers(k)], body) for k, body in enumerate(bodies)]
    for k, (i, j) in enumerate(tree):
        for n in range(random.integers(1, 3 if k == 0 else 2)):
            kind = kinds[random.integers(len(kinds))]
            at, axis = random.uniform(-1, 1, (2, dimension))
            model.add(kind(f"joint {k} {n}", i, j, at=at, axis=axis))
    for body in bodies:
        for n in range(random.integers(4)):
            at, axis = random.uniform(-1, 1, (2, dimension))
            joint, other = kinds[random.integers(2)], model.body(f"{body.name}{n}")
            model.add(joint(f"joint {other.name}", body, other, at=at, axis=axis))
    system, found = model.compile("natural"), mbs.diagnose(model)
    assert np.abs(gaps(system)).max() < 1e-12
    own = freedom(system, system.placement)
    assert own == found.degrees_of_freedom
    assert (found.equations == found.rank) == (seed in INDEPENDENT)
    if seed in INDEPENDENT:
        assert len(system.rows) == system.nv - own


# --- markers and forces, whatever a body is described by --------------------------------------------------------


def by_hand(model: Any) -> Skeleton:
    """A random layout: every body has points and vectors of its own, all of them its base."""
    random = np.random.default_rng(crc32("".join(model.elements).encode()) + len(model.parameters))
    size = 2 if model.dimension == 2 else 4
    base: dict[Any, tuple[Thing, ...]] = {}
    for body in [*model.bodies.values(), model.ground]:
        points = 1 + int(random.integers(size))
        own = []
        for k in range(size):
            place = random.uniform(-1, 1, model.dimension) if k else 0.2 * random.uniform(-1, 1, model.dimension)
            place += np.eye(model.dimension)[k - 1] * 2 if k else 0.0
            if k >= points:
                place /= np.linalg.norm(place)
            kind = POINT if k < points else VECTOR
            own.append(Thing(kind, f"{body.name} {k}", body.fixed, {body: tuple(map(float, place))}))
        base[body] = tuple(own)
    things = tuple(thing for own in base.values() for thing in own)
    return Skeleton(things, base, base, {element.name: frozenset() for element in model.conditions})


@pytest.fixture
def free_bodies(monkeypatch):
    """Natural coordinates that no body shares, so that any motion of bodies can be said in them."""
    monkeypatch.setattr("mbs_dae.coordinates.natural.natural.skeleton_of", by_hand)


def check_element(model: Any, motion: Motion) -> None:
    """Φ, Φ_v v - ν and Φ_v a - γ of an element are those of Cartesian coordinates; and bodies stay rigid."""
    bodies, system = model.compile(), model.compile("natural")
    rows, t = len(bodies.rows), np.array([motion.t0])
    for v in (motion.v0, 0.0 * motion.v0):
        given = motion.q0[None], v[None], motion.a0[None]
        own = system.from_bodies(given)
        expected, found = bodies.read_constraints(t, *given), system.read_constraints(t, *own)
        for level, tolerance in enumerate((1e-12, 1e-11, 1e-10)):
            scale = 1.0 + np.abs(expected[level]).max()
            np.testing.assert_allclose(found[level][:, :rows], expected[level], rtol=0, atol=tolerance * scale)
            assert np.abs(found[level][:, rows:]).max() < tolerance * 1e3
        pushed = system.jacobian(motion.t0, own[0][0]) @ own[1][0, : system.nv]
        along = bodies.jacobian(motion.t0, motion.q0) @ v[: bodies.nv]
        np.testing.assert_allclose(pushed[:rows], along, rtol=0, atol=1e-11 * (1.0 + np.abs(along).max(initial=0.0)))
    back = system.to_bodies(own)
    size = model.dimension
    for body in bodies.bodies:
        columns, rates = list(bodies.layout.q[body]), list(bodies.layout.v[body])
        exact, again = motion.q0[columns], back[0][0, columns]
        if size == 3:
            again[3:7] *= np.sign(again[3:7] @ exact[3:7])
            again[7:] = exact[7:]
        np.testing.assert_allclose(again, exact, atol=1e-13)
        np.testing.assert_allclose(back[2][0, rates], motion.a0[rates], atol=1e-12)


def is_of_interest(case: str) -> bool:
    """Of every class what differs in its markers: tables, the sides of wheels and how an effort is told are the same in
    all coordinates."""
    return case.endswith("all moving") and not any(x in case for x in ("table", "internal", "by measure", "by joint"))


ELEMENTS: list[tuple[str, Callable[[], Any]]] = [
    *((p.id, lambda p=p: joint_case(*p.values)) for p in JOINTS if is_of_interest(p.id)),
    *((p.id, lambda p=p: driver_case(*p.values)) for p in DRIVERS if "expression, all moving" in p.id),
    *((p.id, lambda p=p: pose_case(*p.values)) for p in POSES if "numbers" in p.id),
    *((f"{f.__name__} {WORDS[d]}", lambda f=f, d=d: constraint_case(f, True, d)) for f in CONSTRAINTS for d in (2, 3)),
]


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("case", [pytest.param(build, id=name) for name, build in ELEMENTS])
def test_an_element_says_in_natural_coordinates_what_it_says_of_bodies(case, free_bodies):
    stage = case().stage
    for motion in motions(stage):
        check_element(stage.model, motion)


FORCES = covering(
    [p for p in force_cases() if is_of_interest(p.id)], lambda case: parts_of_a_contract(case, options=False)
)


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize(("build", "arguments"), FORCES)
def test_a_force_does_the_same_work_in_natural_coordinates(build, arguments, free_bodies):
    stage = build(*arguments).stage
    bodies, system = stage.model.compile(), stage.model.compile("natural")
    for motion in motions(stage, 1):
        q, v, other = motion.q0[None], motion.v0[None], motion.a0[None]
        own = system.from_bodies((q, v, 0.0 * v))
        along = system.from_bodies((q, other, 0.0 * v))[1][0, : system.nv]
        expected = evaluated_loads(bodies, motion.t0, motion.q0, motion.v0)
        found = evaluated_loads(system, motion.t0, own[0][0], own[1][0])
        scale = 1.0 + np.abs(expected.forces) @ np.abs(other[0, : bodies.nv])
        assert found.forces @ along == pytest.approx(expected.forces @ other[0, : bodies.nv], abs=1e-12 * scale)
        for what in ("potential", "stored", "dissipated", "supplied"):
            assert getattr(found, what) == pytest.approx(getattr(expected, what), abs=1e-11 * scale), what


# --- to bodies and back -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("build", [lambda: four_bar(angle=0.8), slider_crank, lambda: three_cranks(0.4)])
def test_there_and_back_in_the_plane(build):
    """Angles count past 2π, too."""
    model = build()
    system = model.compile("natural")
    closed = mbs.assemble(model)
    motion = tuple(x[None].copy() for x in (closed.full_q, closed.full_v, closed.full_a))
    motion[0][0, 2 : 3 * len(model.bodies) : 3] += 2 * np.pi * np.arange(-1, len(model.bodies) - 1)
    for there, back in zip(motion, system.to_bodies(system.from_bodies(motion)), strict=True):
        np.testing.assert_allclose(back, there, atol=1e-11 * (1 + np.abs(there).max()))


@pytest.mark.parametrize("name", ["four_bar", "rssr", "gyroscope"])
def test_velocities_and_accelerations_are_those_of_the_points(name):
    model = load(name).build()
    times = np.linspace(0.1, 0.1008, 9)
    system = model.compile("natural")
    result = mbs.kinematics(system, times) if model.drivers else mbs.simulate(system, times, rtol=1e-11)
    own = result.own
    h = times[1] - times[0]
    weights = np.array([1, -8, 0, 8, -1]) / (12 * h)
    for values, rates in ((own.q, own.v), (own.v, own.a)):
        slope = np.einsum("k,kn->n", weights, values[2:7])
        scale = 1.0 + np.abs(rates[4]).max()
        np.testing.assert_allclose(slope, rates[4], atol=1e-6 * scale)


def test_own_coordinates_are_read_by_name():
    own = mbs.kinematics(four_bar().compile("natural"), [0.0, 0.1, 0.2]).own
    assert repr(own) == "<OwnMotion in natural coordinates: 4 coordinates, 3 times>"
    for k, name in enumerate(own.names):
        np.testing.assert_array_equal(own[name], own.q[:, k])
    with refused("unknown-name", owner="the motion in natural coordinates", kind="coordinate", name="crank.angle"):
        own["crank.angle"]


def test_many_turns_are_counted():
    model = four_bar(angle=0.8)
    times = np.linspace(0, 20, 41)
    one, two = (mbs.kinematics(s, times) for s in (model, model.compile("natural")))
    for name in ("crank.angle", "coupler.angle", "rocker.angle"):
        np.testing.assert_allclose(two[name], one[name], atol=1e-9)
    assert np.ptp(one["crank.angle"]) > 4 * np.pi


# --- what is refused --------------------------------------------------------------------------------------------


def test_a_base_that_degenerates_is_refused_by_name():
    model = mbs.PlanarModel("rod", gravity=(0, -9.81))
    length = model.parameter("length", 1.0)
    rod = model.body("rod", mass=1.0, inertia=0.1)
    other = model.body("other", mass=1.0, inertia=0.1, position=(length, 0))
    model.add(mbs.Revolute("O", model.ground, rod), mbs.Revolute("tip", rod.at(length, 0), other))
    model.compile("natural")
    with refused("body-not-natural", body="rod", names=("O", "tip")):
        mbs.simulate(model.with_parameters(length=0.0).compile("natural"), [0, 1])


def test_a_misspelt_set_is_suggested():
    with refused("unknown-name", near=["natural"]):
        slider_crank().compile("naturl")
