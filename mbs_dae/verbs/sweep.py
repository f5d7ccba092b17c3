"""A sweep over a parameter instead of time: how a pose changes when a length does.

The first pose is assembled; each of the others follows from the one before in one smooth step (`poses.designs`), or in
as many as it takes. For each step there is a table of the numbers in the equations: nothing is built for a value.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..arguments import model_of
from ..compiled import System
from ..compiled.batch import Swept
from ..compiled.reading import Trajectory
from ..errors import ModelError, SingularConfigurationError, check_name
from ..model.model import Model
from ..model.parameters import Parameter, finite_number
from ..poses.assembly import assembled
from ..poses.continuation import follow
from ..poses.dependence import joints_at_fault
from ..poses.designs import WIDTH, Designs, follow_designs, slope_of
from ..readings.motion import design_of, result_of
from ..results.result import Result, State

DEPTH = 20  # how often a step may be halved


def sweep(
    model: Model | System, parameter: str | Parameter, values: Sequence[float] | np.ndarray, t: float = 0.0
) -> Result:
    """The pose (and its velocity and acceleration at time t) for each value of a parameter.

    The first pose is assembled from the placement; each of the others follows smoothly from the one before.
    """
    model = model_of(model)
    parameter = str(parameter)  # its symbol will do
    check_name("parameter", parameter, model.parameters, f"model {model.name!r}")
    p = _checked_values(parameter, values)
    swept = Swept(model.parameters[parameter].symbol, p.tolist())
    model.compile()  # so that the models below share it
    model.check_along(*swept)
    first = assembled(model.with_parameters(**{parameter: p[0]}), finite_number(t, "the time t"))
    path = _Path(first, swept)
    poses, designs = [path.start(p[0])], path.designs(p)
    while (done := len(poses)) < p.size:
        stop = path.measure(done)
        poses += path.along(poses[-1], designs.part(done - 1, stop))
        if (done := len(poses)) < stop:
            here, now = follow(path.step, poses[-1], float(p[done - 1]), float(p[done]), DEPTH)
            if now != p[done]:
                raise _stopped(first, swept, poses, here, now)
            poses.append(here)
    return _result(first, swept, poses)


def _checked_values(parameter: str, values: Sequence[float] | np.ndarray) -> np.ndarray:
    try:
        p = np.array(values, dtype=float)
    except (TypeError, ValueError) as exc:
        raise ModelError(f"values of {parameter!r} must be numbers, not {values!r}") from exc
    if p.ndim != 1 or p.size == 0 or not np.isfinite(p).all():
        raise ModelError(f"values of {parameter!r} must be a non-empty list of finite numbers; use np.linspace(...)")
    return p


class Pose(NamedTuple):
    """A closed pose at one value of the parameter, q' = dq/dp there, and its velocity and acceleration in time."""

    q: np.ndarray
    slope: np.ndarray
    v: np.ndarray
    a: np.ndarray


class _Path:
    """A model along one of its parameters."""

    def __init__(self, first: State, swept: Swept):
        self.parameter, self.values = swept
        self.first, self.machine = first, first.system.machine()
        fixed, others = first.system.structure.lengths
        along = first.system.evaluator.along
        lengths = [np.hypot.reduce([along(x, *swept) for x in parts]) for parts in others]
        self.lengths = np.max([np.full(len(swept.values), fixed or 1e-300), *lengths], axis=0)

    def measure(self, k: int) -> int:
        """Let the length of design k measure what follows; up to the first design that is twice or half as large."""
        if not 0.5 < self.machine.length / self.lengths[k] < 2.0:
            self.machine = design_of(self.first.system, self.parameter, self.values[k]).machine()
        other = np.abs(np.log2(self.lengths[k:] / self.lengths[k])) >= 1.0
        return k + int(np.argmax(other)) if other.any() else len(self.values)

    def designs(self, p: np.ndarray) -> Designs:
        system, e = self.first.system, WIDTH * np.maximum(np.abs(p), 1e-3)
        values = np.stack([p - e, p, p + e], axis=1).ravel().tolist()
        numbers = system.structure.program.batch.numbers_along(system.evaluator, self.parameter, values)
        return Designs(p, 2 * e, numbers.reshape(p.size, -1))

    def start(self, p: float) -> Pose:
        first, slope = self.first, self.first.system.still
        _, (width,), (numbers,) = self.designs(np.array([p]))
        slope_of(self.machine, first.t, width, numbers, first.full_q, slope)
        return Pose(first.full_q, slope, first.full_v, first.full_a)

    def along(self, here: Pose, designs: Designs) -> list[Pose]:
        """The poses at the values after the first one, as far as single steps lead."""
        rows = [np.repeat(x[None], designs.p.size, axis=0) for x in here]
        done = follow_designs(self.machine, self.first.t, *designs, *rows)
        return [Pose(*pose) for pose in zip(*(x[1:done] for x in rows), strict=True)]

    def step(self, here: Pose, now: float, target: float) -> Pose | None:
        return next(iter(self.along(here, self.designs(np.array([now, target])))), None)


def _stopped(first: State, swept: Swept, poses: list[Pose], here: Pose, now: float) -> SingularConfigurationError:
    system, t = design_of(first.system, swept.parameter, now), first.t
    names = joints_at_fault(system, t, here.q)
    message = (
        f"{system.model.name!r} cannot follow {swept.parameter} beyond {now:.9g}: {', '.join(names)} reach their limit "
        "there; choose values on this side of it"
    )
    kept = _result(first, Swept(swept.parameter, swept.values[: len(poses)]), poses, success=False, message=message)
    pose = State(system, t, here.q, here.v, here.a)
    return SingularConfigurationError(message, time=t, parameter=now, pose=pose, joints=names, result=kept)


def _result(first: State, swept: Swept, poses: list[Pose], **more: Any) -> Result:
    q, _, v, a = map(np.array, zip(*poses, strict=True))
    moments = np.full(len(poses), first.t)
    return result_of(first.system, Trajectory(moments, q, v, a), swept=swept, **more)
