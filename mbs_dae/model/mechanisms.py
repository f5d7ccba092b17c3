"""Mechanisms in the plane and in space."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import signature
from typing import Any, Self

import sympy as sp

from ..errors import ModelError, check_dict, check_name, checked_options
from ..unit_system import warn_of_degrees
from .bodies.body import Vector, coordinates_of
from .bodies.planar_body import PlanarBody
from .bodies.spatial_body import SpatialBody, frame_of
from .linkages.points import build
from .model import Model
from .parameters import Numeric, check_number, plain


class PlanarModel(Model):
    """A planar mechanism: bodies, markers on them, parameters, and the elements between the markers.

    SI units and radians throughout. Gravity is (g_x, g_y), in m/s². ``model.ground`` is the fixed body.

    >>> model = mbs.PlanarModel("pendulum", gravity=(0, -9.81))
    >>> rod = model.link("rod", (0, 0), (1, 0), mass=2.0)
    >>> model.add(mbs.Revolute("A", model.ground, rod.tail))
    <Revolute A>
    >>> model
    <PlanarModel 'pendulum': 1 body, 1 element>
    >>> rest = mbs.equilibrium(model)
    >>> print(round(rest["rod.angle"] / np.pi, 6), round(rest["A.Fy"], 6))  # it hangs, and the pin carries m g
    -0.5 19.62

    ``model.bodies``, ``model.elements`` and ``model.parameters`` hold the content by name; ``model["rod.omega"]`` is
    a quantity as a symbol, for the expressions of forces, states and events.
    """

    body_class = PlanarBody

    @classmethod
    def from_points(
        cls, points: Mapping[str, tuple[Numeric, Numeric]],
        rods: Mapping[str, Sequence[str]] | Sequence[Sequence[str]],
        fixed: Sequence[str] = (), *, mass: Numeric | Mapping[str, Numeric] | None = None,
        density: Numeric | Mapping[str, Numeric] | None = None,
        sliders: Mapping[str, Numeric | tuple[Numeric, Numeric]] | None = None, gravity: Vector | None = None,
        name: str = "mechanism", parameters: Mapping[str, float | tuple[float, str]] | None = None,
        dimensions: bool = False, **other: Any,
    ) -> Self:  # fmt: skip
        """Return a linkage given by points and rods. `points` maps names to coordinates (x, y), in m.

        >>> linkage = mbs.PlanarModel.from_points(
        ...     {"A": (0, 0), "B": (0, 0.2), "C": (0.5, 0.6), "D": (0.7, 0)},
        ...     rods={"crank": "AB", "coupler": "BC", "rocker": "CD"}, fixed="AD", mass=2.0, gravity=(0, -9.81))
        >>> print(*linkage.bodies, *linkage.elements)
        crank coupler rocker A B C D
        >>> mbs.diagnose(linkage).degrees_of_freedom
        1

        `rods` names the points of each body: two make a uniform rod, three or more a uniform plate; if they all lie on
        one line, a rod between the outermost. The points of a plate may be named in any order, unless one lies inside
        the others and the plate has a mass: then name them in order. Longer names go in tuples, ("A1", "B"). A list of
        rods, ["AB", "BC"], names each rod by its points. Every point of a body is a marker (``coupler.C``); the body's
        frame is at its centre of mass, with the x axis from its first point to its second.

        A `Revolute` with the name of the point joins bodies that share a point, and each body with a `fixed` point to
        the ground; names of several joints in one point also name the bodies, "B (crank-rocker)". A point of `sliders`
        slides (a `PinInSlot` on the ground) along the line through its position with the given angle, in rad, or
        direction (x, y).

        `mass`, in kg, is that of each body, or a dict by name; or give `density`, in kg/m for rods and kg/m² for
        plates. Without either, bodies have no mass, which is enough for kinematics. `gravity` is (g_x, g_y), in m/s².

        With ``dimensions=True`` every dimension is a parameter with the value that the points give: "crank.length" is
        the distance of the first two points of a body, "plate.P_along" and "plate.P_across" are the coordinates of
        another point P along the line through them and to the left of it (from the first point), "A.x" and "A.y" are
        those of a fixed point. Studies, optimisation and live pages change dimensions by these names; the points then
        are first guesses.

        >>> sized = mbs.PlanarModel.from_points(
        ...     {"A": (0, 0), "B": (1, 0)}, rods={"arm": "AB"}, fixed="A", dimensions=True)
        >>> longer = sized.with_parameters(**{"arm.length": 3.0})
        >>> print(round(mbs.assemble(longer)["arm.B.x"] - mbs.assemble(longer)["arm.A.x"], 6))
        3.0

        Coordinates, masses and directions may also be expressions of sympy symbols whose values `parameters` gives by
        name, ``{"r": 0.1}``, or with their SI units, ``{"r": (0.1, "m")}``; `add_linkage` takes expressions of the
        parameters of an existing model.
        """
        if other:
            plates = "; a plate is a rod of three or more points: rods={'plate': 'ABC'}" if "plates" in other else ""
            raise ModelError(
                f"from_points has no {', '.join(other)}{plates or '; see help(from_points)'}",
                code="unknown-name", other=tuple(other),
            )  # fmt: skip
        model = cls(name, gravity)
        arguments: Any = {"points": points, "mass": mass, "density": density, "sliders": sliders}
        if parameters is not None:
            check_dict("parameters", parameters, "names and values", '{"r": 0.1} or {"r": (0.1, "m")}')
            used = _names_of_symbols(arguments)
            symbols = {}
            for key, value in parameters.items():
                check_name("symbol", str(key), used, "parameters= gives values to symbols of points, but it")
                value_and_unit = value if isinstance(value, tuple | list) and len(value) == 2 else (value,)
                symbols[str(key)] = model.parameter(str(key), *value_and_unit)
            arguments = {name: _with_parameters(value, symbols) for name, value in arguments.items()}
        return model.add_linkage(rods=rods, fixed=fixed, dimensions=dimensions, **arguments)

    @checked_options
    def add_linkage(
        self, points: Mapping[str, tuple[Numeric, Numeric]],
        rods: Mapping[str, Sequence[str]] | Sequence[Sequence[str]],
        fixed: Sequence[str] = (), *, mass: Numeric | Mapping[str, Numeric] | None = None,
        density: Numeric | Mapping[str, Numeric] | None = None,
        sliders: Mapping[str, Numeric | tuple[Numeric, Numeric]] | None = None, dimensions: bool = False,
    ) -> Self:  # fmt: skip
        """Add the bodies and joints of a linkage defined by points, as `from_points` does, and return the model.
        Coordinates, masses and directions may be expressions of its parameters.

        >>> model = mbs.PlanarModel("pendulum", gravity=(0, -10))
        >>> l = model.parameter("l", 0.5, "m")
        >>> model.add_linkage({"A": (0, 0), "B": (0, -l)}, rods={"rod": "AB"}, fixed="A", mass=1.0)
        <PlanarModel 'pendulum': 1 body, 1 element>
        >>> rates = [mbs.linearize(m).eigenvalues[0] for m in (model, model.with_parameters(l=2.0))]
        >>> print(round(abs(rates[0] / rates[1]), 9))  # √(3 g/2 l)
        2.0
        """
        build(self, points, rods, fixed, mass, density, sliders, dimensions)
        return self

    @checked_options
    def body(
        self, name: str, mass: Numeric = 0, inertia: Numeric = 0, com: Vector = (0, 0), position: Vector = (0, 0),
        angle: Numeric = 0,
    ) -> PlanarBody:  # fmt: skip
        """Add a rigid body and return it. Its frame is at `position`, in m, turned by `angle`, in rad, in the reference
        placement (a first guess is enough); `mass` is in kg, `com` in body axes, in m, `inertia` about it, in kg m².

        >>> model = mbs.PlanarModel("fall", gravity=(0, -10))
        >>> stone = model.body("stone", mass=2.0, inertia=0.1, position=(0, 7))
        >>> print(mbs.simulate(model, [0, 1])["stone.y"].round(6))  # 7 - g t²/2
        [7. 2.]
        """
        arguments: dict[str, Any] = {"com": com, "position": position}  # the body checks and converts these
        body = self._added(PlanarBody(name, mass, inertia, angle=angle, **arguments))
        warn_of_degrees(angle, f"the angle of body {name!r}")
        return body

    @checked_options
    def link(self, name: str, P: Vector, Q: Vector, mass: Numeric = 0, length: Numeric | None = None) -> PlanarBody:
        """Add a uniform slender rod and return it, with markers `tail` and `head`, placed between two world points P
        and Q, in m; its frame is in the middle, its x axis points from tail to head. `mass` is in kg.

        Its length is the distance of P and Q, or `length`, in m (a parameter, say): then P and Q only place the rod.

        >>> model = mbs.PlanarModel("arm")
        >>> arm = model.link("arm", (0, 0), (3, 4), mass=12.0)
        >>> print(round(float(arm.inertia), 6))  # m l²/12
        25.0
        """
        place, axis, m, span = _rod(self.dimension, name, P, Q, mass, length)
        angle = plain(sp.atan2(*reversed(axis)))
        return _with_ends(self, PlanarBody(name, m, m * span**2 / 12, position=place, angle=angle, span=span), axis)


class SpatialModel(Model):
    """A mechanism in space: bodies, markers on them, parameters, and the elements between the markers.

    SI units and radians throughout. Gravity is (g_x, g_y, g_z), in m/s². ``model.ground`` is the fixed body.

    >>> model = mbs.SpatialModel("gate", gravity=(0, 0, -9.81))
    >>> bar = model.link("bar", (0, 0, 0), (2, 0, 0), mass=5.0, radius=0.02)
    >>> model.add(mbs.Revolute("hinge", model.ground, bar, at=(0, 0, 0), axis=(0, 1, 0)))
    <Revolute hinge>
    >>> mbs.diagnose(model).degrees_of_freedom
    1
    >>> rest = mbs.equilibrium(model)
    >>> print(round(rest["bar.z"], 6), round(rest["hinge.Fz"], 6))  # it hangs, and the hinge carries m g
    -1.0 49.05
    """

    body_class = SpatialBody

    def body(
        self, name: str, mass: Numeric = 0, inertia: Numeric | Vector | Sequence[Vector] = 0, com: Vector = (0, 0, 0),
        position: Vector = (0, 0, 0), rotation: Any = None, **other: Any,
    ) -> SpatialBody:  # fmt: skip
        """Add a rigid body and return it. Its frame is at `position`, in m, in the reference placement (a first guess
        is enough).

        `mass` is in kg, and `com` in body axes, in m; `inertia` is about it, in body axes, in kg m²: three principal
        moments, or a tensor. One moment and two zeros, ``(0, 0, J)``, are enough for a body that joints let turn about
        this axis alone. `rotation` takes body axes to world axes: a matrix (``mbs.rotations.bryant(...)``,
        ``euler(...)``, ``about(axis, angle)``), a quaternion (scalar first), or a scipy Rotation.

        >>> model = mbs.SpatialModel("plate")
        >>> plate = model.body("plate", mass=2.0, inertia=(0.1, 0.1, 0.2), position=(0, 0, 1),
        ...                    rotation=mbs.rotations.about((0, 0, 1), np.pi / 2))
        >>> corner = plate.marker("corner", 0.5, 0, 0)
        >>> print(round(mbs.assemble(model)["plate.corner.y"], 6))
        0.5
        """
        if "angle" in other:
            raise ModelError(
                f"body {name!r} in space has no angle; its attitude is given by rotation=", code="not-planar", name=name
            )
        for word in other:
            check_name("option", word, [*signature(self.body).parameters][:-1], "body()")
        arguments: dict[str, Any] = {"inertia": inertia, "com": com, "position": position, "rotation": rotation}
        return self._added(SpatialBody(name, mass, **arguments))  # the body checks and converts these

    @checked_options
    def link(
        self, name: str, P: Vector, Q: Vector, mass: Numeric = 0, length: Numeric | None = None, radius: Numeric = 0,
        z_axis: Vector | None = None,
    ) -> SpatialBody:  # fmt: skip
        """Add a uniform rod and return it, with markers `tail` and `head`, placed between two world points P and Q, in
        m; its frame is in the middle, its x axis points from tail to head, its z axis as near to `z_axis` as possible.
        `mass` is in kg.

        Its length is the distance of P and Q, or `length`, in m (a parameter, say): then P and Q only place the rod.
        With a `radius`, in m, it is a cylinder, and has an inertia about its own axis.

        >>> model = mbs.SpatialModel("shaft")
        >>> shaft = model.link("shaft", (0, 0, 0), (0, 0, 1), mass=2.0, radius=0.1)
        >>> print(round(float(shaft.inertia[0][0]), 6))  # m r²/2 about its own axis
        0.01
        """
        place, axis, m, span = _rod(self.dimension, name, P, Q, mass, length)
        r = check_number(radius, f"radius of link {name!r}", non_negative=True)
        if z_axis is None:
            z_axis = (-axis[2], 0, 0) if axis[0] == axis[1] == 0 else (0, 0, 1)  # so that y stays y in the x-z plane
        try:
            z, y, x = zip(*frame_of(tuple(map(plain, axis)), z_axis, f"link {name!r}"), strict=True)
        except ModelError as exc:
            raise ModelError(
                f"z_axis={z_axis} of link {name!r} has no part across the rod; give another one",
                code="axis-not-across", z_axis=z_axis, name=name,
            ) from exc  # fmt: skip
        turn = tuple(zip(x, [-n for n in y], z, strict=True))
        across = m * (span**2 / 12 + r**2 / 4)
        inertia = (m * r**2 / 2, across, across)
        return _with_ends(self, SpatialBody(name, m, inertia, position=place, rotation=turn, span=span), axis)


def _names_of_symbols(value: Any) -> set[str]:
    """Return the names of all symbols in the value."""
    if isinstance(value, Mapping | tuple | list):
        parts = value.values() if isinstance(value, Mapping) else value
        return {name for part in parts for name in _names_of_symbols(part)}
    return {str(s) for s in value.free_symbols} if isinstance(value, sp.Basic) else set()


def _with_parameters(value: Any, symbols: Mapping[str, Any]) -> Any:
    """Return the value with each symbol replaced by the parameter of its name."""
    if isinstance(value, Mapping):
        return {key: _with_parameters(part, symbols) for key, part in value.items()}
    if isinstance(value, tuple | list):
        return tuple(_with_parameters(part, symbols) for part in value)
    if not isinstance(value, sp.Basic):
        return value
    return value.xreplace({s: symbols[s.name] for s in value.free_symbols if getattr(s, "name", "") in symbols})


def _rod(
    dimension: int, name: str, P: Vector, Q: Vector, mass: Numeric, length: Numeric | None
) -> tuple[Any, Any, Any, Any]:
    """Return the middle of a link, the vector between its ends, its mass, and its length, which is that of the vector
    if none is given."""
    ends = (coordinates_of(point, f"{which} of link {name!r}", dimension) for which, point in (("P", P), ("Q", Q)))
    tail, head = map(sp.Matrix, ends)
    axis = head - tail
    between = sp.sqrt(axis.dot(axis))
    if between == 0:
        raise ModelError(
            f"link {name!r} has no length: P and Q are the same point; move one of them", code="same-place", name=name
        )
    m = check_number(mass, f"mass of link {name!r}", non_negative=True)
    size = plain(between) if length is None else check_number(length, f"length of link {name!r}", positive=True)
    return tuple(map(plain, (tail + head) / 2)), axis, m, size


def _with_ends(model: Model, rod: Any, axis: Any) -> Any:
    """Add the link to the model with markers at its ends, and return it."""
    object.__setattr__(rod, "placed_span", plain(sp.sqrt(axis.dot(axis))))
    model._added(rod)
    half, across = rod.span / 2, (0,) * (model.dimension - 1)
    rod.marker("tail", -half, *across)
    rod.marker("head", half, *across)
    return rod
