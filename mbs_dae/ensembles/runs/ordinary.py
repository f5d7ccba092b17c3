"""Which structures are ordinary: what a study computes for them alike in all members, without a call of the verb."""

from ...arguments import open_tables
from ...compiled import System
from ...coordinates import Cartesian
from ...explain.axes import doubtful_angles
from ...model.breaks import bends, switches
from ...model.forces.given import PythonForce
from ...poses.trajectories import turning


def is_ordinary(system: System) -> bool:
    """Bodies, joints, drivers and smooth forces, in Cartesian coordinates. States, inputs, events, contacts, tables,
    laws that switch, attitudes that are driven and forces of Python are looked at by the verbs."""
    model, structure = system.model, system.structure
    if not isinstance(system.coordinates, Cartesian) or system.layout.signals or not system.nv:
        return False
    if model.contacts or model.frictions or model.events or structure.switching or turning(model):
        return False
    if structure.once(open_tables) or doubtful_angles(system):
        return False
    if any(isinstance(e, PythonForce) or switches(e) for e in model.elements.values()):
        return False
    return not structure.program.batch.switching


def moves_smoothly(system: System) -> bool:
    """Whether, besides, no force switches with the motion, and no step must mind how laws of time turn."""
    bending = any(map(bends, system.model.elements.values()))
    return not (bending or system.structure.dynamics.batch.switching)
