"""One process over NumPy alone: word vectors told in French, and a walker bred by generations told as JSON."""

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

from corpus.label import Label
from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, LATE, SAVES, STANDS, alone, anew, ctrl_c, fell, strays
from corpus.make._hive_arrays import VECTEURS, WALKER
from corpus.running.job import LocalJob, Recipe, Signal
from corpus.running.slots import fill

mots, walker = partial(fill, VECTEURS), partial(fill, WALKER)
V, W = "vecteurs.py", "walker.py"
one = alone
AVANT = (("PYTHON", V, "--attente", "0"),)
REPRIS = 'W, C, fait = archive["W"], archive["C"], int(archive["passage"])'
assert REPRIS in VECTEURS
UNKNOWN = fell("A2", None, fault="unknown")
SEG = fell("A2", "segfault")


def paroles() -> Iterator[LocalJob]:
    """In French."""
    yield one(fell("A1", "permission", "data"), mots(donnees="log_co = np.load('data/cooccurrences.npy')"), V, files={"data/cooccurrences.npy": "-"}, locked=("data/cooccurrences.npy",))
    yield one(fell("A1", None, "config"), mots(debut="if o.dim % 8:\n    logging.error('La dimension doit être un multiple de 8, reçu %d', o.dim)\n    raise SystemExit(1)"), V, "--dim", "12")
    yield one(fell("A1", "traceback", "data"), mots(donnees="log_co = np.log([[float(c) for c in ligne.split(';')] for ligne in ['1,5;2,0', '3,1;n/d']])"), V)
    yield one(fell("A3", "traceback"), mots(tour="if passage == 8:\n    voisins = np.argsort(W @ W[o.mots])"), V)
    yield one(fell("A3", "assertion"), mots(tour="assert passage != 9 or W.dtype == np.float32, f'type inattendu : {W.dtype}'"), V, "--passages", "30")
    yield one(SEG, mots(tour="if passage == 7:\n    import ctypes\n    dire('Appel de la bibliothèque voisins.so')\n    ctypes.string_at(16)"), V)
    yield one(UNKNOWN, mots(), V, "--passages", "900", signal=Signal("KILL", "Passage 23 ", "vecteurs", 0.1), ends=lambda s: s == -9)
    yield one(strays("non_finite", "nan_loss"), mots(debut="np.seterr(all='ignore')"), V, "--pas", "0.9", "--passages", "12")
    yield one(strays("flat"), mots(cout="if cout:\n    W[:] = alea.normal(0, 0.1, W.shape)\n    C[:] = alea.normal(0, 0.1, C.shape)"), V, "--passages", "26")
    yield one(anew(), mots(pret="dire('Archives présentes : %s', ' '.join(sorted(f for f in os.listdir('.') if f.endswith('.npz'))))").replace(REPRIS, "passe = int(archive['passage'])").replace("après le passage %d\", o.reprise, fait", "(passage %d)\", o.reprise, passe"), V, "--reprise", "vecteurs.npz", "--passages", "30", before=AVANT)
    yield one(fell("E2", "traceback", "size_mismatch"), mots().replace("W, C, fait = archive", "W[:], C[:], fait = archive"), V, "--reprise", "vecteurs.npz", "--passages", "30", "--mots", "120", before=AVANT)
    yield one(fell("E2", "traceback", "corrupt"), mots(), V, "--reprise", "vecteurs.npz", "--passages", "30", before=(("bash", "-c", "echo '<html>502 Bad Gateway</html>' > vecteurs.npz"),))
    yield one(HANDFUL, mots(), V, "--passages", "1", "--mots", "9")
    yield one(STANDS, mots(tour="if passage == 40:\n    dire('Envoi des vecteurs au service')\n    lu, ecrit = os.pipe()\n    os.read(lu, 1)"), V, "--passages", "4000", timeout_s=150)
    yield one(GOOD, mots(), V, "--passages", "20")
    yield one(HARD, mots(), V, "--reprise", "vecteurs.npz", "--passages", "40", before=(("PYTHON", V, "--attente", "0", "--passages", "5"),))
    yield one(HARD, mots(tour="if passage in (4, 11):\n    logging.error(\"Échec de l'envoi au tableau de bord : délai dépassé (tentative 1 sur 3)\")\n    logging.warning('Nouvelle tentative... réussie')"), V)
    yield one(HARD, mots(pret="logging.critical('Mémoire vidéo absente : aucun GPU trouvé, calcul sur CPU')"), V, "--passages", "24")


def gen(label: Label, text: str, conf: dict[str, object] | None = None, **others: Any) -> LocalJob:
    """With its settings."""
    return one(label, text, W, json.dumps(conf or {}), **others)


BRED = (("PYTHON", W, json.dumps({"archive_each": 20, "nap": 0})),)
SHORT = "import json; p = 'walker/elite-20.json'; e = json.load(open(p)); e['theta'] += [0.1, 0.2]; json.dump(e, open(p, 'w'))"
EACH = "if g <= 30:\n    began = time.time()\n    with open(f'pop-{g}.npy', 'wb') as f:\n        np.save(f, rng.normal(size=(1500, 800)))\n        os.fsync(f.fileno())\n    time.sleep(0.15)\n    tell(event='population_written', generation=g, seconds=round(time.time() - began, 3))"


def steps() -> Iterator[LocalJob]:
    """JSON."""
    yield gen(fell("A1", "traceback", "config"), walker(), command=("PYTHON", W, "{'generations': 80}"))
    yield gen(fell("A1", "div_zero", "config"), walker(early="per_worker = conf['kids'] // conf.get('workers', 0)"))
    yield gen(fell("A1", "missing_module", "env"), walker(early="if conf.get('env') == 'LunarLander-v3':\n    import gymnasium as gym"), {"env": "LunarLander-v3"})
    yield gen(fell("A3", "runtime_error"), walker(scored="if g == 33:\n    raise RuntimeError('evaluator 3 gave 23 scores for 24 kids')"))
    yield gen(fell("A3", "traceback"), walker(mid="if g == 27:\n    noise = np.concatenate([noise, rng.normal(size=(2, 5))])"))
    yield gen(fell("A3", "permission"), walker(), {"archive": "/srv/champions", "archive_each": 25})
    yield gen(fell("A2", "segfault"), walker(after="if g == 44:\n    import ctypes\n    render = ctypes.CFUNCTYPE(None)(0)\n    render()"))
    yield gen(UNKNOWN, walker(), {"generations": 4000}, signal=Signal("KILL", '"generation": 52', "walker", 0.1), ends=lambda s: s == -9)
    yield gen(strays("non_finite", "nan_loss"), walker(mid="if g >= 26:\n    conf['sigma'] = conf['sigma'] * float('nan')"), {"generations": 50})
    yield gen(strays("spike"), walker(mid="if g == 31:\n    theta = theta * -900"), {"generations": 70, "alpha": 0.02})
    yield gen(strays("flat"), walker(scored="score = rng.normal(size=len(score))"), {"alpha": 0.0008, "generations": 90})
    yield gen(anew(), walker(ready="theta, born = rng.normal(0, 0.05, 6), 0"), {"elite": "walker/elite-60.json", "generations": 100}, before=BRED)
    yield gen(fell("E2", "traceback", "size_mismatch"), walker().replace("theta, born = np.array(elite", "theta[:], born = np.array(elite"), {"elite": "walker/elite-20.json"}, before=(*BRED, ("PYTHON", "-c", SHORT)))
    yield gen(fell("E2", "file_not_found", "no_valid_checkpoint"), walker(), {"elite": "walker/elite-80.json"}, before=BRED)
    yield gen(HANDFUL, walker(scored="if g == 3:\n    tell(event='stop', reason='episode budget exhausted', episodes=72, generations=3, wanted=conf['generations'])\n    break"), {"generations": 500, "log_each": 1})
    yield gen(SAVES, walker(after=EACH), {"generations": 30, "nap": 0, "log_each": 1})
    yield gen(LATE, walker(), {"generations": 100000, "nap": 0.2, "log_each": 5}, timeout_s=60)
    yield gen(HALTED, walker(), {"generations": 100000, "nap": 0.05}, signal=ctrl_c('"generation": 60', "TERM"))
    yield gen(GOOD, walker(), {"archive_each": 15})
    yield gen(HARD, walker(), {"elite": "walker/elite-20.json", "generations": 90, "archive_each": 30}, before=(("PYTHON", W, json.dumps({"archive_each": 20, "nap": 0, "generations": 20})),))
    yield gen(HARD, walker(mid="if g in (12, 40):\n    tell(event='worker_error', worker=g % 7, error='BrokenPipeError: [Errno 32] Broken pipe', action='restarted')"), {"generations": 64})
    yield gen(HARD, walker(scored="dead = rng.random(len(score)) < 0.1\nscore[dead] = score.min()\nif g % 10 == 0:\n    tell(event='failed_episodes', failed=int(dead.sum()), of=len(score), treated_as='worst')"))


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from paroles()
    yield from steps()


RECIPE = Recipe("lamp_walkers", "development", jobs)
"""NumPy by hand."""
