"""Special places of a curve: turning points of a quantity, branch points, and undecided singular poses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ...public_class import PublicClass
from ...results.result import State
from ...unit_system import equation


@dataclass(frozen=True, eq=False)
class TurningPoint(metaclass=PublicClass):
    """A place where a quantity turns back: a dead point of its driver.

    >>> points = {"A": (0, 0), "B": (0.6, 0), "C": (0.825, 0.662), "D": (1, 0)}
    >>> model = mbs.PlanarModel.from_points(points, rods=["AB", "BC", "CD"], fixed="AD")
    >>> first, last = mbs.follow(model, "AB.angle").dead_points
    >>> isinstance(first, mbs.TurningPoint), first.is_maximum, round(first.value, 4), round(last.value, 4)
    (True, True, 2.0519, -2.0519)
    """

    name: str
    s: float
    """The arc length there, in m."""
    value: float
    is_maximum: bool
    state: State = field(repr=False)
    """The pose, at rest."""


@dataclass(frozen=True, eq=False)
class BranchPoint(metaclass=PublicClass):
    """A singular pose through which several branches go; ``mbs.follow(model, name, start=point, branch=1)`` follows one
    of them.

    A parallelogram, which may go on as an antiparallelogram where its bars are in line:

    >>> points = {"A": (0, 0), "B": (0.4, 0.3), "C": (1.4, 0.3), "D": (1, 0)}
    >>> bars = mbs.PlanarModel.from_points(points, rods=["AB", "BC", "CD"], fixed="AD")
    >>> point = mbs.follow(bars, "AB.angle").branch_points[0]
    >>> isinstance(point, mbs.BranchPoint), len(point.tangents), bool(abs(np.sin(point.state["AB.angle"])) < 1e-9)
    (True, 2, True)
    >>> np.degrees(mbs.follow(bars, "AB.angle", start=point).limits("BC.angle")).round(6)
    array([-60.,  60.])
    """

    s: float
    """The arc length there, in m."""
    tangents: np.ndarray = field(repr=False)
    """The tangent of each branch, a row over the velocities of bodies, of unit length."""
    along: int
    """The number of the branch on which the curve reached the point."""
    state: State = field(repr=False)
    """The pose, at rest, at the time that was held."""
    fix: Mapping[str, float] = field(repr=False)
    """The quantities that were held, and their values."""
    release: tuple[str, ...] = field(repr=False)
    """The drivers that were released. A curve from here keeps `fix` and `release`."""

    def __repr__(self) -> str:
        return f"<BranchPoint at {equation('s', self.s, 'm')}: {len(self.tangents)} branches>"


@dataclass(frozen=True, eq=False)
class UndecidedPoint(metaclass=PublicClass):
    """A singular pose on a curve whose branches are unknown: they touch there, or the equations of second order do not
    separate them.

    A bead that may go straight on, or along a parabola that touches the straight line:

    >>> model = mbs.PlanarModel("bead")
    >>> bead = model.body("bead", position=(-1, 0))
    >>> wires = model.add(mbs.Constraint("wires", bead, phi=lambda i: i.y * (i.y - i.x**2)))
    >>> held = model.add(mbs.CoordinateFix("upright", bead, "angle", 0))
    >>> curve = mbs.follow(model, "bead.x", poses=100)
    >>> (point,) = curve.undecided
    >>> isinstance(point, mbs.UndecidedPoint), point.why, bool(abs(point.state["bead.x"]) < 1e-6)
    (True, '2 motions are left in it, and equations of second order do not tell branches apart', True)
    """

    s: float
    """The arc length there, in m."""
    why: str
    state: State = field(repr=False)
    """The pose, at rest."""

    def __repr__(self) -> str:
        return f"<UndecidedPoint at {equation('s', self.s, 'm')}: {self.why}>"
