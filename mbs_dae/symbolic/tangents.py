"""Exact derivatives of straight-line programs, along one direction.

What becomes a kernel is a program (`derive.Composed`): definitions s = e(...), each in terms of those before, then
outputs. Along a direction every symbol has a tangent, by the chain rule with the names kept,

    δs = Σ_u ∂e/∂u δu,        u the symbols of e that have a tangent themselves,

so the tangents are a program of about twice the length, and nothing swells. A direction is

    δx    a small motion, given like a velocity: δq = N(q) δx, as q̇ = N(q) v,
    δv    a change of the velocities,
    δt    a change of time.

So it has the same meaning in all coordinates, and no direction leads off the unit quaternions. Along a motion, δx = v,
δv = v̇ and δt = 1 give the rates of all outputs, as far as signals (states, inputs) stand still.

A function that jumps has slope 0, and one with a corner the slope of either side: what happens across a jump is no
matter of derivatives.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy as sp

from .codegen import functions_as_definitions
from .derive import Composed
from .differentiation import rate_along
from .markers import t


@dataclass(frozen=True)
class Tangents(Composed):
    """A program's tangents. Its v are (v, δx, δv, δt): directions stand where velocities do."""

    along: tuple[sp.Expr, ...]
    """The derivative of each output."""

    @property
    def layout(self) -> dict[str, Any]:
        """For each output the directions, counted from the first of δx, that it depends on at all."""
        return {"depends": tuple(tuple(sorted(self._directions_in(e))) for e in self.along)}

    def _directions_in(self, e: sp.Expr) -> set[int]:
        return set().union(*(self._depends.get(s, ()) for s in e.free_symbols))

    @cached_property
    def _depends(self) -> dict[sp.Symbol, set[int]]:
        own = self.v[(len(self.v) - 1) // 3 :]
        found: dict[sp.Symbol, set[int]] = {s: {k} for k, s in enumerate(own)}
        for s, e in self.definitions:
            found[s] = set().union(*(found.get(u, ()) for u in e.free_symbols))
        return found


def tangents(composed: Composed) -> Tangents:
    """The program of the tangents of all its outputs, in their order."""
    definitions, outputs = functions_as_definitions(composed.definitions, composed.outputs)
    known = {s: sp.Symbol(f"d_{s}", real=True) for s in (*composed.q, *composed.v, t)}
    moved = {s: sp.Symbol(f"move_{s}", real=True) for s in composed.v}
    rates = zip(composed.q, composed.rates or composed.v, strict=True)
    program = [*definitions, *((known[s], rate.xreplace(moved)) for s, rate in rates)]
    found: dict[sp.Expr, sp.Expr] = {}
    for s, e in definitions:
        if (tangent := rate_along(e, known, found)) != 0:
            known[s] = sp.Symbol(f"d_{s}", real=True)
            program.append((known[s], tangent))
    v = (*composed.v, *moved.values(), *(known[s] for s in composed.v), known[t])
    along = tuple(rate_along(e, known, found) for e in outputs)
    return Tangents(composed.q, v, composed.slots, tuple(program), along)
