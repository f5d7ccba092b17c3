"""The language Python with its own math module."""

from __future__ import annotations

import ast
import inspect
import keyword
from collections.abc import Iterable
from typing import Any

from ...symbolic.codegen import FUNCTIONS
from .. import abi
from .names import visible
from .writer import Language


def _plain(function: Any) -> str:
    """Return the source of a function that kernels call, without its decorators, as plain Python."""
    source = ast.parse(inspect.getsource(function.py_func)).body[0]
    assert isinstance(source, ast.FunctionDef)
    source.decorator_list = []
    for argument in source.args.args:
        argument.annotation = None
    return ast.unparse(source).replace("TURN", repr(abi.TURN)) + "\n\n"


def comment(lines: Iterable[str]) -> str:
    return "\n".join(f"# {visible(line)}".rstrip() for line in lines)


PYTHON = Language(
    name="Python",
    assign="{name} = {value}",
    store="{name} = {value}",
    choice="{yes} if {condition} else {no}",
    logic={
        "and": "and",
        "or": "or",
        "not": "not ",
        "True": "True",
        "False": "False",
        "nan": "nan",
        "pow": "({})**({})",
    },
    functions={name: name for name in (*FUNCTIONS, "abs", "max", "min")} | {"gamma": "tgamma"},  # gamma is a matrix
    helpers={
        "modulo": "def modulo(a, b):\n    return a % b\n\n",
        "wrap": _plain(abi.wrap),
        "unwound": _plain(abi.unwound),
        "_interval": _plain(abi._interval),
        "_spline": _plain(abi._spline),
        "lookup": _plain(abi.lookup),
    },
    comment=comment,
    reserved=frozenset(keyword.kwlist),
)
