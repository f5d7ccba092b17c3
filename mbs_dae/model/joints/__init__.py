"""The joints, one short file a family; `base` says what a joint is."""

from .base import Condition, Constraint, CoordinateFix, Joint, registered_joints
from .contacts import CamFollower, Gear, KnifeEdge, PointInPlane, RackAndPinion, RollingDisk
from .links import ConstantVelocity, Distance, PinInSlot, PointOnLine, RevoluteSpherical, SphericalSpherical, Universal
from .lower_pairs import Cylindrical, Fixed, Planar, Prismatic, Revolute, Screw, Spherical, Translational

__all__ = [
    "CamFollower", "Condition", "ConstantVelocity", "Constraint", "CoordinateFix", "Cylindrical", "Distance",
    "Fixed", "Gear", "Joint", "KnifeEdge", "PinInSlot", "Planar", "PointInPlane", "PointOnLine", "Prismatic",
    "RackAndPinion", "Revolute", "RevoluteSpherical", "RollingDisk", "Screw", "Spherical", "SphericalSpherical",
    "Translational", "Universal", "registered_joints",
]  # fmt: skip
