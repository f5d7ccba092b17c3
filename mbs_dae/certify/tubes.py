"""Motions that are proven: tubes around curves, in each of which lies exactly one motion.

Between two poses, at a and b, runs the third power q̂(t) with their velocities. At every t of [a, b] Krawczyk's operator is that
of the box about q̂(t), with one matrix C for all of them (`contraction`). Its β encloses Φ_u over the whole tube. What the
curve leaves of the equations is read from its middle m, with h = b - a,

    Φ(t) = Φ(m) + Φ̇(m) (t - m) + ½ Φ̈(τ) (t - m)²,      Φ̇ = Φ_v v - ν,      Φ̈ = Φ_v v̇ - γ,

and enclosed by |C Φ(m)| + h/2 |C Φ̇(m)| + h²/8 |C Φ̈([a, b])|. Where a law of time may switch in [a, b] there is no such
expansion; there Φ itself is enclosed over the tube's axis, at every time.

So at every t there is exactly one pose in the box about q̂(t), by the implicit function theorem a continuous motion where the
equations are. At b, the tube that begins there has its box about the same pose, and all boxes are multiples of one: the smaller
lies in the larger, and so what is the only pose in the one is that in the other.

A tube that cannot be shown is halved, at a pose that Newton closes. How poses are found proves nothing and need not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from ..compiled.machine import DONE
from ..compiled.reading import Trajectory
from ..poses.newton import close, complete
from .certificate import check_driven
from .charts import Paths, by_small_motions, opened, paths_between
from .contraction import chosen_rows, distance, factor, holds, inverses, shift
from .equations import GAMMA, JACOBIAN, NU, PHI, Enclosure, Equations
from .intervals import Bounds, Interval, interval, up
from .matrices import middle_and_radius, times

DEEPEST = 30
"""A step is halved so often at most."""
ROOM = 2_000_000
"""So many entries of matrices side by side."""
PIECES, BESIDES = 12, 2000
"""So many pieces for each step are tried, and these besides, before what is left open is given up."""


@dataclass(frozen=True, eq=False)
class Pieces:
    """Steps from pose to pose, side by side: times, poses and velocities at both ends, and how often each was halved."""

    begin: Trajectory
    end: Trajectory
    depth: np.ndarray

    def __len__(self) -> int:
        return self.depth.size

    def only(self, which: np.ndarray) -> Pieces:
        ends = (Trajectory(*(x[which] for x in side)) for side in (self.begin, self.end))
        return Pieces(*ends, self.depth[which])

    def parts(self, size: int) -> Iterator[Pieces]:
        for first in range(0, len(self), size):
            yield self.only(np.arange(first, min(first + size, len(self))))


@dataclass(frozen=True, eq=False)
class Proof:
    """What became of pieces: the radius of a tube (nan where none was shown), and how far its motion is from its axis."""

    pieces: Pieces
    radius: np.ndarray
    error: np.ndarray
    refused: np.ndarray
    """Where a law of the state may switch."""


@dataclass(eq=False)
class Search:
    """Halving until everything is shown, or given up."""

    own: Equations
    scale: np.ndarray
    machine: object
    shown: list[Proof] = field(default_factory=list)
    open_: list[Proof] = field(default_factory=list)
    tried: int = 0

    def run(self, path: Trajectory) -> None:
        check_driven(self.own, len(self.own.rows))
        begin, end = (Trajectory(*(x[part] for x in path)) for part in (slice(None, -1), slice(1, None)))
        pieces = Pieces(begin, end, np.zeros(begin.t.size, dtype=int))
        most = PIECES * len(pieces) + BESIDES
        size = max(1, ROOM // (len(self.own.rows) * self.own.system.nv))
        while len(pieces):
            proofs = [prove(self.own, part, self.scale) for part in pieces.parts(size)]
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

    def _halved(self, pieces: Pieces, k: int) -> Pieces | None:
        """Both halves; None where no pose closes between."""
        system, machine = self.own.system, self.machine
        begin, end = (Trajectory(*(x[k] for x in side)) for side in (pieces.begin, pieces.end))
        t = 0.5 * (begin.t + end.t)
        if not begin.t < t < end.t:
            return None
        path = paths_of(self.own, pieces.only(np.array([k])))
        q = 0.5 * (path.begin + path.end)[:, 0] + 0.125 * (path.a + path.b)[:, 0]
        for first in system.layout.quaternions[:, 0]:
            q[first : first + 4] /= np.linalg.norm(q[first : first + 4])
        v, a = 0.5 * (begin.v + end.v), 0.0 * begin.a
        if close(machine, t, q, v, 20) != DONE or complete(machine, t, q, v, a) != DONE:
            return None
        sides = [(begin, (t, q, v, a)), ((t, q, v, a), end)]
        first, second = (Trajectory(*(np.stack([np.asarray(x) for x in pair]) for pair in zip(*(side[j] for side in sides), strict=True))) for j in (0, 1))
        return Pieces(first, second, np.full(2, pieces.depth[k] + 1))


def _of(proof: Proof, which: np.ndarray) -> Proof:
    at = np.flatnonzero(which)
    return Proof(proof.pieces.only(at), proof.radius[at], proof.error[at], proof.refused[at])


def joined(parts: list[Pieces]) -> Pieces:
    ends = ([getattr(part, side) for part in parts] for side in ("begin", "end"))
    both = (Trajectory(*(np.concatenate(xs) for xs in zip(*end, strict=True))) for end in ends)
    return Pieces(*both, np.concatenate([part.depth for part in parts]))


def paths_of(own: Equations, pieces: Pieces) -> Paths:
    layout, begin, end = own.system.layout, pieces.begin, pieces.end
    return paths_between(layout, (begin.t, end.t), (begin.q.T, end.q.T), (begin.v.T, end.v.T))


def prove(own: Equations, pieces: Pieces, scale: np.ndarray) -> Proof:
    """The tubes of pieces, as far as they can be shown without halving."""
    path, layout = paths_of(own, pieces), own.system.layout
    time = Interval(pieces.begin.t, pieces.end.t)
    axis, v, a = path.all()
    whole = own.enclose(time, axis, v, (PHI, JACOBIAN, GAMMA))
    rows, c, left = _middle(own, pieces, path, scale)
    moved = np.minimum(_left_over(own, whole, (rows, c, left), (v, a, path.h), scale), shift(c, _only(whole.phi, rows), scale))
    beta = factor(c, _only(whole.jacobian, rows), scale)
    with np.errstate(all="ignore"):
        radius = np.where(beta < 1.0, 2.0 * moved / (1.0 - beta) + 1e-12 * own.system.length, 1.0)
    possible = np.isfinite(radius) & (beta < 1.0) & ~whole.refused
    size = up(scale[:, None] * np.where(possible, radius, 0.0))
    tube = own.enclose(time, opened(layout, axis, size), None, (JACOBIAN,))
    beta = factor(c, _only(by_small_motions(layout, tube.jacobian, size), rows), scale)
    good = possible & ~tube.refused & holds(beta, moved, radius)
    error = np.where(good, distance(beta, moved), np.inf)
    return Proof(pieces, np.where(good, radius, np.nan), error, whole.refused | tube.refused)


def _middle(own: Equations, pieces: Pieces, path: Paths, scale: np.ndarray) -> tuple[np.ndarray, Bounds, tuple[Interval, Interval]]:
    """At the middle of each piece: the rows that determine the pose, C, and Φ and Φ̇ h/2."""
    q, v = path.middle()
    t = (interval(pieces.begin.t) + interval(pieces.end.t)).scaled(0.5)
    here = own.enclose(t, q, v, (PHI, JACOBIAN, NU))
    middle = middle_and_radius(here.jacobian)[0]
    columns = middle.shape[2]
    rows = np.tile(np.arange(columns), (len(pieces), 1))
    if middle.shape[1] > columns:
        rows = np.stack([chosen_rows(np.nan_to_num(one), scale)[0] for one in middle])
    c = inverses(np.take_along_axis(middle, rows[:, :, None], axis=1))
    moving = Interval(v.lower[:columns].T, v.upper[:columns].T)
    rate = times(here.jacobian, moving) - here.nu
    half = path.h.scaled(0.5)
    return rows, c, (_only(here.phi, rows), _only(rate * Interval(half.lower[:, None], half.upper[:, None]), rows))


def _only(x: Interval, rows: np.ndarray) -> Interval:
    """These rows of each lane."""
    at = rows if x.lower.ndim == 2 else rows[:, :, None]
    return Interval(np.take_along_axis(x.lower, at, axis=1), np.take_along_axis(x.upper, at, axis=1))


def _left_over(own: Equations, whole: Enclosure, by: tuple[np.ndarray, Bounds, tuple[Interval, Interval]], motion: tuple[Interval, ...], scale: np.ndarray) -> Bounds:
    """|C Φ| all along the axis, by its expansion about the middle; infinite where laws switch."""
    (rows, c, (value, rate)), (_, a, h) = by, motion
    columns = c.shape[-2]
    moving = Interval(a.lower[:columns].T, a.upper[:columns].T)
    square = (h * h).scaled(0.125)
    bend = (times(whole.jacobian, moving) - whole.gamma) * Interval(square.lower[:, None], square.upper[:, None])
    parts = [shift(c, x, scale) for x in (value, rate, _only(bend, rows))]
    total = up(up(parts[0] + parts[1]) + parts[2])
    return np.where(whole.switching | np.isnan(total), np.inf, total)
