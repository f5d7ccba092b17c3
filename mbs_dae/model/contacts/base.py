"""The base class of contacts.

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
7. Every contact takes ``restitution``, ``friction``, ``static_friction``, ``smooth``; these are no fields of the class.

Everything else follows from being a subclass.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from typing import Any, ClassVar, Self

import sympy as sp

from ...errors import ModelError
from ...symbolic.derive import Form, Relation
from ...symbolic.functions import opaque
from ...symbolic.markers import FormMarker
from ..bodies.body import Place
from ..element import Declared, checked_name
from ..fields import Law
from ..joints.base import relation_of
from ..parameters import Number, Numeric, check_number, free_parameters
from .coefficients import Rubbing, Slots
from .shapes import Shape
from .touching import NAMES, Touching

_registry: list[type[ContactElement]] = []


def registered_contacts() -> tuple[type[ContactElement], ...]:
    """Every contact class there is, the user's included: tests and documentation walk this list.

    >>> mbs.Rope in mbs.registered_contacts()
    True
    """
    return tuple(_registry)


class Contact(Touching):
    """Two bodies that may touch, and never overlap: gaps g ≥ 0 and normal forces f ≥ 0, one of which is zero. They are
    said by two shapes:

    >>> model = mbs.PlanarModel("ball", gravity=(0, -10))
    >>> ball = model.body("ball", mass=1.0, inertia=0.004, position=(0, 5.1))
    >>> floor = model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Disk(ball, 0.1), restitution=0.5))
    >>> bounced = mbs.simulate(model, [0, 1.5])  # 5 m down in 1 s, with 10 m/s; up with 5 m/s for 0.5 s
    >>> print(bounced["floor.gap"].round(6), round(bounced.impacts[0].energy_lost, 6))
    [5.   1.25] 37.5

    or by functions of markers in this order, `gap` and `slip` (how fast the second body moves along the first where
    they touch):

    >>> by_hand = mbs.Contact("floor", model.ground, ball, restitution=0.5, friction=0.3,
    ...                       gap=lambda i, j: j.y - 0.1, slip=lambda i, j: j.velocity[0] + 0.1 * j.omega)

    These have x, y, angle, point, x_axis, y_axis, velocity, omega, velocity_at(point), in space z and z_axis, too.
    Several gaps are "gap1", "gap2", ... in results.

    `restitution` is what is left of the approach velocity after an impact, 0 to 1. `friction` is the coefficient of
    sliding, `static_friction` that of rest, which is no less. They are numbers, or expressions of parameters, time,
    states and quantities of the model; `friction` may be a function of the speed of slip, ``lambda speed: ...``, too.
    With `smooth`, a speed v, nothing sticks: friction is μ N s / √(s² + v²) against the slip s.
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
        """The gaps and slips; and the coefficients of friction where they change."""
        return self.form(), *self.rubbing.curve(*self.form(), self.markers, self.points)

    # --- the laws -------------------------------------------------------------------------------------------

    def _set_laws(self, restitution: Any, friction: Any = 0.0, static_friction: Any = None, smooth: Any = None) -> None:
        self.restitution = check_number(restitution, f"restitution of {self.who}", non_negative=True)
        if not free_parameters([self.restitution]):
            self._check_restitution(float)
        self.rubbing = Rubbing.said(self.who, ("friction", "static_friction"), friction, static_friction, smooth)

    @property
    def laws(self) -> tuple[Number, ...]:
        """The numbers of its laws: restitution, friction, static friction, and the speed of smoothing."""
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
            raise ModelError(f"{what}; give a number between 0 (it stays) and 1 (nothing is lost)")

    def check_values(self, number: Callable[[Number], float]) -> None:
        self._check_restitution(number)
        self.rubbing.check_values(number)
        super().check_values(number)


class ContactElement(Contact, Declared):
    """The base of every contact with a class of its own, which says its constants and its gap: here of a point over a
    hill.

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

    What more it may say is in the docstring of `mbs_dae.model.contacts.base`, which is its contract.
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
        """The equations between these markers. Functions are kept whole."""
        constants = {n: opaque(v) if isinstance(v, Law) else v for n, v in constants.items()}
        gap, slip = getattr(cls, "gap", None), getattr(cls, "slip", None)
        return relation_of(gap, slip, markers, constants, f"contact class {cls.__name__}", NAMES)
