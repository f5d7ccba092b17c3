"""The machine code of the fronts of one shape, written at the first use of a shape, and cached.

A kernel has three loops over fronts of its shape, of which a call runs one. The first eliminates; the second
substitutes forward the right side in `x`; the third substitutes backward. All numbers may be lanes (`kernels.lanes`):
then several matrices of one pattern are eliminated at once.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cache, partial

from ...kernels import cache as kernels
from ...kernels import llvm, store
from ...kernels.languages.assembly import Instructions
from ...tolerances import ZERO_ROW
from .shape import OF_ROWS, OF_X, ROW, SUM, FrontShape, Place, X

COUNTS = ("eliminated", "forward", "backward")
WHOLE = (*COUNTS, "first", "x_count")
ARRAYS = (
    "limits", "weight", "soft", "beside", "jacobian", "kept", "share", "square", "distance", "handed", "numbers", "x",
    "room",
)  # fmt: skip
"""The arrays that a kernel takes; the last one is for wide fronts."""
LIMITS = ("least", "extra", "truncation")
DIAGONAL = ("%weight", "%soft")
"""The terms of the diagonal of an x."""
_shapes: dict[int, FrontShape] = {}
"""The shapes by the addresses of their kernels."""


@cache
def kernel_of(shape: FrontShape, lanes: int = 1) -> int:
    """Return the address of the kernel for a shape."""

    def make(symbol: str) -> store.Stored:
        facts = {"layout": None, "source": f"# All is written from this shape (mbs_dae/linear/fronts).\n{shape}\n"}
        return store.Stored(facts, (), llvm.assembled(assembly(symbol, shape, lanes)))

    address = kernels.kept(f"front {shape}" if lanes == 1 else f"front {shape} in {lanes} lanes", make).address
    _shapes[address] = shape
    return address


def in_lanes(address: int) -> int:
    """Return the address of the kernel for the same shape, in lanes; 0 for the common kernel of wide fronts."""
    return kernel_of(_shapes[address], llvm.LANES) if address in _shapes else 0


def assembly(symbol: str, shape: FrontShape, lanes: int) -> str:
    """Return the kernel in LLVM's own language."""
    code = Instructions(lanes)
    arguments = [f"i64 %{name}" for name in WHOLE] + ["i32* noalias %index"]
    arguments += [f"{code.item}* noalias %{name}" for name in ARRAYS]
    for k, name in enumerate(LIMITS):
        code.do(f"%{name}_at = getelementptr {code.item}, {code.item}* %limits, i64 {k}")
        code.do(f"%{name} = load {code.item}, {code.item}* %{name}_at")
    for count, task in zip(COUNTS, (_eliminate, _forward_substitute, _back_substitute), strict=True):
        code.loop(count, f"%{count}", partial(_turn, code, count, shape, task))
    code.do("ret void")
    body = "\n".join(code.text)
    return f'define void @"{symbol}"({", ".join(arguments)}) {{\nentry:\n{body}\n}}\n'


def _turn(code: Instructions, count: str, shape: FrontShape, task: Callable[..., None], turn: str) -> None:
    """Write one turn for one front; backward substitution runs from the last front on."""
    front = turn if count != COUNTS[2] else code.whole("sub", code.whole("sub", f"%{count}", 1), turn)
    index = code.index_place("%index", code.whole("mul", front, shape.indices))
    numbers = code.place("%numbers", code.whole("mul", front, shape.numbers))
    task(code, shape, index, numbers, front)


Term = tuple[str, Callable[[], str]]
"""A sign, "fadd" or "fsub", and the function that writes the number. A sum of terms is written at its use: numbers
handed on are loaded, summed up and stored one after the other, and few numbers occupy registers."""


def _eliminate(code: Instructions, shape: FrontShape, index: str, numbers: str, front: str) -> None:
    sums = _terms(code, shape, index)
    at = 0
    for k, column in enumerate(shape.columns):
        values = {place: _sum(code, sums.pop(place)) for place in [*sums] if place[1] == k}
        reciprocal = _reciprocal(code, shape, index, k, values)
        code.store(reciprocal, numbers, at)
        factors = {}
        for e, i in enumerate(column):
            factors[i] = code.real("fmul", values[i, k, SUM], reciprocal)
            code.store(factors[i], numbers, at + 1 + e)
        for place, i, j in shape.updates(k):
            product = partial(code.real, "fmul", factors[i], values[j, k, SUM])
            sums[place].append(("fsub" if place[2] == SUM else "fadd", product))
        at += 1 + len(column)
    up = code.place("%handed", code.whole("add", "%first", code.whole("mul", front, len(shape.handed_on))))
    for k, place in enumerate(shape.handed_on):
        code.store(_sum(code, sums[place]), up, k)


def _terms(code: Instructions, shape: FrontShape, index: str) -> dict[Place, list[Term]]:
    """Return the terms of the front before its elimination: the numbers of the matrix, and those handed on by
    children."""
    sums: dict[Place, list[Term]] = defaultdict(list)
    first = len(shape.entries)
    for e, (i, j) in enumerate(shape.entries):
        source = "%beside" if shape.unknowns[i] == shape.unknowns[j] else "%jacobian"
        sign = "fsub" if shape.unknowns[j] == ROW else "fadd"
        sums[i, j, SUM].append((sign, partial(_at_index, code, source, index, e)))
    for k, sort in enumerate(shape.pivots):
        if sort == X:
            sums[k, k, SUM] += [("fadd", partial(_at_index, code, name, index, first + k)) for name in DIAGONAL]
        elif shape.given:
            sums[k, k, OF_X].append(("fadd", partial(_at_index, code, DIAGONAL[0], index, first + k)))
    first += len(shape.unknowns)
    for c, handed_on in enumerate(shape.children):
        handed = code.place("%handed", code.index(index, first + c))
        for e, place in enumerate(handed_on):
            sums[place].append(("fadd", partial(code.load, handed, e)))
    return sums


def _at_index(code: Instructions, array: str, index: str, at: int) -> str:
    return code.load(array, code.index(index, at))


def _sum(code: Instructions, terms: Sequence[Term]) -> str:
    (sign, write), *rest = terms
    total = write() if sign == "fadd" else code.negative(write())
    for sign, write in rest:
        total = code.real(sign, total, write())
    return total


def _reciprocal(code: Instructions, shape: FrontShape, index: str, k: int, values: dict[Place, str]) -> str:
    """Write the reciprocal of pivot k. With x and m the parts that x and other λ have subtracted, e = x + m, and s the
    share of a row, the pivot of a row is -(e + extra · max(x / s, least)), and the divisor is s times this pivot. The
    squared length and the squared distance of the row are stored."""
    if shape.pivots[k] == X:
        return code.real("fdiv", code.known(1.0), values[k, k, SUM])
    row = code.whole("sub", code.index(index, len(shape.entries) + k), "%x_count")
    nothing = code.known(0.0)
    x, rows = values.get((k, k, OF_X), nothing), values.get((k, k, OF_ROWS), nothing)
    code.store(x, "%square", row)
    distance = code.real("fadd", x, rows)
    code.store(distance, "%distance", row)
    if (k, k, OF_X) not in values:  # a row of zeros
        return nothing
    share = code.larger(code.load("%share", row), code.known(ZERO_ROW))
    scaled = code.real("fmul", distance, share)
    added = code.real("fmul", "%extra", code.larger(x, code.real("fmul", "%least", share)))
    reciprocal = code.real("fdiv", code.negative(share), code.real("fadd", scaled, added))
    long = code.is_true("ogt", x, "%least")
    far = code.is_true("oge", scaled, code.real("fmul", "%truncation", x))
    counts = code.either(code.both(long, far), code.is_true("ole", "%truncation", nothing))
    active = code.is_true("one", code.load("%kept", row), nothing)
    return code.choose(code.both(counts, active), reciprocal, nothing)


def _forward_substitute(code: Instructions, shape: FrontShape, index: str, numbers: str, front: str) -> None:
    unknowns, x = _right_side(code, shape, index)
    at = 0
    for k, column in enumerate(shape.columns):
        for e, i in enumerate(column):
            x[i] = code.real("fsub", x[i], code.real("fmul", code.load(numbers, at + 1 + e), x[k]))
        x[k] = code.real("fmul", x[k], code.load(numbers, at))
        at += 1 + len(column)
    for unknown, value in zip(unknowns, x, strict=True):
        code.store(value, "%x", unknown)


def _back_substitute(code: Instructions, shape: FrontShape, index: str, numbers: str, front: str) -> None:
    unknowns, x = _right_side(code, shape, index)
    at = shape.numbers
    for k in range(len(shape.columns) - 1, -1, -1):
        column = shape.columns[k]
        at -= 1 + len(column)
        for e, i in reversed([*enumerate(column)]):
            x[k] = code.real("fsub", x[k], code.real("fmul", code.load(numbers, at + 1 + e), x[i]))
        code.store(x[k], "%x", unknowns[k])


def _right_side(code: Instructions, shape: FrontShape, index: str) -> tuple[list[str], list[str]]:
    first = len(shape.entries)
    unknowns = [code.index(index, first + k) for k in range(len(shape.unknowns))]
    return unknowns, [code.load("%x", unknown) for unknown in unknowns]
