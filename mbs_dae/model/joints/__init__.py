"""The joints, one short file for each family; `base` defines the contract of a joint."""

from .base import Condition, Constraint, CoordinateFix, Joint, registered_joints
from .contacts import CamFollower, KnifeEdge, PointInPlane, RackAndPinion, RollingDisk
from .gears import Gear
from .links import ConstantVelocity, Distance, PinInSlot, PointOnLine, RevoluteSpherical, SphericalSpherical, Universal
from .lower_pairs import Cylindrical, Fixed, Planar, Prismatic, Revolute, Screw, Spherical, Translational
