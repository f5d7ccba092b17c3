"""The velocity transformation v = R θ̇: in numbers, in letters as it is printed, and in θ."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from gallery import NAMES, load
from helpers import evaluated_loads, four_bar
from refusals import refused
from test_recursion import CASES, Moving, random_tree

import mbs_dae as mbs
from mbs_dae.compiled.masses import mass_matrix
from mbs_dae.coordinates.joint.recursion import unfold_acceleration
from mbs_dae.model.joints.motions import Ball
from mbs_dae.motion.derivative import evaluate, factorise_terms
from mbs_dae.motion.mechanism import mechanism

EXACT = {"method": "DP8", "rtol": 1e-12}
TREES = (
    *("simple_pendulum", "double_pendulum", "seven_body_tree", "grounded_rrpr", "floating_five_body", "heavy_top"),
    *("gyroscope", "free_body", "arm_6r", "arm_two_link", "arm_wrist", "drive_shaft", "rotor_in_bearings", "three_rpr"),
    "platform_6_6",
)


def tree_model(name: str):
    """A model of the gallery without its drivers, which are no joints."""
    model = load(name).build()
    return model.without(*(driver.name for driver in model.drivers))


@pytest.mark.slow
def test_these_are_the_trees_of_the_gallery():
    assert sorted(TREES) == [name for name in NAMES if mbs.topology(load(name).build()).is_tree]


@pytest.fixture(params=TREES)
def model(request):
    return tree_model(request.param)


def moving_pose(system, seed: int = 1):
    """R at a pose of the tree away from the placement, moving at random."""
    random = np.random.default_rng(seed)
    joint = system.model.compile("joint")
    q = joint.moved(joint.placement, random.uniform(-0.4, 0.4, joint.nv))
    still = joint.still
    bodies = joint.to_bodies((q[None], random.uniform(-2, 2, (1, joint.nv)), still[None]))
    own_q, own_v, _ = system.from_bodies(bodies)
    return mbs.velocity_transformation(system, own_q[0][: system.nq], own_v[0][: system.nv])


# --- in numbers -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}D {case[1]}")
def test_r_and_its_rate_are_those_of_the_recursion(case):
    """All joints, in any order, either way round. The recursion knows steps and no blocks."""
    moving = Moving(random_tree(*case), case[1])
    system = moving.model.compile()
    found = mbs.velocity_transformation(system, moving.qc, moving.vc)
    R, dR = moving.R[: system.nv], moving.R_rate[: system.nv]
    moving.unfold()
    unfold_acceleration(moving.tree, np.zeros(moving.nv), moving.ac)
    np.testing.assert_allclose(found.R, R, atol=1e-13 * np.abs(R).max())
    np.testing.assert_allclose(found.Rdot, dR, atol=1e-8 * np.abs(dR).max())
    np.testing.assert_allclose(found.Rdot @ moving.v, moving.ac[: system.nv], atol=1e-12 * np.abs(moving.ac).max())
    np.testing.assert_allclose(found.rates, moving.v, atol=1e-12 * np.abs(moving.vc).max())


@pytest.mark.parametrize("coordinates", ["cartesian", "natural"])
def test_r_is_orthogonal_to_the_joints_and_to_what_keeps_bodies_rigid(model, coordinates):
    system = model.compile(coordinates)
    found = moving_pose(system)
    jacobian = system.jacobian(0.0, found.q).toarray()
    assert found.R.shape == (system.nv, mbs.topology(model).degrees_of_freedom_of_tree)
    assert np.linalg.matrix_rank(found.R) == len(found.columns)
    assert found.remaining == () and len(found.rows) == system.nv
    np.testing.assert_allclose(jacobian @ found.R, 0, atol=1e-12 * max(1, np.abs(found.R).max()))
    np.testing.assert_allclose(found.R @ found.rates, found.v[: system.nv], atol=1e-12)


@pytest.mark.parametrize("coordinates", ["cartesian", "natural"])
def test_the_rate_is_the_derivative_along_a_motion(model, coordinates):
    """Five points of a motion with constant joint velocities."""
    system, joint = model.compile(coordinates), model.compile("joint")
    rates = np.random.default_rng(3).uniform(-1, 1, joint.nv)
    h = 2e-3

    def at(t: float):
        bodies = joint.to_bodies((joint.moved(joint.placement, rates * t)[None], rates[None], joint.still[None]))
        q, v, _ = system.from_bodies(bodies)
        return mbs.velocity_transformation(system, q[0], v[0])

    R = {k: at(k * h).R for k in (-2, -1, 1, 2)}
    slope = (R[-2] - 8 * R[-1] + 8 * R[1] - R[2]) / (12 * h)
    np.testing.assert_allclose(at(0.0).Rdot, slope, atol=1e-8)
    assert not mbs.velocity_transformation(system).Rdot.any()  # at rest


@pytest.mark.parametrize("coordinates", ["cartesian", "natural"])
def test_energy_and_inertia_are_those_of_joint_coordinates(model, coordinates):
    """The kinetic energy is ½ θ̇ᵀ (RᵀMR) θ̇, and RᵀMR what the compiled core has in joint coordinates."""
    system, joint = model.compile(coordinates), model.compile("joint")
    found = moving_pose(system)
    loads = evaluated_loads(system, 0.0, found.q, found.v)
    reduced = found.R.T @ loads.mass @ found.R
    assert 0.5 * found.rates @ reduced @ found.rates == pytest.approx(loads.kinetic, rel=1e-12, abs=1e-14)
    bodies = system.to_bodies((found.q[None], found.v[None], system.still[None]))
    cartesian = evaluated_loads(model.compile(), 0.0, bodies[0][0], bodies[1][0])
    assert loads.kinetic == pytest.approx(cartesian.kinetic, rel=1e-12, abs=1e-14)

    q, v, _ = joint.from_bodies(bodies)
    run = mechanism(joint)
    evaluate(run, 0.0, q[0], v[0])
    assert factorise_terms(run)
    mass = mass_matrix(joint, run.machine).toarray()
    np.testing.assert_allclose(reduced, mass, atol=1e-12 * np.abs(mass).max())
    np.testing.assert_allclose(found.rates, v[0][: joint.nv], atol=1e-12)


@pytest.mark.parametrize("coordinates", ["cartesian", "natural"])
@pytest.mark.parametrize("name", [n for n in TREES if hasattr(load(n), "INITIAL")])
def test_the_equations_in_theta_give_the_accelerations_of_a_simulation(name, coordinates):
    gallery = load(name)
    system = gallery.build().compile(coordinates)
    result = mbs.simulate(gallery.build(), gallery.TIMES[:11], initial=gallery.INITIAL, **EXACT)
    for index in (0, -1):
        state = result.state(index)
        found = mbs.velocity_transformation(system, state)
        loads = evaluated_loads(system, state.t, found.q, found.v)
        left = found.R.T @ loads.mass @ found.R
        right = found.R.T @ (loads.forces - loads.mass @ (found.Rdot @ found.rates))
        a = found.R @ np.linalg.solve(left, right) + found.Rdot @ found.rates
        bodies = system.to_bodies((found.q[None], found.v[None], np.append(a, system.still[system.nv :])[None]))
        scale = max(1.0, np.abs(state.a).max())
        np.testing.assert_allclose(bodies[2][0][: len(state.a)], state.a, atol=1e-10 * scale)


def test_a_tree_that_turns_round_a_thread_is_where_it_is():
    """A screw that went round three times is not where it was, though its angle looks the same."""
    model = mbs.SpatialModel("screw")
    nut = model.body("nut", 1.0, 1.0, position=(0, 0, 0))
    model.add(mbs.Screw("S", model.ground, nut, at=(0, 0, 0), axis=(0, 0, 1), pitch=0.1))
    q = model.compile().placement.copy()
    q[2] = 0.3
    assert mbs.velocity_transformation(model, q).q[2] == pytest.approx(0.3, abs=1e-14)


def test_what_is_cut_remains():
    linkage = four_bar()
    whole = mbs.topology(linkage)
    state = mbs.assemble(linkage)
    found = mbs.velocity_transformation(linkage, state)
    assert found.remaining == tuple(c.name for c in (*whole.cuts, *whole.couplings))
    system = linkage.compile()
    jacobian = system.jacobian(0.0, state.full_q).toarray()
    for name in linkage.elements:
        left = np.abs(jacobian[system.rows_of(name)] @ found.R).max(initial=0)
        assert (left > 1e-3) == (name in found.remaining), name
    other = mbs.velocity_transformation(linkage, state, cut="B")
    assert "B" in other.remaining and "B.omega" not in other.columns


def test_the_pose_may_be_said_in_joint_coordinates(model):
    joint = model.compile("joint")
    q = joint.moved(joint.placement, np.linspace(-0.3, 0.4, joint.nv))
    rates = np.linspace(1, 2, joint.nv)
    found = mbs.velocity_transformation(joint, q, rates)
    np.testing.assert_allclose(found.rates, rates, atol=1e-12)
    bodies = joint.to_bodies((q[None], rates[None], joint.still[None]))
    same = mbs.velocity_transformation(model, bodies[0][0], bodies[1][0])
    np.testing.assert_allclose(found.R, same.R, atol=1e-13)
    np.testing.assert_allclose(found.Rdot, same.Rdot, atol=1e-12)


def test_names_say_whose_velocities_they_are():
    found = mbs.velocity_transformation(tree_model("floating_five_body"))
    assert found.columns[:3] == ("base.vx", "base.vy", "base.vz") and found.columns[3] == "base.omega1"
    assert found.columns[6:] == ("R2.omega", "R3.omega", "P4.velocity", "R7.omega")
    assert found.rows[:6] == found.columns[:6] and "hand.omega3" in found.rows
    assert str(found).splitlines()[0].split() == [*found.columns]
    natural = mbs.velocity_transformation(tree_model("floating_five_body").compile("natural"))
    assert natural.rows[:4] == ("R2.vx", "R2.vy", "R2.vz", "R2 z.vx")


def test_what_cannot_be_is_refused():
    model = tree_model("double_pendulum")
    with refused("wrong-shape", argument="q", size=6):
        mbs.velocity_transformation(model, [1.0, 2.0])
    with refused("wrong-shape", argument="v", size=6):
        mbs.velocity_transformation(model, v=[np.nan] * 6)
    with refused("pose-of-other-model", argument="start", model="simple pendulum"):
        mbs.velocity_transformation(model, mbs.assemble(tree_model("simple_pendulum")))
    with refused("contradictory-arguments", argument="symbolic"):
        mbs.velocity_transformation(model, mbs.assemble(model), symbolic=True)
    with refused("not-a-model", value="crank"):
        mbs.velocity_transformation("crank")


# --- in letters -------------------------------------------------------------------------------------------------


def printed(rows: str) -> list[list[sp.MatrixExpr]]:
    """A printed matrix: D41u1 for -D_41 u_1, u3 for u_3, U6 for -U_6, I and 0."""

    def entry(word: str):
        if word in ("0", "I"):
            return word
        names = word.replace("u", " u").split()
        e = None
        for name in names:
            shape = (3, 1) if name[0] == "u" else (3, 3)
            symbol = sp.MatrixSymbol(f"{name[0]}_{name[1:]}", *shape)
            e = symbol if e is None else e * symbol
        return e if names[0][0] == "u" else -e

    return [[entry(word) for word in row.split()] for row in rows.strip().splitlines()]


EQUATION_4_9 = """
D21u1 0 0 0
U2u1 0 0 0
D31u1 D32u2 0 0
U3u1 U3u2 0 0
D41u1 D42u2 u3 0
D51u1 D52u2 u3 0
U5u1 U5u2 0 0
D61u1 D62u2 u3 D65u5
U6u1 U6u2 0 U6u5
"""
EQUATION_4_13 = """
I 0 0 0 0 0
0 U1 0 0 0 0
I D21 0 0 0 0
0 U2 0 0 0 0
I D31 D32u2 0 0 0
0 U3 U3u2 0 0 0
I D41 D42u2 D43u3 0 0
0 U4 U4u2 U4u3 0 0
I D51 D52u2 D53u3 u4 0
I D61 D62u2 D63u3 u4 0
0 U6 U6u2 U6u3 0 0
I D71 0 0 0 0
0 U7 0 0 0 0
I D81 0 0 0 D87u7
0 U8 0 0 0 U8u7
"""
PRINTED = {
    "grounded_rrpr": (EQUATION_4_9, "r2 u2 r3 u3 r4 r5 u5 r6 u6", "thetadot_1 thetadot_2 thetadot_3 thetadot_5"),
    "floating_five_body": (
        EQUATION_4_13,
        "r1 u1 r2 u2 r3 u3 r4 u4 r5 r6 u6 r7 u7 r8 u8",
        "rdot_1 omega_1 thetadot_2 thetadot_3 thetadot_4 thetadot_7",
    ),
}


@pytest.mark.parametrize("name", PRINTED)
def test_both_systems_of_the_paper_come_out_entry_by_entry(name):
    """S. M. Issa, K. P. Arczewski, 1997, eqs. 4.9 and 4.13. These two are printed as they follow from the joints. In
    what leads to them there are slips, which do not go on into them:

    - 4.1: ω₂ × u₃ in ṙ₄ should read ω₂ × (r₄ - r₃), as in 4.2.
    - 4.4: D₅₁ u₂ θ̇₂ in ṙ₅ should read D₅₂ u₂ θ̇₂, as in 4.9.
    - 4.6: ω_i = u_i θ̇_i is the angular velocity of the body only at the first joint; it is the sum of 4.3.
    - 4.12: U₃ u₇ θ̇₇ in u̇₈ should read U₈ u₇ θ̇₇, as in 4.13. And u̇₄ is left as -U₄ ω₃; written out like the others it
      is the row of 4.13.
    - Table 1: the velocities of a floating base are ṙ_j and ω_j, as in 4.13, not u̇_j.

    The rows of the prismatic joints are complete: u₃ (u₄) is the same vector on both sides of its joint, and so there
    is no u₄ (u₅), while its ends r₃, r₄ (r₄, r₅) are two points.
    """
    found = mbs.velocity_transformation(tree_model(name), symbolic=True)
    entries, rows, velocities = PRINTED[name]
    expected = printed(entries)
    assert [str(row) for row in found.rows] == [f"{word[0]}dot_{word[1:]}" for word in rows.split()]
    assert [str(column) for column in found.columns] == velocities.split()
    assert found.R.blockshape == (len(expected), len(expected[0]))
    for i, row in enumerate(expected):
        for j, entry in enumerate(row):
            block = found.R.blocks[i, j]
            if entry == "0":
                assert block.is_ZeroMatrix, (i, j)
            elif entry == "I":
                assert block == sp.Identity(3), (i, j)
            else:
                assert block == entry, (i, j)
    assert r"\mathbf{D}_{31}" in found.latex() and r"\dot{u}_{6}" in found.latex()


SLIPS = {
    "4.4, D_51 u_2": ("grounded_rrpr", "rdot_5", 1, "D_51", "u_2"),
    "4.12, U_3 u_7": ("floating_five_body", "udot_8", 5, "U_3", "u_7"),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_what_is_misprinted_is_wrong(slip):
    """In numbers: R as derived gives the velocity of the point, R with the printed entry another one."""
    name, row, column, matrix, vector = SLIPS[slip]
    found = mbs.velocity_transformation(tree_model(name), symbolic=True)
    values = found.values()
    at = [str(r) for r in found.rows].index(row)
    wrong = -sp.MatrixSymbol(matrix, 3, 3) * sp.MatrixSymbol(vector, 3, 1)
    right, printed = (sp.Matrix(e.subs(values).as_explicit()) for e in (found.R.blocks[at, column], wrong))
    assert (right - printed).norm() > 0.05


@pytest.mark.parametrize("case", [(2, 0), (3, 0)], ids=lambda case: f"{case[0]}D {case[1]}")
def test_letters_and_joint_velocities_give_the_velocities_of_points_and_vectors(case):
    """Of random trees: R in letters, with the values at the pose put in, against how the bodies move."""
    moving = Moving(random_tree(*case), case[1])
    lettered = mbs.velocity_transformation(moving.model, symbolic=True)
    values, frames = lettered.values(moving.qc), body_frames(moving)
    rates = letter_rates(moving, frames)
    things = {f"{'r' if t.axis is None else 'u'}dot_{t.label}": t for t in lettered.things}
    for k, symbol in enumerate(lettered.rows):
        row, thing = lettered.R.blocks[k, :], things[str(symbol)]
        found = np.zeros(3)
        for block, rate in zip(row, rates, strict=True):
            if not block.is_ZeroMatrix:
                put = {letter: values[letter] for letter in block.free_symbols}
                found += np.array(block.subs(put).as_explicit(), dtype=float) @ rate
        A, dr, omega = frames[thing.body]
        s, M = marker_on_body(thing.marker, moving.number)
        expected = dr + np.cross(omega, A @ s) if thing.axis is None else np.cross(omega, A @ M[:, thing.axis])
        np.testing.assert_allclose(found, expected, atol=1e-11, err_msg=f"{symbol}: {thing.means}")


def marker_on_body(marker, number):
    point, M = np.zeros(3), np.eye(3)
    size = len(marker.point)
    point[:size], M[:size, :size] = [number(n) for n in marker.point], [[number(n) for n in r] for r in marker.frame]
    return point, M


def body_frames(moving) -> dict:
    """Attitude, velocity and angular velocity of each body, in world axes."""
    frames = {}
    for name, body in moving.model.bodies.items():
        A, v = moving.poses()[name].real[:3, :3], moving.vc[list(moving.layout.v[body])]
        flat = moving.dimension == 2
        frames[body] = (A, np.array([*v[:2], 0.0]), np.array([0, 0, v[2]])) if flat else (A, v[:3], A @ v[3:])
    return frames


def letter_rates(moving, frames) -> list[np.ndarray]:
    """The velocities by which the letters are multiplied, those of bases and balls as vectors in world axes."""
    rates, at = [], 0
    for edge in moving.topology.edges:
        own = moving.v[at : at + edge.velocities]
        at += edge.velocities
        if edge.floating:
            rates += [*frames[edge.child][1:]]
            continue
        for motion in edge.motions:
            if isinstance(motion, Ball):
                second = edge.joint.markers[1]
                A = frames[second.body][0] if second.body in frames else np.eye(3)
                rates.append(A @ marker_on_body(second, moving.number)[1] @ own[:3])
            else:
                rates.append(own[:1])
            own = own[motion.velocities :]
    return rates


def test_letters_of_many_axes():
    """A universal joint has two, one on each body; a planar joint slides along two and turns about a third."""
    model = mbs.SpatialModel("composed")
    a, b = (model.body(name, 1.0, 1.0) for name in "ab")
    model.add(mbs.Planar("P", model.ground, a), mbs.Universal("U", a, b))
    found = mbs.velocity_transformation(model, symbolic=True)
    assert [str(s) for s in found.columns] == [f"thetadot_{n}" for n in ("1__1", "1__2", "1__3", "3__1", "3__2")]
    rows = {str(s): [str(e) for e in found.R.blocks[k, :]] for k, s in enumerate(found.rows)}
    assert rows["rdot_2"] == ["u_1__1", "u_1__2", "0", "0", "0"]
    assert rows["rdot_4"] == ["u_1__1", "u_1__2", "-D_42*u_1__3", "-D_43*u_3__1", "-D_43*u_3__2"]
    assert rows["udot_3__1"] == ["0", "0", "-U_3__1*u_1__3", "0", "0"]
    assert rows["udot_3__2"] == ["0", "0", "-U_3__2*u_1__3", "-U_3__2*u_3__1", "0"]
    rates = {str(s): [str(e) for e in found.Rdot.blocks[k, :]] for k, s in enumerate(found.rows)}
    assert rates["rdot_2"] == ["0"] * 5  # the axes are those of the ground
    assert rates["rdot_4"][2:4] == ["-Ddot_42*u_1__3", "-D_43*udot_3__1 - Ddot_43*u_3__1"]


# --- in θ -------------------------------------------------------------------------------------------------------


def two_link() -> mbs.PlanarModel:
    model = mbs.PlanarModel("two links")
    l1, l2 = (model.parameter(name, value, unit="m") for name, value in (("l1", 0.5), ("l2", 0.4)))
    a = model.body("a", 1.0, 0.1, position=(0.2, 0.1), angle=0.3)
    b = model.body("b", 1.0, 0.1, position=(0.5, 0.2), angle=0.8)
    model.add(mbs.Revolute("A", model.ground, a.at(-l1 / 2, 0)), mbs.Revolute("B", a.at(l1 / 2, 0), b.at(-l2 / 2, 0)))
    return model


def test_two_links_in_sines_and_cosines():
    found = mbs.velocity_transformation(two_link(), explicit=True)
    a, b = found.theta
    l1, l2 = (next(s for s in found.R.free_symbols if s.name == name) for name in ("l1", "l2"))
    s1, c1, s12, c12 = sp.sin(a), sp.cos(a), sp.sin(a + b), sp.cos(a + b)
    half = sp.Rational(1, 2)
    expected = sp.Matrix(
        [
            [-l1 * s1 * half, 0],
            [l1 * c1 * half, 0],
            [1, 0],
            [-l1 * s1 - l2 * s12 * half, -l2 * s12 * half],
            [l1 * c1 + l2 * c12 * half, l2 * c12 * half],
            [1, 1],
        ]
    )
    assert (found.R - expected).expand() == sp.zeros(6, 2)
    rates = sum((expected.diff(x) * dx for x, dx in zip(found.theta, found.rates, strict=True)), sp.zeros(6, 2))
    assert (found.Rdot - rates).expand() == sp.zeros(6, 2)
    assert found.rows == mbs.velocity_transformation(two_link()).rows


def some_of_each(dimension: int):
    """Two bodies, one joint the other way round, and what floats."""
    if dimension == 2:
        model = mbs.PlanarModel("plane")
        a, b, c = (model.body(name, 1.0, 0.1, position=(k, 0.1)) for k, name in enumerate("abc"))
        model.add(
            mbs.PinInSlot("P", b.at(0.1, 0.2, angle=0.3), a.at(0.3, 0)),
            mbs.Translational("T", b.at(0, 0.1, angle=0.2), c.at(0.2, 0.1)),
        )
        return model
    model = mbs.SpatialModel("space")
    a, b, c = (model.body(name, 1.0, 0.1, position=(k, 0.1, 0)) for k, name in enumerate("abc"))
    model.add(
        mbs.Spherical("S", a, model.ground, at=(0.1, 0.2, 0)),
        mbs.Screw("N", b, model.ground, at=(0.5, 0, 0.1), axis=(1, 0, 0), pitch=0.2),
        mbs.Universal("U", b, c, at=(1.5, 0.2, 0.1), axis=(0, 0, 1)),
    )
    return model


@pytest.mark.parametrize("model", [two_link(), some_of_each(2), some_of_each(3)], ids=lambda m: m.name)
def test_expressions_have_the_values_of_the_numbers(model):
    found = mbs.velocity_transformation(model, explicit=True)
    numbers = moving_pose(model.compile())
    put = {p.symbol: p.value for p in model.parameters.values()}
    put |= dict(zip((*found.theta, *found.rates), (*numbers.theta, *numbers.rates), strict=True))
    order = [found.rows.index(name) for name in numbers.rows]
    for name in ("R", "Rdot"):
        values = np.array(getattr(found, name).subs(put), dtype=float)[order]
        np.testing.assert_allclose(values, getattr(numbers, name), atol=1e-12)
    assert found.columns == numbers.columns
