"""Derivatives of the law of small motions about an equilibrium by parameters, and of its frequencies and damping.

M, D and K are exact functions of the equilibrium and of the numbers in the equations, K a derivative already. With p
the equilibrium moves by dx, which is exact too; K changes with both. The derivative of K along a line,

    d/dh K(x + h dx, p + h),        h = 0,

is computed from central differences over four steps, extrapolated, each pose on the line closed. The result agrees with
the derivative to some eleven digits; where the last two do not agree to six, there is no derivative.

A simple eigenvalue σ of A, with A u = σ u and wᴴ A = σ wᴴ, changes by wᴴ dA u / wᴴ u. Coinciding eigenvalues have no
derivative each by itself (their sum has), nor has the double eigenvalue 0 of rigid motions.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ...compiled.status import DONE
from ...errors import ModelError, unknown_name
from ...poses import newton
from ...tolerances import SAME_EIGENVALUE
from ..balance import Balance, balance_at
from ..differences import FARTHEST, extrapolated
from ..steady import small_motion_at_rest
from .rest import RestDerivatives

if TYPE_CHECKING:
    from ..linear import LinearSystem

MATRICES, VALUES = ("M", "D", "K", "A"), ("eigenvalues", "frequencies", "damping")


@dataclass(frozen=True, eq=False)
class LawDerivatives:
    """The law about a rest, in its own coordinates."""

    rest: RestDerivatives
    names: tuple[str, ...]
    """The names of the coordinates."""

    @cached_property
    def matrices(self) -> dict[str, np.ndarray]:
        """The derivatives of M, D, K and A by each parameter: (parameters, rows, columns)."""
        slopes = [self._along(k) for k in range(len(self.rest.variables.names))]
        return dict(zip(MATRICES, (np.array(parts) for parts in zip(*slopes, strict=True)), strict=True))

    def _along(self, k: int) -> tuple[np.ndarray, ...]:
        h = self._step(k)
        matrices = self._matrices(k, 0.0)
        sizes = [x.size for x in matrices]
        slopes = extrapolated(lambda step: np.concatenate([x.ravel() for x in self._matrices(k, step)]), h)
        parts = np.split(slopes, np.cumsum(sizes)[:-1])
        return tuple(part.reshape(x.shape) for part, x in zip(parts, matrices, strict=True))

    def _step(self, k: int) -> float:
        """Return a step over which neither the pose nor a number changes by more than a small part."""
        variables, system, number = self.rest.variables, self.rest.system, self.rest.system.evaluator
        x = self.rest.solved[0][k]
        fastest = float(np.sqrt(system.weight @ x**2)) / system.length
        for batch in (system.structure.program.batch, system.structure.dynamics.batch):
            slopes, numbers = batch.slopes(number, variables.symbols[k : k + 1])[0], np.abs(batch.numbers(number))
            moving = slopes != 0.0
            sizes = np.where(numbers[moving] != 0.0, numbers[moving], 1.0)
            fastest = max(fastest, float((np.abs(slopes[moving]) / sizes).max(initial=0.0)))
        return FARTHEST / fastest if 0.0 < fastest < np.inf else FARTHEST

    def _matrices(self, k: int, h: float) -> tuple[np.ndarray, ...]:
        small = small_motion_at_rest(self._balance(k, h), self.names)
        return small.M, small.D, small.K, small.A

    def _balance(self, k: int, h: float) -> Balance:
        rest = self.rest
        name = rest.variables.names[k]
        model = rest.variables.model.with_values({name: rest.variables.model.parameters[name].value + h})
        system, t = model.compile(), rest.balance.t
        q = system.moved(rest.balance.q, h * rest.solved[0][k])
        if newton.close(system.machine(), t, q, system.still, 20) != DONE:
            raise ModelError(
                f"{model.name!r} does not close next to its equilibrium, with another {name!r}",
                code="does-not-close", model=model.name, name=name,
            )  # fmt: skip
        return balance_at(system, t, q)


def eigenvalue_slopes(A: np.ndarray, dA: np.ndarray, values: np.ndarray, units: np.ndarray) -> np.ndarray:
    """Return the derivatives of eigenvalues by each parameter, (parameters, eigenvalues): NaN for those that are not
    simple."""
    slopes = np.full((len(dA), len(values)), np.nan, dtype=complex)
    scaled, changed = A * units / units[:, None], dA * units / units[:, None]
    largest = np.abs(values).max(initial=0.0)
    for k, value in enumerate(values):
        left, sines, right = np.linalg.svd(scaled - value * np.eye(len(A)))
        near = np.abs(np.delete(values, k) - value).min(initial=np.inf)
        w, u = left[:, -1].conj(), right[-1].conj()
        if near > SAME_EIGENVALUE * largest and abs(w @ u) > SAME_EIGENVALUE:
            slopes[:, k] = (w @ changed @ u) / (w @ u)
    return slopes


def law_derivative(law: LinearSystem, name: str, by: str) -> np.ndarray:
    """Return a derivative of a law: see `LinearSystem.d`."""
    varied: LawDerivatives | None = law.varied
    if varied is None:
        what = "this law has no derivatives; ask for some about a rest"
        raise ModelError(f'{what}: linearize(model, derivatives=["k"])', code="run-without-derivatives")
    names, parameter = varied.rest.variables.names, str(getattr(by, "symbol", by))
    if parameter not in names:
        raise ModelError(
            f"this law has derivatives by {', '.join(names)}, and none by {parameter!r}",
            code="not-differentiated-by", names=tuple(names), parameter=parameter,
        )  # fmt: skip
    k = names.index(parameter)
    if name in MATRICES:
        return varied.matrices[name][k]
    if name not in VALUES:
        raise unknown_name("derivative", name, [*MATRICES, *VALUES], "the law")
    values = law.eigenvalues
    slopes = eigenvalue_slopes(law.A, varied.matrices["A"][k : k + 1], values, law.units)[0]
    if name == "eigenvalues":
        return slopes
    oscillates = values.imag > 0.0
    value, slope = values[oscillates], slopes[oscillates]
    sizes = (value.conj() * slope).real / np.abs(value)
    return sizes if name == "frequencies" else (value.real * sizes / np.abs(value) - slope.real) / np.abs(value)
