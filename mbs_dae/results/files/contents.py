"""The content of a file of a result: a header of plain words and numbers, and arrays. Pickles are never used: a file
from a stranger is data, not code."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from ...errors import ModelError, Names
from ..events import Happening, Impact, StoredState, Transition, logs_of
from ..quantities import PARTS, Energy, StoredQuantities, StoredReactions, Violation
from ..result import Result, State
from ..sketch import BodySketch, ElementSketch, MeshSketch, ShapeSketch, Sketch

Header = dict[str, Any]
Arrays = dict[str, np.ndarray]

FORMAT = "mbs_dae result 3"
MOTION = ("t", "q", "v", "a")
FACTS = ("title", "coordinate_names", "success", "message", "axis")
STORED = ("world", "unique")
SIDES = ("before", "after")
ALONG_TIME = (
    {name: 0 for name in ("t", "q", "v", "a", "multipliers", "independence")}
    | {name: 1 for name in ("values", "violation", "energy", "world", "unique", "unique_loads", "effort")}
    | {"modes": 0}
)
"""The time axis of each array."""


def contents(result: Result) -> tuple[Header, Arrays]:
    """Return the header and the arrays of a result, with every named quantity, so that reading them back needs no
    model."""
    quantities, names = result.quantities, result.names
    arrays_of = quantities.read_all()
    header = {"format": FORMAT} | {name: getattr(result, name) for name in FACTS}
    header |= {"names": names, "units": [quantities.unit(name) for name in names]}
    header |= {"elements": result.violation.elements, "sketch": asdict(result.sketch), "stats": dict(result.stats)}
    values = np.stack([arrays_of[name] for name in names]) if names else np.zeros((0, len(result.t)))
    arrays: dict[str, Any] = {name: getattr(result, name) for name in MOTION}
    arrays["violation"] = result.violation.rows
    if result.reactions is not None:
        arrays |= _forces(result)
        header["loaded"] = result.reactions.names()
        unique = [(name, *one) for name in header["loaded"] for one in result.reactions.unique_loads(name).items()]
        header["unique_loads"] = [(name, word) for name, word, _ in unique]
        rows = [values for *_, values in unique]
        arrays["unique_loads"] = np.array(rows, dtype=bool).reshape(len(rows), len(result.t))
    arrays |= _contacts(result)
    header |= {"touching": {n: np.shape(x)[1:] for n, x in result.modes.items()}, "struck": [*_impulsive(result)]}
    header["events"] = [(event.t, event.name) for event in result.events]
    header["transitions"] = [one[:5] for one in result.transitions]
    states = {"happened": [event.state for event in result.events]}
    states |= {f"struck_{side}": [getattr(i, side) for i in result.impacts] for side in SIDES}
    states |= {"changed": [change.state for change in result.transitions]}
    for instants, sequence in states.items():
        if sequence and all(state is not None for state in sequence):
            arrays[instants] = _state_rows(sequence, names)
    plain = json.dumps(header, default=lambda value: value.tolist() if hasattr(value, "tolist") else str(value))
    return json.loads(plain), arrays | {"values": values}


def result_of(header: Header, arrays: Arrays, file: str) -> Result:
    """Return the result of a header and arrays; errors name the `file`."""
    if header["format"] != FORMAT:
        raise ModelError(
            f"{file!r} has format {header['format']!r}, not {FORMAT!r}; save it again",
            code="other-file-format", file=file, format=header["format"], wanted=FORMAT,
        )  # fmt: skip
    # All arrays over time hold numbers, as many as there are times, and times increase.
    times = arrays["t"].size
    for name, axis in ALONG_TIME.items():
        kinds = "U" if name == "modes" else "fb"
        if name in arrays and (arrays[name].dtype.kind not in kinds or arrays[name].shape[axis : axis + 1] != (times,)):
            kind = f"{arrays[name].dtype} of shape {arrays[name].shape}"
            raise ModelError(
                f"{file!r} is damaged: {name!r} is {kind}, for {times} times; save the result again",
                code="damaged-file", file=file, array=name, times=times,
            )  # fmt: skip
    in_time = header["axis"][0] == "t"
    if not np.isfinite(arrays["t"]).all() or (in_time and (np.diff(arrays["t"]) < 0).any()):
        raise ModelError(
            f"{file!r} is damaged: its times are not in order; save the result again",
            code="damaged-file", file=file, array="t",
        )  # fmt: skip

    columns = (zip(header["names"], x, strict=True) for x in (arrays["values"], header["units"]))
    values, units = (Names[Any]("quantity", column, owner="the result") for column in columns)
    plain: dict[str, Any] = {name: arrays[name] for name in MOTION} | {name: header[name] for name in FACTS}
    plain |= {name: tuple(header[name]) for name in ("coordinate_names", "axis")}
    events = [
        Happening(float(t), str(name), _stored_state(header, float(t), arrays.get("happened"), k))
        for k, (t, name) in enumerate(header["events"])
    ]
    changes = header.get("transitions", ())  # files of earlier versions have none
    transitions = [
        Transition(float(t), name, point, before, after, _stored_state(header, float(t), arrays.get("changed"), k))
        for k, (t, name, point, before, after) in enumerate(changes)
    ]
    modes: dict[str, np.ndarray] = {}
    first = 0
    for name, shape in header.get("touching", {}).items():  # files of earlier versions have none
        count = int(np.prod(shape, dtype=int))
        modes[name] = arrays["modes"][:, first : first + count].reshape(-1, *shape)
        first += count
    return Result(
        **plain,
        stats=header["stats"],
        **logs_of(events, _read_impacts(header, arrays), transitions, (), modes),
        modes=Names("contact or friction", modes, owner="the result"),
        quantities=StoredQuantities(values, units),
        violation=Violation(arrays["violation"], tuple(header["elements"])),
        sketch=_sketch(header["sketch"]),
        **_read_forces(header, arrays),
    )


def _state_rows(states: Sequence[State | StoredState], names: Sequence[str]) -> np.ndarray:
    """Return the readings of each state, shape (states, names). (A state does not know the forces of contacts: they
    are nan.)"""
    rows = []
    for state in states:
        if isinstance(state, StoredState):
            values: Mapping[str, float] = state.values
        else:
            values = {name: float(x[0]) for name, x in state.result.quantities.read_all().items()}
        rows.append([values.get(name, np.nan) for name in names])
    return np.array(rows)


def _stored_state(header: Header, t: float, rows: np.ndarray | None, k: int) -> StoredState | None:
    """Return the state at an instant, from row k; None if the file has no such readings."""
    if rows is None:
        return None
    numbers = [(n, x) for n, x in zip(header["names"], rows[k].tolist(), strict=True) if not np.isnan(x)]
    return StoredState(t, Names[float]("quantity", numbers, owner="the result"))


def _impulsive(result: Result) -> Sequence[str]:
    """Return the names of elements whose impulses are known."""
    return [*result.impacts[0].impulses] if result.impacts else []


def _contacts(result: Result) -> Arrays:
    """Return arrays of the impacts, one in each row, and of the states of contacts over time, all points side by
    side."""
    arrays, times, impacts = {}, len(result.t), result.impacts
    if result.modes:
        arrays["modes"] = np.concatenate([np.reshape(x, (times, -1)) for x in result.modes.values()], axis=1)
    if impacts:
        numbers = [(i.t, i.energy_lost, np.nan if i.rests is None else i.rests) for i in impacts]
        arrays["impacts"] = np.array(numbers)
        arrays["pushed"] = np.array([[name in i.contacts for name in _impulsive(result)] for i in impacts])
        arrays["impulses"] = np.array([[*i.impulses.values()] for i in impacts])
    return arrays


def _read_impacts(header: Header, arrays: Arrays) -> Iterator[Impact]:
    names = header.get("struck", [])
    rows = zip(arrays["impacts"].tolist(), arrays["pushed"], arrays["impulses"], strict=True) if names else ()
    for k, ((t, lost, rests), pushed, impulses) in enumerate(rows):
        contacts = tuple(name for name, took_part in zip(names, pushed, strict=True) if took_part)
        loads = Names[Any]("joint, driver or contact", zip(names, impulses, strict=True), owner="the impact")
        states = [_stored_state(header, t, arrays.get(f"struck_{side}"), k) for side in SIDES]
        yield Impact(t, contacts, loads, lost, None if np.isnan(rests) else rests, *states)


def _forces(result: Result) -> Arrays:
    """Return the loads that a result knows, as arrays."""
    reactions, energy = result.reactions, result.energy
    assert reactions is not None and result.multipliers is not None
    names = reactions.names()
    arrays = {
        "multipliers": result.multipliers,
        "independence": reactions.smallest_singular_value,
        "energy": np.stack([getattr(energy, part) for part in PARTS]),
    }
    for what in STORED:
        rows = [getattr(reactions, what)(name) for name in names]
        arrays[what] = np.stack(rows) if rows else np.zeros((0, len(result.t), 0))
    efforts = [reactions.effort(name) for name in names]
    missing = np.full(len(result.t), np.nan)
    arrays["effort"] = np.array([missing if e is None else e for e in efforts]).reshape(len(names), len(result.t))
    return arrays


def _read_forces(header: Header, arrays: Arrays) -> dict[str, Any]:
    if "loaded" not in header:
        return {}
    stored = Names[Any]("joint, driver or force", owner="the result")
    for k, name in enumerate(header["loaded"]):
        stored.declare(name, {what: arrays[what][k] for what in STORED} | {"unique_loads": {}})
        if not np.isnan(arrays["effort"][k]).all():
            stored[name]["effort"] = arrays["effort"][k]
    for k, (name, word) in enumerate(header.get("unique_loads", ())):  # files of earlier versions have none
        stored[name]["unique_loads"][word] = arrays["unique_loads"][k].astype(bool)
    return {
        "multipliers": arrays["multipliers"],
        "reactions": StoredReactions(stored, arrays["independence"]),
        "ledger": Energy(*arrays["energy"]),
    }


def _sketch(data: dict[str, Any]) -> Sketch:
    def pairs(rows: list[list[Any]]) -> tuple[Any, ...]:
        return tuple(map(tuple, rows))

    def shapes(element: dict[str, Any]) -> tuple[ShapeSketch, ...]:
        """Return the shapes of an element. Files of earlier versions have none."""
        return tuple(ShapeSketch(s["kind"], pairs(s["corners"]), s["radius"]) for s in element.get("shapes", ()))

    def meshes(body: dict[str, Any]) -> tuple[MeshSketch, ...]:
        return tuple(MeshSketch(np.array(m["points"]), np.array(m["faces"])) for m in body.get("meshes", ()))

    return Sketch(
        tuple(BodySketch(b["name"], pairs(b["points"]), tuple(b["com"]), meshes(b)) for b in data["bodies"]),
        tuple(
            ElementSketch(e["name"], e["kind"], pairs(e["markers"]), e["constants"], pairs(e["outline"]), shapes(e))
            for e in data["elements"]
        ),
        data.get("dimension", 2),
        tuple(map(_sketch, data["variants"])),
        {name: tuple(marker) for name, marker in data.get("markers", {}).items()},
        tuple(data.get("up", ())),
    )
