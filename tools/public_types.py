"""Writes mbs_dae/__init__.pyi: the types of all public names, for type checkers and editors.

    python tools/public_types.py

Names are loaded when first used, so a checker cannot follow them by itself; and an element's constants are declared
in its class, not in a signature. Both are read off the package here. A test compares the file with what would be
written.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import fill

import mbs_dae as mbs
from mbs_dae.model.element import Declared
from mbs_dae.model.fields import PLACE, coordinate, places, signature_of
from mbs_dae.model.model import Model

FILE = Path(mbs.__file__).with_suffix(".pyi")
HEAD = '''# ruff: noqa
# Written by tools/public_types.py. Not for editing.
from collections.abc import Callable, Sequence
from typing import Any, Literal, SupportsFloat, TypeAlias, overload

import numpy as np

from .compiled.system import System as _System
from .model.measures import Measure as _Measure
from .model.model import Named as _Named
'''
ALIASES = '''
__version__: str

_Place: TypeAlias = Marker | Body
_Number: TypeAlias = SupportsFloat
_Numeric: TypeAlias = _Number
_Vector: TypeAlias = Sequence[_Number] | np.ndarray[Any, Any]
_Expression: TypeAlias = _Number | Table | Motion
_Law: TypeAlias = _Expression | Callable[..., Any]
_Coupling: TypeAlias = _Number | Sequence[_Number] | Sequence[Sequence[_Number]] | np.ndarray[Any, Any]
'''
PRIVATE = re.compile(r"\b(Place|Number|Numeric|Vector|Expression|Law|Coupling|Measure|Named|System)\b")


def ways(cls: type[Declared]) -> Iterator[list[inspect.Parameter]]:
    """Every way of saying where an element acts."""
    if issubclass(cls, mbs.EffortElement):
        yield coordinate("Joint | Measure")
        yield coordinate(PLACE, PLACE)
        if cls.fewest == 1:
            yield coordinate(PLACE)
        return
    for more in range(cls.optional_markers + 1):
        yield places(cls.marker_names, cls.optional_markers - more)
    if cls is mbs.Gear:  # between the joints of its wheels
        yield [p.replace(annotation="Joint") if p.name in "ij" else p for p in places("ij")]


def _parameters(signature: inspect.Signature) -> Iterator[str]:
    kinds = [p.kind for p in signature.parameters.values()]
    for k, p in enumerate(signature.parameters.values()):
        if p.kind is p.KEYWORD_ONLY and p.KEYWORD_ONLY not in kinds[:k]:
            yield "*"
        kind = "" if p.annotation is p.empty else ": " + PRIVATE.sub(r"_\1", p.annotation)
        yield f"{p.name}{kind}" + " = ..." * (p.default is not p.empty)
        if p.kind is p.POSITIONAL_ONLY and kinds[k + 1 : k + 2] != [p.POSITIONAL_ONLY]:
            yield "/"


def _element(cls: type[Declared]) -> str:
    lines = [f"class {cls.__name__}(_{cls.__name__}):"]
    found = dict.fromkeys(tuple(_parameters(signature_of(cls.__init__, where, cls.fields))) for where in ways(cls))
    for parameters in found:
        text = fill(", ".join(["self", *parameters]), 110, initial_indent=" " * 8, subsequent_indent=" " * 8)
        lines += ["    @overload"] * (len(found) > 1) + [f"    def __init__(\n{text}\n    ) -> None: ..."]
    return "\n".join(lines) + "\n"


def _model(cls: type[Model]) -> str:
    """What compiling gives is the business of a later room, which its class cannot name."""
    parameters = ", ".join(_parameters(inspect.signature(cls.compile)))
    return f"class {cls.__name__}(_{cls.__name__}):\n    def compile({parameters}) -> _System: ...\n"


def stub() -> str:
    """The text of the file."""
    imports, elements = [], []
    for name, home in mbs._HOME.items():
        thing = getattr(mbs, name)
        if inspect.ismodule(thing):
            room, _, module = thing.__name__.removeprefix("mbs_dae").rpartition(".")
            imports.append(f"from {room or '.'} import {module} as {name}")
        elif inspect.isclass(thing) and thing.__name__ != name:
            elements.append(f"{name} = {thing.__name__}\n")
        elif inspect.isclass(thing) and ("__signature__" in vars(thing) or issubclass(thing, Model)):
            imports.append(f"from .{home} import {name} as _{name}")
            elements.append(_model(thing) if issubclass(thing, Model) else _element(thing))
        else:
            imports.append(f"from .{home} import {name} as {name}")
    return HEAD + "\n".join(imports) + "\n" + ALIASES + "\n" + "\n".join(elements)


if __name__ == "__main__":
    FILE.write_text(stub(), encoding="utf-8")
