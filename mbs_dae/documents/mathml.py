"""Write formulas as MathML, which browsers show without scripts.

The printer of sympy returns a tree of elements; forms that are missing there (dotted letters, branches, functions of
this package) are added. The tree is written with all text escaped."""

from __future__ import annotations

import re
from functools import partial
from html import escape, unescape
from typing import Any

import sympy as sp
from sympy.printing.conventions import split_super_sub
from sympy.printing.mathml import MathMLPresentationPrinter, greek_unicode

from ..symbolic.functions import as_sympy
from .paper import LETTERS, Bold, Math, Part

GREEK: dict[str, str] = dict(greek_unicode)
ACCENT = re.compile(r"(.+?)(ddot|dot|hat|bar|tilde)$")
ACCENTS = {"dot": "˙", "ddot": "¨", "hat": "^", "bar": "¯", "tilde": "~"}
OPERATORS = {"-": "−", "|.": "‖", "|": "‖", "*": "·"}


class MathMLPrinter(MathMLPresentationPrinter):
    """A printer of presentation MathML that uses only the few elements that browsers know."""

    def _element(self, name: str, *children: Any, text: str = "", **attributes: str) -> Any:
        element = self.dom.createElement(name)
        for key, value in attributes.items():
            element.setAttribute(key, value)
        if text:
            element.appendChild(self.dom.createTextNode(text))
        for child in children:
            element.appendChild(child)
        return element

    def _print_Symbol(self, sym: sp.Symbol, style: str = "plain") -> Any:
        if not LETTERS.fullmatch(sym.name):
            return self._element("mi", text=sym.name)
        base, supers, subs = split_super_sub(sym.name)
        symbol = self._letters(base)
        if subs:
            indices = self._element("mrow", *self._indices(subs))
            symbol = self._element("msub", symbol, indices)
        if supers:
            symbol = self._element("msup", symbol, self._element("mrow", *self._indices(supers)))
        return symbol

    def _indices(self, names: list[str]) -> list[Any]:
        """Return indices with commas between them."""
        elements: list[Any] = []
        for name in names:
            elements += [self._element("mo", text=",")] * bool(elements)
            elements.append(self._element("mn" if name.isdigit() else "mi", text=_greek(name)))
        return elements

    def _letters(self, base: str) -> Any:
        accent = ACCENT.match(base)
        if accent is None or not accent[1]:
            return self._element("mi", text=_greek(base) or "_")
        return self._element(
            "mover", self._letters(accent[1]), self._element("mo", text=ACCENTS[accent[2]]), accent="true"
        )

    def _print_Piecewise(self, expr: sp.Piecewise) -> Any:
        rows = []
        for value, condition in expr.args:
            when = self._element("mtext", text="otherwise") if condition is sp.true else self._print(condition)
            rows.append(self._element("mtr", *(self._element("mtd", one) for one in (self._print(value), when))))
        table = self._element("mtable", *rows, columnalign="left left")
        return self._element("mrow", self._element("mo", text="{"), table)

    def _print_MatrixBase(self, m: Any) -> Any:
        """Return a matrix as a table with borders as brackets, because not every font has brackets that grow."""
        cell = partial(self._element, "mtd")
        rows = [self._element("mtr", *(cell(self._print(m[i, k])) for k in range(m.cols))) for i in range(m.rows)]
        return self._element("mtable", *rows, **{"class": "matrix"})

    _print_ImmutableDenseMatrix = _print_MatrixBase

    def _print_Function(self, e: Any) -> Any:
        return self._function_call(NAMES.get(e.func.__name__, e.func.__name__), e.args)

    def _print_atan2(self, e: Any) -> Any:
        return self._function_call("atan2", e.args)

    def _print_Lookup(self, e: Any) -> Any:
        table, order, x = e.args
        name = self._print_Symbol(sp.Symbol(str(table)))
        primes = [self._element("mo", text="′" * int(order))] if order else []
        return self._element("mrow", name, *primes, *self._in_parentheses([x]))

    _print_BentLookup = _print_Lookup

    def _print_Opaque(self, e: Any) -> Any:
        return self._function_call("f" + "′" * int(e.args[1]), [e.args[2]])

    def _print_Max(self, e: Any) -> Any:
        return self._function_call("max", e.args)

    def _print_Min(self, e: Any) -> Any:
        return self._function_call("min", e.args)

    def _function_call(self, name: str, arguments: Any) -> Any:
        return self._element("mrow", self._print_Symbol(sp.Symbol(name)), *self._in_parentheses(arguments))

    def _in_parentheses(self, arguments: Any) -> list[Any]:
        elements = [self._element("mo", text="(")]
        for k, argument in enumerate(arguments):
            elements += [self._element("mo", text=",")] * (k > 0)
            elements.append(self._print(argument))
        return [*elements, self._element("mo", text=")")]


NAMES = {"Wrap": "wrap", "SmoothWrap": "wrap", "Unwound": "unwound", "sign": "sgn"}


def _greek(name: str) -> str:
    return GREEK.get(name, name)


def mathml(math: Math, display: bool = False) -> str:
    """Return a formula as an HTML element."""
    inside = "".join(map(part, math.parts))
    kind = 'display="block"' if display else 'displaystyle="true"'
    return f"<math {kind}><mrow>{inside}</mrow></math>"


def part(one: Part) -> str:
    if isinstance(one, Bold):
        return _bold(one)
    if isinstance(one, str):
        form = ' form="infix"' if one in ("+", "-", "=") else ""
        return f"<mo{form}>{escape(OPERATORS.get(one, one))}</mo>"
    return _text(MathMLPrinter()._print(as_sympy(one)))


def _bold(one: Bold) -> str:
    shown = _greek(one.name)
    symbol = f'<mi mathvariant="normal" class="bold">{escape(shown)}</mi>'
    if one.dots:
        symbol = f'<mover accent="true">{symbol}<mo>{ACCENTS["ddot" if one.dots > 1 else "dot"]}</mo></mover>'
    if one.below and one.above:
        return f"<msubsup>{symbol}{_small(one.below)}{_small(one.above)}</msubsup>"
    symbol = f"<msub>{symbol}{_small(one.below)}</msub>" if one.below else symbol
    return f"<msup>{symbol}{_small(one.above)}</msup>" if one.above else symbol


def _small(text: str) -> str:
    return f"<mtext>{escape(text.replace('-', '−'))}</mtext>"


def _text(node: Any) -> str:
    """Return a tree as escaped text. (sympy writes some characters as entities, and minus as a hyphen.)"""
    if node.nodeType == node.TEXT_NODE:
        text = unescape(node.data)
        return escape(text.replace("-", "−") if node.parentNode.nodeName in ("mo", "mn") else text)
    inside = "".join(map(_text, node.childNodes))
    attributes = "".join(f' {escape(k)}="{escape(v)}"' for k, v in sorted(node.attributes.items()))
    space = ' lspace="0.1em" rspace="0.1em"' * (inside == TIMES)
    return f"<{node.nodeName}{attributes}{space}>{inside}</{node.nodeName}>"


TIMES = "\N{INVISIBLE TIMES}"
