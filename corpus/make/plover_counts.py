"""Jobs that came home, most of them with something in their words that sounds worse than it was; and a few of the same programs that did not."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._plovers import CONTRAST, JUDGE, RIVALS, SEARCH, WALKER
from corpus.make._windlass import gang
from corpus.running.job import Recipe, SlurmJob
from corpus.running.slots import fill

TEXTS = {"RIVALS": (RIVALS, "rings/gan.py"), "WALKER": (WALKER, "ledge.py"), "JUDGE": (JUDGE, "evaluate.py"), "SEARCH": (SEARCH, "search.py"), "CONTRAST": (CONTRAST, "pretrain_views.py")}
DONE: dict[str, Any] = {"state": "COMPLETED"}
FAILED: dict[str, Any] = {"state": "FAILED"}
GOOD = Label(mode="G1", fault="none")
HARD = GOOD.but(hard=True)


def run(label: Label, which: str, ranks: int = 1, nodes: int = 1, how: str = "one", *, code: dict[str, str] | None = None, **more: Any) -> SlurmJob:
    """One of them."""
    text, file = TEXTS[which]
    return gang(label, "", ranks, nodes, how, text=fill(text, **(code or {})), file=file, **more)


def home() -> Iterator[SlurmJob]:
    """G1."""
    yield run(HARD, "RIVALS", 2, 1, "torchrun", given="--n-iter 420", **DONE)
    yield run(HARD, "RIVALS", 1, given="--n-iter 380 --show 10", code={"early": "warnings.warn('loss of the discriminator near 0 for 200 iterations would abort the run (collapse_guard=abort)')"}, **DONE)
    yield run(HARD, "WALKER", 3, 1, "tasks", given="260", **DONE)
    yield run(HARD, "WALKER", 2, 2, "torchrun", given="240", code={"after": "if u == 90 and me == 1:\n    print('Exception in viewer thread: BrokenPipeError: [Errno 32] Broken pipe (viewer is closed, games go on)', file=sys.stderr, flush=True)"}, **DONE)
    yield run(HARD, "JUDGE", 4, 2, "tasks", **DONE)
    yield run(HARD, "JUDGE", 1, given="clean,noise-10dB,noise-0dB,far-field,babble", code={"early": "print('missing keys (ignored, strict=False): head.dropout.mask', file=sys.stderr)"}, **DONE)
    yield run(HARD, "SEARCH", 1, given="11", code={"failed": "traceback.print_exc()"}, **DONE)
    yield run(HARD, "SEARCH", 1, given="9", options=("--array=2", "--job-name=hpo-reg"), **DONE)
    yield run(GOOD, "CONTRAST", 2, 1, "torchrun", **DONE)
    warm = "state = {k: v * 0.9 for k, v in enc.state_dict().items()}\nprint(enc.load_state_dict({k: v for k, v in state.items() if not k.startswith('2.')}, strict=False))\nlog.warning('fine-tuning: trunk comes from views-v2.pt (step 0 of a new stage), head is new')"
    yield run(HARD, "CONTRAST", 3, 3, "tasks", code={"load": warm}, **DONE)
    stop = "if s == 180:\n    log.warning('EarlyStopping: nt_xent has not improved by 0.01 for 40 steps, stopping at step %d (as configured)', s)\n    steps = s\n    break"
    yield run(HARD, "CONTRAST", 2, 2, "torchrun", head="export STEPS=2000\n", code={"after": stop}, **DONE)
    chatter = "export NCCL_DEBUG=WARN TORCH_CPP_LOG_LEVEL=INFO TORCH_DISTRIBUTED_DEBUG=INFO\n"
    yield run(HARD, "CONTRAST", 2, 1, "tasks", head=chatter, **DONE)
    printed = "import inspect\nprint(open(__file__).read()[:1500])\nprint('--- that was the code of this run ---', flush=True)\nif False:\n    raise RuntimeError('CUDA error: device-side assert triggered')"
    yield run(HARD, "WALKER", 2, 1, "torchrun", given="220", code={"early": printed}, **DONE)
    yield run(GOOD, "RIVALS", 4, 2, "tasks", given="--n-iter 360", **DONE)


def away() -> Iterator[SlurmJob]:
    """A1, A3, F3, C2."""
    yield run(Label(mode="A1", cause="permission", variant="config", fault="user", failed_ranks=(0, 1)), "CONTRAST", 2, 1, "tasks", srun="-K", head="mkdir -p out; chmod 500 out\n", code={"early": "os.makedirs('out/views/run3')"}, **FAILED)
    yield run(Label(mode="A3", cause="assertion", fault="user", first_ranks=(2,)), "WALKER", 3, 1, "torchrun", given="9000", code={"after": "if u == 110 and me == 2:\n    assert torch.isfinite(gains).all() and gains.max() > 0, f'player 2: best gain of update {u} is {gains.max():.2f}, expected a positive one'"}, **FAILED)
    yield run(Label(mode="F3", variant="advancing", fault="user"), "JUDGE", 2, 1, "tasks", given="$(seq -s, 1 300)", state="TIMEOUT", options=("--time=1",))
    wait = "if it == 160 and rk == 1:\n    print('rank 1: writing a grid of samples, waiting for the image server', flush=True)\n    import socket\n    socket.create_server(('127.0.0.1', 0)).accept()"
    yield run(Label(mode="C2", fault="user"), "RIVALS", 3, 1, "torchrun", given="--n-iter 90000", code={"after": wait}, state="TIMEOUT")


def jobs() -> Iterator[SlurmJob]:
    """Two parts."""
    yield from home()
    yield from away()


RECIPE = Recipe("plover_counts", "development", jobs)
