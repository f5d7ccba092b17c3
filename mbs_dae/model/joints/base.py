"""What an element is, and what a joint must say.

The contract of a joint (all that `Joint` asks of a new class):

1. Its constants are declared in the class with `scalar`, `function` or `choice`.
2. ``phi(i, j, ..., constants)`` is a static, pure function. The parameters that are not declared constants are
   markers, as many as there are. It returns the list of expressions that vanish.
3. It uses of a marker only ``point``, ``x_axis``, ``y_axis``, ``angle`` (and ``x``, ``y``): no coordinate of any body.
4. Convention: *first marker minus second*. Where a row is a difference of places or of angles, its multiplier is then
   the force, or the moment, on the second body.
5. Rows that restrict velocities only (rolling, a knife edge) are returned by ``psi``, which may also use
   ``velocity`` and ``omega`` of a marker, linearly.
6. ``unit`` names the unit of each row of phi ("m", "rad", "m²"), for messages; ``sketch`` says how it is drawn.

Everything else - Jacobian, ν, γ, machine code, diagnosis, tests - follows from being a subclass.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, ClassVar

import sympy as sp

from ...errors import ModelError
from ...symbolic.derive import Relation
from ...symbolic.functions import kept_whole
from ...symbolic.markers import LABELS, PlanarMarker, marker_symbols
from ..body import Body, Marker, as_marker
from ..fields import REQUIRED, Field, Function, Scalar
from ..measures import Measure
from ..parameters import Number, constants_out, free_parameters
from .rows import position_rows, velocity_rows

_registry: list[type[Joint]] = []


def registered_joints() -> tuple[type[Joint], ...]:
    """Every joint class there is, the user's included: tests and documentation walk this list."""
    return tuple(_registry)


class Element:
    """A named relation between markers."""

    name: str
    markers: tuple[Marker, ...]
    units: tuple[str, ...]
    """The unit of each equation, for messages."""
    fields: ClassVar[dict[str, Field]] = {}
    values: Mapping[str, Any] = MappingProxyType({})
    """The constants of the element, by the names of its fields."""
    sketch: str = ""
    """How the element is drawn: "pin", "slider", "slot", "link", "weld", "mesh", "contact" or "" (not at all)."""

    def relation(self) -> tuple[Relation, dict[sp.Symbol, Number]]:
        """The relation between marker symbols, and what stands in its slots."""
        raise NotImplementedError

    def check_values(self, number: Callable[[Number], float]) -> None:
        """What could not be checked before the parameters had values."""

    def measures(self) -> dict[str, Measure]:
        """The element's own coordinates, by name: what drivers, results and initial values call them."""
        return {}

    @property
    def kind(self) -> str:
        return type(self).__name__

    @property
    def bodies(self) -> tuple[Body, ...]:
        return tuple(dict.fromkeys(m.body for m in self.markers))

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name}>"


class Constraint(Element):
    """An element that must hold: ``Constraint("rope", a, b, phi=lambda i, j: (i.point - j.point).norm() - 2)``.

    ``phi`` (and ``psi``, see `Joint`) get the markers in this order and return an expression or a list, in `unit`.
    Parameters of the model are used as they are.
    """

    sketch = "contact"

    def __init__(
        self, name: str, *markers: Any, phi: Callable | None = None, psi: Callable | None = None, unit: str = ""
    ):
        self.name = checked_name(name)
        if not markers:
            raise ModelError(f"{self.who} has no marker; name the markers it relates: Constraint(name, i, j, phi=...)")
        if phi is None and psi is None:
            raise ModelError(f"{self.who} has no equation; give phi=lambda i, j: expression")
        if len(markers) > len(LABELS):
            raise ModelError(f"{self.who} has {len(markers)} markers, {len(LABELS)} at most; split it in two")
        self.markers = tuple(as_marker(m, self.who) for m in markers)
        self._phi, self._psi = phi, psi
        self._relation = self._built()
        self.units = (unit,) * self._relation[0].size

    @property
    def who(self) -> str:
        return f"{self.kind} {self.name!r}"

    def relation(self) -> tuple[Relation, dict[sp.Symbol, Number]]:
        return self._relation

    def _built(self) -> tuple[Relation, dict[sp.Symbol, Number]]:
        symbols = marker_symbols(len(self.markers))
        phi = position_rows(self._phi, symbols, {}, self.who)
        psi = velocity_rows(self._psi, symbols, {}, self.who)
        canonical, slots = constants_out([*phi, *psi])
        return _relation(symbols, canonical, len(phi), tuple(slots)), slots


class Joint(Element):
    """The base of every joint with a class of its own; the module's docstring is its contract."""

    marker_names: ClassVar[tuple[str, ...]] = ()
    optional_markers: ClassVar[int] = 0
    """The markers whose default in phi is None (the carrier of a gear) may be left out."""
    unit: ClassVar[str | tuple[str, ...]] = "m"
    sketch = "contact"

    phi: ClassVar[Callable]
    psi: ClassVar[Callable]

    def __init_subclass__(cls, **kwargs: Any):
        super().__init_subclass__(**kwargs)
        cls.fields = {**cls.fields, **{n: f for n, f in vars(cls).items() if isinstance(f, Field)}}
        equation = getattr(cls, "phi", None) or getattr(cls, "psi", None)
        if equation is None:
            raise ModelError(f"joint class {cls.__name__} has neither phi nor psi; define phi(i, j, ...)")
        names = inspect.signature(equation).parameters
        cls.marker_names = tuple(n for n in names if n not in cls.fields)
        cls.optional_markers = sum(names[n].default is None for n in cls.marker_names)
        _registry.append(cls)

    def __init__(self, name: str, *args: Any, at: Any = None, axis: Any = None, **constants: Any):
        self.name = checked_name(name)
        things, positional = self._split(args, constants)
        self.markers = tuple(self._marker(thing, at, axis) for thing in things)
        if len(things) > 1 and len(self.bodies) == 1:
            raise ModelError(f"{self.who} joins body {self.bodies[0].name!r} to itself; name two different bodies")
        self.values = self._constants(positional, constants)
        self._relation = self._built()
        size = self._relation[0].size
        self.units = (self.unit,) * size if isinstance(self.unit, str) else self.unit

    @property
    def who(self) -> str:
        return f"{self.kind} {self.name!r}"

    def relation(self) -> tuple[Relation, dict[sp.Symbol, Number]]:
        return self._relation

    def check_values(self, number: Callable[[Number], float]) -> None:
        for name, field in self.fields.items():
            field.check_value(self.values[name], number, self.who)

    def _built(self) -> tuple[Relation, dict[sp.Symbol, Number]]:
        """Built once per class where only scalars are declared; functions are part of the form and built anew."""
        scalars = tuple(n for n, f in self.fields.items() if isinstance(f, Scalar))
        slots = {_slot(n): self.values[n] for n in scalars}
        inline = {n: v for n, v in self.values.items() if n not in scalars}
        joint_class: Any = type(self)
        if not any(isinstance(self.fields[n], Function) for n in inline):
            return _of_class(joint_class, len(self.markers), tuple(sorted(inline.items()))), slots
        inline |= {n: kept_whole(v) for n, v in inline.items() if isinstance(self.fields[n], Function)}
        relation = _of_class.__wrapped__(joint_class, len(self.markers), tuple(inline.items()))
        canonical, constants = constants_out([*relation.phi, *relation.psi])
        return (
            _relation(relation.markers, canonical, len(relation.phi), (*slots, *constants)),
            {**slots, **constants},
        )

    def _split(self, args: tuple, named: dict[str, Any]) -> tuple[list, tuple]:
        """The arguments that are markers, by place or by name, and the constants given by place."""
        count = sum(isinstance(a, Marker | Body) for a in args[: len(self.marker_names)])
        things = list(args[:count])
        for marker_name in self.marker_names[count:]:
            if marker_name in named:
                things.append(named.pop(marker_name))
        least = len(self.marker_names) - self.optional_markers
        if len(things) < least:
            wanted = ", ".join(self.marker_names[:least])
            odd = f" (what is {args[count]!r}?)" if len(args) > count else ""
            raise ModelError(
                f"{self.who} needs {least} markers or bodies ({wanted}), got {len(things)}{odd}; write body.at(x, y)"
            )
        return things, args[count:]

    def _marker(self, thing: Any, at: Any, axis: Any) -> Marker:
        if at is None:
            if axis is not None:
                raise ModelError(f"{self.who} got axis= without at=; give at=(x, y) too, or markers with an angle")
            return as_marker(thing, self.who)
        if isinstance(thing, Marker):
            raise ModelError(f"{self.who} got a marker and at=; give bodies with at=, or markers without it")
        return as_marker(thing, self.who).body.at_world(at, (1, 0) if axis is None else axis, self.who)

    def _constants(self, positional: tuple, named: dict[str, Any]) -> Mapping[str, Any]:
        given = dict(zip(self.fields, positional, strict=False))
        for name in named:
            if name not in self.fields:
                known = ", ".join(self.fields) or "none"
                raise ModelError(f"{self.who} has no constant {name!r}; its constants are: {known}")
            if name in given:
                raise ModelError(f"{self.who} got {name} twice; give it once")
        if len(positional) > len(self.fields):
            known = ", ".join(self.fields) or "none"
            raise ModelError(f"{self.who} got {len(positional)} constants; its constants are: {known}")
        given |= named
        values: dict[str, Any] = {}
        for name, field in self.fields.items():
            value = given.get(name, field.default)
            if value is REQUIRED:
                raise ModelError(f"{self.who} needs {name}; add {name}=... ({field.unit or 'no unit'})")
            if name not in given and callable(value) and not isinstance(field, Function):
                wanted = inspect.signature(value).parameters
                value = value(*map(placed, self.markers), **{n: v for n, v in values.items() if n in wanted})
                if not free_parameters([value]) and abs(float(value)) < 1e-12:
                    value = 0.0  # what should be zero is a rounding error off
            values[name] = field.check(value, self.who)
        return MappingProxyType(values)


def placed(marker: Marker) -> PlanarMarker:
    """The marker at its reference placement, as numbers or expressions of parameters."""
    body = marker.body
    c, s = sp.cos(body.angle), sp.sin(body.angle)
    x, y = body.position
    return PlanarMarker.placed(
        x + c * marker.x - s * marker.y, y + s * marker.x + c * marker.y, sp.sympify(body.angle) + marker.angle
    )


@cache
def _of_class(cls: Any, marker_count: int, inline: tuple[tuple[str, Any], ...]) -> Relation:
    symbols = marker_symbols(marker_count)
    scalars = {n: _slot(n) for n, f in cls.fields.items() if isinstance(f, Scalar)}
    constants = {**scalars, **dict(inline)}
    who = f"joint class {cls.__name__}"

    phi = position_rows(getattr(cls, "phi", None), symbols, constants, who)
    psi = velocity_rows(getattr(cls, "psi", None), symbols, constants, who)
    return _relation(symbols, [*phi, *psi], len(phi), tuple(scalars.values()))


def _relation(symbols: tuple, expressions: list[sp.Expr], phi_size: int, slots: tuple) -> Relation:
    return Relation(symbols, tuple(expressions[:phi_size]), tuple(expressions[phi_size:]), slots)


def _slot(name: str) -> sp.Symbol:
    return sp.Symbol(f"p_{name}", real=True)


def checked_name(name: Any) -> str:
    if not isinstance(name, str) or not name:
        raise ModelError(f"the first argument of an element is its name, not {name!r}; write e.g. Revolute('A', ...)")
    if "." in name or name != name.strip():
        raise ModelError(f"{name!r} cannot name an element; leave out dots and outer spaces")
    return name
