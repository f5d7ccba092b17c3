"""Results are copied and pickled with their derivatives: the copies tell the same numbers, to the last bit."""

import copy
import pickle

import numpy as np
import pytest

import mbs_dae as mbs
from mbs_dae.derivatives.runs.gradients import adjoint
from mbs_dae.kernels.blocks import block
from mbs_dae.motion.course import Course

WAYS = {"copy": copy.copy, "deepcopy": copy.deepcopy, "pickle": lambda x: pickle.loads(pickle.dumps(x))}
TIMES = np.linspace(0, 0.4, 5)


def arm(driven: bool) -> mbs.PlanarModel:
    model = mbs.PlanarModel("arm", gravity=(0, -9.81))
    r = model.parameter("r", 0.3)
    rod = model.link("rod", (0, 0), (r, 0), mass=1.0)
    model.add(mbs.Revolute("A", model.ground, rod.tail))
    model.add(mbs.SpringDamper("s", model.ground.at(0.5, 0.5), rod.head, stiffness=50, damping=1, length=0.2))
    if driven:
        model.add(mbs.Driver("motor", mbs.angle(model.elements["A"]), 2 * mbs.t))
    return model


def ball() -> mbs.PlanarModel:
    model = mbs.PlanarModel("ball", gravity=(0, -9.81))
    own = model.body("ball", mass=1.0, inertia=0.004, position=(0, model.parameter("r", 0.3)))
    model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Disk(own, 0.1), restitution=0.5))
    return model


def swept(**asked) -> mbs.Result:
    model = arm(driven=False)
    phi = model.parameter("phi", 0.1)
    model.add(mbs.Driver("set", mbs.angle(model.elements["A"]), phi))
    return mbs.sweep(model, "phi", [0.1, 0.2], **asked)


CASES = {
    "kinematics": (lambda **own: mbs.kinematics(arm(True), TIMES, **own), ("rod.head.vx",)),
    "loads": (lambda **own: mbs.inverse_dynamics(arm(True), TIMES, **own), ("motor.effort", "energy.kinetic")),
    "run": (lambda **own: mbs.simulate(arm(False), TIMES, **own), ("rod.head.x", "A.Fx", "energy.dissipated")),
    "bounces": (lambda **own: mbs.simulate(ball(), TIMES, **own), ("ball.vy", "energy.potential")),
    "in joint coordinates": (
        lambda **own: mbs.simulate(arm(False).compile(coordinates="joint"), TIMES, **own), ("rod.head.x", "A.Fx"),
    ),
    "sweep": (swept, ("rod.head.x",)),
    "state": (lambda **own: mbs.assemble(arm(True), **own).result, ("rod.head.x",)),
    "rest": (lambda **own: mbs.equilibrium(arm(False), **own).result, ("rod.head.x",)),
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("case", CASES)
def test_copies_tell_the_same(case, way):
    make, names = CASES[case]
    plain, asked = WAYS[way](make()), make(derivatives=["r"])
    early = WAYS[way](asked)
    slopes = {name: asked.d(name, "r") for name in names}
    late = WAYS[way](asked)
    for name in names:
        assert np.abs(slopes[name]).max() > 0.0
        assert np.array_equal(plain[name], asked[name], equal_nan=True)
        for one in (early, late):
            assert np.array_equal(one[name], asked[name], equal_nan=True)
            assert np.array_equal(one.d(name, "r"), slopes[name], equal_nan=True)


def test_gradients_go_back_through_a_copy():
    run, weights = mbs.simulate(arm(False), TIMES, derivatives=["r"]), {"rod.head.x": np.ones(TIMES.size)}
    assert adjoint(WAYS["pickle"](run), weights) == adjoint(run, weights)


def test_names_are_listed_without_energies_being_found():
    """Energies of a run ask for its steps once more."""
    run = mbs.simulate(arm(False), TIMES, derivatives=["r"])
    read = run.varied.read
    assert "energy.total" in read.all_names and callable(vars(read)["ledger"])
    assert read.energy.total.shape == TIMES.shape and not callable(vars(read)["ledger"])


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_a_block_of_addresses_is_not_copied(way):
    none = np.zeros(0)
    own = block(Course(none, none, none, np.zeros(0, dtype=np.int64), none, none, 0.0, 0.0))
    with pytest.raises(TypeError, match="holds addresses"):
        way(own)
