"""Checks of the expressions that users give.

sympy reads text by running it as Python, so anybody who may write a force could run a program. Therefore text is
rejected.
"""

from collections.abc import Callable, Iterator, Sequence
from inspect import signature
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from ..errors import MbsError, ModelError, counted, shortened
from .codegen import has_code
from .functions import as_sympy
from .markers import t

JUMPS = (sp.floor, sp.ceiling, sp.frac, sp.Mod, sp.sign, sp.Heaviside)
LARGEST = 1e308
"""The largest machine number."""


def expression_of(value: Any, what: str, variables: str = "", jumps: bool = False) -> sp.Expr:
    """Return the number or expression as sympy: finite, real, and made of functions that can become code. `variables`
    are the variables that it may have; with `jumps` it need not be continuous."""
    of = f" of {variables}" if variables else ""
    try:
        e = as_sympy(value)
    except TypeError as exc:
        hint = f"write it without quotes, e.g. 2 * sp.sin({variables.split(',')[0] or 'mbs.t'})"
        remedy = "write one, made of numbers, parameters and mbs.t"
        if isinstance(value, str):
            remedy = f"text is not evaluated: {hint}"
        elif isinstance(value, Sequence) or hasattr(value, "shape"):
            remedy = "write an expression, or a function by its points: mbs.Table(x, y)"
        given = repr(value) if isinstance(value, str) else shortened(value)
        raise ModelError(f"{what} must be a number or a sympy expression{of}, not {given}; {remedy}") from exc
    if any(s.name == t.name and s != t for s in e.free_symbols):
        raise ModelError(f"{what} uses another symbol named t; write mbs.t for time")
    if e.has(sp.nan, sp.zoo, sp.oo):
        raise ModelError(f"{what} is not finite: {e}; look for a division by zero in it")
    if e.has(sp.I):
        raise ModelError(f"{what} is not real: {e}; look for the root or the logarithm of a negative number in it")
    if any(abs(n) > LARGEST for n in e.atoms(sp.Number)):
        raise ModelError(f"{what} contains a number that is too large for a machine number; mind its units")
    if e.has(sp.DiracDelta):
        remedy = "write a short pulse that is smooth, or the velocity that the impulse gives: initial={...}"
        raise ModelError(f"{what} contains an impulse (DiracDelta), which acts in no time at all; {remedy}")
    e = _ratios_to_signs(e)
    if not jumps and (found := sorted({str(f.func) for f in e.atoms(*JUMPS)})):
        remedy = "make it smooth: sp.tanh(x / width) in place of sp.sign(x), a Table or mbs.Motion"
        raise ModelError(f"{what} jumps ({', '.join(found)}), and its slope is asked for; {remedy}")
    if unknown := sorted(set(_without_code(e))):
        remedy = "use functions that sympy can differentiate and that exist in Python's math module"
        raise ModelError(f"cannot turn {what} into code: it contains {', '.join(unknown)}; {remedy}")
    return e


def _ratios_to_signs(e: sp.Expr) -> sp.Expr:
    """Return the expression with sign(u) for u/|u|, which is a ratio of two roundoffs where u passes zero."""
    found = {}
    for product in e.atoms(sp.Mul):
        for factor in product.args:
            if factor.is_Pow and factor.exp == -1 and isinstance(factor.base, sp.Abs):
                u = factor.base.args[0]
                rest = sp.cancel(product / factor / u)
                if not rest.subs(u, 0).has(sp.zoo, sp.nan) and sp.fraction(sp.together(rest))[1].subs(u, 0) != 0:
                    found[product] = rest * sp.sign(u)
    return e.xreplace(found) if found else e


def _without_code(e: sp.Expr) -> Iterator[str]:
    """Yield the parts without code: undefined functions, functions missing in Python's math, integrals, sums."""
    for part in sp.preorder_traversal(e):
        if isinstance(part, AppliedUndef) or (isinstance(part, sp.Expr) and not has_code(part.func, len(part.args))):
            yield str(part.func) if isinstance(part, sp.Function) else type(part).__name__


def called(function: Callable, arguments: Sequence[Any], what: str, **constants: Any) -> Any:
    """Return the value of a user's function for symbols."""
    try:
        signature(function).bind(*arguments, **constants)
    except ValueError:
        pass  # some functions have no readable parameters
    except TypeError as exc:
        given = " and ".join([counted(len(arguments), "argument"), *(f"{name}=" for name in constants)])
        remedy = f"it takes {signature(function)}; write it with as many parameters"
        raise ModelError(f"{what} is called with {given}: {exc}; {remedy}") from exc
    try:
        return function(*arguments, **constants)
    except MbsError as exc:
        raise ModelError(f"{what}: {exc}") from exc
    except Exception as exc:
        remedy = "it is called with symbols: use what they have, and functions of sympy (sp.sin, not np.sin)"
        raise ModelError(f"{what} raised {type(exc).__name__}: {exc}; {remedy}") from exc
