"""How the small distributed programs are started: by torchrun, by srun with a task for each rank, or by themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from corpus.label import Label
from corpus.make import _companies, _troupes
from corpus.make._troupes import fill
from corpus.running.batch import ELSEWHERE
from corpus.running.job import LocalJob, SlurmJob

FILES = {
    "SEG": "tools/train.py", "ASR": "speech_train.py", "GPT": "pretrain_gpt.py", "DET": "train_net.py", "CLIP": "main.py", "VIT": "train.py", "EACH": "run.py", "ZERO": "finetune.py",
    "GAN": "fit_moments.py",
}  # fmt: skip
PORT = "$((21000 + SLURM_JOB_ID * 11 % 9000))"
TASK = "#!/bin/bash\n# rank environment from Slurm's\nexport RANK=$SLURM_PROCID LOCAL_RANK=$SLURM_LOCALID WORLD_SIZE=${WORLD:-$SLURM_NTASKS}\nexec \"$@\"\n"
CLOCK = "time.time() - float(os.environ['T0'])"


def text(name: str, **places: Any) -> str:
    """One of the programs, filled in."""
    return fill(getattr(_companies, name, None) or getattr(_troupes, name), name, **places)


def torchrun(name: str, ranks: int, nodes: int = 1, *, options: str = "", args: str = "", agents: int = 0, srun: str = "") -> str:
    """The line of a batch script; ``agents`` is how many nodes torchrun is told of."""
    if nodes == 1 and not agents:
        where = f"--standalone --nproc-per-node={ranks}" if ranks % 2 else f"--nproc-per-node={ranks} --master-addr=127.0.0.1 --master-port={PORT}"
        return f"srun {srun} -n1 PYTHON -m torch.distributed.run {where} {options} {FILES[name]} {args}".rstrip() + "\n"
    return (f"srun {srun} -N{nodes} -n{nodes} --ntasks-per-node=1 PYTHON -m torch.distributed.run --nnodes={agents or nodes} --nproc-per-node={ranks // nodes} --rdzv-backend=c10d "
            f"--rdzv-id=r$SLURM_JOB_ID --rdzv-endpoint=127.0.0.1:{PORT} {options} {FILES[name]} {args}").rstrip() + "\n"  # fmt: skip


def tasks(name: str, *, srun: str = "", args: str = "") -> str:
    """A task for each rank."""
    return f"export MASTER_ADDR=127.0.0.1 MASTER_PORT={PORT}\nsrun {srun} bash ./task.sh PYTHON -u {FILES[name]} {args}".rstrip() + "\n"


def spawning(name: str, ranks: int) -> str:
    """One task that starts its ranks by itself."""
    return f"export NPROC={ranks} PORT={PORT}\nsrun -n1 PYTHON -u {FILES[name]}\n"


def crew(
    label: Label, name: str, ranks: int, nodes: int = 1, how: str = "torchrun", *, options: tuple[str, ...] = (), head: str = "", tail: str = "code=$?; sleep 0.5; exit $code\n",
    launch: Mapping[str, Any] | None = None, files: Mapping[str, str] | None = None, python: str = "torch-28", where: str = ELSEWHERE, places: Mapping[str, Any] | None = None, program: str = "", **more: Any,
) -> SlurmJob:  # fmt: skip
    """A job of ``ranks`` ranks on the bed. ``places`` fill the program; ``launch`` are options of the way it is started."""
    said = dict(launch or {})
    line = torchrun(name, ranks, nodes, **said) if how == "torchrun" else spawning(name, ranks) if how == "spawn" else tasks(name, **said)
    limit = ("--time=1",) if more.get("state") == "TIMEOUT" and not any(o.startswith("--time") for o in options) else ()
    script = f"#!/bin/bash\nexport OMP_NUM_THREADS=1 T0=$(date +%s.%N)\n{head}{line}{tail}"
    content = program or text(name, **(places or {}))
    return SlurmJob(label, {FILES[name]: content, "task.sh": TASK, **(files or {})}, script, (f"-N{nodes}", f"-n{ranks}", *((where,) if where else ()), *limit, *options), python, **more)


def beside(label: Label, name: str, ranks: int, gpus: Mapping[tuple[int, int], Any], nodes: int = 1, how: str = "torchrun", **more: Any) -> SlurmJob:  # noqa: PLR0917
    """The same with a card for each rank, whose readings are told beforehand."""
    per = ranks // nodes
    options = (f"--ntasks-per-node={per}", f"--gres=gpu:{per}", *more.pop("options", ()))
    return crew(label.but(gpu="scripted"), name, ranks, nodes, how, options=options, gpus=gpus, where=more.pop("where", ""), **more)


def here(label: Label, name: str, ranks: int, status: int | None = 1, *, options: tuple[str, ...] = (), args: tuple[str, ...] = (), python: str = "torch-28", places: Mapping[str, Any] | None = None,
         files: Mapping[str, str] | None = None, command: tuple[str, ...] = (), program: str = "", **more: Any) -> LocalJob:  # fmt: skip
    """On one machine, under torchrun."""
    launch = command or ("PYTHON", "-m", "torch.distributed.run", f"--nproc-per-node={ranks}", "--master-addr=127.0.0.1", "--master-port=PORT", *options, FILES[name], *args)
    ends = None if status is None else (lambda s: s == status)
    return LocalJob(label, {FILES[name]: program or text(name, **(places or {})), **(files or {})}, launch, python, ends=ends, **more)


def after(seconds: float, code: str, rank: int | None = None) -> str:
    """Code from so many seconds behind the script's start on."""
    who = "" if rank is None else f"rank == {rank} and "
    return f"if {who}{CLOCK} > {seconds}:\n" + "\n".join(f"    {line}" for line in code.splitlines())
