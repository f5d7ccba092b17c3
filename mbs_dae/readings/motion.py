"""From a motion of a compiled system to its result, and from a result back to states of that system."""

from __future__ import annotations

from functools import partial
from typing import Any, cast

import numpy as np

from ..compiled import System
from ..compiled.batch import Swept
from ..errors import ModelError
from ..model.parameters import Parameter
from ..results.quantities import frozen
from ..results.result import OwnMotion, Result, State
from ..results.sketch import Sketch
from ..results.sketch import swept as sketch_of_sweep
from .quantities import ComputedQuantities
from .sketch import sketch_of


def result_of(
    system: System, t: np.ndarray, q: np.ndarray, v: np.ndarray, a: np.ndarray, *, swept: Swept | None = None,
    **more: Any,
) -> Result:
    """The result of a motion of a system, or of poses over a swept parameter; the arrays carry the coordinates of the
    ground."""
    if "own" not in more:
        more["own"] = own_motion(system, q, v, a)
    q, v, a = system.to_bodies((q, v, a))
    system = system.cartesian
    quantities = ComputedQuantities(system, (t, q, v, a), swept)
    if swept is not None:
        t, name = np.array(swept.values), str(swept.parameter)
        more["axis"] = name, system.model.parameters[name].unit
    return Result(
        title=system.model.name,
        t=frozen(t[:]),
        q=frozen(q[:, : system.nq]),
        v=frozen(v[:, : system.nv]),
        a=frozen(a[:, : system.nv]),
        coordinate_names=system.coordinate_names,
        quantities=quantities,
        violation=cast(Any, quantities.violation),
        sketch=cast(Any, partial(_sketch, system, swept)),
        **more,
    )


def _sketch(system: System, swept: Swept | None) -> Sketch:
    if swept is None:
        return sketch_of(system.model, system.evaluator)
    numbers = (system.evaluator.at(swept.parameter, value) for value in swept.values)
    return sketch_of_sweep([sketch_of(system.model, number) for number in numbers])


def own_motion(system: System, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> OwnMotion:
    """From arrays that carry what stands still."""
    parts = q[:, : system.nq], v[:, : system.nv], a[:, : system.nv]
    return OwnMotion(system.coordinates.set, system.coordinate_names, *map(frozen, parts))


def state_of(result: Result, index: int) -> State:
    if not isinstance(result.quantities, ComputedQuantities):
        raise ModelError("a result from a file has no states to go on from; run it again, or give initial values")
    system, (t, q, v, a) = result.quantities.system, result.quantities.motion
    if swept := result.quantities.swept:
        system = design_of(system, swept.parameter, float(swept.values[index]))
    return State(system, float(t[index]), q[index].copy(), v[index].copy(), a[index].copy())


def design_of(system: System, parameter: Parameter, value: float) -> System:
    """The Cartesian system at another value of one parameter."""
    return system.model.with_parameters(**{parameter.name: value}).compile()


def result_of_state(state: State) -> Result:
    motion = (x[None, :] for x in (state.full_q, state.full_v, state.full_a))
    return result_of(state.system, np.array([state.t]), *motion)




def is_free(state: State, name: str) -> bool:
    """Whether this is an acceleration that the equations alone do not determine."""
    system, free = state.system, state.free
    if free is None or (found := system.model.quantity(name))[1] < 2:
        return False
    row = system.reader([found[0]]).jacobian(state.t, state.full_q).toarray()[0]
    size = np.sqrt((row**2 / system.weight).sum() * (system.weight @ free**2))
    return bool(abs(row @ free) > 1e-6 * size)
