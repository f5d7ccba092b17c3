"""Search for the force, input or rate that has no value at a state."""

import numpy as np

from ..compiled import System
from ..compiled.python_kernel import Raised, told
from ..compiled.reading import read_outputs

HUGE = 1e100
"""A larger force counts as unbounded."""


def undefined_force(system: System, t: float, q: np.ndarray, v: np.ndarray) -> str | None:
    """Return the input, force (or body) or state whose value or rate is not a finite number at this state, or None; for
    a body the unbounded force that acts on it, if there is one."""
    own, made = system.structure, system.signals
    known = (own.signals.inputs.batch, made.inputs.batch), (own.signals.rates.batch, made.rates.batch)
    system.forget_errors()
    for builder, batch in (known[0], (own.dynamics.batch, system.dynamics.batch), known[1]):
        out = read_outputs(batch, np.array([t]), q[None], v[None])[0]
        named, huge = [(builder.instances[place.member].who, place) for place in builder.places()], ""
        for who, place in sorted(named, key=lambda one: one[0].startswith("body ")):
            sizes = np.abs(out[place.out : place.out + place.layout["outputs"]])
            huge = huge or (who if sizes.max(initial=0.0) > HUGE else "")
            if not np.isfinite(sizes).all():
                who = huge if who.startswith("body ") else who
                groups = (group for group in builder.groups if place.member in group.members)
                raised = getattr(next(groups).kernel, "raised", Raised())
                return who + (f" ({told(raised.error)})" if raised.error else "")
    return None
