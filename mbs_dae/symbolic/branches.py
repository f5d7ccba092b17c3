"""The branches of laws, separated from expressions. No numbers.

A law that is written with Piecewise, an absolute value, a sign, Max, Heaviside or a rounding is smooth as long as the
branch of each does not change. The branch depends on the sign of a *switching function* g of the state (the difference
of both sides of a condition), or on the integer below it. Here each decision becomes a symbol of its own,

    side = ±1  the sign of g          whole = n  with n ≤ g < n + 1

so that the remaining expression is smooth in the state: |x| is side · x. The caller of the kernel may hold a side, so
that a step of integration sees one smooth law; or leave it free (nan), and the sign of g decides as always.

A root, a logarithm or an inverse function has a value on one side of g = 0 only. A step may end a little beyond g = 0
before the switch is found; so these functions are continued there (`CONTINUED`) as long as the side 1 of g is held
(`RANGE`). A law that has no value on the other side is nan as soon as the side has changed.

Between both branches of a jump (0 ≤ w ≤ 1, w = (1 + side)/2) the law is the straight line from one to the other: such a
mixture keeps a motion on the surface g = 0 when both branches push towards it (Filippov). Decisions have no slope: a
derivative is that of the branch in force.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count, product
from math import asinh, atan, inf, pi
from typing import Any

import sympy as sp
from sympy.core.relational import GreaterThan, LessThan, Relational, StrictGreaterThan, StrictLessThan
from sympy.logic.boolalg import to_nnf

from .differentiation import Definition
from .functions import BentLookup, Choice, Knot, Piece, Root, Unwound, Wrap, as_sympy, unless_zero, written_out
from .markers import t

MODE = sp.Symbol("held", real=True)
"""The symbol, in a switching function, of the mode of its own decision."""
SIDE, WHOLE, WATCH, RANGE = range(4)
"""The kinds of switching functions: decisions by the sign, decisions by the integer below, no decision (only the sign
is watched), or the end of the range on which a law has a value (where g is not negative)."""
INEQUALITIES = (StrictGreaterThan, GreaterThan, StrictLessThan, LessThan)


class Side(sp.Function):
    """``Side(mode, g, tie)``: the mode; or, if it is free, the sign of g, the tie at zero."""

    nargs, is_real = 3, True

    def fdiff(self, argindex: int = 1) -> sp.Expr:
        return sp.S.Zero


class Rounded(sp.Function):
    """``Rounded(mode, g)``: the mode; or, if it is free, the integer below g."""

    nargs, is_real = 2, True

    def fdiff(self, argindex: int = 1) -> sp.Expr:
        return sp.S.Zero


class Chosen(Choice):
    """``Chosen(w, a, b)``: a for w = 1, b for w = 0, and the straight line between."""


class Branch(Choice):
    """``Branch(mode, held, free)``: the first expression while the mode is held, the other if it is free (nan). Both
    have the same value while the mode is the right one; the first continues smoothly beyond."""

    @classmethod
    def eval(cls, mode: sp.Expr, fixed: sp.Expr, free: sp.Expr) -> sp.Expr | None:
        return free if fixed == free or mode == sp.Symbol("nan") else None


class RangeContinuation(Choice):
    """``RangeContinuation(w, a, b)``: b for w = 0, else a, which continues b beyond the end of its range."""


class ConstantCopy(sp.Function):
    """``ConstantCopy(e)``: e, as a number without a slope."""

    nargs, is_real = 1, True

    def fdiff(self, argindex: int = 1) -> sp.Expr:
        return sp.S.Zero


class Watched(sp.Function):
    """``Watched(g)``: the sign of g, which decides nothing."""

    nargs, is_real = 1, True


SWITCHING = (
    sp.Piecewise, sp.Abs, sp.sign, sp.Heaviside, sp.Max, sp.Min, sp.floor, sp.ceiling, sp.frac, sp.Mod,
    sp.DiracDelta, sp.atan2, Wrap, Watched, BentLookup,
)  # fmt: skip


ROUNDOFF = 16 * 2.0**-52
"""A range ends where g is below zero by more than this part of the terms of which it is the sum."""
HALF = sp.Rational(1, 2)
Power = Callable[[sp.Expr, Any], sp.Expr]
"""|x|ᵖ as a function of x and p."""
RANGES: dict[Any, Callable[[sp.Expr], sp.Expr]] = {
    sp.log: lambda x: x,
    sp.asin: lambda x: (1 - x) * (1 + x),
    sp.acos: lambda x: (1 - x) * (1 + x),
    sp.atanh: lambda x: (1 - x) * (1 + x),
    sp.acosh: lambda x: x - 1,
    sp.asech: lambda x: x * (1 - x),
    sp.asec: lambda x: x**2 - 1,
    sp.acsc: lambda x: x**2 - 1,
    sp.acoth: lambda x: x**2 - 1,
}
"""For each function that is real for some arguments only, an expression that is not negative for these."""
CONTINUED: dict[Any, Callable[[sp.Expr, Power], sp.Expr]] = {
    sp.log: lambda x, power: sp.log(power(x, 1)),
    sp.asin: lambda x, power: sp.atan2(x, power((1 - x) * (1 + x), HALF)),
    sp.acos: lambda x, power: sp.atan2(power((1 - x) * (1 + x), HALF), x),
    sp.atanh: lambda x, power: sp.asinh(x / power((1 - x) * (1 + x), HALF)),
    sp.acosh: lambda x, power: sp.asinh(power((x - 1) * (x + 1), HALF)),
    sp.asech: lambda x, power: CONTINUED[sp.acosh](1 / x, power),
    sp.asec: lambda x, power: CONTINUED[sp.acos](1 / x, power),
    sp.acsc: lambda x, power: CONTINUED[sp.asin](1 / x, power),
    sp.acoth: lambda x, power: CONTINUED[sp.atanh](1 / x, power),
}
"""Each logarithm and inverse function, written with real values on both sides of the ends of its range: log|x|; for the
arc of x the angle of the point (√|1 - x²|, x)."""


def range_of(e: sp.Basic) -> sp.Expr | None:
    """Return an expression that is not negative where this root, logarithm or inverse function is real; None for other
    expressions."""
    if isinstance(e, sp.Pow):
        return None if e.exp.is_integer else e.base
    return RANGES[e.func](e.args[0]) if e.func in RANGES else None


Bounds = tuple[float, float]
UNBOUNDED = (-inf, inf)
LARGE = 1e20
"""A bound above which powers count as unbounded: they may not be numbers of a machine."""


def bounds_of(
    e: sp.Basic, known: Callable[[sp.Basic], Bounds] = lambda s: UNBOUNDED, facts: tuple[sp.Expr, ...] = ()
) -> Bounds:
    """Return numbers between which an expression lies, whatever its symbols are: each part is as large or as small as
    it can be alone. `known` returns the bounds of a symbol; `facts` are expressions that are not negative."""
    if e.is_number:
        return (float(e),) * 2 if e.is_extended_real else UNBOUNDED
    low, high = known(e) if e.is_Symbol else UNBOUNDED
    if jumps := [f for f in e.args if isinstance(f, sp.sign | sp.Heaviside)] if e.is_Mul else []:
        rest, u, below = e / jumps[0], jumps[0].args[0], -1 if isinstance(jumps[0], sp.sign) else 0
        branches = [bounds_of(rest, known, (*facts, u)), bounds_of(below * rest, known, (*facts, -u))]
        low, high = _union(branches)
    elif isinstance(e, sp.Piecewise):
        before, branches = facts, []
        for piece, condition in e.args:
            branches.append(bounds_of(piece, known, (*before, *_facts_of(condition))))
            before = (*before, *_facts_of(sp.Not(condition)))
        low, high = _union(branches)
    else:
        parts = [bounds_of(part, known, facts) for part in e.args if isinstance(part, sp.Expr)]
        if e.is_Add:
            low, high = sum((part[0] for part in parts), 0.0), sum((part[1] for part in parts), 0.0)
        elif e.is_Mul:
            low, high = 1.0, 1.0
            for part in parts:
                corners = [a * b if a and b else 0.0 for a, b in product((low, high), part)]
                low, high = min(corners), max(corners)
        elif isinstance(e, sp.Max | sp.Min):
            choose = max if isinstance(e, sp.Max) else min
            low, high = choose(part[0] for part in parts), choose(part[1] for part in parts)
        elif isinstance(e, sp.Abs) or (e.is_Pow and e.exp.is_Integer and e.exp.is_even and e.exp > 0):
            least, most = parts[0]
            power = 1 if isinstance(e, sp.Abs) else int(e.exp)
            low = 0.0 if least <= 0.0 <= most else min(abs(least), abs(most)) ** power
            high = max(abs(least), abs(most))
            high = high**power if high < LARGE else inf
        elif e.is_Pow and parts[0][0] >= 0.0:
            low = 0.0
            if e.exp.is_number and e.exp < 0 and parts[0][0] > 0.0:
                high = parts[0][0] ** float(e.exp)
        elif isinstance(e, sp.atan):
            low, high = atan(parts[0][0]), atan(parts[0][1])
        elif isinstance(e, sp.asinh):
            low, high = asinh(parts[0][0]), asinh(parts[0][1])
        elif isinstance(e, sp.acos):
            low, high = 0.0, pi
        elif isinstance(e, sp.atan2):
            low, high = 0.0 if parts[0][0] >= 0.0 else -pi, pi
        elif isinstance(e, Unwound) and parts[1][0] - pi < parts[0][0] and parts[0][1] < parts[1][1] + pi:
            low, high = parts[0]
        elif isinstance(e, sp.acosh | sp.exp):
            low = 0.0
        elif isinstance(e, sp.cosh):
            low = 1.0
        elif isinstance(e, sp.sin | sp.cos | sp.tanh | sp.sign):
            low, high = -1.0, 1.0
        elif isinstance(e, sp.Heaviside):
            low, high = 0.0, 1.0
    if low < 0.0 and (e.is_nonnegative or e in facts):
        low = 0.0
    if high > 0.0 and -e in facts:
        high = 0.0
    return low, high


def _union(branches: Sequence[Bounds]) -> Bounds:
    return min(low for low, _ in branches), max(high for _, high in branches)


def _facts_of(condition: Any) -> tuple[sp.Expr, ...]:
    """Return expressions that are not negative where a condition holds."""
    if isinstance(condition, sp.And):
        return tuple(fact for part in condition.args for fact in _facts_of(part))
    return (condition.gts - condition.lts,) if isinstance(condition, INEQUALITIES) else ()


def size_of_terms(e: sp.Expr) -> sp.Expr:
    """Return the sum of the sizes of the terms of an expression, which its roundoff is proportional to."""
    if e.is_Add or e.is_Mul:
        return e.func(*map(size_of_terms, e.args))
    if e.is_Pow and e.exp.is_Integer and e.exp > 0:
        return size_of_terms(e.base) ** e.exp
    return abs(e) if e.is_number else Root(e, sp.S.One, sp.S.Zero)


@dataclass
class Branched:
    """A program whose branches are symbols."""

    definitions: list[Definition] = field(default_factory=list)
    outputs: list[sp.Expr] = field(default_factory=list)
    modes: list[sp.Symbol] = field(default_factory=list)
    """The mode of each switching function, a number to be held or nan."""
    kinds: list[int] = field(default_factory=list)
    """The kind of each switching function: SIDE, WHOLE, WATCH or RANGE."""
    switching: list[sp.Symbol] = field(default_factory=list)
    """The switching functions."""
    slopes: list[tuple[int, int, sp.Expr]] = field(default_factory=list)
    """The partial derivatives of switching functions that are not zero: the number of the function, the number of the
    variable (-1 for time), and the expression."""

    def deciding(self) -> list[frozenset[int]]:
        """Return the numbers of the switching functions that decide about each output."""
        decisions = {mode: frozenset((k,)) for k, mode in enumerate(self.modes)}

        def decisions_in(e: sp.Expr) -> frozenset[int]:
            return frozenset().union(*(decisions.get(s, frozenset()) for s in e.free_symbols))

        for s, e in self.definitions:  # each needs only those before it
            decisions[s] = decisions_in(e)
        return [decisions_in(e) for e in self.outputs]


def branched(
    definitions: Sequence[Definition], outputs: Sequence[sp.Expr], state: Sequence[sp.Symbol], free: bool = False,
    with_slopes: bool = True, with_ranges: bool = False,
) -> Branched:  # fmt: skip
    """Return the program with a symbol for every decision that depends on the state, and with the partial derivatives
    of the switching functions unless `with_slopes` is False. With `free` no decision can be held.

    With `with_ranges` a root or a logarithm has a switching function that is negative where it has no value: a step
    ends there, however short the way."""
    writer = _Writer(dict(definitions), frozenset(state), free, with_ranges)
    program = writer.program
    for s, e in definitions:
        value = writer.write(as_sympy(e))  # which defines its decisions first
        program.definitions.append((s, value))
    program.outputs += [writer.write(as_sympy(e)) for e in outputs]
    if not with_slopes:
        return program
    numbers = {s: k for k, s in enumerate(state)} | {t: -1}
    for k, value in enumerate(program.switching):
        slopes, steps = gradient(value, dict(program.definitions), numbers)
        program.definitions += steps
        program.slopes += [(k, numbers[s], e) for s, e in slopes.items()]
    return program


def drift(law: sp.Expr) -> sp.Expr:
    """Return the derivative of a function of time, without its jumps."""
    writer = _Writer({}, frozenset((t,)), free=True, with_ranges=False)
    smooth = writer.write(written_out(law))
    for s, e in reversed(writer.program.definitions):
        smooth = smooth.xreplace({s: e})
    return smooth.diff(t)


def gradient(
    target: sp.Symbol, values: Mapping[sp.Symbol, sp.Expr], variables: Container[sp.Symbol]
) -> tuple[dict[sp.Symbol, sp.Expr], list[Definition]]:
    """Return the partial derivatives of a defined symbol, backwards through the definitions; and the definitions used
    in them. The derivative by a symbol is the sum, over the definitions that use this symbol, of derivatives by the
    chain rule."""
    order: dict[sp.Symbol, None] = {}

    def visit(s: sp.Symbol) -> None:
        if s in values and s not in order:
            for other in sorted(values[s].free_symbols, key=str):
                visit(other)
            order[s] = None

    visit(target)
    slopes: dict[Any, sp.Expr] = {target: sp.S.One}
    steps: list[Definition] = []
    for s in reversed(order):
        if (slope := slopes.pop(s, sp.S.Zero)) == 0:
            continue
        if not slope.is_Atom:
            steps.append((sp.Symbol(f"d{target}_d{s}", real=True), slope))
            slope = steps[-1][0]
        for other in sorted(values[s].free_symbols, key=str):
            if (other in order or other in variables) and (partial := values[s].diff(other)) != 0:
                # nothing depends on a branch that is not chosen, where a root has an infinite slope, or none
                share = slope * partial
                share = unless_zero(slope, share) if values[s].has(Root, RangeContinuation) else share
                slopes[other] = slopes.get(other, sp.S.Zero) + share
    return slopes, steps


class _Writer:
    def __init__(self, values: dict[sp.Symbol, sp.Expr], state: frozenset[sp.Symbol], free: bool, with_ranges: bool):
        self.values, self.free, self.with_ranges, self.program = values, free, with_ranges, Branched()
        self._moving: dict[sp.Symbol, bool] = dict.fromkeys(state, True)
        self._timed: dict[sp.Symbol, bool] = {t: True}
        self._written: dict[sp.Basic, sp.Expr] = {}
        self._decisions: dict[Any, sp.Symbol] = {}
        self._places = count()
        self._bounds: dict[sp.Basic, Bounds] = {}
        self._switches: dict[sp.Basic, bool] = {}
        self._roots: dict[sp.Expr, sp.Symbol] = {}

    def moves(self, e: sp.Basic) -> bool:
        """Return whether an expression depends on the state. (Functions of time alone switch at known times.)"""
        return self._depends(e, self._moving)

    def _depends(self, e: sp.Basic, known: dict[sp.Symbol, bool]) -> bool:
        """Return whether an expression depends on a symbol that is known to be True, and note those that do."""
        for s in e.free_symbols:
            if s not in known:
                known[s] = False
                known[s] = s in self.values and self._depends(self.values[s], known)
        return any(known[s] for s in e.free_symbols)

    def write(self, e: sp.Expr) -> sp.Expr:
        if not e.has(*SWITCHING) and not any(range_of(f) for f in e.atoms(sp.Pow, *RANGES)):
            return e
        if e not in self._written:
            if isinstance(e, Unwound) and isinstance(e.args[0], sp.atan2):  # it removes the jump of the angle
                angle, near = e.args
                return Unwound(sp.atan2(*map(self.write, angle.args)), self.write(near))
            decides = isinstance(e, Watched) or (isinstance(e, SWITCHING) and self.moves(e))
            if decides:
                self._written[e] = self._rule(e)(e)
            elif (
                not self.free
                and (margin := range_of(e)) is not None
                and (self.moves(margin) or self._depends(margin, self._timed))
            ):
                self._written[e] = self._in_range(e, margin)
            elif isinstance(e, sp.Piecewise):
                pieces = ((self.write(value), condition) for value, condition in e.args)
                self._written[e] = sp.Piecewise(*pieces, evaluate=False)
            else:
                self._written[e] = e.func(*map(self.write, e.args)) if e.args else e
        return self._written[e]

    def _in_range(self, e: sp.Expr, margin: sp.Expr) -> sp.Expr:
        """Return a root, a logarithm or an inverse function, continued beyond its range while the side of its margin is
        held. A margin that is never negative, because of what switches in it, needs no side."""
        x, *exponents = map(self.write, e.args)
        law, moves, side = e.func(x, *exponents), self.moves(margin), None
        is_nonnegative = bounds_of(margin, self._bounds_of_symbol)[0] >= 0.0
        if not is_nonnegative:
            side = self._decision(RANGE, self.write(margin), 1, moves) if self.with_ranges or not moves else None
            side = side or self._known_side(margin)
        if side is None and not (is_nonnegative and self._has_switch(margin)):
            return law
        continuation = self._power(x, *exponents) if e.is_Pow else CONTINUED[e.func](x, self._power)
        return continuation if side is None else RangeContinuation((1 + side) / 2, continuation, law)

    def _known_side(self, g: sp.Expr) -> sp.Expr | None:
        """Return the side of an expression if there is a decision about it."""
        for sign, tie in product((1, -1), (-1, 0, 1)):
            if (side := self._decisions.get((SIDE, self.write(sign * g), tie))) is not None:
                return sign * side
        return None

    def _power(self, x: sp.Expr, exponent: sp.Expr) -> sp.Symbol:
        """Return the symbol of |x| to this power."""
        root = Root(x, as_sympy(exponent), sp.S.Zero)
        if root not in self._roots:
            self._roots[root] = sp.Symbol(f"root_{len(self._roots)}", real=True)
            self.program.definitions.append((self._roots[root], root))
        return self._roots[root]

    def _bounds_of_symbol(self, s: sp.Basic) -> Bounds:
        if s not in self._bounds:
            value = self.values.get(s)
            self._bounds[s] = (-inf, inf) if value is None else bounds_of(as_sympy(value), self._bounds_of_symbol)
        return self._bounds[s]

    def _has_switch(self, e: sp.Basic) -> bool:
        """Return whether a decision stands in an expression, or in the definition of one of its symbols."""
        if e not in self._switches:
            inner = (self.values[s] for s in e.free_symbols if s in self.values)
            self._switches[e] = e.has(*SWITCHING) or any(self._has_switch(as_sympy(value)) for value in inner)
        return self._switches[e]

    def _with_sums(self, g: sp.Expr) -> sp.Expr:
        """Return an expression with the sums that its symbols stand for, and those in these sums."""
        for _ in range(2):
            sums = {s: as_sympy(self.values[s]) for s in g.free_symbols if s in self.values}
            g = g.xreplace({s: self.write(e) for s, e in sums.items() if e.has(sp.Add)})
        return g

    def _rule(self, e: sp.Expr) -> Callable[[Any], sp.Expr]:
        rules: dict[Any, Callable[[Any], sp.Expr]] = {
            sp.Piecewise: self._piecewise,
            sp.Abs: lambda e: self.side(e.args[0]) * self.write(e.args[0]),
            sp.sign: lambda e: self.side(e.args[0]),
            Watched: lambda e: self._decision(WATCH, self.write(e.args[0]), 0),
            sp.Heaviside: lambda e: (1 + self.side(e.args[0])) / 2,
            sp.DiracDelta: lambda e: sp.S.Zero,  # the derivative of a slope that jumps; it acts at one instant only
            sp.Max: lambda e: self._largest(e.args, 1),
            sp.Min: lambda e: self._largest(e.args, -1),
            sp.atan2: lambda e: self._angle(*e.args),
            sp.floor: lambda e: self.whole(e.args[0]),
            sp.ceiling: lambda e: -self.whole(-e.args[0]),
            sp.frac: lambda e: self.write(e.args[0]) - self.whole(e.args[0]),
            sp.Mod: lambda e: self.write(e.args[0]) - self.write(e.args[1]) * self.whole(e.args[0] / e.args[1]),
            Wrap: lambda e: self._wrapped(*e.args),
            BentLookup: lambda e: self._piece(*e.args),
        }
        return rules[next(kind for kind in rules if isinstance(e, kind))]

    def _piecewise(self, e: sp.Piecewise) -> sp.Expr:
        rest: sp.Expr = sp.Symbol("nan")
        for value, condition in reversed(e.args):
            if condition == sp.true:
                rest = self.write(value)
            else:
                weight = self.weight(condition)
                rest = Chosen(weight, self.write(value), rest)
        if self.with_ranges and not self.free and sp.Or(*(condition for _, condition in e.args)) != sp.true:
            rooms = [self._room(to_nnf(condition, simplify=False)) for _, condition in e.args]
            if all(margin is not None and self.moves(margin) for margin in rooms):
                self._decision(RANGE, self.write(sp.Max(*rooms)), 1)
        return rest

    def _room(self, condition: Any) -> sp.Expr | None:
        """Return an expression that is negative where a condition does not hold; None if there is none."""
        if isinstance(condition, sp.And | sp.Or):
            rooms = [self._room(part) for part in condition.args]
            choose = sp.Min if isinstance(condition, sp.And) else sp.Max
            return None if None in rooms else choose(*rooms)
        return condition.gts - condition.lts if isinstance(condition, INEQUALITIES) else None

    def _largest(self, args: Sequence[sp.Expr], sign: int) -> sp.Expr:
        first, *others = args
        for other in others:
            first = Chosen((1 + sign * self.side(first - other)) / 2, self.write(first), self.write(other))
        return first

    def _angle(self, y: sp.Expr, x: sp.Expr) -> sp.Expr:
        """Return the angle in the half plane with this sign of y, continued beyond its edges: a quarter turn, and the
        rest."""
        side = self.side(y, 1)
        return side * sp.pi / 2 + sp.atan2(-side * self.write(x), side * self.write(y))

    def _wrapped(self, x: sp.Expr, period: sp.Expr) -> sp.Expr:
        """Return a wrapped expression that continues beyond the end of a period, with the law of its last piece, until
        the next period is taken. An angle with a cut jumps there by whole periods: the period is then decided by the
        sine and the cosine of its phase, which do not jump. If no period is held, the expression is wrapped directly:
        it has bounds near the end of a period, too (`certify.laws`)."""
        program, place, length = self.program, sp.Symbol(f"place_{next(self._places)}", real=True), self.write(period)
        program.definitions.append((place, self.write(x)))
        if self._is_cut(x):
            phase = 2 * sp.pi * x / period
            sine, cosine = -sp.sin(phase), -sp.cos(phase)
            choice = self.side(sine, 1)
            law = length * (self._angle(sine, cosine) / (2 * sp.pi) + sp.Rational(1, 2))
        else:
            choice = self.whole(x / period)
            law = place - length * choice
        (decision,) = choice.free_symbols
        mode = next(e for s, e in program.definitions if s == decision).args[0]
        return Branch(mode, law, Wrap(place, length))

    def _piece(self, table: sp.Expr, order: sp.Expr, x: sp.Expr) -> sp.Expr:
        """Return the piece of a table between two knots: the decision is the integer below the number of knots
        passed."""
        x = self.write(x)
        return Piece(table, order, x, self._decision(WHOLE, Knot(table, sp.S.Zero, x, MODE), 0))

    def _is_cut(self, e: sp.Expr) -> bool:
        """Return whether an expression contains the angle of a direction."""
        inner = (self.values[s] for s in e.free_symbols if s in self.values)
        return e.has(Unwound, sp.atan2) or any(self._is_cut(as_sympy(value)) for value in inner)

    def weight(self, condition: Any) -> sp.Expr:
        """Return an expression that is 1 if the condition holds, else 0."""
        if isinstance(condition, sp.And):
            return sp.Mul(*map(self.weight, condition.args))
        if isinstance(condition, sp.Or):
            return 1 - sp.Mul(*(1 - self.weight(part) for part in condition.args))
        if isinstance(condition, sp.Not):
            return 1 - self.weight(condition.args[0])
        if isinstance(condition, INEQUALITIES) and self.moves(condition):
            strict = isinstance(condition, StrictGreaterThan | StrictLessThan)
            return (1 + self.side(condition.gts - condition.lts, -1 if strict else 1)) / 2
        if not isinstance(condition, Relational) and self.moves(condition):  # Xor, ITE, and others
            return self.weight(to_nnf(condition, simplify=False))
        return sp.Piecewise((1, condition), (0, True), evaluate=False)

    def side(self, g: sp.Expr, tie: int = 0) -> sp.Expr:
        """Return the symbol of the sign of g. The sign of -g has the same symbol, negated."""
        if g.could_extract_minus_sign():
            return -self.side(-g, -tie)
        return self._decision(SIDE, self.write(g), tie)

    def whole(self, g: sp.Expr) -> sp.Expr:
        return self._decision(WHOLE, self.write(g), 0)

    def _decision(self, kind: int, g: sp.Expr, tie: int, moves: bool = True) -> sp.Symbol:
        """Return the symbol of a decision. That of a function which does not move with the state cannot be held."""
        key = kind, g, tie
        if key not in self._decisions:
            program, k = self.program, len(self._decisions)
            choice, mode, value = (sp.Symbol(f"{what}_{k}", real=True) for what in ("branch", "mode", "switch"))
            free = self.free or not moves
            mode = sp.Symbol("nan") if free else mode
            g = g.xreplace({MODE: mode})
            if kind == RANGE and (terms := self._with_sums(g)).has(sp.Add):
                g += ConstantCopy(ROUNDOFF * size_of_terms(terms))
            decision = Rounded(mode, value) if kind == WHOLE else Side(mode, value, tie)
            program.definitions += [(value, g), (choice, decision)]
            if not free:
                program.modes.append(mode)
                program.kinds.append(kind)
                program.switching.append(value)
            self._decisions[key] = choice
        return self._decisions[key]
