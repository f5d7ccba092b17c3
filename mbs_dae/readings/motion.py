"""From a motion of a compiled system to its result, and from a result back to states of that system."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..compiled import System
from ..errors import ModelError
from ..results.result import OwnMotion, Result, State, Violation
from ..results.sketch import Sketch
from .quantities import ComputedQuantities
from .sketch import sketch_of


def result_of(
    system: System, t: np.ndarray, q: np.ndarray, v: np.ndarray, a: np.ndarray, **more: Any
) -> Result:
    """The result of a motion of a system; the arrays carry the coordinates of the ground."""
    if "own" not in more:
        more["own"] = own_motion(system, q, v, a)
    q, v, a = system.to_bodies((q, v, a))
    system = system.cartesian
    motion = (t, q, v, a)
    rows = np.stack(system.read_constraints(*motion))
    rows.setflags(write=False)
    return Result(
        title=system.model.name,
        t=_frozen(t[:]),
        q=_frozen(q[:, : system.nq]),
        v=_frozen(v[:, : system.nv]),
        a=_frozen(a[:, : system.nv]),
        coordinate_names=system.coordinate_names,
        quantities=ComputedQuantities(system, *motion),
        violation=Violation(rows, tuple(row.element for row in system.rows)),
        sketch=system.once(_sketch),
        **more,
    )


def _sketch(system: System) -> Sketch:
    return sketch_of(system.model, system.evaluator)


def own_motion(system: System, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> OwnMotion:
    """From arrays that carry what stands still."""
    parts = q[:, : system.nq], v[:, : system.nv], a[:, : system.nv]
    return OwnMotion(system.coordinates.set, system.coordinate_names, *map(_frozen, parts))


def state_of(result: Result, index: int) -> State:
    if not isinstance(result.quantities, ComputedQuantities):
        raise ModelError("a result from a file has no states to go on from; run it again, or give initial values")
    system, (t, q, v, a) = result.quantities.system, result.quantities.motion
    return State(system, float(t[index]), q[index].copy(), v[index].copy(), a[index].copy())


def result_of_state(state: State) -> Result:
    motion = (x[None, :] for x in (state.full_q, state.full_v, state.full_a))
    return result_of(state.system, np.array([state.t]), *motion)


def _frozen(view: np.ndarray) -> np.ndarray:
    """A view that cannot be written to."""
    view.setflags(write=False)
    return view


def is_free(state: State, name: str) -> bool:
    """Whether this is an acceleration that the equations alone do not determine."""
    system, free = state.system, state.free
    measure, level = system.model.quantity(name)
    if level < 2 or free is None:
        return False
    row = system.reader([measure]).jacobian(state.t, state.full_q).toarray()[0]
    size = np.sqrt((row**2 / system.weight).sum() * (system.weight @ free**2))
    return bool(abs(row @ free) > 1e-6 * size)
