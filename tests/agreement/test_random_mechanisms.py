"""Mechanisms at random, with joints said twice and loops that hold nothing: the same freedom in every coordinate set,
and the same motion. Places and axes are oblique, so that nothing is zero by accident of the axes."""

import numpy as np
import pytest
import sympy as sp
from refusals import refused

import mbs_dae as mbs
from mbs_dae.poses.dependence import PoseRank

SETS = ("natural", "joint")
PLANAR = ("Revolute", "Revolute", "Revolute", "Translational", "Fixed", "PinInSlot", "Distance")
SPATIAL = ("Revolute", "Spherical", "Cylindrical", "Prismatic", "Planar", "PointOnLine", "PointInPlane")


def mechanism(seed, dimension):
    """One to four bodies, most of them on a body before, and up to two joints more than a tree has."""
    random = np.random.default_rng(seed)
    kind, size = (mbs.PlanarModel, 2) if dimension == 2 else (mbs.SpatialModel, 3)
    model = kind(f"mechanism {seed}", gravity=(0.0,) * (size - 1) + (-9.81,))
    places, axes = random.uniform(-1, 2, (3, size)), random.standard_normal((2, 3))
    bodies = [model.ground]
    for k in range(random.integers(1, 5)):
        pose = {"angle": random.uniform(-1, 1)} if size == 2 else {}
        moments = random.uniform(0.1, 0.3) * (np.array([1.0, 1.2, 0.9]) if size == 3 else 1.0)
        inertia = tuple(moments) if size == 3 else float(moments)
        position = tuple(random.uniform(-1, 1, size))
        bodies.append(model.body(f"b{k}", random.uniform(0.5, 2), inertia, position=position, **pose))
    pairs = [(bodies[random.integers(k)], bodies[k]) for k in range(1, len(bodies)) if random.random() < 0.9]
    pairs += [tuple(bodies[i] for i in random.permutation(len(bodies))[:2]) for _ in range(random.integers(3))]
    for k, (first, second) in enumerate(pairs):
        name = (PLANAR if size == 2 else SPATIAL)[random.integers(7)]
        where = {"at": tuple(random.choice(places))}
        if size == 3 and name != "Spherical":
            where["axis"] = tuple(random.choice(axes))
        model.add(getattr(mbs, name)(f"{name}{k}", first, second, **({} if name == "Distance" else where)))
    return model


def freedom(system, q):
    return system.nv - len(system.rows) + len(PoseRank(system, 0.0, q).dependent(range(len(system.rows))))


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("dimension", [2, 3])
def test_the_same_freedom(seed, dimension):
    model = mechanism(seed, dimension)
    state = mbs.assemble(model)
    expected = freedom(state.system, state.full_q)
    for coordinates in SETS:
        system = model.compile(coordinates)
        q, _, _ = (x[0] for x in system.from_bodies((state.full_q[None], state.full_v[None], state.full_a[None])))
        assert freedom(system, q) == expected, coordinates


def same_motion(model, initial=None):
    times = np.linspace(0.0, 0.3, 4)
    runs = [
        mbs.simulate(model.compile(c), times, initial, method="DP8", rtol=1e-11, stabilization=mbs.Projection())
        for c in ("cartesian", *SETS)
    ]
    places = [n for n in runs[0].names if runs[0].unit(n) in ("m", "rad")]
    for run in runs[1:]:
        assert max(np.abs(run[n] - runs[0][n]).max() for n in places) < 1e-8
    return runs


def test_a_pin_and_a_slot_through_one_point():
    """What the slot says of the pin's point is the difference of equal numbers: nothing, not its roundoff."""
    p, q = (0.5354, 1.8514), (-0.5675, 1.8459)
    model = mbs.PlanarModel("slot", gravity=(0, -9.81))
    a = model.body("a", mass=1, inertia=0.1, position=(-0.37, -0.15), angle=0.655)
    b = model.body("b", mass=1, inertia=0.1, position=(0.65, -0.18), angle=-0.531)
    model.add(
        mbs.Revolute("R1", a, model.ground, at=p),
        mbs.Revolute("R2", a, b, at=q),
        mbs.PinInSlot("P", a, model.ground, at=p),
    )
    runs = same_motion(model)
    assert {run.stats["redundant_equations"] for run in runs} == {1}
    assert abs(runs[0]["a.angle"][-1] - runs[0]["a.angle"][0]) > 0.05


def test_a_door_on_two_hinges():
    """Both hinges turn about one oblique axis; the second one is redundant."""
    model = mbs.SpatialModel("door", gravity=(0, 0, -9.81))
    door = model.body("door", mass=20, inertia=(2.0, 3.0, 1.5), position=(0.4, 0.3, 1.0))
    foot, axis = np.array([0.1, -0.2, 0.3]), np.array([0.2, 0.1, 1.0])
    for name, height in (("lower", 0.0), ("upper", 1.3)):
        model.add(mbs.Revolute(name, model.ground, door, at=tuple(foot + height * axis), axis=tuple(axis)))
    runs = same_motion(model)
    assert abs(runs[0]["lower.angle"][-1] - runs[0]["lower.angle"][0]) > 0.01
    model.add(mbs.Driver("push", mbs.angle(model.elements["lower"]), mbs.t**2))
    efforts = [mbs.inverse_dynamics(model.compile(c), [0.0, 0.1, 0.2]).effort("push") for c in ("cartesian", *SETS)]
    assert np.abs(np.array(efforts) - efforts[0]).max() < 1e-9 * np.abs(efforts[0]).max()


def test_a_python_force_in_every_set():
    def pull(t, i):
        return [(-3.0 * i.x - 0.1 * i.velocity[0], -i.angle)]

    model = mbs.PlanarModel("pulled", gravity=(0, -9.81))
    link = model.link("link", (0, 0), (1, 0), mass=1.0)
    model.add(mbs.Revolute("A", model.ground, link.tail), mbs.PythonForce("pull", link.head, function=pull))
    same_motion(model)


@pytest.mark.parametrize("coordinates", SETS)
def test_a_force_without_a_value_at_the_start_is_told(coordinates):
    model = mbs.PlanarModel("nowhere")
    link = model.link("link", (0, 0), (1, 0), mass=1.0)
    model.add(mbs.Revolute("A", model.ground, link.tail), mbs.Force("F", link.head, (sp.sqrt(-1 - mbs.t), 0)))
    with refused("law-without-value", time=0.0, mentions="F"):
        mbs.simulate(model.compile(coordinates), [0.0, 0.1])


def test_natural_coordinates_refuse_parameters_that_part_what_they_share():
    model = mbs.PlanarModel("plate")
    e = model.parameter("e", 0.1, unit="m")
    plate = model.body("plate", mass=1, inertia=0.1)
    bars = [model.link(f"bar{k}", (0.1, 0), (1.0, k), mass=1.0) for k in range(2)]
    model.add(mbs.Revolute("A", plate.at(sp.Abs(e), 0), bars[0].tail), mbs.Revolute("B", plate.at(e, 0), bars[1].tail))
    model.compile("natural")
    with refused("frame-of-other-values", body="plate"):
        model.with_parameters(e=-0.1).compile("natural")


def test_long_arms_answer_as_short_ones_do():
    model = mbs.PlanarModel("forty links")
    end = model.ground.at(0, 0)
    for k in range(40):
        link = model.link(f"link{k}", (k, 0), (k + 1, 0), mass=1.0)
        model.add(mbs.Revolute(f"J{k}", end, link.tail))
        end = link.head
    found = mbs.forward_kinematics(model, {"J0.angle": np.pi / 2})
    assert found.joints["J1.angle"] == 0.0
    assert np.allclose(found.point("link39.head"), (0.0, 40.0), atol=1e-12)
    assert np.allclose(mbs.task_jacobian(model, "link39.head").matrix[1], np.arange(40, 0, -1))
    (solution,) = mbs.inverse_kinematics(model, {"link39.head": (20.0, 10.0)}, all=False, tries=2)
    assert solution.residual < 1e-10


def test_rows_of_velocities_do_not_hold_an_arm_in_place():
    model = mbs.PlanarModel("arm on a blade")
    upper, fore = model.link("upper", (0, 0), (1, 0), mass=1.0), model.link("fore", (1, 0), (2, 0), mass=1.0)
    model.add(mbs.Revolute("A", model.ground, upper.tail), mbs.Revolute("B", upper.head, fore.tail))
    model.add(mbs.KnifeEdge("blade", model.ground, fore.head))
    assert mbs.forward_kinematics(model, {"A.angle": np.pi / 2}).joints["B.angle"] == 0.0
