"""The Gough-Stewart platform of Zhao, Wei and Sun (Appl. Sci. 2023, 13, 6341), in a reading that is consistent.

As printed, the example cannot be computed. What is changed, and why:

 1. Scale. Table A2 gives L_AB = L_BC = 0.05, L_AC = 0.1, R = 0.05, r = 0.02 m, but the trajectory and the mass centres
    (height √3/2, D = (3/8, 0, √3/8)) belong to a platform ten times as large. Here L_AC = 1, L_AB = L_BC = 0.5,
    R = 0.5, r = 0.2 m.
 2. Tilt and height. θ1 = 30° with R = 0.5 and L = 1 puts every platform joint on the axis (r = 0) at the height √3/2.
    Here r = 0.2 and the height follows from leg length 1: h = √(1 − R² − r² + 2 R r cos δ) = 0.93979 (δ in 4.). The
    initial angles of Table A3 (π/6, 0, 0, π/3) are therefore not used.
 3. Spacing. R_Z = R_z(π/6 (p − 1)) covers only 150°; here 60° (p − 1), all the way round.
 4. Arrangement. With base and platform joints on the same radii all leg lines meet the vertical axis: the 6x6 matrix of
    leg lines has rank 3 at t = 0. Here the platform joints stand at 60° (p − 1) ± δ, alternately ahead and behind, with
    δ = 30°: they meet in three pairs (a 6-3 octahedron). Condition number of the matrix (n, b×n): 18.8 at t = 0 and
    at most 18.8 over 0 ≤ t ≤ 10 (metres; 5.5 with lengths measured in r). Smaller δ work, but worse: 27.7 at 20°,
    54.8 at 10°; the choice is an argument.
 5. Trajectory. Minus signs are lost in Table A1; the displacement, velocity and acceleration columns agree for
    rotation about x = 0.1 − 0.1 cos t, x = 0.1 cos t − 0.1, y = 0.05 sin t, z = 0.1 cos t − 0.1 + h (one axis of
    rotation, so that the velocity of the angle is the angular velocity). At t = 0 the platform moves: ẏ = 0.05 m/s.
 6. Mass centres at the middles of the leg's parts (0.25 m from A and from C). E = (1/4, 0, √3/4) in Table A2 is the
    middle of AC, i.e. the joint B, and the platform's (0, 0, 0.1) is off its joint plane for no reason given; here the
    platform's mass centre is the middle of its joint plane, where the trajectory and the loads act.
 7. Inertias. Table A4 takes J = m (r·r I − r rᵀ) with r the absolute position of the mass centre: that of a point mass
    about the world's origin. Here a leg part is a slender rod of 0.5 m (m 0.5²/12 across, 0 along) and the platform a
    thin disk of radius r: (m r²/4, m r²/4, m r²/2) = (0.1, 0.1, 0.2) kg m², of which the table has (0.1, 0.1, 0).
 8. Loads: force (0, 0, −10) N (the sign is lost) and moment (10, 0, 0) N m on the platform's centre. Gravity has no
    value in the paper: 9.81 m/s² downwards. Its sign in the equations (m g beside m a) is lost too.
 9. Joints. The text has S at the base and U at the platform, the introduction U at both ends. Without inertia about the
    legs' axes the leg torque T_C is zero and both give the same driving forces.
10. e4, printed (0, 0, 0), is the leg's axis.

Masses as printed: lower part 3 kg, upper part 1 kg, platform 10 kg. No table of results is printed, only figures.
"""

import numpy as np

from .rotations import fixed_axis_motion
from .stewart import Platform, Pose, forces_newton_euler

R_BASE, R_PLATFORM, LEG = 0.5, 0.2, 1.0
OFFSET = np.pi / 6
FORCE = np.array([0.0, 0.0, -10.0])
MOMENT = np.array([10.0, 0.0, 0.0])


def initial_height(offset=OFFSET):
    """Height of the platform's joint plane for legs of length 1."""
    return np.sqrt(LEG**2 - R_BASE**2 - R_PLATFORM**2 + 2 * R_BASE * R_PLATFORM * np.cos(offset))


def platform(offset=OFFSET):
    """The platform of the consistent reading; base joints in world axes, platform joints in platform axes."""
    at = np.radians(60.0) * np.arange(6)
    turned = at + offset * np.array([1, -1, 1, -1, 1, -1])
    zero = np.zeros(6)
    half = LEG / 2
    return Platform(
        base=R_BASE * np.column_stack([np.cos(at), np.sin(at), zero]),
        joints=R_PLATFORM * np.column_stack([np.cos(turned), np.sin(turned), zero]),
        mass=10.0,
        com=np.zeros(3),
        inertia=10.0 * R_PLATFORM**2 * np.diag([0.25, 0.25, 0.5]),
        m1=3.0, e1=half / 2, I1=3.0 * half**2 / 12,
        m2=1.0, e2=half / 2, I2=1.0 * half**2 / 12,
        gravity=np.array([0.0, 0.0, -9.81]),
    )  # fmt: skip


def trajectory(t, offset=OFFSET):
    """The spiral of Table A1, with exact derivatives."""
    c, s = np.cos(t), np.sin(t)
    turn = fixed_axis_motion([1.0, 0.0, 0.0], 0.1 - 0.1 * c, 0.1 * s, 0.1 * c)
    r = np.array([0.1 * c - 0.1, 0.05 * s, 0.1 * c - 0.1 + initial_height(offset)])
    v = np.array([-0.1 * s, 0.05 * c, -0.1 * s])
    a = np.array([-0.1 * c, -0.05 * s, -0.1 * c])
    return Pose(r, turn[0], v, turn[1], a, turn[2])


def driving_forces(times, offset=OFFSET):
    """Leg forces by the vector method, shape (len(times), 6); positive forces extend the leg."""
    body = platform(offset)
    return np.array([forces_newton_euler(body, trajectory(t, offset), FORCE, MOMENT) for t in times])
