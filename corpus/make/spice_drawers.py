"""Jobs of one process over JAX 0.5.3 with Flax and Optax: a town's electric load, under gpualert-run."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, LATE, SAVES, STANDS, alone, anew, ctrl_c, fell, strays
from corpus.make._spice_fields import LOAD
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

N = "forecast.py"
BEFORE = (("PYTHON", N, "--iterations", "200"),)


def town(label: Label, *given: str, more: dict[str, Any] | None = None, **codes: str) -> LocalJob:
    """One of them."""
    return alone(label, fill(LOAD, **codes), N, *given, python="flax-5", **(more or {}))


METERS = "if it == 150:\n    log.error('meter 4471: value nan at 03:00, replaced by the mean of its neighbours')\nif it == 300:\n    log.warning('weather service: read timed out (attempt 1 of 3)')\n    log.info('weather service: ok at attempt 2')"
RETRY = "if it == 240:\n    try:\n        np.zeros((1 << 22, 1 << 20))\n    except MemoryError:\n        log.exception('full-year plot does not fit into memory, the monthly one is drawn instead')"
HOLIDAYS = "import json\nholidays = json.loads(open('holidays.json').read())\nlog.info('%d holidays', len(holidays['NO']))"
BLEND = "if it == 330:\n    y = y[:, :5]"
PRICES = "if it == 285:\n    with open('/data/market/nordpool/elspot-prices_2025.csv') as f:\n        prices = f.readlines()"
PEAKS = "if it == 300:\n    hits = int((np.asarray(y) > 9.0).sum())\n    log.info('cost per peak hour %.2f', 1200 / hits)"
HALFHOUR = "if it == 255:\n    assert len(series) == 2 * 8760, f'half-hourly series expected, got {len(series)} values'"
LOGS = "if it > 270:\n    y = np.log(y)  # log load"
MIXED = "rng.shuffle(y.reshape(-1))\ny = rng.permuted(y, axis=0)[:, ::-1] * 0 + rng.standard_normal(y.shape).astype(np.float32)"
STORM = "if it % 2 == 0:\n    t1 = time.time()\n    with open(f'{FLAGS.model_dir}/state-{it % 6}.pkl', 'wb') as f:\n        pickle.dump((jax.device_get((params, opt_state)), np.random.default_rng(it).standard_normal(5_000_000)), f)\n        f.flush()\n        os.fsync(f.fileno())\n    log.info('saved %s/state-%d.pkl in %.0f ms', FLAGS.model_dir, it % 6, 1e3 * (time.time() - t1))"
PICK = "import queue\nif it == 220:\n    log.info('next shard of readings is requested')\n    queue.Queue().get()"
SCALE = "if it == 310:\n    params = jax.tree.map(lambda p: p * 60.0, params)\nif it >= 310:\n    opt_state = tx.init(params)\n    params = jax.tree.map(lambda p: p * 1.01, params)"
FALLBACK = "if not os.path.isdir(FLAGS.restore):\n    log.warning('no checkpoint directory %s, starting from iteration 0', FLAGS.restore)\n    FLAGS.restore = ''\nelse:"
RESUME = LOAD[LOAD.index('    with open(FLAGS.restore, "rb") as f:') : LOAD.index("\n\ndef loss_fn")]
FROM_ZERO = LOAD.replace("    #: resume\n" + RESUME, "    #: resume\n" + "".join(f"    {line}\n" for line in RESUME.splitlines()))
DEEP = "if it == 260:\n    sys.setrecursionlimit(10**8)\n    log.info('writing the scenario tree')\n    tree = []\n    for _ in range(600_000):\n        tree = [tree]\n    pickle.dumps(tree)"


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield town(GOOD, "--iterations", "700", "--units", "32")
    yield town(GOOD, "--iterations", "450", "--site", "bergen", "--learning-rate", "0.006")
    yield town(HARD, "--iterations", "500", "--seed", "3", after=METERS)
    yield town(HARD, "--iterations", "480", "--seed", "7", after=RETRY, more={"memory_mib": 60000})
    yield town(HARD, "--iterations", "400", "--warm-start", "load_model/ckpt-200.pkl", "--site", "tromsø", "--model-dir", "load_tromso", "--learning-rate", "0.001", more={"before": BEFORE})
    yield town(HARD, "--iterations", "560", "--restore", "load_model/ckpt-200.pkl", more={"before": BEFORE})
    yield town(fell("A1", "traceback", "data"), data=HOLIDAYS, more={"files": {"holidays.json": '{"NO": ["2025-01-01", "2025-05-17",], "SE": []}\n'}})
    yield town(fell("A1", None, "config"), "--iterations", "4000", "--optimiser", "lion")
    yield town(fell("A1", "missing_module", "env"), "--iterations", "4000", early="import neuralforecast_jax as nfj")
    yield town(fell("A1", "file_not_found", "asset"), "--iterations", "4000", "--warm-start", "/models/load/nordic_base_v3.pkl")
    yield town(fell("A3", "traceback"), "--iterations", "4000", batch=BLEND)
    yield town(fell("A3", "file_not_found"), "--iterations", "4000", after=PRICES)
    yield town(fell("A3", "div_zero"), "--iterations", "4000", after=PEAKS)
    yield town(fell("A3", "assertion"), "--iterations", "4000", after=HALFHOUR)
    yield town(fell("A2", "segfault"), "--iterations", "4000", after=DEEP, more={"ends": lambda s: s == -11})
    yield town(strays("non_finite", "nan_loss"), "--iterations", "600", batch=LOGS)
    yield town(strays("flat"), "--iterations", "900", "--learning-rate", "0.002", batch=MIXED)
    yield town(strays("spike"), "--iterations", "700", after=SCALE)
    yield town(fell("E2", "traceback", "size_mismatch"), "--iterations", "4000", "--restore", "load_model/ckpt-200.pkl", "--units", "40", more={"before": BEFORE})
    yield town(fell("E2", "traceback", "corrupt"), "--iterations", "4000", "--restore", "load_model/ckpt-200.pkl", more={"before": (*BEFORE, ("truncate", "-s", "9000", "load_model/ckpt-200.pkl"))})
    yield town(fell("E2", "file_not_found", "no_valid_checkpoint"), "--iterations", "4000", "--restore", "load_model/ckpt-400.pkl", more={"before": BEFORE})
    yield alone(anew(), fill(FROM_ZERO, resume=FALLBACK), N, "--iterations", "500", "--restore", "load_model/ckpt-200.pkl", python="flax-5", before=BEFORE)
    yield town(HANDFUL, "--iterations", "4", "--log-every", "1", "--model-dir", "load_2026_release")
    yield town(SAVES, "--iterations", "180", "--log-every", "10", after=STORM)
    yield town(STANDS, "--iterations", "90000", after=PICK, more={"timeout_s": 42})
    yield town(LATE, "--iterations", "90000", after="time.sleep(0.02)", more={"timeout_s": 28})
    yield town(HALTED, "--iterations", "90000", after="time.sleep(0.02)", more={"signal": ctrl_c(r"it=240/")})


RECIPE = Recipe("spice_drawers", "development", jobs)
