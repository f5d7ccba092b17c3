"""The rows of contacts, ready to be evaluated: gaps, and the slips of those that have friction. Compiled.

Of each contact point there is a row for its gap g, and one for each direction of slip s; friction in a joint or on a
measure is a point without a gap. As those of joints rows say

    ġ = G v - ν,      g̈ = G v̇ - γ,

and what acts along a row acts on the bodies by Gᵀ f. G stands row by row over the columns of the system's own matrix.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import sympy as sp
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from ..coordinates import KernelCoordinates
from ..coordinates.joint.joint import JointCoordinates
from ..coordinates.joint.tree_steps import velocity_paths
from ..kernels.abi import compiled_apart
from ..kernels.blocks import INDEX, Design, Indices, Integers, Matrix, Vector, Work, block, nothing, zeros
from ..linear.laws import Complementarity
from ..linear.pattern import Pattern
from ..linear.rows import Rows
from ..linear.springs import Laws, Proximal, new_proximal
from ..model.bodies.body import Body, Marker
from ..model.contacts.base import Contact
from ..model.contacts.compliant import CompliantContact
from ..model.contacts.friction import DryFriction, Friction, FrictionElement, SmoothFriction
from ..model.contacts.teeth import Separation
from ..model.joints import Gear
from ..model.measures import Measure, Quantity
from ..model.model import Model
from ..model.parameters import Evaluator, Parameter
from ..symbolic.derive import Form
from ..symbolic.loads import joint_wrenches
from .batch import VALUE, Batch, BatchBuilder, Instance, evaluate, instance_of
from .program import Program, ProgramBuilder, read_rows
from .tree.maps import row_terms
from .tree.transformation import NO_TERMS, RowTerms, Transformation, carry_to_ground, take_term

NOTED = 3
"""Items of a note before its impulses."""
LOG = 64
"""So many impacts are noted before a run hands them over."""
GIVEN, EVENTS, STEPS = range(3)
"""What a run asks of contacts: nothing but their rows; forces while states hold and impacts, by a dense matrix; forces
over steps, by a sparse one, and where there are few contacts by the dense one as well."""
FEW, SOME = 40, 200
"""So many rows are few: elimination is exact, and cheaper. Where masses may be far apart steps over many contacts make
a dense matrix of some of them as well, for the sparse one loses small forces beside large ones."""


class Contacts(NamedTuple):
    """What the compiled core reads, and what stands in a run. A *point* is where two bodies may touch."""

    program: Program
    transformation: Transformation
    terms: RowTerms
    rows: Rows
    """G; the rows of a point have the same columns."""
    goes_to: Indices
    """Where outputs (or terms along their paths) go in it."""
    proximal: Proximal
    gap: Integers
    """The row of each point's gap, -1 without one; its first row of slip, and how many it has."""
    slip: Integers
    slips: Integers
    point: Integers
    """The point of each row."""
    bounds: Batch
    bound: Integers
    """Friction of a point without a gap is bounded by μ |b + B f|. Of b there are so many components,"""
    bound_from: Integers
    """each a sum of multipliers (these rows of the system) with such outputs of `bounds` for factors; or without rows
    the outputs themselves, for sliding and for rest."""
    bound_row: Integers
    bound_rows: Integers
    entry: Integers
    """The first entry of each point among the switching functions of contacts: its gap, then its slips, then the
    components of its normal force in a joint."""
    entries: int
    decides: Integers
    """Pairs of a branch (among those of `bounds`, then those of `program`) and of the point about which it decides."""
    decided: Integers
    functions: Integers
    """The addresses of what a run does with contacts (`motion.contact`), compiled where there are some."""
    curve: Integers
    """Where the coefficients of a point change: that of sliding among the outputs of `bounds`, behind which stands that
    of rest; or else -1."""
    restitution: Design[Vector]
    friction: Design[Vector]
    static: Design[Vector]
    """Of each point; of friction that sticks."""
    smooth: Design[Vector]
    """The speed of slip over which its friction builds up, if it never sticks, or else 0; less than 0 where a force of
    the size of friction acts in one direction, that of its row, for good."""
    drag_sizes: Batch
    drag_is_force: Integers
    """The readings of the sizes of friction that builds up over a speed of slip, which is a force of the model and has
    no point; and of each output whether it is a force (1) or a coefficient (0)."""
    arm: Design[Vector]
    """What makes a speed of each velocity of bodies: a length for those that turn, or else 1."""
    lightest: Design[Vector]
    heaviest: Design[Vector]
    """The least and the largest mass of the bodies that each point touches, and of those that joints connect with them,
    and the moments of inertia over the squared length of the model among the largest; bodies without mass do not
    count."""
    column_mass: Design[Vector]
    """The mass that each column of the system's matrix moves, or its moment of inertia over the squared length of the
    model; for the forces of contacts."""
    group: Integers
    """The number of the group of each point. A group is what joints, masses and contacts couple, the ground left out:
    the accelerations of one do not depend on another."""
    row_group: Integers
    """The group of each row of contacts, of each column of the system's matrix, and of each velocity of bodies and each
    edge of the tree, -1 of what stands still."""
    column_group: Integers
    velocity_group: Integers
    edge_group: Integers
    joint_group: Integers
    """The group of each column that joints and entries of M alone couple, without contacts."""
    few: int
    """So many rows are few."""
    out: Work[Vector] = zeros("outputs")
    phi: Work[Vector] = zeros("lines")
    nu: Work[Vector] = zeros("lines")
    gamma: Work[Vector] = zeros("lines")
    rate: Work[Vector] = zeros("lines")
    factors: Work[Vector] = zeros("factors")
    parts: Work[Vector] = zeros("lines")
    """Of the last evaluation; the rate is G v - ν, and of this size is what it is made of where bodies follow from each
    other."""
    group_speed: Work[Vector] = zeros("groups")
    """The speed of the fastest point of bodies in each group, and the largest of the `parts` of its rows."""
    group_rate: Work[Vector] = zeros("groups")
    group_pace: Work[Vector] = zeros("groups")
    group_mass: Work[Vector] = zeros("groups")
    """The acceleration, in lengths, that the largest load of each group gives its heaviest body, or the speed of the
    group in an impact; and the largest mass of each group."""
    G: Work[Matrix] = zeros("full", "columns")
    """G in full, where all rows have a dense matrix."""
    response: Work[Matrix] = zeros("dense", "columns")
    """The accelerations that a unit force along a row makes, and the multipliers with it."""
    answer: Work[Matrix] = zeros("dense", "rows")
    delassus: Work[Matrix] = zeros("dense", "dense")
    """G M̃⁻¹ Gᵀ: the accelerations along rows that unit forces along rows make."""
    mobility: Work[Vector] = zeros("lines")
    """The acceleration along each row that a unit force along it would make if no joint held a body."""
    row_length: Work[Vector] = zeros("lines")
    """The squared length of each row in the norm of displacements, before joints take anything of it."""
    used: Work[Integers] = zeros("lines")
    """The rows for which these are known, one after the other; and how many."""
    size: Work[Integers] = zeros(1)
    force: Work[Vector] = zeros("lines")
    made_of: Work[Vector] = zeros("lines")
    """Along each row, at the last evaluation; and the size of the force that would stop all of which the acceleration
    along the row is the sum, those by forces along other rows included."""
    state: Work[Integers] = zeros("points")
    """OPEN, CLOSED (and slipping, if it has friction), STICKING, or INCIPIENT: setting out to slip, in space."""
    before: Work[Integers] = zeros("points")
    closed: Work[Integers] = zeros(1)
    """How many points are not open."""
    friction_size: Work[Matrix] = zeros("points", 2)
    size_time: Work[Vector] = zeros(1)
    largest_friction: Work[Vector] = zeros("points")
    """The coefficients of sliding and of rest, or the forces that are given in their place, of each point that is not
    open, 0 where they are constant, where a run looked at them last; the time of that; and the largest that each point
    has had in the run."""
    drag: Work[Vector] = zeros("drags")
    largest_drag: Work[Vector] = zeros("drags")
    """The sizes of friction that builds up over a speed, at the last evaluation; the largest of each in the run."""
    unseen: Work[Integers] = zeros(1)
    """1 where nobody asks for the rows of points that are open: within steps whose ends are looked at."""
    changed: Work[Integers] = zeros(1)
    """Whether states are others than before they were last chosen."""
    touching: Work[Integers] = zeros("points")
    slipping: Work[Integers] = zeros("points")
    """Which points touch, and which of these slip (1) or set out to in space (2), while states are chosen."""
    meeting: Work[Integers] = zeros("points")
    lands: Work[Integers] = zeros("points")
    """Which points meet in an impact, and which of them part by less than can be seen."""
    began: Work[Integers] = zeros("points")
    """The change that each point has just begun: PARTS, SLIPS, STOPS; or SLIPS_ON, where a slip in a plane goes on
    while other points change. States are chosen with it as it is."""
    departs: Work[Integers] = zeros("points")
    """The state of a slip at a dead centre that joints keep still (`motion.contact.departure`): DEPARTS if it sets out,
    HOLDS if friction at its bound keeps it at rest, 0 for all others. HOLDS lasts until states are chosen anew."""
    sticking_trial: Work[Integers] = zeros("groups")
    """The trial of each group: 1 while the chosen states let slips stick again that have just passed their bound, since
    friction at a dead centre may hold them; 0 otherwise; -1 after such a choice has failed, until another guard
    passes."""
    rests_in: Work[Integers] = zeros("groups")
    holds_in: Work[Integers] = zeros("groups")
    """The rest of each group: STANDSTILL, CREEP if its bodies are slow, or MOTION; and whether friction at its
    bound holds one of its points, while states are chosen."""
    accelerates_in: Work[Integers] = zeros("groups")
    """Whether forces leave something to accelerate in each group; and whether marks of its points are others than the
    forces say (`motion.contact.departure`)."""
    differs_in: Work[Integers] = zeros("groups")
    force_left: Work[Vector] = zeros("groups")
    force_parts: Work[Vector] = zeros("groups")
    """The largest force that is left to accelerate the bodies of each group, and the largest that it is made of."""
    kept: Work[Integers] = zeros("lines")
    """Of each row whether joints alone keep it as it is (`motion.contact.kept`): FREE, STILL, PRESSED."""
    asked: Work[Integers] = zeros("points")
    noted: Work[Integers] = zeros("points")
    """Of which points this is known; and of which of them the gap has been kept at some time in the run."""
    moved: Work[Vector] = zeros("columns")
    taken: Work[Vector] = zeros("rows")
    """What a row of contacts moves that joints let move, and what they take of it."""
    by_joints: Work[Matrix] = zeros("lines", "rows")
    """The c of each slip whose row depends on those of joints, G = c Φ_v, at the pose where it was looked for last."""
    heading: Work[Vector] = zeros("lines")
    onward: Work[Vector] = zeros("lines")
    """Where a point that slips has set out to: a unit vector over its rows of slip; and how it slips where a step
    ends, or, in time stepping, begins."""
    fastest: Work[Vector] = zeros("points")
    end_speed: Work[Vector] = zeros("points")
    faint: Work[Vector] = zeros("points")
    """The largest slip of a point since it set out, where steps that were accepted begin; where the last step ends, how
    fast it slips, and how slow a slip is that is over."""
    fades: Work[Integers] = zeros("points")
    """Whether the direction of a slip in space is held from where a step begins: it is all but over, or goes straight
    on (`motion.contact.incipient`)."""
    straight: Work[Integers] = zeros("points")
    """Whether it would go straight on over the next step."""
    departure_rate: Work[Vector] = zeros("points")
    """The size of β of each point that may depart, without its own friction: how fast its slip would set out."""
    slip_acceleration: Work[Vector] = zeros("lines")
    """The acceleration σ = G v̇ - γ of each slip that may set out beside a dead centre."""
    stopped_heading: Work[Vector] = zeros("lines")
    """The heading of each slip that has just stopped, 0 for all others."""
    towards: Work[Vector] = zeros("lines")
    short: Work[Vector] = zeros("points")
    """Of an incipient slip the direction of its friction, and by what force friction falls short."""
    resolves: Work[Vector] = zeros(1)
    """How long a step may be that resolves the directions of slips."""
    in_turn: Work[Integers] = zeros(1)
    """Whether impacts at one instant are passed on from point to point, not solved together."""
    rests: Work[Vector] = zeros(1)
    """When a motion that bounces has come to rest."""
    pace: Work[Vector] = zeros(2)
    """What rates are made of, at the last choice; and just before an impact."""
    point_pace: Work[Vector] = zeros("points")
    """The size of the terms of rates in the group of each point, at the last choice of states."""
    status: Work[Integers] = zeros(1)
    choices: Work[Integers] = zeros(1)
    """How often forces or impulses were not those of one regular system of equations: shared by contacts that depend on
    each other, found by Poisson's law, or corrected between masses far apart."""
    f: Work[Vector] = zeros("columns")
    g: Work[Vector] = zeros("rows")
    unknown: Work[Integers] = zeros("equations")
    order: Work[Integers] = zeros("equations")
    matrix: Work[Matrix] = zeros("square", "square")
    right: Work[Vector] = zeros("equations")
    units: Work[Matrix] = zeros(2, "equations")
    """The units of equations and of unknowns in which pivots are compared."""
    rest: Work[Vector] = zeros("equations")
    step: Work[Vector] = zeros("equations")
    rounding: Work[Vector] = zeros("equations")
    tail: Work[Vector] = zeros("equations")
    """A correction of unknowns; the second parts of residuals, and of the unknowns."""
    balancing: Work[Vector] = zeros("equations")
    """The size of each unknown that would balance all terms of its equation."""
    offset: Work[Vector] = zeros("lines")
    offset_tail: Work[Vector] = zeros("lines")
    rate_tail: Work[Vector] = zeros("lines")
    """The parts of the rates along the rows in use that no acceleration, or jump of velocities, makes, in two parts;
    and the second parts of the rates of all rows before an impact."""
    amount: Work[Vector] = zeros("lines")
    light: Work[Vector] = zeros("lines")
    heavy: Work[Vector] = zeros("lines")
    """The least and the largest mass of the bodies whose accelerations depend on a force along each row in use."""
    free_force: Work[Vector] = zeros("lines")
    solved_for: Work[Integers] = zeros("lines")
    """The force along each row in use that would stop all terms of its acceleration without contacts; and whether the
    force is an unknown of its own, not the friction of a slip."""
    amount_tail: Work[Vector] = zeros("lines")
    no_tail: Work[Vector] = zeros("lines")
    """The forces along the rows in use have two parts, the second one small beside the first; `no_tail` is zero."""
    change: Work[Vector] = zeros("lines")
    """The changes of the rates along the rows in use that impulses make."""
    tail_x: Work[Vector] = zeros("columns")
    tail_multipliers: Work[Vector] = zeros("rows")
    """The second parts of the last sum of responses."""
    step_x: Work[Vector] = zeros("columns")
    step_g: Work[Vector] = zeros("rows")
    """A correction of accelerations and multipliers."""
    size_of_force: Work[Vector] = zeros("lines")
    small: Work[Vector] = zeros("lines")
    present: Work[Vector] = zeros("lines")
    """The size of the force along each row in use, or of a gap that opens the force that would stop its heaviest body;
    its square, if it is an unknown of its own; and the square of the larger one of the force itself and of one against
    loads. Squares are in units of rows."""
    neighbours: Work[Integers] = zeros("lines")
    largest_force: Work[Vector] = zeros("lines")
    spread: Work[Integers] = zeros("lines")
    """Rows in use between which W has entries, directly or over others, are neighbours: they have one number. By this
    number, the largest one of these; and whether some forces are so far below it that plain numbers lose their
    digits."""
    plain: Work[Vector] = zeros("equations")
    """The unknowns before corrections."""
    corrected: Work[Integers] = zeros(1)
    uncertain: Work[Integers] = zeros(1)
    """Whether the last forces or impulses were corrected with twice the digits, with the solution that they make; and
    whether forces between masses far apart are not certain all the same."""
    b: Work[Vector] = zeros("components")
    B: Work[Matrix] = zeros("components", "dense")
    pressing: Work[Vector] = zeros("components")
    """The direction of b + B f of each point."""
    normal: Work[Vector] = zeros("components")
    """b + B f of each point at the last accelerations; the direction of it that is held in a step, 0 where none is; and
    what it was where the step ended, or the direction that takes the place of this one."""
    side: Work[Vector] = zeros("components")
    end_normal: Work[Vector] = zeros("components")
    noise: Work[Vector] = zeros("points")
    """Below this size it is none; and the size below which it has vanished, if it has just been at right angles to the
    direction held, else 0."""
    turn: Work[Vector] = zeros("points")
    most: Work[Vector] = zeros("points")
    """How large the friction of each point might be where it sticks."""
    weight: Work[Vector] = zeros("points")
    """With which it is among those that share a load."""
    log: Work[Matrix] = zeros(LOG, "note")
    """Impacts: the time, the energy lost, when the motion has come to rest (0 if it has not), impulses along rows, and
    (q, v, a) before and behind it."""
    logged: Work[Integers] = zeros(1)
    problem: Complementarity = Complementarity()
    part: Complementarity = Complementarity()
    """A group of its laws that feels no others; and how groups are told."""
    queue: Work[Integers] = zeros("laws")
    begins: Work[Integers] = zeros("laws_and_one")
    seen: Work[Integers] = zeros("laws")
    place: Work[Integers] = zeros("unknowns")
    by_elimination: Work[Integers] = zeros("points")
    """In a time step: the points that touch and that the dense matrix has; and of what accelerations and multipliers
    follow from these points alone."""
    own_column: Work[Integers] = zeros("columns")
    own_row: Work[Integers] = zeros("rows")
    island: Work[Integers] = zeros("columns")
    island_rows: Work[Integers] = zeros("columns")
    island_light: Work[Vector] = zeros("columns")
    island_heavy: Work[Vector] = zeros("columns")
    """Another group with which points that touch join each of joints, or its own; how many rows these points have; and
    the least and the largest mass there."""
    ahead: Work[Vector] = zeros("lines")
    """In a time step: the gaps in its middle without forces. The rates of gaps and slips in its beginning, and in its
    end if nothing accelerated."""
    setting_out: Work[Vector] = zeros("lines")
    coasting: Work[Vector] = zeros("lines")
    room: Work[Vector] = zeros("points")
    """What a point may approach more in a step than not at all."""
    left: Work[Vector] = zeros(2)
    """The largest residual of a problem that was solved nearly; and the energy that all of them may have misplaced."""
    after: Work[Vector] = zeros("lines")
    """What the forces over a step make of the rates, over its length."""
    lost: Work[Vector] = zeros(1)
    """What contacts take away in a step in which bodies meet; nothing in others."""


OPEN, CLOSED, STICKING, INCIPIENT = range(4)
MOTION, CREEP, STANDSTILL = range(3)
PARTS, SLIPS, STOPS, SLIPS_ON = 1, 2, 3, 4
DEPARTS, HOLDS = 1, 2
KEPT = 3
"""What is told of a point that is open to all laws, and that joints alone keep closed."""
FREE, STILL, PRESSED = range(3)
"""A force along a row moves something, or joints move it; joints alone keep it still, or press bodies together."""


@compiled_apart
def observe_contacts(contacts: Contacts, t: float, q: Vector, v: Vector):
    """Gaps, the rates of gaps and slips, and γ at (t, q, v), which are those of bodies."""
    program, out = contacts.program, contacts.out
    evaluate(program.batch, VALUE, t, q, v, out)
    if contacts.bound_row.size > 0:
        evaluate(contacts.bounds, VALUE, t, q, v, contacts.factors)
    if contacts.drag_is_force.size > 0:
        evaluate(contacts.drag_sizes, VALUE, t, q, v, contacts.drag)
    read_rows(program, out, contacts.phi, contacts.nu, contacts.gamma)
    for row in range(program.rows):
        contacts.rate[row], contacts.parts[row] = -contacts.nu[row], abs(contacts.nu[row])
    speed, largest = contacts.group_speed, contacts.group_rate
    speed[:] = largest[:] = 0.0
    for k in range(contacts.velocity_group.size):
        g = contacts.velocity_group[k]
        if g >= 0:
            speed[g] = max(speed[g], contacts.arm[k] * abs(v[k]))
    for k in range(program.jac_to.size):
        e, entry = program.jac_to[k], out[program.jac_from[k]]
        row, column = program.jac_row[e], program.jac_column[e]
        contacts.rate[row] += entry * v[column]
        contacts.parts[row] += abs(entry) * speed[contacts.row_group[row]] / contacts.arm[column]
    for row in range(program.rows):
        g = contacts.row_group[row]
        largest[g] = max(largest[g], contacts.parts[row])


@compiled_apart
def put_rows(contacts: Contacts):
    """G from the last evaluation, and γ where bodies follow from joints."""
    program, out, rows, tr = contacts.program, contacts.out, contacts.rows, contacts.transformation
    value, k = rows.value, 0
    value[:] = 0.0
    if tr.edges > 0 and tr.deep == 0:
        terms = contacts.terms
        for term in range(terms.row.size):
            take_term(tr, terms, term, out, contacts.gamma)
            k = carry_to_ground(tr, terms.edge[term], value, contacts.goes_to, k)
    else:
        for k in range(contacts.goes_to.size):
            value[contacts.goes_to[k]] += out[program.jac_from[k]]
    for row in range(contacts.G.shape[0]):
        for e in range(rows.at[row], rows.at[row + 1]):
            contacts.G[row, rows.column[e]] = value[e]


class ContactsBuilder:
    """The index maps, laid out once; `fill` puts numbers in."""

    def __init__(
        self, model: Model, batch: Callable[[Sequence[Instance]], BatchBuilder], coordinates: KernelCoordinates,
        transformed: JointCoordinates | None, rows_of: Mapping[str, np.ndarray],
    ):  # fmt: skip
        """`rows_of` are the rows of joints in the system's matrix."""
        self.coordinates, self.conditions = coordinates, model.conditions
        gears = [e for e in model.conditions if isinstance(e, Gear) and e.pressure_angle != 0]
        rubs = any(isinstance(e, Friction) for e in model.frictions)
        self.separations = tuple(map(Separation, gears)) if rubs else ()
        """The forces that drive wheels apart, where friction depends on them."""
        self.elements: tuple[Contact | FrictionElement, ...] = (*model.contacts, *model.frictions, *self.separations)
        instances = [instance_of(*e.form(), e.markers, e.who, coordinates) for e in self.elements]
        self.program = ProgramBuilder(batch(instances), coordinates.layout.nv)
        self.terms = row_terms(transformed, self.program.layout) if transformed else NO_TERMS
        self.ways = transformed.ways if transformed else ()
        self.paths = velocity_paths(transformed.topology) if transformed else None
        """The columns on the way of each body to the ground, where bodies follow from joints."""
        self.points: list[tuple[Contact | FrictionElement, int]] = []
        """Whose each point is, and which one of it."""
        self.rows_of: dict[str, np.ndarray] = {}
        places, self.rows = [], 0
        for e in self.elements:
            gaps, size = (e.points, e.slip_directions) if isinstance(e, Contact) else (0, len(e.form()[0].rows))
            for k in range(gaps or 1):
                self.points.append((e, k))
                places.append((self.rows + k if gaps else -1, self.rows + gaps + size * k, size))
            self.rows_of[e.name] = np.arange(self.rows, self.rows + gaps + (gaps or 1) * size)
            self.rows += self.rows_of[e.name].size
        self.gap, self.slip, self.slips = np.array(places, dtype=np.int64).reshape(-1, 3).T.copy()
        self._put_bounds(model, batch, coordinates, rows_of)
        self._put_drags(model, batch, coordinates)
        components, _, _, bound_rows = self.bound
        presses = np.where(bound_rows > 0, components, 0) if components.size else np.zeros_like(self.gap)
        entries = np.cumsum([0, *((self.gap >= 0) + self.slips + presses)]).astype(np.int64)
        self.entry, self.entries = entries[:-1].copy(), int(entries[-1])
        ends = zip(entries[1:], presses, strict=True)
        self.normal_entries = np.array([k for end, n in ends for k in range(end - n, end)], dtype=np.int64)
        """The entries of the normal forces in joints."""
        many = np.diff(entries).tolist()
        self.switching = [e.who for (e, _), count in zip(self.points, many, strict=True) for _ in range(count)]
        """Whose each entry is."""
        self.decides, self.decided = self._decisions()

    def _decisions(self) -> tuple[np.ndarray, np.ndarray]:
        """The branch of each pair, and the point about which it decides; a bound does for all points of its element."""
        point, pairs, branch = self._point_of_row(), [], 0
        for place in self.bounds.places():
            own = [c for c, (e, _) in enumerate(self.points) if e is self._bounding[place.member]]
            for _ in place.layout["modes"]:
                pairs += [(branch, c) for c in own]
                branch += 1
        for place in self.program.batch.places():
            first = self.rows_of[self.elements[place.member].name][0]
            for rows in place.layout["decides"]:
                pairs += [(branch, c) for c in sorted({int(point[first + row]) for row in rows})]
                branch += 1
        decides, decided = np.array(pairs, dtype=np.int64).reshape(-1, 2).T.copy()
        return decides, decided

    def _point_of_row(self) -> np.ndarray:
        point = np.zeros(self.rows, dtype=np.int64)
        for c in range(len(self.points)):
            point[self.slip[c] : self.slip[c] + self.slips[c]] = c
            if self.gap[c] >= 0:
                point[self.gap[c]] = c
        return point

    def constant_by(self, e: sp.Expr) -> tuple[list[tuple[int, bool]], sp.Expr]:
        """The points that keep an expression constant, each by its gap while it is closed, or by its slip (True) while
        it sticks; and the constant. No points where the expression may be something else, too."""
        found = {q: point for q in e.atoms(Quantity) if (point := self._point_that_keeps(q)) is not None}
        constant = e.xreplace(dict.fromkeys(found, sp.S.Zero))
        known = all(isinstance(s, Parameter) for s in constant.free_symbols)
        return (sorted(found.values()) if known else []), constant

    def gap_in(self, e: sp.Expr) -> sp.Expr | None:
        """The factor by which an expression is the gap of a point, if it is that and nothing else."""
        quantities = e.atoms(Quantity)
        points, constant = self.constant_by(e)
        if len(quantities) != 1 or not points or constant != 0:
            return None
        (gap,) = quantities
        factor = e.diff(gap)
        known = gap.level == 0 and all(isinstance(s, Parameter) for s in factor.free_symbols)
        return factor if known else None

    def _point_that_keeps(self, quantity: Quantity) -> tuple[int, bool] | None:
        """The point of which this is the gap, its rate or the slip."""
        read, rated = quantity.measure, quantity.level == 1
        for c, (e, point) in enumerate(self.points):
            if isinstance(e, DryFriction) and rated and _is_same(read, e.measure):
                return c, True
            if not isinstance(e, Contact):
                continue
            own = e.measures()
            rows, first = [own[name] for name in e.row_names], e.points + e.slip_directions * point
            if _is_same(read, rows[point]):
                return c, False
            if rated and any(_is_same(read, one) for one in rows[first : first + e.slip_directions]):
                return c, True
        return None

    def _put_bounds(self, model: Model, batch: Any, coordinates: KernelCoordinates, rows_of: Any) -> None:
        forms = [(e, *bound_of(model, e)) for e in (*model.frictions, *self.separations)]
        rubbing = [e for e in self.elements if isinstance(e, Contact | Friction) and e.rubbing.is_read]
        curves = [(e, *e.forms()[1], e.markers) for e in rubbing]
        wanted = [*(form[:4] for form in forms), *curves]
        self._bounding = [e for e, *_ in wanted]
        self.bounds = batch([instance_of(form, slots, at, e.who, coordinates) for e, form, slots, at in wanted])
        begins = {place.member: place.out for place in self.bounds.places()}
        begun = {e.name: begins[len(forms) + k] for k, (e, *_) in enumerate(curves)}
        at = [begun[e.name] + 2 * k if e.name in begun else -1 for e, k in self.points]
        self.curve = np.array(at, dtype=np.int64)
        found = {}
        for k, (e, _, _, _, components) in enumerate(forms):
            rows: Any = rows_of[e.joint] if isinstance(e, Friction | Separation) else ()
            found[e.name] = components, begins[k], rows[0] if len(rows) else -1, len(rows)
        told = [found.get(e.name, (0, 0, -1, 0)) for e, _ in self.points] if wanted else []
        self.bound: Any = [*np.array(told, dtype=np.int64).reshape(-1, 4).T.copy()]

    def _put_drags(self, model: Model, batch: Any, coordinates: KernelCoordinates) -> None:
        rubbing = [e for e in model.forces if isinstance(e, CompliantContact | SmoothFriction) and e.size_is_read]
        forms = [(*e.size_reading, e) for e in rubbing]
        self.drag_sizes = batch([instance_of(form, slots, at, e.who, coordinates) for form, slots, at, e in forms])
        sizes = [(forms[p.member][-1], p.layout["values"]) for p in self.drag_sizes.places()]
        self.drags = [e for e, count in sizes for _ in range(count)]
        """The element of each size in `drag_sizes`."""
        self.drag_is_force = np.array([isinstance(e, SmoothFriction) for e in self.drags], dtype=np.int64)

    def fill(
        self, number: Evaluator, transformation: Transformation, functions: np.ndarray, pattern: Pattern, state: int,
        asks: int, length: float, masses: Mapping[Body, tuple[float, float]], of_columns: np.ndarray,
        coupled: np.ndarray, far: bool,
    ) -> Contacts:  # fmt: skip
        """`pattern` is that of the system's matrix; `state` is how many numbers q and v are; `asks`: GIVEN, ...; the
        length of the model, and of its bodies the mass and the largest moment of inertia over the squared length; the
        mass of each column, and its group, which rows of joints and entries of M couple; and whether some masses
        may be far apart."""
        program, bounds, points = self.program.fill(number), self.bounds.fill(number), len(self.points)
        laws = [[number(n) for n in e.laws] for e, _ in self.points]
        at, column, place = self._places(transformation, pattern.n)
        rows = block(Rows(at, column), entries=column.size)
        proximal = nothing(Proximal)
        if asks == STEPS and points:
            own = block(Laws(self.gap, self.slip, self.slips, *self.bound))
            proximal = new_proximal(pattern, rows, own, self.rows)
        guards = self.entry, self.entries, self.decides, self.decided
        index = self.gap, self.slip, self.slips, self._point_of_row(), bounds, *self.bound, *guards
        drags = self.drag_sizes.fill(number), self.drag_is_force
        ranges = *self.mass_ranges(masses), of_columns
        numbers = *np.array(laws).reshape(-1, 4).T.copy(), *drags, self.arms(length), *ranges
        groups = self._groups(at, column, pattern, coupled)
        coupling: Any = *groups, coupled.astype(np.int64), FEW
        known: Any = program, transformation, self.terms, rows, place, proximal, *index, functions, self.curve, *numbers
        contacts: Contacts = Contacts(*known, *coupling)
        many = asks == GIVEN or (asks == STEPS and self.rows > FEW)
        some = min(self.rows, SOME) if asks == STEPS and far else 0
        dense, few = (some, min(some, points)) if many else (self.rows, points)
        sizes = {"lines": self.rows, "dense": dense, "points": points, "columns": pattern.n, "rows": pattern.m}
        sizes |= {"full": 0, "square": 0} if many else {"full": self.rows, "square": dense + few}
        sizes["groups"] = 1 + max((int(one.max()) for one in groups if one.size), default=0)
        sizes |= {"unknowns": dense, "laws": 2 * few, "laws_and_one": 2 * few + 1, "bounds": 3 * few}
        sizes |= {"equations": max(dense + few, self.rows), "components": 3 * points}
        sizes |= {"outputs": program.batch.out_size + 1, "factors": bounds.out_size + 1}
        sizes |= {"drags": self.drag_sizes.out_size + 1}
        return block(contacts, note=NOTED + self.rows + state, **sizes)

    def mass_ranges(self, masses: Mapping[Body, tuple[float, float]]) -> np.ndarray:
        """Return the least and the largest mass, for each point, of the bodies that it touches and of those that joints
        connect with them, as an array of shape (2, points); (inf, 0) where no such body has a mass."""
        if not self.points:
            return np.zeros((2, 0))
        groups = [{body} for body in masses]
        for joined in [{marker.body for marker in e.markers} & masses.keys() for e in self.conditions]:
            met = [group for group in groups if group & joined]
            groups = [group for group in groups if not group & joined] + [set[Body]().union(*met)] * bool(met)
        found = np.tile([[np.inf], [0.0]], len(self.points))
        for k, (e, _) in enumerate(self.points):
            touched = {marker.body for marker in e.markers}
            near = [masses[body] for group in groups if group & touched for body in group if masses[body][0] > 0.0]
            if near:
                found[:, k] = min(mass for mass, _ in near), max(map(max, near))
        return found

    def _groups(self, at: np.ndarray, column: np.ndarray, pattern: Pattern, coupled: np.ndarray) -> list[np.ndarray]:
        """Return the groups of points, rows, columns, velocities of bodies and edges: those of columns, `coupled`, that
        rows of contacts and the normal forces of frictions in joints join."""
        if not self.points:
            return [np.zeros(0, dtype=np.int64)] * 5
        row = np.repeat(np.arange(self.rows), np.diff(at))
        point = self._point_of_row()
        ends = [(point[row], coupled[column])]
        for c, (first, many) in enumerate(zip(*self.bound[2:], strict=True)):
            presses = coupled[pattern.jac_column[(pattern.jac_row >= first) & (pattern.jac_row < first + many)]]
            ends.append((np.full(presses.size, c), presses))
        one, other = (np.concatenate(part) for part in zip(*ends, strict=True))
        points, many = len(self.points), int(coupled.max(initial=-1)) + 1
        shape = points + many, points + many
        _, joined = connected_components(csr_matrix((np.ones(one.size), (one, points + other)), shape), directed=False)
        of_points, of_columns = joined[:points].astype(np.int64), joined[points:][coupled].astype(np.int64)
        layout, moving = self.coordinates.layout, np.full(self.coordinates.all_weights(1.0).size, -1)
        if self.paths is None:
            moving[: layout.nv] = of_columns
        else:
            for body, way in self.paths.items():
                if body in layout.v and way.size:
                    moving[list(layout.v[body])] = of_columns[way[-1]]
        edges = [of_columns[way[0]] if way.size else -1 for way in self.ways]
        return [of_points, of_points[point], of_columns, moving.astype(np.int64), np.array(edges, dtype=np.int64)]

    def arms(self, length: float) -> np.ndarray:
        """Of every velocity the way of a point per unit of it."""
        return np.sqrt(self.coordinates.all_weights(length))

    def _places(self, tr: Transformation, columns: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Where rows begin, the columns of entries, and where each output, or term along its path, goes."""
        layout = self.program.layout
        row, column = layout["jac_row"][layout["jac_to"]], layout["jac_column"][layout["jac_to"]]
        if tr.edges > 0 and tr.deep == 0:
            ways = [self.ways[e] for e in self.terms.edge]
            row = np.repeat(self.terms.row, [way.size for way in ways])
            column = np.concatenate([np.zeros(0, dtype=np.int64), *ways])
        point = self._point_of_row()
        keys = np.unique(point[row] * columns + column)
        begins = np.searchsorted(keys, np.arange(len(self.points) + 1) * columns)
        at = np.cumsum([0, *np.diff(begins)[point]]).astype(np.int64)
        own = [keys[begins[c] : begins[c + 1]] - c * columns for c in point]
        place = at[row] + np.searchsorted(keys, point[row] * columns + column) - begins[point[row]]
        return at, np.concatenate([keys[:0], *own]).astype(INDEX), place.astype(INDEX)


def _is_same(one: Measure, other: Measure) -> bool:
    """Whether two measures read the same."""
    return (one.kind, one.markers, one.own) == (other.kind, other.markers, other.own)


def bound_of(model: Model, element: FrictionElement) -> tuple[Form, Any, tuple[Marker, ...], int]:
    """What bounds a friction: a reading, what stands in its slots, its markers, and how many components b has. Of a
    joint, for each direction that presses and each row, the force for a multiplier of 1."""
    if isinstance(element, Separation):
        form, slots = element.bound
        return form, slots, element.markers, 1
    if not isinstance(element, Friction):
        form, slots = element.forms()[1]
        return form, slots, element.markers, 1
    joint = next(c for c in model.conditions if c.name == element.joint)
    relation, slots = joint.form()
    wrenches, size = joint_wrenches(relation), joint.dimension
    values = sp.Matrix(relation.size, len(wrenches.values) // relation.size, wrenches.values)
    width = values.cols // len(relation.markers)
    force = values[:, width * joint.second : width * joint.second + size]
    presses = element.normal(*relation.markers[:2])
    found = [sum(n[k] * force[row, k] for k in range(size)) for n in presses for row in range(relation.size)]
    used = {s: n for s, n in element.form()[1].items() if s not in slots and any(e.has(s) for e in found)}
    form = replace(wrenches, values=tuple(map(sp.sympify, found)), slots=(*wrenches.slots, *used))
    return form, {**slots, **used}, joint.markers, len(presses)
