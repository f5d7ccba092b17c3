"""Motion laws for cams and drivers: rise, dwell, return, repeat.

A law is a rise s(u) from s(0) = 0 to s(1) = 1; Cv and Ca, given below, are the largest values of its velocity s' and of
its acceleration s''. ``mbs.LAWS`` maps names to functions that return s(u):

>>> print(*mbs.LAWS, sep=", ")
harmonic, cycloidal, 3-4-5, 4-5-6-7, modified sine, modified trapezoid, constant velocity
>>> print(round(float(mbs.LAWS["3-4-5"](0.5)), 6), 10 / 2**3 - 15 / 2**4 + 6 / 2**5)
0.5 0.5
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import wraps
from inspect import signature
from typing import Any, NamedTuple, TypeVar, cast

import sympy as sp

from ..errors import ModelError
from ..public_class import PublicClass
from ..symbolic.expressions import text
from ..symbolic.functions import Wrap, as_sympy

Pieces = list[tuple[sp.Expr, sp.Expr]]  # a law: (border in u, s(u) up to there), ...; the last border is 1
EIGHTH = sp.Rational(1, 8)
NOT_FINITE = (sp.nan, sp.zoo, sp.oo, -sp.oo)


def _modified_sine(u: sp.Expr) -> Pieces:
    """Return a fast quarter sine, a slow half sine, a fast quarter sine. Cv = 4k = 1.760, Ca = 4πk = 5.528.

    s''/k = 4π sin 4πu up to 1/8 and after 7/8, 4π sin(4πu/3 + π/3) between: ±4π at the borders.
    s'/k  = 1 - cos 4πu                    and  1 - 3 cos(4πu/3 + π/3):      1 at the borders.
    s/k   = the integrals from s(0) = 0, with 2/π, 4/π by continuity; s(1) = k (1 + 4/π) = 1 gives k.
    """
    pi, k = sp.pi, sp.pi / (4 + sp.pi)
    fast, slow = sp.sin(4 * pi * u) / (4 * pi), 9 * sp.sin(4 * pi * u / 3 + pi / 3) / (4 * pi)
    pieces = [u - fast, u + 2 / pi - slow, u + 4 / pi - fast]
    return [(border * EIGHTH, k * piece) for border, piece in zip((1, 7, 8), pieces, strict=True)]


def _modified_trapezoid(u: sp.Expr) -> Pieces:
    """Return plateaus of acceleration, joined by sines. Cv = (2 + π) k = 2, Ca = 4πk = 4.888.

        s''/k = 4π sin 4πu to 1/8, 4π to 3/8, -4π sin 4πu to 5/8, -4π to 7/8, 4π sin 4πu to 1: continuous.
        s'/k  = 1 - cos 4πu to 1/8, 1 + 4π (u - 1/8) to 3/8, 1 + π + cos 4πu to 5/8: continuous.
        s/k   = the integrals from s(0) = 0, continuous at 1/8 and 3/8; s(1/2) = k (1/2 + π/4) = 1/2 gives k.

    The last two pieces mirror the first two: s(u) = 1 - s(1 - u).
    """
    pi, k = sp.pi, 2 / (2 + sp.pi)
    sine = sp.sin(4 * pi * u) / (4 * pi)
    speeding = u - 1 / (4 * pi) + 2 * pi * (u - EIGHTH) ** 2
    slowing = u + pi / 2 + 1 / (4 * pi) - 2 * pi * (u - 7 * EIGHTH) ** 2
    pieces = [u - sine, speeding, (1 + pi) * u - pi / 4 + sine, slowing, u + pi / 2 - sine]
    return [(border * EIGHTH, k * piece) for border, piece in zip((1, 3, 5, 7, 8), pieces, strict=True)]


_PIECES: Mapping[str, Callable[[sp.Expr], Pieces]] = {
    # A circle seen from its side: s'' ~ cos πu. Cv = π/2, Ca = π²/2; s'' jumps next to a dwell.
    "harmonic": lambda u: [(sp.S.One, (1 - sp.cos(sp.pi * u)) / 2)],
    # One full sine of acceleration: s'' = 2π sin 2πu, s' = 1 - cos 2πu. Cv = 2, Ca = 2π.
    "cycloidal": lambda u: [(sp.S.One, u - sp.sin(2 * sp.pi * u) / (2 * sp.pi))],
    # Lowest degree with s', s'' = 0 at both ends: s' = 30 u² (1 - u)². Cv = 15/8, Ca = 10/√3 = 5.774.
    "3-4-5": lambda u: [(sp.S.One, 10 * u**3 - 15 * u**4 + 6 * u**5)],
    # Also s''' = 0 at both ends: s' = 140 u³ (1 - u)³. Cv = 35/16, Ca = 84/(5√5) = 7.513.
    "4-5-6-7": lambda u: [(sp.S.One, 35 * u**4 - 84 * u**5 + 70 * u**6 - 20 * u**7)],
    "modified sine": _modified_sine,
    "modified trapezoid": _modified_trapezoid,
    # s' = 1 = Cv. The velocity jumps at both ends: in a real machine a shock, an infinite acceleration.
    "constant velocity": lambda u: [(sp.S.One, u)],
}


def _piecewise(x: sp.Expr, branches: Pieces) -> sp.Expr:
    """Return the branches as a Piecewise: each expression holds for x below its border, the last one also beyond. Equal
    neighbours are merged."""
    distinct = [b for b, after in zip(branches, branches[1:], strict=False) if b[1] != after[1]]
    return sp.Piecewise(*((e, x < border) for border, e in distinct), (branches[-1][1], True))


def _law(pieces: Callable[[sp.Expr], Pieces]) -> Callable[[Any], sp.Expr]:
    return lambda u: _piecewise(as_sympy(u), pieces(as_sympy(u)))


LAWS: Mapping[str, Callable[[Any], sp.Expr]] = {name: _law(pieces) for name, pieces in _PIECES.items()}
"""The laws of a rise by name, each from 0 to 1 while its argument goes from 0 to 1."""


def _real(value: Any, what: str) -> sp.Expr:
    """Return the value as a sympy expression; refuse a value that cannot be a finite real number."""
    try:
        expr = as_sympy(value)
    except TypeError:
        expr = sp.nan
    if expr.is_extended_real is False or expr.has(*NOT_FINITE):
        raise ModelError(
            f"motion: the {what} is {value!r}; give a finite number or expression of parameters",
            code="not-finite", argument=what, value=value,
        )  # fmt: skip
    return expr


Method = TypeVar("Method", bound=Callable[..., Any])


def _segment(method: Method) -> Method:
    """Wrap a method so that missing or unknown arguments raise a ModelError with an example and the list of laws."""

    @wraps(method)
    def call(*given: Any, **named: Any) -> Motion:
        try:
            signature(method).bind(*given, **named)
        except TypeError as exc:
            example = {"rise": 'rise(0.02, over=0.5, law="cycloidal")', "dwell": "dwell(0.2)"}
            way = example.get(method.__name__, 'return_(over=0.5, law="3-4-5")')
            laws = f"; laws are {', '.join(map(repr, LAWS))}" * (method.__name__ != "dwell")
            raise ModelError(
                f"motion: {method.__name__}(): {exc}; write e.g. .{way}{laws}",
                code="wrong-arguments", method=method.__name__, reason=str(exc),
            ) from exc  # fmt: skip
        return cast(Motion, method(*given, **named))

    return cast(Method, call)


class Segment(NamedTuple):
    """The motion from its present value to the value `to`, in a duration `over`, by a law of `LAWS`."""

    to: sp.Expr
    over: sp.Expr
    law: str


@dataclass(frozen=True, repr=False)
class Motion(metaclass=PublicClass):
    """A value that rises, dwells and returns, from x = 0 on; calling it with x (time, the angle of a cam, any
    expression) returns the value at x.

    Unless repeated, it is `start` before and `end` after its segments. Each method returns a new Motion.

    >>> lift = mbs.Motion().rise(0.02, over=2, law="cycloidal").dwell(1).return_(over=2, law="3-4-5").repeat()
    >>> [round(float(lift(x)), 6) for x in (0, 1, 2, 3, 4, 5, 6)]
    [0.0, 0.01, 0.02, 0.02, 0.01, 0.0, 0.01]
    >>> model = mbs.PlanarModel("valve")
    >>> valve = model.body("valve")
    >>> model.add(mbs.Driver("cam", mbs.y(valve), lift))
    <Driver cam>
    >>> print(round(mbs.assemble(model, t=1)["valve.vy"], 6))  # Cv h/T = 2 · 0.02/2
    0.02
    """

    start: sp.Expr = sp.S.Zero
    segments: tuple[Segment, ...] = ()
    periodic: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "start", _real(self.start, "start"))
        if self.periodic:  # refused if the end certainly differs from the start, by more than roundoff
            values = sp.Matrix([self.start, *(to for to, _, _ in self.segments)]).evalf()
            roundoff = 1e-12 * max((abs(n) for n in values.atoms(sp.Float)), default=0)
            gap = sp.expand(values[-1] - values[0])
            gap = gap.xreplace({n: sp.S.Zero for n in gap.atoms(sp.Float) if abs(n) <= roundoff})
            if gap.is_zero is False:
                ends = f"it starts at {text(self.start)} and ends at {text(self.end)}"
                raise ModelError(
                    f"motion: cannot repeat, {ends}; add .return_(over=..., law=...) before",
                    code="end-differs-from-start", start=self.start, end=self.end,
                )  # fmt: skip

    @_segment
    def rise(self, height: Any, *, over: Any, law: str) -> Motion:
        """Return the motion followed by a rise by `height` (a fall if negative) in a duration `over`, by a law of
        `LAWS`."""
        return self._then(self.end + _real(height, "height of a rise"), over, law)

    @_segment
    def dwell(self, over: Any) -> Motion:
        """Return the motion followed by a dwell of the duration `over`."""
        return self._then(self.end, over, "constant velocity")

    @_segment
    def return_(self, *, over: Any, law: str) -> Motion:
        """Return the motion followed by a return to the start value in a duration `over`, by a law of `LAWS`."""
        return self._then(self.start, over, law)

    def repeat(self) -> Motion:
        """Return the motion repeated with the sum of its durations as the period. Its end must equal its start, as far
        as this can be decided."""
        if not self.segments:
            raise ModelError(
                "motion: repeat() of nothing; add segments first, e.g. .rise(...), .dwell(2)",
                code="no-segments", method="repeat",
            )  # fmt: skip
        return replace(self, periodic=True)

    def _then(self, to: sp.Expr, over: Any, law: str) -> Motion:
        if self.periodic:
            raise ModelError(
                "motion: nothing can follow repeat(); add the segments first and repeat() last", code="already-repeated"
            )
        over = _real(over, "duration of a segment")
        if over.is_positive is False:
            raise ModelError(
                f"motion: the duration of a segment is {text(over)}; give a duration above zero",
                code="not-positive", argument="over", value=over,
            )  # fmt: skip
        if not isinstance(law, str) or law not in LAWS:
            raise ModelError(
                f"motion: unknown law {law!r}; use one of: {', '.join(map(repr, LAWS))}",
                code="unknown-choice", argument="law", value=law, choices=tuple(LAWS),
            )  # fmt: skip
        return replace(self, segments=(*self.segments, Segment(to, over, law)))

    def __repr__(self) -> str:
        """Return one phrase for each segment: "Motion(0.03, to 0.05 over 2 (cycloidal), dwell 1)"."""
        phrases, value = [text(self.start)], self.start
        for to, over, law in self.segments:
            phrase = f"dwell {text(over)}" if to == value else f"to {text(to)} over {text(over)} ({law})"
            phrases, value = [*phrases, phrase], to
        return f"Motion({', '.join([*phrases, *['repeated'] * self.periodic])})"

    @property
    def duration(self) -> sp.Expr:
        """The sum of the durations: the period, if repeated."""
        return sp.Add(*(segment.over for segment in self.segments))

    @property
    def end(self) -> sp.Expr:
        """The value after the last segment."""
        return self.segments[-1].to if self.segments else self.start

    def __call__(self, x: Any) -> sp.Expr:
        """Return the value at x, as one flat Piecewise."""
        if not self.segments:
            raise ModelError(
                "motion: it has no segments; add .rise(...) or .dwell(...) before calling it",
                code="no-segments", method="call",
            )  # fmt: skip
        x, period = _real(x, "argument"), self.duration
        if self.periodic:
            x = sp.Mod(x, period) if x.is_number and period.is_number else Wrap(x, period)
            return _piecewise(x, list(self._branches(x)))
        return _piecewise(x, [(sp.S.Zero, self.start), *self._branches(x), (sp.oo, self.end)])

    def _branches(self, x: sp.Expr) -> Iterator[tuple[sp.Expr, sp.Expr]]:
        """Yield the pieces of all segments, with borders in x from the beginning of the motion."""
        begin, value = sp.S.Zero, self.start
        for to, over, law in self.segments:
            for border, s in _PIECES[law]((x - begin) / over):
                yield begin + border * over, value + (to - value) * s
            begin, value = begin + over, to
