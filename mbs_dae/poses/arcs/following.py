"""The whole curve from its first place: in both directions, up to contacts that stop it."""

from __future__ import annotations

import numpy as np

from ...compiled.reading import Trajectory
from ...compiled.status import DONE, ENDLESS, HOME
from ...errors import ModelError
from ..dependence import joints_at_fault
from .singular import across
from .tracing import Traced, both_ways, comes_home, joined, traced
from .track import Place, Track

TOUCHES = 1e-9
"""Bodies overlap if a gap is less than minus this, relative to the extent of the model."""


def whole(track: Track, start: Place, both: bool, poses: int) -> tuple[Traced, tuple[str, ...], int]:
    """Return the curve through a place; the reasons why it ends, if it is open; and the number of the given place on
    it."""
    forth, end = _until_stopped(track, _onward(track, start, poses))
    if forth.ending == HOME:
        return forth, (), 0
    if not both:
        return forth, ("the start", end), 0
    back, beginning = _until_stopped(track, _onward(track, start.back(), poses))
    curve = both_ways(back, forth)
    moved = curve.path._replace(t=curve.path.t - curve.path.t[0])
    return curve._replace(path=moved), (beginning, end), back.path.t.size - 1


def _onward(track: Track, start: Place, poses: int) -> Traced:
    """Return the curve from a place onwards, across singular poses through which it is smooth."""
    one = traced(track, start, start, poses)
    while one.ending not in (HOME, ENDLESS) and (there := across(track, one.place(-1))) is not None:
        last = one.place(-1)
        both = (np.stack(pair) for pair in zip(last[1:], there[1:], strict=True))
        step = Trajectory(np.array([last.s, there.s]), *both)
        one = joined(one, Traced(step, DONE))
        count = one.path.t.size
        if comes_home(track, start, one.path, count):
            return one._replace(ending=HOME)
        if count >= poses:
            return one._replace(ending=ENDLESS)
        one = joined(one, traced(track, there, start, poses - count + 1))
    return one


def _until_stopped(track: Track, one: Traced) -> tuple[Traced, str]:
    """Return the curve up to a contact that stops it, and the reason why it ends."""
    if track.system.model.contacts and (stopped := _stopped(track, one)) is not None:
        return stopped
    if one.ending == HOME:
        return one, ""
    if one.ending == ENDLESS:
        return one, f"after {one.path.t.size} poses: more were not asked for"
    joints = joints_at_fault(track.system, track.t, one.path.q[-1])
    return one, f"a singular pose, in which {', '.join(joints)} depend on each other, and no smooth way on is found"


def _stopped(track: Track, one: Traced) -> tuple[Traced, str] | None:
    """Return the curve up to the first contact that closes, and the reason; None if none closes."""
    contacts = track.system.structure.contacts
    points = np.flatnonzero(contacts.gap >= 0)
    reader, places = track.system.reader_by(contacts.program), contacts.gap[points]
    held = one.path._replace(t=np.full(one.path.t.size, track.t))
    deep = reader(*held)[0][:, places] < -TOUCHES * track.machine.extent
    if not deep.any():
        return None
    k = int(deep.any(axis=1).argmax())
    which = int(points[deep[k].argmax()])
    contact = contacts.points[which][0]
    if k == 0:
        raise ModelError(f"{contact.who} overlaps in the pose that is followed; start at another one")

    def gap(place: Place) -> float:
        now = (np.array([track.t]), place.q[None], place.v[None], place.a[None])
        return float(reader(*now)[0][0, contacts.gap[which]])

    last = track.zero(gap, one.place(k - 1), one.place(k))
    path = one.path.until(k + (last is not None))
    if last is not None:
        for rows, own in zip(path, last, strict=True):
            rows[-1] = own
    return Traced(path, DONE), f"{contact.who} closes"
