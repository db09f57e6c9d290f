"""One process that logs rows: loads of substations as JSON lines, a scoring desk in tables, a robot in CSV. Under gpualert-run."""

from collections.abc import Iterator
from functools import partial
from json import dumps
from typing import Any

from corpus.label import Label
from corpus.make._candle_boards import GAME, LOAD, SCORING
from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, LATE, SAVES, STANDS, STARVED, alone, anew, ctrl_c, fell, strays
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

load, scoring, game = partial(fill, LOAD), partial(fill, SCORING), partial(fill, GAME)
L, S, G = "forecast.py", "scoring.py", "robot_dqn.py"
BEGUN = (("PYTHON", L, "winter.json"),)
LATEST = "models/load/latest.pt"
NANS = "nan_loss"


def power(label: Label, text: str, *, more: dict[str, Any] | None = None, raw: str = "", **said: Any) -> LocalJob:
    """Settings in JSON, records in JSON."""
    files = {"load.json": raw or dumps(said, indent=2), "winter.json": dumps({"steps": 300}), "wide.json": dumps({"steps": 300, "hidden": 96})}
    return alone(label, text, L, "load.json", files=files, **(more or {}))


HOLES = """holes = rng.random(load.shape) < 0.01
load[holes] = np.nan
emit("data_quality", nan_cells=int(holes.sum()), action="interpolated", severity="WARNING")
for s in range(load.shape[1]):
    ok = ~np.isnan(load[:, s])
    load[:, s] = np.interp(hours, hours[ok], load[ok, s])"""
PUSH = """if step in (240, 540):
    import traceback, urllib.request
    try:
        urllib.request.urlopen("http://127.0.0.1:9/api/metrics", timeout=1)
    except OSError:
        emit("push_failed", step=step, error=traceback.format_exc(), action="kept in the queue")
if step == 570:
    emit("push_ok", step=step, records=19)"""
SPIKED = """if step == 420:
    x = x * 30
    emit("outlier", step=step, message="frequency event: 30 x the usual load in this batch, gradient is clipped")"""
GUARD = """if not torch.isfinite(loss):
    emit("abort", step=step, loss=float(loss), reason="loss is not finite, stopping here")
    sys.exit(1)"""
BLOW = "if step == 300:\n    model.out.weight.data.mul_(1e25)\n"
CALENDAR = """if step == 360:
    emit("holidays", file="calendar_2027.csv")
    holidays = np.genfromtxt("calendar_2027.csv", delimiter=",", dtype=str)"""
FEED = """if step == 500:
    emit("note", message="substation 13 joined")
    x = torch.cat([x, x[:, :, :1]], 2)"""
LONGHORIZON = """if step == 390:
    emit("backtest", years=11)
    every = torch.zeros(96432, 24, 8760)"""
OPENF = """if step == 300:
    emit("export", target="grafana/forecast.json")
    open("grafana/forecast.json", "w").write("[]")"""
PIPE = """if step == 240:
    emit("scada", message="reading the live feed")
    os.mkfifo("scada.pipe")
    feed = open("scada.pipe").read()"""
NOISE = "y = torch.randn(y.shape)\nif step == 1:\n    model.out.weight.data.mul_(0.02)\n    model.out.bias.data.zero_()"
FREEZE = """if step == 270:
    emit("schedule", message="lr 0.004 -> 0, milestone reached")
    optim.param_groups[0]["lr"] = 0.0
    for p in model.parameters():
        p.data.zero_()"""
STEPUP = "optim.param_groups[0]['lr'] = round(CONFIG['lr'] * 2 * (1 - step / 420), 6)"
RESTORES = LOAD[LOAD.index('    kept = torch.load(CONFIG["continue_from"])') : LOAD.index('emit("ready"')]
FORGETS = '    kept = torch.load(CONFIG["continue_from"]).get("model", {})\n    model.load_state_dict(kept, strict=False)\n'
FLUSH = """import lzma
blob = lzma.compress(os.urandom(1 << 19) + load.tobytes())
open(os.path.join(CONFIG["save_to"], f"full_{step}.xz"), "wb").write(blob)"""
TAPE = "time.sleep(0.2)  # rows come from the historian one query a batch"
THREADS = """if step == 420:
    emit("solver", message="unit commitment with the C solver")
    import ctypes
    ctypes.CDLL(None).abort()"""


def loads() -> Iterator[LocalJob]:
    """A record an interval."""
    yield power(GOOD, load(), steps=1200, every=40)
    yield power(HARD, load(data=HOLES), steps=900)
    yield power(HARD, load(told=PUSH), steps=900, save_every=300)
    yield power(HARD, load(batch=SPIKED), steps=900, every=25)
    yield power(HARD, load(), steps=1000, continue_from=LATEST, more={"before": BEGUN})
    yield power(HARD, load(data="load = load * 1.15 + 3"), steps=600, warm_from=LATEST, save_to="models/coast", lr=0.0015, more={"before": BEGUN})
    yield power(fell("A1", "traceback", "config"), load(), raw='{\n  "steps": 90000,\n  "lr": 0.004\n  "hidden": 24\n}\n')
    yield power(fell("A1", None, "config"), load(), steps=90000, learning_rate=0.003)
    yield power(fell("A1", "traceback", "data"), load(data='extra = np.array([[float(v) for v in row.split(";")] for row in open("meters.csv")])\nload[: len(extra)] = extra'), steps=90000, more={"before": (("bash", "-c", "printf '%s\\n' '51.2;48.1;55.0' '51,9;47.7;54.1' > meters.csv"),)})
    yield power(fell("A1", "file_not_found", "asset"), load(), steps=90000, warm_from="/proj/grid/models/gru_eu_2026.pt")
    yield power(fell("A3", "file_not_found"), load(told=CALENDAR), steps=90000)
    yield power(fell("A3", "runtime_error"), load(batch=FEED), steps=90000)
    yield power(fell("A3", "ram_oom"), load(told=LONGHORIZON), steps=90000, more={"memory_mib": 9000})
    yield power(fell("A3", "permission"), load(told=OPENF), steps=90000, more={"folders": ("grafana",), "locked": ("grafana",)})
    yield power(fell("A2", None), load(after=THREADS), steps=90000, more={"ends": lambda s: s == -6})
    yield power(fell("A2", None, fault="unknown"), load(), steps=90000, pause=0.01, more={"signal": ctrl_c(r'"step": 330', "KILL", 0.2, L), "ends": lambda s: s == -9})
    yield power(fell("E1", NANS, "non_finite"), load(batch=BLOW, loss=GUARD), steps=9000)
    yield power(strays("non_finite", NANS), load(batch=BLOW), steps=900)
    yield power(strays("flat"), load(batch=NOISE), steps=1200, every=30, hidden=8, lr=0.0005)
    yield power(strays("plateau"), load(after=FREEZE), steps=1350, every=30)
    yield power(strays("spike"), load(after=STEPUP), steps=1200)
    yield power(fell("E2", "runtime_error", "size_mismatch"), load(), steps=9000, continue_from=LATEST, stations=14, more={"before": BEGUN})
    yield power(fell("E2", "runtime_error", "corrupt"), load(), steps=9000, hidden=96, continue_from=LATEST, more={"before": (("PYTHON", L, "wide.json"), ("truncate", "-s", "98304", LATEST))})
    yield power(anew(), load().replace(RESTORES, FORGETS), steps=900, continue_from=LATEST, more={"before": BEGUN})
    yield power(HANDFUL, load(), steps=5, every=1, save_every=5, save_to="models/operations")
    yield power(SAVES, load(save=FLUSH), steps=130, every=2, save_every=2)
    yield power(LATE, load(), steps=90000, pause=0.03, every=20, lr=0.0006, more={"timeout_s": 38})
    yield power(HALTED, load(), steps=90000, pause=0.02, every=20, more={"signal": ctrl_c(r'"step": 480', "TERM")})
    yield power(STANDS, load(told=PIPE), steps=90000, pause=0.01, every=20, more={"timeout_s": 48})
    yield power(STARVED, load(batch=TAPE), steps=80, every=4, save_every=40)


CARDED = (("PYTHON", S, "rounds=60"),)
PRIOR = "scorecards/card_0060.pkl"


def score(label: Label, text: str, *given: str, **more: Any) -> LocalJob:
    """Rules and tables."""
    return alone(label, text, S, *given, python="boosters", **more)


MONTHS = "if done == 40:\n    by_month = frame[:cut].assign(p=p_train).groupby('month').p.mean()"
QUARTER = """if done == 50:
    rejected = hold[hold.months > 90]
    con.print(f"of {len(rejected)} longer than 90 months, share with two cards:")
    con.print(f"{int((rejected.cards > 1).sum()) / len(rejected):.3f}")"""
GAPS = """frame.loc[rng.random(cfg.rows) < 0.05, "income"] = np.nan
warnings.warn(f"{int(frame.income.isna().sum())} incomes are NaN and stay so (LightGBM sends them down the default side)")
con.print("[red]ERROR[/red] column 'employer' is absent in this extract, model is trained without it (optional)")"""
BURY = "params['min_data_in_leaf'] = cfg.rows * 2"
DUMP = """t0 = time.time()
import bz2
text = model.dump_model()
with open(f"{cfg.store}/card_{done:04d}.json.bz2", "wb") as f:
    f.write(bz2.compress((str(text) * 12).encode(), 9))
con.print(f"      full dump and archive in {time.time() - t0:.2f} s")"""
LOCKF = "if done == 50:\n    import fcntl\n    con.print('waiting for the register of scorecards')\n    a, b = open('register', 'w'), open('register')\n    fcntl.flock(a, fcntl.LOCK_EX)\n    fcntl.flock(b, fcntl.LOCK_EX)"
PRIORS = SCORING[SCORING.index('    with open(cfg.prior, "rb") as f:') : SCORING.index('params = {"objective"')]
PEEKS = '    with open(cfg.prior, "rb") as f:\n        kept = pickle.load(f)\n    if "booster" in kept:\n        model, done = kept["booster"], kept["rounds"]\n'


def scores() -> Iterator[LocalJob]:
    """Late payers."""
    goes_on = scoring().replace("prior", "continue_from")
    yield score(GOOD, scoring(), "rounds=200", "nap=0.05")
    yield score(HARD, scoring(data=GAPS), "rounds=160")
    yield score(HARD, scoring(), "rounds=4000", "stop=3", "eta=0.1", "leaves=31")
    yield score(HARD, goes_on, "rounds=180", f"continue_from={PRIOR}", before=CARDED)
    yield score(fell("A1", "traceback", "config"), scoring(), "rounds=4000", "leafs=31")
    yield score(fell("A1", "traceback", "config"), scoring(), "rounds=4000", "objective=binray")
    yield score(fell("A1", "missing_module", "env"), scoring(start="from catboost import CatBoostEncoder"), "rounds=4000")
    yield score(fell("A3", "traceback"), scoring(told=MONTHS), "rounds=4000")
    yield score(fell("A3", "div_zero"), scoring(told=QUARTER), "rounds=4000")
    yield score(strays("flat"), scoring(params=BURY), "rounds=300")
    yield score(fell("E2", "traceback", "corrupt"), goes_on, "rounds=4000", f"continue_from={PRIOR}", before=(*CARDED, ("truncate", "-s", "30000", PRIOR)))
    yield score(fell("E2", "file_not_found", "no_valid_checkpoint"), goes_on, "rounds=4000", "continue_from=scorecards/card_0600.pkl", before=CARDED)
    yield score(anew(), scoring().replace(PRIORS, PEEKS).replace("prior", "continue_from"), "rounds=150", f"continue_from={PRIOR}", before=CARDED)
    yield score(SAVES, scoring(kept=DUMP), "rounds=110", "chunk=2", "keep_each=2")
    yield score(STANDS, scoring(told=LOCKF), "rounds=4000", "nap=0.3", timeout_s=48)


ROBOT = (("PYTHON", G, "--episodes", "120", "--keep-each", "40"),)


def robot(label: Label, text: str, *given: str, **more: Any) -> LocalJob:
    """CSV rows."""
    return alone(label, text, G, *given, **more)


PLANS = "if episode == 96:\n    plan = {0: 'E', 1: 'S', 2: 'W'}\n    print('# route:', ''.join(plan[int(q(hall.reset()).argmax())] for _ in range(40)) + plan[3], flush=True)"
WATCH = """if episode in (60, 150):
    print('# WARNING: returns collapsed in the last episodes (exploration), not an error', flush=True)
if episode == 104:
    print('# viewer died (BrokenPipeError: [Errno 32] Broken pipe), training goes on without pictures', flush=True)"""
RAISE = "if episode > 110:\n    want = want * 40"
PLOT = "if episode == 88:\n    import matplotlib.pyplot as plt\n    plt.plot(list(returns))"
NOISEQ = "if episode >= 96:\n    want = want / (1.0 - 1.0)"
SHAPE = "if episode == 120:\n    assert sum(returns) / len(returns) > 0.98, f'mean return {sum(returns) / len(returns):.3f} in episode {episode}, curriculum asks for 0.98'"


def robots() -> Iterator[LocalJob]:
    """Episodes."""
    yield robot(GOOD, game(), "--episodes", "320", "--row-each", "10")
    yield robot(HARD, game(episode=WATCH), "--episodes", "260")
    yield robot(HARD, game(), "--episodes", "300", "--from-agent", "robot.pt", before=ROBOT)
    yield robot(fell("A1", None, "config"), game(), "--episodes", "5e3", "--side", "6")
    yield robot(fell("A3", "traceback"), game(row=PLANS), "--episodes", "9000")
    yield robot(fell("A3", "missing_module"), game(row=PLOT), "--episodes", "9000")
    yield robot(fell("A3", "assertion"), game(row=SHAPE), "--episodes", "9000")
    yield robot(strays("non_finite", NANS), game(want=NOISEQ), "--episodes", "220")
    yield robot(fell("E2", "runtime_error", "size_mismatch"), game(), "--episodes", "9000", "--from-agent", "robot.pt", "--side", "6", before=ROBOT)
    yield robot(HALTED, game(), "--episodes", "90000", "--slow", "0.05", signal=ctrl_c(r"^160,"))


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from scores()
    yield from robots()
    yield from loads()


RECIPE = Recipe("candle_snuffers", "development", jobs)
