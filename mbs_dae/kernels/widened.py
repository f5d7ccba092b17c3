"""Kernels for lanes, from the source of kernels for plain numbers.

A kernel has no branches, so the same assignments, with instructions for eight numbers, compute eight members of a study
at once, with results equal to the last bit. Instances, indices and tables are common to all members. Where no such
instruction exists (exponentials, tables), the function is called for each lane.
"""

from collections.abc import Sequence
from typing import Any

from llvmlite import ir

from . import llvm
from .lanes import TRUTHS, splat
from .llvm import LANES, VECTOR, WORD
from .straight import Writer

WORDS = ir.VectorType(WORD, LANES)


class WideWriter(Writer):
    """A writer of the same statements for lanes. Counts and indices are plain integers."""

    truth = TRUTHS

    def __init__(self, builder: ir.IRBuilder, names: dict[str, Any], called: Any):
        super().__init__(builder, {**names, "t": builder.load(names["t"])} if names else names, called)

    def known(self, number: float) -> Any:
        return ir.Constant(VECTOR, [number] * LANES)

    def small(self, value: Any) -> Any:
        return self.builder.fptosi(value, ir.VectorType(ir.IntType(32), LANES))

    def has_bit(self, value: Any, bit: int, more: int) -> Any:
        one, added, none = (ir.Constant(value.type, [number] * LANES) for number in (bit, more, 0))
        return self.builder.icmp_signed("!=", self.builder.and_(self.builder.add(value, added), one), none)

    def all_of(self, decision: Any) -> Any:
        bits = ir.IntType(LANES)
        return self.builder.icmp_unsigned("==", self.builder.bitcast(decision, bits), ir.Constant(bits, -1))

    def real(self, value: Any) -> Any:
        if isinstance(value, int | float):
            return self.known(float(value))
        if value.type == WORDS:
            return self.builder.sitofp(value, VECTOR)
        return value if value.type == VECTOR else splat(self.builder, super().real(value))

    def whole(self, value: Any) -> Any:
        if isinstance(value, int):
            return ir.Constant(WORD, value)
        return value if value.type in (WORD, WORDS) else self.builder.fptosi(self.real(value), WORDS)

    def _extern(self, name: str, values: Sequence[Any]) -> Any:
        if not name.startswith("llvm."):
            return super()._extern(name, values)
        kind = ir.FunctionType(VECTOR, [VECTOR] * len(values))
        function = llvm.declared(self.builder.module, name.replace(".f64", f".v{LANES}f64"), kind)
        return self.builder.call(function, [self.real(value) for value in values])

    def _call(self, name: str, kind: ir.FunctionType, values: Sequence[Any]) -> Any:
        """Call a function for each lane separately."""
        builder, numbers, found = self.builder, self._fitting(kind, values), ir.Constant(VECTOR, ir.Undefined)
        function = llvm.declared(builder.module, name, kind)
        for lane in range(LANES):
            place = ir.Constant(ir.IntType(32), lane)
            own = [builder.extract_element(x, place) if x.type in (VECTOR, WORDS) else x for x in numbers]
            found = builder.insert_element(found, builder.call(function, own), place)
        return found
