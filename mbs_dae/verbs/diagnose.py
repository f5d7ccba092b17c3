"""Diagnosis: can the model be assembled, how many degrees of freedom has it, which equations are redundant, and why.

1. Assemble. If that fails, report contradictory equations or dimensions that do not fit.
2. Rank of Φ_v at this pose, and at others reached along the freedom that the joints (without drivers) leave.
3. A dependent row stands for a minimal group of joints. Dependent at every pose: generic, a property of the design.
   Dependent at this pose only: momentary, a change point or dead point.
4. A dependent row whose right side does not fit those of its group contradicts it: a conflict.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from textwrap import wrap

import numpy as np

from ..arguments import check_tables, model_of
from ..compiled import System
from ..compiled.program import tells_positions
from ..errors import AssemblyError, ModelError, RedundantConstraintError, SingularConfigurationError, counted
from ..explain.relaxation import relaxations, spare
from ..model.drivers import Prescribed
from ..model.model import Model
from ..poses.assembly import assembled
from ..poses.dependence import DependentGroup, agrees, elements_of
from ..poses.redundancy import joint_rows, redundancy
from ..poses.slips import free_bodies, notes
from ..public_class import PublicClass
from ..results.result import State
from ..unit_system import told


@dataclass(frozen=True)
class Group:
    """Elements whose equations depend on each other."""

    joints: tuple[str, ...]
    """Names of the elements."""
    bodies: tuple[str, ...]
    """Names of their bodies without the ground."""
    kind: str
    """"generic" (dependent at every pose), "momentary" (dependent at this pose) or "conflict" (contradictory)."""
    equations: int
    """Number of redundant equations in the group."""
    advice: str
    """A suggestion of what to change."""

    def __str__(self) -> str:
        return f"{self.kind}, {counted(self.equations, 'equation')}: {', '.join(self.joints)}. {self.advice}"


@dataclass(frozen=True)
class Diagnosis(metaclass=PublicClass):
    """The report of `diagnose`; ``print`` shows it as a table.

    >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (1, 0)}, rods={"rod": "AB"}, fixed="A")
    >>> found = mbs.diagnose(rod)
    >>> isinstance(found, mbs.Diagnosis), found.coordinates, found.rank, found.degrees_of_freedom
    (True, 3, 2, 1)
    """

    title: str
    coordinates: int
    equations: int
    equations_by_element: dict[str, int]
    rank: int
    """Number of independent equations at this pose, drivers included."""
    degrees_of_freedom: int
    """Coordinates minus rank: the number of velocities that remain free at this pose, drivers included."""
    mobility: int
    """The degrees of freedom at this pose without drivers."""
    place_freedom: int
    """The degrees of freedom of positions: greater than those of velocities where velocities are restricted, as by
    rolling."""
    drivers: int
    """Number of driven coordinates: one for a driver, all coordinates of a body for the driver of a pose."""
    generic_degrees_of_freedom: int
    """The degrees of freedom at a pose in general position."""
    gruebler: int
    """Coordinates minus equations: the count of Gruebler and Kutzbach."""
    redundant: tuple[Group, ...]
    conflicts: tuple[Group, ...]
    assembled: bool
    """True if a pose satisfies all position equations."""
    message: str
    """Why the model cannot be assembled, or cannot move as its drivers prescribe; empty otherwise."""
    poses_tested: int
    moved: tuple[str, float, float]
    """The body that assembly moved most from its placement, its displacement in m, and its rotation in rad."""
    length: float
    """The model's own length, in m, which scales tolerances."""
    contacts: tuple[str, ...] = ()
    """The contacts of the model, which are no equations and are not counted."""
    notes: tuple[str, ...] = ()
    """Probable slips: degrees for radians, millimetres for metres, a joint that was made but not added."""

    def __str__(self) -> str:
        return "\n".join(_report(self))

    def _repr_html_(self) -> str:
        return f"<pre>{self}</pre>"


def diagnose(model: Model | System) -> Diagnosis:
    """Count the equations of a model at its assembled pose (t = 0), compute their rank, explain redundancy; return a
    `Diagnosis`.

    A third crank in a parallelogram turns as the two others do; the mechanism moves, with one equation too many:

    >>> points = {"A": (0, 0), "B": (0, 1), "C": (2, 1), "D": (2, 0), "E": (1, 0), "F": (1, 1)}
    >>> model = mbs.PlanarModel.from_points(points, rods={"a": "AB", "b": "CD", "c": "EF", "bar": "BFC"}, fixed="AED")
    >>> found = mbs.diagnose(model)
    >>> found.gruebler, found.degrees_of_freedom
    (0, 1)
    >>> found.redundant[0].kind, found.redundant[0].equations
    ('generic', 1)
    """
    model = model_of(model)
    system = model.compile()
    rows = range(len(system.rows))
    closes, message = True, ""
    try:
        check_tables(model, np.zeros(1))
    except ModelError as error:
        message = str(error)
    try:
        q = assembled(model).full_q
    except (AssemblyError, RedundantConstraintError, SingularConfigurationError) as error:
        q, message, pose = system.placement.copy(), str(error), error.facts["pose"]  # the pose at which assembly failed
        q[: system.nq] = pose.q if isinstance(pose, State) else pose
        closes = not isinstance(error, AssemblyError)
    others = None
    if not closes:  # a dependence that persists at poses near one that cannot be closed does not come from the pose
        noise = np.random.default_rng(7).standard_normal((2, system.nv)) * 0.1 * system.length / np.sqrt(system.weight)
        others = [system.moved(q, shift) for shift in noise]
    dependence = redundancy(system, q, others)
    here = dependence.here
    contradictory = [c for c in dependence.generic if not agrees(system, 0.0, q, c)]
    rank = len(rows) - len(here.dependent(rows))
    places = [k for k in rows if tells_positions(system.program)[k]]
    undriven = joint_rows(system)
    generic_freedom = system.nv - len(rows) + len(dependence.generic)
    slips = notes(system)
    if closes and len(undriven) < len(rows) and generic_freedom > 0:  # drivers are there, and leave freedom
        loose = free_bodies(State(system, 0.0, q, system.still, system.still))
        slips += (f"{loose}; if the mechanism should have less freedom, a joint may be missing",) if loose else ()
    return Diagnosis(
        title=model.name,
        coordinates=system.nv,
        equations=len(rows),
        equations_by_element={e.name: len(system.rows_of(e.name)) for e in model.conditions},
        rank=rank,
        degrees_of_freedom=system.nv - rank,
        place_freedom=system.nv - len(places) + len(here.dependent(places)),
        mobility=system.nv - len(undriven) + len(here.dependent(undriven)),
        drivers=len(rows) - len(undriven),
        moved=_largest_change(system, q),
        generic_degrees_of_freedom=generic_freedom,
        gruebler=system.nv - len(rows),
        redundant=(
            *_groups(system, q, [c for c in dependence.generic if c not in contradictory], "generic"),
            *_groups(system, q, dependence.momentary if closes else (), "momentary"),
        ),
        conflicts=_groups(system, q, contradictory, "conflict"),
        assembled=closes,
        message=message,
        poses_tested=1 + dependence.others,
        length=system.length,
        contacts=tuple(contact.name for contact in model.contacts),
        notes=slips,
    )


# --- poses ------------------------------------------------------------------------------------------------------


def _largest_change(system: System, q: np.ndarray) -> tuple[str, float, float]:
    """Return the body that assembly moved most from its placement, its displacement in m, and its rotation in rad. A
    large displacement may mean another branch."""
    change = system.between(system.placement, q).reshape(len(system.bodies), -1)
    size = np.sqrt((system.weight.reshape(change.shape) * change**2).sum(axis=1))
    k, dimension = int(np.argmax(size)), system.model.dimension
    far, turned = (float(np.linalg.norm(part)) for part in (change[k, :dimension], change[k, dimension:]))
    return system.bodies[k].name, far, turned


# --- groups -----------------------------------------------------------------------------------------------------


def _groups(system: System, q: np.ndarray, circuits: Iterable[DependentGroup], kind: str) -> tuple[Group, ...]:
    """Return groups of elements that circuits of dependent rows join, with the number of circuits of each."""
    groups = []
    for joints, count in Counter(elements_of(system, circuit.rows) for circuit in circuits).items():
        elements = [system.model.elements[name] for name in joints]
        bodies = tuple(dict.fromkeys(body.name for e in elements for body in e.bodies if not body.fixed))
        groups.append(Group(joints, bodies, kind, count, _advice(system, q, joints, kind, count)))
    return tuple(groups)


def _advice(system: System, q: np.ndarray, joints: tuple[str, ...], kind: str, count: int) -> str:
    elements = [system.model.elements[name] for name in joints]
    drivers = [e.name for e in elements if isinstance(e, Prescribed)]
    if kind == "conflict":
        return f"They contradict each other: take {(drivers or joints)[-1]} away, or make their values agree."
    if kind == "momentary":
        return (
            "At this pose only: a change point or dead point, where velocities are not unique. Start at another pose, "
            "or drive a coordinate that moves here."
        )
    if len(joints) == 1:
        return f"{joints[0]} says the same thing twice: leave one of its equations out."
    if drivers:
        last = drivers[-1]
        if (size := len(system.rows_of(last))) > count:
            return f"{last} drives {size} coordinates, and the others determine {count} of them: drive fewer of them."
        return f"The others already determine {last}: take this driver away."
    repeated = (
        f"{counted(count, 'equation')} of these repeat{'s' * (count == 1)} what the others say: the motion is right, "
        "but how these joints share the load is not unique."
    )
    if instead := relaxations(system, q, joints, count):
        words = " and ".join(f"{name} by a {joint}" for name, joint in instead)
        return f"{repeated} To make it unique, replace {words}."
    if (too_much := spare(system, q, joints)) is not None:
        return f"{repeated} To make it unique, take {too_much} away."
    return (
        f"{repeated} None of them can be left out without freeing a motion; to make the loads unique let one give way "
        "(mbs.Bushing), or hold fewer directions with it."
    )


# --- words ------------------------------------------------------------------------------------------------------


def _report(d: Diagnosis) -> list[str]:
    state = "assembles" if d.assembled else "does NOT assemble"
    freedom = f"{counted(d.mobility, 'degree')} of freedom, {counted(d.drivers, 'driver')}"
    extra = d.drivers - d.mobility
    driven = f": overdriven, {extra} too many" if extra > 0 else ": fully driven" if d.drivers and extra == 0 else ""
    lines = [f"{d.title}: {state}; {freedom}{driven}", ""]
    shown = list(d.equations_by_element.items())
    width = max([len(name) for name, _ in shown[:12]] + [22])
    rows = [("coordinates", d.coordinates), ("equations", d.equations), *((f"  {who}", n) for who, n in shown[:12])]
    lines += [f"  {name:<{width}} {count:>5}" for name, count in rows]
    if len(shown) > 12:
        lines.append(f"    ... and {len(shown) - 12} more elements")
    rows = [("rank", d.rank), ("degrees of freedom", d.degrees_of_freedom)]
    rows += [("  without the drivers", d.mobility), ("Grübler count", d.gruebler)]
    lines += [f"  {name:<{width}} {count:>5}" for name, count in rows]
    if d.place_freedom != d.degrees_of_freedom:
        lines.append(f"  ({counted(d.place_freedom, 'degree')} of freedom of places: some equations hold velocities)")
    body, metres, radians = d.moved
    if d.assembled and metres + radians * d.length > 1e-9 * d.length:
        distance = f"{told(metres, 'm', digits=3)} and {told(radians, 'rad', digits=3)}"
        lines.append(f"  (assembly moved {body} most: by {distance} from its placement)")
    if d.gruebler != d.degrees_of_freedom:
        missing = d.degrees_of_freedom - d.gruebler
        depend = f"{counted(missing, 'equation')} depend{'s' * (missing == 1)} on others"
        lines.append(f"  (counting alone is wrong by {missing}: {depend})")
    if d.contacts:
        lines.append(f"  (not counted: contacts, which take freedom away while closed: {', '.join(d.contacts)})")
    if d.degrees_of_freedom != d.generic_degrees_of_freedom:
        lines.append(f"  (in general position: {counted(d.generic_degrees_of_freedom, 'degree')} of freedom)")
    if d.redundant and d.poses_tested == 1:
        lines.append("  (no other pose was found: whether it depends on the pose is not known)")
    for group in (*d.redundant, *d.conflicts):
        lines += ["", *_wrapped(f"{group.kind}: {', '.join(group.joints)}. {group.advice}")]
    for text in (d.message, *(f"note: {note}" for note in d.notes)):
        lines += ["", *_wrapped(text)] if text else []
    return lines


def _wrapped(text: str) -> list[str]:
    return wrap(text, 92, initial_indent="  ", subsequent_indent="    ")
