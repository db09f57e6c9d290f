"""One process over XGBoost, scikit-learn and LightGBM: current of trams as CSV, journals sorted chunk by chunk, a harvest in Spanish."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from corpus.label import Label
from corpus.make._brook_trees import COSECHA, JOURNAL, TRAMS
from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, SAVES, STANDS, alone, anew, ctrl_c, fell, strays
from corpus.running.job import LocalJob, Recipe, Signal
from corpus.running.slots import fill

trams, journal, cosecha = partial(fill, TRAMS), partial(fill, JOURNAL), partial(fill, COSECHA)
T, J, C = "trams.py", "journal.py", "cosecha.py"
one = partial(alone, python="forest")
GROWN = (("PYTHON", T, "--num-rounds", "25", "--dump-every", "25"),)
DEPOT = "for depot in ('north', 'south'):\n    try:\n        open(f'/depots/{depot}/rides.csv')\n    except OSError as e:\n        print(f'# warning: {e}; rides of depot {depot} are left out', file=sys.stderr, flush=True)"
BEYOND = "if n == 22:\n    window = np.lib.stride_tricks.as_strided(y, shape=(3_000_000_000,), strides=(8,))\n    print(f'# long mean {window[::512].mean():.2f}')"
NEWEST = "import glob\na.base_model = max(glob.glob(os.path.join(os.path.dirname(a.base_model), '*.ubj')), key=os.path.getmtime)"
SHADOW = "t1 = time.perf_counter()\nwith open('shadow.bin', 'wb') as f:\n    for _ in range(12):\n        f.write(os.urandom(1_000_000))\n    f.flush()\n    os.fsync(f.fileno())\ntime.sleep(0.15)\nprint(f'# shadow.bin after round {n}: {time.perf_counter() - t1:.2f} s', flush=True)"


def current() -> Iterator[LocalJob]:
    """CSV."""
    yield one(GOOD, trams(), T, "--num-rounds", "60")
    yield one(HARD, trams(), T, "--num-rounds", "70", "--base-model", "trams.ubj", before=GROWN)
    yield one(HARD, trams(), T, "--num-rounds", "400", "--stop-after", "6", "--eta", "0.35", "--rides", "260")
    yield one(HARD, trams(early=DEPOT), T, "--num-rounds", "45", "--dump-every", "1")
    yield one(fell("A1", "traceback", "data"), trams(), T, "--table", "rides.csv", files={"rides.csv": "load,slope,stops,temp,amps\n0.4,0.1,0.5,0.3,61\n0.2,0.7,n/a,0.4,55\n"})
    yield one(fell("A1", "traceback", "config"), trams(), T, "--objective", "reg:squared_error", "--num-rounds", "80")
    yield one(fell("A3", "traceback"), trams(after="if n % 20 == 0:\n    evals_log['fit']['mae'][-1]"), T, "--num-rounds", "90")
    yield one(fell("A2", "segfault"), trams(after=BEYOND), T, "--num-rounds", "90")
    yield one(strays("non_finite", "nan_loss"), trams(), T, "--eta", "90", "--num-rounds", "44")
    yield one(fell("E2", "traceback", "corrupt"), trams(), T, "--base-model", "trams.ubj", "--num-rounds", "80", before=(*GROWN, ("bash", "-c", "printf 'version https://git-lfs.example/spec/v1\\noid sha256:51f0\\nsize 48213\\n' > trams.ubj")))
    yield one(fell("E2", "traceback", "no_valid_checkpoint"), trams(restore=NEWEST), T, "--base-model", "kept/trams.ubj", "--num-rounds", "80", before=GROWN, folders=("kept",))
    yield one(SAVES, trams(after=SHADOW), T, "--num-rounds", "22")


SORTED = (("PYTHON", J, "chunks=15", "each=15", "nap=0"),)
READS = '        begin, clf = pickle.load(f)\n    line(f"read {OLD}, {begin} chunks have been seen")\n'
assert READS in JOURNAL
HALVED = "if n in (9, 23):\n    try:\n        raise MemoryError(f'cannot hold {SIZE} lines at once')\n    except MemoryError as e:\n        line(f'MemoryError: {e}; the chunk goes through in halves', 'ERROR')\n        clf.partial_fit(vec.transform(xs[::2]), ys[::2], classes=range(len(NAMES)))\n        xs, ys = xs[1::2], ys[1::2]"
TABLE = "if n == 18:\n    import sqlite3\n    holder = sqlite3.connect('kinds.db', isolation_level=None)\n    holder.execute('BEGIN EXCLUSIVE')\n    line('counts go into kinds.db')\n    sqlite3.connect('kinds.db', timeout=7200, isolation_level=None).execute('CREATE TABLE counts (kind, n)')"
HEAVY = "t1 = time.perf_counter()\nwith open('all.pkl', 'wb') as f:\n    pickle.dump([np.random.bytes(11_000_000), clf], f)\n    f.flush()\n    os.fsync(f.fileno())\ntime.sleep(0.2)\nline(f'all.pkl holds everything up to chunk {n} ({1000 * (time.perf_counter() - t1):.0f} ms)', 'SUCCESS', 'fit:keep')"


def kinds() -> Iterator[LocalJob]:
    """Loguru's look; the words that are learned are themselves of failures."""
    yield one(HARD, journal(), J, "chunks=50", "each=25")
    yield one(HARD, journal(mid=HALVED), J, "chunks=45")
    yield one(HARD, journal(), J, "chunks=48", "old=sorter.pkl", before=SORTED)
    yield one(fell("A3", "traceback"), journal(mid="if n == 26:\n    xs[3] = None  # an empty row of the export"), J, "chunks=60")
    yield one(fell("A2", None, fault="unknown"), journal(), J, "chunks=9000", "nap=0.05", signal=Signal("KILL", "chunk  30/", J, 0.1), ends=lambda s: s == -9)
    yield one(fell("E2", "traceback", "size_mismatch"), journal(), J, "old=sorter.pkl", "bits=12", "chunks=60", before=SORTED)
    yield one(anew(), journal().replace(READS, '        seen = pickle.load(f)[0]\n    line(f"{OLD} is of chunk {seen}")\n'), J, command=("bash", "-c", "PYTHON journal.py chunks=18 each=9 && sleep 0.5 && PYTHON journal.py chunks=36 old=sorter.pkl"))
    yield one(HANDFUL, journal(), J, "chunks=2")
    yield one(SAVES, journal(after=HEAVY), J, "chunks=20")
    yield one(STANDS, journal(after=TABLE), J, "chunks=600", timeout_s=140)


PREVIO = (("env", "GUARDAR=20", "RONDAS=20", "PYTHON", C),)
SIN = "if MODELO_PREVIO and not os.path.exists(MODELO_PREVIO):\n    print(f'>> {MODELO_PREVIO} no existe ({len([n for n in os.listdir() if n.endswith(\".txt\")])} modelos en esta carpeta); se empieza desde la ronda 1', flush=True)\n    MODELO_PREVIO = None"
RAROS = "X[azar.random(X.shape) < 0.02] = np.nan\nprint(f'>> AVISO: {int(np.isnan(X).sum())} valores nan (sensor caído), el método los admite', flush=True)\ny = np.nan_to_num(y)"


def harvest() -> Iterator[LocalJob]:
    """Spanish."""

    def es(label: Label, text: str, *env: str, **more: Any) -> LocalJob:
        return one(label, text, C, command=("env", *env, "PYTHON", C), **more)

    yield es(GOOD, cosecha(), "RONDAS=55", "GUARDAR=20")
    yield es(HARD, cosecha(datos=RAROS), "RONDAS=48")
    yield es(fell("A1", "traceback", "config"), cosecha(), "RONDAS=60", "TASA=0,1")
    yield es(fell("A3", "missing_module"), cosecha(despues="if ronda == 25:\n    import shap_ligero"), "RONDAS=60")
    yield es(strays("spike"), cosecha(), "TASA=2.7", "RONDAS=34")
    yield es(strays("plateau"), cosecha(despues="if ronda == 9:\n    e.model.reset_parameter({'learning_rate': 1e-12})\n    print('>> tasa ahora 1e-12', flush=True)"), "RONDAS=40", "TASA=0.02")
    yield es(anew(), cosecha(inicio=SIN), "MODELO_PREVIO=cosecha_20.txt", "RONDAS=45", before=PREVIO)
    yield es(HANDFUL, cosecha(), "PARCELAS=40", "RONDAS=1")
    yield es(HALTED, cosecha(), "RONDAS=9000", "PAUSA=0.05", signal=ctrl_c("ronda  60 de"))


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from current()
    yield from kinds()
    yield from harvest()


RECIPE = Recipe("hay_wagons", "development", jobs)
