"""The branches of laws, separated from expressions. No numbers.

A law that is written with Piecewise, an absolute value, a sign, Max, Heaviside or a rounding is smooth as long as the
branch of each does not change. The branch depends on the sign of a *switching function* g of the state (the difference
of both sides of a condition), or on the integer below it. Here each decision becomes a symbol of its own,

    side = ±1  the sign of g          whole = n  with n ≤ g < n + 1

so that the remaining expression is smooth in the state: |x| is side · x. The caller of the kernel may hold a side, so
that a step of integration sees one smooth law; or leave it free (nan), and the sign of g decides as always.

Between both branches of a jump (0 ≤ w ≤ 1, w = (1 + side)/2) the law is the straight line from one to the other: such a
mixture keeps a motion on the surface g = 0 when both branches push towards it (Filippov). Decisions have no slope: a
derivative is that of the branch in force.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import sympy as sp
from sympy.core.relational import GreaterThan, LessThan, Relational, StrictGreaterThan, StrictLessThan
from sympy.logic.boolalg import to_nnf

from .differentiation import Definition
from .functions import BentLookup, Knot, Piece, Unwound, Wrap, as_sympy, written_out
from .markers import t

MODE = sp.Symbol("held", real=True)
"""The symbol, in a switching function, of the mode of its own decision."""
SIDE, WHOLE, WATCH = range(3)
"""The kinds of switching functions: decisions by the sign, decisions by the integer below, or no decision (only the
sign is watched)."""
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


class Chosen(sp.Function):
    """``Chosen(w, a, b)``: a for w = 1, b for w = 0, and the straight line between."""

    nargs, is_real = 3, True

    def _eval_derivative(self, s: sp.Symbol) -> sp.Expr:
        w, a, b = self.args
        return Chosen(w, a.diff(s), b.diff(s))

    @classmethod
    def eval(cls, w: sp.Expr, a: sp.Expr, b: sp.Expr) -> sp.Expr | None:
        return a if a == b else None


class Branch(sp.Function):
    """``Branch(mode, held, free)``: the first expression while the mode is held, the other if it is free (nan). Both
    have the same value while the mode is the right one; the first continues smoothly beyond."""

    nargs, is_real = 3, True

    def _eval_derivative(self, s: sp.Symbol) -> sp.Expr:
        mode, fixed, free = self.args
        return Branch(mode, fixed.diff(s), free.diff(s))

    @classmethod
    def eval(cls, mode: sp.Expr, fixed: sp.Expr, free: sp.Expr) -> sp.Expr | None:
        return free if fixed == free or mode == sp.Symbol("nan") else None


class Watched(sp.Function):
    """``Watched(g)``: the sign of g, which decides nothing."""

    nargs, is_real = 1, True


SWITCHING = (
    sp.Piecewise, sp.Abs, sp.sign, sp.Heaviside, sp.Max, sp.Min, sp.floor, sp.ceiling, sp.frac, sp.Mod,
    sp.DiracDelta, sp.atan2, Wrap, Watched, BentLookup,
)  # fmt: skip


RANGES: dict[Any, Callable[[sp.Expr], sp.Expr]] = {
    sp.log: lambda x: x,
    sp.asin: lambda x: 1 - x**2,
    sp.acos: lambda x: 1 - x**2,
    sp.atanh: lambda x: 1 - x**2,
    sp.acosh: lambda x: x - 1,
}
"""For each function that is real for some arguments only, an expression that is not negative for these."""


def range_of(e: sp.Basic) -> sp.Expr | None:
    """Return an expression that is not negative where this root, logarithm or inverse function is real; None for other
    expressions."""
    if isinstance(e, sp.Pow):
        return e.base if e.exp.is_Number and not e.exp.is_integer else None
    return RANGES[e.func](e.args[0]) if e.func in RANGES else None


@dataclass
class Branched:
    """A program whose branches are symbols."""

    definitions: list[Definition] = field(default_factory=list)
    outputs: list[sp.Expr] = field(default_factory=list)
    modes: list[sp.Symbol] = field(default_factory=list)
    """The mode of each switching function, a number to be held or nan."""
    kinds: list[int] = field(default_factory=list)
    """The kind of each switching function: SIDE, WHOLE or WATCH."""
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

    With `with_ranges` the argument of a root or a logarithm has a switching function that decides nothing: where it
    becomes negative a step ends, and the law has no value behind it, however short the way on which it has none."""
    writer = _Writer(dict(definitions), frozenset(state), free)
    program = writer.program
    for s, e in definitions:
        value = writer.write(as_sympy(e))  # which defines its decisions first
        if with_ranges:
            writer.put_ranges(as_sympy(e))
        program.definitions.append((s, value))
    for e in outputs:
        program.outputs.append(writer.write(as_sympy(e)))
        if with_ranges:
            writer.put_ranges(as_sympy(e))
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
    writer = _Writer({}, frozenset((t,)), free=True)
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
                slopes[other] = slopes.get(other, sp.S.Zero) + slope * partial
    return slopes, steps


class _Writer:
    def __init__(self, values: dict[sp.Symbol, sp.Expr], state: frozenset[sp.Symbol], free: bool):
        self.values, self.free, self.program = values, free, Branched()
        self._moving: dict[sp.Symbol, bool] = dict.fromkeys(state, True)
        self._written: dict[sp.Basic, sp.Expr] = {}
        self._decisions: dict[Any, sp.Symbol] = {}
        self._places = count()
        self._positive: dict[sp.Symbol, sp.Symbol] = {}

    def moves(self, e: sp.Basic) -> bool:
        """Return whether an expression depends on the state. (Functions of time alone switch at known times.)"""
        return any(self._symbol_moves(s) for s in e.free_symbols)

    def _symbol_moves(self, s: Any) -> bool:
        if s not in self._moving:
            self._moving[s] = False
            self._moving[s] = s in self.values and self.moves(self.values[s])
        return self._moving[s]

    def write(self, e: sp.Expr) -> sp.Expr:
        if not e.has(*SWITCHING):
            return e
        if e not in self._written:
            if isinstance(e, Unwound) and isinstance(e.args[0], sp.atan2):  # it removes the jump of the angle
                angle, near = e.args
                return Unwound(sp.atan2(*map(self.write, angle.args)), self.write(near))
            decides = isinstance(e, Watched) or (isinstance(e, SWITCHING) and self.moves(e))
            if decides:
                self._written[e] = self._rule(e)(e)
            elif isinstance(e, sp.Piecewise):
                pieces = ((self.write(value), condition) for value, condition in e.args)
                self._written[e] = sp.Piecewise(*pieces, evaluate=False)
            else:
                self._written[e] = e.func(*map(self.write, e.args)) if e.args else e
        return self._written[e]

    def put_ranges(self, e: sp.Expr) -> None:
        """Define a switching function for each argument of roots, logarithms and inverse functions that may leave the
        range in which they are real."""
        for f in sorted(e.atoms(sp.Pow, *RANGES), key=sp.default_sort_key):
            room = range_of(f)
            if room is not None and self.moves(room) and not self._is_nonnegative(room):
                room = -room if room.could_extract_minus_sign() else room
                if not any((SIDE, self.write(room), tie) in self._decisions for tie in (-1, 0, 1)):
                    self.side(room)

    def _is_nonnegative(self, e: sp.Expr) -> bool:
        """Return whether the definitions say that an expression is never negative: a sum of squares, or a largest value
        of which one is zero."""
        known = {s: self._nonnegative_symbol(s) for s in e.free_symbols if s in self.values}
        return bool(e.xreplace(known).is_nonnegative)

    def _nonnegative_symbol(self, s: Any) -> sp.Symbol:
        """Return a symbol for a defined one that is nonnegative if its definition is."""
        if s not in self._positive:
            found = self._is_nonnegative(as_sympy(self.values[s]))
            self._positive[s] = sp.Dummy(s.name, nonnegative=True) if found else s
        return self._positive[s]

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
        return rest

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

    def _decision(self, kind: int, g: sp.Expr, tie: int) -> sp.Symbol:
        key = kind, g, tie
        if key not in self._decisions:
            program, k = self.program, len(self._decisions)
            choice, mode, value = (sp.Symbol(f"{what}_{k}", real=True) for what in ("branch", "mode", "switch"))
            mode = sp.Symbol("nan") if self.free else mode
            g = g.xreplace({MODE: mode})
            decision = Rounded(mode, value) if kind == WHOLE else Side(mode, value, tie)
            program.definitions += [(value, g), (choice, decision)]
            if not self.free:
                program.modes.append(mode)
                program.kinds.append(kind)
                program.switching.append(value)
            self._decisions[key] = choice
        return self._decisions[key]
