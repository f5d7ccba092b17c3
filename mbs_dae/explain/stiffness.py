"""Explanations of short steps of an explicit method: the force, or the friction, that is stiff."""

import numpy as np

from ..compiled import System
from ..compiled.contact_records import CLOSED, OPEN
from ..compiled.reading import read_outputs
from ..motion.derivative import accelerate
from ..motion.record import IntegratorState
from ..motion.stiffness import RATE, STEPS, TIME
from ..tolerances import CONTACT_TOLERANCE

SHARE = 0.3
"""The least fraction of steps limited by stability for which stiffness is reported."""


def note_on_stiffness(system: System, march: IntegratorState) -> str:
    """Return a sentence about the stiff force; empty if steps are not limited by stability."""
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


def _stiff_friction(system: System, march: IntegratorState, t: float, rate: float) -> str:
    """Return the smoothed friction from normal forces that acts at this rate: the difference of its accelerations along
    a slip between both stored states, over the difference of the slips. Return "" if there is none."""
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
    apart = (contacts.gap_row >= 0) & (contacts.motion.phi[contacts.gap_row] > CONTACT_TOLERANCE * system.gap_size)
    contacts.state[rubs] = np.where(apart[rubs], OPEN, CLOSED)
    contacts.choice.closed_count[0] = int((contacts.state != OPEN).sum())
    force, slip = (np.abs(one - other) for one, other in zip(forces(seen.y), forces(seen.aside), strict=True))
    used = delassus.used[: delassus.used_count[0]]
    gained = np.zeros(force.size)
    gained[used] = force[used] * delassus.W.diagonal()[: used.size]
    for k in rubs:
        own = slice(contacts.slip_row[k], contacts.slip_row[k] + contacts.slip_count[k])
        if gained[own].max() > SHARE * rate * slip[own].max():
            return system.structure.contacts.points[k][0].who
    return ""


def _stiffest(system: System, march: IntegratorState, t: float) -> str:
    """Return the element whose force changes most between both stored states, as an acceleration along their
    difference; masses are those of columns."""
    state, seen = march.mechanism.state, march.stiffness
    y = np.stack([seen.y, seen.aside])
    motion = y[:, : state.q_end].copy(), y[:, state.v_at : state.v_end].copy()
    still = np.zeros_like(motion[1])
    coordinates, structure = system.coordinates.kernels, system.structure
    q, v, _ = system.to_bodies((*motion, still)) if coordinates is not system.coordinates else (*motion, still)
    masses = np.maximum(coordinates.diagonal(system.evaluator), 1e-12 * (system.heaviest or 1.0))
    weights, sizes = coordinates.weights(system.length), dict[str, float]()
    for builder, batch in (
        (structure.dynamics.batch, system.dynamics.batch),
        (structure.signals.late.batch, system.signals.late.batch),  # late signals read efforts
    ):
        change = np.diff(read_outputs(batch, np.full(2, t), q.copy(), v.copy()), axis=0)[0]
        for place in builder.places():
            at = place.out + len(place.layout.get("mass", ()))
            size = float((change[at] * system.length) ** 2) if "values" in place.layout else 0.0
            for k, local in enumerate(place.layout.get("forces", ())):
                if (column := place.columns[local]) < masses.size:
                    size += float((change[at + k] / masses[column]) ** 2 * weights[column])
            who = builder.instances[place.member].who
            sizes[who] = sizes.get(who, 0.0) + size
    return max(sizes, key=lambda who: sizes[who]) if sizes else "a force"
