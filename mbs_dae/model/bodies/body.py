"""Rigid bodies, and the markers fixed on them: what those in the plane and those in space have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from math import isfinite
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
import sympy as sp

from ...errors import ModelError, shortened
from ...public_class import PublicClass
from ...results.sketch import MeshSketch
from ...symbolic.functions import as_sympy
from ...symbolic.markers import LABELS, reference_turn
from ..parameters import Number, Numeric, check_number, plain

Vector: TypeAlias = Sequence[Numeric] | np.ndarray
"""As many numbers as there are dimensions."""


@dataclass(frozen=True, eq=False)
class Marker(metaclass=PublicClass):
    """A point and a frame fixed on a body, in body axes (metres, radians): what joints and forces act on. It is made by
    `Body.at`, or with a name by `Body.marker`, under which results know it.

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
    """All that says where it is."""
    frame: ClassVar[property]
    """The rows of the matrix whose columns are the axes of its frame, in body axes."""
    placed: ClassVar[property]
    """The marker at the reference placement, as numbers or expressions of parameters: a `FormMarker`."""

    @property
    def point(self) -> tuple[Number, ...]:
        """Its coordinates in body axes."""
        return self.numbers[: self.body.dimension]

    def on_body(self, number: Callable[[Number], Any]) -> tuple[np.ndarray, np.ndarray]:
        """Its point, and the matrix whose columns are its axes, in body axes."""
        return np.array([number(n) for n in self.point]), np.array([[number(n) for n in row] for row in self.frame])

    def check_values(self, number: Callable[[Number], float], who: str) -> None:
        """Check what depends on the values of parameters."""
        symbolic = [n for n in self.numbers if isinstance(n, sp.Basic)]
        if not all(isfinite(number(n)) for n in symbolic):
            what = f"a number of marker {self.label} of {who} is not a finite real number for these parameters"
            raise ModelError(f"{what}; mend its expression or the parameters")

    @property
    def label(self) -> str:
        """The name of the marker: "rod.tip", or "rod(0.5, 0)" without a name."""
        name = getattr(self, "name", "")
        return f"{self.body.name}.{name}" if name else f"{self.body.name}({', '.join(map(str, self.point))})"

    def __repr__(self) -> str:
        return f"<marker {self.label}>"


@dataclass(frozen=True, eq=False)
class Body(metaclass=PublicClass):
    """A rigid body, from `body` or `link` of a model. Its frame stands somewhere in the reference placement; `com` is
    its centre of mass in body axes, and `inertia` is about that centre. Where a marker is meant, a body stands for its
    origin.

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
    """Elements that were made on it and added to no model yet: what they are, by name."""
    span: Number | None = None
    """The length of a link, which must be positive."""
    placed_span: Number | None = None
    """The distance of the two points between which a link was placed."""

    meshes: list[MeshSketch] = field(default_factory=list, repr=False)
    """What it is drawn by, where files say it."""

    parts: tuple[str, ...] = ()
    """The names of the parts that were added to it."""
    is_compiled: bool = False
    """Whether a compiled system goes by its mass; then no part can be added any more."""

    dimension: ClassVar[int]
    measure_kinds: ClassVar[tuple[str, ...]]
    """The measures that can be read of a body or of a named marker."""
    quantity_names: ClassVar[tuple[str, ...]]
    """What those are called in results."""
    numbers: ClassVar[property]
    """All that says what it is and where it stands."""
    _place: ClassVar[Callable[..., Marker]]

    def _set(self, what: str, checked: Callable, *more: Any, **limits: Any) -> None:
        """One of its own numbers, after its check, while the body is made."""
        value = checked(getattr(self, what), f"{what} of body {self.name!r}", *more, **limits)
        object.__setattr__(self, what, value)

    def at(self, *place: Numeric | Vector, **frame: Any) -> Marker:
        """A marker at this point in body axes: ``at(x, y)``, its frame turned by `angle`; in space ``at(x, y, z)``, its
        z axis along `axis`, its x axis as near to `x_axis` as can be, or both by `rotation`.
        """
        return self._place("", *place, **frame)

    def marker(self, name: str, *place: Numeric | Vector, **frame: Any) -> Marker:
        """A marker with a name: results know it as ``res["body.name.x"]``."""
        if not isinstance(name, str) or not name.isidentifier():
            raise ModelError(f"{name!r} cannot name a marker of body {self.name!r}; use letters, digits and _")
        if name in self.markers or name in self.quantity_names:
            raise ModelError(f"body {self.name!r} already has {name!r}; choose another marker name")
        self.markers[name] = marker = self._place(name, *place, **frame)
        return marker

    def at_world(self, point: Any, axis: Any = None, x_axis: Any = None, who: str = "a marker") -> Marker:
        """The marker that lies at this world point, its axis along this world direction, in the reference placement."""
        raise NotImplementedError

    def add_part(self, name: str, mass: Numeric = 0, inertia: Any = 0, **place: Any) -> Self:
        """Weld a part to the body, and give the body back: `mass`, `com` and `inertia` become those of both.

        The part is said as a body is: its `com` and its `inertia` about that in its own axes, its frame at `position`
        in the axes of this body, turned by `angle` (in space by `rotation`). Numbers may be expressions of parameters.
        The frame of the body and its markers stay. With m and m' the masses, d the way between both centres::

            com = (m c + m' c') / (m + m'),        I = I_c + I'_c' + m m' / (m + m') (d² 1 - d dᵀ)

        All parts are added before anything is computed of a model with the body.

        >>> model = mbs.PlanarModel("dumb-bell")
        >>> bell = model.body("bell")
        >>> for end in (0, 1):
        ...     bell = bell.add_part(f"ball {end}", mass=3.0, inertia=0.1, position=(end, 0))
        >>> print(bell.mass, bell.com, round(bell.inertia, 6))  # 2 (0.1 + 3 · 0.5²)
        6.0 (0.5, 0.0) 1.7
        """
        who = f"body {self.name!r}"
        if self.fixed:
            raise ModelError(f"the ground has no mass; add part {name!r} to a body that moves")
        if not isinstance(name, str) or not name or name in self.parts:
            what = f"{who} already has a part {name!r}" if name in self.parts else f"{name!r} cannot name a part"
            raise ModelError(f"{what}; give each part of {who} a text of its own as its name")
        if self.is_compiled:
            what = f"part {name!r} comes late: results of {who} were computed with the mass that it had"
            raise ModelError(f"{what}; add parts before the first analysis, or to a copy.deepcopy(model)")
        own = type(self).__dataclass_fields__.keys() & {"com", "position", "angle", "rotation"}
        if strange := sorted({*place} - own):
            raise ModelError(
                f"part {name!r} of {who} has no {', '.join(strange)}; it takes mass, inertia, {', '.join(sorted(own))}"
            )
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
        way = [as_sympy(b) - a for a, b in zip(self.com, there, strict=True)]
        changes = {
            "mass": plain(as_sympy(self.mass) + part.mass),
            "com": tuple(plain(as_sympy(c)) for c in com),
            "inertia": self._sum_of_inertia(tensor, spread, way),
            "parts": (*self.parts, name),
        }
        for what, value in changes.items():
            object.__setattr__(self, what, value)
        return self

    def _in_frame(self) -> tuple[tuple[Number, ...], Any]:
        """The centre of mass, and the inertia about it, in the axes in which this body is placed."""
        raise NotImplementedError

    def _sum_of_inertia(self, other: Any, spread: Number, way: Sequence[Number]) -> Any:
        """With the inertia of a part, in the same axes, and spread (d² 1 - d dᵀ) of the way d between both centres."""
        raise NotImplementedError

    def __getstate__(self) -> dict[str, Any]:
        """For copies, of which nothing is compiled."""
        return {**vars(self), "is_compiled": False}

    @property
    def origin(self) -> Marker:
        """The marker in the origin of its frame."""
        return self._place("", *(0,) * self.dimension)

    @property
    def centred(self) -> bool:
        """Whether the frame's origin is the centre of mass, whatever parameters are."""
        return all(is_zero(c) for c in self.com)

    def check_values(self, number: Callable[[Number], float]) -> None:
        """Check what depends on the values of parameters."""
        check_number(number(self.mass), f"mass of body {self.name!r}", non_negative=True)
        if not all(isfinite(number(c)) for c in self.com):
            what = f"the centre of mass of body {self.name!r} is nowhere for these parameters"
            raise ModelError(f"{what}; mend its expression, or let one of its parts have a mass")
        if self.span is not None:
            check_number(number(self.span), f"length of link {self.name!r}", positive=True)

    def __getattr__(self, name: str) -> Marker:
        """Named markers read like attributes: ``link.tail``."""
        markers = self.__dict__.get("markers", {})
        if name in markers:
            return markers[name]
        known = f"; its markers are: {', '.join(markers)}" if markers else ""
        raise AttributeError(f"body {self.__dict__.get('name')!r} has no marker or attribute {name!r}{known}")

    def __repr__(self) -> str:
        return f"<body {self.name}>"


Place: TypeAlias = Marker | Body
"""A body stands for its origin marker."""


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
    raise ModelError(f"{who} joins markers or bodies, not {thing!r}; write body.at(x, y) or the body itself")


def components_of(value: Any, what: str, names: Sequence[str]) -> tuple[Any, ...]:
    """A pair or a triple, of whatever."""
    try:
        components = tuple(value)
        if len(components) != len(names):
            raise ValueError
    except (TypeError, ValueError) as exc:
        kind = {2: "pair", 3: "triple"}[len(names)]
        raise ModelError(f"{what} must be a {kind} ({', '.join(names)}), not {shortened(value)}") from exc
    return components


def coordinates_of(value: Any, what: str, count: int) -> tuple[Number, ...]:
    """A pair (x, y) or a triple (x, y, z) of numbers."""
    pairs = zip("xyz", components_of(value, what, "xyz"[:count]), strict=False)
    return tuple(check_number(n, f"{name} of the {what}") for name, n in pairs)


def square_of(value: Any, what: str, wanted: str) -> tuple[tuple[Number, ...], ...]:
    """A square matrix of numbers, given as it is or by its diagonal."""
    rows = value.tolist() if hasattr(value, "tolist") else value
    try:
        rows = [*value] if isinstance(value, sp.MatrixBase) and 1 in value.shape else [*rows]
        rows = [[*row] if hasattr(row, "__len__") else row for row in rows]
        if not any(isinstance(row, list) for row in rows):
            rows = [[n if r == c else 0 for c in range(len(rows))] for r, n in enumerate(rows)]
        if any(len(row) != len(rows) for row in rows):
            raise ValueError
    except (TypeError, ValueError) as exc:
        raise ModelError(f"{what} must be {wanted}, not {shortened(value)}") from exc
    return tuple(tuple(check_number(n, f"a number in the {what}") for n in row) for row in rows)


def is_zero(number: Number) -> bool:
    return not isinstance(number, sp.Basic) and number == 0


def difference(a: Number, b: Number) -> Number:
    return a if is_zero(b) else a - b
