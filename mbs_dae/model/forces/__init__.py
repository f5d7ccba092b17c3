"""The forces, one short file a family; `base` says what a force is."""

from .base import EffortElement, ForceElement, registered_forces
from .given import Actuator, Force, Motor, PythonForce, Torque, Wrench
from .springs import Bushing, Damper, Drag, Spring, SpringDamper, TorsionSpring, ViscousFriction
