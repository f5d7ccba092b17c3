"""The contract of contacts: gaps, slip velocities, laws; what is refused, and what to do instead.

A contact class is covered by being registered. Shapes have their own tests, with the formulas.
"""

from __future__ import annotations

import copy
import pickle
import pkgutil
from importlib import import_module

import numpy as np
import pytest
import sympy as sp
from covering import covering
from refusals import refused
from touching import GAP, RATE, SLIP, Read, directions_of_slip, moved, normal, place, velocity_there

import mbs_dae as mbs
from mbs_dae import model as model_room
from mbs_dae.model import contacts
from mbs_dae.model.contacts import Contact, ContactElement, Stop


class Bowl(ContactElement):
    """A point in a bowl z = (x² + y²) / 2 a, or a parabola: whose gap and slips do not grow by 1."""

    size = mbs.scalar("m", positive=True)

    @staticmethod
    def gap(i, j, size):
        *flat, up = (axis.dot(j.point - i.point) for axis in i.axes)
        return up - sum(x**2 for x in flat) / (2 * size)

    @staticmethod
    def slip(i, j, size):
        arm = j.point - i.point
        velocity = j.velocity - i.velocity_at(j.point)
        first = i.x_axis + i.x_axis.dot(arm) / size * i.axes[-1]
        if i.dimension == 2:
            return first.dot(velocity)
        normal = i.z_axis - (i.x_axis.dot(arm) * i.x_axis + i.y_axis.dot(arm) * i.y_axis) / size
        return [first.dot(velocity), normal.cross(first).dot(velocity)]


def bodies(d):
    model = (mbs.PlanarModel if d == 2 else mbs.SpatialModel)("bench")
    inertia = 1.0 if d == 2 else (1.0, 1.0, 1.0)
    return model, [model.body(name, mass=1.0, inertia=inertia) for name in "ab"]


CURVE = 1 + sp.cos(2 * mbs.theta) / 8
MADE = {
    "Rope": lambda a, b: contacts.Rope("c", a, b, 1.3),
    "Strut": lambda a, b: contacts.Strut("c", a, b, length=1.3),
    "CamContact": lambda a, b: contacts.CamContact("c", a, b, profile=CURVE, friction=0.2),
    "CamContact flat": lambda a, b: contacts.CamContact("c", a, b, profile=CURVE, follower="flat", friction=0.2),
    "Bowl": lambda a, b: Bowl("c", a, b, size=0.8, friction=0.2),
}
CASES = covering(
    [pytest.param(name, d, id=f"{name}-{d}") for name in MADE for d in (2, 3)],
    lambda case: [case.values[0], (case.values[0].split()[0], case.values[1])],
)
"""Each by its own words, and each class in each dimension."""


def test_every_contact_of_the_package_is_here():
    before = {*contacts.registered_contacts()}
    for module in pkgutil.walk_packages(model_room.__path__, model_room.__name__ + "."):
        import_module(module.name)
    assert {*contacts.registered_contacts()} == before
    own = {c.__name__ for c in before if c.__module__.partition(".")[0] in ("mbs_dae", __name__)}
    assert own == {name.split()[0] for name in MADE}


def touching_frames(name, d, random):
    """Both bodies with a gap of zero; in space with the axes along the camshaft where there is one."""
    read = Read(MADE[name](*bodies(d)[1]))
    frame, other = place(d, random, 1.0), place(d, random)
    if "flat" in name:
        about = np.eye(d)
        a = random.uniform(-3, 3)
        about[:2, :2] = [[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]]
        other = other[0], frame[1] @ about
    way = random.normal(size=d)
    other = frame[0] + 0.9 * frame[1] @ (way / np.linalg.norm(way) + (np.eye(d)[-1] if name == "Bowl" else 0)), other[1]
    for _ in range(100):
        n, gap = normal(read, frame, other), read(GAP, (frame, other))[0]
        other = other[0] - gap * n / (n @ n), other[1]
    assert abs(gap) < 1e-13
    return read, frame, other


@pytest.mark.parametrize(("name", "d"), CASES)
def test_a_registered_contact_keeps_the_contract(name, d):
    """Its gap grows by 1 along the normal where it touches; its slip is the material's, across the normal."""
    random = np.random.default_rng(d)
    for _ in range(3):
        read, *frames = touching_frames(name, d, random)
        n = normal(read, *frames)
        assert np.linalg.norm(n) == pytest.approx(1, abs=1e-8)
        rates = [random.normal(size=3 * d - 3) for _ in frames]
        ahead, behind = (read(GAP, [moved(f, r, h) for f, r in zip(frames, rates, strict=True)]) for h in (1e-5, -1e-5))
        np.testing.assert_allclose(read(RATE, frames, rates), (ahead - behind) / 2e-5, atol=1e-7)
        if name in ("Rope", "Strut"):
            assert not len(read(SLIP, frames, rates))
            continue
        T = directions_of_slip(read, frames)
        np.testing.assert_allclose(T @ T.T, np.eye(d - 1), atol=1e-9)
        np.testing.assert_allclose(T @ n, 0, atol=1e-8)
        there = flat_contact(*frames) if "flat" in name else frames[1][0]
        first, second = (velocity_there(f, r, there) for f, r in zip(frames, rates, strict=True))
        np.testing.assert_allclose(read(SLIP, frames, rates), T @ (second - first), atol=1e-6)


def flat_contact(cam, follower):
    """Where a face touches the envelope of its tangents: that with the normal of the face, by difference quotients."""
    n = cam[1].T @ follower[1][:, 1]
    angle, h = np.arctan2(n[1], n[0]), 1e-5
    tangent = [(np.array([np.cos(a), np.sin(a)]), 1 + np.cos(2 * a) / 8) for a in (angle - h, angle + h)]
    x = np.linalg.solve([t[0] for t in tangent], [t[1] for t in tangent])  # two tangents meet next to the point
    return cam[0] + cam[1] @ np.append(x, np.zeros(len(cam[0]) - 2))  # in the cam's own plane


def test_a_rope_pulls_and_a_strut_pushes():
    """The gap of a rope is open where the points are near."""
    for make, sign in ((contacts.Rope, 1), (contacts.Strut, -1)):
        read = Read(make("c", *bodies(2)[1], 1.3))
        for x in (0.0, 0.5, 1.3, 1.4):
            (gap,) = read(GAP, ((np.zeros(2), np.eye(2)), (np.array([x, 0.0]), np.eye(2))))
            assert gap == pytest.approx(sign * (1.3**2 - x**2) / 2.6, abs=1e-15)


@pytest.mark.parametrize("d", [2, 3])
def test_joints_that_hold_to_one_side_are_contacts(d):
    model, (a, b) = bodies(d)
    rope = mbs.Distance("rope", a, b, 2.0, unilateral="rope", restitution=0.3)
    strut = mbs.Distance("strut", a, b, length=2.0, unilateral="strut")
    cam = mbs.CamFollower("cam", a, b, CURVE, unilateral=True, friction=0.1)
    face = mbs.CamFollower("face", a, b, profile=CURVE, follower="flat", unilateral=True)
    kinds = [contacts.Rope, contacts.Strut, contacts.CamContact, contacts.CamContact]
    assert [type(one) for one in (rope, strut, cam, face)] == kinds
    assert (rope.restitution, cam.friction, cam.slip_directions, face.slip_directions) == (0.3, 0.1, d - 1, 0)
    model.add(rope, strut, cam, face)
    assert model.contacts == (rope, strut, cam, face) and not model.conditions
    both = mbs.Distance("rod", a, b, 2.0, unilateral=None)
    assert type(both) is mbs.Distance and pickle.loads(pickle.dumps(both)).values == both.values


@pytest.mark.parametrize("kind", ["x", "angle", "distance", "displacement"])
@pytest.mark.parametrize("d", [2, 3])
def test_a_stop_is_a_measure_between_two_values(kind, d):
    _, (a, b) = bodies(d)
    markers = (b,) if kind == "x" else (a, b)
    measure = getattr(mbs, kind)(*markers)
    both = Stop("s", measure, lower=-0.7, upper=0.4)
    low, high = Stop("s", measure, lower=-0.7), Stop("s", measure, upper=0.4)
    assert (both.points, low.points, high.points, both.slip_directions) == (2, 1, 1, 0)
    assert both.units == ({"angle": "rad"}.get(kind, "m"),) * 2
    random = np.random.default_rng(1)
    frame, other = place(d, random, 1.0), place(d, random, 1.0)
    if d == 3:
        turn = np.eye(3)
        turn[:2, :2] = [[0.6, -0.8], [0.8, 0.6]]
        other = other[0], frame[1] @ turn  # about the first's axis
    way = other[0] - frame[0]
    value = {
        "x": other[0][0],
        "angle": np.arctan2(other[1][1, 0], other[1][0, 0]) - np.arctan2(frame[1][1, 0], frame[1][0, 0])
        if d == 2 else np.arctan2(0.8, 0.6),
        "distance": np.linalg.norm(way),
        "displacement": way @ frame[1][:, 0 if d == 2 else 2],
    }[kind]  # fmt: skip
    frames = (other,) if kind == "x" else (frame, other)
    np.testing.assert_allclose(Read(both)(GAP, frames), [value + 0.7, 0.4 - value], atol=1e-14)
    np.testing.assert_allclose(Read(low)(GAP, frames), [value + 0.7], atol=1e-14)
    np.testing.assert_allclose(Read(high)(GAP, frames), [0.4 - value], atol=1e-14)


def test_a_gap_that_is_no_length_is_divided_by_its_gradient_where_there_is_friction():
    _, (a, b) = bodies(2)
    frames = (np.zeros(2), np.eye(2)), (np.array([0.3, 0.5]), np.eye(2))

    def made(**laws):
        return Read(Contact("c", a, b, gap=lambda i, j: 3 * (j.y - i.y), slip=lambda i, j: 7 * j.velocity[0], **laws))

    assert made()(GAP, frames) == pytest.approx(1.5)
    assert made(friction=0.1)(GAP, frames) == pytest.approx(0.5)
    assert made(friction=0.1)(SLIP, frames, (np.zeros(3), np.array([2.0, 0, 0]))) == pytest.approx(2)


def test_gaps_may_have_corners_and_depend_on_time():
    _, (a, b) = bodies(2)
    for gap in (sp.Min, sp.Max):
        Contact("c", a, b, gap=lambda i, j, gap=gap: gap(j.x, abs(j.y) - sp.sin(mbs.t) / 9))
    Contact("c", a, b, gap=lambda i, j: sp.Piecewise((j.x, j.y > 0), (j.x + j.y**2, True)))
    several = Contact("c", a, b, gap=lambda i, j: [j.x, j.y], slip=lambda i, j: [*j.velocity], friction=1)
    assert (several.points, several.slip_directions) == (2, 1)


def test_laws_are_numbers_or_parameters():
    model, (a, b) = bodies(2)
    mu = model.parameter("mu", 0.3)
    shapes = contacts.Line(model.ground), contacts.Disk(b, 0.2)
    given = Contact("c", *shapes, restitution=mu**2, friction=mu)
    assert (given.restitution, given.friction, given.static_friction) == (mu**2, mu, mu)
    assert Contact("d", *shapes, friction=0.2, static_friction=0.3).static_friction == 0.3
    assert Contact("e", *shapes).laws == (0, 0, 0, 0) and Contact("e", *shapes).slip_directions == 0
    model.add(given)
    given.check_values(model.evaluator())
    with refused("out-of-bounds", subject="Contact 'c'", restitution=1.44):
        given.check_values(model.with_parameters(mu=1.2).evaluator())
    with refused("negative", argument="friction of Contact 'c'", value=-1.0):
        given.check_values(model.with_parameters(mu=-1).evaluator())


def test_a_model_takes_contacts_and_its_copies_have_them():
    model, (_a, b) = bodies(2)
    r = model.parameter("r", 0.2)
    floor = model.add(Contact("floor", contacts.Line(model.ground), contacts.Disk(b, r), friction=0.2))
    stop = model.add(Stop("stop", mbs.x(b), lower=r))
    assert model.contacts == (floor, stop)
    for twin in (copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model)), model.with_parameters(r=1)):
        assert [c.name for c in twin.contacts] == ["floor", "stop"]
        assert [c.form()[0].meaning for c in twin.contacts] == [c.form()[0].meaning for c in (floor, stop)]
    model.bodies["a"].waiting.clear()
    negative = model.with_parameters(r=-1)
    with refused("not-positive", value=-1.0, mentions="floor"):
        floor.check_values(negative.evaluator())


A = {d: bodies(d) for d in (2, 3)}
P, (a2, b2) = A[2]
S, (a3, b3) = A[3]
LINE, DISK, PLANE, BALL = contacts.Line(a2), contacts.Disk(b2, 0.1), contacts.Plane(a3), contacts.Sphere(b3, 0.1)
x_of_j = lambda i, j: j.x  # noqa: E731
REFUSED = {
    "restitution of Contact 'c' is 1.2, .*between 0 .* and 1": lambda: Contact("c", LINE, DISK, restitution=1.2),
    "restitution of Contact 'c' is -0.1; it must not": lambda: Contact("c", LINE, DISK, restitution=-0.1),
    "friction of Contact 'c' is -2; it must not": lambda: Contact("c", LINE, DISK, friction=-2),
    "static_friction of Contact 'c' is 0.1, less than its friction, 0.3.*leave it out": lambda: Contact(
        "c", LINE, DISK, friction=0.3, static_friction=0.1
    ),
    "Contact 'c' has friction, and nothing says what slips; give slip=": lambda: Contact(
        "c", a2, b2, gap=x_of_j, friction=0.1
    ),
    "Contact 'c' has 1 gap and 2 slip velocities; return one velocity for each gap": lambda: Contact(
        "c", a2, b2, gap=x_of_j, slip=lambda i, j: [*j.velocity], friction=0.1
    ),
    "its gap does not change with the point of its second marker.*say the gap by j.point": lambda: Contact(
        "c", a2, b2, gap=lambda i, j: j.angle, slip=lambda i, j: j.omega, friction=0.1
    ),
    "gap of Contact 'c' says nothing of its markers": lambda: Contact("c", a2, b2, gap=lambda i, j: sp.sin(mbs.t)),
    "gap of Contact 'c' contains velocities.*from slip": lambda: Contact("c", a2, b2, gap=lambda i, j: j.velocity[0]),
    "slip of Contact 'c' must be linear": lambda: Contact("c", a2, b2, gap=x_of_j, slip=lambda i, j: j.omega**2),
    "Contact 'c' has no gap; give gap=": lambda: Contact("c", a2, b2),
    "Contact 'c' has 0 markers.*Contact\\(name, i, j": lambda: Contact("c", gap=lambda: 1),
    "Contact 'c' is of two shapes, or of markers": lambda: Contact("c", LINE, b2),
    "Contact 'c' is of two shapes, or of markers and": lambda: Contact("c", LINE, DISK, gap=x_of_j),
    "Contact 'c' is of body 'b' and itself": lambda: Contact("c", contacts.Line(b2), DISK),
    "Contact 'c' mixes bodies in the plane with": lambda: Contact("c", LINE, BALL),
    "there is no Line in space.*take a Plane": lambda: contacts.Line(a3),
    "there is no Sphere in the plane.*take a Disk": lambda: contacts.Sphere(a2, 0.1),
    "radius of Disk at b.* is -1; it must be positive": lambda: contacts.Disk(b2, -1),
    "inside of Disk at b.* is 1; write inside=True": lambda: contacts.Disk(b2, 1, 1),
    "a side of Box at b.* is 0; it must be positive": lambda: contacts.Box(b2, (1, 0)),
    "Polygon at b.* has no corners": lambda: contacts.Polygon(b2, []),
    "Profile at b.* is a Table that is not closed; add periodic": lambda: contacts.Profile(
        b2, mbs.Table([0, 1], [1, 1])
    ),
    "no contact of Line at a.* and Line at b.*one of them must be a body": lambda: Contact(
        "c", LINE, contacts.Line(b2)
    ),
    "no contact of Profile at a.* and Disk at b.*a Profile meets a Point": lambda: Contact(
        "c", contacts.Profile(a2, 1), DISK
    ),
    "no contact of Box at a.* and Point at b.*round one of them: Box": lambda: Contact(
        "c", contacts.Box(a2, (1, 1)), contacts.Point(b2)
    ),
    "no contact of Box at a.* and Capsule at b.*there is": lambda: Contact(
        "c", contacts.Box(a3, (1, 1, 1)), contacts.Capsule(b3, 1, 0.1)
    ),
    r"no contact of Box at a.* and Polygon at b.*sharp.*Box\(..., radius=": lambda: Contact(
        "c", contacts.Box(a2, (1, 1)), contacts.Polygon(b2, [(0, 0), (1, 0), (0, 1)])
    ),
    "no contact of Capsule at a.* and Polygon at b.*there is": lambda: Contact(
        "c", contacts.Capsule(a2, 1, 0.1), contacts.Polygon(b2, [(0, 0), (1, 0)])
    ),
    "Polygon at b.* no corners that go round counterclockwise": lambda: contacts.Polygon(
        b2, [(0, 0), (0, 1), (1, 0)], radius=0.1
    ),
    "radius of Polygon at b.* is 0.3, and leaves nothing of the side to corner 1; give a smaller": lambda: (
        contacts.Polygon(b2, [(0, 0), (1, 0), (0, 1)], radius=0.3)
    ),
    "radius of Polygon at b.* rounds a polygon in the plane, and not one in space": lambda: contacts.Polygon(
        b3, [(0, 0, 0)], radius=0.1
    ),
    "radius of Box at b.* is 0.6, and half of its least side 0.5": lambda: contacts.Box(b2, (1, 1), radius=0.6),
    "Contact 'c' is open nowhere: Disk at b.* reaches 0.1 .* has the radius 0.1; make one": lambda: Contact(
        "c", contacts.Disk(a2, 0.1, inside=True), DISK
    ),
    "open nowhere: Box at b.* reaches 0.5": lambda: Contact(
        "c", contacts.Box(b2, (0.6, 0.8)), contacts.Disk(a2, 0.45, inside=True)
    ),
    "Stop 's' stops a measure, not": lambda: Stop("s", b2, lower=0),
    "Stop 's' stops a value, and wx.* only a rate": lambda: Stop("s", mbs.wx(b3), lower=0),
    "Stop 's' stops nothing; give lower= or upper=": lambda: Stop("s", mbs.x(b2)),
    "Stop 's' has lower 1 and upper 1.*less": lambda: Stop("s", mbs.x(b2), lower=1, upper=1),
    "lower of Stop 's' is inf; give a finite": lambda: Stop("s", mbs.x(b2), lower=float("inf")),
    "unilateral of Distance is 'chain'; choose one of 'rope', 'strut'": lambda: mbs.Distance(
        "d", a2, b2, unilateral="chain"
    ),
    "Revolute holds to both sides; there is Distance": lambda: mbs.Revolute("A", a2, b2, unilateral=True),
    "a constant of|contains unknown symbols: nu; declare": lambda: P.plus(
        Contact("c", LINE, DISK, restitution=sp.Symbol("nu"))
    ),
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_makes_no_contact_is_refused_by_name_with_the_remedy(words):
    with pytest.raises(mbs.ModelError, match=words):
        REFUSED[words]()
