"""The equations of a system as functions in C, JavaScript and Python: self-contained, in textbook names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from textwrap import wrap
from typing import NamedTuple

import numpy as np
import sympy as sp
from sympy.core.function import AppliedUndef

from ...errors import ModelError
from ...kernels.languages import JAVASCRIPT, PYTHON, C, Language, Written
from ...kernels.languages.javascript import NUMBERS_OF, WITH_DEFAULTS
from ...kernels.languages.names import identifier, quoted
from ...model.parameters import Reaction
from ...symbolic.codegen import FUNCTIONS, source_lines
from ...symbolic.expressions import text
from ...symbolic.markers import t
from .matrices import IN_COLUMNS, Matrices

WHAT = {
    "Phi": "residuals of the position equations: Phi = 0",
    "Phi_q": "their Jacobian by the velocities",
    "nu": "right sides of the velocities: Phi_q v = nu",
    "gamma": "right sides of the accelerations: Phi_q a = gamma",
    "M": "mass matrix",
    "Q": "forces, with all that velocities make of inertia: M a + Phi_q^T lambda = Q",
    "zdot": "rates of the states",
}
PLANE = "m, rad, kg, s. Angles grow counterclockwise"
SPACE = "m, rad, kg, s. e0..e3 is a unit quaternion, scalar first; omega1..omega3 are in body axes"


class MatrixProgram(NamedTuple):
    """A program that computes the entries of a matrix."""

    reads: list[str]
    """Lines that read arrays."""
    lines: list[str]
    """Lines that compute the entries."""
    parameters: list[str]
    """Names of the parameters that the program uses."""
    of_time: bool


@dataclass(frozen=True, eq=False)
class Code:
    """The matrices of equations that are printed as code."""

    eq: Matrices
    names: Sequence[str]

    def __post_init__(self) -> None:
        for name in self.names:
            matrix, others = getattr(self.eq, name), ", ".join(repr(n) for n in self.names if n != name)
            remedy = f"name the matrices to write, e.g. {others or repr('Phi')}"
            if functions := sorted({str(f.func) for f in matrix.atoms(AppliedUndef)}):
                what = f"{name} contains {', '.join(functions)}, a Python force, of which there is no formula"
                raise ModelError(f"{what}; {remedy}", code="no-formula", matrix=name, functions=tuple(functions))
            if reactions := sorted(s.name for s in matrix.free_symbols if isinstance(s, Reaction)):
                what = f"{name} speaks of {', '.join(reactions)}, which follows from all equations together"
                raise ModelError(
                    f"{what}; {remedy}", code="contains-reactions", matrix=name, reactions=tuple(reactions)
                )

    @cached_property
    def own_names(self) -> dict[sp.Symbol, str]:
        """The name of every symbol, equal in all languages."""
        eq, names = self.eq, {t: "t"}
        for symbol in (*eq.q, *eq.v, *eq.turns, *eq.z, *eq.inputs, *eq.parameters):
            names[symbol] = identifier(symbol.name, {*names.values()})
        return names

    @cached_property
    def tables(self) -> tuple[list[float], dict[sp.Symbol, sp.Integer]]:
        """The data of the tables that are read, one after the other, and the index at which each table begins."""
        used = {s for name in self.names for s in getattr(self.eq, name).free_symbols}
        read = [symbol for symbol in self.eq.tables.values() if symbol in used]
        data = [symbol.table.data for symbol in read]
        starts = np.cumsum([0, *map(len, data)])[:-1]
        places = {s: sp.Integer(int(k)) for s, k in zip(read, starts, strict=True)}
        return np.concatenate([*data, []]).tolist(), places

    @property
    def arguments(self) -> list[tuple[str, Sequence[sp.Symbol]]]:
        """The arrays that functions read besides parameters: q and v; turns, states and inputs if there are any."""
        eq = self.eq
        always = [("q", [*eq.q]), ("v", [*eq.v])]
        others = {"turns": eq.turns, "z": eq.z, "inputs": eq.inputs}
        return always + [(name, [*column]) for name, column in others.items() if len(column)]

    def program(self, name: str) -> MatrixProgram:
        """Return the assignments of a matrix."""
        matrix, named = getattr(self.eq, name), {s: sp.Symbol(n, real=True) for s, n in self.own_names.items()}
        entries = sorted(matrix.todok().items())
        named |= self.tables[1]
        places = [f"out[{row * matrix.cols + column}]" for (row, column), _ in entries]
        lines, used = source_lines((), [e.xreplace(named) for _, e in entries], places, parts=False)
        reads = [
            f"{self.own_names[s]} = {array}[{k}]"
            for array, symbols in self.arguments
            for k, s in enumerate(symbols)
            if named[s] in used
        ]
        return MatrixProgram(
            reads, lines, [self.own_names[s] for s in self.eq.parameters if named[s] in used], named[t] in used
        )

    def called(self, name: str) -> str:
        return "_".join([name, *(identifier(s.name) for s in self.eq.by)])

    @property
    def example(self) -> str:
        """The name of the function in the example of use."""
        return self.called(self.names[0])

    def what(self, name: str) -> str:
        return WHAT[name] + "".join(f"; differentiated by {identifier(s.name)}" for s in self.eq.by)

    def shape(self, name: str) -> str:
        rows, columns = getattr(self.eq, name).shape
        return f"{rows} x {columns}, row by row" if name in IN_COLUMNS else f"{rows}"

    def header(self) -> Iterator[str]:
        """Yield the lines of the header, which are the same in all languages."""
        eq = self.eq
        yield "The equations of a mechanism, derived from its joints and forces, and written, by mbs_dae."
        yield ""
        yield f"Model: {eq.name}"
        yield "    Phi(q, t) = 0,   Phi_q v = nu,   Phi_q a = gamma,   M a + Phi_q^T lambda = Q"
        for array, symbols in self.arguments:
            yield from _listed(f"{array} = ", [self.own_names[s] for s in symbols])
        arguments = (*eq.z, *eq.inputs, *eq.parameters)
        if renamed := [f"{self.own_names[s]} for {s.name}" for s in arguments if self.own_names[s] != s.name]:
            yield "Names of the model that a language keeps for itself or cannot write are replaced:"
            yield from _listed("    ", renamed)
        yield f"Units: {SPACE if eq.turns else PLANE}."
        if eq.turns:
            yield "turns: how far each body has turned about its own axes, added up; zeros count from no whole turns."
        yield "Coordinates are those of the frames of the bodies, by number:"
        yield from (f"    {number}: {name}" for number, name in eq.bodies.items())
        yield "Rows of Phi_q, nu and gamma, from 0; those with * are rows of Phi, too:"
        for k, (element, number) in enumerate(eq.rows):
            yield f"    {k}{'*' * (k in eq.position_rows)}: {element}, its equation {number}"
        if eq.laws:
            yield "The caller gives the inputs. Their laws in the model, which no function here evaluates, and units:"
        for s, law in eq.readable_laws.items():
            called = f" ({s.name})" * (self.own_names[s] != s.name)
            yield f"    {self.own_names[s]} = {text(law)} {eq.units.get(s, '')}{called}".rstrip()
        if eq.parameters:
            yield "Parameters, their values in the model, and units:"
        for s, value in eq.parameters.items():
            called = f" ({s.name})" * (self.own_names[s] != s.name)
            yield f"    {self.own_names[s]} = {value!r} {eq.units.get(s, '')}{called}".rstrip()
        yield "Functions, and how many numbers each gives:"
        yield from (f"    {self.called(name)}: {self.shape(name)}; {self.what(name)}" for name in self.names)


def _listed(head: str, names: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a long list, nine names in each."""
    for k in range(0, len(names), 9):
        start = head if k == 0 else " " * len(head)
        yield start + ", ".join(names[k : k + 9]) + ("," if k + 9 < len(names) else "")


def code(eq: Matrices, language: str, names: Sequence[str]) -> str:
    code = Code(eq, names)
    return {C.name: in_c, JAVASCRIPT.name: in_javascript, PYTHON.name: in_python}[language](code)


def _programs(code: Code, language: Language) -> tuple[Written, dict[str, MatrixProgram]]:
    """Return the programs of all matrices in a language."""
    written, programs = Written(language), {}
    for name in code.names:
        program = code.program(name)
        programs[name] = program._replace(reads=written.lines(program.reads), lines=written.lines(program.lines))
    return written, programs


def _indented(lines: Iterable[str], by: str) -> list[str]:
    return [f"{by}{line}" if line else line for line in lines]


def in_c(code: Code) -> str:
    """Return C functions void NAME_Phi(double t, const double q[], ..., const NAME_parameters *p, double out[])."""
    eq, title = code.eq, identifier(code.eq.name)
    written, programs = _programs(code, C)
    parameters = ", ".join(f"const double {array}[]" for array, _ in code.arguments)
    parameters = f"double t, {parameters}" + f", const {title}_parameters *p" * bool(eq.parameters)
    out = ["", "#include <math.h>", ""]
    if eq.parameters:
        fields = [f"double {code.own_names[s]};" for s in eq.parameters]
        values = ", ".join(map(repr, eq.parameters.values()))
        out += ["typedef struct {", *_indented(fields, "    "), f"}} {title}_parameters;", ""]
        out += _wrapped(f"const {title}_parameters {title}_defaults = {{", values, "};")
    out += _tables(code, "static const double tables[] = {", "};")
    out += written.preamble()
    for name, program in programs.items():
        size = len(getattr(eq, name))
        constants = [f"const double {one} = p->{one};" for one in program.parameters]
        unread = [array for array, _ in code.arguments if not any(f"= {array}[" in line for line in program.reads)]
        unread += ["t"] * (not program.of_time) + ["p"] * (bool(eq.parameters) and not program.parameters)
        unread += ["out"] * (not size)
        zeros = [f"for (int k = 0; k < {size}; k++) out[k] = 0.0;"] * (size > 0)
        ignored = [" ".join(f"(void){one};" for one in unread)] * bool(unread)
        out += [
            "",
            C.comment([f"{code.what(name)}; {code.shape(name)}"]),
            f"void {title}_{code.called(name)}({parameters}, double out[])",
            "{",
        ]
        out += [*_indented([*ignored, *program.reads, *constants, *zeros, *program.lines], "    "), "}"]
    arrays = ", ".join(array for array, _ in code.arguments)
    p = f", &{title}_defaults" * bool(eq.parameters)
    use = [
        "C99 and its mathematical library (-lm). Include this file, or compile it and declare what is called:",
        f"    {title}_{code.example}(t, {arrays}{p}, out);",
    ]
    return C.comment([*code.header(), "", *use]) + "\n".join(out) + "\n"


def in_javascript(code: Code) -> str:
    """Return a JavaScript module; Phi(t, q, v, {p, turns, z, inputs}) and the others return a Float64Array."""
    eq = code.eq
    written, programs = _programs(code, JAVASCRIPT)
    values = [[code.own_names[s], value] for s, value in eq.parameters.items()]
    arguments = ", ".join(["p: {name: value}", *(array for array, _ in code.arguments[2:])])
    use = f"An ES module. {code.example}(t, q, v, {{{arguments}}}) gives numbers."
    out = [JAVASCRIPT.comment([*code.header(), "", use, _listed_arrays(code)]), ""]
    out += _wrapped("export const parameters = Object.freeze(Object.fromEntries([", quoted(values)[1:-1], "]));")
    facts = {array: [code.own_names[s] for s in symbols] for array, symbols in code.arguments}
    facts["bodies"] = [*eq.bodies.values()]
    out += [f"export const names = {quoted(facts | {'title': eq.name})};"]
    out += _tables(code, "const tables = Float64Array.from([", "]);")
    out += [*written.preamble(), WITH_DEFAULTS.strip(), NUMBERS_OF.strip()]
    checked = [f'{array} = numbersOf("{array}", {array});' for array, _ in code.arguments]
    others = ", ".join(["p: given = {}", *(array for array, _ in code.arguments[2:])])
    for name, program in programs.items():
        constants = [f"const {one} = p.{one};" for one in program.parameters]
        out += ["", f"// {code.what(name)}; {code.shape(name)}"]
        out += [f"export function {code.called(name)}(t, q, v, {{{others}}} = {{}}) {{"]
        array = f"const out = new Float64Array({len(getattr(eq, name))});"
        lines = ["const p = withDefaults(given);", *checked, *program.reads, *constants, array]
        lines += [*program.lines, "return out;"]
        out += [*_indented(lines, "  "), "}"]
    return "\n".join(out) + "\n"


def in_python(code: Code) -> str:
    """Return a Python module; Phi(t, q, v, turns, z, inputs, parameters=None) and the others return arrays, where
    turns, z and inputs are arguments if the equations have any."""
    eq = code.eq
    written, programs = _programs(code, PYTHON)
    arrays = ", ".join(array for array, _ in code.arguments)
    use = f"{code.example}(t, {arrays}, parameters={{name: value}}) gives an array."
    out = [PYTHON.comment([*code.header(), "", use, _listed_arrays(code)]), ""]
    called = [one if (other := PYTHON.functions[one]) == one else f"{one} as {other}" for one in FUNCTIONS]
    out += [*_wrapped("from math import (", ", ".join(called), ")"), "", "import numpy as np", ""]
    values = ", ".join(f'"{code.own_names[s]}": {value!r}' for s, value in eq.parameters.items())
    out += _wrapped("PARAMETERS = {", values, "}")
    names = [f'"{array}": {quoted([code.own_names[s] for s in symbols])}' for array, symbols in code.arguments]
    out += _wrapped("NAMES = {", ", ".join(names), "}")
    out += _tables(code, "tables = [", "]")
    out += [*written.preamble(), READERS_IN_PYTHON.strip()]
    checked = ", ".join(f'numbers("{array}", {array})' for array, _ in code.arguments)
    others = "".join(f", {array}" for array, _ in code.arguments[2:])
    for name, program in programs.items():
        matrix = getattr(eq, name)
        constants = [f'{one} = p["{one}"]' for one in program.parameters]
        reshaped = f".reshape({matrix.rows}, {matrix.cols})" * (name in IN_COLUMNS)
        out += [
            "",
            "",
            f"def {code.called(name)}(t, q, v{others}, parameters=None):",
            f'    """{code.what(name)}; {code.shape(name)}."""',
        ]
        inside = ["p = with_defaults(parameters)", f"{arrays} = {checked}", *program.reads, *constants]
        out += _indented(inside, "    ")
        out += [
            f"    out = [0.0] * {len(matrix)}",
            *_indented(program.lines, "    "),
            f"    return np.array(out){reshaped}",
        ]
    return "\n".join(out) + "\n"


def _listed_arrays(code: Code) -> str:
    arrays = ", ".join(array for array, _ in code.arguments)
    return f"Each of {arrays} is a list in the order above, or holds numbers by name."


READERS_IN_PYTHON = """
def with_defaults(given):
    given = {} if given is None else given
    if not isinstance(given, dict):
        raise TypeError(f"parameters are a dictionary of numbers by name, not {given!r}")
    if unknown := [name for name in given if name not in PARAMETERS]:
        raise KeyError(f"there is no parameter {unknown[0]!r}; there are {', '.join(PARAMETERS) or 'none'}")
    return PARAMETERS | given


def numbers(array, given):
    names = NAMES[array]
    if isinstance(given, dict):
        if wrong := [name for name in given if name not in names] or [name for name in names if name not in given]:
            fault = "is missing" if wrong[0] in names else "is none of them"
            raise KeyError(f"{array}: {wrong[0]!r} {fault}; give {', '.join(names)}")
        return [given[name] for name in names]
    if not hasattr(given, "__len__") or len(given) != len(names):
        raise ValueError(f"{array} must be {len(names)} numbers, {', '.join(names)}, not {given!r}")
    return given
"""
"""Functions of a generated Python module that read parameters, coordinates and inputs by name."""


def _tables(code: Code, head: str, end: str) -> list[str]:
    data, _ = code.tables
    return _wrapped(head, ", ".join(map(repr, data)), end) if data else []


def _wrapped(head: str, body: str, end: str) -> list[str]:
    if len(head) + len(body) + len(end) <= 110:
        return [head + body + end]
    return [head, *(f"    {part}" for part in wrap(body, 106, break_long_words=False, break_on_hyphens=False)), end]
