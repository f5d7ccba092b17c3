"""The certificate of a motion."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..compiled import System
from ..compiled.reading import Trajectory
from ..errors import counted
from ..public_class import PublicClass
from ..results.result import Result
from ..unit_system import shown, size_of
from .equations import check_driven, equations_of
from .tubes import DEEPEST, TubeSearch, errors_of

SWITCHES = "a law that depends on the pose switches (Abs, Max, Piecewise, the end of a profile)"
UNFINISHED = "given up before the smallest pieces: bounds are wide here, or no pose was found; ask for more times"
SINGULAR = "the equations lose rank, or almost: branches of the motion may meet (a change point, a dead point)"


@dataclass(frozen=True)
class Gap:
    """A time span in which nothing is proven: its beginning, its end, and the reason."""

    begin: float
    end: float
    why: str

    def __str__(self) -> str:
        size, word = size_of("s", "t")
        unit = f" {word}" if size != 1.0 else ""
        return f"t = {self.begin / size:.9g} ... {self.end / size:.9g}{unit}: {self.why}"


@dataclass(frozen=True, eq=False)
class MotionCertificate(metaclass=PublicClass):
    """The proof of a motion of `mbs.kinematics(..., certify=True)`: in each interval, at each time, there is exactly
    one pose within `radii` of a curve through the poses that were computed, and consecutive intervals have the same one
    at their common time. So between two times without a gap the motion is one, and does not leave its branch.

    Radii and errors are lengths: places, and angles times the model's own length, each coordinate by itself.

    >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.5, 0)}, rods={"rod": "AB"}, fixed="A")
    >>> motor = rod.add(mbs.Driver("motor", mbs.angle(rod.elements["A"]), 2 * mbs.t))
    >>> motion = mbs.kinematics(rod, np.linspace(0, np.pi, 25), certify=True)
    >>> found = motion.certificate
    >>> isinstance(found, mbs.MotionCertificate), found.proven, len(found.gaps), bool(found.errors.max() < 1e-14)
    (True, True, 0, True)
    """

    title: str
    t: np.ndarray = field(repr=False)
    """Times of the result."""
    intervals: np.ndarray = field(repr=False)
    """Beginning and end of each proven interval, in order."""
    radii: np.ndarray = field(repr=False)
    """For each interval, a distance from the curve within which there is no second pose."""
    gaps: tuple[Gap, ...]
    """Time spans in which nothing could be proven, in order."""
    errors: np.ndarray = field(repr=False)
    """Bounds of the distance between the poses of the result and the true ones, at each time; infinite where none is
    known."""
    tried: int = 0
    """Number of intervals that were tried."""
    redundant: int = 0
    """Number of equations that are taken to be implied by the others, which holds where lengths fit together
    exactly."""

    @property
    def proven(self) -> bool:
        """Return whether the whole motion is proven."""
        return not self.gaps

    def __bool__(self) -> bool:
        return self.proven

    def __str__(self) -> str:
        begin, end = self.t[0], self.t[-1]
        most = self.errors[np.isfinite(self.errors)].max(initial=0.0)
        size, word = size_of("s", "t")
        span = f"t = {begin / size:g} to {end / size:g}" + (f" {word}" if size != 1.0 else "")
        off, metre = shown(most, "m")
        what = f"{counted(len(self.radii), 'interval')} from {span}, poses exact to {off:.1e} {metre}"
        if self.proven:
            return f"one motion, proven: {what}"
        return "\n".join(
            [f"proven but for {counted(len(self.gaps), 'gap')}: {what}", *(f"  {gap}" for gap in self.gaps)]
        )


@np.errstate(all="ignore")  # NaN proves nothing
def certified_motion(system: System, t: np.ndarray, motion: Trajectory) -> MotionCertificate:
    """Return the certificate of a motion; `motion` has poses of bodies, at the times t of the result up to roundoff."""
    equations, bodies = equations_of(system), system.cartesian
    check_driven(equations)
    search = TubeSearch(equations, bodies.machine())
    if t.size > 1:
        search.run(motion)
    tables = []
    for proofs in (search.shown, search.open_):  # rows: beginning, end, radius, whether a law refused, step, depth
        parts = [(p.pieces.begin.t, p.pieces.end.t, p.radius, p.refused, p.pieces.step, p.pieces.depth) for p in proofs]
        table = np.concatenate([np.zeros((0, 6)), *(np.array(part).T for part in parts)])
        tables.append(table[np.argsort(table[:, 0])])
    proven, gaps = tables[0], _gaps(tables[1])
    begins, ends = (np.array([getattr(gap, end) for gap in gaps]) for end in ("begin", "end"))
    inside = ((proven[:, :1] >= begins) & (proven[:, :1] < ends)).any(axis=1)  # no motion leads into a gap
    proven = proven[~inside]
    figures = errors_of(equations, motion), search.tried, max(0, len(equations.rows) - bodies.nv)
    return MotionCertificate(bodies.model.name, t, proven[:, :2], proven[:, 2], gaps, *figures)


def set_certificate(result: Result, certificate: MotionCertificate) -> None:
    """Attach the certificate to the result in place: a copy would evaluate all lazy quantities."""
    object.__setattr__(result, "certificate", certificate)


def _gaps(table: np.ndarray) -> tuple[Gap, ...]:
    """Merge open pieces that touch, or lie in one step, into one gap each."""
    merged: list[list[np.ndarray]] = []
    for row in table:
        before = merged[-1][-1] if merged else None
        if before is not None and (row[0] <= before[1] or row[4] == before[4]):
            merged[-1].append(row)
        else:
            merged.append([row])
    gaps = []
    for rows in map(np.array, merged):
        smallest = rows[rows[:, 5] == DEEPEST]  # the smallest pieces tell the reason, if there are any
        why = UNFINISHED if not len(smallest) else SWITCHES if smallest[:, 3].any() else SINGULAR
        gaps.append(Gap(float(rows[0][0]), float(rows[-1][1]), why))
    return tuple(gaps)
