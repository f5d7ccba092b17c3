"""Pages that solve the motion by themselves, in a real browser: position, velocity and acceleration are those of the
core, also for other parameters; the branch is held; what cannot be reached is told."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path

import numpy as np
import pytest
import sympy as sp
from browser import Opened, browser
from gallery import load
from refusals import refused

import mbs_dae as mbs
from mbs_dae.view.page.html import page_text

pytestmark = pytest.mark.usefixtures("interpreted_kernels")
POSES = {"stewart_platform": 10}  # for each of two sets of values
"""Of others so many that there are 100."""


@pytest.fixture(scope="module")
def chromium():
    with browser() as opened:
        yield opened


def saved(name: str, folder: Path, count: int | None = None, **choices) -> tuple[mbs.PlanarModel, mbs.Result, Path]:
    module = load(name)
    model = module.build()
    result = mbs.kinematics(model, np.asarray(module.TIMES)[:count])
    return model, result, result.save(folder / f"{name}.html", live=True, **choices)


@pytest.fixture(scope="module")
def four_bar(tmp_path_factory):
    import interpreted

    from mbs_dae.kernels import cache

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cache, "kernel", interpreted.kernel)
        return saved("four_bar", tmp_path_factory.mktemp("live"), trace="coupler.P")


def changed(model, part: float) -> dict[str, float]:
    return {
        name: p.value * (1 + part * (-1) ** k) + 1e-3 * (p.value == 0)
        for k, (name, p) in enumerate(model.parameters.items())
    }


def solved_at(page: Opened, times) -> np.ndarray:
    """q, v and a of the moving bodies, one row for each time, as the page finds them one after the other."""
    rows = page.run(
        """(times) => times.map((t) => { const { q, v, a } = mbs.poses.at(t).solved, { nq } = mbs.kinematics.names;
        return [...q.subarray(0, nq), ...v, ...a]; })""",
        list(map(float, times)),
    )
    return np.array(rows)


def agrees(found: np.ndarray, result: mbs.Result) -> None:
    """Quaternions up to their sign, which turns no body."""
    for own, wanted in zip(
        np.split(found, [result.q.shape[1], -result.a.shape[1]], axis=1), (result.q, result.v, result.a), strict=True
    ):
        if result.sketch.dimension == 3 and wanted.shape == result.q.shape:
            signs = np.sign((own * wanted).reshape(len(own), -1, 7)[..., 3:].sum(axis=-1))
            own = own.reshape(len(own), -1, 7) * np.stack([np.ones_like(signs)] * 3 + [signs] * 4, axis=-1)
            own = own.reshape(wanted.shape)
        np.testing.assert_allclose(own, wanted, rtol=0, atol=1e-9 * np.abs(wanted).max(initial=1.0))


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["four_bar", "slider_crank", "six_bar", "quick_return", "double_parallel_crank", "rssr", "stewart_platform"]
)
def test_a_page_solves_as_the_core_does(name, chromium, tmp_path):
    """At random times one after the other, for the values of the model and for others."""
    model, result, path = saved(name, tmp_path)
    dice = np.random.default_rng(5)
    with Opened(chromium, path) as page:
        for part in (0.0, 0.01):
            values = changed(model, part)
            own = {one["said"]: one["name"] for one in page.run("mbs.kinematics.names.parameters")}
            assert page.run("(p) => mbs.poses.change(p)", {own[said]: value for said, value in values.items()})
            times = dice.uniform(result.t[0], result.t[-1], POSES.get(name, 50))
            wanted = mbs.kinematics(model.with_parameters(**values), np.sort(np.append(times, result.t[0])))
            rows = solved_at(page, times)[np.argsort(times)]
            agrees(np.vstack([solved_at(page, [result.t[0]]), rows]), wanted)
        assert page.complaints == [] and page.of_network() == []


def test_quantities_are_those_of_results(chromium, tmp_path):
    """Curves and readings: of a body, of a named point, of joints and drivers, in the plane and in space."""
    for name in ("slider_crank", "quick_return", "rssr"):
        _, result, path = saved(name, tmp_path, 20)
        with Opened(chromium, path) as page:
            page.until("mbs.poses.complete")
            names = [curve["name"] for curve in page.run("mbs.page.curves")]
            read = page.run(
                "(t) => { const pose = mbs.poses.at(t); return mbs.page.curves.map((_, k) => pose.read(k)); }",
                float(result.t[7]),
            )
            assert len(names) > 20
            for one, value in zip(names, read, strict=True):
                assert value == pytest.approx(result[one][7], abs=1e-9 * np.abs(result[one]).max(initial=1.0)), one


@pytest.mark.parametrize("coordinates", ["natural", "joint"])
def test_results_in_other_coordinates_make_the_same_page(coordinates, chromium, tmp_path):
    """The page solves in Cartesian ones, whatever the run was in."""
    result = mbs.kinematics(load("four_bar").build().compile(coordinates), np.linspace(0, 3, 20))
    with Opened(chromium, result.save(tmp_path / "x.html", live=True)) as page:
        found = solved_at(page, result.t)
        agrees(found, result)
        assert page.complaints == []


def test_laws_by_tables_and_by_functions(chromium, tmp_path):
    """A table is part of the page. A Python function is called with symbols, and refused where it takes none."""

    def turning(law) -> mbs.PlanarModel:
        model = mbs.PlanarModel("crank")
        crank = model.body("crank")
        model.add(mbs.Revolute("O", model.ground, crank.at(-0.1, 0)))
        model.add(mbs.Driver("motor", mbs.angle(model.ground, crank), law))
        return model

    for law in (mbs.Table([0, 1, 2, 3], [0, 0.5, 1.5, 1.8])(mbs.t), lambda t: sp.sin(t) ** 2):
        result = mbs.kinematics(turning(law), np.linspace(0, 3, 16))
        with Opened(chromium, result.save(tmp_path / "x.html", live=True)) as page:
            agrees(solved_at(page, result.t), result)
            assert page.complaints == []
    with refused("function-raises", argument="the function of Driver 'motor'"):
        turning(np.sin)


def test_what_it_leaves_out_is_said(chromium, tmp_path):
    model = mbs.PlanarModel("cam")
    cam, lifter = model.body("cam"), model.body("lifter", position=(0, 0.05))
    model.add(mbs.Revolute("bearing", model.ground, cam), mbs.Driver("motor", mbs.angle(model.ground, cam), mbs.t))
    model.add(mbs.Translational("guide", model.ground.at(0, 0, np.pi / 2), lifter.at(0, 0, np.pi / 2)))
    model.add(mbs.CamFollower("touch", cam, lifter, profile=0.05 + 0.01 * sp.cos(mbs.theta), follower="flat"))
    model.add(mbs.Force("push", lifter, y=-10.0 - model["lifter.vy"]))
    result = mbs.kinematics(model, np.linspace(0, 1, 20))
    with Opened(chromium, result.save(tmp_path / "x.html", live=True)) as page:
        said = page.page.locator("#stiff").inner_text()
        assert said.startswith("Not worked out by this page, and so left out: the arrows of push")
        assert "touching points and ropes of touch" in said
        assert "guide.displacement" in [curve["name"] for curve in page.run("mbs.page.curves")]
        assert page.complaints == []


def test_a_hand_turns_the_crank_and_the_branch_is_held(four_bar, chromium):
    model, result, path = four_bar
    with Opened(chromium, path) as page:
        page.until("mbs.poses.complete")
        box = page.page.locator("#stage").bounding_box()

        def at(angle):
            x, y = page.run(
                """([x, y]) => { const c = mbs.view.camera; return [c.width / 2 + c.scale * (x - c.centre[0]),
                c.height / 2 - c.scale * (y - c.centre[1])]; }""",
                [0.03 * np.cos(angle), 0.03 * np.sin(angle)],
            )
            return box["x"] + x, box["y"] + y

        page.page.mouse.move(*at(0.0))
        page.page.mouse.down()
        for angle in np.linspace(0, 2 * np.pi, 60)[1:-1]:
            page.page.mouse.move(*at(angle))
            t = page.run("mbs.state.x")
            assert t == pytest.approx(angle, abs=0.02)
            rocker = page.run("mbs.poses.here.q[8]")
            wanted = np.interp(t, result.t, result["rocker.angle"])
            assert rocker == pytest.approx(wanted, abs=2e-3)
        page.page.mouse.up()
        assert page.complaints == []


def test_a_parameter_that_makes_no_mechanism_is_told(four_bar, chromium):
    """At t = 0 the crank lies along the ground: coupler and rocker must bridge d - a = 0.06 m between them."""
    with Opened(chromium, four_bar[2]) as page:
        dial = page.page.get_by_label("b [m], as a number")
        dial.fill("0.19")
        dial.press("Enter")
        page.until("document.getElementById('stopped').textContent !== ''")
        said = page.page.locator("#stopped").inner_text()
        assert "b = 0.19000 m cannot be reached: a dead point" in said and "is at b = 0.14000 m" in said
        assert np.isfinite(page.run("[...mbs.poses.here.q]")).all()
        assert dial.input_value() == "0.14"
        page.page.get_by_role("button", name="Reset parameters").click()
        page.until("mbs.poses.complete")
        assert dial.input_value() == "0.12" and not page.page.locator("#stopped").is_visible()
        page.run("mbs.seek(2)")
        page.page.get_by_label("a [m], as a number").fill("0.065")  # too long for a crank that turns
        page.page.get_by_label("a [m], as a number").press("Enter")
        page.until("mbs.poses.complete && document.getElementById('stopped').textContent !== ''")
        said = page.page.locator("#stopped").inner_text()
        assert "The motion begins at t = " in said and "The motion ends at t = " in said
        low, high = page.run("[mbs.poses.start, mbs.poses.end]")
        reach = np.arccos((0.065**2 + 0.1**2 - 0.04**2) / (2 * 0.065 * 0.1))  # where coupler and rocker are folded
        assert (low, high) == pytest.approx((reach, 2 * np.pi - reach), abs=1e-4)
        assert page.run("[...mbs.arrays.curves.data].filter(Number.isFinite).length") > 1000
        assert page.complaints == []


def test_from_a_dead_point_there_is_a_way_back(four_bar, chromium):
    """Of parameters, where no step from the singular pose is short enough; what is infinite is no pose."""
    with Opened(chromium, four_bar[2]) as page:
        page.run("mbs.seek(1)")
        before = page.run("[...mbs.poses.here.q]")
        for name, value in (("b", 0.3), ("c", 0.001), ("a", 0.5), ("d", -1.0), ("a", 1e300), ("a", np.inf)):
            own = page.run("(name) => mbs.poses.p[name]", name)
            assert not page.run("([name, value]) => mbs.poses.change({ [name]: value })", [name, value])
            assert page.run("mbs.poses.notice") and np.isfinite(page.run("[...mbs.poses.here.q]")).all()
            assert page.run("([name, value]) => mbs.poses.change({ [name]: value })", [name, own])
            np.testing.assert_allclose(page.run("[...mbs.poses.at(1).solved.q]"), before, atol=1e-9)
        assert page.complaints == []


def test_redundant_equations_that_contradict_each_other_are_told(chromium, tmp_path):
    model = mbs.PlanarModel("rod with two pins")
    rod = model.body("rod")
    model.add(
        mbs.Revolute("pin", model.ground, rod),
        mbs.Revolute("other", model.ground, rod.at(model.parameter("e", 0.0), 0)),
    )
    model.add(mbs.Driver("motor", mbs.angle(model.ground, rod), mbs.t))
    path = mbs.kinematics(model, [0.0, 1.0]).save(tmp_path / "x.html", live=True)
    with Opened(chromium, path) as page:
        assert page.run("mbs.poses.at(0.7).solved.q[2]") == pytest.approx(0.7, abs=1e-12)
        assert not page.run("mbs.poses.change({ e: 0.01 })")
        assert "e = 0.010000 cannot be reached" in page.run("mbs.poses.notice")
        assert page.run("mbs.poses.p.e") < 1e-7


def test_the_drawing_follows_parameters(chromium, four_bar, tmp_path):
    """As a page of the changed model draws it; what it cannot follow is left out, and named."""
    model, result, path = four_bar
    other = mbs.kinematics(model.with_parameters(a=0.045, along=0.07), result.t[:3]).save(
        tmp_path / "x.html", live=True
    )
    points = "mbs.state.seen.filter((s) => s.piece.group === 'bodies').map((s) => [...s.points])"
    with Opened(chromium, path) as page, Opened(chromium, other) as wanted:
        page.run("() => { mbs.poses.change({ a: 0.045, along: 0.07 }); mbs.frame(); }")
        for own, one in zip(page.run(points), wanted.run(points), strict=True):
            np.testing.assert_allclose(own, one, atol=1e-7)
    _, _, path = saved("rack_and_pinion", tmp_path, 20)
    with Opened(chromium, path) as page:
        name = page.run("mbs.page.pieces.find((piece) => piece.stiff).stiff[0]")
        dial = page.page.get_by_label(f"{name} [m], as a number", exact=True)
        dial.fill(str(1.1 * float(dial.input_value())))
        dial.press("Enter")
        assert "Not redrawn for these values" in page.page.locator("#stiff").inner_text()
        assert page.complaints == []


@pytest.mark.parametrize("name", ["gear_train", "planetary_gear", "cam_follower"])
def test_wheels_and_cams_are_redrawn(name, chromium, tmp_path):
    """As a page of the changed model draws them, if that stays a mechanism with teeth of one size."""
    model, result, path = saved(name, tmp_path, 5)
    values = {n: p.value * (1.1 if p.unit == "m" else 1.05) for n, p in model.parameters.items() if p.value}
    if name == "cam_follower":
        values = {n: v for n, v in changed(model, 0.1).items() if n in cam_parameters(model)}
    changed_model = model.with_parameters(**values)
    other = mbs.kinematics(changed_model, result.t).save(tmp_path / "other.html", live=True)
    points = """mbs.page.pieces.filter((p) => p.track.grows || p.track.cam !== undefined).map((p) => p.track.points)"""
    with Opened(chromium, path) as page, Opened(chromium, other) as wanted:
        assert page.run("(p) => mbs.poses.change(p)", values)
        own, ones = page.run(points), wanted.run(points)
        assert len(own) == len(ones) > 1 and page.run("mbs.page.pieces.every((p) => !p.hidden)")
        for these, those in zip(own, ones, strict=True):
            np.testing.assert_allclose(these, those, atol=1e-6)
        assert page.complaints == []


@pytest.mark.parametrize("size", [{"ratio": 2.0}, {"radii": (0.05, 0.1)}], ids=["ratio", "radii"])
@pytest.mark.parametrize("dimension", [2, 3])
def test_wheels_whose_sizes_are_plain_numbers_are_drawn(dimension, size, chromium, tmp_path):
    if dimension == 2:
        model, places, axis = mbs.PlanarModel("pair"), [(0, 0), (0.15, 0)], {}
    else:
        model, places, axis = mbs.SpatialModel("pair"), [(0, 0, 0), (0.15, 0, 0)], {"axis": (0, 0, 1)}
    a, b = (model.body(name, position=place) for name, place in zip("ab", places, strict=True))
    A, B = (
        model.add(mbs.Revolute(name, model.ground, body, at=place, **axis))
        for name, body, place in zip("AB", (a, b), places, strict=True)
    )
    model.add(mbs.Gear("wheels", A, B, **size), mbs.Driver("motor", mbs.angle(A), 6 * mbs.t))
    path = mbs.kinematics(model, np.linspace(0, 1, 11)).save(tmp_path / "pair.html", live=True)
    points = "mbs.state.seen.filter((s) => s.piece.of === 'wheels').map((s) => [...s.points])"
    with Opened(chromium, path) as page:
        page.run("() => { mbs.seek(0.5); mbs.frame(); }")
        found = page.run(points)
        assert len(found) >= 4  # two areas, two rims, spokes
        assert all(None not in one and np.isfinite(one).all() and np.ptp(one) > 0 for one in found)
        assert page.complaints == []


def cam_parameters(model: mbs.PlanarModel) -> set[str]:
    (cam,) = [element for element in model.elements.values() if element.sketch == "contact"]
    return {s.name for s in cam.values["profile"](mbs.theta).free_symbols} - {"theta"}


def test_a_frame_with_its_solution_costs_little(chromium, tmp_path):
    """The script solves the position, velocity and acceleration, and draws them."""
    *_, path = saved("stewart_platform", tmp_path, 31)
    with Opened(chromium, path) as page:
        page.until("mbs.poses.complete")
        start, end = page.run("[mbs.poses.start, mbs.poses.end]")
        assert page.frame_cost(list(np.linspace(start, end, 40))) < 2.0


def test_anybody_can_use_it(four_bar, chromium):
    from axe_core_python.sync_playwright import Axe

    for scheme in ("light", "dark"):
        with Opened(chromium, four_bar[2], color_scheme=scheme) as page:
            found = Axe().run(page.page)["violations"]
            assert [(v["id"], v["nodes"][0]["html"]) for v in found if v["impact"] in ("serious", "critical")] == []
            page.page.get_by_label("a [m]", exact=True).press("ArrowRight")
            page.until("mbs.poses.p.a > 0.04")
            page.page.set_viewport_size({"width": 320, "height": 640})
            page.page.wait_for_timeout(60)
            assert page.run("document.documentElement.scrollWidth") <= 320
            assert page.complaints == [] and page.of_network() == []


def test_names_of_a_live_page_do_no_harm(chromium, tmp_path):
    bad = ["<script>boom()</script>", "</script><!--", "a\"b'c\\", "two\nlines", "__proto__"]
    model = mbs.PlanarModel(bad[0])
    for k, name in enumerate(bad):
        body = model.body(name, mass=1, inertia=1)
        length = model.parameter(f"p{k}", 0.1 + 0.1 * k, unit=name)
        body.marker("tip", length, 0)
        model.add(mbs.Revolute(f"pin {name}", model.ground.at(k, 0), body.at(-length, 0)))
        model.add(mbs.Driver(f"motor {name}", mbs.angle(model.ground, body), mbs.t))
    path = mbs.kinematics(model, [0.0, 0.5, 1.0]).save(tmp_path / "x.html", live=True)
    with Opened(chromium, path) as page:
        assert page.complaints == [] and page.run("typeof boom") == "undefined"
        assert page.run("mbs.page.bodies.map((b) => b.name)") == bad
        assert page.page.locator(".dial").count() == len(bad)


def test_what_cannot_be_solved_is_refused(four_bar, tmp_path):
    model, result, _ = four_bar
    result.save(tmp_path / "x.npz")
    with refused("result-from-file"):
        page_text(mbs.load(tmp_path / "x.npz"), live=True)
    with refused("result-of-one-moment", count=1):
        page_text(mbs.assemble(model).result, live=True)
    with refused("not-in-live-page", names=["violation.position"]):
        page_text(result, live=True, plots="violation.position")
    free = mbs.assemble(load("simple_pendulum").build()).result
    with refused("undriven-freedom", freedoms=1):
        page_text(free, live=True)
    rolling = mbs.assemble(load("rolling_disk").build()).result
    with refused("nonholonomic", names=["contact"]):
        page_text(rolling, live=True)


def test_a_curve_that_cannot_be_worked_out_leaves_the_others(tmp_path):
    """Reactions and efforts are none of a page that knows no forces: it says so, in a note and in a warning."""
    model = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=1)
    model.add(mbs.Driver("motor", mbs.angle(model.elements["A"]), 2 * mbs.t))
    result = mbs.inverse_dynamics(model, [0, 0.5, 1])
    with pytest.warns(UserWarning, match=r"does not work out 'motor.effort', 'A.Fx', 'A.Fy', and so leaves out"):
        path = result.save(tmp_path / "x.html", plots=["rod.angle", "motor.effort", "A.force"], live=True)
    text = path.read_text(encoding="utf-8")
    page = json.loads(re.search(r'<script[^>]*id="data"[^>]*>(.*?)</script>', text, re.DOTALL)[1])
    assert page["plots"] == ["rod.angle"]
    assert page["live"]["left"].endswith("left out: the curves of motor.effort, A.Fx, A.Fy; reactions.")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result.save(tmp_path / "x.html", plots="rod.angle", live=True)
    with refused("not-in-live-page", names=["motor.effort"]):
        result.save(tmp_path / "x.html", plots="motor.effort", live=True)


def test_forces_that_follow_from_time_and_places_are_drawn(chromium, tmp_path):
    """An actuator and a force of places have arrows of what the core says, for other values of parameters, too; one
    that depends on velocities is told to be left out. Numbers are in the units that were asked for."""
    model = mbs.PlanarModel("press")
    L, F = model.parameter("L", 0.5, unit="m"), model.parameter("F", 200.0, unit="N")
    crank = model.link("crank", (0, 0), (L, 0), mass=1.0)
    A = model.add(mbs.Revolute("A", model.ground, crank.tail))
    model.add(
        mbs.Driver("motor", mbs.angle(A), 0.3 + 2 * mbs.t),
        mbs.Actuator("cylinder", model.ground.at(0.2, 0.8), crank.head, F * (1 + sp.sin(mbs.t))),
        mbs.Force("wind", crank.head, (F * model["crank.head.x"], 0)),
        mbs.Force("drag", crank.head, (-10 * model["crank.head.vx"], 0)),
    )
    times = [0.0, 0.5, 1.0]
    result = mbs.inverse_dynamics(model, times)
    whole = {"live": True, "units": mbs.units("deg", "mm"), "plots": "crank.angle"}
    path = result.save(tmp_path / "press.html", **whole)
    ask = "(times) => times.map((t) => { const pose = mbs.poses.at(t); return [0, 1].map((k) => pose.push(k)); })"
    with Opened(chromium, path) as page:
        found = np.array(page.run(ask, times))
        for k, name in enumerate(("cylinder", "wind")):
            assert np.allclose(found[:, k, :2], result.reaction(name)[:, :2], atol=1e-8)
        arrows = page.run("() => mbs.page.pieces.filter((one) => one.track.push !== undefined).map((one) => one.of)")
        assert {*arrows} == {"cylinder", "wind"}
        told = page.run("() => document.body.innerText")
        assert "left out: the arrows of drag; reactions" in told
        assert "L [mm]" in told and "F [N]" in told and "deg" in told
        page.run("() => { mbs.poses.change({ L: 0.6, F: 300 }); }")
        other = mbs.inverse_dynamics(model.with_parameters(L=0.6, F=300.0), times)
        found = np.array(page.run(ask, times))
        for k, name in enumerate(("cylinder", "wind")):
            assert np.allclose(found[:, k, :2], other.reaction(name)[:, :2], atol=1e-6)
        assert not page.complaints
    moved = mbs.kinematics(model, times).save(tmp_path / "moved.html", **whole)  # asks for no forces
    with Opened(chromium, moved) as page:
        found = np.array(page.run(ask, times))
        assert np.allclose(found[:, 0, :2], result.reaction("cylinder")[:, :2], atol=1e-8)
        assert "left out: the arrows of drag." in page.run("() => document.body.innerText")
