"""The record of a system in motion: its equations, the spans of its state, and the branches of its laws."""

from typing import NamedTuple

from ..compiled.contact_records import Contacts
from ..compiled.dynamics import SCALARS, Dynamics
from ..compiled.machine import Machine
from ..compiled.signals import Signals
from ..coordinates import Layout
from ..kernels.blocks import Design, Integers, Matrix, Vector, Work, block, ones, zeros
from ..linear.kkt import Factor, Pattern
from ..symbolic.loads import WORKS

WORK = len(WORKS)
"""The number of works in the state."""
SLIDE, RETURN = 0, 1
"""Places in `Switches.functions`."""
NEAREST, NORM_RATIO, INDEPENDENCE, CHOSEN = range(4)
"""Places in `Mechanism.nearness`."""


class StateLayout(NamedTuple):
    """The spans of y: q is y[:q_end], with the signals from z_at on; v is y[v_at:v_end], the works are y[works_at:]. A
    further part of y has its span here, and readers of the others need not change."""

    z_at: int
    q_end: int
    v_at: int
    v_end: int
    works_at: int
    size: int


def state_layout(layout: Layout) -> StateLayout:
    """Return the layout for coordinates q and v, those of the ground included, and the works."""
    v_end, z_at = layout.q_size + layout.v_size, layout.q_size - len(layout.signals)
    return block(StateLayout(z_at, layout.q_size, layout.q_size, v_end, works_at=v_end, size=v_end + WORK))


class Switches(NamedTuple):
    """The switching functions of laws (of constraints, of forces, and of sizes of friction), then those of the gaps and
    slips of contacts, then the guards of contacts."""

    kinds: Integers
    """The kind of each switching function: SIDE, WHOLE, WATCH, RANGE, or a kind of contacts."""
    functions: Integers
    """The addresses of the functions that hold a motion on surfaces and return it to them (`sliding`), which are
    compiled only where they are used."""
    blind: Integers
    """1 where partial derivatives are not known: for functions in Python."""
    of_events: Integers
    """1 for the functions of events, which act on nothing: the search within steps ignores them (`watched_events` uses
    them)."""
    acting: int
    """The number of functions of laws that are not those of events."""
    mode: Work[Vector] = zeros("switches")
    """The sign, integer or mixture that is held for each switching function."""
    value: Work[Vector] = zeros("switches")
    """The switching functions at the last evaluation."""
    rate: Work[Vector] = zeros("switches")
    """The rates of the switching functions along the motion."""
    guard: Work[Vector] = zeros("switches")
    """The guards at the last evaluation."""
    reads_events: Work[Integers] = zeros(1)
    """1 while the functions of events are examined, and they alone."""
    free: Work[Integers] = zeros("switches")
    """1 where nothing depends on a branch: that of the gap of an open point. Such a branch follows from the state, as
    everywhere outside runs, and its mode is nan."""
    slides: Work[Integers] = zeros("switches")
    """1 where the motion is held on the surface."""
    sliding: Work[Integers] = zeros(1)
    """The number of slides."""
    leads: Work[Integers] = zeros("switches")
    """The first of the laws that switch on one surface, whose mixture all have."""
    turn: Work[Integers] = zeros("switches")
    """-1 where g of a law has the other sign than that of the first one, else 1."""
    responding: Work[Integers] = zeros("switches")
    """1 for each law whose response to modes is needed."""
    now: Work[Vector] = zeros(1)
    """The time of the evaluation."""
    status: Work[Integers] = zeros(1)
    """The status of the evaluation."""
    scale: Work[Vector] = zeros("switches")
    """The size of the terms of which each switching function is made: roundoff is relative to it."""
    way: Work[Vector] = zeros("ways")
    """(q̇, v̇, 1), in the coordinates of kernels."""
    place: Work[Vector] = zeros("own")
    """A state a little earlier or later, q and v; and q̇."""
    slope: Work[Matrix] = zeros("laws", "laws")
    """The changes of the rates of slides with their modes."""
    unknown: Work[Vector] = zeros("switches")
    """The modes that are solved for, before that the negative rates."""
    dy: Work[Vector] = zeros("width")
    """The derivative of the state."""
    dy_other: Work[Vector] = zeros("width")
    """The derivative with other mixtures."""


class Mechanism(NamedTuple):
    """A system in motion: constraints, masses and forces, and work space."""

    machine: Machine
    dynamics: Dynamics
    signals: Signals
    switches: Switches
    contacts: Contacts
    state: StateLayout
    length: Design[float]
    geometric: Design[Vector]
    """The squared lengths by which displacements of each column are measured, whatever the masses."""
    refinements: int
    """The least number of refinements of a solution: more than 0 where bodies are solved for and joints are wanted, for
    joint coordinates accumulate residuals along the chain. (For light bodies `kkt` decides.)"""
    faint: float
    """Rows of less `independence` than this take no part in accelerations: their multipliers would be roundoff, ε/s³
    for a sine s, and one step later the rows are regular again."""
    plain: Pattern
    shape: Factor
    """The factor of the constraints alone, whatever the masses: see `gauge`."""
    gains: Work[Vector] = zeros(2)
    """Baumgarte's α and β; zero for other stabilisations."""
    out: Work[Vector] = zeros("outputs")
    scalars: Work[Vector] = zeros(SCALARS)
    nearness: Work[Vector] = ones(4)
    """The least `independence` (with turns times the model's length) since it was last set to 1 (`NEAREST`), its ratio
    to the one in the norm of the masses (`NORM_RATIO`), the least in that norm at the last evaluation (`INDEPENDENCE`),
    and the least when rows to leave out were last chosen (`CHOSEN`)."""
