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
# # From Φ to the sweep: a slider-crank
#
# A crank turns, a connecting rod follows, a slider goes to and fro. We write down what the joints demand, solve it by
# hand, and let `mbs_dae` do the same. Nothing is taken on trust: each claim ends in an `assert`.
#
# ![A slider-crank with its body frames, and the joint B pulled open](../docs/figures/gap.svg)
#
# The file is a notebook and a plain script: open it with Jupyter (jupytext), or run
# `python notebooks/01_slider_crank.py`.

# %%
import numpy as np
import sympy as sp

import mbs_dae as mbs

model = mbs.PlanarModel("slider-crank", gravity=(0.0, -9.81))
r = model.parameter("r", 0.10, unit="m")  # a symbol of sympy that has a value
l = model.parameter("l", 0.30, unit="m")
theta0 = model.parameter("theta0", 0.6, unit="rad")
omega = model.parameter("omega", 10.0, unit="rad/s")
t = mbs.t  # time, a symbol as well
values = {p.symbol: p.value for p in model.parameters.values()}
assert values == {r: 0.10, l: 0.30, theta0: 0.6, omega: 10.0}

# %% [markdown]
# ## 1. Coordinates
#
# A rigid body in the plane has three coordinates: the place $(x, y)$ of its frame and the frame's angle $\varphi$.
# The classical texts call the ground body 1. So the crank is body 2, the rod body 3, the slider body 4, and
#
# $$q = (x_2, y_2, \varphi_2,\; x_3, y_3, \varphi_3,\; x_4, y_4, \varphi_4)^T .$$
#
# Each frame stands in the middle of its body, its x axis along the body.

# %%
x2, y2, phi2, x3, y3, phi3, x4, y4, phi4 = sp.symbols("x_2 y_2 phi_2 x_3 y_3 phi_3 x_4 y_4 phi_4", real=True)
q = sp.Matrix([x2, y2, phi2, x3, y3, phi3, x4, y4, phi4])
assert len(q) == 3 * 3

# %% [markdown]
# ## 2. Markers
#
# A **marker** is a point (and a pair of axes) fixed on a body. The point has constant coordinates $s$ in the body's
# frame; in the world it is
#
# $$p = \begin{pmatrix} x \\ y \end{pmatrix} + A(\varphi)\, s, \qquad
#   A(\varphi) = \begin{pmatrix} \cos\varphi & -\sin\varphi \\ \sin\varphi & \cos\varphi \end{pmatrix}.$$
#
# Joints are fastened to markers. So this one formula is all that a joint has to know of a body.


# %%
def marker(x, y, phi, s):
    A = sp.Matrix([[sp.cos(phi), -sp.sin(phi)], [sp.sin(phi), sp.cos(phi)]])
    return sp.Matrix([x, y]) + A * sp.Matrix(s)


crank_tail = marker(x2, y2, phi2, (-r / 2, 0))  # on the pivot A
crank_head = marker(x2, y2, phi2, (+r / 2, 0))  # on the pin B
rod_tail = marker(x3, y3, phi3, (-l / 2, 0))  # on the pin B as well
rod_head = marker(x3, y3, phi3, (+l / 2, 0))  # on the pin C
slider_pin = marker(x4, y4, phi4, (0, 0))

assert crank_head.subs({x2: 0, y2: 0, phi2: sp.pi / 2}) == sp.Matrix([0, r / 2])  # a right angle: s turned upwards

# %% [markdown]
# ## 3. What a pin demands
#
# A revolute joint holds two points together. Its equation is the *gap* between them, first marker minus second:
#
# $$\Phi = p_i - p_j = 0 .$$
#
# Two points, two coordinates each: two equations.

# %%
Phi_B = crank_head - rod_tail
Phi_B

# %%
assert Phi_B[0] == x2 + r / 2 * sp.cos(phi2) - x3 + l / 2 * sp.cos(phi3)
assert Phi_B[1] == y2 + r / 2 * sp.sin(phi2) - y3 + l / 2 * sp.sin(phi3)

# %% [markdown]
# ## 4. The Jacobian
#
# $\Phi_q$ holds the derivative of each equation with respect to each coordinate. With $p_i = (x_i^P, y_i^P)$ the books
# print it as a table:
#
# | | $x_i$ | $y_i$ | $\varphi_i$ | $x_j$ | $y_j$ | $\varphi_j$ |
# |---|---|---|---|---|---|---|
# | first row | 1 | 0 | $-(y_i^P - y_i)$ | −1 | 0 | $y_j^P - y_j$ |
# | second row | 0 | 1 | $x_i^P - x_i$ | 0 | −1 | $-(x_j^P - x_j)$ |
#
# There is no need to remember it. Differentiate.

# %%
table = sp.Matrix(
    [
        [1, 0, -(crank_head[1] - y2), -1, 0, rod_tail[1] - y3],
        [0, 1, crank_head[0] - x2, 0, -1, -(rod_tail[0] - x3)],
    ]
)
assert Phi_B.jacobian([x2, y2, phi2, x3, y3, phi3]) == table

# %% [markdown]
# ## 5. The whole mechanism
#
# Pins at A, B and C give six equations. The guide gives two: the slider stays on the x axis ($-y_4 = 0$) and does not
# turn ($-\varphi_4 = 0$); again ground minus slider. A motor says where the crank is at each time. Nine equations
# for nine unknowns.

# %%
Phi = sp.Matrix([-crank_tail, Phi_B, rod_head - slider_pin, [-y4], [-phi4], [phi2 - (theta0 + omega * t)]])
Phi_q = Phi.jacobian(q)
assert Phi_q.shape == (9, 9)
Phi

# %% [markdown]
# Now the same mechanism in the words of `mbs_dae`. `body.at(x, y)` is a marker in the body's own axes. The position of
# a body is a first guess, no more; we are careless with it on purpose.

# %%
ground = model.ground
crank = model.body("crank", mass=1.0, inertia=r**2 / 12, position=(0.04, 0.03), angle=0.5)
rod = model.body("rod", mass=2.0, inertia=2 * l**2 / 12, position=(0.22, 0.03), angle=-0.2)
slider = model.body("slider", mass=0.5, inertia=0.001, position=(0.37, 0.0))
crank.marker("B", r / 2, 0)  # a marker with a name: results know it
rod.marker("middle", 0, 0)
model.add(
    mbs.Revolute("A", ground.at(0, 0), crank.at(-r / 2, 0)),
    mbs.Revolute("B", crank.B, rod.at(-l / 2, 0)),
    mbs.Revolute("C", rod.at(l / 2, 0), slider),
    mbs.Translational("guide", ground, slider),  # along the x axis of the first marker
    mbs.Driver("motor", mbs.angle(ground, crank), theta0 + omega * t),
)

# %% [markdown]
# `mbs.equations` gives the exact equations, in the names of the textbooks. They are the ones that the machine runs.

# %%
eq = mbs.equations(model)
print(eq)

# %% [markdown]
# Compare them with ours, entry by entry. `compare` evaluates to true if all entries agree, in whatever form they are
# written.

# %%
answer = eq.compare(Phi=Phi, Phi_q=Phi_q)
print(answer)
assert answer

# %% [markdown]
# And if we make a mistake? The classical one is a sign. Entry (2, 2) is the derivative of the first equation of B with
# respect to $\varphi_2$.

# %%
wrong = Phi_q.copy()
wrong[2, 2] = +r / 2 * sp.sin(phi2)
verdict = eq.compare(Phi_q=wrong)
print(verdict)
assert not verdict
assert [(d.element, d.row, d.column) for d in verdict.differences] == [("B", 2, 2)]

# %% [markdown]
# ## 6. Newton's method, by hand
#
# Bodies in a rough place leave gaps: $\Phi(q) \ne 0$. To first order a change $\Delta q$ changes $\Phi$ by
# $\Phi_q\,\Delta q$. So the change that closes the gaps is the solution of $\Phi_q\,\Delta q = -\Phi$. Put it in,
# and repeat. We start from a very rough guess: crank along the x axis, rod pointing the wrong way up.

# %%
residual = sp.lambdify([[*q], t], list(Phi.subs(values)))
jacobian = sp.lambdify([[*q], t], Phi_q.subs(values).tolist())


def newton(pose, time):
    history = []
    for _ in range(10):
        gap = np.array(residual(pose, time))
        history.append(np.abs(gap).max())
        if history[-1] < 1e-14:
            break
        pose = pose - np.linalg.solve(jacobian(pose, time), gap)
    return pose, history


rough = np.array([0, 0, 0, 0.3, 0, 0.5, 0.5, 0, 0])
pose, history = newton(rough, 0.0)

print("step   largest |Φ|   |Φ| / |Φ before|²")
for k, gap in enumerate(history):
    print(f"{k:4}   {gap:11.3e}   " + (f"{gap / history[k - 1] ** 2:17.2f}" if k else ""))

# %% [markdown]
# The third column stays bounded: each residual is about the *square* of the one before, and the number of correct
# digits doubles. This is quadratic convergence; it ends at the roundoff of the machine, near $10^{-16}$.

# %%
assert history[-1] < 1e-14 and len(history) <= 7
assert all(after < 2 * before**2 + 1e-15 for before, after in zip(history, history[1:], strict=False))

# %% [markdown]
# `mbs.assemble` does the same, with what makes it safe far away as well: steps of limited length and a search along
# them.

# %%
state = mbs.assemble(model)
assert np.allclose(state.q, pose, atol=1e-12)
print(f"slider at x = {state['slider.x']:.6f} m")

# %% [markdown]
# Is this *the* solution? No: the equations have another one, with the slider on the left. Newton's method goes to a
# solution near the guess; the guess chooses the branch.

# %%
mirrored = np.array([0.04, 0.03, 0.6, -0.1, 0.03, np.pi, -0.2, 0.0, 0.0])
left, _ = newton(mirrored, 0.0)
root = np.sqrt(0.30**2 - (0.10 * np.sin(0.6)) ** 2)
assert np.isclose(state["slider.x"], 0.10 * np.cos(0.6) + root)
assert np.isclose(left[6], 0.10 * np.cos(0.6) - root)

# %% [markdown]
# ## 7. Velocities
#
# $\Phi(q(t), t) = 0$ holds at all times, so its time derivative vanishes, too:
#
# $$\Phi_q\,\dot q = -\Phi_t \equiv \nu .$$
#
# These equations are *linear* in $\dot q$. Only the motor has a right side.

# %%
nu = -Phi.diff(t)
assert eq.compare(nu=nu)
assert [row for row in range(9) if nu[row] != 0] == [8]

v = np.linalg.solve(jacobian(pose, 0.0), np.array(nu.subs(values), dtype=float).ravel())
assert np.allclose(v, state.v, atol=1e-12)
print(f"slider at {state['slider.vx']:.4f} m/s while the crank turns at {state['crank.omega']:.1f} rad/s")

# %% [markdown]
# ## 8. Accelerations
#
# Differentiate once more. What does not contain $\ddot q$ goes to the right side, which has the name $\gamma$:
#
# $$\Phi_q\,\ddot q = -\left((\Phi_q\dot q)_q\,\dot q + 2\,\Phi_{qt}\,\dot q + \Phi_{tt}\right) \equiv \gamma .$$
#
# For a pin, $\gamma$ is $A(\varphi_i)\,s_i\,\dot\varphi_i^2 - A(\varphi_j)\,s_j\,\dot\varphi_j^2$: the centripetal
# accelerations of its two points.

# %%
qdot = sp.Matrix(sp.symbols("xdot_2 ydot_2 phidot_2 xdot_3 ydot_3 phidot_3 xdot_4 ydot_4 phidot_4", real=True))
gamma = -((Phi_q * qdot).jacobian(q) * qdot + 2 * Phi_q.diff(t) * qdot + Phi.diff(t, 2))
assert eq.compare(gamma=gamma)

pin = (crank_head - sp.Matrix([x2, y2])) * qdot[2] ** 2 - (rod_tail - sp.Matrix([x3, y3])) * qdot[5] ** 2
assert sp.simplify(gamma[2:4, :] - pin) == sp.zeros(2, 1)

at_pose = dict(zip([*q, *qdot], [*pose, *v], strict=True)) | values
a = np.linalg.solve(jacobian(pose, 0.0), np.array(gamma.subs(at_pose), dtype=float).ravel())
assert np.allclose(a, state.a, atol=1e-10)

# %% [markdown]
# ## 9. The sweep
#
# Kinematics is these three solutions, pose after pose: each one starts Newton's method for the next. One turn of the
# crank in 181 poses:

# %%
turn = np.linspace(0, 2 * np.pi / 10, 181)
driven = mbs.kinematics(model, turn)
print(driven)
print("the slider knows:", [name for name in driven.names if name.startswith("slider")])

# %% [markdown]
# For the slider-crank there is a closed form, and so we know what must come out:
#
# $$x = r\cos\theta + \sqrt{l^2 - r^2\sin^2\theta}, \qquad \theta = \theta_0 + \omega t .$$

# %%
angle = theta0 + omega * t
x = r * sp.cos(angle) + sp.sqrt(l**2 - r**2 * sp.sin(angle) ** 2)
for name, order in (("slider.x", 0), ("slider.vx", 1), ("slider.ax", 2)):
    closed_form = sp.lambdify(t, x.diff(t, order).subs(values))(turn)
    error = np.abs(driven[name] - closed_form).max()
    print(f"{name:10} differs from the closed form by at most {error:.1e} {driven.unit(name)}")
    assert error < 1e-11

assert np.isclose(np.ptp(driven["slider.x"]), 2 * 0.10, rtol=1e-4)  # the stroke is two cranks

# %%
driven.plot("slider.x", "slider.vx", "slider.ax")

# %% [markdown]
# The pin B goes round in a circle, the slider along a line. The middle of the rod draws a **coupler curve**, an oval.
# (To see the mechanism move, write `driven.animate()` in a cell, or `driven.animate("turn.gif")`.)

# %%
driven.plot_path("crank.B", "rod.middle", "slider")

# %%
assert np.allclose(np.hypot(driven["crank.B.x"], driven["crank.B.y"]), 0.10)
assert np.isclose(np.ptp(driven["rod.middle.y"]), 0.10, rtol=1e-3)  # half as high as the circle

# %% [markdown]
# ## 10. How good is a solution?
#
# Ask the equations themselves. Put the result back into $\Phi = 0$, $\Phi_q\dot q = \nu$ and $\Phi_q\ddot q = \gamma$:
# what is left is the **constraint violation**. It can be had for any mechanism, closed form or not.

# %%
violation = driven.violation
for level in ("position", "velocity", "acceleration"):
    print(f"{level:13} {getattr(violation, level).max():.1e}")
assert violation.position.max() < 1e-14
assert violation.joint("B").velocity.max() < 1e-12

# %%
driven.plot_violation()

# %% [markdown]
# ## 11. Counting
#
# How many ways to move has a mechanism? **Grübler** counts: coordinates less equations. That is right as long as no
# equation says what others say already. The number of *independent* equations is the **rank** of $\Phi_q$; what really
# remains free, the **degrees of freedom**, is coordinates less rank.

# %%
free = model.without("motor")
found = mbs.diagnose(free)
print(found)
assert (found.coordinates, found.equations, found.rank) == (9, 8, 8)
assert found.gruebler == found.degrees_of_freedom == 1  # the crank
assert mbs.diagnose(model).degrees_of_freedom == 0  # the motor takes it

# %% [markdown]
# Here is a mechanism on which counting fails: three equal, parallel cranks under one coupler, the side rod of a
# locomotive. Two cranks are enough to guide the coupler. The third repeats what they say.

# %%
engine = mbs.PlanarModel("parallel cranks")
c, s = np.cos(1.0), np.sin(1.0)
coupler = engine.body("coupler", position=(1 + c, s))
for k in (1, 2, 3):
    bar = engine.link(f"crank{k}", (k - 1, 0), (k - 1 + c, s))
    engine.add(
        mbs.Revolute(f"A{k}", engine.ground.at(k - 1, 0), bar.tail),
        mbs.Revolute(f"B{k}", bar.head, coupler.at(k - 2, 0)),
    )
print(mbs.diagnose(engine))

# %% [markdown]
# Twelve coordinates, twelve equations, and still it moves. `diagnose` names the joints whose equations depend on each
# other. We can see it with our own eyes: some combination of the *rows* of $\Phi_q$ is zero, and every joint has a
# part in it.

# %%
found = mbs.diagnose(engine)
assert (found.gruebler, found.rank, found.degrees_of_freedom) == (0, 11, 1)

engine_eq = mbs.equations(engine)
at_placement = np.array(engine_eq.Phi_q.subs(engine_eq.values), dtype=float)
left_vectors, sizes, _ = np.linalg.svd(at_placement)
assert (sizes > 1e-10).sum() == found.rank
combination = left_vectors[:, -1]  # of the smallest singular value, which is zero
assert np.allclose(combination @ at_placement, 0)
part = {element: abs(share) for (element, _), share in zip(engine_eq.rows, combination, strict=True)}
assert {name for name, share in part.items() if share > 1e-10} == set(found.redundant[0].joints)

# %% [markdown]
# The motion is right all the same; but the forces cannot be told apart, for a weight on the coupler may rest on any
# two of the cranks. The advice that `diagnose` gives is to let the pin of the third crank slide in a slot: one equation
# less, and the same motion.

# %%
print(found.redundant[0].advice)
slotted = engine.without("B3").plus(mbs.PinInSlot("B3", coupler.at(1, 0), engine.bodies["crank3"].head))
assert not mbs.diagnose(slotted).redundant
assert mbs.diagnose(slotted).gruebler == mbs.diagnose(slotted).degrees_of_freedom == 1

# %% [markdown]
# ## 12. A dead point
#
# Take the motor off the crank and push the slider instead, at 0.1 m/s away from the crank. Crank and rod are
# $r + l = 0.4$ m long together, so the slider can go no farther.

# %%
pushed = free.plus(mbs.Driver("push", mbs.displacement(ground, slider), 0.35 + 0.1 * t))
try:
    mbs.kinematics(pushed, np.linspace(0, 1, 101))
except mbs.SingularConfigurationError as error:
    dead = error
print(dead)

# %% [markdown]
# The error knows when, where and who. What was computed before is kept in `dead.result`, and the pose itself in
# `dead.pose`.

# %%
print(f"t = {dead.time:.6f} s, slider at x = {dead.pose['slider.x']:.6f} m, joints {', '.join(dead.joints)}")
assert np.isclose(dead.time, 0.5) and np.isclose(dead.pose["slider.x"], 0.4)
assert abs(dead.pose["crank.angle"]) < 1e-4 and abs(dead.pose["rod.angle"]) < 1e-4  # in line
assert not dead.result.success and dead.result.t[-1] < 0.5

# %% [markdown]
# What happens there? On the way to the dead point the smallest singular value of $\Phi_q$ goes to zero: the equations
# for the velocity stop determining it. The crank has to turn faster and faster to keep up with the slider, in
# inverse proportion.

# %%
pushed_q = mbs.equations(pushed).Phi_q.subs(values)
pushed_jacobian = sp.lambdify([[*eq.q]], pushed_q.tolist())
smallest = [np.linalg.svd(pushed_jacobian(row), compute_uv=False)[-1] for row in dead.result.q]
speed = np.abs(dead.result["crank.omega"])
for k in (0, 40, 48, 49):
    print(f"t = {dead.result.t[k]:.2f} s   smallest singular value {smallest[k]:.4f}   crank {speed[k]:6.2f} rad/s")
assert np.all(np.diff(smallest) < 0) and np.all(np.diff(speed) > 0)
assert np.allclose(speed * smallest, speed[0] * smallest[0], rtol=0.02)

# %%
dead.result.plot("slider.x", "crank.angle", "crank.omega")

# %% [markdown]
# The *pose* is harmless. With the motor on the crank the mechanism went through it in section 9, and nothing happened.
# A dead point belongs to a mechanism together with its drive.

# %%
assert not mbs.diagnose(model).redundant
through = np.argmin(np.abs(np.mod(driven["crank.angle"] + np.pi, 2 * np.pi) - np.pi))  # the pose nearest to angle 0
assert np.abs(driven["slider.vx"][through]) < 0.02 and driven.violation.position[through] < 1e-14

# %% [markdown]
# ## 13. What to take along
#
# - A joint is an equation between markers; $\Phi_q$, $\nu$ and $\gamma$ follow by differentiation.
# - Position is nonlinear (Newton), velocity and acceleration are linear, with one and the same matrix.
# - Rank tells what counting cannot, and where it drops the motion is in danger.
#
# Other dimensions need nothing new, neither derivation nor code. The last cell makes the crank longer, and repeats what
# we claimed.

# %%
longer = mbs.kinematics(model.with_parameters(r=0.12), turn)
assert np.isclose(np.ptp(longer["slider.x"]), 2 * 0.12, rtol=1e-4)
assert longer.success and longer.violation.position.max() < 1e-14
theta = 0.6 + 10 * turn
assert np.allclose(longer["slider.x"], 0.12 * np.cos(theta) + np.sqrt(0.30**2 - (0.12 * np.sin(theta)) ** 2))
