"""Pictures, tables and files show numbers in engineering units, each with its unit; arrays stay in SI."""

from __future__ import annotations

import inspect
import json
import re

import numpy as np
import pytest
from refusals import refused

import mbs_dae as mbs

TRADE = mbs.units("deg", "mm", "rpm", "kN", "Nmm", "ms")


@pytest.fixture(scope="module")
def model():
    made = mbs.PlanarModel("press", gravity=(0, -9.81))
    length = made.parameter("l", 0.3, unit="m")
    crank = made.link("crank", (0, 0), (0.1, 0), mass=1)
    rod = made.link("rod", (0.1, 0), (0.4, 0), length=length, mass=1)
    ram = made.body("ram", mass=1, inertia=1, position=(0.4, 0))
    pin = mbs.Revolute("A", made.ground, crank.tail)
    made.add(pin, mbs.Revolute("B", crank.head, rod.tail), mbs.Revolute("C", rod.head, ram))
    made.add(mbs.Translational("guide", made.ground, ram), mbs.Driver("motor", mbs.angle(pin), 10 * mbs.t))
    return made


@pytest.fixture(scope="module")
def motion(model):
    return mbs.inverse_dynamics(model, np.linspace(0, 0.6, 13))


# --- the table ---


@pytest.mark.parametrize(
    ("word", "unit", "size"),
    [
        ("deg", "rad", np.pi / 180), ("rpm", "rad/s", 2 * np.pi / 60), ("mm", "m", 1e-3), ("bar", "Pa", 1e5),
        ("Nmm", "N m", 1e-3), ("kN/mm", "N/m", 1e6), ("km/h", "m/s", 1 / 3.6), ("lbf", "N", 4.4482216152605),
        ("psi", "Pa", 6894.757293168), ("g", "kg", 1e-3), ("min", "s", 60.0), ("in", "m", 0.0254), ("kW", "W", 1e3),
    ],
)  # fmt: skip
def test_a_unit_has_its_size(word, unit, size):
    known = mbs.units(word)
    assert known.unit(unit) == word
    with known:
        held = mbs.PlanarModel.from_points({"A": (0, 0), "B": (1, 0)}, rods={"rod": "AB"}, fixed="A")
        held.parameter("p", 1.0, unit=unit)
        table = mbs.ensemble(held, [0.0], over={"p": [1.0, 2.0]}, outputs=["rod.x"], verb="simulate").to_dataframe()
    assert table[f"p [{word}]"].tolist() == pytest.approx([1 / size, 2 / size], rel=1e-12)


def test_words_change_within_longer_units_but_not_in_torques():
    trade = mbs.units("deg", "mm", "rpm")
    units = ["rad/s", "rad/s²", "m/s", "m²", "N m", "N m/rad", "N/m", "J", "m or rad", "", "K"]
    read = ["rpm", "deg/s²", "mm/s", "mm²", "N m", "N m/deg", "N/mm", "J", "m or rad", "", "K"]
    assert [*map(trade.unit, units)] == read


REFUSED = {
    "no unit": (lambda r: mbs.units("dge"), ("unknown-unit", "dge", "deg")),
    "two of angles": (lambda r: mbs.units("deg", "rev"), ("given-twice", "deg", "rev")),
    "a length for an angle": (
        lambda r: r.plot("rod.angle", units={"rod.angle": "mm"}),
        ("unit-does-not-fit", "rod.angle", "rad"),
    ),
    "nothing is in mm": (lambda r: r.plot("rod.angle", units="mm"), ("unit-of-nothing-shown", "mm", "units=")),
    "no angle": (lambda r: r.plot("ram.x", degrees=True), ("unit-of-nothing-shown", "True", "degrees")),
    "another name": (
        lambda r: r.plot("rod.angle", units={"rod.angel": "deg"}),
        ("name-not-shown", "rod.angel"),
    ),
    "both": (lambda r: r.plot("rod.angle", degrees=True, units="rev"), ("contradictory-arguments",)),
    "a file for the machine": (lambda r: r.save("r.npz", units="deg"), ("not-supported", "SI")),
    "a number": (lambda r: r.plot("rod.angle", units=3), ("wrong-type", "units")),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_does_not_fit_is_refused_by_name(case, motion, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    call, words = REFUSED[case]
    with refused(words[0], mentions=words[1:]):
        call(motion)


# --- pictures ---


def test_a_plot_shows_numbers_and_labels_in_one_unit(motion):
    figure = motion.plot("crank.angle", "crank.omega", "ram.x", "A.force", "motor.effort", units=TRADE)
    labels = [ax.get_ylabel() for ax in figure.axes]
    assert labels == ["angle [deg]", "angular velocity [rpm]", "length [mm]", "A.force [kN]", "torque [Nmm]"]
    assert figure.axes[-1].get_xlabel() == "t [ms]"
    drawn = [ax.lines[0].get_ydata() for ax in figure.axes]
    inside = [motion[name] for name in ("crank.angle", "crank.omega", "ram.x", "A.Fx", "motor.effort")]
    factors = [180 / np.pi, 30 / np.pi, 1e3, 1e-3, 1e3]
    for shown, values, factor in zip(drawn, inside, factors, strict=True):
        assert shown == pytest.approx(factor * values, rel=1e-14, abs=1e-12)
    assert figure.axes[0].lines[0].get_xdata() == pytest.approx(1e3 * motion.t)


def test_quantities_of_one_dimension_in_two_units_have_two_panels(motion):
    figure = motion.plot("crank.angle", "rod.angle", units={"rod.angle": "deg"})
    assert [ax.get_ylabel() for ax in figure.axes] == ["angle [rad]", "angle [deg]"]
    assert np.array_equal(figure.axes[0].lines[0].get_ydata(), motion["crank.angle"])


def test_a_constant_curve_is_level_and_its_scale_includes_zero():
    model = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=2)
    model.add(mbs.Driver("motor", mbs.angle(model.elements["A"]), 10 * mbs.t))
    run = mbs.simulate(model, np.linspace(0, 0.6, 31))
    assert 0 < np.ptp(run["rod.omega"]) < 1e-9  # roundoff
    low, high = run.plot("rod.omega").axes[0].get_ylim()
    assert low <= 0.0 < 10.0 < high
    low, high = run.plot("rod.angle").axes[0].get_ylim()
    assert low > -1.0 and high < 7.0


def test_a_pressure_is_called_by_its_name():
    model = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=2)
    model.state("p", initial=1e5, rate=lambda p: 2e5 - p, unit="Pa")
    run = mbs.simulate(model, [0, 0.5, 1])
    assert run.plot("p", units="bar").axes[0].get_ylabel() == "pressure [bar]"


def test_a_drawing_is_read_in_millimetres(motion):
    figure = motion.draw(3, units="mm")
    ax = figure.axes[0]
    figure.draw_without_rendering()
    assert ax.get_xlabel() == "x [mm]"
    low, high = ax.get_xlim()
    ticks = [tick for tick in ax.xaxis.get_major_ticks() if low <= tick.get_loc() <= high]
    assert len(ticks) > 2
    for tick in ticks:
        text = tick.label1.get_text().replace("\N{MINUS SIGN}", "-")
        assert float(text) == pytest.approx(1e3 * tick.get_loc(), abs=1e-9)


DRAWN = {
    "Result.plot": lambda r, **how: r.plot("rod.angle", "ram.x", **how),
    "Result.plot_path": lambda r, **how: r.plot_path("rod.head", **how),
    "Result.plot_energy": lambda r, **how: r.plot_energy(**how),
    "Result.plot_reaction": lambda r, **how: r.plot_reaction("A", **how),
    "Result.draw": lambda r, **how: r.draw(**how),
    "Result.animate": lambda r, **how: r.animate("still.png", **how),
    "Result.view": lambda r, **how: r.view(plots="rod.angle", **how),
    "Result.to_dataframe": lambda r, **how: r.to_dataframe("rod.angle", "ram.x", **how),
    "Result.to_xarray": lambda r, **how: r.to_xarray("rod.angle", "ram.x", **how),
    "Result.save": lambda r, **how: r.save("run.csv", **how),
}


def test_every_method_of_results_that_takes_units_is_in_this_list():
    own = {name: one for name, one in inspect.getmembers_static(mbs.Result) if not name.startswith("_")}
    takes = {f"Result.{name}" for name, f in own.items() if callable(f) and "units" in inspect.signature(f).parameters}
    assert takes == set(DRAWN)


@pytest.mark.parametrize("name", DRAWN)
def test_every_method_takes_units_and_degrees(name, motion, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    DRAWN[name](motion, units=TRADE)
    method = getattr(mbs.Result, name.partition(".")[2])
    if "degrees" in inspect.signature(method).parameters and name != "Result.animate":
        DRAWN[name](motion, degrees=True)
    assert DRAWN[name](motion) is not None


def test_a_context_holds_until_its_end_and_a_default_until_the_next(motion):
    def label():
        return motion.plot("rod.angle").axes[0].get_ylabel()

    with mbs.units("deg"):
        assert label() == "angle [deg]"
        with mbs.units("rev"):
            assert label() == "angle [rev]"
        assert label() == "angle [deg]"
        assert motion.unit("rod.angle") == "rad"
    assert label() == "angle [rad]"
    mbs.units("deg").set_default()
    try:
        assert label() == "angle [deg]"
    finally:
        mbs.units().set_default()
    assert label() == "angle [rad]"


# --- tables and files ---


def test_tables_have_their_units_in_their_headings(motion):
    table = motion.to_dataframe("rod.angle", "ram.x", "A.force", units=TRADE)
    assert [*table.columns] == [
        "rod.angle [deg]",
        "ram.x [mm]",
        "A.Fx [kN]",
        "A.Fy [kN]",
    ] and table.index.name == "t [ms]"
    assert table["rod.angle [deg]"].to_numpy() == pytest.approx(np.degrees(motion["rod.angle"]))
    assert [*motion.to_dataframe("rod.angle").columns] == ["rod.angle"]


def test_once_units_are_chosen_every_heading_has_its_unit(model, motion):
    """Also of quantities that these units leave in SI: the reader need not know which they are."""
    names = "crank.omega", "ram.x", "ram.vx", "motor.effort", "A.force", "violation.position"
    headings = ["crank.omega [rad/s]", "ram.x [mm]", "ram.vx [mm/s]", "motor.effort [N m]", "A.Fx [N]", "A.Fy [N]"]
    for units in ("mm", {"ram.x": "mm", "ram.vx": "mm/s"}):
        table = motion.to_dataframe(*names, units=units)
        assert [*table.columns] == [*headings, "violation.position [m or rad]"]
        assert table.index.name == "t [s]" and table.attrs["units"]["motor.effort [N m]"] == "N m"
    with mbs.units("mm"):
        assert [*motion.to_dataframe("motor.effort").columns] == ["motor.effort [N m]"]
    with mbs.units():
        assert [*motion.to_dataframe("motor.effort").columns] == ["motor.effort"]
    outputs = ["rod.angle", "ram.x"]
    study = mbs.ensemble(model, motion.t, verb="kinematics", over={"l": [0.3, 0.32]}, outputs=outputs)
    over_time = study.to_dataframe(times=True, units="deg")
    assert [*over_time.columns] == ["l [m]", "rod.angle [deg]", "ram.x [m]"]
    assert over_time.index.names == ["member", "t [s]"]
    heads = ["l [m]", "done", "rod.angle min [deg]", "rod.angle max [deg]", "ram.x min [m]", "ram.x max [m]", "failure"]
    assert [*study.to_dataframe(units="deg").columns] == heads


def test_a_file_in_units_of_the_trade_is_read_back_in_si(motion, tmp_path):
    xarray = pytest.importorskip("xarray")
    path = motion.save(tmp_path / "run.nc", units=TRADE)
    with xarray.open_dataset(path, engine="h5netcdf") as data:
        assert data["rod.angle"].attrs["units"] == "deg"
        assert data["rod.angle"].to_numpy() == pytest.approx(np.degrees(motion["rod.angle"]))
    back = mbs.load(path)
    assert back.unit("rod.angle") == "rad" and np.array_equal(back.t, motion.t)
    for name in motion.names:
        assert np.array_equal(back[name], motion[name]), name


def test_measurements_in_units_of_the_trade_are_fitted_in_si(model, motion):
    true = mbs.kinematics(model.with_parameters(l=0.32), motion.t)
    table = true.to_dataframe("rod.angle", "ram.x", units=mbs.units("deg", "mm", "ms"))
    found = mbs.fit(model, table, over={"l": (0.25, 0.4)}, verb="kinematics")
    assert found.values["l"] == pytest.approx(0.32, rel=1e-8)
    table = true.to_dataframe("rod.omega", "ram.x", "rod.v", units="mm")  # some in SI, each with its unit
    found = mbs.fit(model, table, over={"l": (0.25, 0.4)}, verb="kinematics")
    assert found.values["l"] == pytest.approx(0.32, rel=1e-8)
    table = true.to_dataframe("rod.angle", units=mbs.units("deg", "mm", "ms"))
    with refused("unit-does-not-fit", name="rod.angle", unit="dge"):
        mbs.fit(model, table.rename(columns={"rod.angle [deg]": "rod.angle [dge]"}), over=["l"], verb="kinematics")
    with refused("unit-does-not-fit", name="rod.angle", unit="m"):
        mbs.fit(model, table.rename(columns={"rod.angle [deg]": "rod.angle [mm]"}), over=["l"], verb="kinematics")


def test_a_page_says_how_its_numbers_are_read(motion, tmp_path):
    for live in (False, True):
        path = motion.save(tmp_path / "run.html", units=TRADE, live=live, plots="rod.angle")
        text = re.search(r'<script[^>]*id="data"[^>]*>(.*?)</script>', path.read_text(encoding="utf-8"), re.DOTALL)
        page = json.loads(text[1])
        (angle,) = (one for one in page["curves"] if one["name"] == "rod.angle")
        assert angle["unit"] == "rad" and angle["read"] == {"word": "deg", "size": np.pi / 180}
        assert page["metre"] == {"word": "mm", "size": 1e-3} and page["axisRead"]["word"] == "ms"
        if live:
            assert page["live"]["read"]["l"]["word"] == "mm"


# --- other results ---


def test_frequencies_are_read_in_cycles(motion):
    rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=2,
                                      gravity=(0, -9.81))  # fmt: skip
    law = mbs.linearize(rod)
    ax = law.plot(units="Hz").axes[0]
    (cross,) = (line for line in ax.lines if line.get_marker() == "x")
    assert ax.get_ylabel().endswith("[Hz]")
    assert cross.get_ydata() == pytest.approx(law.frequencies / (2 * np.pi))
    with mbs.units("rpm"):
        assert "frequency [rpm]" in str(law)


def test_studies_and_curves_are_read_in_degrees():
    rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=1)
    study = mbs.ensemble(rod, [0, 1, 2], over={"rod.omega": [1, 2, 3]}, outputs=["rod.angle"])
    table = study.to_dataframe(units=mbs.units("deg", "rpm"))
    assert table["rod.angle max [deg]"].tolist() == pytest.approx(np.degrees([2, 4, 6]))
    assert table["initial rod.omega [rpm]"].tolist() == pytest.approx([30 / np.pi * w for w in (1, 2, 3)])
    with mbs.units("deg", "rpm"):
        assert "max rod.angle  deg" in str(study.summary()) and "343.775 deg" in str(study.worst("rod.angle"))
    crank = mbs.PlanarModel.from_points({"A": (0, 0), "B": (1, 0)}, rods={"crank": "AB"}, fixed="A")
    ax = mbs.follow(crank, "crank.angle").plot("crank.B.y", units=mbs.units("deg", "mm")).axes[0]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("crank.angle [deg]", "crank.B.y [mm]")
    assert np.ptp(ax.lines[0].get_xdata()) == pytest.approx(360) and max(ax.lines[0].get_ydata()) > 990


# --- forces of bearings ---


def test_circles_of_a_hodograph_reach_to_the_force_of_a_heavy_rotor():
    """981 N of weight, and 40 N of unbalance: circles are about the joint, of hundreds of newtons."""
    rotor = mbs.PlanarModel("rotor", gravity=(0, -9.81))
    body = rotor.body("rotor", mass=100, inertia=1, com=(0.001, 0))
    rotor.add(mbs.Revolute("A", rotor.ground, body), mbs.Driver("motor", mbs.angle(body), 20 * mbs.t))
    result = mbs.inverse_dynamics(rotor, np.linspace(0, 0.32, 101))
    for units, unit, factor in ((None, "N", 1.0), ("kN", "kN", 1e-3)):
        ax = result.plot_reaction("A", polar=True, units=units).axes[0]
        radii = [float(text.get_text().removesuffix(f" {unit}")) for text in ax.texts]
        assert radii == pytest.approx([500 * factor, 1000 * factor])
        (inset,) = ax.child_axes
        low, high = inset.get_ylim()
        assert low < 941 * factor and high > 1021 * factor and high - low < 150 * factor


def test_gas_that_presses_on_cylinder_and_piston_does_not_shake_the_frame(model):
    (guide,) = (one for one in model.conditions if one.name == "guide")
    engine = model.plus(mbs.Actuator("gas", guide, -5e4))
    times = np.linspace(0, 0.6, 13)
    still, loaded = mbs.inverse_dynamics(model, times), mbs.inverse_dynamics(engine, times)
    assert np.abs(loaded.reaction("B")[:, 0] - still.reaction("B")[:, 0]).max() > 4e4
    assert np.abs(loaded.shaking().total - still.shaking().total)[:, :2].max() < 1e-9 * 5e4


# --- beside one another ---


def test_two_results_in_one_plot_are_told_apart_without_colours(model, motion):
    other = mbs.inverse_dynamics(model.with_parameters(l=0.25), motion.t)
    ax = motion.plot("crank.angle", "rod.angle", degrees=True, beside={"short rod": other}).axes[0]
    labels = ["crank.angle", "rod.angle", "crank.angle, short rod", "rod.angle, short rod"]
    assert [line.get_label() for line in ax.lines] == labels
    assert len({(line.get_linestyle(), line.get_marker()) for line in ax.lines}) == 4
    assert ax.lines[3].get_ydata() == pytest.approx(np.degrees(other["rod.angle"]))
    with refused("not-a-result", argument="beside"):
        motion.plot("rod.angle", beside="other")


def test_a_model_is_drawn_as_it_is_assembled(model):
    assert model.draw(0.1, units="mm").axes[0].get_xlabel() == "x [mm]"


def test_the_mode_of_a_slow_turn_and_a_long_slide_moves_most_where_its_points_do():
    """A carriage slides 1 m while its wheel of 10 m turns by 0.5 rad: the wheel's rim goes farther."""
    made = mbs.PlanarModel("carriage")
    slide = made.body("slide", mass=1.0, inertia=1.0)
    wheel = made.link("wheel", (-10, 0), (10, 0), mass=1.0)
    guide = made.add(mbs.Translational("guide", made.ground, slide))
    made.add(mbs.Revolute("pin", slide, wheel.at(0, 0)))
    made.add(mbs.Constraint("law", slide, wheel, phi=lambda i, j: [j.angle - i.x / 2]))
    made.add(mbs.SpringDamper("spring", made.ground.at(-30, 0), slide, stiffness=100.0, length=30.0))
    law = mbs.linearize(made)
    shape = law.mode(1).shape
    assert abs(shape["slide.x"]) > abs(shape["wheel.angle"]) and guide.name == "guide"
    assert str(law).splitlines()[1].endswith("wheel.angle")


def test_options_and_members_are_told_by_name(model):
    with refused("unknown-name", owner="simulate()", kind="option", name="tol", near=["rtol", "atol"]):
        mbs.simulate(model, [0, 1], tol=1e-6)
    rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=1)
    study = mbs.ensemble(rod, [0, 1], over={"rod.omega": [1, 2]}, outputs=["rod.angle"])
    assert np.array_equal(study["rod.angle"], study.array("rod.angle"))
    with refused("wrong-type", argument="name", value=0):
        study[0]
