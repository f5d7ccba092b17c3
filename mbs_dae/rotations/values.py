"""Angles, vectors and matrices as users write them: numbers, arrays over time, or sympy expressions.

A formula is written once, on components: ``lib.cos(angle)`` with ``lib`` either numpy or sympy. `fields` splits the
arguments, `vector` and `matrix` assemble the result.
"""

from collections.abc import Sequence
from reprlib import repr as short
from typing import Any

import numpy as np
import sympy as sp

from ..errors import ModelError, SingularConfigurationError
from ..tolerances import ZERO_DIVISOR

AXES = ("body", "world")


def is_symbolic(value: Any) -> bool:
    """Return whether a value contains a sympy object."""
    if isinstance(value, np.ndarray):
        return value.dtype == object and any(is_symbolic(entry) for entry in value.flat)
    if isinstance(value, list | tuple):
        return any(is_symbolic(entry) for entry in value)
    return isinstance(value, sp.Basic | sp.MatrixBase)


def numbers(what: str, value: Any, *tail: int) -> np.ndarray:
    """Return a new array of finite floats whose last axes have the lengths `tail`; axes of time may stand before
    them."""
    try:
        if np.iscomplexobj(value) or np.asarray(value).dtype.kind in "USbmM" or np.ma.is_masked(value):
            raise TypeError("complex, text, truth, time, or masked")
        array = np.array(value, dtype=float)
    except (TypeError, ValueError) as exc:
        raise ModelError(
            f"{what} must be made of real numbers, not {short(value)}; give numbers here",
            code="not-a-number", argument=what, value=value,
        ) from exc  # fmt: skip
    if tail and array.shape[-len(tail) :] != tail:
        wanted = " x ".join(map(str, tail))
        raise ModelError(
            f"{what}: the shape is {array.shape}, but the last axes must be {wanted}; put time first",
            code="wrong-shape", argument=what, shape=array.shape, wanted=tail,
        )  # fmt: skip
    if not np.isfinite(array).all():
        raise ModelError(
            f"{what} is not finite: {short(value)}; give finite numbers, or remove what is none",
            code="not-finite", argument=what, value=value,
        )  # fmt: skip
    return array


def exact(what: str, value: Any) -> sp.Expr:
    """Return an expression; whole floats become integers, so that an axis (0.0, 0.0, 1.0) leaves no 1.0 in the
    formulas."""
    if not isinstance(value, sp.Expr):
        array = numbers(what, value)
        if array.ndim:
            raise ModelError(
                f"{what} mixes arrays with sympy expressions; put numbers into the expressions first",
                code="arrays-with-expressions", argument=what, value=value,
            )  # fmt: skip
        value = sp.Integer(int(array)) if float(array).is_integer() else sp.Float(float(array))
    if value.has(sp.nan, sp.oo, -sp.oo, sp.zoo, sp.I):
        raise ModelError(
            f"{what} is {value}; give a finite real expression", code="not-finite", argument=what, value=value
        )
    return value


def expressions(what: str, value: Any, length: int) -> list[sp.Expr]:
    if not length:
        return [exact(what, value)]
    flat = value.flat() if isinstance(value, sp.MatrixBase) else value
    if not isinstance(flat, list | tuple | np.ndarray) or len(flat) != length:
        raise ModelError(
            f"{what} must have {length} entries, not {short(value)}; give {length} expressions",
            code="wrong-length", argument=what, value=value, length=length,
        )  # fmt: skip
    return [exact(what, entry) for entry in flat]


def fields(*arguments: tuple[str, Any, int]) -> tuple[Any, list[list[Any]]]:
    """The library to compute with, and the components of each argument (name, value, length; length 0 is a scalar).

    Numbers come as arrays of one common shape: that of time.
    """
    if any(is_symbolic(value) for _, value, _ in arguments):
        return sp, [expressions(*argument) for argument in arguments]
    arrays = zip(aligned(*arguments), arguments, strict=True)
    return np, [[*np.moveaxis(a, -1, 0)] if length else [a] for a, (*_, length) in arrays]


def aligned(*arguments: tuple[str, Any, int]) -> list[np.ndarray]:
    """Return arrays (..., length) of each argument (name, value, length), or (...) of a scalar, with the same axes of
    time."""
    tails = [(length,) if length else () for *_, length in arguments]
    arrays = [numbers(what, value, *tail) for (what, value, _), tail in zip(arguments, tails, strict=True)]
    shapes = [a.shape[: a.ndim - len(tail)] for a, tail in zip(arrays, tails, strict=True)]
    time = common_shape([what for what, *_ in arguments], shapes)
    return [np.broadcast_to(a, (*time, *tail)) for a, tail in zip(arrays, tails, strict=True)]


def common_shape(names: Sequence[str], shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """Return the common shape of time of all arguments."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError as exc:
        given = ", ".join(f"{name} {shape}" for name, shape in zip(names, shapes, strict=True))
        raise ModelError(
            f"the axes of time do not fit each other: {given}; give as many values of each",
            code="shapes-do-not-fit", names=tuple(names), shapes=tuple(shapes),
        ) from exc  # fmt: skip


def vector(lib: Any, entries: Sequence[Any]) -> Any:
    """Return an array (..., n), or a symbolic column."""
    if lib is sp:
        return sp.ImmutableMatrix(entries)
    return np.stack(np.broadcast_arrays(*entries), axis=-1)


def matrix(lib: Any, rows: Sequence[Sequence[Any]]) -> Any:
    """Return an array (..., n, m), or a symbolic matrix."""
    if lib is sp:
        return sp.ImmutableMatrix(rows)
    flat = vector(np, [np.asarray(entry, dtype=float) for row in rows for entry in row])
    return flat.reshape(*flat.shape[:-1], len(rows), len(rows[0]))


def cross(a: Sequence[Any], b: Sequence[Any]) -> tuple[Any, Any, Any]:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    return sum(x * y for x, y in zip(a, b, strict=True))


def measure(lib: Any, what: str, components: Sequence[Any], remedy: str) -> tuple[Any, Any]:
    """Return (s, d) with |x|² = s² d, for a vector that must not be zero. s is the largest entry, so that no square is
    too small or too large; for expressions s is 1, and d is simplified: cos² + sin² disappears."""
    if lib is sp:
        scale, square = sp.Integer(1), sp.simplify(dot(components, components))
        zero = bool(square.is_zero)
    else:
        scale = np.max(np.abs(components), axis=0)
        zero = bool(np.any(scale == 0))
        square = dot(*[[x / np.where(scale == 0, 1.0, scale) for x in components]] * 2)
    if zero:
        raise ModelError(f"{what} is zero; {remedy}", code="zero-vector", argument=what)
    return scale, square


def length_of(lib: Any, what: str, components: Sequence[Any], remedy: str) -> Any:
    """Return the length of a vector that must not be zero."""
    scale, square = measure(lib, what, components, remedy)
    return scale * lib.sqrt(square)


def unit(lib: Any, what: str, components: Sequence[Any]) -> list[Any]:
    """Return an axis scaled to length 1."""
    size = length_of(lib, what, components, "give the direction of the axis")
    return [x / size for x in components]


def in_body_axes(axes: str) -> bool:
    """Return True for body axes, False for world axes; raise an error for other words."""
    if axes not in AXES:
        raise ModelError(
            f"axes={axes!r} is unknown; use 'body' or 'world'",
            code="unknown-choice", argument="axes", value=axes, choices=AXES,
        )  # fmt: skip
    return axes == "body"


def check_divisor(lib: Any, divisor: Any, message: str, **facts: Any) -> None:
    """Raise an error where a formula would divide by zero. The {} in the message stands for the place in the arrays."""
    if lib is sp:
        if divisor.is_zero:
            raise SingularConfigurationError(message.format(""), code="singular-angle", index=(), **facts)
        return
    small = np.abs(divisor) < ZERO_DIVISOR
    if not np.any(small):
        return
    index = tuple(int(k) for k in np.argwhere(small)[0])
    place = f" at index {', '.join(map(str, index))}" if index else ""
    raise SingularConfigurationError(message.format(place), code="singular-angle", index=index, **facts)
