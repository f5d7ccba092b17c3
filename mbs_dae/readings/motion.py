"""The result of a motion of a compiled system: named arrays, computed on demand; poses of its bodies and markers; and
the states of the system for a result. Readings of a motion that carries derivatives carry them, too."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np

from ..compiled import System
from ..compiled.batch import PoseSequence
from ..compiled.program import ProgramBuilder
from ..compiled.python_kernel import difference
from ..compiled.reading import Reader, Trajectory, read_outputs
from ..compiled.structure import Structure
from ..duals import Dual
from ..errors import ModelError
from ..model.bodies.body import Marker
from ..model.forces.base import ForceElement
from ..model.joints import Gear, RackAndPinion, Spherical
from ..model.measures import Measure
from ..model.parameters import Parameter
from ..results.quantities import OwnMotion, Violation, frozen
from ..results.result import Result, State
from ..results.sketch import Sketch
from ..results.sketch import swept as sketch_of_sweep
from ..tolerances import POLE_COSINE
from .sketch import sketch_of


@dataclass(frozen=True, eq=False)
class ComputedQuantities:
    """Readings of a system's measures along a motion, in time or over a swept parameter; each measure is read once,
    with its rate and acceleration."""

    system: System
    motion: Trajectory
    swept: PoseSequence | None = None
    integrated: bool = False
    """Whether states and inputs have values: in the motion of a run, or a state of one."""
    pushes: np.ndarray | None = None
    """The forces along the rows of contacts, if they are known."""
    _read: dict[str, np.ndarray] = field(default_factory=dict)

    def names(self) -> list[str]:
        more = self._signals if self.integrated else ()
        return [*self.system.model.quantity_names(), *self._load_names, *more]

    @cached_property
    def _signals(self) -> dict[str, str]:
        """The units of states, inputs, and reactions in rates, by name."""
        return self.system.model.signal_units

    @cached_property
    def _load_names(self) -> tuple[str, ...]:
        """The names of the known loads."""
        return (*(self._contact_loads if self.pushes is not None else ()), *self._element_loads)

    @cached_property
    def _contact_loads(self) -> dict[str, str]:
        """The units of the forces of contacts and frictions, one for each row, by name."""
        elements = self.system.structure.contacts.elements
        return {f"{e.name}.{n}": unit for e in elements for n, unit in e.loads.items()}

    @cached_property
    def _element_loads(self) -> dict[str, tuple[ForceElement, str]]:
        """The other loads of force elements, by name: the element and the unit. (Not along a swept parameter.)"""
        forces = () if self.swept else self.system.model.forces
        return {f"{e.name}.{n}": (e, unit) for e in forces for n, unit in e.loads.items()}

    def unit(self, name: str) -> str:
        if name in self._contact_loads:
            return self._contact_loads[name]
        if name in self._element_loads:
            return self._element_loads[name][1]
        if name in self._signals:
            return self._signals[name]
        measure, level = self.system.model.quantity(name)
        return measure.units[level]

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):  # a list, for example, is no key
            return False
        if name in self._read or self.system.structure.quantity_or_none(name) or name in self._load_names:
            return True
        return self.integrated and name in self._signals

    def unknown(self, name: str, others: Iterable[str]) -> ModelError:
        if name in self._signals:
            what = f"{name!r} is not known here: states and inputs change in a run that integrates them"
            return ModelError(
                f"{what}; use mbs.simulate, for driven motions, too", code="known-in-runs-only", name=name
            )
        if name in self._contact_loads:
            what = f"forces of contacts, {', '.join(self._contact_loads)}, are not known here: they follow from a run"
            return ModelError(f"{what}; use mbs.simulate, and read its result", code="known-in-runs-only", name=name)
        return self.system.model.unknown_quantity(name, more=[*self._load_names, *others])

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self:
            raise self.unknown(name, ())
        if name not in self._read:
            self._read_one(name)
        if name not in self._read:
            raise ModelError(
                f"derivatives of {name!r} are not known; ask for those of {name.rpartition('.')[0]!r}",
                code="no-derivative", name=name,
            )  # fmt: skip
        return self._read[name]

    def _read_one(self, name: str) -> None:
        """Read a quantity, together with those of the same reader."""
        system = self.system
        if quantity := system.structure.quantity_or_none(name):
            owner, measure = name.rpartition(".")[0], quantity[0]
            if self.swept:
                reader = system.reader_by(system.structure.once(reader_of, owner, measure.levels), self.swept)
            else:
                reader = system.once(measure_reader, owner, measure.levels)
            self._read_with(reader, [(owner, measure)])
            self._check_pole(owner, measure)
        elif name in self._contact_loads:
            self._read_contact_loads()
        elif name in self._element_loads:
            self._read_element_loads(self._element_loads[name][0])
        else:
            self._read_signals()

    def _poles(self, ball: str) -> np.ndarray:
        """Return where a ball is turned by a right angle about its second axis, shape (times,): its other axes coincide
        there."""
        if (name := f"{ball}.angle_2") not in self._read:
            self._read_one(name)
        bend = self._read[name]
        return np.abs(np.cos(bend.value if isinstance(bend, Dual) else bend)) < POLE_COSINE

    def _check_pole(self, owner: str, measure: Measure) -> None:
        """Refuse to read the first angle of a ball, or the third, where it has no value."""
        ball = self.system.model.elements.get(owner)
        if isinstance(ball, Spherical) and measure.kind != "angle_2" and (at := self._poles(owner)).any():
            for level in measure.levels:
                del self._read[f"{owner}.{level}"]
            what = f"{measure.kind} of {ball.who} has no value at t = {self.motion.t[int(at.argmax())]:.6g}, where "
            what += "angle_2 is a right angle: the axes of its first and its third angle are one line there"
            raise ModelError(
                f"{what}; make the joint with other axes, axis= and x_axis=, or ask at other times",
                code="angle-without-value", joint=owner, angle=measure.kind,
                time=float(self.motion.t[int(at.argmax())]),
            )  # fmt: skip

    def read_all(self) -> dict[str, np.ndarray]:
        """Return all quantities by name."""
        model = self.system.model
        named = [(owner, measure) for owner in model.owners() for measure in model.measures_of(owner)]
        builder = self.system.structure.builder_of([m for _, m in named])
        self._read_with(self.system.reader_by(builder, self.swept), named)
        for ball in (name for name, element in model.elements.items() if isinstance(element, Spherical)):
            if (at := self._poles(ball)).any():
                for name in (f"{ball}.angle_1", f"{ball}.angle_3"):
                    self._read[name] = frozen(np.where(at, np.nan, self._read[name]))
        if self.integrated:
            self._read_signals()
        if self.pushes is not None:
            self._read_contact_loads()
        for element in dict.fromkeys(e for e, _ in self._element_loads.values()):
            self._read_element_loads(element)
        return dict(self._read)

    def violation(self) -> Violation:
        """Return the violation of the constraints along the motion."""
        system = self.system
        read = system.reader_by(system.structure.program, self.swept) if self.swept else system.read_constraints
        return Violation(frozen(read(*self.motion)), system.structure.owners)

    def _read_signals(self) -> None:
        system, (t, q, v, _) = self.system, self.motion
        self._read.update({str(s): frozen(q[:, place].copy()) for s, place in system.layout.signals.items()})
        if isinstance(q, Dual):
            return
        batch = system.signals.rates.batch
        outputs, moving = read_outputs(batch, t, q, v), [s for s in system.model.states if not s.is_held]
        places = zip(moving, system.signals.rates.source, strict=True)
        self._read.update({f"{s.name}.rate": frozen(outputs[:, k].copy()) for s, k in places})

    def _read_contact_loads(self) -> None:
        assert self.pushes is not None
        loads = self.pushes.T[: len(self._contact_loads)].copy()  # the separating forces of wheels follow
        self._read.update(zip(self._contact_loads, map(frozen, loads), strict=True))

    def _read_element_loads(self, element: ForceElement) -> None:
        reading, slots = element.told
        check_read(reading, self.motion.q, element.who)
        read = self.system.read_values(reading, slots, element.markers, *self.motion[:3])
        self._read.update(zip((f"{element.name}.{n}" for n in element.loads), map(frozen, read.T.copy()), strict=True))

    def _read_with(self, reader: Reader, named: list[tuple[str, Measure]]) -> None:
        read = reader(*self.motion)
        for k, (owner, measure) in enumerate(named):
            for level, values in zip(measure.levels, read, strict=True):
                if level:
                    self._read[f"{owner}.{level}"] = frozen(values[:, k])


def reader_of(structure: Structure, owner: str, levels: tuple[str, ...]) -> ProgramBuilder:
    """Return the program that reads one measure, in all motions of all designs."""
    return structure.builder_of([m for m in structure.model.measures_of(owner) if m.levels == levels])


def measure_reader(system: System, owner: str, levels: tuple[str, ...]) -> Reader:
    """Return the reader of one measure, with the numbers of a design."""
    return system.reader_by(system.structure.once(reader_of, owner, levels))


# --- readings of a motion that carries its derivatives ---


def check_read(form: Any, q: Any, who: str) -> None:
    """Refuse a reading that depends on states or inputs: slopes of expressions are known by positions and velocities
    only."""
    if isinstance(q, Dual) and form.signals:
        what = f"{who} depends on states or inputs, and derivatives of what it does are not known"
        raise ModelError(
            f"{what}; ask for the motion, for states, or for what joints carry", code="no-derivative", owner=who
        )


def function_values(function: Callable[[float, Any], Any], times: np.ndarray, states: Any) -> Any:
    """Return the values of a Python function at each time. The function gets plain numbers; derivatives, if requested,
    are finite differences."""
    if not isinstance(states, Dual):
        return np.array([function(t, state) for t, state in zip(times, states, strict=True)])
    value = function_values(function, times, states.value)
    slope = np.zeros((len(states.by), *value.shape))
    for k, (t, state) in enumerate(zip(times, states.value, strict=True)):

        def at_time(x: np.ndarray, t: float = t) -> np.ndarray:
            return np.array(function(t, x))

        slope[:, k] = [difference(at_time, state, direction) for direction in states.slope[:, k]]
    return Dual(value, slope, states.by)


# --- results ---


def result_of(
    system: System, motion: Trajectory, *, t: np.ndarray | None = None, swept: PoseSequence | None = None,
    integrated: bool = False, pushes: np.ndarray | None = None, **more: Any,
) -> Result:  # fmt: skip
    """Return the result of a motion of a system, or of poses over a swept parameter. `t` are the requested times, if
    laws are read at others; with `integrated` the motion has values of states; `pushes` are the forces of contacts."""
    if "own" not in more:
        more["own"] = own_motion(system, motion)
    motion, system = system.of_bodies(motion), system.cartesian
    if swept is None:
        _check_meshes(system, motion)
    quantities, t = ComputedQuantities(system, motion, swept, integrated, pushes), motion.t if t is None else t
    if swept is not None:
        t, name = np.array(swept.values), str(swept.parameter)
        more["axis"] = name, system.model.parameters[name].unit

    more |= {"violation": quantities.violation, "sketch": partial(sketch_along, system, swept)}  # computed when read
    q, v, a = _moving_bodies(system, motion)
    return Result(system.model.name, frozen(np.array(t)), q, v, a, system.coordinate_names, quantities, **more)


def sketch_along(system: System, swept: PoseSequence | None) -> Sketch:
    """Return the shapes of a model for drawing; over a swept parameter those of all its values. (A result keeps this
    call until its shapes are read, and can be pickled with it.)"""
    if swept is None:
        return sketch_of(system.model, system.evaluator)
    numbers = (system.evaluator.at(swept.parameter, value) for value in swept.values)
    return sketch_of_sweep([sketch_of(system.model, number) for number in numbers])


def _check_meshes(system: System, motion: Trajectory) -> None:
    """Check that pitch circles touch each other, where no body holds their axes, and the pitch lines of racks, at all
    times."""
    for mesh in system.model.conditions:
        if isinstance(mesh, Gear) and mesh.distance is not None:
            reading, markers = mesh.distance
            apart = system.read_values(reading, {}, markers, *motion[:3])
            mesh.check_free(system.evaluator, motion.t, *apart.T)
        elif isinstance(mesh, RackAndPinion) and motion.t.size:
            places = system.read_values(mesh.pitch, {}, mesh.markers, *motion[:3])
            mesh.check_mesh(system.evaluator, motion.t, *places.T)


def own_motion(system: System, motion: Trajectory) -> OwnMotion:
    return OwnMotion(system.coordinates.set, system.coordinate_names, *_moving_bodies(system, motion))


def _moving_bodies(system: System, motion: Trajectory) -> Iterator[np.ndarray]:
    """Return q, v and a without bodies at rest."""
    return map(frozen, (motion.q[:, : system.nq], motion.v[:, : system.nv], motion.a[:, : system.nv]))


def marker_frame(system: System, q: np.ndarray, marker: Marker) -> tuple[np.ndarray, np.ndarray]:
    """Return the point of a marker, and the matrix whose columns are its axes, for Cartesian coordinates q."""
    points, axes = marker_frames(system, q[None], marker)
    return points[0], axes[0]


def marker_frames(system: System, q: np.ndarray, marker: Marker) -> tuple[np.ndarray, np.ndarray]:
    """Return the points of a marker, (poses, dimension), and the matrices whose columns are its axes, (poses,
    dimension, dimension), for Cartesian coordinates of poses, a row each."""
    point, axes = marker.on_body(system.evaluator)
    A = system.layout.rotation(q, marker.body)
    return q[:, list(system.layout.q[marker.body])[: point.size]] + A @ point, A @ axes


def computed(result: Result) -> ComputedQuantities:
    """Return the quantities with which a result of this process was computed."""
    if not isinstance(result.quantities, ComputedQuantities):
        raise ModelError(
            "a result from a file has no states to go on from; run it again, or give initial values",
            code="result-from-file",
        )  # fmt: skip
    return result.quantities


def state_of(result: Result, index: int) -> State:
    quantities = computed(result)
    system, (t, q, v, a) = quantities.system, quantities.motion
    if isinstance(index, bool) or not isinstance(index, int | np.integer) or not -t.size <= index < t.size:
        what = f"the result has no state {index!r}: it has {t.size}, by number from 0"
        raise ModelError(
            f"{what}; for that at a time, ask for this time and give its place in result.t",
            code="out-of-bounds", argument="index", value=index, count=int(t.size),
        )  # fmt: skip
    if swept := quantities.swept:
        system = design_of(system, swept.parameter, float(swept.values[index]))
    instant = float((t if swept else result.t)[index]), q[index].copy(), v[index].copy()
    return State(system, *instant, a[index].copy(), past=result.past and result.past.at(*instant))


def design_of(system: System, parameter: Parameter, value: float) -> System:
    """Return the Cartesian system at another value of one parameter."""
    return system.model.with_values({parameter.name: value}).compile()


def result_of_state(state: State) -> Result:
    return result_of(state.system, Trajectory(np.array([state.t]), *state.motion), integrated=True)


def is_free(state: State, name: str) -> bool:
    """Return whether the name is an acceleration that the equations alone do not determine."""
    system, free = state.system, state.free
    owner, _, load = name.rpartition(".")
    others = name in system.model.signal_units or load in getattr(system.model.elements.get(owner), "loads", ())
    if free is None or others or (quantity := system.model.quantity(name))[1] < 2:
        return False
    row = system.reader([quantity[0]]).jacobian(state.t, state.full_q).toarray()[0]
    size = np.sqrt((row**2 / system.weight).sum() * (system.weight @ free**2))
    return bool(abs(row @ free) > 1e-6 * size)
