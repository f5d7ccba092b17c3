"""A rod without a moment of inertia about its axis moves alike, and its joints push alike, wherever the frame of its
body stands, in the middle, elsewhere on the axis, or beside it, and however it is turned."""

import numpy as np
import pytest
from gallery import load
from members import check_members
from refusals import refused

import mbs_dae as mbs

SETS = "cartesian", "natural", "joint"
MASS, LENGTH = 0.8, 0.4
FRAMES = {
    "in the middle": (0.0, 0.0, 0.0),
    "on the axis": (0.07, 0.0, 0.0),
    "beside the axis": (0.05, 0.03, -0.02),
}


TURNS = {
    "along the axis": np.eye(3),
    "turned a little": mbs.rotations.about((0, 1, 0), 1e-3),
    "turned": mbs.rotations.about((0.4, -0.7, 1.1), 1.4),
}


def linkage(at=(0.0, 0.0, 0.0), turn=TURNS["along the axis"], mass=MASS, spin=0.0) -> mbs.SpatialModel:
    """The RSSR linkage of models/, let go; the frame of its rod stands `at` a place in the axes of the rod, and `turn`
    has its axes as columns. The mass m of the rod is a parameter; its moment of inertia about its axis is the part
    `spin` of that about the others."""
    rssr = load("rssr")
    model = rssr.build(coupler="distance").without("motor", "coupler")
    crank, rocker = model.bodies["crank"], model.bodies["rocker"]
    tail, pivot = np.array([0.1, 0.0, 0.0]), np.array([0.15, 0.3, 0.05])
    psi = rssr.output_angle(0.25, LENGTH, tail - pivot)
    head = pivot + 0.25 * np.array([0.0, np.cos(psi), np.sin(psi)])
    along = (head - tail) / LENGTH
    across = np.array([0.0, 0.0, 1.0]) - along[2] * along
    across /= np.linalg.norm(across)
    axes = np.column_stack([along, np.cross(across, along), across])
    m = model.parameter("m", mass)
    own = lambda x: tuple((np.array(x) @ turn).tolist())  # noqa: E731
    place = lambda x: own(np.array([x, 0.0, 0.0]) - at)  # noqa: E731
    position = tuple(((tail + head) / 2 + axes @ at).tolist())
    tensor = turn.T @ np.diag((spin, 1.0, 1.0)) @ turn * LENGTH**2 / 12
    inertia = [[m * x for x in row] for row in ((tensor + tensor.T) / 2).tolist()]
    rod = model.body("rod", m, inertia, com=place(0.0), position=position, rotation=axes @ turn)
    pin = rod.at(*place(-LENGTH / 2), axis=own((0, 0, 1)), x_axis=own((1, 0, 0)))
    model.add(
        mbs.Universal("B", crank.at(0.05, 0, 0, axis=(1, 0, 0), x_axis=(0, 0, 1)), pin),
        mbs.Spherical("D", rod.at(*place(LENGTH / 2)), rocker.head),
    )
    return model


def accelerations(model: mbs.SpatialModel, coordinates: str) -> np.ndarray:
    run = mbs.simulate(model.compile(coordinates), [0.0, 0.05], {"input.omega": 3.0}, rtol=1e-11)
    turns = [np.array([run[f"{name}.alpha{axis}"] for axis in "xyz"]).T for name in ("crank", "rocker")]
    return np.hstack([*turns, run.reaction("B")[:, :3], run.reaction("D")[:, :3]])


each_frame = pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
each_turn = pytest.mark.parametrize("turn", TURNS.values(), ids=TURNS)
each_set = pytest.mark.parametrize("coordinates", SETS)


@each_frame
@each_turn
@each_set
def test_the_frame_of_a_rod_changes_nothing(frame, turn, coordinates):
    expected = accelerations(linkage(), "joint")
    found = accelerations(linkage(frame, turn), coordinates)
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-10 * np.abs(expected).max())


def forces(result) -> np.ndarray:
    return np.hstack([result.reaction("B")[:, :3], result.reaction("D")[:, :3]])


@each_turn
@each_set
def test_reactions_of_a_rod_do_not_depend_on_its_frame(turn, coordinates):
    """Driven and at rest on a spring; and they are called unique."""
    for where in FRAMES.values():
        driven, resting = [], []
        for model, chosen in ((linkage(), "joint"), (linkage(where, turn), coordinates)):
            model.add(mbs.TorsionSpring("spring", model.elements["input"], stiffness=10.0))
            resting.append(forces(mbs.equilibrium(model.compile(chosen))))
            model.add(mbs.Driver("motor", mbs.angle(model.elements["input"]), 5.0 * mbs.t))
            result = mbs.inverse_dynamics(model.compile(chosen), [0.0, 0.1, 0.2])
            assert result.is_unique("B").all() and result.is_unique("D").all()
            driven.append(forces(result))
        for expected, found in (driven, resting):
            np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-10 * np.abs(expected).max())


@each_turn
@each_set
def test_assembled_accelerations_do_not_depend_on_the_frame_of_a_rod(turn, coordinates):
    known, found = (
        mbs.assemble(model.compile(chosen), fix={"input.omega": 3.0}, forces=True)
        for model, chosen in ((linkage(), "joint"), (linkage(FRAMES["beside the axis"], turn), coordinates))
    )
    for name in ("crank.alphaz", "rocker.alphax"):
        assert found[name] == pytest.approx(known[name], rel=1e-10)


@each_turn
@each_set
def test_a_rod_that_may_spin_between_two_balls_is_refused(turn, coordinates):
    model = mbs.SpatialModel("loose", gravity=(0, 0, -9.81))
    arms = [model.body(name, 1.0, (0.1, 0.1, 0.1), position=(x, 0, 0)) for name, x in (("left", 0), ("right", 1))]
    rod = model.body("rod", 1.0, turn.T @ np.diag((0.0, 0.1, 0.1)) @ turn, position=(0.5, 0, 0.3), rotation=turn)
    for arm, x in zip(arms, (0.0, 1.0), strict=True):
        model.add(mbs.Revolute(f"{arm.name} pin", model.ground, arm, at=(x, 0, 0), axis=(0, 1, 0)))
        model.add(mbs.Spherical(f"{arm.name} ball", arm, rod, at=(x, 0, 0.3)))
    with refused(("mass-not-of-frame", "motion-without-mass"), mentions="rod"):
        mbs.simulate(model.compile(coordinates), [0.0, 0.1])


@pytest.mark.parametrize("mass", [MASS, 0.0])
@each_set
def test_members_of_an_ensemble_are_their_own_runs_whichever_have_light_rods(mass, coordinates):
    model = linkage(FRAMES["beside the axis"], TURNS["turned"], mass, spin=0.01)
    check_members(model, coordinates, 0.02, {"input.omega": 3.0}, ["crank.alphaz", "rocker.alphax"])


def on_a_torsion_spring() -> mbs.SpatialModel:
    """A rod in a pin along its axis, turned in its frame: a spring as stiff as its moment of inertia s about that axis
    is large, so that the rod swings at 1 rad/s."""
    turn = TURNS["turned"]
    model = mbs.SpatialModel("on a torsion spring")
    s = model.parameter("s", 1e-3)
    tensor = [[sum(turn[k, i] * (s, 0.1, 0.1)[k] * turn[k, j] for k in range(3)) for j in range(3)] for i in range(3)]
    symmetric = [[tensor[min(i, j)][max(i, j)] for j in range(3)] for i in range(3)]
    rod = model.body("rod", 1.0, symmetric, position=(0.5, 0, 0), rotation=turn)
    pin = model.add(mbs.Revolute("pin", model.ground, rod, at=(0, 0, 0), axis=(1, 0, 0)))
    model.add(mbs.TorsionSpring("spring", pin, stiffness=s, angle=1.0))
    return model


@each_set
def test_a_moment_lost_in_roundoff_is_told_of_each_design(coordinates):
    """Members that keep their moments are right; the others are failures that name the body."""
    model = on_a_torsion_spring()
    found = mbs.ensemble(model.compile(coordinates), [0.0, 0.1], {"s": [1e-3, 1e-12, 1e-4]}, outputs=["pin.alpha"])
    assert np.allclose(found["pin.alpha"][[0, 2], 0], 1.0, rtol=1e-7)
    (failure,) = found.failures
    assert failure.member == 1 and "'rod'" in failure.message


@each_set
def test_small_motions_with_a_moment_lost_in_roundoff_are_refused(coordinates):
    model = on_a_torsion_spring()
    for s in (1e-3, 1e-5):
        there = model.with_parameters(s=s)
        law = mbs.linearize(there.compile(coordinates), mbs.assemble(there, fix={"pin.angle": 1.0}))
        assert law.frequencies == pytest.approx([1.0], rel=1e-9)
    lost = model.with_parameters(s=1e-10)
    with refused(("inertia-lost-in-roundoff", "mass-not-of-frame"), mentions="rod"):
        mbs.linearize(lost.compile(coordinates), mbs.assemble(lost, fix={"pin.angle": 1.0}))
