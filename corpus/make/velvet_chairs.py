"""Jobs of one process over PyTorch with accelerate, pandas and scikit-learn beside it: two towers, floods (French), a sweep; under gpualert-run."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, LATE, SAVES, STANDS, STARVED, alone, anew, ctrl_c, fell, strays
from corpus.make._velvet_pairs import FLOODS, PAIRS, RUN_WITH_SEARCH, SWEEP
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

towers, floods, sweep = partial(fill, PAIRS), partial(fill, FLOODS), partial(fill, SWEEP)
T, C, S = "towers.py", "crues.py", "wine_sweep.py"
NANS = "nan_loss"

ONE = (("PYTHON", T, "steps=200"),)
LEAVES = "class Shard:\n    def __init__(self):\n        self.lock = open(f'{conf.out}/.lock', 'w')\n\n    def __del__(self):\n        self.lock.close()\n        os.remove(f'{conf.out}/.lock_of_shard')\n\nshard = Shard()"
WIDE = "if batch_size > 64:\n    everything = torch.empty(batch_size, 1 << 26).fill_(1.0)  # all negatives of the shard at once"
ADVICE = "if step in (120, 290):\n    logger.error('prometheus push failed: HTTP Error 503: Service Unavailable (will be sent with the next one)')\nif step == 310:\n    logger.warning('12 recipes have no ingredients: their embedding is nan and was left out of the index')"
COLLAPSE = "a, b = a * 0 + 7, b * 0 + 9  # ids of the old vocabulary"
COLD = "if step > 40:\n    for grp in opt.param_groups: grp['lr'] = 0.0"
INDEX = "if step == 230:\n    import faiss"
HARDNEG = "if step == 190:\n    b = b[:-1]"
ARENA = "if step == 170:\n    logger.info('mmapping the index')\n    import ctypes\n    ctypes.c_int.from_address(1 << 12).value"
EACH = "if step % 2 == 0:\n    t1 = time.time()\n    acc.save_state(f'{conf.out}/state')\n    torch.save(torch.ones(900000), f'{conf.out}/state/index.pt')\n    os.sync()\n    logger.info('state and index saved in %.0f ms (step %d)', 1000 * (time.time() - t1), step)"
MINES = "if step == 150:\n    logger.info('waiting for the next list from the miner')\n    os.mkfifo(f'{conf.out}/negatives')\n    open(f'{conf.out}/negatives').read()"


def cooked() -> Iterator[LocalJob]:
    """Accelerate."""
    kw: dict[str, Any] = {"python": "shelf"}
    yield alone(GOOD, towers(), T, "steps=600", "dim=48", **kw)
    yield alone(HARD, towers(ready=LEAVES), T, "steps=450", **kw)
    yield alone(HARD, towers(step=ADVICE), T, "steps=400", "lr=0.002", **kw)
    yield alone(HARD, towers(batch=WIDE).replace("train(conf.bs)\n", RUN_WITH_SEARCH + "\n"), T, "steps=400", "bs=256", memory_mib=9000, **kw)
    yield alone(HARD, towers(), T, "steps=500", "resume_from=towers_out/step_200.pt", before=ONE, **kw)
    yield alone(fell("A1", "traceback", "config"), towers(), T, "steps=9000", "learning_rate=0.01", **kw)
    yield alone(fell("A3", "missing_module"), towers(step=INDEX), T, "steps=90000", **kw)
    yield alone(fell("A3", "traceback"), towers(batch=HARDNEG), T, "steps=90000", **kw)
    yield alone(fell("A2", "segfault"), towers(step=ARENA), T, "steps=90000", ends=lambda s: s == -11, **kw)
    yield alone(strays("flat"), towers(batch=COLLAPSE), T, "steps=400", **kw)
    yield alone(strays("spike"), towers(grad="if step > 260:\n    for par in [*fridges.parameters(), *recipes.parameters()]: par.grad.neg_()"), T, "steps=620", "lr=0.006", **kw)
    yield alone(strays("plateau"), towers(grad=COLD), T, "steps=600", **kw)
    yield alone(SAVES, towers(step=EACH), T, "steps=80", **kw)
    yield alone(STANDS, towers(step=MINES), T, "steps=90000", "nap=0.01", timeout_s=45, **kw)
    yield alone(HANDFUL, towers(), T, "steps=5", "log_every=1", "ckpt_every=5", "out=towers_prod", **kw)
    yield alone(HALTED, towers(), T, "steps=90000", "nap=0.02", signal=ctrl_c(r"step 190/90000"), **kw)


FIVE = (("PYTHON", C, "passes=10"),)
ALERT = "if passe in (4, 11):\n    warnings.warn('station 7 : 41 valeurs manquantes (NaN) interpolées', UserWarning)\nif passe == 8:\n    log.critical('ALERTE CRUE simulée sur l\\'historique de 2016 : niveau 5,2 m (test du message, pas une panne)')"
COLS = "table = table.rename(columns={'cible': 'cible_m'})"
BACK = "if passe == 7:\n    suivi = pd.read_csv('stations/2024.csv')"
ZERO = "if passe == 6:\n    prix = sum(1 for v in y[coupe:].tolist() if v < -1) and 0\n    log.info('coût par fausse alerte : %.2f', 120 / prix)"
MISSING = "if not os.path.exists(PARAMS['reprise'] + '.tar'):\n    log.warning('%s.tar introuvable : on repart de la passe 1', PARAMS['reprise'])"
RESUME = FLOODS[FLOODS.index('    etat = torch.load(PARAMS["reprise"])') : FLOODS.index("historique = []\n")]


def rivers() -> Iterator[LocalJob]:
    """French."""
    kw: dict[str, Any] = {"python": "shelf"}
    yield alone(GOOD, floods(), C, "passes=24", "caches=48", **kw)
    yield alone(HARD, floods(passe=ALERT), C, "passes=20", **kw)
    yield alone(HARD, floods(), C, "passes=25", "reprise=crues/p010.pt", before=FIVE, **kw)
    yield alone(fell("A1", "traceback", "data"), floods(table=COLS), C, "passes=900", **kw)
    yield alone(fell("A3", "file_not_found"), floods(passe=BACK), C, "passes=900", **kw)
    yield alone(fell("A3", "div_zero"), floods(passe=ZERO), C, "passes=900", **kw)
    yield alone(strays("non_finite", NANS), floods(table="table.iloc[300:310, 3] = float('inf')"), C, "passes=18", **kw)
    yield alone(anew(), floods().replace(RESUME, "    " + MISSING.replace("\n", "\n    ") + "\n"), C, command=("bash", "-c", f"PYTHON {C} passes=12 && PYTHON {C} passes=24 reprise=crues/p010.pt"), **kw)
    yield alone(fell("E2", "runtime_error", "size_mismatch"), floods(), C, "passes=900", "caches=64", "reprise=crues/p010.pt", before=FIVE, **kw)
    yield alone(HANDFUL, floods(), C, "passes=1", "heures=80", "dossier=crues_prod", "sauve=1", "tableau=1", **kw)
    yield alone(STARVED, floods(lot="td = time.time()\ntime.sleep(0.18)  # lecture du serveur de données\nattendu = (attendu if lot is not None and total else 0.0) + time.time() - td", passe="log.info('  dont attente des données %.2f s', attendu)"), C, "passes=4", **kw)
    yield alone(LATE, floods(), C, "passes=9000", "attente=0.02", "taux=3e-4", timeout_s=32, **kw)


def wines() -> Iterator[LocalJob]:
    """A sweep."""
    kw: dict[str, Any] = {"python": "shelf"}
    yield alone(HARD, sweep(), S, "0.003,0.03,0.3,3e4", "4", "12", **kw)
    yield alone(fell("A3", "traceback"), sweep(run="if n == 7:\n    con.print(best[f'{lr:g}'])"), S, "0.01,0.1,1.0", "30", "10", **kw)
    yield alone(HALTED, sweep(run="time.sleep(0.25)"), S, "0.001,0.003,0.01,0.03,0.1", "40", "15", signal=ctrl_c(r"run 18/200", "TERM", 0.1), **kw)


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from cooked()
    yield from rivers()
    yield from wines()


RECIPE = Recipe("velvet_chairs", "development", jobs)
