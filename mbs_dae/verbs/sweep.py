"""A sweep over a parameter instead of time: how a pose changes when a length does.

Each pose follows from the one before in one smooth step (`poses.designs`), or in as many as it takes. For each step
there is a table of the numbers in the equations: nothing is built for a value.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..arguments import check_tables, checked_options, model_of
from ..compiled import System
from ..compiled.batch import Swept
from ..compiled.derivatives import POSITIONS, builder_of
from ..compiled.reading import Trajectory
from ..derivatives.parameters import asked_of
from ..derivatives.swept import check_determined, sweep_with_derivatives
from ..errors import ModelError, SingularConfigurationError, check_name
from ..explain.contacts import told_of_overlap
from ..kernels.blocks import block
from ..model.model import Model
from ..model.parameters import Parameter, finite_number
from ..poses.assembly import assembled
from ..poses.continuation import follow
from ..poses.dependence import joints_at_fault
from ..poses.designs import Designs, Poses, follow_designs, slope_of
from ..readings.motion import design_of, result_of
from ..results.result import Result, State

DEPTH = 20  # how often a step may be halved


@checked_options
def sweep(
    model: Model | System, parameter: str | Parameter, values: Sequence[float] | np.ndarray, t: float = 0.0,
    derivatives: Sequence[Any] = (),
) -> Result:  # fmt: skip
    """The pose (and its velocity and acceleration at time t) for each value of a parameter.

    The first pose is assembled from the placement; each of the others follows smoothly from the one before. Where
    poses are determined `derivatives` names parameters by which they are differentiated, the one that is swept or
    others: see `Result.d`.

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
    parameter = str(getattr(parameter, "symbol", parameter))  # its symbol will do, and what the model knows of it
    check_name("parameter", parameter, model.parameters, f"model {model.name!r}")
    p = _checked_values(parameter, values)
    swept = Swept(model.parameters[parameter].symbol, p.tolist())
    model.compile()  # so that the models below share it
    model.check_along(*swept)
    t = finite_number(t, "the time t")
    for value in {p.min(), p.max()}:
        check_tables(model.with_parameters(**{parameter: value}), np.array([t]))
    asked = asked_of(model, derivatives)
    first = assembled(model.with_parameters(**{parameter: p[0]}), t)
    check_determined(first, asked)
    path = _Path(first, swept)
    done = 1
    while done < p.size:
        stop = path.measure(done)
        done = path.go(path.designs, path.poses, done, stop)
        if done < stop:
            here, now = follow(path.step, path.poses.row(done - 1), float(p[done - 1]), float(p[done]), DEPTH)
            if now != p[done]:
                raise _stopped(path, done, here, now)
            for rows, row in zip(path.poses, here, strict=True):
                rows[done] = row[0]
            done += 1
    return sweep_with_derivatives(path.result(done), asked)


def _checked_values(parameter: str, values: Sequence[float] | np.ndarray) -> np.ndarray:
    try:
        p = np.array(values, dtype=float)
    except (TypeError, ValueError) as exc:
        raise ModelError(f"values of {parameter!r} must be numbers, not {values!r}") from exc
    if p.ndim != 1 or p.size == 0 or not np.isfinite(p).all():
        raise ModelError(f"values of {parameter!r} must be a non-empty list of finite numbers; use np.linspace(...)")
    return p


class _Path:
    """A model along one of its parameters: its poses, of which the first is known."""

    def __init__(self, first: State, swept: Swept):
        self.first, self.swept, self.machine = first, swept, first.system.machine()
        fixed, others = first.system.structure.lengths
        along = first.system.evaluator.along
        lengths = [np.hypot.reduce([along(x, *swept) for x in parts]) for parts in others]
        self.lengths = np.max([np.full(len(swept.values), fixed or 1e-300), *lengths], axis=0)
        p, known = np.array(swept.values), (first.full_q, first.system.still, first.full_v, first.full_a)
        self.designs, self.poses = self._designs(p), Poses(*(np.repeat(x[None], p.size, axis=0) for x in known))
        slope_of(self.machine, first.t, block(self.designs), 0, first.full_q, self.poses.slope[0])

    def _designs(self, p: np.ndarray) -> Designs:
        system, batch = self.first.system, self.first.system.structure.program.batch
        along = system.evaluator, self.swept.parameter, p.tolist()
        builder = builder_of(system.structure, (POSITIONS,), True)
        equations = builder.fill(batch.fill(system.evaluator), builder.dynamics.fill(system.evaluator).batch)
        return Designs(p, batch.numbers_along(*along), batch.slopes_along(*along), equations, 2 * builder.columns + 1)

    def measure(self, k: int) -> int:
        """Let the length of design k measure what follows; up to the first design that is twice or half as large."""
        if not 0.5 < self.machine.length / self.lengths[k] < 2.0:
            self.machine = design_of(self.first.system, self.swept.parameter, self.swept.values[k]).machine()
        other = np.abs(np.log2(self.lengths[k:] / self.lengths[k])) >= 1.0
        return k + int(np.argmax(other)) if other.any() else len(self.lengths)

    def go(self, designs: Designs, poses: Poses, start: int, stop: int) -> int:
        return follow_designs(self.machine, self.first.t, block(designs), block(poses), start, stop)

    def step(self, here: Poses, now: float, target: float) -> Poses | None:
        both = Poses(*(np.repeat(x, 2, axis=0) for x in here))
        return both.row(1) if self.go(self._designs(np.array([now, target])), both, 1, 2) == 2 else None

    def result(self, count: int, **more: Any) -> Result:
        q, _, v, a = (x[:count] for x in self.poses)
        swept = Swept(self.swept.parameter, self.swept.values[:count])
        poses, system = Trajectory(np.full(count, self.first.t), q, v, a), self.first.system
        overlap = told_of_overlap(system, poses, swept)
        return result_of(system, poses, swept=swept, stats={"overlap": overlap} if overlap else {}, **more)


def _stopped(path: _Path, done: int, here: Poses, now: float) -> SingularConfigurationError:
    parameter, t, ((q,), _, (v,), (a,)) = path.swept.parameter, path.first.t, here
    system = design_of(path.first.system, parameter, now)
    names = joints_at_fault(system, t, q)
    message = (
        f"{system.model.name!r} cannot follow {parameter} beyond {now:.9g}: {', '.join(names)} reach their limit "
        "there; choose values on this side of it"
    )
    kept = path.result(done, success=False, message=message)
    pose = State(system, t, q, v, a)
    return SingularConfigurationError(message, time=t, parameter=now, pose=pose, joints=names, result=kept)
