"""Equilibria as `equilibrium` returns them: one pose, all poses, or poses along a parameter."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..compiled.reading import Trajectory
from ..derivatives.parameters import DesignVariables, design_variables
from ..derivatives.results import derivative, set_varied
from ..errors import EquilibriumError, ModelError
from ..explain.failures import bodies_without_mass
from ..model.checks import unit_of
from ..motion.mechanism_record import WORK
from ..motion.outcome import in_the_limit, with_forces
from ..provided import provided
from ..public_class import PublicClass
from ..readings.reactions import Loads
from ..results.result import Result, State
from ..tolerances import EIGENVALUE_ROUNDOFF, MARGIN_TOLERANCE
from ..unit_system import UnitsLike, shown_in, told
from .balance import Balance
from .contact.holding import Holding
from .contact.rows import rows_at
from .contact.supported import Supported, modes_of
from .corners import check_friction
from .linear import LinearSystem, is_dissipative, is_symmetric, linear_system
from .load_potential import load_potential
from .small import SmallMotion
from .states import state_places
from .steady import check_lasting, small_motion_about
from .varied.law import LawDerivatives
from .varied.rest import RestDerivatives, check_derivatives

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class Equilibrium(metaclass=PublicClass):
    """A pose at rest, from `equilibrium`: ``found["crank.angle"]``, ``found.reaction("A")``.

    >>> rod = mbs.PlanarModel.from_points(
    ...     {"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=2, gravity=(0, -9.81))
    >>> rest = mbs.equilibrium(rod)
    >>> isinstance(rest, mbs.Equilibrium), round(rest["A.Fy"], 6)
    (True, 19.62)
    >>> round(rest.potential, 6)  # 2 kg times 9.81 m/s², 0.15 m below the pin
    -2.943
    """

    balance: Balance = field(repr=False)
    variables: DesignVariables | None = field(default=None, repr=False)
    """The parameters and constants for derivatives."""

    @cached_property
    def state(self) -> State:
        """The pose, at rest: a state from which other runs may start."""
        here = self.balance
        return State(here.system, here.t, here.q, here.system.still, here.system.still)

    @cached_property
    def result(self) -> Result:
        """The equilibrium as a result of one time, with reactions and energies."""
        here, still = self.balance, self.balance.system.still
        system, nowhere = here.system, np.zeros(0, dtype=int)
        motion = Trajectory(np.array([here.t]), here.q[None], still[None], still[None])
        energies = np.zeros((1, 2 + WORK))
        energies[0, 1] = here.potential
        joints = here.rows.balance if isinstance(here, Supported) else here
        redundant = len(system.rows) - (system.nv - joints.free_velocities.shape[1])
        multipliers = here.loads if isinstance(here, Supported) else here.multipliers
        loads, _, undetermined = in_the_limit(system, motion, multipliers[None], redundant, nowhere)
        touching: Any = {"integrated": True}  # includes states and inputs
        touching |= {"contacts": here.pushes[None], "modes": modes_of(here)} if isinstance(here, Supported) else {}
        several = np.zeros((1, len(system.rows) + system.structure.contacts.rows), dtype=bool)
        result = with_forces(system, motion, Loads(loads, redundant, undetermined, several), energies, **touching)
        if self.variables is not None:
            set_varied(result, RestDerivatives(result, self.variables, here))
        return result

    @cached_property
    def _small(self) -> SmallMotion:
        """The small motions about the equilibrium, in coordinates of bodies."""
        if isinstance(self.balance, Supported):
            self.balance.check_two_sided()
            if self.balance.rows.bounds and not self.holding.margin > 1.0 + MARGIN_TOLERANCE:
                raise EquilibriumError(
                    f"{self.holding!r} is about to move, so small motions have no law",
                    code="about-to-move", margin=self.holding.margin, model=self.balance.system.model.name,
                )  # fmt: skip
        return small_motion_about(self.balance)

    @cached_property
    def law(self) -> LinearSystem:
        """The law of small motions about the equilibrium, as ``linearize(model, found.state)`` gives it in coordinates
        of bodies. Gaps that press stay closed, and friction that holds sticks. Bodies that can move without moving any
        mass have no such law, and a `ModelError` names them."""
        return with_law_derivatives(linear_system(self.state, self._small), self)

    @cached_property
    def holding(self) -> Holding:
        """How safely contacts and friction hold the equilibrium."""
        here = self.balance
        return Holding(here.rows if isinstance(here, Supported) else rows_at(here))

    @property
    def message(self) -> str:
        """A note if no force decides the pose, otherwise empty: without weight and forces every pose is an equilibrium.

        >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=2)
        >>> mbs.equilibrium(rod).message
        'no force acts in the model, so every pose is an equilibrium; add gravity=, a spring or another force'
        """
        here, model = self.balance, self.balance.system.model
        acting = (*model.forces, *model.contacts, *model.frictions)
        if acting or here.sizes.any() or not here.free_velocities.size:
            return ""
        return "no force acts in the model, so every pose is an equilibrium; add gravity=, a spring or another force"

    @property
    def stable(self) -> bool:
        """Whether every small motion stays small, by the eigenvalues of `law`: see ``LinearSystem.stable``. Where
        forces have a potential, and bodies can move without moving any mass, the equilibrium is stable if the potential
        has a strict minimum there: if K is positive definite."""
        K, D, system = self._small.K, self._small.D, self.balance.system
        idle = system.cartesian.once(bodies_without_mass) and not state_places(system)
        if not (idle and is_symmetric(K) and is_dissipative(D)):
            return self.law.stable
        own = np.diag(K)
        scaled = K / np.sqrt(np.outer(np.abs(own), np.abs(own))) if own.all() else K
        return bool((own > 0.0).all() and np.linalg.eigvalsh(scaled).min(initial=1.0) > EIGENVALUE_ROUNDOFF)

    @property
    def coordinates(self) -> tuple[str, ...]:
        """The independent coordinates of small motions."""
        return self._small.names

    @property
    def stiffness(self) -> np.ndarray:
        """K by these coordinates: the restoring forces for a small motion of each."""
        return self._small.K

    @property
    def frequencies(self) -> np.ndarray:
        """The frequencies of the modes of `law` that oscillate, in rad/s."""
        return self.law.frequencies

    @property
    def potential(self) -> float:
        """The potential of all forces at rest, in J, including that of loads, such as a constant force in world axes, a
        torque in a joint or a cylinder, which a run adds to ``energy.supplied``. The potential of a constant torque
        counts turns of its angle. A `ModelError` names loads without a potential: forces in the axes of a body,
        functions of Python.

        >>> rod = mbs.PlanarModel.from_points(
        ...     {"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=2, gravity=(0, -9.81))
        >>> rest = mbs.equilibrium(rod.plus(mbs.Force("pull", rod.bodies["rod"], (19.62, 0))))  # at its middle
        >>> round(rest["rod.angle"], 6)  # as far aside as down
        -0.785398
        >>> round(rest.potential, 6)  # -√2 · 19.62 N · 0.15 m
        -4.162031
        """
        value, without = self._potential
        if without:
            raise ModelError(
                f"the rest of {self.balance.system.model.name!r} has no potential, for loads have none "
                f"({', '.join(without)}): forces in world axes, and efforts that depend on their own coordinate alone, "
                "have one",
                code="no-potential", loads=tuple(without), model=self.balance.system.model.name,
            )  # fmt: skip
        return value

    @cached_property
    def _potential(self) -> tuple[float, tuple[str, ...]]:
        own, without = load_potential(self.balance)
        return self.balance.potential + own, without

    def __getitem__(self, name: str) -> Any:
        """Return a quantity by its name in results, of the pose or of the forces: a number, or the components of a
        vector as an array."""
        if name in self.state.result:
            return self.state[name]
        value = self.result[name][0]
        return value if np.ndim(value) else float(value)

    def d(self, name: str, by: Any) -> Any:
        """Return the derivative of a named quantity by a parameter or constant of ``equilibrium(derivatives=)``; the
        equilibrium changes with it. NaN where forces do not hold all motions. For frequencies: ``found.law.d``.

        A mass of 2 kg on a spring of 100 N/m:

        >>> model = mbs.PlanarModel("scale", gravity=(0, -10))
        >>> pan = model.body("pan", mass=2, inertia=1, position=(0, -1))
        >>> guide = model.add(mbs.Translational("guide", model.ground.at(0, 0, np.pi / 2), pan.at(0, 0, np.pi / 2)))
        >>> spring = model.add(mbs.Spring("spring", model.ground, pan, stiffness=100, length=1))
        >>> rest = mbs.equilibrium(model, derivatives=["spring.stiffness"])
        >>> round(rest.d("pan.y", "spring.stiffness"), 6)  # m g/k²
        0.002
        """
        value = derivative(self.result, name, by)[0]
        return value if np.ndim(value) else float(value)

    def reaction(self, joint: str, **options: Any) -> Any:
        """Return the force and moment of a joint on its second body: see ``Result.reaction``.

        >>> rod = mbs.PlanarModel.from_points(
        ...     {"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=2, gravity=(0, -9.81))
        >>> round(float(mbs.equilibrium(rod).reaction("A")[0, 1]), 6)
        19.62
        """
        return self.result.reaction(joint, **options)

    def draw(self, ax: Any = None, **options: Any) -> Any:
        """Draw the pose: see ``Result.draw``."""
        return self.state.draw(ax, **options)

    def __repr__(self) -> str:
        note = f"; {self.message}" * bool(self.message)
        value, without = self._potential
        none = f"no potential, as loads have none ({', '.join(without)})"
        shown = none if without else f"potential {told(value, 'J')}"
        return f"<Equilibrium of {self.balance.system.model.name!r}: {shown}{note}>"


class Equilibria(tuple[Equilibrium, ...], metaclass=PublicClass):
    """All equilibria of a mechanism that were found, from ``equilibrium(all=True)``: a tuple, the equilibrium of least
    potential first; `complete` says whether there can be others. Where potentials cannot order them, because a load has
    no potential or does work on every turn, equilibria that forces hold come first, in the order of their distance from
    the start.

    A rod on a pin hangs down or stands on the pin:

    >>> rod = mbs.PlanarModel.from_points(
    ...     {"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=2, gravity=(0, -9.81))
    >>> rests = mbs.equilibrium(rod, all=True)
    >>> isinstance(rests, mbs.Equilibria), len(rests), rests.complete
    (True, 2, True)
    """

    complete: bool | None
    """True if these are all: every assembly mode of a mechanism whose drivers hold all motions, or every change of sign
    of the force on every circuit of a mechanism with one freedom. False if some are known to be missing, None if
    neither is known."""
    message: str
    """The reason for `complete`."""

    def __new__(cls, rests: Iterable[Equilibrium], complete: bool | None, message: str) -> Equilibria:
        equilibria = super().__new__(cls, rests)
        equilibria.complete, equilibria.message = complete, message
        return equilibria

    def __repr__(self) -> str:
        completeness = {True: "complete", False: "not complete", None: "completeness not shown"}[self.complete]
        return f"<Equilibria: {len(self)}, {completeness}: {self.message}>"


@dataclass(frozen=True, eq=False)
class EquilibriumPath(metaclass=PublicClass):
    """Equilibria along a parameter or an input, from `equilibrium(over=)`: ``path["apex.y"]`` over ``path.values``.

    A mass of 2 kg on a spring of 100 N/m, of length 1 m, under more and more weight:

    >>> model = mbs.PlanarModel("scale")
    >>> g = model.parameter("g", 0.0)
    >>> pan = model.body("pan", mass=2, inertia=1, position=(0, -1))
    >>> guide = model.add(mbs.Translational("guide", model.ground.at(0, 0, np.pi / 2), pan.at(0, 0, np.pi / 2)))
    >>> spring = model.add(mbs.Spring("spring", model.ground, pan, stiffness=100, length=1))
    >>> weight = model.add(mbs.Force("weight", pan, (0, -2 * g)))
    >>> path = mbs.equilibrium(model, over=("g", [0, 10]))
    >>> isinstance(path, mbs.EquilibriumPath), path["pan.y"].round(6)[[0, -1]]
    (True, array([-1. , -1.2]))
    >>> path.plot("pan.y").axes[0].get_xlabel()
    'g'
    """

    parameter: str
    """The name of the parameter or the input."""
    values: np.ndarray
    """The parameter at all points of the path, in their order; it may turn back."""
    points: tuple[Equilibrium, ...] = field(repr=False)
    equilibria: tuple[Equilibrium, ...] = field(repr=False)
    """The equilibria at the requested values, in their order along the path."""
    at: tuple[float, ...]
    """The value of each of `equilibria`."""
    limits: tuple[Equilibrium, ...] = field(repr=False)
    """Limit points, at which the parameter turns back: beyond, there is no equilibrium near by."""
    limit_values: tuple[float, ...]

    @cached_property
    def stable(self) -> np.ndarray:
        """Stability of each point: see `Equilibrium.stable`."""
        return np.array([one.stable for one in self.points])

    @property
    def states(self) -> tuple[State, ...]:
        """The states of all points."""
        return tuple(one.state for one in self.points)

    def __getitem__(self, name: str) -> np.ndarray:
        """Return a named quantity at all points."""
        return np.array([one[name] for one in self.points])

    def d(self, name: str, by: Any) -> np.ndarray:
        """Return the derivative of a named quantity at all points, each with the path's own parameter held, or by that
        parameter: see `Equilibrium.d`. Towards limit points the derivative tends to infinity."""
        return np.array([one.d(name, by) for one in self.points])

    def plot(self, *names: str, degrees: bool = False, units: UnitsLike = None) -> Figure:
        """Plot named quantities along the path over its parameter: dashed where the path is not stable, a dot at limit
        points."""
        with shown_in(units, degrees):
            return provided("EquilibriumPath.plot")(self, names)

    def __repr__(self) -> str:
        unit = unit_of(self.points[0].balance.system.model, self.parameter)
        first, last = (told(float(value), unit, self.parameter) for value in self.values[[0, -1]])
        limits = " and ".join(told(value, unit, self.parameter) for value in self.limit_values)
        how = f", limit points at {limits}" * bool(limits)
        return f"<EquilibriumPath of {len(self.points)} points over {self.parameter}, from {first} to {last}{how}>"


def with_law_derivatives(law: LinearSystem, rest: Equilibrium) -> LinearSystem:
    """Return the law about a rest with derivatives by the parameters of the rest, if there are any."""
    varied, plain = rest.result.varied, not (isinstance(rest.balance, Supported) or state_places(rest.balance.system))
    return law if varied is None or not plain else replace(law, varied=LawDerivatives(varied, law.coordinates))


def equilibrium_at(here: Balance, names: Sequence[Any] = ()) -> Equilibrium:
    """Return the equilibrium at a balanced pose (in Cartesian coordinates) if its forces do not change with time; with
    derivatives by `names`."""
    check_friction(here)
    check_lasting(here)
    if variables := design_variables(here.system.model, names):
        check_derivatives(here)
    return Equilibrium(here, variables)
