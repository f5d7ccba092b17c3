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
# The way out is a fourth number. A turn by $\alpha$ about the unit vector $n$ has the **quaternion** $e =
# (\cos\tfrac\alpha2,\; n\sin\tfrac\alpha2)$, of length 1. Its rate is $\dot e = \tfrac12\, e\circ(0, \omega)$, which
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
aim = {"book.vx": 1.0, "book.vy": 0.0, "book.vz": 9.81, "book.wx": -1e-4, "book.wy": spin, "book.wz": 0.0}
flight = mbs.simulate(thrown, np.linspace(0, 2, 401), aim, **exact)
w = flight.v[:, 3:]  # ω in body axes

early = flight.t < 0.4
growth = w[early, 0] / (-1e-4 * np.cosh(kappa * flight.t[early]))
print(f"kappa = {kappa:.2f}/s; after 0.4 s, {-w[early, 0][-1]:.4f} rad/s of 0.0001")
print(f"the spin about the middle axis goes from {w[:, 1].max():.3f} to {w[:, 1].min():.3f} rad/s")
assert np.allclose(growth, 1, atol=1e-3)
assert w[:, 1].min() < -0.999 * spin  # the book has turned over

# %% [markdown]
# And yet nothing happened to it. Energy and angular momentum stay what they were, the momentum as a vector in *world*
# axes. In body axes only its length stays; it wanders on a sphere, and must keep to a line of equal energy
# $\tfrac12\sum L_i^2/I_i$. These lines run round the axes of the smallest and of the largest moment; through the middle
# one go those that part them. The book (orange) has to follow one of these, over to the other side.

# %%
L_body = w * moments
L = np.einsum("tij,tj->ti", flight.rotation("book"), L_body)
assert np.allclose(L, L[0], atol=1e-10 * np.linalg.norm(L[0]))
assert np.abs(flight.energy.error).max() < 1e-9 * flight.energy.kinetic[0]
assert np.isclose(flight["book.z"][-1], 0, atol=1e-8) and np.isclose(flight["book.x"][-1], 2)  # and the parabola

length = np.linalg.norm(L[0])
paths = {"the book": (L_body, COLOURS[1])}
for axis in (0, 2):
    for off in (0.3, 0.6, 0.9, 1.2):  # rad, from that axis to the middle one
        for sign in (1, -1):
            start = np.zeros(3)
            start[axis], start[1] = sign * np.cos(off), np.sin(off)
            ways = dict(zip(("book.wx", "book.wy", "book.wz"), length * start / moments, strict=True))
            run = mbs.simulate(thrown, np.linspace(0, 2, 801), {**aim, **ways}, **exact)
            paths[f"{axis} {off} {sign}"] = run.v[:, 3:] * moments, COLOURS[0]

azimuth, height = 2.0, 0.5  # rad: where the eye is
towards = np.array([np.cos(height) * np.cos(azimuth), np.cos(height) * np.sin(azimuth), np.sin(height)])
with style():
    figure = Picture(figsize=(5.4, 4.8), layout="constrained")
    ax = figure.add_subplot(projection="3d", computed_zorder=False)
    u, v = np.meshgrid(np.linspace(0, 2 * np.pi, 60), np.linspace(0, np.pi, 30))
    ball = np.cos(u) * np.sin(v), np.sin(u) * np.sin(v), np.cos(v)
    ax.plot_surface(*ball, color="#EEF1F4", shade=False, linewidth=0)
    for name, (path, colour) in paths.items():
        p = path / np.linalg.norm(path, axis=1)[:, None] * 1.002
        p[p @ towards < 0] = np.nan  # behind the sphere
        ax.plot(*p.T, color=colour, linewidth=2.4 if name == "the book" else 1.1)
    for axis, text in zip(np.eye(3), ("smallest", "middle", "largest"), strict=True):
        axis = axis * np.sign(axis @ towards)  # the end that is seen
        ax.plot(*np.outer(axis, [1, 1.25]), color="#333333", linewidth=1)
        ax.text(*1.35 * axis, text, ha="center", va="center")
    ax.view_init(elev=np.degrees(height), azim=np.degrees(azimuth))
    ax.set_box_aspect((1, 1, 1), zoom=1.2)
    ax.set(xlim=(-1, 1), ylim=(-1, 1), zlim=(-1, 1))
    ax.set_axis_off()
figure

# %% [markdown]
# ## 3. Counting
#
# A hinge in space has five equations: three hold the points together, two the axes. So for a four-bar linkage with
# three moving bars and four hinges
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
# There is a second side to it. Three equations hold only because all axes are parallel, to the last digit. In a
# workshop they are not. Let the hinge B be askew by a tenth of a degree:

# %%
badly_made = mbs.diagnose(four_bar([mbs.Revolute] * 4, askew=np.radians(0.1)))
well_made = mbs.diagnose(four_bar([mbs.Revolute, mbs.Revolute, mbs.Cylindrical, mbs.Spherical], askew=np.radians(0.1)))
print("with four hinges:", badly_made.degrees_of_freedom, "degrees of freedom; with the ball:", end=" ")
print(well_made.degrees_of_freedom)
assert badly_made.degrees_of_freedom == 0 and well_made.degrees_of_freedom == 1

# %% [markdown]
# With four hinges it jams. The ball and the sleeve are not there for the theory.
#
# In Bricard's linkage (1897) it is worse. Six bars, six hinges, and no planes at all: the bars run along the edges of a
# cube. One bar is fixed, so $5\cdot6 - 6\cdot5 = 0$: a frame. We let it go.

# %%
CORNERS = (0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)
AXES = (Y, Z, X) * 2


def bricard(sleeve=None):
    """Six hinges; one of them may be a sleeve, which slides as well."""
    model = mbs.SpatialModel("Bricard", gravity=(0, 0, -9.81))
    bars = [model.link(f"bar{k + 1}", *CORNERS[k : k + 2], mass=1, radius=0.05) for k in range(5)]
    chain = [model.ground, *bars, model.ground]
    for k in range(6):
        kind = mbs.Cylindrical if k == sleeve else mbs.Revolute
        model.add(kind(f"hinge{k + 1}", chain[k], chain[k + 1], at=CORNERS[k], axis=AXES[k]))
    return model


found = mbs.diagnose(bricard())
print(found.redundant[0])
assert (found.gruebler, found.rank, found.degrees_of_freedom) == (0, 29, 1)

falling = mbs.simulate(bricard(), np.linspace(0, 3, 151), {"hinge1.omega": 0.0}, stabilization=mbs.Projection())
assert falling.success and np.abs(falling.energy.error).max() < 1e-5

# %% [markdown]
# It falls. Opposite hinges open alike, three by $\theta$ and three by $\varphi$ (0 where one bar continues the other),
# and closing the loop demands $(1 + \cos\theta)(1 + \cos\varphi) = 1$. The cosines are the products of the directions
# of neighbouring bars.

# %%
along = [falling.rotation(f"bar{k}")[:, :, 0] for k in range(1, 6)]  # the x axis of a link runs along it
along.insert(0, np.broadcast_to([0.0, 0.0, -1.0], along[0].shape))  # the fixed bar, from the last corner to the first
cosines = np.array([(along[k] * along[(k + 1) % 6]).sum(axis=1) for k in range(6)])
assert np.allclose(cosines[::2], cosines[0], atol=1e-9) and np.allclose(cosines[1::2], cosines[1], atol=1e-9)
assert np.allclose((1 + cosines[0]) * (1 + cosines[1]), 1, atol=1e-9)
assert np.ptp(cosines[0]) > 0.9  # and it is no small motion


def draw_large(result, index, ax):
    """A pose without its axes, so that it fills the picture."""
    result.draw(index, ax=ax)
    ax.set_axis_off()
    ax.set_box_aspect([np.ptp(limits) for limits in (ax.get_xlim(), ax.get_ylim(), ax.get_zlim())], zoom=1.3)


with style():
    figure = Picture(figsize=(9, 3.6), layout="constrained")
    for place, k in enumerate((0, 15, 30)):
        ax = figure.add_subplot(1, 3, place + 1, projection="3d")
        draw_large(falling, k, ax)
        ax.set_title(f"t = {falling.t[k]:.1f} s")
figure

# %% [markdown]
# Which hinge has the superfluous equation? Any of them: let whichever you like slide along its axis, and nothing is
# redundant any more, and yet nothing slides. No count of bodies and joints can tell this linkage from a frame; only the
# rank can.

# %%
for k in range(6):
    found = mbs.diagnose(bricard(sleeve=k))
    assert (found.gruebler, found.rank, found.degrees_of_freedom) == (1, 29, 1) and not found.redundant
with_sleeve = mbs.simulate(bricard(sleeve=5), falling.t[:31], {"hinge1.omega": 0.0}, stabilization=mbs.Projection())
assert np.allclose(with_sleeve["hinge6.displacement"], 0, atol=1e-9)
assert np.allclose(with_sleeve.q, falling.q[:31], atol=1e-6)

# %% [markdown]
# ## 4. A universal joint
#
# Two shafts at an angle $\beta$, each with a yoke, and a cross between them. One condition more than those of a ball:
# the two pins of the cross are at right angles. When the input has turned by $a$ from the pose in which its pin is
# normal to the plane of the shafts, the output has turned by $b$:
#
# $$\tan b = \cos\beta\tan a, \qquad \frac{db}{da} = \frac{\cos\beta}{\cos^2 a + \cos^2\beta\,\sin^2 a} .$$
#
# Twice a turn it runs ahead and falls behind. A second joint can undo this or double it. We build the line with one
# joint and with two, where the pins of the middle shaft are parallel or crossed.

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
    model.add(guide("output", support, journal), mbs.Torque("load", support, journal, -LOAD))
    return model


turn = np.linspace(0, 2 * np.pi, 181)
lines = {"one joint": drive_line(), "parallel": drive_line("parallel"), "crossed": drive_line("crossed")}
run = {name: mbs.inverse_dynamics(model, turn) for name, model in lines.items()}
assert all(mbs.diagnose(model).mobility == 1 for model in lines.values())
run["crossed"].draw()

# %% [markdown]
# With parallel pins the second joint is a quarter of a turn behind the first: what one adds the other takes away. With
# crossed pins both run ahead together, and the ratio goes from $\cos^2\beta$ to $1/\cos^2\beta$.

# %%
c = np.cos(BEND)


def ratio_of(c):
    return c / (np.cos(turn) ** 2 + c**2 * np.sin(turn) ** 2)


closed = {"one joint": ratio_of(c), "parallel": np.ones_like(turn), "crossed": ratio_of(c**2)}
with style():
    figure = Picture(figsize=(6.4, 3.2), layout="constrained")
    ax = figure.add_subplot()
    for name, result in run.items():
        ratio = result["load.omega"]  # the load knows the shaft that it brakes
        assert np.allclose(ratio, closed[name], atol=1e-9)
        ax.plot(np.degrees(turn), ratio, label=name)
    ax.set(xlabel="input [°]", ylabel="speed of the output / input", xticks=range(0, 361, 90))
    ax.legend()
figure

# %% [markdown]
# No joint takes power, so torques go the other way: the motor's torque is the load *times* the ratio (the shafts turn
# so slowly that their inertia does not count). Even with a steady load and one joint, it pulsates twice a turn.

# %%
for name, result in run.items():
    assert np.allclose(result.effort("motor"), LOAD * closed[name], atol=1e-3 * LOAD)
    print(f"{name:10} the motor gives {result.effort('motor').min():5.2f} to {result.effort('motor').max():5.2f} N m")

# %% [markdown]
# ## 5. A platform on six legs
#
# The Gough-Stewart platform: each leg has a universal joint at the base, a slide, and a ball at the platform. Six
# motors in the slides command all six freedoms of the platform. (The sizes are those of Zhao, Wei and Sun (2023), as
# far as they can be used; see [The Gough-Stewart platform](../docs/stewart-platform.md).)
#
# The *inverse* kinematics of a parallel robot is the easy one: the platform's place $r$ and attitude $R$ give each leg
# at once, $l = |r + R B - A|$.

# %%
ROUND = np.pi / 3 * np.arange(6)
APART = ROUND + np.pi / 6 * np.array([1, -1, 1, -1, 1, -1])  # the balls meet in three pairs
A = 0.5 * np.stack([np.cos(ROUND), np.sin(ROUND), 0 * ROUND], axis=1)  # m, world axes
B = 0.2 * np.stack([np.cos(APART), np.sin(APART), 0 * ROUND], axis=1)  # m, platform axes
HOME, LEVEL = sp.Matrix([0, 0, 0.94]), sp.eye(3)


def stewart(motors, position=HOME, rotation=LEVEL):
    """`motors`: "legs" lead the platform by their lengths, a "hand" leads it itself, or there are none (None)."""
    model = mbs.SpatialModel("platform", gravity=(0, 0, -9.81))
    r, R = (np.array(sp.Matrix(x).subs(mbs.t, 0), dtype=float) for x in (position, rotation))
    platform = model.body("platform", mass=10, inertia=(0.1, 0.1, 0.2), position=r[:, 0], rotation=R)
    for k in range(6):
        ball = r[:, 0] + R @ B[k]
        frame = turns.frame(ball - A[k], x_axis=X)  # z along the leg, y across the pin of the base
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
# Now a motion, way and turns at once. Once the legs lead and once a hand; and the first must bring the platform to
# where the second leads it. So `mbs_dae` solves the *direct* kinematics, for which there is no formula (six lengths
# allow up to 40 poses), by Newton's method from pose to pose.

# %%
t = mbs.t
position = HOME + sp.Matrix([sp.sin(t) / 10, (1 - sp.cos(t)) / 10, sp.sin(2 * t) / 20])
rotation = turns.bryant(sp.sin(t) / 5, sp.sin(2 * t) / 10, (1 - sp.cos(t)) / 5)
times = np.linspace(0, 2 * np.pi, 201)
legs = mbs.inverse_dynamics(stewart("legs", position, rotation), times)
hand = mbs.inverse_dynamics(stewart("hand", position, rotation), times)
assert np.allclose(legs.q, hand.q, atol=1e-9)
quarter = [legs[f"platform.{x}"][50] for x in "xyz"]
assert np.allclose(quarter, [0.1, 0.1, 0.94]) and np.allclose(legs.rotation("platform")[100], turns.about_z(0.4))

forces = np.stack([legs.effort(f"leg{k}") for k in range(6)], axis=1)
for k in range(6):
    print(f"leg {k} gives {forces[:, k].min():6.1f} to {forces[:, k].max():5.1f} N")

# %% [markdown]
# ### The same by screws
#
# A **twist** $V = (\omega, v_O)$ tells the whole velocity of a body: how it turns, and how fast that point of it moves
# which is just passing through the origin. A turn at 1 rad/s about the axis $e$ through $p$ is the unit screw
# $(e,\; p\times e)$, a slide $(0, e)$. In a chain twists add up. So for each leg, a chain of six joints,
#
# $$V = S\,\omega = \sum_{j=1}^6 S_j\,\omega_j,$$
#
# six equations for the six rates of its joints: two of the foot, one of the slide, three of the ball.

# %%
V = legs.twist("platform")


def screws_of(k):
    """The six unit screws of leg k at all times: (times, 6 screws, 6)."""
    frame, ball = legs.rotation(f"tube{k}"), np.stack([legs[f"rod{k}.{x}"] for x in "xyz"], axis=1)
    foot, slide = A[k] + 0 * ball, frame[:, :, 2]
    pins = [screws.unit_screw(axis, foot) for axis in (X, frame[:, :, 1])]
    turns_of_ball = [screws.unit_screw(axis, ball) for axis in (X, Y, Z)]
    return np.stack([*pins, screws.unit_screw(slide, pitch=np.inf), *turns_of_ball], axis=1)


S = [screws_of(k) for k in range(6)]
for k in range(6):
    answer = screws.joint_rates(S[k], V)
    assert answer.unique.all() and answer.residual.max() < 1e-12
    assert np.allclose(answer.rates[:, 2], legs[f"slide{k}.velocity"], atol=1e-10)

# %% [markdown]
# A **wrench** $W = (M_O, F)$ does the same for forces, and $W\cdot V$ is its power. Which wrenches do no work on the
# five passive joints of a leg? They are *reciprocal* to five screws, so there is one: what the motor feels. We know it
# without calculation: a force that does no work on the turns of the foot and of the ball passes through both. It is a
# force along the leg.

# %%
for k in range(6):
    (line,) = screws.reciprocal(np.delete(S[k][33], 2, axis=0))
    leg = S[k][33, 2, 3:]  # its direction
    force, moment = line[3:], line[:3]
    assert np.allclose(np.cross(force, leg), 0, atol=1e-12) and np.allclose(moment, np.cross(A[k], force), atol=1e-12)

# %% [markdown]
# These six lines, $n$ through $A$, are the platform's matrix, for velocities *and* for forces:
#
# $$\dot l = J\,V, \qquad W = J^T f, \qquad
#   J = \begin{pmatrix} (A_1\times n_1)^T & n_1^T \\ \vdots & \vdots \end{pmatrix}.$$
#
# The hand that leads the platform through the same motion has to give a wrench $W$, and the legs replace it.

# %%
J = np.stack([screws.wrench(S[k][:, 2, 3:], point=A[k]) for k in range(6)], axis=1)
speeds = np.stack([legs[f"slide{k}.velocity"] for k in range(6)], axis=1)
assert np.allclose(np.einsum("tkj,tj->tk", J, V), speeds, atol=1e-10)
W = np.einsum("tkj,tk->tj", J, forces)
assert np.allclose(W, hand.wrench("hand"), atol=1e-8)
assert np.allclose((W * V).sum(axis=1), (forces * speeds).sum(axis=1), atol=1e-8)  # and it has the same power

# %% [markdown]
# Is it true? Newton's and Euler's laws for the platform alone: the balls and its weight must give just the wrench that
# its acceleration needs,
#
# $$\sum_k W_{\text{ball}\,k} + W_{\text{weight}} = (I\dot\omega + \omega\times I\omega + r\times ma,\; m a).$$

# %%
r, acceleration, omega, alpha = (
    np.stack([legs[f"platform.{kind}{x}"] for x in "xyz"], axis=1) for kind in ("", "a", "w", "alpha")
)
R = legs.rotation("platform")
I = R @ np.diag([0.1, 0.1, 0.2]) @ R.transpose(0, 2, 1)
spin = np.einsum("tij,tj->ti", I, omega)
needed = screws.wrench(10 * acceleration, np.einsum("tij,tj->ti", I, alpha) + np.cross(omega, spin), r)
balls = sum(legs.wrench(f"ball{k}") for k in range(6))  # on the second body, the platform
weight = screws.wrench([0, 0, -98.1], point=r)
assert np.allclose(balls + weight, needed, atol=1e-8)

# %% [markdown]
# And the way back: give the forces, as tables, to six actuators, let the platform go with its first velocity, and see
# where it comes to.

# %%
free = stewart(None, position, rotation)
slides = [free.elements[f"slide{k}"] for k in range(6)]
pushed = free.plus(*(mbs.Actuator(f"force{k}", slides[k], mbs.Table(times, forces[:, k])) for k in range(6)))
first = {f"platform.{name}": legs[f"platform.{name}"][0] for name in ("vx", "vy", "vz", "wx", "wy", "wz")}
again = mbs.simulate(pushed, times[:51], first, rtol=1e-9)
error = np.abs(again.q - legs.q[:51]).max()
print(f"after {times[50]:.2f} s the platform is off by {error:.1e}")
assert error < 1e-5

# %% [markdown]
# ### What one cannot do with a twist
#
# To get from velocities to places one may be tempted to add up: $D_{k+1} = D_k + V_k\,\Delta t$, component by
# component. It is a method of first order: half the step, half the error. But the error against *what*? $\int v_O\,dt$
# is not the way of the platform, because $v_O$ belongs to another of its points at every moment; no small step mends
# that. A small screw motion in each step, the *exponential* of the twist, does go to the right place.

# %%
by_sum, by_screw = [], []
print("  steps    sum against its integral    sum against the way    screw motions against the way")
for steps in (200, 400, 800):
    fine = np.linspace(0, 2, steps + 1)
    twist = mbs.kinematics(stewart("hand", position, rotation), fine)
    V, way = twist.twist("platform"), np.array([twist[f"platform.{x}"] for x in "xyz"]).T
    D = screws.one_step(np.zeros(6), V, fine[1]).displacement[-1]
    integral = np.trapezoid(V, fine, axis=0)
    moved = way[0]
    for motion in screws.exponential(V[:-1], fine[1]):
        moved = motion[:3, :3] @ moved + motion[:3, 3]
    errors = [np.linalg.norm(x) for x in (D - integral, D[3:] - (way[-1] - way[0]), moved - way[-1])]
    print(f"{steps:7}    {errors[0]:24.2e}    {errors[1]:19.2e}    {errors[2]:25.2e}")
    by_sum.append(errors[:2])
    by_screw.append(errors[2])
by_sum = np.array(by_sum)
assert np.allclose(by_sum[:-1, 0] / by_sum[1:, 0], 2, atol=0.05)  # first order
assert np.allclose(by_sum[:, 1], by_sum[-1, 1], rtol=0.05) and by_sum[-1, 1] > 0.01  # but not to the way
assert np.allclose(np.divide(by_screw[:-1], by_screw[1:]), 2, atol=0.1)

# %% [markdown]
# ### A singular pose
#
# $W = J^Tf$ can be solved for the forces as long as the six lines are independent. We turn the platform about the
# vertical and look at the condition number of $J$ (moments divided by a length, here the radius of the platform). At a
# quarter of a turn it has no bound: there is a wrench that *no* forces in the legs can hold, and a motion that none of
# the legs notices.

# %%
turning = stewart("hand", HOME, turns.about_z(t))  # 1 rad/s
yaw = mbs.kinematics(turning, np.linspace(-0.5, 2.2, 271))
scale = np.repeat([0.2, 1.0], 3)


def lines_of(result):
    n = np.stack([result.rotation(f"tube{k}")[:, :, 2] for k in range(6)], axis=1)
    return np.concatenate([np.cross(A, n), n], axis=2)


condition = np.linalg.cond(lines_of(yaw) / scale)
least = np.interp(0, yaw.t, condition)
with style():
    figure = Picture(figsize=(9, 3.8), layout="constrained")
    for place, angle in ((1, 0.0), (2, np.pi / 2)):
        ax = figure.add_subplot(1, 3, place, projection="3d")
        draw_large(yaw, int(np.argmin(np.abs(yaw.t - angle))), ax)
        ax.set_title(f"yaw {np.degrees(angle):.0f}°")
    ax = figure.add_subplot(1, 3, 3)
    ax.semilogy(np.degrees(yaw.t), condition)
    ax.set(xlabel="yaw [°]", ylabel="condition number of the six lines", xticks=range(-30, 121, 30))
figure

# %%
misses = np.array([0.1, 0.01, 0.001])
near = mbs.kinematics(turning, [*(np.pi / 2 - misses), np.pi / 2])
numbers = np.linalg.cond(lines_of(near)[:3] / scale)
for miss, number in zip(misses, numbers, strict=True):
    print(f"{miss:5} rad before: condition number {number:7.1f}")
print(f"at yaw 0: {np.interp(0, yaw.t, condition):.1f}")
assert np.allclose(numbers * misses, numbers[-1] * misses[-1], rtol=0.02)  # inversely proportional

found = mbs.diagnose(stewart("legs", HOME, turns.about_z(sp.pi / 2)))
print(found.redundant[0])
assert (found.rank, found.degrees_of_freedom, found.generic_degrees_of_freedom) == (77, 1, 0)
assert [group.kind for group in found.redundant] == ["momentary"]

# %% [markdown]
# All six motors are locked, and the platform is loose: to first order it can turn about the vertical, sinking as it
# does so, and no leg gets longer. That motion is the null vector of $J$, a screw. Its pitch follows from
# $l^2 = R^2 + r^2 - 2Rr\cos(\psi\pm30°) + h^2$: with $\dot l = 0$ at $\psi = 90°$, it is $-Rr\cos 30°/h$.

# %%
_, sigma, rows = np.linalg.svd(lines_of(near)[-1])
loose_twist = rows[-1] / rows[-1][2]
print("sigma:", sigma.round(4), "\ntwist:", loose_twist.round(6), " pitch", screws.pitch(loose_twist).round(4), "m/rad")
assert sigma[-1] < 1e-12 * sigma[0] and np.allclose(loose_twist[[0, 1, 3, 4]], 0, atol=1e-9)
assert np.isclose(screws.pitch(loose_twist), -0.5 * 0.2 * np.cos(np.pi / 6) / 0.94)

# %% [markdown]
# ## 6. What rolls
#
# Up to here every condition was one between *places*, and restricted velocities because its derivative must vanish,
# too. There are others. A sleigh with a runner moves along it and not across; $-\dot x\sin\varphi + \dot y\cos\varphi
# = 0$. Is that the derivative of some $\Phi(x, y, \varphi)$, perhaps times a factor? For one condition $a\cdot\dot q =
# 0$ on three coordinates Frobenius gives the test: it is so just where $a\cdot(\nabla\times a) = 0$.

# %%
m, I, ahead = 2.0, 0.5, 0.3  # kg, kg m², m: the mass centre is ahead of the runner
ice = mbs.PlanarModel("sleigh")
sleigh = ice.body("sleigh", mass=m, inertia=I, com=(ahead, 0))
ice.add(mbs.KnifeEdge("runner", ice.ground, sleigh))
eq = mbs.equations(ice)
a, q = list(eq.Phi_q), list(eq.q)
curl = [a[(k + 2) % 3].diff(q[(k + 1) % 3]) - a[(k + 1) % 3].diff(q[(k + 2) % 3]) for k in range(3)]
test = sp.simplify(sum(x * y for x, y in zip(a, curl, strict=True)))
print("a =", a, "   a·(∇×a) =", test)
assert test**2 == 1 and len(eq.position_rows) == 0 and len(eq.rows) == 1

# %% [markdown]
# It never is. So the sleigh has *two* degrees of freedom of velocity, and yet *three* of position: it gets everywhere,
# sideways too, as everybody knows who has parked a car. Forward, turn, back, turn back, each by $\varepsilon$:

# %%
forward, left = screws.unit_screw(X, pitch=np.inf), screws.unit_screw(Z)
for eps in (0.4, 0.2, 0.1):
    T = np.eye(4)
    for step in (forward, left, -forward, -left):  # each in the sleigh's own axes
        T = T @ screws.exponential(step, eps)
    print(f"steps of {eps}: {T[0, 3]:+.4f} along, {T[1, 3]:+.4f} across")
    assert np.allclose(T[:3, :3], np.eye(3)) and np.isclose(T[1, 3], -eps * np.sin(eps))

# %% [markdown]
# Conditions on velocities take part in the equations of motion like all others, with a row in $\Phi_q$ and a
# multiplier: the force of the ice across the runner, which does no work. With $v$ along the runner and $J = I + m a^2$
#
# $$\dot v = a\,\omega^2, \qquad J\dot\omega = -m\,a\,v\,\omega \quad\Longrightarrow\quad
#   v = V\tanh(kt + c), \quad \omega = V\sqrt{m/J}\;/\cosh(kt + c), \quad k = maV/J .$$
#
# No friction at all, and energy is kept; but however it starts, it ends gliding straight on with the mass centre
# ahead. (Conditions on places alone keep volumes in phase space, by Liouville's theorem, and could not draw all
# motions to one.)

# %%
gliding = mbs.simulate(ice, np.linspace(0, 6, 301), {"sleigh.vx": -0.8, "sleigh.omega": 2.0}, **exact)
J = I + m * ahead**2
speed = np.sqrt(0.8**2 + J * 2.0**2 / m)
phase = m * ahead * speed / J * gliding.t + np.arctanh(-0.8 / speed)
heading = gliding["sleigh.angle"]
v = gliding["sleigh.vx"] * np.cos(heading) + gliding["sleigh.vy"] * np.sin(heading)
assert np.allclose(v, speed * np.tanh(phase), atol=1e-8)
assert np.allclose(gliding["sleigh.omega"], speed * np.sqrt(m / J) / np.cosh(phase), atol=1e-8)
assert np.abs(gliding.energy.error).max() < 1e-9
print(f"backwards at {-v[0]:.2f} m/s at first, forwards at {v[-1]:.2f} m/s in the end")

# %% [markdown]
# A coin on a table has one condition of each kind: it touches (1, of place), and it does not slip (2, of velocity).
# Five freedoms of place, three of velocity.

# %%
RADIUS, G = 0.5, 9.81


def coin(lean):
    """A thin disk of 1 kg on its rim; `lean` is the angle of its axis to the vertical (upright: 90°)."""
    model = mbs.SpatialModel("coin", gravity=(0, 0, -G))
    s, c = np.sin(lean), np.cos(lean)
    attitude = [[-1, 0, 0], [0, -c, s], [0, s, c]]  # its z axis is that of the coin, its y axis climbs
    thin = RADIUS**2 / 4
    body = model.body("coin", 1.0, (thin, thin, 2 * thin), position=(0, -RADIUS * c, RADIUS * s), rotation=attitude)
    model.add(mbs.RollingDisk("table", model.ground, body, radius=RADIUS))
    return model


def roll(lean, precession, about_axis, times):
    """Let it go: it turns about the vertical at `precession`, and with all of its ω at `about_axis` about its axis."""
    s, c = np.sin(lean), np.cos(lean)
    spin = about_axis - precession * c
    first = {"coin.wx": 0.0, "coin.wy": spin * s, "coin.wz": precession + spin * c}
    return mbs.simulate(coin(lean), times, first, **exact)


eq = mbs.equations(coin(1.2))
assert (len(eq.v), len(eq.position_rows), len(eq.rows)) == (6, 1, 3)
found = mbs.diagnose(coin(1.2))
assert found.degrees_of_freedom == 3

# %% [markdown]
# Leaning at $\theta$ and rolling in a circle is a steady motion if, with $I = \tfrac14 mR^2$ across and $2I$ about its
# axis,
#
# $$(2I + mR^2)\,\Omega\,\omega_3\sin\theta = I\,\Omega^2\sin\theta\cos\theta - m g R\cos\theta .$$
#
# The centre then goes round in a circle of radius $R\,|\omega_3/\Omega|$. After one round it is where it was and leans
# as it did, but it has *turned* about its axis, by an angle that depends on the circle. So by rolling it gets to every
# such attitude, though it cannot turn on the spot into any. No conditions on places could ask for that.

# %%
lean, thin = 1.2, RADIUS**2 / 4
drop = G * RADIUS * np.cos(lean)
all_turned = []
for precession in (-1.8, -2.0):
    axial = thin * precession**2 * np.sin(lean) * np.cos(lean) - drop
    axial /= 3 / 2 * RADIUS**2 * precession * np.sin(lean)
    circle = roll(lean, precession, axial, np.linspace(0, 2 * np.pi / abs(precession), 201))
    place = np.stack([circle[f"coin.{x}"] for x in "xyz"], axis=1)
    assert np.allclose(np.ptp(place[:, :2], axis=0), 2 * RADIUS * abs(axial / precession), rtol=1e-3)
    assert np.allclose(place[:, 2], RADIUS * np.sin(lean), atol=1e-8)

    R = circle.rotation("coin")
    turned = (axial - precession * np.cos(lean)) * circle.t[-1]  # about its own axis, in one round
    assert np.allclose(place[-1], place[0], atol=1e-7) and np.allclose(R[-1][:, 2], R[0][:, 2], atol=1e-7)
    assert np.allclose(R[0].T @ R[-1], turns.about_z(turned), atol=1e-7)
    all_turned.append(np.degrees(turned) % 360)
print("after one round it has turned by", " or ".join(f"{angle:.1f}°" for angle in all_turned))
assert abs(np.diff(all_turned)[0]) > 1 and min(all_turned) > 1

# %% [markdown]
# Rolling straight and upright is steady at any speed. But it is stable only if it is fast: for a small inclination
# $\varepsilon$
#
# $$(I + mR^2)\,\ddot\varepsilon = \left(mgR - 2\,(2I + mR^2)\,\omega_3^2\right)\varepsilon,
#   \qquad\text{stable for}\quad \omega_3^2 > \frac{g}{3R} .$$

# %%
def contact(run):
    """The lowest point of the rim, and the velocity of the coin's material there."""
    axis = run.rotation("coin")[:, :, 2]
    climb = np.array(Z) - axis[:, 2:] * axis
    arm = -RADIUS * climb / np.linalg.norm(climb, axis=1)[:, None]
    place, velocity, omega = (np.stack([run[f"coin.{kind}{x}"] for x in "xyz"], axis=1) for kind in ("", "v", "w"))
    return place + arm, velocity + np.cross(omega, arm)


limit, tilt = np.sqrt(G / (3 * RADIUS)), 1e-3
upright = {}
for factor in (1.5, 0.7):
    rate = factor * limit
    run = roll(np.pi / 2 + tilt, 2 * rate * tilt, rate, np.linspace(0, 6, 601))
    stiffness = (3 * RADIUS**2 * rate**2 - G * RADIUS) / (5 / 4 * RADIUS**2)
    small = tilt * np.cos(np.emath.sqrt(stiffness) * run.t).real  # a cosh where the stiffness is negative
    epsilon = -np.arcsin(run.rotation("coin")[:, 2, 2])
    print(f"{factor} times the limit: leans at most {np.degrees(np.abs(epsilon).max()):.2f}°")
    early = np.abs(small) < 0.03
    assert np.allclose(epsilon[early], small[early], atol=1e-5)
    assert np.abs(contact(run)[1]).max() < 1e-9 and np.abs(run.energy.error).max() < 1e-8
    upright[f"{factor} times the limit"] = run

with style():
    figure = Picture(figsize=(6.4, 3.4), layout="constrained")
    ax = figure.add_subplot()
    for name, run in {"leaning, steady": circle, **upright}.items():
        ax.plot(*contact(run)[0][:, :2].T, label=name)
    ax.set(xlabel="x [m]", ylabel="y [m]", aspect="equal", xlim=(-1, 6), title="Where the coin touches the table")
    ax.legend()
figure

# %% [markdown]
# ## 7. What to take along
#
# - An attitude needs four numbers, angular velocity three: the velocities are not the rates of the coordinates.
# - Count by *rank*. A loop of hinges in the plane has three equations too many, and Bricard's has one; the motion is
#   right, the reactions are not all unique, and balls and sleeves make them so.
# - The lines of the legs (reciprocal screws) tell all of a parallel robot: its velocities, its forces, its singular
#   poses.
# - What rolls has fewer velocities than places.
#
# The last cell counts once more: loops of hinges in other arrangements. Seven hinges anywhere give one degree of
# freedom, six anywhere none; four whose axes meet in a point move on a sphere, again with three equations too many.


# %%
def ring(points, axes):
    """A closed chain of hinges; its last bar is the ground."""
    model = mbs.SpatialModel("ring")
    n = len(points)
    bars = [model.link(f"bar{k}", points[k], points[k + 1], mass=1, radius=0.01) for k in range(n - 1)]
    chain = [model.ground, *bars, model.ground]
    for k in range(n):
        model.add(mbs.Revolute(f"hinge{k}", chain[k], chain[k + 1], at=points[k], axis=axes[k]))
    return mbs.diagnose(model)


anywhere = random.normal(size=(2, 7, 3))
sphere = anywhere[0][:4] / np.linalg.norm(anywhere[0][:4], axis=1)[:, None]
rings = {
    "seven, anywhere": (ring(*anywhere), 1, 0),
    "six, anywhere": (ring(*anywhere[:, :6]), 0, 0),
    "four, axes through a point": (ring(sphere, sphere), 1, 3),
}
for name, (found, freedom, too_many) in rings.items():
    print(f"{name:28} count {found.gruebler:2}, degrees of freedom {found.degrees_of_freedom}")
    assert found.degrees_of_freedom == freedom and found.equations - found.rank == too_many
