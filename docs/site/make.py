"""Make the site: ``python docs/site/make.py build`` writes build/site, and checks what it has written."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import check
import moving

ROOT = Path(__file__).resolve().parents[2]


def main(build: Path) -> int:
    moving.make(build / "static" / "moving")
    site = build / "site"
    options = ["-W", "--keep-going", "-q", "-j", "2", "-d", build / "doctrees", "-c", ROOT / "docs" / "site"]
    made = subprocess.run([sys.executable, "-m", "sphinx", *map(str, options), str(ROOT), str(site)], check=False)
    for picture in sorted((site / "_images").glob("*.png")):
        moving.gallery.few_colours(picture, 32)
    faults = check.faults(site)
    print(*faults, sep="\n", file=sys.stderr)
    if made.returncode or faults:
        return 1
    print(f"the site is in {site / 'index.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
