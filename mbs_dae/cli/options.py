"""Options of several commands, and their parsers."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import mbs_dae as mbs

from ..errors import ModelError, unknown_name
from .errors import NAME

if TYPE_CHECKING:
    import numpy as np

EXAMPLE = f"\b\nExample:\n  {NAME} "
POSES = 181  # number of poses without --steps and TIMES


def _set_debug(ctx: typer.Context, debug: bool) -> None:
    ctx.meta["debug"] = debug or ctx.meta.get("debug", False)


def _set_units(ctx: typer.Context, text: str | None) -> str | None:
    """Set the units of all text, pictures and files of this command."""
    if text is not None:
        ctx.with_resource(mbs.units(*text.split(",")))
    return text


Units = Annotated[
    str | None,
    typer.Option(
        "--units", metavar="UNITS", callback=_set_units, help="Units of numbers: deg,mm,rpm. [default: SI, radians]"
    ),
]
Model = Annotated[Path, typer.Argument(metavar="MODEL.py", help="A Python file with a function build().")]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="NAME=VALUE", help="For build() or a parameter: r=0.11 in SI, or r=110mm. May be repeated."
    ),
]
First = Annotated[float | None, typer.Option("--from", metavar="TIME", help="First time. [default: as in TIMES, or 0]")]
Last = Annotated[float | None, typer.Option("--to", "--time", metavar="TIME", help="Last time. [default: as in TIMES]")]
Steps = Annotated[
    int | None,
    typer.Option("--steps", "--points", min=1, metavar="N", help=f"Times. [default: as in TIMES, or {POSES}]"),
]
Plot = Annotated[list[str] | None, typer.Option(metavar="NAME...", help="Quantities to tell and to plot.")]
Out = Annotated[Path | None, typer.Option(metavar="DIR", help="Where to write files: .npz, .csv, .png.")]
Without = Annotated[
    list[str] | None, typer.Option("--without", metavar="NAME", help="Leave out this element. May be repeated.")
]
Initial = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=VALUE",
        help="At the start: crank.omega=10 in SI, or 95rpm. May be repeated. [default: as in INITIAL]",
    ),
]
Stabilization = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="baumgarte, baumgarte:ALPHA,BETA, projection, or none. [default: baumgarte; projection for Radau5 and GA]",
    ),
]
Coordinates = Annotated[
    str, typer.Option(metavar="NAME", help="To compute in: cartesian, natural, or joint. Results are those of bodies.")
]
Trace = Annotated[list[str] | None, typer.Option(metavar="POINT", help="Draw its path. May be repeated.")]
Speed = Annotated[
    float | None, typer.Option(metavar="X", help="Model time over film time. [default: 1; for pages: some seconds]")
]
NAMES_BEHIND = {"allow_extra_args": True}  # further names after --plot
Debug = Annotated[bool, typer.Option("--debug", callback=_set_debug, help="Show the traceback of an error.")]


def time_grid(file_times: Any, first: float | None, last: float | None, steps: int | None) -> np.ndarray:
    """Return the TIMES of the file, or evenly spaced times with the limits and number of TIMES unless options give
    others."""
    import numpy as np

    from ..arguments import checked_times

    times = None if file_times is None else checked_times(file_times)
    if times is not None and first is last is steps is None:
        return times
    if times is None and last is None:
        raise ModelError("the model file has no TIMES; say until when with --to, e.g. --to 1", code="missing-argument")
    start, end, count = (0.0, 0.0, POSES) if times is None else (times[0], times[-1], times.size)
    start, end = start if first is None else first, end if last is None else last
    if not (isfinite(end - start) and start < end):
        raise ModelError(
            f"times go from {start:g} to {end:g}; choose --to later than --from",
            code="not-increasing", start=start, end=end,
        )  # fmt: skip
    return np.linspace(start, end, steps or count)


def stabilization_of(text: str | None) -> Any:
    """Return the method for "projection", "none", "baumgarte" or "baumgarte:5,5"; None, for the default of the method,
    if nothing is given."""
    if text is None:
        return None
    name, _, gains = text.partition(":")
    kinds = {"baumgarte": mbs.Baumgarte, "projection": mbs.Projection, "none": mbs.Unstabilized}
    try:
        kind, numbers = kinds[name.lower()], [float(gain) for gain in gains.split(",") if gains]
        if len(numbers) <= (2 if kind is mbs.Baumgarte else 0):
            return kind(*numbers)
    except (KeyError, ValueError):
        pass
    raise ModelError(
        f"cannot read --stabilization {text!r}; write baumgarte, baumgarte:5,5, projection, or none",
        code="cannot-read-option",
    )  # fmt: skip


def check_names(model: Any, names: Iterable[str]) -> None:
    """Check that a result may have these names, before any work is done."""
    from ..results.geometry import call_of, calls_like
    from ..results.names import components, known_names

    quantities = known_names(model)
    for name in names:
        if name not in quantities and not components(name, quantities) and not call_of(name):
            if calls := calls_like(name):
                raise unknown_name("quantity", name, calls, f"model {model.name!r}")
            raise model.unknown_quantity(name, more=quantities)
