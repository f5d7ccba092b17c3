"""Paths and motions for models: a model of a four-bar finds the linkage that made the points, a ladder its ellipse."""

import numpy as np
import pytest

import mbs_dae as mbs
from mbs_dae.synthesis.linkages import Circle, Linkage
from mbs_dae.synthesis.models.tracing import meet_in_order
from mbs_dae.synthesis.models.walking import walker

KNOWN = Linkage(0.1j, 0.4, 1.1, Circle(1 + 0.2j, 0.8), 0.5 + 0.6j)
LENGTHS = {"a": 0.4, "b": 1.1, "c": 0.8, "Dx": 1.0, "Dy": 0.2, "Ox": 0.0, "Oy": 0.1, "along": 0.5, "across": 0.6}
OVER = {name: (x - 0.3, x + 0.35) if name[0] in "OD" else (0.7 * x, 1.4 * x) for name, x in LENGTHS.items()}
THETA = np.linspace(0.1, 5.5, 8)


def pairs(z):
    return np.stack([np.real(z), np.imag(z)], axis=1)


@pytest.fixture(scope="module")
def four_bar():
    """With all numbers as parameters, none of them as it is in the known linkage."""
    model = mbs.PlanarModel("four-bar")
    p = {name: model.parameter(name, low + 0.55 * (high - low), unit="m") for name, (low, high) in OVER.items()}
    crank = model.link("crank", (0, 0.1), (0.4, 0.1), length=p["a"])
    coupler = model.link("coupler", (0.4, 0.1), (1, 1), length=p["b"])
    coupler.marker("P", p["along"] - p["b"] / 2, p["across"])
    rocker = model.link("rocker", (1, 0.2), (1, 1), length=p["c"])
    model.add(
        mbs.Revolute("O", model.ground.at(p["Ox"], p["Oy"]), crank.tail),
        mbs.Revolute("A", crank.head, coupler.tail),
        mbs.Revolute("B", coupler.head, rocker.head),
        mbs.Revolute("D", model.ground.at(p["Dx"], p["Dy"]), rocker.tail),
        mbs.Driver("motor", mbs.angle(model.ground, crank), 2 * mbs.t),
    )
    return model


@pytest.fixture(scope="module")
def ladder():
    """Its foot is pushed along the floor; P is u above the foot."""
    model = mbs.PlanarModel("ladder")
    l, u = model.parameter("l", 4.0, unit="m"), model.parameter("u", 2.0, unit="m")
    model.parameter("idle", 1.0)
    bar = model.link("bar", (2, 0), (0, 3.5), length=l)
    bar.marker("P", u - l / 2, 0)
    model.add(
        mbs.PinInSlot("floor", model.ground, bar.tail),
        mbs.PinInSlot("wall", model.ground.at(0, 0, np.pi / 2), bar.head),
        mbs.Driver("push", mbs.x(bar.tail), 2 + mbs.t),
    )
    return model


@pytest.fixture(scope="module")
def arm():
    model = mbs.PlanarModel("arm")
    bar = model.link("bar", (0, 0), (1, 0), length=model.parameter("l", 1.0, unit="m"))
    pin = model.add(mbs.Revolute("O", model.ground, bar.tail))
    model.add(mbs.Driver("motor", mbs.angle(pin), mbs.t))
    return model


def test_timed_points_of_a_known_linkage_give_that_linkage(four_bar):
    points = pairs(KNOWN.pose(THETA, 1).P)
    found = mbs.synthesize_path(points, kind=four_bar, point="coupler.P", over=OVER, timing=THETA - 3, starts=4)
    best = found.best
    assert best.design == pytest.approx(LENGTHS, abs=1e-10) and best.defects == () and best.turns
    assert np.exp(1j * best.angles) == pytest.approx(np.exp(1j * THETA), abs=1e-10)


def test_points_of_a_known_curve_without_times(four_bar):
    """The same points are passed exactly by linkages of the closed form, and by designs of the model; these move so as
    the multibody solver moves them, from their `start`."""
    wanted = KNOWN.pose(THETA, 1).P
    found = mbs.synthesize_path(
        pairs(wanted), kind=four_bar, point="coupler.P", over=OVER, starts=4
    )  # fmt: skip
    best = found.best
    assert best.error.max() < 1e-10 and best.defects == ()
    way = np.sign(best.motion[-1] - best.motion[0])
    times = np.sort(way * (best.angles - best.angles[0]) % (2 * np.pi))
    path = mbs.kinematics(best.model(), times, start=best.start)["coupler.P"] @ [1, 1j]
    assert max(np.abs(path - one).min() for one in wanted) < 1e-10
    closed = mbs.synthesize_path(pairs(wanted), starts=24).best
    assert closed.error.max() < 1e-9
    values = best.design
    own = Linkage(
        values["Ox"] + 1j * values["Oy"], values["a"], values["b"],
        Circle(values["Dx"] + 1j * values["Dy"], values["c"]), values["along"] + 1j * values["across"],
    )  # fmt: skip
    offs = [np.abs(own.pose(best.angles, sign).P - wanted).max() for sign in (1, -1)]
    assert min(offs) < 1e-10  # by the closed form of the same linkage
    assert "not assembled" in str(found)


def test_poses_of_a_known_linkage(four_bar):
    pose = KNOWN.pose(THETA[:6], 1)
    rows = np.column_stack([pairs(pose.P), pose.gamma])
    best = mbs.synthesize_motion(rows, kind=four_bar, point="coupler.P", over=OVER, starts=4).best
    assert best.design == pytest.approx(LENGTHS, abs=1e-9) and best.error.max() < 1e-10


def test_a_ladder_and_its_ellipse(ladder):
    """With the foot at d, P is at (d (1 - u/l), u/l √(l² - d²)). The driver has a range; a parameter is idle."""
    d, l, u = np.array([3.5, 2.8, 2.0, 0.7]), 5.0, 1.5
    points = np.stack([d * (1 - u / l), u / l * np.sqrt(l**2 - d**2)], axis=1)
    over = {"l": (3.8, 7), "u": (0.5, 3), "idle": (0, 1)}
    asked = {"kind": ladder, "point": "bar.P", "over": over, "driver": {"push": (0.5, 3.7)}, "starts": 4}
    best = (found := mbs.synthesize_path(points, **asked)).best
    assert (best.design["l"], best.design["u"]) == pytest.approx((l, u), abs=1e-10)
    assert best.angles == pytest.approx(d, abs=1e-9) and not best.turns
    assert any(note.startswith("idle: ") for note in found.notes)
    swung = mbs.kinematics(best.model(), np.linspace(0, np.pi, 3), start=best.start)["bar.tail.x"]
    assert swung[[0, -1]] == pytest.approx(d[[0, -1]], abs=1e-9)
    held = mbs.synthesize_path(points, **asked | {"over": over | {"l": (3.8, 4.5)}}).best
    assert held.design["l"] == 4.5 and held.error.max() > 0.01  # on its bound


def test_order(arm):
    """Four points of a circle, two of them exchanged: no way round passes them in this order."""
    points = pairs(1.5 * np.exp(1j * np.pi / 2 * np.array([0, 2, 1, 3])))
    asked = {"kind": arm, "point": "bar.head", "over": {"l": (0.5, 2)}, "starts": 4}
    told, free = (mbs.synthesize_path(points, order=order, **asked) for order in ("prescribed", "free"))
    assert free.best.defects == () and free.best.error.max() < 1e-12
    assert any(one.defects == ("order",) for one in told) or told.best.error.max() > 0.1
    assert free.best.plot().axes and len(free.plot(1).axes) == 1


def test_derivatives_of_walks(four_bar):
    """Against central differences, extrapolated."""
    design = {name: value.value for name, value in four_bar.parameters.items()}
    timed = four_bar.without("motor").plus(mbs.Driver("motor", four_bar.elements["motor"].measure, mbs.t))
    moving = walker(timed, ["coupler.P.x", "coupler.P.angle"], tuple(OVER))
    driver, guess = np.array([2.0, 0.5, 1.2]), timed.compile().placement
    made = moving.values_at(design, driver, guess)

    def values(name, step):
        changed = design | {name: design[name] + step} if name else design
        return moving.values_at(changed, driver if name else driver + step, made.first).values

    for k, name in enumerate([*OVER, None]):
        once, twice = ((values(name, h) - values(name, -h)) / (2 * h) for h in (2e-3, 1e-3))
        slope = made.by_parameter[..., k] if name else made.by_driver
        assert slope == pytest.approx((4 * twice - once) / 3, abs=1e-7)


def test_targets_are_met_in_order():
    """Against all choices, on a closed walk and an open one."""
    rng = np.random.default_rng(5)
    places, values = np.linspace(0, 2 * np.pi, 9)[:-1], rng.normal(size=(8, 2))
    targets = rng.normal(size=(3, 2))
    off = ((targets[:, None] - values) ** 2).sum(axis=2)
    least = min(
        off[0, i] + off[1, j] + off[2, k] for i in range(8) for j in range(8) for k in range(8)
        if i <= j <= k or i >= j >= k
    )  # fmt: skip
    met = meet_in_order(places, values, targets, closes=False)
    assert met.cost == pytest.approx(least)
    assert sum(off[m, np.argmin(abs(places - at))] for m, at in enumerate(met.driver)) == pytest.approx(least)
    assert meet_in_order(places, values, targets, closes=True).cost <= least
