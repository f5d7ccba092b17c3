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
# # Impacts
#
# When bodies meet, forces become very large for a very short time. What such a blow leaves behind can be said without
# looking into it: places stay, velocities jump, and the impulses of all joints jump with them. We let a ball bounce
# until it lies, ask where to hit a door, and let a double pendulum beat against a wall, always with one eye on the
# energy.
#
# The file is a notebook and a plain script: open it with Jupyter (jupytext), or run `python notebooks/12_impacts.py`.
# What contacts are and how they are said is in [Stops, contacts, impacts](../docs/contacts.md).

# %%
import numpy as np

import mbs_dae as mbs
from mbs_dae.view.style import Picture, style

g = 9.81

# %% [markdown]
# ## 1. One number for a blow
#
# Newton let balls of glass, steel and wool swing against each other, and found that of the speed with which two bodies
# approach a part $e$ is left after it, the *restitution*, which depends on what they are made of:
#
# $$w^+ = -e\,w^-, \qquad 0 \le e \le 1.$$
#
# With the momentum $m(w^+ - w^-) = p$ this gives the impulse $p = m(1 + e)|w^-|$, and what is lost of the energy,
# $\tfrac12 m (w^-)^2 (1 - e^2)$. So a ball that falls from the height $h$ comes up to $e^2 h$.

# %%
e, h, m = 0.7, 1.0, 0.5
yard = mbs.PlanarModel("yard", gravity=(0, -g))
ball = yard.body("ball", mass=m, inertia=5e-4, position=(0, h + 0.05))
yard.add(mbs.Contact("floor", mbs.Line(yard.ground), mbs.Disk(ball, 0.05), restitution=e))
run = mbs.simulate(yard, np.linspace(0, 3.2, 1601), {"ball.vx": 0.0, "ball.vy": 0.0, "ball.omega": 0.0})

speeds = np.sqrt(2 * g * h) * e ** np.arange(5)
print(f"{'t [s]':>10} {'impulse [N s]':>14} {'m(1+e)w':>10} {'lost [J]':>10} {'of what came':>13}")
for impact, w in zip(run.impacts, speeds, strict=False):
    p, lost = impact.impulses["floor"][1], impact.energy_lost
    print(f"{impact.t:10.6f} {p:14.6f} {m * (1 + e) * w:10.6f} {lost:10.6f} {lost / (0.5 * m * w**2):13.4f}")
    assert abs(p - m * (1 + e) * w) < 1e-9 and abs(lost - 0.5 * m * w**2 * (1 - e**2)) < 1e-9

# %%
with style():
    figure = Picture(figsize=(6.4, 4.6), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True)
    above.plot(run.t, run["floor.gap"])
    above.set_ylabel("height [m]")
    energy = run.energy
    below.plot(run.t, energy.kinetic, label="kinetic", linewidth=1)
    below.plot(run.t, energy.kinetic + energy.potential - energy.potential[-1], label="kinetic + potential")
    below.plot(run.t, energy.dissipated, "--", label="lost in impacts")
    below.set_xlabel("time [s]")
    below.set_ylabel("energy [J]")
    below.legend(loc="center right")
figure

# %% [markdown]
# The energy goes down in stairs, each half as high ($e^2 = 0.49$) as the one before. All that is lost is booked: the
# ledger of the run closes.

# %%
assert abs(run.energy.error).max() < 1e-10
assert abs(run.energy.dissipated[-1] - m * g * h) < 1e-9

# %% [markdown]
# ## 2. Infinitely many impacts in a finite time
#
# The flights last $T_n = 2 w_n/g$, and their speeds are $w_n = e^n w_0$: a geometric series. All of them together take
#
# $$\sum_{n=1}^\infty \frac{2 e^n w_0}{g} = \frac{2 w_0}{g}\,\frac{e}{1 - e},$$
#
# after which the ball lies still. Zeno of Elea would have liked it. A program that goes from impact to impact would
# never get there. So as soon as a flight is lower than can be seen, the run passes all the rest at once, and
# tells when the last one would have been.

# %%
zeno = np.sqrt(2 * h / g) * (1 + e) / (1 - e)
print(f"{len(run.impacts)} impacts, at rest from {run.impacts[-1].rests:.9f} s on; by the series {zeno:.9f} s")
print("the floor carries", run.reaction("floor")[-1, 1], "N, the ball weighs", m * g, "N")
assert abs(run.impacts[-1].rests - zeno) < 1e-7 and run.modes["floor"][-1] == "closed"

# %%
left = zeno - np.array([impact.t for impact in run.impacts])
with style():
    figure = Picture(figsize=(6.4, 3.2), layout="constrained")
    ax = figure.add_subplot()
    ax.semilogy(np.arange(1, len(left)), left[:-1], "o", markersize=4, label="impacts of the run")
    n = np.arange(len(left) + 1)
    ax.semilogy(n, 2 * np.sqrt(2 * h / g) * e**n / (1 - e), color="#7A7A7A", linewidth=1, label="like $e^n$")
    ax.set_xlabel("number of the impact")
    ax.set_ylabel("time left until rest [s]")
    ax.legend()
figure

# %% [markdown]
# ## 3. Where to hit a door
#
# In a mechanism a blow is felt everywhere at once. Take a rod that hangs from a pin and swings against a buffer, a
# distance $s$ below. With $I_0 = mL^2/3$ about the pin and the jump $\Delta\omega$,
#
# $$I_0\,\Delta\omega = -p\,s, \qquad \tfrac12 mL\,\Delta\omega = -p + P
#   \quad\Rightarrow\quad P = p\left(1 - \frac{3 s}{2 L}\right).$$
#
# At two thirds of its length, the *centre of percussion*, the pin feels nothing: there a door stop belongs, and there a
# bat should meet the ball. Above it the pin is pushed along, below it is torn back.

# %%
L = 1.0
hall = mbs.PlanarModel("door", gravity=(0, -g))
s = hall.parameter("s", 0.5, unit="m")
rod = hall.body("rod", mass=2.0, inertia=2.0 * L**2 / 12, com=(0, -L / 2), angle=-1.0)
hall.add(mbs.Revolute("pin", hall.ground, rod))
wall = hall.ground.at(0, 0, angle=np.pi / 2)
hall.add(mbs.Contact("buffer", mbs.Line(wall), mbs.Point(rod.at(0, -s)), restitution=0.4))

places, found = np.linspace(0.2, 1.0, 17), []
for place in places:
    (hit, *_) = mbs.simulate(hall.with_parameters(s=place), [0, 0.8], {"pin.omega": 0.0}, rtol=1e-10).impacts
    found.append((hit.impulses["buffer"][0], hit.impulses["pin"][0]))
buffer, pin = -np.array(found).T
assert np.abs(pin + buffer * (1 - 1.5 * places / L)).max() < 1e-7

# %%
with style():
    figure = Picture(figsize=(6.4, 3.4), layout="constrained")
    ax = figure.add_subplot()
    ax.plot(places, buffer, "o-", markersize=4, label="buffer on the rod")
    ax.plot(places, pin, "s-", markersize=4, label="pin on the rod")
    ax.axvline(2 / 3 * L, color="#7A7A7A", linestyle="--", linewidth=1, label="centre of percussion")
    ax.axhline(0, color="#7A7A7A", linewidth=0.8)
    ax.set_xlabel("buffer below the pin [m]")
    ax.set_ylabel("impulse against the motion [N s]")
    ax.legend()
figure

# %% [markdown]
# ## 4. A double pendulum beats against a wall
#
# Now there is no formula. Two rods hang from each other, and the tip of the lower one meets a wall. Each impact is one
# linear system with the same matrix as the motion: the impulses of wall and pins take the place of forces, jumps
# of velocities that of accelerations.

# %%
room = mbs.PlanarModel("double pendulum", gravity=(0, -g))
upper = room.body("upper", mass=1.0, inertia=1 / 12, com=(0, -0.5), angle=-1.2)
knee = np.array([np.sin(-1.2), -np.cos(-1.2)])
lower = room.body("lower", mass=0.7, inertia=0.7 * 0.8**2 / 12, com=(0, -0.4), position=knee, angle=-0.9)
room.add(mbs.Revolute("A", room.ground, upper), mbs.Revolute("B", upper.at(0, -1), lower))
tip, wall = lower.marker("tip", 0, -0.8), room.ground.at(0.5, 0, angle=np.pi / 2)
room.add(mbs.Contact("wall", mbs.Line(wall), mbs.Point(tip), restitution=0.6))
swing = mbs.simulate(room, np.linspace(0, 5, 1001), {"upper.omega": 0.0, "lower.omega": 0.0}, rtol=1e-10)

print(f"{'t [s]':>9} {'wall':>9} {'pin A':>9} {'pin B [N s]':>12} {'lost [J]':>9}")
for hit in swing.impacts:
    sizes = [np.hypot(*hit.impulses[name][:2]) for name in ("wall", "A", "B")]
    print(f"{hit.t:9.6f} {sizes[0]:9.5f} {sizes[1]:9.5f} {sizes[2]:12.5f} {hit.energy_lost:9.5f}")

# %% [markdown]
# The momentum of a rod can change by impulses on it only. For the lower one in the first impact: what wall and pin B
# give is its mass times the jump of its centre's velocity. We read the velocities just before and just after, from a
# run of its own that asks for them.

# %%
first = swing.impacts[0]
around = mbs.simulate(room, [0, first.t - 1e-9, first.t + 1e-9], {"upper.omega": 0.0, "lower.omega": 0.0}, rtol=1e-10)
middle = np.array([around[f"lower.tip.v{x}"] + around[f"lower.v{x}"] for x in "xy"]) / 2
jump = 0.7 * (middle[:, 2] - middle[:, 1])
given = first.impulses["wall"][:2] + first.impulses["B"][:2]
print("momentum of the lower rod:", jump.round(6), " impulses on it:", given.round(6))
assert np.abs(jump - given).max() < 1e-6

# %%
with style():
    figure = Picture(figsize=(6.4, 6.2), layout="constrained")
    above, middle, below = figure.subplots(3, 1, sharex=True)
    above.plot(swing.t, swing["lower.tip.x"])
    above.axhline(0.5, color="#7A7A7A", linestyle="--", linewidth=1, label="wall")
    above.set_ylabel("tip, x [m]")
    above.legend(loc="lower right")
    middle.plot(swing.t, swing["upper.omega"], label="upper rod")
    middle.plot(swing.t, swing["lower.omega"], label="lower rod")
    middle.set_ylabel("angular velocity [rad/s]")
    middle.set_ylim(-12, 18)
    middle.legend(loc="upper right", ncols=2)
    total = swing.energy.kinetic + swing.energy.potential
    below.plot(swing.t, total - total[0], label="mechanical energy")
    below.plot(swing.t, -swing.energy.dissipated, "--", label="minus what impacts took")
    below.set_ylabel("change [J]")
    below.set_xlabel("time [s]")
    below.legend(loc="upper right")
figure

# %% [markdown]
# Between impacts the energy stays; each one takes its share. Both rods feel each impact, although only one of them
# touches the wall.
#
# ## 5. What to take along
#
# - An impact is a problem of impulses: places stay, velocities jump, joints take part.
# - Restitution says what is left of the approach. Less than 1, it ends in rest after infinitely many impacts.
# - `result.impacts` has the time, all impulses and the energy of each; `rests` tells where infinitely many were passed.
# - The ledger is the judge: motion, losses, and what comes in from outside, must sum up to zero.

# %%
assert abs(swing.energy.error).max() < 1e-7
assert abs(sum(hit.energy_lost for hit in swing.impacts) - swing.energy.dissipated[-1]) < 1e-9
