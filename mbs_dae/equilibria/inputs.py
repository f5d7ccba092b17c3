"""Inputs and outputs of small motions: what goes in changes forces and the rates of states, what comes out is read.

Inputs u are those of the model, or parameters of forces: ẏ = ... + B u. Outputs are quantities of the motion; with
w = P δv, J a measure's row and C', C'' its rate and acceleration,

    value J ζ,    rate J w + ∂C'/∂x ζ,    acceleration J (ẇ + (G - B) w) + ∂C''/∂x ζ + ∂C''/∂v w;

states and their rates; inputs; and efforts -λ of drivers: multipliers take up what is left of the change of forces,

    Φ_vᵀ δλ = -(M δa + D_x δv + K_x δx) + F_z δz + F_u u.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..compiled.derivatives import derivative_matrix
from ..errors import ModelError, unknown_name
from ..tolerances import RANK
from .balance import Balance, balance_at, unit_rows
from .small import SmallMotion
from .states import StateMotion, difference, rates_at, state_places

LOOSE = 1e-6
"""What a null vector of unit length may have of the multiplier of an effort that is unique."""


class Ports(NamedTuple):
    """Inputs and outputs as matrices: (η, y, z)˙ = ... + B u, and C (η, y, z) + feedthrough · u."""

    B: np.ndarray
    C: np.ndarray
    feedthrough: np.ndarray


def ports_of(small: SmallMotion, states: StateMotion, inputs: Sequence[str], outputs: Sequence[str]) -> Ports:
    count, last, n = len(small.names), len(small.A), small.balance.system.nv
    changes = np.stack([changes_by(small.balance, name) for name in inputs], axis=1) if inputs else None
    total = last + len(states.names)
    forces = np.zeros((n, 0)) if changes is None else changes[:n]
    B = np.zeros((total, len(inputs)))
    B[count:last] = np.linalg.solve(small.M, small.S.T @ small.frame.P @ forces)
    B[last:] = 0.0 if changes is None else changes[n:]
    reading = Readings(small, states, tuple(inputs), forces, np.hstack([states.whole(small.A), B]))
    rows = np.array([reading.row(name) for name in outputs]).reshape(len(outputs), total + len(inputs))
    return Ports(B, rows[:, :total], rows[:, total:])


@dataclass(frozen=True, eq=False)
class Readings:
    """What outputs read: rows by (η, y, z, u)."""

    small: SmallMotion
    states: StateMotion
    inputs: tuple[str, ...]
    forces: np.ndarray
    """By u."""
    law: np.ndarray
    """(A | B)."""

    def row(self, name: str) -> np.ndarray:
        model, last = self.small.balance.system.model, len(self.small.A)
        owner, _, wanted = name.rpartition(".")
        own = [*self.states.names]
        if name in own:
            return np.eye(self.law.shape[1])[last + own.index(name)]
        if wanted == "rate" and owner in own:
            return self.law[last + own.index(owner)]
        if name in self.inputs or name in [one.name for one in model.inputs]:
            row = np.zeros(self.law.shape[1])
            if name in self.inputs:
                row[len(self.law) + self.inputs.index(name)] = 1.0
            return row
        if wanted == "effort" and owner in [driver.name for driver in model.drivers]:
            return self._effort(owner)
        return self._quantity(name)

    @cached_property
    def _ways(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """ζ, w and ẇ."""
        small, count = self.small, len(self.small.A)
        wide = ((0, 0), (0, self.law.shape[1] - count))
        return np.pad(small.positions, wide), np.pad(small.velocities, wide), small.velocities @ self.law[:count]

    def _quantity(self, name: str) -> np.ndarray:
        balance, frame, (Z, W, V) = self.small.balance, self.small.frame, self._ways
        system, n = balance.system, balance.system.nv
        measure, level = system.model.quantity(name)
        program = system.structure.builder_of([measure])
        J = system.reader_by(program).jacobian(balance.t, balance.q).toarray()[0] @ frame.P.T
        if level == 0:
            return J @ Z
        full = system.still
        full[:n], _ = balance.accelerations
        slopes = derivative_matrix(system, balance.t, balance.q, balance.v, full, np.zeros(1), program).toarray()
        parts = slopes[n, :n], slopes[n + 1, :n], slopes[n + 1, n : 2 * n]
        rate_x, acc_x, acc_v = (part @ frame.P.T for part in parts)
        if level == 1:
            return J @ W + rate_x @ Z
        return J @ (V + (frame.G - frame.B) @ W) + acc_x @ Z + acc_v @ W

    def _effort(self, driver: str) -> np.ndarray:
        system = self.small.balance.system
        if np.abs(self._null[:, system.rows_of(driver)]).max(initial=0.0) > LOOSE:
            raise ModelError(
                f"the effort of {driver!r} is not unique: redundant joints share its load, so it is no output; leave "
                "out what is redundant (mbs.diagnose)"
            )
        return -self._multipliers[system.rows_of(driver)][0]

    @cached_property
    def _null(self) -> np.ndarray:
        """What multipliers may be without any force: rows of length 1."""
        balance = self.small.balance
        J, _ = unit_rows(balance.jacobian / np.sqrt(balance.system.weight))
        ways, sines, _ = np.linalg.svd(J, full_matrices=True)
        return ways.T[int((sines > RANK * sines.max(initial=0.0)).sum()) :]

    @cached_property
    def _multipliers(self) -> np.ndarray:
        balance, frame, (Z, W, V) = self.small.balance, self.small.frame, self._ways
        K, D, *_ = balance.derivatives(*balance.accelerations)
        P = frame.P.T
        left = balance.mass @ P @ (V + (frame.G - frame.B) @ W) + D @ P @ W + K @ P @ Z
        last, end = len(self.small.A), len(self.law)
        left[:, last:end] -= self.states.forces
        left[:, end:] -= self.forces
        return balance.taken_up(-left)


def changes_by(balance: Balance, name: str) -> np.ndarray:
    """-∂F/∂u and ∂ż/∂u: how an input, or a parameter of forces, changes these at this state. It must not move the
    joints."""
    system, model = balance.system, balance.system.model
    a, multipliers = balance.accelerations
    places = [*state_places(system).values()]
    change: Callable[..., object]
    if name in model.parameters:
        value, change = model.parameters[name].value, model.with_parameters
    elif signal := next((one.symbol for one in model.inputs if one.name == name), None):
        value, change = float(balance.q[system.layout.signals[signal]]), model.with_inputs
    else:
        known = [*model.parameters, *(one.name for one in model.inputs)]
        raise unknown_name("input or parameter", name, known, model.name)

    def at(far: float) -> np.ndarray:
        other = change(**{name: value + far}).compile(system.coordinates.set)
        there = balance_at(other, balance.t, balance.q, balance.v)
        rates = rates_at(other, balance.t, balance.q, balance.v) if places else np.zeros(0)
        left = there.forces - there.mass @ a - there.jacobian.T @ multipliers
        return np.concatenate([left, rates[places], there.phi, there.nu, there.gamma])

    slopes = difference(at, max(abs(value), 1.0))
    count = system.nv + len(places)
    if not np.isfinite(slopes).all():
        raise ModelError(
            f"what {name!r} changes in {model.name!r} has no slope at this value, {value:g}: a law jumps or has a "
            "corner there; linearize at another value, or round it off, such as sp.tanh(x / width)"
        )
    if np.abs(slopes[count:]).max(initial=0.0) > RANK:
        raise ModelError(
            f"the parameter {name!r} of {model.name!r} changes joints or drivers, not only forces; inputs of a "
            "linearised system act through forces: declare an effort, model.input(...)"
        )
    return slopes[:count]
