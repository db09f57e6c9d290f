"""Scanning logs: raw matching beside ripgrep, and from file to evidence. Needs no cluster, and ripgrep for one comparison."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.bench import scan_log
from tests.bench.compare import Progress, Row, interleave, rounds

ROUNDS = 5
RAW_BYTES = int(os.environ.get("GPUALERT_SCAN_BYTES") or 2_000_000_000)
BARS_BYTES = 200_000_000
MOST_RSS = 200 << 20
LEAST_PACE = 400e6
_CHILD = """
import json, resource, sys, time
from pathlib import Path
from gpualert_slurm.classifier import scan
from gpualert_slurm.classifier.engine import engine
from gpualert_slurm.evidence import Where
rules, path = engine(), Path(sys.argv[1])
began, cpu = time.perf_counter(), time.process_time()
with path.open("rb") as log:
    parsed = scan(log, str(path), Where())
print(json.dumps({"wall": time.perf_counter() - began, "cpu": time.process_time() - cpu, "rss": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
                  "size": parsed.bytes_read, "evidence": len(parsed.evidence), "nominator": type(rules.nominator).__name__,
                  "says": sorted({e.says for e in parsed.evidence})}))
"""


def run(progress: Progress) -> list[Row]:
    """All comparisons, each variant in turn on the same file, which lies in the page cache."""
    with tempfile.TemporaryDirectory(prefix="gpualert-scan-", dir=os.environ.get("GPUALERT_BENCH_DIR")) as folder:
        mixed, alone, bars = Path(folder, "mixed.log"), Path(folder, "progress.log"), Path(folder, "bars.log")
        progress("writing the logs")
        scan_log.write(mixed, RAW_BYTES, scan_log.MIX)
        scan_log.write(alone, BARS_BYTES, 1.0)
        scan_log.write_bars(bars, BARS_BYTES)
        return [
            *_raw(mixed, Path(folder), progress),
            *_evidence("a log of 5 % progress", mixed, LEAST_PACE, progress),
            _parts(mixed, progress),
            *_evidence("a log of progress alone", alone, None, progress),
            *_evidence("one tqdm bar, behind carriage returns", bars, None, progress),
            *_without_the_wheel(Path(folder), progress),
            _slowest_line(progress),
        ]


def _raw(log: Path, folder: Path, progress: Progress) -> list[Row]:
    """Which lines hold a match of any pattern: counted by ripgrep and by Hyperscan from the very same expressions."""
    from gpualert_slurm.classifier.engine import engine
    from gpualert_slurm.classifier.hyper import expressions

    rules = engine()
    regexes = rules.nominated_by
    size = log.stat().st_size
    counts: dict[str, int] = {}

    def ours() -> float:
        began, lines = time.perf_counter(), 0
        with log.open("rb") as file:
            rest = b""
            while fresh := file.read(1 << 20):
                data = rest + fresh
                end = data.rfind(b"\n") + 1
                lines += len(rules.nominator.lines(data[:end]))
                rest = data[end:]
            lines += len(rules.nominator.lines(rest))
        counts["ours"] = lines
        return time.perf_counter() - began

    patterns = folder / "patterns"
    patterns.write_bytes(b"\n".join(b"(?-u:" + one + b")" for one in expressions(regexes)) + b"\n")

    def theirs() -> float:
        began = time.perf_counter()
        found = subprocess.run(["rg", "-j1", "-a", "-c", "--no-config", "--no-unicode", "-f", str(patterns), str(log)], check=False, capture_output=True)
        took = time.perf_counter() - began
        if found.returncode not in {0, 1}:
            raise RuntimeError(f"rg: {found.stderr[:500]!r}")
        counts["rg"] = int(found.stdout.strip() or 0)
        return took

    what = f"raw matching of {size / 1e9:.1f} GB, 5 % progress, {len(regexes)} patterns"
    if shutil.which("rg") is None:
        progress("ripgrep is not installed")
        values = interleave({"ours": ours}, rounds(ROUNDS), progress)
        return [Row(what, _pace(size, values["ours"]), "ahead of `rg -j1 -a -c -f`", None, "ripgrep is not installed: not compared")]
    values = interleave({"ours": ours, "rg": theirs}, rounds(ROUNDS), progress)
    ahead = statistics.median(values["rg"]) / statistics.median(values["ours"])
    lines = f"lines found: {counts['ours']} and {counts['rg']}"
    runs = f"rg {_pace(size, values['rg'])}; {lines}; n={len(values['ours'])}"
    return [Row(what, f"{_pace(size, values['ours'])}, {ahead:.1f} × rg", "ahead of `rg -j1 -a -c -f`", ahead > 1 and counts["ours"] == counts["rg"], runs)]


def _evidence(what: str, log: Path, least: float | None, progress: Progress) -> list[Row]:
    """File to evidence in a process of its own, the file's hash included; pace by CPU time, since that is what a node gives."""
    found = []
    for number in range(rounds(ROUNDS)):
        found.append(_child(log))
        progress(f"{what} {number + 1}/{rounds(ROUNDS)}")
    size = found[0]["size"]
    cpu, wall, rss = ([float(one[key]) for one in found] for key in ("cpu", "wall", "rss"))
    pace = size / statistics.median(cpu)
    runs = f"{size / 1e6:.0f} MB, {found[0]['evidence']} pieces of evidence, {found[0]['nominator']}; by the wall clock {_pace(size, wall)}; n={len(found)}"
    rows = [
        Row(f"file to evidence, hash included: {what}", f"{pace / 1e6:.0f} MB/s of CPU", "≥ 400 MB/s" if least else "", pace >= least if least else None, runs)
    ]
    if least:
        rows.append(Row("the same: most memory held (RSS)", f"{max(rss) / 2**20:.0f} MiB", "≤ 200 MB", max(rss) <= MOST_RSS, f"n={len(rss)}"))
    return rows


def _parts(log: Path, progress: Progress) -> Row:
    """What no scan can be faster than: the file read and hashed, and read and matched, with nothing done about what is found."""
    from gpualert_slurm.classifier.engine import engine
    from gpualert_slurm.classifier.lines import BLOCK_BYTES

    nominator = engine().nominator

    def hashed() -> float:
        digest = hashlib.sha256()
        return _through(log, BLOCK_BYTES, digest.update)

    values = interleave({"hash": hashed, "match": lambda: _through(log, BLOCK_BYTES, nominator.lines)}, min(3, rounds(ROUNDS)), progress)
    size = log.stat().st_size
    paces = [size / statistics.median(values[name]) for name in ("hash", "match")]
    both = 1 / sum(1 / pace for pace in paces)
    figure = f"{paces[0] / 1e6:.0f} and {paces[1] / 1e6:.0f} MB/s of CPU"
    return Row("of that: the file read and hashed (SHA-256) alone, and read and its lines nominated alone", figure, "", None, f"together {both / 1e6:.0f} MB/s; n={len(values['hash'])}")


def _through(log: Path, block: int, take: Callable[[bytes], object]) -> float:
    began = time.process_time()
    with log.open("rb") as file:
        while data := file.read(block):
            take(data)
    return time.process_time() - began


def _without_the_wheel(folder: Path, progress: Progress) -> list[Row]:
    log = folder / "small.log"
    scan_log.write(log, 50_000_000, scan_log.MIX)
    found = [_child(log, GPUALERT_ENGINE="plain") for _ in range(3)]
    progress("without Hyperscan")
    cpu = [float(one["cpu"]) for one in found]
    what = "file to evidence where there is no Hyperscan: a log of 5 % progress"
    return [Row(what, f"{found[0]['size'] / statistics.median(cpu) / 1e6:.0f} MB/s of CPU", "", None, f"{found[0]['nominator']}, n={len(cpu)}")]


def _slowest_line(progress: Progress) -> Row:
    """The slowest MiB that can be made of what the patterns themselves know: their samples, cut and repeated, in lines of the longest length."""
    from tests.bench.hostile import slowest

    took, of, tried = slowest(progress)
    return Row("the slowest of many hostile inputs of 1 MiB", f"{took:.2f} s", "≤ 1 s", took <= 1, f"made of {of}; {tried} inputs")


def _child(log: Path, **environment: str) -> dict[str, float | str]:
    done = subprocess.run(
        [sys.executable, "-c", _CHILD, str(log)], check=True, capture_output=True, env={**os.environ, **environment}, cwd=Path(__file__).parents[2]
    )
    found: dict[str, float | str] = json.loads(done.stdout)
    return found


def _pace(size: int, seconds: list[float]) -> str:
    return f"{size / statistics.median(seconds) / 1e6:.0f} MB/s"


def main() -> int:
    """Exit status 0 when every bound is met, 1 when one is not."""
    from tests.bench import page

    before = os.getloadavg()[0]

    def progress(words: str) -> None:
        print(f"\r{words}   ", end="", file=sys.stderr, flush=True)

    rows = run(progress)
    import hyperscan

    engines = f"Hyperscan binding {hyperscan.__version__}, Python {sys.version.split()[0]}"
    text = page.section("make bench-scan", rows, (before, os.getloadavg()[0]), engines)
    print(text)
    if not os.environ.get("GPUALERT_SCAN_BYTES"):
        page.put("make bench-scan", text)
    return 0 if all(row.met is not False for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
