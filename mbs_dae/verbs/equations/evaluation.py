"""The equations as functions of numbers: the same expressions, printed and computed as in the kernels."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import sympy as sp
from sympy.simplify.cse_main import tree_cse

from ...errors import ModelError, unknown_name
from ...kernels import abi
from ...model.parameters import Effort
from ...symbolic.codegen import Printer
from ...symbolic.markers import t

WORDS: dict[str, Any] = {name: vars(getattr(abi, name))["py_func"] for name in ("lookup", "unwound", "wrap")}
"""What kernels call besides Python's math, not compiled."""


def lambdified(eq: Any, names: Iterable[str]) -> Callable[..., tuple[np.ndarray, ...]]:
    """See `SystemEquations.lambdify`."""
    matrices, state = (
        [(name, getattr(eq, name)) for name in names],
        {"q": eq.q, "v": eq.v, "turns": eq.turns, "z": eq.z},
    )
    constants, tables = eq.parameters, eq.tables
    found = {s.name for _, m in matrices for s in m.free_symbols}
    counted = sorted(s.name for s in state["turns"] if s.name in found)
    held = sorted(s.name for s in state["z"] if s.name in found)
    if efforts := sorted(s.name for _, m in matrices for s in m.free_symbols if isinstance(s, Effort)):
        what = f"the rates speak of {', '.join(efforts)}, which follows from all equations together"
        raise ModelError(f"{what}; solve for the multipliers, and put them in: eq.zdot.subs(...)")
    ends = np.cumsum([len(m) for _, m in matrices])
    data = [symbol.table.data for symbol in tables.values()]
    starts = np.cumsum([0, *map(len, data)])[:-1]
    compute = sp.lambdify(
        [t, *(list(symbols) for symbols in (*state.values(), constants, tables.values()))],
        [e for _, matrix in matrices for e in matrix],
        modules=[WORDS | {"tables": np.concatenate([*data, [0.0]])}, "math"],
        printer=Printer(allow_unknown_functions=True),
        dummify=True,
        cse=_shared,
    )

    def evaluated(
        t: float, q: Any, v: Any, turns: Any = None, parameters: Mapping[str, float] | None = None, z: Any = None
    ) -> tuple[np.ndarray, ...]:
        if turns is None and counted:
            raise ModelError(
                f"these equations count turns ({', '.join(counted)}); add turns=, {len(state['turns'])} angles in the "
                "order of eq.turns (zeros where nothing has turned more than half round since the placement)"
            )
        if z is None and held:
            what = f"these equations speak of states ({', '.join(held)})"
            raise ModelError(f"{what}; add z=, {len(state['z'])} numbers in the order of eq.z")
        values = {symbol.name: value for symbol, value in constants.items()}
        for name in parameters or {}:
            if name not in values:
                raise unknown_name("parameter", name, values, "the equations")
        values |= parameters or {}
        given = [_numbers(x, *symbols) for x, symbols in zip((q, v, turns, z), state.items(), strict=True)]
        numbers = np.array(compute(float(t), *given, [float(x) for x in values.values()], starts), dtype=float)
        parts = np.split(numbers, ends[:-1])
        return tuple(
            part.reshape(m.shape) if name in SQUARE else part for part, (name, m) in zip(parts, matrices, strict=True)
        )

    return evaluated


def _shared(expressions: list[sp.Expr], list: bool = False) -> tuple[Any, Any]:
    """What occurs more than once is computed once. Parts of sums and of products are not looked for: in long equations
    that takes a hundred times longer, and finds little."""
    return tree_cse(expressions, sp.numbered_symbols("w_"))


SQUARE = ("Phi_q", "M")  # the matrices that have columns


def _numbers(given: Any, what: str, symbols: sp.ImmutableMatrix) -> list[float]:
    numbers = np.zeros(len(symbols)) if given is None else np.asarray(given, dtype=float)
    if numbers.shape != (len(symbols),):
        raise ModelError(f"{what} has the shape {numbers.shape}; give {len(symbols)} numbers in the order of eq.{what}")
    return numbers.tolist()
