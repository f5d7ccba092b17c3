"""Annotations of compiled functions name the types for which the functions are compiled."""

import gc
from collections.abc import Sequence
from inspect import signature
from typing import Any, get_args, get_origin, get_type_hints

import pytest
from numba import types

from mbs_dae.derivatives.runs.repetition import make_stretch
from mbs_dae.kernels.blocks import kind_of
from mbs_dae.kernels.functions import CompiledFunction
from mbs_dae.kernels.lanes import LANE
from mbs_dae.motion.contact.impacts import strike
from mbs_dae.motion.contact.states import choose_states
from mbs_dae.motion.run import go_on

ENTRIES = {"an impact": strike, "contact states": choose_states, "the loop of steps": go_on, "a record": make_stretch}
NUMBERS = {
    int: types.int64,
    float: types.float64,
    bool: types.boolean,
    complex: types.complex128,
    type(None): types.none,
}
WIDER = {types.float64: {types.int64, LANE}, types.complex128: {types.float64}, types.int64: {types.uint64}}
"""Types that a number of the declared type may have in some calls: a lane is as many numbers as the processor has."""


def agrees(hint: Any, kind: types.Type) -> bool:
    if hint is Any or get_origin(hint) is Sequence:
        return True
    if isinstance(kind, types.BaseTuple):
        parts = get_args(hint)
        parts = parts[:1] * len(kind) if parts[1:] == (...,) else parts
        return len(parts) == len(kind) and all(map(agrees, parts, kind))
    declared = NUMBERS.get(hint) or kind_of(hint)
    if isinstance(declared, types.Array) and isinstance(kind, types.Array):
        return declared.ndim == kind.ndim and kind.dtype in {declared.dtype, *WIDER.get(declared.dtype, set())}
    return kind in {declared, *WIDER.get(declared, set())}


@pytest.mark.parametrize("name", ENTRIES)
def test_declared_types_are_those_for_which_functions_are_compiled(name):
    ENTRIES[name].part(ENTRIES[name].arguments)
    functions = [
        one
        for one in gc.get_objects()
        if isinstance(one, CompiledFunction) and one.parts and one.py_func.__module__.startswith("mbs_dae.")
    ]
    assert len(functions) > 20
    for one in functions:
        hints = get_type_hints(one.py_func, include_extras=True)
        for arguments, part in one.parts.items():
            for argument, kind in zip(signature(one.py_func).parameters, arguments, strict=True):
                assert agrees(hints[argument], kind), (one.symbol, argument, kind)
            assert agrees(hints["return"], part.lowered.result), (one.symbol, part.lowered.result)
