"""A study in a folder: it comes as it is run, goes on where it stopped, and is opened again."""

from __future__ import annotations

import errno
import json
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from refusals import refused

import mbs_dae as mbs
from mbs_dae.ensembles.work import store

TIMES = np.linspace(0.0, 0.4, 5)
SPEEDS = {"rod.omega": np.arange(1.0, 21.0)}


@pytest.fixture(scope="module")
def model() -> mbs.PlanarModel:
    return mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=2)


@pytest.fixture(scope="module")
def wanted(model) -> mbs.Ensemble:
    return mbs.ensemble(model, TIMES, over=SPEEDS, workers=1)


def test_it_is_opened_again(model, wanted, tmp_path):
    made = mbs.ensemble(model, TIMES, over=SPEEDS, save=tmp_path / "study")
    for found in (made, mbs.load_ensemble(tmp_path / "study", model)):
        for name in ("rod.B.x", "A.Fx"):
            np.testing.assert_array_equal(found.array(name), wanted.array(name))
        assert found.member(3).stats == wanted.member(3).stats
        np.testing.assert_array_equal(found.member(3).multipliers, wanted.member(3).multipliers)
    arrays = mbs.load_ensemble(tmp_path / "study")
    assert arrays.done.all() and len(arrays) == 20 and arrays.designs.names == ("rod.omega",)
    with refused("loaded-without-model"):
        arrays.member(0)
    with refused("not-of-this-model", argument="model"):
        mbs.load_ensemble(tmp_path / "study", model.plus(mbs.Drag("air", model.bodies["rod"], 0.1)))
    with refused("not-a-saved-ensemble", argument="folder"):
        mbs.load_ensemble(tmp_path)


def test_it_goes_on_where_it_stopped(model, wanted, tmp_path):
    """Chunks that are there are not run again; one that was half written is."""
    asked = {"over": SPEEDS, "outputs": ["rod.B.x"], "save": tmp_path / "study", "workers": 2}

    def stop(done: int, total: int) -> None:
        if done >= 6:
            raise KeyboardInterrupt

    mbs.ensemble(model, TIMES, **asked, progress=stop)
    chunks = sorted((tmp_path / "study" / "chunks").glob("*.json"))
    chunks[0].unlink()
    (tmp_path / "study" / "chunks" / "000000000.part").write_text('{"first": 0, "sta')
    times = {file: file.stat().st_mtime_ns for file in chunks[1:]}
    whole = [file for file in chunks[1:] if 0 not in json.loads(file.read_text())["state"]]
    found = mbs.ensemble(model, TIMES, **asked)
    assert found.done.all() and not found.message
    np.testing.assert_array_equal(found.array("rod.B.x"), wanted.array("rod.B.x"))
    assert [file.stat().st_mtime_ns for file in whole] == [times[file] for file in whole]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"over": {"rod.omega": [1.0]}}, ("folder-of-other-study", "designs")),
        ({"outputs": ["rod.B.y"]}, ("folder-of-other-study", "outputs")),
        ({"rtol": 1e-6}, ("folder-of-other-study", "options")),
        ({"verb": lambda run: 1.0}, ("folder-of-other-study", "function")),
        ({"initial": {"rod.angle": 0.1}}, ("folder-of-other-study", "initial")),
    ],
)
def test_another_study_is_refused(model, tmp_path, change, words):
    mbs.ensemble(model, TIMES, over=SPEEDS, save=tmp_path / "study")
    with refused(words[0], mentions=words[1:]):
        mbs.ensemble(model, TIMES, **({"over": SPEEDS} | change), save=tmp_path / "study")


def _scaled(factor):
    return lambda run: factor * run["rod.B.x"][-1]


def _times(factor, run):
    return factor * run["rod.B.x"][-1]


@dataclass(frozen=True)
class _Last:
    factor: float

    def at_end(self, run):
        return self.factor * run["rod.B.x"][-1]


def _falling(depth):
    def value(run, k=depth):
        return run["rod.B.x"][-1] if k == 0 else value(run, k - 1)

    return value


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (lambda run: run["rod.B.x"][-1], lambda run: run["rod.B.y"][-1]),
        (lambda run: 2.0 * run["rod.B.x"][-1], lambda run: 3.0 * run["rod.B.x"][-1]),
        (_scaled(2.0), _scaled(3.0)),
        (lambda run, k=-1: run["rod.B.x"][k], lambda run, k=0: run["rod.B.x"][k]),
        (lambda run: (lambda x: x[-1])(run["rod.B.x"]), lambda run: (lambda x: x[0])(run["rod.B.x"])),
        (_scaled(np.float64(2.0)), _scaled(np.float64(3.0))),
        (_Last(1.0).at_end, _Last(2.0).at_end),
        (partial(_times, 2.0), partial(_times, 3.0)),
        (_falling(1), _falling(2)),
    ],
    ids=["name", "number", "enclosed", "default", "inner", "numpy", "method", "partial", "recursive"],
)
def test_functions_of_one_shape_are_told_apart(model, tmp_path, one, other):
    """The functions differ in a constant only. The numbers of the first must not be returned for the second."""
    mbs.ensemble(model, TIMES, over=SPEEDS, verb=one, save=tmp_path / "study")
    with refused("folder-of-other-study", names=["function"]):
        mbs.ensemble(model, TIMES, over=SPEEDS, verb=other, save=tmp_path / "study")
    mbs.ensemble(model, TIMES, over=SPEEDS, verb=one, save=tmp_path / "study")


def test_a_folder_with_other_things_is_refused(model, tmp_path):
    (tmp_path / "letter.txt").write_text("dear")
    with refused("folder-taken", argument="save"):
        mbs.ensemble(model, TIMES, over=SPEEDS, save=tmp_path)


@pytest.mark.parametrize(
    ("file", "left"),
    [("study.json", 40), ("designs.npy", 90), ("times.npy", 0), ("data/rod.B.x.npy", 200), ("data/rod.B.x.npy", None),
     ("chunks/000000000.json", 12)],
)  # fmt: skip
def test_a_damaged_folder_is_told(model, tmp_path, file, left):
    """Of a file only the beginning is left, or nothing."""
    asked = {"over": SPEEDS, "outputs": ["rod.B.x"], "save": tmp_path / "study"}
    mbs.ensemble(model, TIMES, **asked)
    place = tmp_path / "study" / file
    place.unlink() if left is None else place.write_bytes(place.read_bytes()[:left])
    for again in (lambda: mbs.load_ensemble(tmp_path / "study"), lambda: mbs.ensemble(model, TIMES, **asked)):
        with refused("damaged-file"):
            again()


def test_a_full_disk_keeps_what_is_written(model, wanted, tmp_path, monkeypatch):
    written, fsync = [], store.os.fsync

    def full(file: int) -> None:
        written.append(file)
        if len(written) > 6:
            raise OSError(errno.ENOSPC, "No space left on device")
        fsync(file)

    asked = {"over": SPEEDS, "outputs": ["rod.B.x"], "save": tmp_path / "study", "workers": 2}
    with monkeypatch.context() as patch:
        patch.setattr(store.os, "fsync", full)
        found = mbs.ensemble(model, TIMES, **asked)
    assert 0 < found.done.sum() < 20 and "No space left on device" in found.message
    np.testing.assert_array_equal(found.array("rod.B.x")[found.done], wanted.array("rod.B.x")[found.done])
    again = mbs.ensemble(model, TIMES, **asked)  # there is room again
    np.testing.assert_array_equal(again.array("rod.B.x"), wanted.array("rod.B.x"))


def test_failures_are_kept_too(tmp_path):
    model = mbs.PlanarModel("rod", gravity=(0, -9.81))
    m = model.parameter("m", 1.0)
    rod = model.link("rod", (0, 0), (1, 0), mass=m)
    model.add(mbs.Revolute("A", model.ground, rod.tail))
    made = mbs.ensemble(model, TIMES, over={"m": [1.0, -1.0, 2.0]}, save=tmp_path / "study")
    found = mbs.load_ensemble(str(Path(tmp_path / "study")), model)
    assert found.failures == made.failures and found.failures[0].member == 1
    assert np.isnan(found.array("rod.angle")[1]).all() and np.isfinite(found.array("rod.angle")[2]).all()
