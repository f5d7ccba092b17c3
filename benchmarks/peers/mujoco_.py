"""The mechanisms in MuJoCo: trees of hinges whose loops are closed by soft ``connect`` constraints.

MuJoCo holds a constraint with a critically damped spring. Its time constant decides as much as the step: the fastest
useful ones are shorter than the two steps that MuJoCo insists on unless ``refsafe`` is off (it thinks of Euler steps).
``mj_step(model, data, nstep)`` runs the loop of steps in C; ``rollout`` notes all states besides, which takes longer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product

import mujoco
import numpy as np

from . import references as ref
from .run import Ready, Run, drift, nearest


@dataclass(frozen=True)
class Setting:
    """Step h [s], time constant of the constraints in steps, their impedance (MuJoCo caps it at 0.9999), integrator."""

    h: float
    time_constant: float
    impedance: float
    integrator: str = "RK4"

    def __str__(self) -> str:
        return f"{self.integrator} h={self.h:.3g}, solref {self.time_constant:g}h, solimp {self.impedance:g}"


# Fastest found that keep the energy of N four-bars within 0.1 J for 10 s; and, of these, the tip within 1e-4 m.
BEST = {
    1: Setting(10 / 452, 0.75, 0.99),
    40: Setting(1 / 75, 0.75, 0.998),
    400: Setting(1 / 90, 0.75, 0.999),
}
BEST_TIP = {
    1: Setting(1 / 300, 0.75, 0.9999),
    40: Setting(1 / 125, 0.75, 0.999),
    400: Setting(1 / 125, 0.75, 0.999),
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
ANDREWS_SWEEP = tuple(Setting(ref.ANDREWS_SECONDS / steps, 1.5, 0.9999) for steps in (150, 300, 600, 1200, 3000, 8000))
# And the fastest found for each bound of an error that `work_precision.py` has.
WITHIN: dict[str, tuple[Setting, ...]] = {"slider_crank": (Setting(10 / 1063, 1.5, 0.9999),)}


def families(loops: int) -> Iterator[Callable[[float], Setting]]:
    """Settings by their step, among which `peers.search` looks for the fastest."""
    for constant, impedance in product((0.75, 1.0, 1.5, 2.0, 2.5), (0.99, 0.995, 0.998, 0.999, 0.9999)):
        yield partial(Setting, time_constant=constant, impedance=impedance)
    for integrator, constant in product(("Euler", "implicitfast"), (1.0, 2.0)):
        yield partial(Setting, time_constant=constant, impedance=0.9999, integrator=integrator)


def n_four_bar(n: int, setting: Setting | None = None, seconds: float = 10.0) -> Ready:
    """Tip (x, y) of the first crank of n four-bars in a row."""
    rates = np.array([-1.0, 1.0] * n + [-1.0])

    def run(t: np.ndarray, q: np.ndarray, v: np.ndarray, what: str) -> Run:
        points = ref.four_bar_points(q, v)
        first = points[0][:, 0]
        error = drift(ref.four_bar_energy(*points))
        return Run("mujoco", what, np.nan, len(t) - 1, error, t, np.column_stack([first.real, first.imag]))

    return _ready(_n_four_bar_xml(n), rates, setting or nearest(BEST, n), seconds, run, dense=n < 10)


def n_four_bar_sweep(n: int = 40) -> list[Ready]:
    return [n_four_bar(n, setting) for setting in N_FOUR_BAR_SWEEP]


def slider_crank(setting: Setting, seconds: float = 10.0) -> Ready:
    """Crank angle of the slider-crank."""
    rates = ref.CRANK_SPEED * np.array([1.0, -1.0 - ref.CRANK / ref.ROD, 0.0])
    return _ready(slider_crank_xml(), rates, setting, seconds, partial(_states, 1))


def slider_crank_sweep() -> list[Ready]:
    return [slider_crank(setting) for setting in SLIDER_CRANK_SWEEP]


def andrews(setting: Setting) -> Ready:
    """The seven angles of Andrews' squeezing mechanism, in the order of the test set: those of the tree."""
    return _ready(_andrews_xml(), np.zeros(7), setting, ref.ANDREWS_SECONDS, _andrews_run, torque=ref.ANDREWS_TORQUE)


def andrews_sweep() -> list[Ready]:
    return [andrews(setting) for setting in ANDREWS_SWEEP]


def _states(count: int, t: np.ndarray, q: np.ndarray, v: np.ndarray, what: str) -> Run:
    return Run("mujoco", what, np.nan, len(t) - 1, None, t, q[:, :count])


def _andrews_run(t: np.ndarray, q: np.ndarray, v: np.ndarray, what: str) -> Run:
    """The tree has the bars in another order; its angles count from the start."""
    order = [ANDREWS_TREE.index(name) for name in ref.andrews_bars()]
    return Run("mujoco", what, np.nan, len(t) - 1, None, t, ref.ANDREWS_START + q[:, order])


def model_of(xml: str, setting: Setting, seconds: float) -> tuple[mujoco.MjModel, int]:
    """With its setting; and the number of steps."""
    steps = round(seconds / setting.h)
    model = mujoco.MjModel.from_xml_string(xml)
    model.opt.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{setting.integrator.upper()}")
    model.opt.timestep = h = seconds / steps
    model.eq_solref[:] = setting.time_constant * h, 1.0
    model.eq_solimp[:, :2] = setting.impedance      # the same at any distance
    return model, steps


def _ready(
    xml: str,
    rates: np.ndarray,
    setting: Setting,
    seconds: float,
    run: Callable[[np.ndarray, np.ndarray, np.ndarray, str], Run],
    dense: bool = True,
    torque: float = 0.0,
) -> Ready:
    """`run` makes one of times, positions, velocities and the setting."""
    model, steps = model_of(xml, setting, seconds)
    model.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE if dense else mujoco.mjtJacobian.mjJAC_SPARSE
    data = mujoco.MjData(model)

    def begin() -> None:
        mujoco.mj_resetData(model, data)
        data.qvel[:] = rates
        if torque:
            data.qfrc_applied[0] = torque

    def bare() -> None:
        begin()
        mujoco.mj_step(model, data, nstep=steps)

    def called() -> np.ndarray:
        """With positions of all bodies at the end: those that are there belong to the step before."""
        bare()
        mujoco.mj_kinematics(model, data)
        return data.xpos.copy()

    def outcome() -> Run:
        begin()
        q, v = np.empty((steps + 1, model.nq)), np.empty((steps + 1, model.nv))
        q[0], v[0] = data.qpos, data.qvel
        for k in range(1, steps + 1):
            mujoco.mj_step(model, data)
            q[k], v[k] = data.qpos, data.qvel
        if not np.isfinite(q).all() or data.warning[mujoco.mjtWarning.mjWARN_BADQVEL].number:
            raise ArithmeticError(f"mujoco diverged with {setting}")
        return run(np.linspace(0, seconds, steps + 1), q, v, str(setting))

    return Ready("mujoco", str(setting), bare, called, outcome)


def _document(bodies: str, constraints: str, gravity: float, others: str = "") -> str:
    """One Newton step solves for the constraint forces, as nothing but equations acts; all else is switched off."""
    idle = ("contact", "limit", "refsafe", "eulerdamp", "nativeccd", "actuation", "sensor", "frictionloss", "island")
    flags = " ".join(f'{name}="disable"' for name in idle)
    return f"""<mujoco>
<option gravity="0 {-gravity} 0" integrator="RK4" solver="Newton"><flag {flags}/></option>
<worldbody>{bodies}</worldbody>
<equality>{constraints}</equality>{others}
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


def slider_crank_xml() -> str:
    hinge = '<joint type="hinge" axis="0 0 1"/>'
    end = f'<site name="end" pos="{ref.ROD} 0 0"/>'
    rod = f'<body pos="{ref.CRANK} 0 0">{hinge}{_bar(ref.ROD_MASS, ref.ROD, "x")}{end}</body>'
    crank = f"<body>{hinge}{_bar(ref.CRANK_MASS, ref.CRANK, 'x')}{rod}</body>"
    block = f'<inertial pos="0 0 0" mass="{ref.SLIDER_MASS}" diaginertia="1 1 1"/><site name="slider"/>'
    slider = f'<body pos="{ref.CRANK + ref.ROD} 0 0"><joint type="slide" axis="1 0 0"/>{block}</body>'
    return _document(crank + slider, '<connect site1="end" site2="slider"/>', 0.0)


ANDREWS_TREE = ("K1", "K2", "K3", "K5", "K4", "K7", "K6")   # in the order of their joints; K2, K4, K6 meet K3 in E


def _andrews_xml() -> str:
    """The bodies stand where they begin, so that all angles are zero there."""
    bars = ref.andrews_bars()

    def body(name: str, origin: complex, angle: float, inside: str = "") -> str:
        bar = bars[name]
        inertia = " ".join([str(bar.inertia)] * 3)
        centre = f'<inertial pos="{bar.centre.real} {bar.centre.imag} 0" mass="{bar.mass}" diaginertia="{inertia}"/>'
        sites = (f'<site name="{name}{at}" pos="{p.real} {p.imag} 0"/>' for at, p in bar.points.items() if at in "ED")
        turn = f'pos="{origin.real} {origin.imag} 0" quat="{np.cos(angle / 2)} 0 0 {np.sin(angle / 2)}"'
        return f'<body {turn}><joint type="hinge" axis="0 0 1"/>{centre}{"".join(sites)}{inside}</body>'

    def pair(first: str, second: str, at: str) -> str:
        one, other = bars[first], bars[second]
        return body(first, one.origin, one.angle, body(second, one.points[at], other.angle - one.angle))

    k3, foot = bars["K3"], ref.ANDREWS_SPRING_FOOT
    bodies = pair("K1", "K2", "F") + body("K3", k3.origin, k3.angle) + pair("K5", "K4", "G") + pair("K7", "K6", "H")
    bodies += f'<site name="foot" pos="{foot.real} {foot.imag} 0"/>'
    spring = f'stiffness="{ref.ANDREWS_SPRING}" springlength="{ref.ANDREWS_SPRING_LENGTH}"'
    spring = f'<tendon><spatial {spring}><site site="foot"/><site site="K3D"/></spatial></tendon>'
    closures = (f'<connect site1="{name}E" site2="K3E"/>' for name in ("K2", "K4", "K6"))
    return _document(bodies, "".join(closures), 0.0, spring)
