"""Gears: angles coupled by a ratio, or pitch circles that roll on each other.

**A ratio** couples two angles, each relative to the carrier of its wheel: moments, and no force.

**Radii** put the force at the teeth. In the pitch point P both wheels have the same velocity along the tangent t normal
to the plane through both axes. With the body c that carries both axes (which are fixed in it), a_i and a_j the axes,
φ_i and φ_j the rotations about them relative to c::

    t · (velocity of P on the first wheel - velocity of P on the second) = 0

    Φ = r_i (φ_i - phase) + s r_j φ_j + w N · (Q_i - Q_j),       s = +1 for outer teeth, -1 for a ring

N is the normal of the plane through the axes, fixed on c, and w N = ± t of length one; Q_i and Q_j are the centres of
the pitch circles, points of the wheels. N · (Q_i - Q_j) vanishes where the bearings hold, and its slope completes that
of the angles: with it Φ_vᵀ λ is the force λ t in P on one wheel, the opposite one on the other, and nothing on c. On
parallel axes::

    N = a_c × (o - c),     w = 1/(r_i + s r_j),     Q = the markers of the wheels,

with c and o the points of the axes on the carrier, at the distance |r_i + s r_j|. Axes that meet in an apex carry pitch
cones, of the angles δ_i and δ_j, which have the same generatrix of length L = r_i / sin δ_i = r_j / sin δ_j::

    N = a_c × a_o,         w = ± 1/sin Σ,           Q = apex + L cos δ a.

If no body carries both axes (a wheel that rolls on another at the end of a rope) they are parallel, and the line of
centres is d = p_j - p_i. With α the direction of d in the frame of the first wheel, counted from the placement::

    Φ = r_i (s ρ φ_ij - (1 + s ρ) α - phase),        ρ = r_j / r_i.

The number of turns of α is the one for which Φ is nearest to zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from math import isclose
from typing import Any, Self, cast

import numpy as np
import sympy as sp

from ...errors import ModelError
from ...symbolic.derive import Reading, Relation
from ...symbolic.functions import Unwound, as_sympy
from ...symbolic.markers import FormMarker, marker_symbols
from ...symbolic.markers import primitives as the
from ...tolerances import GEAR_DISTANCE
from ..bodies.body import Marker, components_of
from ..element import Constants, Element, slot
from ..fields import choice, scalar
from ..parameters import Number, check_number
from .base import Joint

R_I, R_J, RATIO, PHASE = slot("r_i"), slot("r_j"), slot("ratio"), slot("phase")
SENSE, ACROSS, H_I, H_J, START = (slot(name) for name in ("sense", "across", "h_i", "h_j", "start"))
"""s (less than zero also if an axis points to the apex), w, distances of Q from each marker along its axis, and
direction of the line of centres in the placement."""
APEX, SIDE = slot("apex"), slot("side")
"""Distance of the apex from the first marker along its axis; and the sign, 1 or -1, with which a normal leads out of
the teeth of the first wheel."""


def _coupled(i: Any, j: Any, carrier: Any = None, other: Any = None, *, ratio: Any, mesh: str) -> Any:
    """Return the coupled angle that vanishes, relative to the carriers of the wheels."""
    sense = 1 if mesh == "external" else -1
    return _turn(carrier, i) + sense * ratio * _turn(other or carrier, j)


def _turn(carrier: Any, wheel: Any) -> Any:
    return wheel.turn if carrier is None else the.turn(carrier, wheel)


class Gear(Joint):
    """Two wheels in mesh: ``Gear("mesh", wheel, pinion, radii=(r_i, r_j))``; or two coupled angles: ``Gear("box", A, B,
    ratio=...)``.

    With ``radii`` of the pitch circles, in m, the wheels push on each other where the circles touch, and thus on their
    bearings: `reaction` is the force of the teeth on the second wheel. The markers are the centres of the wheels (in
    space with their axes, in the middle plane of the teeth). Their axes are parallel and ``|r_i ± r_j|`` apart, else
    the gear is refused; or in space they meet, as those of bevel gears. The axes may move: the arm that carries a
    planet need not be named. ``pressure_angle`` α, in rad, adds the separating force ``|F_t| tan α``: along the line of
    centres, for (straight) bevel wheels along the common normal of both pitch cones.

    With ``ratio`` = r_j / r_i, the magnitude of ω_i / ω_j, the gear couples two angles and has no teeth: a gear box, a
    belt, a rotor with a reduction. Moments act on both wheels and on their carrier. The bearing forces are not
    determined, and `is_unique` is False for them; if friction depends on one, ``stats["note"]`` names both. Angles are
    relative to the `carrier`, the arm between the two axes, or to the world; or they are angles of two joints,
    ``Gear("box", A, B, ratio=...)``, on one body or on two.

    ``mesh="internal"`` means that one of the wheels is a ring, so that both turn the same way. ``phase`` is the tooth
    offset, in rad; it defaults to that of the reference placement. With the joints of both wheels, ``Gear("mesh", A, B,
    radii=...)``, radii follow the positions of their axes, a ratio the signs of the joints' angles; in space a ratio
    needs joints.

    10 N m on a wheel of 0.1 m are 100 N in the teeth, and in both bearings:

    >>> model = mbs.PlanarModel("gears")
    >>> pinion, wheel = model.body("pinion"), model.body("wheel", position=(0.15, 0))
    >>> A = model.add(mbs.Revolute("A", model.ground, pinion, at=(0, 0)))
    >>> B = model.add(mbs.Revolute("B", model.ground, wheel, at=(0.15, 0)))
    >>> mesh = model.add(mbs.Gear("mesh", pinion, wheel, radii=(0.05, 0.1)))
    >>> load, motor = mbs.Torque("load", wheel, 10.0), mbs.Driver("motor", mbs.angle(pinion), 2 * mbs.t)
    >>> held = mbs.inverse_dynamics(model.plus(load, motor), [0.0])
    >>> print(held["wheel.omega"], held["mesh.Fy"].round(9), held["B.Fy"].round(9), held.effort("motor").round(9))
    [-1.] [100.] [-100.] [5.]

    A rotor that turns 50 times as fast as the joint that it drives:

    >>> model = mbs.PlanarModel("reduction")
    >>> arm, rotor = model.body("arm", inertia=1.0), model.body("rotor", inertia=2e-4)
    >>> A, R = model.add(mbs.Revolute("A", model.ground, arm), mbs.Revolute("R", model.ground, rotor))
    >>> model.add(mbs.Gear("box", R, A, ratio=50, mesh="internal"), mbs.Torque("push", arm, 3.0))
    (<Gear box>, <Torque push>)
    >>> print(mbs.simulate(model, [0, 1])["arm.alpha"][0].round(9))  # 3 / (1 + 50² 2e-4)
    2.0
    """

    unit = "rad"
    sketch = "mesh"
    ratio = scalar(positive=True)
    mesh = choice("external", "internal", default="external")
    phase = scalar("rad", default=_coupled)

    radii: tuple[Number, Number] | None
    """The radii of the pitch circles, in m, or None for a gear with a ratio."""
    pressure_angle: Number
    """The pressure angle, in rad; 0 without a separating force."""
    bare: Self | None = None
    """The gear before its model chose a carrier; None for a gear without such a carrier."""

    def __init__(
        self, name: str, *args: Any, radii: tuple[Number, Number] | None = None,
        pressure_angle: Number | None = None, **constants: Any,
    ):  # fmt: skip
        if args and all(isinstance(a, Joint) for a in args[:2]):
            self.speaks_of = args[:2]
            args = (*_wheels(name, *args[:2], alike=radii is not None), *args[2:])
        if pressure_angle is not None and radii is None:
            raise ModelError(
                f"Gear {name!r} got pressure_angle= without radii=; give the radii of its pitch circles",
                code="missing-argument", name=name,
            )  # fmt: skip
        what = f"pressure_angle of Gear {name!r}"
        self.pressure_angle = 0 if pressure_angle is None else check_number(pressure_angle, what, non_negative=True)
        self.radii = None
        if radii is not None:
            if "ratio" in constants:
                raise ModelError(
                    f"Gear {name!r} got ratio and radii; give one of them", code="contradictory-arguments", name=name
                )
            pair = components_of(radii, f"radii of Gear {name!r}", ("r_i", "r_j"))
            r_i, r_j = (check_number(r, f"radius of Gear {name!r}", positive=True) for r in pair)
            self.radii, constants["ratio"] = (r_i, r_j), r_j / r_i
        self._phased = "phase" in constants
        super().__init__(name, *args, **constants)

    def check_dimension(self) -> None:
        super().check_dimension()
        if self.radii is None and self.dimension == 3 and len(self.markers) != 4:
            four = "four markers (wheel, wheel, and one on the carrier for each)"
            remedy = "write Gear(name, joint_a, joint_b, ratio=...)"
            raise ModelError(
                f"{self.who} in space needs the joints of both wheels, or {four}; {remedy}",
                code="no-carrier", subject=self.who,
            )  # fmt: skip

    @staticmethod
    def phi(
        i: FormMarker, j: FormMarker, carrier: FormMarker | None = None, other: FormMarker | None = None,
        *, ratio: sp.Expr, mesh: str, phase: sp.Expr,
    ) -> list[sp.Expr]:  # fmt: skip
        return [_coupled(i, j, carrier, other, ratio=ratio, mesh=mesh) - phase]

    # --- teeth ---

    @property
    def _sense(self) -> int:
        return 1 if self.values["mesh"] == "external" else -1

    def finish(self) -> None:
        if self.radii is None:
            return super().finish()
        self.units = ("m",)
        r_i, r_j = map(as_sympy, self.radii)
        if len(self.markers) < 4 or self.markers[2].body is not self.markers[3].body:
            self.markers = self.markers[:2]
            i, j = (m.placed for m in self.markers)
            x, y = _direction(i, j)
            start = sp.S.Zero if _is_nothing(x) and _is_nothing(y) else sp.atan2(y, x) + i.turn
            ratio = self._sense * r_j / r_i
            relation, numbers = _rolling(self.dimension), {"sense": self._sense, "start": start}
            phase = (1 + ratio) * i.turn + ratio * the.turn(i, j)
        else:
            numbers = self._pitch(r_i, r_j)
            relation = _carried(self.dimension, bool(numbers.pop("bevel")))
            i, j, c, o = (m.placed for m in self.markers)
            phase = the.turn(c, i) + numbers["sense"] * r_j / r_i * the.turn(o, j)
        if not self._phased:
            self.values = Constants({**self.values, "phase": 0.0 if _is_nothing(phase) else phase})
        slots = {slot(name): number for name, number in numbers.items()}
        self._complete(relation, {R_I: r_i, R_J: r_j, PHASE: self.values["phase"], **slots})
        return None

    def _pitch(self, r_i: sp.Expr, r_j: sp.Expr) -> dict[str, Any]:
        """Return the constants of a gear whose axes a body carries."""
        sense, (c, o) = self._sense, (m.placed for m in self.markers[2:])
        if self.dimension == 2 or _is_nothing(_square(c.axis.cross(o.axis))):
            facing = 1 if self.dimension == 2 else sp.sign(c.axis.dot(o.axis))
            across = 1 / (r_i + sense * r_j) if not _is_nothing(r_i + sense * r_j) else sp.S.Zero
            return {"sense": sense * facing, "across": across, "h_i": 0, "h_j": 0, "bevel": False}
        # the apex, from either marker: c + e_i a_c and o + e_j a_o are as near as points of the axes can be
        between, cosine = o.point - c.point, c.axis.dot(o.axis)
        sine = sp.sqrt(_square(c.axis.cross(o.axis)))
        e_i = (between.dot(c.axis) - cosine * between.dot(o.axis)) / sine**2
        e_j = (cosine * between.dot(c.axis) - between.dot(o.axis)) / sine**2
        out_i, out_j = _outward(e_i), _outward(e_j)  # away from the apex, along the axes or against them
        first = sp.S.One if sense > 0 else sp.sign(r_i - r_j)  # the axis of a ring is between wheel and pitch point
        m_i, m_j = first * r_i, sense * first * r_j
        spread = out_i * out_j * cosine  # cos Σ, of the directions away from the apex
        cone_i, cone_j = (pitch_cone_height(m, n, spread, sine) for m, n in ((m_i, m_j), (m_j, m_i)))
        return {
            "sense": sense * out_i * out_j, "across": first * out_j / sine,
            "h_i": e_i + out_i * cone_i, "h_j": e_j + out_j * cone_j, "bevel": True,
        }  # fmt: skip

    def beside(self, elements: Iterable[Element]) -> Element:
        """Return the gear with a common bearing body of both wheels as its carrier; without one if there is none."""
        gear = self.bare or self
        if gear.radii is None or len(gear.markers) != 2:
            return self
        elements = [*elements]
        first, second = (bearings(elements, marker) for marker in gear.markers)
        both = [body for body in first if body in second and all(body is not m.body for m in gear.markers)]
        if not both:
            return gear
        body = min(both, key=lambda body: not body.fixed)
        carried = first[body], second[body]
        if self.markers[2:] == carried:
            return self
        other = gear._unfinished(markers=(*gear.markers, *carried), bare=gear)
        other.finish()
        return other

    # --- numbers ---

    @property
    def constants(self) -> Mapping[str, tuple[Number, str]]:
        if self.radii is None:
            return super().constants
        r_i, r_j = self.radii
        constants = {"r_i": (r_i, "m"), "r_j": (r_j, "m"), "phase": (self.values["phase"], "rad")}
        return {**constants, "pressure_angle": (self.pressure_angle, "rad")} if self.pressure_angle != 0 else constants

    def with_constant(self, name: str, value: Number) -> Self:
        if self.radii is None or name not in self.constants:
            return super().with_constant(name, value)
        r_i, r_j = (value if name == own else old for own, old in zip(("r_i", "r_j"), self.radii, strict=True))
        values = {**self.values, "ratio": r_j / r_i, **({"phase": value} if name == "phase" else {})}
        other = self._unfinished(
            radii=(r_i, r_j), values=Constants(values), _phased=self._phased or name == "phase",
            pressure_angle=value if name == "pressure_angle" else self.pressure_angle,
            bare=self.bare and self.bare.with_constant(name, value),
        )  # fmt: skip
        other.finish()
        return other

    def check_values(self, number: Any) -> None:
        super().check_values(number)
        if self.radii is None:
            return
        r_i, r_j = (check_number(number(r), f"radius of {self.who}", positive=True) for r in self.radii)
        angle = check_number(number(self.pressure_angle), f"pressure_angle of {self.who}", non_negative=True)
        if angle >= float(sp.pi / 2):
            raise ModelError(
                f"pressure_angle of {self.who} is {angle:g} rad, a right angle or more; give radians",
                code="out-of-bounds", subject=self.who, angle=angle,
            )  # fmt: skip
        if len(self.markers) == 4:
            self._check_axes(number, r_i, r_j)
        elif START in self._form[1]:
            i, j = (m.placed for m in self.markers)
            if number(sp.sqrt(_square(_across(i, j.point - i.point)))) <= GEAR_DISTANCE * (r_i + r_j):
                what = f"the wheels of {self.who} stand in one place in the reference placement, and no body carries "
                raise ModelError(
                    f"{what}both; give position= to their bodies, or name the joints of both: Gear(name, A, B, ...)",
                    code="wheels-not-placed", subject=self.who,
                )  # fmt: skip

    def _check_axes(self, number: Any, r_i: float, r_j: float) -> None:
        c, o = (m.placed for m in self.markers[2:])
        between, size = o.point - c.point, r_i + r_j
        if self.dimension == 3 and self._form[0] is _carried(3, True):
            normal = c.axis.cross(o.axis)
            apart = abs(number(between.dot(normal) / sp.sqrt(_square(normal))))
            if apart > GEAR_DISTANCE * size:
                what = f"the axes of {self.who} pass each other {apart:.6g} m apart, so its wheels do not roll"
                raise ModelError(
                    f"{what}; let them meet in a point, or give ratio= in place of radii=", code="axes-do-not-meet"
                )
            return
        if self.dimension == 3 and (beside := abs(number(between.dot(c.axis)))) > GEAR_DISTANCE * size:
            what = f"the markers of the wheels of {self.who} are {beside:.6g} m apart along their axes"
            raise ModelError(
                f"{what}; put both into the middle plane of the teeth: joints with at= in one plane",
                code="wheels-not-in-plane",
            )  # fmt: skip
        self.check_distance(float(number(sp.sqrt(_square(_across(c, between))))), r_i, r_j)

    def check_distance(self, apart: float, r_i: float, r_j: float, when: str = "") -> None:
        """Check that pitch circles of these radii touch for axes at this distance, in m."""
        centre_distance = abs(r_i + self._sense * r_j)
        if not abs(apart - centre_distance) <= GEAR_DISTANCE * (r_i + r_j):
            sign = "+" if self._sense > 0 else "-"
            what = f"the axes of {self.who} are {apart:.6g} m apart{when}, and its radii are {r_i:.6g} and {r_j:.6g} m"
            rule = f"{self.values['mesh']} pitch circles touch at |r_i {sign} r_j| = {centre_distance:.6g} m"
            raise ModelError(
                f"{what}: {rule}; correct the radii, mesh= or the axes, or give ratio= of a train between",
                code="radii-do-not-meet", subject=self.who, apart=apart, when=when, r_i=r_i, r_j=r_j,
            )  # fmt: skip
        if centre_distance <= GEAR_DISTANCE * (r_i + r_j):
            raise ModelError(
                f"{self.who} has two wheels of {r_i:.6g} m on one axis; give ratio= of a clutch or a belt",
                code="wheels-on-one-axis", subject=self.who, r_i=r_i,
            )  # fmt: skip

    def check_free(
        self, number: Any, t: np.ndarray, apart: np.ndarray, beside: np.ndarray, aligned: np.ndarray
    ) -> None:
        """Check that the wheels stay in mesh along a motion. Arrays over the times t: `apart` and `beside` are the
        distance of the axes and the offset of the wheels along them in m, `aligned` is the cosine between the axes."""
        r_i, r_j = map(number, self.radii or ())
        worst = int(np.nanargmax(np.abs(apart - abs(r_i + self._sense * r_j)))) if t.size else 0
        for k in (0, worst)[: t.size]:
            self.check_distance(float(apart[k]), r_i, r_j, f" at t = {t[k]:.6g}")
        off = (np.abs(beside) > GEAR_DISTANCE * (r_i + r_j)) | (np.abs(aligned - 1.0) > GEAR_DISTANCE)
        if off.any():
            when = f"at t = {t[np.argmax(off)]:.6g}"
            what = f"the wheels of {self.who} are not in one plane with axes the same way round {when}"
            raise ModelError(
                f"{what}; name the joints of both wheels on the body that carries them, or correct the markers",
                code="axes-not-held", subject=self.who,
            )  # fmt: skip

    @property
    def distance(self) -> tuple[Reading, tuple[Marker, Marker]] | None:
        """A reading of the distance of the axes and its markers, if no body of the model holds this distance; else
        None."""
        if self.radii is None or len(self.markers) == 4:
            return None
        return _distance(self.dimension), cast(Any, self.markers)

    @property
    def turning(self) -> tuple[Relation, dict[sp.Symbol, Number]]:
        """The equation of poses alone: coupled angles, if a body carries both axes; else the gear's own form."""
        if self.radii is None or len(self.markers) != 4:
            return self._form
        ratio = self._form[1][SENSE] * as_sympy(self.values["ratio"])
        return _turning(self.dimension), {RATIO: ratio, PHASE: self.values["phase"]}

    @property
    def separation(self) -> tuple[Relation, dict[sp.Symbol, Number]]:
        """The rate in m/s at which teeth separate along the line of the separating force, and the values of its slots.
        Its markers are those of both wheels."""
        bevel = self.dimension == 3 and len(self.markers) == 4 and self._form[0] is _carried(3, True)
        relation, slots = _leaving(self.dimension, bevel), self._form[1]
        if not bevel:
            return relation, {SIDE: self._sense}
        c, o = (m.placed for m in self.markers[2:])
        between, cosine = o.point - c.point, c.axis.dot(o.axis)
        # the distance, in m, of the apex of the first wheel's pitch cone from the wheel's marker, along its axis
        apex = (between.dot(c.axis) - cosine * between.dot(o.axis)) / (1 - cosine**2)
        values = {**slots, APEX: apex, SIDE: as_sympy(slots[SENSE]) * sp.sign(as_sympy(slots[ACROSS]))}
        return relation, {s: values[s] for s in relation.slots}

    @property
    def drawn(self) -> dict[str, Number]:
        """The numbers for drawings: the pitch radii, and the distances of the circles from the markers, in m."""
        if self.radii is None:
            return {}
        slots = self._form[1]
        return {"r_i": self.radii[0], "r_j": self.radii[1], "h_i": slots.get(H_I, 0), "h_j": slots.get(H_J, 0)}


# --- relations ------------------------------------------------------------------------------------------------------


@cache
def _carried(dimension: int, bevel: bool) -> Relation:
    i, j, c, o = marker_symbols(4, dimension)
    between, d = o.point - c.point, i.point - j.point
    normal = sp.Matrix([-between[1], between[0]]) if dimension == 2 else c.axis.cross(o.axis if bevel else between)
    if bevel:
        d += H_I * i.axis - H_J * j.axis
    rolls = R_I * (the.turn(c, i) - PHASE) + SENSE * R_J * the.turn(o, j) + ACROSS * normal.dot(d)
    slots = (R_I, R_J, PHASE, SENSE, ACROSS, *((H_I, H_J) if bevel else ()))
    return Relation((i, j, c, o), (rolls,), slots=slots)


@cache
def _turning(dimension: int) -> Relation:
    i, j, c, o = marker_symbols(4, dimension)
    return Relation((i, j, c, o), (the.turn(c, i) + RATIO * the.turn(o, j) - PHASE,), slots=(RATIO, PHASE))


@cache
def _rolling(dimension: int) -> Relation:
    """Return the relation of two wheels that roll on each other, wherever their axes move."""
    i, j = marker_symbols(2, dimension)
    x, y = _direction(i, j)
    distance, arc = R_I + SENSE * R_J, SENSE * R_J * the.turn(i, j) - R_I * PHASE
    direction = Unwound(sp.atan2(y, x), START + arc / distance)
    return Relation((i, j), (arc - distance * (direction - START),), slots=(R_I, R_J, PHASE, SENSE, START))


@cache
def _leaving(dimension: int, bevel: bool) -> Relation:
    """Return n · (v_j - v_i) of both axes, with n along the line of centres, from a ring to its wheel. For bevel wheels
    the velocities are those in the pitch point P, and n, in the plane of both axes, is normal to P - apex."""
    i, j = marker_symbols(2, dimension)
    if not bevel:
        n = _across(i, j.point - i.point)
        return Relation((i, j), (), (SIDE * n.dot(j.velocity - i.velocity) / sp.sqrt(_square(n)),), slots=(SIDE,))
    towards = R_I * ACROSS * (j.axis - i.axis.dot(j.axis) * i.axis)  # from the first centre to P, r_i long
    P, n = i.point + H_I * i.axis + towards, SIDE * ((H_I - APEX) * towards - R_I**2 * i.axis)
    leaving = n.dot(j.velocity_at(P) - i.velocity_at(P)) / sp.sqrt(_square(n))
    return Relation((i, j), (), (leaving,), slots=(R_I, ACROSS, H_I, APEX, SIDE))


@cache
def _distance(dimension: int) -> Reading:
    i, j = marker_symbols(2, dimension)
    aligned = 1 if dimension == 2 else i.axis.dot(j.axis)
    offset = 0 if dimension == 2 else i.axis.dot(j.point - i.point)
    return Reading((i, j), (sp.sqrt(_square(_across(i, j.point - i.point))), as_sympy(offset), as_sympy(aligned)))


def _direction(i: FormMarker, j: FormMarker) -> tuple[sp.Expr, sp.Expr]:
    d = j.point - i.point
    return i.x_axis.dot(d), i.y_axis.dot(d)


def _across(i: Any, d: sp.Matrix) -> sp.Matrix:
    """Return the component of a vector normal to the axis of a marker."""
    return d if i.dimension == 2 else d - i.axis.dot(d) * i.axis


def _square(vector: sp.Matrix) -> sp.Expr:
    return as_sympy(vector.dot(vector))


def _is_nothing(e: Any) -> bool:
    """Return whether an expression is zero, up to roundoff of its numbers."""
    e = as_sympy(e)
    if e.free_symbols:
        return bool(sp.simplify(e) == 0)
    return e is sp.nan or abs(float(e)) < 1e-12


def _outward(to_apex: sp.Expr) -> int:
    """Return 1 if the axis points away from the apex, -1 if it points to it, 1 for a marker in the apex."""
    e = sp.simplify(to_apex)
    return -1 if not e.free_symbols and float(e) > 1e-12 else 1


def pitch_cone_height(radius: sp.Expr, other: sp.Expr, cosine: sp.Expr, sine: sp.Expr) -> sp.Expr:
    """Return L cos δ, the height of a pitch cone: r / tan δ, with tan δ = r sin Σ / (other + r cos Σ)."""
    return (other + radius * cosine) / sine


# --- carriers of wheels ---------------------------------------------------------------------------------------------


def bearings(elements: Iterable[Element], wheel: Marker) -> dict[Any, Marker]:
    """Return all bodies that pins join on the axis of a wheel, each with its marker on this axis."""
    pins = [element.feeling[:2] for element in elements if element.sketch == "pin"]
    places, seen = [wheel], {wheel.body: wheel}
    for place in places:
        for one, other in (*pins, *(pin[::-1] for pin in pins)):
            if one.body is place.body and on_one_axis(one, place) and other.body not in seen:
                seen[other.body] = other
                places.append(other)
    return seen


def on_one_axis(one: Marker, other: Marker) -> bool:
    """Return whether two markers of a body have one point, and in space one axis, up to roundoff."""
    pairs = [*zip(one.point, other.point, strict=True)]
    if one.body.dimension == 3:
        pairs += [(a[2], b[2]) for a, b in zip(one.frame, other.frame, strict=True)]
    return all(
        as_sympy(a - b).expand() == 0 if isinstance(a - b, sp.Basic) else isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)
        for a, b in pairs
    )


def _wheels(name: str, *joints: Any, alike: bool) -> tuple[Any, ...]:
    """Return the wheels of two joints, then their markers on the carriers; with `alike` both on one common body."""
    if len(joints) == 2 and joints[0] is joints[1]:
        raise ModelError(
            f"Gear {name!r} couples a joint with itself; name two revolute joints", code="joint-with-itself", name=name
        )
    if len(joints) != 2 or not all("angle" in joint.measures() for joint in joints):
        raise ModelError(
            f"Gear {name!r} couples two joints that have an angle; name two revolute joints",
            code="not-a-revolute", name=name,
        )  # fmt: skip
    common = [body for body in joints[0].bodies if body in joints[1].bodies]
    pairs = [joint.markers[::-1] if alike and joint.markers[1].body in common else joint.markers for joint in joints]
    wheels = tuple(markers[1] for markers in pairs)
    if alike and not common:
        return wheels
    return (*wheels, *(markers[0] for markers in pairs))
