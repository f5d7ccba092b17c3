"""Join the data, scripts and style of a page in one HTML file that needs no network; show a page in its own frame in a
notebook, so that neither can disturb the other."""

import json
import re
from base64 import b64encode
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from html import escape
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from ...errors import ModelError
from ...model.parameters import positive_number
from ...results.files import file_at, replacing
from ...results.result import Result
from ..camera import view_of
from .live import live_page
from .scene import Choices, checked, page_data

SCRIPTS = (
    "numbers.js", "tracks.js", "poses.js", "camera.js", "colours.js", "canvas.js", "paper.js", "names.js", "curves.js",
    "under.js", "reach.js", "guest.js", "page.js",
)  # fmt: skip
"""The scripts of a page; each one uses those before it."""
RECORDED = (*SCRIPTS, "recorded.js")
SOLVING = (*SCRIPTS, *(f"live/{name}.js" for name in ("solver", "observed", "reshaped", "solved", "dials", "hand")))
LIVE = (*SOLVING, "live/page.js")
STYLE = ("page.css",)
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"
"""The content policy of the page: a browser blocks all requests to a network."""


HEIGHT = 620
"""The height of a page in a notebook [pixels]."""
LIVE_HEIGHT = 860
"""The height of a page with sliders below its drawing [pixels]."""


@dataclass(frozen=True)
class View:
    """A page that a notebook shows if it is the last value of a cell."""

    text: str = field(repr=False)
    still: Figure = field(repr=False)
    height: int = HEIGHT

    def _repr_html_(self) -> str:
        """Return the frame, and a hidden picture for viewers that remove scripts, frames and styles."""
        picture = BytesIO()
        self.still.savefig(picture, format="png")
        style = f"width: 100%; height: {self.height}px; border: none"
        frame = f'<iframe title="Motion" srcdoc="{escape(self.text)}" sandbox="allow-scripts" style="{style}"></iframe>'
        source = f"data:image/png;base64,{b64encode(picture.getvalue()).decode()}"
        return f'{frame}<div style="display: none"><img alt="the first pose" src="{source}"></div>'


def save_page(result: Result, path: str | Path, **choices: Any) -> Path:
    """Write the motion as a page of HTML and return its path; choices are those of `page_text`."""
    path = file_at(path, "e.g. 'motion.html'")
    text = page_text(result, **choices)
    with replacing(path, "choose a folder where you may write") as place:
        place.write_text(text, encoding="utf-8")
    return path


def page_text(result: Result, *, live: bool = False, **choices: Any) -> str:
    """Return the text of a page. With `live`, the page contains the equations of a driven mechanism and solves them by
    itself: its reader drags the mechanism and changes parameters. Other choices are those of `choices_of`."""
    first = choices_of(result, **choices)
    return page_of(*live_page(result, first)) if live else page_of(page_data(result, first))


def choices_of(
    result: Result, *, plots: Any = (), trace: Any = (), view: Any = None, speed: float | None = None
) -> Choices:
    """Return the initial choices of a page, which its reader may change: `plots` are quantities drawn as curves beside
    the mechanism, `trace` names points whose paths are drawn, `view` is the direction from which a mechanism in space
    is seen, and `speed` is model time over playing time."""
    pace = _pace(result) if speed is None else positive_number(speed, "speed", "number, e.g. speed=1")
    return checked(result, Choices(as_names(plots, "plots"), as_names(trace, "trace"), view_of(result, view), pace))


def page_of(data: dict[str, Any], kinematics: str = "") -> str:
    """Return the text of the page. The data contain no "<", so that nothing in them ends their script. A live page also
    has the script of its kinematics."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    script = "\n".join([kinematics, joined(LIVE)]) if kinematics else joined(RECORDED)
    return filled(data["title"], text, script)


def filled(title: str, data: str, script: str, style: tuple[str, ...] = STYLE, policy: str = POLICY) -> str:
    parts = {"title": escape(title), "style": "\n".join(map(asset, style)), "script": script, "policy": policy}
    parts["data"] = data.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return re.sub(r"\{(title|style|script|data|policy)\}", lambda match: parts[match[1]], asset("page.html"))


@cache
def joined(names: tuple[str, ...]) -> str:
    """Join modules into one script without their imports and exports."""
    text = "\n".join(asset(name) for name in names)
    text = re.sub(r"^import [^;]*;\n", "", text, flags=re.MULTILINE)
    return re.sub(r"^export ", "", text, flags=re.MULTILINE)


@cache
def asset(name: str) -> str:
    return (files(__package__) / "assets" / name).read_text(encoding="utf-8")


def as_names(names: Any, what: str) -> tuple[str, ...]:
    """Return one name, or several, as a tuple without repetition."""
    if not isinstance(names, Iterable):
        raise ModelError(
            f"{what} is a name or a list of names, not {names!r}; e.g. {what}='rod.x'",
            code="not-a-list", argument=what, value=names,
        )  # fmt: skip
    return (names,) if isinstance(names, str) else tuple(dict.fromkeys(map(str, names)))


def _pace(result: Result) -> float:
    """Return the speed at which the page plays for some seconds: 1 if the motion lasts 3 to 15 s, else 1, 2 or 5 times
    a power of ten, so that it plays for about 6 s."""
    lasts = float(result.t[-1] - result.t[0]) if len(result) > 1 else 0.0
    if lasts <= 0.0 or 3.0 <= lasts <= 15.0:
        return 1.0
    ideal = lasts / 6.0
    paces = [n * 10.0**power for power in range(-9, 10) for n in (1, 2, 5)]
    return min(paces, key=lambda pace: abs(pace / ideal - 1.0))
