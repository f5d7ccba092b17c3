"""Models and all that they are made of can be copied, deep-copied and pickled."""

import copy
import pickle

import numpy as np
import pytest
import sympy as sp
from refusals import refused

import mbs_dae as mbs
from mbs_dae.errors import Names
from mbs_dae.model.fields import Expression, Function, Option, Scalar

WAYS = {"deepcopy": copy.deepcopy, "pickle": lambda x: pickle.loads(pickle.dumps(x))}


class Ramp(mbs.Joint):
    """A joint of the user's."""

    slope = mbs.scalar()
    profile = mbs.function("m")

    @staticmethod
    def phi(i, j, slope, profile):
        return [j.y - i.y - slope * profile(j.x - i.x)]


class Wind(mbs.ForceElement):
    """A force of the user's."""

    strength = mbs.expression("N")

    @staticmethod
    def force(i, strength):
        return [(strength, 0) if i.dimension == 2 else (strength, 0, 0)]


def push(t, i):
    return [(t, -2.0 * i.velocity[0])]


def bench(dimension):
    plane = dimension == 2
    model = mbs.PlanarModel("bench", (0, -9.81)) if plane else mbs.SpatialModel("bench", (0, 0, -9.81))
    size = model.parameter("size", 0.7, unit="m")
    places = (0, 0, 0)[:dimension], (1, 0, 0)[:dimension], (2, 0.2, 0)[:dimension]
    bodies = [model.link(name, *places[k : k + 2], mass=1.5, length=size) for k, name in enumerate("ab")]
    for body in bodies:
        body.marker("tip", *(size, 0.1, 0)[:dimension])
    return model, bodies, size


def constants(cls, size, model, closed):
    """Something for every constant that must be given."""
    for name, field in cls.fields.items():
        if isinstance(field, Scalar):
            yield name, 2 * size
        elif isinstance(field, Function):
            yield name, closed
        elif isinstance(field, Expression):
            yield name, sp.sin(mbs.t) - size * model[f"a.{'omega' if model.dimension == 2 else 'wx'}"]
        elif isinstance(field, Option):
            yield name, "x" if cls is mbs.CoordinateFix else field.options[0]
        else:
            yield name, [1.0] * (3 * model.dimension - 3)


def made(cls, dimension, closed):
    """The model with one element of this class."""
    model, (a, b), size = bench(dimension)
    given = dict(constants(cls, size, model, closed))
    markers = [a.tip, b.tip, model.ground, model.ground.at(*(1, 0, 0)[:dimension])]
    if dimension == 2 and cls in (mbs.Force, mbs.Wrench):
        given = {n: v for n, v in given.items() if n not in ("z", "mx", "my")}
    if issubclass(cls, mbs.EffortElement) and cls.coordinates[0] == "displacement":
        markers = [mbs.Translational("guide", a, b)]
    elif issubclass(cls, mbs.EffortElement):
        markers = markers[:2]
    elif cls is mbs.Gear:
        markers = markers[: 2 if dimension == 2 else 4]
    else:
        markers = markers[: max(len(cls.marker_names) - cls.optional_markers, 1)]
    model.add(cls("e", *markers, **given))
    return model


CLOSED = {
    "table": mbs.Table([0, 2, 4, 2 * np.pi], [1, 1.1, 1.2, 1], periodic=True, kind="monotone"),
    "motion": mbs.Motion(1).rise(0.1, over=3, law="cycloidal").return_(over=2 * np.pi - 3, law="3-4-5").repeat(),
    "lambda": lambda *x: 1 + sp.cos(x[0]) / 9,
}
CLASSES = [
    (cls, dimension, form)
    for cls in (*mbs.registered_joints(), *mbs.registered_forces())
    if cls.__module__.startswith("mbs_dae.model") or cls in (Ramp, Wind)
    for dimension in cls.dimensions
    if cls is not mbs.PythonForce
    for form in (CLOSED if any(isinstance(f, Function) for f in cls.fields.values()) else ["numbers"])
]


def same_element(a, b):
    """Whether two elements say the same: of the same kind, with the same equations of the same markers and numbers."""
    (form, slots), (other, others) = a.form(), b.form()
    return (
        type(a) is type(b)
        and (a.name, a.kind, a.sketch) == (b.name, b.kind, b.sketch)
        and form.meaning == other.meaning
        and {str(s): str(n) for s, n in slots.items()} == {str(s): str(n) for s, n in others.items()}
        and [(m.body.name, str(m.numbers)) for m in a.markers] == [(m.body.name, str(m.numbers)) for m in b.markers]
        and {*a.values} == {*b.values}
    )


def check(model, twin):
    assert [*twin.bodies] == [*model.bodies] and [*twin.elements] == [*model.elements]
    assert twin.gravity == model.gravity and twin.name == model.name
    for name, body in model.bodies.items():
        assert str(twin.bodies[name].numbers) == str(body.numbers) and [*twin.bodies[name].markers] == [*body.markers]
    for name, element in model.elements.items():
        assert same_element(element, twin.elements[name]), name
        owners = {m.body for m in twin.elements[name].markers}
        assert owners <= {twin.ground, *twin.bodies.values()}
    twin.plus(*twin.without(*twin.elements).elements.values())


@pytest.mark.parametrize(
    ("cls", "dimension", "form"), CLASSES, ids=[f"{c.__name__} {d} {f}" for c, d, f in CLASSES]
)  # fmt: skip
def test_a_model_with_any_registered_element_can_be_copied(cls, dimension, form):
    model = made(cls, dimension, CLOSED.get(form))
    for way in WAYS.values():
        check(model, way(model))


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_what_is_said_by_functions_can_be_copied(way):
    model, (a, b), size = bench(2)
    model.add(
        mbs.Constraint("rope", a.tip, b.tip, phi=lambda i, j: (i.point - j.point).norm() - size),
        mbs.Driver("motor", mbs.angle(model.ground, a), lambda t: size * sp.sin(t)),
        mbs.PoseDriver("hand", b, position=(mbs.Motion().rise(1, over=2, law="3-4-5"), None)),
        mbs.PythonForce("push", a.tip, function=push),
    )
    twin = way(model)
    check(model, twin)
    assert twin.elements["push"].function is push


@pytest.mark.parametrize("way", [copy.copy, *WAYS.values()], ids=["copy", *WAYS])
def test_a_copy_is_a_model_of_its_own(way):
    model, _, size = bench(2)
    twin = way(model)
    body = twin.body("new", mass=1.0)
    twin.parameter("own", 1.0)
    twin.add(mbs.Revolute("hinge", twin.ground, body))
    assert "new" not in model.bodies and not model.elements and "own" not in model.parameters
    assert twin.with_parameters(size=0.9).value(size) == 0.9 and model.value(size) == 0.7
    for wanted in (twin.bodies, twin.elements, twin.parameters):
        with refused("unknown-name", owner="the model"):
            wanted["nothing"]


def test_a_deep_copy_has_bodies_of_its_own():
    model, (a, _), _ = bench(2)
    twin = copy.deepcopy(model)
    twin.bodies["a"].marker("added", 1, 1)
    assert "added" not in a.markers and twin.bodies["a"] is not a
    assert copy.copy(model).bodies["a"] is a
    with refused("not-of-this-model", body="a"):
        twin.add(mbs.Revolute("A", twin.ground, a))


def test_what_was_compiled_is_left_out():
    model, (a, _), _ = bench(2)
    model.add(mbs.Revolute("A", model.ground, a.tail))
    before = len(pickle.dumps(model))
    model._compiled["cartesian",] = object()
    assert len(pickle.dumps(model)) == before


@pytest.mark.parametrize("way", [copy.copy, *WAYS.values()], ids=["copy", *WAYS])
def test_parts_can_be_copied_by_themselves(way):
    model, (a, b), size = bench(2)
    table = mbs.Table([0, 1, 2], [0, 1, 3], kind="linear")
    assert way(table) == table and way(table)(mbs.t) == table(mbs.t)
    assert way(mbs.t) is mbs.t and way(size) == size
    motion = mbs.Motion().rise(size, over=2, law="harmonic")
    assert way(motion) == motion
    assert way(a).name == "a" and way(a.tip).label == "a.tip"
    for measure in (mbs.x(a), mbs.angle(a), mbs.angle(a, b), mbs.distance(a, b), mbs.displacement(a, b)):
        twin = way(measure)
        assert (twin.label, twin.unit, twin.levels) == (measure.label, measure.unit, measure.levels)
        assert twin.form()[0].phi == measure.form()[0].phi
    quantity = way(model["a.omega"] * 2).args[1]
    assert (str(quantity), quantity.level, quantity.measure.kind) == ("a.omega", 1, "angle")
    assert way(Names("body", {"a": 1})).kind == "body"
