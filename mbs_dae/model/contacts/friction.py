"""Friction that sticks: in a joint, or on a measure. Friction sticks while the force that sticking needs is within a
bound.

A friction element defines the slip: velocities ψ(m, r), whose multipliers are forces (or an effort on a measure) on the
second body. During slip they oppose ψ and equal the bound of sliding; at rest they keep ψ at zero, up to the bound of
rest. The force that separates the teeth of wheels is a law of this form (`Separation`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Self

import sympy as sp

from ...errors import ModelError
from ...symbolic.derive import Form, Reading, Relation
from ...symbolic.expressions import called, expression_of
from ...symbolic.functions import as_sympy
from ...symbolic.markers import FormMarker, marker_symbols
from ..bodies.body import Marker
from ..element import checked_name, slot
from ..fields import expression, scalar, speed
from ..forces.base import EffortElement
from ..joints import Cylindrical, Gear, Joint, Revolute, Screw, Spherical, Translational
from ..joints.motions import Ball, Helix, Slide
from ..measures import Measure, Quantity, checked_measure, written_in_markers
from ..parameters import Evaluator, Number, Numeric, Parameter, check_number, constants_out, is_constant
from ..tables import reads_beyond
from .changes import PARTS, TOUCHES, ContactChanges
from .coefficients import SPEEDS, Rubbing, Slots, slip_speed, smoothed

RUBBING = (Revolute, Translational, Cylindrical, Screw, Spherical)
"""The joints that may have friction: their bodies touch along a surface."""
LEAD = slot("pitch") / (2 * sp.pi * slot("radius"))
"""The slope of a thread, tan λ."""


class FrictionElement(ContactChanges):
    """An element whose friction sticks or slips."""

    units: tuple[str, ...]

    def never(self, change: str) -> str:
        """Return why a change never happens: see `ContactChanges`."""
        if change in (TOUCHES, PARTS):
            return "it is friction, and has no gap"
        return "with smooth= nothing sticks" if self.laws[-1] != 0 else ""

    @property
    def laws(self) -> tuple[Number, ...]:
        """The numbers of a contact's laws, without restitution. A given bound needs no coefficient: coefficients are
        1."""
        return 0.0, 1.0, 1.0, 0.0

    @property
    def loads(self) -> dict[str, str]:
        """Return the unit of the force along each of its rows, by its name."""
        many = len(self.units) > 1
        names = (f"friction{k + 1}" if many else "friction" for k in range(len(self.units)))
        return {name: "N m" if unit == "rad/s" else "N" for name, unit in zip(names, self.units, strict=True)}


class Friction(FrictionElement):
    """Friction in a joint, from the reaction of the joint.

    >>> model = mbs.PlanarModel("block on a bench", gravity=(0, -10))
    >>> block = model.body("block", mass=1.0, inertia=0.1)
    >>> guide = model.add(mbs.Translational("guide", model.ground, block))
    >>> model.add(mbs.Friction("bench", guide, mu=0.2))
    <Friction bench>
    >>> run = mbs.simulate(model, [0, 5], initial={"block.vx": 4.0})
    >>> print(run["block.x"][-1].round(6), run.modes["bench"][-1])  # v²/(2 μ g), and it sticks
    4.0 sticks

    The normal force N is the part of the joint's reaction in the directions `normal`: along all axes except those of
    its slides. The slip velocities are those of the surfaces: `radius`, in m, times the relative angular velocity about
    the joint's axis (in a ball about all three axes), and the velocity along its slide; in a screw the velocity along
    its thread. Friction is at most μ N, with the coefficient `mu` during slip and `mu_static` at rest. Guides have no
    radius.

    `mu` may be a function of the speed of slip, ``lambda speed: ...``; both may be expressions of time, states and
    quantities of the model, ``sp.Piecewise((0.05, model["block.x"] > 2), (0.2, True))``. With `smooth`, a speed v
    in m/s, the joint never sticks: friction is μ N s / √(s² + v²) against the slip s.
    """

    def __init__(
        self,
        name: str,
        joint: Joint,
        mu: Any,
        mu_static: Numeric | None = None,
        radius: Numeric | None = None,
        smooth: Numeric | None = None,
    ):
        self.name = checked_name(name)
        there = ", ".join(cls.__name__ for cls in RUBBING)
        if isinstance(joint, str):
            raise ModelError(
                f"{self.who} is in {joint!r}, a name; give the joint itself: model.elements[{joint!r}]",
                code="not-a-joint", subject=self.who, joint=joint,
            )  # fmt: skip
        if not isinstance(joint, RUBBING):
            raise ModelError(
                f"{self.who} is in {getattr(joint, 'who', repr(joint))}, which has no surfaces that rub; there is "
                f"friction in {there}; write DryFriction on a measure of others",
                code="joint-without-friction", subject=self.who,
            )  # fmt: skip
        self.joint, self.speaks_of, self.markers = joint.name, (joint,), joint.markers
        self.rubbing = Rubbing.said(self.who, ("mu", "mu_static"), mu, mu_static, smooth)
        motions = (joint.motions or {})[self.dimension]
        slides = [motion for motion in motions if isinstance(motion, Slide)]
        self._free = tuple(slide.axis for slide in slides)
        self._threads = tuple(motion.axis for motion in motions if isinstance(motion, Helix))
        if turns := len(slides) < len(motions):
            if radius is None:
                raise ModelError(
                    f"{self.who} is in {joint.who}, which turns; give radius=, that of its pin or ball",
                    code="missing-argument", subject=self.who, joint=joint.who,
                )  # fmt: skip
            self.radius: Number = check_number(radius, f"radius of {self.who}", positive=True)
        elif radius is not None:
            raise ModelError(
                f"{self.who} is in {joint.who}, which slides and does not turn; leave radius= out",
                code="radius-of-slide", subject=self.who, joint=joint.who,
            )  # fmt: skip
        i, j = marker_symbols(2, self.dimension)
        radius_slot = slot("radius")
        velocities = list[sp.Expr]()
        if turns:  # the relative angular velocities that the joint leaves free, in the axes of the first marker
            omega = j.omega - i.omega
            free_axes = range(3) if any(isinstance(motion, Ball) for motion in motions) else (2,)
            rotations = [omega] if self.dimension == 2 else [i.axes[axis].dot(omega) for axis in free_axes]
            velocities += [radius_slot * w for w in rotations]
        shifts = [m.axis for m in motions if isinstance(m, Slide | Helix)]  # that of a screw, too, which is not free
        velocities += [i.axes[axis].dot(j.velocity - i.velocity_at(j.point)) for axis in shifts]
        slots = {radius_slot: self.radius} if turns else {}
        if self._threads:  # one velocity: along the thread
            around, along = velocities
            velocities = [(around + LEAD * along) / sp.sqrt(1 + LEAD**2)]
            slots[slot("pitch")] = joint.form()[1][slot("pitch")]
        self.units = ("m/s",) * len(velocities)
        self._finish(Relation((i, j), (), tuple(velocities), slots=tuple(slots)), slots)

    def _finish(self, relation: Relation, slots: Slots) -> None:
        self.markers, relation = self.rubbing.with_readings(relation, self.feeling)
        self._complete(relation, slots)

    @property
    def feeling(self) -> tuple[Marker, ...]:
        (joint,) = self.speaks_of
        assert isinstance(joint, Joint)
        return joint.markers

    friction = property(lambda self: self.rubbing.sliding, doc="The coefficient of sliding.")
    static_friction = property(lambda self: self.rubbing.static, doc="The coefficient of rest.")

    def forms(self) -> tuple[tuple[Form, Slots], ...]:
        """Return the velocities of slip; and the coefficients if they change along a motion."""
        relation, slots = self._form
        return (relation, slots), *self.rubbing.curve(relation, slots, self.markers)

    @property
    def laws(self) -> tuple[Number, ...]:
        return 0.0, *self.rubbing.numbers

    @property
    def constants(self) -> Mapping[str, tuple[Number, str]]:
        return self.rubbing.constants | ({"radius": (self.radius, "m")} if hasattr(self, "radius") else {})

    def with_constant(self, name: str, value: Number) -> Self:
        other = self._unfinished()
        if name == "radius":
            other.radius = value
        elif name in self.rubbing.constants:
            other.rubbing = self.rubbing.with_constant(name, value)
        else:
            return super().with_constant(name, value)
        relation, slots = self._form
        other._finish(relation, {**slots, slot("radius"): value} if name == "radius" else slots)
        return other

    def renewed(self) -> Self:
        """Return the friction with the present pitch of its joint's thread."""
        relation, slots = self._form
        (joint,) = self.speaks_of
        assert isinstance(joint, Joint)
        other, slots_of_joint = self._unfinished(), joint.form()[1]
        other._finish(relation, {s: slots_of_joint.get(s, n) if s == slot("pitch") else n for s, n in slots.items()})
        return other

    def normal(self, i: FormMarker, j: FormMarker) -> list[sp.Matrix]:
        """Return the directions in which the joint's reaction, a force on its second marker, presses its surfaces
        together: the normal force is the length of this part of the reaction. The flank of a thread is inclined by λ:
        its normal force is the axial reaction over cos λ."""
        scale = {axis: sp.sqrt(1 + LEAD**2) for axis in self._threads}
        return [scale.get(k, 1) * axis for k, axis in enumerate(i.axes) if k not in self._free]

    def check_values(self, number: Callable[[Number], float]) -> None:
        self.rubbing.check_values(number)
        if hasattr(self, "radius"):
            check_number(number(self.radius), f"radius of {self.who}", positive=True)


class DryFriction(FrictionElement):
    """Friction on the rate of a measure, of a given size.

    >>> model = mbs.PlanarModel("brake")
    >>> wheel = model.body("wheel", mass=1.0, inertia=2.0)
    >>> hinge = model.add(mbs.Revolute("hinge", model.ground, wheel))
    >>> model.add(mbs.DryFriction("brake", mbs.angle(hinge), force=12.0))
    <DryFriction brake>
    >>> run = mbs.simulate(model, [0, 0.5, 2], initial={"wheel.omega": 6.0})
    >>> print(run["wheel.angle"][-1].round(6), run.modes["brake"])  # ω²/2 over M/I
    3.0 ['slips' 'slips' 'sticks']

    `force`, in N, is the bound during slip, `static_force` the bound at rest (by default equal): numbers or expressions
    of parameters, time, states and quantities. `force` may also be a function of slip speed, ``lambda speed: ...``; its
    value at zero is then the default of `static_force`. On an angle both are moments, in N m. With `smooth`, a speed v,
    the measure never sticks: the force is F ṡ / √(ṡ² + v²) against the rate ṡ, see `SmoothFriction`.
    """

    def __new__(cls, *args: Any, smooth: Any = None, **said: Any) -> Any:
        """Return friction with modes; or, with `smooth`, a force."""
        return super().__new__(cls, *args, **said) if smooth is None else SmoothFriction(*args, smooth=smooth, **said)

    def __init__(self, name: str, measure: Measure, force: Any, static_force: Any = None, *, smooth: None = None):
        self.name = checked_name(name)
        self.measure = checked_measure(measure, f"{self.who} rubs on")
        self.speaks_of = measure.speaks_of
        sliding = _of_speed(force, f"force of {self.who}")
        rest = sliding.xreplace({speed: sp.S.Zero})
        if static_force is not None:
            rest = expression_of(static_force, f"static_force of {self.who}", jumps=True)
        bounds = self._bounds = sliding, rest
        self._check_bounds(Evaluator({}), ())
        quantities = sorted({q for e in bounds for q in e.atoms(Quantity)}, key=str)
        self.markers, symbols, values = written_in_markers(quantities, measure.markers, self.who)
        self.check_dimension()
        symbols_of_measure = symbols[: len(measure.markers)]
        values |= {speed: slip_speed([measure.rate(symbols_of_measure)])}
        self.bound, self._bound_slots = constants_out(Reading(symbols, tuple(e.xreplace(values) for e in bounds)))
        self.units = (measure.units[1],)
        self._complete(*constants_out(Relation(symbols, (), (measure.rate(symbols_of_measure),))))

    @property
    def constants(self) -> Mapping[str, tuple[Number, str]]:
        named, unit = zip(("force", "static_force"), self._bounds, strict=True), "N"
        unit = "N m" if self.measure.unit == "rad" else unit
        return {name: (bound, unit) for name, bound in named if is_constant(bound)}

    def with_constant(self, name: str, value: Number) -> Self:
        """Return a copy with another number. Friction at rest changes with sliding friction if both are one number."""
        force, rest = self._bounds
        if name not in self.constants:
            return super().with_constant(name, value)
        if name == "force":
            return type(self)(self.name, self.measure, value, None if rest == force else rest)
        return type(self)(self.name, self.measure, force, value)

    @property
    def feeling(self) -> tuple[Marker, ...]:
        return self.measure.markers

    def check_values(self, number: Callable[[Number], float]) -> None:
        self._check_bounds(number, (Parameter,))

    def _check_bounds(self, number: Callable[[Number], float], known: tuple[type, ...]) -> None:
        """Check that friction at rest is no less than sliding friction, and that no friction is negative, as far as
        values are known."""
        sliding, rest = self._bounds
        bounds = {f"static_force of {self.who}": rest, f"force of {self.who}": sliding.xreplace({speed: sp.S.Zero})}
        for place in SPEEDS if sliding.has(speed) else ():
            if not reads_beyond(slips := sliding.xreplace({speed: sp.Float(place)}), number):
                bounds[f"force of {self.who} at a slip of {place:g}"] = slips  # a run tells where it leaves a table
        found = {
            what: check_number(number(force), what, non_negative=True)
            for what, force in bounds.items()
            if all(isinstance(s, known) for s in force.free_symbols)
        }
        at_rest, *slipping = found.values() if len(found) == len(bounds) else (0.0, 0.0)
        if at_rest < slipping[0]:
            what = f"static_force of {self.who} is {at_rest:g}, less than its force, {slipping[0]:g}"
            raise ModelError(
                f"{what}; what rests holds at least what slides; give a larger one, or leave it out",
                code="static-below-sliding",
            )  # fmt: skip

    def forms(self) -> tuple[tuple[Form, dict[sp.Symbol, Number]], ...]:
        """Return the rate that slips; and the bounds (of sliding, of rest) of the effort along it."""
        return self.form(), (self.bound, self._bound_slots)

    def measures(self) -> dict[str, Measure]:
        return {self.measure.kind: self.measure}


class SmoothFriction(EffortElement):
    """A `DryFriction` with `smooth=`: the force F ṡ / √(ṡ² + v²) against the rate ṡ of any measure. The force is zero
    at rest, so loads that dry friction would hold make the measure creep."""

    equations = ("effort",)
    sketch = ""
    force = expression("N")
    smooth = scalar("m/s", positive=True)

    def __init__(self, name: str, measure: Measure, force: Any, static_force: Any = None, *, smooth: Numeric):
        who = f"DryFriction {name!r}"
        if static_force is not None:
            what = f"{who} has smooth=, so nothing rests, and static_force="
            raise ModelError(
                f"{what}; leave one out, or give force= as a function of the speed of slip",
                code="contradictory-arguments", name=name,
            )  # fmt: skip
        super().__init__(name, checked_measure(measure, f"{who} rubs on"), _of_speed(force, f"force of {who}"), smooth)

    def _measure(self, args: tuple) -> tuple[Measure, tuple]:
        return args[0], args[1:]

    @property
    def loads(self) -> dict[str, str]:
        return {"friction": "N m" if self.measure.unit == "rad" else "N"}

    @property
    def told(self) -> tuple[Reading, Slots]:
        return self.effort_reading, self.form()[1]

    @property
    def size_is_read(self) -> bool:
        """Whether F depends on more than a number, which is checked once."""
        return isinstance(self.values["force"], sp.Basic) and not self.values["force"].is_number

    @property
    def size_reading(self) -> tuple[Reading, Slots, tuple[Marker, ...]]:
        """The reading of F, the values of its slots, and its markers."""
        size = _FrictionSize(self.name, self.measure, self.values["force"], smooth=self.values["smooth"])
        return size.effort_reading, size.form()[1], size.markers

    @staticmethod
    def effort(s: sp.Expr, rate: sp.Expr, force: sp.Expr, smooth: sp.Expr) -> sp.Expr:
        (direction,), speed_along = smoothed([rate], smooth)
        return -force.xreplace({speed: speed_along}) * direction


class _FrictionSize(SmoothFriction):
    """The F of a `SmoothFriction` as an effort, for its reading; part of no model."""

    equations = ("effort",)
    work = "supplied"

    @staticmethod
    def effort(s: sp.Expr, rate: sp.Expr, force: sp.Expr, smooth: sp.Expr) -> sp.Expr:
        return force.xreplace({speed: smoothed([rate], smooth)[1]})


def _of_speed(force: Any, what: str) -> sp.Expr:
    """Return a force as an expression, which may depend on `mbs.speed`, the speed of slip."""
    if callable(force) and not isinstance(force, sp.Basic):
        force = called(force, (speed,), what)
    force_law = expression_of(force, what, jumps=True)
    if force_law.is_number:
        check_number(force_law, what, non_negative=True)
    return force_law


ONE = slot("one")


class Separation(FrictionElement):
    """The separating force |F_t| tan α on the wheels of a gear, as a law of contact: along the row of the rate at which
    teeth separate it has the size of a friction that slips, tan α |λ|, with λ the multiplier of the gear, and one
    constant direction. The rate vanishes in the bearings, so this force does no work."""

    units = ("m/s",)
    loads = property(lambda self: {}, doc="None: `reaction` of the gear has it.")

    def __init__(self, gear: Gear):
        self.name, self.gear, self.joint = f"pressure angle of {gear.name}", gear, gear.name
        self.markers = gear.markers[:2]
        self._form = gear.separation  # the separation is no element of a model

    @property
    def who(self) -> str:
        return f"the pressure angle of {self.gear.who}"

    @property
    def laws(self) -> tuple[Number, ...]:
        """The numbers of a friction law; the last number, less than zero, marks a force of one direction."""
        slope = sp.tan(as_sympy(self.gear.pressure_angle))
        return 0.0, slope, slope, -1.0

    @property
    def bound(self) -> tuple[Form, Slots]:
        """The factor of the gear's multiplier: 1."""
        return Reading(self._form[0].markers, (ONE,), slots=(ONE,)), {ONE: 1.0}
