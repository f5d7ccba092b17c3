"""The equations differentiated by a number in them: a parameter of the model, or a constant of an element.

Coordinates, rates, states, inputs and time are held: Φ_r = ∂Φ(q, t; r)/∂r. The printed equations are differentiated, so
the derivatives are exact as well. A constant of an element becomes a parameter in a copy of the equations; after
differentiation its number replaces the parameter again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

import sympy as sp
from sympy.core.function import AppliedUndef

from ...model.parameters import Number
from ...symbolic.differentiation import rate_along
from ...symbolic.expressions import exact, tidy
from ...symbolic.functions import Opaque, written_out
from .matrices import Matrices

Eq = TypeVar("Eq", bound=Matrices)


@dataclass(frozen=True)
class Freed(Generic[Eq]):
    """Equations in which a constant is a parameter, and the number of the constant."""

    equations: Eq
    constant: sp.Symbol
    value: Number


def differentiated(eq: Eq, by: Any) -> Eq:
    """Return all matrices differentiated by a parameter or an input (its name or its symbol), or by a constant of an
    element such as "spring.stiffness"."""
    name = str(getattr(by, "symbol", by))
    own = next((symbol for symbol in (*eq.parameters, *eq.laws) if symbol.name == name), None)
    if own is not None:
        return _by_parameter(eq, own)
    freed = eq.freed(name)
    found, value = _by_parameter(freed.equations, freed.constant), {freed.constant: exact(freed.value)}
    laws = {symbol: exact(law.xreplace(value)) for symbol, law in found.laws.items()}
    printed = {name: matrix.applyfunc(lambda e: exact(e.xreplace(value))) for name, matrix in found.printed.items()}
    own = {"parameters": eq.parameters, "units": eq.units, "laws": laws}
    return replace(found, printed=printed, freed=_again(eq, freed.constant), **own)


def _by_parameter(eq: Eq, symbol: sp.Symbol) -> Eq:
    printed = {name: matrix.applyfunc(lambda e: _slope(e, symbol, eq.v)) for name, matrix in eq.printed.items()}
    return replace(eq, printed=printed, by=(*eq.by, symbol), freed=_again(eq, symbol))


def _again(eq: Eq, symbol: sp.Symbol) -> Callable[[str], Freed[Eq]]:
    """Return a function that frees a constant in the original equations and differentiates them by `symbol`."""

    def freed(name: str) -> Freed[Eq]:
        other: Freed[Eq] = eq.freed(name)
        return replace(other, equations=differentiated(other.equations, symbol))

    return freed


def _slope(e: sp.Expr, by: sp.Symbol, rates: sp.ImmutableMatrix) -> sp.Expr:
    """Return ∂e/∂by. Functions that are printed by name are expanded where they depend on `by` themselves; a function
    that jumps has slope 0. A function without a formula has a derivative without one."""
    if any(by in f.args[0].free_symbols for f in e.atoms(Opaque)):
        e = written_out(e)
    if by not in e.free_symbols:
        return sp.S.Zero
    slope = e.diff(by) if _has_no_formula(e, by) else rate_along(e, {by: sp.S.One}, {})
    return tidy(slope.replace(sp.DiracDelta, lambda *_: sp.S.Zero), [s for s in rates if s in slope.free_symbols])


def _has_no_formula(e: sp.Expr, by: sp.Symbol) -> bool:
    return any(by in f.free_symbols for f in e.atoms(AppliedUndef))
