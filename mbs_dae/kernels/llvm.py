"""From a Python function to machine code that calls separate functions by name.

numba turns a function into LLVM's intermediate code, and this module makes an object file of it, with one function to
be called from outside. A called function is either *part of it*: then its intermediate code is put next to it, and both
are optimised together, once; or it lies *apart*: then the object file holds only its name, and the linker puts in an
address when the file is loaded. numba itself supports the first kind only, and optimises all called functions anew for
every caller, at every level; most of the time for a large program is spent so.

The interface has 64-bit integers, doubles, and pointers only: a record is one pointer, an array a pointer and its
lengths. The result is one number, or nothing.
"""

import hashlib
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import llvmlite
import llvmlite.binding as llvm
import numba
from llvmlite import ir
from numba import types
from numba.core import compiler
from numba.core import typed_passes as typed
from numba.core import untyped_passes as untyped
from numba.core.compiler_machinery import PassManager
from numba.core.registry import cpu_target
from numba.np.arrayobj import populate_array

from ..errors import ModelError

LEVELS = {
    "x86-64-v2": ("cx16", "sahf", "popcnt", "sse3", "ssse3", "sse4.1", "sse4.2"),
    "x86-64-v3": ("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave"),
    "x86-64-v4": ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"),
}
"""The levels of x86-64 processors, each with the features that it has beyond those of the level before."""
PROCESSOR = "MBS_DAE_PROCESSOR"
"""The environment variable that names a lower level for which machine code is made, or `native`: this very processor,
with everything that it can do."""
NATIVE = "native"

REAL, WORD, NARROW = ir.DoubleType(), ir.IntType(64), ir.IntType(32)
LANES = 8
"""The number of lanes (`lanes`)."""
VECTOR = ir.VectorType(REAL, LANES)
OPTIONS = dict(nopython=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, error_model="numpy", _nrt=False)
"""Options of numba: no reference counts, so passing arrays is free, and a function that tries to allocate does not
compile."""


PASSES = (
    (untyped.TranslateByteCode, "read bytecode"),
    (untyped.FixupArgs, "arguments"),
    (untyped.IRProcessing, "flow of control"),
    (untyped.RewriteSemanticConstants, "known constants"),
    (untyped.DeadBranchPrune, "branches never taken"),
    (untyped.GenericRewrites, "constant indices"),
    (untyped.ReconstructSSA, "single assignment"),
    (typed.NopythonTypeInference, "types"),
    (typed.NopythonRewrites, "array expressions"),
    (typed.PreLowerStripPhis, "assignments at joins"),
    (typed.IRLegalization, "deletions"),
    (typed.AnnotateTypes, "annotations"),
    (typed.NativeLowering, "intermediate code"),
    (typed.NoPythonBackend, "result"),
)
"""The passes of numba that this package uses: the others inline, unroll, make parallel, or look for Python objects, and
take half of the time."""


class Compiler(compiler.CompilerBase):
    """The compiler of numba with these passes."""

    def define_pipelines(self) -> list[PassManager]:
        manager = PassManager("mbs_dae")
        for one, what in PASSES:
            manager.add_pass(one, what)
        manager.finalize()
        return [manager]


@dataclass(frozen=True, eq=False)
class Lowered:
    """A function in intermediate code: not optimised, and not to be called by itself."""

    descriptor: Any
    arguments: tuple[types.Type, ...]
    result: types.Type
    library: Any


def lower(function: Any, arguments: tuple[types.Type, ...]) -> Lowered:
    """Return a function in intermediate code: numba infers types and writes the code."""
    flags: Any = compiler.Flags()
    cpu_target.options.parse_as_flags(flags, OPTIONS)
    flags.no_compile = True
    made = compiler.compile_extra(
        *(cpu_target.typing_context, cpu_target.target_context, function, arguments, None, flags, {}),
        pipeline_class=Compiler,
    )
    return Lowered(made.fndesc, arguments, types.unliteral(made.signature.return_type), made.library)


def object_code(symbol: str, main: Lowered, others: Sequence[Lowered]) -> bytes:
    """Return the object file that holds `main` under the name `symbol`; `others` are the parts of it that it calls."""
    libraries = [lowered.library for lowered in (main, *others)]
    modules = {id(library): library._final_module for library in libraries}
    for library in libraries:  # code that numba has written in Python itself
        modules |= {id(own): own._get_module_for_linking() for own in library._linking_libraries}
    return emitted(symbol, _entry(cpu_target.target_context, symbol, main), modules.values())


def assembled(text: str) -> bytes:
    """Return the object file of a module in intermediate code that is not optimised further."""
    codegen = cpu_target.target_context.codegen()
    module = llvm.parse_assembly(text)
    module.triple, module.data_layout = llvm.get_process_triple(), codegen._data_layout
    return _target_machine().emit_object(module)


LONG = 20_000
"""The number of instructions of a function above which nothing is optimised: the cost grows faster than their number, a
minute for the slopes of a rolling disk in natural coordinates (two seconds without), and such functions are called for
small motions, not in every step of a run."""


def emitted(symbol: str, intermediate: ir.Module, parts: Iterable[Any] = ()) -> bytes:
    """Return the object file of a function in intermediate code, optimised together with its parts."""
    codegen = cpu_target.target_context.codegen()
    module = llvm.parse_assembly(str(intermediate))
    module.data_layout = codegen._data_layout
    for part in parts:
        module.link_in(part, preserve=True)
    for function in module.functions:
        if not function.is_declaration and function.name != symbol:
            function.linkage = "internal"
    module.verify()
    if _length(intermediate) > LONG:
        return _hasty_machine().emit_object(module)
    _optimise(module)
    if any(function.name == "llvm.trap" for function in module.functions):
        raise TypeError(f"{symbol} can raise an exception, and nothing could catch it; compute without")
    return _target_machine().emit_object(module)


def _length(intermediate: ir.Module) -> int:
    return sum(len(block.instructions) for function in intermediate.functions for block in function.blocks)


def _optimise(module: Any) -> None:
    """Optimise a module like numba: first the cheap passes, then all."""
    for speed_level, vectorizes in ((0, False), (3, True)):
        tuning = llvm.create_pipeline_tuning_options(speed_level=speed_level)
        tuning.loop_vectorization, tuning.slp_vectorization = vectorizes, False
        builder = llvm.create_pass_builder(_target_machine(), tuning)
        manager = builder.getModulePassManager()
        if speed_level == 0:  # loops are rotated early, so that they can be vectorised
            manager.add_loop_rotate_pass()
            manager.add_instruction_combine_pass()
            manager.add_jump_threading_pass()
        manager.run(module, builder)


def _entry(context: Any, symbol: str, main: Lowered) -> ir.Module:
    """Return a module with a function of plain numbers and pointers that calls `main`."""
    module = context.create_module(symbol)
    own_type = context.call_conv.get_function_type(main.result, main.arguments)
    own = ir.Function(module, own_type, main.descriptor.llvm_func_name)
    entry = ir.Function(module, entry_type(main.arguments, main.result), symbol)
    builder = ir.IRBuilder(entry.append_basic_block())
    rest = list(entry.args)
    arguments = [_received(context, builder, kind, rest) for kind in main.arguments]
    status, result = context.call_conv.call_function(builder, own, main.result, main.arguments, arguments)
    with builder.if_then(status.is_error, likely=False):
        builder.call(module.declare_intrinsic("llvm.trap", (), ir.FunctionType(ir.VoidType(), ())), ())
        builder.unreachable()
    if main.result is types.none:
        builder.ret_void()
    else:
        builder.ret(*_sent(context, builder, main.result, result))
    return module


def entry_type(arguments: Sequence[types.Type], result: types.Type) -> ir.FunctionType:
    """Return the type of the function in the interface."""
    received = [item for kind in arguments for item in _plain(kind)]
    return ir.FunctionType(ir.VoidType() if result is types.none else _plain(result)[0], received)


def _plain(kind: Any) -> list[ir.Type]:
    """Return the types of a value in the interface."""
    if isinstance(kind, types.Array):
        return [_item(kind).as_pointer(), *[WORD] * kind.ndim]
    if isinstance(kind, types.CPointer):
        return [_item(kind).as_pointer()]
    return [REAL if kind == types.float64 else WORD]


def _item(kind: Any) -> ir.Type:
    """Return the type of the items of an array or a pointer."""
    if kind.dtype in (types.float64, types.int64):
        return REAL if kind.dtype == types.float64 else WORD
    return NARROW if kind.dtype == types.uint32 else VECTOR


def _received(context: Any, builder: Any, kind: Any, rest: list) -> Any:
    """Return a value in numba's own form, and remove its arguments from `rest`."""
    first = rest.pop(0)
    if kind == types.boolean:
        return builder.icmp_unsigned("!=", first, ir.Constant(WORD, 0))
    if not isinstance(kind, types.Array):
        return first
    return array_of(context, builder, kind, first, [rest.pop(0) for _ in range(kind.ndim)])


def array_of(context: Any, builder: Any, kind: types.Array, data: Any, shape: Sequence[Any]) -> Any:
    """Return a contiguous array in numba's own form, from its address and lengths."""
    array = context.make_array(kind)(context, builder)
    size = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
    strides = [size] if kind.ndim == 1 else [builder.mul(shape[1], size), size]
    populate_array(array, data=data, shape=shape, strides=strides, itemsize=size, meminfo=None)
    return array._getvalue()


def _sent(context: Any, builder: Any, kind: Any, value: Any) -> list[Any]:
    """Return the plain numbers of a value in numba's own form."""
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder, value)
        shape = [builder.extract_value(array.shape, k) for k in range(kind.ndim)]
        return [builder.bitcast(array.data, _item(kind).as_pointer()), *shape]
    if kind == types.boolean:
        return [builder.zext(value, WORD)]
    return [value]


def call(
    context: Any, builder: Any, target: Any, kinds: Sequence[types.Type], result: types.Type, values: Sequence[Any]
) -> Any:
    """Call a function of the interface from intermediate code; return the result in numba's own form."""
    pairs = zip(kinds, values, strict=True)
    numbers = [number for kind, value in pairs for number in _sent(context, builder, kind, value)]
    value = builder.call(target, numbers)
    return context.get_dummy_value() if result is types.none else _received(context, builder, result, [value])


def declared(module: ir.Module, name: str, kind: ir.FunctionType) -> Any:
    """Return the declaration of a function that lies elsewhere, or that LLVM provides."""
    return module.globals.get(name) or ir.Function(module, kind, name)


# --- loading --------------------------------------------------------------------------------------------------


def load(symbol: str, code: bytes) -> int:
    """Load an object file and return the address of `symbol`, which other code may call by its name from now on."""
    engine = _engine()
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    address = engine.get_function_address(symbol)
    if not address:
        raise ValueError(f"no function {symbol} in its object file")
    llvm.add_symbol(symbol, address)
    return address


@cache
def _engine() -> Any:
    cpu_target.target_context.codegen()  # which initialises LLVM, and declares the functions that it may call
    return llvm.create_mcjit_compiler(llvm.parse_assembly(""), _new_target_machine())


@cache
def _target_machine() -> Any:
    return _new_target_machine()


@cache
def _hasty_machine() -> Any:
    return _new_target_machine(opt=0)


def _new_target_machine(**chosen: int) -> Any:
    codegen = cpu_target.target_context.codegen()
    options: dict[str, Any] = {"opt": 3}
    codegen._customize_tm_options(options)
    options["cpu"], options["features"] = processor()
    options |= chosen
    return llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine(**options)


@cache
def processor() -> tuple[str, str]:
    """Return the name and the features of the processor for which machine code is made: of the highest level of x86-64
    that this one reaches, because processors of one level can share code; or of this one."""
    try:
        features = llvm.get_host_cpu_features()
    except RuntimeError:  # LLVM does not know this processor
        features = llvm.FeatureMap()
    reached = list[str]()
    for level, needed in LEVELS.items():
        if llvm.get_process_triple().startswith("x86_64") and all(features.get(name) for name in needed):
            reached.append(level)
        else:
            break
    name = os.environ.get(PROCESSOR) or [NATIVE, *reached][-1]
    if name not in (NATIVE, *reached):
        raise ModelError(
            f"{PROCESSOR} is {name!r}, which this processor cannot run; write one of {', '.join([*reached, NATIVE])}",
            code="unknown-choice", argument=PROCESSOR, value=name, choices=(*reached, NATIVE),
        )  # fmt: skip
    if name in reached:
        return name, ""
    return llvm.get_host_cpu_name(), features.flatten()


@cache
def machine() -> str:
    """Return the hash of everything besides its source on which machine code depends: versions and processor."""
    versions = numba.__version__, llvmlite.__version__, llvm.llvm_version_info
    host = llvm.get_process_triple(), *processor()
    return hashlib.sha256(repr((versions, host)).encode()).hexdigest()
