"""Files by the endings of their names: what is written comes back, and no name does harm."""

from __future__ import annotations

import csv
import io
import sys
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.text import Text
from refusals import refused
from scipy.io import loadmat

import mbs_dae as mbs
from mbs_dae.results.files import tables
from mbs_dae.results.files.exports import FORMULAS, LONGEST

STRANGE = [
    '=HYPERLINK("http://a","b")', "+1", "-1", "@SUM(A1)", "a;=1+1", 'quote"d', "two\nlines", "\u05e9\u05dc\u05d5\u05dd",
    "\u202egpj", "<script>alert(1)</script>", "--><script>", "a/b", "//up", "end", "A_B", "a_b", "a b", "φ",
    "9", "x" * 100, "x" * 101, "_under", "t",
]  # fmt: skip
NEEDS = {".nc": "h5py", ".xlsx": "openpyxl", ".parquet": "pyarrow"}


@pytest.fixture(scope="module")
def run():
    """With forces, impacts, states of contacts, and events with what was read."""
    model = mbs.PlanarModel("yard", gravity=(0, -9.81))
    body = model.body("ball", mass=2.0, inertia=0.008, position=(0, 1.1))
    model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Disk(body, 0.1), restitution=0.5, friction=0.3))
    model.add(mbs.Spring("spring", model.ground.at(0, 2), body, stiffness=1.0, length=0.5))
    model.add(mbs.Event("high", model["floor.gap"] - 0.2))
    model.state("way", rate=model["ball.vx"], unit="m")
    return mbs.simulate(model, np.linspace(0, 2, 21), {"ball.vx": 1.0})


@pytest.fixture
def strange(interpreted_kernels):
    """A rod with many strange springs."""
    model = mbs.PlanarModel("a <b> & </title><script>alert(1)</script>")
    rod = model.body("rod", mass=1.0, inertia=1.0)
    model.add(mbs.Revolute("A", model.ground, rod), mbs.Driver("motor", mbs.angle(model.ground, rod), mbs.t))
    for name in STRANGE:
        model.add(mbs.Spring(name, model.ground.at(1, 0), rod.at(0, 1), stiffness=1.0))
    return mbs.kinematics(model, [0.0, 0.1, 0.2])


def saved(result, folder, ending):
    if ending.lower() in NEEDS:
        pytest.importorskip(NEEDS[ending.lower()])
    return result.save(folder / f"run{ending}")


@pytest.mark.parametrize("ending", [".npz", ".nc", ".NC", ""])
def test_all_that_a_result_knows_comes_back(ending, run, tmp_path):
    path = saved(run, tmp_path, ending)
    again = mbs.load(tmp_path / f"run{ending}")
    assert [*tmp_path.iterdir()] == [path] and run.impacts and run.events and run.modes
    for what in ("t", "q", "v", "a", "multipliers"):
        assert np.array_equal(getattr(again, what), getattr(run, what))
    for what in ("title", "coordinate_names", "success", "message", "axis", "sketch", "names", "all_names"):
        assert getattr(again, what) == getattr(run, what)
    for name in run.all_names:
        assert np.array_equal(again[name], run[name], equal_nan=True) and again.unit(name) == run.unit(name)
    for name in ("floor", "spring"):
        assert np.array_equal(again.reaction(name, "second"), run.reaction(name, "second"))
        assert np.array_equal(again.is_unique(name), run.is_unique(name))
    assert np.array_equal(again.violation.rows, run.violation.rows)
    assert np.array_equal(again.smallest_singular_value, run.smallest_singular_value)
    assert {name: states.tolist() for name, states in again.modes.items()} == {"floor": run.modes["floor"].tolist()}
    assert [(event.t, event.name) for event in again.events] == [(event.t, event.name) for event in run.events]
    assert again.events[0].state["ball"] == pytest.approx(run.events[0].state["ball"], abs=0)
    for new, old in zip(again.impacts, run.impacts, strict=True):
        assert (new.t, new.contacts, new.energy_lost, new.rests) == (old.t, old.contacts, old.energy_lost, old.rests)
        assert all(np.array_equal(new.impulses[name], old.impulses[name]) for name in old.impulses)
    assert dict(again.stats).keys() == dict(run.stats).keys()


def test_a_kinematic_result_comes_back_from_nc(strange, tmp_path):
    again = mbs.load(saved(strange, tmp_path, ".nc"))
    assert again.all_names == strange.all_names and again.reactions is None and again.title == strange.title
    assert all(np.array_equal(again[name], strange[name]) for name in strange.names)


def headings(result):
    return [f"{name} [{result.unit(name)}]" if result.unit(name) else name for name in result.scalar_names]


def test_csv(run, tmp_path):
    with saved(run, tmp_path, ".csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == ["t [s]", *headings(run)] and len(rows) == len(run)
    for name, column in zip(["t", *run.scalar_names], np.array(rows, dtype=float).T, strict=True):
        assert np.array_equal(column, run.t if name == "t" else run[name], equal_nan=True)


def test_pandas_reads_csv_and_xlsx(run, tmp_path):
    pandas = pytest.importorskip("pandas")
    tables = [pandas.read_csv(saved(run, tmp_path, ".csv"), index_col=0)]
    tables += [pandas.read_excel(saved(run, tmp_path, ".xlsx"), index_col=0)]
    for table in tables:
        assert list(table.columns) == headings(run) and table.index.name == "t [s]"
        assert table["floor.Fy [N]"].to_numpy() == pytest.approx(run["floor.Fy"], rel=1e-15, abs=0)


def test_mat(run, tmp_path):
    found = loadmat(saved(run, tmp_path, ".mat"), simplify_cells=True)
    told = found["mbs_dae"]
    assert told["names"].tolist() == ["t", *run.scalar_names] and told["title"] == run.title
    for name, variable, unit in zip(*(told[what] for what in ("names", "variables", "units")), strict=True):
        assert np.array_equal(found[variable], run.t if name == "t" else run[name], equal_nan=True)
        assert (unit if len(unit) else "") == ("s" if name == "t" else run.unit(name))
    assert np.array_equal(found["ball_vx"], run["ball.vx"])


def test_parquet(run, tmp_path):
    pandas = pytest.importorskip("pandas")
    table = pandas.read_parquet(saved(run, tmp_path, ".parquet"))
    assert list(table.columns) == run.scalar_names and table.attrs["units"]["spring.power"] == "W"
    assert np.array_equal(table["way"], run["way"]) and np.array_equal(table.index, run.t)


def test_dataframes_have_units(run):
    pytest.importorskip("pandas")
    table = run.to_dataframe("ball", "floor.F", "spring.effort", "energy.total")
    columns = ["ball.x", "ball.y", "floor.Fx", "floor.Fy", "spring.effort", "energy.total"]
    assert list(table.columns) == columns and table.index.name == "t"
    assert table.attrs["units"] == dict(zip(["t", *columns], ["s", "m", "m", "N", "N", "N", "J"], strict=True))
    assert table.iloc[:3].attrs["long_names"]["floor.Fx"] == "force along x of floor"
    assert list(run.to_dataframe().columns) == run.names


def test_datasets_have_units(run, tmp_path):
    xarray, _ = pytest.importorskip("xarray"), pytest.importorskip("h5netcdf")
    found = run.to_xarray("ball", "spring.power")
    assert found["ball"].dims == ("t", "component") and found["component"].values.tolist() == ["x", "y"]
    assert np.array_equal(found["ball"], run["ball"]) and found["t"].attrs == {"units": "s", "long_name": "time"}
    assert found["spring.power"].attrs == {"units": "W", "long_name": "power of spring"}
    assert list(run.to_xarray().data_vars) == run.names
    with xarray.open_dataset(saved(run, tmp_path, ".nc"), engine="h5netcdf") as stored:
        assert stored["floor.Fy"].attrs["units"] == "N" and np.array_equal(stored["way"], run["way"])


# --- strange names ----------------------------------------------------------------------------------------------


def test_strange_names_are_text_in_csv(strange, tmp_path):
    path = saved(strange, tmp_path, ".csv")
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert all(len(row) == len(header) == len(strange.names) + 4 for row in rows)
    assert not [cell for cell in header if cell.startswith(FORMULAS)]
    assert '\'=HYPERLINK("http://a","b").distance [m]' in header
    assert '"a;=1+1.distance [m]"' in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["bell\x07", "\0", "half \ud800"])
def test_names_that_no_file_holds_are_refused(name):
    """They may still come out of files of strangers."""
    model = mbs.PlanarModel("m")
    says = [mbs.PlanarModel, model.body, lambda name: model.parameter("p", 1.0, unit=name)]
    says += [lambda name: model.add(mbs.Torque(name, body, 1.0)), lambda name: model.state("s", unit=name)]
    body = model.body("rod")
    for say in says:
        with refused("not-writable-text"):
            say(name)
    assert tables.fit(name).endswith("\N{REPLACEMENT CHARACTER}") and len(model.elements) == 0


def test_a_sweep_over_any_name(interpreted_kernels, tmp_path):
    model = mbs.PlanarModel("m")
    rod = model.body("rod", position=(model.parameter("mbs_dae", 1.0, unit="m"), 0))
    model.add(mbs.Fixed("weld", model.ground, rod))
    result = mbs.sweep(model, "mbs_dae", [1.0, 2.0])
    again = mbs.load(saved(result, tmp_path, ".nc"))
    assert again.axis == ("mbs_dae", "m") and np.array_equal(again["rod.x"], result["rod.x"])


def test_strange_names_are_text_in_xlsx(strange, tmp_path):
    path = saved(strange, tmp_path, ".xlsx")
    (first, *_) = pytest.importorskip("openpyxl").load_workbook(path)["result"].iter_rows()
    assert {cell.data_type for cell in first} == {"s"} and first[0].value == "t [s]"
    assert {tables.fit(f"{name}.distance [m]") for name in STRANGE} <= {cell.value for cell in first}


def test_strange_names_are_variables_in_mat(strange, tmp_path):
    found = loadmat(saved(strange, tmp_path, ".mat"), simplify_cells=True)
    variables = found["mbs_dae"]["variables"].tolist()
    assert len({name.lower() for name in variables}) == len(variables) == len(strange.scalar_names) + 1
    for name, variable in zip(found["mbs_dae"]["names"], variables, strict=True):
        assert variable.isascii() and variable.isidentifier() and variable[0].isalpha() and len(variable) <= LONGEST
        known = next((one for one in strange.scalar_names if tables.fit(one) == name), None)
        assert np.array_equal(found[variable], strange.t if known is None else strange[known])


def test_strange_titles_are_text_in_svg(strange, tmp_path):
    path = saved(strange, tmp_path, ".svg")
    names = {element.tag.rpartition("}")[2] for element in ElementTree.parse(path).iter()}
    assert "svg" in names and not names & {"script", "foreignObject", "image"}


@pytest.mark.filterwarnings("ignore:Glyph 7")
def test_strange_names_are_words_in_svg(tmp_path, interpreted_kernels):
    """As they were given; what no file of XML may have is seen as such."""
    names = ["<script>alert(1)</script>", "quote\"d's", "a & b", "\u05e9\u05dc\u05d5\u05dd", "$x_1$", "-->"]
    model = mbs.PlanarModel("strange")
    for k, name in enumerate(names):
        model.add(mbs.Fixed(f"weld{k}", model.ground, model.link(name, (k, 0), (k, 1)), at=(k, 0)))
    path = tmp_path / "run.svg"
    figure = mbs.assemble(model).draw()
    figure.suptitle("bell\x07")
    figure.savefig(path)
    said = {element.text for element in ElementTree.parse(path).iter() if element.tag.endswith("}text")}
    assert said >= {*names, "bell\ufffd"}


def test_svg_is_the_same_again_and_leaves_the_picture_as_it_was(run, tmp_path):
    figure = run.draw(0)
    words = [word for word in figure.findobj(Text) if word.get_path_effects()]
    written = io.BytesIO()
    figure.savefig(tmp_path / "one.svg")
    figure.savefig(written, format="svg")
    assert (tmp_path / "one.svg").read_bytes() == written.getvalue() and b"Date" not in written.getvalue()
    assert b"paint-order: stroke" in written.getvalue() and b'id="halo-' in written.getvalue()
    assert words and all(word.get_path_effects() for word in words)


def test_pictures(run, tmp_path):
    assert saved(run, tmp_path, ".png").read_bytes().startswith(b"\x89PNG")


# --- what is missing or wrong -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ending", "missing", "extra"),
    [(".nc", "h5py", "data"), (".xlsx", "openpyxl", "data"), (".parquet", "pyarrow", "parquet")],
)
def test_a_missing_package_is_told(ending, missing, extra, run, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, missing, None)
    with refused("package-missing", mentions=[missing, extra]):
        run.save(tmp_path / f"run{ending}")
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("package", ["pandas", "xarray"])
def test_missing_tables_are_told(package, run, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    with refused("package-missing", mentions=[package, "mbs_dae[data]"]):
        run.to_dataframe() if package == "pandas" else run.to_xarray()


def test_damaged_nc_is_refused(run, tmp_path):
    path = saved(run, tmp_path, ".nc")
    data = path.read_bytes()
    for size in (0, 10, len(data) // 2, len(data) - 1):
        path.write_bytes(data[:size])
        with refused("cannot-read-file"):
            mbs.load(path)
    with refused("no-such-file"):
        mbs.load(tmp_path / "none.nc")
    with refused("cannot-write-file"):
        run.save(tmp_path / "no" / "run.nc")


def test_alien_and_inconsistent_nc_is_refused(run, tmp_path):
    h5py, path = pytest.importorskip("h5py"), tmp_path / "run.nc"
    with h5py.File(path, "w") as file:
        file["x"] = [1.0, 2.0]
    with refused("cannot-read-file"):
        mbs.load(path)
    wrong = {"q": np.zeros((3, 3)), "v": np.array([b"text"] * 21), "modes": np.zeros(2), "header": [1]}
    for name, array in wrong.items():
        saved(run, tmp_path, ".nc")
        with h5py.File(path, "a") as file:
            del file[f"mbs_dae/{name}"]
            file[f"mbs_dae/{name}"] = array
        with refused(("cannot-read-file", "damaged-file")):
            mbs.load(path)


def test_a_sheet_has_so_many_columns(run, tmp_path, monkeypatch):
    pytest.importorskip("openpyxl")
    monkeypatch.setattr("mbs_dae.results.files.exports.COLUMNS", 10)
    with refused("too-large-for-sheet", rows=21, mentions="1048576 rows"):
        run.save(tmp_path / "run.xlsx")
