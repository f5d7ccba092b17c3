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
# # The lightest flywheel, and the tolerances of a slider-crank
#
# A slider works against a spring: one way it takes energy, the other way it gives it back, and the motor's torque goes
# up and down. A flywheel takes the difference, and slows down and speeds up with it. How heavy must it be, and can the
# linkage help? We look for the dimensions with which the lightest flywheel keeps the speed even; and ask what
# tolerances do to the torque.
#
# The file is a notebook and a plain script: open it with Jupyter (jupytext), or run
# `python notebooks/15_lightest_flywheel.py`. What can be asked for is told in
# [Optimisation, fits and tolerances](../docs/optimisation.md).

# %%
import numpy as np

import mbs_dae as mbs

# %% [markdown]
# ## 1. A slider against a spring
#
# The crank turns with 10 rad/s. The spring of 2 kN/m pulls and pushes with up to two hundred newtons.

# %%
omega = 10.0  # rad/s
model = mbs.PlanarModel("slider and spring")
r = model.parameter("r", 0.10, unit="m")
l = model.parameter("l", 0.30, unit="m")
m = model.parameter("m", 6.0, unit="kg")
crank = model.link("crank", (0, 0), (0.1, 0), length=r, mass=2.0)
rod = model.link("rod", (0.1, 0), (0.4, 0), length=l, mass=3.0)
slider = model.body("slider", position=(0.4, 0), mass=m)
model.add(
    mbs.Revolute("A", model.ground, crank.tail),
    mbs.Revolute("B", crank.head, rod.tail),
    mbs.Revolute("C", rod.head, slider),
    mbs.Translational("guide", model.ground, slider),
    mbs.Driver("motor", mbs.angle(model.ground, crank), omega * mbs.t),
    mbs.Spring("spring", model.ground.at(0.8, 0), slider, stiffness=2000, length=0.5),
)
turn = np.linspace(0, 2 * np.pi / omega, 121)
before = mbs.inverse_dynamics(model, turn)
print(f"torque {before['motor.effort'].min():.0f} to {before['motor.effort'].max():.0f} N m")

# %% [markdown]
# ## 2. How heavy is the flywheel?
#
# At constant speed the motor would have to give the torque $T(t)$. With a flywheel of inertia $J$ it gives the mean
# $\bar T$, and the rest, $\int (T - \bar T)\,\omega\,dt$, is energy of the wheel. If it goes up and down by $\Delta E$,
# the unevenness $\delta = (\omega_{max} - \omega_{min}) / \omega$ is
#
# $$\delta = \frac{\Delta E}{J \omega^2}, \qquad\text{so}\qquad J = \frac{\Delta E}{\delta\,\omega^2}.$$
#
# $\Delta E$ is the range of an integral. It is a function of the result, and numpy has all that it takes.

# %%
unevenness = 0.02


def stored(result):
    """The energy that the wheel takes up, up to each time."""
    power = omega * result["motor.effort"]
    steps = 0.5 * (power[1:] + power[:-1]) * np.diff(result.t)
    energy = np.cumsum(steps)
    return energy - energy[-1] * (result.t[1:] / result.t[-1])


def inertia(result):
    return np.ptp(stored(result)) / (unevenness * omega**2)


start = mbs.gradient(inertia, model, turn, over=["r", "l", "m"], verb="inverse_dynamics")
print(start)

# %% [markdown]
# The slope says what helps: a longer rod, and a shorter crank, since it does less work. But the stroke is wanted:
# 200 mm. And the mass of the slider? Its inertia can be made to carry the force of the spring.
#
# ## 3. The best dimensions
#
# A range has a kink where two positions of the crank are both the highest, and that is just where the best design
# will be: `mbs.optimize` would refuse it there. But it is the largest of all differences between two positions, and
# the largest of many is what ``kind="minimax"`` is for.

# %%
i, j = (index.ravel() for index in np.meshgrid(np.arange(0, 120, 5), np.arange(2, 120, 5)))


def differences(result):
    energy = stored(result)
    return np.concatenate([energy[i] - energy[j], energy[j] - energy[i]]) / (unevenness * omega**2)


best = mbs.optimize(
    differences, model, turn, over={"r": (0.05, 0.15), "l": (0.2, 0.5), "m": (2, 40)},
    subject_to=[mbs.maximum("slider.x") - mbs.minimum("slider.x") >= 0.2],
    kind="minimax", verb="inverse_dynamics",
)  # fmt: skip
print(best)
assert best.success and best.value < 0.5 * start.value

# %%
best.plot(["motor.effort", "slider.x"])

# %% [markdown]
# The slider's mass swings against the spring: at the right mass the spring and the inertia hold each other, and the
# torque is nearly even. The stroke holds the optimum, and the table tells what one more metre of it would cost.
#
# ## 4. What tolerances do
#
# The torque is now a small difference of two large ones, so it listens to small things. How much does it scatter with
# tolerances of a tenth of a millimetre and of a hundred grams, and what if the spring is off by one percent? One run
# gives the derivatives; three hundred members that are drawn say whether they may be trusted.

# %%
limits = {"r": 1e-4 / 3, "l": 1e-4 / 3, "m": 0.1 / 3, "spring.stiffness": 20 / 3}
bands = mbs.tolerance(best.model, turn, limits, of=["motor.effort"], verb="inverse_dynamics", samples=300)
print(bands)

# %%
bands.plot("motor.effort")

# %% [markdown]
# ## 5. What to take along
#
# - An objective is written as it stands in the book: numpy carries the derivatives along.
# - `print(best)` tells what holds the optimum, and what it costs.
# - Derivatives tell whose fault a scatter is; an ensemble tells whether first order is enough.

# %%
assert best.success and max(bands.difference.values()) < 0.2
