"""Named tuples of arrays handed to compiled code by address.

numba passes a named tuple by value: seven words for each array in it, at every call. For a solver whose state is fifty
arrays that makes calls slow and, above all, compiling slow. A `Block` is the same named tuple behind one pointer: a
table with, for each field, an address and two lengths (or the number itself). Compiled code reads ``block.field`` as
it would read the tuple's, and gets a view of the array; nested blocks are fields too.

The views own nothing: whoever calls compiled code keeps the block alive, as one does with any argument.
"""

from __future__ import annotations

import hashlib
from typing import Any, TypeVar, cast

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_getattr_generic,
    models,
    register_model,
    typeof_impl,
    unbox,
)
from numba.np.arrayobj import populate_array

ITEMS = {np.float64: types.float64, np.int64: types.int64, np.uint64: types.uint64}
"""What arrays may hold. Unsigned numbers are for what is only ever an index: numba then need not ask whether it counts
from the end."""
WORDS = 3
"""Words of the table per field: address and lengths of an array, address of a block, or a number's bits."""


class Block:
    """The fields of a named tuple, for Python by attribute and for compiled code by address."""

    def __init__(self, fields: Any):
        self.fields = fields
        self.table = np.zeros(WORDS * len(fields), dtype=np.int64)
        for k, value in enumerate(fields):
            self.table[WORDS * k : WORDS * (k + 1)] = _words(value)
        self.address = self.table.ctypes.data
        self.kind = BlockType(
            type(fields).__name__, tuple((name, _kind(v)) for name, v in zip(fields._fields, fields, strict=True))
        )

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["fields"], name)


Fields = TypeVar("Fields")


def block(fields: Fields) -> Fields:
    """A named tuple as a block; to type checkers it still is the named tuple."""
    return cast(Fields, Block(fields))


def _words(value: Any) -> list[int]:
    if isinstance(value, Block):
        return [value.address, 0, 0]
    if isinstance(value, np.ndarray):
        if not (value.flags.c_contiguous and value.dtype.type in ITEMS):
            raise TypeError(f"a block holds contiguous arrays of float64, int64 or uint64, not {value.dtype}")
        return [value.ctypes.data, *value.shape, *[0] * (2 - value.ndim)]
    if isinstance(value, float):
        return [int(np.float64(value).view(np.int64)), 0, 0]
    return [int(value), 0, 0]


def _kind(value: Any) -> types.Type:
    if isinstance(value, Block):
        return value.kind
    if isinstance(value, np.ndarray):
        return types.Array(ITEMS[value.dtype.type], value.ndim, "C")
    return types.float64 if isinstance(value, float) else types.int64


class BlockType(types.Type):
    """The type of a block: its name, and the name and type of each field."""

    def __init__(self, name: str, members: tuple[tuple[str, types.Type], ...]):
        self.members = members
        told = hashlib.sha256(repr([(n, str(kind)) for n, kind in members]).encode()).hexdigest()[:12]
        super().__init__(f"Block({name} {told})")

    def place(self, name: str) -> int:
        return [n for n, _ in self.members].index(name)


@register_model(BlockType)
class _BlockModel(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, ir.IntType(64))


@typeof_impl.register(Block)
def _typeof(block, context):
    return block.kind


@unbox(BlockType)
def _unbox(kind, obj, c):
    address = c.pyapi.object_getattr_string(obj, "address")
    value = c.pyapi.long_as_longlong(address)
    c.pyapi.decref(address)
    return NativeValue(value, is_error=c.pyapi.c_api_error())


def _kind_of_field(_, value, attr):
    return dict(value.members).get(attr)


@infer_getattr
class _Attributes(AttributeTemplate):
    key = BlockType
    generic_resolve: Any = _kind_of_field


@lower_getattr_generic(BlockType)
def _read(context, builder, block, address, name):
    """The field: a number, a nested block, or an array made of the address and lengths in the table."""
    kind = dict(block.members)[name]
    table = builder.inttoptr(address, ir.IntType(64).as_pointer())

    def word(number):
        at = ir.Constant(ir.IntType(64), WORDS * block.place(name) + number)
        return builder.load(builder.gep(table, [at]))

    if isinstance(kind, types.Float):
        return builder.bitcast(word(0), ir.DoubleType())
    if not isinstance(kind, types.Array):
        return word(0)
    array = context.make_array(kind)(context, builder)
    size = context.get_constant(types.intp, 8)
    shape = [word(1 + k) for k in range(kind.ndim)]
    strides = [size] if kind.ndim == 1 else [builder.mul(shape[1], size), size]
    data = builder.inttoptr(word(0), context.get_data_type(kind.dtype).as_pointer())
    populate_array(array, data=data, shape=shape, strides=strides, itemsize=size, meminfo=None)
    return array._getvalue()
