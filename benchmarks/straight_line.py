"""How far the core is from straight-line code: ``python benchmarks/straight_line.py``.

The accelerations of one model are written as one program: what each element computes, sums, elimination and solution,
one assignment after the other, every index a number in the code. Such a program belongs to one model, and the larger
that is the longer it takes to compile; the core derives for each type instead. It is compiled as kernels are.

*As they are* has the operations of the core, element by element: each pin computes the sines of its bodies, and writes
what it has computed. In *merged* what several elements compute is computed once, as no code by types can. Both keep
what pivots of λ tell, and leave rows out by it. Times are of one evaluation, in turns with those of the core.
"""

from __future__ import annotations

import ast
import ctypes
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations_with_replacement

import numpy as np
import ours
from numba import types

from mbs_dae.compiled import System
from mbs_dae.compiled.batch import Batch
from mbs_dae.compiled.dynamics import SCALARS
from mbs_dae.kernels import cache, llvm
from mbs_dae.kernels.straight import kernel_code
from mbs_dae.linear.order import ordering
from mbs_dae.linear.sums import Sums
from mbs_dae.model.model import Model
from mbs_dae.motion.comparison import Timed, evaluation_times, timed
from mbs_dae.motion.derivative import accelerate
from mbs_dae.motion.mechanism import mechanism
from mbs_dae.motion.mechanism_record import Mechanism
from mbs_dae.poses.dependence import PoseRank
from mbs_dae.tolerances import ACCELERATION_INDEPENDENCE, ZERO_ROW

TABLES = ("q", "v", "equations", "forces", "tables", "soft", "kept", "norm", "full_unit", "out", "to")
"""What the program reads: the state, constants of equations and of forces, tables, `Factor.soft`, `Factor.kept`,
`Machine.norm` and `Machine.full_unit`; and what it writes: outputs of elements, and what it finds."""
ARGUMENTS = (types.int64, types.int64, types.float64, *[types.CPointer(types.float64)] * len(TABLES))
CHAINS = (1, 10, 40, 100, 1000)
AGREES = 1e-9


def main() -> None:
    print(f"{'model':<16}{'coordinates':<12}{'unknowns':>9}{'core [µs]':>11}", end="")
    print(f"{'as they are':>13}{'ratio':>7}{'merged':>9}{'ratio':>7}")
    models = {"1 four-bar": ours.four_bars_model(1), "slider-crank": ours.slider_crank_model()}
    straight: dict[str, float] = {}
    for name, model in {**models, "Andrews": ours.andrews_model()}.items():
        for coordinates in ("cartesian", "natural"):
            own, one, merged = compared(model, coordinates)
            straight.setdefault(coordinates, one)
            unknowns = sum(sizes(model.compile(coordinates)))
            print(
                f"{name:<16}{coordinates:<12}{unknowns:>9}{1e6 * own:>11.3f}{1e6 * one:>13.3f}{own / one:>7.2f}"
                f"{1e6 * merged:>9.3f}{own / merged:>7.2f}",
                flush=True,
            )
    print(f"\n{'loops':<8}" + "".join(f"{name + ' [µs]':>18}{'a loop over 1':>15}" for name in straight))
    for n in CHAINS:
        costs = ours.evaluation_costs(ours.four_bars_model(n), [*straight])
        told = [f"{cost:>18.2f}{cost / n / (1e6 * straight[name]):>15.2f}" for name, (_, cost) in costs.items()]
        print(f"{n:<8}" + "".join(told), flush=True)


def sizes(system: System) -> tuple[int, int]:
    return system.nv, len(system.rows)


def compared(model: Model, coordinates: str) -> tuple[float, float, float]:
    """Seconds of one evaluation of all accelerations: in the core, as one program, and merged."""
    system = model.compile(coordinates)
    bodies = system.cartesian
    (q,), (v,), _ = system.from_bodies((bodies.placement[None], bodies.still[None] + 0.1, bodies.still[None]))
    redundant = PoseRank(system, 0.0, q).dependent(range(len(system.rows)))
    run = mechanism(system, faint=ACCELERATION_INDEPENDENCE)
    run.machine.factor.kept[list(redundant)] = 0.0
    programs = [_ready(run, q, v, merged) for merged in (False, True)]
    own, one, merged = evaluation_times([timed(system, 0.0, q, v, redundant), *programs], rounds=40)
    return own, one, merged


def _ready(run: Mechanism, q: np.ndarray, v: np.ndarray, merged: bool) -> Timed:
    """The program, which has been seen to find what the core finds."""
    machine, a = run.machine, np.zeros(run.machine.pattern.n)
    n, m = machine.pattern.n, machine.pattern.m
    accelerate(run, 0.0, q, v, np.resize(a, v.size))
    found = np.zeros(n + 5 * m + SCALARS)
    given = q, v, machine.program.batch.parameters, run.dynamics.batch.parameters, machine.program.batch.tables
    room = machine.program.batch.out_size + run.dynamics.batch.out_size
    arrays = *given, machine.factor.soft, machine.factor.kept, machine.norm, machine.full_unit, np.zeros(room), found
    call = _compiled(_Program(run, merged).source())

    def often(count: int) -> None:
        call(count, 0, 0.0, *(array.ctypes.data for array in arrays))

    often(1)
    exact = np.concatenate([machine.x[:n], machine.multipliers])
    apart = np.abs(found[: n + m] - exact).max() / np.abs(exact).max()
    if not apart < AGREES:
        raise ArithmeticError(f"the program finds other accelerations, {apart:.1g} of the largest apart")
    return often, 2000


def _compiled(source: str):
    symbol = f"straight_line_{cache.fingerprint(source)}"
    code, uses = kernel_code(symbol, source, ARGUMENTS, cache.CALLED, True)
    if uses:
        raise TypeError(f"the program would call {uses}")
    kinds = [ctypes.c_int64, ctypes.c_int64, ctypes.c_double, *[ctypes.c_void_p] * len(TABLES)]
    return ctypes.CFUNCTYPE(None, *kinds)(llvm.load(symbol, code))


# --- the program ----------------------------------------------------------------------------------------------------


class _Program:
    """The accelerations of a mechanism, line by line. Numbers are names, or what is 0."""

    def __init__(self, run: Mechanism, merged: bool):
        self.run, self.merged = run, merged
        self.lines: list[str] = []
        self._count = 0

    def let(self, text: str) -> str:
        self._count += 1
        self.lines.append(f"z{self._count} = {text}")
        return f"z{self._count}"

    def source(self) -> str:
        """A state stands at `instance` times `stride`, which is 0: so that each turn of the loop does all of it."""
        machine, dynamics = self.run.machine, self.run.dynamics
        if machine.transformation.edges or self.run.refinements:
            raise NotImplementedError("joint coordinates and refined solutions are not written")
        own = machine.program
        equations = self.elements(own.batch, "equations", 0)
        forces = self.elements(dynamics.batch, "forces", own.batch.out_size)
        rows = [[equations[k] for k in places] for places in (own.phi_from, own.nu_from, own.gamma_from)]
        weight, beside, pushes = (self.sums(s, forces) for s in (dynamics.weight, dynamics.beside, dynamics.forces))
        ends = np.asarray(dynamics.scalar_at)
        scalars = [
            self.sum(forces[k] for k in dynamics.scalar_from[begin:end])
            for begin, end in zip(ends, ends[1:], strict=False)
        ]
        jacobian = self.sums(own.jacobian, equations)
        shares = self.shares(jacobian, equations)
        found = self.solved(jacobian, shares, weight, beside, pushes, rows[2])
        results = [*found, *rows[0], *rows[1], *scalars]
        body = [*self.lines, *(f"to[at + {k}] = {value}" for k, value in enumerate(results))]
        head = f"def kernel(count, stride, t, {', '.join(TABLES)}):\n    for instance in range(count):\n"
        return head + "".join(f"        {line}\n" for line in ("at = instance * stride", *body))

    def elements(self, batch: Batch, constants: str, room: int) -> list[str]:
        """The outputs of all kernels of a batch, the 0 behind them included."""
        out = ["0.0"] * (batch.out_size + 1)
        for g in range(batch.kernels.shape[1]):
            _, source = cache._written[int(batch.kernels[0, g])]
            for instance in range(batch.instances[g]):
                placed = _Placed(batch, g, instance, f"{constants[0]}{g}_{instance}_", constants)
                for line in placed.of(source):
                    self.lines.append(ast.unparse(line))
                for k, name in placed.outputs.items():
                    out[k] = name
                    if not self.merged:
                        self.lines.append(f"out[at + {room + k}] = {name}")
        return out

    def sum(self, names: Iterable[str]) -> str:
        some = [name for name in names if name != "0.0"]
        return self.let(" + ".join(some)) if len(some) > 1 else (some or ["0.0"])[0]

    def sums(self, sums: Sums, out: Sequence[str]) -> list[str]:
        terms = [[out[k]] for k in sums.first]
        for to, k in zip(sums.more_to, sums.more, strict=True):
            terms[to].append(out[k])
        return [self.sum(those) for those in terms]

    def shares(self, jacobian: list[str], out: Sequence[str]) -> dict[int, str]:
        """How much is left of each row that loses entries (`compiled.machine`)."""
        program = self.run.machine.program
        losses, left, full = program.losses, defaultdict(list), defaultdict(list)
        for e in losses.left:
            left[program.jac_row[e]].append(f"{jacobian[e]} * {jacobian[e]} / norm[at + {program.jac_column[e]}]")
        for row, k, column in zip(losses.full_row, losses.full_from, losses.full_place, strict=True):
            full[row].append(f"{out[k]} * {out[k]} * full_unit[at + {column}]")
        return {
            row: self.let(f"min(({' + '.join(left[row])}) / ({' + '.join(full[row])} + 1e-300), 1.0)")
            for row in losses.rows
        }

    def solved(
        self, jacobian: list[str], shares: dict[int, str], weight: list[str], beside: list[str], f: list[str],
        g: list[str],
    ) -> list[str]:  # fmt: skip
        """x, λ, and of each row its squared length and its `independence` (`linear.kkt`)."""
        pattern = self.run.machine.pattern
        n, m = pattern.n, pattern.m
        own = ordering(n, m, pattern.jac_row, pattern.jac_column, pattern.block_row, pattern.block_column)
        place, below = own.place, defaultdict(list)
        for row, column in zip(own.row.tolist(), own.column.tolist(), strict=True):
            below[column].append(row)
        square = self.sum(self.let(f"{x} * {x}") for x in jacobian)
        softened = [self.let(f"{x} + soft[at + {k}]") for k, x in enumerate(weight)]
        least = self.let(f"{ZERO_ROW * n!r} * {square} / ({self.sum(softened)} + {ZERO_ROW!r}) + 1e-200")
        values = {(place[k], place[k]): x for k, x in enumerate(softened)}
        rows = (np.asarray(pattern.jac_row, dtype=int) + n, pattern.jac_column, jacobian)
        for i, k, x in [*zip(*rows, strict=True), *zip(pattern.block_row, pattern.block_column, beside, strict=True)]:
            values[max(place[i], place[k]), min(place[i], place[k])] = x
        is_row, told = own.order >= n, ["0.0"] * (2 * m)
        right = [[*f, *g][unknown] for unknown in own.order]
        l = dict[tuple[int, int], str]()
        reciprocal = []
        for k in range(n + m):
            if is_row[k]:
                row = own.order[k] - n
                d = self.row(k, row, values, least, shares.get(row, "1.0"), told)
            else:
                d = self.let(f"1.0 / {values[k, k]}")
            reciprocal.append(d)
            for i in below[k]:
                l[i, k] = self.let(f"{values[i, k]} * {d}")
                right[i] = self.let(f"{right[i]} - {l[i, k]} * {right[k]}")
            for j, i in combinations_with_replacement(below[k], 2):
                self.take(values, i, j, f"{l[i, k]} * {values[j, k]}", own=is_row[i] and i == j, by_row=is_row[k])
        for k in range(n + m - 1, -1, -1):
            right[k] = self.let(f"{right[k]} * {reciprocal[k]}")
            for i in below[k]:
                right[k] = self.let(f"{right[k]} - {l[i, k]} * {right[i]}")
        return [*(right[place[k]] for k in range(n + m)), *told]

    def take(self, values: dict, i: int, j: int, product: str, own: bool, by_row: bool) -> None:
        """From a number of the matrix; what x and what other λ take from the diagonal of a λ is told apart."""
        key, sign = ((i, i, by_row), "+") if own else ((i, j), "-")
        values[key] = self.let(f"{values.get(key, '0.0')} {sign} {product}")

    def row(self, k: int, row: int, values: dict, least: str, share: str, told: list[str]) -> str:
        """The reciprocal of the pivot of a λ, as `linear.fronts.kernel` has it where rows are left out by their
        `independence` and nothing is added to the others."""
        x, others = values.get((k, k, False), "0.0"), values.get((k, k, True), "0.0")
        distance = self.let(f"{x} + {others}")
        apart = distance if share == "1.0" else self.let(f"{distance} * {share}")
        told[row] = x
        told[len(told) // 2 + row] = self.let(f"max({apart} / {x}, 0.0) if {x} > {least} else 0.0")
        enough = f"{x} > {least} and {apart} >= {ACCELERATION_INDEPENDENCE!r} * {x} and kept[at + {row}] != 0.0"
        return self.let(f"-{share} / {apart} if {enough} else 0.0")


class _Placed(ast.NodeTransformer):
    """The lines of a kernel for one instance: places are numbers, and names are its own."""

    def __init__(self, batch: Batch, g: int, instance: int, mark: str, constants: str):
        self.batch, self.g, self.instance, self.mark, self.constants = batch, g, instance, mark, constants
        self.widths: dict[str, int] = {}
        self.own: set[str] = set()
        self.outputs: dict[int, str] = {}

    def of(self, source: str) -> list[ast.stmt]:
        kernel = next(one for one in ast.parse(source).body if isinstance(one, ast.FunctionDef))
        (loop,) = kernel.body
        assert isinstance(loop, ast.For)
        lines = []
        for line in loop.body:
            assert isinstance(line, ast.Assign)
            (target,) = line.targets
            if isinstance(target, ast.Name) and target.id in ("from_", "const", "at"):
                self.widths[target.id] = line.value.right.value
                continue
            if isinstance(target, ast.Name):
                self.own.add(target.id)
            lines.append(ast.fix_missing_locations(self.visit(line)))
        return lines

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(self.mark + node.id, node.ctx) if node.id in self.own else node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        batch, g, table = self.batch, self.g, node.value.id
        if table in ("q", "v"):
            where = batch.gather_at[g] + self.instance * self.widths["from_"] + node.slice.slice.right.value
            return _at(table, batch.gather[where])
        if table == "parameters":
            where = batch.parameters_at[g] + self.instance * self.widths["const"] + node.slice.right.value
            return _at(self.constants, where)
        where = int(batch.out_at[g] + self.instance * self.widths["at"] + node.slice.right.value)
        self.outputs[where] = f"{self.mark}out{where}"
        return ast.Name(self.outputs[where], ast.Store())


def _at(table: str, place: int) -> ast.expr:
    return ast.parse(f"{table}[at + {int(place)}]", mode="eval").body


if __name__ == "__main__":
    main()
