"""Batch jobs on Slurm whose ranks fail one by one, or together, for ordinary reasons."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.make import absent_paths, checks, closed_doors, not_installed, nothing_to_divide_by, odd_values, shapes, two_places
from corpus.running.batch import batch
from corpus.running.job import Recipe, SlurmJob
from corpus.running.programs import Program
from corpus.running.snippets import Snippet
from corpus.running.spread import label_of

STYLES = ("plain", "logging", "json", "epochs", "dict", "lists")
LISTS = (absent_paths.SNIPPETS, closed_doors.SNIPPETS, not_installed.SNIPPETS, nothing_to_divide_by.SNIPPETS, odd_values.SNIPPETS, checks.SNIPPETS, shapes.SNIPPETS, two_places.SNIPPETS)
SEGV = Snippet("import ctypes\nctypes.string_at(0)", "segfault", "", ("first", "mid"))
BIG = Snippet("import resource\nresource.setrlimit(resource.RLIMIT_AS, (900 << 20, 900 << 20))\nrows = bytearray(3_000_000_000)", "ram_oom", "env", ("data", "mid"))


def jobs() -> Iterator[SlurmJob]:
    """Of every list three; one rank of two to four fails, its peers end by themselves or by srun."""
    turn = 0
    for snippets in (*LISTS, (SEGV,), (BIG,)):
        usable = [s for s in snippets if s.needs != "numpy" and not s.locked and "preprocess" not in s.code and "passwd" not in s.code]
        for number in range(3):
            snippet = usable[(number * 5 + turn) % len(usable)]
            stage = snippet.stages[turn % len(snippet.stages)]
            turn += 1
            size = (2, 3, 4)[turn % 3] if snippet.needs != "torch" else 2
            rank = turn % size
            alone = stage == "mid"  # ranks that train by themselves go on while one fails at its start: then all fail
            code = snippet.code if not alone else f"if rank == {rank}:\n" + "\n".join("    " + line for line in snippet.code.splitlines())
            program = Program("mlp" if snippet.needs == "torch" else ("line", "logistic")[turn % 2], STYLES[turn % 6], total=160, every=5, mid_step=61, pause_s=0.02, seed=turn, at={stage: code},
                              helpers=snippet.helpers, print_all=True)
            label = label_of(snippet, stage).but(failed_ranks=(rank,) if alone else tuple(range(size)), first_ranks=(rank,) if alone else ())
            if snippet.cause == "segfault":
                label = Label(mode="A2", cause="segfault", fault="user", failed_ranks=label.failed_ranks, first_ranks=label.first_ranks)
            yield batch(label, program, ranks=size, nodes=1 + turn % 2, python="torch" if snippet.needs == "torch" else "system", state="FAILED",
                        srun=("", "--wait=4", "--kill-on-bad-exit=1")[turn % 3] if alone else "")


RECIPE = Recipe("bed_failures", "development", jobs)
