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
Folder = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Keep there what comes; said again, what is missing is run.")
]
Workers = Annotated[int | None, typer.Option(metavar="N", help="Members at a time. [default: one a processor]")]


def study(
    ctx: typer.Context, path: Model, over: Over, verb: Verb = None, outputs: Outputs = None, out: File = None,
    settings: Settings = None, without: Without = None, first: First = None, last: Last = None, steps: Steps = None,
    initial: Initial = None, coordinates: Coordinates = "cartesian", count: Count = None, seed: Seed = None,
    draw: Draw = "random", workers: Workers = None, save: Folder = None, units: Units = None,
    debug: Debug = False,
) -> None:  # fmt: skip
    """Run many designs: a grid of values, or samples of distributions; tell how they differ, and which failed."""
    from ..ensembles.reports.tables import writable
    from .report import available

    if out:
        writable(out)
    parse_over(over)  # refuse unreadable options before a model is built
    model, file_times, file_initial = load_model(path, parse_settings(settings))
    varied: Any = parse_over(over, partial(_unit_of, model))
    model = model.without(*without) if without else model
    fixed = {name: value for name, value in (file_initial or {}).items() if name not in varied}
    start = parse_initial(initial, model) or fixed
    if verb is None:
        analysis = "simulate" if start or file_initial else "kinematics"
    elif verb in {*VERBS, *VERBS.values()}:
        analysis = VERBS.get(verb, verb)
    else:
        raise ModelError(
            f"--verb {verb!r} is not an analysis of many designs; choose one of {', '.join(VERBS)}",
            code="unknown-choice", verb=verb,
        )  # fmt: skip
    options: dict[str, Any] = {"initial": start} if analysis == "simulate" and start else {}
    if initial and analysis != "simulate":
        raise ModelError(
            f"--initial is for --verb simulate, and this study is of {analysis}; leave it out",
            code="contradictory-arguments", analysis=analysis,
        )  # fmt: skip
    if draw != "random":
        if count is None:
            raise ModelError(
                f"--draw {draw} draws members from distributions; say how many, e.g. --count 1000",
                code="missing-argument", draw=draw,
            )  # fmt: skip
        method: Any = draw
        varied, count, seed = mbs.samples(varied, count, method, seed or 0), None, None
    times = time_grid(file_times, first, last, steps)
    names = list(dict.fromkeys([*(outputs or ()), *ctx.args]))
    check_names(model, names)
    thing = model if coordinates == "cartesian" else model.compile(coordinates)
    options |= {"count": count, "seed": seed, "workers": workers, "save": None if save is None else str(save)}
    members = mbs.ensemble(thing, times, over=varied, verb=analysis, outputs=names or None, **options)
    print(members.summary())
    if not names:
        print(*available(members.names), sep="\n")
    if out and members.done.any():
        print(f"written: {members.save(out)}")
    if members.message:
        raise (KeyboardInterrupt if members.message.startswith("interrupted") else MbsError)(members.message)
    if not members.done.any():
        raise ModelError(
            "no member of the study is done; vary less, or change what all of them have", code="no-member-done"
        )


# --- varied values ---


def parse_over(texts: Sequence[str], unit_of: Callable[[str], str] = lambda name: "") -> dict[str, Any]:
    """Return names and their values or distributions, in SI, for ["r=0.08:0.12:3", "l~normal(300mm,0.1mm)"]. A number's
    unit must fit `unit_of` its name, if that is known."""
    varied: dict[str, Any] = {}
    for text in texts:
        name, sign, spec = (part.strip() for part in [*re.split("([=~])", text, maxsplit=1), "", ""][:3])
        if not name or not sign or not spec:
            raise _unreadable(text)
        if name in varied:
            raise ModelError(f"--over gives {name!r} twice; leave one out", code="given-twice", name=name)
        number = partial(_number, text, name, unit_of(name))
        varied[name] = _law(text, spec, number) if sign == "~" else _values(text, spec, number)
    return varied


def _unit_of(model: Any, name: str) -> str:
    """Return the unit of a parameter, a constant or a quantity of a model; "" if none is known."""
    from ..derivatives.constants import constants_of

    constant: Any = model.parameters.get(name) or constants_of(model).get(name)
    if constant:
        return str(constant.unit)
    quantity = model.quantity_or_none(name)
    return quantity[0].units[quantity[1]] if quantity else ""


def _values(text: str, spec: str, number: Callable[[str], float]) -> Any:
    """Return a number, a list of numbers, or evenly spaced numbers."""
    import numpy as np

    parts = spec.split(":")
    if len(parts) == 1:
        numbers = [number(word.strip()) for word in spec.split(",")]
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
    name, numbers = match[1], [number(word.strip()) for word in match[2].split(",")]
    if name not in LAWS:
        raise ModelError(
            f"--over {text!r} has no distribution that is known; use one of {', '.join(LAWS)}", code="unknown-choice"
        )
    law, needs, fits = LAWS[name]
    if len(numbers) != 2 or not fits(*numbers):
        raise ModelError(f"--over {text!r} does not fit: {name} takes {needs}", code="wrong-arguments", name=name)
    return law(*numbers)


def _unreadable(text: str) -> ModelError:
    return ModelError(f"cannot read --over {text!r}; write {WAYS}", code="cannot-read-option")
