"""A design of a model for the task of a synthesis, with its errors and defects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from ...compiled.reading import Trajectory
from ...errors import ModelError
from ...model.drivers import Driver
from ...model.model import Model
from ...model.parameters import positive_number
from ...public_class import PublicClass
from ...results.result import State
from ...tolerances import TURN_CLOSURE
from ...unit_system import UnitsLike, equation, shown_in
from .. import pictures
from ..building import law_of
from ..candidates import SAMPLES, Cell, SynthesisTask, error_cell, number_cells
from .walking import Walker

TURN = 37
"""The number of poses of a turn."""


@dataclass(frozen=True, eq=False)
class ModelCandidate(metaclass=PublicClass):
    """A design of a model for the task, exact or approximate: the values of its parameters, its errors and its defects.

    >>> arm = mbs.PlanarModel("arm")
    >>> l = arm.parameter("l", 1.0, unit="m")
    >>> bar = arm.link("bar", (0, 0), (1, 0), length=l)
    >>> pin = arm.add(mbs.Revolute("O", arm.ground, bar.tail))
    >>> motor = arm.add(mbs.Driver("motor", mbs.angle(pin), mbs.t))
    >>> found = mbs.synthesize_path([(1.2, 0), (0, 1.2), (-1.2, 0)], kind=arm, point="bar.head", over={"l": (0.5, 2)})
    >>> best = found.best
    >>> isinstance(best, mbs.ModelCandidate), round(best.design["l"], 9), best.defects
    (True, 1.2, ())
    """

    design: dict[str, float]
    """The values of the parameters."""
    angles: np.ndarray
    """The values of the driver at the targets [rad], or [m] for a driver of a length."""
    error: np.ndarray
    """The distance of the design from each target."""
    task: SynthesisTask
    size: float
    """The size of the wanted path or motion."""
    walker: Walker
    driver: str
    """The name of the driver."""
    pose: np.ndarray
    """The coordinates of the pose with the least value of the driver."""
    may_turn: bool
    """Whether the driver's range is a full turn."""

    def __repr__(self) -> str:
        values = ", ".join(equation(name, value, self._unit(name), 4) for name, value in self.design.items())
        return f"<{self.type}: {values}; defects: {', '.join(self.defects) or 'none'}>"

    def _unit(self, name: str) -> str:
        """Return the SI unit of a value of the design."""
        return self.walker.model.parameters[name].unit if name in self.walker.model.parameters else ""

    @property
    def type(self) -> str:
        """The name of the model."""
        return self.walker.model.name

    @cached_property
    def turns(self) -> bool:
        """Whether the driver can make a full turn after which all quantities return to their values."""
        if not self.may_turn:
            return False
        path = self._walk(self.angles[0] + np.linspace(0, 2 * np.pi, TURN))
        if len(path.t) < TURN:
            return False
        values = self.walker.read(self._system, path)
        return bool((np.abs(values[-1] - values[0]) < TURN_CLOSURE * self.size).all())

    @cached_property
    def defects(self) -> tuple[str, ...]:
        """The defects that keep the design from passing all targets in order while the driver goes on: "order", or
        none. All targets are on one circuit and branch, since the driver has moved from each to the next."""
        steps = np.diff(self.angles)
        monotone = (steps >= 0).all() or (steps <= 0).all()
        passed = monotone and (not self.may_turn or np.ptp(self.angles) < 2 * np.pi)
        return ("order",) if self.task.ordered and not passed else ()

    @cached_property
    def motion(self) -> np.ndarray:
        """Values of the driver along a motion: a full turn from the first target, in the direction of the others; if
        the driver cannot turn fully, from the least value to the greatest, or back."""
        first, last = self.angles[0], self.angles[-1]
        if self.turns:
            return first + np.linspace(0, 2 * np.pi if last >= first else -2 * np.pi, SAMPLES)
        low, high = self.angles.min(), self.angles.max()
        return np.linspace(low, high, SAMPLES) if last >= first else np.linspace(high, low, SAMPLES)

    @cached_property
    def _system(self) -> Any:
        return self.walker.system(self.design)

    def _walk(self, places: np.ndarray) -> Trajectory:
        """Return the motion at these values of the driver, from the pose with the least value."""
        least = float(self.angles.min())
        to_first = self.walker.path(
            self._system, np.array([least, places[0]] if places[0] != least else [least]), self.pose
        )
        path = None if to_first is None else self.walker.path(self._system, places, to_first.q[-1])
        if path is None:
            raise ModelError(
                "the design stands at a dead point, and does not assemble again; choose another one",
                code="dead-point", design=dict(self.design), driver=self.driver,
            )  # fmt: skip
        return path

    @cached_property
    def start(self) -> State:
        """The pose at the first target, for ``kinematics(candidate.model(), times, start=candidate.start)``, which
        places the model on the branch of this design."""
        path = self._walk(self.angles[:1])
        return State(self._system, float(path.t[0]), path.q[0], path.v[0], path.a[0])

    def model(self, omega: float = 1.0) -> Model:
        """Return the model with these parameters, whose driver goes on from the first target with the speed `omega`; a
        driver that cannot turn fully swings between the least and the greatest value.

        >>> arm = mbs.PlanarModel("arm")
        >>> l = arm.parameter("l", 1.0, unit="m")
        >>> bar = arm.link("bar", (0, 0), (1, 0), length=l)
        >>> pin = arm.add(mbs.Revolute("O", arm.ground, bar.tail))
        >>> motor = arm.add(mbs.Driver("motor", mbs.angle(pin), mbs.t))
        >>> best = mbs.synthesize_path([(2, 0), (0, 2), (-2, 0)], kind=arm, point="bar.head", over={"l": (1, 3)}).best
        >>> motion = mbs.kinematics(best.model(), [0, np.pi / 2, np.pi], start=best.start)
        >>> motion["bar.head"].round(6) + 0.0
        array([[ 2.,  0.],
               [ 0.,  2.],
               [-2.,  0.]])
        """
        model, driver = self.walker.model, self.walker.model.elements[self.driver]
        assert isinstance(driver, Driver)
        law = law_of(self, positive_number(omega, "omega", "speed"))
        model_of_design = model.without(self.driver).plus(Driver(self.driver, driver.measure, law))
        return model_of_design.with_values(self.design)

    @property
    def weakest(self) -> float:
        """The angle of transmission, 0 for all designs of models because it is unknown."""
        return 0.0

    def cells(self, error: float) -> list[Cell]:
        """Return the cells of this design in the table of a synthesis."""
        units = {name: self._unit(name) for name in self.design}
        return [*number_cells(self.design, units, 12), error_cell(self.task.unit, error)]

    def plot(self, units: UnitsLike = None) -> Figure:
        """Draw the design at the first target, the path of its point, and the task."""
        with shown_in(units):
            return pictures.plot_candidate(self)

    @property
    def is_spatial(self) -> bool:
        """Whether the model is in space."""
        return self.walker.model.dimension == 3

    def draw(self, ax: Any, small: bool = False) -> None:
        """Draw the design into given axes."""
        self.start.draw(ax)
        ax.set_title("")
        values = self.walker.read(self._system, self._walk(self.motion))
        if values.shape[1] > 1:
            ax.plot(*values[:, : min(values.shape[1], 3 if ax.name == "3d" else 2)].T, linewidth=1.3, zorder=2)
        self.task.draw(self, ax, small)


def idle_parameters(candidates: Sequence[ModelCandidate]) -> list[str]:
    """Return a note on parameters on which the wanted quantities do not depend, if there are any."""
    if not candidates:
        return []
    best = candidates[0]
    walk = best.walker.values_at(best.design, best.angles, best.pose)
    if walk is None:
        return []
    idle = [name for name, slope in zip(best.walker.names, walk.by_parameter.T, strict=True) if not slope.any()]
    return [f"{', '.join(idle)}: what is wanted does not depend on it, and any value is as good"] if idle else []
