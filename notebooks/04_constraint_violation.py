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
# # Why constraints drift, and what to do about it
#
# A joint demands $\Phi(q, t) = 0$. The equations of motion demand only $\ddot\Phi = 0$. Between the two lies everything
# in this notebook: the drift, Baumgarte's spring that pulls back, why a spring can be too stiff, the projection that
# puts things right at once, and the poses where a spring has nothing to hold on to.
#
# The file is a notebook and a plain script: open it with Jupyter (jupytext), or run
# `python notebooks/04_constraint_violation.py`.

# %%
import numpy as np
import sympy as sp

import mbs_dae as mbs
from mbs_dae.view.style import Picture, style

# %% [markdown]
# ## 1. Twice differentiated
#
# A ball hangs on a massless string of length $L$. Its constraint, and what follows for velocity and acceleration:
#
# $$\Phi = |p|^2 - L^2 = 0, \qquad \dot\Phi = 2\,p\cdot\dot p = 0, \qquad
#   \ddot\Phi = 2\,p\cdot\ddot p + 2\,|\dot p|^2 = 0 .$$
#
# Multipliers and accelerations come from the last one, together with Newton's law (notebook 2). Nothing in
# those equations knows how long the string is.

# %%
model = mbs.PlanarModel("ball on a string", gravity=(0.0, -9.81))
ball = model.body("ball", mass=1.0, inertia=0.01, position=(1.0, 0.0))
model.add(mbs.Distance("string", model.ground.at(0, 0), ball))
eq = mbs.equations(model)
print("Phi   =", eq.Phi[0])
print("gamma =", eq.gamma[0])
x, y = eq.q[:2]
vx, vy = eq.v[:2]
assert sp.simplify(eq.Phi[0] - (x**2 + y**2 - 1)) == 0
assert sp.simplify(eq.gamma[0] + 2 * (vx**2 + vy**2)) == 0

# %% [markdown]
# ## 2. The drift
#
# A numerical method makes a small error in each step: instead of $\ddot\Phi = 0$ it solves $\ddot\Phi = e(t)$, with
# some small $e$ that goes up and down with the motion. What does not average out, $\bar e$, adds up, and adds up again:
#
# $$\dot\Phi \approx \bar e\,t, \qquad \Phi \approx \tfrac12\,\bar e\,t^2 .$$
#
# The velocity error grows like $t$, the position error like $t^2$. Roundoff does the same, only later. Let the ball
# swing for 50 seconds with the classical Runge-Kutta method and nothing else:

# %%
times = np.linspace(0, 50, 2001)
swing = {"ball.vy": 0.0, "ball.omega": 0.0}
fixed = {"method": "RK4", "step": 0.01}
drifting = mbs.simulate(model, times, swing, stabilization=mbs.Unstabilized(), **fixed)

t = times[1:]
position, velocity = drifting.violation.position[1:], drifting.violation.velocity[1:]
e_mean = velocity[-1] / t[-1]
with style():
    figure = Picture(figsize=(6.4, 4.0), layout="constrained")
    ax = figure.add_subplot()
    ax.loglog(t, position, color="#0072B2", label=r"position $|\Phi|$ [m²]")
    ax.loglog(t, velocity, color="#D55E00", label=r"velocity $|\dot\Phi|$ [m²/s]")
    ax.loglog(t, e_mean * t**2 / 2, "--", color="#333333", linewidth=1, label=r"$\bar e\,t^2/2$ and $\bar e\,t$")
    ax.loglog(t, e_mean * t, "--", color="#333333", linewidth=1)
    ax.set_xlabel("t [s]")
    ax.set_ylabel("violation")
    ax.legend()
figure

# %%
late = t > 2
growth = [np.polyfit(np.log(t[late]), np.log(np.maximum.accumulate(v)[late]), 1)[0] for v in (position, velocity)]
print(f"grows like t^{growth[0]:.3f} in position, like t^{growth[1]:.3f} in velocity")
assert np.allclose(growth, [2, 1], atol=0.05)
assert np.isclose(position[-1], e_mean * t[-1] ** 2 / 2, rtol=0.05)

# %% [markdown]
# A method of higher order has a smaller $\bar e$. It puts the drift off; it does not end it.

# %%
for method in ("RK4", "DP5", "DP8"):
    run = mbs.simulate(model, times, swing, method=method, step=0.02, stabilization=mbs.Unstabilized())
    print(f"{method}: string off by {run.violation.position[-1] / 2:.1e} m after 50 s")  # |p| - L is about Φ / 2L
assert 0 < run.violation.position[-1] < 1e-7

# %% [markdown]
# ## 3. Baumgarte's spring
#
# J. Baumgarte (1972) asked for something else instead of $\ddot\Phi = 0$:
#
# $$\ddot\Phi + 2\alpha\,\dot\Phi + \beta^2\,\Phi = 0 .$$
#
# Exactly the same solution if the constraint holds; but if it does not, the violation now behaves like a damped
# oscillator, and dies out. In the equations only the right side changes:
#
# $$\Phi_q\dot v = \gamma - 2\alpha\,(\Phi_q v - \nu) - \beta^2\,\Phi .$$
#
# With the ansatz $\Phi = e^{st}$ we get $s = -\alpha \pm \sqrt{\alpha^2 - \beta^2}$. For $\alpha = \beta$ both roots
# are $-\alpha$: critical damping, the fastest return without overshoot. Against a constant error $\bar e$ the spring
# holds: the violation no longer grows, but stays near
#
# $$\Phi_\infty = \bar e / \beta^2 .$$
#
# (The pictures write "m or rad" for positions; the $\Phi$ of a string is a squared length, so here it is m².)

# %%
s = sp.Symbol("s")
alpha, beta = sp.symbols("alpha beta", positive=True)
roots = sp.solve(s**2 + 2 * alpha * s + beta**2, s)
assert {sp.simplify(root.subs(beta, alpha)) for root in roots} == {-alpha}

runs = {"none": drifting}
for gain in (0.1, 0.3, 1, 3, 10, 30, 100, 200):
    runs[f"{gain:g}/s"] = mbs.simulate(model, times, swing, stabilization=mbs.Baumgarte(gain, gain), **fixed)
largest = {name: run.violation.position.max() for name, run in runs.items()}
for name, size in largest.items():
    print(f"alpha = beta = {name:6}  largest violation {size:.1e} m²")

# %%
mbs.compare_stabilization(
    model,
    times[:401],
    swing,
    {"none": mbs.Unstabilized(), "3/s": mbs.Baumgarte(3, 3), "100/s": mbs.Baumgarte(100, 100)},
    **fixed,
).plot()

# %% [markdown]
# Even the softest spring stops the growth, and up to some gain a stiffer one holds better. Then it gets *worse*. Why?
# Within a step, a Runge-Kutta method looks at trial states, which violate the constraint far more than the end of the
# step does. The feedback acts on those too; with a large gain it makes forces out of them that have nothing to do with
# the motion.

# %%
assert largest["0.1/s"] < largest["none"] / 10 and largest["3/s"] < largest["0.3/s"]
assert largest["200/s"] > largest["100/s"] > largest["30/s"] > 10 * largest["3/s"]

# %% [markdown]
# ## 4. Too stiff
#
# It can get worse than worse. The spring adds a mode $e^{-\alpha t}$ to the motion, and an explicit method must follow
# it, even if there is nothing to see. The classical Runge-Kutta method multiplies $e^{-\alpha t}$ in each step by
#
# $$R(z) = 1 + z + \tfrac{z^2}{2} + \tfrac{z^3}{6} + \tfrac{z^4}{24}, \qquad z = -\alpha h,$$
#
# and $|R| > 1$ for $\alpha h > 2.785$. Beyond that the error grows from step to step until nothing is left. A
# differential equation is called **stiff** if not the solution but the stability of the method dictates the step.

# %%
amplification = np.polynomial.Polynomial([1, 1, 1 / 2, 1 / 6, 1 / 24])
assert abs(amplification(-2.78)) < 1 < abs(amplification(-2.79))
try:
    mbs.simulate(model, times, swing, stabilization=mbs.Baumgarte(400, 400), **fixed)  # alpha h = 4
except mbs.IntegrationError as error:
    unstable = error
print(unstable)
assert not unstable.result.success and unstable.time < 1.0

# %% [markdown]
# With step control the run does not break; it gets expensive. The steps shrink in proportion to $1/\alpha$, though the
# ball swings as it always did.

# %%
evaluations = {}
for gain in (1, 10, 100, 1000):
    run = mbs.simulate(model, times[:401], swing, stabilization=mbs.Baumgarte(gain, gain), rtol=1e-6)
    evaluations[gain] = run.stats["evaluations"]
    print(f"alpha = beta = {gain:4}/s: {evaluations[gain]:6} evaluations for 10 s")
assert 5 < evaluations[1000] / evaluations[100] < 12 and evaluations[100] > 4 * evaluations[1]

# %% [markdown]
# So gains must fit the *motion*, and not the taste. `mbs.Baumgarte()` without numbers takes $\alpha = \beta$ as the
# pace of the motion itself, step by step, and never so large that the stability limit of the step is near. The result
# reports what was done.

# %%
chosen = mbs.simulate(model, times, swing)
print(chosen.stats["gain_rule"])
assert chosen.stats["alpha"] == chosen.stats["beta"] > 0
assert chosen.violation.position.max() < 1e-6

# %% [markdown]
# ## 5. Projection
#
# The other way: let the step end where it will, and then put the state back. There are many ways back; the right one
# moves the masses least,
#
# $$\min_{\Delta q}\ \tfrac12\,\Delta q^T M\,\Delta q \quad\text{with}\quad \Phi(q + \Delta q) = 0 .$$
#
# To first order $\Phi(q + \Delta q) = \Phi + \Phi_q\Delta q$, and we meet an old friend:
#
# $$\begin{pmatrix} M & \Phi_q^T \\ \Phi_q & 0 \end{pmatrix}
#   \begin{pmatrix} \Delta q \\ \mu \end{pmatrix} =
#   \begin{pmatrix} 0 \\ -\Phi \end{pmatrix}.$$
#
# Solve, repeat: that is Newton's method. Velocities are put right in the same norm and with the same matrix, in one
# step, because they enter linearly. Here it is by hand, for a ball that is 5 cm off:

# %%
at = sp.lambdify([[*eq.q, *eq.v]], [eq.M.tolist(), eq.Phi_q.tolist(), list(eq.Phi)])
q = np.array([1.03, -0.04, 0.0])
gaps = []
for _ in range(5):
    M, Phi_q, Phi = (np.array(block, dtype=float) for block in at([*q, 0, 0, 0]))
    gaps.append(abs(Phi[0]))
    kkt = np.block([[M, Phi_q.T], [Phi_q, np.zeros((1, 1))]])
    q += np.linalg.solve(kkt, [0, 0, 0, -Phi[0]])[:3]
print("gaps:", ", ".join(f"{gap:.1e}" for gap in gaps))
assert gaps[-1] < 1e-15 and gaps[2] < gaps[1] ** 2
assert np.allclose(q[:2], np.array([1.03, -0.04]) / np.hypot(1.03, -0.04))  # least for a ball: straight to the circle

# %% [markdown]
# And now all of it on a mechanism: a four-bar linkage for five seconds, in fixed steps of a millisecond.

# %%
four_bar = mbs.PlanarModel("four-bar", gravity=(0.0, -9.81))
crank = four_bar.link("crank", (0.0, 0.0), (0.0, 0.1), mass=1.0)
coupler = four_bar.link("coupler", (0.0, 0.1), (0.3, 0.25), mass=2.0)
rocker = four_bar.link("rocker", (0.3, 0.25), (0.25, 0.0), mass=1.5)
four_bar.add(
    mbs.Revolute("A", four_bar.ground.at(0, 0), crank.tail),
    mbs.Revolute("B", crank.head, coupler.tail),
    mbs.Revolute("C", coupler.head, rocker.tail),
    mbs.Revolute("D", four_bar.ground.at(0.25, 0), rocker.head),
)
ways = {
    "none": mbs.Unstabilized(),
    "Baumgarte 5/s": mbs.Baumgarte(5, 5),
    "Baumgarte 50/s": mbs.Baumgarte(50, 50),
    "Baumgarte 3000/s": mbs.Baumgarte(3000, 3000),
    "projection": mbs.Projection(),
}
compared = mbs.compare_stabilization(
    four_bar, np.linspace(0, 5, 1001), {"crank.omega": 10.0}, ways, method="RK4", step=1e-3
)
print(compared)

# %%
compared.plot()

# %%
worst = {name: compared[name].violation.position.max() for name in ways}
assert not compared["Baumgarte 3000/s"].success
assert worst["projection"] < 1e-14 < worst["Baumgarte 50/s"] < worst["Baumgarte 5/s"] < worst["none"]

# %% [markdown]
# Mind the third panel. Pins that are closed to the last digit do not make a motion right: the *energy* error of
# projection is that of the method, and it falls with the step, not with the number of Newton steps.

# %%
energy_errors = []
for step in (1e-3, 5e-4):
    run = mbs.simulate(four_bar, [0, 5], {"crank.omega": 10.0}, method="RK4", step=step, stabilization=mbs.Projection())
    energy_errors.append(np.abs(run.energy.error[-1]))
    print(
        f"step {step * 1e3:g} ms: violation {run.violation.position[-1]:.0e} m, energy off by {energy_errors[-1]:.1e} J"
    )
assert energy_errors[1] < energy_errors[0] / 8

# %% [markdown]
# ## 6. Where the spring has nothing to hold on to
#
# A parallelogram: crank and rocker are equal, and so are coupler and ground. The coupler stays parallel to the ground,
# *if* the linkage stays a parallelogram. Twice a turn all four pins lie in one line. From this **change point** it can
# go on as a parallelogram, or fold into a crossed linkage whose coupler turns.

# %%
parallel = mbs.PlanarModel("parallelogram", gravity=(0.0, -9.81))
ends = (0.1 * np.cos(1.0), 0.1 * np.sin(1.0)), (0.3 + 0.1 * np.cos(1.0), 0.1 * np.sin(1.0))
crank = parallel.link("crank", (0, 0), ends[0], mass=1.0)
coupler = parallel.link("coupler", *ends, mass=1.0)
rocker = parallel.link("rocker", (0.3, 0), ends[1], mass=1.0)
parallel.add(
    mbs.Revolute("A", parallel.ground.at(0, 0), crank.tail),
    mbs.Revolute("B", crank.head, coupler.tail),
    mbs.Revolute("C", coupler.head, rocker.head),
    mbs.Revolute("D", parallel.ground.at(0.3, 0), rocker.tail),
)
mbs.assemble(parallel).draw()

# %% [markdown]
# In the change point the rows of $\Phi_q$ become dependent: a singular value $\sigma$ goes to zero. What does the
# feedback do on the way there? It asks for accelerations $\Phi_q\dot v = -\beta^2\Phi$, so in the worst direction for
#
# $$|\dot v| \approx \beta^2\,|\Phi| \,/\, \sigma .$$
#
# A violation that is harmless elsewhere becomes a blow. We look at the largest acceleration that a violation of one
# micrometre causes with $\beta$ = 100/s:

# %%
pe = mbs.equations(parallel)
blocks = sp.lambdify(
    [[*pe.q, *pe.v]], [pe.M.tolist(), pe.Phi_q.tolist(), list(pe.Q), list(pe.gamma), list(pe.Phi)], cse=True
)


def kkt_of(q, v):
    M, Phi_q, Q, gamma, Phi = (np.array(block, dtype=float) for block in blocks([*q, *v]))
    return np.block([[M, Phi_q.T], [Phi_q, np.zeros((8, 8))]]), Phi_q, Q, gamma, Phi


blows = []
for angle in (1.0, 0.3, 0.1, 0.03, 0.01, 0.003):
    pose = mbs.assemble(parallel, fix={"crank.angle": angle}).q
    kkt, Phi_q, *_ = kkt_of(pose, np.zeros(9))
    response = np.linalg.inv(kkt)[:9, 9:]  # from the right side of the constraints to accelerations
    sigma, largest_blow = np.linalg.svd(Phi_q, compute_uv=False)[-1], 100**2 * 1e-6 * np.linalg.norm(response, 2)
    blows.append(largest_blow * sigma)
    print(f"crank at {angle:5.3f} rad   sigma {sigma:.1e}   acceleration {largest_blow:8.3f}")
assert np.allclose(blows[-3:], blows[-1], rtol=0.01)  # inversely proportional

# %% [markdown]
# And *in* the change point the constraint does not see the wrong direction at all: to first order, the step into the
# crossed linkage costs nothing. A soft spring does not even notice. Here is the textbook's Baumgarte in a few lines,
# with the classical Runge-Kutta method and nothing else.


# %%
def textbook_baumgarte(q, v, gain, step, count):
    def rate(state):
        q, v = state
        kkt, Phi_q, Q, gamma, Phi = kkt_of(q, v)
        right = np.concatenate([Q, gamma - 2 * gain * Phi_q @ v - gain**2 * Phi])
        return np.array([v, np.linalg.solve(kkt, right)[:9]])

    states = [np.array([q, v])]
    for _ in range(count):
        y = states[-1]
        a = rate(y)
        b = rate(y + step / 2 * a)
        c = rate(y + step / 2 * b)
        d = rate(y + step * c)
        states.append(y + step / 6 * (a + 2 * b + 2 * c + d))
    return np.array(states)


spin = {"crank.omega": 20.0}
first = mbs.simulate(parallel, [0.0, 1e-3], spin)
for digit in range(16):  # what becomes of it in the change point is a matter of the last digit
    with np.errstate(all="ignore"):
        soft = textbook_baumgarte(first.q[0] + 1e-15 * digit, first.v[0], gain=5.0, step=5e-4, count=2000)
        tilt = np.degrees(soft[:, 0, 5])  # the angle of the coupler, which must stay zero
        gap = np.abs(np.array([kkt_of(q, v)[4] for q, v in soft])).max()
    if np.abs(tilt).max() > 30 and gap < 1e-3:
        break
when = 5e-4 * np.arange(len(soft))

with style():
    figure = Picture(figsize=(6.4, 3.0), layout="constrained")
    ax = figure.add_subplot()
    ax.plot(when, tilt, label="textbook Baumgarte, 5/s")
    ax.axhline(0, color="#333333", linewidth=1, linestyle="--", label="a parallelogram")
    ax.set_xlabel("t [s]")
    ax.set_ylabel("angle of the coupler [°]")
    ax.legend()
figure

# %%
print(f"the coupler tilts by {np.abs(tilt).max():.0f}°; the pins are never open by more than {1e3 * gap:.2f} mm")
assert np.abs(tilt).max() > 30 and gap < 1e-3

# %% [markdown]
# No error, no warning: pins that are closed, and a motion that is wrong. What `mbs_dae` does: it watches the smallest
# singular value. Without stabilisation it stops and says why; Baumgarte's method gets a projection for the few steps
# near the change point (the number is reported); projection with the matrix of the *new* pose goes straight through.

# %%
through = mbs.compare_stabilization(parallel, np.linspace(0, 2, 801), spin)
print(through)
for name, run in through.runs.items():
    print(f"{name:14} coupler tilts by at most {np.degrees(np.abs(run['coupler.angle']).max()):.1e}°")
print("steps projected near singular poses:", through["Baumgarte"].stats["projected_near_singular_poses"])

# %%
through.plot()

# %%
assert not through["unstabilized"].success and "singular" in through["unstabilized"].message
for name in ("Baumgarte", "projection"):
    assert through[name].success and np.abs(through[name]["coupler.angle"]).max() < 1e-6
    assert through[name].smallest_singular_value.min() < 1e-3  # it did go through the change point
assert through["Baumgarte"].stats["projected_near_singular_poses"] > 0

# %% [markdown]
# ## 7. What to take along
#
# - $\ddot\Phi = 0$ remembers nothing: errors grow like $t$ in velocity and like $t^2$ in position.
# - Baumgarte's spring stops that. Its gains belong to the step: too soft does not hold, too stiff is unstable or
#   expensive. About $\alpha = \beta \approx 0.1/h$ is safe.
# - Projection closes the joints to the last digit after each step, at the price of one or two more solutions.
# - In a singular pose the feedback divides by zero, and *small violations prove nothing*: look at the energy, too.
#
# The last cell is the whole story in three numbers.

# %%
ends = {
    "none": drifting.violation.position[-1],
    "Baumgarte": runs["3/s"].violation.position[-1],
    "projection": mbs.simulate(model, times, swing, stabilization=mbs.Projection(), **fixed).violation.position[-1],
}
print({name: f"{size:.0e} m²" for name, size in ends.items()})
assert ends["projection"] < 1e-14 < ends["Baumgarte"] < 1e-3 * ends["none"]
