"""README.md and docs/: their Python runs, what they print is what they show, and what they point at exists.

Of each page the blocks marked ``python`` run in order, as one program, in an empty folder. A block marked ``output``
behind one of them is what it prints (``...`` stands for anything, and white space does not count).
"""

import re
from dataclasses import dataclass
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE, OutputChecker
from pathlib import Path

import pytest
from gallery import ROOT
from scripts import run

FIGURES = ROOT / "docs" / "figures"
LARGEST_FIGURE = 60_000  # bytes
PAGES = ["README.md", "CONTRIBUTING.md", *(f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md")))]
GALLERY = ["models/README.md", *(str(path.relative_to(ROOT)) for path in sorted((ROOT / "docs/gallery").glob("*.md")))]
DECISIONS = [str(path.relative_to(ROOT)) for path in sorted((ROOT / "docs" / "decisions").glob("*.md"))]
REFERENCE = [str(path.relative_to(ROOT)) for path in sorted((ROOT / "docs" / "reference").glob("*.md"))]
NOTEBOOKS = [f"notebooks/{path.name}" for path in sorted((ROOT / "notebooks").glob("*.py"))]

END = "\x1e"  # printed after each block: where the output of one ends and that of the next begins


@dataclass(frozen=True)
class Block:
    language: str
    first: int
    """The number of its first line."""
    lines: tuple[str, ...]


def read(page: str) -> str:
    path = ROOT / page
    assert path.is_file(), f"{page} is missing; write it"
    return path.read_text(encoding="utf-8")


def blocks(text: str) -> list[Block]:
    """The fenced blocks of a page, in order."""
    found, fence, language, start = [], "", "", 0
    lines = text.splitlines()
    for number, line in enumerate(lines, start=1):
        mark = re.match(r"(```+|~~~+)\s*(\w*)", line)
        if not fence and mark:
            fence, language, start = mark[1], mark[2], number + 1
        elif fence and line.rstrip() == fence:
            found.append(Block(language, start, tuple(lines[start - 1 : number - 1])))
            fence = ""
    assert not fence, f"the block that begins on line {start} has no end"
    return found


def program(code: list[Block]) -> str:
    """One program, each line where it stands on the page, so that a traceback tells the place."""
    lines = [""] * (code[-1].first + len(code[-1].lines))
    for block in code:
        lines[block.first - 1 : block.first - 1 + len(block.lines)] = block.lines
        lines[block.first - 1 + len(block.lines)] = f"print({END!r})"
    return "\n".join(lines) + "\n"


def printed_by(script: Path, folder: Path) -> str:
    """What a script prints, run by itself in a folder of its own."""
    folder.mkdir()
    done = run(script, folder)
    assert done.returncode == 0, f"{script.name} stops:\n{done.stderr}"
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_python_of_a_page_runs_and_prints_what_is_shown(page, tmp_path):
    found = blocks(read(page))
    code = [block for block in found if block.language == "python"]
    if not code:
        return
    script = tmp_path / Path(page).with_suffix(".py").name
    script.write_text(program(code), encoding="utf-8")
    printed = printed_by(script, tmp_path / "folder").split(f"{END}\n")

    outputs = [(a, b) for a, b in zip(found, found[1:], strict=False) if b.language == "output"]
    for block, shown in outputs:
        where = f"{page}, line {shown.first}"
        assert block in code, f"{where}: an output stands behind a block that does not run"
        got, want = printed[code.index(block)], "\n".join([*shown.lines, ""])
        same = OutputChecker().check_output(want, got, ELLIPSIS | NORMALIZE_WHITESPACE)
        assert same, f"{where} shows\n{want}\nbut the block before it prints\n{got}"


@pytest.mark.parametrize("page", [*PAGES, *GALLERY, *DECISIONS, *REFERENCE, *NOTEBOOKS])
def test_links_and_pictures_exist(page):
    text = read(page)
    if page.endswith(".py"):
        text = "\n".join(line.removeprefix("# ") for line in text.splitlines() if line.startswith("# "))
    broken = [target for target in targets(text) if not exists(page, target)]
    assert not broken, f"{page} points at what is not there: {', '.join(broken)}"


def targets(text: str) -> list[str]:
    """Everything that a page links to or shows, but for addresses on the web."""
    prose = re.sub(r"`[^`\n]*`", "", without_blocks(text))
    found = re.findall(r"\]\(\s*<?([^)\s>]+)", prose)  # [text](target), ![text](target)
    found += re.findall(r"^\[[^\]]+\]:\s*(\S+)", prose, re.MULTILINE)  # [name]: target
    found += re.findall(r"<(?:img|a)\b[^>]*?\b(?:src|href)=\"([^\"]+)\"", prose)
    return [target for target in found if not re.match(r"[a-z]+:", target)]


def exists(page: str, target: str) -> bool:
    name, _, anchor = target.partition("#")
    path = (ROOT / page).parent / name if name else ROOT / page
    if not path.exists():
        return False
    return not anchor or path.suffix != ".md" or anchor in anchors(path.read_text(encoding="utf-8"))


def anchors(text: str) -> set[str]:
    """What the headings of a page are called in links to them."""
    headings = re.findall(r"^#+\s+(.*?)\s*$", without_blocks(text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def without_blocks(text: str) -> str:
    return re.sub(r"^(```+|~~~+).*?^\1\s*$", "", text, flags=re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", PAGES)
def test_files_named_in_prose_exist(page):
    """`linear/kkt.py` is a file of the repository or of the package; NAME in capitals stands for any name."""
    named = re.findall(r"`([\w./]+/[\w.]+\.(?:py|md|toml))`", without_blocks(read(page)))
    places = (ROOT, ROOT / "mbs_dae")
    missing = {name for name in named if "NAME" not in name and not any((at / name).exists() for at in places)}
    assert not missing, f"{page} names files that do not exist: {', '.join(sorted(missing))}"


@pytest.mark.slow
def test_every_figure_is_made_by_the_script_and_small(tmp_path):
    made = tmp_path / "figures"
    run_figures = tmp_path / "run.py"
    run_figures.write_text(
        f"import runpy, sys\nsys.argv = ['make.py', {str(made)!r}]\n"
        f"runpy.run_path({str(FIGURES / 'make.py')!r}, run_name='__main__')\n",
        encoding="utf-8",
    )
    printed_by(run_figures, tmp_path / "folder")
    assert [path.name for path in figures(made)] == [path.name for path in figures(FIGURES)]
    assert all(path.stat().st_size < LARGEST_FIGURE for path in [*figures(made), *figures(FIGURES)])


def figures(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.suffix in (".png", ".svg", ".gif"))


def test_every_figure_is_shown_somewhere():
    shown = "".join(read(page) for page in [*PAGES, *NOTEBOOKS])
    unseen = [path.name for path in figures(FIGURES) if f"figures/{path.name}" not in shown]
    assert not unseen, f"no page shows these figures; remove them: {', '.join(unseen)}"


# The reader itself, on small pages.

PAGE = """
# A page: Φ & all

```python
x = 1
print(x)
```

```output
1
```

[here](docs/x.md) ![](a.svg) <img src="b.png"> [web](https://example.org) `[no](code)`

```text
[nor](this)
```
"""


def test_blocks_keep_their_places():
    found = blocks(PAGE)
    assert [(b.language, b.first) for b in found] == [("python", 5), ("output", 10), ("text", 16)]
    assert program(found[:1]).splitlines()[4:7] == ["x = 1", "print(x)", f"print({END!r})"]


def test_targets_are_those_of_the_prose():
    assert targets(PAGE) == ["docs/x.md", "a.svg", "b.png"]


def test_anchors_are_those_of_the_headings():
    assert anchors(PAGE) == {"a-page-φ--all"}
