"""Write the replies to a page: the page itself at first, and another motion for each change."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from ...errors import MbsError, ModelError
from ...results.result import Result
from ..page.html import SOLVING, STYLE, filled, joined
from ..page.live import live_page
from ..page.scene import Choices, page_data, reading_of
from .runs import DRIVEN, RELEASED, FileContent

POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'"
)
SERVED = (*SOLVING, *(f"served/{name}.js" for name in ("asking", "kept", "panel", "page")))
LIVE = "live"
"""The mode of a driven motion that the page solves by itself."""
WIDTHS = {"rad": 3.14159, "rad/s": 10.0}
"""The half range of a slider whose value is zero, by unit."""


class Opening(NamedTuple):
    """A page, and the choices for the motions that follow."""

    page: str
    choices: Choices


def answer(content: FileContent, result: Result, initial: Mapping[str, float], choices: Choices) -> dict[str, Any]:
    """Return the reply with another motion and its initial values."""
    return {"page": motion_data(result, choices), "initial": dials_of(content, initial)}


def motion_data(result: Result, choices: Choices) -> dict[str, Any]:
    """Return the data of a motion, without curves that the result does not have, such as efforts of drivers."""
    names = {*result.scalar_names}
    return page_data(result, replace(choices, plots=tuple(name for name in choices.plots if name in names)))


def opening(
    content: FileContent, result: Result, initial: Mapping[str, float], choices: Choices, version: int
) -> Opening:
    """Return the first page, which solves a driven motion by itself if possible; later motions keep its symbol size."""
    data, script, hint = _first_data(content, result, choices)
    modes = [LIVE, *content.modes] if script else content.modes
    has_plots = {curve["name"] for curve in data["curves"]}.issuperset(data["plots"])
    served = {
        "version": version, "modes": modes, "mode": modes[0] if has_plots else content.first, "hint": hint,
        "parameters": [_dial(name, p.unit, p.value) for name, p in content.model.parameters.items()],
        "initial": dials_of(content, initial), "released": RELEASED,
        "span": {"start": float(content.times[0]), "end": float(content.times[-1]), "count": len(content.times)},
    }  # fmt: skip
    text = json.dumps({**data, "served": served}, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    script = "\n".join([script or "const kinematics = null;", joined(SERVED)])
    page = filled(data["title"], text, script, (*STYLE, "served/panel.css"), POLICY)
    return Opening(page, replace(choices, symbol=data["symbol"]))


def _first_data(content: FileContent, result: Result, choices: Choices) -> tuple[dict[str, Any], str, str]:
    """Return the data, the equations if the page has them, and the reason why a driven motion has none."""
    if content.first != DRIVEN:
        return motion_data(result, choices), "", ""
    try:
        data, script = live_page(result, replace(choices, plots=()))
    except ModelError as error:
        return motion_data(result, choices), "", f"The core moves it, and no hand: {str(error).rpartition(';')[0]}."
    return {**data, "plots": list(choices.plots) or data["plots"]}, script, ""


def dials_of(content: FileContent, initial: Mapping[str, float]) -> list[dict[str, Any]]:
    """Return the description of a slider for each initial value."""
    dials = []
    for name, value in initial.items():
        quantity = content.model.quantity_or_none(name)
        unit = quantity[0].units[quantity[1]] if quantity else content.model.signal_units.get(name, "")
        dials.append(_dial(name, unit, value))
    return dials


def _dial(name: str, unit: str, value: float) -> dict[str, Any]:
    low, high = sorted((0.5 * value, 1.5 * value))
    if low == high or abs(value) < 1e-9:
        low, high = -WIDTHS.get(unit, 1.0), WIDTHS.get(unit, 1.0)
    read = reading_of(unit, name)
    return {"name": name, "unit": unit, "read": read, "value": float(value), "low": low, "high": high}


def error_line(error: BaseException) -> str:
    """Return the message of an error in one line, with the kind of error if it is not one of this package."""
    kind = "" if isinstance(error, MbsError) else f"unexpected {type(error).__name__}: "
    return kind + " ".join(str(error).split())
