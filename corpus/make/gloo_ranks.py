"""Two to four ranks under torchrun, over gloo: one of them fails, at the start or in training; or none does."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.running.job import LocalJob, Recipe
from corpus.running.programs import Program

WAYS = (
    ("data", "if rank == {r}:\n    open(f'data/shard-{{rank}}.bin', 'rb')", "A1", "data", "file_not_found"),
    ("mid", "if rank == {r}:\n    rows = [1, 2]\n    rows[step]", "A3", None, "traceback"),
    ("first", "if rank == {r}:\n    raise ValueError(f'vocabulary of rank {{rank}} has 0 words')", "A1", "data", "traceback"),
    ("mid", "if rank == {r}:\n    import ctypes\n    ctypes.string_at(0)", "A2", None, "segfault"),
    ("config", "assert world == 16, f'world size {{world}}'", "A1", "config", "assertion"),
    ("mid", "if rank == {r}:\n    import signal\n    os.kill(os.getpid(), signal.SIGKILL)", "A2", None, None),
    ("mid", "if rank == {r}:\n    print(1 // (step - step))", "A3", None, "div_zero"),
    ("top", "import sentencepiece", "A1", "env", "missing_module"),
    ("first", "if rank == {r}:\n    os.makedirs('/opt/rank-cache')", "A1", "config", "permission"),
    ("mid", "if rank == {r}:\n    torch.randn(2, 3) @ torch.randn(4, 5)", "A3", None, "runtime_error"),
    ("", "", "G1", None, None),
)
STYLES = ("plain", "logging", "epochs", "rank_logging", "json", "lists", "dict")


def jobs() -> Iterator[LocalJob]:
    """Two rounds with other sizes, ranks and styles; then some on an older PyTorch."""
    for turn in range(28):
        old = turn >= 22
        stage, code, mode, variant, cause = WAYS[turn % len(WAYS)]
        size = (2, 3, 2, 4)[turn % 4]
        rank = (turn * 7 + 1) % size
        together = "{r}" not in code and mode != "G1"
        label = Label(
            mode=mode, variant=variant, cause=cause, fault="none" if mode == "G1" else "unknown" if mode == "A2" and cause is None else "user",
            failed_ranks=() if mode == "G1" else tuple(range(size)) if together else (rank,), first_ranks=() if mode == "G1" or together else (rank,),
        )  # fmt: skip
        at = {stage: code.format(r=rank)} if stage else {}
        style = STYLES[turn % len(STYLES)]
        script = Program(("mlp", "cnn", "lm")[turn % 3], style, total=(60, 100)[turn % 2], every=5, mid_step=31, seed=turn, at=at, ranks=True, print_all=style == "rank_logging").text()
        files = {"train.py": script}
        launcher = ("PYTHON", "-m", "torch.distributed.run", f"--nproc-per-node={size}", "--master-addr=127.0.0.1", "--master-port=PORT", "train.py")
        yield LocalJob(label, files, launcher, "torch-old" if old else "torch", folders=("data",), ends=lambda s, m=mode: s == (0 if m == "G1" else 1))  # type: ignore[misc]


RECIPE = Recipe("gloo_ranks", "development", jobs)
