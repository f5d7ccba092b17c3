"""The equations of kinematics as a JavaScript module, for pages that solve them without Python.

The script has the kernels of the core, one function for each type, and the same tables of the places of coordinates,
constants and outputs of each instance (`batch`, `program`). So a script grows with the number of types of joints, and
by some numbers for each joint.
"""

from __future__ import annotations

import ast
from collections.abc import Container, Iterable, Iterator, Sequence
from textwrap import wrap
from typing import Any

import numpy as np
import sympy as sp

from ...coordinates import Computed, body_coordinates
from ...errors import ModelError
from ...kernels.cache import Kernel
from ...kernels.languages import JAVASCRIPT, Written
from ...kernels.languages.javascript import WITH_DEFAULTS
from ...kernels.languages.names import identifier, quoted
from ...model.drivers import Prescribed
from ...model.model import Model
from ...symbolic.codegen import kernel_module, source_lines
from ...symbolic.functions import as_sympy
from ..batch import BatchBuilder, Instance
from ..program import ProgramBuilder
from ..system import System
from .runtime import KINEMATICS, READINGS

OF = "_at"  # no parameter is called so: their names begin with letters


def kinematics_script(model: Model) -> str:
    """Return an ES module with all functions of kinematics, computed like in the core:

        names                      bodies, coordinates, parameters, joints, drivers, rows, and their places
        parameters                 their values, by name: an object p like this one may be given instead
        placement                  q of the reference placement
        Phi(q, t, p), Phi_q(q, t, p), nu(q, t, p), gamma(q, v, t, p)
                                   Float64Arrays, Phi_q row by row by the velocities v
        evaluate(q, v, t, p)       all four at once: {Phi, Phi_q, nu, gamma}
        qdot(q, v)                 q̇ = N(q) v
        moved(q, step)             the pose after a small motion, given like a velocity
        normalised(q)              with unit quaternions

    q has names.q_size numbers: the coordinates of the bodies and of the ground, then in space the turns of each body
    about its own axes, added up; v has names.nv. Rows that restrict velocities only are 0 in Phi. Contacts and forces
    are not included.
    """
    system: System = model.compile()
    structure = system.structure
    program, batch = _sources_of(structure.program)
    if read := sorted({str(s) for one in batch.instances for s in one.signals}):
        what = f"the joints of {model.name!r} read {', '.join(read)}, which has equations of its own"
        raise ModelError(
            f"{what}; leave out these joints, or write numbers for it",
            code="no-script", model=model.name, read=tuple(read),
        )  # fmt: skip
    written = Written(JAVASCRIPT)
    kernels = [line for k, group in enumerate(batch.groups) for line in _kernel(written, k, group.kernel.layout)]
    own_names = _parameters(model)
    used = {s for _, value in batch.asked for s in value.free_symbols}
    out = [JAVASCRIPT.comment(_header(model)), f"export const names = {quoted(_names(system, own_names, used))};"]
    values = [[name, p.value] for name, p in zip(own_names.values(), model.parameters.values(), strict=True)]
    out += ["export const parameters = Object.freeze(Object.fromEntries(", f"{quoted(values)}));"]
    size = structure.layout.q_size - len(structure.layout.signals)
    out += _array("placement", system.placement[:size], "export const")
    out += [*_tables(program, batch), *_slots(written, batch, own_names), *kernels, *_groups(batch)]
    return "\n".join([*out[:1], *written.preamble(), *out[1:], WITH_DEFAULTS.strip(), KINEMATICS.strip(), ""])


def readings_script(name: str, system: System, builder: ProgramBuilder) -> str:
    """Return a function (q, v, a, t, p) => {values, rates, accelerations} of the rows of a program, to stand after the
    module of `kinematics_script`, whose names and parameters it uses."""
    program, batch = _sources_of(builder)
    written = Written(JAVASCRIPT)
    kernels = [line for k, group in enumerate(batch.groups) for line in _kernel(written, k, group.kernel.layout)]
    body = [*_tables(program, batch), *_slots(written, batch, _parameters(system.model)), *kernels, *_groups(batch)]
    inside = [line for part in written.preamble() for line in part.splitlines()]
    out = [f"const {name} = ((all, parameters) => {{", *inside]
    rows = program.layout["rows"]
    out += [f"const names = {{...all, rows: {{length: {rows}}}}};", *body]
    return "\n".join([*out, KINEMATICS.replace("export ", "").strip(), READINGS.strip(), "})(names, parameters);"])


def _sources_of(builder: ProgramBuilder) -> tuple[ProgramBuilder, _Sources]:
    """Return a compiled program and its batch, with the sources of kernels instead of their addresses."""
    own = builder.batch
    batch = _Sources(own.instances, own.coordinates, own.layout)
    return ProgramBuilder(batch, builder.columns), batch


class _Sources(BatchBuilder):
    """A batch of kernels without held branches, as sources before compilation."""

    def _kernel(self, instance: Instance) -> Kernel:
        source, layout = kernel_module(instance.compose(), instance.meaning.split(" ")[0], free=True)
        return Kernel(0, layout | {"source": source})

    def maps(self, name: str) -> np.ndarray:
        """Return an array of its `Batch`, by name."""
        return self._layout[name]

    @property
    def constants(self) -> np.ndarray:
        return self._constants[:-1]

    @property
    def asked(self) -> list[tuple[int, sp.Expr]]:
        """The slots that depend on parameters, with their expressions."""
        if any(isinstance(value, Computed) for _, value in self._asked):
            raise TypeError("Cartesian coordinates have no numbers that a function computes")
        return [(k, as_sympy(value)) for k, value in self._asked]


def _header(model: Model) -> Iterator[str]:
    yield "The kinematics of a mechanism, derived from its joints and drivers, and written, by mbs_dae."
    yield f"Model: {model.name}"


def _parameters(model: Model) -> dict[sp.Symbol, str]:
    found: dict[sp.Symbol, str] = {}
    for p in model.parameters.values():
        found[p.symbol] = identifier(p.symbol.name, {*found.values()})
    return found


def _names(system: System, own_names: dict[sp.Symbol, str], used: Container[Any]) -> dict[str, Any]:
    model, layout = system.model, system.layout
    bodies, of_body = [*model.bodies.values(), model.ground], body_coordinates(model.dimension)
    parameters = [
        {
            "name": own_names[p.symbol],
            "said": p.symbol.name,
            "value": p.value,
            "unit": p.unit,
            "moves": p.symbol in used,
        }  # fmt: skip
        for p in model.parameters.values()
    ]

    def told(element: Any) -> dict[str, Any]:
        rows = system.rows_of(element.name).tolist()
        on = [bodies.index(m.body) for m in element.markers]
        return {"name": element.name, "kind": element.kind, "bodies": on, "rows": rows}

    drivers = [told(e) for e in model.conditions if isinstance(e, Prescribed)]
    joints = [told(e) for e in model.conditions if not isinstance(e, Prescribed)]
    return {
        "title": model.name,
        "dimension": model.dimension,
        "bodies": [{"name": b.name, "q": layout.q[b], "v": layout.v[b]} for b in bodies],
        "coordinates": [*system.coordinate_names],
        "velocities": [f"{b.name}.{n}" for b in model.bodies.values() for n in of_body.v_names],
        "parameters": parameters,
        "joints": joints,
        "drivers": drivers,
        "rows": [{"element": r.element, "number": r.number, "unit": r.unit} for r in system.rows],
        "nq": layout.nq,
        "nv": layout.nv,
        "q_size": layout.q_size - len(layout.signals),
        "v_size": layout.v_size,
    }


def _kernel(written: Written, k: int, layout: dict[str, Any]) -> Iterator[str]:
    kernel = next(one for one in ast.parse(layout["source"]).body if isinstance(one, ast.FunctionDef))
    arguments = ", ".join(one.arg for one in kernel.args.args)
    yield f"function kernel{k}({arguments}) {{"
    yield from (f"  {line}" for statement in kernel.body for line in written.statement(statement))
    yield "}"


def _groups(batch: _Sources) -> Iterator[str]:
    """Yield the table of kernels: the number of instances of each, and the beginnings of its tables."""
    yield "const groups = ["
    for k, group in enumerate(batch.groups):
        at = ", ".join(str(int(batch.maps(name)[k])) for name in ("gather_at", "parameters_at", "out_at"))
        yield f"  [kernel{k}, {len(group.members)}, {at}],"
    yield "];"


def _tables(program: ProgramBuilder, batch: _Sources) -> Iterator[str]:
    own, layout = program.layout, batch.layout
    for name in ("phi_from", "nu_from", "gamma_from", "jac_from"):
        yield from _array(name, own[name])
    entries = own["jac_row"] * program.columns + own["jac_column"]
    yield from _array("jac_at", entries[own["jac_to"]])
    yield from _array("index", batch.maps("gather")[:-1])
    yield from _array("tables", batch.maps("tables"))
    for name in ("plain", "quaternions", "turns"):
        yield from _array(name, np.ravel(getattr(layout, name)))
    yield f"const outputs = {batch.maps('out_size')};"


def _slots(written: Written, batch: _Sources, own_names: dict[sp.Symbol, str]) -> Iterator[str]:
    """Yield the function that computes the numbers in the slots of all kernels from the parameters."""
    yield from _array("constants", batch.constants)
    yield "function slots(p) {"
    yield "  const out = constants.slice();"
    yield from _stored(written, batch.asked, own_names)
    yield "}"


def _stored(written: Written, asked: list[tuple[int, sp.Expr]], own_names: dict[sp.Symbol, str]) -> Iterator[str]:
    """Yield lines that store expressions of parameters in their places of the array `out`."""
    renamed = {s: sp.Symbol(name, real=True) for s, name in own_names.items()}
    values = [value.xreplace(renamed) for _, value in asked]
    lines, used = source_lines((), values, [f"out[{k}]" for k, _ in asked])
    yield from (f"  const {s} = p.{s};" for s in renamed.values() if s in used)
    yield from (f"  {line}" for line in written.lines(lines))
    yield "  return out;"


def numbers_script(name: str, model: Model, values: Sequence[Any], of: sp.Symbol | None = None) -> str:
    """Return a function of the parameters, to stand after the module of `kinematics_script`: an array of these numbers
    and expressions. The function uses no tables of the module, only the common preamble. The values may also be
    functions `of` a further symbol, which then stands among the parameters as `_at`."""
    written = Written(JAVASCRIPT)
    expressions = [as_sympy(value) for value in values]
    asked = [(k, value) for k, value in enumerate(expressions) if value.free_symbols]
    fixed = [0.0 if value.free_symbols else float(value) for value in expressions]
    own_names = _parameters(model)
    if of is not None:
        own_names[of] = OF
    body = [*_stored(written, asked, own_names)]
    inside = [line for part in written.preamble() for line in part.splitlines()]
    out = [f"const {name} = (() => {{", *inside, *_array("constants", np.array(fixed, dtype=float))]
    out += ["return p => {", "  const out = constants.slice();", *body, "};", "})();"]
    return "\n".join(out)


def _array(name: str, numbers: Iterable[Any], how: str = "const") -> Iterator[str]:
    found = np.asarray(numbers)
    kind = "Float64Array" if found.dtype.kind == "f" else "Int32Array"
    texts = ", ".join(f"{x:.0f}" if float(x).is_integer() and abs(x) < 1e15 else repr(x) for x in found.tolist())
    yield f"{how} {name} = {kind}.from(["
    yield from (f"  {line}" for line in wrap(texts, 116))
    yield "]);"
