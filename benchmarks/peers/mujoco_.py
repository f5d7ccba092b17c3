"""The mechanisms in MuJoCo: trees of hinges whose loops are closed by soft ``connect`` constraints, RK4.

MuJoCo holds a constraint with a critically damped spring. Its time constant decides as much as the step: the fastest
useful ones are shorter than the two steps that MuJoCo insists on unless ``refsafe`` is off (it thinks of Euler steps).
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
from mujoco import rollout

from . import references as ref
from .run import Run, drift, nearest, timed


@dataclass(frozen=True)
class Setting:
    """RK4 step h [s], time constant of the constraints in steps, and their impedance (MuJoCo caps it at 0.9999)."""

    h: float
    time_constant: float
    impedance: float

    def __str__(self) -> str:
        return f"RK4 h={self.h:.3g}, solref {self.time_constant:g}h, solimp {self.impedance:g}"


# Fastest found that keep the energy of N four-bars within 0.1 J for 10 s.
BEST = {
    1: Setting(1 / 70, 0.75, 0.995),
    40: Setting(1 / 75, 0.75, 0.998),
    400: Setting(1 / 90, 0.75, 0.999),
}
N_FOUR_BAR_SWEEP = (
    Setting(1 / 75, 0.75, 0.998),
    Setting(1 / 100, 1.0, 0.999),
    Setting(1 / 125, 0.75, 0.999),
    Setting(1 / 200, 1.0, 0.9995),
    Setting(1 / 400, 1.0, 0.9999),
    Setting(1 / 800, 1.0, 0.9999),
)
SLIDER_CRANK_SWEEP = (
    Setting(1 / 50, 1.5, 0.9999),
    Setting(1 / 100, 1.5, 0.9999),
    Setting(1 / 200, 1.5, 0.9999),
    Setting(1 / 400, 2.0, 0.9999),
    Setting(1 / 800, 2.0, 0.9999),
    Setting(1 / 1600, 2.5, 0.9999),
)


def n_four_bar(n: int, seconds: float = 10.0, setting: Setting | None = None, repeat: int = 3) -> Run:
    """Tip (x, y) of the first crank of n four-bars in a row."""
    setting = setting or nearest(BEST, n)
    rates = np.array([-1.0, 1.0] * n + [-1.0])
    time, t, q, v = _solve(_n_four_bar_xml(n), rates, setting, seconds, repeat)
    points = ref.four_bar_points(q, v)
    first = points[0][:, 0]
    error = drift(ref.four_bar_energy(*points))
    return Run("mujoco", str(setting), time, len(t) - 1, error, t, np.column_stack([first.real, first.imag]))


def n_four_bar_sweep(n: int = 40, seconds: float = 10.0, repeat: int = 3) -> list[Run]:
    return [n_four_bar(n, seconds, setting, repeat) for setting in N_FOUR_BAR_SWEEP]


def slider_crank(setting: Setting, seconds: float = 10.0, repeat: int = 3) -> Run:
    """Crank angle of the slider-crank."""
    rates = ref.CRANK_SPEED * np.array([1.0, -1.0 - ref.CRANK / ref.ROD, 0.0])
    time, t, q, _ = _solve(_slider_crank_xml(), rates, setting, seconds, repeat)
    return Run("mujoco", str(setting), time, len(t) - 1, None, t, q[:, :1])


def slider_crank_sweep(seconds: float = 10.0, repeat: int = 3) -> list[Run]:
    return [slider_crank(setting, seconds, repeat) for setting in SLIDER_CRANK_SWEEP]


def _solve(
    xml: str, rates: np.ndarray, setting: Setting, seconds: float, repeat: int
) -> tuple[float, np.ndarray, np.ndarray, np.ndarray]:
    """Seconds of the best run, and time, positions and velocities at every step of it."""
    steps = round(seconds / setting.h)
    model = mujoco.MjModel.from_xml_string(xml)
    model.opt.timestep = h = seconds / steps
    model.eq_solref[:] = setting.time_constant * h, 1.0
    model.eq_solimp[:, :2] = setting.impedance      # the same at any distance
    data = mujoco.MjData(model)
    data.qvel[:] = rates
    kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
    start = np.zeros(mujoco.mj_stateSize(model, kind))
    mujoco.mj_getState(model, data, start, kind)

    def solve() -> np.ndarray:
        mujoco.mj_resetData(model, data)
        with rollout.Rollout(nthread=0) as loop:    # the loop of mj_step in C
            return loop.rollout([model], [data], start[None], nstep=steps)[0][0]

    time, states = timed(solve, repeat)
    if not np.isfinite(states).all() or data.warning[mujoco.mjtWarning.mjWARN_BADQVEL].number:
        raise ArithmeticError(f"mujoco diverged with {setting}")
    path = np.vstack([start, states])
    return time, np.linspace(0, seconds, steps + 1), path[:, 1 : 1 + model.nq], path[:, 1 + model.nq :][:, : model.nv]


def _document(bodies: str, constraints: str, gravity: float) -> str:
    """One Newton step solves for the constraint forces, as nothing but equations acts; all else is switched off."""
    idle = ("contact", "limit", "refsafe", "eulerdamp", "nativeccd", "actuation", "sensor", "frictionloss", "island")
    flags = " ".join(f'{name}="disable"' for name in idle)
    return f"""<mujoco>
<option gravity="0 {-gravity} 0" integrator="RK4" solver="Newton"><flag {flags}/></option>
<worldbody>{bodies}</worldbody>
<equality>{constraints}</equality>
</mujoco>"""


def _bar(mass: float, length: float, along: str) -> str:
    """Inertia of a slender bar along x or y from the origin; thick about its own axis, as MuJoCo wants a volume."""
    end = f"{length / 2} 0 0" if along == "x" else f"0 {length / 2} 0"
    about = mass * length**2 / 12
    return f'<inertial pos="{end}" mass="{mass}" diaginertia="{about} {about} {about}"/>'


def _n_four_bar_xml(n: int) -> str:
    hinge = '<joint type="hinge" axis="0 0 1"/>'
    bodies, closures = [], []
    for k in range(n + 1):
        coupler = f'<body pos="0 1 0">{hinge}{_bar(1, 1, "x")}<site name="end{k}" pos="1 0 0"/></body>'
        tip = f'<site name="tip{k}" pos="0 1 0"/>'
        bodies.append(f'<body pos="{k} 0 0">{hinge}{_bar(1, 1, "y")}{tip}{coupler if k < n else ""}</body>')
        if k < n:
            closures.append(f'<connect site1="end{k}" site2="tip{k + 1}"/>')
    return _document("".join(bodies), "".join(closures), ref.G)


def _slider_crank_xml() -> str:
    hinge = '<joint type="hinge" axis="0 0 1"/>'
    end = f'<site name="end" pos="{ref.ROD} 0 0"/>'
    rod = f'<body pos="{ref.CRANK} 0 0">{hinge}{_bar(ref.ROD_MASS, ref.ROD, "x")}{end}</body>'
    crank = f"<body>{hinge}{_bar(ref.CRANK_MASS, ref.CRANK, 'x')}{rod}</body>"
    block = f'<inertial pos="0 0 0" mass="{ref.SLIDER_MASS}" diaginertia="1 1 1"/><site name="slider"/>'
    slider = f'<body pos="{ref.CRANK + ref.ROD} 0 0"><joint type="slide" axis="1 0 0"/>{block}</body>'
    return _document(crank + slider, '<connect site1="end" site2="slider"/>', 0.0)
