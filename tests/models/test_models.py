"""Every file in models/ builds, is diagnosed, moves, and runs as a script.

A model whose file has INITIAL is moved by its forces; any other one is driven. What those do whose bodies touch is in
`test_models_that_touch.py`.
"""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import scripts
from gallery import ALL, MODELS, NAMES, TOUCHING, load

import mbs_dae as mbs


def test_gallery_is_complete():
    assert len(NAMES) >= 18, NAMES


MOVED_BY_FORCES = [name for name in NAMES if hasattr(load(name), "INITIAL")]
DRIVEN = [name for name in NAMES if name not in MOVED_BY_FORCES]


@pytest.fixture(scope="module", params=ALL)
def any_module(request) -> ModuleType:
    return load(request.param)


@pytest.fixture(scope="module", params=DRIVEN)
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


def test_says_what_it_is(any_module):
    assert any_module.__doc__
    imported = set()
    for node in ast.walk(ast.parse(Path(any_module.__file__).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add(node.module)
    known = {"mbs_dae", "numpy", "sympy", "math", "_show", "matplotlib.figure"}
    assert imported <= known, "a model uses the public API only"


def test_is_fully_driven_without_conflicts(model):
    diagnosis = mbs.diagnose(model)
    assert diagnosis.assembled
    assert diagnosis.degrees_of_freedom == 0
    assert not diagnosis.conflicts
    assert not [group for group in diagnosis.redundant if group.kind == "momentary"]
    assert model.name in str(diagnosis)


def test_every_number_is_a_parameter(any_module):
    signature = inspect.signature(any_module.build).parameters
    numbers = {n: p.default for n, p in signature.items() if type(p.default) is float}
    parameters = any_module.build().parameters
    assert {name: parameters[name].value for name in numbers} == numbers


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
    rates = coordinate_rates(model, q[:, 2], v[:, 2])
    np.testing.assert_allclose(np.einsum("k,mkn->mn", weights, q), rates, rtol=0, atol=1e-8 * speed)
    np.testing.assert_allclose(np.einsum("k,mkn->mn", weights, v), a[:, 2], rtol=0, atol=1e-7 * scale)


def coordinate_rates(model: mbs.PlanarModel | mbs.SpatialModel, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """q̇: in the plane it is v; in space half of e ∘ (0, ω) for the quaternions."""
    if isinstance(model, mbs.PlanarModel):
        return v
    bodies = q.reshape(len(q), -1, 7), v.reshape(len(v), -1, 6)
    turning = mbs.rotations.quaternion_rates(bodies[0][..., 3:], bodies[1][..., 3:])
    return np.concatenate([bodies[1][..., :3], turning], axis=-1).reshape(len(q), -1)


# --- moved by forces --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=MOVED_BY_FORCES)
def free(request) -> ModuleType:
    return load(request.param)


@pytest.fixture(scope="module")
def free_model(free) -> mbs.PlanarModel:
    return free.build()


@pytest.fixture(scope="module")
def motion(free, free_model) -> mbs.Result:
    return mbs.simulate(free_model, free.TIMES, initial=free.INITIAL, rtol=1e-9)


def test_is_free_without_conflicts(free, free_model):
    """INITIAL says as many velocities as there are degrees of freedom; positions are those of the placement."""
    diagnosis = mbs.diagnose(free_model)
    assert diagnosis.assembled
    assert diagnosis.degrees_of_freedom == diagnosis.generic_degrees_of_freedom == len(free.INITIAL)
    assert not diagnosis.conflicts


def test_moves_by_its_forces(free, free_model, motion):
    """Kept constraints and a balanced ledger, and some motion at all."""
    assert motion.success, motion.message
    np.testing.assert_array_equal(motion.t, free.TIMES)
    assert motion.violation.position.max() <= 1e-7 * mbs.diagnose(free_model).length
    assert np.ptp(motion.energy.kinetic) > 0.1
    assert np.abs(motion.energy.error).max() <= 1e-5 * np.ptp(motion.energy.kinetic)


def test_parameters_change_the_motion_in_the_same_way(free, free_model):
    changed = {name: 1.01 * p.value for name, p in free_model.parameters.items()}
    both = free.build(**changed), free_model.with_parameters(**changed)
    options = {"initial": free.INITIAL, "method": "DP8", "step": np.ptp(free.TIMES) / 1000}
    built, varied = (mbs.simulate(m, free.TIMES[:10], **options) for m in both)
    np.testing.assert_allclose(varied.q, built.q, rtol=0, atol=1e-9 * np.abs(built.q).max())
    np.testing.assert_allclose(varied.a, built.a, rtol=0, atol=1e-9 * np.abs(built.a).max())


# --- as scripts -------------------------------------------------------------------------------------------------


def run(name: str, *arguments: str, cwd: Path) -> str:
    """The output of a model run as a script."""
    done = scripts.run(MODELS / f"{name}.py", cwd, *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("name", ["slider_crank", "four_bar", "double_parallel_crank", "planetary_gear"])
def test_runs_as_a_script(name, tmp_path):
    output = run(name, "--no-plot", cwd=tmp_path)
    for words in ("degrees of freedom", "stroke", "max speed", "max acceleration", "largest violation"):
        assert words in output
    assert not list(tmp_path.iterdir()), "--no-plot writes nothing"


@pytest.mark.slow
@pytest.mark.parametrize("name", [*MOVED_BY_FORCES, *TOUCHING])
def test_runs_as_a_script_of_a_motion(name, tmp_path):
    output = run(name, "--no-plot", cwd=tmp_path)
    for words in ("degrees? of freedom", "max speed", "largest violation", "kinetic", "error", "steps"):
        assert re.search(words, output)
    assert not list(tmp_path.iterdir()), "--no-plot writes nothing"


@pytest.mark.slow
def test_runs_as_a_script_of_efforts(tmp_path):
    output = run("slider_crank_engine", "--no-plot", cwd=tmp_path)
    for words in ("degree of freedom", "brake", "torque [N m]", "crank_pin", "mean power"):
        assert words in output
    assert not list(tmp_path.iterdir()), "--no-plot writes nothing"


@pytest.mark.slow
@pytest.mark.parametrize("name, more", [("four_bar_with_spring", "energy"), ("slider_crank_engine", "reactions")])
def test_script_with_forces_writes_its_files(name, more, tmp_path):
    run(name, cwd=tmp_path)
    own = load(name).build().name.replace(" ", "_").replace("-", "_")
    written = {path.name for path in (tmp_path / "out").iterdir()}
    assert {f"{own}.npz", f"{own}.gif", f"{own}_violation.png", f"{own}_{more}.png"} <= written


@pytest.mark.slow
def test_script_writes_its_files(tmp_path):
    run("slider_crank", "--out", "figures", cwd=tmp_path)
    written = {path.name for path in (tmp_path / "figures").iterdir()}
    assert {"slider_crank.npz", "slider_crank.gif", "slider_crank_violation.png", "slider_crank_paths.png"} <= written
    result = mbs.load(tmp_path / "figures" / "slider_crank.npz")
    assert np.ptp(result["slider.x"]) == pytest.approx(0.2, rel=1e-3)
