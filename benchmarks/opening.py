"""Opening a large space after a clean close: what the first moments cost, in time and in memory.

    python -m benchmarks.opening [--messages 100000] [--engine kuzu] [--rules]

Must: open in at most 1 s. `--rules` lets the built-in rules read every message while the space is made (slow).
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import sgraph.memory  # what is imported on first use is not part of opening

LIMIT = 1.0
AT_ONCE = 200
PER_THREAD = 1_000


def make(path: Path, engine: str, messages: int, rules: bool) -> None:
    """Make a space of so many messages, its graph at the end of its journal."""
    with sgraph.open(path, engine=engine, rules=rules) as memory:
        for start in range(0, messages, AT_ONCE):
            batch = [
                {
                    "role": ("user", "assistant")[number % 2],
                    "content": f"Message {number} tells of place {number % 977}.",
                }
                for number in range(start, min(start + AT_ONCE, messages))
            ]
            memory.add_messages(batch, thread=f"t{start // PER_THREAD}", at=1_760_000_000 + start)
            if start % 10_000 == 0:
                memory.cypher("RETURN 1")
        memory.cypher("RETURN 1")


def measure(path: Path) -> None:
    """Open a space; print the seconds of each step, and the peak memory in MB after it."""
    started = time.perf_counter()
    memory = sgraph.open(path)
    steps = {
        "open": lambda: None,
        "status": memory.status,
        "first query": lambda: memory.cypher("MATCH (m:Message) RETURN count(m)"),
    }
    for name, act in steps.items():
        act()
        print(name, time.perf_counter() - started, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, sep="\t")
        started = time.perf_counter()
    memory.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--engine", default="kuzu")
    parser.add_argument("--rules", action="store_true")
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.measure:
        measure(args.measure)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "s.sgraph"
        started = time.perf_counter()
        make(path, args.engine, args.messages, args.rules)
        print(f"{args.messages} messages recorded and in the graph in {time.perf_counter() - started:.0f} s")
        command = [sys.executable, "-m", "benchmarks.opening", "--measure", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = [line.split("\t") for line in done.stdout.splitlines()]
    for name, seconds, peak in found:
        print(f"{name:12} {float(seconds):6.3f} s  peak {float(peak):5.0f} MB")
    opened = float(found[0][1])
    print(f"{args.engine}: {args.messages} messages open in {opened:.2f} s (at most {LIMIT:.0f})")
    return 0 if opened <= LIMIT else 1


if __name__ == "__main__":
    raise SystemExit(main())
