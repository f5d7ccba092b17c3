"""The result of a run: frozen arrays over time (or over a swept parameter), read by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast
from warnings import warn

import numpy as np

from ..duals import Dual
from ..errors import SYNONYMS, ModelError, unknown_name
from ..provided import provided
from ..public_class import PublicClass
from .events import Happening, Impact, Log, Transition
from .frames import along, named
from .geometry import CALLS, Geometry, call_of, calls_like
from .names import POWER, Derived, components, names_of_forces, vectors
from .output import Output
from .quantities import Energy, Lazy, OwnMotion, Quantities, Reactions, Violation, frozen
from .shares import Origins
from .sketch import Sketch

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NO_FORCES = (
    "this result is of kinematics, which knows no forces; use mbs.inverse_dynamics(model, times) or mbs.simulate(...)"
)


@dataclass(frozen=True, eq=False)
class Result(Geometry, Origins, Output):
    """The result of an analysis.

    ``result["slider.vx"]`` is an array over ``result.t``; ``result.names`` lists the quantities of the motion. A vector
    is read without x, y, z, one column for each: ``result["rod.tip"]``, ``result["rod.tip.v"]``. Quantities that follow
    from forces have names, too: ``result["motor.effort"]``, ``result["B.Fx"]``, ``result["B.force"]``,
    ``result["energy.total"]``; ``result.all_names`` lists everything. Angles that need several names are written as
    calls, ``result["transmission_angle(B, C, D)"]``, in objectives, limits and plots, too. A run that stopped early has
    `success` False, a `message`, and the motion up to there.

    >>> rod = mbs.PlanarModel.from_points(
    ...     {"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=2, gravity=(0, -9.81))
    >>> motor = rod.add(mbs.Driver("motor", mbs.angle(rod.elements["A"]), 10 * mbs.t))
    >>> result = mbs.inverse_dynamics(rod, [0, 0.05, 0.1])
    >>> isinstance(result, mbs.Result), result
    (True, <Result of 'mechanism': 3 poses, 3 coordinates, complete>)
    >>> result["rod.B.vy"].round(3)  # 0.3 m times 10 rad/s times cos 10 t
    array([3.   , 2.633, 1.621])
    >>> result["motor.effort"].round(3)  # 2 kg times 9.81 m/s² times 0.15 m cos 10 t
    array([2.943, 2.583, 1.59 ])
    """

    title: str
    """The name of the model."""
    t: np.ndarray
    """The times, in s; or the values of a swept parameter."""
    q: np.ndarray
    """The coordinates of the bodies, one row for each time."""
    v: np.ndarray
    """The velocities of the bodies, one row for each time; in space of positions, and ω in body axes."""
    a: np.ndarray
    """The rates of `v`."""
    coordinate_names: tuple[str, ...]
    """The names of the columns of `q`."""
    quantities: Quantities
    """The source of named readings."""
    violation: Violation = cast(Any, Lazy())
    """The violation of the constraints."""
    sketch: Sketch = cast(Any, Lazy())
    """The source of pictures."""
    success: bool = True
    """Whether the run came to its end."""
    message: str = ""
    """Why the run stopped early, or a remark on it."""
    stats: Mapping[str, Any] = field(default_factory=dict)
    """Counts of steps and evaluations, the method, and further facts of the run."""
    axis: tuple[str, str] = ("t", "s")
    """The independent variable and its unit: time, or the name of a swept parameter."""
    multipliers: np.ndarray | None = cast(Any, Lazy(None))
    """λ of every row, (times, rows); None if no forces were computed."""
    reactions: Reactions | None = None
    """The source of `reaction` and `effort`; None if no forces were computed."""
    ledger: Energy | None = cast(Any, Lazy(None))
    """The source of `energy`; None if no forces were computed."""
    events: Log[Happening] = Log(kind="event")
    """The events of `mbs.Event`, in the order of time; ``result.events["top"]`` has those of one."""
    impacts: Log[Impact] = Log(kind="contact")
    """The impacts, in the order of time; ``result.impacts["floor"]`` has those of one contact."""
    transitions: Log[Transition] = Log(kind="contact or friction")
    """All changes of contacts, friction and stops, in the order of time; ``result.transitions["rub"]`` has those of
    one."""
    modes: Mapping[str, np.ndarray] = field(default_factory=dict)
    """The state of each contact over time: "open", "closed", with friction "sticks" or "slips", or "kept" closed by
    joints alone; one column for each of its points if there are several."""
    own: OwnMotion | None = None
    """The motion in the coordinates in which it was computed; q, v and a are always those of bodies. None in a result
    from a file."""
    past: Any = None
    """The run behind this result, for runs that continue from its states; None if there is none."""
    varied: Any = None
    """The source of derivatives, if some were requested."""
    certificate: Any = None
    """A `MotionCertificate` of the motion, if ``certify=True`` requested it."""

    @property
    def names(self) -> list[str]:
        """The names of the quantities of the motion: values, rates and accelerations of bodies, markers and joints;
        states.

        >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A")
        >>> motor = rod.add(mbs.Driver("motor", mbs.angle(rod.elements["A"]), 2 * mbs.t))
        >>> mbs.kinematics(rod, [0, 1]).names[:9]
        ['rod.x', 'rod.vx', 'rod.ax', 'rod.y', 'rod.vy', 'rod.ay', 'rod.angle', 'rod.omega', 'rod.alpha']
        """
        return self.quantities.names()

    @property
    def all_names(self) -> list[str]:
        """The names of all readable quantities: `names`; efforts, powers and components of reactions; energies;
        violations; vectors."""
        return [*self.scalar_names, *vectors(self._known)]

    @property
    def scalar_names(self) -> list[str]:
        """`all_names` without the vectors."""
        return [*self._known]

    def components(self, name: str) -> tuple[str, ...]:
        """Return the names of a vector's components, ``("B.Fx", "B.Fy")`` for ``"B.force"``; for a number its own
        name.

        >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A")
        >>> motor = rod.add(mbs.Driver("motor", mbs.angle(rod.elements["A"]), 2 * mbs.t))
        >>> mbs.kinematics(rod, [0, 1]).components("rod.B.v")
        ('rod.B.vx', 'rod.B.vy')
        """
        if name in self.quantities or name in self._derived or call_of(name):
            return (name,)
        if parts := components(str(name), self._known):
            return parts
        unknown = names_of_forces((e.name for e in self.sketch.elements), self.sketch.dimension)
        owner, _, word = str(name).rpartition(".")
        same = any(f"{owner}.{other}" in unknown for other in SYNONYMS.get(word, ()))
        if self.reactions is None and (same or name in unknown or components(str(name), unknown)):
            raise ModelError(NO_FORCES, code="no-forces", name=name, result=self.title)
        if word in CALLS and not any(f".{word}." in one for one in self.names):  # unless a marker has this name
            raise ModelError(
                f"{word.replace('_', ' ')} is not a name, but a call: result.{CALLS[word]}",
                code="is-a-call", call=CALLS[word], name=name,
            )  # fmt: skip
        if meant := calls_like(str(name)):
            raise unknown_name("quantity", name, meant, f"model {self.title!r}")
        raise self.quantities.unknown(str(name), [*self._derived.units, *vectors(self._known)])

    def unit(self, name: str) -> str:
        """Return the unit of a quantity, or of the components of a vector.

        >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A")
        >>> motor = rod.add(mbs.Driver("motor", mbs.angle(rod.elements["A"]), 2 * mbs.t))
        >>> mbs.kinematics(rod, [0, 1]).unit("rod.omega")
        'rad/s'
        """
        first = self.components(name)[0]
        if call_of(first):
            return "rad"
        return self.quantities.unit(first) if first in self.quantities else self._derived.units[first]

    def __getitem__(self, name: str) -> np.ndarray:
        if name in self.quantities:
            return self.quantities[name]
        if name in self._derived:
            return self._derived[name]
        if call := call_of(name):
            word, names = call
            if isinstance(self.q, Dual) and word not in ("transmission_angle", "pressure_angle"):
                raise ModelError(
                    f"derivatives of {name!r} are not known; ask for those of the places that it is made of",
                    code="no-derivative", name=name,
                )  # fmt: skip
            read: np.ndarray = getattr(self, word)(*names)
            return frozen(read)
        return frozen(np.stack([self[part] for part in self.components(name)], axis=1))

    def __contains__(self, name: str) -> bool:
        return (
            name in self.quantities
            or name in self._derived
            or bool(call_of(name) or components(str(name), self._known))
        )

    @cached_property
    def _derived(self) -> Derived:
        return Derived(self)

    @cached_property
    def _known(self) -> Mapping[str, None]:
        """The names of all numbers, in order."""
        return dict.fromkeys([*self.names, *self._derived.units])

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        state = "complete" if self.success else "stopped early"
        state += f": {self.message}" * bool(self.message)
        if note := self.stats.get("turned") or self.stats.get("slips"):
            state += f"; note: {note}"
        return f"<Result of {self.title!r}: {len(self.t)} poses, {len(self.coordinate_names)} coordinates, {state}>"

    def state(self, index: int = -1) -> State:
        """Return the state at one time (the last one by default), from which another run may start, ``simulate(model,
        times, result.state())``. States refer to their run: with the same model and options another run continues from
        any of them to the last bit. (From the last state at once; from others after repeating the run up to there.)

        >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=1)
        >>> first = mbs.simulate(rod, [0, 0.5], initial={"rod.omega": 2})
        >>> on = mbs.simulate(rod, [0.5, 1], first.state())
        >>> on["rod.angle"].round(6)
        array([1., 2.])
        """
        return provided("Result.state")(self, index)

    def d(self, name: str, by: Any) -> np.ndarray:
        """Return the derivative of a named quantity by a parameter, over time, if ``derivatives=`` requested it.

        The derivative of the end of a rotating rod by its length:

        >>> rod = mbs.PlanarModel("rod")
        >>> l = rod.parameter("l", 0.3, unit="m")
        >>> arm = rod.link("arm", (0, 0), (1, 0), length=l)
        >>> pin = rod.add(mbs.Revolute("A", rod.ground, arm.tail))
        >>> motor = rod.add(mbs.Driver("motor", mbs.angle(arm), 10 * mbs.t))
        >>> motion = mbs.kinematics(rod, [0, 0.05], derivatives=["l"])
        >>> motion.d("arm.head.x", "l").round(6)  # cos 10 t
        array([1.      , 0.877583])
        """
        return provided("Result.d")(self, name, by)

    def vector(self, name: str, axes: str = "world") -> np.ndarray:
        """Return the components of a vector over time along other axes, shape (len(t), 2 or 3): of a body or a marker,
        ``vector("rod.tip.a", axes="rod")``; for a reaction also of the joint's "first" or "second" body. The vector
        itself does not change: a velocity is relative to the world, a position counts from the world's origin.

        >>> model = mbs.PlanarModel("turning rod")
        >>> rod = model.link("rod", (0, 0), (2, 0))
        >>> A = mbs.Revolute("A", model.ground, rod.tail)
        >>> _ = model.add(A, mbs.Driver("motor", mbs.angle(A), 3 * mbs.t))
        >>> turning = mbs.kinematics(model, np.linspace(0, 1, 5))
        >>> bool(np.allclose(turning.vector("rod.head.a", axes="rod"), (-18, 0)))  # towards A, at every angle
        True
        """
        if self.components(name) == (name,):
            what = f"{name!r} is a number, and has no components along axes"
            raise ModelError(
                f"{what}; name a vector, e.g. {vector_of(self, name) or 'body.v'!r}",
                code="not-a-vector", argument="name", name=name,
            )  # fmt: skip
        values = self[name]
        return values if axes == "world" else named(self, axes, name.rpartition(".")[0]).parts(values)

    # --- forces ---

    def reaction(self, joint: str, axes: str = "world") -> np.ndarray:
        """Return the load of a joint on its second body over time: Fx, Fy and M in N and N m, shape (len(t), 3); in
        space force and moment, shape (len(t), 6). The moment is about the second marker. ``axes`` are those of the
        "world", of the joint's "first" or "second" body, or of any body or marker, "rod.tip".

        For redundant joints it is the least of all possible loads: see `is_unique`.

        A rod of 2 kg, released at the horizontal, loads its pin at first with a quarter of its weight:

        >>> rod = mbs.PlanarModel.from_points(
        ...     {"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=2, gravity=(0, -9.81))
        >>> round(float(mbs.simulate(rod, [0, 0.1]).reaction("A")[0, 1]), 6)
        4.905
        """
        return along(self, self._forces().world(joint), axes, joint)

    def is_unique(self, name: str) -> np.ndarray:
        """Return whether the reaction of a joint is determined over time: booleans, one for each component (world
        axes); or whether a quantity is, ``is_unique("B.Fx")``, ``is_unique("motor.effort")``.

        A beam on two pins. Their shares of a force along it are undetermined, the other components are determined:

        >>> model = mbs.PlanarModel("beam", gravity=(0, -9.81))
        >>> beam = model.link("beam", (0, 0), (2, 0), mass=1)
        >>> first = model.add(mbs.Revolute("A", model.ground, beam.tail))
        >>> other = model.add(mbs.Revolute("B", model.ground.at(2, 0), beam.head))
        >>> mbs.inverse_dynamics(model, [0]).is_unique("A")[0]
        array([False,  True,  True])
        """
        if self.reactions is None or name in self.reactions.names() or name not in self:
            return self._forces().unique(name)
        found = [self._derived.unique(part) for part in self.components(name)]
        columns = [np.ones(len(self), dtype=bool) if one is None else one for one in found]
        return np.stack(columns, axis=1).reshape(self[name].shape)

    def effort(self, name: str) -> np.ndarray:
        """Return the effort of a driver over time, in N or N m: the force or torque along the coordinate that it
        drives; for a spring, damper or motor along its own coordinate.

        >>> rod = mbs.PlanarModel.from_points(
        ...     {"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=2, gravity=(0, -9.81))
        >>> motor = rod.add(mbs.Driver("motor", mbs.angle(rod.elements["A"]), 0))
        >>> mbs.inverse_dynamics(rod, [0]).effort("motor").round(6)  # 2 kg held at 0.15 m
        array([2.943])
        """
        effort = self._forces().effort(name)
        if effort is None:
            raise ModelError(
                f"{name!r} has no single effort; read reaction({name!r})", code="no-single-effort", element=name
            )
        return effort

    def power(self, name: str) -> np.ndarray:
        """Return the power that a driver, a motor or a spring supplies to the mechanism over time, in W.

        >>> rod = mbs.PlanarModel.from_points(
        ...     {"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=2, gravity=(0, -9.81))
        >>> motor = rod.add(mbs.Driver("motor", mbs.angle(rod.elements["A"]), 10 * mbs.t))
        >>> mbs.inverse_dynamics(rod, [0, 0.1]).power("motor").round(3)  # 19.62 N times 1.5 m/s at the horizontal
        array([29.43 , 15.901])
        """
        self.effort(name)
        if name not in self._derived.rates:
            raise ModelError(
                f"{name!r} has no coordinate of its own, so no power; multiply its effort by a rate",
                code="no-coordinate", element=name,
            )  # fmt: skip
        return self._derived[f"{name}.{POWER}"]

    @property
    def energy(self) -> Energy:
        """The energy balance, in J: kinetic, potential, dissipated, supplied, and their constant total.

        >>> rod = mbs.PlanarModel.from_points(
        ...     {"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=2, gravity=(0, -9.81))
        >>> energy = mbs.simulate(rod, [0, 0.2, 0.4]).energy
        >>> bool(abs(energy.error).max() < 1e-6)
        True
        >>> np.allclose(energy.kinetic, energy.potential[0] - energy.potential)
        True
        """
        if self.ledger is None:
            raise ModelError(NO_FORCES, code="no-forces", name="energy", result=self.title)
        return self.ledger

    @property
    def smallest_singular_value(self) -> np.ndarray:
        """The smallest singular value of Φ_v over time (rows of unit length, redundant ones left out): 0 in a singular
        pose.

        A parallelogram, as it approaches the line on which it may change to another branch:

        >>> points = {"A": (0, 0), "B": (0, 1), "C": (2, 1), "D": (2, 0)}
        >>> model = mbs.PlanarModel.from_points(points, rods=["AB", "BC", "CD"], fixed="AD")
        >>> motor = model.add(mbs.Driver("motor", mbs.angle(model.elements["A"]), np.pi / 2 - mbs.t))
        >>> sizes = mbs.inverse_dynamics(model, [0, 1, 1.5]).smallest_singular_value
        >>> bool((np.diff(sizes) < 0).all())
        True
        """
        return self._forces().smallest_singular_value

    def _forces(self) -> Reactions:
        if self.reactions is None:
            raise ModelError(NO_FORCES, code="no-forces", result=self.title)
        return self.reactions


def vector_of(result: Result, name: str) -> str | None:
    """Return the name of the vector that contains this component; None if there is none."""
    vectors_of_result = result.all_names[len(result.scalar_names) :]
    return next((vector for vector in vectors_of_result if name in result.components(vector)), None)


@dataclass(frozen=True, eq=False)
class State(metaclass=PublicClass):
    """One pose with its velocities and accelerations: ``state["slider.x"]`` is a number, for a vector an array. Other
    runs may start from it: ``mbs.simulate(model, times, state)``.

    >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A")
    >>> state = mbs.assemble(rod, fix={"rod.angle": np.pi / 2, "rod.omega": 2})
    >>> isinstance(state, mbs.State), round(state["rod.B.y"], 6), round(state["rod.B.vx"], 6)
    (True, 0.3, -0.6)
    """

    system: Any
    """The compiled system of the pose."""
    t: float
    full_q: np.ndarray = field(repr=False)
    full_v: np.ndarray = field(repr=False)
    full_a: np.ndarray = field(repr=False)
    message: str = ""
    """A remark on undetermined quantities at this pose; empty if all are determined."""
    free: np.ndarray | None = field(default=None, repr=False)
    """A motion that the equations leave free, if the accelerations are the least ones that satisfy the equations."""
    past: Any = field(default=None, repr=False)
    """The run that contains this state."""

    @property
    def q(self) -> np.ndarray:
        """The coordinates of the bodies: x, y, angle of each; in space x, y, z and a unit quaternion."""
        return self.full_q[: self.system.nq]

    @property
    def v(self) -> np.ndarray:
        """The velocities of the bodies; in space of the position, and ω in body axes."""
        return self.full_v[: self.system.nv]

    @property
    def a(self) -> np.ndarray:
        """The rates of `v`."""
        return self.full_a[: self.system.nv]

    @property
    def motion(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Positions, velocities and accelerations as a motion of one instant, with bodies at rest."""
        return self.full_q[None], self.full_v[None], self.full_a[None]

    @cached_property
    def result(self) -> Result:
        """The pose as a result of one time."""
        return provided("State.result")(self)

    def __getitem__(self, name: str) -> Any:
        """Return a quantity as a number; a vector as an array of its components."""
        if any(provided("State.is_free")(self, part) for part in self.result.components(name)):
            warn(
                f"{name} is left free by the equations of {self.system.model.name!r}; this is the least acceleration "
                "that satisfies them, and not what forces make of it: use assemble(..., forces=True)",
                stacklevel=2,
            )
        value = self.result[name][0]
        return value if np.ndim(value) else float(value)

    def d(self, name: str, by: Any) -> Any:
        """Return the derivative of a quantity by a parameter or a fixed value that ``assemble(derivatives=)`` names.

        >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A")
        >>> state = mbs.assemble(rod, fix={"rod.angle": np.pi / 6}, derivatives=["rod.angle"])
        >>> round(state.d("rod.B.y", "rod.angle"), 6)  # 0.3 cos 30°
        0.259808
        """
        return provided("State.d")(self, name, by)

    def draw(self, ax: Any = None, **options: Any) -> Figure:
        """Draw the pose, in given axes or in a new matplotlib figure; return the figure.

        >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A")
        >>> figure = mbs.assemble(rod).draw(trace="rod.B")
        >>> len(figure.axes)
        1
        """
        return self.result.draw(0, ax, **options)
