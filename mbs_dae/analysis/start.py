"""What a run chooses for itself at its start: the first step, and the gains of Baumgarte's method."""

from __future__ import annotations

import numpy as np

from ..integration.control import first_step
from ..integration.march import March
from ..integration.stabilise import Baumgarte, Stabilization

PACE = 3.0
"""Constraint errors die out this many times faster than the motion changes."""
STIFF = 0.3
"""Gains times step stay below this: above, stages feel the feedback more than the motion, and order is lost."""


def set_first_step(march: March) -> None:
    control, t = march.control, march.record.times
    if control.fixed > 0.0:
        control.step[0] = control.fixed
        return
    control.step[0] = first_step(
        march.mechanism, march.tableau, control, march.stages, t[0], t[-1] - t[0]
    )


def set_gains(march: March, how: Stabilization) -> None:
    """α and β as given, or α = β = ω for critical damping.

    A method of order p that just meets a tolerance with steps h follows a motion whose own rate is about rtol^(1/p) /
    h; ω is a few times that, step by step. With fixed steps the rate is read off the first state: |v| / L, √(|a| / L).
    """
    if not isinstance(how, Baumgarte):
        return
    gains, fixed = march.stabiliser.gains, march.control.fixed
    if how.alpha is not None or how.beta is not None:
        gains[0] = how.alpha if how.alpha is not None else how.beta
        gains[1] = how.beta if how.beta is not None else how.alpha
    elif fixed == 0.0:
        march.stabiliser.rule[0] = min(STIFF, PACE * march.control.rtol ** (1.0 / march.tableau.order))
    else:
        gains[:] = min(STIFF / fixed, PACE * _rate(march))


def _rate(march: March) -> float:
    """How fast the motion changes at its start, in 1/s."""
    size, unit = march.mechanism.size, march.control.unit
    moving = slice(size, size + unit.size)
    v, a = march.stages.y0[moving] / unit, march.stages.k[0, moving] / unit
    return float(max(np.abs(v).max(initial=0.0), np.sqrt(np.abs(a).max(initial=0.0)))) or 1.0
