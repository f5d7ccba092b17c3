"""The machine code of the fronts of one shape: written when a shape is first met, and kept.

A kernel has three loops over fronts of its shape, of which a call asks for one. The first eliminates; the second takes
a right side in, which stands in `x`; the third gives the solution out. All numbers may be lanes (`kernels.lanes`): then
several matrices of one pattern are eliminated at once.
"""

from functools import cache

from ...kernels import cache as kernels
from ...kernels import llvm, store
from ...tolerances import NIL
from .lines import Lines
from .shape import OF_ROWS, OF_X, ROW, SUM, Place, Shape, X

COUNTS = ("eliminated", "taken_in", "given_out")
WHOLE = (*COUNTS, "first", "x_count")
ARRAYS = (
    "limits", "weight", "soft", "beside", "jacobian", "kept", "share", "square", "distance", "handed", "numbers", "x",
)  # fmt: skip
LIMITS = ("least", "extra", "truncation")
_shapes: dict[int, Shape] = {}
"""By the addresses of their kernels."""


@cache
def kernel_of(shape: Shape, lanes: int = 1) -> int:
    """Its address."""

    def make(symbol: str) -> store.Stored:
        facts = {"layout": None, "source": f"# All is written from this shape (mbs_dae/linear/fronts).\n{shape}\n"}
        return store.Stored(facts, (), llvm.assembled(assembly(symbol, shape, lanes)))

    address = kernels.kept(f"front {shape}" if lanes == 1 else f"front {shape} in {lanes} lanes", make).address
    _shapes[address] = shape
    return address


def in_lanes(address: int) -> int:
    """The address of the kernel for the same shape, in lanes; 0 for none."""
    return kernel_of(_shapes[address], llvm.LANES) if address else 0


def assembly(symbol: str, shape: Shape, lanes: int) -> str:
    """All of it in LLVM's own language."""
    code = Lines(lanes)
    arguments = [f"i64 %{name}" for name in WHOLE] + ["i32* noalias %index"]
    arguments += [f"{code.item}* noalias %{name}" for name in ARRAYS]
    for k, name in enumerate(LIMITS):
        code.do(f"%{name}_at = getelementptr {code.item}, {code.item}* %limits, i64 {k}")
        code.do(f"%{name} = load {code.item}, {code.item}* %{name}_at")
    for count, task in zip(COUNTS, (_eliminate, _take_in, _give_out), strict=True):
        _loop(code, count, shape, task)
    code.do("ret void")
    body = "\n".join(code.text)
    return f'define void @"{symbol}"({", ".join(arguments)}) {{\nentry:\n{body}\n}}\n'


def _loop(code: Lines, count: str, shape: Shape, task) -> None:
    begin, body, end = (f"{count}_{what}" for what in ("begin", "body", "end"))
    code.do(f"br label %{begin}")
    code.do(f"{begin}:")
    some = code.let(f"icmp sgt i64 %{count}, 0")
    code.do(f"br i1 {some}, label %{body}, label %{end}")
    code.do(f"{body}:")
    turn = f"%{count}_turn"
    code.do(f"{turn} = phi i64 [0, %{begin}], [{turn}_next, %{body}]")
    front = turn if count != COUNTS[2] else code.whole("sub", code.whole("sub", f"%{count}", 1), turn)
    index = code.index_place("%index", code.whole("mul", front, shape.indices))
    numbers = code.place("%numbers", code.whole("mul", front, shape.numbers))
    task(code, shape, index, numbers, front)
    code.do(f"{turn}_next = add i64 {turn}, 1")
    more = code.let(f"icmp slt i64 {turn}_next, %{count}")
    code.do(f"br i1 {more}, label %{body}, label %{end}")
    code.do(f"{end}:")


def _eliminate(code: Lines, shape: Shape, index: str, numbers: str, front: str) -> None:
    values = _gathered(code, shape, index)
    at = 0
    for k, column in enumerate(shape.columns):
        reciprocal = _reciprocal(code, shape, index, k, values)
        code.store(reciprocal, numbers, at)
        factors = {}
        for e, i in enumerate(column):
            factors[i] = code.real("fmul", values[i, k, SUM], reciprocal)
            code.store(factors[i], numbers, at + 1 + e)
        for place, i, j in shape.taken(k):
            taken = code.real("fmul", factors[i], values[j, k, SUM])
            _put(code, values, place, taken, "fsub" if place[2] == SUM else "fadd")
        at += 1 + len(column)
    up = code.place("%handed", code.whole("add", "%first", code.whole("mul", front, len(shape.handed_on))))
    for k, place in enumerate(shape.handed_on):
        code.store(values[place], up, k)


def _gathered(code: Lines, shape: Shape, index: str) -> dict[Place, str]:
    """The numbers that stand in the front before its elimination: those of the matrix, and what children hand on."""
    values: dict[Place, str] = {}
    first = len(shape.entries)
    for e, (i, j) in enumerate(shape.entries):
        source = "%beside" if shape.unknowns[i] == shape.unknowns[j] else "%jacobian"
        entry = code.load(source, code.index(index, e))
        values[i, j, SUM] = code.negative(entry) if shape.unknowns[j] == ROW else entry
    for k, sort in enumerate(shape.pivots):
        unknown = code.index(index, first + k)
        if sort == X:
            values[k, k, SUM] = code.real("fadd", code.load("%weight", unknown), code.load("%soft", unknown))
        elif shape.given:
            values[k, k, OF_X] = code.load("%weight", unknown)
    first += len(shape.unknowns)
    for c, handed_on in enumerate(shape.children):
        handed = code.place("%handed", code.index(index, first + c))
        for e, place in enumerate(handed_on):
            _put(code, values, place, code.load(handed, e), "fadd")
    return values


def _put(code: Lines, values: dict[Place, str], place: Place, value: str, sign: str) -> None:
    if place in values:
        values[place] = code.real(sign, values[place], value)
    else:
        values[place] = value if sign == "fadd" else code.negative(value)


def _reciprocal(code: Lines, shape: Shape, index: str, k: int, values: dict[Place, str]) -> str:
    """Of pivot k. With x and m what x and other λ have taken, e = x + m and s the share of a row, its pivot is
    -(e + extra · max(x / s, least)), of which s times is what is divided by. Its square and its distance are told."""
    if shape.pivots[k] == X:
        return code.real("fdiv", code.known(1.0), values[k, k, SUM])
    row = code.whole("sub", code.index(index, len(shape.entries) + k), "%x_count")
    nothing = code.known(0.0)
    x, rows = values.get((k, k, OF_X), nothing), values.get((k, k, OF_ROWS), nothing)
    code.store(x, "%square", row)
    distance = code.real("fadd", x, rows)
    code.store(distance, "%distance", row)
    if (k, k, OF_X) not in values:  # a row of nothing
        return nothing
    share = code.larger(code.load("%share", row), code.known(NIL))
    apart = code.real("fmul", distance, share)
    added = code.real("fmul", "%extra", code.larger(x, code.real("fmul", "%least", share)))
    reciprocal = code.real("fdiv", code.negative(share), code.real("fadd", apart, added))
    long = code.is_true("ogt", x, "%least")
    far = code.is_true("oge", apart, code.real("fmul", "%truncation", x))
    counts = code.either(code.both(long, far), code.is_true("ole", "%truncation", nothing))
    is_kept = code.is_true("one", code.load("%kept", row), nothing)
    return code.choose(code.both(counts, is_kept), reciprocal, nothing)


def _take_in(code: Lines, shape: Shape, index: str, numbers: str, front: str) -> None:
    unknowns, x = _right_side(code, shape, index)
    at = 0
    for k, column in enumerate(shape.columns):
        for e, i in enumerate(column):
            x[i] = code.real("fsub", x[i], code.real("fmul", code.load(numbers, at + 1 + e), x[k]))
        x[k] = code.real("fmul", x[k], code.load(numbers, at))
        at += 1 + len(column)
    for unknown, value in zip(unknowns, x, strict=True):
        code.store(value, "%x", unknown)


def _give_out(code: Lines, shape: Shape, index: str, numbers: str, front: str) -> None:
    unknowns, x = _right_side(code, shape, index)
    at = shape.numbers
    for k in range(len(shape.columns) - 1, -1, -1):
        column = shape.columns[k]
        at -= 1 + len(column)
        for e, i in reversed([*enumerate(column)]):
            x[k] = code.real("fsub", x[k], code.real("fmul", code.load(numbers, at + 1 + e), x[i]))
        code.store(x[k], "%x", unknowns[k])


def _right_side(code: Lines, shape: Shape, index: str) -> tuple[list[str], list[str]]:
    first = len(shape.entries)
    unknowns = [code.index(index, first + k) for k in range(len(shape.unknowns))]
    return unknowns, [code.load("%x", unknown) for unknown in unknowns]
