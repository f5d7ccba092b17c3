"""The mechanisms in pinocchio: trees of revolute joints, loops closed by rigid point constraints, RK4 in Python.

Pinocchio solves for the accelerations only. Integrating them is up to its user, and so is keeping the loops closed,
here with Baumgarte's terms: an error is to die out within about a step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pinocchio as pin

from . import references as ref
from .run import Run, drift, nearest, timed

LARGEST = 150
"""Four-bars that fit: ``pin.Data`` takes the memory of eight arrays of (2n + 1)³ numbers, 33 GB for n = 400."""

Acceleration = Callable[[np.ndarray, np.ndarray], np.ndarray]
Solve = Callable[[], tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class Setting:
    """RK4 step h [s], Baumgarte's decay rate times h, and how the constraint forces are found.

    "kkt" factors the constraint equations as one matrix (``constraintDynamics``), "lcaba" eliminates joint by joint
    (loop-constrained articulated bodies). That is far cheaper for many loops and less accurate; for a single loop,
    measuring in Python how far it is open costs more than is gained.
    """

    h: float
    gain: float
    method: Literal["kkt", "lcaba"] = "kkt"

    def __str__(self) -> str:
        return f"RK4 h={self.h:.3g}, {self.method}, Baumgarte {self.gain:g}/h"


# Fastest found that keep the energy of N four-bars within 0.1 J for 10 s.
BEST = {
    1: Setting(1 / 8, 0.7),
    40: Setting(1 / 18, 0.6, "lcaba"),
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


def n_four_bar(n: int, seconds: float = 10.0, setting: Setting | None = None, repeat: int = 3) -> Run:
    """Tip (x, y) of the first crank of n four-bars in a row."""
    if n > LARGEST:
        raise MemoryError(f"pinocchio would need {64e-9 * (2 * n + 1) ** 3:.0f} GB for {n} four-bars")
    setting = setting or nearest(BEST, n)
    model, loops = _n_four_bar(n)
    rates = np.array([-1.0, 1.0] * n + [-1.0])
    solve, t = (_lcaba if setting.method == "lcaba" else _kkt)(model, loops, rates, setting, seconds)
    time, (q, v) = timed(solve, repeat)
    if not np.isfinite(q).all():
        raise ArithmeticError(f"pinocchio diverged with {setting}")
    points = ref.four_bar_points(q, v)
    first = points[0][:, 0]
    error = drift(ref.four_bar_energy(*points))
    return Run("pinocchio", str(setting), time, len(t) - 1, error, t, np.column_stack([first.real, first.imag]))


def n_four_bar_sweep(n: int = 40, seconds: float = 10.0, repeat: int = 3) -> list[Run]:
    return [n_four_bar(n, seconds, setting, repeat) for setting in N_FOUR_BAR_SWEEP]


def slider_crank(setting: Setting, seconds: float = 10.0, repeat: int = 3) -> Run:
    """Crank angle of the slider-crank."""
    model, loops = _slider_crank()
    rates = ref.CRANK_SPEED * np.array([1.0, -1.0 - ref.CRANK / ref.ROD, 0.0])
    solve, t = _kkt(model, loops, rates, setting, seconds)
    time, (q, _) = timed(solve, repeat)
    return Run("pinocchio", str(setting), time, len(t) - 1, None, t, q[:, :1])


def slider_crank_sweep(seconds: float = 10.0, repeat: int = 3) -> list[Run]:
    return [slider_crank(setting, seconds, repeat) for setting in SLIDER_CRANK_SWEEP]


def _kkt(
    model: pin.Model, loops: list[pin.RigidConstraintModel], rates: np.ndarray, setting: Setting, seconds: float
) -> tuple[Solve, np.ndarray]:
    t, h, constraints, states = _prepare(loops, setting, seconds)
    data = model.createData()
    pin.initConstraintDynamics(model, data, constraints, states)
    iterations = pin.ProximalSettings(1e-10, 1e-10, 10)
    free = np.zeros(model.nv)

    def acceleration(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return pin.constraintDynamics(model, data, q, v, free, constraints, states, iterations).copy()

    return lambda: _rk4(acceleration, rates, h, len(t) - 1), t


def _lcaba(
    model: pin.Model, loops: list[pin.RigidConstraintModel], rates: np.ndarray, setting: Setting, seconds: float
) -> tuple[Solve, np.ndarray]:
    """For four-bars only, as ``lcaba`` reads how far the loops are open but does not measure it: we do, once a step."""
    t, h, constraints, states = _prepare(loops, setting, seconds)
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

    return lambda: _rk4(acceleration, rates, h, len(t) - 1, measure), t


def _prepare(
    loops: list[pin.RigidConstraintModel], setting: Setting, seconds: float
) -> tuple[np.ndarray, float, pin.StdVec_RigidConstraintModel, pin.StdVec_RigidConstraintData]:
    steps = round(seconds / setting.h)
    rate = setting.gain * steps / seconds
    constraints, states = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    for loop in loops:
        loop.setBaumgarteCorrectorParameters(pin.BaumgarteCorrectorParameters(rate**2, 2 * rate))
        constraints.append(loop)
        states.append(loop.createData())
    return np.linspace(0, seconds, steps + 1), seconds / steps, constraints, states


def _rk4(
    acceleration: Acceleration,
    rates: np.ndarray,
    h: float,
    steps: int,
    before: Callable[[np.ndarray, np.ndarray], None] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Positions (from zero) and velocities at every step; `before` is called at the start of each."""
    q, v = np.zeros(len(rates)), rates
    positions, velocities = np.empty((steps + 1, len(q))), np.empty((steps + 1, len(q)))
    positions[0], velocities[0] = q, v
    for k in range(1, steps + 1):
        if before:
            before(q, v)
        a1 = acceleration(q, v)
        v2 = v + h / 2 * a1
        a2 = acceleration(q + h / 2 * v, v2)
        v3 = v + h / 2 * a2
        a3 = acceleration(q + h / 2 * v2, v3)
        v4 = v + h * a3
        a4 = acceleration(q + h * v3, v4)
        q = q + h / 6 * (v + 2 * v2 + 2 * v3 + v4)
        v = v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
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
