"""Friction that sticks: in a joint, or on a measure. It holds where the force that this needs is within a bound.

A friction element says what slips: velocities ψ(m, r), whose multipliers are forces (or an effort on a measure) that
the second body feels. While it slips they oppose ψ and are as large as the bound of sliding; at rest they are whatever
keeps ψ at zero, up to the bound of rest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp

from ...errors import ModelError
from ...symbolic.derive import Form, Reading, Relation
from ...symbolic.expressions import expression_of
from ...symbolic.markers import FormMarker, marker_symbols
from ..bodies.body import Marker
from ..element import Element, checked_name, slot
from ..joints import Cylindrical, Joint, Revolute, Screw, Spherical, Translational
from ..joints.motions import Ball, Helix, Slide
from ..measures import Measure, Quantity, written_in_markers
from ..parameters import Number, Numeric, check_number, constants_out, free_parameters
from .coefficients import check_coefficients

RUBBING = (Revolute, Translational, Cylindrical, Screw, Spherical)
"""The joints that have friction of their own: those whose bodies touch along a surface."""
LEAD = slot("pitch") / (2 * sp.pi * slot("radius"))
"""The slope of a thread, tan λ."""


class FrictionElement(Element):
    """What sticks and slips."""

    units: tuple[str, ...]

    @property
    def loads(self) -> dict[str, str]:
        """What acts along each of its rows, and the unit."""
        many = len(self.units) > 1
        names = (f"friction{k + 1}" if many else "friction" for k in range(len(self.units)))
        return {name: "N m" if unit == "rad/s" else "N" for name, unit in zip(names, self.units, strict=True)}


class Friction(FrictionElement):
    """``Friction("rub", pin, mu=0.2, mu_static=0.3, radius=0.01)``: friction in a joint, from what the joint carries.

    The normal force N is the part of the joint's reaction in the directions `normal`: along all axes but those of its
    slides. What slips are the velocities that the joint leaves free, as those of the surfaces: `radius` times the
    relative angular velocity about its axis (in a ball about all three), and the velocity along its slide; of a screw
    the one along its thread. Friction is μ N at most. Guides have no radius.
    """

    def __init__(
        self,
        name: str,
        joint: Joint,
        mu: Numeric,
        mu_static: Numeric | None = None,
        radius: Numeric | None = None,
    ):
        self.name = checked_name(name)
        there = ", ".join(cls.__name__ for cls in RUBBING)
        if not isinstance(joint, RUBBING):
            raise ModelError(
                f"{self.who} is in {getattr(joint, 'who', repr(joint))}, which has no surfaces that rub; there is "
                f"friction in {there}; write DryFriction on a measure of others"
            )
        self.joint, self.markers = joint.name, joint.markers
        self.friction: Number = check_number(mu, f"mu of {self.who}", non_negative=True)
        static = self.friction if mu_static is None else mu_static
        self.static_friction: Number = check_number(static, f"mu_static of {self.who}", non_negative=True)
        motions = (joint.motions or {})[self.dimension]
        slides = [motion for motion in motions if isinstance(motion, Slide)]
        self._free = tuple(slide.axis for slide in slides)
        self._threads = tuple(motion.axis for motion in motions if isinstance(motion, Helix))
        if turns := len(slides) < len(motions):
            if radius is None:
                raise ModelError(f"{self.who} is in {joint.who}, which turns; give radius=, that of its pin or ball")
            self.radius: Number = check_number(radius, f"radius of {self.who}", positive=True)
        elif radius is not None:
            raise ModelError(f"{self.who} is in {joint.who}, which slides and does not turn; leave radius= out")
        if not free_parameters(self.laws):
            self.check_values(float)
        i, j = marker_symbols(2, self.dimension)
        radius_slot = slot("radius")
        velocities = [radius_slot * w for w in self._turning(i, j, motions)] if turns else []
        velocities += [i.axes[axis].dot(j.velocity - i.velocity_at(j.point)) for axis in self._along(motions)]
        slots = {radius_slot: self.radius} if turns else {}
        if self._threads:  # one velocity: along the thread
            around, along = velocities
            velocities = [(around + LEAD * along) / sp.sqrt(1 + LEAD**2)]
            slots[slot("pitch")] = joint.form()[1][slot("pitch")]
        self.units = ("m/s",) * len(velocities)
        self._complete(Relation((i, j), (), tuple(velocities), slots=tuple(slots)), slots)

    @staticmethod
    def _turning(i: FormMarker, j: FormMarker, motions: Any) -> list[sp.Expr]:
        """The relative angular velocities that the joint leaves free, in the axes of the first marker."""
        omega = j.omega - i.omega
        if i.dimension == 2:
            return [omega]
        axes = range(3) if any(isinstance(motion, Ball) for motion in motions) else (2,)
        return [i.axes[axis].dot(omega) for axis in axes]

    @staticmethod
    def _along(motions: Any) -> list[int]:
        """The axes along which it moves: a screw, too, though not freely."""
        return [m.axis for m in motions if isinstance(m, Slide | Helix)]

    @property
    def laws(self) -> tuple[Number, ...]:
        return self.friction, self.static_friction

    def normal(self, i: FormMarker, j: FormMarker) -> list[sp.Matrix]:
        """The directions of the joint's reaction, a force on its second marker, that press its surfaces together: the
        normal force is the length of that part. The face of a thread leans by λ, and has cos λ of its force along
        the axis."""
        scale = {axis: sp.sqrt(1 + LEAD**2) for axis in self._threads}
        return [scale.get(k, 1) * axis for k, axis in enumerate(i.axes) if k not in self._free]

    def check_values(self, number: Callable[[Number], float]) -> None:
        check_coefficients(self.who, ("mu", number(self.friction)), ("mu_static", number(self.static_friction)))
        if hasattr(self, "radius"):
            check_number(number(self.radius), f"radius of {self.who}", positive=True)


class DryFriction(FrictionElement):
    """``DryFriction("brake", mbs.angle(hinge), force=12.0)``: friction on the rate of a measure, of a given size.

    `force` is the bound while it slips, `static_force` that at rest (by default the same): numbers or expressions of
    parameters, time, states and quantities, such as a Stribeck curve of ``model["block.vx"]``. On an angle they are
    moments.
    """

    def __init__(self, name: str, measure: Measure, force: Any, static_force: Any = None):
        self.name = checked_name(name)
        if not isinstance(measure, Measure):
            raise ModelError(
                f"{self.who} rubs on a measure, not {measure!r}; write mbs.angle(i, j), mbs.x(marker), ..."
            )
        self.measure = measure
        given = force, force if static_force is None else static_force
        names = "force", "static_force"
        bounds = [expression_of(e, f"{n} of {self.who}", jumps=True) for n, e in zip(names, given, strict=True)]
        for what, bound in zip(names, bounds, strict=True):
            if bound.is_number:
                check_number(bound, f"{what} of {self.who}", non_negative=True)
        if all(bound.is_number for bound in bounds):
            check_coefficients(self.who, *zip(names, map(float, bounds), strict=True))
        quantities = sorted({q for e in bounds for q in e.atoms(Quantity)}, key=str)
        self.markers, symbols, values = written_in_markers(quantities, measure.markers, self.who)
        self.check_dimension()
        own = symbols[: len(measure.markers)]
        self.bound, self._bound_slots = constants_out(Reading(symbols, tuple(e.xreplace(values) for e in bounds)))
        self.units = (measure.units[1],)
        self._complete(*constants_out(Relation(symbols, (), (measure.rate(own),))))

    @property
    def feeling(self) -> tuple[Marker, ...]:
        return self.measure.markers

    def forms(self) -> tuple[tuple[Form, dict[sp.Symbol, Number]], ...]:
        """The rate that slips; the bounds (of sliding, of rest) on what acts along it."""
        return self.form(), (self.bound, self._bound_slots)

    def measures(self) -> dict[str, Measure]:
        return {self.measure.kind: self.measure}
