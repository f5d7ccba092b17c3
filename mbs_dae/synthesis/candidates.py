"""A linkage for the task of a synthesis, with its errors and defects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Protocol

import numpy as np
from matplotlib.figure import Figure

from ..model.mechanisms import PlanarModel
from ..public_class import PublicClass
from ..unit_system import UnitsLike, equation, shown, shown_in, size_of
from . import pictures
from .building import build
from .defects import defects, rotation_of_crank, turns, type_of
from .linkages import Circle, Linkage, LinkagePose, dot

SAMPLES = 181
"""The number of poses along the motion."""

Cell = tuple[str, str, int]
"""A cell of a table: the head of the column, the text, the width."""


class SynthesisTask(Protocol):
    """The task of a synthesis."""

    @property
    def what(self) -> str: ...
    @property
    def ordered(self) -> bool: ...
    @property
    def unit(self) -> str: ...
    def draw(self, candidate: Any, ax: Any, small: bool) -> None: ...


class Ranked(Protocol):
    """A row in the table of a synthesis."""

    @property
    def error(self) -> np.ndarray: ...
    @property
    def task(self) -> Any: ...
    @property
    def type(self) -> str: ...
    @property
    def defects(self) -> tuple[str, ...]: ...
    @property
    def size(self) -> float: ...
    @property
    def weakest(self) -> float: ...
    def cells(self, error: float) -> list[Cell]: ...
    def draw(self, ax: Any, small: bool = False) -> None: ...


def number_cells(numbers: Mapping[str, float], units: Mapping[str, str], width: int = 10) -> list[Cell]:
    """Return cells of numbers under their names; the name is followed by the unit if the displayed unit is not SI."""
    roundoff, cells = 1e-12 * max(map(abs, numbers.values())), list[Cell]()
    for name, value in numbers.items():
        size, word = size_of(units.get(name, ""), name)
        head = name if size == 1.0 else f"{name} [{word}]"
        cells.append((head, f"{0.0 if abs(value) < roundoff else value / size:.4g}", max(width, len(head) + 2)))
    return cells


def error_cell(unit: str, error: float) -> Cell:
    value, word = shown(error, unit)
    return "error" + (f" [{word}]" if word else ""), f"{value:.3g}", 13


@dataclass(frozen=True, eq=False)
class Candidate(metaclass=PublicClass):
    """A linkage for the task, exact or approximate: its lengths, its errors and its defects.

    >>> found = mbs.synthesize_function(np.log10, (1, 2), crank=np.radians((45, 105)), follower=np.radians((135, 225)))
    >>> linkage = found.best
    >>> isinstance(linkage, mbs.Candidate)
    True
    >>> linkage.type, linkage.defects, bool(abs(linkage.error).max() < np.radians(0.4))
    ('triple-rocker', (), True)
    >>> {name: round(value, 3) for name, value in linkage.ratios.items()}
    {'a': 1.851, 'b': 2.868, 'c': 1.921, 'd': 1.0}
    """

    linkage: Linkage
    angles: np.ndarray
    """The angles of the crank at the wanted positions [rad]."""
    signs: np.ndarray
    """The side of the coupler at each position, 1 or -1. Signs that differ are a defect."""
    error: np.ndarray
    """The distance of the linkage from each wanted position or value."""
    task: SynthesisTask

    def __repr__(self) -> str:
        lengths = ", ".join(equation(name, value, "m", 4) for name, value in self.lengths.items())
        return f"<{self.type}: {lengths}; defects: {', '.join(self.defects) or 'none'}>"

    @cached_property
    def defects(self) -> tuple[str, ...]:
        """The defects that keep the linkage from passing all positions while the crank drives: "circuit", "branch",
        "order"; and "range" if the linkage has no pose between or beyond the precision points of a function."""
        names = defects(self.linkage, self.angles, self.signs, self.task.ordered)
        return names if np.isfinite(self.error).all() else (*names, "range")

    @cached_property
    def type(self) -> str:
        """The type after Grashof: "crank-rocker", "double-crank", "rocker-crank", "double-rocker", "triple-rocker" or
        "change point"; for a slider-crank "turning crank" or "swinging crank"."""
        return type_of(self.linkage)

    @property
    def lengths(self) -> dict[str, float]:
        """The lengths a of the crank, b of the coupler, c of the rocker and d of the ground; for a slider-crank, e is
        the distance of the slider's line from O."""
        linkage, guide = self.linkage, self.linkage.guide
        if isinstance(guide, Circle):
            lengths = {"a": linkage.a, "b": linkage.b, "c": guide.c, "d": abs(guide.D - linkage.O)}
        else:
            normal = guide.normal(0j)
            lengths = {"a": linkage.a, "b": linkage.b, "e": guide.h - dot(normal, linkage.O)}
        return {name: float(value) for name, value in lengths.items()}

    @property
    def ratios(self) -> dict[str, float]:
        """The lengths relative to that of the ground; for a slider-crank, relative to that of the crank."""
        lengths = self.lengths
        unit = lengths["d" if "d" in lengths else "a"]
        return {name: value / unit for name, value in lengths.items()}

    @property
    def turns(self) -> bool:
        """Whether the crank can rotate fully."""
        return bool(turns(self.linkage))

    @cached_property
    def motion(self) -> np.ndarray:
        """Angles of the crank along a motion: a full turn from the first position, in the direction of the others; if
        the crank cannot rotate fully, along its arc through all positions."""
        rotation = rotation_of_crank(self.linkage, self.angles)
        start = self.angles[0]
        if self.turns:
            return start + np.linspace(0, 2 * np.pi if rotation[-1] >= 0 else -2 * np.pi, SAMPLES)
        first, last = (rotation.min(), rotation.max()) if rotation[-1] >= 0 else (rotation.max(), rotation.min())
        return start + np.linspace(first, last, SAMPLES)

    def pose(self, theta: Any) -> LinkagePose:
        """Return the places of A, B and P with the crank at theta, on the branch of the first position. Points are
        complex numbers, x + iy.

        >>> found = mbs.synthesize_motion([(0, 0, 0), (1, 0.2, 0.3), (1.8, 0, 0.6)], fixed=[(0, -1), (1, -1)])
        >>> abs(found.best.pose(found.best.angles).P).round(3)  # how far the origin of the moving frame goes
        array([0.  , 1.02, 1.8 ])
        """
        return self.linkage.pose(theta, self.signs[0])

    @cached_property
    def transmission(self) -> np.ndarray:
        """The angle between the coupler and the rocker along the motion, from 0 to π/2, the best value; for a
        slider-crank, the angle between the coupler and the normal of the slider's line."""
        return np.arcsin(np.clip(np.abs(self.pose(self.motion).drive), 0, 1))

    @property
    def size(self) -> float:
        """The size to which errors are relative: one radian, or the longest length."""
        return 1.0 if self.task.unit == "rad" else max(abs(one) for one in self.lengths.values())

    @property
    def weakest(self) -> float:
        """The least angle of transmission where the linkage closes; 0 if the linkage closes nowhere on the motion."""
        angles = self.transmission[np.isfinite(self.transmission)]
        return float(angles.min()) if angles.size else 0.0

    def cells(self, error: float) -> list[Cell]:
        """Return the cells of this linkage in the table of a synthesis."""
        transmission = "transmission", f"{np.degrees(self.weakest):.0f}", 14
        lengths = number_cells(self.lengths, dict.fromkeys(self.lengths, "m"))
        return [*lengths, error_cell(self.task.unit, error), transmission]

    def model(self, omega: float = 1.0, density: float = 0.0) -> PlanarModel:
        """Return the mechanism as a model: crank, coupler with its point P, and rocker or slider; the lengths are
        parameters. A motor at O turns the crank in the direction of the positions with the speed `omega` [rad/s]; a
        crank that cannot rotate fully swings between the first position and the last. `density` is the mass of bars per
        metre [kg/m].

        >>> found = mbs.synthesize_motion([(0, 0, 0), (1, 0.2, 0.3), (1.8, 0, 0.6)], fixed=[(0, -1), (1, -1)])
        >>> model = found.best.model()
        >>> result = mbs.kinematics(model, [0, np.pi])  # from the first position to the last
        >>> result["coupler.P"].round(6) + 0.0
        array([[0. , 0. ],
               [1.8, 0. ]])
        """
        return build(self, omega, density)

    def plot(self, units: UnitsLike = None) -> Figure:
        """Draw the linkage at the first position, the path of its coupler point, and the task."""
        with shown_in(units):
            return pictures.plot_candidate(self)

    is_spatial: ClassVar[bool] = False

    def draw(self, ax: Any, small: bool = False) -> None:
        """Draw the mechanism into given axes."""
        pictures.draw_linkage(self, ax, small)
