"""Derivatives by any constant of an element by its name, which need not be a parameter: against closed forms, and
against the same model with a parameter in its place."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused

import mbs_dae as mbs
from mbs_dae.derivatives.constants import constants_of, with_constants_free

G = 10.0


def ball(**more):
    model = mbs.PlanarModel("ball", gravity=(0, -G))
    return model, model.body("ball", mass=1.0, inertia=0.004, **more)


def test_the_limit_and_the_restitution_of_a_stop():
    """From h over the stop with v = √(2 g h) after T = v/g: t later y = lower + e v t - g t²/2."""
    model, body = ball()
    guide = model.add(mbs.Translational("guide", model.ground, body, at=(0, 0), axis=(0, 1)))
    model.add(mbs.Stop("stop", mbs.displacement(guide), lower=0.05, restitution=0.8))
    names = ["stop.lower", "stop.restitution"]
    run = mbs.simulate(model, [0, 0.6], {"ball.y": 1.0, "ball.vy": 0.0}, derivatives=names)
    v = np.sqrt(2 * G * 0.95)
    t = 0.6 - v / G
    by_lower = 1 - 0.8 * G / v * t + (0.8 * v - G * t) / v  # 1 + e v' t - (e v - g t) T', with v' = -g/v, T' = -1/v
    assert run.d("ball.y", "stop.lower")[-1] == pytest.approx(by_lower, rel=1e-10)
    assert run.d("ball.y", "stop.restitution")[-1] == pytest.approx(v * t, rel=1e-10)


def test_the_radius_of_a_disk_that_slides_with_friction():
    """It lands flat with vy = -v on a floor with μ, so vx falls by μ (1 + e) v; a larger one lands earlier."""
    model, body = ball()
    model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Disk(body, 0.1), restitution=0.5, friction=0.1))
    start = {"ball.x": 0, "ball.y": 5.1, "ball.angle": 0, "ball.vx": 9, "ball.vy": 0, "ball.omega": 0}
    names = ["floor.radius", "floor.friction", "floor.restitution"]
    run = mbs.simulate(model, [0, 1.5], start, derivatives=names)
    assert run.d("ball.vx", "floor.friction")[-1] == pytest.approx(-1.5 * G, rel=1e-9)
    assert run.d("ball.vx", "floor.restitution")[-1] == pytest.approx(-0.1 * G, rel=1e-9)
    assert run.d("ball.vx", "floor.radius")[-1] == pytest.approx(0.1 * 1.5, rel=1e-7)  # -μ (1 + e) v', v' = -g/v
    assert run.d("ball.y", "floor.radius")[-1] == pytest.approx(1 - 0.25 + 0, rel=1e-9)  # at the top of its flight


def test_friction_in_a_guide():
    """A block of 4 m/s stops after v²/(2 μ g)."""
    model = mbs.PlanarModel("bench", gravity=(0, -G))
    block = model.body("block", mass=1.0, inertia=0.1)
    guide = model.add(mbs.Translational("guide", model.ground, block))
    model.add(mbs.Friction("bench", guide, mu=0.2), mbs.DryFriction("brake", mbs.displacement(guide), force=1.0))
    run = mbs.simulate(model, [0, 1, 5], {"block.vx": 4.0}, derivatives=["bench.mu", "brake.force"])
    slow = 0.2 * G + 1.0
    np.testing.assert_allclose(run.d("block.x", "bench.mu"), [0, -G / 2, -16 / (2 * slow**2) * G], atol=1e-9)
    np.testing.assert_allclose(run.d("block.x", "brake.force"), [0, -0.5, -16 / (2 * slow**2)], atol=1e-9)


def test_given_forces_by_component_and_by_magnitude():
    """2 kg under (3, 4) N for 2 s: x = F t²/2m; and numbers that are 0 or 1, which equations do not keep as numbers."""
    model = mbs.PlanarModel("cart")
    cart = model.body("cart", mass=2.0, inertia=0.1)
    model.add(mbs.Force("push", cart, (3.0, 4.0)), mbs.Torque("hand", cart, 1.0), mbs.Force("wind", cart, (0, 1)))
    names = ["push.x", "push.y", "hand.torque", "wind.x"]
    run = mbs.simulate(model, [0, 2.0], derivatives=names)
    found = [[run.d(f"cart.{place}", by)[-1] for place in ("x", "y", "angle")] for by in names]
    np.testing.assert_allclose(found, [[1, 0, 0], [0, 1, 0], [0, 0, 20], [1, 0, 0]], atol=1e-12)
    run = mbs.simulate(model, [0, 2.0], derivatives=["push.magnitude"])
    assert [run.d(f"cart.{place}", "push.magnitude")[-1] for place in ("x", "y")] == pytest.approx([0.6, 0.8])
    with refused("contradictory-arguments", subject="Force 'push'"):
        mbs.simulate(model, [0, 2.0], derivatives=["push.x", "push.magnitude"])


def test_the_pitch_of_a_screw_is_that_of_the_friction_in_it():
    """What speaks of another element has its numbers, too."""
    model = mbs.SpatialModel("jack", gravity=(0, 0, -G))
    nut = model.body("nut", mass=1.0, inertia=(0.1, 0.1, 0.1))
    screw = model.add(mbs.Screw("screw", model.ground, nut, pitch=0.5))
    model.add(mbs.Friction("thread", screw, mu=0.1, radius=0.05))
    p = model.parameter("p", 0.5)
    same = mbs.SpatialModel("jack", gravity=(0, 0, -G))
    same.parameter("p", 0.5)
    nut = same.body("nut", mass=1.0, inertia=(0.1, 0.1, 0.1))
    screw = same.add(mbs.Screw("screw", same.ground, nut, pitch=p))
    same.add(mbs.Friction("thread", screw, mu=0.1, radius=0.05))
    one = mbs.simulate(model, [0, 0.5], derivatives=["screw.pitch"])
    other = mbs.simulate(same, [0, 0.5], derivatives=["p"])
    assert abs(one.d("nut.z", "screw.pitch")[-1]) > 1e-3
    assert one.d("nut.z", "screw.pitch")[-1] == pytest.approx(other.d("nut.z", "p")[-1], rel=1e-9)
    low, high = (mbs.simulate(same.with_parameters(p=p), [0, 0.5])["nut.z"][-1] for p in (0.499, 0.501))
    assert other.d("nut.z", "p")[-1] == pytest.approx((high - low) / 0.002, rel=1e-5)


def everything(dimension):
    """Elements with constants of every kind."""
    plane = dimension == 2
    model = mbs.PlanarModel("all") if plane else mbs.SpatialModel("all")
    inertia = 1.0 if plane else (1.0, 1.0, 1.0)
    a, b = (model.body(n, position=(0, h, 0)[:dimension], mass=1.0, inertia=inertia) for n, h in (("a", 2), ("b", 5)))
    ground = mbs.Line(model.ground) if plane else mbs.Plane(model.ground)
    box = mbs.Box(a, (0.6, 0.4, 0.2)[:dimension], radius=0.05)
    round_one = mbs.Disk(a, 0.3) if plane else mbs.Sphere(a, 0.3)
    other = mbs.Disk(b, 0.2) if plane else mbs.Sphere(b, 0.2)
    model.add(
        mbs.Contact("box", ground, box, restitution=0.3, friction=0.2),
        mbs.Contact("pair", round_one, other, friction=0.3, smooth=0.01),
        mbs.Contact("bar", ground, mbs.Capsule(b, 0.5, 0.1), friction=0.2, static_friction=0.3),
        mbs.CompliantContact("mat", ground, other, stiffness=1e4, damping=0.2, friction=0.3, smooth=0.01),
        mbs.Rope("rope", a, b, length=4.0, restitution=0.1),
        mbs.Stop("stop", mbs.y(a), lower=-9.0, upper=9.0, restitution=0.2),
        mbs.Spring("spring", a, b, stiffness=3.0, length=2.5),
        mbs.Bushing("mount", model.ground, a, stiffness=[1.0 + k for k in range(3 * dimension - 3)]),
        mbs.Wrench("load", a, (1.5, 2, 3)[:dimension], 4 if plane else (4, 5, 6)),
        mbs.DryFriction("brake", mbs.x(b), force=2.0, static_force=2.5),
    )
    if plane:
        corners = [(-0.2, -0.2), (0.3, -0.2), (0, 0.3)]
        model.add(mbs.Contact("wedge", ground, mbs.Polygon(b, corners, radius=0.02)))
    model.state("z", rate=lambda z: -z, initial=0.7)
    return model


@pytest.mark.parametrize("dimension", [2, 3])
def test_each_constant_of_each_element_can_be_free(dimension):
    """With its own value in its place the model is the same, and with another one something in it is another."""
    model = everything(dimension)
    constants, number = constants_of(model), model.evaluator()
    wanted = {"box.size_x", "box.radius", "pair.a.radius", "pair.b.radius", "bar.length", "bar.static_friction"}
    wanted |= {"pair.smooth", "mat.stiffness", "mat.radius", "mat.friction", "rope.length", "rope.restitution"}
    wanted |= {"stop.lower", "stop.upper", "mount.stiffness_12", "load.magnitude", "brake.static_force", "z.initial"}
    assert wanted | ({"load.mz", "wedge.points2_x"} if dimension == 2 else {"load.mx"}) <= {*constants}

    def numbers(model):
        known = model.evaluator()
        rows = [n for e in model.elements.values() for _, slots in e.forms() for n in slots.values()]
        rows += [n for e in model.elements.values() for n in e.laws]
        rows += [state.initial for state in model.states]
        return sorted(known(n) for n in rows if not getattr(n, "home", None))

    for name in constants:
        if name.partition(".")[0] in model.elements and (value := number(constants[name].value)) != 0.0:
            free = with_constants_free(model, [name])
            same, other = numbers(free), numbers(free.with_parameters(**{name: 1.01 * value}))
            own = {round(x, 12) for x in numbers(model)}
            assert own <= {round(x, 12) for x in same} | {0.0, 1.0, -1.0}, name
            assert same != other, name
            free.compile()


# --- what is told ----------------------------------------------------------------------------------------------------


def test_an_effort_that_others_read_is_written_with_its_numbers():
    model, body = ball(position=(0, 1))
    model.add(mbs.Spring("spring", model.ground, body, stiffness=10.0))
    model.state("z", rate=model["spring.effort"])
    with refused("no-derivative", element="Spring 'spring'", name="stiffness"):
        mbs.simulate(model, [0, 1], derivatives=["spring.stiffness"])


def test_by_no_friction_there_is_a_derivative_to_one_side_alone():
    model, body = ball(position=(0, 1))
    model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Disk(body, 0.1), restitution=0.0))
    with refused("kink", subject="Contact 'floor'", name="friction"):
        mbs.simulate(model, [0, 0.1], derivatives=["floor.friction"])
    with refused("no-derivative", subject="Contact 'floor'", law="restitution"):
        mbs.simulate(model, [0, 0.1], derivatives=["floor.restitution"])
