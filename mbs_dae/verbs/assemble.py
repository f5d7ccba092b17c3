"""Assembly of a model: a pose that satisfies all equations, with its velocity and acceleration."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..arguments import check_tables, check_without_contacts, model_of
from ..compiled import System
from ..compiled.status import DONE
from ..derivatives.parameters import design_variables
from ..derivatives.results import state_with_derivatives
from ..errors import ModelError, check_dict, checked_options
from ..explain.contacts import note_on_overlap_at
from ..explain.failures import check_masses, no_acceleration
from ..model.checks import warn_of_angles
from ..model.model import Model
from ..model.parameters import finite_number
from ..motion.derivative import accelerate
from ..motion.initial import check_regular
from ..motion.mechanism import mechanism
from ..poses.assembly import assembled
from ..poses.slips import slips_in_assembly
from ..results.result import State


@checked_options
def assemble(
    model: Model | System, t: float = 0.0, fix: Mapping[str, float] | None = None, start: State | None = None,
    forces: bool = False, derivatives: Sequence[Any] = (),
) -> State:  # fmt: skip
    """Return a consistent position, velocity and acceleration of a model at time t, in s, as a `State`.

    `fix` maps names of quantities to values in SI units: ``fix={"crank.angle": 0.6, "crank.omega": 10}``. Fixed values
    are met exactly; all other coordinates change as little as possible from the reference placement, or from the state
    `start`.

    With ``forces=True`` accelerations satisfy M v̇ + Φ_vᵀ λ = Q. With ``forces=False`` accelerations satisfy the
    constraints alone and are the least ones; reading an acceleration that constraints do not determine gives a warning.

    `derivatives` names parameters, constants and fixed values by which the state is differentiated: see `State.d`.

    A ladder of 5 m, whose head is held 4 m above the floor:

    >>> model = mbs.PlanarModel("ladder")
    >>> ladder = model.link("ladder", (2.5, 0), (0.5, 4.5), length=5)
    >>> floor = model.add(mbs.PinInSlot("floor", model.ground, ladder.tail))
    >>> wall = model.add(mbs.PinInSlot("wall", model.ground.at(0, 0, np.pi / 2), ladder.head))
    >>> round(mbs.assemble(model, fix={"ladder.head.y": 4})["ladder.tail.x"], 6)
    3.0
    """
    model = model_of(model)
    t = finite_number(t, "the time t")
    check_tables(model, np.array([t]))
    check_dict("fix", {} if fix is None else fix, "names and values", 'fix={"crank.angle": 0.6}')
    values = {} if fix is None else fix
    request = design_variables(model, derivatives, values)
    state = assembled(model, t, fix, start)
    warn_of_angles(model, values, "fix")
    if not forces:
        notes = (state.message, note_on_overlap_at(state), *slips_in_assembly(state.system, state.full_q).values())
        state = replace(state, message="; ".join(filter(None, notes)))
        return state_with_derivatives(state, request, values, start, forced=False)
    check_without_contacts(model, "assemble(forces=True)")
    system, q, v = state.system, state.full_q, state.full_v
    system.once(check_masses)
    check_regular(system, t, q, v)
    a = system.still
    system.forget_errors()
    run = mechanism(system, refinements=2)
    if (status := accelerate(run, t, q, v, a)) != DONE:
        reason = no_acceleration(system, run, status, t, q, v)
        raise ModelError(reason.message, reason.code, model=system.model.name, time=t, pose=state)
    state = State(system, t, q, v, a, message="; ".join(slips_in_assembly(system, q).values()))
    return state_with_derivatives(state, request, values, start, forced=True)
