"""Boxes and other bodies with corners, dropped on a plane in space: they land on corners and edges, slip, turn, and
come to rest; a run that ends before names the contact."""

import numpy as np
import pytest

import mbs_dae as mbs

RATES = "vx", "vy", "vz", "wx", "wy", "wz"
CORNERS = [(0, 0, 0.15), (0.15, 0, -0.1), (-0.1, 0.12, -0.1), (-0.1, -0.12, -0.1)]


def dropped(attitude, restitution, friction, corners=None):
    model = mbs.SpatialModel("drop", gravity=(0, 0, -9.81))
    attitude = mbs.rotations.bryant(*attitude)
    body = model.body("box", mass=1.0, inertia=(0.01, 0.012, 0.014), position=(0, 0, 0.6), rotation=attitude)
    shape = mbs.Box(body, (0.3, 0.2, 0.1)) if corners is None else mbs.Polygon(body, corners)
    model.add(mbs.Contact("floor", mbs.Plane(model.ground), shape, restitution=restitution, friction=friction))
    return model, 8 if corners is None else len(corners)


def check_drop(model, corners, rates, until=1.5):
    """The laws that hold whatever happens: no energy comes from nowhere, nothing sinks, and what the floor does is what
    the momentum becomes."""
    start = dict(zip([f"box.{name}" for name in RATES], rates, strict=True))
    run = mbs.simulate(model, np.linspace(0, until, 151), start, max_steps=20_000)
    assert run.success and abs(run.energy.error).max() < 1e-6
    assert min(run[f"floor.gap{k + 1}"].min() for k in range(corners)) > -1e-9
    assert min(impact.energy_lost for impact in run.impacts) > -1e-12
    assert np.all(np.diff(run.energy.kinetic + run.energy.potential) < 1e-7)
    return run


CASES = {
    "edges that slide to a stop": ((0.3, 0, 0), 0.5, 0.1, (0, 0, 0, 0, 0, 0)),
    "edges that stick": ((0.3, 0, 0), 0.5, 0.3, (0, 0, 0, 0, 0, 0)),
    "an edge of which friction holds all but nothing": ((0.3, 0.2, 0.1), 0.3, 0.4, (0, 0, 0, 0, 0, 0)),
    "impulses that contradict themselves by roundoff": (
        (0.661966637778223, -0.27810666633148684, 0.40547861116410977),
        0.2,
        0.8,
        (0.2826349615763293, 0.09672641762662781, 0.5246268450623865, 1.73051506, -0.26264997, 0.57967151),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_box_comes_to_rest(case, interpreted_kernels):
    attitude, restitution, friction, rates = CASES[case]
    run = check_drop(*dropped(attitude, restitution, friction), rates)
    assert np.count_nonzero(run.modes["floor"][-1] == "sticks") == 4 and run.energy.kinetic[-1] < 1e-20


def test_a_tetrahedron_comes_to_rest(interpreted_kernels):
    check_drop(*dropped((0.3, 0.2, 0.1), 0.3, 0.4, CORNERS), np.zeros(6))


@pytest.mark.soak
def test_a_hundred_bodies_dropped_at_random():
    random, refused = np.random.default_rng(1), []
    for _ in range(100):
        corners = None
        if random.random() < 0.33:
            corners = random.normal(size=(random.integers(4, 8), 3))
            corners *= 0.15 / np.linalg.norm(corners, axis=1)[:, None]
            corners = [tuple(corner) for corner in corners - corners.mean(axis=0)]
        attitude, e, mu = random.uniform(-3, 3, 3), random.uniform(0, 0.7), random.uniform(0, 0.9)
        rates = np.concatenate([random.uniform(-1, 1, 3), random.uniform(-5, 5, 3)])
        try:
            check_drop(*dropped(attitude, e, mu, corners), rates, 2.0)
        except mbs.IntegrationError as error:
            refused.append(str(error))
    assert len(refused) <= 2 and all("floor" in message for message in refused), refused
