"""Loops of straight-line code in LLVM's own language, written instruction by instruction.

The flag `contract` permits to round a product and the sum that follows once; the order of other roundings is fixed.
Nothing but the allocation of registers is left for LLVM to optimise.
"""

from collections.abc import Callable


class Instructions:
    """The instructions of one function; values are the names of the results of instructions. Numbers are doubles, or
    vectors of several doubles."""

    def __init__(self, lanes: int = 1) -> None:
        self.text: list[str] = []
        self.lanes = lanes
        self.item, self.truth = ("double", "i1") if lanes == 1 else (f"<{lanes} x double>", f"<{lanes} x i1>")
        self._count = 0

    def let(self, instruction: str) -> str:
        self._count += 1
        self.text.append(f"%v{self._count} = {instruction}")
        return f"%v{self._count}"

    def do(self, instruction: str) -> None:
        self.text.append(instruction)

    def known(self, number: float) -> str:
        """Return the constant with the same number in all lanes."""
        one = f"{number:.17e}"
        return one if self.lanes == 1 else f"<{', '.join([f'double {one}'] * self.lanes)}>"

    def whole(self, operation: str, a: str, b: str | int) -> str:
        return self.let(f"{operation} i64 {a}, {b}")

    def loop(self, name: str, count: str, body: Callable[[str], None]) -> None:
        """Write a loop over `count` turns, whose body `body` writes for the number of a turn."""
        begin, turns, end = (f"{name}_{what}" for what in ("begin", "body", "end"))
        self.do(f"br label %{begin}")
        self.do(f"{begin}:")
        some = self.let(f"icmp sgt i64 {count}, 0")
        self.do(f"br i1 {some}, label %{turns}, label %{end}")
        self.do(f"{turns}:")
        turn = f"%{name}_turn"
        self.do(f"{turn} = phi i64 [0, %{begin}], [{turn}_next, %{turns}]")
        body(turn)
        self.do(f"{turn}_next = add i64 {turn}, 1")
        more = self.let(f"icmp slt i64 {turn}_next, {count}")
        self.do(f"br i1 {more}, label %{turns}, label %{end}")
        self.do(f"{end}:")

    def real(self, operation: str, a: str, b: str) -> str:
        """Write an operation fadd, fsub, fmul or fdiv and return its result."""
        return self.let(f"{operation} contract {self.item} {a}, {b}")

    def negative(self, a: str) -> str:
        return self.let(f"fneg {self.item} {a}")

    def is_true(self, relation: str, a: str, b: str) -> str:
        return self.let(f"fcmp {relation} {self.item} {a}, {b}")

    def both(self, a: str, b: str) -> str:
        return self.let(f"and {self.truth} {a}, {b}")

    def either(self, a: str, b: str) -> str:
        return self.let(f"or {self.truth} {a}, {b}")

    def choose(self, condition: str, a: str, b: str) -> str:
        return self.let(f"select {self.truth} {condition}, {self.item} {a}, {self.item} {b}")

    def larger(self, a: str, b: str) -> str:
        return self.choose(self.is_true("ogt", a, b), a, b)

    def place(self, array: str, index: str | int) -> str:
        return self.let(f"getelementptr {self.item}, {self.item}* {array}, i64 {index}")

    def load(self, array: str, index: str | int) -> str:
        return self.let(f"load {self.item}, {self.item}* {self.place(array, index)}")

    def store(self, value: str, array: str, index: str | int) -> None:
        self.do(f"store {self.item} {value}, {self.item}* {self.place(array, index)}")

    def index_place(self, array: str, index: str | int) -> str:
        return self.let(f"getelementptr i32, i32* {array}, i64 {index}")

    def index(self, array: str, at: int) -> str:
        place = self.index_place(array, at)
        return self.let(f"zext i32 {self.let(f'load i32, i32* {place}')} to i64")
