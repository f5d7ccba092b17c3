"""A live page redraws wheels by a number that is never zero, so that they are drawn at all."""

import numpy as np
import pytest

import mbs_dae as mbs
from mbs_dae.view.page import live


@pytest.mark.parametrize("size", [{"ratio": 2.0}, {"radii": (0.05, 0.1)}], ids=["ratio", "radii"])
@pytest.mark.parametrize("dimension", [2, 3])
def test_wheels_of_plain_numbers_have_a_size(dimension, size, tmp_path, monkeypatch):
    if dimension == 2:
        model, places, axis = mbs.PlanarModel("pair"), [(0, 0), (0.15, 0)], {}
    else:
        model, places, axis = mbs.SpatialModel("pair"), [(0, 0, 0), (0.15, 0, 0)], {"axis": (0, 0, 1)}
    A, B = (
        model.add(mbs.Revolute(name.upper(), model.ground, model.body(name, position=place), at=place, **axis))
        for name, place in zip("ab", places, strict=True)
    )
    model.add(mbs.Gear("wheels", A, B, **size), mbs.Driver("motor", mbs.angle(A), 6 * mbs.t))
    pieces, redrawings = [], live.redrawings
    monkeypatch.setattr(live, "redrawings", lambda *args: pieces.extend(redrawings(*args)) or pieces)
    assert mbs.kinematics(model, np.linspace(0, 1, 11)).save(tmp_path / "pair.html", live=True)
    assert pieces and not any(piece.stiff for piece in pieces)
    assert all(float(piece.size) > 0.0 for piece in pieces if piece.size is not None)
