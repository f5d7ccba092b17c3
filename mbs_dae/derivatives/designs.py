"""Neighbouring designs, at the places of a stencil in one parameter.

The derivative by a parameter p of a number f that no kernel has slopes of is

    df/dp = 1/Δ Σ wᵢ f(p + cᵢ Δ),        c = (-2, -1, 1, 2),   w = (1, -8, 8, -1)/12,

with an error of order Δ⁴: for Δ = 3·10⁻⁴ of the size of p some 10⁻¹².
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..compiled import System
from ..errors import MbsError, ModelError
from ..model.breaks import breaks_of
from ..motion.past.origin import Run
from .parameters import Asked
from .sizes import size_of


class Stencil(NamedTuple):
    """A derivative from values at some places: exact for polynomials of degree four."""

    offsets: np.ndarray
    weights: np.ndarray
    bends: np.ndarray
    """Weights of the difference between the second derivatives over one and over two places; 0 for one side."""


CENTRAL = Stencil(
    np.array([-2.0, -1.0, 1.0, 2.0]), np.array([1.0, -8.0, 8.0, -1.0]) / 12.0, np.array([1.0, -2.0, 2.0, -1.0]) / 4.0
)
FORWARD = Stencil(np.arange(1.0, 6.0), np.array([-77.0, 214.0, -234.0, 122.0, -25.0]) / 12.0, np.zeros(5))
BACKWARD = Stencil(-FORWARD.offsets, -FORWARD.weights, FORWARD.bends)
"""One-sided stencils, for designs next to the bounds of a parameter."""
EVERY = CENTRAL, BACKWARD, FORWARD
SMALL = 3e-4
"""The step Δ of a parameter, relative to its size."""
LEAST = 1e-9
"""A break does not move with a parameter if the whole parameter moves it by less than this part of the times."""


def systems_beside(
    asked: Asked, name: str, coordinates: str, tree: Mapping[str, Any], stencils: Sequence[Stencil] = EVERY,
    small: float = SMALL,
) -> tuple[float, Stencil, list[System]]:  # fmt: skip
    """Return the step, the stencil and the systems of the first stencil at all places of which designs exist."""
    told, failed = asked.model.parameters[name], None
    value = told.value
    small *= size_of(asked.model.compile(), told.symbol, value)
    for stencil in stencils:
        try:
            models = [asked.model.with_values({name: value + c * small}) for c in stencil.offsets]
            return small, stencil, [model.compile(coordinates, **tree) for model in models]
        except MbsError as error:
            failed = failed or error
    assert failed is not None
    raise ModelError(f"derivatives by {name!r} ask for designs beside {value:g}, and there are none: {failed}")


def breaks_in(run: Run, system: System, times: np.ndarray) -> np.ndarray:
    """Return the times at which laws of time switch in a run of a system."""
    return breaks_of(system.structure.with_breaks, system.evaluator, run.t, float(times[-1]), run.by.method.order)


def breaks_moved(asked: Asked, run: Run, ends: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Return how the end of each span of a run moves with each parameter, (parameters, spans)."""
    known, out = breaks_in(run, run.system, times), np.zeros((len(asked.names), ends.size))
    laws = [asked.model.elements[one.name].forms() for one in run.system.structure.with_breaks]
    numbers = [number for forms in laws for _, slots in forms for number in slots.values()]
    coordinates = run.system.coordinates.set, run.system.structure.tree
    for row, name, symbol in zip(out, asked.names, asked.symbols, strict=True):
        if known.size and any(symbol in getattr(number, "free_symbols", ()) for number in numbers):
            small, stencil, systems = systems_beside(asked, name, *coordinates)
            row[:] = ends_moved(small, stencil, systems, run, known, ends, times, name)
    return out


def ends_moved(
    small: float, stencil: Stencil, systems: Sequence[System], run: Run, known: np.ndarray, ends: np.ndarray,
    times: np.ndarray, name: str,
) -> np.ndarray:  # fmt: skip
    """Return how the end of each span moves with a parameter, (spans,), from designs at the places of a stencil; the
    breaks of the run are `known`."""
    found = [breaks_in(run, system, times) for system in systems]
    if any(one.size != known.size for one in found):
        what = f"beside this value of {name!r} laws of time switch more or less often before the last time"
        raise ModelError(f"derivatives of simulate: {what}; end the run a little before or behind the switch")
    slopes = np.tensordot(stencil.weights, found, 1) / small
    slopes[np.abs(slopes) * small <= LEAST * SMALL * np.abs(known).max(initial=0.0)] = 0.0
    of = dict(zip(known.tolist(), slopes.tolist(), strict=True))
    return np.array([of.get(float(end), 0.0) for end in ends])
