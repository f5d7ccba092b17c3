"""Records of events and impacts, which happen at an instant of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ..errors import Names
from ..provided import provided
from ..public_class import PublicClass
from .names import components


@dataclass(frozen=True, eq=False)
class StoredState:
    """The readings at a moment, out of a file: ``state["slider.x"]``. No run begins there."""

    t: float
    values: Names[float] = field(repr=False)

    def __getitem__(self, name: str) -> Any:
        parts = () if name in self.values else components(name, self.values)
        return np.array([self.values[part] for part in parts]) if parts else self.values[name]


class Happening(NamedTuple):
    """An event of a run."""

    t: float
    name: str
    state: Any
    """A `State`, just before anything was reset; out of a file a `StoredState`, its numbers only (None out of older
    files)."""

    def d(self, name: str, by: Any) -> Any:
        """The derivative of what is read at the event by a parameter, or of the time of the event, ``event.d("t",
        "k")``, in a run with ``derivatives=``.

        It is the total derivative: with a parameter the event comes at another time, and there other values are read.
        (``result.d`` is that at a time that is held.)

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
    contacts: tuple[str, ...]
    """The contacts that pushed."""
    impulses: Mapping[str, np.ndarray]
    """The impulse that each joint, driver and contact exerts on its second body, in N s and N m s, with the components
    of `Result.reaction`."""
    energy_lost: float
    rests: float | None
    """The time at which all impacts are over, where this is the last one told apart of impacts without end."""
    before: Any = None
    after: Any = None
    """The `State` of the model just before it and just behind it: ``impact.after["ball.vy"]``. (Time stepping gives
    the ends of the step.) Out of a file a `StoredState`, its numbers only; None out of older files."""


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
    contact: str
    point: int
    """The number of its point, counted from 1."""
    before: str
    after: str
    """Its states, as those of `Result.modes`: "open", "closed", "sticks", "slips", "kept"."""
    state: Any
    """The `State` of the model behind the change; out of a file a `StoredState`, its numbers only."""


class Transition(TransitionRecord, metaclass=PublicClass):
    """A change of a contact, a friction or a stop in a run, as ``result.transitions`` lists them.

    A block that slides to rest, with 2 m/s on a floor that takes 5 m/s² away:

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
