"""Decide for which structures a study runs all members by the same compiled code, without a call of the verb."""

from ...arguments import open_tables
from ...compiled import System
from ...coordinates import Cartesian
from ...explain.axes import doubtful_angles
from ...model.breaks import bends, switches
from ...model.forces.loads import PythonForce
from ...poses.trajectories import attitude_drivers


def is_ordinary(system: System) -> bool:
    """Return whether the model has only bodies, joints, drivers and smooth forces, in Cartesian coordinates. The verbs
    run models with states, inputs, events, contacts, tables, switching laws, driven attitudes or Python forces."""
    model, structure = system.model, system.structure
    if not isinstance(system.coordinates, Cartesian) or system.layout.signals or not system.nv:
        return False
    if model.contacts or model.frictions or model.events or structure.switching or attitude_drivers(model):
        return False
    if structure.once(open_tables) or doubtful_angles(system):
        return False
    if any(isinstance(e, PythonForce) or switches(e) for e in model.elements.values()):
        return False
    return not structure.program.batch.switching


def moves_smoothly(system: System) -> bool:
    """Return whether, in addition, no force switches with the motion, and no law of time has kinks."""
    bending = any(map(bends, system.model.elements.values()))
    return not (bending or system.structure.dynamics.batch.switching)
