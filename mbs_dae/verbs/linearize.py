"""Small motions about an equilibrium or a steady motion, as matrices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ..arguments import check_start, model_of, system_of
from ..compiled import System
from ..equilibria.balance import balance_at
from ..equilibria.linear import LinearSystem, in_bodies, input_columns, output_rows
from ..equilibria.states import state_motion
from ..equilibria.steady import small_motion_about
from ..errors import ModelError
from ..explain.failures import check_masses
from ..model.model import Model
from ..model.signals import Sampled
from ..motion.initial import initial_state
from ..results.result import State
from .equilibrium import equilibrium


def linearize(
    model: Model | System, state: State | Mapping[str, float] | None = None, inputs: Sequence[str] = (),
    outputs: Sequence[str] = (), coordinates: Sequence[str] = (),
) -> LinearSystem:  # fmt: skip
    """The law of small motions about a state: M, D, K in independent coordinates, A, B, C with names, modes.

    ``state`` is an equilibrium (``mbs.equilibrium(model).state``), or a steady motion: a body that spins, a wheel that
    rolls, a mechanism driven evenly; named values as for ``simulate(initial=...)`` make one, too. What is neither is
    refused. `inputs` are those of the model, or parameters of forces, `outputs` named quantities; `coordinates` are
    names of positions to be used as independent coordinates. Where none are given those that tell most are taken.

    States of the model that are not held stand behind the motion in A, about a state in which they do not change.

    All derivatives are exact, those by inputs and states where laws are affine in them. A system in natural coordinates
    is linearised in them; one in joint coordinates, or in motion, through the bodies.
    """
    system, own = system_of(model), model_of(model)
    if sampled := [e.name for e in own.elements.values() if isinstance(e, Sampled)]:
        raise ModelError(
            f"{own.name!r} has sampled controllers ({', '.join(sampled)}), whose small motions go from sample to "
            "sample; linearize without them, and declare what they set as inputs"
        )
    state = _state(own, state)
    moving = bool(state.v.any())
    used = system.cartesian if moving or system.coordinates.kernels is not system.coordinates else system
    used.cartesian.once(check_masses)
    q, v, _ = (x[0] for x in used.from_bodies(state.motion))
    small = small_motion_about(balance_at(used, state.t, q, v), coordinates, _joint_coordinates(system))
    names, shapes = in_bodies(small)
    states = state_motion(small)
    A, B = states.whole(small.A), input_columns(small, inputs)
    return LinearSystem(
        state=state,
        coordinates=small.names,
        velocities=small.names[: small.freedoms],
        inputs=(*inputs,),
        outputs=(*outputs,),
        M=small.M,
        D=small.D,
        K=small.K,
        states=states.names,
        A=A,
        B=B,
        **dict(zip(("C", "feedthrough"), output_rows(small, outputs, A, B), strict=True)),
        shapes=np.pad(shapes @ small.positions, ((0, 0), (0, len(states.names)))),
        shape_names=names,
    )


def _state(model: Model, state: State | Mapping[str, float] | None) -> State:
    """A state of the bodies, consistent with all constraints."""
    if state is None:
        return equilibrium(model).state
    if isinstance(state, State):
        check_start(model, state)
        return replace(state, system=model.compile())
    return initial_state(model, 0.0, state)[0]


def _joint_coordinates(system: System) -> tuple[str, ...]:
    """What small motions of a system in joint coordinates are told by: those that are named quantities."""
    if system.coordinates.kernels is system.coordinates:
        return ()
    known = set(system.model.quantity_names())
    return tuple(name for name in system.coordinate_names if name in known)
