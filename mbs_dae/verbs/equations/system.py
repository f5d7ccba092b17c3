"""The equations of a whole system: exact, and in the names of the textbooks.

eq = mbs.equations(model)
eq.Phi, eq.Phi_q, eq.nu, eq.gamma, eq.M, eq.Q         # sympy matrices in x_2, y_2, phi_2, xdot_2, ..., t
print(eq.compare(Phi_q=mine))                         # which entries of a hand-written matrix differ
M, Q = eq.lambdify("M", "Q")(t, q, v)                 # the same in numbers
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp
from sympy.simplify.cse_main import tree_cse

from ...errors import ModelError, unknown_name
from ...kernels import abi
from ...symbolic.codegen import Printer
from ...symbolic.markers import t
from .comparison import Comparison, compared
from .matrices import BOLD, Matrices


class SystemEquations(Matrices):
    """Φ(q, t) = 0,   Φ_q q̇ = ν,   Φ_q q̈ = γ,   M q̈ + Φ_qᵀ λ = Q.

    In space the velocities v are those of places and the angular velocities in body axes; there Φ_q stands for Φ_v, and
    q̇, q̈ for v, v̇. Unit quaternions are taken for granted: where |e|² stands in what is derived, 1 is printed.

    Q is all that acts on the bodies but the joints: weight, what velocities make of inertia, and every applied force. A
    `PythonForce` named "wind" stands in it as functions F_wind_x(...), F_wind_y(...), M_wind(...) of the coordinates
    and rates of the bodies whose markers it sees, and of time.

    Body 1 is the ground, whose coordinates are zero; where no element uses ``model.ground`` the bodies of the model
    count from 1. The rates are the symbols xdot_2, ydot_2, phidot_2, set as dotted letters.
    """

    def lambdify(self, *names: str) -> Callable[..., tuple[np.ndarray, ...]]:
        """These matrices (all six, where none is named) as one function of numbers:

            M, Q = eq.lambdify("M", "Q")(t, q, v, turns=None, parameters={"r": 0.2})

        q and v stand in the order of ``eq.q`` and ``eq.v``, as in a row of ``result.q`` and ``result.v``; parameters
        that are not given have their values in the model. Φ, ν, γ and Q come back as vectors. ``turns`` is needed
        where ``eq.turns`` stand in these matrices.
        """
        return _lambdified(self, names)

    def compare(
        self, *, Phi: Any = None, Phi_q: Any = None, nu: Any = None, gamma: Any = None, M: Any = None, Q: Any = None
    ) -> Comparison:
        """Check hand-written matrices entry by entry.

        Entries are numbers or sympy expressions (no text) in symbols of these names: ``eq.symbols["phi_3"]``, or your
        own. Any form will do: what expanding does not decide is evaluated at random points near the placement.
        """
        given = {"Phi": Phi, "Phi_q": Phi_q, "nu": nu, "gamma": gamma, "M": M, "Q": Q}
        return compared(self, {name: matrix for name, matrix in given.items() if matrix is not None})


# --- in numbers: the same expressions, printed and computed as in the kernels ---


WORDS: dict[str, Any] = {name: vars(getattr(abi, name))["py_func"] for name in ("lookup", "unwound", "wrap")}
"""What kernels call besides Python's math, not compiled."""


def _lambdified(eq: Matrices, names: Sequence[str]) -> Callable[..., tuple[np.ndarray, ...]]:
    """See `SystemEquations.lambdify`."""
    names = names or [*BOLD]
    for name in names:
        if name not in BOLD:
            raise unknown_name("matrix", name, BOLD, "the equations")
    matrices = [getattr(eq, name) for name in names]
    counted = sorted({s.name for m in matrices for s in m.free_symbols} & {s.name for s in eq.turns})
    ends = np.cumsum([len(m) for m in matrices])
    data = [symbol.table.data for symbol in eq.tables.values()]
    starts = np.cumsum([0, *map(len, data)])[:-1]
    compute = sp.lambdify(
        [t, *(list(symbols) for symbols in (eq.q, eq.v, eq.turns, eq.parameters, eq.tables.values()))],
        [e for matrix in matrices for e in matrix],
        modules=[WORDS | {"tables": np.concatenate([*data, [0.0]])}, "math"],
        printer=Printer(allow_unknown_functions=True),
        dummify=True,
        cse=_shared,
    )

    def evaluated(
        t: float, q: Any, v: Any, turns: Any = None, parameters: Mapping[str, float] | None = None
    ) -> tuple[np.ndarray, ...]:
        if turns is None and counted:
            raise ModelError(
                f"these equations count turns ({', '.join(counted)}); add turns=, {len(eq.turns)} angles in the order "
                "of eq.turns (zeros where nothing has turned more than half round since the placement)"
            )
        values = {symbol.name: value for symbol, value in eq.parameters.items()}
        for name in parameters or {}:
            if name not in values:
                raise unknown_name("parameter", name, values, "the equations")
        values |= parameters or {}
        state = [_numbers(x, eq, what) for x, what in ((q, "q"), (v, "v"), (turns, "turns"))]
        numbers = np.array(compute(float(t), *state, [float(x) for x in values.values()], starts), dtype=float)
        parts = np.split(numbers, ends[:-1])
        return tuple(
            part.reshape(m.shape) if name in SQUARE else part
            for part, m, name in zip(parts, matrices, names, strict=True)
        )

    return evaluated


def _shared(expressions: list[sp.Expr], list: bool = False) -> tuple[Any, Any]:
    """What occurs more than once is computed once. Parts of sums and of products are not looked for: in long equations
    that takes a hundred times longer, and finds little."""
    return tree_cse(expressions, sp.numbered_symbols("w_"))


SQUARE = ("Phi_q", "M")  # the matrices that have columns


def _numbers(given: Any, eq: Matrices, what: str) -> list[float]:
    wanted = len(getattr(eq, what))
    numbers = np.zeros(wanted) if given is None else np.asarray(given, dtype=float)
    if numbers.shape != (wanted,):
        raise ModelError(f"{what} has the shape {numbers.shape}; give {wanted} numbers in the order of eq.{what}")
    return numbers.tolist()
