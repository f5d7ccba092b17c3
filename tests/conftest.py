"""What all tests may ask for; and the core, compiled once before they begin."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent
os.environ.setdefault("SYMPY_CACHE_SIZE", "50000")  # before sympy is imported: thousands of derivations share subterms
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is: threads that wait for small matrices burn time


def pytest_sessionstart(session):
    """With workers: the compiled core is made here, in one process, while none of them waits for it or makes it too."""
    config = session.config
    if getattr(config.option, "numprocesses", None) and not config.option.collectonly:
        environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(TESTS.parent), str(TESTS / "support")])}
        command = "import mbs_dae; mbs_dae.warm(); import preloaded"
        subprocess.run([sys.executable, "-c", command], cwd=TESTS.parent, env=environment, check=True)
    os.environ.setdefault("MBS_DAE_WORKERS", "1")  # from here on the workers of the tests have the processors


def pytest_addoption(parser):
    parser.addoption("--one-of-each", action="store_true", help="each test once: with the first of its cases")


@pytest.hookimpl(trylast=True)  # of the cases that -m leaves
def pytest_collection_modifyitems(config, items):
    """With ``--one-of-each`` every statement is made, of one thing instead of all it is true of."""
    if config.option.one_of_each:
        first = {*{item.nodeid.partition("[")[0]: item for item in reversed(items)}.values()}
        config.hook.pytest_deselected(items=[item for item in items if item not in first])
        items[:] = [item for item in items if item in first]


BY_LOOPS = ("contracts", "coordinates", "documents", "errors", "graph", "pages", "poses", "results", "view")
"""Folders of tests that ask what equations and words are, of some thousand small models."""


@pytest.fixture(scope="module", autouse=True)
def fronts_by_loops(request):
    """There, the matrices of these models are eliminated by the loops of the core, as wide fronts are. Kernels would
    have to be compiled for the shapes of each model, some 40 ms a shape, and say nothing of what is asked: that both
    give the same is shown in tests/kernels, and what kernels give in all other folders."""
    if request.path.parent.name not in BY_LOOPS:
        yield
        return
    from mbs_dae.linear.fronts import tree

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tree, "WIDE", -1)
        yield


@pytest.fixture
def interpreted_kernels(monkeypatch):
    """New kernels are run by Python, not compiled: for tests of what they say (see `interpreted`)."""
    import interpreted

    from mbs_dae.kernels import cache

    monkeypatch.setattr(cache, "kernel", interpreted.kernel)
    monkeypatch.setattr(cache, "source_of", interpreted.sources.__getitem__)
