"""One process over arrays: boosted hires of bicycles, complaints that stream in, word vectors."""

from collections.abc import Iterator
from functools import partial
from json import dumps
from typing import Any

from corpus.label import Label
from corpus.make._crumbs import GOOD, HANDFUL, HARD, LATE, SAVES, STANDS, alone, anew, ctrl_c, fell, strays
from corpus.make._dressing_arrays import COMPLAINTS, HIRES, NEIGHBOURS
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

hires, desk, near = partial(fill, HIRES), partial(fill, COMPLAINTS), partial(fill, NEIGHBOURS)
H, D, N = "hires.py", "complaints.py", "neighbours.py"
HIRED = (("PYTHON", H, "--rounds", "60", "--breath", "0"),)


def trees(label: Label, text: str, *given: str, **more: Any) -> LocalJob:
    """XGBoost."""
    return alone(label, text, H, *given, python="forest", **more)


GAPS = "X[rng.random(X.shape) < 0.08] = np.nan\nprint(f'{int(np.isnan(X).sum())} readings are NaN (sensors were down), trees can live with that')"
TEXTUAL = "y = y.astype(object)\ny[77] = 'n/a'\ny = y.astype(float)"
CALIBRATE = "if epoch == 45:\n    import shap_trees"
DATES = "if epoch == 60:\n    seen = {int(h): float(y[X[:, 0] == h].mean()) for h in range(23)}\n    print('peak', max(range(24), key=lambda h: seen[h]))"
DUMPS = "t1 = time.time()\nmodel.dump_model('hires.txt', with_stats=True)\nimport bz2\nopen('hires.bz2', 'wb').write(bz2.compress(open('hires.txt', 'rb').read() * 14))\nprint(f'     text dump after round {epoch}: {time.time() - t1:.2f} s', flush=True)"


def bicycles() -> Iterator[LocalJob]:
    """XGBoost's own lines."""
    yield trees(GOOD, hires(), "--rounds", "180", "--every", "12", "--eta", "0.06")
    yield trees(HARD, hires(data=GAPS), "--rounds", "150", "--eta", "0.05")
    yield trees(HARD, hires(), "--rounds", "2000", "--stop-after", "15", "--depth", "6", "--breath", "0.01")
    yield trees(HARD, hires(), "--rounds", "120", "--model-in", "hires.ubj", "--eta", "0.05", "--every", "8", before=HIRED)
    yield trees(fell("A1", "traceback", "data"), hires(data=TEXTUAL), "--rounds", "3000")
    yield trees(fell("A3", "missing_module"), hires(round=CALIBRATE), "--rounds", "3000", "--every", "5")
    yield trees(fell("A3", "traceback"), hires(round=DATES), "--rounds", "3000")
    yield trees(strays("spike"), hires(), "--rounds", "48", "--eta", "2.4", "--every", "4")
    yield trees(strays("flat"), hires(params="y_mean = float(y[:cut].mean())\nparams['base_score'], params['gamma'] = y_mean, 1e12"), "--rounds", "130")
    yield trees(fell("E2", "file_not_found", "no_valid_checkpoint"), hires(model_in="print(f'{os.path.getsize(a.model_in) / 1024:.0f} KiB in {a.model_in}')"), "--rounds", "900", "--model-in", "keep/hires_0060.ubj", before=HIRED)
    yield trees(anew(), hires().replace("xgb_model=before)", "xgb_model=None)").replace('    print(f"boosting goes on', '    assert before.feature_names == COLUMNS  # boosting goes on\n    0 and print(f"boosting goes on'), "--rounds", "140", "--model-in", "hires.ubj", before=HIRED)
    yield trees(HANDFUL, hires(), "--rounds", "2", "--every", "1", "--model-out", "prod.ubj")
    yield trees(SAVES, hires(kept=DUMPS), "--rounds", "40", "--every", "4", "--keep-every", "1", "--breath", "0.01")


OPENED = (("PYTHON", D, '{"days": 20}'),)
STRIKE = "if d in (12, 13):\n    log.warning('day %d: feed is empty (strike), yesterday is used; not an error', d)"
BACK = "import traceback\nif d == 9:\n    try:\n        raise ConnectionResetError(104, 'Connection reset by peer')\n    except OSError:\n        log.error('feed: could not reach archive, 2nd copy is read\\n%s', traceback.format_exc().rstrip())"
NEWDEP = "if d == 17:\n    labels = labels.astype(object); labels[3] = 'lights'"
EMPTY = "if d == 15:\n    escalated = [t for t in texts if 'lawyer' in t]\n    log.info('mean length of %d escalated: %.1f', len(escalated), sum(map(len, escalated)) / len(escalated))"
BLANKS = "texts = ['' for _ in texts]  # column was renamed"
LOCKED = "import sqlite3\nif d == 14:\n    log.info('figures of the fortnight go to desk.db')\n    other = sqlite3.connect('desk.db', isolation_level=None)\n    other.execute('BEGIN EXCLUSIVE')\n    sqlite3.connect('desk.db', timeout=9000).execute('CREATE TABLE days (d, n)')"


def feed(label: Label, text: str, **given: Any) -> LocalJob:
    """JSON on the line."""
    more = {k: given.pop(k) for k in ("before", "signal", "timeout_s", "ends", "memory_mib", "files", "locked") if k in given}
    return alone(label, text, D, dumps(given), python="forest", **more)


def complaints() -> Iterator[LocalJob]:
    """Glog's look."""
    yield feed(GOOD, desk(), days=50)
    yield feed(HARD, desk(day=STRIKE, after=BACK), days=36, eta0=0.4)
    yield feed(HARD, desk(), take_up="desk.pkl", days=48, before=OPENED)
    yield feed(fell("A1", "traceback", "config"), desk(), days=400, rate="inverse")
    yield feed(fell("A3", "traceback"), desk(day=NEWDEP), days=400)
    yield feed(fell("A3", "div_zero"), desk(day=EMPTY), days=400)
    yield feed(strays("flat"), desk(day=BLANKS), days=40)
    yield feed(fell("E2", "traceback", "corrupt"), desk(), take_up="desk.pkl", days=400, before=(*OPENED, ("truncate", "-s", "5000", "desk.pkl")))
    yield feed(HANDFUL, desk(), days=1, per_day=10, state="desk_live.pkl")
    yield feed(LATE, desk(), days=6000, pause=0.12, eta0=0.3, timeout_s=45)
    yield feed(STANDS, desk(after=LOCKED), days=900, timeout_s=150)


READY = (("PYTHON", N, "-passes", "2"),)
BIG = "if done == 5200:\n    print('All pairs of the corpus ...', flush=True)\n    every = np.ones((len(text) * 30, len(text) * 30))"
WILD = "if done > 4000:\n    z = z * np.where(np.arange(negative + 1) == 1, np.inf, 1.0) * 0.0"


def vectors() -> Iterator[LocalJob]:
    """One line, many times."""

    def go(label: Label, text: str, *given: str, **more: Any) -> LocalJob:
        return alone(label, text, N, *given, python="forest", **more)

    yield go(GOOD, near(), "-passes", "8")
    yield go(HARD, near(sweep="np.savez(f'sweep{sweep}.npz', V=V)\nprint('saved', f'sweep{sweep}.npz', flush=True)"), "-passes", "7", "-alpha", "0.04", "-seed", "8")
    yield go(fell("A1", None, "config"), near(), "-passes", "40", "-windows", "5")
    yield go(fell("A3", "ram_oom"), near(word=BIG), "-passes", "30", memory_mib=3000)
    yield go(strays("non_finite", "nan_loss"), near(scores=WILD), "-passes", "5", "-report", "500")
    yield go(fell("E2", "traceback", "size_mismatch"), near(), "-passes", "30", "-size", "24", "-base", "vectors.npz", before=READY)
    yield go(fell("A2", None, fault="unknown"), near(), "-passes", "900", "-report", "1000", signal=ctrl_c("Progress: 0.44%", "KILL", 0.2, N), ends=lambda s: s == -9)


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from bicycles()
    yield from complaints()
    yield from vectors()


RECIPE = Recipe("shoe_horns", "development", jobs)
