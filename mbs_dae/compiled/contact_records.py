"""Records of contacts in compiled code, one record for each subject.

A *point* is a place where two bodies may touch, or a friction in a joint or on a measure. Each point has a row for its
gap, if it has one, and a row for each direction of its slip. `Contacts` holds the rows, the states of points and the
forces, and the records of all other subjects. A point is called c, a row of contacts `row`, a row in use i (its number
is `delassus.used[i]`), a group g.
"""

from typing import NamedTuple

from ..kernels.blocks import Design, Indices, Integers, Matrix, Vector, Work, zeros
from ..linear.complementarity import Complementarity
from ..linear.partition import LawPartition
from ..linear.rows import Rows
from ..linear.springs import Proximal
from .batch import Batch
from .program import Program
from .tree.transformation import RowTerms, Transformation

LOG = 64
"""The number of impacts that a run notes before it hands them over."""

OPEN, CLOSED, STICKING, INCIPIENT = range(4)
"""States of a point: no force; closed, and slipping if it has friction; sticking; beginning to slip in space."""
MOTION, CREEP, STANDSTILL = range(3)
"""States of a group of bodies."""
PARTS, SLIPS, STOPS, SLIPS_ON = 1, 2, 3, 4
"""Changes that a point has just begun."""
DEPARTS, HOLDS = 1, 2
"""States of a slip at a dead centre."""
KEPT = 3
"""The state that results show for a point that joints alone keep closed."""
SHARES_MOVE, SHARES_CHANGE = 1, 2
"""SHARES_MOVE: the motion depends on how contacts share forces. SHARES_CHANGE: only the instants at which contacts
change depend on it."""
FREE, STILL, PRESSED = range(3)
"""A row that forces or joints may move; one that joints keep still; one along which joints press bodies together."""


class ContactCalls(NamedTuple):
    """Addresses of the functions in `motion.contact` that a run calls; 0 for models without contacts, for which they
    are not compiled. Each is called with a block and the arrays named here."""

    push: int
    """`forces.push`, mechanism (a): add the forces of contacts while their states hold."""
    contact_powers: int
    """`forces.contact_powers`, mechanism (work): add their powers."""
    keep_closed: int
    """`keeping.keep_closed`, mechanism (q, v): put closed contacts back onto their gaps."""
    choose_states: int
    """`states.choose_states`, mechanism (q, v, a): choose the states of all points."""
    strike: int
    """`impacts.strike`, search (y, dy): an impact."""
    find_constrained_held: int
    """`constrained.find_constrained_held`, mechanism (): find the rows that joints alone keep as they are, where states
    are known."""


class ContactTree(NamedTuple):
    """The maps from rows over the velocities of bodies to rows over the velocities of joints."""

    transformation: Transformation
    terms: RowTerms
    entry_place: Indices
    """The place in `Contacts.rows` to which each output of the program goes, or each term along its path."""


class ContactPoints(NamedTuple):
    """Points, rows and switching functions, by their numbers."""

    of_row: Integers
    """The point of each row."""
    entry: Integers
    """The first switching function of each point: that of its gap, then those of its slips, then the components of its
    normal force in a joint."""
    entries: int
    branch: Integers
    """Branches of expressions (those of `normals.readings`, then those of the program) that decide about a point."""
    decided_point: Integers
    """The point about which each of these branches decides."""
    few: int
    """The largest number of rows for which steps over many contacts use elimination."""


class ContactLaws(NamedTuple):
    """Coefficients of restitution and friction."""

    coefficient: Integers
    """The output of `normals.readings` that is the coefficient of sliding of a point, before that of rest; -1 if both
    are constant."""
    restitution: Design[Vector]
    friction: Design[Vector]
    """The coefficient of sliding of each point."""
    static: Design[Vector]
    """The coefficient of rest of each point."""
    smooth: Design[Vector]
    """The speed of slip over which friction that never sticks builds up, in units of the row; 0 for dry friction;
    negative for a force that acts in the direction of the row at all times."""
    drag_sizes: Batch
    """Readings of the sizes of friction that never sticks and belongs to no point."""
    drag_is_force: Integers
    """1 for each of these sizes that is a force, 0 for a coefficient."""
    sizes: Work[Matrix] = zeros("points", 2)
    """The coefficients of sliding and of rest of each closed point, or the forces in their place, at `sizes_time`; 0 if
    they are constant."""
    sizes_time: Work[Vector] = zeros(1)
    largest_sizes: Work[Vector] = zeros("points")
    """The largest of these sizes in the run."""
    drag: Work[Vector] = zeros("drags")
    """The sizes of friction that never sticks, at the last evaluation."""
    largest_drag: Work[Vector] = zeros("drags")
    """The largest of each in the run."""


class NormalForces(NamedTuple):
    """Normal forces of points without a gap: friction is bounded by μ |b + B f|, with forces f along the rows in use.
    A joint has up to three components of b."""

    readings: Batch
    """Expressions of the factors below, and of coefficients of friction that change."""
    components: Integers
    """The number of components of b of each point."""
    output: Integers
    """The first output of `readings` of each point: factors of multipliers, or two sizes, of sliding and of rest."""
    first_row: Integers
    """The first row of the system whose multiplier counts, -1 if there is none."""
    row_count: Integers
    """The number of such rows; 0 if the outputs themselves are the sizes."""
    factors: Work[Vector] = zeros("factors")
    """The outputs of `readings`."""
    b: Work[Vector] = zeros("components")
    B: Work[Matrix] = zeros("components", "dense")
    direction: Work[Vector] = zeros("components")
    """The unit vector of b + B f."""
    value: Work[Vector] = zeros("components")
    """The components of b + B f at the last accelerations."""
    fixed_direction: Work[Vector] = zeros("components")
    """The direction that is kept during a step, 0 if there is none."""
    end_value: Work[Vector] = zeros("components")
    """The components at the end of the step, or the direction that replaces the one kept."""
    noise: Work[Vector] = zeros("points")
    """The size of a normal force below which its direction is roundoff."""
    vanishing_size: Work[Vector] = zeros("points")
    """The size below which a normal force has vanished, if it was at right angles to the direction kept; else 0."""


class ContactGroups(NamedTuple):
    """Groups of bodies that joints, masses and contacts couple; the ground couples nothing. The accelerations of one
    group do not depend on those of another. A group is -1 for what stands still."""

    of_point: Integers
    of_row: Integers
    of_column: Integers
    """The group of each column of the system's matrix."""
    of_velocity: Integers
    """The group of each velocity of bodies."""
    of_edge: Integers
    """The group of each edge of the tree of joints."""
    joint_group: Integers
    """The group of each column, when contacts couple nothing."""
    arm: Design[Vector]
    """The speed of a point for a unit of each velocity of bodies: a length if it is a rate of rotation, else 1."""
    lightest: Design[Vector]
    """The least mass of the bodies that each point touches and of those that joints connect with them; bodies without
    mass do not count."""
    heaviest: Design[Vector]
    """The largest of these masses, and of moments of inertia over the squared length of the model."""
    column_mass: Design[Vector]
    """The mass that each column moves, or its moment of inertia over the squared length of the model."""
    speed: Work[Vector] = zeros("groups")
    """The speed of the fastest point of bodies."""
    rate: Work[Vector] = zeros("groups")
    """The largest `motion.rate_size` of its rows."""
    pace: Work[Vector] = zeros("groups")
    """The acceleration that the largest load of the group gives its heaviest body; in an impact, the speed of the
    group."""
    mass: Work[Vector] = zeros("groups")
    """The largest mass."""
    sticking_trial: Work[Integers] = zeros("groups")
    """1 while slips that have just passed their bound may stick again, because friction at a dead centre may hold them;
    0 otherwise; -1 after such a trial has failed, until another guard passes zero."""
    rest: Work[Integers] = zeros("groups")
    """MOTION, CREEP (slow bodies) or STANDSTILL."""
    holds: Work[Integers] = zeros("groups")
    """1 if friction at its bound holds a point at a dead centre."""
    accelerates: Work[Integers] = zeros("groups")
    """1 if forces leave something to accelerate."""
    differs: Work[Integers] = zeros("groups")
    """1 if departures of its points differ from those that the forces demand."""
    net_force: Work[Vector] = zeros("groups")
    """The largest force that is left to accelerate bodies."""
    force_size: Work[Vector] = zeros("groups")
    """The largest force of which the net force is the sum."""


class ContactMotion(NamedTuple):
    """Gaps and slips of all rows at the last evaluation."""

    outputs: Work[Vector] = zeros("outputs")
    """The outputs of the program."""
    phi: Work[Vector] = zeros("lines")
    """Gaps."""
    nu: Work[Vector] = zeros("lines")
    gamma: Work[Vector] = zeros("lines")
    rate: Work[Vector] = zeros("lines")
    """Rates of gaps, and slips: G v - ν."""
    rate_size: Work[Vector] = zeros("lines")
    """The size of the terms of these rates, by the fastest point of the group."""


class DelassusEquations(NamedTuple):
    """Rates along the rows in use by the forces (or impulses) along them: w = W f + w0, with W = G M̃⁻¹ Gᵀ."""

    G: Work[Matrix] = zeros("full", "columns")
    """All rows as a full matrix, if W is dense for all of them."""
    used: Work[Integers] = zeros("lines")
    """The numbers of the rows in use."""
    used_count: Work[Integers] = zeros(1)
    """The number of rows in use."""
    response: Work[Matrix] = zeros("dense", "columns")
    """The accelerations by a unit force along each row in use."""
    multipliers: Work[Matrix] = zeros("dense", "rows")
    """The multipliers of joints by a unit force along each row in use."""
    W: Work[Matrix] = zeros("dense", "dense")
    mobility: Work[Vector] = zeros("lines")
    """The acceleration along each row by a unit force along it if no joint held a body."""
    squared_length: Work[Vector] = zeros("lines")
    """The squared length of each row in the norm of displacements, if no joint held a body."""
    f: Work[Vector] = zeros("columns")
    """The right side of the system's equations, forces on bodies; then their solution without contacts."""
    g: Work[Vector] = zeros("rows")
    """The right side of the system's equations, accelerations of joints; then the multipliers without contacts."""
    amount: Work[Vector] = zeros("lines")
    """The forces, or impulses, along the rows in use."""
    amount_tail: Work[Vector] = zeros("lines")
    """The second parts of the forces along the rows in use, small compared with the first."""
    rate_change: Work[Vector] = zeros("lines")
    """The changes of the rates along the rows in use by impulses: W f."""
    force_size: Work[Vector] = zeros("lines")
    """The force along each row that would stop all terms of its acceleration, those of other contacts included."""


class ConstrainedRows(NamedTuple):
    """Rows that joints alone keep as they are: G = c Φ_v."""

    state: Work[Integers] = zeros("lines")
    """FREE, STILL or PRESSED."""
    known: Work[Integers] = zeros("points")
    """Not 0 for each point of which the states of rows are known (`motion.contact.constrained`)."""
    reported: Work[Integers] = zeros("points")
    """1 for each point whose gap joints have kept at some time in the run."""
    displacement: Work[Vector] = zeros("columns")
    """The displacement that joints leave of a row."""
    combination: Work[Vector] = zeros("rows")
    """c of the row that was looked at last."""
    combinations: Work[Matrix] = zeros("lines", "rows")
    """c of each slip that depends on joints, at the pose at which it was looked at last."""


class StateChoice(NamedTuple):
    """The choice of the states of points, and the changes by an impact."""

    previous: Work[Integers] = zeros("points")
    """The states before the last choice."""
    changed: Work[Integers] = zeros(1)
    """1 if the last choice has changed a state."""
    closed_count: Work[Integers] = zeros(1)
    """The number of points that are not open."""
    closed_only: Work[Integers] = zeros(1)
    """1 if rows of open points need no evaluation: within steps whose ends are looked at."""
    touching: Work[Integers] = zeros("points")
    slipping: Work[Integers] = zeros("points")
    """1 for a point that slips, 2 for one that begins to slip in space."""
    meeting: Work[Integers] = zeros("points")
    """1 for a point at which bodies meet in an impact."""
    lands: Work[Integers] = zeros("points")
    """1 for a point whose bodies part by less than can be seen after an impact."""
    began: Work[Integers] = zeros("points")
    """The change that a point has just begun: PARTS, SLIPS, STOPS; or SLIPS_ON, if a slip in a plane goes on while
    other points change. States are chosen with it as it is."""
    departure: Work[Integers] = zeros("points")
    """DEPARTS if a slip at a dead centre begins, HOLDS if friction at its bound prevents it, else 0. HOLDS lasts until
    states are chosen again (`motion.contact.departure`)."""
    pace: Work[Vector] = zeros(1)
    """The size of the terms of rates at the last choice of states."""
    jump_pace: Work[Vector] = zeros(1)
    """The size of the terms of rates before an impact, until states are chosen behind it; else 0."""
    has_jumped: Work[Integers] = zeros(1)
    """1 while states are chosen behind a jump of velocities (an impact, a `Reset`) or at the first state: no state
    before it counts."""
    point_pace: Work[Vector] = zeros("points")
    """The size of the terms of rates in the group of each point at the last choice."""
    status: Work[Integers] = zeros(1)
    ambiguities: Work[Integers] = zeros(2)
    """How often forces at the end of a step did not follow from one regular system of equations: contacts that depend
    on each other shared forces which change the motion (`SHARES_MOVE`), and forces on which only changes of contacts
    depend (`SHARES_CHANGE`)."""
    shared: Work[Integers] = zeros(1)
    """`SHARES_MOVE` or `SHARES_CHANGE` if contacts share forces at the last evaluation, and the motion or changes of
    contacts depend on the shares; else 0."""
    weight: Work[Vector] = zeros("points")
    """The weight of each point among points that share a load."""
    largest_friction: Work[Vector] = zeros("points")
    """The largest friction of a point that sticks."""
    in_turn: Work[Integers] = zeros(1)
    """1 if impacts at one instant pass from point to point, 0 if they are solved together."""
    rest_time: Work[Vector] = zeros(1)
    """The time at which a motion that bounces has come to rest."""


class SlipDirections(NamedTuple):
    """Directions of slips, and of those that begin or end."""

    heading: Work[Vector] = zeros("lines")
    """The direction in which a point slips: a unit vector over its rows of slip."""
    end_slip: Work[Vector] = zeros("lines")
    """The slip at the end of a step; in time stepping, at its beginning."""
    largest_speed: Work[Vector] = zeros("points")
    """The largest slip of a point since it began, at the beginnings of accepted steps."""
    end_speed: Work[Vector] = zeros("points")
    """The size of the slip at the end of the last step."""
    vanishing_speed: Work[Vector] = zeros("points")
    """The size of a slip that is over."""
    holds_direction: Work[Integers] = zeros("points")
    """Not 0 if a slip in space keeps its direction during a step: 1 if it is almost over, 2 if it goes straight on
    (`motion.contact.incipient`)."""
    straight: Work[Integers] = zeros("points")
    """1 if a slip would go straight on over the next step."""
    departure_rate: Work[Vector] = zeros("points")
    """|β|: the rate at which the slip of a point at a dead centre would begin without its own friction."""
    acceleration: Work[Vector] = zeros("lines")
    """σ = G v̇ - γ of each slip that may begin near a dead centre."""
    stopped_heading: Work[Vector] = zeros("lines")
    """The heading of each slip that has just stopped, else 0."""
    friction_direction: Work[Vector] = zeros("lines")
    """The direction of friction of a slip that begins in space."""
    friction_deficit: Work[Vector] = zeros("points")
    """The force by which friction is less than its bound there."""
    longest_step: Work[Vector] = zeros(1)
    """The longest step that resolves the directions of slips."""


class StateEquations(NamedTuple):
    """The linear equations of forces while states hold: gaps stay closed, slips stick, others have their friction."""

    unknown: Work[Integers] = zeros("equations")
    """The row in use of each unknown; -1 - c for the normal force of point c, and -1 - points - c for the deficit of
    its friction, if the slip begins in space."""
    order: Work[Integers] = zeros("equations")
    """The order of pivots."""
    matrix: Work[Matrix] = zeros("square", "square")
    right: Work[Vector] = zeros("equations")
    units: Work[Matrix] = zeros(2, "equations")
    """The units of equations and of unknowns in which pivots are compared."""
    solution: Work[Vector] = zeros("equations")
    solution_tail: Work[Vector] = zeros("equations")
    """The second parts of the unknowns."""
    correction: Work[Vector] = zeros("equations")
    residual_tail: Work[Vector] = zeros("equations")
    """The second parts of residuals."""
    balancing_size: Work[Vector] = zeros("equations")
    """The size of each unknown that would balance all terms of its equation."""
    uncorrected: Work[Vector] = zeros("equations")
    """The unknowns before corrections."""


class ForceCorrections(NamedTuple):
    """Corrections of forces with twice the digits, if masses or forces are far apart (`contact.corrections`)."""

    offset: Work[Vector] = zeros("lines")
    """The part of the rate along each row in use that no acceleration (in an impact: no jump of velocities) makes."""
    offset_tail: Work[Vector] = zeros("lines")
    """The second part of `offset`."""
    rate_tail: Work[Vector] = zeros("lines")
    """The second parts of the rates of all rows before an impact."""
    lightest: Work[Vector] = zeros("lines")
    """The least mass of the bodies whose accelerations depend on a force along each row in use."""
    heaviest: Work[Vector] = zeros("lines")
    """The largest of these masses."""
    free_force: Work[Vector] = zeros("lines")
    """The force along each row in use that would stop all terms of its acceleration without contacts."""
    is_unknown: Work[Integers] = zeros("lines")
    """1 if the force along a row in use is an unknown, 0 if it is the friction of a slip."""
    no_tail: Work[Vector] = zeros("lines")
    """Zeros: second parts of forces that have none."""
    acceleration_tail: Work[Vector] = zeros("columns")
    """The second parts of the last sum of responses."""
    multiplier_tail: Work[Vector] = zeros("rows")
    acceleration_step: Work[Vector] = zeros("columns")
    """A correction of accelerations."""
    multiplier_step: Work[Vector] = zeros("rows")
    force_size: Work[Vector] = zeros("lines")
    """The size of the force along each row in use; for a gap that opens, the force that would stop its heaviest
    body."""
    squared_force: Work[Vector] = zeros("lines")
    """Its square in units of the row, if the force is an unknown; else 0."""
    squared_load: Work[Vector] = zeros("lines")
    """The square, in units of the row, of the larger one of the force and of `free_force`."""
    neighbourhood: Work[Integers] = zeros("lines")
    """The number of the neighbourhood of each row in use: rows that entries of W connect, directly or over others."""
    largest_force: Work[Vector] = zeros("lines")
    """The largest `squared_load` of each neighbourhood."""
    is_spread: Work[Integers] = zeros("lines")
    """1 for a neighbourhood with forces so small compared with the largest one that plain numbers lose their digits."""
    corrected: Work[Integers] = zeros(1)
    """1 if the last forces, or impulses, were corrected together with the accelerations."""
    uncertain: Work[Integers] = zeros(1)
    """1 if forces between masses far apart remain uncertain."""


class ContactSteps(NamedTuple):
    """Forces over whole steps (time stepping)."""

    by_elimination: Work[Integers] = zeros("points")
    """1 for each touching point that the dense matrix has."""
    own_column: Work[Integers] = zeros("columns")
    """1 for accelerations that depend on these points alone."""
    own_row: Work[Integers] = zeros("rows")
    """1 for multipliers that depend on these points alone."""
    island: Work[Integers] = zeros("columns")
    """The parent of each group of joints in the union of groups that touching points connect; a root is its own
    parent."""
    island_rows: Work[Integers] = zeros("columns")
    """The number of rows of these points."""
    island_light: Work[Vector] = zeros("columns")
    """The least mass in an island."""
    island_heavy: Work[Vector] = zeros("columns")
    """The largest mass in an island."""
    middle_gap: Work[Vector] = zeros("lines")
    """The gaps in the middle of the step without forces of contacts."""
    start_rate: Work[Vector] = zeros("lines")
    """The rates of gaps and slips at the beginning of the step."""
    free_rate: Work[Vector] = zeros("lines")
    """The rates at its end if nothing accelerated."""
    margin: Work[Vector] = zeros("points")
    """The rate at which each gap may still close at the end of the step; negative if the gap has to open."""
    rate_change: Work[Vector] = zeros("lines")
    """The rates at the end of the step, and behind gaps their margin, over the length of the step."""
    residual: Work[Vector] = zeros(2)
    """The largest residual of a problem that was solved nearly; and the energy that all of these may have misplaced."""
    energy_loss: Work[Vector] = zeros(1)
    """The mean power that contacts take away in the last step, in W."""


class ImpactLog(NamedTuple):
    """The impacts of a run, one row each, until Python reads them (`motion.contact.reports.impact_rows`)."""

    filled: Work[Integers] = zeros(1)
    """The number of impacts in the log."""
    time: Work[Vector] = zeros(LOG)
    energy_loss: Work[Vector] = zeros(LOG)
    rest_time: Work[Vector] = zeros(LOG)
    """The time at which a motion that bounces comes to rest behind the impact; 0 if it goes on."""
    impulse: Work[Matrix] = zeros(LOG, "lines")
    """The impulses along the rows of contacts."""
    rate_change: Work[Vector] = zeros(LOG)
    """The largest change of a rate by these impulses."""
    before: Work[Matrix] = zeros(LOG, "state")
    """(q, v, a) before the impact."""
    after: Work[Matrix] = zeros(LOG, "state")
    """(q, v, a) behind it."""


class Contacts(NamedTuple):
    """All that a run knows of contacts."""

    program: Program
    """The expressions of gaps and slips, with ν and γ."""
    tree: ContactTree
    rows: Rows
    """G, row by row; all rows of a point have entries in the same columns."""
    proximal: Proximal
    """The laws of many contacts over a step."""
    calls: ContactCalls
    gap_row: Integers
    """The row of the gap of each point, -1 if it has none."""
    slip_row: Integers
    """The first row of slip of each point."""
    slip_count: Integers
    """The number of rows of slip of each point."""
    points: ContactPoints
    laws: ContactLaws
    normals: NormalForces
    groups: ContactGroups
    state: Work[Integers] = zeros("points")
    """OPEN, CLOSED, STICKING or INCIPIENT."""
    force: Work[Vector] = zeros("lines")
    """The force along each row at the last evaluation."""
    motion: ContactMotion = ContactMotion()
    delassus: DelassusEquations = DelassusEquations()
    problem: Complementarity = Complementarity()
    """The laws of contact for the rows in use."""
    partition: LawPartition = LawPartition()
    constrained: ConstrainedRows = ConstrainedRows()
    choice: StateChoice = StateChoice()
    sliding: SlipDirections = SlipDirections()
    equations: StateEquations = StateEquations()
    corrections: ForceCorrections = ForceCorrections()
    steps: ContactSteps = ContactSteps()
    impact_log: ImpactLog = ImpactLog()
