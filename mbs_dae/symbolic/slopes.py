"""All partial derivatives of a straight-line program, as a program of its own.

A kernel is compiled from a program (`derive.Composed`): definitions s = e(...), each in terms of those before, then
outputs. Along a direction every symbol has a slope, by the chain rule with the names kept,

    ds = Σ_u ∂e/∂u du,        u the symbols of e that have a slope themselves,

so expressions do not swell, and symbols that do not depend on a direction cost nothing. The directions are, one after
the other,

    x    small motions, given like velocities: dq = N(q) dx, as q̇ = N(q) v,
    v    the velocities,
    t    time,
    s    the numbers in the slots, which follow from parameters of the model,
    z    the signals that the program reads, if directions are chosen.

x has the same meaning in all coordinates, and keeps quaternions on the unit sphere.

Branches are held where the program itself holds them (`branches`): near a switch a slope is that of the held branch,
whatever the sign of its switching function. The switching functions stand behind the outputs, and have slopes. A free
branch is that of the state; a function that jumps has slope 0 there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import sympy as sp

from .branches import branched
from .codegen import functions_as_definitions
from .derive import Composed
from .differentiation import Definition, named_in_parts, rate_along
from .functions import Lookup, OfPieces
from .markers import t

Slope = tuple[int, int, sp.Expr]
"""(output, direction, expression)."""


class Selection(NamedTuple):
    """The outputs whose slopes are computed, and the directions."""

    outputs: tuple[int, ...]
    directions: tuple[int, ...]


@dataclass(frozen=True)
class ProgramSlopes(Composed):
    """The partial derivatives of a program's outputs that are not identically zero."""

    entries: tuple[Slope, ...]

    @property
    def layout(self) -> dict[str, Any]:
        return {"entries": tuple((output, direction) for output, direction, _ in self.entries)}


def slopes(
    composed: Composed, slots: Sequence[str], selection: Selection | None = None, signals: int = 0
) -> ProgramSlopes:
    """Return the slopes of all outputs and then of all switching functions by all directions: 2 n for n local
    velocities, time, then these slots in their order; or of the chosen outputs by the chosen directions, of which the
    signals are the last. `signals` is the number of signals behind the coordinates."""
    smooth = branched(*functions_as_definitions(composed.definitions, composed.outputs), [*composed.q, *composed.v],
                    with_slopes=False, with_ranges=not composed.row_of)  # fmt: skip
    parts, results = named_in_parts([*smooth.outputs, *smooth.switching], "part_")
    definitions = [*smooth.definitions, *parts]
    program, entries = [*definitions], list[Slope]()
    by_signals = [{s: sp.S.One} for s in composed.q[len(composed.q) - signals :]]
    for k, direction in enumerate([*_directions(composed, definitions, slots), *by_signals]):
        if k not in (selection.directions if selection else range(2 * len(composed.v) + 1 + len(slots))):
            continue
        slope_of, cached = dict(direction), dict[sp.Expr, sp.Expr]()
        for s, e in definitions if slope_of else ():
            slope = rate_along(e, slope_of, cached)
            if slope.is_Atom:
                slope_of |= {s: slope} if slope != 0 else {}
                continue
            slope_of[s] = sp.Symbol(f"d{k}_{s}", real=True)
            program.append((slope_of[s], slope))
        entries += [
            (n, k, slope)
            for n, e in enumerate(results)
            if (selection is None or n in selection.outputs) and (slope := rate_along(e, slope_of, cached)) != 0
        ]
    return ProgramSlopes(composed.q, composed.v, composed.slots, tuple(program), entries=tuple(entries))


def _directions(
    composed: Composed, definitions: Sequence[Definition], slots: Sequence[str]
) -> list[Mapping[sp.Symbol, sp.Expr]]:
    """Return the slopes of the inputs of a program along each direction. A slot with the place of a table is no number.
    (Slots that hold branches are no slots of the program.)"""
    rates, still = composed.rates or composed.v, dict.fromkeys(composed.v, sp.S.Zero)
    moves = [
        {s: e for s, rate in zip(composed.q, rates, strict=True) if (e := rate.xreplace(still | {v: sp.S.One})) != 0}
        for v in composed.v
    ]
    tables = {e.args[0] for _, value in definitions for e in value.atoms(Lookup, OfPieces)}
    tables |= {e.args[0] for value in composed.outputs for e in value.atoms(Lookup)}
    numbers = {str(s): {s: sp.S.One} for s in composed.slots if s not in tables}
    return [*moves, *({v: sp.S.One} for v in composed.v), {t: sp.S.One}, *(numbers.get(name, {}) for name in slots)]
