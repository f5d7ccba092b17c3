"""The pieces of a table between its knots, each of which a run may hold beyond its end. Compiled.

Between two knots a table is one cubic. Pieces count from 0; -1 and `count - 1` are what goes on before the first and
behind the last knot, as a straight line. A periodic table has no such ends, and its pieces count on through all periods.
(How a table is stored: `abi.lookup`.)
"""

from math import floor

from .abi import compiled, compiled_apart
from .blocks import Vector

SLOPE = 1
"""The order of a derivative that is asked for."""


@compiled
def _piece_of(tables, start, x):
    """The number of the piece in which x lies."""
    count, period, knots = int(tables[start]), tables[start + 1], start + 2
    turns = 0.0
    if period > 0.0:
        turns = floor((x - tables[knots]) / period)
        x -= turns * period
    elif x < tables[knots]:
        return -1.0
    elif x >= tables[knots + count - 1]:
        return count - 1.0
    low, high = 0, count - 1
    while high - low > 1:
        middle = (low + high) // 2
        if tables[knots + middle] <= x:
            low = middle
        else:
            high = middle
    return turns * (count - 1) + low


@compiled_apart
def knot(tables: Vector, start: int, order: int, x: float, piece: float):
    """How many knots x has passed, as a number that grows by 1 over each piece, linearly in it and beyond the ends of
    the piece that is held (nan: that of x), whatever the turn is in which x lies; of order 1 its derivative. Before the first and behind the last knot it
    tends to -1, and to the number of knots."""
    if not abs(x) < 1e300:
        return x - x
    count, period, knots = int(tables[start]), tables[start + 1], start + 2
    piece = _piece_of(tables, start, x) if piece != piece else piece
    if period == 0.0 and (piece < 0.0 or piece >= count - 1.0):
        side, end, last = (-1.0, knots, knots + 1) if piece < 0.0 else (1.0, knots + count - 1, knots + count - 2)
        length = abs(tables[end] - tables[last])
        beyond = side * (x - tables[end]) / length
        bent = 1.0 + max(beyond, 0.0)
        if order == SLOPE:
            return 1.0 / (length * bent * bent)
        return (0.0 if side < 0.0 else count - 1.0) + side * beyond / bent
    at = knots + int(piece - floor(piece / (count - 1.0)) * (count - 1.0))
    length = tables[at + 1] - tables[at]
    return 1.0 / length if order == SLOPE else piece + _way(period, x, tables[at], length) / length


@compiled
def _way(period, x, begin, length):
    """How far x is from the begin of a piece; of a periodic table from that one which is nearest: angles may jump by
    whole turns."""
    way = x - begin
    return way - period * floor((way - 0.5 * length) / period + 0.5) if period > 0.0 else way


@compiled_apart
def piece(tables: Vector, start: int, order: int, x: float, number: float):
    """The piece of this number at x, or its derivative of that order, wherever x is."""
    if not abs(number) < 1e15:
        return number - number
    count, period, knots = int(tables[start]), tables[start + 1], start + 2
    ends = period == 0.0 and (number < 0.0 or number >= count - 1.0)
    low = int(number - floor(number / (count - 1.0)) * (count - 1.0))
    if ends:
        low = 0 if number < 0.0 else count - 2
    length, c = tables[knots + low + 1] - tables[knots + low], knots + count + 4 * low
    s = _way(period, x, tables[knots + low], length)
    if ends:
        beyond = s - (length if number >= 0.0 else 0.0)
        s -= beyond
        slope = (3.0 * tables[c] * s + 2.0 * tables[c + 1]) * s + tables[c + 2]
        if order == 0:
            return ((tables[c] * s + tables[c + 1]) * s + tables[c + 2]) * s + tables[c + 3] + slope * beyond
        return slope if order == 1 else 0.0
    if order == 0:
        return ((tables[c] * s + tables[c + 1]) * s + tables[c + 2]) * s + tables[c + 3]
    if order == 1:
        return (3.0 * tables[c] * s + 2.0 * tables[c + 1]) * s + tables[c + 2]
    if order == 2:
        return 6.0 * tables[c] * s + 2.0 * tables[c + 1]
    return 6.0 * tables[c] if order == 3 else 0.0
