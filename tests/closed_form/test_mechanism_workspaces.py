"""Regions and numbers of modes of random five-bars, platforms and delta robots, against closed forms and scans."""

from __future__ import annotations

import numpy as np
import pytest

import mbs_dae as mbs


def five_bar(cranks, legs, base) -> mbs.PlanarModel:
    """Cranks about 0 and `base`; the hand is where both legs meet, above."""
    for one in np.linspace(0.1, 3.1, 40):
        for two in np.linspace(3.1, 0.1, 40):
            A, C = cranks[0] * np.exp(1j * one), base + cranks[1] * np.exp(1j * two)
            d = abs(C - A)
            if abs(legs[0] - legs[1]) + 0.05 < d < sum(legs) - 0.05:
                x = (d * d + legs[0] ** 2 - legs[1] ** 2) / (2 * d)
                P = A + (C - A) / d * (x + 1j * np.sqrt(legs[0] ** 2 - x * x))
                points = {"O": 0j, "A": A, "P": P, "C": C, "E": base + 0j}
                rods = {"one": "OA", "leg1": "AP", "leg2": "CP", "two": "EC"}
                return mbs.PlanarModel.from_points({k: (z.real, z.imag) for k, z in points.items()}, rods, fixed="OE")
    raise AssertionError("no such five-bar closes")


def hand_modes(x, y, cranks, legs, base) -> int:
    """Two elbows for each side whose crank and leg reach."""
    reaches = [abs(a - b) < np.hypot(x - o, y) < a + b for a, b, o in zip(cranks, legs, (0.0, base), strict=True)]
    return 4 * all(reaches)


def crank_modes(one, two, cranks, legs, base) -> int:
    d = abs(cranks[0] * np.exp(1j * one) - base - cranks[1] * np.exp(1j * two))
    return 2 * (abs(legs[0] - legs[1]) < d < sum(legs))


def ring_overlap(cranks, legs, base) -> float:
    """The area in both rings, |a - b| < ρ < a + b about each pivot: by the areas of lenses of circles."""

    def lens(r, s):
        if r <= 0 or s <= 0 or base >= r + s:
            return 0.0
        if base <= abs(r - s):
            return np.pi * min(r, s) ** 2
        u, v = (base**2 + r**2 - s**2) / (2 * base), (base**2 + s**2 - r**2) / (2 * base)
        sectors = r**2 * np.arccos(u / r) + s**2 * np.arccos(v / s)
        return sectors - u * np.sqrt(r * r - u * u) - v * np.sqrt(s * s - v * v)

    (R1, r1), (R2, r2) = ((a + b, abs(a - b)) for a, b in zip(cranks, legs, strict=True))
    return lens(R1, R2) - lens(r1, R2) - lens(R1, r2) + lens(r1, r2)


def wrong_modes(found: mbs.Workspace, modes, count: int = 300, seed: int = 0) -> list[str]:
    """Points, not next to curves, where the region has not so many modes."""
    curves = [c.values + s for c in found.curves for s in found.region.shifts(c.values)]
    borders, wrong = np.concatenate([*curves, np.full((1, 2), np.inf)]), []
    width = (found.high - found.low).max()
    for x, y in np.random.default_rng(seed).uniform(found.low, found.high, (count, 2)):
        if np.hypot(*(borders - (x, y)).T).min() > 0.02 * width and found.at(x, y).modes != modes(x, y):
            wrong.append(f"({x:.4g}, {y:.4g}): {found.at(x, y).modes} for {modes(x, y)}")
    return wrong


def compare_hand(cranks, legs, base, step: float = 0.1) -> str:
    """Empty if area and modes are right; "note" if notes tell of something open; else what is wrong."""
    far = max(a + b for a, b in zip(cranks, legs, strict=True)) * 1.1
    over = {"leg1.P.x": (-far, base + far), "leg1.P.y": (-far, far)}
    found = mbs.workspace(five_bar(cranks, legs, base), over, inputs=("one.angle", "two.angle"), step=step)
    own, area = ring_overlap(cranks, legs, base), sum(one.area for one in found.regions if one.reachable)
    wrong = [f"area {area:.6g} for {own:.6g}"] * int(abs(area - own) > 1e-4 * own)
    wrong += wrong_modes(found, lambda x, y: hand_modes(x, y, cranks, legs, base))
    return "" if not wrong else "note" if is_open(found) else "; ".join(wrong[:4])


def is_open(found: mbs.Workspace) -> bool:
    told = ("missed", "not found", "no region ends", "not sampled", "not smooth", "longer than", "interpolated")
    return any(word in note for note in found.notes for word in told)


def test_equal_legs():
    """The hand of a five-bar with cranks of 0.4 and legs of 1 is in both rings 0.6 < ρ < 1.4: four elbows each."""
    cranks, legs, base = (0.4, 0.4), (1.0, 1.0), 0.6
    over = {"leg1.P.x": (-1.7, 2.7), "leg1.P.y": (-1.7, 1.7)}
    found = mbs.workspace(five_bar(cranks, legs, base), over, inputs=("one.angle", "two.angle"), step=0.2)
    first = [one for one in found.regions if one.reachable]
    assert [one.modes for one in first] == [4] * len(first)
    assert np.isclose(sum(one.area for one in first), ring_overlap(cranks, legs, base), rtol=1e-9)
    assert not wrong_modes(found, lambda x, y: hand_modes(x, y, cranks, legs, base)) and not is_open(found)


def touching_five_bars():
    """Cranks, legs and base of five-bars in which two of the four circles that bound both rings touch or nearly do."""
    alike = (0.7, 0.7), (0.9, 0.9)  # inner circles of radius 0.2 about both motors touch on base 0.4
    yield pytest.param(*alike, 0.4)
    for base in (0.3, 0.399, 0.3999, 0.39999, 0.40001, 0.4001, 0.401, 0.41):
        yield pytest.param(*alike, base, marks=pytest.mark.slow if base != 0.3999 else ())
    for legs, base in (((0.7, 0.7), 0.6), ((0.7001, 0.7001), 0.6), ((0.71, 0.71), 0.6)):  # no holes, or tiny ones
        yield pytest.param((0.7, 0.7), legs, base, marks=pytest.mark.slow)
    yield pytest.param((0.7, 0.5), (0.9, 0.6), 0.5, marks=pytest.mark.slow)  # outer circles: 1.6 - 1.1 = 0.5
    for base in (0.4999, 0.5, 0.5001):  # the inner circle of one side, the outer one of the other: 1.1 - 0.6 = 0.5
        yield pytest.param((0.4, 0.5), (1.0, 0.6), base, marks=pytest.mark.slow)
    yield pytest.param((0.9, 0.9), (0.5, 0.5), 0.8, marks=pytest.mark.slow)


@pytest.mark.parametrize("cranks, legs, base", list(touching_five_bars()))
def test_circles_that_touch(cranks, legs, base):
    """The hand reaches the points in both rings: their area is that of lenses of circles, whether circles touch in one
    point, cross close to each other twice, or stay apart. Each hole is taken away once, and no note tells of doubts."""
    far = max(a + b for a, b in zip(cranks, legs, strict=True)) * 1.1
    over = {"leg1.P.x": (-far, base + far), "leg1.P.y": (-far, far)}
    found = mbs.workspace(five_bar(cranks, legs, base), over, inputs=("one.angle", "two.angle"))
    assert np.isclose(sum(one.area for one in found.regions if one.reachable), ring_overlap(cranks, legs, base), 1e-8)
    assert not wrong_modes(found, lambda x, y: hand_modes(x, y, cranks, legs, base)) and not is_open(found)


def test_poses_are_led_around_holes():
    """Narrow necks alone join the upper and the lower workspace of the hand; four poses above lead to four below."""
    cranks, legs, base = (0.4, 0.4), (1.0, 1.0), 0.6
    A, C = 0.4 * np.exp(2j), base + 0.4 * np.exp(1j)
    P = (A + C) / 2 + 1j * (C - A) / abs(C - A) * np.sqrt(1.0 - abs(C - A) ** 2 / 4)
    points = {"O": 0j, "A": A, "P": P, "C": C, "E": base + 0j}
    rods = {"one": "OA", "leg1": "AP", "leg2": "PC", "two": "EC"}
    model = mbs.PlanarModel.from_points({k: (z.real, z.imag) for k, z in points.items()}, rods, fixed="OE")
    over = {"leg1.P.x": (-1.5, 2.1), "leg1.P.y": (-1.6, 1.6)}
    found = mbs.workspace(model, over, inputs=("one.angle", "two.angle"), step=0.2)
    assert not wrong_modes(found, lambda x, y: hand_modes(x, y, cranks, legs, base)) and not is_open(found)


def random_five_bar(seed: int):
    random = np.random.default_rng(seed)
    cranks, legs, base = random.uniform(0.3, 0.8, 2), random.uniform(0.6, 1.2, 2), random.uniform(0.3, 1.2)
    if seed % 3 == 0:  # equal sides: curves lie on each other, and cross in poses that both pass
        cranks[1], legs[1] = cranks[0], legs[0]
    return tuple(cranks), tuple(legs), base


@pytest.mark.parametrize("seed", [2, 26])
def test_singular_curves_meet_in_corners(seed):
    """The border of what the hand reaches has arcs of four circles. In each corner both sides are in line, and the
    curves of one side and of the other meet there: all of them belong to the boundary, and none is missed."""
    assert compare_hand(*random_five_bar(seed)) == ""


@pytest.mark.parametrize("seed", [pytest.param(seed, marks=pytest.mark.soak) for seed in range(100)])
def test_random_five_bars_over_the_hand(seed):
    assert compare_hand(*random_five_bar(seed)) in ("", "note"), random_five_bar(seed)


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(50) if seed != 1)])
def test_random_five_bars_over_the_cranks(seed):
    own = random_five_bar(seed)
    over = dict.fromkeys(("one.angle", "two.angle"), (-np.pi, np.pi))
    found = mbs.workspace(five_bar(*own), over, outputs=("leg1.P.x", "leg1.P.y"))
    wrong = wrong_modes(found, lambda one, two: crank_modes(one, two, *own))
    assert not wrong or is_open(found), (own, wrong[:4])


# --- delta robots whose platform does not turn ------------------------------------------------------------------------


def delta(arm: float, rod: float, out: float, height: float) -> mbs.SpatialModel:
    """Three arms at 120°, each with one rod to the platform, which three slides keep from turning; `out` is how much
    farther out the motors are than the rods' ends on the platform."""
    model = mbs.SpatialModel("delta")
    lean = np.linspace(-1.2, 1.4, 4000)
    gap = (out + arm * np.cos(lean)) ** 2 + (-arm * np.sin(lean) + height) ** 2 - rod**2
    crossing = np.flatnonzero(gap[:-1] * gap[1:] < 0.0)
    assert crossing.size, "no such delta robot closes"
    low = lean[crossing[0]]
    place, axes = (0.0, 0.0, -height), np.eye(3)
    slides = [model.body(name, position=place) for name in ("slide_x", "slide_y", "platform")]
    for name, one, other, axis in zip("xyz", [model.ground, *slides], slides, axes, strict=False):
        model.add(mbs.Translational(name, one, other, at=place, axis=axis))
    for k in range(3):
        turn = 2.0 * np.pi * k / 3.0
        u, axis = np.array([np.cos(turn), np.sin(turn), 0.0]), np.array([-np.sin(turn), np.cos(turn), 0.0])
        shoulder = out * u
        elbow = shoulder + arm * np.cos(low) * u - arm * np.sin(low) * axes[2]
        link = model.link(f"arm{k}", shoulder, elbow, z_axis=axis)
        model.add(mbs.Revolute(f"motor{k}", model.ground, link, at=shoulder, axis=axis))
        model.add(mbs.Distance(f"rod{k}", link.at(arm / 2, 0.0, 0.0), slides[-1].at(0.0, 0.0, 0.0), length=rod))
    return model


def delta_margin(x, y, arm: float, rod: float, out: float, height: float):
    """How far inside the reach of all three arms a point is: |a - b'| < ρ < a + b', b' the rod seen along the axis."""
    margins = []
    for turn in 2.0 * np.pi * np.arange(3) / 3.0:
        along, across = x * np.cos(turn) + y * np.sin(turn) - out, y * np.cos(turn) - x * np.sin(turn)
        seen = np.sqrt(np.maximum(rod**2 - across**2, 0.0))
        reach = np.hypot(along, height)
        margins.append(np.minimum.reduce([arm + seen - reach, reach - abs(arm - seen), rod - abs(across)]))
    return np.minimum.reduce(margins)


def delta_area(own, far: float, count: int = 3000) -> float:
    """By a dense scan: on each column roots of the margin by linear interpolation."""
    x = -far + 2.0 * far * (np.arange(count) + 0.5) / count
    y = np.linspace(-far, far, count)
    total = 0.0
    for one in x:
        g = delta_margin(one, y, *own)
        a, b = g[:-1], g[1:]
        part = np.where((a > 0.0) & (b > 0.0), 1.0, 0.0)
        cut = a * b < 0.0
        part[cut] = np.maximum(a[cut], b[cut]) / (abs(a[cut]) + abs(b[cut]))
        total += part.sum()
    return total * (x[1] - x[0]) * (y[1] - y[0])


def compare_delta(own, step: float = 0.1) -> str:
    far = 1.1 * (own[0] + own[1])
    over = {"platform.x": (-far, far), "platform.y": (-far, far)}
    motors, place = [f"motor{k}.angle" for k in range(3)], ("platform.x", "platform.y", "platform.z")
    found = mbs.workspace(delta(*own), over, fix={"platform.z": -own[3]}, inputs=motors, outputs=place, step=step)
    area, scan = sum(one.area for one in found.regions if one.reachable), delta_area(own, far)
    wrong = [f"area {area:.6g} for {scan:.6g}"] * int(abs(area - scan) > 1e-4 * scan)
    wrong += wrong_modes(found, lambda x, y: 8 * bool(delta_margin(x, y, *own) > 0.0))
    return "" if not wrong else "note" if is_open(found) else "; ".join(wrong[:4])


def random_delta(seed: int):
    random = np.random.default_rng(seed)
    return tuple(random.uniform(low, high) for low, high in ((0.2, 0.3), (0.45, 0.6), (0.1, 0.2), (0.4, 0.5)))


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(1, 100))])
def test_random_delta_robots(seed):
    assert compare_delta(random_delta(seed)) in ("", "note"), random_delta(seed)


def delta_with_rods(out: float, corner: float, arm: float, rod: float, half: float, lean: float, height: float):
    """Three arms at 120° with two rods each, so that the platform may turn as well."""
    model = mbs.SpatialModel("delta with six rods")
    platform = model.body("platform", position=(0.0, 0.0, -height))
    for k in range(3):
        turn = 2.0 * np.pi * k / 3.0
        u, axis = np.array([np.cos(turn), np.sin(turn), 0.0]), np.array([-np.sin(turn), np.cos(turn), 0.0])
        shoulder = out * u
        elbow = shoulder + arm * np.cos(lean) * u - arm * np.sin(lean) * np.array([0.0, 0.0, 1.0])
        link = model.link(f"arm{k}", shoulder, elbow, z_axis=axis)
        model.add(mbs.Revolute(f"motor{k}", model.ground, link, at=shoulder, axis=axis))
        for side in (1, -1):
            ends = link.at(arm / 2, 0.0, side * half), platform.at(*(corner * u + side * half * axis))
            model.add(mbs.Distance(f"rod{k}{side}", *ends, length=rod))
    return model


@pytest.mark.soak
def test_six_rods_reach_alike_in_all_thirds():
    """The delta robot is alike after a third of a turn, and in a mirror: so is what its platform reaches. Beside the
    middle between two arms it reaches out of a sickle of 6 mm with turned platforms alone, and with few poses."""
    out, corner, arm, rod, half, height = 0.2, 0.05, 0.25, 0.55, 0.04, 0.55
    lean = np.arange(-0.9, 1.4, 1e-3)
    gap = np.hypot(out + arm * np.cos(lean) - corner, height - arm * np.sin(lean)) - rod
    model = delta_with_rods(out, corner, arm, rod, half, float(lean[np.abs(gap).argmin()]), height)
    over = {"platform.x": (-0.5, 0.5), "platform.y": (-0.5, 0.5)}
    motors, place = [f"motor{k}.angle" for k in range(3)], ("platform.x", "platform.y", "platform.z")
    found = mbs.workspace(model, over, fix={"platform.z": -0.6}, inputs=motors, outputs=place)
    turn = np.radians([k + side for k in (60, 180, 300) for side in (-25, 25)])
    points = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    for radius, there in ((0.3, True), (0.389, True), (0.396, False)):
        reached = np.any([one.contains(radius * points) for one in found.regions if one.reachable], axis=0)
        assert (reached == there).all()
    thirds = np.radians([60, 180, 300])
    middles = 0.394 * np.stack([np.cos(thirds), np.sin(thirds)], axis=1)
    assert np.any([one.contains(middles) for one in found.regions if one.reachable], axis=0).all()
    assert is_open(found) and any(note.startswith("a surface of singular poses") for note in found.notes)
    assert not any("not smooth" in note for note in found.notes)


# --- platforms on three legs, over two of their lengths ---------------------------------------------------------------

LEGS, POSE = ("leg1.distance", "leg2.distance", "leg3.distance"), ("platform.x", "platform.y", "platform.angle")


def random_platform(seed: int):
    """Anchors and corners of a 3-RPR, and the attitude it is placed with."""
    random = np.random.default_rng(seed)
    anchors = np.array([0.0, 2.0, 1.0 + 1.8j]) + random.uniform(-0.3, 0.3, 3)
    corners = np.array([-0.5 - 0.3j, 0.5 - 0.3j, 0.6j]) + random.uniform(-0.1, 0.1, 3)
    return anchors, corners, float(random.uniform(-0.4, 0.4))


def platform_modes(lengths, anchors, corners, count: int = 2000) -> int:
    """Attitudes φ at which two legs carry the third corner at the length of the third leg: changes of sign around each
    circuit of the coupler, whose two branches meet where the first two legs are in line."""
    turn = np.exp(1j * (np.arange(count) + 0.5) * 2.0 * np.pi / count)
    one, other, third = anchors[:, None] - corners[:, None] * turn
    way, (a, b, c) = other - one, lengths
    d = abs(way)
    x = (d * d + a * a - b * b) / (2.0 * d)
    closes = a * a > x * x
    up = np.sqrt(np.maximum(a * a - x * x, 0.0))
    signs = [abs(one + way / d * (x + side * 1j * up) - third) > c for side in (1, -1)]
    if closes.all():
        return sum(int((own != np.roll(own, 1)).sum()) for own in signs)
    first = int(np.flatnonzero(~closes)[0])
    closes, (plus, minus) = np.roll(closes, -first), (np.roll(own, -first) for own in signs)
    edges = np.flatnonzero(np.diff(np.append(closes, False).astype(int)))
    total = 0
    for low, high in zip(edges[::2] + 1, edges[1::2] + 1, strict=True):
        around = np.concatenate([plus[low:high], minus[low:high][::-1]])
        total += int((around != np.roll(around, 1)).sum())
    return total


def compare_platform(anchors, corners, attitude: float, step: float = 0.1) -> str:
    model = mbs.PlanarModel("3-RPR")
    platform = model.body("platform", position=(1.0, 0.7), angle=attitude)
    for k, (a, b) in enumerate(zip(anchors, corners, strict=True), 1):
        ground, corner = model.ground.at(a.real, a.imag), platform.at(b.real, b.imag)
        model.add(mbs.Spring(f"leg{k}", ground, corner, stiffness=1.0, length=1.0))
    third = float(abs(1.0 + 0.7j + np.exp(1j * attitude) * corners[2] - anchors[2]))
    over = {LEGS[0]: (0.4, 2.0), LEGS[1]: (0.4, 2.0)}
    found = mbs.workspace(model, over, inputs=LEGS, outputs=POSE, fix={LEGS[2]: third}, step=step)
    wrong = wrong_modes(found, lambda a, b: platform_modes((a, b, third), anchors, corners), count=100)
    return "" if not wrong else "note" if is_open(found) else "; ".join(wrong[:4])


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(1, 100))])
def test_random_platforms_over_two_legs(seed):
    assert compare_platform(*random_platform(seed)) in ("", "note"), random_platform(seed)
