"""The times at which a model switches: breaks of its laws of time, and the curvature of laws between breaks.

A law is smooth between its breaks. At a break an argument g(t) of `symbolic.switches` passes a level. Breaks of g
itself come first (a condition on a periodic motion); between two of these g is smooth, and

    sample g  ->  bracket each passage of a level  ->  halve the bracket down to neighbouring numbers

A linear g needs two samples. Other g are sampled twice as densely until two refinements find no new passage. Where
samples come near zero and go away again, the vertex of the parabola through three of them is a further sample: a g that
is negative for a short time only has two passages there. The search can miss pairs of passages in a g that turns more
often than its samples show. A break is the first number at which the sign of g - level has changed. A break does not
depend on the requested times, so a run that continues another one meets the same breaks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any

import numpy as np
import sympy as sp

from ..errors import ModelError
from ..symbolic.branches import SWITCHING
from ..symbolic.derive import Form, Relation
from ..symbolic.functions import as_sympy, written_out
from ..symbolic.markers import t as time
from ..symbolic.switches import INTEGERS, RANGE, ZERO, OfTime, Switch, is_linear, of_time
from ..tolerances import CONSTANT_LAW, SAME_TIME, SLOPE_STEP
from .element import Element
from .parameters import Number
from .tables import Table, TableSymbol

MOST = 1_000_000  # greatest number of breaks
SAMPLES, DENSEST = 512, 2**20  # least and greatest number of samples of a curved argument
SIDE = 4 * np.finfo(float).eps  # roundoff of arguments, relative to max(t, 1 s)
SMOOTH = 5
"""Methods up to this order keep their order across the knots of a cubic table in a force or an input: the third
derivative of the table jumps, and so does the fifth derivative of the motion."""
LOOKS = 4096  # number of samples of a law over the run; it turns at most once between two

Numbers = Callable[[Number], float]


def breaks_of(elements: Iterable[Element], number: Numbers, first: float, last: float, order: int = 8) -> np.ndarray:
    """Return the times in [first, last], in s, at which laws of these elements switch, for a method of this order."""
    return _times_of([element for element in elements if switches(element)], number, first, last, order)


def nearest_passage(event: Element, number: Numbers, t: float) -> float:
    """Return the time at which the expression of an event, a function of time alone, passes zero near t, to the last
    digit; t itself where there is no such time."""
    near = 1e-9 * max(abs(t), 1.0)
    times = _times_of([event], number, t - near, t + near)
    return float(times[np.abs(times - t).argmin()]) if times.size else t


def _times_of(switching: list[Element], number: Numbers, first: float, last: float, order: int = 8) -> np.ndarray:
    if first == last or not switching:
        return np.zeros(0)
    largest = max(abs(first), abs(last))
    pad = 10 * side_of(largest)
    passages = [np.zeros(0)]
    for element in switching:
        for form, values, laws in _laws_of(element, number):
            cache: dict[Switch, np.ndarray] = {}
            for switch in laws.switches:
                table = values.get(switch.levels) if isinstance(switch.levels, sp.Symbol) else None
                cubic_load = isinstance(table, Table) and table.kind == "cubic" and not isinstance(form, Relation)
                if not (order <= SMOOTH and cubic_load):
                    found = _passages(switch, values, first - pad, last + pad, cache, element.who)
                    # a law that has no value at the first time is not read behind it
                    passages.append(found[found > first + pad] if switch.levels == RANGE else found)
    times = np.concatenate(passages)
    _check_count(times.size, "the model")
    times[np.abs(times) < 0.5 * side_of(0.0)] = 0.0  # numbers near zero are dense, times are not
    for end in (first, last):
        times[np.abs(times - end) < SAME_TIME * largest] = end
    times = np.unique(times[(first <= times) & (times <= last)])
    return times[np.diff(times, prepend=-np.inf) > SAME_TIME * largest]


def put_on_breaks(t: np.ndarray, breaks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the times t, moved onto a break if they miss it by roundoff, and the times at which laws are evaluated for
    them: on a break just after it, so that the later one of two values counts."""
    if not breaks.size:
        return t, t
    near = breaks[np.searchsorted(0.5 * (breaks[1:] + breaks[:-1]), t)]
    side = side_of(near)
    on = np.abs(near - t) < 0.5 * side
    return np.where(on, near, t), np.where(on, near + side, t)


def switches(element: Element) -> bool:
    return not only_records(element) and any(laws.switches for _, _, laws in _of_element(element))


def bends(element: Element) -> bool:
    """Return whether the element has a law that is a nonlinear function of time."""
    return not only_records(element) and any(laws.laws for _, _, laws in _of_element(element))


def only_records(element: Element) -> bool:
    """Return whether this element is an event that only records, so that no step may depend on it. If its expression
    has branches of its own, the run follows them from branch to branch, and its steps end at changes of branch."""
    return getattr(element, "action", None) == "record" and not written_out(element.when).atoms(*SWITCHING)  # type: ignore[attr-defined]


def reads_time(element: Element) -> bool:
    return any(e.has(time) for form, _ in element.forms() for e in form.expressions)


def side_of(t: Any) -> Any:
    """Return the distance from a break at t (or from each of many), in s, at which laws are evaluated on one side: the
    roundoff of arguments."""
    return SIDE * np.maximum(np.abs(t), 1.0)


def farthest_ends(
    elements: Iterable[Element], number: Numbers, first: float, last: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the times at which laws turn (begin or cease to rise or fall), in s, and the farthest end of a step that
    begins before the first of them, between two, or after the last: half way from the next turn of a law to the one
    after it. So no step jumps over a pulse that lasts 1/LOOKS or 2/LOOKS of the run, and a vibration with two turns a
    period is met in each period. A shorter pulse is noticed if it has breaks.

    Laws are sampled from a little before the run, to find a turn at its beginning, and for as long again after it:
    turns still farther away would let a step end after the run.
    """
    bending = [element for element in elements if bends(element)]
    if first == last or not bending:
        return np.zeros(0), np.full(1, np.inf)
    t = first + (last - first) / LOOKS * np.arange(-2, 2 * LOOKS + 1)
    turns_by_law = []
    for element in bending:
        for _, values, laws in _laws_of(element, number):
            turns_by_law += [_turns(law, values, t) for law in laws.laws]
    turns = np.unique(np.concatenate(turns_by_law))
    ends, begins = np.full(turns.size + 1, np.inf), np.concatenate([[-np.inf], turns])
    for times in turns_by_law:
        middles = np.concatenate([0.5 * (times[:-1] + times[1:]), [np.inf, np.inf]])
        ends = np.minimum(ends, middles[np.searchsorted(times, begins, side="right")])
    return turns, ends


def _turns(law: sp.Expr, values: dict[sp.Symbol, Any], t: np.ndarray) -> np.ndarray:
    """Return the times at which a law turns, found from samples at t and refined to the last digit: its slope changes
    sign there, or it leaves a constant value."""
    value_at = law_of_time(law, values)
    y = value_at(t)
    if not (finite := y[np.isfinite(y)]).size:
        return np.zeros(0)
    least = CONSTANT_LAW * np.ptp(finite)
    change = np.nan_to_num(np.diff(np.where(np.isfinite(y), y, np.nan)))
    sense = np.sign(np.where(np.abs(change) > least, change, 0.0))
    sense[1:-1] = np.where((sense[1:-1] == 0.0) & (sense[:-2] != 0.0), sense[2:], sense[1:-1])  # drop single samples
    at = np.flatnonzero(np.diff(sense)) + 1
    turns, low, high = t[at], t[at - 1], t[at + 1]
    rests, at_rest = sense[at - 1] * sense[at] == 0.0, np.where(sense[at - 1] == 0.0, y[at - 1], y[at + 1])

    def slope_sign(x: np.ndarray, passes: Any = slice(None)) -> np.ndarray:
        h = SLOPE_STEP * np.maximum(np.abs(x), 1.0)
        with np.errstate(invalid="ignore"):  # a law without a value does not turn
            rise = value_at(x + h) - value_at(x - h)
            return np.sign(np.where(rests[passes], np.abs(value_at(x) - at_rest[passes]) - least, rise))

    passes = slope_sign(low) * slope_sign(high) < 0.0
    levels = np.zeros(int(passes.sum()))
    turns[passes] = _bisect(lambda x: slope_sign(x, passes), low[passes], high[passes], levels)
    return np.unique(turns)


def _laws_of(element: Element, number: Numbers) -> Iterator[tuple[Form, dict[sp.Symbol, Any], OfTime]]:
    """Yield each form of the element, the values of its constants, and its laws of time."""
    for form, slots, laws in _of_element(element):
        yield form, {s: n.table if isinstance(n, TableSymbol) else number(n) for s, n in slots.items()}, laws


@lru_cache(maxsize=4096)
def _of_element(element: Element) -> tuple[tuple[Form, Any, OfTime], ...]:
    """Return each form of the element with its constants and laws of time. Elements never change, so the result is
    cached, whatever the parameters and times."""
    forms = []
    for form, slots in element.forms():
        constants = {s: n for s, n in slots.items() if s not in form.signals}
        forms.append((form, constants, _of_form(form, frozenset(constants))))
    return tuple(forms)


@lru_cache(maxsize=4096)
def _of_form(form: Form, constants: frozenset[sp.Symbol]) -> OfTime:
    """Return the laws of time of a form. Steps and trajectories are substituted where they depend on time."""
    values: dict[sp.Basic, sp.Expr] = {}
    for symbol, e in form.steps:
        values[symbol] = e.xreplace(values)
    for trajectory in form.trajectories:
        values |= zip(trajectory.marker.m, trajectory.values, strict=True)
    moving = {s: e for s, e in values.items() if e.has(time)}
    return of_time(tuple(e.xreplace(moving) for e in form.expressions), constants)


def _passages(
    switch: Switch, values: dict[sp.Symbol, Any], first: float, last: float, cache: dict[Switch, np.ndarray], who: str
) -> np.ndarray:
    """Return the times at which the argument passes a level; `cache` has the times of other switches."""
    if switch in cache:
        return cache[switch]
    argument = switch.argument
    inner = [_passages(s, values, first, last, cache, who) for s in of_time((argument,), frozenset(values)).switches]
    borders = np.unique(np.concatenate([[first, last], *inner]))
    low, high = borders[:-1] + side_of(borders[:-1]), borders[1:] - side_of(borders[1:])
    low, high = low[low < high], high[low < high]

    g, levels, linear = law_of_time(argument, values), _levels(switch, values), is_linear(argument)
    count = 2 if linear else max(8, SAMPLES // low.size)
    brackets, agreements = _brackets(g, levels, low, high, count, who), 2 if linear else 0
    while agreements < 2:
        count, before = 2 * count, brackets[0].size
        _check_count(max(before, count * low.size - DENSEST), who)
        brackets = _brackets(g, levels, low, high, count, who)
        agreements = agreements + 1 if before == brackets[0].size else 0
    cache[switch] = _bisect(g, *brackets)
    return cache[switch]


Levels = Callable[[float, float], np.ndarray]


def _levels(switch: Switch, values: dict[sp.Symbol, Any]) -> Levels:
    """Return a function of two values that returns the levels between them."""
    if switch.levels in (ZERO, RANGE):
        return lambda least, most: np.zeros(1)
    if switch.levels == INTEGERS:
        return lambda least, most: np.arange(np.ceil(least), min(np.floor(most), np.ceil(least) + 2 * MOST) + 1)
    table = values[as_sympy(switch.levels)]
    knots = table.x
    if not table.periodic:
        return lambda least, most: knots[1:-1]  # a table has no values beyond its ends
    period = knots[-1] - knots[0]

    def periodic_knots(least: float, most: float) -> np.ndarray:
        periods = np.arange(np.floor((least - knots[0]) / period), np.ceil((most - knots[0]) / period))
        _check_count(periods.size * knots.size, "a periodic table")
        return np.add.outer(period * periods, knots[:-1]).ravel()

    return periodic_knots


def _brackets(
    g: Callable[[np.ndarray], np.ndarray], levels: Levels, low: np.ndarray, high: np.ndarray, count: int, who: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the ends of intervals between samples in which g passes a level, and the levels."""
    t = low[:, None] + np.linspace(0.0, 1.0, count) * (high - low)[:, None]
    t[:, -1] = high
    y = g(t)
    row = np.repeat(np.arange(low.size), count)
    near, turns = _vertices(t, y)
    t, y, row = np.append(t, turns), np.append(y, g(turns)), np.append(row, near)
    order = np.lexsort((t, row))
    t, y, row = t[order], y[order], row[order]
    inside = row[1:] == row[:-1]
    a, b, ya, yb = t[:-1][inside], t[1:][inside], y[:-1][inside], y[1:][inside]
    with np.errstate(invalid="ignore"):
        least, most = np.fmin(ya, yb), np.fmax(ya, yb)
    finite = y[np.isfinite(y)]
    if not finite.size:
        return (np.zeros(0),) * 3
    all_levels = np.unique(levels(finite.min(), finite.max()))
    begin = np.searchsorted(all_levels, least, side="left")  # NaN sorts last: no level is passed there
    passed = np.where(least < most, np.searchsorted(all_levels, most, side="right") - begin, 0)
    _check_count(int(passed.sum()), who)
    at = np.repeat(np.arange(a.size), passed)
    level = begin[at] + np.arange(at.size) - np.repeat(np.cumsum(passed) - passed, passed)
    return a[at], b[at], all_levels[level]


def _vertices(t: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the row and the place of each vertex of a parabola through three neighbouring samples of one sign of which
    the middle one is nearest to zero. t and y have a row for each interval, with places at equal distances."""
    if t.shape[1] < 3:
        return np.zeros(0, dtype=np.int64), np.zeros(0)
    first, middle, last = y[:, :-2], y[:, 1:-1], y[:, 2:]
    with np.errstate(invalid="ignore"):
        side = np.sign(middle)
        rises = side * (first - middle), side * (last - middle)
        turns = (np.minimum(*rises) >= 0.0) & (np.maximum(*rises) > 0.0) & (side * first > 0.0) & (side * last > 0.0)
    row, k = np.nonzero(turns)
    before, after = rises[0][turns], rises[1][turns]
    h = t[row, k + 2] - t[row, k + 1]
    return row, t[row, k + 1] + 0.5 * h * (before - after) / (before + after)


def _bisect(g: Callable[[np.ndarray], np.ndarray], low: np.ndarray, high: np.ndarray, level: np.ndarray) -> np.ndarray:
    """Return the first number in each bracket at which g - level has another sign than at the bracket's beginning, by
    bisection of the ranks of numbers among all floating-point numbers (unsigned integers)."""
    sign_bit, one = np.uint64(1) << np.uint64(63), np.uint64(1)

    def rank_of(x: np.ndarray) -> np.ndarray:
        bits = np.ascontiguousarray(x, dtype=float).view(np.uint64)
        return np.where(bits >> 63, ~bits, bits | sign_bit)

    def number_of(rank: np.ndarray) -> np.ndarray:
        return np.where(rank >> 63, rank & ~sign_bit, ~rank).view(float)

    if not low.size:
        return low
    side = np.sign(g(low) - level)
    low = np.where(side == 0, np.nextafter(low, -np.inf), low)
    low, high = rank_of(low), rank_of(high)
    while (open_brackets := high - low > 1).any():
        # the whole number between both that ends in most zeros: bisection from any bracket has the same middles
        differ = low ^ (high - one)
        for shift in (1, 2, 4, 8, 16, 32):
            differ |= differ >> np.uint64(shift)
        middle = np.where(open_brackets, (high - one) & ~(differ >> one), high)
        same = np.sign(g(number_of(middle)) - level) == side
        low = np.where(open_brackets & same & (side != 0), middle, low)
        high = np.where(same & (side != 0), high, middle)
    return number_of(high)


def law_of_time(e: sp.Expr, values: dict[sp.Symbol, Any]) -> Callable[[np.ndarray], np.ndarray]:
    """Return the expression as a function of an array of times."""
    symbols = tuple(sorted((s for s in e.free_symbols if s in values), key=str))
    function, constants = _function_of(e, symbols), [values[s] for s in symbols]

    def call(t: np.ndarray) -> np.ndarray:
        with np.errstate(all="ignore"):
            return np.broadcast_to(np.asarray(function(t, *constants), float), t.shape)

    return call


def _wrap(x: Any, period: Any) -> Any:
    return x - period * np.floor(x / period)


def _lookup(table: Table, order: int, x: Any) -> np.ndarray:
    return table.read(x, int(order))


FUNCTIONS = {
    "Wrap": _wrap,
    "SmoothWrap": _wrap,
    "Unwound": lambda angle, near: angle + 2 * np.pi * np.floor((near - angle) / (2 * np.pi) + 0.5),
    "Lookup": _lookup,
    "BentLookup": _lookup,
    "Heaviside": lambda x, middle=0.5: np.heaviside(x, middle),
}
"""Functions that laws may contain besides those of numpy."""


@lru_cache(maxsize=1024)
def _function_of(e: sp.Expr, symbols: tuple[sp.Symbol, ...]) -> Callable:
    return sp.lambdify((time, *symbols), e, modules=[FUNCTIONS, "scipy", "numpy"])


def _check_count(count: int, who: str) -> None:
    if count > MOST:
        problem = f"{who} switches {count} times within the times asked for"
        raise ModelError(
            f"{problem}; no more than {MOST} are followed: shorten the times, or smooth the law",
            code="too-many-jumps", subject=who, count=count, most=MOST,
        )  # fmt: skip
