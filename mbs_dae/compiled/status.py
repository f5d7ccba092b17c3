"""The answers of compiled solvers: done, or the reason why not.

Compiled code compares plain integers, which stand below under the same names.
"""

from enum import IntEnum


class Status(IntEnum):
    """Answers of a solver, a step or a run."""

    DONE = 0
    # --- a pose
    NOT_CONVERGED = 1
    """Newton's method has not converged."""
    NOT_FINITE = 2
    """An expression has no finite value."""
    SINGULAR = 3
    """A matrix is singular."""
    JUMPED = 4
    """The pose that was found is on another branch."""
    NEAR = 5
    """A pose is next to a singular one."""
    ENDLESS = 6
    """As many parts of a way have been followed as are allowed."""
    UNSETTLED = 7
    """Newton's corrections, or forces and accelerations that depend on each other, do not settle."""
    # --- a run
    STUCK = 11
    """The step size is down to roundoff."""
    LOST = 12
    """Constraints are violated grossly."""
    DRIFTED = 13
    """Constraints are violated by too much for the singular pose that is near."""
    PAUSED = 14
    """The run can be taken up again: patience was over, or a log is full."""
    TOO_MANY = 15
    """As many steps as are allowed have been tried."""
    ASTRAY = 16
    """No step keeps the energy near a singular pose."""
    EVENT = 18
    """Events have happened; the run can go on behind them."""
    SAMPLING = 19
    """Controllers are to sample the motion; then the run goes on."""
    CUT_SHORT = 20
    """The next step ends with the run. This step and all later ones differ from those of a longer run."""
    STEP_EVENT = 24
    """Events happen within a step that is to be accepted."""
    # --- laws and contacts
    CHATTERS = 17
    """Laws switch back and forth without end."""
    TANGLED = 22
    """A switching function cannot be followed within a step, however closely it is looked at."""
    UNSOLVED = 23
    """No forces of contacts satisfy the equations."""
    DRIVES = 25
    """The size of a friction is negative, so that it would drive."""
    FORCES_LOST = 26
    """The forces of contacts are lost in roundoff."""
    UNSHARED = 27
    """Frictions that stick and hold one load together do not settle on their shares."""
    # --- derivatives and curves
    BLURS = 31
    """A requested time is next to a singular pose and is read from both of its sides."""
    HOME = 100
    """A curve has come back to its beginning."""


DONE = int(Status.DONE)
NOT_CONVERGED = int(Status.NOT_CONVERGED)
NOT_FINITE = int(Status.NOT_FINITE)
SINGULAR = int(Status.SINGULAR)
JUMPED = int(Status.JUMPED)
NEAR = int(Status.NEAR)
ENDLESS = int(Status.ENDLESS)
UNSETTLED = int(Status.UNSETTLED)
STUCK = int(Status.STUCK)
LOST = int(Status.LOST)
DRIFTED = int(Status.DRIFTED)
PAUSED = int(Status.PAUSED)
TOO_MANY = int(Status.TOO_MANY)
ASTRAY = int(Status.ASTRAY)
EVENT = int(Status.EVENT)
SAMPLING = int(Status.SAMPLING)
CUT_SHORT = int(Status.CUT_SHORT)
STEP_EVENT = int(Status.STEP_EVENT)
CHATTERS = int(Status.CHATTERS)
TANGLED = int(Status.TANGLED)
UNSOLVED = int(Status.UNSOLVED)
DRIVES = int(Status.DRIVES)
FORCES_LOST = int(Status.FORCES_LOST)
UNSHARED = int(Status.UNSHARED)
BLURS = int(Status.BLURS)
HOME = int(Status.HOME)
