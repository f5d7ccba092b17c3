"""Compare workspaces of random mechanisms with closed forms and dense scans: count those that are right, and those with
a note that something is open.

python benchmarks/workspaces.py [FAMILY ...] [--seeds FIRST LAST]

A workspace is right if its areas by number of modes differ by less than 1e-4 of the reached area, and if its numbers of
modes at random points agree.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))

from workspace_oracle import FAMILIES, Verdict

VERDICTS = ("right", "right, with a note", "wrong, with a note", "wrong in silence")


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare workspaces of random mechanisms with oracles.")
    parser.add_argument("families", nargs="*", metavar="FAMILY", help=", ".join(FAMILIES))
    parser.add_argument("--seeds", nargs=2, type=int, default=(0, 100), metavar=("FIRST", "LAST"))
    asked = parser.parse_args()
    rows = [run(name, FAMILIES[name], range(*asked.seeds)) for name in asked.families or FAMILIES]
    print("| family | " + " | ".join(VERDICTS) + " | a case [s], median and longest |")
    print("| --- |" + " ---: |" * (len(VERDICTS) + 1))
    print("\n".join(rows))


def run(name: str, family: Callable[[int], Verdict], seeds: range) -> str:
    counts, times, notes = Counter[str](), [], Counter[str]()
    for seed in seeds:
        began = time.process_time()
        verdict = family(seed)
        times.append(time.process_time() - began)
        counts[verdict.name] += 1
        notes.update({re.sub(r"[-+]?\d[\d.e+-]*", "…", note) for note in verdict.doubts})
        if verdict.wrong or verdict.doubts:
            print(f"{name} {seed}: {verdict.name}; {'; '.join([*verdict.wrong[:2], *verdict.doubts[:2]])}", flush=True)
    for note, count in notes.most_common():
        print(f"{name}, note in {count}: {note}", flush=True)
    numbers = " | ".join(str(counts[verdict]) for verdict in VERDICTS)
    return f"| {name} | {numbers} | {np.median(times):.1f}, {max(times):.1f} |"


if __name__ == "__main__":
    main()
