"""The whole curve from its first place: in both directions, up to contacts that stop it."""

from __future__ import annotations

import numpy as np

from ...compiled.reading import Trajectory
from ...compiled.status import DONE, ENDLESS, HOME
from ...errors import ModelError
from ...tolerances import CONTACT_TOLERANCE
from ..dependence import joints_at_fault
from .singular import across
from .tracing import CurvePoints, comes_home, concatenate, reversed_path, trace_curve
from .track import ArcPlace, ArcTrack


def follow_curve(track: ArcTrack, start: ArcPlace, both: bool, poses: int) -> tuple[CurvePoints, tuple[str, ...], int]:
    """Return the curve through a place; the reasons why it ends, if it is open; and the number of this place on it."""
    forth, end = _up_to_contact(track, _onward(track, start, poses))
    if forth.ending == HOME:
        return forth, (), 0
    if not both:
        return forth, ("the start", end), 0
    back, start_reason = _up_to_contact(track, _onward(track, start.back(), poses))
    curve = concatenate(reversed_path(back), forth)
    path = curve.path._replace(t=curve.path.t - curve.path.t[0])
    return curve._replace(path=path), (start_reason, end), back.path.t.size - 1


def _onward(track: ArcTrack, start: ArcPlace, poses: int) -> CurvePoints:
    """Return the curve from a place onwards, across singular poses through which it is smooth."""
    curve = trace_curve(track, start, start, poses)
    while curve.ending not in (HOME, ENDLESS) and (beyond := across(track, curve.place(-1))) is not None:
        last = curve.place(-1)
        ends = (np.stack(pair) for pair in zip(last[1:], beyond[1:], strict=True))
        step = Trajectory(np.array([last.s, beyond.s]), *ends)
        curve = concatenate(curve, CurvePoints(step, DONE))
        count = curve.path.t.size
        if comes_home(track, start, curve.path, count):
            return curve._replace(ending=HOME)
        if count >= poses:
            return curve._replace(ending=ENDLESS)
        curve = concatenate(curve, trace_curve(track, beyond, start, poses - count + 1))
    return curve


def _up_to_contact(track: ArcTrack, curve: CurvePoints) -> tuple[CurvePoints, str]:
    """Return the curve up to a contact that stops it, and the reason why it ends."""
    if track.system.model.contacts and (shorter := _first_contact(track, curve)) is not None:
        return shorter
    if curve.ending == HOME:
        return curve, ""
    if curve.ending == ENDLESS:
        return curve, f"after {curve.path.t.size} poses: more were not asked for"
    joints = joints_at_fault(track.system, track.t, curve.path.q[-1])
    return curve, f"a singular pose, in which {', '.join(joints)} depend on each other, and no smooth way on is found"


def _first_contact(track: ArcTrack, curve: CurvePoints) -> tuple[CurvePoints, str] | None:
    """Return the curve up to the first contact that closes, and the reason; None if none closes."""
    contacts = track.system.structure.contacts
    points = np.flatnonzero(contacts.gap >= 0)
    reader, places = track.system.reader_by(contacts.program), contacts.gap[points]
    at_time = curve.path._replace(t=np.full(curve.path.t.size, track.t))
    deep = reader(*at_time)[0][:, places] < -CONTACT_TOLERANCE * track.machine.gap_size
    if not deep.any():
        return None
    k = int(deep.any(axis=1).argmax())
    point = int(points[deep[k].argmax()])
    contact = contacts.points[point][0]
    if k == 0:
        raise ModelError(
            f"{contact.who} overlaps in the pose that is followed; start at another one",
            code="contact-overlaps", contact=contact.name,
        )  # fmt: skip

    def gap(place: ArcPlace) -> float:
        state = (np.array([track.t]), place.q[None], place.v[None], place.a[None])
        return float(reader(*state)[0][0, contacts.gap[point]])

    last = track.zero(gap, curve.place(k - 1), curve.place(k))
    path = curve.path.until(k + (last is not None))
    if last is not None:
        for rows, values in zip(path, last, strict=True):
            rows[-1] = values
    return CurvePoints(path, DONE), f"{contact.who} closes"
