"""The mechanisms in pinocchio: trees of joints, loops closed by rigid point constraints, steps of Runge and Kutta.

Pinocchio solves for the accelerations only. Integrating them is up to its user, in Python: RK4, or the formulas of
order 5 and 8 of scipy's tables, at fixed steps. So is keeping the loops closed, here with Baumgarte's terms: an error
is to die out within about a step.
"""

from __future__ import annotations

import cmath
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Literal

import numpy as np
import pinocchio as pin
from scipy.integrate import DOP853, RK45

from . import references as ref
from .run import Ready, Run, drift, nearest, timed
from .trees import Link, state

LARGEST = 150
"""Four-bars that fit: ``pin.Data`` takes the memory of eight arrays of (2n + 1)³ numbers, 33 GB for n = 400."""

Acceleration = Callable[[np.ndarray, np.ndarray], np.ndarray]
Solve = Callable[[], tuple[np.ndarray, np.ndarray]]
RULES = {
    "RK4": (np.array([[0, 0, 0, 0], [0.5, 0, 0, 0], [0, 0.5, 0, 0], [0, 0, 1, 0]]), np.array([1, 2, 2, 1]) / 6),
    "RK5": (np.column_stack([RK45.A, np.zeros(6)]), RK45.B),
    "RK8": (DOP853.A, DOP853.B),
}
"""What each stage takes of those before it, and the step of all."""


@dataclass(frozen=True)
class Setting:
    """Step h [s], Baumgarte's decay rate times h, how the constraint forces are found, and the rule of the steps.

    "kkt" factors the constraint equations as one matrix (``constraintDynamics``), "lcaba" eliminates joint by joint
    (loop-constrained articulated bodies). That is far cheaper for many loops and less accurate; for a single loop,
    measuring in Python how far it is open costs more than is gained.
    """

    h: float
    gain: float
    method: Literal["kkt", "lcaba"] = "kkt"
    rule: str = "RK4"

    def __str__(self) -> str:
        return f"{self.rule} h={self.h:.3g}, {self.method}, Baumgarte {self.gain:g}/h"


# Fastest found that keep the energy of N four-bars within 0.1 J for 10 s; and, of these, the tip within 1e-4 m.
BEST = {
    1: Setting(1 / 8, 0.7),
    40: Setting(1 / 18, 0.6, "lcaba"),
}
BEST_TIP = {
    1: Setting(10 / 180, 0.7, rule="RK5"),
    40: Setting(10 / 280, 0.7, "lcaba"),
}
N_FOUR_BAR_SWEEP = (
    Setting(1 / 16, 0.7),
    Setting(1 / 18, 0.6, "lcaba"),
    Setting(1 / 25, 0.6, "lcaba"),
    Setting(1 / 50, 0.6, "lcaba"),
    Setting(1 / 50, 0.6),
    Setting(1 / 100, 0.6),
)
# Slower corrections than for the four-bars: decaying within a step, they would cost RK4 two of its four orders.
SLIDER_CRANK_SWEEP = tuple(Setting(1 / rate, 0.05) for rate in (33, 50, 100, 200, 400, 800))
ANDREWS_SWEEP = tuple(Setting(ref.ANDREWS_SECONDS / steps, 0.05) for steps in (75, 150, 300, 600, 1200, 3000))
# And the fastest found for each bound of an error that `work_precision.py` has.
WITHIN: dict[str, tuple[Setting, ...]] = {
    "slider_crank": tuple(Setting(1 / rate, 0.05, rule=rule) for rule in ("RK5", "RK8") for rate in (20, 30, 50, 80)),
    "andrews": tuple(
        Setting(ref.ANDREWS_SECONDS / steps, 0.05, rule=rule)
        for rule in ("RK5", "RK8")
        for steps in (60, 100, 150, 250)
    ),
}


def families(loops: int) -> Iterator[Callable[[float], Setting]]:
    """Settings by their step, among which `peers.search` looks for the fastest."""
    methods: tuple[Literal["kkt", "lcaba"], ...] = ("kkt", "lcaba") if loops > 1 else ("kkt",)
    for method, rule, gain in product(methods, RULES, (0.05, 0.1, 0.2, 0.4, 0.7)):
        yield partial(Setting, gain=gain, method=method, rule=rule)


def n_four_bar(n: int, setting: Setting | None = None, seconds: float = 10.0) -> Ready:
    """Tip (x, y) of the first crank of n four-bars in a row."""
    if n > LARGEST:
        raise MemoryError(f"pinocchio would need {64e-9 * (2 * n + 1) ** 3:.0f} GB for {n} four-bars")
    setting = setting or nearest(BEST, n)
    model, loops = _n_four_bar(n)
    rates = np.array([-1.0, 1.0] * n + [-1.0])

    def run(t: np.ndarray, q: np.ndarray, v: np.ndarray) -> Run:
        points = ref.four_bar_points(q, v)
        first = points[0][:, 0]
        error, tip = drift(ref.four_bar_energy(*points)), np.column_stack([first.real, first.imag])
        return Run("pinocchio", str(setting), np.nan, len(t) - 1, error, t, tip)

    return _ready(_lcaba if setting.method == "lcaba" else _kkt, model, loops, rates, setting, seconds, run)


def n_four_bar_sweep(n: int = 40) -> list[Ready]:
    return [n_four_bar(n, setting) for setting in N_FOUR_BAR_SWEEP]


def slider_crank(setting: Setting, seconds: float = 10.0) -> Ready:
    """Crank angle of the slider-crank."""
    rates = ref.CRANK_SPEED * np.array([1.0, -1.0 - ref.CRANK / ref.ROD, 0.0])
    return _ready(_kkt, *_slider_crank(), rates, setting, seconds, partial(_states, setting, slice(0, 1), 0.0))


def slider_crank_sweep() -> list[Ready]:
    return [slider_crank(setting) for setting in SLIDER_CRANK_SWEEP]


def andrews(setting: Setting) -> Ready:
    """The seven angles of Andrews' squeezing mechanism, in the order of the test set: those of the tree."""
    order = [ANDREWS_TREE.index(name) for name in ref.andrews_bars()]
    run = partial(_states, setting, order, ref.ANDREWS_START)
    return _ready(_kkt, *_andrews(), np.zeros(7), setting, ref.ANDREWS_SECONDS, run, _andrews_torques())


def andrews_sweep() -> list[Ready]:
    return [andrews(setting) for setting in ANDREWS_SWEEP]


def _states(
    setting: Setting, of: slice | list[int], start: np.ndarray | float, t: np.ndarray, q: np.ndarray, v: np.ndarray
) -> Run:
    return Run("pinocchio", str(setting), np.nan, len(t) - 1, None, t, start + q[:, of])


Torques = Callable[[np.ndarray], np.ndarray]


def _ready(
    prepare: Callable[..., Solve],
    model: pin.Model,
    loops: list[pin.RigidConstraintModel],
    rates: np.ndarray,
    setting: Setting,
    seconds: float,
    run: Callable[[np.ndarray, np.ndarray, np.ndarray], Run],
    torques: Torques | None = None,
) -> Ready:
    """As called: with the work space that pinocchio asks its user to make."""
    steps = round(seconds / setting.h)
    given = model, loops, rates, setting, seconds / steps, steps, torques or (lambda _: np.zeros(model.nv))
    bare = prepare(*given)

    def outcome() -> Run:
        q, v = bare()
        if not np.isfinite(q).all():
            raise ArithmeticError(f"pinocchio diverged with {setting}")
        return run(np.linspace(0, seconds, steps + 1), q, v)

    return Ready("pinocchio", str(setting), bare, lambda: prepare(*given)(), outcome)


def tree(links: Sequence[Link]) -> tuple[Callable[[int], None], np.ndarray]:
    """Forward dynamics (``aba``) of links in a row, so often, in the faster of its conventions; and the
    accelerations."""
    model, joint = pin.Model(), 0
    for k, link in enumerate(links):
        hinge = {(1, 0, 0): pin.JointModelRX, (0, 1, 0): pin.JointModelRY, (0, 0, 1): pin.JointModelRZ}[link.axis]()
        joint = model.addJoint(joint, hinge, pin.SE3(np.eye(3), np.array(link.place, dtype=float)), f"hinge{k}")
        body = pin.Inertia(link.mass, np.array(link.com, dtype=float), np.diag(link.inertia))
        model.appendBodyToJoint(joint, body, pin.SE3.Identity())
    data, aba, none = model.createData(), pin.aba, np.zeros(len(links))
    q, v = state(len(links))
    both = pin.Convention.LOCAL, pin.Convention.WORLD

    def often(count: int, convention: pin.Convention) -> None:
        for _ in range(count):
            aba(model, data, q, v, none, convention)

    spent = [timed(lambda one=one: often(max(10, 5000 // len(links)), one), 20)[0] for one in both]
    fastest = both[int(np.argmin(spent))]
    return lambda count: often(count, fastest), aba(model, data, q, v, none, fastest).copy()


def _kkt(
    model: pin.Model,
    loops: list[pin.RigidConstraintModel],
    rates: np.ndarray,
    setting: Setting,
    h: float,
    steps: int,
    torques: Torques,
) -> Solve:
    constraints, states = _constraints(loops, setting.gain / h)
    data = model.createData()
    pin.initConstraintDynamics(model, data, constraints, states)
    iterations = pin.ProximalSettings(1e-10, 1e-10, 10)

    def acceleration(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return pin.constraintDynamics(model, data, q, v, torques(q), constraints, states, iterations).copy()

    return lambda: _steps(acceleration, rates, h, steps, setting.rule)


def _lcaba(
    model: pin.Model,
    loops: list[pin.RigidConstraintModel],
    rates: np.ndarray,
    setting: Setting,
    h: float,
    steps: int,
    torques: Torques,
) -> Solve:
    """For four-bars only, as ``lcaba`` reads how far the loops are open but does not measure it: we do, once a step."""
    constraints, states = _constraints(loops, setting.gain / h)
    data = model.createData()
    pin.computeJointMinimalOrdering(model, data, constraints)
    iterations = pin.ProximalSettings(1e-10, 1e-7, 10)
    free = np.zeros(model.nv)
    gaps = [state.contact_placement_error.linear for state in states]       # these share memory with the states
    gap_rates = [state.contact_velocity_error.linear for state in states]

    def measure(q: np.ndarray, v: np.ndarray) -> None:
        tips, tip_rates, ends, end_rates = ref.four_bar_points(q, v)
        turn = np.conj(ends - tips[:-1])            # into the frame of the coupler
        gap = (turn * (ends - tips[1:])).view(float).reshape(-1, 2)
        rate = (turn * (end_rates - tip_rates[1:])).view(float).reshape(-1, 2)
        for k in range(len(gaps)):
            gaps[k][:2] = gap[k]
            gap_rates[k][:2] = rate[k]

    def acceleration(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return pin.lcaba(model, data, q, v, free, constraints, states, iterations).copy()

    return lambda: _steps(acceleration, rates, h, steps, setting.rule, measure)


def _constraints(
    loops: list[pin.RigidConstraintModel], rate: float
) -> tuple[pin.StdVec_RigidConstraintModel, pin.StdVec_RigidConstraintData]:
    constraints, states = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    for loop in loops:
        loop.setBaumgarteCorrectorParameters(pin.BaumgarteCorrectorParameters(rate**2, 2 * rate))
        constraints.append(loop)
        states.append(loop.createData())
    return constraints, states


def _steps(
    acceleration: Acceleration,
    rates: np.ndarray,
    h: float,
    steps: int,
    rule: str,
    before: Callable[[np.ndarray, np.ndarray], None] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Positions (from zero) and velocities at every step; `before` is called at the start of each.

    Of a rule that is used on q' = v, v' = a(q, v), the velocities of the stages follow from accelerations, and so do
    the positions: all are sums of accelerations, with A and A², of one array."""
    A, b = RULES[rule]
    stages, n = len(b), len(rates)
    A, h2 = np.asarray(A, dtype=float), h * h
    into_v, into_q = h * A, h2 * (A @ A)
    last_v, last_q = h * b, h2 * (b @ A)
    ways = h * A.sum(axis=1)
    q, v = np.zeros(n), rates
    positions, velocities = np.empty((steps + 1, n)), np.empty((steps + 1, n))
    positions[0], velocities[0] = q, v
    a = np.zeros((stages, n))
    for k in range(1, steps + 1):
        if before:
            before(q, v)
        a[0] = acceleration(q, v)
        for i in range(1, stages):
            done = a[:i]
            a[i] = acceleration(q + ways[i] * v + into_q[i, :i] @ done, v + into_v[i, :i] @ done)
        q, v = q + h * v + last_q @ a, v + last_v @ a
        positions[k], velocities[k] = q, v
    return positions, velocities


def _at(x: float, y: float) -> pin.SE3:
    return pin.SE3(np.eye(3), np.array([x, y, 0.0]))


def _hang(model: pin.Model, parent: int, joint: object, place: pin.SE3, mass: float, centre: pin.SE3, i: float) -> int:
    """Add a body behind a joint; i is its inertia about any axis through its centre."""
    added = model.addJoint(parent, joint, place, f"joint{model.njoints}")
    model.appendBodyToJoint(added, pin.Inertia(mass, np.zeros(3), i * np.eye(3)), centre)
    return added


def _meet(model: pin.Model, one: int, place: pin.SE3, other: int, there: pin.SE3) -> pin.RigidConstraintModel:
    return pin.RigidConstraintModel(
        pin.ContactType.CONTACT_3D, model, one, place, other, there, pin.ReferenceFrame.LOCAL
    )


def _n_four_bar(n: int) -> tuple[pin.Model, list[pin.RigidConstraintModel]]:
    model = pin.Model()
    model.gravity.linear = np.array([0.0, -ref.G, 0.0])
    cranks, couplers = [], []
    for k in range(n + 1):
        cranks.append(_hang(model, 0, pin.JointModelRZ(), _at(k, 0), 1.0, _at(0, 0.5), 1 / 12))
        if k < n:
            couplers.append(_hang(model, cranks[k], pin.JointModelRZ(), _at(0, 1), 1.0, _at(0.5, 0), 1 / 12))
    return model, [_meet(model, couplers[k], _at(1, 0), cranks[k + 1], _at(0, 1)) for k in range(n)]


def _slider_crank() -> tuple[pin.Model, list[pin.RigidConstraintModel]]:
    model = pin.Model()
    model.gravity.linear = np.zeros(3)
    r, l = ref.CRANK, ref.ROD
    crank = _hang(model, 0, pin.JointModelRZ(), _at(0, 0), ref.CRANK_MASS, _at(r / 2, 0), ref.CRANK_MASS * r**2 / 12)
    rod = _hang(model, crank, pin.JointModelRZ(), _at(r, 0), ref.ROD_MASS, _at(l / 2, 0), ref.ROD_MASS * l**2 / 12)
    slider = _hang(model, 0, pin.JointModelPX(), _at(r + l, 0), ref.SLIDER_MASS, _at(0, 0), 1.0)
    return model, [_meet(model, rod, _at(l, 0), slider, _at(0, 0))]


ANDREWS_TREE = ("K1", "K2", "K3", "K5", "K4", "K7", "K6")   # in the order of their joints; K2, K4, K6 meet K3 in E


def _andrews() -> tuple[pin.Model, list[pin.RigidConstraintModel]]:
    """The bodies stand where they begin, so that all angles are zero there."""
    model, bars = pin.Model(), ref.andrews_bars()
    model.gravity.linear = np.zeros(3)
    joints = {}

    def hang(name: str, parent: str = "", at: str = "") -> None:
        bar, before = bars[name], bars.get(parent)
        origin, angle = (before.points[at], bar.angle - before.angle) if before else (bar.origin, bar.angle)
        place = pin.SE3(pin.utils.rotate("z", angle), np.array([origin.real, origin.imag, 0.0]))
        centre = _at(bar.centre.real, bar.centre.imag)
        joints[name] = _hang(model, joints.get(parent, 0), pin.JointModelRZ(), place, bar.mass, centre, bar.inertia)

    for name, *parent in (("K1",), ("K2", "K1", "F"), ("K3",), ("K5",), ("K4", "K5", "G"), ("K7",), ("K6", "K7", "H")):
        hang(name, *parent)
    places = {name: _at(bar.points["E"].real, bar.points["E"].imag) for name, bar in bars.items() if "E" in bar.points}
    meetings = [_meet(model, joints[name], places[name], joints["K3"], places["K3"]) for name in ("K2", "K4", "K6")]
    return model, meetings


def _andrews_torques() -> Torques:
    """The motor's at the first joint, the spring's at that of K3."""
    bar, foot = ref.andrews_bars()["K3"], ref.ANDREWS_SPRING_FOOT
    torques = np.zeros(len(ANDREWS_TREE))
    torques[0] = ref.ANDREWS_TORQUE

    def of(q: np.ndarray) -> np.ndarray:
        arm = bar.points["D"] * cmath.exp(1j * (bar.angle + q[2]))
        line = bar.origin + arm - foot
        pull = -ref.ANDREWS_SPRING * (1.0 - ref.ANDREWS_SPRING_LENGTH / abs(line)) * line
        torques[2] = arm.real * pull.imag - arm.imag * pull.real
        return torques

    return of
