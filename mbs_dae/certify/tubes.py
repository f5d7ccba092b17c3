"""Proofs of motions: tubes around curves, in each of which lies exactly one motion.

Between two poses, at a and b, runs the cubic q̂(t) with their velocities. At every t of [a, b] Krawczyk's operator is
that of the box about q̂(t), with one matrix C for all of them (`operator`). Its β encloses Φ_u over the whole tube.
The residual along the curve is expanded about its middle m, with h = b - a,

    Φ(t) = Φ(m) + Φ̇(m) (t - m) + ½ Φ̈(τ) (t - m)²,      Φ̇ = Φ_v v - ν,      Φ̈ = Φ_v v̇ - γ,

and enclosed by |C Φ(m)| + h/2 |C Φ̇(m)| + h²/8 |C Φ̈([a, b])|. Where a law of time may switch in [a, b] there is no
such expansion; there Φ itself is enclosed over the tube's axis, at every time.

So at every t there is exactly one pose in the box about q̂(t), by the implicit function theorem a continuous motion
where the equations are. At b, the tube that begins there has its box about the same pose, and all boxes are multiples
of one: the smaller lies in the larger, so both contain the same pose.

A tube that cannot be shown is halved, at a pose that continuation reaches. The proof does not depend on how poses are
computed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..compiled.machine import Machine
from ..compiled.reading import Trajectory
from ..compiled.status import DONE
from ..poses.continuation import begin as start
from ..poses.continuation import go_on
from ..tolerances import BOX_RADIUS
from .charts import Paths, paths_between
from .equations import GAMMA, JACOBIAN, NU, PHI, Enclosure, IntervalEquations
from .intervals import Bounds, Interval, interval, times, up
from .operator import Operator, contracts, distance, operator_at

DEEPEST = 20
"""Greatest number of times that a step is halved."""
PIECES, LEAST_MORE, MOST_MORE, WORK = 30, 1_000, 20_000, 1_600_000
"""The search stops after PIECES tried pieces for each step and a number of further ones: WORK over the number of
entries of a matrix, between LEAST_MORE and MOST_MORE."""


@dataclass(frozen=True, eq=False)
class Pieces:
    """Steps from pose to pose, side by side: times, poses and velocities at both ends, and the number of times that
    each was halved."""

    begin: Trajectory
    end: Trajectory
    depth: np.ndarray
    step: np.ndarray
    """The number of the step that each piece is part of."""

    def __len__(self) -> int:
        return self.depth.size

    def only(self, which: np.ndarray) -> Pieces:
        begin, end = (Trajectory(*(x[which] for x in side)) for side in (self.begin, self.end))
        return Pieces(begin, end, self.depth[which], self.step[which])

    def parts(self, size: int) -> Iterator[Pieces]:
        for first in range(0, len(self), size):
            yield self.only(np.arange(first, min(first + size, len(self))))


@dataclass(frozen=True, eq=False)
class Proof:
    """Results for pieces: the radius of the tube, NaN where none was shown."""

    pieces: Pieces
    radius: np.ndarray
    refused: np.ndarray
    """True where a law of the state may switch, or β is infinite."""

    def only(self, which: np.ndarray) -> Proof:
        at = np.flatnonzero(which)
        return Proof(self.pieces.only(at), self.radius[at], self.refused[at])


@dataclass(eq=False)
class TubeSearch:
    """A search that halves pieces until all are shown, or given up."""

    equations: IntervalEquations
    machine: Machine
    shown: list[Proof] = field(default_factory=list)
    open_: list[Proof] = field(default_factory=list)
    tried: int = 0

    def run(self, path: Trajectory) -> None:
        begin, end = (Trajectory(*(x[part] for x in path)) for part in (slice(None, -1), slice(1, None)))
        pieces = Pieces(begin, end, np.zeros(begin.t.size, dtype=int), np.arange(begin.t.size))
        more = WORK // (len(self.equations.rows) * self.equations.system.nv)
        most = PIECES * len(pieces) + min(max(more, LEAST_MORE), MOST_MORE)
        while len(pieces):
            proofs = [prove(self.equations, part) for part in pieces.parts(self.equations.at_once)]
            self.tried += len(pieces)
            rest = []
            for proof in proofs:
                good = np.isfinite(proof.radius)
                again = ~good & (proof.pieces.depth < DEEPEST) & (self.tried < most)
                self.shown.append(proof.only(good))
                halves = [self._halves(proof.pieces, k) for k in np.flatnonzero(again)]
                stuck = np.flatnonzero(again)[[half is None for half in halves]]
                again[stuck] = False
                self.open_.append(proof.only(~good & ~again))
                rest += [half for half in halves if half is not None]
            pieces = concatenate(rest) if rest else pieces.only(np.zeros(0, dtype=int))

    def _halves(self, pieces: Pieces, k: Any) -> Pieces | None:
        """Return both halves of a piece; None if no pose closes between its ends."""
        begin, end = (Trajectory(*(x[k] for x in side)) for side in (pieces.begin, pieces.end))
        t = 0.5 * (begin.t + end.t)
        if not begin.t < t < end.t or (middle := self._pose_between(begin, end, t)) is None:
            return None
        depth, step = np.full(2, pieces.depth[k] + 1), np.full(2, pieces.step[k])
        begins, ends = (
            Trajectory(*map(np.stack, zip(*pair, strict=True))) for pair in ((begin, middle), (middle, end))
        )
        return Pieces(begins, ends, depth, step)

    def _pose_between(self, begin: Trajectory, end: Trajectory, t: float) -> Trajectory | None:
        """Return the pose at a time between two, reached by continuation that keeps clear of other branches, from the
        beginning or else from the end; None if neither reaches it."""
        machine, any_rank = self.machine, self.machine.pattern.m
        for side in (begin, end):
            start(machine, float(side.t), side.q, side.v, side.a)
            if go_on(machine, float(t), any_rank, any_rank) == DONE:
                here = machine.here
                return Trajectory(np.array(t), here.q.copy(), here.v.copy(), here.a.copy())
        return None


def concatenate(parts: list[Pieces]) -> Pieces:
    begin, end = (
        Trajectory(*(np.concatenate(xs) for xs in zip(*(getattr(part, side) for part in parts), strict=True)))
        for side in ("begin", "end")
    )
    depth, step = (np.concatenate([getattr(part, name) for part in parts]) for name in ("depth", "step"))
    return Pieces(begin, end, depth, step)


def paths_of(equations: IntervalEquations, pieces: Pieces) -> Paths:
    layout, begin, end = equations.system.layout, pieces.begin, pieces.end
    return paths_between(layout, (begin.t, end.t), (begin.q.T, end.q.T), (begin.v.T, end.v.T))


def prove(equations: IntervalEquations, pieces: Pieces) -> Proof:
    """Return the tubes of pieces, as far as they can be shown without halving."""
    path = paths_of(equations, pieces)
    time = Interval(pieces.begin.t, pieces.end.t)
    axis, v, a = path.all()
    whole = equations.enclose(time, axis, v, (PHI, JACOBIAN, NU, GAMMA))  # ν shows whether a slope jumps
    middle, speed = path.middle()
    half = (interval(pieces.begin.t) + interval(pieces.end.t)).scaled(0.5)
    operator = operator_at(equations, half, middle, speed, (NU,))
    shift = np.fmin(_residual(operator, whole, speed, a, path.h), operator.shift(whole.phi))
    beta = operator.factor(whole.jacobian)
    with np.errstate(all="ignore"):
        radius = np.where(beta < 1.0, 2.0 * shift / (1.0 - beta) + BOX_RADIUS * equations.system.length, np.inf)
    possible = np.isfinite(radius) & ~whole.refused & ~operator.enclosure.refused
    beta = operator.factor_in(time, axis, np.where(possible, radius, 0.0))
    good = possible & contracts(beta, shift, radius)
    return Proof(pieces, np.where(good, radius, np.nan), whole.refused | np.isposinf(beta))


def _residual(operator: Operator, whole: Enclosure, speed: Interval, a: Interval, h: Interval) -> Bounds:
    """Return a bound of |C Φ| along the whole axis, by the expansion about its middle; infinite where laws switch."""
    value, half, square = operator.enclosure.phi, h.scaled(0.5), (h * h).scaled(0.125)
    columns = operator.equations.system.nv  # the velocities of the ground come after those of Φ_v
    speed, a = (Interval(x.lower[:columns].T, x.upper[:columns].T) for x in (speed, a))
    rate = times(operator.enclosure.jacobian, speed) - operator.enclosure.nu
    bend = times(whole.jacobian, a) - whole.gamma
    parts = [operator.shift(x) for x in (value, rate * half[:, None], bend * square[:, None])]
    total = up(up(parts[0] + parts[1]) + parts[2])
    return np.where(whole.switching | np.isnan(total), np.inf, total)


def errors_of(equations: IntervalEquations, path: Trajectory) -> np.ndarray:
    """Return bounds of the distance between poses and the true ones, by the operator in boxes twice as large as its
    shift; infinite where none is shown."""
    errors = []
    for first in range(0, path.t.size, equations.at_once):
        t, q = (Interval(np.ascontiguousarray(x[first : first + equations.at_once].T)) for x in path[:2])
        operator = operator_at(equations, t, q)
        shift = operator.shift(operator.enclosure.phi)
        radius = np.where(np.isfinite(shift), 2.0 * shift, 0.0) + BOX_RADIUS * equations.system.length
        beta = operator.factor_in(t, q, radius)
        good = contracts(beta, shift, radius) & ~operator.enclosure.refused
        errors.append(np.where(good, distance(beta, shift), np.inf))
    return np.concatenate(errors)
