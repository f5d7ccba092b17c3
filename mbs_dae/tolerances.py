"""The thresholds of the package, with their reasons, in the order of its subjects. Compiled code reads them as
constants.

`independence` is a squared sine: of a row against the rows before it, or of the constraints, where it is the least of
all rows. Lengths and gaps are relative to the model's own length, and ε is the roundoff of numbers, 2e-16. Each
threshold that decides about rank, poses, accelerations and steps near singular poses may be ten times larger or
smaller, and no verdict changes (`tests/robustness/test_tolerances.py`).
"""

# --- the matrix -----------------------------------------------------------------------------------------------------

DELTA = 1e-13
"""The addition to the diagonal of each row, relative to the row's squared length: above ε times the terms of a sum, and
so small that two refinements remove its effect where `independence` is more than `REFINEMENT_INDEPENDENCE`."""
ZERO_ROW = 1e-36
"""Rows whose squared length is less than this, relative to the largest entry's, are zero. Rows may be in different
units (m², rad), so the limit is far below their ratio in a small mechanism."""
LIGHT_MASS = 1e-7
"""Masses of less than this, relative to the largest one in the group of bodies that rows join them to, are light: below
it the squared distances of rows come near `DELTA`, and solutions lose half their digits."""
FORCE_LEVEL = 1e-3
"""Forces at rest of less than this, relative to the largest, make a level of their own: forces are balanced to 1e-13 of
the largest of a level, so that the smallest are right to 1e-10."""
SUM_ROUNDOFF = 1e-14
"""A sum is roundoff if it is less than this part of its terms, or of the largest quantity of its kind: some fifty ε. So
are a mass or a principal moment beside the largest, and a force, a stiffness, a rate or a first moment beside its
terms."""
LAST_CORRECTION = 1e-11
"""A correction of a solution less than this, relative to the corrected value, is the last one: since one correction
reduces the error to this part, the next would be its square, and roundoff."""
SAMPLE_ERROR = 2e-10
"""A solution whose first correction, for plain residuals and a sample of roundoff, is less than this needs no residuals
of twice the digits: it is a tenth of `SOLUTION_ERROR`, since one sample may find a tenth of the error."""
CORRECTION_FLOOR = 1e-8
"""A correction is relative to its x or λ, or to the root of this times the largest of the group, if that is more:
smaller values have roundoff of the largest in them, and 1e-4 leaves them twelve digits."""
CORRECTION_COUNT = 20
"""The largest number of corrections of a solution; each is less than half as large as the one before."""
SOLUTION_ERROR = 2e-9
"""A solution is rejected if its last correction is larger than this, or if roundoff of the given numbers moves it by
more. (Near singular poses, below `CHOICE_INDEPENDENCE`, both may be larger in proportion.)"""
PIVOT_LOSS = 0.1
"""A solution is rejected if its first correction, with a sample of roundoff, is as large as this: a pivot that is only
roundoff makes the correction half of the solution or more."""
UNIT_ROUNDOFF = 1.1e-16
"""A rounded number differs from the exact one by at most this part: half of ε."""
PIVOT_TOLERANCE = 1e-12
"""A pivot of elimination is roundoff if it is no larger than this part of the largest entry of the matrix: some
thousands of ε."""
ELIMINATION_LOSS = 1e-6
"""A row that elimination leaves out depends on others up to this part, the root of `PIVOT_TOLERANCE`. It lacks no
larger part of the pace of heavy bodies, and forces that accelerate bodies by no larger part of their single effects
only share a load; a larger lack is a force lost in roundoff."""
DIAGONAL_SHIFT = 1e-14
"""This number is subtracted from the diagonal zeros that belong to rows of unit length. It is as large as the roundoff
of such a zero, some fifty ε, and makes dependent rows regular."""
NULL_RIGHT_SIDE = 1e-200
"""A right-hand side of inverse iteration has this size, with which no solution overflows, however dependent the rows
are."""

# --- rank -----------------------------------------------------------------------------------------------------------

ROW_DEPENDENCE = 1e-10
"""`independence` below which a row depends on others: well above `DELTA`, since the additions to the rows of a
dependent group accumulate in the pivot of its last row."""
SPAN_DEPENDENCE = 1e-14
"""Squared sine of a row against the span of all others below which it depends on them. Less than `ROW_DEPENDENCE`: in a
chain of n welded bodies the first row has 3/n³, and depends on nothing."""
GROUP_SHARE = 1e-6
"""A row belongs to a dependent group if its part in it, relative to the dependent row's length, is larger than this:
the root of the part that a pivot of `ROW_DEPENDENCE` leaves undecided, less a margin for refinement."""
LOCK_SHARE = 1e-3
"""A row takes part in locking a pose if its component of the null vector, for rows of unit length, is larger than this
part of the largest one: a motion stops about 1e-5 before the singular pose, and null vectors turn by as much."""
POLE_DISTANCE = 1e-4
"""A pose at which a search has stopped stands at a pole of an angle if a cosine, or a distance relative to the model's
length, is less than this: searches stop about 1e-5 before a singular pose."""
RATE_INDEPENDENCE = 1e-7
"""`independence` below which velocities and accelerations, though determined, have lost most of their digits."""
RANK_TOLERANCE = 1e-9
"""Singular values, and pivots of an orthogonal factorisation, are zero below this part of the largest. It is far above
the roundoff of matrices, and far below the values of independent rows of mechanisms."""
NULL_VECTOR = 1e-4
"""A vector u, by rows of unit length, is a null vector of the singular pose next to a stopped motion if |Jᵀ u| is less
than this part of |u|, since about 1e-5 remains there. (A chain of 100 bodies, which locks nowhere, has 2e-3.)"""
SINGULAR_RANK = 1e-6
"""In a pose that counts as singular, singular values are zero below this part of the largest: searches reach singular
poses less exactly than regular ones."""
CLOSURE_RANK = 1e-8
"""An equation of loops depends on others if its pivot, for rows of unit length, is no more than this part of the
largest: about the root of ε."""
ISOLATION_RANK = 1e-7
"""A solution of inverse kinematics may not be isolated if a singular value of its Jacobian is less than this part of
the largest."""
REACTION_UNIQUENESS = 1e-6
"""A reaction, or an effort of a driver, is unique if no null vector of unit length changes it by more than this,
relative to its value for unit multipliers. Constraints that have drifted by 1e-10 give null vectors this error over the
sine of the nearest singular pose, and must not make a unique one appear undetermined."""
MULTIPLIER_UNIQUENESS = 1e-9
"""A multiplier of a rest is unique if no null vector of unit length has a larger component along it. Rests are balanced
to roundoff, so this is less than `REACTION_UNIQUENESS`."""
NULL_ENTRY = 1e-13
"""An entry of a null vector is zero if it is no more than this part of the largest entry: some 500 ε."""

# --- poses ----------------------------------------------------------------------------------------------------------

CLOSURE_TOLERANCE = 2e-15
"""Gap, relative to the extent of the model, at which Newton stops: some ten ε."""
EXTENT_SHARE = 1e-3
"""The part of the extent that is added to the own length of bodies that touch, for closed gaps (`System.gap_size`)."""
CLOSURE_LIMIT = 1e-10
"""Gap at which Newton may stop if it cannot be reduced further: the root of `CLOSURE_TOLERANCE` would be a step that
still converges, and this is below it."""
STEP_DEVIATION = 1e-3
"""The largest deviation of a step from the smooth motion that both its ends predict, relative to its length: another
branch is off by as much as the step."""
ZERO_STEP = 1e-9
"""A step of at most this length counts as none, in any direction."""
CROSSING_STEP = 1e-4
"""The longest step that may pass a singular pose."""
CHANGE_POINT_AGREEMENT = 1e-8
"""The largest difference of the polynomials of order five and three through a change point."""
ROLLING_CORRECTION = 1e-5
"""The largest correction of the prediction of a step if rows restrict velocities only."""
SAME_POSE = 1e-6
"""Two poses are one if they differ by less than this, in lengths of the model and in radians, and a pose this near a
curve is on it. Newton's method closes poses to roundoff, which is far below."""
CLOSED_POSE_DISTANCE = 1e-8
"""A pose is closed if its gaps, its last Newton step, or its distance from the nearest true pose are less than this, in
lengths of the model. Newton's method squares its error, so the next step would lead to roundoff."""
POSE_RESIDUAL = 1e-12
"""A pose is a solution if its gaps are at most this part of the model's length: some thousands of ε."""
POSE_LIMIT = 1e-9
"""An iterate whose gaps are at most this part of the model's length is a solution, too, if the gaps no longer halve:
then they are roundoff."""
NEWTON_STEP = 1e-13
"""Newton's method has converged to a pose if its step is shorter than this, in lengths of the model: some 500 ε."""
CURVE_RESIDUAL = 1e-13
"""A correction to a curve of poses ends when all residuals, in lengths of the model and radians, are below this: some
500 ε. Corrections of values in a section end there as well."""
CURVE_RESIDUAL_LIMIT = 1e-10
"""A correction to a curve of poses that no longer reduces its residuals to a quarter ends if they are below this, in
lengths of the model and radians: then they are roundoff."""
CURVE_STEP = 1e-9
"""A step along a curve of poses is no shorter than this, in lengths of the model: a curve that is not smooth on this
scale has an end or a corner."""
CURVE_RETURN = 1e-9
"""A curve has come back to its beginning if the two places are no farther apart than this, in lengths of the model:
Newton's method converges to roundoff."""
LAP_END = 1e-15
"""The end of a lap is found when the place is less than this part of the model's extent beyond the beginning: a few
ε."""
LAP_CHANGE = 1e-9
"""A quantity that changes over a lap by less than this (radians, lengths of the model) returns to its value, and places
this close to the join of the lap are one. A lap closes to roundoff."""
CURVE_INTERVAL = 1e-3
"""A curve of fifth order is exact to roundoff over this part of a step, for its error is of the sixth power of the
part."""
CONSTANT_QUANTITY = 1e-9
"""A quantity is constant along a curve if it changes by less than this part of the largest change by motions of the
curve's length. Next to singular poses the tangent has this accuracy."""
RATE_ROUNDOFF = 1e-13
"""A rate along a curve is zero if it is less than this part of the largest rate: some 500 ε."""
VALUE_ROUNDOFF = 4e-15
"""A quantity has a value if it differs from it by less than this part of the value, or of its unit: some twenty ε. A
curve that begins at the value has that pose again."""
TURNING_VALUE = 1e-12
"""A curve touches a value at a turning point of the quantity if the two differ by less than this (radians, lengths of
the model): some thousands of ε."""
TURNING_DISTANCE = 1e-5
"""A zero of a quantity is the turning point itself if it is closer to the point than this, in lengths of the model.
Values within `TURNING_VALUE` of a smooth turning point extend to the root of that, 1e-6, on both sides, and the margin
is ten."""
SAME_MOTION = 1e-6
"""Quantities hold the same motion if their directions, as unit vectors, are dependent but for this: the least singular
value of all directions."""

# --- accelerations --------------------------------------------------------------------------------------------------

ACCELERATION_INDEPENDENCE = 1e-9
"""The least `independence` of a row that takes part in the accelerations of a motion: with less, its accelerations are
dominated by roundoff, ε/s³ for a sine s, and one step later it is regular again."""
REFINEMENT_INDEPENDENCE = 1e-4
"""`independence` below which a solution is refined: there `DELTA` is 1e-9 of a pivot."""
CHOICE_INDEPENDENCE = 1e-2
"""`independence` in the norm of the masses below which the norm and the choice of rows are checked again."""
INDEPENDENCE_SHARE = 0.5
"""A choice of rows stands while at least this part of the `independence` that it had at first is left."""
CONTRADICTION_GAP = 1e-5
"""A row that is left out contradicts the others if its gap is more than this, in lengths of the model, plus
`CONTRADICTION_RATIO` times theirs."""
CONTRADICTION_RATIO = 100.0
"""A row that is left out may have a gap of this many times the largest one of the others, beyond `CONTRADICTION_GAP`,
before it contradicts them."""
ACCELERATION_DIFFERENCE = 1e-3
"""Accelerations in other coordinates belong to the bodies if they leave forces of no more than this part of the largest
force."""
SMALL_MULTIPLIER = 1e-6
"""Multipliers below this part of the largest force at their time are corrected. Plain solutions leave some ε of the
largest in them, up to 1e-15 over the root of the least `independence`, and they are to be right to 1e-8."""
MULTIPLIER_CORRECTION = 1e-9
"""A correction of a multiplier is one of roundoff if it is at most this part of the largest force. A multiplier that
would change by more follows from other equations, such as those with Baumgarte's feedback or means over a step, and is
left."""
MULTIPLIER_FLOOR = 1e-20
"""Multipliers below this part of the largest are zero but for the roundoff of residuals with twice the digits, about
1e-32 of the largest. Corrections go on without regard to them."""
LIMIT_AGREEMENT = 1e-2
"""Limits from both sides of a singular pose agree if they differ by at most this part of the largest of the six values
around."""
COMPONENT_FLOOR = 1e-6
"""A component of a limit at a singular pose is zero if it is at most this part of the largest of all components."""
ZERO_REACTION = 1e-9
"""Reactions are zero below this part of the force that accelerates the heaviest body: those of bodies without mass are
roundoff."""

# --- steps ----------------------------------------------------------------------------------------------------------

POSITION_ROUNDOFF = 1e-14
"""Roundoff of positions in accelerations near a singular pose: some fifty ε, measured in rows of four-bars."""
STEP_FLOOR = 1e-14
"""The shortest step, relative to the times of the run: some fifty ε, so that the stages of a step differ in time."""
GAIN_LIMIT = 0.3
"""The upper limit of gains times step: above, stages feel the feedback more than the motion, and order is lost."""
DECAY_PACE = 1.0
"""Constraint errors die out this many times as fast as the motion changes."""
GAIN_MARGIN = 3.0
"""The upper limit of gains, relative to the rate that steps can follow."""
PROJECTION_REMAINDER = 1e-15
"""The part of a correction that may be left in a projection: a few ε."""
PROJECTION_GAP = 1e-8
"""The widest gap that a projection may leave: it converges quadratically, so that it leaves either
`PROJECTION_REMAINDER`, or the gap of rows that contradict each other."""
DRIFT_LIMIT = 0.1
"""The gap at which a drifting run no longer makes sense."""
SINGULAR_DRIFT = 0.1
"""The gap, over the third power of the sine of a singular pose, at which accelerations are worthless: their error is
the gap over that power."""
TIME_ACCURACY = 1e-3
"""The accuracy of a reported time, relative to the span of the run."""
FIRST_STEP = 1e-6
"""The first step of a motion of unknown pace takes this time, in seconds; steps grow tenfold from one to the next."""
STALL_SPAN = 1e-7
"""A run may have stalled if `run.STALL_STEPS` steps advance it by less than this part of its span: the whole would take
5·10¹⁰ steps."""
STALL_PACE = 1e-3
"""A run has stalled only if these steps advance it by less than this part of the time in which bodies move as well. The
test spares fast motions in a long span that an event is to end."""

# --- events ---------------------------------------------------------------------------------------------------------

ZERO_RATE = 1e-9
"""The rate of a watched function is zero if it is less than this part of its terms, velocities and accelerations times
their arms: where bodies follow from joints, it is a difference over 1e-5 of the motion's own time, right to the square
of that and to ε over it, some 1e-10; and a margin of ten."""
SAME_INSTANT = 4e-13
"""A reset that happens again within this part of the time does so at once. A passage is at the beginning of a step if
it is within 1e-13 of that, and the step begins as near behind the event before: twice that; and as much for both
resets, each of which is at the end of a step with the same tolerance."""
SIDE_MOTION = 1e-6
"""A parameter moves the ends of a force along their line alone if it moves them sideways by less than this part of the
motion of bodies, and several passages have one slope of their time if these differ by less: slopes of a run with the
usual tolerance of 1e-8 have accumulated errors of a hundred times that."""
EVENT_ZERO = 1e-6
"""A function that contacts or friction hold at zero is zero to this part of its largest value, or to the tolerance of
the run if that is larger: errors of constraints move it."""
EVENT_FLOOR = 1e-12
"""A function of an event is zero, too, below this part of its terms, with velocities that free bodies gain in a second.
One that is zero without being held has not left zero below that part, if its rate shows that it moves."""

# --- singular poses -------------------------------------------------------------------------------------------------

SINGULAR_INDEPENDENCE = 3e-3
"""`independence` below which a pose counts as near a singular one: accelerations have lost ε/s³ = 1e-12 there."""
RECORD_INDEPENDENCE = 1e-4
"""`independence` of a requested time below which the record is read from around it: 1e-10 is lost there."""
STEPS_AHEAD = 3.0
"""The number of steps ahead from which steps are chosen so that the last one crosses well."""
BLUNT_SINE = 0.7
"""The sine above which nothing can be predicted about its zero."""
NODE_SINE = 0.1
"""A node is badly placed if its sine is less than this, relative to the ends of the step. In the middle of its gap DP8
has 0.25, DP5 0.45."""
ENERGY_ERROR = 100.0
"""The energy error after a step that crosses, in tolerances; 1 to 10 is usual."""
ENERGY_ROUNDOFF = 1e-13
"""The roundoff of the energy of a run, relative to the sum of its potential and kinetic energies: some 500 ε."""
ACCELERATION_RESIDUAL = 1e-6
"""The residual of accelerations that no acceleration removes, relative to the right side: velocities that no motion
through the pose has."""
SAME_SINGULAR_POSE = 1e-4
"""Two singular poses of a curve are one if they are closer than this, in lengths of the model. The value is chosen, far
above the errors of Newton's method."""
BRANCH_GAP = 1e-11
"""A gap above this, in lengths of the model, that stays open while all others are closed keeps branches apart. It is a
margin above the roundoff of gaps."""
BRANCH_DISTANCE = 1e-3
"""A branch is started and examined at this distance from a pose in which curves cross, in lengths of the model and
radians. The square of the distance, by which branches are missed there, is small, and roundoff is far smaller."""
DISCRIMINANT = 1e-10
"""Two branches coincide if the discriminant of their quadratic equation is less than this part of its squared
coefficients."""
CURVATURE_FLOOR = 1e-7
"""A quadratic form of a singular pose is zero if its coefficients are less than this part of the curvature of one over
the model's length."""
VERTEX_DISTANCE = 1e-4
"""The vertex of a fold belongs to a pose if Newton's method moves no farther than this to it, in lengths of the
model."""
FOLD_HEIGHT = 1e-15
"""Two modes of a fold coincide if the height of the vertex is less than this, in lengths of the model. The distance of
modes is the root of a height, about 1e-7 or less here."""
FOLD_RANK = 1e-4
"""A singular pose is a simple fold if its second smallest singular value is at least this part of the largest."""
POLE_COSINE = 1e-8
"""A ball is at the pole of its angles if the cosine of the second angle is less than this. The first and the third
angle lose half of their digits below this square root of roundoff."""

# --- formulas -------------------------------------------------------------------------------------------------------

VALUE_TIE = 1e-12
"""Values count as equally large if they differ by less than this part of the largest: thousands of times the roundoff
of one value."""
DERIVATIVE_AGREEMENT = 1e-6
"""Two successive approximations of a derivative agree if they differ by less than this part of it. Extrapolation then
leaves an error that is smaller by orders of the step."""
DIFFERENCE_AGREEMENT = 1e-4
"""Differences over two steps of different lengths agree if they differ by less than this part of the slope, apart from
roundoff: a function with a kink is off by much more."""
MOTION_DIFFERENCE = 1e-5
"""Central differences move a mechanism by this much, in lengths of the model (or a second's motion of such lengths) and
in radians. It is about the third root of ε, where the errors of truncation and roundoff balance."""
SIGNAL_STEP = 1e-3
"""The first differences of a reading reach over this part of the value that is read, or of the size of its quantity.
They are shortened where the slopes over one and two steps disagree."""

# --- symbolic laws and tables ---------------------------------------------------------------------------------------

SLOPE_STEP = 1e-7
"""A slope of a law of time is read over this distance, relative to the time, or to one second near zero. It is the root
of ε, with a margin."""
CONSTANT_LAW = 1e-9
"""A law is constant between two samples if it changes by less than this part of its range."""
SAME_TIME = 1e-13
"""Two times are one instant if they differ by less than this part of the larger one: some 500 ε. A switch near the
beginning of a step is compared with a second, too, where times are near zero."""
TABLE_END = 1e-12
"""A place beyond an end of a table by less than this part of its range is at the end, for places are rounded."""
CAM_PERIOD = 1e-6
"""The number of periods of a cam in one turn is an integer if it differs from one by less than this part. Angles are
often typed with six digits."""
ROOT_SHIFT = 1e-100
"""A root of a sum of squares has a slope at zero because this number (a squared length, speed or depth) is added under
the root. It is negligible, and so are its powers."""
UNIT_GRADIENT = 1e-9
"""A gradient has unit length if its square differs from 1 by no more than this: some millions of ε, for a long
expression at a random place."""
STEEP_ARGUMENT = 1e-6
"""A root with a switch in its argument is steep if the argument may fall below this number, for √(u² + c) with a
smaller c has nearly a corner."""
CORNER_JUMP = 1e-6
"""An expression has a jump or a kink at a value of a parameter if it, or its slope, changes there by more than this
part of the larger of both sides, and hardly more over a longer way."""

# --- model ----------------------------------------------------------------------------------------------------------

SAME_DIRECTION = 1e-12
"""Two directions are equal if 1 - cos of their angle is at most this. The angle is 1.5 microradians, and changes
motions by no more than its square."""
RESTITUTION_SERIES = 1e-4
"""The damping of a compliant contact is computed from a series where 1 - restitution is less than this, because
roundoff of logarithms would reach the first four terms of the series."""
GEAR_DISTANCE = 1e-6
"""The sum of two radii equals the distance of the axes, and the axes are parallel, within this part. Typed numbers have
six digits, and the relative error of forces is no larger."""
JOINT_ALIGNMENT = 1e-9
"""A pin is at right angles to another pin or to its link if the cosine is at most this. The ends of a leg are on the
line of its slide if they are off it by no more, in lengths of the model."""
COLLINEARITY = 1e-9
"""Points are on one line if they are off it by no more than this part of their span."""
SAME_CORNER = 1e-6
"""Corners of a mesh are merged if they are closer than this part of its longest side: files of meshes often hold
numbers of 32 bits, with seven digits."""
SAME_POINT = 1e-9
"""Two points are one if they are closer than this part of the size of the body, of the joints or of the model to which
they belong. Numbers without units that differ by less are equal, too, and so are entries of mass matrices, relative to
the sizes of their points."""
ORTHONORMALITY = 1e-9
"""A matrix R is a rotation if no entry of RᵀR differs from the identity by more than this. Matrices of six typed digits
are rejected, because their errors would act as shear; a quaternion of six digits is normalised instead."""
ZERO_DIVISOR = 1e-9
"""Divisors (sines, cosines, ratios of lengths) below this are zero, because quotients with them have lost nine
digits."""
LENGTH_FLOOR = 1e-12
"""The length of a chain of screws is zero if it is at most this, in its unit: a shorter length is roundoff, and does
not become the unit of measurement."""

# --- contact laws ---------------------------------------------------------------------------------------------------

MASS_CONTRAST = 1e-5
"""Masses are far apart if the ratio of the smaller to the larger is less than this. Forces are right to 1e-11 of the
largest, ε over this number, where the least pivot is larger, and where masses differ by less."""
LAW_RESIDUAL = 5e-13
"""A solution satisfies the laws of contacts if its natural residual is at most this part of the rates, or
accelerations, without contact forces: some two thousand ε."""
RESIDUAL_FLOOR = 5e-15
"""Another Newton step would not reduce a residual of the contact laws below this part of the rates, or accelerations,
without contact forces: some twenty ε."""
SOLUTION_ROUNDOFF = 1e-7
"""A residual of the contact laws less than this may be the roundoff of a solution, so that a search over all modes
cannot exclude one there. It is far above `LAW_RESIDUAL`, which ordinary solutions reach."""
SOLUTION_DIFFERENCE = 1e-6
"""Two solutions of the contact laws count as two if an unknown differs by more than this part of its size (or of 1)."""
DESCENT_DAMPING = 1e-6
"""The descent from a damped problem ends with this δ on the diagonal of the scaled matrix. Newton's method removes the
effect of δ again, except roundoff of 1e-16 / δ."""
LEAST_DAMPING = 1e-9
"""A problem of contacts that has no solution itself is solved with a δ on the diagonal of the scaled matrix, and the
least one that is tried is this."""
DIRECTION_ROUNDOFF = 1e-11
"""A direction of forces whose largest item is 1 has no negative item, and no effect, if these are less than this
roundoff."""
RAY_GAIN = 1e-6
"""A direction of forces without an effect shows that a problem has no solution if its gain, for scaled velocities, is
more than this: a smaller gain may be roundoff."""
WEAK_CONTACT = 1e-9
"""A contact counts as held if its scaled velocity exceeds its scaled force by less than this, and a friction as
sticking if it exceeds its bound by less: a contact whose force and velocity are both roundoff is held."""
UNKNOWN_SHARE = 1e-8
"""An unknown is undetermined if its part in an undetermined motion is more than this: a smaller part is roundoff."""
FORCE_CHANGE = 1e-13
"""Newton's method for frictions that share a load ends when forces change by no more than this part of the largest:
some 500 ε."""
FORCE_DIFFERENCE = 1e-6
"""Other forces solve the laws of contacts, too, if they differ by more than this part of the largest force, or of their
own size where single forces are named."""
FRICTION_WEIGHT = 1e-6
"""A friction that sticks has at least this weight, relative to 1 of normal forces, when forces share a load. Squares of
weights act, and 1e-12 is still far above roundoff."""
ELIMINATION_SPREAD = 1e-6
"""Forces less than this part of the largest, over the least pivot, are corrected. Elimination leaves errors of some ε,
1e-15 over the least pivot, of the largest force of a group: 1e-9 of such a force."""
FORCE_SPREAD = 1e-4
"""Contact forces less than this part of the largest are corrected. A solution of the laws is right to 5e-13 of the
largest force (`LAW_RESIDUAL`), to 5e-9 of such a force; and to 1e-13 of the largest over the `independence` of joints
(`DELTA`), so that the part is taken over the independence as well."""
NORMAL_FLOOR = 1e-4
"""A normal force of a joint counts at least as this part of the force that balances all terms of its equation, for it
has their roundoff."""
MISSED_ACCELERATION = 1e-3
"""A remaining acceleration along a held row is an error if it is more than this part of its terms. A row that
elimination leaves out lacks up to `ELIMINATION_LOSS`, 1e-6, and a row lost in roundoff lacks all; this number is the
mean of both, in decades."""
SLIP_BOUND = 1e-6
"""A friction that is as near to its bound as this part follows from the bound, and is not an unknown of its own in
corrections."""
SUPPORT_TOLERANCE = 1e-9
"""Rates of gaps, and normal forces, count as zero below this part of their largest possible size."""
PROXIMAL_RESIDUAL = 1e-7
"""Iterations of time-stepping for many contacts aim at this residual, relative to the rates before."""
PROXIMAL_LIMIT = 1e-2
"""Iterations of time-stepping for many contacts are accepted with this residual, relative to the rates before, since
forces are means over a step and the next step corrects positions."""
ENERGY_GAIN = 1e-9
"""Contacts give energy if the energy gained is more than this part of the energy that an impact moves, or of the sum of
their works: less is roundoff."""
FRICTION_TOLERANCE = 1e-9
"""Friction, or its impulse, is at its bound if the two differ by less than this part of the bound. A normal impulse
presses if it is more than this part of the largest, and rates that are less than this part of the largest free rate are
at rest."""
NEGATIVE_FRICTION = 1e-9
"""A coefficient of friction is negative below minus this number, and a force of friction below minus this part of the
largest that it has had, or of the forces on bodies. Steps end within 1e-11 of their length of the place where the x of
|x| changes sign, so that |x| may be negative by as much."""

# --- contacts in runs -----------------------------------------------------------------------------------------------

CONTACT_TOLERANCE = 1e-9
"""A gap is closed if it is less than this part of the size of gaps (`System.gap_size`), and bodies overlap if it is
less than minus this. A gap does not part, nor a contact slip, if its rate is less than this part of the terms of
rates."""
JOINT_LEEWAY = 1e-6
"""Joints alone no longer hold a row where its gap is below zero by this part of the model's length, or of the size of
gaps if that is larger, or its slip faster than this part of the terms of rates. Both are more than the errors of a
motion."""
ROW_ACCELERATION = 1e-12
"""An acceleration of a row is zero below this part of the largest one of bodies, such as that of a driver times a
coefficient that is zero within roundoff. Bodies that are not at rest accelerate a row by more (`REST_SPEED`)."""
JOINT_DEPENDENCE = 1e-12
"""A row of a contact depends on those of joints if its squared sine to them is at most this: errors of a motion make a
sine of 1e-6."""
SLIP_ROUNDOFF = 1e-14
"""A slip that joints begin to move from rest is seen when its speed passes this part of the model's extent in a second.
It is a margin above the roundoff of velocities in a dwell, and a law that begins with t³ passes it after 1e-7 s."""
REST_SPEED = 1e-6
"""Bodies are at rest, within roundoff, if they are slower than this part of the speed that their accelerations would
give them over their own length."""
DEAD_CENTRE_SPEED = 1e-4
"""Bodies that are slower than this part of the speed that their accelerations would give them over their own length may
still be about to leave a dead centre. A slip that turns behind a start near a dead centre has an acceleration below
`ROW_ACCELERATION` up to √(L/k) times `REST_SPEED`; k is the second derivative of the slip's way by turns of the crank,
L the length of the model."""
TURN_THRESHOLD = 1e-6
"""A slip, or a normal force, at right angles to its direction has turned if it is at least this part of its largest
size before; a smaller one has vanished."""
FLIGHT_HEIGHT = 1e-13
"""A flight after an impact, or the way that a slip would still go, is too small to be seen if it is less than this part
of the model's extent: some 500 ε."""
IMPACT_CHANGE = 1e-13
"""An impact is reported if it changes a rate by more than this part of the terms of rates: some 500 ε."""
APPROACH_FLOOR = 1e-12
"""Where impacts are passed on from contact to contact, an approach is zero below this part of the first approach, and
of the terms of rates."""
PARALLEL_ANGLE = 1e-5
"""Slip and acceleration are parallel up to this angle, in radians, where friction may fall short of its bound by any
part."""
TURN_ANGLE = 3e-3
"""Slip and acceleration are parallel up to this larger angle, in radians, while friction falls short of its bound by
little (`incipient.RISEN`)."""
ANGLE_ROUNDOFF = 1e-10
"""Slip and acceleration have one direction where they differ across it by less than this part of the speed of bodies:
roundoff and errors of steps would make the direction."""
CREEP_SPEED = 1e-4
"""A slip creeps if it is slower than this part of the speed of bodies."""
CREEP_DEVIATION = 1e-9
"""A creeping slip goes straight on until it deviates by this part of the speed of bodies."""
DIRECTION_CURVATURE = 1e-8
"""Newton's method adds this part of the curvature to directions of incipient friction, so that directions are
determined where friction is at its bound. It is about the root of ε."""
NORMAL_ROUNDOFF = 1e-12
"""A normal force is zero below this part of the largest load. Roundoff of multipliers is 1e-16 of that in a
well-conditioned system, and some decades more in others; the instant of a kink is off by this part over the rate of N,
and the effect of friction by its square."""
SLIP_FLOOR = 1e-12
"""A slip of less than this part of the speed of bodies has no direction of its own: it keeps its heading."""
OVERLAP = 1e-12
"""Bodies overlap in time-stepping if a gap is below zero by more than this part of the model's extent: some thousands
of ε."""
DEAD_POINT_SLIP = 1e-4
"""A slip is at a dead point if free motions change it by no more than this part of the effect of free bodies. Motions
stop about 1e-5 before a singular pose."""

# --- implicit steps -------------------------------------------------------------------------------------------------

CONTRACTION = 1e-3
"""The matrix of an implicit step is kept for the next step, too, where each correction is at most this part of the one
before."""
ITERATION_ERROR = 1e-17
"""A step that is solved to the last digit ends when the predicted error, relative to the sizes of states, is at most
this: a twentieth of ε."""
CORRECTION_ROUNDOFF = 1e-7
"""Corrections that no longer shrink are roundoff in a step that is solved to the last digit, if they are at most this,
relative to the sizes of states."""
LINEARISATION_STEP = 1e-7
"""Differences of forces for the matrix of an implicit step have this length, in units of the state: the root of ε, with
a margin for numbers that are larger than their units."""

# --- switches -------------------------------------------------------------------------------------------------------

GUARD_CHANGE = 1e-9
"""A parameter leaves a motion or a rest on a switching surface if the switching function changes by less than this part
of the changes of places and velocities: changes are right to less."""
SURFACE_DISTANCE = 1e-12
"""A state lies on a switching surface g = 0 if |g| is less than this part of the terms of g, or of its largest value in
the motion: a margin of some thousand times above roundoff."""
IMPACT_SPAN = 1e-14
"""Impacts do not end if a long row of them (`search.RUSH`) lies within this part of the run: they are at one instant,
for it is some fifty ε."""
PASSAGE_RATE = 1e-3
"""A switching function that is zero at the end of a step passes zero there if it falls at this part of its size over
the step, and by more than roundoff."""
BRANCH_END = 1e-9
"""A branch of a gap ends at the place of a switch, too, if its guard there is at most this part of its size before."""
PIECE_DISTANCE = 1e-6
"""The next piece of a law is examined at this distance from a change of pieces, as a part of the step. Pieces that are
shorter are not seen."""
CHATTER_SPAN = 1e-9
"""A long row of switches (`search.RUSH`) within this part of the run is a chatter that does not end."""
CHATTER_SIZE = 1e-8
"""Passes from side to side die out if the switching function goes no farther from zero than this part of its earlier
size: intervals that become shorter without end shrink it with their square."""
DECAY_SPAN = 1e-4
"""A long row of passes that die out (`CHATTER_SIZE`) is a chatter if it lies within this part of the run."""
SLIDING_RATE = 1e-12
"""A motion stays on its surfaces if their rates are at most this part of the effect of branches on them: some thousands
of ε."""
SLIDING_ROUNDOFF = 1e-9
"""A motion stays on its surfaces, too, if rates that no longer halve are at most this part of the effect of branches on
them: then they are roundoff."""
TIME_UNDERFLOW = 1e-100
"""A time of at most this counts as zero. Its reciprocal is a finite number."""
MIXTURE_SHIFT = 1e-9
"""This part of the largest effect of branches on the rates of surfaces is subtracted from the diagonal of these effects
where several surfaces depend on each other. Newton's steps remove its influence."""
GUARD_FLOOR = 1e-6
"""Differences of a guard within a step are roundoff below this part of its largest value in the step."""
GUARD_NOISE = 1e-9
"""Differences of a guard within a step are roundoff below this part of the terms of the guard."""
SWITCH_PLACE = 1e-11
"""Guards are right to this part of their largest size. A switch that is closer to the end of a step than this part of
it, or than the resolution of times, is at its end."""
SURFACE_ROUNDOFF = 1e-14
"""Where a motion is held on a surface, switching functions that are zero with it are so to this part of their largest
value: some fifty ε."""
EVENT_ROUNDOFF = 1e-12
"""Where a motion is held on a surface, functions of events that are zero with it are so to this part of their terms,
for a motion of the model's length a second."""
PLACE_ROUNDOFF = 2e-15
"""Positions of bodies are known to this part of the model's extent, and forces to this part of their terms: some ten
ε."""
INTERVAL_WIDTH = 4e-16
"""An interval of a step is no longer divided if its width, as a part of the step, is at most this: two ε, which no
floating-point number divides."""
RATE_INTERVAL = 1e-5
"""Rates are not compared in an interval of at most this part of a step if values hardly differ. The rate of a root is
huge next to the zero of its argument, in so short an interval that the root itself does not change."""
GAP_LEAP = 1e-6
"""An open gap that is this part of the model's extent below zero, behind an interval of a step that no number divides,
has jumped there: bodies do not meet."""
READING_INTERVAL = 1e-4
"""Readings are differenced over this part of a step on either side."""
RATE_TOLERANCE = 1e-9
"""A rate of a switching function is zero below this part of the jump of its law, and a jump below this part of its
terms. A function of an event is zero below this part of its largest value."""
SAME_SURFACE = 1e-12
"""Two switching functions belong to one surface if the squared cosine between their rates differs from 1 by no more
than this."""
INTEGER_EXCESS = 1e-3
"""An integer mode is wrong if its guard is below zero by more than this: by more than the errors of places of
switches."""
TOUCH_RATE = 1e-3
"""A function touches zero, and does not pass, if its rate falls to this part of its earlier rate."""
VELOCITY_DIFFERENCE = 1e-5
"""Velocities of bodies that follow from joints are differenced over this part of the motion's own time. The square of
the part, and roundoff over it, are below the tolerance of mixtures (`RATE_TOLERANCE`)."""

# --- derivatives ----------------------------------------------------------------------------------------------------

STENCIL_STEP = 3e-4
"""Designs beside the present one differ by multiples of this part of a parameter's size; the formulas are exact for
polynomials of degree six."""
BREAK_MOTION = 1e-9
"""A break of a law of time does not move with a parameter if a change of the parameter by its size moves it by less
than this part of the times."""
PARAMETER_STEPS = (1e-3, 2.5e-4, 6e-5, 1.5e-5)
"""Differences by a parameter try these steps one after the other, relative to the size of the parameter."""
DIFFERENCE_ERROR = 1e-9
"""Differences try no smaller step of a parameter if all errors are below this part of the largest change."""
REPORTED_ERROR = 1e-8
"""Differences by a parameter report their errors if these are larger than this part of the largest change."""
LOST_DERIVATIVE = 1e-5
"""A number has no derivative from differences if the error is larger than this part of the largest change; below it,
differences end when errors no longer fall by half."""
SLOPE_JUMP = 1e-3
"""A number has two slopes by a parameter if they differ by more than this part of the largest change. A part of its own
change is compared, if that is also more than `LOST_DERIVATIVE` of the largest and cannot be roundoff."""
CHANGE_FLOOR = 1e-3
"""Errors of differences are judged relative to at least this part of the number itself, where a parameter changes by
its size."""
REGULARISATION = 1e-11
"""This number is added to the scaled diagonal of the equations of changes, so that redundant rows do no harm, nor
motions that the matrix H does not hold. Refinements remove its effect."""
CONSISTENCY = 1e-7
"""Equations of changes have no solution if their residual exceeds this part of the right side and the solution."""
KINK_DISTANCE = 1e-5
"""A kink of a law is examined at this distance from its surface, relative to the size of the state. It is far enough
for differences of forces, which are right to 1e-13 of their size."""
END_DISTANCE = 1e-3
"""The ends of a force meet if they come closer than this part of the lesser of their distances at both ends of a step.
The derivative of the step then contains the square, 10⁻⁶, of the effect of the turning direction at most."""
DIRECTION_INDEPENDENCE = 1e-6
"""A direction of conjugate residuals is dependent if less than this part of its image is orthogonal to the images
before."""
CORRECTION_UNDERFLOW = 1e-150
"""A correction below this number counts as zero, since its square underflows. Weights that go back through a driven
mechanism, which forgets its states, become so small."""
ZERO_CORRECTION = 1e-14
"""A correction of changes is zero below this part of the solution: some fifty ε."""
CYCLE_TOLERANCE = 1e-11
"""The cycles of conjugate residuals end when the correction is below this part of the solution."""
CYCLE_ROUNDOFF = 1e-8
"""Cycles of conjugate residuals whose correction no longer halves have converged if it is at most this part of the
solution. It is roundoff, ε K h²/m beside a stiff spring."""
IMPACT_AGREEMENT = 1e-9
"""An impact that is computed again is that of the run if velocities differ by less than this part of their jump."""
SHORTFALL_TOLERANCE = 1e-4
"""The shortfall of friction ends a state of a contact if it differs by less than this part from the shortfall at which
the state ends."""
CHANGE_ROUNDOFF = 1e-9
"""A change by a parameter is roundoff if it is less than this part of the motion: of the model's length, of the largest
velocity, of the scales of states, or of the time of the run."""
DERIVATIVE_ERROR = 1e-3
"""Derivatives of steps may have an error of this part of their largest value, or more where the tolerance of the run is
loose."""
GRADING_DISTANCE = 1e-5
"""A graded run may switch at another time than the run before it, by this part of the width of the short steps."""
SLOPE_AGREEMENT = 1e-6
"""Events have one slope of their time, and are one event, if their derivatives differ by less than this part. A number
whose slope is less than this part of the rate of its neighbours does not change."""
GRAZING_FALL = 1e-4
"""A guard only touches zero if it would fall over a step h, at the rate with which it passes, by less than this part of
its size g. It bends back there, from g to 0 over h, so it gets below zero by ġ² h²/4g at most: by 2.5·10⁻⁹ g, which is
less than motions are right to."""
DECISION_MARGIN = 1e-8
"""A decision in an impact may be the other one if its margin is less than this part of what acts in it."""
JUMP_ROUNDOFF = 1e-10
"""A jump of y' is zero if it is less than this part of the size of y': roundoff of forces."""
WAY_REMAINDER = 1e-14
"""Corrections of the multipliers of a projection end when they leave less than this part of them, some fifty ε. With ρ
the part that one correction changes, k corrections leave ρ^(k + 2), since the change of a place is itself of first
order."""
START_CHANGE = 1e-12
"""A switching function does not change where a run begins if it changes by less than this part of the change of the
first state. The time of an event does not move if it moves by less than this part of the run."""
LENGTH_SHARE = 1e-3
"""A small parameter on which lengths depend has a scale at which it moves one of them by this part of the model's
length."""

# --- equilibria -----------------------------------------------------------------------------------------------------

BALANCE_TOLERANCE = 1e-13
"""A search for a rest ends when the unbalanced forces are at most this part of the effort: some 500 ε."""
BALANCE_LIMIT = 1e-9
"""A search for a rest accepts unbalanced forces of this part of the effort where no step reduces them."""
REST_TOLERANCE = 1e-10
"""A mechanism with states is at rest if unbalanced forces are at most this part of the effort, and rates of states this
part of their sizes, per second."""
STATE_RATE = 1e-6
"""A rate of a state is zero if it is at most this part of the state's size, per second."""
SPRING_ROUNDOFF = 1e-15
"""Unbalanced forces are roundoff of springs if they are at most this part of the stiffness times the model's length: a
few ε. Springs of a floating mechanism at rest exert almost no force."""
HEAVY_MOTION = 1e-14
"""Heavier bodies count as still beside light ones if they move by less than this part. Joints are closed to 2e-15, and
near a dead point large forces do work on small motions, which are no roundoff."""
CIRCUIT_STEP = 1e-4
"""A step along a circuit of poses is no shorter than this, in lengths of the model: changes of the force over shorter
lengths are not resolved."""
PERIODICITY = 1e-9
"""Forces, potentials and values of a law repeat after a turn or a lap if they differ by less than this part of the
largest; gaps do so if they differ by less than this part of the model's length. A lap closes to about this part."""
LAP_WORK = 1e-6
"""Loads do work on a lap if their potential changes over it by more than this part of its range. A lap closes to 1e-9,
and the margin is a thousand."""
BALANCE_DISTANCE = 1e-3
"""An unstable balance is left by a motion of this size, in lengths of the model: far beyond roundoff, and near enough
for its stiffness."""
PATH_STEP = 1e-7
"""A path of equilibria ends where its steps become shorter than this, in lengths of the model and parts of the
parameter's range."""
PATH_DIFFERENCE = 1e-4
"""Forces on a path of equilibria are differenced by this part of the range of the parameter, on either side."""
DIFFERENCE_STEPS = (1e-3, 1e-5, 1e-7)
"""Differences of forces try these steps, in units of the argument; the largest that is accepted is used."""
SWITCH_DISTANCE = 1e-3
"""A switching function is zero at a rest if it is no more than this part of its change by a small motion
(`MOTION_DIFFERENCE`): a surface within 1e-8 lengths of the model."""
SIDE_AGREEMENT = 1e-8
"""Forces, and their derivatives, are equal on both sides of a rest if they differ by less than this part: the root of
ε."""
HOLDING_RESIDUAL = 1e-8
"""Forces hold a pose where neither contacts nor friction act if their residual is at most this part of the effort, or
of the forces themselves where they are larger: rests are found to 1e-9."""
WORK_ROUNDOFF = 1e-13
"""Forces do no work on free motions if it is less than this part of their size: poses are closed to 2e-15. A load of
friction that is no larger a part of the effort is roundoff, too."""
MOTION_SHARE = 1e-9
"""Bodies do not move if they have less than this part of every free motion of unit length: the rest is roundoff."""
MARGIN_TOLERANCE = 1e-9
"""Margins of friction differ, from one another or from 1, if they do so by more than this part. Directions of normal
forces, as unit vectors, and ends of ranges of loads are compared with it as well."""
BOUND_SLACK = 1e-12
"""Forces miss their bounds by this part of the effort because of roundoff."""
MARGIN_LIMIT = 1e4
"""A margin of friction above this is infinite."""
MARGIN_FLOOR = 1e-6
"""A margin of friction below this is zero."""
SLIP_MARGIN = 1e-4
"""An incipient slip is computed beyond the margin of friction by this part. A friction within this part of its bound
slips."""
SLIP_SHARE = 1e-3
"""A point slips in an incipient motion if its speed is more than this part of the fastest."""
BISECTION_WIDTH = 1e-13
"""A bisection for a margin or a load ends at this width, relative to its value (or to 1 where it is smaller): some 500
ε."""
SLACK_EFFECT = 1e-3
"""A slack of the bounds, such as roundoff, changes a margin by less than this part, unless bodies would be on an edge
without it."""
BOUND_FLOOR = 1e-6
"""The slack of a bound of friction is a part of the bound, which counts as at least this part of the effort."""
BOUND_ROUNDOFF = 1e-13
"""Every bound of friction may be missed by this part of the effort: the roundoff of `least_distance` where bounds allow
hardly any forces."""
INFEASIBILITY = 1e-13
"""No point obeys a set of scaled inequalities if the residual of their least distance is at most this, relative to the
sum of its multipliers: some 500 ε."""
PRESCRIBED_RATE = 1e-9
"""Drivers and obstacles move if their velocity is more than this, in lengths of the model (or radians) a second, or
their acceleration in a second squared."""
FORCE_BALANCE = 1e-6
"""The forces of a given state are balanced if less than this part of the effort is unbalanced. Given states are less
exact than rests that were sought, as for `SLOW_MOTION`."""
STEADY_DIFFERENCE = 1e-5
"""A motion is steady if accelerations and matrices at two of its states differ by no more than this part."""
SLOW_MOTION = 1e-6
"""Velocities are zero if they move a mechanism by less than this part of its length while its slowest mode turns by a
radian: a simulation leaves as much. Modes slower than this part of the fastest do not count."""
STEADY_CHANGE = 1e-9
"""Forces and slopes that change by no more than this part of their size are constant in time."""
TURNING_ERROR = 1e-6
"""Velocities turn with a frame if their rates differ from those of the turning by no more than this part of speed times
rate."""

# --- small motions --------------------------------------------------------------------------------------------------

ZERO_EIGENVALUE = 1e-9
"""An eigenvalue of a mode, or of a stiffness or damping matrix, is zero below this part of the largest. So is a damping
matrix, or a skew part, relative to the other matrices."""
EIGENVALUE_ROUNDOFF = 1e-14
"""A squared frequency, or an eigenvalue of a scaled stiffness, is zero below this part of the largest: some fifty ε,
the roundoff of an eigenvalue of a symmetric matrix."""
STIFFNESS_REGULARITY = 1e-6
"""A stiffness matrix with unit rows and columns is regular beyond doubt if its least singular value is larger than
this: its entries have a roundoff of `SUM_ROUNDOFF`, relative to their terms."""
DEFLATION_TOLERANCE = 1e-13
"""Singular values of a matrix of small motions are zero if they are at most this part of its norm: some 500 ε. A mode
that moves no more than this part of its changes of states does not move."""
SAME_EIGENVALUE = 1e-7
"""Eigenvalues coincide, and are not simple, if they differ by less than this part of the largest. Two that coincide are
computed about a root of ε, 1e-8, apart."""
AXIS_TURN = 1e-9
"""The axes of a rotor are fixed if they turn by no more than this part of the speed."""
WHIRL_FLOOR = 1e-12
"""A shape does not whirl about an axis if its squared components across the axis are at most this, for shapes of unit
size: a motion of 1e-6."""

# --- assembly modes -------------------------------------------------------------------------------------------------

SAME_SIGNATURE = 1e-6
"""Two solutions are one if their signatures differ by less than this part of their size."""
SAME_END = 1e-8
"""Two regular ends of paths are one solution if their signatures differ by less than this part of their size. Two
solutions about to coincide are accurate to roundoff over `SOLUTION_REGULARITY`."""
REAL_SOLUTION = 1e-7
"""A solution is real if its imaginary parts are less than this part of its size (at least 1): the rest is roundoff."""
REDUNDANT_RESIDUAL = 1e-7
"""Redundant equations hold in a solution if their residuals are below this, in lengths of the model times the size of
the solution."""
SOLUTION_REGULARITY = 1e-6
"""A solution is regular if the least singular value of its Jacobian, relative to the largest, times the size of the
solution is larger than this: solutions far away turn by little when they move by much."""
PATH_JUMP = 1e-3
"""Where two paths end in one regular solution, one of them has jumped from another solution near by, if the solution's
regularity is no larger than this."""
POLE_TOLERANCE = 1e-6
"""A path leads to infinity if its pole is at the end of its way, s = 1, within this distance or within a part of the
way that is left."""
HOMOTOPY_STEP = 1e-11
"""A path of a homotopy is stuck if its step of s, from 0 to 1, is shorter than this."""
HOMOTOPY_DIFFERENCE = 1e-5
"""The tangent of a path is differenced over this step of s ahead, or over a tenth of the way that is left: nearer than
a pole at the end. The value is chosen."""
HOMOTOPY_ROUNDOFF = 1e-6
"""Corrections of a path that are less than this part of the solution's size may stop shrinking where equations are
badly conditioned."""
REFINEMENT_DISTANCE = 1e-4
"""Refinement moves no regular pose farther than this, in signatures; poses nearer to each other than this are one."""
AFFINE_TRACE = 1e-8
"""The second difference of the sum of all points is zero, and no point is missing, if it is below this part of the sum
of all second differences: roundoff leaves 1e-13 to 2e-9."""
CURVED_TRACE = 1e-4
"""The second difference of the sum of points is not zero, and points are missing, if it is above this part of the sum
of all second differences. The test is inconclusive between `AFFINE_TRACE` and this."""
PENCIL_ZERO = 1e-9
"""A point of the pencil is a solution of the mechanism if its number s is below this: the rest is roundoff."""
TRACE_FLOOR = 1e-3
"""Second differences of coordinates that change by less than this part of the largest are measured by the largest."""
INTEGER_RATIO = 1e-9
"""A ratio of angles is a whole number if it differs from one by no more than this."""

# --- workspaces -----------------------------------------------------------------------------------------------------

DRIVE_TOLERANCE = 1e-6
"""Residuals, in lengths of the model and radians, are zero below this on the way of a drive. Its end is closed to
roundoff, and a step is judged by tangents and chords to 1e-2."""
SINGULAR_RESIDUAL = 1e-11
"""Equations of singular and critical poses, in lengths of the model and radians, are satisfied if residuals are less
than this."""
SURFACE_RESIDUAL = 1e-9
"""Beside a pose of a surface of singular poses, at `BRANCH_DISTANCE`, equations of singular poses have residuals of at
most this: roundoff of dimensions leaves 1e-11 that no step removes. Beside a pose in which curves cross, residuals are
about the square of the distance."""
SURFACE_RANK = 1e-7
"""On a surface of singular poses a singular value of F' is less than this part of the largest everywhere. Near a pose
in which curves cross, at `BRANCH_DISTANCE`, it is larger."""
SINGULAR_STEP = 1e-4
"""Second-order differences step across a singular pose by this, in lengths of the model and radians. Their error is its
square, 1e-8, and roundoff over it is 2e-12: both are far below `CROSSING_RANK`."""
CROSSING_RANK = 1e-4
"""At a pose in which curves cross, a singular value is zero below this part of the largest, and so is a curvature below
this part of the largest curvature."""
FOLD_NORMAL = 1e-4
"""A normal Pᵀ u of a curve of singular poses is zero if its length is at most this: on surfaces it is as inexact as the
root of a residual, 1e-5."""
ISOLATED_POSE = 1e-5
"""Two singular poses from which no curve can be followed are one if they differ by less than this, in lengths of the
model and radians: residuals determine them less exactly than places of curves."""
REAL_ROOT = 1e-6
"""A root or an eigenvalue is real if its imaginary part is less than this part of its size: two that coincide are
computed as a pair. Roots that prove to be no solutions are dropped."""
DETERMINANT_FLOOR = 1e-9
"""A determinant of rows of unit length that is less than this on a whole curve is zero there, and has no sign."""
TRACE_STEP = 1e-7
"""A curve of a workspace is stuck if its step is shorter than this, in lengths of the model and radians."""
TRACE_CLOSURE = 1e-8
"""A curve of a workspace is closed if it passes its beginning closer than this, in lengths of the model and radians:
Newton's method converges to roundoff."""
PICTURE_RATE = 1e-9
"""The picture of a singular curve is a point, and has no cusps, if its rate along the curve is less than this
everywhere."""
JACOBIAN_FLOOR = 1e-14
"""A pose has no Jacobian of its inputs if the least singular value of the matrix that is inverted is at most this,
without units: some fifty ε."""
ARC_STEP = 1e-13
"""Newton's method for places of exact curves ends at steps shorter than this, in segments: some 500 ε."""
INTERPOLATION_STEP = 1e-6
"""Newton's method for places of interpolated curves ends at steps shorter than this, in segments."""
ARC_NOISE = 1e-10
"""Newton's method for places of curves ends, too, if steps that no longer shrink to a quarter are shorter than this, in
segments: then they are roundoff."""
ARC_DISTANCE = 1e-3
"""A point is not on an interpolated curve if it is farther off than this, in units of the plane: interpolation misses
the curve by less."""
TOUCH_SINE = 1e-7
"""Two curves touch, or run along each other, and do not cross, if the sine of their angle is at most this."""
CORNER_DISTANCE = 1e-3
"""A curve is evaluated at this distance, in segments, from a corner, where its rate is zero."""
SEGMENT_END = 1e-3
"""A point of contact that is at most so far beyond the end of a segment, in segments, belongs to both segments there:
its place along a curve is less accurate than that of a crossing."""
CONTACT_PLACE = 1e-5
"""Points of contact nearer to each other than this, in units of the plane, are one. The distance of the curves is
roundoff there, so that places along the curves are known to its root only."""
AREA_AGREEMENT = 1e-8
"""Where the polynomials through 9 and 5 points of a curve give areas that agree within this, in squared units of the
plane, the one through 9 is exact to roundoff."""
PLANE_DISTANCE = 1e-8
"""Points nearer to each other than this, in units of the plane, are one."""
SLIVER_WIDTH = 1e-5
"""A region whose border is interpolated somewhere has at least this mean width, in units of the plane: interpolated
curves are off by up to as much."""
TOUCH_DISTANCE = 1e-8
"""A plane touches a boundary if it is no farther than this, in lengths of the model, from one that touches exactly."""
SECTION_OFFSET = 1e-8
"""A plane that touches a boundary is moved outwards by this, in lengths of the model: there boundaries are followed as
exactly as anywhere."""
PROPORTIONAL_ROWS = 1e-9
"""A stop limits a joint if the rows of both, up to their sign, differ by less than this part of the largest entry."""
LIMIT_EXCESS = 1e-9
"""A joint keeps its limit if it is beyond it by less than this (radians, lengths of the model). A multiplier of a
critical pose, of a vector of unit length, acts if it is more than this."""
REGION_AREA = 1e-9
"""Regions with no more than this part of the area of the rectangle are left out."""
RANGE_INSET = 1e-6
"""A model is compiled as a check at this distance inside the ends of a parameter's range, relative to its width: the
ends themselves may be invalid, such as a length of 0."""
POINT_SIZE = 1e-7
"""A picture smaller than this, in lengths of the model or radians, is a point."""

# --- inverse kinematics ---------------------------------------------------------------------------------------------

STATIONARY_SLOPE = 1e-11
"""A pose nearest to another one is found where the slope left is less than this part of the model's length."""
SAME_SOLUTION = 1e-5
"""Two solutions are one if they are closer than this, in radians and lengths of the model. At the end of the reach,
where two solutions coincide, roundoff of the error leaves 1e-8 of an angle undetermined."""
DAMPING_FLOOR = 1e-16
"""The damping of a step, and its squared pivots, are at least this part of the trace of J Jᵀ: about half of ε."""
REPORTED_DISTANCE = 1e-9
"""Errors of targets below this part of the model's length are not reported beside larger ones."""

# --- certificates ---------------------------------------------------------------------------------------------------

ROUNDING_SHIFT = 1e-300
"""Bounds of intervals are rounded outward by this number as well, and not by the least double number: processors are
slow with denormal numbers."""
SUM_UNDERFLOW = 1e-290
"""A bound of a sum of products contains this number, which is more than the underflow of any sum there."""
PIECE_JUMP = 1e-9
"""A piece of a table begins with the value and the slope with which the one before it ends if they differ by at most
this part of the largest: coefficients are rounded. Two branches of a law meet if they are no farther apart, in lengths
of the model."""
BOX_RADIUS = 1e-13
"""The radius of a box around a pose is at least this part of the model's length: above the roundoff of quantities
computed in the box."""

# --- synthesis ------------------------------------------------------------------------------------------------------

BOUND_EXCESS = 1e-9
"""A linkage keeps its bounds if it exceeds them by at most this part of its largest number, or of the size of the
path."""
ERROR_ROUNDOFF = 1e-9
"""An error of a linkage is zero if it is less than this part of the wanted size."""
GRASHOF_TOLERANCE = 1e-9
"""Grashof's two sums of lengths are equal, and a linkage has change points, if they differ by at most this part of the
sum of all lengths."""
SHORT_LINK = 1e-3
"""A link has no length if it is at most this part of the longest one, as for a crank that hardly moves its follower."""
UNIT_CIRCLE = 1e-3
"""Roots of Freudenstein's equation are refined if they are this near the unit circle; those that prove to be no roots
are dropped."""
FREUDENSTEIN_RESIDUAL = 1e-11
"""A solution satisfies Freudenstein's equations if its residuals are less than this part of their largest terms."""
MARQUARDT_FLOOR = 1e-14
"""The damping factor of Marquardt's method is at least this: some fifty ε, at which the step is that of Gauss and
Newton."""
MARQUARDT_LIMIT = 1e8
"""A start of Marquardt's method ends at this damping factor, because no step lowers its sum of squares."""
DIAGONAL_FLOOR = 1e-10
"""A diagonal entry of the normal equations counts as at least this part of the largest when it is damped, so that no
unknown is undamped."""
INEQUALITY_EXCESS = 1e-12
"""An inequality is satisfied if its excess is less than this, for points that are about 1 apart."""
TURN_CLOSURE = 1e-6
"""A walk of one turn comes back to its beginning if all quantities differ by less than this part of the wanted size."""
SAME_DESIGN = 1e-3
"""Two designs are one if none of their numbers differs by this part of its range, or, for linkages, of the largest
number."""
TARGET_SQUARES = 1e-28
"""A start ends when the sum of squares is below this, for targets that are about 1 apart: each is met to 1e-14."""
INFINITE_POINT = 1e-9
"""A centre or a circle point is infinitely far away if the last of its seven numbers is at most this part of the
largest."""
BURMESTER_RESIDUAL = 1e-10
"""A centre and a circle point solve Burmester's equations if residuals are less than this part of the largest terms."""
RESTING_POINT = 1e-7
"""A link is not needed if its point moves by at most this, in sizes of the motion, or is as near to its centre; two
centres are one if they differ by less than this part of the link."""
LINK_LENGTH = 1e-9
"""A link, or the way between two poses, has no length if it is less than this part of the size of the motion; a turn of
less, in radians, is none."""
PATH_SQUARES = 1e-30
"""A path passes its points if the sum of squares is below this, for points that are about 1 apart: each is met to
1e-15."""
LOCK_SINE = 1e-3
"""A linkage locks if the sine of its transmission angle is at most this: a search that ends there has found no
minimum."""
DYAD_RESIDUAL = 1e-11
"""Two dyads guide their points if the root of the sum of squared residuals is less than this, for points that are about
1 apart."""
SAME_PIVOT = 1e-3
"""Two pins or two pivots, and so two dyads, are one if they are closer than this, for points that are about 1 apart."""

# --- design ---------------------------------------------------------------------------------------------------------

LIMIT_TOLERANCE = 1e-6
"""A limit is kept if it is exceeded by at most this part of its size, or of the width between bounds, and is active if
the margin is as small."""
PARAMETER_EFFECT = 1e-12
"""A number depends on a parameter if it changes over the parameter's bounds by more than this part of itself: less is
roundoff."""
OPTIMUM_SLOPE = 1e-4
"""A design is an optimum if the slope left, over the widths of bounds, is at most this part of the slope at the
start."""
OBJECTIVE_ACCURACY = 1e-15
"""A search by SLSQP ends at this accuracy of the objective, as a part of its slope at the start: a few ε."""
SQUARES_DECREASE = 1e-12
"""A step of least squares is the last if it reduces the sum by less than this part."""
BOUND_CLEARANCE = 1e-10
"""A trust region begins at this distance from its bounds, as a part of their width."""
BOUND_DISTANCE = 1e-9
"""A trust region, which stays inside of its bounds, has ended at a bound if it is closer to it than this part of their
width."""
LARGEST_ENTRIES = 1e-7
"""Entries are equally large, and share the largest value, if they differ from it by at most this part."""
CHANGE_NOISE = 1e-7
"""Changes of a quantity are roundoff and errors of steps if they are at most this part of it."""
NOISE_CHANGE = 1e-4
"""Fits that estimate the noise of columns again end when no noise changes by more than this part."""
NOISE_FLOOR = 1e-13
"""The noise of a measured column is estimated as at least this part of its values' size: smaller noise is roundoff."""
PARAMETER_FLOOR = 1e-6
"""A fitted number has no size of its own if it is at most this part of its bounds' width."""
SIGNIFICANCE = 1e-3
"""Residuals larger than the given noise are not due to chance if their probability is below this."""
DIRECTION_ENTRY = 1e-4
"""An entry of a direction in which parameters are not distinct is zero if it is less than this part of the largest
entry."""
LAW_AGREEMENT = 1e-5
"""A sum, product or ratio of parameters is reported as the only thing known if their changes agree with it to this
part."""

# --- readings and results -------------------------------------------------------------------------------------------

VELOCITY_ROUNDOFF = 1e-10
"""A velocity is zero if it is at most this part of the sum of the sizes of its terms: constraints are met to about
1e-12."""
SWEEP_ACCELERATION = 1e-12
"""Rows that do not depend on time accelerate by at most this, in lengths of the model a second squared: more is a
motion, and a sweep is at rest."""
PARALLEL_ROWS = 1e-9
"""Two quantities change at the same rate if 1 - cos of the angle between their rows is less than this: an angle of
5e-5."""
FIXED_POINT = 1e-9
"""A point of a body is fixed if it moves by at most this part of the model's length."""
PERIOD_END = 1e-6
"""Forces are periodic if they differ at the ends of a period by at most this part of the largest, and times are evenly
spaced if steps differ by no larger part."""
HARMONIC_ROUNDOFF = 1e-9
"""A harmonic is roundoff if it is at most this part of the largest force."""
BODY_ROTATION = 1e-9
"""A body turns if its axes change by more than this, as the root of the mean square over its poses. Singular values of
the changes are zero below this part of the largest."""
SHARE_BALANCE = 1e-8
"""Shares are discarded if their sum differs from the load by more than this part of the typical size of loads and
shares along the motion. (Near a singular pose shares grow without bound, and so does roundoff.)"""
LOAD_ROUNDOFF = 1e-13
"""A load vanishes if no more than this part of all acting forces remains: some 500 ε."""
TOOTH_RESIDUAL = 1e-8
"""Joints keep two axes apart if the row of their distance is a combination of rows of joints but for this part of its
length."""
CENTRE_PLANE = 1e-9
"""A wheel is on neither side of a vehicle if it is closer to the centre plane than this part of its distance; an axis
is not above another, and a direction is not horizontal, within this part."""
DISPLAY_ROUNDOFF = 1e-12
"""A number is roundoff beside others if it is at most this part of the largest of them. A moment is so beside a force
at an arm of one metre, and a force beside a moment."""
STATE_AGREEMENT = 1e-9
"""Poses, velocities and accelerations of two computations are equal if they differ by at most this part of their size
(at least 1)."""
VELOCITY_JUMP = 1e-6
"""Velocities of two computations differ if they do so by more than this part of their size (at least 1). An instant
with a corner is examined at this distance on either side, relative to the time or to one second."""

# --- pictures and pages ---------------------------------------------------------------------------------------------

DRAWN_SHARE = 1e-9
"""A component or a share is drawn if it is more than this part of the largest one of its unit."""
EIGENVALUE_RESOLUTION = 1e-6
"""A line of eigenvalues that stays below this part of the largest one is zero, since no force drives such motions back.
The axis of growth extends over at least this part of it to both sides of zero, so that roundoff looks like no
growth."""
FLAT_SHAPE = 1e-6
"""Points lie on a line or in a plane if they are off it by less than this part of their extent."""
VISIBLE_CHANGE = 1e-6
"""A motion or a curve stands still in a picture if it changes by at most this part of the largest change."""
PAGE_LENGTH = 1e-7
"""Lengths on a page are equal if they differ by at most this part of the longest one: pages hold numbers of 32 bits,
which have seven digits."""
PAGE_TIME = 1e-7
"""Times of a page are rounded to 32 bits if this loses no more than this part of their span. Otherwise a second array
holds the remainders."""
REDRAWING_STEP = 1e-3
"""A parameter changes by this part of its size when a page looks which pieces depend on it."""
ZORDER_STEP = 1e-4
"""Pieces at one place of a picture in space differ by this in their order of drawing, which extends over a few
units."""
LOG_FLOOR = 1e-18
"""Exact zeros are drawn at this value on a logarithmic axis: far below the roundoff of any mechanism."""
LEVEL_LINE = 1e-9
"""A line of a panel is level if its values differ by at most this part of the largest: the differences are roundoff."""
MEASURE_ROUNDOFF = 1e-9
"""A measure does not move with the free motions of a pose if the length of its row is at most this."""
SAME_MEASURE = 1e-6
"""Two measures are one if 1 less the cosine between their rows is at most this."""

# --- explanations ---------------------------------------------------------------------------------------------------

REST_PACE = 1e-3
"""A motion is at rest, when errors of its velocities are judged, if its pace is below this, in lengths of the model per
second."""
PACE_ROUNDOFF = 1e-12
"""A motion of less than this, in lengths of the model or radians (per second), is roundoff, and a note on its accuracy
says nothing."""
AXIS_ANGLE = 1e-6
"""Two axes are not parallel if the sine of their angle is more than this, and they separate if their rate is more than
this part of the pace of the bodies."""
FIRST_LOOK = 1e-12
"""A law without a value is first looked for at this time behind the end of a motion, relative to the time, or to one
second."""
LOOK_AHEAD = (1e-3, 1e-2)
"""Drivers are examined beyond a singular pose after these parts of the time that was asked for."""
SHAPE_RATIO = 1e-6
"""Bodies are far from the origin if their shapes are smaller than this part of the distance."""
PRESCRIBED_JUMP = 1e-6
"""Prescribed values jump if they differ by more than this (radians, lengths of the model), and their rates and
accelerations if they differ by more than this part of the largest of their row. Numbers with six digits stay below."""
PRESCRIBED_ROUNDOFF = 1e-10
"""Prescribed rates and accelerations are zero if they are less than this, in radians or lengths of the model, per
second."""
