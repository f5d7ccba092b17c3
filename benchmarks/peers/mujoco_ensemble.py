"""Many runs at once in MuJoCo: the slider-crank from many speeds of the crank, by ``rollout`` in threads.

``rollout`` varies states, not lengths or masses, so this is the problem that it can do: one mechanism, no gravity, 1 s
of free motion from each speed. The angle of the crank at the end is compared; that of one speed is that of all, for
without forces angles are a function of speed · time.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import mujoco
import numpy as np
from mujoco import rollout

from . import references as ref
from .mujoco_ import Setting, families, model_of, slider_crank_xml
from .run import Ready, Run, timed
from .search import FINER, fastest

SECONDS = 1.0
TRIED = 6
"""Speeds, of all, with which settings are compared."""
TAKEN = 4
"""Of the fastest settings: so many are run for all members,"""
SHORTER = 12
"""with steps that are so often made shorter."""


@dataclass(frozen=True)
class Ensemble:
    """The fastest setting within an error; `solve` runs all members and returns their angles at the end."""

    setting: str
    error: float
    """The largest of all members, in radians."""
    solve: Callable[[], np.ndarray]


def references(speeds: np.ndarray) -> np.ndarray:
    """The angles at the end, without any multibody code."""
    return ref.slider_crank_angles(speeds * SECONDS / ref.CRANK_SPEED)


def slider_cranks(speeds: np.ndarray, error: float, threads: int | None = None) -> Ensemble:
    """All members within this error, on so many threads (all processors, unless said): the fastest of all families of
    settings (`search`), by some members on one thread."""
    exact = references(speeds)
    few = np.unique(np.linspace(0, len(speeds) - 1, TRIED).astype(int))

    def make(setting: Setting) -> Ready:
        steps = round(SECONDS / setting.h)
        solve = partial(_solve, _model(setting), speeds[few], steps, 1)
        return Ready("mujoco", str(setting), solve, solve, lambda: _run(setting, steps, solve()))

    def off(run: Run) -> float:
        return run.error(exact[few]) / 0.9      # the others may be a little worse

    found = fastest(families(1), make, off, error, SECONDS, 10, 1.0)[:TAKEN]
    within = [one for each in found if (one := _within(each.setting, speeds, exact, error, threads))]
    if not within:
        raise ArithmeticError(f"no setting of mujoco comes within {error:g} rad")
    return min(within, key=lambda one: timed(one.solve, 1)[0])


def _within(
    setting: Setting, speeds: np.ndarray, exact: np.ndarray, error: float, threads: int | None
) -> Ensemble | None:
    """All members: where some are worse than those that were tried, with shorter steps."""
    for _ in range(SHORTER):
        steps = round(SECONDS / setting.h)
        solve = partial(_solve, _model(setting), speeds, steps, threads or os.cpu_count() or 1)
        worst = float(np.abs(solve() - exact).max())
        if worst <= error:
            return Ensemble(str(setting), worst, solve)
        setting = replace(setting, h=setting.h / FINER)
    return None


def _run(setting: Setting, steps: int, angles: np.ndarray) -> Run:
    return Run("mujoco", str(setting), np.nan, steps, None, np.array([SECONDS]), angles[None])


def _model(setting: Setting) -> mujoco.MjModel:
    model, _ = model_of(slider_crank_xml(), setting, SECONDS)
    model.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    return model


def _solve(model: mujoco.MjModel, speeds: np.ndarray, steps: int, threads: int) -> np.ndarray:
    """`rollout` notes all states of all steps, which for many members is more than fits: so they go in chunks."""
    kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
    size = mujoco.mj_stateSize(model, kind)
    rates = np.array([1.0, -1.0 - ref.CRANK / ref.ROD, 0.0])
    start = np.zeros((len(speeds), size))
    start[:, 1 + model.nq :][:, : model.nv] = speeds[:, None] * rates
    chunk = max(threads, int(2e7 / (size * steps)))
    data = [mujoco.MjData(model) for _ in range(threads)]
    angles = np.empty(len(speeds))
    with rollout.Rollout(nthread=threads if threads > 1 else 0) as loop:
        for first in range(0, len(speeds), chunk):
            part = start[first : first + chunk]
            states, _ = loop.rollout([model], data, part, nstep=steps)
            angles[first : first + chunk] = states[:, -1, 1]
    return angles
