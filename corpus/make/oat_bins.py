"""Batch jobs whose programs are no Python: topics in Perl, trees in C++, a regression in awk; chains of steps, tasks of arrays, and tasks side by side."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._oats import SLOPE, TOPICS, TREES
from corpus.running.batch import ELSEWHERE
from corpus.running.job import Recipe, SlurmJob
from corpus.running.slots import fill

DONE: dict[str, Any] = {"state": "COMPLETED"}
FAILED: dict[str, Any] = {"state": "FAILED"}
GOOD = Label(mode="G1", fault="none")
HARD = GOOD.but(hard=True)
ONE: dict[str, Any] = {"failed_ranks": (0,), "first_ranks": (0,)}
KEEP = "code=$?; sleep 0.5; exit $code\n"
CXX = "set -e\ng++ -O1 -std=c++17 -pthread -o wear src/wear.cpp\nset +e\n"


def job(label: Label, script: str, files: dict[str, str], *options: str, ranks: int = 1, nodes: int = 1, where: str = ELSEWHERE, **more: Any) -> SlurmJob:
    """A batch script by itself."""
    return SlurmJob(label, files, f"#!/bin/bash\n{script}", (f"-N{nodes}", f"-n{ranks}", where, "--time=5", *options), "system", **more)


def perl(label: Label, given: str = "", slots: dict[str, str] | None = None, *options: str, head: str = "", ranks: int = 1, srun: str = "", tail: str = KEEP, **more: Any) -> SlurmJob:
    """Topics."""
    return job(label, f"{head}srun {srun} -n{ranks} perl topics.pl {given}\n{tail}", {"topics.pl": fill(TOPICS, **(slots or {}))}, *options, ranks=ranks, **more)


def trees(label: Label, given: str = "", slots: dict[str, str] | None = None, *options: str, head: str = "", **more: Any) -> SlurmJob:
    """Stumps."""
    return job(label, f"{head}{CXX}srun ./wear {given}\n{KEEP}", {"src/wear.cpp": fill(TREES, **(slots or {}))}, *options, **more)


def milk(label: Label, line: str, slots: dict[str, str] | None = None, *options: str, tail: str = KEEP, **more: Any) -> SlurmJob:
    """Barns."""
    return job(label, f"{line}\n{tail}", {"milk.sh": fill(SLOPE, **(slots or {}))}, *options, **more)


def falls() -> Iterator[SlurmJob]:
    """A1, A2, A3."""
    yield perl(Label(mode="A1", cause="file_not_found", variant="data", fault="user", **ONE), "200", {"load": "open(my $fh, '<', \"parish/$ENV{PARISH}.tsv\") or die \"parish/$ENV{PARISH}.tsv: $!\";"}, head="export PARISH=ormskirk\n", **FAILED)
    yield trees(Label(mode="A2", cause="segfault", fault="user", **ONE), "9000 60", {"round": "if (r == 160) { std::vector<double> *leaf = nullptr; p[0] += (*leaf)[2]; }"}, **FAILED)
    yield perl(Label(mode="A3", cause="div_zero", fault="user", **ONE), "9000 0.2", {"sweep": "if ($s == 83) { my @held_out; my $mean = $ll / @held_out; }"}, **FAILED)
    yield milk(Label(mode="A2", cause="segfault", fault="user", first_ranks=(2,)), "srun -n4 -K bash -c 'exec bash milk.sh $((SLURM_PROCID + 1)) 9000 0.3'", {"pass": "if ((barn == 3 && p == 62)); then kill -SEGV $$; fi"}, ranks=4, **FAILED)
    table = "if (r == 140) { std::ifstream in(\"sensors/pump7.csv\"); if (!in) { std::perror(\"[bearing-wear] sensors/pump7.csv\"); return 2; } }"
    yield trees(Label(mode="A3", cause="file_not_found", fault="user", **ONE), "9000 60", {"round": table}, **FAILED)


def others() -> Iterator[SlurmJob]:
    """F3, F4, E1, E3, C3."""
    yield milk(Label(mode="F3", variant="advancing", fault="user"), "srun -n1 bash -c 'for barn in 1 2 3 4 5 6 7 8; do bash milk.sh $barn 60 0.3; done'", None, "--time=1", state="TIMEOUT")
    yield perl(Label(mode="F4", variant="by_owner", fault="none"), "9000 0.2", None, act="scancel", after="sweep 90/", state="CANCELLED")
    yield trees(Label(mode="E1", variant="spike", fault="user"), "420 90", {"round": "if (r == 200) eta = 2.6;"}, **DONE)
    yield milk(Label(mode="E1", variant="flat", fault="user"), "srun bash milk.sh 1 140 0.3", {"pass": "a=0 b=0"}, **DONE)
    yield perl(Label(mode="E3", fault="user"), "2", {"sweep": "say_it('sweep %d of the 2000 in topics.yaml, perplexity %.3f', $s, exp(-$ll / 600));"}, **DONE)
    yield perl(Label(mode="C3", fault="user"), "9000 0.2", {"sweep": "if ($s == 85) { use Fcntl ':flock'; say_it('writing state to topics.lck'); open(my $l, '>>', 'topics.lck'); flock($l, LOCK_EX); }"}, "--time=2", head="( flock 7; exec sleep 600 ) 7>> topics.lck &\nsleep 0.3\n", state="TIMEOUT")


def well() -> Iterator[SlurmJob]:
    """G1."""
    chain = "set -o pipefail\necho '== stage 1: prepare'; srun -n1 bash -c 'ls raw/*.csv || echo no raw files, shipped sample is used'\necho '== stage 2: train'; srun -n2 bash -c 'exec bash milk.sh $((SLURM_PROCID + 1)) 70 0.3'\necho '== stage 3: compare'; srun -n1 diff -q milk.sh job.sh || echo 'stage 3: differences found (as expected)'\nexit 0"
    yield milk(HARD, chain, None, ranks=2, tail="", **DONE)
    yield trees(HARD, "320 90", {"round": "if (r % 80 == 0) std::fprintf(stderr, \"warning: leaf with 0 rows, division by zero avoided (error code 0, failures 0)\\n\");"}, **DONE)
    yield perl(HARD, "110 0.25", {"sweep": "if ($s == 40) { eval { die \"cannot connect to metrics host: Connection refused\\n\" }; warn \"metrics: $@\"; }"}, "--array=5", ranks=2, **DONE)
    yield milk(GOOD, "srun -n3 -l bash -c 'exec bash milk.sh $((SLURM_PROCID + 1)) 80 0.3'", None, ranks=3, **DONE)
    again = "for try in 1 2 3; do\n  srun -n1 bash milk.sh 4 70 0.3 && break\n  echo \"try $try ended with $?, once more\"\ndone"
    yield milk(HARD, again, {"load": "if [ ! -e warm ]; then touch warm; echo 'cache is cold: filling it first' >&2; exit 75; fi"}, **DONE)


def jobs() -> Iterator[SlurmJob]:
    """Three parts."""
    for part in (falls, others, well):
        yield from part()


RECIPE = Recipe("oat_bins", "development", jobs)
