"""What somebody meets who uses a page for the first time: fields, sliders, the frame of the picture, small windows."""

from __future__ import annotations

import numpy as np
import pytest
from browser import Opened, browser
from gallery import MODELS, load
from serving import served

import mbs_dae as mbs

pytestmark = pytest.mark.usefixtures("interpreted_kernels")


@pytest.fixture(scope="module")
def chromium():
    with browser() as opened:
        yield opened


def live_page(folder, **choices):
    module = load("four_bar")
    result = mbs.kinematics(module.build(), np.asarray(module.TIMES)[::6])
    return result.save(folder / "four_bar.html", live=True, **choices)


def test_a_slider_follows_the_number_beside_it(chromium):
    """Where the core computes, too: the next key goes on from what was typed. What is no number is not taken."""
    with served(MODELS / "double_pendulum.py") as server, Opened(chromium, server.address) as page:
        slider = page.page.get_by_label("m1 [kg]", exact=True)
        field = page.page.get_by_label("m1 [kg], as a number")
        field.fill("1.3")
        field.press("Enter")
        assert float(slider.input_value()) == pytest.approx(1.3)
        slider.press("ArrowRight")
        page.until("mbs.served.asking.idle && mbs.served.parameters.m1 > 1.3")
        moved = page.run("mbs.served.parameters.m1")
        assert moved < 1.35
        field.fill("")
        field.press("Enter")
        assert float(field.input_value()) == pytest.approx(moved, rel=1e-5)
        assert page.run("mbs.served.parameters.m1") == moved
        assert page.complaints == []


OUTSIDE = """() => { const c = mbs.view.camera;
    return mbs.poses.looks().flatMap((pose) => mbs.page.bodies.map((_, k) => {
    const [x, y] = pose.places.slice(3 * k, 3 * k + 2);
    return [c.width / 2 + c.scale * (x - c.centre[0]), c.height / 2 - c.scale * (y - c.centre[1])]; })).filter(
    ([x, y]) => x < 0 || x > c.width || y < 0 || y > c.height).length; }"""
SCALE = "mbs.view.camera.scale"


def typed(page, label, value):
    field = page.page.get_by_label(f"{label}, as a number")
    field.fill(str(value))
    field.press("Enter")


def test_what_grows_out_of_the_picture_is_framed_anew(chromium, tmp_path):
    """Unless somebody has zoomed it; what stays within leaves the picture as it is."""
    with Opened(chromium, live_page(tmp_path)) as page:
        page.until("mbs.poses.complete")
        before = page.run(SCALE)
        typed(page, "c [m]", 0.11)
        page.until("mbs.poses.complete")
        assert page.run(SCALE) == before
        for name, value in (("d [m]", 0.3), ("b [m]", 0.3), ("c [m]", 0.3)):
            typed(page, name, value)
            page.until("mbs.poses.complete")
        assert page.run(SCALE) < 0.7 * before and page.run(OUTSIDE) == 0
        page.page.locator("#stage").press("+")
        zoomed = page.run(SCALE)
        typed(page, "b [m]", 0.6)
        typed(page, "c [m]", 0.6)
        page.until("mbs.poses.complete")
        assert page.run(SCALE) == zoomed and page.complaints == []
    with served(MODELS / "double_pendulum.py") as server, Opened(chromium, server.address) as page:
        before = page.run(SCALE)
        typed(page, "l1 [m]", 3.0)
        page.until("mbs.served.asking.idle")
        assert page.run(SCALE) < before and page.run(OUTSIDE) == 0
        assert page.complaints == []


HOST = """<!doctype html><body><iframe src="{name}" style="width: 100%; height: 500px; border: none"></iframe><script>
window.heard = [];
addEventListener("message", ({{ source, data }}) => {{ window.heard.push(data);
    document.querySelector("iframe").style.height = `${{data.value}}px`; }});
window.say = (data) => document.querySelector("iframe").contentWindow.postMessage(data, "*");
</script></body>"""


def test_a_page_in_a_frame_tells_its_height(chromium, tmp_path):
    """As a number and nothing else, and it takes light or dark and nothing else: nothing scrolls within the frame."""
    name = live_page(tmp_path, plots=("coupler.x", "coupler.angle")).name
    host = tmp_path / "host.html"
    host.write_text(HOST.format(name=name), encoding="utf-8")
    page = chromium.new_page(viewport={"width": 900, "height": 700})
    page.goto(host.as_uri())
    inside = page.frame_locator("iframe")
    inside.locator("#reset").wait_for()
    page.wait_for_timeout(300)
    heard = page.evaluate("window.heard")
    assert heard and all(set(one) == {"mbs", "value"} and one["mbs"] == "height" for one in heard)
    assert len(heard) < 5 and page.locator("iframe").bounding_box()["height"] == heard[-1]["value"]
    frame = page.frames[1]
    over = "[document.documentElement.scrollHeight - innerHeight, document.documentElement.scrollWidth - innerWidth]"
    assert frame.evaluate(over) == [0, 0]
    theme = "document.documentElement.dataset.theme"
    for said, wanted in (("dark", "dark"), ("<b>", "dark"), ("light", "light"), (None, "light")):
        page.evaluate("(value) => window.say({ mbs: 'theme', value })", said)
        page.evaluate("() => { window.say('dark'); window.say(null); }")
        page.wait_for_timeout(30)
        assert frame.evaluate(theme) == wanted
    page.close()


def test_a_notebook_has_room_for_sliders():
    module = load("four_bar")
    result = mbs.kinematics(module.build(), np.asarray(module.TIMES)[:3])
    assert "height: 620px" in result.view()._repr_html_()
    assert "height: 860px" in result.view(live=True)._repr_html_()
    assert "height: 500px" in result.view(live=True, height=500)._repr_html_()
