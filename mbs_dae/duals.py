"""Arrays that carry their derivatives by parameters.

Computations with results work with such an array as well, and the derivatives follow by the chain rule: numpy asks an
array for its own version of a function. Unknown functions are rejected: derivatives are never lost in silence.

A `Dual` has a value of any shape, and its slopes by P parameters, of the shape (P, *shape).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from .tolerances import VALUE_TIE

Partial = Callable[..., Any]
"""The partial derivative of a function by one of its arguments, as a function of all of them."""
PARTIALS: dict[Any, tuple[Partial, ...]] = {
    np.add: (lambda x, y: 1.0, lambda x, y: 1.0),
    np.subtract: (lambda x, y: 1.0, lambda x, y: -1.0),
    np.multiply: (lambda x, y: y, lambda x, y: x),
    np.divide: (lambda x, y: 1.0 / y, lambda x, y: -x / y**2),
    np.power: (
        lambda x, y: np.where(y == 0.0, 0.0, y * x ** np.where(y == 0.0, 0.0, y - 1.0)),
        lambda x, y: np.where((x == 0) & (y > 0), 0.0, x**y * np.log(x)),  # nan where x < 0
    ),
    np.arctan2: (lambda y, x: x / (x**2 + y**2), lambda y, x: -y / (x**2 + y**2)),
    np.hypot: (lambda x, y: x / np.hypot(x, y), lambda x, y: y / np.hypot(x, y)),
    np.maximum: (lambda x, y: np.where(x >= y, 1.0, 0.0), lambda x, y: np.where(x >= y, 0.0, 1.0)),
    np.minimum: (lambda x, y: np.where(x <= y, 1.0, 0.0), lambda x, y: np.where(x <= y, 0.0, 1.0)),
    np.negative: (lambda x: -1.0,),
    np.positive: (lambda x: 1.0,),
    np.square: (lambda x: 2.0 * x,),
    np.sqrt: (lambda x: 0.5 / np.sqrt(x),),
    np.absolute: (np.sign,),
    np.exp: (np.exp,),
    np.log: (lambda x: 1.0 / x,),
    np.sin: (np.cos,),
    np.cos: (lambda x: -np.sin(x),),
    np.tan: (lambda x: 1.0 / np.cos(x) ** 2,),
    np.arcsin: (lambda x: 1.0 / np.sqrt(1.0 - x**2),),
    np.arccos: (lambda x: -1.0 / np.sqrt(1.0 - x**2),),
    np.arctan: (lambda x: 1.0 / (1.0 + x**2),),
    np.degrees: (lambda x: np.degrees(1.0),),
    np.radians: (lambda x: np.radians(1.0),),
}
"""The partial derivatives of functions of numbers."""
KINKS: dict[Any, Callable[..., Any]] = {
    np.absolute: lambda x: x,
    np.maximum: np.subtract,
    np.minimum: np.subtract,
    np.sqrt: lambda x: x,
    np.hypot: lambda x, y: np.absolute(x) + np.absolute(y),
}
"""Functions without a derivative where this expression is zero and does not remain zero: there the slope is nan."""
PLAIN = (np.greater, np.greater_equal, np.less, np.less_equal, np.equal, np.not_equal, np.isfinite, np.isnan, np.sign)
"""Functions that use the values alone."""


@dataclass(frozen=True, eq=False)
class Dual:
    """A value and its slopes by the parameters `by`. Arrays by different parameters do not mix."""

    value: np.ndarray
    slope: np.ndarray
    by: tuple[Any, ...]

    def __post_init__(self) -> None:
        if self.slope.shape != (len(self.by), *self.value.shape):
            raise ValueError(f"slopes of the shape {self.slope.shape} for a value of the shape {self.value.shape}")

    # --- as an array ---

    @property
    def shape(self) -> tuple[int, ...]:
        return self.value.shape

    @property
    def ndim(self) -> int:
        return self.value.ndim

    @property
    def size(self) -> int:
        return self.value.size

    @property
    def T(self) -> Dual:
        return Dual(self.value.T, np.moveaxis(self.slope, 0, -1).T, self.by)

    def __len__(self) -> int:
        return len(self.value)

    def __bool__(self) -> bool:
        raise TypeError("an array with derivatives is neither true nor false; ask for its value")

    def __iter__(self) -> Iterable[Dual]:
        return (self[k] for k in range(len(self)))

    def __getitem__(self, key: Any) -> Dual:
        own = key if isinstance(key, tuple) else (key,)
        return Dual(np.asarray(self.value[own]), _all_at(self.slope, own), self.by)

    def each(self, function: Callable[[np.ndarray], np.ndarray]) -> Dual:
        """Return a linear function of the array, with derivatives."""
        value = np.asarray(function(self.value))
        slope = np.array([function(one) for one in self.slope]).reshape(len(self.by), *value.shape)
        return Dual(value, slope, self.by)

    def times(self, matrix: Any) -> Dual:
        """Return the product of the last axis with a matrix, which may be sparse: one product for all parameters."""
        own, width = self.slope, matrix.shape[1]
        slope = np.asarray(own.reshape(-1, own.shape[-1]) @ matrix).reshape(*own.shape[:-1], width)
        return Dual(np.asarray(self.value @ matrix), slope, self.by)

    def reshape(self, *shape: Any) -> Dual:
        return self.each(lambda x: x.reshape(*shape))

    def sum(self, axis: int | None = None) -> Dual:
        return self.each(lambda x: x.sum(axis=axis))

    def mean(self, axis: int | None = None) -> Dual:
        return self.each(lambda x: x.mean(axis=axis))

    def max(self, axis: int | None = None) -> Dual:
        """Return the maximum with its slope; nan if two entries with different slopes are equally large."""
        return _largest(self, axis)

    def min(self, axis: int | None = None) -> Dual:
        return _largest(self.each(np.negative), axis).each(np.negative)

    def ravel(self) -> Dual:
        return self.each(np.ravel)

    def copy(self) -> Dual:
        return self.each(np.copy)

    def setflags(self, write: bool) -> None:
        self.value.setflags(write=write)
        self.slope.setflags(write=write)

    # --- in calculations ---

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        raise TypeError("an array with derivatives would lose them; take its value")

    def __array_ufunc__(self, function: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if function is np.matmul and method == "__call__" and not options:
            return FUNCTIONS[np.matmul](self.by, *inputs)
        values = [x.value if isinstance(x, Dual) else x for x in inputs]
        if method != "__call__" or options or not (function in PARTIALS or function in PLAIN):
            return NotImplemented
        if function in PLAIN:
            return function(*values)
        value = np.asarray(function(*values))
        total = np.zeros((len(self.by), *value.shape))
        with np.errstate(divide="ignore", invalid="ignore"):
            for x, partial in zip(inputs, PARTIALS[function], strict=True):
                if isinstance(x, Dual):
                    total += partial(*values) * _wide(dual(x, self.by), value.ndim)
        if function in KINKS:
            _give_up_at_kinks(KINKS[function], inputs, values, total)
        return Dual(value, total, self.by)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if (own := FUNCTIONS.get(function)) is None:
            return NotImplemented
        return own(self.by, *args, **kwargs)


def _operator(function: Any, turned: bool = False) -> Callable[[Any, Any], Any]:
    return lambda one, other: function(other, one) if turned else function(one, other)


_BOTH: dict[str, Any] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.divide, "pow": np.power,
    "matmul": np.matmul,
}  # fmt: skip
_COMPARED: dict[str, Any] = {
    "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal, "eq": np.equal, "ne": np.not_equal,
}  # fmt: skip
for _name, _function in (_BOTH | _COMPARED).items():
    setattr(Dual, f"__{_name}__", _operator(_function))
for _name, _function in _BOTH.items():
    setattr(Dual, f"__r{_name}__", _operator(_function, turned=True))
_OF_ITSELF: dict[str, Any] = {"neg": np.negative, "pos": np.positive, "abs": np.absolute}
for _name, _function in _OF_ITSELF.items():
    setattr(Dual, f"__{_name}__", lambda one, function=_function: function(one))


def _all_at(slope: np.ndarray, key: tuple[Any, ...]) -> np.ndarray:
    """Return each of the slopes at a place of the value. The places are taken all at once if numpy leaves the first
    axis in its place: if at most one number or array of places stands among slices."""
    places = [one for one in key if not isinstance(one, slice)]
    if len(places) <= 1 and all(isinstance(one, int | np.ndarray) for one in places):
        return np.array(slope[(slice(None), *key)])
    return np.array([one[key] for one in slope]).reshape(len(slope), *slope[0][key].shape) if len(slope) else slope


def _wide(x: Dual, ndim: int) -> np.ndarray:
    """Return the slopes of x, to be broadcast against values of so many dimensions."""
    return x.slope.reshape(len(x.by), *(1,) * (ndim - x.ndim), *x.shape)


def _give_up_at_kinks(gap: Callable[..., Any], inputs: Sequence[Any], values: Sequence[Any], total: np.ndarray) -> None:
    """Put nan for a slope that does not exist. A value that rests at the kink keeps its slope: 0, or the common one of
    both sides."""
    at = np.asarray(gap(*values)) == 0.0
    if at.any():
        slopes = [_wide(x, at.ndim) if isinstance(x, Dual) else 0.0 for x in inputs]
        moves = np.broadcast_to(gap(*slopes), total.shape)[:, at] != 0.0
        total[:, at] = np.where(moves, np.nan, np.nan_to_num(total[:, at]))


def _largest(x: Dual, axis: int | None) -> Dual:
    """Return the largest entry; its slope, if all equally large entries have the same, else nan. (Entries that rest
    have slopes of the size of roundoff.)"""
    if axis is None:
        x, axis = x.ravel(), 0
    value, slope = np.moveaxis(x.value, axis, -1), np.moveaxis(x.slope, axis % x.ndim + 1, -1)
    at = np.argmax(value, axis=-1)[..., None]
    top = np.take_along_axis(value, at, -1)
    own = np.take_along_axis(slope, np.broadcast_to(at, (len(x.by), *at.shape)), -1)
    tied = value >= top - VALUE_TIE * np.abs(top)
    same = np.abs(slope - own) <= 1e-9 * np.abs(own) + VALUE_TIE * np.abs(top)
    found = np.where((same | ~tied).all(axis=-1), own[..., 0], np.nan)
    return Dual(top[..., 0], found, x.by)


LINEAR = {"axis", "keepdims", "n"}
"""Options with which linear functions stay linear."""


def value_of(x: Any) -> Any:
    """Return the array without its derivatives."""
    return x.value if isinstance(x, Dual) else x


def dual(x: Any, by: tuple[Any, ...]) -> Dual:
    """Return an array as a `Dual`, with zero slopes if it has none."""
    if isinstance(x, Dual):
        if x.by != by:
            raise ValueError("derivatives by different parameters do not mix")
        return x
    value = np.asarray(x, dtype=float)
    return Dual(value, np.zeros((len(by), *value.shape)), by)


def _together(function: Any) -> Callable[..., Dual]:
    """Return the rule for functions that put arrays together, which are linear in all of them."""

    def made(by: tuple[Any, ...], arrays: Sequence[Any], *args: Any, **kwargs: Any) -> Dual:
        parts = [dual(x, by) for x in arrays]
        value = function([x.value for x in parts], *args, **kwargs)
        slope = [function([x.slope[k] for x in parts], *args, **kwargs) for k in range(len(by))]
        return Dual(value, np.array(slope).reshape(len(by), *value.shape), by)

    return made


def _linear(function: Any) -> Callable[..., Dual]:
    """Return the rule for linear functions; options that add something (a first value, a prefix) are not linear, and
    rejected."""

    def made(by: tuple[Any, ...], x: Dual, *args: Any, **options: Any) -> Any:
        if len(args) > 1 or not options.keys() <= LINEAR:
            return NotImplemented
        return x.each(lambda one: function(one, *args, **options))

    return made


def _where(by: tuple[Any, ...], condition: Any, x: Any, y: Any) -> Dual:
    one, other = dual(x, by), dual(y, by)
    condition = value_of(condition)
    value = np.where(condition, one.value, other.value)
    wide = [np.broadcast_to(z.slope.reshape(len(by), *(1,) * (value.ndim - z.ndim), *z.shape), (len(by), *value.shape))
            for z in (one, other)]  # fmt: skip
    return Dual(value, np.where(condition, *wide), by)


def _einsum(by: tuple[Any, ...], rule: str, *arrays: Any) -> Dual:
    """Return a product by the product rule: the derivative of each factor, with the others unchanged."""
    arrays = tuple(dual(x, by) if isinstance(x, Dual) else x for x in arrays)
    values = [value_of(x) for x in arrays]
    value, slope = np.einsum(rule, *values), 0.0
    (*inputs, output) = rule.replace("->", ",").split(",")
    for k, x in enumerate(arrays):
        if isinstance(x, Dual):
            one = ",".join(f"Z{part}" if n == k else part for n, part in enumerate(inputs)) + f"->Z{output}"
            slope = slope + np.einsum(one, *values[:k], x.slope, *values[k + 1 :])
    return Dual(np.asarray(value), np.asarray(slope), by)


def _bilinear(function: Any) -> Callable[..., Dual]:
    """Return the product rule: the derivative of each factor times the other factor."""

    def made(by: tuple[Any, ...], x: Any, y: Any, **options: Any) -> Dual:
        one, other = dual(x, by), dual(y, by)
        value = np.asarray(function(one.value, other.value, **options))
        slope = [function(one.slope[k], other.value, **options) + function(one.value, other.slope[k], **options)
                 for k in range(len(by))]  # fmt: skip
        return Dual(value, np.array(slope).reshape(len(by), *value.shape), by)

    return made


def _over_places(function: Any) -> Callable[..., Any]:
    """Return the rule for functions linear in the values; their places have no derivatives."""

    def made(by: tuple[Any, ...], y: Any, *places: Any, **options: Any) -> Any:
        if not isinstance(y, Dual) or any(isinstance(x, Dual) for x in (*places, *options.values())):
            return NotImplemented
        return y.each(lambda one: function(one, *places, **options))

    return made


def _interp(by: tuple[Any, ...], x: Any, places: Any, y: Any) -> Any:
    return NotImplemented if isinstance(x, Dual) or isinstance(places, Dual) else y.each(partial(np.interp, x, places))


def _norm(by: tuple[Any, ...], x: Any, axis: int | None = None) -> Dual:
    """Return the norm of vectors along an axis, or of all entries."""
    return np.sqrt((x * x).sum(axis=axis))


def _var(by: tuple[Any, ...], x: Any, axis: int | None = None) -> Dual:
    mean: Any = x.each(lambda one: one.mean(axis=axis, keepdims=True))
    return ((x - mean) ** 2).mean(axis=axis)


trapezoid: Any = vars(np).get("trapezoid") or vars(np)["trapz"]  # its name before numpy 2

FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.stack: _together(np.stack),
    np.concatenate: _together(np.concatenate),
    np.sum: _linear(np.sum),
    np.mean: _linear(np.mean),
    np.cumsum: _linear(np.cumsum),
    np.diff: _linear(np.diff),
    np.reshape: _linear(np.reshape),
    np.zeros_like: lambda by, x, **options: np.zeros_like(x.value, **options),
    np.shape: lambda by, x: x.shape,
    np.ndim: lambda by, x: x.ndim,
    np.where: _where,
    np.einsum: _einsum,
    np.hstack: _together(np.hstack),
    np.vstack: _together(np.vstack),
    np.column_stack: _together(np.column_stack),
    np.ravel: _linear(np.ravel),
    np.flip: _linear(np.flip),
    np.transpose: _linear(np.transpose),
    np.max: lambda by, x, axis=None: x.max(axis),
    np.min: lambda by, x, axis=None: x.min(axis),
    np.ptp: lambda by, x, axis=None: x.max(axis) - x.min(axis),
    np.var: _var,
    np.std: lambda by, x, axis=None: np.sqrt(_var(by, x, axis)),
    np.linalg.norm: _norm,
    np.dot: _bilinear(np.dot),
    np.matmul: _bilinear(np.matmul),
    np.cross: _bilinear(np.cross),
    np.outer: _bilinear(np.outer),
    trapezoid: _over_places(trapezoid),
    np.gradient: _over_places(np.gradient),
    np.interp: _interp,
    np.argmax: lambda by, x, axis=None: np.argmax(x.value, axis),
    np.argmin: lambda by, x, axis=None: np.argmin(x.value, axis),
}
"""Functions of whole arrays."""
