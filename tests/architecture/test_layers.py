"""The rooms of mbs_dae and who may enter which: imports point one way, and files stay short.

The rules are read off the source with ``ast``, so an import counts wherever it stands: in a function, under
``if TYPE_CHECKING``, or in a branch that never runs.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "mbs_dae"

# A room may import itself and the rooms before it. A new room gets its place here first.
ROOMS = [
    "errors",
    "rotations",
    "screws",
    "symbolic",
    "kernels",
    "model",
    "graph",
    "coordinates",
    "linear",
    "compiled",
    "progress",
    "results",
    "arguments",
    "poses",
    "motion",
    "explain",
    "view",
    "verbs",
    "cli",
]

# Of the whole house: ``import mbs_dae`` and ``python -m mbs_dae``.
DOORS = ["__init__", "__main__"]

# Against the order, and therefore only inside a function: where the package is already whole.
INSIDE_FUNCTIONS = {
    ("results", "view"): "Result.plot() draws itself",
    ("model", "compiled"): "Model.compile() makes the system",
    ("graph", "view"): "Topology.draw() draws itself",
}

# What keeps a room what it is: symbolic has no numbers, a model does not know how it will be run.
FOREIGN = {"symbolic": {"numpy", "numba", "scipy"}, "model": {"numba"}}

LONGEST = 400


@dataclass(frozen=True)
class Import:
    """One imported thing. ``target`` is absolute, as in ``mbs_dae.model.Body`` or ``numpy.linalg``."""

    file: Path
    line: int
    statement: str
    target: str
    in_function: bool

    def breaks(self, rule: str) -> str:
        return f"{self.file}:{self.line}: {self.statement}  # {rule}"


def imports(root: Path, folder: str) -> Iterator[Import]:
    """Everything imported by the Python files below ``root/folder``, file by file, line by line."""
    for path in sorted((root / folder).rglob("*.py")):
        file = path.relative_to(root)
        tree = ast.parse(path.read_text(encoding="utf-8"), filename=str(file))
        functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
        inside = {id(node) for function in functions for node in ast.walk(function)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                for target in targets(node, package=file.parent.parts):
                    yield Import(file, node.lineno, ast.unparse(node), target, id(node) in inside)


def targets(node: ast.Import | ast.ImportFrom, package: tuple[str, ...]) -> list[str]:
    """Absolute names of what a statement imports, when it stands in a file of ``package``."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    origin = [node.module] if node.module else []
    if node.level:  # one dot is the package itself, each further dot its parent
        origin = [*package[: max(0, len(package) - node.level + 1)], *origin]
    return [".".join([*origin, alias.name]) for alias in node.names]


def room_of(file: Path) -> str:
    """``mbs_dae/model/body.py`` and ``mbs_dae/model.py`` are both in the room ``model``."""
    return file.with_suffix("").parts[1]


def layer_violations(root: Path) -> list[str]:
    """Imports that point the wrong way, and files that are in no room."""
    files = sorted(path.relative_to(root) for path in (root / PACKAGE).rglob("*.py"))
    strangers = [file for file in files if room_of(file) not in [*ROOMS, *DOORS]]
    found = [f"{file}:1: '{room_of(file)}' is not a room: give it a place in ROOMS" for file in strangers]
    for item in imports(root, PACKAGE):
        room, (top, *rest) = room_of(item.file), item.target.split(".")
        if room not in ROOMS or top != PACKAGE or rest == ["__version__"]:
            continue  # a door may import anything, and anyone may ask for the version
        if not rest or rest[0] not in ROOMS:
            if room != ROOMS[-1]:
                found.append(item.breaks(f"{room} may not import through the front door, only from a room"))
        elif ROOMS.index(rest[0]) > ROOMS.index(room):
            if (room, rest[0]) not in INSIDE_FUNCTIONS:
                found.append(item.breaks(f"{room} may not import {rest[0]}"))
            elif not item.in_function:
                found.append(item.breaks(f"{room} may import {rest[0]} only inside a function"))
    return found


def foreign_violations(root: Path) -> list[str]:
    """Packages of others that a room does without."""
    return [
        item.breaks(f"{room_of(item.file)} does without {package}")
        for item in imports(root, PACKAGE)
        if (package := item.target.partition(".")[0]) in FOREIGN.get(room_of(item.file), ())
    ]


def star_imports(root: Path) -> list[str]:
    return [
        item.breaks("say which names")
        for folder in (PACKAGE, "models", "tests")
        for item in imports(root, folder)
        if item.target.endswith("*")
    ]


def long_files(root: Path) -> list[str]:
    lengths = {
        path.relative_to(root): len(path.read_text(encoding="utf-8").splitlines())
        for path in sorted((root / PACKAGE).rglob("*.py"))
    }
    return [f"{file}: {n} lines, {LONGEST} at most" for file, n in lengths.items() if n > LONGEST]


RULES = [layer_violations, foreign_violations, star_imports, long_files]


@pytest.mark.parametrize("rule", RULES)
def test_rule_holds(rule):
    found = rule(ROOT)
    assert not found, "\n" + "\n".join(found)


def test_there_is_something_to_check():
    assert next(imports(ROOT, PACKAGE), None), "no import found: are the rules looking at the package?"


# The rules themselves, on small trees of one file each.

ALLOWED = {
    "the front door imports anything": ("__init__.py", "from .verbs import diagnose"),
    "a room imports itself": ("model/joints/pin.py", "from ..body import Body\nfrom . import base"),
    "a room imports an earlier one": ("view/plots.py", "from mbs_dae import results\nimport mbs_dae.errors"),
    "results may view, in a function": ("results/result.py", "def plot():\n    from ..view import plots"),
    "anyone may ask for the version": ("kernels/cache.py", "from .. import __version__"),
    "the last room may use the front door": ("cli.py", "import mbs_dae as mbs"),
    "the packages of others": ("linear/kkt.py", "import numba\nfrom scipy import sparse"),
    "a name that only looks like ours": ("errors.py", "import mbs_dae_extras"),
    "a file just short enough": ("errors.py", "\n" * LONGEST),
}

FORBIDDEN = {
    "a later room": (
        "model/body.py",
        "import math\nfrom ..results import Result",
        "mbs_dae/model/body.py:2: from ..results import Result  # model may not import results",
    ),
    "a later room, absolute": (
        "errors.py",
        "import mbs_dae.model.body",
        "mbs_dae/errors.py:1: import mbs_dae.model.body  # errors may not import model",
    ),
    "a later room, as a name": (
        "graph/topology.py",
        "from .. import errors, verbs",
        "mbs_dae/graph/topology.py:1: from .. import errors, verbs  # graph may not import verbs",
    ),
    "a later room, from a package's own __init__": (
        "symbolic/__init__.py",
        "from ..kernels import abi",
        "mbs_dae/symbolic/__init__.py:1: from ..kernels import abi  # symbolic may not import kernels",
    ),
    "a later room, inside a function": (
        "linear/kkt.py",
        "class A:\n    async def f(self):\n        from ..verbs import assemble",
        "mbs_dae/linear/kkt.py:3: from ..verbs import assemble  # linear may not import verbs",
    ),
    "an exception, but not inside a function": (
        "results/result.py",
        "if True:\n    from ..view import plots",
        "mbs_dae/results/result.py:2: from ..view import plots"
        "  # results may import view only inside a function",
    ),
    "the front door": (
        "verbs/diagnose.py",
        "from mbs_dae import Model",
        "mbs_dae/verbs/diagnose.py:1: from mbs_dae import Model"
        "  # verbs may not import through the front door, only from a room",
    ),
    "a file in no room": (
        "utils.py",
        "",
        "mbs_dae/utils.py:1: 'utils' is not a room: give it a place in ROOMS",
    ),
    "numbers in symbolic": (
        "symbolic/derive.py",
        "def f():\n    import numpy.linalg as la",
        "mbs_dae/symbolic/derive.py:2: import numpy.linalg as la  # symbolic does without numpy",
    ),
    "an engine in a model": (
        "model/joints/pin.py",
        "from numba import njit",
        "mbs_dae/model/joints/pin.py:1: from numba import njit  # model does without numba",
    ),
    "a star": (
        "cli.py",
        "from math import *",
        "mbs_dae/cli.py:1: from math import *  # say which names",
    ),
    "a star in a model": (
        "../models/crank.py",
        "from mbs_dae import *",
        "models/crank.py:1: from mbs_dae import *  # say which names",
    ),
    "a long file": (
        "errors.py",
        "\n" * (LONGEST + 1),
        f"mbs_dae/errors.py: {LONGEST + 1} lines, {LONGEST} at most",
    ),
}


def all_violations(root: Path, file: str, source: str) -> list[str]:
    path = root / PACKAGE / file
    path.parent.mkdir(parents=True)
    path.write_text(source, encoding="utf-8")
    return [violation for rule in RULES for violation in rule(root)]


@pytest.mark.parametrize("case", ALLOWED)
def test_rules_accept(case, tmp_path):
    assert all_violations(tmp_path, *ALLOWED[case]) == []


@pytest.mark.parametrize("case", FORBIDDEN)
def test_rules_reject(case, tmp_path):
    file, source, message = FORBIDDEN[case]
    assert all_violations(tmp_path, file, source) == [message]
