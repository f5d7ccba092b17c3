"""Bad input in space is told at the door: which element it is, what is wrong with it, and what to do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
import sympy as sp
from refusals import refused

import mbs_dae as mbs


class Scene(NamedTuple):
    """Two bodies in space, and two in the plane."""

    model: Any
    a: Any
    b: Any
    plane: Any
    pa: Any
    pb: Any

    @property
    def ground(self):
        return self.model.ground

    def on_ground(self, cls: type, **more: Any) -> Any:
        return cls("G", self.ground, self.a, at=(0, 0, 0), **more)


def scene() -> Scene:
    model, plane = mbs.SpatialModel("space"), mbs.PlanarModel("plane")
    a, b = model.body("a", 1.0, 1.0), model.body("b", 1.0, 1.0, position=(1, 0, 0))
    return Scene(model, a, b, plane, plane.body("pa", 1.0, 1.0), plane.body("pb", 1.0, 1.0))


def body(**data: Any) -> Any:
    return mbs.SpatialModel("m").body("x", **{"mass": 1.0, "inertia": 1.0, **data})


def raises(message: str, call: Callable, *args: Any) -> None:
    """The message is this, or starts or ends like this."""
    with pytest.raises(mbs.ModelError) as caught:
        call(*args)
    assert str(caught.value).startswith(message) or str(caught.value).endswith(message), str(caught.value)


LARGER = "no body has one larger than the other two together; check that it is about the centre of mass, and its units"
NEGATIVE = "none may be negative: mind the signs of products"
BODIES = {
    "a moment too large": ({"inertia": (1, 1, 3)}, f"inertia of body 'x' has principal moments 1, 1, 3: {LARGER}"),
    "a tensor with one too large": ({"inertia": np.diag([3, 1, 1.5])}, LARGER),
    "not symmetric": (
        {"inertia": [[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]},
        "inertia of body 'x' is not symmetric; give a tensor with I[j][k] = I[k][j]",
    ),
    "a negative moment": ({"inertia": (1, -1, 1)}, f"inertia of body 'x' has principal moments -1, 1, 1; {NEGATIVE}"),
    "products too large": (
        {"inertia": [[1, 2, 0], [2, 1, 0], [0, 0, 1]]},
        f"inertia of body 'x' has principal moments -1, 1, 3; {NEGATIVE}",
    ),
    "one negative moment for all": ({"inertia": -1}, NEGATIVE),
    "not a number": (
        {"inertia": (1, float("nan"), 1)},
        "a number in the inertia of body 'x' is nan; give a finite number",
    ),
    "two moments": (
        {"inertia": (1, 1)},
        "inertia of body 'x' must be three principal moments or a 3 x 3 tensor, not (1, 1)",
    ),
    "a text": ({"inertia": "big"}, "inertia of body 'x' must be three principal moments or a 3 x 3 tensor, not 'big'"),
    "a negative mass": ({"mass": -1}, "mass of body 'x' is -1; it must not be negative"),
    "a centre in the plane": ({"com": (0, 0)}, "com of body 'x' must be a triple (x, y, z), not (0, 0)"),
    "a place in the plane": ({"position": (1, 2)}, "position of body 'x' must be a triple (x, y, z), not (1, 2)"),
    "a mirror": ({"rotation": np.diag([1.0, 1.0, -1.0])}, "rotation of body 'x' is a left-handed frame"),
    "a left-handed frame": (
        {"rotation": [[0, 1, 0], [1, 0, 0], [0, 0, 1]]},
        "a reflection and no rotation; turn one of its axes round or swap two of them",
    ),
    "axes of other lengths": (
        {"rotation": np.diag([1.0, 1.0, 2.0])},
        "rotation of body 'x' is not a rotation matrix: its columns are not orthonormal",
    ),
    "a matrix of the plane": ({"rotation": np.eye(2)}, "rotation of body 'x' has the shape (2, 2); give a 3x3 matrix"),
    "an angle": ({"rotation": 0.3}, "rotation of body 'x' has the shape (); give a 3x3 matrix or a quaternion"),
    "no quaternion": (
        {"rotation": (0, 0, 0, 0)},
        "rotation of body 'x' is the zero quaternion; no rotation is (1, 0, 0, 0), scalar first",
    ),
}


@pytest.mark.parametrize("case", BODIES)
def test_a_body_that_cannot_be(case):
    data, message = BODIES[case]
    raises(message, lambda: body(**data))


def test_a_body_may_be_a_rod_a_point_or_a_plate():
    """At the limits of what there is: these are no errors."""
    for inertia in ((0, 1, 1), 0, (0, 0, 0), (1, 1, 2), (1, 2, 3)):
        moments = np.broadcast_to(inertia, 3)
        assert np.array_equal(np.array(body(inertia=inertia).inertia, dtype=float), np.diag(moments))


TRIPLE = "must be a triple (x, y, z), not "
MARKERS: dict[str, tuple[Callable[[Scene], Any], str]] = {
    "no axis": (
        lambda s: s.a.at(0, 0, 0, axis=(0, 0, 0)),
        "a marker on body 'a': the axis is zero; give the direction of the axis",
    ),
    "no axis of a joint": (
        lambda s: s.on_ground(mbs.Revolute, axis=(0, 0, 0)),
        "Revolute 'G': the axis is zero; give the direction of the axis",
    ),
    "an axis of the plane": (lambda s: s.a.at(0, 0, 0, axis=(0, 1)), f"axis= of a marker on body 'a' {TRIPLE}(0, 1)"),
    "an axis that is no number": (
        lambda s: s.a.at(0, 0, 0, axis=(0, 0, float("inf"))),
        "z of the axis= of a marker on body 'a' is inf; give a finite number",
    ),
    "x along z": (
        lambda s: s.a.at(0, 0, 0, axis=(1, 0, 0), x_axis=(2, 0, 0)),
        "a marker on body 'a': the x axis is parallel to the axis; give another direction for x",
    ),
    "x along the axis that was not told": (
        lambda s: s.a.at(0, 0, 0, x_axis=(0, 0, 2)),
        "a marker on body 'a': the x axis is parallel to the axis; give another direction for x",
    ),
    "x against the axis of a joint": (
        lambda s: s.on_ground(mbs.Universal, axis=(0, 0, 1), x_axis=(0, 0, -1)),
        "Universal 'G': the x axis is parallel to the axis; give another direction for x",
    ),
    "two coordinates": (
        lambda s: s.a.at(1, 2),
        "a marker on body 'a' in space needs three coordinates, got (1, 2); write body.at(x, y, z)",
    ),
    "two coordinates of a joint": (
        lambda s: mbs.Revolute("A", s.ground, s.a, at=(0, 0)),
        f"at= of Revolute 'A' {TRIPLE}(0, 0)",
    ),
    "a frame told twice": (
        lambda s: s.a.at(1, 2, 3, axis=(0, 0, 1), rotation=np.eye(3)),
        "a marker on body 'a' got rotation= and an axis; give one of them",
    ),
    "a left-handed frame": (
        lambda s: s.a.at(1, 2, 3, rotation=np.diag([1.0, -1.0, 1.0])),
        "rotation of a marker on body 'a' is a left-handed frame",
    ),
    "an axis without a place": (
        lambda s: mbs.Revolute("A", s.ground, s.a, axis=(0, 0, 1)),
        "Revolute 'A' got axis= without at=",
    ),
    "gravity of the plane": (
        lambda s: mbs.SpatialModel("m", gravity=(0, -9.81)),
        "gravity must be a triple (x, y, z), not (0, -9.81)",
    ),
    "gravity as a number": (lambda s: mbs.SpatialModel("m", gravity=-9.81), f"gravity {TRIPLE}-9.81"),
    "gravity of space": (
        lambda s: mbs.PlanarModel("m", gravity=(0, 0, -9.81)),
        "gravity must be a pair (x, y), not (0, 0, -9.81)",
    ),
    "a link from a point to itself": (
        lambda s: s.model.link("l", (1, 1, 1), (1, 1, 1)),
        "link 'l' has no length: P and Q are the same point; move one of them",
    ),
    "a link in the plane": (lambda s: s.model.link("l", (0, 0), (1, 0)), f"P of link 'l' {TRIPLE}(0, 0)"),
    "a link thinner than nothing": (
        lambda s: s.model.link("l", (0, 0, 0), (1, 0, 0), radius=-1),
        "radius of link 'l' is -1; it must not be negative",
    ),
    "a body joined to itself": (
        lambda s: mbs.Spherical("A", s.a, s.a.at(1, 0, 0)),
        "Spherical 'A' joins body 'a' to itself; name two different bodies",
    ),
}


@pytest.mark.parametrize("case", MARKERS)
def test_a_place_or_an_axis_that_cannot_be(case):
    call, message = MARKERS[case]
    raises(message, call, scene())


MIXED: dict[str, tuple[Callable[[Scene], Any], str]] = {
    "a joint": (
        lambda s: mbs.Revolute("A", s.pa, s.a),
        "Revolute 'A' mixes bodies in the plane with bodies in space; use those of one model",
    ),
    "a measure": (
        lambda s: mbs.angle(s.pa, s.a),
        "angle() mixes a body in the plane with a body in space; use those of one model",
    ),
    "a spring": (
        lambda s: mbs.Spring("A", s.a, s.pa, stiffness=1),
        "distance() mixes a body in the plane with a body in space; use those of one model",
    ),
    "a force in Python": (
        lambda s: mbs.PythonForce("A", s.a, s.pa, function=print),
        "PythonForce 'A' mixes bodies in the plane with bodies in space; use those of one model",
    ),
    "a planar joint in space": (
        lambda s: s.model.add(mbs.Revolute("A", s.pa, s.pb)),
        "Revolute 'A' is between bodies in the plane, and model 'space' is in space; use bodies of this model",
    ),
    "a spatial joint in the plane": (
        lambda s: s.plane.add(mbs.Revolute("A", s.a, s.b)),
        "Revolute 'A' is between bodies in space, and model 'plane' is in the plane; use bodies of this model",
    ),
    "a ball in the plane": (
        lambda s: mbs.Spherical("A", s.pa, s.pb),
        "there is no Spherical in the plane ('A'); take a Revolute",
    ),
    "faces in the plane": (
        lambda s: mbs.Planar("A", s.pa, s.pb),
        "there is no Planar in the plane ('A'); bodies move in the plane without it",
    ),
    "a thread in the plane": (
        lambda s: mbs.Screw("A", s.pa, s.pb, pitch=1),
        "there is no Screw in the plane ('A')",
    ),
    "z in the plane": (
        lambda s: mbs.z(s.pa),
        "z() is for bodies in space, and 'pa' is in the plane; use x, y or angle",
    ),
    "wx in the plane": (
        lambda s: mbs.wx(s.pa),
        "wx() is for bodies in space, and 'pa' is in the plane; use x, y or angle",
    ),
}


@pytest.mark.parametrize("case", MIXED)
def test_plane_and_space_do_not_mix(case):
    call, message = MIXED[case]
    raises(message, call, scene())


def test_what_is_in_the_plane_alone_cannot_be_said_in_space():
    s = scene()
    with refused("unknown-choice", value="angle"):
        mbs.CoordinateFix("c", s.a, "angle", 0)
    with refused("function-raises", argument="phi of Constraint 'c'"):
        mbs.Constraint("c", s.a, phi=lambda i: i.angle)
    with refused("unknown-choice", value="z"):
        mbs.CoordinateFix("c", s.pa, "z", 0)
    with refused("function-raises", argument="phi of Constraint 'c'"):
        mbs.Constraint("c", s.pa, phi=lambda i: i.z)


NEEDS_JOINTS = "Gear 'g' in space needs the joints of both wheels, or four markers"
TWO_ANGLES = "Gear 'g' couples two joints that have an angle; name two revolute joints"
ELEMENTS: dict[str, tuple[Callable[[Scene], Any], str]] = {
    "displacement of a pin": (
        lambda s: mbs.displacement(s.on_ground(mbs.Revolute)),
        "displacement(): Revolute 'G' has no displacement (it has: angle); write displacement(i, j) with two markers",
    ),
    "torsion of a guide": (
        lambda s: mbs.TorsionSpring("s", s.on_ground(mbs.Prismatic), stiffness=1),
        "TorsionSpring 's' needs the angle of something, and Translational 'G' has none; give two markers",
    ),
    "torsion of a ball": (
        lambda s: mbs.TorsionSpring("s", s.on_ground(mbs.Spherical), stiffness=1),
        "TorsionSpring 's' needs the angle of something, and Spherical 'G' has none; give two markers",
    ),
    "friction of a ball": (
        lambda s: mbs.ViscousFriction("s", s.on_ground(mbs.Spherical), coefficient=1),
        "needs the angle or displacement of something, and Spherical 'G' has none; give two markers",
    ),
    "a body against itself": (
        lambda s: mbs.angle(s.a.at(0, 0, 0), s.a.at(1, 0, 0)),
        "angle() measures body 'a' against itself; name two different bodies",
    ),
    "a joint that is driven": (
        lambda s: mbs.Driver("d", s.on_ground(mbs.Revolute), mbs.t),
        "Driver 'd' drives a measure, not <Revolute G>; write mbs.angle(it)",
    ),
    "a gear of two bodies": (lambda s: mbs.Gear("g", s.a, s.b, ratio=2), NEEDS_JOINTS),
    "a gear of three markers": (lambda s: mbs.Gear("g", s.a, s.b, carrier=s.ground, ratio=2), NEEDS_JOINTS),
    "a gear on a guide": (
        lambda s: mbs.Gear("g", s.on_ground(mbs.Prismatic), mbs.Revolute("H", s.ground, s.b, at=(0, 0, 0)), ratio=2),
        TWO_ANGLES,
    ),
    "a gear of a joint with itself": (
        lambda s: (lambda joint: mbs.Gear("g", joint, joint, ratio=2))(s.on_ground(mbs.Revolute)),
        "Gear 'g' couples a joint with itself; name two revolute joints",
    ),
    "a gear of one joint": (lambda s: mbs.Gear("g", s.on_ground(mbs.Revolute), ratio=2), TWO_ANGLES),
    "a thread without a pitch": (lambda s: s.on_ground(mbs.Screw), "Screw 'G' needs pitch; add pitch=... (m)"),
    "a disk without a size": (
        lambda s: mbs.RollingDisk("r", s.ground, s.a, radius=0),
        "radius of RollingDisk 'r' is 0; it must be positive",
    ),
    "a pose of nothing": (
        lambda s: mbs.PoseDriver("p", s.a),
        "PoseDriver 'p' drives nothing; give position= or rotation=",
    ),
    "a pose in the plane": (
        lambda s: mbs.PoseDriver("p", s.a, position=(0, mbs.t)),
        "position of PoseDriver 'p' must be a triple (x, y, z), not (0, t)",
    ),
    "a pose with one number": (
        lambda s: mbs.PoseDriver("p", s.a, position=3),
        "position of PoseDriver 'p' must be a triple (x, y, z), not 3",
    ),
    "a pose with an angle": (
        lambda s: mbs.PoseDriver("p", s.a, rotation=mbs.t),
        "rotation of PoseDriver 'p' must be a 3 x 3 matrix of expressions of mbs.t, not t; write e.g. "
        "mbs.rotations.bryant(a, b, c)",
    ),
    "a pose with a matrix of the plane": (
        lambda s: mbs.PoseDriver("p", s.a, rotation=sp.eye(2)),
        "write e.g. mbs.rotations.bryant(a, b, c)",
    ),
    "a bushing of nothing": (
        lambda s: mbs.Bushing("b", s.a, s.b),
        "Bushing 'b' does nothing; give stiffness= or damping=",
    ),
    "a bushing that has no potential": (
        lambda s: mbs.Bushing("b", s.a, s.b, stiffness=(np.eye(6) + np.eye(6, k=1)).tolist()),
        "stiffness of Bushing 'b' is not symmetric; a force with a potential has K[j][k] = K[k][j]",
    ),
    "a force in the plane": (
        lambda s: mbs.Force("f", s.a, (1, 2)),
        "Force 'f' must be a triple (Fx, Fy, Fz), not (1, 2)",
    ),
    "a force in space": (
        lambda s: mbs.Force("f", s.pa, (1, 2, 3)),
        "Force 'f' must be a pair (Fx, Fy), not (1, 2, 3)",
    ),
    "a wrench of nothing": (lambda s: mbs.Wrench("w", s.a), "Wrench 'w' does nothing; give force= or moment="),
    "pins askew": (
        lambda s: s.on_ground(mbs.Universal, pins=((1, 0, 0), (1, 1, 0))),
        "the pins of Universal 'G' must be at right angles, as those of a cross are; they make 45°; take for",
    ),
    "pins that may be askew": (
        lambda s: s.on_ground(mbs.Universal, pins=((1, 0, 0), (sp.Symbol("c"), 1, 0))),
        "the pins of Universal 'G' must be at right angles, as those of a cross are; the cosine between them is",
    ),
    "a pin without direction": (
        lambda s: s.on_ground(mbs.Universal, pins=((1, 0, 0), (0, 0, 0))),
        "a pin of Universal 'G' has no direction; give e.g. pins=((1, 0, 0), (0, 1, 0))",
    ),
    "one pin": (lambda s: s.on_ground(mbs.Universal, pins=((1, 0, 0),)), "pins= of Universal 'G' must be a pair"),
    "pins without a place": (
        lambda s: mbs.Universal("u", s.ground, s.a, pins=((1, 0, 0), (0, 1, 0))),
        "Universal 'u' takes pins= with at= and bodies; leave out axis= and x_axis=",
    ),
    "a wrench in unknown axes": (
        lambda s: mbs.Wrench("w", s.a, force=(1, 2, 3), axes="local"),
        "axes of Wrench 'w' is 'local'; choose one of 'world', 'body'",
    ),
    "turning squared": (
        lambda s: mbs.Constraint("c", s.a, psi=lambda i: i.omega.dot(i.omega)),
        "psi of Constraint 'c' must be linear in the velocities",
    ),
}


@pytest.mark.parametrize("case", ELEMENTS)
def test_an_element_that_cannot_be(case):
    call, message = ELEMENTS[case]
    raises(message, call, scene())


@pytest.mark.parametrize("joint", [mbs.Prismatic, mbs.Spherical, mbs.Universal, mbs.Fixed], ids=lambda c: c.__name__)
def test_a_joint_without_an_angle_cannot_be_driven_by_it(joint):
    with refused("no-such-measure", mentions=f"{joint.__name__}"):
        mbs.Driver("d", mbs.angle(scene().on_ground(joint)), mbs.t)


@pytest.mark.parametrize("stiffness", [3, np.ones((5, 6)), "hard"], ids=str)
def test_the_stiffness_of_a_bushing_is_a_list_or_a_square_matrix(stiffness):
    s = scene()
    with refused("wrong-shape", mentions="b"):
        mbs.Bushing("b", s.a, s.b, stiffness=stiffness)


@pytest.mark.parametrize("stiffness", [(1, 2, 3), np.eye(5).tolist()], ids=str)
def test_a_bushing_in_space_has_six_directions(stiffness):
    s = scene()
    with refused("wrong-length", mentions=["b", str(len(stiffness))]):
        mbs.Bushing("b", s.a, s.b, stiffness=stiffness)


def test_parameters_may_not_make_a_body_that_cannot_be():
    model = mbs.SpatialModel("m")
    inertia, mass = model.parameter("J", 1.0), model.parameter("m", 1.0)
    model.body("x", mass, (inertia, 1, 1))
    model.compile()
    raises(f"inertia of body 'x' has principal moments 1, 1, 3: {LARGER}", model.with_parameters(J=3.0).compile)
    raises("mass of body 'x' is -3; it must not be negative", model.with_parameters(m=-3.0).compile)


def hanging() -> mbs.SpatialModel:
    s = scene()
    s.model.add(mbs.Spherical("A", s.ground, s.a, at=(0, 0, 0)), mbs.Fixed("F", s.a, s.b, at=(0, 0, 0)))
    return s.model


RESULTS: dict[str, tuple[Callable[[mbs.Result], Any], str]] = {
    "the screw of a ball": (
        lambda r: r.screw("A"),
        "'A' has no axis to turn about or to slide along; name a revolute or sliding joint",
    ),
    "the screw of a weld": (
        lambda r: r.screw("F"),
        "'F' has no axis to turn about or to slide along; name a revolute or sliding joint",
    ),
    "the angle of a body": (lambda r: r["a.angle"], "model 'space' has no quantity 'a.angle'; use one of: a.a, "),
    "the angle of a ball": (lambda r: r["A.angle"], "model 'space' has no quantity 'A.angle'; "),
    "a body that there is not": (lambda r: r.rotation("q"), "the result has no body 'q'; use one of: a, b"),
    "its quaternion": (lambda r: r.quaternion("q"), "the result has no body 'q'; use one of: a, b"),
    "a joint that there is not": (
        lambda r: r.wrench("q"),
        "the result has no joint, driver or force 'q'; use one of: A, F",
    ),
    "other axes": (
        lambda r: r.reaction("A", axes="body"),
        "the result has no axes 'body'; use one of: a, b, first, ground, second, world",
    ),
    "the effort of a ball": (lambda r: r.effort("A"), "'A' has no single effort; read reaction('A')"),
}


@pytest.mark.parametrize("case", RESULTS)
def test_a_result_that_there_is_not(case):
    call, message = RESULTS[case]
    raises(message, call, run())


def run() -> mbs.Result:
    return mbs.simulate(hanging(), [0, 0.1], {"a.wx": 1.0})


def test_unknown_results_name_what_is_unknown():
    for call in (run().twist, run().screw):
        with refused("unknown-name", name="q"):
            call("q")


def test_screws_are_read_in_space():
    plane = scene().plane
    raises(
        "twists and wrenches are read of motions in space; in the plane read vx, vy, omega and reaction()",
        mbs.simulate(plane, [0, 1]).twist,
        "pa",
    )


@pytest.mark.parametrize("mass", [0.0, 1.0], ids=["without mass", "with mass"])
def test_a_thin_rod_between_two_balls_spins_without_inertia(mass):
    """About its own axis, which no joint holds: its acceleration is nobody's."""
    model = mbs.SpatialModel("m", gravity=(0, 0, -9.81))
    rod, bob = model.link("rod", (0, 0, 0), (1, 0, 0), mass=mass), model.body("bob", 1.0, 1.0, position=(2, 0, 0))
    model.add(mbs.Spherical("A", model.ground, rod.tail), mbs.Spherical("B", rod.head, bob.at(-1, 0, 0)))
    raises(
        "'rod' of 'm' can move without moving any mass that counts beside the heaviest that constraints join it "
        "to (1e-14 of it), so its acceleration is undetermined; give it a mass and an inertia, or hold it by joints",
        lambda: mbs.simulate(model, [0, 0.1]),
    )


def test_a_disk_that_lies_flat_has_no_lowest_point():
    s = scene()
    s.model.add(mbs.RollingDisk("r", s.ground.at(0, 0, 0), s.a.at(0, 0, 0), radius=1))
    with refused("not-finite", mbs.MbsError, joints=["r"]):
        mbs.simulate(s.model, [0, 1])


def test_unknown_initial_values_are_told_with_what_is_meant():
    s = scene()
    s.model.add(s.on_ground(mbs.Revolute))
    raises("did you mean 'G.omega'?", lambda: mbs.simulate(s.model, [0, 1], {"a.omega": 1.0}))
    with refused("unknown-name", kind="quantity", name="a.e0"):
        mbs.simulate(s.model, [0, 1], {"a.e0": 1.0})
    raises("this version has no coordinate set 'naturel'; did you mean 'natural'", s.model.compile, "naturel")


@pytest.mark.parametrize("vector", [(1, 2, 3), [1, 2, 3], np.array([1.0, 2.0, 3.0]), sp.Matrix([1, 2, 3])], ids=type)
def test_a_vector_in_place_of_an_effort_is_a_force_or_a_wrench(vector):
    model = mbs.SpatialModel("free")
    body = model.body("body", mass=1.0, inertia=(1.0, 1.0, 1.0))
    with refused("is-a-vector", subject="Torque 'T'"):
        mbs.Torque("T", body, vector)
    with refused("is-a-vector", subject="Torque 'T'"):
        mbs.Torque("T", body, torque=vector)
    with refused("is-a-vector", subject="Actuator 'A'"):
        mbs.Actuator("A", model.ground, body, vector)
