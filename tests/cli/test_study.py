"""mbs-dae study: many designs from the command line."""

from __future__ import annotations

import csv
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
import xarray
from command_line import failure, output, run, spoken
from refusals import refused
from scipy import stats

import mbs_dae as mbs
from mbs_dae.cli.study import parse_over
from mbs_dae.errors import ModelError

# The tip of a rod is pulled along; one of less than 0.5 m does not reach so far.
PULLED = """
import mbs_dae as mbs

TIMES = [0.0, 0.1, 0.2]


def build(pull=True):
    model = mbs.PlanarModel("pulled rod", gravity=(0, -10))
    length, speed = model.parameter("length", 1.0, unit="m"), model.parameter("speed", 0.5, unit="m/s")
    rod = model.link("rod", (0, 0), (0.6, 0.8), length=length, mass=1.0)
    model.add(mbs.Revolute("pin", model.ground, rod.tail))
    if pull:
        model.add(mbs.Driver("pull", mbs.x(rod.head), 0.4 + speed * mbs.t))
    return model
"""


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """An empty folder with the model files, to work in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    Path("pulled.py").write_text(PULLED)
    Path("falls.py").write_text(PULLED + "\n\nINITIAL = {'rod.angle': 0.0}\n")


def lines(*args):
    return output("study", *args).splitlines()


def extremes(told):
    """The rows of the table: the numbers by name."""
    cells = [line.split() for line in told if line.startswith(("max ", "min "))]
    return {" ".join(row[:2]): [*map(float, row[-5:])] for row in cells}


# --- what varies is read ---


def test_values_are_read():
    found = parse_over(["r=0.1:0.3:3", "l = 1e-3, 2,3", "m=-4", "rod.omega=0:1:1"])
    assert found["r"].tolist() == pytest.approx([0.1, 0.2, 0.3])
    assert (found["l"], found["m"], found["rod.omega"].tolist()) == ([1e-3, 2.0, 3.0], -4.0, [0.0])


def test_distributions_are_read():
    found = parse_over(["r~normal(0.1,1e-4)", "l ~ uniform( -2, 3 )", "m~tolerance(5,0.1)"])
    assert (found["r"].mean(), found["r"].std()) == pytest.approx((0.1, 1e-4))
    assert found["l"].support() == (-2, 3) and found["m"] == mbs.Tolerance(5.0, plus_minus=0.1)


def test_values_with_units_are_read_in_si():
    found = parse_over(["r=70mm:80mm:3", "l = 1cm, 20 mm,3", "w=95rpm"], {"r": "m", "l": "m", "w": "rad/s"}.get)
    assert found["r"].tolist() == pytest.approx([0.07, 0.075, 0.08]) and found["l"] == pytest.approx([0.01, 0.02, 3.0])
    assert found["w"] == pytest.approx(95 * 2 * np.pi / 60)
    assert parse_over(["r~normal(100mm,0.1mm)"])["r"].std() == pytest.approx(1e-4)
    with refused("unit-does-not-fit", mentions="r"):
        parse_over(["r=1mm,2kg"], {"r": "m"}.get)
    with refused("unit-not-of-si", option="--over", name="r", mentions="qq"):
        parse_over(["r=2qq"])


UNREAD = [
    "r", "=1", "r=", "r=1:2", "r=1:2:x", "r=1:2:0", "r=1:2:-3", "r=1:2:3:4", "r=one", "r=1,,2", "r~", "r~normal",
    "r~normal(1,x)", "r~normal(1,2", "r~__import__('os')", "r=1+1", "",
]  # fmt: skip


@pytest.mark.parametrize("text", UNREAD)
def test_what_cannot_be_read_shows_how_to_write_it(text):
    with refused("cannot-read-option"):
        parse_over([text])


UNFIT = {
    "r~normal(1,0)": "normal takes mean and standard deviation",
    "r~normal(1)": "normal takes mean and standard deviation",
    "r~uniform(2,1)": "uniform takes the lower and the upper limit",
    "r~gauss(1,2)": "has no distribution that is known; use one of normal, uniform, tolerance",
}


@pytest.mark.parametrize("text", UNFIT)
def test_distributions_that_cannot_be(text):
    with pytest.raises(ModelError) as error:
        parse_over([text])
    assert UNFIT[text] in str(error.value)


# --- it runs ---


def test_a_grid_is_told_and_written():
    told = lines("pulled.py", "--over", "length=0.8:1.2:3", "--over", "speed=0.1,0.2", "--outputs", "rod.angle",
                 "rod.head.x", "--out", "study.nc")  # fmt: skip
    assert told[0] == "pulled rod, over length, speed: 6 of 6 members done" and told[-1] == "written: study.nc"
    assert extremes(told)["max rod.angle"][-1] == pytest.approx(np.arccos(0.4 / 1.2), rel=1e-5)
    with xarray.open_dataset("study.nc") as data:
        assert data["rod.angle"].dims == ("length", "speed", "t") and data["t"].values.tolist() == [0.0, 0.1, 0.2]
        expected = np.arccos((0.4 + data["speed"] * data["t"]) / data["length"])
        assert np.allclose(data["rod.angle"], expected.transpose("length", "speed", "t"))
        assert data["rod.angle"].attrs["units"] == "rad"


def test_members_that_fail_are_told():
    told = lines("pulled.py", "--over", "length=0.3,0.45,1", "--plot", "rod.angle", "--out", "study.csv")
    assert told[0] == "pulled rod, over length: 1 of 3 members done, 2 failed"
    assert sum(line.startswith("  failed: ") for line in told) == 2  # one cannot be assembled, one comes to its end
    with open("study.csv", newline="") as file:
        rows = [*csv.DictReader(file)]
    assert [row["done"] for row in rows] == ["False", "False", "True"]
    assert [bool(row["failure"]) for row in rows] == [True, True, False]


def test_where_all_fail_the_command_does():
    done = run("study", "pulled.py", "--over", "length=0.1,0.2", "--plot", "rod.angle")
    assert done.exit_code == 1 and spoken(done).startswith("mbs-dae: error: no member of the study is done")
    assert done.stdout.startswith("pulled rod, over length: 0 of 2 members done, 2 failed\n")


def test_samples():
    options = ["--over", "length~tolerance(1,0.03)", "--count", 64, "--plot", "rod.angle"]
    told = lines("pulled.py", *options)
    assert told[0].endswith("64 of 64 members done") and lines("pulled.py", *options) == told
    assert lines("pulled.py", *options, "--seed", 1) != told
    lines("pulled.py", *options, "--draw", "sobol", "--seed", 2, "--out", "study.csv")
    with open("study.csv", newline="") as file:
        drawn = [float(row["length [m]"]) for row in csv.DictReader(file)]
    law = {"length": mbs.Tolerance(1.0, plus_minus=0.03)}
    assert drawn == mbs.samples(law, 64, method="sobol", seed=2)["length"].tolist()
    assert stats.kstest(drawn, stats.norm(1, 0.01).cdf).statistic < 0.03


def test_free_motions_from_varied_initial_values():
    """At first, α = -3 g cos φ / 2 l."""
    told = lines("falls.py", "--set", "pull=false", "--over", "rod.angle=0:1:3", "--plot", "rod.alpha", "--steps", 2,
                 "--to", 1e-3)  # fmt: skip
    assert extremes(told)["min rod.alpha"][0] == pytest.approx(-15, rel=1e-3)
    assert extremes(told)["max rod.alpha"][-1] == pytest.approx(-15 * np.cos(1), rel=1e-2)


def test_loads():
    """The pull holds the rod at rest at cos φ = 0.4: its height times the force is half of m g L cos φ."""
    told = lines("pulled.py", "--verb", "inverse", "--over", "speed=0", "--plot", "pull.effort")
    assert told[0].endswith("1 of 1 member done")
    assert extremes(told)["max pull.effort"][0] == pytest.approx(-2 / np.sin(np.arccos(0.4)), rel=1e-5)


PULL = ["--over", "speed=1", "--initial", "rod.omega=1", "--verb", "kinematics"]
WRONG = {
    "an unknown name": (["--over", "lenght=1"], 1, "has no parameter 'lenght'; did you mean"),
    "an unknown quantity": (["--over", "length=1", "--plot", "rod.angel"], 1, "did you mean 'rod.angle'?"),
    "an unknown verb": (["--over", "length=1", "--verb", "sweep"], 1, "choose one of kinematics, simulate, inverse"),
    "an unknown file": (["--over", "length=1", "--out", "x.zip"], 1, "end the name in one of .nc, .csv"),
    "an unknown draw": (["--over", "length~normal(1,1)", "--count", "2", "--draw", "dice"], 1, "method of samples is"),
    "nothing varied": ([], 2, "Missing option '--over'"),
    "no count": (["--over", "length~normal(1,0.1)"], 1, "count"),
    "a count of a grid": (["--over", "length=1", "--count", "3"], 1, "count= is for distributions"),
    "a name twice": (["--over", "length=1", "--over", "length=2"], 1, "--over gives 'length' twice"),
    "nan": (["--over", "length=nan"], 1, "over['length'] is nan; give finite numbers"),
    "initial values of a driven motion": (PULL, 1, "--initial is for --verb simulate"),
}


@pytest.mark.parametrize("args, code, message", WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_one_line(args, code, message):
    told = failure("study", "pulled.py", *args)
    assert told[0] == code and message in told[1]


def test_ctrl_c_keeps_what_is_done(monkeypatch):
    """The third member is interrupted; the two before it are told and written."""
    verb, seen = mbs.kinematics, []

    def interrupted(*args, **options):
        seen.append(args)
        if len(seen) == 3:
            raise KeyboardInterrupt
        return verb(*args, **options)

    monkeypatch.setitem(import_module("mbs_dae.ensembles.runs.recipe").VERBS, "kinematics", interrupted)
    options = ["--over", "length=1:1.4:5", "--plot", "rod.angle", "--workers", 1, "--coordinates", "natural"]
    done = run("study", "pulled.py", *options, "--out", "study.csv")
    assert done.exit_code == 130 and spoken(done) == "mbs-dae: interrupted: 2 of 5 members were run\n"
    assert done.stdout.startswith("pulled rod, over length: 2 of 5 members done\n")
    assert "written: study.csv" in done.stdout


def test_what_is_kept_in_a_folder_is_not_run_again():
    options = ["pulled.py", "--over", "length=1:1.4:5", "--plot", "rod.angle", "--save", "kept"]
    first, before = lines(*options), sorted(path.stat().st_mtime_ns for path in Path("kept").rglob("*.npy"))
    assert lines(*options) == first
    assert sorted(path.stat().st_mtime_ns for path in Path("kept").rglob("*.npy")) == before
    told = failure("study", *options[:2], "length=1:1.5:5", *options[3:])
    assert told[0] == 1 and "save='kept' holds another study: designs differ" in told[1]


def test_without_names_all_of_the_motion_is_kept_and_names_are_told():
    told = lines("pulled.py", "--over", "length=1,1.1", "--out", "study.nc")
    assert told[1] == "quantities, to be asked for with --plot OWNER.QUANTITY:" and not extremes(told)
    with xarray.open_dataset("study.nc") as data:
        assert {"rod.angle", "rod.head.vx"} <= {*data.data_vars}
