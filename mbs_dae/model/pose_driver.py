"""A driver of a whole pose: a body that follows a trajectory of position and orientation."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from ..errors import ModelError
from ..symbolic.derive import Relation, Trajectory
from ..symbolic.markers import PlanarMarker, SpatialMarker, marker_symbols
from ..symbolic.markers import primitives as the
from .bodies.body import Place, as_marker, components_of
from .bodies.frames import rotation_of
from .drivers import Prescribed, function_of_time
from .element import checked_name
from .parameters import constants_out


class PoseDriver(Prescribed):
    """``PoseDriver("tool", platform, position=(x, y, z), rotation=mbs.rotations.bryant(a, b, c))``

    The marker's point is at `position` and its frame is turned by `rotation` (a 3 x 3 matrix that takes its axes to
    those of the world; in the plane an angle): expressions of `mbs.t` and parameters, tables or motions. Either may be
    left out, and components of the position may be None. What the driver gives is a force and a moment:
    ``result.reaction("tool")``.

    The trajectory is that of a marker which no body carries; Φ is the marker's place and turn, seen from there.
    """

    def __init__(self, name: str, marker: Place, position: Any = None, rotation: Any = None):
        self.name = checked_name(name)
        self.markers = (as_marker(marker, self.who),)
        if position is None and rotation is None:
            raise ModelError(f"{self.who} drives nothing; give position= or rotation=")
        names = "xyz"[: self.dimension]
        place = components_of((None,) * len(names) if position is None else position, f"position of {self.who}", names)
        if position is not None and all(f is None for f in place):
            raise ModelError(f"position of {self.who} leaves all components open; leave position= out")
        own, leader = marker_symbols(2, self.dimension)
        self.turns, self.leads = rotation is not None, None not in place
        gaps = [gap for gap, f in zip(own.point - leader.point, place, strict=True) if f is not None]
        turns = the.turned_by(leader, own) if self.turns else []
        self.units = ("m",) * len(gaps) + ("rad",) * len(turns)
        trajectory = Trajectory(leader, self._trajectory(place, rotation))
        self._complete(*constants_out(Relation((own,), (*gaps, *turns), trajectories=(trajectory,))))

    def _trajectory(self, position: tuple[Any, ...], rotation: Any) -> tuple[sp.Expr, ...]:
        """The variables of the leading marker, as functions of time."""
        place = tuple(sp.S.Zero if f is None else function_of_time(f, f"position of {self.who}") for f in position)
        if self.dimension == 2:
            angle = sp.S.Zero if rotation is None else function_of_time(rotation, f"rotation of {self.who}")
            return PlanarMarker.placed(place[0], place[1], angle).m
        axes = sp.eye(3) if rotation is None else self._matrix(rotation)
        return SpatialMarker.placed(place, axes.tolist()).m

    def _matrix(self, rotation: Any) -> sp.Matrix:
        rows = rotation.tolist() if hasattr(rotation, "tolist") else rotation
        try:
            if hasattr(rotation, "as_matrix") or np.shape(rotation) == (4,):
                rows = rotation_of(rotation, f"rotation of {self.who}")
            entries = [[*row] for row in rows]
            if [len(row) for row in entries] != [3, 3, 3]:
                raise ValueError
        except (TypeError, ValueError) as exc:
            raise ModelError(
                f"rotation of {self.who} must be a 3 x 3 matrix of expressions of mbs.t, not {rotation!r}; write e.g. "
                "mbs.rotations.bryant(a, b, c)"
            ) from exc
        return sp.Matrix([[function_of_time(e, f"rotation of {self.who}") for e in row] for row in entries])
