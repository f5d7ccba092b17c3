"""The result of a run: frozen arrays over time (or over a swept parameter), read by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast
from warnings import warn

import numpy as np

from ..errors import ModelError, Names, check_name
from ..provided import provided
from ..rotations import about_z, from_quaternion
from .quantities import Energy, Quantities, Reactions, frozen, in_axes
from .sketch import Sketch

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_NO_FORCES = (
    "this result is of kinematics, which knows no forces; use mbs.inverse_dynamics(model, times) or mbs.simulate(...)"
)


class Lazy:
    """A field that may be given as a function without arguments: it is called when the field is first read."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            raise AttributeError(self.name)  # to dataclasses: there is no default
        value = vars(instance)[self.name]
        if callable(value):
            value = vars(instance)[self.name] = value()
        return value

    def __set__(self, instance: Any, value: Any) -> None:
        vars(instance)[self.name] = value


def _largest(level: int) -> cached_property[np.ndarray]:
    """Of all rows at each time."""
    return cached_property(lambda violation: frozen(np.abs(violation.rows[level]).max(axis=1, initial=0.0)))


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

    position, velocity, acceleration = map(_largest, range(3))

    def joint(self, name: str) -> Violation:
        check_name("constraint", name, {*self.elements}, "the result")
        own = [k for k, element in enumerate(self.elements) if element == name]
        return Violation(self.rows[:, :, own], (name,) * len(own))

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.asarray(self.position, dtype=dtype)


@dataclass(frozen=True, eq=False, repr=False)
class OwnMotion:
    """The coordinates that a motion was computed in, over time: ``own["A.angle"]`` is a column of q."""

    name: str
    """Of the set: "cartesian", "natural", "joint"."""
    names: tuple[str, ...]
    """Of the coordinates, one for each column of q."""
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray

    def __getitem__(self, name: str) -> np.ndarray:
        check_name("coordinate", name, self.names, f"the motion in {self.name} coordinates")
        return self.q[:, self.names.index(name)]

    def __repr__(self) -> str:
        return f"<OwnMotion in {self.name} coordinates: {len(self.names)} coordinates, {len(self.q)} times>"


@dataclass(frozen=True, eq=False)
class StoredState:
    """What was read at a moment, out of a file: ``state["slider.x"]``. No run begins there."""

    t: float
    values: Names[float] = field(repr=False)

    def __getitem__(self, name: str) -> float:
        return self.values[name]


class Happening(NamedTuple):
    """An event of a run."""

    t: float
    name: str
    state: State | StoredState | None
    """Just before anything was reset; out of a file its numbers only (None out of older files)."""


class Impact(NamedTuple):
    """An impact of a run: bodies meet, and velocities jump."""

    t: float
    contacts: tuple[str, ...]
    """Those that pushed."""
    impulses: Mapping[str, np.ndarray]
    """Of each joint, driver and contact what it does to its second body, in N s and N m s, components as those of
    `Result.reaction`."""
    energy_lost: float
    rests: float | None
    """Where this is the last one of impacts without end that is told apart: when all are over."""


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
    violation: Violation = cast(Any, Lazy())
    sketch: Sketch = cast(Any, Lazy())
    success: bool = True
    message: str = ""
    stats: Mapping[str, Any] = field(default_factory=dict)
    axis: tuple[str, str] = ("t", "s")
    """What the results run over, and its unit: time, or the name of a swept parameter."""
    multipliers: np.ndarray | None = None
    """λ of every row, (times, rows); None where no forces were computed."""
    reactions: Reactions | None = None
    ledger: Energy | None = None
    events: tuple[Happening, ...] = ()
    """What `mbs.Event` has found, in the order of time."""
    impacts: tuple[Impact, ...] = ()
    """In the order of time."""
    modes: Mapping[str, np.ndarray] = field(default_factory=dict)
    """Of each contact over time: "open", "closed", with friction "sticks" or "slips", or "kept" closed by joints alone;
    one column for each of its points if there are several."""
    own: OwnMotion | None = None
    """The same motion in the coordinates that it was computed in; q, v and a are those of bodies, whatever these are.
    None in a result from a file."""
    past: Any = None
    """The run that it is of, for runs that go on from its states; None where there was none."""

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

    def state(self, index: int = -1) -> State:
        """One pose of the result (the last one): where another run may start, ``simulate(model, times,
        result.state())``. The states of a run know it: with the same model and options another one goes on from any of
        them to the last bit as this one did, or would have done. (From the last one at once; from others the run is
        made again up to there.)"""
        return provided("Result.state")(self, index)

    # --- attitudes and screws ---

    def rotation(self, body: str) -> np.ndarray:
        """The matrix from the axes of a body to those of the world over time: (len(t), 3, 3); in the plane 2 x 2."""
        own = self._placed(body)
        return from_quaternion(own[:, 3:]) if own.shape[1] == 7 else about_z(own[:, 2])[:, :2, :2]

    def quaternion(self, body: str) -> np.ndarray:
        """The attitude of a body in space over time, as unit quaternions (scalar first): (len(t), 4)."""
        own = self._placed(body)
        if own.shape[1] != 7:
            raise ModelError(f"body {body!r} is in the plane, and has no quaternion; read its angle")
        return own[:, 3:]

    def twist(self, body: str) -> np.ndarray:
        """(ω, v_O) of a body over time, world axes: (len(t), 6), with v_O the velocity of what is passing through the
        world's origin (`mbs.screws`)."""
        return provided("Result.twist")(self, body)

    def wrench(self, name: str) -> np.ndarray:
        """(M_O, F) of what a joint, driver or force does to its second body, about the world's origin: (len(t), 6)."""
        return provided("Result.wrench")(self, name)

    def screw(self, joint: str) -> np.ndarray:
        """The unit screw about which the second body of a joint may move, over time: (len(t), 6)."""
        return provided("Result.screw")(self, joint)

    def _placed(self, body: str) -> np.ndarray:
        """The coordinates of one body over time."""
        owners = [name.rpartition(".")[0] for name in self.coordinate_names]
        check_name("body", body, {*owners}, "the result")
        return self.q[:, [k for k, owner in enumerate(owners) if owner == body]]

    # --- forces ---

    def reaction(self, joint: str, axes: str = "world") -> np.ndarray:
        """Fx, Fy and M over time, shape (len(t), 3), in space force and moment, shape (len(t), 6): what the joint does
        to its second body, the moment about the second marker. ``axes`` are those of the "world", of the "first" body
        or of the "second" one.

        Of redundant joints it is the least of all possible ones: see `is_unique`."""
        return in_axes(self._forces(), joint, axes)

    def is_unique(self, joint: str) -> np.ndarray:
        """Whether each component of the reaction (world axes) is determined: booleans of that shape."""
        return self._forces().unique(joint)

    def effort(self, name: str) -> np.ndarray:
        """The effort of a driver over time: the force or torque along the coordinate that it drives; of a spring,
        damper or motor along its own."""
        effort = self._forces().effort(name)
        if effort is None:
            raise ModelError(f"{name!r} has no single effort; read reaction({name!r})")
        return effort

    def power(self, name: str) -> np.ndarray:
        """The power that a driver, a motor or a spring gives to the mechanism over time."""
        effort = self.effort(name)
        rates = [n for n in self.names if n.rpartition(".")[0] == name and self.unit(n) in ("m/s", "rad/s")]
        if not rates:
            raise ModelError(f"{name!r} has no coordinate of its own, so no power; multiply its effort by a rate")
        return effort * self[rates[0]]

    @property
    def energy(self) -> Energy:
        """The ledger: kinetic, potential, dissipated, supplied, and their constant total."""
        if self.ledger is None:
            raise ModelError(_NO_FORCES)
        return self.ledger

    @property
    def smallest_singular_value(self) -> np.ndarray:
        """The smallest singular value of Φ_v over time (rows of unit length, redundant ones left out): 0 in a singular
        pose."""
        return self._forces().smallest_singular_value

    def _forces(self) -> Reactions:
        if self.reactions is None:
            raise ModelError(_NO_FORCES)
        return self.reactions

    # --- files and tables ---

    def save(self, path: str | Path) -> Path:
        """Write an .npz file: arrays, and a JSON header; read it again with ``mbs.load(path)``."""
        return provided("Result.save")(self, path)

    def to_dataframe(self, *names: str) -> Any:
        """The named quantities (all, if none is named) as a pandas table over time."""
        try:
            import pandas
        except ImportError as exc:
            raise ModelError("to_dataframe() needs pandas; install it with: pip install 'mbs_dae[data]'") from exc
        columns = {name: self[name] for name in (names or self.names)}
        return pandas.DataFrame(columns, index=pandas.Index(self.t, name=self.axis[0]))

    # --- pictures ---

    def plot(self, *names: str) -> Figure:
        """The named quantities over time, one panel for each unit; a matplotlib figure."""
        return provided("Result.plot")(self, names)

    def plot_path(self, *markers: str) -> Figure:
        """The paths that named points take (coupler curves): ``plot_path("rod.tip")``."""
        return provided("Result.plot_path")(self, markers)

    def plot_violation(self) -> Figure:
        """The largest violation of position, velocity and acceleration equations over time."""
        return provided("Result.plot_violation")(self)

    def plot_energy(self) -> Figure:
        """The ledger over time: kinetic, potential, dissipated, supplied, and their total; below, the error of the
        total."""
        return provided("Result.plot_energy")(self)

    def plot_reaction(self, *joints: str, axes: str = "world", polar: bool = False) -> Figure:
        """What joints do to their second bodies, over time: Fx, Fy, the magnitude, and the moment where there is one.
        Dashed is what redundant joints leave open (see `is_unique`).

        With ``polar=True`` the path of the tip of the force, for bearings; then ``axes="first"`` or ``"second"`` shows
        where the load meets the one or the other body."""
        return provided("Result.plot_reaction")(self, joints, axes, polar)

    def animate(self, path: str | Path | None = None, **options: Any) -> Any:
        """The motion, drawn from joints and links: a film for the notebook, or a file at `path`: .gif, .mp4, or .png (a
        still with later poses behind it)."""
        return provided("Result.animate")(self, path, **options)

    def draw(self, index: int = 0, ax: Any = None, **options: Any) -> Figure:
        """A still picture of one pose, in given axes or in a new matplotlib figure."""
        return provided("Result.draw")(self, index, ax, **options)


@dataclass(frozen=True, eq=False)
class State:
    """One pose with its velocities and accelerations: ``state["slider.x"]`` is a number."""

    system: Any
    """The compiled system that the pose is of."""
    t: float
    full_q: np.ndarray = field(repr=False)
    full_v: np.ndarray = field(repr=False)
    full_a: np.ndarray = field(repr=False)
    message: str = ""
    """What is not determined at this pose; empty if all is."""
    free: np.ndarray | None = field(default=None, repr=False)
    """A motion that the equations leave free, where accelerations are but the least that satisfy these."""
    past: Any = field(default=None, repr=False)
    """The run that it is a state of."""

    @property
    def q(self) -> np.ndarray:
        return self.full_q[: self.system.nq]

    @property
    def v(self) -> np.ndarray:
        return self.full_v[: self.system.nv]

    @property
    def a(self) -> np.ndarray:
        return self.full_a[: self.system.nv]

    @property
    def motion(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Positions, velocities and accelerations as a motion of one moment, with what stands still."""
        return self.full_q[None], self.full_v[None], self.full_a[None]

    @cached_property
    def result(self) -> Result:
        """The pose as a result of one time."""
        return provided("State.result")(self)

    def __getitem__(self, name: str) -> float:
        if provided("State.is_free")(self, name):
            warn(
                f"{name} is left free by the equations of {self.system.model.name!r}; this is the least acceleration "
                "that satisfies them, and not what forces make of it: use assemble(..., forces=True)",
                stacklevel=2,
            )
        return float(self.result[name][0])

    def draw(self, ax: Any = None, **options: Any) -> Figure:
        """A picture of the pose, in given axes or in a new matplotlib figure."""
        return self.result.draw(0, ax, **options)
