"""Explanations of contacts that cannot be: bodies that overlap, and forces that no law of contact gives."""

from collections.abc import Sequence

import numpy as np

from ..compiled import System
from ..compiled.batch import PoseSequence
from ..compiled.contact_records import OPEN, PRESSED, STICKING, Contacts
from ..compiled.reading import Trajectory
from ..errors import IntegrationError, ModelError, counted
from ..linear.complementarity import SEVERAL, solve_complementarity
from ..model.contacts import Contact, Stop
from ..model.contacts.geometry import HalfSpace
from ..model.parameters import constants_out
from ..motion.contact.digits import put_masses
from ..motion.contact.forces import SHARED
from ..motion.contact.friction_faults import NO_FRICTION, frictions_at_fault, no_friction
from ..motion.mechanism import masses_of
from ..motion.record import IntegratorState
from ..motion.switching.search import RUSH
from ..poses.slips import degrees_of
from ..results.result import State
from ..symbolic.derive import Reading
from ..symbolic.functions import BentLookup, written_out
from ..tolerances import CONTACT_TOLERANCE, MASS_CONTRAST
from .explanation import Explanation

MOST = 3  # greatest number of contacts in a message
CORNER = "write a contact for each of its profile's parts(), round the corner by more points"
"""The advice for a point that comes to rest in a corner of a profile."""


def check_apart(state: State, begins: str = "begins", give: str = "give initial=", place: str = "place") -> None:
    """Refuse a state in which bodies overlap, where a motion `begins`; `give` is the instruction for giving a gap, and
    `place` for placing a body."""
    system = state.system.cartesian
    if not system.model.contacts:
        return
    contacts = system.structure.contacts
    values = system.reader_by(contacts.program)(np.array([state.t]), *state.motion)[0][0]
    gaps = np.where(contacts.gap >= 0, values[contacts.gap], np.inf)  # an element that only rubs never closes
    least = -CONTACT_TOLERANCE * system.gap_size
    if overlaps := [(int(k), -float(gaps[k])) for k in np.argsort(gaps) if gaps[k] < least]:  # the deepest first
        texts = [_overlap(state, k, depth, give, place) for k, depth in overlaps[:MOST]]
        texts += [f"and {counted(len(overlaps) - MOST, 'more point')} of contact"] if len(overlaps) > MOST else []
        names = tuple(dict.fromkeys(contacts.points[k][0].name for k, _ in overlaps))
        where = f"{system.model.name!r} {begins} at t = {state.t:.6g} with bodies that overlap"
        raise ModelError(
            f"{where}: {'; '.join(texts)}",
            code="contact-overlaps", model=system.model.name, time=state.t,
            contacts=names, pose=state,
        )  # fmt: skip


def note_on_overlap_at(state: State) -> str:
    """Return a sentence about overlaps in a pose that knows no forces."""
    return note_on_overlap(state.system.cartesian, Trajectory(np.array([state.t]), *state.motion))


def note_on_overlap(system: System, motion: Trajectory, swept: PoseSequence | None = None) -> str:
    """Return a sentence about overlaps in a motion, or in poses over a parameter: the first and the deepest overlap of
    each contact."""
    if not system.model.contacts:
        return ""
    contacts = system.structure.contacts
    points = np.flatnonzero(contacts.gap >= 0)
    gaps = system.reader_by(contacts.program, swept)(*motion)[0][:, contacts.gap[points]]
    over, name = (motion.t, "t") if swept is None else (np.array(swept.values), str(swept.parameter))
    texts, deep = [], gaps < -CONTACT_TOLERANCE * system.gap_size
    for k, gap, overlaps in zip(points, gaps.T, deep.T, strict=True):
        if not overlaps.any():
            continue
        first, most = over[overlaps.argmax()], over[gap.argmin()]
        contact, number = contacts.points[k]
        who, depth = point_of(system, int(k)), told_length(contact.units[number], -float(gap.min()))
        texts.append(f"{who} from {name} = {first:.6g} on, most by {depth} at {name} = {most:.6g}")
    return f"bodies overlap, for places know no forces: {'; '.join(texts)}" if texts else ""


def point_of(system: System, k: int) -> str:
    """Return the name of a point of contact: the contact, and which one of several points."""
    contact, number = system.structure.contacts.points[k]
    name = contact.point_name(number) if isinstance(contact, Contact) else ""
    return f"{contact.who} ({name})" if name else contact.who


def told_length(unit: str, length: float) -> str:
    return f"{1e3 * length:.3g} mm" if unit == "m" and length < 0.1 else f"{length:.3g} {unit}"


def _overlap(state: State, k: int, depth: float, give: str, place: str) -> str:
    """Return a text about the overlap of a point, and how to resolve it: move its body along the gradient of the gap,
    or give the gap at the beginning of the motion."""
    system = state.system.cartesian
    contact, number = system.structure.contacts.points[k]
    contacts, size = system.structure.contacts, system.model.dimension
    body = next(m.body for m in reversed(contact.markers) if not m.body.fixed)
    slope = system.reader_by(contacts.program).jacobian(state.t, state.full_q)[contacts.gap[k]].toarray()[0]
    along = slope[list(system.layout.v[body])[:size]]
    steep, remedy = float(np.linalg.norm(along)), f"{give}{{'{contact.name}.{contact.row_names[number]}': 0.0}}"
    if not np.isfinite(slope).all() or not slope.any():
        remedy = f"{place} {body.name!r} aside, to any side: from where it is no way out is shorter than another"
    elif steep > 0.0:
        direction = ", ".join(f"{x:.3g}" for x in np.round(along / steep, 9) + 0.0)
        walls = [shape for shape in contact.shapes if isinstance(shape.geometry, HalfSpace)]
        side = "".join(
            f", the {'y' if wall.dimension == 2 else 'z'} axis of the {wall.kind}"
            for wall in walls
            if wall.marker.body is not body
        )
        remedy = f"{place} {body.name!r} {depth / steep:.3g} m farther along ({direction}){side}, or {remedy}"
    if isinstance(contact, Stop):
        remedy = "; ".join([remedy, *degrees_of(contact, system.evaluator)])
    return f"{point_of(system, k)} by {told_length(contact.units[number], depth)}; {remedy}"


# --- runs that cannot go on ---------------------------------------------------------------------------------------


def touching_now(march: IntegratorState, system: System) -> list[str]:
    """Return the names of the closed contacts."""
    contacts = march.mechanism.contacts
    return _names(system, [k for k, gap in enumerate(contacts.gap_row) if gap >= 0 and contacts.state[k] != OPEN])


def without_forces(march: IntegratorState, pose: State) -> Explanation:
    """Explain why no forces of contacts, or impulses, satisfy the equations; friction is the cause if forces exist
    without it."""
    contacts, problem, name = march.mechanism.contacts, march.mechanism.contacts.problem, pose.system.model.name
    if lost := frictions_at_fault(pose.system, contacts):
        sentence, advice = no_friction(name, lost, pose.t)
        return Explanation(IntegrationError, NO_FRICTION, sentence, advice, pose.t, tuple(lost), pose)
    if pressed := [
        k for k, row in enumerate(contacts.gap_row) if row >= 0 and contacts.constrained.state[row] == PRESSED
    ]:
        return _squeezed(pose, _names(pose.system, pressed))
    names, rubs = _names(pose.system, _used(contacts)), bool(problem.mu[: problem.counts[0]].any())
    problem.mu[:] = 0.0
    problem.f[:] = 0.0
    if rubs and solve_complementarity(problem) <= SEVERAL:
        what = (
            f"at t = {pose.t:.6g} no forces of {' and '.join(names)} in {name!r} obey the law of friction: it pushes "
        )
        what += "bodies together by more than they give way, which rigid ones do not bear (Painlevé's paradox)"
        advice = (
            'take a smaller coefficient of friction, step over it: method="Moreau", step=1e-3, or put a spring with '
        )
        advice += "a damper in place of this contact"
    elif put_masses(contacts) < MASS_CONTRAST:
        return lost_in_roundoff(march, pose)
    else:
        return _squeezed(pose, names)
    return Explanation(IntegrationError, "painleve-paradox", what, advice, pose.t, tuple(names), pose)


def lost_in_roundoff(march: IntegratorState, pose: State) -> Explanation:
    """Explain why the forces of contacts have no certain value: roundoff exceeds the force that moves a light body."""
    points = _used(march.mechanism.contacts)
    names, light = _names(pose.system, points), _lightest(pose.system, points)
    few = names if len(names) <= 2 * MOST else [*names[:MOST], counted(len(names) - MOST, "more contact")]
    what = f"at t = {pose.t:.6g} the forces of {' and '.join(few)} in {pose.system.model.name!r} are lost in "
    what += f"roundoff: {light!r}, which they press against others, weighs or turns too little beside these"
    advice = f"give {light!r} more mass and inertia, or leave it out"
    return Explanation(IntegrationError, "lost-in-roundoff", what, advice, pose.t, tuple(names), pose)


def without_shares(march: IntegratorState, pose: State) -> Explanation:
    """Explain that frictions which stick and hold one load together do not settle on their shares of it."""
    contacts = march.mechanism.contacts
    points = [k for k in _used(contacts) if contacts.state[k] == STICKING and contacts.slip_count[k] > 0]
    names = _names(pose.system, points)
    what = f"at t = {pose.t:.6g} {' and '.join(names)} in {pose.system.model.name!r} stick and hold one load together, "
    what += f"and their shares of it do not settle in {SHARED} rounds"
    advice = "leave the friction of one joint out, change a coefficient of friction a little, or give smooth="
    return Explanation(IntegrationError, "shares-undecided", what, advice, pose.t, tuple(names), pose)


def _lightest(system: System, points: Sequence[int]) -> str:
    """Return the name of the body at these points with the least mass; with the least inertia if masses are close
    enough for the precision of forces."""
    touching = {marker.body for k in points for marker in system.structure.contacts.points[k][0].markers}
    heavy = {body: numbers for body, numbers in masses_of(system).items() if numbers[0] > 0.0}
    bodies = {body.name: numbers for body, numbers in heavy.items() if body in touching or touching.isdisjoint(heavy)}
    masses = [mass for mass, _ in bodies.values()]
    mass_or_inertia = 0 if min(masses) < MASS_CONTRAST * max(masses) else 1
    return min(bodies, key=lambda name: bodies[name][mass_or_inertia])


def _squeezed(pose: State, names: Sequence[str]) -> Explanation:
    what = f"at t = {pose.t:.6g} no forces of {' and '.join(names)} in {pose.system.model.name!r} keep the bodies "
    what += "apart: they are squeezed between others that do not give way, such as driven ones"
    advice = "let what moves them give way (a Motor or a Spring in place of a Driver), or stop before by an mbs.Event"
    return Explanation(IntegrationError, "bodies-squeezed", what, advice, pose.t, tuple(names), pose)


def note_on_kept_contacts(march: IntegratorState, system: System) -> str:
    """Return a sentence about contacts that carry no force because joints alone keep them closed."""
    reported = march.mechanism.contacts.constrained.reported
    if not (names := reported.size and _names(system, np.flatnonzero(reported).tolist())):
        return ""
    them, they = ("them", "they carry") if len(names) > 1 else ("it", "it carries")
    what = f"joints alone keep {' and '.join(names)} closed, and rigid bodies do not tell what presses there: as long "
    return f"{what}as they do {they} no force; leave {them} out, or let a joint give way (a Bushing)"


def knots_of_tables(pose: State, names: set[str]) -> list[str]:
    """Return texts about the table knots nearest to the pose, for contacts of these names whose tables have corners."""
    bodies, knots = pose.system.cartesian, list[str]()
    state = np.full(1, pose.t), *(x.reshape(1, -1) for x in pose.motion[:2])
    for element in bodies.structure.contacts.elements:
        if element.who not in names:
            continue
        form, slots = element.form()
        lookups = {e for x in form.expressions for e in written_out(x).atoms(BentLookup)}
        for symbol, place in {(slots[e.args[0]], e.args[2].xreplace(slots)) for e in lookups}:
            reading, constants = constants_out(Reading(form.markers, (place,), steps=form.steps))
            x, table = float(bodies.read_values(reading, constants, element.markers, *state)[0, 0]), symbol.table
            period = table.x[-1] - table.x[0] if table.periodic else 0.0
            turns = period * np.floor((x - table.x[0]) / period) if period else 0.0
            knot = table.x[np.argmin(np.abs(table.x - (x - turns)))]
            knots.append(f"at {knot:.6g} in the table of {element.who}")
    return sorted(set(knots))


def chatters(march: IntegratorState, pose: State, entries: Sequence[int]) -> Explanation:
    """Explain why contacts change without end."""
    contacts = pose.system.structure.contacts
    names = list(dict.fromkeys(contacts.switching[k] for k in entries))
    gaps = {int(first) for first, gap in zip(contacts.entry, contacts.gap, strict=True) if gap >= 0}
    presses = {*contacts.normal_entries.tolist()}
    closes, rubs = bool(gaps & {*entries}), bool({*entries} - gaps - presses)
    s = "s" * (len(names) == 1)
    does = [f"open{s} and close{s}"] * closes + [f"stick{s} and slip{s}"] * rubs
    does += [f"press{'es' * (len(names) == 1)} from side to side"] * bool(presses & {*entries})
    what = f"{' and '.join(names)} of {pose.system.model.name!r} {' and '.join(does)} without end at t = {pose.t:.6g}: "
    what += f"more than {RUSH} times in {np.ptp(march.search.times):.2g} s"
    advice = 'step over it: method="Moreau", step=1e-3'
    if not closes:
        advice += ", or smooth the friction"
    elif knots := knots_of_tables(pose, {*names}):
        what += f", next to the corner {' and '.join(knots)}"
        advice = f"{CORNER}, or {advice}"
    number = pose.system.evaluator
    if closes and any(number(one.restitution) > 0.0 for one in pose.system.model.contacts if one.who in names):
        advice += ", or restitution=0.0 if the restitution is small"
    return Explanation(IntegrationError, "chattering", what, advice, pose.t, tuple(names), pose)


def _used(contacts: Contacts) -> list[int]:
    """Return the points of the last problem."""
    rows = {int(row) for row in contacts.delassus.used[: contacts.delassus.used_count[0]]}
    first_rows = np.where(contacts.gap_row >= 0, contacts.gap_row, contacts.slip_row)
    return [k for k, row in enumerate(first_rows) if int(row) in rows]


def _names(system: System, points: Sequence[int]) -> list[str]:
    return list(dict.fromkeys(system.structure.contacts.points[k][0].who for k in points))
