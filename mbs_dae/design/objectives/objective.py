"""Define an objective by an expression, a function of a result, or a function with its own gradient."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, Protocol

import numpy as np
import sympy as sp

from ...duals import Dual, value_of
from ...errors import MbsError, ModelError, counted, shortened
from ...public_class import PublicClass
from ...unit_system import dimension_of, si_unit
from .readings import ObjectiveReadings
from .words import Integral, Maximum, Minimum, Reduction, ResultQuantity, level

KINK = "it has a kink there (|x| at 0, two different values that are both the largest), or reads what is not unique"
SMOOTH = "write what is smooth there (sqrt(x**2 + eps**2) for |x|), or for the largest value kind='minimax'"


class ObjectiveFunction(Protocol):
    """A number or an array made of a result."""

    @property
    def label(self) -> str: ...
    def of(self, readings: ObjectiveReadings) -> Any: ...


@dataclass(frozen=True, eq=False)
class Objective(metaclass=PublicClass):
    """A function of named arrays, with its own gradient: ``mbs.Objective(names, value, gradient)``.

    `value` takes the arrays in the order of `names` and returns a number; `gradient` takes the same arrays and returns
    for each array one of the same shape, the derivatives of the number by its values.

    >>> squares = mbs.Objective(["rod.x"], lambda x: x @ x, lambda x: [2 * x])
    >>> squares.label
    'function of rod.x'
    """

    names: Sequence[str]
    value: Callable[..., Any]
    gradient: Callable[..., Sequence[np.ndarray]]

    def __post_init__(self) -> None:
        if isinstance(self.names, str) or not all(isinstance(name, str) for name in self.names) or not self.names:
            raise ModelError(
                f'names of an Objective must be a list, e.g. ["slider.x"], not {self.names!r}',
                code="not-a-list", names=self.names,
            )  # fmt: skip
        if not (callable(self.value) and callable(self.gradient)):
            raise ModelError(
                "an Objective takes two functions: its value, and its gradient by the named arrays",
                code="not-a-function",
            )  # fmt: skip

    @property
    def label(self) -> str:
        """The name of the objective in reports."""
        return f"function of {', '.join(self.names)}"

    def by_arrays(self, arrays: Sequence[np.ndarray]) -> tuple[float, list[np.ndarray]]:
        """Return the value, and its derivative by each of the arrays; check the shapes that the functions return."""
        value = _numbers(f"the value of {self.label}", self.value(*arrays))
        if np.shape(value) != ():
            raise ModelError(
                f"the value of {self.label} has the shape {np.shape(value)}; it must be a number",
                code="wrong-shape", subject=self.label,
            )  # fmt: skip
        gradient = self.gradient(*arrays)
        if not isinstance(gradient, list | tuple) or len(gradient) != len(arrays):
            what = f"the gradient of {self.label} gives {shortened(gradient)}"
            raise ModelError(
                f"{what}; it must give a list of {counted(len(arrays), 'array')}, one for each name",
                code="wrong-length",
            )  # fmt: skip
        slopes = [_numbers(f"the gradient of {self.label}", one) for one in gradient]
        if [one.shape for one in slopes] != [one.shape for one in arrays]:
            what = f"the gradient of {self.label} has the shapes {[one.shape for one in slopes]}"
            raise ModelError(
                f"{what}; it must have those of the arrays, {[one.shape for one in arrays]}", code="wrong-shape"
            )
        return float(value), slopes

    def of(self, readings: ObjectiveReadings) -> Any:
        """Return the value with derivatives, by the chain rule over the derivatives of the arrays."""
        arrays = [readings[name] for name in self.names]
        value, slopes = self.by_arrays([one.value for one in arrays])
        total = sum(np.tensordot(one.slope, slope, slope.ndim) for one, slope in zip(arrays, slopes, strict=True))
        return Dual(np.asarray(value), np.asarray(total), readings.by)


def _numbers(what: str, values: Any) -> np.ndarray:
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError) as wrong:
        raise ModelError(
            f"{what} is {shortened(values)}; it must be of numbers", code="not-a-number", values=values
        ) from wrong


# --- formulas: sympy expressions of numbers and arrays that carry derivatives; no text is evaluated ---


def _fold(function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    return lambda *parts: reduce(function, parts)


def _power(base: Any, exponent: Any) -> Any:
    is_root = isinstance(exponent, float) and exponent == 0.5
    return np.sqrt(base) if is_root else np.power(base, exponent)


FUNCTIONS: Mapping[Any, Callable[..., Any]] = {
    sp.Add: _fold(np.add),
    sp.Mul: _fold(np.multiply),
    sp.Max: _fold(np.maximum),
    sp.Min: _fold(np.minimum),
    sp.Pow: _power,
    sp.Abs: np.absolute,
    sp.exp: np.exp,
    sp.log: np.log,
    sp.sin: np.sin,
    sp.cos: np.cos,
    sp.tan: np.tan,
    sp.asin: np.arcsin,
    sp.acos: np.arccos,
    sp.atan: np.arctan,
    sp.atan2: np.arctan2,
}


def evaluate(expression: sp.Expr, values: Mapping[sp.Basic, Any]) -> Any:
    """Return the value of an expression; `values` holds those of symbols and of whole parts."""
    if expression in values:
        return values[expression]
    if expression.is_number:
        return float(expression)
    if (function := FUNCTIONS.get(expression.func)) is None:
        names = ", ".join(one.__name__ for one in FUNCTIONS)
        what = f"{expression.func.__name__} is not a function that objectives know: these are {names}"
        raise ModelError(
            f"{what}; write a function of the result instead: lambda result: np.sum(result['slider.x']**2)",
            code="not-an-objective", names=tuple(one.__name__ for one in FUNCTIONS),
        )  # fmt: skip
    return function(*(evaluate(part, values) for part in expression.args))


@dataclass(frozen=True, eq=False)
class FormulaObjective:
    """A sympy expression of values at the end, integrals and parameters; for arrays, of quantities over time."""

    expression: sp.Expr

    @property
    def label(self) -> str:
        return str(self.expression)

    @property
    def reductions(self) -> list[Reduction]:
        return sorted(self.expression.atoms(Reduction), key=str)

    @property
    def goes_over_time(self) -> bool:
        """Whether some quantity stands outside of all reductions."""
        return self.expression.xreplace({one: sp.S.One for one in self.reductions}).has(ResultQuantity)

    def of(self, readings: ObjectiveReadings) -> Any:
        values = symbol_values(self.expression, readings)
        for one in self.reductions:
            over = evaluate(one.args[0], values) * np.ones(readings.t.shape)
            values[one] = reduction_value(one, over, readings.t)
        return evaluate(self.expression, values)


def symbol_values(expression: sp.Expr, readings: ObjectiveReadings) -> dict[sp.Basic, Any]:
    """Return the values of the symbols in an expression."""
    values: dict[sp.Basic, Any] = {}
    for symbol in sorted(expression.free_symbols, key=str):
        if isinstance(symbol, ResultQuantity):
            values[symbol] = one_number(symbol.name, readings[symbol.name])
        else:
            values[symbol] = readings.t if str(symbol) == "t" else readings.parameter(str(symbol))
    return values


def one_number(name: str, values: Any) -> Any:
    if np.ndim(values) != 1:
        raise ModelError(
            f"{name!r} is a vector; in a formula name its components, e.g. {name}.x or B.Fx",
            code="is-a-vector", name=name,
        )  # fmt: skip
    return values


def reduction_value(reduction: Reduction, values: Any, t: np.ndarray) -> Any:
    weights = reduction.weights(value_of(values), t)
    if not isinstance(values, Dual):
        return (values * weights).sum()
    read = value_of(weights) != 0.0
    bad = read & ~np.isfinite(values.slope).all(axis=0) & np.isfinite(values.value)
    if bad.any():
        raise NotSmooth(
            f"{reduction} has no derivative {at_times(t, bad)}: {KINK}; {SMOOTH}",
            code="kink", reduction=reduction,
        )  # fmt: skip
    if isinstance(reduction, Maximum | Minimum):
        largest = values.max() if isinstance(reduction, Maximum) else values.min()
        if not np.isfinite(largest.slope).all():
            raise tie_error(reduction, values.value, t)
        return largest
    return Dual(values.value[read], values.slope[:, read], values.by) @ weights[read]


def tie_error(reduction: Reduction, values: np.ndarray, t: np.ndarray) -> NotSmooth:
    """Return the error for a largest value that is reached more than once and has no derivative."""
    where = at_times(t, level(reduction, values))
    return NotSmooth(
        f"{reduction} has no derivative: it is reached more than once, {where}; {SMOOTH}",
        code="not-unique", reduction=reduction,
    )  # fmt: skip


def at_times(t: np.ndarray, where: np.ndarray) -> str:
    """Return the marked times in words; only the first two are written out."""
    times = value_of(t)[where]
    more = f" and {times.size - 2} more" if times.size > 2 else ""
    return f"at t = {', '.join(f'{one:g}' for one in times[:2])}{more}"


@dataclass(frozen=True, eq=False)
class OfResult:
    """An objective given by a function of a result."""

    function: Callable[[Any], Any]

    @property
    def label(self) -> str:
        name = getattr(self.function, "__name__", "objective")
        return "objective" if name == "<lambda>" else name

    def of(self, readings: ObjectiveReadings) -> Any:
        try:
            return self.function(readings)
        except TypeError as wrong:
            if "Dual" not in str(wrong) and "derivatives" not in str(wrong):
                raise
            what = f"{self.label} uses a function that would lose derivatives: {wrong}"
            raise ModelError(
                f"{what}; use functions of numpy that are smooth, or mbs.Objective with a gradient",
                code="no-derivative", subject=self.label, wrong=wrong,
            ) from wrong  # fmt: skip


def unit_of(measured: FormulaObjective, unit: Callable[[str], str]) -> str | None:
    """Return the SI unit of a formula, "" for a pure number; `unit` returns the unit of a quantity or parameter by its
    name. Return None if the unit is unknown, because terms have different units or a parameter has none."""
    try:
        product = _unit_product(measured.expression, unit)
    except UnknownUnit:
        return None
    powers = product.as_powers_dict().items()
    return si_unit(frozenset((str(word), float(power)) for word, power in powers if word != 1))


class UnknownUnit(Exception):
    """A part of a formula has no unit that is known."""


def _unit_product(part: sp.Expr, unit: Callable[[str], str]) -> sp.Expr:
    """Return the unit of a part of a formula as a product of powers of words, such as m/s."""
    if part.is_number:
        return sp.S.One
    if isinstance(part, sp.Symbol):
        known = dimension_of("s" if str(part) == "t" and not isinstance(part, ResultQuantity) else unit(str(part)))
        if known is None or known[0] != 1.0:
            raise UnknownUnit
        return sp.Mul(*(sp.Symbol(word, positive=True) ** sp.nsimplify(power) for word, power in known[1]))
    inner = [_unit_product(one, unit) for one in part.args if not (isinstance(part, sp.Add) and one.is_number)]
    if isinstance(part, sp.Mul):
        return sp.Mul(*inner)
    if isinstance(part, sp.Pow):
        if not part.exp.is_number:
            raise UnknownUnit
        return inner[0] ** part.exp
    if isinstance(part, Integral):
        return inner[0] * sp.Symbol("s", positive=True)
    if not isinstance(part, sp.Add | sp.Max | sp.Min | sp.Abs | Reduction):
        return sp.S.One  # the value of sin, atan2, log, ... is a pure number
    if len({*inner}) > 1:
        raise UnknownUnit
    return inner[0]


def objective_of(form: Any, what: str = "objective") -> ObjectiveFunction:
    """Return the objective for any of its forms; a name stands for the quantity over time."""
    if isinstance(form, Objective | FormulaObjective | OfResult):
        return form
    if isinstance(form, str):
        return FormulaObjective(ResultQuantity(form))
    if isinstance(form, sp.Expr):
        return FormulaObjective(form)
    if callable(form):
        return OfResult(form)
    forms = (
        'an expression, e.g. mbs.at_end("slider.x"), a function of a result, or mbs.Objective(names, value, gradient)'
    )
    raise ModelError(f"{what} must be {forms}, not {shortened(form)}", code="not-an-objective")


def check_number(measured: ObjectiveFunction) -> ObjectiveFunction:
    """Return the objective; raise a `ModelError` before any run if a formula is no single number."""
    if isinstance(measured, FormulaObjective) and measured.goes_over_time:
        what = f"{measured.label} goes over time, and a single number is wanted"
        raise ModelError(
            f"{what}; say which: at_end(...), integral(...), maximum(...)",
            code="depends-on-time", subject=measured.label,
        )  # fmt: skip
    return measured


def number_of(measured: ObjectiveFunction, readings: ObjectiveReadings) -> Dual:
    """Return an objective's value as a single number with derivatives."""
    return as_number(measured, array_of(check_number(measured), readings))


def as_number(measured: ObjectiveFunction, value: Any) -> Any:
    """Return the value of an objective, if it is a single number."""
    if value.shape not in ((), (1,)):
        what = f"{measured.label} gives an array of the shape {value.shape}, and a single number is wanted"
        remedy = "write maximum(...) or at_end(...) of it, or add up its values"
        raise ModelError(
            f"{what}; {remedy}, or say kind='least_squares' or 'minimax'",
            code="not-a-single-number", subject=measured.label, shape=value.shape,
        )  # fmt: skip
    return value.reshape(())


def array_of(measured: ObjectiveFunction, readings: ObjectiveReadings) -> Dual:
    """Return an objective's values with derivatives; raise an error unless all are finite."""
    with np.errstate(invalid="ignore", divide="ignore"):  # reported below
        value = measured.of(readings)
    if not isinstance(value, Dual):
        raise plain_value_error(measured, value)
    if not np.isfinite(value.value).all():
        raise ModelError(
            f"{measured.label} is {value.value[~np.isfinite(value.value)].flat[0]}; it must be finite",
            code="not-finite", subject=measured.label,
        )  # fmt: skip
    if not np.isfinite(value.slope).all():
        by, *place = np.argwhere(~np.isfinite(value.slope))[0]
        where = f" at t = {value_of(readings.t)[place[0]]:g}" if place and value.shape == readings.t.shape else ""
        raise NotSmooth(
            f"{measured.label} has no derivative by {readings.by[by]}{where}: {KINK}; {SMOOTH}",
            code="kink", subject=measured.label,
        )  # fmt: skip
    return value


class NotSmooth(ModelError):
    """The error of an objective without a derivative at a design."""


def plain_value_error(measured: ObjectiveFunction, value: Any) -> MbsError:
    if value is None or isinstance(value, Mapping | str):
        return ModelError(
            f"{measured.label} gives {shortened(value)}; it must give a number, or an array of numbers",
            code="not-a-number", subject=measured.label, value=value,
        )  # fmt: skip
    what = f"{measured.label} gives {shortened(value)}, which carries no derivatives: it does not depend on the result"
    return ModelError(
        f"{what}; compute it from result['slider.x'] by functions of numpy, without float() or .value",
        code="function-raises", subject=measured.label, value=value,
    )  # fmt: skip
