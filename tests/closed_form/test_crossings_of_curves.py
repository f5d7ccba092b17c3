"""Crossings of curves in the plane, in closed form."""

from dataclasses import dataclass

import numpy as np
import pytest

from mbs_dae.workspaces.plane.arcs import CurvePiece, Spot, crossings, hermite
from mbs_dae.workspaces.plane.faces import faces_of, pieces_of


@dataclass(frozen=True)
class Parabola:
    """y = bend x² + slope x + height over equal segments of x, each followed at a constant rate."""

    slope: float
    ends: np.ndarray
    bend: float = 1.0
    height: float = 0.0
    closed: bool = False
    corners: tuple = ()
    tag: str = "parabola"

    @property
    def points(self):
        return np.stack([self.ends, self.bend * self.ends**2 + self.slope * self.ends + self.height], axis=1)

    def at(self, k, part):
        width = self.ends[k + 1] - self.ends[k]
        x = self.ends[k] + part * width
        y = self.bend * x * x + self.slope * x + self.height
        return np.array([x, y]), width * np.array([1.0, 2.0 * self.bend * x + self.slope])

    def cubic(self, k):
        return hermite(self.at(k, 0.0), self.at(k, 1.0))


@pytest.mark.parametrize("slope", [0.5, 0.03, 3e-3])
@pytest.mark.parametrize("shift", [0.0, 0.013, 0.05, 0.087])
def test_parabolas_cross_once_at_any_angle(slope, shift):
    """y = x² and y = x² + s x cross at x = 0 alone, wherever the chords do, whose corners are shifted by 0 to 0.087."""
    one, other = Parabola(0.0, np.linspace(-1.03, 0.97, 21)), Parabola(slope, np.linspace(-1.03, 0.97, 21) + shift)
    found = crossings([one, other])
    assert len(found) == 1
    _, spot, _, other_spot = found[0]
    assert np.abs(one.at(*spot)[0]).max() < 1e-12 and np.abs(other.at(*other_spot)[0]).max() < 1e-12


@pytest.mark.parametrize("height", [0.1, 3e-3, 1e-4, 1e-6, 1e-7])
@pytest.mark.parametrize("slope", [0.0, 0.02])
@pytest.mark.parametrize("shift", [0.0, 0.013, 0.05])
def test_arcs_cross_twice_within_a_segment(height, slope, shift):
    """y = x² and y = h + s x - x² cross where 2 x² - s x = h: at two places, which may be within one segment of each
    curve, whose chords may be parallel."""
    one = Parabola(0.0, np.linspace(-1.05, 0.95, 21))
    other = Parabola(slope, np.linspace(-1.05, 0.95, 21) + shift, -1.0, height)
    found = sorted(one.at(*spot)[0][0] for _, spot, _, _ in crossings([one, other]))
    roots = 0.25 * (slope + np.sqrt(slope**2 + 8.0 * height) * np.array([-1.0, 1.0]))
    assert len(found) == 2 and np.allclose(found, roots, rtol=0.0, atol=1e-9)


@pytest.mark.parametrize("shift", [0.0, 0.013, 0.05])
@pytest.mark.parametrize("bend", [-1.0, 0.3])
def test_arcs_touch_in_one_point(bend, shift):
    """y = x² and y = b x² touch at x = 0, with curvature to different sides or to the same; moved apart by 1e-6 they do
    not meet."""
    ends = np.linspace(-1.05, 0.95, 21)
    one, other = Parabola(0.0, ends), Parabola(0.0, ends + shift, bend)
    ((_, spot, _, other_spot),) = crossings([one, other])
    assert np.abs(one.at(*spot)[0]).max() < 1e-7 and np.abs(other.at(*other_spot)[0]).max() < 1e-7
    assert crossings([one, Parabola(0.0, ends + shift, bend, -1e-6)]) == []


@dataclass(frozen=True)
class Circle:
    """A circle that is followed `turns` times, in so many equal segments a turn, from an angle on."""

    centre: float
    radius: float
    count: int = 37
    start: float = 0.1
    turns: int = 1
    closed: bool = True
    corners: tuple[Spot, ...] = ()
    tag: str = "circle"

    @property
    def points(self):
        return np.array([self.at(k, 0.0)[0] for k in range(self.count * self.turns + 1)])

    def at(self, k, part):
        step = 2.0 * np.pi / self.count
        e = np.exp(1j * (self.start + (k + part) * step))
        point, rate = self.centre + self.radius * e, 1j * step * self.radius * e
        return np.array([point.real, point.imag]), np.array([rate.real, rate.imag])

    def cubic(self, k):
        return hermite(self.at(k, 0.0), self.at(k, 1.0))


def lens(r: float, s: float, d: float) -> float:
    """The area that two disks have in common whose centres are d apart."""
    if d >= r + s:
        return 0.0
    if d <= abs(r - s):
        return np.pi * min(r, s) ** 2
    a, b = np.arccos((d * d + r * r - s * s) / (2 * d * r)), np.arccos((d * d + s * s - r * r) / (2 * d * s))
    return r * r * (a - 0.5 * np.sin(2 * a)) + s * s * (b - 0.5 * np.sin(2 * b))


@pytest.mark.parametrize(
    "gap, turns", [*((gap, 1) for gap in (1e-2, -1e-2, -1e-4, 1e-6, -1e-6, -1e-9)), (0.0, 1), (0.0, 2), (-1e-4, 2)]
)
@pytest.mark.parametrize("r, s, inside", [(0.2, 0.2, False), (0.2, 0.7, False), (0.5, 0.2, True), (1.6, 1.1, True)])
def test_regions_between_circles_that_touch(r, s, inside, gap, turns):
    """Two circles cross, touch or stay apart by a gap, from outside or inside, within a large one. Each may be followed
    twice. Areas are those of disks less what they have in common: all together that of the large disk."""
    d = (r - s if inside else r + s) + gap
    curves = [Circle(0.0, 4.0), Circle(0.0, r, 41, 0.3, turns), Circle(d, s, 29, 2.0, turns)]
    faces = faces_of(pieces_of(curves, lambda piece: True)[0])
    both, areas = lens(r, s, d), sorted(face.area for face in faces)
    exact = [both, np.pi * r * r - both, np.pi * s * s - both, np.pi * (16.0 - r * r - s * s) + both]
    assert np.isclose(sum(areas), 16.0 * np.pi, rtol=1e-9)
    large = [one for one in areas if one > 1e-3]
    assert np.allclose(large, sorted(one for one in exact if one > 1e-3), rtol=0.0, atol=1e-7)


@pytest.mark.parametrize("counts", [(37, 37, 37), (61, 29, 37), (29, 61, 31)])
@pytest.mark.parametrize("gap", [1e-2, 1e-3, 1e-4, 1e-6])
@pytest.mark.parametrize("shift", [0.0, 0.3])
def test_narrow_rings_lie_in_each_other(gap, counts, shift):
    """Gaps between three circles of one centre are wider or narrower than the arcs are high over their chords, so that
    polygons of the circles cross. Each ring is the region of its own two circles, in a large disk beside another."""
    curves = [Circle(0.0, 1.0 + k * gap, n, k * shift) for k, n in enumerate(counts)]
    faces = faces_of(pieces_of([Circle(0.0, 4.0), Circle(-2.0, 0.5), *curves], lambda piece: True)[0])
    rings = [np.pi * gap * (2.0 + (2 * k + 1) * gap) for k in range(2)]
    rest = np.pi * (16.0 - 0.25 - (1.0 + 2.0 * gap) ** 2)
    areas = sorted(face.area for face in faces)
    assert np.allclose(areas, sorted([*rings, np.pi * 0.25, np.pi, rest]), rtol=0.0, atol=1e-11)
    for ring in (face for face in faces if face.area < 0.1):
        assert 1.0 < np.hypot(*ring.inner) < 1.0 + 2.0 * gap


@pytest.mark.parametrize("start", [1e-3, -1e-3, 0.02, -0.02])
def test_a_circle_whose_first_place_is_next_to_a_contact(start):
    """A circle touches two larger ones from inside at an angle of 0, where all three have one direction: their order
    there is that of their curvatures, wherever the circles begin."""
    curves = [Circle(1.0 - r, r, count, start) for r, count in ((1.0, 37), (0.8, 41), (0.5, 29))]
    areas = sorted(face.area for face in faces_of(pieces_of(curves, lambda piece: True)[0]))
    assert np.allclose(areas, np.pi * np.array([0.25, 0.36, 0.39]), rtol=1e-7)


@dataclass(frozen=True)
class Wave:
    """y = a sin (3 π x) over the segment from 0 to 1: a copy of the x-axis that is off by a."""

    height: float
    points = np.array([[0.0, 0.0], [1.0, 0.0]])
    closed: bool = False
    corners: tuple[Spot, ...] = ()
    interpolated: tuple[int, ...] = (0,)
    tag: str = "wave"

    def at(self, k, x):
        a, b = self.height, 3.0 * np.pi
        return np.array([x, a * np.sin(b * x)]), np.array([1.0, a * b * np.cos(b * x)])

    def cubic(self, k):
        return hermite(self.at(k, 0.0), self.at(k, 1.0))


@pytest.mark.parametrize("height", [5e-6, -5e-6, 1e-7])
def test_copies_of_an_interpolated_border_enclose_no_region(height):
    """Two copies of the x-axis cross each other within their error; with y = x (1 - x) they bound one region of 1/6."""
    arc = Parabola(1.0, np.linspace(0.0, 1.0, 9), -1.0)
    pieces = [
        CurvePiece(curve, ((0.0, len(curve.points) - 1.0),), 0, 1) for curve in (Wave(height), Wave(-height), arc)
    ]
    areas = [face.area for face in faces_of(pieces)]
    assert len(areas) == 1 and np.isclose(areas[0], 1.0 / 6.0, rtol=0.0, atol=2e-6)


@pytest.mark.parametrize("width", [0.03, 3e-3, 3e-4])
def test_the_inner_point_of_a_crescent_is_inside(width):
    """y = x² and y = (1 - w) x² + w enclose a crescent of width w, area 4 w / 3, whose centre is outside."""
    ends = np.linspace(-1.05, 1.05, 210)
    curves = [Parabola(0.0, ends), Parabola(0.0, ends, 1.0 - width, width)]
    pieces, _ = pieces_of(curves, lambda piece: True)
    (face,) = faces_of(pieces)
    x, y = face.inner
    assert x**2 < y < (1.0 - width) * x**2 + width
    assert np.isclose(face.area, 4.0 * width / 3.0, rtol=1e-9)
