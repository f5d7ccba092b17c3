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
# # A robot arm
#
# Where is the hand, if the joints are known? And which joints put the hand where it is wanted? The first question,
# the *forward* geometric model, has one answer, a product of matrices. The second, the *inverse* one, may have none,
# one, or many. We build an arm of six joints from a table, ask both questions, look at all eight answers, and at last
# drive the hand along a line and see where the arm loses a direction.
#
# The file is a notebook and a plain script: open it with Jupyter (jupytext), or run `python notebooks/09_robot_arm.py`.
# What every function takes and gives is in [Robot arms](../docs/robot-arms.md).

# %%
import numpy as np

import mbs_dae as mbs
from mbs_dae.view.style import COLOURS, Picture, style

# %% [markdown]
# ## 1. From a table to a model
#
# Denavit and Hartenberg say a serial arm by four numbers for each link. Frame $\{0\}$ is the world, frame $\{i\}$ is
# fixed on link $i$, and row $i$ leads from frame $\{i-1\}$ to frame $\{i\}$: turn by $\theta$ about $z$, go by $d$
# along $z$, go by $a$ along the new $x$, turn by $\alpha$ about it,
#
# $${}^{i-1}_{i}T = \begin{pmatrix}
#   \cos\theta & -\sin\theta\cos\alpha & \sin\theta\sin\alpha & a\cos\theta \\
#   \sin\theta & \cos\theta\cos\alpha & -\cos\theta\sin\alpha & a\sin\theta \\
#   0 & \sin\alpha & \cos\alpha & d \\ 0 & 0 & 0 & 1 \end{pmatrix}.$$
#
# The upper left $3\times3$ is a rotation, the last column the origin: a *homogeneous* matrix. With a revolute joint
# $\theta$ is its angle $q_i$, so **joint $i$ turns about the $z$ axis of frame $\{i-1\}$**. The sizes below are like
# those of a Puma 560.

# %%
TABLE = [  # a [m], alpha [rad], d [m]
    (0.0, np.pi / 2, 0.67),
    (0.4318, 0.0, 0.15),
    (0.0203, -np.pi / 2, 0.0),
    (0.0, np.pi / 2, 0.4318),
    (0.0, -np.pi / 2, 0.0),
    (0.0, 0.0, 0.10),
]
JOINTS = [f"joint{k}.angle" for k in range(1, 7)]


def transform(theta, a, alpha, d):
    c, s, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
    return np.array([[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0, sa, ca, d], [0, 0, 0, 1]])


model = mbs.SpatialModel("arm", gravity=(0, 0, -9.81))
T, before = np.eye(4), model.ground
for k, (a, alpha, d) in enumerate(TABLE, start=1):
    at, axis = tuple(T[:3, 3]), tuple(T[:3, 2])  # of frame k - 1
    T = T @ transform(0.0, a, alpha, d)
    link = model.body(f"link{k}", mass=1.0, inertia=0.01, position=tuple(T[:3, 3]), rotation=T[:3, :3])
    model.add(mbs.Revolute(f"joint{k}", before, link, at=at, axis=axis))
    before = link
link.marker("flange", 0, 0, 0)
mbs.topology(model)

# %% [markdown]
# ## 2. Forward
#
# `forward_kinematics` takes joint values by name and gives the frames of all bodies and markers. It is the product of
# the matrices of the table, whether one takes all of it or one link seen from another:

# %%
q = np.array([0.5, 0.6, -0.4, 0.9, 0.8, -0.3])
fk = mbs.forward_kinematics(model, dict(zip(JOINTS, q, strict=True)))
product = np.eye(4)
for theta, row in zip(q, TABLE, strict=True):
    product = product @ transform(theta, *row)
print(fk["link6.flange"].round(4))
assert np.allclose(fk["link6.flange"], product, atol=1e-14)
assert np.allclose(fk.transform("link4", relative_to="link3"), transform(q[3], *TABLE[3]), atol=1e-14)

# %% [markdown]
# ## 3. Inverse
#
# Now forget $q$, and ask for it. A pose is six conditions, and there are six joints, so as a rule solutions stand
# alone, and there are finitely many.

# %%
target = fk["link6.flange"]
found = mbs.inverse_kinematics(model, {"link6.flange": target})
print(found)
assert len(found) == 8 and any(np.allclose([s[name] for name in JOINTS], q, atol=1e-9) for s in found)

# %% [markdown]
# Eight: the axes 4, 5 and 6 meet in one point, the wrist, so the question splits into two. Where the wrist has to be
# asks for $q_1, q_2, q_3$, and is answered with the shoulder on the left or on the right, and with the elbow up or
# down. What is left of the rotation asks for $q_4, q_5, q_6$, and if they are an answer, so are
# $q_4+\pi,\ -q_5,\ q_6+\pi$: the wrist flipped. $2\cdot2\cdot2=8$.
#
# Flipped wrists look the same, so there are four pictures of two solutions each. The dot is the flange, and it is at
# the same place in all of them; the short line is its $z$ axis.


# %%
def skeleton(solution):
    """Shoulder, elbow, wrist and flange."""
    fk = mbs.forward_kinematics(model, solution.joints)
    shoulder = fk.point("link1") + 0.15 * fk.rotation("link1")[:, 2]  # beside the column by d₂
    names = "link2", "link3", "link4", "link6.flange"
    return np.array([(0, 0, 0), fk.point("link1"), shoulder, *map(fk.point, names)]), fk["link6.flange"]


def kind(solution):
    """Which way to the wrist."""
    return tuple(np.round(solution.point("link4") - solution.point("link2"), 6)), round(np.cos(solution[JOINTS[0]]), 6)


ways = sorted({kind(s) for s in found})
with style():
    figure = Picture(figsize=(8.0, 7.2), layout="constrained")
    for k, way in enumerate(ways):
        ax = figure.add_subplot(2, 2, k + 1, projection="3d")
        same = [s for s in found if kind(s) == way]
        points, T = skeleton(same[0])
        ax.plot(*points.T, "o-", color=COLOURS[k], lw=4, ms=5, solid_capstyle="round")
        ax.plot(*points[-1:].T, "o", color="k", ms=7)
        tip = T[:3, 3] + 0.15 * T[:3, 2]
        ax.plot(*np.array([T[:3, 3], tip]).T, color="k", lw=1.5)
        angles = "\n".join("q = " + ", ".join(f"{np.degrees(s[name]):.0f}" for name in JOINTS) for s in same)
        ax.set_title(f"{angles}  [°]", fontsize=8)
        ax.set(xlim=(-0.6, 0.6), ylim=(-0.6, 0.6), zlim=(0, 1.2), xlabel="x", ylabel="y", zlabel="z")
        ax.view_init(18, -60)
figure

# %% [markdown]
# Joints of a real arm have limits. Every solution keeps them; if they exclude all, the answer names the joints:

# %%
limits = {"joint1.angle": (-1.5, 1.5), "joint5.angle": (0.0, 2.0)}
few = mbs.inverse_kinematics(model, {"link6.flange": target}, limits=limits)
none = mbs.inverse_kinematics(model, {"link6.flange": target}, limits=limits | {"joint3.angle": (-0.3, 0.3)})
print(few)
print(none.message)
assert 0 < len(few) < 8 and not none.reachable and "joint3.angle" in none.excluded_by

# %% [markdown]
# And what is too far is not reached. No error: the answer says so, with the pose that comes nearest. Of a point, the
# nearest place is on the way from the shoulder.

# %%
far = mbs.inverse_kinematics(model, {"link6.flange": (1.2, 0.6, 1.0)})
print(far.message, far.nearest.point("link6.flange").round(4), sep="\n")
assert not far.reachable and far.nearest.gap > 0.1

# %% [markdown]
# ## 4. Along a line
#
# The velocity of the flange is linear in the rates of the joints, $v = J\dot q$. The image of all $|\dot q|\le1$ is an
# ellipsoid; its half axes are the singular values of $J$, and their product $w=\sqrt{\det JJ^T}$ is the
# *manipulability*. Where it vanishes, a direction is lost.
#
# Let the flange keep its attitude and go out along a straight line until the arm is stretched. From one pose to the
# next we take the solution next to the last one: `all=False`, with the last one for a start.

# %%
attitude = np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]])  # the flange looks along x
xs = np.linspace(0.45, 1.1, 66)
way, reached, values, shortest = {name: 0.3 for name in JOINTS}, [], [], []
for x in xs:
    step = mbs.inverse_kinematics(model, {"link6.flange": ((x, 0.15, 0.67), attitude)}, start=way, all=False)
    if not step.reachable:
        break
    way = dict(step[0].joints)
    w = mbs.manipulability(step[0].state, "link4")  # of the wrist: what the first three joints do
    reached.append(x)
    values.append(w.value)
    shortest.append(w.singular_values[-1])
limit = 0.4318 + np.hypot(0.0203, 0.4318) + 0.10  # both links and the flange in one line
print(f"reached x = {reached[-1]:.2f} m; stretched at {limit:.4f} m")

with style():
    figure = Picture(figsize=(6.4, 3.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.plot(reached, values, color=COLOURS[0])
    left.set(xlabel="x of the flange [m]", ylabel="manipulability of the wrist [m³]", ylim=(0, None))
    right.plot(reached, shortest, color=COLOURS[1])
    right.set(xlabel="x of the flange [m]", ylabel="shortest half axis [m]", ylim=(0, None))
figure

# %% [markdown]
# Both curves go to zero at the end of the reach: there the wrist can still go sideways and back, but no rate of the
# joints moves it outwards. The last check asks the arm beyond it.

# %%
beyond = mbs.inverse_kinematics(model, {"link6.flange": ((limit + 0.05, 0.15, 0.67), attitude)})
print(beyond.message)
assert reached[-1] < limit < reached[-1] + 0.011
assert values[-1] < 0.3 * max(values) and not beyond.reachable
