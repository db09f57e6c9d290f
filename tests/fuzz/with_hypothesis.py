"""One target under hypothesis, where atheris has no wheel: seeds, mutated, for as long as the flags say."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.targets import TARGETS


def main() -> int:
    """Raises what the target raises, with the smallest input that was found."""
    name, *flags = sys.argv[1:]
    until = time.monotonic() + next((float(f.split("=")[1]) for f in flags if f.startswith("-max_total_time=")), 9.0)
    seeds = [p.read_bytes() for p in sorted(Path(flags[-1]).iterdir())]
    count = 0

    @settings(max_examples=50, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(st.lists(st.tuples(st.sampled_from(seeds), st.integers(0, 4000), st.binary(max_size=8)), min_size=1, max_size=6))
    def run(parts: list[tuple[bytes, int, bytes]]) -> None:
        nonlocal count
        count += 1
        TARGETS[name](b"".join(seed[:at] + odd + seed[at:] for seed, at, odd in parts))

    for seed in seeds:
        TARGETS[name](seed)
        count += 1
    while time.monotonic() < until:
        run()
    print(f"Done {count} runs", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
