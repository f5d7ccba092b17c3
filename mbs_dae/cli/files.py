"""Model files and their settings, from the words of the command line."""

import inspect
import re
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from pathlib import Path
from types import ModuleType
from typing import Any

import mbs_dae as mbs

from ..errors import MbsError, ModelError, check_name
from ..unit_system import dimension_of, shown_unit

Setting = int | float | str


def parse_settings(texts: Sequence[str] | None) -> dict[str, Setting]:
    """Return {"r": 0.12, "branch": "open"} for ["r=0.12", "branch=open"]."""
    settings: dict[str, Setting] = {}
    for name, value in _pairs("--set", texts, "--set NAME=VALUE, e.g. --set r=0.12", str.isidentifier):
        settings[name] = value
        for kind in (float, int):
            with suppress(ValueError):
                settings[name] = kind(value)
    return settings


def parse_initial(texts: Sequence[str] | None, model: Any = None) -> dict[str, float]:
    """Return SI values, {"crank.angle": 0.0, "crank.omega": 9.948...}, for ["crank.angle=0", "crank.omega=95rpm"]. A
    unit must fit the quantity of the `model`. A note is printed for a number without a unit if the quantity is shown in
    another unit."""
    initial: dict[str, float] = {}
    for name, value in _pairs("--initial", texts, "--initial OWNER.QUANTITY=VALUE, e.g. crank.omega=10", bool):
        quantity = model.quantity_or_none(name) if model is not None else None
        unit = quantity[0].units[quantity[1]] if quantity else ""
        initial[name] = si_value("--initial", name, value, unit, "10")
        word = shown_unit(unit, name)
        with suppress(ValueError):
            if word != unit and float(value) != 0.0:
                print(f"note: --initial {name}={value} is in {unit}; for {word} write {name}={value}{word}")
    return initial


NUMBER_WITH_UNIT = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*([^\W\d_].*|°.*)")


def si_value(option: str, name: str, text: str, unit: str, example: str) -> float:
    """Return the SI value of "0.11" or of "110mm"; its unit must fit `unit`, if that is known."""
    with suppress(ValueError):
        return float(text)
    match, remedy = NUMBER_WITH_UNIT.fullmatch(text), f"write e.g. {option} {name}={example}"
    if match is None:
        raise ModelError(
            f"{option} {name}={text} is not a number; {remedy}", code="not-a-number", option=option, name=name
        )
    size, si = dimension_of(match[2]), dimension_of(unit)
    if size is None or not size[1]:
        what = f"{option} {name}={text} is not a number, and {match[2]!r} is not a known unit"
        raise ModelError(
            f"{what}; {remedy} in SI, or with a unit, {name}=10mm", code="unit-not-of-si", option=option, name=name
        )
    if si is not None and si[1] != size[1]:
        what = f"{option} {name}={text} does not fit: {name!r} is in {unit}"
        raise ModelError(f"{what}; write a number, or a unit of this kind", code="unit-does-not-fit")
    return float(match[1]) * size[0] / (si[0] if si else 1.0)


def _pairs(
    option: str, texts: Sequence[str] | None, form: str, is_name: Callable[[str], bool]
) -> Iterator[tuple[str, str]]:
    """Yield the names and values of an option; refuse a name that occurs twice."""
    seen: set[str] = set()
    for text in texts or ():
        name, _, value = (part.strip() for part in text.partition("="))
        if not is_name(name) or not value:
            raise ModelError(f"cannot read {option} {text!r}; write {form}", code="cannot-read-option", option=option)
        if name in seen:
            raise ModelError(
                f"{option} gives {name!r} twice; leave one out", code="given-twice", option=option, name=name
            )
        seen.add(name)
        yield name, value


def load_model(path: Path, settings: Mapping[str, Setting]) -> tuple[Any, Any, Any]:
    """Return the model of a file, and its TIMES and INITIAL values, or None. Settings that are no arguments of build()
    set parameters."""
    model, module = load_module(path, settings)
    return model, getattr(module, "TIMES", None), getattr(module, "INITIAL", None)


def load_module(path: Path, settings: Mapping[str, Setting]) -> tuple[Any, ModuleType]:
    """Return the model of a file, and the module of the file."""
    module = _run(_existing(path))
    build = getattr(module, "build", None)
    if not callable(build):
        raise ModelError(
            f"{path} has no function build(); write one that returns a model", code="no-build-function", path=path
        )
    takes = inspect.signature(build).parameters.values()
    defaults = {p.name: p.default for p in takes if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
    takes_any = any(p.kind is p.VAR_KEYWORD for p in takes)
    arguments = {n: _converted(n, x, defaults.get(n)) for n, x in settings.items() if takes_any or n in defaults}
    for name, default in defaults.items():
        if default is inspect.Parameter.empty and name not in arguments:
            raise ModelError(
                f"build() of {path} needs a value for {name!r}; give one with --set {name}=VALUE",
                code="missing-argument", path=path, name=name,
            )  # fmt: skip
    with _locating(path):
        model = build(**arguments)
    if not isinstance(model, mbs.PlanarModel | mbs.SpatialModel):
        raise ModelError(
            f"build() of {path} returns no model, but {model!r}; end it with: return model",
            code="not-a-model", path=path, model=model,
        )  # fmt: skip
    for name, value in settings.items():  # check the unit of an argument of build() that is a parameter as well
        if name in arguments and name in model.parameters and NUMBER_WITH_UNIT.fullmatch(str(value)):
            si_value("--set", name, str(value), model.parameters[name].unit, "")
    others: dict[str, Any] = {name: value for name, value in settings.items() if name not in arguments}
    for name in others:
        check_name("setting", name, {*defaults, *model.parameters}, str(path))
        parameter, text = model.parameters[name], str(others[name])
        if NUMBER_WITH_UNIT.fullmatch(text):
            others[name] = si_value("--set", name, text, parameter.unit, f"{parameter.value:g}")
    return model.with_parameters(**others) if others else model, module


def _converted(name: str, value: Setting, default: Any) -> Setting:
    """Return a setting with the type of its default: a number is no text, and for a switch the word "false" means
    False."""
    if isinstance(default, bool):
        if str(value).lower() not in ("true", "false"):
            raise ModelError(
                f"--set {name}={value} makes no sense; write --set {name}=true or --set {name}=false",
                code="not-true-or-false", name=name, value=value,
            )  # fmt: skip
        return str(value).lower() == "true"
    if isinstance(value, str) and not isinstance(default, str):  # texts are words that build() knows, not expressions
        example = f"{default:g}" if isinstance(default, int | float) else "0.12"
        return si_value("--set", name, value, "", example)
    return value


def _existing(path: Path) -> Path:
    if path.is_file():
        return path
    if path.is_dir():
        raise ModelError(f"{str(path)!r} is a folder; name a model file in it", code="is-a-folder", path=str(path))
    others = [p for folder in {path.parent, Path(), Path("models")} for p in folder.glob("[!_]*.py")]
    near = get_close_matches(path.stem, {p.stem for p in others}, n=3)
    similar = sorted(repr(str(p)) for p in others if p.stem in near)
    hint = f"did you mean {' or '.join(similar)}?" if similar else "name a Python file with a function build()"
    raise ModelError(f"there is no file {str(path)!r}; {hint}", code="no-such-file", path=str(path))


def _run(path: Path) -> ModuleType:
    """Return the module in a file. Like a script it may import its neighbours, and it leaves no __pycache__ behind."""
    module = ModuleType(f"model file {path.stem}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module
    if (folder := str(path.resolve().parent)) not in sys.path:
        sys.path.insert(0, folder)
    with _locating(path):
        exec(compile(path.read_bytes(), str(path), "exec", dont_inherit=True), vars(module))
    return module


@contextmanager
def _locating(path: Path) -> Iterator[None]:
    """Turn any error into one that names its line in the model file."""
    try:
        yield
    except (Exception, SystemExit) as error:
        lines = [f", line {f.lineno}" for f in traceback.extract_tb(error.__traceback__) if f.filename == str(path)]
        kind = "" if isinstance(error, MbsError) else f"{type(error).__name__}: "
        raise ModelError(
            f"{path}{lines[-1] if lines else ''}: {kind}{error}", code="model-file-fails", reason=str(error), path=path
        ) from error
