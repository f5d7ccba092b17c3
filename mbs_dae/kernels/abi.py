"""The calling convention of every element kernel, and calls of kernels by address from compiled code.

A kernel evaluates *all* instances of its type in one call:

    kernel(count, t, q, v, index, parameters, tables, out)

    count        number of instances
    t, q, v      time and state of the whole system (bodies that stand still included)
    index        per instance: the places of its local q, then of its local v, in q and v
    parameters   per instance: its constants, in the order of the kernel's slots
    tables       the data of all tables of the system
    out          per instance: its outputs, one after the other

Since kernels are reached through their address, the core that calls them is compiled once per installation and not once
per model, and a new joint costs only its own small kernel.
"""

from collections.abc import Callable
from math import floor, pi
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from . import llvm
from .blocks import Vector
from .functions import CompiledFunction

reals = types.CPointer(types.float64)
integers = types.CPointer(types.int64)
TURN = 2.0 * pi
KERNEL = (types.int64, types.float64, reals, reals, integers, reals, reals, reals)
"""The types of the arguments of a kernel."""


def compiled(function: Callable) -> Any:
    """Return a compiled function without reference counts, for everything that runs in a loop: passing arrays is free.

    The function cannot allocate; numba refuses to compile a function that tries. Work space is an argument. The
    function becomes part of the compiled functions that call it; called from Python it is the plain function.
    """
    return CompiledFunction(function, apart=False)


def compiled_apart(function: Callable) -> Any:
    """Return a compiled function that is compiled once, for the types that its annotations name, and is called by its
    name: for functions that do much at each call, and for functions that Python calls."""
    return CompiledFunction(function, apart=True)


def _call_kernel(typingctx: Any, address: Any, numbers: Any, arrays: Any) -> Any:
    """Call the kernel at `address` with these numbers and then these arrays, which are passed as pointers to their
    first item."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        values = cgutils.unpack_tuple(builder, args[1])
        given = zip(sig.args[2], cgutils.unpack_tuple(builder, args[2]), strict=True)
        values += [context.make_array(kind)(context, builder, array).data for kind, array in given]
        target = ir.FunctionType(ir.VoidType(), [value.type for value in values]).as_pointer()
        builder.call(builder.inttoptr(args[0], target), values)
        return context.get_dummy_value()

    return types.void(address, numbers, arrays), generate


call_kernel: Any = intrinsic(_call_kernel)


def _call_on_block(typingctx: Any, address: Any, block: Any, arrays: Any) -> Any:
    """Call the function at `address`, which lies apart and takes a block and these arrays or blocks: a record holds its
    address. The function is compiled when a user of the record first needs it."""
    vectors = [array for array in arrays if isinstance(array, types.Array)]
    if any((array.dtype, array.ndim, array.layout) != (types.float64, 1, "C") for array in vectors):
        raise TypeError("a function of a block takes contiguous arrays of float64")

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        kinds, values = [sig.args[1], *sig.args[2]], [args[1], *cgutils.unpack_tuple(builder, args[2])]
        function = builder.inttoptr(args[0], llvm.entry_type(kinds, types.none).as_pointer())
        return llvm.call(context, builder, function, kinds, types.none, values)

    return types.void(address, block, arrays), generate


call_on_block: Any = intrinsic(_call_on_block)


def address_of(block: Any) -> int:
    """Return the address of a block, for `at` in compiled code."""
    return block.address


def _at(typingctx: Any, address: Any, like: Any) -> Any:
    """Return the block at an address, which has the same class as `like`."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return args[0]

    return like(address, like), generate


at: Any = intrinsic(_at)


def _words_at(typingctx: Any, address: Any, size: Any) -> Any:
    """Return the array of `size` words that begins at an address."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        kind = sig.return_type
        data = builder.inttoptr(args[0], context.get_data_type(kind.dtype).as_pointer())
        return llvm.array_of(context, builder, kind, data, [args[1]])

    return types.Array(types.int64, 1, "C")(address, size), generate


words_at: Any = intrinsic(_words_at)


def _as_complex(typingctx: Any, numbers: Any) -> Any:
    """Return a complex view of real numbers that stand in pairs. (Numba's own view may raise.)"""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        array = context.make_array(sig.args[0])(context, builder, args[0])
        data = builder.bitcast(array.data, context.get_data_type(types.complex128).as_pointer())
        length = builder.lshr(builder.extract_value(array.shape, 0), ir.Constant(ir.IntType(64), 1))
        return llvm.array_of(context, builder, sig.return_type, data, [length])

    return types.Array(types.complex128, 1, "C")(numbers), generate


as_complex: Any = intrinsic(_as_complex)


# --- functions that kernels may call -------------------------------------------------------------------------


@compiled_apart
def wrap(x: float, period: float) -> float:
    """x reduced to [0, period)."""
    return x - period * floor(x / period)


@compiled_apart
def unwound(angle: float, near: float) -> float:
    """The angle with so many whole turns added that it is nearest to `near`."""
    return angle + TURN * floor((near - angle) / TURN + 0.5)


@compiled_apart
def lookup(tables: Vector, start: int, order: int, x: float) -> float:
    """The spline stored at tables[start:], or its derivative of that order, at x.

    Stored: count, period (0: none), the count knots, then 4 coefficients per interval, cubic first.
    Beyond its ends a spline goes on as its end tangent, so that a Newton iterate outside stays finite.
    """
    count = int(tables[start])
    period = tables[start + 1]
    knots = start + 2
    first = tables[knots]
    last = tables[knots + count - 1]
    if period > 0.0:
        x = first + wrap(x - first, period)
        if x < first:  # by roundoff, and beyond the ends there is no curvature
            x = first
        elif x > last:
            x = last
    clamped = min(max(x, first), last)

    low = _interval(tables, knots, count, clamped)
    return _spline(tables, knots + count + 4 * low, order, clamped - tables[knots + low], x - clamped)


@compiled
def _interval(tables: Vector, knots: int, count: int, x: float) -> int:
    """Return the number of the interval of `count` knots that contains x; the first or the last one if x is outside."""
    low, high = 0, count - 1
    while high - low > 1:
        middle = (low + high) // 2
        if tables[knots + middle] <= x:
            low = middle
        else:
            high = middle
    return low


@compiled
def _spline(tables: Vector, c: int, order: int, s: float, beyond: float) -> float:
    """Return the cubic whose coefficients stand at c, or its derivative of this order, at the distance s from its first
    knot, continued along its tangent by `beyond`."""
    slope = (3.0 * tables[c] * s + 2.0 * tables[c + 1]) * s + tables[c + 2]
    if order == 0:
        return ((tables[c] * s + tables[c + 1]) * s + tables[c + 2]) * s + tables[c + 3] + slope * beyond
    if order == 1:
        return slope
    if beyond != 0.0:
        return 0.0
    if order == 2:
        return 6.0 * tables[c] * s + 2.0 * tables[c + 1]
    return 6.0 * tables[c] if order == 3 else 0.0


# --- the pieces of a table, which a run may hold beyond their knots ------------------------------------------

# Pieces count from 0; -1 and `count - 1` are the straight lines before the first and behind the last knot. A periodic
# table has no such ends, and its pieces count on through all periods.


@compiled
def _piece_of(tables: Vector, start: int, x: float) -> float:
    """Return the number of the piece that contains x."""
    count, period, knots = int(tables[start]), tables[start + 1], start + 2
    turns = 0.0
    if period > 0.0:
        turns = floor((x - tables[knots]) / period)
        x -= turns * period
    elif x < tables[knots]:
        return -1.0
    elif x >= tables[knots + count - 1]:
        return count - 1.0
    return turns * (count - 1) + _interval(tables, knots, count, x)


@compiled_apart
def knot(tables: Vector, start: int, order: int, x: float, piece: float) -> float:
    """Return the number of knots that x has passed, as a real number that grows by 1 over each piece, linearly in the
    held piece and beyond its ends (nan: the piece of x), whatever the turn of x; with order 1, its derivative. Before
    the first and behind the last knot the number tends to -1, and to the number of knots."""
    if not abs(x) < 1e300:
        return x - x
    count, period, knots = int(tables[start]), tables[start + 1], start + 2
    piece = _piece_of(tables, start, x) if piece != piece else piece
    if period == 0.0 and (piece < 0.0 or piece >= count - 1.0):
        side, end, last = (-1.0, knots, knots + 1) if piece < 0.0 else (1.0, knots + count - 1, knots + count - 2)
        length = abs(tables[end] - tables[last])
        beyond = side * (x - tables[end]) / length
        bent = 1.0 + max(beyond, 0.0)
        if order == 1:
            return 1.0 / (length * bent * bent)
        return (0.0 if side < 0.0 else count - 1.0) + side * beyond / bent
    at = knots + int(piece - floor(piece / (count - 1.0)) * (count - 1.0))
    length = tables[at + 1] - tables[at]
    return 1.0 / length if order == 1 else piece + _way(period, x, tables[at], length) / length


@compiled
def _way(period: float, x: float, begin: float, length: float) -> float:
    """Return the distance of x from the beginning of a piece; in a periodic table from the nearest such beginning,
    because angles may jump by whole turns."""
    way = x - begin
    return way - period * floor((way - 0.5 * length) / period + 0.5) if period > 0.0 else way


@compiled_apart
def piece(tables: Vector, start: int, order: int, x: float, number: float) -> float:
    """Return the value at x of the piece with this number, or its derivative of this order, wherever x is."""
    if not abs(number) < 1e15:
        return number - number
    count, period, knots = int(tables[start]), tables[start + 1], start + 2
    ends = period == 0.0 and (number < 0.0 or number >= count - 1.0)
    low = int(number - floor(number / (count - 1.0)) * (count - 1.0))
    if ends:
        low = 0 if number < 0.0 else count - 2
    length, c = tables[knots + low + 1] - tables[knots + low], knots + count + 4 * low
    s = _way(period, x, tables[knots + low], length)
    if not ends:
        return _spline(tables, c, order, s, 0.0)
    beyond = s - (length if number >= 0.0 else 0.0)
    return _spline(tables, c, order, s - beyond, beyond) if order < 2 else 0.0
