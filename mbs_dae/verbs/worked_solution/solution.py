"""The position, velocity and acceleration of a driven mechanism at one instant, step by step; poses by Newton's method,
as one does it by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...arguments import model_of
from ...compiled import System
from ...documents import ENDINGS, Paper, as_text, write
from ...errors import ModelError, SingularConfigurationError, check_dict, counted
from ...explain.prescribed import check_jumps
from ...model.drivers import Driver
from ...model.model import Model
from ...model.parameters import finite_number
from ...poses.assembly import assembled
from ...poses.dependence import PoseRank
from ...poses.redundancy import is_momentary
from ...public_class import PublicClass
from ...results.result import State
from ...symbolic.markers import t as time
from ...tolerances import POSE_LIMIT, POSE_RESIDUAL, STATE_AGREEMENT, VELOCITY_JUMP
from ..equations import SystemEquations, equations
from ..kinematics import kinematics
from .paper import paper_of

EARLIER = 12
"""Greatest number of halvings of the time between a start and t."""
Numbers = Callable[..., tuple[np.ndarray, ...]]
"""A function of t, q, v and turns that returns Φ, Φ_q, ν and γ; without v, at rest."""


@dataclass(frozen=True, eq=False, repr=False)
class WorkedSolution(metaclass=PublicClass):
    """A worked solution, in numbers; ``save`` writes it as a document.

    >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (2, 0)}, rods={"rod": "AB"}, fixed="A")
    >>> motor = rod.add(mbs.Driver("motor", mbs.angle(rod.elements["A"]), 3 * mbs.t))
    >>> found = mbs.worked_solution(rod, t=0.1)
    >>> isinstance(found, mbs.WorkedSolution), found
    (True, <worked solution of 'mechanism' at t = 0.1: 2 steps of Newton's method>)
    >>> max(found.differences) < 1e-9  # to what the program computes
    True
    """

    t: float
    equations: SystemEquations
    model: Model
    given: Mapping[str, float]
    """The given values of quantities that no driver moves."""
    started_at: float | None
    """The time, in s, of the pose from which Newton's method starts; None: the placement."""
    iterates: tuple[Iterate, ...]
    kept: tuple[int, ...]
    """The rows that are solved; the others follow from them."""
    Phi: np.ndarray
    """Φ of all rows, at the solution."""
    Phi_q: np.ndarray
    nu: np.ndarray
    gamma: np.ndarray
    v: np.ndarray | None
    """The velocities; None if the equations do not determine them."""
    a: np.ndarray | None
    core: State
    """The state that `mbs.kinematics` computes."""
    singular: str
    """A sentence about a singular pose; empty at any other."""

    @property
    def q(self) -> np.ndarray:
        """The pose to which Newton's method converged."""
        return self.iterates[-1].q

    @property
    def differences(self) -> tuple[float, float | None, float | None]:
        """The largest differences of q, v and a from those of `mbs.kinematics`."""
        pairs = ((self.v, self.core.v), (self.a, self.core.a))
        rest = [None if x is None else float(np.abs(x - y).max(initial=0.0)) for x, y in pairs]
        return apart(self.q, self.core.q, self.model.dimension == 2), rest[0], rest[1]

    @property
    def paper(self) -> Paper:
        """The document that `save` writes: headings, sentences, formulas, tables."""
        return paper_of(self)

    def save(self, path: str | Path) -> Path:
        """Write the solution as a page (.html, self-contained, with formulas as MathML), or as .tex or .md; return the
        path.

        >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (2, 0)}, rods={"rod": "AB"}, fixed="A")
        >>> motor = rod.add(mbs.Driver("motor", mbs.angle(rod.elements["A"]), 3 * mbs.t))
        >>> path = mbs.worked_solution(rod, t=0).save("solution.md")
        >>> path.read_text(encoding="utf-8").splitlines()[0]
        '# Worked solution: mechanism, t = 0 s'
        """
        return write(path, [*ENDINGS], lambda ending: as_text(self.paper, ending))

    @property
    def text(self) -> str:
        """The whole document, in Markdown."""
        return as_text(self.paper, ".md")

    def _repr_markdown_(self) -> str:
        return self.text

    def __repr__(self) -> str:
        steps = counted(len(self.iterates) - 1, "step")
        return f"<worked solution of {self.model.name!r} at t = {self.t:g}: {steps} of Newton's method>"


def worked_solution(
    model: Model | System, t: float = 0.0, initial: Mapping[str, float] | None = None
) -> WorkedSolution:
    """Return the analysis of a driven mechanism at time t, in s, as a student would hand it in: dimensions,
    coordinates, equations in symbols and in numbers, start values, all iterates of Newton's method, velocities,
    accelerations, and a check::

        mbs.worked_solution(model, t=0.5).save("solution.html")

    If no driver moves the mechanism, `initial` gives values and rates, which are held at this instant (rates that are
    not given are zero, and so are accelerations): ``initial={"crank.angle": 0.6, "crank.omega": 10}``.

    Newton's method is the plain one, with full steps. It starts from the placement; if it then converges to no pose, or
    to a pose that the motion does not reach, it starts from the pose of the motion at an earlier time, which the
    solution states.

    >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (2, 0)}, rods={"rod": "AB"}, fixed="A")
    >>> motor = rod.add(mbs.Driver("motor", mbs.angle(rod.elements["A"]), 3 * mbs.t))
    >>> found = mbs.worked_solution(rod, t=0.1)
    >>> found.q.round(6)  # cos 0.3, sin 0.3, and the angle
    array([0.955336, 0.29552 , 0.3     ])
    >>> found.v.round(6)  # -3 sin 0.3, 3 cos 0.3, and the driver's 3 rad/s
    array([-0.886561,  2.866009,  3.      ])
    """
    model, t = model_of(model), finite_number(t, "the time t")
    given = {} if initial is None else initial
    check_dict("initial", given, "names and values", 'initial={"crank.angle": 0.6}')
    model = _with_drivers(
        model, t, {str(name): finite_number(x, f"initial[{str(name)!r}]") for name, x in given.items()}
    )
    eq = equations(model)
    _check(model, eq, t)
    core, singular, times = _reference(model, t)
    kept = tuple(range(len(core.system.rows)))  # the rows that determine the pose; at a singular pose, all rows
    if not singular and len(kept) != core.system.nv:
        dependent = PoseRank(core.system, core.t, core.full_q).dependent(range(len(core.system.rows)))
        kept = tuple(row for row in kept if row not in dependent)
    of = eq.lambdify("Phi", "Phi_q", "nu", "gamma")
    iterates, started_at = _iterates(of, model, core, kept, times, bool(singular))
    numbers = _solve(of, t, iterates[-1], None if singular else [*kept])
    solution = WorkedSolution(
        t=t, equations=eq, model=model, given=dict(given), started_at=started_at, iterates=tuple(iterates), kept=kept,
        **numbers, core=core, singular=singular,
    )  # fmt: skip
    difference = solution.differences[1]
    if difference is not None and difference > VELOCITY_JUMP * max(1.0, float(np.abs(core.v).max(initial=0.0))):
        # a law with a corner at this instant has a symbolic derivative of neither side, unlike the motion
        aside = VELOCITY_JUMP * max(1.0, abs(core.t))
        check_jumps(replace(core, t=core.t - aside), core.t + aside)
    return solution


def _with_drivers(model: Model, t: float, values: dict[str, float]) -> Model:
    """Return the model with a driver for each given quantity: value + rate (time - t)."""
    laws: dict[str, dict[int, float]] = {}
    measures: dict[str, Any] = {}
    for name, value in values.items():
        measure, level = model.quantity(name, told=2)
        if level > 1 or measure.lowest:
            raise ModelError(
                f"initial[{name!r}] is held by no driver; give values, such as an angle, and their rates",
                code="held-by-no-driver", argument="initial", name=name,
            )  # fmt: skip
        place = f"{name.rpartition('.')[0]}.{measure.levels[0]}"
        laws.setdefault(place, {})[level] = value
        measures[place] = measure
    if not laws:
        return model
    fixed = {place: law[0] for place, law in laws.items() if 0 in law}
    start = assembled(model, t, fixed)
    drivers = []
    for place, law in laws.items():
        value = law[0] if 0 in law else start[place]
        name = f"given {place.replace('.', ' ')}"
        drivers.append(Driver(name, measures[place], value + law.get(1, 0.0) * (time - t)))
    return model.plus(*drivers)


def _check(model: Model, eq: SystemEquations, t: float) -> None:
    """Refuse a model whose coordinates do not all follow from equations of positions, or whose freedom is not all
    driven."""
    if len(eq.position_rows) < len(eq.rows):
        names = sorted({who for k, (who, _) in enumerate(eq.rows) if k not in eq.position_rows})
        what = f"{', '.join(names)} of {model.name!r} restrict velocities only, so no pose follows from equations"
        raise ModelError(
            f"{what}; use mbs.kinematics or mbs.simulate, or leave them out by model.without(...)",
            code="nonholonomic", model=model.name, names=tuple(names),
        )  # fmt: skip
    system, first = model.compile(), _nearest(model, t)
    free = system.nv - len(system.rows) + len(PoseRank(system, t, first.full_q).dependent(range(len(system.rows))))
    if free > 0 and not is_momentary(system, first.full_q):
        what = f"{model.name!r} has {counted(free, 'degree')} of freedom that no driver moves"
        example = "e.g. mbs.Driver('motor', mbs.angle(i, j), omega * mbs.t)"
        remedy = f'or give {counted(free, "value")} to be held: initial={{"crank.angle": 0.6}}'
        raise ModelError(
            f"{what}; add {counted(free, 'driver')}, {example}, {remedy}",
            code="undriven-freedom", model=model.name, freedoms=free, time=t,
        )  # fmt: skip


def _reference(model: Model, t: float) -> tuple[State, str, list[float]]:
    """Return the pose that the motion reaches from time 0 (without such a motion: the pose nearest to the placement), a
    sentence about its singularity, and the times of the motion."""
    times = [0.0, t] if t > 0 else [t]
    try:
        result = kinematics(model, times)
    except SingularConfigurationError as error:
        if abs(error.facts.get("time", t) - t) > 1e-6 * max(1.0, abs(t)):
            raise
        return _nearest(model, t), str(error), times
    at_change = any(abs(moment - t) <= 1e-12 * max(1.0, abs(t)) for moment in result.stats["change_points"])
    sentence = "here the equations do not decide the velocities: this is a change point" if at_change else ""
    return result.state(-1), sentence, times


def _nearest(model: Model, t: float) -> State:
    """Return the pose nearest to the placement, whether or not it has velocities."""
    try:
        return assembled(model, t)
    except SingularConfigurationError as error:
        return error.facts["pose"]


def _iterates(
    of: Numbers, model: Model, core: State, determining: tuple[int, ...], times: list[float], singular: bool
) -> tuple[list[Iterate], float | None]:
    """Return Newton's iterates to the pose of `core`, and the time of their start: the first that leads there among
    the placement (None), 0, t/2, 3t/4, ..."""
    rows, length, tolerance = list(determining), core.system.length, 1e-5 if singular else STATE_AGREEMENT
    nq, nv = core.system.nq, core.system.nv

    def equations_of(q: np.ndarray, turns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        phi, jacobian, *_ = of(core.t, q, None, turns)
        return phi[rows], jacobian[rows]

    def try_start(state: Any) -> list[Iterate] | None:
        turns = state[core.system.layout.turns[:, :1] + np.arange(3)].ravel()
        iterates, closed = newton(equations_of, state[:nq], turns, length)
        same = apart(iterates[-1].q, core.q, model.dimension == 2) <= tolerance * max(1.0, float(np.abs(core.q).max()))
        return iterates if closed and same else None

    if len(rows) == nv and (iterates := try_start(core.system.placement)) is not None:
        return iterates, None
    if len(rows) == nv and len(times) == 2:
        moments = [0.0, *(core.t * (1 - 0.5**k) for k in range(1, EARLIER)), core.t]
        motion = kinematics(model, moments[:-1] if singular else moments)
        for k in range(len(motion) - (not singular)):
            if (iterates := try_start(motion.state(k).full_q)) is not None:
                return iterates, moments[k]
    what = f"Newton's method, with full steps, does not reach the pose of {model.name!r} at t = {core.t:g}"
    raise ModelError(
        f"{what}; use mbs.kinematics, or choose another time or a placement nearer to that pose",
        code="no-convergence", model=model.name, time=core.t,
    )  # fmt: skip


def _solve(of: Numbers, t: float, last: Iterate, rows: list[int] | None) -> dict[str, Any]:
    """Return the matrices at the solution, and velocities and accelerations if these rows determine them."""
    Phi, Phi_q, nu, gamma = of(t, last.q, None, last.turns)
    v = a = None
    if rows is not None:
        v = np.linalg.solve(Phi_q[rows], nu[rows])
        gamma = of(t, last.q, v, last.turns)[3]
        a = np.linalg.solve(Phi_q[rows], gamma[rows])
    return {"Phi": Phi, "Phi_q": Phi_q, "nu": nu, "gamma": gamma, "v": v, "a": a}


# --- Newton's method as done by hand: the whole Jacobian anew at each pose, full steps, no more ---


MOST = 40
"""Greatest number of steps."""


class Iterate(NamedTuple):
    """An iterate: a pose, and the residual of its equations."""

    q: np.ndarray
    turns: np.ndarray
    residual: np.ndarray

    @property
    def size(self) -> float:
        """Φ|: the largest residual."""
        return float(np.abs(self.residual).max(initial=0.0))


Equations = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
"""A function of q and turns that returns Φ and Φ_q."""


def newton(equations: Equations, q: np.ndarray, turns: np.ndarray, length: float) -> tuple[list[Iterate], bool]:
    """Return all iterates from q on, and whether the last one is a solution."""
    iterates: list[Iterate] = []
    for _ in range(MOST + 1):
        phi, jacobian = equations(q, turns)
        iterates.append(Iterate(q, turns, phi))
        size = iterates[-1].size
        if not np.isfinite(size):
            return iterates, False
        if size <= POSE_RESIDUAL * length or (
            size <= POSE_LIMIT * length and len(iterates) > 1 and size > 0.5 * iterates[-2].size
        ):
            return iterates, True
        try:
            step = np.linalg.solve(jacobian, -phi)
        except np.linalg.LinAlgError:
            return iterates, False
        q, turns = moved(q, turns, step)
    return iterates, False


def moved(q: np.ndarray, turns: np.ndarray, step: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return q + Δq in the plane. In space a step is Δr and a small rotation δ in body axes, which takes an attitude e
    to e + ½ e ∘ (0, δ), normalised to a unit quaternion."""
    if q.size == step.size:
        return q + step, turns
    places, steps = q.reshape(-1, 7), step.reshape(-1, 6)
    e, delta = places[:, 3:], steps[:, 3:]
    scalar = -np.einsum("ij,ij->i", e[:, 1:], delta)
    vector = e[:, :1] * delta + np.cross(e[:, 1:], delta)
    attitudes = e + 0.5 * np.column_stack([scalar, vector])
    attitudes /= np.linalg.norm(attitudes, axis=1, keepdims=True)
    return np.hstack([places[:, :3] + steps[:, :3], attitudes]).ravel(), turns + delta.ravel()


def apart(q: np.ndarray, other: np.ndarray, plane: bool) -> float:
    """Return the distance of two poses, the largest difference of coordinates; e and -e are the same attitude."""
    if plane:
        return float(np.abs(q - other).max(initial=0.0))
    a, b = q.reshape(-1, 7), other.reshape(-1, 7)
    signs = np.where(np.einsum("ij,ij->i", a[:, 3:], b[:, 3:]) < 0, -1.0, 1.0)[:, None]
    return float(np.abs(np.hstack([a[:, :3] - b[:, :3], a[:, 3:] - signs * b[:, 3:]])).max(initial=0.0))
