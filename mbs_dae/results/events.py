"""Records of events and impacts, which happen at an instant of a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, SupportsIndex, TypeVar, overload

import numpy as np

from ..errors import Names, check_name, shown_names, unknown_attribute
from ..provided import provided
from ..public_class import PublicClass
from .names import components

Entry = TypeVar("Entry")


class Log(tuple[Entry, ...]):
    """A tuple of events, impacts or transitions in the order of time; ``log["rub"]`` has those of one event or
    contact."""

    kind: str
    known: tuple[str, ...]
    """All names: also of what never happened."""

    def __new__(cls, entries: Iterable[Entry] = (), kind: str = "entry", known: Iterable[str] = ()) -> Log[Entry]:
        log = super().__new__(cls, entries)
        log.kind, log.known = kind, tuple(known)
        return log

    if not TYPE_CHECKING:  # a type checker refuses unknown attributes by itself

        def __getattr__(self, name: str) -> NoReturn:
            """Raise an error for an unknown attribute, with the names that the log takes."""
            kind, known = self.__dict__.get("kind", "entry"), sorted(self.__dict__.get("known", ()))
            takes = f"it takes the name of each {kind} in brackets, log[{name if name in known else 'name'!r}]"
            raise unknown_attribute(self, "the log of a run", name, f"{takes}: {shown_names(known)}")

    @overload
    def __getitem__(self, key: SupportsIndex) -> Entry: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[Entry, ...]: ...
    @overload
    def __getitem__(self, key: str) -> Log[Entry]: ...
    def __getitem__(self, key: Any) -> Any:
        name = getattr(key, "name", key)
        if not isinstance(name, str):
            return super().__getitem__(key)
        own = [_names_of(one) for one in self]
        check_name(self.kind, name, {*self.known}.union(*own), "the run")
        return Log((one for one, names in zip(self, own, strict=True) if name in names), self.kind, (name,))


def _names_of(entry: Any) -> tuple[str, ...]:
    """Return the names of the event or the contacts of an entry of a log."""
    if isinstance(entry, ImpactRecord):
        return entry.contacts
    return (entry.contact if isinstance(entry, TransitionRecord) else entry.name,)


def logs_of(
    events: Iterable[Happening], impacts: Iterable[Impact], transitions: Iterable[Transition],
    event_names: Iterable[str], contact_names: Iterable[str],
) -> dict[str, Any]:  # fmt: skip
    """Return the logs of a run, by the names of the fields of a `Result`."""
    contacts = tuple(contact_names)
    return {
        "events": Log(events, "event", event_names),
        "impacts": Log(impacts, "contact", contacts),
        "transitions": Log(transitions, "contact or friction", contacts),
    }


@dataclass(frozen=True, eq=False)
class StoredState:
    """The readings at an instant, from a file: ``state["slider.x"]``. No run can begin there."""

    t: float
    values: Names[float] = field(repr=False)

    def __getitem__(self, name: str) -> Any:
        parts = () if name in self.values else components(name, self.values)
        return np.array([self.values[part] for part in parts]) if parts else self.values[name]


class Happening(NamedTuple):
    """An event of a run, at the time `t`, in s, with the `name` of its `mbs.Event`."""

    t: float
    name: str
    state: Any
    """The `State` just before any reset; from a file a `StoredState` with the numbers only (None from older files)."""

    def d(self, name: str, by: Any) -> Any:
        """Return the derivative of a quantity at the event by a parameter, or of the time of the event, ``event.d("t",
        "k")``, in a run with ``derivatives=``.

        The derivative is total: with a parameter the time of the event changes, and with it the quantities.
        (``result.d`` is the derivative at a fixed time.)

        >>> model = mbs.PlanarModel("ball", gravity=(0, -10))
        >>> ball = model.body("ball", mass=1.0, inertia=0.1)
        >>> top = model.add(mbs.Event("top", when=model["ball.vy"], direction=-1))
        >>> thrown = mbs.simulate(model, [0, 1], initial={"ball.vy": 5.0}, derivatives=["ball.vy"])
        >>> (event,) = thrown.events  # at v/g, at the height v²/2g
        >>> round(event.d("t", "ball.vy"), 6), round(event.d("ball.y", "ball.vy"), 6)
        (0.1, 0.5)
        """
        return provided("Happening.d")(self, name, by)


class ImpactRecord(NamedTuple):
    """The fields of an `Impact`."""

    t: float
    """The time of the impact, in s."""
    contacts: tuple[str, ...]
    """The names of the contacts with an impulse."""
    impulses: Mapping[str, np.ndarray]
    """The impulse of each joint, driver and contact on its second body, in N s and N m s, with the components of
    `Result.reaction`."""
    energy_lost: float
    """The energy that the impact dissipates, in J."""
    rests: float | None
    """The time, in s, at which all impacts are over, if this is the last resolved one of infinitely many impacts; else
    None."""
    before: Any = None
    """The `State` of the model just before the impact (in time stepping: at the beginning of the step); from a file a
    `StoredState` with the numbers only; None from older files."""
    after: Any = None
    """The `State` just after the impact (in time stepping: at the end of the step), as `before`:
    ``impact.after["ball.vy"]``."""


class Impact(ImpactRecord, metaclass=PublicClass):
    """An impact of a run: bodies meet, and velocities jump.

    A ball that falls from 5 m meets the floor at 10 m/s after 1 s, and keeps half of its speed:

    >>> model = mbs.PlanarModel("ball", gravity=(0, -10))
    >>> ball = model.body("ball", mass=2, inertia=0.1, position=(0, 5))
    >>> floor = model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Point(ball), restitution=0.5))
    >>> impact = mbs.simulate(model, [0, 1.5]).impacts[0]
    >>> isinstance(impact, mbs.Impact), impact.contacts, round(impact.t, 6)
    (True, ('floor',), 1.0)
    >>> impact.impulses["floor"].round(6), round(impact.energy_lost, 6)  # 2 kg times (10 + 5) m/s; 100 J - 25 J
    (array([ 0., 30.,  0.]), 75.0)
    """

    __slots__ = ()


class TransitionRecord(NamedTuple):
    """The fields of a `Transition`."""

    t: float
    """The time of the change, in s."""
    contact: str
    """The name of the contact, friction or stop."""
    point: int
    """The number of its point, counted from 1."""
    before: str
    """The state before the change, as in `Result.modes`: "open", "closed", "sticks", "slips", "kept"."""
    after: str
    """The state after the change, as `before`."""
    state: Any
    """The `State` of the model just after the change; from a file a `StoredState` with the numbers only."""


class Transition(TransitionRecord, metaclass=PublicClass):
    """A change of a contact, a friction or a stop in a run, as ``result.transitions`` lists them.

    A block with 2 m/s slides to rest on a floor that decelerates it by 5 m/s²:

    >>> model = mbs.PlanarModel("block", gravity=(0, -10))
    >>> block = model.body("block", mass=1.0, inertia=0.1)
    >>> rub = model.add(mbs.Contact("rub", mbs.Line(model.ground), mbs.Point(block), friction=0.5))
    >>> run = mbs.simulate(model, [0, 1], {"block.vx": 2.0, "block.vy": 0.0, "block.omega": 0.0})
    >>> (change,) = run.transitions
    >>> isinstance(change, mbs.Transition), round(change.t, 6), change.contact, change.before, change.after
    (True, 0.4, 'rub', 'slips', 'sticks')
    >>> round(change.state["block.x"], 6)
    0.4
    """

    __slots__ = ()
