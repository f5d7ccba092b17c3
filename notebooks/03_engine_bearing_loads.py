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
# # An engine: gas force, bearing loads, flywheel
#
# One cylinder of a four-stroke engine. Burning gas pushes the piston, but only once in two turns; the bearings take
# what they get, and a flywheel has to carry the shaft over the rest. We prescribe an even speed first, and ask what
# torque and what bearing loads belong to it (**inverse dynamics**). From the torque we choose the flywheel. Then we let
# the engine run freely with it (**forward dynamics**), and see whether the speed is as even as we promised.
#
# The file is a notebook and a plain script: open it with Jupyter (jupytext), or run
# `python notebooks/03_engine_bearing_loads.py`.

# %%
import numpy as np

import mbs_dae as mbs
from mbs_dae.view.style import Picture, style

BORE, R, L = 0.080, 0.040, 0.140  # m: bore, crank radius (half the stroke), length of the connecting rod
RATIO = 9.0  # compression ratio
AMBIENT = 1e5  # Pa
SPEED = 3000 * 2 * np.pi / 60  # rad/s
CYCLE = 4 * np.pi  # rad: two turns
AREA = np.pi * BORE**2 / 4
CLEARANCE = AREA * 2 * R / (RATIO - 1)  # m³: what is left of the cylinder at the top dead centre
print(f"displacement {AREA * 2 * R * 1e6:.0f} cm³, compressed to {CLEARANCE * 1e6:.0f} cm³")
assert np.isclose((AREA * 2 * R + CLEARANCE) / CLEARANCE, RATIO)

# %% [markdown]
# ## 1. The gas
#
# The piston stands at $x = r\cos\theta + \sqrt{l^2 - r^2\sin^2\theta}$, which is largest at the top dead centre
# $\theta = 0$. Behind it is the volume $V(\theta) = V_c + A\,(r + l - x)$.
#
# Gas that exchanges little heat follows $p\,V^n = \text{const}$, with $n \approx 1.3$. That gives two curves: one for
# compression, from ambient pressure at the bottom; one for expansion, from the peak pressure (here 45 bar) at the top.
# Combustion leads from the first to the second, the exhaust valve from the second to ambient pressure. Both take some
# angle; we blend by the smooth step $s(u) = 10u^3 - 15u^4 + 6u^5$. During exhaust and intake the pressure is ambient.


# %%
def volume(theta):
    x = R * np.cos(theta) + np.sqrt(L**2 - (R * np.sin(theta)) ** 2)
    return CLEARANCE + AREA * (R + L - x)


def smooth_step(theta, start, end):
    u = np.clip((theta - start) / (end - start), 0, 1)
    return u**3 * (10 - 15 * u + 6 * u**2)


def pressure(theta, peak=45e5, n=1.3):
    """Over a cycle from -π (begin of compression): compression, power, exhaust, intake."""
    theta = (theta + np.pi) % CYCLE - np.pi
    compression = AMBIENT * (volume(np.pi) / volume(theta)) ** n
    expansion = peak * (CLEARANCE / volume(theta)) ** n
    burnt = compression + (expansion - compression) * smooth_step(theta, -0.25, 0.45)
    open_ = AMBIENT + (burnt - AMBIENT) * (1 - smooth_step(theta, 2.5, 3.5))
    return np.where(theta < 3.5, open_, AMBIENT)


knots = np.linspace(0, CYCLE, 721)  # every degree
gas = mbs.Table(knots, -(pressure(knots) - AMBIENT) * AREA, periodic=True)  # N, on the piston, towards the crank
print(
    f"largest gas force {-gas.y.min() / 1e3:.1f} kN at {np.degrees(knots[gas.y.argmin()]):.0f}° after the dead centre"
)

# %%
with style():
    figure = Picture(figsize=(6.4, 3.4), layout="constrained")
    ax = figure.add_subplot()
    ax.plot(volume(knots) * 1e6, pressure(knots) / 1e5)
    ax.set_xlabel("volume [cm³]")
    ax.set_ylabel("pressure [bar]")
    ax.set_title("indicator diagram: its area is the work of a cycle")
figure

# %% [markdown]
# ## 2. The engine
#
# The cylinder lies along the x axis. Crank and piston are ordinary bodies; the connecting rod has its centre of mass
# near the big end, as real ones have. The crank is balanced (its centre of mass is on the axis). The gas force is a
# function of the crank angle, and so of the motion itself: an expression of `model["crank.angle"]`. It acts between the
# cylinder and the piston, as an `Actuator` does: the gas presses on the cylinder head as hard as on the piston. (A
# `Force` on the piston alone would come from outside of the engine, and `shaking()` would count the whole of it.)

# %%
M_PISTON, M_ROD, J_CRANK = 0.45, 0.60, 4e-3  # kg, kg, kg m²
BIG_END = 0.3  # where on the rod its centre of mass is: this part of the length from B

model = mbs.PlanarModel("engine")
ground = model.ground
crank = model.body("crank", mass=3.0, inertia=J_CRANK)
rod = model.body("rod", mass=M_ROD, inertia=M_ROD * (0.3 * L) ** 2, com=(BIG_END * L, 0), position=(R, 0))
piston = model.body("piston", mass=M_PISTON, inertia=5e-4, position=(R + L, 0))
crank.marker("B", R, 0)
cylinder = mbs.Translational("cylinder", ground, piston)
model.add(
    mbs.Revolute("A", ground.at(0, 0), crank.at(0, 0)),  # main bearing
    mbs.Revolute("B", crank.B, rod.at(0, 0)),  # big end
    mbs.Revolute("C", rod.at(L, 0), piston),  # piston pin
    cylinder,
    mbs.Actuator("gas", cylinder, gas(model["crank.angle"])),
)
theta = np.linspace(0, CYCLE, 1441)  # half a degree apart
even = model.plus(mbs.Driver("shaft", mbs.angle(ground, crank), SPEED * mbs.t))
run = mbs.inverse_dynamics(even, theta / SPEED)
run.draw(30)  # 15° after the dead centre

# %% [markdown]
# Nobody takes the motion for granted: the piston follows the closed form, and the gas does the work that is enclosed by
# the indicator diagram.

# %%
assert np.allclose(run["piston.x"], R * np.cos(theta) + np.sqrt(L**2 - (R * np.sin(theta)) ** 2), atol=1e-12)
force = run.reaction("gas")[:, 0]
assert np.allclose(force, -(pressure(theta) - AMBIENT) * AREA, atol=0.01 * AREA * AMBIENT)

work_of_cycle = np.trapezoid(pressure(theta), volume(theta))
assert np.isclose(np.trapezoid(force, run["piston.x"]), work_of_cycle, rtol=1e-4)
print(f"work of a cycle {work_of_cycle:.1f} J, power {work_of_cycle * SPEED / CYCLE / 1e3:.2f} kW")

# %% [markdown]
# ## 3. What the shaft gets
#
# The driver holds the speed; its effort $\tau$ is what *it* gives to the crank. So $-\tau$ is what the engine gives to
# whatever is coupled to it. By the principle of virtual work (power balance at constant speed),
#
# $$-\tau\,\omega = F_{gas}\,\dot x - \dot E_{kin}.$$
#
# The second term is the **inertia torque**: rod and piston are sped up and slowed down twice a turn, and the shaft has
# to pay for it. Its mean over a cycle is zero, because the kinetic energy comes back to where it was.

# %%
torque = -run.effort("shaft")
from_gas = force * run["piston.vx"] / SPEED
from_inertia = -np.gradient(run.energy.kinetic, theta, edge_order=2)
mean = np.trapezoid(torque, theta) / CYCLE

with style():
    figure = Picture(figsize=(6.4, 3.6), layout="constrained")
    ax = figure.add_subplot()
    ax.plot(np.degrees(theta), from_gas, label="gas", linewidth=1)
    ax.plot(np.degrees(theta), from_inertia, label="inertia", linewidth=1)
    ax.plot(np.degrees(theta), torque, label="both: what the engine gives", color="#333333")
    ax.axhline(mean, color="#333333", linestyle="--", linewidth=1, label=f"mean: {mean:.1f} N m")
    ax.set_xlabel("crank angle [°]")
    ax.set_xticks(np.arange(0, 721, 90))
    ax.set_ylabel("torque [N m]")
    ax.legend()
figure

# %%
assert np.allclose(torque, from_gas + from_inertia, atol=2e-3 * np.abs(torque).max())
assert np.isclose(mean * CYCLE, work_of_cycle, rtol=1e-4)  # what the gas gives in a cycle leaves by the shaft
print(f"the torque goes from {torque.min():.0f} to {torque.max():.0f} N m, {torque.max() / mean:.1f} times its mean")

# %% [markdown]
# ## 4. What the bearings carry
#
# `reaction("B")` is the force that the crank pin puts on the rod. Over time it looks like this:

# %%
run.plot_reaction("A", "B", "C", "cylinder")

# %% [markdown]
# Two laws to check it by. The piston: gas, pin and cylinder wall make its acceleration. And the wall: without friction
# it only pushes sideways.

# %%
on_piston = run.reaction("C")[:, :2] + run.reaction("cylinder")[:, :2] + run.reaction("gas")[:, :2]
inertia_force = M_PISTON * np.stack([run["piston.ax"], run["piston.ay"]], axis=-1)
assert np.allclose(on_piston, inertia_force, atol=1e-6 * np.abs(force).max())
assert np.allclose(run.reaction("cylinder")[:, 0], 0)

# %% [markdown]
# The designer of a bearing wants to know something else: *where on its circumference* is it loaded? That is the **polar
# diagram**, the path of the tip of the load vector. It depends on who looks. For the main bearing we look from the
# engine block (world axes). The long tongue is the combustion: the gas pushes the crank to the left, and the bearing
# holds it by a force to the right. The small rounds are inertia forces, which push away from the axis in any direction.

# %%
run.plot_reaction("A", "C", polar=True)

# %% [markdown]
# The pin at the big end turns with the crank, so we look at it in the axes of the crank (the first body of B); outwards
# is to the right. For most of the cycle the pin pulls the rod *inwards*: inertia wants to throw the rod off, and its
# shell rubs on the side of the pin that faces the axis. Only combustion presses on the outer side, and a little behind.
# An oil hole belongs where neither loop goes.

# %%
run.plot_reaction("B", polar=True, axes="first")

# %%
on_rod = run.reaction("B", axes="first")[:, 0]  # along the crank, positive outwards
pulled_in = np.mean(on_rod < 0)
print(f"the pin pulls the rod inwards for {100 * pulled_in:.0f} % of the cycle")
sizes = {name: np.hypot(*run.reaction(name)[:, :2].T) for name in ("A", "B", "C", "cylinder")}
for name, size in sizes.items():
    print(f"{name:9} largest load {size.max() / 1e3:6.2f} kN at {np.degrees(theta[size.argmax()]):5.1f}°")
assert pulled_in > 0.8
assert np.allclose(np.hypot(*run.reaction("B", axes="first")[:, :2].T), sizes["B"])  # turning axes turn no sizes
assert np.allclose(sizes["A"], sizes["B"])  # the crank is balanced and has no weight here

# %% [markdown]
# ## 5. Choosing the flywheel
#
# The load takes the mean torque $\bar T$. What the engine gives beyond it speeds the shaft up, what lacks slows it
# down. Summed over the angle this is the excess energy
#
# $$W(\theta) = \int_0^\theta \big(T(\theta') - \bar T\big)\,d\theta' .$$
#
# Its extremes are at the fastest and the slowest moment. With a flywheel of inertia $J$
#
# $$\Delta W = W_{max} - W_{min} = \tfrac12 J\,(\omega_{max}^2 - \omega_{min}^2)
#   = J\,\bar\omega\,(\omega_{max} - \omega_{min}) = J\,\bar\omega^2\,\delta,
#   \qquad \delta = \frac{\omega_{max} - \omega_{min}}{\bar\omega}, $$
#
# so the **coefficient of fluctuation** $\delta$ decides: $J = \Delta W / (\delta\,\bar\omega^2)$.
#
# One question is subtle: what belongs to $J$? The inertia torque in $T$ was computed at constant speed, and so already
# has what the *changing* part of the reduced inertia does. What remains is the mean reduced inertia of crank, rod and
# piston; it helps, and may be subtracted.

# %%
excess = np.concatenate([[0], np.cumsum((torque[1:] + torque[:-1]) / 2 - mean)]) * (theta[1] - theta[0])
delta = 0.02
fluctuation = np.ptp(excess)
needed = fluctuation / (delta * SPEED**2)
reduced = np.mean(2 * run.energy.kinetic / SPEED**2)
flywheel = needed - reduced
print(
    f"energy fluctuation {fluctuation:.1f} J, which is {100 * fluctuation / work_of_cycle:.0f} % of the work of a cycle"
)
print(f"inertia needed {needed:.4f} kg m², of which the mechanism has {reduced:.4f}; flywheel {flywheel:.4f} kg m²")
thickness = 0.03
radius = (2 * flywheel / (np.pi * 7850 * thickness)) ** 0.25
print(f"as a steel disc {1e3 * thickness:.0f} mm thick: {2e3 * radius:.0f} mm in diameter")
assert np.isclose(excess[-1], 0, atol=1e-9 * fluctuation) and flywheel > 0

# %%
with style():
    figure = Picture(figsize=(6.4, 3.2), layout="constrained")
    ax = figure.add_subplot()
    ax.plot(np.degrees(theta), excess)
    for k, name in ((excess.argmin(), "slowest"), (excess.argmax(), "fastest")):
        ax.plot(np.degrees(theta[k]), excess[k], "o", color="#D55E00")
        ax.annotate(name, (np.degrees(theta[k]), excess[k]), xytext=(8, -3), textcoords="offset points")
    ax.set_xlabel("crank angle [°]")
    ax.set_xticks(np.arange(0, 721, 90))
    ax.set_ylabel("excess energy W [J]")
figure

# %% [markdown]
# ## 6. Does it keep the promise?
#
# Now nobody holds the speed. The flywheel is one more body on the shaft, the load takes its constant torque, and gas
# pushes where the piston happens to be. We start with the speed that the theory has for $\theta = 0$.

# %%
free = model.plus(mbs.Torque("load", crank, -mean))
wheel = free.body("flywheel", mass=1.0, inertia=flywheel)
free.add(mbs.Fixed("key", crank, wheel))
start = SPEED * (1 + (excess[0] - np.trapezoid(excess, theta) / CYCLE) / (needed * SPEED**2))
times = np.linspace(0, 3 * CYCLE / SPEED, 4321)
ride = mbs.simulate(free, times, initial={"crank.angle": 0.0, "crank.omega": start})
ride.plot("crank.omega")

# %%
speed = ride["crank.omega"]
measured = np.ptp(speed) / speed.mean()
print(f"mean speed {speed.mean():.2f} rad/s (wanted {SPEED:.2f}), fluctuation {measured:.5f} (wanted {delta})")
assert ride.success
assert np.isclose(measured, delta, rtol=0.03)
assert np.isclose(speed.mean(), SPEED, rtol=1e-3)

# %% [markdown]
# The theory is of first order in $\delta$, and that is how good it is. The ledger says that nothing was lost on the
# way: what gas and load give and take is the change of the kinetic energy.

# %%
ride.plot_energy()

# %%
energy = ride.energy
assert np.abs(energy.error).max() < 1e-6 * energy.kinetic.max()

# %% [markdown]
# Twice the flywheel, half the fluctuation? The last cell checks it, and shows what would happen without any.

# %%
fluctuations = {}
for factor in (2.0, 1.0, 0.25):
    heavy = model.plus(mbs.Torque("load", crank, -mean))
    wheel = heavy.body("flywheel", mass=1.0, inertia=factor * needed - reduced)
    heavy.add(mbs.Fixed("key", crank, wheel))
    begin = SPEED * (1 + (excess[0] - np.trapezoid(excess, theta) / CYCLE) / (factor * needed * SPEED**2))
    turning = mbs.simulate(heavy, times[:1441], initial={"crank.angle": 0.0, "crank.omega": begin})["crank.omega"]
    fluctuations[factor] = np.ptp(turning) / turning.mean()
    print(f"{factor:4.2f} times the inertia: fluctuation {fluctuations[factor]:.4f}, expected {delta / factor:.4f}")
assert np.isclose(fluctuations[2.0], delta / 2, rtol=0.02)
assert np.isclose(fluctuations[0.25], delta * 4, rtol=0.15)  # of first order in δ: worse where δ is large
