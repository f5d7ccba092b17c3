"""Derivatives of the beginning of a motion by parameters and values given: the nearest pose, the least velocity.

Of all poses with Φ(q, p) = 0 the one nearest to a reference r is taken. With b the small motion from q to r, and W the
weights, that is where

    -W b + Φ_vᵀ μ = 0,        Φ = 0.

Both hold whatever p, so a change of p moves the pose by dx with

    [W A + ∂(Φ_vᵀ μ)/∂x   Φ_vᵀ] [dx]     [dW b + W A' dr - ∂(Φ_vᵀ μ)/∂s s']
    [Φ_v                  0   ] [dμ]  =  [-Φ_s s'                          ].

The weights change because turns count by the model's own length. A and A' are 1 for what is plain; of turns, b is a
rotation vector θ with exp b = exp(-dx) exp θ exp(dr), and

    A = 1 - ½ θ× + κ θ× θ×,       A' = 1 + ½ θ× + κ θ× θ×,       κ = (1 - ½ |θ| cot ½ |θ|) / |θ|².

Velocities are the least ones, or those of least kinetic energy (nearest to v₀ in it), M (v - v₀) + Jᵀ μ = 0, J v = ν:

    [M Jᵀ] [dv]     [∂(M (v - v₀) + Jᵀ μ)/∂x dx + ∂(...)/∂s s']
    [J 0 ] [dμ] = - [∂(J v - ν)/∂x dx + ∂(J v - ν)/∂s s'      ].

Values given are equations like all others (`poses.assembly.model_with_fixes`), and how much is given is a parameter of
them.

Going back, weights of the state become those of parameters by one solution with the transposed of each matrix.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import scipy.sparse as sps

from ..compiled import System
from ..compiled.derivatives import ACCELERATIONS, FORCES, MOMENTA, POSITIONS, PUSHES, RATES
from ..compiled.slopes import places_moved
from ..model.parameters import Parameter
from ..poses.assembly import holding, model_with_fixes
from ..poses.redundancy import is_momentary
from ..results.result import State
from .equations import Bordered, KernelState, Response, diagonal, solve_bordered
from .inputs import input_slopes
from .parameters import DesignVariables, StartChange
from .sizes import placement_slopes, weight_slopes


@dataclass(frozen=True, eq=False)
class VariedStart:
    """The beginning of a motion: a state that `poses.assembly.assembled` or `motion.initial.initial_state` has found
    from values given, in Cartesian coordinates. Its changes have a row for each parameter; rows are nan where a pose
    does not follow smoothly."""

    variables: DesignVariables
    state: State
    given: Mapping[str, float]
    """The values given, by name: of positions, velocities, and states of the model."""
    start: State | None = None
    """The state to which the pose and the velocity are the nearest; None for the placement and rest."""
    carried: Mapping[str, StartChange] = field(default_factory=dict)
    """The changes of `start`, by the name of a parameter; all other parameters hold it."""

    @cached_property
    def system(self) -> System:
        system: System = self.variables.model.compile()
        return system

    # --- the pose ---------------------------------------------------------------------------------------------------

    @cached_property
    def x(self) -> np.ndarray:
        """Return the small motion of the pose with each parameter, (parameters, velocities)."""
        found = self._pose.ahead()
        return np.full_like(found, np.nan) if self._is_momentary else found

    @cached_property
    def _is_momentary(self) -> bool:
        return is_momentary(self.system, self.state.full_q)

    @cached_property
    def _pose(self) -> Response:
        here = self._instant(0, at_rest=True)
        system, weight, still = here.system, here.system.weight, here.system.still
        reference, moved = self._reference
        back, none, W = system.between(self.state.full_q, reference), np.zeros(len(system.rows)), diagonal(weight)
        J = here.position_rows
        own = solve_bordered(W, J, (weight * back)[:, None], none[:, None], weight)
        slopes = here.slopes((POSITIONS, PUSHES), still, own.multipliers[:, 0])
        ahead, behind = (_of_difference(system, back, half) for half in (-0.5, 0.5))
        pulled = (weight_slopes(system, here.symbols) * back).T + W @ behind @ moved.T
        H = sps.csr_matrix(W @ ahead + slopes[PUSHES].x)
        return Response(Bordered(H, J, weight), slopes[PUSHES].plus(-pulled), slopes[POSITIONS])

    @cached_property
    def q(self) -> np.ndarray:
        """Return the change of q with each parameter: of bodies, of states of the model, and of what stands still."""
        wide = np.zeros((len(self.variables.names), self.system.layout.v_size))
        wide[:, : self.system.nv] = self.x
        return places_moved(self.system.structure, self.state.full_q, wide) + self._states

    @property
    def _states(self) -> np.ndarray:
        """Return the change of q by states of the model, declared or given, and by inputs."""
        slopes = self._carried("q", self.system.layout.q_size)
        if self.start is None:
            slopes = placement_slopes(self.system, self.variables.symbols)[1]
        slopes = slopes + input_slopes(self.system, self.variables.symbols, self.state.t)
        for state in self.system.model.states:
            if state.name in self.given:
                slopes[:, self.system.layout.signals[state.symbol]] = [
                    name == state.name for name in self.variables.names
                ]
        return slopes

    @property
    def _reference(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the pose q to which the pose of the state is the nearest, and its small motions, a row each."""
        if self.start is None:
            return self.system.placement, placement_slopes(self.system, self.variables.symbols)[0]
        return self.start.full_q, self._carried("x", self.system.nv)

    def _carried(self, part: str, size: int) -> np.ndarray:
        """Return the change of one part of the start (x, q or v), a row for each parameter."""
        own = [getattr(self.carried[name], part) if name in self.carried else None for name in self.variables.names]
        return np.array([np.zeros(size) if row is None else row for row in own])

    # --- its velocity and acceleration --------------------------------------------------------------------------------

    @cached_property
    def least_velocity(self) -> np.ndarray:
        """Return the change of the least velocity, in the norm of small motions (`assemble`)."""
        return self._least(self._instant(1), RATES, self.state.full_v)

    @cached_property
    def least_acceleration(self) -> np.ndarray:
        """Return the change of the least acceleration, after the least velocity."""
        return self._least(self._instant(2), ACCELERATIONS, self.state.full_a, self.least_velocity)

    def _least(self, here: KernelState, what: str, least: np.ndarray, *velocity: np.ndarray) -> np.ndarray:
        """Return the change of the least velocity or acceleration that satisfies the equations `what`."""
        weight = here.system.weight
        own, changed = least[: weight.size], weight_slopes(here.system, here.symbols) * least[: weight.size]
        by = Bordered(diagonal(weight), here.rows, weight)
        multipliers = by.solve(-(weight * own)[:, None], np.zeros((by.J.shape[0], 1))).multipliers
        slopes = here.slopes((what, PUSHES), least, multipliers[:, 0])
        return Response(by, slopes[PUSHES].plus(changed.T), slopes[what]).ahead(self.x, *velocity)

    @cached_property
    def energetic_velocity(self) -> np.ndarray:
        """Return the change of the velocity of least kinetic energy, or nearest to that of `start` (`simulate`)."""
        return self._energetic.ahead(self.x)

    @cached_property
    def _energetic(self) -> Response:
        here = self._instant(1)
        gained = here.v if self.start is None else here.v - self.start.full_v
        by = Bordered(here.terms[0], here.rows, here.system.weight)
        momentum = by.H @ gained[: by.weight.size]
        multipliers = by.solve(-momentum[:, None], np.zeros((by.J.shape[0], 1))).multipliers
        slopes = here.slopes((RATES, MOMENTA), gained, multipliers[:, 0])
        carried = by.H @ self._carried("v", self.system.layout.v_size)[:, : by.weight.size].T
        return Response(by, slopes[MOMENTA].plus(-carried), slopes[RATES])

    @cached_property
    def acceleration(self) -> np.ndarray:
        """Return the change of the acceleration by forces, after the least velocity (`assemble(forces=True)`)."""
        here = self._instant(2)
        M, Q, gamma = here.terms
        by = Bordered(M, here.rows, here.system.weight)
        multipliers = by.solve(Q[:, None], gamma[:, None]).multipliers
        slopes = here.slopes((ACCELERATIONS, FORCES), self.state.full_a, multipliers[:, 0])
        return Response(by, slopes[FORCES], slopes[ACCELERATIONS]).ahead(self.x, self.least_velocity)

    # --- back ---------------------------------------------------------------------------------------------------------

    def back(self, of_q: np.ndarray, of_v: np.ndarray) -> np.ndarray:
        """Return the weights of parameters, (rows, parameters), from weights of q and of the velocity of `simulate`, in
        rows; nan where the state does not follow the parameters smoothly."""
        structure, nv = self.system.structure, self.system.nv
        by_velocity, of_x = self._energetic.back(of_v)
        ways = places_moved(structure, self.state.full_q, np.eye(self.system.layout.v_size)[:nv])
        by_pose = self._pose.back(of_x + of_q @ ways.T)[0]
        return by_velocity + by_pose + of_q @ self._states.T if self.is_smooth else np.full_like(by_pose, np.nan)

    @cached_property
    def is_smooth(self) -> bool:
        """Return whether the state follows the parameters: tested where all change together, each in proportion to its
        effect, with random factors. (A solution for each parameter would cost more than the way back.)"""
        sizes = np.maximum(self._pose.sizes(), self._energetic.sizes())
        random = np.random.default_rng(0).uniform(0.5, 1.5, sizes.size) * (-1.0) ** np.arange(sizes.size)
        factors = random / np.where(sizes > 0.0, sizes, 1.0)
        x = self._pose.summed(factors).ahead()
        v = self._energetic.summed(factors).ahead(x)
        return bool(np.isfinite(x).all() and np.isfinite(v).all()) and not self._is_momentary

    # --- what is held -------------------------------------------------------------------------------------------------

    def _instant(self, level: int, at_rest: bool = False) -> KernelState:
        """The state in the system that has equations for the values given of positions (level 0), of velocities (1) or
        for none. Such values are parameters of it."""
        system, symbols, v = self.system, self.variables.symbols, self.state.full_v
        states = {state.name for state in system.model.states}
        values = {name: value for name, value in self.given.items() if name not in states}
        if values and level < 2:
            places = system.structure.once(model_with_fixes, level, tuple(values))[1]
            system, known = holding(system, level, values), {name: Parameter(place) for place, name in places.items()}
            pairs = zip(self.variables.names, symbols, strict=True)
            symbols = tuple(known.get(name, symbol) for name, symbol in pairs)
        return KernelState(system, symbols, self.state.t, self.state.full_q, system.still if at_rest else v)


def _of_difference(system: System, back: np.ndarray, half: float) -> sps.csr_matrix:
    """Return A (half = -½) or A' (half = ½), which give the change of b by a small motion of its beginning or of its
    end: identity but for turns."""
    found = sps.identity(system.nv, format="lil")
    for _, at in system.layout.quaternions:
        theta = back[at : at + 3]
        cross, angle = np.cross(np.eye(3), theta), float(np.linalg.norm(theta))
        kappa = (1.0 - 0.5 * angle / np.tan(0.5 * angle)) / angle**2 if angle > 1e-2 else 1.0 / 12.0 + angle**2 / 720.0
        found[at : at + 3, at : at + 3] = np.eye(3) + half * cross + kappa * cross @ cross
    return sps.csr_matrix(found)
