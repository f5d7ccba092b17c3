"""Units of numbers. Values inside are SI, angles are in radians: a value that is given in another unit is rejected,
with its value in SI. Users may read numbers in units of their trade: every place that shows a number asks `shown` for
the number and its unit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar, Token
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache, cached_property
from inspect import stack
from math import isfinite, pi
from numbers import Real
from pathlib import Path
from typing import Any, TypeAlias, TypeVar
from warnings import warn

from .errors import ModelError, check_writable
from .public_class import PublicClass

PACKAGE = str(Path(__file__).parent)
"""The directory of the package: warnings point to the line outside of it."""
PREFIXES = {"G": 1e9, "M": 1e6, "k": 1e3, "d": 1e-1, "c": 1e-2, "m": 1e-3, "n": 1e-9} | dict.fromkeys("uµμ", 1e-6)
PREFIXED = {
    "m": "m", "s": "s", "N": "N", "Nm": "N m", "J": "J", "W": "W", "Pa": "Pa", "Hz": "Hz", "rad": "rad", "A": "A",
    "V": "V", "H": "H", "F": "F", "Ohm": "Ohm", "Ω": "Ω",
}  # fmt: skip
POUND, GRAVITY = 0.45359237, 9.80665
OTHERS: dict[str, tuple[float, str]] = {
    **{f"{p}{unit}": (size, si) for p, size in PREFIXES.items() for unit, si in PREFIXED.items()},
    "Nmm": (1e-3, "N m"),
    "mbar": (1e2, "Pa"),
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
"""Units that are not coherent in SI, by their words: the value in SI, and the unit that replaces it."""
NAMES = {
    **dict.fromkeys(("metre", "metres", "meter", "meters"), "m"), **dict.fromkeys(("second", "seconds", "sec"), "s"),
    **dict.fromkeys(("kilogram", "kilograms", "kilo"), "kg"), **dict.fromkeys(("radian", "radians"), "rad"),
    **dict.fromkeys(("newton", "newtons"), "N"), **dict.fromkeys(("ampere", "amperes", "amp"), "A"), "joule": "J",
    "watt": "W", "pascal": "Pa", "hertz": "Hz", "kelvin": "K", "volt": "V", "henry": "H", "farad": "F", "coulomb": "C",
    "ohm": "Ohm",
}  # fmt: skip
"""Names of the units of SI, and the words that stand for them."""
SPELLING_CUTOFF = 0.75
"""Least likeness of an unknown word and the name of a unit that it misspells (as difflib measures it): "mtr" and
"metre" have 0.75, and words that are no units, such as "teeth", less than 0.7 with any name."""
RAISED = "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"
POWERS = str.maketrans(RAISED, "-0123456789")
WORD = re.compile(
    rf"(U/min|[^\W\d_{RAISED}]+|°(?!C\b))"  # but for degrees of temperature
    rf"(?:\s*(?:\^|\*\*)\s*(?=[-\d]))?([-⁻]?[\d{RAISED[1:]}][\d{RAISED[1:]}.]*)?"
)
"""The pattern of a word of a unit, and its power."""


def checked_unit(unit: Any, what: str, value: float | None = None) -> str:
    """Return the unit as text; raise an error, with the SI value and unit, if the unit is not coherent in SI."""
    text = str(unit)
    check_writable(text, f"the unit of {what}")
    for found, _ in _words(text):
        if meant := _nearest_unit(found[1]):
            raise ModelError(
                f"the unit of {what} is {text!r}, and {found[1]!r} is not a unit; did you mean {meant!r}?",
                code="unknown-unit", owner=what, unit=text, word=found[1], near=(meant,),
            )  # fmt: skip
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
        f"{factor:.6g} {written}; {remedy} unit={written!r}",
        code="unit-not-of-si", owner=what, unit=text, si_unit=written, factor=factor,
    )  # fmt: skip


def _nearest_unit(word: str) -> str:
    """Return the unit that a word misspells, or writes in letters of the wrong case; empty for other words."""
    if word in BASES or word in OTHERS or word == "Nm":
        return ""
    cases = {base.lower(): base for base in BASES if len(base) > 1}
    near = get_close_matches(word.lower(), NAMES, n=1, cutoff=SPELLING_CUTOFF)
    return cases.get(word.lower()) or (NAMES[near[0]] if near else "")


def _words(text: str) -> Iterator[tuple[re.Match[str], float]]:
    """Yield each word of a unit with its SI value to the power of the word; words behind a "/" have negative powers."""
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


def warn_of_degrees(angle: Any, what: str) -> None:
    """Warn of an angle in rad, or of the largest of several in a list, that a person has probably typed in degrees: a
    whole number larger than one turn. Angles of several turns in rad are multiples of π, or computed; NumPy numbers, as
    in results, are taken for computed ones."""
    several = angle if isinstance(angle, Sequence) and not isinstance(angle, str) else [angle]
    typed = [float(x) for x in several if isinstance(x, Real) and not isinstance(x, bool) and not hasattr(x, "dtype")]
    number = max((x for x in typed if x.is_integer()), key=abs, default=0.0)
    if abs(number) > 2 * pi:
        level = next((k for k, one in enumerate(stack(0), 1) if not one.filename.startswith(PACKAGE)), 1)
        found = f"{what} is {number:g} rad, {number / (2 * pi):.3g} turns: angles are in radians"
        cure = f"if degrees are meant, write np.radians({number:g}); mbs.units chooses the units of what is read"
        warn(f"{found}; {cure}", stacklevel=level)


# --- units in which people read ---

BASES = frozenset(("m", "s", "kg", "rad", "N", "J", "W", "Pa", "Hz", "K", "A", "V", "H", "F", "C", "Ohm", "Ω"))
"""Units of SI of which other units are made here. A torque (N m) and an energy (J) differ, as engineers use them."""
WITHIN = ("rad", "m", "kg", "N", "Pa")
"""Words that are replaced within longer units, too: with millimetres a speed is in mm/s. Seconds are not."""
USUAL = ("deg", "mm", "rpm", "kN", "kNm", "bar", "kJ", "kW", "ms", "g", "mm/s", "deg/s")
"""Units that messages propose first."""
Dimension: TypeAlias = frozenset[tuple[str, float]]
"""Words of SI with their powers."""
UnitsLike: TypeAlias = "Units | str | Mapping[str, str] | Iterable[str | Mapping[str, str]] | None"
"""All values that ``units=`` accepts."""
Numbers = TypeVar("Numbers")


@cache
def dimension_of(unit: str) -> tuple[float, Dimension] | None:
    """Return the value of a unit in SI, and its words of SI with their powers; None if a word is unknown."""
    if re.sub(r"[\s·*/()1]", "", WORD.sub("", unit)) or not WORD.search(unit):
        return None
    size, powers = 1.0, dict[str, float]()
    for found, factor in _words(unit):
        power = float((found[2] or "1").translate(POWERS)) * (-1.0 if "/" in unit[: found.start()] else 1.0)
        own = {found[1]: 1.0}
        if found[1] in OTHERS and OTHERS[found[1]][1] != found[1]:
            inner = dimension_of(OTHERS[found[1]][1])
            assert inner is not None
            own = dict(inner[1])
        elif found[1] == "Nm":
            own = {"N": 1.0, "m": 1.0}
        elif found[1] not in BASES:
            return None
        size *= factor
        for word, each in own.items():
            powers[word] = powers.get(word, 0.0) + power * each
    return size, frozenset((word, power) for word, power in powers.items() if power)


def si_unit(dimension: Dimension) -> str:
    """Return the SI unit of a dimension, in words."""
    order = sorted(dimension, key=lambda one: (one[1] < 0.0, one[0].islower(), one[0]))
    parts = [[f"{word}{_raised(abs(power))}" for word, power in order if (power > 0.0) is up] for up in (True, False)]
    above, below = (" ".join(part) for part in parts)
    return f"{above or 1}/{below}" if below else above


def _raised(power: float) -> str:
    return "" if power == 1.0 else f"{power:g}".translate(str.maketrans("-0123456789", RAISED))


@dataclass(frozen=True)
class Units(metaclass=PublicClass):
    """Units in which numbers are shown, from `units`. Within ``with`` everything is shown in them; as ``units=`` one
    picture, table, page or file. Numbers inside are SI, whatever is shown.

    >>> trade = mbs.units("deg", "mm", "rpm", "bar")
    >>> isinstance(trade, mbs.Units), trade
    (True, Units('deg', 'mm', 'rpm', 'bar'))
    >>> trade.unit("rad/s²"), trade.unit("m/s"), trade.unit("rad/s"), trade.unit("N m")
    ('deg/s²', 'mm/s', 'rpm', 'N m')
    """

    words: tuple[str, ...] = ()
    """The units, each of another dimension."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Quantities that have a unit of their own."""
    _tokens: list[Token[Any]] = field(default_factory=list, repr=False, compare=False)

    def __repr__(self) -> str:
        return f"Units({', '.join([*map(repr, self.words), *([repr(dict(self.names))] if self.names else [])])})"

    @property
    def is_si(self) -> bool:
        """Whether no unit is chosen: numbers are shown in SI."""
        return not (self.words or self.names)

    @cached_property
    def _by_dimension(self) -> dict[Dimension, tuple[str, float]]:
        found: dict[Dimension, tuple[str, float]] = {}
        for word in self.words:
            size, dimension = _known(word)
            if dimension in found:
                what = f"units {found[dimension][0]!r} and {word!r} are both of what is in {si_unit(dimension)}"
                raise ModelError(
                    f"{what}; leave one of them out",
                    code="given-twice", argument="units", words=(found[dimension][0], word),
                )  # fmt: skip
            found[dimension] = word, size
        return found

    def unit(self, unit: str) -> str:
        """Return the shown unit for values in this unit of SI."""
        return self._found(unit, (), False)[0]

    def _found(self, unit: str, names: tuple[str, ...], frequency: bool) -> tuple[str, float, set[str]]:
        """Return the unit to show, its SI value, and the entries of this `Units` value that decided it."""
        known = dimension_of(unit)
        for name in names:
            if name in self.names:
                word = self.names[name]
                size, dimension = _known(word)
                if known is None or dimension != known[1]:
                    words = (*USUAL, *OTHERS)
                    fits = [w for w in words if known and (d := dimension_of(w)) and d[1] == known[1]]
                    remedy = f"write {unit!r} or another unit of it" if not fits else f"write e.g. {fits[0]!r}"
                    what = f"{name!r} is in {unit or 'no unit'}, and {word!r} is a unit of {si_unit(dimension)}"
                    raise ModelError(
                        f"units={{{name!r}: {word!r}}} does not fit: {what}; {remedy}",
                        code="unit-does-not-fit", argument="units", name=name, word=word, unit=unit,
                    )  # fmt: skip
                return word, size, {name}
        if known is None:
            return unit, 1.0, set()
        if frequency:  # in cycles or in radians; degrees a second are for rotations
            cycles = self._by_dimension.get(frozenset({("Hz", 1.0)}))
            if cycles is not None:
                return cycles[0], 2.0 * pi * cycles[1], {cycles[0]}
        if known[1] in self._by_dimension:
            word, size = self._by_dimension[known[1]]
            return word, size / known[0], {word}
        if frequency:
            return unit, 1.0, set()
        powers, used, size = dict(known[1]), set[str](), 1.0
        single = {base: self._by_dimension.get(frozenset({(base, 1.0)})) for base in WITHIN}
        if powers.get("N", 0.0) > 0.0 and powers.get("m", 0.0) > 0.0:
            single |= {"m": None, "N": None}  # a torque, or a torque per unit of something: N m, N m/rad

        def replaced(match: re.Match[str]) -> str:
            nonlocal size
            if (own := single.get(match[1])) is None:
                return match[0]
            power = float((match[2] or "1").translate(POWERS)) * (-1.0 if "/" in unit[: match.start()] else 1.0)
            size *= own[1] ** power
            used.add(own[0])
            return own[0] + match[0][len(match[1]) :]

        return WORD.sub(replaced, unit), size, used

    def over(self, others: Units) -> Units:
        """Add to these units those of the others that these leave open."""
        own = {*self._by_dimension}
        more = [word for word in others.words if _known(word)[1] not in own]
        return Units((*self.words, *more), {**others.names, **self.names})

    def set_default(self) -> None:
        """From here on show everything in these units; ``mbs.units().set_default()`` shows SI again.

        >>> mbs.units("mm").set_default()
        >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A")
        >>> mbs.assemble(rod).draw().axes[0].get_xlabel()
        'x [mm]'
        >>> mbs.units().set_default()
        """
        global _default
        _default = self

    def __enter__(self) -> Units:
        self._tokens.append(_call.set(Call(self.over(current()))))
        return self

    def __exit__(self, *_: object) -> None:
        _call.reset(self._tokens.pop())


def units(*words: Any) -> Units:
    """Units of the trade to read numbers in: a value for ``units=`` of pictures, tables, pages and files, and for
    ``with``. Units that are not named stay SI; without words all are. Angles, lengths, forces, masses and pressures
    change in longer units, too: with "mm" a speed is in mm/s. A torque stays N m until it is named ("Nmm", "kNm").

    A quantity may have a unit of its own: ``mbs.units("mm", {"rod.angle": "deg"})``.

    >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A")
    >>> motor = rod.add(mbs.Driver("motor", mbs.angle(rod.elements["A"]), 2 * mbs.t))
    >>> motion = mbs.kinematics(rod, [0, 0.5, 1])
    >>> trade = mbs.units("deg", "mm", "rpm", "bar")
    >>> motion.plot("rod.angle", "rod.omega", units=trade).axes[1].get_ylabel()
    'angular velocity [rpm]'
    >>> with trade:
    ...     print(motion.to_dataframe("rod.angle").round(1).columns[0])
    rod.angle [deg]
    """
    found: list[str] = []
    names: dict[str, str] = {}
    for one in words:
        if isinstance(one, Units):
            found += one.words
            names |= one.names
        elif isinstance(one, Mapping):
            names |= {str(name): str(word).strip() for name, word in one.items()}
        elif isinstance(one, str):
            found += [word.strip() for word in one.split(",")]
        elif isinstance(one, Iterable):
            inner = units(*one)
            found += inner.words
            names |= inner.names
        else:
            raise ModelError(
                f"units are words, 'deg' or 'mm', or a dictionary of quantities, not {one!r}",
                code="wrong-type", argument="units", value=one,
            )  # fmt: skip
    for word in (*found, *names.values()):
        _known(word)
    made = Units(tuple(dict.fromkeys(found)), names)
    _ = made._by_dimension  # refuses two of one dimension
    return made


def _known(word: str) -> tuple[float, Dimension]:
    found = dimension_of(word)
    if found is None or not found[1]:
        near = [meant] if (meant := _nearest_unit(word)) else get_close_matches(word, [*OTHERS, *BASES], n=2)
        hint = f"did you mean {' or '.join(map(repr, near))}?" if near else "write e.g. 'deg', 'mm', 'rpm', 'kN', 'bar'"
        raise ModelError(f"{word!r} is not a known unit; {hint}", code="unknown-unit", word=word, near=tuple(near))
    return found


@dataclass
class Call:
    """The call that shows numbers now, and its units that were used."""

    units: Units
    demanded: Mapping[str, str] = field(default_factory=dict)
    """The units that this call must show, with the text of its caller."""
    used: set[str] = field(default_factory=set)
    seen: dict[str, str] = field(default_factory=dict)
    """SI units of the quantities shown so far, by name."""

    def check(self) -> None:
        """Raise an error if a unit or name given in this call was not used."""
        for word, written in self.demanded.items():
            if word in self.used:
                continue
            if word in self.units.names:
                raise ModelError(
                    f"{written} names {word!r}, which is not shown here; leave it out, or correct its name",
                    code="name-not-shown", argument=written.partition("=")[0], name=word,
                )  # fmt: skip
            pairs = sorted(self.seen.items(), key=lambda one: "." not in one[0])  # of bodies and joints before times
            name, unit = pairs[0] if pairs else ("", "")
            shows = f"{name!r} is in {unit or 'no unit'}" if name else "nothing here has such a unit"
            what = "angles and their rates" if word in ("°", "deg") else f"what is in {si_unit(_known(word)[1])}"
            raise ModelError(
                f"{written} is for {what}, and {shows}; leave it out, or name what has such a unit",
                code="unit-of-nothing-shown", argument=written.partition("=")[0], word=word, name=name,
            )  # fmt: skip


_default = Units()
_call: ContextVar[Call | None] = ContextVar("units", default=None)


def current() -> Units:
    """Return the units in which numbers are shown now."""
    call = _call.get()
    return _default if call is None else call.units


@contextmanager
def shown_in(units: UnitsLike = None, degrees: bool = False) -> Iterator[None]:
    """Show numbers in these units until the end of this context: ``units=`` and ``degrees=`` of a call. Words and names
    in the call itself must be used; a `Units` value serves many calls, and need not."""
    if units is None and not degrees:
        yield
        return
    given, demanded = globals()["units"](*([] if units is None else [units])), dict[str, str]()
    if not isinstance(units, Units):
        demanded |= dict.fromkeys((*given.words, *given.names), f"units={units!r}")
    if degrees:
        if turning := [word for word in given.words if _known(word)[1] == frozenset({("rad", 1.0)})]:
            raise ModelError(
                f"degrees=True and units= with {turning[0]!r} are both of angles; leave one of them out",
                code="contradictory-arguments", argument="degrees", other="units", word=turning[0],
            )  # fmt: skip
        given = globals()["units"]("°", given)
        demanded["°"] = "degrees=True"
    call = Call(given.over(current()), demanded)
    token = _call.set(call)
    try:
        yield
    finally:
        _call.reset(token)
    call.check()


def shown(values: Numbers, unit: str, *names: str, frequency: bool = False) -> tuple[Numbers, str]:
    """Return SI values converted to the units in which they are shown, and the unit as text. A quantity may have a unit
    of its own by one of its `names`. A `frequency` in rad/s may be shown in Hz, but not in degrees per second."""
    size, word = size_of(unit, *names, frequency=frequency)
    number: Any = values
    return (values if size == 1.0 else number / size), word


def shown_unit(unit: str, *names: str, frequency: bool = False) -> str:
    """Return the unit of shown values, as text."""
    return size_of(unit, *names, frequency=frequency)[1]


def size_of(unit: str, *names: str, frequency: bool = False) -> tuple[float, str]:
    """Return the value in SI of the shown unit, and its word."""
    call = _call.get()
    given = current()
    if given.is_si:
        return 1.0, unit
    word, size, used = given._found(unit, names, frequency)
    if call is not None:
        call.used |= used
        for name in names[:1]:
            call.seen.setdefault(name, unit)
    return size, word


def quotient(unit: str, other: str) -> str:
    """Return the unit of the quotient of two numbers in these units, e.g. "m/(rad/s)" or "1/m"."""
    return "/".join(f"({word})" if " " in word or "/" in word else word or "1" for word in (unit, other))


def is_chosen(unit: str) -> bool:
    """Return whether the units in which numbers are shown include a chosen one for values in this SI unit."""
    known = dimension_of(unit)
    return known is not None and known[1] in current()._by_dimension


def heading(name: str, unit: str) -> str:
    """Return the heading of a quantity in a table of text: its name, and, once units are chosen, its shown unit."""
    word = shown_unit(unit, name)
    return name if current().is_si or not word else f"{name} [{word}]"


HEADING = re.compile(r"(?P<name>.*\S)\s*\[(?P<unit>[^\[\]]+)\]")


def read_heading(heading: str) -> tuple[str, float, str]:
    """Return the name in a heading such as "rod.angle [deg]", and its unit: its value in SI, and the SI unit, "" if the
    heading has none. Numbers under it are multiplied by that value to be SI again. An unknown word, such as the one
    that a user gave to a state, is returned unchanged."""
    found = HEADING.fullmatch(heading.strip())
    if found is None:
        return heading, 1.0, ""
    word = found["unit"].strip()
    known = dimension_of(word)
    return (found["name"], 1.0, word) if known is None else (found["name"], known[0], si_unit(known[1]))


def is_same(unit: str, other: str) -> bool:
    """Return whether two units of SI are the same, however they are written."""
    first, second = dimension_of(unit), dimension_of(other)
    return unit == other if first is None or second is None else first[1] == second[1]


def told(value: float, unit: str, *names: str, digits: int = 6, frequency: bool = False) -> str:
    """Return a number with its unit, for a sentence."""
    number, word = shown(value, unit, *names, frequency=frequency)
    return f"{number:.{digits}g} {word}".rstrip()


def equation(name: str, value: float, unit: str, digits: int = 6) -> str:
    """Return a name and its value, "axis.angle = 0.5": in SI without a unit, as in `docs`, and in another unit with it,
    "axis.angle = 28.6479 deg"."""
    number, word = shown(value, unit, name)
    return f"{name} = {number:.{digits}g}{f' {word}' if size_of(unit, name)[0] != 1.0 else ''}"
