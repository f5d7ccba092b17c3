"""The source of a kernel, as a function of intervals.

The lines are those of the derivation (`symbolic.codegen`), reduced to the lines that the requested outputs need.
Conditional expressions become calls, since a condition on intervals may hold in some lanes and not in others, and
fractions become calls of `ratio`: the double number ``1/3`` is not a third.
"""

from __future__ import annotations

import ast
from collections.abc import Collection
from functools import lru_cache, reduce
from types import CodeType
from typing import Any

SIGNS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip


@lru_cache(maxsize=4096)
def code_of(source: str, outputs: frozenset[int]) -> CodeType:
    """Compile the body of a kernel's loop, for one instance, reduced to the lines that these outputs need."""
    kernel = next(node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef))
    loop = next(node for node in kernel.body if isinstance(node, ast.For))
    lines = [line for line in loop.body if isinstance(line, ast.Assign)]
    written = [_OnIntervals().visit(line) for line in lines]  # before `_needed`: lines of held branches are dropped
    places = ast.parse("from_ = const = at = 0").body
    body = ast.Module([*places, *_needed(written, outputs)], [])
    return compile(ast.fix_missing_locations(body), "<kernel on intervals>", "exec")


def _needed(lines: list[ast.Assign], outputs: Collection[int]) -> list[ast.Assign]:
    """Return the lines that write the requested outputs, and those that these lines need, in order."""
    needed: set[str] = set()
    chain = []
    for line in reversed(lines):
        target: Any = line.targets[0]
        if isinstance(target, ast.Name):
            take = target.id in needed and target.id not in ("from_", "const", "at")
        else:
            take = target.slice.right.value in outputs  # k of out[at + k]
        if take:
            chain.append(line)
            needed |= {node.id for node in ast.walk(line.value) if isinstance(node, ast.Name)}
    return chain[::-1]


class _OnIntervals(ast.NodeTransformer):
    def visit_IfExp(self, node: ast.IfExp) -> Any:
        """Replace a conditional expression by a call. A branch that can be held (``mode if mode == mode else ...``) is
        not held here; the state decides it."""
        test = node.test
        if isinstance(test, ast.Compare) and ast.dump(test.left) == ast.dump(test.comparators[0]):
            return _StateDecides().visit(node.orelse)
        weight, other = _left_of_equality(test, 1), node.orelse
        if weight and isinstance(other, ast.IfExp) and _left_of_equality(other.test, 0):
            return _call("chosen", *map(self.visit, (weight, node.body, other.body)))  # a `Chosen`
        return self._choice("choose", node)

    def _choice(self, function: str, node: ast.IfExp) -> ast.Call:
        return _call(function, *map(self.visit, (node.test, node.body, node.orelse)))

    def visit_Compare(self, node: ast.Compare) -> Any:
        sides, signs = [node.left, *node.comparators], [ast.Constant(SIGNS[type(op)]) for op in node.ops]
        sides = [self.visit(side) for side in sides]
        parts = [_call("compare", a, sign, b) for a, sign, b in zip(sides, signs, sides[1:], strict=False)]
        return parts[0] if len(parts) == 1 else _call("all_of", *parts)

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        return _call("all_of" if isinstance(node.op, ast.And) else "any_of", *map(self.visit, node.values))

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        if isinstance(node.op, ast.Not):
            return _call("none_of", self.visit(node.operand))
        return self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        if isinstance(node.op, ast.Div) and _is_number(node.left) and _is_number(node.right):
            return _call("ratio", node.left, node.right)
        if isinstance(node.op, ast.Mod):
            return _call("wrap", self.visit(node.left), self.visit(node.right))
        if isinstance(node.op, ast.Pow) and isinstance(node.right, ast.BinOp) and _is_number(node.right.left):
            return ast.BinOp(self.visit(node.left), node.op, node.right)  # an exponent 3/2 is exact in double numbers
        if isinstance(node.op, ast.Add | ast.Sub) and (call := self._polynomial(node)):
            return call
        return self.generic_visit(node)

    def _polynomial(self, node: ast.BinOp) -> ast.expr | None:
        """Return a sum of terms in one variable, with two powers above the second, as a call of `polynomial`; None for
        other sums."""
        terms = [(sign, _power(term)) for sign, term in _terms(node)]
        names = [power[0] for _, power in terms if power and power[1] > 2]
        if len(names) < 2 or len({*names}) > 1:
            return None
        powers_of_name = [(sign, power) for sign, power in terms if power and power[0] == names[0]]
        powers = [power[1] for _, power in powers_of_name]
        if len({*powers}) < len(powers) or len(powers_of_name) < len(terms):
            return None
        coefficients = []
        for sign, (_, _, factors) in powers_of_name:
            product = reduce(lambda a, b: ast.BinOp(a, ast.Mult(), b), map(self.visit, factors or [ast.Constant(1)]))
            coefficients.append(product if sign > 0 else ast.UnaryOp(ast.USub(), product))
        name = ast.Name(names[0], ast.Load())
        exponents = ast.Tuple([ast.Constant(power) for power in powers], ast.Load())
        return _call("polynomial", name, exponents, *coefficients)

    def visit_Call(self, node: ast.Call) -> Any:
        if isinstance(node.func, ast.Name) and node.func.id == "int":
            return _call("whole", *map(self.visit, node.args))
        return self.generic_visit(node)


class _StateDecides(_OnIntervals):
    def visit_IfExp(self, node: ast.IfExp) -> Any:
        return self._choice("side", node)


def _left_of_equality(test: ast.expr, value: int) -> ast.expr | None:
    """Return the left side of a comparison ``… == value``; None for other expressions."""
    if not (isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Eq)):
        return None
    other = test.comparators[0]
    return test.left if isinstance(other, ast.Constant) and other.value == value else None


def _terms(node: ast.expr, sign: int = 1) -> list[tuple[int, ast.expr]]:
    """Return the terms of a sum, with their signs."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        return [*_terms(node.left, sign), *_terms(node.right, sign if isinstance(node.op, ast.Add) else -sign)]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return _terms(node.operand, -sign)
    return [(sign, node)]


def _power(term: ast.expr) -> tuple[str, int, list[ast.expr]] | None:
    """Return the highest power of a name in a product: the name, the exponent, and the other factors; None if the other
    factors contain the name."""
    factors = _factors(term)
    powers = [(*pair, k) for k, factor in enumerate(factors) if (pair := _name_and_exponent(factor))]
    if not powers:
        return None
    name, exponent, place = max(powers, key=lambda power: power[1])
    others = factors[:place] + factors[place + 1 :]
    again = any(isinstance(node, ast.Name) and node.id == name for other in others for node in ast.walk(other))
    return None if again else (name, exponent, others)


def _name_and_exponent(factor: ast.expr) -> tuple[str, int] | None:
    """Return name and exponent of a name to a positive whole power; None for other factors."""
    if isinstance(factor, ast.Name):
        return factor.id, 1
    if isinstance(factor, ast.BinOp) and isinstance(factor.op, ast.Pow) and isinstance(factor.left, ast.Name):
        exponent = factor.right.value if isinstance(factor.right, ast.Constant) else None
        return (factor.left.id, exponent) if isinstance(exponent, int) and exponent > 0 else None
    return None


def _factors(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return [*_factors(node.left), *_factors(node.right)]
    return [node]


def _is_number(node: ast.expr) -> bool:
    return isinstance(node.operand if isinstance(node, ast.UnaryOp) else node, ast.Constant)


def _call(function: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(function, ast.Load()), [*arguments], [])
