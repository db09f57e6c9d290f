"""Real Slurm jobs whose GPUs read what was written down beforehand: no GPU is there, the test bed's own NVML library tells these readings.

The programs are real and do what they say; what their GPUs did meanwhile is scripted (``gpu = "scripted"``).
"""

from collections.abc import Iterator, Mapping

from corpus.label import Label
from corpus.running.batch import batch
from corpus.running.job import Recipe, SlurmJob
from corpus.running.programs import Program
from tests.testbed.gpu_scenarios import work

STYLES = ("plain", "logging", "json", "epochs", "lists", "nano", "dict")
Readings = tuple[Mapping[str, str], tuple[tuple[float, Mapping[str, str]], ...]]
IDLE = {"utilization.gpu": "0", "utilization.memory": "0", "power.usage": "71000", "gpm.2": "0", "gpm.3": "0", "gpm.5": "0", "gpm.10": "0", "throttle_reasons": "0x1", "clock.sm": "345"}


def ecc(count: int) -> dict[str, str]:
    """Uncorrected errors, volatile and aggregate."""
    return {"ecc.volatile.uncorrected": str(count), "ecc.aggregate.uncorrected": str(count), "ecc.volatile.uncorrected.dram": str(count)}


def hot(since_s: float, clock: int, thermal: bool) -> tuple[tuple[float, Mapping[str, str]], ...]:
    """Held down by heat, or by the power brake, second after second."""
    key, field, mask = ("violation.thermal", "slowdown.hw_thermal", "0x60") if thermal else ("violation.power", "slowdown.hw_power_brake", "0x80")
    return tuple(
        (since_s + i, {"temperature": "93" if thermal else "66", "throttle_reasons": mask, "clock.sm": str(clock), key: f"{1_000_000 + int((since_s + i) * 1e6)} {int(9e8 * (i + 1))}", field: str(int(9e8 * (i + 1)))})
        for i in range(30)
    )


def jobs() -> Iterator[SlurmJob]:
    """Hardware that fails as the run does; heat; idle GPUs; waiting on the fabric; one rank behind; and healthy ones."""
    turn = 0

    def program(total: int = 300, pause_s: float = 0.05, **more: object) -> Program:
        return Program(("line", "logistic")[turn % 2], STYLES[turn % 7], total=total, every=5, pause_s=pause_s, seed=turn, **more)  # type: ignore[arg-type]

    def job(label: Label, what: Program, ranks: int, gpus: Mapping[tuple[int, int], Readings], *options: str, nodes: int = 1, **more: object) -> SlurmJob:
        return batch(label.but(gpu="scripted"), what, ranks=ranks, nodes=nodes, options=("--mem=150M", f"--gres=gpu:{max(1, ranks // nodes)}", *options), gpus=gpus, bed="cgroup", where="", **more)  # type: ignore[arg-type]

    died = "raise RuntimeError('CUDA error: uncorrectable ECC error encountered')"
    for _ in range(6):
        turn += 1
        ranks = 1 + turn % 2
        label = Label(mode="B2", cause="cuda_runtime", fault="node", failed_ranks=(0,), first_ranks=(0,))
        yield job(label, program(mid_step=200, at={"mid": f"if rank == 0:\n    {died}"}, print_all=True), ranks, {(0, g): (work(48), (((9.0 + turn % 3), ecc(1 + turn)),) if g == 0 else ()) for g in range(ranks)}, state="FAILED")
    for _ in range(5):
        turn += 1
        lost = "if rank == 0:\n    raise RuntimeError('CUDA error: unspecified launch failure')"
        label = Label(mode="B2", cause="cuda_runtime", fault="node", failed_ranks=(0,), first_ranks=(0,))
        yield job(label, program(mid_step=200, at={"mid": lost}), 1, {(0, 0): (work(45), ((8.0, {"events": "8:79"}), (9.0, {"*": "!GPU_IS_LOST"})))}, state="FAILED")
    for number in range(8):
        turn += 1
        slow = "if step > 150:\n    time.sleep(0.12)"
        yield job(Label(mode="B3", fault="node"), program(total=320, mid_step=1, at={"mid": slow}), 1, {(0, 0): (work(60), hot(9.0, (510, 810, 345)[number % 3], number % 2 == 0))}, state="COMPLETED")
    for number in range(8):
        turn += 1
        stop = ("import threading\nlock = threading.Lock()\nlock.acquire()\nlock.acquire()", "import signal\nos.kill(os.getpid(), signal.SIGSTOP)", "time.sleep(4000)", "os.mkfifo('q')\nopen('q').read()")[number % 4]
        held = {**IDLE, "memory.used": str(31 << 30)}
        yield job(Label(mode="C3", fault="user"), program(mid_step=90, at={"mid": stop}), 1, {(0, 0): ({**work(40), "memory.used": str(31 << 30)}, ((7.0, held),))}, "--time=1", state="TIMEOUT")
    for _ in range(6):
        turn += 1
        starve = tuple((t, {**(IDLE if k % 3 else work(35)), "memory.used": str(20 << 30)}) for k, t in enumerate(range(2, 60)))
        wait = "if step % 10:\n    pass\nelse:\n    time.sleep(2.5)"
        yield job(Label(mode="D1", fault="user"), program(total=120, mid_step=1, at={"mid": wait}), 1, {(0, 0): ({**work(12), "utilization.gpu": "6"}, starve)}, state="COMPLETED")
    for _ in range(6):
        turn += 1
        fabric = {**work(9, memory=6, tensor=2), "utilization.gpu": "100", "power.usage": "210000"}
        label = Label(mode="D2", variant="interconnect", fault="cluster")
        yield job(label, program(total=320), 4, {(n, g): (fabric, ()) for n in range(2) for g in range(2)}, nodes=2, state="COMPLETED")
    for number in range(6):
        turn += 1
        behind = number % 4
        readings = {(r // 2, r % 2): (work(58 if r == behind else 15), ()) for r in range(4)}
        yield job(Label(mode="D3", fault="unknown"), program(total=320), 4, readings, nodes=2, state="COMPLETED")
    for number in range(8):
        turn += 1
        old = {"remapped.corrected": "4", "remapped.uncorrected": "1", "ecc.aggregate.uncorrected": "3"} if number % 2 else {}
        yield job(Label(mode="G1", fault="none", hard=bool(old)), program(total=260), 1 + number % 2, {(0, g): ({**work(50), **old}, ()) for g in range(1 + number % 2)}, state="COMPLETED")
    for _ in range(3):
        turn += 1
        label = Label(mode="A3", cause="file_not_found", fault="user", failed_ranks=(0,), first_ranks=(0,))
        stale = {"remapped.uncorrected": "3", "ecc.aggregate.uncorrected": "3"}
        yield job(label, program(mid_step=150, at={"mid": "open(f'data/part-{step}.bin')"}), 1, {(0, 0): ({**work(50), **stale}, ())}, state="FAILED")


RECIPE = Recipe("gpu_weather", "development", jobs)
