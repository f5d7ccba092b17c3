"""All rests of a mechanism: of four-bars with springs against a scan of all their poses, and of hinges by their number.

A pose of a four-bar is a pair of angles (φ, β) of crank and coupler with g(φ, β) = |A + b e(β) - D|² - c² = 0. It is at
rest where the potential V(φ, β) has a slope along g = 0 of nothing: V_φ g_β - V_β g_φ = 0. Cells of a grid over both
angles in which both functions may vanish are where Newton's method begins.
"""

from __future__ import annotations

import numpy as np
import pytest

import mbs_dae as mbs

GRAVITY = 9.81
MASSES = {"crank": 0.8, "coupler": 1.5, "rocker": 1.2}


def spring_four_bar() -> mbs.PlanarModel:
    model = mbs.PlanarModel("four-bar with a spring", gravity=(0, -GRAVITY))
    a, b, c, d = (model.parameter(name, value) for name, value in zip("abcd", (0.15, 0.5, 0.4, 0.55), strict=True))
    k, free, px, py, along = (
        model.parameter(name, value)
        for name, value in {"k": 900.0, "free": 0.35, "px": 0.1, "py": -0.4, "along": 0.2}.items()
    )
    A, B = (0.081, 0.126), (0.49, 0.415)
    places = {"crank": ((0, 0), A), "coupler": (A, B), "rocker": ((0.55, 0), B)}
    own = {
        name: model.body(
            name, mass=MASSES[name], inertia=0.01, position=tuple(np.mean(ends, axis=0)),
            angle=float(np.arctan2(*(np.subtract(ends[1], ends[0])[::-1]))),
        )
        for name, ends in places.items()
    }  # fmt: skip
    crank, coupler, rocker = own.values()
    model.add(
        mbs.Revolute("O", model.ground, crank.at(-a / 2, 0)),
        mbs.Revolute("A", crank.at(a / 2, 0), coupler.at(-b / 2, 0)),
        mbs.Revolute("B", coupler.at(b / 2, 0), rocker.at(c / 2, 0)),
        mbs.Revolute("D", model.ground.at(d, 0), rocker.at(-c / 2, 0)),
        mbs.Spring("spring", model.ground.at(px, py), coupler.at(along - b / 2, 0), stiffness=k, length=free),
    )
    return model


def scanned(a, b, c, d, k, free, px, py, along, cells=500):
    """(crank angle, coupler angle) of all rests, a row each."""

    def terms(phi, beta):
        """g, h, by complex numbers: e^{iφ} has the slope i e^{iφ}."""
        u, w = np.exp(1j * phi), np.exp(1j * beta)
        arm, end = a * u + b * w - d, None
        g = np.abs(arm) ** 2 - c**2
        g_phi, g_beta = 2 * (arm.conj() * 1j * a * u).real, 2 * (arm.conj() * 1j * b * w).real
        B = a * u + b * w
        end = a * u + along * w - (px + 1j * py)
        pull = k * (np.abs(end) - free) / np.abs(end)
        weights = {"crank": a * u / 2, "coupler": a * u + b * w / 2, "rocker": (B + d) / 2}
        V_phi = pull * (end.conj() * 1j * a * u).real
        V_beta = pull * (end.conj() * 1j * along * w).real
        slopes = {"crank": (0.5, 0.0), "coupler": (1.0, 0.5), "rocker": (0.5, 0.5)}
        for name in weights:
            one, other = slopes[name]
            V_phi = V_phi + MASSES[name] * GRAVITY * (one * 1j * a * u).imag
            V_beta = V_beta + MASSES[name] * GRAVITY * (other * 1j * b * w).imag
        return g, V_phi * g_beta - V_beta * g_phi

    grid = np.linspace(-np.pi, np.pi, cells + 1)
    phi, beta = np.meshgrid(grid, grid, indexing="ij")
    possible = np.ones((cells, cells), dtype=bool)
    for value in terms(phi, beta):
        corners = np.stack([value[:-1, :-1], value[1:, :-1], value[:-1, 1:], value[1:, 1:]])
        low, high = corners.min(axis=0), corners.max(axis=0)
        possible &= (low - (high - low) <= 0) & (high + (high - low) >= 0)
    at = np.argwhere(possible)
    x = np.stack([grid[at[:, 0]], grid[at[:, 1]]]) + np.pi / cells
    h, step = 1e-6, 4 * 2 * np.pi / cells
    begun = x.copy()
    for _ in range(30):
        f = np.array(terms(*x))
        J = np.stack(
            [
                (np.array(terms(x[0] + h, x[1])) - np.array(terms(x[0] - h, x[1]))) / (2 * h),
                (np.array(terms(x[0], x[1] + h)) - np.array(terms(x[0], x[1] - h))) / (2 * h),
            ],
            axis=1,
        )
        det = J[0, 0] * J[1, 1] - J[0, 1] * J[1, 0]
        det = np.where(det == 0.0, np.inf, det)
        x = x - np.clip(np.array([J[1, 1] * f[0] - J[0, 1] * f[1], J[0, 0] * f[1] - J[1, 0] * f[0]]) / det, -step, step)
    g, force = terms(*x)
    scale = np.abs(terms(phi, beta)[1]).max()
    fine = (np.abs(g) < 1e-12) & (np.abs(force) < 1e-9 * scale) & (np.abs(x - begun).max(axis=0) < 2 * step)
    found: list[np.ndarray] = []
    for one in x[:, fine].T:
        if all(np.abs(np.exp(1j * one) - np.exp(1j * other)).max() > 1e-5 for other in found):
            found.append(one)
    return found


def random_four_bars(count: int, seed: int):
    random = np.random.default_rng(seed)
    while count:
        a, b, c, d = random.uniform(0.1, 0.7, 4)
        if 2 * max(a, b, c, d) > 0.95 * (a + b + c + d):
            continue
        sides = np.sort([a, b, c, d])
        if abs(sides[0] + sides[3] - sides[1] - sides[2]) < 0.02:
            continue  # all but a change point, where circuits meet
        count -= 1
        yield {
            "a": a, "b": b, "c": c, "d": d, "k": random.uniform(50, 2000), "free": random.uniform(0.1, 0.6),
            "px": random.uniform(-0.6, 0.9), "py": random.uniform(-0.8, 0.8), "along": random.uniform(0.1, 1.0) * b,
        }  # fmt: skip


def check_rests(model: mbs.PlanarModel, values: dict[str, float]) -> None:
    rests = mbs.equilibrium(model.with_parameters(**values), all=True)
    assert rests.complete, rests.message
    expected = scanned(**values)
    own = [np.array([one["crank.angle"], one["coupler.angle"]]) for one in rests]
    for one in expected:
        assert min(np.abs(np.exp(1j * one) - np.exp(1j * other)).max() for other in own) < 1e-7, values
    assert len(own) == len(expected), values
    assert sum(one.stable for one in rests) * 2 == len(rests)  # on closed circuits minima and maxima alternate


def test_rests_of_random_four_bars_are_those_of_a_scan():
    model = spring_four_bar()
    model.compile()
    for values in random_four_bars(10, seed=4):
        check_rests(model, values)


@pytest.mark.soak
def test_rests_of_200_four_bars_are_those_of_a_scan():
    model = spring_four_bar()
    model.compile()
    for values in random_four_bars(200, seed=5):
        check_rests(model, values)


def test_the_branch_of_the_placement_does_not_matter():
    model = spring_four_bar()
    up = mbs.equilibrium(model, {"crank.angle": 1.0}, all=True)
    down = mbs.equilibrium(model, up[4].state, all=True)
    assert len(up) == len(down) == 6
    np.testing.assert_allclose([one.potential for one in up], [one.potential for one in down], rtol=1e-9)


def test_a_held_linkage_rests_in_each_assembly_mode():
    model = spring_four_bar()
    model.add(mbs.Driver("motor", mbs.angle(model.elements["O"]), 1.0))
    rests = mbs.equilibrium(model, all=True)
    assert rests.complete and len(rests) == 2
    assert sorted(np.sign(np.sin([one["rocker.angle"] for one in rests]))) == [-1, 1]


def test_branches_of_a_parallelogram_are_followed():
    """Parallelogram and antiparallelogram cross where all bars are in line. Weights in the middle of two equal cranks
    and of the coupler: the parallelogram rests with the cranks down or up, (m_1 + m_2 + m_3) g h."""
    points = {"A": (0, 0), "B": (0.4, 0.3), "C": (1.4, 0.3), "D": (1, 0)}
    bars = mbs.PlanarModel.from_points(
        points, rods={"left": "AB", "coupler": "BC", "right": "CD"}, fixed="AD", gravity=(0, -10), mass=1
    )
    rests = mbs.equilibrium(bars, all=True)
    of_parallelogram = [
        one for one in rests if abs(np.cos(one["left.angle"])) < 1e-9 and abs(one["coupler.angle"]) < 1e-9
    ]
    assert sorted(round(one.potential, 9) for one in of_parallelogram) == [-10.0, 10.0]
    assert len(rests) > 2


def test_a_chain_of_hinges_has_no_proof_but_its_count():
    """A double pendulum has four rests: one minimum, two saddles, one maximum."""
    model = mbs.PlanarModel.from_points(
        {"A": (0, 0), "B": (0.3, 0), "C": (0.6, 0)}, rods=["AB", "BC"], fixed="A", gravity=(0, -9.81), mass=1
    )
    rests = mbs.equilibrium(model, all=True)
    assert len(rests) == 4 and rests.complete is None and "2 freedoms" in rests.message


def test_a_spring_that_winds_up_has_no_complete_list():
    model = mbs.PlanarModel.from_points(
        {"A": (0, 0), "B": (1, 0)}, rods={"rod": "AB"}, fixed="A", mass=1, gravity=(0, -10)
    )
    model.add(mbs.TorsionSpring("winds", model.ground, model.bodies["rod"], stiffness=1.0))
    rests = mbs.equilibrium(model, all=True)
    assert rests.complete is None and "lap" in rests.message


def test_angles_of_all_rests_leave_whole_turns_out_where_nothing_counts_them():
    """A four-bar under gravity has bodies between -π and π. A torsion spring counts the turns of its crank: with it the
    moment of the spring goes with the angle that the rest tells."""
    points = {"A": (0, 0), "B": (0, 0.1), "C": (0.3, 0.25), "D": (0.32, 0)}
    rods = {"crank": "AB", "coupler": "BC", "rocker": "CD"}
    model = mbs.PlanarModel.from_points(points, rods=rods, fixed="AD", mass=1.0, gravity=(0, -9.81))
    angles = [[rest[f"{name}.angle"] for name in rods] for rest in mbs.equilibrium(model, all=True)]
    assert len(angles) == 4 and np.abs(angles).max() <= np.pi
    again = mbs.equilibrium(model, {"crank.angle": 1.0 + 2.0 * np.pi}, all=True)
    assert np.allclose(angles, [[rest[f"{name}.angle"] for name in rods] for rest in again], rtol=0, atol=1e-9)
    wound = model.plus(mbs.TorsionSpring("spring", mbs.angle(model.elements["A"]), stiffness=0.02, angle=0))
    rests = mbs.equilibrium(wound, all=True)
    assert max(rest["crank.angle"] for rest in rests) > np.pi
    for rest in rests:
        assert abs(rest["spring.effort"]) == pytest.approx(0.02 * abs(rest["crank.angle"]), rel=1e-9)
