"""Two bodies that may touch: their gaps and slip velocities.

Two shapes, or functions of markers, define them; elements derived from this class add the laws of contact.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from random import Random
from typing import Any, Self

import sympy as sp

from ...errors import ModelError, counted
from ...rotations import bryant
from ...symbolic.derive import Relation
from ...symbolic.functions import written_out
from ...symbolic.markers import LABELS, PlanarMarker, SpatialMarker, marker_symbols
from ...tolerances import UNIT_GRADIENT
from ..bodies.body import Marker, Place, as_marker
from ..joints.base import relation_of
from ..measures import Measure, MeasureKind, OwnRow
from ..parameters import Number, constants_out, free_parameters
from .changes import SLIPS, STICKS, ContactChanges
from .coefficients import Rubbing
from .geometry import relation_between
from .shapes import Shape, check_pair, check_room

NAMES = ("gap", "slip")
"""The names of the equations of a contact."""


class Touching(ContactChanges):
    """An element with gaps, and with slips if there is friction: its relation has the gaps of all points, then the
    slips."""

    sketch = "contact"
    units: tuple[str, ...]
    points: int
    """The number of gaps."""
    slip_directions: int
    """The number of slip velocities of each gap: none without friction."""
    shapes: tuple[Shape, ...] = ()
    rubbing: Rubbing
    _gaps: tuple[Relation, dict[sp.Symbol, Number]]
    _acting: Any = None
    """The number of markers on which the contact acts: all, unless coefficients read others."""

    friction = property(lambda self: self.rubbing.sliding, doc="The coefficient of sliding.")
    static_friction = property(lambda self: self.rubbing.static, doc="The coefficient of rest.")
    has_friction = property(
        lambda self: self.rubbing.is_there, doc="Whether there may be some, for some values of the parameters."
    )

    @property
    def feeling(self) -> tuple[Marker, ...]:
        return self.markers[: self._acting]

    def never(self, change: str) -> str:
        """Return why a change never happens: see `ContactChanges`."""
        if change in (STICKS, SLIPS) and not self.has_friction:
            return "it has no friction"
        return "with smooth= nothing sticks" if change in (STICKS, SLIPS) and self.rubbing.smooth else ""

    @property
    def constants(self) -> Mapping[str, tuple[Number, str]]:
        """The constants of its shapes: "radius", or "ball.radius" with the body's name if two shapes have one."""
        return {**super().constants, **{name: (n, "m") for name, (_, _, n) in self._of_its_shapes.items()}}

    @property
    def _of_its_shapes(self) -> dict[str, tuple[int, str, Number]]:
        """The constants of the shapes by name: number of the shape, name in the shape, value."""
        constants = [(k, name, n) for k, shape in enumerate(self.shapes) for name, n in shape.constants.items()]
        often = Counter(name for _, name, _ in constants)
        bodies = [shape.marker.body.name for shape in self.shapes]
        return {name if often[name] == 1 else f"{bodies[k]}.{name}": (k, name, n) for k, name, n in constants}

    def with_constant(self, name: str, value: Number) -> Self:
        if name not in self._of_its_shapes:
            return super().with_constant(name, value)
        k, its, _ = self._of_its_shapes[name]
        shapes = list(self.shapes)
        shapes[k] = shapes[k].with_constant(its, value)
        other = self._unfinished(shapes=tuple(shapes), markers=self.feeling)
        first, second = (shape.geometry for shape in shapes)
        other._finish(*relation_between(first, second, self.dimension, self.has_friction), "m")
        return other

    def _finish(self, relation: Relation, slots: dict[sp.Symbol, Number], unit: str) -> None:
        """Build the expressions of the element from these gaps and slips."""
        raise NotImplementedError

    def _between(
        self, things: Sequence[Place | Shape], gap: Callable | None, slip: Callable | None, unit: str
    ) -> tuple[Relation, dict[sp.Symbol, Number], str]:
        """Return the gaps and slips of two shapes, or of markers and functions; and the unit of a gap."""
        if any(isinstance(thing, Shape) for thing in things):
            return *self._of_shapes(things, gap or slip), "m"
        return *self._of_functions(things, gap, slip), unit

    def _of_shapes(self, things: Sequence[Any], function: Any) -> tuple[Relation, dict[sp.Symbol, Number]]:
        if function is not None or len(things) != 2 or not all(isinstance(thing, Shape) for thing in things):
            remedy = f"{self.kind}(name, shape, shape), or markers and gap=lambda i, j: ..."
            raise ModelError(
                f"{self.who} is of two shapes, or of markers and a gap; write {remedy}",
                code="contradictory-arguments", subject=self.who, kind=self.kind,
            )  # fmt: skip
        self.shapes = first, second = tuple(things)
        self.markers = first.marker, second.marker
        self.check_dimension()
        self._check_bodies()
        check_pair(first, second, self.who)
        relation, slots = relation_between(first.geometry, second.geometry, self.dimension, self.has_friction)
        if not free_parameters(slots.values()):
            check_room(self.shapes, float, self.who)
        return relation, slots

    def _of_functions(self, things: Sequence[Any], gap: Any, slip: Any) -> tuple[Relation, dict[sp.Symbol, Number]]:
        if gap is None:
            raise ModelError(
                f"{self.who} has no gap; give gap=lambda i, j: expression, or two shapes",
                code="missing-argument", subject=self.who,
            )  # fmt: skip
        if not 0 < len(things) <= len(LABELS):
            what = f"{self.who} has {len(things)} markers, and needs 1 to {len(LABELS)}"
            raise ModelError(
                f"{what}; name those that the gap is between: {self.kind}(name, i, j, gap=...)",
                code="missing-argument", subject=self.who, kind=self.kind,
            )  # fmt: skip
        self.markers = tuple(as_marker(thing, self.who) for thing in things)
        self.check_dimension()
        self._check_bodies()
        relation = relation_of(gap, slip, marker_symbols(len(things), self.dimension), {}, self.who, NAMES)
        return constants_out(self._rubbing(relation))

    def _check_bodies(self) -> None:
        if len(self.markers) > 1 and len(self.bodies) == 1:
            raise ModelError(
                f"{self.who} is of body {self.bodies[0].name!r} and itself; name two different bodies",
                code="body-with-itself", subject=self.who,
            )  # fmt: skip

    def _take(self, relation: Relation, slots: dict[sp.Symbol, Number], unit: str) -> None:
        self._gaps = relation, slots
        self.points = len(relation.phi)
        self.slip_directions = len(relation.psi) // self.points
        self.units = (unit,) * self.points + (f"{unit}/s",) * len(relation.psi)

    def _rubbing(self, relation: Relation) -> Relation:
        """Return the gaps and, with friction, the slip velocities, both with unit gradients."""
        points, rows = len(relation.phi), len(relation.psi)
        allowed = {2: (1,), 3: (1, 2)}[self.dimension]
        if rows and (rows % points or rows // points not in allowed):
            requirement = {2: "one velocity for each gap", 3: "two velocities (or one) for each gap"}[self.dimension]
            has = f"{counted(points, 'gap')} and {rows} slip velocities"
            raise ModelError(
                f"{self.who} has {has}; return {requirement} from slip", code="wrong-shape", subject=self.who, rows=rows
            )
        if not self.has_friction:
            return replace(relation, psi=())
        if not rows:
            directions = {2: "velocity", 3: "velocities (along two directions)"}[self.dimension]
            remedy = f"give slip=lambda i, j: {directions} of the second body along the first, or friction=0"
            raise ModelError(
                f"{self.who} has friction, and nothing says what slips; {remedy}",
                code="nothing-slips", subject=self.who, directions=directions,
            )  # fmt: skip
        return with_unit_gradients(relation, self.second, self.who)

    def check_values(self, number: Callable[[Number], float]) -> None:
        for shape in self.shapes:
            shape.check_values(number, self.who)
        if self.shapes:
            check_room(self.shapes, number, self.who)

    # --- readings -------------------------------------------------------------------------------------------

    def measures(self) -> dict[str, Measure]:
        """Return measures of the gaps, and of slip velocities if there is friction: "gap" and "slip"; for several
        points "gap1", ...; for two directions "slip_u" and "slip_v"."""
        relation, slots = self._gaps
        measures = {}
        for k, (name, unit) in enumerate(zip(self.row_names, self.units, strict=True)):
            levels = (name, f"{name}_rate", f"{name}_acceleration") if k < self.points else ("", name, f"{name}_rate")
            kind = MeasureKind(unit.removesuffix("/s"), levels, OwnRow(relation, k, tuple(slots.items())))
            measures[name] = Measure(name, self.feeling, kind)
        return {**super().measures(), **measures}

    @property
    def row_names(self) -> list[str]:
        """The names of the gaps in results, then the names of the slips."""
        return self._names("gap", "slip")

    @property
    def loads(self) -> dict[str, str]:
        """Return the unit of the force along each of its rows, by its name: the normal force "force", and
        "friction"."""
        unit = "N m" if self.units[0] == "rad" else "N"
        return dict.fromkeys(self._names("force", "friction"), unit)

    def point_name(self, number: int) -> str:
        """Return the name of a point, counted from 0; an empty name where there is one point alone."""
        return f"point {number + 1}" if self.points > 1 else ""

    def _names(self, normal: str, across: str) -> list[str]:
        """Return a name for each row, those of gaps first."""
        points = [str(k + 1) if self.points > 1 else "" for k in range(self.points)]
        directions = ["_u", "_v"] if self.slip_directions == 2 else [""] * self.slip_directions
        return [normal + k for k in points] + [across + k + direction for k in points for direction in directions]


@lru_cache(maxsize=1024)
def with_unit_gradients(relation: Relation, second: int, who: str) -> Relation:
    """Return the relation with every gap and every slip velocity divided by the length of its gradient by the position,
    or by the velocity, of the second marker's point; unless the length is 1 at all sampled poses."""
    marker = relation.markers[second]
    place, rates = marker.m[: marker.dimension], marker.rates[: marker.dimension]

    def over_length(value: sp.Expr, variables: Sequence[sp.Symbol]) -> sp.Expr:
        squared = sp.Add(*(value.diff(s) ** 2 for s in variables))
        if squared in (0, 1) or all(
            abs(_somewhere(squared, relation, Random(seed)) - 1) < UNIT_GRADIENT for seed in range(4)
        ):
            return value
        return value / sp.sqrt(squared)

    gaps = []
    for gap in relation.phi:
        if not gap.has(*place):
            problem = f"{who} has friction, and its gap does not change with the point of its second marker"
            raise ModelError(
                f"{problem}, so there is no normal force; say the gap by j.point, or leave friction out",
                code="no-normal-force", subject=who,
            )  # fmt: skip
        gaps.append(over_length(gap, place))
    return replace(relation, phi=tuple(gaps), psi=tuple(over_length(slip, rates) for slip in relation.psi))


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
