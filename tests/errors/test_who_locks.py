"""The error of a dead point names the joints and drivers that lock; all verbs report a singular start alike."""

import numpy as np
import pytest
from refusals import refused

import mbs_dae as mbs

SETS = ("cartesian", "natural", "joint")


def excavator(slow=1.0):
    """Boom, arm and bucket on three cylinders; that of the bucket is at full stretch in less than half a second, when
    its eye, its foot and the pin of the bucket are in line."""
    model = mbs.PlanarModel("excavator")
    boom = model.link("boom", (0, 0), (3, 2))
    arm, bucket = model.link("arm", (3, 2), (5, 0.5)), model.link("bucket", (5, 0.5), (5.5, -0.5))
    model.add(
        mbs.Revolute("P boom", model.ground, boom.tail),
        mbs.Revolute("P arm", boom.head, arm.tail),
        mbs.Revolute("P bucket", arm.head, bucket.tail),
    )

    def cylinder(name, base, foot, load, eye, speed):
        way = np.subtract(eye, foot)
        angle, length = np.arctan2(way[1], way[0]), float(np.hypot(*way))
        barrel = model.body(f"{name} barrel", position=foot, angle=angle)
        rod = model.body(f"{name} rod", position=eye, angle=angle)
        model.add(
            mbs.Revolute(f"{name} foot", base.at_world(foot), barrel),
            mbs.Revolute(f"{name} eye", load.at_world(eye), rod),
            mbs.Translational(f"{name} slide", barrel, rod),
            mbs.Driver(f"{name} drive", mbs.distance(barrel, rod), length + speed * slow * mbs.t),
        )

    cylinder("lift", model.ground, (0.6, -0.3), boom, (1.5, 1.0), 0.2)
    cylinder("stick", boom, (1.5, 1.4), arm, (2.8, 2.4), 0.05)
    cylinder("tilt", arm, (3.3, 2.1), bucket, (5.15, 0.2), 0.05)
    return model


@pytest.mark.parametrize("coordinates", SETS)
def test_one_cylinder_at_full_stretch_is_named_alone(coordinates):
    with refused("dead-point", mbs.SingularConfigurationError) as told:
        mbs.kinematics(excavator().compile(coordinates), np.linspace(0, 2, 21))
    assert {*told.value.joints} == {"P bucket", "tilt foot", "tilt eye", "tilt drive"}
    assert "lift" not in str(told.value) and "stick" not in str(told.value)
    pose = told.value.facts["pose"]
    foot, eye, pin = (
        np.array([pose[f"{name}.x"], pose[f"{name}.y"]]) for name in ("tilt barrel", "tilt rod", "bucket")
    )
    pin -= 0.5 * np.hypot(0.5, 1.0) * np.array([np.cos(pose["bucket.angle"]), np.sin(pose["bucket.angle"])])
    one, other = eye - foot, pin - foot
    assert abs(one[0] * other[1] - one[1] * other[0]) < 1e-3 * np.linalg.norm(one) * np.linalg.norm(other)


@pytest.mark.parametrize("coordinates", SETS)
def test_what_is_redundant_everywhere_is_not_blamed(coordinates):
    """Two four-bars in space, one beside the other, whose hinges are redundant; the second one is driven too far."""
    model = mbs.SpatialModel("two in space")
    for who, far in (("a", 0.3), ("b", 3.0)):
        points = {"O": (0, 0), "A": (0.3, 0.9), "B": (1.8, 1.2), "C": (2, 0)}
        at = {k: (x, y + (who == "b") * 5, 0) for k, (x, y) in points.items()}
        bars = [model.link(f"{who}{p}{r}", at[p], at[r]) for p, r in ("OA", "AB", "BC")]
        ends = {"O": (model.ground, bars[0]), "A": bars[:2], "B": bars[1:], "C": (bars[2], model.ground)}
        for name, (i, j) in ends.items():
            model.add(mbs.Revolute(f"{who}{name}", i, j, at=at[name], axis=(0, 0, 1)))
        model.add(mbs.Driver(f"{who} motor", mbs.angle(model.elements[f"{who}C"]), far * mbs.t))
    with refused("dead-point", mbs.SingularConfigurationError) as told:
        mbs.kinematics(model.compile(coordinates), np.linspace(0, 2, 21))
    assert {*told.value.joints} == {"bO", "bA", "bB", "bC", "b motor"}


def flat(d=0.0):
    """A parallelogram in line, or one turned by d."""
    points = {"A": (0, 0), "B": (0.4, 0), "C": (1.4, 0), "D": (1, 0)}
    rods = {"crank": "AB", "coupler": "BC", "rocker": "CD"}
    model = mbs.PlanarModel.from_points(points, rods=rods, fixed="AD", mass=1.0)
    model.add(mbs.Driver("motor", mbs.angle(model.bodies["crank"]), mbs.t))
    return model


def almost_dead(beside):
    """A four-bar whose crank begins so far beside the angle at which coupler and rocker are in line."""
    a, b, c, f = 0.8, 0.7, 0.9, 1.1
    angle = np.arccos((f * f + a * a - (b + c) ** 2) / (2 * a * f)) - beside
    A = a * np.exp(1j * angle)
    D = f - A
    k = (b * b - c * c + abs(D) ** 2) / 2
    B = A + (k + 1j * np.sqrt(max(b * b * abs(D) ** 2 - k * k, 0))) * D / abs(D) ** 2
    at = {"O": (0, 0), "A": (A.real, A.imag), "B": (B.real, B.imag), "D": (f, 0)}
    rods = {"crank": "OA", "coupler": "AB", "rocker": "BD"}
    model = mbs.PlanarModel.from_points(at, rods=rods, fixed="OD", mass=1.0)
    model.add(mbs.Driver("motor", mbs.angle(model.bodies["crank"]), angle - mbs.t))
    return model


@pytest.mark.parametrize(
    "build, times",
    [(flat, [0]), (flat, [0, 0.1]), *((lambda d=d: almost_dead(d), [0]) for d in (1e-11, 1e-12, 1e-13, 0.0))],
)
@pytest.mark.parametrize("coordinates", SETS)
def test_inverse_dynamics_says_of_a_singular_start_what_kinematics_says(build, times, coordinates):
    said = []
    for verb in (mbs.kinematics, mbs.inverse_dynamics):
        with refused(("change-point", "dead-point"), mbs.SingularConfigurationError) as told:
            verb(build().compile(coordinates), times)
        said.append((str(told.value), told.value.time, told.value.joints))
    assert said[0] == said[1]
