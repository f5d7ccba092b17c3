"""Slips that closed contacts and stops leave no freedom: they stick, whatever roundoff makes of their rates, and what
they carry is not unique."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import mbs_dae as mbs

G, MASS = 9.81, 1.3
SETS = ("cartesian", "natural", "joint")
METHODS = ({}, {"method": "DP8"}, {"method": "Radau5"}, {"method": "Moreau", "step": 2e-3})
in_all_coordinates = pytest.mark.parametrize("coordinates", SETS)
by_all_methods = pytest.mark.parametrize("options", METHODS, ids=("DP5", "DP8", "Radau5", "Moreau"))


def arm(end, rubs, below):
    """A rod that falls on its tip, with friction in its pin."""
    model = mbs.PlanarModel("arm", gravity=(0, -G))
    rod = model.link("a", (0, 0), end, mass=MASS)
    pin = model.add(mbs.Revolute("O", model.ground, rod.tail))
    model.add(rubs(pin), below(model, rod))
    return model


def dry(pin):
    return mbs.DryFriction("rub", mbs.angle(pin), force=0.3)


def rough(pin):
    return mbs.Friction("rub", pin, mu=0.01, radius=0.002)


def on_ground(model, rod):
    return mbs.Contact("p", mbs.Line(model.ground.at(0, -0.3)), mbs.Point(rod.head))


def on_rough_ground(model, rod):
    return mbs.Contact("p", mbs.Line(model.ground.at(0, -0.3)), mbs.Point(rod.head), friction=0.3)


def on_a_stop(model, rod):
    return mbs.Stop("p", mbs.y(rod.head), lower=-0.3)


@by_all_methods
@in_all_coordinates
def test_a_pin_whose_rod_lies_still(coordinates, options):
    """At rest, so friction may hold any part of ±0.3 N m, and the ground the rest."""
    model = arm((0.3, 0.4), dry, on_ground)
    run = mbs.simulate(model.compile(coordinates), [0, 1, 2], {"a.angle": 0.3, "a.omega": 0.0}, **options)
    assert abs(run["p.force"][1:] - MASS * G / 2).max() < 0.75 + 1e-6 and np.ptp(run["p.force"][1:]) < 1e-6
    assert {*run.modes["rub"][1:]} == {"sticks"} and not run.is_unique("p")[1:, 1].any()
    assert abs(run["a.angle"][1:] + np.arcsin(0.6)).max() < 1e-7


@by_all_methods
@in_all_coordinates
@pytest.mark.parametrize("below", (on_ground, on_rough_ground, on_a_stop))
def test_an_impact_that_stops_a_pin(below, coordinates, options):
    """One impact (of two steps) ends all motion: gap and slip ask the same of it, but for the errors of the fall."""
    model = arm((0.4, 0.1), rough, below)
    run = mbs.simulate(model.compile(coordinates), [0, 1], {"a.angle": 0.3, "a.omega": 0.0}, **options)
    assert abs(run["a.omega"][-1]) < 1e-7 and run.modes["rub"][-1] == "sticks" and len(run.impacts) <= 2


@in_all_coordinates
def test_a_pin_holds_up_to_where_the_tip_lifts(coordinates):
    """A force that grows lifts the tip off as soon as it overcomes weight and friction, μ r times the pin's load."""
    moment, reach = 0.05 * 0.2, 0.4
    model = arm((0.3, 0.4), lambda pin: mbs.Friction("rub", pin, mu=0.2, radius=0.05), on_ground)
    model.add(mbs.Force("lift", model.bodies["a"].head, (0, 3 * mbs.t)))
    model.add(mbs.Event("off", when=model["p.gap"] - 1e-9))
    run = mbs.simulate(model.compile(coordinates), [0, 2.3], {"a.angle": 0.3, "a.omega": 0.0})
    assert run.events[-1].t == pytest.approx(MASS * G * (reach / 2 + moment) / (3 * (reach + moment)), abs=2e-3)
    assert len(run.impacts) == 1


@in_all_coordinates
def test_a_linkage_that_a_stop_locks(coordinates):
    """Friction in all pins of a slider-crank, which share the load of its stop."""
    model = mbs.PlanarModel("slider-crank", gravity=(0, -G))
    crank, rod = model.link("c", (0, 0), (0, 0.1), mass=0.5), model.link("k", (0, 0.1), (0.28, 0), mass=1.0)
    slider = model.body("s", 2.0, 0.01, position=(0.28, 0))
    pins = [mbs.Revolute("A", model.ground, crank.tail), mbs.Revolute("B", crank.head, rod.tail)]
    pins.append(mbs.Revolute("C", rod.head, slider))
    model.add(*pins, mbs.Translational("guide", model.ground, slider), mbs.Stop("stop", mbs.x(slider), upper=0.35))
    model.add(*(mbs.Friction(f"in {pin.name}", pin, mu=0.2, radius=0.01) for pin in pins))
    run = mbs.simulate(model.compile(coordinates), [0, 1], {"c.omega": -5.0})
    assert run["s.x"][-1] == pytest.approx(0.35, abs=1e-9) and run.modes["stop"][-1] == "closed"
    assert {run.modes[f"in {pin.name}"][-1] for pin in pins} == {"sticks"}
    assert len(run.impacts) == 1 and abs(run.energy.error).max() < 1e-6


@in_all_coordinates
def test_a_pin_that_a_plate_turns(coordinates):
    """What follows and moves rubs: to the side to which the plate turns it, and the force is unique."""
    model, upright = mbs.PlanarModel("plate", gravity=(0, -G)), {"angle": np.pi / 2}
    rod, plate = model.link("a", (0, 0), (0.4, -0.3), mass=MASS), model.body("plate", 1.0, 1.0, position=(0, -0.3))
    model.add(pin := mbs.Revolute("O", model.ground, rod.tail), dry(pin))
    model.add(mbs.Translational("g", model.ground.at(0, 0, **upright), plate.at(0, 0, **upright)))
    model.add(mbs.Driver("d", mbs.y(plate), -0.3 + 0.02 * sp.sin(2 * mbs.t)))
    model.add(mbs.Contact("p", mbs.Line(plate), mbs.Point(rod.head)))
    run = mbs.simulate(model.compile(coordinates), [0, 0.3, 0.6, 1.2], {"p.gap": 0.0})
    times = run.t[1:]
    sine = (-0.3 + 0.02 * np.sin(2 * times)) / 0.5
    across = 0.5 * np.sqrt(1 - sine**2)
    spin = 0.04 * np.cos(2 * times) / across
    turned = (-0.08 * np.sin(2 * times) + 0.5 * sine * spin**2) / across
    force = (MASS * 0.25 / 3 * turned + MASS * G * across / 2 + 0.3 * np.sign(spin)) / across
    assert run["p.force"][1:] == pytest.approx(force, abs=1e-6) and {*run.modes["rub"][1:]} == {"slips"}
