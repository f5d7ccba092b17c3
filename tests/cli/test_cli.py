"""The command line: what each command prints and writes, and that everything that goes wrong is one line.

Models are small files in an empty folder, which is the current one; so messages can be compared exactly.
"""

import csv
import os
import re
import subprocess
import sys
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from threading import Event

import numpy as np
import pytest
from command_line import failure, output, run, spoken

import mbs_dae as mbs
from mbs_dae import progress
from mbs_dae.cli import commands as cli

ROOT = Path(__file__).resolve().parents[2]

ROD = """
import mbs_dae as mbs

TIMES = [0.0, 0.1, 0.2, 0.4]


def build(length=0.5, side="right", bars=1, driven=True):
    model = mbs.PlanarModel(f"rod on the {side}")
    omega = model.parameter("omega", 2.0, unit="rad/s")
    rod = model.body("rod", mass=1.0, inertia=0.1)
    rod.marker("tip", {"right": length, "left": -length}[side], 0)
    model.add(*[mbs.Revolute(f"pin {k}", model.ground.at(0, 0), rod.at(0, 0)) for k in range(bars)])
    if driven:
        model.add(mbs.Driver("motor", mbs.angle(model.ground, rod), omega * mbs.t))
    return model
"""

# The tip of a rod of length 0.5 is pulled along, and at t = 0.2 there is no further way.
PULLED = """
import mbs_dae as mbs


def build(**values):
    model = mbs.PlanarModel("pulled rod")
    start = model.parameter("start", 0.4)
    rod = model.body("rod", angle=0.6)
    rod.marker("tip", 0.5, 0)
    model.add(
        mbs.Revolute("pin", model.ground.at(0, 0), rod.at(0, 0)),
        mbs.Driver("pull", mbs.x(rod.tip), start + 0.5 * mbs.t),
    )
    return model.with_parameters(**values)
"""

# A wheel with a motor whose current lags behind; it is told when it has turned by a rad, and let go after a second.
BOUNCE = """
import mbs_dae as mbs

TIMES = [0.0, 1.0, 2.0]


def build():
    model = mbs.PlanarModel("bounce", gravity=(0, -9.81))
    ball = model.body("ball", mass=2.0, inertia=0.008, position=(0, 1.1))
    model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Disk(ball, 0.1), restitution=0.5))
    return model
"""
MOTOR = """
import mbs_dae as mbs

TIMES = [0.0, 0.5, 1.0, 2.0]


def build():
    model = mbs.PlanarModel("motor")
    wheel = model.body("wheel", mass=1.0, inertia=0.1)
    axle = model.add(mbs.Revolute("axle", model.ground, wheel))
    volts = model.input("volts", 2.0, unit="V")
    current = model.state("current", rate=lambda i: 10 * (volts - i - model["wheel.omega"]), unit="A")
    model.add(mbs.Torque("drive", axle, current), mbs.Event("a rad", model["wheel.angle"] - 1))
    model.add(mbs.Event("end", mbs.t - 1.5, action="stop"))
    return model
"""

# A rod that swings under its weight and loses some energy; "spin" drives it round.
PENDULUM = """
import mbs_dae as mbs

TIMES = [0.0, 0.5, 1.0]


def build(length=1.0, spin=True, doubled=False):
    model = mbs.PlanarModel("pendulum", gravity=(0, -10))
    rod = model.link("rod", (0, 0), (length, 0), mass=3.0)
    model.add(mbs.Revolute("pin", model.ground.at(0, 0), rod.tail), mbs.ViscousFriction("oil", model.ground, rod, 0.2))
    if doubled:
        model.add(mbs.Revolute("twin", model.ground.at(0, 0), rod.tail))
    if spin:
        model.add(mbs.Driver("motor", mbs.angle(model.ground, rod), 4 * mbs.t))
    return model
"""

FILES = {
    "rod.py": ROD,
    "pulled.py": PULLED,
    "motor.py": MOTOR,
    "bounce.py": BOUNCE,
    "pendulum.py": PENDULUM,
    "swing.py": PENDULUM.replace("spin=True", "spin=False") + "\n\nINITIAL = {'rod.angle': 0.5, 'rod.omega': -1.0}\n",
    "light.py": PENDULUM.replace("mass=3.0", "mass=0.0"),
    "typo.py": "def build(:\n",
    "empty.py": "",
    "nothing.py": "def build():\n    pass\n",
    "needs.py": "def build(n, *, m=1):\n    pass\n",
    "raises.py": "def build():\n    size = 0\n    return 1 / size\n",
    "stops.py": "import sys\n\nsys.exit(3)\n",
    "wrong.py": "import mbs_dae as mbs\n\n\ndef build():\n    return mbs.PlanarModel('m', gravity=9.81)\n",
    "times.py": ROD.replace("[0.0, 0.1, 0.2, 0.4]", "[0.0, 0.2, 0.1]"),
    "latin1.py": b"name = '\xe9'\n",
}


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """An empty folder with the model files, to work in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    for name, source in FILES.items():
        Path(name).write_bytes(source if isinstance(source, bytes) else source.encode())
    return tmp_path


def process(*args, **options):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, *args]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=600, **options)


# --- the program itself ------------------------------------------------------------------------------------------

COMMANDS = [
    "diagnose", "kinematics", "simulate", "modes", "inverse", "equations", "worked", "animate", "view", "study", "warm",
]  # fmt: skip


def test_version():
    assert output("--version") == f"mbs-dae {mbs.__version__}\n"


def test_help_lists_the_commands():
    assert output() == output("--help")
    assert [line.split()[0] for line in output().split("Commands:\n")[1].splitlines()[: len(COMMANDS)]] == COMMANDS


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(command):
    text = output(command, "--help")
    assert f"Example:\n    mbs-dae {command}{' models/' if command != 'warm' else ''}" in text
    if command != "warm":  # it has no arguments
        assert "--set NAME=VALUE" in text and "--debug" in text
    assert not set(text) & set("\x1b\b│╭")


def test_help_loads_nothing_heavy():
    heavy = {"numpy", "scipy", "sympy", "numba", "matplotlib", "rich"}
    code = f"""
import sys
from mbs_dae.cli import main
sys.argv = ["mbs-dae", "--help"]
try:
    main()
finally:
    print(sorted({heavy!r} & set(sys.modules)), file=sys.stderr)
"""
    done = process("-c", code)
    assert (done.returncode, done.stderr) == (0, "[]\n")


@pytest.mark.parametrize("module", ["mbs_dae", "mbs_dae.cli"])
def test_runs_as_a_module_and_in_plain_text_when_piped(module):
    done = process("-m", module, "diagnose", "rod.py")
    told = [line for line in done.stderr.splitlines() if not line.startswith("mbs_dae: compiling")]  # the first time
    assert (done.returncode, told) == (0, [])
    assert done.stdout.startswith("rod on the right: assembles; 1 degree of freedom, 1 driver: fully driven\n")
    assert not Path("__pycache__").exists()


def test_errors_of_the_process_are_one_line_too():
    done = process("-m", "mbs_dae.cli", "diagnose", "raises.py")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "mbs-dae: error: raises.py, line 3: ZeroDivisionError: division by zero\n"


@pytest.mark.slow
def test_a_terminal_without_greek_letters_gets_question_marks():
    code = "import sys; from mbs_dae.cli import main; sys.argv = ['mbs-dae', 'diagnose', 'rod.py']; main()"
    done = process("-X", "utf8=0", "-c", f"import sys; sys.stdout.reconfigure(encoding='ascii'); {code}")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Gr?bler count" in done.stdout


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="pipes end differently there")
def test_a_reader_who_leaves_early_is_no_error():
    read, write = os.pipe()
    os.close(read)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "mbs_dae.cli", "equations", "rod.py"]
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True, env=environment, timeout=600)
    os.close(write)
    assert (done.returncode, done.stderr) == (1, "")


# --- settings ----------------------------------------------------------------------------------------------------


def test_settings_are_numbers_or_words():
    settings = cli.parse_settings(["r=0.12", "n=3", "branch=open", "x = -1e-3", "formula=a=b"])
    assert settings == {"r": 0.12, "n": 3, "branch": "open", "x": -1e-3, "formula": "a=b"}
    assert isinstance(settings["n"], int)
    assert cli.parse_settings(None) == {}


def test_settings_go_to_build_or_to_the_parameters():
    text = output("kinematics", "rod.py", "--set", "length=2", "--set", "omega=5", "--plot", "rod.tip.x", "rod.omega")
    assert row(text, "rod.tip.x") == ["m", f"{2 * np.cos(2):.6g}", "0.4", "2", "0"]
    assert row(text, "rod.omega")[:2] == ["rad/s", "5"]


def test_words_and_whole_numbers_reach_build():
    assert output("diagnose", "rod.py", "--set", "side=left").startswith("rod on the left: ")
    assert "generic: pin 0, pin 1" in output("diagnose", "rod.py", "--set", "bars=2")


@pytest.mark.parametrize(("word", "freedoms"), [("false", 1), ("False", 1), ("true", 0)])
def test_a_switch_is_switched(word, freedoms):
    told = output("diagnose", "rod.py", "--set", f"driven={word}")
    assert "assembles" in told and ("fully driven" in told) == (freedoms == 0)


def test_settings_reach_a_build_that_takes_any():
    options = ["--set", "start=0.3", "--to", 0.1, "--plot", "rod.tip.x"]
    assert row(output("kinematics", "pulled.py", *options), "rod.tip.x")[1] == "0.3"


def row(text, name):
    """The cells of a line of the table of extremes."""
    return next(line.split()[1:] for line in text.splitlines() if line.startswith(name + " "))


# --- model files -------------------------------------------------------------------------------------------------


def test_a_model_file_may_import_its_neighbours():
    Path("folder").mkdir()
    Path("folder/rod_of_the_neighbour.py").write_text(ROD)
    Path("folder/importing.py").write_text("from rod_of_the_neighbour import build\n")
    assert output("diagnose", "folder/importing.py").startswith("rod on the right: ")


def test_a_changed_file_is_read_again():
    assert "position" in output("kinematics", "rod.py", "--to", 1)
    Path("rod.py").write_text(ROD.replace("length=0.5", "length=0.7"))
    assert row(output("kinematics", "rod.py", "--plot", "rod.tip.x"), "rod.tip.x")[3] == "0.7"


def test_postponed_annotations_are_up_to_the_model_file():
    seen = "def build(): ...\n\n\ndef f(x: int): ...\n\n\nassert f.__annotations__ == {'x': int}\n" + ROD
    Path("annotated.py").write_text(seen)
    assert output("diagnose", "annotated.py")


# --- diagnose and equations --------------------------------------------------------------------------------------


def rod():
    namespace = {}
    exec(ROD, namespace)
    return namespace["build"]()


def test_diagnose_prints_the_diagnosis():
    assert output("diagnose", "rod.py") == f"{mbs.diagnose(rod())}\n"


def test_equations_prints_them():
    expected = mbs.equations(rod())
    assert output("equations", "rod.py") == f"{expected}\n"
    assert output("equations", "rod.py", "--latex") == f"{expected.latex()}\n"


@pytest.mark.parametrize("options", [[], ["--latex"]])
def test_equations_go_to_a_file(options):
    assert output("equations", "rod.py", *options, "--out", "eq.txt") == "written: eq.txt\n"
    assert Path("eq.txt").read_text(encoding="utf-8") == output("equations", "rod.py", *options)


@pytest.mark.parametrize("ending", ["c", "js", "md"])
def test_equations_are_taken_away(ending):
    assert output("equations", "rod.py", "--out", f"eq.{ending}") == f"written: eq.{ending}\n"
    mbs.equations(rod()).save(f"wanted.{ending}")
    assert Path(f"eq.{ending}").read_bytes() == Path(f"wanted.{ending}").read_bytes()


def test_worked_prints_and_writes_a_solution():
    solution = mbs.worked_solution(rod(), 0.1)
    assert output("worked", "rod.py", "--time", "0.1") == f"{solution.text}\n"
    assert output("worked", "rod.py", "--time", "0.1", "--out", "solution.html") == "written: solution.html\n"
    solution.save("wanted.html")
    assert Path("solution.html").read_bytes() == Path("wanted.html").read_bytes()
    free = output("worked", "rod.py", "--set", "driven=false", "--initial", "rod.angle=0.3")
    assert "they are given, and held" in free


# --- kinematics --------------------------------------------------------------------------------------------------


def test_kinematics_tells_what_there_is_to_see():
    text = output("kinematics", "rod.py")
    assert text.startswith("rod on the right: 4 poses, t = 0 ... 0.4 s\nlargest violation: position ")
    assert "  rod, rod.tip: x vx ax y vy ay angle omega alpha\n  pin 0, motor: angle omega alpha\n" in text
    assert os.listdir() and not list(Path().glob("*.npz"))


def test_kinematics_writes_what_was_asked_for():
    text = output("kinematics", "rod.py", "--plot", "rod.tip.x", "--plot", "rod.tip.vy", "--out", "new/out")
    files = [Path("new/out", name) for name in ("result.npz", "quantities.csv", "quantities.png")]
    assert text.endswith("".join(["written:", *(f"\n  {file}" for file in files), "\n"]))
    result = mbs.load(files[0])
    assert result.t.tolist() == [0.0, 0.1, 0.2, 0.4]
    header, *rows = csv.reader(files[1].read_text().splitlines())
    assert header == ["t", "rod.tip.x", "rod.tip.vy"]
    expected = np.column_stack([result.t, result["rod.tip.x"], result["rod.tip.vy"]])
    assert np.array(rows, dtype=float).tolist() == expected.tolist()
    assert files[2].read_bytes().startswith(b"\x89PNG")


def test_vectors_and_what_follows_from_forces_are_told_and_written():
    text = output("inverse", "rod.py", "--plot", "rod.tip", "motor.power", "pin 0.force", "--out", "loads")
    header, *_ = csv.reader(Path("loads/quantities.csv").read_text(encoding="utf-8").splitlines())
    assert header == ["t", "rod.tip.x", "rod.tip.y", "motor.power", "pin 0.Fx", "pin 0.Fy"]
    assert all(re.search(rf"^{name} +{unit} ", text, re.M) for name, unit in zip(header[1:], "mmWNN", strict=True))
    assert Path("loads/quantities.png").is_file()


def test_kinematics_writes_every_quantity_if_none_was_asked_for():
    output("kinematics", "rod.py", "--out", "out")
    assert sorted(os.listdir("out")) == ["quantities.csv", "result.npz"]
    header = Path("out/quantities.csv").read_text().splitlines()[0]
    assert header.split(",") == ["t", *mbs.load("out/result.npz").names]


@pytest.mark.parametrize(
    ("options", "times"),
    [
        ([], [0.0, 0.1, 0.2, 0.4]),
        (["--steps", 3], [0.0, 0.2, 0.4]),
        (["--to", 0.3], [0.0, 0.1, 0.2, 0.3]),
        (["--from", -0.2], [-0.2, 0.0, 0.2, 0.4]),
        (["--from", 1, "--to", 2, "--steps", 2], [1.0, 2.0]),
        (["--steps", 1], [0.0]),
    ],
)
def test_times_come_from_the_options_and_otherwise_from_the_file(options, times):
    output("kinematics", "rod.py", *options, "--out", "out")
    assert mbs.load("out/result.npz").t == pytest.approx(times)


def test_without_times_there_are_many_poses_from_zero():
    assert "pulled rod: 181 poses, t = 0 ... 0.1 s\n" in output("kinematics", "pulled.py", "--to", 0.1)


def test_a_dead_point_is_an_error_that_keeps_what_was_before():
    code, message = failure("kinematics", "pulled.py", "--to", 1, "--steps", 11, "--plot", "rod.x", "--out", "out")
    assert code == 1
    assert message.startswith("error: 'pulled rod' reaches a dead point at t = 0.2")
    kept = mbs.load("out/result.npz")
    assert not kept.success and 1 <= len(kept) <= 3
    assert "pulled rod: " in run("kinematics", "pulled.py", "--to", 1).stdout


# --- simulate ----------------------------------------------------------------------------------------------------

FREE = ["pendulum.py", "--without", "motor"]


def told(text, name):
    """What stands behind a name at the beginning of a line."""
    return next(line.strip().removeprefix(name).strip() for line in text.splitlines() if line.strip().startswith(name))


def test_simulate_does_what_the_function_does():
    options = ["--initial", "rod.omega=2", "--initial", "rod.angle=-0.5", "--time", 2, "--points", 41]
    text = output("simulate", *FREE, *options, "--plot", "rod.angle", "--out", "out")
    result = mbs.load("out/result.npz")
    namespace = {}
    exec(PENDULUM, namespace)
    start = {"rod.omega": 2.0, "rod.angle": -0.5}
    expected = mbs.simulate(namespace["build"](spin=False), np.linspace(0, 2, 41), start)
    np.testing.assert_array_equal(result["rod.angle"], expected["rod.angle"])
    assert text.startswith("pendulum: 41 poses, t = 0 ... 2 s\n  method                   DP5, rtol 1e-08\n")
    stats = expected.stats
    assert told(text, "steps") == (
        f"{stats['accepted']} accepted, {stats['rejected']} rejected, {stats['evaluations']} evaluations"
    )
    assert told(text, "largest energy error") == f"{np.abs(expected.energy.error).max():.1e} J"
    assert f"position {expected.violation.position.max():.1e}, velocity" in told(text, "largest violation")
    assert told(text, "stabilization").startswith("Baumgarte (alpha = beta = ")
    least, _, most, _ = (float(cell) for cell in row(text, "rod.angle")[1:])
    assert (least, most) == pytest.approx((expected["rod.angle"].min(), expected["rod.angle"].max()), rel=1e-5)


def test_simulate_tells_events_states_and_what_ended_it():
    text = output("simulate", "motor.py")
    namespace = {}
    exec(MOTOR, namespace)
    result = mbs.simulate(namespace["build"](), namespace["TIMES"])
    assert told(text, "event 'a rad':") == f"1 time, at t = {result.events[0].t:.6g}"
    assert told(text, "note:") == "stopped by 'end' at t = 1.5"
    assert told(text, "states and inputs, with --plot NAME:") == "volts current"
    assert row(output("simulate", "motor.py", "--plot", "current", "volts"), "current")[0] == "A"
    assert "did you mean 'current'" in failure("simulate", "motor.py", "--plot", "curent")[1]


def test_simulate_tells_impacts_and_writes_modes():
    text = output("simulate", "bounce.py", "--plot", "floor.gap", "--plot", "floor.force", "--out", "hits")
    first = np.sqrt(2 / 9.81)
    line = told(text, "impacts on 'floor':")
    assert f"at t = {first:.6g}, {2 * first:.6g}, " in line and line.endswith(f"; at rest from t = {3 * first:.6g}")
    assert "; 19.62 J lost" in line
    assert row(text, "floor.force")[0] == "N"
    assert "did you mean 'floor.force'" in failure("simulate", "bounce.py", "--plot", "floor.forc")[1]
    tables = (csv.reader(Path(f"hits/{name}.csv").read_text().splitlines()) for name in ("modes", "impacts"))
    (_, *modes), (names, hit, *_) = tables
    assert modes == [["0.0", "open"], ["1.0", "open"], ["2.0", "closed"]]
    assert names == ["t", "contacts", "energy_lost", "floor.Fx", "floor.Fy", "floor.M"]
    assert hit[1] == "floor" and float(hit[4]) == pytest.approx(2 * 1.5 * 9.81 * first)


def test_modes_prints_the_table():
    title, table = output("modes", *FREE).split("\n", 1)
    assert title == "pendulum: small motions of rod.x"
    namespace = {}
    exec(PENDULUM, namespace)
    assert table == f"{mbs.linearize(namespace['build'](spin=False))}\n"
    assert np.sqrt(10 / (2 / 3)) == pytest.approx(float(table.split()[-4]), rel=1e-6)
    assert output("modes", *FREE, "--out", "seen").endswith("written:\n  seen/eigenvalues.png\n  seen/modes.png\n")
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in Path("seen").glob("*.png"))
    assert "mbs.equilibrium" in failure("modes", *FREE, "--initial", "rod.angle=0.5")[1]
    assert "'motor' moves" in failure("modes", "pendulum.py")[1]


@pytest.mark.parametrize(("options", "angle", "omega"), [([], 0.5, -1.0), (["--initial", "rod.omega=3"], 0.0, 3.0)])
def test_initial_values_come_from_the_options_and_otherwise_from_the_file(options, angle, omega):
    output("simulate", "swing.py", *options, "--out", "out")
    result = mbs.load("out/result.npz")
    assert (result["rod.angle"][0], result["rod.omega"][0]) == pytest.approx((angle, omega), abs=1e-9)


def test_animate_shows_what_forces_move():
    assert output("animate", "swing.py", "--out", "swing.png") == "written: swing.png\n"
    assert Path("swing.png").read_bytes().startswith(b"\x89PNG")


def test_simulate_writes_forces_and_energy():
    text = output("simulate", *FREE, "--out", "out")
    files = ["result.npz", "quantities.csv", "forces.csv", "energy.png"]
    assert text.endswith("".join(["written:", *(f"\n  {Path('out', file)}" for file in files), "\n"]))
    header, *rows = csv.reader(Path("out/forces.csv").read_text().splitlines())
    assert header == ["t", "pin.Fx", "pin.Fy", "pin.M", "oil.effort", "oil.Fx", "oil.Fy", "oil.M"]
    result = mbs.load("out/result.npz")
    expected = np.column_stack([result.t, result.reaction("pin"), result.effort("oil"), result.reaction("oil")])
    np.testing.assert_array_equal(np.array(rows, dtype=float), expected)
    assert Path("out/energy.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("options", "method", "stabilization"),
    [
        (["--method", "DP8", "--rtol", "1e-10", "--stabilization", "projection"], "DP8, rtol 1e-10", "Projection"),
        (["--method", "RK4", "--step", "0.01", "--stabilization", "none"], "RK4, step 0.01 s", "Unstabilized"),
        (["--method", "Radau5"], "Radau5, rtol 1e-08", "Projection"),
        (["--method", "GA", "--step", "0.01"], "GA, step 0.01 s", "Projection"),
        (["--stabilization", "baumgarte:5,6"], "DP5, rtol 1e-08", "Baumgarte (alpha 5/s, beta 6/s)"),
        (["--stabilization", "Baumgarte:7"], "DP5, rtol 1e-08", "Baumgarte (alpha 7/s, beta 7/s)"),
    ],
)
def test_simulate_takes_method_and_stabilization(options, method, stabilization):
    text = output("simulate", *FREE, *options)
    assert (told(text, "method"), told(text, "stabilization")) == (method, stabilization)


def test_an_unstable_run_keeps_what_was_before():
    command = ["simulate", *FREE, "--time", 1, "--points", 11, "--step", 0.1, "--stabilization", "baumgarte:900"]
    code, message = failure(*command, "--out", "out")
    assert code == 1 and "is unstable at t = " in message
    kept = mbs.load("out/result.npz")
    assert not kept.success and 1 <= len(kept) < 11
    assert "pendulum: " in run(*command).stdout


# --- inverse -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("coordinates", ["natural", "joint"])
def test_kinematics_in_other_coordinates_tells_the_same(coordinates):
    plain, other = (output("kinematics", "rod.py", *more) for more in ((), ("--coordinates", coordinates)))
    assert plain.splitlines()[-1] == other.splitlines()[-1]


def test_inverse_tells_efforts_and_loads():
    """At angle 4t the motor lifts the weight at half the length, and turns in the oil: 15 cos 4t + 0.8 N m. Uniform
    rotation needs a centripetal force of m ω² l / 2 = 24 N, and the pin carries the weight of 30 N."""
    text = output("inverse", "pendulum.py", "--time", np.pi / 2, "--points", 201)
    assert text.startswith("pendulum: 201 poses, t = 0 ... 1.5708 s\nlargest violation: position ")
    unit, most, at, rms, mean = row(text.replace("N m  ", "N·m  "), "motor")
    assert (unit, float(most), float(at)) == ("N·m", pytest.approx(15.8), 0.0)
    assert float(rms) == pytest.approx(np.sqrt(15**2 / 2 + 0.8**2), rel=1e-5)
    assert float(mean) == pytest.approx(0.8 * 4, rel=1e-5)
    force, at, moment, _ = (float(cell) for cell in row(text, "pin"))
    assert (force, moment) == (pytest.approx(30 + 24, rel=1e-5), 0.0)
    assert at == pytest.approx(3 * np.pi / 8, abs=0.01)  # below, where weight and centrifugal force agree
    assert "not unique" not in text


def test_inverse_says_what_redundant_joints_share():
    text = output("inverse", "pendulum.py", "--set", "doubled=true", "--time", np.pi / 2, "--points", 201)
    assert [row(text, name)[0] for name in ("pin", "twin")] == ["*", "*"]
    assert float(row(text, "pin")[1]) == pytest.approx(27, rel=1e-5)
    assert "* not unique: redundant joints share this load; the least of all possible is told\n" in text


def test_inverse_writes_what_it_finds():
    output("inverse", "pendulum.py", "--plot", "rod.head.x", "--out", "out")
    assert sorted(os.listdir("out")) == ["energy.png", "forces.csv", "quantities.csv", "quantities.png", "result.npz"]
    header, first, *_ = csv.reader(Path("out/forces.csv").read_text().splitlines())
    assert float(first[header.index("motor.effort")]) == pytest.approx(15.8)


def test_roundoff_is_told_as_zero():
    """At constant speed α is roundoff of ω²; the violation, which measures roundoff, stays as it is."""
    names = ("rod.alpha", "violation.acceleration", "rod.angle")
    plots = [word for name in names for word in ("--plot", name)]
    text = output("inverse", "pendulum.py", *plots, "--time", 1, "--points", 41, "--out", "out")
    result = mbs.load("out/result.npz")
    told = {name: re.search(rf"^{re.escape(name)}  .*", text, re.M)[0].split() for name in names}
    assert 0 < np.abs(result["rod.alpha"]).max() < 1e-12 * 4**2
    assert [float(told["rod.alpha"][k]) for k in (-4, -2)] == [0, 0]
    for name in names[1:]:
        assert 0 < float(told[name][-2]) == pytest.approx(result[name].max(), rel=1e-5), name


def test_tables_in_units_of_the_trade_have_a_unit_in_every_heading():
    quantities = ["--plot", "rod.angle", "--plot", "rod.head.x", "--plot", "motor.effort"]
    for units, angle in (("mm", "rad"), ("deg,mm", "deg")):
        output("inverse", "pendulum.py", *quantities, "--units", units, "--out", "out")
        heads = [
            next(csv.reader(Path(f"out/{name}.csv").read_text().splitlines())) for name in ("quantities", "forces")
        ]
        assert heads[0] == ["t [s]", f"rod.angle [{angle}]", "rod.head.x [mm]", "motor.effort [N m]"]
        assert [*map(re.compile(r".* \[(s|N|N m)\]").fullmatch, heads[1])].count(None) == 0
        assert "pin.Fx [N]" in heads[1] and "oil.effort [N m]" in heads[1]


# --- animate -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "start"), [("rod.gif", b"GIF8"), ("rod.png", b"\x89PNG")])
def test_animate_writes_a_film_or_a_picture(name, start):
    options = ["--trace", "rod.tip", "--steps", 5, "--speed", 2]
    assert output("animate", "rod.py", "--out", name, *options) == f"written: {name}\n"
    assert Path(name).read_bytes().startswith(start)


def test_animate_writes_a_page_that_solves():
    assert output("animate", "rod.py", "--out", "rod.html", "--live", "--trace", "rod.tip") == "written: rod.html\n"
    assert "const kinematics = " in Path("rod.html").read_text(encoding="utf-8")


def test_animate_shows_the_way_to_a_dead_point():
    code, message = failure("animate", "pulled.py", "--to", 1, "--steps", 11, "--out", "rod.png")
    assert (code, "dead point" in message, Path("rod.png").exists()) == (1, True, True)


# --- view --------------------------------------------------------------------------------------------------------


def test_view_serves_until_ctrl_c(monkeypatch):
    """What is served is asked in tests/pages; here it is interrupted at once."""
    from mbs_dae.view.served.server import Server

    opened, seen, told = [], [], Event()

    def listen(server):
        seen.append(server.session.current)
        told.wait(0.0 if len(seen) > 1 else 5.0)
        raise KeyboardInterrupt

    monkeypatch.setattr(Server, "serve_forever", listen)
    monkeypatch.setattr("webbrowser.open", lambda address: (opened.append(address), told.set()))
    options = ["--set", "length=1", "--time", "0.2", "--points", "5", "--plot", "rod.angle", "--trace", "rod.tip"]
    done = run("view", "rod.py", *options)
    assert (done.exit_code, spoken(done)) == (130, "mbs-dae: interrupted\n")
    (address,) = opened
    assert done.stdout == f"rod.py is shown at {address}\nuntil Ctrl-C\n"
    assert re.fullmatch(r"http://127.0.0.1:\d+/[\w-]+/", address)
    (one,) = seen
    assert one.content.model.bodies["rod"].markers["tip"].point[0] == 1.0
    assert (one.content.times[-1], len(one.content.times)) == (0.2, 5)
    assert (one.choices.plots, one.choices.trace) == (("rod.angle",), ("rod.tip",))
    run("view", "swing.py", "--initial", "rod.angle=0.3", "--no-open")
    assert opened == [address] and dict(seen[1].content.initial) == {"rod.angle": 0.3}


def test_view_says_what_is_wrong_before_it_serves():
    assert "typo.py: SyntaxError" in failure("view", "typo.py")[1]
    assert "no quantity 'rod.size'" in failure("view", "rod.py", "--plot", "rod.size")[1]
    assert failure("view", "rod.py", "--port", "70000")[0] == 2


# --- progress and Ctrl-C -----------------------------------------------------------------------------------------


def test_progress_is_shown_on_a_terminal_only(capsys, monkeypatch):
    def watch():
        with progress.progress_bar("kinematics") as bar:
            bar(1, 2)
        return capsys.readouterr()

    monkeypatch.setattr(progress, "PATIENT", 0.0)
    assert watch() == ("", "")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    captured = watch()
    assert "kinematics" in captured.err and captured.out == ""
    monkeypatch.setattr(progress, "PATIENT", 3600.0)
    assert watch() == ("", "")  # a short run shows none


def test_ctrl_c_is_one_line():
    Path("endless.py").write_text("def build():\n    raise KeyboardInterrupt\n")
    assert failure("diagnose", "endless.py") == (130, "interrupted")


def test_ctrl_c_keeps_the_poses_so_far(monkeypatch):
    def pressed(done, total):
        raise KeyboardInterrupt

    @contextmanager
    def bar(what, given):
        yield pressed

    monkeypatch.setattr(import_module("mbs_dae.verbs.kinematics"), "progress_bar", bar)
    code, message = failure("kinematics", "rod.py", "--steps", 6000, "--out", "out")
    kept = len(mbs.load("out/result.npz"))
    assert 300 <= kept < 6000
    assert (code, message) == (130, f"interrupted after {kept} of 6000 poses")


# --- errors ------------------------------------------------------------------------------------------------------

ERRORS = {
    # the file
    "diagnose rode.py": "there is no file 'rode.py'; did you mean 'rod.py'?",
    "diagnose rod": "there is no file 'rod'; did you mean 'rod.py'?",
    "diagnose xyz.py": "there is no file 'xyz.py'; name a Python file with a function build()",
    "diagnose .": "'.' is a folder; name a model file in it",
    "diagnose empty.py": "empty.py has no function build(); write one that returns a model",
    "diagnose nothing.py": "build() of nothing.py returns no model, but None; end it with: return model",
    "diagnose needs.py": "build() of needs.py needs a value for 'n'; give one with --set n=VALUE",
    "diagnose raises.py": "raises.py, line 3: ZeroDivisionError: division by zero",
    "diagnose stops.py": "stops.py, line 3: SystemExit: 3",
    # --set
    "diagnose rod.py --set length": "cannot read --set 'length'; write --set NAME=VALUE, e.g. --set r=0.12",
    "diagnose rod.py --set length=": "cannot read --set 'length='; write --set NAME=VALUE, e.g. --set r=0.12",
    "diagnose rod.py --set =2": "cannot read --set '=2'; write --set NAME=VALUE, e.g. --set r=0.12",
    "diagnose rod.py --set a.b=2": "cannot read --set 'a.b=2'; write --set NAME=VALUE, e.g. --set r=0.12",
    "diagnose rod.py --set omega=1 --set omega=2": "--set gives 'omega' twice; leave one out",
    "diagnose rod.py --set omgea=1": "rod.py has no setting 'omgea'; did you mean 'omega'?",
    "diagnose rod.py --set q=1": "rod.py has no setting 'q'; use one of: bars, driven, length, omega, side",
    "diagnose rod.py --set length=long": "--set length=long is not a number; write e.g. --set length=0.5",
    "diagnose rod.py --set driven=2": "--set driven=2 makes no sense; write --set driven=true or --set driven=false",
    "diagnose rod.py --set side=up": "rod.py, line 11: KeyError: 'up'",
    # --initial and the rest of simulate
    "simulate pendulum.py --initial rod.omega": "cannot read --initial 'rod.omega'; "
    "write --initial OWNER.QUANTITY=VALUE, e.g. crank.omega=10",
    "simulate pendulum.py --initial rod.omega=fast": "--initial rod.omega=fast is not a number; "
    "write e.g. --initial rod.omega=10",
    "simulate pendulum.py --initial a.x=1 --initial a.x=2": "--initial gives 'a.x' twice; leave one out",
    "simulate pendulum.py --stabilization euler": "cannot read --stabilization 'euler'; "
    "write baumgarte, baumgarte:5,5, projection, or none",
    "simulate pendulum.py --stabilization projection:3": "cannot read --stabilization 'projection:3'; "
    "write baumgarte, baumgarte:5,5, projection, or none",
    "simulate pendulum.py --without motr": "the model has no element 'motr'; did you mean 'motor'?",
    "simulate pendulum.py --method Euler": "method='Euler' is unknown; choose one of 'RK4', 'DP5', 'DP8', 'GA', "
    "'Radau5', 'Moreau', 'HalfExplicit'",
    "simulate pendulum.py --step -1": "step is -1; give a positive step, in seconds",
    # times
    "kinematics pulled.py": "the model file has no TIMES; say until when with --to, e.g. --to 1",
    "kinematics rod.py --to -1": "times go from 0 to -1; choose --to later than --from",
    "kinematics rod.py --from 0.4": "times go from 0.4 to 0.4; choose --to later than --from",
    "kinematics rod.py --to inf": "times go from 0 to inf; choose --to later than --from",
    "kinematics rod.py --from nan": "times go from nan to 0.4; choose --to later than --from",
    # files to write
    "kinematics rod.py --out rod.py": "cannot write 'rod.py': File exists; choose another --out",
    "kinematics rod.py --out rod.py/out": "cannot write 'rod.py/out': Not a directory; choose another --out",
    "equations rod.py --out no/eq.tex": "cannot write 'no/eq.tex': No such file or directory; choose another place",
    "worked rod.py --set driven=false": "'rod on the right' has 1 degree of freedom that no driver moves; add 1 "
    "driver, e.g. mbs.Driver('motor', mbs.angle(i, j), omega * mbs.t), or give 1 value to be held: "
    'initial={"crank.angle": 0.6}',
    "worked rod.py --out solution.pdf": "'solution.pdf' says nothing of what to write; end it in .html, .tex, .md",
    "equations rod.py --out eq.m": "cannot write equations to 'eq.m': there is no MATLAB code: MATLAB calls C and "
    "Python; end it in .html, .tex, .md, .c, .js, .mjs, .py, .txt",
    "equations rod.py --out eq.pdf --latex": "cannot write equations to 'eq.pdf': no format is called so; "
    "end it in .html, .tex, .md, .c, .js, .mjs, .py, .txt",
    "equations rod.py --out .": "cannot write '.': Is a directory; choose another --out",
}


@pytest.mark.parametrize("command", ERRORS)
def test_errors_are_one_clear_line(command):
    assert failure(*command.split()) == (1, f"error: {ERRORS[command]}")


# Errors that are worded elsewhere: how they begin, and a word of what to do.
OTHER_ERRORS = {
    "diagnose wrong.py": ("wrong.py, line 5: gravity", "9.81"),
    "diagnose rod.py --set omega=fast": ("parameter 'omega'", "'fast'"),
    "diagnose rod.py --set omega=nan": ("parameter 'omega' is nan", "finite"),
    "diagnose pulled.py --set q=1": ("pulled.py, line 14: ", "start"),
    "kinematics times.py": ("times must increase", "0.1 follows 0.2"),
    "kinematics rod.py --plot motor.efort": ("model 'rod on the right' has no quantity", "'motor.effort'"),
    "kinematics rod.py --plot motor.effort": ("this result is of kinematics", "inverse_dynamics"),
    "kinematics rod.py --plot rod.tp.x": ("model 'rod on the right' has no quantity 'rod.tp.x'", "'rod.tip.x'"),
    "diagnose typo.py": ("typo.py: SyntaxError: invalid syntax", "line 1"),
    "diagnose latin1.py": ("latin1.py: SyntaxError: ", "utf-8"),
    "kinematics pulled.py --set start=2 --to 3": ("'pulled rod' does not assemble at t = 0", "pull misses by"),
    "kinematics rod.py --set driven=false": ("'rod on the right' has 1 degree of freedom", "add 1 driver"),
    "simulate pendulum.py --method RK4": ("RK4 has no step control", "step=1e-3"),
    "simulate pendulum.py --rtol 0": ("rtol is 0", "positive tolerance"),
    "simulate pendulum.py --initial rod.omeg=1": ("model 'pendulum' has no quantity 'rod.omeg'", "'rod.omega'"),
    "simulate light.py --without motor": ("no body of 'pendulum' has a mass", "give some"),
    "inverse pendulum.py --set spin=false": ("'pendulum' has 1 degree of freedom", "add 1 driver"),
    "inverse pendulum.py --plot rod.tp": ("model 'pendulum' has no quantity 'rod.tp'", "rod"),
    "animate rod.py --out rod.avi": ("cannot write an animation to 'rod.avi'", ".gif"),
    "animate rod.py --out no/rod.gif": ("there is no folder 'no'", "create it"),
    "animate rod.py --out rod.gif --trace rod.tp": ("", "rod.tip"),
    "animate rod.py --out rod.gif --live": ("--live makes a page, and 'rod.gif' is none", "end its name in .html"),
    "animate rod.py --out rod.gif --speed 0": ("speed is 0;", "positive"),
}


@pytest.mark.parametrize("command", OTHER_ERRORS)
def test_errors_of_the_package_are_one_line(command):
    start, remedy = OTHER_ERRORS[command]
    code, message = failure(*command.split())
    assert code == 1
    assert message.startswith(f"error: {start}") and remedy in message


def test_mp4_without_ffmpeg(monkeypatch, here):
    monkeypatch.setenv("PATH", str(here))
    code, message = failure("animate", "rod.py", "--out", "rod.mp4")
    assert code == 1 and "ffmpeg" in message and not Path("rod.mp4").exists()


USAGE_ERRORS = {
    "nonsense": "'nonsense'",
    "diagnos rod.py": "'diagnos'",
    "--nonsense": "--nonsense",
    "diagnose": "'MODEL.py'",
    "diagnose rod.py pulled.py": "pulled.py",
    "diagnose rod.py --set": "--set",
    "kinematics rod.py --stes 3": "--stes",
    "kinematics rod.py --steps 0": "'--steps'",
    "kinematics rod.py --steps many": "'--steps'",
    "kinematics rod.py --to soon": "'--to'",
    "simulate rod.py --rtol small": "'--rtol'",
    "inverse pendulum.py --initial rod.omega=1": "--initial",
    "animate rod.py": "'--out'",
}


@pytest.mark.parametrize("command", USAGE_ERRORS)
def test_usage_errors_point_to_the_help(command):
    code, message = failure(*command.split())
    assert code == 2
    assert message.startswith("error: ") and USAGE_ERRORS[command] in message
    assert message.endswith(" --help)") and "(see mbs-dae " in message


@pytest.mark.parametrize("where", ["before", "behind"])
def test_debug_shows_the_traceback_above_the_line(where):
    command = ["diagnose", "raises.py"]
    done = run("--debug", *command) if where == "before" else run(*command, "--debug")
    first, *_, last = done.stderr.splitlines()
    assert done.exit_code == 1
    assert first == "Traceback (most recent call last):"
    assert "return 1 / size" in done.stderr
    assert last == "mbs-dae: error: raises.py, line 3: ZeroDivisionError: division by zero"


def test_an_error_that_nobody_thought_of_says_so(monkeypatch):
    def broken(model):
        raise RuntimeError("two\nlines")

    monkeypatch.setattr(mbs, "diagnose", broken)
    assert failure("diagnose", "rod.py") == (1, "error: unexpected RuntimeError: two lines; --debug shows where")


# --- units -------------------------------------------------------------------------------------------------------


def test_numbers_with_a_unit_are_what_they_say():
    text = output(
        "kinematics", "rod.py", "--set", "length=2000mm", "--set", "omega=300deg/s", "--plot", "rod.tip.x", "rod.omega"
    )
    assert row(text, "rod.tip.x")[3] == "2"
    assert row(text, "rod.omega")[:2] == ["rad/s", f"{np.radians(300):.6g}"]
    options = ["--set", "spin=false", "--to", 0.1, "--plot", "rod.omega", "--units", "rpm"]
    told = output("simulate", "pendulum.py", *options, "--initial", "rod.omega=30rpm")
    assert row(told, "rod.omega")[3] == "30" and "note" not in told
    told = output("simulate", "pendulum.py", *options, "--initial", "rod.omega=2")
    assert "note: --initial rod.omega=2 is in rad/s; for rpm write rod.omega=2rpm" in told


@pytest.mark.parametrize(
    "command, said",
    [
        ("diagnose rod.py --set omega=3mm", "--set omega=3mm does not fit: 'omega' is in rad/s"),
        ("diagnose rod.py --set length=3foo", "'foo' is not a known unit; write e.g. --set length="),
        ("simulate pendulum.py --initial rod.omega=3mm", "does not fit: 'rod.omega' is in rad/s"),
    ],
)
def test_a_unit_that_does_not_fit_is_told(command, said):
    code, message = failure(*command.split())
    assert code == 1 and said in message


def test_small_motions_and_worked_solutions_have_units():
    assert output("modes", "swing.py", "--units", "Hz").count("[Hz]") == 1
    assert "[rad/s]        [Hz]" in output("modes", "swing.py")
    told = output("worked", "rod.py", "--time", 0.1, "--units", "mm,deg,rpm")
    assert "the same numbers in other units" in told and "| deg | $19.09859$ | rpm |" in told
    assert output("diagnose", "rod.py", "--units", "mm,deg") == output("diagnose", "rod.py")
