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
# # All ways to put it together
#
# Given the angle of its crank, in how many poses can a linkage be put together? Given the lengths of its six legs,
# where can a platform stand? One pose is found by Newton from a sketch. All of them are found by solving polynomial
# equations, in complex numbers.
#
# The file is a notebook and a plain script: open it with Jupyter (jupytext), or run
# `python notebooks/20_all_ways_to_put_it_together.py`. What is counted, and how, is told in
# [Assembly modes](../docs/modes.md).

# %%
import numpy as np

import mbs_dae as mbs

# %% [markdown]
# ## 1. A six-bar with six modes
#
# A four-bar O A B C, whose coupler carries a point P. P is held at a distance from a pin Q that stands still: where
# the coupler curve of P, a curve of degree six, meets a circle about Q. That can be in twelve points, six of which
# are always at infinity: six modes at most. With these lengths all six are real. In the gallery Q is on a crank that a
# motor turns: [stephenson_six_bar](../models/stephenson_six_bar.py).


# %%
def six_bar():
    points = {"O": (0, 0), "A": (0.4, 0), "B": (0.78, 0.43), "C": (1.0, 0)}
    model = mbs.PlanarModel("six-bar")
    crank = model.link("crank", points["O"], points["A"], length=0.4)
    coupler = model.link("coupler", points["A"], points["B"], length=0.58)
    rocker = model.link("rocker", points["C"], points["B"], length=1.26)
    P = coupler.marker("P", -0.31 - 0.29, 0.37)  # from the middle of AB
    model.add(
        mbs.Revolute("O", model.ground, crank.tail),
        mbs.Revolute("A", crank.head, coupler.tail),
        mbs.Revolute("B", coupler.head, rocker.head),
        mbs.Revolute("C", model.ground.at(1.0, 0), rocker.tail),
        mbs.Distance("dyad", model.ground.at(-0.06, -1.02), P, length=1.1),
    )
    return model


modes = mbs.assembly_modes(six_bar())
modes

# %%
modes.plot()

# %% [markdown]
# The trace test says that there are no others: `modes.complete` is True, and `modes.complex` is six as well.

# %%
print(modes.table("crank.angle", "coupler.P.x", "coupler.P.y"))

# %% [markdown]
# ## 2. A platform on three legs
#
# In the plane, each leg with a pin at either end. Three lengths, three coordinates: six poses at most, and here six.
# With masses and moving legs it is [three_rpr](../models/three_rpr.py) in the gallery.


# %%
def on_three_legs(l1=1.48, l2=1.86, l3=1.69, motors=False):
    model = mbs.PlanarModel("3-RPR")
    platform = model.body("platform", position=(0.5, 0.5))
    base, corners = [(0, 0), (2.0, 0), (0.9, 1.6)], [(0, 0), (0.9, 0), (0.5, 1.8)]
    for k, (b, c, length) in enumerate(zip(base, corners, (l1, l2, l3), strict=True), start=1):
        length, ends = model.parameter(f"l{k}", length, "m"), (model.ground.at(*b), platform.at(*c))
        if motors:
            model.add(mbs.Driver(f"leg{k}", mbs.distance(*ends), length))
        else:
            model.add(mbs.Distance(f"leg{k}", *ends, length=length))
    return model


three = mbs.assembly_modes(on_three_legs())
three.plot()

# %% [markdown]
# With a motor in each leg, which poses can be reached from which? Each motor in turn is let go, and the curve of
# poses that is left is followed. Modes with the same number are on one of these curves, or on several that are
# connected.

# %%
driven = mbs.assembly_modes(on_three_legs(motors=True))
driven.circuits

# %% [markdown]
# Other lengths of legs cost no more than a path from each of the six generic solutions. How many modes are real, as
# the first leg gets longer? They come and go in pairs.

# %%
model = on_three_legs()
counts = {}
for length in np.linspace(0.6, 2.6, 11):
    counts[round(float(length), 2)] = len(mbs.assembly_modes(model.with_parameters(l1=float(length))))
counts

# %% [markdown]
# ## 3. A platform on six legs
#
# The Gough-Stewart platform: six lengths, and forty solutions. That there are forty was proved in the nineties; here
# they are found within seconds, and the trace test says that none is missing. For legs as they are measured in one
# pose that pose must be among them. One that moves is [platform_6_6](../models/platform_6_6.py) in the gallery.


# %%
def on_six_legs(seed=12):
    random = np.random.default_rng(seed)
    around = np.linspace(0, 2 * np.pi, 6, endpoint=False)
    ring = np.column_stack([np.cos(around), np.sin(around), 0 * around])
    base, joints = ring + random.normal(scale=0.3, size=(6, 3)), 0.6 * ring + random.normal(scale=0.2, size=(6, 3))
    model = mbs.SpatialModel("platform")
    platform = model.body("platform", position=(0, 0, 1.2))
    for k in range(6):
        model.add(mbs.Distance(f"leg{k + 1}", model.ground.at(*base[k]), platform.at(*joints[k])))  # as placed
    return model


six = mbs.assembly_modes(on_six_legs())
six

# %%
six.plot()

# %% [markdown]
# The first mode is the one that was drawn: the nearest to the placement.

# %%
print(six.table("platform.x", "platform.y", "platform.z"))

# %%
assert (len(modes), modes.complex, modes.complete) == (6, 6, True)
assert (len(three), three.complex) == (6, 6)
assert np.allclose(np.sort(driven["platform.x"]), np.sort(three["platform.x"]), atol=1e-12)
assert all(n % 2 == 0 for n in counts.values())
assert (six.complex, six.complete) == (40, True) and len(six) == 8 and abs(six[0]["platform.z"] - 1.2) < 1e-12
