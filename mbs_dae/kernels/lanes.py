"""Lanes: eight doubles on which one instruction works, one for each member of a study.

Compiled code reads and writes such numbers like plain ones: an array of `Lanes` holds eight doubles at each place, and
``a[k] * x + y`` multiplies and adds eight at once. So a function that is `compiled` and only adds, multiplies and
divides serves plain numbers and lanes alike, with the same operations in the same order: each lane has, to the last
bit, the value of the plain number. A decision by a number cannot branch, since lanes may decide differently: the code
computes both values, and `choose` takes one.

In Python an array of n such places is an array of doubles, (n, 8), each place on one line of the processor's cache.
"""

import operator
from collections.abc import Callable
from math import sqrt
from typing import Annotated, Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.registry import cpu_target
from numba.core.typeconv import Conversion
from numba.core.typing.templates import ConcreteTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, lower_cast, models, register_model

from . import llvm
from .llvm import LANES, REAL, VECTOR, WORD

TRUTHS = ir.VectorType(ir.IntType(1), LANES)


class LaneType(types.Type):
    """The numba type of eight doubles."""

    def __init__(self) -> None:
        super().__init__("Lanes")

    def can_convert_from(self, context: Any, other: Any) -> Any:
        return Conversion.safe if isinstance(other, types.Float | types.Integer) else None

    def unify(self, context: Any, other: Any) -> Any:
        return self if isinstance(other, types.Float | types.Integer) else None


class MaskType(types.Type):
    """The numba type of eight decisions."""

    def __init__(self) -> None:
        super().__init__("Decisions")


LANE, MASK = LaneType(), MaskType()
Lanes = Annotated[np.ndarray, types.Array(LANE, 1, "C")]
"""The annotation of an array of lanes."""
AtLanes = Annotated[int, types.CPointer(LANE)]
"""The annotation of the address of one lane."""


def checked(array: np.ndarray) -> np.ndarray:
    """Return an array for `Lanes`; raise an error if it is none."""
    good = array.dtype == np.float64 and array.shape[1:] == (LANES,) and array.flags.c_contiguous
    if not good or array.ctypes.data % (LANES * array.itemsize):
        raise TypeError(f"not an array of {LANE}: {array.dtype}, shape {array.shape}; `lanes` makes them")
    return array


def lanes(*sizes: int) -> list[np.ndarray]:
    """Return arrays of zeros with `sizes` places, each place on a line of the cache."""
    numbers = np.zeros(LANES * (sum(sizes) + 1))
    first = -numbers.ctypes.data // numbers.itemsize % LANES
    whole = numbers[first:][: LANES * sum(sizes)].reshape(-1, LANES)
    return np.split(whole, np.cumsum(sizes)[:-1])


@register_model(LaneType)
class _LaneModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any):
        super().__init__(manager, kind, VECTOR)


@register_model(MaskType)
class _MaskModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any):
        super().__init__(manager, kind, TRUTHS)


# --- arithmetic -----------------------------------------------------------------------------------------------------


def _operation(key: Any, arguments: tuple[Any, ...], result: Any, write: Callable[..., Any]) -> None:
    """Declare one operation to numba: its types, and the instruction."""
    template = type("Operation", (ConcreteTemplate,), {"key": key, "cases": [signature(result, *arguments)]})
    infer_global(key)(template)
    lower_builtin(key, *arguments)(lambda context, builder, sig, values: write(builder, *values))


def _unary(name: str) -> Callable[..., Any]:
    """Return the writer of an operation that LLVM has under this name."""

    def write(builder: Any, value: Any) -> Any:
        kind = ir.FunctionType(VECTOR, [VECTOR])
        return builder.call(llvm.declared(builder.module, f"llvm.{name}.v{LANES}f64", kind), [value])

    return write


def _relation(sign: str) -> Callable[..., Any]:
    return lambda builder, a, b: builder.fcmp_ordered(sign, a, b)


for _key, _write in (
    (operator.add, ir.IRBuilder.fadd),
    (operator.sub, ir.IRBuilder.fsub),
    (operator.mul, ir.IRBuilder.fmul),
    (operator.truediv, ir.IRBuilder.fdiv),
):
    _operation(_key, (LANE, LANE), LANE, _write)
    _operation(getattr(operator, f"i{_key.__name__}"), (LANE, LANE), LANE, _write)
for _sign, _key in {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
}.items():
    _operation(_key, (LANE, LANE), MASK, _relation(_sign))
for _key, _sign in ((max, ">"), (min, "<")):  # of two, as Python finds it
    _operation(_key, (LANE, LANE), LANE, lambda own, a, b, sign=_sign: own.select(own.fcmp_ordered(sign, b, a), b, a))
_operation(operator.neg, (LANE,), LANE, ir.IRBuilder.fneg)
_operation(operator.and_, (MASK, MASK), MASK, ir.IRBuilder.and_)
_operation(operator.or_, (MASK, MASK), MASK, ir.IRBuilder.or_)
_operation(operator.invert, (MASK,), MASK, ir.IRBuilder.not_)
_operation(sqrt, (LANE,), LANE, _unary("sqrt"))
_operation(abs, (LANE,), LANE, _unary("fabs"))


def splat(builder: Any, number: Any) -> Any:
    """Return a vector with the same number in all lanes."""
    one = builder.insert_element(ir.Constant(VECTOR, ir.Undefined), number, ir.Constant(ir.IntType(32), 0))
    order = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(one, ir.Constant(VECTOR, ir.Undefined), order)


@lower_cast(types.Float, LaneType)
def _from_real(context: Any, builder: Any, given: Any, wanted: Any, value: Any) -> Any:
    return splat(builder, value)


@lower_cast(types.Integer, LaneType)
def _from_integer(context: Any, builder: Any, given: Any, wanted: Any, value: Any) -> Any:
    return splat(builder, builder.sitofp(value, REAL))


def _everywhere(typingctx: Any, number: Any) -> Any:
    """Return a vector with the same number in all lanes."""

    def generate(context: Any, builder: Any, sig: Any, values: Any) -> Any:
        return splat(builder, values[0])

    return LANE(types.float64), generate


everywhere: Any = intrinsic(_everywhere)


def _nothing_of(typingctx: Any, array: Any) -> Any:
    """Return zero, as an item of the array's type."""
    kind = array.dtype

    def generate(context: Any, builder: Any, sig: Any, values: Any) -> Any:
        return ir.Constant(context.get_data_type(kind), None)

    return kind(array), generate


nothing_of: Any = intrinsic(_nothing_of)


def _choose(typingctx: Any, decision: Any, a: Any, b: Any) -> Any:
    """Return, in each lane, a if the decision holds, else b; for plain numbers, too."""

    def generate(context: Any, builder: Any, sig: Any, values: Any) -> Any:
        return builder.select(*values)

    if isinstance(decision, types.Boolean):
        return types.float64(types.boolean, types.float64, types.float64), generate
    return LANE(MASK, LANE, LANE), generate


choose: Any = intrinsic(_choose)


def _any_of(typingctx: Any, mask: Any) -> Any:
    """Return whether any of the decisions holds; for a plain decision, whether it does."""

    def generate(context: Any, builder: Any, sig: Any, values: Any) -> Any:
        if isinstance(mask, types.Boolean):
            return values[0]
        bits = builder.bitcast(values[0], ir.IntType(LANES))
        return builder.icmp_unsigned("!=", bits, ir.Constant(ir.IntType(LANES), 0))

    return types.boolean(mask), generate


any_of: Any = intrinsic(_any_of)


def _fused(typingctx: Any, a: Any, b: Any, c: Any) -> Any:
    """Return a b + c, rounded once; for lanes and for plain numbers."""
    wide = isinstance(a, LaneType)
    name, write = (f"v{LANES}f64", VECTOR) if wide else ("f64", REAL)
    kind = LANE if wide else types.float64

    def generate(context: Any, builder: Any, sig: Any, values: Any) -> Any:
        function = ir.FunctionType(write, [write] * 3)
        return builder.call(llvm.declared(builder.module, f"llvm.fma.{name}", function), values)

    return kind(kind, kind, kind), generate


fused: Any = intrinsic(_fused)


# --- arrays ---------------------------------------------------------------------------------------------------------


def _item(builder: Any, context: Any, kind: Any, array: Any, place: Any, lane: Any) -> Any:
    """Return the address of one double in an array of lanes."""
    data = builder.bitcast(context.make_array(kind)(context, builder, array).data, REAL.as_pointer())
    return builder.gep(data, [builder.add(builder.mul(place, ir.Constant(WORD, LANES)), lane)])


def _get(typingctx: Any, array: Any, place: Any, lane: Any) -> Any:
    """Return the double of one lane at a place."""

    def generate(context: Any, builder: Any, sig: Any, values: Any) -> Any:
        return builder.load(_item(builder, context, sig.args[0], *values))

    return types.float64(array, types.int64, types.int64), generate


def _put(typingctx: Any, array: Any, place: Any, lane: Any, number: Any) -> Any:
    """Set the double of one lane at a place."""

    def generate(context: Any, builder: Any, sig: Any, values: Any) -> Any:
        array, place, lane, number = values
        builder.store(number, _item(builder, context, sig.args[0], array, place, lane))
        return context.get_dummy_value()

    return types.void(array, types.int64, types.int64, types.float64), generate


get: Any = intrinsic(_get)
put: Any = intrinsic(_put)


# --- kernels --------------------------------------------------------------------------------------------------------

WIDE_KERNEL = (
    types.int64, types.CPointer(LANE), types.CPointer(LANE), types.CPointer(LANE), types.CPointer(types.int64),
    types.CPointer(LANE), types.CPointer(types.float64), types.CPointer(LANE),
)  # fmt: skip
"""The types of the arguments of a kernel in lanes: those of any kernel (see `abi`), except that time, states,
parameters and outputs are lanes. Instances, the places of their coordinates, and tables are common to all lanes."""

cpu_target.typing_context.refresh()
cpu_target.target_context.refresh()
