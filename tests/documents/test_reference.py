"""Every public name is shown in its own docstring, by an example that runs and prints what it shows.

The example of a class, a function or a module stands in its docstring; that of a value, such as ``mbs.t``, in the
docstring of the module it comes from. Whoever reads it has ``import mbs_dae as mbs`` and ``import numpy as np``.
"""

import doctest
import inspect
import pydoc
import re
from collections.abc import Iterator
from functools import cached_property
from importlib import import_module
from pkgutil import resolve_name
from types import ModuleType

import numpy as np
import pytest
from gallery import ROOT

import mbs_dae as mbs
from mbs_dae.motion import comparison
from mbs_dae.public_class import CALLED, INSIDE, MADE

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
PAGES = sorted((ROOT / "docs" / "reference").glob("*.md"))
SHOWN = re.compile(r"^\.\. auto(?:class|module):: (mbs_dae\.[\w.]+)", re.MULTILINE)


def text_of(name: str) -> str:
    """The docstring that tells of a public name."""
    value = getattr(mbs, name)
    tells_itself = inspect.isclass(value) or inspect.isroutine(value) or inspect.ismodule(value)
    told = value if tells_itself else import_module(f"mbs_dae.{mbs._HOME[name]}")
    return told.__doc__ or ""


def members() -> Iterator[tuple[str, str]]:
    """The public methods and properties of the classes that the reference shows, each where it is defined, and the
    functions of its modules, with what they tell."""
    shown = {path for page in PAGES for path in SHOWN.findall(page.read_text(encoding="utf-8"))}
    for thing in map(resolve_name, sorted(shown)):
        homes = [home for home in getattr(thing, "__mro__", [thing]) if module_of(home).startswith("mbs_dae")]
        for home in homes:
            for name, value in vars(home).items():
                if is_told(home, name) and (inspect.isroutine(value) or isinstance(value, property | cached_property)):
                    yield f"{home.__name__}.{name}", (inspect.getdoc(getattr(home, name)) or "").strip()


def module_of(home: type | ModuleType) -> str:
    return home.__module__ if inspect.isclass(home) else home.__name__


def is_told(home: type | ModuleType, name: str) -> bool:
    """What a joint, a force or a contact has as equations is told by its class; what a module offers is a list."""
    if inspect.ismodule(home):
        return name in getattr(home, "__all__", ())
    equations = getattr(home, "equations", ())
    return not name.startswith("_") and not (isinstance(equations, tuple) and name in equations)


MEMBERS = dict(sorted(members()))


@pytest.fixture
def reader(interpreted_kernels, tmp_path, monkeypatch):
    """Runs the examples of a text as somebody would who types them in, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.setattr(comparison, "UNKNOWNS", 0)  # Python is not measured

    def run(text: str, name: str) -> list[doctest.Example]:
        test = doctest.DocTestParser().get_doctest(text, {"mbs": mbs, "np": np}, name, None, None)
        told: list[str] = []
        doctest.DocTestRunner(optionflags=FLAGS, verbose=False).run(test, out=told.append)
        assert not told, "".join(told)
        return test.examples

    return run


@pytest.mark.parametrize("name", mbs.__all__)
def test_a_public_name_has_an_example_that_runs(name, reader):
    examples = reader(inspect.cleandoc(text_of(name)), f"mbs.{name}")
    assert examples, f"the docstring of mbs.{name} has no example; show what one types first, behind >>>"
    assert any(example.want for example in examples), f"the example of mbs.{name} shows no result"
    used = any(re.search(rf"\bmbs\.{name}\b", example.source) for example in examples)
    assert used, f"the example of mbs.{name} does not use it"


@pytest.mark.parametrize("name", [name for name, text in MEMBERS.items() if ">>>" in text])
def test_examples_of_methods_run(name, reader):
    assert reader(MEMBERS[name], name)


def test_every_public_method_is_told():
    silent = [name for name, text in MEMBERS.items() if not text]
    assert not silent, f"these have no docstring: {', '.join(silent)}"


def test_help_of_a_class_shows_what_a_user_calls():
    """It lists no name that begins with an underscore and none that only the package uses; of a joint, a force or a
    contact nothing but its arguments and its docstring."""
    classes = [value for name in mbs.__all__ if inspect.isclass(value := getattr(mbs, name))]
    assert len(classes) > 100
    for value in classes:
        lines = pydoc.render_doc(value, renderer=pydoc.plaintext).splitlines()
        listed = [m[1] for line in lines if (m := re.match(r"^ \|  (\w+)(?:\(| =|$)", line))]
        assert not [name for name in listed if name.startswith("_")], value
        inside = {word for base in value.__mro__ for word in INSIDE.get(base.__name__, "").split()}
        assert not inside & {*listed}, value
        if any(base.__name__ in MADE for base in value.__mro__):
            called = sum(len(CALLED.get(base.__name__, "").split()) for base in value.__mro__)
            assert len(lines) < 25 + 5 * called + len((value.__doc__ or "").splitlines()), value
    assert len(pydoc.render_doc(mbs.Driver).splitlines()) < 40
    assert "plot" in dir(mbs.Result) and "add" in dir(mbs.PlanarModel)
