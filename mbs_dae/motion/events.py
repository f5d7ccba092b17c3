"""What a run does when events happen: it notes them, stops, or goes on from another state."""

import numpy as np

from ..compiled import System
from ..errors import MbsError, ModelError
from ..model.events import Event, Reset
from ..model.measures import Quantity
from ..model.parameters import Evaluator, Parameter, Signal
from ..poses.assembly import posed
from ..results.happenings import Happening
from ..results.result import State
from ..symbolic.markers import t as time
from .initial import nearest_velocity
from .record import March
from .run import restart
from .samples import set_states


def happened(system: System, march: March) -> tuple[list[Happening], list[Event]]:
    """The events since this was last asked, in the order in which they were added to the model."""
    search, found, at = march.search, [], present(system, march)
    own = system.structure
    deciding = own.deciding
    fired = {deciding[k]: int(search.fired[k]) for k in np.flatnonzero(search.fired)}
    search.fired[:] = search.events[:] = 0
    for event in system.model.events:
        if fired.get(event.who, 0) and event.direction in (0, fired[event.who]):
            found.append(event)
    return [Happening(at.t, event.name, at) for event in found], found


def present(system: System, march: March) -> State:
    """Where a run stands."""
    state, y0 = march.mechanism.state, march.stages.y0
    q, v, a = y0[: state.q_end], y0[state.v_at : state.v_end], march.stages.k[0, state.v_at : state.v_end]
    (q,), (v,), (a,) = system.to_bodies((q[None].copy(), v[None].copy(), np.nan_to_num(a[None])))
    return State(system.cartesian, float(march.time[0]), q, v, a)


def reset(system: System, march: March, event: Event, before: State) -> int:
    """Go on from the state that an event asks for; a status."""
    return restart(march, *asked_by(system, event, before))


def asked_by(system: System, event: Event, before: State) -> tuple[np.ndarray, np.ndarray]:
    """The state that an event asks for, in the coordinates of a system: q and v."""
    assert isinstance(event.action, Reset)
    model, wanted = system.model, {}
    for name, e in event.action.values.items():
        values = {q: before[str(q)] for q in e.atoms(Quantity, Signal)} | {time: before.t}
        values |= {p: model.value(p) for p in e.atoms(Parameter)}
        wanted[name] = Evaluator(values)(e)
        if not np.isfinite(wanted[name]):
            raise ModelError(f"{event.who} sets {name} to {wanted[name]} at t = {before.t:.6g}; mend its expression")
    states = {one.symbol: wanted.pop(one.name) for one in model.states if one.name in wanted}
    try:
        q, _, held = posed(system.cartesian.model, before.t, wanted, before)
        set_states(system.cartesian, q, states)
        after = nearest_velocity(system.cartesian, held, before.t, q, before.full_v)
    except MbsError as exc:
        new = ", ".join(f"{name} = {value:g}" for name, value in wanted.items())
        what = f"{event.who} resets {new} at t = {before.t:.6g}, which the joints do not allow"
        raise type(exc)(f"{what}: {exc}", **exc.facts) from exc
    (q,), (v,), _ = system.from_bodies(after.motion)
    return q, v
