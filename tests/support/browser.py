"""A browser for tests of pages: Chromium without a screen, which notes every error and every request of a network."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
PROGRAMS = ("chromium", "chromium-browser", "google-chrome")


@contextmanager
def browser() -> Iterator[Any]:
    """The test is skipped, with a word, where there is none."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        pytest.skip("no Chromium here; on Debian: apt-get install chromium")
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=program, args=FLAGS)
        try:
            yield opened
        finally:
            opened.close()


class Opened:
    """A page in the browser, with what it complained of and asked for."""

    def __init__(self, browser: Any, path: Path | str, width: int = 1100, height: int = 760, **options: Any):
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page = browser.new_page(viewport={"width": width, "height": height}, **options)
        self.page.on("console", lambda m: self.complaints.append(m.text) if m.type in ("error", "warning") else None)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(path.as_uri() if isinstance(path, Path) else path)
        self.until("window.mbs?.state.pose !== undefined")

    def __enter__(self) -> Opened:
        return self

    def __exit__(self, *_: object) -> None:
        self.page.close()

    def of_network(self) -> list[str]:
        """What it asked of anything but the file itself."""
        return [url for url in self.requests if not url.startswith(("file:", "data:", "blob:"))]

    def until(self, script: str, seconds: float = 20.0) -> None:
        """Wait for what a script says. (The page forbids texts that become code, so the browser cannot do it.)"""
        end = monotonic() + seconds
        while not self.page.evaluate(script):
            assert monotonic() < end, (script, self.complaints)
            self.page.wait_for_timeout(10)

    def run(self, script: str, *values: Any) -> Any:
        return self.page.evaluate(script, *values)

    def frame_cost(self, times: list[float], rounds: int = 5) -> float:
        """Return the script's cost of a frame in units of work that the same page does beside it: sorting 10,000 fixed
        numbers. Each time counts with the least cost of all rounds; their median is returned. Other programs on the
        machine slow down frames and sorting alike, and do not change the ratio."""
        script = """([times, rounds]) => {
            const numbers = Float64Array.from({ length: 10000 }, (_, k) => Math.sin(k * k));
            const frames = times.map(() => Infinity);
            let sorting = Infinity;
            for (let round = 0; round < rounds; round++) {
                times.forEach((time, k) => {
                    const begun = performance.now();
                    [...numbers].sort((a, b) => a - b);
                    sorting = Math.min(sorting, performance.now() - begun);
                    mbs.seek(time);
                    frames[k] = Math.min(frames[k], mbs.state.cost);
                });
            }
            return frames.sort((a, b) => a - b)[frames.length >> 1] / sorting;
        }"""
        return float(self.page.evaluate(script, [list(times), rounds]))
