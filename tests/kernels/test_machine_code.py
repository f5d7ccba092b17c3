"""Machine code does what its source says: kernels as Python runs them, and compiled, give the same numbers."""

import interpreted
import numpy as np
import pytest
from gallery import load
from helpers import evaluated_loads

CASES = [
    ("slider_crank_engine", "cartesian"),
    ("cam_follower", "cartesian"),
    ("rssr", "cartesian"),
    ("rssr", "natural"),
]
"""Tables, motion laws, functions of one variable; the plane and space; attitudes, and coordinates that are shared."""


@pytest.mark.parametrize(("name", "coordinates"), CASES)
def test_machine_code_does_what_its_source_says(name, coordinates, request):
    compiled = load(name).build().compile(coordinates)
    numbers = [evaluated(compiled)]
    request.getfixturevalue("interpreted_kernels")
    before = len(interpreted.made)
    numbers.append(evaluated(load(name).build().compile(coordinates)))
    assert len(interpreted.made) > before
    for machine, source in zip(*numbers, strict=True):
        np.testing.assert_allclose(machine, source, rtol=1e-12, atol=1e-12 * np.abs(source).max(initial=1.0))


def evaluated(system):
    """Φ, Φ̇, Φ̈, M, Q, energies and powers in a state near the placement."""
    random = np.random.default_rng(7)
    v, a = (np.append(random.uniform(-1, 1, system.nv), system.still[system.nv :]) for _ in range(2))
    q = system.moved(system.placement, 0.05 * v)
    rows = system.read_constraints(np.array([0.1]), q[None], v[None], a[None])
    return [*map(np.ravel, rows), *map(np.asarray, evaluated_loads(system, 0.1, q, v))]
