"""``mbs-dae study``: the same analysis for many designs. The varied values are read here; text is never evaluated."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

import mbs_dae as mbs

from ..errors import MbsError, ModelError
from .files import NUMBER_WITH_UNIT, load_model, parse_initial, parse_settings, si_value
from .options import (
    Coordinates,
    Debug,
    First,
    Initial,
    Last,
    Model,
    Settings,
    Steps,
    Units,
    Without,
    check_names,
    time_grid,
)

WAYS = "r=0.08:0.12:200 (first:last:how many), r=0.1,0.2, r=80mm, or 'r~normal(0.1,1e-4)'"
VERBS = {"kinematics": "kinematics", "simulate": "simulate", "inverse": "inverse_dynamics"}
"""The commands, and their functions in Python."""

Over = Annotated[
    list[str],
    typer.Option(
        metavar="NAME=VALUES",
        help="A parameter or an initial value: r=0.08:0.12:200 (first:last:how many), r=0.1,0.2, r=80mm; or a "
        "distribution: 'r~normal(0.1,1e-4)', 'r~uniform(0.09,0.11)', 'r~tolerance(0.1,1e-4)'. May be repeated: "
        "values make a grid.",
    ),
]
Verb = Annotated[
    str | None,
    typer.Option(metavar="NAME", help=f"{', '.join(VERBS)}. [default: kinematics, or simulate if there is INITIAL]"),
]
Outputs = Annotated[
    list[str] | None, typer.Option("--outputs", "--plot", metavar="NAME...", help="What is kept. [default: the motion]")
]
File = Annotated[Path | None, typer.Option(metavar="FILE", help="Where to write it: .nc, .csv, .xlsx, .mat, .parquet.")]
Count = Annotated[int | None, typer.Option(metavar="N", help="Members that are drawn of distributions.")]
Seed = Annotated[int | None, typer.Option(metavar="N", help="The same seed gives the same numbers. [default: 0]")]
Draw = Annotated[str, typer.Option(metavar="NAME", help="How they are drawn: random, latin, sobol or halton.")]
Kept = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Keep there what comes; said again, what is missing is run.")
]
Workers = Annotated[int | None, typer.Option(metavar="N", help="Members at a time. [default: one a processor]")]


def study(
    ctx: typer.Context, path: Model, over: Over, verb: Verb = None, outputs: Outputs = None, out: File = None,
    settings: Settings = None, without: Without = None, first: First = None, last: Last = None, steps: Steps = None,
    initial: Initial = None, coordinates: Coordinates = "cartesian", count: Count = None, seed: Seed = None,
    draw: Draw = "random", workers: Workers = None, save: Kept = None, units: Units = None,
    debug: Debug = False,
) -> None:  # fmt: skip
    """Run many designs: a grid of values, or samples of distributions; tell how they differ, and which failed."""
    from ..ensembles.reports.files import writable
    from .report import available

    if out:
        writable(out)
    parse_over(over)  # refuse unreadable options before a model is built
    model, given, own = load_model(path, parse_settings(settings))
    varied: Any = parse_over(over, partial(_unit_of, model))
    model = model.without(*without) if without else model
    start = parse_initial(initial, model) or {name: value for name, value in (own or {}).items() if name not in varied}
    asked = _verb(verb, start or own)
    options: dict[str, Any] = {"initial": start} if asked == "simulate" and start else {}
    if initial and asked != "simulate":
        raise ModelError(f"--initial is for --verb simulate, and this study is of {asked}; leave it out")
    if draw != "random":
        varied, count, seed = _drawn(varied, count, draw, seed), None, None
    times = time_grid(given, first, last, steps)
    names = list(dict.fromkeys([*(outputs or ()), *ctx.args]))
    check_names(model, names)
    thing = model if coordinates == "cartesian" else model.compile(coordinates)
    options |= {"count": count, "seed": seed, "workers": workers, "save": None if save is None else str(save)}
    found = mbs.ensemble(thing, times, over=varied, verb=asked, outputs=names or None, **options)
    print(found.summary())
    if not names:
        print(*available(found.names), sep="\n")
    if out and found.done.any():
        print(f"written: {found.save(out)}")
    if found.message:
        raise (KeyboardInterrupt if found.message.startswith("interrupted") else MbsError)(found.message)
    if not found.done.any():
        raise ModelError("no member of the study is done; vary less, or change what all of them have")


def _verb(verb: str | None, start: Mapping[str, float] | None) -> str:
    if verb is None:
        return "simulate" if start else "kinematics"
    if verb not in {*VERBS, *VERBS.values()}:
        raise ModelError(f"--verb {verb!r} is no analysis of many designs; choose one of {', '.join(VERBS)}")
    return VERBS.get(verb, verb)


def _drawn(varied: dict[str, Any], count: int | None, method: Any, seed: int | None) -> mbs.Designs:
    if count is None:
        raise ModelError(f"--draw {method} draws members from distributions; say how many, e.g. --count 1000")
    return mbs.samples(varied, count, method, seed or 0)


# --- varied values ---


def parse_over(texts: Sequence[str], unit_of: Callable[[str], str] = lambda name: "") -> dict[str, Any]:
    """Return names and their values or distributions, in SI, for ["r=0.08:0.12:3", "l~normal(300mm,0.1mm)"]. A number's
    unit must fit `unit_of` its name, if that is known."""
    found: dict[str, Any] = {}
    for text in texts:
        name, sign, spec = (part.strip() for part in [*re.split("([=~])", text, maxsplit=1), "", ""][:3])
        if not name or not sign or not spec:
            raise _unreadable(text)
        if name in found:
            raise ModelError(f"--over gives {name!r} twice; leave one out")
        number = partial(_number, text, name, unit_of(name))
        found[name] = _law(text, spec, number) if sign == "~" else _values(text, spec, number)
    return found


def _unit_of(model: Any, name: str) -> str:
    """Return the unit of a parameter, a constant or a quantity of a model; "" if none is known."""
    from ..derivatives.constants import constants_of

    known: Any = model.parameters.get(name) or constants_of(model).get(name)
    if known:
        return str(known.unit)
    found = model.quantity_or_none(name)
    return found[0].units[found[1]] if found else ""


def _values(text: str, spec: str, number: Callable[[str], float]) -> Any:
    """Return a number, a list of numbers, or evenly spaced numbers."""
    import numpy as np

    parts = spec.split(":")
    if len(parts) == 1:
        numbers = [number(one.strip()) for one in spec.split(",")]
        return numbers if len(numbers) > 1 else numbers[0]
    if len(parts) != 3 or not parts[2].strip().isdigit() or int(parts[2]) < 1:
        raise _unreadable(text)
    return np.linspace(number(parts[0].strip()), number(parts[1].strip()), int(parts[2]))


def _number(text: str, name: str, unit: str, word: str) -> float:
    if NUMBER_WITH_UNIT.fullmatch(word):
        return si_value("--over", name, word, unit, "0.1,0.2")
    try:
        return float(word)
    except ValueError:
        raise _unreadable(text) from None


def _normal(mean: float, deviation: float) -> Any:
    from scipy import stats

    return stats.norm(mean, deviation)


def _uniform(low: float, high: float) -> Any:
    from scipy import stats

    return stats.uniform(low, high - low)


def _tolerance(nominal: float, plus_minus: float) -> Any:
    return mbs.Tolerance(nominal, plus_minus)


LAWS: Mapping[str, tuple[Callable[[float, float], Any], str, Callable[[float, float], bool]]] = {
    "normal": (_normal, "mean and standard deviation", lambda _, deviation: deviation > 0.0),
    "uniform": (_uniform, "the lower and the upper limit", lambda low, high: low < high),
    "tolerance": (_tolerance, "the nominal value and how much more or less", lambda _, width: width > 0.0),
}
"""For each distribution: its constructor from two numbers, the meaning of these, and a check of them."""


def _law(text: str, spec: str, number: Callable[[str], float]) -> Any:
    match = re.fullmatch(r"(\w+)\s*\(([^()]*)\)", spec)
    if match is None:
        raise _unreadable(text)
    name, numbers = match[1], [number(one.strip()) for one in match[2].split(",")]
    if name not in LAWS:
        raise ModelError(f"--over {text!r} has no distribution that is known; use one of {', '.join(LAWS)}")
    law, needs, fits = LAWS[name]
    if len(numbers) != 2 or not fits(*numbers):
        raise ModelError(f"--over {text!r} does not fit: {name} takes {needs}")
    return law(*numbers)


def _unreadable(text: str) -> ModelError:
    return ModelError(f"cannot read --over {text!r}; write {WAYS}")
