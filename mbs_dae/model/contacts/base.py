"""The base class of contacts.

The contract of a contact (all that `ContactElement` demands of a new class):

1. The class declares its constants with `scalar`, `function` or `choice`.
2. ``gap(i, j, ..., constants)`` is a static, pure function. Parameters that are not declared constants are markers.
   It returns the gap, or a list of gaps, one for each point that may touch: a signed distance, positive where
   the bodies are separate and negative where they overlap. The gap does not depend on velocities.
3. The gap is a length whose gradient by the second body's position is a unit vector, the normal: the multiplier of
   a closed gap is then the normal force on the second body along the normal. (Or an angle, and a moment.)
4. ``slip(i, j, ..., constants)`` returns the velocity of the second body's material relative to the first body's, at
   the point of contact and tangential to the surface: one velocity for each gap in the plane; two in space, in
   orthogonal unit directions, which are smooth functions of the markers near contact. Its multiplier is the friction
   force on the second body. Without ``slip`` there is no friction.
5. With friction, a gap whose gradient by the position of the second marker's point is no unit vector is divided by
   the length of the gradient, and so is a slip by its gradient by the velocity: multipliers are then forces.
6. A gap may have corners (Min, Max, Abs, Piecewise), and no jumps. A gap may depend on time (`mbs.t`).
7. Every contact takes ``restitution``, ``friction``, ``static_friction``, ``smooth``; these are no fields of the class.

Everything else follows from being a subclass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import copy
from dataclasses import replace
from typing import Any, ClassVar, Self

import sympy as sp

from ...errors import ModelError
from ...symbolic.derive import Form, Relation
from ...symbolic.functions import opaque
from ...symbolic.markers import FormMarker
from ..bodies.body import Place
from ..element import Declared, checked_name
from ..fields import Law
from ..joints.base import Condition, relation_of
from ..parameters import Number, Numeric, check_number, free_parameters
from .coefficients import Rubbing, Slots
from .shapes import Shape
from .touching import NAMES, Touching

_registry: list[type[ContactElement]] = []


def registered_contacts() -> tuple[type[ContactElement], ...]:
    """Return all contact classes, including the user's; tests and documentation walk this list.

    >>> mbs.Rope in mbs.registered_contacts()
    True
    """
    return tuple(_registry)


class Contact(Touching):
    """Two bodies that may touch, and never overlap: gaps g ≥ 0 and normal forces f ≥ 0, one of which is zero. Two
    shapes define the gaps:

    >>> model = mbs.PlanarModel("ball", gravity=(0, -10))
    >>> ball = model.body("ball", mass=1.0, inertia=0.004, position=(0, 5.1))
    >>> floor = model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Disk(ball, 0.1), restitution=0.5))
    >>> bounced = mbs.simulate(model, [0, 1.5])  # 5 m down in 1 s, with 10 m/s; up with 5 m/s for 0.5 s
    >>> print(bounced["floor.gap"].round(6), round(bounced.impacts[0].energy_lost, 6))
    [5.   1.25] 37.5

    or functions of the markers in this order, `gap`, in m, and `slip`, the tangential velocity of the second body
    relative to the first at the point of contact, in m/s:

    >>> by_hand = mbs.Contact("floor", model.ground, ball, restitution=0.5, friction=0.3,
    ...                       gap=lambda i, j: j.y - 0.1, slip=lambda i, j: j.velocity[0] + 0.1 * j.omega)

    Markers have x, y, angle, point, x_axis, y_axis, velocity, omega, velocity_at(point), in space z and z_axis, too.
    Results name several gaps "gap1", "gap2", ...

    `restitution`, from 0 to 1, is the ratio of the velocities after and before an impact. `friction` is the coefficient
    of sliding, `static_friction` that of rest, which is no less. Coefficients are numbers, or expressions of
    parameters, time, states and quantities of the model; `friction` may also be a function of the speed of slip,
    ``lambda speed: ...``. With `smooth`, a speed v in m/s, contacts never stick: friction is μ N s / √(s² + v²) against
    the slip s.
    """

    restitution: Number

    def __init__(
        self,
        name: str,
        *things: Place | Shape,
        gap: Callable | None = None,
        slip: Callable | None = None,
        unit: str = "m",
        restitution: Numeric = 0.0,
        friction: Any = 0.0,
        static_friction: Numeric | None = None,
        smooth: Numeric | None = None,
    ):
        self.name = checked_name(name)
        self._set_laws(restitution, friction, static_friction, smooth)
        self._finish(*self._between(things, gap, slip, unit))

    def _finish(self, relation: Relation, slots: dict[sp.Symbol, Number], unit: str) -> None:
        self._take(relation, slots, unit)
        self._acting = len(self.markers)
        self.markers, relation = self.rubbing.with_readings(relation, self.markers)
        self._complete(relation, slots)

    def form(self) -> tuple[Relation, dict[sp.Symbol, Number]]:
        return self._form

    def forms(self) -> tuple[tuple[Form, Slots], ...]:
        """Return the gaps and slips; and the coefficients of friction if they change along a motion."""
        return self.form(), *self.rubbing.curve(*self.form(), self.markers, self.points)

    # --- the laws -------------------------------------------------------------------------------------------

    def _set_laws(self, restitution: Any, friction: Any = 0.0, static_friction: Any = None, smooth: Any = None) -> None:
        self.restitution = check_number(restitution, f"restitution of {self.who}", non_negative=True)
        if not free_parameters([self.restitution]):
            self._check_restitution(float)
        self.rubbing = Rubbing.said(self.who, ("friction", "static_friction"), friction, static_friction, smooth)

    @property
    def laws(self) -> tuple[Number, ...]:
        """The numbers of the contact laws: restitution, friction, static friction, and the speed of smoothing, in
        m/s."""
        return self.restitution, *self.rubbing.numbers

    @property
    def constants(self) -> Mapping[str, tuple[Number, str]]:
        return {**super().constants, "restitution": (self.restitution, ""), **self.rubbing.constants}

    def with_constant(self, name: str, value: Number) -> Self:
        if name not in ("restitution", *self.rubbing.constants):
            return super().with_constant(name, value)
        other = copy(self)
        if name == "restitution":
            vars(other).update(restitution=value)
        else:
            vars(other).update(rubbing=self.rubbing.with_constant(name, value))
        return other

    def _check_restitution(self, number: Callable[[Number], float]) -> None:
        restitution = check_number(number(self.restitution), f"restitution of {self.who}", non_negative=True)
        if restitution > 1:
            what = f"restitution of {self.who} is {restitution:g}, and an impact gives no energy"
            raise ModelError(
                f"{what}; give a number between 0 (it stays) and 1 (nothing is lost)",
                code="out-of-bounds", subject=self.who, restitution=restitution,
            )  # fmt: skip

    def check_values(self, number: Callable[[Number], float]) -> None:
        self._check_restitution(number)
        self.rubbing.check_values(number)
        super().check_values(number)


class ContactElement(Contact, Declared):
    """The base of every contact with a class of its own, which declares its constants and its gap: here of a point over
    a plateau.

    >>> class Hill(mbs.ContactElement):
    ...     height = mbs.scalar("m", positive=True)
    ...     @staticmethod
    ...     def gap(i, height):
    ...         return i.y - height
    >>> model = mbs.PlanarModel("plateau", gravity=(0, -10))
    >>> stone = model.body("stone", mass=2.0, inertia=0.1, position=(0, 3))
    >>> model.add(Hill("hill", stone, height=3.0))
    <Hill hill>
    >>> lies = mbs.simulate(model, [0, 1])
    >>> print(lies["stone.y"][-1].round(6), lies["hill.force"][-1].round(6), lies.modes["hill"][-1])
    3.0 20.0 closed

    The docstring of `mbs_dae.model.contacts.base` is the contract of such a class.
    """

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
        friction: Any = 0.0,
        static_friction: Numeric | None = None,
        smooth: Numeric | None = None,
        **constants: Any,
    ):
        self.name = checked_name(name)
        self._set_laws(restitution, friction, static_friction, smooth)
        Declared.__init__(self, name, *args, **constants)
        self.finish()

    def finish(self) -> None:
        relation, slots = self._built()
        self._finish(self._rubbing(relation), slots, self.unit)

    def check_values(self, number: Callable[[Number], float]) -> None:
        super().check_values(number)
        Declared.check_values(self, number)

    @classmethod
    def form_on(cls, markers: tuple[FormMarker, ...], constants: dict[str, Any]) -> Relation:
        """Return the gaps and slips between these markers. Functions are kept whole."""
        constants = {n: opaque(v) if isinstance(v, Law) else v for n, v in constants.items()}
        gap, slip = getattr(cls, "gap", None), getattr(cls, "slip", None)
        return relation_of(gap, slip, markers, constants, f"contact class {cls.__name__}", NAMES)


class ClosedPoints(Condition):
    """The constraint that some points of a contact have zero gap and some have zero slip, where they roll or stick."""

    def __init__(self, contact: Contact, gaps: Iterable[int], slips: Iterable[int] = ()):
        self.name, self.contact = f"{contact.name} (closed)", contact
        self.markers = contact.markers
        relation, slots = contact.form()
        self.closed, self.rolling = [*gaps], [*slips]
        slip_rows = [
            contact.slip_directions * k + direction
            for k in self.rolling
            for direction in range(contact.slip_directions)
        ]
        rows = [*self.closed, *(contact.points + k for k in slip_rows)]
        self.units = tuple(contact.units[k] for k in rows)
        relation = replace(
            relation, phi=tuple(relation.phi[k] for k in self.closed), psi=tuple(relation.psi[k] for k in slip_rows)
        )
        self._complete(relation, slots)
