"""Circuits and branches of assembly modes: curves are followed from each mode, with one driver at a time released."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ...compiled import System
from ...errors import MbsError
from ...model.drivers import Driver
from ...modes.reached import Reached, Way, joined
from ...modes.result import AssemblyModes
from ...poses.arcs.curve import Curve
from ...poses.arcs.points import BranchPoint, TurningPoint
from ...results.result import State
from .follow import follow

SAME = 1e-6
"""Poses that differ by less, in lengths of the model and in radians, are equal."""
SHORT = 0.01
"""The step of `follow`, in lengths of the model, near a singular pose where the continuation is not clear."""
MOST = 24
"""The greatest number of branch points through which curves are followed from one mode."""


class LetGo(NamedTuple):
    """A quantity that is released."""

    name: str
    """The name of the quantity."""
    others: dict[str, float]
    """The values of quantities that remain held, by name."""
    driver: str | None
    """The name of the driver that held the quantity; None if a fixed value did."""


class Met(NamedTuple):
    """A mode on a curve."""

    s: float
    """The arc length of the mode on the curve, in m."""
    mode: int
    """The number of the mode."""
    piece: int
    """The number of the piece of the curve between dead points."""


class Gone(NamedTuple):
    """A followed curve, with the modes on it in their order along the curve."""

    curve: Curve
    """The curve that was followed."""
    met: list[Met]
    """The modes on the curve, in their order."""
    left: Gone | None = None
    """The curve that this one leaves in a branch point; None for the first curve."""
    at: BranchPoint | None = None
    """The branch point at which this curve leaves the other one."""

    def points(self) -> list[TurningPoint | BranchPoint]:
        """Return the singular poses of the curve in their order."""
        found: list[TurningPoint | BranchPoint] = [*self.curve.dead_points, *self.curve.branch_points]
        return sorted(found, key=lambda point: point.s)

    def ways(self) -> Iterator[Way]:
        """Yield the ways between neighbouring modes: along the curve, over the end of a lap, and from the curve that it
        left."""
        points = self.points()
        for a, b in zip(self.met, self.met[1:], strict=False):
            yield Way(a.mode, b.mode, tuple(point for point in points if a.s < point.s < b.s))
        if self.curve.closed and len(self.met) > 1:
            first, last = self.met[0], self.met[-1]
            around = [p for p in points if p.s > last.s] + [p for p in points if p.s < first.s]
            yield Way(last.mode, first.mode, tuple(around))
        if self.left and self.at and self.left.met and self.met:
            start, before = self.left.nearest(self.at.s)
            to, behind = self.nearest(0.0)
            system, at = self.curve.track.system, self.at.state
            behind = [point for point in behind if _apart(system, point.state, at) > SAME]
            yield Way(start, to, (*before[::-1], self.at, *behind))

    def nearest(self, s: float) -> tuple[int, list[TurningPoint | BranchPoint]]:
        """Return the mode nearest to an arc length, and the singular poses on the way there."""
        lap = self.curve.length
        shift = [0.0, lap, -lap] if self.curve.closed else [0.0]
        end, mode = min(((met.s + k, met.mode) for met in self.met for k in shift), key=lambda one: abs(one[0] - s))
        on_way = [(point.s + k, point) for point in self.points() for k in shift]
        on_way = [one for one in on_way if min(s, end) < one[0] < max(s, end)]
        return mode, [point for _, point in sorted(on_way, key=lambda one: abs(one[0] - s))]


def reached(modes: AssemblyModes) -> Reached:
    """Group modes into circuits and branches. Modes on one curve, or on curves that share branch points, lie on one
    circuit; modes between which the released quantity does not turn back lie on one branch."""
    count, ways, whole = len(modes), list[Way](), list[tuple[int, int]]()
    pieces: list[tuple[int, int]] = []
    unfollowed: list[str] = []
    for one in _led(modes) if count > 1 else ():
        seen: set[int] = set()
        for k in range(count):
            if k in seen:
                continue
            curves = Curves(modes, k, one)
            for gone in curves:
                seen |= {place.mode for place in gone.met}
                whole += [(k, place.mode) for place in gone.met]
                pieces += [(a.mode, b.mode) for a in gone.met for b in gone.met if a.piece == b.piece]
                ways += gone.ways()
            unfollowed += [f"{one.name} from mode {k}: {why}" for why in curves.unfollowed]
    return Reached(joined(count, whole), joined(count, pieces), tuple(ways), tuple(unfollowed))


def _led(modes: AssemblyModes) -> Iterator[LetGo]:
    """Yield the quantities that can be released."""
    for name in modes.fix:
        yield LetGo(name, {key: value for key, value in modes.fix.items() if key != name}, None)
    for driver in modes[0].system.model.drivers:
        if isinstance(driver, Driver) and not driver.measure.lowest:
            yield LetGo(f"{driver.name}.{driver.measure.levels[0]}", dict(modes.fix), driver.name)


class Curves:
    """The curves through a mode, and curves that leave them in branch points."""

    def __init__(self, modes: AssemblyModes, k: int, one: LetGo):
        self.modes, self.k, self.one = modes, k, one
        self.unfollowed: list[str] = []
        """Why some were not followed."""

    def __iter__(self) -> Iterator[Gone]:
        passed: list[State] = []
        curves = [Gone(curve, self._met(curve)) for curve in self._first()]
        while curves:
            gone = curves.pop()
            yield gone
            for point in gone.curve.branch_points:
                if any(_apart(self.modes[0].system, point.state, other) < SAME for other in passed):
                    continue
                passed.append(point.state)
                if len(passed) > MOST:
                    self.unfollowed.append(f"there are more than {MOST} branch points")
                    return
                for branch in range(len(point.tangents)):
                    if branch != point.along:
                        found = self._followed(start=point, branch=branch)
                        curves += [Gone(curve, self._met(curve), gone, point) for curve in found]

    def _first(self) -> list[Curve]:
        """Return the curve through the mode; all branches, if several meet in the mode."""
        one = self.one
        given = {"start": self.modes[self.k], "fix": one.others, "t": self.modes.t, "release": one.driver}
        return self._followed(**given)

    def _followed(self, **given: Any) -> list[Curve]:
        model, name = self.modes[0].system.model, self.one.name
        try:
            curve = follow(model, name, **given)
            if curve.undecided:
                curve = follow(model, name, step=SHORT, **given)
            self.unfollowed += [f"at {point.s:.6g} m of it {point.why}" for point in curve.undecided]
            return [curve]
        except MbsError as error:
            if branches := getattr(error, "branches", 0):
                return [curve for branch in range(branches) for curve in self._followed(**given, branch=branch)]
            self.unfollowed.append(str(error))
            return []

    def _met(self, curve: Curve) -> list[Met]:
        return _modes_on(self.modes, curve, self.one)


def _modes_on(modes: AssemblyModes, curve: Curve, one: LetGo) -> list[Met]:
    """Return the modes that a curve passes, in their order: where the released quantity has its value in the modes
    again."""
    dead = [point.s for point in curve.dead_points]
    found = []
    for place in curve.places_where(one.name, modes[0][one.name]):
        own = curve.at_rest(place)
        far = [_apart(modes[0].system, own, mode, modes.links) for mode in modes]
        piece = int(np.searchsorted(dead, place.s))
        if min(far) < SAME:
            found.append(Met(place.s, int(np.argmin(far)), piece % len(dead) if curve.closed and dead else piece))
    return found


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
