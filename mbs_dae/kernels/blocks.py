"""Records of arrays passed to compiled code by address, and their workspaces.

numba passes a named tuple by value: seven words for each array in it, at every call. For a solver whose state is fifty
arrays this makes calls slow and, above all, compiling slow. A `Block` is the same named tuple behind one pointer: a
table with, for each field, an address and two lengths (or the number itself). Compiled code reads ``block.field`` like
a field of the tuple, and gets a view of the array; nested blocks are fields too.

The class declares its fields, and who may write them.

    Vector, Matrix, Integers, ...   fixed with the structure of a model
    Design[...]                     fixed with the values of its parameters
    Work[...]                       written in a run

A field declared by its size alone has `zeros` or `ones` as default: `block` makes the array. Lengths that differ
between models have names in the class, and `block` takes their values. A record inside another one that is no block yet
becomes one with it.

The numba type of a block depends only on its class, and is cached. Fields fixed with the structure are shared by all
runs; the others are copied for each run (`images`).

The views own nothing: the caller of compiled code keeps the block alive, like any argument.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from ctypes import addressof, c_char
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from math import prod
from operator import index
from struct import Struct
from typing import Annotated, Any, TypeVar, cast, get_args, get_type_hints

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, lower_getattr_generic, models, register_model

from . import llvm
from .lanes import LANE, checked

Vector = Annotated[np.ndarray, types.Array(types.float64, 1, "C")]
Matrix = Annotated[np.ndarray, types.Array(types.float64, 2, "C")]
Integers = Annotated[np.ndarray, types.Array(types.int64, 1, "C")]
IntegerTable = Annotated[np.ndarray, types.Array(types.int64, 2, "C")]
Indices = Annotated[np.ndarray, types.Array(types.uint32, 1, "C")]
"""The type of an array of indices. Unsigned numbers need no test for counting from the end, and 32 bits halve the
traffic from memory, on which much of an evaluation waits."""
INDEX = np.uint32
AtReals = Annotated[Any, types.CPointer(types.float64)]
AtIndices = Annotated[Any, types.CPointer(types.uint32)]
"""Types of arguments of functions that are called like kernels: the address of an array of unknown length."""

T = TypeVar("T")
WORK, DESIGN = "written in a run", "filled for a design"
Work = Annotated[T, WORK]
Design = Annotated[T, DESIGN]

NUMBERS = {int: types.int64, float: types.float64, bool: types.boolean}
ITEMS = {types.float64: "<f8", types.int64: "<i8", types.uint32: "<u4", types.complex128: "<c16"}
"""The names of the items of arrays in numpy. (For arrays of lanes see `sender`.)"""
WORDS = 3
"""Words of the table per field: address and lengths of an array, address of a block, or a number's bits."""
WORD = 8
"""Bytes of a word."""


from_buffer = c_char.from_buffer

FORMATS = {1: "2q", 2: "3q"}
"""The words of an array, by its dimensions, in the notation of `struct`."""


TAKEN = {"address", "apart", "is_number", "kind", "made", "node", "put", "table_at", "words"}
"""Names of attributes that a block or a workspace has besides its fields."""


class BlockType(types.Type):
    """The type of all blocks of a class of records."""

    def __init__(self, record: Any):
        self.record = record
        hints = get_type_hints(record, include_extras=True)
        if taken := sorted(TAKEN & hints.keys()):
            raise TypeError(f"{record.__name__}: a field cannot be called {taken[0]!r}; choose another name")
        self.members = {name: kind_of(hint) for name, hint in hints.items()}
        self.records = [name for name, kind in self.members.items() if isinstance(kind, BlockType)]
        self.copied = {name for name, hint in hints.items() if {WORK, DESIGN}.intersection(map(str, get_args(hint)))}
        self.made = {name: size for name, size in record._field_defaults.items() if isinstance(size, Size)}
        self.ones = {name for name, size in self.made.items() if size.item}
        self.lengths = tuple(dict.fromkeys(n for s in self.made.values() for n in s.lengths if isinstance(n, str)))
        self.places = lru_cache(maxsize=64)(partial(_places, self))
        self.place = {name: WORDS * k for k, name in enumerate(self.members)}
        self.size = WORDS * len(self.members)
        self.senders = {name: (sender(kind), Struct(_format(kind)).pack_into) for name, kind in self.members.items()}
        super().__init__(f"Block({record.__module__.rpartition('.')[2]}.{record.__name__})")

    def __reduce__(self) -> Any:
        return block_type, (self.record,)


@cache
def block_type(record: Any) -> BlockType:
    return BlockType(record)


def kind_of(hint: Any) -> types.Type:
    """Return the numba type of a field or an argument, from its annotation."""
    told, *more = get_args(hint) or (hint,)
    arrays = [kind for kind in more if isinstance(kind, types.Array | types.CPointer)]
    if arrays:
        return arrays[0]
    if told in NUMBERS:
        return NUMBERS[told]
    if not hasattr(told, "_fields"):
        raise TypeError(f"a field of a record cannot be {told}; annotate it as Vector, Matrix, Integers, ..., a number")
    return block_type(told)


@cache
def layout(kind: types.Type) -> str:
    """Return a type by name; for a record, with the hash of its fields and their types."""
    if not isinstance(kind, BlockType):
        return str(kind)
    fields = "\n".join(f"{name}: {layout(member)}" for name, member in kind.members.items())
    return f"{kind} {hashlib.sha256(fields.encode()).hexdigest()}"


@dataclass(frozen=True)
class Size:
    """The size of an array that `block` makes: its lengths, or their names, and the number that fills it."""

    lengths: tuple[int | str, ...]
    item: float


def zeros(*lengths: int | str) -> Any:
    return Size(lengths, 0.0)


def ones(*lengths: int | str) -> Any:
    return Size(lengths, 1.0)


class Block:
    """The fields of a named tuple, for Python by attribute and for compiled code by address. The table and the arrays
    that `block` makes stand in one array; views of these are made at the first use."""

    table_at = 0
    """The place in the array at which the table begins."""

    def __init__(self, fields: Any, lengths: Mapping[str, int]):
        kind = block_type(fields.__class__)
        if given := [name for name in kind.records if isinstance(getattr(fields, name), tuple)]:
            fields = fields._replace(**{name: block(getattr(fields, name), **lengths) for name in given})
        self.kind = kind
        self.words: Any
        self.made, table, links, size = kind.places(*[lengths[name] for name in kind.lengths])
        self.words = np.zeros(size, dtype=np.int64)
        self.address = address_of(self.words)
        self.words[: table.size] = table
        self.words[links] += self.address
        own = self.__dict__
        for name, value in zip(fields._fields, fields, strict=True):
            if value.__class__ is not Size:
                own[name], (send, put) = value, kind.senders[name]
                try:
                    put(self.words, WORD * kind.place[name], *send(value))
                except (AttributeError, TypeError) as wrong:
                    raise TypeError(f"{name}: {wrong}") from wrong
        for name in kind.ones:
            getattr(self, name)[...] = 1

    def __reduce__(self) -> Any:
        raise TypeError(f"{self.kind} holds addresses and cannot be copied or pickled; keep the numbers in it")

    def __getattr__(self, name: str) -> Any:
        if (place := self.__dict__["made"].get(name)) is None:
            raise AttributeError(f"{self.kind} has no {name!r}")
        at, shape, item = place
        array = self.__dict__[name] = np.ndarray(shape, item, self.words, WORD * at)
        return array

    def put(self, name: str, number: float) -> None:
        """Set a field that is a number, for another design."""
        self.words[self.table_at + self.kind.place[name]] = np.float64(number).view(np.int64)
        self.__dict__[name] = number


def _places(kind: BlockType, *lengths: int) -> tuple[dict[str, tuple[int, tuple[int, ...], str]], Any, Any, int]:
    """Return the place, shape and item of each array made in the words of a block; its table, with bytes from the
    beginning as addresses; the places of these addresses; and the number of words."""
    known, made, size = dict(zip(kind.lengths, lengths, strict=True)), {}, kind.size
    table = np.zeros(kind.size, dtype=np.int64)
    for name, said in kind.made.items():
        shape, at = tuple([known[n] if isinstance(n, str) else n for n in said.lengths]), kind.place[name]
        made[name] = size, shape, ITEMS[cast(Any, kind.members[name]).dtype]
        table[at : at + 1 + len(shape)] = WORD * size, *shape
        size += prod(shape)
    return made, table, np.array([kind.place[name] for name in made], dtype=np.int64), size


def block(fields: T, **lengths: int) -> T:
    """Return a named tuple as a block; to type checkers it still is the named tuple."""
    return cast(T, Block(fields, lengths))


def nothing(record: Any) -> Any:
    """Return an empty block of a class of records, in place of one that is not used."""
    kind = block_type(record)

    def none(member: types.Type) -> Any:
        if isinstance(member, BlockType):
            return nothing(member.record)
        return np.zeros((0,) * member.ndim, dtype=ITEMS[member.dtype]) if isinstance(member, types.Array) else 0

    given = {name: none(member) for name, member in kind.members.items() if name not in kind.made}
    return block(record(**given), **dict.fromkeys(kind.lengths, 0))


def address_of(array: Any) -> int:
    """Return the address of the numbers of a contiguous array, by ctypes for a writable array that is not empty, in a
    quarter of numpy's own time."""
    plain = array.size and array.flags.writeable
    return addressof(from_buffer(array)) if plain else array.__array_interface__["data"][0]


def _format(kind: types.Type) -> str:
    """Return the format, in the notation of `struct`, of the words of a field."""
    return FORMATS[kind.ndim] if isinstance(kind, types.Array) else "d" if kind == types.float64 else "q"


def sender(kind: types.Type) -> Callable[[Any], Sequence[Any]]:
    """Return the function that converts a value of this type to the plain numbers for compiled code; it raises an error
    for a value of another type."""
    if isinstance(kind, types.Array) and kind.dtype == LANE:
        return lambda array: (address_of(checked(array)), len(array))
    if isinstance(kind, types.Array):
        item, ndim = np.dtype(ITEMS[kind.dtype]), kind.ndim

        def send_array(array: Any) -> Sequence[int]:
            own, flags = array.dtype, array.flags
            if (own is not item and own != item) or array.ndim != ndim or not flags.c_contiguous:
                given = f"{array.dtype}, shape {array.shape}"
                raise TypeError(f"not a contiguous array of {item} in {ndim} dimensions: {given}")
            if flags.writeable and array.size:  # as `address_of`, at once
                return addressof(from_buffer(array)), *array.shape
            return address_of(array), *array.shape

        return send_array
    if isinstance(kind, BlockType):

        def send_block(block: Any) -> Sequence[int]:
            if block.kind is not kind:
                raise TypeError(f"a {kind} is wanted")
            return (block.address,)

        return send_block
    return (lambda number: (0.0 + number,)) if kind == types.float64 else lambda number: (index(number),)


# --- declarations for numba --------------------------------------------------------------------------------------


@register_model(BlockType)
class _BlockModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, ir.IntType(64))


def _kind_of_field(_: Any, value: Any, attr: Any) -> Any:
    return value.members.get(attr)


@infer_getattr
class _Attributes(AttributeTemplate):
    key = BlockType
    generic_resolve: Any = _kind_of_field


@lower_getattr_generic(BlockType)
def _read(context: Any, builder: Any, block: Any, address: Any, name: Any) -> Any:
    """Read a field: a number, a nested block, or an array made of the address and lengths in the table."""
    kind = block.members[name]
    table = builder.inttoptr(address, ir.IntType(64).as_pointer())

    def word(number: Any) -> Any:
        """Load a word of the table. A table never changes while compiled code runs; a word need not be loaded again
        after numbers of arrays were written."""
        value = builder.load(builder.gep(table, [ir.Constant(ir.IntType(64), block.place[name] + number)]))
        value.set_metadata("invariant.load", builder.module.add_metadata(()))
        return value

    if isinstance(kind, types.Float):
        return builder.bitcast(word(0), ir.DoubleType())
    if not isinstance(kind, types.Array):
        return word(0)
    data = builder.inttoptr(word(0), context.get_data_type(kind.dtype).as_pointer())
    return llvm.array_of(context, builder, kind, data, [word(1 + k) for k in range(kind.ndim)])
