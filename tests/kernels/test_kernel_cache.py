"""The disk cache of kernels: many processes may share it, none depends on it.

Whatever is in the cache - nothing, everything, rubbish - and wherever it is, the numbers are the same.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import helpers
import pytest

SUPPORT = Path(helpers.__file__).resolve().parent
ROOT = SUPPORT.parents[1]

# Waits for a line of input, so that several processes start their work at the same moment.
PROGRAM = """
import json, sys
import numpy as np
import mbs_dae as mbs
from mbs_dae.kernels.cache import counts
from helpers import slider_crank
sys.stdin.readline()
res = mbs.kinematics(slider_crank(), np.linspace(0, 1, 9))
numbers = [x.hex() for name in ("slider.x", "rod.omega", "guide.acceleration") for x in res[name]]
space = mbs.SpatialModel("in space", gravity=(0, 1, -9.81))
nut = space.body("nut", 1.0, (0.1, 0.2, 0.25))
thread = mbs.Screw("thread", space.ground, nut, pitch=0.1)
space.add(thread, mbs.TorsionSpring("spring", thread, stiffness=0.3))
fall = mbs.simulate(space, np.linspace(0, 1, 9))
numbers += [x.hex() for name in ("thread.angle", "nut.wz", "nut.az") for x in fall[name]]
print(json.dumps({"numbers": numbers, **vars(counts)}))
"""


def start(cache: Path) -> subprocess.Popen:
    path = os.pathsep.join([str(ROOT), str(SUPPORT), os.environ.get("PYTHONPATH", "")])
    env = os.environ | {"MBS_DAE_CACHE": str(cache), "PYTHONPATH": path}
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, "-c", PROGRAM], env=env, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def finish(process: subprocess.Popen) -> dict:
    """What the process computed, and what it had to do for it."""
    out, err = process.communicate("\n", timeout=300)
    assert process.returncode == 0, err
    return json.loads(out)


def run(cache: Path) -> dict:
    return finish(start(cache))


def modules(cache: Path) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(cache.glob("*.py"))}


@pytest.fixture(scope="module")
def rush(tmp_path_factory) -> tuple[Path, list[dict]]:
    """A cache that two processes found empty and filled at the same time, and what the two computed."""
    cache = tmp_path_factory.mktemp("kernels") / "not" / "there" / "yet"
    processes = [start(cache) for _ in range(2)]
    for process in processes:
        process.stdin.write("\n")
        process.stdin.flush()
    return cache, [finish(process) for process in processes]


@pytest.fixture
def filled(rush, tmp_path) -> Path:
    """A copy of the filled cache, time stamps and all."""
    shutil.copytree(rush[0], tmp_path / "cache")
    return tmp_path / "cache"


def test_two_processes_that_find_an_empty_cache_both_succeed_and_agree(rush):
    cache, (first, second) = rush
    assert first["numbers"] == second["numbers"]
    kernels = len(modules(cache))
    assert kernels >= 3
    for process in (first, second):
        assert process["compiled"] + process["loaded"] == kernels
    assert first["derived"] + second["derived"] >= kernels
    assert [path.name for path in cache.rglob("*.tmp")] == []


def test_a_warm_start_derives_and_compiles_nothing(rush):
    cache, (first, _) = rush
    warm = run(cache)
    assert (warm["derived"], warm["compiled"], warm["loaded"]) == (0, 0, len(modules(cache)))
    assert warm["numbers"] == first["numbers"]


def test_a_cached_module_is_readable_and_knows_nothing_of_this_machine(rush):
    cache, _ = rush
    for text in modules(cache).values():
        compile(text, "kernel", "exec")
        for place in (cache, ROOT, Path.home(), Path(sys.prefix), SUPPORT):
            assert str(place) not in text
        assert max(map(len, text.splitlines())) < 1000


UNWRITABLE = ["read-only directory", "below a regular file", "empty file"]


@pytest.mark.parametrize("kind", UNWRITABLE)
def test_where_nothing_can_be_written_the_numbers_are_the_same(kind, rush, tmp_path):
    cache = tmp_path / "cache"
    if kind == "read-only directory":
        cache.mkdir(mode=0o500)
    else:
        cache.touch()
    inside = cache / "below" if kind == "below a regular file" else cache
    cold = run(inside)
    assert cold["numbers"] == rush[1][0]["numbers"]
    assert cold["derived"] == cold["compiled"] + cold["loaded"] == len(modules(rush[0]))
    if kind != "read-only directory":  # a superuser may write there all the same
        assert cache.read_bytes() == b""


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def scrambled(path: Path) -> None:
    path.write_bytes(b"\xff\x00\xfe" * 100)


def other_python(path: Path) -> None:
    path.write_text("answer = 42\n")


DAMAGE: dict[str, tuple[str, Callable[[Path], None]]] = {
    "module cut short": ("*.py", cut_short),
    "module emptied": ("*.py", emptied),
    "module scrambled": ("*.py", scrambled),
    "module replaced": ("*.py", other_python),
    "machine code cut short": ("*.nbc", cut_short),
    "machine code scrambled": ("*.nbc", scrambled),
    "index of machine code emptied": ("*.nbi", emptied),
    "index of machine code scrambled": ("*.nbi", scrambled),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_a_damaged_cache_is_mended(kind, rush, filled):
    """As after a full disk or a crash. What is damaged is made anew, and the cache is whole again afterwards."""
    pattern, damage = DAMAGE[kind]
    whole = modules(filled)
    damaged = list(filled.rglob(pattern))
    assert damaged
    for path in damaged:
        stamp = path.stat()
        damage(path)
        os.utime(path, (stamp.st_atime, stamp.st_mtime))
    after = run(filled)
    assert after["numbers"] == rush[1][0]["numbers"]
    assert modules(filled) == whole
