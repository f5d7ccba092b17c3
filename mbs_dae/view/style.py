"""Define the common look of all pictures: quiet, and readable for colour-blind eyes; and write them as SVG."""

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from io import BytesIO
from itertools import count
from pathlib import Path
from textwrap import fill
from typing import Any

import matplotlib
import numpy as np
from matplotlib import rcsetup
from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.text import Text
from matplotlib.textpath import TextPath
from matplotlib.ticker import FuncFormatter, MaxNLocator

from ..results.result import Result
from ..unit_system import shown, shown_unit, size_of
from .drawing.colours import COLOURS, DARK, GROUND

GRID = "#DDDDDD"
BESIDE: dict[str, Any] = {"loc": "center left", "bbox_to_anchor": (1.0, 0.5)}
"""The place of a legend to the right of its axes, where it covers no curve."""
START: dict[str, Any] = {"marker": "o", "markersize": 6, "markerfacecolor": "white", "markeredgecolor": DARK}
"""The mark at the beginning of a curve, the same on all curves and in their legend."""

MEANINGS = {
    "m": "length", "m/s": "velocity", "m/s²": "acceleration", "N": "force", "J": "energy", "W": "power",
    "rad": "angle", "rad/s": "angular velocity", "rad/s²": "angular acceleration", "N m": "torque",
    "Pa": "pressure", "kg": "mass", "Hz": "frequency",
}  # fmt: skip
"""The quantities that units measure, for the axes of curves."""

_TICKS = {"color": GROUND, "labelcolor": DARK, "labelsize": 9}
_LOOK: dict[str, dict[str, Any]] = {
    "axes": {"axisbelow": True, "edgecolor": GROUND, "facecolor": "white", "grid": True, "linewidth": 0.8}
    | {"prop_cycle": rcsetup.cycler(color=COLOURS), "spines.right": False, "spines.top": False, "unicode_minus": True}
    | {"labelcolor": DARK, "labelsize": 10, "titlecolor": DARK, "titlesize": 10},
    "figure": {"dpi": 100, "facecolor": "white"},
    "font": {"family": ["sans-serif"], "sans-serif": ["DejaVu Sans"], "size": 10},
    "grid": {"color": GRID, "linewidth": 0.6},
    "legend": {"fontsize": 9, "framealpha": 0.85, "edgecolor": "none"},
    "lines": {"linewidth": 1.6},
    "text": {"color": DARK},
    "xtick": _TICKS,
    "ytick": _TICKS,
}
_SETTINGS: Any = {f"{group}.{name}": value for group, values in _LOOK.items() for name, value in values.items()}


class Picture(Figure):
    """A figure that a notebook shows even if pyplot was not imported, and that writes text as text into SVG."""

    def savefig(self, fname: Any, **options: Any) -> None:
        if is_svg(fname, options.get("format")):
            write_svg(self, fname, super().savefig, options)
        else:
            super().savefig(fname, **options)

    def _repr_png_(self) -> bytes:
        buffer = BytesIO()
        self.savefig(buffer, format="png")
        return buffer.getvalue()


def style() -> AbstractContextManager[Any]:
    """Return a context in which figures get the common look; the user's own settings return at its end."""
    return matplotlib.rc_context(_SETTINGS)


def axis_label(name: str, unit: str) -> str:
    return f"{name} [{unit}]".strip() if unit else name


PANEL = 105.0
"""The largest length of the label of one of several panels, which are 1.4 inches high with gaps [points]."""


def label_panel(ax: Any, name: str, unit: str) -> None:
    """Label the upright axis of one of several panels, so that the label is no longer than the panel is high."""
    label = axis_label(name, unit)
    length = TextPath((0.0, 0.0), label, size=10, prop=FontProperties(family="DejaVu Sans")).get_extents().width
    if 0.9 * length > PANEL:
        ax.set_ylabel(f"{name}\n[{unit}]", fontsize=9)
    else:
        ax.set_ylabel(label, fontsize=9 if length > PANEL else 10)


def label_quantities(ax: Any, unit: str, *names: str) -> None:
    """Label the upright axis of quantities in one SI unit by the quantity that this unit measures and the displayed
    unit."""
    label_panel(ax, MEANINGS.get(unit, ""), shown_unit(unit, *names) or "–")


DASHES = ("-", "--", ":")


def line_styles() -> Iterator[dict[str, Any]]:
    """Yield pairs of a colour and dashes. Neighbours differ in both, so that curves can be distinguished without
    colours, and as many pairs are distinct as there are of both."""
    for k in count():
        dashes = DASHES[(k + k // len(COLOURS)) % len(DASHES)]
        yield {"color": COLOURS[k % len(COLOURS)], "linestyle": dashes}


def read_axis(axis: Any, name: str, unit: str = "m") -> None:
    """Label an axis whose data stay in SI, as in drawings of mechanisms, into which others may draw too: its numbers
    are written in the displayed unit, at round values of this unit."""
    size, word = size_of(unit)
    axis.set_label_text(axis_label(name, word))
    if size != 1.0:
        axis.set_major_locator(RoundIn(size))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value / size:.6g}".replace("-", "\u2212")))


class RoundIn(MaxNLocator):
    """Places ticks at round numbers of a unit of this size."""

    def __init__(self, size: float):
        self.size = size
        super().__init__(nbins="auto", steps=[1, 2, 2.5, 5, 10])

    def tick_values(self, vmin: float, vmax: float) -> Any:
        return np.multiply(super().tick_values(vmin / self.size, vmax / self.size), self.size)


def axis_of(result: Any) -> tuple[Any, str]:
    """Return times, or values of a swept parameter, in displayed units, and the label of their axis."""
    name, unit = result.axis
    values, word = shown(result.t, unit, name)
    return values, axis_label(as_label(name), word)


def as_label(name: str) -> str:
    """Return a name for a legend: matplotlib omits labels that begin with "_", and reads "$" as mathematics."""
    name = name.replace("$", r"\$")
    return f" {name}" if name.startswith("_") else name


def say_if_stopped(figure: Figure, result: Result) -> None:
    """Note in a picture that the run stopped early."""
    if not result.success:
        per_line = int(14 * figure.get_size_inches()[0])
        figure.suptitle(fill(f"stopped early: {result.message}", per_line), fontsize=8, color=COLOURS[1])


# --- pictures as SVG ---
#
# Lines and areas are written as they are, and words as text, which can be searched, copied and read aloud, and which a
# browser sets from right to left if the script requires. Equal pictures give equal files. Matplotlib writes text with a
# halo as outlines of letters; therefore halos are removed and written as a style.

SVG_SETTINGS: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "mbs_dae",
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial"],
}
HALO = "halo"
HALO_STYLE = f'[id^="{HALO}-"] text{{paint-order: stroke; stroke: white; stroke-width: 2.5px}}'
STYLE_TAG = b'<style type="text/css">'
FORBIDDEN = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")
"""The characters that no XML file may contain."""


def is_svg(target: Any, ending: str | None) -> bool:
    name = ending or (Path(target).suffix if isinstance(target, str | Path) else "")
    return name.lower().lstrip(".") == "svg"


def write_svg(figure: Figure, target: Any, save: Callable[..., Any], options: dict[str, Any]) -> None:
    """Write the output of `save` as SVG to a path or into an open file."""
    written = BytesIO()
    options = options | {"format": "svg", "metadata": {"Date": None} | (options.get("metadata") or {})}
    with matplotlib.rc_context(SVG_SETTINGS), _without_halos(figure):
        save(written, **options)
    text = FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}".encode(), written.getvalue())
    text = text.replace(STYLE_TAG, STYLE_TAG + HALO_STYLE.encode(), 1)
    if isinstance(target, str | Path):
        Path(target).write_bytes(text)
    else:
        target.write(text)


@contextmanager
def _without_halos(figure: Figure) -> Iterator[None]:
    words: list[Artist] = [word for word in figure.findobj(Text) if word.get_path_effects()]
    halos = [word.get_path_effects() for word in words]
    for k, word in enumerate(words):
        word.set_path_effects([])
        word.set_gid(f"{HALO}-{k}")
    try:
        yield
    finally:
        for word, halo in zip(words, halos, strict=True):
            word.set_path_effects(halo)
            word.set_gid(None)
