"""Every public class that tells numbers with a unit tells them in the units of the reader."""

from __future__ import annotations

import inspect
import re
from functools import cache

import numpy as np
import pytest
from refusals import refused

import mbs_dae as mbs
from mbs_dae.model.contacts.shapes import Shape
from mbs_dae.model.element import Element

TRADE = mbs.units("deg", "mm", "rpm", "bar", "ms", "kN", "mJ", "g")
LEFT = re.compile(r"(?:\d\s|\[)(rad(?:/s²?)?|m|m²|m/s²?|kg|kg m|N(?! m)|J|Pa|s)(?=[\s,;:>)\]]|$)")
"""A unit of SI behind a number or in brackets, which these units replace."""


def crank(motor: bool = True) -> mbs.PlanarModel:
    model = mbs.PlanarModel("crank", gravity=(0, -9.81))
    r = model.parameter("r", 0.1, unit="m")
    rod = model.link("rod", (0, 0), (0.1, 0), length=r, mass=2)
    pin = mbs.Revolute("A", model.ground, rod.tail)
    model.add(pin, *([mbs.Driver("motor", mbs.angle(pin), 10 * mbs.t)] if motor else []))
    return model


def bars() -> mbs.PlanarModel:
    points = {"A": (0, 0), "B": (0.4, 0.3), "C": (1.4, 0.3), "D": (1, 0)}
    return mbs.PlanarModel.from_points(points, rods=["AB", "BC", "CD"], fixed="AD")


def ladder() -> mbs.PlanarModel:
    model = mbs.PlanarModel("ladder")
    l, h = model.parameter("l", 5.0, unit="m"), model.parameter("h", 4.0, unit="m")
    bar = model.link("bar", (3, 0), (0, 4), length=l)
    model.add(mbs.PinInSlot("floor", model.ground, bar.tail), mbs.Revolute("wall", model.ground.at(0, h), bar.head))
    return model


@cache
def region() -> mbs.Workspace:
    return mbs.workspace(ladder(), over={"h": (2, 6), "l": (3, 5)})


@cache
def curve() -> mbs.Curve:
    return mbs.follow(bars(), "AB.angle")


@cache
def linkages() -> mbs.Synthesis:
    return mbs.synthesize_motion([(0, 0, 0), (1, 0.2, 0.3), (1.8, 0, 0.6)], fixed=[(0, -1), (1, -1)])


@cache
def driven() -> mbs.Result:
    return mbs.inverse_dynamics(crank(), [0, 0.1])


@cache
def rests() -> mbs.Equilibria:
    return mbs.equilibrium(crank(False), all=True)


def arm_candidate() -> mbs.ModelCandidate:
    arm = mbs.PlanarModel("arm")
    l = arm.parameter("l", 1.0, unit="m")
    link = arm.link("link", (0, 0), (1, 0), length=l)
    pin = arm.add(mbs.Revolute("A", arm.ground, link.tail))
    arm.add(mbs.Driver("motor", mbs.angle(pin), mbs.t))
    targets = [(1.2, 0), (0, 1.2), (-1.2, 0)]
    return mbs.synthesize_path(targets, kind=arm, point="link.head", over={"l": (0.5, 2)}).best


def balanced() -> mbs.Counterweights:
    model = mbs.PlanarModel("rotor")
    rotor = model.body("rotor", mass=2, inertia=0.01, com=(0.001, 0))
    model.add(mbs.Revolute("A", model.ground, rotor), mbs.Driver("motor", mbs.angle(rotor), 100 * mbs.t))
    return mbs.balance(model, np.linspace(0, 2 * np.pi / 100, 13), bodies=("rotor",))


def measured() -> dict[str, np.ndarray]:
    t = np.linspace(0, 0.6, 20)
    return {"t": t, "rod.head.x": 0.12 * np.cos(10 * t) + np.random.default_rng(2).normal(0, 1e-3, 20)}


def best() -> mbs.Optimum:
    far = (mbs.at_end("rod.head.x") - 0.02) ** 2
    return mbs.optimize(far, crank(), [0, 0.1], over={"r": (0.05, 0.2)}, verb="kinematics")


def held() -> mbs.Holding:
    model = mbs.PlanarModel("lever", gravity=(0, -9.81))
    load = model.input("load", 0.0, unit="N m")
    rod = model.link("rod", (0, 0), (0, -1), mass=1.0)
    pin = mbs.Revolute("pin", model.ground, rod.tail)
    model.add(pin, mbs.DryFriction("rub", mbs.angle(pin), force=2.0), mbs.Torque("motor", rod, load))
    return mbs.holding(model, load="load")


def reached() -> mbs.ReachableWorkspace:
    arm = mbs.PlanarModel.from_points({"A": (0, 0), "B": (1, 0), "C": (1.5, 0.1)}, rods=["AB", "BC"], fixed="A")
    return mbs.reachable_workspace(arm, "BC.C")


MADE = {
    "AssemblyModes": lambda: mbs.assembly_modes(crank()),
    "Bands": lambda: mbs.tolerance(crank(), [0, 0.1], {"r": 1e-4}, ["rod.head.x"], verb="kinematics"),
    "BranchPoint": lambda: curve().branch_points[0],
    "Candidate": lambda: linkages().best,
    "Certificate": lambda: mbs.certificate(mbs.assemble(crank())),
    "CoordinateComparison": lambda: mbs.compare_coordinates(
        crank(False), [0, 0.1], method="RK4", step=0.01, initial={"rod.omega": 1.0}
    ),
    "Counterweights": balanced,
    "Curve": curve,
    "Designs": lambda: mbs.Designs("r", [[0.1], [0.2]]),
    "Diagnosis": lambda: mbs.diagnose(crank().with_parameters(r=0.2)),
    "Ensemble": lambda: mbs.ensemble(crank(), [0.0], over={"r": [0.1, 0.2]}, verb="kinematics"),
    "Equilibria": rests,
    "Equilibrium": lambda: rests()[0],
    "Fit": lambda: mbs.fit(crank(), measured(), over=["r"], verb="kinematics"),
    "Gradient": lambda: mbs.gradient(mbs.at_end("rod.head.x"), crank(), [0, 0.1], over=["r"], verb="kinematics"),
    "Holding": held,
    "Limit": lambda: mbs.Limit("rod.head.x", upper=0.2),
    "EquilibriumPath": lambda: mbs.equilibrium(crank(False), over=("r", [0.1, 0.2])),
    "LinearPath": lambda: mbs.linearize(crank(False), over=("r", [0.1, 0.2])),
    "LinearSystem": lambda: mbs.linearize(crank(False), rests()[0].state),
    "ModelCandidate": arm_candidate,
    "MotionCertificate": lambda: mbs.kinematics(crank(), np.linspace(0, 0.1, 5), certify=True).certificate,
    "Optimum": best,
    "ReachableWorkspace": reached,
    "Result": driven,
    "Share": lambda: driven().shares("A").largest(at=0),
    "Shares": lambda: driven().shares("A"),
    "Simulation": lambda: mbs.start(crank(False), t=0.5),
    "Simulations": lambda: mbs.start(crank(False), t=0.5, count=2),
    "SingularCurve": lambda: region().curves[0],
    "Synthesis": linkages,
    "Topology": lambda: mbs.topology(crank()),
    "UndecidedPoint": lambda: mbs.UndecidedPoint(0.3, "two motions are left in it", None),
    "WorkedSolution": lambda: mbs.worked_solution(crank(), t=0.1),
    "Workspace": region,
}
TELLING = (
    "Bands", "BranchPoint", "Candidate", "Certificate", "CoordinateComparison", "Counterweights", "Curve", "Diagnosis",
    "Equilibrium", "EquilibriumPath", "Fit", "LinearSystem", "ModelCandidate", "MotionCertificate", "Optimum",
    "ReachableWorkspace", "Share", "Shares", "Simulation", "Simulations",
    "Synthesis", "UndecidedPoint", "Workspace",
)  # fmt: skip
"""Classes whose text holds numbers that have units."""
GIVEN = ("Body", "Marker", "Reset", "Rest", "Table", "Motion", "Units", "PlanarModel", "SpatialModel")
"""Parts of models, and initial values: they stand as they were given, in SI."""


def own_words(name: str) -> bool:
    """Whether a public class writes its own text. The text that dataclasses have shows fields without units."""
    kind = getattr(mbs, name)
    if not inspect.isclass(kind):
        return False
    written = [getattr(getattr(kind, word), "__code__", None) for word in ("__repr__", "__str__")]
    return any(code is not None and "mbs_dae" in code.co_filename for code in written)


def texts(one: object) -> str:
    return f"{one!r}\n{one}"


def test_every_class_that_writes_text_is_here():
    parts = (Element, Shape)
    kinds = {name for name in mbs.__all__ if inspect.isclass(getattr(mbs, name)) and own_words(name)}
    assert {name for name in kinds if not issubclass(getattr(mbs, name), parts)} - {*GIVEN} == {*MADE}


@pytest.mark.parametrize("name", MADE)
def test_numbers_follow_the_units_of_the_reader(name):
    one = MADE[name]()
    assert isinstance(one, getattr(mbs, name))
    plain = texts(one)
    with TRADE:
        read = texts(one)
    assert [found[0] for found in LEFT.finditer(read)] == []
    assert (read != plain) is (name in TELLING)
    assert texts(one) == plain


def test_ranges_of_a_workspace_stay_those_of_its_arguments():
    with TRADE, refused("outside-all-regions", names=["h", "l"], mentions="6 m"):
        region().at(1e3, 1e3)
