"""A bakery, rides, loans, a stream of messages, worn valves, a study of parameters, a ferry and a boiler over boosters, scikit-learn and Stable-Baselines3."""

from collections.abc import Iterator
from functools import partial

from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, LATE, SAVES, STANDS, STARVED, alone, anew, ctrl_c, fell, strays
from corpus.make._lintel_games import FERRY, VALVE
from corpus.make._lintel_trees import BAKERY, GRID, LOANS, RIDES, STREAM, STUDY
from corpus.running.job import LocalJob, Recipe, Signal
from corpus.running.slots import fill

bakery, rides, loans, stream = partial(fill, BAKERY), partial(fill, RIDES), partial(fill, LOANS), partial(fill, STREAM)
grid, study, ferry, valve = partial(fill, GRID), partial(fill, STUDY), partial(fill, FERRY), partial(fill, VALVE)
K, R, L, S, G, W, F, V = "nightly.py", "cancel.py", "loans.py", "listfilter.py", "nets.py", "wind_study.py", "ferry.py", "valve.py"
old, new = partial(alone, python="trees-53"), partial(alone, python="flax-7")
SEARCH = """from sklearn.decomposition import PCA
net = GridSearchCV(make_pipeline(StandardScaler(), PCA(), MLPClassifier((16,), learning_rate_init=8e-3, max_iter=60, random_state=1)), {"pca__n_components": [4, 9, 12], "mlpclassifier__alpha": [1e-4, 1e-1]}, cv=4, verbose=3)"""
SEARCHED = """net.fit(Xtr, ytr)
print(f"best {net.best_params_} with {net.best_score_:.3f} in cross-validation, {net.score(Xte, yte):.3f} on held-out valves")
print("mean scores:", np.round(net.cv_results_["mean_test_score"], 3))
sys.exit(0)"""
TORN = """if chunk in (22, 47, 80):
    try:
        texts = [t.encode("latin-1").decode("utf-8") for t in [*texts[:5], "r\\xe9sum\\xe9 de la r\\xe9union"]]
    except UnicodeDecodeError as e:
        log.error("chunk not readable, left out", n=chunk, error=f"{type(e).__name__}: {e}")
        continue"""
SCALED = 'p["base_score"] = 0.5 / (7 - p["max_depth"])'
FETCH = """a = time.perf_counter()
for box in ("dev", "users", "announce", "security"):
    time.sleep(0.12)
fetched += time.perf_counter() - a"""
FETCHED = """log.info("time of these chunks", imap_s=round(fetched, 2), all_s=round(time.perf_counter() - mark, 2))
mark, fetched = time.perf_counter(), 0.0"""
PLANT_TOLD = """print(f"# {cfg.report} steps in {time.time() - self.since if hasattr(self, 'since') else time.time() - self.t0:.1f} s, of which {plant.unwrapped.waited:.1f} s waiting for the plant simulator")
self.since, plant.unwrapped.waited = time.time(), 0.0"""
WAITED = """if cfg.delay:
    self.waited = getattr(self, "waited", 0.0) + cfg.delay"""
EACH = """os.makedirs("rounds", exist_ok=True)
a = datetime.datetime.now()
model.save_model(f"rounds/bakery_{epoch:04d}.ubj")
os.sync()
import time; time.sleep(0.25)
print(f"rounds/bakery_{epoch:04d}.ubj written, {(datetime.datetime.now() - a).total_seconds():.2f} s", flush=True)"""
FLIPPED = """if chunk == 43:
    log.info("archive of 2019 from here on", column="is_ham")
if chunk >= 43:
    y = 1 - y"""
GONE = """if CONT and not os.path.exists(CONT):
    print("no model of last night at", CONT, "- growing a new one", flush=True)
    CONT = None"""
OTHER = """if STORE.exists():
    kept = pickle.loads(STORE.read_bytes())
    try:
        clf, vec, first = kept["clf"], kept["vec"], kept["chunk"]
    except KeyError as e:
        log.warning("stored filter left aside", path=str(STORE), lacks=str(e), chunk=kept["chunk"])"""


def good() -> Iterator[LocalJob]:
    """Went well."""
    yield old(GOOD, bakery(after="import time; time.sleep(0.03)"), K)
    yield old(GOOD, rides(each="time.sleep(0.04)"), R, "--leaves", "6", "--learning-rate", "0.05", "--num-boost-round", "140")
    yield old(GOOD, loans(), L, env={"LOANS": '{"iterations": 60, "learning_rate": 0.05, "metric_period": 5, "wait": 0.1}'})
    yield old(GOOD, stream(), S)
    yield new(GOOD, grid(opts="opts.update(max_iter=220, n_iter_no_change=8, tol=5e-4, batch_size=32)"), G)
    yield old(GOOD, study(), W)
    yield new(GOOD, valve(), V)


def scary() -> Iterator[LocalJob]:
    """Went well, though it does not look so."""
    yield old(HARD, ferry(), F)
    yield old(HARD, loans(more="more.update(od_type='Iter', od_wait=40, use_best_model=True)"), L, env={"LOANS": '{"iterations": 2000, "learning_rate": 0.04, "on_missing": "error", "wait": 0.04}'})
    yield new(HARD, grid(fit=SEARCH + "\n" + SEARCHED), G)
    yield old(HARD, rides(params="params.update(min_gain_to_split=0.9, max_depth=5)\nlogger.warning('column promo_code is all nan, dropped')"), R, "--num-boost-round", "44", "--learning-rate", "0.12", "--period", "4")
    yield old(HARD, study(trial=SCALED), W, env={"TRIALS": "18"})
    yield old(HARD, stream(chunk=TORN), S)


def crashes() -> Iterator[LocalJob]:
    """Failed at the start or on the way, by an exception or a signal."""
    yield old(fell("A1", "traceback", "config"), bakery(params='params["objective"] = "reg:absolutepercentage"'), K)
    weight = "long = int((dist > 400).sum())\nlogger.info('weight of long rides: %.1f', (n - long) / long)"
    yield old(fell("A1", "div_zero", "data"), rides(data=weight), R)
    yield old(fell("A1", "assertion", "data"), loans(data="known = json.loads(os.environ['CITIES'])\nassert set(city) <= set(known), f'cities without a branch: {sorted(set(city) - set(known))}'"), L, env={"CITIES": '["Porto", "Braga", "Lisboa", "Faro"]'})
    yield old(fell("A1", "ram_oom"), stream(store="counts = np.zeros((60_000_000, vec.n_features))"), S)
    yield new(fell("A2", None, fault="unknown"), valve(), V, "--timesteps", "90000", signal=Signal("KILL", r"\n?\d+\.\d,2000,", "valve.py", 0.7), ends=lambda s: s in (-9, 137))
    yield old(fell("A3", "missing_module"), bakery(after="import time; time.sleep(0.02)\nif epoch == 74:\n    import shap"), K)
    yield old(fell("A3", "traceback"), stream(chunk="if chunk == 38:\n    y[7] = -1  # not decided yet"), S)
    yield old(fell("A3", "runtime_error"), ferry(step="Crossing.moves = getattr(Crossing, 'moves', 0) + 1\nif Crossing.moves > 2900 and abs(self.x) > 0.9:\n    raise RuntimeError(f'bank profile: no water at x={self.x:.2f} y={self.y:.2f}')"), F, env={"STEPS": "20480"})


def waits() -> Iterator[LocalJob]:
    """Stood still; were slow by data or by saves."""
    asked = "if chunk == 46:\n    import subprocess\n    log.info('archive asked for its next bundle', tool='bundle-cat')\n    texts += subprocess.run(['cat'], stdin=os.pipe()[0], capture_output=True, check=True).stdout.decode().split('\\n')"
    yield old(STANDS, stream(chunk=asked), S, timeout_s=110)
    yield old(STARVED, stream(store="mark, fetched = time.perf_counter(), 0.0", chunk=FETCH, told=FETCHED), S, env={"CHUNKS": "60", "PAUSE": "0.01"})
    yield new(STARVED, valve(step=WAITED, row=PLANT_TOLD, agent="plant.unwrapped.waited = 0.0"), V, "--delay", "0.02", "--timesteps", "3000", "--report", "250")
    yield old(SAVES, bakery(after=EACH), K, "70", env={"EVERY": "5"})


def losses() -> Iterator[LocalJob]:
    """Did not learn."""
    yield old(strays("non_finite", "nan_loss"), bakery(params="params['eta'] = 5"), K, "130")
    yield old(strays("spike"), stream(chunk=FLIPPED), S, env={"ETA": "8", "CHUNKS": "108"})
    yield new(strays("flat"), grid(opts="opts.update(learning_rate_init=1e-9, solver='sgd', n_iter_no_change=500, max_iter=120, batch_size=8)"), G)
    yield old(strays("flat"), rides(params="params['min_data_in_leaf'] = 2500"), R, "--num-boost-round", "120", "--period", "10")


def resumed() -> Iterator[LocalJob]:
    """Meant to go on from what an earlier run had kept; ended soon, at a limit, or by hand."""
    yield old(anew(), bakery(more=GONE, after="import time; time.sleep(0.02)"), K, command=("bash", "-c", f"ls -l *.ubj; tail -n 3 nightly.log; CONT=last/bakery.ubj MODEL=bakery_new.ubj PYTHON {K} 120"), before=(("bash", "-c", f"PYTHON {K} 100 > nightly.log"),))
    yield old(anew(), stream(store=OTHER), S, before=(("env", "CHUNKS=60", "PAUSE=0.01", "PYTHON", S),), env={"CHUNKS": "120", "PAUSE": "0.06"})
    yield old(fell("E2", "traceback", "corrupt"), loans(more="more_fit = 'loans.cbm'\nprint('continuing from', more_fit)", after="").replace("callbacks=[After()])", "callbacks=[After()], init_model=more_fit)"), L, files={"first.py": loans()}, before=(("PYTHON", "first.py"), ("truncate", "-s", "4000", "loans.cbm")))
    yield old(fell("E2", "file_not_found", "no_valid_checkpoint"), ferry(), F, env={"START": "runs/ferry_ppo_200k.zip", "STEPS": "40960"})
    yield old(HANDFUL, rides(), R, "--num-boost-round", "3", "--period", "1")
    yield old(HANDFUL, stream(told="").replace("chunk % 6 == 0 or chunk == 1", "True"), S, env={"CHUNKS": "3"})
    yield old(LATE, study(), W, env={"TRIALS": "900"}, timeout_s=70)
    yield new(HALTED, valve(), V, "--timesteps", "60000", signal=ctrl_c(r"\d,2500,", "TERM"))


def jobs() -> Iterator[LocalJob]:
    """All parts."""
    for part in (good, scary, crashes, waits, losses, resumed):
        yield from part()


RECIPE = Recipe("lintel_geese", "development", jobs)
