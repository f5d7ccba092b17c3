"""The closed forms in spatial_oracles against published values, and each against a second way to the same number."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from spatial_oracles import (
    arm_6r,
    bricard,
    chaplygin_sleigh,
    delta,
    free_body,
    gimbal,
    governor,
    heavy_top,
    rolling_disk,
    rssr,
    spatial_slider_crank,
    stewart,
    universal_joint,
    zhao,
)
from spatial_oracles.quadrature import integrate
from spatial_oracles.rotations import rotation, skew


def run(rhs, y0, times):
    """A reference integration to the last digits that DOP853 gives."""
    return solve_ivp(lambda _, y: rhs(y), (0, times[-1]), y0, "DOP853", times, rtol=1e-13, atol=1e-14).y.T


def slope(function, at, h=1e-3):
    """A derivative by central differences of sixth order."""
    terms = [c * (function(at + k * h) - function(at - k * h)) for k, c in ((1, 45), (2, -9), (3, 1))]
    return sum(terms) / (60 * h)


# Gough-Stewart platform. Tsai 2000, first motion: 18 digits, from an independent computation of 30 digits.
TSAI = {
    0.0: (
        [1.26132509687233291, 1.26169568438669077, 1.26169568438669077, 1.26132509687233291, 1.26171510254890743,
         1.26171510254890743],
        [0.2906467182085302, -0.0922567949153142615, 0.929225656002701376, 1.03177206512979051, -0.363790525351350416,
         -0.0832200548189363698],
        [0.78926875209506347, 0.849244946345998965, 0.171625918124313034, 0.0122461732158578909, 0.751085924033198917,
         0.850488688221387131],
        [7.24679051306557418, 7.25139416578162689, 7.22443359072051293, 7.21586142678136209, 7.24737805078493102,
         7.25133959716143905],
    ),
    0.2: (
        [1.32936005477415569, 1.25949127777684306, 1.43925643717058261, 1.45570716308223621, 1.20722944706982639,
         1.26121313091552734],
        [0.353805630168339753, 0.0569261345145398071, 0.788872977095213481, 0.853096581655963622,
         -0.174831729197567964, 0.0643085565163029027],
        [-0.266914776075582931, 0.464694716097340201, -1.54033336195426168, -1.74547780753321628, 0.942896919826144964,
         0.448039391330187598],
        [5.27250364305222234, 7.25638585739790327, 3.95101680754261044, 3.29949512827817621, 7.70901740070605328,
         6.39697136675808123],
    ),
    0.5: (
        [1.39790140014310653, 1.27822921998972943, 1.57826411963452925, 1.60491968651820841, 1.18578711575694989,
         1.28121032650136836],
        [0.0367220889662896226, 0.0134309174819156649, 0.0686411705989218912, 0.0731868371282465736,
         -0.00595956392238959732, 0.0140290746209873743],
        [-1.55059963041153498, -0.564098383352983379, -2.90337518068556886, -3.09608522962092291, 0.256642343114760036,
         -0.589425307353795071],
        [4.08938378454172364, 7.34075862505907102, 1.6219357618419826, 0.442229525518007855, 7.97645863362801118,
         5.96855684852046045],
    ),
    1.0: (
        [1.27586069489220083, 1.25829840267542752, 1.30558997434132063, 1.30987270442349429, 1.24544452318626327,
         1.2587439700895442],
        [-0.323880217161516978, 0.051609647433714708, -0.927520903567835527, -1.0219855870199287, 0.324471912430065428,
         0.0426253660332714538],
        [0.608907957396713835, 0.861162549666033603, -0.244838284303104938, -0.426324912394586707, 0.90411424817547264,
         0.85769609701882536],
        [6.69093671865840624, 7.24213457045726847, 6.37285468965659949, 6.21122592441659645, 7.38469098298432159,
         6.99809278503185863],
    ),
    1.7: (
        [1.21141563088839753, 1.32912571206423661, 0.985451766153106258, 0.943694929908013993, 1.40644240262938534,
         1.32649461622901932],
        [0.0103921365968413423, -0.127884105676238555, 0.321845951961675279, 0.387755384714743841,
         -0.212926762668865277, -0.124889392482161866],
        [0.203642813119970296, -0.835929758681196808, 2.41643859343353742, 2.85346933085860381, -1.48715050406971137,
         -0.813147581814948243],
        [12.8991258527168417, 7.47513100737360281, 13.8781318171092848, 14.5753503513505394, 5.47776211453207306,
         10.0310933485359317],
    ),
}  # fmt: skip


@pytest.mark.parametrize("t", TSAI)
def test_stewart_published_motion(t):
    platform, pose = stewart.tsai_2000(), stewart.tsai_translation(t)
    leg = stewart.legs(platform, pose)
    found = (leg.length, leg.rate, leg.acceleration, stewart.forces_newton_euler(platform, pose))
    for name, ours, theirs in zip(("length", "rate", "acceleration", "force"), found, TSAI[t], strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-13, err_msg=name)


def wild_pose(t):
    """A motion with everything in it: rotation in three changing axes, with exact derivatives by the product rule."""
    first = rotation([1, 2, 0.5], 0.3 * np.sin(t)), 0.3 * np.cos(t), -0.3 * np.sin(t)
    second = rotation([-1, 0.3, 1], 0.2 * np.cos(2 * t)), -0.4 * np.sin(2 * t), -0.8 * np.cos(2 * t)
    n1, n2 = (np.array(n) / np.linalg.norm(n) for n in ([1, 2, 0.5], [-1, 0.3, 1]))
    omega1, omega2 = first[1] * n1, first[0] @ (second[1] * n2)
    alpha = first[2] * n1 + first[0] @ (second[2] * n2) + np.cross(omega1, omega2)
    r = np.array([-1.5 + 0.1 * np.sin(t), 0.1 * np.cos(t), 1.0 + 0.05 * np.sin(3 * t)])
    v = np.array([0.1 * np.cos(t), -0.1 * np.sin(t), 0.15 * np.cos(3 * t)])
    a = np.array([-0.1 * np.sin(t), -0.1 * np.cos(t), -0.45 * np.sin(3 * t)])
    return stewart.Pose(r, first[0] @ second[0], v, omega1 + omega2, a, alpha)


def lopsided(platform):
    """The same legs under a platform without any symmetry."""
    inertia = np.array([[0.08, 0.01, -0.02], [0.01, 0.11, 0.005], [-0.02, 0.005, 0.14]])
    return stewart.Platform(**{**vars(platform), "com": np.array([0.05, -0.08, 0.11]), "inertia": inertia})


MOTIONS = {
    "translation": (stewart.tsai_2000(), stewart.tsai_translation, np.zeros(3), np.zeros(3)),
    "yaw": (stewart.tsai_2000(), stewart.tsai_yaw, np.zeros(3), np.zeros(3)),
    "wild": (lopsided(stewart.tsai_2000()), wild_pose, np.array([1.0, -2.0, 3.0]), np.array([0.5, 0.2, -0.7])),
    "zhao": (zhao.platform(), zhao.trajectory, zhao.FORCE, zhao.MOMENT),
}


@pytest.mark.parametrize("name", MOTIONS)
def test_stewart_newton_euler_agrees_with_virtual_work(name):
    platform, motion, force, moment = MOTIONS[name]
    for t in np.linspace(0, 3, 7):
        ours = stewart.forces_newton_euler(platform, motion(t), force, moment)
        np.testing.assert_allclose(ours, stewart.forces_virtual_work(platform, motion(t), force, moment), atol=1e-11)


@pytest.mark.parametrize("name", MOTIONS)
def test_stewart_rates_are_derivatives(name):
    platform, motion, _, _ = MOTIONS[name]
    for t in (0.4, 1.1):
        pose, leg = motion(t), stewart.legs(platform, motion(t))
        np.testing.assert_allclose(slope(lambda s: motion(s).r, t), pose.v, atol=1e-11)
        np.testing.assert_allclose(slope(lambda s: motion(s).v, t), pose.a, atol=1e-11)
        np.testing.assert_allclose(slope(lambda s: motion(s).R, t), skew(pose.omega) @ pose.R, atol=1e-11)
        np.testing.assert_allclose(slope(lambda s: motion(s).omega, t), pose.alpha, atol=1e-11)
        for i, name_of in enumerate(("rate", "acceleration")):
            ours = slope(lambda s, k=i: stewart.legs(platform, motion(s))[k], t)
            np.testing.assert_allclose(ours, getattr(leg, name_of), atol=1e-11)
        np.testing.assert_allclose(
            slope(lambda s: stewart.legs(platform, motion(s)).n, t), np.cross(leg.omega, leg.n), atol=1e-11
        )
        np.testing.assert_allclose(slope(lambda s: stewart.legs(platform, motion(s)).omega, t), leg.alpha, atol=1e-11)


def stewart_energy(platform, pose):
    """Written from positions and velocities alone, so that nothing is shared with the dynamics."""
    leg = stewart.legs(platform, pose)
    com = pose.R @ platform.com
    v = pose.v + np.cross(pose.omega, com)
    body = pose.R.T @ pose.omega
    total = platform.mass * (v @ v) / 2 + body @ platform.inertia @ body / 2
    total -= platform.mass * platform.gravity @ (pose.r + com)
    for p in range(6):
        spin = np.cross(leg.omega[p], leg.n[p])
        v1, v2 = platform.e1 * spin, (leg.length[p] - platform.e2) * spin + leg.rate[p] * leg.n[p]
        total += (platform.m1 * v1 @ v1 + platform.m2 * v2 @ v2) / 2
        total += (platform.I1 + platform.I2) * (leg.omega[p] @ leg.omega[p]) / 2
        low, high = platform.e1 * leg.n[p], (leg.length[p] - platform.e2) * leg.n[p]
        total -= platform.gravity @ (platform.m1 * (platform.base[p] + low) + platform.m2 * (platform.base[p] + high))
    return total


@pytest.mark.parametrize("name", MOTIONS)
def test_stewart_actuators_supply_the_energy(name):
    platform, motion, force, moment = MOTIONS[name]
    for t in (0.3, 1.2, 2.5):
        pose = motion(t)
        push = stewart.forces_newton_euler(platform, pose, force, moment)
        power = push @ stewart.legs(platform, pose).rate + force @ pose.v + moment @ pose.omega
        assert slope(lambda s: stewart_energy(platform, motion(s)), t) == pytest.approx(power, abs=3e-10)


def test_zhao_starts_with_legs_of_length_one_and_is_never_singular():
    platform = zhao.platform()
    np.testing.assert_allclose(stewart.legs(platform, zhao.trajectory(0.0)).length, 1.0, rtol=1e-14)
    assert zhao.initial_height() == pytest.approx(0.9397899130959471, abs=1e-15)
    # The two parts of a leg meet end to end, with their centres in their middles; slender rods and a disk.
    assert 2 * platform.e1 + 2 * platform.e2 == pytest.approx(1.0) and platform.e1 == platform.e2
    np.testing.assert_allclose([platform.I1, platform.I2], [3 * 0.5**2 / 12, 1 * 0.5**2 / 12])
    np.testing.assert_allclose(platform.inertia, np.diag([0.1, 0.1, 0.2]))
    times = np.linspace(0, 10, 201)
    legs = [stewart.legs(platform, zhao.trajectory(t)).length for t in times]
    assert np.min(legs) > 0.73 and np.max(legs) < 1.003
    conditions = [np.linalg.cond(stewart.jacobian(platform, zhao.trajectory(t))) for t in times]
    assert conditions[0] == pytest.approx(18.7958, abs=1e-4) and max(conditions) < 18.80


def test_zhao_as_printed_is_singular():
    """Radially aligned joints: all leg lines meet the vertical axis."""
    columns = stewart.jacobian(zhao.platform(offset=0.0), zhao.trajectory(0.0, offset=0.0))
    assert np.linalg.matrix_rank(columns, tol=1e-12) == 3


# The torque-free body, I = (1, 2, 3): 25 digits.
FREE = {
    "tennis racket": ((0.01, 1, 0.02), 33.19499700891548569389955, {
        1: (-0.009416982032865144553376423, 1.000005660208677366389107, 0.01990543937895121294604572),
        5: (-0.2172275174686346809367884, 0.9761722213085219802854973, 0.1268697420527395169491315),
        10: (-0.8036645188775206093224298, -0.5951666498531006568967065, 0.4643908766339826505034501),
        20: (0.08460100266511726819982286, -0.9964650873703788830014588, 0.05246373239976729904687554),
        50: (-0.005911753469783256210510994, -1.000032525056516602111319, 0.01945035414491206951985123),
    }),
    "about major": ((0.3, 0.2, 1.5), 4.19664234996840630837209, {
        1: (-0.1760491186506809689425415, 0.3146533136998853444828263, 1.493429307798852766060024),
        5: (-0.07753712496233967464007583, 0.3521192898047116669898863, 1.490638789887009646633125),
        10: (-0.3564540498415690102636698, 0.05422647279276272316290037, 1.504112084658637373513011),
        20: (0.2273158178005911112004911, -0.2798705396744152943037404, 1.495735324293968743901539),
        50: (0.3601492983820574538657094, 0.01710213071262608035931598, 1.504405476938214315247108),
    }),
    "about minor": ((1.5, 0.2, 0.3), 7.455414226400340481673592, {
        1: (1.420750823315321882807675, 0.5210250455101319041414898, 0.11333269894601613183222),
        5: (1.409207208674225586982576, -0.5514843996167050431623718, -0.04421521977555684178137221),
        10: (1.474360389182283953730643, 0.3409713225628574722017624, -0.2541250067648700872958604),
        20: (1.407596278386272042380256, -0.5555832224546710855716351, -0.02103396401761892058711506),
        50: (1.407818010852011270203783, -0.5550211242112197998050789, 0.02550523919585753501183223),
    }),
}  # fmt: skip


@pytest.mark.parametrize("name", FREE)
def test_free_body_published(name):
    omega0, period, rows = FREE[name]
    body = free_body.solve([1, 2, 3], omega0)
    assert body.period == pytest.approx(period, rel=1e-14)
    for t, omega in rows.items():
        np.testing.assert_allclose(free_body.omega(body, float(t)), omega, rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_free_body_agrees_with_integration(seed):
    """All orders of the axes, both senses and both kinds of motion."""
    rng = np.random.default_rng(seed)
    inertia, omega0 = rng.permutation([0.7, 1.1, 1.6]), rng.normal(size=3)
    times = np.linspace(0, 12, 25)
    body = free_body.solve(inertia, omega0)
    expected = run(lambda w: free_body.euler_rates(inertia, w), omega0, times)
    np.testing.assert_allclose(free_body.omega(body, times), expected, atol=1e-11)


# One universal joint, 30°: input in degrees, output, ratio, second derivative.
CARDAN = [
    (0, 0.0, 0.8660254037844386467637232, 0.0),
    (15, 0.2280152838574317274718643, 0.8807755981746852687827668, 0.1119721273403126339657813),
    (30, 0.4636476090008061162142562, 0.923760430703401223214638, 0.2133333333333333333333333),
    (45, 0.7137243789447656308181237, 0.9897433186107870248728265, 0.2827838053173677213922361),
    (60, 0.9827937232473290679857106, 1.065877420042386026786121, 0.2840236686390532544378698),
    (90, 1.570796326794896619231322, 1.154700538379251529018298, 0.0),
    (120, 2.158798930342464170476933, 1.065877420042386026786121, -0.2840236686390532544378698),
    (135, 2.42786827464502760764452, 0.9897433186107870248728265, -0.2827838053173677213922361),
]


@pytest.mark.parametrize("turns", [0, 1, -3])
@pytest.mark.parametrize("degrees, output, ratio, second", CARDAN)
def test_universal_joint_published(degrees, output, ratio, second, turns):
    bend, angle = np.radians(30), np.radians(degrees) + 2 * np.pi * turns
    assert universal_joint.output(angle, bend) == pytest.approx(output + 2 * np.pi * turns, abs=1e-13)
    assert universal_joint.ratio(angle, bend) == pytest.approx(ratio, abs=1e-13)
    assert universal_joint.second_derivative(angle, bend) == pytest.approx(second, abs=1e-13)


def test_universal_joint_is_the_cross_of_two_perpendicular_pins():
    """Shafts in the x-z plane; the pin p of the input yoke, the pin q of the output yoke, p·q = 0."""
    bend = 0.6
    u, w, y = np.array([0, 0, 1.0]), np.array([np.sin(bend), 0, np.cos(bend)]), np.array([0, 1.0, 0])
    for a in np.linspace(-7, 7, 29):
        for start, p0 in (("normal", y), ("in plane", np.cross(y, u))):
            q0 = np.cross(w, p0) / np.linalg.norm(np.cross(w, p0))
            p = rotation(u, a) @ p0
            q = rotation(w, universal_joint.output(a, bend, start)) @ q0
            assert p @ q == pytest.approx(0, abs=1e-14)
            ratio = slope(lambda x, s=start: universal_joint.output(x, bend, s), a)
            assert universal_joint.ratio(a, bend, start) == pytest.approx(ratio, abs=1e-10)


def test_two_universal_joints():
    angles, bend = np.linspace(-9, 9, 61), np.radians(35)
    out, ratio, second = universal_joint.two_joints(angles, bend, bend)
    np.testing.assert_allclose(out, angles, atol=1e-13)
    np.testing.assert_allclose(ratio, 1.0, atol=1e-13)
    np.testing.assert_allclose(second, 0.0, atol=1e-13)
    out, ratio, second = universal_joint.two_joints(angles, bend, bend, turned=np.pi / 2)
    np.testing.assert_allclose(np.tan(out), np.cos(bend) ** 2 * np.tan(angles), rtol=1e-9)
    worst = universal_joint.two_joints(np.array([0, np.pi / 2]), bend, bend, np.pi / 2)[1]
    np.testing.assert_allclose(worst, [np.cos(bend) ** 2, np.cos(bend) ** -2], rtol=1e-13)
    for turned in (0.3, 1.0):
        assert universal_joint.two_joints(0.0, 0.5, 0.7, turned)[0] == pytest.approx(0, abs=1e-15)
        assert universal_joint.two_joints(4 * np.pi, 0.5, 0.7, turned)[0] == pytest.approx(4 * np.pi, rel=1e-14)
        for i in (0, 1):
            ours = slope(lambda a, k=i, t=turned: universal_joint.two_joints(a, 0.5, 0.7, t)[k], angles)
            np.testing.assert_allclose(universal_joint.two_joints(angles, 0.5, 0.7, turned)[i + 1], ours, atol=1e-9)


# The Chaplygin sleigh, m = 2, I = 0.5, a = 0.3, v0 = 1, ω0 = 2: v, ω, θ, x, y of the contact, force across the knife.
SLEIGH = {
    0.5: (1.377406441974955204659184, 1.16663353488712071587328, 0.7837527434360384185310665,
          0.5371594830101719527904883, 0.2578333241285878932605056, 2.363130215261078998171363),
    1.0: (1.493647958158044544059724, 0.6160017596668535848720863, 1.216671909285333491551534,
          0.9093525070921825398769826, 0.8720776074197882298813109, 1.353073191982585786140746),
    2.0: (1.533361644832035850998536, 0.1608988187540592104057472, 1.556590253831442656001802,
          1.130389915267492970123343, 2.370250862992039732112502, 0.3628177608474350707761636),
    5.0: (1.53622830662309670133046, 0.002759971191656820424751457, 1.673329068539759291641722,
          0.7812904025686824126876057, 6.962535474302971832913697, 0.006235214514834540470221464),
}  # fmt: skip


@pytest.mark.parametrize("t", SLEIGH)
def test_sleigh_published(t):
    data = dict(m=2.0, I_G=0.5, a=0.3, v0=1.0, omega0=2.0)
    state, point = chaplygin_sleigh.state(t, **data), chaplygin_sleigh.contact_point(t, **data)
    found = [*state, *point, chaplygin_sleigh.knife_force(t, **data)]
    np.testing.assert_allclose(found, SLEIGH[t], rtol=0, atol=1e-13)


@pytest.mark.parametrize("v0, omega0, a", [(-1.0, 0.7, 0.4), (0.3, -2.0, 0.2), (0.0, 3.0, -0.25)])
def test_sleigh_agrees_with_newton_in_world_axes(v0, omega0, a):
    """m r̈_G = N e_across, I ω̇ = −a N, the knife's sideways velocity differentiated: no closed form used."""
    m, I_G = 1.5, 0.2

    def rhs(y):
        (theta, vx, vy, w) = y[2:]
        along, across = np.array([np.cos(theta), np.sin(theta)]), np.array([-np.sin(theta), np.cos(theta)])
        # (v_G − a ω across)·across = 0, differentiated: r̈_G·across − ω v_G·along − a ω̇ = 0.
        push = w * (np.array([vx, vy]) @ along) / (1 / m + a**2 / I_G)
        return np.array([vx, vy, w, *(push / m * across), -a * push / I_G])

    times = np.linspace(0, 4, 9)
    path = run(rhs, [a, 0.0, 0.0, v0, a * omega0, omega0], times)
    data = dict(m=m, I_G=I_G, a=a, v0=v0, omega0=omega0)
    v, omega, theta = chaplygin_sleigh.state(times, **data)
    np.testing.assert_allclose(path[:, 2], theta, atol=1e-11)
    np.testing.assert_allclose(path[:, 5], omega, atol=1e-11)
    np.testing.assert_allclose(path[:, 3] * np.cos(theta) + path[:, 4] * np.sin(theta), v, atol=1e-11)
    points = np.array([chaplygin_sleigh.contact_point(t, **data) for t in times])
    centres = points + a * np.column_stack([np.cos(theta), np.sin(theta)])
    np.testing.assert_allclose(path[:, :2], centres, atol=1e-11)
    across = np.column_stack([-np.sin(theta), np.cos(theta)])
    push = m * np.sum(np.array([rhs(y)[3:5] for y in path]) * across, axis=1)
    np.testing.assert_allclose(chaplygin_sleigh.knife_force(times, **data), push, atol=1e-11)


@pytest.mark.parametrize("branch", [1, -1])
def test_spatial_slider_crank(branch):
    m = spatial_slider_crank.example()
    pin = np.array([0.1, -0.2, 1.0])
    for phi in np.linspace(0, 6, 13):
        now = spatial_slider_crank.solve(m, phi, branch)
        assert np.linalg.norm(now.C - now.B) == pytest.approx(m.L, rel=1e-14)
        assert branch * (now.C - now.B) @ m.d > 0
        for i in (0, 1):
            expected = slope(lambda x, k=i: spatial_slider_crank.solve(m, x, branch)[k], phi)
            assert now[i + 1] == pytest.approx(expected, abs=1e-10)
        np.testing.assert_allclose(np.cross(spatial_slider_crank.rod_omega(now), now.u), now.u1, atol=1e-14)
        assert spatial_slider_crank.rod_omega(now) @ now.u == pytest.approx(0, abs=1e-15)
        frame = spatial_slider_crank.rod_frame(now, pin)
        np.testing.assert_allclose(frame.T @ frame, np.eye(3), atol=1e-14)
        assert pin @ frame[:, 1] == pytest.approx(0, abs=1e-14)
        turning = slope(lambda x: spatial_slider_crank.rod_frame(spatial_slider_crank.solve(m, x, branch), pin), phi)
        np.testing.assert_allclose(skew(spatial_slider_crank.rod_omega(now, pin)) @ frame, turning, atol=1e-9)


def test_spatial_slider_crank_includes_the_planar_one():
    x, y, z = np.eye(3)
    m = spatial_slider_crank.SliderCrank(np.zeros(3), x, y, 0.1, 0.3, np.zeros(3), x)
    for phi in np.linspace(0, 6, 7):
        now = spatial_slider_crank.solve(m, phi)
        assert now.s == pytest.approx(0.1 * np.cos(phi) + np.sqrt(0.09 - (0.1 * np.sin(phi)) ** 2), abs=1e-15)
        np.testing.assert_allclose(spatial_slider_crank.rod_omega(now)[:2], 0, atol=1e-15)


@pytest.mark.parametrize("branch", [1, -1])
def test_rssr(branch):
    m = rssr.example()
    for theta in np.linspace(0, 6, 13):
        now = rssr.solve(m, theta, branch)
        assert np.linalg.norm(now.D - now.B) == pytest.approx(m.L, rel=1e-14)
        for i in (0, 1):
            expected = slope(lambda x, k=i: rssr.solve(m, x, branch)[k], theta)
            assert now[i + 1] == pytest.approx(expected, abs=1e-9)
    assert rssr.solve(m, 1.0, 1).psi - rssr.solve(m, 1.0, -1).psi > 0.1


def test_rssr_includes_the_planar_four_bar():
    """Parallel axes in one plane: the rocker of Freudenstein's equation, found here as a root of the closure."""
    x, y, _ = np.eye(3)
    m = rssr.Rssr(np.zeros(3), x, y, 1.0, 4.0 * x, x, y, 3.0, 3.5)

    def gap(psi, theta):
        return abs(4 + 3 * np.exp(1j * psi) - np.exp(1j * theta)) - 3.5

    for theta in np.linspace(0, 6, 7):
        upper = rssr.solve(m, theta, -1).psi % (2 * np.pi)
        assert brentq(gap, upper - 0.2, upper + 0.2, (theta,), xtol=1e-15) == pytest.approx(upper, abs=1e-13)


def test_bricard_closes_in_every_pose_with_one_degree_of_freedom():
    np.testing.assert_allclose(bricard.opening(bricard.SIGMA0), np.pi / 2, rtol=1e-15)
    np.testing.assert_allclose(bricard.pose(bricard.SIGMA0).tail, bricard.CORNERS[:5], atol=1e-15)
    for sigma in np.linspace(0, 2 * np.pi, 25):
        now = bricard.pose(sigma)
        np.testing.assert_allclose(now.head[4], bricard.CORNERS[5], atol=1e-14)
        np.testing.assert_allclose(now.R[4] @ bricard.AXES[5], bricard.AXES[5], atol=1e-14)
        theta, phi = bricard.opening(sigma)
        assert np.cos(theta) + np.cos(phi) + np.cos(theta) * np.cos(phi) == pytest.approx(0, abs=1e-14)
        values = np.linalg.svd(bricard.screws(sigma))[1]
        assert values[4] > 0.5 and values[5] < 1e-14
        last_rate = now.centre_rate[4] + np.cross(now.omega[4], now.head[4] - now.centre[4])
        np.testing.assert_allclose(last_rate, 0, atol=1e-13)
        np.testing.assert_allclose(slope(lambda s: bricard.pose(s).centre, sigma), now.centre_rate, atol=1e-9)
        assert bricard.potential_slope(sigma) == pytest.approx(slope(bricard.potential, sigma), abs=1e-8)


def test_bricard_kinetic_energy_is_that_of_thin_rods():
    """A uniform rod whose ends have the velocities a and b: 2T = m (a² + a·b + b²)/3."""
    for sigma in (0.4, 1.3, 4.0):
        now = bricard.pose(sigma)
        arm = np.cross(now.omega, now.head - now.centre)
        a, b = now.centre_rate - arm, now.centre_rate + arm
        assert bricard.reduced_inertia(sigma) == pytest.approx(np.sum(a * a + a * b + b * b) / 3, rel=1e-13)
        square = sum(now.omega[i] @ now.omega[i] for i in range(5)) * 0.1**2 / 12
        along = sum((now.omega[i] @ (now.head - now.tail)[i]) ** 2 for i in range(5)) * 0.1**2 / 12
        thick = bricard.reduced_inertia(sigma) + square + along
        assert bricard.reduced_inertia(sigma, width=0.1) == pytest.approx(thick, rel=1e-13)


@pytest.mark.slow
@pytest.mark.parametrize("width", [0.0, 0.1])
def test_bricard_swings_to_its_mirror_image(width):
    """Half a period by quadrature of the energy, and the same by integration of the equation of motion."""
    half = bricard.period(width) / 2
    assert half == pytest.approx(bricard.period(width, panels=16) / 2, rel=1e-12)
    sigma, rate = bricard.simulate(np.array([0.0, half / 2, half]), width)
    np.testing.assert_allclose(sigma, [bricard.SIGMA0, np.pi / 2, np.pi - bricard.SIGMA0], atol=1e-7)
    fall = bricard.potential(bricard.SIGMA0) - bricard.potential(np.pi / 2)
    assert bricard.reduced_inertia(np.pi / 2, width) * rate[1] ** 2 / 2 == pytest.approx(fall, rel=1e-8)


@pytest.mark.parametrize("held", [True, False])
def test_governor_stands_and_oscillates(held):
    g, alpha = governor.Governor(), 0.8
    omega = governor.steady_speed(g, alpha)
    np.testing.assert_allclose(governor.rates(g, [alpha, 0, omega], held), 0, atol=1e-13)
    frequency, small = governor.small_oscillation(g, alpha, held), 1e-6
    half = np.pi / frequency
    end = run(lambda y: governor.rates(g, y, held), [alpha + small, 0, omega * _spin(g, alpha, small, held)], [0, half])
    assert end[-1, 0] == pytest.approx(alpha - small, abs=1e-11)
    if not held:
        assert governor.energy(g, end[-1]) == pytest.approx(governor.energy(g, end[0]), rel=1e-13)


def _spin(g, alpha, small, held):
    """A free shaft must start with the momentum of the steady state."""
    return 1.0 if held else governor.inertia(g, alpha)[0] / governor.inertia(g, alpha + small)[0]


def test_governor_derivatives_watt_and_porter():
    g = governor.Governor()
    for alpha in (0.3, 1.0):
        for function in (governor.inertia, governor.potential):
            for i in (0, 1):
                expected = slope(lambda x, f=function, k=i: f(g, x)[k], alpha)
                assert function(g, alpha)[i + 1] == pytest.approx(expected, abs=1e-9)
        assert governor.arm_inertia(g, alpha)[1] == pytest.approx(
            slope(lambda x: governor.arm_inertia(g, x)[0], alpha), abs=1e-9
        )
    watt = governor.Governor(e=0.0, m_arm=0.0, M=0.0)
    assert governor.steady_speed(watt, 0.7) == pytest.approx(np.sqrt(9.81 / (1.0 * np.cos(0.7))), rel=1e-14)
    porter = governor.Governor(l=0.3, a=0.3, e=0.0, m=2.0, m_arm=0.0, M=8.0)
    expected = np.sqrt((2 + 8) / 2 * 9.81 / (0.3 * np.cos(0.7)))
    assert governor.steady_speed(porter, 0.7) == pytest.approx(expected, rel=1e-14)


TOP = heavy_top.Top(I1=0.012, I3=0.004, moment=0.5)


@pytest.mark.parametrize(
    "theta, theta_rate, precession, omega3",
    [
        (0.6, 0.0, 0.0, 90.0),
        (0.6, 0.0, 3.0, 60.0),
        (1.0, -2.0, 1.0, 50.0),
        (2.0, 1.5, -3.0, -40.0),
        (0.4, 0.0, 0.5, 0.0),
    ],
)
def test_heavy_top_agrees_with_the_equations_in_vectors(theta, theta_rate, precession, omega3):
    state = (TOP, theta, theta_rate, precession, omega3)
    times = np.linspace(0, 1.5, 16)
    path = run(lambda y: heavy_top.vector_rates(TOP, y), heavy_top.vector_state(*state), times)
    motion = heavy_top.nutation(*state)
    np.testing.assert_allclose(heavy_top.cos_theta(motion, times), path[:, 2], atol=1e-10)
    azimuth = np.arctan2(path[:, 1], path[:, 0])
    turned = np.array([heavy_top.precession_angle(motion, t) for t in times])
    np.testing.assert_allclose(np.exp(1j * turned), np.exp(1j * azimuth), atol=1e-9)
    kept = heavy_top.invariants(*state)
    np.testing.assert_allclose(path[:, 5], kept.Lz, atol=1e-12)
    np.testing.assert_allclose(np.sum(path[:, :3] * path[:, 3:], axis=1), kept.L3, atol=1e-12)
    assert heavy_top.cos_theta(motion, motion.period) == pytest.approx(np.cos(theta), abs=1e-12)


def test_heavy_top_released_at_rest_starts_at_its_highest_point():
    motion = heavy_top.nutation(TOP, 0.6, 0.0, 0.0, 90.0)
    assert motion.u2 == pytest.approx(np.cos(0.6), abs=1e-14)
    a, beta = motion.a, 2 * TOP.moment / TOP.I1
    lower = (a**2 - np.sqrt(a**4 - 4 * a**2 * beta * np.cos(0.6) + 4 * beta**2)) / (2 * beta)  # f = (u2 − u)(…)
    assert motion.u1 == pytest.approx(lower, abs=1e-13)


def test_heavy_top_precesses_steadily():
    for omega3 in (60.0, -60.0):
        slow, fast = heavy_top.steady_precessions(TOP, 0.7, omega3)
        assert abs(slow) < abs(fast)
        for rate in (slow, fast):
            start = heavy_top.vector_state(TOP, 0.7, 0.0, rate, omega3)
            path = run(lambda y: heavy_top.vector_rates(TOP, y), start, np.linspace(0, 0.5, 6))
            np.testing.assert_allclose(path[:, 2], np.cos(0.7), atol=1e-11)
            assert np.arctan2(path[1, 1], path[1, 0]) % (2 * np.pi) == pytest.approx(
                rate * 0.1 % (2 * np.pi), abs=1e-10
            )
    too_slow = 0.95 * heavy_top.sleeping_limit(TOP) * np.sqrt(np.cos(0.3))
    assert np.isnan(heavy_top.steady_precessions(TOP, 0.3, too_slow)).all()


@pytest.mark.parametrize("factor, falls", [(1.05, False), (0.95, True)])
def test_sleeping_top(factor, falls):
    spin = factor * heavy_top.sleeping_limit(TOP)
    start = heavy_top.vector_state(TOP, 1e-4, 0.0, 0.0, spin)
    path = run(lambda y: heavy_top.vector_rates(TOP, y), start, np.linspace(0, 6, 601))
    assert (np.arccos(np.clip(path[:, 2], -1, 1)).max() > 0.1) == falls


def test_rolling_disk_circles_steadily():
    disk = rolling_disk.thin_disk()
    theta, precession = np.radians(65), 2.2
    spin = rolling_disk.steady_spin(disk, theta, precession)
    assert np.abs(rolling_disk.steady_precessions(disk, theta, spin) - precession).min() < 1e-12
    times = np.linspace(0, 4, 9)
    start = rolling_disk.world_state(disk, theta, 0.0, precession, spin)
    path = run(lambda y: rolling_disk.world_rates(disk, y), start, times)
    np.testing.assert_allclose(path[:, 8], np.cos(theta), atol=1e-10)
    radius = rolling_disk.circle_radius(disk, precession, spin)
    centre = path[0, :3] + np.cross([0, 0, 1 / precession], path[0, 3:6])
    np.testing.assert_allclose(np.linalg.norm(path[:, :2] - centre[:2], axis=1), radius, atol=1e-10)


def test_rolling_disk_angles_agree_with_vectors():
    disk = rolling_disk.thin_disk()
    state = np.array([1.2, 0.4, 0.9, 5.0])
    times = np.linspace(0, 2, 11)
    angles = run(lambda y: rolling_disk.rates(disk, y), state, times)
    path = run(lambda y: rolling_disk.world_rates(disk, y), rolling_disk.world_state(disk, *state), times)
    np.testing.assert_allclose(np.cos(angles[:, 0]), path[:, 8], atol=1e-10)
    np.testing.assert_allclose(angles[:, 3], np.sum(path[:, 6:9] * path[:, 9:12], axis=1), atol=1e-10)
    np.testing.assert_allclose(disk.R * np.sin(angles[:, 0]), path[:, 2], atol=1e-10)
    energies = [rolling_disk.energy(disk, *y) for y in angles]
    np.testing.assert_allclose(energies, energies[0], rtol=1e-12)


def test_rolling_disk_upright():
    thin, R = rolling_disk.thin_disk(R=0.4), 0.4
    assert rolling_disk.upright_limit(thin) == pytest.approx(np.sqrt(9.81 / (3 * R)), rel=1e-14)
    hoop = rolling_disk.Disk(1.0, R, R**2 / 2, R**2)
    assert rolling_disk.upright_limit(hoop) == pytest.approx(np.sqrt(9.81 / (4 * R)), rel=1e-14)
    omega3, small = 1.5 * rolling_disk.upright_limit(thin), 1e-6
    half = np.pi / rolling_disk.upright_wobble(thin, omega3)
    start = [np.pi / 2 + small, 0.0, thin.Ia * omega3 * small / thin.It, omega3]
    end = run(lambda y: rolling_disk.rates(thin, y), start, [0, half])[-1]
    assert end[0] - np.pi / 2 == pytest.approx(-small, rel=1e-4)
    slow = run(lambda y: rolling_disk.rates(thin, y), [np.pi / 2 + small, 0, 0, omega3 / 2], np.linspace(0, 4, 41))
    assert np.abs(slow[:, 0] - np.pi / 2).max() > 0.01


def test_spinning_coin():
    disk, theta = rolling_disk.thin_disk(), np.radians(20)
    rate = np.sqrt(disk.m * disk.g * disk.R / (disk.It * np.sin(theta)))
    assert rolling_disk.steady_spin(disk, theta, rate) == pytest.approx(0, abs=1e-13)


@pytest.mark.parametrize("p", [(0.0, 0.0, -0.5), (0.05, -0.1, -0.45), (-0.12, 0.08, -0.55)])
def test_delta(p):
    robot, p = delta.Delta(), np.array(p)
    for branch in (-1, 1):
        theta = delta.inverse(robot, p, branch)
        rods = delta.wrists(robot, p) - delta.elbows(robot, theta)[0]
        np.testing.assert_allclose(np.linalg.norm(rods, axis=1), robot.b, rtol=1e-14)
        velocity = np.array([0.3, -0.2, 0.5])
        expected = slope(lambda t, v=velocity, s=branch: delta.inverse(robot, p + v * t, s), 0.0)
        np.testing.assert_allclose(delta.motor_rates(robot, p, velocity, branch), expected, atol=1e-9)
    theta = delta.inverse(robot, p)
    np.testing.assert_allclose(delta.forward(robot, theta), p, atol=1e-14)
    reach = [np.linalg.norm(delta.elbows(robot, delta.inverse(robot, p, s))[0][:, :2], axis=1) for s in (-1, 1)]
    assert np.all(reach[0] > reach[1])


def arm_motion(t):
    phase = np.arange(6) * 0.7 + 0.2
    return np.sin(1.3 * t + phase), 1.3 * np.cos(1.3 * t + phase), -1.69 * np.sin(1.3 * t + phase)


def test_arm_newton_euler_agrees_with_lagrange():
    """τ = d/dt(M q̇) − ½ ∂(q̇ᵀMq̇)/∂q + ∂V/∂q, the derivatives by differences of high order."""
    arm = arm_6r.example()
    for t in (0.0, 0.8):
        q, qd, qdd = arm_motion(t)

        def momentum(s):
            return arm_6r.mass_matrix(arm, arm_motion(s)[0]) @ arm_motion(s)[1]

        def lagrangian(x, rate=qd):
            return rate @ arm_6r.mass_matrix(arm, x) @ rate / 2 - arm_6r.potential(arm, x)

        gradient = [slope(lambda h, e=e, at=q: lagrangian(at + h * e), 0.0) for e in np.eye(6)]
        torque = arm_6r.inverse_dynamics(arm, q, qd, qdd)
        np.testing.assert_allclose(torque, slope(momentum, t) - gradient, atol=2e-9)
        power = slope(lambda s: arm_6r.energy(arm, *arm_motion(s)[:2]), t)
        assert torque @ qd == pytest.approx(power, abs=1e-8)


def test_arm_forward_in_known_poses():
    arm = arm_6r.example()
    rotations, joints, tool = arm_6r.forward(arm, np.zeros(6))
    np.testing.assert_allclose(rotations, np.tile(np.eye(3), (6, 1, 1)), atol=1e-15)
    np.testing.assert_allclose(joints, np.cumsum(arm.points, axis=0), atol=1e-15)
    np.testing.assert_allclose(tool, arm.points.sum(axis=0) + arm.tool, atol=1e-15)
    _, _, turned = arm_6r.forward(arm, np.array([np.pi / 2, 0, 0, 0, 0, 0]))
    np.testing.assert_allclose(turned, [0.0, tool[0], tool[2]], atol=1e-15)


@pytest.mark.parametrize("theta", [np.pi / 2, 1.0])
def test_gyro_precesses_and_nutates(theta):
    H = 3.0
    heavy = gimbal.Gimbals(moment=0.4)
    for rate in gimbal.steady_precessions(heavy, theta, H, torque_in=0.05):
        still = gimbal.rates(heavy, [theta, 0.0, 0.0, rate], H, torque_in=0.05)
        np.testing.assert_allclose(still, [0, 0, rate, 0], atol=1e-13 * rate**2 + 1e-13)
    free, small = gimbal.Gimbals(), 1e-6
    half = np.pi / gimbal.nutation_frequency(free, theta, H)
    B = gimbal.outer_inertia(free, theta)[0]
    turn = (H * np.cos(theta) - H * np.cos(theta + small)) / B  # momentum about the vertical as at rest
    end = run(lambda y: gimbal.rates(free, y, H), [theta + small, 0.0, 0.0, turn], [0, half])
    assert end[-1, 0] == pytest.approx(theta - small, abs=1e-11)


def test_gyro_released_at_rest():
    theta, H, light = 1.1, 3.0, gimbal.Gimbals(moment=1e-3)
    B = gimbal.outer_inertia(light, theta)[0]
    times = np.linspace(0, 0.05, 400)
    path = run(lambda y: gimbal.rates(light, y, H), [theta, 0.0, 0.0, 0.0], times)
    dip = 2 * light.moment * B / (H**2 * np.sin(theta))
    assert path[:, 0].max() - theta == pytest.approx(dip, rel=1e-3)
    kept = np.array([gimbal.kept(light, y, H) for y in path])
    np.testing.assert_allclose(kept - kept[0], 0, atol=1e-13)


def test_quadrature_is_exact_for_a_smooth_function():
    assert integrate(np.cos, 30.0, 12) == pytest.approx(np.sin(30.0), abs=1e-13)
