"""The result of a run: frozen arrays over time (or over a swept parameter), read by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ModelError, unknown_name
from ..system import System
from .quantities import ComputedQuantities, Quantities
from .sketch import Sketch, sketch_of


@dataclass(frozen=True, eq=False)
class Violation:
    """How far the constraints are from being met: |Φ|, |Φ̇|, |Φ̈| of each row, each in the unit of its row.

    `position`, `velocity` and `acceleration` are the largest of all rows at each time; ``violation.joint("A")`` is
    the same for one element. As an array, a violation is its `position`.
    """

    rows: np.ndarray
    """Shape (3, times, rows)."""
    elements: tuple[str, ...]
    """Whose each row is."""

    @property
    def position(self) -> np.ndarray:
        return self._largest(0)

    @property
    def velocity(self) -> np.ndarray:
        return self._largest(1)

    @property
    def acceleration(self) -> np.ndarray:
        return self._largest(2)

    def joint(self, name: str) -> Violation:
        if name not in self.elements:
            raise unknown_name("constraint", name, set(self.elements), "the result")
        own = [k for k, element in enumerate(self.elements) if element == name]
        return Violation(self.rows[:, :, own], (name,) * len(own))

    def _largest(self, level: int) -> np.ndarray:
        return np.abs(self.rows[level]).max(axis=1, initial=0.0)

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.asarray(self.position, dtype=dtype)


@dataclass(frozen=True, eq=False)
class Result:
    """What an analysis gives back.

    ``result["slider.vx"]`` is an array over ``result.t``; ``result.names`` lists all names. A run that stopped early
    says so in `success` and `message`, and keeps what it had.
    """

    title: str
    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    coordinate_names: tuple[str, ...]
    quantities: Quantities
    violation: Violation
    sketch: Sketch
    success: bool = True
    message: str = ""
    stats: Mapping[str, Any] = field(default_factory=dict)
    axis: tuple[str, str] = ("t", "s")
    """What the results run over, and its unit: time, or the name of a swept parameter."""

    @property
    def names(self) -> list[str]:
        return self.quantities.names()

    def unit(self, name: str) -> str:
        return self.quantities.unit(name)

    def __getitem__(self, name: str) -> np.ndarray:
        return self.quantities[name]

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        state = "complete" if self.success else f"stopped early: {self.message}"
        return f"<Result of {self.title!r}: {len(self.t)} poses, {len(self.coordinate_names)} coordinates, {state}>"

    # --- files and tables ---

    def save(self, path: str | Path) -> Path:
        """Write an .npz file: arrays, and a JSON header; read it again with ``mbs.load(path)``."""
        from .files import save

        return save(self, path)

    def to_dataframe(self, *names: str) -> Any:
        """The named quantities (all, if none is named) as a pandas table over time."""
        try:
            import pandas
        except ImportError as exc:
            raise ModelError("to_dataframe() needs pandas; install it with: pip install 'mbs_dae[data]'") from exc
        columns = {name: self[name] for name in (names or self.names)}
        return pandas.DataFrame(columns, index=pandas.Index(self.t, name=self.axis[0]))

    # --- pictures ---

    def plot(self, *names: str) -> Any:
        """The named quantities over time, one panel for each unit; a matplotlib figure."""
        from ..view import plots

        return plots.plot(self, names)

    def plot_path(self, *markers: str) -> Any:
        """The paths that named points take (coupler curves): ``plot_path("rod.tip")``."""
        from ..view import plots

        return plots.plot_path(self, markers)

    def plot_violation(self) -> Any:
        """The largest violation of position, velocity and acceleration equations over time."""
        from ..view import plots

        return plots.plot_violation(self)

    def animate(self, path: str | Path | None = None, **options: Any) -> Any:
        """The motion, drawn from joints and links: a film for the notebook, or a file at `path`: .gif, .mp4, or .png (a
        still with later poses behind it)."""
        from ..view import animation

        return animation.animate(self, path, **options)

    def draw(self, index: int = 0, ax: Any = None, **options: Any) -> Any:
        """A still picture of one pose, in given axes or in a new matplotlib figure."""
        from ..view import animation

        return animation.draw(self, index, ax, **options)


@dataclass(frozen=True, eq=False)
class State:
    """One pose with its velocities and accelerations: ``state["slider.x"]`` is a number."""

    system: System
    t: float
    full_q: np.ndarray = field(repr=False)
    full_v: np.ndarray = field(repr=False)
    full_a: np.ndarray = field(repr=False)
    message: str = ""
    """What is not determined at this pose; empty if all is."""

    @property
    def q(self) -> np.ndarray:
        return self.full_q[: self.system.nv]

    @property
    def v(self) -> np.ndarray:
        return self.full_v[: self.system.nv]

    @property
    def a(self) -> np.ndarray:
        return self.full_a[: self.system.nv]

    @cached_property
    def result(self) -> Result:
        """The pose as a result of one time."""
        return result_of(
            self.system, np.array([self.t]), *(x[None, :] for x in (self.full_q, self.full_v, self.full_a))
        )

    def __getitem__(self, name: str) -> float:
        return float(self.result[name][0])

    def draw(self, ax: Any = None, **options: Any) -> Any:
        """A picture of the pose, in given axes or in a new matplotlib figure."""
        return self.result.draw(0, ax, **options)


def result_of(
    system: System, t: np.ndarray, q: np.ndarray, v: np.ndarray, a: np.ndarray, **more: Any
) -> Result:
    """The result of a motion of a system; the arrays carry the coordinates of the ground."""
    motion = (t, q, v, a)
    rows = np.stack(system.read_constraints(*motion))
    return Result(
        title=system.model.name,
        t=_frozen(t[:]),
        q=_frozen(q[:, : system.nv]),
        v=_frozen(v[:, : system.nv]),
        a=_frozen(a[:, : system.nv]),
        coordinate_names=system.coordinate_names,
        quantities=ComputedQuantities(system, *motion),
        violation=Violation(rows, tuple(row.element for row in system.rows)),
        sketch=sketch_of(system.model),
        **more,
    )


def _frozen(view: np.ndarray) -> np.ndarray:
    """A view that cannot be written to."""
    view.setflags(write=False)
    return view
