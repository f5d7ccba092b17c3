"""An equilibrium as it is told, and several of them told apart."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import eigh

from ..compiled import System
from ..compiled.reading import Trajectory
from ..errors import SingularConfigurationError
from ..motion.derivative import WORK
from ..motion.initial import check_regular
from ..motion.outcome import in_the_limit, with_forces
from ..poses.closing import close_from_afar
from ..provided import provided
from ..results.result import Result, State
from ..rotations import from_quaternion
from .balance import Balance, balance_at
from .seeking import balance, settle
from .small import SmallMotion
from .states import state_motion, state_places
from .steady import small_motion_about

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NEUTRAL = 1e-9
"""Stiffness of less than this part of the largest holds nothing."""
APART = 1e-6
"""Two poses are one where no body differs by more, in lengths of the model."""
STARTS, PATIENCE, HOPE = 400, 40, 10
"""How many poses are tried at most, how many without anything new, and how many before there is anything at all."""


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """A pose at rest, from `equilibrium`: ``found["crank.angle"]``, ``found.reaction("A")``."""

    state: State
    result: Result = field(repr=False)
    """The same as a result of one time, with reactions and energies."""
    stable: bool
    """Whether forces drive every small motion back. (Not where one is free of them.)"""
    coordinates: tuple[str, ...]
    stiffness: np.ndarray
    """K by these coordinates: what forces do against a small motion of each."""
    frequencies: np.ndarray
    """Of small undamped motions, rad/s; those of motions that forces do not drive back are left out."""
    potential: float

    def __getitem__(self, name: str) -> float:
        return self.state[name]

    def reaction(self, joint: str, **options: Any) -> Any:
        """The force and moment of a joint on its second body: see ``Result.reaction``."""
        return self.result.reaction(joint, **options)

    def draw(self, ax: Any = None, **options: Any) -> Any:
        return self.state.draw(ax, **options)


@dataclass(frozen=True, eq=False)
class EquilibriumPath:
    """Equilibria along a parameter, from `equilibrium(over=)`: ``path["apex.y"]`` over ``path.values``."""

    parameter: str
    values: np.ndarray
    """The parameter at all points of the path, in their order; it may turn back."""
    stable: np.ndarray
    equilibria: tuple[Equilibrium, ...]
    """Those at the values asked for, in the order in which the path meets them."""
    at: tuple[float, ...]
    """The value of each of these."""
    limits: tuple[Equilibrium, ...]
    """Limit points, where the parameter turns back: beyond, there is no equilibrium near by."""
    limit_values: tuple[float, ...]
    states: tuple[State, ...] = field(repr=False)
    """Of all points."""

    def __getitem__(self, name: str) -> np.ndarray:
        return np.array([state[name] for state in self.states])

    def plot(self, *names: str) -> Figure:
        """Named quantities along the path over its parameter: dashed where it is not stable, a dot at limit points."""
        return provided("EquilibriumPath.plot")(self, names)


def equilibrium_at(here: Balance) -> Equilibrium:
    """What is told of a pose in which forces balance (in Cartesian coordinates)."""
    system, t, still = here.system, here.t, here.system.still
    small = small_motion_about(here, (), ())
    motion = Trajectory(np.array([t]), here.q[None], still[None], still[None])
    energies = np.zeros((1, 2 + WORK))
    energies[0, 1] = here.potential
    redundant = len(system.rows) - (system.nv - here.free_velocities.shape[1])
    nowhere = np.zeros(0, dtype=int)
    loads, _, undetermined = in_the_limit(system, motion, here.multipliers[None], redundant, nowhere)
    result = with_forces(system, motion, loads, energies, redundant, undetermined)
    state = state_at(here)
    stable, frequencies = is_stable(here, small), _frequencies(small)
    return Equilibrium(state, result, stable, small.names, small.K, frequencies, here.potential)


def state_at(here: Balance) -> State:
    return State(here.system, here.t, here.q, here.system.still, here.system.still)


def is_stable(here: Balance, small: SmallMotion) -> bool:
    """By the potential's curvature; where forces have no potential, K is not symmetric and the eigenvalues decide; so
    they do where the model has states."""
    if state_places(here.system):
        values = np.linalg.eigvals(state_motion(small).whole(small.A))
        return bool((values.real < NEUTRAL * np.abs(values).max(initial=0.0)).all())
    K = here.stiffness
    size = max(float(np.abs(K).max(initial=0.0)), here.effort / here.system.length)
    if np.abs(K - K.T).max(initial=0.0) <= APART * size:
        return bool((np.linalg.eigvalsh((K + K.T) / 2) > NEUTRAL * size).all())
    values = np.linalg.eigvals(small.A)
    return bool((values.real < NEUTRAL * np.abs(values).max(initial=0.0)).all())


def _frequencies(small: SmallMotion) -> np.ndarray:
    """From K x = ω² M x; none where a motion moves no mass."""
    if small.freedoms < len(small.names):
        return np.zeros(0)
    try:
        squares = eigh((small.K + small.K.T) / 2, small.M, eigvals_only=True)
    except np.linalg.LinAlgError:
        return np.zeros(0)
    return np.sqrt(squares[squares > NEUTRAL * np.abs(squares).max(initial=0.0)])


# --- several of them --------------------------------------------------------------------------------------------------


def all_balances(system: System, t: float, q: np.ndarray) -> list[Balance]:
    """From a pose and from others at random (always the same ones), which reach other branches of the assembly; until
    so many in a row have led to nothing new. The one of least potential first."""
    random, found, idle = np.random.default_rng(11), list[Balance](), 0
    first = balance_at(system, t, q)
    for count in range(STARTS):
        base = found[count % len(found)] if found else first
        start = q if count == 0 else _elsewhere(base, random, freely=count % 2 == 0)
        before = len(found)
        for other in (settle(system, t, start), balance(system, t, start)) if start is not None else ():
            if other is not None and is_regular(other) and not any(_same_pose(other, known) for known in found):
                found.append(other)
        idle = 0 if len(found) > before else idle + 1
        if idle >= (PATIENCE if found else HOPE):
            break
    return sorted(found, key=lambda one: one.potential)


def _elsewhere(here: Balance, random: np.random.Generator, freely: bool) -> np.ndarray | None:
    """A closed pose far away: along what is free, or anywhere, which may lead to another branch."""
    system = here.system
    far = random.choice([0.5, 1.5, 4.0]) * system.length
    scattered = random.standard_normal(system.nv) / np.sqrt(system.weight)
    way = here.free @ random.standard_normal(here.free.shape[1]) if freely else scattered
    attempt = close_from_afar(system.machine(), here.t, system.moved(here.q, far * way))
    return attempt.q if attempt.closed else None


def is_regular(here: Balance) -> bool:
    try:
        check_regular(here.system, here.t, here.q, here.v)
    except SingularConfigurationError:
        return False
    return True


def _same_pose(one: Balance, other: Balance) -> bool:
    return bool(np.abs(_places(one) - _places(other)).max() <= APART * one.system.length)


def _places(here: Balance) -> np.ndarray:
    """Where all bodies are, and their axes times the model's length, however often they have turned."""
    system, out = here.system, []
    for body in system.bodies:
        own = here.q[list(system.layout.q[body])]
        flat = system.model.dimension == 2
        axes = np.array([np.cos(own[2]), np.sin(own[2])]) if flat else from_quaternion(own[3:7]).ravel()
        out.append(np.concatenate([own[: system.model.dimension], system.length * axes]))
    return np.concatenate(out)
