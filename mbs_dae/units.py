"""Units are words beside numbers. Values are SI, angles are in radians; what says otherwise is refused, with what it
means in SI."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import isfinite, pi
from typing import Any

from .errors import ModelError, check_writable

PREFIXES = {"G": 1e9, "M": 1e6, "k": 1e3, "d": 1e-1, "c": 1e-2, "m": 1e-3, "n": 1e-9} | dict.fromkeys("uµμ", 1e-6)
PREFIXED = {
    "m": "m", "s": "s", "N": "N", "Nm": "N m", "J": "J", "W": "W", "Pa": "Pa", "Hz": "Hz", "rad": "rad", "A": "A",
    "V": "V", "H": "H", "F": "F", "Ohm": "Ohm", "Ω": "Ω",
}  # fmt: skip
POUND, GRAVITY = 0.45359237, 9.80665
OTHERS: dict[str, tuple[float, str]] = {
    **{f"{p}{unit}": (size, si) for p, size in PREFIXES.items() for unit, si in PREFIXED.items()},
    "Nmm": (1e-3, "N m"),
    **dict.fromkeys(("deg", "degree", "degrees", "°"), (pi / 180, "rad")),
    **dict.fromkeys(("rev", "revs", "turn", "turns"), (2 * pi, "rad")),
    **dict.fromkeys(("rpm", "RPM", "U/min"), (pi / 30, "rad/s")),
    **dict.fromkeys(("min", "mins"), (60.0, "s")),
    **dict.fromkeys(("h", "hour", "hours"), (3600.0, "s")),
    **dict.fromkeys(("g", "gram", "grams"), (1e-3, "kg")),
    "mg": (1e-6, "kg"),
    "t": (1e3, "kg"),
    **dict.fromkeys(("lb", "lbs", "lbm"), (POUND, "kg")),
    **dict.fromkeys(("kgf", "kp"), (GRAVITY, "N")),
    "lbf": (POUND * GRAVITY, "N"),
    **dict.fromkeys(("in", "inch", "inches"), (0.0254, "m")),
    **dict.fromkeys(("ft", "foot", "feet"), (0.3048, "m")),
    "mph": (0.44704, "m/s"),
    "bar": (1e5, "Pa"),
    "psi": (POUND * GRAVITY / 0.0254**2, "Pa"),
}
"""What is no coherent unit of SI, by its word: its value in SI, and what is written in its place."""
RAISED = "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"
POWERS = str.maketrans(RAISED, "-0123456789")
WORD = re.compile(
    rf"(U/min|[^\W\d_{RAISED}]+|°(?!C\b))"  # but for degrees of temperature
    rf"(?:\s*(?:\^|\*\*)\s*(?=[-\d]))?([-⁻]?[\d{RAISED[1:]}][\d{RAISED[1:]}.]*)?"
)
"""A word of a unit, and its power."""


def checked_unit(unit: Any, what: str, value: float | None = None) -> str:
    """The unit as text, if the value beside it can be one of SI."""
    text = str(unit)
    check_writable(text, f"the unit of {what}")
    strange = [(found[1], size) for found, size in _words(text) if found[1] in OTHERS]
    if not strange:
        return text
    factor = 1.0
    for _, size in strange:
        factor *= size
    written = WORD.sub(_in_si, text)
    remedy = "give SI values, with" if value is None or not isfinite(value) else f"write {value * factor:.6g},"
    raise ModelError(
        f"the unit of {what} is {text!r}, but values are SI, and angles in radians: {text!r} is "
        f"{factor:.6g} {written}; {remedy} unit={written!r}"
    )


def _words(text: str) -> Iterator[tuple[re.Match[str], float]]:
    """Each word of a unit, and what it is in SI with its power; behind a stroke all are below it."""
    for found in WORD.finditer(text):
        size = OTHERS.get(found[1], (1.0, ""))[0]
        power = float((found[2] or "1").translate(POWERS))
        yield found, size ** (-power if "/" in text[: found.start()] else power)


def _in_si(found: re.Match[str]) -> str:
    whole, word = found[0], found[1]
    if word not in OTHERS:
        return whole
    written = OTHERS[word][1]
    alone = found.string.strip() == word
    return (written if alone or written.isalpha() else f"({written})") + whole[len(word) :]
