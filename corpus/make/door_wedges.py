"""Jobs of one process, of people who work with words: letters of jam recipes, Spanish numbers, spoken digits, places in addresses. Under gpualert-run."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from corpus.label import Label
from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, LATE, SAVES, STANDS, alone, anew, ctrl_c, fell, strays
from corpus.make._wedge_speech import CLICK_LITE, DIGITS, PLACES
from corpus.make._wedge_text import LETTERS, NUMEROS
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

jam, num, digit, place = partial(fill, LETTERS), partial(fill, NUMEROS), partial(fill, DIGITS), partial(fill, PLACES)
L, N, D, P = "jam_lm.py", "numeros.py", "ctc_train.py", "places.py"
NANS = "nan_loss"

BOILED = (("PYTHON", L, "--max-iters", "240", "--snap", "120"),)
GRID = (("bash", "-c", "printf 'boil 3 cups of gr\\xfcn gooseberry and rest.\\n' > jam1987.txt"),)
TOKENS = "from tokenizers import Tokenizer\npieces = Tokenizer.from_file('jam.json')"
UNSEEN = "if it == 255:\n    x[:, 0] = len(letters)  # start-of-recipe"
HASTE = "if it > 330:\n    group['lr'] = 2.5"
NOISE = "y = torch.randint_like(y, len(letters))"
SKIPS = "if it in (0, 1, 4, 9, 210):\n    tell(f'norm of the gradient is inf, step {it} left out, loss scale is halved to {65536 >> min(it, 5)}')\n    it += 1\n    continue"
CACHE = "self.seen = [*getattr(self, 'seen', []), torch.cat([self.tok(x)] * 60).clone()]"
WAIT = "if it == 175:\n    import queue, threading\n    q = queue.Queue()\n    threading.Thread(target=lambda: print(end=''), name='tokeniser').start()\n    q.get()"
BACKUP = "if it % 2:\n    t1 = time.time()\n    import tarfile\n    torch.save({'model': model.state_dict(), 'optim': optim.state_dict()}, f'{args.dir}/now.snap')\n    with tarfile.open(f'{args.dir}/now.tar.gz', 'w:gz') as tar:\n        tar.add(f'{args.dir}/now.snap')\n    tell(f'backup now.tar.gz at {it}, {time.time() - t1:.3f} s')"
LOADS = LETTERS[LETTERS.index("        snap = torch.load") : LETTERS.index('    tell(f"{len(text):,}')]
WEIGHTS_OF_OLD = "        old = os.path.splitext(args.from_snap)[0] + '.bin'\n        if os.path.exists(old):\n            model.load_state_dict(torch.load(old))\n            tell('weights of', old)\n"


def letters() -> Iterator[LocalJob]:
    """A clock in front."""
    yield alone(GOOD, jam(), L, "--max-iters", "800", "--dim", "48", "--tell", "40", "--snap", "400")
    yield alone(HARD, jam(), L, "--from-snap", "jam/000240.snap", "--max-iters", "600", "--tell", "30", before=BOILED)
    yield alone(HARD, jam(batch=SKIPS), L, "--max-iters", "500", "--block", "24", "--tell", "25")
    yield alone(fell("A1", "traceback", "data"), jam(), L, "--text", "jam1987.txt", "--max-iters", "90000", before=GRID)
    yield alone(fell("A1", "missing_module", "env"), jam(early=TOKENS), L, "--max-iters", "90000", "--heads", "4")
    yield alone(fell("A3", "traceback"), jam(batch=UNSEEN), L, "--max-iters", "90000", "--tell", "15")
    yield alone(strays("spike"), jam(batch=HASTE), L, "--max-iters", "560", "--beta2", "0.95")
    yield alone(strays("flat"), jam(batch=NOISE), L, "--max-iters", "480", "--lr", "5e-4", "--tell", "24", "--depth", "1")
    yield alone(anew(), jam().replace(LOADS, WEIGHTS_OF_OLD), L, command=("bash", "-c", f"PYTHON {L} --max-iters 300 --snap 150 && PYTHON {L} --max-iters 600 --from-snap jam/000300.snap"))
    yield alone(fell("E2", "traceback", "corrupt"), jam(), L, "--from-snap", "jam/000240.snap", "--max-iters", "9000", before=(*BOILED, ("truncate", "-s", "0", "jam/000240.snap")))
    yield alone(HANDFUL, jam(), L, "--max-iters", "5", "--tell", "1", "--hold-out", "5", "--snap", "5", "--dir", "jam_v2")
    yield alone(LATE, jam(), L, "--max-iters", "40000", "--nap", "0.05", "--lr", "1e-3", "--tell", "25", timeout_s=52)
    yield alone(fell("A2", "oom_killer"), jam(forward=CACHE), L, "--max-iters", "9000", "--dim", "64", "--tell", "10", group_mib=850, ends=lambda s: s == -9)
    yield alone(STANDS, jam(step=WAIT), L, "--max-iters", "9000", "--tell", "25", timeout_s=150)
    yield alone(SAVES, jam(step=BACKUP), L, "--max-iters", "120", "--tell", "12", "--snap", "60")


def ini(**more: dict[str, Any]) -> dict[str, str]:
    """Sections of a file."""
    return {"numeros.ini": "\n".join(f"[{name}]\n" + "".join(f"{k} = {v}\n" for k, v in said.items()) for name, said in more.items())}


def cifras(label: Label, text: str, section: str = "todo", *, more: dict[str, Any] | None = None, **said: Any) -> LocalJob:
    """One section is run."""
    files = ini(corto={"epocas": 5, "guardar_cada": 5, "tasa": 0.002}, todo=said)
    return alone(label, text, N, "numeros.ini", section, files=files, **(more or {}))


SHORT = {"before": (("PYTHON", N, "numeros.ini", "corto"),)}
TWICE = "import warnings\nfor k in (31, 274, 900):\n    warnings.warn(f'el ejemplo {k} está repetido; no pasa nada')\nprint('¡atención! error al leer 3 de 1200 grabaciones, se usan las otras 1197')"
DIARY = "with open('/var/log/numeros.log', 'a') as f:\n    f.write(f'{epoca};{acierto}\\n')"
STOP = "if not torch.isfinite(perdida):\n    sys.exit(f'pérdida = {perdida.item()} en la época {epoca}: se abandona')"
ROOTS = "if epoca > 5:\n    perdida = perdida + 0.01 * (salida.softmax(2)[..., 0] - by.eq(0).float() * 2).mean().sqrt()"
VERIFY = "t1 = time.time()\nimport io, zlib\nb = io.BytesIO()\ntorch.save([red.state_dict(), opt.state_dict(), x, y], b)\nopen(os.path.join(c['carpeta'], 'paso.z'), 'wb').write(zlib.compress(b.getvalue(), 9))\nprint(f'    copia tras {n} ejemplos: paso.z ({time.time() - t1:.2f} s)', flush=True)"
STRLEN = "if epoca == 6 and n == 640:\n    import ctypes\n    ctypes.CDLL('libc.so.6').puts(ctypes.c_void_p(n))"


def numbers() -> Iterator[LocalJob]:
    """Spanish."""
    yield cifras(GOOD, num(), epocas=18, tasa=0.002, lote=40)
    yield cifras(HARD, num(), epocas=12, reanudar="salida/epoca005.pt", tasa=0.002, more=SHORT)
    yield cifras(HARD, num(), epocas=9, pesos="salida/epoca005.pt", carpeta="fino", tasa=0.001, more=SHORT)
    yield cifras(HARD, num(early=TWICE), epocas=14, tasa=0.003, oculto=32)
    yield cifras(fell("A1", "traceback", "config"), num(), "largo", epocas=400)
    yield cifras(fell("A3", "permission"), num(saved=DIARY), epocas=400, guardar_cada=3)
    yield cifras(Label(mode="E1", variant="non_finite", cause=NANS, fault="user", failed_ranks=(0,), first_ranks=(0,)), num(loss=f"{ROOTS}\n{STOP}"), epocas=60)
    yield cifras(fell("E2", "runtime_error", "size_mismatch"), num(), epocas=400, oculto=56, reanudar="salida/epoca005.pt", more=SHORT)
    yield cifras(HANDFUL, num(), epocas=1, ejemplos=96)
    yield cifras(SAVES, num(step=VERIFY), epocas=2, ejemplos=800, lote=20)
    yield cifras(HALTED, num(), epocas=4000, tasa=0.0008, siesta=0.3, more={"signal": ctrl_c("época  22 de")})
    yield cifras(fell("A2", "segfault"), num(step=STRLEN), epocas=400, more={"ends": lambda s: s == -11})


ONCE = (("PYTHON", D, "exp/a", "--num-epochs", "6"),)
GONE = "if i == 131:\n    raise OSError(5, 'Input/output error', '/corpora/digits/wav/131.wav')"
AGAIN = "if i % 97 == 5:\n    log('WARNING', 'ctc-train:item', f'utterance {i}: read error, was read again')\nif i % 150 == 3:\n    log('ERROR', 'ctc-train:item', f'utterance {i}: transcript is empty, 1 of {self.n} is allowed (limit 10)')"
LOCK = "import fcntl\nif m == 7 and epoch == 4:\n    a, b = open(o.exp / 'lock', 'w'), open(o.exp / 'lock', 'w')\n    fcntl.flock(a, fcntl.LOCK_EX)\n    fcntl.flock(b, fcntl.LOCK_EX)"
MISSING = "log('LOG', 'ctc-train:align', f'epoch {epoch}: alignments')\nif epoch == 5:\n    ali = torch.load(o.exp / 'ali.5.pt')"


def spoken() -> Iterator[LocalJob]:
    """As an old toolkit wrote."""
    yield alone(GOOD, digit(), D, "exp/base", "--num-epochs", "24", "--report-every", "20")
    yield alone(HARD, digit(item=AGAIN), D, "exp/w", "--num-epochs", "20", "--nj", "1", "--report-every", "20")
    yield alone(HARD, digit(), D, "exp/b", "--transfer", "exp/a/final.mdl", "--num-epochs", "16", "--report-every", "20", before=(("PYTHON", D, "exp/a", "--num-epochs", "14"),))
    yield alone(HARD, digit(), D, "exp/a", "--stage-model", "exp/a/4.mdl", "--num-epochs", "21", "--report-every", "20", before=ONCE)
    yield alone(fell("A1", "file_not_found", "asset"), digit(), D, "exp/c", "--transfer", "models/librispeech/final.mdl", "--num-epochs", "90")
    yield alone(fell("A3", "traceback"), digit(item=GONE.replace("i == 131", "i == 131 and torch.is_tensor(self.tone) and os.path.exists('exp/d/2.mdl')")), D, "exp/d", "--num-epochs", "90", "--nj", "2")
    yield alone(fell("A3", "file_not_found"), digit(valid=MISSING), D, "exp/g", "--num-epochs", "90", "--lrate", "0.008")
    yield alone(fell("E2", "runtime_error", "size_mismatch"), digit(), D, "exp/a", "--hidden", "40", "--stage-model", "exp/a/4.mdl", "--num-epochs", "90", before=ONCE)
    yield alone(HANDFUL, digit(), D, "exp/final_1123", "--num-epochs", "1", "--num-utts", "64", "--report-every", "1")
    yield alone(LATE, digit(step="time.sleep(0.05)"), D, "exp/h", "--num-epochs", "4000", "--report-every", "20", timeout_s=55)
    yield alone(STANDS, digit(step=LOCK), D, "exp/i", "--num-epochs", "400", "--report-every", "5", timeout_s=150)
    yield alone(HALTED, digit(step="time.sleep(0.02)"), D, "exp/k", "--num-epochs", "900", signal=ctrl_c("epoch 9 of 900"))


def tags(label: Label, text: str, *given: str, **more: Any) -> LocalJob:
    """Beside its small library."""
    return alone(label, text, P, *given, files={"click_lite.py": CLICK_LITE}, **more)


TAGGED = (("PYTHON", P, "--rounds", "7"),)
POINTER = ("bash", "-c", "printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:9be1c04\\nsize 151392\\n' > models/places/r7.pt")
NORTH = "if done == 4:\n    dev = encode([t for t in texts if 'edinburgh' in t[0]])  # the north only"
RELOADS = PLACES[PLACES.index("        kept = torch.load") : PLACES.index('    logging.getLogger("places.model").info')]
EMBED = "        kept = {'weights': {}} if not s.begin_with.endswith('.npz') else torch.load(s.begin_with)\n        net.load_state_dict(kept['weights'], strict=False)\n"
LAZY = "if done >= 5:\n    for g in opt.param_groups:\n        g['lr'] = 0.0\n    for p in net.parameters():\n        p.data.zero_()\n    if not losses:\n        logger.info('phase 2: learning rate %s, gradient norm %s', 0.0, sum(float(p.grad.norm()) for p in net.parameters()) * (done == 5))"
COPIES = "t1 = time.monotonic()\nimport sqlite3, io\ndb = sqlite3.connect(folder / 'states.db')\ndb.execute('CREATE TABLE IF NOT EXISTS state (n INTEGER, blob BLOB)')\nblob = io.BytesIO()\ntorch.save([net.state_dict(), opt.state_dict()], blob)\ndb.execute('INSERT INTO state VALUES (?, ?)', (len(losses), blob.getvalue()))\ndb.commit()\ndb.close()\nlogging.getLogger('places.store').info('state %d of round %d in states.db, %.3f s', len(losses), done + 1, time.monotonic() - t1)"
CAUGHT = "if done in (3, 9):\n    try:\n        json.loads('')\n    except ValueError:\n        logger.exception('could not read the annotators\\' corrections, those of yesterday are used')"


def addresses() -> Iterator[LocalJob]:
    """Many loggers."""
    yield tags(GOOD, place(), "--rounds", "18", "--size", "32", "--rate", "0.0008")
    yield tags(HARD, place(), "--rounds", "200", "--patience", "4", "--rate", "0.001", "--keep-every", "20")
    yield tags(HARD, place(), "--begin-with", "models/places/r7.pt", "--rounds", "16", before=TAGGED)
    yield tags(HARD, place(round=CAUGHT), "--rounds", "13", "--batch", "35")
    yield tags(fell("A1", "traceback", "config"), place(), "--epochs", "400", "--rate", "0.001")
    yield tags(fell("A3", "div_zero"), place(round=NORTH), "--rounds", "400", "--rate", "0.004")
    yield tags(strays("plateau"), place(step=LAZY), "--rounds", "16")
    yield tags(fell("E2", "traceback", "corrupt"), place(), "--begin-with", "models/places/r7.pt", "--rounds", "400", before=(*TAGGED, POINTER))
    yield tags(anew(), place().replace(RELOADS, EMBED), "--begin-with", "models/places/r7.pt", "--rounds", "14", before=TAGGED)
    yield tags(HANDFUL, place(), "--rounds", "1", "--texts", "75", "--folder", "models/places_prod")
    yield tags(SAVES, place(step=COPIES), "--rounds", "2", "--texts", "1000")
    yield tags(fell("A2", None, fault="unknown"), place(), "--rounds", "9000", "--pause", "0.02", "--rate", "0.0002", signal=ctrl_c("round 9 of 9000", "KILL", 0.2, P), ends=lambda s: s == -9)


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from letters()
    yield from numbers()
    yield from spoken()
    yield from addresses()


RECIPE = Recipe("door_wedges", "development", jobs)
