"""Files of results: other formats and damaged files are refused, and a write that fails leaves what was there."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from helpers import slider_crank

import mbs_dae as mbs
from mbs_dae.results.files import FORMATS, npz
from mbs_dae.view.animation import WRITERS


@pytest.fixture(scope="module")
def result():
    return mbs.kinematics(slider_crank(), np.linspace(0, 1, 5))


@pytest.mark.parametrize("ending", ["txt", "h5", "pkl", "v2"])
def test_an_unknown_ending_is_refused(ending, result, tmp_path):
    known = ".npz, .nc, .csv, .xlsx, .mat, .parquet, .html, .gif, .mp4, .png, .svg"
    with pytest.raises(mbs.ModelError, match=f"no format is called '.{ending}'; end the name in one of {known}"):
        result.save(tmp_path / f"k.{ending}")
    with pytest.raises(mbs.ModelError, match=r"is no result, which cannot be read back; .* as .npz or .nc"):
        mbs.load(tmp_path / f"k.{ending}")
    assert not [*tmp_path.iterdir()]


def test_a_table_is_not_read_back(result, tmp_path):
    with pytest.raises(mbs.ModelError, match="is a table, which cannot be read back"):
        mbs.load(result.save(tmp_path / "k.csv"))


def test_pictures_are_those_that_are_drawn():
    assert {ending for ending, format in FORMATS.items() if format.drawn} == {*WRITERS}


def test_a_full_disk_leaves_the_old_file(result, tmp_path, monkeypatch):
    path = result.save(tmp_path / "k.npz")
    old = path.read_bytes()

    def full(file, **_):
        file.write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(npz, "np", SimpleNamespace(**vars(np) | {"savez_compressed": full}))
    with pytest.raises(mbs.ModelError, match="No space left"):
        result.save(path)
    assert path.read_bytes() == old and [*tmp_path.iterdir()] == [path]


CHANGES = {
    "other lengths": lambda arrays: arrays | {"q": arrays["q"][:-1]},
    "one number": lambda arrays: arrays | {"v": np.array(1.0)},
    "text": lambda arrays: arrays | {"a": arrays["a"].astype(str)},
    "values of other times": lambda arrays: arrays | {"values": arrays["values"][:, :-1]},
    "violations of other times": lambda arrays: arrays | {"violation": arrays["violation"][:, :0]},
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
    with pytest.raises(mbs.ModelError, match="is damaged|is not a result file"):
        mbs.load(path)


def test_a_file_that_is_cut_short_is_refused(result, tmp_path):
    path = result.save(tmp_path / "run.npz")
    data = path.read_bytes()
    for size in (0, 10, len(data) // 2, len(data) - 1):
        path.write_bytes(data[:size])
        with pytest.raises(mbs.ModelError, match="is not a result file"):
            mbs.load(path)
