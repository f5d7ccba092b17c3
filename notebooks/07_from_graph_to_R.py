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
# # From the graph to R
#
# A tree of joints has as many degrees of freedom as its joints have velocities, $\dot\theta$. The velocities of all
# bodies follow from these, $v = R\,\dot\theta$. We build $R$ from a graph and a table of two lines, see both examples
# of a paper come out, and let an arm fall by equations that know no reaction.
#
# The file is a notebook and a plain script: open it with Jupyter (jupytext), or run
# `python notebooks/07_from_graph_to_R.py`. The page to it is
# [The velocity transformation](../docs/velocity-transformation.md).

# %%
import numpy as np
import sympy as sp

import mbs_dae as mbs
from mbs_dae.view.style import COLOURS, Picture, style

# %% [markdown]
# ## 1. The arm and its graph
#
# Four bodies in a row: revolute, revolute, prismatic, revolute, on skew axes.

# %%
arm = mbs.SpatialModel("arm", gravity=(0, 0, -9.81))
before = arm.ground
for k, (name, kind, place, axis) in enumerate(
    (
        ("R1", mbs.Revolute, (0.0, 0.0, 0.3), (0.0, 0.3, 1.0)),
        ("R2", mbs.Revolute, (0.4, 0.0, 0.5), (0.2, 1.0, 0.1)),
        ("P3", mbs.Prismatic, (0.9, 0.1, 0.5), (1.0, 0.2, -0.1)),
        ("R5", mbs.Revolute, (1.2, 0.2, 0.4), (0.3, -0.2, 1.0)),
    ),
    start=1,
):
    body = arm.body(f"link{k}", 5.0 - k, (0.02, 0.05, 0.05), com=(0.2, 0.03, 0.02), position=place)
    arm.add(kind(name, before, body, at=place, axis=axis))
    before = body
before.marker("tip", 0.4, 0.1, 0.0)
graph = mbs.topology(arm)
print(graph)

# %%
with style():
    figure = Picture(figsize=(6.4, 1.8), layout="constrained")
    graph.draw(figure.add_subplot())
figure

# %% [markdown]
# Edge $j$ leads to body $j$. The **path matrix** $\pi$ says where edges begin (1) and end ($-1$). The **secondary path
# matrix** $\pi^*$ says over which edges one comes from the ground to body $i$: row 3 reads, over edges 3, 2 and 1.

# %%
pi, paths = graph.path_matrix, graph.secondary_path_matrix
print(pi, paths, sep="\n\n")
assert np.array_equal(-np.linalg.inv(pi).T != 0, paths != 0)  # -π⁻ᵀ is one where π* is not zero

# %% [markdown]
# ## 2. Blocks
#
# Whatever hangs behind joint $j$ moves like one rigid body when only this joint moves. With its axis $u_j$ and
# $d_{ij} = r_i - r_j$, a unit of its velocity gives to a point $r_i$ and a unit vector $u_i$
#
# $$\text{revolute:}\quad \begin{pmatrix} u_j\times d_{ij} \\ u_j\times u_i\end{pmatrix}
#   = \begin{pmatrix} -D_{ij}u_j \\ -U_iu_j\end{pmatrix},\qquad
#   \text{prismatic:}\quad \begin{pmatrix} u_j \\ 0\end{pmatrix}.$$
#
# $D$ is the matrix with $Dx = d\times x$. Where $\pi^*_{ij}\ne 0$ the block goes in, elsewhere a zero. By hand, for the
# places of the four links and their angular velocities, in the placement, where the axes of all links are those of the
# world:


# %%
def skew(d):
    return np.array([[0, -d[2], d[1]], [d[2], 0, -d[0]], [-d[1], d[0], 0]])


state = mbs.assemble(arm)
r = np.array([[state[f"link{i}.{x}"] for x in "xyz"] for i in (1, 2, 3, 4)])
u = np.array([(0.0, 0.3, 1.0), (0.2, 1.0, 0.1), (1.0, 0.2, -0.1), (0.3, -0.2, 1.0)])
u /= np.linalg.norm(u, axis=1)[:, None]
R = np.zeros((24, 4))
for i in range(4):
    for j in range(4):
        if paths[i, j]:
            slides = j == 2
            R[6 * i : 6 * i + 3, j] = u[j] if slides else -skew(r[i] - r[j]) @ u[j]
            R[6 * i + 3 : 6 * i + 6, j] = 0 if slides else u[j]

found = mbs.velocity_transformation(arm, state)
print(found)
assert np.allclose(R, found.R, atol=1e-12)

# %% [markdown]
# The columns of $R$ are motions that no joint forbids: $\Phi_v R = 0$.

# %%
system = arm.compile()
jacobian = system.jacobian(0, found.q).toarray()
print(f"{jacobian.shape[0]} equations, {R.shape[1]} columns, |Phi_v R| = {np.abs(jacobian @ R).max():.1e}")
assert np.abs(jacobian @ R).max() < 1e-12 and sum(np.array(jacobian.shape) * (-1, 1)) == R.shape[1]

# %% [markdown]
# ## 3. In letters
#
# The same for every pose. This is equation 4.9 of S. M. Issa and K. P. Arczewski (1997); points and vectors have the
# numbers of the paper.

# %%
letters = mbs.velocity_transformation(arm, symbolic=True)
print(letters.means)
letters

# %% [markdown]
# Their second system floats: its base has the velocities $\dot r_1$ and $\omega_1$, with the block
# $\begin{pmatrix} 1 & -D_{i1}\\ 0 & -U_i\end{pmatrix}$. On it are two arms, so the last column has few entries. This is
# equation 4.13.

# %%
afloat = mbs.SpatialModel("afloat")
base, upper, fore, hand, panel = (
    afloat.body(name, 1.0, (0.1, 0.1, 0.1), position=place)
    for name, place in (
        ("base", (0.0, 0.0, 0.0)),
        ("upper", (0.6, 0.1, 0.0)),
        ("fore", (1.1, 0.1, 0.2)),
        ("hand", (1.5, 0.1, 0.3)),
        ("panel", (-0.9, 0.0, 0.0)),
    )
)
afloat.add(
    mbs.Revolute("R2", base, upper, at=(0.3, 0.1, 0.0), axis=(0, 1, 0.2)),
    mbs.Revolute("R3", upper, fore, at=(0.9, 0.1, 0.1), axis=(0.1, 0.3, 1)),
    mbs.Prismatic("P4", fore, hand, at=(1.3, 0.1, 0.2), axis=(1, 0, 0.3)),
    mbs.Revolute("R7", base, panel, at=(-0.3, 0, 0), axis=(1, 0.2, 0)),
)
floating = mbs.velocity_transformation(afloat, symbolic=True)
floating

# %%
D, U, axis = (sp.MatrixSymbol(name, *shape) for name, shape in (("D_52", (3, 3)), ("U_8", (3, 3)), ("u_7", (3, 1))))
assert letters.R.blocks[5, 1] == -D * sp.MatrixSymbol("u_2", 3, 1)  # eq. 4.4 has D_51 here, eq. 4.9 is right
assert floating.R.blocks[14, 5] == -U * axis  # eq. 4.12 has U_3 here, eq. 4.13 is right

# %% [markdown]
# In the plane, and in $\theta$ itself, for two links:

# %%
links = mbs.PlanarModel("two links")
l1, l2 = (links.parameter(name, value, unit="m") for name, value in (("l1", 0.5), ("l2", 0.4)))
a, b = (links.body(name, 1.0, 0.02, position=(0.3 * k, 0.1)) for k, name in enumerate("ab", start=1))
links.add(
    mbs.Revolute("A", links.ground, a.at(-l1 / 2, 0)),
    mbs.Revolute("B", a.at(l1 / 2, 0), b.at(-l2 / 2, 0)),
)
mbs.velocity_transformation(links, explicit=True).R

# %% [markdown]
# ## 4. Equations of motion without reactions
#
# With $\dot v = R\ddot\theta + \dot R\dot\theta$ put into $M\dot v + \Phi_v^T\lambda = Q$ and multiplied by $R^T$, the
# reactions drop out, because $R^T\Phi_v^T = 0$:
#
# $$R^TMR\,\ddot\theta = R^T\left(Q - M\dot R\dot\theta\right).$$
#
# Four equations instead of 24 + 20. $M$ and $Q$ are those of single bodies: `mbs.equations` has them. Let the arm fall,
# and at some moments ask these four equations for the accelerations.

# %%
eq = mbs.equations(arm)
M_Q = sp.lambdify([*eq.q, *eq.v], (eq.M, eq.Q), cse=True)
first = {"R1.omega": 1.0, "R2.omega": -0.5, "P3.velocity": 0.2, "R5.omega": 3.0}  # rad/s, m/s
fall = mbs.simulate(arm, np.linspace(0, 0.8, 161), first, method="DP8", rtol=1e-12)
moments, accelerations, errors = range(0, 161, 16), [], []
for k in moments:
    at = mbs.velocity_transformation(arm, fall.state(k))
    M, Q = (np.array(x, dtype=float) for x in M_Q(*fall.q[k], *fall.v[k]))
    bias = at.Rdot @ at.rates
    ddtheta = np.linalg.solve(at.R.T @ M @ at.R, at.R.T @ (Q.ravel() - M @ bias))
    accelerations.append(ddtheta)
    errors.append(np.abs(at.R @ ddtheta + bias - fall.a[k]).max())
accelerations = np.array(accelerations)
print(f"largest difference of accelerations: {max(errors):.1e} of {np.abs(fall.a).max():.0f}")
assert max(errors) < 1e-10 * np.abs(fall.a).max()

# %%
with style():
    figure = Picture(figsize=(7.2, 5.0), layout="constrained")
    turns, slides = figure.subplots(2, 1, sharex=True)
    for column, name in enumerate(("R1", "R2", "P3", "R5")):
        ax = slides if name == "P3" else turns
        quantity = f"{name}.acceleration" if name == "P3" else f"{name}.alpha"
        ax.plot(fall.t, fall[quantity], color=COLOURS[column], label=name)
        ax.plot(fall.t[list(moments)], accelerations[:, column], "o", color=COLOURS[column], markersize=4)
    turns.set(ylabel="angular acceleration [rad/s²]", title="Lines: 24 + 20 equations.  Dots: 4 equations in θ")
    slides.set(xlabel="t [s]", ylabel="acceleration [m/s²]")
    turns.legend(ncols=3)
    slides.legend()
figure

# %% [markdown]
# ## 5. What to take along
#
# - The graph says *where* $R$ has entries ($\pi^*$), the joints say *which*: an axis, and a point on it.
# - $\Phi_vR = 0$: the reactions of the tree do no work, and drop out of the equations of motion.
# - $R^TMR$ is small and full, $M$ and $\Phi_v$ are large and sparse. Which is faster depends on the mechanism.
# - A joint that is cut, or a gear, keeps its equation: $\Phi_vR\,\dot\theta = \nu$ for these.
#
# `compile("joint")` does all this inside: it is the same $R$, never written down.

# %%
linkage = mbs.PlanarModel.from_points(
    {"A": (0, 0), "B": (0, 0.2), "C": (0.5, 0.6), "D": (0.7, 0)},
    rods={"crank": "AB", "coupler": "BC", "rocker": "CD"}, fixed="AD", mass=2.0,
)
loop = mbs.velocity_transformation(linkage, mbs.assemble(linkage))
rest = linkage.compile().jacobian(0, loop.q).toarray() @ loop.R
print("remaining:", loop.remaining, " rank of what is left:", np.linalg.matrix_rank(rest, tol=1e-9))
assert len(loop.columns) - np.linalg.matrix_rank(rest, tol=1e-9) == 1  # one degree of freedom
