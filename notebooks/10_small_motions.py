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
# # Small motions
#
# Let a mechanism come to rest and push it a little. Whatever it is made of, what follows is linear, and three matrices
# say all about it. We linearise a double pendulum by hand and by machine, look at its modes, pull a truss until it
# snaps, spin a rotor until it whirls, and ask why a bicycle stays upright.
#
# The file is a notebook and a plain script: open it with Jupyter (jupytext), or run
# `python notebooks/10_small_motions.py`. What every function takes and gives is in
# [Rest and small motions](../docs/small-motions.md).

# %%
import numpy as np

import mbs_dae as mbs

g = 9.81

# %% [markdown]
# ## 1. A law for what is small
#
# Two point masses hang one below the other on rods of length $l$. With small angles $\theta_1, \theta_2$ from the
# vertical the masses go aside by $l\theta_1$ and $l(\theta_1+\theta_2)$, so
#
# $$T = \tfrac12 m l^2\left(\dot\theta_1^2 + (\dot\theta_1+\dot\theta_2)^2\right), \qquad
#   V \approx \tfrac12 m g l\left(2\,\theta_1^2 + \theta_2^2\right)$$
#
# where $V$ comes from how high the masses rise, $l\theta_1^2/2$ and $l(\theta_1^2+\theta_2^2)/2$. Lagrange's
# equations are $M\ddot\theta + K\theta = 0$ with the matrices of these quadratic forms,
#
# $$M = m l^2\begin{pmatrix}2&1\\1&1\end{pmatrix}, \qquad K = m g l\begin{pmatrix}2&0\\0&1\end{pmatrix}.$$
#
# In between we have left out everything that is small of second order. But careful: a mass that goes aside by $x$ rises
# by $x^2/2l$, and *that* is the whole of $V$. Whoever linearises positions too early finds no stiffness at all. In a
# multibody program the same trap has another face: the force of gravity is constant, its derivative is zero. The
# stiffness of the pendulum is in the *constraints*: their forces $\Phi_v^T\lambda$ turn as the rods turn.


# %%
def pendulums(m=1.0, l=1.0):
    model = mbs.PlanarModel("two pendulums", gravity=(0, -g))
    above = model.ground.at(0, 0)
    for name, y in (("upper", -l), ("lower", -2 * l)):
        mass = model.body(name, mass=m, position=(0, y))
        model.add(mbs.Revolute(f"{name} pin", above, mass.at(0, l)))
        above = mass.at(0, 0)
    return model


law = mbs.linearize(pendulums(), coordinates=["upper.angle", "lower.angle"])
print(law.M.round(12), law.K.round(12), sep="\n")
assert np.allclose(law.M, [[2, 1], [1, 1]]) and np.allclose(law.K, g * np.diag([2, 1])) and not law.D.any()

# %% [markdown]
# ## 2. Modes
#
# Try $\theta = u\,e^{\lambda t}$: then $(\lambda^2 M + K)u = 0$. With $\lambda = i\omega$ there are two solutions,
# $\omega^2 = (2\mp\sqrt2)\,g/l$, and two *shapes* $u$. In one both masses go the same way, in the other against each
# other. Any small motion is a sum of the two.

# %%
print(law)
assert np.allclose(law.frequencies**2, g * np.array([2 - np.sqrt(2), 2 + np.sqrt(2)]))
law.draw()

# %% [markdown]
# A mode is a motion like any other: `law.motion(2)` is a result, and `law.animate(2)` a film of it. And it is the
# motion: let go in the shape of the second mode, with 1/100 rad, the nonlinear pendulum swings as foretold, but for
# terms of the third order.

# %%
mode = law.modes[1]
start = {f"{name}.angle": 0.01 * mode.shape[f"{name}.angle"].real for name in ("upper", "lower")}
start |= {f"{name}.omega": 0.0 for name in ("upper", "lower")}
times = np.linspace(0, 3 * 2 * np.pi / mode.frequency, 181)
swing = mbs.simulate(pendulums(), times, start, rtol=1e-10)
error = np.abs(swing["upper.angle"] - start["upper.angle"] * np.cos(mode.frequency * times)).max()
print(f"largest difference in three periods: {error:.1e} rad")
assert error < 2e-5
swing.plot("upper.angle", "lower.angle")

# %% [markdown]
# ## 3. A stiffness that goes to zero
#
# Two springs meet in a flat apex, and a load $P$ presses it down. Where forces balance, $P = 2k(l_0-l)\,y/l$: first $P$
# grows with the deflection, then it falls. Following the equilibria we step along the *curve*, not along $P$, for at
# its highest point $P$ turns back. There the stiffness of the apex is zero, and with it the lower frequency: what
# swings slower and slower is about to leave.


# %%
def truss():
    model = mbs.PlanarModel("truss")
    P = model.parameter("P", 0.0, unit="N")
    apex = model.body("apex", mass=1.0, position=(0, 0.2))
    model.add(mbs.CoordinateFix("upright", apex, "angle"), mbs.Force("load", apex, (0, -P)))
    for name, x in (("left", -1), ("right", 1)):
        model.add(mbs.Spring(name, model.ground.at(x, 0), apex, stiffness=1e4))
    return model


path = mbs.equilibrium(truss(), over=("P", [-32.0, 0.0, 10.0, 20.0, 30.0, 32.0]))
limit = max(path.limit_values)
height = np.sqrt(np.cos(np.arctan(0.2)) ** (-2 / 3) - 1)  # where cos³α = cos α₀
print(f"limit load {limit:.6f} N at the height {path.limits[0]['apex.y']:.6f} m")
for load, one in zip(path.at, path.equilibria, strict=True):
    if load > 0 and one.stable and one["apex.y"] > 0:
        print(f"{load:3.0f} N: {one['apex.y']:.4f} m, frequencies {one.frequencies.round(3)} rad/s")
assert np.isclose(path.limits[0]["apex.y"], height, atol=1e-7)
path.plot("apex.y")

# %% [markdown]
# ## 4. About a steady motion
#
# A rotor turns in two elastic bearings. It stands nowhere at rest, yet its *axis* does, and small motions of the axis
# have a constant law. Gyroscopic moments $I_p\Omega\,\dot\beta$ stand in $D$, and they are no damping: they are skew,
# take no energy, and split the conical mode in two. One goes round with the rotor, the other against it,
#
# $$I_t s^2 - I_p\Omega\,s - 2ka^2 = 0.$$
#
# `over=` sweeps the speed. Lines cross there, so the order of the eigenvalues says nothing: a line goes on where the
# *shape* does.


# %%
def rotor(I_t=0.15, I_p=0.05, k=4e5, a=0.25):
    model = mbs.SpatialModel("rotor")
    body = model.body("rotor", mass=12.0, inertia=(I_t, I_t, I_p))
    for name, z in (("low", -a), ("high", a)):
        end = body.marker(name, 0, 0, z)
        push = [-k * model[f"rotor.{name}.{x}"] for x in "xy"]
        model.add(mbs.Force(name, end, (*push, 0)))
    return model


speeds = np.linspace(0, 900, 31)
whirl = mbs.linearize(rotor(), over=("rotor.wz", speeds))
for speed, way in whirl.critical_speeds():
    print(f"{speed:9.3f} rad/s  {'forward' if way > 0 else 'backward'}")
whirl.plot_campbell()

# %% [markdown]
# An unbalance goes round with the rotor, $s=\Omega$, so it meets the forward whirl at $\Omega^2 = 2ka^2/(I_t-I_p)$. A
# disk has $I_p > I_t$: it has no such speed, for its forward whirl is always faster than it.

# %%
forward = [speed for speed, way in whirl.critical_speeds() if way > 0]
assert np.allclose(forward, [np.sqrt(8e5 / 12), np.sqrt(2 * 4e5 * 0.25**2 / 0.10)])
disk = mbs.linearize(rotor(I_p=0.22), over=("rotor.wz", speeds))
assert len([speed for speed, way in disk.critical_speeds() if way > 0]) == 1  # the one to the side
whirl.systems[10].draw(7, 8)

# %% [markdown]
# ## 5. Why a bicycle stays upright
#
# Wheels that roll without slipping restrict velocities, not positions: there are more places than speeds, and $K$ need
# not be symmetric. Straight ahead at the speed $v$, in lean $\varphi$ and steering $\delta$,
#
# $$M\ddot q + v\,C_1\dot q + (g K_0 + v^2K_2)\,q = 0,$$
#
# so eigenvalues depend on the speed in earnest. Below is the model of the gallery in short: a frame with its rider, a
# fork, two wheels.


# %%
def bicycle(tilt=np.pi / 10, w=1.02, c=0.08):
    model = mbs.SpatialModel("bicycle", gravity=(0, 0, g))  # z down, x ahead, y to the right
    inertia = {"rear": (0.0603, 0.12, 0.0603), "front": (0.1405, 0.28, 0.1405)}
    rear = model.body("rear", 2.0, inertia["rear"], position=(0, 0, -0.3))
    frame = model.body("frame", 85.0, [[9.2, 0, 2.4], [0, 11, 0], [2.4, 0, 2.8]], position=(0.3, 0, -0.9))
    fork_inertia = [[0.05892, 0, -0.00756], [0, 0.06, 0], [-0.00756, 0, 0.00708]]
    fork = model.body("fork", 4.0, fork_inertia, position=(0.9, 0, -0.7))
    front = model.body("front", 3.0, inertia["front"], position=(w, 0, -0.35))
    road, side = model.ground.at(0, 0, 0, axis=(0, 0, -1)), (0, 1, 0)
    model.add(
        mbs.RollingDisk("rear tyre", road, rear.at(0, 0, 0, axis=side), radius=0.3),
        mbs.RollingDisk("front tyre", road, front.at(0, 0, 0, axis=side), radius=0.35),
        mbs.Revolute("rear hub", frame, rear, at=(0, 0, -0.3), axis=side),
        mbs.Revolute("steer", frame, fork, at=(w + c, 0, 0), axis=(np.sin(tilt), 0, np.cos(tilt))),
        mbs.Revolute("front hub", fork, front, at=(w, 0, -0.35), axis=side),
    )
    return model


ride = mbs.linearize(bicycle(), over=("frame.vx", np.linspace(0.25, 8, 32)))
ride.plot()


# %%
def grows(v):
    """The largest real part, but for the zeros of where it is and where it heads."""
    values = mbs.linearize(bicycle(), {"frame.vx": v}).eigenvalues
    return values[np.abs(values) > 1e-6].real.max()


for v in (4.0, 5.0, 6.5):
    print(f"{v:.1f} m/s: {grows(v):8.4f} 1/s")

# %% [markdown]
# Slower than 4.29 m/s it weaves, faster than 6.02 m/s it falls over, slowly, and between it rights itself. In the weave
# it leans, steers into the lean, and comes back beyond the middle; the eigenvalue tells how fast, the shape how much of
# each:

# %%
steady = mbs.linearize(bicycle(), {"frame.vx": 5.0}, coordinates=["frame.turn_x", "steer.angle"])
weave = next(k for k, mode in enumerate(steady.modes, start=1) if mode.frequency)
steady.draw(weave, size=(6.4, 4.4), view=(-20, 120, 180))

# %%
steady.plot()

# %%
published = -0.775341882195845 + 4.46486771378823j  # Meijaard and others (2007), at 5 m/s
assert abs(steady.modes[weave - 1].eigenvalue - published) < 1e-10
assert grows(4.2) > 0 > grows(5.0) and grows(6.5) > 0
