"""What is wrong with the built site, by name: dead links, requests of a network, pages too heavy, names without entry.

``python docs/site/check.py build/site`` says it line by line.
"""

from __future__ import annotations

import re
import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

HEAVIEST = 300_000  # bytes that a page loads: itself, styles, scripts, pictures; not what is in frames
MOVING = "_static/moving"


@dataclass
class Page(HTMLParser):
    """What a page links to and loads, and which places in it have names."""

    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)
    frames: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=lambda: {"", "top"})

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag == "iframe":
            self.frames.append(given["src"])
        if tag == "link" and given.get("rel") in ("stylesheet", "icon", "preload"):
            self.loads.append(given["href"])
        if tag in ("script", "img", "source", "video", "audio") and "src" in given:
            self.loads.append(given["src"])


def faults(site: Path) -> list[str]:
    """One line for each; none if all is well."""
    pages = [path for path in sorted(site.rglob("*.html")) if is_document(path)]
    found = [f"{site} has no index.html"] * (not (site / "index.html").is_file())
    for path in pages:
        name, page = path.relative_to(site), read(path)
        found += [f"{name}: a dead link: {link}" for link in dead(site, path, page)]
        found += [f"{name} asks a network for {url}" for url in [*page.loads, *page.frames] if is_of_network(url)]
        if (weight := weight_of(path, page)) > HEAVIEST:
            found.append(f"{name} loads {weight:,} bytes, more than {HEAVIEST:,}")
    for style in sorted(site.rglob("*.css")):
        urls = re.findall(r"(?:url\(\s*[\"']?|@import\s+[\"'])([^)\"']+)", style.read_text(encoding="utf-8"))
        found += [f"{style.relative_to(site)} asks a network for {url}" for url in urls if is_of_network(url)]
    return found + [f"the reference has no entry for mbs_dae.{name}" for name in without_entry(site)]


@cache
def read(path: Path) -> Page:
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def is_of_network(url: str) -> bool:
    return bool(re.match(r"(https?:)?//", url))


def dead(site: Path, path: Path, page: Page) -> Iterator[str]:
    for link in dict.fromkeys([*page.links, *page.loads, *page.frames]):
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        there = target.is_file() and target.is_relative_to(site)
        if not there or (is_document(target) and unquote(parts.fragment) not in read(target).anchors):
            yield link


def is_document(path: Path) -> bool:
    """A page of the site; moving pages are none, their places have no names."""
    return path.suffix == ".html" and MOVING not in path.as_posix()


def weight_of(path: Path, page: Page) -> int:
    """With what its styles and scripts load by themselves, the search excepted, whose index is no part of a page."""
    files = {(path.parent / unquote(urlsplit(url).path)).resolve() for url in page.loads if not is_data(url)}
    files = {file for file in files if file.name != "searchindex.js"}
    return path.stat().st_size + sum(file.stat().st_size for file in files if file.is_file())


def is_data(url: str) -> bool:
    return url.startswith("data:") or is_of_network(url)


def without_entry(site: Path) -> list[str]:
    """Public names that no page of the reference describes; a module may be described where it is."""
    import mbs_dae as mbs

    described = {line.split(" ")[0] for line in inventory(site / "objects.inv")}
    named = {name: {f"mbs_dae.{name}", getattr(getattr(mbs, name), "__name__", "")} for name in mbs.__all__}
    return [name for name, places in named.items() if not described & places]


def inventory(path: Path) -> list[str]:
    """The lines of Sphinx's list of all that has an entry: four lines of words, then a compressed rest."""
    content = path.read_bytes()
    for _ in range(4):
        content = content.partition(b"\n")[2]
    return zlib.decompress(content).decode().splitlines()


if __name__ == "__main__":
    told = faults(Path(sys.argv[1]).resolve())
    print(*told, sep="\n")
    sys.exit(bool(told))
