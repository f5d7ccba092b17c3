"""The equations of a whole system: exact, and in the names of the textbooks.

    eq = mbs.equations(model)
    eq.Phi, eq.Phi_q, eq.nu, eq.gamma, eq.M, eq.Q         # sympy matrices in x_2, y_2, phi_2, xdot_2, ..., t
    print(eq.compare(Phi_q=mine))                         # which entries of a hand-written matrix differ
    M, Q = eq.lambdify("M", "Q")(t, q, v)                 # the same in numbers
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .comparison import Comparison, compared
from .evaluation import lambdified
from .matrices import Matrices


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
        return lambdified(self, names)

    def compare(
        self, *, Phi: Any = None, Phi_q: Any = None, nu: Any = None, gamma: Any = None, M: Any = None, Q: Any = None
    ) -> Comparison:
        """Check hand-written matrices entry by entry.

        Entries are numbers or sympy expressions (no text) in symbols of these names: ``eq.symbols["phi_3"]``, or your
        own. Any form will do: what expanding does not decide is evaluated at random points near the placement.
        """
        given = {"Phi": Phi, "Phi_q": Phi_q, "nu": nu, "gamma": gamma, "M": M, "Q": Q}
        return compared(self, {name: matrix for name, matrix in given.items() if matrix is not None})
