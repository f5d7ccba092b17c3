"""The Gough-Stewart platform of Zhao, Wei and Sun, "Computational Dynamics of Multi-Rigid-Body System in Screw
Coordinate", Applied Sciences 13 (2023) 6341: a spiral under load, computed by screws, by all bodies and by vectors.

Read so that it can be computed: as printed, all legs meet one line and lengths differ by a factor of ten. What was
changed and why is in docs/stewart-platform.md.

    python models/stewart_zhao.py [--out DIR] [--no-plot]     figure 12 of the paper: the driving forces of the six legs
"""

import numpy as np
import sympy as sp

import mbs_dae as mbs

TIMES = np.linspace(0, 10, 201)  # s
FORCE = (0, 0, -10)  # N, on the centre of the platform
MOMENT = (10, 0, 0)  # N m
GRAVITY = (0, 0, -9.81)


def height(R, r, leg, offset):
    """Of the platform's joints over the base, where all legs have the given length."""
    return sp.sqrt(leg**2 - R**2 - r**2 + 2 * R * r * sp.cos(offset))


def spiral(t):
    """How the platform moves from where its legs have their first length: a way, and a turn about x."""
    return (0.1 * sp.cos(t) - 0.1, 0.05 * sp.sin(t), 0.1 * sp.cos(t) - 0.1), 0.1 - 0.1 * sp.cos(t)


def build(
    R=0.5,  # m: the universal joints, from the centre of the base
    r=0.2,  # m: the balls, from the centre of the platform
    leg=1.0,  # m: the first length of the legs; each of their two parts is half as long
    offset=np.pi / 6,  # rad: the balls against the universal joints, to and fro in turn: they meet in three pairs
    lower=3.0,  # kg: lower part of a leg
    upper=1.0,  # kg: upper part
    mass=10.0,  # kg: the platform, a thin disk
    drive="legs",  # or "pose" (a hand that leads the platform), or None
) -> mbs.SpatialModel:
    at = np.pi / 3 * np.arange(6)
    first = np.array([0, 0, float(height(R, r, leg, offset))])
    model = mbs.SpatialModel("Stewart platform of Zhao", gravity=GRAVITY)
    R, r, leg = (model.parameter(name, value, unit="m") for name, value in (("R", R), ("r", r), ("leg", leg)))
    masses = {"lower": lower, "upper": upper, "mass": mass}
    lower, upper, mass = (model.parameter(name, value, unit="kg") for name, value in masses.items())
    offset = model.parameter("offset", offset, unit="rad")

    way, turn = spiral(mbs.t)
    position = sp.Matrix(way) + sp.Matrix([0, 0, height(R, r, leg, offset)])
    rotation = mbs.rotations.about_x(turn)
    platform = model.body("platform", mass, mass * r**2 * np.array([0.25, 0.25, 0.5]), position=first)
    for k in range(6):
        A = R * sp.Matrix([sp.cos(at[k]), sp.sin(at[k]), 0])
        B = r * sp.Matrix([sp.cos(at[k] + (-1) ** k * offset), sp.sin(at[k] + (-1) ** k * offset), 0])
        base, top = (np.array([model.value(x) for x in point], dtype=float) for point in (A, B))
        along = mbs.rotations.frame(first + top - base, x_axis=(1, 0, 0))  # the leg is its z axis
        rod = np.array([1, 1, 0]) * (leg / 2) ** 2 / 12  # slender
        tube = model.body(f"lower{k + 1}", lower, lower * rod, (0, 0, leg / 4), position=base, rotation=along)
        bar = model.body(f"upper{k + 1}", upper, upper * rod, (0, 0, -leg / 4), position=first + top, rotation=along)
        slide = mbs.Prismatic(f"slide{k + 1}", tube.at(0, 0, 0), bar.at(0, 0, 0))  # displacement: the leg's length
        model.add(
            mbs.Universal(f"U{k + 1}", model.ground.at(*A), tube.at(0, 0, 0)),
            slide,
            mbs.Spherical(f"S{k + 1}", bar.at(0, 0, 0), platform.at(*B)),
        )
        if drive == "legs":
            s = position + rotation * B - A
            model.add(mbs.Driver(f"leg{k + 1}", mbs.displacement(slide), sp.sqrt(s.dot(s))))
    if drive == "pose":
        model.add(mbs.PoseDriver("pose", platform, position=tuple(position), rotation=rotation))
    model.add(mbs.Wrench("load", platform, force=FORCE, moment=MOMENT))
    return model


def points(model):
    """Where the joints are: those of the base in world axes, those of the platform in its own; (6, 3) both."""
    bases = [model.elements[f"U{k}"].markers[0] for k in range(1, 7)]
    balls = [model.elements[f"S{k}"].markers[1] for k in range(1, 7)]
    return tuple(np.array([[model.value(x) for x in marker.point] for marker in ends]) for ends in (bases, balls))


def legs_by_screws(model, twists, dt):
    """Inverse kinematics by S ω = V, with one step forward at a time: the lengths of the legs at all times.

    A leg is a chain of a universal joint (two turns), a slide and a ball (three turns), so the twist of the platform is
    a sum of six screws, V = S ω, one for each. The third of the rates ω is that of the slide. Each step builds S from
    where the joints have come to, and moves the joints by ω dt.
    """
    A, B = points(model)
    first = np.array([model.bodies["platform"].position], dtype=float)
    s = first + B - A
    length = np.linalg.norm(s, axis=1)
    n = s / length[:, None]
    bend, tilt = np.arctan2(-n[:, 1], n[:, 2]), np.arcsin(n[:, 0])  # n = R_x(bend) R_y(tilt) z
    lengths = [length]
    screw, x, y, z = mbs.screws.unit_screw, *(np.broadcast_to(axis, (6, 3)) for axis in np.eye(3))
    for V in twists[:-1]:
        turned = mbs.rotations.about_x(bend) @ mbs.rotations.about_y(tilt)
        pin, n = turned[..., 1], turned[..., 2]
        ball = A + length[:, None] * n
        S = [screw(x, A), screw(pin, A), screw(n, pitch=np.inf), screw(x, ball), screw(y, ball), screw(z, ball)]
        rates = mbs.screws.joint_rates(np.stack(S, axis=1), np.broadcast_to(V, (6, 6))).rates
        bend, tilt, length = (x + dt * rate for x, rate in zip((bend, tilt, length), rates.T[:3], strict=True))
        lengths.append(length)
    return np.array(lengths)


def forces_by_vectors(model, result):
    """The driving forces once more, from the motion of the platform alone: moments about the base joints, and the six
    equations of balance of the platform. (times, 6), positive where a leg pushes.

    A leg of direction n and length l turns at Ω = n × ṡ/l, its two mass centres have the accelerations a1, a2, and it
    pushes the platform by F. Moments about the universal joint give the part of F across the leg,

        c1 n × m1 (g - a1) + (l - c2) n × m2 (g - a2) - s × F = (I1 + I2) Ω̇,

    and along it n·F = f + m2 n·(g - a2). So F = f n + what is known, and two equations of balance give all f.
    """
    A, B = points(model)
    m1, m2, mass, leg, r = (model.parameters[name].value for name in ("lower", "upper", "mass", "leg", "r"))
    c, inertia, g = leg / 4, (m1 + m2) * (leg / 2) ** 2 / 12, np.array(GRAVITY)
    names = [[f"platform.{kind}{x}" for x in "xyz"] for kind in ("", "v", "w", "a", "alpha")]
    at, velocity, omega, acceleration, alpha = (np.stack([result[n] for n in three], axis=1) for three in names)

    def dot(a, b):
        return np.sum(a * b, axis=-1, keepdims=True)

    R = result.rotation("platform")
    b = np.einsum("tij,kj->tki", R, B)
    w, dw = omega[:, None], alpha[:, None]
    s = at[:, None] + b - A
    ds = velocity[:, None] + np.cross(w, b)
    dds = acceleration[:, None] + np.cross(dw, b) + np.cross(w, np.cross(w, b))
    l = np.linalg.norm(s, axis=2, keepdims=True)
    n = s / l
    dl, W = dot(n, ds), np.cross(n, ds) / l
    ddl, dW = dot(n, dds) + l * dot(W, W), (np.cross(n, dds) - 2 * dl * W) / l
    ddn = np.cross(dW, n) - dot(W, W) * n
    w1, w2 = m1 * (g - c * ddn), m2 * (g - (l - c) * ddn - 2 * dl * np.cross(W, n) - ddl * n)
    moment = c * np.cross(n, w1) + (l - c) * np.cross(n, w2) - inertia * dW
    known = np.cross(moment, n) / l + n * dot(n, w2)

    disk = R @ (mass * r**2 * np.diag([0.25, 0.25, 0.5])) @ R.transpose(0, 2, 1)
    spin = np.einsum("tij,tj->ti", disk, omega)
    force = mass * (acceleration - g) - FORCE - known.sum(axis=1)
    moment = np.einsum("tij,tj->ti", disk, alpha) + np.cross(omega, spin) - MOMENT - np.cross(b, known).sum(axis=1)
    lines = np.concatenate([n, np.cross(b, n)], axis=2).transpose(0, 2, 1)  # a column for each leg
    return np.linalg.solve(lines, np.concatenate([force, moment], axis=1)[..., None])[..., 0]


def draw_forces(result, by_vectors):
    """The driving forces of the six legs by both methods; a matplotlib figure."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 5), layout="constrained")
    panels = figure.subplots(2, 3, sharex=True)
    for k, ax in enumerate(panels.flat):
        ax.plot(result.t, result.effort(f"leg{k + 1}"), color="#4c72b0", linewidth=2, label="Newton-Euler, 13 bodies")
        ax.plot(result.t[::8], by_vectors[::8, k], "o", color="#dd8452", markersize=3.5, label="vectors, leg by leg")
        ax.set_title(f"leg {k + 1}", fontsize=10)
        ax.grid(alpha=0.3)
    for ax in panels[:, 0]:
        ax.set_ylabel("driving force [N]")
    for ax in panels[1]:
        ax.set_xlabel("t [s]")
    figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return figure


if __name__ == "__main__":
    from _show import begin, tell, tell_forces

    model = build()
    out = begin(model)
    result = mbs.inverse_dynamics(model, TIMES)
    tell(model, result, ("platform.y", "platform.z", "slide1.displacement"))
    tell_forces(model, result, tuple(f"leg{k}" for k in range(1, 7)), ())
    by_vectors = forces_by_vectors(model, result)
    difference = np.abs(by_vectors - np.stack([result.effort(f"leg{k}") for k in range(1, 7)], axis=1)).max()
    print(f"\nlargest difference to the forces by vectors: {difference:.1e} N")

    print("\nlengths by screws, one step forward at a time: largest error over the way")
    for steps in (100, 200, 400, 800):
        times = np.linspace(0, 10, steps + 1)
        exact = mbs.kinematics(model, times)
        lengths = np.stack([exact[f"slide{k}.displacement"] for k in range(1, 7)], axis=1)
        error = np.abs(legs_by_screws(model, exact.twist("platform"), times[1]) - lengths).max()
        print(f"    dt = {times[1]:6.4f} s    {error:.2e} m")
    if out:
        out.mkdir(parents=True, exist_ok=True)
        draw_forces(result, by_vectors).savefig(out / "stewart_zhao_forces.png", dpi=110)
        print("written:", out / "stewart_zhao_forces.png")
