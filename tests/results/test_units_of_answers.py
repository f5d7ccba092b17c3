"""Solutions and workspaces are told in the units in which a person reads; their arrays stay in SI."""

from __future__ import annotations

import numpy as np
import pytest

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
