"""Every notebook runs from its first cell to its last, and is a notebook for Jupyter as well."""

import os
import subprocess
import sys
from pathlib import Path

import jupytext
import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.py"))
each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)


def test_there_are_notebooks():
    assert NOTEBOOKS


@each_notebook
def test_it_runs(path, tmp_path):
    paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    environment = os.environ | {"PYTHONPATH": paths, "MPLBACKEND": "Agg", "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [sys.executable, str(path)], cwd=tmp_path, env=environment, capture_output=True, text=True, encoding="utf-8"
    )
    assert done.returncode == 0, f"{path.name} stops:\n{done.stderr}"
    assert not list(tmp_path.iterdir()), "a notebook leaves no files behind"


@each_notebook
def test_it_is_a_notebook_that_ends_in_a_check(path):
    notebook = jupytext.reads(path.read_text(encoding="utf-8"), fmt="py:percent")
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert len(notebook.cells) >= 8
    assert notebook.cells[0].cell_type == "markdown" and notebook.cells[0].source.startswith("# ")
    assert notebook.cells[-1] is code[-1] and "assert " in code[-1].source


@each_notebook
def test_jupytext_writes_it_back_as_it_is(path):
    text = path.read_text(encoding="utf-8")
    notebook = jupytext.reads(text, fmt="py:percent")
    again = jupytext.reads(jupytext.writes(notebook, fmt="py:percent"), fmt="py:percent")
    assert [(c.cell_type, c.source) for c in again.cells] == [(c.cell_type, c.source) for c in notebook.cells]
