"""Files of results: another format is refused, and a write that fails leaves what was there."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from helpers import slider_crank

import mbs_dae as mbs
from mbs_dae.results import files


@pytest.fixture(scope="module")
def result():
    return mbs.kinematics(slider_crank(), np.linspace(0, 1, 5))


@pytest.mark.parametrize("ending", ["csv", "mat", "h5", "CSV"])
def test_another_ending_is_refused(ending, result, tmp_path):
    with pytest.raises(mbs.ModelError, match=".npz only"):
        result.save(tmp_path / f"k.{ending}")
    assert not [*tmp_path.iterdir()]


def test_a_full_disk_leaves_the_old_file(result, tmp_path, monkeypatch):
    path = result.save(tmp_path / "k.npz")
    old = path.read_bytes()

    def full(file, **_):
        file.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, "np", SimpleNamespace(**vars(np) | {"savez_compressed": full}))
    with pytest.raises(mbs.ModelError, match="No space left"):
        result.save(path)
    assert path.read_bytes() == old and [*tmp_path.iterdir()] == [path]
