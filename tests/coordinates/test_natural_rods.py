"""Natural coordinates in the plane: what M and the shared points may leave out, and what they may not."""

import numpy as np
import pytest

import mbs_dae as mbs

TIMES = np.linspace(0.0, 0.5, 6)


def pendulum(offset: float) -> mbs.PlanarModel:
    """Two bars; the centre of mass of the second lies `offset` beside its line."""
    model = mbs.PlanarModel("two bars", gravity=(0, -9.81))
    e = model.parameter("e", offset, unit="m")
    upper = model.link("upper", (0, 0), (1, 0), mass=1.0)
    lower = model.body("lower", mass=1.0, inertia=0.1, com=(0.5, e), position=(1, 0))
    tip = model.body("tip", mass=0.5, inertia=0.01, position=(2, 0))
    model.add(
        mbs.Revolute("A", model.ground, upper.tail),
        mbs.Revolute("B", upper.head, lower.at(0, 0)),
        mbs.Revolute("C", lower.at(1, 0), tip.at(0, 0)),
        mbs.Spring("spring", upper.at(0.5, 0), tip.at(0.1, 0), stiffness=10.0, length=0.5),
    )
    return model


def mixed(model) -> int:
    """The entries of M between an x and a y."""
    system = model.compile("natural")
    names = [name.rpartition(".")[2] for name in system.coordinate_names]
    pattern = system.mass_pattern
    return sum(names[int(i)] != names[int(j)] for i, j in zip(pattern.block_row, pattern.block_column, strict=True))


def test_rods_do_not_mix_x_and_y():
    model = mbs.PlanarModel.from_points(
        {"A": (0, 0), "B": (0, 0.2), "C": (0.5, 0.6), "D": (0.7, 0)},
        rods={"crank": "AB", "coupler": "BC", "rocker": "CD"}, fixed="AD", mass=2.0, gravity=(0, -9.81),
    )  # fmt: skip
    assert mixed(model) == 0


@pytest.mark.parametrize("offset", [0.0, 0.2])
def test_a_parameter_that_is_0_may_become_another(offset):
    """The structure is found once, whatever the values are."""
    assert mixed(pendulum(offset)) == 2
    pendulum_ = pendulum(offset)
    pendulum_.compile("natural")
    other = pendulum_.with_parameters(e=0.3)
    fresh = mbs.simulate(pendulum(0.3), TIMES, rtol=1e-11)
    changed = mbs.simulate(other.compile("natural"), TIMES, rtol=1e-11)
    for name in ("upper.angle", "lower.angle", "tip.x"):
        assert np.abs(fresh[name] - changed[name]).max() < 1e-8


def test_points_that_only_a_parameter_of_0_brings_together_are_not_shared():
    def crossed(gap: float) -> mbs.PlanarModel:
        model = mbs.PlanarModel("crossed", gravity=(0, -9.81))
        e = model.parameter("e", gap, unit="m")
        bar = model.link("bar", (0, 0), (1, 0), mass=1.0)
        first, second = (model.link(name, (1, 0), (1, -1), mass=1.0) for name in ("first", "second"))
        model.add(
            mbs.Revolute("A", model.ground, bar.tail),
            mbs.Revolute("B", bar.at(0.5, 0), first.tail),
            mbs.Revolute("C", bar.at(0.5 - e, 0), second.tail),
        )
        return model

    model = crossed(0.0)
    model.compile("natural")
    changed = mbs.simulate(model.with_parameters(e=0.4).compile("natural"), TIMES, rtol=1e-11)
    fresh = mbs.simulate(crossed(0.4), TIMES, rtol=1e-11)
    assert np.abs(fresh["second.angle"] - changed["second.angle"]).max() < 1e-8
    assert np.abs(fresh["second.tail.x"] - changed["second.tail.x"]).max() < 1e-8
