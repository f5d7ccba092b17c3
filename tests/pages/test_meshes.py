"""Bodies drawn as parts out of STL files: both forms are read, what is wrong is told, and results keep them."""

from __future__ import annotations

import copy
import pickle
import struct
from itertools import pairwise

import numpy as np
import pytest
from browser import Opened, browser
from refusals import refused

import mbs_dae as mbs
from mbs_dae.model.meshes.mesh import MOST, joined, thinned, triangles_of

pytestmark = pytest.mark.usefixtures("interpreted_kernels")

FACES = [(0, 2, 1), (0, 3, 2), (4, 5, 6), (4, 6, 7), *((a, b, b + 4) for a, b in ((0, 1), (1, 2), (2, 3), (3, 0)))]
FACES += [(a, b + 4, a + 4) for a, b in ((0, 1), (1, 2), (2, 3), (3, 0))]
SQUARE = [(0, 0), (1, 0), (1, 1), (0, 1)]
CUBE = np.array([(x, y, z) for z in (0, 1) for x, y in SQUARE], dtype=float)[FACES]


def binary(triangles, head=b"part") -> bytes:
    rows = (struct.pack("<12fH", 0, 0, 0, *np.ravel(t), 0) for t in triangles)
    return head.ljust(80) + struct.pack("<I", len(triangles)) + b"".join(rows)


def text(triangles, name="a vertex and a facet", end="\n") -> bytes:
    lines = [f"solid {name}"]
    for t in triangles:
        lines += ["  facet normal 0 0 1", "    outer loop", *(f"      vertex {x:e} {y:e} {z:e}" for x, y, z in t)]
        lines += ["    endloop", "  endfacet"]
    return end.join([*lines, f"endsolid {name}", ""]).encode()


def wavy(count: int) -> np.ndarray:
    """The surface of a ball with waves on it."""
    tilt, turn = np.linspace(0, np.pi, count), np.linspace(0, 2 * np.pi, 2 * count)
    way = np.stack(
        [np.outer(np.sin(tilt), f(turn)) for f in (np.cos, np.sin)] + [np.tile(np.cos(tilt), (2 * count, 1)).T]
    )
    grid = np.moveaxis(way * (1 + 0.1 * np.sin(8 * turn) * np.sin(tilt)[:, None] ** 2), 0, -1)
    steps = [(i, j) for i in pairwise(range(count)) for j in pairwise(range(2 * count))]
    corners = [[(grid[a, c], grid[b, c], grid[b, d]), (grid[a, c], grid[b, d], grid[a, d])] for (a, b), (c, d) in steps]
    return np.array(corners).reshape(-1, 3, 3)


def volume(points, faces) -> float:
    a, b, c = (points[faces[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)


@pytest.mark.parametrize(
    "data",
    [binary(CUBE), binary(CUBE, b"solid, says this header"), text(CUBE), text(CUBE, end="\r\n"), text(CUBE).upper()],
    ids=["binary", "binary that begins with solid", "text", "text of windows", "capitals"],
)
def test_a_unit_cube(data):
    corners = triangles_of(data, "cube")
    np.testing.assert_array_equal(corners, CUBE)
    points, faces = joined(corners)
    assert (len(points), len(faces)) == (8, 12) and volume(points, faces) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", ("damaged-file", "arm", "part one.stl", "0")),
        (b"a picture of a cube" * 20, ("damaged-file", "arm", "part one.stl", "STL")),
        (binary(CUBE)[:-1], ("damaged-file", "arm", "part one.stl", "683", "684", "12")),
        (text(CUBE)[:-300], ("damaged-file", "arm", "part one.stl", "33", "11")),
        (binary([]), ("empty-mesh", "arm", "part one.stl")),
        (text([]), ("empty-mesh", "arm", "part one.stl")),
        (binary(np.where(CUBE > 0, np.inf, CUBE)), ("not-finite", "arm", "part one.stl")),
        (text(CUBE).replace(b"1.000000e+00", b"nan", 1), ("not-finite", "arm", "part one.stl")),
        (text(CUBE).replace(b"1.000000e+00", b"one", 1), ("damaged-file", "arm", "part one.stl")),
        (text(CUBE).replace(b"vertex 0.000000e+00", b"vertex", 1), ("damaged-file", "arm", "part one.stl")),
        (binary(0 * CUBE), ("empty-mesh", "arm", "part one.stl")),
    ],
)
def test_what_is_no_mesh_is_refused(data, said, tmp_path):
    (tmp_path / "part one.stl").write_bytes(data)
    arm = mbs.SpatialModel("robot").body("arm")
    with refused(said[0], mentions=said[1:]):
        arm.mesh(tmp_path / "part one.stl")
    assert arm.meshes == []


def test_wrong_words_are_told(tmp_path):
    path = tmp_path / "cube.stl"
    path.write_bytes(binary(CUBE))
    model = mbs.SpatialModel("robot")
    arm, length = model.body("arm"), model.parameter("l", 1.0)
    for how, said in (
        ({"scale": 0}, ("not-positive",)), ({"scale": length}, ("not-a-number",)),
        ({"at": (0, 0)}, ("wrong-length", "triple")), ({"at": (0, length, 0)}, ("not-a-number",)),
        ({"rotation": 2 * np.eye(3)}, ("not-orthonormal",)),
    ):  # fmt: skip
        with refused(said[0], mentions=said[1:]):
            arm.mesh(path, **how)
    with refused("cannot-read-file", subject="body 'arm'"):
        arm.mesh(tmp_path / "none.stl")
    with refused("ground-without-mesh", element="ground"):
        model.ground.mesh(path)
    with refused("not-spatial", element="arm"):
        mbs.PlanarModel("plane").body("arm").mesh(path)
    with pytest.warns(UserWarning, match="40 m long; if the file is in millimetres, give scale=0.001"):
        arm.mesh(path, scale=40)


def test_it_stands_where_it_is_told_to(tmp_path):
    path = tmp_path / "cube.stl"
    path.write_bytes(text(CUBE[:, ::-1]))  # inside out
    arm = mbs.SpatialModel("robot").body("arm")
    arm.mesh(path, at=(1, 2, 3), rotation=[[0, -1, 0], [1, 0, 0], [0, 0, 1]], scale=0.001)
    (mesh,) = arm.meshes
    np.testing.assert_allclose(mesh.points.min(axis=0), [0.999, 2, 3])
    np.testing.assert_allclose(mesh.points.max(axis=0), [1, 2.001, 3.001])
    assert volume(mesh.points, mesh.faces) == pytest.approx(1e-9, rel=1e-6)
    path.write_bytes(text(CUBE[:2]))  # a sheet has two sides
    arm.mesh(path)
    assert len(arm.meshes[1].faces) == 4


def test_many_triangles_are_thinned():
    points, faces = joined(wavy(60))
    fewer, kept = thinned(points, faces)
    assert len(faces) > 13_000 and MOST / 2 < len(kept) <= MOST
    assert volume(fewer, kept) == pytest.approx(volume(points, faces), rel=0.02)
    assert thinned(fewer, kept)[1] is kept


@pytest.fixture
def model(tmp_path):
    (tmp_path / "ball.stl").write_bytes(binary(100 * wavy(24)))
    model = mbs.SpatialModel("arm")
    length = model.parameter("l", 0.2, unit="m")
    arm = model.body("arm", mass=1, inertia=1e-3)
    arm.mesh(tmp_path / "ball.stl", scale=0.001)
    joint = {"axis": (0, 1, 0)}
    model.add(mbs.Revolute("A", model.ground.at(0, 0, 0, **joint), arm.at(-length, 0, 0, **joint)))
    model.add(mbs.Driver("motor", mbs.angle(model.ground.at(0, 0, 0, **joint), arm.at(-length, 0, 0, **joint)), mbs.t))
    return model


def test_copies_and_files_keep_it(model, tmp_path):
    (tmp_path / "ball.stl").unlink()  # it is read once

    def drawn(result) -> np.ndarray:
        (mesh,) = result.sketch.bodies[0].meshes
        return mesh.points[mesh.faces]

    wanted = drawn(mbs.assemble(model).result)
    for own in (
        copy.copy(model),
        copy.deepcopy(model),
        pickle.loads(pickle.dumps(model)),
        model.with_parameters(l=0.3),
    ):
        np.testing.assert_array_equal(drawn(mbs.assemble(own).result), wanted)
    result = mbs.kinematics(model, [0.0, 0.5, 1.0])
    result.save(tmp_path / "x.npz")
    np.testing.assert_array_equal(drawn(mbs.load(tmp_path / "x.npz")), wanted)
    assert (tmp_path / "x.npz").stat().st_size < 100_000


def test_a_page_draws_it(model, tmp_path):
    result = mbs.kinematics(model, np.linspace(0, 1, 11))
    corners = result.sketch.bodies[0].meshes[0].points
    with browser() as chromium:
        for live in (False, True):
            path = result.save(tmp_path / "page.html", live=live)
            assert path.stat().st_size < 160_000
            with Opened(chromium, path) as page:
                own = page.run("[...mbs.page.pieces.find((piece) => piece.track.mesh).track.points]")
                np.testing.assert_allclose(np.reshape(own, (-1, 3)), corners, atol=1e-5)
                assert page.frame_cost([0.3, 0.5, 0.7]) < 8.0
                assert page.complaints == [] and page.of_network() == []
    result.animate(tmp_path / "still.png")
