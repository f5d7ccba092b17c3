"""The body of a Python function from equations: common subexpressions first, only functions of math.

Input: definitions (symbol, expression) and output expressions. Output: source lines. Only definitions that the outputs
need are written, each line after the lines it needs.
"""

from collections.abc import Mapping, Sequence
from functools import cache, partial
from textwrap import wrap
from typing import Any

import sympy as sp
from sympy.printing.pycode import PythonCodePrinter
from sympy.simplify.cse_main import tree_cse

from ..errors import ModelError
from .branches import Branch, Branched, Chosen, ConstantCopy, RangeContinuation, Rounded, Side, branched
from .derive import Composed, Definition
from .functions import BentLookup, Lookup, OfPieces, Opaque, Root, Unwound, Wrapping, as_sympy

FUNCTIONS = (
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "copysign", "cos", "cosh", "erf", "erfc", "exp",
    "expm1", "fabs", "floor", "gamma", "hypot", "lgamma", "log", "log10", "log1p", "log2", "sin", "sinh", "sqrt", "tan",
    "tanh", "nan",
)  # fmt: skip
"""The names that generated code imports from Python's math."""
WIDTH = 110
"""The largest number of characters of a line of generated code, if it can be broken."""


class Guarded(sp.Function):
    """``Guarded(w, a, b)``: a for w = 1, else b, which is not evaluated for w = 1."""

    nargs = 3


class Printer(PythonCodePrinter):
    """A printer of Python that becomes machine code: only ``math``."""

    def __init__(self, **settings: Any) -> None:
        functions = {"Wrap": "wrap", "SmoothWrap": "wrap", "Unwound": "unwound"}
        super().__init__({"fully_qualified_modules": False, "strict": True, "user_functions": functions, **settings})

    def _print_Piecewise(self, expr: sp.Piecewise) -> str:
        """Print a Piecewise; its value is nan if no branch holds."""
        if expr.args[-1].cond is not sp.true:
            expr = sp.Piecewise(*expr.args, (sp.Symbol("nan"), True), evaluate=False)
        return super()._print_Piecewise(expr)

    def _print_DiracDelta(self, expr: sp.Expr) -> str:
        """Print 0: an impulse in the second derivative of a kink (Abs, Max) acts at one instant only."""
        return "0.0"

    def _print_Heaviside(self, expr: sp.Expr) -> str:
        return f"(1.0 if {self._print(expr.args[0])} > 0.0 else 0.0)"

    def _print_ceiling(self, expr: sp.Expr) -> str:
        return f"(-floor(-({self._print(expr.args[0])})))"

    def _print_Float(self, expr: sp.Expr) -> str:
        return repr(float(expr))

    _print_Exp1 = _print_Pi = _print_Float

    def _print_Lookup(self, expr: Lookup) -> str:
        table, order, x = expr.args
        return f"lookup(tables, int({self._print(table)}), {int(order)}, {self._print(x)})"

    _print_BentLookup = _print_Lookup

    def _print_Piece(self, expr: OfPieces) -> str:
        table, order, x, piece = expr.args
        what = type(expr).__name__.lower()
        return f"{what}(tables, int({self._print(table)}), {int(order)}, {self._print(x)}, {self._print(piece)})"

    _print_Knot = _print_Piece

    def _print_Side(self, expr: Side) -> str:
        mode, g, tie = map(self._print, expr.args)
        return f"({mode} if {mode} == {mode} else 1.0 if {g} > 0.0 else -1.0 if {g} < 0.0 else {tie})"

    def _print_Rounded(self, expr: Rounded) -> str:
        mode, g = map(self._print, expr.args)
        return f"({mode} if {mode} == {mode} else floor({g}))"

    def _print_Branch(self, expr: Branch) -> str:
        mode, fixed, free = map(self._print, expr.args)
        return f"({fixed} if {mode} == {mode} else {free})"

    def _print_Chosen(self, expr: Chosen) -> str:
        w, a, b = (f"({self._print(e)})" for e in expr.args)
        return f"({a} if {w} == 1 else {b} if {w} == 0 else {b} + ({a} - {b})*{w})"

    def _print_RangeContinuation(self, expr: RangeContinuation) -> str:
        w, a, b = (f"({self._print(e)})" for e in expr.args)
        return f"({b} if {w} == 0 else {a})"

    def _print_ConstantCopy(self, expr: ConstantCopy) -> str:
        return f"({self._print(expr.args[0])})"

    def _print_Root(self, expr: Root) -> str:
        x, p, n = expr.args
        size = f"abs({self._print(x)})"
        power = {1: size, sp.S.Half: f"sqrt({size})"}.get(p, f"{size}**({self._print(p)})")
        return f"({power}*copysign(1.0, {self._print(x)}))" if n % 2 else f"({power})"

    def _print_Guarded(self, expr: Guarded) -> str:
        w, a, b = (f"({self._print(e)})" for e in expr.args)
        return f"({a} if {w} == 1 else {b})"


def chains_apart(values: dict[sp.Symbol, sp.Expr], reduced: Sequence[sp.Expr]) -> list[sp.Expr]:
    """Return the `reduced` expressions, in which no choice stands behind another one.

    A law of n pieces is a choice, Chosen(w, a, b), in whose rest b the next one stands. A choice writes its rest three
    times, so a chain that is written directly is 3ⁿ long. Each rest gets a line of its own in `values`, behind the
    choices before it: where one of these holds, the rest is not evaluated, because it may have no value there.
    """
    symbols_in_use = {str(s) for e in (*values.values(), *reduced) for s in e.free_symbols} | set(map(str, values))
    names = (s for s in sp.numbered_symbols("rest_", real=True) if str(s) not in symbols_in_use)

    def apart(e: sp.Expr) -> sp.Expr:
        if not e.has(Chosen):
            return e
        if isinstance(e, Chosen):
            return chain(e, ())
        return e.xreplace({a: apart(a) for a in e.args if a.has(Chosen)})

    def chain(e: sp.Expr, before: tuple[tuple[sp.Expr, sp.Expr], ...]) -> sp.Expr:
        w, a, rest = e.args
        a = apart(a)
        if not isinstance(rest, Chosen):
            return Chosen(w, a, apart(rest))
        passed = (*before, (w, a))
        value = chain(rest, passed)
        for weight, piece in reversed(passed):
            value = Guarded(weight, piece, value)
        symbol = next(names)
        values[symbol] = value
        return Chosen(w, a, symbol)

    for symbol, value in [*values.items()]:
        values[symbol] = apart(value)
    return [apart(e) for e in reduced]


PACKAGE_FUNCTIONS = (Opaque, Lookup, Unwound, Wrapping)
"""Functions of this package: their code is written by the printer, and by `functions_as_definitions`."""


@cache
def has_code(function: Any, arguments: int) -> bool:
    """Return whether there is code for this kind of expression, with this number of arguments."""
    if issubclass(function, (sp.Atom, sp.Add, sp.Mul, sp.Pow, sp.Piecewise, *PACKAGE_FUNCTIONS)):
        return True
    printer = Printer()
    try:
        printer.doprint(function(*sp.symbols(f"x:{arguments}", real=True)))
    except Exception:  # printers may fail in any way
        return False
    return {name for names in printer.module_imports.values() for name in names} <= {*FUNCTIONS}


def source_lines(
    definitions: Sequence[Definition], outputs: Sequence[sp.Expr], places: Sequence[str] = (), parts: bool = True
) -> tuple[list[str], set[sp.Symbol]]:
    """Return lines that compute the outputs and store them as ``out[at + 0], out[at + 1], ...`` (or in other places),
    and the symbols that they use without defining them. Without `parts`, common parts of sums and of products are not
    searched: in long equations the search takes a hundred times longer, and finds little."""
    symbols = [s for s, _ in definitions]
    expressions = [as_sympy(e) for e in (*(e for _, e in definitions), *outputs)]
    names = sp.numbered_symbols("w", exclude=() if parts else {s for e in expressions for s in e.free_symbols})
    # sympy's "basic" optimisations find hardly more, in five times the time
    cse = partial(sp.cse, optimizations=None) if parts else tree_cse
    temporaries, reduced = cse(expressions, symbols=names)
    values = dict(temporaries) | dict(zip(symbols, reduced, strict=False))
    outputs = chains_apart(values, reduced[len(symbols) :])

    printer = Printer()
    lines: list[str] = []
    written: set[sp.Symbol] = set()
    used: set[sp.Symbol] = set()

    def write(symbol: sp.Symbol) -> None:
        if symbol in written:
            return
        if symbol not in values:
            used.add(symbol)
            return
        written.add(symbol)
        need(values[symbol])
        lines.extend(_assignment(f"{symbol} = ", show(values[symbol])))

    def need(expression: sp.Expr) -> None:
        for symbol in sorted(expression.free_symbols, key=str):
            write(symbol)

    def show(expression: sp.Expr) -> str:
        try:
            return printer.doprint(expression)
        except Exception as exc:
            raise ModelError(
                f"cannot turn {expression} into code: {exc}; use functions that sympy can differentiate "
                "and that exist in Python's math module",
                code="no-code", expression=expression, reason=str(exc),
            ) from exc  # fmt: skip

    for k, output in enumerate(outputs):
        need(output)
        lines.extend(_assignment(f"{places[k] if places else f'out[at + {k}]'} = ", show(output)))
    return lines, used


def _assignment(head: str, body: str) -> list[str]:
    """Return an assignment as readable lines."""
    if len(head) + len(body) <= WIDTH:
        return [head + body]
    parts = wrap(body, WIDTH, break_long_words=False, break_on_hyphens=False)
    return [f"{head}(", *(f"    {part}" for part in parts), ")"]


def functions_as_definitions(
    definitions: Sequence[Definition], outputs: Sequence[sp.Expr]
) -> tuple[list[Definition], list[sp.Expr]]:
    """Turn each opaque function into definitions of its own: its argument, then its derivative there; inner functions
    first. Each definition needs only those before it.

    A table with knots is read at one place by all its derivatives, so that one decision chooses its piece. The others
    have a place each: otherwise powers of a place that two polynomials share would be factored out of both.
    """
    written: list[Definition] = []
    names: dict[sp.Expr, sp.Symbol] = {}
    places: dict[sp.Expr, sp.Symbol] = {}

    def name_functions(e: sp.Expr) -> sp.Expr:
        while innermost := sorted((g for g in e.atoms(Opaque) if not g.args[2].has(Opaque)), key=sp.default_sort_key):
            for g in innermost:
                if g not in names:
                    function, _, argument = g.args
                    key = argument if function.has(BentLookup) else g
                    if key not in places:
                        places[key] = sp.Symbol(f"at_{len(places)}", real=True)
                        written.append((places[key], argument))
                    names[g] = sp.Symbol(f"given_{len(names)}", real=True)
                    written.append((names[g], name_functions(g.at(places[key]))))
            e = e.xreplace(names)
        return e

    for s, e in definitions:
        value = name_functions(as_sympy(e))
        written.append((s, value))
    return written, [name_functions(as_sympy(e)) for e in outputs]


def kernel_module(
    composed: Composed, title: str, slots_of: Mapping[str, Any] | None = None, free: bool = False
) -> tuple[str, dict[str, Any]]:  # fmt: skip
    """Return the Python module of one element kernel (its calling convention: `kernels.abi`), and its layout. A kernel
    of slopes has the slots of the kernel of values, whose layout is given; its branches are free, and so are those of a
    `free` kernel."""
    state = [*composed.q, *composed.v]
    named = functions_as_definitions(composed.definitions, composed.outputs)
    if free or slots_of is not None:
        program = Branched(*named)
    else:  # laws of forces and friction have ranges; a constraint without a value stops any motion
        program = branched(*named, state, with_ranges=not composed.row_of)
    outputs = [*program.outputs, *program.switching, *(e for _, _, e in program.slopes)]
    body, used = source_lines(program.definitions, outputs, parts=slots_of is None)
    names = {str(s) for s in used}
    slot_names = *(str(s) for s in composed.slots if s in used), *map(str, program.modes)
    slots, room = slot_names if slots_of is None else slots_of["slots"], len(outputs)
    layout = {**composed.layout, "slots": slots, "outputs": room}
    layout["modes"] = dict(zip(map(str, program.modes), program.kinds, strict=True))
    layout["slopes"] = tuple((switch, place) for switch, place, _ in program.slopes)
    deciding = [*zip(composed.row_of, program.deciding(), strict=True)] if composed.row_of and program.modes else []
    layout["decides"] = tuple(  # the rows about which each switching function decides
        tuple(sorted({row for row, switches in deciding if k in switches})) for k in range(len(program.modes))
    )
    arrays = "q" * len(composed.q) + "v" * len(composed.v)
    loads = [
        *(f"{s} = {arrays[k]}[index[from_ + {k}]]" for k, s in enumerate(state) if s in used),
        *(f"{s} = parameters[const + {k}]" for k, s in enumerate(slots) if s in names),
    ]
    lines = "\n        ".join([*loads, *body])
    functions = ", ".join(FUNCTIONS)
    pieces = any(e.has(OfPieces) for e in (*(e for _, e in program.definitions), *outputs))
    knots = "from mbs_dae.kernels.abi import knot, piece\n" if pieces else ""
    module = f'''"""{title}: written by mbs_dae, derived from its equations. Not for editing."""
from math import {functions}
from mbs_dae.kernels.abi import lookup, unwound, wrap
{knots}

def kernel(count, t, q, v, index, parameters, tables, out):
    for instance in range(count):
        from_ = instance * {len(state)}
        const = instance * {len(slots)}
        at = instance * {room}
        {lines}
'''
    return module, layout
