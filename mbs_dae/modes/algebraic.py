"""The equations of an element in a form that is algebraic in the axes and points of its markers, and their kernels.

Joints are algebraic already. Measures of angles and of distances are rewritten:

    θ - f = 0, θ = atan2(S, C)      becomes      S cos f - C sin f = 0
    √D - f = 0                      becomes      D - f² = 0
    a vector of sines over √(1 + trace), of a led frame,      becomes      the vector.

The first has solutions at θ = f + π, too, the second at -f, and right angles between axes (`parallel`, `unturned`) also
hold for opposite axes. A check with a few discrete values, such as cos(θ - f) = ±1, separates these solutions, and is
constant along a continuous path of solutions. So paths from a valid solution lead to valid solutions only.

In the plane angles stay numbers, and θ_j - θ_i - f stays a row; other rows contain only their cosine and sine. A
function of time is a number, too: time is held.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from ..coordinates import KernelCoordinates
from ..errors import ModelError
from ..model.joints import Gear
from ..model.joints.base import Condition
from ..symbolic.codegen import FUNCTIONS, kernel_module
from ..symbolic.derive import Composed, MarkerMap, Relation, by_velocities
from ..symbolic.differentiation import differentiate
from ..symbolic.functions import Unwound, written_out
from ..symbolic.markers import LABELS, t, variables
from ..tolerances import INTEGER_RATIO


@dataclass(frozen=True, eq=False)
class Algebraic:
    """The algebraic equations of one element, and the numbers in its slots."""

    relation: Relation
    values: dict[str, float]
    """The numbers of the element's own slots; those of its markers are theirs."""
    free: frozenset[str]
    """The slots whose numbers may be varied: lengths, places and values of drivers."""
    checks: int
    """Number of rows, after the equations, that check whether a solution is valid: they vanish there, and are ±2 or so
    where axes are opposite, or an angle is half a turn away."""


@dataclass(frozen=True)
class ClosureEquations(Composed):
    """Φ, and the entries (row, column, expression) of its Jacobian by velocities."""

    phi: tuple[sp.Expr, ...]
    jacobian: tuple[tuple[int, int, sp.Expr], ...]

    @property
    def layout(self) -> dict[str, Any]:
        return {"phi": len(self.phi), "jacobian": tuple((row, column) for row, column, _ in self.jacobian)}


def composed(relation: Relation, maps: Sequence[MarkerMap]) -> ClosureEquations:
    """Return the equations in coordinates, with their Jacobian."""
    derivatives = differentiate(relation.phi, (), relation.markers)
    coordinates = replace(relation, steps=derivatives.steps).in_coordinates(maps)
    return ClosureEquations(**coordinates, phi=derivatives.phi, jacobian=by_velocities(derivatives.A, maps))


def algebraic(element: Condition, time: float, number: Callable[[Any], float]) -> Algebraic | None:
    """Return the position equations of an element at a time; None if it has none."""
    relation, slots = element.turning if isinstance(element, Gear) else element.form()
    if not relation.phi:
        return None
    if relation.signals:
        raise refusal(element, "depends on states or inputs of the model", "hold them as numbers")
    return _Writer(element, relation, slots, time, number).algebraic()


def refusal(element: Condition, why: str, remedy: str) -> ModelError:
    what = f"{element.who} {why}, which is not an algebraic equation of places and directions"
    return ModelError(
        f"{what}: all poses cannot be counted; {remedy}", code="not-algebraic", reason=why, name=element.name
    )


class _Writer:
    """The rows of one element, rewritten."""

    def __init__(
        self, element: Condition, relation: Relation, slots: dict[sp.Symbol, Any], time: float, number: Callable
    ) -> None:
        self.element, self.relation, self.slots, self.time, self.number = element, relation, slots, time, number
        self.m: list[sp.Symbol] = variables(relation.markers)[0]
        self.flat = relation.markers[0].dimension == 2
        self.turns = {marker.m[-1] for marker in relation.markers}
        """θ of each marker in the plane; in space its rotation about its own axis."""
        self.values: dict[sp.Symbol, float] = {}
        self.free: set[sp.Symbol] = set()
        self.checks: list[sp.Expr] = []

    def algebraic(self) -> Algebraic:
        inlined: dict[sp.Symbol, sp.Expr] = {}
        for trajectory in self.relation.trajectories:
            # a slot for each variable of a prescribed marker: its place, and in the plane its angle, may vary
            marker = trajectory.marker
            for k, (s, e) in enumerate(zip(marker.m, trajectory.values, strict=True)):
                inlined[s] = self._number(e, free=k < marker.dimension or (self.flat and k == 4))
        for symbol, value in self.relation.steps:
            inlined[symbol] = value.xreplace(inlined)
        rows = [self._row(written_out(row).xreplace(inlined)) for row in self.relation.phi]
        checks = [*self.checks, *self._facing()]
        slots = sorted({s for row in (*rows, *checks) for s in row.free_symbols} - {*self.m}, key=str)
        for s in slots:
            if s not in self.values:
                self.values[s] = self._value(self.slots[s])
                self.free.add(s)
        rows = [*(self._check(row) for row in rows), *checks]
        relation = Relation(self.relation.markers, tuple(rows), slots=tuple(slots))
        values = {str(s): self.values[s] for s in slots}
        return Algebraic(relation, values, frozenset(str(s) for s in slots if s in self.free), len(checks))

    # --- numbers ------------------------------------------------------------------------------------------------

    def _value(self, e: Any) -> float:
        """Return the value of an expression of slots and time."""
        if isinstance(e, sp.Basic) and not isinstance(e, sp.Number):
            e = e.xreplace({t: sp.Float(self.time, 17)}).xreplace(self.slots) if e not in self.slots else self.slots[e]
            if isinstance(e, sp.Basic) and e.free_symbols and not e.is_Symbol:
                e = e.xreplace({s: sp.Float(self.number(s), 17) for s in e.free_symbols if not hasattr(s, "table")})
        return self.number(e)

    def _number(self, e: sp.Expr, free: bool = True) -> sp.Symbol:
        """Return a slot for an expression without markers."""
        name = next(s for k in range(1000) if (s := sp.Symbol(f"given{k}", real=True)) not in self.values)
        self.values[name] = self._value(e)
        if free:
            self.free.add(name)
        return name

    # --- rows ---------------------------------------------------------------------------------------------------

    def _row(self, row: sp.Expr) -> sp.Expr:
        if self.flat:
            row = row.replace(lambda e: isinstance(e, Unwound) and e.args[1].has(*self.turns), self._refuse_turns)
        elif angles := [e for e in row.atoms(Unwound) if e.has(*self.m)]:
            return self._angle(row, angles)
        row = self._without_roots(row)
        return self._at_time(row)

    def _refuse_turns(self, e: sp.Expr) -> sp.Expr:
        raise self._refusal("winds an angle up")

    def _angle(self, row: sp.Expr, angles: list[sp.Expr]) -> sp.Expr:
        place = sp.Dummy(real=True)
        row = row.xreplace({angles[0]: place})
        slope, rest = row.diff(place), row.xreplace({place: sp.S.Zero})
        size = None if slope.has(*self.m) or len(angles) > 1 else abs(self._value(slope))
        if size != 1.0 or rest.has(*self.m) or not isinstance(angles[0].args[0], sp.atan2):
            raise self._refusal("couples an angle in space with something else")
        value = self._number(-rest / slope)
        sine, cosine = angles[0].args[0].args
        self.checks.append(cosine * sp.cos(value) + sine * sp.sin(value) - 1)
        return sine * sp.cos(value) - cosine * sp.sin(value)

    def _facing(self) -> list[sp.Expr]:
        """Return the checks that axes a joint keeps parallel point the same way, and that a prescribed frame is not
        half a turn away."""
        if self.flat:
            return []
        markers = self.relation.markers
        if self.element.facing == "axis":
            return [markers[0].z_axis.dot(markers[1].z_axis) - 1]
        if self.element.facing == "frame":
            return [sum(a.dot(b) for a, b in zip(markers[0].axes, markers[1].axes, strict=True)) - 3]
        return []

    def _without_roots(self, row: sp.Expr) -> sp.Expr:
        """Return the row without its one root of places."""
        powers = [e for e in row.atoms(sp.Pow) if e.has(*self.m) and not e.exp.is_Integer]
        if not powers:
            return row
        place = sp.Dummy(positive=True)
        bases = {e.base for e in powers}
        if len(bases) == 1 and all((2 * e.exp).is_Integer for e in powers):
            row = row.xreplace({e: place ** (2 * e.exp) for e in powers})
            if not (row * place).expand().has(place):  # a vector of sines over the root
                return (row * place).expand()
            slope = row.diff(place)
            rest = row.xreplace({place: sp.S.Zero}) if slope.is_number and slope != 0 else None
            if rest is not None and not rest.has(*self.m):
                return bases.pop() - self._number(rest / slope) ** 2
        raise self._refusal("has a root of places in it")

    def _at_time(self, row: sp.Expr) -> sp.Expr:
        """Return the row at the held time: the largest subexpressions of time alone become numbers."""
        if not row.has(t):
            return row
        if not row.has(*self.m):
            return self._number(row)
        if row.is_Add or row.is_Mul:
            alone, rest = row.as_independent(*self.m, as_Add=row.is_Add)
            parts = [self._at_time(part) for part in row.func.make_args(rest)]
            return row.func(self._number(alone) if alone.has(t) else alone, *parts)
        return row.func(*(self._at_time(part) for part in row.args))

    def _check(self, row: sp.Expr) -> sp.Expr:
        """Return the row if it is a polynomial, with whole-number factors of angles and no angle coupled with places;
        else raise."""
        turning = sorted(self.turns & row.free_symbols, key=str)
        if turning:
            if not self.flat:
                raise self._refusal("counts how far a body has turned in space")
            slopes = [row.diff(s) for s in turning]
            rest = row.xreplace(dict.fromkeys(turning, sp.S.Zero))
            if rest.has(*self.m) or any(slope.has(*self.m) for slope in slopes):
                raise self._refusal("couples an angle with places, as a rack or a cam does")
            for slope in slopes:
                value = float(slope.xreplace({s: sp.Float(v) for s, v in self.values.items()}))
                if abs(value - round(value)) > INTEGER_RATIO:
                    raise self._refusal(f"couples angles by {abs(value):g}, which is not a whole number")
                self.free -= slope.free_symbols
        elif not row.is_polynomial(*self.m):
            raise self._refusal(f"says {row}")
        return row

    def _refusal(self, why: str) -> ModelError:
        remedy = f"leave it out (model.without({self.element.name!r})) and hold what is free by fix="
        return refusal(self.element, why, remedy)


# --- kernels in complex arithmetic, run with arrays of numpy ---------------------------------------------------------

NAMES = {"acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan"}
NAMES |= {"atan2": "arctan2", "atanh": "arctanh", "fabs": "abs"}
ARITHMETIC = {
    name: function for name in FUNCTIONS if (function := getattr(np, NAMES.get(name, name), None)) is not None
}
"""Functions of numpy by their names in `math`."""


class AlgebraicKernel(NamedTuple):
    """The equations of an element as a program.

    The source of a kernel (`symbolic.codegen`) evaluates one instance after the other. With index[k] an array over
    instances, and q of shape (coordinates, paths), q[index[k]] is (instances, paths): one pass through the same lines
    evaluates all instances of a type on all paths side by side, real or complex.
    """

    function: Callable[..., None]
    """The kernel as a Python function: (count, t, q, v, index, parameters, tables, out)."""
    slots: tuple[str, ...]
    phi: int
    """The number of rows."""
    jacobian: tuple[tuple[int, int], ...]
    """Row and velocity of each output after Φ, an entry of the Jacobian."""
    outputs: int


_kernels: dict[str, AlgebraicKernel] = {}


def kernel_of(relation: Relation, coordinates: KernelCoordinates) -> AlgebraicKernel:
    """Return the kernel of a relation, derived once."""
    key = f"{coordinates.name} {relation.meaning}"
    if key not in _kernels:
        maps = [coordinates.marker_map(LABELS[k]) for k in range(len(relation.markers))]
        source, layout = kernel_module(composed(relation, maps), "closure", free=True)
        lines = [line for line in source.splitlines() if not line.startswith("from ")]
        namespace: dict[str, Any] = dict(ARITHMETIC)
        exec(compile("\n".join(lines), "<closure>", "exec"), namespace)
        _kernels[key] = AlgebraicKernel(
            namespace["kernel"], layout["slots"], layout["phi"], layout["jacobian"], layout["outputs"]
        )
    return _kernels[key]


def stacked(columns: Sequence[Sequence[int]], width: int) -> np.ndarray:
    """Return the columns as an array (width, instances), also without instances."""
    return np.array(columns, dtype=np.int64).reshape(-1, width).T.copy()
