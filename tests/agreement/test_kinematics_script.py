"""The kinematics of a model as a JavaScript module: the same numbers as in the core."""

import numpy as np
import pytest
from gallery import load
from languages import in_javascript

import mbs_dae as mbs
from mbs_dae.compiled.manifold import rates
from mbs_dae.compiled.scripts import kinematics_script

NAMES = ("four_bar", "cam_follower", "geneva_drive", "rolling_disk", "rssr", "universal_joints", "stewart_platform")
SIZES = {"four_bar": 12e3, "stewart_platform": 70e3}
"""Characters. A page can carry that."""


def agrees(found, wanted, what):
    wanted = np.ravel(wanted)
    scale = np.abs(wanted).max(initial=1.0)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12 * scale, err_msg=what)


def states(system, count=2):
    """Random ones near the placement."""
    dice = np.random.default_rng(3)
    for _ in range(count):
        step = np.concatenate([dice.uniform(-0.2, 0.2, system.nv), system.still[system.nv :]])
        q, v = system.moved(system.placement, step), system.still
        v[: system.nv] = dice.normal(size=system.nv)
        yield float(dice.uniform(0.1, 0.9)), q, v


def told(system, t, q, v):
    """Φ, Φ_v, ν and γ of the core."""
    still = np.zeros((1, v.size))
    position, velocity, _ = system.read_constraints(np.array([t]), q[None], still, still)
    *_, acceleration = system.read_constraints(np.array([t]), q[None], v[None], still)
    return position[0], system.jacobian(t, q).toarray(), -velocity[0], -acceleration[0]


@pytest.mark.parametrize("name", NAMES)
def test_the_script_says_what_the_core_says(name, interpreted_kernels, tmp_path):
    model = load(name).build()
    others = {p: 1.1 * one.value for p, one in [*model.parameters.items()][:2]}
    script = kinematics_script(model)
    assert len(script) < SIZES.get(name, 1e5)
    calls, wanted = [], []
    for changed in (model, model.with_parameters(**others)):
        p = {n: one.value for n, one in changed.parameters.items()}
        system = changed.compile()
        size = system.layout.q_size - len(system.layout.signals)
        for t, q, v in states(system):
            short, rate = q[:size].tolist(), v[: system.nv].tolist()
            step, dq = (0.3 * v).copy(), np.zeros(q.size)
            rates(system.machine().manifold, q, v, dq)
            calls += [("Phi", short, t, p), ("Phi_q", short, t, p), ("nu", short, t, p), ("gamma", short, rate, t, p)]
            calls += [("qdot", short, rate), ("moved", short, step.tolist()), ("normalised", [1.3 * x for x in short])]
            wanted += [*told(system, t, q, v), dq[:size], system.moved(q, step)[:size], None]
    for (what, *_), numbers, expected in zip(calls, in_javascript(script, calls, tmp_path), wanted, strict=True):
        if expected is not None:
            agrees(numbers, expected, what)
        elif model.dimension == 3:
            assert np.allclose(np.linalg.norm(numbers[: system.nq].reshape(-1, 7)[:, 3:], axis=1), 1.0, atol=1e-14)


def test_what_a_script_tells_of_its_model(tmp_path):
    model = load("four_bar").build()
    script = kinematics_script(model)
    assert '"parameters": [{"name": "a", "said": "a", "value": 0.04, "unit": "m", "moves": true}' in script
    assert '"said": "across", "value": 0.04, "unit": "m", "moves": false}' in script  # a point that no joint has
    assert '{"name": "motor", "kind": "Driver", "bodies": [3, 0], "rows": [8]}' in script
    nasty = mbs.PlanarModel("*/</script>\u2028\n`${x}`")
    body = nasty.body('"</script><!--\\')
    nasty.add(mbs.Revolute("x\n*/ alert(1) //", nasty.ground, body.at(nasty.parameter("__proto__", 2.0), 0)))
    script = kinematics_script(nasty)
    assert "</script" not in script and "<!--" not in script and "\u2028" not in script
    (phi,) = in_javascript(script, [("Phi", [1, 2, 0, 0, 0, 0], 0.0)], tmp_path)
    assert phi.tolist() == [-3.0, -2.0]
