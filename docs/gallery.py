"""Draw the gallery: ``python docs/gallery.py`` writes docs/gallery/NAME.png for every model."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import mbs_dae as mbs

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    folder = ROOT / "docs" / "gallery"
    folder.mkdir(exist_ok=True)
    sys.path.insert(0, str(ROOT / "models"))
    for path in sorted((ROOT / "models").glob("[a-z]*.py")):
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        draw(module, folder / f"{path.stem}.png")
        print(path.stem)


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


def moved(module: ModuleType) -> mbs.Result:
    """By its forces from INITIAL values, by its drivers against the forces, or by its drivers alone."""
    model = module.build()
    if hasattr(module, "INITIAL"):
        return mbs.simulate(model, module.TIMES, module.INITIAL, **getattr(module, "OPTIONS", {}))
    return mbs.inverse_dynamics(model, module.TIMES) if model.forces else mbs.kinematics(model, module.TIMES)


if __name__ == "__main__":
    main()
