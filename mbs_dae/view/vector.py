"""Write pictures as SVG: lines and areas as they are, and words as text, which can be searched, copied and read aloud,
and which a browser sets from right to left if the script requires. Equal pictures give equal files.

Matplotlib writes text with a halo as outlines of letters; therefore halos are removed and written as a style."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.text import Text

SETTINGS: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "mbs_dae",
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial"],
}
NAME = "halo"
STYLE = f'[id^="{NAME}-"] text{{paint-order: stroke; stroke: white; stroke-width: 2.5px}}'
HEAD = b'<style type="text/css">'
FORBIDDEN = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")
"""The characters that no XML file may contain."""


def is_svg(target: Any, ending: str | None) -> bool:
    name = ending or (Path(target).suffix if isinstance(target, str | Path) else "")
    return name.lower().lstrip(".") == "svg"


def write_svg(figure: Figure, target: Any, save: Callable[..., Any], options: dict[str, Any]) -> None:
    """Write the output of `save` as SVG to a path or into an open file."""
    written = BytesIO()
    options = options | {"format": "svg", "metadata": {"Date": None} | (options.get("metadata") or {})}
    with matplotlib.rc_context(SETTINGS), _without_halos(figure):
        save(written, **options)
    text = FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}".encode(), written.getvalue())
    text = text.replace(HEAD, HEAD + STYLE.encode(), 1)
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
        word.set_gid(f"{NAME}-{k}")
    try:
        yield
    finally:
        for word, halo in zip(words, halos, strict=True):
            word.set_path_effects(halo)
            word.set_gid(None)
