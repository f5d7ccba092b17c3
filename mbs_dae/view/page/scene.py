"""Describe a page as plain data: the pieces of a mechanism, its motion, and the curves beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...results.result import Result
from ...tolerances import VISIBLE_CHANGE
from ...unit_system import size_of
from ..drawing.colours import REACTION
from ..drawing.mechanism import edges_of, pieces_of, staged
from ..drawing.motion import DrawnMotion, in_space, path_of
from ..drawing.stage import OVER_BODIES, DrawingStage, DrawnPiece, all_pieces
from ..drawing.symbols import arrow_of
from ..drawing.tracks import OnBody, Rigid
from ..style import MEANINGS
from . import pen
from .places import TrackWriter, packed, rounded
from .poses import shown_motion, travel_of

MOST = 1500  # points of a curve: as many as a screen shows
SYMBOL = 1 / 62
"""Half the size of a joint's symbol, as a part of the longest side of the drawing."""


@dataclass(frozen=True)
class Choices:
    """The initial choices of a page; its reader may choose otherwise."""

    plots: tuple[str, ...] = ()
    trace: tuple[str, ...] = ()
    view: tuple[float, ...] = ()
    speed: float = 1.0
    symbol: float | None = None
    """Half the size of a joint's symbol [m]; None for a size by the reach of the motion."""


def page_data(result: Result, choices: Choices) -> dict[str, Any]:
    data, arrays = drawing(result, choices, shown_motion(result))
    curves, curve_data = _curves(result)
    plots = list(choices.plots)
    if not plots:  # a quantity that changes by more than roundoff, of a joint rather than a body
        bodies = {body.name for body in result.sketch.bodies}
        changes = {name: float(np.ptp(result[name])) for name in result.names if result.unit(name) in ("m", "rad")}
        changing = [name for name, change in changes.items() if change > VISIBLE_CHANGE * max(changes.values())]
        plots = sorted(changing, key=lambda name: name.partition(".")[0] in bodies)[:1]
    return {**data, "curves": curves, "plots": plots, "arrays": packed(arrays | curve_data)}


def drawing(
    result: Result, choices: Choices, motion: DrawnMotion, writing: Callable[..., TrackWriter] = TrackWriter
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return the description of a drawing, and the arrays of its places at the poses of the motion. `writing` makes the
    writer of tracks from the motion and the numbers of bodies and forces."""
    whole = motion.thinned()
    rough = staged(result.sketch, pen, whole, whole)
    traces = {name: in_space(path_of(result, name))[None] for name in choices.trace}
    low, high = _box([*(p.path for g in pieces_of(rough) for p in all_pieces(g)), *traces.values()])
    travel = travel_of(whole, [p for g in pieces_of(rough)[:2] for p in all_pieces(g)], result.sketch.dimension)
    in_time, longest = result.axis[0] == "t", float((high - low).max()) or 1.0
    symbol = choices.symbol or SYMBOL * (travel.length if in_time and travel.far else longest) * rough[0].fine
    stages = staged(result.sketch, pen, motion if result.sketch.variants else whole, whole, symbol)
    groups = dict(zip(("bodies", "joints", "forces"), pieces_of(stages), strict=True))
    reactions = _reactions(result, motion)
    pushed = replace(motion, forces=motion.forces | reactions)
    stage = replace(stages[0], shown=pushed)
    loaded = {f"reaction of {e.name}": e for e in result.sketch.elements}
    groups["reactions"] = {  # arrows on one scale for all of them
        loaded[name].name: [*arrow_of(stage, loaded[name].markers[1], name, reactions, REACTION)] for name in reactions
    }
    pushes = [*pushed.forces]
    bodies, numbers = ({name: k for k, name in enumerate(names)} for names in (motion.frames, pushes))
    writer = writing(pushed, bodies, numbers)
    joins = {e.name: [body for body, *_ in e.markers] for e in result.sketch.elements}
    pieces = [
        _written(writer, group, name, joins.get(name, ()), piece)
        for group, by_owner in groups.items()
        for name, group_pieces in by_owner.items()
        for piece in group_pieces
    ]
    seen = [p.path for group in ("bodies", "joints", "forces") for p in all_pieces(groups[group])]
    low, high = _box([*seen, low, high])
    # Places and angles, or places and quaternions, of all bodies side by side, and all forces: (poses, coordinates).
    frames = [motion.frames[body.name] for body in result.sketch.bodies]
    arrays = {
        "values": motion.values,
        "frames": np.concatenate(frames, axis=1) if frames else np.zeros((len(motion), 0)),
        "forces": np.concatenate([*pushed.forces.values()], axis=1) if pushes else np.zeros((0, 0)),
    }
    arrays |= {f"trace {name}": path[0] for name, path in traces.items()} | writer.arrays
    return {
        "title": result.title, "dimension": result.sketch.dimension, "axis": list(result.axis),
        "axisRead": reading_of(result.axis[1], result.axis[0]), "metre": reading_of("m"),
        "message": "" if result.success else result.message,
        "bodies": [{"name": b.name, "colour": stages[0].colour(b.name)} for b in result.sketch.bodies],
        "names": _names(stages, writer), "pieces": pieces, "low": rounded(low), "high": rounded(high), "symbol": symbol,
        "traces": [{"name": n, "colour": stages[0].colour(n.partition(".")[0])} for n in traces],
        "travel": {"length": travel.length, "part": travel.part if in_time else 0.0, "far": in_time and travel.far},
        "meanings": MEANINGS, "view": list(choices.view), "speed": choices.speed,
    }, arrays  # fmt: skip


# --- pieces ---


def _written(writer: TrackWriter, group: str, owner: str, joins: Sequence[str], piece: DrawnPiece) -> dict[str, Any]:
    track = {"track": writer.written(piece.track)}
    order = {"order": "over"} if piece.order == OVER_BODIES else {} if piece.order == "by depth" else {"order": "said"}
    data = {"group": group, "of": owner, "joins": list(joins), **piece.artist, **order, **track}
    return writer.packed_away(data) if isinstance(piece.track, Rigid) else data


def _box(paths: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    points = np.concatenate([in_space(path).reshape(-1, 3) for path in paths] or [np.zeros((1, 3))])
    points = points[np.isfinite(points).all(axis=1)]
    return points.min(axis=0), points.max(axis=0)


def _names(stages: list[DrawingStage], writer: TrackWriter) -> list[dict[str, Any]]:
    """Return for each body a track in its own axes: the two ends or the corners beside which its name stands."""
    names = []
    for body in stages[0].sketch.bodies:
        edges = edges_of(stages[0], body)[0]
        place, axes = stages[0].shown.frame(body.name)
        names.append(writer.written(OnBody(body.name, (edges - place[0]) @ axes[0])))
    return names


def _reactions(result: Result, motion: DrawnMotion) -> dict[str, np.ndarray]:
    """Return the forces of joints on their second bodies in world axes, shape (poses, 3) each."""
    if result.reactions is None:
        return {}
    names, dimension = result.reactions.names(), result.sketch.dimension
    forces: dict[str, np.ndarray] = {}
    for e in result.sketch.elements:
        if e.name in names and len(e.markers) >= 2 and e.kind != "arrow":
            rows = in_space(result.reactions.world(e.name)[:, :dimension])
            if result.axis[0] == "t":
                rows = np.stack([np.interp(motion.values, result.t, column) for column in rows.T], axis=-1)
            else:
                rows = rows[motion.numbers]
            forces[f"reaction of {e.name}"] = rows
    return forces


# --- curves ---


def _curves(result: Result) -> tuple[list[dict[str, Any]], dict[str, np.ndarray]]:
    """Return every quantity over time. If there are more poses than a screen shows, each group of neighbours keeps its
    least and its largest value, in their order."""
    table = curves_of(result, result.scalar_names)
    read = result.quantities.read_all()
    names = [curve["name"] for curve in table]
    rows = [read[name] if name in read else result[name] for name in names]
    values = np.stack(rows, axis=1) if table else np.zeros((len(result), 0))
    times, values = thinned_curves(np.asarray(result.t), values, MOST)
    return table, {"curve times": times, "curves": values}


def curves_of(result: Result, names: Sequence[str]) -> list[dict[str, Any]]:
    """Return name, unit and displayed unit of each quantity."""
    units = {name: result.unit(name) for name in names}
    return [{"name": name, "unit": unit, "read": reading_of(unit, name)} for name, unit in units.items()]


def reading_of(unit: str, *names: str) -> dict[str, Any] | None:
    """Return the name and the size of the unit in which a page shows numbers in SI; None if that unit is SI."""
    size, word = size_of(unit, *names)
    return None if word == unit else {"word": word, "size": size}


def thinned_curves(times: np.ndarray, values: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
    if len(times) <= most:
        return times, values
    groups = np.array_split(np.arange(len(times)), most // 2)
    low, high = (np.array([pick(values[g], axis=0) + g[0] for g in groups]) for pick in (np.argmin, np.argmax))
    first, second = np.minimum(low, high), np.maximum(low, high)
    columns = np.arange(values.shape[1])
    both = np.stack([values[first, columns], values[second, columns]], axis=1).reshape(-1, values.shape[1])
    ends = np.array([(times[g[0]], times[g[-1]]) for g in groups])
    both[0], both[-1] = values[0], values[-1]
    return ends.ravel(), both


def checked(result: Result, choices: Choices) -> Choices:
    """Return the choices with components in place of vectors; wrong names raise an error before any work."""
    numbers = tuple(part for name in choices.plots for part in result.components(name))
    return replace(choices, plots=numbers)
