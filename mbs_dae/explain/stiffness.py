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
    q, v, _ = (
        system.to_bodies((*motion, still)) if system.coordinates.kernels is not system.coordinates else (*motion, 0)
    )
    own = system.coordinates.kernels
    builder, batch, out = system.structure.dynamics.batch, system.dynamics.batch, None
    out = read_outputs(batch, np.full(2, t), np.ascontiguousarray(q), np.ascontiguousarray(v))
    change, masses = out[0] - out[1], np.maximum(own.masses(system.evaluator), 1e-12 * (system.heaviest or 1.0))
    weights, found = own.weights(system.length), dict[str, float]()
    for place in builder.places():
        at = place.out + len(place.layout.get("mass", ()))
        who = builder.instances[place.member].who
        for k, local in enumerate(place.layout.get("forces", ())):
            column = place.columns[local]
            if column < masses.size:
                size = (change[at + k] / masses[column]) ** 2 * weights[column]
                found[who] = found.get(who, 0.0) + float(size)
        if "values" in place.layout:
            found[who] = found.get(who, 0.0) + float((change[at] * system.length) ** 2)
    return max(found, key=lambda who: found[who]) if found else "a force"
