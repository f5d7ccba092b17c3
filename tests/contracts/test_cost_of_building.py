"""Building an element costs calls in proportion to the size of its law, however wide or deep the law is."""

import sys

import sympy as sp
from sympy.core.cache import clear_cache

import mbs_dae as mbs


def chain(count):
    """An arm of hinges in space about alternating axes, with its joints."""
    model = mbs.SpatialModel("arm")
    links = [model.ground]
    for k in range(count):
        links.append(model.body(f"link{k}", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(k + 0.5, 0, 0)))
        axis = (0, 1, 0) if k % 2 else (0, 0, 1)
        model.add(mbs.Revolute(f"hinge{k}", links[k], links[k + 1], at=(k, 0, 0), axis=axis))
    return model


def calls(build):
    """The number of Python functions that are called when `build` runs with nothing remembered."""
    count = 0

    def counter(frame, event, argument):
        nonlocal count
        count += event == "call"

    clear_cache()
    sys.setprofile(counter)
    try:
        build()
    finally:
        sys.setprofile(None)
    return count


def wide_law(model, count):
    return -sum((k + 2.0) * model[f"hinge{k}.angle"] + 0.3 * model[f"hinge{k}.omega"] for k in range(count))


def deep_law(model, depth):
    law = model["hinge0.angle"]
    for k in range(depth):
        law = sp.sin((k + 1.5) * law + 0.25 * sp.cos(law))
    return law


def torque_calls(model, law):
    return calls(lambda: mbs.Torque("drive", model.elements["hinge0"], law))


def test_every_further_angle_in_the_law_of_a_torque_costs_the_same():
    """The law stands in twelve components of force, and is walked once for all: about 1e5 calls for an angle in space
    (walked at each level of each component it costs ten times as many)."""
    model = chain(4)
    one, two, four = (torque_calls(model, wide_law(model, count)) for count in (1, 2, 4))
    assert four - two < 2.3 * (two - one)
    assert four - two < 2 * 250_000


def test_a_law_that_repeats_its_parts_is_not_walked_at_every_level():
    """Each level stands twice in the next one; three more levels have eight times the leaves."""
    model = chain(1)
    assert torque_calls(model, deep_law(model, 7)) < 4 * torque_calls(model, deep_law(model, 4))
