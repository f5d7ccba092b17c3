"""A rod without a moment of inertia about its axis moves alike wherever the frame of its body stands: in the middle,
elsewhere on the axis, or beside it."""

import numpy as np
import pytest
from gallery import load

import mbs_dae as mbs

SETS = "cartesian", "natural", "joint"
MASS, LENGTH = 0.8, 0.4
FRAMES = {
    "in the middle": (0.0, 0.0, 0.0),
    "on the axis": (0.07, 0.0, 0.0),
    "beside the axis": (0.05, 0.03, -0.02),
}


def linkage(at=(0.0, 0.0, 0.0)) -> mbs.SpatialModel:
    """The RSSR linkage of models/, let go; the frame of its rod stands `at` a place in the axes of the rod."""
    rssr = load("rssr")
    model = rssr.build(coupler="distance").without("motor", "coupler")
    crank, rocker = model.bodies["crank"], model.bodies["rocker"]
    tail, pivot = np.array([0.1, 0.0, 0.0]), np.array([0.15, 0.3, 0.05])
    psi = rssr.output_angle(0.25, LENGTH, tail - pivot)
    head = pivot + 0.25 * np.array([0.0, np.cos(psi), np.sin(psi)])
    along = (head - tail) / LENGTH
    across = np.array([0.0, 0.0, 1.0]) - along[2] * along
    across /= np.linalg.norm(across)
    axes = np.column_stack([along, np.cross(across, along), across])
    J = MASS * LENGTH**2 / 12
    place = lambda x: tuple((np.array([x, 0.0, 0.0]) - at).tolist())  # noqa: E731
    position = tuple(((tail + head) / 2 + axes @ at).tolist())
    rod = model.body("rod", MASS, (0.0, J, J), com=place(0.0), position=position, rotation=axes)
    pin = rod.at(*place(-LENGTH / 2), axis=(0, 0, 1), x_axis=(1, 0, 0))
    model.add(
        mbs.Universal("B", crank.at(0.05, 0, 0, axis=(1, 0, 0), x_axis=(0, 0, 1)), pin),
        mbs.Spherical("D", rod.at(*place(LENGTH / 2)), rocker.head),
    )
    return model


def accelerations(model: mbs.SpatialModel, coordinates: str) -> np.ndarray:
    run = mbs.simulate(model.compile(coordinates), [0.0, 0.05], {"input.omega": 3.0}, rtol=1e-11)
    turns = [np.array([run[f"{name}.alpha{axis}"] for axis in "xyz"]).T for name in ("crank", "rocker")]
    return np.hstack([*turns, run.reaction("B")[:, :3], run.reaction("D")[:, :3]])


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize("coordinates", SETS)
def test_the_frame_of_a_rod_changes_nothing(frame, coordinates):
    expected = accelerations(linkage(), "joint")
    found = accelerations(linkage(frame), coordinates)
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-8 * np.abs(expected).max())
