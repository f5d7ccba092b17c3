"""Define objectives as sympy expressions: quantities of a result over time, and numbers made of them.

Each such number is a weighted sum of values, w·g: for an integral, w holds the lengths of time; for a value at the end,
w is 1 there; for a maximum, w is 1 where the maximum is. So one rule gives the values and the derivatives of all."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from ...errors import ModelError, shortened
from ...tolerances import VALUE_TIE


class ResultQuantity(sp.Symbol):
    """A quantity of a result over time, as a symbol."""

    def __new__(cls, name: str, **assumptions: Any) -> ResultQuantity:
        return super().__new__(cls, name, real=True)


class Reduction(sp.Function):
    """A number made of values over time."""

    nargs = 1
    is_extended_real = True

    @staticmethod
    def weights(values: np.ndarray, t: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def _sympystr(self, printer: Any) -> str:
        return f"{type(self).__name__}({printer.doprint(self.args[0])})"


class _AtStart(Reduction):
    @staticmethod
    def weights(values: np.ndarray, t: np.ndarray) -> np.ndarray:
        return one_at(0, t.size)


class _AtEnd(Reduction):
    @staticmethod
    def weights(values: np.ndarray, t: np.ndarray) -> np.ndarray:
        return one_at(t.size - 1, t.size)


class Integral(Reduction):
    """The integral over time, by the trapezoidal rule."""

    @staticmethod
    def weights(values: np.ndarray, t: np.ndarray) -> np.ndarray:
        return lengths(t)


class _Average(Reduction):
    @staticmethod
    def weights(values: np.ndarray, t: np.ndarray) -> np.ndarray:
        return lengths(t) / (t[-1] - t[0]) if t.size > 1 else np.ones(1)


class Maximum(Reduction):
    """The largest value, which has a derivative if one value alone is the largest."""

    @staticmethod
    def weights(values: np.ndarray, t: np.ndarray) -> np.ndarray:
        return one_at(int(np.argmax(values)), t.size)


class Minimum(Reduction):
    """The smallest value, which has a derivative if one value alone is the smallest."""

    @staticmethod
    def weights(values: np.ndarray, t: np.ndarray) -> np.ndarray:
        return one_at(int(np.argmin(values)), t.size)


def level(reduction: Reduction, values: np.ndarray) -> np.ndarray:
    """Return where values equal the maximum or the minimum within `VALUE_TIE`; nowhere for other reductions."""
    if not isinstance(reduction, Maximum | Minimum):
        return np.zeros(values.shape, dtype=bool)
    signed = values if isinstance(reduction, Maximum) else -values
    at_extreme: np.ndarray = signed >= signed.max() - VALUE_TIE * abs(signed.max())
    return at_extreme


for _class, _word in (
    (_AtStart, "at_start"), (_AtEnd, "at_end"), (Integral, "integral"), (_Average, "average"),
    (Maximum, "maximum"), (Minimum, "minimum"),
):  # fmt: skip
    _class.__name__ = _word


def one_at(place: int, size: int) -> np.ndarray:
    weights = np.zeros(size)
    weights[place] = 1.0
    return weights


def lengths(t: np.ndarray) -> np.ndarray:
    """Return the weights of the trapezoidal rule: half of the interval before each time plus half of the interval
    after."""
    h = np.diff(t)
    return 0.5 * (np.concatenate([[0.0], h]) + np.concatenate([h, [0.0]]))


def quantity(name: str) -> sp.Symbol:
    """Return a quantity of a result over time as a symbol for expressions: ``mbs.quantity("slider.ax")``.

    >>> mbs.maximum(mbs.quantity("B.Fx") ** 2 + mbs.quantity("B.Fy") ** 2)
    maximum(B.Fx**2 + B.Fy**2)
    """
    if not isinstance(name, str) or not name:
        raise ModelError(
            f'quantity takes the name of a quantity, not {shortened(name)}; e.g. quantity("slider.x")',
            code="not-a-name", argument="name", value=name,
        )  # fmt: skip
    return ResultQuantity(name)


def over_time(what: Any, word: str) -> sp.Expr:
    """Return the expression of a quantity over time, given by a name or an expression."""
    if isinstance(what, str):
        return quantity(what)
    if not isinstance(what, sp.Expr):
        problem = f"{word} takes a name or an expression of quantities, not {shortened(what)}"
        raise ModelError(
            f'{problem}; e.g. {word}("slider.x")', code="wrong-type", argument="what", function=word, value=what
        )
    if what.has(Reduction):
        raise ModelError(
            f"{word} takes what goes over time, and {what} is a number already; leave one of both out",
            code="already-a-number", argument="what", function=word, value=what,
        )  # fmt: skip
    return what


def at_start(what: str | sp.Expr) -> sp.Expr:
    """Return the value at the first time, for an objective.

    >>> mbs.at_start("slider.x")
    at_start(slider.x)
    """
    return _AtStart(over_time(what, "at_start"))


def at_end(what: str | sp.Expr) -> sp.Expr:
    """Return the value at the last time, for an objective.

    >>> mbs.at_end("slider.x") - mbs.at_start("slider.x")
    at_end(slider.x) - at_start(slider.x)
    """
    return _AtEnd(over_time(what, "at_end"))


def integral(what: str | sp.Expr) -> sp.Expr:
    """Return the integral over time, for an objective: by the trapezoidal rule, over the requested times.

    >>> mbs.integral(mbs.quantity("motor.effort") ** 2)
    integral(motor.effort**2)
    """
    return Integral(over_time(what, "integral"))


def average(what: str | sp.Expr) -> sp.Expr:
    """Return the average over time, for an objective: the integral divided by the duration.

    >>> mbs.average("motor.effort")
    average(motor.effort)
    """
    return _Average(over_time(what, "average"))


def maximum(what: str | sp.Expr) -> sp.Expr:
    """Return the largest value at the requested times, for an objective.

    The limit ``maximum(...) <= limit`` holds at all times and is smooth, as is ``kind="minimax"``. A maximum as an
    objective has a derivative only if one value alone is the largest.

    >>> mbs.maximum("slider.ax") <= 50
    maximum(slider.ax) <= 50
    """
    return Maximum(over_time(what, "maximum"))


def minimum(what: str | sp.Expr) -> sp.Expr:
    """Return the smallest value at the requested times, for an objective; see `maximum`.

    >>> mbs.minimum("slider.x") >= 0.1
    minimum(slider.x) >= 0.1
    """
    return Minimum(over_time(what, "minimum"))
