"""Prove that there is exactly one pose near a given one, and find how far around it there is no second."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..arguments import as_state
from ..compiled import System
from ..coordinates import Layout
from ..errors import ModelError, counted
from ..public_class import PublicClass
from ..results.result import State
from ..tolerances import CLOSED_POSE_DISTANCE
from ..unit_system import equation, told
from .charts import box_about, by_small_motions, vector_of_product
from .equations import JACOBIAN, PHI, IntervalEquations, check_driven, equations_of
from .intervals import Interval, down, interval, times, up
from .operator import Operator, contracts, distance, operator_at

RADII = 2.0 ** -np.arange(0.0, 34.0, 2.0)
"""Radii to try, relative to the model's own length: from 1 down to some 2e-10."""
FINE = 2.0 ** np.arange(0.25, 2.0, 0.25)
"""Factors for finer trials, between the largest radius that holds and the next larger one."""


@dataclass(frozen=True, eq=False)
class Certificate(metaclass=PublicClass):
    """The proof of a pose: in the box -r s_k ≤ u_k ≤ r s_k about q, r being its radius, there is exactly one pose that
    satisfies the equations at time t, and it is no farther than `error` from q in this norm. u is a change of places
    and of angles (the plane), or of places and of w with e = ê ∘ (1, w/2) (in space, w a turn in body axes); s is 1 for
    lengths, and for turns 1 over the model's own length. So radius and error are lengths.

    A certificate that is not `proven` gives the reason in `why`; a pose may exist all the same.

    Both ways to assemble two rods of 5 m on a base of 6 m:

    >>> points = {"A": (0, 0), "B": (3, 4), "C": (6, 0)}
    >>> model = mbs.PlanarModel.from_points(points, rods={"a": "AB", "b": "BC"}, fixed="AC")
    >>> above = mbs.certificate(mbs.assemble(model))
    >>> below = mbs.certificate(mbs.assemble(model, fix={"a.B.y": -4.0}))
    >>> isinstance(above, mbs.Certificate), above.proven, above.error < 1e-13, above.radius > 0.5
    (True, True, True, True)
    >>> above.differs(below)
    True
    """

    title: str
    """Name of the model."""
    t: float
    q: np.ndarray = field(repr=False)
    """Coordinates of all bodies, those of the ground included."""
    proven: bool
    error: float
    """Bound of the distance from q to the true pose; infinite where nothing is proven."""
    radius: float
    """No other pose is nearer than this radius; 0 where nothing is proven."""
    scale: np.ndarray = field(repr=False)
    """s of each velocity: 1 for lengths, 1 over the model's own length for turns."""
    redundant: tuple[int, ...] = ()
    """Rows of the system that were left out, since as many others determine the pose. The others imply them as far as
    the lengths of the mechanism fit together exactly; their residuals at the true pose, which are enclosed, may be
    zero."""
    why: str = ""
    """The reason why nothing is proven; empty if the pose is proven."""
    system: System | None = field(default=None, repr=False)

    def __bool__(self) -> bool:
        return self.proven

    def __str__(self) -> str:
        if not self.proven:
            return f"not proven at {equation('t', self.t, 's')}: {self.why}"
        near, far = told(self.radius, "m", digits=3), told(self.error, "m", digits=2)
        what = f"exactly one pose within {near} at {equation('t', self.t, 's')}; it is less than {far} away"
        left = f"; {counted(len(self.redundant), 'equation')} of the others implied" if self.redundant else ""
        return what + left

    def differs(self, other: Certificate) -> bool:
        """Return whether both poses are proven to be different: the small boxes around them do not meet. (Attitudes in
        space are compared as matrices: e and -e are the same.)"""
        self._check(other)
        if not (self and other):
            return False
        a, b = self._numbers(self.error), other._numbers(other.error)
        return bool(((a.upper < b.lower) | (b.upper < a.lower)).any())

    def agrees(self, other: Certificate) -> bool:
        """Return whether both certificates, of one system and time, prove the same pose: the small box of one lies in
        the box in which the other pose is the only one."""
        self._check(other)
        if not (self and other):
            return False
        pairs = ((self, other), (other, self))
        same = self.system is other.system and self.t == other.t
        return same and any(a._inside(b) for a, b in pairs)

    def _check(self, other: object) -> None:
        if not isinstance(other, Certificate):
            raise ModelError(
                f"a certificate is compared with another one, not with {other!r}; ask mbs.certificate",
                code="not-a-certificate", other=other,
            )  # fmt: skip
        if self.system and other.system and [*self.system.model.bodies] != [*other.system.model.bodies]:
            names = f"{self.system.model.name!r} and {other.system.model.name!r}"
            raise ModelError(
                f"the certificates are of {names}, which have different bodies; compare poses of one model",
                code="unequal-bodies", model=self.system.model.name,
            )  # fmt: skip

    def _numbers(self, radius: float) -> Interval:
        """Enclose places, angles of the plane, and normalised products of the parameters of each attitude, over the box
        of a radius."""
        layout = self._layout
        box = box_about(layout, Interval(self.q[:, None]), up(radius * self.scale)[:, None])
        numbers = [box[place] for place in layout.plain[:, 0]]
        for first in layout.quaternions[:, 0]:
            e = [box[first + k] for k in range(4)]
            square = e[0] ** 2 + e[1] ** 2 + e[2] ** 2 + e[3] ** 2
            numbers += [e[i] * e[k] / square for i in range(4) for k in range(i + 1)]
        return Interval(np.concatenate([x.lower for x in numbers]), np.concatenate([x.upper for x in numbers]))

    def _inside(self, other: Certificate) -> bool:
        """Return whether the small box of the other lies in the large box of this one. For places, the bound is the sum
        of the change w from here to there and of the radius v. For attitudes, (1, w/2) ∘ (1, v/2) gives (w + v + ½ w ×
        v) / (1 - ¼ w·v), which is at most (|w_k| + v (1 + m)) / (1 - m v) with m = max |w_k| and |v_k| ≤ v."""
        here, there, small = interval(self.q), interval(other.q), interval(other.error) * interval(other.scale)
        most = small.upper.copy()
        places, at = self._layout.plain.T
        most[at] = (Interval((there[places] - here[places]).size) + small[at]).upper
        for first, to in self._layout.quaternions:
            e, f = ([q[first + k] for k in range(4)] for q in (here, there))
            scalar = sum((a * b for a, b in zip(e[1:], f[1:], strict=True)), e[0] * f[0])
            w = np.array([(x.scaled(2.0) / scalar).size for x in vector_of_product(e, f)])
            largest, v = Interval(w.max()), small[to]
            bound = (Interval(w) + v * (largest + 1.0)) / (1.0 - largest * v)
            most[to : to + 3] = np.where((bound.lower >= 0.0) & ((largest * v).upper < 1.0), bound.upper, np.inf)
        return bool((most <= down(self.radius * self.scale)).all())

    @property
    def _layout(self) -> Layout:
        assert self.system is not None
        return self.system.layout


def certificate(pose: State) -> Certificate:
    """Prove that a state is a pose, that there is exactly one there, and how far away the next one is.

    The proof holds for the mechanism with exactly the double numbers that stand in its equations. All freedom must be
    driven. For motions there is ``kinematics(..., certify=True)``.

    A rod that turns is 0.5 m long; a second pose, which there is none of, would be at least a tenth of a metre away:

    >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.5, 0)}, rods={"rod": "AB"}, fixed="A")
    >>> motor = rod.add(mbs.Driver("motor", mbs.angle(rod.elements["A"]), 2 * mbs.t))
    >>> found = mbs.certificate(mbs.assemble(rod, 0.1))
    >>> found.proven, found.error < 1e-14, found.radius > 0.1
    (True, True, True)
    """
    state = as_state(pose)
    if not isinstance(state, State):
        raise ModelError(
            f"a certificate is of a pose, not of {pose!r}; give a state, as of mbs.assemble(model, t)",
            code="not-a-pose", pose=pose,
        )  # fmt: skip
    return certified(state.system, state.t, state.full_q)


@np.errstate(all="ignore")  # NaN proves nothing
def certified(system: System, t: float, q: np.ndarray) -> Certificate:
    """Return the certificate of a pose of a system: q holds the system's coordinates, then those of the ground. The
    proof treats the bodies in Cartesian coordinates, whatever the system's own are.

    A model with freedom left at the pose is refused with a `ModelError`; where nothing can be shown (a dead point, a
    pose that is not closed), the certificate is not `proven` and gives the reason. The prepared equations stay with the
    system, so that calls for many poses cost evaluations only: some milliseconds for a few bodies.
    """
    bodies = system.cartesian
    if not system.is_cartesian:
        still = system.still[None]
        q = system.to_bodies((np.asarray(q, dtype=float)[None], still, still))[0][0]
    equations, q = equations_of(bodies), np.array(q, dtype=float)
    check_driven(equations)
    pose = Interval(np.array([float(t)])), Interval(q[:, None])
    operator = operator_at(equations, *pose)
    radius, error, shift = _radii(operator, *pose)
    why = _why_not(operator, radius, error, shift)
    others = np.setdiff1d(np.arange(len(equations.rows)), operator.rows[0])
    if not why and others.size and (bad := _contradicted(equations, pose, others, error)).size:
        names = ", ".join(sorted({bodies.rows[equations.rows[k]].element for k in bad}))
        why = f"there are more equations than freedoms, and those of {names} do not vanish where the others do"
    proof = (False, np.inf, 0.0) if why else (True, error, radius)
    redundant = () if why else tuple(int(k) for k in equations.rows[others])
    return Certificate(bodies.model.name, float(t), q, *proof, equations.scale, redundant, why, bodies)


def _why_not(operator: Operator, radius: float, error: float, shift: float) -> str:
    length, free = operator.equations.system.length, operator.equations.system.nv - int(operator.rank[0])
    if operator.enclosure.refused[0]:
        return "a law that depends on the pose switches here"
    if not np.isfinite([operator.enclosure.jacobian.lower, operator.enclosure.jacobian.upper]).all():
        return "the derivatives of the equations have no values in this pose"
    if free:
        return f"the equations lose rank here, and leave {counted(free, 'motion')} free"
    if not radius:
        return "the equations almost lose rank here, or are not closed: a dead point or a meeting of branches is near"
    if error > CLOSED_POSE_DISTANCE * length:
        return f"it is not a pose: the nearest one is about {shift:.1e} m away; close it first, with mbs.assemble"
    return ""


def _radii(operator: Operator, t: Interval, q: Interval) -> tuple[float, float, float]:
    """Return the largest radius at which exactly one pose is shown, 0 if there is none; a bound of the distance to that
    pose; and an estimate of the distance."""
    length, shift = operator.equations.system.length, float(operator.shift(operator.enclosure.phi)[0])
    radii = RADII * length
    beta = operator.factor_in(t, q, radii)
    good = contracts(beta, shift, radii)
    if not good.any():
        return 0.0, np.inf, shift
    largest, error = float(radii[good].max()), float(distance(beta[good], np.full(good.sum(), shift)).min())
    finer = largest * FINE
    good = contracts(operator.factor_in(t, q, finer), shift, finer)
    return float(finer[good].max(initial=largest)), error, shift


def _contradicted(
    equations: IntervalEquations, at: tuple[Interval, Interval], others: np.ndarray, error: float
) -> np.ndarray:
    """Return the rows left out that do not vanish at the true pose: Φ(0) + Φ_u u with |u| ≤ error does not contain
    zero."""
    t, q = at
    layout, radius = equations.system.layout, up(equations.scale[:, None] * error)
    enclosure = equations.enclose(t, q, None, (PHI,))
    there = equations.enclose(t, box_about(layout, q, radius), None, (JACOBIAN,))
    slopes = by_small_motions(layout, there.jacobian[:, others], radius)
    residual = enclosure.phi[:, others] + times(slopes, Interval(-radius.T, radius.T))
    return others[~residual.contains(0.0)[0]]
