"""Gears whose wheels push on each other: the force in the pitch point, and what bearings and bodies make of it."""

import numpy as np
import pytest
import sympy as sp
from refusals import refused
from scipy.integrate import solve_ivp

import mbs_dae as mbs

SETS = ["cartesian", "natural", "joint"]
EXACT = {"rtol": 1e-12, "atol": 1e-14}


def pair(r_i, r_j, mesh="external", way=(0.6, 0.8), load=10.0, **teeth):
    """Two wheels on fixed axes, the second one under a load; the direction of the line of centres."""
    model = mbs.PlanarModel("pair")
    n, apart = np.array(way), abs(r_i + (1 if mesh == "external" else -1) * r_j)
    i = model.body("i", mass=1.0, inertia=2e-3)
    j = model.body("j", mass=2.0, inertia=5e-3, position=tuple(apart * n))
    model.add(
        mbs.Revolute("A", model.ground, i, at=(0, 0)),
        mbs.Revolute("B", model.ground, j, at=tuple(apart * n)),
        mbs.Gear("teeth", i, j, radii=(r_i, r_j), mesh=mesh, **teeth),
        mbs.Torque("load", j, load),
    )
    return model, n, np.array([-n[1], n[0]])


@pytest.mark.parametrize(
    ("r_i", "r_j", "mesh"), [(0.05, 0.1, "external"), (0.04, 0.1, "internal"), (0.1, 0.03, "internal")]
)
def test_spur_wheels_on_fixed_axes(r_i, r_j, mesh):
    model, n, t = pair(r_i, r_j, mesh)
    driven = model.plus(mbs.Driver("motor", mbs.angle(model.bodies["i"]), 3 * mbs.t))
    result = mbs.inverse_dynamics(driven, [0.0, 0.7])
    sense = 1 if mesh == "external" else -1
    assert np.allclose(result["j.omega"], -sense * 3 * r_i / r_j)
    assert np.allclose(result.effort("motor"), sense * 10.0 * r_i / r_j)
    # the pitch point is r_j from the second centre: towards the first one, or beyond it where the wheel is in a ring
    side = -1.0 if mesh == "external" or r_j > r_i else 1.0
    force = -10.0 / (side * r_j) * t
    for at in range(2):
        assert np.allclose(result.reaction("teeth")[at], [*force, -10.0], atol=1e-9)
        assert np.allclose(result.reaction("B")[at], [*-force, 0.0], atol=1e-9)
        assert np.allclose(result.reaction("A")[at], [*force, 0.0], atol=1e-9)
    for joint in ("A", "B", "teeth"):
        assert result.is_unique(joint).all()
    shares = result.shares("B")
    assert np.allclose(shares["load"][:, :2], -force, atol=1e-9)


def test_a_pair_accelerates_alike_in_all_sets():
    model, _, t = pair(0.05, 0.1)
    alpha = 10.0 / (5e-3 + 2e-3 * 4)
    for coordinates in SETS:
        run = mbs.simulate(model.compile(coordinates), [0, 0.01, 0.1], **EXACT)
        assert np.allclose(run["j.alpha"], alpha) and np.allclose(run["i.alpha"], -2 * alpha)
        assert np.allclose(run.reaction("teeth")[:, :2], 2e-3 * 2 * alpha / 0.05 * t)
        assert np.abs(run.energy.error).max() < 1e-9 * run.energy.kinetic.max()


@pytest.mark.parametrize("angle", [0.0, np.radians(20)])
@pytest.mark.parametrize("mesh", ["external", "internal"])
@pytest.mark.parametrize("load", [10.0, -10.0])
def test_the_pressure_angle_drives_wheels_apart_under_either_load(load, mesh, angle):
    """In prescribed motions, in runs and at rest: |F_t| tan α, whichever flank carries."""
    model, n, t = pair(0.04, 0.1, mesh, load=load, pressure_angle=angle)
    wheels = model.bodies["i"], model.bodies["j"]
    plain = model.without("teeth").plus(mbs.Gear("teeth", *wheels, radii=(0.04, 0.1), mesh=mesh))
    spring = mbs.TorsionSpring("spring", mbs.angle(model.elements["A"]), stiffness=50.0, angle=0.0)
    held = mbs.CoordinateFix("held", model.bodies["i"], "angle", 0)
    for made in (
        lambda m: mbs.inverse_dynamics(m.plus(held), [0.0]),
        lambda m: mbs.simulate(m.plus(spring), [0.0, 0.02]),
        lambda m: mbs.simulate(m.plus(spring).compile("natural"), [0.0, 0.02]),
        lambda m: mbs.simulate(m.plus(spring).compile("joint"), [0.0, 0.02]),
        lambda m: mbs.equilibrium(m.plus(spring)).result,
    ):
        result, bare = made(model), made(plain)
        along = bare.reaction("teeth")[:, :2] @ t
        assert np.allclose(bare.reaction("teeth")[:, :2] @ n, 0.0, atol=1e-9) and (np.abs(along) > 1.0).all()
        apart = (
            np.abs(along) * np.tan(angle) * (1 if mesh == "external" else -1)
        )  # a ring keeps its wheel from its teeth
        assert np.allclose(result.reaction("teeth")[:, :2] @ n, apart, atol=1e-9)
        assert np.allclose(result.reaction("teeth")[:, :2] @ t, along, atol=1e-9)
        assert np.allclose(result.reaction("teeth")[:, 2], bare.reaction("teeth")[:, 2], atol=1e-9)
        for joint, sign in (("A", 1), ("B", -1)):
            gap = result.reaction(joint)[:, :2] - bare.reaction(joint)[:, :2]
            assert np.allclose(gap, sign * apart[:, None] * n, atol=1e-9)
        assert np.allclose(result.q, bare.q, atol=1e-12)
    if angle:
        shares = mbs.inverse_dynamics(model.plus(held), [0.0]).shares("B")
        sense = 1 if mesh == "external" else -1
        assert np.allclose(shares["pressure angle of teeth"][:, :2] @ n, -sense * 100.0 * np.tan(angle))


def test_what_knows_nothing_of_a_pressure_angle_says_so():
    model, *_ = pair(0.04, 0.1, pressure_angle=0.35)
    A = model.elements["A"]
    lagged, *_ = pair(0.04, 0.1, pressure_angle=0.35)
    lagged.state("lagged", rate=lambda x: lagged["A.Fx"] - x)
    with refused("pressure-angle-with-reactions", gear="Gear 'teeth'", mentions="A"):
        mbs.simulate(lagged, [0, 0.1])
    rubbing = model.plus(mbs.Friction("rub", A, mu=0.1, radius=0.01))
    for verb in (mbs.equilibrium, mbs.holding):
        with refused("pressure-angle-with-friction", element="teeth"):
            verb(rubbing)
    with refused("not-supported", argument="pressure_angle", element="teeth", method="Moreau"):
        mbs.simulate(rubbing, [0, 0.1], method="Moreau", step=0.01)
    driven = model.plus(mbs.Driver("motor", mbs.angle(model.bodies["i"]), mbs.t))
    with refused("pressure-angle-with-derivatives", gear="Gear 'teeth'"):
        mbs.inverse_dynamics(driven, [0.0], derivatives=["load.torque"])
    with refused("missing-argument", name="g"):
        mbs.Gear("g", model.bodies["i"], model.bodies["j"], ratio=2, pressure_angle=0.3)


MU, RADIUS = 0.12, 0.01


def rubbing_pair(kind, load):
    """Two wheels whose bearings rub: spur wheels in the plane, or bevel wheels at right angles; their radii."""
    r_i, r_j, angle = 0.05, 0.1, np.radians(20)
    if kind == "bevel":
        model = mbs.SpatialModel("bevel")
        i, j = (model.body(name, mass=1.0, inertia=(I, I, I)) for name, I in (("i", 2e-3), ("j", 5e-3)))
        A = model.add(mbs.Revolute("A", model.ground, i, at=(0, 0, 0), axis=(0, 0, 1)))
        B = model.add(mbs.Revolute("B", model.ground, j, at=(0, 0, 0), axis=(1, 0, 0)))
        model.add(mbs.Gear("teeth", A, B, radii=(r_i, r_j), pressure_angle=angle), mbs.Motor("load", B, load))
    else:
        model, *_ = pair(r_i, r_j, kind, load=load, pressure_angle=angle)
        A, B = model.elements["A"], model.elements["B"]
    for joint in (A, B):
        model.add(mbs.Friction(f"rub {joint.name}", joint, mu=MU, radius=RADIUS))
    return model, r_i, r_j


@pytest.mark.parametrize("load", [10.0, -10.0])
@pytest.mark.parametrize("kind", ["external", "internal", "bevel"])
def test_bearings_that_rub_feel_the_pressure_angle(kind, load):
    """Both bearings carry N = |F| / cos α and rub with μ N ρ. With F the force of the teeth that turns the second wheel
    on, and s the sense in which the first one feels it, at speeds ω_j = -s ω_i r_i / r_j:

        I_i ω̇_i = M + s F r_i - μ ρ N sgn ω_i,        I_j ω̇_j = M_j + F r_j - μ ρ N sgn ω_j.
    """
    model, r_i, r_j = rubbing_pair(kind, load)
    A = model.elements["A"]
    driven = model.plus(mbs.Driver("motor", mbs.angle(A), 3 * mbs.t))
    whole = mbs.inverse_dynamics(driven, [0.0, 0.4])
    first, second = whole["A.omega"][0], whole["B.omega"][0]
    s, rub = -second / first * r_j / r_i, MU * RADIUS / np.cos(np.radians(20))
    F = next(f for sign in (1, -1) if np.sign(f := -load / (r_j - rub * sign * np.sign(second))) == sign)
    moment = rub * abs(F) * np.sign(first) - s * F * r_i
    size = len(whole.reaction("A")[0]) // 2 + 1 if kind != "bevel" else 3
    runs = [mbs.simulate(driven.compile(coordinates), [0.0, 0.4], **EXACT) for coordinates in SETS]
    for result in (whole, *runs):
        assert np.allclose(result.effort("motor"), moment)
        for name in ("A", "B", "teeth"):
            assert np.allclose(np.linalg.norm(result.reaction(name)[:, :size], axis=1), abs(F) / np.cos(np.radians(20)))
        assert np.allclose(np.abs(result["rub A.friction"]), MU * abs(F) / np.cos(np.radians(20)))
        assert set(result.modes) == {"rub A", "rub B"} and not any("pressure" in name for name in result.all_names)
    assert all(np.abs(run.energy.error).max() < 1e-9 * run.energy.supplied.max() for run in runs)
    assert np.allclose(runs[0].energy.dissipated[-1], 0.4 * rub * abs(F) * (abs(first) + abs(second)))
    # free, with a moment on the first wheel: F and ω̇_i from both equations, linear for each sign of F
    push = 2 * moment + 0.3
    free = model.plus(mbs.Motor("push", A, push))
    for sign in (1, -1):
        lost = rub * sign
        matrix = [[2e-3, lost * np.sign(first) - s * r_i], [5e-3 * second / first, lost * np.sign(second) - r_j]]
        alpha, found = np.linalg.solve(matrix, [push, load])
        if np.sign(found) == sign:
            break
    for coordinates in SETS:
        run = mbs.simulate(free.compile(coordinates), [0.0, 0.002], initial={"A.omega": first}, **EXACT)
        assert np.allclose(run["A.alpha"], alpha)
        assert np.allclose(np.linalg.norm(run.reaction("B")[:, :size], axis=1), abs(found) / np.cos(np.radians(20)))
        assert np.abs(run.energy.error).max() < 1e-9 * run.energy.kinetic.max()
    shares = whole.shares("B")
    assert "pressure angle of teeth" in str(shares)


@pytest.mark.parametrize(
    "how", [mbs.Baumgarte(), mbs.Baumgarte(alpha=20), mbs.Projection()], ids=["", "gains", "put back"]
)
@pytest.mark.parametrize("method", ["DP5", "DP8", "Radau5"])
@pytest.mark.parametrize("coordinates", SETS)
def test_wheels_whose_bearings_rub_keep_their_acceleration(coordinates, method, how):
    """A constant moment M turns both wheels for 8 rounds: with N = F / cos α and L = μ ρ / cos α,

        I_i ω̇_i = M - (r_i + L) F,        I_j ω̇_j = (r_j - L) F,        ω̇_j = ω̇_i r_i / r_j

    Contacts put the rates of all equations back at each step, which leaves Baumgarte's feedback nothing to damp:
    natural coordinates, where a fast wheel drifts off its unit vectors, lost four digits of the acceleration."""
    model, *_ = pair(0.05, 0.1, load=0.0, pressure_angle=np.radians(20))
    for name in "AB":
        model.add(mbs.Friction(f"rub {name}", model.elements[name], mu=MU, radius=RADIUS))
    model.add(mbs.Motor("push", model.elements["A"], M := 0.4))
    lost, ratio = MU * RADIUS / np.cos(np.radians(20)), 0.5
    F, alpha = np.linalg.solve([[0.05 + lost, 2e-3], [0.1 - lost, -5e-3 * ratio]], [M, 0.0])
    run = mbs.simulate(model.compile(coordinates), [0, 0.5, 1.0], method=method, stabilization=how)
    assert np.allclose(run["A.alpha"], alpha, rtol=1e-11) and np.allclose(run["B.alpha"], -alpha * ratio, rtol=1e-11)
    assert np.allclose(np.linalg.norm(run.reaction("A")[:, :2], axis=1), F / np.cos(np.radians(20)), rtol=1e-11)
    assert np.allclose(run["A.angle"], alpha * run.t**2 / 2, rtol=0, atol=1e-6 * run["A.angle"][-1])
    size = np.abs(alpha) + run["A.omega"] ** 2
    assert (run.violation.acceleration <= 1e-12 * size).all() and run.violation.position.max() < 1e-14


# --- planets --------------------------------------------------------------------------------------------------------


def planetary(torque, joints=False):
    """A sun, one planet on a carrier, a ring that stands still."""
    r_s, r_p, masses = 0.05, 0.03, {"I_s": 2e-3, "m_p": 0.7, "I_p": 4e-4, "I_c": 6e-3}
    arm, ring = r_s + r_p, r_s + 2 * r_p
    model = mbs.PlanarModel("planetary")
    sun = model.body("sun", mass=1.0, inertia=masses["I_s"])
    carrier = model.body("carrier", mass=1.0, inertia=masses["I_c"])
    planet = model.body("planet", mass=masses["m_p"], inertia=masses["I_p"], position=(arm, 0))
    S, C, P = model.add(
        mbs.Revolute("S", model.ground, sun),
        mbs.Revolute("C", model.ground, carrier),
        mbs.Revolute("P", carrier.at(arm, 0), planet),
    )
    first, second = ((S, P), (P, C)) if joints else ((sun, planet), (planet, model.ground))
    model.add(
        mbs.Gear("inner", *first, radii=(r_s, r_p)),
        mbs.Gear("outer", *second, radii=(r_p, ring), mesh="internal"),
        mbs.Torque("drive", sun, torque),
    )
    return model, r_s, r_p, arm, ring, masses


@pytest.mark.parametrize("joints", [False, True])
@pytest.mark.parametrize("coordinates", SETS)
def test_a_planetary_train_by_newton_and_euler(coordinates, joints):
    """Unknowns: the sun's acceleration, what sun and ring push on the planet with (along the carrier's y axis), and the
    force of the pin."""
    model, r_s, r_p, arm, ring, m = planetary(4.0, joints)
    c = r_s / (r_s + ring)  # ω_carrier / ω_sun, by Willis
    p = c * (1 - ring / r_p)  # ω_planet / ω_sun
    equations = np.array([
        [m["I_s"], r_s, 0.0, 0.0],  # the sun: I α = T - r F_1
        [m["I_p"] * p, r_p, -r_p, 0.0],  # the planet turns,
        [m["m_p"] * arm * c, -1.0, -1.0, -1.0],  # and goes round
        [m["I_c"] * c, 0.0, 0.0, arm],  # the carrier
    ])  # fmt: skip
    alpha, F_1, F_2, pin = np.linalg.solve(equations, [4.0, 0.0, 0.0, 0.0])
    run = mbs.simulate(model.compile(coordinates), [0.0, 0.05, 0.3], **EXACT)
    assert np.allclose(run["sun.alpha"], alpha) and np.allclose(run["planet.alpha"], p * alpha)
    assert run["carrier.angle"][-1] > 2 * np.pi
    turns = np.stack([np.cos(run["carrier.angle"]), np.sin(run["carrier.angle"])], axis=1)
    across = np.stack([-turns[:, 1], turns[:, 0]], axis=1)
    along = -m["m_p"] * arm * run["carrier.omega"] ** 2  # what keeps the planet on its way
    assert np.allclose(run.reaction("P")[:, :2], pin * across + along[:, None] * turns, rtol=1e-7, atol=1e-7)
    assert np.allclose(run.reaction("inner")[:, :2], F_1 * across, rtol=1e-7, atol=1e-7)
    assert np.allclose(run.reaction("outer")[:, :2], -F_2 * across, rtol=1e-7, atol=1e-7)
    assert np.allclose(run.reaction("C")[:, :2], -(-pin * across - along[:, None] * turns), rtol=1e-7, atol=1e-7)
    assert np.allclose(run.reaction("S")[:, :2], F_1 * across, rtol=1e-7, atol=1e-7)
    assert np.abs(run.energy.error).max() < 1e-9 * run.energy.kinetic.max()
    assert run.is_unique("P").all()


def test_a_planet_pin_carries_both_teeth():
    """20 N m on the carrier's arm of 0.08 m are 250 N in the pin, half of that in either mesh."""
    model, r_s, r_p, arm, ring, _ = planetary(0.0)
    load, motor = (
        mbs.Torque("load", model.bodies["carrier"], -20.0),
        mbs.Driver("motor", mbs.angle(model.bodies["sun"]), 2 * mbs.t),
    )
    held = model.plus(load, motor)
    result = mbs.inverse_dynamics(held.without("drive"), [0.0])
    assert np.isclose(np.linalg.norm(result.reaction("inner")[0, :2]), 125.0)
    assert np.isclose(np.linalg.norm(result.reaction("outer")[0, :2]), 125.0)
    assert np.isclose(result["P.Fy"][0], -250.0, atol=1e-9)
    assert np.isclose(result.effort("motor")[0] * 2, 20.0 * result["carrier.omega"][0])


# --- moving centres -------------------------------------------------------------------------------------------------

R, r, MASS, INERTIA, g = 0.3, 0.1, 2.0, 0.02, 9.81


def rolling(arm):
    """A wheel that rolls on one that stands still: at the end of an arm, or of a rod without mass, which is no body."""
    model = mbs.PlanarModel("rolling", gravity=(0, -g))
    wheel = model.body("wheel", mass=MASS, inertia=INERTIA, position=(R + r, 0))
    if arm:
        bar = model.body("arm", mass=0.0, inertia=0.0)
        model.add(mbs.Revolute("O", model.ground, bar), mbs.Revolute("P", bar.at(R + r, 0), wheel))
    else:
        model.add(mbs.Distance("rod", model.ground, wheel))
    model.add(mbs.Gear("teeth", model.ground, wheel, radii=(R, r)))
    return model


@pytest.mark.parametrize("arm", [True, False])
def test_a_wheel_that_rolls_on_another_goes_round_and_round(arm):
    """Lagrange: (m a² + I (a/r)²) θ̈ = -m g a cos θ, a = R + r; the wheel turns by θ a/r, and F_t r = I θ̈ a/r."""
    a = R + r
    inertia = MASS * a**2 + INERTIA * (a / r) ** 2

    def law(t, y):
        return [y[1], -MASS * g * a * np.cos(y[0]) / inertia]

    times = np.linspace(0, 3, 13)
    exact = solve_ivp(law, (0, 3), [0.0, 9.0], rtol=1e-12, atol=1e-12, t_eval=times).y
    assert exact[0, -1] > 3 * np.pi
    acceleration = -MASS * g * a * np.cos(exact[0]) / inertia
    for coordinates in SETS if arm else SETS[:2]:
        run = mbs.simulate(rolling(arm).compile(coordinates), times, initial={"wheel.omega": 9.0 * a / r}, **EXACT)
        assert np.allclose(run["wheel.angle"], exact[0] * a / r, atol=1e-7)
        assert np.allclose(run["wheel.x"], a * np.cos(exact[0]), atol=1e-8)
        tangent = np.stack([-np.sin(exact[0]), np.cos(exact[0])], axis=1)
        force = -INERTIA * acceleration * a / r / r  # the pitch point is on the inner side of the wheel
        assert np.allclose(run.reaction("teeth")[:, :2], force[:, None] * tangent, atol=1e-6)
        assert np.allclose(run.reaction("teeth")[:, 2], INERTIA * acceleration * a / r, atol=1e-7)
        assert np.abs(run.energy.error).max() < 1e-9 * run.energy.kinetic.max()


def test_a_wheel_rolls_on_another_in_space_without_a_carrier():
    """A wheel on an upright table, on a rod: its turns and the force of its teeth are those in the plane."""
    model = mbs.SpatialModel("rolling", gravity=(0, -g, 0))
    wheel = model.body("wheel", mass=MASS, inertia=(INERTIA, INERTIA, INERTIA), position=(R + r, 0, 0))
    model.add(
        mbs.Planar("table", model.ground, wheel),
        mbs.Distance("rod", model.ground, wheel),
        mbs.Gear("teeth", model.ground, wheel, radii=(R, r)),
    )
    times = np.linspace(0, 1.5, 7)
    start = {"wheel.wz": 9.0 * (R + r) / r}
    flat = mbs.simulate(rolling(arm=False), times, initial={"wheel.omega": 9.0 * (R + r) / r}, **EXACT)
    for coordinates in SETS[:2]:
        run = mbs.simulate(model.compile(coordinates), times, initial=start, **EXACT)
        assert np.allclose(run["wheel.x"], flat["wheel.x"], atol=1e-8)
        assert np.allclose(run["wheel.wz"], flat["wheel.omega"], atol=1e-7)
        assert np.allclose(run.reaction("teeth")[:, [0, 1, 5]], flat.reaction("teeth"), atol=1e-5)
        assert np.allclose(run.reaction("teeth")[:, [2, 3, 4]], 0.0, atol=1e-8)


def test_axes_that_leave_each_other_are_told():
    model = mbs.PlanarModel("loose")
    wheel = model.body("wheel", mass=1.0, inertia=0.01, position=(0.4, 0))
    guide = model.add(mbs.PinInSlot("guide", model.ground, wheel))
    model.add(mbs.Gear("teeth", model.ground, wheel, radii=(0.3, 0.1)))
    pull = mbs.Driver("pull", mbs.displacement(guide), 0.4 + 0.1 * mbs.t)
    with refused("radii-do-not-meet", subject="Gear 'teeth'", apart=0.5, r_i=0.3, r_j=0.1, mentions="t = 1"):
        mbs.kinematics(model.plus(pull), [0.0, 0.5, 1.0])


# --- space ----------------------------------------------------------------------------------------------------------


def bevel_pair(place, shaft, radii, mesh, inertia, **teeth):
    """Two bevel wheels on axes that meet at an angle in the origin, with bearings A and B at these places on them; the
    directions of the axes, those towards the wheels, and the pitch point, from the cones."""
    along = np.array([0, 0, 1.0]), np.array([np.sin(shaft), 0, np.cos(shaft)])
    model = mbs.SpatialModel("bevel")
    bodies = [model.body(name, mass=1.0, inertia=inertia) for name in "ij"]
    A, B = (
        model.add(mbs.Revolute(name, model.ground, body, at=tuple(s * a), axis=tuple(a)))
        for name, body, s, a in zip("AB", bodies, place, along, strict=True)
    )
    model.add(mbs.Gear("teeth", A, B, radii=radii, mesh=mesh, **teeth))
    out = [a if s >= 0 else -a for a, s in zip(along, place, strict=True)]
    sizes = [-r if mesh == "internal" and r == min(radii) else r for r in radii]  # a wheel in a ring: beyond its axis
    sine, cosine = np.linalg.norm(np.cross(*out)), out[0] @ out[1]
    cone = np.arctan2(sizes[0] * sine, sizes[1] + sizes[0] * cosine)
    towards = (out[1] - cosine * out[0]) / sine
    return model, along, out, sizes[0] / np.sin(cone) * (np.cos(cone) * out[0] + np.sin(cone) * towards)


@pytest.mark.parametrize("shaft", [np.pi / 2, 1.1, 2.0])
@pytest.mark.parametrize("mesh", ["external", "internal"])
@pytest.mark.parametrize("place", [(0.0, 0.0), (0.3, 0.2), (-0.3, 0.2), (0.3, -0.1)])
def test_bevel_wheels_roll_on_their_pitch_cones(place, mesh, shaft):
    """The pitch point from the cones, written here: there both wheels have one velocity, and the force acts."""
    r_i, r_j = 0.05, 0.12
    model, along, out, P = bevel_pair(place, shaft, (r_i, r_j), mesh, (0.01, 0.02, 0.02))
    A, B = model.elements["A"], model.elements["B"]
    model.add(mbs.Driver("motor", mbs.angle(A), 3 * mbs.t), mbs.Motor("load", B, 10.0))
    assert np.isclose(np.linalg.norm(np.cross(P, along[1])), r_j)
    result = mbs.inverse_dynamics(model, [0.0, 0.4])
    tangent = np.cross(*out) / np.linalg.norm(np.cross(*out))
    force = -10.0 / (np.cross(P, tangent) @ along[1]) * tangent
    for at in range(2):
        slip = np.cross(3.0 * along[0] - result["B.omega"][at] * along[1], P)
        assert np.abs(slip).max() < 1e-12
        wrench = result.reaction("teeth")[at]
        assert np.allclose(wrench[:3], force, atol=1e-8)
        assert np.allclose(wrench[3:], np.cross(P - place[1] * along[1], force), atol=1e-8)
        assert np.allclose(result.reaction("A")[at, :3], force, atol=1e-8)
    assert result.is_unique("A").all()


@pytest.mark.parametrize(
    ("mesh", "radii"), [("external", (0.05, 0.12)), ("internal", (0.05, 0.12)), ("internal", (0.12, 0.05))]
)
@pytest.mark.parametrize(("place", "shaft"), [((0.3, 0.2), np.pi / 2), ((-0.3, 0.2), 1.1), ((0.3, -0.1), 2.0)])
def test_the_pressure_angle_drives_bevel_wheels_apart(place, shaft, mesh, radii):
    """|F_t| tan α cos δ towards the axis of a wheel and |F_t| tan α sin δ along it, away from the apex: on wheels that
    run at one speed in all sets, in prescribed motions and at rest, under either load. A ring feels the opposite."""
    angle = np.radians(20)
    slope = np.tan(angle)
    model, along, out, pitch = bevel_pair(place, shaft, radii, mesh, (0.01, 0.01, 0.01), pressure_angle=angle)
    A, B, sine = model.elements["A"], model.elements["B"], np.linalg.norm(np.cross(*out))

    def check(result, moment):
        force = abs(moment) / radii[1]
        wrench = result.reaction("teeth")[0]
        drive = wrench[:3] - wrench[:3] @ np.cross(*out) / sine**2 * np.cross(*out)
        for k, sign in ((0, -1.0), (1, 1.0)):
            height = pitch @ out[k]
            inward = (height * out[k] - pitch) / radii[k]
            delta = np.arctan2(radii[k], height)
            ring = -1.0 if mesh == "internal" and radii[k] == max(radii) else 1.0
            assert np.isclose(sign * drive @ inward, ring * force * slope * np.cos(delta), atol=1e-7)
            assert np.isclose(sign * drive @ out[k], ring * force * slope * np.sin(delta), atol=1e-7)
        assert np.allclose(wrench[3:], np.cross(pitch - place[1] * along[1], wrench[:3]), atol=1e-7)
        # the bearings hold what the teeth do, the first wheel the opposite
        for name, k, sign in (("A", 0, 1.0), ("B", 1, -1.0)):
            held = result.reaction(name)[0]
            assert np.allclose(held[:3], sign * wrench[:3], atol=1e-7)
            moments = held[3:] - sign * np.cross(pitch - place[k] * along[k], wrench[:3])
            assert np.allclose(np.cross(moments, along[k]), 0.0, atol=1e-7)

    ratio = mbs.assemble(model, fix={"A.angle": 1.0})["B.angle"]
    for load in (10.0, -10.0):
        loaded = model.plus(mbs.Motor("load", B, load))
        check(mbs.inverse_dynamics(loaded.plus(mbs.Driver("motor", mbs.angle(A), 3 * mbs.t)), [0.0]), load)
    held = loaded.plus(mbs.TorsionSpring("spring", mbs.angle(A), stiffness=1e3, angle=0.0))
    check(mbs.equilibrium(held).result, load)
    steady = loaded.plus(mbs.Motor("drive", A, -load * ratio))  # both turn at one speed
    for coordinates in SETS:
        run = mbs.simulate(steady.compile(coordinates), [0.0, 0.1], initial={"A.omega": 3.0}, **EXACT)
        assert np.allclose(run["B.omega"], 3.0 * ratio)
        check(run, load)
        assert np.abs(run.energy.error).max() < 1e-9 * run.energy.kinetic.max()


def test_bevel_wheels_accelerate_alike_in_all_sets():
    """On a cross that turns freely, so that all axes move: Lagrange in the turns of the cross and of the sun."""
    model = mbs.SpatialModel("bevel on a cross")
    inertias = {"sun": (0.1, 0.1, 0.02), "cross": (0.2, 0.2, 0.3), "planet": (0.004, 0.005, 0.005)}
    sun, cross, planet = (model.body(name, mass=1.0, inertia=inertia) for name, inertia in inertias.items())
    O = (0, 0, 0)
    for name, body in (("S", sun), ("C", cross)):
        model.add(mbs.Revolute(name, model.ground, body, at=O, axis=(0, 0, 1)))
    P = model.add(mbs.Revolute("P", cross, planet, at=O, axis=(1, 0, 0)))
    wheel, carrier = (body.at(*O, axis=(0, 0, 1)) for body in (sun, cross))
    model.add(
        mbs.Gear("teeth", wheel, P.markers[1], carrier=carrier, other=P.markers[0], radii=(0.06, 0.03)),
        mbs.Wrench("push", sun, mz=1.0),
    )
    # the planet turns in the cross by -2 (ω_sun - ω_cross)
    mass = np.array([[0.02 + 4 * 0.004, -4 * 0.004], [-4 * 0.004, 0.3 + 0.005 + 4 * 0.004]])
    first, second = np.linalg.solve(mass, [1.0, 0.0])
    for coordinates in SETS:
        run = mbs.simulate(model.compile(coordinates), [0.0, 0.2, 1.0], **EXACT)
        assert np.allclose(run["sun.alphaz"], first) and np.allclose(run["cross.alphaz"], second)
        force = (1.0 - 0.02 * first) / 0.06
        assert np.allclose(np.linalg.norm(run.reaction("teeth")[:, :3], axis=1), force)
        assert np.abs(run.energy.error).max() < 1e-9 * run.energy.kinetic.max()


@pytest.mark.parametrize("facing", [1, -1])
def test_parallel_wheels_in_space(facing):
    """As in the plane, also where one axis points the other way; in all sets."""
    model = mbs.SpatialModel("spur")
    i = model.body("i", mass=1.0, inertia=(0.01, 0.01, 2e-3))
    j = model.body("j", mass=2.0, inertia=(0.01, 0.01, 5e-3), position=(0, 0.15, 0))
    A = model.add(mbs.Revolute("A", model.ground, i, at=(0, 0, 0), axis=(0, 0, 1)))
    B = model.add(mbs.Revolute("B", model.ground, j, at=(0, 0.15, 0), axis=(0, 0, facing)))
    model.add(mbs.Gear("teeth", A, B, radii=(0.05, 0.1)), mbs.Motor("load", B, 10.0 * facing))
    alpha = 10.0 / (5e-3 + 4 * 2e-3)
    for coordinates in SETS:
        run = mbs.simulate(model.compile(coordinates), [0, 0.1], **EXACT)
        assert np.allclose(run["j.alphaz"], alpha) and np.allclose(run["i.alphaz"], -2 * alpha)
        assert np.allclose(run.reaction("teeth")[:, :3], [-2e-3 * 2 * alpha / 0.05, 0, 0], atol=1e-6)
        assert np.allclose(run.reaction("A")[:, :3], [-2e-3 * 2 * alpha / 0.05, 0, 0], atol=1e-6)


def test_a_differential_splits_and_adds():
    """A bevel planet on a cross that turns: ω_left + ω_right = 2 ω_cross, with equal forces in both meshes."""
    model = mbs.SpatialModel("differential")
    names = "left", "right", "cross", "planet"
    left, right, cross, planet = (model.body(name, mass=1.0, inertia=(0.01, 0.01, 0.01)) for name in names)
    O = (0, 0, 0)
    L = model.add(mbs.Revolute("L", cross, left, at=O, axis=(0, 0, -1)))
    Q = model.add(mbs.Revolute("R", cross, right, at=O, axis=(0, 0, 1)))
    C = model.add(mbs.Revolute("C", model.ground, cross, at=O, axis=(0, 0, 1)))
    P = model.add(mbs.Revolute("P", cross, planet, at=O, axis=(1, 0, 0)))
    model.add(
        mbs.Gear("first", L, P, radii=(0.05, 0.03)),
        mbs.Gear("second", Q, P, radii=(0.05, 0.03)),
        mbs.Driver("motor", mbs.angle(C), 20 * mbs.t),
        mbs.Driver("brake", mbs.angle(L), -5 * mbs.t),
        mbs.Wrench("load", right, mz=-6.0),
    )
    result = mbs.inverse_dynamics(model, np.linspace(0, 2, 5))
    assert np.allclose(result["left.wz"] + result["right.wz"], 40.0) and np.allclose(result["left.wz"], 25.0)
    sizes = [np.linalg.norm(result.reaction(name)[:, :3], axis=1) for name in ("first", "second")]
    assert np.allclose(sizes, 6.0 / 0.05)
    assert np.allclose(np.linalg.norm(result.reaction("P")[:, :3], axis=1), 2 * 6.0 / 0.05)


# --- what is refused, and what is open ------------------------------------------------------------------------------


def two(apart=0.5):
    model = mbs.PlanarModel("two")
    a, b = model.body("a", mass=1.0, inertia=0.1), model.body("b", mass=1.0, inertia=0.1, position=(apart, 0))
    A = model.add(mbs.Revolute("A", model.ground, a, at=(0, 0)))
    B = model.add(mbs.Revolute("B", model.ground, b, at=(apart, 0)))
    return model, a, b, A, B


def test_radii_meet_the_distance_of_the_axes():
    model, a, b, A, B = two()
    for wheels in ((a, b), (A, B)):
        with refused("radii-do-not-meet", subject="Gear 'g'", apart=0.5, r_i=0.05, r_j=0.1):
            mbs.assemble(model.plus(mbs.Gear("g", *wheels, radii=(0.05, 0.1), mesh="internal")))
    r = model.parameter("r", 0.2)
    geared = model.plus(mbs.Gear("g", a, b, radii=(r, 0.3)))
    assert mbs.diagnose(geared).degrees_of_freedom == 1
    with refused("radii-do-not-meet", r_i=0.25, r_j=0.3):
        mbs.assemble(geared.with_parameters(r=0.25))
    space = mbs.SpatialModel("space")
    i, j = space.body("i"), space.body("j")
    A = space.add(mbs.Revolute("A", space.ground, i, at=(0, 0, 0), axis=(0, 0, 1)))
    B = space.add(mbs.Revolute("B", space.ground, j, at=(0.3, 0, 0.1), axis=(0, 0, 1)))
    C = space.add(mbs.Revolute("C", space.ground, space.body("k"), at=(0, 0.2, 0), axis=(1, 0, 0)))
    with refused("wheels-not-in-plane", mentions="0.1 m"):
        mbs.assemble(space.plus(mbs.Gear("g", A, B, radii=(0.1, 0.2))))
    with refused("axes-do-not-meet", mentions="0.2 m"):
        mbs.assemble(space.plus(mbs.Gear("g", B, C, radii=(0.1, 0.2))).without("A"))


def test_bearings_that_come_later_carry_a_gear_too():
    """Turns of the line of centres are counted on the body that carries both, in whatever order things are said."""
    model = mbs.PlanarModel("late")
    a, b = model.body("a"), model.body("b")  # placed roughly
    gear = model.add(mbs.Gear("g", a, b, radii=(0.2, 0.1)))
    model.add(mbs.Revolute("A", model.ground, a, at=(0, 0)), mbs.Revolute("B", model.ground.at(0.3, 0), b))
    assert np.isclose(mbs.assemble(model, fix={"a.angle": 100.0})["b.angle"], -200.0)
    assert gear.name == "g" and mbs.diagnose(model).degrees_of_freedom == 1
    with refused("wheels-not-placed", subject="Gear 'g'"):
        mbs.assemble(model.without("B"))


def test_bearings_are_found_where_numbers_are_off_by_roundoff():
    model = mbs.PlanarModel("roundoff")
    a, b = model.body("a"), model.body("b", position=(0.3, 0))
    model.add(
        mbs.Gear("g", a, b, radii=(0.2, 0.1)),
        mbs.Revolute("A", model.ground, a, at=(0, 0)),
        mbs.Revolute("B", model.ground, b, at=(0.1 + 0.2, 0)),
    )
    assert np.isclose(mbs.assemble(model, fix={"a.angle": 100.0})["b.angle"], -200.0)


def test_a_ratio_leaves_bearings_open():
    model, a, b, A, B = two()
    table = model.body("table", mass=1.0, inertia=1.0, position=(0, -1))
    model.add(mbs.Revolute("T", model.ground, table, at=(0, -1)))
    for gear in (mbs.Gear("box", a, b, ratio=2.0), mbs.Gear("box", A, B, ratio=2.0)):
        driven = model.plus(gear, mbs.Driver("m", mbs.angle(a), mbs.t), mbs.Driver("n", mbs.angle(table), mbs.t))
        result = mbs.inverse_dynamics(driven, [0.0])
        assert result.is_unique("A")[0].tolist() == [False, False, True]
        assert result.is_unique("B")[0].tolist() == [False, False, True]
        assert result.is_unique("box")[0].tolist() == [False, False, True]
        assert result.is_unique("T").all() and result.is_unique("m").all()


@pytest.mark.parametrize("coordinates", ["cartesian", "natural", "joint"])
@pytest.mark.parametrize("dimension", [2, 3])
def test_a_ratio_tells_efforts_where_a_wheel_is_marked_off_its_axis(dimension, coordinates):
    """The load M, and the weight of the wheel that is off its axis by (d, d), need (M - m g d) / ratio at the motor.
    Bearings share what nothing tells."""
    M, m, g, d = 3.0, 2.0, 10.0, 0.05
    flat, third = dimension == 2, (0,) * (dimension - 2)
    model = (mbs.PlanarModel if flat else mbs.SpatialModel)("off its axis", gravity=(0, -g, *third))
    inertia = 0.1 if flat else (0.1, 0.1, 0.1)
    a = model.body("a", mass=1.0, inertia=inertia)
    b = model.body("b", mass=m, inertia=inertia, position=(0.3 + d, d, *third))
    A = model.add(mbs.Revolute("A", model.ground, a, at=(0, 0, *third)))
    model.add(mbs.Revolute("B", model.ground, b, at=(0.3, 0, *third)))
    model.add(mbs.Gear("box", a, b, *() if flat else (model.ground, model.ground), ratio=2.0))
    model.add(mbs.Torque("load", b, M), mbs.Driver("motor", mbs.angle(A), mbs.t))
    result = mbs.inverse_dynamics(model.compile(coordinates), [0.0])
    assert result.effort("motor") == pytest.approx((M - m * g * d) / 2.0)
    assert result.is_unique("motor.effort").all()
    for bearing in ("A", "B"):
        assert not result.is_unique(bearing)[0, :2].any() and result.is_unique(bearing)[0, -1]


def test_friction_in_a_bearing_of_a_ratio_is_told():
    """Friction cannot know how teeth press on its bearing where the gear knows of no teeth; with radii it does."""
    model, _, b, A, B = two()
    rubbing = model.plus(
        mbs.Friction("rub", A, mu=0.1, radius=0.01), mbs.Torque("load", b, 2.0), mbs.Gear("box", A, B, ratio=2.0)
    )
    for coordinates in SETS:
        note = mbs.simulate(rubbing.compile(coordinates), [0, 0.01]).stats["note"]
        assert "'rub' is reckoned without the tooth force of Gear 'box'" in note and "give radii=" in note
    driven = rubbing.plus(mbs.Driver("motor", mbs.angle(A), mbs.t))
    assert "Friction 'rub'" in mbs.inverse_dynamics(driven, [0.0]).stats["note"]
    held = mbs.holding(rubbing.without("load"))
    assert not held.certain and "tooth force of Gear 'box'" in repr(held)
    elsewhere = driven.without("rub").plus(mbs.DryFriction("rub", mbs.angle(A), force=0.1))
    assert "note" not in mbs.inverse_dynamics(elsewhere, [0.0]).stats
    apart = float(abs(B.markers[0].point[0] - A.markers[0].point[0]))
    teeth = mbs.Gear("box", A, B, radii=(apart / 3, 2 * apart / 3))
    told = mbs.inverse_dynamics(driven.without("box").plus(teeth), [0.0])
    assert "note" not in told.stats
    np.testing.assert_allclose(np.abs(told["rub.friction"]), 0.1 * np.hypot(told["A.Fx"], told["A.Fy"]))


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_rotor_on_one_body_drives_a_joint_of_others(dimension):
    """A motor on the ground and a belt to the elbow: the rotor turns n times as far as the elbow."""
    n, L, spin = 30.0, 0.4, 1e-4
    if dimension == 2:
        model, at, push = mbs.PlanarModel("arm"), lambda x: (x, 0), lambda b: mbs.Torque("push", b, 2.0)
        inertia = lambda I: I  # noqa: E731
        axis = {}
    else:
        model, at, push = mbs.SpatialModel("arm"), lambda x: (x, 0, 0), lambda b: mbs.Wrench("push", b, mz=2.0)
        inertia = lambda I: (I, I, I)  # noqa: E731
        axis = {"axis": (0, 0, 1)}
    upper = model.body("upper", mass=1.0, inertia=inertia(0.05))
    fore = model.body("fore", mass=0.5, inertia=inertia(0.02), position=at(L))
    rotor = model.body("rotor", mass=0.1, inertia=inertia(spin), position=at(-1.0))
    A, B, M = model.add(
        mbs.Revolute("A", model.ground, upper, at=at(0.0), **axis),
        mbs.Revolute("B", upper, fore, at=at(L), **axis),
        mbs.Revolute("M", model.ground, rotor, at=at(-1.0), **axis),
    )
    model.add(mbs.Gear("belt", M, B, ratio=n, mesh="internal"), push(fore))
    mass = np.array([[0.05 + 0.5 * L**2 + 0.02, 0.02], [0.02, 0.02 + n**2 * spin]])
    first, second = np.linalg.solve(mass, [2.0, 2.0])
    for coordinates in SETS:
        run = mbs.simulate(model.compile(coordinates), [0.0, 0.3], **EXACT)
        assert np.allclose(run["A.alpha"], first) and np.allclose(run["B.alpha"], second)
        assert np.allclose(run["M.angle"], n * run["B.angle"])


@pytest.mark.parametrize("coordinates", SETS)
def test_the_energy_of_a_rotor_is_that_of_its_turning_in_the_world(coordinates):
    """A rotor on the upper arm drives the wrist over a belt: it turns by θ₁ + n θ₃ in the world, and the mass matrix in
    the joint angles is Σ Jᵀ M J with that row for the rotor, which reflects n² I to the wrist and n I beside it."""
    n, spin, L, l, a = 20.0, 3e-4, 0.4, 0.3, 0.1
    model = mbs.PlanarModel("arm")
    upper = model.body("upper", mass=1.0, inertia=0.05)
    fore = model.body("fore", mass=0.5, inertia=0.02, position=(L, 0))
    hand = model.body("hand", mass=0.2, inertia=0.004, position=(L + l, 0))
    rotor = model.body("rotor", mass=0.3, inertia=spin, position=(a, 0))
    A, B, C, M = model.add(
        mbs.Revolute("A", model.ground, upper, at=(0, 0)),
        mbs.Revolute("B", upper, fore, at=(L, 0)),
        mbs.Revolute("C", fore, hand, at=(L + l, 0)),
        mbs.Revolute("M", upper, rotor, at=(a, 0)),
    )
    model.add(mbs.Gear("belt", M, C, ratio=n, mesh="internal"), mbs.Torque("push", hand, 0.7))
    rows = [  # the velocity of each body: of its mass centre across the arm, and its turning
        (0.0, [0, 0, 0]), (0.05, [1, 0, 0]), (0.5, [L, 0, 0]), (0.02, [1, 1, 0]),
        (0.2, [L + l, l, 0]), (0.004, [1, 1, 1]), (0.3, [a, 0, 0]), (spin, [1, 0, n]),
    ]  # fmt: skip
    mass = sum(m * np.outer(row, row) for m, row in rows)
    run = mbs.simulate(model.compile(coordinates), [0.0, 0.2], **EXACT)
    found = [run[f"{joint}.alpha"][0] for joint in "ABC"]
    assert np.allclose(found, np.linalg.solve(mass, [0.7, 0.7, 0.7]))
    assert np.allclose(run["M.omega"], n * run["C.omega"], atol=1e-9)
    assert np.abs(run.energy.error).max() < 1e-9 * run.energy.kinetic.max()
    rates = {"A.omega": 1.3, "B.omega": -0.4, "C.omega": 0.9}
    start = mbs.simulate(model.compile(coordinates), [0.0, 0.01], initial=rates, **EXACT)
    speeds = np.array([*rates.values()])
    assert np.isclose(start.energy.kinetic[0], 0.5 * speeds @ mass @ speeds)


@pytest.mark.parametrize("coordinates", SETS)
def test_joints_on_different_carriers_are_coupled_as_willis_says(coordinates):
    """A table whose joint on the ground follows the planet against its carrier: ω_t = (ω_p - ω_c) / n, and with the
    train of a sun and a planet, ω_p - ω_c = -(r_s/r_p) (ω_s - ω_c)."""
    model, r_s, r_p, arm, *_ = planetary(0.0)
    table = model.body("table", mass=1.0, inertia=0.1, position=(1, 0))
    T = model.add(mbs.Revolute("T", model.ground, table, at=(1, 0)))
    model.add(
        mbs.Gear("shaft", model.elements["P"], T, ratio=4.0, mesh="internal"),
        mbs.Driver("motor", mbs.angle(model.bodies["sun"]), 2 * mbs.t),
        mbs.Torque("load", table, -3.0),
    )
    run = mbs.simulate(model.without("drive").compile(coordinates), [0.0, 0.5], **EXACT)
    planet, carrier, sun = run["planet.omega"], run["carrier.omega"], run["sun.omega"]
    assert np.allclose(planet - carrier, -r_s / r_p * (sun - carrier))
    assert np.allclose(4.0 * run["table.omega"], planet - carrier)
    assert np.allclose(run.effort("motor") * sun, 3.0 * run["table.omega"])


def test_derivatives_of_a_geared_train_are_those_of_differences():
    model = mbs.PlanarModel("train")
    r = model.parameter("r", 0.05)
    a, b = model.body("a", inertia=2e-3), model.body("b", inertia=5e-3, position=(r + 0.1, 0))
    model.add(
        mbs.Revolute("A", model.ground, a, at=(0, 0)),
        mbs.Revolute("B", model.ground.at(r + 0.1, 0), b),
        mbs.Gear("teeth", a, b, radii=(r, 0.1)),
        mbs.Driver("motor", mbs.angle(a), sp.sin(5 * mbs.t)),
        mbs.Torque("load", b, 10.0),
    )
    run = lambda m, **more: mbs.inverse_dynamics(m, [0.1, 0.2], **more)  # noqa: E731
    found, h = run(model, derivatives=["r"]), 1e-5
    ends = [run(model.with_parameters(r=0.05 + s * h)) for s in (-1, 1)]
    for name in ("b.angle", "motor.effort", "B.Fy", "teeth.Fy"):
        assert np.allclose(found.d(name, "r"), (ends[1][name] - ends[0][name]) / (2 * h), rtol=1e-6, atol=1e-6)


IMPACTS = (("cartesian", "DP5", 1e-9), ("natural", "DP5", 1e-9), ("joint", "DP5", 1e-9), ("cartesian", "Moreau", 1e-9))


@pytest.mark.parametrize(("coordinates", "method", "tolerance"), IMPACTS)
@pytest.mark.parametrize("seed", range(3))
def test_an_impact_goes_through_a_train_of_wheels(seed, coordinates, method, tolerance):
    """The last wheel meets the ground with a point, square to its arm. With the impulse P there and F_k of the teeth of
    wheels k and k + 1, I_k Δω_k = -r_k (F_k-1 + F_k) + (a P on the last one), ω behind is -e times ω before, teeth part
    by |F_k| tan α, and each bearing takes up all impulses on its wheel."""
    random = np.random.default_rng(seed)
    count, e, omega, arm = int(random.integers(2, 5)), random.uniform(0.2, 0.9), random.uniform(-4, -2), 0.3
    radii, alphas = random.uniform(0.05, 0.2, count), random.uniform(0.2, 0.5, count - 1)
    inertias = 10 ** random.uniform(-3, -1, count)
    ways = [np.array([np.cos(x), np.sin(x)]) for x in random.uniform(-3, 3, count - 1)]
    centres = [np.zeros(2)]
    for k in reversed(range(count - 1)):
        centres.insert(0, centres[0] - (radii[k] + radii[k + 1]) * ways[k])
    model = mbs.PlanarModel("train")
    wheels = [
        model.body(f"w{k}", random.uniform(0.5, 2), inertias[k], position=tuple(centres[k])) for k in range(count)
    ]
    for k, wheel in enumerate(wheels):
        model.add(mbs.Revolute(f"B{k}", model.ground, wheel, at=tuple(centres[k])))
    for k, alpha in enumerate(alphas):
        pair = radii[k], radii[k + 1]
        model.add(mbs.Gear(f"g{k}", wheels[k], wheels[k + 1], radii=pair, pressure_angle=alpha))
    tip = mbs.Point(wheels[-1].at(arm * np.cos(0.2), arm * np.sin(0.2)))
    model.add(mbs.Contact("stop", mbs.Line(model.ground), tip, restitution=e))
    options = {"step": 1e-5} if method == "Moreau" else EXACT
    run = mbs.simulate(model.compile(coordinates), [0, 0.15], {f"w{count - 1}.omega": omega}, method=method, **options)
    (impact,) = run.impacts
    ratios = np.array([(-1) ** (count - 1 - k) * radii[-1] / radii[k] for k in range(count)])
    whole, jumps = inertias @ ratios**2, -(1 + e) * omega * ratios
    assert impact.t == pytest.approx(-0.2 / omega, abs=2e-5 if method == "Moreau" else 1e-10)
    cosine = np.cos(0.2 + omega * impact.t)  # a step of Moreau's ends a little beside the place where they meet
    P = (1 + e) * -omega * whole / (arm * cosine)
    assert np.allclose(impact.impulses["stop"], [0, P, 0], rtol=1e-4 if method == "Moreau" else tolerance)
    sums, F = [np.zeros(2) for _ in wheels], 0.0
    for k, (n, alpha) in enumerate(zip(ways, alphas, strict=True)):
        F = -inertias[k] * jumps[k] / radii[k] - F
        push = F * np.array([-n[1], n[0]]) + abs(F) * np.tan(alpha) * n
        assert np.allclose(impact.impulses[f"g{k}"][:2], push, atol=tolerance * P)
        sums[k], sums[k + 1] = sums[k] - push, sums[k + 1] + push
    sums[-1] += impact.impulses["stop"][:2]
    for k, total in enumerate(sums):
        assert np.allclose(impact.impulses[f"B{k}"][:2], -total, atol=tolerance * P)
        assert run[f"w{k}.omega"][-1] == pytest.approx(-e * omega * ratios[k], rel=tolerance)
    assert impact.energy_lost == pytest.approx(0.5 * whole * (1 - e**2) * omega**2, rel=tolerance)
    assert np.abs(run.energy.error).max() < 1e-9 * 0.5 * whole * omega**2


def test_every_derivative_beside_a_pressure_angle_is_refused():
    """The separating force has no slope, so no verb takes derivatives of a model that has one."""
    model, *_ = pair(0.04, 0.1, pressure_angle=0.35)
    k = model.parameter("k", 50.0)
    model.add(mbs.TorsionSpring("spring", mbs.angle(model.elements["A"]), stiffness=k, angle=0.0))
    pushed, run = mbs.at_end(mbs.quantity("A.Fx")), {"times": [0, 0.1], "verb": "simulate"}
    for taken in (
        lambda: mbs.simulate(model, [0, 0.1], derivatives=["k"]),
        lambda: mbs.gradient(pushed, model, over=["k"], **run),
        lambda: mbs.optimize(pushed, model, over={"k": (10.0, 100.0)}, **run),
        lambda: mbs.tolerance(model, sigma={"k": 1.0}, of=["A.Fx"], **run),
        lambda: mbs.equilibrium(model, derivatives=["k"]),
        lambda: mbs.linearize(model, derivatives=["k"]),
        lambda: mbs.assemble(model, derivatives=["k"]),
    ):
        with refused("pressure-angle-with-derivatives", gear="Gear 'teeth'"):
            taken()


@pytest.mark.parametrize(("coordinates", "how"), [("cartesian", None), ("natural", mbs.Projection()), ("joint", None)])
@pytest.mark.parametrize("speed", [2e2, 2e4])
def test_fast_wheels_gain_speed_as_slow_ones_do(speed, coordinates, how):
    """The angular acceleration is T / (I_j + I_i (r_j / r_i)²) to 1e-15 of ω², however fast they turn."""
    model, *_ = pair(0.05, 0.1, pressure_angle=0.35)
    times = [0.0, 6.0 / speed, 18.0 / speed]
    run = mbs.simulate(model.compile(coordinates), times, {"j.omega": -speed}, rtol=1e-10, stabilization=how)
    alpha = 10.0 / (5e-3 + 2e-3 * 4)
    assert np.abs(run["j.alpha"] - alpha).max() <= 1e-15 * speed**2 + 1e-12 * alpha
    assert np.abs(run["i.alpha"] + 2 * alpha).max() <= 1e-15 * (2 * speed) ** 2 + 1e-12 * alpha
