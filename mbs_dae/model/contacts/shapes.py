"""The shapes of bodies that may touch; each is described in the axes of a marker."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from inspect import signature
from typing import Any, ClassVar, Self

import numpy as np
import sympy as sp

from ...errors import ModelError
from ...public_class import PublicClass
from ..bodies.body import Marker, Place, Vector, as_marker, coordinates_of
from ..fields import Function
from ..parameters import Number, Numeric, check_number, free_parameters, is_constant
from ..tables import Table, check_closed, check_radius
from .geometry import HalfSpace, Hollow, Outline, Polytope, RoundedBox, ShapeGeometry, convex_parts, inset, surfaces

PROFILE = Function("m", name="profile", jumps=False)
SHARP = "both are sharp where they touch; round one of them: Box(..., radius=0.001), a small Disk for a Point"


class Shape(metaclass=PublicClass):
    """The shape of a body where it may touch another."""

    dimensions: ClassVar[tuple[int, ...]] = (2, 3)
    elsewhere: ClassVar[str] = ""
    """A suggestion of another shape in the dimension that this one does not support."""

    marker: Marker
    geometry: ShapeGeometry
    lengths: dict[str, Number]
    """The lengths that must be positive, in m, by name."""
    whole: Shape | None = None
    """The shape of which this one is a part; pictures show the whole."""
    said: Mapping[str, Any] = {}
    """The arguments of the shape, without the marker."""

    def __new__(cls, *positional: Any, **named: Any) -> Any:
        """Refuse missing or unknown arguments with an error that lists the valid ones. (Copies are made without
        arguments.)"""
        try:
            bound = signature(cls.__init__).bind(None, *positional, **named) if positional or named else None
        except TypeError as exc:
            words = ", ".join([*signature(cls.__init__).parameters][1:])
            raise ModelError(
                f"{cls.__name__}: {exc}; its arguments are: {words}",
                code="wrong-arguments", reason=str(exc),
            ) from exc  # fmt: skip
        shape = super().__new__(cls)
        said = [*bound.arguments.items()][2:] if bound else []
        shape.said = {name: value for name, value in said if isinstance(value, sp.Basic) or not callable(value)}
        return shape

    def __init__(self, marker: Place, **lengths: Numeric):
        self.marker = as_marker(marker, self.kind)
        if self.dimension not in self.dimensions:
            where = {2: "the plane", 3: "space"}[self.dimension]
            raise ModelError(
                f"there is no {self.kind} in {where} (at {self.marker.label}); take {self.elsewhere}",
                code="wrong-dimension", kind=self.kind, marker=self.marker.label,
            )  # fmt: skip
        self.lengths = {name: check_number(n, f"{name} of {self}", positive=True) for name, n in lengths.items()}

    kind = property(lambda self: type(self).__name__, doc="The name of its class.")
    dimension = property(lambda self: self.marker.body.dimension, doc="2 in the plane, 3 in space.")

    @property
    def constants(self) -> dict[str, Number]:
        """The numbers among the arguments: lengths; components of a size as "size_x", of corners as "points1_x" and so
        on."""
        return {name: n for argument, value in self.said.items() for name, n in _numbers(argument, value)}

    def with_constant(self, name: str, value: Number) -> Self:
        """Return a copy of the shape with another number."""
        said = {argument: _with_number(argument, given, name, value) for argument, given in self.said.items()}
        other = type(self)(self.marker, **said)
        other.whole = self.whole
        return other

    def check_values(self, number: Callable[[Number], float], who: str) -> None:
        """Check the lengths of the shape with the values of the parameters."""
        for name, length in self.lengths.items():
            check_number(number(length), f"{name} of {self} of {who}", positive=True)

    def __repr__(self) -> str:
        return f"{self.kind} at {self.marker.label}"


def _numbers(name: str, value: Any) -> Iterator[tuple[str, Number]]:
    """Yield the numbers in an argument, by name: the argument itself, or its components."""
    if is_constant(value):
        yield name, value
    for part, item in _parts(name, value):
        yield from _numbers(part, item)


def _with_number(name: str, value: Any, target: str, number: Number) -> Any:
    if name == target:
        return number
    return [_with_number(part, item, target, number) for part, item in _parts(name, value)] or value


def _parts(name: str, value: Any) -> list[tuple[str, Any]]:
    """Return the components of a vector, or of a list of vectors, with their names."""
    if not isinstance(value, list | tuple | np.ndarray):
        return []
    if any(isinstance(item, list | tuple | np.ndarray) for item in value):
        return [(f"{name}{k}", item) for k, item in enumerate(value, 1)]
    return [(f"{name}_{axis}", item) for axis, item in zip("xyz", value, strict=False)]


class Point(Shape):
    """A point of a body, at a marker.

    >>> model = mbs.PlanarModel("pin over a floor")
    >>> pin = model.body("pin", position=(0, 2))
    >>> model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Point(pin.at(0, -0.5))))
    <Contact floor>
    >>> print(round(mbs.assemble(model)["floor.gap"], 6))
    1.5
    """

    def __init__(self, marker: Place):
        super().__init__(marker)
        self.geometry = RoundedBox((0,) * self.dimension)


class Round(Shape):
    """A disk or a ball about the marker; with ``inside=True`` the ring or the bowl around it."""

    def __init__(self, marker: Place, radius: Numeric, inside: bool = False):
        super().__init__(marker, radius=radius)
        if not isinstance(inside, bool):
            raise ModelError(
                f"inside of {self} is {inside!r}; write inside=True for a ring or a bowl",
                code="not-true-or-false", argument="inside", inside=inside,
            )  # fmt: skip
        size = self.lengths["radius"]
        self.geometry = Hollow(size) if inside else RoundedBox((0,) * self.dimension, size)

    def __repr__(self) -> str:
        return super().__repr__() + " (inside)" * isinstance(getattr(self, "geometry", None), Hollow)


class Disk(Round):
    """A disk in the plane about a marker, with a `radius`, in m; with ``inside=True`` a ring, in which other bodies
    move.

    >>> model = mbs.PlanarModel("wheel in a ring")
    >>> wheel = model.body("wheel", position=(0.5, 0))
    >>> model.add(mbs.Contact("ring", mbs.Disk(model.ground, 2.0, inside=True), mbs.Disk(wheel, 0.3)))
    <Contact ring>
    >>> print(round(mbs.assemble(model)["ring.gap"], 6))  # 2 - 0.5 - 0.3
    1.2
    """

    dimensions = (2,)
    elsewhere = "a Sphere"


class Sphere(Round):
    """A ball about a marker, with a `radius`, in m; with ``inside=True`` a bowl, in which other bodies move.

    >>> model = mbs.SpatialModel("two balls")
    >>> one, other = model.body("one"), model.body("other", position=(3, 4, 0))
    >>> model.add(mbs.Contact("touch", mbs.Sphere(one, 1.0), mbs.Sphere(other, 0.5)))
    <Contact touch>
    >>> print(round(mbs.assemble(model)["touch.gap"], 6))
    3.5
    """

    dimensions = (3,)
    elsewhere = "a Disk"


class Capsule(Shape):
    """All points whose distance from a segment is at most `radius`, in m. The segment has the `length`, in m, and lies
    along the marker's x axis in the plane, along its z axis in space, with the marker in its middle. The points of
    contact are "gap1", at the negative end of this axis, and "gap2".

    >>> model = mbs.PlanarModel("log over a floor")
    >>> log = model.body("log", position=(0, 2), angle=np.pi / 6)
    >>> model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Capsule(log, length=2.0, radius=0.25)))
    <Contact floor>
    >>> pose = mbs.assemble(model)
    >>> print(round(pose["floor.gap1"], 6), round(pose["floor.gap2"], 6))  # 2 ∓ sin 30° - 0.25
    1.25 2.25
    """

    def __init__(self, marker: Place, length: Numeric, radius: Numeric):
        super().__init__(marker, length=length, radius=radius)
        half = self.lengths["length"] / 2
        halves = (half, 0) if self.dimension == 2 else (0, 0, half)
        self.geometry = RoundedBox(halves, self.lengths["radius"])


class Box(Shape):
    """A rectangle or a cuboid along the marker's axes, with the marker in its middle and side lengths `size`, in m.
    With a `radius`, in m, its edges are rounded, and its faces do not move. Corners are counted with the last axis
    first: in the plane "gap1" to "gap4" are (-, -), (-, +), (+, -), (+, +); in space "gap1" to "gap8" begin with (-, -,
    -), (-, -, +), (-, +, -).

    >>> model = mbs.PlanarModel("crate over a floor")
    >>> crate = model.body("crate", position=(0, 2))
    >>> model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Box(crate, (2.0, 1.0))))
    <Contact floor>
    >>> pose = mbs.assemble(model)
    >>> [round(pose[f"floor.gap{k}"], 6) for k in (1, 2, 3, 4)]
    [1.5, 2.5, 1.5, 2.5]
    """

    def __init__(self, marker: Place, size: Vector, radius: Numeric = 0.0):
        super().__init__(marker)
        sides = coordinates_of(size, f"size of {self}", self.dimension)
        self.lengths = {f"size {k}": check_number(n, f"a side of {self}", positive=True) for k, n in enumerate(sides)}
        self.radius = check_number(radius, f"radius of {self}", non_negative=True)
        self.geometry = RoundedBox(tuple(side / 2 - self.radius for side in sides), self.radius)
        if not free_parameters([*sides, self.radius]):
            self._check_radius(float, str(self))

    def check_values(self, number: Callable[[Number], float], who: str) -> None:
        """Check the sides and the radius with the values of the parameters."""
        super().check_values(number, who)
        self._check_radius(number, f"{self} of {who}")

    def _check_radius(self, number: Callable[[Number], float], who: str) -> None:
        radius = check_number(number(self.radius), f"radius of {who}", non_negative=True)
        if (most := min(map(number, self.lengths.values())) / 2) < radius:
            raise ModelError(
                f"radius of {who} is {radius:g}, and half of its least side {most:g}; give no more than that",
                code="out-of-bounds", subject=who, radius=radius, most=most,
            )  # fmt: skip


class Polygon(Shape):
    """A polygon in the plane, or a polyhedron in space, with corners `points` in the marker's axes, in m. With a
    `radius`, in m, the corners of a convex polygon (counterclockwise) are rounded, and its sides do not move. "gap1",
    "gap2", ... belong to its corners in the given order.

    >>> model = mbs.PlanarModel("wedge over a floor")
    >>> wedge = model.body("wedge", position=(0, 2))
    >>> shape = mbs.Polygon(wedge, [(-1, -0.5), (1, -0.5), (0, 1)])
    >>> model.add(mbs.Contact("floor", mbs.Line(model.ground), shape))
    <Contact floor>
    >>> pose = mbs.assemble(model)
    >>> [round(pose[f"floor.gap{k}"], 6) for k in (1, 2, 3)]
    [1.5, 1.5, 3.0]
    """

    def __init__(self, marker: Place, points: Sequence[Vector], radius: Numeric = 0.0):
        super().__init__(marker)
        try:
            points = [*points]
        except TypeError as exc:
            raise ModelError(
                f"points of {self} must be a list of corners, not {points!r}",
                code="not-a-list", argument="points", points=points,
            ) from exc  # fmt: skip
        if not points:
            raise ModelError(f"{self} has no corners; give points=[(x, y), ...]", code="missing-argument")
        self.points = tuple(coordinates_of(p, f"corner of {self}", self.dimension) for p in points)
        self.core = self.points
        self.radius = check_number(radius, f"radius of {self}", non_negative=True)
        if self.radius == 0:
            self.geometry = Polytope(self.points)
            return
        if self.dimension == 3 or len(points) < 3:
            what = "in space" if self.dimension == 3 else f"with {len(points)} corners"
            raise ModelError(
                f"radius of {self} rounds a polygon in the plane, and not one {what}; leave it out",
                code="radius-of-solid",
            )  # fmt: skip
        self.core = inset(self.points, self.radius)
        self.geometry = Polytope(self.core, self.radius)
        if not free_parameters([*(x for p in self.points for x in p), self.radius]):
            self._check_radius(float, str(self))

    def check_values(self, number: Callable[[Number], float], who: str) -> None:
        """Check the corners and the radius with the values of the parameters."""
        super().check_values(number, who)
        if self.radius != 0:
            self._check_radius(number, f"{self} of {who}")

    def parts(self) -> list[Polygon]:
        """Return a list of convex polygons at the same marker that make up this one; each needs a contact of its own.
        The corners must be sharp, numbers, and counterclockwise. A picture shows the polygon as a whole.

        >>> model = mbs.PlanarModel("bracket")
        >>> corners = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]
        >>> parts = mbs.Polygon(model.ground, corners).parts()
        >>> [len(part.points) for part in parts]
        [4, 4]
        """
        if self.dimension == 3 or free_parameters([x for point in self.points for x in point]):
            raise ModelError(
                f"parts() of {self} needs corners in the plane that are numbers; say each part by itself",
                code="needs-numbers",
            )  # fmt: skip
        parts = convex_parts([[float(x) for x in point] for point in self.points])
        if not parts:
            what = f"the corners of {self} do not go round it once, counterclockwise: two of its sides cross, or touch"
            raise ModelError(f"{what}; order them", code="edges-cross")
        if self.radius != 0 and len(parts) > 1:
            what = f"parts() of {self} needs sharp corners: parts that are rounded leave notches where they meet"
            raise ModelError(f"{what}; give it no radius, and round what it touches", code="corners-not-sharp")
        polygons = [Polygon(self.marker, [self.points[k] for k in part], self.radius) for part in parts]
        for part in polygons:
            part.whole = self
        return polygons

    def _check_radius(self, number: Callable[[Number], float], who: str) -> None:
        """Check that the polygon is convex, and that no side reverses its direction by the rounding, which shortens
        sides."""
        radius = check_number(number(self.radius), f"radius of {who}", non_negative=True)
        check_convex(Polytope(self.points), number, who)
        sharp, core = ([[number(x) for x in p] for p in points] for points in (self.points, self.core))
        for k, (p, r) in enumerate(zip(sharp, core, strict=True)):
            along = sum((p[c] - sharp[k - 1][c]) * (r[c] - core[k - 1][c]) for c in (0, 1))
            if along < 0:
                what = f"radius of {who} is {radius:g}, and leaves nothing of the side to corner {k + 1}"
                raise ModelError(f"{what}; give a smaller one", code="out-of-bounds", subject=who, radius=radius)


class Line(Shape):
    """The marker's x axis as a line; the marker's y axis points out, to where other bodies may be.

    >>> model = mbs.PlanarModel("ball over a slope")
    >>> ball = model.body("ball", position=(0, 2))
    >>> slope = mbs.Line(model.ground.at(0, 0, np.pi / 3))
    >>> model.add(mbs.Contact("slope", slope, mbs.Disk(ball, 0.25)))
    <Contact slope>
    >>> print(round(mbs.assemble(model)["slope.gap"], 6))  # 2 cos 60° - 0.25
    0.75
    """

    dimensions = (2,)
    elsewhere = "a Plane"

    def __init__(self, marker: Place):
        super().__init__(marker)
        self.geometry = HalfSpace()


class Plane(Shape):
    """The plane through the marker normal to its z axis, which points out, to where other bodies may be.

    >>> model = mbs.SpatialModel("ball", gravity=(0, 0, -10))
    >>> ball = model.body("ball", mass=2.0, inertia=0.01, position=(0, 0, 0.1))
    >>> model.add(mbs.Contact("floor", mbs.Plane(model.ground), mbs.Sphere(ball, 0.1)))
    <Contact floor>
    >>> print(mbs.simulate(model, [0, 1])["floor.force"][-1].round(6))  # it lies there, with m g
    20.0
    """

    dimensions = (3,)
    elsewhere = "a Line"

    def __init__(self, marker: Place):
        super().__init__(marker)
        self.geometry = HalfSpace()


class Profile(Shape):
    """A closed curve about the marker, in polar form: its radius, in m, an expression of `mbs.theta` or a periodic
    `Table`. In space, the cylinder over the curve along the marker's z axis. A profile meets a `Point`; for a roller
    the point is its centre, and the profile is the pitch curve.

    >>> import sympy as sp
    >>> model = mbs.PlanarModel("cam")
    >>> follower = model.body("follower", position=(0, 2))
    >>> cam = mbs.Profile(model.ground, 1.0 + 0.5 * sp.sin(mbs.theta))
    >>> model.add(mbs.Contact("cam", cam, mbs.Point(follower)))
    <Contact cam>
    >>> print(round(mbs.assemble(model)["cam.gap"], 6))  # 2 - 1.5, over the nose
    0.5
    """

    def __init__(self, marker: Place, radius: Any):
        super().__init__(marker)
        check_closed(radius, str(self))
        self.given = radius
        self.table = radius if isinstance(radius, Table) else None
        self.geometry = Outline(PROFILE.check(radius, str(self)))

    def check_values(self, number: Callable[[Number], float], who: str) -> None:
        """Check the profile with the values of the parameters."""
        super().check_values(number, who)
        check_closed(self.given, f"{self} of {who}", number)
        check_radius(self.given, f"{self} of {who}", number)

    def parts(self) -> list[Profile]:
        """Return a list of profiles that make up one of a `Table` with kind="linear"; each needs a contact of its own.
        Between two parts the profile turns inwards, as at the root of a tooth: a point that comes to rest there touches
        both. A picture shows the profile as a whole.

        The curve is r = max(r₁, r₂, ...): each part has every second tooth, whose two flanks continue a little beyond
        the roots; elsewhere the part stays below the others.

        >>> model = mbs.PlanarModel("ratchet")
        >>> angles = [0, np.pi / 3, np.pi, 4 * np.pi / 3, 2 * np.pi]  # two teeth
        >>> len(mbs.Profile(model.ground, mbs.Table(angles, [1, 1.1, 1, 1.1, 1], periodic=True, kind="linear")).parts())
        2
        """
        if self.table is None or self.table.kind != "linear":
            raise ModelError(
                f'parts() of {self} needs a profile that is a Table with kind="linear"', code="needs-linear-table"
            )
        profiles = [Profile(self.marker, table) for table in _teeth(self.table)]
        for part in profiles:
            part.whole = self
        return profiles


def _teeth(table: Table) -> list[Table]:
    """Return the tables of the parts of a profile. The slope rises at a root; a tooth lies between two roots."""
    x, y, n = table.x[:-1], table.y[:-1], table.x.size - 1
    period, slopes = table.x[-1] - table.x[0], np.diff(table.y) / np.diff(table.x)
    roots = np.flatnonzero(slopes - np.roll(slopes, 1) > 1e-12 * np.abs(slopes).max())
    if not roots.size:
        return [table]
    ends = np.sort(np.append(roots, (roots[0] + n // 2) % n)) if roots.size == 1 else roots  # one tooth: two halves
    count = ends.size
    colour = [2 if k == count - 1 and count % 2 else k % 2 for k in range(count)]

    def place(k: int) -> float:
        return x[k % n] + period * (k // n)

    tables = []
    for colour_of_tooth in sorted({*colour}):
        points: dict[float, float] = {}
        for k in range(count):
            first, last = int(ends[k]), int(ends[(k + 1) % count]) + (n if k == count - 1 else 0)
            if colour[k] == colour_of_tooth:
                points |= {x[j % n]: y[j % n] for j in range(first, last + 1)}
                continue
            for end, side in ((first, 1), (last, -1)):  # flanks of neighbours, on the first third of a piece
                inner = slopes[end % n] if side > 0 else slopes[(end - 1) % n]
                outer = slopes[(end - 1) % n] if side > 0 else slopes[end % n]
                beyond = side * (place(end + side) - place(end)) / 3
                at_root = end % n in roots and colour[(k - side) % count] == colour_of_tooth
                if at_root:
                    beyond = min(beyond, 0.1 * y[end % n] / max(abs(outer), 1e-300))
                    points[x[end % n] + side * beyond] = y[end % n] + side * beyond * outer
                elif end % n in roots:
                    points[x[end % n]] = 0.9 * y[end % n]
                else:
                    points[x[end % n] + side * beyond] = y[end % n] + side * beyond * inner - 0.01 * y[end % n]
        angles = {a - period * np.floor((a - table.x[0]) / period): r for a, r in points.items()}
        order = sorted(angles)
        at = np.array([*order, order[0] + period])
        tables.append(Table(at, [*(angles[a] for a in order), angles[order[0]]], periodic=True, kind="linear"))
    return tables


def check_pair(first: Shape, second: Shape, who: str) -> None:
    """Refuse a pair of shapes neither of which is a surface for the other."""
    a, b = first.geometry, second.geometry
    if surfaces(a, b):
        return
    kinds = {first.kind, second.kind}
    if "Profile" in kinds:
        remedy = "a Profile meets a Point; of a roller's centre the pitch curve is the profile"
    elif not (a.count or b.count):
        remedy = "one of them must be a body that moves against the other: Point, Disk, Sphere, Capsule, Box, Polygon"
    elif kinds <= {"Point", "Box", "Polygon"} and (first.dimension == 2 or "Point" in kinds):
        remedy = SHARP
    else:
        remedy = (
            "there is: any body against a Line, a Plane or the inside of a Disk or Sphere; in the plane bodies of "
            "which one is round (Disk, Capsule, Box and Polygon with radius=) against each other; in space a Sphere, "
            "or a Point if the other is round, against a Sphere, a Capsule or a Box; a Point against a Profile. Say "
            "others by their corners, each a Contact of its own, or by gap="
        )
    raise ModelError(
        f"{who}: there is no contact of {first} and {second}; {remedy}",
        code="no-contact-of-shapes", subject=who, first=first, second=second,
    )  # fmt: skip


def check_room(pair: tuple[Shape, ...], number: Callable[[Number], float], who: str) -> None:
    """Check that a body in a ring or in a bowl fits in it, and that a polygon whose whole outline is a surface is
    convex."""
    for own, other in surfaces(pair[0].geometry, pair[1].geometry):
        surface, hull = pair[own].geometry, pair[other].geometry
        check_convex(surface, number, f"{who}: {pair[own]}")
        if isinstance(surface, RoundedBox | Polytope) and number(surface.roundness) + number(hull.roundness) == 0.0:
            raise ModelError(
                f"{who}: the radius of {pair[own]} is 0, and so is that of {pair[other]}; {SHARP}",
                code="sharp-on-sharp", subject=who,
            )  # fmt: skip
    for outer, inner in (pair, pair[::-1]):
        if isinstance(outer.geometry, Hollow) and isinstance(inner.geometry, RoundedBox):
            radius, reach = number(outer.geometry.opening), number(inner.geometry.reach)
            if reach >= radius:
                what = f"{who} is open nowhere: {inner} reaches {reach:g} from its middle, and {outer} has the radius"
                raise ModelError(
                    f"{what} {radius:g}; make one smaller, or the other larger",
                    code="does-not-fit-inside", subject=who, inner=inner, outer=outer, radius=radius,
                )  # fmt: skip


def check_convex(body: ShapeGeometry, number: Callable[[Number], float], who: str) -> None:
    """Refuse a polygon that is not convex, if its whole outline is a surface for other bodies."""
    if isinstance(body, Polytope) and not body.bulges(number):
        what = f"{who} has no corners that go round counterclockwise and turn left at each"
        raise ModelError(
            f"{what}; order them, and say a polygon that is not convex by its parts()", code="not-convex", subject=who
        )
