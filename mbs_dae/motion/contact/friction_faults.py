"""Frictions that have no value or are negative: which ones, and what a message says of them."""

from collections.abc import Mapping

import numpy as np

from ...compiled import System
from ...compiled.contact_records import Contacts
from ...compiled.contact_rows import observe_contacts
from ...compiled.contacts import GIVEN, ContactsBuilder
from ...model.contacts import Contact, Friction
from ...tolerances import CONTACT_TOLERANCE, NEGATIVE_FRICTION
from ..mechanism import mechanism

BOUNDED = "bound its expression below: sp.Max(0, ...)"
"""The remedy for friction that becomes negative."""


def frictions_at_fault(system: System, contacts: Contacts) -> dict[str, float]:
    """Return the contacts and frictions whose friction was no finite number when `contacts` were evaluated last, with
    nan; and the coefficients and forces of friction that were negative, with their values. A point that is apart has
    no friction."""
    laws, normals = contacts.laws, contacts.normals
    builder, last = system.structure.contacts, normals.factors.size - 1
    apart, found = CONTACT_TOLERANCE * system.gap_size, dict[str, float]()
    for k in np.flatnonzero(contacts.slip_count).tolist():
        curve = int(laws.coefficient[k]) if laws.coefficient.size else -1
        own = [curve, curve + 1] if curve >= 0 else []
        if contacts.gap_row[k] < 0:
            first, count = int(normals.output[k]), int(normals.components[k] * normals.row_count[k])
            own += range(first, first + max(count, 2))
        if not np.isfinite(normals.factors[[n for n in own if n <= last]]).all():
            found[builder.points[k][0].who] = np.nan
            continue
        given = contacts.gap_row[k] < 0 and normals.row_count[k] == 0
        at, row = curve if curve >= 0 else int(normals.output[k]) if given else -1, contacts.gap_row[k]
        if at >= 0 and (row < 0 or contacts.motion.phi[row] <= apart):
            sizes = normals.factors[at : at + 2]
            found |= _negative(builder, int(k), sizes, 1.0 if curve >= 0 else float(np.abs(sizes).max()))
    force = float(np.abs(laws.drag).max(initial=0.0))
    return dict(sorted((found | _negative_drags(builder, contacts, force)).items()))


def _negative_drags(builder: ContactsBuilder, contacts: Contacts, force: float) -> dict[str, float]:
    """Return the sizes of friction that builds up over a speed that were negative when `contacts` were evaluated last,
    by their names; `force` is the largest one on bodies."""
    laws = contacts.laws
    found = dict[str, float]()
    for k, element in enumerate(builder.drags):
        is_force, size = bool(laws.drag_is_force[k]), float(laws.drag[k])
        name = f"{'force' if is_force else 'friction'} of {element.who}"
        if size < -NEGATIVE_FRICTION * (max(float(laws.largest_drag[k]), force) if is_force else 1.0):
            found[name] = min(size, found.get(name, 0.0))
    return found


def _negative(builder: ContactsBuilder, k: int, sizes: np.ndarray, scale: float) -> dict[str, float]:
    """Return the sizes of friction of point k, of sliding and of rest, that are negative, by their names."""
    element, _ = builder.points[k]
    names = element.rubbing.names if isinstance(element, Contact | Friction) else ("force", "static_force")
    count = 1 if sizes[0] == sizes[1] else 2  # the size of rest is that of sliding, unless given
    both = zip(names[:count], map(float, sizes[:count]), strict=True)
    return {f"{name} of {element.who}": size for name, size in both if size < -NEGATIVE_FRICTION * scale}


def driving_frictions(system: System, contacts: Contacts, force: float) -> dict[str, float]:
    """Return the sizes of friction, with their values, for which `drives` ended a run."""
    laws = contacts.laws
    builder, found = system.structure.contacts, dict[str, float]()
    for k, sizes in enumerate(laws.sizes):
        if sizes.any():
            scale = 1.0 if laws.coefficient[k] >= 0 else max(float(laws.largest_sizes[k]), force)
            found |= _negative(builder, k, sizes, scale)
    return found | _negative_drags(builder, contacts, force)


def frictions_lost_at(system: System, t: float, q: np.ndarray, v: np.ndarray) -> dict[str, float]:
    """Return `frictions_at_fault` at the state (q, v) of bodies."""
    contacts = mechanism(system, asks=GIVEN).contacts
    observe_contacts(contacts, t, q, v)
    return frictions_at_fault(system, contacts)


NO_FRICTION = "friction-undefined-or-negative"
"""The code of errors for frictions without a value, or below zero."""


def no_friction(name: str, lost: Mapping[str, float], t: float, axis: str = "t") -> tuple[str, str]:
    """Return a sentence that these frictions of a model have no value at t, or negative ones, and a remedy; t is the
    time, or the value of the swept parameter with the name `axis`."""
    if negative := {who: size for who, size in lost.items() if size < 0.0}:
        sizes = " and ".join(f"the {who} is {size:.6g}" for who, size in negative.items())
        what = f"at {axis} = {t:.6g} {sizes} in {name!r}: friction that is negative drives what it should brake"
        return what, BOUNDED
    what = f"at {axis} = {t:.6g} the friction of {' and '.join(lost)} in {name!r} is not a finite number"
    return what, "correct its expression; a sp.Piecewise needs a last case for all else: (0.1, True)"
