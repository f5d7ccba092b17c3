"""The file: the data of a page, its scripts and its style, in one document that asks nothing of a network."""

import json
import re
from collections.abc import Iterable
from functools import cache
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

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
"""Each one uses those before it."""
RECORDED = (*SCRIPTS, "recorded.js")
SOLVING = (*SCRIPTS, *(f"live/{name}.js" for name in ("solver", "observed", "reshaped", "solved", "dials", "hand")))
LIVE = (*SOLVING, "live/page.js")
STYLE = ("page.css",)
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"
"""What a browser lets a page do: it has all that it needs, and asks nobody."""


def save_page(result: Result, path: str | Path, **choices: Any) -> Path:
    """Write the motion as a page of HTML; choices are those of `page_text`."""
    path = file_at(path, "e.g. 'motion.html'")
    text = page_text(result, **choices)
    with replacing(path, "choose a folder where you may write") as place:
        place.write_text(text, encoding="utf-8")
    return path


def page_text(result: Result, *, live: bool = False, **choices: Any) -> str:
    """With `live` the page has the equations of what drivers move, and solves them by itself: its reader drags the
    mechanism, and changes parameters. Other choices are those of `choices_of`."""
    chosen = choices_of(result, **choices)
    return page_of(*live_page(result, chosen)) if live else page_of(page_data(result, chosen))


def choices_of(
    result: Result, *, plots: Any = (), trace: Any = (), view: Any = None, speed: float | None = None
) -> Choices:
    """`plots` are quantities whose curves stand beside it, `trace` names points whose paths are drawn, `view` says from
    where a mechanism in space is seen, and `speed` is model time over the time that it plays; its reader may choose
    otherwise."""
    pace = _pace(result) if speed is None else positive_number(speed, "speed", "number, e.g. speed=1")
    chosen = Choices(as_names(plots, "plots"), as_names(trace, "trace"), view_of(result, view), pace)
    return checked(result, chosen)


def page_of(data: dict[str, Any], kinematics: str = "") -> str:
    """Nothing in the data can end the script that holds it, as no "<" stands in it. A live page has a script of its own
    kinematics."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    script = "\n".join([kinematics, joined(LIVE)]) if kinematics else joined(RECORDED)
    return filled(data["title"], text, script)


def filled(title: str, data: str, script: str, style: tuple[str, ...] = STYLE, policy: str = POLICY) -> str:
    parts = {"title": escape(title), "style": "\n".join(map(asset, style)), "script": script, "policy": policy}
    parts["data"] = data.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return re.sub(r"\{(title|style|script|data|policy)\}", lambda match: parts[match[1]], asset("page.html"))


@cache
def joined(names: tuple[str, ...]) -> str:
    """Modules as one, so that a page is one file: without what they say of one another."""
    text = "\n".join(asset(name) for name in names)
    text = re.sub(r"^import [^;]*;\n", "", text, flags=re.MULTILINE)
    return re.sub(r"^export ", "", text, flags=re.MULTILINE)


@cache
def asset(name: str) -> str:
    return (files(__package__) / "assets" / name).read_text(encoding="utf-8")


def as_names(names: Any, what: str) -> tuple[str, ...]:
    """One name, or several, each once."""
    if not isinstance(names, Iterable):
        raise ModelError(f"{what} is a name or a list of names, not {names!r}; e.g. {what}='rod.x'")
    return (names,) if isinstance(names, str) else tuple(dict.fromkeys(map(str, names)))


def _pace(result: Result) -> float:
    """So that it plays some seconds long: 1, 2 or 5 times a power of ten; as fast as in truth where that will do."""
    lasts = float(result.t[-1] - result.t[0]) if len(result) > 1 else 0.0
    if lasts <= 0.0 or 3.0 <= lasts <= 15.0:
        return 1.0
    wanted = lasts / 6.0
    paces = [n * 10.0**power for power in range(-9, 10) for n in (1, 2, 5)]
    return min(paces, key=lambda pace: abs(pace / wanted - 1.0))
