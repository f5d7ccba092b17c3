"""Every error has a code, and docs/messages shows the wording of each message."""

from __future__ import annotations

import ast
import copy
import pickle
import re
import runpy

import pytest
from gallery import ROOT

import mbs_dae as mbs

TOOL = runpy.run_path(str(ROOT / "tools" / "messages.py"))
FILES = TOOL["trees"]()
CLASSES = TOOL["error_classes"](FILES)


def test_the_pages_show_all_messages():
    folder = ROOT / "docs" / "messages"
    written = {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}
    assert written == TOOL["pages"](), "run python tools/messages.py"


def test_every_error_has_a_code():
    """The code is a constant of one to five words, or the code of another error that is passed on."""
    calls, missing = 0, []
    for path, tree in FILES.items():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or TOOL["name_of"](node) not in CLASSES or not node.args:
                continue
            calls += 1
            code = next((one.value for one in node.keywords if one.arg == "code"), (*node.args[1:], None)[0])
            known = isinstance(code, ast.Constant) and re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+){0,4}", str(code.value))
            if not known and not isinstance(code, (ast.Name, ast.Attribute)):
                missing.append(f"{path}:{node.lineno}")
    assert calls > 1000 and not missing, missing


def test_an_error_goes_to_another_process_with_its_code_and_facts():
    """A fact that cannot be pickled arrives as its text."""
    error = mbs.ModelError("no", "not-a-number", value=lambda: 1, least=2)
    for sent in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert (str(sent), sent.code, sent.least, sent.facts["least"]) == ("no", "not-a-number", 2, 2)
        assert "lambda" in str(sent.value)


def test_a_code_stands_for_one_kind_of_fault():
    with pytest.raises(mbs.ModelError) as caught:
        mbs.PlanarModel("crank").body("rod", mass=-1)
    assert caught.value.code == "negative"
    with pytest.raises(mbs.ModelError) as caught:
        mbs.PlanarModel("crank").bodies["rod"]
    assert (caught.value.code, caught.value.kind, caught.value.name) == ("unknown-name", "body", "rod")
