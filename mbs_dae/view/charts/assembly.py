"""Draw the assembly modes of a mechanism side by side and to one scale."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from ...arguments import whole_number
from ...compiled.system import Trajectory
from ...errors import ModelError
from ...modes.result import AssemblyModes
from ...readings.motion import result_of
from ..animation import new_axes, new_figure, scene_on
from ..drawing.motion import motion_of
from ..style import style

COLUMNS = 3
SIZE = (3.6, 3.2)


def plot_modes(modes: AssemblyModes, columns: int | None) -> Figure:
    """Draw each mode in its own axes, all with the same limits, with its circuit and its branch."""
    if not modes.states:
        raise ModelError(
            f"there is no mode of {modes.title!r} to draw: {modes.message or 'all solutions are complex'}",
            code="no-solution", model=modes.title, reason=modes.message,
        )  # fmt: skip
    count = len(modes)
    if columns is not None:
        whole_number(columns, "columns is how many modes stand side by side", 1)
    columns = columns or (2 if count == 4 else min(COLUMNS, count))
    rows = -(-count // columns)
    q, v, a = (np.array(x) for x in zip(*((s.full_q, s.full_v, s.full_a) for s in modes), strict=True))
    numbers = np.arange(float(count))
    result = result_of(modes[0].system, Trajectory(np.full(count, modes.t), q, v, a), t=numbers, axis=("mode", ""))
    motion = motion_of(result)
    with style():
        figure, scenes = new_figure(SIZE, columns, rows), []
        for k in range(count):
            ax = new_axes(result, figure, None, (rows, columns, k + 1))
            ax.patch.set_visible(False)  # in space, axes reach under their neighbours
            scenes.append(scene_on(ax, result, motion.at([k])))
            scenes[-1].say(f"mode {k}: circuit {modes.circuits[k]}, branch {modes.branches[k]}")
        for scene in scenes:
            if scene.dimension == 3:
                scene.lay_out()
        if modes[0].system.model.dimension == 2:  # the same limits for all: labels make some axes wider than others
            axes = [scene.ax for scene in scenes]
            x, y = (np.array([getattr(ax, f"get_{c}lim")() for ax in axes]) for c in "xy")
            for ax in axes:
                ax.set_xlim(x.min(), x.max())
                ax.set_ylim(y.min(), y.max())
                ax.set_aspect("equal", adjustable="box")
    return figure
