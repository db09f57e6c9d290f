"""``python -m tests.fuzz``: every target for GPUALERT_FUZZ_S seconds (default 9), by atheris; where it has no wheel, by hypothesis.

``python -m tests.fuzz TARGET FILE…`` runs a target on inputs, such as one that failed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SECONDS = float(os.environ.get("GPUALERT_FUZZ_S") or 9)
LONGEST_INPUT = 16_384
HANG_S = 25
MEMORY_MB = 2048
STARTUP_S = 240
"""A busy machine may take long to load and instrument; the fuzzing itself is bounded by SECONDS."""


def main() -> int:
    """Exit status 0 when every promise held, 1 when one did not."""
    if len(sys.argv) > 2 and sys.argv[1] != "--one":
        return again(sys.argv[1], sys.argv[2:])
    from tests.fuzz.targets import TARGETS

    try:
        import atheris  # noqa: F401

        by = "atheris"
    except ImportError:
        by = "hypothesis (atheris has no wheel for this interpreter)"
    failed = [name for name in TARGETS if not fuzzed(name, by)]
    print(f"fuzz: {len(TARGETS) - len(failed)} of {len(TARGETS)} targets held" + (f"; {', '.join(failed)} did not" if failed else ""))
    return 1 if failed else 0


def fuzzed(name: str, by: str) -> bool:
    """One target in a process of its own: a crash of native code is a finding like any other."""
    from tests.fuzz.seeds import seeds

    with tempfile.TemporaryDirectory(prefix="gpualert-fuzz-") as folder:
        corpus = Path(folder, "corpus")
        corpus.mkdir()
        for at, seed in enumerate(seeds(name)):
            (corpus / f"{at:04d}").write_bytes(seed)
        module = "tests.fuzz.with_atheris" if by == "atheris" else "tests.fuzz.with_hypothesis"
        flags = [f"-max_total_time={max(1, round(SECONDS))}", f"-max_len={LONGEST_INPUT}", f"-timeout={HANG_S}", f"-rss_limit_mb={MEMORY_MB}", f"-artifact_prefix={folder}/"]
        began = time.monotonic()
        try:
            done = subprocess.run([sys.executable, "-m", module, name, *flags, str(corpus)], capture_output=True, text=True, errors="replace", timeout=SECONDS + STARTUP_S, check=False)
        except subprocess.TimeoutExpired:
            print(f"fuzz {name}: did not end")
            return False
        runs = next((line.split()[1] for line in reversed(done.stderr.splitlines()) if line.startswith("Done ")), "?")
        print(f"fuzz {name}: {runs} inputs in {time.monotonic() - began:.0f} s by {by}: {'held' if done.returncode == 0 else 'FAILED'}", flush=True)
        if done.returncode:
            print(done.stdout[-3000:], done.stderr[-3000:], sep="\n")
            keep(name, Path(folder))
        return done.returncode == 0


def keep(name: str, folder: Path) -> None:
    """The inputs that failed, where the next run of a test can have them."""
    for found in [p for p in folder.iterdir() if p.is_file()]:
        kept = Path("build", "fuzz", f"{name}-{found.name}")
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(found.read_bytes())
        print(f"the input is kept: python -m tests.fuzz {name} {kept}")


def again(name: str, files: list[str]) -> int:
    """Run a target on inputs; it raises where it fails."""
    from tests.fuzz.targets import TARGETS

    for file in files:
        TARGETS[name](Path(file).read_bytes())
        print(f"{file}: held")
    return 0


if __name__ == "__main__":
    sys.exit(main())
