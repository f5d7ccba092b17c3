"""Sines and cosines in kernels: operations without a branch, so that plain numbers and lanes have the same values.

The argument is reduced to half a quarter turn, x = n π/2 + r with |r| ≤ π/4. The first two parts of π/2 have so few
digits that n times them is exact; so r is known to twice the digits of a double, as the sum of two. The series

    sin r = r - r³/3! + ...,        cos r = 1 - r²/2! + ...

are summed up to the terms that a double cannot resolve, and n selects one of both, and its sign. The error of results
is less than one unit of the last place. For arguments whose n has too many digits the library's functions are called.
"""

from decimal import Decimal, localcontext
from fractions import Fraction
from math import factorial, frexp
from typing import Any

from llvmlite import ir

LARGEST = 2.0**20
"""The largest argument of the series: 160 000 turns."""
DIGITS = 33
"""Binary digits of the first parts of π/2: n has the other twenty."""
TINY = 2.0**-27
"""The size of an argument below which its sine is the argument itself, with its sign."""
TERMS = 8
"""The number of terms of each series after the first one or two: the next term is 1e-19 of the sum."""


def _half_pi() -> Fraction:
    """Return π/2 to fifty digits, by Machin's formula."""
    with localcontext() as context:
        context.prec = 60

        def arctangent_of_one_over(n: int) -> Decimal:
            return sum((Decimal((-1) ** k) / ((2 * k + 1) * Decimal(n) ** (2 * k + 1)) for k in range(45)), Decimal(0))

        return Fraction(8 * arctangent_of_one_over(5) - 2 * arctangent_of_one_over(239))


def _parts(number: Fraction) -> tuple[float, float, float]:
    """Return a number as a sum: two parts of few digits, and the rest."""
    parts = []
    for _ in range(2):
        unit = Fraction(2) ** (frexp(float(number))[1] - DIGITS)
        parts.append(number // unit * unit)
        number -= parts[-1]
    return float(parts[0]), float(parts[1]), float(number)


FIRST, SECOND, REST = _parts(_half_pi())


def sine_and_cosine(writer: Any, x: Any) -> tuple[Any, Any]:
    """Return sine and cosine of a number or of lanes: a call of a function in the module, written at the first call."""
    module, kind = writer.builder.module, ir.FunctionType(ir.LiteralStructType([x.type, x.type]), [x.type])
    function = module.globals.get("sine_and_cosine")
    if function is None:
        function = ir.Function(module, kind, "sine_and_cosine")
        function.attributes.add("nounwind")
        function.attributes.add("readnone")
        _write(writer.__class__(ir.IRBuilder(function.append_basic_block()), {}, {}), function.args[0])
    pair = writer.builder.call(function, [x])
    return writer.builder.extract_value(pair, 0), writer.builder.extract_value(pair, 1)


def _write(writer: Any, x: Any) -> None:
    own, known, begin = writer.builder, writer.known, writer.builder.block
    size = writer.library("fabs", [x])
    fits = own.fcmp_ordered("<=", size, known(LARGEST))
    sine, cosine = _reduced(writer, own.select(fits, x, known(0.0)))
    sine = own.select(own.fcmp_ordered("<", size, known(TINY)), x, sine)
    by_library, done = own.append_basic_block(), own.append_basic_block()
    own.cbranch(writer.all_of(fits), done, by_library)
    own.position_at_end(by_library)
    others = [own.select(fits, mine, writer.library(name, [x])) for name, mine in (("sin", sine), ("cos", cosine))]
    own.branch(done)
    own.position_at_end(done)
    values = [own.phi(x.type) for _ in others]
    pair: Any = ir.Constant(ir.LiteralStructType([x.type, x.type]), ir.Undefined)
    for k, (mine, other) in enumerate(zip((sine, cosine), others, strict=True)):
        values[k].add_incoming(mine, begin)
        values[k].add_incoming(other, by_library)
        pair = own.insert_value(pair, values[k], k)
    own.ret(pair)


def _reduced(writer: Any, x: Any) -> tuple[Any, Any]:
    """Return sine and cosine of an argument that is not too large."""
    own, known = writer.builder, writer.known
    n = writer.library("rint", [own.fmul(x, known(float(1 / _half_pi())))])
    r, taken = own.fsub(x, own.fmul(n, known(FIRST))), own.fmul(n, known(SECOND))
    high = own.fsub(r, taken)
    back = own.fsub(r, high)
    lost = own.fadd(own.fsub(r, own.fadd(high, back)), own.fsub(back, taken))
    low = own.fsub(lost, own.fmul(n, known(REST)))
    total = own.fadd(high, low)
    sine, cosine = _series(writer, total, own.fadd(own.fsub(high, total), low))
    quarter = writer.small(n)
    odd = writer.has_bit(quarter, 1, 0)
    first, second = own.select(odd, cosine, sine), own.select(odd, sine, cosine)
    first = own.select(writer.has_bit(quarter, 2, 0), own.fneg(first), first)
    return first, own.select(writer.has_bit(quarter, 2, 1), own.fneg(second), second)


def _series(writer: Any, r: Any, low: Any) -> tuple[Any, Any]:
    """Return sine and cosine of r + low, with r the nearest double."""
    own, known = writer.builder, writer.known
    square = own.fmul(r, r)
    half, fourth = own.fmul(known(0.5), square), own.fmul(square, square)

    def terms(first: int) -> Any:
        """Return 1/first! - square/(first + 2)! + ..., with the sign of the series: even and odd terms are summed
        apart."""
        sign, both = -1 if first % 4 > 1 else 1, list[Any]()
        for begin in (TERMS - 2, TERMS - 1):
            total = known(sign * (-1) ** begin / factorial(first + 2 * begin))
            for k in range(begin - 2, -1, -2):
                weight = known(sign * (-1) ** k / factorial(first + 2 * k))
                total = writer.library("fmuladd", [fourth, total, weight])
            both.append(total)
        return writer.library("fmuladd", [square, both[1], both[0]])

    cube = own.fmul(square, r)
    rest = own.fadd(own.fmul(cube, terms(3)), own.fmul(low, own.fsub(known(1.0), half)))
    near = own.fsub(known(1.0), half)
    lost = own.fsub(own.fsub(known(1.0), near), half)
    other = own.fsub(own.fmul(fourth, terms(4)), own.fmul(r, low))
    return own.fadd(r, rest), own.fadd(near, own.fadd(lost, other))
