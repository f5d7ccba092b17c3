"""The kernels of the steps of a tree: where a frame is, how it moves, its bias acceleration, and what a unit of each of
its velocities does to its body. The formulas are those of `tree` and `recursion`; each kind of step has its kernel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ...kernels.lines import Lines, kernel_of
from ...kernels.passes import Pass, laid_out
from .tree_steps import Step
from .vectors import ZERO, after, cross, dot, minus, plus, times

TURN, SLIDE, HELIX, BALL, BALL_AGAINST, WELD = "turn", "slide", "helix", "ball", "ball against", "weld"

PLACES = ("before", "own", "q_at", "v_at", "body_q", "body_v", "edge", "parent")
"""Frames; the first coordinate and velocity; the body's in Cartesian coordinates, its edge, and its parent's frame."""
TABLES = (
    *("o", "u", "C", "uC", "d", "S", "phase", "angle", "side", "q", "v"),
    *("A", "e", "phi", "r", "eta", "dr", "deta", "omega", "turning", "sliding", "ddr", "alpha", "turn", "slide"),
    *("qc", "vc", "bias", "twist", "arm"),
)
"""Those of `Tree`, and the coordinates and velocities of joints and of bodies."""
SCREW_TABLES = ("r", "eta", "turn", "slide", "twist")
FLAT = (0, 1, 5)
"""In the plane a velocity of a body is along x or y, or about z."""


class Kind(NamedTuple):
    """What the kernel of a step depends on."""

    dimension: int
    motion: str
    leads_to_body: bool


def kind_of(step: Step, dimension: int, leads_to_body: bool) -> Kind:
    if step.ball:
        return Kind(dimension, BALL if step.sense > 0 else BALL_AGAINST, leads_to_body)
    if step.v_end == step.v_at:
        return Kind(dimension, WELD, leads_to_body)
    return Kind(dimension, HELIX if step.T and step.S else TURN if step.T else SLIDE, leads_to_body)


def passes_of(
    chain: Sequence[Step], edge_at: Sequence[int], dimension: int, places: Sequence[Sequence[int]]
) -> tuple[Pass, Pass]:
    """All steps, parents first; and the velocities of steps before the last of an edge, whose twists are seen when the
    body is there. `places` says of each frame where its body's coordinates and velocities begin."""
    level, members, early = [0] * len(chain), [], []
    for edge, (first, end) in enumerate(zip(edge_at, edge_at[1:], strict=False)):
        parent = chain[first].before
        for k in range(first, end):
            step = chain[k]
            level[k] = level[step.before] + 1
            row = (step.before, k, step.q_at, step.v_at, *places[k], edge, parent)
            members.append((level[k], kind_of(step, dimension, k == end - 1), row))
            if k < end - 1:
                early += [(0, dimension, (k, end - 1, c)) for c in range(step.v_at, step.v_end)]
    return laid_out(members, _step_kernel), laid_out(early, _screw_kernel)


def _step_kernel(kind: Kind) -> int:
    return kernel_of(f"step of a tree {tuple(kind)}", PLACES, TABLES, lambda lines: _StepWriter(lines, kind).write())


def _screw_kernel(dimension: int) -> int:
    return kernel_of(f"twist of a tree {dimension}", ("step", "last", "velocity"), SCREW_TABLES, _write_screw)


def _write_screw(lines: Lines) -> None:
    """A unit of a velocity, seen from the body of its edge."""
    turn, slide = (lines.several(3, name, "velocity", times=3) for name in ("turn", "slide"))
    arm = minus(lines.several(3, "r", "last", times=3), lines.several(3, "eta", "step", times=3))
    lines.write_all((*plus(slide, cross(turn, arm)), *turn), "twist", "velocity", times=6)


def turned(A: Sequence[Any], a: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(dot(A[3 * i : 3 * i + 3], a) for i in range(3))


def turned_back(A: Sequence[Any], a: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(dot(A[i::3], a) for i in range(3))


def about_z(c: Any, s: Any) -> tuple[Any, ...]:
    return c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0


def rotation_of(e: Sequence[Any]) -> tuple[Any, ...]:
    """The matrix of a unit quaternion, by rows."""
    w, x, y, z = e
    xx, yy, zz = 2.0 * (x * x), 2.0 * (y * y), 2.0 * (z * z)
    xy, xz, yz, wx, wy, wz = 2.0 * (x * y), 2.0 * (x * z), 2.0 * (y * z), 2.0 * (w * x), 2.0 * (w * y), 2.0 * (w * z)
    return 1.0 - (yy + zz), xy - wz, xz + wy, xy + wz, 1.0 - (xx + zz), yz - wx, xz - wy, yz + wx, 1.0 - (xx + yy)


class _StepWriter:
    def __init__(self, lines: Lines, kind: Kind):
        self.lines, self.kind, self.flat = lines, kind, kind.dimension == 2
        self.turns = kind.motion in (TURN, HELIX)

    def vector(self, table: str, place: str, lies_in_plane: bool = True) -> tuple[Any, ...]:
        """Three numbers; in the plane vectors have no z, and what turns has nothing else."""
        if not self.flat:
            return self.lines.several(3, table, place, times=3)
        one = [self.lines.read(table, place, k, times=3) for k in range(3)]
        return (one[0], one[1], 0.0) if lies_in_plane else (0.0, 0.0, one[2])

    def matrix(self, place: str) -> tuple[Any, ...]:
        if self.flat:
            return about_z(self.lines.read("A", place, 0, 9), self.lines.read("A", place, 3, 9))
        return self.lines.several(9, "A", place, times=9)

    def quaternion(self, table: str, place: str) -> tuple[Any, ...]:
        return self.lines.several(4, table, place, times=4)

    def write(self) -> None:
        lines, motion = self.lines, self.kind.motion
        before = self.matrix("before")
        moves = motion in (TURN, SLIDE, HELIX)
        axis = turned(before, self.vector("u", "own", lies_in_plane=motion == SLIDE)) if moves else ZERO
        x = lines.read("q", "q_at") if moves else 0.0
        arm = turned(before, self.vector("o", "own"))
        if motion in (SLIDE, HELIX):
            way = lines.read("phase", "own") + lines.read("S", "own") * x
            arm = plus(arm, times(way, axis))
        A = self.attitude(x)
        eta = plus(self.vector("r", "before"), arm)
        rho = turned(A, self.vector("d", "own"))
        r = plus(eta, rho)
        for name, value in (("A", A), ("eta", eta), ("r", r)):
            lines.write_all(value, name, "own", times=len(value))
        turn, slide = self.velocities(before, A, axis)
        self.motion(A, arm, rho, turn, slide)
        if self.kind.leads_to_body:
            self.body(A, r, rho, turn, slide)

    def attitude(self, x: Any) -> tuple[Any, ...]:
        lines, motion = self.lines, self.kind.motion
        if self.flat:
            phi = lines.read("phi", "before") + lines.read("angle", "own")
            phi = phi + lines.read("side", "own") * x if self.turns else phi
            lines.write(phi, "phi", "own")
            self.pose = (phi,)
            return about_z(lines.call("cos", phi), lines.call("sin", phi))
        e, C = self.quaternion("e", "before"), self.quaternion("C", "own")
        if motion in (BALL, BALL_AGAINST):
            w, *n = lines.several(4, "q", "q_at")
            e = _unit(lines, after(after(e, (w, *n) if motion == BALL else (w, *(-k for k in n))), C))
        else:
            if self.turns:
                half, uC = 0.5 * x, self.quaternion("uC", "own")
                c, s = lines.call("cos", half), lines.call("sin", half)
                C = tuple(c * k + s * l for k, l in zip(C, uC, strict=True))
            e = _nearly_unit(after(e, C))
        self.pose = e
        lines.write_all(e, "e", "own", times=4)
        return rotation_of(e)

    def velocities(self, before: Any, A: Any, axis: Any) -> tuple[list[Any], list[Any]]:
        """t and s of each velocity."""
        motion, lines = self.kind.motion, self.lines
        if motion == WELD:
            return [], []
        if motion in (BALL, BALL_AGAINST):
            sign, carrier = (1.0, A) if motion == BALL else (-1.0, before)
            turn, slide = [times(sign, carrier[j::3]) for j in range(3)], [ZERO] * 3
        else:
            turn = [axis if self.turns else ZERO]
            slide = [ZERO if motion == TURN else times(lines.read("S", "own"), axis)]
        for name, vectors in (("turn", turn), ("slide", slide)):
            lines.write_all([k for vector in vectors for k in vector], name, "v_at", times=3)
        return turn, slide

    def motion(self, A: Any, arm: Any, rho: Any, turn: list[Any], slide: list[Any]) -> None:
        """Velocities, and accelerations where those of joints are 0."""
        lines, flat = self.lines, self.flat
        v = [lines.read("v", "v_at", k) for k in range(len(turn))]
        turning, sliding = _combined(v, turn), _combined(v, slide)
        omega_b, alpha_b = self.vector("omega", "before", False), self.vector("alpha", "before", False)
        carried = cross(omega_b, arm)
        rate = plus(carried, sliding)
        deta, omega = plus(self.vector("dr", "before"), rate), plus(omega_b, turning)
        swung = cross(omega, rho)
        dr = plus(deta, swung)
        hinge = plus(plus(self.vector("ddr", "before"), cross(alpha_b, arm)), cross(omega_b, plus(rate, sliding)))
        alpha = alpha_b if flat else plus(alpha_b, cross(omega_b, turning))
        ddr = plus(hinge, plus(cross(alpha, rho), cross(omega, swung)))
        self.moves = dr, omega, ddr, alpha
        found = {"dr": dr, "deta": deta, "omega": omega, "turning": turning, "sliding": sliding, "ddr": ddr}
        for name, value in (*found.items(), ("alpha", alpha)):
            lines.write_all(value, name, "own", times=3)

    def body(self, A: Any, r: Any, rho: Any, turn: list[Any], slide: list[Any]) -> None:
        """What the last step of an edge says of the body."""
        lines, (dr, omega, ddr, alpha) = self.lines, self.moves
        lines.write_all((*(r[:2] if self.flat else r), *self.pose), "qc", "body_q")
        for name, linear, angular in (("vc", dr, omega), ("bias", ddr, alpha)):
            both = (*linear[:2], angular[2]) if self.flat else (*linear, *turned_back(A, angular))
            lines.write_all(both, name, "body_v")
        lines.write_all(minus(r, self.vector("r", "parent")), "arm", "edge", times=3)
        twists = [(*plus(s, cross(t, rho)), *t) for t, s in zip(turn, slide, strict=True)]
        lines.write_all([k for twist in twists for k in twist], "twist", "v_at", times=6)


def _combined(v: Sequence[Any], vectors: Sequence[Any]) -> Any:
    total = ZERO
    for speed, vector in zip(v, vectors, strict=True):
        total = plus(total, times(speed, vector))
    return total


def _unit(lines: Lines, e: Sequence[Any]) -> tuple[Any, ...]:
    scale = 1.0 / lines.call("sqrt", dot4(e))
    return tuple(scale * k for k in e)


def _nearly_unit(e: Sequence[Any]) -> tuple[Any, ...]:
    """Of length 1 again, where roundoff is all that is missing: 1/√(1 + ε) = 1 - ε/2 + O(ε²)."""
    scale = 1.5 - 0.5 * dot4(e)
    return tuple(scale * k for k in e)


def dot4(e: Sequence[Any]) -> Any:
    w, x, y, z = e
    return w * w + x * x + y * y + z * z
