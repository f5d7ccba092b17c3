"""The source of a kernel, as a function of intervals.

What runs is what the derivation wrote (`symbolic.codegen`): the same lines, of which only those stay that the asked outputs
need. Conditional expressions become calls, since a condition on intervals may hold in some lanes and not in others, and
fractions are kept as such: what Python makes of ``1/3`` is another number.
"""

from __future__ import annotations

import ast
from collections.abc import Collection
from functools import lru_cache
from types import CodeType
from typing import Any

SIGNS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip


@lru_cache(maxsize=4096)
def code_of(source: str, wanted: frozenset[int]) -> CodeType:
    """The body of a kernel's loop, for one instance, with the lines that these outputs need."""
    kernel = next(node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef))
    loop = next(node for node in kernel.body if isinstance(node, ast.For))
    lines = [line for line in loop.body if isinstance(line, ast.Assign)]
    kept = [_OnIntervals().visit(line) for line in _needed(lines, wanted)]
    places = ast.parse("from_ = const = at = 0").body
    body = ast.Module([*places, *kept], [])
    return compile(ast.fix_missing_locations(body), "<kernel on intervals>", "exec")


def _needed(lines: list[ast.Assign], wanted: Collection[int]) -> list[ast.Assign]:
    """From the last line back: outputs that are asked for, and what they need."""
    needed: set[str] = set()
    kept = []
    for line in reversed(lines):
        target = line.targets[0]
        if isinstance(target, ast.Name):
            take = target.id in needed and target.id not in ("from_", "const", "at")
        else:
            take = _place(target) in wanted
        if take:
            kept.append(line)
            needed |= {node.id for node in ast.walk(line.value) if isinstance(node, ast.Name)}
    return kept[::-1]


def _place(target: Any) -> int:
    """The number k of ``out[at + k]``."""
    return target.slice.right.value


class _OnIntervals(ast.NodeTransformer):
    def visit_IfExp(self, node: ast.IfExp) -> Any:
        """A branch that can be held (``mode if mode == mode else ...``) is free here; the sign that decides is one of the
        state."""
        test = node.test
        if isinstance(test, ast.Compare) and ast.dump(test.left) == ast.dump(test.comparators[0]):
            return _StateDecides().visit(node.orelse)
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
            return ast.BinOp(self.visit(node.left), node.op, node.right)  # a power 3/2 is a number
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> Any:
        if isinstance(node.func, ast.Name) and node.func.id == "int":
            return _call("whole", *map(self.visit, node.args))
        return self.generic_visit(node)


class _StateDecides(_OnIntervals):
    def visit_IfExp(self, node: ast.IfExp) -> Any:
        return self._choice("choose_by_state", node)


def _is_number(node: ast.expr) -> bool:
    return isinstance(node.operand if isinstance(node, ast.UnaryOp) else node, ast.Constant)


def _call(function: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(function, ast.Load()), [*arguments], [])
