"""Every notebook runs from its first cell to its last, and is a notebook for Jupyter as well.

``make docs`` runs all of them for the site, and stops where one stops. So they run as scripts in a soak only.
"""

import jupytext
import pytest
from gallery import ROOT
from scripts import run

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.py"))
each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)


def test_there_are_notebooks():
    assert NOTEBOOKS


@pytest.mark.soak
@each_notebook
def test_it_runs_as_a_script(path, tmp_path):
    done = run(path, tmp_path)
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
