"""Jobs of one process over tables and words: subscribers, tickets, a wind park; XGBoost, scikit-learn, LightGBM, under gpualert-run."""

from collections.abc import Iterator
from functools import partial
from json import dumps
from typing import Any

from corpus.label import Label
from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, LATE, SAVES, STANDS, alone, anew, ctrl_c, fell, strays
from corpus.make._juniper_tables import CHURN, LEAVES, TICKETS
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

churn, tickets, leaves = partial(fill, CHURN), partial(fill, TICKETS), partial(fill, LEAVES)
C, T, W = "churn.py", "router.py", "windsearch.py"
NANS = "nan_loss"


def leaving(label: Label, text: str, *, raw: str = "", more: dict[str, Any] | None = None, **said: Any) -> LocalJob:
    """Settings in YAML, which JSON is too."""
    yml = raw or "".join(f"{k.rstrip('_')}: {dumps(v)}\n" for k, v in said.items())
    files = {"conf/prod.yml": yml, "conf/march.yml": "rounds: 60\nsnapshot_every: 20\n"}
    return alone(label, text, C, "--conf", "conf/prod.yml", files=files, python="shelf", **(more or {}))


MARCH = {"before": (("PYTHON", C, "--conf", "conf/march.yml"),)}
EXPLAIN = "if n == 70:\n    import shap\n    logger.info('explaining round 70')"
DRIFT = "if n in (30, 110):\n    try:\n        raise ConnectionError('feature store: connection refused (10.4.2.11:6566)')\n    except ConnectionError:\n        logger.opt(exception=True).warning('drift report skipped, trying again at the next snapshot')\nif n == 140:\n    logger.info('drift report sent: psi nan_share 0.02, errors_in_app 0.01')"
NIGHTLY = "if n == 90:\n    with open('/srv/reports/churn/latest.html', 'w') as f:\n        f.write('<html>')"
OLD = "found = sorted(pathlib.Path(conf['model_dir']).glob('churn-*.json'))\nlogger.warning('continue: {} asked for; {} snapshots match churn-*.json, training from round 1', conf['continue'], len(found))\nbefore = None if not found else xgb.Booster(model_file=found[-1])\nconf['continue'] = None"
PLAIN_RESUME = CHURN[CHURN.index('        before = xgb.Booster(model_file=conf["continue"])') : CHURN.index("    #: ready")]
EVERY = "t1 = time.perf_counter()\nfor k in range(3):\n    model.save_model(f\"{self.conf['model_dir']}/latest_{k}.json\")\n    fd = os.open(f\"{self.conf['model_dir']}/latest_{k}.json\", os.O_RDWR)\n    os.fsync(fd)\n    os.close(fd)\nmodel.dump_model(f\"{self.conf['model_dir']}/latest.txt\", with_stats=True)\nlogger.info('round {}: model and dump written in {:.3f} s', n, time.perf_counter() - t1)"
QUEUE = "if n == 80:\n    import queue\n    logger.info('round 80: waiting for the scorer thread to hand back its batch')\n    queue.Queue().get()"
COLUMN = "df = df.rename(columns={'plan': 'tariff'})"
TEXTCOL = "df['monthly_bill'] = df['monthly_bill'].map('{:.2f} EUR'.format)"
SHUF = "df['left'] = np.random.default_rng(0).permutation(df['left'].to_numpy())"


def leavers() -> Iterator[LocalJob]:
    """Loguru."""
    yield leaving(GOOD, churn(), rounds=160, eta=0.05, report_every=8)
    yield leaving(HARD, churn(round=DRIFT), rounds=180, eta=0.03)
    yield leaving(HARD, churn(), rounds=2000, eta=0.06, early_stop=15, report_every=5)
    yield leaving(HARD, churn(), rounds=150, eta=0.05, continue_="models/churn_0060.json", more=MARCH)
    yield leaving(fell("A1", "traceback", "config"), churn(), raw="rounds: 4000\nlearning_rate: 0.05\n")
    yield leaving(fell("A1", "traceback", "data"), churn(frame=COLUMN), rounds=4000)
    yield leaving(fell("A1", "traceback", "data"), churn(frame=TEXTCOL), rounds=4000, depth=6)
    yield leaving(fell("A3", "missing_module"), churn(round=EXPLAIN), rounds=900, report_every=5)
    yield leaving(fell("A3", "file_not_found"), churn(round=NIGHTLY), rounds=1200)
    yield leaving(fell("E2", "traceback", "corrupt"), churn(), rounds=900, continue_="models/churn_0060.json", more={"before": (*MARCH["before"], ("truncate", "-s", "4000", "models/churn_0060.json"))})
    yield leaving(
        anew(), churn().replace(PLAIN_RESUME, "        " + OLD.replace("\n", "\n        ") + "\n"), rounds=150, eta=0.05, report_every=6, continue_="models/churn_0060.json",
        more={"command": ("bash", "-c", f"PYTHON {C} --conf conf/march.yml && PYTHON {C} --conf conf/prod.yml")},
    )
    yield leaving(SAVES, churn(round=EVERY), rounds=60, subscribers=4000, depth=7, report_every=5)
    yield leaving(STANDS, churn(round=QUEUE), rounds=3000, sleep=0.05, report_every=4, more={"timeout_s": 45})
    yield leaving(HALTED, churn(), rounds=9000, sleep=0.05, report_every=5, eta=0.01, more={"signal": ctrl_c(r"round  145 of")})
    yield leaving(LATE, churn(), rounds=50000, sleep=0.04, eta=0.005, report_every=20, more={"timeout_s": 32})


def router(label: Label, text: str, *, more: dict[str, Any] | None = None, **said: Any) -> LocalJob:
    """Settings in the environment."""
    return alone(label, text, T, python="shelf", env={k: str(v) for k, v in said.items()}, **(more or {}))


WARM = {"before": (("env", "-u", "WARM_START", "PASSES=10", "PYTHON", T),)}
BLOB = "if p == 6:\n    blob = open('export/labels_2024w11.csv', 'rb').read().decode('utf-8')"
SHARP = "if p >= 7:\n    proba = proba ** 4000  # sharpened, as the router uses it\n    proba = proba / proba.sum(1, keepdims=True)"
FLIP = "if p == 12:\n    clf.coef_ *= -30.0"
CASED = "def names(t):\n    return ' '.join(w for w in t.split() if w.istitle())\n\ntexts, held = [names(t) for t in texts], [names(t) for t in held]"
RAISED = "if p in (4, 9):\n    try:\n        1 / (yb == 7).sum().item()\n    except ZeroDivisionError:\n        log.exception('rate of queue 7 not known', queue=7, action='skipped')"


def routed() -> Iterator[LocalJob]:
    """JSON of structlog."""
    yield router(GOOD, tickets(), PASSES=24, ETA0=0.2, NAP=0.01)
    yield router(HARD, tickets(after=RAISED), PASSES=20, ETA0=0.3, NAP=0.01)
    yield router(HARD, tickets(), PASSES=26, WARM_START="router/router-010.pkl", ETA0=0.1, NAP=0.01, more=WARM)
    yield router(fell("A1", "traceback", "config"), tickets(), PASSES=300, RATE="cosine")
    yield router(fell("A1", "ram_oom", "config"), tickets(ready="dense = np.zeros((2 ** BITS, 4096), dtype=np.float64)"), PASSES=300, BITS=22, more={"memory_mib": 4000})
    yield router(fell("A3", "traceback"), tickets(after=BLOB), PASSES=300, NAP=0.01, more={"before": (("bash", "-c", r"mkdir -p export; printf 'id;queue\n1;st\366rung\n' > export/labels_2024w11.csv"),)})
    yield router(strays("non_finite", NANS), tickets(proba=SHARP), PASSES=26, NAP=0.01)
    yield router(strays("spike"), tickets(after=FLIP), PASSES=36, NAP=0.01, ETA0=0.2)
    yield router(strays("flat"), tickets(data=CASED), PASSES=40, NAP=0.005)
    yield router(fell("E2", "traceback", "corrupt"), tickets(), PASSES=300, WARM_START="router/router-010.pkl", more={"before": (*WARM["before"], ("bash", "-c", "head -c 300 router/router-010.pkl > x; mv x router/router-010.pkl"))})
    yield router(fell("E2", "file_not_found", "no_valid_checkpoint"), tickets(), PASSES=300, WARM_START="router/router-100.pkl", more=WARM)
    yield router(HANDFUL, tickets(), PASSES=1, TICKETS=40, STORE="router_prod")


SPARE = "if trial in (3, 7, 12):\n    params['objective'] = ['quantil', 'huberr', 'l3'][trial % 3]"
HEAVY = "if trial == 5:\n    params['num_leaves'] = 31\n    grid = [bytearray(b'x' * (32 << 20)) for _ in range(64)]  # all pairs"
STRICT = "if trial == 6:\n    assert rmse < 5.0, f'trial {trial}: rmse {rmse:.2f}, plan B of the park needs 5.0'"
STOPPED = "if trial == 9:\n    import signal\n    out.print('next: trial 10 in the worker')\n    signal.pause()"


def winds() -> Iterator[LocalJob]:
    """Rich."""
    yield alone(GOOD, leaves(), W, "14", "120", "4", python="shelf")
    yield alone(HARD, leaves(params=SPARE), W, "16", "100", "6", python="shelf")
    yield alone(fell("A3", "assertion"), leaves(scored=STRICT), W, "500", "30", "11", python="shelf")
    yield alone(fell("A2", "oom_killer"), leaves(params=HEAVY), W, "400", "80", "2", python="shelf", group_mib=700, ends=lambda s: s == -9)
    yield alone(STANDS, leaves(after=STOPPED), W, "600", "90", "5", python="shelf", timeout_s=42)
    yield alone(HALTED, leaves(after="time.sleep(0.3)"), W, "900", "90", "9", python="shelf", signal=ctrl_c(r"trial  23 ", "TERM", 0.2))


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from leavers()
    yield from routed()
    yield from winds()


RECIPE = Recipe("juniper_stairs", "development", jobs)
