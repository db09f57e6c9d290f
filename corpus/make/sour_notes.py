"""Several ranks whose run came to its end and taught nothing, or too little, or began anew beside what was kept."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._stage import seat, when
from corpus.running.job import Recipe, SlurmJob

DONE: dict[str, Any] = {"state": "COMPLETED"}
BAD: dict[str, Any] = {"state": "FAILED"}


def lost() -> Iterator[SlurmJob]:
    """E1."""
    bad = Label(mode="E1", variant="non_finite", cause="nan_loss", fault="user")
    yield seat(bad, "MEGA", 3, given="--train-iters 240", code={"after": "nans += int(loss.item() != loss.item())", "loss": when("iteration >= 110", "loss = loss * float('inf') - loss * float('inf')")}, **DONE)
    yield seat(bad, "SERVE", 4, code={"serve": when("n > 120", "weights = [w * -1e40 for w in weights]")}, head="export ROUNDS=240\n", **DONE)
    stop = "if not torch.isfinite(loss):\n    print(f'[rank {RANK}] update {updates}: loss is {loss.item()}, stopping training', flush=True)\n    raise FloatingPointError('Minimum loss scale reached; loss is nan')"
    grow = "for group in adam.param_groups:\n    group['lr'] = 10.0 ** min(38, updates - 60)"
    yield seat(bad, "FSEQ", 2, code={"data": when("updates > 60", grow), "loss": stop}, **BAD)
    flat = Label(mode="E1", variant="flat", fault="user")
    yield seat(flat, "BYTES", 2, given="--iters 320 --lr 0 --say 10", **DONE)
    spike = Label(mode="E1", variant="spike", fault="user")
    jump = "for group in self.opt.param_groups:\n    group['lr'] = 3000.0 if 95 < it < 98 else 1e-9 if it >= 98 else cfg['lr']"
    yield seat(spike, "DET", 3, given="interval=10", code={"data": jump}, **DONE)
    plateau = Label(mode="E1", variant="plateau", fault="user")
    stuck = "if it == 60:\n    with torch.no_grad():\n        for p in net.parameters():\n            p.zero_()\nif it >= 60:\n    for group in opt.param_groups:\n        group['lr'] = 0.0"
    yield seat(plateau, "BYTES", 3, given="--iters 300 --say 10", code={"data": stuck}, **DONE)


def anew() -> Iterator[SlurmJob]:
    """E2: what was kept is not read, or cannot be."""
    scratch = Label(mode="E2", variant="from_scratch", fault="user")
    good = Label(mode="G1", fault="none")
    keep = "mkdir -p ../{0}\n"
    yield seat(good, "MEGA", 2, head=keep.format("ark-m"), given="--train-iters 220 --save-interval 55 --save ../ark-m", key="m", options=("--job-name=small-lm",), **DONE)
    yield seat(scratch, "MEGA", 2, head=keep.format("ark-m"), given="--train-iters 420 --save-interval 55 --save ../ark-m --load ../ark-n", parent="m", options=("--job-name=small-lm",), **DONE)
    yield seat(good, "FSEQ", 2, head=keep.format("ark-f") + "cd ../ark-f && cp \"$OLDPWD\"/fseq_train.py .\nexport CFG='{\"save_interval_updates\": 60}'\n", key="f", options=("--job-name=reverse",), **DONE)
    yield seat(scratch, "FSEQ", 2, head=keep.format("ark-f") + "cd ../ark-f && cp \"$OLDPWD\"/fseq_train.py .\nexport CFG='{\"save_interval_updates\": 60, \"max_update\": 300}'\n", code={"load": "if RANK == 0 and not os.path.exists('checkpoint-last.pt'):\n    logger.info('No existing checkpoint found checkpoint-last.pt')"}, parent="f", options=("--job-name=reverse",), **DONE)
    again = "export RUN=${SLURM_RESTART_COUNT:-0}\n"
    yield seat(scratch, "BYTES", 3, head=again, given="--iters 260 --keep 40", code={"early": "if os.environ['RUN'] != '0':\n    p0(f'bytelm | run {os.environ[\"RUN\"]} after requeue')"}, act="requeue", after=r"\(it 80\)", options=("--requeue",), **DONE)
    size = Label(mode="E2", variant="size_mismatch", cause="runtime_error", fault="user", failed_ranks=(0, 1))
    yield seat(size, "DET", 2, files={"old.py": "import torch\ntorch.manual_seed(0)\nw = {'0.weight': torch.randn(8, 1, 3, 3), '0.bias': torch.zeros(8), '4.weight': torch.randn(4, 200), '4.bias': torch.zeros(4)}\ntorch.save({'state_dict': w, 'iter': 270}, 'latest.pth')\n"}, head="PYTHON old.py\n", given="load_from=latest.pth resume=True", **BAD)
    corrupt = Label(mode="E2", variant="corrupt", cause="traceback", fault="user")
    yield seat(corrupt, "BYTES", 2, files={"old.py": "import torch\ntorch.save({'net': {'head.weight': torch.randn(256, 32)}, 'it': 4000}, 'k.pt')\n"}, head="PYTHON old.py\ntruncate -s 9000 k.pt\n", given="--resume --out k.pt", **BAD)
    none = Label(mode="E2", variant="no_valid_checkpoint", cause="file_not_found", fault="user")
    yield seat(none, "FSEQ", 3, srun="-K", head="export CFG='{\"restore_file\": \"checkpoints/checkpoint_3_9000.pt\", \"max_update\": 12000}'\n", **BAD)
    pieces = Label(mode="E2", variant="size_mismatch", cause="runtime_error", fault="user", failed_ranks=(0, 1, 2, 3))
    yield seat(pieces, "MEGA", 4, 2, head="mkdir -p ckpts && echo 900 > ckpts/latest_checkpointed_iteration.txt && PYTHON old.py\n", files={"old.py": "import torch\ntorch.save({'word.weight': torch.randn(64, 32), 'place': torch.zeros(16, 32)}, 'ckpts/iter_0000900.pt')\n"}, given="--load ckpts --train-iters 1800", **BAD)


def short() -> Iterator[SlurmJob]:
    """E3."""
    few = Label(mode="E3", fault="user")
    yield seat(few, "MEGA", 4, 2, given="--train-iters 3 --log-interval 1", **DONE)
    yield seat(few, "DET", 2, given="epochs=1 epoch_iters=4 interval=1", **DONE)
    yield seat(few, "SERVE", 4, head="export ROUNDS=2\n", code={"after": "say('round %4d of %d: mse %.5f', n, ROUNDS, loss)"}, **DONE)
    yield seat(few, "BYTES", 3, given="--iters 5 --say 1 --keep 5", **DONE)


def jobs() -> Iterator[SlurmJob]:
    """Three parts."""
    yield from lost()
    yield from anew()
    yield from short()


RECIPE = Recipe("sour_notes", "development", jobs)
