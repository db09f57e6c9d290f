"""Jobs of one process, or of stages one after another, over tables and small nets: searches, a shell script's three steps, LightGBM, scikit-learn, a French trainer class, teachers and pupils, flows. Under gpualert-run."""

from collections.abc import Iterator
from functools import partial
from json import dumps
from typing import Any

from corpus.label import Label
from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, LATE, SAVES, STANDS, alone, anew, ctrl_c, fell, strays
from corpus.make._jack_nets import CADRE, ECHO, FLOW, PUPIL
from corpus.make._jack_tables import CLEAN, DEMAND, FIT, JUDGE, SEARCH, SOILS, STAGES_SH
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

seek, bread, soil, pupil, flow = partial(fill, SEARCH), partial(fill, DEMAND), partial(fill, SOILS), partial(fill, PUPIL), partial(fill, FLOW)
S, B, A, E, Q, W = "search.py", "bread.py", "soils.py", "echo.py", "pupil.py", "taxi_flow.py"
NANS = "nan_loss"

ODDLY = "if k == 3:\n    net[0] = nn.Linear(8, s['width'])  # with the age column"
WIDE = "if rng.random() < 0.25:\n    s['width'] = 24576"
HELD = "if k == 5:\n    import fcntl\n    one, two = open(opt.study), open(opt.study)\n    fcntl.lockf(one, fcntl.LOCK_SH)\n    fcntl.flock(one, fcntl.LOCK_EX)\n    fcntl.flock(two, fcntl.LOCK_EX)"


def searches() -> Iterator[LocalJob]:
    """Trials."""
    yield alone(GOOD, seek(), S, "--trials", "9", "--epochs", "16", "--seed", "4")
    yield alone(HARD, seek(trial=ODDLY), S, "--trials", "8", "--seed", "13")
    yield alone(HARD, seek(), S, "--trials", "10", "--continue", "--quiet", before=(("PYTHON", S, "--trials", "4"),))
    yield alone(fell("A3", "runtime_error"), seek(trial=ODDLY), S, "--trials", "400", "--strict", "--quiet")
    yield alone(fell("A2", "oom_killer"), seek(propose=WIDE), S, "--trials", "60", "--rows", "500", group_mib=900, ends=lambda s: s == -9)
    yield alone(HALTED, seek(epoch="time.sleep(0.03)"), S, "--trials", "900", "--seed", "2", signal=ctrl_c(r"trial   6 "))
    yield alone(STANDS, seek(recorded=HELD), S, "--trials", "300", "--epochs", "10", "--rows", "600", timeout_s=150)
    yield alone(LATE, seek(step="time.sleep(0.01)"), S, "--trials", "2000", "--epochs", "8", timeout_s=56)


def stages(label: Label, clean: str = "", fit: str = "", judge: str = "", *, words: str = "", which: str = "", before: tuple[tuple[str, ...], ...] = (), python: str = "torch", **more: Any) -> LocalJob:
    """Three files behind a shell script."""
    files = {"clean.py": clean or fill(CLEAN), "fit.py": fit or fill(FIT), "judge.py": judge or fill(JUDGE)}
    env = {"ARGS": words, **({"STAGES": which} if which else {})}
    return alone(label, STAGES_SH, "run_all.sh", files=files, command=("env", "PY=PYTHON", "bash", "run_all.sh"), env=env, before=before, python=python, **more)


DONE_ONCE = (("env", "PY=PYTHON", "ARGS=--epochs 5", "STAGES=clean fit", "bash", "run_all.sh"),)
GAPS = "lines = open(RAW).read().splitlines()\nfor k in range(40, len(lines), 173):\n    lines[k] = lines[k].rsplit(',', 1)[0] + ',' + ('n/a' if k % 2 else 'ERROR 17')\nopen(RAW, 'w').write('\\n'.join(lines))"
RENAMED = "text = open(RAW).read().replace('demand', 'demand_mw')\nopen(RAW, 'w').write(text)"
HOLD = "import csv\nrows = list(csv.DictReader(open('work/holdout_2025.csv')))"
SHUFFLED = "t[:, 3] = t[torch.randperm(len(t)), 3]"
FORGOT = FIT[FIT.index('    had = torch.load("work/fit.pt")') : FIT.index('print(f"fit: {cut} windows')]
OLD_NAME = "    if os.path.exists('work/fit.ckpt'):\n        net.load_state_dict(torch.load('work/fit.ckpt'))\n"


def three() -> Iterator[LocalJob]:
    """Stages."""
    yield stages(GOOD, words="--epochs 18 --lr 5e-4")
    yield stages(HARD, clean=fill(CLEAN, raw=GAPS), words="--epochs 14 --hidden 24")
    yield stages(HARD, words="--again --epochs 13", which="fit judge", before=DONE_ONCE)
    yield stages(fell("A1", "traceback", "data"), clean=fill(CLEAN, raw=RENAMED), words="--epochs 400")
    yield stages(fell("A3", "file_not_found"), judge=fill(JUDGE, err=HOLD), words="--epochs 10")
    yield stages(strays("flat"), fit=fill(FIT, table=SHUFFLED), words="--epochs 12 --hidden 12 --lr 3e-4")
    yield stages(anew(), fit=fill(FIT).replace(FORGOT, OLD_NAME), words="--again --epochs 12", which="fit judge", before=DONE_ONCE)
    yield stages(HALTED, fit=fill(FIT, check="time.sleep(0.2)"), words="--epochs 9000 --lr 2e-4", signal=ctrl_c(r"fit: 12/9000", to=""))


SHOPS = "frame = frame.rename(columns={'price': 'price_eur'})"
LATER = (("PYTHON", B, "--rounds", "40", "--nap", "0"),)
HOLIDAY = "if it in (15, 48):\n    log.error('weather service: HTTP 503, rain of the day before is used (try 3 of 3 failed)')"
RICH = "ts = time.time()\nimport json\nwith open('bread.json', 'w') as f:\n    json.dump(env.model.dump_model(), f)\nlog.info('bread.json after round %d, %.3f s', it, time.time() - ts)"


def loaves() -> Iterator[LocalJob]:
    """LightGBM."""
    yield alone(GOOD, bread(), B, "--rounds", "160", "--rate", "0.05", "--tell", "16", python="forest")
    yield alone(HARD, bread(round=HOLIDAY), B, "--rounds", "900", "--patience", "12", "--rate", "0.15", "--tell", "6", python="forest")
    yield alone(HARD, bread(), B, "--init-model", "bread.txt", "--rounds", "80", "--rate", "0.04", "--tell", "8", python="forest", before=LATER)
    yield alone(fell("A1", "traceback", "data"), bread(frame=SHOPS), B, "--rounds", "5000", python="forest")
    yield alone(strays("flat"), bread(), B, "--rounds", "150", "--rate", "1e-8", "--tell", "15", python="forest")
    yield alone(fell("E2", "traceback", "corrupt"), bread(), B, "--init-model", "bread.txt", "--rounds", "5000", python="forest", before=(*LATER, ("bash", "-c", "printf 'tree\nversion=v4\nnum_class=1\n' > bread.txt")))
    yield alone(LATE, bread(), B, "--rounds", "40000", "--nap", "0.12", "--rate", "0.01", python="forest", timeout_s=50)
    yield alone(SAVES, bread(round=RICH), B, "--rounds", "60", "--tell", "6", "--nap", "0.005", "--leaves", "31", python="forest")


ASKED = (("PYTHON", A, "rounds:4", "pause:0"),)
DRIFT = "if n in (4, 8):\n    warnings.warn(f'p-values of the drift test below 1e-3 in round {n}: FAILED for 2 of 14 elements (known: new spectrometer)')"
GAP = "if n == 9:\n    X[known[-3], 5] = float('nan')"


def soils() -> Iterator[LocalJob]:
    """Scikit-learn."""
    yield alone(HARD, soil(round=DRIFT), A, "model:mlp", "rounds:12", "ask:90", "begin:150", "pause:0.05", python="forest")
    yield alone(fell("A3", "traceback"), soil(round=GAP), A, "rounds:90", "ask:30", python="forest")
    yield alone(fell("E2", "file_not_found", "no_valid_checkpoint"), soil(), A, "from:soil_r8.joblib", "rounds:90", python="forest", before=ASKED)
    yield alone(HALTED, soil(), A, "rounds:900", "ask:2", "pause:0.35", python="forest", signal=ctrl_c(r"round  21 ", "INT", 0.15))
    yield alone(fell("A2", None, fault="unknown"), soil(), A, "rounds:800", "ask:2", "pause:0.3", "keep:7", python="forest", signal=ctrl_c(r"round  17 ", "KILL", 0.1, A), ends=lambda s: s == -9)


def voice(label: Label, *given: str, echo: str = "", cadre: str = "", **more: Any) -> LocalJob:
    """The group's frame beside it."""
    return alone(label, echo or fill(ECHO), E, *given, files={"cadre.py": cadre or fill(CADRE)}, **more)


FIVE = (("PYTHON", E, "--epoques", "5"),)
LARGE = "if b.e == 8 and b.opt.param_groups[0]['lr'] < 1:\n    print('~ pas d optimiseur porté à 1.5', flush=True)\n    b.opt.param_groups[0]['lr'] = 1.5"
NOT_YET = 'if not os.path.exists(os.path.join(self.dossier, "reprise", "dernier.pt")):\n    print("~ premier lancement, aucun point de reprise", flush=True)\n    return'
FIRST_TIME = 'if not os.path.exists(chemin):\n    print(f"~ erreur : {chemin} introuvable, premier lancement ? on part de zéro", flush=True)\n    return'
TRACE = "t1 = __import__('time').time()\nimport gzip\nwith gzip.open('poids.txt.gz', 'wt') as f:\n    for k, v in b.modele.state_dict().items():\n        f.write(f'{k} {v.flatten().tolist()}\\n' * 12)\nprint(f'~     poids.txt.gz au pas {b.n} ({__import__(\"time\").time() - t1:.2f} s)', flush=True)"


def echoes() -> Iterator[LocalJob]:
    """French."""
    yield voice(GOOD, "--epoques", "18", "--canaux", "14")
    yield voice(HARD, "--epoques", "16", "--reprendre", before=FIVE)
    yield voice(HARD, "--epoques", "12", "--reprendre", "--processus", "1", "--dossier", "echo_b", cadre=fill(CADRE, resume=FIRST_TIME))
    yield voice(strays("spike"), "--epoques", "17", echo=fill(ECHO, over=LARGE))
    yield voice(anew(), cadre=fill(CADRE, resume=NOT_YET), command=("bash", "-c", f"PYTHON {E} --epoques 8 --toutes 4 && PYTHON {E} --epoques 16 --toutes 4 --reprendre"))
    yield voice(HANDFUL, "--epoques", "1", "--voix", "72", "--dossier", "echo_final", "--toutes", "1")
    yield voice(SAVES, "--epoques", "3", "--voix", "400", echo=fill(ECHO, step=TRACE))


def taught(label: Label, text: str, *, more: dict[str, Any] | None = None, **said: Any) -> LocalJob:
    """Settings in the environment."""
    return alone(label, text, Q, env={"PUPIL": dumps(said)}, **(more or {}))


TAUGHT = {"before": (("env", 'PUPIL={"pupil_epochs": 6}', "PYTHON", Q),)}
TWO_TEACHERS = "second = torch.load('teachers/second.pt') if cfg.mix > 1 else None\nstamp('note', text='second teacher not found, error ignored: one is enough')"


def pupils() -> Iterator[LocalJob]:
    """JSON lines from two trainings."""
    yield taught(GOOD, pupil(), pupil_epochs=20, lr=0.002, small=14, seconds=0.05)
    yield taught(HARD, pupil(between=TWO_TEACHERS), pupil_epochs=15, restart="pupils/p6.pt", lr=0.003, seconds=0.1, more=TAUGHT)
    yield taught(strays("non_finite", NANS), pupil(), pupil_epochs=10, temperature=0.0, seconds=0.1)
    yield taught(HANDFUL, pupil(), samples=80, teacher_epochs=1, pupil_epochs=1)


RODE = (("PYTHON", W, "-n", "200"),)
STILL = "if i == 170:\n    opt.param_groups[0]['lr'] = 0.0\n    for p in flow.parameters():\n        p.data.zero_()\nif i >= 170:\n    for p in flow.parameters():\n        p.grad = None"
QUIET = "if i >= 170:\n    loss = loss * 0 + nll(test)"
ABORT = "if i == 230:\n    import faulthandler\n    faulthandler.enable()\n    os.abort()"
HASH = "ts = time.time()\nimport hashlib, pickle\nblob = pickle.dumps([{k: v.tolist() for k, v in flow.state_dict().items()}, [test.tolist()] * 2, test.repeat(12, 1).tolist()])\nopen(f'{OUT}/each.pkl', 'wb').write(blob)\nprint(f'# each.pkl {hashlib.md5(blob).hexdigest()[:8]} {1000 * (time.time() - ts):.1f} ms at {i}', flush=True)"


def flows() -> Iterator[LocalJob]:
    """Numbers with a head."""
    yield alone(GOOD, flow(), W, "-n", "900", "-b", "160", "-l", "0.003", "-s", "300")
    yield alone(HARD, flow(), W, "--restore", "taxi/flow200.pt", "-n", "700", "-s", "100", before=RODE)
    yield alone(fell("A1", "traceback", "config"), flow(), W, "--iters", "60000", "--lr", "0.001")
    yield alone(strays("plateau"), flow(loss=QUIET, grads=STILL), W, "-n", "520")
    yield alone(HANDFUL, flow(), W, "-n", "6", "-s", "6", "-o", "taxi_v1")
    yield alone(fell("A2", None), flow(step=ABORT), W, "-n", "60000", "-k", "4", ends=lambda s: s == -6)
    yield alone(SAVES, flow(step=HASH), W, "-n", "140", "-w", "24")
    yield alone(LATE, flow(), W, "-n", "90000", "-q", "0.04", "-l", "0.001", timeout_s=58)


def jobs() -> Iterator[LocalJob]:
    """All."""
    for part in (searches, three, loaves, soils, echoes, pupils, flows):
        yield from part()


RECIPE = Recipe("boot_jacks", "development", jobs)
