"""From the source of a kernel to LLVM's intermediate code.

The body of a kernel is a straight line of assignments between numbers. There are no types to infer and no flow of
control, so each operation is written as its instruction: numba, which infers the types of every product, takes thirty
times as long. Floating-point operations are those of the source, in its order; both branches of a conditional
expression are computed, and one is chosen.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Mapping, Sequence
from functools import cache, reduce
from typing import Any

from llvmlite import ir
from numba import types
from numba.core.registry import cpu_target

from . import llvm
from .llvm import REAL, WORD
from .sines import sine_and_cosine

TRUTH = ir.IntType(1)
INTRINSICS = ("copysign", "cos", "exp", "fabs", "floor", "log", "log10", "log2", "sin", "sqrt")
LIBRARY = {"gamma": "tgamma"}
"""The names of functions in C's mathematical library that differ from Python's."""
CONSTANTS = {"nan": float("nan"), "inf": float("inf")}
ARITHMETIC = {ast.Add: ("fadd", "add"), ast.Sub: ("fsub", "sub"), ast.Mult: ("fmul", "mul")}
"""The instructions for reals and for integers; the latter are also the names of Python's own operations."""
RELATIONS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}


def kernel_code(
    symbol: str, source: str, arguments: Sequence[types.Type], called: Mapping[str, Any],
    written: type[Writer] | None = None,
) -> tuple[bytes, tuple[str, ...]]:  # fmt: skip
    """Return the machine code of the loop of ``kernel`` in this source, which may call the functions `called` that lie
    apart; and the names of those that it does call."""
    kernel = next(one for one in ast.parse(source).body if isinstance(one, ast.FunctionDef))
    module = cpu_target.target_context.create_module(symbol)
    function = ir.Function(module, llvm.entry_type(arguments, types.none), symbol)
    names: dict[str, Any] = dict(zip((one.arg for one in kernel.args.args), function.args, strict=True))
    builder = ir.IRBuilder(function.append_basic_block())
    writer = (written or Writer)(builder, names, called)
    for loop in kernel.body:
        _write_loop(writer, loop)
    builder.ret_void()
    return llvm.emitted(symbol, module), tuple(sorted(writer.used))


def _write_loop(writer: Writer, loop: Any) -> None:
    """Write ``for instance in range(count):`` and its assignments."""
    builder = writer.builder
    before, body, after = builder.block, builder.append_basic_block(), builder.append_basic_block()
    count = writer.whole(writer.visit(loop.iter.args[0]))
    builder.cbranch(builder.icmp_signed(">", count, ir.Constant(WORD, 0)), body, after)
    builder.position_at_end(body)
    number = builder.phi(WORD)
    writer.names[loop.target.id] = number
    for statement in loop.body:
        writer.visit(statement)
    following = builder.add(number, ir.Constant(WORD, 1))
    number.add_incoming(ir.Constant(WORD, 0), before)
    number.add_incoming(following, builder.block)
    builder.cbranch(builder.icmp_signed("<", following, count), body, after)
    builder.position_at_end(after)


@cache
def function_of_sines() -> str:
    """Return, in LLVM's own language, the function that `sine_and_cosine` writes, and the declarations of its
    callees."""
    module = cpu_target.target_context.create_module("sines")
    caller = ir.Function(module, ir.FunctionType(ir.VoidType(), [REAL]), "caller")
    sine_and_cosine(Writer(ir.IRBuilder(caller.append_basic_block()), {}, {}), caller.args[0])
    module.globals["sine_and_cosine"].linkage = "internal"
    return "\n".join(str(one) for one in module.globals.values() if one is not caller)


class Writer(ast.NodeVisitor):
    """A writer of statements; the value of an expression is an instruction, or a plain number if it is constant."""

    truth: ir.Type = TRUTH
    """The type of decisions."""

    def __init__(self, builder: ir.IRBuilder, names: dict[str, Any], called: Mapping[str, Any]):
        self.builder, self.names, self.called = builder, names, called
        self.used: set[str] = set()

    def generic_visit(self, node: ast.AST) -> Any:
        raise TypeError(f"a kernel cannot have {ast.unparse(node)!r} in it")

    def known(self, number: float) -> Any:
        return ir.Constant(REAL, number)

    def library(self, name: str, values: Sequence[Any]) -> Any:
        """Return a call of a function that LLVM provides."""
        return self._extern(f"llvm.{name}.f64", values)

    def small(self, value: Any) -> Any:
        """Return a number as an integer of 32 bits."""
        return self.builder.fptosi(value, ir.IntType(32))

    def has_bit(self, value: Any, bit: int, more: int) -> Any:
        """Return whether the sum of an integer and `more` has this bit."""
        kind = value.type
        one, added = ir.Constant(kind, bit), ir.Constant(kind, more)
        return self.builder.icmp_signed(
            "!=", self.builder.and_(self.builder.add(value, added), one), ir.Constant(kind, 0)
        )

    def all_of(self, decision: Any) -> Any:
        return decision

    def real(self, value: Any) -> Any:
        if isinstance(value, int | float):
            return self.known(float(value))
        return value if value.type == REAL else self.builder.sitofp(value, REAL)

    def whole(self, value: Any) -> Any:
        if isinstance(value, int):
            return ir.Constant(WORD, value)
        return value if value.type == WORD else self.builder.fptosi(self.real(value), WORD)

    def visit_Assign(self, node: ast.Assign) -> None:
        (target,), value = node.targets, self.visit(node.value)
        if isinstance(target, ast.Name):
            self.names[target.id] = value
        else:
            self.builder.store(self.real(value), self._place(target))

    def _place(self, node: Any) -> Any:
        return self.builder.gep(self.visit(node.value), [self.whole(self.visit(node.slice))])

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        return self.builder.load(self._place(node))

    def visit_Name(self, node: ast.Name) -> Any:
        return CONSTANTS[node.id] if node.id in CONSTANTS else self.names[node.id]

    def visit_Constant(self, node: ast.Constant) -> Any:
        return ir.Constant(self.truth, node.value) if isinstance(node.value, bool) else node.value

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        value = self.visit(node.operand)
        if isinstance(node.op, ast.Not):
            return self.builder.not_(value)
        if not isinstance(node.op, ast.USub):
            return self.generic_visit(node)
        return -value if isinstance(value, int | float) else self.builder.fneg(self.real(value))

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        """Write a binary operation; the left operands of a sum of many terms are nested as deep as the sum is long."""
        chain: list[ast.BinOp] = []
        left: ast.expr = node
        while isinstance(left, ast.BinOp):
            chain.append(left)
            left = left.left
        value = self.visit(left)
        for one in reversed(chain):
            value = self._operation(one, value, self.visit(one.right))
        return value

    def _operation(self, node: ast.BinOp, a: Any, b: Any) -> Any:
        kind, builder = type(node.op), self.builder
        if kind in ARITHMETIC:
            of_reals, of_integers = ARITHMETIC[kind]
            if isinstance(a, int | float) and isinstance(b, int | float):
                return getattr(operator, of_integers)(a, b)
            if all(isinstance(x, int) or getattr(x, "type", None) == WORD for x in (a, b)):
                return getattr(builder, of_integers)(self.whole(a), self.whole(b))
            return getattr(builder, of_reals)(self.real(a), self.real(b))
        if kind is ast.Div and isinstance(a, int | float) and isinstance(b, int | float) and b:
            return a / b
        if kind is ast.Div:
            return builder.fdiv(self.real(a), self.real(b))
        if kind is ast.Pow:
            return self._power(self.real(a), b)
        if kind is ast.Mod:
            return self._modulo(self.real(a), self.real(b))
        return self.generic_visit(node)

    def _power(self, base: Any, exponent: Any) -> Any:
        """Return a power: integer powers are products, by squaring; half-integer powers have a square root as further
        factor."""
        if isinstance(exponent, float) and exponent % 1.0 == 0.5:
            whole, root = self._power(base, int(abs(exponent))), self.library("sqrt", [base])
            product = self.builder.fmul(whole, root)
            return product if exponent > 0.0 else self.builder.fdiv(self.known(1.0), product)
        if not isinstance(exponent, int):
            return self._extern("llvm.pow.f64", [base, exponent])
        result, square, rest = self.known(1.0), base, abs(exponent)
        while rest:
            result = self.builder.fmul(result, square) if rest & 1 else result
            square, rest = self.builder.fmul(square, square) if rest > 1 else square, rest >> 1
        return result if exponent >= 0 else self.builder.fdiv(self.known(1.0), result)

    def _modulo(self, a: Any, b: Any) -> Any:
        """Return the remainder with the sign of b, like Python."""
        builder, zero = self.builder, self.known(0.0)
        rest = builder.frem(a, b)
        other_side = builder.xor(builder.fcmp_ordered("<", rest, zero), builder.fcmp_ordered("<", b, zero))
        wrong = builder.and_(builder.fcmp_ordered("!=", rest, zero), other_side)
        return builder.select(wrong, builder.fadd(rest, b), rest)

    def visit_Compare(self, node: ast.Compare) -> Any:
        (relation,), (right,) = node.ops, node.comparators
        a, b = self.real(self.visit(node.left)), self.real(self.visit(right))
        compare = self.builder.fcmp_unordered if isinstance(relation, ast.NotEq) else self.builder.fcmp_ordered
        return compare(RELATIONS[type(relation)], a, b)

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        join = self.builder.and_ if isinstance(node.op, ast.And) else self.builder.or_
        return reduce(join, map(self.visit, node.values))

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        condition, *branches = [self.visit(one) for one in (node.test, node.body, node.orelse)]
        if not all(getattr(branch, "type", None) == self.truth for branch in branches):
            branches = [self.real(branch) for branch in branches]
        return self.builder.select(condition, *branches)

    def visit_Call(self, node: Any) -> Any:
        name, values = node.func.id, [self.visit(one) for one in node.args]
        if name == "int":
            return self.whole(values[0])
        if name in ("max", "min"):
            return self._extreme(">" if name == "max" else "<", [self.real(value) for value in values])
        if name in self.called:
            return self._apart(self.called[name], values)
        name = "fabs" if name == "abs" else name
        if name in ("sin", "cos"):
            return sine_and_cosine(self, self.real(values[0]))[name == "cos"]
        known = f"llvm.{name}.f64" if name in INTRINSICS else LIBRARY.get(name, name)
        return self._extern(known, values)

    def _extreme(self, relation: str, values: list[Any]) -> Any:
        """Return the extreme value like Python: the first one that no later value exceeds."""
        found, *others = values
        for other in others:
            found = self.builder.select(self.builder.fcmp_ordered(relation, other, found), other, found)
        return found

    def _extern(self, name: str, values: Sequence[Any]) -> Any:
        return self._call(name, ir.FunctionType(REAL, [REAL] * len(values)), values)

    def _apart(self, function: Any, values: Sequence[Any]) -> Any:
        """Call a function that lies apart; a table is passed with length 0, since no function uses the length."""
        self.used.add(function.symbol)
        numbers: list[Any] = []
        for value in values:
            is_table = isinstance(getattr(value, "type", None), ir.PointerType)
            numbers += [value, 0] if is_table else [value]
        return self._call(function.symbol, llvm.entry_type(function.arguments, function.compile().result), numbers)

    def _call(self, name: str, kind: ir.FunctionType, values: Sequence[Any]) -> Any:
        return self.builder.call(llvm.declared(self.builder.module, name, kind), self._fitting(kind, values))

    def _fitting(self, kind: ir.FunctionType, values: Sequence[Any]) -> list[Any]:
        """Return values converted to the argument types of a function."""
        convert = {REAL: self.real, WORD: self.whole}
        return [convert.get(wanted, lambda x: x)(x) for x, wanted in zip(values, kind.args, strict=True)]
