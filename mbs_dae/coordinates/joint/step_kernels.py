"""The kernels of a tree: the pose of a frame, its velocity, its bias acceleration, and the twist of its body for a unit
of each of its velocities. The formulas are those of `tree` and `recursion`.

There are two kinds of passes. `frame_passes` go from step to step and write all of every frame. `edge_pass` goes from
body to body, in one kernel for all steps of an edge, and writes only what the equations of motion need: frames between
two bodies are not written, constant zeros and unit matrices are left out of the arithmetic, and the ground, which
stands still, is not read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ...kernels.lines import Lines, kernel_of
from ...kernels.passes import Pass, laid_out
from .tree_steps import Step
from .vectors import ZERO, after, cross, dot, minus, plus, times

TURN, SLIDE, HELIX, BALL, BALL_AGAINST, WELD = "turn", "slide", "helix", "ball", "ball against", "weld"

PLACES = ("before", "own", "q_at", "v_at", "body_q", "body_v", "edge", "parent")
"""Frames; the first coordinate and velocity; the body's in Cartesian coordinates, its edge, and its parent's frame."""
TABLES = (
    *("o", "u", "C", "uC", "d", "S", "phase", "angle", "side", "half", "q", "v"),
    *("A", "e", "phi", "r", "eta", "dr", "deta", "omega", "turning", "sliding", "ddr", "alpha", "turn", "slide"),
    *("qc", "vc", "bias", "twist", "arm"),
)
"""The tables of `Tree`, and the coordinates and velocities of joints and of bodies."""
SCREW_TABLES = ("r", "eta", "turn", "slide", "twist")
EDGE_PLACES = ("before", "body_q", "body_v", "edge")
"""The places of an edge; the frame, first coordinate and first velocity of each of its steps follow."""
EDGE_TABLES = tuple(name for name in TABLES if name not in ("eta", "deta", "turning", "sliding", "turn", "slide"))
FLAT = (0, 1, 5)
"""The components of a body's velocity in the plane among six: along x and y, about z."""


class StepKind(NamedTuple):
    """The properties on which the kernel of a step depends."""

    dimension: int
    motion: str
    leads_to_body: bool


class EdgeKind(NamedTuple):
    """The properties on which the kernel of an edge depends."""

    dimension: int
    motions: tuple[str, ...]
    on_ground: bool
    carries: bool
    """Whether other edges begin at the body."""


def motion_of(step: Step) -> str:
    if step.ball:
        return BALL if step.sense > 0 else BALL_AGAINST
    if step.v_end == step.v_at:
        return WELD
    return HELIX if step.T and step.S else TURN if step.T else SLIDE


def frame_passes(
    chain: Sequence[Step], edge_at: Sequence[int], dimension: int, places: Sequence[Sequence[int]]
) -> tuple[Pass, Pass]:
    """Return the pass over all steps, parents first; and the pass over the velocities of steps before the last of an
    edge, whose twists need the pose of the body. `places` has, for each frame, the first coordinate and velocity of its
    body."""
    level, members, early = [0] * len(chain), [], []
    for edge, (first, end) in enumerate(zip(edge_at, edge_at[1:], strict=False)):
        parent = chain[first].before
        for k in range(first, end):
            step = chain[k]
            level[k] = level[step.before] + 1
            row = (step.before, k, step.q_at, step.v_at, *places[k], edge, parent)
            members.append((level[k], StepKind(dimension, motion_of(step), k == end - 1), row))
            if k < end - 1:
                early += [(0, dimension, (k, end - 1, c)) for c in range(step.v_at, step.v_end)]
    return laid_out(members, _step_kernel), laid_out(early, _screw_kernel)


def edge_pass(chain: Sequence[Step], edge_at: Sequence[int], dimension: int, places: Sequence[Sequence[int]]) -> Pass:
    """Return the pass over all edges, parents first."""
    begins = {chain[first].before for first in edge_at[:-1]}

    def members() -> Iterator[tuple[int, EdgeKind, tuple[int, ...]]]:
        level = {0: 0}
        for edge, (first, end) in enumerate(zip(edge_at, edge_at[1:], strict=False)):
            before, last, steps = chain[first].before, end - 1, chain[first:end]
            level[last] = level[before] + 1
            kind = EdgeKind(dimension, tuple(map(motion_of, steps)), before == 0, last in begins)
            own = [place for k, step in enumerate(steps, first) for place in (k, step.q_at, step.v_at)]
            yield level[last], kind, (before, *places[last], edge, *own)

    return laid_out(members(), _edge_kernel)


def half_pass(chain: Sequence[Step], dimension: int) -> Pass:
    """Return the pass over cosines and sines of half the angles, in space: it runs first, since the steps do not depend
    on each other here."""
    turning = [k for k, step in enumerate(chain) if dimension == 3 and motion_of(step) in (TURN, HELIX)]
    return laid_out([(0, "", (k, chain[k].q_at)) for k in turning], _half_kernel)


def _half_kernel(kind: str) -> int:
    return kernel_of("half angles of a tree", ("own", "q_at"), ("q", "half"), _write_half)


def _write_half(lines: Lines) -> None:
    half = 0.5 * lines.read("q", "q_at")
    for k, name in enumerate(("cos", "sin")):
        lines.write(lines.call(name, half), "half", "own", k, 2)


def _step_kernel(kind: StepKind) -> int:
    return kernel_of(f"step of a tree {tuple(kind)}", PLACES, TABLES, lambda lines: _write_step(lines, kind))


def _edge_kernel(kind: EdgeKind) -> int:
    own = [f"{name}{n}" for n in range(len(kind.motions)) for name in ("own", "q_at", "v_at")]
    meaning = f"edge of a tree {tuple(kind)}"
    return kernel_of(meaning, (*EDGE_PLACES, *own), EDGE_TABLES, lambda lines: _write_edge(lines, kind))


def _screw_kernel(dimension: int) -> int:
    return kernel_of(f"twist of a tree {dimension}", ("step", "last", "velocity"), SCREW_TABLES, _write_screw)


def _write_screw(lines: Lines) -> None:
    """Write the twist of the body of an edge for a unit of a velocity."""
    turn, slide = (lines.several(3, name, "velocity", times=3) for name in ("turn", "slide"))
    arm = minus(lines.several(3, "r", "last", times=3), lines.several(3, "eta", "step", times=3))
    lines.write_all((*plus(slide, cross(turn, arm)), *turn), "twist", "velocity", times=6)


def _write_step(lines: Lines, kind: StepKind) -> None:
    """Write all of the frame behind a step."""
    space = _Space(lines, kind.dimension == 2)
    before = space.frame("before")
    made = space.stepped(before, kind.motion, space.constants("own"), "q_at", "v_at")
    frame = made.frame
    space.write_frame(frame, "own")
    hinge = {"eta": made.eta, "deta": made.deta, "turning": made.turning, "sliding": made.sliding}
    for name, value in hinge.items():
        lines.write_all(value, name, "own", times=3)
    for name, vectors in (("turn", made.turn), ("slide", made.slide)):
        lines.write_all([k for vector in vectors for k in vector], name, "v_at", times=3)
    if kind.leads_to_body:
        space.write_body(frame, space.vector("r", "parent"))
        space.write_twists(made, made.rho, "v_at")


def _write_edge(lines: Lines, kind: EdgeKind) -> None:
    """Write what the equations of motion need of a body."""
    space, last = _Space(lines, kind.dimension == 2), len(kind.motions) - 1
    before = frame = space.ground() if kind.on_ground else space.frame("before")
    made = list[Stepped]()
    for n, motion in enumerate(kind.motions):
        constants = space.constants(f"own{n}", is_first=n == 0, is_last=n == last)
        made.append(space.stepped(frame, motion, constants, f"q_at{n}", f"v_at{n}"))
        frame = made[-1].frame
    if kind.carries:
        space.write_frame(frame, f"own{last}")
    else:
        lines.write_all(frame.A, "A", f"own{last}", times=9)
    space.write_body(frame, before.r)
    for n, one in enumerate(made):
        space.write_twists(one, one.rho if n == last else minus(frame.r, one.eta), f"v_at{n}")


def turned(A: Sequence[Any], a: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(dot(A[3 * i : 3 * i + 3], a) for i in range(3))


def turned_back(A: Sequence[Any], a: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(dot(A[i::3], a) for i in range(3))


def about_z(c: Any, s: Any) -> tuple[Any, ...]:
    return c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0


def rotation_of(e: Sequence[Any]) -> tuple[Any, ...]:
    """Return the matrix of a unit quaternion, by rows."""
    w, x, y, z = e
    xx, yy, zz = 2.0 * (x * x), 2.0 * (y * y), 2.0 * (z * z)
    xy, xz, yz, wx, wy, wz = 2.0 * (x * y), 2.0 * (x * z), 2.0 * (y * z), 2.0 * (w * x), 2.0 * (w * y), 2.0 * (w * z)
    return 1.0 - (yy + zz), xy - wz, xz + wy, xy + wz, 1.0 - (xx + zz), yz - wx, xz - wy, yz + wx, 1.0 - (xx + yy)


class FrameMotion(NamedTuple):
    """The pose, velocity and bias acceleration of a frame."""

    A: Any
    pose: Any
    """Its rotation as a quaternion, or as an angle in the plane."""
    r: Any
    dr: Any
    omega: Any
    ddr: Any
    """The acceleration of its point if the accelerations of joints are 0."""
    alpha: Any
    """Its angular acceleration in the same case."""


class StepConstants(NamedTuple):
    """The constants of a step (see `tree`)."""

    o: Any
    C: Any
    uC: Any
    d: Any
    own: str


class Stepped(NamedTuple):
    """The frame behind a step, its hinge, and the turn and shift for a unit of each velocity."""

    frame: FrameMotion
    eta: Any
    rho: Any
    deta: Any
    turning: Any
    sliding: Any
    turn: list[Any]
    slide: list[Any]


class _Space:
    """The formulas of one step, in the plane or in space."""

    def __init__(self, lines: Lines, flat: bool):
        self.lines, self.flat = lines, flat

    def vector(self, table: str, place: str, lies_in_plane: bool = True) -> tuple[Any, ...]:
        """Return three numbers; in the plane a vector has z = 0, and an axis of rotation has only z."""
        if not self.flat:
            return self.lines.several(3, table, place, times=3)
        one = [self.lines.read(table, place, k, times=3) for k in range(3)]
        return (one[0], one[1], 0.0) if lies_in_plane else (0.0, 0.0, one[2])

    def quaternion(self, table: str, place: str) -> tuple[Any, ...]:
        return self.lines.several(4, table, place, times=4)

    def ground(self) -> FrameMotion:
        """Return the frame of the ground, which stands still."""
        pose = (0.0,) if self.flat else (1.0, 0.0, 0.0, 0.0)
        return FrameMotion((1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), pose, *[ZERO] * 5)

    def frame(self, place: str) -> FrameMotion:
        lines = self.lines
        if self.flat:
            A, pose = about_z(lines.read("A", place, 0, 9), lines.read("A", place, 3, 9)), (lines.read("phi", place),)
        else:
            A, pose = lines.several(9, "A", place, times=9), self.quaternion("e", place)
        r, dr, ddr = (self.vector(name, place) for name in ("r", "dr", "ddr"))
        omega, alpha = (self.vector(name, place, False) for name in ("omega", "alpha"))
        return FrameMotion(A, pose, r, dr, omega, ddr, alpha)

    def constants(self, own: str, is_first: bool = True, is_last: bool = True) -> StepConstants:
        """Return the constants of a step; between two steps of an edge frames coincide."""
        o, d = self.vector("o", own) if is_first else ZERO, self.vector("d", own) if is_last else ZERO
        if self.flat:
            return StepConstants(o, None, None, d, own)
        if is_first or is_last:
            return StepConstants(o, self.quaternion("C", own), self.quaternion("uC", own), d, own)
        return StepConstants(o, (1.0, 0.0, 0.0, 0.0), (0.0, *self.vector("u", own)), d, own)

    def stepped(self, before: FrameMotion, motion: str, constants: StepConstants, q_at: str, v_at: str) -> Stepped:
        lines, own = self.lines, constants.own
        moves = motion in (TURN, SLIDE, HELIX)
        axis = turned(before.A, self.vector("u", own, lies_in_plane=motion == SLIDE)) if moves else ZERO
        x = lines.read("q", q_at) if moves else 0.0
        arm = turned(before.A, constants.o)
        if motion in (SLIDE, HELIX):
            way = lines.read("phase", own) + lines.read("S", own) * x
            arm = plus(arm, times(way, axis))
        A, pose = self.attitude(before, motion, constants, x, q_at)
        rho = turned(A, constants.d)
        eta = plus(before.r, arm)
        turn, slide = self.velocities(motion, before.A, A, axis, own)
        v = [lines.read("v", v_at, k) for k in range(len(turn))]
        turning, sliding = _combined(v, turn), _combined(v, slide)
        rate = plus(cross(before.omega, arm), sliding)
        deta, omega = plus(before.dr, rate), plus(before.omega, turning)
        swung = cross(omega, rho)
        hinge = plus(plus(before.ddr, cross(before.alpha, arm)), cross(before.omega, plus(rate, sliding)))
        alpha = before.alpha if self.flat else plus(before.alpha, cross(before.omega, turning))
        ddr = plus(hinge, plus(cross(alpha, rho), cross(omega, swung)))
        frame = FrameMotion(A, pose, plus(eta, rho), plus(deta, swung), omega, ddr, alpha)
        return Stepped(frame, eta, rho, deta, turning, sliding, turn, slide)

    def attitude(
        self, before: FrameMotion, motion: str, constants: StepConstants, x: Any, q_at: str
    ) -> tuple[Any, Any]:
        """Return the rotation as a matrix, and as a quaternion or an angle."""
        lines, own, turns = self.lines, constants.own, motion in (TURN, HELIX)
        if self.flat:
            phi = before.pose[0] + lines.read("angle", own)
            phi = phi + lines.read("side", own) * x if turns else phi
            return about_z(lines.call("cos", phi), lines.call("sin", phi)), (phi,)
        C = constants.C
        if motion in (BALL, BALL_AGAINST):
            w, *n = lines.several(4, "q", q_at)
            turn = (w, *n) if motion == BALL else (w, *(-k for k in n))
            e = after(after(before.pose, turn), C)
            scale = 1.0 / lines.call("sqrt", dot4(e))
            e = tuple(scale * k for k in e)
            return rotation_of(e), e
        if turns:
            c, s = lines.several(2, "half", own, times=2)
            C = tuple(c * k + s * l for k, l in zip(C, constants.uC, strict=True))
        e = after(before.pose, C)
        scale = 1.5 - 0.5 * dot4(e)  # only roundoff is missing to unit length: 1/√(1 + ε) = 1 - ε/2 + O(ε²)
        e = tuple(scale * k for k in e)
        return rotation_of(e), e

    def velocities(self, motion: str, before: Any, A: Any, axis: Any, own: str) -> tuple[list[Any], list[Any]]:
        """Return t and s of each velocity."""
        if motion == WELD:
            return [], []
        if motion in (BALL, BALL_AGAINST):
            sign, carrier = (1.0, A) if motion == BALL else (-1.0, before)
            return [times(sign, carrier[j::3]) for j in range(3)], [ZERO] * 3
        turns = motion in (TURN, HELIX)
        slide = ZERO if motion == TURN else times(self.lines.read("S", own), axis)
        return [axis if turns else ZERO], [slide]

    def write_frame(self, frame: FrameMotion, place: str) -> None:
        lines = self.lines
        rotation = {"phi": frame.pose} if self.flat else {"e": frame.pose}
        for name, value in {"A": frame.A, **rotation}.items():
            lines.write_all(value, name, place, times=len(value))
        for name in ("r", "dr", "omega", "ddr", "alpha"):
            lines.write_all(getattr(frame, name), name, place, times=3)

    def write_body(self, frame: FrameMotion, parent: Any) -> None:
        """Write coordinates, velocities and bias accelerations of the body, and its position relative to its parent."""
        lines = self.lines
        lines.write_all((*(frame.r[:2] if self.flat else frame.r), *frame.pose), "qc", "body_q")
        for name, linear, angular in (("vc", frame.dr, frame.omega), ("bias", frame.ddr, frame.alpha)):
            both = (*linear[:2], angular[2]) if self.flat else (*linear, *turned_back(frame.A, angular))
            lines.write_all(both, name, "body_v")
        lines.write_all(minus(frame.r, parent), "arm", "edge", times=3)

    def write_twists(self, step: Stepped, arm: Any, v_at: str) -> None:
        """Write the twist of the body of an edge for a unit of each velocity of a step; `arm` leads from the hinge to
        the body's point."""
        twists = [(*plus(s, cross(t, arm)), *t) for t, s in zip(step.turn, step.slide, strict=True)]
        lines = self.lines
        lines.write_all([k for twist in twists for k in twist], "twist", v_at, times=6)


def _combined(v: Sequence[Any], vectors: Sequence[Any]) -> Any:
    total = ZERO
    for speed, vector in zip(v, vectors, strict=True):
        total = plus(total, times(speed, vector))
    return total


def dot4(e: Sequence[Any]) -> Any:
    w, x, y, z = e
    return w * w + x * x + y * y + z * z
