"""Expressions: checks of those that users give, and the form of a book.

sympy reads text by running it as Python, so anybody who may write a force could run a program. Therefore text is
rejected.
"""

from collections.abc import Callable, Sequence
from inspect import signature
from itertools import islice
from math import prod
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
LONG = 100
"""The number of terms above which an expression is not multiplied out."""
UNREADABLE = 3000
"""The number of symbols, numbers and operations above which an expression is not sorted either."""


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
        text_of_value = repr(value) if isinstance(value, str) else shortened(value)
        raise ModelError(
            f"{what} must be a number or a sympy expression{of}, not {text_of_value}; {remedy}",
            code="not-an-expression", argument=what, value=value,
        ) from exc  # fmt: skip
    if any(s.name == t.name and s != t for s in e.free_symbols):
        raise ModelError(
            f"{what} uses another symbol named t; write mbs.t for time", code="other-time-symbol", argument=what
        )
    if e.has(sp.nan, sp.zoo, sp.oo):
        raise ModelError(
            f"{what} is not finite: {e}; look for a division by zero in it", code="not-finite", argument=what, value=e
        )
    if e.has(sp.I):
        raise ModelError(
            f"{what} is not real: {e}; look for the root or the logarithm of a negative number in it",
            code="not-real", argument=what, value=e,
        )  # fmt: skip
    if any(abs(n) > LARGEST for n in e.atoms(sp.Number)):
        raise ModelError(
            f"{what} contains a number that is too large for a machine number; mind its units",
            code="out-of-bounds", argument=what, most=LARGEST,
        )  # fmt: skip
    if e.has(sp.DiracDelta):
        remedy = "write a short pulse that is smooth, or the velocity that the impulse gives: initial={...}"
        raise ModelError(
            f"{what} contains an impulse (DiracDelta), which acts in no time at all; {remedy}",
            code="impulse", argument=what,
        )  # fmt: skip
    e = _ratios_to_signs(e)
    if not jumps and (jumping := sorted({str(f.func) for f in e.atoms(*JUMPS)})):
        remedy = "make it smooth: sp.tanh(x / width) in place of sp.sign(x), a Table or mbs.Motion"
        raise ModelError(
            f"{what} jumps ({', '.join(jumping)}), and its slope is asked for; {remedy}",
            code="jump", argument=what, functions=tuple(jumping),
        )  # fmt: skip
    without_code = set()  # undefined functions, functions missing in Python's math, integrals, sums
    for part in sp.preorder_traversal(e):
        if isinstance(part, AppliedUndef) or (isinstance(part, sp.Expr) and not has_code(part.func, len(part.args))):
            without_code.add(str(part.func) if isinstance(part, sp.Function) else type(part).__name__)
    if without_code:
        remedy = "use functions that sympy can differentiate and that exist in Python's math module"
        raise ModelError(
            f"cannot turn {what} into code: it contains {', '.join(sorted(without_code))}; {remedy}",
            code="no-code", argument=what, names=tuple(sorted(without_code)),
        )  # fmt: skip
    return e


def slope_between_jumps(e: sp.Expr, s: sp.Symbol) -> sp.Expr:
    """Return the derivative of an expression by a symbol, with its signs, steps and whole numbers held: its slope
    everywhere but at its jumps."""
    e = e.replace(lambda part: isinstance(part, sp.frac | sp.Mod), lambda part: part.rewrite(sp.floor))
    held = {part: sp.Dummy(real=True) for part in e.atoms(*JUMPS)}
    return e.xreplace(held).diff(s).xreplace({dummy: part for part, dummy in held.items()})


def _ratios_to_signs(e: sp.Expr) -> sp.Expr:
    """Return the expression with sign(u) for u/|u|, which is a ratio of two roundoffs where u passes zero."""
    ratios = {}
    for product in e.atoms(sp.Mul):
        for factor in product.args:
            if factor.is_Pow and factor.exp == -1 and isinstance(factor.base, sp.Abs):
                u = factor.base.args[0]
                rest = sp.cancel(product / factor / u)
                if not rest.subs(u, 0).has(sp.zoo, sp.nan) and sp.fraction(sp.together(rest))[1].subs(u, 0) != 0:
                    ratios[product] = rest * sp.sign(u)
    return e.xreplace(ratios) if ratios else e


def called(function: Callable, arguments: Sequence[Any], what: str, **constants: Any) -> Any:
    """Return the value of a user's function for symbols."""
    try:
        signature(function).bind(*arguments, **constants)
    except ValueError:
        pass  # some functions have no readable parameters
    except TypeError as exc:
        arguments_in_words = " and ".join([counted(len(arguments), "argument"), *(f"{name}=" for name in constants)])
        remedy = f"it takes {signature(function)}; write it with as many parameters"
        raise ModelError(
            f"{what} is called with {arguments_in_words}: {exc}; {remedy}",
            code="wrong-arguments", argument=what, count=len(arguments), names=tuple(constants), reason=str(exc),
        ) from exc  # fmt: skip
    try:
        return function(*arguments, **constants)
    except MbsError as exc:
        raise ModelError(
            f"{what}: {exc}",
            code="function-raises", argument=what, exception=type(exc).__name__, cause=getattr(exc, "code", None),
        ) from exc  # fmt: skip
    except Exception as exc:
        remedy = "it is called with symbols: use what they have, and functions of sympy (sp.sin, not np.sin)"
        raise ModelError(
            f"{what} raised {type(exc).__name__}: {exc}; {remedy}",
            code="function-raises", argument=what, exception=type(exc).__name__,
        ) from exc  # fmt: skip


# --- the form of a book, in which the meaning never changes ---


def exact(number: Any) -> sp.Expr:
    """Return a number as sympy, with 100.0 as 100. Other decimal numbers are not changed: 0.1 stays a float."""
    e = as_sympy(number)
    whole = [f for f in _parts(e) if f.is_Float and float(f).is_integer() and abs(f) < 1e15]
    return e.xreplace({f: sp.Integer(int(f)) for f in whole}) if whole else e


def _parts(e: sp.Basic) -> set[sp.Basic]:
    """Return all parts of an expression, each once: as a tree a long expression is many times as long."""
    parts, rest = {e}, [e]
    while rest:
        new = {*rest.pop().args} - parts
        parts |= new
        rest += new
    return parts


def tidy(e: sp.Expr, rates: Sequence[sp.Symbol] = ()) -> sp.Expr:
    """Return the expression as derived, or sorted by products of rates, whichever is shorter. The meaning never
    changes."""
    e = exact(e)
    if next(islice(sp.preorder_traversal(e), UNREADABLE, None), None) is not None:
        return e

    def shorter(factor: sp.Expr) -> sp.Expr:
        """Use sin² + cos² = 1 if the result is shorter."""
        squares = {c**2: 1 - sp.sin(*c.args) ** 2 for c in factor.atoms(sp.cos)}
        return min(factor, expanded(factor.xreplace(squares)), key=sp.count_ops) if squares else factor

    factors: dict[sp.Expr, sp.Expr] = {}
    for term in sp.Add.make_args(expanded(e)):
        factor, product = term.as_independent(*rates, as_Add=False)
        factors[product] = factors.get(product, sp.S.Zero) + factor
    return min(sp.Add(*(product * shorter(factor) for product, factor in factors.items())), e, key=sp.count_ops)


def expanded(e: sp.Expr) -> sp.Expr:
    """Return the expression with sums and products multiplied out, but nothing inside a function or a quotient;
    unchanged if it would get long."""
    if _length(e) > LONG:
        return e
    functions = [x for x in e.atoms(sp.Function, sp.Pow) if not _is_power(x)]
    inside = {x: sp.Symbol(f"inside {k}") for k, x in enumerate(functions)}
    return sp.expand(e.xreplace(inside)).xreplace({symbol: x for x, symbol in inside.items()})


def _length(e: sp.Expr) -> int:
    """Return the number of terms of the expression after multiplying out."""
    if e.is_Add or e.is_Mul:
        return (sum if e.is_Add else prod)(map(_length, e.args))
    return _length(e.base) ** int(e.exp) if _is_power(e) else 1


def _is_power(e: sp.Expr) -> bool:
    return e.is_Pow and e.exp.is_Integer and e.exp > 0


def text(e: sp.Expr) -> str:
    return sp.sstr(e, full_prec=False)
