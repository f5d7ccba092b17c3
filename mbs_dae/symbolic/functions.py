"""Numbers and expressions as sympy (`as_sympy`); and functions that sympy does not have: lookup in a table of points,
wrapping into a period, counting turns, and opaque functions.

They are ordinary sympy functions, which can be differentiated, substituted and printed like ``sin``. The code generator
knows how to print them (see ``codegen``).

numpy applies a function to an object by calling its method of that name, which sympy's expressions do not have. So
``np.sin(2 * mbs.t)`` is a TypeError, and here it gets a text that helps; so do ``math.sin(x)``, which asks for a
number, and ``if x > 0``, ``np.sign(x)``, ``max(x, 0)``, which ask for a yes or no.
"""

from collections.abc import Callable
from typing import Any, NoReturn

import sympy as sp
from sympy.core.relational import Relational


def as_sympy(value: Any) -> sp.Expr:
    """Return a number or an expression as a sympy expression. Text is none, and never evaluated; nor is a truth
    value."""
    try:
        e = sp.sympify(value, strict=True)
    except (sp.SympifyError, AttributeError) as exc:
        raise TypeError(f"{value!r} is neither a number nor an expression") from exc
    if not isinstance(e, sp.Expr):
        raise TypeError(f"{value!r} is neither a number nor an expression")
    return e


def _of_numpy(name: str) -> Callable[[sp.Expr], NoReturn]:
    def refuse(self: sp.Expr) -> NoReturn:
        in_sympy = f"sp.{name.replace('arc', 'a')}({self})"
        raise TypeError(f"np.{name} takes numbers, and {self} is an expression; write {in_sympy}, import sympy as sp")

    return refuse


for _name in ("sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "exp", "log", "sqrt"):
    if not hasattr(sp.Expr, _name):
        setattr(sp.Expr, _name, _of_numpy(_name))


def _undecided(self: Relational) -> NoReturn:
    raise TypeError(
        f"{self} is neither true nor false before the model moves, and if, max, min, np.sign and a <= x <= b ask for "
        f"that; write sp.Piecewise((a, {self}), (b, True)), or sp.Max, sp.Min, sp.sign, import sympy as sp; and in a "
        "list of limits two of them, [a <= x, x <= b]"
    )


def _number(self: sp.Expr) -> float:
    try:
        return _float(self)
    except TypeError as exc:
        raise TypeError(f"{exc}: it is not a number; write functions of sympy, such as sp.sin for math.sin") from exc


_float = sp.Expr.__float__
sp.Expr.__float__, Relational.__bool__ = _number, _undecided


class Ordered(sp.Function):
    """``f(what, order, x)``: the derivative of that order of something, at x."""

    nargs, is_real = 3, True

    def fdiff(self, argindex: int = 1) -> sp.Expr:
        what, order, x = self.args
        return self.func(what, order + 1, x) if argindex == 3 else sp.S.Zero


class Choice(sp.Function):
    """``f(decision, a, b)``: one of two expressions, as a decision that has no slope says. Nothing depends on the other
    one, which may have no value."""

    nargs, is_real = 3, True

    def _eval_derivative(self, s: sp.Symbol) -> sp.Expr:
        decision, a, b = self.args
        return self.func(decision, a.diff(s), b.diff(s))

    @classmethod
    def eval(cls, decision: sp.Expr, a: sp.Expr, b: sp.Expr) -> sp.Expr | None:
        return a if a == b else None


class Root(sp.Function):
    """``Root(x, p, n)``: |x|ᵖ, for odd n with the sign of x: n is the number of times it has been differentiated."""

    nargs, is_real = 3, True

    def rate(self, x_rate: sp.Expr, p_rate: sp.Expr) -> sp.Expr:
        """Return the rate for the rates of x and p. Where x does not change, its infinite slope at zero has no part in
        it."""
        x, p, n = self.args
        rate = sp.S.Zero if x_rate == 0 else unless_zero(x_rate, p * Root(x, p - 1, n + 1) * x_rate)
        return rate if p_rate == 0 else rate + unless_zero(x, self * sp.log(Root(x, sp.S.One, sp.S.Zero)) * p_rate)

    def _eval_derivative(self, s: sp.Symbol) -> sp.Expr:
        return self.rate(self.args[0].diff(s), self.args[1].diff(s))


def unless_zero(x: sp.Expr, value: sp.Expr) -> sp.Expr:
    """Return 0 for x = 0, else the value."""
    return value if x.is_Number else sp.Piecewise((0, sp.Eq(x, 0, evaluate=False)), (value, True), evaluate=False)


class Lookup(Ordered):
    """``Lookup(table, order, x)``: the value (or the derivative of that order) of a spline at ``x``.

    ``table`` is a symbol that stands for *where the data is*: the numbers themselves stay out of the
    expression, so two models with different tables share one machine code.
    """

    def _eval_evalf(self, prec: int) -> sp.Expr | None:
        symbol, order, x = self.args
        table = getattr(symbol, "table", None)
        return sp.Float(table.read(float(x), int(order))) if table is not None and x.is_number else None


class BentLookup(Lookup):
    """A `Lookup` in a table whose slope or curvature jumps at its knots: a run locates these, and holds a piece of the
    table within a step (`Piece`, `Knot`)."""


class OfPieces(sp.Function):
    """``f(table, order, x, piece)``: the derivative of that order, at x, where a piece of a table is held."""

    nargs, is_real = 4, True

    def fdiff(self, argindex: int = 1) -> sp.Expr:
        table, order, x, piece = self.args
        return self.func(table, order + 1, x, piece) if argindex == 3 else sp.S.Zero


class Piece(OfPieces):
    """``Piece(table, order, x, n)``: the piece of number n, continued beyond its knots (`kernels.abi.piece`)."""


class Knot(OfPieces):
    """``Knot(table, order, x, n)``: the number of knots that x has passed, linear on the piece n, which is held
    (`kernels.abi.knot`)."""


class Wrapping(sp.Function):
    """``f(x, period)``: x reduced to [0, period). Its slope is 1: the jumps carry no meaning,
    since whatever is wrapped is periodic itself."""

    nargs, is_real = 2, True

    @classmethod
    def eval(cls, x: sp.Expr, period: sp.Expr) -> sp.Expr | None:
        return sp.Mod(x, period) if x.is_number and period.is_number else None

    def fdiff(self, argindex: int = 1) -> sp.Expr:
        if argindex == 1:
            return sp.S.One
        x, period = self.args
        return -sp.floor(x / period)


class Wrap(Wrapping):
    """A `Wrapping` in a force or a contact: a run holds the number of the period within a step."""


class SmoothWrap(Wrapping):
    """A `Wrapping` in a joint, whose periods join smoothly: no step of a run needs to know in which period it is."""


class Unwound(sp.Function):
    """``Unwound(angle, near)``: the angle plus the number of whole turns that brings it nearest to `near`. Its slope is
    that of the angle: `near` only counts turns."""

    nargs, is_real = 2, True

    @classmethod
    def eval(cls, angle: sp.Expr, near: sp.Expr) -> sp.Expr | None:
        if not (angle.is_number and near.is_number):
            return None
        return angle + 2 * sp.pi * sp.floor((near - angle) / (2 * sp.pi) + sp.Rational(1, 2))

    def fdiff(self, argindex: int = 1) -> sp.Expr:
        return sp.S.One if argindex == 1 else sp.S.Zero


BOUND = sp.Symbol("bound_", real=True)
"""The argument of the expression inside an `Opaque` function."""


class Opaque(Ordered):
    """``Opaque(f, order, x)``: the derivative of that order, at x, of a function into which derivations do not look; f
    is an expression of BOUND.

    A cam's profile may be a page of branches. So it is differentiated by itself, once, and not again and again with
    everything that the chain rule makes of its argument.
    """

    def _eval_derivative(self, s: sp.Symbol) -> sp.Expr:
        slope = self.args[2].diff(s)
        return sp.S.Zero if slope == 0 else self.fdiff(3) * slope

    @property
    def free_symbols(self) -> set[sp.Symbol]:
        return (self.args[0].free_symbols - {BOUND}) | self.args[2].free_symbols

    def doit(self, **hints: Any) -> sp.Expr:
        return self.at(self.args[2].doit(**hints))

    def _sympystr(self, printer: Any) -> str:
        """Print the short form: f(x), f'(x), f''(x)."""
        return f"f{chr(39) * int(self.args[1])}({printer.doprint(self.args[2])})"

    def _latex(self, printer: Any) -> str:
        return rf"f{chr(39) * int(self.args[1])}\left({printer.doprint(self.args[2])}\right)"

    def at(self, x: sp.Expr) -> sp.Expr:
        """Return the derivative at x, written out."""
        f, order, _ = self.args
        return f.diff(BOUND, int(order)).xreplace({BOUND: x})


def opaque(function: Callable[[sp.Expr], sp.Expr]) -> Callable[[sp.Expr], sp.Expr]:
    """Return the function as an `Opaque` one."""
    whole = as_sympy(function(BOUND))
    return lambda x: Opaque(whole, sp.S.Zero, as_sympy(x))


def written_out(e: sp.Expr) -> sp.Expr:
    """Return the expression with every `Opaque` function replaced by its definition."""
    return e.replace(lambda x: isinstance(x, Opaque), lambda opaque: opaque.at(opaque.args[2]))
