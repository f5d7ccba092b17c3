"""The stiff mechanisms in Exudyn, each in the form with the fewest unknowns found, by its implicit methods."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from . import stiff
from .exudyn_ import exu, item

Read = Callable[[np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Setting:
    """So many steps of a method; Newton's relative tolerance. With the modified method the Jacobian of the first
    correction serves the others, too, and later steps while they converge."""

    steps: int
    method: str = "generalised-alpha 0.9"
    tolerance: float = 1e-8
    modified: bool = True

    def __str__(self) -> str:
        newton = f"{'modified ' if self.modified else ''}Newton {self.tolerance:.0e}"
        return f"{self.method}, {self.steps} steps, {newton}"


exu.SetWriteToConsole(False)
METHODS = ("generalised-alpha 0.6", "generalised-alpha 0.9", "Newmark", "trapezoidal index-2")
VARIANTS = tuple(
    partial(Setting, method=method, tolerance=tolerance, modified=modified)
    for method in METHODS
    for tolerance in (1e-2, 1e-5, 1e-8)
    for modified in (True, False)
)


def solver(system: exu.MainSystem, setting: Setting, seconds: float) -> Callable[[], None]:
    options = exu.SimulationSettings()
    time = options.timeIntegration
    time.endTime, time.numberOfSteps, time.adaptiveStep, time.verboseMode = seconds, setting.steps, False, 0
    if setting.method.startswith("generalised"):
        time.generalizedAlpha.spectralRadius = float(setting.method.split()[-1])
    time.generalizedAlpha.useNewmark = setting.method == "Newmark"
    time.newton.useModifiedNewton = setting.modified
    time.newton.relativeTolerance = setting.tolerance
    options.solution.file.write = False
    options.solution.sensors.active = False
    options.linearSolver.solverType = exu.LinearSolverType.EigenDense
    kinds = exu.DynamicSolverType
    kind = kinds.TrapezoidalIndex2 if setting.method.startswith("trapezoidal") else kinds.GeneralizedAlpha
    return lambda: system.SolveDynamic(options, solverType=kind)


def end_of(system: exu.MainSystem) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates and velocities at the end of a run."""
    data = system.systemData
    origin = data.GetODE2Coordinates(configuration=exu.ConfigurationType.Reference)
    return np.array(data.GetODE2Coordinates()) + origin, np.array(data.GetODE2Coordinates_t())


def pendulum(k: float) -> tuple[exu.MainSystem, Read]:
    system = _new()
    node = system.AddNode(item.NodePoint2D(referenceCoordinates=[1, 0]))
    system.AddObject(item.ObjectMassPoint2D(mass=1, nodeNumber=node))
    ball = system.AddMarker(item.MarkerNodePosition(nodeNumber=node))
    _spring(system, _ground(system), ball, 1.0, k, stiff.pendulum_damper(k))
    system.AddLoad(item.LoadForceVector(markerNumber=ball, loadVector=[0, -stiff.G, 0]))
    return _done(system), _all


def shaft() -> tuple[exu.MainSystem, Read]:
    matrices = stiff.shaft_matrices()
    return _linear(*matrices, np.zeros(len(matrices[3]))), _all


def shaft_in_space() -> tuple[exu.MainSystem, Read]:
    """The same as bodies on hinges: a tree of joint coordinates, each turned against the one before it."""
    p = stiff.SHAFT
    n = int(p["n"]) + 2
    system = _new()
    zeros = [0.0] * n
    node = item.NodeGenericODE2(
        numberOfODE2Coordinates=n, referenceCoordinates=zeros, initialCoordinates=zeros, initialCoordinates_t=zeros
    )
    apart = [0.0, 0.0, stiff.SHAFT_DISTANCE]
    inertias = [p["J_motor"], *[p["J_disk"]] * (n - 2), p["J_load"]]
    tree = system.AddObject(
        item.ObjectKinematicTree(
            nodeNumber=system.AddNode(node),
            jointTypes=[exu.JointType.RevoluteZ] * n,
            linkParents=list(range(-1, n - 1)),
            jointTransformations=exu.Matrix3DList([np.eye(3)] * n),
            jointOffsets=exu.Vector3DList([[0, 0, 0], *[apart] * (n - 1)]),
            linkInertiasCOM=exu.Matrix3DList([J * np.eye(3) for J in inertias]),
            linkCOMs=exu.Vector3DList([[0, 0, 0]] * n),
            linkMasses=[1.0] * n,
            jointPositionOffsetVector=zeros,
            jointVelocityOffsetVector=zeros,
            jointPControlVector=[0.0, *[p["k"]] * (n - 1)],
            jointDControlVector=[p["D"], *[p["c"]] * (n - 1)],
            jointForceVector=[p["M0"], *zeros[1:]],
        )
    )
    load = system.AddMarker(item.MarkerKinematicTreeRigid(objectNumber=tree, linkNumber=n - 1, localPosition=[0, 0, 0]))
    ground = system.AddObject(item.ObjectGround())
    fixed = system.AddMarker(item.MarkerBodyRigid(bodyNumber=ground, localPosition=[0, 0, 0]))
    brake = {"markerNumbers": [fixed, load], "stiffness": 0, "damping": p["B"]}
    system.AddObject(item.ObjectConnectorTorsionalSpringDamper(**brake))
    return _done(system), lambda q, v: np.concatenate([np.cumsum(q), np.cumsum(v)])


def chain() -> tuple[exu.MainSystem, Read]:
    return _linear(*stiff.chain_matrices(), stiff.chain_start()), _all


def crank() -> tuple[exu.MainSystem, Read]:
    """The points at the crank pin and at the slider carry the masses of the bars; the crank is a body for its angle."""
    r, l, m1, m2, m3, J, k, c, T0, T1 = stiff.CRANK.values()
    a, omega = stiff.CRANK_START, stiff.CRANK_SPEED
    pin, along = r * np.array([np.cos(a), np.sin(a)]), np.sqrt(l**2 - (r * np.sin(a)) ** 2)
    rate = omega * np.array([-pin[1], pin[0]])
    slide = rate[0] - pin[1] * rate[1] / along      # both ends of the rod have the same velocity along it
    turn = -rate[1] / along
    system = _new()
    ground = system.AddObject(item.ObjectGround())

    def body(mass: float, inertia: float, place: list[float], velocity: list[float]) -> tuple[int, int]:
        node = system.AddNode(item.NodeRigidBody2D(referenceCoordinates=place, initialVelocities=velocity))
        weight = [0, -stiff.G * mass, 0]
        number = system.AddObject(item.ObjectRigidBody2D(mass=mass, inertia=inertia, nodeNumber=node))
        centre = system.AddMarker(item.MarkerBodyPosition(bodyNumber=number, localPosition=[0, 0, 0]))
        system.AddLoad(item.LoadForceVector(markerNumber=centre, loadVector=weight))
        return number, node

    def at(number: int, x: float) -> int:
        return system.AddMarker(item.MarkerBodyPosition(bodyNumber=number, localPosition=[x, 0, 0]))

    crank, crank_node = body(m1, m1 * r**2 / 12, [*pin / 2, a], [*rate / 2, omega])
    middle, middle_rate = [(pin[0] + pin[0] + along) / 2, pin[1] / 2], [(rate[0] + slide) / 2, rate[1] / 2]
    rod, _ = body(m2, m2 * l**2 / 12, [*middle, -np.arcsin(pin[1] / l)], [*middle_rate, turn])
    system.AddObject(item.ObjectJointRevolute2D(markerNumbers=[at(ground, 0), at(crank, -r / 2)]))
    system.AddObject(item.ObjectJointRevolute2D(markerNumbers=[at(crank, r / 2), at(rod, -l / 2)]))
    # The slider is a mass at the end of the rod, which is held at y = 0.
    node = system.AddNode(item.NodePoint2D(referenceCoordinates=[pin[0] + along, 0], initialVelocities=[slide, 0]))
    system.AddObject(item.ObjectMassPoint2D(mass=m3, nodeNumber=node))
    slider = system.AddMarker(item.MarkerNodePosition(nodeNumber=node))
    system.AddObject(item.ObjectJointRevolute2D(markerNumbers=[at(rod, l / 2), slider]))
    motor = system.AddNode(
        item.NodeGenericODE2(
            numberOfODE2Coordinates=1, referenceCoordinates=[a], initialCoordinates=[0], initialCoordinates_t=[omega]
        )
    )
    system.AddObject(
        item.ObjectGenericODE2(nodeNumbers=[motor], massMatrix=[[J]], dampingMatrix=[[T1]], forceVector=[T0])
    )
    zero = system.AddNode(item.NodePointGround())

    def coordinate(node: int, k: int) -> int:
        return system.AddMarker(item.MarkerNodeCoordinate(nodeNumber=node, coordinate=k))

    system.AddObject(item.ObjectConnectorCoordinate(markerNumbers=[coordinate(zero, 0), coordinate(node, 1)]))
    ends = [coordinate(crank_node, 2), coordinate(motor, 0)]
    system.AddObject(item.ObjectConnectorCoordinateSpringDamper(markerNumbers=ends, stiffness=k, damping=c))
    return _done(system), lambda q, v: np.array([q[2], q[-1], v[2], v[-1]])


def governor(k: float, c: float) -> tuple[exu.MainSystem, Read]:
    """A tree of four joint coordinates: the shaft, both arms on it, the sleeve. Arms with balls are one body each."""
    l, e, a, m, m_arm, M, shaft = stiff.GOVERNOR.values()
    alpha = stiff.GOVERNOR_START
    system = _new()
    start = {"initialCoordinates": [0.0] * 4, "initialCoordinates_t": [stiff.GOVERNOR_SPEED, 0, 0, 0]}
    reference = [0.0, -alpha, -alpha, -2 * a * np.cos(alpha)]
    node = system.AddNode(item.NodeGenericODE2(numberOfODE2Coordinates=4, referenceCoordinates=reference, **start))
    mass, centre = m + m_arm, (m + m_arm / 2) * l / (m + m_arm)     # of an arm with its ball; it hangs along -z
    swing = (m + m_arm / 3) * l**2 - mass * centre**2
    kinds = exu.JointType
    # The second arm is the first one, turned by half a turn about z.
    turned = np.diag([-1.0, -1.0, 1.0])
    tree = system.AddObject(
        item.ObjectKinematicTree(
            nodeNumber=node, gravity=[0, 0, -stiff.G], linkParents=[-1, 0, 0, 0],
            jointTypes=[kinds.RevoluteZ, kinds.RevoluteY, kinds.RevoluteY, kinds.PrismaticZ],
            jointTransformations=exu.Matrix3DList([np.eye(3), np.eye(3), turned, np.eye(3)]),
            jointOffsets=exu.Vector3DList([[0, 0, 0], [e, 0, 0], [-e, 0, 0], [0, 0, 0]]),
            linkInertiasCOM=exu.Matrix3DList(
                [np.diag([0, 0, shaft]), *[np.diag([swing, swing, 0])] * 2, np.zeros((3, 3))]
            ),
            linkCOMs=exu.Vector3DList([[0, 0, 0], *[[0, 0, -centre]] * 2, [0, 0, 0]]),
            linkMasses=[0.0, mass, mass, M],
        )
    )  # fmt: skip

    def at(link: int, place: list[float]) -> int:
        return system.AddMarker(item.MarkerKinematicTreeRigid(objectNumber=tree, linkNumber=link, localPosition=place))

    for arm, side in ((1, 1), (2, -1)):
        _spring(system, at(arm, [0, 0, -a]), at(3, [e * side, 0, 0]), a, k, c)
    # Turning about +y by α takes the arm from -z towards -x, inwards: α counts against it.
    return _done(system), lambda q, v: np.array([-q[1], q[3], -v[1], v[3], v[0]])


def _new() -> exu.MainSystem:
    return exu.SystemContainer().AddSystem()


def _done(system: exu.MainSystem) -> exu.MainSystem:
    system.Assemble()
    return system


def _all(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    return np.concatenate([q, v])


def _ground(system: exu.MainSystem) -> int:
    ground = system.AddObject(item.ObjectGround())
    return system.AddMarker(item.MarkerBodyPosition(bodyNumber=ground, localPosition=[0, 0, 0]))


def _spring(system: exu.MainSystem, one: int, other: int, length: float, k: float, c: float) -> None:
    system.AddObject(
        item.ObjectConnectorSpringDamper(markerNumbers=[one, other], referenceLength=length, stiffness=k, damping=c)
    )


def _linear(M: np.ndarray, C: np.ndarray, K: np.ndarray, f: np.ndarray, start: np.ndarray) -> exu.MainSystem:
    system, n = _new(), len(f)
    zeros = [0.0] * n
    node = item.NodeGenericODE2(
        numberOfODE2Coordinates=n, referenceCoordinates=zeros, initialCoordinates=[*start], initialCoordinates_t=zeros
    )
    number = system.AddNode(node)
    system.AddObject(
        item.ObjectGenericODE2(nodeNumbers=[number], massMatrix=M, stiffnessMatrix=K, dampingMatrix=C, forceVector=f)
    )
    return _done(system)
