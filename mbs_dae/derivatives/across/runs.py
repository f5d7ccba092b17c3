"""Runs that switch, and their results with derivatives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from ...compiled import System
from ...compiled.reading import Trajectory
from ...compiled.slopes import small_motions
from ...coordinates import JointCoordinates
from ...coordinates.joint.variation import has_coordinates
from ...duals import Dual
from ...model.joints.motions import Ball
from ...readings.motion import ComputedQuantities
from ...results.result import Result
from ..instants import MomentSlopes, set_moment
from ..parameters import Asked
from ..results import VariedMotion, set_varied
from ..variation import Variation
from .bodies import rows_of_bodies
from .crossing import Ending
from .following import Following


def is_to_be_followed(system: System, asked: Asked) -> bool:
    """Return whether derivatives are to be found as the run goes: its steps are in other coordinates than those of
    bodies, and do not tell derivatives (`has_own_steps`). Derivatives of other runs are made from their steps."""
    return not (system.is_cartesian or has_own_steps(system, asked))


def has_own_steps(system: System, asked: Asked) -> bool:
    """Return whether the steps of a run in other coordinates than those of bodies give its derivatives. In joint
    coordinates those of each joint of
    the tree are functions of the pose (`has_coordinates`), it has as many equations as it takes from its motions, and
    no parameter turns a marker of a ball; and bodies have the switching functions of the run, those of contacts among
    them."""
    if not isinstance(system.coordinates, JointCoordinates):
        return True
    for edge in system.coordinates.topology.edges:
        markers = () if edge.floating else edge.joint.markers
        if not has_coordinates(edge.motions):
            return False
        if not edge.floating and edge.joint.form()[0].size + edge.velocities != 3 * system.model.dimension - 3:
            return False
        turned = {s for marker in markers for row in marker.frame for x in row for s in getattr(x, "free_symbols", ())}
        if any(isinstance(motion, Ball) for motion in edge.motions) and turned & {*asked.symbols}:
            return False
    return system.structure.deciding == system.cartesian.structure.deciding


@dataclass(frozen=True, eq=False)
class FollowedRun(VariedMotion):
    """A followed run with derivatives: numbers alone, as soon as its motion has been read as one of bodies."""

    rows: Mapping[str, np.ndarray] = field(default_factory=dict)
    """The slopes of all arrays recorded at the requested times, (parameters, times, ...)."""
    contacts: np.ndarray | None = None
    energies: np.ndarray | None = None
    following: Following | None = None
    """The derivatives in the coordinates of the run, if those of bodies are still to be read; else None."""
    ending: Ending | None = None
    """The end of the run, if an event has stopped it."""
    ends: np.ndarray | None = None
    """The change of the last time with each parameter, if readings move with it; else None."""

    @property
    def end_moves(self) -> bool:
        return self.ending is not None

    def with_moving_end(self) -> FollowedRun:
        """Return the run with a last time that moves with the parameters, and with the slopes that are read there."""
        assert self.ending is not None
        rows = {name: own.copy() for name, own in self.rows.items()}
        for name, own in self.ending.rows.items():
            rows[name][:, self.motion.t.size - 1] = own
        return replace(self, rows=rows, ends=self.ending.moved)

    @cached_property
    def times(self) -> Any:
        """Return the times, the last one with its derivatives, if it moves."""
        if self.ends is None:
            return self.motion.t
        slope = np.zeros((len(self.ends), self.motion.t.size))
        slope[:, -1] = self.ends
        return self.dual(self.motion.t, slope)

    def _rows(self, name: str) -> np.ndarray:
        found = self._of_bodies if name in self._of_bodies else self.rows
        return found[name][:, : self.motion.t.size]

    @cached_property
    def _of_bodies(self) -> dict[str, np.ndarray]:
        """Return the slopes of the motion of bodies by name; empty for a run in the coordinates of bodies."""
        return {} if self.following is None else rows_of_bodies(self.following, self.motion)

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields of a copy, with the motion of bodies read, and without neighbouring runs."""
        return {**vars(self), "rows": {**self.rows, **self._of_bodies}, "_of_bodies": {}, "following": None}

    @cached_property
    def moved(self) -> Variation:
        q = Dual(self.motion.q, self._rows("q"), self.asked.symbols)
        rows = [small_motions(self.system.structure, q), *(self._rows(name) for name in ("v", "a", "multipliers"))]
        return Variation(*(np.moveaxis(x, 0, 1).reshape(x.shape[0] * x.shape[1], x.shape[2]) for x in rows))

    @cached_property
    def path(self) -> Any:
        """Return the trajectory with its derivatives; q includes states and inputs, which are no motion of bodies."""
        more: Any = (Dual(getattr(self.motion, x), self._rows(x).copy(), self.asked.symbols) for x in ("q", "v", "a"))
        return Trajectory(self.times, *more)

    @cached_property
    def pushes(self) -> Any:
        """Return the forces of contacts with their derivatives."""
        assert self.contacts is not None
        return self.dual(self.contacts[: self.motion.t.size].copy(), self._rows("contacts").copy())

    @cached_property
    def quantities(self) -> ComputedQuantities:
        return replace(super().quantities, pushes=self.pushes, _read={})

    def loads(self) -> dict[str, Any]:
        found = super().loads()
        return found | {"reactions": replace(found["reactions"], _contacts=self.pushes)} if found else found

    def _energies(self) -> Any:
        assert self.energies is not None
        return self.dual(self.energies[: self.motion.t.size].copy(), self._rows("energies").copy())


def followed_run(result: Result, asked: Asked, following: Following) -> Result:
    """Return the result of a followed run, with its derivatives set."""
    record, own = following.run.record, following.own.system.is_cartesian
    known = {"rows": following.rows, "contacts": record.contacts.copy(), "energies": record.energies.copy()}
    unread = None if own else following
    set_varied(result, FollowedRun(result, asked, **known, following=unread, ending=following.ending))
    for event, slopes in zip(result.events, following.moments, strict=True):
        set_moment(event.state, asked, partial(MomentSlopes, *slopes))
    return result
