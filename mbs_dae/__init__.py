"""mbs_dae: constrained multibody mechanics. Exact equations from sympy, numbers at machine speed.

    import mbs_dae as mbs

Everything public is a name of this module. Each is loaded when first used, so that importing costs nothing. Their types
stand in ``__init__.pyi``, which ``tools/public_types.py`` writes.
"""

from importlib import import_module
from typing import Any

from .provided import provide as _provide

__version__ = "0.1.0"

_NAMES = {
    # saying a mechanism
    "model.mechanisms": "PlanarModel SpatialModel",
    "model.bodies.body": "Body Marker",
    "symbolic.markers": "t primitives",
    # joints, and what new ones are made of
    "model.joints": "Revolute Translational Prismatic Fixed Distance PinInSlot Gear RackAndPinion Cylindrical "
    "Universal Spherical Planar Screw ConstantVelocity PointOnLine PointInPlane SphericalSpherical RevoluteSpherical "
    "RollingDisk KnifeEdge CamFollower CoordinateFix Constraint Joint registered_joints motions",
    "model.fields": "scalar function expression choice theta length rate speed",
    # drivers
    "model.drivers": "Driver PoseDriver",
    "model.measures": "angle distance displacement x y z wx wy wz",
    "model.tables": "Table",
    "model.motion": "Motion LAWS",
    "model.events": "Event Reset",
    "model.signals": "Sampled",
    # forces
    "model.forces": "Spring Damper SpringDamper TorsionSpring Force Torque Wrench Bushing Motor Actuator "
    "ViscousFriction Drag PythonForce ForceElement EffortElement registered_forces",
    # contacts
    "model.contacts": "Contact CompliantContact Stop Rope Strut CamContact Point Disk Sphere Capsule Box Polygon Line "
    "Plane Profile Friction DryFriction ContactElement registered_contacts",
    # the graph; rotations and screws
    "graph.topology": "topology Topology",
    "rotations": "rotations",
    "screws": "screws",
    # analyses
    "verbs.diagnose": "diagnose Diagnosis",
    "verbs.assemble": "assemble",
    "verbs.kinematics": "kinematics",
    "verbs.recursive_kinematics": "recursive_kinematics",
    "verbs.forward_kinematics": "forward_kinematics task_jacobian manipulability",
    "verbs.inverse_kinematics": "inverse_kinematics",
    "verbs.velocity_transformation": "velocity_transformation",
    "verbs.at_rest": "at_rest Rest",
    "verbs.simulate": "simulate",
    "verbs.start": "start Simulation Simulations",
    "verbs.environment": "environment",
    "motion.methods.generalised_alpha": "GA",
    "motion.stabilise": "Baumgarte Projection Unstabilized",
    "verbs.inverse_dynamics": "inverse_dynamics",
    "verbs.balancing": "balance Counterweights",
    "verbs.comparisons": "compare_stabilization compare_coordinates CoordinateComparison",
    "verbs.sweep": "sweep",
    "verbs.curves.follow": "follow",
    "certify.certificate": "certificate Certificate",
    "certify.motion": "MotionCertificate",
    "verbs.curves.assembly_modes": "assembly_modes",
    "modes.result": "AssemblyModes",
    "poses.arcs.curve": "Curve",
    "poses.arcs.points": "TurningPoint BranchPoint UndecidedPoint",
    "verbs.equilibrium": "equilibrium",
    "verbs.holding": "holding",
    "verbs.linearize": "linearize",
    "equilibria.linear": "LinearSystem",
    "equilibria.lines": "LinearPath",
    "equilibria.equilibrium": "Equilibria Equilibrium EquilibriumPath",
    "equilibria.contact.holding": "Holding",
    "verbs.equations": "equations",
    "verbs.worked_solution": "worked_solution WorkedSolution",
    "verbs.warm": "warm",
    # studies of many designs
    "ensembles.study": "ensemble load_ensemble",
    "ensembles.ensemble": "Ensemble",
    "ensembles.runs.chunk": "Failure",
    "ensembles.samples": "samples Tolerance",
    "ensembles.values": "Designs",
    # workspaces
    "workspaces.workspace": "workspace",
    "workspaces.reach.reachable": "reachable_workspace ReachableWorkspace",
    "workspaces.result": "Workspace SingularCurve",
    # linkages for a task
    "synthesis.functions.generation": "synthesize_function chebyshev_points",
    "synthesis.motions.generation": "synthesize_motion",
    "synthesis.paths.generation": "synthesize_path",
    "synthesis.result": "Synthesis",
    "synthesis.candidates": "Candidate",
    "synthesis.models.candidates": "ModelCandidate",
    "synthesis.linkages": "Linkage",
    # what follows from derivatives: gradients, best designs, fits, tolerances
    "design.gradients": "gradient Gradient",
    "design.objectives.objective": "Objective",
    "design.objectives.words": "quantity at_start at_end integral average maximum minimum",
    "design.optimization": "optimize",
    "design.optimum": "Optimum",
    "design.limits": "Limit",
    "design.fits.fitting": "fit",
    "design.fits.result": "Fit",
    "design.tolerance": "tolerance",
    "design.bands": "Bands Band",
    # results and errors
    "results": "Result load",
    "results.result": "State",
    "results.events": "Impact Transition",
    "results.shares": "Shares Share",
    # units in which people read
    "unit_system": "units Units",
    "errors": "MbsError ModelError AssemblyError RedundantConstraintError SingularConfigurationError IntegrationError "
    "EquilibriumError",
}
"""The public names, by the module that has them."""

_HOME = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = [*_HOME]

# The functions that earlier packages request from later ones: see `provided`.
_PROVIDED = {
    "Joint.unilateral": "model.contacts.links.unilateral",
    "Model.compile": "compiled.system.compile_model",
    "Model.draw": "verbs.assemble.assemble",
    "Topology.draw": "view.graph.draw",
    "State.result": "readings.motion.result_of_state",
    "State.d": "derivatives.results.state_derivative",
    "State.is_free": "readings.motion.is_free",
    "Result.state": "derivatives.instants.state_of",
    "Happening.d": "derivatives.instants.event_derivative",
    "Result.d": "derivatives.results.derivative",
    "Result.twist": "readings.screws.twist",
    "Result.shares": "readings.shares.shares",
    "Result.shaking": "readings.shaking.shaking",
    "Shares.plot": "view.charts.shares.plot_shares",
    "Result.wrench": "readings.screws.wrench",
    "Result.screw": "readings.screws.screw",
    "Result.transmission_angle": "readings.angles.transmission_angle",
    "Result.pressure_angle": "readings.angles.pressure_angle",
    "Result.camber": "readings.wheels.camber",
    "Result.toe": "readings.wheels.toe",
    "Result.caster": "readings.wheels.caster",
    "Result.kingpin": "readings.wheels.kingpin",
    "work.import_all": "verbs.warm.import_all",
    "work.help_out": "verbs.warm.help_out",
    "Result.save": "results.files.save",
    "Result.to_dataframe": "results.files.to_dataframe",
    "Result.to_xarray": "results.files.to_xarray",
    "Result.plot": "view.plots.plot",
    "Result.plot_path": "view.animation.plot_path",
    "Result.plot_violation": "view.plots.plot_violation",
    "Result.plot_energy": "view.plots.plot_energy",
    "Result.plot_reaction": "view.plots.plot_reaction",
    "Result.animate": "view.animation.animate",
    "Result.draw": "view.animation.draw",
    "Result.view": "view.animation.view",
    "Result.page": "view.page.html.save_page",
    "LinearSystem.d": "equilibria.varied.law.law_derivative",
    "LinearSystem.bode": "view.modes.plot_bode",
    "LinearSystem.plot": "view.modes.plot_eigenvalues",
    "LinearSystem.draw": "view.modes.draw_modes",
    "LinearSystem.animate": "view.modes.animate_mode",
    "LinearPath.plot": "view.charts.sweeps.plot_lines",
    "LinearPath.plot_campbell": "view.charts.sweeps.plot_campbell",
    "Curve.plot": "view.charts.curves.plot_curve",
    "Curve.plot_path": "view.charts.curves.plot_curve_path",
    "AssemblyModes.connections": "verbs.curves.reach_of_modes.connections",
    "AssemblyModes.plot": "view.charts.assembly.plot_modes",
    "EquilibriumPath.plot": "view.charts.sweeps.plot_equilibria",
    "Workspace.plot": "workspaces.pictures.plot_workspace",
    "Map.plot": "workspaces.pictures.plot_map",
    "ReachableWorkspace.plot": "workspaces.pictures.plot_reachable",
}


_SYNONYMS = {
    "pin hinge pinjoint revolutejoint": "Revolute",
    "slider slide sliderjoint rail": "Translational",
    "ball balljoint sphericaljoint socket": "Spherical",
    "weld rigid fixedjoint lock": "Fixed",
    "cardan hooke cross ujoint universaljoint": "Universal",
    "slot": "PinInSlot",
    "cam": "CamFollower",
    "rack pinion": "RackAndPinion",
    "wheel": "RollingDisk",
    "cable chain": "Rope",
    "dashpot": "Damper",
    "cylinder jack": "Actuator",
    "moment": "Torque",
    "model system mechanism world": "PlanarModel",
    "rod bar link beam": "PlanarModel.link",
    "ground base frame": "PlanarModel.ground",
    "solve run integrate": "simulate",
    "statics": "equilibrium",
    "eigenvalues modal": "linearize",
    "plot": "Result.plot",
}
"""Names of this module, by other words for the same thing."""


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        from difflib import get_close_matches

        word = name.lower().replace("_", "")
        near = [own for words, own in _SYNONYMS.items() if word in words.split()]
        near = near or get_close_matches(name, _HOME, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise AttributeError(f"module 'mbs_dae' has no attribute {name!r}{hint}")
    home = import_module(f".{_HOME[name]}", __name__)
    value = getattr(home, name, home)  # a name that its module does not define is the module itself
    globals()[name] = value
    return value


def _provider(name: str) -> Any:
    room, _, function = _PROVIDED[name].rpartition(".")
    return getattr(import_module(f".{room}", __name__), function)


_provide(_provider)


def __dir__() -> list[str]:
    return sorted(__all__)
