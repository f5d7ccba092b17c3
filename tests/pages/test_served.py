"""A server of pages: it answers the page that it gave, with what the core says, and nobody else."""

from __future__ import annotations

import json
import socket
import sys
import time
import zlib
from base64 import b64decode
from threading import Thread

import numpy as np
import pytest
from gallery import MODELS
from refusals import refused
from serving import sent, served

import mbs_dae as mbs
from mbs_dae.view.served.runs import independent
from mbs_dae.view.served.server import HERE, LARGEST, Server
from mbs_dae.view.served.session import OVERTAKEN

pytestmark = pytest.mark.usefixtures("interpreted_kernels")

PENDULUM = """
import mbs_dae as mbs

TIMES = [0.0, 0.1, 0.2, 0.3]
INITIAL = {"rod.omega": 0.0}


def build():
    model = mbs.PlanarModel("<script>boom()</script>", gravity=(0, -9.81))
    length = model.parameter("length", 1.0, unit="m")
    m = model.parameter("m", 2.0, unit="kg")
    rod = model.body("rod", mass=m, inertia=m * length**2 / 12, position=(length / 2, 0))
    model.add(mbs.Revolute("pin", model.ground, rod.at(-length / 2, 0)))
    return model
"""
ASKED = {"version": 1, "mode": "forces", "start": 0.0, "end": 0.3, "count": 4}


@pytest.fixture(autouse=True)
def paths(monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path])


@pytest.fixture(scope="module")
def pendulum(tmp_path_factory):
    import interpreted

    from mbs_dae.kernels import cache

    path = tmp_path_factory.mktemp("served") / "pendulum.py"
    path.write_text(PENDULUM)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cache, "kernel", interpreted.kernel)
        patch.setattr(sys, "path", [*sys.path])
        with served(path) as server:
            yield server


def read(packed: dict, name: str) -> np.ndarray:
    """An array of an answer, as the script unpacks it."""
    planes = np.frombuffer(zlib.decompress(b64decode(packed["data"])), np.uint8).reshape(4, -1)
    where, words = packed["table"][name], planes.T.copy().view("<u4").ravel()
    rows, columns = where["shape"]
    bits = words[where["at"] : where["at"] + rows * columns].reshape(columns, rows)
    return np.cumsum(bits, axis=1, dtype="<u4").T.copy().view("<f4")


# --- what it answers ---


def test_it_answers_with_what_the_core_says(pendulum):
    parameters = {"length": 1.3, "m": 2.5}
    status, told = sent(pendulum, "run", {**ASKED, "parameters": parameters, "initial": {"rod.omega": -2.0}})
    assert status == 200 and told["initial"][0]["value"] == -2.0
    model = pendulum.session.current.content.model.with_parameters(**parameters)
    result = mbs.simulate(model, [0.0, 0.1, 0.2, 0.3], {"rod.omega": -2.0})
    column = [curve["name"] for curve in told["page"]["curves"]].index("rod.angle")
    curves = read(told["page"]["arrays"], "curves")
    np.testing.assert_array_equal(curves[:, column], np.float32(result["rod.angle"]))


def test_errors_are_in_the_words_of_the_core(pendulum):
    status, told = sent(pendulum, "run", {**ASKED, "parameters": {"m": -1.0}})
    with pytest.raises(mbs.ModelError) as wanted:
        model = pendulum.session.current.content.model.with_parameters(**{"m": -1.0})
        mbs.simulate(model, [0.0, 0.1], {"rod.omega": 0.0})
    assert status == 200 and told == {"error": str(wanted.value)}
    assert "let it end later" in sent(pendulum, "run", {**ASKED, "end": -1})[1]["error"]
    assert "whole number from 2" in sent(pendulum, "run", {**ASKED, "count": 1e9})[1]["error"]


def test_what_nobody_waits_for_is_not_computed(pendulum, monkeypatch):
    """A page that asks for something newer closes the connection of what it asked before."""
    session, seen = pendulum.session, []
    monkeypatch.setattr("mbs_dae.view.served.session.run", lambda said, wanted, watch: seen.append(wanted) or 1 / 0)
    with session.one_at_a_time:  # something else is computed
        body = json.dumps(ASKED).encode()
        asking = socket.create_connection((HERE, pendulum.server_port))
        head = f"POST /{pendulum.token}/run HTTP/1.1\r\nHost: {HERE}:{pendulum.server_port}\r\n"
        asking.sendall(f"{head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        time.sleep(0.05)
        asking.close()
        waiting: list = []
        other = Thread(target=lambda: waiting.append(sent(pendulum, "run", ASKED)))
        other.start()
        time.sleep(0.05)
    other.join()
    assert len(seen) == 1 and "division by zero" in waiting[0][1]["error"]
    assert sent(pendulum, "run", {**ASKED, "version": 0}) == (200, OVERTAKEN)
    assert session.run({**ASKED}, lambda: True) == OVERTAKEN


def test_a_mechanism_is_let_go_in_its_pose():
    with served(MODELS / "four_bar.py") as server:
        asked = {**ASKED, "mode": "released", "at": 1.0, "parameters": {"a": 0.045}}
        told = sent(server, "run", asked)[1]
        model = server.session.current.content.model.with_parameters(a=0.045)
    assert {one["name"] for one in told["initial"]} == {"crank.angle", "crank.omega"}
    pose = mbs.kinematics(model, np.linspace(0, 1, 50)).state(-1)
    result = mbs.simulate(model.without("motor"), np.linspace(1.0, 1.3, 4), pose)
    names = [curve["name"] for curve in told["page"]["curves"]]
    assert "motor.effort" not in names
    curves = read(told["page"]["arrays"], "curves")
    np.testing.assert_allclose(curves[:, names.index("rocker.angle")], result["rocker.angle"], rtol=0, atol=3e-7)


def test_where_nobody_says_there_are_as_many_values_as_freedoms():
    model = mbs.PlanarModel("two rods", gravity=(0, -9.81))
    upper, lower = (model.body(name, mass=1, inertia=0.1) for name in ("upper", "lower"))
    model.add(mbs.Revolute("A", model.ground, upper.at(-0.5, 0)))
    model.add(mbs.Revolute("B", upper.at(0.5, 0), lower.at(-0.5, 0)))
    assert [*independent(mbs.assemble(model))] == ["upper.angle", "upper.omega", "lower.angle", "lower.omega"]
    ball = mbs.SpatialModel("ball")
    ball.add(mbs.Spherical("pin", ball.ground, ball.body("ball", mass=1, inertia=(1, 1, 1)).at(0.1, 0, 0)))
    names = [*independent(mbs.assemble(ball))]
    assert [ball.quantity(name)[1] for name in names].count(1) == 3  # an attitude has rates, and no three angles


# --- whom it answers ---


def test_a_stranger_is_refused(pendulum):
    port = pendulum.server_port
    look = {"version": 1}
    assert sent(pendulum, "look", look) == (200, {"version": 1, "trouble": ""})
    assert sent(pendulum, "look", look, Host=f"localhost:{port}", Origin=f"http://localhost:{port}")[0] == 200
    for headers in (
        {"Host": "evil.example"}, {"Host": f"evil.example:{port}"}, {"Host": HERE}, {"Host": f"{HERE}:1"},
        {"Origin": "http://evil.example"}, {"Origin": "null"}, {"Origin": f"https://{HERE}:{port}"},
    ):  # fmt: skip
        assert sent(pendulum, "look", look, **headers)[0] == 403, headers
        assert sent(pendulum, "", None, "GET", **headers)[0] == 403, headers
    for path in ("/", "/look", "//look", f"/{pendulum.token[:-1]}/look", "/%FC/look"):
        assert sent(pendulum, path, look)[0] == 403, path
    for first in (f"GET /{pendulum.token}/ HTTP/1.0", f"GET /ü/ HTTP/1.0\r\nHost: {HERE}:{port}"):
        with socket.create_connection((HERE, port)) as bare:
            bare.sendall(f"{first}\r\n\r\n".encode())
            assert b"403" in bare.recv(64)


def test_it_has_one_page_and_no_files(pendulum):
    status, page = sent(pendulum, "", None, "GET")
    assert status == 200 and "connect-src 'self'" in page and "<script>boom" not in page
    for what in ("../pendulum.py", "pendulum.py", "..%2f..%2fetc/passwd", "run", "look", "?x=1", "a/", "/etc/passwd"):
        assert sent(pendulum, f"/{pendulum.token}/{what}", None, "GET")[0] == 404, what
    assert sent(pendulum, "other", {"version": 1})[0] == 404
    for method in ("HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"):
        assert sent(pendulum, "", None, method)[0] == 405, method


def test_it_listens_on_this_machine_only(pendulum):
    assert pendulum.server_address[0] == HERE == "127.0.0.1" and pendulum.address.startswith("http://127.0.0.1:")
    own = socket.gethostbyname(socket.gethostname())
    if own != HERE and not own.startswith("127."):
        with pytest.raises(OSError):
            socket.create_connection((own, pendulum.server_port), timeout=2)
    with refused("cannot-listen", argument="port"):
        Server(pendulum.session, pendulum.server_port)


BAD = {
    "no JSON": b"{", "a list": [1], "deep": b"[" * 30_000, "bytes": b"\xff\xfe",
    "nan": b'{"version": NaN}', "no version": {}, "a text": {"version": "1"}, "a truth": {"version": True},
    "nan among parameters": b'{"version":1,"mode":"forces","start":0,"end":1,"count":3,"parameters":{"length":NaN}}',
    "infinite": b'{"version":1,"mode":"forces","start":0,"end":1,"count":3,"parameters":{"length":1e999}}',
    "large": b'{"version":1,"mode":"forces","start":0,"end":1,"count":3,"at":1' + 400 * b"0" + b"}",
    "an expression": {**ASKED, "parameters": {"length": "1+1"}}, "an unknown name": {**ASKED, "parameters": {"r": 1}},
    "an unknown quantity": {**ASKED, "initial": {"rod.size": 1}},
    "an attribute": {**ASKED, "parameters": {"__class__": 1}},
    "an acceleration": {**ASKED, "initial": {"rod.alpha": 1}}, "another key": {**ASKED, "file": "/etc/passwd"},
    "another mode": {**ASKED, "mode": "driven"}, "a list of values": {**ASKED, "parameters": [1]},
    "no times": {"version": 1, "mode": "forces"},
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_what_is_no_number_under_a_name_of_the_model_is_refused(pendulum, case):
    status, told = sent(pendulum, "run", BAD[case])
    assert status == 400 and told["error"] and "Traceback" not in told["error"]


def test_bodies_are_of_limited_size_and_of_one_kind(pendulum):
    assert sent(pendulum, "run", b"[" * (LARGEST + 1))[0] == 413
    assert sent(pendulum, "run", ASKED, Content_Type="text/plain")[0] == 415
    with socket.create_connection((HERE, pendulum.server_port)) as bare:
        head = f"POST /{pendulum.token}/run HTTP/1.1\r\nHost: {HERE}:{pendulum.server_port}\r\n"
        bare.sendall(f"{head}Content-Type: application/json\r\nContent-Length: -1\r\n\r\n".encode())
        assert b"411" in bare.recv(64)


# --- the file ---


def test_a_file_that_is_saved_is_read_anew_with_its_neighbours(tmp_path):
    (tmp_path / "lengths_of_swing.py").write_text("LENGTH = 1.0\n")
    text = "from lengths_of_swing import LENGTH" + PENDULUM.replace('"length", 1.0', '"length", LENGTH')
    path = tmp_path / "swing.py"
    path.write_text(text)
    with served(path) as server:
        session = server.session

        def looked() -> tuple[int, str]:
            told = sent(server, "look", {"version": 1})[1]
            return told["version"], told["trouble"]

        assert looked() == (1, "") == looked()
        (tmp_path / "lengths_of_swing.py").write_text("LENGTH = 2.5\n")
        assert looked() == (2, "") and session.current.content.model.parameters["length"].value == 2.5
        before = session.current
        path.write_text(text.replace("    return model", "    raise ValueError('<b>no</b>')"))
        version, trouble = looked()
        assert version == 2 and session.current is before
        line = text.splitlines().index("    return model") + 1
        assert trouble == f"{path}, line {line}: ValueError: <b>no</b>"
        path.write_text("def build(:\n")
        assert "SyntaxError" in looked()[1] and "line 1" in looked()[1]
        path.write_text("import broken_swing\n" + text)
        (tmp_path / "broken_swing.py").write_text("x = = 1\n")
        assert "broken_swing.py, line 1" in looked()[1]
        (tmp_path / "broken_swing.py").write_text("x = 1\n")
        assert looked() == (3, "")
        path.unlink()
        assert "there is no file" in looked()[1]
    assert not (tmp_path / "__pycache__").exists()
