"""Stiff systems to all digits: springs in place of rods, a stiff coupling, a chain of springs over six decades.

Values in coordinates in which what is stiff stands still (a length, a twist), by extrapolation with steps below the
fast period, and by the modes of the chain in 60 digits. Explicit methods follow the fast motion, and so may be asked
for all of it.
"""

import numpy as np
import pytest
from helpers import coupled_slider_crank

import mbs_dae as mbs
from mbs_dae.coordinates import SETS

G = 9.81
TIGHT = {"method": "DP8", "rtol": 1e-12}

ROD = {  # damping: at t = 0.5, 1, 2 the elongation, the angle from hanging, their rates, the force of the spring
    0.0: [
        (2.7086481897107995e-07, 0.40177113278136328, 4.8933383604905511e-07, -4.2494286670249259, 27.086481897108),
        (4.8562739720268553e-08, -1.405026960150322, -5.2218944685372344e-07, -1.7993107971467523, 4.8562739720269),
        (1.7907711320141726e-07, 0.91664631405128238, -8.0712000399932428e-07, 3.4552089996862403, 17.907711320142),
    ],
    2000.0: [
        (2.7085503173347564e-07, 0.40177113276212512, 4.8913760891156961e-07, -4.2494286670426265, 27.086481448565),
        (4.8573213820448321e-08, -1.4050269600956848, -5.2233113251312115e-07, -1.7993107970130697, 4.8562767197798),
        (1.7909322864306777e-07, 0.91664631406396246, -8.0694488024739357e-07, 3.4552089991849169, 17.907708974546),
    ],
}


@pytest.mark.parametrize("coordinates", SETS)
@pytest.mark.parametrize("damping", ROD)
def test_a_stiff_spring_as_a_rod(damping, coordinates):
    """1 kg on a spring of 1e8 N/m, let go lying. Undamped it swings 3,000 times on its way; of the elongation, which is
    a difference of lengths of 1 m, roundoff leaves seven digits."""
    model = mbs.PlanarModel("rod", gravity=(0.0, -G))
    bob = model.body("bob", mass=1.0, inertia=0.1, position=(1.0, 0))
    model.add(mbs.SpringDamper("rod", model.ground, bob, stiffness=1e8, damping=damping, length=1.0))
    start = {"bob.vx": 0.0, "bob.vy": 0.0, "bob.omega": 0.0}
    run = mbs.simulate(model.compile(coordinates), [0, 0.5, 1, 2], start, **TIGHT)
    x, y, vx, vy = (run[f"bob.{name}"][1:] for name in ("x", "y", "vx", "vy"))
    r = np.hypot(x, y)
    expected = np.array(ROD[damping])
    np.testing.assert_allclose(r - 1, expected[:, 0], atol=1e-12)
    np.testing.assert_allclose(np.arctan2(x, -y), expected[:, 1], atol=5e-12)
    np.testing.assert_allclose((x * vx + y * vy) / r, expected[:, 2], atol=5e-9)
    np.testing.assert_allclose((x * vy - y * vx) / r**2, expected[:, 3], atol=2e-11)
    np.testing.assert_allclose(-run.effort("rod")[1:], expected[:, 4], atol=1e-4)


COUPLING = {  # t: crank angle and speed, twist and its rate, slider, torque in the coupling
    0.1: (1.3317689434590883, 11.052388395613731, 1.3082316661725663e-07, -3.5562741644098971e-06,
          0.30750766862276596, 1.308053852464),
    0.5: (8.4390710849652244, 20.528028617389449, -3.1187181406012077e-07, -3.6037204086761667e-06,
          0.23295668654505791, -3.118898326622),
    1.0: (19.993326702086463, 21.469226776882543, 1.9610710711669318e-07, -1.9007032360957361e-05,
          0.32727546028366961, 1.960120719549),
}  # fmt: skip


@pytest.mark.parametrize("coordinates", SETS)
def test_a_slider_crank_behind_a_stiff_coupling(coordinates):
    """A motor that is the weaker the faster it turns, behind a coupling of 1e7 N m/rad. Between times the twist is some
    1e-7 rad: a difference of angles of 20 rad, of which roundoff leaves six digits."""
    model = coupled_slider_crank()
    start = {"crank.omega": 10.0, "motor.omega": 10.0}
    run = mbs.simulate(model.compile(coordinates), [0, *COUPLING], start, **TIGHT)
    twist, rate = (run[f"motor.{name}"] - run[f"crank.{name}"] for name in ("angle", "omega"))
    expected = np.array([*COUPLING.values()])
    np.testing.assert_allclose(run["crank.angle"][1:], expected[:, 0], rtol=1e-11)
    np.testing.assert_allclose(run["crank.omega"][1:], expected[:, 1], rtol=1e-9)
    np.testing.assert_allclose(twist[1:], expected[:, 2], atol=2e-12)
    np.testing.assert_allclose(rate[1:], expected[:, 3], atol=2e-8)
    np.testing.assert_allclose(run["slider.x"][1:], expected[:, 4], rtol=1e-11)
    np.testing.assert_allclose(run.effort("coupling")[1:], expected[:, 5], atol=1e-5)


STIFFNESS = [
    100.0, 206.9138081, 428.1332399, 885.8667904, 1832.980711, 3792.690191, 7847.599704, 16237.76739, 33598.18286,
    69519.27962, 143844.9888, 297635.1442, 615848.2111, 1274274.986, 2636650.899, 5455594.781, 11288378.92, 23357214.69,
    48329302.39, 100000000.0,
]  # fmt: skip
FREQUENCIES = [
    1.6714067768813425, 12.212016669707825, 21.008893616732436, 30.771458443633236, 44.38163166122643, 64.0139784416458,
    92.3699966077428, 133.3574928358962, 192.66155122970318, 278.5778620455503, 403.2618267640859, 584.6284805623613,
    849.303266526539, 1237.3444158634582, 1810.133147733246, 2664.3942574844505, 3959.4056175376063, 5977.054077030385,
    9283.932909325573, 15368.533940730702,
]  # fmt: skip
CHAIN = {
    0.2: (
        (
            0.0011877771305431033, 0.008203436168443804, 0.010329481999654128, 0.011461825670309954,
            0.010776844091713625, 0.010704887286164616, 0.010991999712242028, 0.010402192131036297,
            0.010792106140888174, 0.0095581720025867, 0.012629242075171666, 0.01059572043245839, 0.01065419826873991,
            0.012804495389936265, 0.013275375541006567, 0.009776384093446288, 0.008809776097196062,
            0.015470957780733326, 0.010170631985228554, 0.011362595488814223,
        ),
        (
            0.04706291670347196, 0.15021549838942963, -0.012626111348801358, 0.07428881330129813, 0.1356079495224142,
            -0.06523032780309615, -0.062007022407443185, 0.2056254454921703, 0.198046405074622, -0.03952448474799103,
            -0.2042058203467363, -1.3897546675218366, 1.3257453725052872, 2.860202386132323, -3.2933778151572546,
            -11.083591196913272, 19.573189279089586, -17.522708629636014, 62.021124490214625, -51.920499801700956,
        ),
    ),
    1.0: (
        (
            0.01991024075681401, 0.02433044635199604, 0.02899525260304472, 0.03113608154932727, 0.02926061436429662,
            0.03183512266757774, 0.030998041176632306, 0.031813888056724936, 0.03269408319044301, 0.03273989146741093,
            0.031557097847296184, 0.031583918481445754, 0.03132899336521497, 0.0313639516322543, 0.030770116307510247,
            0.03031758526942551, 0.030997131272254945, 0.03787344259762129, 0.029070813502158427, 0.03547478091020254,
        ),
        (
            -0.10542631610608266, 0.0026136402289302003, 0.011616386181435448, -0.07501150033753005,
            0.017889443532042974, -0.13153363644004648, 0.1391185665539083, -0.13619228075720047, -0.14164480400125493,
            0.4520739267744823, -0.5616611144332675, 1.5750830918777414, -0.9579901353497908, 0.6378880205367916,
            -1.2395035836682564, -3.8199204782275595, 25.015061801939375, -10.386770782999397, -16.050522867733584,
            5.5866124964769766,
        ),
    ),
    2.0: (
        (
            -0.00262125651606835, -0.003684380411655886, -0.001919569662932919, -0.004889008706696593,
            -0.006784043193571303, -0.0077449768576748415, -0.0069951826149435735, -0.007553552407783098,
            -0.007539568040215549, -0.005879381379876379, -0.00819084652803291, -0.007115526350168658,
            -0.007745852611570164, -0.007301086082271163, -0.009558843303360837, -0.009320408258999439,
            -0.00404758882769143, -0.006968469926642714, -0.01204987252706854, -0.004137664028039882,
        ),
        (
            -0.09333604308256974, -0.056636407637003006, -0.04059103930427247, -0.11970926464122449,
            -0.09193530846806847, -0.004918797589089811, -0.11479757070369372, 0.35644696796778985,
            -0.24408821743591522, 0.15194501056690754, -0.7921052674173863, 2.250160301290452, -1.8957487836203524,
            0.4176202881969472, -3.003399662658779, 13.715156126522974, -15.820701467441964, 30.701995563004573,
            -23.594720731058835, -2.7638084234611595,
        ),
    ),
}  # fmt: skip


def chain() -> tuple[mbs.PlanarModel, dict[str, float]]:
    """20 masses of 1 kg on a line, the first one on a spring to the wall; the last one is out of place by 1 cm and
    moves with 1 m/s."""
    model, start, count = mbs.PlanarModel("chain"), {}, len(STIFFNESS)
    masses = [model.body(f"m{k}", mass=1.0, inertia=1.0) for k in range(count)]
    places = [0, *(model[f"m{k}.x"] for k in range(count))]
    pulls = [k * (b - a) for k, a, b in zip(STIFFNESS, places, places[1:], strict=False)]
    for k, mass in enumerate(masses):
        model.add(mbs.Translational(f"guide {k}", model.ground, mass))
        model.add(mbs.Force(f"pull {k}", mass, ((pulls[k + 1] if k + 1 < count else 0) - pulls[k], 0)))
        start |= {f"m{k}.x": 0.0, f"m{k}.vx": 0.0}
    return model, start | {f"m{count - 1}.x": 0.01, f"m{count - 1}.vx": 1.0}


@pytest.mark.parametrize("times", [[0.2], pytest.param([1.0, 2.0], marks=pytest.mark.soak)], ids=str)
def test_a_chain_of_springs_over_six_decades(times):
    """The fastest mode swings 5,000 times in 2 s, the slowest one half a time. Speeds are up to 60 m/s, and a roundoff
    of 1e-14 m/s a step moves the slow masses by 1e-11 m."""
    model, start = chain()
    run = mbs.simulate(model, [0, *times], start, method="DP8", rtol=1e-13 if times[-1] < 1 else 1e-12)
    x, v = (np.column_stack([run[f"m{k}.{name}"] for k in range(20)])[1:] for name in ("x", "vx"))
    np.testing.assert_allclose(x, [CHAIN[t][0] for t in times], atol=1e-12 if times[-1] < 1 else 5e-11)
    np.testing.assert_allclose(v, [CHAIN[t][1] for t in times], atol=2e-9 if times[-1] < 1 else 2e-7)


@pytest.mark.parametrize("coordinates", SETS)
def test_the_modes_of_a_chain_of_springs(coordinates):
    """Squares of frequencies over eight decades: of the smallest, 2.8 beside 2.4e8 1/s², eight digits are left."""
    model, start = chain()
    found = mbs.linearize(model.compile(coordinates), dict.fromkeys(start, 0.0)).frequencies
    np.testing.assert_allclose(found, FREQUENCIES, rtol=1e-8)
    np.testing.assert_allclose(found[4:], FREQUENCIES[4:], rtol=1e-11)
