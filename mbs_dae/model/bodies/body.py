"""Rigid bodies, and the markers fixed on them: the common part of planar and spatial bodies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from math import isfinite
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
import sympy as sp

from ...errors import ModelError, shortened, unknown_attribute
from ...public_class import PublicClass
from ...results.sketch import MeshSketch
from ...symbolic.functions import as_sympy
from ...symbolic.markers import LABELS, reference_turn
from ..parameters import Number, Numeric, check_number, plain

Vector: TypeAlias = Sequence[Numeric] | np.ndarray
"""A vector with one number for each dimension."""


@dataclass(frozen=True, eq=False)
class Marker(metaclass=PublicClass):
    """A point and a frame fixed on a body, in body axes (metres, radians), on which joints and forces act. `Body.at`
    returns one; `Body.marker` returns one with a name, under which results know it.

    >>> model = mbs.PlanarModel("plate")
    >>> plate = model.body("plate", position=(1, 2), angle=np.pi / 2)
    >>> tip = plate.marker("tip", 0.5, 0)
    >>> isinstance(tip, mbs.Marker), tip.label
    (True, 'plate.tip')
    >>> print(round(mbs.assemble(model)["plate.tip.y"], 6))
    2.5
    """

    body: Any

    numbers: ClassVar[property]
    """All numbers that define the position and the attitude of the marker."""
    frame: ClassVar[property]
    """The rows of the rotation matrix whose columns are the axes of the marker's frame, in body axes."""
    placed: ClassVar[property]
    """The marker at the reference placement, as numbers or expressions of parameters: a `FormMarker`."""

    @property
    def point(self) -> tuple[Number, ...]:
        """The coordinates of the point in body axes, in m."""
        return self.numbers[: self.body.dimension]

    def on_body(self, number: Callable[[Number], Any]) -> tuple[np.ndarray, np.ndarray]:
        """Return the point, and the matrix whose columns are the axes of the frame, in body axes."""
        return np.array([number(n) for n in self.point]), np.array([[number(n) for n in row] for row in self.frame])

    def check_values(self, number: Callable[[Number], float], who: str) -> None:
        """Check the numbers of the marker with the values of parameters."""
        symbolic = [n for n in self.numbers if isinstance(n, sp.Basic)]
        if not all(isfinite(number(n)) for n in symbolic):
            what = f"a number of marker {self.label} of {who} is not a finite real number for these parameters"
            raise ModelError(f"{what}; correct its expression or the parameters", code="not-finite", subject=self.label)

    @property
    def label(self) -> str:
        """The name of the marker: "rod.tip", or "rod(0.5, 0)" without a name."""
        name = getattr(self, "name", "")
        return f"{self.body.name}.{name}" if name else f"{self.body.name}({', '.join(map(str, self.point))})"

    def __repr__(self) -> str:
        return f"<marker {self.label}>"


@dataclass(frozen=True, eq=False)
class Body(metaclass=PublicClass):
    """A rigid body, from `body` or `link` of a model. `com` is its centre of mass in body axes, in m; `mass` is in kg,
    `inertia`, in kg m², about the centre of mass. In place of a marker, a body stands for its origin.

    >>> model = mbs.PlanarModel("lever", gravity=(0, -10))
    >>> lever = model.body("lever", mass=2.0, inertia=0.1, com=(0.5, 0))
    >>> isinstance(lever, mbs.Body), lever.at(0.5, 0), lever.marker("tip", 1, 0), lever.tip
    (True, <marker lever(0.5, 0)>, <marker lever.tip>, <marker lever.tip>)
    >>> model.add(mbs.Revolute("A", model.ground, lever), mbs.CoordinateFix("hand", lever.tip, "y"))
    (<Revolute A>, <CoordinateFix hand>)
    >>> held = mbs.inverse_dynamics(model, [0.0])
    >>> print(held["A.Fy"].round(6), held["hand.Fy"].round(6))  # half of its weight each
    [10.] [10.]
    """

    name: str
    mass: Number = 0
    inertia: Any = 0
    com: tuple[Number, ...] = ()
    position: tuple[Number, ...] = ()
    fixed: bool = False
    markers: dict[str, Any] = field(default_factory=dict, repr=False)
    waiting: dict[str, str] = field(default_factory=dict, repr=False)
    """Elements that were made on the body and not yet added to a model: their descriptions, by name."""
    span: Number | None = None
    """The length of a link, which must be positive, in m."""
    placed_span: Number | None = None
    """The distance of the two points between which a link was placed, in m."""

    meshes: list[MeshSketch] = field(default_factory=list, repr=False)
    """The meshes, from files, with which the body is drawn."""

    parts: tuple[str, ...] = ()
    """The names of the parts that were added to the body."""
    is_compiled: bool = False
    """Whether a compiled system uses the mass of the body; then no part can be added."""

    dimension: ClassVar[int]
    measure_kinds: ClassVar[tuple[str, ...]]
    """The measures of a body or of a named marker."""
    quantity_names: ClassVar[tuple[str, ...]]
    """The names of these measures in results."""
    numbers: ClassVar[property]
    """All numbers that define the body and its placement."""
    _place: ClassVar[Callable[..., Marker]]

    def _set(self, what: str, checked: Callable, *more: Any, **limits: Any) -> None:
        """Check and set one of the body's own numbers while the body is made."""
        value = checked(getattr(self, what), f"{what} of body {self.name!r}", *more, **limits)
        object.__setattr__(self, what, value)

    def at(self, *place: Numeric | Vector, **frame: Any) -> Marker:
        """Return a marker at a point in body axes, in m: ``at(x, y)``, with its frame turned by `angle`, in rad; in
        space ``at(x, y, z)``, with its z axis along `axis`, its x axis as near to `x_axis` as possible, or both by
        `rotation`."""
        return self._place("", *place, **frame)

    def marker(self, name: str, *place: Numeric | Vector, **frame: Any) -> Marker:
        """Return a marker with a name, at a point in body axes as in `at`: results know it as
        ``res["body.name.x"]``."""
        if not isinstance(name, str) or not name.isidentifier():
            raise ModelError(
                f"{name!r} cannot name a marker of body {self.name!r}; use letters, digits and _",
                code="not-a-name", name=name, element=self.name,
            )  # fmt: skip
        if name in self.markers or name in self.quantity_names:
            raise ModelError(
                f"body {self.name!r} already has {name!r}; choose another marker name",
                code="name-taken", element=self.name, name=name,
            )  # fmt: skip
        self.markers[name] = marker = self._place(name, *place, **frame)
        return marker

    def at_world(self, point: Any, axis: Any = None, x_axis: Any = None, who: str = "a marker") -> Marker:
        """Return the marker at a point in the world, with its axis along a direction in the world, in the reference
        placement."""
        raise NotImplementedError

    def add_part(self, name: str, mass: Numeric = 0, inertia: Any = 0, **place: Any) -> Self:
        """Weld a part to the body, and return the body: `mass`, `com` and `inertia` become those of both.

        A part is described like a body: `mass` in kg, its centre of mass `com`, in m, and its `inertia` about it, in kg
        m², in axes of the part, whose frame is at `position` in the axes of this body, turned by `angle` (in space by
        `rotation`). Numbers may be expressions of parameters. The frame of the body and its markers do not change. With
        masses m and m', and d the vector between both centres of mass::

            com = (m c + m' c') / (m + m'),        I = I_c + I'_c' + m m' / (m + m') (d² 1 - d dᵀ)

        All parts are added before the first computation with a model of the body.

        >>> model = mbs.PlanarModel("dumb-bell")
        >>> bell = model.body("bell")
        >>> for end in (0, 1):
        ...     bell = bell.add_part(f"ball {end}", mass=3.0, inertia=0.1, position=(end, 0))
        >>> print(bell.mass, bell.com, round(bell.inertia, 6))  # 2 (0.1 + 3 · 0.5²)
        6.0 (0.5, 0.0) 1.7
        """
        who = f"body {self.name!r}"
        if self.fixed:
            raise ModelError(
                f"the ground has no mass; add part {name!r} to a body that moves", code="ground-without-mass", name=name
            )
        if not isinstance(name, str) or not name or name in self.parts:
            what = f"{who} already has a part {name!r}" if name in self.parts else f"{name!r} cannot name a part"
            raise ModelError(
                f"{what}; give each part of {who} a text of its own as its name", code="name-taken", element=self.name
            )
        if self.is_compiled:
            what = f"part {name!r} comes late: results of {who} were computed with the mass that it had"
            raise ModelError(
                f"{what}; add parts before the first analysis, or to a copy.deepcopy(model)", code="mass-in-use"
            )
        own = type(self).__dataclass_fields__.keys() & {"com", "position", "angle", "rotation"}
        if strange := sorted({*place} - own):
            raise ModelError(
                f"part {name!r} of {who} has no {', '.join(strange)}; it takes mass, inertia, {', '.join(sorted(own))}",
                code="wrong-arguments", name=name, element=self.name, strange=tuple(strange),
            )  # fmt: skip
        part = type(self)(f"{self.name}.{name}", mass, inertia, **place)
        there, tensor = part._in_frame()
        if is_zero(part.mass):
            com, spread = self.com, 0
        elif is_zero(self.mass):
            com, spread = there, 0
        else:
            m, other = as_sympy(self.mass), as_sympy(part.mass)
            com = tuple((m * a + other * b) / (m + other) for a, b in zip(self.com, there, strict=True))
            spread = m * other / (m + other)
        offset = [as_sympy(b) - a for a, b in zip(self.com, there, strict=True)]
        changes = {
            "mass": plain(as_sympy(self.mass) + part.mass),
            "com": tuple(plain(as_sympy(c)) for c in com),
            "inertia": self._sum_of_inertia(tensor, spread, offset),
            "parts": (*self.parts, name),
        }
        for what, value in changes.items():
            object.__setattr__(self, what, value)
        return self

    def _in_frame(self) -> tuple[tuple[Number, ...], Any]:
        """Return the centre of mass, and the inertia about it, in the axes in which this body is placed."""
        raise NotImplementedError

    def _sum_of_inertia(self, other: Any, spread: Number, offset: Sequence[Number]) -> Any:
        """Return the inertia with that of a part, in the same axes, and spread (d² 1 - d dᵀ), d being the vector
        `offset`."""
        raise NotImplementedError

    def __getstate__(self) -> dict[str, Any]:
        """Return the state of a copy, for which nothing is compiled."""
        return {**vars(self), "is_compiled": False}

    @property
    def origin(self) -> Marker:
        """The marker at the origin of the body's frame."""
        return self._place("", *(0,) * self.dimension)

    @property
    def centred(self) -> bool:
        """Whether the frame's origin is the centre of mass, for all values of parameters."""
        return all(is_zero(c) for c in self.com)

    def check_values(self, number: Callable[[Number], float]) -> None:
        """Check the numbers of the body with the values of parameters."""
        check_number(number(self.mass), f"mass of body {self.name!r}", non_negative=True)
        if not all(isfinite(number(c)) for c in self.com):
            what = f"the centre of mass of body {self.name!r} is nowhere for these parameters"
            raise ModelError(
                f"{what}; correct its expression, or let one of its parts have a mass",
                code="not-finite", element=self.name,
            )  # fmt: skip
        if self.span is not None:
            check_number(number(self.span), f"length of link {self.name!r}", positive=True)

    def __getattr__(self, name: str) -> Marker:
        """Return a named marker: ``link.tail``."""
        markers = self.__dict__.get("markers", {})
        if name in markers:
            return markers[name]
        who, hint = f"body {self.__dict__.get('name')!r}", f"its markers are: {', '.join(markers) or 'none'}"
        raise unknown_attribute(self, who, name, hint)

    def __repr__(self) -> str:
        return f"<body {self.name}>"


Place: TypeAlias = Marker | Body
"""A marker, or a body, which stands for its origin marker."""


def reference_turns(form: Any, markers: Sequence[Marker]) -> dict[sp.Symbol, Number]:
    """Return the numbers for the reference turns in a form on these markers: the angles of the reference placement."""
    free = {s for e in form.expressions for s in e.free_symbols}
    labelled = zip(LABELS, markers, strict=False)
    pairs = ((reference_turn(a, b), i, j) for (a, i), (b, j) in permutations(labelled, 2))
    return {symbol: i.placed.turn_to(j.placed) for symbol, i, j in pairs if symbol in free}


def as_marker(thing: Any, who: str) -> Marker:
    if isinstance(thing, Marker):
        return thing
    if isinstance(thing, Body):
        return thing.origin
    raise ModelError(
        f"{who} joins markers or bodies, not {thing!r}; write body.at(x, y) or the body itself",
        code="not-a-marker", subject=who, value=thing,
    )  # fmt: skip


def components_of(value: Any, what: str, names: Sequence[str]) -> tuple[Any, ...]:
    """Return the components of a pair or a triple."""
    try:
        components = tuple(value)
        if len(components) != len(names):
            raise ValueError
    except (TypeError, ValueError) as exc:
        kind = {2: "pair", 3: "triple"}[len(names)]
        raise ModelError(
            f"{what} must be a {kind} ({', '.join(names)}), not {shortened(value)}",
            code="wrong-length", kind=kind, names=tuple(names), value=value,
        ) from exc  # fmt: skip
    return components


def coordinates_of(value: Any, what: str, count: int) -> tuple[Number, ...]:
    """Return a pair (x, y) or a triple (x, y, z) of numbers."""
    pairs = zip("xyz", components_of(value, what, "xyz"[:count]), strict=False)
    return tuple(check_number(n, f"{name} of the {what}") for name, n in pairs)


def square_of(value: Any, what: str, wanted: str) -> tuple[tuple[Number, ...], ...]:
    """Return a square matrix of numbers, given by its rows or by its diagonal."""
    rows = value.tolist() if hasattr(value, "tolist") else value
    try:
        rows = [*value] if isinstance(value, sp.MatrixBase) and 1 in value.shape else [*rows]
        rows = [[*row] if hasattr(row, "__len__") else row for row in rows]
        if not any(isinstance(row, list) for row in rows):
            rows = [[n if r == c else 0 for c in range(len(rows))] for r, n in enumerate(rows)]
        if any(len(row) != len(rows) for row in rows):
            raise ValueError
    except (TypeError, ValueError) as exc:
        raise ModelError(f"{what} must be {wanted}, not {shortened(value)}", code="wrong-shape", value=value) from exc
    return tuple(tuple(check_number(n, f"a number in the {what}") for n in row) for row in rows)


def is_zero(number: Number) -> bool:
    return not isinstance(number, sp.Basic) and number == 0


def difference(a: Number, b: Number) -> Number:
    return a if is_zero(b) else a - b
