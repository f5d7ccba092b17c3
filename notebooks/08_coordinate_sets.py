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
# # One linkage, three sets of coordinates
#
# Lecture notes on computer-aided kinematics introduce coordinates with a four-bar linkage: crank $r$, coupler $d$,
# rocker $s$, ground $l$ along the $x$ axis. They write it with four angles, with three angles, and with Cartesian
# coordinates. We derive each set, and hold it against a motion that `mbs_dae` computes. A sign is wrong in two of the
# printed equations, and a third fits the others only if an angle is measured elsewhere; a motion finds that out at
# once.
#
# Run it with `python notebooks/08_coordinate_sets.py`, or open it with Jupyter (jupytext).

# %%
import numpy as np
import sympy as sp

import mbs_dae as mbs
from mbs_dae.view.style import Picture, style

r, d, s, l = 0.10, 0.35, 0.25, 0.30  # m
theta0 = 1.0
A = r * np.array([np.cos(theta0), np.sin(theta0)])
arm = np.array([l, 0.0]) - A
reach = np.linalg.norm(arm)
opening = np.arccos((reach**2 + d**2 - s**2) / (2 * reach * d))
B = A + d * np.array([np.cos(np.arctan2(arm[1], arm[0]) + opening), np.sin(np.arctan2(arm[1], arm[0]) + opening)])

model = mbs.PlanarModel("four-bar")
crank, coupler = model.link("crank", (0, 0), A, mass=1.0), model.link("coupler", A, B, mass=1.0)
rocker = model.link("rocker", (l, 0), B, mass=1.0)
model.add(
    mbs.Revolute("O", model.ground, crank.tail),
    mbs.Revolute("A", crank.head, coupler.tail),
    mbs.Revolute("B", coupler.head, rocker.head),
    mbs.Revolute("D", model.ground.at(l, 0), rocker.tail),
    mbs.Driver("motor", mbs.angle(model.ground, crank), theta0 + mbs.t),
)
times = np.linspace(0, 2 * np.pi, 181)
motion = mbs.kinematics(model, times)
phi, beta, psi = (motion[f"{name}.angle"] for name in ("crank", "coupler", "rocker"))
lengths = dict(zip(sp.symbols("r d s l", positive=True), (r, d, s, l), strict=True))


def along(expression, **angles):
    """The values of an equation along the motion."""
    symbols = {sp.Symbol(name): values for name, values in angles.items()}
    function = sp.lambdify([*symbols], sp.sympify(expression).subs(lengths), "numpy")
    return function(*symbols.values()) + np.zeros_like(times)


R, Dl, S, L = lengths

# %% [markdown]
# ## 1. Three angles, two equations
#
# Go round the loop: crank, coupler, down the rocker, and back along the ground. With angles from the $x$ axis,
#
# $$r \cos\varphi_1 + d \cos\varphi_2 + s \cos\varphi_3 - l = 0, \qquad
#   r \sin\varphi_1 + d \sin\varphi_2 + s \sin\varphi_3 = 0.$$
#
# $\varphi_3$ points *down* the rocker, from $B$ to $D$. So printed, and so it is: $3 - 2 = 1$ degree of freedom.

# %%
p1, p2, p3 = sp.symbols("p1 p2 p3")
loop = [R * sp.cos(p1) + Dl * sp.cos(p2) + S * sp.cos(p3) - L, R * sp.sin(p1) + Dl * sp.sin(p2) + S * sp.sin(p3)]
three = [along(e, p1=phi, p2=beta, p3=psi + np.pi) for e in loop]
print("three angles:", [f"{np.abs(x).max():.0e}" for x in three])
assert np.abs(three).max() < 1e-12

# %% [markdown]
# ## 2. Four angles, three equations
#
# $\varphi$ is the crank's angle; $\theta_2$ the angle between coupler and rocker. The diagonal from $A$ to $D$ belongs
# to two triangles, and the cosine law gives it twice:
#
# $$r^2 + l^2 - 2rl\cos\varphi = d^2 + s^2 - 2ds\cos\theta_2
#   \quad\Longrightarrow\quad r^2 + l^2 - s^2 - d^2 - 2rl\cos\varphi + 2ds\cos\theta_2 = 0.$$
#
# Printed (1.2) has $+s^2$. With $\theta_1$ the *rocker's angle from the $x$ axis*, $|B - A|^2 = d^2$ is
#
# $$r^2 + l^2 + s^2 - d^2 - 2rl\cos\varphi + 2ls\cos\theta_1 - 2rs\cos(\varphi - \theta_1) = 0,$$
#
# which is (1.1) as printed. The angles inside a quadrilateral make $2\pi$; the one at $D$ is $\pi - \theta_1$. So the
# third equation is $\varphi - \theta_1 + \theta_2 + \theta_3 = \pi$. Printed (1.3) has $\varphi + \theta_1 + \theta_2 +
# \theta_3 = 2\pi$. It is right if $\theta_1$ is the inner angle at $D$; but then (1.1) must have other signs,
# $-2ls\cos\theta_1 + 2rs\cos(\varphi + \theta_1)$. The two do not hold together as they stand.

# %%
f, t1, t2, t3 = sp.symbols("f t1 t2 t3")
common = R**2 + L**2 - Dl**2 - 2 * R * L * sp.cos(f)
first = common + S**2 + 2 * L * S * sp.cos(t1) - 2 * R * S * sp.cos(f - t1)
second = common - S**2 + 2 * Dl * S * sp.cos(t2)
third = f - t1 + t2 + t3 - sp.pi
printed_second = common + S**2 + 2 * Dl * S * sp.cos(t2)
printed_third = f + t1 + t2 + t3 - 2 * sp.pi
inner_first = common + S**2 - 2 * L * S * sp.cos(t1) + 2 * R * S * sp.cos(f + t1)

at_B, at_A = psi - beta, np.pi + beta - phi  # inner angles, from the motion
angles = {"f": phi, "t1": psi, "t2": at_B, "t3": at_A}
inner = angles | {"t1": np.pi - psi}
checks = {
    "(1.1), rocker's angle": along(first, f=phi, t1=psi),
    "(1.2), $-s^2$": along(second, f=phi, t2=at_B),
    "(1.3), rocker's angle": along(third, **angles),
    "(1.1), inner angle": along(inner_first, f=phi, t1=np.pi - psi),
    "(1.3) printed, inner angle": along(printed_third, **inner),
}
misses = {
    "(1.2) printed": along(printed_second, f=phi, t2=at_B),
    "(1.3) printed, rocker's angle": along(printed_third, **angles),
    "(1.1) printed, inner angle": along(first, f=phi, t1=np.pi - psi),
}

# %% [markdown]
# ## 3. Cartesian coordinates
#
# Nine numbers, and two equations for each of four pins: $9 - 8 = 1$. (The printed "12 coordinates and 11 constraints"
# counts the ground as well, with three coordinates and three equations that hold it; the vector $q$ that follows has
# nine, and the equations are eight.) Here $\varphi_3$ points *up* the rocker, unlike above. At pin $A$
#
# $$y_1 + \tfrac r2 \sin\varphi_1 - y_2 + \tfrac d2 \sin\varphi_2 = 0;$$
#
# printed is $-\tfrac d2 \sin\varphi_2$. `mbs.equations` has the same eight rows, and the driver.

# %%
c1, c2, c3 = (np.array([motion[f"{name}.x"], motion[f"{name}.y"]]) for name in ("crank", "coupler", "rocker"))
e1, e2, e3 = (np.array([np.cos(x), np.sin(x)]) for x in (phi, beta, psi))
D = np.array([[l], [0.0]])
pins = [c1 - r / 2 * e1, c1 + r / 2 * e1 - c2 + d / 2 * e2, c2 + d / 2 * e2 - c3 - s / 2 * e3, c3 - s / 2 * e3 - D]
checks |= {f"pin {name}": np.abs(pin).max(axis=0) for name, pin in zip("OABD", pins, strict=True)}
misses["pin A printed"] = pins[1][1] - d * e2[1]
eq = mbs.equations(model)
print("Cartesian:", eq.Phi_q.shape, "with the driver; without", len(eq.rows) - 1, "equations")
assert eq.Phi_q.shape == (9, 9)

# %% [markdown]
# ## 4. The verdict
#
# What was derived vanishes along a whole turn; what was printed does not.

# %%
for name, values in (checks | misses).items():
    print(f"{name:32} {np.abs(values).max():.1e}")
with style():
    picture = Picture(figsize=(7.5, 3.8), layout="constrained")
    ax = picture.subplots()
    for name, values in misses.items():
        unit = {"(1.3)": "rad", "pin A": "m"}.get(name[:5], "m²")
        ax.plot(times, values, label=f"{name} [{unit}]")
    ax.axhline(0, color="black", linewidth=0.8, label="derived")
    ax.set(xlabel="$t$ [s]", ylabel="residual [see legend]", title="what the equations say along the motion")
    picture.legend(loc="outside lower center", ncols=3)
picture

# %% [markdown]
# Fewer coordinates have fewer equations, and more to think about in each of them: where an angle is measured, and
# which way it counts. The [natural coordinates](06_natural_coordinates.py) of this linkage are four numbers and three
# equations without any angle.

# %%
assert all(np.abs(values).max() < 1e-10 for values in checks.values())
assert all(np.abs(values).max() > 1e-2 for values in misses.values())
system = model.without("motor").compile("natural")
assert (system.nv, len(system.rows)) == (4, 3)
