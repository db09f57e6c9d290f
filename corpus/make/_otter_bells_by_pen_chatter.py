"""What stands at the head of logs on a cluster: modules, places, cards, versions, warnings that mean nothing."""

from __future__ import annotations

from corpus.make._otter_bells_by_pen_talk import nccl
from corpus.make._otter_bells_by_pen_yard import Rig


def _modules(f: Rig) -> str:
    cuda = {"5": "12.2", "53": "12.1"}.get(f.kit.driver[:2], "12.6")
    return f"Currently Loaded Modules:\n  1) gcc/12.3.0   2) cuda/{cuda}   3) openmpi/4.1.6   4) python/3.11.7\n"


def _place(f: Rig) -> str:
    return f"=== job {f.job_id} ({f.name}) on {len(f.nodes)} node(s): {','.join(f.nodes[:4])}{',...' if len(f.nodes) > 4 else ''}\n=== {f.clock(0, '%a %b %d %H:%M:%S UTC %Y')}, {f.per * len(f.nodes)} GPUs, limit {f.limit_s // 3600} h"


def _cards(f: Rig) -> str:
    return "\n".join(f"GPU {g}: {f.kit.name} (UUID: {f.uuid(f.nodes[0], g)})" for g in range(f.per))


def _git(f: Rig) -> str:
    sha = f"{f.job_id * 2_654_435_761 % 16**7:07x}"
    return f"code: {sha} (main{', 2 files changed' if f.job_id % 3 == 0 else ''})\npython: /home/alice/envs/{f.name.split('-', maxsplit=1)[0]}/bin/python\nlogs: /home/alice/runs/{f.name}/{f.job_id}"


def _wandb(f: Rig, at: float) -> None:
    rows = [
        f"wandb: Tracking run with wandb version 0.{17 + f.job_id % 5}.{f.job_id % 9}",
        f"wandb: Run data is saved locally in /home/alice/runs/wandb/run-{f.clock(at, '%Y%m%d_%H%M%S')}-{f.job_id * 48_271 % 36**6:x}",
        f"wandb: Syncing run {f.name}",
    ]
    f.say(0, at, "\n".join(rows), err=True)


def _versions(f: Rig, at: float) -> None:
    f.say(
        0,
        at,
        f"torch 2.{4 + f.job_id % 4}.0+cu12{(1, 4, 6)[f.job_id % 3]} | cuda True | {f.kit.name} x {len(f.ranks)} | driver {f.kit.driver} | bf16 True | seed {f.job_id % 1000}",
    )


def _grumble(f: Rig, at: float) -> None:
    site = "/usr/local/lib/python3.11/site-packages"
    texts = (
        f"{site}/torch/utils/data/dataloader.py:617: UserWarning: This DataLoader will create 12 worker processes in total. Our suggested max number of worker in current system is 8, which is smaller than what this DataLoader is going to create. Please be aware that excessive worker creation might get DataLoader running slow or even freeze, lower the worker number to avoid potential slowness/freeze if necessary.\n  warnings.warn(",
        f"{site}/torch/optim/lr_scheduler.py:240: UserWarning: The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. Please use `scheduler.step()` to step the scheduler.\n  warnings.warn(EPOCH_DEPRECATION_WARNING, UserWarning)",
        f"{site}/pkg_resources/__init__.py:3144: DeprecationWarning: Deprecated call to `pkg_resources.declare_namespace('google')`.\n  declare_namespace(pkg)",
        "Could not find the tensorboardX or tensorboard package, metrics go to CSV only",
    )
    f.say(f.job_id % min(8, len(f.ranks)), at, texts[f.job_id // 7 % len(texts)], err=True)


def _comms(f: Rig, at: float) -> None:
    f.say(0, at, nccl(f, 0, 88, f"INFO cudaDriverVersion 12{40 + f.job_id % 5 * 10}") + "\nNCCL version 2.2" + f"{1 + f.job_id % 6}.5+cuda12.4")
    for r in list(f.ranks)[: min(len(f.ranks), 16)]:
        f.say(
            r,
            at + 1 + r * 0.01,
            nccl(
                f,
                r,
                344,
                f"INFO ncclCommInitRank comm 0x{0x55D0_0000_0000 + f.job_id * 4099 + r * 65_537:x} rank {r} nranks {len(f.ranks)} cudaDev {r % f.per} nvmlDev {r % f.per} busId {0x1B + 0x20 * (r % f.per):x}000 commId 0x{f.job_id * 7919 % 2**48:x} - Init COMPLETE",
            ),
        )


def chat(f: Rig, *, ranks: bool = True) -> None:
    """Two things in the script's log and, with ``ranks``, two of the ranks', before the run's own words."""
    k = f.job_id // 3
    forms = (_place, _modules, _cards, _git)
    for n in sorted({k % 4, (k // 4 + 1) % 4}):
        f.script_says(0.4 + n / 10, forms[n](f))
    if ranks:
        voices = (_wandb, _versions, _grumble, _comms)
        for n in sorted({k // 2 % 4, (k // 5 + 2) % 4}):
            if n != 3 or not f.launcher or len(f.ranks) > 1:
                voices[n](f, 6.5 + n * 0.9)
