"""What lies apart says what its arguments are, so that it can be compiled ahead, and by several processes together."""

import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from refusals import refused

from mbs_dae.kernels import store, work
from mbs_dae.kernels.abi import wrap
from mbs_dae.poses.newton import close
from mbs_dae.verbs.warm import import_all

import_all()
ROOT = Path(store.__file__).resolve().parents[2]
FUNCTIONS = pytest.mark.parametrize("function", work.FUNCTIONS, ids=lambda function: function.symbol)


@FUNCTIONS
def test_arguments_are_annotated(function):
    assert len(function.arguments) == function.py_func.__code__.co_argcount


@FUNCTIONS
def test_what_is_called_is_seen_in_the_source(function):
    """So all of it can be compiled first: the file of the machine code names nothing else."""
    function.compile()
    data = store.read(store._file(function.symbol))
    _, uses = json.loads(data.partition(b"\n")[0])
    assert set(uses) <= {called.symbol for called in function.calls}


def test_other_types_are_refused():
    with pytest.raises(TypeError, match=r"newton.close is made for \(Block\(machine.Machine\)"):
        close(np.zeros(3), 0.0, np.zeros(3), np.zeros(3), 5)


def test_to_python_a_part_is_the_function_that_it_was_written_as():
    assert wrap(7.0, 3.0) == wrap.py_func(7.0, 3.0) == 1.0


def test_what_most_others_wait_for_comes_first():
    order = work._most_urgent_first(len(work.FUNCTIONS))
    assert sorted(function.symbol for function in order) == sorted({one.symbol for one in work.FUNCTIONS})
    place = {function: at for at, function in enumerate(order)}
    assert all(place[called] < place[function] for function in order for called in function.calls)


def program(*lines: str, **environment: str) -> subprocess.Popen:
    pipe = subprocess.PIPE
    env = os.environ | {"PYTHONPATH": str(ROOT)} | environment
    return subprocess.Popen([sys.executable, "-c", "\n".join(lines)], env=env, stdout=pipe, stderr=pipe, text=True)


@pytest.mark.slow
def test_who_helps_ends_with_who_waits(tmp_path):
    """What one of two processes needs is there, and what is left over stays undone."""
    cache = tmp_path / "cache"
    waits = program(
        "from mbs_dae.kernels import work",
        "from mbs_dae.verbs.warm import import_all",
        "import_all()",
        "chosen = [one for one in work.FUNCTIONS if one.symbol.endswith(('newton.complete', 'manifold.move'))]",
        "for one in chosen: one.compile()",
        MBS_DAE_CACHE=str(cache),
        MBS_DAE_WORKERS="2",
    )
    _, said = waits.communicate(timeout=300)
    assert waits.returncode == 0, said
    time.sleep(1.0)  # until the other one has ended
    there = sorted(path.name for path in cache.glob("*.code"))
    time.sleep(2.0)
    assert sorted(path.name for path in cache.glob("*.code")) == there
    assert {"newton.complete", "manifold.move"} <= {".".join(name.split("-")[0].split(".")[-2:]) for name in there}
    assert len(there) < len(work.FUNCTIONS)
    assert said.startswith("mbs_dae: compiling the solvers, once per installation: at most ")
    assert " functions left\n" in said


@pytest.mark.parametrize("given", ["two", "-1", "1.5", ""])
def test_a_number_of_processes_that_is_none_is_told(given, monkeypatch):
    monkeypatch.setenv(work.WORKERS, given)
    with refused("not-an-integer", workers="MBS_DAE_WORKERS"):
        work.begin.__wrapped__()


def test_threads_load_a_function_once(tmp_path, monkeypatch):
    """A second copy would take the place of the first, which others are running."""
    loaded = []

    def load(symbol, code):
        time.sleep(0.02)
        loaded.append(symbol)
        return len(loaded)

    monkeypatch.setenv("MBS_DAE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(store, "_here", {})
    monkeypatch.setattr(store.llvm, "load", load)
    with ThreadPoolExecutor(4) as pool:
        for state in ("made", "on the disk"):
            store._here.clear()
            loaded.clear()
            found = [*pool.map(lambda _: store.fetch("f", lambda: store.Stored({}, (), b"code")), range(8))]
            assert loaded == ["f"] and {one.address for one in found} == {1}, state


def test_functions_that_somebody_waits_for_come_first(monkeypatch):
    """Another process names them, one a line; with all that they call they are taken before any other function."""
    monkeypatch.setattr(work, "WANTED", set())
    monkeypatch.setattr(work, "missing", lambda: [*work.FUNCTIONS])
    monkeypatch.setattr(store, "is_claimed", lambda symbol: False)
    taken = []
    monkeypatch.setattr(type(close), "compile", lambda function: taken.append(function.symbol))
    work.listen([f"{close.symbol}\n", "no.such.function\n"])
    assert close.symbol in work.WANTED and {called.symbol for called in close.calls} <= work.WANTED
    work.compile_one()
    assert taken[0] in work.WANTED
