"""Small motions about the rest of every model of the gallery that has one go as the nonlinear equations say, to 1e-8,
in all three coordinate sets. A soak are the models whose elements all occur in others.

The rest is looked for from the model's own placement, without its drivers. With z = (η, y) and S the shapes, bodies
move by S z, S A z and S A² z. So the rest is moved by ε S e, with velocities ε S A e, for each unit vector e; the
constraints are closed, and forward dynamics tells accelerations. Their differences by ε, of fourth order, are S A² e.
What e is in one set follows in another from its motion of bodies.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from covering import covering, elements_of
from gallery import NAMES, load

import mbs_dae as mbs

SETS = ("cartesian", "natural", "joint")
NO_REST = {
    "chaplygin_sleigh": "slides down a slope",
    "crank_rocker_motor": "a motor that is stronger than the weights",
    "drive_shaft": "a motor, and nothing that holds the shaft",
    "flyball_governor": "hangs down in a singular pose",
    "free_body": "falls",
    "platform_6_6": "falls, without its drivers",
    "three_rpr": "the same",
    "universal_joints": "a load, and nothing that holds the shafts",
}
"""Models without a rest, and why."""
NOT_ASKED = {
    "dc_motor_crank": "its controller turns it",
    "double_wishbone": "no masses",
    "slider_crank_textbook": "no masses",
    "stewart_platform": "falls, without its drivers: it takes ten seconds to see that it ends nowhere",
    "stewart_zhao": "the same",
}
SLOW = {
    *NO_REST, "andrews_squeezer", "arm_6r", "arm_wrist", "delta_robot", "floating_five_body", "grounded_rrpr",
    "seven_body_tree",
}  # fmt: skip


UPRIGHT = {"rolling_disk": {"theta": np.pi / 2}}
"""Models that stand on an unstable rest from the beginning, by their parameters: a search from elsewhere leaves it."""


def without_drivers(name: str):
    model = load(name).build(**UPRIGHT.get(name, {}))
    return model.without(*(driver.name for driver in model.drivers))


def motions(law: mbs.LinearSystem) -> np.ndarray:
    """Of all bodies: places and turns, their rates, and the rates of these; (3, coordinates, states)."""
    return np.array([law.shapes, law.shapes @ law.A, law.shapes @ law.A @ law.A])


def in_world_axes(state: mbs.State) -> np.ndarray:
    """The matrix that takes turns about the axes of bodies to those about the world's."""
    out = np.eye(state.system.nv)
    if state.system.model.dimension == 3:
        for k, body in enumerate(state.system.model.bodies):
            out[6 * k + 3 : 6 * k + 6, 6 * k + 3 : 6 * k + 6] = state.result.rotation(body)[0]
    return out


def differences(rest: mbs.State, law: mbs.LinearSystem) -> np.ndarray:
    system, P = rest.system, in_world_axes(rest)
    weight, fastest = np.sqrt(system.weight), np.abs(law.eigenvalues).max(initial=1.0)

    def accelerations(way: np.ndarray, velocity: np.ndarray) -> np.ndarray:
        """Of bodies, some way off; from rest their axes may be taken where they are there."""
        v = system.still
        v[: system.nv] = P.T @ velocity
        start = replace(rest, full_q=system.moved(rest.full_q, P.T @ way), full_v=v)
        return P @ mbs.simulate(system.model, [rest.t], start).a[0]

    columns = []
    for way, velocity, _ in motions(law).transpose(2, 0, 1):
        size = max(np.abs(weight * way).max(), np.abs(weight * velocity).max() / fastest)
        far = 5e-4 * system.length / size
        wide, narrow = (
            (accelerations(h * way, h * velocity) - accelerations(-h * way, -h * velocity)) / (2 * h)
            for h in (far, far / 2)
        )
        columns.append((4 * narrow - wide) / 3)
    return np.transpose(columns)


WITH_A_REST = [
    pytest.param(n, id=n, marks=pytest.mark.slow if n in SLOW else ()) for n in NAMES if n not in {*NO_REST, *NOT_ASKED}
]


@pytest.mark.parametrize("name", covering(WITH_A_REST, lambda case: elements_of(case.id)))
def test_small_motions_are_the_slopes_of_the_accelerations(name):
    model = without_drivers(name)
    rest = mbs.equilibrium(model).state
    laws = {c: mbs.linearize(model.compile(c), rest) for c in SETS}
    found, weight = differences(rest, laws["cartesian"]), np.sqrt(rest.system.weight)[:, None]
    cartesian = motions(laws["cartesian"])
    for law in laws.values():
        own = motions(law)
        states = np.linalg.lstsq(np.vstack(own[:2]), np.vstack(cartesian[:2]), rcond=None)[0]
        np.testing.assert_allclose(np.vstack(own[:2]) @ states, np.vstack(cartesian[:2]), rtol=0, atol=1e-9)
        told = weight * (own[2] @ states)
        size = max(np.abs(told).max(), np.linalg.norm(model.gravity))  # of a motion that no force drives back, too
        np.testing.assert_allclose(told, weight * cartesian[2], rtol=0, atol=1e-10 * size)
        np.testing.assert_allclose(told, weight * found, rtol=0, atol=1e-8 * size)


@pytest.mark.slow
@pytest.mark.parametrize("name", NO_REST)
def test_what_has_no_rest_says_so(name):
    with pytest.raises((mbs.EquilibriumError, mbs.SingularConfigurationError)):
        mbs.equilibrium(without_drivers(name))
