"""Small trainings of one process that do what they should among words, stops and values that sound otherwise; and a few twins that do not."""

from collections.abc import Iterator
from functools import partial

from corpus.make._crumbs import GOOD, HANDFUL, HARD, SAVES, alone, anew, fell, strays
from corpus.make._rack_minutes import BARD, DELAYS, POLES
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

delays, bard, poles = partial(fill, DELAYS), partial(fill, BARD), partial(fill, POLES)
D, B, P = "delays.py", "bard.py", "poles.py"
one = partial(alone, python="system")
OLD = "Traceback (most recent call last):\n  File \"delays.py\", line 49, in <module>\n    h = [math.tanh(sum(a * b for a, b in zip(w, x))) for w in W] + [1.0]\nKeyboardInterrupt\n"
USR = "import signal\nsignal.signal(signal.SIGUSR1, lambda *_: tell('SIGUSR1: ten minutes left of the slot, state will be written at the next keep'))"


def well() -> Iterator[LocalJob]:
    """G1."""
    yield one(HARD, delays(), D, "rounds=420", "from=delays/w.json", files={"last.log": OLD}, before=(("PYTHON", D, "rounds=200"),), command=("bash", "-c", f"echo 'end of the last log:'; tail -4 last.log; echo; PYTHON {D} rounds=420 from=delays/w.json"))
    yield one(HARD, delays(early=USR, after="if k == 150:\n    os.kill(os.getpid(), signal.SIGUSR1)"), D, "rounds=300", "nap=0.01")
    yield one(HARD, delays(after="if mean is not None and mean < 0.035:\n    tell(f'target of 0.035 reached in round {k} of {ROUNDS}, stopping')\n    break"), D, "rounds=20000", "nap=0.01")
    yield one(HARD, delays(ready="since = time.monotonic()", after="if time.monotonic() - since > 9:\n    tell(f'budget of 9 s is used up, stopping as configured')\n    break"), D, "rounds=500000", "nap=0.01")
    yield one(HARD, bard(epoch="print(f'# epoch {epoch}: held-out nll {math.nan} (0 songs held out)', flush=True)"), B)
    yield one(HARD, bard(mid="if (epoch, batch) in ((3, 36), (7, 84)):\n    print(f'# worker {batch // 36} died with signal 9 (Killed), started again', file=sys.stderr, flush=True)"), B, "--n-epochs", "9")
    yield one(HARD, poles(), P)
    yield one(HARD, poles(late="print('failures in 100 trials:', sum(episode(mean) < 0 for _ in range(100)), '| errors: 0', flush=True)"), P, env={"GENERATIONS": "18", "SEED": "5"})
    yield one(GOOD, bard(), B, "--n-epochs", "7")
    yield one(HARD, delays(shown="if k in (60, 200):\n    try:\n        os.rename('/scratch/none/w.json', 'w')\n    except OSError as e:\n        tell(f'WARNING mirror: {type(e).__name__}: {e}; next try at the next round shown')"), D, "rounds=280")


def twins() -> Iterator[LocalJob]:
    """What is like them and is not well."""
    yield one(anew(), delays(), D, "rounds=300", "dir=delays-b", before=(("PYTHON", D, "rounds=300"),), files={"last.log": OLD}, command=("bash", "-c", f"set -x; ls -l delays; FROM=delays/w.json PYTHON {D} rounds=300 dir=delays-b"))
    yield one(fell("A3", "traceback"), poles(after="if gen == 9:\n    best_ever = max(tried, key=lambda p: p[2])"), P)
    yield one(fell("E1", "nan_loss", "non_finite"), delays(off="if k > 140:\n    off *= 1e200", after="if not math.isfinite(error):\n    tell(f'round {k}: mse {error}, this leads nowhere')\n    sys.exit(2)"), D)
    yield one(strays("spike"), delays(mid="if k == 210:\n    V, RATE = [40 * v for v in V], 2e-6"), D, "rounds=360")
    yield one(HANDFUL, bard(mid="if batch > 36:\n    break"), B, "--n-epochs", "1")
    yield one(HANDFUL, poles(), P, env={"GENERATIONS": "3"})
    yield one(SAVES, bard(after="import json\nwith open(f'songs_{batch % 5}.json', 'w') as f:\n    json.dump([dict(weights), ['-' * 900] * 900], f); f.flush(); os.fsync(f.fileno())\ntime.sleep(0.5)\nprint(f'# checkpoint songs_{batch % 5}.json written', flush=True)"), B, "--n-epochs", "4")
    yield one(fell("A1", "traceback", "config"), poles(), P, env={"GENERATIONS": "1e3"})


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from well()
    yield from twins()


RECIPE = Recipe("alpine_pasture_runs", "development", jobs)
