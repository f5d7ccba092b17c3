"""A linearised system: state (η, y), inputs u, outputs; its eigenvalues and modes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import eigh

from ..compiled.tangents import derivative_matrix
from ..errors import ModelError, unknown_name
from ..provided import provided
from ..results.result import Result, State
from ..tolerances import RANK
from .balance import Balance, balance_at
from .frames import frame_of
from .shapes import motion_in_mode
from .small import SmallMotion
from .states import rates_at, state_places
from .steady import of_bodies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NONE = 1e-9
"""Damping, or what is not symmetric in K, of less than this part is none."""
STEP = 1e-3
"""How far a parameter is moved to see what it does, relative to its value (or to 1); what is left of the difference
after extrapolation is of the fourth power."""


@dataclass(frozen=True, eq=False)
class Mode:
    """One mode: it goes like exp(eigenvalue · t) times its shape."""

    eigenvalue: complex
    shape: Mapping[str, complex] = field(repr=False)
    """The small motion of each coordinate of the bodies, by name; the largest is 1."""

    @property
    def frequency(self) -> float:
        """|eigenvalue| in rad/s where it oscillates: the frequency that there would be without damping; 0 where it does
        not."""
        return abs(self.eigenvalue) if self.eigenvalue.imag else 0.0

    @property
    def damping(self) -> float:
        """-Re/|eigenvalue|: 0 undamped, 1 no oscillation any more, negative where it grows."""
        return 0.0 - self.eigenvalue.real / abs(self.eigenvalue) if self.eigenvalue else 0.0


@dataclass(frozen=True, eq=False, repr=False)
class LinearSystem:
    """Small motions about a state, from `linearize`: M y' + D y + K η = 0, with η' = y where all constraints restrict
    positions."""

    state: State
    coordinates: tuple[str, ...]
    """The names of η: each is the small motion of that coordinate, in rad or m. ``turn_x`` and the like are turns about
    world axes. (In a steady motion axes turn with it.)"""
    velocities: tuple[str, ...]
    """Those of y: the rates of so many of the coordinates."""
    states: tuple[str, ...]
    """The states z of the model, behind (η, y) in A, B and C."""
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    M: np.ndarray
    D: np.ndarray
    K: np.ndarray
    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    """Outputs are C (η, y) + (their values at the state) + feedthrough · u: see `feedthrough`, which is D in books on
    control."""
    feedthrough: np.ndarray
    shapes: np.ndarray
    """The small motion of every coordinate of the bodies for (η, y)."""
    shape_names: tuple[str, ...]
    turning: np.ndarray
    """Ω, the angular velocity of the axes in which all this is told: 0 but in steady motions of what is no body of
    revolution."""

    @cached_property
    def eigen(self) -> tuple[np.ndarray, np.ndarray]:
        """Eigenvalues and vectors, sorted by size, of pairs the one with positive imaginary part first. Without damping
        and with a symmetric K they are those of K x = ω² M x, imaginary exactly."""
        n, K = len(self.M), self.K
        if len(self.coordinates) == n and not self.states and _small(self.D, self.M, K) and _small(K - K.T, K):
            squares, ways = eigh((K + K.T) / 2, (self.M + self.M.T) / 2)
            squares[np.abs(squares) < 1e-14 * np.abs(squares).max(initial=0.0)] = 0.0
            values = np.emath.sqrt(-squares).astype(complex)
            values = np.concatenate([values, -values])
            vectors = np.concatenate([np.vstack([ways, ways * s]) for s in (values[:n], values[n:])], axis=1)
        else:
            values, vectors = _eigen(self.A)
        order = np.lexsort((-values.imag, values.real, np.round(np.abs(values), 9)))
        return values[order], vectors[:, order]

    @property
    def eigenvalues(self) -> np.ndarray:
        """All of A, in 1/s, the smallest first."""
        return self.eigen[0]

    @cached_property
    def modes(self) -> tuple[Mode, ...]:
        """One for each pair of eigenvalues and each real one, by |eigenvalue|."""
        found = []
        for value, vector in zip(self.eigenvalues, self.eigen[1].T, strict=True):
            if value.imag >= 0.0:
                shape = self.shapes @ vector
                largest = shape[np.argmax(np.abs(shape))] if shape.size else 1.0
                found.append(Mode(complex(value), dict(zip(self.shape_names, shape / (largest or 1.0), strict=True))))
        return tuple(found)

    @property
    def frequencies(self) -> np.ndarray:
        """In rad/s, those of the modes that oscillate: see `Mode.frequency`."""
        return np.array([mode.frequency for mode in self.modes if mode.frequency])

    @property
    def damping(self) -> np.ndarray:
        """The damping ratios of the same modes."""
        return np.array([mode.damping for mode in self.modes if mode.frequency])

    def mode(self, number: int) -> Mode:
        """By its number in the table, from 1."""
        if number not in range(1, len(self.modes) + 1):
            own = f"has {len(self.modes)} modes, numbered from 1" if self.modes else "cannot move: it has no modes"
            raise ModelError(f"there is no mode {number!r}: {self.state.system.model.name!r} {own}")
        return self.modes[number - 1]

    def motion(self, mode: int = 1, amplitude: float | None = None) -> Result:
        """One mode by itself: one period of it (or three time constants, where it does not oscillate) as a result, each
        pose closed. `amplitude` is that of the largest coordinate of its shape. Of a steady motion only the small one
        about it is in it."""
        one = self.mode(mode)
        return motion_in_mode(self.state, one.eigenvalue, one.shape, amplitude)

    def plot(self) -> Figure:
        """The eigenvalues in the complex plane (of a pair one), over lines of equal damping; numbers are those of
        modes."""
        return provided("LinearSystem.plot")(self)

    def draw(
        self, *modes: int, amplitude: float | None = None, size: tuple[float, float] = (4.2, 3.4),
        view: tuple[float, ...] | None = None,
    ) -> Figure:  # fmt: skip
        """The shapes of modes, by number, side by side: the mechanism at the state, and faint at the extremes. (If none
        is named all but those whose eigenvalue is 0.) `size` is that of one picture, in inches; `amplitude` and `view`
        as in `motion` and ``Result.draw``."""
        return provided("LinearSystem.draw")(self, modes, amplitude, size, view)

    def animate(
        self, mode: int = 1, path: str | Path | None = None, *, amplitude: float | None = None, **options: Any
    ) -> Any:
        """A film of one mode, as of ``Result.animate``, whose options it has. A period lasts two seconds, unless
        `speed` is given."""
        return provided("LinearSystem.animate")(self, mode, path, amplitude, **options)

    def to_control(self) -> Any:
        """The system as a `control.StateSpace` of python-control. That keeps dots for the names of systems, so names
        have "_" in their place: "crank.angle" is its output "crank_angle"."""
        try:
            control = import_module("control")
        except ImportError as missing:
            what = "to_control() needs python-control; install it with: pip install 'mbs_dae[control]'"
            raise ModelError(what) from missing
        if not (self.inputs and self.outputs):
            raise ModelError(
                "a system to be controlled needs names for both: linearize(..., inputs=[...], outputs=[...])"
            )
        states = [*self.coordinates, *(f"{name}_rate" for name in self.velocities), *self.states]
        labels = {"states": states, "inputs": self.inputs, "outputs": self.outputs}
        names = {what: [name.replace(".", "_") for name in own] for what, own in labels.items()}
        own = self.state.system.model.name.replace(".", "_")
        return control.ss(self.A, self.B, self.C, self.feedthrough, name=own, **names)

    def __str__(self) -> str:
        titles = f"{'frequency [rad/s]':>18}  {'[Hz]':>10}  {'damping':>9}  moves most"
        lines = [f"{'mode':>4}  {'eigenvalue [1/s]':>26}  {titles}"]
        for k, mode in enumerate(self.modes, 1):
            value, f = mode.eigenvalue + 0.0, mode.frequency
            written = f"{value.real:.6g} ± {value.imag:.6g}i" if f else f"{value.real:.6g}"
            numbers = f"{f:18.7g}  {f / (2 * np.pi):10.6g}" if f else f"{'':18}  {'':10}"
            most = max(mode.shape, key=lambda name: abs(mode.shape[name]), default="")
            lines.append(f"{k:4}  {written:>26}  {numbers}  {mode.damping:9.4f}  {most}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<LinearSystem of {self.state.system.model.name!r}: {', '.join(self.coordinates)}>"


def _eigen(A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of a matrix with columns of zeros, such as of places that no force asks for: each is an eigenvalue 0 of its own,
    and what remains is not blurred by their being many."""
    size = np.abs(A).max(initial=0.0)
    idle: list[int] = []
    while True:
        rest = np.setdiff1d(np.arange(len(A)), idle)
        more = [k for k in rest if np.abs(A[np.ix_(rest, [k])]).max() <= 1e-13 * size]
        if not more:
            break
        idle += more
    values, vectors = np.linalg.eig(A[np.ix_(rest, rest)])
    whole = np.zeros((len(A), len(A)), dtype=complex)
    whole[idle, range(len(idle))] = 1.0
    whole[rest, len(idle) :] = vectors
    for k in reversed(idle):  # a place goes as what moves it
        others = np.arange(len(idle), len(A))
        whole[k, others] = np.divide(
            A[k] @ whole[:, others], values, out=np.zeros_like(whole[k, others]), where=values != 0
        )
    return np.concatenate([np.zeros(len(idle), dtype=complex), values]), whole


def _small(this: np.ndarray, *beside: np.ndarray) -> bool:
    """Whether a matrix is small beside others (their geometric mean)."""
    size = np.prod([np.linalg.norm(other) for other in beside]) ** (1 / len(beside))
    return bool(np.linalg.norm(this) <= NONE * size)


def in_bodies(small: SmallMotion) -> tuple[tuple[str, ...], np.ndarray]:
    """The small motions of all bodies, angular parts in world axes, that ζ means: their names, and the matrix."""
    balance, system = small.balance, small.balance.system
    cartesian = system.cartesian
    names = tuple(c.name for c in of_bodies(cartesian))
    if cartesian is system:
        return names, np.eye(system.nv)
    still = np.tile(system.still, (system.nv, 1))
    units = still.copy()
    units[:, : system.nv] = small.frame.P.T
    q, moved, _ = system.to_bodies((np.tile(balance.q, (system.nv, 1)), units, still))
    P = frame_of(balance_at(cartesian, balance.t, q[0]), np.zeros(3)).P
    return names, P @ moved[:, : cartesian.nv].T


# --- outputs and inputs ---------------------------------------------------------------------------------------------


def output_rows(
    small: SmallMotion, names: Sequence[str], A: np.ndarray, B: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """C and the feedthrough of quantities: with w = P δv, J a measure's row and C', C'' its rate and acceleration,

    value J ζ,    rate J w + ∂C'/∂x ζ,    acceleration J (ẇ + (G - B) w) + ∂C''/∂x ζ + ∂C''/∂v w.
    """
    balance, frame, count = small.balance, small.frame, len(small.A)
    system, n = balance.system, balance.system.nv
    C, through = np.zeros((len(names), len(A))), np.zeros((len(names), B.shape[1]))
    states = [*state_places(system)]
    a, _ = balance.accelerations
    full = system.still
    full[:n] = a
    Z, W = small.positions, small.velocities
    for k, name in enumerate(names):
        if name in states:
            C[k, count + states.index(name)] = 1.0
            continue
        if name in (rates := [f"{state}.rate" for state in states]):
            row = count + rates.index(name)
            C[k], through[k] = A[row], B[row]
            continue
        measure, level = system.model.quantity(name)
        program = system.structure.builder_of([measure])
        J = system.reader_by(program).jacobian(balance.t, balance.q).toarray()[0] @ frame.P.T
        none = np.zeros(1)
        slopes = derivative_matrix(system, balance.t, balance.q, balance.v, full, none, program).toarray()
        parts = slopes[n : n + 1, :n], slopes[n + 1 :, :n], slopes[n + 1 :, n : 2 * n]
        rate_x, acc_x, acc_v = (part[0] @ frame.P.T for part in parts)
        if level == 0:
            C[k, :count] = J @ Z
        elif level == 1:
            C[k, :count] = J @ W + rate_x @ Z
        else:
            C[k] = J @ W @ A[:count]
            C[k, :count] += J @ (frame.G - frame.B) @ W + acc_x @ Z + acc_v @ W
            through[k] = J @ W @ B[:count]
    return C, through


def input_columns(small: SmallMotion, names: Sequence[str]) -> np.ndarray:
    """B: what inputs and parameters add to the forces and to the rates of states, by differences (exact where laws are
    affine in them)."""
    count, last, n = len(small.names), len(small.A), small.balance.system.nv
    B = np.zeros((last + len(state_places(small.balance.system)), len(names)))
    for k, name in enumerate(names):
        changes = changes_by(small.balance, name)
        B[count:last, k] = np.linalg.solve(small.M, small.S.T @ small.frame.P @ changes[:n])
        B[last:, k] = changes[n:]
    return B


def changes_by(balance: Balance, name: str) -> np.ndarray:
    """-∂F/∂u and ∂ż/∂u: how an input, or a parameter of forces, changes these at this state. It must not move the
    joints."""
    system, model = balance.system, balance.system.model
    a, multipliers = balance.accelerations
    places = [*state_places(system).values()]
    if name in model.parameters:
        value, change = model.parameters[name].value, model.with_parameters
    elif signal := next((one.symbol for one in model.inputs if one.name == name), None):
        value, change = float(balance.q[system.layout.signals[signal]]), model.with_inputs
    else:
        known = [*model.parameters, *(one.name for one in model.inputs)]
        raise unknown_name("input or parameter", name, known, model.name)
    step = STEP * max(abs(value), 1.0)

    def at(u: float) -> tuple[np.ndarray, np.ndarray]:
        other = change(**{name: u}).compile(system.coordinates.set)
        there = balance_at(other, balance.t, balance.q, balance.v)
        rates = rates_at(other, balance.t, balance.q, balance.v) if places else np.zeros(0)
        said = np.concatenate([there.phi, there.nu, there.gamma])
        return np.append(there.forces - there.mass @ a - there.jacobian.T @ multipliers, rates[places]), said

    (far, far_said), (back, back_said) = at(value + step), at(value - step)
    if np.abs(far_said - back_said).max(initial=0.0) > RANK * step:
        raise ModelError(
            f"the parameter {name!r} of {model.name!r} changes joints or drivers, not only forces; inputs of a "
            "linearised system act through forces: declare an effort, model.input(...)"
        )
    near = (at(value + step / 2)[0] - at(value - step / 2)[0]) / step
    return (4 * near - (far - back) / (2 * step)) / 3
