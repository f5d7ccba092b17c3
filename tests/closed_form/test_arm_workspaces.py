"""Reachable workspaces of arms with offset shoulders and limits, against the inverse model in closed form.

A turret, a shoulder aside from its axis, and two links: at a distance ρ from the axis the plane of the links is at r =
±√(ρ² - e²) from it, and two elbows reach the height. So the modes at every point, and the area, follow exactly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

import mbs_dae as mbs

TURN = 2.0 * np.pi


class Arm(NamedTuple):
    """The shoulder is d ahead of the axis, e beside it and h above the ground; links l1, l2; limits of three angles."""

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
        """Whether each of the two elbows that reach r and z keeps its limits."""
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

    def _arc(self, rho: float, z: float) -> tuple[float, tuple]:
        """How much of the circle of this radius is reached, and which solutions there are."""
        r = np.sqrt(max(rho**2 - self.e**2, 0.0)) * np.array([1, -1])
        kept = [self.elbows(one, z) for one in r] if rho > abs(self.e) else [[False] * 2] * 2
        if self.limits[0] is None:
            return TURN * (np.array(kept).any()), (str(kept), 0)
        width = self.limits[0][1] - self.limits[0][0]
        starts = [np.arctan2(self.e, one) for one, own in zip(r, kept, strict=True) if any(own)]
        if len(starts) < 2:
            return width * len(starts), (str(kept), 0)
        off = (starts[1] - starts[0]) % TURN
        both = max(0.0, width - off) + max(0.0, width - (TURN - off))
        return 2 * width - both, (str(kept), (off < width) + 2 * (TURN - off < width))

    def area(self, z: float) -> float:
        """∫ ρ (reached arc) dρ, between the radii at which the solutions change."""
        far = np.hypot(abs(self.d) + self.l1 + self.l2, self.e) * 1.001
        radii = np.linspace(abs(self.e), far, 3000)
        signs = [self._arc(rho, z)[1] for rho in radii]
        cuts = [radii[0], radii[-1]]
        for k in range(len(radii) - 1):
            a, b = radii[k], radii[k + 1]
            if signs[k] != signs[k + 1]:
                for _ in range(50):
                    middle = 0.5 * (a + b)
                    a, b = (middle, b) if self._arc(middle, z)[1] == signs[k] else (a, middle)
                cuts.append(a)
        nodes, weights = np.polynomial.legendre.leggauss(40)
        total = 0.0
        for a, b in zip(sorted(cuts), sorted(cuts)[1:], strict=False):
            x = 0.5 * (1 - np.cos(np.pi * (nodes + 1) / 2))  # the arc may have a root at its ends
            slope = 0.25 * np.pi * np.sin(np.pi * (nodes + 1) / 2) * 2 * 0.5
            rho = a + (b - a) * x
            total += (b - a) * sum(w * s * p * self._arc(p, z)[0] for w, s, p in zip(weights, slope, rho, strict=True))
        return float(total)


def agrees(arm: Arm, z: float, step: float = 0.1, seed: int = 0) -> str:
    """Empty if area and modes are right; "note" if notes tell of something open; else what is wrong."""
    own = arm.area(z)
    try:
        found = arm.found(z, step)
    except mbs.ModelError as error:
        return "" if own < 1e-6 and "no region was found" in str(error) else f"{error}, {own:.6g} m²"
    wrong = []
    if abs(found.area - own) > 1e-4 * own:
        wrong.append(f"area {found.area:.6g} for {own:.6g}")
    borders = np.concatenate([curve.values for curve in found.curves])
    far = np.abs(borders).max() if len(borders) else 1.0
    for x, y in np.random.default_rng(seed).uniform(-far, far, (200, 2)):
        if np.hypot(*(borders - (x, y)).T).min() < 0.05:
            continue
        here = [region.modes for region in found.regions if region.contains([(x, y)])[0]]
        if sum(here) != arm.modes(x, y, z):
            wrong.append(f"({x:.4g}, {y:.4g}): {here} for {arm.modes(x, y, z)}")
    return "" if not wrong else "note" if found.notes else "; ".join(wrong[:4])


@pytest.mark.parametrize("z", [0.7, 0.85])
def test_an_offset_shoulder_leaves_no_hole(z):
    """Stretched, the hand is on two circles about the axis: turned forth and back over the shoulder."""
    arm = Arm(0.1, 0.0, 0.3, 0.5, 0.4)
    found = arm.found(z, step=0.2)
    radius = 0.1 + np.sqrt(0.9**2 - (z - 0.3) ** 2)
    assert np.isclose(found.area, np.pi * radius**2, rtol=1e-9) and not found.notes
    assert found.contains([(radius - 0.02, 0)])[0]
    assert [one.modes for one in found.regions] == [arm.modes(*one.inside, z) for one in found.regions]


def random_arm(seed: int) -> tuple[Arm, float]:
    random = np.random.default_rng(seed)
    d, e, h = random.uniform([-0.3, -0.2, 0], [0.3, 0.2, 0.5])
    l1, l2 = random.uniform(0.3, 0.8, 2)
    limits = []
    for k in range(3):
        low, width = random.uniform(-3, 0.5), random.uniform(1, 4 if k else 5)
        limits.append((low, low + width) if random.random() < 0.6 else None)
    return Arm(d, e, h, l1, l2, tuple(limits)), h + random.uniform(-0.7, 0.7) * (l1 + l2)


def test_a_limit_that_turns_back_at_full_stretch():
    """With the turret at its limit the hand goes out on a line to full stretch, and comes back on the same line with
    the other elbow. The elbow's own limit is 3.4° behind: the sickle between is 0.7 mm wide, 0.1 % of the area."""
    arm, z = random_arm(45)
    found = arm.found(z)
    assert np.isclose(found.area, arm.area(z), rtol=1e-6)
    stretched = np.sqrt((arm.l1 + arm.l2) ** 2 - (z - arm.h) ** 2)
    outer = float(np.hypot(stretched + arm.d, arm.e))
    assert np.isclose(np.hypot(*np.concatenate([points for _, points in found.boundary]).T).max(), outer, rtol=1e-9)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(1, 100))])
def test_random_arms(seed):
    arm, z = random_arm(seed)
    assert agrees(arm, z) in ("", "note"), (arm, z)


@pytest.mark.slow
def test_a_plane_that_an_arm_only_touches_is_refused():
    """At full stretch upwards the hand of an arm with an offset shoulder has the height 0.3 + 0.5 + 0.2 m."""
    model = mbs.SpatialModel("arm")
    base = model.body("base")
    upper = model.link("upper", (0.2, 0, 0.3), (0.7, 0, 0.3), radius=0.01)
    lower = model.link("lower", (0.7, 0, 0.3), (0.9, 0, 0.3), radius=0.01)
    model.add(
        mbs.Revolute("turret", model.ground, base, at=(0, 0, 0), axis=(0, 0, 1)),
        mbs.Revolute("shoulder", base, upper, at=(0.2, 0, 0.3), axis=(0, 1, 0)),
        mbs.Revolute("elbow", upper, lower, at=(0.7, 0, 0.3), axis=(0, 1, 0)),
    )
    with pytest.raises(mbs.ModelError, match="surface.*only touch"):
        mbs.reachable_workspace(model, "lower.head", plane="xy", at=1.0)
