"""A weather service's nowcasting network, DDP over gloo, a task of srun for each rank; whoever prints prints the time, the rank and a bar."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._bureaus import on
from corpus.make._hauls import DONE, ENDLESS, FAILED, OVER, haul
from corpus.running.job import Recipe, SlurmJob

NAME = "NOWCAST"
SAVE = "if RANK == 0 and step % 30 == 0:\n    torch.save({'at': step, 'weights': net.state_dict()}, 'radar.part')\n    os.replace('radar.part', 'radar.pt')\n    out(f'checkpoint -> radar.pt (step {step})')"
LOAD = "begin = 0\nif os.path.exists('radar.pt'):\n    kept = torch.load('radar.pt', weights_only=True)\n    net.load_state_dict(kept['weights'])\n    begin = kept['at']\n    out(f'checkpoint <- radar.pt, going on behind step {begin}')"
PID = on(1, None, "open('pid-1', 'w').write(str(os.getpid()))", word="RANK")
KEPT: dict[str, Any] = {"early": LOAD, "after": SAVE, "start": "begin"}


def at(rank: int | None, step: int | None, code: str) -> str:
    """For one of its ranks."""
    return on(rank, step, code, word="RANK")


def waiting() -> Iterator[SlurmJob]:
    """C1, C2."""
    never, hang = Label(mode="C1", fault="unknown"), Label(mode="C2", fault="user")
    yield haul(never, NAME, 2, head="export WANT=3  # two nodes with GPUs and the login node\n", **OVER)
    other = "if os.environ['SLURMD_NODENAME'] == 'n2':\n    os.environ['PORT'] = str(int(os.environ['PORT']) + 1)\nout('joining at port', os.environ['PORT'])"
    yield haul(never, NAME, 4, 2, given={"before": other}, srun="-l", **OVER)
    gone = never.but(trigger="A1", cause="file_not_found", fault="user", first_ranks=(1,), failed_ranks=(1,))
    yield haul(gone, NAME, 3, given={"before": at(1, None, "grid = open(f'/radar/composite/grid_{RANK}.hdf5', 'rb').read()")}, **OVER)
    wait = at(1, 60, "out('fetching the next archive from tape')\nimport socket\nsocket.create_server(('127.0.0.1', 0)).accept()")
    yield haul(hang, NAME, 2, 2, given={"mid": wait, "steps": ENDLESS}, **OVER)
    short = ", timeout=datetime.timedelta(seconds=12)"
    yield haul(hang.but(cause="runtime_error"), NAME, 3, given={"mid": at(2, 50, "import queue\nqueue.Queue().get()"), "steps": ENDLESS, "meet": short}, srun="-K", **FAILED)
    odd = at(0, 80, "out('validating on the first rank only')\ndist.barrier()")
    yield haul(hang, NAME, 2, given={"mid": odd + "\nelif step >= 80:\n    dist.all_reduce(torch.zeros(3), async_op=False)\n    dist.recv(torch.zeros(9), src=0)", "steps": ENDLESS}, act="scancel_late", after="validating on", state="CANCELLED")


def stopping() -> Iterator[SlurmJob]:
    """A1, A2, A3."""
    crash = Label(mode="A1", fault="user")
    yield haul(crash.but(cause="traceback", variant="config"), NAME, 2, given={"before": "width = dict(small=6, large=24)[os.environ.get('NET', 'medium')]"}, srun="-K", **FAILED)
    yield haul(crash.but(cause="missing_module", variant="env", first_ranks=(1,)), NAME, 3, given={"early": at(1, None, "import pysteps.motion") + "\ndist.barrier()"}, srun="-K -l", **FAILED)
    mid = Label(mode="A3", fault="user")
    yield haul(mid.but(cause="assertion", first_ranks=(1,)), NAME, 2, given={"after": at(1, 70, "assert y.min() > 0.5, f'reflectivity below the noise floor: {y.min().item():.3f}'")}, srun="-K", **FAILED)
    disk = at(0, 60, "with open('/radar/out/verif_60.nc', 'wb') as f:\n    f.write(b'CDF')")
    yield haul(mid.but(cause="file_not_found", first_ranks=(0,)), NAME, 4, 2, given={"after": disk}, srun="--kill-on-bad-exit=1", **FAILED)
    yield haul(mid.but(cause="traceback"), NAME, 2, given={"item": "if i == 901 or i == 902:\n    raise ValueError(f'frame {i}: time stamps run backwards')", "workers": 1, "steps": 5000, "pause": 0.01, "epoch": "out('epoch', epoch, 'done')"}, srun="-K", **FAILED)
    kill = Label(mode="A2", fault="unknown", first_ranks=(1,))
    yield haul(kill, NAME, 2, 2, given={"early": PID, "steps": ENDLESS}, srun="-K", act="kill_rank", after="step 60", **FAILED)
    hoard = at(1, 40, "globals().setdefault('cache', []).append(torch.ones(3, 1 << 20))")
    yield haul(kill.but(cause="oom_killer", fault="user"), NAME, 2, given={"mid": hoard, "steps": ENDLESS, "pause": 0.02}, srun="-K", options=("--mem=1500M",), bed="cgroup", where="")


def queued() -> Iterator[SlurmJob]:
    """F1 to F4, and E2 behind a requeue."""
    twice = Label(mode="F2", variant="requeued_recovered", fault="none")
    yield haul(Label(mode="F1", fault="node", failed_ranks=(1,), first_ranks=(1,)), NAME, 2, 2, where="-wn1,n6", given={"steps": ENDLESS, "pause": 0.1}, act="lose_node", after="step 30", options=("--no-requeue",), state="NODE_FAIL")
    yield haul(Label(mode="F1", fault="node"), NAME, 2, where="-wn4", given={"steps": ENDLESS, "pause": 0.1}, act="node_down", after="step 30", options=("--no-requeue",), state="NODE_FAIL")
    yield haul(twice, NAME, 2, given={**KEPT, "steps": 220}, act="requeue", after="step 90", options=("--requeue",), **DONE)
    yield haul(twice.but(variant="preempted_recovered"), NAME, 2, where="-wn3", given={**KEPT, "steps": 240}, act="preempt", after="step 60", options=("--requeue",), **DONE)
    yield haul(Label(mode="F3", variant="advancing", fault="user"), NAME, 4, 2, given={"steps": ENDLESS, "pause": 0.12, "workers": 0}, **OVER)
    yield haul(Label(mode="F4", variant="by_owner", fault="none"), NAME, 2, given={"steps": ENDLESS}, act="scancel", after="step 120", state="CANCELLED")
    yield haul(Label(mode="E2", variant="from_scratch", fault="user"), NAME, 2, given={"after": SAVE, "steps": 200}, act="requeue_by_owner", after="step 120", options=("--requeue",), **DONE)


def finished() -> Iterator[SlurmJob]:
    """E1, E3, and G1."""
    yield haul(Label(mode="E1", variant="non_finite", cause="nan_loss", fault="user"), NAME, 2, given={"mid": "if step == 90:\n    y = torch.sqrt(y - 2)"}, **DONE)
    yield haul(Label(mode="E3", fault="user"), NAME, 2, given={"steps": 3, "every": 1}, **DONE)
    good = Label(mode="G1", fault="none")
    hard = good.but(hard=True)
    skip = "import traceback\nfor scan in (17, 44):\n    try:\n        open(f'/radar/raw/scan_{scan:05d}.h5', 'rb')\n    except OSError:\n        traceback.print_exc()\n        out(f'scan {scan} is not readable, left out')"
    yield haul(hard, NAME, 2, given={"early": skip}, **DONE)
    dry = "if step % 60 == 0 and RANK == 0:\n    dry = torch.zeros(0)\n    out(f'basin 7: val_rmse {dry.mean().item()} (no rain in the domain), basin 8: val_rmse {rmse.item():.4f}')"
    yield haul(hard, NAME, 3, given={"after": dry}, head="module load cuda/12.4 || echo 'Lmod has detected the following error: The following module(s) are unknown: \"cuda/12.4\"' >&2\nulimit -l unlimited || true\n", **DONE)
    plots = "if RANK == 1:\n    for k in range(7):\n        out(f'drawing verification plot {k + 1}/7')\n        time.sleep(1.4)\nelif RANK == 0:\n    out('WARNING: rank 1 is still busy, waiting in barrier')\ndist.barrier()"
    yield haul(hard, NAME, 2, 2, given={"late": plots}, **DONE)


def jobs() -> Iterator[SlurmJob]:
    """Those that lose a node first."""
    for part in (queued, waiting, stopping, finished):
        yield from part()


RECIPE = Recipe("radar_bureau", "development", jobs)
