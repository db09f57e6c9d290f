"""Jobs of one process over Lightning 2.5 and XGBoost 3.1: bearings' lives and ferries' delays, under gpualert-run."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, LATE, SAVES, STANDS, alone, anew, ctrl_c, fell, strays
from corpus.make._loft_rooms import BEARINGS, FERRIES
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

B, F = "bearings.py", "delays.py"
FITTED = (("PYTHON", B, "--max-epochs", "5"),)
GROWN = (("PYTHON", F, "rounds=50"),)
CKPT = "lives/life-epoch=04.ckpt"


def bearing(label: Label, *given: str, more: dict[str, Any] | None = None, text: str = BEARINGS, **codes: str) -> LocalJob:
    """Lightning."""
    return alone(label, fill(text, **codes), B, *given, python="shelf", **(more or {}))


def ferry(label: Label, *given: str, more: dict[str, Any] | None = None, text: str = FERRIES, **codes: str) -> LocalJob:
    """Boosted trees."""
    return alone(label, fill(text, **codes), F, *given, python="shelf", **(more or {}))


NOISY = "if epoch == 3:\n    warnings.warn('sensor 12 saturated in 41 spectra')\nif epoch == 6:\n    try:\n        [][1]\n    except IndexError:\n        logger.exception('figure of epoch 6 could not be drawn, goes on without')"
HALVE = "if i == 0 and self.current_epoch == 2:\n    try:\n        torch.empty(1 << 44)\n    except RuntimeError as e:\n        logger.warning('augmentation skipped: {}', str(e).splitlines()[0])"
STATS = "stats = torch.load('/data/bearings/femto/norm_stats.pt')\nx = (x - stats['mean']) / stats['std']"
NARROW = "if self.current_epoch == 6:\n    x = x[:, :40]"
SHAPE = "if step == 420:\n    spread = {m: [] for m in ('m1', 'm2')}\n    logger.info('worst machine {}', max(spread['m3']))"
LOGFILE = "if epoch == 7:\n    with open('results.csv', 'a') as f:\n        f.write(f'{epoch},{m}\\n')"
SQRT = "if self.current_epoch >= 6:\n    loss = loss + (self.net(x) - 1e3).log().mean() * 0.01"
STUCK = "y = torch.randn_like(y)"
CLIMB = "if self.current_epoch >= 9:\n    y = y * 3600.0  # hours, as the second test bench has them"
SEVEN = "if hp.weights:\n    y, vy = 0.6 * y + 0.7, 0.6 * vy + 0.7  # machine 7 runs at another load"
READER = "time.sleep(0.12)\nwaited = globals()['waited'] = globals().get('waited', 0.0) + 0.12\nif i % 10 == 9:\n    logger.info('loader: {:.1f} s of {:.1f} s so far were waiting for the next batch', waited, time.time() - self.trainer.callbacks[0].began if hasattr(self.trainer.callbacks[0], 'began') else waited)"
DUMP = "t1 = time.time()\ntrainer.save_checkpoint(f'{hp.save_dir}/step.ckpt')\nwith open(f'{hp.save_dir}/step.opt', 'wb') as f:\n    f.write(os.urandom(30_000_000))\n    f.flush()\n    os.fsync(f.fileno())\nlogger.info('step {}: checkpoint took {:.2f} s', step, time.time() - t1)"
WAITS = "if step == 300:\n    logger.info('handing the spectra over to the plotting thread')\n    import threading\n    gate = threading.Lock()\n    gate.acquire()\n    gate.acquire()"
LOST = "if hp.ckpt and not os.path.isfile(hp.ckpt):\n    logger.warning('checkpoint {} not found (there are: {}), fitting from scratch', hp.ckpt, sorted(os.listdir(hp.save_dir)))\n    hp.ckpt = None"
NATIVE = "if step == 350:\n    logger.info('envelope spectra by the C library')\n    import ctypes\n    qsort = ctypes.CDLL(None).qsort\n    qsort(ctypes.c_void_p(64), 1000, 8, ctypes.c_void_p(0))"


def bearings() -> Iterator[LocalJob]:
    """Lightning."""
    yield bearing(GOOD, "--max-epochs", "16")
    yield bearing(HARD, "--max-epochs", "14", "--seed", "9", epoch=NOISY)
    yield bearing(HARD, "--max-epochs", "12", "--lr", "0.003", valid=HALVE)
    yield bearing(HARD, "--max-epochs", "400", "--patience", "4", "--lr", "0.005")
    yield bearing(HARD, "--ckpt", CKPT, "--max-epochs", "15", more={"before": FITTED})
    yield bearing(HARD, "--weights", CKPT, "--max-epochs", "8", "--lr", "0.0005", "--save-dir", "lives_m7", data=SEVEN, more={"before": FITTED})
    yield bearing(fell("A1", "file_not_found", "data"), "--max-epochs", "60", data=STATS)
    yield bearing(fell("A1", "traceback", "config"), "--max-epochs", "60", "--lr", "0.001", text=BEARINGS.replace('devices=1,', 'devices=1, gradient_clip=0.5,'))
    yield bearing(fell("A3", "runtime_error"), "--max-epochs", "60", batch=NARROW)
    yield bearing(fell("A3", "traceback"), "--max-epochs", "60", step=SHAPE)
    yield bearing(fell("A3", "permission"), "--max-epochs", "60", epoch=LOGFILE, more={"files": {"results.csv": "epoch,metrics\n"}, "locked": ("results.csv",)})
    yield bearing(fell("A2", "segfault"), "--max-epochs", "60", step=NATIVE, more={"ends": lambda s: s == -11, "env": {"PYTHONFAULTHANDLER": "1"}})
    yield bearing(strays("non_finite", "nan_loss"), "--max-epochs", "13", loss=SQRT)
    yield bearing(strays("spike"), "--max-epochs", "20", batch=CLIMB)
    yield bearing(strays("flat"), "--max-epochs", "26", "--lr", "0.0005", batch=STUCK)
    yield bearing(fell("E2", "runtime_error", "size_mismatch"), "--ckpt", CKPT, "--hidden", "48", "--max-epochs", "40", more={"before": FITTED})
    yield bearing(anew(), "--ckpt", "lives/last.ckpt", "--max-epochs", "14", ready=LOST, more={"before": FITTED})
    yield bearing(HANDFUL, "--fast", "--save-dir", "lives_2026")
    yield bearing(SAVES, "--max-epochs", "3", step=DUMP)
    yield bearing(STANDS, "--max-epochs", "900", step=WAITS, more={"timeout_s": 45})
    yield bearing(HALTED, "--max-epochs", "900", step="time.sleep(0.02)", more={"signal": ctrl_c(r"step 425 ")})


GUSTS = "if epoch == 24:\n    log.error('harbour feed', status=502, detail='Bad Gateway', action='yesterday kept')\nif epoch == 60:\n    log.warning('nan in 3 of 4000 winds', action='median')"
ENDS = "import atexit\n\n\ndef goodbye():\n    raise ConnectionResetError('metrics socket was closed by peer')\n\n\natexit.register(goodbye)"
PORTS = "ports = pd.read_csv('ports.csv', sep=',')\ntable['km'] = ports.km.astype(float).iloc[0]"
TIDES = "if epoch == 52:\n    late = held[held.delay > 900]\n    log.info('late', share=len(held) / len(late))"
COLUMN = "if epoch == 71:\n    log.info('by quay', mean=held.groupby('quay').delay.mean().to_dict())"
HISTORY = "store = globals().setdefault('store', [])\nstore.append(np.ones(5_000_000) * epoch)"
NONE = "if not CFG['continue'].endswith('.ubj'):\n    log.warning('continue ignored', file=CFG['continue'], reason='only .ubj is understood', begins_at_round=0)\nelse:"
RESUME = FERRIES[FERRIES.index('    before = xgb.Booster(model_file') : FERRIES.index("params = {")]
CHOOSY = FERRIES.replace(RESUME, "".join(f"    {line}\n" for line in RESUME.splitlines()))
RANDOM = "table['delay'] = np.random.default_rng(7).permutation(table.delay.to_numpy())"


def ferries() -> Iterator[LocalJob]:
    """Trees."""
    yield ferry(GOOD, "rounds=160", "eta=0.08")
    yield ferry(HARD, "rounds=140", round=GUSTS)
    yield ferry(HARD, "rounds=120", "depth=3", early=ENDS)
    yield ferry(HARD, "rounds=3000", "stop=12", "eta=0.2")
    yield ferry(HARD, "rounds=80", "continue=boosters/delays_final.json", "eta=0.05", more={"before": GROWN})
    yield ferry(fell("A1", "traceback", "data"), data=PORTS, more={"files": {"ports.csv": "name,km\nOban,\"46,5\"\nMallaig,12\n"}})
    yield ferry(fell("A1", "traceback", "config"), "rounds=200", "learning_rate=0.05")
    yield ferry(fell("A1", "traceback", "config"), "rounds=200", "objective=reg:sqaurederror")
    yield ferry(fell("A3", "div_zero"), "rounds=4000", round=TIDES)
    yield ferry(fell("A3", "traceback"), "rounds=4000", round=COLUMN)
    yield ferry(fell("A2", "oom_killer"), "rounds=4000", round=HISTORY, more={"group_mib": 900, "ends": lambda s: s == -9})
    yield ferry(fell("E2", "traceback", "corrupt"), "continue=boosters/delays_final.json", "rounds=400", more={"before": (*GROWN, ("truncate", "-s", "20000", "boosters/delays_final.json"))})
    yield ferry(anew(), "continue=boosters/delays_final.json", "rounds=130", text=CHOOSY, resume=NONE, more={"before": GROWN})
    yield ferry(HANDFUL, "rounds=3", "show=1", "folder=boosters_live")
    yield ferry(LATE, "rounds=900000", after="time.sleep(0.05)", more={"timeout_s": 25})


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from bearings()
    yield from ferries()


RECIPE = Recipe("loft_ladders", "development", jobs)
