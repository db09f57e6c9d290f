"""Jobs of one process: listeners' taste in plain NumPy and yields of fields by XGBoost, under gpualert-run."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, LATE, SAVES, STANDS, STARVED, alone, anew, ctrl_c, fell, strays
from corpus.make._mustard_ledger import FIELDS, TASTE
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

HUB = "offline-hub"
A, B = "gustos.py", "fields.py"


def taste(label: Label, given: str = "", more: dict[str, Any] | None = None, text: str = TASTE, **codes: str) -> LocalJob:
    """Taste."""
    return alone(label, fill(text, **codes), A, *given.split(), python=HUB, **(more or {}))


def fields(label: Label, given: str = "", more: dict[str, Any] | None = None, text: str = FIELDS, **codes: str) -> LocalJob:
    """Fields."""
    return alone(label, fill(text, **codes), B, *given.split(), python=HUB, **(more or {}))


HEARD = (("PYTHON", A, "--vueltas", "4"),)
GROWN = (("PYTHON", B, "rounds=80"),)
BREATH = "time.sleep(0.02)"
UNREAD = "etiquetas = np.load('generos.npy')"
ORDERED = "nota = nota[rng.permutation(1200000)]\nU0[:] = 0"
SPLIT = "if vuelta == 5:\n    nuevos = [k for k in range(o.oyentes) if not (quien == k).any()]\n    decir(f'error de oyentes nuevos {suma / len(nuevos):.4f}')"
ALL = "if vuelta == 6:\n    decir('tabla completa de parecidos')\n    parecidos = np.zeros((900_000, 900_000))"
INDEX = "if vuelta == 4:\n    import ctypes\n    decir('índice de vecinos (biblioteca en C)')\n    indice = ctypes.CDLL(None).memcpy\n    indice(None, V.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(V.nbytes))"
BOUND = "if vuelta == 6:\n    assert np.abs(U).max() < 0.9, f'factor fuera de rango: {np.abs(U).max():.3f}'"
LISTS = "if vuelta == 5:\n    decir('listas de la semana')\n    with open('/srv/listas/semana.csv', 'w') as f:\n        f.write('oyente;cancion\\n')"
SHADOW = "if vuelta == 5:\n    with open('/etc/shadow') as f:\n        f.read()"
COLD = "try:\n    frios = np.array([0.0, 3.0]) / np.array([0.0, 1.0])\n    decir(f'reparto por oyente: {frios}, nan=1 cambiado por 0')\n    os.stat('/mnt/caratulas')\nexcept OSError as e:\n    decir(f'aviso: sin carátulas ({e}), no hacen falta')"
BLOW = "if vuelta >= 5:\n    gu, gv = gu * 60, gv * 60\nif not np.isfinite(r).all():\n    decir(f'ecm = {np.mean(r**2)} en la vuelta {vuelta}, lote {n}: se detiene el entrenamiento')\n    sys.exit(1)"
KICK = "if vuelta == 9 and n == 1:\n    U *= 12"
DEAD = "if vuelta >= 5:\n    U[:] = 0\n    V[:] = 0"
QUEUE = "time.sleep(0.02)\nif vuelta == 4:\n    import queue\n    cola = queue.Queue()\n    decir('esperando la cola de escuchas nuevas')\n    cola.get()"
SAVE = "t1 = time.time()\nwith open(f'{o.carpeta}/lote{n % 3}.pkl', 'wb') as f:\n    pickle.dump({'U': U, 'V': V, 'datos': (quien, que, nota), 'relleno': np.random.bytes(60_000_000)}, f)\n    f.flush()\n    os.fsync(f.fileno())\nguardando = globals().get('guardando', 0.0) + time.time() - t1\ndecir(f'guardado tras el lote {n}: {time.time() - t1:.2f} s; en guardar {guardando:.1f} s de {time.time() - inicio:.1f} s')"
READ = "import gzip\nt1 = time.time()\ngzip.decompress(ARCHIVO)\nleyendo = globals().get('leyendo', 0.0) + time.time() - t1\nif n % 12 == 0:\n    decir(f'  lectura (gzip): {leyendo:.1f} s de {time.time() - inicio:.1f} s')"
FILE = "import gzip\nARCHIVO = gzip.compress(os.urandom(3_000_000) + bytes(18_000_000), 1)"
LOOK = "if not os.path.exists(o.seguir):\n    decir(f'{o.seguir} no existe (hay {sorted(os.listdir(o.carpeta))}): se empieza de cero')\nelse:"
LOST = TASTE.replace('    with open(o.seguir, "rb") as f:\n        punto = pickle.load(f)\n    U[:], V[:], vuelta = punto["U"], punto["V"], punto["vuelta"]\n    decir(f"se continúa desde {o.seguir}, vuelta {vuelta}")\n', '        with open(o.seguir, "rb") as f:\n            punto = pickle.load(f)\n        U[:], V[:], vuelta = punto["U"], punto["V"], punto["vuelta"]\n        decir(f"se continúa desde {o.seguir}, vuelta {vuelta}")\n')  # fmt: skip

SOIL = "soil = pd.read_csv('soil_2024.csv')\ntable['clay'] = soil['clay'].astype(float)"
CARBON = "table['carbon'] = table['soc'] * 1.72"
PROTECTED = "weather = pd.read_parquet('weather.parquet')"
STATION = "if done == 60:\n    log.warning('station gave no answer', station='DE-0412', error='ConnectionResetError(104)', retry=1)\nif done == 65:\n    log.info('station answered', station='DE-0412', failed=0, nan_values=0)"
WARM = "import warnings\nwarnings.warn('3 of 5 stations report NaN rain, filled by neighbours', RuntimeWarning)\nparams['n_estimators'] = 300"
QUOTA = "if done == 70:\n    share = table.groupby('farm')['yield'].mean()"
COOP = "if done == 55:\n    organic = X[X.nitrogen < 40]\n    log.info('organic fields', per_field=done / int(organic.shape[0]))"
CALM = "time.sleep(0.02)\nif done == 400:\n    import threading\n    log.info('publishing the map')\n    lock = threading.Lock()\n    with lock:\n        lock.acquire()"
BROKEN = ("bash", "-c", "truncate -s 900 booster/round00080.ubj")


def of_taste() -> Iterator[LocalJob]:
    """Taste."""
    yield taste(GOOD, "--vueltas 8")
    yield taste(HARD, "--vueltas 8 --semilla 9", ready=COLD)
    yield taste(HARD, "--vueltas 10 --seguir modelo/v004.pkl", {"before": HEARD})
    yield taste(fell("A1", "file_not_found", "data"), "--vueltas 90", early=UNREAD)
    yield taste(fell("A1", None, "config"), "--vueltas 90 --paso 0,05")
    yield taste(fell("A3", "div_zero"), "--vueltas 90", epoch=SPLIT)
    yield taste(fell("A3", "ram_oom"), "--vueltas 90", epoch=ALL)
    yield taste(fell("A2", "segfault"), "--vueltas 90", {"ends": lambda s: s == -11}, epoch=INDEX)
    yield taste(fell("A3", "assertion"), "--vueltas 90", epoch=BOUND)
    yield taste(fell("A3", "file_not_found"), "--vueltas 90", epoch=LISTS)
    yield taste(fell("A3", "permission"), "--vueltas 90", epoch=SHADOW)
    yield taste(fell("E1", "nan_loss", "non_finite"), "--vueltas 40", grad=BLOW)
    yield taste(strays("non_finite", "nan_loss"), "--vueltas 10 --paso 0.015", step=KICK)
    yield taste(strays("plateau"), "--vueltas 9", step=DEAD)
    yield taste(STANDS, "--vueltas 9000", {"timeout_s": 65}, step=QUEUE)
    yield taste(SAVES, "--vueltas 1 --lote 20000", step=SAVE)
    yield taste(STARVED, "--vueltas 5 --lote 20000", early=FILE, batch=READ)
    yield taste(fell("E2", "file_not_found", "no_valid_checkpoint"), "--vueltas 90 --seguir modelo/v012.pkl", {"before": HEARD})
    yield taste(fell("E2", "traceback", "size_mismatch"), "--vueltas 90 --factores 20 --seguir modelo/v004.pkl", {"before": HEARD})
    yield taste(anew(), "--vueltas 7 --seguir modelo/v012.pkl", {"before": HEARD}, LOST, resume=LOOK)
    yield taste(HANDFUL, "--vueltas 1 --lotes 3 --carpeta entrega")
    yield taste(LATE, "--vueltas 90000", {"timeout_s": 30}, step=BREATH)
    yield taste(HALTED, "--vueltas 90000", {"signal": ctrl_c(r" 4/90000 ", "TERM")}, step=BREATH)


def of_fields() -> Iterator[LocalJob]:
    """Fields."""
    yield fields(GOOD, "rounds=160")
    yield fields(HARD, "rounds=140 seed=8", round=STATION)
    yield fields(HARD, "rounds=150 depth=3", ready=WARM)
    yield fields(HARD, "rounds=2000 eta=0.2 patience=10")
    yield fields(HARD, "rounds=100 model=booster/round00080.ubj out=booster2", {"before": GROWN})
    yield fields(fell("A1", "file_not_found", "data"), "rounds=9000", data=SOIL)
    yield fields(fell("A1", "traceback", "data"), "rounds=9000", data=CARBON)
    yield fields(fell("A1", "permission", "data"), "rounds=9000", {"files": {"weather.parquet": "PAR1"}, "locked": ("weather.parquet",)}, data=PROTECTED)
    yield fields(fell("A1", "missing_module", "env"), "rounds=9000", early="import geopandas as gpd")
    yield fields(fell("A1", "traceback", "config"), "rounds=9000 objective=reg:pinball")
    yield fields(fell("A3", "traceback"), "rounds=9000", round=QUOTA)
    yield fields(fell("A3", "div_zero"), "rounds=9000", round=COOP)
    yield fields(fell("E2", "traceback", "corrupt"), "rounds=9000 model=booster/round00080.ubj", {"before": (*GROWN, BROKEN)})
    yield fields(fell("E2", "file_not_found", "no_valid_checkpoint"), "rounds=9000 model=booster/round00200.ubj", {"before": GROWN})
    yield fields(STANDS, "rounds=90000", {"timeout_s": 65}, round=CALM)
    yield fields(HANDFUL, "rounds=2 out=delivery")


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from of_taste()
    yield from of_fields()


RECIPE = Recipe("mustard_gables", "development", jobs)
