"""Two or three ranks on one machine, without Slurm, whose saved state cannot be read, that stop after a handful of steps, or break down."""

from collections.abc import Iterator, Mapping

from corpus.label import Label
from corpus.make._stage import FILES, PROGRAMS, when
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

RUN = "python -m torch.distributed.run --nproc-per-node 2 --master-port PORT"


def home(label: Label, name: str, command: str, code: Mapping[str, str] | None = None, **env: str) -> LocalJob:
    """One of the programs below torchrun, after what the command does first."""
    bad = label.mode != "E3"
    return LocalJob(label, {FILES[name]: fill(PROGRAMS[name], **(code or {}))}, ("bash", "-c", command), env=env, ends=lambda status: (status != 0) == bad)


def jobs() -> Iterator[LocalJob]:
    """E2, E3, A1, A3 and A2."""
    old = "python -c \"import torch; torch.save({'net': {'head.weight': torch.randn(256, 32)}, 'it': 4000}, 'k.pt')\"; "
    yield home(Label(mode="E2", variant="corrupt", cause="traceback", fault="user"), "BYTES", f"{old}truncate -s 9000 k.pt; {RUN} bytelm.py --resume --out k.pt")
    yield home(Label(mode="E2", variant="no_valid_checkpoint", cause="file_not_found", fault="user"), "FSEQ", f"{RUN} fseq_train.py", {"before": "store = 'env://'"}, CFG='{"restore_file": "checkpoints/checkpoint_3_9000.pt", "max_update": 12000}')
    part = "mkdir ckpts; echo 900 > ckpts/latest_checkpointed_iteration.txt; python -c \"import torch; torch.save({'word.weight': torch.randn(64, 32), 'place': torch.zeros(16, 32)}, 'ckpts/iter_0000900.pt')\"; "
    own = {"before": "os.environ['RANK'] = str(rank)"}
    yield home(Label(mode="E2", variant="size_mismatch", cause="runtime_error", fault="user"), "MEGA", f"{part}{RUN} pretrain_small.py --load ckpts --train-iters 1800", own)
    few = Label(mode="E3", fault="user")
    yield home(few, "BYTES", f"{RUN} bytelm.py --iters 5 --say 1 --keep 5")
    yield home(few, "MEGA", f"{RUN} pretrain_small.py --train-iters 3 --log-interval 1", own)
    yield home(Label(mode="A1", variant="config", fault="user"), "BYTES", f"{RUN} bytelm.py --iters 300 --warm-up 20")
    yield home(Label(mode="A3", cause="assertion", fault="user", first_ranks=(1,)), "MEGA", f"{RUN} pretrain_small.py --train-iters 6000", {"data": when("rank == 1 and iteration == 57", "begin_of_doc = torch.tensor([63, 64])\nassert begin_of_doc.max() < 64, f'token id {begin_of_doc.max()} is beyond the padded vocabulary'")})
    yield home(Label(mode="A2", cause="segfault", fault="user", first_ranks=(1,)), "BYTES", f"{RUN} bytelm.py --iters 6000", {"data": when("me == 1 and it == 51", "import ctypes\nctypes.memmove(16, 32, 8)")})


RECIPE = Recipe("thin_scripts", "development", jobs)
