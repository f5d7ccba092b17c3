"""Poses at rest that are known: balances of forces solved in 40 digits, catenaries, a truss that snaps through."""

from __future__ import annotations

from math import acos, atan2, cos, pi, sin, sqrt

import numpy as np
import pytest

import mbs_dae as mbs

SETS = ["cartesian", "natural", "joint"]


def platform() -> mbs.PlanarModel:
    model = mbs.PlanarModel("platform", gravity=(0, -9.81))
    body = model.body("p", 20.0, 1.5, position=(0, 0.5))
    springs = [(-0.5, 0.05, -0.9, 1, 4000, 0.55), (0.5, 0.05, 0.9, 1, 3000, 0.55), (0.5, 0, 1.2, 0.5, 1500, 0.7)]
    for k, (x, y, X, Y, stiffness, length) in enumerate(springs):
        model.add(mbs.Spring(f"s{k}", model.ground.at(X, Y), body.at(x, y), stiffness=stiffness, length=length))
    model.add(mbs.Force("load", body.at(0.3, 0.05), (15, -40)))
    return model


def test_a_platform_on_three_springs():
    found = mbs.equilibrium(platform())
    place = [found["p.x"], found["p.y"], found["p.angle"]]
    expected = [0.0091947626668022162215, 0.50818696144870310256, -0.042543252431427625279]
    np.testing.assert_allclose(place, expected, rtol=0, atol=1e-13)
    lengths = [found[f"s{k}.distance"] for k in range(3)]
    expected = [0.58860522283784621746, 0.60490197841662806666, 0.69138135706176149023]
    np.testing.assert_allclose(lengths, expected, rtol=0, atol=1e-13)
    assert abs(found["s0.effort"] + 4000 * (lengths[0] - 0.55)) < 1e-9  # forces are read by the names of results
    assert found.stable
    np.testing.assert_allclose(
        found.frequencies, [10.5339553392653214, 14.2805567296474834, 27.8605347093005991], rtol=1e-12
    )
    for coordinates in SETS:
        law = mbs.linearize(platform().compile(coordinates), found.state)
        np.testing.assert_allclose(law.frequencies, found.frequencies, rtol=1e-11)


ATTITUDE = [
    [0.9581159853392588, 0.28409362927624965, 0.0361188100860207],
    [-0.2854788692007677, 0.9574727983362856, 0.04180497202407177],
    [-0.02270625194152846, -0.05036516902315814, 0.9984727216464336],
]


def test_a_platform_in_space():
    model = mbs.SpatialModel("platform", gravity=(0, 0, -9.81))
    body = model.body("p", 30.0, (1.0, 1.0, 2.0), position=(0, 0, 0.5))
    springs = [
        ((0.4, 0.3, 0.05), (0.8, 0.3, 1.05), 3000, 0.6), ((-0.4, 0.3, 0.05), (-0.4, 0.7, 1.05), 3500, 0.6),
        ((-0.4, -0.3, 0.05), (-0.8, -0.3, 1.05), 3200, 0.6), ((0.4, -0.3, 0.05), (0.4, -0.7, 1.05), 2800, 0.6),
        ((0.4, 0, 0), (1.2, 0.3, 0.5), 800, 0.85), ((0, 0.3, 0), (-0.2, 1.1, 0.55), 700, 0.82),
    ]  # fmt: skip
    for k, (on_body, on_ground, stiffness, length) in enumerate(springs):
        ends = model.ground.at(*on_ground), body.at(*on_body)
        model.add(mbs.Spring(f"s{k}", *ends, stiffness=stiffness, length=length))
    model.add(mbs.Force("load", body.at(0.2, 0.1, 0.05), (10, -5, -30)))
    found = mbs.equilibrium(model)
    expected = [0.02773481704153961454, 0.027213524343708473228, 0.46773271796125698857]
    np.testing.assert_allclose([found[f"p.{c}"] for c in "xyz"], expected, rtol=0, atol=1e-13)
    turn = mbs.rotations.rotation_vector(mbs.rotations.from_quaternion(found.state.q[3:7]))
    expected = [-0.04675670904604201018, 0.02984118586113580456, -0.28893669131167603419]
    np.testing.assert_allclose(turn, expected, rtol=0, atol=1e-13)
    attitude = mbs.rotations.from_quaternion(found.state.q[3:7])
    np.testing.assert_allclose(attitude, ATTITUDE, rtol=0, atol=1e-13)
    lengths = [found[f"s{k}.distance"] for k in range(6)]
    expected = [
        0.64067269817324802506, 0.61615228520018445538, 0.6426523539223944094, 0.62430428356808067451,
        0.87977977028328415286, 0.85118059386370672333,
    ]  # fmt: skip
    np.testing.assert_allclose(lengths, expected, rtol=0, atol=1e-13)
    assert found.stable
    angle, cross = np.linalg.norm(turn), np.cross(np.eye(3), turn).T
    by_vector = np.eye(6)  # small turns, of changes of the rotation vector
    by_vector[3:, 3:] += (1 - cos(angle)) / angle**2 * cross + (angle - sin(angle)) / angle**3 * cross @ cross
    curvatures = np.linalg.eigvalsh(by_vector.T @ found.stiffness @ by_vector)
    assert curvatures[0] == pytest.approx(292.4919045, abs=1e-7)
    for coordinates in SETS:
        law = mbs.linearize(model.compile(coordinates), found.state)
        np.testing.assert_allclose(law.frequencies, found.frequencies, rtol=1e-10)


def four_bar() -> mbs.PlanarModel:
    """A spring and a damper pull at its coupler."""
    a, b, c, d, theta = 0.2, 0.6, 0.5, 0.7, 0.3
    A = np.array([a * cos(theta), a * sin(theta)])
    to = np.array([d, 0]) - A
    L = np.hypot(*to)
    angle = atan2(to[1], to[0]) + acos((b**2 + L**2 - c**2) / (2 * b * L))
    B = A + b * np.array([cos(angle), sin(angle)])
    model = mbs.PlanarModel("four-bar", gravity=(0, -9.81))
    crank, coupler, rocker = (
        model.link(name, tuple(ends[0]), tuple(ends[1]), mass=mass)
        for name, ends, mass in (("crank", ((0, 0), A), 1.0), ("coupler", (A, B), 2.0), ("rocker", ((d, 0), B), 1.5))
    )
    model.add(
        mbs.Revolute("A0", model.ground, crank.tail),
        mbs.Revolute("A", crank.head, coupler.tail),
        mbs.Revolute("B", coupler.head, rocker.head),
        mbs.Revolute("B0", model.ground.at(d, 0), rocker.tail),
        mbs.SpringDamper(
            "s", model.ground.at(-0.3, 0.5), coupler.at(0.2 - b / 2, 0), stiffness=150, damping=20, length=0.4
        ),
    )
    return model


FOUR = [
    (-0.51778715438178733, 2.7927640725200048, True, (-2.5709502727482373 + 8.6825410496420660j,)),
    (5.0665712863246970, -2.6261250962324502, True, (-4.3854570953161468 + 10.837820982861499j,)),
    (13.83637833364901563, -0.67589157792563821, False, (18.020611412852260, -18.380185579922916)),
    (15.907343734162570, 0.3700756913280559, False, (12.455201516601476, -14.436321969654939)),
]
"""Potential energy, crank angle, whether it is stable, eigenvalues (of a pair one)."""
SWINGS = [(9.0551810795623400082, 0.28392036008544379645), (11.691475424060545901, 0.37509868825375688956)]
"""Undamped frequencies and damping ratios where it is stable."""


def test_all_four_rests_of_a_four_bar():
    model = four_bar()
    found = mbs.equilibrium(model, all=True)
    assert len(found) == 4
    for one, (energy, angle, stable, roots) in zip(found, FOUR, strict=True):
        assert one.potential == pytest.approx(energy, abs=1e-11)
        assert abs((one["crank.angle"] - angle + pi) % (2 * pi) - pi) < 1e-11
        assert one.stable is stable
        for coordinates in SETS:
            values = mbs.linearize(model.compile(coordinates), one.state).eigenvalues
            assert all(np.abs(values - root).min() < 1e-9 * abs(root) for root in roots)
    laws = [mbs.linearize(model, one.state) for one in found[:2]]
    np.testing.assert_allclose([(*law.frequencies, *law.damping) for law in laws], SWINGS, rtol=1e-9)


IN_DETAIL = [  # in the order of `FOUR`: coupler and rocker angle, length and tension of the spring, V'', mass
    (-0.64091385074632252852, -2.5218877583218635485, 0.61483955149372279736, 32.225932724058419604,
     4.0042819641708388117, 0.048834907795778858824),
    (0.6910108614960848561, 2.5380010628795575731, 0.54810517347805564085, 22.215776021708346127,
     5.9666480338906843636, 0.043650756811568502608),
    (-0.6639748836164720567, -1.7141684918912429469, 0.96772267831872634491, 85.158401747808951737,
     -13.313401710598663247, 0.040194776898475936589),
    (0.77614692437426839043, 1.7423753104737322958, 0.69178056066083522088, 43.767084099125283132,
     -8.6724549284573304738, 0.048231940319850124627),
]  # fmt: skip


def test_they_are_known_in_detail():
    """By the crank's angle; what the spring pulls with is k (l - l₀)."""
    model = four_bar()
    for one, expected in zip(mbs.equilibrium(model, all=True), IN_DETAIL, strict=True):
        law = mbs.linearize(model, one.state, coordinates=["crank.angle"])
        apart = np.array([one["coupler.angle"], one["rocker.angle"]]) - expected[:2]
        turned = (apart + pi) % (2 * pi) - pi
        np.testing.assert_allclose(turned, 0.0, atol=1e-10)
        found = [one["s.distance"], 150 * (one["s.distance"] - 0.4), law.K[0, 0], law.M[0, 0]]
        np.testing.assert_allclose(found, expected[2:], rtol=1e-9)


def test_it_comes_to_rest_downhill():
    """From close to a top it goes to the rest below, and not back to the top."""
    model = four_bar()
    found = mbs.equilibrium(model, {"crank.angle": 0.39})
    assert found.stable and found.potential == pytest.approx(FOUR[1][0], abs=1e-10)


HALF = [
    [
        0.043732275450428945, 0.09148511417823015, 0.143930830770932, 0.20186265128979197, 0.2661798521673572,
        0.3378128763233713, 0.41752054362422053, 0.5054686029204324, 0.6005806001869314,
    ],
    [
        -0.08993046249145953, -0.1777920945809934, -0.26293577791145545, -0.3444459255703242, -0.4210180985267901,
        -0.4907942395082452, -0.5511820509726221, -0.5987755260089126, -0.6296576887566459,
    ],
]  # fmt: skip
"""x and y of the pins on the left of the lowest one."""


def test_a_hanging_chain():
    n, length = 20, 0.1
    model = mbs.PlanarModel("chain", gravity=(0, -9.81))
    above, place = model.ground.at(0, 0), np.zeros(2)
    for k in range(n):
        end = place + length * np.array([0.7, sqrt(0.51) * (-1 if k < n // 2 else 1)])
        link = model.link(f"l{k}", tuple(place), tuple(end), mass=0.05)
        model.add(mbs.Revolute(f"J{k}", above, link.tail))
        above, place = link.head, end
    model.add(mbs.Revolute("end", model.ground.at(1.4, 0), above))
    found = mbs.equilibrium(model)
    angles = [found[f"l{k}.angle"] for k in range(n)]
    expected = [
        -1.1181768332175787512, -1.0729568458645986457, -1.0187188895874884915, -0.95290433890462643115,
        -0.87216272291574366341, -0.77226763924761630287, -0.64835761579383541852, -0.49602657008781877325,
        -0.31395385129980882958, -0.10781121333570484652,
    ]  # fmt: skip
    np.testing.assert_allclose(angles, [*expected, *np.negative(expected[::-1])], rtol=0, atol=1e-12)
    lowest = -0.64041793693265089905
    places = [[found[f"l{k}.tail.{c}"] for k in range(1, n)] for c in "xy"]
    aside = [*HALF[0], 0.7, *(1.4 - x for x in HALF[0][::-1])]
    np.testing.assert_allclose(places, [aside, [*HALF[1], lowest, *HALF[1][::-1]]], rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.reaction("J0")[0], [-2.2659893531570450079, 4.905, 0], rtol=0, atol=1e-11)
    np.testing.assert_allclose(found.reaction("end")[0], [2.2659893531570450079, 4.905, 0], rtol=0, atol=1e-11)
    assert found.stable and len(found.frequencies) == 18


def truss(P: float = 15.0) -> mbs.PlanarModel:
    model = mbs.PlanarModel("truss")
    P = model.parameter("P", P)
    apex = model.body("apex", 1.0, 1.0, position=(0, 0.2))
    for name, x in (("left", -1), ("right", 1)):
        model.add(mbs.Spring(name, model.ground.at(x, 0), apex, stiffness=1e4, length=sqrt(1.04)))
    model.add(mbs.TorsionSpring("upright", model.ground, apex, stiffness=1.0), mbs.Force("load", apex, (0, -P)))
    return model


def test_a_truss_has_three_rests_under_its_load():
    """And others far aside, where a spring is turned over."""
    found = [one for one in mbs.equilibrium(truss(), all=True) if abs(one["apex.x"]) < 0.5]
    heights = [-0.21729372614047002144, 0.17671473074643452322, 0.039450318582933533143]
    np.testing.assert_allclose([one["apex.y"] for one in found], heights, rtol=0, atol=1e-11)
    assert [one.stable for one in found] == [True, True, False]
    for one, curvature in zip(
        found, (967.67210243675082901, 523.33655004203680398, -348.55604619823906362), strict=True
    ):
        assert one.coordinates == ("apex.x", "apex.y", "apex.angle")
        assert one.stiffness[1, 1] == pytest.approx(curvature, rel=1e-10)
    sideways = [19101.358882794287163, 19391.780882802182116, 19968.330979866604964]
    np.testing.assert_allclose([one.stiffness[0, 0] for one in found], sideways, rtol=1e-10)
    pulls = [35.320946058846531507, -43.098869494905794196, -190.26041434498109427]
    for bar in ("left", "right"):
        np.testing.assert_allclose([1e4 * (one[f"{bar}.distance"] - sqrt(1.04)) for one in found], pulls, rtol=1e-9)


def test_a_truss_snaps_through_at_its_limit_loads():
    """P = 2 k (l₀ - l) y/l, through both limit points, where cos α = cos(α₀)^(1/3)."""
    path = mbs.equilibrium(truss(), over=("P", [-40.0, 15.0, 40.0]))
    assert path.limit_values == pytest.approx((30.191474033251500073, -30.191474033251500073), rel=1e-10)
    assert path.limits[0]["apex.y"] == pytest.approx(0.11471444468844040863, abs=1e-7)
    y, P = path["apex.y"], path.values
    length = np.sqrt(1 + y**2)
    np.testing.assert_allclose(P, 2e4 * (sqrt(1.04) - length) * y / length, rtol=0, atol=1e-7)
    assert (path.stable == (np.abs(y) > 0.11471444468844040863)).all() and not path.stable.all()
    assert path.at == (-40.0, 15.0, 15.0, 15.0, 40.0)
    heights = [one["apex.y"] for one in path.equilibria[1:4]]
    expected = [0.17671473074643452322, 0.039450318582933533143, -0.21729372614047002144]
    np.testing.assert_allclose(heights, expected, rtol=0, atol=1e-10)
    assert len(P) < 200


DEFLECTIONS = {  # height: load
    0.2: 0.0, 0.18: 13.226381204026987, 0.15: 25.56345658603744, 0.1: 29.485619852508048, 0.05: 18.53153303691275,
    0.0: 0.0, -0.05: -18.53153303691275, -0.1: -29.485619852508048, -0.15: -25.56345658603744, -0.2: 0.0,
    -0.22: 17.662309656928112,
}  # fmt: skip


def test_a_truss_pushed_through():
    """A driver lowers the apex evenly, so nothing is accelerated: its effort is the load, down."""
    heights = np.array([*DEFLECTIONS])
    model = truss(0.0)
    model.add(mbs.Driver("press", mbs.y(model.bodies["apex"]), 0.2 - mbs.t))
    run = mbs.simulate(model, 0.2 - heights, rtol=1e-12)
    np.testing.assert_allclose(run["apex.y"], heights, atol=1e-14)
    np.testing.assert_allclose(run.effort("press"), np.negative([*DEFLECTIONS.values()]), atol=1e-10)


def test_where_a_truss_lands_after_it_has_snapped():
    """Under the limit load, on the other side."""
    found = mbs.equilibrium(truss(30.191474033251500073), {"apex.y": -0.25})
    assert found.stable and found["apex.y"] == pytest.approx(-0.2317006504064572744, abs=1e-12)


def test_a_crank_held_by_a_torsion_spring():
    """ω² = V''/M; damping from the crank alone."""
    r, l = 0.1, 0.3
    theta = 0.6
    pin, slide = (r * cos(theta), r * sin(theta)), r * cos(theta) + sqrt(l**2 - (r * sin(theta)) ** 2)
    model = mbs.PlanarModel("slider-crank", gravity=(0, -9.81))
    crank, rod = model.link("crank", (0, 0), pin, mass=2.0), model.link("rod", pin, (slide, 0), mass=1.5)
    wheel = model.body("wheel", inertia=0.02, angle=theta)
    slider = model.body("slider", mass=1.0, position=(slide, 0))
    model.add(
        mbs.Revolute("O", model.ground, crank.tail),
        mbs.Fixed("hub", crank.tail, wheel),
        mbs.Revolute("A", crank.head, rod.tail),
        mbs.Revolute("B", rod.head, slider),
        mbs.Translational("guide", model.ground, slider),
        mbs.TorsionSpring("spring", model.ground, wheel, stiffness=15.0, damping=0.1, angle=0.8),
    )
    found = mbs.equilibrium(model)
    assert found["crank.angle"] == pytest.approx(0.71346446064276537207, abs=1e-12)
    for coordinates in SETS:
        law = mbs.linearize(
            model.compile(coordinates), found.state, coordinates=["crank.angle"] * (coordinates != "natural")
        )
        assert law.frequencies == pytest.approx([17.652197849777717711], rel=1e-10)
        assert law.damping == pytest.approx([0.063604827946135809535], rel=1e-9)
        root = -1.1227650071062602261 + 17.616455025529817417j
        assert np.abs(law.eigenvalues - root).min() < 1e-9 * abs(root)
    law = mbs.linearize(model, found.state, coordinates=["crank.angle"])
    assert law.M[0, 0] == pytest.approx(0.044532916223374890283, rel=1e-12)
    assert law.K[0, 0] == pytest.approx(13.87646065541329984, rel=1e-10)
    assert law.D[0, 0] == pytest.approx(0.1, rel=1e-12)


@pytest.mark.parametrize("coordinates", SETS)
@pytest.mark.parametrize("declared", ["parameter", "input"])
def test_inputs_and_parameters_of_forces(declared, coordinates):
    """A force on a mass on a spring and a damper: ẍ = (u - k x - c ẋ)/m."""
    model = mbs.PlanarModel("mass")
    u = getattr(model, declared)("u", 0.0)
    block = model.body("block", 2.0, 1.0)
    model.add(
        mbs.Translational("guide", model.ground, block),
        mbs.SpringDamper("s", model.ground.at(-1, 0), block, stiffness=8.0, damping=0.4, length=1.0),
        mbs.Force("push", block, (u, 0)),
    )
    outputs = ["block.x", "block.vx", "block.ax"]
    law = mbs.linearize(model.compile(coordinates), inputs=["u"], outputs=outputs, coordinates=["block.x"])
    np.testing.assert_allclose(law.A, [[0, 1], [-4, -0.2]], atol=1e-12)
    np.testing.assert_allclose(law.B, [[0], [0.5]], atol=1e-12)
    np.testing.assert_allclose(law.C, [[1, 0], [0, 1], [-4, -0.2]], atol=1e-12)
    np.testing.assert_allclose(law.feedthrough, [[0], [0], [0.5]], atol=1e-12)
