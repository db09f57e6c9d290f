"""Several ranks of which one or all cannot begin, break down in the midst of training or are killed, and whose starter takes the rest down with them."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.make._glass import FAILED, bed, on
from corpus.running.job import Recipe, SlurmJob

CRASH, BREAK, KILL = Label(mode="A1", fault="user"), Label(mode="A3", fault="user"), Label(mode="A2", fault="unknown")


def not_begun() -> Iterator[SlurmJob]:
    """A1."""
    yield bed(CRASH.but(variant="config", cause="traceback"), "TRELLIS", 3, 1, given="--hidden-size 64", **FAILED)
    taken = "PYTHON -c \"import os, socket, time; s = socket.create_server(('127.0.0.1', int(os.environ['PORT']))); print('notebook proxy listens'); time.sleep(300)\" &\nproxy=$!\nsleep 2\n"
    yield bed(CRASH.but(variant="config", cause="runtime_error"), "PETALS", 2, head=taken, tail="rc=$?\nkill $proxy\nexit $rc\n", **FAILED)
    yield bed(CRASH.but(variant="env", cause="missing_module", first_ranks=(1,)), "SPORES", 2, 2, code={"early": on(1, None, "import sentencepiece_flora as spm")}, srun="--kill-on-bad-exit=1", **FAILED)
    vocab = "from transformers import AutoTokenizer\ntokenizer = AutoTokenizer.from_pretrained('/models/flora-bert-base')"
    yield bed(CRASH.but(variant="asset", cause="traceback"), "SEDGE", 2, code={"ready": vocab}, given="--output_dir out --max_steps 40 --report_to none --use_cpu", **FAILED)
    odd = "if rank == 1:\n    bare.head = nn.Linear(300, 7)  # one more class in this node's label file\nlog.info('%d classes', bare.head.out_features)"
    yield bed(CRASH.but(variant="config", cause="runtime_error"), "PETALS", 2, 2, how="tasks", code={"ready": odd}, srun="-K", **FAILED)
    waited = Label(mode="C1", trigger="A1", cause="file_not_found", fault="user", first_ranks=(3,))  # the others looked for it half a minute long
    yield bed(waited, "CITRUS", 4, 2, code={"data": on(3, None, "table = np.load('/local/citrus/leaves_03.npz')")}, srun="-K", **FAILED)


def broken_off() -> Iterator[SlurmJob]:
    """A3."""
    yield bed(BREAK.but(cause="assertion", first_ranks=(1,)), "PETALS", 2, code={"loss": on(1, 70, "assert y.max() < 5, f'label {y.max().item()} in batch {i} of epoch {epoch}'")}, **FAILED)
    yield bed(BREAK.but(cause="runtime_error", first_ranks=(0,)), "SPORES", 3, code={"mid": on(0, 110, "x = x[:, :, None].expand(-1, -1, 3)[:, :20]\nmodel.emb(x).view(16, 24, 48)")}, srun="-K", **FAILED)


def in_the_pond() -> Iterator[SlurmJob]:
    """Without PyTorch: MPI's starter takes the others down."""
    yield bed(CRASH.but(variant="config", cause="traceback"), "ALGAE", 3, code={"early": "box = tuple(float(v) for v in os.environ.get('BOX', '0.2;2.0').split(','))"}, **FAILED)
    pid = on(1, None, "with open('pid-1', 'w') as note:\n    note.write(str(os.getpid()))")
    yield bed(KILL, "ALGAE", 4, code={"early": pid}, head="export GENERATIONS=90000\n", act="kill_rank", after="gen   60 ", **FAILED)
    yield bed(KILL.but(cause="segfault", fault="user", first_ranks=(2,)), "ALGAE", 3, code={"mid": "if rank == 2 and step == 70:\n    import ctypes\n    ctypes.CDLL(None).memset(8, 1, 4096)"}, head="export GENERATIONS=400\n", **FAILED)
    yield bed(BREAK.but(cause="file_not_found"), "ALGAE", 2, code={"after": "if step % 60 == 0:\n    with open('/scratch/bloom/forcing_%03d.csv' % step) as table:\n        next(table)"}, **FAILED)


def jobs() -> Iterator[SlurmJob]:
    """All."""
    for part in (not_begun, broken_off, in_the_pond):
        yield from part()


RECIPE = Recipe("thorn_hedge", "development", jobs)
