"""Compliant contacts: the force follows from the penetration of bodies and its rate."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import log1p
from typing import Any, Self

import sympy as sp
from scipy.optimize import brentq

from ...errors import ModelError
from ...symbolic.derive import Reading, Relation
from ...symbolic.differentiation import Definition
from ...symbolic.loads import OF_POTENTIAL, Load
from ...symbolic.markers import rate_of, t, variables
from ...tolerances import RESTITUTION_SERIES, ROOT_SHIFT
from ..bodies.body import Marker, Place
from ..element import checked_name, slot
from ..fields import Law
from ..forces.base import ForceElement
from ..measures import written_in_markers
from ..parameters import Number, Numeric, as_sympy, check_number, constants_out, finite_number
from .coefficients import Rubbing, smoothed
from .shapes import Shape
from .touching import Touching


class CompliantContact(Touching, ForceElement):
    """Two bodies that are compliant where they touch: with the penetration δ = -g and its rate δ̇::

        F = k δⁿ (1 + λ δ̇) where δ > 0, and never less than zero          (Hunt and Crossley)

    for each gap g, defined by shapes or functions as in `Contact`. `stiffness` is k, in N/mⁿ, `exponent` is n (3/2
    after Hertz, 1 for a linear spring), `damping` is λ, in s/m. Instead of `damping`, `restitution` is the ratio of the
    velocities after and before an impact at the approach `speed`, in m/s: λ follows from these two for bodies on which
    no other forces act. The contact stores k δⁿ⁺¹/(n + 1) and dissipates the rest.

    `friction` is a coefficient, or a function of the speed of slip; `smooth` is the speed v, in m/s, over which
    friction builds up: bodies feel μ F s / √(s² + v²) against their slip s. Bodies creep under loads that friction
    balances, and never stick.

    `gap`, `slip` and `unit` define gaps by functions of markers, as in `Contact`.

    >>> model = mbs.PlanarModel("ball on a mat", gravity=(0, -10))
    >>> ball = model.body("ball", mass=1.0, inertia=0.004, position=(0, 0.1))
    >>> mat = mbs.CompliantContact("mat", mbs.Line(model.ground), mbs.Disk(ball, 0.1), stiffness=1e4)
    >>> lies = mbs.equilibrium(model.plus(mat))
    >>> print(round(lies["ball.y"], 6))  # δ = (m g / k)^(2/3) = 0.01
    0.09
    """

    equations = ()
    work = "dissipated"
    stiffness: Number
    exponent: float
    damping: Number

    def __init__(
        self,
        name: str,
        *things: Place | Shape,
        gap: Callable | None = None,
        slip: Callable | None = None,
        unit: str = "m",
        stiffness: Numeric,
        exponent: float = 1.5,
        damping: Numeric | None = None,
        restitution: float | None = None,
        speed: float | None = None,
        friction: Any = 0.0,
        smooth: Numeric | None = None,
    ):
        self.name = checked_name(name)
        self.stiffness = check_number(stiffness, f"stiffness of {self.who}", positive=True)
        self.exponent = finite_number(exponent, f"exponent of {self.who}")
        if self.exponent < 1:
            raise ModelError(
                f"exponent of {self.who} is {self.exponent:g}, infinitely stiff at touch; give 1 or more",
                code="out-of-bounds", argument="exponent", subject=self.who, exponent=self.exponent,
            )  # fmt: skip
        self.damping = self._damping(damping, restitution, speed)
        self.rubbing = Rubbing.said(self.who, ("friction", "static_friction"), friction, smooth=smooth)
        if self.has_friction and smooth is None:
            remedy = "give smooth=, the speed of slip over which it builds up, or take a Contact"
            raise ModelError(
                f"friction of {self.who} is a function of the motion, and cannot stick; {remedy}",
                code="law-cannot-stick", subject=self.who,
            )  # fmt: skip
        self._finish(*self._between(things, gap, slip, unit))

    def _finish(self, relation: Relation, slots: dict[sp.Symbol, Number], unit: str) -> None:
        if any(e.has(t) for e in relation.rows):
            what = f"a gap of {self.who} moves by itself, with time, and its springs would give energy that nobody gave"
            raise ModelError(
                f"{what}; let a body with a Driver carry what moves, or take a Contact",
                code="contact-moves", subject=self.who,
            )  # fmt: skip
        self._take(relation, slots, unit)
        self._acting = len(self.markers)
        self.markers, relation = self.rubbing.with_readings(relation, self.markers)
        load, law_slots, pushes = self._loaded(relation)
        load, numbers = constants_out(load)
        pushes, more = constants_out(pushes)
        self._told = pushes, {**slots, **law_slots, **more}
        self._complete(load, {**slots, **law_slots, **numbers})

    def never(self, change: str) -> str:
        """Return why a change never happens: see `ContactChanges`."""
        return "it is a force, without states; write its gap or its slip as when"

    @property
    def constants(self) -> Mapping[str, tuple[Number, str]]:
        constants = {"stiffness": (self.stiffness, f"N/m^{self.exponent:g}"), "damping": (self.damping, "s/m")}
        return {**super().constants, **constants, **self.rubbing.constants}

    def with_constant(self, name: str, value: Number) -> Self:
        rubs = name in self.rubbing.constants
        if not rubs and name not in ("stiffness", "damping"):
            return super().with_constant(name, value)
        changed = {"rubbing": self.rubbing.with_constant(name, value)} if rubs else {name: value}
        other = self._unfinished(**changed, markers=self.feeling)
        other._finish(*self._gaps, self.units[0])
        return other

    def _damping(self, damping: Any, restitution: Any, speed: Any) -> Number:
        if restitution is None and speed is None:
            return check_number(0 if damping is None else damping, f"damping of {self.who}", non_negative=True)
        if damping is not None or restitution is None or speed is None:
            raise ModelError(
                f"{self.who} is damped by damping=, or by restitution= at an approach with speed=",
                code="contradictory-arguments", subject=self.who,
            )  # fmt: skip
        e = finite_number(restitution, f"restitution of {self.who}")
        v = finite_number(speed, f"speed of {self.who}")
        if not 0 < e <= 1 or v <= 0:
            what = f"{self.who} has restitution {e:g} at speed {v:g}"
            raise ModelError(
                f"{what}; give a part of the speed, more than 0 and at most 1, and a positive speed",
                code="out-of-bounds", subject=self.who,
            )  # fmt: skip
        return damping_of(e) / v

    @property
    def told(self) -> tuple[Reading, dict[sp.Symbol, Number]]:
        return self._told

    def check_values(self, number: Callable[[Number], float]) -> None:
        super().check_values(number)
        check_number(number(self.stiffness), f"stiffness of {self.who}", positive=True)
        check_number(number(self.damping), f"damping of {self.who}", non_negative=True)
        self.rubbing.check_values(number)

    @property
    def size_is_read(self) -> bool:
        """Whether the coefficient of friction changes along a motion."""
        return self.has_friction and self.rubbing.is_read

    @property
    def size_reading(self) -> tuple[Reading, dict[sp.Symbol, Number], tuple[Marker, ...]]:
        """Return the reading of the coefficient of friction of each point, which is 0 for an open gap; the values of
        its slots, and its markers."""
        relation, slots = self._gaps
        relation = self.rubbing.with_readings(relation, self.feeling)[1]
        _, _, quantities = written_in_markers(self.rubbing.quantities, self.feeling, self.who)
        mu, smooth, sizes = self.rubbing.sliding, self.rubbing.smooth, list[sp.Expr]()
        for k, gap in enumerate(relation.phi):
            slips = relation.psi[self.slip_directions * k : self.slip_directions * (k + 1)]
            size = mu(smoothed(slips, smooth)[1]) if isinstance(mu, Law) else as_sympy(mu)
            sizes.append(sp.Piecewise((size.xreplace(quantities), gap < 0), (sp.S.Zero, True)))
        reading, numbers = constants_out(Reading(relation.markers, tuple(sizes), slots=relation.slots))
        return reading, {**slots, **numbers}, self.markers

    def _loaded(self, relation: Relation) -> tuple[Load, dict[sp.Symbol, Number], Reading]:
        """Return the load; the values of its slots; and the reading of the force along each row.

        With the rates (ġ, s) = J r of gaps and slips, markers feel Jᵀ (F, f).
        """
        mu = self.rubbing.sliding
        _, _, quantities = written_in_markers(self.rubbing.quantities, self.markers, self.who)
        constants = {"stiffness": self.stiffness, "damping": self.damping, "friction": mu}
        constants["smooth"] = self.rubbing.smooth
        slots = {slot(n): v for n, v in constants.items() if not isinstance(v, Law) and v != 0}
        stiffness, damping, coefficient, smooth = (slot(n) if slot(n) in slots else sp.S.Zero for n in constants)
        steps: list[Definition] = []

        def named(name: str, values: Sequence[sp.Expr]) -> list[sp.Expr]:
            symbols = [sp.Symbol(f"{name}{k}", real=True) if e != 0 else sp.S.Zero for k, e in enumerate(values)]
            steps.extend((s, e) for s, e in zip(symbols, values, strict=True) if e != 0)
            return symbols

        _, r = variables(relation.markers)
        rates = sp.Matrix([*(rate_of(gap, relation.markers) for gap in relation.phi), *relation.psi])
        J = sp.Matrix(rates.rows, len(r), named("J", list(rates.jacobian(r))))
        velocities = named("rate", list(J * sp.Matrix(r)))
        deep = named("depth", [sp.Max(-gap, 0) for gap in relation.phi])
        # δⁿ, continued as δ |δ|ⁿ⁻¹ to δ < 0: for a step that holds the branch of touch, until separation ends the step
        if self.exponent.is_integer():
            powers = [depth ** int(self.exponent) for depth in deep]
        else:
            powers = [depth * (depth**2 + ROOT_SHIFT) ** ((sp.Float(self.exponent) - 1) / 2) for depth in deep]
        spring = named("spring", [stiffness * power for power in powers])
        push = named("push", [k * sp.Max(1 - damping * v, 0) for k, v in zip(spring, velocities, strict=False)])
        rubs: list[sp.Expr] = []
        for k, force in enumerate(push if self.slip_directions else ()):
            first = self.points + self.slip_directions * k
            directions, speed = smoothed(velocities[first : first + self.slip_directions], smooth)
            size = force * (mu(speed).xreplace(quantities) if isinstance(mu, Law) else coefficient)
            rubs += [-size * direction for direction in directions]
        rubs = named("friction", rubs)
        losses = [force - k for force, k in zip(push, spring, strict=True)]
        forces = [(OF_POTENTIAL, tuple(J[: self.points, :].T * sp.Matrix(spring)))]
        if damping != 0 or rubs:
            forces.append(("dissipated", tuple(J.T * sp.Matrix([*losses, *rubs]))))
        energy = sp.Add(*(k * depth for k, depth in zip(spring, deep, strict=True))) / (self.exponent + 1)
        shared: Any = {"slots": (*relation.slots, *slots), "steps": tuple(steps)}
        load = Load(relation.markers, energy, tuple(forces), **shared)
        return load, slots, Reading(relation.markers, (*push, *rubs), **shared)


def damping_of(restitution: float) -> float:
    """Return λ v, for an approach with the speed v of bodies on which no other forces act.

    With x = λ v the motion m δ̈ = -k δⁿ (1 + λ δ̇) gives m δ̇ dδ̇ / (1 + λ δ̇) = -k δⁿ dδ, and the integrals of both
    sides vanish from touch (δ̇ = v) to separation (δ̇ = -e v):

        x (1 + e) = ln (1 + x) - ln (1 - e x),

    for any stiffness, exponent and masses. 0 < x < 1/e; for e near 1 the series of the logarithms gives x (1 + e³)/3 =
    (1 - e²)/2.
    """
    if restitution > 1.0 - RESTITUTION_SERIES:
        return 1.5 * (1.0 - restitution**2) / (1.0 + restitution**3)

    def surplus(x: float) -> float:
        return log1p(x) - log1p(-restitution * x) - x * (1 + restitution)

    least, most = 1 - restitution, (1 - 1e-15) / restitution
    if surplus(most) <= 0:  # the end of the interval, to roundoff
        return most
    return float(brentq(surplus, least, most, xtol=1e-15, rtol=1e-14))
