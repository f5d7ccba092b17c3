"""The disk cache of machine code: many processes may share it, none depends on it, and nobody else can use it.

Whatever is in the cache - nothing, everything, rubbish - and wherever it is, the numbers are the same.
"""

from __future__ import annotations

import gc
import json
import os
import random
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import helpers
import pytest

from mbs_dae.kernels import store, work
from mbs_dae.kernels.blocks import Vector, block_type, layout
from mbs_dae.kernels.functions import CompiledFunction
from mbs_dae.verbs.warm import import_all

pytestmark = pytest.mark.slow
SUPPORT = Path(helpers.__file__).resolve().parent
ROOT = SUPPORT.parents[1]

# Waits for a line of input, so that several processes start their work at the same moment. It reads a few numbers,
# since each time the cache cannot be used all that this needs is compiled anew.
PROGRAM = """
import json, sys
import numpy as np
from mbs_dae.kernels import store
from mbs_dae.kernels.cache import counts
from helpers import evaluated_loads, slider_crank
sys.stdin.readline()
system = slider_crank().compile()
state = system.placement, np.linspace(-1, 1, len(system.placement))
rows = system.read_constraints(np.ones(1), *(x[None] for x in (*state, state[1])))
loads = evaluated_loads(system, 1.0, *state)
numbers = [float(x).hex() for array in (*rows, *loads) for x in np.ravel(array)]
used = [store._file(symbol).name for symbol in store._here]
print(json.dumps({"numbers": numbers, "used": used, **vars(counts)}))
"""


def start(cache: Path) -> subprocess.Popen:
    path = os.pathsep.join([str(ROOT), str(SUPPORT), os.environ.get("PYTHONPATH", "")])
    env = os.environ | {"MBS_DAE_CACHE": str(cache), "PYTHONPATH": path, "MBS_DAE_WORKERS": "1"}
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, "-c", PROGRAM], env=env, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def finish(process: subprocess.Popen) -> dict:
    """What the process computed, what it had to do for it, and what it said."""
    out, err = process.communicate("\n", timeout=600)
    assert process.returncode == 0, err
    return json.loads(out) | {"said": err}


def run(cache: Path) -> dict:
    return finish(start(cache))


def files(cache: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(cache.glob("*.code"))}


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
    """A copy of the filled cache."""
    shutil.copytree(rush[0], tmp_path / "cache")
    return tmp_path / "cache"


def test_two_processes_that_find_an_empty_cache_share_the_work_and_agree(rush):
    cache, both = rush
    assert both[0]["numbers"] == both[1]["numbers"]
    kernels = sum(name.startswith("mbs_dae_kernel_") for name in files(cache))
    assert kernels >= 3
    assert all(one["compiled"] + one["loaded"] == kernels for one in both)
    assert sum(one["compiled"] for one in both) == kernels  # nothing twice
    assert {path.suffix for path in cache.iterdir()} == {".code"}
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700


def test_a_warm_start_derives_and_compiles_nothing(rush):
    cache, (first, _) = rush
    whole = files(cache)
    warm = run(cache)
    assert (warm["derived"], warm["compiled"]) == (0, 0) and warm["said"] == ""
    assert warm["numbers"] == first["numbers"] and files(cache) == whole


def test_the_source_of_a_kernel_is_readable_and_knows_nothing_of_this_machine(rush):
    for name, data in files(rush[0]).items():
        if name.startswith("mbs_dae_kernel_"):
            source = json.loads(data.partition(b"\n")[0])[0]["source"]
            compile(source, "kernel", "exec")
            for place in (rush[0], ROOT, Path.home(), Path(sys.prefix)):
                assert str(place) not in source


@pytest.mark.parametrize("kind", ["below a regular file", "a regular file"])
def test_where_nothing_can_be_written_the_numbers_are_the_same(kind, rush, tmp_path):
    cache = tmp_path / "cache"
    cache.touch()
    cold = run(cache / "below" if kind == "below a regular file" else cache)
    assert cold["numbers"] == rush[1][0]["numbers"]
    assert "compiled in every process" in cold["said"] and cache.read_bytes() == b""


# --- damage ----------------------------------------------------------------------------------------------------


def cut_short(data: bytes) -> bytes:
    return data[: len(data) // 2]


def bit_flipped(data: bytes) -> bytes:
    at = random.Random(len(data)).randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1 :]


DAMAGES: list[Callable[[bytes], bytes]] = [cut_short, bit_flipped, lambda data: b"", lambda data: b"\xff\0" * 99]


def test_damaged_files_are_replaced_and_never_used(rush, filled):
    """As after a full disk, a crash or a failing disk: every file, each kind of damage in its turn."""
    whole = files(filled)
    assert len(whole) > 2 * len(DAMAGES)
    for k, (name, data) in enumerate(whole.items()):
        (filled / name).write_bytes(DAMAGES[k % len(DAMAGES)](data))
    after = run(filled)
    assert after["numbers"] == rush[1][0]["numbers"] and after["loaded"] == 0
    assert all(store.read(filled / name) is not None for name in after["used"])


def test_every_flipped_bit_is_seen(tmp_path):
    path = tmp_path / "one.code"
    store.write(path, bytes(range(100)))
    data = path.read_bytes()
    assert store.read(path) == bytes(range(100))
    for bit in range(8 * len(data)):
        path.write_bytes(data[: bit // 8] + bytes([data[bit // 8] ^ 1 << bit % 8]) + data[bit // 8 + 1 :])
        assert store.read(path) is None


def test_a_write_that_is_interrupted_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "one.code"
    store.write(path, b"old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.warns(RuntimeWarning, match="No space left"):
        store.write(path, b"new")
    assert store.read(path) == b"old" and [*tmp_path.iterdir()] == [path]


# --- what others could have written ----------------------------------------------------------------------------


def test_a_directory_that_is_a_link_is_refused(tmp_path):
    (tmp_path / "there").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "there")
    store.write(tmp_path / "there" / "one.code", b"forged")
    with pytest.warns(RuntimeWarning, match="is a link"):
        assert store.read(tmp_path / "link" / "one.code") is None


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o722])
def test_a_directory_that_others_may_write_to_is_refused(mode, tmp_path):
    place = tmp_path / "open"
    store.write(place / "one.code", b"forged")
    place.chmod(mode)
    with pytest.warns(RuntimeWarning, match="written to by others"):
        assert store.read(place / "one.code") is None
        store.write(place / "two.code", b"mine")
    assert not (place / "two.code").exists()


def test_a_file_that_others_may_write_to_or_that_is_a_link_is_refused(tmp_path):
    path, link = tmp_path / "one.code", tmp_path / "two.code"
    store.write(path, b"right checksum")
    link.symlink_to(path)
    assert store.read(path) == b"right checksum" and store.read(link) is None
    path.chmod(0o666)
    assert store.read(path) is None


def test_what_belongs_to_another_user_is_refused(tmp_path, monkeypatch):
    store.write(tmp_path / "mine" / "one.code", b"right checksum")
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.warns(RuntimeWarning, match="another user"):
        assert store.read(tmp_path / "mine" / "one.code") is None


def test_the_rooms_of_the_cache_are_those_that_have_compiled_functions():
    package = Path(store.__file__).resolve().parents[1]
    compiled = {f.relative_to(package).parts[0] for f in package.rglob("*.py") if "@compiled" in f.read_text()}
    assert compiled | {"symbolic"} <= set(store.ROOMS)


def test_a_room_that_is_missing_is_told():
    with pytest.raises(RuntimeError, match="nowhere is missing"):
        store.stamp(("nowhere",))


def test_every_compiled_function_has_a_version():
    import_all()
    assert len({one.version for one in work.FUNCTIONS}) == len(work.FUNCTIONS) > 200


FUNCTION = '''
class Spring(NamedTuple):
    stiffness: Vector
    length: float

def stretch(length: float, spring: Spring) -> float:
    """Return how much longer than its own length a spring is."""
    return scale(length - spring.length) * spring.stiffness[0] + FORCE

def scale(length: float) -> float:
    return UNIT * length

FORCE, UNIT = 0.0, 1.0
'''
CHANGES = {  # what changes, how, and whether the machine code depends on it
    "a constant": ("FORCE, UNIT = 0.0", "FORCE, UNIT = -0.0", True),
    "a constant of a part": ("0.0, 1.0", "0.0, 2.0", True),
    "the code": ("length - spring", "length + spring", True),
    "the code of a part": ("UNIT * length", "length / UNIT", True),
    "a field of the record": ("length: float\n\ndef", "length: float\n    mass: float\n\ndef", True),
    "the order of the fields": (
        "    stiffness: Vector\n    length: float", "    length: float\n    stiffness: Vector", True),
    "the type of an argument": ("stretch(length: float", "stretch(length: int", True),
    "the type of the result": ("Spring) -> float", "Spring) -> int", True),
    "the description": ("Return how much", "Tell how much", False),
    "a comment and the lines": ("FORCE, UNIT =", "\n# the units\n\nFORCE, UNIT =", False),
}  # fmt: skip


def version_of(source):
    for known in (layout, block_type):
        known.cache_clear()
    gc.collect()  # numba keeps a type as long as it is in use, and knows it by its name
    names = {"NamedTuple": NamedTuple, "Vector": Vector, "__name__": "springs"}
    exec(compile(source, "springs", "exec", dont_inherit=True), names)
    names["scale"] = CompiledFunction(names["scale"], apart=False)
    return CompiledFunction(names["stretch"], apart=False).version


@pytest.mark.parametrize("name", CHANGES)
def test_the_version_of_a_function_follows_all_on_which_its_machine_code_depends(name):
    old, new, depends = CHANGES[name]
    assert FUNCTION.count(old) == 1
    assert (version_of(FUNCTION) != version_of(FUNCTION.replace(old, new))) == depends


def test_a_global_name_whose_changes_nobody_sees_is_refused():
    with pytest.raises(TypeError, match="stretch reads UNIT, a dict|scale reads UNIT, a dict"):
        version_of(FUNCTION.replace("0.0, 1.0", "0.0, {}"))
