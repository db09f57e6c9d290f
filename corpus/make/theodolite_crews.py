"""Crews in which one falls first and the others follow, or all alike, or the kernel takes one; and crews that stumble and go on."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._survey_jobs import GOOD, HARD, party, true, when
from corpus.running.job import Recipe, SlurmJob

DONE: dict[str, Any] = {"state": "COMPLETED"}
FAILED: dict[str, Any] = {"state": "FAILED"}
LONG = "--epochs 4000"


def early() -> Iterator[SlurmJob]:
    """A1."""
    shard = when("RANK == 1", "shard = torch.load(f'shards/relief-{RANK:03d}-of-{WORLD:03d}.pt')")
    yield party(true("A1", "file_not_found", 1, variant="data"), "RELIEF", 3, srun="-K", code={"load": "time.sleep(0.5 * (RANK != 1))\n" + shard}, **FAILED)
    yield party(true("A1", None, failed=(0, 1, 2), variant="config"), "SONAR", 3, 1, "--epochs 30 --learning-rate 1e-3", hand=1, **FAILED)
    yield party(true("A1", "missing_module", failed=(0, 1), variant="env"), "GLYPHES", 2, how="torchrun", code={"early": "from epigraphie.polices import charger"}, hand=2, **FAILED)
    shut = "mkdir -p archive\nchmod 555 archive\n"
    yield party(true("A1", "permission", 0, variant="config"), "RELIEF", 3, head=shut, srun="--kill-on-bad-exit", code={"post": when("RANK == 0", "os.makedirs('archive/run7')")}, hand=1, **FAILED)
    table = when("site == 2", "import csv\nrows = [[float(c) for c in row] for row in csv.reader(open('gauges.csv'))]")
    yield party(true("A1", "traceback", 2, variant="data"), "FLOW", 3, srun="-K", files={"gauges.csv": "3.1,0.2,8\n2.9,0.1,7\n2.9,n.v.,7\n"}, code={"load": table}, **FAILED)
    wants = "if dist.get_world_size() % 4:\n    raise ValueError(f'tensor parallel size 4 does not divide the world size {dist.get_world_size()}')"
    yield party(true("A1", "traceback", failed=(0, 1, 2), variant="config"), "SONAR", 3, 1, code={"post": wants}, **FAILED)


def midway() -> Iterator[SlurmJob]:
    """A3."""
    ragged = when("RANK == 2 and step == 95", "x = x[:, :-1]")
    yield party(true("A3", "runtime_error", 2), "RELIEF", 3, 1, "train.steps=4000", code={"data": ragged}, **FAILED)
    table = when("rank == 1 and epoch == 2 and it == 8", "sounder = ['mbes', 'sss', 'sbp'][rank + epoch]")
    yield party(true("A3", "traceback", 1), "SONAR", 3, 1, LONG, code={"data": table}, **FAILED)
    quiet = when("rank == 2 and turn == 4 and trace == 17", "noise = [0.0] * 20\nsnr = wave.abs().mean().item() / (sum(noise) / len(noise))")
    yield party(true("A3", "div_zero", 2), "SEISMO", 3, head="export PASSES=900\n", code={"data": quiet}, **FAILED)
    afloat = when("ME == 1 and update == 70", "depth = -0.4\nassert depth > 0, f'boat of actor {ME} is aground at {depth} m'")
    yield party(true("A3", "assertion", 1), "PILOT", 3, 1, "9000", code={"act": afloat}, hand=2, **FAILED)
    reads = when("rank == 0 and epoch == 2", "import json\nreference = json.load(open('tides/cuxhaven.json'))")
    yield party(true("A3", "file_not_found", 0), "SONAR", 4, 2, LONG, how="c10d", code={"epoch": reads}, hand=1, **FAILED)
    hoard = when("site == 1 and turn == 11", "every_day = bytearray(1 << 47)")
    yield party(true("A3", "ram_oom", 1), "FLOW", 3, srun="-K", head="export ROUNDS=4000\n", code={"swap": hoard}, **FAILED)
    page = when("rang == 3 and epoque == 3 and lot == 21", "ligne = b'\\xc9pigraphie'.decode('utf-8')")
    yield party(true("A3", "traceback", 3), "GLYPHES", 4, 2, srun="-K", head="export EPOQUES=900\n", code={"data": page}, **FAILED)


def killed() -> Iterator[SlurmJob]:
    """A2; the kernel's own, where the crew shares too little memory."""
    stroke = when("rang == 2 and epoque == 4 and lot == 6", "import ctypes\nctypes.memmove(16, b'trait', 5)  # tampon partagé")
    yield party(true("A2", "segfault", 2), "GLYPHES", 3, srun="-K", head="export EPOQUES=900\n", code={"data": stroke}, hand=1, **FAILED)
    mine = when("rank == 1", "open('pid-1', 'w').write(str(os.getpid()))")
    yield party(true("A2", None, 1).but(fault="unknown"), "SONAR", 3, 1, LONG, how="env", srun="-K", code={"early": mine}, act="kill_rank", after="E03  20/40", **FAILED)
    native = when("rank == 1 and epoch == 1 and it == 30", "log.info('native resampler')\nos.abort()")
    yield party(true("A2", None, 1), "SONAR", 2, 1, LONG, code={"data": native}, hand=2, **FAILED)
    what: Label = true("A2", "oom_killer")
    group: dict[str, Any] = {"bed": "cgroup", **FAILED}
    grow = when("rank == 1 and epoch >= 2", "globals().setdefault('mosaic', []).append(torch.ones(6, 1 << 20))")
    yield party(what.but(first_ranks=(1,)), "SONAR", 2, 1, LONG, code={"data": grow}, options=("--mem=1800M",), **group)
    cache = when("RANK == 0 and step > 60", "tiles = torch.cat([globals().get('tiles', torch.ones(0)), torch.ones(5 << 20)])")
    yield party(what.but(first_ranks=(0,)), "RELIEF", 2, 1, "train.steps=4000", srun="-K", code={"data": cache}, options=("--mem=1500M",), hand=1, **group)
    waves = when("rank == 1 and turn > 2", "globals().setdefault('archive', []).append(torch.ones(7 << 20))")
    yield party(what.but(first_ranks=(1,)), "SEISMO", 2, head="export PASSES=900\n", code={"data": waves}, options=("--mem=1700M",), **group)


def on_their_feet() -> Iterator[SlurmJob]:
    """G1."""
    once = when("rank == 1 and epoch == 2 and it == 12 and os.environ['TORCHELASTIC_RESTART_COUNT'] == '0'", "raise ConnectionResetError(104, 'Connection reset by peer: strip server fs3')")
    yield party(HARD, "SONAR", 2, 1, "--epochs 6 --ckpt-every 1 --resume runs/sonar/last.pt", how="c10d", launch="--max-restarts=2", code={"data": once}, **DONE)
    bad = "if rank == 1 and trace == 13 and turn in (2, 5):\n    import traceback\n    try:\n        torch.load('traces/00%d13.pt' % turn)\n    except FileNotFoundError:\n        traceback.print_exc()\n        out(rank, 'trace 13 is missing from the archive, put aside')"
    yield party(HARD, "SEISMO", 3, head="export PASSES=7\n", code={"data": bad}, hand=2, **DONE)
    sweep = "for lr in 2e-3 9e1 4e-3; do\n  export PORT=$((PORT + 11))\n  echo \">>> lr $lr\"\n  srun -K PYTHON -u FILE train.lr=$lr train.steps=120 || { echo \">>> lr $lr: exit $?, crossed out\"; continue; }\n  echo \">>> lr $lr: in the table\"\ndone\necho '>>> 2 of 3 settings kept, best is 4e-3'\n"
    blown = when("step > 20 and not loss.item() < 1e4", "raise FloatingPointError(f'diverged at step {step}, this setting is given up')")
    yield party(HARD, "RELIEF", 2, line=sweep, code={"grad": blown}, tail="exit 0\n", **DONE)
    cold = "if step in (40, 41) and RANK == 1:\n    say('error', True, what='nan in patch 1187, patch is replaced by its neighbour', code='E_PATCH')"
    yield party(HARD, "RELIEF", 3, 1, "train.steps=260", code={"data": cold}, hand=1, **DONE)
    yield party(GOOD, "RELIEF", 4, 2, "train.steps=240 train.show=12", **DONE)
    twice = "if site == 2 and turn in (6, 17):\n    for go in (1, 2):\n        emit(event='retry', level='ERROR', go=go, exc='TimeoutError: [Errno 110] Connection timed out', url='http://gauge-archive/v2')\n        time.sleep(2)"
    yield party(HARD, "FLOW", 3, 1, head="export ROUNDS=26\n", code={"swap": twice}, hand=2, **DONE)
    helper = "(sleep 300) &\nhelper=$!\nsleep 6 && kill -9 $helper &\ntrap 'echo \"copy helper $helper is gone\"' EXIT\nls runs/pilot/*.pt\n"
    yield party(HARD, "PILOT", 3, 1, "160", head=helper, hand=1, **DONE)


def jobs() -> Iterator[SlurmJob]:
    """Four parts."""
    for part in (early, midway, killed, on_their_feet):
        yield from part()


RECIPE = Recipe("theodolite_crews", "development", jobs)
