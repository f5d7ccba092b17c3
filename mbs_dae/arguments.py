"""Checks of the arguments of analyses."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
import sympy as sp

from .compiled import System
from .compiled.reading import Trajectory
from .compiled.structure import Structure
from .errors import ModelError, check_dict, check_name
from .model.breaks import law_of_time
from .model.checks import warn_of_angles
from .model.element import Element
from .model.model import Model
from .model.parameters import constants_out, finite_number
from .model.tables import Table
from .results.result import State
from .symbolic.derive import Reading
from .symbolic.functions import Lookup
from .symbolic.markers import t as time
from .tolerances import TABLE_END

Verb = TypeVar("Verb", bound=Callable[..., Any])


def model_of(thing: Model | System) -> Model:
    """Return the model of an argument, which is a model or its compiled system."""
    if isinstance(thing, System):
        return thing.model
    if isinstance(thing, Model):
        return thing
    raise ModelError(
        f"an analysis needs a model as first argument, not {thing!r}; build one: mbs.PlanarModel(name)",
        code="not-a-model", value=thing,
    )  # fmt: skip


def system_of(thing: Model | System) -> System:
    """Return the system in which a motion is computed: the given one, in its coordinates, or the model's Cartesian one;
    the latter, too, if all bodies stand still and there are no coordinates."""
    return thing if isinstance(thing, System) and thing.nv else model_of(thing).compile()


def without_derivatives(verb: Verb) -> Verb:
    """Return a function without derivatives, which raises an error if `derivatives` is given."""

    @wraps(verb)
    def told(*given: Any, **named: Any) -> Any:
        if "derivatives" in named:
            what = f"{verb.__name__}() has no derivatives; leave derivatives= out"
            raise ModelError(
                f"{what}, or ask assemble, kinematics, inverse_dynamics, sweep, equilibrium or linearize",
                code="derivative-not-available", method=verb.__name__,
            )  # fmt: skip
        return verb(*given, **named)

    return cast(Verb, told)


def check_without_contacts(model: Model, what: str) -> None:
    """Raise an error for a model with contacts, in analyses of equations alone: these do not say which contacts are
    closed or stick."""
    if rough := (*model.contacts, *model.frictions):
        names = ", ".join(repr(one.name) for one in rough)
        who = f"{what} knows no contacts, nor friction that sticks, and {model.name!r} has "
        who += ", ".join(one.who for one in rough)
        remedy = f"use mbs.simulate, or leave them out: model.without({names})"
        raise ModelError(
            f"{who}; {remedy}; what stays closed, or sticks, is a joint",
            code="has-contacts", model=model.name, contacts=tuple(one.name for one in rough), method=what,
        )  # fmt: skip


def as_state(given: Any) -> Any:
    """Return the state of an equilibrium; any other argument unchanged."""
    own = getattr(given, "state", None)
    return own if isinstance(own, State) else given


def check_start(model: Model, start: State | None) -> None:
    """Raise an error unless the start is a pose of this model, or of one with the same bodies."""
    if start is None:
        return
    if not isinstance(start, State):
        raise ModelError(
            f"start must be a pose of {model.name!r}, not {start!r}; use mbs.assemble(model)",
            code="not-a-pose", argument="start", model=model.name, start=start,
        )  # fmt: skip
    if [*start.system.model.bodies] != [*model.bodies]:
        what = f"start is a pose of {start.system.model.name!r}, which has other bodies than {model.name!r}"
        raise ModelError(
            f"{what}; assemble this model for a start",
            code="pose-of-other-model", argument="start", model=start.system.model.name,
        )  # fmt: skip


def truth_of(given: Any, what: str) -> bool:
    """Return True or False; raise an error for any other value."""
    if not isinstance(given, bool | np.bool_):
        raise ModelError(f"{what}, True or False, not {given!r}", code="not-true-or-false", value=given)
    return bool(given)


def checked_fix(model: Model, fix: Mapping[str, float] | None) -> dict[str, float]:
    """Return the held quantities and their values, checked."""
    given = {} if fix is None else fix
    check_dict("fix", given, "names and values", 'fix={"crank.angle": 0.6}')
    values = {name: finite_number(value, f"fix[{name!r}]") for name, value in given.items()}
    warn_of_angles(model, given, "fix")
    return values


def checked_step(step: float) -> float:
    """Return the longest step of a traced curve, checked, in lengths of the model."""
    step = finite_number(step, "step")
    if not 0.0 < step <= 0.25:
        raise ModelError(
            f"step is in lengths of the model, more than 0 and 0.25 at most, not {step:g}",
            code="out-of-bounds", argument="step", step=step,
        )  # fmt: skip
    return step


def whole_number(given: Any, what: str, least: int) -> int:
    """Return an integer of at least `least`; raise an error for any other value."""
    if not isinstance(given, int | np.integer) or isinstance(given, bool) or given < least:
        raise ModelError(
            f"{what}, a whole number from {least} on, not {given!r}", code="not-an-integer", least=least, value=given
        )
    return int(given)


def checked_seed(seed: int) -> int:
    return whole_number(seed, "seed is that of random numbers", 0)


def drivers_named(model: Model, release: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return the names of the drivers to be released, each once."""
    given: Any = () if release is None else (release,) if isinstance(release, str) else release
    if not isinstance(given, tuple | list) or not all(isinstance(one, str) for one in given):
        raise ModelError(
            f"release is the name of a driver, or several of them, not {release!r}",
            code="wrong-type", argument="release", release=release,
        )  # fmt: skip
    for one in given:
        check_name("driver", one, [driver.name for driver in model.drivers], repr(model.name))
    return tuple(dict.fromkeys(given))


def checked_over(model: Model, over: Any) -> tuple[str, list[float]]:
    """Return the name of the varied parameter or quantity, and its values in their order."""
    pair = isinstance(over, tuple | list) and len(over) == 2 and isinstance(over[0], str)
    if not (pair and np.ndim(over[1]) == 1):
        raise ModelError(
            f'over= takes a name and its values, e.g. over=("P", [0, 10, 20]), not {over!r}',
            code="wrong-shape", argument="over", over=over,
        )  # fmt: skip
    name, values = over
    numbers = [finite_number(value, f"a value of {name!r}") for value in values]
    warn_of_angles(model, {name: values}, "over")
    return name, numbers


def checked_times(times: Any) -> np.ndarray:
    """Return the times as an array, checked to increase."""
    if np.ma.is_masked(times):
        raise ModelError(
            "times are masked in part; leave out what is masked: times.compressed()", code="masked", argument="times"
        )
    try:
        kind = np.asarray(times).dtype.kind
        if kind in "mM" or (kind == "O" and any(hasattr(x, "total_seconds") for x in np.ravel(times))):
            raise ModelError(
                "times are seconds from the start, as numbers; write times.total_seconds()",
                code="needs-numbers", argument="times",
            )  # fmt: skip
        if kind in "USb":
            raise TypeError
        t = np.array(times, dtype=float)
    except (TypeError, ValueError) as exc:
        if isinstance(exc, ModelError):
            raise
        raise ModelError(
            f"times must be numbers, not {times!r}; use e.g. np.linspace(0, 1, 101)",
            code="not-a-number", argument="times", times=times,
        ) from exc  # fmt: skip
    if t.ndim != 1 or t.size == 0:
        raise ModelError(
            f"times must be a non-empty list, got shape {t.shape}; use e.g. np.linspace(0, 1, 101)",
            code="empty", argument="times", shape=t.shape,
        )  # fmt: skip
    if not np.isfinite(t).all():
        raise ModelError("times contain a value that is not finite; remove it", code="not-finite", argument="times")
    if not (t[1:] > t[:-1]).all():
        k = int(np.argmax(np.diff(t) <= 0))
        later, earlier = (repr(float(x)).removesuffix(".0") for x in (t[k + 1], t[k]))
        raise ModelError(
            f"times must increase, but {later} follows {earlier}; sort them and remove doubles",
            code="not-increasing", argument="times", later=later, earlier=earlier,
        )  # fmt: skip
    return t


def check_tables(model: Model, t: np.ndarray) -> None:
    """Raise an error if a table over time ends within the times. (A table over a length or an angle continues as its
    end tangent.)"""
    for element, table, place, of_state in model.compile().structure.once(open_tables):
        if of_state is not None:
            continue
        moments = t[np.unique(np.linspace(0, t.size - 1, 200).astype(int))]
        read = law_of_time(place, {p.symbol: p.value for p in model.parameters.values()})(moments)
        first, last = float(table.x[0]), float(table.x[-1])
        if read.min() < first - TABLE_END * (last - first) or read.max() > last + TABLE_END * (last - first):
            reach = f"it is read from {read.min():g} to {read.max():g}; shorten the times or extend the table"
            raise ModelError(
                f"{element.who} has a table from {first:g} to {last:g}, but {reach}",
                code="beyond-table", element=element.who, first=first, last=last,
            )  # fmt: skip


class TableEnd(NamedTuple):
    """A table that a motion reads beyond one of its ends."""

    element: Element
    table: Table
    beyond: float
    """The distance from the end, in the unit of the argument."""
    place: float
    where: float
    """The time, or the value of a swept parameter, at which the place is farthest beyond the end."""

    def told(self, axis: str) -> str:
        """Return a sentence about the table; `axis` is the name of the time, or of the swept parameter."""
        what = f"{self.element.who} has a table from {self.table.x[0]:g} to {self.table.x[-1]:g}, but it is read at "
        return f"{what}{self.place:g} ({axis} = {self.where:.6g}): beyond its ends it is a straight line"


def tables_left(
    system: System, motion: Trajectory, modes: Mapping[str, np.ndarray], values: np.ndarray | None = None
) -> list[TableEnd]:
    """Return the tables over lengths, angles and rates whose ends a motion has passed: beyond its ends a table
    continues as its end tangents. Friction of a contact reads none where `modes` has all of its points open. Ends are
    passed at `values` of a swept parameter, or by default at times."""
    found, values = list[TableEnd](), motion.t if values is None else values
    for element, table, _, of_state in system.structure.once(open_tables):
        if of_state is None or not len(motion.t):
            continue
        (reading, slots), (first, last) = of_state, table.x[[0, -1]]
        read = system.read_values(reading, slots, element.markers, *motion[:3])[:, 0]
        beyond = np.maximum(first - read, read - last)
        if element.name in modes:
            beyond[(modes[element.name].reshape(len(read), -1) == "open").all(axis=1)] = 0.0
        if beyond[k := int(np.argmax(beyond))] > 1e-9 * (last - first):
            found.append(TableEnd(element, table, float(beyond[k]), float(read[k]), float(values[k])))
    return found


def note_on_tables(ends: Iterable[TableEnd], axis: str = "t") -> str:
    """Return a sentence about each of these tables, at its place farthest beyond an end."""
    farthest: dict[tuple[str, str], TableEnd] = {}
    for end in sorted(ends, key=lambda end: end.beyond):
        farthest[end.element.name, end.table.digest] = end
    return "; ".join(end.told(axis) for end in farthest.values())


def open_tables(structure: Structure) -> list[tuple[Element, Table, sp.Expr, Any]]:
    """Return the tables that end, with their elements and arguments; and, if an argument does not depend on time and
    parameters alone, its reading from markers."""
    model, found = structure.model, {}
    known = {time, *(p.symbol for p in model.parameters.values())}
    for element in model.elements.values():
        for table, place, form in element.tables():
            if table.periodic or place.has(Lookup):
                continue
            of_state = None
            if not place.free_symbols <= known:
                of_state = constants_out(Reading(form.markers, (place,), steps=form.steps))
            found[element.name, table, place] = element, table, place, of_state
    return [*found.values()]
