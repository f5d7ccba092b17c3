"""Straight-line programs printed in a language.

Expressions derived by sympy are printed once, as the Python of a kernel (`symbolic.codegen`); `kernels.straight` turns
its syntax into machine code, and this module turns it into text. So a function, a branch or a table is the same
everywhere, and operations stand in the same order. A language is a table of names of numbers, functions and
assignments.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from textwrap import wrap

from ...errors import ModelError

WIDTH = 110
CHOICE, OR, AND, RELATION, SUM, PRODUCT, SIGN, ATOM = range(8)
"""The precedence of parts of an expression."""
OPERATORS = {ast.Add: ("+", SUM), ast.Sub: ("-", SUM), ast.Mult: ("*", PRODUCT), ast.Div: ("/", PRODUCT)}
RELATIONS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
REPEATED = 4
"""The largest power of a variable that is written as a product."""


@dataclass(frozen=True)
class Language:
    """The forms and names of a language."""

    name: str
    assign: str
    """The form of a local number: "{name}" and "{value}"."""
    store: str
    """The form of an item of an array."""
    choice: str
    """The form of one of two values: "{condition}", "{yes}" and "{no}"."""
    logic: Mapping[str, str]
    """The words for: and, or, not, True, False, nan, pow."""
    functions: Mapping[str, str]
    """The names of Python's functions."""
    helpers: Mapping[str, str]
    """The source of functions that the language lacks; one may call those that stand before it."""
    comment: Callable[[Iterable[str]], str]
    """The function that writes lines as a comment, whatever characters they contain."""
    whole: Callable[[int], str] = str
    real: Callable[[int | float], str] = repr
    reserved: frozenset[str] = frozenset()
    loop: str = ""
    """The head of a loop over "{name}" below "{count}", and its end behind a |."""


@dataclass
class Written:
    """A program as text, and the helpers that it calls."""

    language: Language
    helpers: set[str] = field(default_factory=set)

    def lines(self, source: Iterable[str]) -> list[str]:
        """Return the statements of a program (`symbolic.codegen.source_lines`) as lines."""
        statements = ast.parse("\n".join(source)).body
        return [line for statement in statements for line in self.statement(statement)]

    def statement(self, node: ast.stmt) -> list[str]:
        if isinstance(node, ast.For):
            return self._loop(node)
        if not isinstance(node, ast.Assign):
            raise TypeError(f"a program cannot have {ast.unparse(node)!r} in it")
        (target,), value = node.targets, self.text(node.value)
        form = self.language.assign if isinstance(target, ast.Name) else self.language.store
        head, end = form.format(name=self.text(target), value="|").split("|")
        return broken(head, value, end)

    def _loop(self, node: ast.For) -> list[str]:
        assert isinstance(node.iter, ast.Call)
        parts = {"name": self.text(node.target), "count": self.text(node.iter.args[0])}
        head, end = self.language.loop.format(**parts).split("|")
        inside = [line for statement in node.body for line in self.statement(statement)]
        return [head, *(f"  {line}" for line in inside), end]

    def text(self, node: ast.expr, whole: bool = False) -> str:
        return self.part(node, whole)[0]

    def part(self, node: ast.expr, whole: bool = False) -> tuple[str, int]:
        """Return an expression and its precedence. Numbers are real except in subscripts."""
        write = getattr(self, f"_{type(node).__name__}", None)
        if write is None:
            raise TypeError(f"a program cannot have {ast.unparse(node)!r} in it")
        return write(node, whole)

    def held(self, node: ast.expr, tighter: int, whole: bool = False) -> str:
        """Return an expression, in parentheses if its precedence is lower than `tighter`."""
        text, tightness = self.part(node, whole)
        return text if tightness >= tighter else f"({text})"

    def _Name(self, node: ast.Name, whole: bool) -> tuple[str, int]:
        if node.id == "nan":
            return self.language.logic["nan"], ATOM
        return node.id + "_" * (node.id in self.language.reserved), ATOM

    def _Constant(self, node: ast.Constant, whole: bool) -> tuple[str, int]:
        value = node.value
        if isinstance(value, bool):
            return self.language.logic[str(value)], ATOM
        if not isinstance(value, int | float):
            raise TypeError(f"a program cannot have {value!r} in it")
        return self.language.whole(int(value)) if whole else self.language.real(value), ATOM

    def _Subscript(self, node: ast.Subscript, whole: bool) -> tuple[str, int]:
        return f"{self.text(node.value)}[{self.text(node.slice, whole=True)}]", ATOM

    def _UnaryOp(self, node: ast.UnaryOp, whole: bool) -> tuple[str, int]:
        if isinstance(node.op, ast.Not):
            return f"{self.language.logic['not']}({self.text(node.operand)})", ATOM
        return f"-{self.held(node.operand, ATOM, whole)}", SIGN

    def _BinOp(self, node: ast.BinOp, whole: bool) -> tuple[str, int]:
        """Write an operation; the left operands of a sum of many terms are nested as deep as the sum is long."""
        if isinstance(node.op, ast.Pow):
            return self._power(node)
        if isinstance(node.op, ast.Mod):
            return self._call("modulo", [node.left, node.right]), ATOM
        chain: list[tuple[str, str]] = []
        left: ast.expr = node
        sign, own = OPERATORS[type(node.op)]
        while isinstance(left, ast.BinOp) and OPERATORS.get(type(left.op), ("", -1))[1] == own:
            sign = OPERATORS[type(left.op)][0]
            chain.append((f" {sign} " if own == SUM else sign, self.held(left.right, own + 1, whole)))
            left = left.left
        return self.held(left, own, whole) + "".join(s + text for s, text in reversed(chain)), own

    def _power(self, node: ast.BinOp) -> tuple[str, int]:
        base, exponent = node.left, node.right
        sign, number = 1, exponent
        if isinstance(number, ast.UnaryOp) and isinstance(number.op, ast.USub):
            sign, number = -1, number.operand
        whole = number.value if isinstance(number, ast.Constant) and isinstance(number.value, int) else 0
        if isinstance(base, ast.Name) and 1 <= whole <= REPEATED:
            product = "*".join([self.text(base)] * whole)
            one = self.language.real(1)
            return (product, PRODUCT) if sign > 0 and whole > 1 else (f"{one}/({product})", PRODUCT)
        return self.language.logic["pow"].format(self.text(base), self.text(exponent)), ATOM

    def _Compare(self, node: ast.Compare, whole: bool) -> tuple[str, int]:
        (relation,), (right,) = node.ops, node.comparators
        return f"{self.held(node.left, SUM)} {RELATIONS[type(relation)]} {self.held(right, SUM)}", RELATION

    def _BoolOp(self, node: ast.BoolOp, whole: bool) -> tuple[str, int]:
        word, own = ("and", AND) if isinstance(node.op, ast.And) else ("or", OR)
        return f" {self.language.logic[word]} ".join(self.held(one, RELATION) for one in node.values), own

    def _IfExp(self, node: ast.IfExp, whole: bool) -> tuple[str, int]:
        condition, yes, no = (self.held(one, OR) for one in (node.test, node.body, node.orelse))
        return self.language.choice.format(condition=condition, yes=yes, no=no), CHOICE

    def _Call(self, node: ast.Call, whole: bool) -> tuple[str, int]:
        assert isinstance(node.func, ast.Name)
        name, values = node.func.id, node.args
        if name == "int":
            return self.part(values[0], whole=True)
        if name in ("max", "min") and len(values) != 2:
            first, *others = values
            rest = ast.Call(node.func, others, []) if len(others) > 1 else others[0] if others else first
            return self._call(name, [first, rest]) if others else self.text(first), ATOM
        return self._call(name, values), ATOM

    def _call(self, name: str, values: list[ast.expr]) -> str:
        own = self.language
        if name in own.helpers:
            self.helpers.add(name)
        elif name not in own.functions:
            raise ModelError(
                f"{own.name} has no function {name!r}; leave out what needs it, or take another language",
                code="no-function-in-language", language=own.name, name=name,
            )  # fmt: skip
        whole = (1, 2) if name == "lookup" else ()
        texts = [self.text(value, whole=k in whole) for k, value in enumerate(values)]
        return f"{own.functions.get(name, name)}({', '.join(texts)})"

    def preamble(self) -> list[str]:
        """Return the sources of the helpers that were called, and of those that these call."""
        own, wanted = self.language.helpers, set(self.helpers)
        for name in reversed([*own]):
            wanted |= {other for other in own if name in wanted and f"{other}(" in own[name]}
        return [own[name].strip("\n") for name in own if name in wanted]


def broken(head: str, body: str, end: str) -> list[str]:
    """Return a statement as readable lines. At the end of each line an operator or a comma follows or precedes the
    break."""
    if len(head) + len(body) + len(end) <= WIDTH:
        return [head + body + end]
    parts = wrap(body, WIDTH - 4, break_long_words=False, break_on_hyphens=False)
    return [head + "(", *(f"    {part}" for part in parts), ")" + end]
