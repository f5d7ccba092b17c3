"""What a contact must say.

The contract of a contact (all that `ContactElement` asks of a new class):

1. Its constants are declared in the class with `scalar`, `function` or `choice`.
2. ``gap(i, j, ..., constants)`` is a static, pure function. The parameters that are not declared constants are its
   markers. It returns the gap, or a list of them, one for each point that may touch: a signed distance, positive where
   the bodies are apart and negative where they overlap. It says nothing of velocities.
3. It is a length that grows by 1 with the way of the second body along its gradient, the normal: then the multiplier of
   a closed gap is the normal force, which pushes the second body along the normal. (Or an angle, and a moment.)
4. ``slip(i, j, ..., constants)`` returns how fast the second body's material moves against the first body's, at the
   point of contact and across the normal: of every gap one velocity in the plane; in space two, in directions of length
   1 at right angles, which are smooth functions of the markers where they touch. Its multiplier is the friction force
   on the second body. Without ``slip`` there is no friction.
5. Where there is friction and the gap does not grow by 1 with the way, or a slip by 1 with the velocity, of the second
   marker's point, it is divided by the length of that gradient: the same contact, and its multiplier a force.
6. A gap may have corners (Min, Max, Abs, Piecewise), and no jumps. It may depend on time (`mbs.t`).
7. Every contact takes ``restitution``, ``friction`` and ``static_friction``; they are no fields of the class.

Everything else follows from being a subclass.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from random import Random
from typing import Any, ClassVar

import sympy as sp

from ...errors import ModelError
from ...rotations import bryant
from ...symbolic.derive import Relation
from ...symbolic.functions import opaque, written_out
from ...symbolic.markers import LABELS, FormMarker, PlanarMarker, SpatialMarker, marker_symbols
from ..bodies.body import Place, as_marker
from ..element import Declared, Element, checked_name
from ..fields import Law
from ..joints.base import relation_of
from ..measures import Kind, Measure, OwnRow
from ..parameters import Number, Numeric, check_number, constants_out, free_parameters
from .geometry import relation_between
from .shapes import Shape, check_pair, check_room

_registry: list[type[ContactElement]] = []
UNIT = 1e-9
"""How near 1 the length of a gradient is where it is 1: roundoff."""


def registered_contacts() -> tuple[type[ContactElement], ...]:
    """Every contact class there is, the user's included: tests and documentation walk this list."""
    return tuple(_registry)


class Contact(Element):
    """Two bodies that may touch, and never overlap: gaps g ≥ 0 and normal forces f ≥ 0, one of which is zero.

    ``Contact("floor", mbs.Line(ground), mbs.Disk(wheel, 0.3), restitution=0.8, friction=0.4)``: of two shapes, or

    ``Contact("floor", ground, wheel, gap=lambda i, j: j.y - 0.3, slip=lambda i, j: ...)``: in general, where `gap` (and
    `slip`, see `ContactElement`) get the markers in this order.

    `restitution` is what is left of the approach velocity after an impact, 0 to 1. `friction` is the coefficient of
    sliding, `static_friction` that of rest, which is no less. They are numbers, or expressions of parameters.
    """

    sketch = "contact"
    units: tuple[str, ...]
    points: int
    """How many gaps it has."""
    slips: int
    """How many slip velocities each of them has: none without friction."""
    restitution: Number
    friction: Number
    static_friction: Number
    shapes: tuple[Shape, ...] = ()

    def __init__(
        self,
        name: str,
        *things: Place | Shape,
        gap: Callable | None = None,
        slip: Callable | None = None,
        unit: str = "m",
        restitution: Numeric = 0.0,
        friction: Numeric = 0.0,
        static_friction: Numeric | None = None,
    ):
        self.name = checked_name(name)
        self._set_laws(restitution, friction, static_friction)
        if any(isinstance(thing, Shape) for thing in things):
            self._of_shapes(things, gap or slip)
        else:
            self._of_functions(things, gap, slip, unit)

    def _of_shapes(self, things: Sequence[Any], function: Any) -> None:
        if function is not None or len(things) != 2 or not all(isinstance(thing, Shape) for thing in things):
            remedy = "Contact(name, shape, shape), or markers and gap=lambda i, j: ..."
            raise ModelError(f"{self.who} is of two shapes, or of markers and a gap; write {remedy}")
        self.shapes = first, second = tuple(things)
        self.markers = first.marker, second.marker
        self.check_dimension()
        self._check_bodies()
        check_pair(first, second, self.who)
        relation, slots = relation_between(first.geometry, second.geometry, self.dimension, self.has_friction)
        if not free_parameters(slots.values()):
            check_room(self.shapes, float, self.who)
        self._finish(relation, slots, "m")

    def _of_functions(self, things: Sequence[Any], gap: Any, slip: Any, unit: str) -> None:
        if gap is None:
            raise ModelError(f"{self.who} has no gap; give gap=lambda i, j: expression, or two shapes")
        if not 0 < len(things) <= len(LABELS):
            what = f"{self.who} has {len(things)} markers, and needs 1 to {len(LABELS)}"
            raise ModelError(f"{what}; name those that the gap is between: Contact(name, i, j, gap=...)")
        self.markers = tuple(as_marker(thing, self.who) for thing in things)
        self.check_dimension()
        self._check_bodies()
        relation = relation_of(gap, slip, marker_symbols(len(things), self.dimension), {}, self.who, NAMES)
        self._finish(*constants_out(self._rubbing(relation)), unit)

    def _check_bodies(self) -> None:
        if len(self.markers) > 1 and len(self.bodies) == 1:
            raise ModelError(f"{self.who} is of body {self.bodies[0].name!r} and itself; name two different bodies")

    def form(self) -> tuple[Relation, dict[sp.Symbol, Number]]:
        return self._form

    # --- what is read of it ---------------------------------------------------------------------------------

    def measures(self) -> dict[str, Measure]:
        """Its gaps, and the slip velocities of those with friction: "gap" and "slip", of several points "gap1", ..., of
        two directions "slip_u" and "slip_v"."""
        relation, slots = self.form()
        found = {}
        for k, (name, unit) in enumerate(zip(self.row_names, self.units, strict=True)):
            levels = (name, f"{name}_rate", f"{name}_acceleration") if k < self.points else ("", name, f"{name}_rate")
            own = Kind(unit.removesuffix("/s"), levels, OwnRow(relation, k, tuple(slots.items())))
            found[name] = Measure(name, self.markers, own)
        return {**super().measures(), **found}

    @property
    def row_names(self) -> list[str]:
        return self._names("gap", "slip")

    @property
    def loads(self) -> dict[str, str]:
        """What pushes along each of its rows, and the unit: the normal force "force", and "friction"."""
        unit = "N m" if self.units[0] == "rad" else "N"
        return dict.fromkeys(self._names("force", "friction"), unit)

    def _names(self, normal: str, across: str) -> list[str]:
        """One for each row, the gaps' first."""
        points = [str(k + 1) if self.points > 1 else "" for k in range(self.points)]
        ways = ["_u", "_v"] if self.slips == 2 else [""] * self.slips
        return [normal + k for k in points] + [across + k + way for k in points for way in ways]

    # --- the laws -------------------------------------------------------------------------------------------

    def _set_laws(self, restitution: Any, friction: Any, static_friction: Any) -> None:
        self.restitution = check_number(restitution, f"restitution of {self.who}", non_negative=True)
        self.friction = check_number(friction, f"friction of {self.who}", non_negative=True)
        given = self.friction if static_friction is None else static_friction
        self.static_friction = check_number(given, f"static_friction of {self.who}", non_negative=True)
        if not free_parameters(self.laws):
            self._check_laws(float)

    @property
    def laws(self) -> tuple[Number, Number, Number]:
        """What becomes of the motion when it touches."""
        return self.restitution, self.friction, self.static_friction

    @property
    def has_friction(self) -> bool:
        """Whether there may be some, for some values of the parameters."""
        return any(isinstance(mu, sp.Basic) or mu > 0 for mu in (self.friction, self.static_friction))

    def _check_laws(self, number: Callable[[Number], float]) -> None:
        restitution, friction, static = map(number, self.laws)
        check_number(restitution, f"restitution of {self.who}", non_negative=True)
        if restitution > 1:
            what = f"restitution of {self.who} is {restitution:g}, and an impact gives no energy"
            raise ModelError(f"{what}; give a number between 0 (it stays) and 1 (nothing is lost)")
        check_coefficients(self.who, ("friction", friction), ("static_friction", static))

    def check_values(self, number: Callable[[Number], float]) -> None:
        self._check_laws(number)
        for shape in self.shapes:
            shape.check_values(number, self.who)
        if self.shapes:
            check_room(self.shapes, number, self.who)

    # --- the equations --------------------------------------------------------------------------------------

    def _rubbing(self, relation: Relation) -> Relation:
        """The gaps and, where there is friction, the slip velocities, of gaps that grow by 1 along their normals."""
        points, rows = len(relation.phi), len(relation.psi)
        allowed = {2: (1,), 3: (1, 2)}[self.dimension]
        if rows and (rows % points or rows // points not in allowed):
            wanted = {2: "one velocity for each gap", 3: "two velocities (or one) for each gap"}[self.dimension]
            raise ModelError(f"{self.who} has {points} gaps and {rows} slip velocities; return {wanted} from slip")
        if not self.has_friction:
            return replace(relation, psi=())
        if not rows:
            remedy = "give slip=lambda i, j: velocity of the second body along the first, or friction=0"
            raise ModelError(f"{self.who} has friction, and nothing says what slips; {remedy}")
        return with_unit_gradients(relation, self.second, self.who)

    def _finish(self, relation: Relation, slots: dict[sp.Symbol, Number], unit: str) -> None:
        self.points = len(relation.phi)
        self.slips = len(relation.psi) // self.points
        self.units = (unit,) * self.points + (f"{unit}/s",) * len(relation.psi)
        self._complete(relation, slots)


def check_coefficients(who: str, sliding: tuple[str, float], rest: tuple[str, float]) -> None:
    """Of friction, by their names: what rests holds at least what slides."""
    for name, value in (sliding, rest):
        check_number(value, f"{name} of {who}", non_negative=True)
    if rest[1] < sliding[1]:
        what = f"{rest[0]} of {who} is {rest[1]:g}, less than its {sliding[0]}, {sliding[1]:g}"
        raise ModelError(f"{what}; what rests holds at least what slides; give a larger one, or leave it out")


NAMES = ("gap", "slip")
"""What the equations of a contact are called."""


class ContactElement(Contact, Declared):
    """The base of every contact with a class of its own; the module's docstring is its contract."""

    equations = NAMES
    unit: ClassVar[str] = "m"

    gap: ClassVar[Callable]
    slip: ClassVar[Callable]

    def __init_subclass__(cls, **kwargs: Any):
        super().__init_subclass__(**kwargs)
        _registry.append(cls)

    def __init__(
        self,
        name: str,
        *args: Any,
        restitution: Numeric = 0.0,
        friction: Numeric = 0.0,
        static_friction: Numeric | None = None,
        **constants: Any,
    ):
        self.name = checked_name(name)
        self._set_laws(restitution, friction, static_friction)
        Declared.__init__(self, name, *args, **constants)
        relation, slots = self._built()
        self._finish(self._rubbing(relation), slots, self.unit)

    def check_values(self, number: Callable[[Number], float]) -> None:
        super().check_values(number)
        Declared.check_values(self, number)

    @classmethod
    def form_on(cls, markers: tuple[FormMarker, ...], constants: dict[str, Any]) -> Relation:
        """The equations between these markers. Functions are kept whole."""
        constants = {n: opaque(v) if isinstance(v, Law) else v for n, v in constants.items()}
        gap, slip = getattr(cls, "gap", None), getattr(cls, "slip", None)
        return relation_of(gap, slip, markers, constants, f"contact class {cls.__name__}", NAMES)


@lru_cache(maxsize=1024)
def with_unit_gradients(relation: Relation, second: int, who: str) -> Relation:
    """The relation with every gap and every slip velocity divided by the length of its gradient by the place, or by the
    velocity, of the second marker's point; unless that is 1 wherever one looks."""
    marker = relation.markers[second]
    along, rates = marker.m[: marker.dimension], marker.rates[: marker.dimension]
    gaps = []
    for gap in relation.phi:
        if not gap.has(*along):
            what = f"{who} has friction, and its gap does not change with the point of its second marker"
            raise ModelError(f"{what}, so there is no normal force; say the gap by j.point, or leave friction out")
        gaps.append(_by_length(gap, along, relation))
    return replace(relation, phi=tuple(gaps), psi=tuple(_by_length(slip, rates, relation) for slip in relation.psi))


def _by_length(value: sp.Expr, place: Sequence[sp.Symbol], relation: Relation) -> sp.Expr:
    squared = sp.Add(*(value.diff(s) ** 2 for s in place))
    return value if squared == 0 or _is_one(squared, relation) else value / sp.sqrt(squared)


def _is_one(value: sp.Expr, relation: Relation) -> bool:
    """Whether an expression is 1 at some places that nobody chose: then it is 1."""
    return value == 1 or all(abs(_somewhere(value, relation, Random(seed)) - 1) < UNIT for seed in range(4))


def _somewhere(value: sp.Expr, relation: Relation, random: Random) -> float:
    numbers = {s: sp.Float(random.uniform(0.5, 1.5)) for s in sorted(value.free_symbols, key=str)}
    for marker in relation.markers:
        turn = [random.uniform(-3, 3) for _ in range(3)]
        place = [random.uniform(-2, 2) for _ in range(marker.dimension)]
        axes = sp.Matrix(bryant(*turn)).tolist()
        placed = (
            PlanarMarker.placed(place[0], place[1], turn[0])
            if marker.dimension == 2
            else SpatialMarker.placed(place, axes)
        )
        numbers |= dict(zip(marker.m, map(sp.Float, placed.m), strict=True))
    try:
        return float(written_out(value).xreplace(numbers).evalf())
    except TypeError:
        return float("nan")
