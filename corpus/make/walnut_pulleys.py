"""Teams of ranks: who fails at the door, who on the way, who takes the others along, who is waited for, who lags; and who only grumbles."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.make._tansy_jobs import DONE, FAILED, GOOD, HARD, LATE, OVER, job, true, when
from corpus.running.job import Recipe, SlurmJob

APART, HANG = true("C1", fault="unknown"), true("C2")


def gone(base: Label, rank: int, mode: str, cause: str | None, fault: str = "user") -> Label:
    """One is dead, and the others stay."""
    return base.but(trigger=mode, cause=cause, fault=fault, failed_ranks=(rank,), first_ranks=(rank,))


def door() -> Iterator[SlurmJob]:
    """A1."""
    soil = when("rank == 1", "with open(f'soil/tiles_{rank:03d}.geojson') as tiles:\n    log.info('%d soil tiles', len(tiles.readlines()))")
    yield job(true("A1", "file_not_found", 1, variant="data"), "WHEAT", 3, srun="-K", code={"early": "time.sleep(0.8 * (rank != 1))\n" + soil}, **FAILED)
    yield job(true("A1", "missing_module", failed=(0, 1), variant="env"), "GLYPH", 2, code={"early": "import sentencepiece_rs"}, hand=1, **FAILED)
    yield job(true("A1", None, failed=(0, 1), variant="config"), "WHEAT", 2, 2, "--epochs 20 --batchsize 128", hand=2, **FAILED)
    yield job(true("A1", "traceback", variant="config"), "SONAR", 2, code={"early": "bands = {'low': (10, 90), 'mid': (90, 900)}[os.environ.get('BAND', 'high')]"}, **FAILED)
    yield job(true("A1", "permission", 1, variant="data"), "DUNE", 2, srun="-K", head="mkdir wind && touch wind/part1.dat && chmod 000 wind/part1.dat\n", code={"early": when("ID == 1", "samples = Path('wind/part1.dat').read_bytes()")}, hand=1, **FAILED)


def signals() -> Iterator[SlurmJob]:
    """A2."""
    bad = when("rank == 2 and epoch == 3 and step == 8", "import ctypes\nctypes.string_at(0x40)")
    yield job(true("A2", "segfault", 2), "WHEAT", 3, 1, "--epochs 300", srun="-K", code={"data": bad}, **FAILED)
    yield job(true("A2", None, 1).but(fault="unknown"), "DUNE", 3, 1, srun="--kill-on-bad-exit=1", head="export STEPS=9000\n", code={"early": when("ID == 1", "open('pid-1', 'w').write(str(os.getpid()))")}, act="kill_rank", after="\n120,", hand=2, **FAILED)
    yield job(true("A2", "segfault", 0), "MAREE", code={"data": when("epoque == 12 and lot == 4", "import ctypes\nctypes.memset(8, 1, 64)")}, hand=1, **FAILED)
    yield job(true("A2", None, 1).but(fault="unknown"), "GLYPH", 2, 2, srun="-K", head="export TURNS=9000\n", code={"early": when("me == 1", "open('pid-1', 'w').write(str(os.getpid()))")}, act="kill_rank", after='"turn": 70,', **FAILED)


def midway() -> Iterator[SlurmJob]:
    """A3."""
    yield job(true("A3", "traceback", 1), "GLYPH", 2, srun="-K", head="export TURNS=9000\n", code={"data": when("me == 1 and turn == 90", "row = '0.31;0.72;--;0.55'.split(';')\nscale = sum(float(cell) for cell in row)")}, **FAILED)
    yield job(true("A3", "runtime_error", failed=(0, 1)), "WHEAT", 2, 2, "--epochs 60", code={"data": when("epoch == 4 and step == 15", "bands = bands[:, :21]  # the fourth date is under cloud")}, hand=1, **FAILED)
    yield job(true("A3", "div_zero", 2), "DUNE", 3, srun="-K", head="export STEPS=9000\n", code={"data": when("ID == 2 and step == 110", "gusts = [v for v in (0.2, 0.4, 0.1) if v > 0.5]\nmean_gust = sum(gusts) / len(gusts)")}, **FAILED)
    yield job(true("A3", "assertion"), "SONAR", 2, head="export STEPS=4000\n", code={"data": when("step == 130 and rank == 1", "clip = torch.zeros(15999)\nassert clip.numel() == 16000, f'clip 0412_b.wav has {clip.numel()} samples'")}, hand=2, **FAILED)
    yield job(true("A3", "file_not_found", 0), "WHEAT", 2, 1, "--epochs 60", srun="-K", code={"save": when("rank == 0 and epoch == 5", "with open('weights/summary_006.json', 'w') as out:\n    print(total, file=out)")}, **FAILED)


def apart() -> Iterator[SlurmJob]:
    """C1."""
    yield job(APART, "WHEAT", 2, 2, "--epochs 40", head="export FIELDS_WORLD=3\n", after="r1 INFO: connecting", **LATE)
    yield job(APART, "GLYPH", 3, 1, code={"early": when("me == 2", "os.environ['MASTER_PORT'] = str(int(os.environ['MASTER_PORT']) + 1)")}, hand=1, **OVER)
    yield job(APART, "DUNE", 3, 3, code={"early": when("os.environ['SLURM_NODEID'] == '2'", "BOX = Path('/tmp') / f'exchange-{os.environ[\"SLURM_JOB_ID\"]}'\nBOX.mkdir(exist_ok=True)\nnote(f'shared folder not mounted here, exchange in {BOX}/')")}, where="-xn4,n5,n6", after="not mounted", hand=2, **LATE)
    key = when("rank == 1", "vault = {'uid': 1204}\nlicence = vault['licence_key']")
    yield job(gone(APART, 1, "A1", "traceback"), "WHEAT", 3, 1, code={"early": key}, **OVER)
    bed = when("ID == 0", "with open('survey/crest_2019.xyz') as crest:\n    note(f'{len(crest.readlines())} points')")
    yield job(gone(APART, 0, "A1", "file_not_found"), "DUNE", 3, 2, code={"early": bed}, after="No such file", hand=1, **LATE)


def waits() -> Iterator[SlurmJob]:
    """C2."""
    lock = when("rank == 1 and epoch == 3 and step == 6", "import queue\nlog.info('asking the tile server for the next block')\nblock = queue.Queue().get()")
    yield job(HANG, "WHEAT", 3, 1, "--epochs 900", code={"data": lock}, after="tile server", **LATE)
    cell = when("me == 2 and turn == 120", "vocab = {'a': 0, 'b': 1}\ncode = vocab['ß']")
    yield job(gone(HANG, 2, "A3", "traceback"), "GLYPH", 3, 1, head="export TURNS=90000\n", code={"data": cell}, hand=1, **OVER)
    yield job(gone(HANG, 1, "A2", None, "unknown"), "DUNE", 3, 1, head="export STEPS=90000\n", code={"early": when("ID == 1", "open('pid-1', 'w').write(str(os.getpid()))")}, act="kill_rank", after="\n150,", hand=2, **OVER)
    yield job(HANG.but(fault="unknown"), "WHEAT", 2, 2, "--epochs 9000", code={"early": when("rank == 1", "open('pid-1', 'w').write(str(os.getpid()))")}, act="stop_rank", after="epoch 3 step 10", options=("--time=2",), state="TIMEOUT")
    yield job(gone(HANG, 2, "A3", "assertion"), "DUNE", 4, 2, head="export STEPS=90000\n", code={"data": when("ID == 2 and step == 140", "grains = [0.2, 0.3, 1.7]\nassert max(grains) < 1, f'grain of {max(grains)} mm in sieve 3'")}, after="AssertionError", **LATE)
    odd = when("rank == 0 and epoch == 4", "scores = [torch.zeros(3) for _ in range(world)]\ndist.all_gather(scores, torch.ones(3))\nlog.info('scores of all ranks gathered')\ndist.barrier()\ndist.barrier()")
    yield job(HANG, "WHEAT", 2, 1, "--epochs 900", code={"save": odd}, after="epoch 5/900", hand=2, **LATE)
    seg = when("me == 1 and turn == 100", "import ctypes\nctypes.string_at(16)")
    yield job(gone(HANG, 1, "A2", "segfault"), "GLYPH", 3, 2, head="export TURNS=90000\n", code={"data": seg}, after='"turn": 90,', **LATE)


def lags() -> Iterator[SlurmJob]:
    """D3."""
    what = true("D3", fault="unknown")
    yield job(what, "GLYPH", 3, head="export TURNS=110 NAP=0.02\n", code={"loss": "time.sleep(0.4 if me == 1 else 0.02)"}, hand=1, **DONE)
    slow = "own = time.time()\ntime.sleep(0.36 if rank == 2 else 0.02)\nown = time.time() - own"
    tells = when("step == opts.steps - 1", "log.info('epoch %d: own forward pass %.2f s per step, gradient exchange %.2f s', epoch + 1, own, exchange)")
    yield job(what, "WHEAT", 3, 1, "--epochs 6", code={"loss": slow + "\nexchange = time.time()", "grad": "exchange = time.time() - exchange", "after": tells}, **DONE)
    parts = "spent = time.time()\ntime.sleep(0.42 if ID == 0 else 0.02)\nspent = time.time() - spent"
    yield job(what, "DUNE", 3, 1, head="export STEPS=90\n", code={"data": parts, "after": when("step % 15 == 0", "note(f'step {step}: {spent:.2f} s in the wind model, {time.time() - t - spent:.2f} s for the rest and waiting')")}, hand=2, **DONE)


def well() -> Iterator[SlurmJob]:
    """G1."""
    yield job(GOOD, "WHEAT", 3, 1, "--epochs 14", **DONE)
    yield job(GOOD, "SONAR", 2, head="export STEPS=320\n", hand=1, **DONE)
    yield job(GOOD, "DUNE", 4, 2, head="export STEPS=260\n", hand=2, **DONE)
    yield job(GOOD, "GLYPH", 2, 2, head="export TURNS=260\n", **DONE)
    again = "for attempt in range(4):\n    try:\n        if attempt < 2:\n            raise ConnectionRefusedError(111, 'Connection refused')\n        break\n    except ConnectionRefusedError:\n        log.exception('tile server does not answer, attempt %d of 4', attempt + 1)\n        time.sleep(1.5)\nlog.info('tile server answers')"
    yield job(HARD, "WHEAT", 2, 2, "--epochs 12", code={"early": again}, hand=1, **DONE)
    skip = "if step in (61, 147):\n    report(event='overflow', grad_norm='inf', step=step, action='batch_skipped')\n    continue"
    yield job(HARD, "SONAR", 2, head="export STEPS=300\n", code={"loss": skip}, **DONE)
    small = when("turn == 40", "try:\n    raise torch.OutOfMemoryError('CUDA out of memory. Tried to allocate 1.46 GiB. GPU 0 has a total capacity of 39.49 GiB of which 802.50 MiB is free.')\nexcept torch.OutOfMemoryError as e:\n    tell('warning', msg=str(e), action='micro-batch 48 -> 24, same letters in two halves')")
    yield job(HARD, "GLYPH", 2, 1, head="export TURNS=240\n", code={"data": small}, hand=2, **DONE)
    worker = "import multiprocessing\nif ID == 1 and step in (80, 160):\n    helper = multiprocessing.Process(target=time.sleep, args=(60,))\n    helper.start()\n    helper.kill()\n    helper.join()\n    note(f'reader {helper.pid} died with {helper.exitcode} (SIGKILL); a new one reads on')"
    yield job(HARD, "DUNE", 3, 1, head="export STEPS=240\n", code={"after": worker}, **DONE)
    stop = when("epoch == 9", "if rank == 0:\n    log.warning('validation has not got better for 3 epochs (patience 3): stopping early, best epoch 7')\nbreak")
    yield job(HARD, "WHEAT", 2, 1, "--epochs 50", code={"save": stop}, hand=2, **DONE)
    late = "import atexit, threading\nclass Sink:\n    def __del__(self):\n        raise BrokenPipeError(32, 'Broken pipe')\nsink = Sink()\ndel sink\nlog.info('metrics sink closed')"
    yield job(HARD, "WHEAT", 2, 1, "--epochs 10", code={"end": late}, **DONE)
    late_one = when("me == 1", "for n in range(6):\n    tell('error', msg='rendezvous host not reachable yet: timed out', attempt=n + 1)\n    time.sleep(2)")
    yield job(HARD, "GLYPH", 3, 1, head="export TURNS=220\n", code={"early": late_one}, hand=1, **DONE)


def jobs() -> Iterator[SlurmJob]:
    """All parts."""
    for part in (door, signals, midway, apart, waits, lags, well):
        yield from part()


RECIPE = Recipe("walnut_pulleys", "development", jobs)
