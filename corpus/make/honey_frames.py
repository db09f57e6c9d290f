"""One process of nothing but Python: letters of village names told as key=value, and mails sorted into two trays told as a table."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from corpus.label import Label
from corpus.make._crumbs import GOOD, HANDFUL, HARD, LATE, SAVES, STANDS, alone, anew, fell, strays
from corpus.make._hive_plain import NAMES, TRAYS
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

names, trays = partial(fill, NAMES), partial(fill, TRAYS)
N, T = "lettermodel.py", "trays.py"
one = partial(alone, python="system")
LATIN = (("PYTHON", "-c", "open('data/gemeinden.txt', 'wb').write('Köln Münster Höxter Bünde Soest'.encode('latin-1') * 9)"),)
RUN = (("PYTHON", N, "--pause", "0"),)
TAKE = "if a.cont:\n    with open(a.cont) as f:\n        kept = json.load(f)\n    W, begin = kept[\"W\"], kept[\"round\"]\n    kv(\"took up earlier model\", file=a.cont, round=begin)\n"
assert TAKE in NAMES
WHERE = "earlier = sorted(os.listdir(a.out)) if os.path.isdir(a.out) else []\nkv('models in folder', folder=a.out, found=','.join(earlier) or 'none')"
HEAVY = "if r <= 8 and k % 32 == 31:\n    t0 = time.time()\n    with open(f'{a.out}-snap.bin', 'wb') as f:\n        f.write(os.urandom(9_000_000)); f.flush(); os.fsync(f.fileno())\n    time.sleep(0.25)  # the share is slow today\n    kv('snapshot', names=k + 1, mb=9, took=f'{time.time() - t0:.2f}s')"
BUDGET = "if time.time() - t_start > 0.3:\n    kv('time budget used up, stopping here', budget='0.3s', rounds_done=r, rounds_wanted=a.rounds)\n    break"
MERGE = "if r == 11:\n    import subprocess\n    kv('pushing metrics')\n    proc = subprocess.Popen(['cat'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n    proc.stdin.write(b'round 11'); proc.stdin.flush()\n    proc.stdout.read()"


def letters() -> Iterator[LocalJob]:
    """key=value."""
    yield one(fell("A1", "file_not_found", "data"), names(), N, "--names", "data/villages_2026.txt")
    yield one(fell("A1", "traceback", "data"), names(), N, "--names", "data/gemeinden.txt", before=LATIN, folders=("data",))
    yield one(fell("A1", "assertion", "config"), names(early="assert 0 < a.eta < 1, f'eta must lie between 0 and 1 (got {a.eta})'"), N, "--eta", "20")
    yield one(fell("A1", None, "config"), names(), N, "--round", "40", "--lr", "0.1", ends=lambda s: s == 2)
    yield one(fell("A3", "div_zero"), names(round="if r == 9:\n    quick = [t for t in (0.4, 0.6) if t < 0.1]\n    kv('speed', mean_s=sum(quick) / len(quick))"), N)
    yield one(fell("A3", "traceback"), names(mid="if r == 7 and k == 40:\n    name = 'weiß' + name"), N)
    yield one(fell("A3", "permission"), names(), N, "--keep-each", "5", "--out", "shared/model", folders=("shared",), locked=("shared",))
    yield one(strays("flat"), names(), N, "--eta", "0", "--rounds", "40")
    yield one(strays("flat"), names(mid="name = ''.join(rng.sample(letters[1:], len(name)))"), N, "--rounds", "30", "--eta", "0.0005")
    yield one(anew(), names(early=WHERE).replace(TAKE, ""), N, "--continue-from", "model/round018.json", "--rounds", "36", before=RUN)
    yield one(anew(), names(restore=WHERE + "\nif a.cont and not os.path.exists(a.cont):\n    kv('nothing at that place, beginning at round 1', wanted=a.cont)\n    a.cont = None"), N, "--continue-from", "models/round018.json", "--rounds", "30", before=RUN)
    yield one(fell("E2", "file_not_found", "no_valid_checkpoint"), names(restore=WHERE), N, "--continue-from", "model/round024.json", before=RUN)
    yield one(fell("E2", "traceback", "corrupt"), names(), N, "--continue-from", "model/round018.json", before=(*RUN, ("truncate", "-s", "3000", "model/round018.json")))
    yield one(HANDFUL, names(early="t_start = time.time()", round=BUDGET), N, "--rounds", "400")
    yield one(SAVES, names(after=HEAVY), N, "--rounds", "6", "--pause", "0", "--keep-each", "0")
    yield one(STANDS, names(round=MERGE), N, "--rounds", "900", timeout_s=140)
    yield one(GOOD, names(), N)
    yield one(HARD, names(), N, "--continue-from", "model/round018.json", "--rounds", "40", before=RUN)
    yield one(HARD, names(restore=WHERE + "\nif a.cont and not os.path.exists(a.cont):\n    kv('no model yet, this is the first run', wanted=a.cont)\n    a.cont = None"), N, "--continue-from", "model/latest.json", "--rounds", "24")
    yield one(HARD, names(data="places += ['Weiß', 'x' * 3]\nfor p in list(places):\n    if not p.isascii():\n        kv('fatal character, name dropped', name=p, error='KeyError')\n        places.remove(p)", save="if r == 12:\n    kv('killed a stale lock from a crashed run', file='model.lock')"), N, "--rounds", "24", "--keep-each", "4")


LEARNT = (("PYTHON", T, "first.ini"),)
FIRST = "[sorter]\npause = 0\nremember_every = 7\n"
AGAIN = "[sorter]\ntake_memory = yes\npasses = 30\n"
SKIP = "if n == 3 and k in (50, 51):\n    print('  !! error in mail', k, '-> ValueError: bad header, skipped', file=sys.stderr)\n    continue"
OLD = "print('memories here:', [f for f in os.listdir('.') if f.endswith('.pkl')])"
LOADS = 'sorter.w, sorter.b, done = state["w"], state["b"], state["passes"]'
assert LOADS in TRAYS


def boxes() -> Iterator[LocalJob]:
    """A table."""

    def ini(label: Label, text: str, more: str, **others: Any) -> LocalJob:
        return one(label, text, T, "run.ini", files={"run.ini": "[sorter]\n" + more, "first.ini": FIRST}, **others)

    yield ini(fell("A1", "traceback", "config"), trays(), "passes = twenty\n")
    yield ini(fell("A1", "traceback", "config"), trays(early="passes = S['passes']\nprint('kernel size', S['kernel'])"), "passes = 20\n")
    yield ini(fell("A1", "missing_module", "env"), trays(early="if S.getboolean('stem', False):\n    import snowballstemmer"), "stem = yes\n")
    yield ini(fell("A3", "file_not_found"), trays(round="if n == 6:\n    print('| comparing with baseline'.ljust(40), '|')\n    baseline = open('reports/2025/baseline.csv').read()"), "passes = 12\n")
    yield ini(fell("A3", "traceback"), trays(mid="if n == 4 and k == 300:\n    idx.append(S.getint('width') + 1)"), "")
    yield ini(fell("A3", "assertion"), trays(tested="assert wrong < 20 or n < 5, f'{wrong} wrong in pass {n}: data leak?'\nif n == 5:\n    assert len(train) == 650, (len(train), 'mails, manifest says 650')"), "")
    yield ini(strays("non_finite", "nan_loss"), trays(mid="if n == 6 and k == 400:\n    y = float('nan')  # the column was empty").replace("max(1e-12, p if y else 1 - p)", "p if y else 1 - p"), "passes = 20\n")
    yield ini(strays("spike"), trays(score="z = max(-700, min(700, z))", round="if n == 9:\n    sorter.w = [random.gauss(0, 60) for _ in sorter.w]\n    S['step'] = '0.00001'\n    print('| mixed with the sorter of the other office')"), "passes = 22\n")
    yield ini(anew(), trays(early=OLD).replace(LOADS, "weights, bias, passes = state['w'], state['b'], state['passes']").replace('print(f"(memory of {done}', 'print(f"(file of {passes}').replace(" passes taken from", " passes is at"), AGAIN[9:], before=LEARNT)
    yield ini(fell("E2", "assertion", "size_mismatch"), trays(restore="print('opening', S['memory'])").replace("    " + LOADS, "    assert len(state['w']) == len(sorter.w), f\"memory has {len(state['w'])} weights, sorter {len(sorter.w)}\"\n    " + LOADS), "take_memory = yes\nwidth = 1024\n", before=LEARNT)
    yield ini(fell("E2", "traceback", "corrupt"), trays(), AGAIN[9:], before=(*LEARNT, ("truncate", "-s", "700", "trays.pkl")))
    yield ini(HANDFUL, trays(), "mails = 9\npasses = 2\n")
    yield ini(LATE, trays(), "passes = 90000\npause = 0.35\n", timeout_s=75)
    yield ini(GOOD, trays(), "passes = 25\n")
    yield ini(HARD, trays(mid=SKIP), "passes = 18\n")
    yield ini(HARD, trays(restore=OLD), AGAIN[9:], before=LEARNT)
    yield ini(HARD, trays(late="try:\n    import matplotlib\nexcept ImportError as problem:\n    print('no picture:', repr(problem))"), "remember_every = 1\npasses = 30\n")


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from letters()
    yield from boxes()


RECIPE = Recipe("honey_frames", "development", jobs)
"""Own code in Python."""
