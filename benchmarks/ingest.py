"""From files to a searchable memory: conversations ingested, read by the rules, in the graph and in the index.

    python -m benchmarks.ingest --data locomo.json [--engine kuzu]

Must, for the four development conversations (2,080 messages): at most 30 s and 400 MB at the peak.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from pathlib import Path

import sgraph


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, type=Path)
    parser.add_argument("--engine", default="kuzu")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        with sgraph.open(Path(folder) / "ingest.sgraph", engine=args.engine) as memory:
            report = memory.ingest(args.data)
            recorded = time.perf_counter()
            memory.cypher("MATCH (v:Event) RETURN count(v)")
            derived = time.perf_counter()
            memory.recall("Who moved, and where?", limit=5)
            found = time.perf_counter()
            counts = memory.status().counts
        closed = time.perf_counter()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{args.engine}: {report.kept} messages; recorded in {recorded - started:.1f} s, "
        f"derived and in the graph in {derived - recorded:.1f} s, "
        f"in the index in {found - derived:.1f} s, closed in {closed - found:.1f} s"
    )
    print(
        f"{counts['events']} events ({100 * counts['events'] / report.kept:.0f} per 100 messages), "
        f"{counts['facts']} facts, {counts['entities']} entities"
    )
    total = closed - started
    print(f"{total:.1f} s in all (must 30), {peak:.0f} MB at the peak (must 400)")
    return 0 if total <= 30 and peak <= 400 else 1


if __name__ == "__main__":
    sys.exit(main())
