"""Modes along a parameter: pair the modes at one value with those at the next.

Eigenvalues cross, so their order does not identify modes. A line follows the shape: from one value to the next the
pairing with the least total change is taken, where a pair counts with the part of the new shape that is orthogonal to
the old one, 1 - |x* y|² with |x| = |y| = 1 by weight, and with the relative distance of the eigenvalue from the
extrapolated line. Where eigenvalues coincide, any basis of their space consists of eigenvectors; then the old shapes,
projected on this space, are taken. (Lines that only come near one another and veer away exchange their shapes in
between: values must be dense enough there to show it.)

A mode of a mechanism that spins may whirl. With N u = n × u, n the axis, a shape goes round in the sense of the spin
where Im x* N x > 0: relative to |N x|², 1 is a circle forward, -1 one backward, 0 a motion along lines.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.linalg import eigh
from scipy.optimize import brentq, linear_sum_assignment

from ..errors import ModelError
from ..model.parameters import positive_number
from ..provided import provided
from ..public_class import PublicClass
from ..tolerances import AXIS_TURN, SAME_EIGENVALUE, WHIRL_FLOOR
from ..unit_system import UnitsLike, shown_in
from .frames import cross
from .linear import LinearSystem

if TYPE_CHECKING:
    from matplotlib.figure import Figure



def checked_order(order: float) -> float:
    return positive_number(order, "an order", "number, e.g. orders=(1, 2)")


class CriticalSpeed(NamedTuple):
    speed: float
    whirl: float
    """The whirl of the mode: see `ModeLine`."""


@dataclass(frozen=True, eq=False)
class ModeLine:
    """One mode from value to value."""

    eigenvalues: np.ndarray
    whirl: np.ndarray
    """The sense of whirl at each value, in the axes of the law: 1 forward, with the spin, -1 backward, 0 along lines;
    on ellipses between these numbers."""

    @property
    def damped_frequencies(self) -> np.ndarray:
        """The damped frequencies Im λ in rad/s; NaN where the mode does not oscillate."""
        return np.where(self.eigenvalues.imag > 0.0, self.eigenvalues.imag, np.nan)


@dataclass(frozen=True, eq=False)
class ModesAtValue:
    """The eigenvalues at one value, in the order of the lines, with their shapes: columns of length 1 by weight."""

    value: float
    eigenvalues: np.ndarray
    shapes: np.ndarray


@dataclass(frozen=True, eq=False, repr=False)
class LinearPath(metaclass=PublicClass):
    """Linear systems along a parameter or a speed, from `linearize(over=)`, and the lines that their modes follow.

    A mass of 1 kg on a spring that gets stiffer, ω² = k/m:

    >>> model = mbs.PlanarModel("mass on a spring")
    >>> k = model.parameter("k", 4.0, unit="N/m")
    >>> mass = model.body("mass", mass=1, position=(1, 0))
    >>> guide = model.add(mbs.Translational("guide", model.ground, mass))
    >>> spring = model.add(mbs.Spring("spring", model.ground, mass, stiffness=k, length=1))
    >>> path = mbs.linearize(model, over=("k", [4, 9]))
    >>> isinstance(path, mbs.LinearPath), path.lines[0].damped_frequencies.round(6)
    (True, array([2., 3.]))
    >>> len(path.plot().axes)
    2
    """

    parameter: str
    unit: str
    values: np.ndarray
    systems: tuple[LinearSystem, ...]
    at: Callable[[float], LinearSystem] = field(repr=False)
    """A function that returns the system at any value."""

    def __repr__(self) -> str:
        return f"<LinearPath over {self.parameter}: {len(self.values)} systems>"

    @cached_property
    def _modes_by_value(self) -> list[ModesAtValue]:
        steps = [self._first_modes()]
        for value, law in zip(self.values[1:], self.systems[1:], strict=True):
            steps.append(_next(steps[-2:], value, law))
        return steps

    @cached_property
    def lines(self) -> tuple[ModeLine, ...]:
        """The lines, sorted as the modes are at the first value; one of two lines that are conjugate throughout."""
        values = np.array([step.eigenvalues for step in self._modes_by_value])
        whirls = np.array([self._whirl(step.shapes) for step in self._modes_by_value])
        return tuple(
            ModeLine(line, whirl) for line, whirl in zip(values.T, whirls.T, strict=True) if not (line.imag < 0.0).all()
        )

    def critical_speeds(self, order: float = 1.0) -> list[CriticalSpeed]:
        """Return the speeds at which a line of Im λ meets order times the speed (in either sense): an unbalance (order
        1), or any other excitation that repeats so often a turn, excites the mode there. Each is solved for, between
        the values of the path."""
        self.check_speed()
        order = checked_order(order)
        steps, speeds = self._modes_by_value, []
        for before, after in zip(steps, steps[1:], strict=False):
            ends = np.array([step.eigenvalues.imag - order * abs(step.value) for step in (before, after)])
            oscillates = (before.eigenvalues.imag > 0.0) & (after.eigenvalues.imag > 0.0)
            for line in np.flatnonzero(oscillates & ((ends[0] > 0.0) != (ends[1] > 0.0))).tolist():

                def modes_at(speed: float, before: ModesAtValue = before) -> ModesAtValue:
                    return before if speed == before.value else _next([before], speed, self.at(speed))

                def over(speed: float, line: int = line, modes_at: Callable[[float], ModesAtValue] = modes_at) -> float:
                    return float(modes_at(speed).eigenvalues[line].imag - order * abs(speed))

                speed = brentq(over, before.value, after.value, xtol=1e-12 * float(np.abs(self.values).max()))
                speeds.append(CriticalSpeed(float(speed), float(self._whirl(modes_at(speed).shapes)[line])))
        return sorted(speeds)

    def check_speed(self) -> None:
        """Raise a `ModelError` if the parameter is no speed of rotation of one sense, or if the axes of the law turn:
        then there are no orders."""
        if self.unit != "rad/s":
            raise ModelError(
                f"orders are multiples of a speed of turning, and {self.parameter!r} is in {self.unit or '1'}; sweep a "
                "speed in rad/s, or see all eigenvalues over it: plot()",
                code="not-a-speed", name=self.parameter, unit=self.unit,
            )  # fmt: skip
        if self.values[0] < 0.0 < self.values[-1]:
            raise ModelError(
                f"{self.parameter!r} goes from one sense of turning through 0 to the other, in which forward and "
                "backward change places; sweep them one after the other: up to 0, and from 0 on",
                code="sense-of-turning-changes", name=self.parameter, least=float(self.values[0]),
                most=float(self.values[-1]),
            )  # fmt: skip
        if any(np.linalg.norm(law.turning) > AXIS_TURN * np.abs(self.values).max() for law in self.systems):
            raise ModelError(
                f"the small motions of {self.systems[0].state.system.model.name!r} are told in axes that turn with it, "
                "where an unbalance stands still and orders do not count as for an observer at rest; see all "
                "eigenvalues in these axes: plot()",
                code="axes-turn", model=self.systems[0].state.system.model.name,
            )  # fmt: skip

    def plot(self, units: UnitsLike = None) -> Figure:
        """Plot Re λ and Im λ of all lines over the parameter; shaded between values at which none grows."""
        with shown_in(units):
            return provided("LinearPath.plot")(self)

    def plot_campbell(self, orders: Sequence[float] = (1, 2), units: UnitsLike = None) -> Figure:
        """Plot the frequencies Im λ over the speed, modes that whirl backward dashed, with lines of the orders and a
        dot at each critical speed. ``units="rpm, Hz"`` shows turns a minute, and frequencies in cycles a second."""
        with shown_in(units):
            return provided("LinearPath.plot_campbell")(self, orders)

    # --- pairing from one value to the next ---

    def _first_modes(self) -> ModesAtValue:
        """Return the modes at the first value; modes of one eigenvalue are separated by their whirl."""
        modes = _shapes(self.values[0], self.systems[0])
        shapes = modes.shapes.copy()
        for group in _coinciding(modes.eigenvalues):
            X = shapes[:, group]
            if np.linalg.cond(X) < 1e8:
                shapes[:, group] = X @ eigh(-1j * X.conj().T @ self._across @ X, X.conj().T @ X)[1]
        return ModesAtValue(modes.value, modes.eigenvalues, _unit(shapes))

    @cached_property
    def _across(self) -> np.ndarray:
        """N, for all vectors in a shape; in the plane n is z, and (x, y, angle) counts as one vector."""
        axis = np.array([0.0, 0.0, 1.0])
        model = self.systems[0].state.system.model
        if model.dimension == 3:
            spins = [
                [law.state[f"{body.name}.w{c}"] for c in "xyz"]
                for law in self.systems
                for body in law.state.system.bodies
            ]
            fastest = max(spins, key=np.linalg.norm)
            axis = np.array(fastest) / (np.linalg.norm(fastest) or 1.0)
        return np.kron(np.eye(len(self.systems[0].shape_names) // 3), cross(axis))

    def _whirl(self, shapes: np.ndarray) -> np.ndarray:
        across = self._across @ shapes
        sizes, turning = (np.abs(across) ** 2).sum(axis=0), (shapes.conj() * across).sum(axis=0).imag
        return np.divide(turning, sizes, out=np.zeros_like(sizes), where=sizes > WHIRL_FLOOR)


def _shapes(value: float, law: LinearSystem) -> ModesAtValue:
    values, vectors = law.eigen
    return ModesAtValue(float(value), values, _unit(np.sqrt(law.state.system.weight)[:, None] * (law.shapes @ vectors)))


def _unit(shapes: np.ndarray) -> np.ndarray:
    """Return the columns scaled to length 1; columns of motions without bodies stay 0."""
    sizes = np.linalg.norm(shapes, axis=0)
    return shapes / np.where(sizes > 0.0, sizes, 1.0)


def _next(before: Sequence[ModesAtValue], value: float, law: LinearSystem) -> ModesAtValue:
    """Return the eigenvalues at a value in the order of the last step before."""
    last, modes = before[-1], _shapes(value, law)
    heading = last.eigenvalues
    if len(before) == 2:
        ratio = (value - last.value) / (last.value - before[0].value)
        heading = heading + ratio * (heading - before[0].eigenvalues)
    distance = np.abs(heading[:, None] - modes.eigenvalues)
    least = SAME_EIGENVALUE * np.abs(modes.eigenvalues).max(initial=0.0) or 1.0
    distance /= np.abs(heading)[:, None] + np.abs(modes.eigenvalues) + least
    foreign = 1.0 - np.abs(last.shapes.conj().T @ modes.shapes) ** 2
    order = linear_sum_assignment(distance + foreign)[1]
    values, shapes = modes.eigenvalues[order], modes.shapes[:, order]
    for group in _coinciding(values):
        group_shapes = shapes[:, group]
        shapes[:, group] = group_shapes @ np.linalg.lstsq(group_shapes, last.shapes[:, group], rcond=SAME_EIGENVALUE)[0]
    return ModesAtValue(float(value), values, _unit(shapes))


def _coinciding(values: np.ndarray) -> list[np.ndarray]:
    """Return groups of coinciding eigenvalues that oscillate."""
    same = SAME_EIGENVALUE * np.abs(values).max(initial=0.0)
    rest, groups = [k for k in range(len(values)) if abs(values[k].imag) > same], []
    while rest:
        group = [k for k in rest if abs(values[k] - values[rest[0]]) <= same]
        rest = [k for k in rest if k not in group]
        groups += [np.array(group)] if len(group) > 1 else []
    return groups
