"""Motions that are proven: tubes around curves, in each of which lies exactly one motion.

Between two poses, at a and b, runs the third power q̂(t) with their velocities. At every t of [a, b] Krawczyk's
operator is that of the box about q̂(t), with one matrix C for all of them (`contraction`). Its β encloses Φ_u over
the whole tube. What the curve leaves of the equations is read from its middle m, with h = b - a,

    Φ(t) = Φ(m) + Φ̇(m) (t - m) + ½ Φ̈(τ) (t - m)²,      Φ̇ = Φ_v v - ν,      Φ̈ = Φ_v v̇ - γ,

and enclosed by |C Φ(m)| + h/2 |C Φ̇(m)| + h²/8 |C Φ̈([a, b])|. Where a law of time may switch in [a, b] there is no
such expansion; there Φ itself is enclosed over the tube's axis, at every time.

So at every t there is exactly one pose in the box about q̂(t), by the implicit function theorem a continuous motion
where the equations are. At b, the tube that begins there has its box about the same pose, and all boxes are multiples
of one: the smaller lies in the larger, and so what is the only pose in the one is that in the other.

A tube that cannot be shown is halved, at a pose that continuation leads to. How poses are found proves nothing and
need not.
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
from .charts import Paths, paths_between
from .contraction import distance, holds
from .equations import GAMMA, JACOBIAN, NU, PHI, Enclosure, Equations
from .intervals import Bounds, Interval, interval, up
from .matrices import times
from .operator import Operator, operator_at

DEEPEST = 20
"""A step is halved so often at most."""
LEAST = 1e-13
"""The least radius of a box, relative to the model's own length: above roundoff of what is computed in it."""
PIECES, LEAST_MORE, MOST_MORE, WORK = 30, 1_000, 20_000, 1_600_000
"""So many pieces for each step are tried, and more besides, before what is left open is given up: fewer the larger the
matrices, which have so many entries together."""


@dataclass(frozen=True, eq=False)
class Pieces:
    """Steps from pose to pose, side by side: times, poses and velocities at both ends, and how often each was
    halved."""

    begin: Trajectory
    end: Trajectory
    depth: np.ndarray
    step: np.ndarray
    """Of which step they are parts."""

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
    """What became of pieces: the radius of a tube (nan where none was shown)."""

    pieces: Pieces
    radius: np.ndarray
    refused: np.ndarray
    """Where a law of the state may switch."""


@dataclass(eq=False)
class Search:
    """Halving until everything is shown, or given up."""

    own: Equations
    machine: Machine
    shown: list[Proof] = field(default_factory=list)
    open_: list[Proof] = field(default_factory=list)
    tried: int = 0

    def run(self, path: Trajectory) -> None:
        begin, end = (Trajectory(*(x[part] for x in path)) for part in (slice(None, -1), slice(1, None)))
        pieces = Pieces(begin, end, np.zeros(begin.t.size, dtype=int), np.arange(begin.t.size))
        more = WORK // (len(self.own.rows) * self.own.system.nv)
        most = PIECES * len(pieces) + min(max(more, LEAST_MORE), MOST_MORE)
        while len(pieces):
            proofs = [prove(self.own, part) for part in pieces.parts(self.own.at_once)]
            self.tried += len(pieces)
            rest = []
            for proof in proofs:
                good = np.isfinite(proof.radius)
                again = ~good & (proof.pieces.depth < DEEPEST) & (self.tried < most)
                self.shown.append(_of(proof, good))
                halves = [self._halved(proof.pieces, k) for k in np.flatnonzero(again)]
                lost = np.flatnonzero(again)[[half is None for half in halves]]
                again[lost] = False
                self.open_.append(_of(proof, ~good & ~again))
                rest += [half for half in halves if half is not None]
            pieces = joined(rest) if rest else pieces.only(np.zeros(0, dtype=int))

    def _halved(self, pieces: Pieces, k: Any) -> Pieces | None:
        """Both halves; None where no pose closes between."""
        begin, end = (Trajectory(*(x[k] for x in side)) for side in (pieces.begin, pieces.end))
        t = 0.5 * (begin.t + end.t)
        if not begin.t < t < end.t or (middle := self._walked(begin, end, t)) is None:
            return None
        depth, step = np.full(2, pieces.depth[k] + 1), np.full(2, pieces.step[k])
        return Pieces(_stacked(begin, middle), _stacked(middle, end), depth, step)

    def _walked(self, begin: Trajectory, end: Trajectory, t: float) -> Trajectory | None:
        """The pose at a time between two, by steps that keep clear of other branches; from the beginning, or the
        end."""
        machine, any_rank = self.machine, self.machine.pattern.m
        for side in (begin, end):
            start(machine, float(side.t), side.q, side.v, side.a)
            if go_on(machine, float(t), any_rank, any_rank) == DONE:
                here = machine.here
                return Trajectory(np.array(t), here.q.copy(), here.v.copy(), here.a.copy())
        return None


def _stacked(first: Trajectory, second: Trajectory) -> Trajectory:
    return Trajectory(*(np.stack(pair) for pair in zip(first, second, strict=True)))


def _of(proof: Proof, which: np.ndarray) -> Proof:
    at = np.flatnonzero(which)
    return Proof(proof.pieces.only(at), proof.radius[at], proof.refused[at])


def joined(parts: list[Pieces]) -> Pieces:
    begin, end = (
        Trajectory(*(np.concatenate(xs) for xs in zip(*(getattr(part, side) for part in parts), strict=True)))
        for side in ("begin", "end")
    )
    depth, step = (np.concatenate([getattr(part, name) for part in parts]) for name in ("depth", "step"))
    return Pieces(begin, end, depth, step)


def paths_of(own: Equations, pieces: Pieces) -> Paths:
    layout, begin, end = own.system.layout, pieces.begin, pieces.end
    return paths_between(layout, (begin.t, end.t), (begin.q.T, end.q.T), (begin.v.T, end.v.T))


def prove(own: Equations, pieces: Pieces) -> Proof:
    """The tubes of pieces, as far as they can be shown without halving."""
    path = paths_of(own, pieces)
    time = Interval(pieces.begin.t, pieces.end.t)
    axis, v, a = path.all()
    whole = own.enclose(time, axis, v, (PHI, JACOBIAN, NU, GAMMA))  # ν tells whether a slope jumps
    middle, speed = path.middle()
    there = operator_at(own, (interval(pieces.begin.t) + interval(pieces.end.t)).scaled(0.5), middle, speed, (NU,))
    moved = np.fmin(_residual(there, whole, speed, a, path.h), there.shift(whole.phi))
    beta = there.factor(whole.jacobian)
    with np.errstate(all="ignore"):
        radius = np.where(beta < 1.0, 2.0 * moved / (1.0 - beta) + LEAST * own.system.length, np.inf)
    possible = np.isfinite(radius) & ~whole.refused & ~there.here.refused
    beta = there.factor_in(time, axis, np.where(possible, radius, 0.0))
    good = possible & holds(beta, moved, radius)
    return Proof(pieces, np.where(good, radius, np.nan), whole.refused | np.isposinf(beta))


def _residual(there: Operator, whole: Enclosure, speed: Interval, a: Interval, h: Interval) -> Bounds:
    """|C Φ| all along the axis, by its expansion about the middle; infinite where laws switch."""
    value, half, square = there.here.phi, h.scaled(0.5), (h * h).scaled(0.125)
    rate = times(there.here.jacobian, _moving(there, speed)) - there.here.nu
    bend = times(whole.jacobian, _moving(there, a)) - whole.gamma
    parts = [there.shift(x) for x in (value, rate * half[:, None], bend * square[:, None])]
    total = up(up(parts[0] + parts[1]) + parts[2])
    return np.where(whole.switching | np.isnan(total), np.inf, total)


def _moving(there: Operator, x: Interval) -> Interval:
    """Velocities of what moves, lane by lane."""
    columns = there.own.system.nv
    return Interval(x.lower[:columns].T, x.upper[:columns].T)


def errors_of(own: Equations, path: Trajectory) -> np.ndarray:
    """How far poses are from the true ones at most: by the operator in boxes twice as large as what it moves them."""
    found = []
    for first in range(0, path.t.size, own.at_once):
        t, q = (Interval(np.ascontiguousarray(x[first : first + own.at_once].T)) for x in path[:2])
        there = operator_at(own, t, q)
        moved = there.shift(there.here.phi)
        radius = np.where(np.isfinite(moved), 2.0 * moved, 0.0) + LEAST * own.system.length
        beta = there.factor_in(t, q, radius)
        good = holds(beta, moved, radius) & ~there.here.refused
        found.append(np.where(good, distance(beta, moved), np.inf))
    return np.concatenate(found)
