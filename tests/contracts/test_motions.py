"""Joints say how their second marker moves against the first: the same thing as their equations, in other words.

The oracle moves frames by matrices of its own; the equations are those of the joint, read off two markers placed there.
A joint class is covered by being registered.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import mbs_dae as mbs
from mbs_dae.model.fields import Scalar
from mbs_dae.model.joints.motions import FREE, Ball, Helix, Slide, Turn
from mbs_dae.symbolic.markers import PlanarMarker, SpatialMarker

CASES = [
    pytest.param(cls, dimension, id=f"{cls.__name__}-{dimension}")
    for cls in mbs.registered_joints()
    for dimension in cls.motions or {}
]
EXPECTED = {
    2: {"Revolute": 1, "Translational": 1, "Fixed": 0, "PinInSlot": 2},
    3: {
        "Revolute": 1,
        "Translational": 1,
        "Fixed": 0,
        "Cylindrical": 2,
        "Screw": 1,
        "Universal": 2,
        "Spherical": 3,
        "Planar": 3,
        "PinInSlot": 4,
        "PointInPlane": 5,
    },
}
"""How many velocities the textbook gives each joint that can stand in a tree."""


def moved(frame: np.ndarray, motions: tuple, values: list, constants: dict[str, float]) -> np.ndarray:
    """A frame (4 x 4) behind motions; each motion has one value, a Ball has a rotation vector."""
    for motion, value in zip(motions, values, strict=True):
        step = np.eye(4)
        match motion:
            case Turn(axis):
                step[:3, :3] = Rotation.from_rotvec(value * np.eye(3)[axis]).as_matrix()
            case Slide(axis):
                step[axis, 3] = value
            case Helix(axis, pitch, phase):
                step[:3, :3] = Rotation.from_rotvec(value * np.eye(3)[axis]).as_matrix()
                step[axis, 3] = constants[phase] + constants[pitch] * value / (2 * np.pi)
            case Ball():
                step[:3, :3] = Rotation.from_rotvec(value).as_matrix()
            case _:
                raise AssertionError(f"what is {motion!r}?")
        frame = frame @ step
    return frame


def random_frame(random: np.random.Generator, dimension: int) -> np.ndarray:
    frame = np.eye(4)
    axis = random.normal(size=3) if dimension == 3 else np.array([0, 0, random.uniform(-3, 3)])
    frame[:3, :3] = Rotation.from_rotvec(axis).as_matrix()
    frame[:dimension, 3] = random.uniform(-1, 1, dimension)
    return frame


def random_values(random: np.random.Generator, motions: tuple) -> list:
    return [random.uniform(-2, 2, 3) / 2 if isinstance(m, Ball) else random.uniform(-2, 2) for m in motions]


def marker(frame: np.ndarray, dimension: int) -> Any:
    if dimension == 3:
        return SpatialMarker.placed(frame[:3, 3], frame[:3, :3])
    return PlanarMarker.placed(*frame[:2, 3], np.arctan2(frame[1, 0], frame[0, 0]))


def phi(cls: type, i: Any, j: Any, constants: dict[str, float]) -> np.ndarray:
    return np.array([float(row) for row in cls.phi(i, j, **constants)])


def pose_change(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The small motion from one frame to another."""
    return np.concatenate([b[:3, 3] - a[:3, 3], Rotation.from_matrix(b[:3, :3] @ a[:3, :3].T).as_rotvec()])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("cls, dimension", CASES)
def test_equations_hold_whatever_the_motions(cls, dimension, seed):
    random = np.random.default_rng(seed)
    constants = {name: random.uniform(0.1, 1) for name, field in cls.fields.items() if isinstance(field, Scalar)}
    first = random_frame(random, dimension)
    motions = cls.motions[dimension]
    second = moved(first, motions, random_values(random, motions), constants)
    i, j = marker(first, dimension), marker(second, dimension)
    np.testing.assert_allclose(phi(cls, i, j, constants), 0, atol=1e-14)


@pytest.mark.parametrize("cls, dimension", CASES)
def test_equations_and_motions_are_all_that_there_is(cls, dimension):
    """As many velocities as the equations leave, and each of them a motion of its own."""
    random = np.random.default_rng(1)
    constants = {name: 0.3 for name, field in cls.fields.items() if isinstance(field, Scalar)}
    motions = cls.motions[dimension]
    first = random_frame(random, dimension)
    values = random_values(random, motions)
    here = moved(first, motions, values, constants)
    changes = []
    for k, motion in enumerate(motions):
        for way in np.eye(3) if isinstance(motion, Ball) else (1.0,):
            there = moved(first, motions, [*values[:k], values[k] + 1e-6 * way, *values[k + 1 :]], constants)
            changes.append(pose_change(here, there) / 1e-6)
    rows = phi(cls, marker(first, dimension), marker(here, dimension), constants)
    freedom = sum(motion.velocities for motion in motions)
    assert len(changes) == freedom == 3 * (dimension - 1) - len(rows)
    assert not changes or np.linalg.matrix_rank(changes, tol=1e-3) == freedom


@pytest.mark.parametrize("dimension", (2, 3))
def test_joints_that_can_stand_in_a_tree(dimension):
    found = {
        cls.__name__: sum(m.velocities for m in cls.motions[dimension])
        for cls in mbs.registered_joints()
        if cls.__module__.startswith("mbs_dae.") and dimension in (cls.motions or {})
    }
    assert found == EXPECTED[dimension]


def test_a_free_body_has_all_motions():
    assert [sum(m.velocities for m in FREE[dimension]) for dimension in (2, 3)] == [3, 6]


def test_other_equations_have_other_motions():
    class SamePin(mbs.Revolute):
        pass

    class Loose(mbs.Revolute):
        @staticmethod
        def phi(i, j):
            return mbs.primitives.on_line(i, j)

    assert SamePin.motions == mbs.Revolute.motions
    assert Loose.motions is None


def test_motions_must_fit_the_equations():
    class Wrong(mbs.Joint):
        motions = {2: (Turn(2),)}

        @staticmethod
        def phi(i, j):
            return mbs.primitives.on_line(i, j)

    model = mbs.PlanarModel()
    with pytest.raises(mbs.ModelError) as error:
        Wrong("W", model.ground, model.body("a"))
    assert str(error.value) == (
        "the equations (1) of Wrong 'W' and the velocities of its motions (1) do not make 3 together; correct phi or "
        "motions of class Wrong"
    )


def test_motions_read_like_words():
    assert [str(m) for m in (Turn(2), Slide(0), Helix(2), Ball())] == ["turn z", "slide x", "helix z", "ball"]
