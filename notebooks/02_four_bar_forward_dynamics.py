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
# # Forces make the motion: a four-bar linkage
#
# In kinematics somebody turns the crank, and everything follows. Here nobody does. We give the four-bar masses, let it
# go, and ask how it moves, where its energy goes and what its pins carry. We write the equations down, solve them once
# by hand, and check the motion against a second derivation that has a single coordinate.
#
# The file is a notebook and a plain script: open it with Jupyter (jupytext), or run
# `python notebooks/02_four_bar_forward_dynamics.py`.

# %%
import numpy as np
import sympy as sp

import mbs_dae as mbs

model = mbs.PlanarModel("four-bar", gravity=(0.0, -9.81))
ground = model.ground
crank = model.link("crank", (0.0, 0.0), (0.0, 0.1), mass=1.0)  # uniform rods between two points of the plane
coupler = model.link("coupler", (0.0, 0.1), (0.3, 0.25), mass=2.0)
rocker = model.link("rocker", (0.3, 0.25), (0.25, 0.0), mass=1.5)
model.add(
    mbs.Revolute("A", ground.at(0, 0), crank.tail),
    mbs.Revolute("B", crank.head, coupler.tail),
    mbs.Revolute("C", coupler.head, rocker.tail),
    mbs.Revolute("D", ground.at(0.25, 0), rocker.head),
)
found = mbs.diagnose(model)
print(found)
assert found.degrees_of_freedom == 1 and not found.redundant

# %%
mbs.assemble(model).draw()

# %% [markdown]
# ## 1. The equations of motion
#
# Cut every pin. Each body then moves by Newton's and Euler's laws, under its weight and under what the pins do to it:
#
# $$M\dot v = Q + Q_{\text{pins}}, \qquad M = \mathrm{diag}(m_1, m_1, J_1, \ldots).$$
#
# What *can* a pin do? It holds two points together, $\Phi = p_i - p_j = 0$, and it neither gives nor takes energy. Its
# power is zero for every velocity that the pin allows, that is, for every $v$ with $\Phi_q v = 0$. So its forces are
# orthogonal to all those velocities: they are combinations of the *rows* of $\Phi_q$,
#
# $$Q_{\text{pins}} = -\Phi_q^T\lambda .$$
#
# The numbers $\lambda$ are Lagrange's multipliers: eight equations, eight multipliers. They are as unknown as the
# accelerations; but the accelerations must also keep the pins closed, $\Phi_q\dot v = \gamma$ (that is
# $\ddot\Phi = 0$). Together:
#
# $$\begin{pmatrix} M & \Phi_q^T \\ \Phi_q & 0 \end{pmatrix}
#   \begin{pmatrix} \dot v \\ \lambda \end{pmatrix} =
#   \begin{pmatrix} Q \\ \gamma \end{pmatrix}.$$
#
# This matrix appears wherever something is minimised under constraints, and is called the **KKT matrix** after Karush,
# Kuhn and Tucker. We let `mbs_dae` tell us its blocks, and solve it with numpy.

# %%
eq = mbs.equations(model)
assert (eq.M.shape, eq.Phi_q.shape) == ((9, 9), (8, 9))
print("diagonal of M:", [round(float(x), 6) for x in eq.M.diagonal()])
print("Q:            ", [round(float(x), 3) for x in eq.Q])

times = np.linspace(0, 2, 801)
free = mbs.simulate(model, times, initial={"crank.omega": 15.0})
print(free)

# %%
blocks = sp.lambdify([[*eq.q, *eq.v]], [eq.M.tolist(), eq.Phi_q.tolist(), list(eq.Q), list(eq.gamma)])


def solve_by_hand(q, v):
    M, Phi_q, Q, gamma = (np.array(block, dtype=float) for block in blocks([*q, *v]))
    kkt = np.block([[M, Phi_q.T], [Phi_q, np.zeros((8, 8))]])
    solution = np.linalg.solve(kkt, np.concatenate([Q, gamma]))
    return solution[:9], solution[9:]


for k in (0, 137, 500):
    a, multipliers = solve_by_hand(free.q[k], free.v[k])
    error = np.abs(a - free.a[k]).max(), np.abs(multipliers - free.multipliers[k]).max()
    print(f"t = {times[k]:.3f} s: accelerations differ by {error[0]:.1e} m/s², multipliers by {error[1]:.1e} N")
    assert max(error) < 1e-4  # the run keeps its pins closed by a small feedback, which ours has not

# %% [markdown]
# ## 2. From accelerations to a motion
#
# $\dot q = v$ and $\dot v = \dot v(q, v)$ from above: an ordinary differential equation of first order. The steppers
# are Runge-Kutta methods; by default it is Dormand and Prince's of order five, which estimates its own error and
# chooses its steps. Is it right? We take an exact motion away from it by a different road.

# %%
free.plot("crank.omega", "rocker.angle", "rocker.omega")

# %% [markdown]
# ## 3. The same with one coordinate
#
# The linkage has one degree of freedom: the crank angle $\theta$ says all. Kinematics gives every velocity as a
# multiple of $\dot\theta$, with factors that depend on the pose alone,
#
# $$v_k = k_k(\theta)\,\dot\theta, \qquad \omega_k = h_k(\theta)\,\dot\theta .$$
#
# So the kinetic energy is $\tfrac12 J(\theta)\,\dot\theta^2$, as if there were one flywheel whose inertia changes:
#
# $$J(\theta) = \sum_k m_k\,|k_k|^2 + J_k\,h_k^2 .$$
#
# This is the **reduced inertia**. With the height of the centres of mass in $U(\theta) = \sum m_k\, g\, y_k$, and with
# pins that take no energy,
#
# $$\tfrac12 J(\theta)\,\dot\theta^2 + U(\theta) = E \quad\Longrightarrow\quad
#   \dot\theta = \sqrt{\frac{2\,(E - U(\theta))}{J(\theta)}} .$$
#
# There is nothing left to integrate: at each angle we know the speed. To have $J$ and $U$ at the angles that the run
# went through, we drive the crank at 1 rad/s and ask for the "times" that are those angles; then velocities *are* the
# factors $k_k$ and $h_k$.

# %%
theta = free["crank.angle"]
assert (np.diff(theta) > 0).all()  # the crank goes round without turning back
unit_speed = mbs.kinematics(model.plus(mbs.Driver("unit", mbs.angle(ground, crank), mbs.t)), theta)

masses = {"crank": (1.0, 0.1), "coupler": (2.0, np.hypot(0.3, 0.15)), "rocker": (1.5, np.hypot(0.05, 0.25))}
J, U = np.zeros_like(theta), np.zeros_like(theta)
for name, (mass, length) in masses.items():
    vx, vy, omega = (unit_speed[f"{name}.{what}"] for what in ("vx", "vy", "omega"))
    J += mass * (vx**2 + vy**2) + mass * length**2 / 12 * omega**2
    U += mass * 9.81 * unit_speed[f"{name}.y"]

E = 0.5 * J[0] * 15.0**2 + U[0]
exact = np.sqrt(2 * (E - U) / J)
error = np.abs(free["crank.omega"] - exact).max()
print(f"reduced inertia between {J.min():.4f} and {J.max():.4f} kg m²")
print(f"the crank turns at {exact.min():.2f} to {exact.max():.2f} rad/s; the run is off by {error:.1e} rad/s at most")
assert error < 1e-5

# %% [markdown]
# ## 4. The energy ledger
#
# A result keeps books: kinetic and potential energy, what dampers took, what drivers and forces gave. Their balance
#
# $$\text{total} = \text{kinetic} + \text{potential} + \text{dissipated} - \text{supplied}$$
#
# must not move. Here nothing is dissipated or supplied; energy only goes to and fro.

# %%
free.plot_energy()

# %%
assert np.allclose(free.energy.kinetic, 0.5 * J * free["crank.omega"] ** 2, rtol=1e-6)
assert np.abs(free.energy.error).max() < 1e-6 * free.energy.kinetic.max()

# %% [markdown]
# ## 5. How the error goes with the step
#
# With `step=` the steps are fixed. The classical Runge-Kutta method has order four: half the step, a sixteenth of the
# error. We measure it against a run of order eight with a very small tolerance. (`Unstabilized` leaves the method
# alone; what it does to the pins is the matter of notebook 4.)

# %%
short, start, alone = np.linspace(0, 0.4, 21), {"crank.omega": 15.0}, mbs.Unstabilized()
best = mbs.simulate(model, short, start, method="DP8", rtol=1e-12)["crank.omega"]
errors = []
for step in (1e-3, 5e-4, 2.5e-4, 1.25e-4):
    run = mbs.simulate(model, short, start, method="RK4", step=step, stabilization=alone)
    errors.append(np.abs(run["crank.omega"] - best).max())
    print(f"step {step * 1e3:.3f} ms   error {errors[-1]:.2e} rad/s")
order = np.log2(np.array(errors[:-1]) / errors[1:])
print("measured order:", order.round(2))
assert abs(order[-1] - 4) < 0.2

# %% [markdown]
# ## 6. A motor, a spring and some friction
#
# Forces are named elements like joints. A direct-current motor gives less torque the faster it turns; a spring pulls
# the rocker back; every pin of the ground has oil in it. We start from rest.

# %%
stall, no_load = 6.0, 25.0  # N m, rad/s
powered = model.plus(
    mbs.Motor("motor", model.elements["A"], torque=stall * (1 - mbs.speed / no_load)),
    mbs.Spring("spring", ground.at(0.55, 0.25), rocker.tail, stiffness=60.0, length=0.2),
    mbs.ViscousFriction("oil A", model.elements["A"], 0.02),
    mbs.ViscousFriction("oil D", model.elements["D"], 0.05),
)
run_up = mbs.simulate(powered, np.linspace(0, 4, 1601), initial={"crank.omega": 0.0})
run_up.draw(330)

# %%
run_up.plot("crank.omega", "rocker.omega")

# %% [markdown]
# The crank comes up to speed and then breathes in the rhythm of the linkage: where the reduced inertia is large it
# slows down. The ledger shows how what the motor supplies ends as heat.

# %%
run_up.plot_energy()

# %%
energy = run_up.energy
assert np.abs(energy.error).max() < 1e-6 * energy.supplied[-1]
assert (np.diff(energy.dissipated) >= -1e-9).all()  # friction never gives anything back

torque = stall * (1 - run_up["crank.omega"] / no_load)
assert np.allclose(run_up.effort("motor"), torque, atol=1e-9)
supplied = np.trapezoid(torque * run_up["crank.omega"], run_up.t)  # the work of the motor, by the trapezoidal rule
assert np.isclose(supplied, energy.supplied[-1], rtol=1e-3)

# In the last second the motion repeats itself, so supply and friction agree in the mean, but for part of a turn.
last = run_up.t >= 3.0
rates = [np.ptp(getattr(energy, part)[last]) for part in ("supplied", "dissipated")]
print(f"in the last second the motor gives {rates[0]:.2f} J, and friction takes {rates[1]:.2f} J")
assert np.isclose(*rates, rtol=0.1)

# %% [markdown]
# ## 7. What the pins carry
#
# `reaction("B")` is what pin B does to its *second* body (the coupler), in world axes: $F_x$, $F_y$ and a moment, which
# a pin has not. It comes from the multipliers: the pin acts on the system by $-\Phi_q^T\lambda$.

# %%
run_up.plot_reaction("A", "B", "C")

# %% [markdown]
# Newton's second law for the coupler says the same. Pin B pushes it; pin C has the coupler as its *first* body, so it
# does the opposite of what it reports to it.

# %%
acceleration = np.stack([run_up["coupler.ax"], run_up["coupler.ay"]], axis=-1)
forces = run_up.reaction("B")[:, :2] - run_up.reaction("C")[:, :2] + [0.0, -2.0 * 9.81]
assert np.allclose(forces, 2.0 * acceleration, atol=1e-4)
assert not run_up.reaction("B")[:, 2].any() and run_up.is_unique("B").all()

# %% [markdown]
# ## 8. What to take along
#
# - Pins do no work, so their forces are $-\Phi_q^T\lambda$; accelerations and multipliers come from one linear system.
# - One degree of freedom means one reduced inertia $J(\theta)$: energy alone gives the speed.
# - The ledger is the cheapest check of a run, and the exact speed at each angle a sharper one.
#
# How well are the pins kept closed, though nobody asked for $\Phi = 0$ but only for $\ddot\Phi = 0$? That is the
# subject of [the fourth notebook](04_constraint_violation.py). The last cell repeats what we claimed, for other masses.

# %%
heavier = mbs.PlanarModel("four-bar, heavier", gravity=(0.0, -9.81))
bars = [
    heavier.link("crank", (0.0, 0.0), (0.0, 0.1), mass=3.0),
    heavier.link("coupler", (0.0, 0.1), (0.3, 0.25), mass=0.5),
    heavier.link("rocker", (0.3, 0.25), (0.25, 0.0), mass=4.0),
]
heavier.add(
    mbs.Revolute("A", heavier.ground.at(0, 0), bars[0].tail),
    mbs.Revolute("B", bars[0].head, bars[1].tail),
    mbs.Revolute("C", bars[1].head, bars[2].tail),
    mbs.Revolute("D", heavier.ground.at(0.25, 0), bars[2].head),
)
other = mbs.simulate(heavier, times, initial={"crank.omega": 30.0})
assert other.success and np.abs(other.energy.error).max() < 1e-6 * other.energy.kinetic.max()
assert other.violation.position.max() < 1e-8
