"""The tolerances of the numerical core, with their reasons. Compiled code reads them as constants.

`independence` is a squared sine: of a row against the rows before it, or of the constraints, where it is the least of
all rows. Lengths and gaps are relative to the model's own length, and ε is the roundoff of numbers, 2e-16. Each of
these may be ten times larger or smaller, and no verdict changes.
"""

# --- the matrix -----------------------------------------------------------------------------------------------------

DELTA = 1e-13
"""The addition to the diagonal of each row, relative to the row's squared length: above ε times the terms of a sum, and
so small that two refinements remove its effect where `independence` is more than `WEAK`."""
NIL = 1e-36
"""Rows whose squared length is less than this, relative to the largest entry's, are zero. Rows may be in different
units (m², rad), so the limit is far below their ratio in a small mechanism."""
LIGHT = 1e-7
"""Masses of less than this, relative to the largest one in the group of bodies that rows join them to, are light: below
it the squared distances of rows come near `DELTA`, and solutions lose half their digits."""
LEVEL = 1e-3
"""Forces at rest of less than this, relative to the largest, make a level of their own: forces are balanced to 1e-13 of
the largest of a level, so that the smallest are right to 1e-10."""
ROUNDOFF = 1e-14
"""A mass that adds less than this part of the largest to the mass matrix is lost in its roundoff."""
CORRECTED = 1e-11
"""A correction of a solution less than this, relative to the corrected value, is the last one: since one correction
reduces the error to this part, the next would be its square, and roundoff."""
SOUND = 2e-10
"""A solution whose first correction, for plain residuals and a sample of roundoff, is less than this needs no residuals
of twice the digits: it is a tenth of `UNCERTAIN`, since one sample may find a tenth of the error."""
FLOOR = 1e-8
"""A correction is relative to its x or λ, or to the root of this times the largest of the group, if that is more:
smaller values have roundoff of the largest in them, and 1e-4 leaves them twelve digits."""
OFTEN = 20
"""The largest number of corrections of a solution; each is less than half as large as the one before."""
UNCERTAIN = 2e-9
"""A solution is rejected if its last correction is larger than this, or if roundoff of the given numbers moves it by
more. (Near singular poses, below `DOUBTFUL`, both may be larger in proportion.)"""
LOST = 0.1
"""A solution is rejected if its first correction, with a sample of roundoff, is as large as this: a pivot that is only
roundoff makes the correction half of the solution or more."""

# --- rank -----------------------------------------------------------------------------------------------------------

DEPENDENT = 1e-10
"""`independence` below which a row depends on others: well above `DELTA`, since the additions to the rows of a
dependent group accumulate in the pivot of its last row."""
HIDDEN = 1e-14
"""Squared sine of a row against the span of all others below which it depends on them. Less than `DEPENDENT`: in a
chain of n welded bodies the first row has 3/n³, and depends on nothing."""
SHARE = 1e-6
"""A row belongs to a dependent group if its part in it, relative to the dependent row's length, is larger than this:
the root of the part that a pivot of `DEPENDENT` leaves undecided, less a margin for refinement."""
IN_LINE = 1e-3
"""A row takes part in locking a pose if its component of the null vector, for rows of unit length, is larger than this
part of the largest one: a motion stops about 1e-5 before the singular pose, and null vectors turn by as much."""
AT_POLE = 1e-4
"""A pose at which a search has stopped stands at a pole of an angle if a cosine, or a distance relative to the model's
length, is less than this: searches stop about 1e-5 before a singular pose."""
NEARLY = 1e-7
"""`independence` below which velocities and accelerations, though determined, have lost most of their digits."""
RANK = 1e-9
"""Singular values below this, relative to the largest, are zero."""

# --- poses ----------------------------------------------------------------------------------------------------------

TIGHT = 2e-15
"""Gap, relative to the extent of the model, at which Newton stops: some ten ε."""
FAR = 1e-3
"""The part of the extent that is added to the own length of bodies that touch, for closed gaps (`System.gap_size`)."""
LOOSE = 1e-10
"""Gap at which Newton may stop if it cannot be reduced further: the root of `TIGHT` would be a step that still
converges, and this is below it."""
SMOOTH = 1e-3
"""The largest deviation of a step from the smooth motion that both its ends predict, relative to its length: another
branch is off by as much as the step."""
STANDING = 1e-9
"""A step of at most this length counts as none, in any direction."""
CROSSING = 1e-4
"""The longest step that may pass a singular pose."""
AGREEMENT = 1e-8
"""The largest difference of the polynomials of order five and three through a change point."""
ROLLED = 1e-5
"""The largest correction of the prediction of a step if rows restrict velocities only."""

# --- accelerations --------------------------------------------------------------------------------------------------

FAINT = 1e-9
"""The least `independence` of a row that takes part in the accelerations of a motion: with less, its accelerations are
dominated by roundoff, ε/s³ for a sine s, and one step later it is regular again."""
WEAK = 1e-4
"""`independence` below which a solution is refined: there `DELTA` is 1e-9 of a pivot."""
DOUBTFUL = 1e-2
"""`independence` in the norm of the masses below which the norm and the choice of rows are checked again."""
LESS = 0.5
"""The part of the `independence` at the last choice of rows that must be left for the choice to stand."""
PARTED = 1e-5
"""A row that is left out contradicts the others if its gap is more than this plus `PARTED_BY` times theirs."""
PARTED_BY = 100.0

# --- steps ----------------------------------------------------------------------------------------------------------

NOISE = 1e-14
"""Roundoff of positions in accelerations near a singular pose: some fifty ε, measured in rows of four-bars."""
SMALLEST = 1e-14
"""The shortest step, relative to the times of the run: some fifty ε, so that the stages of a step differ in time."""
STIFF = 0.3
"""The upper limit of gains times step: above, stages feel the feedback more than the motion, and order is lost."""
PACE = 1.0
"""Constraint errors die out this many times as fast as the motion changes."""
MARGIN = 3.0
"""The upper limit of gains, relative to the rate that steps can follow."""
SETTLED = 1e-15
"""The part of a correction that may be left in a projection: a few ε."""
CLOSED = 1e-8
"""The widest gap that a projection may leave: it converges quadratically, so that it leaves either `SETTLED`, or the
gap of rows that contradict each other."""
LOSS = 0.1
"""The gap at which a drifting run no longer makes sense."""
DRIFT = 0.1
"""The gap, over the third power of the sine of a singular pose, at which accelerations are worthless: their error is
the gap over that power."""
MOMENT = 1e-3
"""The accuracy of a reported time, relative to the span of the run."""

# --- events ---------------------------------------------------------------------------------------------------------

FLAT = 1e-9
"""The rate of a watched function is zero if it is less than this part of its terms, velocities and accelerations times
their arms: where bodies follow from joints, it is a difference over 1e-5 of the motion's own time, right to the square
of that and to ε over it, some 1e-10; and a margin of ten."""
REPEAT = 4e-13
"""A reset that happens again within this part of the time does so at once. A passage is at the beginning of a step if
it is within 1e-13 of that, and the step begins as near behind the event before: twice that; and as much for both
resets, each of which is at the end of a step with the same tolerance."""
SIDEWAYS = 1e-6
"""A parameter moves the ends of a force along their line alone if it moves them sideways by less than this part of the
motion of bodies, and several passages have one slope of their time if these differ by less: slopes of a run with the
usual tolerance of 1e-8 have accumulated errors of a hundred times that."""

# --- singular poses -------------------------------------------------------------------------------------------------

ALMOST_SINGULAR = 3e-3
"""`independence` below which a pose counts as near a singular one: accelerations have lost ε/s³ = 1e-12 there."""
BLURRED = 1e-4
"""`independence` of a requested time below which the record is read from around it: 1e-10 is lost there."""
FORESIGHT = 3.0
"""The number of steps ahead from which steps are chosen so that the last one crosses well."""
BLUNT = 0.7
"""The sine above which nothing can be predicted about its zero."""
MISPLACED = 0.1
"""A node is badly placed if its sine is less than this, relative to the ends of the step. In the middle of its gap DP8
has 0.25, DP5 0.45."""
LEDGER = 100.0
"""The energy error after a step that crosses, in tolerances; 1 to 10 is usual."""
BALANCE = 1e-13
"""Roundoff of the energy."""
IMPOSSIBLE = 1e-6
"""The residual of accelerations that no acceleration removes, relative to the right side: velocities that no motion
through the pose has."""
