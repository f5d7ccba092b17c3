"""Assembly: from a rough placement to a pose that satisfies every equation, with its velocity and acceleration.

1. Close the gaps (`closing`) with the least change, by damped Newton steps. 2. Where freedom is left, go back towards
the placement along the constraints: the pose found is the nearest one. 3. Velocity: the least one with Φ_v v = ν.
Acceleration: the least one with Φ_v a = γ.
"""

from collections.abc import Mapping
from itertools import count

import numpy as np

from ..arguments import check_start
from ..compiled import System
from ..compiled.machine import Machine
from ..compiled.structure import Structure
from ..errors import MbsError, ModelError, RedundantConstraintError, SingularConfigurationError
from ..model.drivers import FixedQuantity
from ..model.model import Model
from ..model.parameters import finite_number
from ..results.result import State
from ..tolerances import ROW_DEPENDENCE
from . import newton
from .closing import closed, removal_example
from .dependence import PoseRank, agrees, elements_of
from .nearest import project_reference, satisfied, scratch
from .redundancy import is_change_point, is_momentary, redundancy


def assembled(
    model: Model, t: float = 0.0, fix: Mapping[str, float] | None = None, start: State | None = None
) -> State:
    """Return the nearest closed pose with the fixed values, with its least velocity and acceleration."""
    q, machine, moving = posed(model, t, fix or {}, start)
    return _completed(model.compile(), machine, moving, t, q)


def posed(model: Model, t: float, fix: Mapping[str, float], start: State | None) -> tuple[np.ndarray, Machine, System]:
    """Return the nearest closed pose with the fixed positions, the machine that computed it, and the system that holds
    the fixed velocities."""
    check_start(model, start)
    values = {name: finite_number(value, f"fix[{name!r}]") for name, value in fix.items()}
    positioned, moving = (holding(model.compile(), level, values) for level in (0, 1))
    reference = in_full(positioned, start) if start is not None else positioned.placement
    machine = positioned.machine()
    q = closed(positioned, machine, t, reference)
    project_reference(machine, t, q, reference, scratch(machine))
    return q, machine, moving


def in_full(system: System, start: State) -> np.ndarray:
    """Return the coordinates of a pose for this system, from a state with the same bodies: states are matched by
    name."""
    q, source, target = system.placement.copy(), start.system.layout, system.layout
    bodies = q.size - len(target.signals)
    q[:bodies] = start.full_q[:bodies]
    places = {signal.name: place for signal, place in source.signals.items()}
    for signal, place in target.signals.items():
        if signal.name in places:
            q[place] = start.full_q[places[signal.name]]
    return q


def holding(system: System, level: int, values: Mapping[str, float]) -> System:
    """Return the system with the values of this level (0 positions, 1 velocities) fixed."""
    if not values:
        return system
    model, quantities = system.structure.once(model_with_fixes, level, tuple(values))
    if not quantities:
        return system
    parameters = {p.symbol.name: p.value for p in system.model.parameters.values()}
    parameters |= {parameter: values[name] for parameter, name in quantities.items()}
    return model.compile().latest(_with_values, parameters)


def _with_values(system: System, values: Mapping[str, float]) -> System:
    return system.model.with_values(values).compile()


def model_with_fixes(structure: Structure, level: int, names: tuple[str, ...]) -> tuple[Model, dict[str, str]]:
    """Return the model with equations for the quantities of this level (0 values, 1 rates), and the quantity of each
    parameter that sets a fixed value."""
    model, quantities = structure.model.plus(), {}
    for name in names:
        measure, derivative = model.quantity(name)
        if derivative > 1:
            raise ModelError(
                f"cannot fix {name!r}: accelerations follow from the motion; fix values or rates only",
                code="acceleration-given", argument="fix", name=name,
            )  # fmt: skip
        if derivative == level:
            parameter = next(p for k in count() if (p := f"fixed_{k}") not in model.parameters)
            quantities[parameter] = name
            value = model.parameter(parameter, 0.0, measure.units[level])
            model.add(FixedQuantity(name.replace(".", " "), measure, level, value))
    model.compile()
    return model, quantities


# --- velocity and acceleration -------------------------------------------------------------------------------


def _completed(system: System, machine: Machine, with_fixed: System, t: float, q: np.ndarray) -> State:
    v, a = system.still, system.still
    for level, equations in ((1, with_fixed), (2, system)):
        if level == 1 or equations is not with_fixed:
            machine = machine if machine.pattern is equations.pattern else equations.machine()
            newton.evaluate_and_factorise(machine, t, q, v, False)
            newton.complete(machine, t, q, v, a)
        determined = check_level(equations, machine, t, q, v, a, level)
    if not determined:
        return State(system, t, q, v, a, _singular_note(system, q))
    return State(system, t, q, v, a, *_free_acceleration(system, machine, q))


def _singular_note(system: System, q: np.ndarray) -> str:
    what = "a change point" if is_change_point(system, q) else "a dead point within roundoff"
    return f"{what}: the equations do not determine velocities and accelerations here; these are the least"


def _free_acceleration(system: System, machine: Machine, q: np.ndarray) -> tuple[str, np.ndarray | None]:
    """Return a note and some motion that the equations allow in the completed pose; an empty note and None if there is
    none."""
    if system.nv - len(system.rows) + newton.dependent_rows(machine, ROW_DEPENDENCE) <= 0:
        return "", None
    machine.f[:] = system.column_weight**0.5 * np.cos(np.arange(1.0, machine.f.size + 1.0))
    machine.g[:] = 0.0
    newton.solve_here(machine, 2)
    free = machine.x[: system.nv].copy()
    if system.weight @ free**2 < 1e-16 * system.nv:
        return "", None
    if system.model.drivers and system.nv - len(system.rows) + len(redundancy(system, q).generic) <= 0:
        return _singular_note(system, q), free
    return "the equations leave accelerations free; these are the least. With forces=True forces decide", free


def check_level(
    system: System, machine: Machine, t: float, q: np.ndarray, v: np.ndarray, a: np.ndarray, level: int
) -> bool:
    """Return whether the velocities (level 1) or accelerations (level 2) satisfy every equation, as evaluated last;
    False at a change point. Contradictions raise an error."""
    if satisfied(machine, (v, a)[level - 1], level):
        return True
    errors = machine.g
    rows = [k for k, error in enumerate(errors) if error > 0.1 * errors.max()]
    if level == 2:
        circuits = PoseRank(system, t, q).circuits(range(len(system.rows)))
        rows = [k for c in circuits if not agrees(system, t, q, c) for k in c.rows]
        if not rows:
            return False
    names, rate = elements_of(system, rows), ("velocity", "acceleration")[level - 1]
    if is_momentary(system, q):
        kind: type[MbsError] = SingularConfigurationError
        code = "dead-point"
        message = (
            f"{system.model.name!r} stands on a dead point at t = {t:g}: {', '.join(names)} lock there, and no "
            f"{rate} follows all drivers; start at another pose, or drive another coordinate"
        )
    else:
        kind, why = RedundantConstraintError, "contradict each other; take one of these drivers or fixed values away"
        why += removal_example(system, names)
        code = "contradictory-constraints"
        if not machine.factor.row_square[rows].any():  # a corner, or an extreme
            code = "no-such-motion"
            why = "asks for a change that no motion of the bodies makes here; take another, or keep away from this pose"
        elif len(names) == 1:
            why = "contradicts itself; take one of its equations away"
        message = f"{system.model.name!r} has no {rate} that satisfies all equations at t = {t:g}: "
        message += f"{', '.join(names)} {why}"
    raise kind(message, code, rate=rate, time=t, joints=names, pose=State(system, t, q, v, a))
