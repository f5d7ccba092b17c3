"""The base class of joints.

The contract of a joint (all that `Joint` demands of a new class):

1. The class declares its constants with `scalar`, `function` or `choice`.
2. ``phi(i, j, ..., constants)`` is a static, pure function. Parameters that are not declared constants are markers, of
   any number. It returns the list of expressions that vanish.
3. It uses of a marker only ``point``, ``x_axis``, ``y_axis``, ``angle`` (and ``x``, ``y``; in space ``z_axis`` and
   ``z``), and their `primitives`, which hold in the plane and in space: no coordinate of any body.
4. Convention: *first marker minus second*. The multiplier of a row that is a difference of positions or of angles is
   then the force, or the moment, on the second body.
5. Rows that restrict velocities only (rolling, a knife edge) are returned by ``psi``, which may also use
   ``velocity`` and ``omega`` of a marker, linearly.
6. ``unit`` names the unit of the rows of phi ("m", "rad", "m²"), for messages: of all, of each, or of each in the plane
   (2) and in space (3). ``sketch`` names its picture.
7. ``facing`` names the directions that the rows keep parallel in space and that must point the same way, so that no
   body is assembled upside down: "axis", "frame" (all axes), "twist" (the directions across the axis, on the whole).
8. ``dimensions`` names the dimensions of such a joint, if not both the plane (2) and space (3).
9. ``motions`` gives, if possible, the motion of the second marker relative to the first, in the plane (2) and in space
   (3): `motions`. Such a joint can be part of the tree of a mechanism; any other closes a loop.
10. ``shares`` names the rows by which both bodies share a point or a direction: (what, rows) with "point", or the
   letters of axes of the markers' frames ("z", "x", "zx"). Natural coordinates then omit these rows.

Everything else - Jacobian, ν, γ, machine code, diagnosis, tests - follows from being a subclass.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import sympy as sp

from ...errors import ModelError
from ...provided import provided
from ...symbolic.derive import Form, Relation
from ...symbolic.expressions import called, expression_of
from ...symbolic.functions import SmoothWrap, Wrap, opaque
from ...symbolic.markers import LABELS, FormMarker, marker_symbols
from ..bodies.body import Place, as_marker
from ..element import Declared, Element, checked_name
from ..fields import Law, choice, scalar
from ..parameters import Number, check_choice, constants_out
from .motions import Motions, velocities

_registry: list[type[Joint]] = []


def registered_joints() -> tuple[type[Joint], ...]:
    """Return all joint classes, including the user's; tests and documentation walk this list.

    >>> mbs.Revolute in mbs.registered_joints()
    True
    """
    return tuple(_registry)


class Condition(Element):
    """An element that imposes equations between markers."""

    units: tuple[str, ...]
    facing: ClassVar[str] = ""
    motions: ClassVar[dict[int, Motions] | None] = None
    shares: ClassVar[dict[int, tuple[tuple[str, tuple[int, ...]], ...]]] = {}

    def form(self) -> tuple[Relation, dict[sp.Symbol, Number]]:
        return self._form

    def _complete(self, form: Form, slots: dict[sp.Symbol, Number]) -> None:
        wraps = {one for e in form.expressions for one in e.atoms(Wrap)}
        conditions = [c for e in form.expressions for law in e.atoms(sp.Piecewise) for _, c in law.args]
        decide = {one for c in conditions for one in c.atoms(Wrap)}  # held in a run, with the branches that they select
        if smooth := {one: SmoothWrap(*one.args) for one in wraps - decide}:
            form = form.map(lambda e: e.xreplace(smooth))
        super()._complete(form, slots)


class Constraint(Condition):
    """A constraint: ``Constraint("rope", a, b, phi=lambda i, j: (i.point - j.point).norm() - 2)``.

    ``phi`` (and ``psi``, see `Joint`) get the markers in this order and return an expression or a list, in `unit`, that
    vanishes. Parameters of the model may appear in the expressions.

    >>> model = mbs.PlanarModel("bead on a parabola")
    >>> bead = model.body("bead", position=(1, 1))
    >>> model.add(mbs.Constraint("wire", bead, phi=lambda i: i.y - i.x**2))
    <Constraint wire>
    >>> print(round(mbs.assemble(model, fix={"bead.x": 3.0})["bead.y"], 6))
    9.0
    """

    sketch = "contact"

    def __init__(
        self, name: str, *markers: Place, phi: Callable | None = None, psi: Callable | None = None, unit: str = ""
    ):
        self.name = checked_name(name)
        if not markers:
            raise ModelError(
                f"{self.who} has no marker; name the markers it relates: Constraint(name, i, j, phi=...)",
                code="too-few-markers", subject=self.who,
            )  # fmt: skip
        if phi is None and psi is None:
            raise ModelError(
                f"{self.who} has no equation; give phi=lambda i, j: expression",
                code="missing-argument", subject=self.who,
            )  # fmt: skip
        if len(markers) > len(LABELS):
            raise ModelError(
                f"{self.who} has {len(markers)} markers, {len(LABELS)} at most; split it in two",
                code="too-many-markers", subject=self.who,
            )  # fmt: skip
        self.markers = tuple(as_marker(m, self.who) for m in markers)
        self.check_dimension()
        symbols = marker_symbols(len(markers), self.dimension)
        relation, slots = constants_out(relation_of(phi, psi, symbols, {}, self.who))
        self.units = (unit,) * relation.size
        self._complete(relation, slots)


class Joint(Condition, Declared):
    """The base of every joint with a class of its own, which declares its constants and its equation: here of a pin on
    a circle.

    >>> class OnCircle(mbs.Joint):
    ...     unit = "m²"
    ...     radius = mbs.scalar("m", positive=True)
    ...     @staticmethod
    ...     def phi(i, j, radius):
    ...         d = j.point - i.point
    ...         return [d.dot(d) - radius**2]
    >>> model = mbs.PlanarModel("ring")
    >>> bead = model.body("bead", position=(0.9, 0))
    >>> model.add(OnCircle("ring", model.ground, bead, radius=1.0))
    <OnCircle ring>
    >>> print(round(mbs.assemble(model, fix={"bead.y": 0.6})["bead.x"], 6))
    0.8

    All joints act on markers (the first and the second, i and j). Bodies in place of markers stand for their origins,
    or for markers at the world point ``at=``, in m, in the reference placement; ``axis=`` is then the direction of
    the markers' x axis in the plane, or of their z axis in space, where ``x_axis=`` may be given as well.

    The docstring of `mbs_dae.model.joints.base` is the contract of such a class (units, motions, equations of
    velocities).
    """

    equations = ("phi", "psi")
    unit: ClassVar[str | tuple[str, ...] | dict[int, tuple[str, ...]]] = "m"
    sketch = "contact"

    phi: ClassVar[Callable]
    psi: ClassVar[Callable]

    def __init_subclass__(cls, **kwargs: Any):
        super().__init_subclass__(**kwargs)
        attributes = vars(cls)
        if "phi" in attributes or "psi" in attributes:  # new equations invalidate what the base class declares
            cls.motions = attributes.get("motions")
            cls.shares = attributes.get("shares", {})
        _registry.append(cls)

    def __new__(cls, *args: Any, unilateral: Any = None, **constants: Any) -> Any:
        """Return the joint; or, with `unilateral`, the contact that restricts one side only."""
        if unilateral is None or unilateral is False:
            return super().__new__(cls)
        return provided("Joint.unilateral")(cls, unilateral)(*args, **constants)

    def __init__(self, name: str, *args: Any, **constants: Any):
        super().__init__(name, *args, **constants)
        self.finish()

    def finish(self) -> None:
        relation, slots = self._built()
        motions, every = (self.motions or {}).get(self.dimension), 3 * (self.dimension - 1)
        if motions is not None and relation.size + velocities(motions) != every:
            problem = f"the equations ({relation.size}) of {self.who} and the velocities of its motions "
            problem += f"({velocities(motions)}) do not make {every} together"
            raise ModelError(
                f"{problem}; correct phi or motions of class {self.kind}", code="motions-not-of-joint", kind=self.kind
            )
        unit = self.unit[self.dimension] if isinstance(self.unit, dict) else self.unit
        self.units = (unit,) * relation.size if isinstance(unit, str) else unit
        self._complete(relation, slots)

    @classmethod
    def form_on(cls, markers: tuple[FormMarker, ...], constants: dict[str, Any]) -> Relation:
        """Return the equations between these markers. Functions are kept whole."""
        constants = {n: opaque(v) if isinstance(v, Law) else v for n, v in constants.items()}
        phi, psi = getattr(cls, "phi", None), getattr(cls, "psi", None)
        return relation_of(phi, psi, markers, constants, f"joint class {cls.__name__}")


def relation_of(
    phi: Callable | None,
    psi: Callable | None,
    markers: tuple[FormMarker, ...],
    constants: dict[str, Any],
    who: str,
    names: tuple[str, str] = ("phi", "psi"),
) -> Relation:
    """Return the rows of phi, expressions of positions and angles, then the rows of psi, expressions linear in the
    velocities. `names` are the names of both in errors."""
    of_places, of_rates = names
    places = {s for marker in markers for s in marker.m}
    rates = {s for marker in markers for s in marker.rates}
    positions = _rows(phi, markers, constants, f"{of_places} of {who}")
    for e in positions:
        if e.has(*rates):
            raise ModelError(
                f"{of_places} of {who} contains velocities: {e}; return such equations from {of_rates}",
                code="equations-with-velocities", of_places=of_places, subject=who, of_rates=of_rates,
            )  # fmt: skip
        if not e.has(*places):
            raise ModelError(
                f"{of_places} of {who} says nothing of its markers: {e}; use i.point, i.angle, ...",
                code="equations-without-markers", of_places=of_places, subject=who,
            )  # fmt: skip
    velocities = _rows(psi, markers, constants, f"{of_rates} of {who}")
    for e in velocities:
        if any(e.diff(s).has(*rates) for s in rates):
            raise ModelError(
                f"{of_rates} of {who} must be linear in the velocities: {e}; rewrite it",
                code="not-linear-in-velocities", of_rates=of_rates, subject=who,
            )  # fmt: skip
        if not e.has(*rates):
            raise ModelError(
                f"{of_rates} of {who} contains no velocity: {e}; return such equations from {of_places}",
                code="equations-without-velocities", of_rates=of_rates, subject=who, of_places=of_places,
            )  # fmt: skip
    return Relation(markers, tuple(positions), tuple(velocities))


EXAMPLES = {
    "phi": "i.x - j.x",
    "psi": "i.velocity[0] - j.velocity[0]",
    "gap": "j.y - i.y - 0.1",
    "slip": "j.velocity[0] - i.velocity[0]",
}
"""Examples of valid values, by name."""


def _rows(equation: Callable | None, markers: tuple, constants: dict[str, Any], what: str) -> list[sp.Expr]:
    if equation is None:
        return []
    if not callable(equation):
        name = what.split()[0]
        remedy = f"write {name}=lambda i, j: {EXAMPLES[name]}"
        raise ModelError(
            f"{what} must be a function of markers, not {equation!r}; {remedy}",
            code="not-a-function", equation=equation, name=name,
        )  # fmt: skip
    wanted = inspect.signature(equation).parameters
    here = {name: value for name, value in constants.items() if name in wanted}
    out = called(equation, markers, what, **here)
    out = list(out) if isinstance(out, list | tuple | sp.MatrixBase) else [out]
    if not out:
        raise ModelError(f"{what} returns nothing; return at least one expression", code="returns-nothing")
    for e in out:
        if not isinstance(e, sp.Expr | int | float) or isinstance(e, bool):
            raise ModelError(f"{what} returns {e!r}; return sympy expressions", code="not-an-expression")
    return [expression_of(e, what) for e in out]


COORDINATES = {2: ("x", "y", "angle"), 3: ("x", "y", "z")}


class CoordinateFix(Joint):
    """Hold "x", "y", "z" or "angle" of a body (or of a marker on it) at a value, in m or rad; by default where it is
    placed.

    ``CoordinateFix("x1", body, "x", 0)``

    >>> model = mbs.PlanarModel("slide")
    >>> block = model.body("block", position=(0, 2), angle=0.5)
    >>> model.add(mbs.CoordinateFix("height", block, "y"), mbs.CoordinateFix("attitude", block, "angle", 0.1))
    (<CoordinateFix height>, <CoordinateFix attitude>)
    >>> placed = mbs.assemble(model)
    >>> print(round(placed["block.y"], 6), round(placed["block.angle"], 6))
    2.0 0.1
    """

    sketch = ""
    coordinate = choice("x", "y", "z", "angle")
    value = scalar(default=lambda i, coordinate: getattr(i, coordinate))

    def _complete(self, form: Form, slots: dict[sp.Symbol, Number]) -> None:
        self.units = ("rad",) if self.values["coordinate"] == "angle" else ("m",)
        super()._complete(form, slots)

    def _constants(self, positional: tuple, named: dict[str, Any]) -> Mapping[str, Any]:
        coordinate = positional[0] if positional else named.get("coordinate")
        if coordinate is not None:
            check_choice(coordinate, COORDINATES[self.dimension], f"coordinate of {self.who}")
        return super()._constants(positional, named)

    @staticmethod
    def phi(i: FormMarker, coordinate: str, value: sp.Expr) -> list[sp.Expr]:
        return [getattr(i, coordinate) - value]
