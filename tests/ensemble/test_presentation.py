"""What is told, drawn and written of many runs: against closed forms of arrays that are known."""

from __future__ import annotations

import csv
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray
from refusals import refused
from scipy import stats

import mbs_dae as mbs
from mbs_dae.ensembles.designs import designs
from mbs_dae.ensembles.reports.methods import ReportMethods
from mbs_dae.errors import ModelError

TIMES = np.linspace(0, 2, 5)


@dataclass(frozen=True)
class Failure:
    member: int
    design: dict[str, float]
    message: str
    kind: str


@dataclass(frozen=True, eq=False)
class Made(ReportMethods):
    """Members whose arrays are formulas of their designs."""

    model: Any
    designs: Any
    arrays: dict[str, np.ndarray]
    failures: tuple[Failure, ...] = ()
    t: np.ndarray = field(default_factory=TIMES.copy)
    axis: tuple[str, str] = ("t", "s")
    message: str = ""
    is_raw: bool = False

    def __len__(self):
        return len(self.designs)

    @property
    def names(self):
        return tuple(self.arrays)

    @cached_property
    def done(self):
        return ~np.isin(np.arange(len(self)), [failure.member for failure in self.failures])

    def array(self, name):
        rows = np.array(self.arrays[name], dtype=float)
        rows[~self.done] = np.nan
        return rows

    def unit(self, name):
        return {"rod.x": "m", "rod.ax": "m/s²", "rod.angle": "rad", "pin.force": "N"}.get(name, "")


@pytest.fixture(scope="module")
def model():
    model = mbs.PlanarModel("rod = $1")
    for name in "rl":
        model.parameter(name, 0.1, unit="m")
    model.body("rod")
    return model


def made(model, over, fails=lambda r: r < 0, count=None):
    """x = r t, θ = r + t, a force (r, 2r) and a number r l of each member."""
    found = designs(model, over, count)
    r, l = found["r"], found["l"]
    arrays = {
        "rod.x": r[:, None] * TIMES,
        "rod.angle": r[:, None] + TIMES,
        "pin.force": np.stack([r[:, None] + 0 * TIMES, 2 * r[:, None] + 0 * TIMES], axis=2),
        "area": r * l,
    }
    failures = tuple(
        Failure(int(k), found.row(k), f"member with r = {r[k]:.3g} has no pose", "cannot reach")
        for k in np.flatnonzero(fails(r))
    )
    return Made(model, found, arrays, failures)


@pytest.fixture
def grid(model):
    """Eight members, of which those with r = 4 fail."""
    return made(model, {"r": [1, 2, 3, 4], "l": [10, 20]}, lambda r: r == 4)


@pytest.fixture
def normal(model):
    over = {"r": mbs.Tolerance(2, plus_minus=0.3), "l": 1}
    return made(model, mbs.samples(over, 2**12, method="sobol"))


# --- percentiles ---


def test_percentiles_of_a_normal_quantity(normal):
    """x = r t is normal with the mean 2 t and the deviation 0.1 t."""
    levels = (1, 25, 50, 99)
    found = normal.percentiles("rod.x", levels)
    expected = stats.norm(2, 0.1).ppf(np.array(levels) / 100)[:, None] * TIMES
    assert np.abs(found.values - expected).max() < 2e-3
    assert found.values[:, 1:].std(axis=1).shape == (4,) and (found[99] == found.values[3]).all()
    assert (found.members, found.left_out, found.unit) == (4096, 0, "m")


def test_the_variance_of_a_linear_quantity(model):
    """Var(c₁ r + c₂ l) = c₁² Var r + c₂² Var l."""
    over = {"r": mbs.Tolerance(1, plus_minus=0.3), "l": stats.uniform(0, 1)}
    found = mbs.samples(over, 2**14, method="sobol")
    sums = 3 * found["r"] - 2 * found["l"]
    assert sums.var() == pytest.approx(9 * 0.1**2 + 4 / 12, rel=1e-3)


def test_failed_members_are_left_out_and_counted(grid):
    found = grid.percentiles("rod.x", [0, 50, 100])
    assert np.allclose(found.values, np.outer([1, 2, 3], TIMES))
    assert (found.members, found.left_out) == (6, 2)
    assert repr(found) == "<Percentiles of 'rod.x': 0 %, 50 %, 100 %, of 6 members; 2 left out>"


def test_percentiles_of_a_vector_are_those_of_its_size(grid):
    found = grid.percentiles("pin.force", 100)
    assert found.name == "|pin.force|" and np.allclose(found[100], 3 * np.sqrt(5))


def test_percentiles_of_one_number_per_member(grid):
    assert grid.percentiles("area", (0, 100)).values.tolist() == [10, 60]


def test_large_ensembles_are_read_in_parts(grid, monkeypatch):
    whole = grid.percentiles("rod.x"), grid.worst("rod.x")
    monkeypatch.setattr("mbs_dae.ensembles.reports.statistics.BLOCK", 8)
    parts = grid.percentiles("rod.x"), grid.worst("rod.x")
    assert (parts[0].values == whole[0].values).all() and parts[1] == whole[1]


# --- the worst ---


@pytest.mark.parametrize("by, member, value, t", [("max", 4, 4.0, 2.0), ("min", 0, 0.0, 0.0), ("abs", 4, 4.0, 2.0)])
def test_the_worst_member(grid, by, member, value, t):
    moved = Made(grid.model, grid.designs, {"rod.x": grid.arrays["rod.x"] - 2.0}, grid.failures)
    found = moved.worst("rod.x", by)
    assert (found.member, found.value, found.t) == (member, value if by != "min" else -2.0, t)
    assert found.design == grid.designs.row(member)


def test_the_worst_in_size_keeps_its_sign(grid):
    down = Made(grid.model, grid.designs, {"rod.x": -grid.arrays["rod.x"]}, grid.failures)
    found = down.worst("rod.x", "abs")
    assert (found.value, found.member) == (-6.0, 4)
    assert str(found) == "largest size of rod.x: -6 m at t = 2 s, member 4: r = 3, l = 10"


def test_the_worst_of_one_number_per_member(grid):
    found = grid.worst("area")
    assert (found.member, found.value) == (5, 60.0) and np.isnan(found.t)
    assert str(found) == "largest of area: 60, member 5: r = 3, l = 20"


# --- the summary ---


def test_the_summary_tells_who_failed_and_how_large_quantities_become(grid):
    told = grid.summary()
    assert (told.members, told.done) == (8, 6) and [group.members for group in told.failures] == [(6, 7)]
    lines = str(told).splitlines()
    assert lines[0] == "rod = $1, over r, l: 6 of 8 members done, 2 failed"
    assert lines[1] == "  failed: 2 members (6, 7), the first: member with r = 4 has no pose"
    assert lines[2].split() == ["quantity", "unit", "least", "5", "%", "median", "95", "%", "most"]
    row = next(line.split() for line in lines if line.startswith("max rod.x"))
    assert row == ["max", "rod.x", "m", "2", "2", "4", "6", "6"]
    assert next(line.split() for line in lines if line.startswith("area"))[1:] == ["10", "12.5", "25", "55", "60"]


def test_failures_that_differ_in_numbers_only_are_one_group(model):
    found = made(model, {"r": np.linspace(1, 2, 20), "l": 1}, lambda r: r > 1.5).summary()
    (group,) = found.failures
    assert len(group.members) == 10 and "10, 11, 12, 13, 14, 15, ...), the first: member with r = 1.53" in str(found)


def test_of_whole_motions_those_quantities_are_told_that_are_named(grid):
    raw = Made(grid.model, grid.designs, grid.arrays, grid.failures, is_raw=True, message="interrupted")
    assert not raw.summary().rows and [row[0] for row in raw.summary("area", "rod.x").rows] == [
        "area", "min rod.x", "max rod.x",
    ]  # fmt: skip
    assert "interrupted" in str(raw.summary())


def test_arrays_that_do_not_go_over_time(model):
    """A function may make anything of a result."""
    found = designs(model, {"r": [1, 2], "l": 1})
    own = Made(model, found, {"peaks": found["r"][:, None] * [1, 5, 3], "cube": np.ones((2, 2, 2, 2))})
    assert own.percentiles("peaks", 100)[100].tolist() == [2, 10, 6]
    assert str(own.worst("peaks")) == "largest of peaks: 10 at number = 1, member 1: r = 2, l = 1"
    assert own.plot_histogram("peaks").axes[0].get_xlabel() == "largest peaks"
    assert own.to_xarray("peaks")["peaks"].dims == ("r", "peaks[0]")
    with refused("not-over-time", name="peaks"):
        own.to_dataframe("peaks", times=True)
    with refused("not-over-time", name="peaks"):
        own.plot_band("peaks")
    with refused("wrong-shape", name="cube"):
        own.summary("cube")


def test_where_all_failed_nothing_is_drawn(model):
    nothing = made(model, {"r": [1, 2], "l": [1, 2]}, lambda r: r > 0)
    assert str(nothing.summary()).splitlines()[0].endswith("0 of 4 members done, 4 failed")
    for call in (nothing.percentiles, nothing.worst, nothing.plot_band, nothing.plot_map):
        with refused("no-member-done", members=4):
            call("rod.x")


# --- pictures ---


def test_a_band_shows_percentiles(normal):
    figure = normal.plot_band("rod.x", (5, 50, 95))
    (ax,) = figure.axes
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title("right")) == ("t [s]", "rod.x [m]", "4096 members")
    assert ax.get_legend_handles_labels()[1] == ["5 % to 95 %", "median"]
    assert np.allclose(ax.lines[0].get_ydata(), normal.percentiles("rod.x")[50])
    (band,) = ax.collections
    edges = band.get_paths()[0].vertices
    at_end = edges[edges[:, 0] == 2.0, 1]
    assert [at_end.min(), at_end.max()] == pytest.approx(normal.percentiles("rod.x", (5, 95)).values[:, -1])


def test_the_deviation_from_the_median(normal):
    ax = normal.plot_band("rod.x", (5, 95), deviation=True).axes[0]
    assert ax.get_ylabel() == "rod.x - median [m]" and ax.lines[0].get_ydata() == pytest.approx(0.0)


def test_angles_in_degrees(grid):
    ax = grid.plot_band("rod.angle", (0, 50, 100), degrees=True).axes[0]
    assert ax.get_ylabel() == "rod.angle [°]" and ax.get_title("right") == "6 members; 2 failed, left out"
    assert np.allclose(ax.lines[0].get_ydata(), np.degrees(2 + TIMES))


def test_one_number_per_member_is_a_histogram(normal):
    for figure, values in (
        (normal.plot_band("area"), normal.array("area")),
        (normal.plot_histogram("rod.x", "range"), np.ptp(normal.array("rod.x"), axis=1)),
    ):
        ax = figure.axes[0]
        bars = [bar for bar in ax.patches if bar.get_height() > 0]
        assert sum(bar.get_height() for bar in bars) == 4096 and ax.get_ylabel() == "members"
        ends = bars[0].get_x(), bars[-1].get_x() + bars[-1].get_width()
        assert ends == pytest.approx((values.min(), values.max()))
    assert normal.plot_histogram("rod.x", "range").axes[0].get_xlabel() == "range of rod.x [m]"
    assert normal.plot_band("area").axes[0].get_xlabel() == "area"


def test_what_a_function_makes_has_the_unit_that_is_said(grid):
    def spread(values):
        return np.ptp(values)

    assert grid.plot_histogram("rod.x", spread).axes[0].get_xlabel() == "spread of rod.x"
    told = grid.plot_histogram("rod.angle", spread, label="swing", unit="rad", degrees=True).axes[0]
    assert told.get_xlabel() == "swing [°]"


def test_a_map_has_the_numbers_of_the_grid(model):
    """z = 2 r, whatever l is: the lines of equal z stand upright, where r is half of what is written on them."""
    found = made(model, {"l": [1, 3, 2], "r": [5, 1, 2, 4, 3]}, lambda r: r == 5)
    figure = found.plot_map("rod.x")
    ax, bar = figure.axes
    assert (ax.get_xlabel(), ax.get_ylabel(), bar.get_ylabel()) == ("l [m]", "r [m]", "largest rod.x [m]")
    assert ax.get_title("right") == "12 members; 3 failed (white)"
    lines = ax.collections[1]
    for level, path in zip(lines.levels, lines.get_paths(), strict=True):
        if len(path.vertices):
            assert np.allclose(path.vertices[:, 1], level / 2)
    filled = np.concatenate([path.vertices for path in ax.collections[0].get_paths() if len(path.vertices)])
    assert filled[:, 1].max() == 4.0  # r = 5 is white


def test_a_map_in_degrees(model):
    found = designs(model, {"rod.angle": [0, np.pi], "r": [1, 2]})
    ax, bar = Made(model, found, {"rod.angle": found["rod.angle"]}).plot_map("rod.angle", degrees=True).axes
    assert (ax.get_xlabel(), bar.get_ylabel()) == ("initial rod.angle [°]", "rod.angle [°]")
    assert ax.get_xlim() == (0, 180) and ax.collections[0].levels.max() == 180


def test_a_map_of_equal_numbers_is_drawn(model):
    made(model, {"r": [1, 1.0], "l": [1, 2]}).plot_map("rod.x")


# --- tables ---


def test_the_table_of_members(grid):
    table = grid.to_dataframe()
    assert [*table.columns] == [
        "r", "l", "done", "rod.x min", "rod.x max", "rod.angle min", "rod.angle max", "pin.force min",
        "pin.force max", "area", "failure",
    ]  # fmt: skip
    assert table["rod.x max"].tolist()[:6] == [2, 2, 4, 4, 6, 6] and table["rod.x max"][6:].isna().all()
    assert table["failure"][5] == "" and table["failure"][6] == "member with r = 4 has no pose"
    assert table.attrs["units"]["rod.x max"] == "m" and table.attrs["long_names"]["r"] == "parameter r"
    assert np.allclose(table["pin.force max"][:6], table["r"][:6] * np.sqrt(5))


def test_the_table_over_time(grid):
    table = grid.to_dataframe("rod.x", "pin.force", "area", times=True)
    assert table.index.names == ["member", "t"] and len(table) == 6 * len(TIMES)
    assert [*table.columns][:3] == ["r", "l", "rod.x"] and not table.isna().any().any()
    assert np.allclose(table["rod.x"], table["r"] * table.index.get_level_values("t"))
    assert np.allclose(table["area"], table["r"] * table["l"])


def test_initial_values_are_not_taken_for_what_follows_from_them(model):
    found = designs(model, {"rod.x": [1, 2], "r": 0.1, "l": 0.2})
    both = Made(model, found, {"rod.x": found["rod.x"][:, None] + TIMES})
    assert [*both.to_dataframe(times=True).columns] == ["initial rod.x", "r", "l", "rod.x"]
    data = both.to_xarray()
    assert data["rod.x"].dims == ("initial rod.x", "t") and data["initial rod.x"].attrs["units"] == "m"


def test_a_dataset_over_the_axes_of_a_grid(model):
    data = made(model, {"r": [1, 2], "l": [10, 20, 30]}, lambda r: r == 2).to_xarray()
    assert dict(data.sizes) == {"r": 2, "l": 3, "t": 5, "component": 2}
    assert data["rod.x"].dims == ("r", "l", "t") and data["pin.force"].dims == ("r", "l", "t", "component")
    assert float(data["area"].sel(r=1, l=20)) == 20 and data["rod.x"].attrs["units"] == data["r"].attrs["units"] == "m"
    assert not data["done"].sel(r=2).any() and str(data["failure"].values[1, 0]) == "member with r = 2 has no pose"


def test_a_dataset_over_members(normal):
    data = normal.to_xarray("rod.x")
    assert data["rod.x"].dims == ("member", "t") and [*data.data_vars] == ["rod.x", "done", "failure"]
    assert np.allclose(data["rod.x"].sel(t=2), 2 * data["r"]) and (data["l"] == 1).all()


def test_files_hold_what_tables_hold(grid, tmp_path):
    table = grid.to_dataframe()
    with grid.save(tmp_path / "study.csv").open(newline="", encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    assert head[:4] == ["member", "r [m]", "l [m]", "done"] and head[-1] == "failure" and len(rows) == 8
    assert [float(row[head.index("rod.x max [m]")]) for row in rows[:6]] == table["rod.x max"].tolist()[:6]
    assert rows[7][-1] == "member with r = 4 has no pose"
    again = pd.read_parquet(grid.save(tmp_path / "study.parquet"))
    assert again.equals(table) and again.attrs == table.attrs
    sheet = pd.read_excel(grid.save(tmp_path / "study.xlsx"), index_col=0)
    assert np.allclose(sheet["area"], table["area"], equal_nan=True) and sheet["failure"][6] == table["failure"][6]
    with xarray.open_dataset(grid.save(tmp_path / "study.nc")) as data:
        assert data.equals(grid.to_xarray())
    grid.save(tmp_path / "study.mat")
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".csv", ".mat", ".nc", ".parquet", ".xlsx"]


def test_a_message_is_no_formula(model, tmp_path):
    found = made(model, {"r": 1, "l": 1})
    bad = Made(model, found.designs, found.arrays, (Failure(0, {}, "=cmd()", "x"),))
    assert bad.save(tmp_path / "study.csv").read_text(encoding="utf-8").splitlines()[1].endswith(",'=cmd()")


# --- of runs ---


@pytest.fixture(scope="module")
def survey():
    """A four-bar linkage of which some members do not assemble, and some cannot turn so far."""
    model = mbs.PlanarModel("four-bar")
    b, c = model.parameter("b", 0.09, unit="m"), model.parameter("c", 0.07, unit="m")
    crank, coupler = model.link("crank", (0, 0), (0.04, 0)), model.link("coupler", (0.04, 0), (0.1, 0.07), length=b)
    rocker = model.link("rocker", (0.1, 0), (0.1, 0.07), length=c)
    model.add(mbs.Revolute("O", model.ground, crank.tail), mbs.Revolute("A", crank.head, coupler.tail))
    model.add(mbs.Revolute("B", coupler.head, rocker.head), mbs.Revolute("D", model.ground.at(0.1, 0), rocker.tail))
    model.add(mbs.Driver("motor", mbs.angle(model.ground, crank), mbs.t))
    return model, {"b": [0.05, 0.09, 0.13], "c": [0.06, 0.08, 0.12]}


def test_a_map_is_what_a_loop_over_kinematics_finds(survey, monkeypatch):
    model, over = survey
    times, expected, drawn = np.linspace(0, 2 * np.pi, 31), np.full((3, 3), np.nan), []
    for i, j in np.ndindex(3, 3):
        with suppress(mbs.MbsError):
            one = mbs.kinematics(model.with_parameters(b=over["b"][i], c=over["c"][j]), times)
            expected[i, j] = np.abs(one["rocker.omega"]).max()
    assert 2 <= np.isnan(expected).sum() <= 6
    monkeypatch.setattr("mbs_dae.view.charts.studies.plot_map", lambda *given: drawn.append(given))
    found = mbs.ensemble(model, times, over=over, verb="kinematics", outputs=["rocker.omega"])
    found.plot_map("rocker.omega", "abs")
    ((x, y, z, axes, quantity, _),) = drawn
    assert np.array_equal(z, expected, equal_nan=True) and (x.tolist(), y.tolist()) == (over["b"], over["c"])
    assert (axes, quantity) == ((("b", "m"), ("c", "m")), ("largest |rocker.omega|", "rad/s"))
    worst = found.worst("rocker.omega", "abs")
    assert abs(worst.value) == np.nanmax(expected) and np.isnan(found.array("rocker.omega")).all(axis=1).sum() >= 2


def test_vectors_of_runs_have_the_names_of_their_components(survey):
    model, _ = survey
    found = mbs.ensemble(model, [0, 1], over={"b": [0.09, 0.1]}, verb="inverse_dynamics", outputs=["B.force", "D.F"])
    assert [*found.to_dataframe(times=True).columns] == ["b", "B.Fx", "B.Fy", "D.Fx", "D.Fy"]
    assert found.unit("B.force") == "N" and found.percentiles("B.force").name == "|B.force|"
    assert found.to_xarray()["B.force"].dims == ("b", "t", "component")


def test_a_saved_study_is_told_without_its_model_too(survey, tmp_path):
    model, over = survey
    made = mbs.ensemble(model, [0, 0.5], over=over, verb="kinematics", outputs=["rocker.angle"], save=tmp_path / "kept")
    again, with_model = mbs.load_ensemble(tmp_path / "kept"), mbs.load_ensemble(tmp_path / "kept", model)
    assert str(with_model.summary()) == str(made.summary())
    assert str(again.summary()).split() == str(made.summary()).replace("rad ", "    ").split()
    assert [*again.to_dataframe().columns] == [*made.to_dataframe().columns]
    assert again.to_xarray()["rocker.angle"].dims == ("b", "c", "t")
    again.plot_map("rocker.angle")


# --- what is refused ---

REFUSED = {
    "no map of rows": (lambda e: e.plot_map("area"), "over two names, and this ensemble is not a grid"),
    "no such reduction": (lambda e: e.plot_histogram("rod.x", "mean"), "reduce is 'mean'; choose one of 'max', 'min'"),
    "a list": (lambda e: e.plot_histogram("rod.x", lambda x: x), "it must give one number"),
    "degrees of lengths": (lambda e: e.plot_band("rod.x", degrees=True), "and 'rod.x' is in m; leave it out"),
    "millimetres": (lambda e: e.plot_histogram("rod.x", max, unit="mm"), "values are SI"),
    "over a hundred": (lambda e: e.percentiles("rod.x", (5, 120)), "percentiles are numbers from 0 to 100"),
    "none": (lambda e: e.percentiles("rod.x", ()), "percentiles are numbers from 0 to 100"),
    "a text": (lambda e: e.percentiles("rod.x", ("5",)), "a percentile must be a number, not '5'"),
    "another percentile": (lambda e: e.percentiles("rod.x")[10], "no percentile 10 of 'rod.x', but 5, 50, 95"),
    "by what": (lambda e: e.worst("rod.x", "largest"), "by is 'largest'; choose one of 'max', 'min', 'abs'"),
    "another ending": (lambda e: e.save("study.zip"), "end the name in one of .nc, .csv, .xlsx, .mat, .parquet"),
    "no ending": (lambda e: e.save("study"), "its name has no ending"),
}


@pytest.mark.parametrize("call, message", REFUSED.values(), ids=REFUSED)
def test_what_makes_no_sense_is_refused(model, call, message):
    rows = made(model, [{"r": 1, "l": 1}, {"r": 2, "l": 2}])
    with pytest.raises(ModelError) as error:
        call(rows)
    assert message in str(error.value)


def test_a_map_of_three_names_says_which(model):
    found = designs(model, {"r": [1, 2], "l": [1, 2], "rod.x": [0, 1]})
    with refused("no-grid-of-two-names", names=["r", "l", "initial rod.x"]):
        Made(model, found, {"area": found["r"]}).plot_map("area")
