"""The options of steps: the method, tolerances, lengths."""

import sys
from typing import Any, NamedTuple

import numpy as np

from ...errors import ModelError
from ...model.parameters import positive_number
from . import method_named
from .method import Method

MOST_STEPS = 1_000_000  # the largest number of trials of controlled steps, unless given


class Stepping(NamedTuple):
    """The method, the tolerances and the lengths of steps."""

    method: Method
    rtol: float
    atol: float
    length: float  # of all steps, in s; 0 where errors decide
    longest: float
    """The length of the longest step, in s."""
    most: int  # steps that are tried
    in_turn: bool = False  # whether impacts at one instant are passed on


def stepping(
    method: str | Method = "DP5", rtol: Any = 1e-8, atol: Any = None, step: Any = None, max_step: Any = None,
    max_steps: Any = None, impacts: str = "together",
) -> Stepping:  # fmt: skip
    """Return the options of steps, checked."""
    by, length = method_named(method), 0.0 if step is None else positive_number(step, "step", "step, in seconds")
    if step is None and not by.is_controlled:
        raise ModelError(
            f'{by.name} has no step control; give step=..., e.g. step=1e-3, or method="DP5"',
            code="missing-argument", argument="step", method=by.name,
        )  # fmt: skip
    rtol = positive_number(rtol, "rtol", "tolerance such as 1e-8")
    atol = rtol if atol is None else positive_number(atol, "atol", "tolerance such as 1e-8")
    for name, value in (("rtol", rtol), ("atol", atol)):
        if value > 0.1:
            raise ModelError(
                f"{name} is {value:g}, which asks for nothing; give a tolerance such as 1e-6",
                code="out-of-bounds", argument=name, value=value, most=0.1,
            )  # fmt: skip
    if atol < 1e-30:
        raise ModelError(
            f"atol is {atol:g}, and what is zero would have to be exact; give at least 1e-30",
            code="out-of-bounds", argument="atol", value=atol, least=1e-30,
        )  # fmt: skip
    if rtol < 1e-13:
        raise ModelError(
            f"rtol is {rtol:g}, below roundoff; the smallest that makes sense is 1e-13",
            code="out-of-bounds", argument="rtol", value=rtol, least=1e-13,
        )  # fmt: skip
    if max_step is not None and step is not None:
        raise ModelError(
            "give step= for steps of one length or max_step= for a bound on controlled ones, not both",
            code="contradictory-arguments", argument="max_step", other="step",
        )  # fmt: skip
    longest = np.inf if max_step is None else positive_number(max_step, "max_step", "step, in seconds")
    if max_steps is None:
        max_steps = MOST_STEPS if step is None else sys.maxsize
    elif not positive_number(max_steps, "max_steps", "whole number").is_integer():
        raise ModelError(
            f"max_steps is {max_steps!r}; give a whole number above zero",
            code="not-an-integer", argument="max_steps", value=max_steps,
        )  # fmt: skip
    if impacts not in ("together", "in turn"):
        raise ModelError(
            f'impacts is {impacts!r}; give "together" or "in turn"',
            code="unknown-choice", argument="impacts", value=impacts, choices=("together", "in turn"),
        )  # fmt: skip
    if impacts == "in turn" and by.steps_over:
        raise ModelError(
            f'{by.name} steps over impacts, and knows no turns; take method="DP5", or impacts="together"',
            code="not-supported", argument="impacts", value=impacts, method=by.name,
        )  # fmt: skip
    return Stepping(by, rtol, atol, length, longest, int(max_steps), impacts == "in turn")
