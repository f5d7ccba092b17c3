"""Read a request: two quantities or parameters with their ranges, held quantities, and an initial pose."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..arguments import as_state, check_tables, drivers_named
from ..compiled.status import DONE
from ..errors import ModelError, check_dict, counted
from ..model.checks import warn_of_angles
from ..model.joints import Gear, RackAndPinion, Screw
from ..model.model import Model
from ..model.parameters import finite_number
from ..poses import newton
from ..poses.assembly import model_with_fixes, posed
from ..poses.local import free_motions
from ..results.result import State
from ..tolerances import RANGE_INSET
from ..verbs.curves.release import drivers_of, without_drivers
from .following.equations import PlaneEquations, PosePoint
from .rods import RodPlaces

EXAMPLE = '{"crank1.angle": (-1.0, 1.0), "crank2.angle": (0.0, 2.0)}'
ASIDE = 0.05
"""Distance from a pose at which ranks are computed, in lengths of the model, because the pose may be singular."""
FARTHEST = 1e6
"""The largest end of a range, in lengths of the model, in rad, or in values of a parameter: crossings of curves are
right to ε times the range, and no mechanism of rigid bodies reaches so far."""


@dataclass(frozen=True, eq=False)
class ValuePlane:
    """Quantities or parameters, with the units of their values."""

    names: tuple[str, ...]
    units: tuple[str, ...]
    of_model: tuple[bool, ...]
    """Whether each is a parameter."""
    scale: np.ndarray
    turns: np.ndarray
    """The period of each value; 0 for a value that does not repeat."""

    @property
    def columns(self) -> list[tuple[str, bool]]:
        return list(zip(self.names, self.of_model, strict=True))

    @property
    def quantities(self) -> list[str]:
        return [name for name, own in self.columns if not own]


def plane_of(model: Model, names: Sequence[str], what: str) -> ValuePlane:
    """Return the plane of these names, checked: different names, each a value."""
    if isinstance(names, str):
        raise ModelError(
            f"{what} takes the names of several quantities or parameters, ({names!r}, ...), not one text",
            code="not-a-list", argument=what, value=names,
        )  # fmt: skip
    if not isinstance(names, tuple | list):
        raise ModelError(
            f"{what} takes the names of several quantities or parameters, not {names!r}",
            code="not-a-list", argument=what, value=names,
        )  # fmt: skip
    names = tuple(str(getattr(name, "symbol", name)) for name in names)
    if len(set(names)) < len(names) or len(names) < 2:
        raise ModelError(
            f"{what} takes two different quantities or parameters, not {names}",
            code="not-two-different-names", argument=what, names=names,
        )  # fmt: skip
    units, parameters, turns = [], [], []
    periodic = not any(isinstance(e, Gear | RackAndPinion | Screw) for e in model.elements.values())
    for name in names:
        if name in model.parameters:
            unit, own = model.parameters[name].unit, True
        else:
            unit, own = value_unit(model, name, what), False
        units.append(unit)
        parameters.append(own)
        turns.append(2.0 * np.pi if unit == "rad" and not own and periodic else 0.0)
    length = model.compile().length
    scale = np.array([length if unit == "m" else 1.0 for unit in units])
    return ValuePlane(names, tuple(units), tuple(parameters), scale, np.array(turns))


def check_not_held(plane: ValuePlane, fix: Mapping[str, float]) -> None:
    for name in plane.names:
        if name in fix:
            raise ModelError(
                f"{name!r} is held by fix=, and cannot vary; leave it out there",
                code="contradictory-arguments", argument="over", other="fix", name=name,
            )  # fmt: skip


def value_unit(model: Model, name: str, what: str) -> str:
    found = model.quantity_or_none(name)
    if found is None:
        raise model.unknown_quantity(name, 1, model.parameters)
    measure, level = found
    if level or measure.lowest:
        raise ModelError(
            f"{what}: {name!r} is a rate; take a value, such as {name.rpartition('.')[0]}.{measure.levels[0]}",
            code="is-a-rate", argument=what, name=name,
        )  # fmt: skip
    return measure.units[0]


def ranges_of(model: Model, over: Any) -> tuple[ValuePlane, np.ndarray, np.ndarray]:
    check_dict("over", over, "names and ranges", EXAMPLE, empty=False)
    if len(over) != 2:
        raise ModelError(
            f"over takes two quantities or parameters, not {len(over)}: {', '.join(map(str, over))}; e.g. {EXAMPLE}",
            code="wrong-length", argument="over", names=tuple(map(str, over)), count=len(over), length=2,
        )  # fmt: skip
    plane = plane_of(model, [*over], "over")
    low, high = np.zeros(2), np.zeros(2)
    for k, (name, pair) in enumerate(over.items()):
        try:
            one, other = pair
        except (TypeError, ValueError) as exc:
            raise ModelError(
                f"over[{str(name)!r}] must be a pair (from, to), not {pair!r}",
                code="wrong-length", argument="over", name=str(name), value=pair, length=2,
            ) from exc  # fmt: skip
        low[k], high[k] = (finite_number(x, f"over[{str(name)!r}]") for x in (one, other))
        if not low[k] < high[k]:
            raise ModelError(
                f"over[{str(name)!r}] goes from {low[k]:g} to {high[k]:g}; give the lower end first",
                code="bounds-upside-down", argument="over", name=str(name), value=(float(low[k]), float(high[k])),
            )  # fmt: skip
        size = max(plane.scale[k], abs(model.parameters[str(name)].value) if plane.of_model[k] else 0.0)
        if (end := low[k] if -low[k] > high[k] else high[k]) and abs(end) > FARTHEST * size:
            unit = plane.units[k]
            what = f"over[{str(name)!r}] reaches {end:g} {unit}, more than {FARTHEST:g} times {size:.6g} {unit}"
            raise ModelError(
                f"{what}, the size of the model; give a range within reach of the mechanism",
                code="out-of-bounds", argument="over", name=str(name), value=float(end), most=float(FARTHEST * size),
            )  # fmt: skip
        if plane.of_model[k]:
            # the ends of the range may be invalid, such as a length of 0
            for value in (low[k] + RANGE_INSET * (high[k] - low[k]), high[k] - RANGE_INSET * (high[k] - low[k])):
                try:
                    model.with_values({str(name): value}).compile()
                except ModelError as error:
                    what = f"over[{str(name)!r}] goes from {low[k]:g} to {high[k]:g}"
                    raise ModelError(
                        f"{what}, but {error}",
                        code="no-model-in-range", argument="over", name=str(name), value=float(value),
                        reason=str(error),
                    ) from error  # fmt: skip
    warn_of_angles(model, over, "over")
    return plane, low, high


def points_of(values: Any) -> np.ndarray:
    """Return points of a plane, (n, 2); one pair is one point."""
    try:
        points = np.atleast_2d(np.asarray(values, dtype=float))
    except (TypeError, ValueError):
        points = np.zeros((0, 0))
    if points.ndim != 2 or points.shape[1] != 2 or not np.isfinite(points).all():
        raise ModelError(
            f"points are pairs of finite numbers, [(0.1, 0.2), ...], not {values!r}",
            code="wrong-shape", argument="points", value=values,
        )  # fmt: skip
    return points


# --- drivers that are released ----------------------------------------------------------------------------------------


def release_drivers(model: Model, names: Iterable[str], release: str | Sequence[str] | None, t: float) -> Model:
    """Return the model without the drivers of these quantities, and without those named in `release`."""
    drivers = [*drivers_named(model, release)]
    for name in (name for name in names if name not in model.parameters):
        drivers += [d for d in drivers_of(model, name, t, model.compile().placement) if d not in drivers]
    return without_drivers(model, drivers)


# --- equations with values left open ----------------------------------------------------------------------------------


def equations_of(
    model: Model, t: float, plane: ValuePlane, fix: Mapping[str, float], apart: Iterable[str] = ()
) -> PlaneEquations:
    """Return the equations of the model with the quantities of a plane left open, and others held at values; the rank
    of those held `apart` is not tested."""
    quantities = plane.quantities
    held, places = model_with_fixes(model.compile().structure, 0, (*quantities, *fix))
    values = {place: fix[name] for place, name in places.items() if name in fix}
    values |= {p.symbol.name: p.value for p in model.parameters.values()}
    system = held.with_values(values).compile()
    rows = [None if own else row_of(system, name) for name, own in plane.columns]
    symbols = [model.parameters[name].symbol if own else None for name, own in plane.columns]
    own = {name: place for place, name in places.items()}
    places_of_values = [name if of_model else own[name] for name, of_model in plane.columns]
    apart_rows = [row_of(system, name) for name in apart]
    return PlaneEquations(system, t, rows, symbols, plane.scale, apart_rows, places_of_values)


def row_of(system: Any, name: str) -> int:
    return int(system.rows_of(f"fix {name.replace('.', ' ')}")[0])


@dataclass(frozen=True, eq=False)
class InitialPose:
    """An initial pose of the model, and poses near it in general position."""

    model: Model
    t: float
    q: np.ndarray
    nearby: tuple[np.ndarray, ...]
    freedom: int
    """The freedom of the model with the quantities of `fix` held."""
    rods: RodPlaces | None = None
    """The places of rods that distances replace in the model; None if there are none."""

    @property
    def whole(self) -> Model:
        """The model with its rods."""
        return self.rods.whole.model if self.rods else self.model

    def poses(self, q: np.ndarray) -> np.ndarray:
        """Return poses of the whole model in solutions of the equations, a row each."""
        own = q[:, : self.q.size]
        return self.rods.poses(own) if self.rods else own

    def without_rods(self, asked: Iterable[str]) -> InitialPose:
        """Return the pose in the model with distances instead of rods, of which none of the quantities is asked."""
        rods = RodPlaces.of(self.model, self.q, asked)
        if rods is None:
            return self
        nearby = tuple(rods.without(q) for q in self.nearby)
        return InitialPose(rods.bare.model, self.t, rods.without(self.q), nearby, self.freedom, rods)


def initial_pose(model: Model, t: float, fix: Mapping[str, float], start: Any) -> InitialPose:
    check_tables(model, np.array([t]))
    system = model.compile()
    if system.machine().program.velocity_rows > 0:
        what = (
            f"{model.name!r} has equations that restrict velocities alone: where it can be follows from the way it goes"
        )
        raise ModelError(f"{what}, and values do not tell its pose", code="nonholonomic", model=model.name)
    q, machine, _ = posed(model, t, fix, as_state(start))
    fixed = equations_system(model, fix)
    machine = fixed.machine()
    motions, nearby = free_motions(fixed, t, q), []
    random = np.random.default_rng(5)
    for _ in range(4 if motions.shape[1] else 0):
        direction = motions @ random.standard_normal(motions.shape[1])
        step = fixed.still
        step[: fixed.nv] = (
            ASIDE * fixed.length * direction / np.linalg.norm(direction) / np.sqrt(fixed.weight[: fixed.nv])
        )
        there = fixed.moved(q, step[: fixed.nv])
        if newton.close(machine, t, there, fixed.still, 20) == DONE:
            nearby.append(there)
    freedom = min([motions.shape[1], *(free_motions(fixed, t, there).shape[1] for there in nearby)])
    return InitialPose(model, t, q, tuple(nearby), freedom)


def equations_system(model: Model, fix: Mapping[str, float]) -> Any:
    """Return the system of the model with values held."""
    held, places = model_with_fixes(model.compile().structure, 0, tuple(fix))
    values = {p.symbol.name: p.value for p in model.parameters.values()}
    return held.with_values({**values, **{place: fix[name] for place, name in places.items()}}).compile()


def select_independent(equations: PlaneEquations, initial: InitialPose, plane: ValuePlane) -> PosePoint:
    """Leave out the rows that depend on others everywhere, and check that the values may vary; return the first
    point."""
    best, values = np.zeros(0, dtype=int), Values(initial.model, initial.t, plane)
    for q in (*initial.nearby, initial.q):
        equations.independent_at(q, values(q))
        if len(equations.rows) > len(best):
            best = equations.rows
    equations.select_rows(best)
    dependent = [plane.names[k] for row, k in equations.held if row not in best]
    if dependent:
        others = [d.name for d in initial.model.drivers]
        why = (
            f"the drivers {', '.join(others)} and fix= hold it"
            if others
            else "joints, other quantities or fix= hold it"
        )
        raise ModelError(
            f"{dependent[0]!r} cannot vary by itself in {initial.model.name!r}: {why}; take another, or release= one",
            code="depends-on-others", model=initial.model.name, name=dependent[0], drivers=tuple(others),
        )  # fmt: skip
    return PosePoint(initial.q.copy(), values(initial.q), np.zeros(0))


@dataclass(frozen=True, eq=False)
class Values:
    """The values of a plane in poses of a model."""

    model: Model
    t: float
    plane: ValuePlane

    @cached_property
    def _reader(self) -> Any:
        system = self.model.compile()
        return system.reader([self.model.quantity(name)[0] for name in self.plane.quantities])

    def __call__(self, q: np.ndarray) -> np.ndarray:
        out = np.array([self.model.parameters[n].value if own else 0.0 for n, own in self.plane.columns])
        if self.plane.quantities:
            still = self.model.compile().still[None]
            quantities = ~np.array(self.plane.of_model)
            out[quantities] = self._reader(np.array([self.t]), q[None], still, still)[0, 0]
        return out


def check_freedom(initial: InitialPose, plane: ValuePlane, redundant: bool) -> None:
    """Check that there are as many freedoms as open quantities; more are accepted if `redundant`."""
    varied, freedom, who = 2 - sum(plane.of_model), initial.freedom, repr(initial.model.name)
    if freedom < varied:
        drivers = ", ".join(d.name for d in initial.model.drivers)
        remedy = (
            f"release= a driver ({drivers})" if drivers else "take a joint or fix= away, or vary a parameter instead"
        )
        what = (
            f"{who} has {counted(freedom, 'degree')} of freedom, and {counted(varied, 'quantity')} cannot vary freely"
        )
        raise ModelError(
            f"{what.replace('quantitys', 'quantities')}; {remedy}",
            code="too-few-freedoms", model=initial.model.name, freedoms=freedom, varied=varied,
        )  # fmt: skip
    if freedom > varied and not redundant:
        more = freedom - varied
        what = f"{who} has {counted(freedom, 'degree')} of freedom, and {varied} are varied"
        raise ModelError(
            f'{what}; hold {more} more by fix={{"rod.angle": 0.3}} or by drivers',
            code="too-many-freedoms", model=initial.model.name, freedoms=freedom, varied=varied,
        )  # fmt: skip


def state_at(initial: InitialPose, q: np.ndarray, names: Sequence[str] = (), values: Iterable[float] = ()) -> State:
    """Return a pose as a state of the model at rest, from which other analyses may start. Named values that are
    parameters are put into the model."""
    return states_at(initial, [q], names, values)[0]


def states_at(
    initial: InitialPose, q: Sequence[np.ndarray], names: Sequence[str] = (), values: Iterable[float] = ()
) -> tuple[State, ...]:
    """Return poses with equal values as states, as `state_at` does."""
    if not len(q):
        return ()
    model = initial.whole
    numbers = {name: float(value) for name, value in zip(names, values, strict=True) if name in model.parameters}
    system = (model.with_values(numbers) if numbers else model).compile()
    poses = initial.poses(np.array(q))
    return tuple(State(system, initial.t, pose.copy(), system.still, system.still) for pose in poses)
