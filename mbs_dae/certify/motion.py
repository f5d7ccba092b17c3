"""What is proven of a motion."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..compiled import System
from ..compiled.reading import Trajectory
from ..errors import counted
from .contraction import distance, factor, inverses, shift
from .equations import JACOBIAN, PHI, equations_of
from .intervals import Interval
from .matrices import middle_and_radius
from .tubes import ROOM, Search, _only


@dataclass(frozen=True)
class Gap:
    """A time in which nothing is proven: from one to another, and why."""

    begin: float
    end: float
    why: str

    def __str__(self) -> str:
        return f"t = {self.begin:.9g} ... {self.end:.9g}: {self.why}"


@dataclass(frozen=True, eq=False)
class MotionCertificate:
    """What is proven of a motion of `mbs.kinematics(..., certify=True)`: in each interval, at each time, there is exactly one pose
    within `radii` of a curve through the poses that were computed, and consecutive intervals have the same one at their common
    time. So between two times without a gap the motion is one, and does not leave its branch.

    Radii and errors are lengths: places, and angles times the model's own length, each coordinate by itself.

    >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.5, 0)}, rods={"rod": "AB"}, fixed="A")
    >>> motor = rod.add(mbs.Driver("motor", mbs.angle(rod.elements["A"]), 2 * mbs.t))
    >>> motion = mbs.kinematics(rod, np.linspace(0, np.pi, 25), certify=True)
    >>> found = motion.certificate
    >>> found.proven, len(found.gaps), bool(found.errors.max() < 1e-14)
    (True, 0, True)
    """

    title: str
    t: np.ndarray = field(repr=False)
    """The times of the result."""
    intervals: np.ndarray = field(repr=False)
    """Beginning and end of each that is proven, in order."""
    radii: np.ndarray = field(repr=False)
    """In each, no second pose is nearer to the curve than this."""
    gaps: tuple[Gap, ...]
    """What could not be proven, in order."""
    errors: np.ndarray = field(repr=False)
    """How far the poses of the result are from the true ones at most, at each time; infinite where that is not known."""
    tried: int = 0
    """How many intervals were tried."""
    redundant: int = 0
    """So many equations are taken to be implied by the others, as they are where lengths fit together exactly."""

    @property
    def proven(self) -> bool:
        """Whether the whole motion is proven."""
        return not self.gaps

    def __bool__(self) -> bool:
        return self.proven

    def __str__(self) -> str:
        begin, end = self.t[0], self.t[-1]
        most = self.errors[np.isfinite(self.errors)].max(initial=0.0)
        told = f"{counted(len(self.radii), 'interval')} from t = {begin:g} to {end:g}, poses exact to {most:.1e} m"
        if self.proven:
            return f"one motion, proven: {told}"
        return "\n".join([f"proven but for {counted(len(self.gaps), 'gap')}: {told}", *(f"  {gap}" for gap in self.gaps)])


def certified_motion(system: System, t: np.ndarray, motion: Trajectory) -> MotionCertificate:
    """Of poses of bodies at the times of `motion`, which are those of the result but for roundoff."""
    own, bodies = equations_of(system), system.cartesian
    scale = 1.0 / np.sqrt(bodies.weight)
    search = Search(own, scale, bodies.machine())
    if t.size > 1:
        search.run(motion)
    shown = [(*pair, radius) for proof in search.shown for *pair, radius in zip(proof.pieces.begin.t, proof.pieces.end.t, proof.radius, strict=True)]
    shown.sort()
    table = np.array(shown, dtype=float).reshape(-1, 3)
    errors = _errors(own, motion, scale)
    redundant = max(0, len(own.rows) - bodies.nv)
    return MotionCertificate(bodies.model.name, t, table[:, :2], table[:, 2], _gaps(search, own), errors, search.tried, redundant)


def _gaps(search: Search, own: object) -> tuple[Gap, ...]:
    """What was given up, what touches as one."""
    found = sorted(
        (float(a), float(b), bool(refused))
        for proof in search.open_
        for a, b, refused in zip(proof.pieces.begin.t, proof.pieces.end.t, proof.refused, strict=True)
    )
    merged: list[list[float]] = []
    for a, b, refused in found:
        if merged and a <= merged[-1][1]:
            merged[-1][1], merged[-1][2] = b, merged[-1][2] or refused
        else:
            merged.append([a, b, refused])
    return tuple(Gap(a, b, SWITCHES if refused else SINGULAR) for a, b, refused in merged)


SWITCHES = "a law that depends on the pose switches (Abs, Max, Piecewise, the end of a profile)"
SINGULAR = "the equations lose rank, or almost: branches of the motion may meet (a change point, a dead point)"


def _errors(own, motion: Trajectory, scale: np.ndarray) -> np.ndarray:  # type: ignore[no-untyped-def]
    """How far poses are from true ones, as `certificate` has it, all at once in boxes of one small radius."""
    from .charts import by_small_motions, opened
    from .intervals import up
    from .contraction import chosen_rows, holds

    layout, found = own.system.layout, []
    size = max(1, ROOM // (len(own.rows) * own.system.nv))
    for first in range(0, motion.t.size, size):
        part = Trajectory(*(x[first : first + size] for x in motion))
        t, q = Interval(part.t), Interval(np.ascontiguousarray(part.q.T))
        here = own.enclose(t, q, None, (PHI, JACOBIAN))
        middle = middle_and_radius(here.jacobian)[0]
        columns = middle.shape[2]
        rows = np.tile(np.arange(columns), (part.t.size, 1))
        if middle.shape[1] > columns:
            rows = np.stack([chosen_rows(np.nan_to_num(one), scale)[0] for one in middle])
        c = inverses(np.take_along_axis(middle, rows[:, :, None], axis=1))
        moved = shift(c, _only(here.phi, rows), scale)
        radius = np.where(np.isfinite(moved), 2.0 * moved, 0.0)
        wide = up(scale[:, None] * radius)
        tube = own.enclose(t, opened(layout, q, wide), None, (JACOBIAN,))
        beta = factor(c, _only(by_small_motions(layout, tube.jacobian, wide), rows), scale)
        good = holds(beta, moved, radius) & ~tube.refused & ~here.refused
        found.append(np.where(good, distance(beta, moved), np.inf))
    return np.concatenate(found)
