"""Real jobs on Slurm whose GPUs' readings are scripted, in other shapes than the development part's."""

from collections.abc import Iterator, Mapping

from corpus.label import Label
from corpus.running.batch import batch
from corpus.running.job import Recipe, SlurmJob
from corpus.running.programs import Program
from tests.testbed.gpu_scenarios import work

STYLES = ("wandbish", "table", "epochs", "plain", "rank_logging")
Readings = Mapping[tuple[int, int], tuple[Mapping[str, str], tuple[tuple[float, Mapping[str, str]], ...]]]


def jobs() -> Iterator[SlurmJob]:
    """Rows remapped in the last seconds, a lost link, heat in pulses, a fabric, a rank behind by little, idle after a while."""

    def job(label: Label, what: Program, ranks: int, gpus: Readings, *options: str, **more: object) -> SlurmJob:
        return batch(label.but(gpu="scripted"), what, ranks=ranks, options=("--mem=150M", f"--gres=gpu:{ranks}", *options), gpus=gpus, bed="cgroup", where="", **more)  # type: ignore[arg-type]

    def program(number: int, **more: object) -> Program:
        return Program(("logistic", "line")[number % 2], STYLES[number % 5], seed=number, **{"total": 280, "every": 4, "pause_s": 0.05, **more})  # type: ignore[arg-type]

    for number in range(5):
        broken = ({"remapped.uncorrected": "1", "remapped.pending": "1", "ecc.volatile.uncorrected": "1", "ecc.aggregate.uncorrected": "1"}, {"ecc.volatile.uncorrected": "12", "ecc.aggregate.uncorrected": "12"})[number % 2]
        stop = "if rank == 1:\n    raise RuntimeError('CUDA error: an illegal memory access was encountered')"
        yield job(Label(mode="B2", cause="cuda_runtime", fault="node", failed_ranks=(1,), first_ranks=(1,)), program(number, mid_step=190, at={"mid": stop}, print_all=True), 2, {(0, 0): (work(40), ()), (0, 1): (work(40), ((8.0 + number, broken),))}, state="FAILED")
    for number in range(4):
        held = tuple((7.0 + i, {"temperature": str(90 + i % 4), "throttle_reasons": "0x48", "clock.sm": str(600 + 60 * number), "violation.thermal": f"{1_000_000 + i * 1_000_000} {int(8e8 * (i + 1))}", "slowdown.hw_thermal": str(int(8e8 * (i + 1)))}) for i in range(26))
        yield job(Label(mode="B3", fault="node"), program(number, mid_step=1, at={"mid": "if step > 120:\n    time.sleep(0.1)"}), 1, {(0, 0): (work(52), held)}, state="COMPLETED")
    for number in range(4):
        idle = {"utilization.gpu": "0", "utilization.memory": "0", "gpm.2": "0", "gpm.3": "0", "gpm.5": "0", "gpm.10": "0", "power.usage": "88000", "memory.used": str(40 << 30), "throttle_reasons": "0x1"}
        yield job(Label(mode="C3", fault="user"), program(number, mid_step=80, at={"mid": "import select\nselect.select([], [], [])"}), 1, {(0, 0): ({**work(61), "memory.used": str(40 << 30)}, ((6.0, idle),))}, "--time=1", state="TIMEOUT")
    for _ in range(4):
        slow = {**work(11, memory=5, tensor=1), "utilization.gpu": "99", "power.usage": "190000"}
        yield job(Label(mode="D2", variant="interconnect", fault="cluster"), program(_, total=300), 2, {(0, g): (slow, ()) for g in range(2)}, state="COMPLETED")
    for number in range(4):
        readings = {(0, g): (work(44 if g == number % 4 else 17), ()) for g in range(4)}
        yield job(Label(mode="D3", fault="unknown"), program(number, total=300), 4, readings, state="COMPLETED")
    for number in range(4):
        gaps = tuple((2.0 + k, work(30) if k % 4 == 0 else {"utilization.gpu": "0", "gpm.2": "0", "gpm.3": "0", "gpm.5": "0", "gpm.10": "0", "power.usage": "95000"}) for k in range(60))
        yield job(Label(mode="D1", fault="user"), program(number, total=100, mid_step=1, at={"mid": "time.sleep(2.2 if step % 8 == 0 else 0)"}), 1, {(0, 0): (work(10), gaps)}, state="COMPLETED")
    for number in range(5):
        yield job(Label(mode="G1", fault="none", hard=number % 2 == 0), program(number), 2, {(0, g): ({**work(55), **({"remapped.corrected": "9", "pcie.replay": "4"} if number % 2 == 0 else {})}, ()) for g in range(2)}, state="COMPLETED")


RECIPE = Recipe("bed_gpus", "development", jobs)
