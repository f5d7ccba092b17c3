"""Straight-line programs, recorded by calculating with symbolic numbers.

The computation for each instance is written once, in plain Python on vectors and matrices of such numbers: an operation
on them becomes a line of the program. Operations with 0 and 1 disappear, common subexpressions are computed once, and
unused values are left out. So formulas for space serve the plane, where many of the numbers are zeros.

Instances follow one after the other. Each has a row of places in `index`; numbers are read from tables and written to
them by such a place and an offset. A place that an instance has written before is never read by the same instance.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from . import cache, llvm, store
from .languages.assembly import Instructions
from .straight import function_of_sines

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
        return self.lines.value(f"-{self.name}", "neg", (self.name,))

    __radd__, __rmul__ = __add__, __mul__


class TablePlace(NamedTuple):
    """A place of a table: entry `times` * place + `add`."""

    table: str
    place: str
    add: int
    times: int

    @property
    def text(self) -> str:
        return f"{self.table}[{self.place if self.times == 1 else f'{self.times} * {self.place}'} + {self.add}]"


class Definition(NamedTuple):
    """The definition of a value."""

    text: str
    """The expression in Python."""
    does: str
    """An operation, a function, or "read"."""
    of: tuple[Any, ...]
    """The names of values and constant numbers, or a place of a table."""


OPERATIONS = {"+": "fadd", "-": "fsub", "*": "fmul", "/": "fdiv"}
READ, SINES = "read", ("sin", "cos")


def _is(value: Any, number: float) -> bool:
    return isinstance(value, int | float) and value == number


class Lines:
    """A program that is being written: its index has places of these names, in this order; its tables follow."""

    def __init__(self, places: Sequence[str], tables: Sequence[str]):
        self.places, self.tables = tuple(places), tuple(tables)
        self._lines: dict[str, Definition] = {}
        """The lines by the names of their values."""
        self._known: dict[str, Number] = {}
        self._stores: list[tuple[TablePlace, str | float]] = []

    def value(self, text: str, does: str, of: tuple[Any, ...]) -> Number:
        if text not in self._known:
            name = f"w{len(self._lines)}"
            self._lines[name] = Definition(text, does, of)
            self._known[text] = Number(self, name)
        return self._known[text]

    def operation(self, sign: str, a: Any, b: Any, commutes: bool = False) -> Number:
        items: list[str | float] = [x.name if isinstance(x, Number) else float(x) for x in (a, b)]
        if commutes:
            items.sort(key=_text)
        return self.value(f" {sign} ".join(map(_text, items)), OPERATIONS[sign], tuple(items))

    def call(self, function: str, a: Any) -> Number:
        return self.value(f"{function}({a.name})", function, (a.name,))

    def read(self, table: str, place: str, add: int = 0, times: int = 1) -> Number:
        at = TablePlace(table, place, add, times)
        return self.value(at.text, READ, at)

    def several(self, count: int, table: str, place: str, add: int = 0, times: int = 1) -> tuple[Number, ...]:
        return tuple(self.read(table, place, add + k, times) for k in range(count))

    def write(self, value: Any, table: str, place: str, add: int = 0, times: int = 1) -> None:
        item = value.name if isinstance(value, Number) else float(value)
        self._stores.append((TablePlace(table, place, add, times), item))

    def write_all(self, values: Sequence[Any], table: str, place: str, add: int = 0, times: int = 1) -> None:
        for k, value in enumerate(values):
            self.write(value, table, place, add + k, times)

    def _in_order(self) -> list[tuple[str, Definition | None, list[TablePlace]]]:
        """Return the needed values, and the places where each is written, immediately after its computation; then the
        constants."""
        needed, asked = set[str](), [item for _, item in self._stores if isinstance(item, str)]
        while asked:
            if (name := asked.pop()) not in needed:
                needed.add(name)
                own = self._lines[name]
                asked += [one for one in own.of if isinstance(one, str)] if own.does != READ else []
        stores: dict[str | float, list[TablePlace]] = {}
        for place, item in self._stores:
            stores.setdefault(item, []).append(place)
        found: list[tuple[Any, Definition | None, list[TablePlace]]]
        found = [(name, line, stores.pop(name, [])) for name, line in self._lines.items() if name in needed]
        return found + [(item, None, places) for item, places in stores.items()]

    def source(self) -> str:
        """Return the program in Python, for readers."""
        width = len(self.places)
        body = [f"{place} = {INDEX}[{width} * instance + {k}]" for k, place in enumerate(self.places)]
        for item, line, places in self._in_order():
            body += [f"{item} = {line.text}"] if line else []
            body += [f"{place.text} = {_text(item)}" for place in places]
        head = f"def kernel({', '.join((COUNT, INDEX, *self.tables))}):\n    for instance in range({COUNT}):\n"
        return head + "".join(f"        {line}\n" for line in body)

    def assembly(self, symbol: str) -> str:
        """Return the program in LLVM's own language."""
        code = Instructions()
        code.loop("instances", f"%{COUNT}", lambda turn: self._write_turn(code, turn))
        code.do("ret void")
        arguments = [f"i64 %{COUNT}", f"i64* %{INDEX}", *(f"double* %{table}" for table in self.tables)]
        body = "\n".join(code.text)
        asks = any(line.does in SINES for line in self._lines.values())
        before = f"declare double @llvm.sqrt.f64(double)\n{function_of_sines() if asks else ''}"
        return f'{before}\ndefine void @"{symbol}"({", ".join(arguments)}) {{\nentry:\n{body}\n}}\n'

    def _write_turn(self, code: Instructions, turn: str) -> None:
        first = code.whole("mul", turn, len(self.places))
        index = code.let(f"getelementptr i64, i64* %{INDEX}, i64 {first}")
        own = {
            place: code.let(f"load i64, i64* {code.let(f'getelementptr i64, i64* {index}, i64 {k}')}")
            for k, place in enumerate(self.places)
        }
        begins: dict[tuple[str, str, int], str] = {}
        pairs: dict[str, str] = {}
        values: dict[Any, str] = {}

        def begin(at: TablePlace) -> str:
            key = at.table, at.place, at.times
            if key not in begins:
                place = own[at.place] if at.times == 1 else code.whole("mul", own[at.place], at.times)
                begins[key] = code.place(f"%{at.table}", place)
            return begins[key]

        def both(angle: str) -> str:
            if angle not in pairs:
                pairs[angle] = code.let(f"call {{double, double}} @sine_and_cosine(double {angle})")
            return pairs[angle]

        def value(item: str | float) -> str:
            return values[item] if isinstance(item, str) else code.known(item)

        def written(line: Definition) -> str:
            if line.does == READ:
                return code.load(begin(TablePlace(*line.of)), line.of[2])
            given = [value(item) for item in line.of]
            if line.does in SINES:
                return code.let(f"extractvalue {{double, double}} {both(given[0])}, {SINES.index(line.does)}")
            if line.does == "neg":
                return code.negative(*given)
            if line.does == "sqrt":
                return code.let(f"call double @llvm.sqrt.f64(double {given[0]})")
            return code.real(line.does, *given)

        for item, line, places in self._in_order():
            if line:
                values[item] = written(line)
            for at in places:
                code.store(value(item), begin(at), at.add)


def _text(item: str | float) -> str:
    return item if isinstance(item, str) else repr(item)


def kernel_of(meaning: str, places: Sequence[str], tables: Sequence[str], write: Callable[[Lines], None]) -> int:
    """Return the address of the kernel that `write` writes, for instances with these places, on these tables."""

    def make(symbol: str) -> store.Stored:
        lines = Lines(places, tables)
        write(lines)
        return store.Stored({"layout": {}, "source": lines.source()}, (), llvm.assembled(lines.assembly(symbol)))

    return cache.kept(meaning, make).address
