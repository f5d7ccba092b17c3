"""Names by which a run is differentiated: values given for its start, or for that of an earlier run, are among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...errors import ModelError
from ...model.checks import name_of
from ...model.model import Model
from ...motion.past.origin import Run
from ..constants import constants_of
from ..parameters import DesignVariables, design_variables
from ..results import starts_of


def run_variables(run: Run, names: Sequence[Any]) -> DesignVariables | None:
    """Return the model and the symbols for `derivatives=` of a run; refuse methods without derivatives."""
    model, given = run.system.model, {*given_of(run.first)}
    if carried := run.first.varied if names else None:  # the values from which a given state was found
        given |= {*starts_of(carried)} - {*model.parameters} - {*constants_of(model)}
    variables = design_variables(model, names, given, run=True)
    if variables and run.by.method.steps_over:
        what = f"{run.by.method.name} knows of impacts only in which step they are, and neighbours meet in the same"
        what = f'{what} step, though they meet at other times: take method="DP5" or "Radau5"'
        raise ModelError(f"derivatives of simulate: {what}; or leave derivatives= out", code="no-derivative")
    return variables


def given_of(run: Run) -> dict[str, float]:
    """Return the initial values of a run by their full names."""
    named = run.initial if isinstance(run.initial, Mapping) else {}
    return {name_of(run.system.model, name, "initial"): value for name, value in named.items()}


def check_samples(model: Model, variables: DesignVariables) -> None:
    """Refuse sampling times that move with a parameter."""
    for controller in model.controllers:
        if {*variables.symbols} & getattr(controller.every, "free_symbols", set()):
            what = f"{controller.who} samples at times that depend on what is asked for"
            raise ModelError(
                f"derivatives of simulate: {what}; give a number for every=, or leave derivatives= out",
                code="no-derivative", controller=controller.who,
            )  # fmt: skip
