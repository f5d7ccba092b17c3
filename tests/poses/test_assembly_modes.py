"""All poses for given values of drivers: known sets of them, generic numbers, what is told, circuits and branches."""

import time

import numpy as np
import pytest
import sympy as sp
from gallery import load
from modes_oracle import about_x, ends_of_platform, hand, legs, poses_of, turned
from refusals import refused

import mbs_dae as mbs

# --- in the plane: sets that are known to 20 digits ----------------------------------------------------------------

SIX_BAR = [  # crank, coupler, rocker and dyad angles; solved in rational arithmetic, and counted by a scan
    (0.096269511619630936894, 1.3436159411206142858, 1.2374145295963740622, -0.97245251593668951898),
    (0.13714429262904263865, 1.6938950498660964214, 1.5526479154856869823, -1.2957460843522098981),
    (1.4375959621075155036, 0.03601955996894623591, 1.3946790447069044429, -0.3854001873401574976),
    (3.0232286134171859113, 0.26899827131990096182, 2.7881910989994458401, -1.7844503033722376338),
]
THREE_RPR = [  # angle, x, y
    (-0.85156587624039338531, 0.39009297194074405748, 1.7268338015637770325),
    (0.12511691926195713499, 0.41413632420432085405, -0.77582436307144454934),
    (0.7075962128201701947, -0.12326873964170258647, -0.40860852715341981343),
    (1.9034674680324265516, 2.1383457718727888564, 0.8041753576159068927),
]
POINTS = {"A": (0, 0), "B": (0.6, 0), "C": (0.825, 0.662), "D": (1, 0)}


def four_bar(**more):
    rods = {"crank": "AB", "coupler": "BC", "rocker": "CD"}
    return mbs.PlanarModel.from_points(POINTS | more, rods=rods, fixed="AD")


def six_bar():
    """Stephenson III: a four-bar, whose coupler is held by a dyad on a crank with a given angle."""
    a, b, c, f, u, v, e, q = 1.0, 0.91, 1.04, 0.86, 0.91, 0.61, 1.14, 0.63
    angle = 2 * np.arctan(0.64)
    E = np.array([-0.3, 1.49])
    A, Q = a * np.array([np.cos(1.4), np.sin(1.4)]), E + q * np.array([np.cos(angle), np.sin(angle)])
    model = mbs.PlanarModel("six-bar")
    crank, coupler = model.link("crank", (0, 0), tuple(A), length=a), model.body("coupler", position=tuple(A))
    rocker, drive = model.link("rocker", (f, 0), (f, c), length=c), model.link("drive", tuple(E), tuple(Q), length=q)
    rod, ground = model.link("rod", tuple(Q), tuple(A + [u, v]), length=e), model.ground
    model.add(
        mbs.Revolute("O", ground, crank.tail),
        mbs.Revolute("A", crank.head, coupler.at(0, 0)),
        mbs.Revolute("B", coupler.at(b, 0), rocker.head),
        mbs.Revolute("C", ground.at(f, 0), rocker.tail),
        mbs.Revolute("P", coupler.at(u, v), rod.head),
        mbs.Revolute("Q", drive.head, rod.tail),
        mbs.Revolute("E", ground.at(*E), drive.tail),
    )
    return model, {"drive.angle": angle}


def three_rpr(lengths=(1.35, 1.47, 1.71)):
    base, joints = [(0.83, 0.49), (2.2, 0.32), (0.41, 2.61)], [(-0.04, 0), (0.95, -0.25), (0.68, 1.67)]
    model = mbs.PlanarModel("3-RPR")
    platform = model.body("platform", position=(0.5, 0.5))
    for k, (b, m, length) in enumerate(zip(base, joints, lengths, strict=True)):
        value = model.parameter(f"l{k}", length, "m")
        model.add(mbs.Driver(f"leg{k}", mbs.distance(model.ground.at(*b), platform.at(*m)), value))
    return model


def wrapped(angle):
    return np.mod(angle + np.pi, 2 * np.pi) - np.pi


def test_a_six_bar_has_the_modes_that_exact_arithmetic_finds():
    model, given = six_bar()
    modes = mbs.assembly_modes(model, fix=given)
    assert (modes.complex, modes.complete, modes.message) == (6, True, "")
    found = np.column_stack([wrapped(modes[f"{name}.angle"]) for name in ("crank", "coupler", "rocker", "rod")])
    found = found[np.argsort(found[:, 0])]
    known = np.array(SIX_BAR)
    assert found.shape == known.shape
    assert np.abs(found - known).max() < 1e-12


def test_the_six_bar_of_the_gallery_has_the_modes_that_a_scan_of_its_coupler_curve_finds():
    """Crank angles at which P is as far from Q as the rod is long, on both sides of the diagonal from A to C."""
    model = load("stephenson_six_bar").build()
    modes = mbs.assembly_modes(model)
    assert (len(modes), modes.complex, modes.complete) == (6, 6, True)
    a, b, c, d, u, v, e, q, ex, ey, phi = (p.value for p in list(model.parameters.values())[:11])
    A, Q = a * np.exp(1j * np.linspace(-np.pi, np.pi, 20001)), ex + 1j * ey + q * np.exp(1j * phi)
    diagonal = d - A
    cosine = (abs(diagonal) ** 2 + b * b - c * c) / (2 * b * abs(diagonal))
    bend = np.arccos(np.where(abs(cosine) <= 1, cosine, np.nan))
    known = []
    for side in (1, -1):
        gap = abs(A + (u + 1j * v) * diagonal / abs(diagonal) * np.exp(1j * side * bend) - Q) - e
        known += list(A[:-1][gap[:-1] * gap[1:] < 0])
    found = modes["crank.head.x"] + 1j * modes["crank.head.y"]
    assert len(known) == 6 and max(abs(found - x).min() for x in known) < 4e-4 * a  # as fine as the scan


def test_a_three_rpr_platform_has_the_modes_that_exact_arithmetic_finds_and_keeps_its_generic_solutions():
    model = three_rpr()
    modes = mbs.assembly_modes(model)
    assert (modes.complex, modes.complete) == (6, True)
    found = np.column_stack([modes["platform.angle"], modes["platform.x"], modes["platform.y"]])
    assert np.abs(found[np.argsort(found[:, 0])] - THREE_RPR).max() < 1e-12
    again = mbs.assembly_modes(model, seed=7)  # another generic member, other loops
    assert (again.complex, again.complete, len(again)) == (6, True, 4)
    assert np.abs(np.sort(again["platform.x"]) - np.sort(modes["platform.x"])).max() < 1e-12

    design = model.with_parameters(l0=1.2)
    kept = len(model.compile().structure._made)
    other = mbs.assembly_modes(design)
    assert len(model.compile().structure._made) == kept  # no generic solutions but those that there are
    for mode in other:
        e = np.r_[np.cos(mode["platform.angle"] / 2), 0, 0, np.sin(mode["platform.angle"] / 2)]
        base, joints = np.array([(0.83, 0.49, 0)]), np.array([(-0.04, 0, 0)])
        place = np.array([mode["platform.x"], mode["platform.y"], 0])
        assert abs(legs(place, e, base, joints)[0] - 1.2) < 1e-12


@pytest.mark.parametrize("seed", [1, 2])
def test_a_four_bar_has_two_modes(seed):
    modes = mbs.assembly_modes(four_bar(), fix={"crank.angle": 0.6}, seed=seed)
    assert (len(modes), modes.complex, modes.complete) == (2, 2, True)
    B, D = 0.6 * np.array([np.cos(0.6), np.sin(0.6)]), np.array([1.0, 0.0])
    b, c = np.hypot(0.225, 0.662), np.hypot(0.175, 0.662)
    d = np.hypot(*(D - B))
    x = (b * b - c * c + d * d) / (2 * d)
    across = np.array([-(D - B)[1], (D - B)[0]]) / d * np.sqrt(b * b - x * x)
    for mode in modes:
        C = np.array([mode["coupler.C.x"], mode["coupler.C.y"]])
        assert min(np.abs(C - (B + x * (D - B) / d + s * across)).max() for s in (1, -1)) < 1e-13


def test_of_a_parallelogram_with_a_third_crank_the_crossed_mode_is_none():
    """Its equations are redundant; what is left out is asked at the end."""
    model = mbs.PlanarModel.from_points(
        {"A": (0, 0), "B": (0.4, 0.3), "C": (1.4, 0.3), "D": (1, 0)}, rods=["AB", "BC", "CD"], fixed="AD"
    )
    assert len(mbs.assembly_modes(model, fix={"AB.angle": 0.7})) == 2
    bar = model.link("third", (0.5, 0), (0.9, 0.3))
    model.add(mbs.Revolute("A3", model.ground.at(0.5, 0), bar.tail), mbs.Revolute("B3", bar.head, model.bodies["BC"]))
    (mode,) = mbs.assembly_modes(model, fix={"AB.angle": 0.7})
    assert abs(mode["BC.angle"]) < 1e-12


def test_a_four_bar_of_space_with_parallel_axes_is_that_of_the_plane():
    """Three equations too many, and bodies could stand on their heads."""
    model = mbs.SpatialModel("four-bar")
    A, B, C, D = ((x, y, 0) for x, y in POINTS.values())
    crank, coupler, rocker = model.link("crank", A, B), model.link("coupler", B, C), model.link("rocker", D, C)
    ground = model.ground
    pins = ("A", ground, crank, A), ("B", crank, coupler, B), ("C", coupler, rocker, C), ("D", ground, rocker, D)
    for name, *bodies, at in pins:
        model.add(mbs.Revolute(name, *bodies, at=at, axis=(0, 0, 1)))
    modes = mbs.assembly_modes(model, fix={"A.angle": 0.6})
    flat = mbs.assembly_modes(four_bar(), fix={"crank.angle": 0.6})
    assert (len(modes), modes.complex) == (2, 2)
    assert np.abs(np.sort(modes["coupler.x"]) - np.sort(flat["coupler.x"])).max() < 1e-12


# --- in space -------------------------------------------------------------------------------------------------------

PLATFORM = [  # the places of the real ones of 40 poses, of the platform below; by `ends_of_platform`
    (-0.39144759351774416, -0.4624625236861672, 0.5666690552791332),
    (-0.0695902090353631, -0.7602601089509946, 0.7025154267664672),
    (0.2776002972751596, -2.5375942767411948, -0.32212103974079065),
    (0.44701022422965825, -2.1777853333666264, -0.5477876121133957),
    (0.9591848586745112, -0.9798545663746753, -0.7977957578895387),
    (1.0618969417771682, -0.6971030913401226, -0.7520634716909467),
]


def test_the_three_rpr_platform_of_the_gallery_has_six_real_modes():
    """The pins of the platform in each are as far from the base as the legs are long, and no two are the same."""
    gallery = load("three_rpr")
    model = gallery.build()
    modes = mbs.assembly_modes(model)
    assert (len(modes), modes.complex, modes.complete) == (6, 6, True)
    places = modes["platform.x"] + 1j * modes["platform.y"]
    pins = places[:, None] + np.exp(1j * modes["platform.angle"])[:, None] * (np.array(gallery.PINS) @ [1, 1j])
    assert np.abs(np.abs(pins - np.array(gallery.BASE) @ [1, 1j]) - [1.48, 1.86, 1.69]).max() < 1e-12
    assert np.abs(np.subtract.outer(pins[:, 2], pins[:, 2]) + np.eye(6)).min() > 0.1


def platform_of(seed, coincident=False):
    """A random platform on six legs of given lengths, which stands somewhere. With coincident joints two legs each meet
    in a point of the platform."""
    random = np.random.default_rng(seed)
    base, joints = random.normal(size=(6, 3)), random.normal(size=(6, 3))
    if coincident:
        joints[1::2] = joints[::2]
    lengths = legs(random.normal(size=3), random.normal(size=4), base, joints)
    model = mbs.SpatialModel("platform")
    body = model.body("platform", position=(0.1, 0.2, 1.0))
    for k in range(6):
        gap = mbs.distance(model.ground.at(*base[k]), body.at(*joints[k]))
        model.add(mbs.Driver(f"leg{k}", gap, model.parameter(f"l{k}", lengths[k], "m")))
    return model, base, joints, lengths


def lengths_in(modes, base, joints):
    return np.array([legs(state.q[:3], state.q[3:7], base, joints) for state in modes])


@pytest.mark.slow
def test_a_platform_has_forty_solutions_and_the_real_ones_that_another_homotopy_finds():
    model, base, joints, lengths = platform_of(4)
    modes = mbs.assembly_modes(model)
    assert (modes.complex, modes.generic, modes.complete) == (40, 40, True)
    found = np.column_stack([modes[f"platform.{c}"] for c in "xyz"])
    known = np.array(PLATFORM)
    assert found.shape == known.shape
    assert np.abs(found[np.argsort(found[:, 0])] - known).max() < 1e-11
    assert np.abs(lengths_in(modes, base, joints) - lengths).max() < 1e-13
    shorter = mbs.assembly_modes(model.with_parameters(l0=0.995 * lengths[0]))  # forty paths only
    assert shorter.complex == 40 and len(shorter) > 0
    assert np.abs(lengths_in(shorter, base, joints) - [0.995 * lengths[0], *lengths[1:]]).max() < 1e-13


@pytest.mark.soak
def test_a_platform_whose_legs_meet_in_three_points_has_sixteen():
    model, base, joints, lengths = platform_of(5, coincident=True)
    modes = mbs.assembly_modes(model)
    assert (modes.complex, modes.complete) == (16, True)
    assert np.abs(lengths_in(modes, base, joints) - lengths).max() < 1e-13


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 200))
def test_random_platforms_have_forty(seed):
    """In less than a minute each; and loops of other random numbers find the same ones."""
    begun, found = time.process_time(), []
    for own in (1, 2):
        model, base, joints, lengths = platform_of(seed)
        modes = mbs.assembly_modes(model, seed=own)
        assert time.process_time() - begun < 60.0 * own
        assert (modes.complex, modes.complete) == (40, True)
        assert len(modes) % 2 == 0  # complex ones come in pairs
        assert len(modes) > 0
        assert np.abs(lengths_in(modes, base, joints) - lengths).max() < 1e-12
        found.append(np.sort(modes["platform.x"]))
    assert np.abs(found[0] - found[1]).max() < 1e-11


@pytest.mark.soak
def test_the_platform_of_the_gallery_has_the_modes_that_another_homotopy_finds():
    gallery = load("platform_6_6")
    model, base, joints = gallery.build(), np.array(gallery.BASE), np.array(gallery.JOINTS)
    lengths = lengths_in([mbs.assemble(model)], base, joints)[0]
    poses = poses_of(ends_of_platform(base, joints, lengths))
    real = np.sort(poses[np.abs(poses.imag).max(axis=1) < 1e-7].real[:, 9])
    modes = mbs.assembly_modes(model)
    assert (modes.complex, modes.complete, len(modes)) == (40, True, 8)
    assert np.abs(np.sort(modes["platform.x"]) - real).max() < 1e-9


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(4, 8))
def test_random_platforms_have_the_poses_of_another_homotopy(seed):
    model, base, joints, lengths = platform_of(seed)
    poses = poses_of(ends_of_platform(base, joints, lengths))
    real = np.sort(poses[np.abs(poses.imag).max(axis=1) < 1e-7].real[:, 9])
    modes = mbs.assembly_modes(model)
    assert len(poses) == modes.complex == 40
    assert np.abs(np.sort(modes["platform.x"]) - real).max() < 1e-9


A, D, ALPHA = (0.3, 1, 0, 1.5, 0, 0), (0, 0, 0.2, 0, 0, 0), np.radians([90, 1, 90, 1, 90, 1])


def arm():
    """The arm of Manseur and Doty (1989), whose hand reaches one place in 16 ways."""
    columns = [[-0.760117, -0.641689, 0.102262], [0.133333, 0, 0.991071], [-0.635959, 0.766965, 0.085558]]
    U, _, V = np.linalg.svd(np.array(columns).T)  # six printed digits: the nearest rotation
    model = mbs.SpatialModel("arm")
    place, frame, before = np.zeros(3), np.eye(3), model.ground
    for k in range(6):
        body = model.body(f"link{k + 1}", position=tuple(place), rotation=frame)
        axes = {"axis": tuple(frame[:, 2]), "x_axis": tuple(frame[:, 0])}
        model.add(mbs.Revolute(f"J{k + 1}", before, body, at=tuple(place), **axes))
        place, frame, before = place + frame @ [A[k], 0, D[k]], frame @ about_x(ALPHA[k]), body
    tip = body.at(A[5], 0, D[5], rotation=about_x(ALPHA[5]))
    position = (-1.140175, 0.0, 0.0)
    model.add(mbs.PoseDriver("hand", tip, position=position, rotation=U @ V))
    return model, np.array(position), U @ V


@pytest.mark.soak
def test_an_arm_with_six_hinges_reaches_a_place_in_sixteen_ways():
    model, place, frame = arm()
    modes = mbs.assembly_modes(model)
    assert (len(modes), modes.complex, modes.generic) == (16, 16, 16)
    assert modes.complete is not False
    for mode in modes:
        at, axes = hand([mode[f"J{k}.angle"] for k in range(1, 7)], A, D, ALPHA)
        assert np.abs(at - place).max() < 1e-11 and np.abs(axes - frame).max() < 1e-11
    assert len({tuple(np.round(mode.q, 6)) for mode in modes}) == 16


def test_what_a_quaternion_turns():
    assert np.allclose(turned(np.array([np.cos(0.2), np.sin(0.2), 0, 0])), about_x(0.4))


# --- what is told ---------------------------------------------------------------------------------------------------


def test_a_value_out_of_reach_has_complex_solutions_only_and_the_nearest_limit_is_told():
    modes = mbs.assembly_modes(four_bar(), fix={"crank.angle": 2.5})
    assert (len(modes), modes.complex, modes.complete) == (0, 2, True)
    b, c = np.hypot(0.225, 0.662), np.hypot(0.175, 0.662)
    limit = np.arccos((1.36 - (b + c) ** 2) / 1.2)
    assert f"crank.angle goes to {limit:.9g} at most" in modes.message
    with refused("no-solution", model="mechanism"):
        modes.plot()


def two_rods(second):
    model = mbs.PlanarModel("two rods")
    first, last = model.link("first", (0, 0), (1, 0)), model.link("second", (1, 0), (0.2, 0.3), length=second)
    model.add(mbs.Revolute("A", model.ground, first.tail), mbs.Revolute("B", first.head, last.tail))
    return model


def test_a_continuum_of_poses_is_told_with_its_dimension():
    """Equal rods that lie on each other turn about their end."""
    modes = mbs.assembly_modes(two_rods(1.0), fix={"second.head.x": 0.0, "second.head.y": 0.0})
    assert (len(modes), modes.complex, modes.dimension) == (0, 0, 1)
    assert "a continuum of 1 dimension" in modes.message


def test_two_modes_that_run_into_one_are_one_singular_mode():
    modes = mbs.assembly_modes(two_rods(0.7), fix={"second.head.x": 1.7, "second.head.y": 0.0})
    assert (len(modes), modes.singular, modes.dimension) == (1, 2, 0)
    assert abs(modes[0]["first.angle"]) < 1e-12


@pytest.mark.parametrize("angle", [0.0, np.pi])
def test_at_its_change_points_a_parallelogram_has_one_mode_that_lies_in_one_line(angle):
    """Two circles that touch: a double solution, which roundoff would make two, 1e-6 apart."""
    bars = four_bar(B=(0.4, 0.3), C=(1.4, 0.3))
    modes = mbs.assembly_modes(bars, fix={"crank.angle": angle})
    assert (len(modes), modes.complex, modes.singular, modes.dimension) == (1, 1, 2, 0)
    assert np.abs(np.sin([modes["coupler.angle"], modes["rocker.angle"]])).max() < 1e-12


@pytest.mark.parametrize("angle", [1e-7, 1e-6, 1e-5, -3e-7])
def test_next_to_its_change_point_a_parallelogram_has_two_modes_and_none_between_them(angle):
    """Coupler angles 0, and to first order in the crank's φ -2φ of the crossed one; roundoff counts over φ."""
    bars = four_bar(B=(0.4, 0.3), C=(1.4, 0.3))
    modes = mbs.assembly_modes(bars, fix={"crank.angle": angle})
    assert (len(modes), modes.complex, modes.complete) == (2, 2, True)
    off = np.abs(np.sort(modes["coupler.angle"]) - np.sort([0.0, -2 * angle])).max()
    assert off < 1e-3 * abs(angle) + 1e-15 / abs(angle)


@pytest.mark.parametrize("beyond", [1e-9, 1e-10, 1e-11, 1e-12, 1e-13])
def test_a_dead_point_has_two_modes_on_one_side_and_none_on_the_other(beyond):
    """As far as roundoff lets them be told apart: the two are √(beyond) from the dead point."""
    b, c = np.hypot(0.225, 0.662), np.hypot(0.175, 0.662)
    limit = np.arccos((1.36 - (b + c) ** 2) / 1.2)
    inside, outside = (mbs.assembly_modes(four_bar(), fix={"crank.angle": limit + d}) for d in (-beyond, beyond))
    assert (len(inside), len(outside)) == (2, 0)
    assert (inside.complex, outside.complex, inside.complete, outside.complete) == (2, 2, True, True)
    apart = [
        float(np.ptp(mbs.assembly_modes(four_bar(), fix={"crank.angle": limit - d})["rocker.angle"]))
        for d in (beyond, 1e-6)
    ]
    assert apart[0] / apart[1] == pytest.approx(np.sqrt(beyond / 1e-6), rel=1e-2)


def test_a_short_continuum_is_none_of_isolated_modes():
    """Equal rods that lie on each other, of a length in which a mechanism is large."""
    model = mbs.PlanarModel("two short rods, and a long one")
    first, last = (
        model.link("first", (0, 0), (0.004, 0)),
        model.link("second", (0.004, 0), (0.001, 0.001), length=0.004),
    )
    long = model.link("long", (0, 0), (1, 0))
    for name, *pair in (("A", model.ground, first.tail), ("B", first.head, last.tail), ("C", model.ground, long.tail)):
        model.add(mbs.Revolute(name, *pair))
    fix = {"second.head.x": 0.0, "second.head.y": 0.0, "long.angle": 0.3}
    modes = mbs.assembly_modes(model, fix=fix)
    assert (len(modes), modes.dimension) == (0, 1)


def test_a_solution_that_newton_does_not_sharpen_is_told(monkeypatch):
    def lost(*_):
        raise mbs.AssemblyError("lost", kind="bad guess", joints=(), residuals={})

    monkeypatch.setattr("mbs_dae.modes.poses.closed", lost)
    modes = mbs.assembly_modes(four_bar(), fix={"crank.angle": 0.6})
    assert (len(modes), modes.complete) == (0, None)
    assert "at 2 ends of paths that look real Newton's method finds no pose" in modes.message


def test_where_more_is_held_than_there_are_freedoms_it_is_said_which_to_leave_out():
    driven = four_bar()
    driven.add(mbs.Driver("motor", mbs.angle(driven.elements["A"]), 0.6))
    assert len(mbs.assembly_modes(driven, fix={"crank.angle": 0.6})) == 2  # what repeats itself does no harm
    told = mbs.assembly_modes(driven, fix={"crank.angle": 0.7}).message
    assert told.startswith("there is no real pose: crank.angle and motor hold 2 quantities of 1 freedom")
    assert "leave 1 of them out" in told


def test_freedoms_that_nothing_leads_are_refused():
    with refused("undriven-freedom", model="two rods", freedoms=2) as told:
        mbs.assembly_modes(two_rods(1.0))
    assert told.value.freedoms == 2


@pytest.mark.parametrize(
    ("element", "words"),
    [
        (
            lambda m, a, b: mbs.Gear("gear", m.elements["A"], m.elements["D"], ratio=0.7),
            ("not-algebraic", "0.7", "gear"),
        ),
        (lambda m, a, b: mbs.Constraint("curve", a, phi=lambda i: i.y - sp.sin(i.x)), ("not-algebraic", "curve")),
    ],
)
def test_what_is_not_algebraic_is_refused_by_name(element, words):
    model = mbs.PlanarModel("wheels")
    a, b = model.body("a"), model.body("b", position=(1, 0))
    model.add(mbs.Revolute("A", model.ground, a), mbs.Revolute("D", model.ground, b))
    one = element(model, a, b)
    model.add(one)
    with refused(words[0], mentions=words[1:]):
        mbs.assembly_modes(model, fix={"a.angle": 0.3})


def test_modes_are_read_by_number_and_by_name():
    modes = mbs.assembly_modes(four_bar(), fix={"crank.angle": 0.6})
    assert modes[0]["crank.angle"] == modes["crank.angle"][0] == pytest.approx(0.6)
    assert [state.t for state in modes] == [0.0, 0.0]
    with refused("wrong-type", argument="key"):
        modes[0.5]
    with pytest.raises(IndexError):
        modes[2]
    with refused("is-a-rate", argument="fix", name="crank.omega"):
        mbs.assembly_modes(four_bar(), fix={"crank.omega": 1.0})
    assert modes.table("coupler.B").splitlines()[0].split() == ["mode", "coupler.B.x", "coupler.B.y"]


@pytest.mark.parametrize("turns", [-6, 1, 4])
def test_modes_do_not_depend_on_how_many_turns_a_crank_has_made(turns):
    """DesignVariables of a structure for the first time, too."""
    once = np.sort(np.sin(mbs.assembly_modes(four_bar(), fix={"crank.angle": 0.6})["rocker.angle"]))
    modes = mbs.assembly_modes(four_bar(), fix={"crank.angle": 0.6 + 2 * np.pi * turns})
    assert modes.complete and np.allclose(np.sort(np.sin(modes["rocker.angle"])), once, rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", [None, "a", -1, 1.5, True, np.nan])
def test_a_seed_is_a_whole_number(seed):
    with refused("not-an-integer", least=0):
        mbs.assembly_modes(four_bar(), fix={"crank.angle": 0.6}, seed=seed)


def test_modes_are_drawn_side_by_side_in_one_window():
    modes = mbs.assembly_modes(four_bar(), fix={"crank.angle": 0.6})
    figure = modes.plot()
    assert [ax.get_title() for ax in figure.axes] == ["mode 0: circuit 0, branch 0", "mode 1: circuit 0, branch 1"]
    assert figure.axes[0].get_xlim() == figure.axes[1].get_xlim()
