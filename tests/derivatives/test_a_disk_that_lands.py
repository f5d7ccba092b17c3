"""A disk that is thrown along a floor: it bounces with friction until its flights cannot be seen, slides, and rolls.
Its derivatives against those of the closed form of the same motion, in 40 digits: flight after flight, without an end
to the bouncing but roundoff."""

import mpmath as mp
import numpy as np
import pytest
from refusals import refused

import mbs_dae as mbs

G, INERTIA = 9.81, 0.005
BY = ("friction", "restitution", "radius", "disk.vx", "disk.y")
READ = ("disk.x", "disk.vx", "disk.y", "disk.vy", "disk.omega")


def thrown(friction: float, restitution: float, times: np.ndarray) -> mbs.Result:
    model = mbs.PlanarModel("disk", gravity=(0, -G))
    mu, e, R = (model.parameter(*pair) for pair in zip(BY, (friction, restitution, 0.1), strict=False))
    disk = model.body("disk", mass=1.0, inertia=INERTIA)
    model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Disk(disk, R), restitution=e, friction=mu))
    start = {"disk.x": 0.0, "disk.y": 0.3, "disk.angle": 0.0, "disk.vx": 2.0, "disk.vy": 0.0, "disk.omega": 0.0}
    return mbs.simulate(model, times, start, derivatives=BY)


def closed(t, mu, e, R, vx, y):
    """x, vx, y, vy and ω. Where the disk meets the floor with the approach u, its slip s = vx + R ω ends, or loses what
    the friction μ (1 + e) u takes; with a mass of 1."""
    x, h, vy, w, now = mp.mpf(0), y - R, mp.mpf(0), mp.mpf(0), mp.mpf(0)
    gives = 1 + R * R / INERTIA  # how much slip an impulse takes
    while vy > mp.mpf(10) ** -mp.mp.dps or h > 0:
        flight = (vy + mp.sqrt(vy * vy + 2 * G * h)) / G
        if now + flight >= t:
            s = t - now
            return x + vx * s, vx, R + h + vy * s - G * s * s / 2, vy - G * s, w
        x, now, u, slip = x + vx * flight, now + flight, G * flight - vy, vx + R * w
        push = min(mu * (1 + e) * u, abs(slip) / gives) * mp.sign(slip)
        vx, w, h, vy = vx - push, w - push * R / INERTIA, mp.mpf(0), e * u
    slip = vx + R * w
    slides, way = min(t - now, abs(slip) / (mu * G * gives)), mp.sign(slip)
    x += vx * slides - way * mu * G * slides**2 / 2
    vx, w = vx - way * mu * G * slides, w - way * mu * G * R / INERTIA * slides
    return x + vx * (t - now - slides), vx, R, mp.mpf(0), w


def test_a_derivative_to_one_side_alone_is_refused():
    with refused("no-derivative", law="restitution", mentions="floor"):
        thrown(0.1, 0.0, np.linspace(0.0, 0.4, 3))


@pytest.mark.parametrize(
    ("friction", "restitution", "least", "slides"),
    [(0.1, 0.4, 16, True), (0.1, 0.1, 7, True), (0.1, 0.7, 40, False), (0.35, 0.5, 21, False), (0.35, 0.7, 40, False)],
)
def test_derivatives_behind_many_impacts_with_friction(friction, restitution, least, slides):
    """The disk slides when it has come to rest, or an impact has ended its slip before, and it rolls in all others."""
    times = np.linspace(0.0, 1.5, 7)
    result = thrown(friction, restitution, times)
    assert len(result.impacts) >= least
    behind = result.t > result.impacts[-1].t
    assert behind.any() and ("slips" in result.modes["floor"][behind]) == slides
    values = (friction, restitution, 0.1, 2.0, 0.3)
    with mp.workdps(40):
        small = mp.mpf("1e-14")
        for k, t in enumerate(times):
            for at, by in enumerate(BY):
                beside = [[mp.mpf(p) + side * small * (j == at) for j, p in enumerate(values)] for side in (1, -1)]
                more, less = (closed(mp.mpf(float(t)), *own) for own in beside)
                for name, high, low in zip(READ, more, less, strict=True):
                    slope = float((high - low) / (2 * small))
                    assert abs(result.d(name, by)[k] - slope) < 1e-8 * max(1.0, abs(slope)), (t, name, by)
