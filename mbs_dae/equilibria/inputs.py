"""Inputs and outputs of small motions: inputs change forces and the rates of states; outputs are read.

Inputs u are those of the model, or parameters of forces: ẏ = ... + B u. Outputs are quantities of the motion; with
w = P δv, J a measure's row and C', C'' its rate and acceleration,

    value J ζ,    rate J w + ∂C'/∂x ζ,    acceleration J (ẇ + (G - B) w) + ∂C''/∂x ζ + ∂C''/∂v w;

states and their rates; inputs; efforts -λ of drivers: multipliers balance the rest of the change of forces,

    Φ_vᵀ δλ = -(M δa + D_x δv + K_x δx) + F_z δz + F_u u;

and loads f(x, v, z, u) of springs, dampers, actuators and given forces: their efforts, and the components of the force
and moment on their last marker in world axes, ∂f/∂x P⁻¹ ζ + ∂f/∂v P⁻¹ w + ∂f/∂z δz + ∂f/∂u u.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..compiled import System
from ..compiled.derivatives import derivative_matrix
from ..compiled.slopes import places_moved
from ..duals import Dual
from ..errors import ModelError, unknown_name
from ..model.drivers import Driver
from ..model.forces.base import EffortElement, ForceElement
from ..model.parameters import Parameter
from ..results.names import COMPONENTS, EFFORT, components
from ..symbolic.loads import Load
from ..tolerances import RANK_TOLERANCE, REACTION_UNIQUENESS
from .balance import Balance, balance_at, unit_rows
from .differences import difference
from .frames import frame_of
from .small import SmallMotion, in_bodies
from .states import StateMotion, rates_at, state_places


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
    reading = OutputRows(small, states, tuple(inputs), forces, np.hstack([states.whole(small.A), B]))
    rows = np.array([reading.row(name) for name in outputs]).reshape(len(outputs), total + len(inputs))
    return Ports(B, rows[:, :total], rows[:, total:])


@dataclass(frozen=True, eq=False)
class OutputRows:
    """Rows that give outputs from (η, y, z, u)."""

    small: SmallMotion
    states: StateMotion
    inputs: tuple[str, ...]
    forces: np.ndarray
    """Derivatives of the forces by u."""
    law: np.ndarray
    """The matrix (A | B)."""

    def row(self, name: str) -> np.ndarray:
        model, last = self.small.balance.system.model, len(self.small.A)
        owner, _, quantity = name.rpartition(".")
        states = [*self.states.names]
        if name in states:
            return np.eye(self.law.shape[1])[last + states.index(name)]
        if quantity == "rate" and owner in states:
            return self.law[last + states.index(owner)]
        if name in self.inputs or name in [one.name for one in model.inputs]:
            row = np.zeros(self.law.shape[1])
            if name in self.inputs:
                row[len(self.law) + self.inputs.index(name)] = 1.0
            return row
        element = model.elements.get(owner)
        if isinstance(element, Driver) and quantity == EFFORT:
            return self._effort(owner)
        if isinstance(element, EffortElement) and quantity == EFFORT:
            return self._load(name, element, None)
        if isinstance(element, ForceElement) and quantity in COMPONENTS[model.dimension]:
            return self._load(name, element, COMPONENTS[model.dimension].index(quantity))
        reactions = *COMPONENTS[model.dimension], "force", "moment"
        if element is not None and not isinstance(element, ForceElement) and quantity in reactions:
            raise ModelError(
                f"{name!r} is a reaction, and outputs of linearize are quantities of the motion, efforts of drivers, "
                "forces and efforts of force elements; read reactions of a run, or put a stiff bushing in its place",
                code="is-a-reaction", argument="outputs", name=name,
            )  # fmt: skip
        return self._quantity(name)

    def _unknown(self, name: str) -> ModelError:
        """Return the error for a name that is not an output, with the components of a vector or the nearest names."""
        model = self.small.balance.system.model
        if name in model.parameters:
            return model.unknown_quantity(name)
        names = [*model.quantity_names(), *self.states.names, *(f"{state}.rate" for state in self.states.names)]
        names += [one.name for one in model.inputs]
        for element in model.elements.values():
            if isinstance(element, Driver | EffortElement):
                names.append(f"{element.name}.{EFFORT}")
            if isinstance(element, ForceElement):
                names += [f"{element.name}.{component}" for component in COMPONENTS[model.dimension]]
        if parts := components(name, names):
            what = f"{name!r} is a vector, and an output of linearize is a number"
            return ModelError(
                f"{what}; name its components: {', '.join(map(repr, parts))}",
                code="is-a-vector", argument="outputs", components=parts, name=name,
            )  # fmt: skip
        return unknown_name("output", name, names, f"model {model.name!r}")

    @cached_property
    def _ways(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """ζ, w and ẇ as matrices by (η, y, z, u)."""
        small, count = self.small, len(self.small.A)
        wide = ((0, 0), (0, self.law.shape[1] - count))
        return np.pad(small.positions, wide), np.pad(small.velocities, wide), small.velocities @ self.law[:count]

    def _quantity(self, name: str) -> np.ndarray:
        balance, frame, (Z, W, V) = self.small.balance, self.small.frame, self._ways
        system, n = balance.system, balance.system.nv
        if (found := system.model.quantity_or_none(name)) is None:
            raise self._unknown(name)
        measure, level = found
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
        if np.abs(self._null[:, system.rows_of(driver)]).max(initial=0.0) > REACTION_UNIQUENESS:
            raise ModelError(
                f"the effort of {driver!r} is not unique: redundant joints share its load, so it is not an output; "
                "leave out what is redundant (mbs.diagnose)",
                code="not-unique", argument="outputs", element=driver,
            )  # fmt: skip
        return -self._multipliers[system.rows_of(driver)][0]

    def _load(self, name: str, element: ForceElement, component: int | None) -> np.ndarray:
        """Return the row of the effort of a force element, or of one component of its force and moment. Derivatives by
        the motion are those of its expression; derivatives by states and inputs are differences."""
        balance, frame, (Z, W, _) = self.small.balance, self.small.frame, self._ways
        system = balance.system
        form, _ = element.form()
        if component is not None and not isinstance(form, Load):
            raise ModelError(
                f"{name!r} is the force of a Python function, which has no slope; write its law as an expression, "
                "mbs.Force, to have it as an output",
                code="law-in-python", argument="outputs", name=name, element=element.name,
            )  # fmt: skip
        if component is not None and np.any(frame.turning):
            raise ModelError(
                f"{name!r} is a component along world axes, and those about a steady motion that turns are told "
                f"in axes that turn with it; read an effort instead, or the law of a motion along a line",
                code="axes-turn", argument="outputs", name=name, element=element.name,
            )  # fmt: skip
        reading = element.effort_reading if isinstance(element, EffortElement) and component is None else form.wrenches
        place = component if component is not None else 0
        if component is not None:
            place += element.second * len(COMPONENTS[system.model.dimension])

        def value(used: System, q: Any, v: Any) -> Any:
            own = used.model.elements[element.name]
            _, numbers = own.form()
            return used.read_values(reading, numbers, own.markers, np.array([balance.t]), q, v)[:, place]

        last, bodies = len(self.small.A), system.cartesian
        q, v = balance.q, balance.v
        ways, paces = Z[:, :last], W[:, :last]
        if bodies is not system:
            q, v, _ = (x[0] for x in system.to_bodies((q[None], v[None], system.still[None])))
            ways, paces = in_bodies(self.small) @ ways, in_bodies(self.small) @ paces
        P = frame_of(balance_at(bodies, balance.t, q, v), np.zeros(3)).P.T
        rates = np.zeros((last, 1, v.size))
        rates[:, 0, : bodies.nv] = (P @ paces).T
        moved = places_moved(bodies.structure, q[None], (P @ ways).T[:, None])
        by = tuple(Parameter(f"way {k}") for k in range(last))
        row = np.zeros(self.law.shape[1])
        row[:last] = value(bodies, Dual(q[None], moved, by), Dual(v[None], rates, by)).slope[:, 0]
        for k, (state, at) in enumerate(state_places(bodies).items()):

            def aside(far: float, at: int = at) -> np.ndarray:
                there = q.copy()
                there[at] += far
                return value(bodies, there[None], v[None])

            scale = next(one.scale for one in system.model.states if one.name == state)
            row[last + k] = difference(aside, float(system.evaluator(scale)))[0]
        for k, input_name in enumerate(self.inputs):
            start, change = input_of(balance, input_name)

            def changed(far: float, word: str = input_name, start: float = start, change: Any = change) -> np.ndarray:
                other = change(**{word: start + far}).compile()
                return value(other, balance_at(other, balance.t, q, v).q[None], v[None])

            row[len(self.law) + k] = difference(changed, max(abs(start), 1.0))[0]
        if not np.isfinite(row).all():
            raise ModelError(
                f"{name!r} has no slope at this state of {system.model.name!r}: its law jumps or has a corner there; "
                "linearize about another state, or round it off, such as sp.tanh(x / width)",
                code="no-derivative", argument="outputs", name=name, model=system.model.name,
            )  # fmt: skip
        return row

    @cached_property
    def _null(self) -> np.ndarray:
        """A basis of the multipliers that exert no force: rows of length 1."""
        balance = self.small.balance
        J, _ = unit_rows(balance.jacobian / np.sqrt(balance.system.weight))
        left, sines, _ = np.linalg.svd(J, full_matrices=True)
        return left.T[int((sines > RANK_TOLERANCE * sines.max(initial=0.0)).sum()) :]

    @cached_property
    def _multipliers(self) -> np.ndarray:
        balance, frame, (Z, W, V) = self.small.balance, self.small.frame, self._ways
        K, D, *_ = balance.derivatives(*balance.accelerations)
        P = frame.P.T
        residual = balance.mass @ P @ (V + (frame.G - frame.B) @ W) + D @ P @ W + K @ P @ Z
        last, end = len(self.small.A), len(self.law)
        residual[:, last:end] -= self.states.forces
        residual[:, end:] -= self.forces
        return balance.multipliers_for(-residual)


def input_of(balance: Balance, name: str) -> tuple[float, Callable[..., Any]]:
    """Return the value of an input, or of a parameter, and the function that gives the model with another value."""
    system, model = balance.system, balance.system.model
    if name in model.parameters:
        return model.parameters[name].value, model.with_parameters
    if signal := next((one.symbol for one in model.inputs if one.name == name), None):
        return float(balance.q[system.layout.signals[signal]]), model.with_inputs
    raise unknown_name("input or parameter", name, [*model.parameters, *(one.name for one in model.inputs)], model.name)


def changes_by(balance: Balance, name: str) -> np.ndarray:
    """Return -∂F/∂u and ∂ż/∂u of an input, or a parameter of forces, at this state. Raise a `ModelError` if it changes
    the rows of joints."""
    system, model = balance.system, balance.system.model
    a, multipliers = balance.accelerations
    places = [*state_places(system).values()]
    value, change = input_of(balance, name)

    def at(far: float) -> np.ndarray:
        other = change(**{name: value + far}).compile(system.coordinates.set)
        other_balance = balance_at(other, balance.t, balance.q, balance.v)
        rates = rates_at(other, balance.t, balance.q, balance.v) if places else np.zeros(0)
        residual = other_balance.forces - other_balance.mass @ a - other_balance.jacobian.T @ multipliers
        return np.concatenate([residual, rates[places], other_balance.phi, other_balance.nu, other_balance.gamma])

    slopes = difference(at, max(abs(value), 1.0))
    count = system.nv + len(places)
    if not np.isfinite(slopes).all():
        raise ModelError(
            f"what {name!r} changes in {model.name!r} has no slope at this value, {value:g}: a law jumps or has a "
            "corner there; linearize at another value, or round it off, such as sp.tanh(x / width)",
            code="no-derivative", argument="inputs", name=name, value=value, model=model.name,
        )  # fmt: skip
    if np.abs(slopes[count:]).max(initial=0.0) > RANK_TOLERANCE:
        raise ModelError(
            f"the parameter {name!r} of {model.name!r} changes joints or drivers, not only forces; inputs of a "
            "linearised system act through forces: declare an effort, model.input(...)",
            code="changes-more-than-forces", argument="inputs", name=name, model=model.name,
        )  # fmt: skip
    return slopes[:count]
