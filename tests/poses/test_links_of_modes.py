"""Links between a ball and a cross in the equations of modes: distances there, put in again afterwards."""

from dataclasses import dataclass

import numpy as np
import pytest
from gallery import load

import mbs_dae as mbs
from mbs_dae.modes.links import without_links
from mbs_dae.modes.paths import DONE, track
from mbs_dae.rotations import about, quaternion


@pytest.mark.parametrize(
    ("name", "count"),
    [("rssr", 1), ("spatial_slider_crank", 1), ("delta_robot", 6), ("stewart_platform", 6), ("stewart_zhao", 6)],
)
def test_links_are_put_in_where_they_were(name, count):
    model = load(name).build()
    without = without_links(model, {}, 0.0)
    assert len(without.links) == count
    lean, whole = mbs.assemble(without.model), mbs.assemble(model)
    assert np.abs(without.put_in(model.compile(), lean.full_q) - whole.full_q).max() < 1e-14


def rssr(slant=0.0):
    """A rod, along z where it is placed, between a crank about z and a rocker about x."""
    model = mbs.SpatialModel("RSSR")
    crank, rod = model.body("crank"), model.body("rod", position=(0.3, 0, 0))
    rocker = model.body("rocker", position=(0.3, 0.9, 0.6))
    across = rod.at(0, 0, 0, rotation=mbs.rotations.about_x(slant))  # the pin of the rod along y, or slanted
    model.add(
        mbs.Revolute("A", model.ground, crank, at=(0, 0, 0), axis=(0, 0, 1)),
        mbs.Universal("B", crank.at(0.3, 0, 0), across),
        mbs.Spherical("C", rod.at(0, 0, 0.8), rocker.at(0, -0.85, 0.1)),
        mbs.Revolute("D", model.ground, rocker, at=(0.3, 0.9, 0.6), axis=(1, 0, 0)),
    )
    return model


def turned_about_itself(mode, body):
    """The state with a body of which z is the long axis turned half round."""
    system, q = mode.system, mode.full_q.copy()
    at = list(system.layout.q[system.model.bodies[body]])
    attitude = system.layout.rotation(q[None], system.model.bodies[body])[0]
    q[at[3:7]] = quaternion(about(attitude[:, 2], np.pi) @ attitude)
    return mbs.State(system, mode.t, q, system.still, system.still)


def test_a_rod_has_the_modes_of_two_circles_and_in_each_a_second_attitude():
    """B is at 0.3 (cos φ, sin φ, 0), C at D + r (0, cos ψ, sin ψ): |B - C| = 0.8 says p cos ψ + q sin ψ = w."""
    model, phi = rssr(), 0.4
    modes = mbs.assembly_modes(model, fix={"A.angle": phi})
    D, r = np.array([0.3, 0.9, 0.6]), np.hypot(0.85, 0.1)
    gap = D - 0.3 * np.array([np.cos(phi), np.sin(phi), 0])
    p, q, w = 2 * r * gap[1], 2 * r * gap[2], 0.8**2 - r**2 - gap @ gap
    known = np.arctan2(q, p) + np.arccos(w / np.hypot(p, q)) * np.array([1, -1])
    found = modes["D.angle"] + np.arctan2(0.1, -0.85)
    assert (len(modes), modes.complex, modes.complete, modes.links) == (2, 2, True, (("rod",),))
    assert modes.proven
    assert np.abs(np.sort(np.cos(found)) - np.sort(np.cos(known))).max() < 1e-13
    for mode in modes:
        start = turned_about_itself(mode, "rod")
        other = mbs.assemble(model, fix={"A.angle": phi}, start=start)
        assert np.abs(other.full_q - start.full_q).max() < 1e-12  # closed as it stands
        assert np.abs(other.full_q - mode.full_q).max() > 0.5


def test_a_link_is_none_where_it_says_more_than_a_distance():
    assert without_links(rssr(slant=0.3), {}, 0.0) is None  # its second attitude is no half turn from the first
    assert without_links(rssr(), {"rod.x": 0.3}, 0.0) is None
    spun = rssr()
    spun.add(mbs.Distance("wire", spun.ground, spun.bodies["rod"].at(0, 0, 0.4), length=0.5))
    assert without_links(spun, {}, 0.0) is None
    assert len(without_links(rssr(), {"crank.y": 0.1}, 0.0).links) == 1


def test_a_leg_may_be_fixed_as_well_as_driven_and_beyond_its_joint_too():
    platform = load("stewart_platform")
    driven = mbs.assemble(platform.build())
    lengths = {f"slide{k}.displacement": driven[f"slide{k}.displacement"] for k in range(1, 7)}
    model = platform.build(drive=None)
    without = without_links(model, lengths, 0.0)
    assert (len(without.links), without.fix) == (6, {})
    whole = without.put_in(model.compile(), mbs.assemble(without.model).full_q)
    assert np.abs(whole - driven.full_q).max() < 1e-14
    back = without_links(model, lengths | {"slide1.displacement": -lengths["slide1.displacement"]}, 0.0)
    end = model.bodies["lower1"]
    q = back.put_in(model.compile(), mbs.assemble(back.model).full_q)
    axes = model.compile().layout.rotation(q[None], end)[0], model.compile().layout.rotation(whole[None], end)[0]
    assert np.abs(axes[0][:, 2] + axes[1][:, 2]).max() < 1e-14


@pytest.mark.soak
@pytest.mark.parametrize("seed", [1, 2])
def test_a_platform_whose_legs_are_bodies_has_the_modes_of_its_distances(seed):
    """Its base has pairs of joints and both plates are flat: 28 of the 40 are finite."""
    modes = mbs.assembly_modes(load("stewart_platform").build(), seed=seed)
    assert (len(modes), modes.complex, modes.at_infinity, modes.complete, modes.proven) == (8, 28, 12, True, True)


@pytest.mark.soak
@pytest.mark.parametrize("seed", [1, 2])
def test_a_delta_robot_has_sixteen_modes_in_most_of_which_it_tilts(seed):
    modes = mbs.assembly_modes(load("delta_robot").build(), seed=seed)
    assert (len(modes), modes.complex, modes.at_infinity, modes.complete, modes.proven) == (16, 36, 4, True, True)


# --- how it is known that a path leads to infinity ------------------------------------------------------------------


@dataclass
class Pole:
    """x (p - s)^k = 1, for several poles p."""

    poles: np.ndarray
    power: int = 1

    def evaluate(self, x, s, paths):
        left = (self.poles[paths] - s) ** self.power
        return (x[0] * left - 1.0)[:, None], left[:, None, None]

    def moved(self, x, step):
        return x + step

    def rates(self, x, v):
        return v

    def normalised(self, x):
        return x

    def size(self, x):
        return np.maximum(1.0, np.abs(x[0]))

    def length(self, step):
        return np.abs(step[0])


@pytest.mark.parametrize("power", [1, 2])
def test_the_pole_of_a_path_that_ends_far_away_is_told(power):
    problem = Pole(np.array([1.0, 0.5 + 1e-9j, 0.5 + 0.01j, 2.0]), power)
    ends = track(problem, 1.0 / (problem.poles**power)[None])
    assert list(ends.status == DONE) == [False, False, True, True]
    assert abs(ends.poles[0] - 1.0) < 0.1 * (1.0 - ends.s[0]) and abs(ends.poles[1] - problem.poles[1]) < 1e-5
    assert np.isnan(ends.poles[2:]).all()
