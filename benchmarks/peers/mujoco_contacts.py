"""Many bodies on a plane in MuJoCo: spheres on two slides each, elliptic cones.

MuJoCo holds bodies apart by damped springs; with a time constant of two steps an approach is gone in one step. Two
things are to be tuned, else errors do not go down with the step at all. Critically damped springs throw back what
has come in fast, so they are damped more. And its law of friction is the gradient of a convex function: what slips at a
speed v is pushed off the plane, at μ v times the ratio of both dampers' rates; so the one along the plane is slower
(``solreffriction``), and no longer holds below a speed of about μ g times its time constant.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import mujoco
import numpy as np
from mujoco import rollout

from .contacts import FRICTION, G, Problem

RADIUS = 0.1


@dataclass(frozen=True)
class Setting:
    """So many steps between two reads; the damping of the springs, and the time constant of friction in steps."""

    steps: int
    integrator: str
    damping: float
    friction: float
    impedance: float = 0.9999

    def __str__(self) -> str:
        return f"{self.integrator}, solref 2h {self.damping:g}, friction {self.friction:g}h, solimp {self.impedance:g}"


KINDS = tuple(product(("Euler", "RK4"), (3.0,), (5.0, 10.0, 20.0)))
STEPS = (4, 8, 16, 32, 64, 128)


def solver(problem: Problem, setting: Setting) -> tuple[Callable[[], object], float]:
    """What runs, and its error."""
    model = mujoco.MjModel.from_xml_string(_document(problem, setting))
    model.opt.timestep = h = problem.seconds / (problem.reads * setting.steps)
    model.pair_solref[:] = 2 * h, setting.damping
    model.pair_solreffriction[:] = setting.friction * h, 1.0
    model.pair_solimp[:, :2] = setting.impedance     # the same at any depth
    data = mujoco.MjData(model)
    data.qpos[1::2], data.qvel[::2] = problem.heights, problem.speeds
    kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
    start = np.zeros(mujoco.mj_stateSize(model, kind))
    mujoco.mj_getState(model, data, start, kind)
    loop = rollout.Rollout(nthread=0)

    def solve() -> np.ndarray:
        mujoco.mj_resetData(model, data)
        return loop.rollout([model], [data], start[None], nstep=problem.reads * setting.steps)[0][0]

    path = np.vstack([start, solve()])[:: setting.steps, 1 : 1 + model.nq]
    finite = np.isfinite(path).all()
    return solve, problem.error(path[:, ::2], path[:, 1::2]) if finite else np.inf


def _document(problem: Problem, setting: Setting) -> str:
    idle = ("limit", "refsafe", "eulerdamp", "actuation", "sensor", "frictionloss", "equality", "island")
    flags = " ".join(f'{name}="disable"' for name in idle)
    slides = '<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/>'
    inertia = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
    ball = f'size="{RADIUS}" contype="0" conaffinity="0"/>'
    count = range(len(problem.heights))
    bodies = (f'<body pos="{k} 0 {RADIUS}">{slides}{inertia}<geom name="ball{k}" {ball}</body>' for k in count)
    pair = f'condim="3" friction="{FRICTION} {FRICTION} 0 0 0"'
    pairs = (f'<pair geom1="floor" geom2="ball{k}" {pair}/>' for k in count)
    return f"""<mujoco>
<option gravity="0 0 {-G}" integrator="{setting.integrator}" solver="Newton" cone="elliptic" jacobian="sparse">
<flag {flags}/></option><size memory="100M"/>
<worldbody><geom name="floor" type="plane" size="0 0 1"/>{"".join(bodies)}</worldbody>
<contact>{"".join(pairs)}</contact>
</mujoco>"""
