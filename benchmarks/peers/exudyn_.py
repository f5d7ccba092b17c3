"""The mechanisms in Exudyn, with redundant coordinates and implicit steps.

The trapezoidal rule with constraints on the velocities (index 2) is a little more accurate than the generalised-alpha
method with constraints on the positions (index 3), but fails where the four-bars are flat; explicit integrators cannot
hold these constraints at all. Rows of bars and the slider-crank are built of points at the joints, held apart by rods
and carrying the mass of the bars; that gives fewest unknowns and the same motion as rigid bodies with revolute joints,
which are here for Andrews' mechanism.

Bricard's linkage has joint angles for coordinates: two kinematic trees, of three bars and of two, closed by the hinge
between them. That takes 9 unknowns where rigid bodies take 59, an eighth of the time for the same energy error.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np
from scipy.spatial.transform import Rotation

from . import references as ref
from .run import Ready, Run, drift, nearest

sys.exudynFast = True           # Exudyn without range checks, a tenth to a third faster
with redirect_stdout(None):     # and without its note that it is
    import exudyn as exu
    import exudyn.itemInterface as item


@dataclass(frozen=True)
class Setting:
    """Step h [s], generalised-alpha or the trapezoidal rule, relative tolerance of Newton, kind of matrices.

    With a tolerance of 1e-2 one Newton step per time step does, and with short steps the error is none the worse.
    The modified Newton method takes the Jacobian of its first step for the others, too.
    """

    h: float
    trapezoidal: bool = False
    sparse: bool = False
    tolerance: float = 1e-2
    modified: bool = False

    def __str__(self) -> str:
        method = "trapezoidal index-2" if self.trapezoidal else "generalised-alpha"
        newton = "modified Newton" if self.modified else "Newton"
        tolerance = f"{self.tolerance:.0e}".replace("e-0", "e-")
        return f"{method} h={self.h:.3g}, {'sparse, ' if self.sparse else ''}{newton} {tolerance}"


# Fastest found that keep the energy of N four-bars within 0.1 J for 10 s; and, of these, the tip within 1e-4 m.
BEST = {
    1: Setting(10 / 715, trapezoidal=True, modified=True),
    40: Setting(1 / 380, sparse=True),
    400: Setting(1 / 1200, sparse=True),
}
BEST_TIP = {
    1: Setting(10 / 7651),
    40: Setting(1 / 600, sparse=True),
    400: Setting(1 / 1200, sparse=True),
}
N_FOUR_BAR_SWEEP = tuple(
    Setting(1 / rate, sparse=True, tolerance=tolerance)
    for rate, tolerance in ((100, 1e-6), (200, 1e-4), (380, 1e-2), (800, 1e-2), (1600, 1e-2), (3200, 1e-2))
)
SLIDER_CRANK_SWEEP = tuple(Setting(1 / rate, trapezoidal=True) for rate in (100, 200, 500, 1000, 2000, 5000))
ANDREWS_SWEEP = tuple(
    Setting(ref.ANDREWS_SECONDS / steps, trapezoidal=True) for steps in (150, 300, 600, 1200, 3000, 8000)
)
# And the fastest found for each bound of an error that `work_precision.py` has.
WITHIN: dict[str, tuple[Setting, ...]] = {
    "slider_crank": (Setting(10 / 17025, trapezoidal=True, tolerance=1e-1, modified=True),)
}
# With 23 steps a second the energy stays within 1 mJ for 10 s.
BRICARD_SWEEP = tuple(
    Setting(1 / rate, tolerance=tolerance, modified=True)
    for rate, tolerance in ((12, 1e-4), (23, 1e-4), (50, 1e-5), (100, 1e-5), (200, 1e-6), (400, 1e-6))
)


def families(loops: int) -> Iterator[Callable[[float], Setting]]:
    """Settings by their step, among which `peers.search` looks for the fastest."""
    for trapezoidal, modified, tolerance in product((False, True), (False, True), (1e-1, 1e-2, 1e-4)):
        kind = {"trapezoidal": trapezoidal, "tolerance": tolerance, "modified": modified}
        yield partial(Setting, sparse=loops > 10, **kind)


def n_four_bar(n: int, setting: Setting | None = None, seconds: float = 10.0) -> Ready:
    """Tip (x, y) of the first crank of n four-bars in a row."""

    def run(setting: str, t: np.ndarray, q: np.ndarray, v: np.ndarray) -> Run:
        points, rates = _complex(q), _complex(v)
        error = drift(ref.four_bar_energy(points, rates, points[:, 1:], rates[:, 1:]))
        return Run("exudyn", setting, np.nan, len(t) - 1, error, t, q[:, :2])

    return _ready(_n_four_bar(n), setting or nearest(BEST, n), seconds, run)


def n_four_bar_sweep(n: int = 40) -> list[Ready]:
    return [n_four_bar(n, setting) for setting in N_FOUR_BAR_SWEEP]


def slider_crank(setting: Setting, seconds: float = 10.0) -> Ready:
    """Crank angle of the slider-crank."""

    def run(setting: str, t: np.ndarray, q: np.ndarray, v: np.ndarray) -> Run:
        angle = np.unwrap(np.angle(_complex(q[:, :2])[:, 0]))
        return Run("exudyn", setting, np.nan, len(t) - 1, None, t, angle[:, None])

    return _ready(_slider_crank(), setting, seconds, run)


def slider_crank_sweep() -> list[Ready]:
    return [slider_crank(setting) for setting in SLIDER_CRANK_SWEEP]


def andrews(setting: Setting) -> Ready:
    """The seven angles of Andrews' squeezing mechanism, in the order of the test set."""

    def run(setting: str, t: np.ndarray, q: np.ndarray, v: np.ndarray) -> Run:
        return Run("exudyn", setting, np.nan, len(t) - 1, None, t, ref.andrews_relative(q[:, 2::3]))

    return _ready(_andrews(), setting, ref.ANDREWS_SECONDS, run)


def andrews_sweep() -> list[Ready]:
    return [andrews(setting) for setting in ANDREWS_SWEEP]


def bricard(setting: Setting, seconds: float = 10.0) -> Ready:
    """Where the second bar of Bricard's linkage meets the third."""

    def run(setting: str, t: np.ndarray, q: np.ndarray, v: np.ndarray) -> Run:
        one, other = BRICARD_TREES
        n = len(one)
        bars = _swing(one, q[:, :n], v[:, :n]) + _swing(other, q[:, n:], v[:, n:])
        energy = sum(_bar_energy(bar) for bar in bars)
        return Run("exudyn", setting, np.nan, len(t) - 1, drift(energy), t, bars[1].head)

    return _ready(_bricard(), setting, seconds, run)


def bricard_sweep(seconds: float = 10.0, repeat: int = 5) -> list[Run]:
    return [bricard(setting, seconds).run(repeat) for setting in BRICARD_SWEEP]


def _ready(
    system: exu.MainSystem,
    setting: Setting,
    seconds: float,
    run: Callable[[str, np.ndarray, np.ndarray, np.ndarray], Run],
) -> Ready:
    """`run` makes one of the setting, times, coordinates and velocities at every step."""
    system.Assemble()
    options, method = _options(setting, seconds)
    data = system.systemData

    def bare() -> None:
        system.SolveDynamic(options, solverType=method)     # from the initial values, whatever ran before

    def called() -> np.ndarray:
        bare()
        return data.GetODE2Coordinates()

    def outcome() -> Run:
        t: list[float] = []
        q: list[list[float]] = []
        v: list[list[float]] = []

        def record(_: exu.MainSystem, now: float) -> bool:      # called at the start, too
            t.append(now)
            q.append(data.GetODE2Coordinates())
            v.append(data.GetODE2Coordinates_t())
            return True

        system.SetPostStepUserFunction(record)
        try:
            bare()
        except Exception as error:      # of its own kinds, where Newton's method fails
            raise ArithmeticError(f"exudyn with {setting}") from error
        finally:
            system.SetPostStepUserFunction(0)
        origin = data.GetODE2Coordinates(configuration=exu.ConfigurationType.Reference)
        return run(str(setting), np.array(t), np.array(q) + origin, np.array(v))

    return Ready("exudyn", str(setting), bare, called, outcome)


def _options(setting: Setting, seconds: float) -> tuple[exu.SimulationSettings, exu.DynamicSolverType]:
    options = exu.SimulationSettings()
    options.timeIntegration.endTime = seconds
    options.timeIntegration.numberOfSteps = round(seconds / setting.h)
    options.timeIntegration.adaptiveStep = False
    options.timeIntegration.verboseMode = 0
    options.timeIntegration.generalizedAlpha.spectralRadius = 0.95      # less damps more, 1 diverges
    options.timeIntegration.newton.useModifiedNewton = setting.modified
    options.timeIntegration.newton.modifiedNewtonJacUpdatePerStep = setting.modified
    options.timeIntegration.newton.relativeTolerance = setting.tolerance
    options.solution.file.write = False
    options.solution.sensors.active = False
    kind = exu.LinearSolverType.EigenSparse if setting.sparse else exu.LinearSolverType.EigenDense
    options.linearSolver.solverType = kind
    options.linearSolver.reuseAnalyzedPattern = setting.sparse
    method = exu.DynamicSolverType.TrapezoidalIndex2 if setting.trapezoidal else exu.DynamicSolverType.GeneralizedAlpha
    return options, method


def _complex(q: np.ndarray) -> np.ndarray:
    """x, y, x, y, ... as x + iy, ..."""
    return np.ascontiguousarray(q).view(complex)


def _slender(mass: float) -> np.ndarray:
    """Mass matrix of a slender bar in the coordinates x, y of both ends."""
    return mass / 6 * np.kron([[2, 1], [1, 2]], np.eye(2))


def _fixed(system: exu.MainSystem) -> Callable[[float, float], int]:
    """What marks a point of the ground."""
    ground = system.AddObject(item.ObjectGround())
    return lambda x, y: system.AddMarker(item.MarkerBodyPosition(bodyNumber=ground, localPosition=[x, y, 0]))


def _rod(system: exu.MainSystem, one: int, other: int, length: float) -> None:
    system.AddObject(item.ObjectConnectorDistance(markerNumbers=[one, other], distance=length))


def _n_four_bar(n: int) -> exu.MainSystem:
    """The points are the tips of the cranks; a crank is a third of its mass there, half of its weight likewise."""
    system = exu.SystemContainer().AddSystem()
    fixed = _fixed(system)
    nodes = [
        system.AddNode(item.NodePoint2D(referenceCoordinates=[k, 1], initialVelocities=[1, 0])) for k in range(n + 1)
    ]
    tips = [system.AddMarker(item.MarkerNodePosition(nodeNumber=node)) for node in nodes]
    for k in range(n + 1):
        system.AddObject(item.ObjectMassPoint2D(mass=1 / 3, nodeNumber=nodes[k]))
        _rod(system, fixed(k, 0), tips[k], 1)
        halves = 1 + (k > 0) + (k < n)
        system.AddLoad(item.LoadForceVector(markerNumber=tips[k], loadVector=[0, -ref.G * halves / 2, 0]))
    for k in range(n):
        system.AddObject(item.ObjectGenericODE2(nodeNumbers=nodes[k : k + 2], massMatrix=_slender(1)))
        _rod(system, tips[k], tips[k + 1], 1)
    return system


def _slider_crank() -> exu.MainSystem:
    """The points are the crank pin and the slider, which carries the end of the rod and is held at y = 0."""
    system = exu.SystemContainer().AddSystem()
    fixed = _fixed(system)
    speed = ref.CRANK_SPEED * ref.CRANK
    start = item.NodePoint2D(referenceCoordinates=[ref.CRANK, 0], initialVelocities=[0, speed])
    pin = system.AddNode(start)
    slider = system.AddNode(item.NodePoint2D(referenceCoordinates=[ref.CRANK + ref.ROD, 0]))
    system.AddObject(item.ObjectMassPoint2D(mass=ref.CRANK_MASS / 3, nodeNumber=pin))
    system.AddObject(item.ObjectMassPoint2D(mass=ref.SLIDER_MASS, nodeNumber=slider))
    system.AddObject(item.ObjectGenericODE2(nodeNumbers=[pin, slider], massMatrix=_slender(ref.ROD_MASS)))
    pin_marker = system.AddMarker(item.MarkerNodePosition(nodeNumber=pin))
    _rod(system, fixed(0, 0), pin_marker, ref.CRANK)
    _rod(system, pin_marker, system.AddMarker(item.MarkerNodePosition(nodeNumber=slider)), ref.ROD)
    zero = system.AddNode(item.NodePointGround())
    axis = [
        system.AddMarker(item.MarkerNodeCoordinate(nodeNumber=zero, coordinate=0)),
        system.AddMarker(item.MarkerNodeCoordinate(nodeNumber=slider, coordinate=1)),
    ]
    system.AddObject(item.ObjectConnectorCoordinate(markerNumbers=axis))
    return system


def _andrews() -> exu.MainSystem:
    """Seven bodies with coordinates x, y, angle of their centres, ten revolute joints, a spring and a torque."""
    system = exu.SystemContainer().AddSystem()
    fixed = _fixed(system)
    bars = ref.andrews_bars()
    bodies = {}
    for name, bar in bars.items():
        centre = bar.origin + bar.centre * np.exp(1j * bar.angle)
        node = system.AddNode(item.NodeRigidBody2D(referenceCoordinates=[centre.real, centre.imag, bar.angle]))
        bodies[name] = system.AddObject(item.ObjectRigidBody2D(mass=bar.mass, inertia=bar.inertia, nodeNumber=node))

    def at(name: str, point: str) -> int:
        arm = bars[name].points[point] - bars[name].centre
        place = [arm.real, arm.imag, 0]
        return system.AddMarker(item.MarkerBodyPosition(bodyNumber=bodies[name], localPosition=place))

    for one, other, point in ref.ANDREWS_JOINTS:
        foot = bars[other].origin
        first = at(one, point) if one else fixed(foot.real, foot.imag)
        system.AddObject(item.ObjectJointRevolute2D(markerNumbers=[first, at(other, point)]))
    foot = ref.ANDREWS_SPRING_FOOT
    system.AddObject(
        item.ObjectConnectorSpringDamper(
            markerNumbers=[fixed(foot.real, foot.imag), at("K3", "D")],
            referenceLength=ref.ANDREWS_SPRING_LENGTH,
            stiffness=ref.ANDREWS_SPRING,
        )
    )
    motor = system.AddMarker(item.MarkerBodyRigid(bodyNumber=bodies["K1"], localPosition=[0, 0, 0]))
    system.AddLoad(item.LoadTorqueVector(markerNumber=motor, loadVector=[0, 0, ref.ANDREWS_TORQUE]))
    return system


# --- Bricard's linkage ----------------------------------------------------------------------------------------------

BRICARD_CORNERS = np.array([[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, -1, 1], [0, -1, 1], [0, 0, 1]], float)     # m
BRICARD_AXES = "YZXYZX"         # of the hinges at the corners
BRICARD_WIDTH = 0.1             # m, of the square section of a bar of 1 kg and 1 m
BRICARD_CUT = 3                 # the hinge that closes the loop; with 2, 4 or 5 the error is larger
BRICARD_TREES = ((0, 1, 2), (5, 4))     # the other hinges, of either tree from the ground outwards


@dataclass(frozen=True)
class _Bar:
    """A bar over time: turned from its first pose by `turn`; velocities of its centre and of turning, world axes."""

    across: np.ndarray          # the bar, from one end to the other, in the first pose
    turn: Rotation
    centre: np.ndarray
    head: np.ndarray            # the end away from the ground
    velocity: np.ndarray
    omega: np.ndarray


def _bricard_bar(hinge: int) -> np.ndarray:
    """The bar a hinge carries, from that hinge to the next one outwards, in the first pose."""
    return BRICARD_CORNERS[hinge + (1 if hinge < BRICARD_CUT else -1)] - BRICARD_CORNERS[hinge]


def _bricard_inertia(bar: np.ndarray) -> np.ndarray:
    along, across = BRICARD_WIDTH**2 / 6, (1 + BRICARD_WIDTH**2) / 12
    return across * np.eye(3) + (along - across) * np.outer(bar, bar)


def _bricard() -> exu.MainSystem:
    """Two chains of hinged bars; the joint between their ends leaves out the one equation that follows from the others.

    The axes of all bars are those of the world in the first pose, when all angles are zero.
    """
    system = exu.SystemContainer().AddSystem()
    ends = []
    for hinges in BRICARD_TREES:
        bars = [_bricard_bar(hinge) for hinge in hinges]
        n = len(hinges)
        zeros = [0.0] * n
        node = item.NodeGenericODE2(
            referenceCoordinates=zeros,
            initialCoordinates=zeros,
            initialCoordinates_t=zeros,
            numberOfODE2Coordinates=n,
        )
        tree = system.AddObject(
            item.ObjectKinematicTree(
                nodeNumber=system.AddNode(node),
                gravity=[0, -ref.G, 0],
                jointTypes=[getattr(exu.JointType, f"Revolute{BRICARD_AXES[hinge]}") for hinge in hinges],
                linkParents=list(range(-1, n - 1)),
                jointTransformations=exu.Matrix3DList([np.eye(3)] * n),
                jointOffsets=exu.Vector3DList([BRICARD_CORNERS[hinges[0]], *bars[:-1]]),
                linkInertiasCOM=exu.Matrix3DList([_bricard_inertia(bar) for bar in bars]),
                linkCOMs=exu.Vector3DList([bar / 2 for bar in bars]),
                linkMasses=[1.0] * n,
            )
        )
        end = item.MarkerKinematicTreeRigid(objectNumber=tree, linkNumber=n - 1, localPosition=list(bars[-1]))
        ends.append(system.AddMarker(end))
    # Free to turn about its axis y; about x the loop cannot turn anyway.
    system.AddObject(item.ObjectJointGeneric(markerNumbers=ends, constrainedAxes=[1, 1, 1, 0, 0, 1]))
    return system


def _swing(hinges: Sequence[int], angles: np.ndarray, rates: np.ndarray) -> list[_Bar]:
    """The bars of one tree from its angles and their rates."""
    turn = Rotation.identity(len(angles))
    point = np.tile(BRICARD_CORNERS[hinges[0]], (len(angles), 1))
    velocity = omega = np.zeros_like(point)
    bars = []
    for hinge, angle, rate in zip(hinges, angles.T, rates.T, strict=True):
        axis = np.eye(3)["XYZ".index(BRICARD_AXES[hinge])]
        omega = omega + rate[:, None] * turn.apply(axis)
        turn = turn * Rotation.from_rotvec(np.outer(angle, axis))
        across = _bricard_bar(hinge)
        arm = turn.apply(across)
        half = np.cross(omega, arm) / 2
        bars.append(_Bar(across, turn, point + arm / 2, point + arm, velocity + half, omega))
        point, velocity = point + arm, velocity + 2 * half
    return bars


def _bar_energy(bar: _Bar) -> np.ndarray:
    spin = bar.turn.inv().apply(bar.omega)
    kinetic = np.sum(bar.velocity**2, axis=1) + np.sum(spin @ _bricard_inertia(bar.across) * spin, axis=1)
    return kinetic / 2 + ref.G * bar.centre[:, 1]
