"""The command line: ``mbs-dae COMMAND MODEL.py``, one function for each command. (`start` describes a model file,
`errors` describes errors and exit codes.)"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import mbs_dae as mbs

from ..errors import MbsError, ModelError
from .errors import NAME, Commands
from .files import load_model, parse_initial, parse_settings
from .options import (
    EXAMPLE,
    NAMES_BEHIND,
    Coordinates,
    Debug,
    First,
    Initial,
    Last,
    Model,
    Out,
    Plot,
    Settings,
    Speed,
    Stabilization,
    Steps,
    Trace,
    Units,
    Without,
    check_names,
    stabilization_of,
    time_grid,
)
from .study import study

if TYPE_CHECKING:
    import numpy as np

    from ..results import Result

app = typer.Typer(name=NAME, cls=Commands, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.callback(invoke_without_command=True, epilog=EXAMPLE + "diagnose models/four_bar.py")
def start(
    ctx: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
    debug: Debug = False,
) -> None:
    """Constrained multibody mechanics: exact equations, numbers at machine speed.

    A model is a Python file with a function build() that returns it. If the file has TIMES, too, these are the times
    at which to look at it; if it has INITIAL, these are the values from which its forces move it.
    """
    if version or ctx.invoked_subcommand is None:
        print(f"{NAME} {mbs.__version__}" if version else ctx.get_help())
        raise typer.Exit


@app.command(epilog=EXAMPLE + "diagnose models/slider_crank.py --set r=0.12 --set l=0.3")
def diagnose(path: Model, settings: Settings = None, units: Units = None, debug: Debug = False) -> None:
    """Count degrees of freedom, and say what is redundant and why."""
    model, *_ = load_model(path, parse_settings(settings))
    print(mbs.diagnose(model))


@app.command(
    epilog=EXAMPLE + "kinematics models/slider_crank.py --set r=0.12 --plot slider.x slider.vx --out out",
    context_settings=NAMES_BEHIND,
)
def kinematics(
    ctx: typer.Context, path: Model, settings: Settings = None, first: First = None, last: Last = None,
    steps: Steps = None, coordinates: Coordinates = "cartesian", plot: Plot = None, out: Out = None,
    units: Units = None, debug: Debug = False,
) -> None:  # fmt: skip
    """Move a driven mechanism: positions, velocities, accelerations."""
    from .report import summary

    model, file_times, _ = load_model(path, parse_settings(settings))
    times = time_grid(file_times, first, last, steps)
    analysis = partial(mbs.kinematics, times=times)
    _run(model, coordinates, analysis, summary, [*(plot or ()), *ctx.args], out)


@app.command(
    epilog=EXAMPLE + "simulate models/slider_crank.py --without motor --initial crank.omega=10 --time 2 --points 401",
    context_settings=NAMES_BEHIND,
)
def simulate(
    ctx: typer.Context, path: Model, settings: Settings = None, without: Without = None, first: First = None,
    last: Last = None, steps: Steps = None, initial: Initial = None,
    method: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="DP5, DP8, or RK4 (with --step); where forces are stiff Radau5, or GA; "
            "over many contacts HalfExplicit, or Moreau (with --step).",
        ),
    ] = "DP5",
    stabilization: Stabilization = None,
    rtol: Annotated[float, typer.Option(metavar="X", help="Tolerance of the step control.")] = 1e-8,
    step: Annotated[float | None, typer.Option(metavar="SECONDS", help="Fixed steps instead.")] = None,
    coordinates: Coordinates = "cartesian", plot: Plot = None, out: Out = None, units: Units = None,
    debug: Debug = False,
) -> None:  # fmt: skip
    """Let forces move a mechanism: forward dynamics, with the energy ledger."""
    from .report import simulated

    model, file_times, file_initial = load_model(path, parse_settings(settings))
    model = model.without(*without) if without else model
    times, start = time_grid(file_times, first, last, steps), parse_initial(initial, model) or file_initial
    options = {"method": method, "stabilization": stabilization_of(stabilization), "rtol": rtol, "step": step}
    analysis = partial(mbs.simulate, times=times, initial=start, **options)
    _run(model, coordinates, analysis, simulated, [*(plot or ()), *ctx.args], out)


@app.command(epilog=EXAMPLE + "modes models/whipple_bicycle.py --initial frame.vx=5")
def modes(
    path: Model, settings: Settings = None, without: Without = None,
    initial: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="A steady motion: wheel.omega=10. May be repeated. [default: at rest]"),
    ] = None,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Where to draw eigenvalues and modes: .png.")] = None,
    coordinates: Coordinates = "cartesian", units: Units = None, debug: Debug = False,
) -> None:  # fmt: skip
    """Frequencies and damping of small motions about the rest, or about a steady motion."""
    model, *_ = load_model(path, parse_settings(settings))
    model = model.without(*without) if without else model
    _make_folder(out)
    law = mbs.linearize(model.compile(coordinates), parse_initial(initial, model) or None)
    print(f"{model.name}: small motions of {', '.join(law.coordinates)}", law, sep="\n")
    if out:
        figures = {"eigenvalues": law.plot(), **({"modes": law.draw()} if law.eigenvalues.any() else {})}
        for name, figure in figures.items():
            figure.savefig(out / f"{name}.png")
        print("written:", *(out / f"{name}.png" for name in figures), sep="\n  ")


@app.command(epilog=EXAMPLE + "inverse models/slider_crank.py --set omega=20 --out out", context_settings=NAMES_BEHIND)
def inverse(
    ctx: typer.Context, path: Model, settings: Settings = None, first: First = None, last: Last = None,
    steps: Steps = None, coordinates: Coordinates = "cartesian", plot: Plot = None, out: Out = None,
    units: Units = None, debug: Debug = False,
) -> None:  # fmt: skip
    """Find what a driven motion takes: efforts of the drivers, loads of the joints."""
    from .report import efforts_and_loads

    model, file_times, _ = load_model(path, parse_settings(settings))
    drivers = [e.name for e in model.conditions if isinstance(e, mbs.Driver)]
    joints = [e.name for e in model.conditions if e.name not in drivers]
    analysis = partial(mbs.inverse_dynamics, times=time_grid(file_times, first, last, steps))
    report = partial(efforts_and_loads, drivers=drivers, joints=joints)
    _run(model, coordinates, analysis, report, [*(plot or ()), *ctx.args], out)


@app.command(epilog=EXAMPLE + "equations models/slider_crank.py --out slider_crank.tex")
def equations(
    path: Model, settings: Settings = None,
    latex: Annotated[bool, typer.Option("--latex", help="As LaTeX, in one aligned block.")] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write to a file instead: a document (.tex, .md, .html), functions (.c, .js, .py), or this text.",
        ),
    ] = None,
    debug: Debug = False,
) -> None:  # fmt: skip
    """Show the exact equations in the names of the textbooks, or write them as a document or as code."""
    from ..results.files import replacing

    model, *_ = load_model(path, parse_settings(settings))
    system = mbs.equations(model)
    if out and out.suffix.lower() in system.endings and not latex:
        print(f"written: {system.save(out)}")
        return
    if out and out.suffix.lower() not in ("", ".txt", *system.endings):
        what = "there is no MATLAB code: MATLAB calls C and Python" if out.suffix == ".m" else "no format is called so"
        raise ModelError(
            f"cannot write equations to {str(out)!r}: {what}; end it in {', '.join(system.endings)}, .txt",
            code="unknown-format", out=str(out),
        )  # fmt: skip
    text = system.latex() if latex else str(system)
    if out:
        with replacing(out, "choose another --out") as place:
            place.write_text(text + "\n", encoding="utf-8")
    print(f"written: {out}" if out else text)


@app.command(epilog=EXAMPLE + "worked models/slider_crank.py --time 0.1 --out solution.html")
def worked(
    path: Model,
    time: Annotated[float, typer.Option("--time", metavar="TIME", help="The instant.")] = 0.0,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Where to write it: .html, .tex or .md.")] = None,
    settings: Settings = None,
    initial: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="Held where no driver moves: crank.angle=0.6. May be repeated."),
    ] = None,
    units: Units = None,
    debug: Debug = False,
) -> None:
    """Work out position, velocity and acceleration at one instant, step by step."""
    model, *_ = load_model(path, parse_settings(settings))
    solution = mbs.worked_solution(model, time, parse_initial(initial, model) or None)
    print(f"written: {solution.save(out)}" if out else solution.text)


@app.command(epilog=EXAMPLE + "animate models/four_bar.py --out four_bar.gif --trace coupler.P")
def animate(
    path: Model,
    out: Annotated[Path, typer.Option(metavar="FILE", help="A page (.html), film (.gif, .mp4) or still (.png, .svg).")],
    settings: Settings = None, first: First = None, last: Last = None, steps: Steps = None,
    trace: Trace = None, speed: Speed = None,
    live: Annotated[bool, typer.Option("--live", help="A page that solves the motion: to drag, to change.")] = False,
    units: Units = None, debug: Debug = False,
) -> None:  # fmt: skip
    """Draw a mechanism as it moves: as it is driven, or, where the file has INITIAL, by the forces on it."""
    from ..view.animation import checked_path

    model, file_times, file_initial = load_model(path, parse_settings(settings))
    times = time_grid(file_times, first, last, steps)
    if checked_path(out).suffix.lower() != ".html" and live:
        raise mbs.ModelError(
            f"--live makes a page, and {str(out)!r} is none; end its name in .html", code="unknown-format", out=str(out)
        )
    analysis = partial(mbs.kinematics, times=times)
    if file_initial is not None:
        analysis = partial(mbs.simulate, times=times, initial=file_initial)
    result, stopped = _result_of(lambda: analysis(model))
    write = partial(result.save, live=True) if live else result.animate
    print("written:", write(out, trace=trace or (), speed=speed))
    if stopped:
        raise stopped


@app.command(
    epilog=EXAMPLE + "view models/four_bar.py --plot rocker.angle --trace coupler.P", context_settings=NAMES_BEHIND
)
def view(
    ctx: typer.Context, path: Model, settings: Settings = None, first: First = None, last: Last = None,
    steps: Steps = None, initial: Initial = None, plot: Plot = None, trace: Trace = None, speed: Speed = None,
    port: Annotated[int, typer.Option(min=0, max=65535, metavar="N", help="[default: one that is free]")] = 0,
    show: Annotated[bool, typer.Option("--open/--no-open", help="Open it in the browser.")] = True,
    units: Units = None, debug: Debug = False,
) -> None:  # fmt: skip
    """Play with a model in the browser: sliders for its parameters, and its file read anew when it is saved."""
    import webbrowser
    from threading import Thread

    from .model_file import ModelFile, serve

    def times(file_times: Any) -> np.ndarray:
        return time_grid(file_times, first, last, steps)

    def ready(address: str) -> None:
        print(f"{path} is shown at {address}\nuntil Ctrl-C", flush=True)
        if show:
            Thread(target=webbrowser.open, args=(address,), daemon=True).start()  # may block until closed

    file = ModelFile(path, parse_settings(settings), times, parse_initial(initial))
    names = list(dict.fromkeys([*(plot or ()), *ctx.args]))
    choices = {"plots": names, "trace": trace or (), "speed": speed}
    serve(file, port, choices | ({"units": mbs.units(*units.split(","))} if units else {}), ready)


app.command(
    epilog=EXAMPLE + "study models/slider_crank.py --over r=0.08:0.12:20 --over l=0.3:0.5:5 --out study.nc",
    context_settings=NAMES_BEHIND,
)(study)


# --- running -------------------------------------------------------------------------------------------------------


def _run(
    model: Any, coordinates: str, analysis: Callable[[Any], Result],
    report: Callable[..., Iterable[str]], names: list[str], out: Path | None,
) -> None:  # fmt: skip
    """Run the analysis, print its report, and write its files; after an early stop do so, too, and raise the reason."""
    from .report import write

    names = list(dict.fromkeys(names))
    check_names(model, names)
    _make_folder(out)
    result, stopped = _result_of(lambda: analysis(model.compile(coordinates)))
    print("\n".join(report(result, names=names)))
    if out:
        print("written:", *write(result, names, out), sep="\n  ")
    if stopped:
        raise stopped


def _make_folder(out: Path | None) -> None:
    """Make the folder for files, before any work is done."""
    if out:
        try:
            out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ModelError(
                f"cannot write {str(out)!r}: {error.strerror}; choose another --out",
                code="cannot-write-file", out=str(out), reason=error.strerror,
            ) from error  # fmt: skip


def _result_of(analysis: Callable[[], Result]) -> tuple[Result, BaseException | None]:
    """Return the result, and the reason of an early stop: a dead point, Ctrl-C, or None."""
    try:
        result = analysis()
    except MbsError as error:
        if not len(error.facts.get("result", ())):
            raise
        return error.facts["result"], error
    return result, None if result.success else KeyboardInterrupt(result.message)


@app.command(epilog=EXAMPLE + "warm")
def warm() -> None:
    """Compile ahead all that is compiled once per installation."""
    mbs.warm()
    print("ready: whatever is compiled once per installation")


def main() -> None:
    app(prog_name=NAME)
