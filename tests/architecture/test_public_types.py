"""Every public name has its type: strict checkers accept right uses and find wrong ones; `help` shows constants."""

from __future__ import annotations

import ast
import inspect
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import mbs_dae as mbs

ROOT = Path(mbs.__file__).resolve().parents[1]
HERE = Path(__file__).resolve().parent / "typing"


def found_by_checker(file: str, cache: Path) -> list[tuple[int, str]]:
    """Line and message of every error."""
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--no-error-summary"]
    command += ["--hide-error-context", f"--cache-dir={cache}", str(HERE / file)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert not done.stderr, done.stderr
    lines = [line.split(":", 2) for line in done.stdout.splitlines() if ": error:" in line]
    return [(int(number), message) for _, number, message in lines]


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("mypy")


@pytest.mark.slow
def test_right_uses_are_accepted_and_wrong_ones_are_found(cache):
    assert found_by_checker("public_api.py", cache) == []
    marked = [n for n, line in enumerate((HERE / "wrong_uses.py").read_text().splitlines(), 1) if "# error" in line]
    found = {number for number, _ in found_by_checker("wrong_uses.py", cache)}
    assert len(marked) > 30 and sorted(found) == marked


def test_every_public_name_is_used_there():
    tree = ast.parse((HERE / "public_api.py").read_text(encoding="utf-8"))
    used = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "mbs"
    }
    assert set(mbs.__all__) <= used


def test_the_stub_is_what_would_be_written():
    written = runpy.run_path(str(ROOT / "tools" / "public_types.py"))["stub"]()
    stub = (ROOT / "mbs_dae" / "__init__.pyi").read_text(encoding="utf-8")
    assert stub == written, "run python tools/public_types.py"


def shown(cls: type) -> str:
    return str(inspect.signature(cls)).replace("'", "").replace('"', "")


def test_signatures_show_constants():
    assert shown(mbs.Distance) == (
        "(name: str, i: Place, j: Place, length: Number = ..., *, "
        "at: Vector | None = None, axis: Vector | None = None, x_axis: Vector | None = None, "
        "unilateral: Literal[rope, strut] | None = None)"
    )
    assert shown(mbs.Spring) == (
        "(name: str, i: Place | Joint | Measure, j: Place = None, /, "
        "stiffness: Number = 0, length: Number = ..., law: Law = 0)"
    )
    assert "carrier: Place | None = None" in shown(mbs.Gear) and "radii:" in shown(mbs.Gear)
    assert "axes: Literal[world, body]" in shown(mbs.Force)


def test_a_class_of_ones_own_has_a_signature():
    class Sleeve(mbs.Joint):
        gap = mbs.scalar("m", default=0.0)
        pitch = mbs.scalar("m")

        @staticmethod
        def phi(first, second, third=None, *, gap, pitch):
            return [first.x - second.x - gap * pitch]

    try:
        assert shown(Sleeve).startswith("(name: str, first: Place, second: Place, gap: Number = 0.0, *, ")
        assert "third: Place | None = None" in shown(Sleeve) and "pitch: Number," in shown(Sleeve) + ","
    finally:
        sys.modules[mbs.Joint.__module__]._registry.remove(Sleeve)


@pytest.mark.parametrize("cls", [*mbs.registered_joints(), *mbs.registered_forces()], ids=lambda c: c.__name__)
def test_all_constants_are_in_the_signature(cls):
    if cls.__module__.startswith("mbs_dae"):
        names = set(inspect.signature(cls).parameters)
        assert {"name", *cls.fields} <= names and not names & {"args", "constants"}
