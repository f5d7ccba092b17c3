"""Compiled functions: how they call each other, and how Python calls them.

A function that lies `apart` declares the types of its arguments in annotations. Such a function is compiled by itself,
once, and called through its name (`llvm`), by other compiled functions and by Python. Any other function is part of its
callers, compiled for the types of each call. A function that lies apart is stored with the names of the functions that
it calls (`store`), and loaded from there the next time.

The code of the functions shows who calls whom. So all functions that lie apart can be compiled ahead, called functions
before their callers, and by several processes in parallel (`work`). It also shows which constants a function reads. The
`version` of a function is a hash of all this: a change elsewhere, or in a comment, leaves its machine code in use.
"""

from __future__ import annotations

import ctypes
import dis
import gc
import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, update_wrapper
from inspect import signature
from types import CodeType, ModuleType
from typing import Any, TypeVar, cast, get_type_hints

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import errors
from numba.core.imputils import lower_constant
from numba.core.registry import cpu_target
from numba.extending import models, register_model, typeof_impl

from . import llvm, store, work
from .blocks import ITEMS, kind_of, layout, sender
from .lanes import LANE

T = TypeVar("T")
RESULTS: dict[str, types.Type] = {str(kind): kind for kind in (types.none, types.int64, types.float64, types.boolean)}


@dataclass
class Part:
    """A function for some types of arguments, and the functions that it calls: parts of it, and names of functions
    apart."""

    lowered: Any = None
    parts: dict[int, llvm.Lowered] = field(default_factory=dict)
    apart: set[str] = field(default_factory=set)

    def take(self, part: Part) -> None:
        self.parts |= {id(part): part.lowered, **part.parts}
        self.apart |= part.apart


@dataclass(frozen=True, eq=False)
class Entry:
    """The machine code of a function that lies apart."""

    result: types.Type
    address: int
    call: Callable[..., Any]


_underway: list[Part] = [Part()]
"""The functions that are being compiled now, each because the one before calls it."""


class CompiledFunction:
    """A function of this package that is compiled."""

    def __init__(self, function: Callable, apart: bool):
        update_wrapper(self, function)
        self.py_func = function
        self.symbol = f"{function.__module__}.{function.__qualname__}"
        self.apart = apart
        self.kind = FunctionType(self)
        self.entry: Entry | None = None
        self.parts: dict[tuple, Part] = {}
        self.typed: set[tuple] = set()
        if apart:
            work.FUNCTIONS.append(self)
            store.versions[self.symbol] = lambda: self.version

    def __repr__(self) -> str:
        return f"<compiled {self.symbol}>"

    def __call__(self, *values: Any) -> Any:
        """Call the function from Python; a function that is part of others runs as plain Python."""
        if not self.apart:
            return self.py_func(*values)
        return (self.entry or self.compile()).call(*values)

    @cached_property
    def arguments(self) -> tuple[types.Type, ...]:
        """The types of the arguments of a function that lies apart, from its annotations."""
        hints = get_type_hints(self.py_func, include_extras=True)
        missing = [name for name in signature(self.py_func).parameters if name not in hints]
        if missing:
            raise TypeError(f"{self.symbol} lies apart: annotate its arguments {', '.join(missing)}")
        return tuple([kind_of(hints[name]) for name in signature(self.py_func).parameters])

    @cached_property
    def _globals(self) -> dict[str, Any]:
        """The values of the global names in the code; Python's own functions are left out."""
        known, code = self.py_func.__globals__, dis.get_instructions(self.py_func)
        names = dict.fromkeys(one.argval for one in code if one.opname == "LOAD_GLOBAL")
        return {name: known[name] for name in names if name in known}

    @property
    def _named(self) -> list[CompiledFunction]:
        """The compiled functions in the code, parts and those that lie apart."""
        return [one for one in self._globals.values() if isinstance(one, CompiledFunction)]

    @cached_property
    def calls(self) -> tuple[CompiledFunction, ...]:
        """The functions apart that the function or its parts call."""
        called = [(one,) if one.apart else one.calls for one in self._named]
        return tuple(dict.fromkeys(one for ones in called for one in ones))

    @cached_property
    def parts_of_it(self) -> frozenset[CompiledFunction]:
        return frozenset([self]).union(*(one.parts_of_it for one in self._named if not one.apart))

    @cached_property
    def size(self) -> int:
        """The work to compile: bytes of Python's own code, its parts included."""
        return sum(len(one.py_func.__code__.co_code) for one in self.parts_of_it)

    @property
    def declared_result(self) -> types.Type:
        """The type of the result of a function that lies apart, from its annotation."""
        result = get_type_hints(self.py_func).get("return")
        return types.none if result is None or result is type(None) else kind_of(result)

    @cached_property
    def interface(self) -> str:
        """All that a caller knows of a function that lies apart: its name, the types of its arguments, its result."""
        return f"{self.symbol}({', '.join(map(layout, self.arguments))}) -> {self.declared_result}"

    @cached_property
    def source(self) -> str:
        """The instructions of this one function, the constants that it reads, and the functions that it calls."""
        function, code, lines = self.py_func, self.py_func.__code__, [self.symbol]
        constants = code.co_consts[1:] if code.co_consts[:1] == (function.__doc__,) else code.co_consts
        has_functions = code.co_freevars or any(isinstance(one, CodeType) for one in constants)
        if has_functions or function.__defaults__ or function.__kwdefaults__:
            raise TypeError(f"{self.symbol} has defaults or functions inside; a compiled function has neither")
        lines += [repr(one) for one in (code.co_code, constants, code.co_names, code.co_varnames)]
        for name, value in self._globals.items():
            if isinstance(value, CompiledFunction):
                lines.append(f"{name} = {value.interface if value.apart else value.symbol}")
            elif isinstance(value, (int, float, tuple)):
                lines.append(f"{name} = {value!r}")
            elif isinstance(value, (ModuleType, type)) or callable(value):  # of numpy, or of the compiler's package
                lines.append(f"{name} = {_package_of(value)}.{getattr(value, '__name__', name)}")
            else:
                kind = type(value).__name__
                raise TypeError(f"{self.symbol} reads {name}, a {kind}; a compiled function reads numbers")
        return "\n".join(lines)

    @cached_property
    def version(self) -> str:
        """The hash of everything on which the machine code of a function that lies apart depends: its own interface,
        its code and that of its parts, and the compiler."""
        parts = sorted(one.source for one in self.parts_of_it)
        return hashlib.sha256("\n".join([store.stamp(store.COMPILER), self.interface, *parts]).encode()).hexdigest()

    def compile(self) -> Entry:
        """Return the machine code, loaded or compiled at the first call, after that of all functions that it calls."""
        if self.entry is None:
            if not store.is_there(self.symbol):
                work.want([self])
            for called in self.calls:
                called.compile()
            stored = store.fetch(self.symbol, self._made, work.compile_one)
            result = RESULTS[stored.facts["result"]]
            self.entry = Entry(result, stored.address, self._caller(stored.address, result))
        return self.entry

    def _made(self) -> store.Stored:
        progress, part = work.begin(), self.part(self.arguments)
        if (result := str(part.lowered.result)) not in RESULTS:
            raise TypeError(f"{self.symbol} lies apart and cannot give back {result}; give back a number")
        if result != str(self.declared_result):  # callers are stored by what is declared
            raise TypeError(f"{self.symbol} returns {result}, and declares {self.declared_result}; declare the former")
        code = llvm.object_code(self.symbol, part.lowered, [*part.parts.values()])
        progress.tell(self)
        return store.Stored({"result": result}, tuple(sorted(part.apart)), code)

    def _caller(self, address: int, result: types.Type) -> Callable[..., Any]:
        """Return the function by which Python calls it. Other threads of Python continue meanwhile."""
        whole, real = ctypes.c_int64, ctypes.c_double
        items = llvm.entry_type(self.arguments, result).args
        plain = [real if item == llvm.REAL else whole if item == llvm.WORD else ctypes.c_void_p for item in items]
        kind = None if result is types.none else real if result == types.float64 else whole
        call, senders = ctypes.CFUNCTYPE(kind, *plain)(address), [sender(kind) for kind in self.arguments]
        is_truth = result == types.boolean

        def caller(*values: Any) -> Any:
            numbers: list[Any] = []
            try:
                for send, value in zip(senders, values, strict=True):
                    numbers += send(value)
            except (TypeError, ValueError, AttributeError) as wrong:
                given = ", ".join(str(getattr(value, "kind", type(value).__name__)) for value in values)
                raise TypeError(f"{self.symbol} is made for {self.arguments}, not for ({given}): {wrong}") from wrong
            found = call(*numbers)
            return bool(found) if is_truth else found

        return caller

    def part(self, arguments: tuple[types.Type, ...]) -> Part:
        if arguments not in self.parts:
            with _compiling() as part:
                part.lowered = llvm.lower(self.py_func, arguments)
            self.parts[arguments] = part
        return self.parts[arguments]


def _package_of(value: Any) -> str:
    """Return the package of something that the compiler itself translates: numpy, Python, or the compiler's package,
    whose versions are those of the compiler."""
    package = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None) or "builtins"
    known = {"builtins", "math", "numpy", "llvmlite", "numba"}
    if package.split(".")[0] not in known and not package.startswith(__name__.rpartition(".")[0]):
        raise TypeError(f"compiled functions cannot use {value!r}: its changes do not enter the version of a function")
    return package


def addresses(functions: Sequence[CompiledFunction | None]) -> np.ndarray:
    """Return the addresses of functions that a record calls, shape (functions,); 0 for None. Processes share the
    work."""
    work.want([one for one in functions if one and not store.is_there(one.symbol)])
    return np.array([one.compile().address if one else 0 for one in functions], dtype=np.int64)


def call_table(record: Callable[..., T], *functions: CompiledFunction) -> T:
    """Return a record of the addresses of functions, each of which stands in the field of its name."""
    names = tuple(one.py_func.__name__ for one in functions)
    if names != cast(Any, record)._fields:
        raise TypeError(f"{record} has the fields {cast(Any, record)._fields}, not {names}")
    return record(*addresses(functions).tolist())


@contextmanager
def _compiling() -> Iterator[Part]:
    """Compile in one thread at a time, without garbage collection, which takes a tenth of the time."""
    with store.one_at_a_time:
        _underway.append(Part())
        collects = gc.isenabled()
        gc.disable()
        try:
            yield _underway[-1]
        finally:
            _underway.pop()
            if collects:
                gc.enable()


# --- calls from compiled functions ---------------------------------------------------------------------------------


class FunctionType(types.Callable, types.Opaque):
    """The numba type of one function."""

    def __init__(self, function: CompiledFunction):
        self.function = function
        super().__init__(f"compiled {function.symbol} {id(function)}")

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        if kws:
            raise errors.TypingError("compiled functions take no arguments by name")
        caller, function = _underway[-1], self.function
        arguments = function.arguments if function.apart else tuple(_settled(kind) for kind in args)
        if len(arguments) != len(args) or not all(map(_fits, map(_settled, args), arguments)):
            raise errors.TypingError(f"{function.symbol} is called with {args}; it is made for {arguments}")
        if function.apart:
            caller.apart.add(function.symbol)
            result, generate = function.compile().result, _call_apart(function)
        else:
            made = function.part(arguments)
            caller.take(made)
            result, generate = made.lowered.result, _call_part(made)
        if arguments not in function.typed:
            function.typed.add(arguments)
            cpu_target.target_context.insert_func_defn([(generate, function, arguments)])
        return result(*arguments)

    def get_call_signatures(self) -> Any:
        return (), True

    def get_impl_key(self, sig: Any) -> Any:
        return self.function


register_model(FunctionType)(models.OpaqueModel)


@typeof_impl.register(CompiledFunction)
def _typeof(function: CompiledFunction, context: Any) -> types.Type:
    return function.kind


@lower_constant(FunctionType)
def _constant(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    return context.get_dummy_value()


def _settled(kind: Any) -> types.Type:
    """Return the type for which a function is compiled: arrays are contiguous, and integers have 64 bits."""
    kind = types.unliteral(kind)
    if isinstance(kind, types.Array):
        if kind.layout != "C" or kind.dtype not in (*ITEMS, LANE):
            raise errors.TypingError(f"compiled functions take contiguous arrays of {[*ITEMS, LANE]}, not {kind}")
        return types.Array(kind.dtype, kind.ndim, "C")
    if isinstance(kind, types.Integer):
        return types.int64 if cast(Any, kind).signed else types.uint64
    if isinstance(kind, types.BaseTuple):
        return types.Tuple([_settled(one) for one in cast(Any, kind)])
    return types.float64 if isinstance(kind, types.Float) else kind


def _fits(given: types.Type, wanted: types.Type) -> bool:
    return given == wanted or (given in (types.int64, types.uint64) and wanted in (types.int64, types.float64))


def _call_part(part: Part) -> Callable[..., Any]:
    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return context.call_internal(builder, part.lowered.descriptor, signature, values)

    return generate


def _call_apart(function: CompiledFunction) -> Callable[..., Any]:
    result = function.compile().result

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kind = llvm.entry_type(function.arguments, result)
        target = builder.module.globals.get(function.symbol) or ir.Function(builder.module, kind, function.symbol)
        return llvm.call(context, builder, target, function.arguments, result, values)

    return generate
