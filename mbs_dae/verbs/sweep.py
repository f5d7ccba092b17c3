"""A sweep over a parameter instead of time: how a pose changes when a length does.

With p the parameter, Φ(q, p) = 0 at every value gives Φ_q q' = -Φ_p, the "velocity" along the sweep. So a step in p is
a step in time to the solver: foretold from the last value, closed by Newton, and accepted only if it is smooth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..arguments import model_of
from ..compiled import System
from ..compiled.machine import DONE
from ..errors import ModelError, SingularConfigurationError, unknown_name
from ..linear.kkt import solve
from ..model.model import Model
from ..model.parameters import Evaluator, Parameter
from ..poses import branches, newton
from ..poses.assembly import assembled
from ..poses.continuation import follow
from ..poses.dependence import joints_at_fault
from ..results.quantities import StackedQuantities
from ..results.result import Result, State, Violation
from ..results.sketch import swept

DEPTH = 20
"""How often a step may be halved."""


def sweep(
    model: Model | System, parameter: str | Parameter, values: Sequence[float] | np.ndarray, t: float = 0.0
) -> Result:
    """The pose (and its velocity and acceleration at time t) for each value of a parameter.

    The first pose is assembled from the placement; each of the others follows smoothly from the one before.
    """
    model = model_of(model)
    parameter = str(parameter)  # its symbol will do
    if parameter not in model.parameters:
        raise unknown_name("parameter", parameter, model.parameters, f"model {model.name!r}")
    p = _checked_values(parameter, values)
    model.compile()  # so that the models below share it
    states = [assembled(model.with_parameters(**{parameter: p[0]}), t)]
    for k in range(1, p.size):
        try:
            states.append(_follow(model, parameter, float(t), states[-1], p[k - 1], p[k]))
        except SingularConfigurationError as error:
            kept = _result(model, parameter, p[:k], states, success=False, message=str(error))
            raise SingularConfigurationError(str(error), **error.facts, result=kept) from None
    return _result(model, parameter, p, states)


def _checked_values(parameter: str, values: Sequence[float] | np.ndarray) -> np.ndarray:
    try:
        p = np.array(values, dtype=float)
    except (TypeError, ValueError) as exc:
        raise ModelError(f"values of {parameter!r} must be numbers, not {values!r}") from exc
    if p.ndim != 1 or p.size == 0 or not np.isfinite(p).all():
        raise ModelError(f"values of {parameter!r} must be a non-empty list of finite numbers; use np.linspace(...)")
    return p


def _follow(model: Model, parameter: str, t: float, state: State, p0: float, p1: float) -> State:
    """From the pose at p0 to the one at p1, by as many smooth steps as it takes."""

    def step(here: Pose, now: float, target: float) -> Pose | None:
        return _advance(model, parameter, t, here, now, target)

    here, now = follow(step, _pose(model, parameter, t, state.system, state.full_q, p0), p0, p1, DEPTH)
    if now == p1:
        return _completed(here, t)
    names = joints_at_fault(here.system, t, here.q)
    raise SingularConfigurationError(
        f"{model.name!r} cannot follow {parameter} beyond {now:.9g}: {', '.join(names)} reach their limit there; "
        "choose values on this side of it",
        time=t,
        parameter=now,
        pose=_completed(here, t),
        joints=names,
    )


@dataclass(frozen=True)
class Pose:
    """A closed pose at one value of the parameter, and q' = dq/dp there."""

    system: System
    q: np.ndarray
    slope: np.ndarray


def _advance(model: Model, parameter: str, t: float, here: Pose, p0: float, p1: float) -> Pose | None:
    system = model.with_parameters(**{parameter: p1}).compile()
    machine = system.machine()
    q, still = system.moved(here.q, (p1 - p0) * here.slope[: system.nv]), system.still
    if newton.close(machine, t, q, still, 12) != DONE:
        return None
    there = _pose(model, parameter, t, system, q, p1)
    smooth = branches.is_smooth(machine, p1 - p0, here.q, here.slope, still, q, there.slope, still)
    return there if smooth else None


def _pose(model: Model, parameter: str, t: float, system: System, q: np.ndarray, p: float) -> Pose:
    """With the slope from Φ_q q' = -Φ_p; Φ_p by central differences of Φ alone."""
    e = 1e-6 * max(abs(p), 1e-3)
    values = {known.symbol: known.value for known in model.parameters.values()}

    def phi(value: float) -> np.ndarray:
        return system.residuals(Evaluator(values | {model.parameters[parameter].symbol: value}), t, q)

    machine = system.machine()
    newton.evaluate_and_factorise(machine, t, q, system.still, True)
    machine.f[:] = 0.0
    machine.g[:] = -(phi(p + e) - phi(p - e)) / (2 * e)
    solve(machine.pattern, machine.factor, machine.f, machine.g, machine.x, machine.multipliers, 2)
    slope = system.still
    slope[: system.nv] = machine.x
    return Pose(system, q, slope)


def _completed(pose: Pose, t: float) -> State:
    system, q = pose.system, pose.q.copy()
    machine, v, a = system.machine(), system.still, system.still
    newton.close(machine, t, q, v, 12)
    newton.complete(machine, t, q, v, a)
    return State(system, t, q, v, a)


def _result(model: Model, parameter: str, p: np.ndarray, states: list[State], **more: Any) -> Result:
    singles = [state.result for state in states]
    return replace(
        singles[0],
        t=p,
        q=np.concatenate([r.q for r in singles]),
        v=np.concatenate([r.v for r in singles]),
        a=np.concatenate([r.a for r in singles]),
        quantities=StackedQuantities([r.quantities for r in singles]),
        violation=Violation(
            np.concatenate([r.violation.rows for r in singles], axis=1), singles[0].violation.elements
        ),
        sketch=swept([r.sketch for r in singles]),
        axis=(parameter, model.parameters[parameter].unit),
        **more,
    )
