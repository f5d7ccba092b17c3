"""Prescribed motions with friction that locks a guide: friction μ N grows faster than the load that presses the guide,
and no N > 0 balances the other forces. Limits are known in closed form; all solutions follow from trying each
combination of the sides on which guides press."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import sympy as sp

import mbs_dae as mbs

G, MASS = 9.81, 3.0


def wedge(slope: float, mu: float, law=None) -> mbs.PlanarModel:
    """Return a wedge that a driver pushes along the floor under a follower of 3 kg in an upright guide. The follower
    rises on a surface of this slope, with friction; the law of the driver is the parameter p by default."""
    model = mbs.PlanarModel("wedge", gravity=(0, -G))
    p = model.parameter("p", 0.0, unit="m")
    block, follower = model.body("block", 1.0, 0.1), model.body("follower", MASS, 0.1)
    floor = mbs.Translational("floor", model.ground, block)
    model.add(
        floor,
        surface := mbs.Translational("surface", block.at(0, 0, angle=-slope), follower.at(0, 0, angle=-slope)),
        mbs.PinInSlot("upright", model.ground.at(0, 0, angle=np.pi / 2), follower),
        mbs.Driver("push", mbs.displacement(floor), p if law is None else law),
        mbs.Friction("rub", surface, mu=mu),
    )
    return model


def effort(model, way, swept):
    """Return the effort of the driver in a slow motion, in N, by `sweep` or by `inverse_dynamics`."""
    if swept:
        return mbs.sweep(model(None), "p", [0.0, 0.1 * way], forces=True).effort("push")
    return mbs.inverse_dynamics(model(0.1 * way * mbs.t), [0.0, 1.0]).effort("push")


@pytest.mark.parametrize("swept", [False, True], ids=["inverse_dynamics", "sweep"])
@pytest.mark.parametrize("slope", [0.6, 0.9, 1.2])
@pytest.mark.parametrize("part", [0.5, 0.99, 1.0001, 1.1, 3.0])
def test_a_wedge_locks_where_its_slope_and_the_angle_of_friction_make_a_right_angle(slope, part, swept):
    """To be pushed in, the wedge needs the force W tan(α + φ) with tan φ = μ; it locks from α + φ = π/2 on, at
    μ = cot α. To be pulled out, it needs the force W tan(α - φ), whatever the friction."""
    mu = part / np.tan(slope)
    model = lambda law: wedge(slope, mu, law)  # noqa: E731
    out = MASS * G * np.tan(slope - np.arctan(mu))
    np.testing.assert_allclose(effort(model, -1, swept), out, rtol=1e-10)
    if part < 1.0:
        into = MASS * G * np.tan(slope + np.arctan(mu))
        np.testing.assert_allclose(effort(model, 1, swept), into, rtol=1e-9)
        return
    motion = "sweep of 'wedge' at p = 0" if swept else "motion of 'wedge' at t = 0"
    with pytest.raises(mbs.ModelError, match=f"no friction goes with the {motion}: it jams, .* lower its mu"):
        effort(model, 1, swept)


@pytest.mark.parametrize("swept", [False, True], ids=["inverse_dynamics", "sweep"])
def test_a_force_without_a_value_is_no_jam(swept):
    """The root of 0.02 m - y has no value where the follower has risen by more than 2 cm: after 2 cm / tan α."""

    def model(law):
        made = wedge(0.5, 0.2, law)
        made.add(mbs.Force("odd", made.bodies["follower"], (0, 100 * sp.sqrt(0.02 - made["follower.y"]))))
        return made

    with pytest.raises(mbs.MbsError, match="Force 'odd' gives no finite force at t = ") as error:
        effort(model, 1, swept)
    assert "jams" not in str(error.value)


# --- a block on two guides, the frictions of which depend on one another ----------------------------------------------


def press(angles, mus, speeds, force, swept) -> mbs.PlanarModel:
    """Return a block on guides at these angles, each with friction, on two carriages that are driven along the floor at
    these speeds; a force acts on the block."""
    model = mbs.PlanarModel("press")
    p = model.parameter("p", 0.0)
    block = model.body("block", 1.0, 0.1)
    model.add(mbs.Force("load", block, tuple(force)))
    for name, angle, mu, speed in zip("AB", angles, mus, speeds, strict=True):
        carriage = model.body(name, 1.0, 0.1)
        floor = mbs.Translational(f"floor {name}", model.ground, carriage)
        guide = mbs.Translational(f"guide {name}", carriage.at(0, 0, angle=angle), block.at(0, 0, angle=angle))
        drive = mbs.Driver(f"drive {name}", mbs.displacement(floor), speed * (p if swept else mbs.t))
        model.add(floor, guide, drive, mbs.Friction(f"rub {name}", guide, mu=mu))
    return model


def presses(angles, mus, speeds, force) -> list[np.ndarray]:
    """Return the normal forces of both guides, in N, of all solutions: one for each choice of sides that fits."""
    along = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    across = np.stack([-np.sin(angles), np.cos(angles)], axis=1)
    slips = np.linalg.solve(np.stack([along[0], -along[1]], axis=1), [speeds[1] - speeds[0], 0.0])
    found = []
    for sides in product((1.0, -1.0), repeat=2):
        columns = (across - (mus * sides * np.sign(slips))[:, None] * along).T
        normal = np.linalg.solve(columns, -force)
        found += [normal] if (normal * sides > 0.0).all() else []
    return found


@pytest.mark.parametrize("swept", [False, True], ids=["inverse_dynamics", "sweep"])
def test_two_guides_jam_where_no_choice_of_sides_balances_the_load(swept):
    random, jams, one, several = np.random.default_rng(0), 0, 0, 0
    for _ in range(60):
        angles, mus = random.uniform(-1.5, 1.5, 2), random.uniform(0, 2.5, 2)
        speeds, force = random.normal(size=2), 10 * random.normal(size=2)
        known, model = presses(angles, mus, speeds, force), press(angles, mus, speeds, force, swept)
        try:
            if swept:
                found = mbs.sweep(model, "p", [0.0, 1e-3], forces=True)
            else:
                found = mbs.inverse_dynamics(model, [0.0, 1e-3])
        except mbs.ModelError as error:
            assert "it jams" in str(error) and not known
            jams += 1
            continue
        pressed = np.array([abs(found[f"rub {name}.friction"][0]) for name in "AB"]) / mus
        assert any(np.allclose(pressed, np.abs(normal), rtol=1e-8) for normal in known)
        one, several = one + (len(known) == 1), several + (len(known) > 1)
    assert jams > 10 and one > 10 and several > 10
