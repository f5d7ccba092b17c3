"""Neighbouring designs, at the places of a stencil in one parameter.

The derivative by a parameter p of a number f that no kernel has slopes of is

    df/dp = 1/Δ Σ wᵢ f(p + cᵢ Δ),        c = (-3, -2, -1, 1, 2, 3),   w = (-1, 9, -45, 45, -9, 1)/60,

with an error of order Δ⁶: for Δ = 3·10⁻⁴ of the size of p it is roundoff.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..compiled import System
from ..errors import MbsError, ModelError
from ..model.breaks import breaks_of
from ..motion.past.origin import Run
from ..tolerances import BREAK_MOTION, STENCIL_STEP
from .parameters import DesignVariables
from .sizes import size_of


class Stencil(NamedTuple):
    """The weights of a derivative from values at some places, exact for polynomials of degree six."""

    offsets: np.ndarray
    weights: np.ndarray
    inner: np.ndarray
    """Weights of another one, exact for degree four, by the places nearest to 0: both together tell their errors."""
    kink: np.ndarray
    """Weights of the jump of the derivative at 0, up to order Δ³; zeros for places on one side."""


def _stencil(offsets: Sequence[float], kink: Sequence[float], inner: int) -> Stencil:
    """Return the stencil at these places: with Σ wᵢ cᵢᵏ = 1 for k = 1, and 0 for every other
    k below the number of places."""
    places, order = np.array(offsets), np.argsort(np.abs(offsets), kind="stable")
    weights, least = np.zeros(places.size), np.zeros(places.size)
    for row, many in ((weights, places.size), (least, inner)):
        own = order[:many]
        row[own] = np.linalg.solve(np.vander(places[own], increasing=True).T, np.arange(many) == 1)
    return Stencil(places, weights, least, np.array(kink))


CENTRAL = _stencil([-3.0, -2.0, -1.0, 1.0, 2.0, 3.0], [-1.5, 4.0, -2.5, -2.5, 4.0, -1.5], 4)
FORWARD = _stencil([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], [0.0] * 7, 5)
BACKWARD = FORWARD._replace(offsets=-FORWARD.offsets, weights=-FORWARD.weights, inner=-FORWARD.inner)
"""Stencils on one side are for designs next to the bounds of a parameter."""


def systems_beside(
    variables: DesignVariables, name: str, coordinates: str, tree: Mapping[str, Any], small: float = STENCIL_STEP
) -> tuple[float, Stencil, list[System]]:
    """Return the step, `small` of the size of the parameter, and the first stencil at all places of which designs
    exist, with the systems of these designs."""
    told, failed = variables.model.parameters[name], None
    value = told.value
    small *= size_of(variables.model.compile(), told.symbol, value)
    for stencil in (CENTRAL, BACKWARD, FORWARD):
        try:
            models = [variables.model.with_values({name: value + c * small}) for c in stencil.offsets]
            return small, stencil, [model.compile(coordinates, **tree) for model in models]
        except MbsError as error:
            failed = failed or error
    assert failed is not None
    raise ModelError(
        f"derivatives by {name!r} ask for designs beside {value:g}, and there are none: {failed}",
        code="design-without-motion", name=name, value=value,
    )  # fmt: skip


def breaks_in(run: Run, system: System, times: np.ndarray) -> np.ndarray:
    """Return the times at which laws of time switch in a run of a system."""
    return breaks_of(system.structure.with_breaks, system.evaluator, run.t, float(times[-1]), run.by.method.order)


def breaks_moved(variables: DesignVariables, run: Run, ends: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Return how the end of each span of a run moves with each parameter, (parameters, spans)."""
    known, out = breaks_in(run, run.system, times), np.zeros((len(variables.names), ends.size))
    laws = [variables.model.elements[one.name].forms() for one in run.system.structure.with_breaks]
    numbers = [number for forms in laws for _, slots in forms for number in slots.values()]
    coordinates = run.system.coordinates.set, run.system.structure.tree
    for row, name, symbol in zip(out, variables.names, variables.symbols, strict=True):
        if not known.size or not any(symbol in getattr(number, "free_symbols", ()) for number in numbers):
            continue
        small, stencil, systems = systems_beside(variables, name, *coordinates)
        found = [breaks_in(run, system, times) for system in systems]
        if any(one.size != known.size for one in found):
            what = f"beside this value of {name!r} laws of time switch more or less often before the last time"
            raise ModelError(
                f"derivatives of simulate: {what}; end the run a little before or behind the switch",
                code="no-derivative", name=name,
            )  # fmt: skip
        slopes = np.tensordot(stencil.weights, found, 1) / small
        slopes[np.abs(slopes) * small <= BREAK_MOTION * STENCIL_STEP * np.abs(known).max(initial=0.0)] = 0.0
        of = dict(zip(known.tolist(), slopes.tolist(), strict=True))
        row[:] = [of.get(float(end), 0.0) for end in ends]
    return out
