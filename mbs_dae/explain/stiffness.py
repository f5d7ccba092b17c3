"""Why the steps of an explicit method are short: the force, or the friction, that is stiff."""

import numpy as np

from ..compiled import System
from ..compiled.contact_records import CLOSED, OPEN
from ..compiled.reading import read_outputs
from ..motion.contact.states import TOUCHES
from ..motion.derivative import accelerate
from ..motion.record import March
from ..motion.stiffness import RATE, STEPS, TIME

SHARE = 0.3
"""It is told of where it is so for this part of all steps."""


def told_of_stiffness(system: System, march: March) -> str:
    """Empty where steps are not limited by stability."""
    seen, steps = march.stiffness, int(march.counts[0])
    limited = int(seen.counts[STEPS])
    if limited <= SHARE * steps or not limited:
        return ""
    rate, t = float(seen.told[RATE]), float(seen.told[TIME])
    what = f"{limited} of {steps} steps, from t = {t:.4g} on, follow"
    how = f"at a rate of {rate:.2g} 1/s, far faster than the bodies move"
    if who := _stiff_friction(system, march, t, rate):
        remedy = "implicit methods follow it, too; give a larger one, or leave it out: what sticks needs no such steps"
        return f"{what} {who}, whose friction builds up over smooth= {how}; {remedy}"
    return f'{what} {_stiffest(system, march, t)}, which acts {how}; method="Radau5" need not'


def _stiff_friction(system: System, march: March, t: float, rate: float) -> str:
    """Return the friction that acts at this rate, of those that never stick and follow from normal forces: the rate
    is the difference of its accelerations along a slip between both states that were kept, over the difference of the
    slips. Empty if there is none."""
    mechanism, seen = march.mechanism, march.stiffness
    contacts, state = mechanism.contacts, mechanism.state
    delassus = contacts.delassus
    rubs = np.flatnonzero(contacts.laws.smooth > 0.0)
    if not rubs.size:
        return ""

    def forces(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        q, v = y[: state.q_end].copy(), y[state.v_at : state.v_end].copy()
        accelerate(mechanism, t, q, v, np.zeros_like(v))
        return contacts.force.copy(), contacts.motion.rate.copy()

    contacts.choice.closed_only[0] = 0
    forces(seen.y)
    apart = (contacts.gap >= 0) & (contacts.motion.phi[contacts.gap] > TOUCHES * system.machine().extent)
    contacts.state[rubs] = np.where(apart[rubs], OPEN, CLOSED)
    contacts.choice.closed_count[0] = int((contacts.state != OPEN).sum())
    force, slip = (np.abs(one - other) for one, other in zip(forces(seen.y), forces(seen.aside), strict=True))
    used = delassus.used[: delassus.used_count[0]]
    gained = np.zeros(force.size)
    gained[used] = force[used] * delassus.W.diagonal()[: used.size]
    for k in rubs:
        own = slice(contacts.slip[k], contacts.slip[k] + contacts.slips[k])
        if gained[own].max() > SHARE * rate * slip[own].max():
            return system.structure.contacts.points[k][0].who
    return ""


def _stiffest(system: System, march: March, t: float) -> str:
    """Return the element whose force changes most, in accelerations along their difference, between both states that
    were kept; masses are those of columns."""
    state, seen = march.mechanism.state, march.stiffness
    y = np.stack([seen.y, seen.aside])
    motion = y[:, : state.q_end].copy(), y[:, state.v_at : state.v_end].copy()
    still = np.zeros_like(motion[1])
    own = system.coordinates.kernels
    q, v, _ = system.to_bodies((*motion, still)) if own is not system.coordinates else (*motion, still)
    built, made = system.structure, (system.dynamics.batch, system.signals.late.batch)  # the latter read efforts
    masses = np.maximum(own.diagonal(system.evaluator), 1e-12 * (system.heaviest or 1.0))
    weights, found = own.weights(system.length), dict[str, float]()
    for builder, batch in zip((built.dynamics.batch, built.signals.late.batch), made, strict=True):
        change = np.diff(read_outputs(batch, np.full(2, t), q.copy(), v.copy()), axis=0)[0]
        for place in builder.places():
            at = place.out + len(place.layout.get("mass", ()))
            size = float((change[at] * system.length) ** 2) if "values" in place.layout else 0.0
            for k, local in enumerate(place.layout.get("forces", ())):
                if (column := place.columns[local]) < masses.size:
                    size += float((change[at + k] / masses[column]) ** 2 * weights[column])
            who = builder.instances[place.member].who
            found[who] = found.get(who, 0.0) + size
    return max(found, key=lambda who: found[who]) if found else "a force"
