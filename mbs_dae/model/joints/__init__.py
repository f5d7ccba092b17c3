"""The joints, one short file a family; `base` says what a joint is."""

from .base import Condition, Constraint, Joint, registered_joints
from .cams import CamFollower
from .fixes import CoordinateFix
from .gears import Gear, RackAndPinion
from .links import Distance, PinInSlot
from .lower_pairs import Fixed, Prismatic, Revolute, Translational

__all__ = [
    "CamFollower",
    "Condition",
    "Constraint",
    "CoordinateFix",
    "Distance",
    "Fixed",
    "Gear",
    "Joint",
    "PinInSlot",
    "Prismatic",
    "RackAndPinion",
    "Revolute",
    "Translational",
    "registered_joints",
]
