"""Linkages said in points whose dimensions are parameters: closed forms, all coordinate sets, studies."""

import numpy as np
import pytest
import sympy as sp
from refusals import refused

import mbs_dae as mbs

PLACES = {"A": (0, 0), "B": (0, 0.2), "C": (0.5, 0.6), "D": (0.7, 0), "P": (0.2, 0.7)}
RODS = {"crank": "AB", "coupler": "BCP", "rocker": "CD"}


def four_bar(**more):
    return mbs.PlanarModel.from_points(PLACES, RODS, "AD", gravity=(0, -9.81), **more)


@pytest.mark.parametrize("weight", [{"mass": 2.0}, {"density": {"crank": 1.0, "coupler": 20.0, "rocker": 3.0}}])
def test_dimensions_have_names_and_say_the_linkage_of_their_values(weight):
    """A linkage whose dimensions were changed is the one whose points were placed so, masses included."""
    sized = four_bar(dimensions=True, **weight)
    assert {name: round(p.value, 12) for name, p in sized.parameters.items() if name in ("crank.length", "D.x")} == {
        "crank.length": 0.2, "D.x": 0.7}  # fmt: skip
    # the crank is 0.25 long, and the other points of the placement stay where they are
    places = {**PLACES, "B": (0, 0.25)}
    b, c, p = (np.array(places[name]) for name in "BCP")
    along = (c - b) / np.hypot(*(c - b))
    changed = {
        "crank.length": 0.25, "coupler.length": np.hypot(*(c - b)), "coupler.P_along": along @ (p - b),
        "coupler.P_across": along[0] * (p - b)[1] - along[1] * (p - b)[0],
    }  # fmt: skip
    other = sized.with_parameters(**changed)
    placed = mbs.PlanarModel.from_points(places, RODS, "AD", gravity=(0, -9.81), **weight)
    start = {"crank.angle": np.pi / 2, "crank.omega": 1.0}
    for name in ("cartesian", "natural", "joint"):
        ours = mbs.simulate(other.compile(name), [0, 0.1], initial=start)
        theirs = mbs.simulate(placed.compile(name), [0, 0.1], initial=start)
        np.testing.assert_allclose(ours["coupler.P.x"], theirs["coupler.P.x"], rtol=0, atol=1e-9)
        np.testing.assert_allclose(ours["coupler.alpha"], theirs["coupler.alpha"], rtol=0, atol=1e-7)


def test_a_study_knows_dimensions_by_name():
    """The point P of the crank stands at l (cos t, sin t)."""
    model = mbs.PlanarModel.from_points({"A": (0, 0), "B": (1, 0)}, {"crank": "AB"}, "A", dimensions=True)
    model.add(mbs.Driver("motor", mbs.angle(model.bodies["crank"]), mbs.t))
    study = mbs.ensemble(model, [0.0, 0.5], over={"crank.length": [0.5, 2.0]}, verb="kinematics")
    ends = study["crank.B.x"][:, -1] - study["crank.A.x"][:, -1]
    np.testing.assert_allclose(ends, np.array([0.5, 2.0]) * np.cos(0.5), rtol=1e-12)
    with refused("not-positive", argument="length of link 'crank'", value=-1.0):
        mbs.assemble(model.with_parameters(**{"crank.length": -1.0}))


def test_a_gradient_a_program_and_a_live_page_know_dimensions(tmp_path):
    """x of B is l cos t, so its slope by l is cos t; programs and pages read the length by its name."""
    model = mbs.PlanarModel.from_points({"A": (0, 0), "B": (1, 0)}, {"crank": "AB"}, "A", dimensions=True)
    model.add(mbs.Driver("motor", mbs.angle(model.bodies["crank"]), mbs.t))
    slope = mbs.gradient(mbs.at_end("crank.B.x"), model, [0.0, 0.5], ["crank.length"], verb="kinematics")
    assert slope["crank.length"] == pytest.approx(np.cos(0.5), rel=1e-9)
    assert "crank_length" in mbs.equations(model).to_code("C")
    page = tmp_path / "arm.html"
    mbs.kinematics(model, np.linspace(0, 6, 20)).save(str(page), live=True)
    assert "crank.length" in page.read_text()


def test_points_are_expressions_of_symbols():
    """A rod of length l hangs from a pin: ω² = 3 g/(2 l)."""
    l, m = sp.symbols("l m")
    model = mbs.PlanarModel.from_points(
        {"A": (0, 0), "B": (0, -l)},
        {"rod": "AB"},
        "A",
        mass={"rod": 2 * m},
        gravity=(0, -9.81),
        parameters={l: 0.4, "m": 1},
    )
    for length in (0.4, 1.6):
        longer = model.with_parameters(l=length)
        found = abs(mbs.linearize(longer).eigenvalues[0])
        assert found == pytest.approx(np.sqrt(1.5 * 9.81 / length), rel=1e-9)
        assert mbs.equilibrium(longer)["A.Fy"] == pytest.approx(2 * 9.81, rel=1e-9)


@pytest.mark.parametrize("assumptions", [{}, {"positive": True}, {"real": True, "finite": True}])
def test_symbols_without_a_value_are_named(assumptions):
    """A symbol has no number by its assumptions, nor by a model that is another one."""
    a, x = sp.symbols("a x", **assumptions)
    points = {"A": (0, 0), "B": (0, a), "C": (x, 0.25)}
    with refused("unknown-symbols", name="B", unknown=("a",)):
        mbs.PlanarModel.from_points(points, ["AB", "BC"], "A")
    with refused("unknown-symbols", name="C", unknown=("x",)):
        mbs.PlanarModel.from_points(points, ["AB", "BC"], "A", parameters={"a": 0.1})
    q = mbs.PlanarModel("other").parameter("q", 0.1, unit="m")
    with refused("unknown-symbols", unknown=("q",)):
        mbs.PlanarModel.from_points({"A": (0, 0), "B": (0, q)}, ["AB"], "A")


def test_parameters_that_no_point_uses_are_refused():
    length = sp.Symbol("length", positive=True)
    points, rods = {"A": (0, 0), "B": (0, -length)}, {"rod": "AB"}
    with refused("unknown-name", kind="symbol", name="lenght", near=["length"]):
        mbs.PlanarModel.from_points(points, rods, "A", parameters={"lenght": 0.4})
    with refused("unknown-name", kind="symbol", name="foo"):
        mbs.PlanarModel.from_points(points, rods, "A", parameters={length: 0.4, "foo": 1.0})


def test_parameters_of_points_have_units():
    length = sp.Symbol("l")
    points, rods = {"A": (0, 0), "B": (0, -length)}, {"rod": "AB"}
    model = mbs.PlanarModel.from_points(points, rods, "A", parameters={"l": (0.4, "m")})
    assert model.parameters["l"].value == 0.4 and model.parameters["l"].unit == "m"
    with refused("unit-not-of-si", unit="mm", si_unit="m"):
        mbs.PlanarModel.from_points(points, rods, "A", parameters={"l": (400.0, "mm")})


def test_plates_of_expressions_have_the_moments_of_their_area():
    """The moment of a rectangle a by b about its centre is m (a² + b²)/12."""
    model = mbs.PlanarModel("plate")
    a, b = model.parameter("a", 3.0), model.parameter("b", 2.0)
    corners = {"A": (0, 0), "B": (a, 0), "C": (a, b), "D": (0, b)}
    plate = model.add_linkage(corners, {"plate": "ABCD"}, "A", density=5.0).bodies["plate"]
    number = model.with_parameters(a=1.5).evaluator()
    assert number(plate.mass) == pytest.approx(15.0)
    assert number(plate.inertia) == pytest.approx(15.0 * (1.5**2 + 2.0**2) / 12)


def test_the_order_of_corners_is_found():
    """A rectangle is one in whatever order its corners are named; a plate without mass may have points inside."""
    places = {"A": (0, 0), "B": (3, 0), "C": (3, 2), "D": (0, 2)}
    for order in ("ABCD", "ACBD", "ACDB", "ADBC"):
        plate = mbs.PlanarModel.from_points(places, {"plate": order}, "A", density=5).bodies["plate"]
        assert plate.mass == pytest.approx(30) and plate.inertia == pytest.approx(30 * 13 / 12)
    inside = {"A": (0, 0), "B": (4, 0), "C": (4, 4), "D": (0, 4), "E": (2, 1)}
    bare = mbs.PlanarModel.from_points(inside, {"plate": "ACBDE"}, "A")
    assert [*bare.bodies["plate"].markers] == [*"ACBDE"] and mbs.diagnose(bare).degrees_of_freedom == 1


def test_a_plate_whose_edges_cross_for_other_values_is_told():
    model = mbs.PlanarModel.from_points(
        {"A": (0, 0), "B": (3, 0), "C": (3, 2), "D": (0, 2)}, {"plate": "ABCD"}, "A", mass=1.0, dimensions=True
    )
    with refused("edges-cross", subject="body 'plate', for these parameters,"):
        mbs.assemble(model.with_parameters(**{"plate.C_across": -1.0}))
