"""All assembly modes of a mechanism: its poses for given values of its drivers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import sympy as sp

from ...arguments import check_tables, checked_fix, checked_seed, model_of
from ...certify.certificate import Certificate, certified
from ...compiled import System
from ...errors import MbsError, ModelError, counted
from ...model.drivers import Driver
from ...model.model import Model
from ...model.parameters import finite_number
from ...modes.ends import PathEnds, ends_of
from ...modes.generic import Generic, stored_generic
from ...modes.links import without_links
from ...modes.poses import ModePoses, PoseProblem, PoseSearch, with_links
from ...modes.result import AssemblyModes
from ...poses.assembly import assembled, holding
from ...poses.local import free_motions
from ...symbolic.markers import t as time
from .follow import follow
from .release import name_without_driver


def assembly_modes(
    model: Model | System, fix: Mapping[str, float] | None = None, t: float = 0.0, seed: int = 1
) -> AssemblyModes:
    """Return all poses in which a mechanism can be assembled for given values of its drivers, as `AssemblyModes`.

    Drivers have their values at the time t, in s, and `fix` maps names of quantities to values in SI units: together
    they must leave no degree of freedom. The equations are treated as polynomials, and all their solutions are
    computed, real and complex. The solutions of a generic mechanism of the same structure come from following one
    solution along loops, until the trace test shows that the set is complete; a path from each leads to a solution of
    this mechanism. The generic solutions are stored with the structure, so that other values, and ``with_parameters``,
    cost these paths only. `seed` starts the random numbers of the loops.

    A four-bar has two assembly modes:

    >>> points = {"A": (0, 0), "B": (0.6, 0), "C": (0.825, 0.662), "D": (1, 0)}
    >>> model = mbs.PlanarModel.from_points(points, rods={"crank": "AB", "coupler": "BC", "rocker": "CD"}, fixed="AD")
    >>> modes = mbs.assembly_modes(model, fix={"crank.angle": 0.6})
    >>> len(modes), modes.complex, modes.complete
    (2, 2, True)
    >>> print(modes.table("rocker.angle"))
    mode  rocker.angle
       0     -1.728545
       1      0.546373
    """
    content = model_of(model)
    return modes_of(content, checked_fix(content, fix), finite_number(t, "the time t"), checked_seed(seed))


def modes_of(model: Model, held: Mapping[str, float], t: float, seed: int = 1) -> AssemblyModes:
    """Return the assembly modes at time t with checked values of held quantities."""
    check_tables(model, np.array([t]))
    for name in held:
        measure, level = model.quantity(name)
        if level or measure.lowest:
            raise ModelError(
                f"fix={{{name!r}: ...}} holds a rate; modes are poses: hold values",
                code="is-a-rate", argument="fix", name=name,
            )  # fmt: skip
    problem = PoseProblem(model, holding(model.compile(), 0, held), t, held)
    without = without_links(model, held, t)
    lean = problem
    if without is not None:
        lean = PoseProblem(without.model, holding(without.model.compile(), 0, without.fix), t, without.fix)
    closure, generic = stored_generic(lean.system, t, seed)
    _check_freedom(model, lean.system, generic)
    solutions = ends_of(generic, closure)
    poses = PoseSearch(lean, closure).poses(solutions)
    if without is not None:
        poses = with_links(problem, poses, lean, without)
    complete = None if solutions.lost or poses.lost else generic.complete
    links = tuple(tuple(body.name for body in link.bodies) for link in without.links) if without else ()
    proofs, unproven = _proofs(problem, poses)
    return AssemblyModes(
        model.name, t, held, tuple(poses.states), poses.solutions, generic.count, complete,
        solutions.singular.shape[1], poses.dimension, solutions.at_infinity,
        "; ".join(filter(None, (_remarks(problem, generic, solutions, poses), unproven))), proofs, links,
    )  # fmt: skip


def _check_freedom(model: Model, system: System, generic: Generic) -> None:
    """Refuse a mechanism with a degree of freedom that neither drivers nor fixed quantities prescribe."""
    left = system.nv - generic.family.rows.size
    if not left:
        return
    what = f"{model.name!r} has {left} freedom{'s' if left > 1 else ''} that nothing leads, so its poses are no few"
    names = [f"{e.name}.{kind}" for e in model.conditions for kind in e.measures() if kind != "distance"]
    names += [f"{body}.{c}" for body in model.bodies for c in "xy"]
    example = ", ".join(f'"{name}": ...' for name in names[:left])
    raise ModelError(
        f"{what}; hold as many quantities, such as fix={{{example}}}",
        code="undriven-freedom", model=model.name, drivers=tuple(e.name for e in model.drivers), freedoms=left,
    )  # fmt: skip


def _proofs(problem: PoseProblem, poses: ModePoses) -> tuple[tuple[Certificate, ...], str]:
    """Return a certificate of each mode, and a sentence about modes that are not proven."""
    try:
        proofs = tuple(certified(problem.system, problem.time, problem.in_full(state)) for state in poses.states)
    except ModelError as error:
        return (), f"no mode is certified: {error}"
    several = {k: " (singular to higher order: there may be several next to it)" for k in poses.blunt}
    return proofs, "; ".join(f"mode {k} is {proof}{several.get(k, '')}" for k, proof in enumerate(proofs) if not proof)


def _remarks(problem: PoseProblem, generic: Generic, solutions: PathEnds, poses: ModePoses) -> str:
    """Return the remarks on the poses for the user."""
    parts, dimension = [], poses.dimension
    if dimension:
        parts.append(f"some poses are not isolated: a continuum of {counted(dimension, 'dimension')}")
    if solutions.lost:
        parts.append(f"{counted(solutions.lost, 'path')} were lost, so poses may be missing; try another seed=")
    if poses.lost:
        what = f"at {counted(poses.lost, 'end')} of paths that look real Newton's method finds no pose"
        parts.append(f"{what}, so poses may be missing; try another seed=")
    if generic.complete is None:
        parts.append("the trace test says nothing here, so that poses may be missing; try another seed= as well")
    if generic.complete is False:
        parts.append("the trace test fails: poses are missing; try another seed=")
    if not poses.states and not dimension:
        model, t, fix = problem.model, problem.time, problem.fix
        parts.append("there is no real pose" + (_too_much(model, t, fix) or _limit(model, t, fix)))
    return "; ".join(parts)


def _too_much(model: Model, t: float, fix: Mapping[str, float]) -> str:
    """Return a sentence if more quantities are held than the mechanism has degrees of freedom, else ""."""
    drivers = [driver.name for driver in model.drivers]
    bare = model.without(*drivers) if drivers else model
    freedoms = free_motions(bare.compile(), t, assembled(bare, t).full_q).shape[1]
    count = len(fix) + sum(len(driver.units) for driver in model.drivers)
    if count <= freedoms:
        return ""
    what = f"{' and '.join([*fix, *drivers])} hold {count} quantities of {counted(freedoms, 'freedom')}"
    return f": {what}, and contradict each other; leave {count - freedoms} of them out"


def _limit(model: Model, t: float, fix: Mapping[str, float]) -> str:
    """Return a sentence about how far the one fixed or driven quantity can go from the placement, or ""."""
    if len(fix) + len(model.drivers) != 1:
        return ""
    try:
        name, value = next(iter(fix.items())) if fix else _driven(model, t)
        free = model.without(*(driver.name for driver in model.drivers))
        limits = follow(free, name, t=t).limits(name)
    except MbsError:
        return ""
    nearest: Any = min(limits, key=lambda limit: abs(limit - value))
    return f": from its placement, {name} goes to {nearest:.9g} at most" if np.isfinite(nearest) else ""


def _driven(model: Model, t: float) -> tuple[str, float]:
    """Return another name of the quantity that the only driver drives, of an element or body, and the value that it
    should have: as far from its value in the placement as the driver's law is from the driven quantity there."""
    (driver,) = model.drivers
    if not isinstance(driver, Driver) or driver.measure.lowest:
        raise ModelError(
            f"{driver.who} drives no single quantity", code="drives-no-single-quantity", driver=driver.name
        )
    freed = model.without(driver.name)
    start = assembled(freed, t)
    name = name_without_driver(model, driver, t, start.full_q)
    if name is None:
        raise ModelError(f"what {driver.who} drives has no other name", code="no-other-name", driver=driver.name)
    law = model.compile().evaluator(driver.function.xreplace({time: sp.Float(t)}))
    rest = start.system.still[None]
    driven = model.compile().reader([driver.measure])(np.array([t]), start.full_q[None], rest, rest)[0, 0, 0]
    return name, float(start[name] + law - driven)
