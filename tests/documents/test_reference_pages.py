"""docs/reference: every public name is on one page, and what a page names exists; `help` shows what can be chosen."""

from __future__ import annotations

import inspect
import re
import runpy
from collections import Counter
from pkgutil import resolve_name

import pytest
from gallery import ROOT

import mbs_dae as mbs

REQUIRED = inspect.Parameter.empty
FOLDER = ROOT / "docs" / "reference"
TOOL = runpy.run_path(str(ROOT / "tools" / "reference_index.py"))


def method(name: str) -> object:
    """The one that a person calls, "Result.plot", where a class has it."""
    owner, _, own = name.partition(".")
    return getattr(getattr(mbs, owner, None), own, None)


METHODS = [name for name in mbs._PROVIDED if inspect.isfunction(method(name))]


def test_every_public_name_is_on_one_page():
    assert sorted(TOOL["PAGES"]) == sorted(path.stem for path in FOLDER.glob("*.md") if path.stem != "README")
    found = Counter(name for page in TOOL["PAGES"] for name in TOOL["names_on"](page))
    assert found == Counter(mbs.__all__)


@pytest.mark.parametrize("page", TOOL["PAGES"])
def test_what_a_page_names_exists(page):
    for path in re.findall(r"^\s*\.\. \w+:?\w+:: mbs_dae\.([\w.]+)", (FOLDER / f"{page}.md").read_text(), re.MULTILINE):
        resolve_name(f"mbs_dae.{path}")


def test_the_index_is_what_would_be_written():
    written = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert written == TOOL["index"](), "run python tools/reference_index.py"


@pytest.mark.parametrize("name", METHODS)
def test_help_shows_what_a_method_may_be_given(name):
    """A later room does the work; what it takes is told where the method is looked up."""
    asked, does = (choices(function) for function in (method(name), mbs._provider(name)))
    assert {choice: default for choice, default in does.items() if default is not REQUIRED}.items() <= asked.items()


def choices(function: object) -> dict[str, object]:
    """What may be given, and the default."""
    parameters = [*inspect.signature(function).parameters.values()][1:]
    return {one.name: one.default for one in parameters}
