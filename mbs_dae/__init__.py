"""mbs_dae: constrained multibody mechanics. Exact equations from sympy, numbers at machine speed.

    import mbs_dae as mbs

Everything public is a name of this module. Each is loaded when first used, so that importing costs nothing. Their types
stand in ``__init__.pyi``, which ``tools/public_types.py`` writes.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .provided import provide as _provide

__version__ = "0.1.0"

_HOME = {
    # saying a mechanism
    "PlanarModel": "model.planar_model",
    "SpatialModel": "model.spatial_model",
    "Body": "model.bodies.body",
    "Marker": "model.bodies.body",
    "t": "symbolic.markers",
    "theta": "model.fields",
    "length": "model.fields",
    "rate": "model.fields",
    "speed": "model.fields",
    # joints
    "Revolute": "model.joints",
    "Translational": "model.joints",
    "Prismatic": "model.joints",
    "Fixed": "model.joints",
    "Distance": "model.joints",
    "PinInSlot": "model.joints",
    "Gear": "model.joints",
    "RackAndPinion": "model.joints",
    "Cylindrical": "model.joints",
    "Universal": "model.joints",
    "Spherical": "model.joints",
    "Planar": "model.joints",
    "Screw": "model.joints",
    "ConstantVelocity": "model.joints",
    "PointOnLine": "model.joints",
    "PointInPlane": "model.joints",
    "SphericalSpherical": "model.joints",
    "RevoluteSpherical": "model.joints",
    "RollingDisk": "model.joints",
    "KnifeEdge": "model.joints",
    "CamFollower": "model.joints",
    "CoordinateFix": "model.joints",
    "Constraint": "model.joints",
    # new joints
    "Joint": "model.joints",
    "registered_joints": "model.joints",
    "scalar": "model.fields",
    "function": "model.fields",
    "choice": "model.fields",
    # drivers
    "Driver": "model.drivers",
    "PoseDriver": "model.pose_driver",
    "angle": "model.measures",
    "distance": "model.measures",
    "displacement": "model.measures",
    "x": "model.measures",
    "y": "model.measures",
    "z": "model.measures",
    "wx": "model.measures",
    "wy": "model.measures",
    "wz": "model.measures",
    "Table": "model.tables",
    "Motion": "model.motion",
    "LAWS": "model.motion",
    # forces
    "Spring": "model.forces",
    "Damper": "model.forces",
    "SpringDamper": "model.forces",
    "TorsionSpring": "model.forces",
    "Force": "model.forces",
    "Torque": "model.forces",
    "Wrench": "model.forces",
    "Bushing": "model.forces",
    "Motor": "model.forces",
    "Actuator": "model.forces",
    "ViscousFriction": "model.forces",
    "Drag": "model.forces",
    "ForceElement": "model.forces",
    "EffortElement": "model.forces",
    "registered_forces": "model.forces",
    "PythonForce": "model.forces",
    "expression": "model.fields",
    # the graph
    "topology": "graph.topology",
    "Topology": "graph.topology",
    # rotations, screws, and what joints are made of
    "rotations": "rotations",
    "screws": "screws",
    "primitives": "model.joints.primitives",
    "motions": "model.joints.motions",
    "velocity_transformation": "verbs.velocity_transformation",
    # analyses
    "diagnose": "verbs.diagnose",
    "Diagnosis": "verbs.diagnose",
    "assemble": "verbs.assemble",
    "kinematics": "verbs.kinematics",
    "recursive_kinematics": "verbs.recursive_kinematics",
    "forward_kinematics": "verbs.forward_kinematics",
    "inverse_kinematics": "verbs.inverse_kinematics",
    "task_jacobian": "verbs.task_jacobian",
    "manipulability": "verbs.task_jacobian",
    "simulate": "verbs.simulate",
    "warm": "verbs.warm",
    "inverse_dynamics": "verbs.inverse_dynamics",
    "compare_stabilization": "verbs.compare_stabilization",
    "compare_coordinates": "verbs.compare_coordinates",
    "CoordinateComparison": "verbs.compare_coordinates",
    "Baumgarte": "motion.stabilise",
    "Projection": "motion.stabilise",
    "Unstabilized": "motion.stabilise",
    "sweep": "verbs.sweep",
    "equations": "verbs.equations",
    # results
    "Result": "results",
    "State": "results.result",
    "load": "results",
    # errors
    "MbsError": "errors",
    "ModelError": "errors",
    "AssemblyError": "errors",
    "RedundantConstraintError": "errors",
    "SingularConfigurationError": "errors",
    "IntegrationError": "errors",
}

__all__ = [*_HOME]

# What a class is asked for, and a later room does: see `provided`.
_PROVIDED = {
    "Model.compile": "compiled.system.compile_model",
    "Topology.draw": "view.graph.draw",
    "State.result": "readings.motion.result_of_state",
    "State.is_free": "readings.motion.is_free",
    "Result.state": "readings.motion.state_of",
    "Result.twist": "readings.screws.twist",
    "Result.wrench": "readings.screws.wrench",
    "Result.screw": "readings.screws.screw",
    "Function.all": "verbs.warm.import_all",
    "Result.save": "results.files.save",
    "Result.plot": "view.plots.plot",
    "Result.plot_path": "view.plots.plot_path",
    "Result.plot_violation": "view.plots.plot_violation",
    "Result.plot_energy": "view.force_plots.plot_energy",
    "Result.plot_reaction": "view.force_plots.plot_reaction",
    "Result.animate": "view.animation.animate",
    "Result.draw": "view.animation.draw",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        from difflib import get_close_matches

        near = get_close_matches(name, _HOME, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise AttributeError(f"module 'mbs_dae' has no attribute {name!r}{hint}")
    home = import_module(f".{_HOME[name]}", __name__)
    value = getattr(home, name, home)  # what has no such name in it is the module itself
    globals()[name] = value
    return value


def _provider(name: str) -> Any:
    room, _, function = _PROVIDED[name].rpartition(".")
    return getattr(import_module(f".{room}", __name__), function)


_provide(_provider)


def __dir__() -> list[str]:
    return sorted(__all__)
