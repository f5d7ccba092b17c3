"""Describe a page as plain data: the pieces of a mechanism, its motion, and the curves beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...results.result import Result
from ...unit_system import size_of
from ..drawing.colours import REACTION
from ..drawing.mechanism import Pieces, edges_of, pieces_of, staged
from ..drawing.motion import Motion, in_space, path_of
from ..drawing.stage import OVER_BODIES, Piece, Stage, all_pieces
from ..drawing.symbols import arrow_of
from ..drawing.tracks import OnBody, Rigid
from ..style import MEANINGS
from . import pen
from .numbers import packed, rounded
from .poses import shown_motion
from .tracks import TrackWriter
from .travel import travel_of

MOST = 1500  # points of a curve: as many as a screen shows
SYMBOL = 1 / 62
"""Half the size of a joint's symbol, as a part of the longest side of the drawing."""
NOTHING = 1e-6  # a first curve changes by more than this part of the largest change


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
    plots = list(choices.plots) or _first_curves(result)
    return {**data, "curves": curves, "plots": plots, "arrays": packed(arrays | curve_data)}


def drawing(
    result: Result, choices: Choices, motion: Motion, writing: Callable[..., TrackWriter] = TrackWriter
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
    groups["reactions"] = _reaction_arrows(replace(stages[0], shown=pushed), reactions)
    pushes = [*pushed.forces]
    bodies, numbered = ({name: k for k, name in enumerate(own)} for own in (motion.frames, pushes))
    writer = writing(pushed, bodies, numbered)
    joins = {e.name: [body for body, *_ in e.markers] for e in result.sketch.elements}
    pieces = [
        _written(writer, group, name, joins.get(name, ()), piece)
        for group, named in groups.items()
        for name, own in named.items()
        for piece in own
    ]
    seen = [p.path for group in ("bodies", "joints", "forces") for p in all_pieces(groups[group])]
    low, high = _box([*seen, low, high])
    arrays = {"values": motion.values, "frames": _frames(result, motion), "forces": _stacked(pushed.forces, pushes)}
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


# --- motion ---


def _frames(result: Result, motion: Motion) -> np.ndarray:
    """Return places and angles, or places and quaternions, of all bodies side by side, shape (poses, coordinates)."""
    each = [motion.frames[body.name] for body in result.sketch.bodies]
    return np.concatenate(each, axis=1) if each else np.zeros((len(motion), 0))


def _stacked(forces: dict[str, np.ndarray], names: Sequence[str]) -> np.ndarray:
    rows = [forces[name] for name in names]
    return np.concatenate(rows, axis=1) if rows else np.zeros((0, 0))


# --- pieces ---


def _written(writer: TrackWriter, group: str, owner: str, joins: Sequence[str], piece: Piece) -> dict[str, Any]:
    track = {"track": writer.written(piece.track)}
    order = {"order": "over"} if piece.order == OVER_BODIES else {} if piece.order == "by depth" else {"order": "said"}
    written = {"group": group, "of": owner, "joins": list(joins), **piece.artist, **order, **track}
    return writer.packed_away(written) if isinstance(piece.track, Rigid) else written


def _box(paths: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    points = np.concatenate([in_space(path).reshape(-1, 3) for path in paths] or [np.zeros((1, 3))])
    points = points[np.isfinite(points).all(axis=1)]
    return points.min(axis=0), points.max(axis=0)


def _names(stages: list[Stage], writer: TrackWriter) -> list[dict[str, Any]]:
    """Return for each body a track in its own axes: the two ends or the corners beside which its name stands."""
    names = []
    for body in stages[0].sketch.bodies:
        edges = edges_of(stages[0], body)[0]
        place, turned = stages[0].shown.frame(body.name)
        own = (edges - place[0]) @ turned[0]
        names.append(writer.written(OnBody(body.name, own)))
    return names


def _reactions(result: Result, motion: Motion) -> dict[str, np.ndarray]:
    """Return the forces of joints on their second bodies in world axes, shape (poses, 3) each."""
    known = result.reactions
    if known is None:
        return {}
    drawn = [e for e in result.sketch.elements if e.name in known.names() and len(e.markers) >= 2]
    dimension = result.sketch.dimension
    return {
        f"reaction of {e.name}": _at(result, motion, in_space(known.world(e.name)[:, :dimension]))
        for e in drawn
        if e.kind != "arrow"
    }


def _at(result: Result, motion: Motion, rows: np.ndarray) -> np.ndarray:
    if result.axis[0] != "t":
        return rows[motion.numbers]
    return np.stack([np.interp(motion.values, result.t, column) for column in rows.T], axis=-1)


def _reaction_arrows(stage: Stage, reactions: dict[str, np.ndarray]) -> Pieces:
    """Return arrows of the reactions, on one scale for all of them."""
    elements = {f"reaction of {e.name}": e for e in stage.sketch.elements}
    return {
        elements[name].name: [*arrow_of(stage, elements[name].markers[1], name, reactions, REACTION)]
        for name in reactions
    }


# --- curves ---


def _curves(result: Result) -> tuple[list[dict[str, Any]], dict[str, np.ndarray]]:
    """Return every quantity over time. If there are more poses than a screen shows, each group of neighbours keeps its
    least and its largest value, in their order."""
    table = curves_of(result, result.scalar_names)
    read = result.quantities.read_all()
    rows = [read[one["name"]] if one["name"] in read else result[one["name"]] for one in table]
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


def _first_curves(result: Result) -> list[str]:
    """Return a quantity that changes by more than roundoff, for a page without requested curves: of a joint rather than
    a body."""
    bodies = {body.name for body in result.sketch.bodies}
    moved = {name: float(np.ptp(result[name])) for name in result.names if result.unit(name) in ("m", "rad")}
    changing = [name for name, way in moved.items() if way > NOTHING * max(moved.values())]
    return sorted(changing, key=lambda name: name.partition(".")[0] in bodies)[:1]


def checked(result: Result, choices: Choices) -> Choices:
    """Return the choices with components in place of vectors; wrong names raise an error before any work."""
    numbers = tuple(part for name in choices.plots for part in result.components(name))
    return replace(choices, plots=numbers)
