"""Equations on boxes against the same at poses in them, and curves against their values."""

import numpy as np
import pytest
from gallery import NAMES, load

from mbs_dae.certify.charts import box_about, by_small_motions, paths_between
from mbs_dae.certify.equations import GAMMA, JACOBIAN, NU, PHI, equations_of
from mbs_dae.certify.intervals import Interval
from mbs_dae.compiled.machine import observe
from mbs_dae.errors import ModelError

WIDTHS = np.array([0.0, 1e-9, 1e-4, 1e-2, 0.2])
DRIVEN = ("cam_follower", "quick_return", "rssr", "stewart_platform", "universal_joints", "gear_train", "screw_jack")


@pytest.fixture(autouse=True)
def _sources(interpreted_kernels):
    """Nothing here is compiled."""


def compiled(name):
    model = load(name).build()
    return (model[0] if isinstance(model, tuple) else model).compile()


@pytest.mark.parametrize("name", [n if n in DRIVEN else pytest.param(n, marks=pytest.mark.slow) for n in NAMES])
def test_what_holds_at_a_pose_lies_in_the_bounds_of_its_box(name):
    """Φ, Φ_v, ν and γ in boxes of all sizes, at corners and inside; what kernels give in double numbers, but for
    roundoff."""
    system = compiled(name)
    try:
        own = equations_of(system)
    except ModelError as error:
        assert "which has equations of its own" in str(error)
        return
    random, lanes = np.random.default_rng(5), WIDTHS.size
    q, v = system.placement[:, None], random.standard_normal((system.layout.v_size, 1))
    wide = box_about(system.layout, Interval(np.repeat(q, lanes, axis=1)), WIDTHS * np.ones((system.nv, 1)))
    fast = Interval(v - WIDTHS, v + WIDTHS)
    t = Interval(0.4 - WIDTHS, 0.4 + WIDTHS)
    found = own.enclose(t, wide, fast, (PHI, JACOBIAN, NU, GAMMA))
    machine, rows = system.machine(), own.rows
    for lane in range(lanes):
        for _ in range(12):
            at = [somewhere(x.lower[..., lane], x.upper[..., lane], random) for x in (t, wide, fast)]
            observe(machine, float(at[0]), at[1], at[2])
            exact = {PHI: machine.phi[rows], NU: machine.nu[rows], GAMMA: machine.gamma[rows]}
            for which, value in exact.items():
                check(getattr(found, which)[lane], value, (name, which, lane))
            check(found.jacobian[lane], system.jacobian(float(at[0]), at[1]).toarray()[rows], (name, "Φ_v", lane))


def somewhere(low, high, random):
    """In a box; in two of five coordinates at an end."""
    part = np.where(random.random(low.shape) < 0.4, random.integers(0, 2, low.shape), random.random(low.shape))
    return low + part * (high - low)


def check(bounds, value, which):
    """Inside, but for what double numbers lose; bounds that are no numbers, of wide boxes, say nothing."""
    slack = 1e-11 * (1.0 + np.abs(value))
    told = ~(np.isnan(bounds.lower) | np.isnan(bounds.upper) | np.isnan(value))
    assert told.all() or which[2] > 2 or np.isnan(value).any(), which
    assert ((bounds.lower - slack <= value) & (value <= bounds.upper + slack))[told].all(), which


@pytest.mark.parametrize("name", ["slider_crank", "rssr"])
def test_curves_and_their_velocities_lie_in_their_bounds(name):
    """Against the polynomial itself, and central differences; ω of a quaternion that is not of unit length in
    between."""
    system, random = compiled(name), np.random.default_rng(2)
    layout, sizes = system.layout, system.layout.v_size
    begin = np.repeat(system.placement[:, None], 3, axis=1)
    end = box_about(layout, Interval(begin), 0.3 * np.ones((system.nv, 1))).upper
    v = random.standard_normal((2, sizes, 3))
    times = np.array([0.0, 1.0, 2.0]), np.array([0.5, 1.25, 2.1])
    path = paths_between(layout, times, (begin, end), (v[0], v[1]))
    q, rates, bends = path.all()
    middle, speed = path.middle()
    h = times[1] - times[0]

    def at(x):
        s = path.a * (1 - x) + path.b * x
        return path.begin + x * (path.end - path.begin) + x * (1 - x) * s

    def velocity(x):
        d = 1e-6
        slope, out = (at(x + d) - at(x - d)) / (2 * d) / h, np.zeros((sizes, 3))
        for place, of in layout.plain:
            out[of] = slope[place]
        for first, of in layout.quaternions:
            e, de = at(x)[first : first + 4], slope[first : first + 4]
            vector = e[0] * de[1:] - de[0] * e[1:] - np.cross(e[1:], de[1:], axis=0)
            out[of : of + 3] = 2 * vector / (e * e).sum(axis=0)
        return out

    for x in np.linspace(0, 1, 9):
        assert ((q.lower - 1e-12 <= at(x)) & (at(x) <= q.upper + 1e-12)).all()
        slope, bend = velocity(x), (velocity(x + 1e-4) - velocity(x - 1e-4)) / 2e-4 / h
        assert ((rates.lower - 1e-6 <= slope) & (slope <= rates.upper + 1e-6)).all()
        assert ((bends.lower - 1e-3 <= bend) & (bend <= bends.upper + 1e-3)).all()
    assert np.allclose(middle.lower, at(0.5), atol=1e-14) and np.allclose(speed.lower, velocity(0.5), atol=1e-6)
    assert np.allclose(at(0.0), begin, atol=1e-15) and np.allclose(np.abs(at(1.0)), np.abs(end), atol=1e-15)


def test_jacobians_by_small_motions_of_a_box():
    """Φ_u against central differences of Φ by u, at places in the box."""
    system, random = compiled("rssr"), np.random.default_rng(3)
    own, layout = equations_of(system), system.layout
    size = np.full((system.nv, 1), 0.05)
    centre = Interval(system.placement[:, None])
    found = own.enclose(Interval(np.zeros(1)), box_about(layout, centre, size), None, (JACOBIAN,))
    slopes = by_small_motions(layout, found.jacobian, size)

    def phi(u):
        q = system.placement.copy()
        q[layout.plain[:, 0]] += u[layout.plain[:, 1]]
        for first, of in layout.quaternions:
            e, w = system.placement[first : first + 4], 0.5 * u[of : of + 3]
            q[first] = e[0] - e[1:] @ w
            q[first + 1 : first + 4] = e[1:] + e[0] * w + np.cross(e[1:], w)
        point = Interval(q[:, None])
        return own.enclose(Interval(np.zeros(1)), point, None, (PHI,)).phi.lower[0]

    for _ in range(5):
        u = random.uniform(-0.05, 0.05, system.nv)
        for k in range(system.nv):
            step = 1e-6 * np.eye(system.nv)[k]
            slope = (phi(u + step) - phi(u - step)) / 2e-6
            assert (slopes.lower[0, :, k] - 1e-7 <= slope).all() and (slope <= slopes.upper[0, :, k] + 1e-7).all()
