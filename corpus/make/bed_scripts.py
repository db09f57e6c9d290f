"""Batch scripts on Slurm of several steps, without srun, with requeues that do not help, nodes set down, steps over their limit."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.running.batch import ELSEWHERE, batch
from corpus.running.job import Recipe, SlurmJob
from corpus.running.programs import Program

STYLES = ("nano", "table", "wandbish", "rank_logging", "dict", "epochs", "plain", "json")
PREPARE = "srun -n1 python3 -c 'print(\"prepared 4096 rows\")'\n"
LAST = "code=$?; sleep 0.5; exit $code\n"
FAILURES = (
    ("open('/data/splits/fold3.txt')", "mid", "A3", None, "file_not_found"), ("raise LookupError(f'word {step} is not in the table')", "mid", "A3", None, "traceback"),
    ("open('/etc/run.lock', 'w')", "first", "A1", "config", "permission"), ("import horovod", "top", "A1", "env", "missing_module"), ("weights = 1 / (rank - rank)", "data", "A1", "config", "div_zero"),
    ("assert loss > 1e6, 'loss is in range'", "mid", "A3", None, "assertion"), ("raise RuntimeError('buffer is closed')", "mid", "A3", None, "runtime_error"),
    ("import ctypes\nctypes.memset(0, 1, 1)", "mid", "A2", None, "segfault"), ("import resource\nresource.setrlimit(resource.RLIMIT_AS, (1 << 29, 1 << 29))\nx = list(range(200_000_000))", "mid", "A3", None, "ram_oom"),
    ("os.abort()", "first", "A2", None, None),
)  # fmt: skip


def jobs() -> Iterator[SlurmJob]:
    """Failures in a later step and in the script itself; time, people, nodes, requeues; good ones."""

    def program(number: int, **more: object) -> Program:
        return Program(("logistic", "line")[number % 2], STYLES[number % 8], seed=100 + number, **{"total": 240, "every": 4, "pause_s": 0.02, **more})  # type: ignore[arg-type]

    for number in range(20):
        code, stage, mode, variant, cause = FAILURES[number % 10]
        text = program(number, at={stage: code}, mid_step=101).text()
        inside = "srun -n1 python3 -u train.py" if number < 10 else "python3 -u train.py"
        label = Label(mode=mode, variant=variant, cause=cause, fault="user", failed_ranks=(0,), first_ranks=(0,))
        yield SlurmJob(label, {"train.py": text}, f"#!/bin/bash\n{PREPARE}{inside}\n{LAST}", ("-N1", "-n1", ELSEWHERE), "system", state="FAILED")
    for number in range(5):
        text = program(number, total=20_000, pause_s=0.1).text()
        yield SlurmJob(Label(mode="F3", variant="advancing", fault="user"), {"train.py": text}, "#!/bin/bash\npython3 -u train.py\n", ("-N1", "-n1", "--time=1", ELSEWHERE), "system", state="TIMEOUT")
    for number in range(5):
        text = program(number, total=20_000, pause_s=0.05).text()
        label = Label(mode="F4", variant="by_owner" if number % 2 else "by_other", fault="none" if number % 2 else "unknown")
        yield SlurmJob(label, {"train.py": text}, "#!/bin/bash\npython3 -u train.py\n", ("-N1", "-n1", ELSEWHERE), "system", act="scancel" if number % 2 else "scancel_by_admin", after="36", state="CANCELLED")
    for number in range(6):
        yield batch(Label(mode="F1", fault="node"), program(number, total=20_000, pause_s=0.1), ranks=2 if number % 2 else 1, nodes=2 if number % 2 else 1, where="-wn6,n3" if number % 2 else "-wn3", options=("--no-requeue",),
                    act="node_down", after="16", state="NODE_FAIL")
    for number in range(5):
        yield batch(Label(mode="F2", variant="requeued_recovered", fault="none"), program(number, total=300, pause_s=0.06), options=("--requeue",), act="requeue", after="36", state="COMPLETED")
    for number in range(5):
        stop = f"if step == 100 and rank == {number % 2}:\n    " + ("import signal; os.kill(os.getpid(), signal.SIGSTOP)", "time.sleep(900)")[number % 2]
        barrier = f"os.makedirs('b', exist_ok=True)\nopen(f'b/{{step}}.{{rank}}', 'w').close()\nwhile len([1 for r in range(world) if os.path.exists(f'b/{{step}}.{{r}}')]) < world:\n    time.sleep(0.05)\n{stop}"
        yield batch(Label(mode="C2", fault="user"), program(number, mid_step=1, at={"mid": barrier}, total=900, pause_s=0.06, print_all=True), ranks=2, nodes=1 + number % 2, options=("--time=1",), state="TIMEOUT")
    for number in range(4):
        wait = Program("mlp", STYLES[number], ranks=True, at={"config": "if rank == 0:\n    print('waiting for peers', flush=True)\nif rank == 1:\n    time.sleep(3600)"})
        yield batch(Label(mode="C1", fault="unknown"), wait, ranks=2, nodes=2, options=("--time=1",), python="torch", state="TIMEOUT")
    for number in range(8):
        shell = ("srun -n1 ls /data/none\n", "", "srun -n1 python3 -c 'raise KeyError(1)' || echo again\n", "nvidia-smi -L\n")[number % 4]
        label = Label(mode="G1", fault="none", hard=bool(shell))
        yield batch(label, program(number), ranks=1 + number % 3, header=shell, state="COMPLETED")


RECIPE = Recipe("bed_scripts", "development", jobs)
