"""Derivatives of equilibria and of the laws of small motions about them: closed forms, differences, refusals."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from refusals import refused
from test_motions_by_parameters import check, extrapolated

import mbs_dae as mbs


def scale() -> mbs.PlanarModel:
    """A mass on a spring, with a damper: y = -l - m g/k, ω² = k/m, ζ = c/(2 √(k m))."""
    model = mbs.PlanarModel("scale", gravity=(0, -10))
    k, m, c = (model.parameter(n, v) for n, v in (("k", 100.0), ("m", 2.0), ("c", 3.0)))
    pan = model.body("pan", mass=m, inertia=1, position=(0, -1))
    model.add(
        mbs.Translational("guide", model.ground.at(0, 0, np.pi / 2), pan.at(0, 0, np.pi / 2)),
        mbs.SpringDamper("spring", model.ground, pan, stiffness=k, damping=c, length=1),
    )
    return model


def four_bar() -> mbs.PlanarModel:
    """It hangs between springs, stiff enough for one rest and soft enough for a pose that depends on all."""
    model = mbs.PlanarModel("four-bar", gravity=(0, -9.81))
    r, l, m, k = (model.parameter(n, v) for n, v in (("r", 1.0), ("l", 2.0), ("m", 2.0), ("k", 30.0)))
    first = model.link("first", (0, 0), (0.3, 0.9), length=r, mass=m)
    coupler = model.link("coupler", (0, 1), (2, 1.5), length=l, mass=l)
    last = model.link("last", (2, 1.4), (2.1, 0.1), length=1.7, mass=1.0)
    model.add(
        mbs.Revolute("A", model.ground, first.tail),
        mbs.Revolute("B", first.head, coupler.tail),
        mbs.Revolute("C", coupler.head, last.tail),
        mbs.Revolute("D", last.head, model.ground.at(2, 0)),
        mbs.SpringDamper("spring", model.ground.at(-1, 1), coupler.tail, stiffness=k, length=0.3 * r, damping=2 * m),
    )
    return model


def spinner() -> mbs.SpatialModel:
    """A rigid body on a ball joint, held by three springs: three modes, all coupled."""
    model = mbs.SpatialModel("body on springs", gravity=(0, 0, -9.81))
    a, k, J = (model.parameter(n, v) for n, v in (("a", 0.5), ("k", 40.0), ("J", 0.3)))
    body = model.body("body", mass=1.5, inertia=(J, 0.2, 0.4), com=(0.1, 0, a))
    model.add(mbs.Spherical("S", model.ground, body))
    for n, (x, y) in enumerate(((1, 0.2), (-0.5, 1), (-0.3, -1))):
        springs = mbs.SpringDamper(
            f"spring{n}", model.ground.at(x, y, 0.3), body.at(0.5 * x, 0.5 * y, a), stiffness=k * (n + 1), length=0.4,
            damping=0.5,
        )  # fmt: skip
        model.add(springs)
    return model


def test_a_mass_on_a_spring():
    rest = mbs.equilibrium(scale(), derivatives=["k", "m", "gravity.y", "spring.length"])
    assert rest.d("pan.y", "k") == pytest.approx(2 * 10 / 100**2, rel=1e-12)
    assert rest.d("pan.y", "m") == pytest.approx(-10 / 100, rel=1e-12)
    assert rest.d("pan.y", "gravity.y") == pytest.approx(2 / 100, rel=1e-12)
    assert rest.d("pan.y", "spring.length") == pytest.approx(-1, rel=1e-12)
    assert rest.d("spring.effort", "m") == pytest.approx(-10, rel=1e-12)
    assert rest.d("energy.potential", "k") == pytest.approx(0.5 * 0.2**2, rel=1e-12)  # and no more: it is stationary


def test_frequencies_and_damping_of_a_mass_on_a_spring():
    law = mbs.linearize(scale(), derivatives=["k", "m", "c"])
    k, m, c = symbols = sp.symbols("k m c")
    expected = {"frequencies": sp.sqrt(k / m), "damping": c / (2 * sp.sqrt(k * m))}
    values = {"k": 100, "m": 2, "c": 3}
    for name, expression in expected.items():
        for symbol in symbols:
            assert law.d(name, str(symbol))[0] == pytest.approx(float(expression.diff(symbol).subs(values)), rel=1e-9)
    assert law.d("M", "m")[0, 0] == pytest.approx(1, rel=1e-11)
    assert law.d("D", "c")[0, 0] == pytest.approx(1, rel=1e-11)
    assert law.d("K", "k")[0, 0] == pytest.approx(1, rel=1e-11)


@pytest.mark.parametrize("by", ["r", "l", "m", "k"])
def test_an_equilibrium_by_parameters(by):
    model = four_bar()
    value, rest = model.parameters[by].value, mbs.equilibrium(model, derivatives=[by])
    check(rest.result, by, lambda h: mbs.equilibrium(model.with_parameters(**{by: value + h}), rest.state).result)


@pytest.mark.parametrize(("build", "by"), [(four_bar, "l"), (four_bar, "m"), (spinner, "a"), (spinner, "J")])
def test_a_law_of_small_motions_by_parameters(build, by):
    model = build()
    value, law = model.parameters[by].value, mbs.linearize(model, derivatives=[by])
    names = ["M", "D", "K", "frequencies", "damping"]

    def at(h: float) -> dict[str, np.ndarray]:
        other = model.with_parameters(**{by: value + h})
        found = mbs.linearize(other, mbs.equilibrium(other, law.state).state, coordinates=law.coordinates)
        return {name: getattr(found, name) for name in names}

    expected = extrapolated(at, names)
    for name in names:
        atol = 1e-8 * max(1.0, np.abs(expected[name]).max())
        np.testing.assert_allclose(law.d(name, by), expected[name], rtol=0, atol=atol, err_msg=name)


def test_unstable_rests_and_paths():
    """A rod stands on its pin or hangs; by a force to the side f it leans: to the wind where it stands."""
    model = mbs.PlanarModel.from_points(
        {"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=2, gravity=(0, -10)
    )
    f = model.parameter("f", 0.0)
    model.add(mbs.Force("wind", model.bodies["rod"].at(0, 0), (f, 0)))
    found = mbs.equilibrium(model, all=True, derivatives=["f"])
    assert [round(one.d("rod.angle", "f"), 9) for one in found] == [1 / 20, 1 / 20] and not found[1].stable
    path = mbs.equilibrium(model, over=("f", [0.0, 10.0]), derivatives=["f"])
    np.testing.assert_allclose(path.d("rod.angle", "f"), 20 / (400 + path.values**2), rtol=1e-9)


def test_modes_that_coincide_have_no_derivative():
    """A mass between equal springs across: two modes of one frequency; a wheel that is free: eigenvalue 0."""
    model = mbs.PlanarModel("mass")
    k = model.parameter("k", 10.0)
    mass = model.body("mass", mass=2.0, inertia=1.0)
    for name, place in (("a", (1, 0)), ("b", (-1, 0)), ("c", (0, 1)), ("d", (0, -1))):
        model.add(mbs.Spring(name, model.ground.at(*place), mass, stiffness=k, length=1))
    law = mbs.linearize(model, derivatives=["k"])
    assert law.frequencies == pytest.approx([10**0.5] * 2) and np.isnan(law.d("frequencies", "k")).all()
    np.testing.assert_allclose(np.trace(law.d("K", "k")), 4.0, rtol=1e-10)  # their sum has one
    assert np.isnan(mbs.equilibrium(model, derivatives=["k"]).d("mass.angle", "k"))  # it may be at rest at any angle


def test_what_has_no_derivatives_is_told():
    model = scale()
    with refused("run-without-derivatives"):
        mbs.linearize(model).d("K", "k")
    law = mbs.linearize(model, derivatives=["k"])
    with refused("not-differentiated-by", names=["k"], parameter="m"):
        law.d("K", "m")
    with refused("unknown-name", kind="derivative", name="B"):
        law.d("B", "k")
    with refused("no-derivative", argument="derivatives", coordinates="natural"):
        mbs.linearize(model.compile("natural"), derivatives=["k"])
    model.state("z", rate=lambda z: -z)
    with refused("derivative-not-available", model="scale"):
        mbs.linearize(model, derivatives=["k"])


@pytest.mark.parametrize(("power", "slope"), [(1, None), (2, 0.0)])
def test_a_rest_that_touches_a_one_sided_spring_has_no_derivative_by_its_gap(power, slope):
    """-30 x + 50 (p - x)₊ = 0 at p = 0: x = 5/8 p for p > 0, and x = 0 for p < 0. A square has the slope 0."""
    model = mbs.PlanarModel("two springs")
    p, k = model.parameter("p", 0.0), model.parameter("k", 50.0)
    body = model.body("b", mass=1.0, inertia=0.2, position=(0, 0))
    guide = model.add(mbs.Translational("guide", model.ground, body))
    x = model[f"{guide.name}.displacement"]
    model.add(mbs.Force("springs", body, (-30 * x + k * sp.Max(0, p - x) ** power, 0)))
    assert mbs.equilibrium(model, derivatives=["k"]).d("b.x", "k") == 0.0
    rest = mbs.equilibrium(model, derivatives=["p"])
    if slope is None:
        with refused("kink", mbs.MbsError, name="p", subject="Force 'springs'"):
            rest.d("b.x", "p")
    else:
        assert rest.d("b.x", "p") == pytest.approx(slope, abs=1e-12)
