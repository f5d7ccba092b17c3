"""Mechanisms said in points and rods: geometry in closed form, the same as built by hand, and every error."""

import numpy as np
import pytest
import sympy as sp
from gallery import load
from refusals import refused
from scipy.integrate import dblquad

import mbs_dae as mbs
from mbs_dae.model.linkages.shapes import polygon, shape_of

FOUR_BAR = {"A": (0, 0), "B": (0, 0.2), "C": (0.5, 0.6), "D": (0.7, 0)}
RODS = {"crank": "AB", "coupler": "BC", "rocker": "CD"}


def four_bar(**more):
    return mbs.PlanarModel.from_points(FOUR_BAR, **{"rods": RODS, "fixed": "AD", **more})


def far(a: str, b: str, places=FOUR_BAR) -> float:
    return float(np.hypot(*np.subtract(places[a], places[b])))


# --- motion -----------------------------------------------------------------------------------------------------


def test_a_four_bar_goes_as_its_triangles_say():
    """f from B to D, seen under ε: θ₃ = ε + acos((f² + b² - c²)/2fb), the coupler closing the triangle from above."""
    model = four_bar()
    model.add(mbs.Driver("motor", mbs.angle(model.bodies["crank"]), np.pi / 2 + 2 * mbs.t))
    result = mbs.kinematics(model, np.linspace(0, np.pi, 61))
    a, b, c, d = far("A", "B"), far("B", "C"), far("C", "D"), far("D", "A")
    Bx, By = a * np.cos(result["crank.angle"]), a * np.sin(result["crank.angle"])
    f, eps = np.hypot(d - Bx, By), np.arctan2(-By, d - Bx)
    theta3 = eps + np.arccos((f**2 + b**2 - c**2) / (2 * f * b))
    np.testing.assert_allclose(result["coupler.angle"], theta3, rtol=0, atol=1e-9)
    np.testing.assert_allclose(result["coupler.C.x"], Bx + b * np.cos(theta3), rtol=0, atol=1e-9)
    np.testing.assert_allclose(result["rocker.C.y"], By + b * np.sin(theta3), rtol=0, atol=1e-9)


def test_it_is_the_four_bar_that_is_built_by_hand():
    """Same coordinates, same accelerations, same loads, with rods of the same steel."""
    file = load("four_bar")
    by_hand = file.build()
    x, y, angle = (mbs.assemble(by_hand)[f"coupler.{of}"] for of in ("x", "y", "angle"))
    half = 0.06 * np.array([np.cos(angle), np.sin(angle)])
    points = {"O": (0, 0), "A": tuple((x, y) - half), "B": tuple((x, y) + half), "D": (0.1, 0)}
    model = mbs.PlanarModel.from_points(
        points, {"crank": "OA", "coupler": "AB", "rocker": "DB"}, "OD", density=file.BAR, gravity=(0, -9.81)
    )
    model.add(mbs.Driver("motor", mbs.angle(model.ground, model.bodies["crank"]), mbs.t))
    ours, theirs = (mbs.inverse_dynamics(m, file.TIMES) for m in (model, by_hand))
    np.testing.assert_allclose(ours.q, theirs.q, rtol=0, atol=1e-9)
    np.testing.assert_allclose(ours.a, theirs.a, rtol=0, atol=1e-8)
    np.testing.assert_allclose(ours.effort("motor"), theirs.effort("motor"), rtol=0, atol=1e-9)
    for joint in "OABD":
        assert np.abs(theirs.reaction(joint)).max() > 0.1
        np.testing.assert_allclose(ours.reaction(joint)[:, :2], theirs.reaction(joint)[:, :2], rtol=0, atol=1e-8)


def test_a_slider_crank_slides_along_its_line():
    """In a frame turned by 0.4: x = r cos θ + √(l² - r² sin² θ) along the line."""
    c, s = np.cos(0.4), np.sin(0.4)
    turn = np.array([[c, -s], [s, c]])
    places = {"A": (0, 0), "B": turn @ (0, 0.1), "C": turn @ (np.sqrt(0.3**2 - 0.1**2), 0)}
    for way in (0.4, (c, s)):
        model = mbs.PlanarModel.from_points(places, ["AB", "BC"], "A", sliders={"C": way})
        assert isinstance(model.elements["C"], mbs.PinInSlot)
        model.add(mbs.Driver("motor", mbs.angle(model.elements["A"]), 0.4 + np.pi / 2 + mbs.t))
        result = mbs.kinematics(model, np.linspace(0, 6, 41))
        theta = np.pi / 2 + result.t
        x = 0.1 * np.cos(theta) + np.sqrt(0.3**2 - (0.1 * np.sin(theta)) ** 2)
        np.testing.assert_allclose(result["C.displacement"], x - np.sqrt(0.08), rtol=0, atol=1e-10)
        np.testing.assert_allclose(result["BC.C.y"], s * x, rtol=0, atol=1e-10)


def test_a_triangle_of_rods_swings_like_a_plate():
    """Three rods pinned to a triangle, hung from one corner: a rigid pendulum with their inertia about it."""
    places = {"P": (0, 0), "Q": (0.3, -0.4), "R": (-0.3, -0.4)}
    model = mbs.PlanarModel.from_points(places, ["PQ", "QR", "RP"], "P", density=2.0, gravity=(0, -9.81))
    assert mbs.diagnose(model).mobility == 1
    side, base = 2.0 * 0.5, 2.0 * 0.6
    about = 2 * side * 0.25 / 3 + base * (0.6**2 / 12 + 0.4**2)
    restoring = 9.81 * (2 * side * 0.2 + base * 0.4)
    result = mbs.simulate(model, [0, 1e-3], initial={"PQ.angle": np.arctan2(-0.4, 0.3) + 0.3})
    np.testing.assert_allclose(result["QR.alpha"][0], -restoring * np.sin(0.3) / about, rtol=1e-9)


# --- what joints there are --------------------------------------------------------------------------------------


def test_joints_are_called_by_their_points():
    assert [*four_bar().elements] == ["A", "B", "C", "D"]
    places = {"A": (0, 0), "B": (1, 0), "C": (2, 0), "D": (1, 1)}
    model = mbs.PlanarModel.from_points(places, ["AB", "BC", "BD"], "A")
    assert [*model.elements] == ["A", "B (AB-BC)", "B (AB-BD)"]
    assert model.elements["B (AB-BD)"].markers == (model.bodies["AB"].B, model.bodies["BD"].B)
    model = mbs.PlanarModel.from_points(places, ["AB", "BC", "BD"], "B")
    assert [*model.elements] == ["B (ground-AB)", "B (ground-BC)", "B (ground-BD)"]
    model = mbs.PlanarModel.from_points(places, ["AB", "BC", "BD"], "A", sliders={"B": 0})
    assert [*model.elements] == ["A", "B (ground-AB)", "B (AB-BC)", "B (AB-BD)"]
    assert mbs.diagnose(model).degrees_of_freedom == 9 - 2 - 5


def test_names_longer_than_a_letter_go_in_tuples():
    places = {"A1": (0, 0), "A2": (1, 0), "B": (1, 1)}
    model = mbs.PlanarModel.from_points(places, [("A1", "A2"), ["A2", "B"]], fixed="A1")
    assert [*model.bodies] == ["A1-A2", "A2-B"] and [*model.elements] == ["A1", "A2"]
    assert mbs.PlanarModel.from_points(places, {"bar": ("A1", "A2", "B")}, ["B"]).bodies["bar"].A2.body.name == "bar"


def test_nothing_fixed_floats():
    model = mbs.PlanarModel.from_points({"A": (0, 0), "B": (1, 0), "C": (1, 1)}, ["AB", "BC"], mass=1.0)
    assert mbs.diagnose(model).degrees_of_freedom == 4


# --- bodies -----------------------------------------------------------------------------------------------------


def test_rods_are_slender_and_uniform():
    model = four_bar(mass={"crank": 1.0, "coupler": 2.0, "rocker": 3.0})
    for mass, (name, ends) in zip((1.0, 2.0, 3.0), RODS.items(), strict=True):
        body, length = model.bodies[name], far(*ends)
        assert body.mass == mass and body.com == (0, 0)
        assert body.inertia == pytest.approx(mass * length**2 / 12, rel=1e-14)
        assert body.position == pytest.approx(np.mean([FOUR_BAR[p] for p in ends], axis=0))
        assert body.markers[ends[0]].point == (-length / 2, 0) and body.markers[ends[1]].point == (length / 2, 0)
    assert four_bar(density=3.0).bodies["coupler"].mass == pytest.approx(3 * far("B", "C"))
    assert four_bar().bodies["coupler"].mass == 0


PLATES = {
    "triangle": [(0.3, 0.1), (1.4, 0.2), (0.9, 1.3)],
    "triangle, clockwise": [(0.3, 0.1), (0.9, 1.3), (1.4, 0.2)],
    "far away": [(20.3, -30.1), (21.4, -29.8), (20.9, -28.7)],
    "dart": [(0, 0), (2, 0), (0.6, 0.5), (0.4, 2)],
    "five corners": [(0, 0), (1, -0.5), (2, 0.3), (1.2, 1.1), (0.1, 0.9)],
}


@pytest.mark.parametrize("corners", PLATES.values(), ids=PLATES.keys())
def test_plates_have_the_moments_of_their_area(corners):
    """Against cubature over triangles that make them up, seen from the first corner."""
    first = corners[0]
    totals = np.zeros(4)
    for p, q in zip(corners[1:], corners[2:], strict=False):
        u, v = np.subtract(p, first), np.subtract(q, first)
        size = u[0] * v[1] - u[1] * v[0]

        def over(f, u=u, v=v, size=size):
            value = dblquad(lambda b, a: f(*(np.add(first, a * u + b * v))), 0, 1, 0, lambda a: 1 - a)[0]
            return size * value

        monomials = (lambda x, y: 1.0, lambda x, y: x, lambda x, y: y, lambda x, y: x * x + y * y)
        totals += [over(monomial) for monomial in monomials]
    area, x, y, gyration = totals[0], *totals[1:] / totals[0]
    gyration -= x * x + y * y
    names = "ABCDE"[: len(corners)]
    shape = shape_of("plate", names, dict(zip(names, corners, strict=True)))
    assert shape.is_plate and shape.size == pytest.approx(abs(area))
    assert shape.position == pytest.approx((x, y)) and shape.gyration == pytest.approx(gyration, rel=1e-9)
    turn = np.array([[np.cos(shape.angle), -np.sin(shape.angle)], [np.sin(shape.angle), np.cos(shape.angle)]])
    for name, place in zip(names, corners, strict=True):
        assert shape.position + turn @ shape.markers[name] == pytest.approx(place)
    assert shape.markers["A"][1] == pytest.approx(shape.markers["B"][1])  # the x axis from A to B
    assert shape.markers["A"][0] < shape.markers["B"][0]


def test_a_rectangle_has_the_moment_of_textbooks():
    centre, area, gyration = polygon([0, 3, 3 + 2j, 2j])
    assert centre == pytest.approx(1.5 + 1j) and area == pytest.approx(6)
    assert gyration == pytest.approx((3**2 + 2**2) / 12)
    plate = mbs.PlanarModel.from_points({"A": (0, 0), "B": (3, 0), "C": (3, 2), "D": (0, 2)}, ["ABCD"], "A", density=5)
    assert plate.bodies["ABCD"].mass == pytest.approx(30)
    assert plate.bodies["ABCD"].inertia == pytest.approx(30 * 13 / 12)


def test_three_points_on_a_line_are_a_rod_between_the_outermost():
    places = {"M": (0.3, 0.3 / 3), "A": (0.1, 0.1 / 3), "B": (0.9, 0.9 / 3)}  # up to roundoff
    model = mbs.PlanarModel.from_points(places, {"beam": "MAB"}, "M", density=2.0)
    length, beam = far("A", "B", places), model.bodies["beam"]
    assert beam.mass == pytest.approx(2 * length) and beam.inertia == pytest.approx(2 * length**3 / 12)
    assert beam.position == pytest.approx((0.5, 0.5 / 3))
    assert beam.A.y == beam.B.y == beam.M.y == 0 and beam.A.x > beam.M.x > beam.B.x  # x from M to A


# --- errors -----------------------------------------------------------------------------------------------------

R = sp.Symbol("r")
ERRORS = {
    "no points": ({"points": {}}, "points must be a dict of names and places"),
    "points of another shape": ({"points": [(0, 0)]}, "points must be a dict of names and places"),
    "a name that is none": ({"points": {"A 1": (0, 0)}}, "'A 1' cannot name a point; use letters, digits and _"),
    "a quantity for a name": ({"points": {"x": (0, 0)}}, "'x' cannot name a point, it is a quantity of bodies"),
    "ground": ({"points": {"ground": (0, 0)}}, "'ground' cannot name a point"),
    "a place in space": ({"points": {"A": (0, 0, 0)}}, "point 'A' must be a pair (x, y), not (0, 0, 0)"),
    "a place nowhere": ({"points": {"A": (0, float("nan"))}}, "y of the point 'A' is nan; give a finite number"),
    "a place of symbols without values": (
        {"points": {"A": (0, R)}},
        "point 'A' is (0, r), with symbols that are not parameters: r; declare them",
    ),
    "no rods": ({"rods": {}}, 'rods is empty, and nothing can move; write rods={"crank": "AB"}'),
    "rods in a text": ({"rods": "AB"}, "rods must be a dict of names and points, or a list, not 'AB'"),
    "a rod of a number": ({"rods": {"crank": 5}}, "rod 'crank' must name points, not 5; write"),
    "a rod of nothing": ({"rods": {"crank": ()}}, "rod 'crank' names no point; write"),
    "an empty text": ({"rods": {"crank": ""}}, "rod 'crank' is '', but from_points has no point ''"),
    "an unknown letter": ({"rods": {"crank": "AX"}}, "rod 'crank' is 'AX', but from_points has no point 'X'; use one"),
    "an unknown name": ({"rods": {"crank": ("A", "B1")}}, "from_points has no point 'B1'; did you mean 'B'?"),
    "a rod in a list": ({"rods": ["AB", "BX"]}, "a rod is 'BX', but from_points has no point 'X'"),
    "one point": ({"rods": {"crank": "A"}}, "rod 'crank' has one point, A; name two for a rod"),
    "the same point twice": ({"rods": {**RODS, "crank": "ABA"}}, "rod 'crank' names A twice; name each point once"),
    "the same place twice": (
        {"points": {**FOUR_BAR, "B": (0, 0)}},
        "points A and B of rod 'crank' are the same place; move one of them",
    ),
    "the same rod twice": ({"rods": ["AB", "BC", "CD", "BC"]}, "rods has 'BC' twice; leave one out, or give names"),
    "a rod called like a point": ({"rods": {**RODS, "A": "BC"}}, "rod 'A' has the name of a point"),
    "a rod called ground": ({"rods": {**RODS, "ground": "BC"}}, "the model already has 'ground'"),
    "a heavy plate with a point inside": (
        {
            "points": {"A": (0, 0), "B": (4, 0), "C": (4, 4), "D": (0, 4), "E": (2, 1)},
            "rods": {"plate": "ACBDE"},
            "fixed": "A",
            "mass": 1.0,
        },
        "edges A-C and B-D of rod 'plate' meet; name its points in order around the plate",
    ),
    "a point of no rod": ({"points": {**FOUR_BAR, "E": (1, 1)}}, "point 'E' belongs to no rod; name it in one"),
    "a fixed point of no rod": ({"rods": {"crank": "AB", "coupler": "BC"}}, "fixed point 'D' belongs to no rod"),
    "a fixed point that is not there": ({"fixed": "AX"}, "fixed is 'AX', but from_points has no point 'X'"),
    "a fixed point twice": ({"fixed": "AA"}, "fixed names A twice"),
    "fixed at both ends": (
        {"rods": {**RODS, "frame": "AD"}},
        "rod 'frame' is fixed at A and D and cannot move; leave it out",
    ),
    "a sliding point that is not there": ({"sliders": {"X": 0}}, "from_points has no point 'X'"),
    "fixed and sliding": ({"sliders": {"A": 0}}, "point 'A' is fixed and slides"),
    "sliders of another shape": ({"sliders": "C"}, "sliders must be a dict of points and angles or directions"),
    "a direction to nowhere": ({"sliders": {"C": (0, 0)}}, "slider 'C' has no direction; give an angle"),
    "a direction in words": ({"sliders": {"C": "up"}}, "angle of slider 'C' must be a number, not 'up'"),
    "a mass in words": ({"mass": "heavy"}, "mass of rod 'crank' must be a number, not 'heavy'"),
    "a negative mass": ({"mass": {"crank": 1, "coupler": -2, "rocker": 1}}, "mass of rod 'coupler' is -2; it must not"),
    "a mass left out": ({"mass": {"crank": 1}}, "mass says nothing of coupler, rocker; give a number for each rod"),
    "a mass of nothing": ({"mass": {"cramk": 1}}, "from_points has no rod 'cramk'; did you mean 'crank'?"),
    "mass and density": ({"mass": 1, "density": 1}, "from_points got mass and density; give one of them"),
    "one density for rods and plates": (
        {"points": {**FOUR_BAR, "P": (0.2, 0.9)}, "rods": {**RODS, "coupler": "BCP"}, "density": 3},
        "density is one number, but rods have kg/m and plates kg/m²; give a dict",
    ),
}


@pytest.mark.parametrize("case", ERRORS)
def test_what_cannot_be_is_told_by_name(case):
    given, message = ERRORS[case]
    with pytest.raises(mbs.ModelError) as caught:
        mbs.PlanarModel.from_points(**{"points": FOUR_BAR, "rods": RODS, "fixed": "AD", **given})
    assert message in str(caught.value)


def test_a_text_that_is_a_point_and_letters_is_asked_about():
    places = {"A": (0, 0), "B": (1, 0), "AB": (1, 1)}
    with refused("ambiguous-points", value="AB"):
        mbs.PlanarModel.from_points(places, {"bar": "AB"}, "A")
    model = mbs.PlanarModel.from_points(places, {"bar": ("A", "B"), "other": ("B", "AB")}, ("AB",))
    assert [*model.elements] == ["B", "AB"]
