# ruff: noqa
# Written by tools/public_types.py. Not for editing.
from collections.abc import Callable, Sequence
from typing import Any, Literal, SupportsFloat, TypeAlias, overload

import numpy as np

from .compiled.system import System as _System
from .model.measures import Measure as _Measure
from .model.model import Named as _Named
from .model.mechanisms import PlanarModel as _PlanarModel
from .model.mechanisms import SpatialModel as _SpatialModel
from .model.bodies.body import Body as Body
from .model.bodies.body import Marker as Marker
from .symbolic.markers import t as t
from .symbolic.markers import primitives as primitives
from .model.joints import Revolute as _Revolute
from .model.joints import Translational as _Translational
from .model.joints import Fixed as _Fixed
from .model.joints import Distance as _Distance
from .model.joints import PinInSlot as _PinInSlot
from .model.joints import Gear as _Gear
from .model.joints import RackAndPinion as _RackAndPinion
from .model.joints import Cylindrical as _Cylindrical
from .model.joints import Universal as _Universal
from .model.joints import Spherical as _Spherical
from .model.joints import Planar as _Planar
from .model.joints import Screw as _Screw
from .model.joints import ConstantVelocity as _ConstantVelocity
from .model.joints import PointInPlane as _PointInPlane
from .model.joints import RevoluteSpherical as _RevoluteSpherical
from .model.joints import RollingDisk as _RollingDisk
from .model.joints import KnifeEdge as _KnifeEdge
from .model.joints import CamFollower as _CamFollower
from .model.joints import CoordinateFix as _CoordinateFix
from .model.joints import Constraint as Constraint
from .model.joints import Joint as Joint
from .model.joints import registered_joints as registered_joints
from .model.joints import motions as motions
from .model.fields import scalar as scalar
from .model.fields import function as function
from .model.fields import expression as expression
from .model.fields import choice as choice
from .model.fields import theta as theta
from .model.fields import length as length
from .model.fields import rate as rate
from .model.fields import speed as speed
from .model.drivers import Driver as Driver
from .model.drivers import PoseDriver as PoseDriver
from .model.measures import angle as angle
from .model.measures import distance as distance
from .model.measures import displacement as displacement
from .model.measures import x as x
from .model.measures import y as y
from .model.measures import z as z
from .model.measures import wx as wx
from .model.measures import wy as wy
from .model.measures import wz as wz
from .model.tables import Table as Table
from .model.motion import Motion as Motion
from .model.motion import LAWS as LAWS
from .model.events import Event as Event
from .model.events import Reset as Reset
from .model.signals import Sampled as Sampled
from .model.forces import Spring as _Spring
from .model.forces import Damper as _Damper
from .model.forces import SpringDamper as _SpringDamper
from .model.forces import TorsionSpring as _TorsionSpring
from .model.forces import Force as _Force
from .model.forces import Torque as _Torque
from .model.forces import Wrench as _Wrench
from .model.forces import Bushing as _Bushing
from .model.forces import Motor as _Motor
from .model.forces import Actuator as _Actuator
from .model.forces import ViscousFriction as _ViscousFriction
from .model.forces import Drag as _Drag
from .model.forces import PythonForce as PythonForce
from .model.forces import ForceElement as ForceElement
from .model.forces import EffortElement as EffortElement
from .model.forces import registered_forces as registered_forces
from .model.contacts import Contact as Contact
from .model.contacts import CompliantContact as CompliantContact
from .model.contacts import Stop as Stop
from .model.contacts import Rope as _Rope
from .model.contacts import Strut as _Strut
from .model.contacts import CamContact as _CamContact
from .model.contacts import Point as Point
from .model.contacts import Disk as Disk
from .model.contacts import Sphere as Sphere
from .model.contacts import Capsule as Capsule
from .model.contacts import Box as Box
from .model.contacts import Polygon as Polygon
from .model.contacts import Line as Line
from .model.contacts import Plane as Plane
from .model.contacts import Profile as Profile
from .model.contacts import Friction as Friction
from .model.contacts import DryFriction as DryFriction
from .model.contacts import ContactElement as ContactElement
from .model.contacts import registered_contacts as registered_contacts
from .graph.topology import topology as topology
from .graph.topology import Topology as Topology
from . import rotations as rotations
from . import screws as screws
from .verbs.diagnose import diagnose as diagnose
from .verbs.diagnose import Diagnosis as Diagnosis
from .verbs.assemble import assemble as assemble
from .verbs.kinematics import kinematics as kinematics
from .verbs.recursive_kinematics import recursive_kinematics as recursive_kinematics
from .verbs.forward_kinematics import forward_kinematics as forward_kinematics
from .verbs.forward_kinematics import task_jacobian as task_jacobian
from .verbs.forward_kinematics import manipulability as manipulability
from .verbs.inverse_kinematics import inverse_kinematics as inverse_kinematics
from .verbs.velocity_transformation import velocity_transformation as velocity_transformation
from .verbs.at_rest import at_rest as at_rest
from .verbs.at_rest import Rest as Rest
from .verbs.simulate import simulate as simulate
from .verbs.start import start as start
from .verbs.start import Simulation as Simulation
from .verbs.start import Simulations as Simulations
from .verbs.environment import environment as environment
from .motion.methods.generalised_alpha import GA as GA
from .motion.stabilise import Baumgarte as Baumgarte
from .motion.stabilise import Projection as Projection
from .motion.stabilise import Unstabilized as Unstabilized
from .verbs.inverse_dynamics import inverse_dynamics as inverse_dynamics
from .verbs.balancing import balance as balance
from .verbs.balancing import Counterweights as Counterweights
from .verbs.comparisons import compare_stabilization as compare_stabilization
from .verbs.comparisons import compare_coordinates as compare_coordinates
from .verbs.comparisons import CoordinateComparison as CoordinateComparison
from .verbs.sweep import sweep as sweep
from .verbs.curves.follow import follow as follow
from .certify.certificate import certificate as certificate
from .certify.certificate import Certificate as Certificate
from .certify.motion import MotionCertificate as MotionCertificate
from .verbs.curves.assembly_modes import assembly_modes as assembly_modes
from .modes.result import AssemblyModes as AssemblyModes
from .poses.arcs.curve import Curve as Curve
from .poses.arcs.points import TurningPoint as TurningPoint
from .poses.arcs.points import BranchPoint as BranchPoint
from .poses.arcs.points import UndecidedPoint as UndecidedPoint
from .verbs.equilibrium import equilibrium as equilibrium
from .verbs.holding import holding as holding
from .verbs.linearize import linearize as linearize
from .equilibria.linear import LinearSystem as LinearSystem
from .equilibria.lines import LinearPath as LinearPath
from .equilibria.equilibrium import Equilibria as Equilibria
from .equilibria.equilibrium import Equilibrium as Equilibrium
from .equilibria.equilibrium import EquilibriumPath as EquilibriumPath
from .equilibria.contact.holding import Holding as Holding
from .verbs.equations import equations as equations
from .verbs.worked_solution import worked_solution as worked_solution
from .verbs.worked_solution import WorkedSolution as WorkedSolution
from .verbs.warm import warm as warm
from .ensembles.study import ensemble as ensemble
from .ensembles.study import load_ensemble as load_ensemble
from .ensembles.ensemble import Ensemble as Ensemble
from .ensembles.runs.chunk import Failure as Failure
from .ensembles.samples import samples as samples
from .ensembles.samples import Tolerance as Tolerance
from .ensembles.values import Designs as Designs
from .workspaces.workspace import workspace as workspace
from .workspaces.reach.reachable import reachable_workspace as reachable_workspace
from .workspaces.reach.reachable import ReachableWorkspace as ReachableWorkspace
from .workspaces.result import Workspace as Workspace
from .workspaces.result import SingularCurve as SingularCurve
from .synthesis.functions.generation import synthesize_function as synthesize_function
from .synthesis.functions.generation import chebyshev_points as chebyshev_points
from .synthesis.motions.generation import synthesize_motion as synthesize_motion
from .synthesis.paths.generation import synthesize_path as synthesize_path
from .synthesis.result import Synthesis as Synthesis
from .synthesis.candidates import Candidate as Candidate
from .synthesis.models.candidates import ModelCandidate as ModelCandidate
from .synthesis.linkages import Linkage as Linkage
from .design.gradients import gradient as gradient
from .design.gradients import Gradient as Gradient
from .design.objectives.objective import Objective as Objective
from .design.objectives.words import quantity as quantity
from .design.objectives.words import at_start as at_start
from .design.objectives.words import at_end as at_end
from .design.objectives.words import integral as integral
from .design.objectives.words import average as average
from .design.objectives.words import maximum as maximum
from .design.objectives.words import minimum as minimum
from .design.optimization import optimize as optimize
from .design.optimum import Optimum as Optimum
from .design.limits import Limit as Limit
from .design.fits.fitting import fit as fit
from .design.fits.result import Fit as Fit
from .design.tolerance import tolerance as tolerance
from .design.bands import Bands as Bands
from .design.bands import Band as Band
from .results import Result as Result
from .results import load as load
from .results.result import State as State
from .results.events import Impact as Impact
from .results.events import Transition as Transition
from .results.shares import Shares as Shares
from .results.shares import Share as Share
from .unit_system import units as units
from .unit_system import Units as Units
from .errors import MbsError as MbsError
from .errors import ModelError as ModelError
from .errors import AssemblyError as AssemblyError
from .errors import RedundantConstraintError as RedundantConstraintError
from .errors import SingularConfigurationError as SingularConfigurationError
from .errors import IntegrationError as IntegrationError
from .errors import EquilibriumError as EquilibriumError

__version__: str

_Place: TypeAlias = Marker | Body
_Number: TypeAlias = SupportsFloat
_Numeric: TypeAlias = _Number
_Vector: TypeAlias = Sequence[_Number] | np.ndarray[Any, Any]
_Expression: TypeAlias = _Number | Table | Motion
_Law: TypeAlias = _Expression | Callable[..., Any]
_Coupling: TypeAlias = _Number | Sequence[_Number] | Sequence[Sequence[_Number]] | np.ndarray[Any, Any]

class PlanarModel(_PlanarModel):
    def compile(self, coordinates: str = ..., base: _Named | None = ..., cut: _Named = ...) -> _System: ...

class SpatialModel(_SpatialModel):
    def compile(self, coordinates: str = ..., base: _Named | None = ..., cut: _Named = ...) -> _System: ...

class Revolute(_Revolute):
    def __init__(
        self, name: str, i: _Place, j: _Place, *, at: _Vector | None = ..., axis: _Vector | None = ...,
        x_axis: _Vector | None = ...
    ) -> None: ...

class Translational(_Translational):
    def __init__(
        self, name: str, i: _Place, j: _Place, *, at: _Vector | None = ..., axis: _Vector | None = ...,
        x_axis: _Vector | None = ...
    ) -> None: ...

Prismatic = Translational

class Fixed(_Fixed):
    def __init__(
        self, name: str, i: _Place, j: _Place, *, at: _Vector | None = ..., axis: _Vector | None = ...,
        x_axis: _Vector | None = ...
    ) -> None: ...

class Distance(_Distance):
    def __init__(
        self, name: str, i: _Place, j: _Place, length: _Number = ..., *, at: _Vector | None = ..., axis:
        _Vector | None = ..., x_axis: _Vector | None = ..., unilateral: Literal['rope', 'strut'] | None = ...
    ) -> None: ...

class PinInSlot(_PinInSlot):
    def __init__(
        self, name: str, i: _Place, j: _Place, *, at: _Vector | None = ..., axis: _Vector | None = ...,
        x_axis: _Vector | None = ...
    ) -> None: ...

class Gear(_Gear):
    @overload
    def __init__(
        self, name: str, i: _Place, j: _Place, ratio: _Number = ..., mesh: Literal['external', 'internal'] =
        ..., phase: _Number = ..., *, carrier: _Place | None = ..., other: _Place | None = ..., at: _Vector |
        None = ..., axis: _Vector | None = ..., x_axis: _Vector | None = ..., radii: tuple[_Number, _Number] |
        None = ..., pressure_angle: _Number | None = ...
    ) -> None: ...
    @overload
    def __init__(
        self, name: str, i: _Place, j: _Place, carrier: _Place, ratio: _Number = ..., mesh:
        Literal['external', 'internal'] = ..., phase: _Number = ..., *, other: _Place | None = ..., at:
        _Vector | None = ..., axis: _Vector | None = ..., x_axis: _Vector | None = ..., radii: tuple[_Number,
        _Number] | None = ..., pressure_angle: _Number | None = ...
    ) -> None: ...
    @overload
    def __init__(
        self, name: str, i: _Place, j: _Place, carrier: _Place, other: _Place, ratio: _Number = ..., mesh:
        Literal['external', 'internal'] = ..., phase: _Number = ..., *, at: _Vector | None = ..., axis:
        _Vector | None = ..., x_axis: _Vector | None = ..., radii: tuple[_Number, _Number] | None = ...,
        pressure_angle: _Number | None = ...
    ) -> None: ...
    @overload
    def __init__(
        self, name: str, i: Joint, j: Joint, ratio: _Number = ..., mesh: Literal['external', 'internal'] =
        ..., phase: _Number = ..., *, at: _Vector | None = ..., axis: _Vector | None = ..., x_axis: _Vector |
        None = ..., radii: tuple[_Number, _Number] | None = ..., pressure_angle: _Number | None = ...
    ) -> None: ...

class RackAndPinion(_RackAndPinion):
    def __init__(
        self, name: str, i: _Place, j: _Place, radius: _Number, side: Literal['above', 'below'] = ..., phase:
        _Number = ..., *, at: _Vector | None = ..., axis: _Vector | None = ..., x_axis: _Vector | None = ...
    ) -> None: ...

class Cylindrical(_Cylindrical):
    def __init__(
        self, name: str, i: _Place, j: _Place, *, at: _Vector | None = ..., axis: _Vector | None = ...,
        x_axis: _Vector | None = ...
    ) -> None: ...

class Universal(_Universal):
    def __init__(
        self, name: str, i: _Place, j: _Place, *, at: _Vector | None = ..., axis: _Vector | None = ...,
        x_axis: _Vector | None = ..., pins: Sequence[_Vector] | None = ...
    ) -> None: ...

class Spherical(_Spherical):
    def __init__(
        self, name: str, i: _Place, j: _Place, *, at: _Vector | None = ..., axis: _Vector | None = ...,
        x_axis: _Vector | None = ...
    ) -> None: ...

class Planar(_Planar):
    def __init__(
        self, name: str, i: _Place, j: _Place, *, at: _Vector | None = ..., axis: _Vector | None = ...,
        x_axis: _Vector | None = ...
    ) -> None: ...

class Screw(_Screw):
    def __init__(
        self, name: str, i: _Place, j: _Place, pitch: _Number, phase: _Number = ..., *, at: _Vector | None =
        ..., axis: _Vector | None = ..., x_axis: _Vector | None = ...
    ) -> None: ...

class ConstantVelocity(_ConstantVelocity):
    def __init__(
        self, name: str, i: _Place, j: _Place, *, at: _Vector | None = ..., axis: _Vector | None = ...,
        x_axis: _Vector | None = ...
    ) -> None: ...

PointOnLine = PinInSlot

class PointInPlane(_PointInPlane):
    def __init__(
        self, name: str, i: _Place, j: _Place, *, at: _Vector | None = ..., axis: _Vector | None = ...,
        x_axis: _Vector | None = ...
    ) -> None: ...

SphericalSpherical = Distance

class RevoluteSpherical(_RevoluteSpherical):
    def __init__(
        self, name: str, i: _Place, j: _Place, length: _Number = ..., *, at: _Vector | None = ..., axis:
        _Vector | None = ..., x_axis: _Vector | None = ...
    ) -> None: ...

class RollingDisk(_RollingDisk):
    def __init__(
        self, name: str, i: _Place, j: _Place, radius: _Number, *, at: _Vector | None = ..., axis: _Vector |
        None = ..., x_axis: _Vector | None = ...
    ) -> None: ...

class KnifeEdge(_KnifeEdge):
    def __init__(
        self, name: str, i: _Place, j: _Place, *, at: _Vector | None = ..., axis: _Vector | None = ...,
        x_axis: _Vector | None = ...
    ) -> None: ...

class CamFollower(_CamFollower):
    def __init__(
        self, name: str, i: _Place, j: _Place, profile: _Law, follower: Literal['point', 'flat'] = ..., *, at:
        _Vector | None = ..., axis: _Vector | None = ..., x_axis: _Vector | None = ..., unilateral: bool = ...
    ) -> None: ...

class CoordinateFix(_CoordinateFix):
    def __init__(
        self, name: str, i: _Place, coordinate: Literal['x', 'y', 'z', 'angle'], value: _Number = ..., *, at:
        _Vector | None = ..., axis: _Vector | None = ..., x_axis: _Vector | None = ...
    ) -> None: ...

class Spring(_Spring):
    @overload
    def __init__(
        self, name: str, i: Joint | _Measure, /, stiffness: _Number = ..., length: _Number = ..., law: _Law =
        ...
    ) -> None: ...
    @overload
    def __init__(
        self, name: str, i: _Place, j: _Place, /, stiffness: _Number = ..., length: _Number = ..., law: _Law =
        ...
    ) -> None: ...

class Damper(_Damper):
    @overload
    def __init__(
        self, name: str, i: Joint | _Measure, /, damping: _Number = ..., law: _Law = ...
    ) -> None: ...
    @overload
    def __init__(
        self, name: str, i: _Place, j: _Place, /, damping: _Number = ..., law: _Law = ...
    ) -> None: ...

class SpringDamper(_SpringDamper):
    @overload
    def __init__(
        self, name: str, i: Joint | _Measure, /, stiffness: _Number = ..., damping: _Number = ..., length:
        _Number = ..., law: _Law = ...
    ) -> None: ...
    @overload
    def __init__(
        self, name: str, i: _Place, j: _Place, /, stiffness: _Number = ..., damping: _Number = ..., length:
        _Number = ..., law: _Law = ...
    ) -> None: ...

class TorsionSpring(_TorsionSpring):
    @overload
    def __init__(
        self, name: str, i: Joint | _Measure, /, stiffness: _Number = ..., damping: _Number = ..., angle:
        _Number = ..., law: _Law = ...
    ) -> None: ...
    @overload
    def __init__(
        self, name: str, i: _Place, j: _Place, /, stiffness: _Number = ..., damping: _Number = ..., angle:
        _Number = ..., law: _Law = ...
    ) -> None: ...

class Force(_Force):
    def __init__(
        self, name: str, marker: _Place, force: _Vector | None = ..., *, at: _Vector | None = ..., axis:
        _Vector | None = ..., x_axis: _Vector | None = ..., x: _Expression = ..., y: _Expression = ..., z:
        _Expression = ..., axes: Literal['world', 'body'] = ...
    ) -> None: ...

class Torque(_Torque):
    @overload
    def __init__(
        self, name: str, i: Joint | _Measure, /, torque: _Expression
    ) -> None: ...
    @overload
    def __init__(
        self, name: str, i: _Place, j: _Place, /, torque: _Expression
    ) -> None: ...
    @overload
    def __init__(
        self, name: str, i: _Place, /, torque: _Expression
    ) -> None: ...

class Wrench(_Wrench):
    def __init__(
        self, name: str, marker: _Place, force: _Vector | None = ..., moment: _Vector | _Number | None = ...,
        *, at: _Vector | None = ..., axis: _Vector | None = ..., x_axis: _Vector | None = ..., x: _Expression
        = ..., y: _Expression = ..., z: _Expression = ..., axes: Literal['world', 'body'] = ..., mx:
        _Expression = ..., my: _Expression = ..., mz: _Expression = ...
    ) -> None: ...

class Bushing(_Bushing):
    def __init__(
        self, name: str, i: _Place, j: _Place, stiffness: _Coupling = ..., damping: _Coupling = ..., *, at:
        _Vector | None = ..., axis: _Vector | None = ..., x_axis: _Vector | None = ...
    ) -> None: ...

class Motor(_Motor):
    @overload
    def __init__(
        self, name: str, i: Joint | _Measure, /, torque: _Law
    ) -> None: ...
    @overload
    def __init__(
        self, name: str, i: _Place, j: _Place, /, torque: _Law
    ) -> None: ...

class Actuator(_Actuator):
    @overload
    def __init__(
        self, name: str, i: Joint | _Measure, /, force: _Expression
    ) -> None: ...
    @overload
    def __init__(
        self, name: str, i: _Place, j: _Place, /, force: _Expression
    ) -> None: ...

class ViscousFriction(_ViscousFriction):
    @overload
    def __init__(
        self, name: str, i: Joint | _Measure, /, coefficient: _Number
    ) -> None: ...
    @overload
    def __init__(
        self, name: str, i: _Place, j: _Place, /, coefficient: _Number
    ) -> None: ...

class Drag(_Drag):
    def __init__(
        self, name: str, i: _Place, coefficient: _Number, *, at: _Vector | None = ..., axis: _Vector | None =
        ..., x_axis: _Vector | None = ...
    ) -> None: ...

class Rope(_Rope):
    def __init__(
        self, name: str, i: _Place, j: _Place, length: _Number = ..., *, at: _Vector | None = ..., axis:
        _Vector | None = ..., x_axis: _Vector | None = ..., restitution: _Numeric = ..., friction: Any = ...,
        static_friction: _Numeric | None = ..., smooth: _Numeric | None = ...
    ) -> None: ...

class Strut(_Strut):
    def __init__(
        self, name: str, i: _Place, j: _Place, length: _Number = ..., *, at: _Vector | None = ..., axis:
        _Vector | None = ..., x_axis: _Vector | None = ..., restitution: _Numeric = ..., friction: Any = ...,
        static_friction: _Numeric | None = ..., smooth: _Numeric | None = ...
    ) -> None: ...

class CamContact(_CamContact):
    def __init__(
        self, name: str, i: _Place, j: _Place, profile: _Law, follower: Literal['point', 'flat'] = ..., *, at:
        _Vector | None = ..., axis: _Vector | None = ..., x_axis: _Vector | None = ..., restitution: _Numeric
        = ..., friction: Any = ..., static_friction: _Numeric | None = ..., smooth: _Numeric | None = ...
    ) -> None: ...
