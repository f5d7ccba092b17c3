"""What statics of contacts cannot tell is refused, with the reason and with what to do."""

from __future__ import annotations

import numpy as np
from refusals import refused

import mbs_dae as mbs
from mbs_dae.errors import EquilibriumError


def block(mu=0.3, y=0.0, angle=0.0, height=0.0):
    model = mbs.PlanarModel("yard", gravity=(0, -9.81))
    P, m, h, R = (model.parameter(name, value) for name, value in zip("PmhR", (0.0, 1.0, height, 0.0), strict=True))
    body = model.body("block", mass=m, inertia=0.1, position=(0, y))
    model.add(mbs.CoordinateFix("upright", body, "angle", 0))
    floor = mbs.Line(model.ground.at(0, h, angle=angle))
    model.add(mbs.Contact("floor", floor, mbs.Point(body), friction=mu), mbs.Force("push", body, (P**2 + R, 0)))
    return model


def test_what_slides_for_ever_has_no_rest():
    for model in (block(0.0, angle=0.3), block(0.3, angle=0.5), block(0.3, y=1.0, angle=0.5)):
        with refused("no-equilibrium", EquilibriumError, model="yard"):
            mbs.equilibrium(model)
    with refused("no-equilibrium", EquilibriumError, model="yard"):
        mbs.equilibrium(block(0.3, angle=0.5))


def test_bodies_that_overlap_are_told_how_deep():
    for verb in (mbs.equilibrium, mbs.holding):
        with refused("contact-overlaps", contacts=["floor"], mentions="0.2 m"):
            verb(block(y=-0.2))


def test_one_start_and_one_rest():
    for options in ({"all": True}, {"over": ("P", [0, 1])}):
        with refused("not-supported", model="yard"):
            mbs.equilibrium(block(), **options)
    model = block()
    model.state("z", rate=-model["block.x"])
    with refused("not-supported", argument="model", model="yard"):
        mbs.equilibrium(model)


def test_drivers_and_obstacles_stand_still():
    model = block().without("floor")
    for way in (mbs.t, mbs.t**2):
        lift = mbs.Contact("lift", model.ground, model.bodies["block"], gap=lambda i, j, way=way: j.y - way)
        moving = model.without()
        moving.add(lift)
        for verb in (mbs.equilibrium, mbs.holding):
            with refused("contact-moves", contact="Contact 'lift'", time=0.0, model="yard"):
                verb(moving)


def test_what_touches_without_pressing_has_no_small_motions():
    model = block(0.0).without("upright")
    model.add(mbs.Contact("side", mbs.Line(model.ground.at(0, 0, angle=-np.pi / 2)), mbs.Point(model.bodies["block"])))
    rest = mbs.equilibrium(model)
    assert rest["side.force"] == 0.0 and rest["side.gap"] == 0.0
    with refused("touches-without-pressing", model="yard", mentions="side"):
        assert rest.stable


def test_what_is_about_to_slip_has_no_small_motions():
    rest = mbs.equilibrium(block(np.tan(0.3), angle=0.3))
    with refused("about-to-move", EquilibriumError, model="yard"):
        assert rest.stable


def test_a_load_is_one_of_forces_in_proportion():
    with refused("unknown-name", kind="parameter or input", name="Q"):
        mbs.holding(block(), load="Q")
    with refused("changes-more-than-forces", name="h", model="yard"):
        mbs.holding(block(), load="h")
    with refused("forces-not-proportional", name="P"):
        mbs.holding(block(), load="P")
    least, most = mbs.holding(block(angle=0.1), load="m").between  # more weight slides no sooner
    assert abs(least) < 1e-9 and most == np.inf
    free = mbs.holding(block(y=1.0), load="R")
    assert free.between is None and "held by no R" in repr(free)


def test_poses_are_states_or_names():
    with refused("not-a-pose", argument="pose"):
        mbs.holding(block(), [0.0])


def test_a_reaction_is_no_output_of_small_motions():
    model = mbs.PlanarModel("lever", gravity=(0, -9.81))
    lever = model.link("lever", (0, 0), (0, -0.5), mass=2.0)
    model.add(mbs.Revolute("pin", model.ground, lever.tail))
    with refused("is-a-reaction", argument="outputs", name="pin.Fx"):
        mbs.linearize(model, mbs.equilibrium(model).state, outputs=["pin.Fx"])
