"""Where a mechanism comes to rest: poses in which all forces balance.

Q - Φ_vᵀ λ = 0,        Φ = 0,        v = 0
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, overload

import numpy as np

from ..arguments import model_of
from ..compiled import System
from ..equilibria.balance import Balance, balance_at
from ..equilibria.found import Equilibrium, all_balances, equilibrium_at, is_regular
from ..equilibria.seeking import balance, settle
from ..errors import EquilibriumError, ModelError, SingularConfigurationError
from ..model.model import Model
from ..poses.assembly import posed
from ..poses.dependence import joints_at_fault
from ..results.result import State

MOVES = 1e-9
"""Prescribed velocities (lengths of the model, or rad, per second) and accelerations beyond this are a motion."""


@overload
def equilibrium(
    model: Model | System, start: State | Mapping[str, float] | None = ..., all: Literal[False] = ...
) -> Equilibrium: ...
@overload
def equilibrium(
    model: Model | System, start: State | Mapping[str, float] | None = ..., *, all: Literal[True]
) -> tuple[Equilibrium, ...]: ...
def equilibrium(
    model: Model | System, start: State | Mapping[str, float] | None = None, all: bool = False
) -> Equilibrium | tuple[Equilibrium, ...]:
    """The pose in which a mechanism comes to rest when it is let go slowly from the start: with reactions, stiffness,
    frequencies, and whether it is stable.

    ``start`` is a `State`, or named values for its pose (``{"crank.angle": 0.6}``); without, the placement. The search
    goes downhill, so what is found is stable but for a start right on a pose that is not. With ``all=True`` it is made
    from many poses and on all branches of the assembly that these reach, for unstable ones too: all that are found,
    the one of least potential first. Time stands still (at 0, or at that of the start), and so must drivers.
    """
    own = model_of(model)
    system = own.compile()
    t = start.t if isinstance(start, State) else 0.0
    if not (start is None or isinstance(start, State | Mapping)):
        raise ModelError(
            f'start must be a state or a dict of names and values, not {start!r}; e.g. {{"crank.angle": 0.6}}'
        )
    q, *_ = posed(own, t, start if isinstance(start, Mapping) else {}, start if isinstance(start, State) else None)
    _check_still(balance_at(system, t, q))
    if all:
        found = tuple(equilibrium_at(one) for one in all_balances(system, t, q))
        if not found:
            raise _none(own, "from any start")
        return found
    one = settle(system, t, q) or balance(system, t, q)
    if one is None:
        raise _none(own, "from here")
    if not is_regular(one):
        names = joints_at_fault(system, t, one.q)
        raise SingularConfigurationError(
            f"{own.name!r} comes to rest in a singular pose, where {', '.join(names)} take forces without bound "
            "or none; change a dimension slightly, or use all=True for others",
            time=t, joints=names, pose=State(system, t, one.q, system.still, system.still),
        )  # fmt: skip
    return equilibrium_at(one)


def _check_still(here: Balance) -> None:
    """Rows with a velocity or an acceleration at rest are drivers that move."""
    system = here.system
    scale = MOVES * system.row_units
    moving = np.flatnonzero((np.abs(here.nu) > scale) | (np.abs(here.gamma) > scale))
    if moving.size:
        name = system.rows[moving[0]].element
        raise ModelError(
            f"{name!r} moves at t = {here.t:g}, so there is no rest; hold it: "
            f"give it a constant, or look for the equilibrium without it: model.without({name!r})"
        )


def _none(model: Model, where: str) -> EquilibriumError:
    return EquilibriumError(
        f"no equilibrium of {model.name!r} was found {where}: nothing may hold it (a body that falls, or a force that "
        "grows on the way); add what holds it, or give another start"
    )
