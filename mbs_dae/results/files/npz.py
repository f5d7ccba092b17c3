"""Results as .npz: the content of a file as arrays of numpy; the header is one of them."""

import json
from pathlib import Path

import numpy as np

from ..result import Result
from .contents import Arrays, Header, contents


def write(result: Result, path: Path) -> None:
    header, arrays = contents(result)
    with path.open("wb") as file:  # numpy would add an ending to a path
        np.savez_compressed(file, header=as_bytes(header), **arrays)  # type: ignore[arg-type]


def read(path: Path) -> tuple[Header, Arrays]:
    with np.load(path, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    return from_bytes(arrays["header"]), arrays


def as_bytes(header: Header) -> np.ndarray:
    return np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)


def from_bytes(array: np.ndarray) -> Header:
    return json.loads(array.tobytes())
