"""Pages that list things list all of them, and what the how-to index names exists."""

import inspect
import re

import pytest
from gallery import ALL, ROOT

import mbs_dae as mbs

DOCS = ROOT / "docs"
CALL = r"\b(mbs|model|result|study)\.([A-Za-z]\w*)(\([^()]*)?"
OF = {"model": (mbs.PlanarModel, mbs.SpatialModel), "result": (mbs.Result,), "study": (mbs.Ensemble,)}


def links(*paths: str) -> list[str]:
    """The names, without folders, of the files that pages link to."""
    texts = [(ROOT / path).read_text(encoding="utf-8") for path in paths]
    return [target.rpartition("/")[2] for text in texts for target in re.findall(r"\]\(([^)\s#]+)", text)]


def test_decisions_are_listed_once():
    listed = [name for name in links("docs/decisions/README.md") if name[0].isdigit()]
    assert sorted(listed) == sorted(path.name for path in (DOCS / "decisions").glob("[0-9]*.md"))


def test_every_model_is_in_the_gallery():
    pages = [str(path.relative_to(ROOT)) for path in sorted((DOCS / "gallery").glob("*.md"))]
    assert {name for name in links(*pages) if name.endswith(".py")} == {f"{stem}.py" for stem in ALL}
    listed = [name for name in links("models/README.md") if name.endswith(".py")]
    assert sorted(listed) == [f"{stem}.py" for stem in ALL]
    assert {path.name for path in (DOCS / "gallery").glob("*.md")} <= set(links("models/README.md"))
    assert {path.stem for path in (DOCS / "gallery").glob("*.png")} == set(ALL)


def code_of(page: str) -> list[str]:
    return re.findall(r"`([^`\n]+)`", (DOCS / page).read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", ["how-to.md", "what-you-can-ask.md"])
def test_calls_exist_with_the_arguments_that_are_named(page):
    wrong = []
    for code in code_of(page):
        for owner, name, arguments in re.findall(CALL, re.sub(r'"[^"]*"', '""', code)):
            named = set(re.findall(r"\b(\w+)=(?!=)", arguments))
            if not exists(owner, name):
                wrong.append(f"{owner}.{name}")
            elif owner == "mbs" and not takes(getattr(mbs, name), named):
                wrong.append(f"{owner}.{name}({', '.join(named)})")
    assert not wrong, f"{page} names what does not exist: {', '.join(wrong)}"


def exists(owner: str, name: str) -> bool:
    """A name of the package; a method of models or results, or a field of theirs."""
    if owner == "mbs":
        return name in mbs.__all__
    return any(hasattr(kind, name) or name in getattr(kind, "__dataclass_fields__", ()) for kind in OF[owner])


def takes(what: object, named: set[str]) -> bool:
    if not named:
        return True
    parameters = inspect.signature(what).parameters.values()
    return any(p.kind is p.VAR_KEYWORD for p in parameters) or named <= {p.name for p in parameters}
