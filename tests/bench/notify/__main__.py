"""``make bench-notify``: writes its section of doc/performance.md. GPUALERT_BENCH_MESSAGES makes it smaller (10000 where unset)."""

from __future__ import annotations

import logging
import os
import sys
import tempfile
from pathlib import Path

from tests.bench import page
from tests.bench.compare import Row
from tests.bench.notify import killed, rendering, storm, throughput, years

COMMAND = "make bench-notify"


def main() -> int:
    """0 when every bound is met. Names of parts on the command line run these alone, and print instead of writing the page."""
    logging.disable(logging.WARNING)
    messages = int(os.environ.get("GPUALERT_BENCH_MESSAGES") or 10_000)
    parts = {"killed": lambda f, p: killed.run(f, messages, p), "throughput": lambda f, p: throughput.run(f, min(messages, 1000), p),
             "rendering": lambda _, p: rendering.run(p), "years": lambda f, p: years.run(f, messages * 10, p),
             "storm": lambda _, p: storm.run(messages // 2, p)}
    wanted = sys.argv[1:] or list(parts)
    before, rows = os.getloadavg()[0], list[Row]()
    for name in wanted:
        with tempfile.TemporaryDirectory(prefix="gpualert-bench-", dir="/var/tmp") as folder:
            found = parts[name](Path(folder), lambda words, name=name: print(f"\r{name}: {words}   ", end="", file=sys.stderr, flush=True))  # type: ignore[misc]
        print("", *(f"  {row.what}: {row.figure} ({row.bound}); {row.runs}" for row in found), sep="\n", file=sys.stderr, flush=True)
        rows += found
    text = page.section(COMMAND, rows, (before, os.getloadavg()[0]), f"Python {sys.version.split()[0]}, aiosmtpd on loopback in a process of its own")
    print(text)
    if not sys.argv[1:] and messages >= 10_000:
        page.put(COMMAND, text)
    return 0 if all(row.met is not False for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
