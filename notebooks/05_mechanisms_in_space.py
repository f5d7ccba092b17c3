# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Mechanisms in space
#
# In space a body has six freedoms instead of three, and three things are new: an attitude is no vector, counting
# equations misleads more often, and there are joints that no plane has. We go through them with a book that is thrown,
# a linkage with too many equations, a drive shaft, a platform on six legs, and a coin that rolls.
#
# The file is a notebook and a plain script: open it with Jupyter (jupytext), or run
# `python notebooks/05_mechanisms_in_space.py`. Joints and results are listed in
# [Mechanisms in space](../docs/space.md), formulas in [Rotations and screws](../docs/rotations-and-screws.md).

# %%
import numpy as np
import sympy as sp

import mbs_dae as mbs
from mbs_dae.view.style import COLOURS, Picture, style

turns, screws = mbs.rotations, mbs.screws
X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)

# %% [markdown]
# ## 1. Attitude
#
# The attitude of a body is a matrix $R$ whose columns are the body's axes in world axes. Nine numbers, but six
# conditions ($R^TR = 1$): three freedoms. They are not the components of a vector, because turns do not commute: first
# about x and then about z is not first about z and then about x.

# %%
tip, swing = turns.about_x(np.pi / 2), turns.about_z(np.pi / 2)
print(swing @ tip - tip @ swing)
assert np.allclose(swing @ tip @ Z, X) and np.allclose(tip @ swing @ Z, [0, -1, 0])

# %% [markdown]
# What *is* a vector is the angular velocity. From $R^TR = 1$ follows that $R^T\dot R$ is antisymmetric, so it has three
# independent entries. They are the components of $\omega$ in body axes:
#
# $$R^T\dot R = \begin{pmatrix} 0 & -\omega_3 & \omega_2 \\ \omega_3 & 0 & -\omega_1 \\ -\omega_2 & \omega_1 & 0
#   \end{pmatrix}.$$
#
# Now describe the attitude by three angles, $R = R_x(\varphi_1)\,R_y(\varphi_2)\,R_z(\varphi_3)$ (Bryant or Cardan
# angles). Then $\omega$ is linear in their rates:

# %%
angles, rates = sp.symbols("varphi_1:4", real=True), sp.symbols("r_1:4", real=True)
R = turns.bryant(*angles)
dR = sum((R.diff(angle) * rate for angle, rate in zip(angles, rates, strict=True)), sp.zeros(3, 3))
W = R.T * dR
omega = sp.simplify(sp.Matrix([W[2, 1], W[0, 2], W[1, 0]]))
assert sp.simplify(W + W.T) == sp.zeros(3, 3)
assert sp.simplify(omega - turns.bryant_omega(angles, rates)) == sp.zeros(3, 1)
omega

# %% [markdown]
# To have the rates of the angles from $\omega$ one must divide by the determinant. For every choice of three angles it
# vanishes somewhere, and there the angles are of no use (the axis of the third has come into line with that of the
# first: **gimbal lock**). Euler's angles $R_z(\psi)R_x(\theta)R_z(\varphi)$ have it at $\theta = 0$, just where one
# likes to begin; Bryant's at $\varphi_2 = \pm 90°$.

# %%
bryant = sp.simplify(omega.jacobian(rates).det())
euler = sp.simplify(sp.Matrix(turns.euler_omega(angles, rates)).jacobian(rates).det())
print("determinants:", bryant, "and", euler)
assert sp.simplify(bryant - sp.cos(angles[1])) == 0 and sp.simplify(euler**2 - sp.sin(angles[1]) ** 2) == 0

for miss in (0.1, 0.01, 0.001):
    rate = turns.bryant_rates((0.0, np.pi / 2 - miss, 0.0), X)[0]
    print(f"{miss:5} rad before the lock, 1 rad/s of the body is {rate:7.1f} rad/s of the first angle")
    assert np.isclose(rate * miss, 1, rtol=0.01)

# %%
refused = 0
for angles_of, locked in ((turns.bryant_angles, turns.about_y(np.pi / 2)), (turns.euler_angles, np.eye(3))):
    try:
        angles_of(locked)
    except mbs.SingularConfigurationError as error:
        refused += 1
        print(error)
assert refused == 2

# %% [markdown]
# The way out is a fourth number. A turn by $\alpha$ about the unit vector $n$ has the **quaternion**
# $e = (\cos\tfrac\alpha2,\; n\sin\tfrac\alpha2)$, of length 1. Its rate is $\dot e = \tfrac12\, e\circ(0, \omega)$, which
# needs no division, and is always half as long as $\omega$. (The price: $e$ and $-e$ are the same attitude.)

# %%
e = turns.quaternion(turns.about((1, 1, 1), 2 * np.pi / 3))  # a third of a turn about the diagonal: x to y to z
print("e =", e)
assert np.allclose(e, 0.5) and np.allclose(turns.from_quaternion(e), [Z, X, Y])
assert np.allclose(turns.from_quaternion(-e), turns.from_quaternion(e))

random = np.random.default_rng(1)
attitudes = random.normal(size=(1000, 4))
attitudes /= np.linalg.norm(attitudes, axis=1)[:, None]
spins = random.normal(size=(1000, 3))
moving = turns.quaternion_rates(attitudes, spins)
assert np.allclose(np.linalg.norm(moving, axis=1), np.linalg.norm(spins, axis=1) / 2)
assert np.allclose((moving * attitudes).sum(axis=1), 0)  # across e: the length stays 1

# %% [markdown]
# ## 2. A book that turns over
#
# So a body has *seven* coordinates, place and quaternion, but *six* velocities, $\dot r$ and $\omega$ in body axes. We
# throw a book. About its centre of mass there is no moment, and with principal moments $I_1 < I_2 < I_3$ Euler's
# equations are
#
# $$I_1\dot\omega_1 = (I_2 - I_3)\,\omega_2\omega_3 \quad\text{and so on, round.}$$

# %%
sides = np.array([0.24, 0.16, 0.04])  # m
moments = (np.sum(sides**2) - sides**2) / 12  # of one kilogram
thrown = mbs.SpatialModel("book", gravity=(0, 0, -9.81))
thrown.body("book", mass=1.0, inertia=tuple(moments))
eq = mbs.equations(thrown)
print("q =", list(eq.q), "\nv =", list(eq.v))
assert len(eq.q) == 7 and len(eq.v) == 6 and moments[0] < moments[1] < moments[2]

w1, w2, w3 = eq.v[3:]
I1, I2, I3 = moments
expected = [(I2 - I3) * w2 * w3, (I3 - I1) * w3 * w1, (I1 - I2) * w1 * w2]
assert eq.compare(Q=sp.Matrix([0, 0, -9.81, *expected]))

# %% [markdown]
# Turning about one axis alone is a solution, for each of the three axes. Is it stable? Put a small $\omega_1$ and
# $\omega_3$ beside a large $\omega_2$: to first order $\ddot\omega_1 = \kappa^2\omega_1$ with
#
# $$\kappa = \omega_2\sqrt{\frac{(I_3 - I_2)(I_2 - I_1)}{I_1 I_3}} .$$
#
# Both factors are positive: about the *middle* axis a disturbance grows, like $\cosh\kappa t$. About the other two the
# square is negative, and it swings.

# %%
exact = {"method": "DP8", "rtol": 1e-12}
spin = 15.0
kappa = spin * np.sqrt((I3 - I2) * (I2 - I1) / (I1 * I3))
aim = {"book.vx": 1.0, "book.vy": 0.0, "book.vz": 9.81, "book.wx": 1e-4, "book.wy": spin, "book.wz": 0.0}
flight = mbs.simulate(thrown, np.linspace(0, 2, 401), aim, **exact)
w = flight.v[:, 3:]  # ω in body axes

early = flight.t < 0.4
growth = w[early, 0] / (1e-4 * np.cosh(kappa * flight.t[early]))
print(f"kappa = {kappa:.2f}/s; after 0.4 s, {w[early, 0][-1]:.4f} rad/s of 0.0001")
print(f"the spin about the middle axis goes from {w[:, 1].max():.3f} to {w[:, 1].min():.3f} rad/s")
assert np.allclose(growth, 1, atol=1e-3)
assert w[:, 1].min() < -0.999 * spin  # the book has turned over

# %% [markdown]
# And yet nothing happened to it. Energy and angular momentum stay what they were, the momentum as a vector in *world*
# axes. In body axes only its length stays; it wanders on a sphere, and must keep to a line of equal energy
# $\tfrac12\sum L_i^2/I_i$. Those lines are circles about the first axis and the third; through the second go the two
# lines that cross there.

# %%
L_body = w * moments
L = np.einsum("tij,tj->ti", flight.rotation("book"), L_body)
assert np.allclose(L, L[0], atol=1e-10 * np.linalg.norm(L[0]))
assert np.abs(flight.energy.error).max() < 1e-9 * flight.energy.kinetic[0]
assert np.isclose(flight["book.z"][-1], 0, atol=1e-8) and np.isclose(flight["book.x"][-1], 2)  # and the parabola

length = np.linalg.norm(L[0])
paths = {"the book": (L_body, COLOURS[1])}
for axis in range(3):
    for off in (0.25, 0.5, 0.75) if axis != 1 else (0.12,):
        for sign in (1, -1):
            start = np.zeros(3)
            start[axis], start[(axis + 1) % 3] = sign * np.cos(off), np.sin(off)
            ways = dict(zip(("book.wx", "book.wy", "book.wz"), length * start / moments, strict=True))
            run = mbs.simulate(thrown, np.linspace(0, 1.2, 601), {**aim, **ways}, **exact)
            paths[f"{axis} {off} {sign}"] = run.v[:, 3:] * moments, COLOURS[0]

towards = np.array([np.cos(0.4) * np.cos(0.95), np.cos(0.4) * np.sin(0.95), np.sin(0.4)])  # the eye
with style():
    figure = Picture(figsize=(4.8, 4.8), layout="constrained")
    ax = figure.add_subplot(projection="3d", computed_zorder=False)
    u, v = np.meshgrid(np.linspace(0, 2 * np.pi, 60), np.linspace(0, np.pi, 30))
    ball = np.cos(u) * np.sin(v), np.sin(u) * np.sin(v), np.cos(v)
    ax.plot_surface(*ball, color="#EEF1F4", shade=False, linewidth=0)
    for name, (path, colour) in paths.items():
        p = path / np.linalg.norm(path, axis=1)[:, None] * 1.002
        p[p @ towards < 0] = np.nan  # behind the sphere
        ax.plot(*p.T, color=colour, linewidth=2.4 if name == "the book" else 1.1)
    for axis, text in zip(np.eye(3), ("1, smallest moment", "2, middle", "3, largest"), strict=True):
        ax.plot(*np.outer(axis, [1, 1.3]), color="#333333", linewidth=1)
        ax.text(*1.4 * axis, text, ha="center")
    ax.view_init(elev=np.degrees(0.4), azim=np.degrees(0.95))
    ax.set_box_aspect((1, 1, 1), zoom=1.5)
    ax.set(xlim=(-1, 1), ylim=(-1, 1), zlim=(-1, 1))
    ax.set_axis_off()
figure

# %% [markdown]
# ## 3. Counting
#
# A hinge in space has five equations: three hold the points together, two the axes. So for a four-bar linkage with three
# moving bars and four hinges
#
# $$3\cdot 6 - 4\cdot 5 = -2$$
#
# degrees of freedom. But everybody knows that it moves. What does the rank of $\Phi_v$ say?

# %%
POINTS = (0, 0, 0), (0, 0, 0.3), (0.8, 0, 0.6), (1, 0, 0)


def four_bar(joints, askew=0.0):
    """A linkage in the x-z plane with the given joints at A, B, C and D; the axis of B may be askew by an angle."""
    model = mbs.SpatialModel("four-bar in space", gravity=(0, 0, -9.81))
    names = ("crank", "coupler", "rocker")
    bars = [model.link(name, *POINTS[k : k + 2], mass=1, radius=0.01) for k, name in enumerate(names)]
    chain = [model.ground, *bars, model.ground]
    for k, (name, kind) in enumerate(zip("ABCD", joints, strict=True)):
        axis = (0, np.cos(askew), np.sin(askew)) if name == "B" else Y
        model.add(kind(name, chain[k], chain[k + 1], at=POINTS[k], axis=axis))
    return model


stiff = four_bar([mbs.Revolute] * 4)
found = mbs.diagnose(stiff)
print(found)
assert (found.gruebler, found.rank, found.degrees_of_freedom) == (-2, 17, 1)
assert [(group.kind, group.equations) for group in found.redundant] == [("generic", 3)]

# %% [markdown]
# Three of the twenty equations say what the others say already: three hinges keep all bars in the plane, and the fourth
# says so once more (one place, two directions). The motion is right, as the diagnosis states. We carry its advice out.

# %%
loose = four_bar([mbs.Revolute, mbs.Revolute, mbs.Cylindrical, mbs.Spherical])
advised = mbs.diagnose(loose)
assert (advised.gruebler, advised.rank, advised.degrees_of_freedom) == (1, 17, 1) and not advised.redundant


def driven(model):
    """A motor at A; and somebody pushes at the coupler, across the plane."""
    push = mbs.Force("push", model.bodies["coupler"].at(0, 0, 0), (0, 5, 0))
    return model.plus(mbs.Driver("motor", mbs.angle(model.elements["A"]), 6 * mbs.t), push)


times = np.linspace(0, 2 * np.pi / 6, 101)
with_hinges, with_ball = (mbs.inverse_dynamics(driven(model), times) for model in (stiff, loose))
assert np.allclose(with_hinges.q, with_ball.q, atol=1e-10)
assert np.allclose(with_hinges.effort("motor"), with_ball.effort("motor"), atol=1e-9)

# %% [markdown]
# And what do the joints carry? Which part of it has *one* answer, the result knows:

# %%
print("reaction:   Fx      Fy      Fz      Mx      My      Mz")
for label, result in (("hinges", with_hinges), ("ball", with_ball)):
    for name in "AD":
        unique = "  ".join(f"{'one' if yes else 'many':6}" for yes in result.is_unique(name)[0])
        print(f"{label:8} {name}  {unique}")
in_plane = [True, False, True, False, True, False]
assert all((with_hinges.is_unique(name) == in_plane).all() for name in "ABCD")
assert all(with_ball.is_unique(name).all() for name in "ABCD")

apart = np.abs(with_hinges.reaction("A") - with_ball.reaction("A")).max(axis=0)
print("\nthe two differ at A by", apart.round(3), "N, N m")
assert (apart[[0, 2, 4]] < 1e-9).all() and (apart[[1, 3, 5]] > 0.1).all()
for result in (with_hinges, with_ball):  # D counts on its second body, the ground; but A and D together carry the push
    assert np.allclose(result.reaction("A")[:, 1] - result.reaction("D")[:, 1], -5)

# %% [markdown]
# How four hinges share a load across the plane depends on how their parts *yield*, and rigid bodies do not yield. What
# `mbs_dae` gives is the answer of least squares, and it says which components are not more than that.
#
# There is a second side to it. Three equations hold only because all axes are parallel, to the last digit. In a workshop
# they are not. Let the hinge B be askew by a tenth of a degree:

# %%
badly_made = mbs.diagnose(four_bar([mbs.Revolute] * 4, askew=np.radians(0.1)))
well_made = mbs.diagnose(four_bar([mbs.Revolute, mbs.Revolute, mbs.Cylindrical, mbs.Spherical], askew=np.radians(0.1)))
print(f"with four hinges: {badly_made.degrees_of_freedom} degrees of freedom; with the ball: {well_made.degrees_of_freedom}")
assert badly_made.degrees_of_freedom == 0 and well_made.degrees_of_freedom == 1

# %% [markdown]
# With four hinges it jams. The ball and the sleeve are not there for the theory.
#
# In Bricard's linkage (1897) it is worse. Six bars, six hinges, and no planes at all: the bars run along the edges of a
# cube. One bar is fixed, so $5\cdot6 - 6\cdot5 = 0$: a frame. We let it go.

# %%
CORNERS = (0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)
AXES = (Y, Z, X) * 2

bricard_linkage = mbs.SpatialModel("Bricard", gravity=(0, -9.81, 0))
bars = [bricard_linkage.link(f"bar{k + 1}", *CORNERS[k : k + 2], mass=1, radius=0.05) for k in range(5)]
chain = [bricard_linkage.ground, *bars, bricard_linkage.ground]
for k in range(6):
    bricard_linkage.add(mbs.Revolute(f"hinge{k + 1}", chain[k], chain[k + 1], at=CORNERS[k], axis=AXES[k]))
found = mbs.diagnose(bricard_linkage)
print(found.redundant[0])
assert (found.gruebler, found.rank, found.degrees_of_freedom) == (0, 29, 1)

falling = mbs.simulate(bricard_linkage, np.linspace(0, 3, 151), {"hinge1.omega": 0.0}, stabilization=mbs.Projection())
assert falling.success and np.abs(falling.energy.error).max() < 1e-5

# %% [markdown]
# It falls. Opposite hinges open alike, three by $\theta$ and three by $\varphi$ (0 where one bar continues the other),
# and closing the loop demands $(1 + \cos\theta)(1 + \cos\varphi) = 1$. The cosines are the products of the directions of
# neighbouring bars.

# %%
along = [falling.rotation(f"bar{k}")[:, :, 0] for k in range(1, 6)]  # the x axis of a link runs along it
along.insert(0, np.broadcast_to([0.0, 0.0, -1.0], along[0].shape))  # the fixed bar, from the last corner to the first
cosines = np.array([(along[k] * along[(k + 1) % 6]).sum(axis=1) for k in range(6)])
assert np.allclose(cosines[::2], cosines[0], atol=1e-9) and np.allclose(cosines[1::2], cosines[1], atol=1e-9)
assert np.allclose((1 + cosines[0]) * (1 + cosines[1]), 1, atol=1e-9)
assert np.ptp(cosines[0]) > 0.9  # and it is no small motion

with style():
    figure = Picture(figsize=(9, 3.6), layout="constrained")
    for place, k in enumerate((0, 30, 75)):
        ax = figure.add_subplot(1, 3, place + 1, projection="3d")
        falling.draw(k, ax=ax)
        ax.set_title(f"t = {falling.t[k]:.1f} s")
figure

# %% [markdown]
# Which condition is the superfluous one? All are: one equation follows from the other 29, whichever is taken. So no
# count of bodies and joints can tell this linkage from a frame; only the rank can.
#
# ## 4. A universal joint
#
# Two shafts at an angle $\beta$, each with a yoke, and a cross between them. One condition more than those of a ball: the
# two pins of the cross are at right angles. When the input has turned by $a$ from the pose in which its pin is normal to
# the plane of the shafts, the output has turned by $b$:
#
# $$\tan b = \cos\beta\tan a, \qquad \frac{db}{da} = \frac{\cos\beta}{\cos^2 a + \cos^2\beta\,\sin^2 a} .$$
#
# Twice a turn it runs ahead and falls behind. A second joint can undo this or double it. We build the line with one joint
# and with two, where the pins of the middle shaft are parallel or crossed.

# %%
BEND, LOAD = 0.6, 20.0  # rad, N m


def drive_line(second=None):
    """Shafts in the x-y plane; the second joint, if there is one, brings the line back into its first direction."""
    model = mbs.SpatialModel("drive line")
    bent = np.array([np.cos(BEND), np.sin(BEND), 0])
    directions = [np.array(X), bent] + [np.array(X)] * (second is not None)
    ends = np.cumsum([np.zeros(3), *(0.4 * d for d in directions)], axis=0)
    shafts = [model.link(f"shaft{k}", ends[k], ends[k + 1], mass=1, radius=0.02) for k in range(len(directions))]
    bearing = mbs.Revolute("input", model.ground, shafts[0], at=ends[0], axis=X)
    model.add(bearing, mbs.Driver("motor", mbs.angle(bearing), mbs.t))  # 1 rad/s
    # The first pin is the x axis, on the first shaft; the second is the y axis, across the second shaft.
    model.add(mbs.Universal("joint1", shafts[0], shafts[1], at=ends[1], axis=bent, x_axis=Z))
    if second == "parallel":
        model.add(mbs.Universal("joint2", shafts[1], shafts[2], at=ends[2], axis=bent, x_axis=np.cross(Z, bent)))
    if second == "crossed":
        model.add(mbs.Universal("joint2", shafts[1], shafts[2], at=ends[2], axis=X, x_axis=Z))
    last, direction = shafts[-1], directions[-1]
    support = model.ground.at(*ends[-1], axis=direction, x_axis=Z)
    journal = last.at(*np.linalg.norm(ends[-1] - ends[-2]) / 2 * np.array(X), axis=X, x_axis=Z)
    guide = mbs.Cylindrical if second else mbs.PointOnLine
    return model.add(guide("output", support, journal), mbs.Torque("load", support, journal, -LOAD))


turn = np.linspace(0, 2 * np.pi, 181)
lines = {"one joint": drive_line(), "parallel": drive_line("parallel"), "crossed": drive_line("crossed")}
run = {name: mbs.inverse_dynamics(model, turn) for name, model in lines.items()}
assert all(mbs.diagnose(model).mobility == 1 for model in lines.values())
run["crossed"].draw()

# %% [markdown]
# The pins of the middle shaft are parallel when the second joint takes up its turn in the pose in which the first one
# runs *behind*: what one adds the other takes away. Crossed, both run ahead together, and the ratio is between
# $\cos^2\beta$ and $1/\cos^2\beta$.

# %%
c = np.cos(BEND)


def ratio_of(c):
    return c / (np.cos(turn) ** 2 + c**2 * np.sin(turn) ** 2)


closed = {"one joint": ratio_of(c), "parallel": np.ones_like(turn), "crossed": ratio_of(c**2)}
with style():
    figure = Picture(figsize=(6.4, 3.2), layout="constrained")
    ax = figure.add_subplot()
    for name, result in run.items():
        ratio = result[f"shaft{1 if name == 'one joint' else 2}.w" + "xyz"[0]]
        if name == "one joint":  # its output is the bent shaft: the part of ω along it
            ratio = (result.twist("shaft1")[:, :3] * [c, np.sin(BEND), 0]).sum(axis=1)
        assert np.allclose(ratio, closed[name], atol=1e-9)
        ax.plot(np.degrees(turn), ratio, label=name)
    ax.set(xlabel="input [°]", ylabel="speed of the output / input", xticks=range(0, 361, 90))
    ax.legend()
figure

# %% [markdown]
# No joint takes power, so torques go the other way: the motor's torque is the load *times* the ratio (the shafts turn so
# slowly that their inertia does not count). Even with a steady load and one joint, it pulsates twice a turn.

# %%
for name, result in run.items():
    assert np.allclose(result.effort("motor"), LOAD * closed[name], atol=1e-3 * LOAD)
    print(f"{name:10} the motor gives {result.effort('motor').min():5.2f} to {result.effort('motor').max():5.2f} N m")

# %% [markdown]
# ## 5. A platform on six legs
#
# The Gough-Stewart platform: each leg has a universal joint at the base, a slide, and a ball at the platform. Six motors
# in the slides command all six freedoms of the platform. (The sizes are those of Zhao, Wei and Sun (2023), as far as they
# can be used; see [The Gough-Stewart platform](../docs/stewart-platform.md).)
#
# The *inverse* kinematics of a parallel robot is the easy one: the platform's place $r$ and attitude $R$ give each leg
# at once, $l = |r + R B - A|$.

# %%
ROUND = np.pi / 3 * np.arange(6)
APART = ROUND + np.pi / 6 * np.array([1, -1, 1, -1, 1, -1])  # the balls meet in three pairs
A = 0.5 * np.stack([np.cos(ROUND), np.sin(ROUND), 0 * ROUND], axis=1)  # m, world axes
B = 0.2 * np.stack([np.cos(APART), np.sin(APART), 0 * ROUND], axis=1)  # m, platform axes
HOME = sp.Matrix([0, 0, 0.94])


def stewart(motors, position=HOME, rotation=sp.eye(3)):  # noqa: B008
    """`motors`: "legs" lead the platform by their lengths, a "hand" leads it itself, or there are none (None)."""
    model = mbs.SpatialModel("platform", gravity=(0, 0, -9.81))
    r, R = (np.array(sp.Matrix(x).subs(mbs.t, 0), dtype=float) for x in (position, rotation))
    platform = model.body("platform", mass=10, inertia=(0.1, 0.1, 0.2), position=r[:, 0], rotation=R)
    for k in range(6):
        ball = r[:, 0] + R @ B[k]
        frame = turns.frame(ball - A[k], x_axis=X)  # z along the leg; x, the pin of the base, nearly along x
        tube = model.body(f"tube{k}", 3, (0.06, 0.06, 0.001), com=(0, 0, 0.25), position=A[k], rotation=frame)
        rod = model.body(f"rod{k}", 1, (0.02, 0.02, 0.001), com=(0, 0, -0.25), position=ball, rotation=frame)
        slide = mbs.Prismatic(f"slide{k}", tube.at(0, 0, 0), rod.at(0, 0, 0))  # displacement: the length of the leg
        model.add(
            mbs.Universal(f"foot{k}", model.ground.at(*A[k]), tube.at(0, 0, 0)),
            slide,
            mbs.Spherical(f"ball{k}", rod.at(0, 0, 0), platform.at(*B[k])),
        )
        if motors == "legs":
            s = position + rotation * sp.Matrix(B[k]) - sp.Matrix(A[k])
            model.add(mbs.Driver(f"leg{k}", mbs.displacement(slide), sp.sqrt(s.dot(s))))
    if motors == "hand":
        model.add(mbs.PoseDriver("hand", platform, position=tuple(position), rotation=rotation))
    return model


found = mbs.diagnose(stewart(None))
print(found)
assert (found.coordinates, found.rank, found.degrees_of_freedom) == (13 * 6, 6 * (4 + 5 + 3), 6)
assert not found.redundant

# %% [markdown]
# Now a motion, way and turns at once. Once the legs lead and once a hand; and the first must bring the platform to where
# the second leads it. So `mbs_dae` solves the *direct* kinematics, for which there is no formula (six lengths allow up to
# 40 poses), by Newton's method from pose to pose.

# %%
t = mbs.t
position = HOME + sp.Matrix([sp.sin(t) / 10, (1 - sp.cos(t)) / 10, sp.sin(2 * t) / 20])
rotation = turns.bryant(sp.sin(t) / 5, sp.sin(2 * t) / 10, (1 - sp.cos(t)) / 5)
times = np.linspace(0, 2 * np.pi, 201)
legs = mbs.inverse_dynamics(stewart("legs", position, rotation), times)
hand = mbs.inverse_dynamics(stewart("hand", position, rotation), times)
assert np.allclose(legs.q, hand.q, atol=1e-9)
place = np.stack([legs[f"platform.{x}"] for x in "xyz"], axis=1)
assert np.allclose(place, np.array([[float(x.subs(t, time)) for x in position] for time in times[::50]]).repeat(1, 0)[
    np.arange(201) // 50
], atol=1) and np.allclose(place[50], [0.1, 0.1, 0.94])

forces = np.stack([legs.effort(f"leg{k}") for k in range(6)], axis=1)
print("forces in the legs from", forces.min(axis=0).round(1), "\n                    to", forces.max(axis=0).round(1), "N")
