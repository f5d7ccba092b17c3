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
# # A four-bar that was measured: its masses and its friction
#
# A four-bar linkage hangs in two bearings and swings, and friction slows it down. Someone has read the angle
# of its crank. What do the links weigh, and how much friction is in each bearing? A fit answers with numbers; a good
# one says, too, how sure they are, and what the measurement cannot tell at all.
#
# The file is a notebook and a plain script: open it with Jupyter (jupytext), or run
# `python notebooks/16_fit_of_a_four_bar.py`. What a fit can be asked for is told in
# [Optimisation, fits and tolerances](../docs/optimisation.md).

# %%
import numpy as np

import mbs_dae as mbs
from mbs_dae.view.style import BESIDE, Picture, style

# %% [markdown]
# ## 1. What is known, and what is guessed
#
# The lengths are known. Each link is a slender bar of unknown mass, and both bearings of the ground have viscous
# friction, moment = coefficient · angular velocity. We guess a kilogram for each mass.


# %%
def four_bar():
    model = mbs.PlanarModel("swinging four-bar", gravity=(0, -9.81))
    masses = [model.parameter(f"m_{name}", 1.0, unit="kg") for name in ("crank", "coupler", "rocker")]
    c_A, c_D = (model.parameter(name, 0.02, unit="N m s/rad") for name in ("c_A", "c_D"))
    crank = model.link("crank", (0, 0), (0.12, -0.16), mass=masses[0])
    coupler = model.link("coupler", (0.12, -0.16), (0.50, -0.32), mass=masses[1])
    rocker = model.link("rocker", (0.40, 0), (0.50, -0.32), mass=masses[2])
    A = mbs.Revolute("A", model.ground, crank.tail)
    D = mbs.Revolute("D", model.ground.at(0.40, 0), rocker.tail)
    model.add(
        A, D,
        mbs.Revolute("B", crank.head, coupler.tail),
        mbs.Revolute("C", coupler.head, rocker.head),
        mbs.ViscousFriction("friction A", A, coefficient=c_A),
        mbs.ViscousFriction("friction D", D, coefficient=c_D),
    )  # fmt: skip
    return model


model = four_bar()
times = np.linspace(0, 6, 301)
guess = mbs.simulate(model, times)
guess.draw(0)

# %% [markdown]
# ## 2. The measurement
#
# It is made here, so that we know the truth: a run with other numbers, and an encoder with errors of 0.2°.

# %%
truth = {"m_crank": 0.8, "m_coupler": 1.5, "m_rocker": 1.1, "c_A": 0.012, "c_D": 0.030}
noise = np.radians(0.2)
swing = mbs.simulate(model.with_parameters(**truth), times)["crank.angle"]
measured = {"t": times, "crank.angle": swing + np.random.default_rng(3).normal(0, noise, times.size)}

# %% [markdown]
# ## 3. All five numbers
#
# The residuals are those of whole runs, and their derivatives come from the same steps: no differences are taken.

# %%
free = mbs.fit(model, measured, over=list(truth), noise=noise)
print(free)

# %% [markdown]
# The curve is met, and yet no number is known. The equation of motion says why. With one degree of freedom
#
# $$J(\theta)\,\ddot\theta + \tfrac12 J'(\theta)\,\dot\theta^2 + c(\theta)\,\dot\theta + G(\theta) = 0,$$
#
# and $J$ and $G$ are linear in the masses, $c$ in the coefficients of friction. If all five are doubled the whole
# equation is doubled, and the motion remains. Only ratios can be seen, and that is what the fit says in its last line.
# The ratios themselves are good:

# %%
for name in ("m_crank", "m_rocker"):
    print(f"{name} / m_coupler: found {free.values[name] / free.values['m_coupler']:.4f}, "
          f"true {truth[name] / truth['m_coupler']:.4f}")  # fmt: skip
assert all("cannot be told apart" in line for line in free.indistinct) and free.indistinct

# %% [markdown]
# ## 4. One mass is weighed
#
# So the coupler is put on a balance: 1.5 kg. With one mass known the other numbers are known as well.

# %%
others = ["m_crank", "m_rocker", "c_A", "c_D"]
weighed = mbs.fit(model.with_parameters(m_coupler=1.5), measured, over=others, noise=noise)
print(weighed)

# %%
with style():
    figure = Picture(figsize=(7.4, 3.4), layout="constrained")
    ax = figure.add_subplot()
    ax.plot(times, np.degrees(measured["crank.angle"]), ".", color="#999999", markersize=3, label="measured")
    ax.plot(times, np.degrees(guess["crank.angle"]), "--", color="#D55E00", linewidth=1.2, label="before: guessed")
    ax.plot(times, np.degrees(weighed.result["crank.angle"]), color="#003B5C", linewidth=1.2, label="after: fitted")
    ax.set_xlabel("t [s]")
    ax.set_ylabel("crank.angle [°]")
    ax.set_xlim(times[0], times[-1])
    ax.legend(**BESIDE)
figure

# %% [markdown]
# What is left over should be noise and nothing else: no waves, and a spread of 0.2°, which is 0.0035 rad.

# %%
weighed.plot()

# %% [markdown]
# ## 5. Two bearings, one friction
#
# The masses are known within percents, the coefficients of friction hardly, and they are correlated: where one is
# larger the other one is smaller. Crank and rocker turn nearly alike, so that it makes little difference which of the
# two bearings takes the energy. What is it that the measurement does tell? Their sum, weighted by how fast the rocker
# turns beside the crank. In the plane of the two coefficients the points that cannot be refused fill a thin ellipse.

# %%
k = [others.index(name) for name in ("c_A", "c_D")]
errors = np.array([weighed.estimates[index].standard_error for index in k])
rho = weighed.correlation[k[0], k[1]]
covariance = np.outer(errors, errors) * np.array([[1, rho], [rho, 1]])
values, axes = np.linalg.eigh(covariance)
turn = np.linspace(0, 2 * np.pi, 181)
radius = np.sqrt(5.99)  # two numbers, 95 %
ellipse = radius * axes @ (np.sqrt(values)[:, None] * np.array([np.cos(turn), np.sin(turn)]))
found = np.array([weighed.values["c_A"], weighed.values["c_D"]])

with style():
    figure = Picture(figsize=(6.4, 3.6), layout="constrained")
    ax = figure.add_subplot()
    ax.plot(*(found[:, None] + ellipse), color="#003B5C", label="region of 95 %")
    ax.plot(*found, "o", color="#003B5C", label="found")
    ax.plot(truth["c_A"], truth["c_D"], "x", color="#D55E00", markersize=8, label="true")
    ax.set_xlabel("c_A [N m s/rad]")
    ax.set_ylabel("c_D [N m s/rad]")
    ax.legend()
figure

# %% [markdown]
# The angle of the rocker would not help: it follows from that of the crank. A ring on one of the bearings that is
# known to be dry would, or a second measurement with other masses.
#
# ## 6. What to take along
#
# - A curve that is met is no proof of the numbers behind it: read the intervals, and the last lines.
# - A motion without a known force or mass tells ratios only. One thing that is weighed gives the scale.
# - Where two numbers are correlated their sum may be known well, though neither of them is.

# %%
low_high = {name: weighed.interval(name) for name in others}
for name, (low, high) in low_high.items():
    print(f"{name:9} {low:.5f} to {high:.5f}, true {truth[name]:.5f}")
assert weighed.success
assert all(low < truth[name] < high for name, (low, high) in low_high.items())
