"""Rotations: matrices, axis and angle, rotation vectors, quaternions, Euler and Bryant angles, and their rates.

R takes body axes to world axes, world = R body. A quaternion is (e0, e1, e2, e3) = (cos(a/2), n sin(a/2)), scalar
first. ω is in body axes unless ``axes="world"`` is said. Time, if any, is the leading axes of every array.

>>> R = mbs.rotations.bryant(0.1, 0.2, 0.3)
>>> np.allclose(mbs.rotations.from_quaternion(mbs.rotations.quaternion(R)), R)
True
>>> mbs.rotations.bryant_angles(R).round(6)
array([0.1, 0.2, 0.3])
"""

from .matrices import about, about_x, about_y, about_z, bryant, euler, from_quaternion, from_rotation_vector, multiply
from .orientation import axis_angle, bryant_angles, euler_angles, frame, quaternion, rotation_matrix, rotation_vector
from .rates import (
    axis_angle_omega,
    axis_angle_rates,
    bryant_omega,
    bryant_rates,
    euler_omega,
    euler_rates,
    quaternion_omega,
    quaternion_rates,
    rotation_vector_omega,
    rotation_vector_rates,
)

__all__ = [
    "about", "about_x", "about_y", "about_z", "axis_angle", "axis_angle_omega", "axis_angle_rates", "bryant",
    "bryant_angles", "bryant_omega", "bryant_rates", "euler", "euler_angles", "euler_omega", "euler_rates",
    "frame", "from_quaternion", "from_rotation_vector", "multiply", "quaternion", "quaternion_omega",
    "quaternion_rates", "rotation_matrix", "rotation_vector", "rotation_vector_omega", "rotation_vector_rates",
]  # fmt: skip
