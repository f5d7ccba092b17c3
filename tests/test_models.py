"""Every file in models/ builds, is diagnosed, moves, and runs as a script."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import mbs_dae as mbs

ROOT = Path(__file__).resolve().parents[1]
NAMES = sorted(path.stem for path in (ROOT / "models").glob("[!_]*.py"))


def load(name: str) -> ModuleType:
    """A file of models/ as a module."""
    spec = importlib.util.spec_from_file_location(f"models.{name}", ROOT / "models" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_gallery_is_complete():
    assert len(NAMES) >= 11, NAMES


@pytest.fixture(scope="module", params=NAMES)
def module(request) -> ModuleType:
    return load(request.param)


@pytest.fixture(scope="module")
def model(module) -> mbs.PlanarModel:
    return module.build()


@pytest.fixture(scope="module")
def times(module) -> np.ndarray:
    return getattr(module, "TIMES", np.linspace(0, 1, 101))


@pytest.fixture(scope="module")
def result(model, times) -> mbs.Result:
    return mbs.kinematics(model, times)


def test_says_what_it_is(module):
    assert module.__doc__
    imported = set()
    for node in ast.walk(ast.parse(Path(module.__file__).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add(node.module)
    assert imported <= {"mbs_dae", "numpy", "sympy", "math", "_show"}, "a model uses the public API only"


def test_is_fully_driven_without_conflicts(model):
    diagnosis = mbs.diagnose(model)
    assert diagnosis.assembled
    assert diagnosis.degrees_of_freedom == 0
    assert not diagnosis.conflicts
    assert not [group for group in diagnosis.redundant if group.kind == "momentary"]
    assert model.name in str(diagnosis)


def test_every_number_is_a_parameter(module, model):
    numbers = {n: p.default for n, p in inspect.signature(module.build).parameters.items() if type(p.default) is float}
    assert {name: model.parameters[name].value for name in numbers} == numbers


def test_parameters_change_the_built_model_in_the_same_way(module, model, times):
    changed = {name: 1.01 * p.value for name, p in model.parameters.items()}
    built, varied = (mbs.kinematics(m, times[:40]) for m in (module.build(**changed), model.with_parameters(**changed)))
    np.testing.assert_allclose(varied.q, built.q, rtol=0, atol=1e-12 * np.abs(built.q).max())
    np.testing.assert_allclose(varied.a, built.a, rtol=0, atol=1e-11 * (np.abs(built.a).max() or 1.0))


def test_moves_without_violation(model, times, result):
    assert result.success, result.message
    np.testing.assert_array_equal(result.t, times)
    length = mbs.diagnose(model).length
    violation, speed, acceleration = result.violation, np.abs(result.v).max(), np.abs(result.a).max()
    assert violation.position.max() <= 1e-12 * length
    assert violation.velocity.max() <= 1e-12 * (speed + length)
    assert violation.acceleration.max() <= 1e-12 * (acceleration + speed**2 + length)


def test_rates_are_derivatives(model, times):
    """γ along the motion: velocities and accelerations against central differences of fourth order."""
    first, last = times[0], times[-1]
    h = 2e-4 * (last - first)
    moments = first + (last - first) * (np.arange(12) + np.random.default_rng(5).uniform(0.1, 0.9, 12)) / 12
    result = mbs.kinematics(model, (moments[:, None] + h * np.arange(-2, 3)).ravel())
    q, v, a = (x.reshape(12, 5, -1) for x in (result.q, result.v, result.a))
    weights = np.array([1, -8, 0, 8, -1]) / (12 * h)
    speed = np.abs(v).max()
    scale = np.abs(a).max() + speed / (last - first)
    np.testing.assert_allclose(np.einsum("k,mkn->mn", weights, q), v[:, 2], rtol=0, atol=1e-8 * speed)
    np.testing.assert_allclose(np.einsum("k,mkn->mn", weights, v), a[:, 2], rtol=0, atol=1e-7 * scale)


def run(name: str, *arguments: str, cwd: Path) -> str:
    """The output of a model run as a script."""
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, ROOT / "models" / f"{name}.py", *arguments],
        env=os.environ | {"PYTHONPATH": path, "PYTHONIOENCODING": "utf-8"},
        cwd=cwd,
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", ["slider_crank", "four_bar", "double_parallel_crank", "planetary_gear"])
def test_runs_as_a_script(name, tmp_path):
    output = run(name, "--no-plot", cwd=tmp_path)
    for words in ("degrees of freedom", "stroke", "max speed", "max acceleration", "largest violation"):
        assert words in output
    assert not list(tmp_path.iterdir()), "--no-plot writes nothing"


def test_script_writes_its_files(tmp_path):
    run("slider_crank", "--out", "figures", cwd=tmp_path)
    written = {path.name for path in (tmp_path / "figures").iterdir()}
    assert {"slider_crank.npz", "slider_crank.gif", "slider_crank_violation.png", "slider_crank_paths.png"} <= written
    result = mbs.load(tmp_path / "figures" / "slider_crank.npz")
    assert np.ptp(result["slider.x"]) == pytest.approx(0.2, rel=1e-3)
