"""Write the data with which a page solves the motion of a driven mechanism by itself."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ...compiled.batch import instance_of
from ...compiled.program import ProgramBuilder, tells_positions
from ...compiled.scripts import kinematics_script, numbers_script, readings_script
from ...compiled.system import System
from ...errors import ModelError, counted
from ...model.fields import theta
from ...model.forces.base import ForceElement
from ...model.measures import Measure
from ...poses.local import free_motions
from ...readings.motion import computed
from ...results.result import Result
from ...symbolic.derive import Reading, Relation
from ...symbolic.functions import as_sympy
from ...symbolic.loads import Load
from ...symbolic.markers import variables
from ..drawing.motion import in_space, motion_of
from .geometry import LiveWriter, PageGeometry, geometry_of
from .places import MESH, packed
from .redrawing import Redrawing, profiles, redrawings
from .scene import Choices, curves_of, drawing, reading_of

POINT = re.compile(r"(?P<owner>.+)\.(?P<what>[va]?[xyz])")
BODY = re.compile(r"(?P<owner>.+)\.(?P<what>[va]?[xyz]|angle|omega|alpha|w[xyz]|alpha[xyz])")


def live_page(result: Result, choices: Choices) -> tuple[dict[str, Any], str]:
    """Return the data of the page, and the script of its kinematics."""
    system = _solvable(result)
    geometry = geometry_of(system.model, result.sketch)
    motion, along, forces = motion_of(result), computed(result).motion, _forces(system)
    for force, relation, slots in forces:
        if force.name not in motion.forces:  # the result of kinematics has no forces
            reading = Reading(relation.markers, relation.phi, slots=relation.slots)
            vectors = system.read_values(reading, slots, force.markers, *along[:3])
            motion = replace(motion, forces=motion.forces | {force.name: in_space(vectors)})
    data, arrays = drawing(result, choices, motion, partial(LiveWriter, geometry=geometry))
    shapes = redrawings(result, system.model, geometry, data["symbol"])
    sizes = [shape.size for shape in shapes if shape.size is not None]
    shapes += [Redrawing()] * (len(data["pieces"]) - len(shapes))  # arrows of reactions
    pieces = [_live(piece, shape, sizes) for piece, shape in zip(data["pieces"], shapes, strict=True)]
    readings = _readings(result, geometry, system)
    names = [reading["name"] for reading in readings]
    plots, lost = _plots(result, choices, names)
    meshes = {name: array for name, array in arrays.items() if name.startswith(MESH)}
    first, size = len(_measures(system)), system.model.dimension
    rows = {force.name: [first + size * k + n for n in range(size)] for k, (force, *_) in enumerate(forces)}
    known = [p for p in pieces if p["group"] == "forces" and "push" in p["track"] and p["of"] in rows]
    left = [p for p in pieces if {"push", "path"} & p["track"].keys() and p not in known]
    unknown = [e.name for e in system.model.forces if e.sketch == "arrow" and e.name not in rows]
    data["pieces"] = [piece for piece in pieces if piece not in left]
    data |= {
        "curves": curves_of(result, names),
        "plots": plots, "arrays": packed(meshes),
        "live": {
            **_pose(result, system), "readings": readings,
            "read": {name: reading_of(p.unit, name) for name, p in system.model.parameters.items()},
            "traces": [_point(name, geometry) for name in choices.trace],
            "geometry": {"markers": len(geometry.markers), "width": 3 if data["dimension"] == 2 else 12},
            "shapes": _shaping(system, geometry, data, sizes), "left": _left(left, unknown, lost),
            "forces": {p["track"]["push"]: [*rows[p["of"]], *[None] * (3 - size)] for p in known},
        },
    }  # fmt: skip
    return data, _script(system, geometry, sizes)


def _shaping(system: System, geometry: PageGeometry, data: dict[str, Any], sizes: list[Any]) -> list[str]:
    """Return the names of the parameters that change the drawing or the place of a named point."""
    tracks = [piece["track"] for piece in data["pieces"]] + data["names"]
    markers = {k for track in tracks for k in (track.get("marker"), *track.get("ends", ())) if k is not None}
    corners = {k for track in tracks for k in track.get("corners", ()) if k is not None} | {*geometry.named.values()}
    moving = geometry.symbols(markers, corners)
    moving |= {s for one in (*sizes, *profiles(system.model)) for s in one.free_symbols}
    moving |= {s for *_, slots in _forces(system) for number in slots.values() for s in as_sympy(number).free_symbols}
    stiff = {name for piece in data["pieces"] for name in piece.get("stiff", ())}
    return [name for name, p in system.model.parameters.items() if p.symbol in moving or name in stiff]


def _live(piece: dict[str, Any], shape: Redrawing, sizes: list[Any]) -> dict[str, Any]:
    """Add to a piece how parameters change its shape; a "stiff" piece is hidden while its parameters change."""
    track = dict(piece["track"])
    if shape.size is not None:
        number = next(k for k, size in enumerate(sizes) if size is shape.size)
        track["grows"] = {"with": number, "offsets": track["offsets"]}
    if shape.cam is not None:
        track["cam"] = shape.cam
    return {**piece, "track": track} | ({"stiff": [*shape.stiff]} if shape.stiff else {})


def _left(pieces: list[dict[str, Any]], forces: list[str], curves: list[str]) -> str:
    """Return the sentence in which a page lists what it does not show, "" for nothing: reactions, `forces` that depend
    on velocities, states or Python, and requested `curves`."""
    pushed = [p for p in pieces if "push" in p["track"]]
    others = dict.fromkeys(p["of"] for p in pieces if "path" in p["track"])
    said = [f"the curves of {', '.join(curves)}"] if curves else []
    said += [f"the arrows of {', '.join(forces)}"] if forces else []
    said += ["reactions"] if any(p["group"] == "reactions" for p in pushed) else []
    said += [f"touching points and ropes of {', '.join(others)}"] if others else []
    return f"Not worked out by this page, and so left out: {'; '.join(said)}." if said else ""


def _script(system: System, geometry: PageGeometry, sizes: list[Any]) -> str:
    """Return the kinematics module as one constant of a script with its own scope for names."""
    module = re.sub(r"^export ", "", kinematics_script(system.model), flags=re.MULTILINE)
    numbers = numbers_script("geometry", system.model, geometry.expressions)
    structure, kernels = system.structure, system.coordinates.kernels
    rows = [instance_of(*m.form(), m.markers, m.label, kernels) for _, m in _measures(system)]
    rows += [instance_of(relation, slots, e.markers, e.who, kernels) for e, relation, slots in _forces(system)]
    readings = readings_script("readings", system, ProgramBuilder(structure.batch(rows), structure.layout.nv))
    numbers += "\n" + numbers_script("sizes", system.model, sizes)
    numbers += "\n" + numbers_script("profiles", system.model, profiles(system.model), of=theta)
    names = "names, parameters, evaluate, Phi, Phi_q, gamma, moved, normalised, geometry, sizes, profiles, readings"
    return f"const kinematics = (() => {{\n{module}\n{numbers}\n{readings}\nreturn {{ {names} }};\n}})();"


def _pose(result: Result, system: System) -> dict[str, Any]:
    """Return the pose with which the page begins, with all digits."""
    q = system.placement.copy()
    first = result.state(0).full_q if result.own is None else result.q[0]
    q[: min(len(first), len(q))] = first[: len(q)]
    size = system.layout.q_size - len(system.layout.signals)
    start, end = float(result.t[0]), float(result.t[-1])
    return {"start": start, "end": end, "q": q[:size].tolist(), "length": float(system.length)}


# --- readings ---


def _measures(system: System) -> list[tuple[str, Measure]]:
    """Return the measures of all elements with the elements' names, one row each."""
    model = system.model
    return [(owner, measure) for owner in model.elements for measure in model.measures_of(owner)]


def _forces(system: System) -> list[tuple[ForceElement, Relation, Mapping[Any, Any]]]:
    """Return the forces with an arrow that follow from time and places: for each force, its components on the body of
    its second marker in world axes as rows of a relation, and the values of the relation's slots."""
    arrows = list[tuple[ForceElement, Relation, Mapping[Any, Any]]]()
    for element in system.model.forces:
        form, slots = element.form()
        if element.sketch != "arrow" or not isinstance(form, Load) or form.signals or form.steps:
            continue
        rates, size = variables(form.markers)[1], system.model.dimension
        width = len(rates) // len(form.markers)
        components = form.total[width * element.second : width * element.second + size]
        if not any(e.has(*rates) for e in components):
            arrows.append((element, Relation(form.markers, components, slots=form.slots), slots))
    return arrows


def _readings(result: Result, geometry: PageGeometry, system: System) -> list[dict[str, Any]]:
    """Return how the page reads its quantities: all motions of bodies; positions, velocities and accelerations of named
    points; coordinates of joints and drivers with rates and accelerations."""
    rows = enumerate(_measures(system))
    measures = {f"{o}.{what}": {"row": k, "level": n} for k, (o, m) in rows for n, what in enumerate(m.levels) if what}
    numbers = {body.name: k for k, body in enumerate(result.sketch.bodies)}
    readings = []
    for name in result.quantities.names():
        if name in measures:
            readings.append({"name": name, **measures[name]})
            continue
        for form, owners in ((BODY, numbers), (POINT, geometry.named)):
            match = form.fullmatch(name)
            if match and match["owner"] in owners:
                at = None if form is BODY else geometry.named[match["owner"]]
                body = numbers[match["owner"]] if at is None else numbers[geometry.corners[at][0]]
                readings.append({"name": name, "body": body, "at": at, "what": match["what"]})
                break
    return readings


def _plots(result: Result, choices: Choices, known: list[str]) -> tuple[list[str], list[str]]:
    """Return the names of the curves that the page draws first, and of requested curves that it cannot compute. Without
    a request, the page draws the coordinate of the last body that changes most, because the other bodies drive it."""
    plots, lost = ([name for name in choices.plots if (name in known) is computable] for computable in (True, False))
    if lost:
        what = f"a live page does not work out {', '.join(map(repr, lost))}"
        remedy = "leave out live=True to see all curves of this result"
        if not plots:
            knows = f"it knows quantities of bodies, named points, joints and drivers: {', '.join(known[:6])}, ..."
            raise ModelError(
                f"{what}; {knows}; plot one of these, or {remedy}",
                code="not-in-live-page", argument="plots", names=tuple(lost), known=tuple(known),
            )  # fmt: skip
        warnings.warn(f"{what}, and so leaves out these curves; {remedy}", stacklevel=2)
    last = result.sketch.bodies[-1].name
    coordinates = [f"{last}.{what}" for what in ("x", "y", "z", "angle") if f"{last}.{what}" in known]
    return plots or coordinates and [max(coordinates, key=lambda name: float(np.ptp(result[name])))], lost


def _point(name: str, geometry: PageGeometry) -> dict[str, Any]:
    if name in geometry.bodies:
        return {"body": geometry.bodies.index(name), "at": None}
    if name not in geometry.named:
        raise ModelError(
            f"a live page traces named points of bodies, and {name!r} is none; name it by body.marker(...)",
            code="not-a-point", argument="trace", name=name,
        )  # fmt: skip
    at = geometry.named[name]
    return {"body": geometry.bodies.index(geometry.corners[at][0]), "at": at}


# --- models that a page cannot solve ---


def _solvable(result: Result) -> System:
    """Return the compiled model of a result; raise a `ModelError` unless positions and time determine its motion."""
    system_of_result: System | None = getattr(result.quantities, "system", None)
    if system_of_result is None:
        what = f"the result of {result.title!r} comes from a file, which does not have its equations"
        raise ModelError(
            f"{what}; save the page where the model is known, result.save('x.html', live=True)",
            code="result-from-file", result=result.title,
        )  # fmt: skip
    if result.axis[0] != "t":
        what = f"a live page moves {result.title!r} in time, and this result is over {result.axis[0]}"
        raise ModelError(
            f"{what}; save that of mbs.kinematics(model, times), and change {result.axis[0]} in the page",
            code="not-over-time", result=result.title, axis=result.axis[0],
        )  # fmt: skip
    system = system_of_result.cartesian
    tells = tells_positions(system.program)
    rates = sorted({row.element for row, tells_it in zip(system.rows, tells, strict=True) if not tells_it})
    if rates:
        what = f"{', '.join(rates)} of {result.title!r} restrict velocities only, so that a pose does not follow"
        raise ModelError(
            f"{what} from the time; leave out live=True", code="nonholonomic", result=result.title, names=tuple(rates)
        )
    if (freedom := _freedom(result, system)) > 0:
        what = f"{result.title!r} has {counted(freedom, 'degree')} of freedom that no driver moves"
        remedy = "a live page knows no forces: add drivers, or leave out live=True"
        raise ModelError(f"{what}; {remedy}", code="undriven-freedom", result=result.title, freedoms=int(freedom))
    if len(result) < 2 or not result.t[-1] > result.t[0]:
        what = f"a live page moves {result.title!r} through a range of time, and this result is of a moment"
        raise ModelError(
            f"{what}; save that of mbs.kinematics(model, times)",
            code="result-of-one-moment", result=result.title, count=len(result),
        )  # fmt: skip
    return system


def _freedom(result: Result, system: System) -> int:
    """Return the least number of degrees of freedom at a few poses, some of which may be singular."""
    freedoms = []
    for k in np.unique(np.linspace(0, len(result) - 1, 5).astype(int)):
        q = system.placement.copy()
        q[: system.nq] = result.q[k]
        freedoms.append(free_motions(system, float(result.t[k]), q).shape[1])
    return min(freedoms)
