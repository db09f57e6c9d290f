"""Ranks that eat more memory than their control group holds: the kernel kills them."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.running.batch import batch
from corpus.running.job import Recipe, SlurmJob
from corpus.running.programs import Program

EATERS = (
    "rows = bytearray()\nwhile True:\n    rows.extend(bytes([1]) * 1_000_000)",
    "cache = {}\nwhile True:\n    cache[len(cache)] = 'sample ' * 5000 + str(len(cache))",
    "import array\nkept = []\nwhile True:\n    kept.append(array.array('d', [1.5]) * 200_000)",
    "images = [bytes([step % 256]) * 3_000_000 for _ in range(600)]",
)
STYLES = ("plain", "logging", "json", "epochs", "lists", "nano")


def jobs() -> Iterator[SlurmJob]:
    """Before the first step, in training, in one rank of several."""
    for number in range(20):
        size = (1, 2, 1, 3)[number % 4]
        rank = number % size
        stage = "mid" if number % 3 else "data"
        code = EATERS[number % 4].replace("step % 256", "7" if stage == "data" else "step % 256")
        code = f"if rank == {rank}:\n" + "\n".join("    " + line for line in code.splitlines())
        program = Program(("line", "logistic")[number % 2], STYLES[number % 6], total=200, every=5, mid_step=61, pause_s=0.02, seed=number, at={stage: code}, print_all=True)
        label = Label(mode="A2", cause="oom_killer", fault="user", failed_ranks=(rank,), first_ranks=(rank,))
        yield batch(label, program, ranks=size, options=(f"--mem={(80, 120, 200)[number % 3]}M",), bed="cgroup", where="", srun="--kill-on-bad-exit=1" if number % 2 else "")


RECIPE = Recipe("memory_eaters", "development", jobs)
