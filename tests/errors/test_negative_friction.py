"""Friction never drives: a coefficient or a force of friction that becomes negative ends every analysis by name."""

import numpy as np
import pytest
import sympy as sp
from refusals import refused

import mbs_dae as mbs
from mbs_dae import t

G = 9.81
WAYS = [{}, {"method": "Radau5"}, *({"method": name, "step": 1e-3} for name in ("RK4", "Moreau", "HalfExplicit"))]


def sled(kind: str, law, **options) -> mbs.PlanarModel:
    """A sled of 2 kg, of which a law rubs as the coefficient in its guide, as a force, or at its contact."""
    model = mbs.PlanarModel("bench", gravity=(0, -G))
    body = model.body("sled", mass=2.0, inertia=1.0)
    law = law(model) if callable(law) else law
    if kind == "friction":
        model.add(mbs.CoordinateFix("upright", body, "angle"))
        model.add(mbs.Contact("rub", mbs.Line(model.ground), mbs.Point(body), friction=law, **options))
        return model
    guide = model.add(mbs.Translational("guide", model.ground, body))
    given = mbs.Friction("rub", guide, mu=law, **options) if kind == "mu" else None
    model.add(given or mbs.DryFriction("rub", mbs.displacement(guide), force=law, **options))
    return model


def start(kind: str) -> dict[str, float]:
    return {"sled.vx": 2.0} | ({"sled.vy": 0.0} if kind == "friction" else {})


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.get("method", "default"))
@pytest.mark.parametrize("kind", ["mu", "force", "friction"])
def test_a_law_that_becomes_negative_ends_a_run(kind, way):
    with refused("friction-undefined-or-negative", mbs.IntegrationError, mentions=[kind, "rub", "bench"]) as told:
        mbs.simulate(sled(kind, 0.2 - 0.5 * t), [0, 1], start(kind), **way)
    assert 0.4 < told.value.time <= 1.0 and told.value.result.t[-1] <= told.value.time


@pytest.mark.parametrize("coordinates", ["cartesian", "natural", "joint"])
@pytest.mark.parametrize(
    "law", [(t - 0.5) ** 2 - 0.05, sp.Piecewise((-0.1, (t > 0.2) & (t < 0.201)), (0.1, True)), -0.01 - t],
    ids=["dips within one step", "a pulse", "at once"],
)  # fmt: skip
def test_neither_ends_of_steps_nor_requested_times_hide_it(law, coordinates):
    with refused("friction-undefined-or-negative", mbs.IntegrationError, joints=["mu of Friction 'rub'"]):
        mbs.simulate(sled("mu", law).compile(coordinates), [0, 1], start("mu"))


def test_friction_at_rest_is_not_negative_either():
    with refused("friction-undefined-or-negative", mbs.IntegrationError, joints=["mu_static of Friction 'rub'"]):
        mbs.simulate(sled("mu", 0.1, mu_static=0.3 - t), [0, 1], start("mu"))


def test_laws_that_touch_zero_or_end_there_are_none_of_this():
    """The speed falls by the integral of μ g; over x, v² does by twice that."""
    run = mbs.simulate(sled("mu", sp.Max(0, 0.1 - t)), [0, 1], start("mu"))
    assert run["sled.vx"][-1] == pytest.approx(2 - G * 0.1**2 / 2, abs=1e-9)
    run = mbs.simulate(sled("mu", lambda model: sp.Max(0, 0.1 - model["sled.x"])), [0, 1], start("mu"))
    assert run["sled.vx"][-1] == pytest.approx(np.sqrt(4 - 2 * G * 0.1**2 / 2), abs=1e-8)
    law = lambda model: sp.Piecewise((0.1 - model["sled.x"], model["sled.x"] < 0.1), (0.2, True))  # noqa: E731
    run = mbs.simulate(sled("mu", law), [0, 0.5], start("mu"))
    square = 4 - 2 * G * 0.1**2 / 2 - 2 * G * 0.2 * (run["sled.x"][-1] - 0.1)
    assert run["sled.vx"][-1] == pytest.approx(np.sqrt(square), abs=1e-8)
    run = mbs.simulate(sled("force", 2 * sp.Abs(sp.sin(20 * t))), [0, 1], start("force"))
    turns, left = divmod(20.0, np.pi)
    assert run["sled.vx"][-1] == pytest.approx(2 - (2 * turns + 1 - np.cos(left)) / 20, abs=1e-7)


def test_a_contact_that_is_open_has_no_friction():
    """Thrown up with 2 m/s it is where the law is negative, and lands where it is 0.2."""
    model = sled("friction", lambda model: 0.2 - model["sled.y"] * 2)
    run = mbs.simulate(model, [0, 0.3, 0.5], {"sled.vx": 2.0, "sled.vy": 2.0})
    lands = run.impacts[0].t
    assert lands == pytest.approx(4 / G) and run["sled.y"][1] > 0.1
    assert run["sled.vx"][-1] == pytest.approx(2 - 0.2 * 2 - 0.2 * G * (0.5 - lands), abs=1e-7)


@pytest.mark.parametrize("kind", ["mu", "force", "friction"])
def test_friction_that_builds_up_over_a_speed_does_not_drive_either(kind):
    with refused("friction-undefined-or-negative", mbs.IntegrationError, mentions="rub"):
        mbs.simulate(sled(kind, 0.2 - 0.5 * t, smooth=1e-2), [0, 1], start(kind))
    run = mbs.simulate(sled(kind, 0.2 + 0.5 * t, smooth=1e-2), [0, 1], start(kind))
    impulse = (0.2 + 0.25) * (1.0 if kind == "force" else 2.0 * G) / 2.0
    assert run["sled.vx"][-1] == pytest.approx(max(2 - impulse, 0.0), abs=1e-2)


def test_friction_that_builds_up_is_judged_at_all_steps():
    """The force is negative from 0.3 s to 0.33 s; nobody asks for these times. Where a body is at rest, too."""
    law = sp.Piecewise((-5.0, (t > 0.3) & (t < 0.33)), (5.0, True))
    for coordinates in ("cartesian", "natural", "joint"):
        with refused(
            "friction-undefined-or-negative", mbs.IntegrationError,
            joints=["force of SmoothFriction 'rub'"],
            mentions="bench",
        ) as told:
            mbs.simulate(sled("force", law, smooth=1e-2).compile(coordinates), [0, 1], start("force"))
        assert 0.3 < told.value.time < 0.33
    with refused("friction-undefined-or-negative", mbs.IntegrationError, time=0.0, mentions="rub"):
        mbs.simulate(sled("force", lambda model: model.parameter("F", -1.0, unit="N"), smooth=1e-2), [0, 1])
    studied = sled("force", lambda model: 1.0 - 2.0 * model.parameter("slope", 0.1) * t, smooth=1e-2)
    for slope, ends in ((0.1, True), (1.0, False)):
        design = studied.with_parameters(slope=slope)
        if ends:
            mbs.simulate(design, [0, 1], start("force"))
        else:
            with refused(
                "friction-undefined-or-negative", mbs.IntegrationError, joints=["force of SmoothFriction 'rub'"]
            ):
                mbs.simulate(design, [0, 1], start("force"))


def test_friction_of_a_contact_that_gives_way_does_not_drive():
    def run(law):
        model = mbs.PlanarModel("bench", gravity=(0, -G))
        body = model.body("sled", mass=2.0, inertia=1.0)
        floor = mbs.CompliantContact(
            "rub", mbs.Line(model.ground), mbs.Point(body), stiffness=1e5, damping=1e3, friction=law, smooth=1e-2
        )
        model.add(mbs.CoordinateFix("upright", body, "angle"), floor)
        return mbs.simulate(model, [0, 0.5, 1], {"sled.vx": 2.0, "sled.vy": 0.0})

    with refused("friction-undefined-or-negative", mbs.IntegrationError, mentions=["rub", "bench"]) as told:
        run(0.2 - 0.5 * t)
    assert 0.4 < told.value.time < 0.5
    with refused("friction-undefined-or-negative", mbs.IntegrationError, mentions=["rub", "bench"]) as told:
        run(sp.Piecewise((-0.1, (t > 0.3) & (t < 0.33)), (0.1, True)))
    assert 0.3 < told.value.time < 0.33
    assert run(0.1)["sled.vx"][-1] == pytest.approx(2 - 0.1 * G, abs=0.01)


def test_other_analyses_refuse_it_as_well():
    driven = sled("mu", 0.1 - t)
    driven.add(mbs.Driver("motor", mbs.x(driven.bodies["sled"]), t))
    negative = ["mu", "Friction 'rub'", "-0.1"]
    with refused("friction-undefined-or-negative", model="bench", time=0.2, mentions=negative):
        mbs.inverse_dynamics(driven, np.linspace(0, 1, 11))
    for coordinates in ("cartesian", "natural", "joint"):
        driven = sled("force", 0.1 - t, smooth=1e-2)
        driven.add(mbs.Driver("motor", mbs.x(driven.bodies["sled"]), t))
        with refused("friction-undefined-or-negative", model="bench", time=0.2, mentions="rub"):
            mbs.inverse_dynamics(driven.compile(coordinates), np.linspace(0, 1, 11))
    for kind in ("mu", "force"):
        away = sled(kind, lambda model: model["sled.x"] - 0.2)
        load = away.parameter("F", 1.0, unit="N")
        away.add(mbs.Force("push", away.bodies["sled"], (load, 0)))
        for verb in (lambda model: mbs.holding(model, load="F"), mbs.equilibrium):
            with refused("friction-undefined-or-negative", mentions=[kind, "rub", "bench"]):
                verb(away)
