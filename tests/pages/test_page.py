"""Pages in a real browser: they load alone, draw what the result says, play, turn, and are read by anybody."""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64decode
from pathlib import Path

import numpy as np
import pytest
from browser import Opened, browser
from covering import covering, elements_of
from gallery import ALL, TOUCHING, load
from refusals import refused

import mbs_dae as mbs
from mbs_dae.view.drawing.motion import motion_of
from mbs_dae.view.page.html import choices_of, page_of, save_page
from mbs_dae.view.page.places import packed
from mbs_dae.view.page.poses import shown_motion
from mbs_dae.view.page.scene import MOST, Choices, page_data, thinned_curves

pytestmark = pytest.mark.usefixtures("interpreted_kernels")
POSES = 9


@pytest.fixture(scope="module")
def chromium():
    with browser() as opened:
        yield opened


def moved(name: str) -> mbs.Result:
    """The first poses of a motion of the gallery; of bodies that touch only the first one."""
    module = load(name)
    model, times = module.build(), np.asarray(module.TIMES)[:POSES]
    if name in TOUCHING:
        return mbs.assemble(model).result
    if not hasattr(module, "INITIAL"):
        return mbs.kinematics(model, times)
    return mbs.simulate(model, times[:2], module.INITIAL, **getattr(module, "OPTIONS", {}))


@pytest.fixture(scope="module")
def crank():
    model = load("slider_crank").build()
    return mbs.inverse_dynamics(model, np.linspace(0, 0.6, 61))


@pytest.fixture(scope="module")
def crank_page(crank, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "crank.html"
    save_page(crank, path, plots=("slider.x", "slider.vx"), trace="rod.middle")
    return path


@pytest.fixture(scope="module")
def platform_page(tmp_path_factory):
    module = load("stewart_platform")
    path = tmp_path_factory.mktemp("page") / "platform.html"
    save_page(mbs.kinematics(module.build(), np.asarray(module.TIMES)[:31]), path)
    return path


# --- in the browser ---


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", covering([pytest.param(name, id=name) for name in ALL], lambda case: elements_of(case.id))
)
def test_the_gallery_loads_draws_plays_and_turns(name, chromium, tmp_path):
    """A soak are models whose elements are all drawn in others."""
    result = moved(name)
    path = tmp_path / "page.html"
    save_page(result, path)
    assert path.stat().st_size < 1_000_000
    with Opened(chromium, path) as page:
        assert page.of_network() == []
        colours = page.run(
            """() => { const c = document.getElementById("stage");
            const d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data, found = new Set();
            for (let k = 0; k < d.length; k += 4) found.add(d[k] << 16 | d[k + 1] << 8 | d[k + 2]);
            return found.size; }"""
        )
        assert colours > 20  # a blank paper has a handful
        for index in (0, -1):
            page.run(f"mbs.seek({result.t[index]})")
            assert_joints_stand_where_they_are(page, result, index)
        before = page.run("mbs.state.x")
        page.page.keyboard.press("Space")
        page.until(f"mbs.state.x !== {before} || mbs.poses.end === mbs.poses.start")
        page.page.keyboard.press("Space")
        page.run("mbs.seek(mbs.poses.end)")
        assert page.run("mbs.state.x") == page.run("mbs.poses.end")
        page.page.mouse.move(300, 300)
        page.page.mouse.down()
        page.page.mouse.move(360, 320)
        page.page.mouse.up()
        page.page.set_viewport_size({"width": 320, "height": 640})
        page.page.wait_for_timeout(60)
        assert page.run("document.documentElement.scrollWidth") <= 320
        assert page.complaints == []


def on_screen(page, point):
    return page.run(
        """([x, y, z]) => { const c = mbs.view.camera; const p = [x, y, z].map((v, k) => v - c.centre[k]);
        const dot = (a) => a[0] * p[0] + a[1] * p[1] + a[2] * p[2];
        return [c.width / 2 + c.scale * dot(c.right), c.height / 2 - c.scale * dot(c.up)]; }""",
        [*point, 0.0][:3],
    )


APART = ("", "spring", "damper", "arrow", "contact", "mesh", "stop")  # do not stand at their second marker


def assert_joints_stand_where_they_are(page, result, index):
    """Of what is drawn of a joint something has its middle, to a pixel, where the numbers have its second marker."""
    drawn = page.run(
        """mbs.state.seen.filter((s) => s.piece.group === "joints").map((s) => [s.piece.of, [...s.screen]])"""
    )
    for joint in result.sketch.elements:
        if len(joint.markers) >= 2 and joint.kind not in APART:
            wanted = np.array(on_screen(page, list(world_place(result, joint.markers[-1], index))))
            own = [np.reshape(screen, (-1, 3))[:, :2] for name, screen in drawn if name == joint.name]
            middles = [(np.nanmin(points, axis=0) + np.nanmax(points, axis=0)) / 2 for points in own]
            assert min(np.hypot(*(middle - wanted)) for middle in middles) < 1.0, joint.name


def world_place(result, marker, index):
    """From the numbers of the result alone."""
    body, *numbers = marker
    own = np.array(numbers[: result.sketch.dimension])
    if body == "ground":
        return own
    if result.sketch.dimension == 3:
        return [result[f"{body}.{axis}"][index] for axis in "xyz"] + result.rotation(body)[index] @ own
    c, s = np.cos(result[f"{body}.angle"][index]), np.sin(result[f"{body}.angle"][index])
    turned = np.array([[c, -s], [s, c]]) @ own
    return np.array([result[f"{body}.x"][index], result[f"{body}.y"][index]]) + turned


def test_pins_are_drawn_where_the_result_says(crank, crank_page, chromium):
    with Opened(chromium, crank_page) as page:
        for index in (0, 17, 44, 60):
            page.run(f"mbs.seek({crank.t[index]})")
            x, y = on_screen(page, (crank["crank.B.x"][index], crank["crank.B.y"][index]))
            ring = page.run(
                """([x, y]) => { const c = document.getElementById("stage").getContext("2d");
                const at = (p, way) => Math.round(p + 4.4 * way - 0.5);
                return [...Array(16).keys()].map((k) => k * Math.PI / 8).map((a) =>
                c.getImageData(at(x, Math.cos(a)), at(y, Math.sin(a)), 1, 1).data[0]); }""",
                [x, y],
            )
            assert max(ring) < 200, "the dark ring of the pin is around that point"
            seen = page.run("[...mbs.state.seen.find((s) => s.piece.of === 'B' && s.piece.form === 'dot').screen]")
            assert np.hypot(seen[0] - x, seen[1] - y) < 0.5


def test_bodies_move_as_in_the_result(crank, crank_page, chromium):
    motion = motion_of(crank)
    with Opened(chromium, crank_page) as page:
        for index in (3, 29, 58):
            page.run(f"mbs.seek({crank.t[index]})")
            places = np.reshape(page.run("[...mbs.state.pose.places]"), (-1, 3))
            for k, body in enumerate(crank.sketch.bodies):
                np.testing.assert_allclose(places[k], motion.frame(body.name)[0][index], atol=1e-6)


def test_bars_keep_their_lengths_in_a_long_run(chromium, tmp_path):
    """Two hundred turns: between poses too, the rod's end stays on the circle that the crank's end goes on."""
    r = 0.1
    result = mbs.kinematics(load("slider_crank").build(r=r), np.linspace(0, 40 * np.pi, 3000))
    path = result.save(tmp_path / "page.html")
    assert path.stat().st_size < 400_000
    times = np.random.default_rng(3).uniform(0, result.t[-1], 80)
    with Opened(chromium, path) as page:
        scale, ends = page.run(
            """(times) => [mbs.view.camera.scale, times.map((t) => { const { places, turns } = mbs.poses.at(t);
            return [0, 1].map((b) => [0, 1].map((k) =>
            places[3 * b + k] + [0.05, -0.15][b] * turns[9 * b + 3 * k])); })]""",
            times.tolist(),
        )
    of_crank, of_rod = np.moveaxis(np.array(ends), 1, 0)
    for gap in (np.hypot(*of_rod.T) - r, np.hypot(*(of_crank - of_rod).T)):
        assert np.abs(gap).max() * scale < 1.0  # pixels


def test_poses_are_as_many_as_the_motion_asks_for(crank):
    from mbs_dae.view.page.poses import FEWEST, halfway

    assert len(shown_motion(crank)) == FEWEST + 1
    times = np.array([0.0, 1.0, 1.5, 3.0, 3.5])
    middle = (times[1:] + times[:-1]) / 2
    parabola = np.stack([times**2 - times, 3 * times], axis=1)
    np.testing.assert_allclose(halfway(times, parabola), np.stack([middle**2 - middle, 3 * middle], axis=1))
    np.testing.assert_allclose(halfway(times[:2], parabola[:2]), [[0.0, 1.5]])


def test_curves_read_as_the_result(crank, crank_page, chromium):
    with Opened(chromium, crank_page) as page:
        page.run(f"mbs.seek({crank.t[20]})")
        shown = page.page.locator(".reading b").all_inner_texts()
        values = [float(text.split()[0].replace("−", "-")) for text in shown]
        np.testing.assert_allclose(values, [crank["slider.x"][20], crank["slider.vx"][20]], rtol=1e-4)
        page.page.locator("summary").click()
        page.page.locator("#find").fill("rod.omega")
        page.page.locator("#quantities label:visible").first.click()
        assert page.page.locator("#curves figure").count() == 3  # lengths, velocities, angular velocities
        svg = page.page.locator("#curves svg").first
        box = svg.bounding_box()
        page.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 60)
        assert 0.2 < page.run("mbs.state.x") < 0.4
        assert page.complaints == []


def test_what_is_shown_can_be_chosen(crank_page, chromium):
    count = "mbs.state.seen.filter((s) => s.piece.group === 'reactions').length"
    with Opened(chromium, crank_page) as page:
        assert page.run(count) == 0
        page.page.locator("[data-group=reactions]").check()
        assert page.run(count) > 0
        page.page.locator("[data-group=bodies]").uncheck()
        assert page.run("mbs.state.seen.filter((s) => s.piece.group === 'bodies').length") == 0


def test_what_goes_far_is_followed(crank_page, chromium, tmp_path):
    """A cart of one metre that goes twenty stays in the middle, in its own size; the ground moves past, or does not."""
    model = mbs.PlanarModel("cart")
    cart = model.body("cart")
    model.add(mbs.Translational("road", model.ground, cart), mbs.Driver("motor", mbs.x(cart), 10 * mbs.t))
    cart.marker("left", -0.5, 0), cart.marker("right", 0.5, 0)
    path = mbs.kinematics(model, np.linspace(0, 2, 21)).save(tmp_path / "page.html")
    with Opened(chromium, path) as page:
        width, scale = page.run("[mbs.view.camera.width, mbs.view.camera.scale]")
        assert width / 4 < scale < width
        for t in (0.0, 0.3, 1.7):
            page.run(f"mbs.seek({t})")
            assert on_screen(page, (10 * t, 0))[0] == pytest.approx(width / 2, abs=1.0)
        page.page.locator("#follow").uncheck()
        assert page.run("mbs.view.camera.scale") < width / 20
        before = on_screen(page, (0, 0))
        page.run("mbs.seek(0.1)")
        assert on_screen(page, (0, 0)) == before and page.complaints == []
    with Opened(chromium, crank_page) as page:
        assert page.page.locator("#follow").count() == 0


def test_a_picture_that_is_made_smaller_has_all_in_it_unless_somebody_chose_what_it_shows(crank, crank_page, chromium):
    far = crank["slider.x"].max(), 0.0
    with Opened(chromium, crank_page) as page:
        for chosen in (False, True):
            page.page.set_viewport_size({"width": 1200, "height": 700})
            page.page.wait_for_timeout(60)
            if chosen:
                page.page.mouse.move(300, 300)
                page.page.mouse.wheel(0, -400)
            scale = page.run("mbs.view.camera.scale")
            page.page.set_viewport_size({"width": 360, "height": 700})
            page.page.wait_for_timeout(60)
            assert chosen == (page.run("mbs.view.camera.scale") >= scale)
            x, _ = on_screen(page, far)
            assert chosen or 0 < x < page.run("mbs.view.camera.width")


def test_names_do_not_lie_over_one_another(chromium, tmp_path):
    """Of twenty-five bodies in a heap some have room for their names; the others are read by pointing at them."""
    model = mbs.PlanarModel("heap")
    for k in range(25):
        body = model.body(f"a long name {k}", position=(0.02 * (k % 5), 0.01 * (k // 5)))
        body.marker("end", 0.1, 0)
    path = mbs.assemble(model).result.save(tmp_path / "page.html")
    with Opened(chromium, path) as page:
        boxes = np.array(page.run("mbs.state.named"))
        assert 2 < len(boxes) < 25
        gaps = np.abs(boxes[:, None, :2] - boxes[None, :, :2]) - boxes[:, None, 2:] - boxes[None, :, 2:]
        assert (gaps.max(axis=2)[~np.eye(len(boxes), dtype=bool)] >= 0.0).all()
        box = page.page.locator("#stage").bounding_box()
        x, y = on_screen(page, (0.18, 0.04))
        page.page.mouse.move(box["x"] + x, box["y"] + y)
        assert "a long name 24" in page.page.locator("#under").inner_text()


def test_the_mouse_turns_moves_and_zooms(platform_page, chromium):
    camera = "JSON.stringify([mbs.view.camera.azimuth, mbs.view.camera.elevation, mbs.view.camera.scale])"
    with Opened(chromium, platform_page) as page:
        first = json.loads(page.run(camera))
        page.page.mouse.move(300, 300)
        page.page.mouse.down()
        page.page.mouse.move(400, 350)
        page.page.mouse.up()
        turned = json.loads(page.run(camera))
        assert turned[0] != first[0] and turned[1] > first[1] and turned[2] == first[2]
        page.page.mouse.wheel(0, -200)
        page.until(f"mbs.view.camera.scale > {first[2]}")
        page.page.keyboard.press("4")
        assert json.loads(page.run(camera))[1] == 90
        page.page.keyboard.press("0")
        assert page.complaints == []


def test_a_frame_of_a_stewart_platform_costs_little(platform_page, chromium):
    """The script computes poses, projects, sorts, and calls what draws."""
    with Opened(chromium, platform_page) as page:
        start, end = page.run("[mbs.poses.start, mbs.poses.end]")
        assert page.frame_cost(list(np.linspace(start, end, 60))) < 2.0


def test_nothing_serious_hinders_anybody(crank_page, platform_page, chromium):
    """The rules of axe: names of controls, contrast, order of headings, and the like; in light and dark."""
    from axe_core_python.sync_playwright import Axe

    for path, scheme in ((crank_page, "light"), (crank_page, "dark"), (platform_page, "light")):
        with Opened(chromium, path, color_scheme=scheme) as page:
            found = Axe().run(page.page)["violations"]
            serious = [(v["id"], v["nodes"][0]["html"]) for v in found if v["impact"] in ("serious", "critical")]
            assert serious == []
            assert page.run("document.documentElement.dataset.theme") == scheme


def test_names_do_no_harm(chromium, tmp_path):
    bad = ["<script>boom()</script>", "</script>", "a\"b'c", "two\nlines", "\u202eleft", "{title}", "line\u2028end"]
    model = mbs.PlanarModel(bad[0] + "{script}", gravity=(0, -9.81))
    for name in bad:
        body = model.body(name, mass=1, inertia=1)
        model.add(mbs.Revolute(f"pin {name}", model.ground, body))
    result = mbs.simulate(model, [0.0, 0.01])
    path = tmp_path / "page.html"
    save_page(result, path)
    with Opened(chromium, path) as page:
        assert page.complaints == [] and page.of_network() == []
        assert page.run("mbs.page.bodies.map((b) => b.name)") == bad
        assert page.page.locator("h1").inner_text() == model.name
        assert page.run("typeof boom") == "undefined"
        page.page.locator("summary").click()
        assert page.page.locator("#quantities script").count() == 0


def test_a_run_that_stopped_says_so(chromium, tmp_path, crank):
    from dataclasses import replace

    path = tmp_path / "page.html"
    save_page(replace(crank, success=False, message="a dead point of <b>motor</b>"), path)
    with Opened(chromium, path) as page:
        assert page.page.locator("#stopped").inner_text() == "Stopped early: a dead point of <b>motor</b>"


def test_a_print_says_the_time_and_is_light(crank_page, chromium):
    with Opened(chromium, crank_page, color_scheme="dark") as page:
        page.run("mbs.seek(0.25)")
        page.page.emulate_media(media="print")
        assert page.page.locator("#value").inner_text() == "t = 0.25000 s"
        assert not page.page.locator("#time").is_visible() and not page.page.locator("#picker").is_visible()
        theme = "document.documentElement.dataset.theme"
        page.run("dispatchEvent(new Event('beforeprint'))")
        assert page.run(theme) == "light"
        page.run("dispatchEvent(new Event('afterprint'))")
        assert page.run(theme) == "dark"


def test_a_notebook_has_the_same_page_and_a_still(crank, chromium, tmp_path):
    shown = crank.view(plots="slider.x", height=400)._repr_html_()
    assert shown.count("data:image/png;base64,") == 1 and "display: none" in shown
    path = tmp_path / "cell.html"
    path.write_text(f"<!doctype html><body>{shown}</body>", encoding="utf-8")
    page = chromium.new_page()
    page.goto(path.as_uri())
    inside = page.frame_locator("iframe")
    inside.locator(".reading b").wait_for()
    assert inside.locator("h1").inner_text() == "slider-crank"
    assert not page.locator("img").is_visible()


# --- the data ---


def unpacked(packed):
    """As the script does it."""
    planes = np.frombuffer(zlib.decompress(b64decode(packed["data"])), np.uint8).reshape(4, -1)
    words = planes.T.copy().view("<u4").ravel()
    for name, where in packed["table"].items():
        rows = where["shape"][0]
        columns = int(np.prod(where["shape"][1:], dtype=int))
        bits = words[where["at"] : where["at"] + rows * columns].reshape(columns, rows)
        yield name, np.cumsum(bits, axis=1, dtype="<u4").T.copy().view("<f4").reshape(where["shape"])


def test_arrays_are_packed_without_loss():
    arrays = {"a": np.random.default_rng(1).normal(size=(7, 3)), "none": np.zeros((0, 2)), "b": [1.0, np.nan, -np.inf]}
    for name, array in unpacked(packed(arrays)):
        np.testing.assert_array_equal(array, np.asarray(arrays[name], dtype="<f4"))


@pytest.mark.parametrize("choice", ["plots", "trace"])
def test_what_is_no_name_is_refused(choice, crank, tmp_path):
    for wrong in (None, 5):
        with refused("not-a-list", mentions=choice):
            crank.save(tmp_path / "x.html", **{choice: wrong})


def test_a_motion_that_begins_late_plays_as_well(chromium, tmp_path):
    """A day and more after time 0, where numbers of 32 bits are 1/64 s apart."""
    model = mbs.PlanarModel("clock")
    hand = model.body("hand", position=(0.5, 0))
    model.add(mbs.Revolute("O", model.ground, hand.at(-0.5, 0)))
    model.add(mbs.Driver("motor", mbs.angle(model.ground, hand), 2 * np.pi * mbs.t))
    result = mbs.kinematics(model, 2e5 + np.linspace(0, 1, 121))
    with Opened(chromium, result.save(tmp_path / "x.html")) as page:
        times = 2e5 + np.linspace(0.01, 0.97, 30)
        places = page.run("(times) => times.map((t) => [...mbs.poses.at(t).places.subarray(0, 2)])", times.tolist())
        turned = 2 * np.pi * times
        np.testing.assert_allclose(places, 0.5 * np.stack([np.cos(turned), np.sin(turned)], axis=1), atol=1e-6)
        assert page.complaints == []


def test_a_peak_is_kept_where_poses_are_left_out():
    times = np.linspace(0, 1, 100_001)
    values = np.zeros((len(times), 2))
    values[41_234, 0], values[77_777, 1] = 5.0, -3.0
    shown, curves = thinned_curves(times, values, MOST)
    assert len(shown) == len(curves) <= MOST and (np.diff(shown) >= 0).all()
    assert curves[:, 0].max() == 5.0 and curves[:, 1].min() == -3.0
    assert abs(shown[curves[:, 0].argmax()] - times[41_234]) < 2 / MOST


def test_a_page_is_one_file_without_addresses(crank):
    text = page_of(page_data(crank, Choices()))
    assert not re.search(r"(src|href)\s*=|url\(|@import|https?://(?!www\.w3\.org/2000/svg)", text)
    assert "default-src 'none'" in text


def test_a_film_that_becomes_a_page_keeps_its_speed(crank, tmp_path):
    """If none was said, a page plays some seconds, whether it is a file or a cell of a notebook."""
    own = {}
    for speed in (None, 0.25):
        film = crank.animate(speed=speed)
        saved = film.save(tmp_path / "film.html").read_text(encoding="utf-8")
        own[speed] = {float(re.search(r"speed&quot;:([0-9.e-]+)", film._repr_html_())[1])}
        own[speed].add(float(re.search(r'"speed":([0-9.e-]+)', saved)[1]))
    assert own == {None: {page_data(crank, choices_of(crank))["speed"]}, 0.25: {0.25}}


def test_wrong_choices_are_told(crank, tmp_path):
    with refused("unknown-name", kind="quantity", name="slider.z"):
        save_page(crank, tmp_path / "page.html", plots="slider.z")
    with refused("unknown-name", name="nowhere"):
        save_page(crank, tmp_path / "page.html", trace="nowhere")
    with refused("not-spatial", argument="view", value=[24, -58]):
        save_page(crank, tmp_path / "page.html", view=(24, -58))
    with refused("not-positive", argument="height", value=-5.0):
        crank.view(height=-5)
    space = mbs.SpatialModel("free")
    space.body("block", mass=1.0, inertia=(1, 1, 1))
    thrown = mbs.assemble(space).result
    for view in ((24,), (100, 0), (24, "left"), (24, np.nan), 24):
        with refused("not-a-view", argument="view"):
            save_page(thrown, tmp_path / "page.html", view=view)
    assert not list(Path(tmp_path).iterdir())


def test_labels_of_curves_and_numbers_of_dials_are_whole(chromium, tmp_path):
    """The longest label, and numbers of six digits after zeros, in the narrow columns of a page."""
    model = load("slider_crank").build().with_parameters(r=0.0123457)
    path = tmp_path / "labels.html"
    names = ("rod.alpha", "rod.omega", "slider.ax")
    mbs.kinematics(model, np.linspace(0, 0.6, 31)).save(path, live=True, plots=names, units=mbs.units("deg", "rpm"))
    with Opened(chromium, path) as page:
        for k in range(page.page.locator("#curves svg").count()):
            svg = page.page.locator("#curves svg").nth(k)
            label, box = svg.locator("text[transform]").bounding_box(), svg.bounding_box()
            assert box["y"] <= label["y"] and label["y"] + label["height"] <= box["y"] + box["height"]
        fits = "[...document.querySelectorAll('.dial input[type=number]')].map((i) => i.scrollWidth - i.clientWidth)"
        assert page.run(fits) and max(page.run(fits)) <= 0
        assert page.complaints == []
