"""The gallery: ``python docs/gallery.py [NAME ...]`` writes docs/gallery/NAME.png for all models or those named."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from PIL import Image

import mbs_dae as mbs

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    folder = ROOT / "docs" / "gallery"
    folder.mkdir(exist_ok=True)
    for stem in sys.argv[1:] or stems():
        picture = folder / f"{stem}.png"
        draw(loaded(stem), picture)
        few_colours(picture)
        print(stem)


def stems() -> list[str]:
    """The names of all models."""
    return sorted(path.stem for path in (ROOT / "models").glob("[a-z]*.py"))


def loaded(stem: str) -> ModuleType:
    """A model as a module; it may import what stands beside it."""
    if str(ROOT / "models") not in sys.path:
        sys.path.insert(0, str(ROOT / "models"))
    spec = importlib.util.spec_from_file_location(stem, ROOT / "models" / f"{stem}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


MODES = {
    "whipple_bicycle": ({"frame.vx": 5.0}, 8, (-20, 120, 180)),
    "rotor_in_bearings": ({"rotor.wz": 300.0}, 8, None),
}
"""Models that are shown in a mode about a steady motion: the state, the mode, from where it is seen."""


def draw(module: ModuleType, path: Path) -> None:
    if path.stem not in MODES:
        moved(module).animate(path, size=(4.2, 3.0))
        return
    state, number, view = MODES[path.stem]
    figure = mbs.linearize(module.build(), state).draw(number, size=(4.2, 3.0), view=view)
    figure.savefig(path, dpi=1.5 * figure.dpi)


def few_colours(picture: Path, colours: int = 64) -> None:
    """A drawing has few colours: in a palette of 64 it weighs a fifth. Those of thin lines and words are among them,
    however few points they have, since colours are chosen by how far apart they are."""
    with Image.open(picture) as drawn:
        small = drawn.convert("RGB").quantize(colours, Image.Quantize.MAXCOVERAGE, kmeans=4)
    small.save(picture, optimize=True)


def moved(module: ModuleType) -> mbs.Result:
    """By its forces from INITIAL values, by its drivers against the forces, or by its drivers alone."""
    model = module.build()
    if hasattr(module, "INITIAL"):
        return mbs.simulate(model, module.TIMES, module.INITIAL, **getattr(module, "OPTIONS", {}))
    return mbs.inverse_dynamics(model, module.TIMES) if model.forces else mbs.kinematics(model, module.TIMES)


if __name__ == "__main__":
    main()
