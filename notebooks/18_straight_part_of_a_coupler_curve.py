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
# # A coupler curve with a straight part
#
# A point of the coupler of a four-bar is to go straight on for 400 mm while the crank makes half a turn, and come back
# in a bow: that is what walking machines and film transports need. No four-bar draws an exact straight line there.
# How near can it come?
#
# The file is a notebook and a plain script: open it with Jupyter (jupytext), or run
# `python notebooks/18_straight_part_of_a_coupler_curve.py`. What can be asked for is told in
# [Optimisation, fits and tolerances](../docs/optimisation.md).

# %%
import numpy as np

import mbs_dae as mbs
from mbs_dae.view.style import BESIDE, Picture, style

# %% [markdown]
# ## 1. A four-bar that was guessed
#
# Crank a = 100 mm, coupler b, rocker c, ground d along the x axis. The point P is p away from the crank pin along the
# coupler, and q across it. A link has its origin in its middle.


# %%
def four_bar():
    model = mbs.PlanarModel("four-bar")
    a, b, c, d, p, q = (model.parameter(name, value, unit="m") for name, value in
                        {"a": 0.10, "b": 0.26, "c": 0.24, "d": 0.21, "p": 0.50, "q": 0.0}.items())  # fmt: skip
    crank = model.link("crank", (0, 0), (0, 0.10), length=a)
    coupler = model.link("coupler", (0, 0.10), (0.21, 0.24), length=b)
    rocker = model.link("rocker", (0.21, 0), (0.21, 0.24), length=c)
    coupler.marker("P", p - b / 2, q)
    model.add(
        mbs.Revolute("O", model.ground, crank.tail),
        mbs.Revolute("A", crank.head, coupler.tail),
        mbs.Revolute("B", coupler.head, rocker.head),
        mbs.Revolute("D", model.ground.at(d, 0), rocker.tail),
        mbs.Driver("motor", mbs.angle(model.ground, crank), np.pi / 2 + 2 * np.pi * mbs.t),
    )
    return model


model = four_bar()
half, turn = np.linspace(0, 0.5, 61), np.linspace(0, 1, 181)  # s: the crank from 90° to 270°, and a full turn
guessed = mbs.kinematics(model, turn)
guessed.draw(0)

# %% [markdown]
# ## 2. What straight means
#
# The height of P may differ from its mean by as little as can be, up or down. That is the largest of many numbers: a
# ``kind="minimax"``. And the way along x must be 400 mm at least, or the best curve would be a point.


# %%
def off(result):
    """The height above its mean in mm, and below it."""
    height = result["coupler.P.y"] - np.mean(result["coupler.P.y"])
    return 1e3 * np.concatenate([height, -height])


stroke = mbs.maximum("coupler.P.x") - mbs.minimum("coupler.P.x")
bounds = {"b": (0.2, 0.35), "c": (0.2, 0.35), "d": (0.12, 0.3), "p": (0.35, 0.7), "q": (-0.1, 0.1)}
best = mbs.optimize(off, model, half, over=bounds, subject_to=[stroke >= 0.4], kind="minimax", verb="kinematics")
print(best)

# %% [markdown]
# From 17 mm to a fifth of a millimetre. And look at the dimensions: the search has found that coupler and rocker
# should be equally long, and that P should be twice as far away as B, on the line AB. This is the symmetric linkage of
# Hoeken, with other lengths: a : b : d = 1 : 2.5 : 2 is the textbook's one.

# %%
after, found = mbs.kinematics(best.model, turn), best.values
textbook = mbs.kinematics(model.with_parameters(b=0.25, c=0.25, d=0.20, p=0.50), half)
print(f"b - c = {found['b'] - found['c']:.1e} m, p / b = {found['p'] / found['b']:.6f}")
way = np.ptp(textbook["coupler.P.x"])
print(f"the textbook's linkage: {abs(off(textbook)).max():.3f} mm, stroke {1e3 * way:.0f} mm")

# %%
with style():
    figure = Picture(figsize=(7.4, 5.4), layout="constrained")
    above, below = figure.subplots(2, 1, height_ratios=(2, 1))
    straight = turn <= 0.5
    for run, words, colour in ((guessed, "before", "#D55E00"), (after, "after", "#003B5C")):
        x, y = run["coupler.P.x"], run["coupler.P.y"]
        above.plot(x, y, color=colour, linewidth=1, linestyle="--")
        above.plot(x[straight], y[straight], color=colour, linewidth=2.4, label=f"{words}, crank from 90° to 270°")
    above.set_xlabel("coupler.P.x [m]")
    above.set_ylabel("coupler.P.y [m]")
    above.set_aspect("equal")
    above.legend(**BESIDE)
    for run, words, colour in ((textbook, "textbook", "#009E73"), (best.result, "after", "#003B5C")):
        below.plot(90 + 360 * half, off(run)[: half.size], color=colour, label=words)
    below.set_xlabel("crank angle [°]")
    below.set_ylabel("off the mean\nheight [mm]")
    below.set_xlim(90, 270)
    below.set_xticks(np.arange(90, 271, 30))
    below.legend(**BESIDE)
figure

# %% [markdown]
# Peaks and valleys are equally high, as those of Chebyshev's polynomials: no further change could lower one of them
# without raising another one.
#
# ## 3. What to take along
#
# - "As straight as can be" is a largest difference, and `kind="minimax"` makes it small.
# - Symmetry need not be put in. If the best linkage has it, the search finds it.

# %%
assert best.success and best.value < 0.2
assert np.isclose(found["b"], found["c"], rtol=1e-4) and np.isclose(found["p"], 2 * found["b"], rtol=1e-4)
