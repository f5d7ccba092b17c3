"""Assembly: from a rough placement to a pose that satisfies every equation, with its velocity and acceleration.

1. Close the gaps. Newton's step is the least change of the bodies (norm W) that cancels the linearised residual.
   Far from the solution it is shortened: no body turns by more than TURN in one step, a line search demands that the
   gaps shrink, and where that fails the step is damped (Levenberg-Marquardt).
2. Where freedom is left, go back towards the placement along the constraints: the pose found is the nearest one.
3. Velocity: the least one with Φ_v v = ν. Acceleration: the least one with Φ_v a = γ.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite

import numpy as np

from ..errors import AssemblyError, ModelError, RedundantConstraintError
from ..model.drivers import Held
from ..model.model import PlanarModel
from ..results.result import State
from ..system import System, poses
from ..system.evaluate import evaluate
from ..system.poses import Machine
from .dependence import PoseRank, agrees, elements_of
from .times import check_tables

TURN = 0.5
"""The longest first step of a body: radians, or model lengths."""
ITERATIONS = 200
RESTARTS = 16


def assemble(
    model: PlanarModel | System, t: float = 0.0, fix: Mapping[str, float] | None = None, start: State | None = None
) -> State:
    """A consistent position, velocity and acceleration at time t.

    `fix` holds quantities at values, by name: ``fix={"crank.angle": 0.6, "crank.omega": 10}``. They are met exactly
    and everything else changes as little as possible from the reference placement (or from `start`).
    """
    model = model_of(model)
    t = _time(t)
    check_tables(model, np.array([t]))
    check_start(model, start)
    if fix is not None and not isinstance(fix, Mapping):
        raise ModelError(f'fix must be a dict of names and values, not {fix!r}; write fix={{"crank.angle": 0.6}}')
    held = _held(model, fix or {})
    positioned = model.plus(*held[0]).compile() if held[0] else model.compile()
    reference = start.full_q if start is not None else positioned.placement
    q = _closed(positioned, float(t), reference)
    q = _nearest(positioned, float(t), q, reference)
    moving = model.plus(*held[1]).compile() if held[1] else model.compile()
    return _moving(model.compile(), moving, float(t), q)


def check_start(model: PlanarModel, start: State | None) -> None:
    """A start must be a pose of this model, or of one with the same bodies."""
    if start is None:
        return
    if not isinstance(start, State):
        raise ModelError(f"start must be a pose of {model.name!r}, not {start!r}; use mbs.assemble(model)")
    if [*start.system.model.bodies] != [*model.bodies]:
        raise ModelError(
            f"start is a pose of {start.system.model.name!r}, which has other bodies than {model.name!r}; "
            "assemble this model for a start"
        )


def _time(t: float) -> float:
    try:
        number = float(t)
    except (TypeError, ValueError) as exc:
        raise ModelError(f"the time must be a number, not {t!r}; assemble at e.g. t=0") from exc
    if not isfinite(number):
        raise ModelError(f"cannot assemble at t = {number}; give a finite time, e.g. t=0")
    return number


def model_of(thing: PlanarModel | System) -> PlanarModel:
    """Analyses take a model or its compiled system."""
    if isinstance(thing, System):
        return thing.model
    if isinstance(thing, PlanarModel):
        return thing
    raise ModelError(f"an analysis needs a model as first argument, not {thing!r}; build one: mbs.PlanarModel(name)")


def _held(model: PlanarModel, fix: Mapping[str, float]) -> tuple[list[Held], list[Held]]:
    """The fixed values as equations: those of positions, those of velocities."""
    held: tuple[list[Held], list[Held]] = ([], [])
    for name, value in fix.items():
        measure, level = model.quantity(name)
        if level > 1:
            raise ModelError(f"cannot fix {name!r}: accelerations follow from the motion; fix values or rates only")
        try:
            number = float(value)
        except (TypeError, ValueError) as exc:
            raise ModelError(f"fix[{name!r}] must be a number, not {value!r}") from exc
        if not isfinite(number):
            raise ModelError(f"fix[{name!r}] is {number}; give a finite number")
        held[level].append(Held(name.replace(".", " "), measure, level, number))
    return held


# --- 1. close the gaps ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Closure:
    """Where an attempt ended: the pose, whether it is closed, and the gap of each row."""

    q: np.ndarray
    closed: bool
    gaps: np.ndarray
    residuals: np.ndarray

    @property
    def largest(self) -> float:
        return float(self.gaps.max(initial=0.0))


def _closed(system: System, t: float, guess: np.ndarray) -> np.ndarray:
    machine = system.machine()
    check_finite(system, t, guess)
    attempt = close_from_afar(machine, t, guess)
    if attempt.closed:
        return attempt.q
    others = [close_from_afar(machine, t, start) for start in _other_starts(system, guess)]
    found = next((o for o in others if o.closed), None)
    best = attempt if found else min([attempt, *others], key=lambda c: c.largest)
    raise assembly_error(system, t, best, found)


def close_from_afar(machine: Machine, t: float, guess: np.ndarray) -> Closure:
    """Damped Newton with a line search, from any guess."""
    q, still = guess.copy(), np.zeros_like(guess)
    n = machine.pattern.n
    damping = 0.0
    try:
        for _ in range(ITERATIONS):
            machine.factor.damping[0] = damping
            if not poses.evaluate_and_factorise(machine, t, q, still, True):
                break
            before = _gaps(machine)
            if before.max(initial=0.0) <= poses.LOOSE * machine.length:
                break
            length = poses.newton_step(machine, 0 if damping else 1)
            step = machine.x.copy()
            if not np.isfinite(length):
                damping = max(10.0 * damping, 1e-6)
                continue
            longest = np.abs(np.sqrt(machine.factor.weight) * step).max(initial=0.0)
            shrink = min(1.0, TURN * machine.length / longest) if longest > 0 else 1.0
            taken = _line_search(machine, t, q, step, shrink, before)
            if taken == 0.0:
                if damping > 1e8:
                    break
                damping = max(10.0 * damping, 1e-6)
                continue
            q[:n] += taken * step
            damping = 0.0 if damping < 1e-7 or taken < shrink else damping / 10.0
    finally:
        machine.factor.damping[0] = 0.0
    polished = q.copy()
    if poses.close(machine, t, polished, still, 20) == poses.DONE:
        return Closure(polished, True, _gaps(machine), _residuals(machine))
    if poses.evaluate_and_factorise(machine, t, q, still, True):
        return Closure(q, False, _gaps(machine), _residuals(machine))
    return Closure(q, False, *np.full((2, machine.program.rows), np.inf))


def _gaps(machine: Machine) -> np.ndarray:
    """The gap of every row at the last evaluation, as a length; the residual itself for a row that no motion changes
    (whose part of Φ_v is zero)."""
    square = machine.factor.row_square
    length = np.sqrt(np.where(square > 1e-20 * square.max(initial=0.0), square, 1.0))
    return np.abs(_residuals(machine)) / length


def _residuals(machine: Machine) -> np.ndarray:
    where = machine.program.phi_from
    return np.where(where >= 0, machine.out[where], 0.0)


def _line_search(
    machine: Machine, t: float, q: np.ndarray, step: np.ndarray, longest: float, before: np.ndarray
) -> float:
    """The longest of 1, ½, ¼, ... of the step that makes the sum of squared gaps smaller; 0 if none does."""
    scale = 1.0 / np.sqrt(machine.factor.row_square + 1e-300)
    goal, still = float(before @ before), np.zeros_like(q)
    fraction = longest
    while fraction > longest * 2.0**-12:
        trial = q.copy()
        trial[: step.size] += fraction * step
        evaluate(machine.program, t, trial, still, machine.out)
        gaps = _residuals(machine) * scale
        if np.isfinite(gaps).all() and float(gaps @ gaps) <= (1.0 - 1e-3 * fraction) * goal:
            return fraction
        fraction *= 0.5
    return 0.0


def _other_starts(system: System, guess: np.ndarray) -> list[np.ndarray]:
    """Other placements, the same ones every time: all bodies turned and moved at random."""
    random = np.random.default_rng(20)
    starts = []
    for _ in range(RESTARTS):
        shift = random.uniform(-1.0, 1.0, system.nv) / np.sqrt(system.weight) * system.length
        start = guess.copy()
        start[: system.nv] += shift * np.where(system.weight == 1.0, 1.0, np.pi)
        starts.append(start)
    return starts


def check_finite(system: System, t: float, q: np.ndarray) -> None:
    """Whether all equations have values at this pose and time."""
    with np.errstate(all="ignore"):
        levels = system.read_constraints(np.array([t]), q[None], *np.zeros((2, 1, q.size)))
    finite = np.isfinite(np.concatenate(levels)).all(axis=0)
    if not finite.all():
        element = system.model.elements[system.rows[int(np.argmin(finite))].element]
        raise ModelError(
            f"{element.kind} {element.name!r} is not finite at t = {t:g} (it, or a derivative); mend its function "
            "or keep away from that time and pose",
            time=t,
            joints=(element.name,),
        )


def assembly_error(system: System, t: float, best: Closure, found: Closure | None) -> AssemblyError:
    """The failure in words: which joints, how far, and whether another start would do."""
    residuals = element_gaps(system, best)
    gap = max(residuals.values(), key=lambda pair: pair[0])[0]
    worst = sorted(residuals, key=lambda name: -residuals[name][0])[:3]
    parts = [f"{name} misses by {residuals[name][0]:.3g} {residuals[name][1]}" for name in worst]
    if found is None:
        kind = "cannot reach"
        remedy = (
            "no other start does better, so the dimensions do not allow a closed position (or constraints contradict "
            "each other: mbs.diagnose(model) tells); change lengths, fixed values or drivers of these joints"
        )
    else:
        kind = "bad guess"
        remedy = (
            "another start does close, so the placement is too far off; place the bodies nearer to the wanted "
            "position, or fix a value: assemble(model, fix={...})"
        )
    return AssemblyError(
        f"{system.model.name!r} does not assemble at t = {t:g} ({kind}): {'; '.join(parts)}. {remedy}",
        kind=kind,
        time=t,
        joints=tuple(worst),
        residuals={name: gap for name, (gap, _) in residuals.items()},
        gap=gap,
        pose=best.q[: system.nv],
    )


def element_gaps(system: System, closure: Closure) -> dict[str, tuple[float, str]]:
    """How far each element is from closing, with the unit: the distance between its points if its equations are
    lengths, the angle if they are angles (the larger of both, a radian counting as the model's length); for equations
    of another kind, how far bodies must move."""
    worst: dict[str, tuple[float, str]] = {}
    for name in system.model.elements:
        own = [(system.rows[k].unit, closure.residuals[k], closure.gaps[k]) for k in system.rows_of(name)]
        metres = float(np.hypot.reduce([r for unit, r, _ in own if unit == "m"] or [0.0]))
        radians = max([abs(float(r)) for unit, r, _ in own if unit == "rad"], default=0.0)
        other = max([float(gap) for unit, _, gap in own if unit not in ("m", "rad")], default=0.0)
        angle_counts = radians * system.length > max(metres, other)
        worst[name] = (radians, "rad") if angle_counts else (max(metres, other), "m")
    return {name: pair for name, pair in worst.items() if pair[0] > 1e-9 * system.length} or worst


# --- 2. the nearest closed pose ---------------------------------------------------------------------------------


def _nearest(system: System, t: float, q: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """Slide along the constraints towards the reference until the way back is perpendicular to them."""
    machine = system.machine()
    n, still = system.nv, np.zeros_like(q)

    def distance(pose: np.ndarray) -> float:
        return float(np.sqrt(system.weight @ (pose[:n] - reference[:n]) ** 2))

    for _ in range(100):
        poses.evaluate_and_factorise(machine, t, q, still, True)
        if n - system.program.rows + poses.dependent_rows(machine, poses.DEPENDENT) <= 0:
            return q
        machine.f[:] = system.weight * (reference[:n] - q[:n])
        machine.g[:] = 0.0
        poses.solve(machine.pattern, machine.factor, machine.f, machine.g, machine.x, machine.multipliers, 2)
        step = machine.x.copy()
        if float(np.sqrt(system.weight @ step**2)) < 1e-9 * system.length:
            return q
        for fraction in 0.5 ** np.arange(8):
            trial = q.copy()
            trial[:n] += fraction * step
            if poses.close(machine, t, trial, still, 12) == poses.DONE and distance(trial) < distance(q):
                q = trial
                break
        else:
            return q
    return q


# --- 3. velocity and acceleration -------------------------------------------------------------------------------


def _moving(system: System, with_fixed: System, t: float, q: np.ndarray) -> State:
    v, a = np.zeros_like(q), np.zeros_like(q)
    machine = with_fixed.machine()
    poses.evaluate_and_factorise(machine, t, q, v, False)
    poses.complete(machine, t, q, v, a)
    _check_level(with_fixed, machine, t, q, v, a, 1)
    if with_fixed is not system:
        machine = system.machine()
        poses.evaluate_and_factorise(machine, t, q, v, False)
        poses.complete(machine, t, q, v, a)
    _check_level(system, machine, t, q, v, a, 2)
    return State(system, t, q, v, a)


def _check_level(
    system: System, machine: Machine, t: float, q: np.ndarray, v: np.ndarray, a: np.ndarray, level: int
) -> None:
    """Whether the velocities (level 1) or accelerations (level 2) found satisfy every equation."""
    off = system.read_constraints(np.array([t]), q[None], v[None], a[None])[level][0]
    misses = np.abs(off) / np.sqrt(machine.factor.row_square + 1e-300)
    size = np.sqrt(system.weight @ (v, a)[level - 1][: system.nv] ** 2)
    if misses.max(initial=0.0) <= 1e-8 * (size + system.length):
        return
    involved = [k for k, miss in enumerate(misses) if miss > 0.1 * misses.max()]
    if level == 2:
        circuits = PoseRank(system, t, q).circuits(range(len(system.rows)))
        involved = [k for c in circuits if not agrees(system, t, q, c) for k in c.rows]
        if not involved:
            return  # a change point: velocities there are not determined, and so are accelerations
    names = elements_of(system, involved)
    raise RedundantConstraintError(
        f"{system.model.name!r} has no {('velocity', 'acceleration')[level - 1]} that satisfies all equations at "
        f"t = {t:g}: {', '.join(names)} contradict each other; take one of these drivers or fixed values away",
        time=t,
        joints=names,
        pose=q[: system.nv],
    )
