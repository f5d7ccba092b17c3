"""Why the steps of an explicit method are short: the force that is stiff."""

import numpy as np

from ..compiled import System
from ..compiled.reading import read_outputs
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
    what = (
        f"{limited} of {steps} steps, from t = {t:.4g} on, follow {_stiffest(system, march, t)}, which acts at a rate "
    )
    return f'{what}of {rate:.2g} 1/s, far faster than the bodies move; method="Radau5" need not'


def _stiffest(system: System, march: March, t: float) -> str:
    """What changes most, in accelerations along their difference, between both states that were kept; masses are those
    of columns."""
    state, seen = march.mechanism.state, march.stiffness
    y = np.stack([seen.y, seen.aside])
    motion = y[:, : state.q_end].copy(), y[:, state.v_at : state.v_end].copy()
    still = np.zeros_like(motion[1])
    own = system.coordinates.kernels
    q, v, _ = system.to_bodies((*motion, still)) if own is not system.coordinates else (*motion, still)
    built, made = system.structure, (system.dynamics.batch, system.signals.late.batch)  # the latter read efforts
    masses = np.maximum(own.masses(system.evaluator), 1e-12 * (system.heaviest or 1.0))
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
