"""One process over NumPy alone: bars and stripes in a drawn table, dishes in JSON lines, magnets in French, microphones with key=value."""

from collections.abc import Iterator
from functools import partial
from json import dumps
from typing import Any

from corpus.label import Label
from corpus.make._brook_arrays import AIMANTS, BARS, DISHES, MICS
from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, SAVES, STANDS, alone, anew, ctrl_c, fell, strays
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

bars, dishes, aimants, mics = partial(fill, BARS), partial(fill, DISHES), partial(fill, AIMANTS), partial(fill, MICS)
B, D, A, M = "rbm_bars.py", "bpr.py", "aimants.py", "mics.py"


def ini(label: Label, text: str, settings: str = "", **more: Any) -> LocalJob:
    """With its file of settings."""
    return alone(label, text, B, "rbm.ini", files={"rbm.ini": "[rbm]\n" + settings, "first.ini": "[rbm]\nepochs = 15\nsave_each = 15\n", **more.pop("files", {})}, **more)


OLD = (("PYTHON", B, "first.ini"),)
LOADING = BARS[BARS.index("    with np.load(C[") : BARS.index("print(f\"│ {len(V)} images")]
HOLES = "V[rng.random(V.shape) < 0.004] = np.nan\nprint(f'│ {int(np.isnan(V).sum())} pixels are nan (dead sensor), set to 0')\nV = np.nan_to_num(V)"
SLOW = "tic2 = time.perf_counter()\nfor copy in 'ab':\n    with open(f'full_{copy}.npy', 'wb') as f:\n        np.save(f, rng.normal(size=(900, 1000)))\n        f.flush()\n        os.fsync(f.fileno())\ntime.sleep(0.12)\nprint(f'│       ╰ full_a.npy, full_b.npy ({time.perf_counter() - tic2:.3f} s)', flush=True)"


def stripes() -> Iterator[LocalJob]:
    """A table with lines around it."""
    yield ini(GOOD, bars(), "epochs = 24\nsave_each = 8\n")
    yield ini(HARD, bars(data=HOLES), "epochs = 22\nhidden = 20\n")
    yield ini(HARD, bars(), "epochs = 36\nload = rbm.npz\n", before=OLD)
    yield ini(HARD, bars(after="print('│       ╰ autosave ok,', f'{2 + epoch % 3} ms', flush=True)"), "epochs = 34\nsave_each = 1\nlr = 0.06\n")
    yield ini(fell("A1", "ram_oom", "env"), bars(early="outer = np.ones((60_000, 60_000))  # every image against every other"), "epochs = 30\n", memory_mib=1800)
    yield ini(fell("A3", "traceback"), bars(after="if epoch == 11:\n    V = np.concatenate([V, rng.random((40, H))])"), "epochs = 40\n")
    yield ini(fell("A2", None), bars(after="if epoch == 9:\n    import mmap\n    with open('ring.buf', 'wb+') as f:\n        f.truncate(1 << 20)\n        ring = mmap.mmap(f.fileno(), 1 << 20)\n        f.truncate(0)\n    print('│       ╰ ring buffer', ring[4096:4100], flush=True)"), "epochs = 30\n", ends=lambda s: s == -7)
    yield ini(strays("non_finite", "nan_loss"), bars(after="if epoch == 8:\n    V[5, 3] = np.inf  # sensor 3 was reset"), "epochs = 18\n")
    yield ini(fell("E2", "traceback", "size_mismatch"), bars(), "load = rbm.npz\nhidden = 24\nepochs = 40\n", before=OLD)
    yield ini(anew(), bars(restore="try:\n    with np.load(C['load']) as z:\n        W, b, c, e0 = z['weights'], z['b'], z['c'], int(z['epoch'])\nexcept KeyError as problem:\n    print(f\"│ {C['load']} cannot be used ({problem}), weights are drawn\", flush=True)").replace(LOADING, ""), "load = rbm.npz\nepochs = 26\n", before=OLD)
    yield ini(SAVES, bars(after=SLOW), "epochs = 20\nimages = 200\n")


def dish(label: Label, text: str, **given: Any) -> LocalJob:
    """Settings as JSON on the line."""
    more = {k: given.pop(k) for k in ("before", "signal", "timeout_s", "ends", "memory_mib", "files", "locked", "command") if k in given}
    return alone(label, text, D, dumps(given), **more)


MEAL = (("PYTHON", D, '{"passes": 8, "snap": 4}'),)
GETS = '        G[:], D[:], begin = z["G"], z["D"], int(z["n"])\n    say("resumed", of=P["resume"], after=begin)\n'
assert GETS in DISHES
LATE = "import traceback\nfor attempt in (1, 2):\n    try:\n        if attempt == 1:\n            raise TimeoutError('menu service did not answer within 5 s')\n        say('menu', dishes=P['dishes'], attempt=attempt)\n    except TimeoutError as e:\n        say('error', attempt=attempt, text=repr(e), trace=traceback.format_exc().splitlines()[-1], action='retry')"
POOL = "if n == 5 and i == 10:\n    import queue\n    say('wait_for', item='new guests')\n    queue.Queue().get()"
GIANT = "say('dense', shape=[200000, 40000])\nnp.zeros((200_000, 40_000)) + 1"
EVERY = "tic = time.time()\nfor part in range(5):\n    with open(f'whole-{part}.npy', 'wb') as f:\n        np.save(f, rng.normal(size=(400_000,)))\n        f.flush()\n        os.fsync(f.fileno())\ntime.sleep(0.1)\nsay('state_out', n=n, files=5, ms=round(1000 * (time.time() - tic)))"


def menu() -> Iterator[LocalJob]:
    """JSON lines."""
    yield dish(GOOD, dishes(), passes=18)
    yield dish(HARD, dishes(early=LATE), passes=15, dim=12)
    yield dish(HARD, dishes(), passes=14, warm="bpr/pass8.npz", seed=12, before=MEAL)
    yield dish(HARD, dishes(after="if n == 6:\n    liked = [np.argsort(-(taste[g] + rng.normal(0, 3.0, P['dishes'])))[:12] for g in range(P['guests'])]\n    say('season', n=n, note='the winter menu is harder, bpr will rise for some passes')"), passes=22)
    yield dish(HARD, dishes(), command=("bash", "-c", "PYTHON bpr.py '{\"passes\": 1, \"picks\": 4}' && echo '--- dry run is over, now in earnest ---' && PYTHON bpr.py '{\"passes\": 16}'"))
    yield dish(fell("A1", "traceback", "config"), dishes(), passes="16")
    yield dish(fell("A3", "div_zero"), dishes(after="if n == 9:\n    idle = int((hit > 1))\n    say('load', per_cook=P['picks'] // idle)"))
    yield dish(fell("A3", "ram_oom"), dishes(after="if n == 6:\n" + "\n".join("    " + line for line in GIANT.splitlines())), memory_mib=2600)
    yield dish(fell("A2", None, fault="unknown"), dishes(), passes=900, wait=0.02, signal=ctrl_c('"n": 7,', "KILL", 0.1, "bpr.py"), ends=lambda s: s == -9)
    yield dish(strays("non_finite", "nan_loss"), dishes(mid="if n == 5 and i == 700:\n    D[7] = np.nan  # withdrawn dish"), passes=12)
    yield dish(strays("flat"), dishes(), passes=14, lr=6e-8)
    yield dish(fell("E2", "traceback", "corrupt"), dishes(), passes=20, resume="bpr/pass8.npz", before=(*MEAL, ("truncate", "-s", "4000", "bpr/pass8.npz")))
    yield dish(HANDFUL, dishes(mid="if i == 4:\n    say('input_end', rows=i)\n    P['picks'] = 5\n    break"), passes=1)
    yield dish(SAVES, dishes(after=EVERY), passes=16, picks=400)
    yield dish(STANDS, dishes(mid=POOL), passes=400, timeout_s=145)


AVANT = (("env", "GARDE=40", "TOURS=40", "SIESTE=0", "PYTHON", A),)
VIDE = "if REPRISE and not os.path.exists(REPRISE):\n    dire(f'{REPRISE} introuvable (présents : {\", \".join(sorted(n for n in os.listdir() if n.endswith(\".npy\")))}), couplages mis à zéro')\n    REPRISE = ''"
SURPLUS = "if tour in (12, 13):\n    dire('RuntimeWarning: overflow encountered in exp ; sans effet ici, la somme est bornée')"


def spins() -> Iterator[LocalJob]:
    """French."""

    def fr(label: Label, text: str, env: dict[str, str] | None = None, **more: Any) -> LocalJob:
        return alone(label, text, A, env=env or {}, **more)

    yield fr(GOOD, aimants(), {"TOURS": "72"})
    yield fr(HARD, aimants(milieu=SURPLUS), {"TOURS": "64", "PAS": "0.08"})
    yield fr(fell("A1", "assertion", "data"), aimants(mesures="s[3, 2] = 0\nassert set(np.unique(s)) == {-1.0, 1.0}, f'spins inattendus : {np.unique(s)}'"))
    yield fr(strays("plateau"), aimants(milieu="if tour == 28:\n    PAS = 0.0\n    J[:] = 0\n    dire('Champ coupé pour les mesures de contrôle.')"), {"TOURS": "80"})
    yield fr(anew(), aimants(debut=VIDE), {"TOURS": "68"}, before=AVANT, command=("env", "REPRISE=couplages_40.npy", "PYTHON", A))
    yield fr(fell("E2", "file_not_found", "no_valid_checkpoint"), aimants(), {"TOURS": "90"}, before=AVANT, command=("env", "REPRISE=hier/couplages.npy", "PYTHON", A))
    yield fr(HANDFUL, aimants(), {"TOURS": "2", "MESURES": "30"})
    yield fr(HALTED, aimants(), {"TOURS": "9000", "SIESTE": "0.05"}, signal=ctrl_c("Au tour 80 "))


NOISE = "if it in (60, 144):\n    U = U + rng.normal(0, 0.05, U.shape)\n    print(f'event=disturbed iter={it} reason=door_slammed action=go_on', flush=True)"


def room() -> Iterator[LocalJob]:
    """key=value."""
    yield alone(HARD, mics(mid=NOISE), M, "--iters", "260")
    yield alone(fell("A1", "traceback", "config"), mics(), M, "--iterations", "300")
    yield alone(strays("non_finite", "nan_loss"), mics(), M, "--mu", "40", "--iters", "96")


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from stripes()
    yield from menu()
    yield from spins()
    yield from room()


RECIPE = Recipe("wooden_clogs", "development", jobs)
