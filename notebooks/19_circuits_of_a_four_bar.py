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
# # A four-bar of which no link goes round: its circuits
#
# A linkage can be put together in two ways, with the coupler on one side or on the other. Can it go from one to the
# other by itself, without being taken apart? If so, both are on one *circuit*, the curve of all poses that can be
# reached. We follow this curve through the poses where the crank turns back, find both ways to assemble the linkage
# on it, and see how one circuit becomes two when a single bar gets longer.
#
# The file is a notebook and a plain script: open it with Jupyter (jupytext), or run
# `python notebooks/19_circuits_of_a_four_bar.py`. How curves are followed is told in
# [Curves of poses](../docs/follow.md).

# %%
import numpy as np

import mbs_dae as mbs
from mbs_dae.view.style import BESIDE, Picture, style

BLUE, ORANGE, GREEN, GREY, DARK = "#0072B2", "#D55E00", "#009E73", "#999999", "#333333"

# %% [markdown]
# ## 1. The linkage
#
# Crank $a$ = AB, coupler $b$ = BC, rocker $c$ = CD, ground $d$ = AD along the x axis. With the crank at an angle
# $\theta$ the pin C is where two circles meet, above the line BD or below it.


# %%
def four_bar(a, b, c, d, theta, side=1):
    B, D = a * np.exp(1j * theta), d
    f = abs(D - B)
    along = (b * b - c * c + f * f) / (2 * f)
    C = B + (along + 1j * side * np.sqrt(b * b - along * along)) * (D - B) / f
    points = {"A": (0, 0), "B": (B.real, B.imag), "C": (C.real, C.imag), "D": (d, 0)}
    model = mbs.PlanarModel.from_points(points, rods={"crank": "AB", "coupler": "BC", "rocker": "DC"}, fixed="AD")
    model.bodies["coupler"].marker("P", 0.1, 0.3)
    return model


a, b, c, d = 0.6, 0.7, 0.8, 1.0  # m
model = four_bar(a, b, c, d, theta=0.5)
mbs.assemble(model).draw()

# %% [markdown]
# Grashof's rule: the shortest link goes round against the others if it and the longest one are together shorter than
# the other two. Here they are not, so no link goes round.

# %%
shortest, *others, longest = sorted([a, b, c, d])
print(f"shortest + longest = {shortest + longest:.1f} m, the others {sum(others):.1f} m")
assert shortest + longest > sum(others)

# %% [markdown]
# A motor that turns the crank on and on must stop where coupler and rocker are in line. In the triangle with the sides
# $a$, $d$ and $b + c$
#
# $$\cos\theta = \frac{a^2 + d^2 - (b + c)^2}{2 a d}.$$

# %%
dead = np.arccos((a**2 + d**2 - (b + c) ** 2) / (2 * a * d))
driven = model.plus(mbs.Driver("motor", mbs.angle(model.elements["A"]), 0.5 + mbs.t))
try:
    mbs.kinematics(driven, np.linspace(0, 2 * np.pi, 181))
except mbs.SingularConfigurationError as error:
    reached = 0.5 + error.time
    print(error)
print(f"the crank has come to {np.degrees(reached):.6f}°; the triangle says {np.degrees(dead):.6f}°")
assert abs(reached - dead) < 1e-6

# %% [markdown]
# ## 2. The whole motion
#
# The angle of the crank is a poor parameter there: the linkage does not stop, the crank does. `mbs.follow` lets the
# motor go, and goes by the length of the arc in the space of all poses. For the arc the dead point is a pose like any
# other.

# %%
curve = mbs.follow(driven, "crank.angle")
print(curve)
for point in curve.dead_points:
    print(f"{point.name} turns back at {np.degrees(point.value):+.6f}°, after {point.s:.3f} m of the arc")
low, high = curve.limits("crank.angle")
assert curve.closed and max(abs(high - dead), abs(low + dead)) < 1e-12

# %% [markdown]
# The curve is closed: after a lap the linkage is back where it began. Between the dead points one angle of the crank is
# one pose; these parts are the *branches* of the circuit. In both of them the crank has the same values, and the rocker
# has two.

# %%
curve.plot("rocker.angle")

# %%
curve.plot_path("coupler.P")

# %% [markdown]
# ## 3. Both ways to put it together
#
# All poses of this circuit with the crank at 30°:

# %%
poses = curve.states_where("crank.angle", np.radians(30))
modes = [mbs.assemble(four_bar(a, b, c, d, np.radians(30), side)) for side in (1, -1)]


def corners(state):
    """The pins, in their order."""
    return np.array([(0, 0), *((state[f"{rod}.x"], state[f"{rod}.y"]) for rod in ("coupler.B", "coupler.C")), (d, 0)]).T


with style():
    figure = Picture(figsize=(7.4, 4.0), layout="constrained")
    ax = figure.subplots()
    lap = np.linspace(0, len(curve) - 1, 21).astype(int)[:-1]
    for k in lap:
        ax.plot(*corners(curve.state(k)), color=GREY, linewidth=0.6, label="along the lap" if k == lap[0] else "_")
    for state, colour, name in zip(poses, (BLUE, ORANGE), ("one", "the other"), strict=True):
        ax.plot(*corners(state), "o-", color=colour, linewidth=2.2, markersize=5, label=f"crank at 30°, {name}")
    ax.plot(*corners(curve.dead_points[0].state), "o--", color=DARK, markersize=4, label="dead point of the crank")
    ax.plot([0, d], [0, 0], linestyle="none", marker="^", markersize=9, color=DARK, label="pins on the ground")
    ax.set_aspect("equal")
    ax.set_xlabel("x [m]")
    ax.set_ylabel("y [m]")
    ax.legend(**BESIDE)
figure

# %% [markdown]
# They are the two triangles over BD. The linkage has *one* circuit, and it can be put together as one likes.

# %%
there = sorted(state["rocker.angle"] % (2 * np.pi) for state in poses)
assert np.allclose(there, sorted(state["rocker.angle"] % (2 * np.pi) for state in modes), rtol=0, atol=1e-12)
print("rocker at", ", ".join(f"{np.degrees(angle):.4f}°" for angle in there))

# %% [markdown]
# ## 4. From one circuit to two
#
# We make the rocker longer. At $c$ = 0.9 m the shortest and the longest link are together just as long as the others:
# all bars can lie in one line, with the crank at 180°. Beyond that the crank goes round.


# %%
def circuits(c):
    """All circuits: from both modes, those that are not on another one."""
    found = []
    for side in (1, -1):
        start = four_bar(a, b, c, d, 0.5, side)
        angle = mbs.assemble(start)["rocker.angle"]
        known = [s["rocker.angle"] for one in found for s in one.states_where("crank.angle", 0.5)]
        if all(abs(np.exp(1j * angle) - np.exp(1j * other)) > 1e-9 for other in known):
            found.append(mbs.follow(start, "crank.angle"))
    return found


lengths = 0.86, 0.90, 0.94  # m
all_circuits = {length: circuits(length) for length in lengths}
print(f"{'c [m]':>6} {'curves':>7} {'crank from':>11} {'to':>8} {'branch points':>14}")
for length, found in all_circuits.items():
    for one in found:
        low, high = np.degrees(one.limits("crank.angle"))
        print(f"{length:6.2f} {len(found):7d} {low:10.3f}° {high:7.3f}° {len(one.branch_points):14d}")

# %%
with style():
    figure = Picture(figsize=(9.0, 3.4), layout="constrained")
    titles = "one circuit", "branches cross", "two circuits"
    for ax, length, title in zip(figure.subplots(1, 3, sharex=True, sharey=True), lengths, titles, strict=True):
        for one, colour in zip(all_circuits[length], (BLUE, ORANGE), strict=False):
            x, y = (np.degrees(one[f"{name}.angle"]) % 360 for name in ("crank", "rocker"))
            gap = np.abs(np.diff(x)) > 180
            x, y = (np.insert(values, np.flatnonzero(gap) + 1, np.nan) for values in (x, y))
            ax.plot(x, y, color=colour)
        for point in all_circuits[length][0].branch_points[:1]:
            at = [np.degrees(point.state[f"{name}.angle"]) % 360 for name in ("crank", "rocker")]
            ax.plot(*at, "X", markersize=8, linestyle="none", color=DARK, label="branch point")
            ax.legend(loc="lower right")
        ax.set_title(f"c = {length:.2f} m: {title}")
        ax.set_xlabel("crank angle [°]")
        ax.set_xlim(90, 270)
        ax.set_ylim(90, 270)
        ax.set_xticks((135, 180, 225))
        ax.set_yticks(range(90, 271, 45))
    figure.axes[0].set_ylabel("rocker angle [°]")
figure

# %% [markdown]
# Around the pose in one line the curves look like the contour lines of a saddle: below its height they pass it left and
# right, so that the crank cannot get through at 180°; above it they pass over and under it, and the crank goes round on
# both. At its height two branches cross. There the linkage may go on either way, and the curve tells the point: going
# straight on, it passes it twice in a lap, in which the crank turns twice.

# %%
flat = all_circuits[0.90][0]
for point in flat.branch_points:
    print(point, "crank at", f"{np.degrees(point.state['crank.angle']) % 360:.9f}°")
print(f"the crank turns by {np.degrees(np.ptp(flat['crank.angle'])):.6f}° in a lap")

# %% [markdown]
# ## 5. What to take along
#
# - A dead point belongs to what drives a linkage, and a circuit to the linkage: the arc has no dead points.
# - If no link goes round, both ways to assemble a four-bar are on one circuit; of a Grashof linkage they are on two.
# - Between the two kinds there is the linkage that can lie in one line, where branches cross.

# %%
assert [len(all_circuits[length]) for length in lengths][::2] == [1, 2]
assert all(np.isinf(one.limits("crank.angle")).all() for one in all_circuits[0.94])
assert len(flat.branch_points) == 2 and np.isclose(np.ptp(flat["crank.angle"]), 4 * np.pi)
assert all(abs(np.sin(point.state["crank.angle"])) < 1e-12 and len(point.tangents) == 2 for point in flat.branch_points)
