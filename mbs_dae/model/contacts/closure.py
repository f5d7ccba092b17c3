"""A contact that stays closed, as a constraint on the motion."""

from collections.abc import Iterable
from dataclasses import replace

from ..joints.base import Condition
from .base import Contact


class Closure(Condition):
    """The constraint that some points of a contact have zero gap and some have zero slip, where they roll or stick."""

    def __init__(self, contact: Contact, gaps: Iterable[int], slips: Iterable[int] = ()):
        self.name, self.contact = f"{contact.name} (closed)", contact
        self.markers = contact.markers
        relation, slots = contact.form()
        self.closed, self.rolling = [*gaps], [*slips]
        still = [contact.slip_directions * k + way for k in self.rolling for way in range(contact.slip_directions)]
        rows = [*self.closed, *(contact.points + k for k in still)]
        self.units = tuple(contact.units[k] for k in rows)
        closed = replace(
            relation, phi=tuple(relation.phi[k] for k in self.closed), psi=tuple(relation.psi[k] for k in still)
        )
        self._complete(closed, slots)
