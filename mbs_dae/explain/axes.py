"""Check that an angle has an axis: for the mechanism before it moves, and for the motion.

In space the angle of two markers is about their common z axis. If a mechanism lets these axes separate, a spring or a
driver on the angle would jump. Whether they do is a question of rank: do the rows

    Φ = (y_i · z_j, -x_i · z_j),

which keep the axes parallel, depend on the rows that the mechanism has already? If they do, the mechanism keeps the
axes parallel (or drives them apart, which a rate shows). Axes that separate later are found along the motion. There
whole turns come from the accumulated rotation (`symbolic.markers.marker`), and the angle itself from the axes. The two
differ if markers have no common axis, or if steps are so coarse that the attitude lags behind by a large part of a
turn. At a difference of half a turn the count would jump; a large part of that is refused.
"""

from typing import Any

import numpy as np

from ..compiled import System
from ..compiled.batch import BatchBuilder, instance_of
from ..compiled.reading import read_outputs
from ..compiled.structure import Structure
from ..errors import IntegrationError, ModelError
from ..model.bodies.body import Marker
from ..poses.dependence import PoseRank
from ..readings.motion import computed, marker_frame
from ..results.result import Result, State
from ..symbolic.derive import Form, Reading, Relation
from ..symbolic.functions import Unwound
from ..symbolic.markers import marker_symbols
from ..symbolic.markers.primitives import parallel
from ..tolerances import AXIS_ANGLE, ROW_DEPENDENCE
from .explanation import Explanation

Pair = tuple[Marker, ...]  # two markers

FAR = 2.0  # greatest difference of angle and accumulated rotation, in rad
LOOKS = 500  # greatest number of recorded times that are checked


def check_axes(system: System, first: State) -> None:
    """Refuse elements on the angle of two markers without a common axis, by name. The first pose must be regular: the
    rank at a singular pose does not hold for others."""

    def no_axis(name: str, i: Marker, j: Marker, fault: str) -> ModelError:
        axes = f"the z axes of {i.label} and {j.label} {fault}"
        what = f"{system.model.elements[name].who} of {system.model.name!r} needs an angle about one axis, but {axes}"
        markers = "markers on the axis about which they turn, body.at(x, y, z, axis=...)"
        return ModelError(
            f"{what}; take the angle of a joint, mbs.angle(joint), or {markers}",
            code="axes-not-parallel", model=system.model.name, fault=fault, joints=(name,),
        )  # fmt: skip

    here: PoseRank | None = None
    for (i, j), name in doubtful_angles(system).items():
        cosine = float(marker_frame(system, first.full_q, i)[1][:, 2] @ marker_frame(system, first.full_q, j)[1][:, 2])
        if cosine < 0.0 or 1.0 - cosine**2 > AXIS_ANGLE**2:
            apart = np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0)))
            raise no_axis(name, i, j, f"stand at {apart:.3g}° to each other")
        if here is None:
            here = PoseRank(system, first.t, first.full_q)
            here.dependent(range(len(system.rows)))  # keep the factors of the other rows
        if _axes_separate(system, here, first, (i, j)):
            raise no_axis(name, i, j, "do not stay parallel")


def doubtful_angles(system: System) -> dict[Pair, str]:
    """Return the pairs of markers whose angle an element uses though no joint keeps their axes parallel, with its
    name."""
    if system.model.dimension == 2:
        return {}
    parallel_pairs = {frozenset(e.markers[:2]) for e in system.model.conditions if e.facing in ("axis", "frame")}
    doubtful: dict[Pair, str] = {}
    angles: dict[int, list[tuple[int, int]]] = {}  # by form, which elements of a class share
    for element in system.elements:
        form, _ = element.form()
        if id(form) not in angles:
            angles[id(form)] = _angles_in(form)
        pairs = [(element.markers[k], element.markers[m]) for k, m in angles[id(form)]]
        pairs += [m.markers for m in element.measures().values() if m.kind == "angle" and len(m.markers) == 2]
        for pair in pairs:
            if frozenset(pair) not in parallel_pairs:
                doubtful.setdefault(pair, element.name)
    return doubtful


def _angles_in(form: Form) -> list[tuple[int, int]]:
    """Return the numbers of markers whose relative angles a form contains."""
    pairs = []
    for angle in {a for e in form.expressions for a in e.atoms(Unwound)}:
        turns = angle.args[1].free_symbols
        pair = [k for k, marker in enumerate(form.markers) if marker.turn in turns]
        if len(pair) == 2:
            pairs.append((pair[0], pair[1]))
    return pairs


def _axes_separate(system: System, here: PoseRank, first: State, pair: Pair) -> bool:
    """Return whether the axes of this pair may separate, or do so at once because of a driver."""
    symbols = marker_symbols(2, 3)
    reader = system.reader_of(Relation(symbols, tuple(parallel(*symbols))), pair)
    jacobian = reader.jacobian(first.t, first.full_q).toarray()
    if max(map(here.independence, jacobian)) > ROW_DEPENDENCE:
        return True
    _, rates, _ = reader(np.array([first.t]), first.full_q[None], first.full_v[None], system.still[None])
    pace = float(np.sqrt((system.weight * first.v**2).max(initial=0.0))) / system.length
    return float(np.abs(rates).max()) > AXIS_ANGLE * pace


def check_turns(result: Result) -> None:
    """Refuse a motion in which the accumulated rotation of a joint, driver or force differs too much from its angle."""
    system, (t, q, _, _) = computed(result).system, computed(result).motion
    if lost := lost_turns(system, system.evaluator, t, q):
        what = f"the turns of {', '.join(lost)} of {system.model.name!r} cannot be counted: their markers keep no axis "
        what += "in common, or the tolerance is too coarse"
        advice = "take the angle of a joint, mbs.angle(joint), give markers with axis=, or lower rtol"
        raise Explanation(IntegrationError, "turns-not-counted", what, advice, float(t[-1]), tuple(lost)).error(result)


def lost_turns(system: System, number: Any, t: np.ndarray, q: np.ndarray) -> list[str]:
    """Return the names of elements whose angle and accumulated rotation differ too much, for these values of
    parameters."""
    if system.model.dimension == 2 or not len(t):
        return []
    some = np.unique(np.linspace(0, len(t) - 1, LOOKS).astype(int))
    names, builder = system.structure.once(_turns)
    still = np.tile(system.still, (some.size, 1))
    apart = read_outputs(builder.fill(number), t[some], q[some], still) if names else np.zeros((1, 0))
    at = {place.member: place.out for place in builder.places()}
    return [name for k, name in enumerate(names) if np.abs(apart[:, at[k]]).max() > FAR]


def _turns(structure: Structure) -> tuple[list[str], BatchBuilder]:
    """Return the elements that measure an angle between two markers, and a reader of each angle's difference from its
    count."""
    seen: dict[tuple[Marker, ...], str] = {}
    for element in structure.model.elements.values():
        for measure in element.measures().values():
            if measure.kind == "angle" and len(measure.markers) == 2:
                seen.setdefault(measure.markers, element.name)
    i, j = symbols = marker_symbols(2, 3)
    (unwound,) = i.turn_to(j).atoms(Unwound)
    reading, kernels = Reading(symbols, (unwound - unwound.args[1],)), structure.coordinates.kernels
    return [*seen.values()], structure.batch([instance_of(reading, {}, m, name, kernels) for m, name in seen.items()])
