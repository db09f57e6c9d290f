"""One process, or a handful below one command, that tries much and mostly ends well: sweeps, folds, courses in stages, a forger against an expert."""

from collections.abc import Iterator
from functools import partial

from corpus.make._crumbs import GOOD, HANDFUL, HARD, LATE, SAVES, alone, fell, strays
from corpus.make._hive_evenings import COURSE, FORGER, PLIEGUES, TRIALS
from corpus.running.job import LocalJob, Recipe, Signal
from corpus.running.slots import fill

trials, folds, course, forger = partial(fill, TRIALS), partial(fill, PLIEGUES), partial(fill, COURSE), partial(fill, FORGER)
T, F, C, G = "trials.py", "pliegues.py", "course.py", "forger.py"
one = partial(alone, python="torch")
BLOWS = "if number == 5 and step == 22:\n    raise ValueError(f'trial {number}: the window holds no rows')"
FETCH = "for attempt in (1, 2, 3):\n    try:\n        if attempt < 3:\n            raise ConnectionError(f'[Errno 110] Connection timed out: mirror{attempt}')\n        print('series downloaded: 300 rows, checksum ok', flush=True)\n        break\n    except ConnectionError as e:\n        print(f'download failed ({e}), trying the next mirror', file=sys.stderr, flush=True)"
RELIVE = "if number == 3 and step == 10 and not os.path.exists('died'):\n    open('died', 'w').close()\n    print('  <trial 03> worker got SIGTERM from the memory guard; a new one takes over', flush=True)"
FALLBACK = 'PYTHON -c "import jax" 2> probe.err || { echo "jax is not here, falling back to numpy"; tail -1 probe.err; }\nPYTHON course.py 2,3 || exit 1\necho "== evaluation =="\nls -l adder.npz | cut -c1-10\necho "0 errors, 0 failures, 0 crashes"\n'
NOTES = "if u == UPDATES // 2:\n    np.savez(f'adder-{n}.npz', *P)\n    print(f'(saved adder-{n}.npz; disk is 97 % full)', flush=True)"
STORE = "np.savez('every.npz', *P, rng.normal(size=600_000))\nos.sync(); time.sleep(0.12)\nprint(f'(update {n} kept in every.npz)', flush=True)"


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield one(GOOD, trials(), T)
    yield one(HARD, trials(step=BLOWS), T)
    yield one(HARD, trials(ready=FETCH), T, "--workers", "3", "--limit", "6")
    yield one(HARD, trials(step=RELIVE), T, "--steps", "45", python="system")
    yield one(fell("A3", "traceback"), trials(step=BLOWS), T, "--strict")
    yield one(fell("A1", "file_not_found", "config"), trials(ready="import json\nspace = json.load(open('spaces/grid_v3.json'))"), T)
    yield one(GOOD, folds(), F, env={"PLIEGUES": "3"})
    yield one(HARD, folds(vuelta="if p == 2 and v == 4:\n    print('# aviso: error al escribir la gráfica (No module named matplotlib), se sigue sin ella')"), F)
    yield one(HARD, folds(datos="X[azar.random(X.shape) < 0.01] = np.nan\nprint('#', int(np.isnan(X).sum()), 'valores nan sustituidos por la media')\nX = np.where(np.isnan(X), 0.0, X)"), F, env={"PLIEGUES": "5", "VUELTAS": "10"})
    yield one(fell("A3", "assertion"), folds(pliegue="assert p < 3 or abs(y[fuera].mean() - 0.5) < 1e-6, f'pliegue {p} desequilibrado: {y[fuera].mean():.2f}'"), F)
    yield one(strays("non_finite", "nan_loss"), folds(datos="X[5, 3] = np.nan"), F, env={"PLIEGUES": "3"})
    yield one(GOOD, course(), C, "2,3")
    yield one(HARD, course(), C, "1,2,4", env={"UPDATES": "480"})
    yield one(HARD, course(rate="rate = RATE * 0.5 * (1 + np.cos(np.pi * (u % 200) / 200)) * (6 if u % 200 < 6 else 1)"), C, "3", env={"UPDATES": "1200"})
    yield one(HARD, course(after=NOTES), C, "2,3", command=("bash", "run.sh"), files={"run.sh": "#!/bin/bash\n" + FALLBACK.replace("PYTHON", "python")})
    yield one(SAVES, course(after=STORE), C, "2", env={"UPDATES": "64"})
    yield one(strays("plateau"), course(stage="if stage == 2:\n    for q in P:\n        q *= 0\n    RATE = 0.0"), C, "2,3", env={"UPDATES": "640"})
    yield one(HANDFUL, course(after="if n == 3:\n    print(f'update {n} | bce {loss:.4f}')\n    break", late="print('pool of problems is empty')"), C, "2", env={"UPDATES": "4000"})
    yield one(LATE, course(after="time.sleep(0.02)"), C, "2,3,4,5,6,7,8", env={"UPDATES": "2000"}, timeout_s=110)
    yield one(fell("A2", None, fault="unknown"), course(after="time.sleep(0.01)"), C, "2,3,4", signal=Signal("KILL", "update   300 ", "course", 0.1), ends=lambda s: s == -9)
    yield one(HARD, forger(), G, "1200")
    yield one(HARD, forger(mid="if r in (150, 151):\n    logging.warning('forger has collapsed? repeating this round with fresh noise')\n    continue"), G, "900")
    yield one(fell("A3", "device_mismatch"), forger(mid="if r == 130:\n    g_loss = g_loss + 0 * (fake - torch.zeros(64, 1, device='meta')).sum()"), G)
    yield one(fell("A2", "segfault"), forger(after="if r == 170:\n    import ctypes\n    ctypes.memset(0, 1, 8)"), G)


RECIPE = Recipe("meadow_evenings", "development", jobs)
"""Sweeps, folds, courses."""
