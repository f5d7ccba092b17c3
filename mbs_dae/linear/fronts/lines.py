"""Straight-line code in LLVM's own language, written instruction by instruction.

A product that is added may be rounded with the sum, once (`contract`): elimination asks for no order of roundings.
"""

POINTERS = {"i32": "i32*", "double": "double*"}


class Lines:
    """The instructions of one function; values are the names of what instructions give."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self._count = 0

    def let(self, instruction: str) -> str:
        self._count += 1
        self.text.append(f"%v{self._count} = {instruction}")
        return f"%v{self._count}"

    def do(self, instruction: str) -> None:
        self.text.append(instruction)

    def whole(self, operation: str, a: str, b: str | int) -> str:
        return self.let(f"{operation} i64 {a}, {b}")

    def real(self, operation: str, a: str, b: str) -> str:
        """fadd, fsub, fmul, fdiv."""
        return self.let(f"{operation} contract double {a}, {b}")

    def is_true(self, relation: str, a: str, b: str) -> str:
        return self.let(f"fcmp {relation} double {a}, {b}")

    def choose(self, condition: str, a: str, b: str) -> str:
        return self.let(f"select i1 {condition}, double {a}, double {b}")

    def larger(self, a: str, b: str) -> str:
        return self.choose(self.is_true("ogt", a, b), a, b)

    def place(self, array: str, index: str | int, item: str = "double") -> str:
        pointer = POINTERS[item]
        return self.let(f"getelementptr {item}, {pointer} {array}, i64 {index}")

    def load(self, array: str, index: str | int = 0) -> str:
        return self.let(f"load double, double* {self.place(array, index)}")

    def load_index(self, array: str, at: int) -> str:
        index = self.let(f"load i32, i32* {self.place(array, at, 'i32')}")
        return self.let(f"zext i32 {index} to i64")

    def store(self, value: str, array: str, index: str | int = 0) -> None:
        self.do(f"store double {value}, double* {self.place(array, index)}")
