"""Inputs whose laws depend on parameters of derivatives: their laws are written into the elements that read them, so
that equations depend on these parameters as on others. (Not for runs: neighbouring runs have inputs of their own.)"""

from __future__ import annotations

from collections.abc import Collection
from copy import deepcopy
from typing import TypeVar

import numpy as np

from ..compiled import System
from ..errors import ModelError
from ..model.element import Element
from ..model.model import Model
from ..model.parameters import Parameter, Signal, constants_out
from ..model.signals import Input
from ..symbolic.markers import t

Made = TypeVar("Made", bound=Model)


def inputs_made_of(model: Model, symbols: Collection[Parameter]) -> tuple[Input, ...]:
    return tuple(one for one in model.inputs if one.law.free_symbols & {*symbols})


def with_laws_written(model: Made, names: Collection[str]) -> Made:
    """Return a copy of the model with the laws of these inputs written into all elements that read them."""
    written = deepcopy(model)
    laws = {one.symbol: one for one in written.inputs if one.name in names}
    for element in written.elements.values():
        _write(element, laws)
    written.compile()
    return written


def _write(element: Element, laws: dict[Signal, Input]) -> None:
    form, slots = element.form()
    read = {s: laws[slots[s]].law for s in form.signals if slots[s] in laws}
    if any(own[s] in laws for other, own in element.forms()[1:] for s in other.signals):
        what = f"{element.who} is bounded by an input whose law is made of what is asked for"
        raise ModelError(
            f"{what}; write the expression of the input into it instead", code="no-derivative", element=element.who
        )
    if not read:
        return
    left = tuple(s for s in form.signals if s not in read)
    changed, numbers = constants_out(form.map(lambda e: e.xreplace(read), signals=left))
    vars(element)["_form"] = changed, {**{s: n for s, n in slots.items() if s not in read}, **numbers}


def input_slopes(system: System, symbols: Collection[Parameter], at: float) -> np.ndarray:
    """Return how the inputs change at time `at`, in their places of q: a row for each parameter."""
    found = np.zeros((len(symbols), system.layout.q_size))
    for k, symbol in enumerate(symbols):
        for one in inputs_made_of(system.model, [symbol]):
            slope = one.law.diff(symbol).xreplace({t: at})
            found[k, system.layout.signals[one.symbol]] = system.evaluator(slope)
    return found
