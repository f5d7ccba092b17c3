"""Where disks at random come to rest in a bowl, on springs and ropes: the conditions of rest, and a long run."""

from __future__ import annotations

import numpy as np
import pytest

import mbs_dae as mbs


def heap(seed):
    """Disks with their masses aside of their middles, that drag."""
    random, model, places = np.random.default_rng(seed), mbs.PlanarModel("heap", gravity=(0, -9.81)), []
    bowl, disks = mbs.Disk(model.ground, 1.5, inside=True), []
    while len(disks) < 1 + seed % 3:
        place, k = random.uniform(-0.8, 0.8, 2), len(disks)
        if any(np.hypot(*(place - other)) < 0.42 for other in places):
            continue
        places.append(place)
        body = model.body(f"b{k}", mass=random.uniform(0.5, 3), inertia=0.03, position=tuple(place))
        drag = mbs.Force(f"drag{k}", body, (-3 * model[f"b{k}.vx"], -3 * model[f"b{k}.vy"]))
        model.add(drag, mbs.Torque(f"turns{k}", body, -0.1 * model[f"b{k}.omega"]))
        disks.append(mbs.Disk(body.at(*random.normal(size=2) * 0.02), 0.2))
        for other in (bowl, *disks[:-1]):
            model.add(mbs.Contact(f"c{len(model.contacts)}", other, disks[-1]))
        ends = model.ground.at(*random.uniform(-1, 1, 2)), body.at(*random.normal(size=2) * 0.05)
        if random.random() < 0.5:
            model.add(mbs.Spring(f"spring{k}", *ends, stiffness=random.uniform(5, 100), length=0.5))
        else:
            length = float(np.hypot(*place)) + random.uniform(0.05, 0.4)
            model.add(mbs.Rope(f"rope{k}", model.ground, body, length=length))
    return model


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(12))
def test_what_comes_to_rest_presses_and_stays(seed):
    model = heap(seed)
    rest = mbs.equilibrium(model)
    gaps, forces = (np.array([rest[f"{one.name}.{what}"] for one in model.contacts]) for what in ("gap", "force"))
    assert gaps.min() > -1e-10 and forces.min() >= 0.0 and np.abs(gaps * forces).max() < 1e-8
    assert not rest.law.grows
    still = mbs.simulate(model, [0, 0.3], rest.state)
    run = mbs.simulate(model, [0, 40], method="Moreau", step=2e-3)
    for k in range(1 + seed % 3):
        for name in (f"b{k}.x", f"b{k}.y"):
            assert abs(still[name][-1] - rest[name]) < 1e-9
    assert abs(run.energy.potential[-1] - rest.potential) < 1e-3 * (1 + abs(rest.potential))
