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
# # Balancing an engine: which counterweight takes which harmonic
#
# A piston that goes to and fro shakes the frame. How much of it can a counterweight on the crank take away, and what
# takes the rest? The shaking force is linear in the first moments $m\,e$ of all bodies, so the answer is a linear least
# squares problem, and where books have a formula it is that formula.
#
# The file is a notebook and a plain script: open it with Jupyter (jupytext), or run
# `python notebooks/21_balancing.py`. More of it: [Where loads come from](../docs/loads.md).

# %%
import numpy as np

import mbs_dae as mbs
from mbs_dae.view.style import Picture, style

# %% [markdown]
# ## 1. One cylinder
#
# Rod and crank are uniform; 3000 revolutions a minute.

# %%
R, L = 0.04, 0.14  # m: crank and rod
CRANK, ROD, PISTON = 0.8, 0.6, 0.5  # kg
OMEGA = 3000 * 2 * np.pi / 60  # rad/s


def engine():
    model = mbs.PlanarModel("engine")
    crank = model.link("crank", (0, 0), (R, 0), mass=CRANK)
    rod = model.link("rod", (R, 0), (R + L, 0), mass=ROD)
    piston = model.body("piston", mass=PISTON, inertia=5e-4, position=(R + L, 0))
    model.add(
        mbs.Revolute("A", model.ground, crank.tail),
        mbs.Revolute("B", crank.head, rod.tail),
        mbs.Revolute("C", rod.head, piston),
        mbs.Translational("cylinder", model.ground, piston),
        mbs.Driver("shaft", mbs.angle(model.ground, crank), OMEGA * mbs.t),
    )
    return model


model = engine()
times = np.linspace(0, 2 * np.pi / OMEGA, 361)  # one turn
bare = mbs.inverse_dynamics(model, times)
print(bare.shaking().only("inertia"))

# %% [markdown]
# What shakes most is the piston. Along the cylinder the force has two harmonics and little else, across it one:

# %%
force = bare.shaking().only("inertia").total[:, :2]
sizes = np.abs(np.fft.rfft(force[:-1], axis=0)) * 2 / (len(times) - 1)
for order in (1, 2, 3, 4):
    print(f"order {order}: along {sizes[order, 0]:7.1f} N, across {sizes[order, 1]:7.1f} N")

# %% [markdown]
# ## 2. A counterweight on the crank
#
# It makes a force of constant size that turns with the crank. A force to and fro is the sum of two such forces of half
# its size, which turn in opposite directions; one of the two can be taken away.

# %%
on_crank = mbs.balance(model, times, bodies=["crank"], order=1)
print(on_crank)
to_and_fro, turning = PISTON + ROD / 2, (CRANK + ROD) / 2
by_the_book = (turning + to_and_fro / 2) * R  # a uniform link counts half at each of its ends
print(f"by the book {by_the_book:.6f} kg m")
assert np.allclose(on_crank.moments["crank"], [-by_the_book, 0], atol=1e-12)

# %% [markdown]
# ## 3. A shaft that turns the other way, and two that turn twice as fast
#
# The other half of the first harmonic needs a shaft that turns backwards. The second harmonic needs two shafts with
# twice the speed, one in each direction: Lanchester's balancer. A shaft is one more body, with no mass of its own worth
# mentioning, and says nothing of where its weight is: that is asked for.

# %%
SHAFTS = {"backward": -1, "double": 2, "double backward": -2}


def with_shafts():
    model = engine()
    for name, speed in SHAFTS.items():
        shaft = model.body(name, mass=1e-3, inertia=1e-6)
        model.add(
            mbs.Revolute(f"bearing of {name}", model.ground, shaft),
            mbs.Driver(f"gear of {name}", mbs.angle(model.ground, shaft), speed * OMEGA * mbs.t),
        )
    return model


balanced = with_shafts()
steps = {
    "crank alone": mbs.balance(balanced, times, bodies=["crank"], order=1),
    "and backward": mbs.balance(balanced, times, bodies=["crank", "backward"], order=1),
    "and double speed": mbs.balance(balanced, times, bodies=["crank", *SHAFTS], order=(1, 2)),
}
print(steps["and double speed"])

# %% [markdown]
# The second harmonic of the piston's acceleration is
# $r\omega^2\,(\tfrac{r}{l} + \tfrac14\tfrac{r^3}{l^3} + \dots)$. Each of the two shafts takes half of it with four
# times the $\omega^2$:

# %%
ratio = R / L
second = ratio + ratio**3 / 4 + 15 * ratio**5 / 128
expected = to_and_fro * R * second / 8
found = steps["and double speed"].moments
print(f"{np.linalg.norm(found['double']):.7f} kg m, by the series {expected:.7f} kg m")
assert np.isclose(np.linalg.norm(found["double"]), expected, rtol=1e-4)
assert np.allclose(found["double"], found["double backward"], atol=1e-9)

# %%
with style():
    figure = Picture(figsize=(7.4, 3.6), layout="constrained")
    ax, path = figure.subplots(1, 2, width_ratios=(3, 2))
    runs = [("bare", force), *((words, one.after) for words, one in steps.items())]
    for (words, one), colour in zip(runs, ("#999999", "#003B5C", "#D55E00", "#009E73"), strict=True):
        ax.plot(np.degrees(OMEGA * times), np.linalg.norm(one, axis=1) / 1e3, color=colour, label=words)
        path.plot(*one.T / 1e3, color=colour)
    ax.set_xlabel("crank angle [°]")
    ax.set_ylabel("shaking force [kN]")
    ax.set_xlim(0, 360)
    ax.set_xticks(np.arange(0, 361, 90))
    ax.set_ylim(bottom=0)
    figure.legend(loc="outside lower center", ncols=4, frameon=False)
    path.set_aspect("equal")
    path.set_xlabel("along the cylinder [kN]")
    path.set_ylabel("across [kN]")
figure

# %% [markdown]
# ## 4. Bolted on
#
# A counterweight is a body. Bolted on, it must do what was promised. The moment on the frame is another question:
# weights that turn evenly about the shaft's axis have none, so all that rod and cylinder wall make is left.

# %%
bolted = with_shafts()
found = steps["and double speed"]
for name in found.moments:
    place = found.place(name, 0.03)
    weight = bolted.body(f"weight of {name}", mass=found.mass(name, 0.03), inertia=1e-6, position=place)
    bolted.add(mbs.Fixed(f"bolt of {name}", bolted.bodies[name].at(*place), weight))
quiet = mbs.inverse_dynamics(bolted, times).shaking().only("inertia").total
largest = np.linalg.norm(quiet[:, :2], axis=1).max()
print(f"{np.linalg.norm(force, axis=1).max():.0f} N before, {largest:.1f} N with all weights on")
print(f"moment about the shaft {np.abs(bare.shaking().only('inertia').total[:, 2]).max():.1f} N m before, "
      f"{np.abs(quiet[:, 2]).max():.1f} N m after")  # fmt: skip

# %% [markdown]
# ## 5. What to take along
#
# - One counterweight on the crank takes all of what turns, and half of what goes to and fro.
# - Each further harmonic, and each direction of it, needs a shaft of its own.
# - What is left, the fourth harmonic, is three thousandths of what there was. The moment is not touched.

# %%
assert np.allclose(quiet[:, :2], found.after, atol=1e-8 * np.abs(force).max())
assert largest < 3e-3 * np.linalg.norm(force, axis=1).max()
