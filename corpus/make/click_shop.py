"""An advertiser's parameter server and its workers, each a task of srun, in lines of JSON: the server stops or the workers do, or they are moved about by the queue."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.make._hauls import DONE, ENDLESS, FAILED, haul
from corpus.running.job import Recipe, SlurmJob

NAME = "SHOP"
SAVE = "if round_ % 40 == 0:\n    torch.save({'round': round_, 'table': table}, 'table.pt.part')\n    os.replace('table.pt.part', 'table.pt')\n    event('snapshot', path='table.pt', round=round_)"
FROM = "(torch.load('table.pt', weights_only=True)['round'] if os.path.exists('table.pt') else 0)"
BACK = "if os.path.exists('table.pt'):\n    kept = torch.load('table.pt', weights_only=True)\n    event('restored', path='table.pt', round=kept['round'])"


def at(rank: int, round_: int, code: str) -> str:
    """What a worker does in a round."""
    return f"if ROLE_RANK == {rank} and round_ == {round_}:\n" + "\n".join(f"    {line}" for line in code.splitlines())


def stopping() -> Iterator[SlurmJob]:
    """A1, A2, A3."""
    yield haul(Label(mode="A1", cause="traceback", variant="env", fault="user", first_ranks=(0,)), NAME, 3, given={"before": "if ROLE_RANK == 0:\n    secret = os.environ['REDIS_PASSWORD']"}, srun="-K", **FAILED)
    yield haul(Label(mode="A3", cause="traceback", fault="user", first_ranks=(2,)), NAME, 3, given={"work": at(2, 70, "item = torch.tensor([KEYS + 3])\nlabel = table[item]")}, srun="-K", **FAILED)
    yield haul(Label(mode="A3", cause="assertion", fault="user", first_ranks=(0,)), NAME, 4, 2, given={"served": "assert round_ < 85, 'drift monitor: click rate left its band'"}, srun="-K", **FAILED)
    yield haul(Label(mode="A2", cause="segfault", fault="user", first_ranks=(1,)), NAME, 3, given={"work": at(1, 60, "import ctypes\nctypes.memmove(8, b'x', 1)")}, srun="-K", **FAILED)


def queued() -> Iterator[SlurmJob]:
    """F1 to F4, E2."""
    yield haul(Label(mode="F1", fault="node"), NAME, 3, where="-wn4", given={"steps": ENDLESS, "pause": 0.1}, act="node_down", after='"round": 30', options=("--no-requeue",), state="NODE_FAIL")
    yield haul(Label(mode="F2", variant="preempted_recovered", fault="none"), NAME, 3, where="-wn3", given={"early": BACK, "served": SAVE, "start": FROM, "steps": 260, "pause": 0.05}, act="preempt", after="snapshot", options=("--requeue",), **DONE)
    yield haul(Label(mode="F3", variant="advancing", fault="user"), NAME, 3, 1, given={"steps": 4000, "pause": 0.1}, srun="--time=1", options=("--time=5",))
    yield haul(Label(mode="F4", variant="by_owner", fault="none"), NAME, 3, 2, given={"steps": ENDLESS, "early": "def stop(number, frame):\n    event('terminating', signal=signal.Signals(number).name)\n    sys.exit(0)\nsignal.signal(signal.SIGTERM, stop)"}, act="scancel", after='"round": 120', state="CANCELLED")
    broken = "if [ ${SLURM_RESTART_COUNT:-0} -gt 0 ]; then : > table.pt; fi\n"
    load = "if os.path.exists('table.pt'):\n    event('loading checkpoint', path='table.pt')\n    torch.load('table.pt', weights_only=True)"
    yield haul(Label(mode="E2", variant="corrupt", cause="traceback", fault="user"), NAME, 2, head=broken, given={"before": load, "served": SAVE.replace("'snapshot'", "'checkpoint saved'")}, act="requeue", after="checkpoint saved.*80", options=("--requeue",), **FAILED)


def finished() -> Iterator[SlurmJob]:
    """E1, E3, G1."""
    yield haul(Label(mode="E1", variant="flat", fault="user"), NAME, 3, given={"rate": 0.0, "steps": 220}, **DONE)
    yield haul(Label(mode="E3", fault="user"), NAME, 3, given={"steps": 2, "every": 1}, **DONE)
    hard = Label(mode="G1", fault="none", hard=True)
    slow = "if ROLE_RANK == 2:\n    for attempt in range(4):\n        event('error', message='ConnectionRefusedError: [Errno 111] Connection refused', retry=attempt + 1)\n        time.sleep(1.5)"
    yield haul(hard, NAME, 3, given={"before": slow}, **DONE)
    yield haul(hard, NAME, 4, 2, given={"work": "if ROLE_RANK == 3 and round_ % 60 == 0:\n    event('error', level='ERROR', message='batch dropped: 3 impressions without a campaign', exc='KeyError: None')\n    time.sleep(0.4)"}, **DONE)


def jobs() -> Iterator[SlurmJob]:
    """Those that lose a node first."""
    for part in (queued, stopping, finished):
        yield from part()


RECIPE = Recipe("click_shop", "development", jobs)
