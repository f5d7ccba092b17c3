"""Runs what was written in other languages: C by cc, JavaScript by node or a browser, Python by itself."""

from __future__ import annotations

import ctypes
import json
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from mbs_dae.kernels.languages.names import identifier

CALL = """
import * as m from %s;
const calls = %s;
console.log(JSON.stringify(calls.map(([name, ...args]) => Array.from(m[name](...args)))));
"""

PAGE = """<!DOCTYPE html><meta charset="utf-8"><body><script type="module">
%s
const m = {%s};
const told = %s.map(([name, ...args]) => Array.from(m[name](...args)));
const pre = document.createElement("pre");
pre.textContent = JSON.stringify(told);
document.body.append(pre);
</script></body>"""


def compiled(source: str, folder: Path) -> ctypes.CDLL:
    """C as a library; its warnings are errors."""
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler here")
    file, library = folder / "program.c", folder / "program.so"
    file.write_text(source, encoding="utf-8")
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O0", "-fPIC", "-shared", "-ffp-contract=off"]
    done = subprocess.run(["cc", *flags, str(file), "-o", str(library), "-lm"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:2000]
    return ctypes.CDLL(str(library))


def in_c(
    library: ctypes.CDLL, title: str, name: str, size: int, arrays: Sequence[Sequence[float]], t: float,
    parameters: Mapping[str, float] | None = None,
) -> np.ndarray:  # fmt: skip
    """The numbers of one function; without parameters the defaults."""
    own, out = identifier(title), (ctypes.c_double * (size or 1))()
    given: list[Any] = [ctypes.c_double(t), *((ctypes.c_double * (len(x) or 1))(*x) for x in arrays)]
    if parameters is not None:
        given.append((ctypes.c_double * len(parameters))(*parameters.values()))
    elif hasattr(library, f"{own}_defaults"):
        given.append(ctypes.addressof(ctypes.c_char.in_dll(library, f"{own}_defaults")))
        given[-1] = ctypes.c_void_p(given[-1])
    getattr(library, f"{own}_{name}")(*given, out)
    return np.array(out[:size])


def in_javascript(source: str, calls: Sequence[Sequence[Any]], folder: Path) -> list[np.ndarray]:
    """What functions of a module give: each call is a name and arguments. In node, or else inside a page."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if shutil.which("node"):
        printed = _in_node(source, calls, folder)
    elif browser:
        printed = _in_page(source, calls, folder, browser)
    else:
        pytest.skip("there is neither node nor a browser here to run JavaScript")
    return [np.array(numbers, dtype=float) for numbers in json.loads(printed)]


def _in_node(source: str, calls: Sequence[Sequence[Any]], folder: Path) -> str:
    module, script = folder / "module.mjs", folder / "script.mjs"
    module.write_text(source, encoding="utf-8")
    script.write_text(CALL % (json.dumps(module.as_uri()), json.dumps(calls)), encoding="utf-8")
    done = subprocess.run(["node", str(script)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:2000]
    return done.stdout


def _in_page(source: str, calls: Sequence[Sequence[Any]], folder: Path, browser: str) -> str:
    """The module stands in the page itself."""
    names = ", ".join(sorted({name for name, *_ in calls}))
    page = folder / "page.html"
    page.write_text(PAGE % (source, names, json.dumps(calls)), encoding="utf-8")
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", page.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    found = re.search(r"<pre>(.*?)</pre>", done.stdout, re.DOTALL)
    assert found, done.stdout[-2000:] + done.stderr[-2000:]
    return found[1]


def in_python(source: str) -> ModuleType:
    module = ModuleType("written")
    exec(compile(source, "<written>", "exec"), vars(module))
    return module
