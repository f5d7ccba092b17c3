"""Time stepping for many contacts: the same motions as for few, at a cost in proportion to their number."""

from itertools import pairwise

import numpy as np
import pytest

import mbs_dae as mbs
from mbs_dae.compiled import contacts as rows_of_contacts
from mbs_dae.compiled.contacts import STEPS
from mbs_dae.coordinates import SETS
from mbs_dae.model.contacts.shapes import Box, Disk, Line, Plane, Point
from mbs_dae.motion.mechanism import mechanism

G = 9.81


def thrown_block():
    """Lands on one corner, tumbles, slides to rest on two."""
    model = mbs.PlanarModel("block", gravity=(0, -G))
    body = model.body("block", mass=2.0, inertia=0.1, position=(0, 0.4))
    model.add(mbs.Contact("floor", Line(model.ground), Box(body, (0.4, 0.2)), friction=0.3, restitution=0.2))
    return model, {"block.vx": 1.0, "block.vy": 0.0, "block.omega": 2.0}


def thrown_table():
    """On three legs in space, with cones of friction; it turns while it slides."""
    model = mbs.SpatialModel("table", gravity=(0, 0, -G))
    top = model.body("top", mass=4.0, inertia=(0.2, 0.2, 0.3), position=(0, 0, 0.5))
    for k, (x, y) in enumerate(((0.4, 0.0), (-0.3, 0.4), (-0.3, -0.4))):
        model.add(mbs.Contact(f"leg{k}", Plane(model.ground), Point(top.at(x, y, -0.5)), friction=0.3))
    start = {"top.vx": 1.0, "top.vy": 0.0, "top.vz": 0.0, "top.wx": 0.0, "top.wy": 0.0, "top.wz": 1.0}
    return model, start


def hanging_bar():
    """In a pin that rubs, and onto a block; the pin carries what the block pushes."""
    model = mbs.PlanarModel("bar", gravity=(0, -G))
    bar = model.link("bar", (0, 0), (0.8, 0.6), mass=1.0)
    pin = mbs.Revolute("pin", model.ground, bar.tail)
    model.add(pin, mbs.Friction("rub", pin, mu=0.3, radius=0.1))
    model.add(mbs.Contact("block", Disk(model.ground.at(0.5, -0.1), 0.1), Point(bar), friction=0.4))
    return model, {"bar.omega": 0.0}


MOTIONS = {"block": thrown_block, "table": thrown_table, "bar": hanging_bar}


@pytest.mark.parametrize(
    ("name", "coordinates"), [("table", "cartesian"), ("bar", "joint"), *(("block", one) for one in SETS)]
)
def test_many_contacts_are_solved_as_few_are(name, coordinates, monkeypatch):
    """The sparse matrix gives what elimination gives: places, velocities, energies, to less than steps are off."""
    times = np.linspace(0, 1, 11)

    def run(few):
        monkeypatch.setattr(rows_of_contacts, "FEW", few)
        model, start = MOTIONS[name]()
        return mbs.simulate(model.compile(coordinates), times, start, method="Moreau", step=5e-3)

    exact, nearly = run(1000), run(0)
    assert nearly.stats["contact_residual"] < 1e-6 and "contact_residual" not in exact.stats
    for quantity in exact.names:
        if quantity.rpartition(".")[2] in ("x", "y", "z", "vx", "vy", "vz", "omega"):
            assert nearly[quantity] == pytest.approx(exact[quantity], abs=5e-3), quantity
    assert nearly.energy.dissipated == pytest.approx(exact.energy.dissipated, abs=2e-3)
    assert np.abs(nearly.energy.error).max() < 1e-2


def chain(count):
    """Links over a floor, each with a disk at its head."""
    model, length, last = mbs.PlanarModel("chain", gravity=(0, -G)), 1.0 / count, None
    for k in range(count):
        tail, head = ((i * length, 0.05 + 0.2 * i * length) for i in (k, k + 1))
        link = model.link(f"link{k}", tail, head, mass=length)
        if last is not None:
            model.add(mbs.Revolute(f"pin{k}", last.head, link.tail))
        model.add(mbs.Contact(f"floor{k}", Line(model.ground), Disk(link.head, 0.2 * length), friction=0.4))
        last = link
    return model


def test_work_space_grows_with_the_number_of_contacts():
    """No matrix of contacts by contacts: what a run copies and the items of its factor are so many for each contact."""
    sizes = []
    for count in (40, 80):
        system = chain(count).compile()
        run = mechanism(system, asks=STEPS)
        sizes.append((run.words.size, run.contacts.proximal.elimination.l.size))
        assert run.contacts.delassus.W.size == run.contacts.problem.W.size == 0
    assert np.divide(*sizes[::-1]) == pytest.approx([2, 2], abs=0.2)


def test_a_chain_falls_onto_a_floor_and_lies_there():
    """The floor carries its weight, nothing is below it, the ledger has all that is lost."""
    count = 30
    res = mbs.simulate(chain(count), np.linspace(0, 1.5, 16), method="Moreau", step=2e-3)
    assert sum(res.reaction(f"floor{k}")[-1, 1] for k in range(count)) == pytest.approx(G, rel=0.05)
    assert min(res[f"floor{k}.gap"].min() for k in range(count)) > -2e-6
    assert res.energy.kinetic[-1] < 1e-3 and abs(res.energy.error).max() < 2e-2
    assert res.stats["contact_residual"] < 1e-2 and res.violation.position.max() < 1e-9


def test_impacts_of_steps_are_told():
    """Each is at the end of its step, with the impulse and the loss of that step; rolling and rest are none."""
    model = mbs.PlanarModel("ball", gravity=(0, -G))
    ball = model.body("ball", mass=2.0, inertia=0.008, position=(0, 1.1))
    model.add(mbs.Contact("floor", Line(model.ground), Disk(ball, 0.1), restitution=0.5))
    start = {"ball.vx": 0.0, "ball.vy": 0.0, "ball.omega": 0.0}
    exact = mbs.simulate(model, [0, 1.2], start)
    res = mbs.simulate(model, [0, 1.2, 3.0], start, method="Moreau", step=1e-3)
    for told, true in zip(res.impacts[:3], exact.impacts[:3], strict=True):
        assert told.contacts == ("floor",) and told.t == pytest.approx(true.t, abs=5e-3)
        assert told.impulses["floor"][1] == pytest.approx(true.impulses["floor"][1], rel=0.02)
        assert told.energy_lost == pytest.approx(true.energy_lost, rel=0.05)
    assert len(res.impacts) < 12 and res.impacts[-1].t < 1.5
    assert sum(one.energy_lost for one in res.impacts) == pytest.approx(2.0 * G * 1.0, rel=0.02)


def test_a_chain_at_rest_is_no_mistake():
    """Where nothing moves, what is left of the forces of many contacts is more than roundoff of the energy."""
    model, count = mbs.PlanarModel("chain", gravity=(0, -G)), 30
    links = [model.link(f"link{k}", (k / count, 0), ((k + 1) / count, 0), mass=1 / count) for k in range(count)]
    for k, link in enumerate(links):
        model.add(mbs.Contact(f"floor{k}", Line(model.ground), Point(link.tail), friction=0.4))
    model.add(*(mbs.Revolute(f"pin{k}", one.head, other.tail) for k, (one, other) in enumerate(pairwise(links))))
    model.add(mbs.Contact("end", Line(model.ground), Point(links[-1].head), friction=0.4))
    res = mbs.simulate(model, [0, 0.1], method="Moreau", step=5e-3)
    assert np.ptp(res["link0.x"]) < 1e-12 and 0 < abs(res.energy.error).max() < 1e-9


def test_slips_that_turn_have_the_direction_of_the_middle(monkeypatch):
    """In space the half-explicit rule is of order 2 for many contacts, too."""
    model = mbs.SpatialModel("bowl", gravity=(0, 0, -G))
    ball = model.body("ball", mass=2.0, inertia=(0.008, 0.008, 0.008), position=(0, 0, -0.9))
    bowl, inside = mbs.Sphere(model.ground, 1.0, inside=True), mbs.Sphere(ball, 0.1)
    model.add(mbs.Contact("bowl", bowl, inside, friction=0.2))
    model.add(mbs.Force("drag", ball, tuple(-0.5 * model[f"ball.v{x}"] for x in "xyz")))
    start = {"ball.vx": -2.0, "ball.vy": 0.0, "ball.vz": 0.0, "ball.wx": 0.0, "ball.wy": 0.0, "ball.wz": 5.0}
    exact = mbs.simulate(model, [0, 0.1], start, rtol=1e-10)
    monkeypatch.setattr(rows_of_contacts, "FEW", 0)
    model = model.without()
    runs = [mbs.simulate(model, [0, 0.1], start, method="HalfExplicit", step=step) for step in (0.01, 0.005)]
    assert all("contact_residual" in run.stats for run in runs)
    off = [np.hypot(*(run[f"ball.v{x}"][-1] - exact[f"ball.v{x}"][-1] for x in "xy")) for run in runs]
    assert off[0] < 2e-4 and np.log2(off[0] / off[1]) == pytest.approx(2, abs=0.2)
