"""The joints, one short file a family; `base` says what a joint is."""

from .base import Constraint, Element, Joint, registered_joints
from .cams import CamFollower
from .fixes import CoordinateFix
from .gears import Gear, RackAndPinion
from .links import Distance, PinInSlot
from .lower_pairs import Fixed, Prismatic, Revolute, Translational

__all__ = [
    "CamFollower",
    "Constraint",
    "CoordinateFix",
    "Distance",
    "Element",
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
