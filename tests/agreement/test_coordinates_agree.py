"""One model, three coordinate sets: the same motion, the same reactions, the same efforts.

Every model of the gallery runs in natural and in joint coordinates and is compared with Cartesian ones: as it is driven
(inverse dynamics), and set free (forward dynamics). Differences are relative to the largest value of their unit. Of
models in space a soak are those whose elements all occur in others.
"""

from functools import cache

import numpy as np
import pytest
from covering import covering, elements_of
from gallery import NAMES, load
from refusals import refused

import mbs_dae as mbs
from mbs_dae.coordinates.joint import joint as joint_coordinates

SETS = ("natural", "joint")
SPAN = 2.0  # s
SHORTER = {
    "universal_joints": (0.2, "shafts that fall out of line without load spin up to thousands of turns"),
    "delta_robot": (0.5, "comes to a singular pose at 0.55 s, behind which roundoff of 1e-16 counts 1e-7"),
    "floating_five_body": (1.0, "ten degrees of freedom that tumble"),
    "andrews_squeezer": (0.05, "accelerates to some 10,000 rad/s² and is run for 0.03 s in the literature"),
    "arm_6r": (1.0, "six links that fall and swing are chaotic"),
    "drive_shaft": (0.2, "as stiff as it is, it takes thousands of steps a second"),
}
"""Free motions that are compared over a shorter time, and why."""
WITHOUT_MASSES = {"double_wishbone", "slider_crank_textbook"}


def of_the_gallery(names):
    """Each model in each set."""
    return covering([pytest.param(name, own, id=f"{own}-{name}") for name in names for own in SETS], shown)


def shown(case):
    name, coordinates = case.values
    elements = elements_of(name)
    yield from ((element, coordinates) for element in elements)
    if "PlanarModel in the plane" in elements:
        yield name, coordinates


@cache
def motion(name):
    """The model as it is driven, if it is; else nothing."""
    model = load(name).build()
    return model if mbs.diagnose(model).degrees_of_freedom == 0 else None


@cache
def free(name):
    """The model without drivers, and its initial values."""
    module = load(name)
    model = module.build()
    if motion(name) is not None:
        model = model.without(*(driver.name for driver in model.drivers))
    return model, getattr(module, "INITIAL", None)


def scales(result):
    """The largest value of each unit; rates and accelerations count at least as much as turning at the largest rate, at
    the model's own length, makes, and accelerations as gravity: at rest they are the roundoff of its balance."""
    found = {}
    for name in result.names:
        unit = result.unit(name)
        found[unit] = max(found.get(unit, 0.0), float(np.abs(result[name]).max()))
    fastest, length = found.get("rad/s", 0.0), result.quantities.system.length
    turning = {"m": length, "m/s": length * fastest, "rad/s²": fastest**2, "m/s²": length * fastest**2}
    gravity = max(abs(float(g)) for g in result.quantities.system.model.gravity)
    turning["m/s²"] = max(turning["m/s²"], gravity)
    turning["rad/s²"] = max(turning["rad/s²"], gravity / length)
    for unit, least in turning.items():
        found[unit] = max(found.get(unit, 0.0), least)
    return found


def apart(name, one, other):
    """How far the values of a quantity are apart. Angles of universal and spherical joints lie between -π and π: both
    ends are one place."""
    if name.rpartition(".")[2] in ("angle_1", "angle_2", "angle_3"):
        return 2.0 * np.abs(np.sin(0.5 * (one - other)))
    return np.abs(one - other)


def difference(one, other):
    """The largest relative difference of all quantities, and whose it is."""
    unit = scales(one)
    errors = {n: apart(n, one[n], other[n]).max() / max(unit[one.unit(n)], 1e-9) for n in one.names}
    worst = max(errors, key=errors.get)
    return errors[worst], worst


def force_difference(one, other):
    """The same for reactions, as far as they are determined, and for efforts of drivers."""
    model = one.quantities.system.model
    joints = [element.name for element in model.conditions]
    if not joints:
        return 0.0, ""
    size, length = model.dimension, one.quantities.system.length
    force = max(np.abs(one.reaction(name)[:, :size]).max() for name in joints)
    moment = max(force * length, max(np.abs(one.reaction(name)[:, size:]).max() for name in joints))
    if force < 1e-6 and moment < 1e-6:
        return 0.0, ""
    errors = {}
    for name in joints:
        gap = np.where(one.is_unique(name), np.abs(one.reaction(name) - other.reaction(name)), 0.0)
        errors[name] = max(gap[:, :size].max() / max(force, 1e-9), gap[:, size:].max() / moment)
    for driver in (d for d in model.drivers if one.reactions.effort(d.name) is not None):
        gap = np.abs(one.effort(driver.name) - other.effort(driver.name)).max()
        errors[f"effort of {driver.name}"] = gap / max(np.abs(one.effort(driver.name)).max(), 1e-3 * force)
    worst = max(errors, key=errors.get)
    return errors[worst], worst


@cache
def driven_in_cartesian(name):
    times = load(name).TIMES
    some = times[np.linspace(0, len(times) - 1, 15).astype(int)]
    return some, mbs.inverse_dynamics(motion(name), some)


@cache
def moved_in_cartesian(name):
    model, initial = free(name)
    times = np.linspace(0.0, SHORTER.get(name, (SPAN,))[0], 9)
    return times, run(model, times, initial)


def run(model, times, initial):
    return mbs.simulate(model, times, initial, method="DP8", rtol=1e-12, stabilization=mbs.Projection())


@pytest.mark.parametrize(("name", "coordinates"), of_the_gallery(n for n in NAMES if not hasattr(load(n), "INITIAL")))
def test_driven(name, coordinates):
    times, expected = driven_in_cartesian(name)
    result = mbs.inverse_dynamics(motion(name).compile(coordinates), times)
    assert result.own.name == coordinates
    assert result.names == expected.names
    for error, where in (difference(expected, result), force_difference(expected, result)):
        assert error < 1e-9, where


@pytest.mark.parametrize(("name", "coordinates"), of_the_gallery(n for n in NAMES if n not in WITHOUT_MASSES))
def test_free(name, coordinates):
    times, expected = moved_in_cartesian(name)
    model, initial = free(name)
    result = run(model.compile(coordinates), times, initial)
    for error, where in (difference(expected, result), force_difference(expected, result)):
        assert error < 1e-7, where
    energy = result.energy
    turned_over = np.ptp(energy.potential) + energy.kinetic.max() + energy.dissipated[-1]
    assert np.abs(energy.error).max() <= 1e-8 * turned_over


@pytest.mark.parametrize("stabilization", [mbs.Baumgarte(), mbs.Projection()])
@pytest.mark.parametrize("name", ["four_bar", "bricard", "double_pendulum", "stewart_zhao", "chaplygin_sleigh"])
def test_joint_coordinates_through_the_equations_of_bodies(name, stabilization, monkeypatch):
    """Which way long chains go is a matter of size alone: both give the same."""
    model, initial = free(name)
    times = np.linspace(0.0, 0.5, 6)
    settings = {"method": "DP8", "rtol": 1e-11, "stabilization": stabilization}
    plain = mbs.simulate(model.compile("joint"), times, initial, **settings)
    monkeypatch.setattr(joint_coordinates, "FULL", -1)
    deep = model.plus().compile("joint")
    assert deep.coordinates.deep
    result = mbs.simulate(deep, times, initial, **settings)
    for error, where in (difference(plain, result), force_difference(plain, result)):
        assert error < 1e-7, where
    driven = motion(name)
    if driven is not None:
        times, expected = driven_in_cartesian(name)
        result = mbs.inverse_dynamics(driven.plus().compile("joint"), times)
        for error, where in (difference(expected, result), force_difference(expected, result)):
            assert error < 1e-9, where


@pytest.mark.parametrize("cut", ["A", "B", "C", "guide"])
def test_wherever_a_loop_is_cut(cut):
    times, expected = driven_in_cartesian("slider_crank")
    system = motion("slider_crank").compile("joint", cut=(cut,))
    assert [c.name for c in system.coordinates.topology.cuts] == [cut]
    result = mbs.inverse_dynamics(system, times)
    for error, where in (difference(expected, result), force_difference(expected, result)):
        assert error < 1e-9, where


def test_what_has_no_tree_has_none_to_choose():
    model = motion("slider_crank")
    with refused("not-supported", value="cut=", name="natural"):
        model.compile("natural", cut=("A",))
    with refused("unknown-name", owner="this version", kind="coordinate set"):
        model.compile("naturl")
