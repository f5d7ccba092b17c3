"""All equilibria of a mechanism at rest, and whether there can be others.

If drivers prescribe all motions, rests are assembly modes. With one degree of freedom rests lie on the circuits of the
mechanism: each circuit is followed whole, and circuits start from the given pose, from random poses, and from all
assembly modes at several values of one quantity. With more degrees of freedom rests are searched from random poses.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...compiled import System
from ...equilibria.balance import Balance, balance_at
from ...equilibria.circuits import Circuits
from ...equilibria.equilibrium import Equilibria, equilibrium_at
from ...equilibria.load_potential import load_potential, loads_that_wind
from ...equilibria.seeking import PATIENCE, all_balances, distant_pose, is_new, is_regular
from ...errors import MbsError, counted
from ...graph.topology import topology
from ...model.joints import Revolute
from ...model.model import Model
from ...poses.arcs.zeros import rates_along
from ...poses.assembly import in_full
from ...results.result import State
from ...tolerances import LAP_WORK, PERIODICITY, RANK_TOLERANCE
from .assembly_modes import modes_of

STARTS = 20
"""Number of random poses from which circuits are searched."""
VALUES, FIRST = 6, 0.1
"""Number of values of a quantity at which assembly modes are computed, and the first value of an angle in rad, which
avoids 0 and π, where links are in line."""
LOOPS = 3
"""Greatest number of loops for which assembly modes are computed: each multiplies their number by two to six."""
LAP_POSES = 17
"""Loads do work on a lap if their potential changes over it by more than this fraction of its range, seen at so many
poses of the lap; a lap closes to 1e-9."""
TRIED = 60
"""Greatest number of quantities among which the one with the widest range is chosen."""


def all_rests(model: Model, t: float, q: np.ndarray, names: Sequence[Any] = ()) -> Equilibria:
    """Return all equilibria that were found, the one of least potential first, and whether the list is complete. Rests
    whose potentials cannot be compared stand in the order of `_order`."""
    system, gaps, sentence, winds = model.compile(), list[str](), "", True
    complete: bool | None = None
    freedom = min(one.free_velocities.shape[1] for one in (balance_at(system, t, p) for p in _poses(system, t, q)))
    if freedom == 0:
        modes = [balance_at(system, t, in_full(system, state)) for state in _modes(model, t, None, gaps)]
        balances = [one for one in modes if is_regular(one)]
        sentence = "every assembly mode is a rest, for drivers hold all motions"
    elif freedom == 1 and not system.program.velocity_rows:
        balances, sentence, winds = _on_circuits(model, t, q, gaps)
    else:
        balances, excess = all_balances(system, t, q), 0
        if _is_torus(model, t, q):
            excess = sum(_sign_of_stiffness(one) for one in balances)
            if excess:
                balances = all_balances(system, t, q, 4 * PATIENCE)
                excess = sum(_sign_of_stiffness(one) for one in balances)
        gaps.append(
            f"rests of {counted(freedom, 'freedom')} were looked for from poses at random, and nothing proves that "
            "there are no others"
        )
        if excess:
            complete, more = False, "odd" if excess < 0 else "even"
            gaps[-1] = (
                "rests are missing: on the torus of the poses of hinges as many have an even number of unstable "
                f"directions as an odd one, and here there are {abs(excess)} more with an {more} one"
            )
    if complete is None and not gaps:
        complete = True
    order, note = _order(balances, q, winds)
    rests = tuple(equilibrium_at(_without_turns(balances[k]), names) for k in order)
    message = "; ".join(dict.fromkeys(gaps)) or sentence
    return Equilibria(rests, complete, f"{message}; {note}" if note else message)


def _order(balances: list[Balance], q: np.ndarray, winds: bool) -> tuple[list[int], str]:
    """Return the order of rests by potential, ties by distance from q, and a note if the order is another one: where
    loads have no potential, or (if `winds`) do work on every turn, stable rests come first."""
    distances = [float(np.linalg.norm(one.system.between(q, one.q))) for one in balances]
    loads = [load_potential(one) for one in balances]
    without = dict.fromkeys(name for _, names in loads for name in names)
    turning = loads_that_wind(balances[0]) if balances and winds else ()
    if without or turning:
        order = [(int(not one.holds_still), far) for one, far in zip(balances, distances, strict=True)]
        what = "have no potential" if without else "do work on every turn"
        note = f"loads {what} ({', '.join(without or turning)}), so rests that forces hold come first"
    else:
        potentials = [one.potential + load_energy for one, (load_energy, _) in zip(balances, loads, strict=True)]
        unit = PERIODICITY * max(map(abs, potentials), default=0.0) or 1.0
        order, note = [(round(v / unit), far) for v, far in zip(potentials, distances, strict=True)], ""
    return sorted(range(len(balances)), key=order.__getitem__), note


def _is_alike(here: Balance, q: np.ndarray) -> bool:
    """Return whether constraints and forces are equal in a pose that differs from another one by whole turns."""
    system, still = here.system, here.system.still[None]
    gaps = [system.read_constraints(np.array([here.t]), one[None], still, still)[0] for one in (here.q, q)]
    if np.abs(gaps[1] - gaps[0]).max(initial=0.0) > PERIODICITY * system.length:
        return False
    change = np.abs(balance_at(system, here.t, q).forces - here.forces)
    return bool(change.max() <= PERIODICITY * np.abs(here.forces).max())


def _without_turns(here: Balance) -> Balance:
    """Return the rest with the angle of each body from -π to π, the latter included up to roundoff. Where gears,
    springs or drivers count the turns of a body, its angle stays. (In space attitudes count no turns.)"""
    system = here.system
    for body in system.bodies if system.model.dimension == 2 else ():
        k, turned = system.layout.q[body][2], here.q.copy()
        turned[k] -= 2.0 * np.pi * np.ceil((here.q[k] - np.pi) / (2.0 * np.pi) - RANK_TOLERANCE)
        if turned[k] != here.q[k] and _is_alike(here, turned):
            here = balance_at(system, here.t, turned)
    return here


def _poses(system: System, t: float, q: np.ndarray, count: int = 3) -> Iterator[np.ndarray]:
    """Yield the given pose and `count` closed random poses; the random numbers are always the same."""
    yield q
    here, random = balance_at(system, t, q), np.random.default_rng(11)
    for k in range(count):
        if (there := distant_pose(here, random, freely=k % 2 == 0)) is not None:
            yield there


def _modes(model: Model, t: float, fix: dict[str, float] | None, gaps: list[str]) -> tuple[State, ...]:
    """Return all assembly modes with the fixed quantities; add to `gaps` why some may be missing."""
    if (loops := len(topology(model).cuts)) > LOOPS:
        gaps.append(f"all assembly modes of {loops} loops were not looked for, so circuits may be missing")
        return ()
    try:
        modes = modes_of(model, fix or {}, t)
    except MbsError as error:
        gaps.append(f"assembly modes are not known, so circuits may be missing: {error}")
        return ()
    if not modes.complete or modes.dimension:
        gaps.append(f"assembly modes may be missing: {modes.message}")
    return modes.states


def _on_circuits(model: Model, t: float, q: np.ndarray, gaps: list[str]) -> tuple[list[Balance], str, bool]:
    """Return the equilibria on all circuits, a sentence on the search, and whether the potential of loads changes over
    a lap of a circuit although the loads are equal again; add doubts to `gaps`."""
    system = model.compile()
    circuits = Circuits(system, t)
    for pose in _poses(system, t, q, STARTS):
        circuits.add(pose)
    if not circuits.curves:
        gaps.extend(circuits.gaps)
        return all_balances(system, t, q), "", True
    name, low, high = _widest(circuits)
    values = low + (high - low) * np.arange(VALUES) / VALUES
    for value in values:
        for state in _modes(model, t, {name: float(value)}, gaps):
            circuits.add(in_full(system, state))
    balances, winds = list[Balance](), False
    for curve in circuits.curves:
        rests, jumps = curve.rests()
        gaps += jumps
        if curve.winds_up:
            gaps.append("forces do not come back after a lap of a circuit; rests of one lap are told")
        if not curve.ends and not curve.winds_up:
            poses = curve.traced.path.q
            at = np.linspace(0, len(poses) - 1, LAP_POSES).astype(int)
            potentials = np.array([load_potential(balance_at(system, t, poses[k]))[0] for k in at])
            winds |= abs(potentials[-1] - potentials[0]) > LAP_WORK * np.ptp(potentials)
        singular = [one for one in rests if not is_regular(one)]
        gaps.extend("forces balance in a singular pose, too" for _ in singular)
        balances += [one for one in rests if is_regular(one) and is_new(one, balances)]
    gaps += circuits.gaps
    count = counted(len(circuits.curves), "circuit")
    return (
        balances,
        f"every change of sign of the force along {count} followed whole; all assembly modes at {VALUES} values of "
        f"{name} lie on {'it' if len(circuits.curves) == 1 else 'them'}",
        winds,
    )


def _widest(circuits: Circuits) -> tuple[str, float, float]:
    """Return the quantity with the widest range on the circuits, with the low and the high end of its range: an angle
    of a joint or body, over a whole turn; if nothing turns, a length, with a tenth of its range added on both sides."""
    system = circuits.system
    model = system.model
    of_joints = [f"{e.name}.{m.levels[0]}" for e in model.conditions for m in e.measures().values() if not m.lowest]
    of_bodies = [f"{body}.{m.levels[0]}" for body in model.bodies for m in model.measures_of(body) if not m.lowest]
    best, widest = ("", 0.0, 1.0), (False, RANK_TOLERANCE)
    for name in [one for one in [*of_joints, *of_bodies] if model.quantity_or_none(one)][:TRIED]:
        values = [rates_along(curve.track, curve.traced, name)[0] for curve in circuits.curves]
        low, high = min(one.min() for one in values), max(one.max() for one in values)
        is_angle = model.quantity(name)[0].units[0] == "rad"
        if (is_angle, high - low) > (widest[0], widest[1] * (1.0 + RANK_TOLERANCE)) and high - low > RANK_TOLERANCE:
            aside, widest = 0.1 * (high - low), (is_angle, high - low)
            best = (name, FIRST, FIRST + 2.0 * np.pi) if is_angle else (name, low - aside, high + aside)
    return best


def _sign_of_stiffness(here: Balance) -> int:
    """Return -1 if the number of unstable directions is odd, else 1: the sign of det K, whether K is symmetric or not
    (the index of the field of forces, as Poincaré and Hopf count it)."""
    return -1 if np.linalg.slogdet(here.stiffness)[0] < 0.0 else 1


def _is_torus(model: Model, t: float, q: np.ndarray) -> bool:
    """Return whether all poses form a torus, whose Euler characteristic is 0: an open chain of hinges in the plane,
    with forces that are equal after a whole turn of any body."""
    tree, system = topology(model), model.compile()
    if model.dimension != 2 or not tree.is_tree or tree.notes or model.drivers:
        return False
    if not all(isinstance(edge.joint, Revolute) for edge in tree.edges):
        return False
    here = balance_at(system, t, q)
    for body in system.bodies:
        turned = q.copy()
        turned[system.layout.q[body][2]] += 2.0 * np.pi
        if not _is_alike(here, turned):
            return False
    return True
