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
# # Stiff systems: explicit against implicit steps
#
# A spring that hardly gives is a fast thing: a mass $m$ on a stiffness $k$ swings at $\omega = \sqrt{k/m}$. Its
# swinging may have died out long ago. An explicit method must follow it all the same, for as long as the run lasts; an
# implicit method need not. This notebook shows why, what it costs, and what an implicit step does to fast motions.
#
# The file is a notebook and a plain script: open it with Jupyter (jupytext), or run
# `python notebooks/11_stiff_systems.py`.

# %%
import numpy as np

import mbs_dae as mbs
from mbs_dae.view.style import Picture, style

# %% [markdown]
# ## 1. A number that must not grow
#
# Take the simplest thing that dies out, $\dot y = \lambda y$ with $\lambda < 0$. One step of length $h$ multiplies $y$
# by a number that depends on $z = h\lambda$ alone:
#
# | step | $y_1 / y_0$ |
# | --- | --- |
# | explicit, $y_1 = y_0 + h\lambda y_0$ | $1 + z$ |
# | implicit, $y_1 = y_0 + h\lambda y_1$ | $1/(1 - z)$ |
#
# The first is larger than 1 for $h > 2/|\lambda|$: then errors grow from step to step. The second never is. For any
# explicit method the number is a polynomial in $z$, and grows beyond 1 somewhere: for DP5 beyond $|z| = 3.3$. So the
# fastest thing in a system bounds the step, whether it moves or not.

# %%
z = -np.logspace(-1, 2, 61)
implicit, explicit = 1 / (1 - z), 1 + z
print("largest |z| of the explicit step:", abs(z[abs(explicit) <= 1]).max().round(2))
assert np.abs(implicit).max() < 1 < np.abs(explicit).max()

# %% [markdown]
# ## 2. A pendulum on a rod that gives
#
# A ball of 1 kg hangs on a rod of 1 m and stiffness $k$, with a damper of a tenth of the critical. It is let go
# sideways. The slow motion is that of a pendulum, 2 s for there and back. The rod vibrates at $\sqrt{k/m}$: at
# 1e10 N/m that is 16,000 times a second. We let $k$ go over six decades and count steps for 2 s.

# %%
LET_GO = {"ball.vx": 0.0, "ball.vy": 0.0, "ball.omega": 0.0}


def pendulum(k):
    model = mbs.PlanarModel("pendulum on a rod", gravity=(0.0, -9.81))
    ball = model.body("ball", mass=1.0, inertia=1.0, position=(1.0, 0.0))
    rod = mbs.SpringDamper("rod", model.ground, ball, stiffness=k, damping=0.2 * np.sqrt(k), length=1.0)
    model.add(rod)
    return model


stiffnesses = 10.0 ** np.arange(4, 11)
counts = {"DP5": [], "Radau5": []}
for k in stiffnesses:
    for method, own in counts.items():
        if method == "Radau5" or k <= 1e8:
            own.append(mbs.simulate(pendulum(k), [0, 2], LET_GO, method=method, rtol=1e-6).stats["accepted"])
print(f"{'k [N/m]':>8} {'DP5':>8} {'Radau5':>8}")
for row, k in enumerate(stiffnesses):
    explicit_steps = counts["DP5"][row] if row < len(counts["DP5"]) else "-"
    print(f"{k:8.0e} {explicit_steps:>8} {counts['Radau5'][row]:>8}")

# %%
with style():
    figure = Picture(figsize=(6.4, 3.6), layout="constrained")
    ax = figure.add_subplot()
    ax.loglog(stiffnesses[: len(counts["DP5"])], counts["DP5"], "o-", label="DP5, explicit")
    ax.loglog(stiffnesses, counts["Radau5"], "s-", label="Radau5, implicit")
    guide = stiffnesses[2:5]
    ax.loglog(guide, 0.4 * counts["DP5"][2] * np.sqrt(guide / guide[0]), "--", color="#7A7A7A", label="like √k")
    ax.set_xlabel("stiffness of the rod [N/m]")
    ax.set_ylabel("steps for 2 s")
    ax.legend()
figure

# %% [markdown]
# The explicit method pays with the root of $k$, as $h < 3.3/\sqrt{k/m}$ says. The implicit one takes about as many
# steps at 1e10 N/m as at 1e4 N/m: it sees the slow motion only.

# %%
assert counts["DP5"][4] > 30 * counts["DP5"][0]
assert max(counts["Radau5"]) < 3 * min(counts["Radau5"])

# %% [markdown]
# ## 3. How do I know?
#
# Ask the run. Where the steps of an explicit method are held short by something far faster than the motion, its
# statistics say so, and name the force.

# %%
run = mbs.simulate(pendulum(1e7), np.linspace(0, 2, 101), LET_GO, rtol=1e-6)
print(run.stats["stiff"])
assert "rod" in run.stats["stiff"] and "Radau5" in run.stats["stiff"]

# %% [markdown]
# A run of Radau5 has other counts: matrices of Newton's method, how often they were eliminated, and corrections.

# %%
run = mbs.simulate(pendulum(1e7), np.linspace(0, 2, 101), LET_GO, method="Radau5", rtol=1e-6)
print({name: run.stats[name] for name in ("accepted", "rejected", "matrices", "eliminations", "corrections")})
assert "stiff" not in run.stats

# %% [markdown]
# ## 4. Work against error
#
# An implicit step costs more than an explicit one: several evaluations, and a matrix. So which is faster depends on the
# error that is asked for. We take a rod of 1e6 N/m, and a soft one of 100 N/m, and let the tolerance go down. The error
# is that of the ball's place after 2 s, against a run at 1e-12.


# %%
def work_against_error(k, methods):
    model, found = pendulum(k), {}
    exact = mbs.simulate(model, [0, 2], LET_GO, method="Radau5", rtol=1e-12)
    place = np.array([exact["ball.x"][-1], exact["ball.y"][-1]])
    for method, tolerances in methods.items():
        points = []
        for rtol in tolerances:
            run = mbs.simulate(model, [0, 2], LET_GO, method=method, rtol=rtol)
            error = np.hypot(run["ball.x"][-1] - place[0], run["ball.y"][-1] - place[1])
            points.append((error, run.stats["evaluations"]))
        found[method] = np.array(points)
    return found


def down(first, last):
    return 10.0 ** -np.arange(first, last + 0.1)


tolerances = {"DP5": down(3, 9), "DP8": down(3, 10), "Radau5": down(4, 9), "GA": down(4, 7)}
stiff, soft = work_against_error(1e6, tolerances), work_against_error(100.0, tolerances)

# %%
with style():
    figure = Picture(figsize=(8.4, 3.8), layout="constrained")
    panels = figure.subplots(1, 2, sharey=True)
    for ax, found, title in zip(panels, (stiff, soft), ("rod of 1e6 N/m", "rod of 100 N/m"), strict=True):
        for marker, (method, points) in zip("osD^", found.items(), strict=True):
            ax.loglog(points[:, 0], points[:, 1], marker + "-", label=method, markersize=4)
        ax.set_title(title)
        ax.set_xlabel("error of the ball's place [m]")
        ax.invert_xaxis()
    panels[0].set_ylabel("evaluations of all accelerations")
    panels[1].legend(loc="upper left")
figure

# %% [markdown]
# On the stiff rod the explicit curves begin flat: there stability bounds the step, and asking for less saves nothing.
# Radau5 takes a tenth of their evaluations. On the soft rod the explicit methods win everywhere, the more so as their
# evaluations need no matrices. Generalised α is of order 2, and so not for accuracy; what it is for comes next.

# %%
for method, points in stiff.items():
    print(f"{method:8}" + "".join(f"  {error:.0e} m: {count:6.0f}" for error, count in points[::2]))
cheapest = {method: points[:, 1].min() for method, points in stiff.items()}
assert cheapest["Radau5"] < cheapest["DP5"] / 5
assert soft["DP8"][-1, 1] < soft["Radau5"][-1, 1]

# %% [markdown]
# ## 5. What becomes of fast motions
#
# A fast motion that is not followed cannot come out right; the question is what is left of it. Take an oscillator
# without damping, $\ddot x = -\omega^2 x$, in steps of length $h$. A step multiplies its state by a matrix, and the
# largest eigenvalue of that, the *spectral radius*, says how much of the oscillation is left after it. The
# generalised-α method lets you choose it for infinitely fast oscillations: `mbs.GA(0.5)` halves them in each step,
# `mbs.GA(1.0)` keeps them all. Of Radau5 nothing is left.
#
# The numbers of the method follow from the radius $\rho$ that is chosen,
#
# $$\alpha_m = \frac{2\rho - 1}{\rho + 1},\quad \alpha_f = \frac{\rho}{\rho + 1},\quad
#   \gamma = \tfrac12 - \alpha_m + \alpha_f,\quad \beta = \tfrac14(\gamma + \tfrac12)^2 .$$


# %%
def spectral_radius(rho, w):
    """Of one step of generalised α with h = 1 for an oscillator of frequency w, in (x, v, b)."""
    am, af = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
    gamma = 0.5 - am + af
    beta = 0.25 * (gamma + 0.5) ** 2
    new = np.array([[1, 0, -beta], [0, 1, -gamma], [(1 - af) * w**2, 0, 1 - am]])
    old = np.array([[1, 1, 0.5 - beta], [0, 1, 1 - gamma], [-af * w**2, 0, -am]])
    return np.abs(np.linalg.eigvals(np.linalg.solve(new, old))).max()


def radau_radius(w):
    """The same of Radau5, from its rational function."""
    z = 1j * w
    return abs((1 + 2 * z / 5 + z**2 / 20) / (1 - 3 * z / 5 + 3 * z**2 / 20 - z**3 / 60))


w = np.logspace(-2, 4, 241)
with style():
    figure = Picture(figsize=(6.4, 3.6), layout="constrained")
    ax = figure.add_subplot()
    for rho in (1.0, 0.8, 0.5, 0.0):
        ax.semilogx(w / (2 * np.pi), [spectral_radius(rho, one) for one in w], label=f"GA, ρ = {rho:g}")
    ax.semilogx(w / (2 * np.pi), radau_radius(w), "--", label="Radau5")
    ax.set_xlabel("step over the period of the oscillation, h ω / 2π")
    ax.set_ylabel("spectral radius of a step")
    ax.legend(loc="lower left")
figure

# %%
assert all(abs(spectral_radius(rho, 1e4) - rho) < 0.02 for rho in (1.0, 0.8, 0.5)) and radau_radius(1e4) < 1e-3
assert spectral_radius(0.5, 0.1) > 0.9999  # slow motions keep their energy

# %% [markdown]
# To the left stands what is followed, with many steps in a period: there every method leaves the motion alone. To the
# right stands what is not followed. So it is in a run: we let an oscillator swing 1,000 times in a step. (At
# infinity all three eigenvalues of generalised α are the same. So ρⁿ comes with a polynomial in n, which shows in the
# first steps, and as a dip where it changes its sign.)


# %%
def oscillation(method, steps=40, h=0.01):
    model = mbs.PlanarModel("oscillator")
    block, cart = (model.body(name, mass=mass, inertia=1.0) for name, mass in (("block", 1.0), ("cart", 1e4)))
    model.add(mbs.Translational("guide", model.ground, block), mbs.Translational("rail", model.ground, cart))
    model.add(mbs.Spring("spring", model.ground.at(-1, 0), block, stiffness=(2000 * np.pi / h) ** 2))
    start = {"block.x": 1e-8, "cart.vx": 1.0}  # the cart has nearly all the energy, so none is missed
    run = mbs.simulate(model, h * np.arange(steps + 1), start, method=method, step=h, rtol=1e-12)
    return np.abs(run["block.x"])


with style():
    figure = Picture(figsize=(6.4, 3.6), layout="constrained")
    ax = figure.add_subplot()
    for rho in (1.0, 0.8, 0.5):
        lengths = oscillation(mbs.GA(rho))
        ax.semilogy(lengths, ".-", label=f"GA, ρ = {rho:g}")
        rate = (lengths[35:41].max() / lengths[15:21].max()) ** (1 / 20)
        print(f"rho = {rho:g}: {rate:.2f} a step")
        assert abs(rate - rho) < 0.1
    ax.semilogy(oscillation("Radau5", 3), "s--", markersize=4, label="Radau5")
    ax.set_ylim(1e-17, 1e-6)
    ax.set_xlabel("steps")
    ax.set_ylabel("displacement after a step [m]")
    ax.legend(loc="upper center", ncols=4)
figure

# %% [markdown]
# Which radius? Where fast motions are of no interest, 0.8 (the default) or less: they are gone after some steps. Where
# the fast motion is what you look for, none: choose steps that follow it. Near 1 nothing is damped, and errors of the
# fast motion stay, too.
#
# ## 6. What to take along
#
# - Stiff is what is far faster than the motion and does not show in it. Explicit steps must follow it all the same.
# - `result.stats["stiff"]` says that it is so, and which force it is.
# - `method="Radau5"` for accuracy, with step control; `method="GA"` or `mbs.GA(rho)` for low accuracy and fixed steps.
# - Fast motions that are not followed are damped by the method. Their energy is gone; `result.energy` shows it.
#
# The last cell is the whole story in one line: the same motion, in so many steps.

# %%
followed = mbs.simulate(pendulum(1e8), [0, 2], LET_GO, rtol=1e-6)
passed_over = mbs.simulate(pendulum(1e8), [0, 2], LET_GO, method="Radau5", rtol=1e-6)
print(followed.stats["accepted"], "explicit steps,", passed_over.stats["accepted"], "implicit ones")
assert abs(followed["ball.x"][-1] - passed_over["ball.x"][-1]) < 1e-4
assert followed.stats["accepted"] > 50 * passed_over.stats["accepted"]
