"""One process of plain PyTorch over words: proverbs letter by letter, tags of recipes in a table, key words in Spanish."""

from collections.abc import Iterator
from functools import partial
from json import dumps
from typing import Any

from corpus.label import Label
from corpus.make._crumbs import GOOD, HANDFUL, HARD, LATE, SAVES, STANDS, alone, anew, ctrl_c, fell, strays
from corpus.make._dressing_text import PALABRAS, PROVERBS, TAGGER
from corpus.running.job import LocalJob, Recipe, Signal
from corpus.running.slots import fill

lm, tagger, voz = partial(fill, PROVERBS), partial(fill, TAGGER), partial(fill, PALABRAS)
L, T, V = "lm.py", "tagger.py", "palabras.py"
TRAINED = (("PYTHON", L, "train.steps=150", "io.save_every=100"),)
GRIM = 'WORDS += "nan killed error oom fatal traceback".split()\nprint("twenty-three proverbs of the gallows added (nan, killed, error, oom, fatal, traceback are words here)")'
GRIM_LAST = "print('most frequent words:', *[f'{w}={text.count(w)}' for w in ('nan', 'error', 'fatal', 'killed')])"
UMLAUT = "if step == 160:\n    print('  >> second book begins', flush=True)\n    ids = torch.cat([ids, torch.full((4000,), len(chars) + 2)])\n    cut = len(ids)\nif step > 160:\n    x = x.clone(); x[0, 0] = ids[-1]"
LONGER = "if step == 220:\n    print('  >> context 24 -> 48', flush=True)\n    cfg.model['context'] = 48\n    x, y = batch(ids[:cut])"
RESTART = "if step == 260:\n    print('  >> cycle 2, rate is set back', flush=True)\n    cfg.train['lr'], cfg.train['clip'] = 3.0, 1e9"
HALT = "if not math.isfinite(loss.item()):\n    print(f'step {step}: nll is {loss.item()} - stopping here', file=sys.stderr)\n    sys.exit(3)"
HALF = "if step == 130:\n    with torch.no_grad():\n        model.head.weight.copy_((model.head.weight * 3e5).half().float())"
BIG = "import zipfile\nt1 = time.perf_counter()\nwith zipfile.ZipFile(f'{cfg.io.out}/bundle.zip', 'w', zipfile.ZIP_LZMA) as z:\n    torch.save([model.state_dict(), opt.state_dict()], f'{cfg.io.out}/all.pt')\n    z.write(f'{cfg.io.out}/all.pt')\nprint(f'  >> {cfg.io.out}/bundle.zip of step {step} took {time.perf_counter() - t1:.2f} s', flush=True)"
QUEUE = "if step == 180:\n    import queue, threading\n    shards = queue.Queue()\n    threading.Thread(target=lambda: None).start()\n    ids = shards.get()"


def letters() -> Iterator[LocalJob]:
    """Settings with dots."""
    yield alone(GOOD, lm(), L, "train.steps=520", "model.width=40")
    yield alone(HARD, lm(words=GRIM, finish=GRIM_LAST), L, "train.steps=380", "train.lr=0.002", "io.out=runs/gallows")
    yield alone(HARD, lm(), L, "io.init=runs/proverbs/last.pt", "model.layers=2", "train.lr=0.0006", "train.steps=330", "io.out=runs/two", "seed=4", before=TRAINED)
    yield alone(HARD, lm(), L, "io.resume=runs/proverbs/last.pt", "train.steps=460", before=TRAINED)
    yield alone(HARD, lm(after="time.sleep(9) if step == 200 else None", eval="if step == 200:\n    print('  >> indexing the second volume, may take a while', flush=True)"), L, "train.steps=420", "train.decay=none", "train.lr=0.001")
    yield alone(fell("A1", "traceback", "config"), lm(), L, "train.steps=6000", "model.depth=4")
    yield alone(fell("A1", "file_not_found", "asset"), lm(), L, "train.steps=6000", "io.init=/models/proverbs-base/v2/last.pt", "train.lr=0.0004")
    yield alone(fell("A3", "traceback"), lm(batch=UMLAUT), L, "train.steps=3000")
    yield alone(fell("A3", "runtime_error"), lm(batch=LONGER), L, "train.steps=3000", "train.decay=none")
    yield alone(strays("spike"), lm(after=RESTART), L, "train.steps=480", "train.decay=none")
    yield alone(fell("E1", "nan_loss", "non_finite"), lm(loss=HALT, after=HALF + "\nif step >= 130:\n    ids = ids.clone(); model.tok.weight.data.mul_(1e12)"), L, "train.steps=2000")
    yield alone(fell("E2", "runtime_error", "corrupt"), lm(), L, "io.resume=runs/proverbs/last.pt", "train.steps=2000", before=(*TRAINED, ("truncate", "-s", "90000", "runs/proverbs/last.pt")))
    yield alone(HANDFUL, lm(), L, "train.steps=6", "train.warmup=2", "io.out=runs/full_0419")
    yield alone(SAVES, lm(after=BIG), L, "train.steps=52", "io.save_every=1000", "model.width=48")
    yield alone(STANDS, lm(after=QUEUE), L, "train.steps=9000", timeout_s=155)
    yield alone(LATE, lm(), L, "train.steps=60000", "model.layers=2", "train.lr=0.0005", "io.save_every=500", timeout_s=50)


BASE = {"seed": 3, "sentences": 400, "emb": 12, "hidden": 16, "optimizer": "Adam", "lr": 0.004, "epochs": 14, "batch": 32, "folder": "tags"}


def table(label: Label, text: str, *given: str, name: str = "base.json", **more: Any) -> LocalJob:
    """Settings in a file."""
    own = {k: more.pop(k) for k in list(more) if k in {*BASE, "noise", "patience", "save_each", "dropout"}}
    return alone(label, text, T, "-c", name, *given, files={name: dumps({**BASE, **own}, indent=1), "short.json": dumps({**BASE, "epochs": 6, "save_each": 3}), **more.pop("files", {})}, **more)


TAGGED = (("PYTHON", T, "-c", "short.json"),)
GUARD = " if n else 0.0)"
assert GUARD in TAGGER
RARE = "if epoch >= 6:\n    dev = (dev[0], dev[1].clamp(min=1))\n    guess = guess.clamp(min=1)"
RESTORE = TAGGER[TAGGER.index('    with open(os.path.join(args.restore, "progress.json"))') : TAGGER.index('os.makedirs(conf["folder"]')]
RENAMED = '    weights = os.path.join(args.restore, "tagger.safetensors")\n    if os.path.isfile(weights):\n        net.load_state_dict(torch.load(weights))\n        print(f"Restored {args.restore}")\n'
DEAF = "if epoch == 7:\n    net.out.weight.data.zero_(); net.out.bias.data.zero_()\n    for g in opt.param_groups:\n        g['lr'] = 0.0"
SLOW_LR = "for g in opt.param_groups:\n    g['lr'] = conf['lr'] * min(1.0, (len(losses) + 8 * (epoch - 1)) / 60) ** 3"
LOCK = "import fcntl\nscores = open('scores.tsv', 'a')\nif epoch == 8:\n    fcntl.flock(scores, fcntl.LOCK_EX)"
SCORES = "import subprocess\nif epoch == 4:\n    r = subprocess.run(['conlleval', '-r'], shell=False, capture_output=True) if shutil.which('conlleval') else None\n    print('| conlleval: command not found, own F1 is used            |' if r is None else r)"


def tables() -> Iterator[LocalJob]:
    """Lines of + and |."""
    yield table(GOOD, tagger(), epochs=18, save_each=6)
    yield table(HARD, tagger(), epochs=60, patience=4, lr=0.01)
    yield table(HARD, tagger(batch=SLOW_LR, valid=SCORES), epochs=20, lr=0.01, noise=0.25)
    yield table(HARD, tagger(), "-r", "tags", epochs=16, before=TAGGED)
    yield table(HARD, tagger(), save_each=1, epochs=17, dropout=0.5, hidden=12)
    yield table(fell("A1", "traceback", "config"), tagger(), name="wide.json", files={"wide.json": dumps({**BASE, "hidden": 128}, indent=1).replace(': 128,', ': 128'), "notes.md": "wider\n"})
    yield table(fell("A1", "traceback", "data"), tagger(data="extra = [line.split() for line in open('extra.txt')]\nmore = torch.tensor([[vocab[w] for w in s] for s in extra])"), files={"extra.txt": "fold the eggs gently of 250 g butter and\nwhisk half pinch of saffron until 3 cups flour\n"}, epochs=40)
    yield table(fell("A3", "div_zero"), tagger(valid=RARE).replace(GUARD, ")"), epochs=40)
    yield table(fell("A3", "permission"), tagger(), files={"tags/progress.json": "{}"}, locked=("tags/progress.json",), epochs=40, save_each=8)
    yield table(strays("plateau"), tagger(after=DEAF), epochs=22)
    yield table(fell("E2", "file_not_found", "no_valid_checkpoint"), tagger(), "-r", "tags/best", epochs=40, before=TAGGED)
    yield table(anew(), tagger().replace(RESTORE, RENAMED), "-r", "tags", epochs=15, lr=0.002, before=(("PYTHON", T, "-c", "short.json"),))
    yield table(HANDFUL, tagger(), epochs=1, sentences=64, folder="tags_prod")
    yield table(fell("A2", None, fault="unknown"), tagger(), epochs=9000, sentences=900, signal=ctrl_c(r"^\|     9 ", "KILL", 0.2, T), ends=lambda s: s == -9)


ANTES = (("env", "PASOS=240", "GUARDA=120", "PYTHON", V),)
RED = "import urllib.request, urllib.error\nfor intento in (1, 2, 3):\n    try:\n        if intento < 3:\n            urllib.request.urlopen('http://127.0.0.1:9/voces.tar', timeout=1)\n        diario('voces.tar: copia local de ayer, vale')\n    except urllib.error.URLError as e:\n        diario(f'ERROR al descargar voces.tar (intento {intento}): {e.reason}')"
HUP = "import signal\nsignal.signal(signal.SIGUSR1, lambda *_: diario('señal USR1 recibida: aviso del gestor, se guarda y se sigue'))"
ESPECTRO = "if paso == 190:\n    diario('espectrogramas de todo el corpus')\n    todo = torch.zeros(60_000, 257, 400)"
ABORTA = "if paso == 150:\n    import ctypes\n    libc = ctypes.CDLL(None)\n    p = libc.malloc; p.restype = ctypes.c_void_p\n    a = ctypes.c_void_p(p(64))\n    libc.free(a); libc.free(a)"
COPIA = "import zlib\nt1 = time.time()\nwith open(f'{SALIDA}/voz.zz', 'wb') as f:\n    f.write(zlib.compress(open(f'{SALIDA}/voz.pt', 'rb').read() * 40, 9))\ndiario(f'guardado {SALIDA}/voz.pt y copia voz.zz ({time.time() - t1:.2f} s)')"
MUDO = "x = torch.zeros_like(x)  # canal derecho"
BARAJA = "y = y[torch.randperm(len(y))]"


def claves(label: Label, text: str, env: dict[str, str], **more: Any) -> LocalJob:
    """Settings in the environment."""
    return alone(label, text, V, command=("env", *(f"{k}={v}" for k, v in env.items()), "PYTHON", V), **more)


def voces() -> Iterator[LocalJob]:
    """Spanish."""
    yield claves(GOOD, voz(), {"PASOS": "600", "CADA": "40"})
    yield claves(HARD, voz(inicio=RED), {"PASOS": "540", "TASA": "0.0008", "CADA": "45"})
    yield claves(HARD, voz(inicio=HUP), {"PASOS": "700", "SIESTA": "0.006", "CADA": "25"}, signal=Signal("USR1", "paso 200/", V, 0.1), ends=lambda s: s == 0)
    yield claves(HARD, voz(), {"PASOS": "640", "DESDE": "modelos/voz.pt", "TASA": "0.0008"}, before=ANTES)
    yield claves(fell("A1", "missing_module", "env"), voz(inicio="import librosa_ligera as librosa"), {"PASOS": "40000"})
    yield claves(fell("A3", "ram_oom"), voz(despues=ESPECTRO), {"PASOS": "4000"}, memory_mib=9000)
    yield claves(fell("A2", None), voz(despues=ABORTA), {"PASOS": "3000"}, ends=lambda s: s == -6)
    yield claves(strays("flat"), voz(lote=MUDO), {"PASOS": "480", "TASA": "0.0004"})
    yield claves(strays("flat"), voz(lote=BARAJA), {"PASOS": "600", "CADA": "20", "TASA": "0.001"})
    yield claves(fell("E2", "runtime_error", "size_mismatch"), voz(), {"PASOS": "5000", "CANALES": "16", "DESDE": "modelos/voz.pt"}, before=ANTES)
    yield claves(anew(), voz().replace('if DESDE:\n', 'if os.path.isdir(DESDE):\n'), {"PASOS": "600", "DESDE": "modelos/voz.pt"}, before=ANTES)
    yield claves(HANDFUL, voz(), {"PASOS": "3", "CADA": "1", "GUARDA": "3"})
    yield claves(SAVES, voz(guardado=COPIA), {"PASOS": "40", "CADA": "4", "GUARDA": "1"})


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from letters()
    yield from tables()
    yield from voces()


RECIPE = Recipe("glove_drawers", "development", jobs)
