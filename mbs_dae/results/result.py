"""The result of a run: frozen arrays over time (or over a swept parameter), read by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from warnings import warn

import numpy as np

from ..errors import ModelError, check_name
from ..provided import provided
from ..rotations import about_z, from_quaternion
from .happenings import Happening, Impact
from .names import POWER, Derived, components, names_of_forces, vectors
from .quantities import Energy, Quantities, Reactions, frozen, in_axes
from .sketch import Sketch
from .violation import Violation

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
class Result:
    """What an analysis gives back.

    ``result["slider.vx"]`` is an array over ``result.t``; ``result.names`` lists the quantities of the motion. A vector
    is read without x, y, z, one column for each: ``result["rod.tip"]``, ``result["rod.tip.v"]``. What follows from
    forces has names, too: ``result["motor.effort"]``, ``result["B.Fx"]``, ``result["B.force"]``,
    ``result["energy.total"]``; ``result.all_names`` lists everything. A run that stopped early says so in `success` and
    `message`, and keeps what it had.
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
        """The quantities of the motion: values, rates and accelerations of bodies, markers and joints; states."""
        return self.quantities.names()

    @property
    def all_names(self) -> list[str]:
        """All that can be read: `names`; efforts, powers and components of reactions; energies; violations; vectors."""
        return [*self.scalar_names, *vectors(self._known)]

    @property
    def scalar_names(self) -> list[str]:
        """`all_names` without the vectors, which consist of these."""
        return [*self._known]

    def components(self, name: str) -> tuple[str, ...]:
        """The names of a vector's components, ``("B.Fx", "B.Fy")`` of ``"B.force"``; of a number its own."""
        if name in self.quantities or name in self._derived:
            return (name,)
        if parts := components(str(name), self._known):
            return parts
        unknown = names_of_forces((e.name for e in self.sketch.elements), self.sketch.dimension)
        if self.reactions is None and (name in unknown or components(str(name), unknown)):
            raise ModelError(_NO_FORCES)
        raise self.quantities.unknown(name, [*self._derived.units, *vectors(self._known)])

    def unit(self, name: str) -> str:
        first = self.components(name)[0]
        return self.quantities.unit(first) if first in self.quantities else self._derived.units[first]

    def __getitem__(self, name: str) -> np.ndarray:
        parts = self.components(name)
        if parts != (name,):
            return frozen(np.stack([self[part] for part in parts], axis=1))
        return self.quantities[name] if name in self.quantities else self._derived[name]

    def __contains__(self, name: str) -> bool:
        return name in self.quantities or name in self._derived or bool(components(str(name), self._known))

    @cached_property
    def _derived(self) -> Derived:
        return Derived(self)

    @cached_property
    def _known(self) -> Mapping[str, None]:
        """All numbers, by name and in order."""
        return dict.fromkeys([*self.names, *self._derived.units])

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        state = "complete" if self.success else "stopped early"
        state += f": {self.message}" * bool(self.message)
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

    def is_unique(self, name: str) -> np.ndarray:
        """Whether the reaction of a joint is determined: booleans, one for each component (world axes); or whether a
        quantity is, ``is_unique("B.Fx")``."""
        if self.reactions is None or name in self.reactions.names() or name not in self:
            return self._forces().unique(name)
        found = [self._derived.unique(part) for part in self.components(name)]
        columns = [np.ones(len(self), dtype=bool) if one is None else one for one in found]
        return np.stack(columns, axis=1).reshape(self[name].shape)

    def effort(self, name: str) -> np.ndarray:
        """The effort of a driver over time: the force or torque along the coordinate that it drives; of a spring,
        damper or motor along its own."""
        effort = self._forces().effort(name)
        if effort is None:
            raise ModelError(f"{name!r} has no single effort; read reaction({name!r})")
        return effort

    def power(self, name: str) -> np.ndarray:
        """The power that a driver, a motor or a spring gives to the mechanism over time."""
        self.effort(name)
        if name not in self._derived.rates:
            raise ModelError(f"{name!r} has no coordinate of its own, so no power; multiply its effort by a rate")
        return self._derived[f"{name}.{POWER}"]

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

    def save(self, path: str | Path, **choices: Any) -> Path:
        """Write a file; the ending of its name says which: .npz or .nc with everything, for ``mbs.load(path)``; .csv,
        .xlsx, .mat or .parquet with a table of all numbers; .html with a page that plays the motion in any browser;
        .gif, .mp4, .png or .svg with the motion, drawn.

        A page takes choices of what it shows at first: ``save("motion.html", plots="slider.x", trace="rod.tip",
        view=(24, -58), speed=0.1)``; with ``live=True`` it solves driven motions. Pictures take those of `animate`."""
        return provided("Result.save")(self, path, **choices)

    def to_dataframe(self, *names: str) -> Any:
        """The named quantities (`names`, if none is said) as a pandas table over time; vectors by their components.
        ``table.attrs["units"]`` and ``table.attrs["long_names"]`` tell of each column."""
        return provided("Result.to_dataframe")(self, names)

    def to_xarray(self, *names: str) -> Any:
        """The named quantities (`names`, if none is said) as an xarray Dataset over time, each with its ``units`` and
        ``long_name``; vectors with a second dimension, ``component``."""
        return provided("Result.to_xarray")(self, names)

    # --- pictures ---

    def plot(self, *names: str) -> Figure:
        """The named quantities over time, a panel for each unit and each vector: ``plot("slider.x", "B.force")``."""
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
        """The motion, drawn from joints and links: a film for the notebook, or a file at `path`: .gif, .mp4, or
        .png or .svg (a still with later poses behind it)."""
        return provided("Result.animate")(self, path, **options)

    def draw(self, index: int = 0, ax: Any = None, **options: Any) -> Figure:
        """A still picture of one pose, in given axes or in a new matplotlib figure."""
        return provided("Result.draw")(self, index, ax, **options)

    def view(self, **options: Any) -> Any:
        """The motion in a notebook, to play, turn and scrub, with curves beside it: ``result.view(plots="slider.x")``.
        The same as a file that any browser opens: ``result.save("motion.html", plots="slider.x")``."""
        return provided("Result.view")(self, **options)


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

    def __getitem__(self, name: str) -> Any:
        """A number; of a vector its components as an array."""
        if any(provided("State.is_free")(self, part) for part in self.result.components(name)):
            warn(
                f"{name} is left free by the equations of {self.system.model.name!r}; this is the least acceleration "
                "that satisfies them, and not what forces make of it: use assemble(..., forces=True)",
                stacklevel=2,
            )
        value = self.result[name][0]
        return value if np.ndim(value) else float(value)

    def draw(self, ax: Any = None, **options: Any) -> Figure:
        """A picture of the pose, in given axes or in a new matplotlib figure."""
        return self.result.draw(0, ax, **options)
