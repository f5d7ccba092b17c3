"""Programs of their own, as a person runs them, without what each of them would wait for.

A script runs in a new process, in a folder of its own. That process is a copy (fork) of one that has imported the
package and loaded its machine code, and done nothing else. Where there is no fork it is a new interpreter.
"""

from __future__ import annotations

import multiprocessing
import os
import runpy
import sys
import traceback
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest
from gallery import ROOT

PATHS = os.pathsep.join([str(ROOT), str(Path(__file__).resolve().parent), os.environ.get("PYTHONPATH", "")])


class Done(NamedTuple):
    returncode: int | None
    stdout: str
    stderr: str


@cache
def _processes() -> Any:
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    from multiprocessing import forkserver

    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["preloaded"])
    with pytest.MonkeyPatch.context() as patch:  # where it finds this package and what is preloaded
        patch.setenv("PYTHONPATH", PATHS)
        forkserver.ensure_running()
    return context


def run(script: Path, folder: Path, *arguments: str) -> Done:
    """What a script prints, run in a folder."""
    with TemporaryDirectory() as place:
        files = [str(Path(place, name)) for name in ("stdout", "stderr")]
        process = _processes().Process(target=_become, args=(str(script), str(folder), arguments, *files))
        process.start()
        process.join()
        return Done(process.exitcode, *(Path(file).read_text(encoding="utf-8") for file in files))


def _become(script: str, folder: str, arguments: tuple[str, ...], stdout: str, stderr: str) -> None:
    """From here on this process is the script."""
    with Path(stdout).open("w", encoding="utf-8") as out, Path(stderr).open("w", encoding="utf-8") as err:
        sys.stdout, sys.stderr = out, err
        os.environ["MPLBACKEND"] = "Agg"
        os.chdir(folder)
        sys.argv[:] = [script, *arguments]
        sys.path.insert(0, str(Path(script).parent))
        try:
            runpy.run_path(script, run_name="__main__")
        except Exception:
            traceback.print_exc()
            sys.exit(1)
