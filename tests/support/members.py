"""Members of an ensemble beside runs of their own."""

from collections.abc import Mapping, Sequence

import numpy as np

import mbs_dae as mbs

MASSES = 1e-9, 1.0, 0.0, 1e3


def check_members(
    model: mbs.PlanarModel | mbs.SpatialModel, coordinates: str, until: float, start: Mapping[str, float],
    names: Sequence[str], masses: Sequence[float] = MASSES,
) -> None:  # fmt: skip
    """Each member with a mass m of these is the same as its own run, to the last bit."""
    found = mbs.ensemble(model.compile(coordinates), [0.0, until], {"m": [*masses]}, initial=start, outputs=[*names])
    assert not found.failures
    for k, m in enumerate(masses):
        alone = mbs.simulate(model.with_parameters(m=m).compile(coordinates), [0.0, until], start)
        for name in names:
            assert np.array_equal(found[name][k], alone[name]), (m, name)
