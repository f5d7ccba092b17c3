"""Checks of repeated steps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...compiled.status import BLURS, DONE, NOT_CONVERGED, NOT_FINITE
from ...errors import ModelError
from ...motion.methods.method import T
from ...motion.past.tape import HEAD
from ...motion.record import NEXT, IntegratorState


def check_same(made: np.ndarray, taken: np.ndarray) -> None:
    """Raise an error if a repeated state is not that of the run, to the last bit."""
    if not np.array_equal(made, taken[: made.size]):
        off = float(np.abs(made - taken[: made.size]).max())
        raise ModelError(
            f"the run could not be made again step by step: states differ by {off:.3g}; report this model",
            code="run-not-repeatable", off=off,
        )  # fmt: skip


def check_here(march: IntegratorState, entry: np.ndarray, aside: Sequence[int] | np.ndarray = ()) -> None:
    """Raise an error if a run does not stand in the state of an entry; inputs, which jump at breaks, reactions, which
    each evaluation puts anew, and the places `aside` are not compared."""
    made, state, signals = march.stages.y0.copy(), entry[HEAD:], march.mechanism.signals
    for places in (signals.inputs.target, signals.reactions.target, list(aside)):
        made[places] = state[places]
    check_same(made, state)


def check_status(march: IntegratorState, status: int) -> None:
    """Raise an error that says why a step could not be repeated, if its status is not `DONE`."""
    if status == BLURS:
        t = float(march.record.times[march.counts[NEXT]])
        what = f"t = {t:.6g} is next to a singular pose, where states are read from both its sides"
        raise ModelError(
            f"derivatives of simulate: {what}, without derivatives; leave this time out", code="no-derivative"
        )
    if status == NOT_CONVERGED:
        what = "the changes of an implicit step are lost in roundoff beside what is stiff"
        raise ModelError(
            f"derivatives of simulate: {what}; give shorter steps, or leave derivatives= out", code="steps-too-long"
        )
    if status == NOT_FINITE:
        t = float(march.stages.now[T])
        what = f"in the step from t = {t:.6g} a law has no finite slope, as a root has none at zero"
        raise ModelError(f"derivatives of simulate: {what}; round it off there, or leave derivatives= out", code="kink")
    if status != DONE:
        raise ModelError(
            f"a step could not be made again (status {status}); report this model",
            code="run-not-repeatable", status=status,
        )  # fmt: skip
