"""Explanations of failures, raised as errors; and of forces without a finite value."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from ..compiled import System
from ..compiled.python_kernel import Raised, told
from ..compiled.reading import read_outputs
from ..errors import MbsError, ModelError, RedundantConstraintError
from ..model.forces.base import EffortElement
from ..poses.closing import check_finite
from ..poses.dependence import PoseRank, agrees, elements_of
from ..results.result import Result, State

HUGE = 1e100
"""A larger force counts as unbounded."""
BEFORE_DEAD_POINT = (
    "shorten the times, drive another coordinate (mbs.follow shows the whole curve of poses), or change a length"
)
"""The advice if a driver prescribes more than a linkage reaches."""


@dataclass(frozen=True)
class Explanation:
    """An explanation: the fault and its code, its joints, its time and place, and the remedy."""

    kind: type[MbsError]
    code: str
    what: str
    advice: str
    time: float
    joints: tuple[str, ...] = ()
    pose: State | None = None  # None for the whole motion

    @property
    def message(self) -> str:
        return f"{self.what}; {self.advice}" if self.advice else self.what

    def error(self, result: Result) -> MbsError:
        """Return the error; `result` is the motion until then."""
        message = self.message
        facts = {} if self.pose is None else {"pose": self.pose}
        partial = replace(result, success=False, message=message)
        return self.kind(message, self.code, time=self.time, joints=self.joints, result=partial, **facts)


def contradiction(regular: State, pose: State, ahead: float, drifted: bool = False) -> Explanation | None:
    """Return an explanation of equations that depend on each other, at this pose and at the regular pose, and prescribe
    different motions at the time `ahead`; None if there are none."""
    system = pose.system
    general = PoseRank(system, regular.t, regular.full_q).circuits(range(len(system.rows)))
    here = PoseRank(system, pose.t, pose.full_q)
    for circuit in general:
        here.restrict(circuit.others)
        if not agrees(system, ahead, pose.full_q, here.circuit(circuit.dependent), drifted):
            names = elements_of(system, circuit.rows)
            what = f"from t = {pose.t:.6g} on, {', '.join(names)} of {system.model.name!r} contradict each other: no "
            advice = "take one of them away, or make their functions agree"
            what += "motion follows them all"
            code = "contradictory-constraints"
            return Explanation(RedundantConstraintError, code, what, advice, pose.t, names, pose)
    return None


def undefined_force(system: System, t: float, q: np.ndarray, v: np.ndarray) -> str | None:
    """Return the input, force (or body) or state whose value or rate is not a finite number at this state, or None; for
    a body the unbounded force that acts on it, if there is one."""
    structure, signals = system.structure, system.signals
    system.forget_errors()
    for builder, batch in (
        (structure.signals.inputs.batch, signals.inputs.batch),
        (structure.dynamics.batch, system.dynamics.batch),
        (structure.signals.rates.batch, signals.rates.batch),
    ):
        out = read_outputs(batch, np.array([t]), q[None], v[None])[0]
        places, huge = [(builder.instances[place.member].who, place) for place in builder.places()], ""
        for who, place in sorted(places, key=lambda pair: pair[0].startswith("body ")):
            sizes = np.abs(out[place.out : place.out + place.layout["outputs"]])
            huge = huge or (who if sizes.max(initial=0.0) > HUGE else "")
            if not np.isfinite(sizes).all():
                who = huge if who.startswith("body ") else who
                groups = (group for group in builder.groups if place.member in group.members)
                raised = getattr(next(groups).kernel, "raised", Raised())
                return who + (f" ({told(raised.error)})" if raised.error else "")
    return None


def no_force(system: System, t: float, q: np.ndarray, v: np.ndarray) -> str:
    """Return a sentence about accelerations without a value."""
    culprit = undefined_force(system, t, q, v) or "an equation"
    what = {"state": "rate", "input": "value", "Event": "value"}.get(culprit.split(" ")[0], "force")
    fault = f"{culprit} gives no finite {what} at t = {t:.6g}"
    force = next((force for force in system.model.forces if force.who == culprit), None)
    if not isinstance(force, EffortElement) or force.measure.kind != "distance":
        return f"{fault}; correct its law"
    if State(system, t, q, v, v)[f"{force.name}.distance"] != 0.0:
        return f"{fault}; correct its law"
    slides = "displacement" in force.coordinates
    along = f"let it act along the slide, {force.kind}({force.name!r}, joint, ...), or " if slides else ""
    return f"{fault}: its ends are at one point, where its direction is not defined; {along}move one of its ends"


def no_loads(system: System, t: float, q: np.ndarray, v: np.ndarray, motion: str) -> str:
    """Return a sentence about a prescribed motion whose loads have no value: the law of a force has no value there, or
    the joint locks, because with friction μ N in the joint no N > 0 balances the other forces."""
    if not system.model.frictions or undefined_force(system, t, q, v):
        return no_force(system, t, q, v)
    why = "it jams, for friction in a joint grows faster than what presses there"
    return f"no friction goes with the {motion}: {why}; lower its mu, or place the drive elsewhere"


def extrapolated(pose: State, dt: float) -> np.ndarray:
    """Return the q that a motion reaches after dt, in s, with constant velocities and constant rates of states."""
    system = pose.system
    q = system.moved(pose.full_q, dt * pose.v)
    for state in system.model.states:
        rate = 0.0 if state.is_held else float(pose[f"{state.name}.rate"])
        q[system.layout.signals[state.symbol]] += dt * rate if np.isfinite(rate) else 0.0
    return q


def undefined(pose: State, moments: Iterable[float], forces: bool, a: np.ndarray | float = 0.0) -> Explanation | None:
    """Return an explanation of the forces or inputs that have no value at one of these moments, if the motion goes on
    as now, with the accelerations a."""
    system = pose.system
    for moment in moments:
        q = extrapolated(pose, moment - pose.t) if forces else pose.full_q
        v = pose.full_v + (moment - pose.t) * a
        try:
            check_finite(system, system.machine(), moment, q)
        except ModelError as error:
            return Explanation(ModelError, error.code, str(error), "", pose.t, error.facts["joints"], pose)
        if forces and undefined_force(system, moment, q, v):
            what = f"{no_force(system, moment, q, v)}, or keep the motion where it is defined"
            return Explanation(ModelError, "law-without-value", what, "", pose.t, (), pose)
    return None
