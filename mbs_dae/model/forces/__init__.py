"""The forces, one short file for each family; `base` defines the contract of a force."""

from .base import EffortElement, ForceElement, registered_forces
from .loads import Actuator, Force, Motor, PythonForce, Torque, Wrench
from .springs import Bushing, Damper, Drag, Spring, SpringDamper, TorsionSpring, ViscousFriction
