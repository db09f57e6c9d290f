"""How the programs of these quays are started: a task a rank, torchrun on each node, accelerate, Lightning under Slurm, MPI's starters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from corpus.label import Label
from corpus.make import _quay_kits, _quay_light, _quay_torch, _quay_torch_more
from corpus.running.batch import ELSEWHERE
from corpus.running.job import LocalJob, SlurmJob
from corpus.running.slots import fill
from corpus.running.told_cards import CLOCK, Readings, told_cards

PROGRAMS = {name: text for part in (_quay_torch, _quay_torch_more, _quay_kits, _quay_light) for name, text in vars(part).items() if name in part.FILES}
FILES = {**_quay_torch.FILES, **_quay_torch_more.FILES, **_quay_kits.FILES, **_quay_light.FILES}
PYTHON = {"PAIRS": "torch", "GPT": "torch", "SPEECH": "torch", "SEG": "torch", "OUTER": "torch", "CLICKS": "torch", "SWIM": "ranks"}
"""Its interpreter; the others have torch-29."""
STARTER = {"PAIRS": "run", "GPT": "run", "SPEECH": "task", "SEG": "task", "TAGGER": "env", "LOAD": "light", "SORTER": "run", "PATCHES": "task", "OUTER": "task", "CLICKS": "task", "SWIM": "mpi"}
LINES = {
    "run": "srun{srun} -N1 -n1 PYTHON -m torch.distributed.run --nproc_per_node={ranks} --master_port=$PORT {run}",
    "runs": "srun{srun} -N{nodes} -n{nodes} --ntasks-per-node=1 bash -c 'PYTHON -m torch.distributed.run --nnodes={nodes} --nproc_per_node={per} --node_rank=$SLURM_NODEID --master_addr=127.0.0.1 --master_port=$PORT {run}'",
    "env": "srun{srun} bash -c 'RANK=$SLURM_PROCID LOCAL_RANK=$SLURM_LOCALID WORLD_SIZE=${{WORLD:-$SLURM_NTASKS}} exec PYTHON -u {run}'",
    "task": "srun{srun} PYTHON -u {run}",
    "light": "export DEVICES={per}\nsrun{srun} PYTHON -u {run}",
    "mpi": "export LD_LIBRARY_PATH=$(dirname $(dirname PYTHON))/lib MPI4PY_MPIABI=mpich\n$(dirname PYTHON)/mpiexec.hydra -launcher fork{srun} -n {ranks} PYTHON -u {run}",
    "mpi4": "export LD_LIBRARY_PATH=$(dirname $(dirname PYTHON))/lib MPI4PY_MPIABI=mpich\n$(dirname PYTHON)/mpiexec.hydra -launcher fork{srun} -n {ranks} PYTHON -u -m mpi4py {run}",
}
TOP = "#!/bin/bash\nset -u\nexport OMP_NUM_THREADS=1 HF_HUB_OFFLINE=1 T0=$(date +%s)\nexport PORT=$((31000 + SLURM_JOB_ID * 19 % 1500))\nexport MASTER_ADDR=127.0.0.1 MASTER_PORT=$PORT\n"
END = "status=$?\nsleep 0.5\nexit $status\n"
START_S = 70
"""Until then every rank has its libraries, on a slow machine too."""


def label(mode: str, cause: str | None = None, first: tuple[int, ...] = (), variant: str | None = None, failed: tuple[int, ...] = (), fault: str = "user", trigger: str | None = None) -> Label:  # noqa: PLR0917
    """What is true of a job."""
    return Label(mode=mode, cause=cause, variant=variant, trigger=trigger, fault=fault, first_ranks=first, failed_ranks=failed)


GOOD = label("G1", fault="none")
HARD = GOOD.but(hard=True)


def ship(what: Label, name: str, ranks: int, nodes: int = 1, *, code: Mapping[str, str] | None = None, given: str = "", how: str = "", srun: str = "", head: str = "", tail: str = END,
         options: tuple[str, ...] = (), files: Mapping[str, str] | None = None, where: str | None = None, python: str = "", body: str = "", text: str = "", per: bool = True, **more: Any) -> SlurmJob:  # fmt: skip
    """A job of so many ranks on so many nodes."""
    how = how or STARTER[name]
    run = f"{FILES[name]} {given}".rstrip()
    kind = "runs" if how == "run" and nodes > 1 else how
    line = body or LINES[kind].format(srun=f" {srun}" if srun else "", ranks=ranks, nodes=nodes, per=ranks // nodes, run=run) + "\n"
    limit = ("--time=2",) if more.get("state") == "TIMEOUT" and not any(o.startswith("--time") for o in options) else ()
    place = ELSEWHERE if where is None else where
    each = (f"--ntasks-per-node={ranks // nodes}",) if per and ranks % nodes == 0 else ()
    return SlurmJob(
        what, {FILES[name]: text or fill(PROGRAMS[name], **(code or {})), **(files or {})}, f"{TOP}{head}{line}{tail}",
        (f"-N{nodes}", f"-n{ranks}", *each, *((place,) if place else ()), *limit, *options), python or PYTHON.get(name, "torch-29"), **more,
    )  # fmt: skip


def laden(what: Label, name: str, ranks: int, cards: Mapping[int, Readings], others: Readings, nodes: int = 1, **more: Any) -> SlurmJob:  # noqa: PLR0917
    """With a card for each rank; its readings by rank, ``others`` for who is not named. All ranks begin together: seconds count from there."""
    where = more.pop("where", "")
    return ship(what.but(gpu="scripted"), name, ranks, nodes, where=where, **told_cards(ranks, nodes, cards, others, more, start_s=START_S, idle_w=72, held_mib=470))


def once(rank: int | None, step: int | None, what: str, *, name: str = "step", who: str = "rank", since: bool = False) -> str:
    """Code of one rank, at one step or from it on."""
    tests = [*([f"{who} == {rank}"] if rank is not None else []), *([f"{name} {'>=' if since else '=='} {step}"] if step is not None else [])]
    return f"if {' and '.join(tests)}:\n" + "\n".join(f"    {one}" for one in what.splitlines())


def past(seconds: float, what: str, rank: int | None = None, *, who: str = "rank", behind: str = "") -> str:
    """Code from so many seconds on, counted as the cards' readings are."""
    tests = [*([f"{who} == {rank}"] if rank is not None else []), *([behind] if behind else []), f"{CLOCK} > {seconds}"]
    return f"if {' and '.join(tests)}:\n" + "\n".join(f"    {one}" for one in what.splitlines())


def ashore(what: Label, name: str, command: str, *, code: Mapping[str, str] | None = None, files: Mapping[str, str] | None = None, env: Mapping[str, str] | None = None, **more: Any) -> LocalJob:
    """Without Slurm: a line of shell below gpualert-run."""
    values = {"OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo", "PYTHONUNBUFFERED": "1", **(env or {})}
    return LocalJob(what, {FILES[name]: fill(PROGRAMS[name], **(code or {})), **(files or {})}, ("bash", "-c", command), PYTHON.get(name, "torch-29"), values, **more)
