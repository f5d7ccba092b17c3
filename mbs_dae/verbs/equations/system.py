"""The equations of a whole system: exact, and in the names of textbooks.

eq = mbs.equations(model)
eq.Phi, eq.Phi_q, eq.nu, eq.gamma, eq.M, eq.Q         # sympy matrices in x_2, y_2, phi_2, xdot_2, ..., t
print(eq.compare(Phi_q=mine))                         # which entries of a hand-written matrix differ
M, Q = eq.lambdify("M", "Q")(t, q, v)                 # the same in numbers
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.simplify.cse_main import tree_cse

from ...errors import ModelError, check_dict, check_name, counted
from ...kernels import abi
from ...kernels.languages import LANGUAGES
from ...model.parameters import Reaction
from ...symbolic.codegen import Printer
from ...symbolic.expressions import exact, expanded, text
from ...symbolic.functions import Lookup, Wrapping, written_out
from ...symbolic.markers import t
from .code import code
from .matrices import BOLD, IN_COLUMNS, SIX, Matrices, differentiate
from .saving import ENDINGS, saved


@dataclass(frozen=True, eq=False, repr=False)
class SystemEquations(Matrices):
    """Φ(q, t) = 0,   Φ_q q̇ = ν,   Φ_q q̈ = γ,   M q̈ + Φ_qᵀ λ = Q.

    In space v holds velocities of positions, and angular velocities in body axes; there Φ_q stands for Φ_v, and q̇, q̈
    for v, v̇. Quaternions count as unit quaternions: 1 is printed for e·e.

    Q contains all forces on the bodies except reactions of joints: weight, velocity terms of inertia, and every applied
    force. A `PythonForce` named "wind" appears in Q as functions F_wind_x(...), F_wind_y(...), M_wind(...) of the
    coordinates and rates of the bodies whose markers it sees, and of time.

    The states of a model stand in ``z`` under their own names, and their rates in ``zdot``: ż = zdot(q, v, z, t).
    Inputs stand in ``inputs`` under their own names: Q(q, v, z, inputs, t). ``laws`` holds their laws of time in the
    model, by symbol, so that ``eq.Q.subs(eq.laws)`` is Q as the model runs it.

    Body 1 is the ground, whose coordinates are zero; if no element uses ``model.ground``, the bodies of the model count
    from 1. The rates are the symbols xdot_2, ydot_2, phidot_2, set as dotted letters.
    """

    def lambdify(self, *names: str) -> Callable[..., tuple[np.ndarray, ...]]:
        """Return the named matrices (all six but zdot, if none is named) as one function of numbers::

            M, Q = eq.lambdify("M", "Q")(t, q, v, turns=None, parameters={"r": 0.2}, z=None, inputs=None)

        q and v are in the order of ``eq.q`` and ``eq.v``, as in a row of ``result.q`` and ``result.v``; parameters that
        are not given have their values in the model. Φ, ν, γ and Q are returned as vectors. ``turns`` is needed if
        ``eq.turns`` occur in these matrices, and ``z`` if states do. ``inputs``, in the order of ``eq.inputs``, follow
        their laws in the model by default.

        >>> rod = mbs.PlanarModel.from_points(
        ...     {"A": (0, 0), "B": (2, 0)}, rods={"rod": "AB"}, fixed="A", mass=3, gravity=(0, -10))
        >>> M, Q = mbs.equations(rod).lambdify("M", "Q")(0, [1, 0, 0], [0, 0, 0])
        >>> M.diagonal(), Q  # m, m, m L²/12
        (array([3., 3., 1.]), array([  0., -30.,   0.]))
        """
        return _lambdified(self, self._named(names) if names else SIX)

    def compare(
        self, *, Phi: Any = None, Phi_q: Any = None, nu: Any = None, gamma: Any = None, M: Any = None, Q: Any = None,
        zdot: Any = None,
    ) -> Comparison:  # fmt: skip
        """Compare hand-written matrices with the derived ones entry by entry; return a `Comparison`.

        Entries are numbers or sympy expressions (no text) in symbols of these names: ``eq.symbols["phi_3"]``, or your
        own. Any equivalent form is accepted: entries that expansion does not decide are evaluated at random points near
        the placement.

        >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (2, 0)}, rods={"rod": "AB"}, fixed="A")
        >>> eq = mbs.equations(rod)
        >>> from sympy import cos, sin
        >>> phi = eq.symbols["phi_2"]
        >>> print(eq.compare(Phi_q=[[-1, 0, sin(phi)], [0, -1, cos(phi)]]))
        Phi_q[0, 2] (A, phi_2): expected -sin(phi_2), got sin(phi_2)
        """
        given = {"Phi": Phi, "Phi_q": Phi_q, "nu": nu, "gamma": gamma, "M": M, "Q": Q, "zdot": zdot}
        return _compared(self, {name: matrix for name, matrix in given.items() if matrix is not None})

    def d(self, by: str | sp.Symbol) -> SystemEquations:
        """Return all matrices differentiated by a parameter, by an input, or by a constant of an element such as
        "spring.stiffness": ``eq.d("r").Phi`` is ∂Φ/∂r, exact, at fixed coordinates, rates, states, inputs and time;
        ``eq.d("voltage").Q`` is the column of an input in a linear model. The derivatives can be printed, compared,
        evaluated, saved and differentiated once more.

        If nothing depends on the parameter, all derivatives are zero, and the printed text says so. A law that jumps
        has the slope of its active branch.

        >>> model = mbs.PlanarModel("pendulum", gravity=(0, -10))
        >>> r = model.parameter("r", 0.5)
        >>> rod = model.body("rod", mass=2 * r, inertia=r**3 / 6)
        >>> model.add(mbs.Revolute("A", model.ground, rod.at(-r / 2, 0)))
        <Revolute A>
        >>> by_r = mbs.equations(model).d("r")
        >>> by_r.Phi
        Matrix([
        [cos(phi_2)/2],
        [sin(phi_2)/2]])
        >>> by_r.M.diagonal()
        Matrix([[2, 2, r**2/2]])
        """
        return differentiate(self, by)

    def latex(self) -> str:
        """Return all equations as one ``aligned`` block of LaTeX."""
        by = "".join(rf"\frac{{\partial}}{{\partial {sp.latex(s)}}} " for s in reversed(self.by))
        lines = [rf"{by}\boldsymbol{{{BOLD[name]}}} &= {sp.latex(self.readable(name))}" for name in self.shown]
        lines[0] += r" = \boldsymbol{0}" * (not self.by)
        lines[:0] = [rf"\boldsymbol{{{q}}}^T &= {sp.latex(s.T)}" for q, s in (("q", self.q), (r"\dot{q}", self.v))]
        lines += [rf"\text{{input: }} {sp.latex(s)} &= {sp.latex(law)}" for s, law in self.readable_laws.items()]
        return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"

    def to_code(self, language: str, *names: str) -> str:
        """Return the named matrices (all, if none is named) as functions of numbers in "C" (C99), "JavaScript" (a
        module) or "Python" (with numpy): self-contained, with common subexpressions computed once, and a header that
        explains the numbers. Parameters are arguments, by name; their values in the model are the defaults."""
        check_name("language", language, LANGUAGES, "to_code()")
        return code(self, language, self._named(names))

    def save(self, path: str | Path, *names: str) -> Path:
        """Write the named matrices (all, if none is named) in the format of the file name's ending: a document (.tex,
        .md, .html) or functions of numbers (.c, .js, .py). Return the path::

            eq.save("four_bar.tex")
            eq.save("four_bar.c", "Phi", "Phi_q")

        >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (2, 0)}, rods={"rod": "AB"}, fixed="A")
        >>> path = mbs.equations(rod).save("rod.py", "Phi")
        >>> "cos(phi_2)" in path.read_text(encoding="utf-8")
        True
        """
        return saved(self, path, self._named(names))

    endings = ENDINGS
    """Endings of the files that `save` writes."""

    def _named(self, names: Sequence[str]) -> tuple[str, ...]:
        for name in names:
            check_name("matrix", name, BOLD, "the equations")
        return tuple(names) or tuple(self.shown)

    def _repr_latex_(self) -> str:
        return f"$${self.latex()}$$"

    def __str__(self) -> str:
        """Return the equations row by row, without zeros."""
        lines = [repr(self)[1:-1], "bodies: " + ", ".join(f"{number} {name}" for number, name in self.bodies.items())]
        if self.laws:
            lines.append("inputs: " + ", ".join(f"{s.name} = {text(law)}" for s, law in self.readable_laws.items()))
        for name in self.shown:
            matrix = self.readable(name)
            cells: dict[str, list[str]] = {}
            for row, column in sorted(matrix.todok()):
                who, coordinate = self.place(name, row, column)
                entry = text(matrix[row, column])
                cells.setdefault(f"  [{row}] {who}: ", []).append(f"{coordinate}: {entry}" if coordinate else entry)
            is_zero = not cells or name == "Phi" and not self.by
            lines += ["", self.called(name) + " = 0" * is_zero]
            lines += [place + ", ".join(entries) for place, entries in cells.items()]
        if self.by and self.are_zero:
            lines[1:] = [self.told_zero]
        return "\n".join(lines)

    def __repr__(self) -> str:
        by = "".join(f" by {s.name}" for s in self.by)
        return f"<equations of {self.name!r}{by}: {len(self.rows)} rows, {len(self.q)} coordinates>"


# --- in numbers: the same expressions, printed and computed as in the kernels ---


WORDS: dict[str, Any] = {name: vars(getattr(abi, name))["py_func"] for name in ("lookup", "unwound", "wrap")}
"""Functions that kernels call besides Python's math, not compiled."""


def _lambdified(eq: SystemEquations, names: Iterable[str]) -> Callable[..., tuple[np.ndarray, ...]]:
    matrices = [(name, getattr(eq, name)) for name in names]
    state = {"q": eq.q, "v": eq.v, "turns": eq.turns, "z": eq.z, "inputs": eq.inputs}
    constants, tables = eq.parameters, eq.tables
    found = {s.name for _, m in matrices for s in m.free_symbols}
    counted, held = (sorted(s.name for s in state[kind] if s.name in found) for kind in ("turns", "z"))
    if reactions := sorted({s.name for _, m in matrices for s in m.free_symbols if isinstance(s, Reaction)}):
        what = f"the rates speak of {', '.join(reactions)}, which follows from all equations together"
        raise ModelError(
            f"{what}; solve for the multipliers, and put them in: eq.zdot.subs(...)",
            code="contains-reactions", reactions=tuple(reactions),
        )  # fmt: skip
    if any(m.has(sp.Derivative) for _, m in matrices):
        what = "a force that is a Python function has no formula, and depends on what is differentiated by"
        raise ModelError(
            f"{what}; name matrices without it, e.g. lambdify('Phi')",
            code="no-formula", matrices=tuple((name for name, m in matrices if m.has(sp.Derivative))),
        )  # fmt: skip
    ends = np.cumsum([len(m) for _, m in matrices])
    data = [symbol.table.data for symbol in tables.values()]
    starts = np.cumsum([0, *map(len, data)])[:-1]
    groups = [list(symbols) for symbols in (*state.values(), constants, tables.values())]
    plain = {s: sp.Symbol(f"s_{k}", real=True) for k, s in enumerate([t, *(s for group in groups for s in group)])}

    def function(expressions: list[sp.Expr], *arrays: list[sp.Symbol]) -> Callable[..., list[float]]:
        return sp.lambdify(
            [plain[t], *([plain[s] for s in group] for group in arrays)],
            expressions,
            modules=[WORDS | {"tables": np.concatenate([*data, [0.0]])}, "math"],
            printer=Printer(allow_unknown_functions=True),
            cse=partial(_shared, plain),
        )

    compute = function([e for _, matrix in matrices for e in matrix], *groups)
    follow = function([*map(written_out, eq.laws.values())], *groups[-2:])

    def evaluated(
        t: float, q: Any, v: Any, turns: Any = None, parameters: Mapping[str, float] | None = None, z: Any = None,
        inputs: Any = None,
    ) -> tuple[np.ndarray, ...]:  # fmt: skip
        if turns is None and counted:
            zeros = "zeros where nothing has turned more than half round since the placement"
            remedy = f"add turns=, {len(state['turns'])} angles in the order of eq.turns ({zeros})"
            raise ModelError(
                f"these equations count turns ({', '.join(counted)}); {remedy}",
                code="missing-argument", argument="turns", names=tuple(counted),
            )  # fmt: skip
        if z is None and held:
            what = f"these equations speak of states ({', '.join(held)})"
            raise ModelError(
                f"{what}; add z=, {len(state['z'])} numbers in the order of eq.z",
                code="missing-argument", argument="z", names=tuple(held),
            )  # fmt: skip
        values = {symbol.name: value for symbol, value in constants.items()}
        check_dict("parameters", parameters or {}, "names and values", 'parameters={"r": 0.2}')
        for name in parameters or {}:
            check_name("parameter", name, values, "the model of these equations")
        values |= parameters or {}
        numbers_of = [float(x) for x in values.values()]
        if inputs is None:
            inputs = follow(float(t), numbers_of, starts)
        given = [_numbers(x, *symbols) for x, symbols in zip((q, v, turns, z, inputs), state.items(), strict=True)]
        numbers = np.array(compute(float(t), *given, numbers_of, starts), dtype=float)
        parts = np.split(numbers, ends[:-1])
        pairs = zip(parts, matrices, strict=True)
        return tuple(part.reshape(m.shape) if name in IN_COLUMNS else part for part, (name, m) in pairs)

    return evaluated


def _shared(plain: Mapping[Any, sp.Symbol], expressions: list[sp.Expr], list: bool = False) -> tuple[Any, Any]:
    """Replace subexpressions that occur more than once by symbols that are valid names in Python (sympy would do this
    symbol by symbol). Parts of sums and of products are not examined: in long equations that takes a hundred times
    longer, and finds little."""
    temporaries, reduced = tree_cse(expressions, sp.numbered_symbols("w_"))
    return [(s, e.xreplace(plain)) for s, e in temporaries], [e.xreplace(plain) for e in reduced]


def _numbers(numbers: Any, what: str, symbols: sp.ImmutableMatrix) -> list[float]:
    """Return the numbers in the order of the symbols, from a list or from a dictionary by name."""
    names = [symbol.name for symbol in symbols]
    if isinstance(numbers, Mapping):
        for name in numbers:
            check_name(f"entry of {what}", str(name), names, "the model of these equations")
        values = {str(name): value for name, value in numbers.items()}
        if missing := [name for name in names if name not in values]:
            raise ModelError(
                f"{what} has no value of {missing[0]!r}; give all of {', '.join(names)}",
                code="missing-entry", argument=what, name=missing[0], names=tuple(missing),
            )  # fmt: skip
        numbers = [values[name] for name in names]
    numbers = np.zeros(len(symbols)) if numbers is None else np.asarray(numbers, dtype=float)
    if numbers.shape != (len(symbols),):
        size = counted(len(symbols), "number")
        raise ModelError(
            f"{what} has the shape {numbers.shape}; give {size} in the order of eq.{what}",
            code="wrong-shape", argument=what, shape=numbers.shape, wanted=(len(symbols),),
        )  # fmt: skip
    return numbers.tolist()


# --- comparison with hand-written matrices, entry by entry ---


class Difference(NamedTuple):
    """A hand-written entry that differs from the derived one. `difference` is given minus expected at a random
    point."""

    matrix: str
    row: int
    column: int
    element: str
    coordinate: sp.Symbol | None
    expected: sp.Expr
    given: sp.Expr
    difference: float | complex

    def __str__(self) -> str:
        column, coordinate = (f", {x}" if self.coordinate else "" for x in (self.column, self.coordinate))
        place = f"{self.matrix}[{self.row}{column}] ({self.element}{coordinate})"
        return f"{place}: expected {text(self.expected)}, got {text(self.given)}"


@dataclass(frozen=True)
class Comparison:
    """True if all entries agree; printed, one line for each that does not."""

    checked: tuple[str, ...]
    differences: tuple[Difference, ...]

    def __bool__(self) -> bool:
        return not self.differences

    def __str__(self) -> str:
        return "\n".join(map(str, self.differences)) or f"{', '.join(self.checked)}: every entry agrees"


def _compared(eq: SystemEquations, given: Mapping[str, Any]) -> Comparison:
    """Compare hand-written matrices (by name) with the derived ones, entry by entry."""
    if not given:
        raise ModelError(
            f"compare() was given no matrix; name one of {', '.join(f'{n}=...' for n in BOLD)}",
            code="missing-argument", choices=tuple(BOLD), method="compare",
        )  # fmt: skip
    points, found = _points(eq), []
    for name, hand_written in given.items():
        derived, matrix = getattr(eq, name), _read(eq, name, hand_written)
        for row, column in sorted({*derived.todok(), *matrix.todok()}):
            expected, got = derived[row, column], matrix[row, column]
            if (gap := _gap(expected, got, points)) is not None:
                found.append(Difference(eq.called(name), row, column, *eq.place(name, row, column), expected, got, gap))
    return Comparison(tuple(given), tuple(found))


def _read(eq: SystemEquations, name: str, given: Any) -> sp.Matrix:
    """Return a hand-written matrix in the symbols of the equations."""
    (m, n), known = getattr(eq, name).shape, eq.symbols
    cells = given.tolist() if hasattr(given, "tolist") else given
    cells = cells if isinstance(cells, list | tuple) else ()
    cells = [row if isinstance(row, list | tuple) else [row] for row in cells]
    if [len(row) for row in cells] != [n] * m:
        widths = " or ".join(map(str, sorted({len(row) for row in cells})))
        raise ModelError(
            f"{name} is {m} x {n} (see .rows and .q), not {len(cells)} x {widths or 0}; correct its shape",
            code="wrong-shape", argument=name, wanted=(m, n), widths=tuple(len(row) for row in cells),
        )  # fmt: skip
    matrix = sp.Matrix(m, n, [_entry(name, cell) for row in cells for cell in row])
    strange = {s.name for s in matrix.free_symbols if s.name not in known and s not in known.values()}
    matrix = matrix.replace(lambda e: isinstance(e, AppliedUndef), lambda f: eq.functions.get(f.name, f.func)(*f.args))
    strange |= {f"{f.func}()" for f in matrix.atoms(AppliedUndef) if f.name not in eq.functions}
    if strange:
        raise ModelError(
            f"{name} contains unknown symbols: {', '.join(sorted(strange))}; known are {', '.join(known)}",
            code="unknown-name", argument=name, names=tuple(sorted(strange)), choices=tuple(known),
        )  # fmt: skip
    return matrix.xreplace({s: known[s.name] for s in matrix.free_symbols if s.name in known})


def _entry(name: str, cell: Any) -> sp.Expr:
    try:
        e = exact(cell)
    except TypeError:
        e = sp.nan
    if e.has(sp.nan, sp.zoo, sp.oo):
        what = f"{cell!r} in {name} is not a finite expression"
        raise ModelError(
            f"{what}; write an entry as in -200 * sp.sin(eq.symbols['phi_3']), without quotes",
            code="not-an-expression", argument=name, value=cell,
        )  # fmt: skip
    return e


def _points(eq: SystemEquations, count: int = 12) -> list[dict[sp.Symbol, sp.Rational]]:
    """Return random points around the placement and the values of parameters, where roots and quotients are defined.
    The numbers are rational, so that nothing is rounded before the end."""
    dice, placed = random.Random(20240607), {*eq.q}

    def near(symbol: sp.Symbol) -> sp.Rational:
        if symbol is t:
            return sp.Rational(10 ** dice.uniform(-2, 1))
        value = eq.values.get(symbol, 0.0)
        spread = 3.0 if symbol in placed else 0.1 * abs(value) or 1.0
        return sp.Rational(value) + sp.Rational(dice.uniform(-spread, spread))

    return [{symbol: near(symbol) for symbol in eq.symbols.values()} for _ in range(count)]


def _gap(expected: sp.Expr, entries: sp.Expr, points: list[dict]) -> float | complex | None:
    """Return None if both expressions are equal; else given - expected where they differ (nan: no point could be
    evaluated)."""
    if expanded(entries - expected) == 0:
        return None
    tolerance = 1e-12 if entries.has(sp.Float) or expected.has(sp.Float) else 1e-20
    expected, entries = _elementary(expected), _elementary(entries)
    terms = [*sp.Add.make_args(expected), *sp.Add.make_args(entries)]
    finite = False
    for point in points if (entries - expected).has(sp.Piecewise) else points[:3]:
        difference = sp.N((entries - expected).xreplace(point), 30)
        scale = sum(abs(sp.N(term.xreplace(point))) for term in terms)
        if difference.is_finite and abs(difference) > tolerance * scale:
            return float(difference) if difference.is_real else complex(difference)
        finite = finite or bool(difference.is_finite)
    return None if finite else float("nan")


def _elementary(e: sp.Expr) -> sp.Expr:
    """Return an expression that can be evaluated: wrapping is written out; each table becomes a smooth function of its
    own, with derivatives; each function that has a name only becomes a function of its name and its arguments."""
    wave = sp.exp(sp.sin(t))
    plain = written_out(e).replace(Wrapping, lambda x, period: x - period * sp.floor(x / period))
    plain = plain.replace(
        lambda e: isinstance(e, AppliedUndef),
        lambda f: sp.sin(sp.Add(crc32(f.name.encode()), *(k * x for k, x in enumerate(f.args, start=1)))),
    )
    return plain.replace(Lookup, lambda table, order, x: wave.diff(t, int(order)).xreplace({t: x + table}))
