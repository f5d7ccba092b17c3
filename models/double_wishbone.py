"""A double-wishbone suspension: the left front wheel, its travel driven. Camber and toe follow from the hard points.

x is forward, y to the left, z up. Each arm turns about a hinge on the chassis and carries a ball joint; the upright
hangs between both balls, L and U, and the tie rod from R to T holds it against steering. Three loops that are closed
one after the other, φ the angle of the lower arm:

    L       on its circle, at φ;
    U       on its circle, |U - L| as built: P cos ψ + Q sin ψ = K, so ψ = atan2(Q, P) ± acos(K/√(P² + Q²));
    T       as far from L, U and R as built: where three spheres meet.

L, U and T carry the upright, and with it the wheel: `pose` is this solution. The spring stands on the lower arm; the
effort of the driver is what the ground pushes the wheel with, and its slope the rate of the wheel.
"""

import numpy as np
import sympy as sp

import mbs_dae as mbs

TIMES = np.linspace(0, 1, 81)  # s: the wheel goes up, down, and back

POINTS = {  # m, at rest
    "lower front": (0.16, 0.32, 0.21),  # the hinge of the lower arm
    "lower rear": (-0.18, 0.32, 0.19),
    "L": (0.00, 0.70, 0.19),
    "upper front": (0.12, 0.40, 0.48),  # the hinge of the upper arm
    "upper rear": (-0.16, 0.40, 0.47),
    "U": (-0.02, 0.65, 0.52),
    "R": (-0.12, 0.34, 0.25),  # the tie rod, on the rack
    "T": (-0.13, 0.68, 0.265),
    "W": (0.00, 0.75, 0.31),  # the centre of the wheel
    "S": (0.00, 0.58, 0.20),  # the spring, on the lower arm
    "top": (0.00, 0.45, 0.65),
}
RADIUS = 0.31  # m: of the wheel


def turned(axis, angle, point, about):
    """A point turned about a line (Rodrigues)."""
    n, d = axis / np.linalg.norm(axis), point - about
    return about + d * np.cos(angle) + np.cross(n, d) * np.sin(angle) + n * (n @ d) * (1 - np.cos(angle))


def on_circle(axis, point, about, centre, distance):
    """The point turned about a line until it has this distance from a centre, by the smaller angle."""
    n, d, w = axis / np.linalg.norm(axis), point - about, centre - about
    fixed, across = n * (n @ d), d - n * (n @ d)
    P, Q = across @ w, np.cross(n, d) @ w
    K = (d @ d + w @ w - distance**2) / 2 - fixed @ w
    angles = np.arctan2(Q, P) + np.array([1, -1]) * np.arccos(K / np.hypot(P, Q))
    angle = min((angles + np.pi) % (2 * np.pi) - np.pi, key=abs)
    return turned(axis, angle, point, about)


def three_spheres(centres, radii, near):
    """The point with these distances from three centres, the one on the side of `near`."""
    a, b, c = centres
    x = (b - a) / np.linalg.norm(b - a)
    z = np.cross(x, c - a) / np.linalg.norm(np.cross(x, c - a))
    y, d, i = np.cross(z, x), np.linalg.norm(b - a), x @ (c - a)
    j = y @ (c - a)
    px = (radii[0] ** 2 - radii[1] ** 2 + d**2) / (2 * d)
    py = (radii[0] ** 2 - radii[2] ** 2 + i**2 + j**2) / (2 * j) - i / j * px
    pz = np.sqrt(radii[0] ** 2 - px**2 - py**2)
    return a + px * x + py * y + np.sign(z @ (near - a)) * pz * z


def pose(phi):
    """The centre of the wheel, its axis (outward), L and U with the lower arm turned by φ."""
    at = {name: np.array(point) for name, point in POINTS.items()}
    L = turned(at["lower front"] - at["lower rear"], phi, at["L"], at["lower rear"])
    hinge = at["upper front"] - at["upper rear"]
    U = on_circle(hinge, at["U"], at["upper rear"], L, np.linalg.norm(at["U"] - at["L"]))
    spans = [np.linalg.norm(at["T"] - at[name]) for name in "LUR"]
    T = three_spheres((L, U, at["R"]), spans, at["T"])
    A = frame(L, U, T) @ frame(at["L"], at["U"], at["T"]).T
    return L + A @ (at["W"] - at["L"]), A[:, 1], L, U


def frame(a, b, c):
    """The axes of a triangle."""
    x = (b - a) / np.linalg.norm(b - a)
    z = np.cross(x, c - a) / np.linalg.norm(np.cross(x, c - a))
    return np.stack([x, np.cross(z, x), z], axis=1)


def build(
    stroke=0.07,  # m: of the wheel, up and down
    rack=0.0,  # m: the rack, to the left
    k=60e3,  # N/m: the spring
    free=0.55,  # m: its free length
) -> mbs.SpatialModel:
    model = mbs.SpatialModel("double wishbone")
    stroke, rack, free = (
        model.parameter(n, x, unit="m") for n, x in {"stroke": stroke, "rack": rack, "free": free}.items()
    )
    k = model.parameter("k", k, unit="N/m")
    ground, at = model.ground, {name: np.array(point) for name, point in POINTS.items()}

    upright = model.body("upright", position=at["W"])
    hub = upright.marker("hub", 0, 0, 0, axis=(0, 1, 0))
    for name, ball in (("lower", "L"), ("upper", "U")):
        front, rear = at[f"{name} front"], at[f"{name} rear"]
        arm = model.body(f"{name}_arm", position=rear)
        arm.marker("front", *(front - rear))
        model.add(mbs.Revolute(name, ground, arm, at=rear, axis=front - rear))
        model.add(mbs.Spherical(ball, arm, upright, at=at[ball]))
    wheel = model.body("wheel", position=at["W"])
    for n, angle in enumerate(np.arange(24) * np.pi / 12):
        wheel.marker(f"rim{n}", RADIUS * np.cos(angle), 0, RADIUS * np.sin(angle))
    axle = mbs.Revolute("axle", hub, wheel.at(0, 0, 0, axis=(0, 1, 0)))
    R, lower = at["R"], model.bodies["lower_arm"]
    model.add(
        mbs.Distance(
            "tie_rod",
            ground.at(R[0], R[1] + rack, R[2]),
            upright.at(*(at["T"] - at["W"])),
            length=np.linalg.norm(at["T"] - R),
        ),
        mbs.Spring("spring", ground.at(*at["top"]), lower.at(*(at["S"] - at["lower rear"])), stiffness=k, length=free),
        axle,
        mbs.Driver("roll", mbs.angle(axle), 0),
        mbs.Driver("travel", mbs.z(hub), at["W"][2] + stroke * sp.sin(2 * sp.pi * mbs.t)),
    )
    return model


if __name__ == "__main__":
    from _show import show_efforts

    result = show_efforts(build(), TIMES, "upright.z", "lower.angle", efforts=("travel",), paths=("upright.hub",))
    print(f"\n{'travel [mm]':>12}{'camber [°]':>12}{'toe [°]':>12}")
    for k in np.argsort(result["upright.z"])[:: len(result) // 8]:
        angles = np.degrees([result.camber("axle")[k], result.toe("axle")[k]])
        print(f"{1e3 * (result['upright.z'][k] - POINTS['W'][2]):12.1f}{angles[0]:12.3f}{angles[1]:12.3f}")
