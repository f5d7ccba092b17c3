"""Served pages in a real browser: what a slider moves, the core computes, and the page shows it."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from browser import Opened, browser
from gallery import MODELS, load
from serving import served

import mbs_dae as mbs
from mbs_dae.view.drawing.motion import motion_of

pytestmark = pytest.mark.usefixtures("interpreted_kernels")
PACKED = 2e-7  # numbers of 32 bits, of the size of a metre


@pytest.fixture(scope="module")
def chromium():
    with browser() as opened:
        yield opened


@pytest.fixture(autouse=True)
def paths(monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path])


def filled(page: Opened, label: str, value: float) -> None:
    """A number entered; the core has answered, or said why not."""
    field = page.page.get_by_label(f"{label}, as a number")
    field.fill(str(value))
    field.press("Enter")
    page.until("mbs.served.asking.idle")


def chosen(page: Opened, mode: str) -> None:
    page.page.locator("#mode").select_option(mode)
    page.until("mbs.served.asking.idle")


def agrees(page: Opened, result: mbs.Result, index: int) -> None:
    """Where bodies are, and where the points of pieces are on the screen."""
    page.run("(t) => mbs.seek(t)", float(result.t[index]))
    places = np.reshape(page.run("[...mbs.state.pose.places]"), (-1, 3))
    motion = motion_of(result)
    wanted = [motion.frame(body.name)[0][index] for body in result.sketch.bodies]
    np.testing.assert_allclose(places, wanted, atol=1e-6)  # between poses of the page as well
    seen, camera = page.run(
        """[mbs.state.seen.filter((s) => s.piece.group === 'bodies' && s.piece.form === 'line').map((s) =>
        [[...s.points], [...s.screen]]), mbs.view.camera]"""
    )
    assert seen
    for points, screen in seen:
        points, screen = np.reshape(points, (-1, 3)) - camera["centre"], np.reshape(screen, (-1, 3))
        np.testing.assert_allclose(screen[:, 0], camera["width"] / 2 + camera["scale"] * points[:, 0], atol=0.5)


def test_a_four_bar_is_dragged_driven_and_let_go(chromium):
    model = load("four_bar").build()
    times = np.asarray(load("four_bar").TIMES)
    with served(MODELS / "four_bar.py", trace="coupler.P") as server, Opened(chromium, server.address) as page:
        page.until("mbs.poses.complete")
        assert page.run("mbs.served.mode") == "live"
        page.page.get_by_label("a [m]", exact=True).press("ArrowRight")  # the page solves it by itself
        moved = page.run("mbs.poses.p.a")
        assert moved > 0.04 and page.requests[-1] != f"{server.address}run"
        page.page.locator("[data-group=names]").uncheck()
        page.run("() => { mbs.seek(1.5); mbs.view.camera.scale *= 0.9; }")
        scale = page.run("mbs.view.camera.scale")
        chosen(page, "driven")
        assert page.run("[mbs.state.x, mbs.view.camera.scale, mbs.state.shown.names]") == [1.5, scale, False]
        filled(page, "b [m]", 0.125)
        result = mbs.inverse_dynamics(model.with_parameters(a=moved, b=0.125), times)
        for index in (17, 90):
            agrees(page, result, index)
        assert "motor.effort" in page.run("mbs.page.curves.map((c) => c.name)")
        assert page.page.locator("[data-group=reactions]").count() == 1
        page.run("(t) => mbs.seek(t)", float(times[30]))
        chosen(page, "released")
        t = float(times[30])
        assert page.run("mbs.state.x") == pytest.approx(t)
        changed = model.with_parameters(a=moved, b=0.125)
        pose = mbs.kinematics(changed, times[:31]).state(-1)
        agrees(page, mbs.simulate(changed.without("motor"), times + t, pose), 12)
        filled(page, "crank.omega [rad/s]", -3.0)
        free = changed.without("motor")
        start = mbs.assemble(free, t, {"crank.angle": pose["crank.angle"], "crank.omega": -3.0}, pose)
        agrees(page, mbs.simulate(free, times + t, start), 12)
        chosen(page, "live")
        page.until("mbs.poses.complete")
        assert page.run("[mbs.poses.p.a, mbs.poses.p.b]") == [moved, 0.125]
        page.page.get_by_role("button", name="Reset all values").click()
        page.until("mbs.poses.complete")
        assert page.run("[mbs.poses.p.a, mbs.poses.p.b]") == pytest.approx([0.04, 0.12], rel=1e-12)
        assert page.complaints == [] and page.run("document.getElementById('stopped').textContent") == ""
        assert {*page.requests} <= {f"{server.address}{what}" for what in ("", "run", "look")}


def test_a_pendulum_moves_as_the_core_says(chromium):
    module = load("double_pendulum")
    model, times = module.build(), np.asarray(module.TIMES)
    said = "document.getElementById('stopped').textContent"
    served_pendulum = served(MODELS / "double_pendulum.py", plots=["lower.angle"])
    with served_pendulum as server, Opened(chromium, server.address) as page, Opened(chromium, server.address) as other:
        page.page.get_by_label("m1 [kg]", exact=True).press("ArrowRight")
        page.until("mbs.served.asking.idle && mbs.served.parameters.m1 > 1")
        mass = page.run("mbs.served.parameters.m1")
        filled(page, "lower.omega [rad/s]", 4.0)
        page.page.locator("#to").fill("1.0")
        page.page.locator("#count").fill("101")
        page.page.locator("#count").press("Enter")
        page.until("mbs.served.asking.idle && mbs.poses.end === 1")
        result = mbs.simulate(
            model.with_parameters(m1=mass), np.linspace(0, 1, 101), {"upper.omega": 0.0, "lower.omega": 4.0}
        )
        agrees(page, result, 77)
        agrees(page, result, 100)
        column = page.run("mbs.page.curves.findIndex((c) => c.name === 'lower.omega')")
        curves = np.reshape(page.run("[...mbs.arrays.curves.data]"), (101, -1))
        np.testing.assert_allclose(curves[:, column], result["lower.omega"], rtol=PACKED)
        page.run("() => { window.before = mbs.arrays; }")
        filled(page, "m1 [kg]", -1.0)
        with pytest.raises(mbs.MbsError) as wanted:
            mbs.simulate(model.with_parameters(m1=-1.0), times, module.INITIAL)
        assert page.run(said) == str(wanted.value) and page.run("mbs.arrays === window.before")
        filled(page, "m1 [kg]", 1.0)
        assert page.run(said) == "" and page.run("mbs.arrays !== window.before")
        assert page.run("mbs.state.chosen") == ["lower.angle"]
        assert other.run("mbs.poses.end") == 5 and other.complaints == page.complaints == []


ROD = """
import mbs_dae as mbs

TIMES = [0.0, 0.5, 1.0]


def build():
    model = mbs.PlanarModel("rod", gravity=(0, -9.81))
    length, omega = model.parameter("length", 1.0, unit="m"), model.parameter("omega", 1.0)
    rod = model.body("rod", mass=1.0, inertia=0.1)
    rod.marker("tip", length, 0)
    model.add(mbs.Revolute("pin", model.ground, rod), mbs.Driver("motor", mbs.angle(model.ground, rod), omega * mbs.t))
    return model
"""


def test_a_page_follows_its_file(chromium, tmp_path):
    path = tmp_path / "rod.py"
    path.write_text(ROD)
    with served(path) as server, Opened(chromium, server.address) as page:
        stopped = page.page.locator("#stopped")
        filled(page, "omega", 2.0)
        page.run("() => { mbs.seek(0.5); mbs.view.camera.scale = 123; }")
        path.write_text(ROD.replace("    return model", "    raise ValueError('<b id=harm>no</b>')"))
        page.until("document.getElementById('stopped').textContent !== ''")
        assert stopped.inner_text() == f"{path}, line 13: ValueError: <b id=harm>no</b>"
        assert page.page.locator("#harm").count() == 0 and page.run("mbs.state.x") == 0.5
        with page.page.expect_navigation():
            path.write_text(ROD.replace('"length", 1.0', '"length", 3.0').replace('"rod", mass', '"bar", mass'))
        page.until("window.mbs?.served && mbs.poses.complete")
        assert page.run("mbs.page.bodies[0].name") == "bar"
        assert page.run("[mbs.served.parameters, mbs.poses.p.omega]") == [{"omega": 2.0}, 2.0]
        assert page.run("[mbs.state.x, mbs.view.camera.scale]") == [0.5, 123]
        assert page.page.get_by_label("length [m], as a number").input_value() == "3"
        assert not stopped.is_visible() and page.complaints == []


def test_anybody_can_use_it(chromium):
    from axe_core_python.sync_playwright import Axe

    with served(MODELS / "double_pendulum.py") as server:
        for scheme in ("light", "dark"):
            with Opened(chromium, server.address, width=320, height=640, color_scheme=scheme) as page:
                found = Axe().run(page.page)["violations"]
                assert [(v["id"], v["nodes"][0]["html"]) for v in found if v["impact"] in ("serious", "critical")] == []
                assert page.run("document.documentElement.scrollWidth") <= 320
                assert page.complaints == []


def test_names_do_no_harm(chromium, tmp_path):
    bad = ["<script>boom()</script>", "</script><!--", "a\"b'c\\", "two\nlines", "__proto__"]
    path = tmp_path / "bad.py"
    path.write_text(
        f"""
import mbs_dae as mbs

TIMES, BAD = [0.0, 0.01], {bad!r}
INITIAL = {{f"{{name}}.omega": 0.1 for name in BAD}}


def build():
    model = mbs.PlanarModel(BAD[0], gravity=(0, -9.81))
    for name in BAD:
        model.add(mbs.Revolute("pin " + name, model.ground, model.body(name, mass=1, inertia=1)))
    return model
"""
    )
    with served(path) as server, Opened(chromium, server.address) as page:
        assert page.run("mbs.page.bodies.map((b) => b.name)") == bad and page.page.locator("h1").inner_text() == bad[0]
        filled(page, "__proto__.omega [rad/s]", 0.7)
        assert page.run("mbs.served.initial['__proto__.omega']") == 0.7
        assert page.run("typeof boom") == "undefined" and page.complaints == []
        assert page.page.locator("#stopped script, #panel script").count() == 0
