"""The forces, one short file a family; `base` says what a force is."""

from .base import ForceElement, registered_forces
from .effort import EffortElement
from .given import Force, Motor, Torque
from .python_force import PythonForce
from .resistance import Drag, ViscousFriction
from .springs import Damper, Spring, SpringDamper, TorsionSpring

__all__ = [
    "Damper",
    "Drag",
    "EffortElement",
    "Force",
    "ForceElement",
    "Motor",
    "PythonForce",
    "Spring",
    "SpringDamper",
    "Torque",
    "TorsionSpring",
    "ViscousFriction",
    "registered_forces",
]
