"""Draw the paths of points in front of the faint mechanism."""

from collections.abc import Sequence
from itertools import cycle

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ..results.result import Result
from .animation import bare_scene_on, new_axes, new_figure
from .drawing.colours import COLOURS, DARK
from .drawing.motion import motion_of
from .drawing.stage import Stage
from .plots import names_of
from .style import START, as_label, say_if_stopped, style

QUIET = 0.25  # opacity of the mechanism


def plot_path(result: Result, markers: Sequence[str]) -> Figure:
    """Draw the paths of named points, in the plane or in space; circles show where they begin, and faint lines show the
    mechanism there."""
    names = names_of(markers, "plot_path", "points", [name[:-2] for name in result.names if name.endswith(".x")])
    with style():
        figure = new_figure((6.4, 4.8))
        say_if_stopped(figure, result)
        scene = bare_scene_on(new_axes(result, figure, None), result, motion_of(result).at([0]), names)
        for piece in (*scene.mechanism, *scene.labels.values()):
            piece.artist.set_alpha(QUIET * (piece.artist.get_alpha() or 1.0))
        for name, colour in zip(names, _colours(scene.stage, names), strict=True):
            scene.traces[name].artist.set(color=colour, linewidth=1.6, alpha=1.0, zorder=6, label=as_label(name))
            scene.riders[name].artist.set(**START, zorder=6.5)
        scene.say("")
        scene.add_legend(Line2D([], [], linestyle="none", color=DARK, label="start", **START))
        scene.lay_out()
    return figure


def _colours(stage: Stage, names: Sequence[str]) -> list[str]:
    """Return the colour of each path: that of its body, or for further points of one body the next unused colour."""
    own = [stage.colour(name.partition(".")[0]) for name in names]
    others = cycle([colour for colour in COLOURS if colour not in own] or COLOURS)
    return [colour if colour not in own[:k] else next(others) for k, colour in enumerate(own)]
