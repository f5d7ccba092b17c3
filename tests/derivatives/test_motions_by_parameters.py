"""Derivatives of motions and loads by parameters: closed forms, differences extrapolated from runs, refusals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy as sp
from gallery import load
from refusals import refused

import mbs_dae as mbs
from mbs_dae.compiled import system
from mbs_dae.compiled.structure import structure_in
from mbs_dae.derivatives.constants import constants_of, with_constants_free

TIMES = np.linspace(0.0, 0.4, 5)
DRIVEN = {
    "quick_return": ("r", "theta0"),
    "cam_follower": ("lift", "omega"),
    "gear_train": ("module", "omega"),
    "spatial_slider_crank": ("r", "slope", "omega"),
    "universal_joints": ("bend1", "omega"),
    "stewart_zhao": ("R", "mass"),
}
CLOSE = 1e-8
"""How well differences extrapolated from runs are known, relative to the largest one."""


def slider_crank() -> mbs.PlanarModel:
    model = mbs.PlanarModel("slider-crank", gravity=(0, -9.81))
    r, l, omega, m = (
        model.parameter(name, value) for name, value in (("r", 0.1), ("l", 0.3), ("omega", 7.0), ("m", 2.0))
    )
    crank = model.link("crank", (0, 0), (1, 1), length=r, mass=1.0)
    rod = model.link("rod", (0.07, 0.07), (0.3, 0), length=l, mass=m)
    slider = model.body("slider", position=(0.36, 0), mass=m / 2)
    model.add(
        mbs.Revolute("A", model.ground, crank.tail),
        mbs.Revolute("B", crank.head, rod.tail),
        mbs.Revolute("C", rod.head, slider),
        mbs.Translational("D", model.ground, slider),
        mbs.Driver("motor", mbs.angle(model.ground, crank), 0.6 + omega * mbs.t),
        mbs.SpringDamper("spring", model.ground.at(1.0, 0.1), slider, stiffness=50, damping=3, length=0.4),
    )
    return model


def extrapolated(at: Callable[[float], Any], names: list[str], size: float = 1.0) -> dict[str, np.ndarray]:
    """The derivatives at 0 of all names of a result, by central differences over h, h/2 and h/4."""
    found = []
    for h in (4e-3 * size, 2e-3 * size, 1e-3 * size):
        ahead, behind = at(h), at(-h)
        found.append({name: (ahead[name] - behind[name]) / (2 * h) for name in names})
    coarse, middle, fine = found
    first = {name: (4 * middle[name] - coarse[name]) / 3 for name in names}
    second = {name: (4 * fine[name] - middle[name]) / 3 for name in names}
    return {name: (16 * second[name] - first[name]) / 15 for name in names}


def check(result: Any, by: str, at: Callable[[float], Any], size: float = 1.0) -> None:
    """Every number of a result that has a derivative, on the scale of all that have its unit."""
    names = [name for name in result.scalar_names if not name.startswith(("violation.", "energy.error"))]
    expected, scales = extrapolated(at, names, size), dict[str, float]()
    for name in names:
        sizes = *np.abs(expected[name]), *np.abs(result[name])
        unit = result.unit(name)
        scales[unit] = max(scales.get(unit, 0.0), *(size for size in sizes if np.isfinite(size)), 1e-6)
    for name in names:
        found, scale = result.d(name, by), scales[result.unit(name)]
        known = np.isfinite(found) & np.isfinite(expected[name])
        assert known.any() or not result.is_unique(name).any(), name
        np.testing.assert_allclose(
            found[known] / scale, expected[name][known] / scale, rtol=0, atol=CLOSE, err_msg=name
        )


def test_kinematics_against_the_closed_form():
    """x = r cos φ + √(l² - r² sin² φ), φ = 0.6 + ω t, differentiated by sympy."""
    motion = mbs.kinematics(slider_crank(), TIMES, derivatives=["r", "l", "omega"])
    symbols = r, l, omega = sp.symbols("r l omega")
    angle = sp.Rational(3, 5) + omega * mbs.t
    x = r * sp.cos(angle) + sp.sqrt(l**2 - r**2 * sp.sin(angle) ** 2)
    for level, name in enumerate(("slider.x", "slider.vx", "slider.ax")):
        for symbol in symbols:
            expected = sp.lambdify((*symbols, mbs.t), x.diff(mbs.t, level).diff(symbol))(0.1, 0.3, 7.0, TIMES)
            found = motion.d(name, str(symbol))
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


@pytest.mark.parametrize("by", ["r", "l", "omega", "m"])
def test_loads_by_parameters(by):
    model = slider_crank()
    loads = mbs.inverse_dynamics(model, TIMES, derivatives=[by])
    value = model.parameters[by].value
    check(loads, by, lambda h: mbs.inverse_dynamics(model.with_parameters(**{by: value + h}), TIMES))


LATE = ("spatial_slider_crank", "stewart_zhao")  # six seconds and more each


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.soak] if name in LATE else []) for name in DRIVEN]
)
def test_loads_of_models_of_the_gallery(name):
    model = load(name).build()
    loads = mbs.inverse_dynamics(model, TIMES, derivatives=DRIVEN[name])
    for by in DRIVEN[name]:
        value = model.parameters[by].value
        check(loads, by, lambda h, by=by, value=value: mbs.inverse_dynamics(
            model.with_parameters(**{by: value + h}), TIMES), size=0.1 if by == "module" else 1.0)  # fmt: skip


def test_constants_of_elements_by_name():
    """The stiffness of a spring is no parameter of the model; it pushes with k (0.4 m - s)."""
    model = slider_crank()
    loads = mbs.inverse_dynamics(model, TIMES, derivatives=["spring.stiffness"])
    distance = loads["spring.distance"]
    np.testing.assert_allclose(loads.d("spring.effort", "spring.stiffness"), 0.4 - distance, rtol=0, atol=1e-12)
    assert not loads.d("slider.x", "spring.stiffness").any()


def test_what_is_not_unique_has_no_derivative():
    model = mbs.PlanarModel("beam", gravity=(0, -9.81))
    m = model.parameter("m", 1.0)
    beam = model.link("beam", (0, 0), (2, 0), mass=m)
    model.add(mbs.Revolute("A", model.ground, beam.tail), mbs.Revolute("B", model.ground.at(2, 0), beam.head))
    loads = mbs.inverse_dynamics(model, [0], derivatives=["m"])
    assert np.isnan(loads.d("A.Fx", "m")).all()
    np.testing.assert_allclose(loads.d("A.Fy", "m"), 9.81 / 2, rtol=1e-12)


def test_a_sweep_follows_its_exact_slope():
    """The foot of a ladder: x = √(25 - h²), from 4 m down to 1e-6 m."""
    model = mbs.PlanarModel("ladder")
    h = model.parameter("h", 4.0, unit="m")
    ladder = model.link("ladder", (3, 0), (0, 4), length=5)
    model.add(
        mbs.PinInSlot("floor", model.ground, ladder.tail), mbs.Revolute("wall", model.ground.at(0, h), ladder.head)
    )
    heights = np.array([4.0, 1.0, 1e-3, 1e-6])
    np.testing.assert_allclose(mbs.sweep(model, "h", heights)["ladder.tail.x"], np.sqrt(25 - heights**2), rtol=1e-14)


@pytest.mark.parametrize("by", ["r", "l", "omega"])
def test_a_sweep_by_its_own_parameter_and_others(by):
    model, radii = slider_crank(), np.linspace(0.08, 0.12, 4)

    def at(h: float) -> Any:
        if by == "r":
            return mbs.sweep(model, "r", radii + h, 0.05)
        return mbs.sweep(model.with_parameters(**{by: model.parameters[by].value + h}), "r", radii, 0.05)

    check(mbs.sweep(model, "r", radii, 0.05, derivatives=[by]), by, at)


def test_a_sweep_that_leaves_freedom_is_refused():
    model = slider_crank().without("motor")
    with refused("undriven-freedom", model="slider-crank"):
        mbs.sweep(model, "r", [0.1, 0.11], derivatives=["l"])


def test_what_nothing_depends_on_is_told():
    model = slider_crank()
    model.parameter("colour", 3.0)
    asked = ["colour", "r"]
    for result in (mbs.kinematics(model, TIMES, derivatives=asked), mbs.sweep(model, "r", [0.1], derivatives=asked)):
        assert result.stats["derivatives"] == "nothing in the model depends on colour: derivatives by it are 0"
        assert not result.d("slider.x", "colour").any()
    assert "nothing in the model depends on colour" in mbs.assemble(model, derivatives=asked).message
    assert "derivatives" not in mbs.kinematics(model, TIMES, derivatives=["r", "crank.mass"]).stats


def test_a_change_point_has_no_derivatives_and_is_told():
    """A parallelogram lies flat at t = 1: beside, with another crank, it does not come there in one piece."""
    model = mbs.PlanarModel("parallelogram")
    r = model.parameter("r", 0.1)
    crank, rocker = model.link("crank", (0, 0), (0, 0.1), length=r), model.link("rocker", (0.4, 0), (0.4, 0.1))
    coupler = model.link("coupler", (0, 0.1), (0.4, 0.1))
    model.add(
        mbs.Revolute("A", model.ground, crank.tail),
        mbs.Revolute("B", crank.head, coupler.tail),
        mbs.Revolute("C", coupler.head, rocker.head),
        mbs.Revolute("D", model.ground.at(0.4, 0), rocker.tail),
        mbs.Driver("motor", mbs.angle(model.ground, crank), np.pi / 2 * (1 - mbs.t)),
    )
    result = mbs.kinematics(model, [0.5, 1.0], derivatives=["r"])
    assert np.isnan(result.d("rocker.angle", "r")).tolist() == [False, True]
    assert result.stats["derivatives"].startswith("none at change points, at t = 1:")


@pytest.mark.parametrize("name", ["crank.mass", "rod.inertia", "rod.com_y", "gravity.x", "gravity.y"])
def test_constants_of_bodies_and_gravity(name):
    model = slider_crank()
    found = mbs.inverse_dynamics(model, TIMES, derivatives=[name])
    value, free = model.evaluator()(constants_of(model)[name].value), with_constants_free(model, [name])
    check(found, name, lambda h: mbs.inverse_dynamics(free.with_parameters(**{name: value + h}), TIMES))


def test_constants_of_bodies_in_space():
    model = load("spatial_slider_crank").build()
    names = [
        f"{next(iter(model.bodies))}.{what}"
        for what in ("mass", "inertia_xx", "inertia_yy", "inertia_zz", "inertia_xy", "com_z")
    ]
    values = dict(zip(names, (1.0, 1.0, 1.2, 1.4, 0.1, 0.2), strict=True))
    heavy = with_constants_free(model, names).with_parameters(**values)
    loads = mbs.inverse_dynamics(heavy, TIMES[:2], derivatives=names)
    for by in names:
        check(loads, by, lambda h, by=by: mbs.inverse_dynamics(
            heavy.with_parameters(**{by: values[by] + h}), TIMES[:2]))  # fmt: skip


def test_a_second_call_compiles_nothing(monkeypatch):
    """Models with free constants are kept, for other designs, too."""
    model, made = slider_crank(), []
    monkeypatch.setattr(system, "structure_in", lambda *given, **named: made.append(1) or structure_in(*given, **named))
    for r in (0.1, 0.1, 0.11):
        each = model.with_parameters(r=r) if r > 0.1 else model
        mbs.inverse_dynamics(each, TIMES, derivatives=["spring.stiffness", "crank.mass"])
        made.append(0)
    assert made == [1, 1, 0, 0, 0]


def test_inputs_made_of_parameters():
    """As if their laws stood in the forces."""
    model, same = slider_crank(), slider_crank()
    push = model.input("push", model.parameters["r"].symbol * mbs.t)
    model.add(mbs.Force("hand", model.bodies["slider"], (push, 0)))
    same.add(mbs.Force("hand", same.bodies["slider"], (same.parameters["r"].symbol * mbs.t, 0)))
    one, other = (mbs.inverse_dynamics(own, TIMES, derivatives=["r", "l"]) for own in (model, same))
    for by in ("r", "l"):
        np.testing.assert_allclose(one.d("motor.effort", by), other.d("motor.effort", by), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("names", "code", "facts"),
    [
        ("r", "not-a-list", {"names": "r"}),
        (["r", "r"], "given-twice", {"twice": "r"}),
        (["radius"], "unknown-name", {"name": "radius", "kind": "parameter or constant"}),
        (["spring.k"], "unknown-name", {"name": "spring.k", "kind": "parameter or constant"}),
    ],
)
def test_bad_names_are_refused(names, code, facts):
    with refused(code, **facts):
        mbs.kinematics(slider_crank(), TIMES, derivatives=names)


def test_what_was_not_asked_for_is_told():
    model = slider_crank()
    with refused("result-from-file"):
        mbs.kinematics(model, TIMES).d("slider.x", "r")
    with refused("not-differentiated-by", mentions="l"):
        mbs.kinematics(model, TIMES, derivatives=["r"]).d("slider.x", "l")


def test_verbs_without_derivatives_say_so():
    for verb in (mbs.forward_kinematics, mbs.inverse_kinematics, mbs.recursive_kinematics):
        with refused("derivative-not-available", mentions=f"{verb.__name__}"):
            verb(slider_crank(), derivatives=["r"])


def test_a_number_of_links_is_no_parameter():
    """Nor is a constant that makes another equation."""
    model = slider_crank()
    with refused("unknown-name", kind="parameter or constant", name="n"):
        mbs.kinematics(model, TIMES, derivatives=["n"])


@pytest.mark.parametrize(("law", "slope"), [(sp.Abs, None), (lambda v: v * sp.Abs(v), 0.0)])
def test_loads_at_the_corner_of_a_law_have_no_derivative(law, slope):
    """A body is driven with the speed p = 0 against 5 |v|: an effort of 5 |p|, and of 5 p |p| with a smooth law."""
    model = mbs.PlanarModel("driven")
    p = model.parameter("p", 0.0)
    body = model.body("b", mass=1.0, inertia=0.2, position=(0, 0))
    guide = model.add(mbs.Translational("guide", model.ground, body))
    model.add(mbs.Driver("motor", mbs.displacement(guide), p * mbs.t))
    model.add(mbs.Force("drag", body, (-5 * law(model["guide.velocity"]), 0)))
    found = mbs.inverse_dynamics(model, np.linspace(0, 1, 8), derivatives=["p"])
    slopes = found.d("motor.effort", "p")
    if slope is None:
        assert np.isnan(slopes).all() and "Force 'drag' has a corner, by p" in found.stats["derivatives"]
        assert "3 more times" in found.stats["derivatives"] and found.d("b.vx", "p") == pytest.approx(np.ones(8))
    else:
        assert slopes == pytest.approx(np.zeros(8), abs=1e-12) and "derivatives" not in found.stats


def test_loads_at_a_corner_beside_friction_have_no_derivative():
    """A driven body rubs on its guide by 2 N: the effort 2 N + 5 |p| has no derivative by p = 0, the speed has one."""
    model = mbs.PlanarModel("driven")
    p = model.parameter("p", 0.0)
    body = model.body("b", mass=1.0, inertia=0.2, position=(0, 0))
    guide = model.add(mbs.Translational("guide", model.ground, body))
    model.add(mbs.Driver("motor", mbs.displacement(guide), mbs.t + p * mbs.t))
    speed = model["guide.velocity"] - 1
    model.add(mbs.Force("drag", body, (-5 * sp.Abs(speed), 0)), mbs.DryFriction("rubs", mbs.displacement(guide), 2.0))
    found = mbs.inverse_dynamics(model, [0.0, 0.5, 1.0], derivatives=["p"])
    assert np.isnan(found.d("motor.effort", "p")).all() and found.d("b.vx", "p") == pytest.approx(np.ones(3))
    assert "Force 'drag' has a corner, by p" in found.stats["derivatives"]
