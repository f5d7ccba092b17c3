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
# # Tolerances, and maps over dimensions
#
# No part is made as it is drawn. A workshop keeps a crank of 100 mm within a tenth of a millimetre, and what
# leaves the assembly line are thousands of mechanisms, no two of which are alike. What do they have in common, and
# how bad is the worst? We build ten thousand slider-cranks and look at the band in which the acceleration of the slider
# lies. Then we turn to a four-bar linkage, whose lengths are still to be chosen, and draw a map of how well it drives.
#
# The file is a notebook and a plain script: open it with Jupyter (jupytext), or run
# `python notebooks/14_tolerances.py`. What an ensemble can be asked is in [Studies](../docs/studies.md), how it runs in
# [Many runs](../docs/many-runs.md).

# %%
import numpy as np

import mbs_dae as mbs
from mbs_dae.view.style import BESIDE, Picture, style

# %% [markdown]
# ## 1. A slider-crank as it is drawn
#
# The crank $r$, the connecting rod $l$, and the offset $e$ of the guide, which on the drawing is zero. With the crank
# at $\theta$ the slider stands at
#
# $$x = r\cos\theta + \sqrt{l^2 - (r\sin\theta - e)^2}.$$

# %%
drawn = {"r": 0.100, "l": 0.300, "e": 0.0}  # m
omega = 100.0  # rad/s


def slider_crank():
    model = mbs.PlanarModel("slider-crank")
    r, l, e = (model.parameter(name, value, unit="m") for name, value in drawn.items())
    crank = model.link("crank", (0, 0), (0, r), length=r)
    rod = model.link("rod", (0, r), (l, 0), length=l)
    slider = model.body("slider", position=(l, e))
    model.add(
        mbs.Revolute("A", model.ground, crank.tail),
        mbs.Revolute("B", crank.head, rod.tail),
        mbs.Revolute("C", rod.head, slider),
        mbs.Translational("guide", model.ground.at(0, e), slider),
        mbs.Driver("motor", mbs.angle(model.ground, crank), np.pi / 2 + omega * mbs.t),
    )
    return model


model = slider_crank()
times = np.linspace(0, 2 * np.pi / omega, 121)
nominal = mbs.kinematics(model, times)
print(f"stroke {1e3 * np.ptp(nominal['slider.x']):.3f} mm, acceleration {nominal['slider.ax'].min():.0f} to "
      f"{nominal['slider.ax'].max():.0f} m/s²")  # fmt: skip

# %% [markdown]
# ## 2. Ten thousand that were made
#
# Each dimension has a tolerance. Crank and rod come from a process that is under control: their lengths are normally
# distributed, with the limits three standard deviations away. Of the guide we only know that its offset is within its
# limits: anywhere between them is as likely. `mbs.samples` draws the members. One call runs them all.

# %%
made = {
    "r": mbs.Tolerance(0.100, plus_minus=0.1e-3),
    "l": mbs.Tolerance(0.300, plus_minus=0.2e-3),
    "e": mbs.Tolerance(0.0, plus_minus=0.3e-3, distribution="uniform"),
}
batch = mbs.ensemble(model, times, over=mbs.samples(made, 10_000, seed=1), verb="kinematics",
                     outputs=["slider.x", "slider.ax"])  # fmt: skip
print(batch.summary())

# %% [markdown]
# The band of the acceleration is so narrow that one would not see it beside the curve: a tenth of a percent. So
# we ask for what the members differ from the median of all of them.

# %%
batch.plot_band("slider.ax", deviation=True)

# %% [markdown]
# The band is not widest where the acceleration is largest. Which dimension is to blame at which angle?
#
# ## 3. Without ten thousand runs
#
# Deviations are small, so the acceleration is linear in them,
#
# $$\Delta a(t) = \sum_p \frac{\partial a(t)}{\partial p}\,\Delta p, \qquad
#   \sigma_a^2(t) = \sum_p \Big(\frac{\partial a(t)}{\partial p}\Big)^2 \sigma_p^2 .$$
#
# Standard deviations add like the sides of right triangles. Six runs are enough for the derivatives, and they tell the
# dimensions apart; the ten thousand tell whether the formula may be trusted.

# %%
sigma = {"r": 0.1e-3 / 3, "l": 0.2e-3 / 3, "e": 0.3e-3 / np.sqrt(3)}
share = {}
for name, width in sigma.items():
    low, high = (mbs.kinematics(model.with_parameters(**{name: drawn[name] + d}), times)["slider.ax"]
                 for d in (-width, width))  # fmt: skip
    share[name] = ((high - low) / 2) ** 2
linear = np.sqrt(sum(share.values()))
found = batch.array("slider.ax").std(axis=0)
print(f"largest difference of the standard deviations: {abs(linear - found).max() / found.max():.2%} of the largest")
assert abs(linear - found).max() < 0.03 * found.max()

# %%
turn = np.degrees(omega * times) + 90
with style():
    figure = Picture(figsize=(7.4, 3.4), layout="constrained")
    ax = figure.add_subplot()
    ax.plot(turn, found, color="#003B5C", label="of 10,000 members")
    for name, colour in zip(sigma, ("#0072B2", "#D55E00", "#009E73"), strict=True):
        ax.plot(turn, np.sqrt(share[name]), "--", color=colour, label=f"from {name} alone")
    ax.set_xlabel("crank angle [°]")
    ax.set_ylabel("standard deviation of\nslider.ax [m/s²]")
    ax.set_xlim(turn[0], turn[-1])
    ax.set_xticks(np.arange(90, 451, 90))
    ax.legend(**BESIDE)
figure

# %% [markdown]
# With the crank upright (90° and 270°) it is the guide, whose offset is felt where the rod leans most. At the outer
# dead point (360°), where the acceleration is largest, it is the crank alone; at the inner one (180°) nothing matters
# much. The rod hardly matters anywhere.
#
# ## 4. The stroke
#
# One number of each member: how far the slider travels. From the formula above,
#
# $$s = \sqrt{(l + r)^2 - e^2} - \sqrt{(l - r)^2 - e^2} \approx 2r\Big(1 + \frac{e^2}{2(l^2 - r^2)}\Big).$$
#
# The rod hardly enters, so the stroke spreads like twice the crank.

# %%
batch.plot_histogram("slider.x", "range", label="stroke")

# %%
stroke = np.ptp(batch.array("slider.x"), axis=1)
r, l, e = (batch.designs[name] for name in "rle")
exact = np.sqrt((l + r) ** 2 - e**2) - np.sqrt((l - r) ** 2 - e**2)
print(f"stroke: mean {1e3 * stroke.mean():.4f} mm, standard deviation {1e3 * stroke.std():.4f} mm, "
      f"2 σ of the crank {2e3 * sigma['r']:.4f} mm")  # fmt: skip
assert abs(stroke - exact).max() < 1e-6  # the poses stand a little beside the dead points

# %% [markdown]
# ## 5. The worst member
#
# And which of them shakes most? One with a very long crank, as one would expect. It can be built again, and looked at
# like any other.

# %%
worst = batch.worst("slider.ax", by="abs")
print(worst)
again = mbs.kinematics(model.with_parameters(**worst.design), times)
assert again["slider.ax"].min() == worst.value

# %% [markdown]
# ## 6. How many are enough?
#
# Numbers that are drawn at random have a percentile only as well as their number allows: the error falls with
# $1/\sqrt{n}$. Points that fill the space of the dimensions more evenly do better. Here are the errors of the
# 95 % limit of the stroke, from random members and from a Sobol sequence: how far they are from that of a million.

# %%
def limit(drawn):
    """That of the stroke, from the formula."""
    r, l, e = (drawn[name] for name in "rle")
    return np.percentile(np.sqrt((l + r) ** 2 - e**2) - np.sqrt((l - r) ** 2 - e**2), 95)


far = limit(mbs.samples(made, 2**20, method="sobol"))
print(f"{'members':>8} {'random':>10} {'Sobol':>10}   [µm]")
for n in (64, 256, 1024, 4096):
    off = [np.mean([abs(limit(mbs.samples(made, n, method, seed)) - far) for seed in range(20)])
           for method in ("random", "sobol")]  # fmt: skip
    print(f"{n:>8} {1e6 * off[0]:10.3f} {1e6 * off[1]:10.3f}")

# %% [markdown]
# ## 7. A map of the transmission angle
#
# A four-bar linkage, with a crank of 40 mm and a ground of 100 mm. Its coupler drives the rocker best when the
# transmission angle $\mu$ between the two is a right one; machine designers want it to stay within 45° or 50° of
# that. Which lengths of coupler and rocker keep it nearest? We run a turn of the crank for each pair of lengths, and
# keep one number of each run.

# %%
a, d, start = 0.040, 0.100, np.pi / 3
bars = mbs.PlanarModel("four-bar")
b, c = bars.parameter("b", 0.09, unit="m"), bars.parameter("c", 0.07, unit="m")
A, B, D = (a * np.cos(start), a * np.sin(start)), (0.10, 0.07), (d, 0)
crank, coupler, rocker = (
    bars.link("crank", (0, 0), A), bars.link("coupler", A, B, length=b), bars.link("rocker", D, B, length=c)
)  # fmt: skip
bars.add(
    mbs.Revolute("O", bars.ground, crank.tail),
    mbs.Revolute("A", crank.head, coupler.tail),
    mbs.Revolute("B", coupler.head, rocker.head),
    mbs.Revolute("D", bars.ground.at(*D), rocker.tail),
    mbs.Driver("motor", mbs.angle(bars.ground, crank), start + mbs.t),
)
turn = np.linspace(0, 2 * np.pi, 121)


def deviation(result):
    return {"deviation": np.abs(np.pi / 2 - result.transmission_angle("A", "B", "D")).max()}


lengths = {"b": np.linspace(0.050, 0.130, 33), "c": np.linspace(0.051, 0.131, 33)}
survey = mbs.ensemble(bars, turn, over=lengths, verb=("kinematics", deviation))
print(survey.summary())

# %%
survey.plot_map("deviation", degrees=True, label="largest deviation of μ from 90°", unit="rad")

# %% [markdown]
# What stays white cannot turn: after Grashof's rule the crank goes round where it is the shortest of the four and,
# with the longest one, not longer than the other two. The ensemble says so of each of these members, and goes on with
# the others, which can be checked by hand: $\mu$ is extreme where crank and ground are in line, and the triangle of
# coupler, rocker and $d \mp a$ tells
#
# $$\cos\mu = \frac{b^2 + c^2 - (d \mp a)^2}{2bc}.$$

# %%
b, c = np.meshgrid(lengths["b"], lengths["c"], indexing="ij")
cosines = [(b**2 + c**2 - (d + side * a) ** 2) / (2 * b * c) for side in (-1, 1)]
turns = np.max(np.abs(cosines), axis=0) < 1
exact = np.max(np.abs(np.pi / 2 - np.arccos(np.clip(cosines, -1, 1))), axis=0)
found = survey.array("deviation").reshape(exact.shape)
print(f"{np.sum(turns)} linkages turn, by the formula, and {np.sum(survey.done)} did; "
      f"largest difference {np.abs(exact - found)[turns].max():.1e} rad")  # fmt: skip
best = survey.worst("deviation", by="min")
print(f"best: coupler {1e3 * best.design['b']:.0f} mm, rocker {1e3 * best.design['c']:.0f} mm, "
      f"{np.degrees(best.value):.1f}° off")  # fmt: skip

# %% [markdown]
# Along the best line coupler and rocker make both deviations equal, $b^2 + c^2 = a^2 + d^2$: then the crank needs the
# same time for the way there as for the way back.
#
# ## 8. What to take along
#
# - `mbs.samples` draws designs from tolerances; the same seed gives the same ones. A dict of lists is a grid.
# - `mbs.ensemble` runs them all; who fails is told, and the others go on.
# - `plot_band`, `plot_histogram`, `plot_map`, `percentiles` and `worst` say what members have in common, and who stands
#   out.
# - Small deviations add by their squares: derivatives tell which dimension is to blame.

# %%
assert (survey.done.reshape(exact.shape) == turns).all() and np.abs(exact - found)[turns].max() < 1e-9
assert abs(best.design["b"] ** 2 + best.design["c"] ** 2 - a**2 - d**2) < 1e-3
