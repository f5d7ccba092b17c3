"""Stabilisation of constraints at the end of every step. Compiled.

Baumgarte's method acts inside the acceleration (`derivative.accelerate`); projection acts here. The position is
corrected by Newton steps that are least in the norm of the masses, with the factor of the new pose: through a pose
where the constraints lose rank, an older factor would leave an error that no step size removes. Then the velocity is
brought back, in the same norm.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from ..compiled.machine import in_own_velocities, leave_out_velocity_rows, observe
from ..compiled.manifold import move
from ..compiled.status import DONE, NOT_CONVERGED, NOT_FINITE
from ..errors import ModelError
from ..kernels.abi import compiled, compiled_apart
from ..kernels.blocks import Integers, Vector, Work, block, zeros
from ..linear.vectors import all_finite
from ..model.parameters import finite_number
from ..poses.newton import correct_velocity, evaluate_and_factorise, newton_step
from ..public_class import PublicClass
from ..tolerances import (
    DECAY_PACE,
    GAIN_LIMIT,
    GAIN_MARGIN,
    PROJECTION_GAP,
    PROJECTION_REMAINDER,
    SINGULAR_DRIFT,
    SINGULAR_INDEPENDENCE,
)
from .derivative import leave_out_redundant, refinements, widest_gap
from .mechanism_record import NEAREST, Mechanism

NEVER, WHERE_NEEDED, ALWAYS = 0, 1, 2
"""When to project. Baumgarte's feedback needs projection in two places: near a singular pose, where it divides by a
number that vanishes there, and while contacts are closed or joints rub (`is_projected`)."""


class Stabilization(metaclass=PublicClass):
    """How a run keeps its constraints: a feedback in the accelerations, and whether states are projected."""

    when: ClassVar[int] = NEVER

    @property
    def gains(self) -> tuple[float, float] | None:
        """α and β; None where they follow the pace of the motion."""
        return 0.0, 0.0


@dataclass(frozen=True)
class Baumgarte(Stabilization):
    """γ* = γ - 2α (Φ_v v - ν) - β² Φ: constraint errors die out like a damped oscillator. Gains in 1/s; given
    one of them, the other is equal to it; given none, both are chosen from the step and the tolerance, and reported in
    ``result.stats``. Steps that come near a singular pose are projected as well, and their number is reported, too; so
    are steps in which contacts are closed or joints have friction.

    >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=2)
    >>> motion = mbs.simulate(rod, [0, 1], initial={"rod.omega": 2}, stabilization=mbs.Baumgarte(alpha=20))
    >>> motion.stats["stabilization"]
    'Baumgarte'
    >>> bool(motion.violation.position.max() < 1e-7)
    True
    """

    alpha: float | None = None
    beta: float | None = None
    when = WHERE_NEEDED

    @property
    def gains(self) -> tuple[float, float] | None:
        some = [gain for gain in (self.alpha, self.beta) if gain is not None]
        return (some[0], some[-1]) if some else None


@dataclass(frozen=True)
class Projection(Stabilization):
    """Positions and velocities are put back onto the constraints after every step, by the least change in the norm of
    the masses.

    >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=2)
    >>> motion = mbs.simulate(rod, [0, 1], initial={"rod.omega": 2}, stabilization=mbs.Projection())
    >>> bool(motion.violation.position.max() < 1e-15)
    True
    """

    when = ALWAYS


@dataclass(frozen=True)
class Unstabilized(Stabilization):
    """Nothing is done: the constraints hold at acceleration level only, and drift at the others.

    >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=2)
    >>> drift = [
    ...     mbs.simulate(rod, [0, 1], {"rod.omega": 2}, stabilization=how).violation.position[-1]
    ...     for how in (mbs.Unstabilized(), mbs.Projection())]
    >>> bool(drift[0] > 1e3 * drift[1])
    True
    """


STABILIZATIONS: tuple[type[Stabilization], ...] = (Baumgarte, Projection, Unstabilized)


def stabilization_of(given: object, projects: bool) -> Stabilization:
    """Return the stabilisation for a given one of `STABILIZATIONS`, its class, or None for the usual one of the
    method."""
    if given is None:
        return Projection() if projects else Baumgarte()
    how = given() if isinstance(given, type) and issubclass(given, STABILIZATIONS) else given
    if not isinstance(how, STABILIZATIONS):
        names = [f"mbs.{one.__name__}()" for one in STABILIZATIONS]
        raise ModelError(
            f"stabilization={given!r}; choose {', '.join(names[:-1])} or {names[-1]}",
            code="unknown-choice", argument="stabilization", value=given,
            choices=tuple(one.__name__ for one in STABILIZATIONS),
        )  # fmt: skip
    for name, gain in vars(how).items():
        if gain is not None and finite_number(gain, f"{name} of Baumgarte's method") < 0:
            raise ModelError(
                f"{name} of Baumgarte's method is {gain:g}, which drives errors up; give 0 or more",
                code="negative", argument=name, value=gain,
            )  # fmt: skip
    return how


class Stabiliser(NamedTuple):
    """How a run keeps its constraints, and the number of its projections."""

    when: int
    """When to project: NEVER, WHERE_NEEDED or ALWAYS."""
    gains: Work[Vector]
    """α and β of the accelerations (the same array as the mechanism's)."""
    rule: Vector
    """The largest gains over the pace of the motion, and times the step; 0 where gains are given."""
    projected: Work[Integers] = zeros(1)
    """The number of steps projected near singular poses."""


def new_stabiliser(how: Stabilization, mechanism: Mechanism, fixed: float, rate: float) -> Stabiliser:
    """Return a stabiliser with α and β as given, or α = β = ω for critical damping, ω being the pace of the motion: at
    every step where steps are controlled, at the first state where they are of one length (`fixed`).

    A method of order p that just meets a tolerance with steps h follows rates up to about rtol^(1/p) / h, with `rate`
    for the numerator; where the motion is faster than that, as it is for smooth stretches, ω is a few times this.
    """
    mechanism.gains[:] = how.gains or 0.0
    rule = (
        (DECAY_PACE, GAIN_LIMIT if fixed else min(GAIN_LIMIT, GAIN_MARGIN * rate)) if how.gains is None else (0.0, 0.0)
    )
    return block(Stabiliser(how.when, mechanism.gains, np.array(rule)))


@compiled
def adapt_gains(stabiliser: Stabiliser, pace: float, h: float) -> None:
    """Put gains for a step of this length, of a motion that changes at this pace (1/s).

    Gains must not follow 1/h alone: stages are off the constraints by a low power of h, and a feedback of c/h, whatever
    h, leaves an error of that low order; then steps shrink, gains grow, and so on.
    """
    if stabiliser.rule[0] > 0.0:
        stabiliser.gains[0] = stabiliser.gains[1] = min(stabiliser.rule[0] * pace, stabiliser.rule[1] / h)


@compiled
def is_projected(stabiliser: Stabiliser, mechanism: Mechanism) -> bool:
    """Return whether states of the step that was just made are put back onto the constraints. While contacts are closed
    or joints rub, the rates of joints are put back at the end of each step (`contact.keeping`), and with them what the
    feedback has begun: Φ̈ = -β² Φ from rest closes only β² h²/2 of a gap in a step h. So places are put back, too."""
    if stabiliser.when == WHERE_NEEDED:
        return near_singular(mechanism) or mechanism.contacts.choice.closed_count[0] > 0
    return stabiliser.when == ALWAYS


@compiled
def near_singular(mechanism: Mechanism) -> bool:
    """Return whether the step that was just made came near a singular pose."""
    return mechanism.nearness[NEAREST] < SINGULAR_INDEPENDENCE


@compiled
def drift_limit(mechanism: Mechanism) -> float:
    """Return the gap from which accelerations are worthless here: at a distance s (a sine) from a singular pose a gap
    counts 1/s³ (see `control`)."""
    return SINGULAR_DRIFT * mechanism.length * mechanism.nearness[NEAREST] ** 1.5


@compiled_apart
def project(mechanism: Mechanism, t: float, q: Vector, v: Vector) -> int:
    """Put q and v back onto the constraints, in place; return a status.

    The first step has the factor of the pose, so its error is its own square; the following ones keep that factor as
    long as each is much shorter than the one before.
    """
    machine = mechanism.machine
    pattern, velocity_rows = machine.pattern, machine.program.velocity_rows
    if pattern.m == 0:
        return DONE
    machine.factor.truncation[0] = 0.0
    previous = np.inf
    for _ in range(12):
        if previous == np.inf:
            if not evaluate_and_factorise(machine, t, q, v, velocity_rows > 0):
                return NOT_FINITE
            leave_out_redundant(mechanism)
        else:
            observe(machine, t, q, v)
            leave_out_velocity_rows(machine)
        newton_step(machine, refinements(mechanism))
        square = 0.0
        for k in range(pattern.n):
            square = max(square, mechanism.geometric[k] * machine.x[k] ** 2)
        in_own_velocities(machine)
        move(machine.manifold, q, machine.x)
        step = np.sqrt(square) / mechanism.length
        if not step <= 1.0:
            break
        left = step * step if previous == np.inf else step * step / previous
        if left <= PROJECTION_REMAINDER:
            status = project_velocity(mechanism, t, q, v)
            closed = widest_gap(mechanism) <= PROJECTION_GAP * mechanism.length  # rows that contradict others never are
            return status if closed or status != DONE else NOT_CONVERGED
        previous = step if previous == np.inf or step < 0.1 * previous else np.inf
    return NOT_CONVERGED


@compiled
def project_velocity(mechanism: Mechanism, t: float, q: Vector, v: Vector) -> int:
    """Correct v in place to Φ_v v = ν; return a status. The last factor belongs to the pose before places were
    corrected: one more refinement leaves an error of second order in this correction."""
    machine = mechanism.machine
    if machine.program.velocity_rows > 0:
        if not evaluate_and_factorise(machine, t, q, v, False):
            return NOT_FINITE
    else:
        observe(machine, t, q, v)
    correct_velocity(machine, v, refinements(mechanism) + 1)
    return DONE if all_finite(v) else NOT_FINITE
