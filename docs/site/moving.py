"""The moving page of each model, made again when the model or the package has changed."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

from versions import digest

import mbs_dae as mbs

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))
import gallery  # noqa: E402


def make(folder: Path) -> None:
    """A page ``NAME.html`` for every model; beside it a stamp says what it was made of."""
    folder.mkdir(parents=True, exist_ok=True)
    package = digest(ROOT / "mbs_dae", ROOT / "docs" / "gallery.py", Path(__file__))
    versions = {stem: f"{package} {digest(ROOT / 'models' / f'{stem}.py')}" for stem in gallery.stems()}
    for page in folder.glob("*.html"):
        if page.stem not in versions:
            page.unlink()
    old = [stem for stem, version in versions.items() if is_old(folder, stem, version)]
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool:
        running = {pool.submit(written, stem, folder): stem for stem in old}
        for count, done in enumerate(as_completed(running), start=1):
            stem = running[done]
            print(f"moving pages: {count} of {len(old)}, {stem}, {done.result()}", flush=True)
            stamp(folder, stem).write_text(versions[stem], encoding="utf-8")


def is_old(folder: Path, stem: str, version: str) -> bool:
    mark = stamp(folder, stem)
    return not (folder / f"{stem}.html").exists() or not mark.exists() or mark.read_text(encoding="utf-8") != version


def stamp(folder: Path, stem: str) -> Path:
    return folder / f".{stem}"


def written(stem: str, folder: Path) -> str:
    """Solved by the page itself where drivers alone move it, else as it was recorded."""
    module = gallery.loaded(stem)
    target = folder / f"{stem}.html"
    if not hasattr(module, "INITIAL"):
        driven = mbs.kinematics(module.build(), module.TIMES)
        driven.save(target, live=True)
        return "live"
    gallery.moved(module).save(target)
    return "recorded"
