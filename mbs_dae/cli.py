"""The command line: ``mbs-dae COMMAND MODEL.py``, one function for each command.

A model file is a Python file with a function ``build(**values)`` that returns a model. If it has ``TIMES``, too, these
are the times at which to look at it.

Whatever goes wrong is told in one line on stderr. The exit code is 2 if the line could not be read as options and
arguments, 130 after Ctrl-C, and 1 for everything else.
"""

from __future__ import annotations

import csv
import inspect
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from itertools import groupby
from math import isfinite
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, NoReturn

import typer
from typer.core import TyperGroup

import mbs_dae as mbs

from .errors import MbsError, ModelError, SingularConfigurationError, unknown_name

if TYPE_CHECKING:
    import numpy as np

    from .results import Result

NAME = "mbs-dae"
EXAMPLE = f"\b\nExample:\n  {NAME} "
POSES = 181
"""How many, where neither --steps nor TIMES say."""

Setting = int | float | str
UsageError: type[Exception] = typer.BadParameter.__mro__[1]  # which module it lives in depends on the version of typer


class OneLine(TyperGroup):
    """Commands whose errors are one line, without a traceback unless --debug asks for it."""

    def main(self, *args: Any, **options: Any) -> NoReturn:
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="replace")  # a terminal that knows no Φ gets a question mark
        try:
            code = super().main(*args, **{**options, "standalone_mode": False})
        except UsageError as error:
            code = _complain(f"error: {_usage(error)}", 2)
        sys.exit(code)

    def invoke(self, ctx: Any) -> Any:
        try:
            done = super().invoke(ctx)
            sys.stdout.flush()
            return done
        except (UsageError, BrokenPipeError, typer.Exit):
            raise  # typer knows what to do
        except (Exception, KeyboardInterrupt) as error:
            if ctx.meta.get("debug"):
                traceback.print_exc()
            raise typer.Exit(_tell(error)) from error


def _tell(error: BaseException) -> int:
    """Say what went wrong; gives the exit code."""
    if isinstance(error, KeyboardInterrupt):
        return _complain(str(error) or "interrupted", 130)
    if isinstance(error, MbsError):
        return _complain(f"error: {error}", 1)
    if isinstance(error, OSError) and error.filename:
        return _complain(f"error: {error.filename}: {error.strerror}", 1)
    return _complain(f"error: unexpected {type(error).__name__}: {error}; --debug shows where", 1)


def _complain(message: str, code: int) -> int:
    print(f"{NAME}: {' '.join(message.split())}", file=sys.stderr)
    return code


def _usage(error: Any) -> str:
    where = error.ctx.command_path if error.ctx else NAME
    message = error.format_message().strip().removesuffix(".")
    return f"{message[:1].lower()}{message[1:]}; see {where} --help"


# --- arguments and options ---------------------------------------------------------------------------------------


def _set_debug(ctx: typer.Context, debug: bool) -> None:
    ctx.meta["debug"] = debug or ctx.meta.get("debug", False)


def _show_version(version: bool) -> None:
    if version:
        print(NAME, mbs.__version__)
        raise typer.Exit


ModelPath = Annotated[Path, typer.Argument(metavar="MODEL.py", help="A Python file with a function build().")]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="A value for build() or for a parameter. May be repeated."),
]
First = Annotated[float | None, typer.Option("--from", metavar="TIME", help="First time. [default: as in TIMES, or 0]")]
Last = Annotated[float | None, typer.Option("--to", metavar="TIME", help="Last time. [default: as in TIMES]")]
Steps = Annotated[
    int | None, typer.Option(min=1, metavar="N", help=f"Number of poses. [default: as in TIMES, or {POSES}]")
]
Version = Annotated[bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")]
Debug = Annotated[bool, typer.Option("--debug", callback=_set_debug, help="Show the traceback of an error.")]

app = typer.Typer(
    name=NAME,
    cls=OneLine,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


# --- commands ----------------------------------------------------------------------------------------------------


@app.callback(invoke_without_command=True, epilog=EXAMPLE + "diagnose models/four_bar.py")
def _start(ctx: typer.Context, version: Version = False, debug: Debug = False) -> None:
    """Constrained multibody mechanics: exact equations, numbers at machine speed.

    A model is a Python file with a function build() that returns it. If the file has TIMES, too, these are the times
    at which to look at it.
    """
    if ctx.invoked_subcommand is None:
        print(ctx.get_help())


@app.command(epilog=EXAMPLE + "diagnose models/slider_crank.py --set r=0.12 --set l=0.3")
def diagnose(path: ModelPath, settings: Settings = None, debug: Debug = False) -> None:
    """Count degrees of freedom, and say what is redundant and why."""
    print(mbs.diagnose(load_model(path, parse_settings(settings)).model))


@app.command(
    epilog=EXAMPLE + "kinematics models/slider_crank.py --set r=0.12 --plot slider.x slider.vx --out out",
    context_settings={"allow_extra_args": True},  # the further names behind --plot
)
def kinematics(
    ctx: typer.Context,
    path: ModelPath,
    settings: Settings = None,
    first: First = None,
    last: Last = None,
    steps: Steps = None,
    plot: Annotated[
        list[str] | None, typer.Option(metavar="NAME...", help="Quantities to tell about, to write and to plot.")
    ] = None,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Where to write files: .npz, .csv, .png.")] = None,
    debug: Debug = False,
) -> None:
    """Move a driven mechanism: positions, velocities, accelerations."""
    file = load_model(path, parse_settings(settings))
    names = list(dict.fromkeys([*(plot or ()), *ctx.args]))
    for name in names:
        file.model.quantity(name)
    times = time_grid(file, first, last, steps)
    if out is not None:
        with writing(out):
            out.mkdir(parents=True, exist_ok=True)
    result, dead_point = _moved(file, times)
    print("\n".join(_summary(result, names)))
    if out is not None:
        print("written:", *_write(result, names, out), sep="\n  ")
    if dead_point is not None:
        raise dead_point
    _check_complete(result)


@app.command(epilog=EXAMPLE + "equations models/slider_crank.py --latex --out equations.tex")
def equations(
    path: ModelPath,
    settings: Settings = None,
    latex: Annotated[bool, typer.Option("--latex", help="As LaTeX, in one aligned block.")] = False,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write to a file instead.")] = None,
    debug: Debug = False,
) -> None:
    """Show the exact equations in the names of the textbooks."""
    system = mbs.equations(load_model(path, parse_settings(settings)).model)
    text = system.latex() if latex else str(system)
    if out is None:
        print(text)
        return
    with writing(out):
        out.write_text(text + "\n", encoding="utf-8")
    print("written:", out)


@app.command(epilog=EXAMPLE + "animate models/four_bar.py --out four_bar.gif --trace coupler.P")
def animate(
    path: ModelPath,
    out: Annotated[Path, typer.Option(metavar="FILE", help="A film (.gif, .mp4), or a picture of the motion (.png).")],
    settings: Settings = None,
    first: First = None,
    last: Last = None,
    steps: Steps = None,
    trace: Annotated[
        list[str] | None, typer.Option(metavar="POINT", help="A point whose path to draw. May be repeated.")
    ] = None,
    speed: Annotated[float, typer.Option(metavar="X", help="Model time over film time.")] = 1.0,
    debug: Debug = False,
) -> None:
    """Draw a driven mechanism as it moves."""
    from .view.writers import checked_path

    file = load_model(path, parse_settings(settings))
    times = time_grid(file, first, last, steps)
    checked_path(out)
    with progress_bar("kinematics") as progress:
        result = mbs.kinematics(file.model, times, progress=progress)
    _check_complete(result)
    print("written:", result.animate(out, trace=trace or (), speed=speed))


# --- model files -------------------------------------------------------------------------------------------------


class ModelFile(NamedTuple):
    path: Path
    model: Any
    times: Any
    """The TIMES of the file, or None."""


def parse_settings(texts: Sequence[str] | None) -> dict[str, Setting]:
    """From ["r=0.12", "branch=open"] to {"r": 0.12, "branch": "open"}."""
    settings: dict[str, Setting] = {}
    for text in texts or ():
        name, _, value = (part.strip() for part in text.partition("="))
        if not name.isidentifier() or not value:
            raise ModelError(f"cannot read --set {text!r}; write --set NAME=VALUE, e.g. --set r=0.12")
        if name in settings:
            raise ModelError(f"--set gives {name!r} twice; leave one out")
        settings[name] = _number_or_word(value)
    return settings


def _number_or_word(text: str) -> Setting:
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return text


def load_model(path: Path, settings: Mapping[str, Setting]) -> ModelFile:
    """The model that a file builds. What build() does not take by name sets parameters of the model."""
    module = _run(_existing(path))
    build = getattr(module, "build", None)
    if not callable(build):
        raise ModelError(f"{path} has no function build(); write one that returns a model")
    takes = inspect.signature(build).parameters.values()
    defaults = {p.name: p.default for p in takes if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
    takes_any = any(p.kind is p.VAR_KEYWORD for p in takes)
    own = {n: _fitting(n, value, defaults.get(n)) for n, value in settings.items() if takes_any or n in defaults}
    for name, default in defaults.items():
        if default is inspect.Parameter.empty and name not in own:
            raise ModelError(f"build() of {path} needs a value for {name!r}; give one with --set {name}=VALUE")
    with _blaming(path):
        model = build(**own)
    if not isinstance(model, mbs.PlanarModel):
        raise ModelError(f"build() of {path} returns no model, but {model!r}; end it with: return model")
    others = {name: value for name, value in settings.items() if name not in own}
    for name in others:
        if name not in model.parameters:
            raise unknown_name("setting", name, {*defaults, *model.parameters}, str(path))
    return ModelFile(path, model.with_parameters(**others) if others else model, getattr(module, "TIMES", None))


def _fitting(name: str, value: Setting, default: Any) -> Setting:
    """The value as its default lets expect: a number is no word, and for a switch the word "false" means false."""
    if isinstance(default, bool):
        switch = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
        if str(value).lower() not in switch:
            raise ModelError(f"--set {name}={value} makes no sense; write --set {name}=true or {name}=false")
        return switch[str(value).lower()]
    if isinstance(default, int | float) and isinstance(value, str):
        raise ModelError(f"--set {name}={value} is not a number; write e.g. --set {name}={default:g}")
    return value


def _existing(path: Path) -> Path:
    if path.is_file():
        return path
    if path.is_dir():
        raise ModelError(f"{str(path)!r} is a folder; name a model file in it")
    others = [p for folder in {path.parent, Path(), Path("models")} for p in folder.glob("[!_]*.py")]
    near = get_close_matches(path.stem, {p.stem for p in others}, n=3)
    found = sorted(repr(str(p)) for p in others if p.stem in near)
    hint = f"did you mean {' or '.join(found)}?" if found else "name a Python file with a function build()"
    raise ModelError(f"there is no file {str(path)!r}; {hint}")


def _run(path: Path) -> Any:
    """The module in a file; like a script it may import its neighbours. No __pycache__ is left behind."""
    loader = SourceFileLoader(f"model file {path.stem}", str(path))
    module = module_from_spec(spec_from_loader(loader.name, loader))  # type: ignore[arg-type]
    sys.modules[loader.name] = module
    if (folder := str(path.resolve().parent)) not in sys.path:
        sys.path.insert(0, folder)
    with _blaming(path):
        exec(loader.source_to_code(path.read_bytes(), str(path)), vars(module))
    return module


@contextmanager
def _blaming(path: Path) -> Iterator[None]:
    """Turn any error into one that says in which line of the model file it came up."""
    try:
        yield
    except (Exception, SystemExit) as error:
        lines = [f", line {f.lineno}" for f in traceback.extract_tb(error.__traceback__) if f.filename == str(path)]
        kind = "" if isinstance(error, MbsError) else f"{type(error).__name__}: "
        raise ModelError(f"{path}{lines[-1] if lines else ''}: {kind}{error}") from error


# --- running -----------------------------------------------------------------------------------------------------


def time_grid(file: ModelFile, first: float | None, last: float | None, steps: int | None) -> np.ndarray:
    """The TIMES of the file, or evenly spaced times: what the options do not say is as in TIMES."""
    import numpy as np

    from .analysis.kinematics import checked_times

    given = None if file.times is None else checked_times(file.times)
    if given is not None and first is last is steps is None:
        return given
    if given is None and last is None:
        raise ModelError(f"{file.path} has no TIMES; say until when with --to, e.g. --to 1")
    start, end, count = (0.0, 0.0, POSES) if given is None else (given[0], given[-1], given.size)
    start, end = start if first is None else first, end if last is None else last
    if not (isfinite(end - start) and start < end):
        raise ModelError(f"times go from {start:g} to {end:g}; choose --to later than --from")
    return np.linspace(start, end, steps or count)


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int], None] | None]:
    """A callback ``progress(done, total)`` that draws a bar; None if nobody is watching."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _moved(file: ModelFile, times: np.ndarray) -> tuple[Result, SingularConfigurationError | None]:
    """The motion; or as much as there is of it, and the dead point."""
    with progress_bar("kinematics") as progress:
        try:
            return mbs.kinematics(file.model, times, progress=progress), None
        except SingularConfigurationError as error:
            return error.facts["result"], error


def _check_complete(result: Result) -> None:
    """Without an error, a run only ends early if Ctrl-C was pressed."""
    if not result.success:
        raise KeyboardInterrupt(result.message)


# --- telling and writing -----------------------------------------------------------------------------------------


def _summary(result: Result, names: Sequence[str]) -> Iterator[str]:
    t, violation = result.t, result.violation
    worst = [f"{level} {getattr(violation, level).max():.1e}" for level in ("position", "velocity", "acceleration")]
    yield f"{result.title}: {len(t)} pose{'s' * (len(t) != 1)}, t = {t[0]:g} ... {t[-1]:g} s"
    yield f"largest violation: {', '.join(worst)}"
    if points := result.stats.get("change_points"):
        yield f"change points: t = {', '.join(f'{point:g}' for point in points)}"
    yield ""
    yield from _extremes(result, names) if names else _on_offer(result.names)


def _extremes(result: Result, names: Sequence[str]) -> Iterator[str]:
    rows = [("quantity", "unit", "least", "at t", "most", "at t")]
    for name in names:
        ends = result[name].argmin(), result[name].argmax()
        rows.append((name, result.unit(name), *(f"{x[k]:.6g}" for k in ends for x in (result[name], result.t))))
    first, second = (max(len(row[k]) for row in rows) for k in (0, 1))
    for name, unit, *cells in rows:
        yield f"{name:<{first}}  {unit:<{second}}" + "".join(f"{cell:>13}" for cell in cells)


def _on_offer(names: Sequence[str]) -> Iterator[str]:
    """Which quantities there are: owners that have the same ones share a line."""
    owners: dict[str, list[str]] = {}
    for owner, own in groupby(names, lambda name: name.rpartition(".")[0]):
        owners.setdefault(" ".join(name.rpartition(".")[2] for name in own), []).append(owner)
    yield "quantities, to be asked for with --plot OWNER.QUANTITY:"
    for quantities, who in owners.items():
        yield f"  {shorten(', '.join(who), 70, placeholder=' ...')}: {quantities}"


def _write(result: Result, names: Sequence[str], folder: Path) -> Iterator[Path]:
    """The result, its quantities as a table and as curves; tells which files there are."""
    with writing(folder):
        yield result.save(folder / "result.npz")
        yield _write_table(result, names or result.names, folder / "quantities.csv")
        if names:
            picture = folder / "quantities.png"
            result.plot(*names).savefig(picture)
            yield picture


def _write_table(result: Result, names: Sequence[str], path: Path) -> Path:
    columns = [result.t, *(result[name] for name in names)]
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow([result.axis[0], *names])
        table.writerows(zip(*(column.tolist() for column in columns), strict=True))
    return path


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn what the operating system says into an error that says what to do."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise ModelError(f"cannot write {str(error.filename or path)!r}: {reason}; choose another --out") from error


def main() -> None:
    app(prog_name=NAME)


if __name__ == "__main__":
    main()
