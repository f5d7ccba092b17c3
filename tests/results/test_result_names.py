"""All that a result tells by name: vectors, what follows from forces, violations; in memory and out of files."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
import sympy as sp
from helpers import slider_crank
from refusals import refused

import mbs_dae as mbs

TIMES = np.linspace(0, 1, 5)


def marked(**options):
    model = slider_crank(**options)
    model.bodies["rod"].marker("tip", 0.2, 0.3)
    return model


@pytest.fixture(scope="module")
def run():
    return mbs.inverse_dynamics(marked(), TIMES)


@pytest.fixture(scope="module")
def top():
    """In space: a body on a ball, with a spring beside it."""
    model = mbs.SpatialModel("top", gravity=(0, 0, -9.81))
    body = model.body("body", mass=2.0, inertia=(0.1, 0.2, 0.3), com=(0, 0, 0.5))
    body.marker("a", 0, 0, 1)
    model.add(mbs.Spherical("ball", model.ground, body))
    model.add(mbs.Spring("spring", model.ground.at(1, 0, 1), body.a, stiffness=3.0, length=0.5))
    return mbs.simulate(model, np.linspace(0, 0.1, 3), {"body.wz": 5.0, "body.wx": 0.3})


def together(result, *names):
    return np.stack([result[name] for name in names], axis=1)


def test_vectors_are_their_components(run):
    for name, parts in {
        "rod": ("rod.x", "rod.y"),
        "rod.tip": ("rod.tip.x", "rod.tip.y"),
        "rod.tip.v": ("rod.tip.vx", "rod.tip.vy"),
        "rod.tip.a": ("rod.tip.ax", "rod.tip.ay"),
        "B.force": ("B.Fx", "B.Fy"),
        "B.F": ("B.Fx", "B.Fy"),
    }.items():
        assert run.components(name) == parts and name in run and run.unit(name) == run.unit(parts[0])
        assert np.array_equal(run[name], together(run, *parts)) and not run[name].flags.writeable
    assert run["rod.omega"].shape == TIMES.shape  # in the plane it is a number
    assert run["rod.tip"] - run["rod"] == pytest.approx(np.einsum("tij,j->ti", run.rotation("rod"), [0.2, 0.3]))


def test_vectors_in_space(top):
    assert np.array_equal(top["body.omega"], together(top, "body.wx", "body.wy", "body.wz"))
    assert np.array_equal(top["body.alpha"], together(top, "body.alphax", "body.alphay", "body.alphaz"))
    assert np.array_equal(top["ball.force"], top.reaction("ball")[:, :3])
    assert np.array_equal(top["ball.moment"], top.reaction("ball")[:, 3:])
    assert (top.unit("body.omega"), top.unit("ball.force"), top.unit("ball.moment")) == ("rad/s", "N", "N m")
    assert top["spring.power"] == pytest.approx(top["spring.effort"] * top["spring.distance_rate"])
    assert (top.unit("spring.effort"), top.unit("spring.power")) == ("N", "W")
    point, omega = top["body.a"] - top["body"], top["body.omega"]
    assert top["body.a.v"] == pytest.approx(top["body.v"] + np.cross(omega, point), abs=1e-12)


def test_a_marker_goes_before_a_word(top):
    """The body has a marker "a": this is its place, and no acceleration."""
    assert top.components("body.a") == ("body.a.x", "body.a.y", "body.a.z") and top.unit("body.a") == "m"
    assert "body.a" in top.all_names and top.all_names.count("body.a") == 1


def test_what_follows_from_forces(run):
    assert np.array_equal(run["motor.effort"], run.effort("motor")) and run.unit("motor.effort") == "N m"
    assert np.array_equal(run["motor.power"], run.power("motor")) and run.unit("motor.power") == "W"
    assert np.array_equal(together(run, "B.Fx", "B.Fy", "B.M"), run.reaction("B"))
    assert (run.unit("B.Fx"), run.unit("B.M")) == ("N", "N m")
    for name in ("kinetic", "potential", "dissipated", "supplied", "total", "error"):
        assert np.array_equal(run[f"energy.{name}"], getattr(run.energy, name)) and run.unit(f"energy.{name}") == "J"
    for name, unit in {"position": "m or rad", "velocity": "m/s or rad/s", "acceleration": "m/s² or rad/s²"}.items():
        assert np.array_equal(run[f"violation.{name}"], getattr(run.violation, name))
        assert run.unit(f"violation.{name}") == unit


def test_every_name_can_be_read(run, top):
    for result in (run, top):
        assert [*dict.fromkeys(result.all_names)] == result.all_names
        assert {*result.names} < {*result.scalar_names} < {*result.all_names}
        for name in result.all_names:
            assert name in result and result.unit(name) and len(result[name]) == len(result)
            assert (result[name].ndim == 1) == (name in result.scalar_names)
    assert {"rod", "rod.tip.v", "B.force", "motor.effort", "energy.total"} <= {*run.all_names}
    assert {"body.omega", "body.alpha", "ball.moment", "body.v"} <= {*top.all_names}
    assert not any("guide.effort" in name or "guide.power" in name for name in run.all_names)


@pytest.mark.parametrize("ending", ["npz", "nc"])
def test_a_result_from_a_file_knows_the_same(ending, run, top, tmp_path):
    if ending == "nc":
        pytest.importorskip("h5py")
    for result in (run, top):
        again = mbs.load(result.save(tmp_path / f"again.{ending}"))
        assert again.all_names == result.all_names
        for name in result.all_names:
            assert np.array_equal(again[name], result[name]) and again.unit(name) == result.unit(name)
        with refused("unknown-name", owner="the result", kind="quantity", name="energy.totl", near=["energy.total"]):
            again["energy.totl"]


@pytest.mark.parametrize(
    ("name", "meant"),
    [("B.froce", "'B.force'"), ("rod.tp", "'rod.tip'"), ("rod.tip.w", "rod.tip.v"), ("energy.kin", "kinetic"),
     ("guide.effort", "'guide.force'"), ("slidr", "'slider'"), ("violation", "violation.position"), ("", "one of")],
)  # fmt: skip
def test_what_is_misspelt_is_told(name, meant, run):
    assert name not in run
    for ask in (run.__getitem__, run.unit, run.plot, run.components):
        with refused("unknown-name", kind="quantity", name=name) as caught:
            ask(name)
        assert meant in str(caught.value)


@pytest.mark.parametrize("name", [["slider.x"], {"slider.x"}, None, 3])
def test_what_is_no_word_is_no_name(name, run):
    assert name not in run
    for ask in (run.__getitem__, run.unit, run.components):
        with refused("unknown-name", kind="quantity"):
            ask(name)


@pytest.mark.parametrize("name", ["B.force", "B.F", "B.Fx", "motor.effort", "motor.power", "energy.total"])
def test_kinematics_knows_no_forces(name, interpreted_kernels):
    result = mbs.kinematics(slider_crank(), TIMES)
    assert name not in result and name not in result.all_names and "violation.position" in result
    with refused("no-forces"):
        result[name]


def test_copies_are_read_as_well(run):
    for again in (pickle.loads(pickle.dumps(run)), copy.deepcopy(run)):
        assert np.array_equal(again["B.force"], run["B.force"]) and again.all_names == run.all_names


def test_states_have_vectors(run):
    state = run.state(2)
    assert np.array_equal(state["rod.tip.v"], run["rod.tip.v"][2]) and state["rod.x"] == run["rod.x"][2]
    assert isinstance(state["rod.x"], float)


def test_normal_forces_keep_their_names():
    """The force of a contact is a number; the vector is that of its components."""
    model = mbs.PlanarModel("yard", gravity=(0, -9.81))
    body = model.body("ball", mass=2.0, inertia=0.008, position=(0, 0.1))
    model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Disk(body, 0.1), friction=0.3))
    result = mbs.simulate(model, [0.0, 0.1], {"ball.vx": 1.0})
    assert result["floor.force"].shape == (2,) and result["floor.F"] == pytest.approx(result.reaction("floor")[:, :2])
    assert "floor.F" in result.all_names and "floor.force" in result.names and "floor.effort" not in result


def test_reactions_in_rates_are_the_same_names():
    """What rates read of forces is told once, by its one name."""
    model = slider_crank()
    model.state("lag", rate=lambda x: (model["B.Fx"] - x) / 0.1, unit="N")
    result = mbs.simulate(model, TIMES)
    assert "B.Fx" in result.names and result.all_names.count("B.Fx") == 1
    assert result["B.force"] == pytest.approx(result.reaction("B")[:, :2], rel=1e-6)


def test_what_redundant_joints_leave_open_is_dashed():
    model = mbs.PlanarModel("beam", gravity=(0, -9.81))
    beam = model.body("beam", mass=1.0, inertia=0.1, position=(1, 0))
    for name, x in {"left": -1, "right": 1}.items():
        model.add(mbs.Revolute(name, model.ground.at(1 + x, 0), beam.at(x, 0)))
    result = mbs.inverse_dynamics(model, [0.0, 1.0])
    assert not result.is_unique("left.Fx").any() and result.is_unique("left.Fy").all()
    assert result.is_unique("left.force").tolist() == [[False, True]] * 2
    assert result.is_unique("beam.x").all() and result.is_unique("left").shape == (2, 3)
    force, moment = result.plot("left.force", "left.M").axes
    assert [line.get_linestyle() for line in force.lines] == ["--", "-", "--"]
    assert [text.get_text() for text in force.get_legend().get_texts()] == [
        "$F_x$ (not unique)", "$F_y$", "$|F|$ (not unique)",
    ]  # fmt: skip
    assert [line.get_linestyle() for line in moment.lines] == ["-"]


def test_plots_by_name(run):
    figure = run.plot("motor.effort", "B.force", "B.M", "rod.tip", "energy.total", "motor.power", "rod.a")
    labels = [ax.get_ylabel() for ax in figure.axes]
    units = ["torque [N m]", "B.force [N]", "rod.tip [m]", "energy [J]", "power [W]", "rod.a [m/s²]"]
    assert labels == units
    assert [len(ax.lines) for ax in figure.axes] == [2, 3, 2, 1, 1, 3]


def test_names_of_a_sweep(interpreted_kernels):
    result = mbs.sweep(slider_crank(), "r", [0.9, 1.0])
    assert np.array_equal(result["slider"], together(result, "slider.x", "slider.y"))


def test_a_parameter_is_told_as_before(interpreted_kernels):
    model = mbs.PlanarModel("one")
    c = model.parameter("c", 2.0)
    model.add(mbs.Translational("guide", model.ground, model.body("b", mass=1)))
    model.add(mbs.Driver("drive", mbs.x(model.bodies["b"]), c * sp.sin(mbs.t)))
    with refused("unknown-name", element="one", other="parameter", kind="quantity", name="c"):
        mbs.kinematics(model, TIMES)["c"]


# --- what is not unique ---


def two_motors():
    model = mbs.PlanarModel("two motors on one pin")
    arm = model.link("arm", (0, 0), (1, 0), mass=1.0)
    pin = model.add(mbs.Revolute("O", model.ground, arm.tail))
    model.add(mbs.Driver("d1", mbs.angle(pin), mbs.t), mbs.Driver("d2", mbs.angle(arm), mbs.t))
    model.add(mbs.Torque("T", arm, 6.0))
    return model, {f"{motor}.{word}" for motor in ("d1", "d2") for word in ("effort", "power", "M")}


def held_guide(friction):
    """A driver holds a block that friction, or a stop, holds as well."""
    model = mbs.PlanarModel("held guide", gravity=(0, -10))
    block = model.body("block", mass=1.0, inertia=1.0)
    guide = model.add(mbs.Translational("guide", model.ground, block))
    model.add(mbs.Driver("d", mbs.x(block), 0 * mbs.t), mbs.Force("F", block, (3.0, 0)))
    model.add(
        {
            "joint": lambda: mbs.Friction("rub", guide, mu=0.5),
            "dry": lambda: mbs.DryFriction("rub", mbs.x(block), force=5.0),
            "stop": lambda: mbs.Stop("rub", mbs.x(block), upper=0.0),
        }[friction]()
    )
    row = "force" if friction == "stop" else "friction"
    return model, {"d.effort", "d.power", "d.Fx", "rub.Fx", f"rub.{row}"}


@pytest.mark.parametrize("verb", [mbs.inverse_dynamics, mbs.simulate])
@pytest.mark.parametrize(
    "build", [two_motors, *(lambda one=one: held_guide(one) for one in ("joint", "dry", "stop"))],
    ids=["motors", "joint", "dry", "stop"],
)  # fmt: skip
def test_no_reading_of_a_force_that_is_not_unique_is_unique(verb, build, tmp_path):
    model, shared = build()
    result = verb(model, [0.0, 0.5])
    assert {n for n in result.scalar_names if not result.is_unique(n).all()} == shared
    assert {n for n in shared if result.is_unique(n).any()} == set()
    again = mbs.load(result.save(tmp_path / "run.npz"))
    assert {n for n in again.scalar_names if not again.is_unique(n).all()} == shared


@pytest.mark.parametrize("speed", [0.0, 3.0])
@pytest.mark.parametrize("coordinates", ["cartesian", "natural", "joint"])
def test_how_three_legs_share_a_load_and_its_friction_is_not_unique(speed, coordinates):
    """Legs that slip share friction as they share the weight; the acceleration is μ g for any shares."""
    model = mbs.PlanarModel("three legs", gravity=(0, -10))
    table = model.body("table", mass=1.0, inertia=1.0)
    for k, x in enumerate((-1, 0, 1)):
        model.add(mbs.Contact(f"leg{k}", mbs.Line(model.ground), mbs.Point(table.at(x, 0)), friction=0.5))
    model.add(mbs.Force("F", table, (1.0, 0)))
    run = mbs.simulate(model.compile(coordinates), [0.0, 0.1], {"table.vx": speed})
    assert set(run.modes["leg0"]) == {"slips" if speed else "sticks"}
    shared = {f"leg{k}.{word}" for k in range(3) for word in ("force", "friction", "Fx", "Fy")}
    assert {n for n in run.scalar_names if not run.is_unique(n).all()} == shared
    assert run["table.ax"] == pytest.approx([-4.0 if speed else 0.0] * 2, abs=1e-9)
    if not speed:
        rest, held = mbs.equilibrium(model), mbs.holding(model)
        assert {n for n in rest.result.scalar_names if not rest.result.is_unique(n).all()} == shared
        assert not any(held.is_unique(f"leg{k}.{word}").any() for k in range(3) for word in ("force", "friction"))


def test_two_legs_share_a_load_in_one_way():
    model = mbs.PlanarModel("two legs", gravity=(0, -10))
    table = model.body("table", mass=1.0, inertia=1.0)
    for k, x in enumerate((-1, 1)):
        model.add(mbs.Contact(f"leg{k}", mbs.Line(model.ground), mbs.Point(table.at(x, 0)), friction=0.5))
    slides = mbs.simulate(model, [0.0, 0.1], {"table.vx": 3.0})
    assert all(slides.is_unique(n).all() for n in slides.scalar_names)
    rests = mbs.simulate(model, [0.0, 0.1])
    shared = {f"leg{k}.{word}" for k in range(2) for word in ("friction", "Fx")}
    assert {n for n in rests.scalar_names if not rests.is_unique(n).all()} == shared


def test_what_motors_share_along_a_sweep_is_not_unique():
    model = mbs.PlanarModel("two motors on one slide", gravity=(0, -10))
    block, place = model.body("block", mass=1.0, inertia=1.0), model.parameter("p", 0.0, unit="m")
    guide = model.add(mbs.Translational("guide", model.ground, block))
    model.add(mbs.Driver("d1", mbs.x(block), place), mbs.Driver("d2", mbs.displacement(guide), place))
    swept = mbs.sweep(model, "p", [0.0, 0.3], forces=True)
    shared = {f"d{k}.{word}" for k in (1, 2) for word in ("effort", "power", "Fx")}
    assert {n for n in swept.scalar_names if not swept.is_unique(n).all()} == shared
