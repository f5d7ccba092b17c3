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
# # Natural coordinates
#
# A four-bar linkage has three moving bodies, nine Cartesian coordinates and eight equations of its pins. But two moving
# points say all: the pins $P$ and $Q$ of the coupler. Four numbers, and three equations: each bar keeps its length.
# We write this down in numpy, solve it, and let `mbs_dae` do the same.
#
# The rules are on the page [Natural coordinates](../docs/natural-coordinates.md). This file is a notebook and a plain
# script: open it with Jupyter (jupytext), or run `python notebooks/06_natural_coordinates.py`.

# %%
import numpy as np

import mbs_dae as mbs
from mbs_dae.view.style import COLOURS, Picture, style

crank, coupler, rocker, ground = 0.1, 0.35, 0.25, 0.3  # m
masses = 0.5, 2.0, 1.5  # kg
A, D = np.zeros(2), np.array([ground, 0.0])

# %% [markdown]
# ## 1. Four unknowns, three equations
#
# $q = (P, Q)$, and with the fixed points $A$ and $D$
#
# $$\Phi = \begin{pmatrix} |P - A|^2 - a^2 \\ |Q - P|^2 - b^2 \\ |Q - D|^2 - c^2 \end{pmatrix} = 0, \qquad
#   \Phi_q = 2 \begin{pmatrix} (P - A)^T & 0 \\ -(Q - P)^T & (Q - P)^T \\ 0 & (Q - D)^T \end{pmatrix}.$$
#
# No sine, no cosine: $\Phi$ is quadratic, so $\Phi_q$ is linear in $q$, and $\gamma = -(\Phi_q \dot q)_q\, \dot q$ is
# $\Phi_q$ of the velocities times the velocities, with a minus sign.


# %%
def phi(q):
    P, Q = q[:2], q[2:]
    ways = P - A, Q - P, Q - D
    return np.array([w @ w - length**2 for w, length in zip(ways, (crank, coupler, rocker), strict=True)])


def jacobian(q, fixed=(A, D)):
    P, Q = q[:2], q[2:]
    rows = [np.append(P - fixed[0], [0, 0]), np.append(P - Q, Q - P), np.append([0, 0], Q - fixed[1])]
    return 2 * np.array(rows)


def gamma(v):
    return -jacobian(v, fixed=(0.0, 0.0)) @ v


# %% [markdown]
# ## 2. Newton
#
# The crank is driven, $\theta = \theta_0 + \omega t$. One equation more says that $P$ lies in its direction,
# $x_P \sin\theta - y_P \cos\theta = 0$. Four equations, four unknowns. From any rough guess:


# %%
def closed(theta, q, tell=False):
    across = np.array([np.sin(theta), -np.cos(theta)])
    for step in range(20):
        residual = np.append(phi(q), across @ q[:2])
        if tell:
            print(f"  step {step}: |residual| = {np.abs(residual).max():.1e}")
        if np.abs(residual).max() < 1e-14:
            return q
        q = q - np.linalg.solve(np.vstack([jacobian(q), [*across, 0, 0]]), residual)
    raise ValueError("the bars do not reach")


theta0, omega = 1.0, 8.0
start = closed(theta0, np.array([0.05, 0.08, 0.35, 0.3]), tell=True)
print("P =", start[:2].round(5), " Q =", start[2:].round(5))

# %% [markdown]
# ## 3. A mass matrix that does not change
#
# The point of a uniform bar at the part $s$ of its length moves with $(1 - s)\,\dot P + s\,\dot Q$. So
#
# $$T = \frac{m}{2} \int_0^1 |(1 - s)\,\dot P + s\,\dot Q|^2\, ds
#     = \frac{m}{6} \left( |\dot P|^2 + \dot P \cdot \dot Q + |\dot Q|^2 \right),$$
#
# a third of the mass at each end, and a sixth between them. It stays so however the bar turns: no centripetal terms.

# %%
m1, m2, m3 = masses
M = np.kron([[m1 / 3 + m2 / 3, m2 / 6], [m2 / 6, m2 / 3 + m3 / 3]], np.eye(2))
weight = np.array([0.0, -9.81])
Q_forces = np.concatenate([(m1 + m2) / 2 * weight, (m2 + m3) / 2 * weight])
print(M.round(4))

# %% [markdown]
# Now the crank turns freely, at this moment with $\omega$. Velocities follow from $\Phi_q \dot q = 0$, accelerations
# from
#
# $$\begin{pmatrix} M & \Phi_q^T \\ \Phi_q & 0 \end{pmatrix} \begin{pmatrix} \ddot q \\ \lambda \end{pmatrix}
#   = \begin{pmatrix} Q \\ \gamma \end{pmatrix}.$$

# %%
P = start[:2]
swept = omega * np.array([-P[1], P[0]])
v = np.linalg.solve(np.vstack([jacobian(start), [*swept, 0, 0]]), [0, 0, 0, swept @ swept])
Phi_q = jacobian(start)
kkt = np.block([[M, Phi_q.T], [Phi_q, np.zeros((3, 3))]])
a = np.linalg.solve(kkt, np.concatenate([Q_forces, gamma(v)]))[:4]
print("velocities   ", v.round(4), "m/s")
print("accelerations", a.round(3), "m/s²")

# %% [markdown]
# ## 4. The same by `mbs_dae`
#
# A model says bodies, markers and joints. Which coordinates it is computed in is said when it is compiled; results are
# those of bodies whatever these are, and `result.own` has the points.

# %%
model = mbs.PlanarModel("four-bar", gravity=(0.0, -9.81))
P, Q = start[:2], start[2:]
bars = [
    model.link("crank", A, P, mass=m1),
    model.link("coupler", P, Q, mass=m2),
    model.link("rocker", Q, D, mass=m3),
]
model.add(
    mbs.Revolute("A", model.ground, bars[0].tail),
    mbs.Revolute("P", bars[0].head, bars[1].tail),
    mbs.Revolute("Q", bars[1].head, bars[2].tail),
    mbs.Revolute("D", model.ground.at(*D), bars[2].head),
)
system = model.compile("natural")
print(system, system.coordinate_names)
free = mbs.simulate(system, np.linspace(0, 1, 201), initial={"crank.omega": omega})
own = free.own
for name, mine, its in (("q", start, own.q[0]), ("v", v, own.v[0]), ("a", a, own.a[0])):
    print(f"{name}: the largest difference is {np.abs(mine - its).max():.1e}")
    assert np.allclose(mine, its, rtol=1e-8, atol=1e-8)

# %% [markdown]
# And along a whole turn of a driven crank, each pose by our own Newton from the last one:

# %%
times = np.linspace(0, 2 * np.pi / omega, 121)
motor = mbs.Driver("motor", mbs.angle(model.ground, bars[0]), theta0 + omega * mbs.t)
driven = mbs.kinematics(model.plus(motor).compile("natural"), times)
mine, q = [], start
for moment in times:
    q = closed(theta0 + omega * moment, q)
    mine.append(q)
error = np.abs(np.array(mine) - driven.own.q).max()
print(f"{len(times)} poses, largest difference {error:.1e} m")
assert error < 1e-10

with style():
    picture = Picture(figsize=(8, 3.4), layout="constrained")
    left, right = picture.subplots(1, 2)
    for k in range(0, 120, 15):
        chain = np.array([A, driven.own.q[k, :2], driven.own.q[k, 2:], D])
        left.plot(*chain.T, "o-", color=COLOURS[0], alpha=0.25 + 0.75 * (k == 0), markersize=3)
    left.plot(*driven.own.q[:, :2].T, color=COLOURS[1], label="$P$")
    left.plot(*driven.own.q[:, 2:].T, color=COLOURS[2], label="$Q$")
    left.set(xlabel="$x$ [m]", ylabel="$y$ [m]", aspect="equal", title="two points say all")
    left.legend()
    for k, name in enumerate(driven.own.names):
        right.plot(times, driven.own.a[:, k], label=name)
    right.set(xlabel="$t$ [s]", ylabel="acceleration [m/s²]", title="$\\ddot q$")
    right.legend()
picture

# %% [markdown]
# ## 5. A body in space
#
# In space a body needs four points and vectors, twelve numbers with six inner products. Here is a top: its tip stands
# still, so a point of its base is no unknown: nine numbers, six equations, three degrees of freedom. There are no
# angles and no quaternions, and $M$ is constant here, too. A top that spins fast enough precesses slowly,
# $\Omega \approx m g l / (I_3\, \omega)$.

# %%
mass, reach, I1, I3, spin = 1.0, 0.1, 0.012, 0.004, 400.0
tilt = 0.5
top = mbs.SpatialModel("top", gravity=(0, 0, -9.81))
leaning = mbs.rotations.about_x(tilt)
body = top.body("top", mass=mass, inertia=(I1, I1, I3), com=(0, 0, reach), rotation=leaning)
top.add(mbs.Spherical("tip", top.ground, body))
times = np.linspace(0, 0.5, 501)
about_its_axis = {"top.wx": 0.0, "top.wy": -spin * np.sin(tilt), "top.wz": spin * np.cos(tilt)}
rotation = mbs.simulate(top.compile("natural"), times, initial=about_its_axis, rtol=1e-9)
print(rotation, rotation.own.q.shape[1], "numbers")
names = rotation.own.names
print(names)

# %%
axis = rotation.own.q[:, 6:9]  # the third vector: the body's z axis
turned = np.unwrap(np.arctan2(axis[:, 1], axis[:, 0]))
measured, expected = np.polyfit(times, turned, 1)[0], mass * 9.81 * reach / (I3 * spin)
print(f"precession {measured:.3f} rad/s, by the formula {expected:.3f} rad/s")
with style():
    picture = Picture(figsize=(8, 3.2), layout="constrained")
    left, right = picture.subplots(1, 2)
    left.plot(axis[:, 0], axis[:, 1], color=COLOURS[0])
    left.set(xlabel="$z_x$ [1]", ylabel="$z_y$ [1]", title="the axis of the top, from above", aspect="equal")
    right.plot(times, turned - turned[0], color=COLOURS[1], label="of the axis")
    right.plot(times, expected * times, "--", color="black", label="by the formula")
    right.set(xlabel="$t$ [s]", ylabel="angle about the vertical [rad]", title="precession")
    right.legend()
picture

# %% [markdown]
# ## 6. What to take along
#
# - Points that pins have in common are said once, and the pins' equations are gone.
# - What remains are inner products: quadratic, with a Jacobian that is linear in $q$.
# - The mass matrix is constant; nothing turns, so there are no centripetal and no gyroscopic terms.
#
# In the [eighth notebook](08_coordinate_sets.py) the same linkage is written in three other sets of coordinates. The
# last cell repeats what we claimed in Cartesian coordinates.

# %%
cartesian = mbs.simulate(model, free.t, initial={"crank.omega": omega}, rtol=1e-9)
natural = mbs.simulate(system, free.t, initial={"crank.omega": omega}, rtol=1e-9)
for name in ("crank.omega", "coupler.x", "rocker.angle"):
    assert np.allclose(cartesian[name], natural[name], rtol=1e-5, atol=1e-5)
assert np.isclose(measured, expected, rtol=0.05)
