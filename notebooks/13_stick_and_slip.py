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
# # Stick and slip
#
# A violin string, a squeaking door, a drill that chatters: something is taken along, lets go, slips back, and is caught
# again. All it takes is friction that holds more at rest than it does in motion. We look at the simplest such thing, a
# block on a belt, in time and in its phase plane, and ask for which belts and dampers it comes to rest.
#
# The file is a notebook and a plain script: open it with Jupyter (jupytext), or run
# `python notebooks/13_stick_and_slip.py`.

# %%
import numpy as np
import sympy as sp

import mbs_dae as mbs
from mbs_dae.view.style import Picture, style

g = 9.81

# %% [markdown]
# ## 1. Two coefficients
#
# Friction between dry bodies has two faces. While they slide it is a force of a given size against the motion, $\mu N$.
# While they rest on each other it is whatever is needed, up to $\mu_s N$, and it is no less than when they slide. So at
# rest there is not one force but a range of them; which one, the balance says. A block of mass $m$ lies on a belt that
# runs at the speed $v$; a spring $k$ holds it, and for later, a damper $c$.

# %%
m, k, mu, mu_s, v = 1.0, 100.0, 0.3, 0.45, 0.1
shop = mbs.PlanarModel("block on a belt", gravity=(0, -g))
speed, damping = shop.parameter("v", v, unit="m/s"), shop.parameter("c", 0.0, unit="N s/m")
static = shop.parameter("mu_s", mu_s)
belt, block = shop.body("belt", mass=1.0, inertia=1.0), shop.body("block", mass=m, inertia=1e-3)
shop.add(mbs.Translational("rollers", shop.ground, belt), mbs.Driver("motor", mbs.x(belt), speed * mbs.t))
shop.add(mbs.Contact("rub", mbs.Line(belt), mbs.Point(block), friction=mu, static_friction=static))
shop.add(mbs.Force("spring", block, (-k * shop["block.x"] - damping * shop["block.vx"], 0)))


def run_of(model, x, speed, end=4.0, points=1601):
    start = {"block.x": x, "block.vx": speed, "block.vy": 0.0, "block.omega": 0.0}
    return mbs.simulate(model, np.linspace(0, end, points), start)


run = run_of(shop, 0.0, v)
slips = run.modes["rub"] == "slips"

# %%
with style():
    figure = Picture(figsize=(6.4, 5.0), layout="constrained")
    panels = figure.subplots(3, 1, sharex=True)
    curves = (1000 * run["block.x"], run["block.vx"], run.reaction("rub")[:, 0])
    for ax, values, label in zip(panels, curves, ("place [mm]", "velocity [m/s]", "friction [N]"), strict=True):
        ax.plot(run.t, values)
        ax.set_ylabel(label)
        low, high = ax.get_ylim()
        ax.fill_between(run.t, low, high, where=slips, color="#7A7A7A", alpha=0.18, linewidth=0, label="slips")
        ax.set_ylim(low, high)
    panels[1].axhline(v, color="#7A7A7A", linestyle="--", linewidth=1, label="belt")
    panels[-1].set_xlabel("time [s]")
    figure.legend(*panels[1].get_legend_handles_labels(), loc="outside lower center", ncols=2)
figure

# %% [markdown]
# The block goes with the belt, and the spring pulls harder and harder. At $x_s = \mu_s m g/k$ rest can hold no more.
# Now friction drops to $\mu m g$, and the block slips back; it is caught where its velocity is that of the belt again.
#
# While it slips it is an oscillator about $x_k = \mu m g/k$ with $\omega = \sqrt{k/m}$. Its way begins at $(x_s, v)$
# and ends at $(2x_k - x_s, v)$, and so
#
# $$T_{\text{slip}} = \frac{1}{\omega}\left(2\pi - 2\arctan\frac{(x_s - x_k)\,\omega}{v}\right), \qquad
#   T_{\text{stick}} = \frac{2(x_s - x_k)}{v}.$$

# %%
omega, x_s, x_k = np.sqrt(k / m), mu_s * m * g / k, mu * m * g / k
T_slip = (2 * np.pi - 2 * np.arctan((x_s - x_k) * omega / v)) / omega
T_stick = 2 * (x_s - x_k) / v
lets_go = x_s / v + (T_slip + T_stick) * np.arange(4)
edges = run.t[1:][np.diff(slips.astype(int)) == 1]
print("lets go at", lets_go[: len(edges)].round(4), "s; in the run by", edges.round(4), "s")
asked = np.sort(np.concatenate([lets_go[:2] - 1e-7, lets_go[:2] + 1e-7]))
with_belt = {"block.x": 0.0, "block.vx": v, "block.vy": 0.0, "block.omega": 0.0}
fine = mbs.simulate(shop, [0, *asked], with_belt, rtol=1e-11)
print(fine.modes["rub"][1:])
assert fine.modes["rub"][1:].tolist() == ["sticks", "slips", "sticks", "slips"]

# %% [markdown]
# ## 2. The phase plane
#
# Drawn over the place, the velocity goes along circles about $(x_k, 0)$ while the block slips (with the axes in the
# ratio $\omega$), and along the straight line $\dot x = v$ while it sticks. From outside the block runs into the line,
# is taken along to its end, and is on the *limit cycle* for good, whatever it began with. Its energy comes from the
# belt. Inside the circle that just touches the line it never has the belt's velocity, and swings as it began.

# %%
starts = ((0.12, 0.0, "pulled far"), (0.0, 0.0, "from rest"), (x_k + 0.004, 0.0, "close to $x_k$"))
paths = {label: run_of(shop, x, speed, end=2.5) for x, speed, label in starts}
with style():
    figure = Picture(figsize=(6.4, 4.6), layout="constrained")
    ax = figure.add_subplot()
    for label, path in paths.items():
        ax.plot(1000 * path["block.x"], path["block.vx"], linewidth=1.3, label=label)
    ax.plot([1000 * (2 * x_k - x_s), 1000 * x_s], [v, v], color="black", linewidth=3, alpha=0.35, label="sticks")
    ax.plot(1000 * x_k, 0, "k+", markersize=9)
    ax.annotate("$x_k$", (1000 * x_k, 0), (6, -26), textcoords="offset points")
    ax.set_xlabel("place [mm]")
    ax.set_ylabel("velocity [m/s]")
    ax.legend(loc="upper right")
figure

# %%
cycle = np.array([run["block.x"][run.t > 2].min(), run["block.x"][run.t > 2].max()])
radius = np.hypot(x_s - x_k, v / omega)
circle = x_k + radius * np.array([-1, 1])
print("the cycle:", (1000 * cycle).round(3), "mm; a circle about x_k:", (1000 * circle).round(3), "mm")
for label in ("from rest", "pulled far"):
    last = paths[label]["block.x"][paths[label].t > 1.5]
    assert abs(last.max() - x_k - radius) < 2e-5 and abs(last.min() - x_k + radius) < 2e-5
assert np.ptp(paths["close to $x_k$"]["block.x"][1000:]) < 0.0081

# %% [markdown]
# ## 3. A drop that takes its time
#
# Real friction does not jump from $\mu_s$ to $\mu$: it falls over a range of velocities, as Stribeck measured in
# bearings in 1902,
#
# $$F(s) = F_k + (F_s - F_k)\,e^{-|s|/s_0}.$$
#
# `DryFriction` takes such a law as an expression of the slip. Now friction begins to slide with what it holds at rest,
# and yet there is a cycle: about steady slipping a falling law is a damper with the wrong sign. So small motions grow,
# until they meet the belt's velocity and are caught.

# %%
F_k, F_s = mu * m * g, mu_s * m * g


def stribeck(s_0):
    model = mbs.PlanarModel("block on a belt, after Stribeck")
    belt, block = model.body("belt", mass=1.0, inertia=1.0), model.body("block", mass=m, inertia=1e-3)
    rail = mbs.Translational("rail", belt, block)
    model.add(mbs.Translational("rollers", model.ground, belt), rail)
    model.add(mbs.Driver("motor", mbs.x(belt), v * mbs.t))
    slip = model["rail.velocity"]
    law = F_k + (F_s - F_k) * sp.exp(-sp.Abs(slip) / s_0)
    model.add(mbs.DryFriction("rub", mbs.displacement(rail), force=law))
    model.add(mbs.Force("spring", block, (-k * model["block.x"], 0)))
    return model


steady = (F_k + (F_s - F_k) * np.exp(-v / 0.05)) / k  # where the spring balances the slip of a block at rest
start = {"block.x": steady + 0.001, "block.vx": 0.0}
grows = mbs.simulate(stribeck(0.05), np.linspace(0, 12, 3001), start)
with style():
    figure = Picture(figsize=(8.4, 3.8), layout="constrained")
    law, plane = figure.subplots(1, 2)
    s = np.linspace(0, 0.3, 301)
    for s_0 in (0.02, 0.05):
        law.plot(s, F_k + (F_s - F_k) * np.exp(-s / s_0), label=f"$s_0$ = {s_0:g} m/s")
    law.axhline(F_k, color="#7A7A7A", linestyle="--", linewidth=1, label="$F_k$")
    law.set_xlabel("slip [m/s]")
    law.set_ylabel("friction [N]")
    law.legend()
    plane.plot(1000 * grows["block.x"], grows["block.vx"], linewidth=0.8)
    plane.axhline(v, color="#7A7A7A", linestyle="--", linewidth=1, label="belt")
    plane.set_xlabel("place [mm]")
    plane.set_ylabel("velocity [m/s]")
    plane.legend(loc="lower left")
figure

# %%
sticks = grows.modes["rub"] == "sticks"
print(f"caught for the first time at about t = {grows.t[sticks][0]:.2f} s")
assert not sticks[:200].any() and sticks[1500:].any()

# %% [markdown]
# ## 4. Where does it stick?
#
# A damper takes what the belt gives. For which belts and dampers does the block still stick in the end? We let
# it run for eight seconds and count how long it sticks in the last four of them.

# %%
speeds, dampers = np.linspace(0.05, 0.35, 7), np.linspace(0.0, 3.0, 7)
share = np.zeros((len(dampers), len(speeds)))
for row, c in enumerate(dampers):
    for column, belt_speed in enumerate(speeds):
        at = shop.with_parameters(v=belt_speed, c=c)
        path = run_of(at, 0.0, belt_speed, end=8.0, points=401)
        share[row, column] = np.mean(path.modes["rub"][200:] == "sticks")

# %%
with style():
    figure = Picture(figsize=(6.4, 4.2), layout="constrained")
    ax = figure.add_subplot()
    shown = ax.pcolormesh(speeds, dampers, 100 * share, cmap="Blues", vmin=0, shading="nearest")
    figure.colorbar(shown, label="of the time it sticks [%]")
    ax.set_xlabel("speed of the belt [m/s]")
    ax.set_ylabel("damper [N s/m]")
figure

# %% [markdown]
# Slow belts and weak dampers: it squeals. Fast belts and strong dampers: it comes to rest at $x_k$, and the belt slips
# below it. That is why a drop of oil, or a faster pull, silences a door. Without a damper it never ends: each cycle
# takes from the belt what it needs.
#
# ## 5. What to take along
#
# - Friction of rest is no law of the velocity but a range of forces; the mode, stick or slip, is a state of its own.
# - `result.modes` has it over time; changes are found to the tolerance, and steps end there.
# - $\mu_s > \mu$ or a falling law makes a limit cycle; damping, or speed, ends it.

# %%
assert share[0].min() > 0.02 and share[-1, -1] == 0.0 < share[-1, 0]
assert abs(run.energy.error).max() < 1e-6
