"""Functions that sympy does not have: lookup in a table of points, and wrapping into a period.

Both are ordinary sympy functions: they can be differentiated, substituted and printed like ``sin``.
The code generator knows how to print them (see ``codegen``).
"""

from __future__ import annotations

import sympy as sp


class Lookup(sp.Function):
    """``Lookup(table, order, x)``: the value (or the derivative of that order) of a spline at ``x``.

    ``table`` is a symbol that stands for *where the data is*: the numbers themselves stay out of the
    expression, so two models with different tables share one machine code.
    """

    nargs = 3

    def fdiff(self, argindex: int = 1) -> sp.Expr:
        table, order, x = self.args
        if argindex != 3:
            return sp.S.Zero
        return Lookup(table, order + 1, x)

    def _eval_is_real(self) -> bool:
        return True


class Wrap(sp.Function):
    """``Wrap(x, period)``: x reduced to [0, period). Its slope is 1: the jumps carry no meaning,
    since whatever is wrapped is periodic itself."""

    nargs = 2

    @classmethod
    def eval(cls, x: sp.Expr, period: sp.Expr) -> sp.Expr | None:
        return sp.Mod(x, period) if x.is_number and period.is_number else None

    def fdiff(self, argindex: int = 1) -> sp.Expr:
        if argindex == 1:
            return sp.S.One
        x, period = self.args
        return -sp.floor(x / period)

    def _eval_is_real(self) -> bool:
        return True
