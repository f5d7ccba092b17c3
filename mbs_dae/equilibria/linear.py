"""A linearised system: state (η, y), inputs u, outputs; its eigenvalues and modes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import eigh, qr

from ..errors import ModelError
from ..explain.failures import check_masses
from ..model.checks import unit_of
from ..provided import provided
from ..public_class import PublicClass
from ..results.names import COMPONENTS, EFFORT, OF_RATES
from ..results.result import Result, State
from ..tolerances import (
    DEFLATION_TOLERANCE,
    EIGENVALUE_ROUNDOFF,
    SOLUTION_ERROR,
    STIFFNESS_REGULARITY,
    ZERO_EIGENVALUE,
)
from ..unit_system import UnitsLike, shown_in, size_of
from .inputs import ports_of
from .small import SmallMotion, in_bodies, motion_in_mode
from .states import state_motion
from .steady import of_bodies

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike


@dataclass(frozen=True, eq=False)
class Mode:
    """One mode: its shape times exp(eigenvalue · t)."""

    eigenvalue: complex
    shape: Mapping[str, complex] = field(repr=False)
    """The small motion of each coordinate of the bodies, by name; the largest is 1, or all are 0 where bodies rest."""
    states: Mapping[str, complex] = field(default_factory=dict, repr=False)
    """The change of each state of the model that belongs to this motion; where bodies rest, the one that is largest in
    units of its scale is 1."""

    @property
    def frequency(self) -> float:
        """``|eigenvalue|`` in rad/s where the mode oscillates, the frequency that it would have without damping; 0
        where it does not oscillate."""
        return abs(self.eigenvalue) if self.eigenvalue.imag else 0.0

    @property
    def damping(self) -> float:
        """The damping ratio ``-Re/|eigenvalue|``: 0 undamped, 1 no oscillation, negative where the mode grows."""
        return 0.0 - self.eigenvalue.real / abs(self.eigenvalue) if self.eigenvalue else 0.0


@dataclass(frozen=True, eq=False, repr=False)
class LinearSystem(metaclass=PublicClass):
    """Small motions about a state, from `linearize`: M y' + D y + K η = 0, with η' = y where all constraints restrict
    positions.

    >>> rod = mbs.PlanarModel.from_points(
    ...     {"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=2, gravity=(0, -9.81))
    >>> law = mbs.linearize(rod, coordinates=["rod.angle"])
    >>> isinstance(law, mbs.LinearSystem), law.coordinates
    (True, ('rod.angle',))
    >>> law.M.round(6), law.K.round(6)  # m L²/3 and m g L/2
    (array([[0.06]]), array([[2.943]]))
    >>> law.modes[0].damping, law.stable
    (0.0, True)
    """

    state: State
    """The state about which the motions are small."""
    coordinates: tuple[str, ...]
    """The names of η: each is the small motion of a coordinate, in rad or m. ``turn_x`` and the like are rotations
    about world axes. (In a steady motion the axes turn with it.)"""
    states: tuple[str, ...]
    """The states z of the model, behind (η, y) in A, B and C."""
    inputs: tuple[str, ...]
    """The names of u."""
    outputs: tuple[str, ...]
    """The names of the outputs, the rows of C."""
    M: np.ndarray
    """Mass matrix."""
    D: np.ndarray
    """Damping and gyroscopic matrix, the factor of y."""
    K: np.ndarray
    """Stiffness matrix."""
    A: np.ndarray
    """System matrix: the rate of (η, y, z) is A (η, y, z) + B u."""
    B: np.ndarray
    """Input matrix: the factor of u in the rates."""
    C: np.ndarray
    """Output matrix: outputs are C (η, y, z) + (their values at the state) + feedthrough · u; `feedthrough` is D in
    books on control."""
    feedthrough: np.ndarray
    shapes: np.ndarray
    """The small motion of each coordinate of the bodies for (η, y, z), shape (coordinates, columns of A)."""
    turning: np.ndarray
    """Ω, the angular velocity of the axes of the law, in rad/s: 0 except in steady motions of bodies that are not
    bodies of revolution."""
    varied: Any = field(default=None, repr=False)
    """Derivatives of the law, if some were requested."""

    @property
    def velocities(self) -> tuple[str, ...]:
        """The coordinates whose rates are y."""
        return self.coordinates[: len(self.M)]

    @property
    def shape_names(self) -> tuple[str, ...]:
        """The coordinates of the bodies, the rows of `shapes`."""
        return tuple(c.name for c in of_bodies(self.state.system.cartesian))

    @cached_property
    def eigen(self) -> tuple[np.ndarray, np.ndarray]:
        """Eigenvalues and eigenvectors, sorted by size; in a pair the one with positive imaginary part comes first.
        Without damping and with a symmetric K they are those of K x = ω² M x, exactly imaginary."""
        n = len(self.M)
        if self._has_potential and _small(self.D, self.M, self.K):
            squares, shapes = self._undamped
            values = np.emath.sqrt(-squares).astype(complex)
            values = np.concatenate([values, -values])
            vectors = np.concatenate([np.vstack([shapes, shapes * s]) for s in (values[:n], values[n:])], axis=1)
        else:
            values, vectors = _eigen(self.A, self.units)
        values[np.abs(values) <= ZERO_EIGENVALUE * np.abs(values).max(initial=0.0)] = 0.0
        if (values == 0.0).any():
            self._check_spread(float(np.abs(values).max(initial=0.0)))
        order = np.lexsort((-values.imag, values.real, np.round(np.abs(values), 9)))
        return values[order], vectors[:, order]

    @property
    def units(self) -> np.ndarray:
        """Units of (η, y, z): the model's length for motions, this length times the fastest rate for y, their own scale
        for states."""
        system, n, A = self.state.system, len(self.coordinates), self.A
        sizes = np.linalg.norm(np.sqrt(system.cartesian.weight)[:, None] * self.shapes[:, :n], axis=0)
        motions, m = system.length / np.where(sizes > 0.0, sizes, 1.0), len(self.velocities)
        inner = A[n : n + m] / motions[:m, None]
        slopes = np.linalg.norm(inner[:, :n] * motions) ** 0.5, np.linalg.norm(inner[:, n : n + m] * motions[:m])
        scales = [float(system.evaluator(one.scale)) for one in system.model.states if not one.is_held]
        return np.concatenate([motions, motions[:m] * (max(slopes) or 1.0), scales])

    @property
    def _has_potential(self) -> bool:
        """Whether K is symmetric, and the state is (η, η') alone."""
        return not self.states and is_symmetric(self.K)

    @cached_property
    def _undamped(self) -> tuple[np.ndarray, np.ndarray]:
        """ω² and x of K x = ω² M x."""
        squares, vectors = eigh((self.K + self.K.T) / 2, (self.M + self.M.T) / 2)
        squares[np.abs(squares) < EIGENVALUE_ROUNDOFF * np.abs(squares).max(initial=0.0)] = 0.0
        if (squares == 0.0).any():
            self._check_spread(float(np.abs(squares).max(initial=0.0)) ** 0.5)
        return squares, vectors

    def _check_spread(self, fastest: float) -> None:
        """Raise a `ModelError` for an eigenvalue 0 where forces hold every motion: the roundoff of the fastest mode has
        lost it.

        det A is det K / det M but for its sign, so no eigenvalue is 0 where K is regular. K is regular, whatever the
        units of its rows and columns, if it is so with these scaled to the largest entry 1. (In a steady motion K
        contains differences of large centrifugal terms, and a row may be their roundoff alone.)"""
        square = len(self.coordinates) == len(self.M)
        if self.state.full_v.any() or self.states or not square or not self.K.any(axis=1).all():
            return
        K = self.K / np.abs(self.K).max(axis=1, keepdims=True)
        K = K / np.abs(K).max(axis=0, initial=0.0).clip(np.finfo(float).tiny)
        if np.linalg.svd(K, compute_uv=False)[-1] > STIFFNESS_REGULARITY:
            what = f"the slow modes of {self.state.system.model.name!r} are lost in the roundoff of its fastest one"
            cure = "leave the fast one out: give more mass to what is light, or join it without its spring or damper"
            raise ModelError(
                f"{what} ({fastest:.3g} 1/s), though forces hold every motion; {cure}",
                code="modes-lost-in-roundoff", fastest=fastest, model=self.state.system.model.name,
            )  # fmt: skip

    @cached_property
    def stable(self) -> bool:
        """Whether every small motion stays small: none grows, and forces hold all motions (except those along which a
        rolling wheel may be anywhere). An indifferent rest is not stable, although no mode `grows`. Where forces have a
        potential and damping never supplies energy, K decides (Kelvin, Tait, Chetaev), however slowly a motion fades;
        else the eigenvalues decide."""
        if self._has_potential and is_dissipative(self.D):
            return bool((self._undamped[0] > 0.0).all())
        idle = len(self.coordinates) - len(self.velocities)
        return not self.grows and int((self.eigenvalues == 0.0).sum()) == idle

    @property
    def grows(self) -> bool:
        """Whether some mode grows."""
        return bool(
            self.eigenvalues.real.max(initial=0.0) > ZERO_EIGENVALUE * np.abs(self.eigenvalues).max(initial=0.0)
        )

    @property
    def eigenvalues(self) -> np.ndarray:
        """All eigenvalues of A, in 1/s, the smallest first."""
        return self.eigen[0]

    @cached_property
    def modes(self) -> tuple[Mode, ...]:
        """One mode for each pair of eigenvalues and each real one, by size."""
        modes = []
        for value, vector in zip(self.eigenvalues, self.eigen[1].T, strict=True):
            if value.imag >= 0.0:
                shape, sizes = self.shapes @ vector, np.abs(vector / self.units)
                moving, changing = np.split(sizes, [len(sizes) - len(self.states)])
                if changing.size and moving.max(initial=0.0) <= DEFLATION_TOLERANCE * changing.max():
                    shape = np.zeros_like(shape)  # roundoff
                largest = shape[np.argmax(np.abs(shape))] if shape.size else 0.0
                changes = vector[moving.size :]
                unit = largest or (changes[np.argmax(changing)] if changes.size else 1.0) or 1.0
                motions = dict(zip(self.shape_names, shape / unit, strict=True))
                modes.append(Mode(complex(value), motions, dict(zip(self.states, changes / unit, strict=True))))
        return tuple(modes)

    @property
    def frequencies(self) -> np.ndarray:
        """The frequencies of the modes that oscillate, in rad/s: see `Mode.frequency`."""
        return np.array([mode.frequency for mode in self.modes if mode.frequency])

    @property
    def damping(self) -> np.ndarray:
        """The damping ratios of the modes that oscillate."""
        return np.array([mode.damping for mode in self.modes if mode.frequency])

    def mode(self, number: int) -> Mode:
        """Return a mode by its number in the table, from 1.

        >>> rod = mbs.PlanarModel.from_points(
        ...     {"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=2, gravity=(0, -9.81))
        >>> round(mbs.linearize(rod).mode(1).frequency, 3)  # the square root of 3 g/2L
        7.004
        """
        if number not in range(1, len(self.modes) + 1):
            remark = f"has {len(self.modes)} modes, numbered from 1" if self.modes else "cannot move: it has no modes"
            raise ModelError(
                f"there is no mode {number!r}: {self.state.system.model.name!r} {remark}",
                code="out-of-bounds", argument="number", value=number, least=1, most=len(self.modes),
                model=self.state.system.model.name,
            )  # fmt: skip
        return self.modes[number - 1]

    def d(self, name: str, by: Any) -> np.ndarray:
        """Return the derivative of "M", "D", "K", "A", "eigenvalues", "frequencies" or "damping" by a parameter or
        constant of ``linearize(derivatives=)``, in unchanged coordinates; the state moves with the equilibrium.
        Eigenvalues that coincide have none (NaN).

        >>> rod = mbs.PlanarModel.from_points(
        ...     {"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=2, gravity=(0, -9.81))
        >>> law = mbs.linearize(rod, derivatives=["gravity.y"])
        >>> law.d("frequencies", "gravity.y").round(6)  # ω/2g, and g is -9.81
        array([-0.356961])
        """
        return provided("LinearSystem.d")(self, name, by)

    def motion(self, mode: int = 1, amplitude: float | None = None) -> Result:
        """Return the motion of one mode as a result, for one period (or three time constants, where the mode does not
        oscillate), each pose closed. `amplitude` is that of the largest coordinate of its shape. A steady motion is
        left out; the result shows the small motion about it alone.

        >>> rod = mbs.PlanarModel.from_points(
        ...     {"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=2, gravity=(0, -9.81))
        >>> swing = mbs.linearize(rod).motion(1, amplitude=0.1)
        >>> round(float(np.ptp(swing["rod.angle"])), 2)  # to and fro
        0.2
        """
        one = self.mode(mode)
        return motion_in_mode(self.state, one.eigenvalue, one.shape, amplitude)

    def frequency_response(self, frequencies: ArrayLike) -> np.ndarray:
        """Return the frequency response G(iω) = C (iω - A)⁻¹ B + feedthrough for frequencies ω in rad/s: complex
        numbers of the shape (frequencies, outputs, inputs), each in the unit of output over input.

        With u = u₀ cos ωt an output oscillates by ``|G| u₀ cos(ωt + arg G)`` about its value at the state, after
        the transient has died away. The frequency of an undamped mode raises an error: the response grows without bound
        there.

        A mass of 1 kg on a spring of 4 N/m and a damper of 0.4 N s/m, pushed slowly, and in resonance:

        >>> model = mbs.PlanarModel("oscillator")
        >>> push, mass = model.input("push", 0.0, unit="N"), model.body("mass", mass=1, inertia=1, position=(1, 0))
        >>> guide = model.add(mbs.Translational("guide", model.ground, mass))
        >>> spring = mbs.SpringDamper("spring", model.ground, mass, stiffness=4, damping=0.4, length=1)
        >>> _ = model.add(spring, mbs.Force("pusher", mass, (push, 0)))
        >>> law = mbs.linearize(model, inputs=["push"], outputs=["mass.x", "spring.effort"])
        >>> G = law.frequency_response([0, 2])
        >>> G.shape, G[:, 0, 0].round(6)  # 1/k, and 1/(i c ω)
        ((2, 2, 1), array([0.25+0.j  , 0.  -1.25j]))
        """
        self._check_ports("frequency_response")
        w = np.atleast_1d(np.asarray(frequencies, dtype=float))
        if w.ndim != 1 or not np.isfinite(w).all():
            raise ModelError(
                "frequency_response takes finite frequencies in rad/s, a number or a list of numbers",
                code="not-finite", argument="frequencies", value=frequencies,
            )  # fmt: skip
        near = np.abs(1j * w[:, None] - self.eigenvalues)
        if (hit := np.argwhere(near <= ZERO_EIGENVALUE * np.abs(self.eigenvalues).max(initial=0.0))).size:
            at, value = w[hit[0, 0]], self.eigenvalues[hit[0, 1]]
            raise ModelError(
                f"{self.state.system.model.name!r} has no bounded response at {at:g} rad/s: an undamped mode has the "
                f"eigenvalue {value + 0.0:.6g} 1/s; add damping, or leave this frequency out",
                code="resonance", argument="frequencies", frequency=float(at), eigenvalue=complex(value),
                model=self.state.system.model.name,
            )  # fmt: skip
        scale = self.units  # states in their own units, so that no column is small because of its unit
        A, B, C = self.A * scale / scale[:, None], self.B / scale[:, None], self.C * scale
        inner = 1j * w[:, None, None] * np.eye(len(A)) - A
        return np.asarray(C @ np.linalg.solve(inner, np.broadcast_to(B, (w.size, *B.shape))) + self.feedthrough)

    def bode(self, frequencies: ArrayLike | None = None, units: UnitsLike = None) -> Figure:
        """Plot Bode's diagram of `frequency_response`: the amplitude of each output per input on logarithmic axes, and
        the phase below it. Frequencies are in rad/s; by default they go from a tenth of the lowest to ten times the
        highest that A has. The phase is in degrees, unless `units` or `mbs.units` name a unit of angles.

        >>> model = mbs.PlanarModel("oscillator")
        >>> push, mass = model.input("push", 0.0, unit="N"), model.body("mass", mass=1, inertia=1, position=(1, 0))
        >>> guide = model.add(mbs.Translational("guide", model.ground, mass))
        >>> spring = mbs.SpringDamper("spring", model.ground, mass, stiffness=4, damping=0.4, length=1)
        >>> _ = model.add(spring, mbs.Force("pusher", mass, (push, 0)))
        >>> figure = mbs.linearize(model, inputs=["push"], outputs=["mass.x"]).bode()
        >>> [ax.get_ylabel() for ax in figure.axes]
        ['amplitude [m/N]', 'phase [deg]']
        >>> mbs.linearize(model, inputs=["push"], outputs=["mass.x"]).bode(units="Hz, rad").axes[1].get_ylabel()
        'phase [rad]'
        """
        self._check_ports("bode")
        with shown_in(units):
            return provided("LinearSystem.bode")(self, frequencies)

    def unit(self, name: str) -> str:
        """Return the SI unit of an input or an output, by its name; "" for a number."""
        model = self.state.system.model
        owner, _, word = name.rpartition(".")
        if name in model.parameters or name in model.signal_units:
            return unit_of(model, name)
        if owner in model.elements and word == EFFORT:
            units = [unit for measure in model.measures_of(owner) for unit in measure.units]
            return next(OF_RATES[unit] for unit in units if unit in OF_RATES)
        if owner in model.elements and word in COMPONENTS[model.dimension]:
            return "N" if word.startswith("F") else "N m"
        measure, level = model.quantity(name)
        return measure.units[level]

    def _check_ports(self, call: str) -> None:
        if not (self.inputs and self.outputs):
            raise ModelError(
                f"{call}() needs both: linearize(..., inputs=[...], outputs=[...])",
                code="missing-argument", argument="outputs" if self.inputs else "inputs", method=call,
            )  # fmt: skip

    def plot(self, units: UnitsLike = None) -> Figure:
        """Plot the eigenvalues in the complex plane (one of each pair), over lines of equal damping; numbers are those
        of modes.

        >>> rod = mbs.PlanarModel.from_points(
        ...     {"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=2, gravity=(0, -9.81))
        >>> mbs.linearize(rod).plot().axes[0].get_xlabel().endswith("[1/s]")
        True
        """
        with shown_in(units):
            return provided("LinearSystem.plot")(self)

    def draw(
        self, *modes: int, amplitude: float | None = None, size: tuple[float, float] = (4.2, 3.4),
        view: tuple[float, ...] | None = None, units: UnitsLike = None,
    ) -> Figure:  # fmt: skip
        """Draw the shapes of modes, by number, side by side: the mechanism at the state, and faint at the extremes. (By
        default all modes except those whose eigenvalue is 0.) `size` is that of one picture, in inches; `amplitude` and
        `view` are those of `motion` and ``Result.draw``.

        >>> rod = mbs.PlanarModel.from_points(
        ...     {"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=2, gravity=(0, -9.81))
        >>> len(mbs.linearize(rod).draw(1).axes)
        1
        """
        with shown_in(units):
            return provided("LinearSystem.draw")(self, modes, amplitude, size, view)

    def animate(
        self, mode: int = 1, path: str | Path | None = None, *, amplitude: float | None = None, **options: Any
    ) -> Any:
        """Animate one mode, with the options of ``Result.animate``. A period lasts two seconds, unless `speed` is
        given.

        >>> rod = mbs.PlanarModel.from_points(
        ...     {"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=2, gravity=(0, -9.81))
        >>> mbs.linearize(rod).animate(1)
        <Film of 'mechanism': 51 frames, 2.04 s>
        """
        return provided("LinearSystem.animate")(self, mode, path, amplitude, **options)

    def to_control(self) -> Any:
        """Return the system as a `control.StateSpace` of python-control. Since python-control reserves dots for names
        of systems, names have "_" in their place: "crank.angle" becomes the output "crank_angle"."""
        try:
            control = import_module("control")
        except ImportError as missing:
            what = "to_control() needs python-control; install it with: pip install 'mbs_dae[control]'"
            raise ModelError(
                what, code="package-missing", package="control", purpose="to_control()", extra="control"
            ) from missing
        if not (self.inputs and self.outputs):
            raise ModelError(
                "a system to be controlled needs names for both: linearize(..., inputs=[...], outputs=[...])",
                code="missing-argument", argument="outputs" if self.inputs else "inputs", method="to_control",
            )  # fmt: skip
        states = [*self.coordinates, *(f"{name}_rate" for name in self.velocities), *self.states]
        labels = {"states": states, "inputs": self.inputs, "outputs": self.outputs}
        names = {what: [name.replace(".", "_") for name in words] for what, words in labels.items()}
        title = self.state.system.model.name.replace(".", "_")
        return control.ss(self.A, self.B, self.C, self.feedthrough, name=title, **names)

    def __str__(self) -> str:
        size, often = size_of("rad/s", frequency=True)
        also = often != "Hz"  # cycles in a column of their own
        cycles = f"{'[Hz]':>10}  " * also
        titles = f"{f'frequency [{often}]':>18}  {cycles}{'damping':>9}  moves most"
        lines = [f"{'mode':>4}  {'eigenvalue [1/s]':>26}  {titles}"]
        scales = np.sqrt(self.state.system.cartesian.weight)  # rotations count as displacements at the model's length
        for k, mode in enumerate(self.modes, 1):
            value, f = mode.eigenvalue + 0.0, mode.frequency
            written = f"{value.real:.6g} ± {value.imag:.6g}i" if f else f"{value.real:.6g}"
            numbers = f"{f / size:18.7g}" if f else f"{'':18}"
            numbers += (f"  {f / (2 * np.pi):10.6g}" if f else f"  {'':10}") * also
            motions = dict(zip(mode.shape, scales * np.abs([*mode.shape.values()]), strict=True))
            if not any(motions.values()):  # a mode of states alone
                motions = {name: abs(change) for name, change in mode.states.items()}
            most = max(motions, key=lambda name: motions[name], default="")
            lines.append(f"{k:4}  {written:>26}  {numbers}  {mode.damping:9.4f}  {most}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<LinearSystem of {self.state.system.model.name!r}: {', '.join(self.coordinates)}>"


def _eigen(A: np.ndarray, units: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return eigenvalues and eigenvectors of A, the eigenvalues 0 first. Eigenvalues 0 belong to motions without
    restoring forces, and to motions that drive them; they may form Jordan chains, which roundoff would spread to a
    circle of eigenvalues. So they are deflated first: in a basis that begins with the null space of A, A is [0 X; 0 Y],
    and Y is treated likewise until its null space is empty."""
    B = A * units / units[:, None]
    size, idle, basis, rest = np.linalg.norm(B), 0, np.eye(len(B)), B
    while True:
        _, sines, vectors = np.linalg.svd(rest)
        rank = int((sines > DEFLATION_TOLERANCE * size).sum())
        if rank == len(rest):
            break
        turn = np.vstack([vectors[rank:], vectors[:rank]]).T
        basis[:, idle:] = basis[:, idle:] @ turn
        idle += len(rest) - rank
        rest = basis[:, idle:].T @ B @ basis[:, idle:]
    values, block = np.linalg.eig(rest)
    upper = basis.T @ B @ basis[:, :idle]
    combined = np.zeros((len(A), len(A)), dtype=complex)
    combined[:idle, :idle] = np.eye(idle)
    combined[idle:, idle:] = block
    coupling = basis[:, :idle].T @ B @ basis[:, idle:] @ block
    for k, value in enumerate(values):  # motions without restoring forces follow the motions that drive them
        combined[:idle, idle + k] = np.linalg.solve(value * np.eye(idle) - upper[:idle], coupling[:, k])
    vectors = units[:, None] * (basis @ combined)
    if idle:  # each a motion of few coordinates
        pivots = np.sort(qr(vectors[:, :idle].T.real, pivoting=True)[2][:idle])
        vectors[:, :idle] = vectors[:, :idle] @ np.linalg.inv(vectors[pivots, :idle])
    return np.concatenate([np.zeros(idle, dtype=complex), values]), vectors


def is_symmetric(K: np.ndarray) -> bool:
    """Return whether a stiffness matrix is square and symmetric: forces have a potential."""
    return K.shape[0] == K.shape[1] and _small(K - K.T, K)


def is_dissipative(D: np.ndarray) -> bool:
    """Return whether forces with this damping matrix never supply energy: it is symmetric, and not negative."""
    given = np.linalg.eigvalsh((D + D.T) / 2)
    return _small(D - D.T, D) and bool(given.min(initial=0.0) >= -ZERO_EIGENVALUE * np.abs(given).max(initial=0.0))


def _small(matrix: np.ndarray, *others: np.ndarray) -> bool:
    """Return whether a matrix is small, relative to the geometric mean of the norms of others."""
    size = np.prod([np.linalg.norm(other) for other in others]) ** (1 / len(others))
    return bool(np.linalg.norm(matrix) <= ZERO_EIGENVALUE * size)


def linear_system(
    state: State, small: SmallMotion, inputs: Sequence[str] = (), outputs: Sequence[str] = ()
) -> LinearSystem:
    """Return the linear system of the small motions about a state."""
    system = small.balance.system
    system.cartesian.once(check_masses)
    system.coordinates.kernels.check_moments(system.evaluator)
    _check_certain(small)
    states = state_motion(small)
    ports = ports_of(small, states, inputs, outputs)
    return LinearSystem(
        state=state, coordinates=small.names, states=states.names, inputs=(*inputs,), outputs=(*outputs,),
        M=small.M, D=small.D, K=small.K, A=states.whole(small.A), **ports._asdict(),
        shapes=np.pad(in_bodies(small) @ small.positions, ((0, 0), (0, len(states.names)))),
        turning=small.frame.turning,
    )  # fmt: skip


def _check_certain(small: SmallMotion) -> None:
    """Raise a `ModelError` for a law in which some motion has a mass that roundoff of the given masses and tensors
    changes by more than `SOLUTION_ERROR`, as the turn of a thin rod about its axis has where its tensor is turned.

    Scaled by its diagonal M has the least eigenvalue m, and its entries are sums of terms Sᵀ M_bodies S, of which each
    has the relative roundoff ε/2; so m is uncertain by ε/2 times the norm of the absolute terms."""
    P, mass = small.frame.P, small.balance.mass
    root = np.sqrt(np.abs(np.diag(small.M)))
    if not root.all():
        return  # motions without any mass are reported by `check_masses`
    sizes, vectors = np.linalg.eigh(small.M / np.outer(root, root))
    terms = np.abs(small.S.T @ P) @ np.abs(mass) @ np.abs(P.T @ small.S) / np.outer(root, root)
    roundoff = np.finfo(float).eps / 2 * np.linalg.norm(terms)
    if sizes.size and roundoff > SOLUTION_ERROR * sizes[0]:
        system = small.balance.system.cartesian
        moves = np.abs(in_bodies(small) @ small.S @ (vectors[:, 0] / root)) * np.sqrt(system.weight)
        sums = {body.name: moves[list(system.layout.v[body])].max() for body in system.bodies}
        names = ", ".join(repr(name) for name, size in sums.items() if size > 0.1 * max(sums.values()))
        what = (
            f"the small motions of {names} of {system.model.name!r} have no certain law: a mass or a moment of inertia"
        )
        cure = (
            "turn the frame of a thin body into its principal axes, give it more mass or inertia, or hold it by joints"
        )
        raise ModelError(
            f"{what} is lost in the roundoff of others; {cure}",
            code="inertia-lost-in-roundoff",
            bodies=tuple((name for name, size in sums.items() if size > 0.1 * max(sums.values()))),
            model=system.model.name,
        )  # fmt: skip
