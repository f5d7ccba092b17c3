"""Solutions and workspaces are told in the units in which a person reads; their arrays stay in SI."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused

import mbs_dae as mbs


def arm() -> mbs.PlanarModel:
    model = mbs.PlanarModel("arm")
    one, two = model.link("one", (0, 0), (1, 0)), model.link("two", (1, 0), (2, 0))
    model.add(mbs.Revolute("A", model.ground, one.tail), mbs.Revolute("B", one.head, two.tail))
    return model


def test_solutions_of_inverse_kinematics():
    found = mbs.inverse_kinematics(arm(), {"two.head": (1.0, 1.0)}, start={"A.angle": 0.1, "B.angle": 1.0})
    first = found.solutions[0]
    plain = str(found), repr(first)
    with mbs.units("deg", "mm"):
        table, told = str(found), repr(first)
    assert "A.angle [deg]" in table and "residual [mm]" in table and "90.000000" in table
    assert f"A.angle = {np.degrees(first['A.angle']):.6g} deg" in told
    assert (str(found), repr(first)) == plain and "[" not in plain[0].splitlines()[2]


def test_every_column_of_a_solution_has_its_unit_once_one_is_chosen():
    found = mbs.inverse_kinematics(arm(), {"two.head": (1.0, 1.0)}, start={"A.angle": 0.1, "B.angle": 1.0})
    with mbs.units("mm"):
        titles = str(found).splitlines()[2]
    assert all(title in titles for title in ("A.angle [rad]", "B.angle [rad]", "distance [rad]", "residual [mm]"))


def test_a_table_of_assembly_modes():
    found = mbs.assembly_modes(arm(), fix={"two.head.x": 1.0, "two.head.y": 1.0})
    plain, elbow = found.table("two.x", "A.angle"), found["A.angle"]
    assert plain.splitlines()[0].split() == ["mode", "two.x", "A.angle"]
    table = found.table("two.x", "A.angle", units="mm, deg").splitlines()
    assert table[0].split() == ["mode", "two.x", "[mm]", "A.angle", "[deg]"]
    assert [line.split()[-1] for line in table[1:]] == [f"{angle:.6f}" for angle in np.degrees(elbow)]
    with mbs.units("mm"):
        assert "A.angle [rad]" in found.table("A.angle")
    assert found.table("A.angle", degrees=True).splitlines()[0].endswith("A.angle [°]")
    assert found.table("two.x", "A.angle") == plain
    with refused("unit-of-nothing-shown", argument="units", word="mm", name="A.angle"):
        found.table("A.angle", units="mm")


def test_regions_of_workspaces():
    model = mbs.PlanarModel("ladder")
    l, h = model.parameter("l", 5.0, unit="m"), model.parameter("h", 4.0, unit="m")
    ladder = model.link("ladder", (3, 0), (0, 4), length=l)
    model.add(
        mbs.PinInSlot("floor", model.ground, ladder.tail),
        mbs.Revolute("wall", model.ground.at(0, h), ladder.head),
    )
    region = mbs.workspace(model, over={"h": (2, 6), "l": (3, 5)}).at(3, 4.5)
    with mbs.units("mm"):
        assert f"h = {1e3 * region.inside[0]:.4g} mm" in repr(region)
    assert f"h = {region.inside[0]:.4g}, " in repr(region)


def test_loads_that_are_held():
    model = mbs.PlanarModel("lever", gravity=(0, -9.81))
    load = model.input("load", 0.0, unit="N m")
    rod = model.link("rod", (0, 0), (0, -1), mass=1.0)
    pin = mbs.Revolute("pin", model.ground, rod.tail)
    model.add(pin, mbs.DryFriction("rub", mbs.angle(pin), force=2.0), mbs.Torque("motor", rod, load))
    held = mbs.holding(model, load="load")
    assert held.between == pytest.approx((-2.0, 2.0))
    with mbs.units("kN m"):
        assert "load from -0.002 to 0.002 kN m" in repr(held)
