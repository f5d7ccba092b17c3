"""Compiled functions: how they call each other, and how Python calls them.

A function is compiled for the types of its arguments when it is first called with them. Called by another compiled
function it is part of that one, unless it was made to lie `apart`: then it is compiled by itself, once, and is called
through its name (`llvm`). A function that Python calls is compiled by itself in any case. What is compiled is stored
under a name that says what it is (`store`), with the names of what it calls apart, and found there the next time.
"""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import errors
from numba.core.imputils import lower_constant
from numba.core.registry import cpu_target
from numba.extending import models, register_model, typeof_impl

from . import llvm, store, work
from .blocks import Block

REALS, INTEGERS = types.CPointer(types.float64), types.CPointer(types.int64)
RESULTS: dict[str, types.Type] = {str(kind): kind for kind in (types.none, types.int64, types.float64, types.boolean)}
ITEMS = {"float64": types.float64, "int64": types.int64, "uint64": types.uint64}


@dataclass(frozen=True)
class Part:
    """A function for some types of arguments that is part of those that call it; and what it calls itself."""

    lowered: llvm.Lowered
    uses: Uses


@dataclass(frozen=True, eq=False)
class Entry:
    """A function for some types of arguments that lies apart."""

    symbol: str
    arguments: tuple[types.Type, ...]
    result: types.Type
    address: int
    call: Callable[..., Any]


@dataclass
class Uses:
    """What a function calls: parts of it, and the names of what lies apart."""

    parts: dict[int, Part] = field(default_factory=dict)
    apart: set[str] = field(default_factory=set)

    def take(self, part: Part) -> None:
        self.parts |= {id(part): part, **part.uses.parts}
        self.apart |= part.uses.apart


_underway: list[Uses] = [Uses()]
"""The functions that are being compiled now, each because the one before calls it."""


class Function:
    """A function of this package that is compiled for the types of its arguments."""

    def __init__(self, function: Callable, apart: bool):
        self.py_func = self.__wrapped__ = function
        self.__name__, self.__qualname__, self.__doc__ = function.__name__, function.__qualname__, function.__doc__
        self.__module__ = function.__module__
        self.apart = apart
        self.kind = FunctionType(self)
        self.parts: dict[tuple, Part] = {}
        self.entries: dict[tuple, Entry] = {}
        self.typed: set[tuple] = set()
        self._called: dict[tuple, Callable[..., Any]] = {}

    def __repr__(self) -> str:
        return f"<compiled {self.__module__}.{self.__qualname__}>"

    def __call__(self, *values: Any) -> Any:
        key = tuple([_key(value) for value in values])
        call = self._called.get(key)
        if call is None:
            call = self._called[key] = self.entry(tuple([_kind(value) for value in values])).call
        return call(values)

    def entry(self, arguments: tuple[types.Type, ...]) -> Entry:
        if arguments not in self.entries:
            self.entries[arguments] = _entry(self, arguments)
        return self.entries[arguments]

    def part(self, arguments: tuple[types.Type, ...]) -> Part:
        if arguments not in self.parts:
            self.parts[arguments] = _part(self.py_func, arguments)
        return self.parts[arguments]


def _part(function: Callable, arguments: tuple[types.Type, ...], result: types.Type | None = None) -> Part:
    uses = Uses()
    _underway.append(uses)
    try:
        return Part(llvm.lower(function, arguments, result), uses)
    finally:
        _underway.pop()


def _entry(function: Function, arguments: tuple[types.Type, ...]) -> Entry:
    told = hashlib.sha256(", ".join(map(str, arguments)).encode()).hexdigest()[:12]
    symbol = f"{function.__module__}.{function.__qualname__}.{told}"

    def make() -> store.Stored:
        if len(_underway) == 1:
            work.begin(function)
        part = function.part(arguments)
        return _stored(symbol, part, {"result": _told(part.lowered.result)})

    stored = store.fetch(symbol, make)
    result = _result(stored.facts["result"])
    return Entry(symbol, arguments, result, stored.address, _caller(stored.address, arguments, result))


def kernel_code(symbol: str, function: Callable, arguments: tuple[types.Type, ...]) -> store.Stored:
    """The machine code of a function that gives nothing back, for these types of arguments."""
    return _stored(symbol, _part(function, arguments, types.none), {})


def _stored(symbol: str, part: Part, facts: dict[str, Any]) -> store.Stored:
    others = [other.lowered for other in part.uses.parts.values()]
    return store.Stored(facts, tuple(sorted(part.uses.apart)), llvm.object_code(symbol, part.lowered, others))


def _told(result: Any) -> Any:
    """A type of result for a file."""
    if isinstance(result, types.BaseTuple):
        return [_told(one) for one in llvm.items_of(result)]
    if str(result) not in RESULTS:
        raise TypeError(f"a function that lies apart cannot give back {result}; give back numbers")
    return str(result)


def _result(told: Any) -> types.Type:
    return types.Tuple([_result(one) for one in told]) if isinstance(told, list) else RESULTS[told]


# --- called from compiled functions ---------------------------------------------------------------------------------


class FunctionType(types.Callable, types.Opaque):
    """The type of one function, for numba."""

    def __init__(self, function: Function):
        self.function = function
        super().__init__(f"compiled {function.__module__}.{function.__qualname__} {id(function)}")

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        if kws:
            raise errors.TypingError("compiled functions take no arguments by name")
        arguments = tuple(_settled(kind) for kind in args)
        made: Any = (self.function.entry if self.function.apart else self.function.part)(arguments)
        uses = _underway[-1]
        if isinstance(made, Entry):
            uses.apart.add(made.symbol)
            result, generate = made.result, _call_apart(made)
        else:
            uses.take(made)
            result, generate = made.lowered.result, _call_part(made)
        if arguments not in self.function.typed:
            self.function.typed.add(arguments)
            cpu_target.target_context.insert_func_defn([(generate, self.function, arguments)])
        return result(*arguments)

    def get_call_signatures(self) -> Any:
        return (), True

    def get_impl_key(self, sig: Any) -> Any:
        return self.function


register_model(FunctionType)(models.OpaqueModel)


@typeof_impl.register(Function)
def _typeof(function: Function, context: Any) -> types.Type:
    return function.kind


@lower_constant(FunctionType)
def _constant(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    return context.get_dummy_value()


def _settled(kind: Any) -> types.Type:
    """The types that functions are compiled for: arrays are contiguous, and integers are integers."""
    kind = types.unliteral(kind)
    if isinstance(kind, types.Array):
        if kind.layout != "C" or kind.dtype not in ITEMS.values():
            raise errors.TypingError(f"compiled functions take contiguous arrays of {', '.join(ITEMS)}, not {kind}")
        return types.Array(kind.dtype, kind.ndim, "C")
    if isinstance(kind, types.Integer):
        return kind if kind == types.uint64 else types.int64
    if isinstance(kind, types.BaseTuple):
        return types.Tuple([_settled(one) for one in llvm.items_of(kind)])
    return types.float64 if isinstance(kind, types.Float) else kind


def _call_part(part: Part) -> Callable[..., Any]:
    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return context.call_internal(builder, part.lowered.descriptor, signature, values)

    return generate


def _call_apart(entry: Entry) -> Callable[..., Any]:
    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kind = llvm.entry_type(entry.arguments, entry.result)
        target = builder.module.globals.get(entry.symbol) or ir.Function(builder.module, kind, entry.symbol)
        return llvm.call(context, builder, target, entry.arguments, entry.result, values)

    return generate


# --- called from Python ---------------------------------------------------------------------------------------------


def _key(value: Any) -> Any:
    """What tells the type of an argument, quickly."""
    if isinstance(value, np.ndarray):
        return value.dtype, value.ndim
    if isinstance(value, tuple):
        return tuple([_key(one) for one in value])
    return value.kind.record if isinstance(value, Block) else type(value)


def _kind(value: Any) -> types.Type:
    if isinstance(value, Block):
        return value.kind
    if isinstance(value, np.ndarray) and value.dtype.name in ITEMS:
        return types.Array(ITEMS[value.dtype.name], value.ndim, "C")
    if isinstance(value, tuple):
        return types.Tuple([_kind(one) for one in value])
    for kinds, kind in (((bool, np.bool_), types.boolean), ((int, np.integer), types.int64)):
        if isinstance(value, kinds):
            return kind
    if isinstance(value, float):
        return types.float64
    raise TypeError(f"compiled functions take numbers, arrays of them and blocks, not {value!r}")


def _caller(address: int, arguments: tuple[types.Type, ...], result: types.Type) -> Callable[..., Any]:
    """How Python calls the function. Other threads of Python go on meanwhile."""
    whole, real = ctypes.c_int64, ctypes.c_double
    plain = [
        real if item == llvm.REAL else ctypes.c_void_p if item != llvm.WORD else whole
        for item in llvm.entry_type(arguments, result).args
    ]
    kind = None
    if not isinstance(result, types.BaseTuple) and result is not types.none:
        kind = real if result == types.float64 else whole
    call = ctypes.CFUNCTYPE(kind, *plain)(address)
    read = _reader(result)
    sizes = len(plain)

    def plainly(values: tuple) -> Any:
        numbers: list[Any] = []
        for value in values:
            _send(value, numbers)
        if len(numbers) == sizes:
            found = call(*numbers)
            return bool(found) if result == types.boolean else found
        out = np.zeros(read[1], dtype=np.int64)
        call(*numbers, out.ctypes.data)
        return read[0](out)

    return plainly


def _send(value: Any, numbers: list[Any]) -> None:
    if isinstance(value, Block):
        numbers.append(value.address)
    elif isinstance(value, np.ndarray):
        if not value.flags.c_contiguous:
            raise TypeError("compiled functions take contiguous arrays")
        numbers.append(value.__array_interface__["data"][0])
        numbers.extend(value.shape)
    elif isinstance(value, tuple):
        for one in value:
            _send(one, numbers)
    else:
        numbers.append(int(value) if isinstance(value, np.integer) else value)


def _reader(result: types.Type) -> tuple[Callable[[np.ndarray], Any], int]:
    """How the items of a tuple are read, and how many words they take."""
    flat: list[types.Type] = []

    def plan(kind: Any) -> Any:
        if isinstance(kind, types.BaseTuple):
            return tuple(plan(one) for one in llvm.items_of(kind))
        flat.append(kind)
        return len(flat) - 1

    shape = plan(result)

    def item(out: np.ndarray, at: Any) -> Any:
        if isinstance(at, tuple):
            return tuple(item(out, one) for one in at)
        number = out[at : at + 1]
        if flat[at] == types.float64:
            return float(number.view(np.float64)[0])
        return bool(number[0]) if flat[at] == types.boolean else int(number[0])

    return lambda out: item(out, shape), len(flat)
