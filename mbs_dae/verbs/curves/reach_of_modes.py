"""Circuits and branches of assembly modes: curves are followed from each mode, with one driver at a time released."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ...compiled import System
from ...errors import MbsError
from ...model.drivers import Driver
from ...modes.result import AssemblyModes, Connections, ModeTransition, connected_components
from ...poses.arcs.curve import Curve
from ...poses.arcs.points import BranchPoint, TurningPoint
from ...results.result import State
from ...tolerances import SAME_POSE
from .follow import follow

SHORT = 0.01
"""The step of `follow`, in lengths of the model, near a singular pose where the continuation is not clear."""
MOST = 24
"""The greatest number of branch points through which curves are followed from one mode."""


class Release(NamedTuple):
    """A quantity that is released."""

    name: str
    """The name of the quantity."""
    others: dict[str, float]
    """The values of quantities that remain held, by name."""
    driver: str | None
    """The name of the driver that held the quantity; None if a fixed value did."""


class ModeOnCurve(NamedTuple):
    """A mode on a curve."""

    s: float
    """The arc length of the mode on the curve, in m."""
    mode: int
    """The number of the mode."""
    piece: int
    """The number of the piece of the curve between dead points."""


class CurveOfModes(NamedTuple):
    """A followed curve, with the modes on it in their order along the curve."""

    curve: Curve
    """The curve that was followed."""
    modes: list[ModeOnCurve]
    """The modes on the curve, in their order."""
    parent: CurveOfModes | None = None
    """The curve that this one leaves in a branch point; None for the first curve."""
    at: BranchPoint | None = None
    """The branch point at which this curve leaves the other one."""

    def points(self) -> list[TurningPoint | BranchPoint]:
        """Return the singular poses of the curve in their order."""
        points: list[TurningPoint | BranchPoint] = [*self.curve.dead_points, *self.curve.branch_points]
        return sorted(points, key=lambda point: point.s)

    def ways(self) -> Iterator[ModeTransition]:
        """Yield the ways between neighbouring modes: along the curve, over the end of a lap, and from the curve that it
        left."""
        points = self.points()
        for a, b in zip(self.modes, self.modes[1:], strict=False):
            yield ModeTransition(a.mode, b.mode, tuple(point for point in points if a.s < point.s < b.s))
        if self.curve.closed and len(self.modes) > 1:
            first, last = self.modes[0], self.modes[-1]
            around = [p for p in points if p.s > last.s] + [p for p in points if p.s < first.s]
            yield ModeTransition(last.mode, first.mode, tuple(around))
        if self.parent and self.at and self.parent.modes and self.modes:
            start, before = self.parent.nearest(self.at.s)
            to, behind = self.nearest(0.0)
            system, at = self.curve.track.system, self.at.state
            behind = [point for point in behind if _apart(system, point.state, at) > SAME_POSE]
            yield ModeTransition(start, to, (*before[::-1], self.at, *behind))

    def nearest(self, s: float) -> tuple[int, list[TurningPoint | BranchPoint]]:
        """Return the mode nearest to an arc length, and the singular poses on the way there."""
        lap = self.curve.length
        shift = [0.0, lap, -lap] if self.curve.closed else [0.0]
        end, nearest = min(((m.s + k, m.mode) for m in self.modes for k in shift), key=lambda one: abs(one[0] - s))
        on_way = [(point.s + k, point) for point in self.points() for k in shift]
        on_way = [one for one in on_way if min(s, end) < one[0] < max(s, end)]
        return nearest, [point for _, point in sorted(on_way, key=lambda one: abs(one[0] - s))]


def connections(modes: AssemblyModes) -> Connections:
    """Group modes into circuits and branches. Modes on one curve, or on curves that share branch points, lie on one
    circuit; modes between which the released quantity does not turn back lie on one branch."""
    count, ways, whole = len(modes), list[ModeTransition](), list[tuple[int, int]]()
    pieces: list[tuple[int, int]] = []
    unfollowed: list[str] = []
    for release in _releases(modes) if count > 1 else ():
        seen: set[int] = set()
        for k in range(count):
            if k in seen:
                continue
            curves = Curves(modes, k, release)
            for curve in curves:
                seen |= {place.mode for place in curve.modes}
                whole += [(k, place.mode) for place in curve.modes]
                pieces += [(a.mode, b.mode) for a in curve.modes for b in curve.modes if a.piece == b.piece]
                ways += curve.ways()
            unfollowed += [f"{release.name} from mode {k}: {why}" for why in curves.unfollowed]
    circuits, branches = connected_components(count, whole), connected_components(count, pieces)
    return Connections(circuits, branches, tuple(ways), tuple(unfollowed))


def _releases(modes: AssemblyModes) -> Iterator[Release]:
    """Yield the quantities that can be released."""
    held: dict[str, float] = {name: np.float64(value) for name, value in modes.fix.items()}  # warns of no degrees
    for name in held:
        yield Release(name, {key: value for key, value in held.items() if key != name}, None)
    for driver in modes[0].system.model.drivers:
        if isinstance(driver, Driver) and not driver.measure.lowest:
            yield Release(f"{driver.name}.{driver.measure.levels[0]}", dict(held), driver.name)


class Curves:
    """The curves through a mode, and curves that leave them in branch points."""

    def __init__(self, modes: AssemblyModes, k: int, release: Release):
        self.modes, self.k, self.release = modes, k, release
        self.unfollowed: list[str] = []
        """Why some were not followed."""

    def __iter__(self) -> Iterator[CurveOfModes]:
        passed: list[State] = []
        release = self.release
        # the curve through the mode; all branches, if several meet in the mode
        first = self._follow(start=self.modes[self.k], fix=release.others, t=self.modes.t, release=release.driver)
        curves = [CurveOfModes(curve, _modes_on(self.modes, curve, release)) for curve in first]
        while curves:
            parent = curves.pop()
            yield parent
            for point in parent.curve.branch_points:
                if any(_apart(self.modes[0].system, point.state, other) < SAME_POSE for other in passed):
                    continue
                passed.append(point.state)
                if len(passed) > MOST:
                    self.unfollowed.append(f"there are more than {MOST} branch points")
                    return
                for branch in range(len(point.tangents)):
                    if branch != point.along:
                        for curve in self._follow(start=point, branch=branch):
                            curves.append(CurveOfModes(curve, _modes_on(self.modes, curve, release), parent, point))

    def _follow(self, **arguments: Any) -> list[Curve]:
        """Return the curve that `follow` finds for these arguments, or all branches of a start where curves meet."""
        model, name = self.modes[0].system.model, self.release.name
        try:
            curve = follow(model, name, **arguments)
            if curve.undecided:
                curve = follow(model, name, step=SHORT, **arguments)
            self.unfollowed += [f"at {point.s:.6g} m of it {point.why}" for point in curve.undecided]
            return [curve]
        except MbsError as error:
            if branches := getattr(error, "branches", 0):
                return [curve for branch in range(branches) for curve in self._follow(**arguments, branch=branch)]
            self.unfollowed.append(str(error))
            return []


def _modes_on(modes: AssemblyModes, curve: Curve, release: Release) -> list[ModeOnCurve]:
    """Return the modes that a curve passes, in their order: where the released quantity has its value in the modes
    again."""
    dead = [point.s for point in curve.dead_points]
    passages = []
    for place in curve.places_where(release.name, modes[0][release.name]):
        pose = curve.at_rest(place)
        far = [_apart(modes[0].system, pose, mode, modes.links) for mode in modes]
        piece = int(np.searchsorted(dead, place.s))
        if min(far) < SAME_POSE:
            passages.append(
                ModeOnCurve(place.s, int(np.argmin(far)), piece % len(dead) if curve.closed and dead else piece)
            )
    return passages


def _apart(system: System, one: State, other: State, links: tuple[tuple[str, ...], ...] = ()) -> float:
    """Return the distance of two poses in units of the model's length, without whole turns and the attitudes of
    `links`."""
    q, p = (state.full_q[: system.layout.q_size] for state in (one, other))
    step = system.between(q, p) * np.sqrt(system.weight) / system.length
    for name in (name for link in links for name in link):
        step[list(system.layout.v[system.model.bodies[name]])] = 0.0
    if system.model.dimension == 2:
        angles = system.layout.plain[:, 1].reshape(-1, 3)[:, 2]
        step[angles] -= 2 * np.pi * np.round(step[angles] / (2 * np.pi))
    return float(np.abs(step).max(initial=0.0))
