"""A sweep over a parameter instead of time: how a pose changes with a dimension.

Each pose follows from the previous one in one smooth step (`poses.designs`), or in several smaller ones. A table holds
the numbers of the equations for each step, so that no value needs a new system.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..arguments import TableEnd, check_tables, model_of, note_on_tables, tables_left, truth_of
from ..compiled import System
from ..compiled.batch import PoseSequence
from ..compiled.derivatives import POSITIONS, builder_of
from ..compiled.reading import Trajectory
from ..derivatives.parameters import design_variables
from ..derivatives.sweeps import check_determined, sweep_with_derivatives
from ..errors import ModelError, SingularConfigurationError, check_name, checked_options, counted, shortened
from ..explain.contacts import note_on_overlap
from ..explain.explanation import no_loads
from ..kernels.blocks import block
from ..model.checks import warn_of_angles
from ..model.drivers import Driver
from ..model.model import Model
from ..model.parameters import Parameter, finite_number
from ..motion.contact.friction_faults import frictions_lost_at, no_friction
from ..motion.contact.reports import states_of, sticking_rows, sweeping_modes
from ..motion.initial import note_on_ratios
from ..motion.outcome import forces_along, in_the_limit, nonunique_forces, nonuniqueness_note
from ..poses.assembly import assembled
from ..poses.continuation import follow
from ..poses.dependence import PoseRank, elements_of, joints_at_fault
from ..poses.designs import ClosedPoses, ParameterSeries, follow_designs, slope_of
from ..readings.motion import design_of, result_of
from ..readings.reactions import ComputedReactions, Loads, SweptReactions
from ..results.result import Result, State
from ..tolerances import SWEEP_ACCELERATION
from .inverse_dynamics import check_no_states

DEPTH = 20  # greatest number of halvings of a step


@checked_options
def sweep(
    model: Model | System, parameter: str | Parameter, values: Sequence[float] | np.ndarray, t: float = 0.0,
    derivatives: Sequence[Any] = (), forces: bool = False,
) -> Result:  # fmt: skip
    """Return the pose (with velocity and acceleration at time t, in s) for each value of a parameter, as a `Result`.

    `parameter` is a parameter or its name, `values` are its values in its unit. The first pose is assembled from the
    placement; each of the others follows smoothly from the previous one. `derivatives` names parameters, the swept one
    or others, by which poses are differentiated where they are determined: see `Result.d`.

    With ``forces=True`` the result has ``effort(driver)`` and ``reaction(joint)`` of the quasi-static motion through
    these poses. Friction opposes the direction of the sweep in which a pose was reached (for the first pose, the
    direction in which the sweep leaves it). Drivers must hold all degrees of freedom; contacts are refused.

    The foot of a ladder of 5 m, which leans against a wall at the height h:

    >>> model = mbs.PlanarModel("ladder")
    >>> h = model.parameter("h", 4.0, unit="m")
    >>> ladder = model.link("ladder", (3, 0), (0, 4), length=5)
    >>> floor = model.add(mbs.PinInSlot("floor", model.ground, ladder.tail))
    >>> wall = model.add(mbs.Revolute("wall", model.ground.at(0, h), ladder.head))
    >>> mbs.sweep(model, "h", [4, 3])["ladder.tail.x"].round(6)
    array([3., 4.])
    """
    model = model_of(model)
    parameter = str(getattr(parameter, "symbol", parameter))  # a symbol or a Parameter is accepted, too
    _check_parameter(model, parameter)
    p = _checked_values(parameter, values)
    swept = PoseSequence(model.parameters[parameter].symbol, p.tolist())
    model.compile()  # the models below share the compiled structure
    model.check_along(*swept)
    warn_of_angles(model, {parameter: values}, "values")
    t = finite_number(t, "the time t")
    for value in {p.min(), p.max()}:
        check_tables(model.with_values({parameter: value}), np.array([t]))
    request = design_variables(model, derivatives)
    if truth_of(forces, "forces says whether efforts and reactions are computed"):
        _check_forces(model, parameter, p, request is not None)
    first = assembled(model.with_values({parameter: p[0]}), t)
    check_determined(first, request)
    path = _Path(first, swept)
    done = 1
    while done < p.size:
        stop = path.measure(done)
        done = path.go(path.designs, path.poses, done, stop)
        if done < stop:
            here, now = follow(path.step, path.poses.row(done - 1), float(p[done - 1]), float(p[done]), DEPTH)
            if now != p[done]:
                raise _limit_error(path, done, here, now)
            for rows, row in zip(path.poses, here, strict=True):
                rows[done] = row[0]
            done += 1
    return sweep_with_derivatives(path.result(done, **_loads(path, done) if forces else {}), request)


def _check_parameter(model: Model, name: str) -> None:
    """Refuse a name that is no parameter, and explain how to sweep a driver or a quantity."""
    driver = next((d for d in model.drivers if isinstance(d, Driver) and d.name == name.partition(".")[0]), None)
    if name not in model.parameters and driver is not None:
        unit = driver.measure.unit
        raise ModelError(
            f"{name!r} belongs to {driver.who} of {model.name!r}, and a sweep goes over a parameter; make the law "
            f'of the driver one: s = model.parameter("s", 0.0, unit={unit!r}), mbs.Driver({driver.name!r}, ..., s); '
            'sweep "s"',
            code="not-a-parameter", argument="parameter", name=name, kind="driver", driver=driver.name,
        )  # fmt: skip
    if name not in model.parameters and model.quantity_or_none(name):
        what = f"{name!r} is a quantity of {model.name!r}, and a sweep goes over a parameter"
        raise ModelError(
            f"{what}; follow the poses along it: mbs.follow(model, {name!r}), or drive it by a parameter",
            code="not-a-parameter", argument="parameter", name=name, kind="quantity",
        )  # fmt: skip
    if name in model.number_names and name not in model.parameters:
        what = f"{name!r} is an input of {model.name!r}, and a sweep goes over a parameter"
        raise ModelError(
            f"{what}; follow rests along it: mbs.equilibrium(model, over=({name!r}, [...]))",
            code="not-a-parameter", argument="parameter", name=name, kind="input",
        )  # fmt: skip
    check_name("parameter", name, model.parameters, f"model {model.name!r}")


def _check_forces(model: Model, parameter: str, p: np.ndarray, differentiated: bool) -> None:
    what = "sweep(forces=True)"
    if model.contacts:
        raise ModelError(
            f"{what} knows no contacts, and {model.name!r} has {model.contacts[0].who}; "
            f"use mbs.inverse_dynamics of a slow motion, or leave it out: model.without({model.contacts[0].name!r})",
            code="has-contacts", model=model.name, contacts=tuple(c.name for c in model.contacts), method=what,
        )  # fmt: skip
    if differentiated:
        raise ModelError(
            f"{what} has no derivatives; leave derivatives= or forces= out, or use mbs.inverse_dynamics",
            code="no-derivative", argument="derivatives", method=what,
        )  # fmt: skip
    if model.frictions and np.unique(p).size < 2:
        rubs = model.frictions[0].who
        raise ModelError(
            f"one value of {parameter!r} does not tell which way {rubs} rubs; give two or more",
            code="too-few-values", argument="values", name=parameter, friction=model.frictions[0].name, least=2,
        )  # fmt: skip
    check_no_states(model, what)


def _checked_values(parameter: str, values: Sequence[float] | np.ndarray) -> np.ndarray:
    try:
        p = np.array(values, dtype=float)
    except (TypeError, ValueError) as exc:
        raise ModelError(
            f"values of {parameter!r} must be numbers, not {shortened(values)}",
            code="not-a-number", argument="values", name=parameter, value=values,
        ) from exc  # fmt: skip
    if p.ndim != 1 or p.size == 0 or not np.isfinite(p).all():
        raise ModelError(
            f"values of {parameter!r} must be a non-empty list of finite numbers; use np.linspace(...)",
            code="not-finite", argument="values", name=parameter, shape=p.shape,
        )  # fmt: skip
    return p


class _Path:
    """The poses of a model along one of its parameters; the first pose is given."""

    def __init__(self, first: State, swept: PoseSequence):
        self.first, self.swept, self.machine = first, swept, first.system.machine()
        fixed, others = first.system.structure.lengths
        along = first.system.evaluator.along
        lengths = [np.hypot.reduce([along(x, *swept) for x in parts]) for parts in others]
        self.lengths = np.max([np.full(len(swept.values), fixed or 1e-300), *lengths], axis=0)
        p, state = np.array(swept.values), (first.full_q, first.system.still, first.full_v, first.full_a)
        self.designs, self.poses = self._designs(p), ClosedPoses(*(np.repeat(x[None], p.size, axis=0) for x in state))
        slope_of(self.machine, first.t, block(self.designs), 0, first.full_q, self.poses.slope[0])

    def _designs(self, p: np.ndarray) -> ParameterSeries:
        system, batch = self.first.system, self.first.system.structure.program.batch
        along = system.evaluator, self.swept.parameter, p.tolist()
        builder = builder_of(system.structure, (POSITIONS,), True)
        equations = builder.fill(batch.fill(system.evaluator), builder.dynamics.fill(system.evaluator).batch)
        return ParameterSeries(
            p, batch.numbers_along(*along), batch.slopes_along(*along), equations, 2 * builder.columns + 1
        )

    def measure(self, k: int) -> int:
        """Use the model length of design k for tolerances; return the number of the first design that is twice or half
        as long."""
        if not 0.5 < self.machine.length / self.lengths[k] < 2.0:
            self.machine = design_of(self.first.system, self.swept.parameter, self.swept.values[k]).machine()
        other = np.abs(np.log2(self.lengths[k:] / self.lengths[k])) >= 1.0
        return k + int(np.argmax(other)) if other.any() else len(self.lengths)

    def go(self, designs: ParameterSeries, poses: ClosedPoses, start: int, stop: int) -> int:
        return follow_designs(self.machine, self.first.t, block(designs), block(poses), start, stop)

    def step(self, here: ClosedPoses, now: float, target: float) -> ClosedPoses | None:
        both = ClosedPoses(*(np.repeat(x, 2, axis=0) for x in here))
        return both.row(1) if self.go(self._designs(np.array([now, target])), both, 1, 2) == 2 else None

    def result(self, count: int, **more: Any) -> Result:
        q, _, v, a = (x[:count] for x in self.poses)
        swept = PoseSequence(self.swept.parameter, self.swept.values[:count])
        poses, system = Trajectory(np.full(count, self.first.t), q, v, a), self.first.system
        overlap = note_on_overlap(system, poses, swept)
        notes = list[str]()
        if "reactions" in more:
            several = np.array([part.loads.nonunique.any() for part in more["reactions"].poses])
            notes += [more.pop("note"), note_on_ratios(system, self.first.t, q[0])]
            notes.append(nonuniqueness_note(swept.parameter, np.array(swept.values)[several]))
        facts = {"overlap": overlap, "note": "; ".join(filter(None, notes))}
        stats = {name: fact for name, fact in facts.items() if fact}
        return result_of(system, poses, swept=swept, stats=stats, **more)


def _loads(path: _Path, count: int) -> dict[str, Any]:
    """Return efforts and reactions at the poses of a sweep, at rest, with friction against its direction; and a note
    about tables that are read beyond their ends."""
    parts, pushes, modes, ends = [], [], [], list[TableEnd]()
    directions = np.sign(np.diff(path.swept.values[:count], prepend=np.nan))
    directions[0] = next((direction for direction in directions[1:] if direction), 0.0)
    for k in range(1, count):
        directions[k] = directions[k] or directions[k - 1]
    for k, direction in enumerate(directions):
        p = float(path.swept.values[k])
        where = f"at {path.swept.parameter} = {p:.6g}"
        system, q = design_of(path.first.system, path.swept.parameter, p), path.poses.q[k]
        still, t, rows = system.still[None], path.first.t, range(len(system.rows))
        motion = Trajectory(np.array([t]), q[None], still, still)
        redundant = len(PoseRank(system, t, q).dependent(rows))
        if freedom := system.nv - len(rows) + redundant:
            what = f"{system.model.name!r} has {counted(freedom, 'degree')} of freedom that no driver holds {where}"
            raise ModelError(
                f"{what}, so its efforts are not known; add {counted(freedom, 'driver')}",
                code="undriven-freedom", model=system.model.name, freedoms=int(freedom), name=path.swept.parameter.name,
                place=p,
            )  # fmt: skip
        rates = np.abs(system.read_constraints(*motion)[2][0])
        if (rates > SWEEP_ACCELERATION * system.length).any():
            who = elements_of(system, [int(row) for row in np.flatnonzero(rates > SWEEP_ACCELERATION * system.length)])
            what = f"{', '.join(who)} of {system.model.name!r} accelerates at t = {t:.6g}, and a sweep is at rest"
            raise ModelError(
                f"{what}; let the parameter that is swept move it, or use mbs.inverse_dynamics",
                code="not-at-rest", model=system.model.name, elements=who, time=float(t),
            )  # fmt: skip
        contacts = system.structure.contacts
        if (contacts.points or contacts.drags) and (lost := frictions_lost_at(system, t, q, system.still)):
            raise ModelError(
                "; ".join(no_friction(system.model.name, lost, p, path.swept.parameter.name)),
                code="friction-undefined-or-negative", values=lost, model=system.model.name,
                name=path.swept.parameter.name, place=p,
            )  # fmt: skip
        ends += tables_left(system, motion, {}, np.array([p]))
        modes_here = sweeping_modes(system, t, q, direction * path.poses.slope[k])
        done, multipliers, push, _, _ = forces_along(system, motion, modes_here)
        if not done:
            why = no_loads(system, t, q, system.still, f"sweep of {system.model.name!r} {where}")
            raise ModelError(
                why,
                code="loads-without-value", model=system.model.name, name=path.swept.parameter.name, place=p,
                pose=State(system, t, q, system.still, system.still),
            )  # fmt: skip
        least, _, undetermined = in_the_limit(system, motion, multipliers, redundant, np.zeros(0, dtype=int))
        loads = Loads(least, redundant, undetermined, nonunique_forces(system, motion, modes_here))
        sticking = sticking_rows(system, states_of(system, modes_here), 1)
        parts.append(ComputedReactions(system, motion, push, sticking, loads))
        pushes.append(push)
        modes.append(modes_here)
    system = path.first.system
    modes_of_frictions = states_of(system, np.concatenate(modes)) if system.model.frictions else {}
    note, pushed = note_on_tables(ends, path.swept.parameter.name), np.concatenate(pushes)
    return {"reactions": SweptReactions(tuple(parts)), "pushes": pushed, "modes": modes_of_frictions, "note": note}


def _limit_error(path: _Path, done: int, here: ClosedPoses, now: float) -> SingularConfigurationError:
    parameter, t, ((q,), _, (v,), (a,)) = path.swept.parameter, path.first.t, here
    system = design_of(path.first.system, parameter, now)
    names = joints_at_fault(system, t, q)
    message = (
        f"{system.model.name!r} cannot follow {parameter} beyond {now:.9g}: {', '.join(names)} reach their limit "
        "there; choose values on this side of it"
    )
    partial_result = path.result(done, success=False, message=message)
    pose = State(system, t, q, v, a)
    return SingularConfigurationError(
        message,
        code="limit-reached", name=parameter.name, model=system.model.name, time=t, parameter=now, pose=pose,
        joints=names, result=partial_result,
    )  # fmt: skip
