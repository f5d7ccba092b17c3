"""Straight-line programs, written by calculating with numbers that write down what is done to them.

What is computed for each instance is said once, in plain Python on vectors and matrices of such numbers: an operation
on them becomes a line of the program. Operations with 0 and 1 become none, what is known already is not computed again,
and what nothing needs is left out. So formulas for space serve the plane, where many of the numbers are zeros.

Instances follow one after the other. Each has a row of places in `index`; numbers are read from tables and written to
them by such a place and what is added to it. Nothing is read from where the same instance has written before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from numba import types

from . import cache

COUNT = "count"
INDEX = "index"


class Number:
    """A value in a program."""

    __slots__ = ("lines", "name")

    def __init__(self, lines: Lines, name: str):
        self.lines, self.name = lines, name

    def __add__(self, other: Any) -> Any:
        return self if _is(other, 0.0) else self.lines.operation("+", self, other, commutes=True)

    def __sub__(self, other: Any) -> Any:
        return self if _is(other, 0.0) else self.lines.operation("-", self, other)

    def __rsub__(self, other: Any) -> Any:
        return -self if _is(other, 0.0) else self.lines.operation("-", other, self)

    def __mul__(self, other: Any) -> Any:
        if _is(other, 0.0):
            return 0.0
        if _is(other, 1.0):
            return self
        return -self if _is(other, -1.0) else self.lines.operation("*", self, other, commutes=True)

    def __truediv__(self, other: Any) -> Any:
        return self.lines.operation("/", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return 0.0 if _is(other, 0.0) else self.lines.operation("/", other, self)

    def __neg__(self) -> Any:
        return self.lines.value(f"-{self.name}", (self.name,))

    __radd__, __rmul__ = __add__, __mul__


def _is(value: Any, number: float) -> bool:
    return isinstance(value, int | float) and value == number


class Lines:
    """A program that is being written: its index has the places of these names, in this order, then come these
    tables."""

    def __init__(self, places: Sequence[str], tables: Sequence[str]):
        self.places, self.tables = tuple(places), tuple(tables)
        self._lines: dict[str, tuple[str, tuple[str, ...]]] = {}
        """The name of each line, what it computes, and the names in it."""
        self._known: dict[str, Number] = {}
        self._stores: list[tuple[str, str]] = []

    def value(self, text: str, needs: Sequence[str] = ()) -> Number:
        if text not in self._known:
            name = f"w{len(self._lines)}"
            self._lines[name] = text, tuple(needs)
            self._known[text] = Number(self, name)
        return self._known[text]

    def operation(self, sign: str, a: Any, b: Any, commutes: bool = False) -> Number:
        names = [x.name if isinstance(x, Number) else repr(float(x)) for x in (a, b)]
        if commutes:
            names.sort()
        return self.value(f" {sign} ".join(names), [x.name for x in (a, b) if isinstance(x, Number)])

    def call(self, function: str, a: Any) -> Number:
        return self.value(f"{function}({a.name})", (a.name,))

    def read(self, table: str, place: str, add: int = 0, times: int = 1) -> Number:
        return self.value(_at(table, place, add, times))

    def several(self, count: int, table: str, place: str, add: int = 0, times: int = 1) -> tuple[Number, ...]:
        return tuple(self.read(table, place, add + k, times) for k in range(count))

    def write(self, value: Any, table: str, place: str, add: int = 0, times: int = 1) -> None:
        text = value.name if isinstance(value, Number) else repr(float(value))
        self._stores.append((_at(table, place, add, times), text))

    def write_all(self, values: Sequence[Any], table: str, place: str, add: int = 0, times: int = 1) -> None:
        for k, value in enumerate(values):
            self.write(value, table, place, add + k, times)

    def source(self) -> str:
        needed, asked = set[str](), [text for _, text in self._stores]
        while asked:
            if (name := asked.pop()) in self._lines and name not in needed:
                needed.add(name)
                asked += self._lines[name][1]
        width = len(self.places)
        body = [f"{place} = {INDEX}[{width} * instance + {k}]" for k, place in enumerate(self.places)]
        stores: dict[str, list[str]] = {}
        for place, text in self._stores:
            stores.setdefault(text, []).append(f"{place} = {text}")
        for name, (text, _) in self._lines.items():  # what is known is written at once, and need not be kept
            body += [f"{name} = {text}", *stores.pop(name, ())] if name in needed else []
        body += [line for own in stores.values() for line in own]
        head = f"def kernel({', '.join((COUNT, INDEX, *self.tables))}):\n    for instance in range({COUNT}):\n"
        return head + "".join(f"        {line}\n" for line in body)


def _at(table: str, place: str, add: int, times: int) -> str:
    return f"{table}[{place if times == 1 else f'{times} * {place}'} + {add}]"


def kernel_of(meaning: str, places: Sequence[str], tables: Sequence[str], write: Callable[[Lines], None]) -> int:
    """The address of the kernel that does what `write` writes, for instances with such places, on such tables."""

    def source() -> tuple[str, dict[str, Any]]:
        lines = Lines(places, tables)
        write(lines)
        return lines.source(), {}

    reals = types.CPointer(types.float64)
    arguments = (types.int64, types.CPointer(types.int64), *[reals] * len(tables))
    return cache.kernel(meaning, source, arguments, True).address
