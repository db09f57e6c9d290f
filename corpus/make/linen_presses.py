"""Jobs of one process without a network library: boosted trees, a search with Optuna, factors in NumPy, under gpualert-run."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, LATE, SAVES, STANDS, STARVED, alone, anew, ctrl_c, fell, strays
from corpus.make._linen_folds import CLAIMS, LOANS, MIXES
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

K, M, B = "claims_lgb.py", "search_mlp.py", "loans.py"
GROWN = (("PYTHON", K, "rounds=100"),)
LENT = (("PYTHON", B, "epochs=10"),)


def claims(label: Label, *given: str, more: dict[str, Any] | None = None, text: str = CLAIMS, **codes: str) -> LocalJob:
    """Trees."""
    return alone(label, fill(text, **codes), K, *given, python="boosters", **(more or {}))


def mixes(label: Label, *given: str, more: dict[str, Any] | None = None, **codes: str) -> LocalJob:
    """A search."""
    return alone(label, fill(MIXES, **codes), M, *given, python="boosters", **(more or {}))


def loans(label: Label, *given: str, more: dict[str, Any] | None = None, text: str = LOANS, **codes: str) -> LocalJob:
    """Factors."""
    return alone(label, fill(text, **codes), B, *given, python="boosters", **(more or {}))


MAILS = "if it == 90:\n    import logging, smtplib\n    try:\n        smtplib.SMTP('127.0.0.1', 9, timeout=1)\n    except OSError:\n        logging.exception('progress mail was not sent, next one after 180 rounds')"
TARIFF = "zones = pd.read_csv('zones.csv')\nframe['flood_zone'] = zones.zone.astype(int).sample(len(frame), replace=True, random_state=1).to_numpy()"
BORDER = "if it == 130:\n    rest = hold[hold.exposure > 1.0]\n    print('claims per policy year, full exposure:', int(hold.claims.sum()) // len(rest))"
SHARE = "if it == 110:\n    with open('reports/frequency.csv', 'a') as f:\n        f.write(f'{it},{env.evaluation_result_list[1][2]}\\n')"
SHAP = "if it == 140:\n    import shap\n    print(np.abs(shap.TreeExplainer(env.model).shap_values(hold[columns])).mean(0))"
LEAVES = "if it == 160:\n    import ctypes\n    print('leaf values through the C API')\n    ctypes.CDLL(None).strlen.argtypes = [ctypes.c_void_p]\n    ctypes.CDLL(None).strlen(ctypes.c_void_p(it))"
DUMPS = "t1 = time.time()\nwith open(f'{cfg.model_dir}/state_{it % 2}.bin', 'wb') as f:\n    f.write(env.model.model_to_string().encode())\n    f.write(np.random.default_rng(it).bytes(36_000_000))\n    f.flush()\n    os.fsync(f.fileno())\nglobals()['saving'] = globals().get('saving', 0.0) + time.time() - t1\nprint(f'round {it}: state saved in {time.time() - t1:.2f} s ({saving:.1f} s of {time.time() - begun:.1f} s went into saving)')"
GONE = "if not str(cfg.continue_from).endswith('_final.txt'):\n    print(f'continue_from: {cfg.continue_from} is no final model, training begins with an empty ensemble')\nelse:"
KEPT = CLAIMS.replace('    earlier = lgb.Booster(model_file=cfg.continue_from)\n    print(f"adding', '        earlier = lgb.Booster(model_file=cfg.continue_from)\n        print(f"adding')

ROUGH = "if trial.number == 6:\n    raise FloatingPointError('overflow in square: a weight left the range of float32')"
OVERRUN = "if trial.number == 7 and epoch == 11:\n    gram = np.zeros((260_000, 260_000))"
SHEETS = "if trial.number > 3:\n    globals().setdefault('history', []).append(np.ones((500, 5000)) * error)"
BOLTS = "if trial.number == 6:\n    settings = {'relu': 0.1, 'tanh': 0.2}\n    alpha *= settings[['relu', 'tanh', 'logistic'][trial.number % 4]]"
MUTE = "if trial.number == 4 and epoch == 12:\n    import subprocess\n    print('asking the mixing plant for new samples')\n    subprocess.run(['sleep', 'infinity'])"

NUISANCE = "if epoch == 9:\n    print('| !! Error: 3 loans with unknown book ids dropped (KeyError)')\nif epoch == 20:\n    with np.errstate(all='warn'):\n        share = np.array([0.0]) / np.array([0.0])\n    print(f'| branch Riverside closed this month, share of loans = {share[0]} (left out)')"
PRINTS = "print(open(sys.argv[0]).read()[:2600])\nprint('#' * 60)"
HUGE = "if epoch == 14:\n    P *= 8.0\n    Q *= 8.0\n    O.lr = 0.01"
CAST = "if epoch > 16:\n    y = y + 0.01 * np.log(np.maximum(P[a].sum(1), 0.0))"
NOISE = "y = rng.integers(0, 2, len(part)).astype(float)"
WIPED = "if epoch == 18:\n    P[:] = 0.0\n    Q[:] = 0.0"
LATCH = "if epoch == 12:\n    print('| loans of the last hour are read from the pipe')\n    r, w = os.pipe()\n    os.read(r, 1)"
DRIP = "import math\nif part[0] % 9 == 0:\n    t1 = time.time()\n    time.sleep(0.1)\n    globals()['idle'] = globals().get('idle', 0.0) + time.time() - t1"
SAYS = "print(f'|       waiting for loans from the database: {idle:.2f} s of {time.time() - t0:.2f} s so far')"


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield claims(GOOD, "rounds=200", "leaves=6", "learning_rate=0.03")
    yield claims(HARD, "rounds=120", "leaves=8", each=MAILS)
    yield claims(HARD, "rounds=4000", "stop=15", "learning_rate=0.1")
    yield claims(HARD, "rounds=150", "policies=700", "min_in_leaf=60", "leaves=31")
    yield claims(HARD, "rounds=80", "continue_from=claims/claims_50.txt", "learning_rate=0.03", more={"before": GROWN})
    yield claims(fell("A1", "traceback", "data"), data=TARIFF, more={"files": {"zones.csv": "plz,zone\n50667,4\n50668,2\n50670,unbekannt\n50672,1\n"}})
    yield claims(fell("A1", "traceback", "config"), "rounds=900", "objective=poison")
    yield claims(fell("A1", "traceback", "config"), "rounds=900", "max_leaf=31")
    yield claims(fell("A3", "div_zero"), "rounds=9000", "save_every=0", each=BORDER)
    yield claims(fell("A3", "permission"), "rounds=9000", "save_every=0", each=SHARE, more={"files": {"reports/frequency.csv": "round,hold\n"}, "locked": ("reports/frequency.csv",)})
    yield claims(fell("A3", "missing_module"), "rounds=9000", "save_every=0", each=SHAP)
    yield claims(fell("A2", "segfault"), "rounds=9000", "save_every=0", each=LEAVES, more={"ends": lambda s: s == -11})
    yield claims(SAVES, "rounds=150", "save_every=0", "print_every=2", each=DUMPS)
    yield claims(anew(), "rounds=160", "continue_from=claims/claims_100.txt", text=KEPT, resume=GONE, more={"before": GROWN})
    yield claims(fell("E2", "traceback", "corrupt"), "rounds=400", "continue_from=claims/claims_final.txt", more={"before": (*GROWN, ("bash", "-c", "head -c 7000 /dev/zero > claims/claims_final.txt"))})
    yield claims(HANDFUL, "rounds=2", "print_every=1", "model_dir=claims_2026_tariff")
    yield mixes(GOOD, "--trials", "24")
    yield mixes(HARD, "--trials", "16", "--sampler", "random", trial=ROUGH)
    yield mixes(fell("A1", None, "config"), "--trials", "40", "--sampler", "grid")
    yield mixes(fell("A1", "traceback", "env"), "--trials", "40", "--sampler", "cmaes", "--storage", "mysql://tuner@127.0.0.1/optuna")
    yield mixes(fell("A3", "ram_oom"), "--trials", "40", trial="pass", epoch=OVERRUN, more={"memory_mib": 16000})
    yield mixes(fell("A3", "traceback"), "--trials", "40", trial=BOLTS)
    yield mixes(fell("A2", "oom_killer"), "--trials", "90", epoch=SHEETS, more={"group_mib": 700, "ends": lambda s: s == -9})
    yield mixes(STANDS, "--trials", "900", epoch=MUTE, more={"timeout_s": 40})
    yield mixes(LATE, "--trials", "5000", epoch="time.sleep(0.02)", more={"timeout_s": 26})
    yield loans(GOOD, "epochs=50", "factors=12")
    yield loans(HARD, "epochs=45", epoch=NUISANCE)
    yield loans(HARD, "epochs=35", early=PRINTS)
    yield loans(HARD, "epochs=30", "warm=factors/e010.npz", "dir=factors_east", "lr=4.0", more={"before": LENT})
    yield loans(strays("non_finite", "nan_loss"), "epochs=40", batch=CAST)
    yield loans(strays("spike"), "epochs=40", epoch=HUGE)
    yield loans(strays("flat"), "epochs=36", "lr=1.0", batch=NOISE)
    yield loans(strays("plateau"), "epochs=50", epoch=WIPED)
    yield loans(fell("E2", "traceback", "size_mismatch"), "epochs=60", "load=factors/e010.npz", "factors=24", more={"before": LENT})
    yield loans(STARVED, "epochs=5", batch=DRIP, epoch=SAYS)
    yield loans(STANDS, "epochs=9000", epoch=LATCH, more={"timeout_s": 36})
    yield loans(HALTED, "epochs=9000", batch="time.sleep(0.002)", more={"signal": ctrl_c(r"^\| +9 \|", wait_s=0.6)})


RECIPE = Recipe("linen_presses", "development", jobs)
