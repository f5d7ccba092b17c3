"""Writes docs/reference/README.md: every public name, in a line, as it is called, with the page that tells of it.

    python tools/reference_index.py

The line is the first sentence of the docstring. A test compares the file with what would be written.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import mbs_dae as mbs
from mbs_dae.model.contacts.shapes import Shape
from mbs_dae.model.content import Content
from mbs_dae.model.element import Element

FOLDER = Path(mbs.__file__).resolve().parents[1] / "docs" / "reference"
PAGES = (
    "mechanisms", "joints", "drivers", "forces", "contacts", "kinematics", "poses", "dynamics", "rest", "ensembles",
    "synthesis", "design", "equations", "results", "graph", "rotations", "screws", "new-elements", "errors",
)  # fmt: skip
HEAD = """# Reference

Every name of `import mbs_dae as mbs`, in the order of the work. `help(mbs.simulate)` tells what its page tells, with an
example that runs. Which of them a task needs is told in [the book](../README.md).
"""
MADE = (Element, Shape, Content)
FROM_NUMBERS = ("Table", "Motion", "Limit", "Objective", "Tolerance", "Reset", "Designs", "Baumgarte", "Projection")
LONGEST = 24
"""Longer defaults are told on the page alone."""
NAMED = re.compile(r"^\.\. (?:auto(?:class|function|module)|py:data):: mbs_dae\.([\w.]+)(?:\(\))?$", re.MULTILINE)


def names_on(page: str) -> list[str]:
    """The public names that a page tells of, in its order."""
    found = NAMED.findall((FOLDER / f"{page}.md").read_text(encoding="utf-8"))
    return [name for name in map(public, found) if name]


def public(path: str) -> str:
    """What a thing with this path in the package is called at its front door; nothing, if it is not there."""
    name = path.rpartition(".")[2]
    is_module = name in mbs.__all__ and inspect.ismodule(thing := getattr(mbs, name))
    return name if path in mbs.__all__ or is_module and thing.__name__ == f"mbs_dae.{path}" else ""


def call(name: str) -> str:
    """A name as it is called, with its defaults and without types. Results, which nobody makes, stand alone."""
    thing = getattr(mbs, name)
    is_made = inspect.isclass(thing) and (issubclass(thing, MADE) or thing.__name__ in FROM_NUMBERS)
    if not (inspect.isfunction(thing) or is_made) or thing.__name__ != name:
        return name
    given = []
    for one in inspect.signature(thing).parameters.values():
        default = "" if one.default is inspect.Parameter.empty else f"={one.default!r}"
        default = "=..." if len(default) > LONGEST or "<" in default else default
        star = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
        given.append(f"{star}{one.name}{default}")
    return f"{name}({', '.join(given)})".replace("|", r"\|")


def sentence(name: str) -> str:
    """The first one that is told of a name."""
    thing = getattr(mbs, name)
    if inspect.isclass(thing) and thing.__name__ != name:
        return f"`{thing.__name__}` by another name"
    tells_itself = inspect.isclass(thing) or inspect.isroutine(thing) or inspect.ismodule(thing)
    text = inspect.getdoc(thing) if tells_itself else below(f"mbs_dae.{mbs._HOME[name]}", name)
    first = re.split(r"(?<!\.)\.\s", " ".join((text or "").split("\n\n")[0].split()), maxsplit=1)[0]
    if first.endswith("::"):  # which goes on in a formula
        first = first.partition(":")[0]
    return first.rstrip(".").replace("``", "`").replace("|", r"\|")


def below(module: str, name: str) -> str:
    """What stands below the assignment of a value."""
    home = import_module(module)
    body = ast.parse(inspect.getsource(home)).body
    for node, after in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, ast.ImportFrom) and name in [alias.name for alias in node.names]:
            return below(f"{module}.{node.module}", name)
        targets = getattr(node, "targets", [getattr(node, "target", None)])
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            return str(after.value.value) if isinstance(after, ast.Expr) else ""  # type: ignore[attr-defined]
    return ""


def lines() -> Iterator[str]:
    yield HEAD
    for page in PAGES:
        title = (FOLDER / f"{page}.md").read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
        yield from (f"## [{title}]({page}.md)\n", "| | |", "| --- | --- |")
        yield from (f"| `{call(name)}` | {sentence(name)} |" for name in names_on(page))
        yield ""


def index() -> str:
    """The text of the file."""
    return "\n".join(lines()).rstrip("\n") + "\n"


if __name__ == "__main__":
    (FOLDER / "README.md").write_text(index(), encoding="utf-8")
