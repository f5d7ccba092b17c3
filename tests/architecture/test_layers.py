"""The rooms of mbs_dae and who may enter which: imports point one way, and no function is long.

The rules are read off the source with ``ast``, so an import counts wherever it stands: in a function, under
``if TYPE_CHECKING``, or in a branch that never runs.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from pathlib import Path

import pytest

import mbs_dae

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "mbs_dae"

# A room may import itself and the rooms before it. A new room gets its place here first.
ROOMS = [
    "provided",
    "public_class",
    "errors",
    "unit_system",
    "tolerances",
    "duals",
    "rotations",
    "screws",
    "results",
    "symbolic",
    "kernels",
    "model",
    "graph",
    "coordinates",
    "linear",
    "compiled",
    "readings",
    "progress",
    "arguments",
    "poses",
    "certify",
    "modes",
    "motion",
    "explain",
    "derivatives",
    "equilibria",
    "documents",
    "view",
    "verbs",
    "ensembles",
    "workspaces",
    "synthesis",
    "design",
    "cli",
]

# Of the whole house: ``import mbs_dae`` and ``python -m mbs_dae``.
DOORS = ["__init__", "__main__"]

# What keeps a room what it is: symbolic has no numbers, a model does not know how it will be run.
FOREIGN = {"symbolic": {"numpy", "numba", "scipy"}, "model": {"numba"}}

LONGEST_FUNCTION = 150  # an algorithm of a book stands whole in one function; nothing in a book is longer


@dataclass(frozen=True)
class Import:
    """One imported thing. ``target`` is absolute, as in ``mbs_dae.model.Body`` or ``numpy.linalg``."""

    file: Path
    line: int
    statement: str
    target: str

    def breaks(self, rule: str) -> str:
        return f"{self.file}:{self.line}: {self.statement}  # {rule}"


def imports(root: Path, folder: str) -> Iterator[Import]:
    """Everything imported by the Python files below ``root/folder``, file by file, line by line."""
    for path in sorted((root / folder).rglob("*.py")):
        file = path.relative_to(root)
        for node in nodes(path.read_text(encoding="utf-8")):
            if isinstance(node, ast.Import | ast.ImportFrom):
                for target in targets(node, package=file.parent.parts):
                    yield Import(file, node.lineno, ast.unparse(node), target)


@cache
def nodes(source: str) -> list[ast.AST]:
    """What the rules read of a source: its imports and functions."""
    read = ast.Import | ast.ImportFrom | ast.FunctionDef | ast.AsyncFunctionDef
    return [node for node in ast.walk(ast.parse(source)) if isinstance(node, read)]


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
            found.append(item.breaks(f"{room} may not import {rest[0]}"))
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


def long_functions(root: Path) -> list[str]:
    """From the line of ``def`` to the last one, docstring included."""
    return [
        f"{file}:{node.lineno}: {node.name} has {n} lines, {LONGEST_FUNCTION} at most"
        for file, text in sources(root)
        for node in nodes(text)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (n := (node.end_lineno or 0) - node.lineno + 1) > LONGEST_FUNCTION
    ]


def sources(root: Path) -> Iterator[tuple[Path, str]]:
    for path in sorted((root / PACKAGE).rglob("*.py")):
        yield path.relative_to(root), path.read_text(encoding="utf-8")


def circles(root: Path) -> list[str]:
    """Modules that import each other, however far round. The front door is no part of any: everybody runs it first."""
    modules = {module_name(file) for file, _ in sources(root)} - {PACKAGE}
    graph: dict[str, set[str]] = {name: set() for name in modules}
    for item in imports(root, PACKAGE):
        target = item.target if item.target in modules else item.target.rpartition(".")[0]  # a name in a module
        if (name := module_name(item.file)) in modules and target in modules:
            graph[name].add(target)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return ["modules import each other: " + " <- ".join(error.args[1])]
    return []


def module_name(file: Path) -> str:
    return ".".join(file.with_suffix("").parts).removesuffix(".__init__")


RULES = [layer_violations, foreign_violations, star_imports, long_functions, circles]


@pytest.mark.parametrize("rule", RULES)
def test_rule_holds(rule):
    found = rule(ROOT)
    assert not found, "\n" + "\n".join(found)


def test_there_is_something_to_check():
    assert next(imports(ROOT, PACKAGE), None), "no import found: are the rules looking at the package?"


def test_what_rooms_ask_of_later_ones_is_what_the_front_door_provides():
    asked = re.findall(r'\bprovided\(\\?"([\w.]+)\\?"\)\(', "".join(text for _, text in sources(ROOT)))
    assert sorted(asked) == sorted(mbs_dae._PROVIDED)


def test_no_text_that_is_run_imports_a_room():
    """But for kernels, which are written to call the functions that stand beside their calling convention."""
    found = {match for _, text in sources(ROOT) for match in re.findall(r"(?:from|import) mbs_dae\.[\w.]+", text)}
    assert found <= {"from mbs_dae.kernels.abi"}


@pytest.mark.parametrize("name", mbs_dae._PROVIDED)
def test_what_is_provided_is_there(name):
    room, _, function = mbs_dae._PROVIDED[name].rpartition(".")
    assert mbs_dae.provided.provided(name) is getattr(import_module(f"mbs_dae.{room}"), function)


# The rules themselves, on small trees of one file each.

ALLOWED = {
    "the front door imports anything": ("__init__.py", "from .verbs import diagnose"),
    "a room imports itself": ("model/joints/pin.py", "from ..body import Body\nfrom . import base"),
    "a room imports an earlier one": ("view/plots.py", "from mbs_dae import results\nimport mbs_dae.errors"),
    "anyone may ask for the version": ("kernels/cache.py", "from .. import __version__"),
    "the last room may use the front door": ("cli.py", "import mbs_dae as mbs"),
    "the packages of others": ("linear/kkt.py", "import numba\nfrom scipy import sparse"),
    "a name that only looks like ours": ("errors.py", "import mbs_dae_extras"),
    "a function just short enough": ("errors.py", "def f():\n" + "    pass\n" * (LONGEST_FUNCTION - 1)),
    "a package imports its own file": ("model/__init__.py", "from .body import Body"),
}

FORBIDDEN = {
    "a later room": (
        "model/body.py",
        "import math\nfrom ..verbs import simulate",
        "mbs_dae/model/body.py:2: from ..verbs import simulate  # model may not import verbs",
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
    "a long function": (
        "errors.py",
        "class A:\n    def f(self):\n" + "        pass\n" * LONGEST_FUNCTION,
        f"mbs_dae/errors.py:2: f has {LONGEST_FUNCTION + 1} lines, {LONGEST_FUNCTION} at most",
    ),
    "a file that imports itself, inside a function": (
        "results/files.py",
        "def save():\n    from . import files",
        "modules import each other: mbs_dae.results.files <- mbs_dae.results.files",
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


def test_circles_are_found_however_far_round(tmp_path):
    room = tmp_path / PACKAGE / "view"
    room.mkdir(parents=True)
    for name, other in (("a", "b"), ("b", "c"), ("c", "a"), ("d", "a")):
        (room / f"{name}.py").write_text(f"if TYPE_CHECKING:\n    from .{other} import f")
    (found,) = circles(tmp_path)
    assert {word for word in found.split() if "view" in word} == {f"mbs_dae.view.{name}" for name in "abc"}
    (room / "c.py").write_text("")
    assert circles(tmp_path) == []
