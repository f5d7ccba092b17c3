"""Files of results: other formats and damaged files are refused, and a write that fails leaves what was there."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from helpers import slider_crank
from refusals import refused

import mbs_dae as mbs
from mbs_dae.results.files import FORMATS, archives
from mbs_dae.view.animation import WRITERS


@pytest.fixture(scope="module")
def result():
    return mbs.kinematics(slider_crank(), np.linspace(0, 1, 5))


@pytest.mark.parametrize("ending", ["txt", "h5", "pkl", "v2"])
def test_an_unknown_ending_is_refused(ending, result, tmp_path):
    with refused("unknown-format", mentions=[f".{ending}", ".npz", ".parquet", ".mp4"]):
        result.save(tmp_path / f"k.{ending}")
    with refused("format-not-readable", argument="path"):
        mbs.load(tmp_path / f"k.{ending}")
    assert not [*tmp_path.iterdir()]


def test_a_table_is_not_read_back(result, tmp_path):
    with refused("format-not-readable", argument="path", format=".csv"):
        mbs.load(result.save(tmp_path / "k.csv"))


def test_pictures_are_those_that_are_drawn():
    assert {ending for ending, format in FORMATS.items() if format.choices} == {*WRITERS}


def test_a_full_disk_leaves_the_old_file(result, tmp_path, monkeypatch):
    path = result.save(tmp_path / "k.npz")
    old = path.read_bytes()

    def full(file, **_):
        file.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(archives, "np", SimpleNamespace(**vars(np) | {"savez_compressed": full}))
    with refused("cannot-write-file"):
        result.save(path)
    assert path.read_bytes() == old and [*tmp_path.iterdir()] == [path]


@pytest.mark.parametrize("path", ["", ".", "..", "nul\0.npz", "half \ud800.csv", None, 5, b"run.npz"])
def test_what_names_no_file_is_refused(path, result, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    model = slider_crank()
    for act in (result.save, mbs.load, lambda path: result.animate(path or "."), mbs.equations(model).save):
        with refused(("no-file-name", "wrong-type"), argument="path"):
            act(path)
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("name", ["run.NPZ", "run.Csv", "n" * 250 + ".csv", "none/run.npz", "file/run.npz", "n" * 300])
def test_a_file_has_its_name_or_none(name, result, tmp_path):
    (tmp_path / "file").touch()
    try:
        saved = [result.save(tmp_path / name)]
    except mbs.ModelError as told:
        assert "cannot write" in str(told) and ("/run" in name or len(name) == 300)
        saved = []
    assert {*tmp_path.iterdir()} == {tmp_path / "file", *saved}


CHANGES = {
    "other lengths": lambda arrays: arrays | {"q": arrays["q"][:-1]},
    "one number": lambda arrays: arrays | {"v": np.array(1.0)},
    "text": lambda arrays: arrays | {"a": arrays["a"].astype(str)},
    "values of other times": lambda arrays: arrays | {"values": arrays["values"][:, :-1]},
    "violations of other times": lambda arrays: arrays | {"violation": arrays["violation"][:, :0]},
    "times that go back": lambda arrays: arrays | {"t": arrays["t"][::-1]},
    "a time that is none": lambda arrays: arrays | {"t": arrays["t"] * np.nan},
    "nothing": lambda arrays: {},
    "nested without end": lambda arrays: arrays | {"header": np.frombuffer(b"[" * 100_000, dtype=np.uint8)},
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_file_that_contradicts_itself_is_refused(change, result, tmp_path):
    path = result.save(tmp_path / "run.npz")
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    assert len(mbs.load(path)) == 5
    np.savez(path, **CHANGES[change](arrays))
    with refused(("cannot-read-file", "damaged-file")):
        mbs.load(path)


def test_poses_that_are_not_finite_are_not_drawn(result, tmp_path):
    broken = replace(result, q=np.where(result.t[:, None] > 0.4, np.nan, result.q))
    for ending in ("html", "svg"):
        with refused("not-finite", index=2, axis="t", value=0.5, mentions="t = 0.5"):
            broken.save(tmp_path / f"x.{ending}")
    assert not [*tmp_path.iterdir()]


def test_a_file_that_is_cut_short_is_refused(result, tmp_path):
    path = result.save(tmp_path / "run.npz")
    data = path.read_bytes()
    for size in (0, 10, len(data) // 2, len(data) - 1):
        path.write_bytes(data[:size])
        with refused("cannot-read-file"):
            mbs.load(path)
