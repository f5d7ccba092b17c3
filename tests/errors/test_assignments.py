"""What was built does not change by assignment, and says what to do instead; gravity may be set anew."""

import pytest

import mbs_dae as mbs


def pendulum():
    model = mbs.PlanarModel("pendulum", gravity=(0, -10))
    rod = model.body("rod", mass=1, inertia=1, position=(1, 0))
    model.add(
        mbs.Revolute("A", model.ground, rod.at(-1, 0)),
        mbs.TorsionSpring("spring", model.ground, rod, stiffness=1.0, angle=1.0),
    )
    return model


CHANGES = {
    "a constant": (lambda m: setattr(m.elements["spring"], "stiffness", 100.0), "its stiffness", "with_parameters"),
    "a misspelt constant": (lambda m: setattr(m.elements["spring"], "stifness", 1.0), "stifness", "without('spring')"),
    "markers": (lambda m: setattr(m.elements["A"], "markers", ()), "Revolute 'A'", "plus(another)"),
    "an element taken out": (lambda m: m.elements.pop("spring"), "element", "model.without('spring')"),
    "an element deleted": (lambda m: m.elements.__delitem__("spring"), "element", "model.without('spring')"),
    "all elements": (lambda m: m.elements.clear(), "element", "model.without("),
    "an element put in": (lambda m: m.elements.__setitem__("B", 1), "element", "model.add(element)"),
    "elements put in": (lambda m: m.elements.update(B=1), "element", "model.add(element)"),
    "a body deleted": (lambda m: m.bodies.__delitem__("rod"), "body", "model.body('rod', ...)"),
    "a parameter deleted": (lambda m: m.parameters.pop("l"), "parameter", "with_parameters(l="),
    "gravity of one number": (lambda m: setattr(m, "gravity", 5), "gravity", "(x, y)"),
    "gravity for a name": (lambda m: mbs.PlanarModel((0, -9.81)), "is its name", "PlanarModel('name', gravity=...)"),
}


@pytest.mark.parametrize("change, what, remedy", CHANGES.values(), ids=CHANGES)
def test_what_was_built_is_not_changed(change, what, remedy):
    model = pendulum()
    before = [*model.elements], [*model.bodies]
    with pytest.raises(mbs.ModelError) as error:
        change(model)
    assert what in str(error.value) and remedy in str(error.value)
    assert ([*model.elements], [*model.bodies]) == before


def test_gravity_set_anew_holds_from_then_on():
    model = pendulum()
    copy = model.plus()
    assert mbs.simulate(model, [0, 0.1])["rod.alpha"][0] == pytest.approx((1 - 10) / 2)
    model.gravity = (0, 0)
    assert mbs.simulate(model, [0, 0.1])["rod.alpha"][0] == pytest.approx(0.5)
    assert mbs.simulate(copy, [0, 0.1])["rod.alpha"][0] == pytest.approx((1 - 10) / 2)
