"""Chains of many links in joint coordinates: no drift, and work in proportion to the number of links."""

import numpy as np
import pytest

import mbs_dae as mbs


def planar_chain(links):
    model = mbs.PlanarModel(f"{links} links", gravity=(0.0, -9.81))
    end = model.ground.at(0, 0)
    for k in range(links):
        link = model.link(f"link{k}", (k / links, 0), ((k + 1) / links, 0), mass=1.0 / links)
        model.add(mbs.Revolute(f"pin{k}", end, link.tail))
        end = link.head
    return model


def spatial_chain(links):
    model = mbs.SpatialModel(f"{links} links in space", gravity=(0.0, 0.0, -9.81))
    before, size = model.ground, 1.0 / links
    moments = (0.01 * size**3, size**3 / 12, size**3 / 12)
    for k in range(links):
        link = model.body(f"link{k}", size, moments, position=((k + 0.5) * size, 0, 0))
        axis = (0, 1, 0) if k % 2 else (0, 0.6, 0.8)
        model.add(mbs.Revolute(f"hinge{k}", before, link, at=(k * size, 0, 0), axis=axis))
        before = link
    return model


CHAINS = {"plane": planar_chain, "space": spatial_chain}


@pytest.mark.parametrize("coordinates", ["joint", "natural", "cartesian"])
@pytest.mark.parametrize("chain", CHAINS.values(), ids=CHAINS)
def test_ten_times_the_links_are_ten_times_the_work(chain, coordinates):
    """Counted: numbers of L, numbers that fronts hand on, steps of recursions (times: benchmarks/coordinates.py)."""
    small, large = (chain(links).compile(coordinates) for links in (40, 400))
    patterns = [s.mass_pattern for s in (small, large)]
    sizes = [
        (1 + p.plan.numbers, 1 + p.plan.handed, 1 + s.tree.before.size, p.tree.elimination.places.size)
        for p, s in zip(patterns, (small, large), strict=True)
    ]
    assert all(many <= 11 * few for few, many in zip(*sizes, strict=True))


@pytest.mark.slow
def test_a_thousand_links_fall_without_drift():
    """All pins are met by construction, so that nothing has to be stabilised."""
    model = planar_chain(1000)
    assert model.compile("joint").nv == 1000
    result = mbs.simulate(
        model.compile("joint"), [0.0, 0.01, 0.02], method="DP5", rtol=1e-6, stabilization=mbs.Unstabilized()
    )
    assert result.violation.position.max() < 1e-12
    assert result.violation.velocity.max() < 1e-11
    assert np.abs(result.energy.error).max() < 1e-6 * result.energy.kinetic[-1]
    assert result["link999.head.y"][-1] < 0.0


@pytest.mark.parametrize("chain", CHAINS.values(), ids=CHAINS)
def test_long_chains_move_as_short_ways_do(chain):
    """Sixty links, in joint and in Cartesian coordinates."""
    model, times = chain(60), np.linspace(0.0, 0.2, 5)
    assert not model.compile("joint").coordinates.deep
    settings = {"method": "DP8", "rtol": 1e-11, "stabilization": mbs.Projection()}
    joint = mbs.simulate(model.compile("joint"), times, **settings)
    bodies = mbs.simulate(model, times, **settings)
    for name in (f"link{k}.{c}" for k in (0, 30, 59) for c in ("x", "y")):
        assert np.abs(joint[name] - bodies[name]).max() < 1e-9, name


def test_a_driven_long_chain():
    """Each joint is driven: the sweep closes bodies by their sparse equations, and keeps the joints' coordinates."""
    model = planar_chain(60)
    joints = [*model.elements.values()]
    model.add(*(mbs.Driver(f"motor{k}", mbs.angle(joint), 0.02 * mbs.t) for k, joint in enumerate(joints)))
    assert model.compile("joint").coordinates.deep
    times = np.linspace(0.0, 1.0, 5)
    joint = mbs.kinematics(model.compile("joint"), times)
    angle = 0.02 * 60 * times
    assert np.abs(joint["link59.angle"] - angle).max() < 1e-12
    assert np.abs(joint["link59.omega"] - 1.2).max() < 1e-12
    assert joint.violation.position.max() < 1e-12
