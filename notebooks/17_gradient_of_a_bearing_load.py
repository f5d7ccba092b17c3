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
# # The gradient of a bearing load, and how to lessen it
#
# The crank pin of an engine carries two loads: the gas presses on the piston, and rod and piston must be sped up and
# slowed down. Which dimension should be changed if the largest force on the pin is too large? Its gradient tells. It is
# exact, and comes with one run.
#
# The file is a notebook and a plain script: open it with Jupyter (jupytext), or run
# `python notebooks/17_gradient_of_a_bearing_load.py`. The engine is that of the notebook on
# [bearing loads](03_engine_bearing_loads.py); objectives are told in
# [Optimisation, fits and tolerances](../docs/optimisation.md).

# %%
import numpy as np

import mbs_dae as mbs
from mbs_dae.view.style import BESIDE, Picture, style

# %% [markdown]
# ## 1. The engine
#
# The pressure of the gas was measured over the crank angle: compression and expansion by $p V^{1.3}$, with a peak of
# 45 bar. It stays as it is while we change masses and lengths. The shaft turns with 3000 revolutions a minute.

# %%
BORE, R, L = 0.080, 0.040, 0.140  # m: bore, crank radius, connecting rod
AREA = np.pi * BORE**2 / 4
AMBIENT, PEAK, RATIO = 1e5, 45e5, 9.0  # Pa, Pa, compression ratio
SPEED = 3000 * 2 * np.pi / 60  # rad/s


def volume(theta):
    x = R * np.cos(theta) + np.sqrt(L**2 - (R * np.sin(theta)) ** 2)
    return AREA * (2 * R / (RATIO - 1) + R + L - x)


def smooth_step(theta, start, end):
    u = np.clip((theta - start) / (end - start), 0, 1)
    return u**3 * (10 - 15 * u + 6 * u**2)


def pressure(theta):
    """Over a cycle from -π (begin of compression): compression, power, exhaust, intake."""
    theta = (theta + np.pi) % (4 * np.pi) - np.pi
    compression = AMBIENT * (volume(np.pi) / volume(theta)) ** 1.3
    expansion = PEAK * (volume(0.0) / volume(theta)) ** 1.3
    burnt = compression + (expansion - compression) * smooth_step(theta, -0.25, 0.45)
    return AMBIENT + (burnt - AMBIENT) * (1 - smooth_step(theta, 2.5, 3.5))


knots = np.linspace(0, 4 * np.pi, 721)
gas = mbs.Table(knots, -(pressure(knots) - AMBIENT) * AREA, periodic=True)  # N, on the piston

# %% [markdown]
# What may change are parameters: crank and rod, their masses, and where the rod has its centre of mass, as a part of
# its length from the crank pin B.

# %%
model = mbs.PlanarModel("engine")
r, l = model.parameter("r", R, unit="m"), model.parameter("l", L, unit="m")
m_piston, m_rod = model.parameter("m_piston", 0.45, unit="kg"), model.parameter("m_rod", 0.60, unit="kg")
share = model.parameter("share", 0.3)
crank = model.body("crank", mass=3.0, inertia=4e-3)
rod = model.body("rod", mass=m_rod, inertia=m_rod * (0.3 * l) ** 2, com=(share * l, 0), position=(r, 0))
piston = model.body("piston", mass=m_piston, inertia=5e-4, position=(r + l, 0))
cylinder = mbs.Translational("cylinder", model.ground, piston)
model.add(
    mbs.Revolute("A", model.ground, crank.at(0, 0)),
    mbs.Revolute("B", crank.at(r, 0), rod.at(0, 0)),
    mbs.Revolute("C", rod.at(l, 0), piston),
    cylinder,
    mbs.Actuator("gas", cylinder, gas(model["crank.angle"])),
    mbs.Driver("shaft", mbs.angle(model.ground, crank), SPEED * mbs.t),
)
theta = np.linspace(0, 4 * np.pi, 361)  # two degrees apart
times = theta / SPEED
before = mbs.inverse_dynamics(model, times)
before.draw(10)

# %% [markdown]
# ## 2. The largest force on the pin
#
# The force is the length of a vector. It is a function of the result, and numpy has all that it takes.


# %%
def force(result):
    """On the crank pin, in kN, at each time."""
    return np.hypot(result["B.Fx"], result["B.Fy"]) / 1e3


def largest(result):
    return np.max(force(result))


names = ["r", "l", "m_piston", "m_rod", "share"]
slopes = mbs.gradient(largest, model, times, over=names, verb="inverse_dynamics")
at = np.degrees(theta[force(before).argmax()])
print(slopes)
print(f"the largest force is met at {at:.0f}°")

# %% [markdown]
# The slope of the piston's mass is negative: a *heavier* piston lessens the load. The largest force is met just
# behind the dead centre, where the gas pushes towards the crank and inertia away from it. Units differ, so slopes
# cannot be compared with each other; changes by one percent can. Differences of two runs say whether they are right.

# %%
drawn = {"r": R, "l": L, "m_piston": 0.45, "m_rod": 0.60, "share": 0.3}
for name, value in drawn.items():
    low, high = (largest(mbs.inverse_dynamics(model.with_parameters(**{name: value * (1 + step)}), times))
                 for step in (-1e-4, 1e-4))  # fmt: skip
    exact, by_differences = 0.01 * value * slopes.by[name], (high - low) / 0.02
    print(f"{name:9} one percent more: {1e3 * exact:7.2f} N, by differences {1e3 * by_differences:7.2f} N")
    assert np.isclose(exact, by_differences, rtol=1e-4)

# %% [markdown]
# ## 3. The least load
#
# How far may this go? At the dead centre without combustion (360°) inertia acts alone, and there a heavier piston is
# worse. Where both peaks are equally large the maximum has a kink, and that is where the best engine will be. With
# `kind="minimax"` the search looks at the force at all times, and takes the kink as it is.

# %%
bounds = {"m_piston": (0.3, 1.5), "l": (0.12, 0.18), "share": (0.2, 0.4)}
best = mbs.optimize(force, model, times, over=bounds, kind="minimax", verb="inverse_dynamics")
print(best)

# %%
after = mbs.inverse_dynamics(best.model, times)
with style():
    figure = Picture(figsize=(7.4, 3.4), layout="constrained")
    ax = figure.add_subplot()
    for run, words, colour in ((before, "before", "#D55E00"), (after, "after", "#003B5C")):
        ax.plot(np.degrees(theta), force(run), color=colour, label=words)
        ax.axhline(largest(run), color=colour, linestyle="--", linewidth=0.8)
    ax.set_xlabel("crank angle [°]")
    ax.set_ylabel("force on the crank pin [kN]")
    ax.set_xlim(0, 720)
    ax.set_xticks(np.arange(0, 721, 90))
    ax.legend(**BESIDE)
figure

# %%
after.plot_reaction("B", polar=True, axes="first")

# %% [markdown]
# The peaks are level. This is the best pin for one speed at full load only: faster, or without gas, the
# heavy piston is what it always was, a burden. The run without gas says how much.

# %%
unloaded = {words: largest(mbs.inverse_dynamics(one.without("gas"), times))
            for words, one in (("before", model), ("after", best.model))}  # fmt: skip
for words, size in unloaded.items():
    print(f"{words}: {size:.2f} kN without gas")

# %% [markdown]
# ## 4. What to take along
#
# - A force on a joint is a quantity like any other, and so is its largest value: `mbs.gradient` differentiates both.
# - Slopes by one percent of each dimension can be compared; slopes as they are have different units.
# - The largest of many is made small by `kind="minimax"`; the optimum levels the peaks.

# %%
peaks = force(after)
level = abs(peaks[theta < np.pi].max() - peaks[(theta > np.pi) & (theta < 3 * np.pi)].max())
print(f"{largest(before):.2f} kN before, {largest(after):.2f} kN after")
assert best.success and largest(after) < largest(before) and level < 1e-3 * largest(after)
