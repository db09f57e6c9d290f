"""What else runs on a university's grid: JAX on several hosts, MPI, dask, accelerate, Lightning, and arrays of one process each."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._bureaus import on
from corpus.make._hauls import DONE, ENDLESS, FAILED, OVER, haul
from corpus.make._meshes import TEXTS, mesh
from corpus.running.crewed import task
from corpus.running.job import Recipe, SlurmJob

GRID: dict[str, Any] = {"python": "ranks"}
HUB: dict[str, Any] = {"python": "torch-29"}
NEVER, HANG, HARD = Label(mode="C1", fault="unknown"), Label(mode="C2", fault="user"), Label(mode="G1", fault="none", hard=True)


def several(label: Label, name: str, ranks: int, nodes: int = 1, *, given: dict[str, Any] | None = None, args: str = "", **more: Any) -> SlurmJob:
    """A task for each rank, under the names that torch looks for."""
    return haul(label, "SPEED", ranks, nodes, text=mesh(name, **(given or {})), file=TEXTS[name][1], args=args, **HUB, **more)


def mpi(label: Label, ranks: int, given: dict[str, Any], *, flags: str = "", module: str = "", extra: tuple[str, ...] = (), **more: Any) -> SlurmJob:
    """One task of srun that is Hydra, and its processes."""
    return task(label, mesh("MPI", **given), 1, name="scd.py", options=("-c4", *extra), command=f"-n1 $(dirname PYTHON)/mpiexec -launcher fork {flags} -n {ranks} PYTHON -u {module} scd.py", **GRID, **more)


def dask(label: Label, given: dict[str, Any], **more: Any) -> SlurmJob:
    """One task that is the client, the scheduler and the parent of the workers."""
    return task(label, mesh("DASK", **given), 1, name="search.py", options=("-c4",), command="-n1 PYTHON -u search.py", **GRID, **more)


def hosts_of_jax() -> Iterator[SlurmJob]:
    """They wait, die, or go on."""
    yield several(NEVER, "JAXED", 2, 2, given={"meet": ", initialization_timeout=24", "before": "logging.info('waiting for %d hosts at port %s', num_processes, os.environ['PORT'])"}, head="export NUM_HOSTS=3\n", srun="-K", **FAILED)
    wait = on(1, 40, "logging.info('host 1: reading shard 00017-of-00064')\nimport threading\nthreading.Event().wait()", word="process_id")
    yield several(HANG, "JAXED", 2, 2, given={"mid": wait, "steps": ENDLESS}, **OVER)
    # its interpreter waits for the others in JAX's shutdown, and they for it in a collective, until the barrier's five minutes are over
    yield several(HANG.but(trigger="A3", cause="traceback", first_ranks=(0,)), "JAXED", 2, given={"mid": on(0, 60, "clean = clean[:, :7] + jnp.ones((16, 8))", word="process_id")}, srun="-K", **FAILED)
    yield several(Label(mode="A2", fault="unknown", first_ranks=(1,)), "JAXED", 2, given={"early": on(1, None, "open('pid-1', 'w').write(str(os.getpid()))", word="process_id"), "steps": ENDLESS}, srun="-K", act="kill_rank", after=r"\[60\] loss", **FAILED)
    yield several(Label(mode="E1", variant="non_finite", cause="nan_loss", fault="user"), "JAXED", 2, given={"mid": "if step > 70:\n    clean = np.log(-abs(clean))"}, **DONE)
    yield several(Label(mode="F3", variant="advancing", fault="user"), "JAXED", 2, 2, given={"steps": 9000, "pause": 0.1}, **OVER)
    yield several(HARD, "JAXED", 2, given={"steps": 260}, **DONE)


def by_message() -> Iterator[SlurmJob]:
    """MPI."""
    lost = "if me == 1 and sweep == 80:\n    theta[7] = 0.0"
    yield mpi(HANG.but(trigger="A3", cause="traceback"), 3, {"mid": lost, "steps": ENDLESS}, **OVER)
    yield mpi(Label(mode="A3", cause="div_zero", fault="user"), 3, {"mid": "if me == 2 and sweep == 70:\n    step_size = 1.0 / (sweep - 70)", "steps": ENDLESS}, module="-m mpi4py", **FAILED)
    yield mpi(Label(mode="A2", cause="segfault", fault="user"), 4, {"after": "if me == 3 and sweep == 60:\n    import ctypes\n    ctypes.string_at(1)", "steps": ENDLESS}, **FAILED)
    yield mpi(HARD, 3, {"steps": 220, "early": "if me == 0:\n    say('WARNING: no CUDA-aware MPI, staging through host memory; error code 801 (operation not supported) ignored')"}, flags="-print-all-exitcodes", **DONE)


def by_dask() -> Iterator[SlurmJob]:
    """A search with workers."""
    once = "if trial in (9, 23):\n    flag = f'seen-{trial}'\n    if not os.path.exists(flag):\n        open(flag, 'w').close()\n        os._exit(9)"
    yield dask(HARD, {"task": once, "steps": 60}, **DONE)
    yield dask(Label(mode="A3", cause="traceback", fault="user"), {"task": "if trial == 31:\n    raise KeyError('objective')", "steps": 90}, **FAILED)
    yield dask(NEVER.but(fault="user"), {"early": "print('waiting for 4 workers', flush=True)\nclient.wait_for_workers(4)", "steps": 90}, **OVER)


def with_helpers() -> Iterator[SlurmJob]:
    """Accelerate and Lightning."""
    yield several(Label(mode="A1", variant="config", fault="user"), "HUGGED", 2, args="--max_train_step=200 --lr_scheduler cosine", srun="-K", **FAILED)
    yield several(Label(mode="A3", cause="traceback", fault="user", first_ranks=(1,)), "HUGGED", 2, given={"mid": on(1, 60, "x = x + 7")}, srun="-K", **FAILED)
    resume = "print(f'Resumed from checkpoint: {args.resume_from_checkpoint}', flush=True)\naccelerator.load_state(args.resume_from_checkpoint)"
    yield several(Label(mode="E2", variant="no_valid_checkpoint", cause="traceback", fault="user"), "HUGGED", 2, given={"early": resume}, args="--resume_from_checkpoint out/step_400", srun="--wait=10", **FAILED)
    yield several(HARD, "HUGGED", 2, given={"steps": 240, "after": on(1, 100, "if step % 50 == 0:\n    logging.error('could not send metrics to the tracker: HTTP 503, kept in offline queue')")}, **DONE)
    yield mpi(Label(mode="F2", variant="requeued_recovered", fault="none"), 3, {"steps": 240}, act="requeue_by_owner", after="sweep    60", extra=("--requeue",), **DONE)
    text = mesh("LIT").replace("devices=ranks // nodes", "devices=4")
    yield haul(Label(mode="A1", cause="runtime_error", variant="config", fault="user"), "SPEED", 2, text=text, file="regress.py", **HUB, **FAILED)
    yield several(Label(mode="G1", fault="none"), "LIT", 2, given={"steps": 220}, options=("--ntasks-per-node=2",), **DONE)


def arrays() -> Iterator[SlurmJob]:
    """One process each."""
    fold = "fold = int(os.environ['SLURM_ARRAY_TASK_ID'])\nprint0(f'fold {fold}')\n"
    yield haul(Label(mode="A1", cause="file_not_found", variant="data", fault="user", first_ranks=(0,)), "SPEED", 1, given={"before": fold + "rows = open(f'folds/fold_{fold}.csv').read()"}, head="mkdir -p folds; touch folds/fold_0.csv\n", options=("--array=5",), **FAILED)
    yield haul(Label(mode="F4", variant="by_owner", fault="none"), "SPEED", 1, given={"before": fold, "steps": ENDLESS}, options=("--array=7", "--job-name=cv-sweep"), act="scancel_all_of_name", after="step:120/", state="CANCELLED")
    yield haul(HARD, "SPEED", 1, given={"before": fold + "print0(f'killed: 0, oom-kill: 0, failed folds so far: none')", "steps": 260}, options=("--array=3",), **DONE)


def jobs() -> Iterator[SlurmJob]:
    """All."""
    for part in (hosts_of_jax, by_message, by_dask, with_helpers, arrays):
        yield from part()


RECIPE = Recipe("campus_grid", "development", jobs)
