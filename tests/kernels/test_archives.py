"""Machine code that a package brings along is used where it fits, refused where it does not, and changes no bit."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from gallery import ROOT

from mbs_dae.kernels import archives, llvm

RUN = """
import json, sys, warnings
from pathlib import Path
from mbs_dae.kernels import archives, llvm, store, work
archives.FOLDER = Path(sys.argv[1])
warnings.simplefilter("always")
with warnings.catch_warnings(record=True) as found:
    import numpy as np, mbs_dae as mbs
    model = mbs.PlanarModel.from_points(
        {"A": (0, 0), "B": (0.1, 0.2), "C": (0.5, 0.6), "D": (0.7, 0)},
        rods={"crank": "AB", "coupler": "BC", "rocker": "CD"}, fixed="AD", mass=2.0, gravity=(0, -9.81))
    result = mbs.simulate(model, np.linspace(0, 0.5, 11))
    bits = result.q.tobytes().hex() + result.reaction("A").tobytes().hex()
if sys.argv[2:] == ["write"]:
    files = {path.name: store.read(path) for path in map(store._file, store._here)}
    archives.write_archive(archives.path_of(llvm.processor()[0]), files)
print(json.dumps({
    "bits": bits,
    "compiled": [name for name, one in store._here.items() if not one.loaded], "loaded": len(store._here),
    "warnings": [str(one.message) for one in found if "machine code" in str(one.message)],
}))
"""


def run(folder: Path, *arguments: str, **environment: str) -> dict[str, Any]:
    """Simulate a four-bar in a process of its own, whose package has its archives in this folder."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "MBS_DAE_WORKERS": "0", **environment}
    command = [sys.executable, "-c", RUN, str(folder), *arguments]
    return json.loads(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)


@pytest.fixture(scope="module")
def written(tmp_path_factory) -> tuple[Path, dict[str, Any]]:
    """An archive of all functions of a simulation, and what the simulation gave."""
    folder = tmp_path_factory.mktemp("machine_code")
    return folder, run(folder, "write")


@pytest.fixture
def damaged(written, tmp_path) -> Path:
    """A copy of the archive, to be changed."""
    name = archives.path_of(llvm.processor()[0]).name
    (tmp_path / name).write_bytes((written[0] / name).read_bytes())
    return tmp_path / name


def test_a_simulation_with_the_code_of_the_package_compiles_nothing(written, tmp_path):
    folder, before = written
    now = run(folder, MBS_DAE_CACHE=str(tmp_path / "empty"))
    assert now["compiled"] == [] and now["loaded"] == before["loaded"] > 50
    assert now["bits"] == before["bits"] and not now["warnings"]


def test_code_that_was_changed_is_refused_by_name_and_compiled(written, damaged, tmp_path):
    begin = damaged.read_bytes()
    name = next(name for name in json.loads(begin.split(b"\n")[1])["files"] if name.startswith("mbs_dae.linear"))
    index = json.loads(begin.split(b"\n")[1])
    place = len(begin.split(b"\n")[0]) + len(begin.split(b"\n")[1]) + 2 + index["files"][name][0] + 300
    damaged.write_bytes(begin[:place] + bytes([begin[place] ^ 1]) + begin[place + 1 :])
    now = run(tmp_path, MBS_DAE_CACHE=str(tmp_path / "empty"))
    assert len(now["compiled"]) == 1 and now["bits"] == written[1]["bits"]
    (warning,) = now["warnings"]
    assert name in warning


@pytest.mark.parametrize(
    ("change", "mention"),
    [
        (lambda index: index["maker"].update(numba="0.1.2"), "numba 0.1.2"),
        (lambda index: index["maker"].update(Python="3.2"), "Python 3.2"),
        (lambda index: index["maker"].update(processor="x86-64-v9"), "x86-64-v9"),
    ],
)
def test_code_of_other_versions_is_not_used_and_the_reason_is_told(damaged, change, mention, monkeypatch):
    _, line, bodies = damaged.read_bytes().split(b"\n", 2)
    index = json.loads(line)
    change(index)
    line = json.dumps(index).encode() + b"\n"
    damaged.write_bytes(hashlib.sha256(line).hexdigest().encode() + b"\n" + line + bodies)
    check_is_not_used(damaged.parent, mention, monkeypatch)


def test_an_index_that_was_changed_is_refused(damaged, monkeypatch):
    damaged.write_bytes(damaged.read_bytes().replace(b'"maker"', b'"Maker"', 1))
    check_is_not_used(damaged.parent, "index", monkeypatch)


def test_code_for_another_processor_is_not_used(damaged, monkeypatch):
    damaged.rename(damaged.with_name("x86-64-v9.code"))
    check_is_not_used(damaged.parent, "x86-64-v9", monkeypatch)


def check_is_not_used(folder: Path, mention: str, monkeypatch) -> None:
    monkeypatch.setattr(archives, "FOLDER", folder)
    archives.archive.cache_clear()
    archives.tell.cache_clear()
    with pytest.warns(RuntimeWarning) as found:
        assert archives.archive() is None
    assert mention in str(found[0].message)
    archives.archive.cache_clear()


def test_a_processor_that_cannot_be_is_refused(tmp_path):
    with pytest.raises(subprocess.CalledProcessError) as caught:
        run(tmp_path, MBS_DAE_PROCESSOR="x86-64-v9")
    assert "MBS_DAE_PROCESSOR is 'x86-64-v9'" in caught.value.stderr
