"""Equilibria of a mechanism: poses in which all forces balance.

Q - Φ_vᵀ λ = 0,        Φ = 0,        v = 0
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal, overload

import numpy as np

from ..arguments import checked_over, model_of
from ..compiled import System
from ..derivatives.parameters import design_variables
from ..equilibria.balance import Balance, balance_at
from ..equilibria.contact.holding import Holding
from ..equilibria.contact.rows import rows_at
from ..equilibria.contact.seeking import settle_on
from ..equilibria.corners import check_friction
from ..equilibria.equilibrium import Equilibria, Equilibrium, EquilibriumPath, equilibrium_at
from ..equilibria.path import LoadFamily, PathPoint, followed
from ..equilibria.seeking import balance, is_regular, settle
from ..equilibria.states import rest_with_states, state_places
from ..equilibria.steady import check_still
from ..errors import EquilibriumError, MbsError, ModelError, SingularConfigurationError, check_name, checked_options
from ..explain.contacts import check_apart
from ..model.checks import warn_of_angles
from ..model.model import Model
from ..motion.initial import check_reactions, check_regular
from ..poses.assembly import posed
from ..poses.dependence import joints_at_fault
from ..results.result import State
from .curves.rests import all_rests

Start = State | Mapping[str, float] | None
Over = tuple[str, Sequence[float]]


@overload
def equilibrium(
    model: Model | System, start: Start = ..., all: Literal[False] = ..., over: None = ...,
    derivatives: Sequence[Any] = ...,
) -> Equilibrium: ...  # fmt: skip
@overload
def equilibrium(
    model: Model | System, start: Start = ..., *, all: Literal[True], derivatives: Sequence[Any] = ...
) -> Equilibria: ...
@overload
def equilibrium(
    model: Model | System, start: Start = ..., *, over: Over, derivatives: Sequence[Any] = ...
) -> EquilibriumPath: ...
@checked_options
def equilibrium(
    model: Model | System, start: Start = None, all: bool = False, over: Over | None = None,
    derivatives: Sequence[Any] = (),
) -> Equilibrium | Equilibria | EquilibriumPath:  # fmt: skip
    """Return the equilibrium that a mechanism reaches when it moves slowly from the start: with reactions, stiffness,
    frequencies and stability.

    `start` is a `State`, or a dict of values for the pose (``{"crank.angle": 0.6}``); by default the placement. The
    search descends along the work of all forces, loads included, so the equilibrium is stable unless the start itself
    is an unstable one; if no stable equilibrium is found, an `EquilibriumError` is raised. (A load that turns with its
    body may cause flutter: see ``found.stable``.) States of the model reach their equilibrium by Newton's method. Time
    is held (at 0, or at the time of the start); drivers must be at rest, and forces must not change with time.

    With ``all=True`` all equilibria are returned, stable or not, on all branches of the assembly, as `Equilibria`: the
    one of least potential first (if loads have no potential, equilibria that forces hold first: see ``message``);
    ``complete`` says whether there can be others. Angles of bodies whose turns nothing counts are from -π to π. A
    mechanism with one degree of freedom is followed along each of its circuits, which start from all assembly modes at
    several values of a quantity. A mechanism whose drivers hold all motions has an equilibrium in each assembly mode.
    With more degrees of freedom the search starts from many poses.

    `over` is a pair (name, values) of a parameter or an input, along which equilibria are followed, as an
    `EquilibriumPath`.

    Contacts close or open as equilibrium demands. A pose that friction already holds is returned as it is; from any
    other pose the equilibrium without friction is searched. ``found.holding`` says how safely friction holds it.

    `derivatives` names parameters and constants by which each equilibrium is differentiated: see `Equilibrium.d`.

    A rod on a pin hangs down, and swings about that pose with ω² = 3 g/2L:

    >>> rod = mbs.PlanarModel.from_points(
    ...     {"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=2, gravity=(0, -9.81))
    >>> rest = mbs.equilibrium(rod)
    >>> round(rest["rod.angle"], 6), rest.stable
    (-1.570796, True)
    >>> (rest.frequencies**2).round(3)
    array([49.05])
    >>> rests = mbs.equilibrium(rod, all=True)  # and it may stand on the pin
    >>> [one.stable for one in rests], rests.complete
    ([True, False], True)
    """
    content = model_of(model)
    system = content.compile()
    if state_places(system) and (all or over is not None):
        what = f"all= and over= are for models without states, and {content.name!r} has "
        raise ModelError(
            f"{what}{', '.join(state_places(system))}; look from one start after the other",
            code="not-supported", argument="all" if all else "over", states=tuple(state_places(system)),
            model=content.name,
        )  # fmt: skip
    t = start.t if isinstance(start, State) else 0.0
    if not (start is None or isinstance(start, State | Mapping)):
        raise ModelError(
            f'start must be a state or a dict of names and values, not {start!r}; e.g. {{"crank.angle": 0.6}}',
            code="not-a-pose", argument="start", value=start,
        )  # fmt: skip
    design_variables(content, derivatives)  # refuse unknown names before the search
    warn_of_angles(content, start, "start")
    if content.contacts or content.frictions:
        return _on_contacts(content, start, t, all, over, derivatives)
    if over is not None:
        return _path(content, start, all, over, derivatives)
    q = _start(content, start, t)
    if all:
        rests = all_rests(content, t, q, derivatives)
        if not rests:
            raise _none(balance_at(system, t, q), "from any start")
        return rests
    return equilibrium_at(_nearest(system, t, q), derivatives)


def _start(model: Model, start: Start, t: float) -> np.ndarray:
    """Return a closed pose; refuse drivers that move."""
    q, *_ = posed(model, t, start if isinstance(start, Mapping) else {}, start if isinstance(start, State) else None)
    check_still(balance_at(model.compile(), t, q))
    return q


def _on_contacts(
    model: Model, start: Start, t: float, all: bool, over: Over | None, names: Sequence[Any]
) -> Equilibrium:  # fmt: skip
    system, name = model.compile(), model.name
    if all or over is not None or state_places(system):
        raise ModelError(
            f"{name!r} has {'contacts' if model.contacts else 'friction'}, with which equilibrium() goes from one "
            "start to one rest, of models without states; look from one start after the other",
            code="not-supported", argument="all" if all else "over" if over is not None else "model", model=name,
            elements=tuple(e.name for e in (*model.contacts, *model.frictions)), states=tuple(state_places(system)),
        )  # fmt: skip
    q = _start(model, start, t)
    check_apart(State(system, t, q, system.still, system.still))
    here = balance_at(system, t, q)
    check_friction(here)
    check_reactions(system, t, q, len(check_regular(system, t, q, system.still)))
    there = Holding(rows_at(here))
    lawless: list[MbsError] = []
    rest = there.rest or settle_on(system, t, q, lawless)
    if rest is None:
        slides = f", nor does friction hold it there ({there!r})" if there.rows.bounds else ""
        raise _none(here, f"from here{slides}", lawless)
    return equilibrium_at(_regular(rest), names)


def _nearest(system: System, t: float, q: np.ndarray) -> Balance:
    lawless: list[MbsError] = []
    one = settle(system, t, q, lawless) or balance(system, t, q, lawless)
    if state_places(system):
        one = rest_with_states(one or balance_at(system, t, q))
    elif one is not None and not one.holds_still and system.between(q, one.q).any() and is_regular(one):
        raise EquilibriumError(
            f"no stable rest of {system.model.name!r} was found from here: forces drive it on, and the balance near by "
            "is unstable; give another start, or use all=True for all rests, stable or not",
            code="no-stable-rest", model=system.model.name, pose=Equilibrium(one).state,
        )  # fmt: skip
    if one is None:
        raise _none(balance_at(system, t, q), "from here", lawless)
    return _regular(one)


def _regular(one: Balance) -> Balance:
    if not is_regular(one):
        names = joints_at_fault(one.system, one.t, one.q)
        where = f"{one.system.model.name!r} comes to rest in a singular pose, where {', '.join(names)}"
        raise SingularConfigurationError(
            f"{where} take forces without bound or none; change a dimension slightly, or use all=True for others",
            code="singular", model=one.system.model.name, time=one.t, joints=names, pose=Equilibrium(one).state,
        )  # fmt: skip
    return one


def _path(model: Model, start: Start, all: bool, over: Over, names: Sequence[Any]) -> EquilibriumPath:
    name, values = checked_over(model, over)
    if all:
        raise ModelError(
            "all=True and over= do not go together; follow the path from each start by itself",
            code="contradictory-arguments", argument="all", other="over",
        )  # fmt: skip
    check_name("parameter or input", name, model.number_names, f"model {model.name!r}")
    if len(values) < 2 or values[0] == values[-1]:
        raise ModelError(
            f"over= needs two values of {name!r} at least, the first and the last different",
            code="too-few-values", argument="over", name=name, values=tuple(values), least=2,
        )  # fmt: skip
    first, span = values[0], values[-1] - values[0]
    if beyond := [value for value in values if not 0.0 <= (value - first) / span <= 1.0]:
        raise ModelError(
            f"a path goes from the first value of {name!r} to the last, {first:g} to {values[-1]:g}, and does not come "
            f"by {', '.join(f'{value:g}' for value in beyond)}; put the values in order",
            code="not-sorted", argument="over", name=name, values=tuple(values), beyond=tuple(beyond),
        )  # fmt: skip

    freed = model.with_parameter(name)
    freed.compile()  # once, for all values

    @lru_cache(maxsize=8)
    def system(p: float) -> System:
        return freed.with_values({name: first + span * p}).compile()

    t = start.t if isinstance(start, State) else 0.0
    begin = _nearest(system(0.0), t, _start(system(0.0).model, start, t))
    equilibrium_at(begin, names)  # refuse before the path is followed
    points, rests, limits = followed(LoadFamily(system), begin, [(value - first) / span for value in values])

    def at(some: Sequence[PathPoint]) -> tuple[float, ...]:
        return tuple(first + span * point.p for point in some)

    return EquilibriumPath(
        parameter=name,
        values=np.array(at(points)),
        points=tuple(
            Equilibrium(point.balance, design_variables(point.balance.system.model, names)) for point in points
        ),
        equilibria=tuple(equilibrium_at(point.balance, names) for point in rests),
        at=at(rests),
        limits=tuple(equilibrium_at(point.balance, names) for point in limits),
        limit_values=at(limits),
    )


def _none(start: Balance, where: str, lawless: Sequence[MbsError] = ()) -> EquilibriumError:
    check_friction(start)
    if lawless:
        name = start.system.model.name
        return EquilibriumError(
            f"no equilibrium of {name!r} was found {where}, for on the way {lawless[-1]}",
            code="law-without-value", model=name, reason=str(lawless[-1]), cause=getattr(lawless[-1], "code", None),
        )  # fmt: skip
    return EquilibriumError(
        f"no equilibrium of {start.system.model.name!r} was found {where}: nothing may hold it (a body that falls or "
        "slides, or a force that grows on the way); add what holds it, or give another start",
        code="no-equilibrium", model=start.system.model.name,
    )  # fmt: skip
