"""Write papers to files; the ending of a file's name decides the format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ..errors import ModelError
from ..results.files import file_at, replacing
from .html import html
from .latex import latex
from .markdown import markdown
from .paper import Paper

ENDINGS: dict[str, Callable[[Paper], str]] = {".html": html, ".tex": latex, ".md": markdown}


def as_text(paper: Paper, ending: str) -> str:
    return ENDINGS[ending](paper)


def write(path: str | Path, endings: list[str], text: Callable[[str], str]) -> Path:
    """Write a text to a file whose name has one of these endings; `text` makes the content for an ending."""
    path = file_at(path, f"end it in {', '.join(endings)}")
    ending = path.suffix.lower()
    if ending not in endings:
        raise ModelError(
            f"{str(path)!r} says nothing of what to write; end it in {', '.join(endings)}",
            code="unknown-format", argument="path", file=str(path), format=ending, choices=tuple(endings),
        )  # fmt: skip
    content = text(ending)
    with replacing(path, "choose another place") as place:
        place.write_text(content, encoding="utf-8", newline="\n")
    return path
