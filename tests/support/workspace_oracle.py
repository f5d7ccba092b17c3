"""Mechanisms whose workspaces are known without the package: how much of the plane has how many poses, and how many
poses there are at each point.

Areas are integrals in one variable over lengths that are known in closed form: chords of rings, arcs about the axis of
a turret, ranges of crank angles in which two circles meet.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

import mbs_dae as mbs

TURN = 2.0 * np.pi
CLOSE = 1e-4
DOUBTS = (
    "missed", "not found", "no region ends", "not sampled", "not smooth", "longer than", "interpolated", "surface",
    "in no region",
)  # fmt: skip
"""Words of the notes that say that something is open."""


class Verdict(NamedTuple):
    wrong: list[str]
    """Areas and points in which the workspace differs from the oracle."""
    doubts: list[str]
    """Notes of the workspace that say that something is open."""

    @property
    def name(self) -> str:
        return ("right", "right, with a note", "wrong in silence", "wrong, with a note")[
            2 * bool(self.wrong) + bool(self.doubts)
        ]

    @property
    def silent(self) -> str:
        """The differences from the oracle if no note admits a doubt; empty if there are none."""
        return "" if self.doubts else "; ".join(self.wrong[:4])


def doubts(found: mbs.Workspace | mbs.ReachableWorkspace) -> list[str]:
    return [note for note in found.notes if any(word in note for word in DOUBTS)]


def judge(
    found: mbs.Workspace | mbs.ReachableWorkspace, areas: Mapping[int, float], modes: Callable[[float, float], int],
    box: Sequence[float], close: float = CLOSE, count: int = 300, seed: int = 0,
) -> Verdict:  # fmt: skip
    """Compare a workspace with the areas by their numbers of modes, and with the numbers of modes at random points of a
    box (x from, x to, y from, y to) that are not next to curves. Areas agree if they differ by less than the part
    `close` of all that is reached."""
    own, total = Counter[int](), sum(areas.values())
    for one in found.regions:
        own[one.modes or 0] += one.area if one.reachable else 0.0
    wrong = [
        f"{own[n]:.6g} with {n} modes for {areas.get(n, 0.0):.6g}"
        for n in sorted({*own, *areas} - {0})
        if abs(own[n] - areas.get(n, 0.0)) > close * total
    ]
    wrong += [f"a region of area {one.area:.3g}" for one in found.regions if one.area < 0.0]
    return Verdict(wrong + wrong_modes(found, modes, box, count, seed), doubts(found))


def wrong_modes(
    found: mbs.Workspace | mbs.ReachableWorkspace, modes: Callable[[float, float], int], box: Sequence[float],
    count: int = 300, seed: int = 0,
) -> list[str]:  # fmt: skip
    """Return points, not next to curves, whose regions have not so many modes."""
    curves, wrong = [curve.values for curve in found.curves], []
    if isinstance(found, mbs.Workspace):
        curves = [values + shift for values in curves for shift in found.region.shifts(values)]
    borders = np.concatenate([*curves, np.full((1, 2), np.inf)])
    room = 0.02 * max(box[1] - box[0], box[3] - box[2])
    points = np.random.default_rng(seed).uniform(box[::2], box[1::2], (count, 2))
    here = np.sum([one.contains(points) * (one.modes or 0) for one in found.regions], axis=0)
    for (x, y), one in zip(points, here, strict=True):
        if np.hypot(*(borders - (x, y)).T).min() > room and one != modes(x, y):
            wrong.append(f"({x:.4g}, {y:.4g}): {one} for {modes(x, y)}")
    return wrong


def integral(function: Callable[[np.ndarray], np.ndarray], cuts: Iterable[float], count: int = 60) -> float:
    """Return the integral between the least and the greatest of `cuts`, at which a function may have roots and kinks:
    by Gauss's rule in an angle whose cosine goes from cut to cut."""
    nodes, weights = np.polynomial.legendre.leggauss(count)
    angle, total = 0.5 * np.pi * (nodes + 1.0), 0.0
    ends = sorted(cuts)
    for a, b in zip(ends, ends[1:], strict=False):
        if b > a:
            x = a + 0.5 * (b - a) * (1.0 - np.cos(angle))
            total += float(weights @ (function(x) * np.sin(angle))) * 0.25 * np.pi * (b - a)
    return total


# --- points in several rings ------------------------------------------------------------------------------------------


class Ring(NamedTuple):
    centre: complex
    inner: float
    outer: float


def dyad_ring(pivot: complex, crank: float, leg: float) -> Ring:
    """Return the ring that the end of two links reaches."""
    return Ring(complex(pivot), abs(crank - leg), crank + leg)


def common_area(rings: Sequence[Ring]) -> float:
    """Return the area in all rings: the integral of the chords x = const, between the x at which circles end or
    cross."""
    circles = [(ring.centre, r) for ring in rings for r in (ring.inner, ring.outer) if r > 0.0]
    cuts = [c.real + side * r for c, r in circles for side in (1.0, -1.0)]
    for k, (c, r) in enumerate(circles):
        for other, s in circles[:k]:
            d = abs(other - c)
            if abs(r - s) < d < r + s:
                along = (d * d + r * r - s * s) / (2.0 * d)
                across = 1j * np.sqrt(r * r - along * along)
                cuts += [(c + (other - c) / d * (along + side * across)).real for side in (1.0, -1.0)]

    def chord(x: np.ndarray) -> np.ndarray:
        """Return the length of the points in all rings at each x."""
        half = np.sqrt(np.maximum([r * r - (x - c.real) ** 2 for c, r in circles], 0.0))
        centres = np.array([[c.imag] for c, _ in circles])
        ends = np.sort(np.concatenate([centres - half, centres + half]), axis=0)
        middles = x + 1j * 0.5 * (ends[1:] + ends[:-1])
        inside = np.all([(ring.inner < abs(middles - ring.centre)) & (abs(middles - ring.centre) < ring.outer)
                         for ring in rings], axis=0)  # fmt: skip
        return np.asarray((np.diff(ends, axis=0) * inside).sum(axis=0))

    return integral(chord, cuts)


# --- five-bars --------------------------------------------------------------------------------------------------------


class FiveBar(NamedTuple):
    """Cranks about 0 and `base`; the hand is where both legs meet, above."""

    cranks: tuple[float, float]
    legs: tuple[float, float]
    base: float

    def model(self) -> mbs.PlanarModel:
        for one in np.linspace(0.1, 3.1, 40):
            for two in np.linspace(3.1, 0.1, 40):
                A, C = self.cranks[0] * np.exp(1j * one), self.base + self.cranks[1] * np.exp(1j * two)
                d, (a, b) = abs(C - A), self.legs
                if abs(a - b) + 0.05 < d < a + b - 0.05:
                    x = (d * d + a * a - b * b) / (2 * d)
                    P = A + (C - A) / d * (x + 1j * np.sqrt(a * a - x * x))
                    points = {"O": 0j, "A": A, "P": P, "C": C, "E": self.base + 0j}
                    rods = {"one": "OA", "leg1": "AP", "leg2": "CP", "two": "EC"}
                    places = {k: (z.real, z.imag) for k, z in points.items()}
                    return mbs.PlanarModel.from_points(places, rods, fixed="OE")
        raise AssertionError("no such five-bar closes")

    @property
    def rings(self) -> list[Ring]:
        pivots = 0.0, self.base
        return [dyad_ring(*own) for own in zip(pivots, self.cranks, self.legs, strict=True)]

    def hand_modes(self, x: float, y: float) -> int:
        """Two elbows for each side whose crank and leg reach."""
        return 4 * all(ring.inner < abs(complex(x, y) - ring.centre) < ring.outer for ring in self.rings)

    def crank_modes(self, one: float, two: float) -> int:
        d = abs(self.cranks[0] * np.exp(1j * one) - self.base - self.cranks[1] * np.exp(1j * two))
        return 2 * bool(abs(self.legs[0] - self.legs[1]) < d < sum(self.legs))

    def crank_area(self, count: int = 200_000) -> float:
        """Return the area of the angles of both cranks at which legs meet. With the end A of one crank at a distance ρ
        from the other pivot, legs meet where cos θ between A and the other crank is between two bounds."""
        one = (np.arange(count) + 0.5) * TURN / count
        far, r = abs(self.cranks[0] * np.exp(1j * one) - self.base), self.cranks[1]
        low, high = (
            np.arccos(np.clip((far**2 + r * r - d * d) / (2.0 * far * r), -1.0, 1.0))
            for d in (abs(self.legs[0] - self.legs[1]), sum(self.legs))
        )
        return float((2.0 * (high - low)).mean() * TURN)

    @property
    def far(self) -> float:
        return 1.1 * max(ring.outer for ring in self.rings)

    def over_the_hand(self, step: float = 0.1, close: float = CLOSE) -> Verdict:
        box = -self.far, self.base + self.far, -self.far, self.far
        over = {"leg1.P.x": box[:2], "leg1.P.y": box[2:]}
        found = mbs.workspace(self.model(), over, inputs=("one.angle", "two.angle"), step=step)
        return judge(found, {4: common_area(self.rings)}, self.hand_modes, box, close)

    def over_the_cranks(self, step: float = 0.1) -> Verdict:
        over = dict.fromkeys(("one.angle", "two.angle"), (-np.pi, np.pi))
        found = mbs.workspace(self.model(), over, outputs=("leg1.P.x", "leg1.P.y"), step=step)
        return judge(found, {2: self.crank_area()}, self.crank_modes, (-np.pi, np.pi) * 2)


def random_five_bar(seed: int) -> FiveBar:
    random = np.random.default_rng(seed)
    cranks, legs, base = random.uniform(0.3, 0.8, 2), random.uniform(0.6, 1.2, 2), random.uniform(0.3, 1.2)
    if seed % 3 == 0:  # equal sides: curves lie on each other, and cross in poses that both pass
        cranks[1], legs[1] = cranks[0], legs[0]
    return FiveBar(tuple(cranks), tuple(legs), float(base))


def random_alike_five_bar(seed: int) -> FiveBar:
    """Return a five-bar with links of one length: its legs, a crank and its leg, both cranks and their legs, cranks and
    base, or all links with the base. Legs of one length fold, and a crank and a leg of one length reach their pivot."""
    random = np.random.default_rng(seed)
    cranks, legs, base = random.uniform(0.3, 0.8, 2), random.uniform(0.6, 1.2, 2), random.uniform(0.3, 1.2)
    match seed % 5:
        case 0:
            legs[1] = legs[0]
        case 1:
            legs[0] = cranks[0] = random.uniform(0.5, 0.9)
        case 2:
            legs[:] = cranks[:] = random.uniform(0.5, 0.9, 2)
        case 3:
            cranks[:] = base
        case 4:
            legs[:] = cranks[:] = base
    return FiveBar(tuple(cranks), tuple(legs), float(base))


class ToolFiveBar(NamedTuple):
    """A five-bar whose hand H is a point of its first leg AP beside the pin: H - A = tool (P - A)."""

    cranks: tuple[float, float]
    legs: tuple[float, float]
    base: complex
    tool: complex

    def model(self) -> mbs.PlanarModel:
        random, (a, b) = np.random.default_rng(0), self.legs
        while True:
            one, two = random.uniform(-np.pi, np.pi, 2)
            A, C = self.cranks[0] * np.exp(1j * one), self.base + self.cranks[1] * np.exp(1j * two)
            if abs(a - b) + 0.05 < (d := abs(C - A)) < a + b - 0.05:
                break
        x = (d * d + a * a - b * b) / (2 * d)
        P = A + (C - A) / d * (x + 1j * np.sqrt(a * a - x * x))
        points = {"O": 0j, "A": A, "P": P, "C": C, "E": self.base, "H": A + self.tool * (P - A)}
        rods = {"one": "OA", "leg1": "APH", "leg2": "CP", "two": "EC"}
        places = {k: (z.real, z.imag) for k, z in points.items()}
        return mbs.PlanarModel.from_points(places, rods, fixed="OE")

    def modes(self, x, y):
        """For each elbow of crank and hand the pin is somewhere, from where two elbows of the other side may reach."""
        hand, far, other = x + 1j * y, abs(self.tool) * self.legs[0], dyad_ring(self.base, self.cranks[1], self.legs[1])
        d = abs(hand)
        cosine = (d * d + self.cranks[0] ** 2 - far * far) / (2 * d * self.cranks[0])
        count = 0
        for side in (1.0, -1.0):
            A = self.cranks[0] * hand / d * np.exp(1j * side * np.arccos(np.clip(cosine, -1.0, 1.0)))
            pin = abs(A + (hand - A) / self.tool - other.centre)
            count = count + 2 * ((abs(cosine) < 1.0) & (other.inner < pin) & (pin < other.outer))
        return count

    def areas(self, far: float, count: int = 3000) -> dict[int, float]:
        """Return the area by the number of modes, by a dense scan with a random point in each square."""
        random, width, found = np.random.default_rng(0), 2.0 * far / count, Counter[int]()
        for row in range(count):
            x, y = -far + (row + random.uniform(0, 1, count)) * width, -far + (np.arange(count) + 0.5) * width
            found.update(dict(zip(*np.unique(self.modes(x, y), return_counts=True), strict=True)))
        return {int(number): int(times) * width**2 for number, times in found.items() if number}

    def over_the_hand(self, step: float = 0.1) -> Verdict:
        far = 1.05 * (self.cranks[0] + abs(self.tool) * self.legs[0])
        over = dict.fromkeys(("leg1.H.x", "leg1.H.y"), (-far, far))
        found = mbs.workspace(self.model(), over, inputs=("one.angle", "two.angle"), step=step)
        return judge(found, self.areas(far), self.modes, (-far, far) * 2)


def random_tool_five_bar(seed: int) -> ToolFiveBar:
    random = np.random.default_rng(seed)
    cranks, legs = random.uniform(0.3, 0.9, 2), random.uniform(0.5, 1.2, 2)
    base = random.uniform(0.2, 1.2) * np.exp(1j * random.uniform(-1.5, 1.5))
    tool = random.uniform(0.3, 1.3) * np.exp(1j * random.uniform(-1.2, 1.2))
    if abs(base) > cranks.sum() + legs.sum() - 0.2 or abs(base) + cranks.sum() < abs(legs[0] - legs[1]) + 0.2:
        return random_tool_five_bar(seed + 1000)
    return ToolFiveBar(tuple(cranks), tuple(legs), complex(base), complex(tool))


# --- delta robots whose platform does not turn ------------------------------------------------------------------------


class Delta(NamedTuple):
    """Three arms at 120°, each with one rod to the platform, which three slides keep from turning; `out` is how much
    farther out the motors are than the rods' ends on the platform, which is `height` below them."""

    arm: float
    rod: float
    out: float
    height: float

    def model(self) -> mbs.SpatialModel:
        arm, rod, out, height = self
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
            turn = TURN * k / 3.0
            u, axis = np.array([np.cos(turn), np.sin(turn), 0.0]), np.array([-np.sin(turn), np.cos(turn), 0.0])
            shoulder = out * u
            elbow = shoulder + arm * np.cos(low) * u - arm * np.sin(low) * axes[2]
            link = model.link(f"arm{k}", shoulder, elbow, z_axis=axis)
            model.add(mbs.Revolute(f"motor{k}", model.ground, link, at=shoulder, axis=axis))
            model.add(mbs.Distance(f"rod{k}", link.at(arm / 2, 0.0, 0.0), slides[-1].at(0.0, 0.0, 0.0), length=rod))
        return model

    def margin(self, x, y):
        """Return how far inside the reach of all three arms a point is: |a - b'| < ρ < a + b', with b' the length of
        the rod as seen along the axis of the motor."""
        margins = []
        for turn in TURN * np.arange(3) / 3.0:
            along, across = x * np.cos(turn) + y * np.sin(turn) - self.out, y * np.cos(turn) - x * np.sin(turn)
            seen = np.sqrt(np.maximum(self.rod**2 - across**2, 0.0))
            reach = np.hypot(along, self.height)
            margins.append(np.minimum.reduce([self.arm + seen - reach, reach - abs(self.arm - seen),
                                              self.rod - abs(across)]))  # fmt: skip
        return np.minimum.reduce(margins)

    def area(self, count: int = 3000) -> float:
        """Return the area by a dense scan, with the roots of the margin on each column by linear interpolation."""
        far = self.far
        x = -far + 2.0 * far * (np.arange(count) + 0.5) / count
        y = np.linspace(-far, far, count)
        total = 0.0
        for one in x:
            g = self.margin(one, y)
            a, b = g[:-1], g[1:]
            part = np.where((a > 0.0) & (b > 0.0), 1.0, 0.0)
            cut = a * b < 0.0
            part[cut] = np.maximum(a[cut], b[cut]) / (abs(a[cut]) + abs(b[cut]))
            total += part.sum()
        return total * (x[1] - x[0]) * (y[1] - y[0])

    @property
    def far(self) -> float:
        return 1.1 * (self.arm + self.rod)

    def over_the_platform(self, step: float = 0.1) -> Verdict:
        box = -self.far, self.far, -self.far, self.far
        over = {"platform.x": box[:2], "platform.y": box[2:]}
        motors, place = [f"motor{k}.angle" for k in range(3)], ("platform.x", "platform.y", "platform.z")
        fix = {"platform.z": -self.height}
        found = mbs.workspace(self.model(), over, fix=fix, inputs=motors, outputs=place, step=step)
        return judge(found, {8: self.area()}, lambda x, y: 8 * bool(self.margin(x, y) > 0.0), box)


def random_delta(seed: int) -> Delta:
    random = np.random.default_rng(seed)
    sizes = (0.2, 0.3), (0.45, 0.6), (0.1, 0.2), (0.4, 0.5)
    return Delta(*(float(random.uniform(low, high)) for low, high in sizes))


# --- platforms on three legs, over two of their lengths ---------------------------------------------------------------

LEGS, POSE = ("leg1.distance", "leg2.distance", "leg3.distance"), ("platform.x", "platform.y", "platform.angle")
SHORT, LONG = 0.4, 2.0
"""The range of the lengths of two legs."""


class Platform(NamedTuple):
    """The anchors and the corners of a 3-RPR, and the attitude it is placed with; over the lengths of two legs, the
    third one as it is placed."""

    anchors: np.ndarray
    corners: np.ndarray
    attitude: float

    @property
    def third(self) -> float:
        return float(abs(1.0 + 0.7j + np.exp(1j * self.attitude) * self.corners[2] - self.anchors[2]))

    def lengths(self, one: float, count: int = 720) -> list[np.ndarray]:
        """Return the length of the second leg on each circuit of the four-bar that the first leg, of this length, the
        platform, the third leg and the ground are.

        The corners on both legs are at the distance |W| with W = a₃ - a₁ - (b₃ - b₁) e^{iφ}, so the four-bar closes for
        |l₁ - l₃| < |W| < l₁ + l₃. The turn φ = middle + width cos τ goes through both ways to close it."""
        (a1, a2, a3), (b1, b2, b3), three = self.anchors, self.corners, self.third
        D, C = a3 - a1, b3 - b1
        low, high = (
            (abs(D) ** 2 + abs(C) ** 2 - d * d) / (2.0 * abs(D) * abs(C)) for d in (one + three, abs(one - three))
        )
        if high <= -1.0 or low >= 1.0:
            return []
        widest, least = np.arccos(np.clip((low, high), -1.0, 1.0))
        zero, tau = np.angle(D / C), np.arange(count) * TURN / count
        if high >= 1.0 and low <= -1.0:  # it turns all round, in two ways
            turns = [(zero + tau, np.full(count, side)) for side in (1.0, -1.0)]
        else:
            if high >= 1.0:
                spans = [(zero, widest)]
            elif low <= -1.0:
                spans = [(zero + np.pi, np.pi - least)]
            else:
                spans = [(zero + side * 0.5 * (widest + least), 0.5 * (widest - least)) for side in (1.0, -1.0)]
            turns = [(middle + width * np.cos(tau), np.where(tau < np.pi, 1.0, -1.0)) for middle, width in spans]
        found = []
        for phi, side in turns:
            turn = np.exp(1j * phi)
            W = D - C * turn
            d = abs(W)
            along = (d * d + one * one - three * three) / (2.0 * d)
            first = a1 + W / d * (along + 1j * side * np.sqrt(np.maximum(one * one - along * along, 0.0)))
            found.append(abs(first + (b2 - b1) * turn - a2))
        return found

    def modes(self, one: float, two: float) -> int:
        """Return how often the second leg has the length `two` on all circuits of the other legs."""
        return sum(int(((own > two) != (np.roll(own, 1) > two)).sum()) for own in self.lengths(one, 4000))

    def areas(self, count: int = 3000) -> dict[int, float]:
        """Return the area over both lengths by the number of modes. For each length of the first leg the number
        changes at the turning points of the second one, which are those of parabolas through three samples."""
        width = (LONG - SHORT) / count
        found = Counter[int]()
        for one in SHORT + (np.arange(count) + 0.5) * width:
            lows, highs, cuts = [], [], [SHORT, LONG]
            for own in self.lengths(one):
                before, after = np.roll(own, 1), np.roll(own, -1)
                bend = before - 2.0 * own + after
                peak = (own - before) * (after - own) <= 0.0
                tips = own - np.divide((after - before) ** 2, 8.0 * bend, out=np.zeros_like(bend), where=bend != 0.0)
                tips = tips[peak]
                lows += np.minimum(tips, np.roll(tips, 1)).tolist()
                highs += np.maximum(tips, np.roll(tips, 1)).tolist()
                cuts += np.clip(tips, SHORT, LONG).tolist()
            ends = np.sort(cuts)
            middles = 0.5 * (ends[1:] + ends[:-1])[:, None]
            modes = ((np.array(lows) < middles) & (middles < np.array(highs))).sum(axis=1)
            for number, length in zip(modes.tolist(), np.diff(ends).tolist(), strict=True):
                found[number] += length * width
        found.pop(0, None)
        return {number: area for number, area in found.items() if area > 1e-9}

    def model(self) -> mbs.PlanarModel:
        model = mbs.PlanarModel("3-RPR")
        platform = model.body("platform", position=(1.0, 0.7), angle=self.attitude)
        for k, (a, b) in enumerate(zip(self.anchors, self.corners, strict=True), 1):
            ground, corner = model.ground.at(a.real, a.imag), platform.at(b.real, b.imag)
            model.add(mbs.Spring(f"leg{k}", ground, corner, stiffness=1.0, length=1.0))
        return model

    def over_two_legs(self, step: float = 0.1) -> Verdict:
        box = SHORT, LONG, SHORT, LONG
        over = {LEGS[0]: box[:2], LEGS[1]: box[2:]}
        found = mbs.workspace(self.model(), over, inputs=LEGS, outputs=POSE, fix={LEGS[2]: self.third}, step=step)
        return judge(found, self.areas(), self.modes, box, count=100)


def random_platform(seed: int) -> Platform:
    random = np.random.default_rng(seed)
    anchors = np.array([0.0, 2.0, 1.0 + 1.8j]) + random.uniform(-0.3, 0.3, 3)
    corners = np.array([-0.5 - 0.3j, 0.5 - 0.3j, 0.6j]) + random.uniform(-0.1, 0.1, 3)
    return Platform(anchors, corners, float(random.uniform(-0.4, 0.4)))


# --- arms with an offset shoulder, in a plane at a height -------------------------------------------------------------


class Arm(NamedTuple):
    """A turret, a shoulder d ahead of its axis, e beside it and h above the ground, links l1 and l2; limits of three
    angles. At a distance ρ from the axis the plane of the links is at r = ±√(ρ² - e²) from it, and two elbows reach the
    height."""

    d: float
    e: float
    h: float
    l1: float
    l2: float
    limits: tuple[tuple[float, float] | None, ...] = (None, None, None)

    def model(self) -> mbs.SpatialModel:
        d, e, h, l1, l2 = self[:5]
        model = mbs.SpatialModel("arm")
        base = model.body("base")
        upper = model.link("upper", (d, e, h), (d + l1, e, h), radius=0.01)
        lower = model.link("lower", (d + l1, e, h), (d + l1 + l2, e, h), radius=0.01)
        model.add(
            mbs.Revolute("J0", model.ground, base, at=(0, 0, 0), axis=(0, 0, 1)),
            mbs.Revolute("J1", base, upper, at=(d, e, h), axis=(0, 1, 0)),
            mbs.Revolute("J2", upper, lower, at=(d + l1, e, h), axis=(0, 1, 0)),
        )
        return model

    def found(self, z: float, step: float = 0.1) -> mbs.ReachableWorkspace:
        limits = {f"J{k}.angle": pair for k, pair in enumerate(self.limits) if pair is not None}
        return mbs.reachable_workspace(self.model(), "lower.head", plane="xy", at=z, limits=limits, step=step)

    def _kept(self, k: int, angle: float) -> bool:
        pair = self.limits[k]
        return pair is None or bool((angle - pair[0]) % TURN <= pair[1] - pair[0])

    def elbows(self, r: float, z: float) -> list[bool]:
        """Return whether each of the two elbows that reach r and z keeps its limits."""
        x, y = r - self.d, self.h - z  # a turn about y goes down
        cosine = (x * x + y * y - self.l1**2 - self.l2**2) / (2 * self.l1 * self.l2)
        if abs(cosine) > 1:
            return [False, False]
        kept = []
        for sense in (1, -1):
            q2 = sense * np.arccos(cosine)
            q1 = np.arctan2(y, x) - np.arctan2(self.l2 * np.sin(q2), self.l1 + self.l2 * np.cos(q2))
            kept.append(self._kept(1, q1) and self._kept(2, q2))
        return kept

    def modes(self, x: float, y: float, z: float) -> int:
        rho, count = np.hypot(x, y), 0
        for sense in (1, -1) if rho > abs(self.e) else ():
            r = sense * np.sqrt(rho**2 - self.e**2)
            if self._kept(0, np.arctan2(y, x) - np.arctan2(self.e, r)):
                count += sum(self.elbows(r, z))
        return count

    def arcs(self, rho: float, z: float) -> dict[int, float]:
        """Return how much of the circle of this radius is reached, by the number of solutions."""
        r = np.sqrt(max(rho**2 - self.e**2, 0.0)) * np.array([1, -1])
        kept = [self.elbows(one, z) for one in r] if rho > abs(self.e) else [[False] * 2] * 2
        counts = [sum(own) for own in kept]
        if self.limits[0] is None:
            return {sum(counts): TURN}
        width = self.limits[0][1] - self.limits[0][0]
        if not all(counts):
            return {sum(counts): width}
        off = float(np.diff([np.arctan2(self.e, one) for one in r])[0] % TURN)
        both = max(0.0, width - off) + max(0.0, width - (TURN - off))
        found = Counter[int]({sum(counts): both})
        for count in counts:
            found[count] += width - both
        return dict(found)

    def areas(self, z: float) -> dict[int, float]:
        """Return the area by the number of solutions, ∫ ρ (reached arc) dρ, between the radii at which solutions
        change: at y below the shoulder the hand is x ahead of it with x² + y² = l₁² + l₂² + 2 l₁ l₂ cos q₂, and
        (x - l₁ cos q₁)² + (y - l₁ sin q₁)² = l₂². Both angles of the turret are apart by π - 2 asin(e/ρ)."""
        y, (turret, shoulder, elbow) = self.h - z, (pair or () for pair in self.limits)
        squares = [
            (0.0, self.l1**2 + self.l2**2 + 2.0 * self.l1 * self.l2 * np.cos(q) - y * y) for q in (0.0, np.pi, *elbow)
        ]
        squares += [(self.l1 * np.cos(q), self.l2**2 - (y - self.l1 * np.sin(q)) ** 2) for q in shoulder]
        radii = [
            np.hypot(self.d + x + side * np.sqrt(square), self.e)
            for x, square in squares
            if square >= 0.0
            for side in (1.0, -1.0)
        ]
        if turret:
            radii.append(abs(self.e / np.cos(0.5 * (turret[1] - turret[0]))))
        far = max(radii[:-1] if turret else radii, default=abs(self.e))
        cuts = [abs(self.e), *(rho for rho in radii if rho <= far)]
        return {
            number: integral(lambda rho, n=number: np.array([p * self.arcs(p, z).get(n, 0.0) for p in rho]), cuts, 40)
            for number in (1, 2, 3, 4)
        }

    def judged(self, z: float, step: float = 0.1) -> Verdict:
        """Compare what is found in the plane at a height with these areas; a plane out of reach may be refused. If the
        plane touches a singular surface, areas are those of the plane that the note names, 1e-8 lengths aside or
        less."""
        areas = self.areas(z)
        try:
            found = self.found(z, step)
        except mbs.ModelError as error:
            out = "no region was found" in str(error) and sum(areas.values()) < 1e-6
            return Verdict([] if out else [f"{error}, {areas}"], [])
        for note in (note for note in found.notes if "the regions are those of the plane" in note):
            aside = float(note.rsplit(" = ", 1)[1])
            if abs(aside - z) > 1e-8 * (self.l1 + self.l2 + self.h):
                return Verdict([f"the plane {aside} for {z}"], [])
            z, areas = aside, self.areas(aside)
        far = max((float(np.abs(curve.values).max()) for curve in found.curves), default=1.0)
        return judge(found, areas, lambda x, y: self.modes(x, y, z), (-far, far, -far, far), count=200)


def random_arm(seed: int) -> tuple[Arm, float]:
    random = np.random.default_rng(seed)
    d, e, h = random.uniform([-0.3, -0.2, 0], [0.3, 0.2, 0.5])
    l1, l2 = random.uniform(0.3, 0.8, 2)
    limits = []
    for k in range(3):
        low, width = random.uniform(-3, 0.5), random.uniform(1, 4 if k else 5)
        limits.append((low, low + width) if random.random() < 0.6 else None)
    return Arm(d, e, h, l1, l2, tuple(limits)), h + random.uniform(-0.7, 0.7) * (l1 + l2)


FAMILIES: dict[str, Callable[[int], Verdict]] = {
    "arms": lambda seed: (lambda arm, z: arm.judged(z))(*random_arm(seed)),
    "five-bars over the hand": lambda seed: random_five_bar(seed).over_the_hand(),
    "five-bars over the cranks": lambda seed: random_five_bar(seed).over_the_cranks(),
    "alike five-bars over the hand": lambda seed: random_alike_five_bar(seed).over_the_hand(),
    "alike five-bars over the cranks": lambda seed: random_alike_five_bar(seed).over_the_cranks(),
    "five-bars with a tool": lambda seed: random_tool_five_bar(seed).over_the_hand(),
    "platforms over two legs": lambda seed: random_platform(seed).over_two_legs(),
    "delta robots": lambda seed: random_delta(seed).over_the_platform(),
}
"""Random mechanisms by a seed: their workspace, compared with the oracle."""
