"""Measures: scalar readings of markers, used by drivers, results, and fixed or initial values.

A measure is a relation of one row that is read instead of set to zero; so its rate and its acceleration come from the
same derivation as those of a joint.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from operator import attrgetter
from typing import Any, NamedTuple, Protocol, overload

import sympy as sp

from ..errors import ModelError
from ..symbolic.derive import Relation
from ..symbolic.functions import as_sympy
from ..symbolic.markers import LABELS, FormMarker, marker_symbols, primitives, rate_of, reference_turn, t
from .bodies.body import Marker, Place, as_marker
from .parameters import Number, constants_out


class MeasureKind(NamedTuple):
    """A kind of measure: its expression, its units, and its names in results."""

    unit: str
    levels: tuple[str, str, str]
    """The names of its value, its rate and its acceleration in results."""
    of: Callable[..., sp.Expr]
    """The value, as a function of markers; if there is no value, the rate."""


KINDS: Mapping[str, MeasureKind] = {
    **{c: MeasureKind("m", (c, f"v{c}", f"a{c}"), attrgetter(c)) for c in "xyz"},
    **{f"w{c}": MeasureKind("rad", ("", f"w{c}", f"alpha{c}"), lambda i, k=k: i.omega[k]) for k, c in enumerate("xyz")},
    "angle": MeasureKind("rad", ("angle", "omega", "alpha"), primitives.turn),
    "displacement": MeasureKind("m", ("displacement", "velocity", "acceleration"), primitives.displacement),
    "distance": MeasureKind("m", ("distance", "distance_rate", "distance_acceleration"), primitives.distance),
}
"""The kinds of measure. An angular velocity in space is a rate without a value."""


@dataclass(frozen=True)
class OwnRow:
    """One row of an element's relation, as a function of markers."""

    relation: Relation
    row: int
    numbers: tuple[tuple[sp.Symbol, Number], ...]
    """The values of the relation's slots."""

    def __call__(self, *markers: FormMarker) -> sp.Expr:
        pairs = [*zip(self.relation.markers, markers, strict=True)]
        named = {s: n for a, b in pairs for s, n in zip((*a.m, *a.rates), (*b.m, *b.rates), strict=True)}
        labels = [tuple(one.m[0].name.rpartition("_")[2] for one in pair) for pair in pairs]
        for (a, new_a), (b, new_b) in permutations(labels, 2):
            named[reference_turn(a, b)] = reference_turn(new_a, new_b)
        return self.relation.rows[self.row].xreplace(dict(self.numbers)).xreplace(named)


@dataclass(frozen=True, eq=False)
class Measure:
    """A number that is read from markers, by `angle`, `distance`, `x` and similar functions: a value with its rate and
    its acceleration, or a rate alone."""

    kind: str
    markers: tuple[Marker, ...]
    own: MeasureKind | None = None
    """The kind of an expression that an element defines itself; None for one of `KINDS`."""
    speaks_of: tuple[Measured, ...] = ()
    """The joint whose coordinate this measure is; the model must contain it."""

    unit = property(lambda self: self._kind.unit)
    levels = property(lambda self: self._kind.levels)
    of = property(lambda self: self._kind.of)

    @property
    def _kind(self) -> MeasureKind:
        return self.own or KINDS[self.kind]

    @property
    def word(self) -> str:
        """The function that makes the measure: "angle" for "angle_1", too."""
        return self.kind.partition("_")[0]

    @property
    def units(self) -> tuple[str, str, str]:
        return self.unit, f"{self.unit}/s", f"{self.unit}/s²"

    @property
    def lowest(self) -> int:
        """The first level of the measure: 0 a value, 1 a rate."""
        return 0 if self.levels[0] else 1

    @property
    def dimension(self) -> int:
        return self.markers[0].body.dimension

    def form(self) -> tuple[Relation, dict[sp.Symbol, Number]]:
        """Return the measure as a relation of one row, and the values of its slots."""
        relation = self.equation(sp.S.Zero, self.lowest)
        return constants_out(relation) if self.own else (relation, {})

    def held_at(self, value: Number, level: int) -> tuple[Relation, dict[sp.Symbol, Number]]:
        """Return the relation that holds the measure (level 0), or its rate (level 1), at a constant value, and the
        values of its slots."""
        if self.own:
            return constants_out(self.equation(as_sympy(value), level))
        slot = sp.Symbol("c0", real=True)
        return self.equation(slot, level, (slot,)), {slot: value}

    def equation(self, value: sp.Expr, level: int, slots: tuple[sp.Symbol, ...] = ()) -> Relation:
        """Return the relation that sets the measure (level 0), or its rate (level 1), to a value."""
        symbols = marker_symbols(len(self.markers), self.dimension)
        if level == 0:
            return Relation(symbols, (self.of(*symbols) - value,), slots=slots)
        return Relation(symbols, (), (self.rate(symbols) - value,), slots=slots)

    def rate(self, symbols: tuple[FormMarker, ...]) -> sp.Expr:
        """Return the rate of the measure on these markers."""
        value = self.of(*symbols)
        return value if self.lowest else rate_of(value, symbols) + value.diff(t)

    @property
    def label(self) -> str:
        return f"{self.kind}({', '.join(m.label for m in self.markers)})"

    def __repr__(self) -> str:
        return f"<measure {self.label}>"


class Quantity(sp.Symbol):
    """A measure (level 0) or its rate (level 1) as a symbol of expressions, with the measure attached.

    Two quantities of the same name are equal only if they read the same markers: sympy caches expressions by equality,
    and would mix the quantities of two models.
    """

    measure: Measure
    level: int

    def __new__(cls, name: str, measure: Measure, level: int) -> Quantity:
        symbol = sp.Symbol.__xnew__(cls, name, real=True)
        symbol.measure, symbol.level = measure, level
        return symbol

    def _hashable_content(self) -> tuple:
        places = tuple((id(m.body), str(m.numbers)) for m in self.measure.markers)
        return (*super()._hashable_content(), places, self.measure.own)

    def __reduce_ex__(self, protocol: Any) -> tuple:
        return Quantity, (self.name, self.measure, self.level)

    def of(self, symbols: tuple[FormMarker, ...]) -> sp.Expr:
        """Return the expression of the measure in the symbols of these markers."""
        return self.measure.of(*symbols) if self.level == 0 else self.measure.rate(symbols)


def written_in_markers(
    quantities: Sequence[Quantity], markers: Sequence[Marker], who: str
) -> tuple[tuple[Marker, ...], tuple[FormMarker, ...], dict[Quantity, sp.Expr]]:
    """Return the markers of an element together with those of quantities, their symbols, and the quantities as
    expressions of these symbols. The element's own `markers` come first."""
    places = [*markers]
    for quantity in quantities:
        places += [m for m in quantity.measure.markers if m not in places]
    if len(places) > len(LABELS):
        raise ModelError(
            f"{who} reads {len(places)} markers, {len(LABELS)} at most; split it in two",
            code="too-many-markers", subject=who,
        )  # fmt: skip
    symbols = marker_symbols(len(places), places[0].body.dimension) if places else ()
    values = {q: q.of(tuple(symbols[places.index(m)] for m in q.measure.markers)) for q in quantities}
    return tuple(places), symbols, values


class Measured(Protocol):
    """An element with coordinates of its own, by kind: a joint."""

    name: str

    @property
    def who(self) -> str: ...
    def measures(self) -> dict[str, Measure]: ...


def angle(i: Place | Measured, j: Place | int | None = None) -> Measure:
    """Return the angle of j relative to i, in rad, as a `Measure` that counts past 2π; for one marker, relative to the
    world; for a joint, its own angle.

    In space it is the angle about the axis of i, from the x axis of i to that of j; for one marker its accumulated
    rotation about its own axis. ``angle(joint, 1)`` is "joint.angle_1" of a `Universal` or a `Spherical`, which have
    several angles.

    >>> model = mbs.PlanarModel("arms")
    >>> upper, lower = model.link("upper", (0, 0), (1, 0)), model.link("lower", (1, 0), (2, 0))
    >>> A, B = model.add(mbs.Revolute("A", model.ground, upper.tail), mbs.Revolute("B", upper.head, lower.tail))
    >>> posed = model.plus(mbs.Driver("shoulder", mbs.angle(upper), 0.5), mbs.Driver("elbow", mbs.angle(B), 0.25))
    >>> print(round(mbs.assemble(posed)["lower.angle"], 6))
    0.75
    """
    if j is None:
        return _of_joint(i, "angle") or Measure("angle", (as_marker(i, "angle()"),))
    if isinstance(j, int):
        return _own(f"angle_{j}", i, "a joint with several angles, a Universal or a Spherical,")
    return Measure("angle", _two(i, j, "angle()"))


@overload
def distance(i: Measured) -> Measure: ...
@overload
def distance(i: Place, j: Place) -> Measure: ...
def distance(i: Place | Measured, j: Place | None = None) -> Measure:
    """Return the distance between two points, in m, as a `Measure`; for a spring, a rope or a link the distance of its
    ends.

    >>> model = mbs.PlanarModel("crane")
    >>> load = model.body("load", position=(3, -4))
    >>> model.add(mbs.Driver("winch", mbs.distance(model.ground, load), 5 - mbs.t))
    <Driver winch>
    >>> hoisted = mbs.assemble(model, t=2.5, fix={"load.x": 0.0})
    >>> print(round(hoisted["load.y"], 6))
    -2.5
    """
    return _own("distance", i, "a link") if j is None else Measure("distance", _two(i, j, "distance()"))


def x(marker: Place) -> Measure:
    """Return the world x coordinate of a marker, in m, as a `Measure`.

    >>> model = mbs.PlanarModel("sled")
    >>> sled = model.body("sled")
    >>> model.add(mbs.Driver("rope", mbs.x(sled), 2 * mbs.t))
    <Driver rope>
    >>> print(round(mbs.assemble(model, t=3)["sled.x"], 6))
    6.0
    """
    return Measure("x", (as_marker(marker, "x()"),))


def y(marker: Place) -> Measure:
    """Return the world y coordinate of a marker, in m, as a `Measure`.

    >>> model = mbs.PlanarModel("sled")
    >>> sled = model.body("sled")
    >>> model.add(mbs.Driver("rope", mbs.y(sled), 2 * mbs.t))
    <Driver rope>
    >>> print(round(mbs.assemble(model, t=3)["sled.y"], 6))
    6.0
    """
    return Measure("y", (as_marker(marker, "y()"),))


def z(marker: Place) -> Measure:
    """Return the world z coordinate of a marker in space, in m, as a `Measure`.

    >>> model = mbs.SpatialModel("sled")
    >>> sled = model.body("sled")
    >>> model.add(mbs.Driver("rope", mbs.z(sled), 2 * mbs.t))
    <Driver rope>
    >>> print(round(mbs.assemble(model, t=3)["sled.z"], 6))
    6.0
    """
    return Measure("z", (_in_space(marker, "z()"),))


def wx(body: Place) -> Measure:
    """Return the x component of a body's angular velocity, in rad/s, in world axes, as a `Measure`.

    >>> model = mbs.SpatialModel("top")
    >>> top = model.body("top")
    >>> model.add(mbs.Driver("spin", mbs.wx(top), 5.0))  # a rate: no angle in space has it
    <Driver spin>
    >>> print(round(mbs.assemble(model)["top.wx"], 6))
    5.0
    """
    return Measure("wx", (_in_space(body, "wx()"),))


def wy(body: Place) -> Measure:
    """Return the y component of a body's angular velocity, in rad/s, in world axes, as a `Measure`.

    >>> model = mbs.SpatialModel("top")
    >>> top = model.body("top")
    >>> model.add(mbs.Driver("spin", mbs.wy(top), 5.0))  # a rate: no angle in space has it
    <Driver spin>
    >>> print(round(mbs.assemble(model)["top.wy"], 6))
    5.0
    """
    return Measure("wy", (_in_space(body, "wy()"),))


def wz(body: Place) -> Measure:
    """Return the z component of a body's angular velocity, in rad/s, in world axes, as a `Measure`.

    >>> model = mbs.SpatialModel("top")
    >>> top = model.body("top")
    >>> model.add(mbs.Driver("spin", mbs.wz(top), 5.0))  # a rate: no angle in space has it
    <Driver spin>
    >>> print(round(mbs.assemble(model)["top.wz"], 6))
    5.0
    """
    return Measure("wz", (_in_space(body, "wz()"),))


@overload
def displacement(i: Measured) -> Measure: ...
@overload
def displacement(i: Place, j: Place) -> Measure: ...
def displacement(i: Place | Measured, j: Place | None = None) -> Measure:
    """Return the position of j along the x axis of i (in space: along its axis), in m, as a `Measure`; for a sliding
    joint its displacement.

    >>> model = mbs.PlanarModel("press")
    >>> ram = model.body("ram")
    >>> guide = model.add(mbs.Translational("guide", model.ground, ram, at=(0, 0), axis=(0, 1)))
    >>> model.add(mbs.Driver("cylinder", mbs.displacement(guide), 0.1 * mbs.t))
    <Driver cylinder>
    >>> print(round(mbs.assemble(model, t=3)["ram.y"], 6))
    0.3
    """
    if j is None:
        return _own("displacement", i, "a sliding joint")
    return Measure("displacement", _two(i, j, "displacement()"))


def checked_measure(thing: Any, what: str) -> Measure:
    """Return the measure; raise an error for anything else, which shows how to write a measure."""
    if isinstance(thing, Measure):
        return thing
    measures = thing.measures() if callable(getattr(thing, "measures", None)) else {}
    examples = [f"mbs.{kind}(it)" for kind in measures if kind in ("angle", "displacement", "distance")]
    examples = examples or ["mbs.angle(i, j)", "mbs.angle(joint)", "mbs.x(marker)", "..."]
    raise ModelError(
        f"{what} a measure, not {thing!r}; write {', '.join(examples)}",
        code="not-a-measure", value=thing,
    )  # fmt: skip


def joint_angles(markers: tuple[Marker, ...], of: Sequence[Callable[..., sp.Expr]]) -> dict[str, Measure]:
    """Return the measures "angle_1", "angle_2", ... of a joint, from their values as functions of its two markers."""
    angles = {}
    for k, value in enumerate(of, 1):
        levels = f"angle_{k}", f"angle_{k}_rate", f"angle_{k}_acceleration"
        angles[levels[0]] = Measure(levels[0], markers, MeasureKind("rad", levels, value))
    return angles


OF_MARKERS: dict[str, Callable[..., Measure]] = {
    f.__name__: f for f in (angle, distance, x, y, z, wx, wy, wz, displacement)
}
"""The measures of markers, by kind."""


def _two(i: Any, j: Any, who: str) -> tuple[Marker, Marker]:
    first, second = as_marker(i, who), as_marker(j, who)
    if first.body.dimension != second.body.dimension:
        raise ModelError(
            f"{who} mixes a body in the plane with a body in space; use those of one model",
            code="mixed-dimensions", subject=who,
        )  # fmt: skip
    if first.body is second.body:
        raise ModelError(
            f"{who} measures body {first.body.name!r} against itself; name two different bodies",
            code="body-with-itself", subject=who, body=first.body.name,
        )  # fmt: skip
    return first, second


def _in_space(thing: Any, who: str) -> Marker:
    marker = as_marker(thing, who)
    if marker.body.dimension != 3:
        raise ModelError(
            f"{who} is for bodies in space, and {marker.body.name!r} is in the plane; use x, y or angle",
            code="not-spatial", subject=who, body=marker.body.name,
        )  # fmt: skip
    return marker


def _own(kind: str, thing: Any, example: str) -> Measure:
    """Return the coordinate of an element; raise an error if it has none."""
    if own := _of_joint(thing, kind):
        return own
    word = kind.partition("_")[0]
    raise ModelError(
        f"{word}() needs {example} or two markers, not {thing!r}; write {word}(i, j)",
        code="not-a-measure", word=word, value=thing,
    )  # fmt: skip


def _of_joint(thing: Any, kind: str) -> Measure | None:
    """Return the joint's own coordinate of this kind; None if the thing is no joint."""
    if not callable(getattr(thing, "measures", None)):
        return None
    measures = thing.measures()
    if kind not in measures:
        has, word = f" (it has: {', '.join(measures)})" if measures else " of its own", kind.partition("_")[0]
        numbers = [other.rpartition("_")[2] for other in measures if other.startswith(f"{word}_")]
        examples = [f"{word}({thing.name}, {number})" for number in numbers]
        remedy = f"write {' or '.join(examples) or f'{word}(i, j) with two markers'}"
        raise ModelError(
            f"{word}(): {thing.who} has no {kind}{has}; {remedy}",
            code="no-such-measure", word=word, thing=thing.who, kind=kind,
        )  # fmt: skip
    return replace(measures[kind], speaks_of=(thing,))
